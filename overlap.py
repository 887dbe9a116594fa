"""Finds which routines have steps in common, so that a person who is asked about one is told of the other; it decides nothing. A module of
its own, because it compares routines with each other, and whatever else looks at one looks at it alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

LEAST = 2
"""Steps in a row that two routines have in common before that is told."""
Keys = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shared:
    """Another routine, by its number: from which step here and there (from 1) so many are the same, and how many each has in all."""

    other: int
    here: int
    there: int
    count: int
    own: int
    whole: int

    @property
    def joins(self) -> bool:
        """Whether both can be one routine: one is in the other, or goes on where the other ends."""
        ends = self.here + self.count > self.own, self.there + self.count > self.whole
        return self.kind != "part" or ends[0] and self.there == 1 or ends[1] and self.here == 1

    @property
    def kind(self) -> str:
        """ "same", "inside" where all of this is in the other, "around" where all of the other is in this, else "part"."""
        return {(True, True): "same", (True, False): "inside", (False, True): "around"}.get(
            (self.count == self.own, self.count == self.whole), "part"
        )


def shared(number: int, routines: Mapping[int, Keys]) -> tuple[Shared, ...]:
    """The other routines that have steps in a row in common with this one, at least half of the shorter; the most first."""
    own = routines.get(number, ())
    pairs = {*pairwise(own)}
    near = [(other, keys) for other, keys in routines.items() if other != number and not pairs.isdisjoint(pairwise(keys))]
    found = [Shared(other, *_longest(own, keys), len(own), len(keys)) for other, keys in near]
    enough = [one for one in found if one.count >= LEAST and 2 * one.count >= min(one.own, one.whole)]
    return tuple(sorted(enough, key=lambda one: (-one.count, one.other)))


def union(own: Keys, other: Keys) -> Keys | None:
    """The steps of both as one routine: the longer where it holds the other, else one after the other with what they have in common once;
    None where they go apart on both sides."""
    for one, rest in ((own, other), (other, own)):
        if any(one[at : at + len(rest)] == rest for at in range(len(one) - len(rest) + 1)):
            return one
    joints = ((one, rest, size) for size in range(min(len(own), len(other)), LEAST - 1, -1) for one, rest in ((own, other), (other, own)))
    return next((one + rest[size:] for one, rest, size in joints if one[-size:] == rest[:size]), None)


def within(keys: Keys, whole: Keys) -> int:
    """At which step, from 0, a routine begins in one that holds it; -1 where it does not."""
    return next((at for at in range(len(whole) - len(keys) + 1) if whole[at : at + len(keys)] == keys), -1)


def _longest(own: Sequence[str], other: Sequence[str]) -> tuple[int, int, int]:
    """The longest run of steps that both have: where it begins in each, from 1, and its length."""
    best = 0, 0, 0
    for at in range(len(own)):
        for place in range(len(other)):
            count = 0
            while at + count < len(own) and place + count < len(other) and own[at + count] == other[place + count]:
                count += 1
            if count > best[2]:
                best = at + 1, place + 1, count
    return best
