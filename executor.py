"""Runs a spec step by step as a generator that asks its driver for every call and says what became of it; it never calls a tool
itself, never repeats an effect and never goes on after a step that did not succeed."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace

from . import checks, surroundings
from .model import (
    SHELL_TOOLS,
    Call,
    InputError,
    InputField,
    Json,
    OpaqueCommand,
    Outcome,
    Reference,
    Spec,
    Status,
    Step,
    StepCall,
    StepTrace,
    TemplateError,
    Trace,
    canonical,
    walk,
)
from .secrecy import SECRET
from .speech import BLOCKED, harmless, instructs
from .templating import render

Execution = Generator[StepCall, Outcome, Trace]

ANSWER_LIMIT = 1_500
"""Characters of an answer without the final result of a success."""
RESULT_LIMIT = 20_000
"""Characters of a final result; what is longer is cut, with a mark and a note."""
MANY = 8
"""Steps that an answer has a line for each of."""
TOLD = 3
"""Notes on what is unlike the examples that an answer holds."""
CAPS = (1_000, 500, 250, 120, 64)
"""Characters that each text of an answer may keep, tried in turn until the answer fits."""
WORDS: Mapping[Status, str] = {
    Status.ERROR: "failed",
    Status.TIMEOUT: "timed out",
    Status.REFUSED: "was refused",
    Status.INTERRUPTED: "was interrupted",
}


class Held(Outcome):
    """The outcome of a step that was never dispatched."""

    __slots__ = ()


# ── Inputs ───────────────────────────────────────────────────────────────────────────────────────


def input_schema(spec: Spec, bound: Collection[str] = ()) -> Json:
    """Describe the arguments of a spec as the JSON schema under which its tool is registered (K24). `bound` are secret inputs that are
    taken from the environment."""
    return {
        "type": "object",
        "properties": {one.name: _property(one) for one in spec.inputs},
        "required": [one.name for one in spec.inputs if one.default is None and one.name not in bound],
        "additionalProperties": False,
    }


def _property(one: InputField) -> Json:
    """A field seen with values of several types has none: it takes any value. Choices are told, not demanded; what instructs is blocked."""
    seen = ", ".join(canonical(value) if harmless(value) else BLOCKED for value in one.choices)
    described = BLOCKED if instructs(one.description) else one.description
    about = f"{described} Seen: {seen}; others are possible." if seen else described
    if one.type == SECRET:
        return {"type": "string", "description": f"A secret, which is not kept. {described}"}
    given: dict[str, Json] = {"type": one.type} if one.type else {}
    return given | {"description": about} | ({"default": one.default} if one.default is not None and harmless(one.default) else {})


def check_inputs(spec: Spec, given: Mapping[str, Json]) -> dict[str, Json]:
    """Give back the arguments in the order of the spec, defaults where none is given; InputError names all that are missing, unknown
    or of another type (K69)."""
    known = {one.name for one in spec.inputs}
    wrong = [problem for one in spec.inputs if (problem := _problem(one, given))]
    wrong += [f"{name!r} is not an argument of this kata" for name in given if name not in known]
    if wrong:
        asked = ", ".join(f"{one.name} ({one.type or 'any type'})" for one in spec.inputs) or "no arguments"
        raise InputError(f"Expected {asked}; " + "; ".join(wrong))
    return {one.name: one.bare(given.get(one.name, one.default)) for one in spec.inputs}


def _problem(wanted: InputField, given: Mapping[str, Json]) -> str:
    if wanted.name not in given:
        return "" if wanted.default is not None else f"{wanted.name!r} is missing"
    found = _type(given[wanted.name])
    if not wanted.type or found == wanted.type or (found, wanted.type) in (("integer", "number"), ("string", SECRET)):
        return ""
    return f"{wanted.name!r} must be of type {wanted.type}, got {found}"


def _type(value: Json) -> str:
    """The JSON schema type of a value; `true` is no integer, 3.0 is none either (B31), and JSON has no infinity."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, float):
        return "number" if math.isfinite(value) else str(value)
    names = {int: "integer", str: "string", list: "array", tuple: "array", dict: "object", type(None): "null"}
    return names.get(type(value), type(value).__name__)


# ── Running ──────────────────────────────────────────────────────────────────────────────────────


def run(
    spec: Spec,
    given: Mapping[str, Json],
    read_retries: int = 1,
    done: Sequence[StepTrace] = (),
    around: Mapping[str, Json] | None = None,
) -> Execution:
    """Start one execution: a generator that yields each call, receives its outcome and returns the trace (K70, K75). The first steps
    are not asked for when `done` says what became of them in a run that stopped (A21). `around` is what was captured of the surroundings.

    InputError is raised here, before there is anything to drive, also where the surroundings lack what a step needs. Every step is
    rendered as soon as the values it needs exist, so a value that cannot be placed stops the run before the steps in front of it act (B14).
    """
    return _steps(spec, {**check_inputs(spec, given), **_captured(spec, around or {})}, read_retries, done)


def _captured(spec: Spec, around: Mapping[str, Json]) -> dict[str, Json]:
    """What the spec takes from its surroundings; InputError says what is missing (T28)."""
    missing = []
    for one in surroundings.needed(spec):
        try:
            surroundings.value(one, around)
        except TemplateError as error:
            missing.append(error.message)
    if missing:
        raise InputError(f"Nothing was run: {'; '.join(dict.fromkeys(missing))}")
    return {one.key: around[one.key] for one in surroundings.needed(spec)}


def drive(execution: Execution, dispatch: Callable[[StepCall], Outcome]) -> Trace:
    """Answer every call of an execution with `dispatch` and give back its trace; what `dispatch` raises goes up to the caller."""
    outcome: Outcome | None = None
    while True:
        try:
            asked = next(execution) if outcome is None else execution.send(outcome)
        except StopIteration as end:
            trace: Trace = end.value
            return trace
        outcome = dispatch(asked)


def _steps(spec: Spec, inputs: Mapping[str, Json], read_retries: int, done: Sequence[StepTrace]) -> Execution:
    traces = [*done, *(StepTrace(index, step.tool, Status.SKIPPED) for index, step in enumerate(spec.steps) if index >= len(done))]
    results: list[Json] = [one.result for one in done]
    for index, step in enumerate(spec.steps):
        if index < len(done):
            continue
        if not _fill(spec, traces, inputs, results):
            break
        if (odd := _odd(traces[:index])) and not step.effect.plain_read:
            traces[index] = replace(traces[index], status=Status.REFUSED, reason=odd)
            break
        ended = yield from _issue(traces[index], 1 + read_retries if step.effect.plain_read else 1)
        traces[index] = _looked_at(ended, spec)
        if traces[index].status is not Status.OK:
            break
        results.append(traces[index].result)
    return _finish(traces)


def _looked_at(ended: StepTrace, spec: Spec) -> StepTrace:
    """The step with how its answer is unlike every example, if it is (T50). A read fails by that where something acts after it, and is
    read again by whoever resumes; what has acted has acted, and the next step that would act is refused. Where nothing acts after it, it
    is only told."""
    step = spec.steps[ended.index]
    odd = checks.unlike(ended.index, step.traits, ended.result) if ended.status is Status.OK else ""
    acts = any(not later.effect.plain_read for later in spec.steps[ended.index + 1 :])
    if odd and acts and step.effect.plain_read:
        return replace(ended, odd=odd, status=Status.ERROR, reason=odd)
    return replace(ended, odd=odd)


def _odd(traces: Sequence[StepTrace]) -> str:
    """Why nothing more may act: an earlier step succeeded and answered unlike every example."""
    return next((f"step {one.index + 1} succeeded, but {one.odd}" for one in traces if one.odd), "")


def _fill(spec: Spec, traces: list[StepTrace], inputs: Mapping[str, Json], results: Sequence[Json]) -> bool:
    """Render into `traces` every step that can be rendered from now on; False when one of them cannot."""
    for index, step in enumerate(spec.steps):
        if traces[index].status is not Status.SKIPPED or traces[index].call is not None or _ripe(step, index) > len(results):
            continue
        try:
            traces[index] = replace(traces[index], call=Call(step.tool, _arguments(step, index, inputs, results)))
        except (TemplateError, OpaqueCommand) as error:
            traces[index] = replace(traces[index], status=Status.REFUSED, reason=error.message)
            return False
    return True


def _arguments(step: Step, index: int, inputs: Mapping[str, Json], results: Sequence[Json]) -> dict[str, Json]:
    astray = [at for at in _needs(step) if not 0 <= at < index]
    if astray:
        raise TemplateError(f"Expected step {index + 1} to refer to earlier steps only, it refers to step {astray[0] + 1}")
    return dict(render(step.arguments, inputs, results))


def _ripe(step: Step, index: int) -> int:
    """How many results there must be before the step is rendered; a reference that can never be kept is met at once."""
    needed = max((at + 1 for at in _needs(step)), default=0)
    return needed if 0 <= needed <= index else 0


def _needs(step: Step) -> list[int]:
    """The steps that this one refers to."""
    return [part.step for part in walk(step.arguments) if isinstance(part, Reference)]


def _issue(ready: StepTrace, tries: int) -> Generator[StepCall, Outcome, StepTrace]:
    """Ask for one step, again only after a plain error (K76–K79)."""
    assert ready.call is not None
    attempt, again = 0, True
    while again:
        attempt += 1
        # Each attempt has its own copy: a tool that changes its arguments must not change the next attempt, the trace or the spec.
        outcome = yield StepCall(ready.index, Call(ready.tool, deepcopy(dict(ready.call.arguments))), attempt)
        again = outcome.status is Status.ERROR and attempt < tries
    end, done = accepted(outcome), attempt - isinstance(outcome, Held)
    return replace(ready, status=end.status, result=end.result, reason=end.reason, attempts=done, sent=end.sent)


def accepted(outcome: Outcome) -> Outcome:
    """The outcome, or an error where the host answered with a notice in place of the content (B37)."""
    result = outcome.result
    if not outcome.ok:
        return outcome
    if isinstance(result, dict) and result.get("status") == "unchanged" and result.get("content_returned") is False:
        return replace(outcome, status=Status.ERROR, reason="the tool said 'unchanged' and returned no content")
    if isinstance(result, str) and result.lstrip().startswith("<persisted-output>"):
        return replace(outcome, status=Status.ERROR, reason="the result was too large: the host answered with a preview")
    return outcome


def _finish(traces: Sequence[StepTrace]) -> Trace:
    draft = Trace(Status.OK, tuple(traces))
    if draft.stopped is not None:
        return replace(draft, status=draft.stopped.status, reason=draft.stopped.reason)
    if any(one.status is Status.SKIPPED for one in traces):
        return replace(draft, status=Status.SKIPPED, reason="a step was skipped")
    return draft


# ── The answer ───────────────────────────────────────────────────────────────────────────────────


def answer(trace: Trace, spec: Spec, run_id: str, unlike: Sequence[str] = ()) -> str:
    """Say in JSON text what a run came to: every step's status and the final result, or where it stopped and how to go on (K75); `unlike`
    is what it did unlike the examples, of which the first few are told (T37).

    At most 1,500 characters unless the final result needs more; nothing is cut silently."""
    unlike = [*(f"step {one.index + 1}: {one.odd}" for one in trace.steps if one.odd and one.status is Status.OK), *unlike]
    few = [*unlike[:TOLD], *([f"and {len(unlike) - TOLD} more"] if len(unlike) > TOLD else [])]
    odd: dict[str, Json] = {"unlike_examples": few} if few else {}
    if trace.status is Status.OK:
        return _text(_success(trace, run_id) | odd)
    told = _failure if len(trace.steps) <= MANY else _brief
    answers = [_text(told(trace, spec, run_id, cap) | odd) for cap in (*CAPS, 0)]
    return next((text for text in answers if len(text) <= ANSWER_LIMIT), answers[-1])


def _success(trace: Trace, run_id: str) -> dict[str, Json]:
    """The host takes an answer for a failure when "error" stands near its beginning, so a result's `"error": null` stays out."""
    result = trace.result
    if isinstance(result, dict) and result.get("error", "") is None:
        result = {key: value for key, value in result.items() if key != "error"}
    steps = _statuses(trace) if len(trace.steps) <= MANY else _spans(trace)
    payload = {"status": "ok", "run": run_id, "steps": steps, "result": _fitted(result)}
    size = len(_text(result))
    note = {"note": f"The result has {size} characters and is cut here."} if size > RESULT_LIMIT else {}
    return payload | note


def _failure(trace: Trace, spec: Spec, run_id: str, cap: int) -> dict[str, Json]:
    """The hand-back with every text cut to `cap` characters; with 0 the calls are left out, which the note says."""
    ahead = _next(trace)
    acted = [_short(one, cap) for one in trace.steps if _acted(one, spec)]
    payload: dict[str, Json] = {
        "error": _cut(_headline(trace), min(cap or CAPS[-1], 400)),
        "run": run_id,
        "steps": _statuses(trace),
        "had_effect": acted,
    }
    if ahead is not None:
        payload["next"] = {"tool": ahead.tool} | ({"arguments": _cut(ahead.arguments, cap)} if cap else {})
    note = _note(trace, spec, ahead is not None and (not cap or _cut(ahead.arguments, cap) != ahead.arguments))
    return payload | ({"note": note} if note else {})


def _brief(trace: Trace, spec: Spec, run_id: str, cap: int) -> dict[str, Json]:
    """The hand-back of a long routine: numbers of steps in place of a line each."""
    whole = _failure(trace, spec, run_id, cap)
    acted: dict[str, Json] = {"steps": _span([one.index for one in trace.steps if _acted(one, spec)])}
    stopped = trace.stopped
    unsure = {"unsure": stopped.index + 1} if stopped is not None and _acted(stopped, spec) else {}
    return whole | {"steps": _spans(trace), "had_effect": acted | unsure}


def _spans(trace: Trace) -> dict[str, Json]:
    """The steps of each status: `{"ok": "1-11", "error": "12"}`."""
    statuses = dict.fromkeys(one.status for one in trace.steps)
    return {status.value: _span([one.index for one in trace.steps if one.status is status]) for status in statuses}


def _span(indices: Sequence[int]) -> str:
    """Indices in rising order as numbers from 1, neighbours joined."""
    runs: list[list[int]] = []
    for number in (index + 1 for index in indices):
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def _headline(trace: Trace) -> str:
    step = trace.stopped
    if step is None:
        return f"The run did not finish: {trace.reason or 'no reason was given'}"
    word = WORDS.get(step.status, f"ended as {step.status.value}")
    return f"Step {step.index + 1} of {len(trace.steps)} ({step.tool}) {word}: {step.reason or 'no reason was given'}"


def _statuses(trace: Trace) -> list[Json]:
    return [{"step": one.index + 1, "tool": one.tool, "status": one.status.value} for one in trace.steps]


def _next(trace: Trace) -> Call | None:
    """The call with which a person or the agent goes on: the first that did not succeed, where it was rendered."""
    return next((one.call for one in trace.steps if one.status is not Status.OK), None)


def _acted(one: StepTrace, spec: Spec) -> bool:
    """Whether a step has, or may have, changed something; what was refused was never dispatched."""
    return one.attempts > 0 and one.status is not Status.REFUSED and not spec.steps[one.index].effect.plain_read


def _short(one: StepTrace, cap: int) -> Json:
    brief: dict[str, Json] = {"step": one.index + 1, "tool": one.tool}
    if one.call is not None and cap:
        arguments = one.call.arguments if one.sent is None else one.sent
        text = arguments.get(SHELL_TOOLS.get(one.tool, ""))
        brief["call"] = _cut(text if isinstance(text, str) else _text(arguments), min(cap, 160))
    return brief if one.status is Status.OK else brief | {"sure": False}


def _note(trace: Trace, spec: Spec, cut: bool) -> str:
    step = trace.stopped
    said = []
    if not any(one.attempts for one in trace.steps):
        said.append("Nothing was run.")
    elif step is not None and step.attempts and step.status in (Status.TIMEOUT, Status.INTERRUPTED, Status.UNKNOWN):
        said.append(f"Step {step.index + 1} may still be running; it was not repeated. Find out what it did before you repeat it.")
    elif step is not None and _acted(step, spec):
        said.append(f"Step {step.index + 1} may have done a part of its work.")
    first = next((one for one in trace.steps if one.status is not Status.OK), None)
    if step is not None and first is not None and first.index < step.index:
        said += [f"Nothing after step {first.index} was run."] if first.index else []
        said.append(f"'next' is step {first.index + 1}.")
    if cut:
        said.append("The arguments of 'next' are not whole here.")
    return " ".join(said)


# ── Text that fits ───────────────────────────────────────────────────────────────────────────────


def _text(value: Json) -> str:
    """JSON text that can be printed: half characters become escapes (B46)."""
    plain = json.dumps(value, ensure_ascii=False, default=_plain)
    return plain.encode("utf-8", "backslashreplace").decode("utf-8")


def _plain(value: Json) -> Json:
    return dict(value) if isinstance(value, Mapping) else str(value)


def _fitted(value: Json) -> Json:
    """The value, or one with its long texts cut, or its JSON text cut: the first that keeps to `RESULT_LIMIT`."""
    if len(_text(value)) <= RESULT_LIMIT:
        return value
    cuts = (_cut(value, cap) for cap in (16_000, 8_000, 4_000, *CAPS))
    return next((cut for cut in cuts if len(_text(cut)) <= RESULT_LIMIT), _cut(_text(value), RESULT_LIMIT // 2))


def _cut(value: Json, cap: int) -> Json:
    """The value with every text longer than `cap` cut to its head and tail around a visible mark."""
    if isinstance(value, Mapping):
        return {key: _cut(item, cap) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_cut(item, cap) for item in value]
    if not isinstance(value, str) or len(value) <= cap:
        return value
    head = cap * 2 // 3
    return f"{value[:head]}…[{len(value) - cap} characters cut]…{value[len(value) - (cap - head) :]}"
