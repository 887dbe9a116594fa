"""Finds the routines that repeat: runs, keys, windows, whole routines, and how well a template predicts what it was not built from; it
reads no clock and no file, and never decides about approval."""

from __future__ import annotations

import hashlib
import re
import statistics
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations

from . import checks, learning, odds, quoting, shell, templating
from .effects import BOOKKEEPING, CONVERSATIONAL, DELEGATING, addresses_kata, effect
from .model import (
    HOLDOUT,
    ODD_FROM,
    SHELL_TOOLS,
    Ambient,
    Call,
    Class,
    Command,
    Concat,
    Effect,
    Event,
    Example,
    Expression,
    Fit,
    Hole,
    Input,
    Json,
    KataError,
    Literal,
    NearMiss,
    Object,
    Occurrence,
    OpaqueCommand,
    Place,
    Proposal,
    Reference,
    Spec,
    Step,
    TemplateError,
    Turn,
    canonical,
    walk,
)
from .odds import History
from .origins import informative
from .settings import Settings
from .templating import same

IDLE_S = 300.0
"""A pause longer than this breaks a run (K36); exactly this does not (A3)."""
NAME_LENGTH = 17
"""Characters of a usual tool name, `kata_` and twelve more, which the caller writes too."""
MOST_INPUTS = 8
"""A tool that asks for more values than this is a form to fill in, not a routine (A14)."""
SCORED = 20
"""At most so many of the newest conversations are scored (A12)."""
GAP, PASSED, BREADTH = 2, 3, 12
"""Calls that do not belong: how many may stand between two steps (T5), how many in one routine, and how many windows of each size are
followed from one call, those that pass over least first: in a turn of nothing but reads there would be thousands."""


# ── Runs ─────────────────────────────────────────────────────────────────────────────────────────


def runs(turn: Turn) -> tuple[tuple[Event, ...], ...]:
    """The longest chains of neighbouring successful calls of one turn (K34–K38), failed attempts folded away (A5)."""
    found: list[list[Event]] = [[]]
    busy = turn.events[0].ended if turn.events else 0.0  # until when a call ran: of calls side by side the longest counts
    for index, event in enumerate(turn.events):
        if event.started - busy > IDLE_S:
            found.append([])
        busy = max(busy, event.ended)
        if event.call.tool in BOOKKEEPING or _corrected(turn.events, index):
            continue
        if event.outcome.ok and not _breaks(event.call):
            found[-1].append(event)
        else:
            found.append([])
    return tuple(tuple(run) for run in found if run)


def _breaks(call: Call) -> bool:
    return call.tool in CONVERSATIONAL or call.tool in DELEGATING or addresses_kata(call)


def _corrected(events: Sequence[Event], index: int) -> bool:
    """Whether a call failed and one of the same tool (for shells: the same program) succeeded within the next two (A5)."""
    event = events[index]
    return not event.outcome.ok and any(
        later.outcome.ok and _program(later.call) == _program(event.call) for later in events[index + 1 : index + 3]
    )


PREPARING = frozenset(("cd", "pushd", "popd", "export", "set", "unset", "source", ".", "umask"))
"""What a command begins with before it does what it is for."""


def _program(call: Call) -> tuple[str, str]:
    """Tool and, for a shell, the first program without its sub-command, past what only prepares it and what only runs it; of a command
    that is not understood its first word."""
    code = call.arguments.get(SHELL_TOOLS.get(call.tool, ""))
    if not isinstance(code, str):
        return call.tool, ""
    try:
        names = [name for name in map(_run, shell.parse(code).commands()) if name]
    except OpaqueCommand:
        names = code.split()[:1]
    return call.tool, next((name for name in names if name not in PREPARING), names[0] if names else "")


def _run(command: shell.Simple) -> str:
    """The program that a command runs, behind `sudo` and its like."""
    words = shell.head(shell.arguments(command))
    return next((word for word in words if word not in shell.WRAPPERS), words[0])


# ── Keys and windows ─────────────────────────────────────────────────────────────────────────────


def key(call: Call) -> str:
    """What calls must share to be counted together: tool and argument names; for a shell its
    programs and sub-commands in order, of a loop or a test also what it goes over; what is not understood stands for itself alone."""
    names = ",".join(sorted(call.arguments))
    code = call.arguments.get(SHELL_TOOLS.get(call.tool, ""))
    return f"{call.tool}({names}): {_skeleton(code)}" if isinstance(code, str) else f"{call.tool}({names})"


@lru_cache(maxsize=2048)
def _skeleton(code: str) -> str:
    try:
        return " | ".join(shell.skeleton(shell.parse(code)))
    except OpaqueCommand:
        return "=" + hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Item:
    """One step of a run: a call, or a call repeated at once with the same programs and flags, which is a loop (its key ends
    with `*`)."""

    key: str
    events: tuple[Event, ...]


def items(run: Sequence[Event]) -> tuple[Item, ...]:
    """The steps of a run; an immediate repeat in which nothing comes from the repeat before is folded."""
    found: list[tuple[str, list[Event]]] = []
    for event in run:
        spelled = key(event.call)
        if found and found[-1][0] == spelled and _again(found[-1][1][-1], event):
            found[-1][1].append(event)
        else:
            found.append((spelled, [event]))
    return tuple(Item(spelled + ("*" if len(one) > 1 else ""), tuple(one)) for spelled, one in found)


def _repeats(before: Event, event: Event) -> bool:
    return before.call.tool == event.call.tool and key(before.call) == key(event.call) and _again(before, event)


def _again(before: Event, event: Event) -> bool:
    """Whether a call does the same as the one before it, with other values that are none of that one's answer; both have one key."""
    if _flags(before.call) != _flags(event.call) or _bare(before.call) != _bare(event.call):
        return False  # to look around is no repeat of a look at something
    new, text = _words(event.call.arguments) - _words(before.call.arguments), _text(before)
    return not any(informative(word) and word in text for word in new)


_WORD = re.compile(r"[\w-]+")


def _words(arguments: Mapping[str, Json]) -> frozenset[str]:
    return frozenset(_WORD.findall(canonical(dict(arguments))))


def _flags(call: Call) -> tuple[str, ...]:
    """The options of a shell command, sorted, without their values: known before a run, so a family may be split by them."""
    code = call.arguments.get(SHELL_TOOLS.get(call.tool, ""))
    return _options(code) if isinstance(code, str) else ()


@lru_cache(maxsize=2048)
def _options(code: str) -> tuple[str, ...]:
    try:
        script = shell.parse(code)
    except OpaqueCommand:
        return ()
    words = [word for command in script.commands() for word in shell.arguments(command)[1:]]
    return tuple(sorted(word.split("=", 1)[0] for word in words if word is not None and word.startswith("-")))


def _bare(call: Call) -> bool:
    """Whether a shell command names nothing that it works on."""
    code = call.arguments.get(SHELL_TOOLS.get(call.tool, ""))
    return isinstance(code, str) and _names_nothing(code)


@lru_cache(maxsize=2048)
def _names_nothing(code: str) -> bool:
    try:
        commands = [shell.arguments(command) for command in shell.parse(code).commands()]
    except OpaqueCommand:
        return False
    return not any(word is None or not word.startswith("-") for words in commands for word in words[len(shell.head(words)) :])


Windows = Mapping[int, Place]
"""Window id → its latest place in the turn."""


def window_id(keys: Sequence[str]) -> int:
    """A signed 64-bit number for a sequence of keys."""
    return _window_id([_encoded(key) for key in keys])


def _window_id(keys: Sequence[bytes]) -> int:
    return int.from_bytes(hashlib.blake2b(b"\x1f".join(keys), digest_size=8).digest(), "big", signed=True)


@lru_cache(maxsize=4096)
def _encoded(key: str) -> bytes:
    return key.encode("utf-8", "surrogatepass")


def windows(turn: Turn, max_steps: int, gap: int = GAP) -> Windows:
    """Every window of a turn once, the latest place counts (K39, K41, A12); single steps too, since chance is judged by them. A window
    that stands nowhere as a whole may pass over up to `gap` calls between two steps that do not belong to it (T5)."""
    rows = [items(run) for run in runs(turn)]
    found: dict[int, Place] = {}
    for row in rows:
        keys = [_encoded(item.key) for item in row]
        for first, item in enumerate(row):
            begins = item.events[0].position
            for last in range(first, min(first + max_steps, len(row))):
                window = _window_id(keys[first : last + 1])
                times = 1 + (found[window].times if window in found else 0)
                found[window] = Place(begins, row[last].events[-1].position, last + 1 - first, times)
    return _gapped(rows, max_steps, gap) | found


def _gapped(rows: Iterable[tuple[Item, ...]], max_steps: int, gap: int) -> dict[int, Place]:
    """The windows that pass over calls, at the latest of the places where they pass over least."""
    found: dict[int, Place] = {}
    for row in rows:
        loose = _loose(row)
        if not any(loose):
            continue
        keys, after = [_encoded(item.key) for item in row], [tuple(_next(row, loose, at, gap)) for at in range(len(row))]
        for first in range(len(row)):
            for part in _leaps(after, first, max_steps):
                window = _window_id([keys[at] for at in part])
                if window not in found or part[-1] - first + 1 - len(part) <= len(found[window].skipped):
                    left = tuple(row[at].events[0].position for at in range(first, part[-1]) if at not in part)
                    found[window] = Place(row[first].events[0].position, row[part[-1]].events[-1].position, len(part), 1, left)
    return found


def _leaps(after: Sequence[tuple[int, ...]], first: int, max_steps: int) -> Iterator[tuple[int, ...]]:
    """The windows from one item on that pass over calls, as the numbers of their items; `after` is what may follow each."""
    reached: list[tuple[int, ...]] = [(first,)]
    for size in range(2, max_steps + 1):
        longer = [(*part, then) for part in reached for then in after[part[-1]]]
        passed = (part for part in longer if part[-1] - first - size < PASSED)
        reached = sorted(passed, key=lambda part: (part[-1] - first, part))[:BREADTH]
        yield from (part for part in reached if part[-1] - first >= size)


def _next(row: tuple[Item, ...], loose: Sequence[bool], at: int, gap: int) -> Iterator[int]:
    """What may follow an item: its neighbour, and what stands behind calls that do not belong, unless that would be a repeat."""
    for after in range(at + 1, min(at + 2 + gap, len(row))):
        if after == at + 1 or not _repeats(row[at].events[-1], row[after].events[0]):
            yield after
        if not loose[after]:
            return


def _loose(row: tuple[Item, ...]) -> tuple[bool, ...]:
    """For each item of a run whether a window may pass over it: one read between two others, and nothing later asks for what only its
    result told."""
    inner = [0 < at < len(row) - 1 and len(item.events) == 1 and _is_read(item.events[0].call) for at, item in enumerate(row)]
    asked = [_tokens(item) for item in row] if any(inner) else []
    return tuple(read and _is_loose(row, asked, at) for at, read in enumerate(inner))


def _is_read(call: Call) -> bool:
    return effect(call.tool, call.arguments).kind is Class.READ


def _is_loose(row: tuple[Item, ...], asked: Sequence[frozenset[str]], at: int) -> bool:
    later = frozenset().union(*asked[at + 1 :]) - frozenset().union(*asked[: at + 1])
    text = _text(row[at].events[0]) if later else ""
    told = {word for word in later if word in text}
    earlier = [_text(other) for item in row[:at] for other in item.events] if told else []
    return all(any(word in text for text in earlier) for word in told)


def _text(event: Event) -> str:
    result = event.outcome.result
    return result if isinstance(result, str) else canonical(result)


_TOKEN = re.compile(r"[^\s\"'=,;:()|<>{}\[\]]+")


def _tokens(item: Item) -> frozenset[str]:
    """The words in the values of the arguments of an item that mean something (A9)."""
    texts = (canonical(value) for event in item.events for value in event.call.arguments.values())
    return frozenset(word for text in texts for word in _TOKEN.findall(text) if informative(word))


Support = Mapping[int, Mapping[str, frozenset[str]]]
"""Window id → conversation → turns that hold it."""


def spelled(example: Example) -> tuple[str, ...]:
    """The keys of the window that an example was cut out by."""
    return tuple(item.key for item in items(trimmed(example).events))


def looped(keys: Sequence[str]) -> bool:
    return any(one.endswith("*") for one in keys)


def _as_frequent(longer: Mapping[str, frozenset[str]], shorter: Mapping[str, frozenset[str]]) -> bool:
    """Same turns, or the longer one's conversations as many (A7)."""
    return len(longer) >= len(shorter) or frozenset().union(*longer.values()) == frozenset().union(*shorter.values())


# ── From examples to a proposal ──────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Family:
    """The latest example of each conversation (A12), newest conversation first, and how many conversations there are."""

    examples: tuple[Example, ...]
    support: int
    keys: tuple[str, ...]
    schema: Callable[[str], Json] = lambda fingerprint: None
    """The parameters of a tool by their fingerprint, as they were recorded; None where they were not."""


def trimmed(example: Example) -> Example:
    """The example without what stands between its steps: failed attempts that were folded away and bookkeeping."""
    return replace(example, events=tuple(event for event in example.events if event.outcome.ok and event.call.tool not in BOOKKEEPING))


def fingerprint(keys: Sequence[str]) -> str:
    """The identity of a routine (A29): its sequence of keys, as SHA-256 in hex."""
    return hashlib.sha256("\x1f".join(keys).encode("utf-8", "surrogatepass")).hexdigest()


def score(found: Family, settings: Settings) -> Proposal | NearMiss:
    """A proposal when the template predicts each example it was not built from; else the one rule that failed. From six
    conversations on, one odd example may be set aside (A13)."""
    if looped(found.keys):
        counts = [len(example.events) - len(found.keys) + 1 for example in found.examples]
        return _missed(found, "loop", f"one step repeats {min(counts)} to {max(counts)} times; loops are not proposed yet")
    whole = _scored(found, found.examples, settings)
    if found.support < ODD_FROM or isinstance(whole, Proposal) and whole.fit.rate >= HOLDOUT or _settled(whole):
        return whole
    for odd in _odd(found):
        one = _scored(found, tuple(example for example in found.examples if example is not odd), settings)
        if isinstance(one, Proposal):
            return one
    split = _majority(found, settings)
    part = split and _scored(split, split.examples, settings)
    return part if isinstance(part, Proposal) else whole


def _majority(found: Family, settings: Settings) -> Family | None:
    """The examples with the options that at least two thirds have at a step: a family may be split by what is known before a run. None
    where all have them."""
    for step in range(len(found.keys)):
        rows = [frozenset(_flags(example.calls[step])) for example in found.examples]
        usual = {name for name, times in Counter(name for row in rows for name in row).items() if 3 * times >= 2 * len(rows)}
        part = tuple(example for example, row in zip(found.examples, rows, strict=True) if usual <= row)
        if settings.min_support <= len(part) < len(rows):
            return replace(found, examples=part, support=found.support - (len(rows) - len(part)))
    return None


def _settled(one: Proposal | NearMiss) -> bool:
    """Whether it is a miss that no odd example explains."""
    return isinstance(one, NearMiss) and one.rule not in ("template", "opaque", "confidence")


def _odd(found: Family) -> Iterator[Example]:
    """The examples that a template of all the others does not reproduce, where they have one."""
    for index, example in enumerate(found.examples):
        if not predicts(found.examples[:index] + found.examples[index + 1 :], example):
            yield example


def _scored(found: Family, asked: tuple[Example, ...], settings: Settings) -> Proposal | NearMiss:
    """The verdict on the template of the examples that are `asked` to fit, all or all but one."""
    try:
        template = learning.infer(asked)
        _tied(template, asked[0], found.schema)
        if len(set(found.keys)) == 1 and not flows(template.steps):
            return _missed(found, "loop", f"one step repeats {len(found.keys)} times; loops are not proposed yet")
        if cycle := _cycle(found.keys, template.steps):
            times = len(found.keys) // cycle
            return _missed(found, "loop", f"the same {cycle} steps repeat {times} times; loops are not proposed yet")
    except KataError as error:
        rule = "coherence" if isinstance(error, _Untied) else "template" if isinstance(error, TemplateError) else "opaque"
        return _missed(found, rule, error.message)
    if len(template.inputs) > MOST_INPUTS:
        return _missed(found, "inputs", f"it would ask for {len(template.inputs)} values; {MOST_INPUTS} are the most")
    spec = witnessed(specified(template, asked[0]), asked)
    fit = measured(found, asked, spec, template)
    if fit.confidence < settings.min_confidence:
        return _missed(
            found, "confidence", f"fits {fit.passed} of {fit.tried} examples it was not built from; confidence {fit.confidence:.2f}"
        )
    proposal = Proposal(watchful(spec, asked), fingerprint(found.keys), fit, found.examples, keys=found.keys)
    return proposal if _saves(spec, found) else _missed(found, "saves", "the caller would have to write nearly all of it")


def _missed(found: Family, rule: str, detail: str) -> NearMiss:
    return NearMiss(found.keys, rule, detail, found.support, fingerprint(found.keys))


def flows(steps: Iterable[Object]) -> bool:
    """Whether values tie the arguments of every step to those before it: a reference, or an input that stood there already."""
    seen: set[str] = set()
    for index, arguments in enumerate(steps):
        names = {part.name for part in walk(arguments) if isinstance(part, Input)}
        if index and not (names & seen or any(isinstance(part, Reference) for part in walk(arguments))):
            return False
        seen |= names
    return True


CYCLES = 3
"""So often the same steps with the same values one after the other are a loop (A38)."""


def _cycle(keys: Sequence[str], steps: Sequence[Object]) -> int:
    """After how many steps a routine begins again, with the same values, from beginning to end; 0 where it does not."""
    rows = [*zip(keys, steps, strict=True)]
    return next((size for size in range(2, len(rows) // CYCLES + 1) if rows[size:] == rows[:-size]), 0)


class _Untied(TemplateError):
    """A step that only chance put beside the others (K45)."""


def _tied(template: templating.Template, example: Example, schema: Callable[[str], Json]) -> None:
    """K44 with A8: every step after the first is tied by data flow, by a shared input, by a fixed argument that means
    something, or by being wholly fixed."""
    seen: set[str] = set()
    for index, (step, event) in enumerate(zip(template.steps, example.events, strict=True)):
        names = {part.name for part in walk(step) if isinstance(part, Input)}
        flows = any(isinstance(part, Reference) for part in walk(step))
        if index and not (flows or names & seen or _specific(_told(step, schema(event.schema)), event.call.tool)):
            raise _Untied(f"Step {index + 1} shares nothing with the steps before it")
        seen |= names


def _told(step: Object, parameters: Json) -> Object:
    """The arguments of a step without those that say what the tool's schema says anyway (A8)."""
    known = parameters.get("properties") if isinstance(parameters, dict) else None
    asked = {name: one for name, one in known.items() if isinstance(one, dict) and "default" in one} if isinstance(known, dict) else {}
    said = {name for name, one in step.fields if name in asked and isinstance(one, Literal) and same(one.value, asked[name]["default"])}
    return Object(tuple(pair for pair in step.fields if pair[0] not in said))


def _specific(step: Object, tool: str) -> bool:
    """Whether what is fixed in a step says what it is for; without arguments the tool itself has to (A8)."""
    code = dict(step.fields).get(SHELL_TOOLS.get(tool, ""))
    holes = [part.value for part in code.parts if isinstance(part, Hole)] if isinstance(code, Command) else []
    varies = any(isinstance(part, Input | Reference) for hole in holes for part in walk(hole))
    if isinstance(code, Literal | Command) and not varies:
        return True
    if not step.fields:
        return tool.startswith("mcp__")
    return any(_means(value) for value in _fixed(step))


def _fixed(step: Object) -> Iterator[Json]:
    """Fixed arguments; of a command with holes the fixed words beyond program and sub-commands, options apart."""
    for part in walk(step):
        if isinstance(part, Literal):
            yield part.value
        elif isinstance(part, Command):
            yield from _fixed_words(part)


def _fixed_words(command: Command) -> Iterator[str]:
    frame = quoting.frame(templating.settled(command, next(iter(templating.settings(command)))))
    for simple in frame.script.commands():
        words = shell.arguments(simple)
        for word in words[min(2, len(shell.head(words))) :]:
            if word is not None and not word.startswith("-") and not any(mark in word for mark in frame.marks):
                yield word


def _means(value: Json) -> bool:
    return informative(value) or isinstance(value, dict | list) and bool(value)


def specified(template: templating.Template, example: Example) -> Spec:
    """The spec of a template; effects are judged on the template itself, with neutral words in the holes."""
    steps = []
    for event, arguments in zip(example.events, template.steps, strict=True):
        steps.append(Step(event.call.tool, arguments, judged(event.call.tool, arguments), event.schema))
    return Spec(template.inputs, tuple(steps))


def witnessed(spec: Spec, examples: Sequence[Example]) -> Spec:
    """The spec with the gravest effect of each step, as a template, as called in the examples, and as a way out for what was read here."""
    steps = []
    for index, step in enumerate(spec.steps):
        seen = [effect(one.calls[index].tool, one.calls[index].arguments) for one in examples]
        steps.append(replace(step, effect=gravest([step.effect, *seen, *_sent_out(spec, step)])))
    return replace(spec, steps=tuple(steps))


def watchful(spec: Spec, examples: Sequence[Example]) -> Spec:
    """The spec with what the answers of each step had in common in all examples (T50)."""
    seen = ([one.results[index] for one in examples] for index in range(len(spec.steps)))
    steps = (replace(step, traits=checks.learn(step.tool, results)) for step, results in zip(spec.steps, seen, strict=True))
    return replace(spec, steps=tuple(steps))


OUTSIDE = frozenset(("web_search", "web_extract"))
"""Reads that tell somebody else what they are asked for."""


def _sent_out(spec: Spec, step: Step) -> Iterator[Effect]:
    """What a read on the web is when its question comes out of something local."""
    sources = {spec.steps[part.step].tool for part in walk(step.arguments) if isinstance(part, Reference)}
    sources |= {"the session"} if any(isinstance(part, Ambient) and not part.form for part in walk(step.arguments)) else set()
    if step.tool in OUTSIDE and sources - OUTSIDE:
        yield Effect(Class.EXTERNAL, why=f"sends what {', '.join(sorted(sources - OUTSIDE))} answered to the web")


def judged(tool: str, arguments: Object) -> Effect:
    """The effect of a step before its values are known: the gravest of all settings of its options."""
    return gravest([effect(tool, {name: _neutral(value) for name, value in one.fields}) for one in templating.variants(arguments)])


def gravest(found: Sequence[Effect]) -> Effect:
    """The gravest of several effects of one step, destructive when one of them is."""
    worst = max(found, key=lambda one: (GRAVITY.index(one.kind), one.destructive))
    return worst if worst.destructive else replace(worst, destructive=any(one.destructive for one in found))


GRAVITY = (Class.READ, Class.WRITE, Class.UNKNOWN, Class.EXTERNAL)
"""What asks comes after what does not."""


def _neutral(expression: Expression) -> Json:
    """A value that stands for what is only known when the kata runs."""
    match expression:
        case Literal(value):
            return value
        case Command(parts):
            return "".join(part if isinstance(part, str) else f"KATAHOLE_{index}" for index, part in enumerate(parts))
        case Concat(parts):
            return "".join(str(_neutral(part)) for part in parts)
    return "KATAHOLE_0"


def measured(found: Family, asked: tuple[Example, ...], spec: Spec, template: templating.Template) -> Fit:
    """Leave one conversation out: a template of the others must reproduce its calls exactly (K50–K52). An example that was set
    aside counts as a miss."""
    passed = sum(predicts(asked[:index] + asked[index + 1 :], example) for index, example in enumerate(asked))
    recovered = ((example, templating.match(spec, example.calls, example.results, example.around)) for example in asked)
    shares = [templating.specificity(template, inputs, example.calls) for example, inputs in recovered if inputs is not None]
    return Fit(found.support, len(found.examples), passed, round(sum(shares) / len(shares), 4) if shares else 0.0)


def predicts(rest: Sequence[Example], example: Example) -> bool:
    """Whether a template of `rest` reproduces the calls of `example` from inputs recovered out of it."""
    try:
        template = learning.infer(rest)
    except KataError:
        return False
    return templating.match(specified(template, rest[0]), example.calls, example.results, example.around) is not None


def _saves(spec: Spec, found: Family) -> bool:
    """Whether the caller writes less than two thirds of the characters of the calls, in half of the examples."""
    written = []
    for example in found.examples:
        inputs = templating.match(spec, example.calls, example.results, example.around)
        if inputs is not None:
            by_hand = sum(len(call.tool) + len(canonical(dict(call.arguments))) for call in example.calls)
            written.append((NAME_LENGTH + len(canonical(inputs))) / by_hand)
    return bool(written) and statistics.median(written) < 2 / 3


# ── A turn, mined ────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Routine:
    """A routine that is told about: its keys, the rule that keeps it back (empty for a proposal and for what a person decided about),
    whether its pieces go with it, and whether a person declined it."""

    keys: tuple[str, ...]
    rule: str = ""
    covers: bool = True
    rejected: bool = False


@dataclass(frozen=True, slots=True)
class Sources:
    """How the miner asks for what is stored: support of windows, in how many conversations one window stands, its latest place in each
    (A12; newest first, at most so many), its calls, and what is told about already; `checked` is the last word on a proposal, `schema` the
    parameters of a tool by their fingerprint."""

    support: Callable[[Collection[int]], Support]
    spread: Callable[[int], int]
    occurrences: Callable[[int, int], Iterable[Occurrence]]
    examples: Callable[[Iterable[Occurrence]], Iterable[Example]]
    known: Callable[[], Iterable[Routine]] = tuple
    checked: Callable[[Proposal], Proposal | NearMiss] = lambda found: found
    schema: Callable[[str], Json] = lambda fingerprint: None


def mine(keys: tuple[str, ...], sources: Sources, settings: Settings) -> Proposal | NearMiss | None:
    """The verdict on one family that enough conversations hold: a proposal, the reason why not, or None when a longer routine says it
    all. It depends on the turns that hold the family, and on the verdicts on longer ones, which the same turns hold: so a turn that
    comes or goes touches only families whose windows it holds, and any order ends in the same verdicts once none waits."""
    found = score(_family(keys, sources, settings), settings)
    if isinstance(found, Proposal):
        found = sources.checked(found)
    return None if isinstance(found, NearMiss) and _overshadowed(keys, sources) else found


def stretches(keys: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """All shorter routines of neighbouring steps within one."""
    return (keys[first : first + size] for size in range(2, len(keys)) for first in range(len(keys) - size + 1))


def pieces(keys: Sequence[str]) -> Mapping[int, int]:
    """Window id → steps of all shorter routines within one, also those that pass over some of its steps."""
    found: dict[int, int] = {}
    for first in range(len(keys)):
        reached: list[tuple[int, ...]] = [(first,)]
        while reached := [(*part, at) for part in reached for at in range(part[-1] + 1, min(part[-1] + 2 + GAP, len(keys)))]:
            reached = [part for part in reached if part[-1] - first - len(part) < PASSED]
            found |= {window_id([keys[at] for at in part]): len(part) for part in reached if len(part) < len(keys)}
    return found


def neighbours(keys: tuple[str, ...], known: Iterable[Routine]) -> Mapping[int, int]:
    """Window id → steps of what a decision about a routine bears on: its pieces, what is one step longer, and its pieces with one more."""
    longer = (one.keys for one in known if len(one.keys) == len(keys) + 1 and _holds(one.keys, keys) or _varied(keys, one.keys))
    return {**pieces(keys), **{window_id(one): len(one) for one in longer}}


CHANCE = "chance"


def split(keys: tuple[str, ...], weights: Mapping[int, int]) -> tuple[tuple[int, int], ...]:
    """At how many places both parts stand, at every split."""
    places = [weights.get(part, 0) for part in halves(keys)[:-1]]
    return tuple(zip(places[::2], places[1::2], strict=True))


def unlikely(keys: tuple[str, ...], ties: Sequence[float], weights: Mapping[int, int], history: History) -> str:
    """Why the steps of a routine may have met by chance, by today's counts of its `halves`; empty when that is unlikely, or when too
    little is recorded to tell."""
    if history.calls < odds.ENOUGH:
        return ""
    return odds.unlikely(weights.get(halves(keys)[-1], 0), odds.heaviest(split(keys, weights), ties), history)


INSIDE = "inside"
FOREIGN = 2
"""A step that nothing makes use of does not belong when more than so many times as many conversations do without it: then the routine
with it holds less than half of them, and takes nothing's place."""


def loose(spec: Spec) -> tuple[int, ...]:
    """The steps of a routine, from 0, that may not belong to it: reads of whose results no later step makes use."""
    used = {part.step for step in spec.steps for part in walk(step.arguments) if isinstance(part, Reference)}
    return tuple(at for at, step in enumerate(spec.steps) if step.effect.kind is Class.READ and at not in used)


def padded(
    keys: tuple[str, ...],
    reads: Sequence[int],
    others: Iterable[tuple[str, ...]],
    spread: Callable[[int], int],
    support: Callable[[Collection[int]], Support],
) -> str:
    """Why steps of a routine do not belong to it: inside it, when more than twice as many conversations do without them; anywhere, when
    at least half of its turns hold another routine that does without; empty when they belong."""
    window = window_id(keys)
    for left in (part for size in range(1, min(PASSED, len(keys) - 1) + 1) for part in combinations(reads, size)):
        rest, steps = tuple(key for at, key in enumerate(keys) if at not in left), " and ".join(str(at + 1) for at in left)
        inside = left[0] > 0 and left[-1] < len(keys) - 1
        if inside and (without := spread(window_id(rest))) > FOREIGN * spread(window):
            return f"{without} conversations do it without step {steps}, {spread(window)} with it"
        if any(_within(window, window_id(other), support) for other in others if _holds(other, rest) and not _holds(keys, other)):
            return f"without step {steps} it is a piece of another routine"
    return ""


def _within(window: int, other: int, support: Callable[[Collection[int]], Support]) -> bool:
    held = support([window, other])
    own, theirs = _turns(held[window]), _turns(held[other])
    return 2 * len(own & theirs) >= len(own)


def ties(found: Proposal) -> tuple[float, ...]:
    """For each split of a routine how easily its parts fit each other: the share of pairs of examples in which the first part of one and
    the second part of the other would have been one example of the spec. Where values tie the parts it is small, and meeting at all is
    evidence; where everything is fixed, or an input picks any field of a table that holds them all, it is 1."""
    examples = [one for one in found.exhibits if templating.recovered(found.spec, one) is not None][: odds.CROSSED]
    last = len(found.spec.steps)
    pairs = [(one, other) for one in examples for other in examples if one is not other]
    if not any(isinstance(part, Input | Reference) for step in found.spec.steps for part in walk(step.arguments)):
        return (1.0,) * (last - 1)
    fits = [sum(_crossed(found.spec, one, other, at) for one, other in pairs) for at in range(1, last)]
    return tuple(round((fit + 1) / (len(pairs) + 1), 4) for fit in fits)


def _crossed(spec: Spec, one: Example, other: Example, at: int) -> bool:
    calls, results = (*one.calls[:at], *other.calls[at:]), (*one.results[:at], *other.results[at:])
    return templating.match(spec, calls, results, one.around) is not None


@lru_cache(maxsize=2048)
def halves(keys: tuple[str, ...]) -> tuple[int, ...]:
    """The windows by whose counts chance is judged: both parts at every split, and the whole."""
    parts = [part for at in range(1, len(keys)) for part in (keys[:at], keys[at:])]
    return tuple(window_id(part) for part in (*parts, keys))


def chance(
    keys: tuple[str, ...], weights: Mapping[int, int], history: History, ties: Sequence[float] = ()
) -> tuple[float, float]:
    """Lift and doubt at the worst split. Places are counted, not turns: a tool that is called twenty times in a turn meets its
    neighbours twenty times as often."""
    weight = odds.heaviest(split(keys, weights), ties or (1.0,) * (len(keys) - 1))
    return odds.odds(weights.get(window_id(keys), 0), weight, history)


def _family(keys: tuple[str, ...], sources: Sources, settings: Settings) -> Family:
    """The examples of the newest conversations whose options are usual; all where those are too few."""
    window = window_id(keys)
    support, examples = sources.spread(window), [trimmed(one) for one in sources.examples(sources.occurrences(window, SCORED))]
    usual = examples if looped(keys) else _usual(examples)
    if len(usual) >= settings.min_support:
        return Family(tuple(usual), support - (len(examples) - len(usual)), keys, sources.schema)
    return Family(tuple(examples), support, keys, sources.schema)


def _usual(examples: Sequence[Example]) -> list[Example]:
    """The examples in which each option of a step is there, or is not there, as in at least one other: it cannot be learnt from one."""
    kept = list(examples)
    while True:
        rows = [frozenset((step, name) for step, call in enumerate(one.calls) for name in _flags(call)) for one in kept]
        counts = Counter(option for row in rows for option in row)
        lonely = {option for option, times in counts.items() if times == 1}
        nearly = {option for option, times in counts.items() if times == len(kept) - 1}
        left = [one for one, row in zip(kept, rows, strict=True) if not row & lonely and nearly <= row]
        if len(left) == len(kept):
            return kept
        kept = left


def covered(keys: tuple[str, ...], known: Collection[Routine], support: Callable[[Collection[int]], Support]) -> bool:
    """Whether a family needs no look of its own: it is a piece of proposed or decided routines that hold at least half of its turns,
    an equally frequent piece of a loop that is told, or nearly one that was declined, an equally frequent piece of
    such a one, or steps of it with another one that are mostly done where it is (A29: a slightly different window stays declined too)."""
    if any(one.rejected and abs(len(one.keys) - len(keys)) == 1 and (_holds(one.keys, keys) or _holds(keys, one.keys)) for one in known):
        return True
    if any(_within(window_id(keys), window_id(one.keys), support) for one in known if one.rejected and _varied(one.keys, keys)):
        return True
    longer = [one for one in known if len(one.keys) > len(keys) and _holds(one.keys, keys)]
    whole = [one.keys for one in longer if one.covers]
    equals = [window_id(one.keys) for one in longer if one.rule == "loop" and looped(one.keys) == looped(keys)]
    equals += [window_id(part) for one in longer if one.rejected for part in (one.keys[1:], one.keys[:-1]) if _holds(part, keys)]
    return _held_by(keys, whole, equals, support)


def _varied(keys: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether another routine is made of some steps of one, two at least, and one that is foreign to it."""
    return len(other) > 2 and any(_holds(keys, (*other[:at], *other[at + 1 :])) for at in range(len(other)))


def _overshadowed(keys: tuple[str, ...], sources: Sources) -> bool:
    """Whether a near miss is only a piece of proposals that hold at least half of its turns, or of a near miss of its kind that is as
    frequent."""
    told = (one for one in sources.known() if one.rule != CHANCE)  # what chance explains says nothing about its pieces
    longer = [one for one in told if len(one.keys) > len(keys) and _holds(one.keys, keys)]
    whole = [one.keys for one in longer if one.covers]
    equals = [window_id(one.keys) for one in longer if looped(one.keys) == looped(keys)]
    return _held_by(keys, whole, equals, sources.support)


def _held_by(
    keys: tuple[str, ...], whole: Sequence[tuple[str, ...]], equals: Sequence[int], support: Callable[[Collection[int]], Support]
) -> bool:
    """Whether a routine is as frequent as one of `equals`, or whole ones hold at least half of its turns: together those of which it is
    a stretch, each by itself where it passes over a step, since that step may not belong."""
    window, ids = window_id(keys), {longer: window_id(longer) for longer in whole}
    if not whole and not equals:
        return False
    held = support([window, *ids.values(), *equals])
    if any(_as_frequent(held[one], held[window]) for one in (*equals, *ids.values())):
        return True
    stretch = frozenset(turn for longer, one in ids.items() if _holds(longer, keys, gap=0) for turn in _turns(held[one]))
    theirs = (stretch, *(_turns(held[one]) for longer, one in ids.items()))
    own = _turns(held[window])
    return any(2 * len(own & turns) >= len(own) for turns in theirs)


def _turns(places: Mapping[str, frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*places.values())


def _holds(longer: tuple[str, ...], shorter: tuple[str, ...], gap: int = GAP) -> bool:
    """Whether a routine stands in another, also with steps of the other in its gaps."""
    ends = {at for at, key in enumerate(longer) if key == shorter[0]}
    for key in shorter[1:]:
        ends = {after for at in ends for after in range(at + 1, min(at + 2 + gap, len(longer))) if longer[after] == key}
    return bool(ends)
