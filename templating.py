"""Says what a template means: renders the arguments of a new call and recovers inputs from a recorded one; it never guesses across types
and never runs anything."""

from __future__ import annotations

import copy
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache

from . import origins, quoting, surroundings
from .model import (
    Ambient,
    Array,
    Call,
    Command,
    Concat,
    Example,
    Expression,
    Hole,
    Input,
    InputField,
    Json,
    Literal,
    Object,
    Option,
    Part,
    Pick,
    Reference,
    Spec,
    SpecError,
    TemplateError,
    canonical,
    children,
    walk,
)


@dataclass(frozen=True, slots=True)
class Template:
    """The arguments of every step as expressions, and the inputs they need."""

    inputs: tuple[InputField, ...]
    steps: tuple[Object, ...]


def same(left: Json, right: Json) -> bool:
    """Whether two JSON values are equal with their types: 3 is not "3", 1 is not 1.0 and not true (B31)."""
    if type(left) is str and type(right) is str:
        return left == right
    if type(left) is dict and type(right) is dict and left.keys() == right.keys():
        return all(same(value, right[key]) for key, value in left.items())
    return canonical(left) == canonical(right)


def as_text(value: Json) -> str:
    """A value as part of a longer text: text and whole numbers only (B31: never `None` or `True` in a command)."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise TemplateError(f"Expected text or a whole number inside a longer text, got {canonical(value)[:60]}")


# ── Rendering ────────────────────────────────────────────────────────────────────────────────────


def render(expression: Expression, inputs: Mapping[str, Json], results: Sequence[Json]) -> Json:
    """The value of an expression; `inputs` are the inputs by name and what was captured of the surroundings, by keys as `@branch`.
    TemplateError names the input or field that is missing, UnsafeValue the value that cannot be placed."""
    match expression:
        case Literal(value):
            return copy.deepcopy(value) if isinstance(value, dict | list) else value
        case Input(name):
            if name not in inputs:
                raise TemplateError(f"Expected a value for the input {name!r}, got none")
            return inputs[name]
        case Ambient():
            return surroundings.value(expression, inputs)
        case Reference():
            return _follow(results, expression, inputs)
        case Concat(parts):
            return "".join(as_text(render(part, inputs, results)) for part in parts)
        case Command():
            return _render_command(expression, inputs, results)
        case Object(pairs):
            return {key: render(value, inputs, results) for key, value in pairs}
        case Array(items):
            return [render(item, inputs, results) for item in items]


def _follow(results: Sequence[Json], reference: Reference, inputs: Mapping[str, Json]) -> Json:
    step, path = reference.step, reference.path
    if step >= len(results):
        raise TemplateError(f"Expected the result of step {step + 1}, which has not run")
    try:
        return origins.follow(results[step], path, lambda expression: render(expression, inputs, results))
    except origins.Missing as missing:
        found = dotted(path[: missing.depth + 1])
        raise TemplateError(f"Expected {dotted(path)} in the result of step {step + 1}; {found} is missing or not clear") from missing


def dotted(path: tuple[Part, ...]) -> str:
    """A path as a person reads it: `files.0`, `bills[status = Overdue].id`; the whole result is `result`."""
    text = ""
    for part in path:
        text += _shown(part) if isinstance(part, Pick) else f".{part}"
    return text.removeprefix(".") or "result"


def _shown(part: Pick) -> str:
    value = part.value
    other = f"‹{value.name}›" if isinstance(value, Input) else as_shown(value.value) if isinstance(value, Literal) else "…"
    if part.how == "text":
        with suppress(SpecError):
            return f" · {origins.reader(part.field)}"
    shown = {
        "json": ".json",
        "strip": "",
        "key": f".{other}",
        "where": f"[{part.field} = {other}]",
        "first": f"[first {part.field} = {other}]",
        "kind": f"[first {part.field}]",
    }
    return shown.get(part.how, f"[{part.how}]")


def _render_command(command: Command, inputs: Mapping[str, Json], results: Sequence[Json]) -> str:
    plain = settled(command, inputs)
    values = [as_text(render(piece.value, inputs, results)) for piece in plain.parts if isinstance(piece, Hole)]
    return quoting.placed(plain, values)


def settled(command: Command, inputs: Mapping[str, Json]) -> Command:
    """The command with each option there or not, as its input says; TemplateError where one is missing or not true or false."""
    parts: list[str | Option | Hole] = []
    for piece in command.parts:
        if not isinstance(piece, Option):
            parts.append(piece)
            continue
        wanted = render(piece.value, inputs, ())
        if not isinstance(wanted, bool):
            raise TemplateError(f"Expected true or false for the input {piece.value.name!r}, got {canonical(wanted)[:60]}")
        if wanted:
            parts.append(piece.text)
    return Command(tuple(parts))


def settings(expression: Expression) -> Iterator[Mapping[str, bool]]:
    """Every way to set the options inside an expression: one, without any, where it has none."""
    commands = (part for part in walk(expression) if isinstance(part, Command))
    names = dict.fromkeys(piece.value.name for command in commands for piece in command.parts if isinstance(piece, Option))
    for values in itertools.product((False, True), repeat=len(names)):
        yield dict(zip(names, values, strict=True))


def variants(arguments: Object) -> Iterator[Object]:
    """The arguments of a step with every setting of its options: what effects are judged on."""
    for setting in settings(arguments):
        pairs = ((key, settled(value, setting) if isinstance(value, Command) else value) for key, value in arguments.fields)
        yield Object(tuple(pairs))


# ── Matching ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(slots=True)
class _Bindings:
    """Inputs found so far; `texts` are the equations between parts and a text that are still to be solved."""

    types: Mapping[str, str]
    found: dict[str, Json] = field(default_factory=dict)
    texts: list[tuple[tuple[Expression, ...], str]] = field(default_factory=list)
    lookups: list[tuple[Reference, Json]] = field(default_factory=list)
    """References whose selectors need an input; their values are known."""

    def bind(self, name: str, value: Json) -> bool:
        if name in self.found:
            return same(self.found[name], value)
        self.found[name] = value
        return True

    def agrees(self, setting: Mapping[str, bool]) -> bool:
        return all(same(self.found.get(name, value), value) for name, value in setting.items())

    def bind_text(self, name: str, text: str) -> bool:
        """Bind a piece of text; an integer input takes it only in canonical form."""
        if self.types.get(name) == "integer":
            return re.fullmatch(r"0|-?[1-9][0-9]*", text) is not None and self.bind(name, int(text))
        return self.bind(name, text)


def recovered(spec: Spec, one: Example) -> dict[str, Json] | None:
    """The inputs from which `spec` renders an example, with what it takes from the surroundings of that; None when there are none."""
    found = match(spec, one.calls, one.results, one.around)
    return None if found is None else found | {part.key: one.around[part.key] for part in surroundings.needed(spec)}


def match(spec: Spec, calls: Sequence[Call], results: Sequence[Json], around: Mapping[str, str] | None = None) -> dict[str, Json] | None:
    """The inputs from which `spec` renders exactly these calls with these results of theirs, `around` being what was known of their
    surroundings; None when there are none.
    Of several possible splits of a text the one with the shortest leading pieces counts."""
    if len(calls) != len(spec.steps) or any(step.tool != call.tool for step, call in zip(spec.steps, calls, strict=True)):
        return None
    bindings = _Bindings({one.name: one.type for one in spec.inputs}, dict(around or {}))
    try:
        fits = all(_unify(step.arguments, dict(call.arguments), results, bindings) for step, call in zip(spec.steps, calls, strict=True))
        if not fits or not _solve(bindings, results):
            return None
        inputs, _ = surroundings.parted(bindings.found)
        if set(inputs) != {one.name for one in spec.inputs}:
            return None
        if any(one.bare(inputs[one.name]) != inputs[one.name] for one in spec.inputs if any(one.within)):
            return None  # given to the kata it would be taken for the whole of which it is a piece
        return inputs if _renders(spec, calls, results, bindings.found) else None
    except TemplateError:
        return None


def _renders(spec: Spec, calls: Sequence[Call], results: Sequence[Json], inputs: Mapping[str, Json]) -> bool:
    return all(
        same(render(step.arguments, inputs, results[:index]), dict(call.arguments))
        for index, (step, call) in enumerate(zip(spec.steps, calls, strict=True))
    )


def _unify(expression: Expression, value: Json, results: Sequence[Json], bindings: _Bindings) -> bool:
    match expression:
        case Literal(fixed):
            return same(fixed, value)
        case Input(name):
            return bindings.bind(name, value)
        case Ambient():
            return same(surroundings.value(expression, bindings.found), value)
        case Reference():
            if any(isinstance(part, Input) for part in children(expression)):
                bindings.lookups.append((expression, value))
                return True
            return same(_follow(results, expression, {}), value)
        case Concat(parts):
            bindings.texts.append((parts, value))
            return isinstance(value, str)
        case Command():
            return isinstance(value, str) and _unify_command(expression, value, bindings)
        case Object(pairs):
            fits = isinstance(value, dict) and set(value) == {key for key, _ in pairs}
            return fits and all(_unify(inner, value[key], results, bindings) for key, inner in pairs)
        case Array(items):
            fits = isinstance(value, list) and len(value) == len(items)
            return fits and all(_unify(inner, one, results, bindings) for inner, one in zip(items, value, strict=True))


def _unify_command(command: Command, text: str, bindings: _Bindings) -> bool:
    """Compare trees, with the options as they stand in the text."""
    if quoting.signature(text) is None:
        return False
    for setting in settings(command):
        equations = _equations(settled(command, setting), text) if bindings.agrees(setting) else None
        if equations is not None:
            bindings.found.update(setting)
            bindings.texts += equations
            return True
    return False


def _equations(command: Command, text: str) -> list[tuple[tuple[Expression, ...], str]] | None:
    """Where the template's tree has a mark, the text there gives an equation; None when the trees differ elsewhere."""
    holes = dict(zip(quoting.frame(command).marks, (piece.value for piece in command.parts if isinstance(piece, Hole)), strict=True))
    found = _aligned(command, text)
    parted = ((tuple(holes[run] if run in holes else Literal(run) for run in runs), theirs) for runs, theirs in found or ())
    return None if found is None else [(tuple(_flat(parts)), theirs) for parts, theirs in parted]


@lru_cache(maxsize=2048)
def _aligned(command: Command, text: str) -> tuple[tuple[tuple[str, ...], str], ...] | None:
    """The texts with marks of the template's tree, cut at these, beside what stands there in a command; None when the trees differ
    elsewhere. Kept for a while: a template is held against its examples again and again."""
    frame, tree, found = quoting.frame(command), quoting.signature(text), []
    marks = re.compile("(" + "|".join(frame.marks) + ")") if frame.marks else None
    for ours, theirs in _leaves(frame.signature, tree):
        if marks is None or ours is None or not marks.search(ours):
            if ours is None or ours != theirs:
                return None
            continue
        found.append((tuple(run for run in marks.split(ours) if run), theirs))
    return tuple(found)


def _leaves(ours: object, theirs: object) -> Iterator[tuple[str | None, str]]:
    """The texts that stand at the same place of two signatures; (None, "") where the trees differ."""
    if isinstance(ours, str) and isinstance(theirs, str):
        yield ours, theirs
    elif isinstance(ours, tuple) and isinstance(theirs, tuple) and len(ours) == len(theirs):
        for left, right in zip(ours, theirs, strict=True):
            yield from _leaves(left, right)
    elif ours is not None or theirs is not None:
        yield None, ""


def _flat(parts: Sequence[Expression]) -> Iterator[Expression]:
    for part in parts:
        if isinstance(part, Concat):
            yield from _flat(part.parts)
        else:
            yield part


def _solve(bindings: _Bindings, results: Sequence[Json]) -> bool:
    """Solve the equations with the fewest unknowns first, so that what is known helps to split the rest."""
    for reference, value in bindings.lookups:
        _look_up(reference, value, results, bindings)
    waiting = bindings.texts
    while waiting:
        waiting.sort(key=lambda equation: len(_unknown(equation[0], bindings)))
        parts, text = waiting.pop(0)
        if not _solve_one(parts, text, bindings, results):
            return False
    return True


def _look_up(reference: Reference, value: Json, results: Sequence[Json], bindings: _Bindings) -> None:
    """Bind the name in a table under which the value stands; the first when there are several."""
    at = next((i for i, part in enumerate(reference.path) if isinstance(part, Pick) and part.how == "key"), None)
    if at is None or not isinstance(reference.path[at], Pick):
        return
    name = reference.path[at].value  # type: ignore[union-attr]  # asked the line before
    table = _follow(results, Reference(reference.step, reference.path[:at]), bindings.found)
    if not isinstance(name, Input) or name.name in bindings.found or not isinstance(table, dict):
        return
    for key in table:
        found = {**bindings.found, name.name: key}
        with suppress(TemplateError):
            if same(_follow(results, reference, found), value):
                bindings.bind(name.name, key)
                return


def _unknown(parts: Sequence[Expression], bindings: _Bindings) -> set[str]:
    return {part.name for part in parts if isinstance(part, Input) and part.name not in bindings.found}


def _solve_one(parts: Sequence[Expression], text: str, bindings: _Bindings, results: Sequence[Json]) -> bool:
    groups: dict[str, str] = {}
    pattern = ""
    for part in parts:
        if isinstance(part, Input) and part.name not in bindings.found:
            known = groups.get(part.name)
            groups.setdefault(part.name, f"g{len(groups)}")
            pattern += f"(?P={known})" if known else f"(?P<{groups[part.name]}>.*?)"
        else:
            pattern += re.escape(as_text(render(part, bindings.found, results)))
    found = re.fullmatch(pattern, text, re.DOTALL)
    return found is not None and all(bindings.bind_text(name, found.group(group)) for name, group in groups.items())


# ── Measures ─────────────────────────────────────────────────────────────────────────────────────


def specificity(template: Template, inputs: Mapping[str, Json], calls: Sequence[Call]) -> float:
    """Share of the argument text that is fixed or derived (A14): 1 − characters from inputs / characters in all."""
    total = sum(len(canonical(dict(call.arguments))) for call in calls)
    given = sum(len(as_shown(inputs[part.name])) for step in template.steps for part in walk(step) if isinstance(part, Input))
    return max(0.0, 1 - given / total) if total else 0.0


def as_shown(value: Json) -> str:
    """A value as its characters count: text without quotes, everything else as JSON."""
    return value if isinstance(value, str) else canonical(value)
