"""Answers what there is: proposals, katas, near misses, versions, what a person is asked, and what a check says today; it decides nothing.
A module of its own, because everybody asks these questions, a page as well as a verb, and whoever only asks must not be able to decide."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from . import consent, ends, miner, odds, overlap, ranking, secrecy, validator, verdicts, weighing
from .decisions import JOINS
from .door import Door
from .due import Due
from .model import PREFIX, Check, Example, Json, Kata, NearMiss, Proposal, Refused, Spec, State, Version
from .overlap import Shared
from .ranking import Value
from .settings import Settings
from .store import Store
from .wording import brief, templated

EXPLAINED = ("coherence", "confidence", "inputs", "opaque", "saves", "template")
"""Rules that one odd example may break."""
ANNOUNCED = 3
"""Proposals that wait and were told about, from which on nobody is told about another (T18)."""
TAKEN = "was taken back"
"""How the reason ends for which a proposal went that a decision had made."""
ODDEST = 8
"""Examples among which the one is looked for that keeps a routine back."""


PAUSE_S = 600.0
"""Seconds after which what is kept of earlier looks is worked out anew, whatever happened."""
Mark = tuple[int, int]
"""A kata by its number, and its version."""


class Reading:
    """The questions; holds the store, the settings and the door."""

    def __init__(self, store: Store, settings: Settings, door: Door) -> None:
        self.store, self.settings, self.door = store, settings, door
        self.weighed: Due[Mark, Value | None] = Due()
        """What proposals would save, as they were weighed last."""
        self.judged: Due[Mark, NearMiss | None] | None = None
        """Whether chance explains them, as they were judged last; None where each question judges all."""
        self.ended: Due[Mark, NearMiss | None] = Due()
        """Which of them something else follows each time, as it was looked up last."""

    def katas(self, doubts: Collection[int] | None = None, listed: Sequence[Kata] | None = None) -> tuple[Kata, ...]:
        """Proposals and everything that was one, by number, without the rejected, the snoozed, what a person put into another, what chance
        explains now and what surely would not pay: `doubts`, where they are known, out of all that are `listed`."""
        every = self.store.listed() if listed is None else listed
        hidden = {*(self.doubted(every) if doubts is None else doubts), *self._put_away(every), *self.merged()}
        told = (kata for kata in every if kata.id not in hidden or kata.version.fit.forced)
        return tuple(kata for kata in told if kata.state is not State.REJECTED)

    def doubted(self, listed: Sequence[Kata] | None = None, values: Mapping[int, Value | None] | None = None) -> dict[int, NearMiss]:
        """The proposals that chance explains now, or that surely would not pay, by number: by their `values`, where they are known."""
        katas = self.store.listed((State.CANDIDATE,)) if listed is None else listed
        return self.unpaying(katas, values) | (self.doubts() if self.judged is None else self._judged(self.judged, katas))

    def _judged(self, kept: Due[Mark, NearMiss | None], katas: Iterable[Kata]) -> dict[int, NearMiss]:
        def work(marks: Sequence[Mark]) -> dict[Mark, NearMiss | None]:
            found = self.doubts({number for number, _ in marks})
            return {one: found.get(one[0]) for one in marks}

        marks = [_mark(kata) for kata in katas if kata.state is State.CANDIDATE]
        found = kept.look(marks, self._pulse(self.door.clock()), work)
        return {number: miss for (number, _), miss in found.items() if miss is not None}

    def values(self, katas: Iterable[Kata]) -> dict[int, Value | None]:
        """What each of the proposals among them would save in a week (T18); None where nothing is known. Each is weighed anew when
        something happened since, and every ten minutes, as many at once as `weighed` says."""
        waiting = {_mark(kata): kata for kata in katas if kata.state is State.CANDIDATE}
        now = self.door.clock()

        def work(marks: Sequence[Mark]) -> dict[Mark, Value | None]:
            found = weighing.values(self.store, [waiting[one] for one in marks], self.store.living(), now)
            return {one: found[one[0]] for one in marks}

        known = self.weighed.look(waiting, self._pulse(now), work) if waiting else {}
        return {one[0]: known.get(one) for one in waiting}

    def _pulse(self, now: float) -> tuple[int, ...]:
        """It is another when something happened, and every ten minutes."""
        return (*self.store.pulse(), int(now // PAUSE_S))

    def unpaying(self, katas: Iterable[Kata], values: Mapping[int, Value | None] | None = None) -> dict[int, NearMiss]:
        """The proposals that would cost more than they save even at the best of today's figures, by number: they are told as near misses,
        and come back when they may pay. What a person taught or named stands on their word."""
        waiting = {kata.id: kata for kata in katas if kata.state is State.CANDIDATE and not kata.version.fit.taught and not kata.name}
        known, found = self.values(waiting.values()) if values is None else values, {}
        for number, one in known.items():
            if number in waiting and one is not None and (why := ranking.unpaying(one)):
                kata = waiting[number]
                keys = self.store.keys(number)
                found[number] = NearMiss(keys, ranking.PAYS, why, kata.version.fit.support, kata.fingerprint)
        return found

    def refused(self) -> tuple[tuple[int, str], ...]:
        """The numbers of the katas that do not load, or are set active without a person's word in the log (T42), each with the reason."""
        why = "it is set active, and nobody approved that, as far as the log can be trusted; 'disable {0}', then 'review {0}'"
        good = {kata.id for kata in self.active()}
        return *self.store.broken(), *((kata.id, why.format(kata.id)) for kata in self.store.katas((State.ACTIVE,)) if kata.id not in good)

    def snoozed(self) -> dict[int, float]:
        """The proposals that nobody wants to see for now, by number, and until when (epoch seconds)."""
        return self._put_away()

    def _put_away(self, katas: Iterable[Kata] | None = None) -> dict[int, float]:
        found = self.store.snoozed(self.door.clock())
        if not found:
            return {}
        listed = self.store.listed((State.CANDIDATE,)) if katas is None else katas
        waiting = {kata.id for kata in listed if kata.state is State.CANDIDATE}
        return {kata: until for kata, until in found.items() if kata in waiting}

    def doubts(self, katas: Collection[int] | None = None) -> dict[int, NearMiss]:
        """The proposals that chance explains by today's counts, by number: they are told as near misses, and come back when
        they pass. Only some `katas` are asked about where they are named."""
        rows = self.store.undecided(katas)
        history = odds.History(*self.store.size()) if rows else odds.History(0, 0)
        wanted = [window for row in rows for window in miner.halves(tuple(row["keys"]))] if history.calls >= odds.ENOUGH else []
        weights, found = self.store.weights(wanted), {}
        routines = self.store.routines() if any(row["loose"] for row in rows) else ()
        others = [keys for keys, state, chance in routines if not chance or state is not State.CANDIDATE]
        for row in rows:
            keys = tuple(row["keys"])
            rule, why = miner.CHANCE, miner.unlikely(keys, row["ties"], weights, history) if row["ties"] else ""
            if not why:
                rule, why = miner.INSIDE, miner.padded(keys, row["loose"], others, self.store.spread, self.store.support)
            if why:
                found[int(row["id"])] = NearMiss(keys, rule, why, row["fit"]["support"], row["fingerprint"])
        return found

    def doubt(self, kata: Kata) -> str:
        """Why chance explains a proposal by today's counts, or why it would cost more than it saves; empty when neither is so. A person may
        approve it all the same."""
        doubts = self.unpaying([kata]) | self.doubts([kata.id])
        return doubts[kata.id].detail if kata.id in doubts else ""

    def known(self) -> dict[int, miner.Routine]:
        """What is told about, by window: near misses, proposals, and what a person decided about."""
        told = [missed(keys, rule) for keys, rule in self.store.shadows()]
        for keys, state, chance in self.store.routines():
            doubtful = bool(chance) and state is State.CANDIDATE
            told.append(miner.Routine(keys, miner.CHANCE if doubtful else "", not doubtful, state is State.REJECTED))
        told += [miner.Routine(keys) for keys in self.store.former()]
        return {miner.window_id(one.keys): one for one in told}

    def near(self, doubts: Mapping[int, NearMiss] | None = None, listed: Sequence[Kata] | None = None) -> tuple[NearMiss, ...]:
        """What was seen and is not proposed, best supported first, with what only chance explains now and what would not pay: `doubts`,
        where they are known, out of all that are `listed`."""
        katas = self.store.listed((State.CANDIDATE,)) if listed is None else listed
        doubted, worded = self.doubted(katas) if doubts is None else doubts, self.store.worded()
        told = [one for one in (*self.store.near(), *doubted.values()) if one.fingerprint not in worded]
        told += self._free([kata for kata in katas if kata.state is State.CANDIDATE and kata.id not in doubted])
        return tuple(sorted(told, key=lambda one: (-one.support, one.fingerprint)))

    def _free(self, katas: Iterable[Kata]) -> list[NearMiss]:
        """What ends in a step that is different each time; looked up anew when something happened since."""
        waiting = {_mark(kata): kata for kata in katas}

        def work(marks: Sequence[Mark]) -> dict[Mark, NearMiss | None]:
            return {one: ends.free(self.store, waiting[one]) for one in marks}

        found = self.ended.look(waiting, self._pulse(self.door.clock()), work)
        return [one for one in found.values() if one is not None]

    def odd(self, miss: NearMiss) -> Odd | None:
        """The one conversation without which the others would be a proposal: where it differs, and what the others did there."""
        found = self.aside(miss)
        return found and _odd(found[1].spec, found[0], max(1, self.settings.min_support - len(found[1].exhibits)))

    def latest(self, miss: NearMiss, most: int = miner.SCORED) -> list[Example]:
        """The latest example of each of its newest conversations."""
        places = self.store.occurrences(miner.window_id(miss.keys), most)
        return [one for one in map(miner.trimmed, self.store.examples(places)) if miner.spelled(one) == miss.keys]

    def aside(self, miss: NearMiss) -> tuple[Example, Proposal] | None:
        """The one example without which the others would be a proposal, and that proposal."""
        if miss.rule not in EXPLAINED:
            return None
        examples = self.latest(miss, ODDEST)
        lenient = replace(self.settings, min_confidence=0.0)
        for one in examples if len(examples) > 2 else ():
            rest = tuple(other for other in examples if other is not one)
            found = miner.score(miner.Family(rest, len(rest), miss.keys), lenient)
            if isinstance(found, Proposal):
                return one, found
        return None

    def past(self, kata: Kata) -> NearMiss | None:
        """What a proposal is, or was, without a person's word; None where nobody forced it."""
        version = kata.version
        if not version.fit.forced:
            return None
        doubted = (self.unpaying([kata]) | self.doubts([kata.id])).get(kata.id)
        kept = next((one for one in self.store.near() if one.fingerprint == kata.fingerprint), None)
        return doubted or kept or NearMiss(self.store.keys(kata.id), version.fit.forced, "", version.fit.support, kata.fingerprint)

    def overlaps(self, *katas: Kata) -> dict[int, tuple[Shared, ...]]:
        """For each kata the proposals and katas that have steps in a row in common with it, as far as a person did not say that they are
        two things and did not put them into another (T15)."""
        keyed, hidden = self.store.keyed(), self.merged()
        apart = {frozenset((one, *others)) for one, verb, others in self.store.chosen() if verb == "separate"}
        found = {kata.id: overlap.shared(kata.id, keyed) for kata in katas}
        return {
            kata: tuple(one for one in told if {kata, one.other} not in apart and one.other not in hidden) for kata, told in found.items()
        }

    def merged(self) -> dict[int, int]:
        """The proposals that a person put into another, each with that one; they are not told about while that one stands."""
        found = {one: kata for kata, verb, others in self.store.chosen() if verb in JOINS for one in others}
        if not found:
            return {}
        standing, waiting = self.store.keyed(), {kata.id for kata in self.store.listed((State.CANDIDATE,))}
        return {one: kata for one, kata in found.items() if kata in standing and one in waiting}

    def extended(self, kata: Kata) -> Kata | None:
        """The kata whose place a proposal takes when it is approved under that one's name; None where it extends none."""
        base = next((others[0] for one, verb, others in reversed(self.store.chosen()) if one == kata.id and verb == "extend" and others), 0)
        found = self.store.kata(base) if base else None
        return found if found and found.name and found.state is not State.CANDIDATE else None

    def find(self, word: str) -> Kata:
        """The kata of that number, name or tool name; Refused when there is none."""
        name = word.removeprefix(PREFIX)
        number = int(word) if re.fullmatch(r"[0-9]{1,9}", word) else 0
        found = self.store.kata(number) if number else self.store.named(name)
        if number and found is None and (reason := self.store.withdrawn(number)):
            because = "" if reason.endswith(TAKEN) else ", because new evidence speaks against it"
            raise Refused(f"The proposal {word} was taken back{because}: {reason}")
        if found is None:
            names = [kata.tool or str(kata.id) for kata in self.katas()]
            known = ", ".join([*names[:10], *["…"] * (len(names) > 10)]) or "none yet"
            raise Refused(f"There is no kata {word!r}; known: {known}")
        return found

    def versions(self, kata: Kata) -> tuple[Version, ...]:
        """Every version that is kept (K89), newest first."""
        return self.store.versions(kata.id)

    def version(self, kata: Kata, number: int) -> Version:
        """That version of a kata; Refused names those that there are."""
        found = self.store.version(kata.id, number)
        if found is None:
            there = ", ".join(str(one.number) for one in reversed(self.versions(kata)))
            raise Refused(f"Kata {kata.id} has no version {number}; it has {there}")
        return found

    def standing(self, kata: Kata) -> Version | None:
        """The version that was put into use last, where another waits for an approval; None where there is nothing to compare."""
        found = self.store.standing(kata.id)
        return found[0] if found and found[0].spec.digest != kata.version.spec.digest else None

    def review(self, word: str, surface: str) -> Kata:
        """The kata as it would be approved now; the revision counts as shown on that surface."""
        kata = self.find(word)
        self.store.show(surface, kata.id, kata.version.spec.digest, self.door.clock())
        return kata

    def announcement(self, platform: str) -> str | None:
        """One line about a kata that was taken out of use, or for which a repaired version waits; else about the proposal that nobody was
        told of and that would save most, while fewer than three that were told wait for a decision (T18). Each is told once (A40), and
        never with an observed value."""
        told = self.store.noted("told").split()
        found = self._taken_away(told) or self._promising(told)
        if found is None:
            return None
        event, line, kata = found
        self.store.note("told", " ".join([*told, event]))
        return f"Kata: {line}. Look: {'hermes kata' if platform in ('', 'cli') else '/kata'} review {kata.id}"

    def _taken_away(self, told: Sequence[str]) -> tuple[str, str, Kata] | None:
        """What is to be told of a kata that is out of use by itself: the word under which that is kept, the line, the kata."""
        for kata in self.store.katas((State.STALE, State.SUSPENDED)):
            waits = self.standing(kata) is not None
            if (event := f"{kata.id}@{self.store.came(kata.id)[1]:.0f}{'+' * waits}") not in told:
                more = "a repaired version of it waits for you" if waits else "the agent cannot call it"
                return event, f"{kata.tool} is {kata.state}; {more}", kata
        return None

    def _promising(self, told: Sequence[str]) -> tuple[str, str, Kata] | None:
        """The same of a proposal."""
        if all(str(row["id"]) in told for row in self.store.undecided()):
            return None  # as nearly always: nothing need be weighed
        found = (kata for kata in self.katas() if not kata.version.fit.taught and not kata.version.fit.forced)
        waiting = [kata for kata in found if kata.state is State.CANDIDATE]
        new = {kata.id: kata for kata in waiting if str(kata.id) not in told}
        if not new or len(waiting) - len(new) >= ANNOUNCED:
            return None
        best = new[ranking.ranked(self.values(new.values()))[0]]
        fit, steps = best.version.fit, len(best.version.spec.steps)
        return str(best.id), f"a routine of {steps} steps, seen in {fit.support} conversations, could be one tool", best

    @property
    def busy(self) -> bool:
        """Whether somebody mines just now."""
        return bool(self.store.noted("miner"))

    def active(self) -> tuple[Kata, ...]:
        """The katas that the agent may call (K84): those whose revision a person approved and left in use, as the log says (T42)."""
        return self.live(self.store.katas((State.ACTIVE,)))

    def live(self, katas: Iterable[Kata] | None = None) -> tuple[Kata, ...]:
        """Those of the katas (None: of all in a list) that the agent may call."""
        standing, listed = self.store.standing_now(), self.store.listed((State.ACTIVE,)) if katas is None else katas
        return tuple(one for one in listed if one.state is State.ACTIVE and (one.id, one.version.spec.digest) in standing)

    def asks(self, kata: Kata) -> bool:
        """Whether every run asks a person, wherever it is."""
        return consent.asks(kata, "", self.always, self.trusted(kata))

    def consent(self, kata: Kata) -> str:
        """When a person is asked before a run, in a few words."""
        return consent.told(kata, self.always, self.trusted(kata))

    @property
    def always(self) -> bool:
        """Whether the owner wants to be asked before every run of a kata that is not trusted."""
        return self.settings.ask == "always"

    def trusted(self, kata: Kata) -> bool:
        """Whether a person trusts this revision."""
        return (kata.id, kata.version.spec.digest) in self.store.trusted()

    def bound(self, kata: Kata) -> dict[str, str]:
        """The variables that a person named for secret inputs: input → variable."""
        found = {one.name: self.store.noted(binding(kata, one.name)) for one in secrecy.fields(kata.version.spec)}
        return {name: variable for name, variable in found.items() if variable}

    def filled(self, kata: Kata, given: Mapping[str, Json]) -> dict[str, Json]:
        """The arguments with what the environment holds for secret inputs that the caller does not give; InputError where nothing."""
        return secrecy.filled(kata, given, self.bound(kata), self.door.secret)

    def validated(
        self, spec: Spec, exhibits: Sequence[Example], revision: bool = False, taught: bool = False, forced: bool = False
    ) -> tuple[Check, ...]:
        """Every check of the validator, with the tools as they are today; no real tool is called (K56). A `revision` is of what a person
        approved before, and what a person `taught` or `forced` rests on less."""
        schemas = {step.tool: self.door.schema(step.tool) for step in spec.steps}
        least = 1 if taught or forced else self.settings.min_support
        return validator.validate(spec, exhibits, schemas, self.door.replay, least, self.store.schema, revision, taught, forced)

    def unchecked(self, kata: Kata) -> tuple[str, ...]:
        """The tools of a kata that this process does not know, such as those of a server that only a chat connects: their schema was not
        compared, which is no drift (A18)."""
        return tuple(dict.fromkeys(step.tool for step in kata.version.spec.steps if self.door.schema(step.tool) is None))


def _mark(kata: Kata) -> Mark:
    return kata.id, kata.version.number


@dataclass(frozen=True, slots=True)
class Odd:
    """The example that keeps a routine back: when it was, its step (from 1) that is not as in the others, how it is there and how they do
    it, and how many more conversations like the others it takes."""

    at: float
    conversation: str
    step: int
    was: str
    others: str
    more: int


def _odd(spec: Spec, one: Example, more: int) -> Odd:
    at = min(verdicts.differs(spec, one) or len(spec.steps), len(spec.steps))
    return Odd(one.events[0].started, one.conversation, at, brief(one.calls[at - 1]), templated(spec.steps[at - 1]), more)


def missed(keys: tuple[str, ...], rule: str) -> miner.Routine:
    """A near miss as the miner knows it: where a check of the validator failed, the routine is whole, and its pieces are no better."""
    return miner.Routine(keys, rule, covers=rule in validator.RULES)


def binding(kata: Kata, field: str) -> str:
    """The name under which it is noted from which variable a secret input of a kata is taken."""
    return f"bound {kata.id} {field}"


def revised(kata: Kata, version: Version) -> bool:
    """Whether a version changes what a person approved before."""
    return version.number > 1 and bool(kata.name)
