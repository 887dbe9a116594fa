"""Learns how each argument of a routine comes about, renders the arguments of a new call and recovers inputs from a recorded one; it never
guesses across types and never runs anything."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from . import origins, quoting, shell
from .model import (
    SHELL_TOOLS,
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
    OpaqueCommand,
    Part,
    Pick,
    Reference,
    Spec,
    TemplateError,
    canonical,
    children,
    walk,
)
from .origins import Origin, Origins, Vector, ties
from .redact import PLACEHOLDER


@dataclass(frozen=True, slots=True)
class Template:
    """The arguments of every step as expressions, and the inputs they need."""

    inputs: tuple[InputField, ...]
    steps: tuple[Object, ...]


def same(left: Json, right: Json) -> bool:
    """Whether two JSON values are equal with their types: 3 is not "3", 1 is not 1.0 and not true (B31)."""
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
    """The value of an expression; TemplateError names the input or field that is missing, UnsafeValue the value that
    cannot be placed."""
    match expression:
        case Literal(value):
            return copy.deepcopy(value)
        case Input(name):
            if name not in inputs:
                raise TemplateError(f"Expected a value for the input {name!r}, got none")
            return inputs[name]
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
    return {"json": ".json", "strip": "", "key": f".{other}", "where": f"[{part.field} = {other}]"}.get(part.how, f"[{part.how}]")


def _render_command(command: Command, inputs: Mapping[str, Json], results: Sequence[Json]) -> str:
    values = [as_text(render(piece.value, inputs, results)) for piece in command.parts if isinstance(piece, Hole)]
    return quoting.placed(command, values)


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

    def bind_text(self, name: str, text: str) -> bool:
        """Bind a piece of text; an integer input takes it only in canonical form."""
        if self.types.get(name) == "integer":
            return re.fullmatch(r"0|-?[1-9][0-9]*", text) is not None and self.bind(name, int(text))
        return self.bind(name, text)


def match(spec: Spec, calls: Sequence[Call], results: Sequence[Json]) -> dict[str, Json] | None:
    """The inputs from which `spec` renders exactly these calls with these results of theirs; None when there are none.
    Of several possible splits of a text the one with the shortest leading pieces counts."""
    if len(calls) != len(spec.steps) or any(step.tool != call.tool for step, call in zip(spec.steps, calls, strict=True)):
        return None
    bindings = _Bindings({one.name: one.type for one in spec.inputs})
    try:
        fits = all(_unify(step.arguments, dict(call.arguments), results, bindings) for step, call in zip(spec.steps, calls, strict=True))
        if not fits or not _solve(bindings, results) or set(bindings.found) != {one.name for one in spec.inputs}:
            return None
        return bindings.found if _renders(spec, calls, results, bindings.found) else None
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
    """Compare trees: where the template's tree has a mark, the text there gives an equation."""
    frame = quoting.frame(command)
    try:
        script = shell.parse(text)
    except OpaqueCommand:
        return False
    holes = dict(zip(frame.marks, (piece.value for piece in command.parts if isinstance(piece, Hole)), strict=True))
    marks = re.compile("(" + "|".join(frame.marks) + ")") if frame.marks else None
    for ours, theirs in _leaves(frame.signature, shell.signature(script)):
        if marks is None or ours is None or not marks.search(ours):
            if ours is None or ours != theirs:
                return False
            continue
        parts = tuple(holes[run] if run in holes else Literal(run) for run in marks.split(ours) if run)
        bindings.texts.append((tuple(_flat(parts)), theirs))
    return True


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


# ── Learning ─────────────────────────────────────────────────────────────────────────────────────


def infer(examples: Sequence[Example]) -> Template:
    """The template that reproduces every example; TemplateError when there is none. Out of one example everything is
    a literal. Origins are tried in the order of design section 6."""
    if not examples:
        raise TemplateError("Expected at least one example, got none")
    return _Learner(tuple(examples)).template()


@dataclass(slots=True)
class _Unknown:
    """An input in the making: its values and the names that its places suggest, best first."""

    vector: Vector
    hints: list[tuple[int, str]] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)


class _Learner:
    """One pass over the steps; `unknowns` and `origins` grow from left to right."""

    def __init__(self, examples: tuple[Example, ...]) -> None:
        self.examples = examples
        self.unknowns: list[_Unknown] = []
        self.origins = Origins()
        self.step = 0

    def template(self) -> Template:
        steps = []
        for index in range(len(self.examples[0].events)):
            self.step = index
            steps.append(self._arguments())
            self.origins.add([example.results[index] for example in self.examples])
        names = _names(self.unknowns)
        renamed = tuple(_renamed(step, names) for step in steps)
        fields = tuple(
            InputField(names[f"#{index}"], _type(unknown.vector), _used_in(unknown.steps), _distinct(unknown.vector)[:3])
            for index, unknown in enumerate(self.unknowns)
        )
        return Template(fields, tuple(step for step in renamed if isinstance(step, Object)))

    def _arguments(self) -> Object:
        calls = [example.calls[self.step] for example in self.examples]
        first = calls[0]
        if any(call.tool != first.tool or set(call.arguments) != set(first.arguments) for call in calls):
            raise TemplateError(f"Expected the same tool and argument names in step {self.step + 1} of every example")
        code = SHELL_TOOLS.get(first.tool)
        pairs = []
        for key in first.arguments:
            vector = tuple(call.arguments[key] for call in calls)
            if key != code and key in CODE_KEYS and len(_distinct(vector)) > 1:
                raise TemplateError(
                    f"Expected the same {key} in step {self.step + 1} of every example: it is run, so no value may stand in it"
                )
            made = self._command(vector) if key == code else self._value(vector, (1, key))
            pairs.append((key, made))
        return Object(tuple(pairs))

    def _value(self, vector: Vector, hint: tuple[int, str]) -> Expression:
        whole = self._whole(vector)
        if whole is not None:
            return whole
        if all(isinstance(value, dict) for value in vector) and len({frozenset(value) for value in vector}) == 1:
            return Object(tuple((key, self._value(tuple(value[key] for value in vector), (1, key))) for key in vector[0]))
        if all(isinstance(value, list) for value in vector) and len({len(value) for value in vector}) == 1:
            return Array(tuple(self._value(tuple(value[i] for value in vector), hint) for i in range(len(vector[0]))))
        if all(isinstance(value, str) for value in vector):
            parts = self._text(vector, hint, coarse=True)
            if len(parts) > 1:
                return Concat(parts)
            return parts[0] if _equal(self._values(parts[0]), vector) else self._unknown(vector, hint)
        return self._unknown(vector, hint)

    def _values(self, expression: Expression) -> Vector:
        """What an expression was in every example; 312 as the whole of the text "312" is another value (B31)."""
        return tuple(render(expression, self._inputs(index), example.results[: self.step]) for index, example in enumerate(self.examples))

    def _inputs(self, index: int) -> dict[str, Json]:
        return {f"#{i}": unknown.vector[index] for i, unknown in enumerate(self.unknowns)}

    def _whole(self, vector: Vector) -> Expression | None:
        """Literal, input already known, or reference, when one is the whole value with its type."""
        if len(_distinct(vector)) == 1:
            return Literal(_clean(vector[0]))
        for index, unknown in enumerate(self.unknowns):
            if _equal(unknown.vector, vector):
                unknown.steps.append(self.step)
                return Input(f"#{index}")
        origin = self.origins.whole(vector, self._known())
        return self._taken(origin) if origin else None

    def _known(self) -> list[tuple[Expression, Vector]]:
        return [(Input(f"#{index}"), unknown.vector) for index, unknown in enumerate(self.unknowns)]

    def _taken(self, origin: Origin) -> Reference:
        """The reference of an origin, with an input for the names of a table where it needs them."""
        for part in children(origin.reference):
            self._used(part)
        if not origin.keys:
            return origin.reference
        name = self._unknown(origin.keys, (3, "name"))
        path = tuple(replace(part, value=name) if isinstance(part, Pick) and part.how == "key" else part for part in origin.reference.path)
        return Reference(origin.reference.step, path)

    def _unknown(self, vector: Vector, hint: tuple[int, str]) -> Input:
        for value in vector:
            _clean(value)
        for index, unknown in enumerate(self.unknowns):
            if _equal(unknown.vector, vector):
                unknown.hints.append(hint)
                unknown.steps.append(self.step)
                return Input(f"#{index}")
        self.unknowns.append(_Unknown(vector, [hint], [self.step]))
        return Input(f"#{len(self.unknowns) - 1}")

    # Text: fixed parts, known parts, and what is left.

    def _text(self, vector: Vector, hint: tuple[int, str], coarse: bool) -> tuple[Expression, ...]:
        whole = self._whole_text(vector)
        if whole is not None:
            return (whole,)
        found = self._contained(vector)
        if found is None:
            return self._leftover(vector, hint, coarse)
        known, cuts = found
        beside = (4, "value")
        left = self._text(tuple(text[:at] for text, (at, _) in zip(vector, cuts, strict=True)), beside, coarse=False)
        right = self._text(tuple(text[end:] for text, (_, end) in zip(vector, cuts, strict=True)), beside, coarse=False)
        return tuple(part for part in (*left, known, *right) if part != Literal(""))

    def _whole_text(self, vector: Vector) -> Expression | None:
        if len(set(vector)) == 1:
            return Literal(_clean(vector[0]))
        for known, values in self._texts():
            if values == vector:
                return self._used(known)
        places = self.origins.inside(vector, self._known(), lambda text, piece: text == piece)
        best = min(places, key=lambda origin: origin.rank, default=None)
        return self._taken(best) if best else None

    def _texts(self) -> Iterator[tuple[Expression, Vector]]:
        """The known inputs that can stand in a text, as text."""
        for known, vector in self._known():
            if all(isinstance(value, str) or type(value) is int for value in vector):
                yield known, tuple(str(value) for value in vector)

    def _used(self, expression: Expression) -> Expression:
        if isinstance(expression, Input):
            self.unknowns[int(expression.name[1:])].steps.append(self.step)
        return expression

    def _contained(self, vector: Vector) -> tuple[Expression, list[tuple[int, int]]] | None:
        """The longest known value that stands in every text between borders of words, and where; inputs before references."""
        found: list[tuple[tuple[object, ...], Expression | Origin, Vector]] = []
        for order, (known, values) in enumerate(self._texts()):
            if ties(values):
                found.append(((-_length(values), -1, order), known, values))
        for origin in self.origins.inside(vector, self._known(), lambda text, piece: _bounded(text, piece) is not None):
            values = tuple(str(value) for value in origin.vector)
            found.append(((-_length(values), 0, origin.rank), origin, values))
        for _, source, values in sorted(found, key=lambda one: one[0]):
            cuts = [_bounded(text, piece) for text, piece in zip(vector, values, strict=True)]
            if None not in cuts:
                taken = self._taken(source) if isinstance(source, Origin) else self._used(source)
                return taken, [cut for cut in cuts if cut is not None]
        return None

    def _leftover(self, vector: Vector, hint: tuple[int, str], coarse: bool) -> tuple[Expression, ...]:
        """Fixed tokens at both ends and inputs between them (K49): one, or several where the same signs stand between in every text."""
        tokens = [(_COARSE if coarse else _FINE).findall(text) for text in vector]
        shortest = min(len(row) for row in tokens)
        head = next((i for i in range(shortest) if len({row[i] for row in tokens}) > 1), shortest)
        tail = next((i for i in range(shortest - head) if len({row[-1 - i] for row in tokens}) > 1), shortest - head)
        before, after = "".join(tokens[0][:head]), "".join(tokens[0][len(tokens[0]) - tail :])
        parts: list[Expression] = [Literal(_clean(before))]
        for part in _cells([row[head : len(row) - tail] for row in tokens]):
            parts.append(part if isinstance(part, Literal) else self._whole_text(part) or self._unknown(part, hint))
        return tuple(part for part in (*parts, Literal(_clean(after))) if part != Literal(""))

    # Commands: the same tree in every example, values inside its words.

    def _command(self, vector: Vector) -> Expression:
        if len(_distinct(vector)) == 1:
            return Literal(_clean(vector[0]))
        if not all(isinstance(value, str) for value in vector):
            raise TemplateError(f"Expected the command of step {self.step + 1} to be text")
        scripts = [shell.parse(text) for text in vector]
        if len({_shape(script) for script in scripts}) > 1:
            raise TemplateError(f"Expected one structure of command in step {self.step + 1}, got several")
        columns = zip(*(list(_columns(script)) for script in scripts), strict=True)
        edits: list[tuple[int, int, tuple[str | Hole, ...]]] = []
        for column in columns:
            edits += self._word(vector, [word for word, _ in column], column[0][1])
        command = Command(tuple(_assembled(vector[0], edits)))
        _clean([part for part in command.parts if isinstance(part, str)])
        self._reproduces(command, vector)
        return command

    def _word(self, texts: Vector, words: list[shell.Word], hint: tuple[int, str]) -> Iterator[tuple[int, int, tuple[str | Hole, ...]]]:
        """Replacements for one word of the first example's text: (start, end, parts)."""
        if len({text[word.start : word.end] for text, word in zip(texts, words, strict=True)}) == 1:
            return
        if (
            all(word.fixed and len(word.pieces) == 1 and word.pieces[0].quote in ("", "'") for word in words)
            and len({w.pieces[0].quote for w in words}) > 1
        ):
            parts = self._text(tuple(word.value or "" for word in words), hint, coarse=True)
            yield words[0].start, words[0].end, (Hole(parts[0] if len(parts) == 1 else Concat(parts), "bare"),)
            return
        if len({tuple((piece.kind, piece.quote) for piece in word.pieces) for word in words}) > 1:
            raise TemplateError(f"Expected the same quoting in step {self.step + 1} of every example")
        for pieces in zip(*(word.pieces for word in words), strict=True):
            if pieces[0].kind == "substitution" or len({piece.value for piece in pieces}) == 1:
                continue
            yield pieces[0].start, pieces[0].end, self._piece(pieces, hint)

    def _piece(self, pieces: tuple[shell.Piece, ...], hint: tuple[int, str]) -> tuple[str | Hole, ...]:
        places = {"": "bare", "'": "single", '"': "double"}
        if pieces[0].kind != "text" or pieces[0].quote not in places:
            raise TemplateError(f"Expected the same variables and escapes in step {self.step + 1} of every example")
        place = places[pieces[0].quote]
        parts = self._text(tuple(piece.value for piece in pieces), hint, coarse=True)
        return tuple(
            (part.value if place == "bare" else quoting.quoted(part.value, place)) if isinstance(part, Literal) else Hole(part, place)
            for part in parts
        )

    def _reproduces(self, command: Command, vector: Vector) -> None:
        for text, rendered in zip(vector, self._values(command), strict=True):
            if rendered != text:
                raise TemplateError(f"Expected a template of the command in step {self.step + 1}; quoting differs", source=text, at=0)


CODE_KEYS = frozenset(("code", "script", "command", "cmd", "shell", "expression", "program", "sql", "javascript", "js"))
"""Arguments of other tools that are run as code; they are the same every time, or there is no template."""
_COARSE = re.compile(r"[\w./@:+~%-]+|\s+|.", re.DOTALL)
"""Tokens of running text: a path, a branch, a version, an address is one value."""
_FINE = re.compile(r"[^\W_]+|.", re.DOTALL)
"""Tokens beside a known value, where its neighbours are parts of the same name."""


def _cells(rows: list[list[str]]) -> list[Vector | Literal]:
    """The varying texts between fixed ones. Only signs separate two values: words beside words are one text."""
    if len({len(row) for row in rows}) > 1:
        return [tuple("".join(row) for row in rows)]
    cells: list[Vector | Literal] = []
    for column in zip(*rows, strict=True):
        fixed = len(set(column)) == 1
        if cells and isinstance(cells[-1], Literal) and fixed:
            cells[-1] = Literal(cells[-1].value + column[0])
        elif cells and not isinstance(cells[-1], Literal) and not fixed:
            cells[-1] = tuple(text + more for text, more in zip(cells[-1], column, strict=True))
        else:
            cells.append(Literal(column[0]) if fixed else column)
    signs = all(re.search(r"[^\s\w]", cell.value) for cell in cells if isinstance(cell, Literal))
    return cells if signs else [tuple("".join(row) for row in rows)]


def _bounded(text: str, piece: str) -> tuple[int, int] | None:
    """Where `piece` stands in `text` with no letter or digit touching its ends."""
    at = text.find(piece)
    while at >= 0:
        end = at + len(piece)
        if not (at and text[at - 1].isalnum() and piece[:1].isalnum()) and not (
            end < len(text) and text[end].isalnum() and piece[-1:].isalnum()
        ):
            return at, end
        at = text.find(piece, at + 1)
    return None


def _equal(left: Vector, right: Vector) -> bool:
    return all(same(a, b) for a, b in zip(left, right, strict=True))


def _distinct(vector: Vector) -> tuple[Json, ...]:
    return tuple({canonical(value): value for value in vector}.values())


def _length(values: Vector) -> int:
    return sum(len(value) for value in values)


def _clean(value: Json) -> Json:
    """The value, unless a secret was masked in it: then no template is made of it (A17)."""
    if PLACEHOLDER.search(canonical(value)):
        raise TemplateError("Expected no masked secret in a fixed value or an input")
    return value


# ── Commands as columns of words ─────────────────────────────────────────────────────────────────


def _shape(script: shell.Script) -> tuple[object, ...]:
    """What must be equal before words are compared one by one."""
    counts = tuple(
        (
            tuple(name for name, _ in command.assignments),
            len(command.words),
            tuple((r.descriptor, r.operator, r.body) for r in command.redirects),
        )
        for command in script.commands()
    )
    return counts, tuple(len(pipeline.commands) for pipeline in script.pipelines), script.operators


def _columns(script: shell.Script) -> Iterator[tuple[shell.Word, tuple[int, str]]]:
    """Every word in order, with a hint for the name of what varies in it."""
    for command in script.commands():
        words = shell.arguments(command)
        head = " ".join(shell.head(words))
        for name, word in command.assignments:
            yield word, (0, name)
        for index, word in enumerate(command.words):
            yield word, _hint(words, index, head)
        for redirect in command.redirects:
            yield redirect.target, (2, "file")


NOUNS: Mapping[str, str] = {
    "git checkout": "branch",
    "git switch": "branch",
    "git branch": "branch",
    "git merge": "branch",
    "git tag": "tag",
    "git show": "commit",
    "git bisect good": "commit",
    "git bisect bad": "commit",
    "git commit": "message",
    "git clone": "url",
    "curl": "url",
    "wget": "url",
    "grep": "pattern",
    "rg": "pattern",
    "cd": "folder",
    "mkdir": "folder",
    "ssh": "host",
    "ping": "host",
    "npm run": "script",
    "docker build": "image",
    "docker tag": "image",
    "docker push": "image",
    "docker logs": "container",
    "kubectl logs": "pod",
    "kubectl describe": "name",
    "systemctl restart": "service",
    "systemctl status": "service",
    "pip install": "package",
    "npm install": "package",
    "pytest": "path",
    "cat": "path",
    "wc": "path",
    "head": "path",
    "tail": "path",
    "ls": "path",
    "touch": "path",
    "gh pr view": "number",
    "gh pr merge": "number",
    "gh issue view": "number",
}
"""What the operand of a command is called; beside it flags and keys give the names."""


def _hint(words: tuple[str | None, ...], index: int, head: str) -> tuple[int, str]:
    word, before = words[index], words[index - 1] if index else None
    glued = re.match(r"--?([A-Za-z][\w-]*)=", word or "")
    if glued:
        return 0, glued.group(1)
    flag = re.fullmatch(r"--([A-Za-z][\w-]*)", before or "")
    if flag:
        return 0, flag.group(1)
    return (2, NOUNS[head]) if head in NOUNS else (4, "value")


def _assembled(text: str, edits: list[tuple[int, int, tuple[str | Hole, ...]]]) -> Iterator[str | Hole]:
    """The first example's text with its edits, neighbouring texts joined."""
    at, pending = 0, ""
    for start, end, parts in sorted(edits, key=lambda edit: edit[0]):
        pending += text[at:start]
        for part in parts:
            if isinstance(part, str):
                pending += part
                continue
            if pending:
                yield pending
            yield part
            pending = ""
        at = end
    if pending + text[at:]:
        yield pending + text[at:]


# ── Names and types of inputs ────────────────────────────────────────────────────────────────────


def _names(unknowns: Sequence[_Unknown]) -> dict[str, str]:
    """A name for every input in the making, from the best hint of its places, each once."""
    names: dict[str, str] = {}
    for index, unknown in enumerate(unknowns):
        rank, hint = min(unknown.hints, key=lambda one: one[0])
        stem = _identifier(hint if rank < 4 else _shaped(unknown.vector))
        name, n = stem, 2
        while name in names.values():
            name, n = f"{stem}_{n}", n + 1
        names[f"#{index}"] = name
    return names


def _identifier(text: str) -> str:
    name = re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text).lower()).strip("_")[:40]
    return name if re.match(r"[a-z]", name) else "value"


def _shaped(vector: Vector) -> str:
    """A name from the look of the values."""
    looks = {"url": r"[a-z][a-z0-9+.-]*://\S+", "number": r"[0-9]+", "path": r"(?:~|\.{0,2})?/?(?:[\w.@-]+/)+[\w.@-]*|[\w-]+\.[a-z]{1,5}"}
    for name, pattern in looks.items():
        if all(re.fullmatch(pattern, str(value)) for value in vector):
            return name
    return "value"


def _type(vector: Vector) -> str:
    """The JSON schema type of all values, "" when they differ."""
    kinds = {
        "null" if v is None else {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}[type(v)]
        for v in vector
    }
    if kinds == {"integer", "number"}:
        return "number"
    return kinds.pop() if len(kinds) == 1 else ""


def _used_in(steps: Sequence[int]) -> str:
    numbers = [str(step + 1) for step in sorted(set(steps))]
    return f"Used in step{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}."


def _renamed(expression: Expression, names: Mapping[str, str]) -> Expression:
    match expression:
        case Input(name):
            return Input(names[name])
        case Reference(step, path):
            parts = (replace(p, value=_renamed(p.value, names)) if isinstance(p, Pick) and p.value is not None else p for p in path)
            return Reference(step, tuple(parts))
        case Concat(parts):
            return Concat(tuple(_renamed(part, names) for part in parts))
        case Command(pieces):
            return Command(tuple(p if isinstance(p, str) else Hole(_renamed(p.value, names), p.place) for p in pieces))
        case Object(pairs):
            return Object(tuple((key, _renamed(value, names)) for key, value in pairs))
        case Array(items):
            return Array(tuple(_renamed(item, names) for item in items))
    return expression


# ── Measures ─────────────────────────────────────────────────────────────────────────────────────


def specificity(template: Template, inputs: Mapping[str, Json], calls: Sequence[Call]) -> float:
    """Share of the argument text that is fixed or derived (A14): 1 − characters from inputs / characters in all."""
    total = sum(len(canonical(dict(call.arguments))) for call in calls)
    given = sum(len(as_shown(inputs[part.name])) for step in template.steps for part in walk(step) if isinstance(part, Input))
    return max(0.0, 1 - given / total) if total else 0.0


def as_shown(value: Json) -> str:
    """A value as its characters count: text without quotes, everything else as JSON."""
    return value if isinstance(value, str) else canonical(value)
