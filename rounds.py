"""Goes the rounds of mining: counts the turns that wait, looks at the families that they touch, and keeps each verdict; one process at a
time, and what a person decided is never judged anew. A module of its own, because miner.py judges one family and knows no file, and
somebody has to say which family comes next."""

from __future__ import annotations

import math
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from . import books, miner, odds
from .door import Door
from .keeping import Keeping
from .model import Damaged, Example, Kata, NearMiss, Proposal, Turn
from .noticing import Noticing, eased
from .reading import missed
from .settings import Settings
from .store import Store

FAMILIES = 5
"""Families that are scored at the end of a turn; the rest wait."""
COUNTED = 20
"""Turns that are counted in one transaction, and families that are passed over in one: some 20 ms in which nobody else writes."""


@dataclass(frozen=True, slots=True)
class Mined:
    """What a round of mining brought."""

    turns: int
    proposed: tuple[Kata, ...]
    missed: tuple[NearMiss, ...]
    looked: tuple[tuple[str, ...], ...] = ()
    """The families that were looked at, by their keys, in that order."""

    def __add__(self, other: Mined) -> Mined:
        """Both rounds as one."""
        told = (*self.proposed, *other.proposed), (*self.missed, *other.missed)
        return Mined(self.turns + other.turns, *told, (*self.looked, *other.looked))


NOTHING = Mined(0, (), ())


class Rounds(Noticing, Keeping):
    """The rounds, under a lease; of the threads of one process one is at it, too."""

    def __init__(self, store: Store, settings: Settings, door: Door) -> None:
        super().__init__(store, settings, door)
        self._at_it = threading.Lock()

    def mine(self, most: int | None = FAMILIES, until: float = math.inf) -> Mined:
        """Count every turn that waits, oldest first, look at the families that changed, and keep what was found; nothing while another
        process is at it. At most `most` families a turn are scored, the rest wait for the next time, as do those that are not
        scored by the time `until` (epoch seconds); None is all of them. What became dirty meanwhile is looked at once more after the lease
        is given back."""
        found = self._leased(most, until=until)
        if found.turns and self.store.dirty():
            found += self._leased(most, until=until)
        self.tidy()
        return found

    def remine(self) -> Mined:
        """Mine everything that is recorded once more, by the same code; decisions, numbers and names stay. Nothing while another process
        mines."""
        return self._leased(None, anew=True)

    def _leased(self, most: int | None, anew: bool = False, until: float = math.inf) -> Mined:
        if not self._at_it.acquire(blocking=False):
            return NOTHING
        try:
            return self._alone(most, anew, until)
        finally:
            self._at_it.release()

    def _alone(self, most: int | None, anew: bool, until: float) -> Mined:
        self.respell()
        waiting = anew or self.store.dirty() or self.store.family() or self.store.sweeping() or self.turned() or self.stirred()
        if not waiting or not self.store.lease(self.door.owner, self.door.alive, now=self.door.clock()):
            return NOTHING
        try:
            if anew:
                self.store.soil()
            turns = self.store.dirty()
            windows = self._count(turns)
            self.tend(windows)
            return self._look(len(turns), most, until)
        finally:
            self.store.release(self.door.owner)

    def _count(self, turns: Sequence[str]) -> Collection[int]:
        """Count the windows of turns, and queue the families that they touch: of a few turns with each, of most of all there are at the
        end at once; the windows."""
        whole, windows = self.store.sweeping(len(turns)), set[int]()
        for batch in (turns[at : at + COUNTED] for at in range(0, len(turns), COUNTED)):
            with self.store.bundle():
                windows.update(self._counted(batch, whole))
        if whole:
            self.store.sweep(self.settings.min_support)
        return windows

    def _counted(self, names: Sequence[str], whole: bool) -> Collection[int]:
        turns = {name: self._readable(name) for name in names}
        who = ("person", *self.settings.learn_from)
        found = {name: self.windows(turn) if turn and turn.who in who else {} for name, turn in turns.items()}
        self.store.mined_together(found, None if whole else self.settings.min_support)
        for turn in filter(None, turns.values()):
            books.settle(self.store, turn)
        return {window for windows in found.values() for window in windows}

    def _readable(self, name: str) -> Turn | None:
        """The turn; None where it is gone, or another program wrote into its rows: it must not hold up all others."""
        try:
            return self.store.turn(name)
        except Damaged:
            self.store.count("unreadable")
            return None

    def windows(self, turn: Turn) -> miner.Windows:
        """What is counted in a turn."""
        return miner.windows(turn, self.settings.max_steps)

    def _look(self, turns: int, most: int | None, until: float = math.inf) -> Mined:
        """Look at the families in the queue, longest first, until it is empty or enough were scored."""
        look = Look(self)
        left = math.inf if most is None else most * max(1, turns)
        while left > 0 and (until == math.inf or self.door.clock() < until):
            scored = look.on()
            if scored is None and not look.weigh():
                break
            left -= scored or 0
        return Mined(turns, tuple(look.proposed), tuple(look.missed), tuple(look.seen))

    def turned(self) -> dict[tuple[str, ...], tuple[int, str]]:
        """The proposals that chance explains now and did not when judged last, or the other way round: keys → number, and why."""
        doubts = self.doubts()
        changed = [row for row in self.store.undecided() if bool(row["chance"]) != (row["id"] in doubts)]
        return {tuple(row["keys"]): (row["id"], doubts[row["id"]].detail if row["id"] in doubts else "") for row in changed}

    def stirred(self) -> dict[int, int]:
        """Window → steps of the families that chance explained when they were looked at last and explains no more, and of the near misses
        that it explains by now, whatever they failed on."""
        history = odds.History(*self.store.size())
        return {} if history.calls < odds.ENOUGH else self._woken(history) | self._nodding(history)

    def _woken(self, history: odds.History) -> dict[int, int]:
        seen = [times for times, lightest in self.store.sleepers() if not odds.explained(times, lightest, history)]
        rows = ((times, *row) for times in seen for row in self.store.sleeping(times))
        return {window: size for times, window, size, weight in rows if not odds.explained(times, weight, history)}

    def _nodding(self, history: odds.History) -> dict[int, int]:
        rows = [(window, keys, ties) for window, keys, ties in self.store.misfits() if ties]
        weights = self.store.weights([half for _, keys, _ in rows for half in miner.halves(keys)])
        weighed = ((window, keys, odds.heaviest(miner.split(keys, weights), ties)) for window, keys, ties in rows)
        return {window: len(keys) for window, keys, weight in weighed if odds.explained(weights[window], weight, history)}

    def checked(self, found: Proposal) -> Proposal | NearMiss:
        """The proposal when it passes every check, else the one that failed (K55)."""
        checks = self.validated(found.spec, found.exhibits)
        failed = next((check for check in checks if not check.passed), None)
        if failed is None:
            return replace(found, checks=checks)
        return NearMiss(found.keys, failed.name, failed.reason, found.fit.support, found.fingerprint)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a look at a family came to: a proposal, a near miss, or None with the reason; whether it is told at all (a person may have
    decided already)."""

    found: Proposal | NearMiss | None
    otherwise: str = ""
    told: bool = True
    asleep: tuple[int, float] = (0, 0.0)
    """Where chance explains it before a template is learnt: its places, and by which weight (odds.asleep)."""
    ties: tuple[float, ...] = ()
    """What bounds the ties of a near miss, so that chance is asked again without its examples."""


UNTOLD = Verdict(None, told=False)


class Known:
    """What is told about, by window; and found by the keys in it, so that a look at one family does not read all others."""

    def __init__(self, told: Mapping[int, miner.Routine]) -> None:
        self.told = dict(told)
        self.holding: dict[str, set[int]] = {}
        self.declined = {window for window, routine in told.items() if routine.rejected}
        for window, routine in told.items():
            self._index(window, routine)

    def _index(self, window: int, routine: miner.Routine) -> None:
        for key in routine.keys:
            self.holding.setdefault(key, set()).add(window)

    def tell(self, window: int, routine: miner.Routine) -> None:
        self.told[window] = routine
        self._index(window, routine)

    def related(self, keys: tuple[str, ...]) -> list[miner.Routine]:
        """All in which every one of these keys stands, and all that a person declined, by window."""
        inside = set.intersection(*(self.holding.get(key, set()) for key in keys))
        return [self.told[window] for window in sorted(inside | self.declined) if window in self.told]


class Look:
    """One round of looking at families, under the lease: what is told about is read once, and kept up with."""

    def __init__(self, service: Rounds) -> None:
        self.service, self.store, self.settings = service, service.store, service.settings
        self.generation, self.known = self.store.generation(), Known(service.known())
        self.proposed: list[Kata] = []
        self.missed: list[NearMiss] = []
        self.seen: list[tuple[str, ...]] = []
        self.spelled: dict[int, tuple[str, ...]] = {}  # the longer come first, and tell what the shorter inside them are
        self.history = lru_cache(maxsize=1)(lambda: odds.History(*self.store.size()))

    def on(self) -> int | None:
        """Look at the families that come next and keep their verdicts: those that need no score together, up to the first that does.
        How many were scored, at most one; None when no family waits."""
        with self.store.bundle():
            for _ in range(COUNTED):
                waiting = self.store.family()
                if waiting is None:
                    return None
                keys = self._keys(waiting[0])
                verdict = self._early(waiting[0], keys) if keys else UNTOLD
                if verdict is None:
                    break
                self._keep(waiting, keys, verdict)
            else:
                return 0
        verdict = self._scored(waiting[0], keys)  # slow, so that nothing is held meanwhile
        with self.store.bundle():
            self._keep(waiting, keys, verdict)
        return 1

    def _keep(self, waiting: tuple[int, int], keys: tuple[str, ...], verdict: Verdict) -> None:
        if keys:
            self.seen.append(keys)
        if verdict.told:
            self._settle(waiting[0], keys, verdict)
        self.store.looked(*waiting)

    def _keys(self, window: int) -> tuple[str, ...]:
        if self.store.generation() != self.generation:  # somebody decided, or a proposal changed
            self.generation, self.known = self.store.generation(), Known(self.service.known())
        if window in self.known.told:
            return self.known.told[window].keys
        if window not in self.spelled:
            examples = self.store.examples(self.store.occurrences(window, 1))
            keys = miner.spelled(examples[0]) if examples else ()
            self.spelled |= {window: keys} | {miner.window_id(part): part for part in miner.stretches(keys)}
        return self.spelled.pop(window)

    def _early(self, window: int, keys: tuple[str, ...]) -> Verdict | None:
        """The verdict on a family for which no template need be learnt; None where one has to tell."""
        if self.store.decided(miner.fingerprint(keys)):
            return UNTOLD
        if self.store.spread(window, self.settings.min_support) < self.settings.min_support:
            return Verdict(None, f"fewer than {self.settings.min_support} conversations that are kept hold it")
        if miner.covered(keys, self.known.related(keys), self.store.support):
            return Verdict(None, "is a piece of a longer routine, or nearly one that was declined")
        if any(asleep := self._asleep(window, keys)):
            return Verdict(None, "is explained by chance", asleep=asleep)
        return None

    def _scored(self, window: int, keys: tuple[str, ...]) -> Verdict:
        store, related = self.store, self.known.related(keys)
        told = (store.support, store.spread, store.occurrences, store.examples)
        sources = miner.Sources(*told, lambda: related, self.service.checked, store.schema)
        found = miner.mine(keys, sources, self.settings)
        ties = self._ties(window, keys) if isinstance(found, NearMiss) else ()
        return Verdict(found, "says no more than a longer one", ties=ties)

    def _asleep(self, window: int, keys: tuple[str, ...]) -> tuple[int, float]:
        """The places of a family that is not proposed, and by which weight chance explains it, so that no template need be learnt; zeros
        where that has to tell."""
        told = self.known.told.get(window)
        if self.history().calls < odds.ENOUGH or miner.looped(keys) or told is not None and told.rule in ("", miner.CHANCE):
            return 0, 0.0
        weights = self.store.weights(miner.halves(keys))
        weight = odds.asleep(weights[window], miner.split(keys, weights), self.history(), lambda: self._newest(window, keys))
        return (weights[window], weight) if weight else (0, 0.0)

    def _newest(self, window: int, keys: tuple[str, ...]) -> tuple[Example, ...]:
        found = map(miner.trimmed, self.store.examples(self.store.occurrences(window, odds.CROSSED)))
        return tuple(one for one in found if len(one.events) == len(keys))

    def _ties(self, window: int, keys: tuple[str, ...]) -> tuple[float, ...]:
        return () if miner.looped(keys) else odds.bounds(self._newest(window, keys))

    def _settle(self, window: int, keys: tuple[str, ...], verdict: Verdict) -> None:
        """Keep the verdict; when the family changes sides, its pieces are looked at again."""
        now, before, found = self.service.door.clock(), self.known.told.pop(window, None), verdict.found
        if isinstance(found, Proposal):
            self._propose(window, found, now)
        else:
            fingerprint = miner.fingerprint(keys)
            reason = f"{found.rule}: {found.detail}" if found else verdict.otherwise
            stands = False
            if before or found:
                gone = self.store.withdraw(fingerprint, reason, now)
                self.generation += gone
                stands = before is not None and not before.rule and not gone  # on a person's word: its pieces go with it as before
                self.store.misses({window: found} if found else {}, [fingerprint], verdict.ties)
            if stands and before:
                self.known.tell(window, before)
            elif found:
                self.known.tell(window, missed(keys, found.rule))
                self.missed.append(found)
        self.store.sleep(window, len(keys), *verdict.asleep)
        if before != self.known.told.get(window):
            self.store.again(miner.pieces(keys), self.settings.min_support)

    def _propose(self, window: int, found: Proposal, now: float) -> None:
        found = eased(found, self.store.spec(found.fingerprint))
        ties, loose, weights = miner.ties(found), miner.loose(found.spec), self.store.weights(miner.halves(found.keys))
        others = [one.keys for one in self.known.told.values() if one.covers]
        rule, why = miner.CHANCE, miner.unlikely(found.keys, ties, weights, self.history())
        if not why:
            rule, why = miner.INSIDE, miner.padded(found.keys, loose, others, self.store.spread, self.store.support)
        before = self.store.generation()
        kata = self.store.propose(found, now, window, ties=ties, loose=loose, chance=why)
        self.generation += self.store.generation() - before
        self.known.tell(window, miner.Routine(found.keys, miner.CHANCE if why else "", covers=not why))
        if why:
            self.missed.append(NearMiss(found.keys, rule, why, found.fit.support, found.fingerprint))
        elif kata is not None:
            self.proposed.append(kata)

    def weigh(self) -> bool:
        """Judge what stands by today's counts; whether something changed sides, so that it, or its pieces, wait to be looked at again."""
        self.history.cache_clear()
        changed, stirred = self.service.turned(), self.service.stirred()
        self.store.again(stirred, self.settings.min_support)
        for keys, (kata, why) in changed.items():
            self.store.doubt(kata, why)
            self.store.again(miner.pieces(keys), self.settings.min_support)
        if changed:
            self.known = Known(self.service.known())
        return bool(changed or stirred)
