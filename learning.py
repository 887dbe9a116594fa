"""Learns how each argument of a routine comes about, the likeliest origin first; what it makes reproduces every example or is not
made, and nothing is ever run. A module of its own, because templating would otherwise both say what a template means and find one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from . import columns, extraction, quoting, search, secrecy, shell, surroundings
from .columns import Edit
from .looks import PLACEHOLDER
from .model import (
    SHELL_TOOLS,
    Ambient,
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
    Literal,
    Object,
    OpaqueCommand,
    Option,
    Pick,
    Reference,
    TemplateError,
    canonical,
    children,
    walk,
)
from .origins import Origin, Origins, Same, Vector, ties
from .speech import instructs
from .templating import Template, render, same


def infer(examples: Sequence[Example]) -> Template:
    """The template that reproduces every example; TemplateError when there is none. Out of one example everything is
    a literal. Origins are tried from the most telling to the least."""
    if not examples:
        raise TemplateError("Expected at least one example, got none")
    return _inferred(tuple(_renumbered(Same(one)) for one in examples))


@lru_cache(maxsize=512)
def _renumbered(example: Same[Example]) -> Same[Example]:
    """One for each example, whatever it is learnt with: what is kept for the examples is found again by it."""
    return Same(secrecy.renumbered(example.value)) if any(map(_masked, example.value.events)) else example


def _masked(event: Event) -> bool:
    return secrecy.hides([dict(event.call.arguments), event.outcome.result])


@lru_cache(maxsize=64)
def _inferred(examples: tuple[Same[Example], ...]) -> Template:
    """Kept for a while: scoring and checking a family both leave out one example after the other."""
    return _Learner(tuple(one.value for one in examples)).template()


@dataclass(slots=True)
class _Unknown:
    """An input in the making: its values and the names that its places suggest, best first."""

    vector: Vector
    hints: list[tuple[int, str]] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    option: str = ""
    """The text of the option that this yes or no is about."""
    around: tuple[str, str] = ("", "")
    """Fixed text on both sides, where the values are pieces of something."""


class _Learner:
    """One pass over the steps; `unknowns` and `origins` grow from left to right."""

    def __init__(self, examples: tuple[Example, ...]) -> None:
        self.examples = examples
        self.unknowns: list[_Unknown] = []
        self.origins = Origins()
        self.step = 0
        self.around = surroundings.shared(examples)
        self.constants: set[str] = set()
        """Words that are fixed in the steps so far: a value that is one of them is no sign of a flow."""
        self.results = [example.results for example in examples]
        self.ambient = [example.around for example in examples]

    def template(self) -> Template:
        steps = []
        for index in range(len(self.examples[0].events)):
            self.step = index
            steps.append(self._arguments())
            self.constants.update(_constants(steps[-1]))
            self.origins.add([results[index] for results in self.results])
        made = _pieces_of_others(self.unknowns, steps)
        left = {f"#{index}": unknown for index, unknown in enumerate(self.unknowns) if f"#{index}" not in made}
        names = _names(left)
        whole = tuple(renamed(step, made | {key: Input(name) for key, name in names.items()}) for step in steps)
        fields = tuple(_field(names[key], unknown) for key, unknown in left.items())
        return Template(fields, tuple(step for step in whole if isinstance(step, Object)))

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
            pairs.append((key, made if key == code else self._scoped(made, key)))
        return Object(tuple(pairs))

    def _value(self, vector: Vector, hint: tuple[int, str]) -> Expression:
        hidden = secrecy.hides(vector)
        if hidden and all(isinstance(value, str) for value in vector):
            parts = self._split(vector, hint)
            return parts[0] if len(parts) == 1 else Concat(parts)
        whole = None if hidden else self._whole(vector)
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
        whole = self._read_off(vector) if all(type(value) is int for value in vector) else None
        return whole or self._unknown(vector, hint)

    def _values(self, expression: Expression) -> Vector:
        """What an expression was in every example; 312 as the whole of the text "312" is another value (B31)."""
        return tuple(render(expression, self._inputs(index), results[: self.step]) for index, results in enumerate(self.results))

    def _inputs(self, index: int) -> dict[str, Json]:
        return {f"#{i}": unknown.vector[index] for i, unknown in enumerate(self.unknowns)} | self.ambient[index]

    def _whole(self, vector: Vector) -> Expression | None:
        """Literal, input already known, or reference, when one is the whole value with its type."""
        if len(_distinct(vector)) == 1:
            return Literal(_clean(vector[0]))
        for index, unknown in self._values_given():
            if _equal(unknown.vector, vector):
                unknown.steps.append(self.step)
                return Input(f"#{index}")
        origin = self.origins.whole(vector, self._known()) if self._telling(vector) else None
        return self._taken(origin) if origin else None

    def _telling(self, vector: Vector) -> bool:
        """Whether it means something that these values stand in an earlier result (A9): two at least that are not also fixed words."""
        return len({canonical(value) for value in vector if not (isinstance(value, str) and value in self.constants)}) > 1

    def _known(self) -> list[tuple[Expression, Vector]]:
        return [(Input(f"#{index}"), unknown.vector) for index, unknown in self._values_given()]

    def _values_given(self) -> Iterator[tuple[int, _Unknown]]:
        """The inputs that are values; options, which are only there or not, equal nothing."""
        return ((index, unknown) for index, unknown in enumerate(self.unknowns) if not unknown.option)

    def _taken(self, origin: Origin) -> Reference:
        """The reference of an origin, with an input for the names of a table where it needs them."""
        for part in children(origin.reference):
            self._used(part)
        if not origin.keys:
            return origin.reference
        name = self._unknown(origin.keys, (3, "name"))
        path = tuple(replace(part, value=name) if isinstance(part, Pick) and part.how == "key" else part for part in origin.reference.path)
        return Reference(origin.reference.step, path)

    def _split(self, vector: Vector, hint: tuple[int, str]) -> tuple[Expression, ...]:
        """Texts in which secrets were masked: what is between them as in any text, and for each where it comes from, else an input."""
        rows = [secrecy.split(text) for text in vector]
        if len({len(row) for row in rows}) > 1:
            raise TemplateError("Expected as many secrets in each example")
        parts: list[Expression] = []
        for number, column in enumerate(zip(*rows, strict=True)):
            if number % 2:
                parts.append(self._secret(column))
            elif any(column):
                parts += [Literal(column[0])] if len(set(column)) == 1 else self._text(column, hint, coarse=True)
        return tuple(parts)

    def _secret(self, vector: Vector) -> Expression:
        """What came out of an earlier result is taken from there or not at all: a key that was drawn for one run is of no use later."""
        origin = self.origins.whole(vector, self._known())
        if origin:
            return self._taken(origin)
        earlier = zip(vector, (example.results[: self.step] for example in self.examples), strict=True)
        if any(value in canonical(list(results)) for value, results in earlier):
            raise TemplateError("Expected no masked secret out of an earlier result whose place is not clear")
        return self._unknown(vector, (0, secrecy.name(vector[0])))

    def _parts(self, vector: Vector, hint: tuple[int, str]) -> tuple[Expression, ...]:
        return self._split(vector, hint) if secrecy.hides(vector) else self._text(vector, hint, coarse=True)

    def _unknown(self, vector: Vector, hint: tuple[int, str], around: tuple[str, str] = ("", "")) -> Input:
        if not _secret(vector):
            _clean(vector)
        for index, unknown in self._values_given():
            if _equal(unknown.vector, vector):
                unknown.hints.append(hint)
                unknown.steps.append(self.step)
                return Input(f"#{index}")
        self.unknowns.append(_Unknown(vector, [hint], [self.step], around=around))
        return Input(f"#{len(self.unknowns) - 1}")

    def _switch(self, vector: Vector, option: str) -> Input:
        """The yes/no input of an option; options of two steps are one only with the same text and the same answers."""
        for index, unknown in enumerate(self.unknowns):
            if unknown.option == option and unknown.vector == vector:
                unknown.steps.append(self.step)
                return Input(f"#{index}")
        stem = option.strip().lstrip("-")
        hint = (0, stem if len(stem) > 1 and not stem[0].isdigit() else f"option {stem}")
        self.unknowns.append(_Unknown(vector, [hint], [self.step], option))
        return Input(f"#{len(self.unknowns) - 1}")

    # Text: fixed parts, known parts, and what is left.

    def _text(self, vector: Vector, hint: tuple[int, str], coarse: bool) -> tuple[Expression, ...]:
        given = any(ties(values) and _around(vector, values) for _, values in self._texts())  # an input between fixed texts says it all
        whole = self._whole_text(vector) or (self._read_off(vector) if coarse and not given else None) or self._ambient(vector)
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
        best = min(places, key=lambda origin: origin.rank, default=None) if self._telling(vector) else None
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
            found += [((-_length(values), 0, origin.rank), origin, values)] if self._telling(values) else []
        for order, (ambient, texts) in enumerate(self.around):
            if ambient.what != "branch" or ties(texts):  # the date and folder of all examples too: they would else be fixed text
                found.append(((-_length(texts), 1, order), ambient, texts))
        for _, source, values in sorted(found, key=lambda one: one[0]):
            cuts = [_cut(source, text, piece) for text, piece in zip(vector, values, strict=True)]
            if None not in cuts:
                taken = self._taken(source) if isinstance(source, Origin) else self._used(source)
                return taken, [cut for cut in cuts if cut is not None]
        return None

    # Surroundings: what varies with them, and what is fixed and must not be replayed as it was.

    def _ambient(self, vector: Vector) -> Ambient | None:
        """What is around the examples and equals these texts, which vary with it."""
        return next((one for one, texts in self.around if ties(texts) and texts == vector), None)

    def _scoped(self, made: Expression, key: str) -> Expression:
        """The expression with folders and dates taken out of its fixed texts (T28)."""
        match made:
            case Literal(value):
                return self._scoped_value(value, key)
            case Concat(parts):
                return _joined([self._scoped(part, key) for part in parts])
            case Object(pairs):
                return Object(tuple((name, self._scoped(value, name)) for name, value in pairs))
            case Array(items):
                return Array(tuple(self._scoped(item, key) for item in items))
        return made

    def _scoped_value(self, value: Json, key: str) -> Expression:
        if isinstance(value, dict) and self._holds(canonical(value)):
            return Object(tuple((name, self._scoped_value(inner, name)) for name, inner in value.items()))
        if isinstance(value, list) and self._holds(canonical(value)):
            return Array(tuple(self._scoped_value(inner, key) for inner in value))
        if not isinstance(value, str):
            return Literal(value)
        parts = surroundings.cut(value, self.around)
        if key in CODE_KEYS and any(isinstance(part, Ambient) and part.form for part in parts):
            raise _undated(self.step)
        if key in CODE_KEYS or not any(isinstance(part, Ambient) for part in parts):
            return Literal(value)
        return _joined([Literal(part) if isinstance(part, str) else part for part in parts])

    def _holds(self, text: str) -> bool:
        return any(isinstance(part, Ambient) for part in surroundings.cut(text, self.around))

    def _scoped_command(self, text: str) -> Expression:
        """A command that is the same every time, with folders and dates taken out of it; one from which a date cannot be taken is none."""
        parts = surroundings.cut(text, self.around)
        if len(parts) < 2:
            return Literal(_clean(text))
        try:
            script = shell.parse(text)
            edits = [edit for word, _ in columns.columns(script) for edit in self._scoped_word(word)]
            made = Command(tuple(columns.assembled(text, edits)))
            self._reproduces(made, (text,) * len(self.examples))
            left = "".join(part for part in made.parts if isinstance(part, str))
        except (OpaqueCommand, TemplateError):
            left, made = text, Command((text,))
        if any(isinstance(part, Ambient) and part.form for part in surroundings.cut(left, self.around)):
            raise _undated(self.step)
        return made if len(made.parts) > 1 else Literal(_clean(text))

    def _scoped_word(self, word: shell.Word) -> Iterator[Edit]:
        """Replacements for the pieces of a fixed word that hold a folder or a date."""
        for piece in word.pieces if self.around else ():
            parts = surroundings.cut(piece.value, self.around) if piece.kind == "text" and piece.quote in PLACES else []
            if any(isinstance(part, Ambient) for part in parts):
                place = PLACES[piece.quote]
                made = (Literal(part) if isinstance(part, str) else part for part in parts)
                yield piece.start, piece.end, tuple(_placed(part, place) for part in made)

    def _leftover(self, vector: Vector, hint: tuple[int, str], coarse: bool) -> tuple[Expression, ...]:
        """Fixed tokens at both ends and inputs between them (K49): one, or several where the same signs stand between in every text."""
        found = None if coarse else self._framed(vector)
        if found is not None:
            return found
        tokens = [(_COARSE if coarse else _FINE).findall(text) for text in vector]
        shortest = min(len(row) for row in tokens)
        head = next((i for i in range(shortest) if len({row[i] for row in tokens}) > 1), shortest)
        tail = next((i for i in range(shortest - head) if len({row[-1 - i] for row in tokens}) > 1), shortest - head)
        before, after = "".join(tokens[0][:head]), "".join(tokens[0][len(tokens[0]) - tail :])
        parts: list[Expression] = [Literal(_clean(before))]
        for part in _cells([row[head : len(row) - tail] for row in tokens]):
            parts += [part] if isinstance(part, Literal) else self._cell(part, hint)
        return tuple(part for part in (*parts, Literal(_clean(after))) if part != Literal(""))

    def _cell(self, texts: Vector, hint: tuple[int, str]) -> list[Expression]:
        """A known value, or an input; where many values have a beginning or an end in common, that is fixed text around it."""
        known = self._whole_text(texts) or self._read_off(texts) or self._ambient(texts)
        if known is not None:
            return [known]
        found = self._framed(texts)
        if found is not None:
            return list(found)
        head, tail = _affixes(texts)
        if not (head or tail):
            return [self._unknown(texts, hint)]
        inner = _inner(texts, head, tail)
        return [Literal(_clean(head)), self._whole_text(inner) or self._unknown(inner, hint, (head, tail)), Literal(_clean(tail))]

    def _framed(self, texts: Vector) -> tuple[Expression, ...] | None:
        """A piece of an earlier text between fixed ends, the longest such piece."""
        for head, tail in _ends(texts):
            inner = _inner(texts, head, tail)
            piece = self._read_off(inner) if all(text[0].isalnum() and text[-1].isalnum() for text in inner) else None
            if piece is not None:
                return tuple(part for part in (Literal(_clean(head)), piece, Literal(_clean(tail))) if part != Literal(""))
        return None

    def _read_off(self, vector: Vector) -> Reference | None:
        """A piece of the text of an earlier result, found by a program that was learnt from a few examples and is right in all."""
        if ties(vector) and self._telling(vector):
            for step, path, texts in self.origins.texts(vector):
                program = _program(texts, vector)
                if program:
                    return Reference(step, (*path, Pick("text", program)))
        return None

    # Commands: the same tree in every example, values inside its words.

    def _command(self, vector: Vector) -> Expression:
        if len(_distinct(vector)) == 1 and not secrecy.hides(vector[0]):
            return self._scoped_command(vector[0]) if isinstance(vector[0], str) else Literal(vector[0])
        if not all(isinstance(value, str) for value in vector):
            raise TemplateError(f"Expected the command of step {self.step + 1} to be text")
        scripts = [shell.parse(text) for text in vector]
        options = columns.options(scripts)
        if options:
            scripts = [shell.parse(columns.without(script, options)) for script in scripts]
        if len({columns.shape(script) for script in scripts}) > 1:
            raise TemplateError(f"Expected one structure of command in step {self.step + 1}, got several")
        texts = tuple(script.text for script in scripts)
        edits = [self._option(option, scripts[0]) for option in options]
        for column in zip(*map(columns.columns, scripts), strict=True):
            edits += self._word(texts, [word for word, _ in column], column[0][1])
        command = Command(tuple(columns.assembled(texts[0], edits)))
        _clean([part if isinstance(part, str) else part.text for part in command.parts if not isinstance(part, Hole)])
        self._reproduces(command, vector)
        return command

    def _option(self, option: columns.Optional, script: shell.Script) -> Edit:
        """The option behind the word that it follows."""
        at = list(script.commands())[option.command].words[option.after - 1].end
        return at, at, (Option(self._switch(option.there, option.text), option.text),)

    def _word(self, texts: Vector, words: list[shell.Word], hint: tuple[int, str]) -> Iterator[Edit]:
        """Replacements for one word of the first example's text: (start, end, parts)."""
        sources = {text[word.start : word.end] for text, word in zip(texts, words, strict=True)}
        if len(sources) == 1 and not secrecy.hides([*sources]):
            yield from self._scoped_word(words[0])
            return
        if (
            all(word.fixed and len(word.pieces) == 1 and word.pieces[0].quote in ("", "'") for word in words)
            and len({w.pieces[0].quote for w in words}) > 1
        ):
            parts = self._parts(tuple(word.value or "" for word in words), hint)
            yield words[0].start, words[0].end, (Hole(self._scoped(_joined(parts), ""), "bare"),)
            return
        if len({tuple((piece.kind, piece.quote) for piece in word.pieces) for word in words}) > 1:
            raise TemplateError(f"Expected the same quoting in step {self.step + 1} of every example")
        for pieces in zip(*(word.pieces for word in words), strict=True):
            if pieces[0].kind == "substitution":
                continue
            values = {piece.value for piece in pieces}
            if len(values) == 1 and not secrecy.hides([*values]):
                yield from self._scoped_word(replace(words[0], pieces=(pieces[0],)))
                continue
            yield pieces[0].start, pieces[0].end, self._piece(pieces, hint)

    def _piece(self, pieces: tuple[shell.Piece, ...], hint: tuple[int, str]) -> tuple[str | Option | Hole, ...]:
        if pieces[0].kind != "text" or pieces[0].quote not in PLACES:
            raise TemplateError(f"Expected the same variables and escapes in step {self.step + 1} of every example")
        place = PLACES[pieces[0].quote]
        parts = self._parts(tuple(piece.value for piece in pieces), hint)
        return tuple(_placed(inner, place) for part in parts for inner in _flat(self._scoped(part, "")))

    def _reproduces(self, command: Command, vector: Vector) -> None:
        for text, rendered in zip(vector, self._values(command), strict=True):
            if rendered != text:
                raise TemplateError(f"Expected a template of the command in step {self.step + 1}; quoting differs", source=text, at=0)


PLACES: Mapping[str, str] = {"": "bare", "'": "single", '"': "double"}
"""How a piece of a word is quoted, in our words."""


def _constants(step: Object) -> Iterator[str]:
    """The fixed values of a step, of commands every word."""
    for part in walk(step):
        if isinstance(part, Literal) and isinstance(part.value, str):
            yield from (part.value, *part.value.split())
        elif isinstance(part, Command):
            yield from (word for piece in part.parts if isinstance(piece, str) for word in piece.split())


def _placed(part: Expression, place: str) -> str | Hole:
    """A part of a word as it stands in a command."""
    if isinstance(part, Literal):
        return str(part.value) if place == "bare" else quoting.quoted(part.value, place)
    return Hole(part, place)


def _joined(parts: Sequence[Expression]) -> Expression:
    """Parts as one text."""
    flat = [inner for part in parts for inner in _flat(part)]
    return flat[0] if len(flat) == 1 else Concat(tuple(flat))


def _flat(part: Expression) -> tuple[Expression, ...]:
    return part.parts if isinstance(part, Concat) else (part,)


def _cut(source: Expression | Origin, text: str, piece: str) -> tuple[int, int] | None:
    """Where a known value stands in a text, between the borders that its kind has."""
    if isinstance(source, Ambient) and source.what != "branch":
        return next(surroundings.spans(source, text, piece), None)
    return _bounded(text, piece)


def _undated(step: int) -> TemplateError:
    """A date in a constant is never replayed as it was (T28)."""
    where = "in a place where it cannot be told to mean today's"
    return TemplateError(f"Step {step + 1} holds the date of the day of its examples {where}, so it is no template")


CODE_KEYS = frozenset(("code", "script", "command", "cmd", "shell", "expression", "program", "sql", "javascript", "js"))
"""Arguments of other tools that are run as code; they are the same every time, or there is no template."""
_COARSE = re.compile(r"[\w./@:+~%-]+|\s+|.", re.DOTALL)
"""Tokens of running text: a path, a branch, a version, an address is one value."""
_FINE = re.compile(r"[^\W_]+|.", re.DOTALL)
"""Tokens beside a known value, where its neighbours are parts of the same name."""
MANY = 5
"""From so many distinct values on, a beginning or an end that all have in common is fixed text: by Laplace's rule of succession the
next value has it too with 6 chances in 7."""


LEARNT = 5
"""Examples that a program is learnt from; it has to be right in the others too."""


@lru_cache(maxsize=512)
def _program(texts: tuple[str, ...], pieces: Vector) -> str:
    """The stored form of the program that finds every piece in its text; empty where none is sure, or it knows a masked secret."""
    pairs = list(dict.fromkeys(zip(texts, pieces, strict=True)))
    for program in _candidates(tuple(pairs[:LEARNT])):
        stored = canonical(program.to_json())
        if not PLACEHOLDER.search(stored) and all(_finds(program, text, piece) for text, piece in pairs):
            return stored
    return ""


@lru_cache(maxsize=512)
def _candidates(pairs: tuple[tuple[str, Json], ...]) -> tuple[extraction.Program, ...]:
    """Kept for a while: leaving out one example after the other mostly leaves those from which it is learnt."""
    return search.candidates(pairs)


def _finds(program: extraction.Program, text: str, piece: Json) -> bool:
    try:
        return same(extraction.run(program, text), piece)
    except TemplateError:
        return False


def _ends(texts: Vector) -> Iterator[tuple[str, str]]:
    """Beginnings and ends, up to a sign, that all texts have in common, the shortest first: what is left may be a piece of another text."""
    head, tail = _common(texts)
    heads = [head[:at] for at in range(len(head) + 1) if not (at and head[at - 1].isalnum())]
    tails = [tail[at:] for at in range(len(tail), -1, -1) if not (at < len(tail) and tail[at].isalnum())]
    yield from sorted(((one, other) for one in heads for other in tails if one or other), key=lambda pair: len(pair[0]) + len(pair[1]))


def _inner(texts: Vector, head: str, tail: str) -> Vector:
    return tuple(text[len(head) : len(text) - len(tail)] for text in texts)


def _affixes(texts: Vector) -> tuple[str, str]:
    """The beginning and the end that many distinct texts have in common."""
    return _common(texts) if len(set(texts)) >= MANY else ("", "")


def _common(texts: Vector) -> tuple[str, str]:
    """The beginning and the end, up to a sign, that all texts have in common; something varies between them in each. The year of a date
    and the first number of a version stay with what follows."""
    rows = [_FINE.findall(text) for text in texts]
    shortest = min(len(row) for row in rows)
    head = next((i for i in range(shortest) if len({row[i] for row in rows}) > 1), shortest)
    tail = next((i for i in range(shortest - head) if len({row[-1 - i] for row in rows}) > 1), shortest - head)
    head, tail = _bordered([row[: head + 1] for row in rows], head), _bordered([row[::-1][: tail + 1] for row in rows], tail)
    if any(len(row) <= head + tail for row in rows):
        return "", ""
    return "".join(rows[0][:head]), "".join(rows[0][len(rows[0]) - tail :])


def _bordered(rows: Sequence[Sequence[str]], size: int) -> int:
    """How many of the common tokens stand apart from what follows: they end with a sign, and not between two numbers."""
    common = rows[0][:size]
    numbers = all(row[size].isdigit() for row in rows if len(row) > size)
    while common and (common[-1].isalnum() or len(common) > 1 and common[-2].isdigit() and numbers):
        common = common[:-1]
    return len(common)


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
    if all(type(value) is str for value in vector):
        return tuple(dict.fromkeys(vector))
    return tuple({canonical(value): value for value in vector}.values())


def _length(values: Vector) -> int:
    return sum(len(value) for value in values)


def _secret(vector: Vector) -> bool:
    """Whether all values are secrets and nothing else."""
    return all(isinstance(value, str) and PLACEHOLDER.fullmatch(value) for value in vector)


def _clean(value: Json) -> Json:
    """The value, unless a secret was masked in it: then no template is made of it (A17)."""
    if PLACEHOLDER.search(canonical(value)):
        raise TemplateError("Expected no masked secret in a fixed value or an input")
    return value


# ── Names and types of inputs ────────────────────────────────────────────────────────────────────


def _names(unknowns: Mapping[str, _Unknown]) -> dict[str, str]:
    """A name for every input in the making, from the best hint of its places, each once."""
    names: dict[str, str] = {}
    for key, unknown in unknowns.items():
        rank, hint = min(unknown.hints, key=lambda one: one[0])
        stem = _identifier(hint if rank < 4 else _shaped(unknown.vector))
        name, n = stem, 2
        while name in names.values():
            name, n = f"{stem}_{n}", n + 1
        names[key] = name
    return names


def _pieces_of_others(unknowns: Sequence[_Unknown], steps: Sequence[Object]) -> dict[str, Expression]:
    """What to write for an input in which another one always stands between the same texts: `host:443` where `host` is given too."""
    chosen = {
        part.name
        for step in steps
        for inner in walk(step)
        if isinstance(inner, Reference)
        for part in children(inner)
        if isinstance(part, Input)
    }
    texts = {f"#{i}": one.vector for i, one in enumerate(unknowns) if not one.option and all(isinstance(v, str) for v in one.vector)}
    made: dict[str, Expression] = {}
    for key, vector in texts.items():
        others = ((other, values) for other, values in texts.items() if other != key and _length(values) < _length(vector) and ties(values))
        found = max(((_length(values), other, around) for other, values in others if (around := _around(vector, values))), default=None)
        if found is not None and key not in chosen:
            _, other, (before, after) = found
            parts = (Literal(_clean(before)), Input(other), Literal(_clean(after)))
            made[key] = Concat(tuple(part for part in parts if part != Literal("")))
    return made


def _around(texts: Vector, pieces: Vector) -> tuple[str, str] | None:
    """The fixed texts on both sides of a piece, the same in every text."""
    cuts = [_bounded(text, piece) for text, piece in zip(texts, pieces, strict=True)]
    sides = {(text[: cut[0]], text[cut[1] :]) if cut else None for text, cut in zip(texts, cuts, strict=True)}
    return sides.pop() if len(sides) == 1 else None


def _field(name: str, unknown: _Unknown) -> InputField:
    """The input as its users see it; a yes/no input and one with few values that come back have a default, the usual value."""
    seen = _distinct(unknown.vector)
    usual, times = Counter(canonical(value) for value in unknown.vector).most_common(1)[0]
    default = next(value for value in seen if canonical(value) == usual) if 2 * times > len(unknown.vector) else None
    if unknown.option:
        return InputField(name, "boolean", f"Adds {unknown.option.strip()} to {_steps(unknown.steps)}.", seen[:3], default=default or False)
    closed = _closed(unknown.vector)
    about = f"Used in {_steps(unknown.steps)}."
    if _secret(unknown.vector):
        return InputField(name, secrecy.SECRET, about)
    if any(unknown.around):
        about = f"The varying part of {unknown.around[0]}…{unknown.around[1]}. {about}"
    return InputField(name, _type(unknown.vector), about, seen[:3], seen if closed else (), default if closed else None, unknown.around)


MOST_CHOICES = 8
"""Values that may be a choice."""


def _closed(vector: Vector) -> bool:
    """Whether the values look like a choice: few, and each was seen again."""
    counts = Counter(canonical(value) for value in vector)
    return 2 <= len(counts) <= MOST_CHOICES and min(counts.values()) >= 2 and not any(isinstance(value, dict | list) for value in vector)


def _identifier(text: str) -> str:
    name = re.sub(r"[^a-z0-9]+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text).lower()).strip("_")[:40]
    return name if re.match(r"[a-z]", name) and not instructs(name) else "value"


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


def _steps(steps: Sequence[int]) -> str:
    numbers = [str(step + 1) for step in sorted(set(steps))]
    return f"step{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}"


def renamed(expression: Expression, names: Mapping[str, Expression]) -> Expression:
    """The expression with each of its inputs replaced by what `names` says."""
    match expression:
        case Input(name):
            made = names[name]
            return made if isinstance(made, Input) else renamed(made, names)
        case Reference(step, path):
            parts = (replace(p, value=renamed(p.value, names)) if isinstance(p, Pick) and p.value is not None else p for p in path)
            return Reference(step, tuple(parts))
        case Concat(parts):
            return Concat(tuple(renamed(part, names) for part in parts))
        case Command(pieces):
            return Command(tuple(_renamed_piece(piece, names) for piece in pieces))
        case Object(pairs):
            return Object(tuple((key, renamed(value, names)) for key, value in pairs))
        case Array(items):
            return Array(tuple(renamed(item, names) for item in items))
    return expression


def _renamed_piece(piece: str | Option | Hole, names: Mapping[str, Expression]) -> str | Option | Hole:
    match piece:
        case Hole(value, place):
            return Hole(renamed(value, names), place)
        case Option(Input(name), text):
            made = names[name]
            assert isinstance(made, Input)  # a yes or no is no piece of another value
            return Option(made, text)
    return piece
