"""Finds where a value may come from in the results of earlier steps: by path, by a selector inside a list, through JSON inside text; it
only compares and never guesses across types. A module of its own, because templating would otherwise both learn and search."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Generic, TypeVar

from . import extraction
from .model import Expression, Json, KataError, Literal, Part, Pick, Reference, SpecError, canonical

MAX_LEAVES = 2_000
"""Values of one result that are looked at as the origin of a later argument."""
MAX_DEPTH = 12
MAX_TEXT = 200_000
"""Characters of a text that is tried as JSON."""
INFORMATIVE = 3
"""Shortest text, and fewest digits, that may tie two steps (A9)."""

T = TypeVar("T")
Vector = tuple[Json, ...]
"""The values of one argument position, one per example."""
Known = Sequence[tuple[Expression, Vector]]
"""Inputs that are bound already, with their values."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A place in an earlier result that gives these values; `keys` holds the names of a table that a new input would have to give."""

    reference: Reference
    vector: Vector
    rank: tuple[int, ...]
    """Smaller is better: why an element is taken before its number, then near before far, then short before long."""
    keys: Vector = ()


def informative(value: Json) -> bool:
    """Text of at least three characters or a number of at least three digits; a boolean, a small number or null ties nothing (A9)."""
    return not isinstance(value, bool) and (isinstance(value, str) or type(value) is int) and len(str(value)) >= INFORMATIVE


def ties(vector: Vector) -> bool:
    """Whether equality with these values means something (A9): at least two distinct, each informative."""
    if not all(map(_informative, vector)):
        return False
    return len(set(vector) if all(type(value) is str for value in vector) else {canonical(value) for value in vector}) > 1


def _informative(value: Json) -> bool:
    """The same of a list or an object of texts and numbers, one of which is."""
    inner = value if isinstance(value, list) else value.values() if isinstance(value, dict) else ()
    return informative(value) or any(map(informative, inner))


Path = tuple[Part, ...]
Leaf = tuple[Path, Json]
EACH, ANY = "\x00each", "\x00any"
"""What stands in a shape for a number in a list, and for a name in a table whose names vary."""


@dataclass(slots=True)
class _Table:
    """One result: its scalars in order, by value and by shape."""

    result: Json
    leaves: list[Leaf] = field(default_factory=list)
    by_value: dict[str, list[Path]] = field(default_factory=dict)
    by_shape: dict[Path, list[Leaf]] = field(default_factory=dict)

    @classmethod
    def of(cls, result: Json) -> _Table:
        table = cls(result)
        for path, value in () if stub(result) else _leaves(result):
            table.leaves.append((path, value))
            table.by_value.setdefault(canonical(value), []).append(path)
            table.by_shape.setdefault(shape(path), []).append((path, value))
        return table

    def text(self, path: Path) -> str:
        """The whole text at a path; empty when there is none, or only a part or a stub of it is known."""
        leaves = self.by_shape.get(path, [])
        value = leaves[0][1] if len(leaves) == 1 else ""
        return value if isinstance(value, str) and not clipped(value) else ""


class Same(Generic[T]):
    """A recorded value by its identity: it is never changed, and it cannot be hashed by its content."""

    __slots__ = ("value",)

    def __init__(self, value: T) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)


@lru_cache(maxsize=160)
def _table(held: Same[Json]) -> _Table:
    """The table of a result, kept while a family is scored: each template that leaves one example out looks at the others again."""
    return _Table.of(held.value)


CUT = "characters cut by Kata"
"""What stands where a recorded text was cut: nothing is learnt from what is left (B37)."""
SPILT = "<persisted-output>"
"""How the host begins what it says in the place of a result that is too long: where the whole is, and a preview."""
CUT_OUT = re.compile(rf"\.\.\. \[[\w ]+ TRUNCATED - |{CUT}")
"""What stands in a text where the host, or Kata, left out its middle."""


def clipped(text: str) -> bool:
    """Whether a text is only a part, or a preview, of what a tool said."""
    return CUT_OUT.search(text) is not None or text.lstrip().startswith(SPILT)


def stub(result: Json) -> bool:
    """Whether a result says that its content is as before, and holds none (B37)."""
    return isinstance(result, dict) and result.get("status") == "unchanged" and result.get("content_returned") is False


def shape(path: Path) -> Path:
    """A path without its numbers."""
    return tuple(EACH if isinstance(part, int) else part for part in path)


def _leaves(result: Json) -> Iterator[Leaf]:
    """Paths and values, nearest to the root first, at most MAX_LEAVES: scalars, lists and objects of them as a whole, and each field of a
    list of objects; text that is JSON is looked into."""
    queue: list[Leaf] = [((), result)]
    count = 0
    for path, value in queue:
        if count >= MAX_LEAVES:
            return
        if isinstance(value, dict | list):
            known = _rows(value) if isinstance(value, list) else _flat(value)
            yield from ((path + more, inner) for more, inner in known)
            if len(path) < MAX_DEPTH and len(queue) < 2 * MAX_LEAVES:
                queue.extend(((*path, key), inner) for key, inner in (value.items() if isinstance(value, dict) else enumerate(value)))
            continue
        count += 1
        yield path, value
        inner = within(value)
        if inner is not None:
            queue.append(((*path, Pick("json")), inner))
        elif isinstance(value, str) and value != value.strip():
            yield (*path, Pick("strip")), value.strip()


MOST_ITEMS = 200
"""Entries of a list that may be an argument as a whole."""


def _rows(value: list[Json]) -> Iterator[Leaf]:
    """A list of scalars as a whole, and of a list of objects each field of all, in their order."""
    if not 0 < len(value) <= MOST_ITEMS:
        return
    if all(isinstance(item, str | int | float) for item in value):
        yield (), value
    elif all(isinstance(item, dict) for item in value):
        for name in value[0]:
            column = [item.get(name) for item in value]
            if all(isinstance(item, str | int | float) for item in column):
                yield (Pick("each"), name), column


MOST_FIELDS = 20
"""Fields of an object that may be an argument as a whole."""


def _flat(value: dict[str, Json]) -> Iterator[Leaf]:
    """An object of scalars as a whole."""
    if 1 < len(value) <= MOST_FIELDS and all(item is None or isinstance(item, str | int | float) for item in value.values()):
        yield (), value


def within(value: Json) -> Json:
    """The object or list that a text holds as JSON, or as Python shows it, or shows a text that holds it; None when it holds none."""
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        return None
    if value.lstrip()[:1] not in ("{", "["):
        return _wrapped(value)
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return _wrapped(value) or _python(value)
    return found if isinstance(found, dict | list) else None


WRAPPED = re.compile(r"""TextContent\(type='text', text=('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""")
"""How Python shows what an MCP tool answers."""
MAX_SHOWN = 50_000
"""Characters of a text that is read as Python shows values."""


def _wrapped(text: str) -> Json:
    """The JSON in the one text of an answer that Python shows; None where there is none, or several."""
    found = WRAPPED.findall(text) if "TextContent(" in text[:400] else []
    inner = _shown(found[0]) if len(found) == 1 else None
    return within(inner) if isinstance(inner, str) and not inner.lstrip().startswith("TextContent") else None


def _python(text: str) -> Json:
    """The object or list that Python shows so, where it is JSON in all but its quotes: nothing else is guessed (B31)."""
    found = _shown(text.strip())
    try:
        return found if isinstance(found, dict | list) and json.loads(json.dumps(found)) == found else None
    except (TypeError, ValueError, RecursionError):
        return None


def _shown(text: str) -> Json:
    """The value that Python shows so; None where it is none."""
    try:
        return ast.literal_eval(text) if len(text) <= MAX_SHOWN else None
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None


class Origins:
    """The results of the steps so far, in every example."""

    def __init__(self) -> None:
        self._steps: list[list[_Table]] = []

    def add(self, results: Sequence[Json]) -> None:
        """The results of the next step, one per example."""
        self._steps.append([_table(Same(result)) for result in results])

    def whole(self, vector: Vector, known: Known) -> Origin | None:
        """The best place whose value equals `vector` in every example, with its type; None when there is none."""
        if not ties(vector):
            return None
        keys = [canonical(value) for value in vector]
        found: list[Origin] = []
        for step, tables in enumerate(self._steps):
            places = [table.by_value.get(key, []) for table, key in zip(tables, keys, strict=True)]
            if all(places):
                found += self._shared(step, tables, places, vector, known)
        return min(found, key=lambda origin: origin.rank, default=None)

    def _shared(self, step: int, tables: list[_Table], places: list[list[Path]], vector: Vector, known: Known) -> Iterator[Origin]:
        for generalise in (_closed, _open):
            shapes = [{one: path for path in paths for one in generalise(path)} for paths in places]
            common = [one for one in shapes[0] if all(one in others for others in shapes[1:])]
            for one in common:
                options = [[path for path in paths if one in generalise(path)] for paths in places]
                for parts, weight, names in _resolved(one, tables, options, known):
                    yield Origin(Reference(step, parts), vector, (weight, -step, len(parts)), names)

    def texts(self, pieces: Vector) -> Iterator[tuple[int, Path, tuple[str, ...]]]:
        """The texts of earlier results in which each piece stands, nearest step first: step, path, and the text in every example."""
        for step in range(len(self._steps) - 1, -1, -1):
            tables = self._steps[step]
            for path, value in tables[0].leaves:
                if isinstance(value, str) and all(isinstance(part, str) for part in path):
                    found = tuple(table.text(path) for table in tables)
                    if all(str(piece) in text for piece, text in zip(pieces, found, strict=True)):
                        yield step, path, found

    def inside(self, texts: Sequence[str], known: Known, fits: Callable[[str, str], bool]) -> Iterator[Origin]:
        """Places whose value, as text, `fits(text, piece)` into the text of every example."""
        for step, tables in enumerate(self._steps):
            seen: set[Path] = set()
            for path, value in tables[0].leaves:
                one = shape(path)
                if one in seen or not informative(value) or not fits(texts[0], str(value)):
                    continue
                seen.add(one)
                yield from self._fitting(step, tables, one, texts, known, fits)

    def _fitting(
        self, step: int, tables: list[_Table], one: Path, texts: Sequence[str], known: Known, fits: Callable[[str, str], bool]
    ) -> Iterator[Origin]:
        options = []
        for table, text in zip(tables, texts, strict=True):
            options.append([path for path, value in table.by_shape.get(one, []) if informative(value) and fits(text, str(value))])
        if not all(options):
            return
        for parts, weight, names in _resolved(one, tables, options, known):
            if names:
                continue
            vector = tuple(follow(table.result, parts, partial(_at, known, i)) for i, table in enumerate(tables))
            if ties(vector) and all(fits(text, str(value)) for text, value in zip(texts, vector, strict=True)):
                yield Origin(Reference(step, parts), vector, (weight, -step, len(parts)))


def _at(known: Known, index: int, expression: Expression) -> Json:
    """The value of a literal or of a known input in one example."""
    if isinstance(expression, Literal):
        return expression.value
    return next(vector[index] for one, vector in known if one == expression)


def _closed(path: Path) -> list[Path]:
    """The shape of a path in which every name is meant as it stands."""
    return [shape(path)]


def _open(path: Path) -> list[Path]:
    """The shapes of a path in which one name of a table may vary."""
    base = shape(path)
    return [(*base[:at], ANY, *base[at + 1 :]) for at, part in enumerate(base) if isinstance(part, str) and part != EACH]


# ── Selectors ────────────────────────────────────────────────────────────────────────────────────

Resolved = tuple[Path, int, Vector]
"""A path with its selectors, how weak its weakest selector is, and the names a new input would give."""
WHERE, FIRST, ONLY, LAST, NUMBER, NAME = 0, 1, 1, 2, 4, 3


def _resolved(one: Path, tables: Sequence[_Table], options: list[list[Path]], known: Known) -> Iterator[Resolved]:
    """The ways to say which element is meant, for every place of the shape where there are several."""
    at = next((i for i, part in enumerate(one) if part in (EACH, ANY)), None)
    if at is None:
        yield one, 0, ()
        return
    holders = [_walked(table.result, paths[0][:at]) for table, paths in zip(tables, options, strict=True)]
    ways = _elements(one, at, holders, options, known) if one[at] == EACH else _names(at, options)
    for part, weight, chosen, names in ways:
        kept = [[path for path in paths if path[at] == index] for paths, index in zip(options, chosen, strict=True)]
        for parts, rest, more in _resolved((*one[:at], part, *one[at + 1 :]), tables, kept, known):
            yield parts, max(weight, rest), names or more


Way = tuple[Part, int, tuple[Part, ...], Vector]
"""A selector, its weakness, what it selects in every example, and the names that it needs."""


def _names(at: int, options: list[list[Path]]) -> Iterator[Way]:
    chosen = tuple(paths[0][at] for paths in options)
    if len(set(chosen)) > 1 and all(isinstance(name, str) for name in chosen):
        yield Pick("key"), NAME, chosen, tuple(str(name) for name in chosen)


def _elements(one: Path, at: int, holders: Sequence[Json], options: list[list[Path]], known: Known) -> Iterator[Way]:
    """Ways to say which element of a list; a number is the last choice, and 0 better than others (A10)."""
    indices = [{path[at] for path in paths} for paths in options]
    sizes = [len(holder) for holder in holders]
    yield from _where(one, at, holders, indices, known)
    yield from _first(one, at, holders, indices)
    shared = set.intersection(*indices)
    if 0 in shared:
        yield 0, FIRST, (0,) * len(options), ()
    elif all(size == 1 for size in sizes):
        yield Pick("only"), ONLY, (0,) * len(options), ()
    if len(set(sizes)) > 1 and all(size - 1 in found for size, found in zip(sizes, indices, strict=True)):
        yield Pick("last"), LAST, tuple(size - 1 for size in sizes), ()
    for index in sorted(part for part in shared if isinstance(part, int) and part):
        yield index, NUMBER, (index,) * len(options), ()


def _where(one: Path, at: int, holders: Sequence[Json], indices: Sequence[set[Part]], known: Known) -> Iterator[Way]:
    """Elements told apart by a field of theirs: equal to a bound input, or the same word in every example. Only where it tells
    something: some list holds more than one element."""
    if not all(isinstance(item, dict) for holder in holders for item in holder) or all(len(holder) == 1 for holder in holders):
        return
    own = one[at + 1] if at + 1 < len(one) else None
    fields = [name for name in holders[0][0] if name != own and all(name in item for holder in holders for item in holder)]
    for name in fields:
        rows = [[item[name] for item in holder] for holder in holders]
        for expression, vector in known:
            chosen = _unique(rows, vector, indices)
            if chosen:
                yield Pick("where", name, expression), WHERE, chosen, ()
        for word in dict.fromkeys(rows[0][index] for index in indices[0] if isinstance(index, int) and isinstance(rows[0][index], str)):
            chosen = _unique(rows, (word,) * len(rows), indices) if informative(word) else None
            if chosen:
                yield Pick("where", name, Literal(word)), WHERE, chosen, ()


def _first(one: Path, at: int, holders: Sequence[Json], indices: Sequence[set[Part]]) -> Iterator[Way]:
    """Elements that are the first of their class, where that says more than their number does: of objects, the first with one word in one
    field, of texts the first of one kind, the tightest."""
    items = [item for holder in holders for item in holder]
    if all(isinstance(item, dict) for item in items):
        own = one[at + 1] if at + 1 < len(one) else None
        for name in (name for name in holders[0][0] if name != own and all(name in item for item in items)):
            words = [holders[0][index][name] for index in sorted(one for one in indices[0] if isinstance(one, int))]
            for word in dict.fromkeys(word for word in words if isinstance(word, str) and informative(word)):
                firsts = [_leading(holder, lambda item: bool(item[name] == word)) for holder in holders]  # noqa: B023 - used at once
                if _met(firsts, indices):
                    yield Pick("first", name, Literal(word)), LAST, tuple(firsts), ()
    elif all(isinstance(item, str) for item in items):
        for kind in extraction.CLASSES:
            firsts = [_leading(holder, lambda item: extraction.is_of(kind, item)) for holder in holders]  # noqa: B023 - used at once
            if _met(firsts, indices) and not all(extraction.is_of(kind, item) for item in items):
                yield Pick("kind", kind), LAST, tuple(firsts), ()
                return


def _leading(holder: Sequence[Json], fits: Callable[[Json], bool]) -> int:
    """The number of the first element that fits; -1 when none does."""
    return next((index for index, item in enumerate(holder) if fits(item)), -1)


def _met(firsts: Sequence[int], indices: Sequence[set[Part]]) -> bool:
    """Whether each is one that we look for, and their numbers differ: one number in all examples says as much."""
    return len(set(firsts)) > 1 and all(first in allowed for first, allowed in zip(firsts, indices, strict=True))


def _unique(rows: Sequence[list[Json]], wanted: Vector, indices: Sequence[set[Part]]) -> tuple[Part, ...] | None:
    """The number of the one element whose field equals the wanted value, in every example, if it is one that we look for."""
    chosen: list[Part] = []
    for row, value, allowed in zip(rows, wanted, indices, strict=True):
        found = [index for index, one in enumerate(row) if type(one) is type(value) and one == value]
        if len(found) != 1 or found[0] not in allowed:
            return None
        chosen.append(found[0])
    return tuple(chosen)


def _walked(result: Json, path: Path) -> Json:
    return follow(result, path, lambda expression: None)


# ── Following a path ─────────────────────────────────────────────────────────────────────────────


class Missing(Exception):
    """The path does not lead anywhere in this result; `depth` parts of it did."""

    def __init__(self, depth: int) -> None:
        super().__init__(depth)
        self.depth = depth


def follow(result: Json, path: Path, value_of: Callable[[Expression], Json]) -> Json:
    """The value at a path of a result; `value_of` gives the value that a selector compares with. Missing when there is none, or
    more than one where one is meant."""
    value = result
    for depth, part in enumerate(path):
        if isinstance(part, Pick) and part.how == "each" and isinstance(value, list):
            return [follow(item, path[depth + 1 :], value_of) for item in value]
        found = _step(value, part, value_of)
        if not found:
            raise Missing(depth)
        value = found[0]
    return value


def _step(value: Json, part: Part, value_of: Callable[[Expression], Json]) -> list[Json]:
    """What the part leads to: one value, or none."""
    if isinstance(part, str):
        return [value[part]] if isinstance(value, dict) and part in value else []
    if isinstance(part, int):
        return [value[part]] if isinstance(value, list) and 0 <= part < len(value) else []
    match part:
        case Pick("json"):
            inner = within(value)
            return [] if inner is None else [inner]
        case Pick("strip"):
            return [value.strip()] if isinstance(value, str) else []
        case Pick("text", program):
            return _read(program, value)
        case Pick("only"):
            return list(value) if isinstance(value, list) and len(value) == 1 else []
        case Pick("last"):
            return [value[-1]] if isinstance(value, list) and value else []
        case Pick("where", name, expression) if expression is not None and isinstance(value, list):
            wanted = canonical(value_of(expression))
            found = [one for one in value if isinstance(one, dict) and name in one and canonical(one[name]) == wanted]
            return found if len(found) == 1 else []
        case Pick("first", name, expression) if expression is not None and isinstance(value, list):
            wanted = canonical(value_of(expression))
            return [one for one in value if isinstance(one, dict) and name in one and canonical(one[name]) == wanted][:1]
        case Pick("kind", kind) if isinstance(value, list) and kind in extraction.KINDS:
            return [one for one in value if isinstance(one, str) and extraction.is_of(kind, one)][:1]
        case Pick("key", _, expression) if expression is not None and isinstance(value, dict):
            name = value_of(expression)
            return [value[name]] if isinstance(name, str) and name in value else []
    return []


def _read(program: str, text: Json) -> list[Json]:
    """What the program finds in a text; nothing when it is not sure, or when only a part of the text is there."""
    if isinstance(text, str) and clipped(text):
        return []
    try:
        return [extraction.run(reader(program), text)]
    except KataError:
        return []


@lru_cache(maxsize=1024)
def reader(program: str) -> extraction.Program:
    """The program of a "text" pick; SpecError when it is none."""
    try:
        return extraction.Program.from_json(json.loads(program))
    except ValueError as error:
        raise SpecError(f"Expected a program that finds a value in text, got {program[:80]!r}") from error
