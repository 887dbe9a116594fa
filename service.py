"""The verbs of Kata, one code path for chat, shell and dashboard: record, mine, review, decide, run; it never speaks to the host and never
decides in a person's place."""

from __future__ import annotations

import math
import re
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import takewhile
from typing import Protocol, TypeVar

from . import (
    books,
    checks,
    consent,
    editing,
    executor,
    familiar,
    lifecycle,
    miner,
    resuming,
    secrecy,
    surroundings,
    teaching,
    templating,
    validator,
    verdicts,
)
from .discretion import Discreet, bearable_all, cut, discreet, masked_call, masked_step, plain
from .effects import STRENGTH, addresses_kata, effect
from .model import (
    PREFIX,
    Call,
    Check,
    Erasure,
    Event,
    Example,
    Json,
    Kata,
    KataError,
    ModelRequest,
    NearMiss,
    OpaqueCommand,
    Outcome,
    Proposal,
    Record,
    Refused,
    RunRow,
    SchemaSeen,
    Settings,
    Spec,
    State,
    Status,
    Step,
    StepCall,
    StepTrace,
    StoreError,
    TemplateError,
    Trace,
    Turn,
    TurnEnd,
    TurnStart,
    Version,
    Wanted,
)
from .redact import MASKER_VERSION, Masker
from .resuming import Rest
from .schemas import masked_schema
from .secrecy import label
from .store import UNDO_S, Brought, Store
from .turns import Line, Session
from .wording import WHOLE, brief, does, templated, visible

TIDY_S = 3_600.0
MEGABYTE = 1_000_000
ROOMY, THINNED = 0.9, 10
"""The share of the wanted size that is left when the oldest turns have gone, and how many go at once."""
REMASKED = 1_000_001
"""Number of the first placeholder that a later look gives, beyond any that a first look gave."""
FAMILIES = 5
"""Families that are scored at the end of a turn; the rest wait (design section 5.8)."""
COUNTED = 20
"""Turns that are counted in one transaction: some 20 ms in which nobody else writes."""
CONVERSATIONS = 200
"""Maskers that are kept; one per conversation."""
QUESTION = 490
"""Characters in which a question must name every step: some 500 are shown (host contract 5)."""
UNLIKE = 3
"""Values unlike the examples that a question names, beside the paths."""
FOLDER = 120
"""Characters of a folder in a question."""
STOPPING_S = 0.05
"""How long a run looks whether it is to stop, before each step."""
EXPLAINED = ("coherence", "confidence", "inputs", "opaque", "saves", "template")
"""Rules that one odd example may break."""
ODDEST = 8
"""Examples among which the one is looked for that keeps a routine back."""
"""What is kept in the place of a value that somebody supplied for one run."""
NAME = re.compile(r"[a-z][a-z0-9_]{0,58}")
RESERVED = frozenset(
    "list resume review approve reject runs status help show disable enable rollback mine near record run forget teach purge learn "
    "stop rename diff audit cleanup trust untrust bind export import relax savings what-if snooze undo wrong edit run "
    "incognito".split()
)
SPELLING = 2
"""How calls are spelled as keys (miner.key): what spells them otherwise gets the next number, and every file is respelled (A29)."""

K = TypeVar("K")
V = TypeVar("V")
Dispatch = Callable[[StepCall], Outcome]
Replay = Callable[[Spec, Mapping[str, Json], Dispatch], Trace]


class Shelf(Protocol):
    """What the host keeps, while it is open to be read."""

    def sessions(self) -> Iterable[Session]: ...

    def lines(self, one: Session) -> Iterable[Line]: ...


class Archive(Protocol):
    """Opens what the host keeps of earlier conversations; StoreError when there is nothing that could be read."""

    def opened(self) -> AbstractContextManager[Shelf]: ...


@dataclass(frozen=True, slots=True)
class Door:
    """What only the outermost layer can tell: the time, what replays, today's tools and which names are taken."""

    clock: Callable[[], float]
    """Epoch seconds."""
    replay: Replay
    """The executor under the production driver, on a stub that answers instead of the tools."""
    schema: Callable[[str], str | None]
    """Fingerprint of a tool's schema today; None where the tool is not known in this process."""
    taken: Callable[[str], bool]
    """Whether a tool name belongs to somebody else."""
    owner: str = "one"
    """This process: pid and start time."""
    alive: Callable[[str], bool] = lambda owner: False
    """Whether the process of that name still runs."""
    watch: Callable[[], float] = lambda: 0.0
    """Epoch seconds for the times of steps; 0 where nobody measures them."""
    parameters: Callable[[str], Json] = lambda tool: None
    """A tool's parameters today; None where the tool is not known in this process."""
    archive: Archive | None = None
    """What the host keeps of earlier conversations; None where it cannot be asked."""
    secret: Callable[[str], str | None] = lambda variable: None
    """What a variable of the environment holds; asked for when a kata runs, for those that a person named."""


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


class Service:
    """One per plugin object; holds the store, the settings and the maskers of the open conversations."""

    def __init__(self, store: Store, settings: Settings, door: Door) -> None:
        self.store, self.settings, self.door = store, settings, door
        self._maskers: OrderedDict[str, Masker] = OrderedDict()
        self._conversations: OrderedDict[str, str] = OrderedDict()
        self._tools: Mapping[str, str] | None = None
        self.doing = ""
        """What takes its time just now, in a few words, for a person who waits."""

    # ── Recording ────────────────────────────────────────────────────────────────────────────────

    def record(self, records: Iterable[Record]) -> None:
        """Keep what happened, masked and cut; one transaction."""
        self.store.add([self.masked(one) for one in records], MASKER_VERSION)

    def bring(self, past: Iterable[Brought]) -> int:
        """Keep turns out of the host's history, masked and cut as any record; one transaction; how many were not there yet."""
        return self.store.bring([self._masked(one) for one in past], MASKER_VERSION)

    def _masked(self, one: Brought) -> Brought:
        start = self.masked(one.start)  # first, because it says whose masker the calls go through
        events = tuple(found for event in one.events if isinstance(found := self.masked(event), Event))
        return replace(one, start=start, events=events) if isinstance(start, TurnStart) else one

    def masked(self, record: Record) -> Record:
        """The record without secrets: the only place where observed text passes before it is written."""
        match record:
            case TurnStart():
                _keep(self._conversations, record.turn, record.conversation, 10 * CONVERSATIONS)
                told = record.turn, record.session, record.conversation, record.platform
                turn, session, conversation, platform = map(label, told)
                message = self._masker(record.turn).text(record.message)
                return TurnStart(turn, session, conversation, platform, record.who, record.at, message)
            case Event():
                masker = self._masker(record.turn)
                outcome = record.outcome
                result = cut(masker.value(plain(outcome.result))) if self.settings.keep_results else None
                return replace(
                    record,
                    call=Call(label(record.call.tool), masker.value(dict(record.call.arguments))),
                    outcome=Outcome(outcome.status, result, masker.text(outcome.reason)),
                    turn=label(record.turn),
                    call_id=label(record.call_id),
                    request=label(record.request),
                    said=label(record.said),
                    folder=masker.text(record.folder),
                    around={name: masker.text(text) for name, text in record.around.items()},
                )
            case ModelRequest():
                return replace(record, turn=label(record.turn), request=label(record.request), model=label(record.model))
            case TurnEnd():
                return replace(record, turn=label(record.turn))
            case SchemaSeen():
                return replace(record, tool=label(record.tool), schema=masked_schema(record.schema))

    def _masker(self, turn: str) -> Masker:
        conversation = self._conversations.get(turn, turn)
        # A conversation that goes on in another process must not give one placeholder to two secrets.
        masker = self._maskers.get(conversation) or Masker(1 + 100 * self.store.length(conversation))
        _keep(self._maskers, conversation, masker, CONVERSATIONS)
        return masker

    # ── Mining ───────────────────────────────────────────────────────────────────────────────────

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
        self.respell()
        waiting = anew or self.store.dirty() or self.store.family() or self.turned()
        if not waiting or not self.store.lease(self.door.owner, self.door.alive):
            return NOTHING
        try:
            if anew:
                self.store.soil()
            turns, windows = self.store.dirty(), set[int]()
            for batch in (turns[at : at + COUNTED] for at in range(0, len(turns), COUNTED)):
                with self.store.bundle():
                    for turn in batch:
                        windows.update(self._count(turn))
            self.tend(windows)
            return self._look(len(turns), most, until)
        finally:
            self.store.release(self.door.owner)

    def _count(self, name: str) -> Collection[int]:
        """Count the windows of a turn, and queue the families that it touches; the windows."""
        turn = self.store.turn(name)
        counted = turn is not None and turn.who in ("person", *self.settings.learn_from)
        found = self.windows(turn) if turn and counted else {}
        self.store.mined(name, found, self.settings.min_support)
        if turn:
            books.settle(self.store, turn)
        return found.keys()

    def windows(self, turn: Turn) -> miner.Windows:
        """What is counted in a turn."""
        return miner.windows(turn, self.settings.max_steps)

    def _look(self, turns: int, most: int | None, until: float = math.inf) -> Mined:
        """Look at the families in the queue, longest first, until it is empty or enough were scored."""
        look = Look(self)
        left = math.inf if most is None else most * max(1, turns)
        while left > 0 and (until == math.inf or self.door.clock() < until):
            waiting = self.store.family()
            if waiting is None and not look.weigh():
                break
            if waiting is not None:
                left -= look.at(*waiting)
        return Mined(turns, tuple(look.proposed), tuple(look.missed), tuple(look.seen))

    def tidy(self) -> int:
        """Forget what is older than the owner wants it kept (K98), at most once an hour; the number of turns that went."""
        now = self.door.clock()
        if now - float(self.store.noted("tidied") or 0) < TIDY_S:
            return 0
        self.store.note("tidied", repr(now))
        gone = self.store.forget(now - self.settings.retention_days * 86_400, self.settings.min_support) + self.thin()
        self.remask()
        return gone

    @property
    def full(self) -> bool:
        """Whether the file holds as much as the owner wants it to hold."""
        return self.store.occupied() >= self.settings.max_mb * MEGABYTE

    def thin(self) -> int:
        """Forget the oldest turns until there is room again, where the file holds more than the owner wants; the number of turns."""
        gone, enough = 0, ROOMY * self.settings.max_mb * MEGABYTE
        while (gone or self.full) and self.store.occupied() > enough:
            found, newest = self.store.thin(THINNED, self.settings.min_support)
            if not found:
                break
            gone += found
            self.store.note("thinned", f"{self.settings.max_mb} {newest!r}")
        return gone

    @property
    def thinned(self) -> float:
        """Up to when (epoch seconds) turns had to go because of their size; 0 where none had to, or more may be kept since."""
        size, _, newest = self.store.noted("thinned").partition(" ")
        return float(newest) if newest and int(size) >= self.settings.max_mb else 0.0

    def remask(self) -> int:
        """Put what an older masker let through to the masker of today; the number of turns that were looked at."""
        maskers: dict[str, Masker] = {}
        waiting = self.store.masked_before(MASKER_VERSION)
        for turn, conversation in waiting:
            masker = maskers.setdefault(conversation, Masker(REMASKED))
            self.store.remask(turn, masker.value, MASKER_VERSION)
        return len(waiting)

    def pause(self, paused: bool) -> None:
        """Stop or resume the recording in every process, from its next turn on (K99); what happens meanwhile is not learnt later either."""
        now = self.door.clock()
        with self.store.bundle():
            self.store.unveil("", now)
            if paused:
                self.store.veil("", now, None)
            self.store.note("paused", "yes" if paused else "")

    @property
    def paused(self) -> bool:
        return self.store.noted("paused") == "yes"

    def known(self) -> dict[int, miner.Routine]:
        """What is told about, by window: near misses, proposals, and what a person decided about."""
        told = [missed(keys, rule) for keys, rule in self.store.shadows()]
        for keys, state, chance in self.store.routines():
            doubtful = bool(chance) and state is State.CANDIDATE
            told.append(miner.Routine(keys, miner.CHANCE if doubtful else "", not doubtful, state is State.REJECTED))
        return {miner.window_id(one.keys): one for one in told}

    def turned(self) -> dict[tuple[str, ...], tuple[int, str]]:
        """The proposals that chance explains now and did not when judged last, or the other way round: keys → number, and why."""
        doubts = self.doubts()
        changed = [row for row in self.store.undecided() if bool(row["chance"]) != (row["id"] in doubts)]
        return {tuple(row["keys"]): (row["id"], doubts[row["id"]].detail if row["id"] in doubts else "") for row in changed}

    def doubts(self) -> dict[int, NearMiss]:
        """The proposals that chance explains by today's counts (design section 5.6), by number: they are told as near misses, and come
        back when they pass."""
        rows = self.store.undecided()
        history = miner.History(*self.store.size()) if rows else miner.History(0, 0)
        wanted = [window for row in rows for window in miner.halves(tuple(row["keys"]))] if history.calls >= miner.ENOUGH else []
        weights, found = self.store.weights(wanted), {}
        others = [keys for keys, state, chance in self.store.routines() if not chance or state is not State.CANDIDATE] if rows else []
        for row in rows:
            keys = tuple(row["keys"])
            why = miner.padded(keys, row["loose"], others, self.store.spread, self.store.support)
            rule, why = (miner.INSIDE, why) if why else (miner.CHANCE, miner.unlikely(keys, row["ties"], weights, history))
            if why:
                found[int(row["id"])] = NearMiss(keys, rule, why, row["fit"]["support"], row["fingerprint"])
        return found

    def checked(self, found: Proposal) -> Proposal | NearMiss:
        """The proposal when it passes every check, else the one that failed (K55)."""
        checks = self.validated(found.spec, found.exhibits)
        failed = next((check for check in checks if not check.passed), None)
        if failed is None:
            return replace(found, checks=checks)
        return NearMiss(found.keys, failed.name, failed.reason, found.fit.support, found.fingerprint)

    def validated(self, spec: Spec, exhibits: Sequence[Example], revision: bool = False, taught: bool = False) -> tuple[Check, ...]:
        """Every check of the validator, with the tools as they are today; no real tool is called (K56). A `revision` is of what a person
        approved before, and what a person `taught` rests on less."""
        schemas = {step.tool: self.door.schema(step.tool) for step in spec.steps}
        least = 1 if taught else self.settings.min_support
        return validator.validate(spec, exhibits, schemas, self.door.replay, least, self.store.schema, revision, taught)

    def unchecked(self, kata: Kata) -> tuple[str, ...]:
        """The tools of a kata that this process does not know, such as those of a server that only a chat connects: their schema was not
        compared, which is no drift (A18)."""
        return tuple(dict.fromkeys(step.tool for step in kata.version.spec.steps if self.door.schema(step.tool) is None))

    def check(self) -> None:
        """Write one small row and count what ended processes could not write; StoreError when the file cannot be used."""
        self.store.note("checked", repr(self.door.clock()))
        self.store.inherit(self.door.alive)

    # ── Looking ──────────────────────────────────────────────────────────────────────────────────

    def katas(self) -> tuple[Kata, ...]:
        """Proposals and everything that was one, by number, without the rejected, the snoozed and what chance explains now."""
        hidden = {*self.doubts(), *self.snoozed()}
        return tuple(kata for kata in self.store.katas() if kata.state is not State.REJECTED and kata.id not in hidden)

    def snoozed(self) -> dict[int, float]:
        """The proposals that nobody wants to see for now, by number, and until when (epoch seconds)."""
        waiting = {kata.id for kata in self.store.katas((State.CANDIDATE,))}
        return {kata: until for kata, until in self.store.snoozed(self.door.clock()).items() if kata in waiting}

    def doubt(self, kata: Kata) -> str:
        """Why chance explains a proposal by today's counts; empty when it does not. A person may approve it all the same."""
        doubts = self.doubts()
        return doubts[kata.id].detail if kata.id in doubts else ""

    def near(self) -> tuple[NearMiss, ...]:
        """What was seen and is not proposed, best supported first, with what only chance explains now."""
        return tuple(sorted((*self.store.near(), *self.doubts().values()), key=lambda one: (-one.support, one.fingerprint)))

    def noticed(self, kata: Kata) -> str:
        """What was noticed about an active kata and is no reason to take it away: one manual run that it does not reproduce (A27)."""
        window = self.store.watched().get(kata.id, (0, ()))[0]
        if kata.state is not State.ACTIVE or not misfits(kata.version.spec, self.by_hand(kata, window)):
            return ""
        return "the last time it was done by hand it was done in another way; once more, and the kata is stale"

    def odd(self, miss: NearMiss) -> Odd | None:
        """The one conversation without which the others would be a proposal: where it differs, and what the others did there."""
        if miss.rule not in EXPLAINED:
            return None
        places = self.store.occurrences(miner.window_id(miss.keys), ODDEST)
        examples = [one for one in map(miner.trimmed, self.store.examples(places)) if miner.spelled(one) == miss.keys]
        lenient = replace(self.settings, min_confidence=0.0)
        for one in examples if len(examples) > 2 else ():
            rest = tuple(other for other in examples if other is not one)
            found = miner.score(miner.Family(rest, len(rest), miss.keys), lenient)
            if isinstance(found, Proposal):
                return _odd(found.spec, one, max(1, self.settings.min_support - len(rest)))
        return None

    def active(self) -> tuple[Kata, ...]:
        """The katas that the agent may call (K84): those whose revision a person approved, as the audit log says (T42)."""
        return tuple(kata for kata in self.store.katas((State.ACTIVE,)) if self.store.approved(kata.id, kata.version.spec.digest))

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

    def find(self, word: str) -> Kata:
        """The kata of that number, name or tool name; Refused when there is none."""
        name = word.removeprefix(PREFIX)
        number = int(word) if re.fullmatch(r"[0-9]{1,9}", word) else 0
        found = self.store.kata(number) if number else self.store.named(name)
        if number and found is None and (reason := self.store.withdrawn(number)):
            raise Refused(f"The proposal {word} was taken back, because new evidence speaks against it: {reason}")
        if found is None:
            names = [kata.tool or str(kata.id) for kata in self.katas()]
            known = ", ".join([*names[:10], *["…"] * (len(names) > 10)]) or "none yet"
            raise Refused(f"There is no kata {word!r}; known: {known}")
        return found

    @property
    def busy(self) -> bool:
        """Whether somebody mines just now."""
        return bool(self.store.noted("miner"))

    def versions(self, kata: Kata) -> tuple[Version, ...]:
        """Every version that is kept (K89), newest first."""
        return self.store.versions(kata.id)

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
        """One line about the newest proposal that nobody was told of, each told once (A40); never an observed value."""
        told = self.store.noted("told").split()
        new = [kata for kata in self.katas() if kata.state is State.CANDIDATE and str(kata.id) not in told and not kata.version.fit.taught]
        if not new:
            return None
        self.store.note("told", " ".join([*told, *(str(kata.id) for kata in new)]))
        fit, steps = new[-1].version.fit, len(new[-1].version.spec.steps)
        lead = "hermes kata" if platform in ("", "cli") else "/kata"
        return f"Kata: a routine of {steps} steps, seen in {fit.support} conversations, could be one tool. Look: {lead} review {new[-1].id}"

    # ── Teaching ─────────────────────────────────────────────────────────────────────────────────

    def teach(self, session: str, last: int, vary: Mapping[str, str]) -> tuple[Kata, tuple[str, ...]]:
        """Make a candidate of the calls of the last turn of a session (empty: of the newest turn), or of the `last` calls where that is not
        0, and what was left out; taught before, it is refined by this example. Refused, with the reason, when it cannot be one (T22)."""
        turns = self.store.recent(session, max(1, last))
        events = [event for turn in reversed(turns) for event in turn.events][-last:] if last else list(turns[0].events) if turns else []
        if not events:
            raise Refused("No call is recorded here yet: let the agent do it once, then teach it")
        found = teaching.lesson(turns[0].conversation, turns[0].id, events)
        known = self.store.alike(miner.fingerprint(found.keys))
        if known and (known.state is not State.CANDIDATE or not known.version.fit.taught):
            does = "a proposal already" if known.state is State.CANDIDATE else f"{known.state} {known.tool}".strip()
            raise Refused(f"These steps are kata {known.id}, {does}: look at it with 'show {known.id}'")
        version = known.version if known else None
        before = Proposal(version.spec, known.fingerprint, version.fit, version.exhibits) if known and version else None
        made = teaching.taught(found, vary, before)
        checks = self.validated(made.spec, made.exhibits, taught=True)
        if failed := [check for check in checks if not check.passed]:
            raise Refused(f"These calls cannot be one tool: {'; '.join(check.reason for check in failed)}")
        kata = self.store.propose(replace(made, checks=checks), self.door.clock(), miner.window_id(made.keys)) or known
        if kata is None:
            raise Refused("These steps were decided about just now; nothing was taught")
        return kata, found.left

    def adopt(self, made: Proposal) -> Kata:
        """Keep what came from somebody else as a candidate, its effects judged and its tools as they are here (T71). Refused, with the
        reason, when it fails a check or is known already."""
        here = tuple(
            replace(step, effect=miner.judged(step.tool, step.arguments), schema=self.door.schema(step.tool) or "")
            for step in made.spec.steps
        )
        keys = miner.spelled(made.exhibits[0])
        made = replace(made, spec=replace(made.spec, steps=here), keys=keys, fingerprint=miner.fingerprint(keys))
        if known := self.store.alike(made.fingerprint):
            raise Refused(f"These steps are kata {known.id} already: look at it with 'show {known.id}'")
        checks = self.validated(made.spec, made.exhibits, taught=True)
        if failed := [check for check in checks if not check.passed]:
            raise Refused(f"It cannot be a kata here: {'; '.join(check.reason for check in failed)}")
        kata = self.store.propose(replace(made, checks=checks), self.door.clock(), miner.window_id(keys))
        if kata is None:
            raise Refused("These steps were decided about just now; nothing was imported")
        return kata

    # ── Deciding ─────────────────────────────────────────────────────────────────────────────────

    def approve(self, word: str, name: str, surface: str, digest: str = "", confirm: str = "") -> Kata:
        """Make the revision that was shown last a tool (K4, K19, K90). `digest` stands for a review where a script
        approves; it may be shortened to 8 characters or more. `confirm` is the name once more, where a step destroys something (T44)."""
        kata = self.find(word)
        lifecycle.after("approve", kata)
        wanted = self.chosen(name or kata.name, kata)
        shown = self._agreed(kata, surface, digest)
        self._confirmed(kata, wanted, confirm)
        self._passes(kata, kata.version)
        books.keep(self.store, kata)
        return self._decide(kata, "approve", surface, shown, name=wanted, approved=True)

    def _confirmed(self, kata: Kata, wanted: str, confirm: str) -> None:
        """Refuse to approve what destroys something unless its name was typed twice (T44)."""
        numbers = [str(at) for at, step in enumerate(kata.version.spec.steps, 1) if destroys(step)]
        if numbers and confirm.removeprefix(PREFIX) != wanted:
            steps = f"Step{'s' * (len(numbers) > 1)} {', '.join(numbers)} of kata {kata.id} can destroy something"
            got = f", got {confirm[:60]!r}" if confirm else ""
            raise Unconfirmed(f"{steps}. If you want that, type its name once more: approve {kata.id} as {wanted} confirm {wanted}{got}")

    def _agreed(self, kata: Kata, surface: str, digest: str) -> str:
        """The whole digest of what was shown, which must be what is there now."""
        now = kata.version.spec.digest
        shown = self.store.shown(surface, kata.id) if not digest else now if len(digest) >= 8 and now.startswith(digest.lower()) else digest
        if not shown:
            raise Unseen(f"Kata {kata.id} was not reviewed here yet")
        if shown != now:
            raise Unseen(f"Kata {kata.id} is now revision {now[:12]}, not {shown[:12]}")
        return shown

    def chosen(self, name: str, kata: Kata) -> str:
        """The name without prefix, when it may be used for `kata`; Refused says what a name looks like."""
        wanted = name.removeprefix(PREFIX)
        if wanted in RESERVED:
            raise Refused(f"The name {wanted!r} is a command of Kata; choose another")
        if not NAME.fullmatch(wanted):
            raise Refused(f"Expected a name of small letters, digits and _ that begins with a letter, at most 59 characters, got {name!r}")
        secrecy.unspoken(wanted)
        other = self.store.named(wanted)
        if other is not None and other.id != kata.id:
            raise Refused(f"The name {wanted!r} is taken by kata {other.id}; choose another")
        if other is None and self.door.taken(PREFIX + wanted):
            raise Refused(f"A tool {PREFIX + wanted} exists already and is not ours; choose another name")
        return wanted

    def reject(self, word: str, surface: str) -> Kata:
        """Decline a proposal for good (K88)."""
        return self._decide(self.find(word), "reject", surface)

    def snooze(self, word: str, surface: str) -> Kata:
        """Put a proposal away for 30 days; then it is told about once more (T68)."""
        kata = self._decide(self.find(word), "snooze", surface, detail="for 30 days")
        self.store.note("told", " ".join(one for one in self.store.noted("told").split() if one != str(kata.id)))
        return kata

    def wrong(self, word: str, surface: str) -> Kata:
        """Say that a run did what was wrong: its kata is a proposal again (T68). Refused where the kata was changed since."""
        run = self.store.run(word)
        kata = self.store.kata(run.kata) if run else None
        if run is None or kata is None:
            raise Refused(f"There is no run {word[:40]!r} of a kata that is still there")
        lifecycle.after("wrong", kata)
        if run.digest != kata.version.spec.digest:
            now = kata.version.spec.digest[:12]
            raise Refused(f"Run {run.id} was of revision {run.digest[:12]}; {kata.tool} is {now} now, of which no run was called wrong")
        return self._decide(kata, "wrong", surface, detail=f"run {run.id} did what was wrong")

    def edit(self, word: str, words: Sequence[str], surface: str) -> Kata:
        """Change what a kata under review is like (T69): its next version, after every check, which waits for an approval. Mining puts
        nothing in its place."""
        kata = self.find(word)
        lifecycle.after("edit", kata)
        secrecy.unspoken(" ".join(words[3:] if words[0].lower() == "input" else words[1:]))
        spec, exhibits = editing.edited(kata.version.spec, kata.version.exhibits, words)
        if (spec, exhibits) == (kata.version.spec, kata.version.exhibits):
            raise Refused("That is how it is already")
        found = self.validated(spec, exhibits, revised(kata, kata.version), bool(kata.version.fit.taught))
        self._all_passed(kata, kata.version, found)
        proposal = Proposal(spec, kata.fingerprint, kata.version.fit, exhibits, found)
        digest, now = kata.version.spec.digest, self.door.clock()
        return self.store.edit(kata.id, proposal, digest=digest, actor=surface, now=now, detail=words[0].lower())

    def undo(self, surface: str) -> tuple[Kata, str]:
        """Take back the last decision of a person, up to a day later (T68): the kata as it was before, and the verb. Refused where that
        decision cannot be taken back, or its kata was changed since; what comes back into use passes every check first."""
        found = self.store.last()
        if found is None:
            raise Refused("There is no decision to take back")
        row, before = found
        if before is None:
            raise Refused(f"The last decision was {row.verb!r}, which cannot be taken back")
        if self.door.clock() - row.at > UNDO_S:
            raise Refused(f"The last decision, {row.verb!r}, is more than 24 hours old; it stays")
        kata = self.store.kata(before["kata"])
        version = self.store.version(before["kata"], before["version"])
        if kata is None or version is None:
            raise Refused(f"What was decided about by {row.verb!r} is not there any more")
        if before["state"] == State.ACTIVE.value and row.before != row.after:
            self._passes(kata, version)
        if before["name"]:
            self.chosen(before["name"], kata)
        done = self.store.undo(before, surface, self.door.clock())
        self._stir(done, row.verb)
        return done, row.verb

    def disable(self, word: str, surface: str) -> Kata:
        """Take a kata away from the agent (K87)."""
        return self._decide(self.find(word), "disable", surface)

    def enable(self, word: str, surface: str) -> Kata:
        """Give a kata back that is disabled, suspended or stale, after every check (K87, A28)."""
        kata = self.find(word)
        lifecycle.after("enable", kata)
        if not self.store.approved(kata.id, kata.version.spec.digest):
            raise Refused(f"Nobody approved version {kata.version.number} of kata {kata.id} yet: {self._ways(kata)}")
        self._passes(kata, kata.version)
        return self._decide(kata, "enable", surface)

    def _ways(self, kata: Kata) -> str:
        """What can be done about a version that waits for an approval."""
        earlier = [one.number for one in self.versions(kata) if one.number != kata.version.number and self._usable(kata, one)]
        back = f"; or 'rollback {kata.name} {earlier[0]}' takes the one before" if earlier else ""
        return f"'review {kata.id}', then 'approve {kata.id}'{back}"

    def _usable(self, kata: Kata, version: Version) -> bool:
        """Whether a person approved that version, as the row and the audit log say (T42)."""
        return version.approved is not None and self.store.approved(kata.id, version.spec.digest)

    def rollback(self, word: str, number: int, surface: str) -> Kata:
        """Go back to an approved version, after every check with the tools as they are today (K91, A30)."""
        kata = self.find(word)
        lifecycle.after("rollback", kata)
        version = self.version(kata, number)
        if kata.state is State.ACTIVE and version.number == kata.version.number:
            raise Refused(f"{kata.tool} is at version {number} already")
        if not self._usable(kata, version):
            usable = ", ".join(str(one.number) for one in self.versions(kata) if self._usable(kata, one)) or "none"
            raise Refused(f"Version {number} of kata {kata.id} was never approved; approved: {usable}")
        self._passes(kata, version)
        return self._decide(kata, "rollback", surface, version=number, detail=f"from version {kata.version.number} to {number}")

    def version(self, kata: Kata, number: int) -> Version:
        """That version of a kata; Refused names those that there are."""
        found = self.store.version(kata.id, number)
        if found is None:
            there = ", ".join(str(one.number) for one in reversed(self.versions(kata)))
            raise Refused(f"Kata {kata.id} has no version {number}; it has {there}")
        return found

    def rename(self, word: str, name: str, surface: str) -> Kata:
        """Give a kata another name; running chats know it by that from their next message on."""
        kata = self.find(word)
        lifecycle.after("rename", kata)
        wanted = self.chosen(name.lower(), kata)
        if wanted == kata.name:
            raise Refused(f"{kata.tool} has that name already")
        return self._decide(kata, "rename", surface, name=wanted)

    def trust(self, word: str, surface: str) -> Kata:
        """Let this revision run without asking, where the setting `ask` or another folder would ask (T40); Refused for all that does more
        than read and write locally."""
        kata = self.find(word)
        if kata.state is not State.ACTIVE:
            raise Refused(f"Kata {kata.id} is {kata.state}; only a kata that the agent may call can be trusted")
        if why := consent.barred(kata):
            raise Refused(f"{kata.tool} {why}")
        if self.trusted(kata):
            raise Refused(f"{kata.tool} is trusted already")
        return self._marked(kata, "trust", surface)

    def untrust(self, word: str, surface: str) -> Kata:
        """Take that trust back."""
        kata = self.find(word)
        if not self.trusted(kata):
            raise Refused(f"{kata.tool or f'Kata {kata.id}'} is not trusted; there is nothing to take back")
        return self._marked(kata, "untrust", surface)

    def bind(self, word: str, field: str, variable: str, surface: str) -> Kata:
        """Name the variable of the environment from which a secret input of a kata is taken when it runs (T43); an empty `variable` takes
        that back. The name is kept, never what the variable holds; what is no variable here is refused and not repeated, because a shell
        puts the secret itself in the place of `$NAME`."""
        kata = self.find(word)
        known = [one.name for one in secrecy.fields(kata.version.spec)]
        if field not in known:
            raise Refused(f"{kata.tool or f'Kata {kata.id}'} has no secret input {field!r}; it has {', '.join(known) or 'none'}")
        if variable and (not secrecy.VARIABLE.fullmatch(variable) or self.door.secret(variable) is None):
            raise Refused("Nothing was kept: expected the name of a variable that is set in the environment of Hermes, without '$'")
        with self.store.bundle():
            done = self._marked(kata, "bind", surface, f"{field} from ${variable}" if variable else f"{field} is given by the caller")
            self.store.note(_bound(kata, field), variable)
        return done

    def bound(self, kata: Kata) -> dict[str, str]:
        """The variables that a person named for secret inputs: input → variable."""
        found = {one.name: self.store.noted(_bound(kata, one.name)) for one in secrecy.fields(kata.version.spec)}
        return {name: variable for name, variable in found.items() if variable}

    def filled(self, kata: Kata, given: Mapping[str, Json]) -> dict[str, Json]:
        """The arguments with what the environment holds for secret inputs that the caller does not give; InputError where nothing."""
        return secrecy.filled(kata, given, self.bound(kata), self.door.secret)

    def _marked(self, kata: Kata, verb: str, surface: str, detail: str = "") -> Kata:
        """Write a decision down that leaves the kata in its state."""
        state, digest, now = kata.state, kata.version.spec.digest, self.door.clock()
        left = self.store.transition
        return left(kata.id, before=(state,), after=state, digest=digest, actor=surface, verb=verb, now=now, detail=detail)

    def trusted(self, kata: Kata) -> bool:
        """Whether a person trusts this revision."""
        return (kata.id, kata.version.spec.digest) in self.store.trusted()

    def relax(self, word: str, check: str, surface: str) -> Kata:
        """Let one learnt check of a kata not count any more (T50): its next version, after every check of the validator. What is in use
        goes on with it; all else waits for an approval. What is mined later keeps it relaxed."""
        kata = self.find(word)
        if kata.state is State.REJECTED:
            raise Refused(f"Kata {kata.id} is rejected; nothing is expected of it")
        spec = _relaxed(kata, check)
        found = self.validated(spec, kata.version.exhibits, revised(kata, kata.version), bool(kata.version.fit.taught))
        self._all_passed(kata, kata.version, found)
        digest, now = kata.version.spec.digest, self.door.clock()
        return self.store.relax(kata.id, spec, found, digest=digest, actor=surface, now=now, detail=f"check {check}")

    def forget(self, word: str, surface: str) -> Kata:
        """Lift a rejection: it is a proposal again, as far as what is recorded still speaks for it (A29)."""
        return self._decide(self.find(word), "forget", surface)

    def erasable(self, kind: str, word: str) -> Erasure:
        """What `purge` would take: what belongs to a "conversation", or uses a "tool", or holds a "path" or a "text"."""
        return self.store.erasable(Wanted(kind, word))

    def purge(self, kind: str, word: str, surface: str) -> Erasure:
        """Erase what `erasable` lists, the examples in proposals and katas with it; what is left is looked at again."""
        return self.store.purge(Wanted(kind, word), surface, self.door.clock(), self.settings.min_support)

    def cleanup(self) -> tuple[str, ...]:
        """Erase everything that Kata keeps, its file too; the files that went."""
        self._maskers.clear()
        self._conversations.clear()
        self._tools = None
        return self.store.remove()

    def _passes(self, kata: Kata, version: Version) -> None:
        checks = self.validated(version.spec, version.exhibits, revised(kata, version), bool(version.fit.taught))
        self._all_passed(kata, version, checks)

    def _all_passed(self, kata: Kata, version: Version, checks: Sequence[Check]) -> None:
        failed = [check for check in checks if not check.passed]
        if failed:
            reasons = "; ".join(f"{check.name}: {check.reason}" for check in failed)
            which = f"Version {version.number} of kata" if version.number != kata.version.number else "Kata"
            raise Refused(f"{which} {kata.id} does not pass every check any more: {reasons}")

    def _decide(
        self,
        kata: Kata,
        verb: str,
        surface: str,
        digest: str = "",
        *,
        name: str | None = None,
        approved: bool = False,
        version: int | None = None,
        detail: str = "",
    ) -> Kata:
        """Make the transition of the table; of two that decide at once one wins."""
        done = self.store.transition(
            kata.id,
            before=(kata.state,),
            after=lifecycle.after(verb, kata),
            digest=digest or kata.version.spec.digest,
            actor=surface,
            verb=verb,
            now=self.door.clock(),
            name=name,
            approved=approved,
            version=version,
            detail=detail,
        )
        self._stir(kata, verb)
        return done

    def _stir(self, kata: Kata, verb: str) -> None:
        """Let what a decision bears on be looked at again."""
        known = self.known().values()
        keys = next((one.keys for one in known if miner.fingerprint(one.keys) == kata.fingerprint), ())
        own = {miner.window_id(keys): len(keys)} if verb == "forget" and keys else {}
        self.store.again({**miner.neighbours(keys, known), **own}, self.settings.min_support)

    # ── Noticing ─────────────────────────────────────────────────────────────────────────────────

    def tend(self, windows: Collection[int] = ()) -> None:
        """Take katas out of use whose tools an agent process saw changed (A18), or whose routine, in one of those windows, is done by hand
        in a way that they do not reproduce (A27); prepare a revision for those that are stale (K85)."""
        watched, tools = self.store.watched(), self.store.tools()
        touched = {kata for kata, (window, _) in watched.items() if window in windows or tools != self._tools}
        for kata in self.store.katas((State.ACTIVE, State.STALE)) if touched else ():
            if kata.id in touched:
                self._tended(kata, *watched[kata.id], tools)
        self._tools = tools

    def _tended(self, kata: Kata, window: int, keys: tuple[str, ...], tools: Mapping[str, str]) -> None:
        if kata.state is State.ACTIVE:
            drift, fresh = self._drift(kata.version.spec, tools), self.by_hand(kata, window)
            if drift:
                kata = self._noticed(kata, "drift", drift)
            elif misfits(kata.version.spec, fresh) >= lifecycle.MISFITS:
                kata = self._noticed(kata, "misfit", f"in {lifecycle.MISFITS} conversations in a row it was done by hand in another way")
        if kata.state is State.STALE and (found := self._revision(kata, window, keys, tools)):
            found = eased(found, kata.version.spec)
            self.store.prepare(replace(found, checks=self.validated(found.spec, found.exhibits, revision=True)), self.door.clock())

    def _noticed(self, kata: Kata, verb: str, why: str) -> Kata:
        """The kata after what Kata found out by itself; as it is now when somebody was faster."""
        try:
            return self._decide(kata, verb, "system", detail=why)
        except Refused:
            return self.store.kata(kata.id) or kata

    def drifted(self, kata: Kata, schemas: Mapping[str, str | None]) -> str:
        """Take an active kata out of use when a tool has another schema (tool → fingerprint as an agent process sees it now; None where it
        is missing, which is no drift); why, or nothing."""
        why = self._drift(kata.version.spec, {tool: now for tool, now in schemas.items() if now})
        if why and kata.state is State.ACTIVE:
            self._noticed(kata, "drift", why)
        return why

    def _drift(self, spec: Spec, tools: Mapping[str, str]) -> str:
        found = (validator.drift(step.tool, step.schema, tools.get(step.tool), self.store.schema)[0] for step in spec.steps)
        return "; ".join(dict.fromkeys(one for one in found if one))

    def by_hand(self, kata: Kata, window: int) -> tuple[Example, ...]:
        """The latest time of each conversation that the routine was done by hand since the kata was put into use, newest first."""
        standing = self.store.standing(kata.id)
        whole = self.store.steps(kata.id) in (0, len(kata.version.spec.steps))  # whoever dropped a step does it by hand all the same
        if standing is None or not self.settings.keep_results or not whole:
            return ()
        found = (miner.trimmed(one) for one in self.store.examples(self.store.occurrences(window, miner.SCORED)))
        return tuple(one for one in found if one.events and one.events[0].started > standing[1])

    def _revision(self, kata: Kata, window: int, keys: tuple[str, ...], tools: Mapping[str, str]) -> Proposal | None:
        """What would fit: learnt from the old and the new examples together, else from two or more new ones, else the same steps where the
        recorded calls suit the changed tool."""
        standing = self.store.standing(kata.id)
        if standing is None:
            return None
        version, fresh = standing[0], self.by_hand(kata, window)
        news = [one for one in fresh if not reproduces(version.spec, one) or self._drift(version.spec, _schemas(one))]
        if len(news) >= lifecycle.MISFITS:
            lenient = replace(self.settings, min_confidence=0.0)
            for examples in ((*news, *version.exhibits)[: miner.SCORED], tuple(news)):
                found = miner.score(miner.Family(tuple(examples), len(examples), keys), lenient)
                if isinstance(found, Proposal) and not self._drift(found.spec, tools):
                    return replace(found, fingerprint=kata.fingerprint)
        return self._adjusted(kata, version, tools) if self._drift(version.spec, tools) else None

    def _adjusted(self, kata: Kata, version: Version, tools: Mapping[str, str]) -> Proposal | None:
        """The same steps with the tools as they are now; None where the recorded calls do not suit them."""
        now = {step.tool: self.store.schema(tools.get(step.tool, "")) for step in version.spec.steps}
        calls = [call for one in version.exhibits for call in one.calls if self._drift(version.spec, {call.tool: tools.get(call.tool, "")})]
        if not all(suits(call.arguments, now.get(call.tool)) for call in calls):
            return None
        steps = tuple(replace(step, schema=tools.get(step.tool) or step.schema) for step in version.spec.steps)
        return Proposal(replace(version.spec, steps=steps), kata.fingerprint, version.fit, version.exhibits)

    def heed(self, kata: int) -> None:
        """Suspend a kata of which three runs in a row failed since it was put into use (A28)."""
        found, standing = self.store.kata(kata), self.store.standing(kata)
        if found is None or standing is None or found.state is not State.ACTIVE:
            return
        count = self.store.failures(kata, standing[1])
        if count >= lifecycle.FAILURES:
            self._noticed(found, "fail", f"{count} runs in a row failed; 'runs {found.name}' shows them")

    def respell(self, spelled: Callable[[Example], tuple[str, ...]] = miner.spelled, number: int = SPELLING) -> int:
        """Bring the identities of all routines to today's spelling of calls, so that what was rejected stays rejected (A29); how many
        changed. The parser's version that they were spelled with is kept in the file."""
        if int(self.store.noted("spelling") or 1) >= number:
            return 0
        with self.store.bundle():
            changed = self.store.respell(spelled, lambda keys: (miner.fingerprint(keys), miner.window_id(keys)))
            self.store.note("spelling", str(number))
            self.store.soil()
        return changed

    # ── Running ──────────────────────────────────────────────────────────────────────────────────

    def start(
        self,
        kata: Kata,
        given: Mapping[str, Json],
        run_id: str,
        session: str,
        dispatch: Dispatch,
        folder: str = "",
        around: Mapping[str, Json] | None = None,
    ) -> Trace:
        """Run a kata step by step and keep a row of it; a row is written before each step with an effect (K70, K75).
        InputError, before anything runs, when the arguments do not fit; Refused when it runs in that folder already (T45)."""
        spec = kata.version.spec
        known = {one.key: around[one.key] for one in surroundings.needed(spec) if around and one.key in around}
        execution = executor.run(spec, given, self.settings.read_retries, around=known)
        masker = discreet(kata.version, inputs := executor.check_inputs(spec, given))
        row = self._row(kata, masker.value(bearable_all({**given, **known})), run_id, session, masker.text(folder))
        return self._carried(row, Logbook(self.store, row, spec, masker, inputs), execution, dispatch)

    def left(self, word: str, supplied: Mapping[str, Json] | None = None, session: str | None = None, said: str = "") -> Rest:
        """What is left of a stopped run (A21, T53). `supplied` are values that were not kept, by the names a refusal gave; `session` is
        that of an agent that asks, None for a person; `said` is what a person found out about a step of unknown outcome (`DONE`, `UNDONE`).
        Refused, with the reason, when it may not go on."""
        run = self.store.run(word)
        if run is None:
            raise Refused(f"There is no run {word[:40]!r}")
        if session is not None and not self.store.together(run.session, session):
            raise Refused(f"Run {run.id} belongs to another conversation; a person can resume it: hermes kata resume {run.id}")
        self._stopped(run)
        kata = self._unchanged(run)
        spec, schema = kata.version.spec, executor.input_schema(kata.version.spec)
        values = validator.coerced(self.filled(kata, supplied or {}), schema)
        known = {one.name for one in spec.inputs}
        own = {**surroundings.parted(run.inputs)[0], **{name: value for name, value in values.items() if name in known}}
        found = resuming.rest(kata, run, resuming.reached(run, spec, said), executor.check_inputs(spec, own), values)
        return replace(found, earlier=tuple(self._earlier(run)))

    def _earlier(self, run: RunRow) -> Iterator[RunRow]:
        """The runs that this one went on with, newest first."""
        while run.resumes and (before := self.store.run(run.resumes)):
            yield (run := before)

    def _stopped(self, run: RunRow) -> None:
        """Refuse a run that came to its end, still runs, went on already, or stopped too long ago."""
        if run.status is Status.OK:
            raise Refused(f"Run {run.id} came to its end; there is nothing to resume")
        if run.finished is None and self.door.alive(run.owner):
            raise Refused(f"Run {run.id} may still be running; 'hermes kata stop {run.id}' stops it before its next step")
        if later := self.store.resumed(run.id):
            raise Refused(f"Run {run.id} was resumed already, as run {later}; go on from that one")
        if self.door.clock() - (run.finished or run.started) > resuming.VALID_S:
            raise Refused(f"Run {run.id} stopped more than 24 hours ago; call {run.tool} anew")

    def _unchanged(self, run: RunRow) -> Kata:
        """The kata of a run, which must be what it was then, and still approved (T42)."""
        kata = self.store.kata(run.kata)
        if kata is None or kata.state is not State.ACTIVE:
            state = kata.state.value if kata else "gone"
            raise Refused(f"{run.tool} is {state} now, so run {run.id} cannot go on")
        now = kata.version.spec.digest
        if now != run.digest or not self.store.approved(kata.id, now):
            raise Refused(f"{run.tool} was changed since run {run.id} (revision {run.digest[:12]}, now {now[:12]}); call it anew")
        return kata

    def resume(self, rest: Rest, run_id: str, session: str, dispatch: Dispatch) -> Trace:
        """Go on with a stopped run as a new one, which holds what the old one did too; Refused when somebody was faster. What was supplied
        is used and not kept."""
        masker = Discreet(rest.supplied.values())
        inputs, around = surroundings.parted(rest.given)
        execution = executor.run(rest.spec, inputs, self.settings.read_retries, rest.done, around)
        row = self._row(rest.kata, rest.run.inputs, run_id, session, rest.run.folder)
        row = replace(row, steps=rest.done, resumes=rest.run.id)
        return self._carried(row, Logbook(self.store, row, rest.spec, masker, rest.given), execution, dispatch)

    def stop(self, word: str) -> RunRow:
        """Ask a running kata of any process to stop before its next step (T60); `word` is a run, or a kata that runs."""
        tool = PREFIX + word.removeprefix(PREFIX)
        run = self.store.run(word) or next((one for one in self.running() if one.tool == tool), None)
        if run is None:
            raise Refused(f"There is no run {word[:40]!r}, and no kata of that name is running")
        if run.finished is not None:
            raise Refused(f"Run {run.id} is over ({run.status.value}); there is nothing to stop")
        if not self.door.alive(run.owner):
            raise Refused(f"Run {run.id} does not run any more: its process is gone, and what its last step did is not known")
        if not self.store.stop_run(run.id):
            raise Refused(f"Run {run.id} has just come to its end")
        return run

    def running(self) -> tuple[RunRow, ...]:
        """The runs that are under way, in whatever process."""
        return tuple(run for run in self.store.unfinished() if self.door.alive(run.owner))

    def _row(self, kata: Kata, shown: Mapping[str, Json], run_id: str, session: str, folder: str) -> RunRow:
        version, now = kata.version, self.door.clock()
        told = (run_id, kata.id, kata.tool, version.number, version.spec.digest, now, None, Status.UNKNOWN, "It may still be running.")
        return RunRow(*told, (), shown, label(session), folder, self.door.owner)

    def _carried(self, row: RunRow, book: Logbook, execution: executor.Execution, dispatch: Dispatch) -> Trace:
        """Drive an execution, and keep what becomes of it."""
        self.store.begin_run(row, self.door.alive)
        watch = Watch(self.door.watch)
        trace = executor.drive(execution, watch(lambda asked: book.dispatched(asked, dispatch)))
        with suppress(StoreError):  # the run stays "unknown" in the file; its answer must reach the agent
            steps = [watch.timed(book.settled(step)) for step in trace.steps[len(row.steps) :]]
            self.store.finish_run(row.id, trace.status, book.masker.text(trace.reason), self.door.clock(), steps)
        with suppress(KataError):
            self.heed(row.kata)
        return trace

    def question(self, kata: Kata, given: Mapping[str, Json], folder: str = "", note: str = "") -> str:
        """What a person is asked before a run: every effect, with its command where it is known (K80, A24), and the folder where it is one
        that no example ran in; `note` is said first. The host keeps the question, so secrets are masked in it."""
        spec = kata.version.spec
        masker = discreet(kata.version, given)
        odd = familiar.once(familiar.notes(kata.version.exhibits, familiar.foreseen(spec, given), folder))
        outside = "".join(f" {masker.text(str(one))}." for one in odd if one.astray)
        others = tuple(f"Unlike the examples: {masker.text(str(one))}" for one in odd if not one.astray)
        runs = f"{kata.tool} runs {len(spec.steps)} steps{_where(kata, folder)}{'.' * bool(outside)}{outside}"
        head = " ".join([*[note] * bool(note), runs])
        texts = [masker.text(_filled(step, given)) for step in spec.steps]
        return _asked(head.removesuffix(".") + ":", spec, [*enumerate(spec.steps, 1)], texts, others[:UNLIKE])

    def remainder(self, rest: Rest) -> str:
        """What a person is asked before a stopped run goes on: the steps that are left, with what is known of them; what was supplied is
        not shown."""
        masker = Discreet(rest.supplied.values())
        texts = [masker.text(_filled(step, rest.given, rest.results)) for step in rest.steps]
        count = f"step {rest.at + 1} of {len(rest.spec.steps)}"
        head = f"{rest.kata.tool} goes on with run {rest.run.id} at {count}{_where(rest.kata, rest.run.folder)}."
        warning = resuming.failed(rest)
        return _asked(f"{head} {warning}".rstrip(), rest.kata.version.spec, [*enumerate(rest.steps, rest.at + 1)], texts)


def _relaxed(kata: Kata, name: str) -> Spec:
    """The spec with that check relaxed; Refused names those that count."""
    spec = kata.version.spec
    for index, step in enumerate(spec.steps):
        traits = checks.relaxed(index, step.traits, name)
        if traits is not None and traits == step.traits:
            raise Refused(f"Check {name} of kata {kata.id} is relaxed already")
        if traits is not None:
            return replace(spec, steps=(*spec.steps[:index], replace(step, traits=traits), *spec.steps[index + 1 :]))
    known = [checks.label(index, at) for index, step in enumerate(spec.steps) for at, one in enumerate(step.traits) if not one.relaxed]
    raise Refused(f"Kata {kata.id} has no check {name[:20]!r}; it has {', '.join(known) or 'none'}")


def eased(found: Proposal, old: Spec | None) -> Proposal:
    """The proposal, with the checks relaxed that a person relaxed in the old spec of that routine."""
    if old is None or len(old.steps) != len(found.spec.steps):
        return found
    pairs = zip(old.steps, found.spec.steps, strict=True)
    steps = tuple(replace(new, traits=checks.carried(one.traits, new.traits)) for one, new in pairs)
    return replace(found, spec=replace(found.spec, steps=steps))


def _asked(head: str, spec: Spec, steps: Sequence[tuple[int, Step]], texts: Sequence[str], notes: Sequence[str] = ()) -> str:
    """A question: every step by number with its effect in the first characters, then notes, and in full what had to be cut there."""
    labels = [f"{number}. {does(step)}: " for number, step in steps]
    room = max(16, (QUESTION - len(head) - sum(len(label) + 1 for label in labels)) // len(labels)) if labels else 0
    short = [label + (text if len(text) <= room else text[: room - 1] + "…") for label, text in zip(labels, texts, strict=True)]
    cut = [f"{number}. {text}" for (number, _), text in zip(steps, texts, strict=True) if len(text) > room]
    whole = ["In full:", *cut] if cut else []
    return "\n".join([head, *short, *notes, *whole, f"Revision {spec.digest[:12]}. Asked on every run; 'always' does not apply."])


def _where(kata: Kata, folder: str) -> str:
    return f" in {_short(visible(folder), FOLDER)}, where no example ran" if consent.strange(kata, folder) else ""


class Logbook:
    """One run as it is written down: a row before each step with an effect, settled after it (T66). What the reads before it gave is
    written in the same transaction, so that a crash leaves no gap before an effect."""

    def __init__(self, store: Store, row: RunRow, spec: Spec, masker: Discreet, given: Mapping[str, Json]) -> None:
        self.store, self.row, self.run, self.spec, self.masker, self.given = store, row, row.id, spec, masker, given
        self.waiting: list[StepTrace] = []
        self.kept: dict[int, StepTrace] = {}

    def dispatched(self, asked: StepCall, dispatch: Dispatch) -> Outcome:
        """Dispatch one step, written down before and after where it has an effect: after a crash its row says "unknown"."""
        step = self.spec.steps[asked.index]
        reads = step.effect.plain_read
        self._heeded(asked.call)
        call = masked_call(asked.call, self.masker)
        row = StepTrace(asked.index, step.tool, Status.UNKNOWN, call, reason="started", attempts=asked.attempt)
        if (early := self._early(asked.call, step)) or not reads and (early := self._begun(row)):
            return early
        outcome = executor.accepted(dispatch(asked))
        done = asked.attempt - isinstance(outcome, executor.Held)
        end = {"status": outcome.status, "result": outcome.result, "reason": outcome.reason, "sent": outcome.sent}
        told = replace(row, call=None, attempts=done, **end)
        self.kept[asked.index] = kept = replace(masked_step(told, self.masker), call=call)
        if reads:
            self.waiting.append(kept)
        else:
            with suppress(StoreError):
                self.store.settle_step(self.run, kept)
        return outcome

    def settled(self, step: StepTrace) -> StepTrace:
        """A step of the finished trace as it is kept; masked once more, because a later call may have shown what is a secret."""
        kept = self.kept.get(step.index)
        return masked_step(kept if kept is not None and kept.status is step.status else step, self.masker)

    def _heeded(self, call: Call) -> None:
        """Hide what a call shows to be a secret, in the inputs that are kept already too."""
        self.masker.heed(call.arguments, self.given)
        shown = self.masker.value(self.row.inputs)
        if shown != self.row.inputs:
            self.row = replace(self.row, inputs=shown)
            with suppress(StoreError):
                self.store.keep_inputs(self.run, shown)

    def _early(self, call: Call, step: Step) -> Outcome | None:
        """Why a step is not dispatched: a person stopped the run, or with its values it is more than was approved."""
        with suppress(StoreError), self.store.waiting(STOPPING_S):
            if self.store.stopping(self.run):
                return executor.Held(Status.INTERRUPTED, reason="a person stopped the run before this step")
        more = excess(call, step)
        return executor.Held(Status.REFUSED, reason=f"with these values the step is more than was approved: {more}") if more else None

    def _begun(self, row: StepTrace) -> Outcome | None:
        """Write that a step with an effect begins; an outcome when that cannot be written, and so it must not begin."""
        try:
            self.store.begin_step(self.run, row, self.waiting)
        except StoreError as error:
            return executor.Held(Status.REFUSED, reason=f"the step could not be written down first: {error.message}")
        self.waiting.clear()
        return None


def excess(call: Call, step: Step) -> str:
    """Why a call does more than its step was approved for; empty when it does not."""
    found, allowed = effect(call.tool, call.arguments), step.effect
    graver = STRENGTH.index(found.kind) > STRENGTH.index(allowed.kind)
    more = graver or found.asks and not allowed.asks or found.destructive and not allowed.destructive
    return found.why if more else "it addresses Kata itself" if addresses_kata(call) else ""


def _bound(kata: Kata, field: str) -> str:
    return f"bound {kata.id} {field}"


def _short(text: str, most: int) -> str:
    """The end of a text, which tells one folder from another."""
    return text if len(text) <= most else "…" + text[1 - most :]


def _filled(step: Step, given: Mapping[str, Json], results: Sequence[Json] = ()) -> str:
    """A step as one whole line, with its values where they are known."""
    try:
        return brief(Call(step.tool, templating.render(step.arguments, given, results)), WHOLE)
    except KataError:
        return templated(step, given)


def missed(keys: tuple[str, ...], rule: str) -> miner.Routine:
    """A near miss as the miner knows it: where a check of the validator failed, the routine is whole, and its pieces are no better."""
    return miner.Routine(keys, rule, covers=rule in validator.RULES)


class Watch:
    """Notes when each step of a run was first tried, and when its last answer came."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock, self.spans = clock, dict[int, tuple[float, float]]()

    def __call__(self, dispatch: Dispatch) -> Dispatch:
        def watched(asked: StepCall) -> Outcome:
            began = self.spans.get(asked.index, (self.clock(),))[0]
            outcome = dispatch(asked)
            self.spans[asked.index] = began, self.clock()
            return outcome

        return watched

    def timed(self, step: StepTrace) -> StepTrace:
        """The step with its times; as it is where it was never tried."""
        began, ended = self.spans.get(step.index, (0.0, 0.0))
        return replace(step, began=began, seconds=max(0.0, ended - began))


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a look at a family came to: a proposal, a near miss, or None with the reason; whether it had to be scored, and whether it is
    told at all (a person may have decided already)."""

    found: Proposal | NearMiss | None
    otherwise: str = ""
    scored: bool = False
    told: bool = True


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

    def __init__(self, service: Service) -> None:
        self.service, self.store, self.settings = service, service.store, service.settings
        self.generation, self.known = self.store.generation(), Known(service.known())
        self.proposed: list[Kata] = []
        self.missed: list[NearMiss] = []
        self.seen: list[tuple[str, ...]] = []
        self.history = lru_cache(maxsize=1)(lambda: miner.History(*self.store.size()))

    def at(self, window: int, touched: int) -> int:
        """Look at one family and keep the verdict; 1 when it had to be scored, else 0."""
        if self.store.generation() != self.generation:  # somebody decided, or a proposal changed
            self.generation, self.known = self.store.generation(), Known(self.service.known())
        keys = self._keys(window)
        verdict = self._verdict(window, keys) if keys else UNTOLD
        with self.store.bundle():
            if keys:
                self.seen.append(keys)
            if verdict.told:
                self._settle(window, keys, verdict)
            self.store.looked(window, touched)
        return int(verdict.scored)

    def _keys(self, window: int) -> tuple[str, ...]:
        if window in self.known.told:
            return self.known.told[window].keys
        examples = self.store.examples(self.store.occurrences(window, 1))
        return miner.spelled(examples[0]) if examples else ()

    def _verdict(self, window: int, keys: tuple[str, ...]) -> Verdict:
        if self.store.decided(miner.fingerprint(keys)):
            return UNTOLD
        if self.store.spread(window, self.settings.min_support) < self.settings.min_support:
            return Verdict(None, f"fewer than {self.settings.min_support} conversations that are kept hold it")
        related = self.known.related(keys)
        if miner.covered(keys, related, self.store.support):
            return Verdict(None, "is a piece of a longer routine, or nearly one that was declined")
        store = self.store
        sources = miner.Sources(store.support, store.spread, store.occurrences, store.examples, lambda: related, self.service.checked)
        return Verdict(miner.mine(keys, sources, self.settings), "says no more than a longer one", scored=True)

    def _settle(self, window: int, keys: tuple[str, ...], verdict: Verdict) -> None:
        """Keep the verdict; when the family changes sides, its pieces are looked at again."""
        now, before, found = self.service.door.clock(), self.known.told.pop(window, None), verdict.found
        if isinstance(found, Proposal):
            self._propose(window, found, now)
        else:
            fingerprint = miner.fingerprint(keys)
            reason = f"{found.rule}: {found.detail}" if found else verdict.otherwise
            self.generation += self.store.withdraw(fingerprint, reason, now)
            self.store.misses({window: found} if found else {}, [fingerprint])
            if found:
                self.known.tell(window, missed(keys, found.rule))
                self.missed.append(found)
        if before != self.known.told.get(window):
            self.store.again(miner.pieces(keys), self.settings.min_support)

    def _propose(self, window: int, found: Proposal, now: float) -> None:
        found = eased(found, self.store.spec(found.fingerprint))
        ties, loose, weights = miner.ties(found), miner.loose(found.spec), self.store.weights(miner.halves(found.keys))
        others = [one.keys for one in self.known.told.values() if one.covers]
        rule, why = miner.INSIDE, miner.padded(found.keys, loose, others, self.store.spread, self.store.support)
        if not why:
            rule, why = miner.CHANCE, miner.unlikely(found.keys, ties, weights, self.history())
        kata = self.store.propose(found, now, window, ties=ties, loose=loose, chance=why)
        self.generation += kata is not None
        self.known.tell(window, miner.Routine(found.keys, miner.CHANCE if why else "", covers=not why))
        if why:
            self.missed.append(NearMiss(found.keys, rule, why, found.fit.support, found.fingerprint))
        elif kata is not None:
            self.proposed.append(kata)

    def weigh(self) -> bool:
        """Judge the standing proposals by today's counts; whether one changed sides, so that its pieces wait to be looked at again."""
        changed = self.service.turned()
        for keys, (kata, why) in changed.items():
            self.store.doubt(kata, why)
            self.store.again(miner.pieces(keys), self.settings.min_support)
        if changed:
            self.known = Known(self.service.known())
        return bool(changed)


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


class Unseen(Refused):
    """What is to be approved was not shown on that surface, or changed since."""


class Unconfirmed(Refused):
    """What is to be approved destroys something, and its name was not typed once more."""


def revised(kata: Kata, version: Version) -> bool:
    """Whether a version changes what a person approved before."""
    return version.number > 1 and bool(kata.name)


def destroys(step: Step) -> bool:
    """Whether a step can destroy something, by what is approved or by what we think of it today."""
    return step.effect.destructive or miner.judged(step.tool, step.arguments).destructive


def reproduces(spec: Spec, one: Example) -> bool:
    """Whether some inputs make the spec issue the calls of the example."""
    try:
        return templating.recovered(spec, one) is not None
    except (TemplateError, OpaqueCommand):
        return False


def misfits(spec: Spec, fresh: Iterable[Example]) -> int:
    """How many examples in a row, from the first, the spec does not reproduce."""
    return sum(1 for _ in takewhile(lambda one: not reproduces(spec, one), fresh))


def _schemas(one: Example) -> dict[str, str]:
    """Tool → fingerprint of its schema when the example was recorded."""
    return {event.call.tool: event.schema for event in one.events if event.schema}


def suits(arguments: Mapping[str, Json], schema: Json) -> bool:
    """Whether a call gives all that a tool's parameters need, and nothing that they do not know; False where they are not known."""
    if not isinstance(schema, Mapping) or not isinstance(schema.get("properties"), Mapping):
        return False
    return set(schema.get("required") or ()) <= set(arguments) <= set(schema["properties"])


# ── Small ────────────────────────────────────────────────────────────────────────────────────────


def _keep(table: OrderedDict[K, V], key: K, value: V, limit: int) -> None:
    """Remember the newest `limit` entries."""
    table[key] = value
    table.move_to_end(key)
    while len(table) > limit:
        table.popitem(last=False)
