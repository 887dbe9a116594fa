"""Finds the routines that repeat: runs, keys, windows, whole routines, and how well a template predicts what it was not built from; it
reads no clock and no file, and never decides about approval."""

from __future__ import annotations

import hashlib
import math
import re
import statistics
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from . import quoting, shell, templating
from .effects import BOOKKEEPING, CONVERSATIONAL, DELEGATING, addresses_kata, effect
from .model import (
    SHELL_TOOLS,
    Call,
    Command,
    Concat,
    Effect,
    Event,
    Example,
    Expression,
    Fit,
    Input,
    Json,
    KataError,
    Literal,
    NearMiss,
    Object,
    Occurrence,
    OpaqueCommand,
    Proposal,
    Reference,
    Settings,
    Spec,
    Step,
    TemplateError,
    Turn,
    canonical,
    walk,
)
from .origins import informative

IDLE_S = 300.0
"""A pause longer than this breaks a run (K36); exactly this does not (A3)."""
NAME_LENGTH = 12
"""Characters of a usual kata name, which the caller writes too."""
SCORED = 20
"""At most so many of the newest conversations are scored (A12)."""


# ── Runs ─────────────────────────────────────────────────────────────────────────────────────────


def runs(turn: Turn) -> tuple[tuple[Event, ...], ...]:
    """The longest chains of neighbouring successful calls of one turn (K34–K38), failed attempts folded away (A5)."""
    found: list[list[Event]] = [[]]
    before: Event | None = None
    for index, event in enumerate(turn.events):
        idle, before = before is not None and event.started - before.ended > IDLE_S, event
        if idle:
            found.append([])
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


def _program(call: Call) -> tuple[str, str]:
    """Tool and, for a shell, the first program without its sub-command; of a command that is not understood its first word."""
    code = call.arguments.get(SHELL_TOOLS.get(call.tool, ""))
    if not isinstance(code, str):
        return call.tool, ""
    try:
        first = next((name for name in shell.programs(shell.parse(code)) if name), "")
    except OpaqueCommand:
        first = code
    return call.tool, first.split()[0] if first.split() else ""


# ── Keys and windows ─────────────────────────────────────────────────────────────────────────────


def key(call: Call) -> str:
    """What calls must share to be counted together (design section 5.2): tool and argument names; for a shell its
    programs and sub-commands in order; a command that is not understood stands for itself alone."""
    names = ",".join(sorted(call.arguments))
    code = call.arguments.get(SHELL_TOOLS.get(call.tool, ""))
    if not isinstance(code, str):
        return f"{call.tool}({names})"
    try:
        return f"{call.tool}({names}): {' | '.join(shell.programs(shell.parse(code)))}"
    except OpaqueCommand:
        return f"{call.tool}({names}): ={hashlib.sha256(code.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


@dataclass(frozen=True, slots=True)
class Item:
    """One step of a run: a call, or a call repeated at once with the same programs and flags, which is a loop (its key ends
    with `*`)."""

    key: str
    events: tuple[Event, ...]

    @property
    def loops(self) -> bool:
        return len(self.events) > 1


def items(run: Sequence[Event]) -> tuple[Item, ...]:
    """The steps of a run; an immediate repeat in which nothing comes from the repeat before is folded (design section 5.1)."""
    found: list[list[Event]] = []
    for event in run:
        if found and _repeats(found[-1][-1], event):
            found[-1].append(event)
        else:
            found.append([event])
    return tuple(Item(key(one[0].call) + ("*" if len(one) > 1 else ""), tuple(one)) for one in found)


def _repeats(before: Event, event: Event) -> bool:
    if before.call.tool != event.call.tool or key(before.call) != key(event.call) or _flags(before.call) != _flags(event.call):
        return False
    new = _words(event.call.arguments) - _words(before.call.arguments)
    result = before.outcome.result
    text = result if isinstance(result, str) else canonical(result)
    return not any(informative(word) and word in text for word in new)


_WORD = re.compile(r"[\w-]+")


def _words(arguments: Mapping[str, Json]) -> frozenset[str]:
    return frozenset(_WORD.findall(canonical(dict(arguments))))


def _flags(call: Call) -> tuple[str, ...]:
    """The options of a shell command, sorted, without their values: known before a run, so a family may be split by them."""
    code = call.arguments.get(SHELL_TOOLS.get(call.tool, ""))
    if not isinstance(code, str):
        return ()
    try:
        script = shell.parse(code)
    except OpaqueCommand:
        return ()
    words = [word for command in script.commands() for word in shell.arguments(command)[1:]]
    return tuple(sorted(word.split("=", 1)[0] for word in words if word is not None and word.startswith("-")))


Windows = Mapping[int, tuple[int, int]]
"""Window id → positions of its first and last event in the turn."""


def window_id(keys: Sequence[str]) -> int:
    """A signed 64-bit number for a sequence of keys."""
    text = "\x1f".join(keys).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big", signed=True)


def _slices(turn: Turn, max_steps: int, least: int = 2) -> Iterator[tuple[Item, ...]]:
    """Every `least` to `max_steps` neighbouring items of the runs of a turn, in order."""
    for run in runs(turn):
        row = items(run)
        for first in range(len(row)):
            for size in range(least, min(max_steps, len(row) - first) + 1):
                yield row[first : first + size]


def windows(turn: Turn, max_steps: int) -> Windows:
    """Every window of a turn once, the latest place counts (K39, K41, A12); single steps too, since chance is judged by them."""
    found = {}
    for row in _slices(turn, max_steps, least=1):
        found[window_id([item.key for item in row])] = (row[0].events[0].position, row[-1].events[-1].position)
    return found


Support = Mapping[int, Mapping[str, frozenset[str]]]
"""Window id → conversation → turns that hold it."""


def frequent(turn: Turn, support: Support, settings: Settings) -> tuple[tuple[str, ...], ...]:
    """The keys of the windows of a turn that recur in enough conversations (K42), longest first, loops after the rest."""
    found = {
        keys: None
        for row in _slices(turn, settings.max_steps)
        if len(support.get(window_id(keys := tuple(item.key for item in row)), {})) >= settings.min_support
    }
    return tuple(sorted(found, key=lambda keys: (_looped(keys), -len(keys))))


def _looped(keys: Sequence[str]) -> bool:
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


def chosen(occurrences: Iterable[Occurrence]) -> tuple[Occurrence, ...]:
    """The latest of each conversation (A12), out of occurrences given newest first."""
    latest: dict[str, Occurrence] = {}
    for occurrence in occurrences:
        latest.setdefault(occurrence.conversation, occurrence)
    return tuple(latest.values())


def trimmed(example: Example) -> Example:
    """The example without what stands between its steps: failed attempts that were folded away and bookkeeping."""
    return replace(example, events=tuple(event for event in example.events if event.outcome.ok and event.call.tool not in BOOKKEEPING))


def fingerprint(keys: Sequence[str]) -> str:
    """The identity of a routine (A29): its sequence of keys, as SHA-256 in hex."""
    return hashlib.sha256("\x1f".join(keys).encode("utf-8", "surrogatepass")).hexdigest()


def score(found: Family, settings: Settings) -> Proposal | NearMiss:
    """A proposal when the template predicts each example it was not built from; else the one rule that failed."""
    if _looped(found.keys):
        counts = [len(example.events) - len(found.keys) + 1 for example in found.examples]
        return _missed(found, "loop", f"one step repeats {min(counts)} to {max(counts)} times; loops are not proposed yet")
    try:
        template = templating.infer(found.examples)
        _tied(template, [call.tool for call in found.examples[0].calls])
        if len(set(found.keys)) == 1 and not flows(template.steps):
            return _missed(found, "loop", f"one step repeats {len(found.keys)} times; loops are not proposed yet")
    except KataError as error:
        rule = "coherence" if isinstance(error, _Untied) else "template" if isinstance(error, TemplateError) else "opaque"
        return _missed(found, rule, error.message)
    spec = specified(template, found.examples[0])
    fit = measured(found, spec, template)
    if fit.confidence < settings.min_confidence:
        return _missed(
            found, "confidence", f"fits {fit.passed} of {fit.tried} examples it was not built from; confidence {fit.confidence:.2f}"
        )
    proposal = Proposal(spec, fingerprint(found.keys), fit, found.examples, keys=found.keys)
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


class _Untied(TemplateError):
    """A step that only chance put beside the others (K45)."""


def _tied(template: templating.Template, tools: Sequence[str]) -> None:
    """K44 with A8: every step after the first is tied by data flow, by a shared input, by a fixed argument that means
    something, or by being wholly fixed."""
    seen: set[str] = set()
    for index, (step, tool) in enumerate(zip(template.steps, tools, strict=True)):
        names = {part.name for part in walk(step) if isinstance(part, Input)}
        flows = any(isinstance(part, Reference) for part in walk(step))
        if index and not (flows or names & seen or _specific(step, tool)):
            raise _Untied(f"Step {index + 1} shares nothing with the steps before it")
        seen |= names


def _specific(step: Object, tool: str) -> bool:
    """Whether what is fixed in a step says what it is for; without arguments the tool itself has to (A8)."""
    code = dict(step.fields).get(SHELL_TOOLS.get(tool, ""))
    if isinstance(code, Literal):
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
    frame = quoting.frame(command)
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


def judged(tool: str, arguments: Object) -> Effect:
    """The effect of a step before its values are known."""
    return effect(tool, {name: _neutral(value) for name, value in arguments.fields})


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


def measured(found: Family, spec: Spec, template: templating.Template) -> Fit:
    """Leave one conversation out: a template of the others must reproduce its calls exactly (K50–K52)."""
    tried = passed = 0
    shares = []
    for index, example in enumerate(found.examples):
        rest = found.examples[:index] + found.examples[index + 1 :]
        tried += 1
        passed += predicts(rest, example)
        inputs = templating.match(spec, example.calls, example.results)
        if inputs is not None:
            shares.append(templating.specificity(template, inputs, example.calls))
    return Fit(found.support, tried, passed, round(sum(shares) / len(shares), 4) if shares else 0.0)


def predicts(rest: Sequence[Example], example: Example) -> bool:
    """Whether a template of `rest` reproduces the calls of `example` from inputs recovered out of it."""
    try:
        template = templating.infer(rest)
    except KataError:
        return False
    return templating.match(specified(template, rest[0]), example.calls, example.results) is not None


def _saves(spec: Spec, found: Family) -> bool:
    """Whether the caller writes less than two thirds of the characters of the calls, in half of the examples (design section 5.6)."""
    written = []
    for example in found.examples:
        inputs = templating.match(spec, example.calls, example.results)
        if inputs is not None:
            by_hand = sum(len(call.tool) + len(canonical(dict(call.arguments))) for call in example.calls)
            written.append((NAME_LENGTH + len(canonical(inputs))) / by_hand)
    return bool(written) and statistics.median(written) < 2 / 3


# ── A turn, mined ────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Routine:
    """A routine that was proposed before: its keys, and whether a person declined it."""

    keys: tuple[str, ...]
    rejected: bool = False


@dataclass(frozen=True, slots=True)
class History:
    """How much was recorded: calls, and windows that were counted."""

    calls: int
    windows: int


@dataclass(frozen=True, slots=True)
class Sources:
    """How the miner asks for what is stored: support of windows, where one window stands (newest first), its calls, and the
    routines that were proposed before."""

    support: Callable[[Collection[int]], Support]
    occurrences: Callable[[int], Iterable[Occurrence]]
    examples: Callable[[Iterable[Occurrence]], Iterable[Example]]
    routines: Callable[[], Iterable[Routine]] = tuple
    weights: Callable[[Collection[int]], Mapping[int, int]] = lambda windows: {}
    """Window id → number of turns that hold it."""
    history: Callable[[], History] = lambda: History(0, 0)


def mine(turn: Turn, sources: Sources, settings: Settings) -> tuple[Proposal | NearMiss, ...]:
    """What a turn brings: for each whole routine that it holds a proposal or the reason why not. The turn's own
    windows are already counted in `sources`. A piece of what is proposed goes (K43); a piece of what is not may stand alone."""
    support = sources.support(tuple(windows(turn, settings.max_steps)))
    known = list(sources.routines())
    found: list[Proposal | NearMiss] = []
    settled: list[tuple[str, ...]] = []  # covered, or looped and told once: their equally frequent pieces go with them
    for keys in frequent(turn, support, settings):
        if _covered(keys, known, sources) or any(_piece(keys, longer, support) for longer in settled):
            settled.append(keys)
            continue
        one = _unlikely(score(_family(keys, sources, settings), settings), sources)
        if isinstance(one, Proposal):
            known.append(Routine(one.keys))
        elif one.rule == "loop":
            settled.append(keys)
        if isinstance(one, Proposal) or not any(_holds(other.keys, keys) for other in found):
            found.append(one)
    return tuple(found)


LIFT, DOUBT, ENOUGH = 3.0, 0.01, 1_000
"""A routine is seen at least so many times as often as by chance, with at most this doubt; asked from so many recorded calls on
(design section 5.6)."""


def _unlikely(found: Proposal | NearMiss, sources: Sources) -> Proposal | NearMiss:
    """The proposal, unless its steps meet this often by chance. Where values tie all steps, their agreement is the evidence: the
    family suffices (design section 5.6)."""
    history = sources.history()
    if isinstance(found, NearMiss) or history.calls < ENOUGH or flows(step.arguments for step in found.spec.steps):
        return found
    weights = sources.weights([window_id(part) for part in _halves(found.keys)] + [window_id(found.keys)])
    times, doubt = chance(found.keys, weights, history)
    if times >= LIFT and doubt < DOUBT:
        return found
    doubtful = f", doubt {doubt:.2g}" if times >= LIFT else ""
    detail = f"its steps meet {times:.1f} times as often as by chance{doubtful}; {LIFT:.0f} times and a doubt below {DOUBT} are needed"
    return NearMiss(found.keys, "chance", detail, found.fit.support, found.fingerprint)


def _halves(keys: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [part for at in range(1, len(keys)) for part in (keys[:at], keys[at:])]


def chance(keys: tuple[str, ...], weights: Mapping[int, int], history: History) -> tuple[float, float]:
    """Lift and doubt at the worst split: turns that hold the routine over those in which its two parts would meet by chance, and
    the Poisson tail of that times the number of windows that were looked at."""
    seen = weights.get(window_id(keys), 0)
    worst, doubt = math.inf, 0.0
    for at in range(1, len(keys)):
        expected = weights.get(window_id(keys[:at]), 0) * weights.get(window_id(keys[at:]), 0) / max(1, history.calls)
        worst = min(worst, seen / expected if expected else math.inf)
        doubt = max(doubt, _tail(seen, expected) * max(1, history.windows))
    return worst, doubt


def _tail(seen: int, expected: float) -> float:
    """P(X ≥ seen) for a Poisson variable with that mean, summed upwards until a term is negligible."""
    if seen <= 0 or expected <= 0:
        return 0.0 if seen > 0 else 1.0
    term = math.exp(seen * math.log(expected) - expected - math.lgamma(seen + 1))
    total, count = 0.0, seen
    while term > total * 1e-12 and count < seen + 10_000:
        total += term
        count += 1
        term *= expected / count
    return min(1.0, total)


def _piece(keys: tuple[str, ...], longer: tuple[str, ...], support: Support) -> bool:
    """Whether a window is a piece of a longer one of its kind that is as frequent."""
    inside = len(longer) > len(keys) and _holds(longer, keys) and _looped(longer) == _looped(keys)
    return inside and _as_frequent(support[window_id(longer)], support[window_id(keys)])


def _family(keys: tuple[str, ...], sources: Sources, settings: Settings) -> Family:
    """The largest group of examples with one set of flags (design section 5.5), of the newest conversations; all of them where no
    group is large enough alone."""
    places = chosen(sources.occurrences(window_id(keys)))
    groups: dict[tuple[object, ...], list[Example]] = {}
    for example in sources.examples(places[:SCORED]):
        one = trimmed(example)
        groups.setdefault(() if _looped(keys) else tuple(_flags(call) for call in one.calls), []).append(one)
    largest = max(groups.values(), key=len)
    if len(groups) > 1 and len(largest) >= settings.min_support:
        return Family(tuple(largest), len(largest), keys)
    return Family(tuple(one for group in groups.values() for one in group), len(places), keys)


def _covered(keys: tuple[str, ...], known: Sequence[Routine], sources: Sources) -> bool:
    """Whether a routine is a piece of longer ones that hold at least half of its turns (design section 5.4), or nearly
    one that was declined (A29: a slightly different window of it stays declined too)."""
    if any(one.rejected and abs(len(one.keys) - len(keys)) == 1 and (_holds(one.keys, keys) or _holds(keys, one.keys)) for one in known):
        return True
    longer = [window_id(one.keys) for one in known if len(one.keys) > len(keys) and _holds(one.keys, keys)]
    if not longer:
        return False
    window = window_id(keys)
    return _held_by(window, longer, sources.support([window, *longer]))


def absorbed(
    longer: tuple[str, ...], known: Iterable[tuple[str, ...]], support: Callable[[Collection[int]], Support]
) -> Iterator[tuple[str, ...]]:
    """The keys of shorter routines that are only pieces of a longer one: it holds at least half of their turns."""
    for keys in known:
        if len(keys) < len(longer) and _holds(longer, keys):
            window, whole = window_id(keys), window_id(longer)
            if _held_by(window, [whole], support([window, whole])):
                yield keys


def _held_by(window: int, longer: Sequence[int], support: Support) -> bool:
    """Whether longer windows are as frequent as one, or hold at least half of its turns."""
    if any(_as_frequent(support.get(one, {}), support.get(window, {})) for one in longer):
        return True
    own = frozenset().union(*support.get(window, {}).values())
    theirs = frozenset().union(*(turns for one in longer for turns in support.get(one, {}).values()))
    return 2 * len(own & theirs) >= len(own)


def _holds(longer: tuple[str, ...], shorter: tuple[str, ...]) -> bool:
    return any(longer[at : at + len(shorter)] == shorter for at in range(len(longer) - len(shorter) + 1))
