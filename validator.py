"""Asks twelve questions of a spec before it may be proposed or approved, and names a tool's schema by a fingerprint; it never calls
a tool: whatever is replayed here is answered from the recorded examples."""

from __future__ import annotations

import hashlib
import json
import math
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from .effects import BOOKKEEPING, CONVERSATIONAL, DELEGATING, addresses_kata, names_kata
from .learning import infer
from .looks import PLACEHOLDER
from .model import (
    HOLDOUT,
    ODD_FROM,
    PREFIX,
    Ambient,
    Array,
    Call,
    Check,
    Command,
    Concat,
    Effect,
    Event,
    Example,
    Expression,
    Hole,
    InputError,
    InputField,
    Json,
    KataError,
    Literal,
    Object,
    OpaqueCommand,
    Option,
    Outcome,
    Pick,
    Reference,
    Spec,
    Status,
    StepCall,
    TemplateError,
    Trace,
    canonical,
    walk,
)
from .redact import Masker
from .schemas import NAMED, VALUES, masked_schema
from .secrecy import label
from .settings import RANGES
from .templating import recovered, render

Replay = Callable[[Spec, Mapping[str, Json], Callable[[StepCall], Outcome]], Trace]
Verdict = tuple[bool, str]

STEPS = range(2, 21)
"""How many steps a routine may have."""
NO_LIMIT = "no limit of ours"
"""What is said of a step that only the host's own limit would end."""

FILES = frozenset({"read_file", "search_files", "write_file", "patch"})
"""Tools that touch files under the names they are given, and nothing else."""

FLEETING = re.compile(r"@e\d+|proc_[0-9a-f]{4,}")
"""How the host names an element of the page last looked at, and a process it started."""

REMARKS = frozenset({"description", "title", "examples", "$comment"})
"""Keywords of a JSON schema that say nothing about which arguments are right."""


# ── Schemas of tools ─────────────────────────────────────────────────────────────────────────────


def fingerprint(schema: Json) -> str:
    """Name a tool's parameter schema by 16 hex digits that change when the arguments it takes do (K65, A18)."""
    return hashlib.sha256(canonical(normalised(schema)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def coerced(arguments: Mapping[str, Json], parameters: Json) -> dict[str, Json]:
    """The arguments as the host makes them fit the tool's parameters before it runs it: text becomes the number, truth value, list or
    object that the schema asks for, where it can be read as one. Hooks see both forms of the same call (host contract 1)."""
    known = parameters.get("properties") if isinstance(parameters, dict) else None
    kinds = {name: one.get("type") for name, one in known.items() if isinstance(one, dict)} if isinstance(known, dict) else {}
    return {name: _coerced(value, kinds.get(name)) for name, value in arguments.items()}


def _coerced(value: Json, kind: Json) -> Json:
    if kind == "array" and value is not None and not isinstance(value, str | list):
        return [value]
    if not isinstance(value, str) or kind not in READERS:
        return value
    try:
        found = READERS[kind](value.strip())
    except (ValueError, OverflowError, RecursionError):
        found = None
    return found if found is not None else [value] if kind == "array" else value


def _whole_number(text: str) -> int | None:
    number = float(text)
    return int(number) if math.isfinite(number) and number == int(number) else None


def _number(text: str) -> float | int | None:
    number = float(text)
    return None if not math.isfinite(number) else int(number) if number == int(number) else number


READERS: Mapping[str, Callable[[str], Json]] = {
    "integer": _whole_number,
    "number": _number,
    "boolean": lambda text: {"true": True, "false": False}.get(text.lower()),
    "array": lambda text: found if isinstance(found := json.loads(text), list) else None,
    "object": lambda text: found if isinstance(found := json.loads(text), dict) else None,
}


def normalised(schema: Json) -> Json:
    """The schema without its descriptions and other remarks, and with its required names in order."""
    if isinstance(schema, list | tuple):
        return [normalised(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {key: _keyword(key, value) for key, value in schema.items() if key not in REMARKS}


def _keyword(key: str, value: Json) -> Json:
    if key in VALUES:
        return value
    if key in NAMED and isinstance(value, Mapping):
        return {name: normalised(inner) for name, inner in value.items()}
    if key == "required" and isinstance(value, list | tuple):
        return sorted(value, key=str)
    return normalised(value)


def compatible(old: Json, new: Json) -> bool:
    """Whether every call that fitted the old parameters fits the new ones: at most optional arguments were added, or fewer are asked for
    (A18)."""
    before, after = normalised(old), normalised(new)
    if not isinstance(before, dict) or not isinstance(after, dict):
        return False
    known, now = before.get("properties"), after.get("properties")
    if not isinstance(known, dict) or not isinstance(now, dict):
        return False
    kept = {name: value for name, value in now.items() if name in known}
    asked, needed = before.get("required", []), after.get("required", [])
    fewer = isinstance(asked, list) and isinstance(needed, list) and all(one in asked for one in needed)
    return fewer and canonical({**after, "properties": kept, "required": []}) == canonical({**before, "required": []})


def drift(tool: str, recorded: str, now: str | None, known: Callable[[str], Json]) -> tuple[str, str]:
    """What speaks against a tool as it is today, and what is only to be said of it, each empty when there is nothing (K65, A18)."""
    if now is None:
        return "", f"{tool} is not checked here"
    if not recorded:
        return "", f"{tool} was recorded without a schema"
    if not now:
        return "", f"the schema of {tool} cannot be read today"
    if now == recorded:
        return "", ""
    old, new = known(recorded), known(now)
    changed = f"the schema of {tool} has changed since it was recorded"
    if old is None or new is None:
        return f"{changed}, and only its fingerprints are known, which do not tell whether the recorded calls still fit", ""
    fits = compatible(masked_schema(old), masked_schema(new))  # what is kept holds no secret, what is there today may
    return ("", f"{tool} takes new arguments or asks for fewer since it was recorded") if fits else (changed, "")


# ── The questions ────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Case:
    """What the questions are asked of; `inputs` are those recovered from each example, None where there are none."""

    spec: Spec
    examples: Sequence[Example]
    schemas: Mapping[str, str | None]
    replay: Replay
    min_support: int
    known: Callable[[str], Json]
    inputs: Sequence[Mapping[str, Json] | None]
    revision: bool = False
    """Whether a kata that a person approved is to be changed (A27): two conversations are enough to show how it is done now."""
    taught: bool = False
    """Whether a person taught it (T13): one example is enough, and none is held out."""
    forced: bool = False
    """Whether a person put it into review although it fails a rule (T20): how it fares is told, and keeps nothing back."""

    @property
    def recovered(self) -> Iterator[tuple[int, Example, Mapping[str, Json]]]:
        """The examples whose inputs are known, with their number from 1."""
        pairs = zip(self.examples, self.inputs, strict=True)
        return ((number, one, inputs) for number, (one, inputs) in enumerate(pairs, 1) if inputs is not None)

    @property
    def odd(self) -> int:
        """The number of the one example that is set aside because it alone does not fit (A13); 0 where there is none."""
        unfit = [number for number, inputs in enumerate(self.inputs, 1) if inputs is None]
        return unfit[0] if len(unfit) == 1 and len(self.examples) >= ODD_FROM else 0

    @property
    def asked(self) -> list[Example]:
        """The examples that have to fit."""
        return [one for number, one in enumerate(self.examples, 1) if number != self.odd]


def validate(
    spec: Spec,
    examples: Sequence[Example],
    schemas: Mapping[str, str | None],
    replay: Replay,
    min_support: int,
    known: Callable[[str], Json] = lambda fingerprint: None,
    revision: bool = False,
    taught: bool = False,
    forced: bool = False,
) -> tuple[Check, ...]:
    """Answer all twelve checks of K57–K68, in that order, whatever the others said; `revision` of what a person approved before, `taught`
    or `forced` by a person.

    `schemas` gives each tool's fingerprint of today, None where the tool cannot be looked up in this process; `known` gives the schema
    of a fingerprint, None where it was never seen. `replay` runs a spec with inputs against a stub, under the driver of real runs; it must
    raise InputError for arguments that do not fit."""
    inputs = [_recovered(spec, one) for one in examples]
    case = Case(spec, examples, schemas, replay, min_support, known, inputs, revision, taught, forced)
    return tuple(_ask(name, rule, case) for name, rule in RULES.items())


def _ask(name: str, rule: Callable[[Case], Verdict], case: Case) -> Check:
    try:
        passed, reason = rule(case)
    except KataError as error:
        passed, reason = False, error.message
    return Check(name, passed, reason)


def _verdict(problems: Sequence[str], praise: str) -> Verdict:
    return not problems, "; ".join(problems) or praise


# ── Against the record: K57, K58 ─────────────────────────────────────────────────────────────────


def replay_matches_recorded(case: Case) -> Verdict:
    """Whether the inputs recovered from each example render its exact arguments (K57)."""
    problems = []
    for number, (one, inputs) in enumerate(zip(case.examples, case.inputs, strict=True), 1):
        found = "no inputs reproduce it" if inputs is None else _difference(one.calls, _rendered(case.spec, inputs, one.results))
        problems += [f"example {number}: {found}"] if found and number != case.odd else []
    aside = f"; example {case.odd} is odd and set aside" if case.odd else ""
    return _verdict(problems or _none(case), f"all {len(case.asked)} examples are reproduced exactly{aside}")


def holdout_fit(case: Case) -> Verdict:
    """Whether a template built without an example reproduces it, for at least nine of ten (K58)."""
    if case.taught:
        return True, f"taught from {len(case.examples)} example{'s' * (len(case.examples) > 1)}: none is held out"
    conversations = len({one.conversation for one in case.examples})
    if conversations < 2:
        return False, "there are no two conversations, so none can be held out"
    if case.revision and conversations == 2:
        return True, "how it is done now was seen in 2 conversations, so none could be held out: look closely"
    passed = sum(_predicted(case, held) for held in case.asked)
    share = f"{passed} of {len(case.asked)} held-out examples are reproduced, {HOLDOUT:.0%} are needed"
    if case.forced:
        return True, f"{share} elsewhere, and a person wanted it"
    return passed >= HOLDOUT * len(case.asked), share


def _predicted(case: Case, held: Example) -> bool:
    try:
        template = infer([one for one in case.asked if one.conversation != held.conversation])
    except (TemplateError, OpaqueCommand):
        return False
    if len(template.steps) != len(case.spec.steps):
        return False
    steps = (replace(step, arguments=made) for step, made in zip(case.spec.steps, template.steps, strict=True))
    spec = Spec(template.inputs, tuple(steps))
    inputs = _recovered(spec, held)
    return inputs is not None and not _difference(held.calls, _rendered(spec, inputs, held.results))


def _recovered(spec: Spec, one: Example) -> Mapping[str, Json] | None:
    if len(one.events) != len(spec.steps):
        return None
    try:
        return recovered(spec, one)
    except (TemplateError, OpaqueCommand):
        return None


def _rendered(spec: Spec, inputs: Mapping[str, Json], results: Sequence[Json]) -> list[Call]:
    return [Call(step.tool, render(step.arguments, inputs, results[:index])) for index, step in enumerate(spec.steps)]


def _difference(wanted: Sequence[Call], made: Sequence[Call]) -> str:
    """Where two sequences of calls part, empty when they are equal as JSON with their types (A15, B31); names, never values."""
    for number, (left, right) in enumerate(zip(wanted, made, strict=False), 1):
        if left.tool != right.tool:
            return f"step {number} calls {right.tool} in place of {left.tool}"
        keys = sorted({*left.arguments, *right.arguments})
        odd = next((key for key in keys if _only(left, key) != _only(right, key)), None)
        if odd is not None:
            return f"step {number} ({left.tool}) differs in {odd!r}"
    return "" if len(wanted) == len(made) else f"{len(made)} calls in place of {len(wanted)}"


def _only(call: Call, key: str) -> str:
    return canonical({key: call.arguments[key]} if key in call.arguments else {})


# ── Through the executor: K59–K63 ────────────────────────────────────────────────────────────────


def executor_replay(case: Case) -> Verdict:
    """Whether the executor issues the recorded calls in order and comes to an end (K59)."""
    problems = []
    for number, one, inputs in case.recovered:
        trace, issued = _rehearse(case, one, inputs)
        found = _difference(one.calls, [asked.call for asked in issued])
        if not found and trace.status is not Status.OK:
            found = f"the run ended as {trace.status.value}: {trace.reason}"
        problems += [f"example {number}: {found}"] if found else []
    return _verdict(problems or _unrecovered(case), "the recorded calls are issued in order with equal arguments")


def failure_handling(case: Case) -> Verdict:
    """Whether an error at any step stops the run there, with one dispatch for a step that has effects (K60, K77)."""
    failure = Outcome(Status.ERROR, {"error": "injected"}, "injected")
    reads = 1 + int(RANGES["read_retries"][1])
    return _stops(case, failure, lambda effect: reads if effect.plain_read else 1)


def timeout_handling(case: Case) -> Verdict:
    """Whether a step that hangs stops the run and is not issued again, reads included (K61, K79); where only the host would end it,
    the reason says so."""
    return _stops(case, Outcome(Status.TIMEOUT, None, "injected"), lambda effect: 1)


def _stops(case: Case, injected: Outcome, most: Callable[[Effect], int]) -> Verdict:
    example, inputs = next(((one, inputs) for _, one, inputs in case.recovered), (None, None))
    if example is None or inputs is None:
        return _verdict(_unrecovered(case), "")
    problems, remarks = [], []
    for at, step in enumerate(case.spec.steps):
        trace, issued = _rehearse(case, example, inputs, at, injected)
        free = injected.status is Status.TIMEOUT and trace.reason == NO_LIMIT
        found = _halt(trace, issued, at, Status.UNKNOWN if free else injected.status, most(step.effect))
        problems += [f"step {at + 1} ({step.tool}): {found}"] if found else []
        remarks += [f"; step {at + 1} ({step.tool}): {NO_LIMIT}"] if free else []
    praise = f"tried at each of {len(case.spec.steps)} steps: the run stops there and later steps are skipped"
    return _verdict(problems, praise + "".join(remarks))


def _halt(trace: Trace, issued: Sequence[StepCall], at: int, status: Status, most: int) -> str:
    """What is wrong with a run that should have stopped at `at` after at most `most` dispatches of that step."""
    times = sum(asked.index == at for asked in issued)
    wanted = [Status.OK] * at + [status] + [Status.SKIPPED] * (len(trace.steps) - at - 1)
    if not 1 <= times <= most:
        return f"dispatched {times} times"
    if any(asked.index > at for asked in issued):
        return "a later step was dispatched"
    if [one.status for one in trace.steps] != wanted or trace.status is not status:
        return "the trace does not say what happened"
    return ""


def input_schema(case: Case) -> Verdict:
    """Whether the recorded arguments are accepted, and refused before any call with one missing or one too many (K62)."""
    problems = []
    for number, one, inputs in case.recovered:
        if _refused(case, one, inputs):
            problems.append(f"the arguments of example {number} are refused")
        needed = [field.name for field in case.spec.inputs if field.default is None]
        fewer = ((name, {key: value for key, value in inputs.items() if key != name}) for name in needed)
        problems += [f"a call without {name!r} is accepted" for name, given in fewer if not _refused(case, one, given)]
        if not _refused(case, one, {**inputs, "_".join(["more", *inputs]): ""}):
            problems.append("an unknown argument is accepted")
    count = len(case.spec.inputs)
    praise = f"recorded arguments are accepted, incomplete calls are refused ({count} argument{'' if count == 1 else 's'})"
    return _verdict(problems or _unrecovered(case), praise)


def _refused(case: Case, one: Example, inputs: Mapping[str, Json]) -> bool:
    issued: list[StepCall] = []
    try:
        case.replay(case.spec, inputs, _stub(one, issued))
    except InputError:
        return not issued
    return False


def output_schema(case: Case) -> Verdict:
    """Whether the envelope of a recorded run is whole, and is refused with any one field missing (K63, A16)."""
    problems = []
    kinds = {_kind(one.results[-1]) for one in case.examples if one.results}
    for number, one, inputs in case.recovered:
        envelope = _envelope(_rehearse(case, one, inputs)[0])
        if not _whole(case.spec, envelope, kinds):
            problems.append(f"the run of example {number} does not give status, every step's status and the final result")
        if any(_whole(case.spec, broken, kinds) for broken in _broken(envelope)):
            problems.append(f"the run of example {number} is accepted with a field missing")
    praise = f"status, {len(case.spec.steps)} step statuses and a final result ({' or '.join(sorted(kinds))})"
    return _verdict(problems or _unrecovered(case), praise)


def _envelope(trace: Trace) -> dict[str, Json]:
    steps = [{"tool": one.tool, "status": one.status.value} for one in trace.steps]
    return {"status": trace.status.value, "steps": steps, "result": trace.result}


def _whole(spec: Spec, envelope: Mapping[str, Json], kinds: set[str]) -> bool:
    if not {"status", "steps", "result"} <= envelope.keys():
        return False
    wanted = [{"tool": step.tool, "status": Status.OK.value} for step in spec.steps]
    return envelope["status"] == Status.OK.value and envelope["steps"] == wanted and _kind(envelope["result"]) in kinds


def _kind(value: Json) -> str:
    return {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}.get(type(value), "a number")


def _broken(envelope: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    """The envelope with one field missing, for each field of it and of its steps."""
    for key in envelope:
        yield {name: value for name, value in envelope.items() if name != key}
    steps: list[dict[str, Json]] = envelope["steps"]
    for index, step in enumerate(steps):
        for key in step:
            fewer = {name: value for name, value in step.items() if name != key}
            yield {**envelope, "steps": [*steps[:index], fewer, *steps[index + 1 :]]}


def _rehearse(
    case: Case, one: Example, inputs: Mapping[str, Json], at: int = -1, injected: Outcome | None = None
) -> tuple[Trace, list[StepCall]]:
    issued: list[StepCall] = []
    return case.replay(case.spec, inputs, _stub(one, issued, at, injected)), issued


def _stub(one: Example, issued: list[StepCall], at: int = -1, injected: Outcome | None = None) -> Callable[[StepCall], Outcome]:
    """A dispatcher that notes each call and answers as recorded, at step `at` with `injected`."""

    def dispatch(asked: StepCall) -> Outcome:
        issued.append(asked)
        if asked.index == at and injected is not None:
            return injected
        if asked.index < len(one.events):
            return one.events[asked.index].outcome
        return Outcome(Status.ERROR, None, f"step {asked.index + 1} was never recorded")

    return dispatch


def _none(case: Case) -> list[str]:
    return [] if case.examples else ["there are no examples"]


def _unrecovered(case: Case) -> list[str]:
    return [] if any(case.recovered) else _none(case) or ["no example could be replayed: no inputs reproduce one"]


# ── What the spec holds: K64–K68 ─────────────────────────────────────────────────────────────────


def no_secrets(case: Case) -> Verdict:
    """Whether the spec is free of credentials and of values that were masked (K64, A17); the reason never shows one."""
    steps = [*enumerate(case.spec.steps, 1)]
    places: list[tuple[str, Json]] = []
    places += [(f"step {number} ({step.tool})", [_fixed(step.arguments), *_sought(step.arguments)]) for number, step in steps]
    places += [(f"argument {label(one.name)!r}", _apart(_told(one))) for one in case.spec.inputs]
    places += [(f"what is expected of the answer of step {number}", [one.to_json() for one in step.traits]) for number, step in steps]
    places += [(f"what is said of step {number}", step.effect.why) for number, step in steps]
    places += [("what is said of it", case.spec.help)]
    problems = [f"{place} holds {found}" for place, value in places if (found := _secret(value))]
    return _verdict(problems, "no credential and no masked value in the spec")


def _told(one: InputField) -> list[Json]:
    """All that is kept of an argument."""
    return [one.name, one.description, one.default, *one.examples, *one.choices, *one.within]


def _sought(arguments: Expression) -> list[Json]:
    """What is looked for in earlier results, each by itself: keys, fields, programs, and the fixed values that tell an entry."""
    parts = [part for one in walk(arguments) if isinstance(one, Reference) for part in one.path]
    picks = [part for part in parts if isinstance(part, Pick)]
    keys = [part for part in parts if isinstance(part, str)]
    return _apart([*keys, *(one.field for one in picks), *(_fixed(one.value) for one in picks if one.value)])


def _apart(values: Sequence[Json]) -> list[Json]:
    """The values so that none says anything of the next."""
    return [[one] for one in values]


def _secret(value: Json) -> str:
    if any(PLACEHOLDER.search(text) for text in _texts(value)):
        return "a masked value"
    return "a credential" if canonical(Masker().value(value)) != canonical(value) else ""


def tools_available(case: Case) -> Verdict:
    """Whether every tool has the schema with which it was recorded, or one that only adds optional arguments (K65, A18)."""
    recorded = dict.fromkeys((step.tool, step.schema) for step in case.spec.steps)
    found = [drift(tool, schema, case.schemas.get(tool), case.known) for tool, schema in recorded]
    problems, remarks = [bad for bad, _ in found if bad], [odd for _, odd in found if odd]
    return _verdict(problems, "; ".join(remarks) or "every tool has the schema with which it was recorded")


def compilable_tools(case: Case) -> Verdict:
    """Whether the routine has 2 to 20 steps, all of tools that may be compiled, none of which addresses Kata itself (K66, A4)."""
    count = len(case.spec.steps)
    problems = [] if count in STEPS else [f"the routine has {count} steps, 2 to 20 are possible"]
    calls = [(step.tool, _fixed(step.arguments)) for step in case.spec.steps]
    problems += [f"{tool} cannot be a step" for tool in dict.fromkeys(tool for tool, _ in calls) if _barred(tool)]
    guilty = [tool for tool, value in calls if any(map(names_kata, _texts(value)))]
    guilty += [call.tool for one in case.examples for call in one.calls if addresses_kata(call)]
    problems += [f"a call of {tool} addresses Kata itself" for tool in dict.fromkeys(guilty)]
    problems += [f"step {at + 1} ({tool}) needs {key!r}, which named something of that moment" for at, tool, key in _fleeting(case)]
    problems += [f"step {at + 1} (write_file) overwrites a file that the routine does not read first" for at in _overwriting(case)]
    return _verdict(problems, f"{count} steps, all of tools that may be compiled")


def _fleeting(case: Case) -> Iterator[tuple[int, str, str]]:
    """Step, tool and key of each argument that named an element of a page or a process, and does not come out of a result (B15)."""
    for at, step in enumerate(case.spec.steps):
        for key, expression in step.arguments.fields:
            seen = [one.events[at].call.arguments.get(key) for one in case.examples if at < len(one.events)]
            if not isinstance(expression, Reference) and any(isinstance(value, str) and FLEETING.fullmatch(value) for value in seen):
                yield at, step.tool, key


def _overwriting(case: Case) -> Iterator[int]:
    """The steps that write the same file in every run, as an earlier example did, and would be refused: the host lets a run overwrite only
    what the run itself has read or written. Where the path varies, only a value that comes back meets that; a step in front that changes
    more than files under their names may have made room."""
    for at, step in enumerate(case.spec.steps):
        blind = [_file(one.events[at]) for one in case.examples if at < len(one.events) and not _seen(one.events, at)]
        room = any(one.tool not in FILES and not one.effect.plain_read for one in case.spec.steps[:at])
        same = _steady(dict(step.arguments.fields).get("path"))
        if step.tool == "write_file" and same and len(set(blind)) < len(blind) and not room:
            yield at


def _steady(path: Expression | None) -> bool:
    """Whether a path is the same every time in one folder."""
    parts = [] if path is None else [part for part in walk(path) if not isinstance(part, Concat)]
    return bool(parts) and all(isinstance(part, Literal) or isinstance(part, Ambient) and not part.form for part in parts)


def _seen(events: Sequence[Event], at: int) -> bool:
    """Whether the file of an event was read or written by an earlier one."""
    return any(one.call.tool in ("read_file", "write_file") and _file(one) == _file(events[at]) for one in events[:at])


def _file(event: Event) -> str:
    path = event.call.arguments.get("path")
    return posixpath.normpath(posixpath.join(event.folder, path)) if isinstance(path, str) else canonical(path)


def _barred(tool: str) -> bool:
    return tool in CONVERSATIONAL | BOOKKEEPING | DELEGATING or tool.startswith(PREFIX)


def recorded_examples(case: Case) -> Verdict:
    """Whether there are examples of enough conversations, each with the steps of the spec (K67)."""
    support = len({one.conversation for one in case.examples})
    needed = min(2, case.min_support) if case.revision else case.min_support
    problems = [] if support >= needed else [f"{support} distinct conversations, {needed} are needed"]
    wanted = [step.tool for step in case.spec.steps]
    odd = (number for number, one in enumerate(case.examples, 1) if [call.tool for call in one.calls] != wanted)
    problems += [f"example {number} has other steps than the spec" for number in odd]
    failed = (number for number, one in enumerate(case.examples, 1) if not all(event.outcome.ok for event in one.events))
    problems += [f"example {number} holds a failed call" for number in failed]
    return _verdict(problems, f"{len(case.examples)} examples of {support} conversations")


def side_effects(case: Case) -> Verdict:
    """Whether every step says in words what it does (K68)."""
    silent = [(number, step) for number, step in enumerate(case.spec.steps, 1) if not step.effect.why.strip()]
    asks = sum(step.effect.asks for step in case.spec.steps)
    problems = [f"step {number} ({step.tool}) does not say why it counts as {step.effect.kind.value}" for number, step in silent]
    return _verdict(problems, f"the effect of every step is disclosed, {asks} of {len(case.spec.steps)} ask on every run")


def _fixed(expression: Expression) -> Json:
    """The fixed values of an expression under their keys, None where a value comes in; a command or a concatenation is the list of
    its pieces."""
    match expression:
        case Literal(value):
            return value
        case Object(pairs):
            return {key: _fixed(value) for key, value in pairs}
        case Array(items):
            return [_fixed(item) for item in items]
        case Command(pieces):
            return [piece if isinstance(piece, str) else _fixed_piece(piece) for piece in pieces]
        case Concat(parts):
            return [_fixed(part) for part in parts]
    return None


def _fixed_piece(piece: Option | Hole) -> Json:
    return piece.text if isinstance(piece, Option) else _fixed(piece.value)


def _texts(value: Json) -> Iterator[str]:
    """Every text in a JSON value, keys included, and the texts of each list as one line: so a program sees its arguments, and what
    stands on both sides of a hole is seen together."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield key
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        yield " ".join(item for item in value if isinstance(item, str))
        for item in value:
            yield from _texts(item)


RULES: Mapping[str, Callable[[Case], Verdict]] = {
    "replay_matches_recorded": replay_matches_recorded,
    "holdout_fit": holdout_fit,
    "executor_replay": executor_replay,
    "failure_handling": failure_handling,
    "timeout_handling": timeout_handling,
    "input_schema": input_schema,
    "output_schema": output_schema,
    "no_secrets": no_secrets,
    "tools_available": tools_available,
    "compilable_tools": compilable_tools,
    "recorded_examples": recorded_examples,
    "side_effects": side_effects,
}
