"""Finds how a routine is done by hand with another program in the place of one that is gone; it decides nothing and takes no other routine
for it. A module of its own, because noticing.py asks what the same calls are like, and these are other calls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from . import miner
from .model import Example, Turn

GONE = re.compile(r"step ([0-9]+): (?:the program (\S+) is gone|the shell did not find a program)")
"""What the log says of a kata that lost a program."""
Keys = tuple[str, ...]


def loose(keys: Keys, why: str) -> frozenset[int]:
    """The steps, from 0, that call what is gone, as `why` says it; none where it says nothing of the kind, or where no other step is left
    by which the routine is known."""
    lost = {one for number, name in GONE.findall(why) for one in ([name] if name else _programs(keys[int(number) - 1 : int(number)]))}
    found = frozenset(at for at, key in enumerate(keys) if lost & {*_programs([key])})
    return found if len(found) < len(keys) else frozenset()


def _programs(keys: Sequence[str]) -> list[str]:
    """The programs that the commands of those steps call."""
    commands = (command for key in keys for command in key.partition("): ")[2].split(" | "))
    return [command.split()[0] for command in commands if command.split()]


def done(keys: Keys, free: frozenset[int], turns: Iterable[Turn]) -> Iterator[tuple[Keys, Example]]:
    """How the routine was done in each of these turns in which the steps of `free`, and only those, were done by other commands, with its
    keys there; the last place of each turn, and of each conversation the first turn."""
    seen: set[str] = set()
    for turn in turns:
        found = [part for run in miner.runs(turn) for part in _slices(miner.items(run), len(keys)) if _same(keys, free, part)]
        if found and turn.conversation not in seen:
            seen.add(turn.conversation)
            events = tuple(event for item in found[-1] for event in item.events)
            yield tuple(item.key for item in found[-1]), Example(turn.conversation, turn.id, events)


def _slices(row: Sequence[miner.Item], size: int) -> Iterator[Sequence[miner.Item]]:
    return (row[first : first + size] for first in range(len(row) - size + 1))


def _same(keys: Keys, free: frozenset[int], part: Sequence[miner.Item]) -> bool:
    """Whether these calls are the routine, with each step of `free` done by another command of the same tool."""
    if any(len(item.events) > 1 for item in part):
        return False
    pairs = [(key, item.key) for key, item in zip(keys, part, strict=True)]
    kept = all(key == other for at, (key, other) in enumerate(pairs) if at not in free)
    return kept and all(key != other and key.partition(":")[0] == other.partition(":")[0] for key, other in (pairs[at] for at in free))
