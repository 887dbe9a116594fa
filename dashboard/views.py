"""Records in, JSON for the tab out: the flow picture, examples side by side, what changed between two versions, a run with its times; it
draws nothing and never decides anything. Texts are made here, because a browser would round whole numbers beyond 2^53."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterator, Mapping, Sequence

from .. import checks, executor, pages, quoting, templating
from ..model import (
    Array,
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
    Object,
    Option,
    Reference,
    RunRow,
    Spec,
    Status,
    Step,
    StepTrace,
    Trace,
    Version,
    walk,
)
from ..validator import NO_LIMIT
from ..wording import brief, origin, templated

WHOLE, PART = 50_000, 2_000
"""Characters of an argument and of a result that the tab is given; what is longer ends with how much is left out."""
VALUE = 400
"""Characters of one value of the flow picture."""
FREE = frozenset({"terminal", "read_file", "search_files", "web_search", "web_extract"})
"""Tools whose time we limit ourselves; every other one runs under the host's own limit."""

Pieces = list[dict[str, str]]
"""Texts in order; what varies names its source: `input:NAME` or `step:NUMBER:PATH`."""


def shown(value: Json, most: int = WHOLE) -> str:
    """A value as text, or its beginning with how much is left out."""
    text = templating.as_shown(value)
    return text if len(text) <= most else f"{text[:most]} […] {len(text) - most:,} more characters"


def plain(value: Json) -> Json:
    """The value as every JSON reader takes it: NaN and infinities as text, keys as text."""
    match value:
        case float() if not math.isfinite(value):
            return str(value)
        case Mapping():
            return {str(key): plain(inner) for key, inner in value.items()}
        case list() | tuple():
            return [plain(inner) for inner in value]
    return value


# ── Where values come from ───────────────────────────────────────────────────────────────────────


def source(expression: Expression) -> str:
    """The name of the place where a value comes from; empty for what is fixed or made of several."""
    match expression:
        case Input(name):
            return f"input:{name}"
        case Reference(step, path):
            return f"step:{step + 1}:{templating.dotted(path)}"
        case Concat(parts):
            found = {name for part in parts if (name := source(part))}
            return found.pop() if len(found) == 1 else ""
    return ""


def template(expression: Expression) -> Pieces:
    """The text of an argument with its holes as a person reads them."""
    match expression:
        case Concat(parts):
            return joined(template(part) for part in parts)
        case Command(pieces):
            return joined(_open(piece) for piece in pieces)
        case Object(pairs):
            return _nested("{", "}", [(f"{key}: ", template(value)) for key, value in pairs])
        case Array(items):
            return _nested("[", "]", [("", template(item)) for item in items])
    return _piece(origin(expression), source(expression))


def _open(piece: str | Option | Hole) -> Pieces:
    match piece:
        case Option(value, text):
            return _piece(f"[{text.strip()}]", source(value), before=" ")
        case Hole(value):
            return template(value)
    return _piece(piece)


def filled(expression: Expression, inputs: Mapping[str, Json], results: Sequence[Json]) -> Pieces:
    """The same with the values of one example, as they stood in the call; TemplateError where it does not fit."""
    match expression:
        case Concat(parts):
            return joined(filled(part, inputs, results) for part in parts)
        case Command():
            return joined(_closed(piece, inputs, results) for piece in expression.parts)
        case Object(pairs):
            return _nested("{", "}", [(f"{key}: ", filled(value, inputs, results)) for key, value in pairs])
        case Array(items):
            return _nested("[", "]", [("", filled(item, inputs, results)) for item in items])
    return _piece(templating.as_shown(templating.render(expression, inputs, results)), source(expression))


def _closed(piece: str | Option | Hole, inputs: Mapping[str, Json], results: Sequence[Json]) -> Pieces:
    match piece:
        case Option(value, text):
            return _piece(text if templating.render(value, inputs, results) else "", source(value))
        case Hole(value, place):
            text = templating.as_shown(templating.render(value, inputs, results))
            return _piece(quoting.quoted(text, place), source(value) or "several")
    return _piece(piece)


def _piece(text: str, name: str = "", before: str = "") -> Pieces:
    lead: Pieces = [{"text": before}] if before else []
    return lead + ([{"text": text, "source": name}] if name else [{"text": text}] if text else [])


def _nested(start: str, end: str, fields: Sequence[tuple[str, Pieces]]) -> Pieces:
    inner = [[{"text": (", " if index else "") + label}, *pieces] for index, (label, pieces) in enumerate(fields)]
    return joined([_piece(start), *inner, _piece(end)])


def joined(runs: Iterator[Pieces] | Sequence[Pieces]) -> Pieces:
    """All pieces in order, neighbouring fixed texts as one."""
    done: Pieces = []
    for piece in (piece for run in runs for piece in run):
        if done and "source" not in piece and "source" not in done[-1]:
            done[-1] = {"text": done[-1]["text"] + piece["text"]}
        else:
            done.append(piece)
    return done


# ── The flow picture ─────────────────────────────────────────────────────────────────────────────


def flow(spec: Spec, exhibits: Sequence[Example]) -> dict[str, Json]:
    """Steps in order, the sources of values with what was recorded of each, and where each source is used."""
    uses = [use for number, step in enumerate(spec.steps, 1) for use in _uses(number, step)]
    used = {str(use["source"]) for use in uses}
    bound = [(one, templating.recovered(spec, one)) for one in exhibits]
    sources = [_given(one) | {"values": [_value(Input(one.name), known, ()) for _, known in bound]} for one in spec.inputs]
    references = {source(inner): inner for step in spec.steps for inner in walk(step.arguments) if isinstance(inner, Reference)}
    sources += [_taken(one) | {"values": [_value(one, known, example.results) for example, known in bound]} for one in references.values()]
    return {"steps": steps(spec), "sources": [one for one in sources if one["source"] in used or one["kind"] == "input"], "uses": uses}


def steps(spec: Spec) -> list[Json]:
    """Each step with its effect and its template, argument by argument."""
    told = pages.effects_json(spec)
    return [
        {**dict(effect), "tool": step.tool, "line": templated(step), "arguments": _arguments(step)}
        for step, effect in zip(spec.steps, told, strict=True)
    ]


def _arguments(step: Step) -> list[Json]:
    return [{"name": key, "pieces": template(value)} for key, value in step.arguments.fields]


def _uses(number: int, step: Step) -> Iterator[dict[str, Json]]:
    for key, value in step.arguments.fields:
        seen: dict[str, str] = {}
        for inner in walk(value):
            if isinstance(inner, Input | Reference):
                seen.setdefault(source(inner), "whole" if inner is value else "part")
        yield from ({"source": name, "step": number, "argument": key, "how": how} for name, how in seen.items())


def _given(one: InputField) -> dict[str, Json]:
    default = {} if one.default is None else {"default": shown(one.default, VALUE)}
    told = {"source": f"input:{one.name}", "kind": "input", "label": one.name, "type": one.type or "any", "description": one.description}
    return {**told, "choices": [shown(choice, VALUE) for choice in one.choices], **default}


def _taken(one: Reference) -> dict[str, Json]:
    return {"source": source(one), "kind": "step", "step": one.step + 1, "label": templating.dotted(one.path)}


def _value(expression: Expression, known: Mapping[str, Json] | None, results: Sequence[Json]) -> str | None:
    """What a source was in one example; None where the example does not fit."""
    if known is None:
        return None
    try:
        return shown(templating.render(expression, known, results), VALUE)
    except KataError:
        return None


# ── Examples side by side ────────────────────────────────────────────────────────────────────────


def example(spec: Spec, one: Example) -> dict[str, Json]:
    """One recorded example: every call with what varied marked, and the beginning of its answer."""
    known = templating.recovered(spec, one)
    rows = [_did(step, event, known, one.results) for step, event in zip(spec.steps, one.events, strict=False)]
    return {"conversation": one.conversation, "at": one.events[0].started if one.events else None, "fits": known is not None, "steps": rows}


def _did(step: Step, event: Event, known: Mapping[str, Json] | None, results: Sequence[Json]) -> dict[str, Json]:
    expressions = dict(step.arguments.fields)
    arguments = [
        {"name": key, "pieces": _recorded(expressions.get(key), value, known, results)} for key, value in event.call.arguments.items()
    ]
    seconds = max(0.0, event.ended - event.started)
    told = {"tool": event.call.tool, "status": event.outcome.status.value, "result": shown(event.outcome.result, PART)}
    return {**told, "arguments": arguments, "seconds": seconds, "folder": event.folder}


def _recorded(expression: Expression | None, value: Json, known: Mapping[str, Json] | None, results: Sequence[Json]) -> Pieces:
    """What was recorded, letter by letter; where the template says the same, its varying parts are marked."""
    told = templating.as_shown(value)
    if expression is not None and known is not None and len(told) <= WHOLE:
        try:
            pieces = filled(expression, known, results)
        except KataError:
            pieces = []
        if isinstance(value, dict | list) or "".join(piece["text"] for piece in pieces) == told:
            return pieces or [{"text": told}]
    return [{"text": shown(value)}]


# ── What changed ─────────────────────────────────────────────────────────────────────────────────


def changes(old: Spec, new: Spec) -> list[Json]:
    """The differences of two specs in words, with the text before and after."""
    found = [*_inputs_changed(old, new), *_steps_changed(old, new), *_expected_changed(old, new)]
    return found or ([] if old.digest == new.digest else [_change("Details that do not show in words", "", "")])


def _change(what: str, before: str, after: str) -> dict[str, Json]:
    return {"what": what, "before": before, "after": after}


def _inputs_changed(old: Spec, new: Spec) -> Iterator[Json]:
    was, now = ({one.name: _signature(one) for one in spec.inputs} for spec in (old, new))
    for name in dict.fromkeys((*was, *now)):
        if was.get(name) != now.get(name):
            verb = "is new" if name not in was else "is no longer asked for" if name not in now else "changed"
            yield _change(f"Input {name} {verb}", was.get(name, ""), now.get(name, ""))


def _signature(one: InputField) -> str:
    return f"{one.name}: {one.type or 'any'}" + ("" if one.default is None else f", else {shown(one.default, VALUE)}")


def _steps_changed(old: Spec, new: Spec) -> Iterator[Json]:
    was, now = ([_told(step) for step in spec.steps] for spec in (old, new))
    for kind, start, stop, first, last in difflib.SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        for index in range(max(stop - start, last - first)):
            before = was[start + index] if start + index < stop else ""
            after = now[first + index] if first + index < last else ""
            number = (first if after else start) + index + 1
            yield _change(f"Step {number} {'changed' if before and after else 'is new' if after else 'is gone'}", before, after)


def _expected_changed(old: Spec, new: Spec) -> Iterator[Json]:
    """What is expected of the answer of a step, where it is another now or does not count any more."""
    pairs = zip(old.steps, new.steps, strict=True) if len(old.steps) == len(new.steps) else ()
    for index, (was, now) in enumerate(pairs):
        before, after = ([checks.said(one) + " (relaxed)" * one.relaxed for one in step.traits] for step in (was, now))
        if before != after:
            gone, came = ([one for one in these if one not in those] for these, those in ((before, after), (after, before)))
            yield _change(f"What is expected of the answer of step {index + 1} changed", "; ".join(gone), "; ".join(came))


def _told(step: Step) -> str:
    return f"{templated(step)} ({pages.does(step)}{f': {step.effect.why}' if step.effect.why else ''})"


def versions(found: Sequence[Version], kata: Kata) -> list[Json]:
    """Every version, newest first, with what it changed against the one before it."""
    rows: list[Json] = []
    for index, one in enumerate(found):
        earlier = found[index + 1].spec if index + 1 < len(found) else None
        told = {"current": one.number == kata.version.number, "changes": changes(earlier, one.spec) if earlier else None}
        rows.append(pages.version_json(one) | told | {"support": one.fit.support, "confidence": round(one.fit.confidence, 4)})
    return rows


# ── What a kata may do ───────────────────────────────────────────────────────────────────────────


def permissions(kata: Kata, asks: bool) -> dict[str, Json]:
    """Which tools it uses, whether every run asks, where its examples ran, and what runs without a time limit of ours."""
    tools = list(dict.fromkeys(step.tool for step in kata.version.spec.steps))
    folders = dict.fromkeys(event.folder for one in kata.version.exhibits for event in one.events if event.folder)
    unlimited = [tool for tool in tools if tool not in FREE]
    return {"tools": tools, "asks": asks, "folders": list(folders), "unlimited": unlimited, "remark": NO_LIMIT if unlimited else ""}


# ── Runs and decisions ───────────────────────────────────────────────────────────────────────────


def run(row: RunRow) -> dict[str, Json]:
    """A run with the times of its steps, in epoch seconds and seconds; 0 where nobody wrote them down."""
    return {**pages.run_json(row), "kata": row.kata, "inputs": _texts(row.inputs), "steps": [_traced(step) for step in row.steps]}


def _traced(step: StepTrace) -> dict[str, Json]:
    told = pages.step_json(step)
    arguments = None if step.call is None else _texts(step.call.arguments)
    result = None if step.result is None else shown(step.result, PART)
    return {**told, "arguments": arguments, "result": result, "began": step.began, "seconds": step.seconds}


def _texts(values: Mapping[str, Json]) -> list[Json]:
    return [{"name": name, "text": shown(value)} for name, value in values.items()]


def answer(row: RunRow, spec: Spec | None) -> str:
    """What the agent was told at the end of a run, made again from what is kept; empty while nobody saw the end."""
    if row.finished is None or spec is None or not row.steps:
        return ""
    return executor.answer(Trace(row.status, row.steps, row.reason), spec, row.id)


def stopped(row: RunRow) -> str:
    """The call at which a run stopped, which is the one that comes next by hand; empty where it did not stop."""
    ahead = next((step.call for step in row.steps if step.status is not Status.OK and step.call), None)
    return "" if ahead is None or row.status is Status.OK else brief(ahead, WHOLE)
