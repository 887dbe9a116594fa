#!/usr/bin/env python3
"""Prints how much of what was planted in a noisy log is found whole, beside a miner that passes over nothing; it judges, and never
changes anything.

    python scripts/noise.py FILE.jsonl EXPECTED.json [--least 6] [--contiguous] [--at-once]

The log and the expectations are those of `scripts/evaluate.py mine`, all of it learnt from. A routine counts when at least `--least`
conversations hold it; it is found whole when a proposal has its programs and sub-commands in order. `--at-once` mines when all is
recorded and not at the end of every turn: the answer is the same (`tests/laws/test_mining.py`), and much sooner there.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import evaluate

from kata import executor, miner
from kata.door import Door
from kata.model import Json, Kata, Turn, TurnEnd
from kata.store import Store


class Contiguous(evaluate.Desk):
    """The control: a miner that passes over nothing."""

    def windows(self, turn: Turn) -> miner.Windows:
        """Neighbouring calls alone."""
        return miner.windows(turn, self.settings.max_steps, gap=0)


def desk(kind: type[evaluate.Desk]) -> evaluate.Desk:
    """A service of that kind on a file in memory."""
    door = Door(lambda: 0.0, lambda spec, given, send: executor.drive(executor.run(spec, given), send), lambda tool: None, bool)
    return kind(Store(lambda: sqlite3.connect(":memory:", check_same_thread=False)), evaluate.SETTINGS, door)


@dataclass(frozen=True, slots=True)
class Planted:
    """One routine as it was planted: its name, its window, and the conversations that hold it."""

    name: str
    window: tuple[evaluate.Element, ...]
    chats: frozenset[str]

    def is_whole(self, kata: Kata) -> bool:
        """Whether a proposal has the programs and sub-commands of the routine in order."""
        return evaluate.covers(self.window, miner.trimmed(kata.version.exhibits[0]).calls)


def read_planted(path: Path, least: int) -> tuple[Planted, ...]:
    """The planted routines that at least `least` conversations hold."""
    entries = evaluate.read_expected(path, frozenset({"planted"})).positives
    found = (Planted(one["id"], tuple(map(evaluate.element, one["window"])), frozenset(one["conversations"])) for one in entries)
    return tuple(one for one in found if len(one.chats) >= least)


def report(log: evaluate.Log, path: Path, least: int, kind: type[evaluate.Desk], at_once: bool = False) -> Json:
    """What the miner of that kind makes of the log, as counts and shares."""
    planted = read_planted(path, 1)
    wanted = [one for one in planted if len(one.chats) >= least]
    with closing(desk(kind)) as service:
        _learn(service, log, at_once)
        katas = service.katas()
        held = {kata.id: frozenset(service.store.support([window])[window]) for kata in katas for window in (_window(kata),)}
    whole = Counter(one.name for kata in katas for one in planted if one.is_whole(kata))
    found = [one for one in wanted if whole[one.name]]
    other = [kata for kata in katas if not any(one.is_whole(kata) for one in planted)]
    return {
        "routines": len(wanted),
        "found_whole": len(found),
        "missed": sorted(one.name for one in wanted if one not in found),
        "proposals": len(katas),
        "planted": len(katas) - len(other),
        "other": [" > ".join(miner.spelled(kata.version.exhibits[0])) for kata in other],
        "proposals_a_routine": round(len(katas) / max(1, len(whole)), 3),
        "occurrences": sum(len(one.chats) for one in found),
        "in_support": sum(len(one.chats & _held(one, katas, held)) for one in found),
    }


def _learn(service: evaluate.Desk, log: evaluate.Log, at_once: bool) -> None:
    told = evaluate.Progress("mine", len(log.turns))
    for number, turn in enumerate(log.turns, 1):
        service.record([evaluate.start_of(turn), *turn.events, TurnEnd(turn.id, turn.started)])
        if not at_once:
            service.mine()
        told(number)
    service.mine(None)


def _window(kata: Kata) -> int:
    return miner.window_id(miner.spelled(kata.version.exhibits[0]))


def _held(one: Planted, katas: Sequence[Kata], held: dict[int, frozenset[str]]) -> frozenset[str]:
    """The conversations that the proposals of a routine count."""
    return frozenset().union(*(held[kata.id] for kata in katas if one.is_whole(kata)))


def main(words: Sequence[str] | None = None) -> int:
    """Print the report; 0 unless the files cannot be read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("log", type=Path)
    parser.add_argument("expected", type=Path)
    parser.add_argument("--least", type=int, default=6, help="conversations that must hold a routine for it to count (6)")
    parser.add_argument("--contiguous", action="store_true", help="the control beside it: pass over nothing")
    parser.add_argument("--at-once", action="store_true", help="mine once all is recorded: the same answer, sooner")
    given = parser.parse_args(words)
    try:
        log = evaluate.read_log(given.log)
        found = report(log, given.expected, given.least, Contiguous if given.contiguous else evaluate.Desk, given.at_once)
    except evaluate.FileError as error:
        print(f"noise.py: {error}", file=sys.stderr)
        return 2
    print(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
