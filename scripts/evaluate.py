#!/usr/bin/env python3
"""Runs recorded conversations through the plugin's own code and prints as JSON how well it predicts what it never saw; it judges, and
never changes anything.

    python scripts/evaluate.py mine FILE.jsonl [--learn 0.7] [--folds K] [--group task] [--expected FILE] [--shuffle N]
                                               [--control memoriser|inputs]
    python scripts/evaluate.py effects|extract|redact|inject FILE.json

The learning part passes through the real recorder's masking, store, miner and validator, turn by turn in the order of the file. Every
figure is about conversations that the miner has not seen; those that count are about novel windows, which a memory cannot know.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import random
import re
import sqlite3
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from labelled import CASES, FileError  # noqa: E402 - it brings the package in
from memory import peak_mib  # noqa: E402
from recorded import Row, read_rows, task  # noqa: E402

from kata import checks, executor, miner, odds, shell, templating  # noqa: E402 - the package is brought in first
from kata.door import Door  # noqa: E402
from kata.model import (  # noqa: E402
    SHELL_TOOLS,
    Array,
    Call,
    Command,
    Concat,
    Event,
    Example,
    Expression,
    Hole,
    Input,
    InputField,
    Json,
    Kata,
    KataError,
    Literal,
    Object,
    OpaqueCommand,
    Option,
    Outcome,
    Spec,
    Status,
    Turn,
    TurnEnd,
    TurnStart,
    canonical,
    walk,
)
from kata.service import Service  # noqa: E402
from kata.settings import Settings  # noqa: E402
from kata.store import Store  # noqa: E402
from kata.wording import templated  # noqa: E402

ENOUGH = 15
"""A ratio over fewer novel occurrences is no evidence."""
TOO_FEW = "too few"
SETTINGS = Settings()
Words = tuple[str, ...]


# ── The recorded file ────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Log:
    """A file as turns in the order in which they begin; `chats` are the conversations (or tasks) in theirs."""

    corpora: frozenset[str]
    turns: tuple[Turn, ...]
    sources: Mapping[str, str]
    """Turn → conversation id in the file."""

    @property
    def chats(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(turn.conversation for turn in self.turns))

    def part(self, chats: Collection[str]) -> tuple[Turn, ...]:
        return tuple(turn for turn in self.turns if turn.conversation in chats)


def read_log(path: Path, by_task: bool = False) -> Log:
    """The turns of a file, with `by_task` all trials of a task as one conversation."""
    rows = read_rows(path)
    turns: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for row in rows:
        turns[row.conversation, row.turn].append(row)
    made, sources = [], {}
    for (conversation, number), calls in turns.items():
        name = f"{conversation}#{number}"
        sources[name] = conversation
        made.append(_turn(name, task(calls[0].corpus, conversation) if by_task else conversation, calls))
    return Log(frozenset(row.corpus for row in rows), _masked(made), sources)


def _turn(name: str, chat: str, calls: Sequence[Row]) -> Turn:
    events = (Event(Call(c.tool, c.arguments), _judged(c), name, f"c{n}", n, started=c.at, ended=c.at) for n, c in enumerate(calls))
    return Turn(name, chat, "person", calls[0].at, tuple(events))


def _judged(row: Row) -> Outcome:
    outcome = Outcome.read(row.result)
    return Outcome(Status.ERROR, outcome.result, "recorded as an error") if row.failed and outcome.ok else outcome


def _masked(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """The turns as the recorder keeps them: what was learnt and what is tested are masked alike."""
    with closing(desk()) as service:
        return tuple(replace(turn, events=tuple(_kept(service, turn))) for turn in turns)


def _kept(service: Desk, turn: Turn) -> Iterator[Event]:
    service.masked(start_of(turn))
    for event in turn.events:
        kept = service.masked(event)
        if isinstance(kept, Event):
            yield kept


def start_of(turn: Turn) -> TurnStart:
    return TurnStart(turn.id, turn.conversation, turn.conversation, "cli", turn.who, turn.started)


def calls_in(turns: Iterable[Turn]) -> int:
    return sum(len(turn.events) for turn in turns)


# ── Windows ──────────────────────────────────────────────────────────────────────────────────────


@functools.lru_cache(maxsize=200_000)
def _programs(code: str) -> str:
    try:
        return " | ".join(shell.programs(shell.parse(code)))
    except OpaqueCommand:
        return f"={code}"


def kind(call: Call) -> str:
    """What two calls of one sequence share: the tool, for shells with programs and sub-commands."""
    code = call.arguments.get(SHELL_TOOLS.get(call.tool, ""))
    return f"{call.tool}: {_programs(code)}" if isinstance(code, str) else call.tool


def text_of(call: Call) -> str:
    """A call with its arguments, equal for equal ones."""
    return f"{call.tool} {canonical(dict(call.arguments))}"


def spans(length: int) -> Iterator[tuple[int, int]]:
    """First and end of every window of a run, longest first, then leftmost."""
    for size in range(min(SETTINGS.max_steps, length), 1, -1):
        for first in range(length - size + 1):
            yield first, first + size


class Known:
    """What the learning part holds, whatever a miner made of it: its argument lists and its frequent sequences."""

    def __init__(self, turns: Iterable[Turn]) -> None:
        self.lists: set[Words] = set()
        chats: dict[Words, set[str]] = defaultdict(set)
        for turn in turns:
            for run in miner.runs(turn):
                texts, kinds = [text_of(event.call) for event in run], [kind(event.call) for event in run]
                for first, end in spans(len(run)):
                    self.lists.add(tuple(texts[first:end]))
                    chats[tuple(kinds[first:end])].add(turn.conversation)
        self.frequent = {words for words, held in chats.items() if len(held) >= SETTINGS.min_support}

    def novel(self, calls: Iterable[Call]) -> bool:
        """Whether no window of the learning part has these arguments."""
        return tuple(text_of(call) for call in calls) not in self.lists

    def possible(self, run: Sequence[Event]) -> int:
        """The most calls that any miner could have saved in a run: the best cover by novel windows of frequent sequences."""
        texts, kinds = tuple(text_of(event.call) for event in run), tuple(kind(event.call) for event in run)
        best = [0] * (len(run) + 1)
        fits = {(a, b) for a, b in spans(len(run)) if kinds[a:b] in self.frequent and texts[a:b] not in self.lists}
        for end in range(1, len(run) + 1):
            gains = (best[first] + end - first - 1 for first in range(max(0, end - SETTINGS.max_steps), end - 1) if (first, end) in fits)
            best[end] = max([best[end - 1], *gains])
        return best[-1]


# ── Learning ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Routine:
    """What a miner proposes, as far as it is judged here."""

    name: str
    spec: Spec
    calls: tuple[Call, ...]
    """One of its examples."""
    support: int
    confidence: float
    specificity: float
    lift: float | None = None

    @property
    def sequence(self) -> Words:
        return tuple(kind(call) for call in self.calls)


@dataclass(frozen=True, slots=True)
class Near:
    """A routine that was seen, and the one rule that kept it back."""

    steps: Words
    rule: str
    detail: str
    support: int = 0


@dataclass(frozen=True, slots=True)
class Learnt:
    """All that a miner made of the learning part."""

    routines: tuple[Routine, ...]
    near: tuple[Near, ...] = ()


Miner = Callable[[Sequence[Turn], str], Learnt]


class Desk(Service):
    """A service on a file in memory, which can be closed."""

    def close(self) -> None:
        self.store.close()


def desk() -> Desk:
    """The plugin's service as it is, with no host around it: a clock that stands, no tool known in this process."""
    door = Door(lambda: 0.0, lambda spec, given, send: executor.drive(executor.run(spec, given), send), lambda tool: None, bool)
    return Desk(Store(lambda: sqlite3.connect(":memory:", check_same_thread=False)), SETTINGS, door)


def kata(turns: Sequence[Turn], label: str) -> Learnt:
    """The real thing: record each turn and mine at its end, as the plugin does."""
    told = Progress(label, len(turns))
    with closing(desk()) as service:
        for number, turn in enumerate(turns, 1):
            service.record([start_of(turn), *turn.events, TurnEnd(turn.id, turn.started)])
            service.mine()
            told(number)
        service.mine(None)  # what waited, since the end of a turn looks at few families
        near = tuple(Near(miss.keys, miss.rule, miss.detail, miss.support) for miss in service.near())
        return Learnt(tuple(_routine(one, service.store) for one in service.katas()), near)


def _routine(found: Kata, store: Store) -> Routine:
    fit, spec = found.version.fit, found.version.spec
    calls = miner.trimmed(found.version.exhibits[0]).calls
    name = found.name or f"routine_{found.id}"
    return Routine(name, spec, calls, fit.support, round(fit.confidence, 4), fit.specificity, _lift(calls, store))


def _lift(calls: Sequence[Call], store: Store) -> float | None:
    """How many times as often as by chance the calls meet, at the worst split; None where chance expects nothing."""
    keys = tuple(miner.key(call) for call in calls)
    parts = [miner.window_id(keys[first:end]) for first in range(len(keys)) for end in range(first + 1, len(keys) + 1)]
    lift, _ = miner.chance(keys, store.weights(parts), odds.History(*store.size()))
    return round(lift, 2) if math.isfinite(lift) else None


Places = Mapping[Words, Sequence[Example]]


def repeated(turns: Iterable[Turn]) -> Places:
    """Every sequence of keys that enough conversations hold and that is no piece of one as frequent, with all its windows."""
    places: dict[Words, list[Example]] = defaultdict(list)
    for turn in turns:
        for run in miner.runs(turn):
            keys = tuple(miner.key(event.call) for event in run)
            for first, end in spans(len(run)):
                places[keys[first:end]].append(Example(turn.conversation, turn.id, run[first:end]))
    support = {keys: len({one.conversation for one in found}) for keys, found in places.items()}
    pieces = {piece for keys, n in support.items() for piece in (keys[1:], keys[:-1]) if support.get(piece) == n}
    return {keys: places[keys] for keys, n in support.items() if n >= SETTINGS.min_support and keys not in pieces}


def memoriser(turns: Sequence[Turn], label: str) -> Learnt:
    """A control: every window of a frequent sequence, word for word."""
    routines: list[Routine] = []
    for examples in repeated(turns).values():
        distinct = {tuple(text_of(call) for call in one.calls): one for one in examples}
        routines += [_control(f"memory_{len(routines) + n}", _literal(one), examples, one) for n, one in enumerate(distinct.values(), 1)]
    return Learnt(tuple(routines))


def inputs(turns: Sequence[Turn], label: str) -> Learnt:
    """A control: every frequent sequence, every argument an input of its own."""
    found = repeated(turns).values()
    return Learnt(tuple(_control(f"inputs_{n}", _open(examples[-1]), examples, examples[-1]) for n, examples in enumerate(found, 1)))


def _literal(example: Example) -> templating.Template:
    fixed = (tuple((key, Literal(value)) for key, value in call.arguments.items()) for call in example.calls)
    return templating.Template((), tuple(Object(pairs) for pairs in fixed))


def _open(example: Example) -> templating.Template:
    steps = tuple(Object(tuple((key, Input(f"{key}_{n}")) for key in call.arguments)) for n, call in enumerate(example.calls, 1))
    names = (part.name for step in steps for part in walk(step) if isinstance(part, Input))
    return templating.Template(tuple(InputField(name, "") for name in names), steps)


def _control(name: str, template: templating.Template, examples: Sequence[Example], one: Example) -> Routine:
    support = len({example.conversation for example in examples})
    return Routine(name, miner.specified(template, one), one.calls, support, 1.0, float(not template.inputs))


MINERS: Mapping[str, Miner] = {"": kata, "memoriser": memoriser, "inputs": inputs}


# ── What it is worth on what it never saw ────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Held:
    """Figures of the test part; they add up over folds."""

    occurrences: int = 0
    exact: int = 0
    novel: int = 0
    novel_exact: int = 0
    calls_covered: int = 0
    calls_saved: int = 0
    possible: int = 0
    fixed: int = 0
    derived: int = 0
    given: int = 0
    stopped: int = 0
    """Exact occurrences that a learnt check would have stopped, although nothing was wrong."""

    def __add__(self, other: Held) -> Held:
        return Held(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(Held)))

    def shares(self) -> tuple[float | str | None, ...]:
        """Fixed, derived and given characters of the novel exact occurrences as shares; None where there are none."""
        if self.novel < ENOUGH:
            return TOO_FEW, TOO_FEW, TOO_FEW
        total = self.fixed + self.derived + self.given
        return tuple(round(one / total, 4) if total else None for one in (self.fixed, self.derived, self.given))


@dataclass(frozen=True, slots=True)
class Seen:
    """One window of the test part that has the sequence of a proposal."""

    example: Example
    novel: bool
    exact: tuple[Routine, ...]
    """The proposals that render it."""


def occurrences(turn: Turn, proposals: Mapping[Words, Sequence[Routine]], known: Known) -> Iterator[Seen]:
    """The windows of a turn with the sequence of a proposal, longest first, then leftmost, each call in at most one."""
    for run in miner.runs(turn):
        kinds, taken = tuple(kind(event.call) for event in run), [False] * len(run)
        for first, end in spans(len(run)):
            if kinds[first:end] not in proposals or any(taken[first:end]):
                continue
            taken[first:end] = [True] * (end - first)
            example = Example(turn.conversation, turn.id, tuple(run[first:end]))
            exact = tuple(one for one in proposals[kinds[first:end]] if recovered(one.spec, example) is not None)
            yield Seen(example, known.novel(example.calls), exact)


def recovered(spec: Spec, example: Example) -> Mapping[str, Json] | None:
    """The inputs from which the spec renders every recorded argument, with the recorded results."""
    try:
        return templating.recovered(spec, example)
    except KataError:
        return None


def weighed(seen: Seen) -> Held:
    """One occurrence in figures."""
    size, exact = len(seen.example.events), bool(seen.exact)
    counts = Held(1, int(exact), int(seen.novel), int(seen.novel and exact), size, stopped=int(exact and unlike(seen)))
    if not (seen.novel and exact):
        return counts
    spec = seen.exact[0].spec
    values = recovered(spec, seen.example) or {}
    origin = sum((Counter(characters(step.arguments, values, seen.example.results)) for step in spec.steps), Counter[str]())
    return replace(counts, calls_saved=size - 1, **{key: origin[key] for key in ("fixed", "derived", "given")})


def unlike(seen: Seen) -> bool:
    """Whether the answers of a good occurrence fail a check that was learnt for its proposal."""
    steps = zip(seen.exact[0].spec.steps, seen.example.results, strict=True)
    return any(checks.unlike(index, step.traits, result) for index, (step, result) in enumerate(steps))


def characters(expression: Expression, values: Mapping[str, Json], results: Sequence[Json]) -> Counter[str]:
    """The characters of a rendered argument by origin; keys and the marks of JSON belong to none."""
    match expression:
        case Literal(value):
            return Counter(fixed=_size(value))
        case Input(name):
            return Counter(given=_size(values[name]))
        case Command(pieces):
            texts = Counter(fixed=sum(len(piece) for piece in pieces if isinstance(piece, str)))
            texts["given"] = sum(len(piece.text) for piece in pieces if isinstance(piece, Option) and values[piece.value.name])
            return sum((characters(piece.value, values, results) for piece in pieces if isinstance(piece, Hole)), texts)
        case Object(pairs):
            return sum((characters(value, values, results) for _, value in pairs), Counter[str]())
        case Concat(parts) | Array(parts):
            return sum((characters(part, values, results) for part in parts), Counter[str]())
    return Counter(derived=_size(templating.render(expression, values, results)))


def _size(value: Json) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, dict | list):
        return sum(_size(item) for item in (value.values() if isinstance(value, dict) else value))
    return len(canonical(value))


# ── What ought to be found ───────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Element:
    """One place of an expected window: a tool, for shells the words of a program, or the argument names."""

    tool: str
    program: Words | None = None
    keys: frozenset[str] | None = None
    loop: bool = False

    def fits(self, call: Call) -> bool:
        if call.tool != self.tool and not (call.tool in SHELL_TOOLS and self.tool in SHELL_TOOLS):
            return False
        if self.keys is not None and self.keys != set(call.arguments):
            return False
        return self.program is None or _first_words(call)[: len(self.program)] == self.program


def _first_words(call: Call) -> Words:
    """The words of a shell call's first command, options apart."""
    code = call.arguments.get(SHELL_TOOLS.get(call.tool, ""))
    try:
        first = next(shell.parse(code).commands()) if isinstance(code, str) else None
    except OpaqueCommand:
        first = None
    return tuple(word for word in shell.arguments(first) if word and not word.startswith("-")) if first else ()


def element(text: str) -> Element:
    """An element as the file of expectations writes it: `tool`, `tool(keys)`, `terminal: program …` or `(x)*`."""
    loop = re.fullmatch(r"\((.*)\)\*", text)
    if loop:
        return replace(element(loop[1]), loop=True)
    shelled = re.fullmatch(r"(\w+): *(.*)", text)
    if shelled and shelled[1] in SHELL_TOOLS:
        return Element(shelled[1], tuple(word for word in shelled[2].split() if word not in ("...", "…")))
    keyed = re.fullmatch(r"([^()]+)\(([^()]*)\)", text)
    if keyed:
        return Element(keyed[1], keys=frozenset(key.strip() for key in keyed[2].split(",") if key.strip()))
    return Element(text)


def covers(window: Sequence[Element], calls: Sequence[Call]) -> bool:
    """Whether the calls are the window, with any number at a loop."""
    if not window:
        return not calls
    head, rest = window[0], window[1:]
    if head.loop:
        return covers(rest, calls) or bool(calls) and head.fits(calls[0]) and covers(window, calls[1:])
    return bool(calls) and head.fits(calls[0]) and covers(rest, calls[1:])


def stands_in(window: Sequence[Element], calls: Sequence[Call]) -> bool:
    """Whether the window is a stretch of the calls."""
    size = len(window)
    return any(covers(window, calls[first : first + size]) for first in range(len(calls) - size + 1))


def _is_piece(window: Sequence[Element], calls: Sequence[Call]) -> bool:
    return any(covers(window[first : first + len(calls)], calls) for first in range(len(window) - len(calls) + 1))


def is_found(entry: Json, routine: Routine, corpora: Collection[str]) -> bool:
    """Whether a proposal is the expected routine: its tools, every ideal reference derived, every shared parameter one input."""
    if not covers([element(one) for one in entry["window"]], routine.calls):
        return False
    if "tool" not in entry:
        return _is_planted(entry, routine.spec)
    pairs = list(_paired(entry["tool"]["steps"], routine, corpora))
    derived = all(_derived(made) for ideal, made in pairs if re.search(r"\{\{(?!\w+\}\})", ideal) or ideal == "{{item}}")
    names = {name for ideal, _ in pairs for name in re.findall(r"\{\{(\w+)\}\}", ideal) if name != "item"}
    return derived and all(_one_input([made for ideal, made in pairs if ideal == f"{{{{{name}}}}}"]) for name in names)


def _is_planted(entry: Json, spec: Spec) -> bool:
    """Whether a proposal asks for what was planted and derives the rest: what it does not derive, or asks for twice, shows as one
    input too many, what it only remembers as none at all. An option with a default is nothing that a caller must give."""
    parts = [part for step in spec.steps for part in walk(step.arguments)]
    flows = any(_derived(part) for part in parts if not isinstance(part, Object | Array | Concat | Command))
    asks, planted = sum(one.default is None for one in spec.inputs), len(entry.get("inputs", ()))
    return asks <= planted and (asks > 0) == (planted > 0) and (flows or not entry.get("flows"))


def _paired(ideals: Sequence[Json], routine: Routine, corpora: Collection[str]) -> Iterator[tuple[str, Expression]]:
    """Every ideal argument that has a template, with the expression that stands in its place."""
    used: Counter[str] = Counter()
    for step in routine.spec.steps:
        same = [ideal for ideal in ideals if ideal["tool"] == step.tool]
        if not same:
            continue
        ideal = same[min(used[step.tool], len(same) - 1)]
        used[step.tool] += 1
        made = dict(step.arguments.fields)
        for key, wanted in ideal["args"].items():
            text = next((wanted[one] for one in wanted if one in corpora), "") if isinstance(wanted, dict) else wanted
            if isinstance(text, str) and "{{" in text and key in made:
                yield text, made[key]


def _derived(made: Expression) -> bool:
    """Whether a value comes out of an earlier result."""
    if isinstance(made, Concat | Command | Array | Object):
        return any(_derived(part) for part in walk(made) if part is not made and not isinstance(part, Concat | Command | Array | Object))
    return not isinstance(made, Literal | Input)


def _one_input(places: Sequence[Expression]) -> bool:
    return len(places) < 2 or isinstance(places[0], Input) and all(one == places[0] for one in places)


def is_forbidden(entry: Json, routine: Routine) -> bool:
    """Whether a proposal is what the entry forbids: a shell command that is one hole, one program again and again, or the sequence."""
    window = [element(one) for one in entry["window"]]
    if all(one.tool in SHELL_TOOLS and one.keys is not None for one in window):
        return any(_hollow(dict(step.arguments.fields).get(SHELL_TOOLS.get(step.tool, ""))) for step in routine.spec.steps)
    if all(one.program for one in window) and len({one.program for one in window}) == 1:
        first = {tuple(part.split(" ")[0] for part in one.split(": ", 1)[-1].split(" | ")) for one in routine.sequence}
        return len(first) == 1 and all(call.tool in SHELL_TOOLS for call in routine.calls)
    return stands_in(window, routine.calls)


def _hollow(command: Expression | None) -> bool:
    """Whether nothing of a command is fixed."""
    if isinstance(command, Command):
        return not any(isinstance(piece, str) and piece.strip() for piece in command.parts)
    return command is not None and not any(isinstance(part, Literal) for part in walk(command))


@dataclass(frozen=True, slots=True)
class Expected:
    """The entries of a file of expectations that count on these corpora."""

    positives: tuple[Json, ...] = ()
    negatives: tuple[Json, ...] = ()
    corpora: frozenset[str] = frozenset()

    def verdict(self, routines: Sequence[Routine]) -> Json:
        found = [one["id"] for one in self.positives if any(is_found(one, routine, self.corpora) for routine in routines)]
        missed = [one["id"] for one in self.positives if one["id"] not in found]
        forbidden = [one["id"] for one in self.negatives if any(is_forbidden(one, routine) for routine in routines)]
        return {"found": found, "missed": missed, "forbidden": forbidden}

    @property
    def planted(self) -> bool:
        return any("conversations" in one for one in self.positives)

    def holds(self, conversation: str, calls: Sequence[Call]) -> bool:
        """Whether the calls hold a planted routine, or are a piece of one, in a conversation into which it was planted."""
        windows = ([element(text) for text in one["window"]] for one in self.positives if conversation in one.get("conversations", ()))
        return any(stands_in(window, calls) or _is_piece(window, calls) for window in windows)

    def savable(self, conversations: Collection[str]) -> int:
        """The calls that planted routines could save in these conversations: all but one of each."""
        return sum((len(one["window"]) - 1) * sum(c in conversations for c in one.get("conversations", ())) for one in self.positives)


def read_expected(path: Path, corpora: frozenset[str]) -> Expected:
    """The expectations for a file; FileError when it does not look like one."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        positives, negatives = found["positives"], found.get("negatives", [])
        both = [[one for one in part if corpora & set(one["corpora"]) and one["id"] and one["window"]] for part in (positives, negatives)]
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FileError(f"{path}: expected an object with positives, each with id, corpora and window; {error!r}") from error
    return Expected(tuple(both[0]), tuple(both[1]), corpora)


# ── One evaluation ───────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Split:
    """Which conversations are learnt from and which are tested."""

    learn: frozenset[str]
    test: frozenset[str]


def splits(chats: Sequence[str], learn: float, folds: int) -> tuple[Split, ...]:
    """The first share of the conversations against the rest, or each K-th of them against all others."""
    if not folds:
        cut = round(len(chats) * learn)
        return (Split(frozenset(chats[:cut]), frozenset(chats[cut:])),)
    parts = [frozenset(chats[start::folds]) for start in range(folds)]
    return tuple(Split(frozenset(chats) - part, part) for part in parts)


@dataclass(slots=True)
class Result:
    """The pooled figures of all splits."""

    learn: Counter[str] = field(default_factory=Counter)
    test: Counter[str] = field(default_factory=Counter)
    held: Held = Held()
    routines: dict[str, tuple[Routine, Held]] = field(default_factory=dict)
    """Digest → the best supported of the equal proposals, and what all of them did."""
    near: dict[tuple[Words, str], Near] = field(default_factory=dict)
    savable: int = 0
    planted_saved: int = 0
    """The part of the calls saved that lies within planted routines; the rest is chance that repeats."""
    odd: list[Seen] = field(default_factory=list)
    """Novel occurrences that no proposal rendered."""


def add_split(result: Result, log: Log, split: Split, mined: Miner, expected: Expected, label: str) -> None:
    """Learn on one part, test on the other, and add what came out."""
    learn, test = log.part(split.learn), log.part(split.test)
    result.learn.update(conversations=len(split.learn), calls=calls_in(learn))
    result.test.update(conversations=len(split.test), calls=calls_in(test))
    learnt, known = mined(learn, label), Known(learn)
    by_sequence: dict[Words, list[Routine]] = defaultdict(list)
    for routine in learnt.routines:
        by_sequence[routine.sequence].append(routine)
    own = {routine.name: Held() for routine in learnt.routines}
    for turn in test:
        result.held += Held(possible=sum(known.possible(run) for run in miner.runs(turn)))
        for seen in occurrences(turn, by_sequence, known):
            figures = weighed(seen)
            result.held += figures
            result.planted_saved += figures.calls_saved if expected.holds(log.sources[turn.id], seen.example.calls) else 0
            result.odd += [seen] if seen.novel and not seen.exact else []
            for routine in by_sequence[tuple(kind(call) for call in seen.example.calls)]:
                own[routine.name] += weighed(replace(seen, exact=tuple(one for one in seen.exact if one is routine)))
    result.savable += expected.savable({log.sources[turn.id] for turn in test})
    _add_learnt(result, learnt, own)


def _add_learnt(result: Result, learnt: Learnt, own: Mapping[str, Held]) -> None:
    for routine in learnt.routines:
        best, before = result.routines.get(routine.spec.digest, (routine, Held()))
        best = max(best, routine, key=lambda one: one.support)
        result.routines[routine.spec.digest] = best, before + own[routine.name]
    for miss in learnt.near:
        kept = result.near.get((miss.steps, miss.rule), miss)
        result.near[miss.steps, miss.rule] = max(kept, miss, key=lambda one: one.support)


def shuffled(turns: Sequence[Turn], seed: int) -> tuple[Turn, ...]:
    """The same turns, the calls with what came of them dealt out again at random."""
    pool = [event for turn in turns for event in turn.events]
    random.Random(seed).shuffle(pool)
    dealt = iter(pool)

    def new(event: Event) -> Event:
        other = next(dealt)
        return replace(event, call=other.call, outcome=other.outcome)

    return tuple(replace(turn, events=tuple(new(event) for event in turn.events)) for turn in turns)


@dataclass(frozen=True, slots=True)
class Asked:
    """What `mine` is asked for."""

    file: Path
    learn: float = 0.7
    folds: int = 0
    group: str = ""
    expected: Path | None = None
    shuffle: int = 0
    control: str = ""


def mine(asked: Asked) -> tuple[Json, Result]:
    """The figures for one file, and what they were made of."""
    began = time.perf_counter()
    log = read_log(asked.file, asked.group == "task")
    expected = read_expected(asked.expected, log.corpora) if asked.expected else Expected()
    mined, result = MINERS[asked.control], Result()
    parts = splits(log.chats, asked.learn, asked.folds)
    for number, split in enumerate(parts, 1):
        add_split(result, log, split, mined, expected, f"fold {number} of {len(parts)}" if asked.folds else "learning")
    false = 0
    for seed in range(asked.shuffle):
        turns = shuffled(log.part(parts[seed % len(parts)].learn), seed)
        false += len(mined(turns, f"shuffled {seed + 1} of {asked.shuffle}").routines)
    return _report(asked, result, expected, false, time.perf_counter() - began), result


def _report(asked: Asked, result: Result, expected: Expected, false: int, seconds: float) -> Json:
    held, routines = result.held, list(result.routines.values())
    literal, derived, given = held.shares()
    totals = ("occurrences", "exact", "novel", "novel_exact", "calls_covered", "calls_saved", "possible", "stopped")
    return {
        "learn": {key: result.learn[key] for key in ("conversations", "calls")},
        "test": {key: result.test[key] for key in ("conversations", "calls")},
        "proposals": [_shown(routine, own) for routine, own in routines],
        "near": [{"steps": list(one.steps), "rule": one.rule, "detail": one.detail} for one in result.near.values()],
        "held_out": {**{key: getattr(held, key) for key in totals}, "savable": result.savable if expected.planted else None},
        "expected": expected.verdict([routine for routine, _ in routines]),
        "shuffled": {"seeds": asked.shuffle, "proposals": false},
        "inputs_per_kata_median": statistics.median(len(one.spec.inputs) for one, _ in routines) if routines else None,
        "literal_share": literal,
        "derived_share": derived,
        "input_share": given,
        "seconds": round(seconds, 2),
        "peak_mib": peak_mib(),
    }


def _shown(routine: Routine, own: Held) -> Json:
    return {
        "name": routine.name,
        "steps": [{"tool": step.tool, "template": templated(step)} for step in routine.spec.steps],
        "inputs": [{"name": one.name, "type": one.type} for one in routine.spec.inputs],
        "support": routine.support,
        "confidence": routine.confidence,
        "specificity": routine.specificity,
        "lift": routine.lift,
        "held_out": {key: getattr(own, key) for key in ("occurrences", "exact", "novel", "novel_exact")},
    }


# ── For a person ─────────────────────────────────────────────────────────────────────────────────


class Progress:
    """Tells on stderr how far a long part is: after two seconds, then each time twice as many, at last twice a minute."""

    def __init__(self, label: str, total: int) -> None:
        self.label, self.total = label, total
        self.began, self.next = time.monotonic(), 2.0

    def __call__(self, done: int) -> None:
        passed = time.monotonic() - self.began
        if passed >= self.next:
            self.next = passed + min(passed, 30)
            print(f"{self.label}: {done} of {self.total} turns, {passed:.0f} s", file=sys.stderr, flush=True)


def _ratio(part: int, whole: int, enough: bool) -> str:
    return f"{part}/{whole} ({part / whole:.0%})" if enough and whole else f"{part}/{whole} ({TOO_FEW})"


def summary(asked: Asked, report: Json, planted: int) -> str:
    """The report in a few lines."""
    held, expected = report["held_out"], report["expected"]
    enough = held["novel"] >= ENOUGH
    rules = Counter(one["rule"] for one in report["near"])
    shares = ", ".join(f"{word} {report[f'{word}_share']}" for word in ("literal", "derived", "input"))
    control = f" of the control {asked.control}" if asked.control else ""
    missed = ", ".join(f"{rule} {n}" for rule, n in rules.most_common()) or "none"
    saved = f"calls saved: {held['calls_saved']} of {held['possible']} possible"
    if held["savable"] is not None:
        saved += f", {_ratio(held['calls_saved'], held['savable'], enough)} of savable, {planted} of them in planted routines"
    saved += f"; good runs stopped by a learnt check: {held['stopped']} of {held['exact']}"
    lines = [
        f"{asked.file.name}: {len(report['proposals'])} proposals{control}, {sum(rules.values())} near misses ({missed})",
        f"novel occurrences exact: {_ratio(held['novel_exact'], held['novel'], enough)}; all: {held['exact']}/{held['occurrences']}",
        saved,
        f"shares: {shares}; inputs per kata: {report['inputs_per_kata_median']}",
    ]
    if asked.expected:
        lines += [f"{word}: {', '.join(expected[word]) or 'none'}" for word in ("found", "missed", "forbidden")]
    if asked.shuffle:
        lines.append(f"shuffled: {report['shuffled']['proposals']} false proposals over {asked.shuffle} seeds")
    return "\n".join([*lines, f"{report['seconds']} s, {report['peak_mib']} MiB"])


def _share(text: str) -> float:
    number = float(text)
    if not 0 < number <= 1:
        raise ValueError
    return number


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError
    return number


_share.__name__, _count.__name__ = "share (above 0, at most 1)", "count"


def parser() -> argparse.ArgumentParser:
    """The words that the script understands; each verb brings what answers it."""
    top = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = top.add_subparsers(dest="verb", required=True, metavar="VERB")
    one = verbs.add_parser("mine", help="learn routines on one part of recorded conversations and test them on the rest")
    one.add_argument("file", type=Path, metavar="FILE.jsonl", help="one call a line, in the format of the corpora")
    one.add_argument("--learn", type=_share, default=0.7, metavar="SHARE", help="share of the conversations to learn from (0.7)")
    one.add_argument("--folds", type=_count, default=0, metavar="K", help="test each K-th of the conversations once, and pool")
    one.add_argument("--group", choices=["task"], default="", help="trials of one task are one conversation")
    one.add_argument("--expected", type=Path, metavar="FILE", help="routines that ought to be found, and those that must not be")
    one.add_argument("--shuffle", type=_count, default=0, metavar="N", help="deal the calls out again at random, N times")
    one.add_argument("--control", choices=[name for name in MINERS if name], default="", help="judge this in place of the miner")
    one.add_argument("--odd", action="store_true", help="show on stderr the novel windows that came out wrong")
    one.set_defaults(answer=_answer_mine)
    for name, judge in CASES.items():
        case = verbs.add_parser(name, help=str(judge.__doc__).splitlines()[0].split(";")[0])
        case.add_argument("file", type=Path, metavar="FILE.json", help="labelled cases")
        case.set_defaults(answer=_answer_cases, judge=judge)
    return top


def _answer_cases(given: argparse.Namespace) -> int:
    report, lawful = given.judge(given.file)
    print(json.dumps(report, indent=1, ensure_ascii=False))
    print(f"{given.file.name}: {'every law holds' if lawful else 'A LAW IS BROKEN'}", file=sys.stderr)
    return 0 if lawful else 1


def _answer_mine(given: argparse.Namespace) -> int:
    if given.folds == 1:
        raise FileError("--folds needs at least 2: one fold would leave nothing to learn from")
    asked = Asked(given.file, given.learn, given.folds, given.group, given.expected, given.shuffle, given.control)
    report, result = mine(asked)
    print(json.dumps(report, indent=1, ensure_ascii=False))
    print(summary(asked, report, result.planted_saved), file=sys.stderr)
    for seen in result.odd if given.odd else ():
        print("inexact:", *(text_of(call)[:400] for call in seen.example.calls), sep="\n    ", file=sys.stderr)
    return 0


def main(words: Sequence[str] | None = None) -> int:
    """Answer one verb; 0 when all is well, 1 when a law was broken, 2 when the question was wrong."""
    given = parser().parse_args(words)
    try:
        return int(given.answer(given))
    except FileError as error:
        print(f"evaluate: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
