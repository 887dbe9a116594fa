"""Makes one proposal out of two routines that have steps in common, or keeps them apart, as a person says (T15); what it makes is learnt
from times that the whole was done in one go and passes every check, and nothing of it is in use before an approval. A module of its own,
because all other decisions are about one kata."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from . import miner, overlap, teaching
from .deciding import Deciding
from .model import Example, Kata, Occurrence, Proposal, Refused, State, Turn
from .overlap import Keys
from .reading import TAKEN

MOST = 5
"""Times in one go that a proposal is learnt from; the newest."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two routines that have steps in common, and the keys of both, and of the routine that is both."""

    one: Kata
    other: Kata
    own: Keys
    theirs: Keys
    whole: Keys


class Joining(Deciding):
    """The decisions about two routines at once."""

    def merge(self, word: str, other: str, surface: str) -> Kata:
        """One proposal for two that have steps in common; the two are not told about while it stands. Refused, with what can be done
        instead, where one of them is in use, or they cannot be one."""
        pair = self._pair(word, other)
        for used, rest in ((pair.one, pair.other), (pair.other, pair.one)):
            if used.state is not State.CANDIDATE:
                raise Refused(f"{used.tool or f'Kata {used.id}'} is {used.state}, not a proposal: {_ways(used, rest)}")
        return self._joined("merge", pair, surface)

    def extend(self, word: str, other: str, surface: str) -> Kata:
        """One proposal for a kata with the further steps of another routine; approved under the name of that kata, it takes its place.
        Nothing in use changes before."""
        pair = self._pair(word, other)
        if pair.one.state is State.CANDIDATE or not pair.one.name:
            raise Refused(f"Kata {pair.one.id} is {pair.one.state}, and nobody approved it: 'merge {pair.one.id} with {pair.other.id}'")
        if pair.whole == pair.own:
            raise Refused(f"{pair.one.tool} does every step of kata {pair.other.id} already: 'reject {pair.other.id}'")
        return self._joined("extend", pair, surface)

    def separate(self, word: str, other: str, surface: str) -> Kata:
        """Keep two routines apart that have steps in common: neither is named beside the other any more."""
        pair = self._found(word, other)
        if all(one.other != pair[1].id for one in self.overlaps(pair[0])[pair[0].id]):
            raise Refused(f"Kata {pair[0].id} and kata {pair[1].id} are not named beside each other; they are two things already")
        return self._marked(pair[0], "separate", surface, f"from kata {pair[1].id}")

    def _found(self, word: str, other: str) -> tuple[Kata, Kata]:
        one, two = self.find(word), self.find(other)
        if one.id == two.id:
            raise Refused(f"Kata {one.id} is one routine; two are needed")
        return one, two

    def _pair(self, word: str, other: str) -> Pair:
        one, two = self._found(word, other)
        known = self.store.keyed()
        for kata in (one, two):
            if kata.id not in known:
                raise Refused(f"Kata {kata.id} is {kata.state}; 'forget {kata.id}' lifts that")
            if len(known[kata.id]) != len(kata.version.spec.steps):
                raise Refused(f"Kata {kata.id} has not the steps any more that are done by hand, so it stays as it is: it was edited")
        own, theirs = known[one.id], known[two.id]
        if not overlap.shared(one.id, {one.id: own, two.id: theirs}):
            raise Refused(f"Kata {one.id} and kata {two.id} have no {overlap.LEAST} steps in a row in common, or too few to be one")
        whole = overlap.union(own, theirs)
        if whole is None:
            raise Refused(f"Kata {one.id} and kata {two.id} go apart before and after what they have in common: {_apart(one, two)}")
        return Pair(one, two, own, theirs, whole)

    def _joined(self, verb: str, pair: Pair, surface: str) -> Kata:
        """The proposal that stands for both from now on, written down with who wanted it."""
        known = self.store.alike(miner.fingerprint(pair.whole))
        if known is not None and known.state is not State.CANDIDATE:
            raise Refused(f"Both in one is kata {known.id} already, which is {known.state}: look at it with 'show {known.id}'")
        made = None if known else self._made(pair)
        with self.store.bundle():
            kata = known or (self.store.propose(made, self.door.clock(), miner.window_id(pair.whole)) if made else None)
            if kata is None:
                raise Refused("These steps were decided about just now; nothing was changed")
            parts = [one.id for one in (pair.one, pair.other) if one.id != kata.id]
            done = self._marked(kata, verb, surface, " and ".join(f"kata {part}" for part in parts))
            if made:
                self.store.remember(withdrawn=f"'{verb}' {TAKEN}")
        return done

    def _made(self, pair: Pair) -> Proposal:
        """The routine that is both, learnt from the times that it was done in one go; Refused where it never was, or fails a check."""
        held = list(self._in_one_go(pair))[:MOST]
        if not held:
            never = f"Nobody did all {len(pair.whole)} steps in one go yet, as far as that is recorded"
            why = "so nothing shows how their values belong together. Do it once in one conversation and say it again"
            raise Refused(f"{never}, {why}, or {_apart(pair.one, pair.other)}")
        lesson = teaching.Lesson(held[0], ())
        placed = ((pair.own, pair.one), (pair.theirs, pair.other))
        parts = [(overlap.within(keys, pair.whole), kata.version.spec) for keys, kata in placed]
        if pair.one.state is State.CANDIDATE:  # else its names are those that the agent knows
            parts.sort(key=lambda part: part[0])
        made = replace(teaching.joined(lesson, held[1:], parts), fingerprint=miner.fingerprint(pair.whole), keys=pair.whole)
        checks = self.validated(made.spec, made.exhibits, taught=True)
        if failed := [check for check in checks if not check.passed]:
            raise Refused(f"They cannot be one tool: {'; '.join(check.reason for check in failed)}")
        return replace(made, checks=checks)

    def _in_one_go(self, pair: Pair) -> Iterator[Example]:
        """The turns in which the whole was done, of each conversation the newest."""
        window, seen = miner.window_id(pair.whole), set[str]()
        places = [one for keys in (pair.own, pair.theirs) for one in self.store.occurrences(miner.window_id(keys), miner.SCORED)]
        names = dict.fromkeys(place.turn for place in places)
        turns = sorted((turn for name in names if (turn := self.store.turn(name))), key=lambda turn: -turn.started)
        for turn in turns:
            if turn.conversation not in seen:
                found = [miner.trimmed(one) for one in self.store.examples(_places(turn, window, len(pair.whole)))]
                seen |= {turn.conversation} if found else set()
                yield from (one for one in found if miner.spelled(one) == pair.whole)


def _places(turn: Turn, window: int, steps: int) -> list[Occurrence]:
    place = miner.windows(turn, steps).get(window)
    return [Occurrence(turn.conversation, turn.id, place.first, place.last, place.skipped)] if place else []


def _apart(one: Kata, other: Kata) -> str:
    return f"keep them apart: 'separate {one.name or one.id} from {other.name or other.id}'"


def _ways(used: Kata, rest: Kata) -> str:
    return f"'extend {used.name or used.id} with {rest.name or rest.id}'"
