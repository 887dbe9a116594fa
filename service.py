"""The verbs of Kata, one code path for chat, shell and dashboard: record, mine, review, decide, run; it never speaks to the host and never
decides in a person's place."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeVar

from . import executor, miner, templating, validator
from .effects import effect
from .model import (
    PREFIX,
    SHELL_TOOLS,
    Array,
    Call,
    Check,
    Command,
    Concat,
    Event,
    Example,
    Expression,
    Input,
    Json,
    Kata,
    KataError,
    Literal,
    ModelRequest,
    NearMiss,
    Object,
    Outcome,
    Proposal,
    Record,
    Reference,
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
    Trace,
    TurnEnd,
    TurnStart,
    canonical,
)
from .redact import MASKER_VERSION, Masker
from .store import Store

RESULT_BYTES = 65_536
"""A recorded result is kept up to this many characters of JSON, head and tail (design section 4)."""
TIDY_S = 3_600.0
REMASKED = 1_000_001
"""Number of the first placeholder that a later look gives, beyond any that a first look gave."""
CONVERSATIONS = 200
"""Maskers that are kept; one per conversation."""
QUESTION = 490
"""Characters in which a question must name every step: some 500 are shown (host contract 5)."""
WHOLE = 4_000
NAME = re.compile(r"[a-z][a-z0-9_]{0,58}")
RESERVED = frozenset(
    "list resume review approve reject runs status help show disable enable rollback mine record run forget teach purge learn".split()
)

K = TypeVar("K")
V = TypeVar("V")
Dispatch = Callable[[StepCall], Outcome]
Replay = Callable[[Spec, Mapping[str, Json], Dispatch], Trace]


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


@dataclass(frozen=True, slots=True)
class Mined:
    """What a round of mining brought."""

    turns: int
    proposed: tuple[Kata, ...]
    missed: tuple[NearMiss, ...]


class Service:
    """One per plugin object; holds the store, the settings and the maskers of the open conversations."""

    def __init__(self, store: Store, settings: Settings, door: Door) -> None:
        self.store, self.settings, self.door = store, settings, door
        self._maskers: OrderedDict[str, Masker] = OrderedDict()
        self._conversations: OrderedDict[str, str] = OrderedDict()

    # ── Recording ────────────────────────────────────────────────────────────────────────────────

    def record(self, records: Iterable[Record]) -> None:
        """Keep what happened, masked and cut; one transaction."""
        self.store.add([self.masked(one) for one in records], MASKER_VERSION)

    def masked(self, record: Record) -> Record:
        """The record without secrets: the only place where observed text passes before it is written."""
        match record:
            case TurnStart():
                _keep(self._conversations, record.turn, record.conversation, 10 * CONVERSATIONS)
                return replace(record, message=self._masker(record.turn).text(record.message))
            case Event():
                masker = self._masker(record.turn)
                outcome = record.outcome
                result = _cut(masker.value(_plain(outcome.result))) if self.settings.keep_results else None
                return replace(
                    record,
                    call=Call(record.call.tool, masker.value(dict(record.call.arguments))),
                    outcome=Outcome(outcome.status, result, masker.text(outcome.reason)),
                    folder=masker.text(record.folder),
                )
            case ModelRequest() | TurnEnd() | SchemaSeen():
                return record

    def _masker(self, turn: str) -> Masker:
        conversation = self._conversations.get(turn, turn)
        # A conversation that goes on in another process must not give one placeholder to two secrets.
        masker = self._maskers.get(conversation) or Masker(1 + 100 * self.store.length(conversation))
        _keep(self._maskers, conversation, masker, CONVERSATIONS)
        return masker

    # ── Mining ───────────────────────────────────────────────────────────────────────────────────

    def mine(self) -> Mined:
        """Mine every turn that waits for it, oldest first, and keep what was found; nothing while another process is at it. What
        became dirty meanwhile is looked at once more after the lease is given back."""
        first = self._mine_leased()
        again = self._mine_leased() if first.turns and self.store.dirty() else Mined(0, (), ())
        self.tidy()
        return Mined(first.turns + again.turns, first.proposed + again.proposed, first.missed + again.missed)

    def _mine_leased(self) -> Mined:
        waiting = self.store.dirty()
        if not waiting or not self.store.lease(self.door.owner, self.door.alive):
            return Mined(0, (), ())
        found: list[Kata | NearMiss | None] = []
        try:
            for turn in waiting:
                found += self._mine_turn(turn)
                self.store.settled(turn)
        finally:
            self.store.release(self.door.owner)
        proposed = tuple(one for one in found if isinstance(one, Kata))
        return Mined(len(waiting), proposed, tuple(one for one in found if isinstance(one, NearMiss)))

    def tidy(self) -> int:
        """Forget what is older than the owner wants it kept (K98), at most once an hour; the number of turns that went."""
        now = self.door.clock()
        if now - float(self.store.noted("tidied") or 0) < TIDY_S:
            return 0
        self.store.note("tidied", repr(now))
        gone = self.store.forget(now - self.settings.retention_days * 86_400)
        self.remask()
        return gone

    def remask(self) -> int:
        """Put what an older masker let through to the masker of today; the number of turns that were looked at."""
        maskers: dict[str, Masker] = {}
        waiting = self.store.masked_before(MASKER_VERSION)
        for turn, conversation in waiting:
            masker = maskers.setdefault(conversation, Masker(REMASKED))
            self.store.remask(turn, masker.value, MASKER_VERSION)
        return len(waiting)

    def pause(self, paused: bool) -> None:
        """Stop or resume the recording in every process, from its next turn on (K99)."""
        self.store.note("paused", "yes" if paused else "")

    @property
    def paused(self) -> bool:
        return self.store.noted("paused") == "yes"

    def _mine_turn(self, name: str) -> Sequence[Kata | NearMiss | None]:
        turn = self.store.turn(name)
        counted = turn is not None and turn.who in ("person", *self.settings.learn_from)
        self.store.mined(name, miner.windows(turn, self.settings.max_steps) if turn and counted else {})
        if not turn or not counted:
            return ()
        store = self.store
        history = lru_cache(maxsize=1)(lambda: miner.History(*store.size()))
        sources = miner.Sources(store.support, store.occurrences, store.examples, self._routines, store.weights, history)
        return [self._keep_found(found) for found in miner.mine(turn, sources, self.settings)]

    def _routines(self) -> tuple[miner.Routine, ...]:
        return tuple(miner.Routine(keys, state is State.REJECTED) for keys, state in self.store.routines())

    def _keep_found(self, found: Proposal | NearMiss) -> Kata | NearMiss | None:
        """Store a proposal that passes every check, else the reason why not (K55)."""
        if isinstance(found, Proposal):
            checks = self.validated(found.spec, found.exhibits)
            failed = next((check for check in checks if not check.passed), None)
            if failed is None:
                return self._proposed(replace(found, checks=checks))
            found = NearMiss(found.keys, failed.name, failed.reason, found.fit.support, found.fingerprint)
        if self.store.decided(found.fingerprint):
            return None
        self.store.withdraw(found.fingerprint, f"{found.rule}: {found.detail}", self.door.clock())
        self.store.misses([found], [found.fingerprint])
        return found

    def _proposed(self, found: Proposal) -> Kata | None:
        """Keep a proposal, and take back proposals that are only pieces of it (K43)."""
        kata, now = self.store.propose(found, self.door.clock()), self.door.clock()
        waiting = [keys for keys, state in self.store.routines() if state is State.CANDIDATE]
        for keys in miner.absorbed(found.keys, waiting, self.store.support):
            self.store.withdraw(miner.fingerprint(keys), "is a piece of a longer routine", now)
        return kata

    def validated(self, spec: Spec, exhibits: Sequence[Example]) -> tuple[Check, ...]:
        """Every check of the validator, with the tools as they are today; no real tool is called (K56)."""
        schemas = {step.tool: self.door.schema(step.tool) for step in spec.steps}
        return validator.validate(spec, exhibits, schemas, self.door.replay, self.settings.min_support)

    def check(self) -> None:
        """Write one small row and count what ended processes could not write; StoreError when the file cannot be used."""
        self.store.note("checked", repr(self.door.clock()))
        self.store.inherit(self.door.alive)

    # ── Looking ──────────────────────────────────────────────────────────────────────────────────

    def katas(self) -> tuple[Kata, ...]:
        """Proposals and everything that was one, by number, the rejected apart."""
        return tuple(kata for kata in self.store.katas() if kata.state is not State.REJECTED)

    def active(self) -> tuple[Kata, ...]:
        """The katas that the agent may call (K84): those whose revision a person approved, as the audit log says (T42)."""
        return tuple(kata for kata in self.store.katas((State.ACTIVE,)) if self.store.approved(kata.id, kata.version.spec.digest))

    @staticmethod
    def asks(kata: Kata) -> bool:
        """Whether every run asks a person: by what was approved, and by what we think of its steps today."""
        return kata.version.spec.asks or any(miner.judged(step.tool, step.arguments).asks for step in kata.version.spec.steps)

    def find(self, word: str) -> Kata:
        """The kata of that number, name or tool name; Refused when there is none."""
        name = word.removeprefix(PREFIX)
        number = int(word) if re.fullmatch(r"[0-9]{1,9}", word) else 0
        found = self.store.kata(number) if number else self.store.named(name)
        if number and found is None and (reason := self.store.withdrawn(number)):
            raise Refused(f"The proposal {word} was taken back, because new evidence speaks against it: {reason}")
        if found is None:
            known = ", ".join(kata.tool or str(kata.id) for kata in self.katas()) or "none yet"
            raise Refused(f"There is no kata {word!r}; known: {known}")
        return found

    def review(self, word: str, surface: str) -> Kata:
        """The kata as it would be approved now; the revision counts as shown on that surface."""
        kata = self.find(word)
        self.store.show(surface, kata.id, kata.version.spec.digest, self.door.clock())
        return kata

    def announcement(self, platform: str) -> str | None:
        """One line about the newest proposal that nobody was told of, each told once (A40); never an observed value."""
        told = int(self.store.noted("told") or 0)
        new = [kata for kata in self.store.katas((State.CANDIDATE,)) if kata.id > told]
        if not new:
            return None
        self.store.note("told", str(new[-1].id))
        fit, steps = new[-1].version.fit, len(new[-1].version.spec.steps)
        lead = "hermes kata" if platform in ("", "cli") else "/kata"
        return f"Kata: a routine of {steps} steps, seen in {fit.support} conversations, could be one tool. Look: {lead} review {new[-1].id}"

    # ── Deciding ─────────────────────────────────────────────────────────────────────────────────

    def approve(self, word: str, name: str, surface: str, digest: str = "") -> Kata:
        """Make the revision that was shown last a tool (K4, K19, K90). `digest` stands for a review where a script
        approves; it may be shortened to 8 characters or more."""
        kata = self.find(word)
        wanted = self.chosen(name or kata.name, kata)
        shown = self._agreed(kata, surface, digest)
        self._passes(kata)
        return self._decide(kata, (State.CANDIDATE,), State.ACTIVE, shown, surface, "approve", name=wanted, approved=True)

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
        if not NAME.fullmatch(wanted):
            raise Refused(f"Expected a name of small letters, digits and _ that begins with a letter, at most 59 characters, got {name!r}")
        if wanted in RESERVED:
            raise Refused(f"The name {wanted!r} is a command of Kata; choose another")
        other = self.store.named(wanted)
        if other is not None and other.id != kata.id:
            raise Refused(f"The name {wanted!r} is taken by kata {other.id}; choose another")
        if other is None and self.door.taken(PREFIX + wanted):
            raise Refused(f"A tool {PREFIX + wanted} exists already and is not ours; choose another name")
        return wanted

    def reject(self, word: str, surface: str) -> Kata:
        """Decline a proposal for good (K88)."""
        kata = self.find(word)
        if kata.state is State.ACTIVE:
            raise Refused(f"{kata.tool} is active, not a proposal; 'disable {kata.name}' takes it away from the agent")
        return self._decide(kata, (State.CANDIDATE,), State.REJECTED, kata.version.spec.digest, surface, "reject")

    def disable(self, word: str, surface: str) -> Kata:
        """Take an active kata away from the agent (K87)."""
        kata = self.find(word)
        return self._decide(kata, (State.ACTIVE,), State.DISABLED, kata.version.spec.digest, surface, "disable")

    def enable(self, word: str, surface: str) -> Kata:
        """Give a disabled kata back, after every check (K87)."""
        kata = self.find(word)
        self._passes(kata)
        return self._decide(kata, (State.DISABLED,), State.ACTIVE, kata.version.spec.digest, surface, "enable")

    def _passes(self, kata: Kata) -> None:
        failed = [check for check in self.validated(kata.version.spec, kata.version.exhibits) if not check.passed]
        if failed:
            raise Refused(f"Kata {kata.id} does not pass {failed[0].name} any more: {failed[0].reason}")

    def _decide(
        self,
        kata: Kata,
        before: tuple[State, ...],
        after: State,
        digest: str,
        surface: str,
        verb: str,
        *,
        name: str | None = None,
        approved: bool = False,
    ) -> Kata:
        return self.store.transition(
            kata.id,
            before=before,
            after=after,
            digest=digest,
            actor=surface,
            verb=verb,
            now=self.door.clock(),
            name=name,
            approved=approved,
        )

    # ── Running ──────────────────────────────────────────────────────────────────────────────────

    def start(self, kata: Kata, given: Mapping[str, Json], run_id: str, session: str, dispatch: Dispatch) -> Trace:
        """Run a kata step by step and keep a row of it; a row is written before each step with an effect (K70, K75).
        InputError, before anything runs, when the arguments do not fit."""
        spec, masker = kata.version.spec, Masker()
        execution = executor.run(spec, given, self.settings.read_retries)
        shown = masker.value(dict(given))
        self.store.begin_run(
            RunRow(
                run_id,
                kata.id,
                kata.tool,
                kata.version.number,
                spec.digest,
                self.door.clock(),
                None,
                Status.UNKNOWN,
                "",
                (),
                shown,
                session,
            )
        )

        def kept(asked: StepCall) -> Outcome:
            call = Call(asked.call.tool, masker.value(dict(asked.call.arguments)))
            try:
                if not spec.steps[asked.index].effect.plain_read:
                    self.store.begin_step(
                        run_id, StepTrace(asked.index, call.tool, Status.UNKNOWN, call, reason="started", attempts=asked.attempt)
                    )
            except StoreError as error:
                return Outcome(Status.REFUSED, reason=f"the step could not be written down first: {error.message}")
            found, allowed = effect(asked.call.tool, asked.call.arguments), spec.steps[asked.index].effect
            if found.asks and not allowed.asks or found.destructive and not allowed.destructive:
                return Outcome(Status.REFUSED, reason=f"with these values the step is more than was approved: {found.why}")
            return dispatch(asked)

        trace = executor.drive(execution, kept)
        with suppress(StoreError):  # the run stays "unknown" in the file; its answer must reach the agent
            for step in trace.steps:
                self.store.settle_step(run_id, _masked_step(step, masker))
            self.store.finish_run(run_id, trace.status, masker.text(trace.reason), self.door.clock())
        return trace

    def question(self, kata: Kata, given: Mapping[str, Json]) -> str:
        """What a person is asked before a run: every effect, with its command where it is known (K80, A24)."""
        spec = kata.version.spec
        head = f"{kata.tool} runs {len(spec.steps)} steps:"
        labels = [f"{number}. {_words(step)}: " for number, step in enumerate(spec.steps, 1)]
        texts = [_filled(step, given) for step in spec.steps]
        room = max(16, (QUESTION - len(head) - sum(len(label) + 1 for label in labels)) // len(labels)) if labels else 0
        short = [label + (text if len(text) <= room else text[: room - 1] + "…") for label, text in zip(labels, texts, strict=True)]
        cut = [f"{number}. {text}" for number, text in enumerate(texts, 1) if len(text) > room]
        whole = ["In full:", *cut] if cut else []
        return "\n".join([head, *short, *whole, f"Revision {spec.digest[:12]}. Asked on every run; 'always' does not apply."])


def _filled(step: Step, given: Mapping[str, Json]) -> str:
    """A step as one whole line, with its values where they are known."""
    try:
        return brief(Call(step.tool, templating.render(step.arguments, given, ())), WHOLE)
    except KataError:
        return templated(step, given)


class Unseen(Refused):
    """What is to be approved was not shown on that surface, or changed since."""


# ── In words ─────────────────────────────────────────────────────────────────────────────────────


def _words(step: Step) -> str:
    return step.effect.kind.value + (", destructive" if step.effect.destructive else "")


def brief(call: Call, most: int = 160) -> str:
    """A call as one line: the command of a shell tool, else tool and arguments, at most `most` characters."""
    code = call.arguments.get(SHELL_TOOLS.get(call.tool, ""))
    pairs = ", ".join(f"{key}={templating.as_shown(value)}" for key, value in call.arguments.items())
    line = visible(code if isinstance(code, str) else f"{call.tool} {pairs}")
    return line if len(line) <= most else line[: most - 1] + "…"


def visible(text: str) -> str:
    """Observed text as one printable line: a line break separates commands, so it is shown; nothing acts on a terminal (B46, W10)."""
    line = re.sub(r"(?:\s*\n)+\s*", " ⏎ ", text.strip()).replace("\t", " ")
    return "".join(character if character.isprintable() else "�" for character in line)


def templated(step: Step, given: Mapping[str, Json] | None = None) -> str:
    """A step as one line with its holes: `git checkout ‹branch›`, `read_file path=‹step 2 · files.0›`; inputs that are given
    are filled in."""
    code = SHELL_TOOLS.get(step.tool)
    pairs = dict(step.arguments.fields)
    others = ", ".join(f"{key}={origin(value, given)}" for key, value in pairs.items() if key != code)
    if code not in pairs:
        return visible(f"{step.tool} {others}")
    return visible(origin(pairs[code], given) + (f" [{others}]" if others else ""))


def origin(expression: Expression, given: Mapping[str, Json] | None = None) -> str:
    """Where a value comes from, as a person reads it."""
    match expression:
        case Literal(value):
            return templating.as_shown(value)
        case Input(name):
            return templating.as_shown(given[name]) if given and name in given else f"‹{name}›"
        case Reference(step, path):
            return f"‹step {step + 1} · {templating.dotted(path)}›"
        case Concat(parts):
            return "".join(origin(part, given) for part in parts)
        case Command(pieces):
            return "".join(piece if isinstance(piece, str) else origin(piece.value, given) for piece in pieces)
        case Object(pairs):
            return "{" + ", ".join(f"{key}: {origin(value, given)}" for key, value in pairs) + "}"
        case Array(items):
            return "[" + ", ".join(origin(item, given) for item in items) + "]"


# ── Small ────────────────────────────────────────────────────────────────────────────────────────


def _keep(table: OrderedDict[K, V], key: K, value: V, limit: int) -> None:
    """Remember the newest `limit` entries."""
    table[key] = value
    table.move_to_end(key)
    while len(table) > limit:
        table.popitem(last=False)


def _plain(value: Json) -> Json:
    """The value when it is JSON; a tool may answer with anything (B46)."""
    try:
        canonical(value)
    except (TypeError, ValueError, RecursionError):
        return f"[an answer of type {type(value).__name__}, which is no JSON]"
    return value


def _cut(result: Json) -> Json:
    """A result of bearable size; what is too long becomes text with a mark, so that nothing is learnt from its shape (B37)."""
    text = result if isinstance(result, str) else canonical(result)
    if len(text) <= RESULT_BYTES:
        return result
    half = RESULT_BYTES // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters cut by Kata …]\n{text[-half:]}"


def _masked_step(step: StepTrace, masker: Masker) -> StepTrace:
    call = Call(step.tool, masker.value(dict(step.call.arguments))) if step.call else None
    return replace(
        step,
        call=call,
        result=_cut(masker.value(_plain(step.result))),
        reason=masker.text(step.reason),
        sent=masker.value(dict(step.sent)) if step.sent else None,
    )
