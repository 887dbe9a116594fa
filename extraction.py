"""Small readable programs that find a value again in the text of an earlier result; they only read, and never guess: what is missing,
ambiguous or of another kind is an error. How a program is learnt stands in search.py, because running one needs none of it."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import islice
from typing import Any
from urllib.parse import SplitResult, urlsplit

from .model import Json, SpecError, TemplateError

MAX_TEXT = 200_000
"""Characters of a text that a program looks at; a longer one is refused."""
MAX_READINGS = 1_000
MAX_DIGITS = 18
MAX_ROWS = 60
MAX_VALUE = 4_096
"""Characters between two boundaries."""


# ── Kinds of values ──────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Kind:
    """What a value looks like, and what may not stand beside it; every pattern is atomic, so that no text makes it slow."""

    body: str
    left: str
    right: str
    says: str


_SOLID = r"""[^\s,;"'()<>\[\]{}|]"""
KINDS: Mapping[str, Kind] = {
    "integer": Kind(r"\d{1,18}", r"(?<![\d.])", r"(?!\d|\.\d)", "a whole number"),
    "number": Kind(r"\d{1,18}(?:\.\d{1,18})?", r"(?<![\d.])", r"(?!\d|\.\d)", "a number"),
    "time": Kind(r"\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?", r"(?<![\w:.])", r"(?![\w:])", "a time of day"),
    "date": Kind(r"\d{4}-\d\d-\d\d", r"(?<![\w-])", r"(?![\w-])", "a date"),
    "ip": Kind(r"\d{1,3}(?:\.\d{1,3}){3}", r"(?<![\w.])", r"(?!\w|\.\d)", "an IPv4 address"),
    "mac": Kind(
        r"(?:[0-9A-Fa-f]{1,2}(?::[0-9A-Fa-f]{1,2}){5}|[0-9A-Fa-f]{4}(?:\.[0-9A-Fa-f]{4}){2})", r"(?<![\w:.])", r"(?![\w:])", "a MAC address"
    ),
    "ipv6": Kind(r"(?=[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:]{0,40}:)[0-9A-Fa-f:]{2,39}", r"(?<![\w:.])", r"(?![\w:.])", "an IPv6 address"),
    "uuid": Kind(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}", r"(?<![\w-])", r"(?![\w-])", "a UUID"),
    "hash": Kind(r"(?=[a-f]{0,63}\d)(?=\d{0,63}[a-f])[0-9a-f]{7,64}", r"(?<!\w)", r"(?!\w)", "a hash"),
    "version": Kind(r"v?\d+(?:\.\d+)+(?:[-+.\w]*\w)?", r"(?<![\w.])", r"(?!\w)", "a version"),
    "url": Kind(r"[A-Za-z][A-Za-z+]{1,11}://[^\s\"'<>)\]]+", r"(?<![A-Za-z+])", r"(?=[\s\"'<>)\]]|$)", "a URL"),
    "path": Kind(rf"[~.]{{0,2}}/{_SOLID}*", rf"(?<!{_SOLID})", "", "an absolute path"),
    "word": Kind(r"[A-Za-z]+", r"(?<!\w)", r"(?!\w)", "a word of letters"),
    "name": Kind(r"\w+", r"(?<!\w)", r"(?!\w)", "one name"),
    "dotted": Kind(r"\w+(?:[./-]\w+)*", r"(?<![\w./-])", r"(?!\w)", "one name with dots, dashes or slashes"),
    "token": Kind(rf"{_SOLID}+", rf"(?<!{_SOLID})", "", "one token"),
    "solid": Kind(r"\S+", r"(?<!\S)", "", "text without blanks"),
    "line": Kind(r"[^\n]+", "", "", "one line"),
    "text": Kind(r"(?s:.+)", "", "", "text"),
}
"""From tight to loose."""
RUNS = tuple(name for name in KINDS if name not in ("line", "text"))
"""The kinds that end by themselves."""


@cache
def run_of(kind: str) -> re.Pattern[str]:
    """The pattern of one longest piece of a kind, in group 1."""
    one = KINDS[kind]
    return re.compile(f"{one.left}((?>{one.body})){one.right}")


@cache
def _whole(kind: str) -> re.Pattern[str]:
    return re.compile(f"(?>{KINDS[kind].body})")


CLASSES = tuple(name for name in KINDS if name not in ("word", "name"))
"""The kinds that a value is held to: one that was a word of letters may be another identifier next time."""


def is_of(kind: str, value: str) -> bool:
    """Whether the value as a whole is of that kind."""
    return _whole(kind).fullmatch(value) is not None


# ── The nouns: where, what, then ─────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Given:
    """A value that is known when the program runs, by its name."""

    name: str


Words = str | Given
"""Text to look for, blanks counted as one."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """A line by its constant text: `how` is "starts" or "contains"."""

    how: str
    words: Words


@dataclass(frozen=True, slots=True)
class Whole:
    """The whole text."""


@dataclass(frozen=True, slots=True)
class Line:
    """The line of this number among those that are not blank: from 1, or from -1 backwards."""

    number: int


@dataclass(frozen=True, slots=True)
class Each:
    """Every line, so that what is read there has to find its place by its own boundaries."""


@dataclass(frozen=True, slots=True)
class Anchored:
    """The lines at an anchor or `below` lines under it; with `after` only those under the first line of that anchor."""

    anchor: Anchor
    below: int = 0
    after: Anchor | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """The head of the block of this number (from 1), or the lines at an anchor in it. A block is a line that is not indented with the
    indented lines under it."""

    number: int
    anchor: Anchor | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """The row of this number (from 1) under a line that contains `header`; lines of dashes are no rows."""

    header: str
    number: int


@dataclass(frozen=True, slots=True)
class Keyed:
    """The rows whose column holds this value."""

    column: Column
    key: Words


Where = Whole | Line | Each | Anchored | Block | Row | Keyed


@dataclass(frozen=True, slots=True)
class Some:
    """Any text of a kind within a boundary; the kind "start" is the start of the line."""

    kind: str


Boundary = tuple[str | Some, ...]
START = Some("start")


@dataclass(frozen=True, slots=True)
class Rest:
    """All of it, without the blanks around."""


@dataclass(frozen=True, slots=True)
class Between:
    """What stands between two boundaries; an empty `after` is the end of the line."""

    before: Boundary
    after: str = ""


@dataclass(frozen=True, slots=True)
class Token:
    """The token of a kind: the n-th (from 1, or from -1 backwards), or with 0 each that stands between these neighbours."""

    kind: str
    number: int = 0
    before: Boundary = ()
    after: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """The n-th piece (from 1, or from -1 backwards) of a line cut at a separator; two blanks stand for any wide gap."""

    number: int
    by: str = " "


@dataclass(frozen=True, slots=True)
class Column:
    """The cell under a name of the nearest line above that contains `header`. `how`: "under" the word that overlaps it, "wide" the
    cell between wide gaps that overlaps it, "slice" all up to the next name, "ruled" what stands
    under its dashes, "count" the field of the same number."""

    header: str
    name: str
    how: str


@dataclass(frozen=True, slots=True)
class Path:
    """A scalar of the JSON in the text, by keys and positions."""

    keys: tuple[str | int, ...]


What = Rest | Between | Token | Field | Column | Path


@dataclass(frozen=True, slots=True)
class Change:
    """One transform of what was read: its name, a separator where it takes one and a number where it counts."""

    name: str
    by: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True)
class Program:
    """Where to look, what to take, what to make of it; `pick` is the n-th reading, or 0 when all readings have to agree."""

    where: Where
    what: What
    pick: int = 0
    then: tuple[Change, ...] = ()
    kind: str = "text"

    def __str__(self) -> str:
        steps = [_shown_where(self.where), _shown_what(self.what), *(_shown_change(one) for one in self.then)]
        picked = [] if not self.pick else [f"the {_nth(self.pick)} found"]
        return " → ".join(step for step in [*steps[:2], *picked, *steps[2:]] if step)

    def to_json(self) -> Json:
        """The stored form."""
        return {
            "where": _stored(self.where),
            "what": _stored(self.what),
            "pick": self.pick,
            "then": [_stored(one) for one in self.then],
            "kind": self.kind,
        }

    @classmethod
    def from_json(cls, stored: Json) -> Program:
        """Read a stored form; SpecError when its shape is not ours."""
        match stored:
            case {"where": where, "what": what, "pick": int(pick), "then": list(then), "kind": str(kind)} if kind in CLASSES:
                changes = tuple(_change(one) for one in then)
                return cls(_read(where, WHERES), _read(what, WHATS), _count(pick), changes, kind)
        raise SpecError(f"Expected a program that finds a value in text, got {str(stored)[:80]!r}")


# ── A text, cut into lines once ──────────────────────────────────────────────────────────────────

RULE = re.compile(r"[\s\-=+|_*~]+")
GAPS = re.compile(r"\s\s|[^\S ]| : ")
DASHES = re.compile(r"[-=]{2,}")
WIDE = re.compile(r"\s{2,}|\t")
WORD = re.compile(r"\S+")
CELL = re.compile(r"\S+(?: \S+)*")


@dataclass(slots=True)
class Page:
    """A text and its lines that are not blank, raw and flat (every gap one blank)."""

    text: str
    lines: list[str] = field(default_factory=list)
    _flat: dict[int, str] = field(default_factory=dict)
    _found: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    _heads: list[int] | None = None
    _json: tuple[Json, ...] = ()

    def __post_init__(self) -> None:
        self.lines = [line for line in self.text.splitlines() if line.strip()]

    def flat(self, at: int) -> str:
        """One line with every gap as one blank; with -1 the whole text."""
        if at not in self._flat:
            self._flat[at] = flattened(self.text if at < 0 else self.lines[at])
        return self._flat[at]

    @property
    def heads(self) -> list[int]:
        """The numbers of the lines that begin a block."""
        if self._heads is None:
            inner = [line[0].isspace() for line in self.lines]
            self._heads = [at for at, below in enumerate(inner[1:]) if below and not inner[at]]
        return self._heads

    @property
    def json(self) -> Json:
        """The first JSON object or list that begins a line; None when there is none."""
        if not self._json:
            self._json = (json_in(self.text),)
        return self._json[0]

    def raw(self, at: int) -> str:
        return self.text if at < 0 else self.lines[at]

    def holding(self, how: str, words: str) -> list[int]:
        """The numbers of the lines that start with or contain these words, as whole words."""
        asked = (how, words)
        if asked not in self._found:
            longest, *others = sorted(words.split(), key=len, reverse=True) or [""]
            near = [at for at, line in enumerate(self.lines) if longest in line] if longest and longest in self.text else []
            for word in others:
                near = [at for at in near if word in self.lines[at]]
            near = [at for at in near if words in self.lines[at] or GAPS.search(self.lines[at])]
            self._found[asked] = [at for at in near if stands(self.flat(at), words, how == "starts")]
        return self._found[asked]


def flattened(text: str) -> str:
    """The text with every gap as one blank, and none before a colon that ends a key."""
    return " ".join(text.split()).replace(" : ", ": ")


def stands(flat: str, words: str, at_start: bool = False) -> bool:
    """Whether these words stand in a line and are not a part of longer ones."""
    at = flat.find(words)
    while at >= 0:
        end = at + len(words)
        if not (joined(flat, at) or joined(flat, end)) and (at == 0 or not at_start):
            return True
        if at_start:
            return False
        at = flat.find(words, at + 1)
    return False


def joined(text: str, at: int) -> bool:
    """Whether one word goes on across this place."""
    return 0 < at < len(text) and _wordy(text[at - 1]) and _wordy(text[at])


def _wordy(sign: str) -> bool:
    return sign.isalnum() or sign == "_"


# ── Running ──────────────────────────────────────────────────────────────────────────────────────


def run(program: Program, text: str, known: Mapping[str, str] | None = None) -> str | int:
    """Find the value in a text; TemplateError when it is not there, is there in several versions or is of another kind."""
    if not isinstance(text, str) or len(text) > MAX_TEXT:
        raise TemplateError(f"Expected a text of at most {MAX_TEXT} characters to find {program} in")
    return value_in(program, Page(text), known or {})


def value_in(program: Program, page: Page, known: Mapping[str, str]) -> str | int:
    """The same in a text that is cut into lines already."""
    found = found_by(program, page, known)
    if not found:
        raise TemplateError(f"Expected a value at {program}, but the text has none there")
    if len(found) > 1:
        raise TemplateError(f"Expected one value at {program}, got {found[0]!r:.80} and {found[1]!r:.80}")
    value = transformed(program.then, found[0])
    if not value or not is_of(program.kind, value):
        raise TemplateError(f"Expected {KINDS[program.kind].says} at {program}, got {value[:80]!r}")
    return int(value) if program.then and program.then[-1].name == "integer" else value


def found_by(program: Program, page: Page, known: Mapping[str, str]) -> list[str]:
    """The reading that counts, alone; none when the text has none, and the first two that differ when all have to agree."""
    found = readings(program.where, program.what, page, known)
    if program.pick > 0:
        return list(islice(found, program.pick - 1, program.pick))
    if program.pick < 0:
        return [*found][program.pick :][:1] if program.pick >= -MAX_READINGS else []
    first = list(islice(found, 1))
    return first + list(islice((one for one in found if one != first[0]), 1))


def readings(where: Where, what: What, page: Page, known: Mapping[str, str]) -> Iterator[str]:
    """Every value that these two find, in the order of the text."""
    sign = needed(what)
    near = (at for at in places(where, page, known) if sign in page.raw(at))
    return islice((value for at in near for value in read_at(what, page, at)), MAX_READINGS)


def needed(what: What) -> str:
    """The longest word that has to stand in a line where this reading gives something."""
    parts = (*what.before, what.after) if isinstance(what, Between | Token) else ()
    return max((word for part in parts if isinstance(part, str) for word in part.split()), key=len, default="")


def read_at(what: What, page: Page, at: int) -> Iterator[str]:
    """Every value that stands in one line."""
    return (value for value in map(str.strip, _READERS[type(what)](what, page, at)) if value)


def places(where: Where, page: Page, known: Mapping[str, str]) -> Iterator[int]:
    """The numbers of the lines that are meant; -1 is the whole text."""
    match where:
        case Whole():
            return iter((-1,))
        case Line(number):
            at = number - 1 if number > 0 else len(page.lines) + number
            return iter((at,) if 0 <= at < len(page.lines) else ())
        case Each():
            return iter(range(len(page.lines)))
        case Anchored():
            return _anchored(where, page, known)
        case Block(number, anchor):
            return _block(number, anchor, page, known)
        case Row(header, number):
            return _rows(header, number, page)
        case Keyed(column, key):
            wanted = words_of(key, known)
            return (at for at in range(len(page.lines)) if wanted in page.lines[at] and wanted in _column(column, page, at))


def words_of(words: Words, known: Mapping[str, str]) -> str:
    """The constant itself, or the known value of that name; TemplateError when it is not known."""
    if isinstance(words, str):
        return words
    if not isinstance(known.get(words.name), str):
        raise TemplateError(f"Expected a known text {words.name} to look for, got none")
    return flattened(known[words.name])


def _anchored(where: Anchored, page: Page, known: Mapping[str, str]) -> Iterator[int]:
    found = page.holding(where.anchor.how, words_of(where.anchor.words, known))
    first = -1
    if where.after is not None:
        heads = page.holding(where.after.how, words_of(where.after.words, known))
        if not heads:
            return
        first = heads[0]
    yield from (at + where.below for at in found if at > first and at + where.below < len(page.lines))


def _block(number: int, anchor: Anchor | None, page: Page, known: Mapping[str, str]) -> Iterator[int]:
    heads = page.heads
    if not 0 < number <= len(heads):
        return iter(())
    start, end = heads[number - 1], heads[number] if number < len(heads) else len(page.lines)
    if anchor is None:
        return iter((start,))
    return (at for at in page.holding(anchor.how, words_of(anchor.words, known)) if start <= at < end)


def _rows(header: str, number: int, page: Page) -> Iterator[int]:
    heads = page.holding("contains", header)
    return (at for head in heads for at in islice(rows_under(page, head), number - 1, number))


def rows_under(page: Page, head: int) -> Iterator[int]:
    """The numbers of the rows under a header; lines of dashes and lines that go on with the row above are none."""
    rule = ruled(page, head)
    first = cells_of(page.lines[rule])[0] if rule is not None else None
    for at in range(head + 1 if rule is None else rule + 1, min(head + 1 + MAX_ROWS, len(page.lines))):
        line = page.lines[at]
        if RULE.fullmatch(line) is None and (first is None or line.expandtabs()[: first[1]].strip()):
            yield at


def ruled(page: Page, head: int) -> int | None:
    """The line of dashes, at most two lines under a header, that shows how wide the columns are."""
    near = range(head + 1, min(head + 4, len(page.lines)))
    return next((at for at in near if RULE.fullmatch(page.lines[at]) and len(cells_of(page.lines[at])) > 1), None)


def cells_of(rule: str) -> list[tuple[int, int]]:
    """Where the columns begin and end, by a line of dashes."""
    return [found.span() for found in DASHES.finditer(rule.expandtabs())]


# ── Reading one line ─────────────────────────────────────────────────────────────────────────────


def _rest(_what: Rest, page: Page, at: int) -> Iterator[str]:
    yield page.raw(at)


def _between(what: Between, page: Page, at: int) -> Iterator[str]:
    line = page.raw(at).strip()
    after = _ending(what.after)
    for found in _boundary(what.before).finditer(line):
        end = after.search(line, found.end() + 1, found.end() + MAX_VALUE) if what.after else None
        if what.after and end is None:
            return
        yield line[found.end() : end.start() if end else len(line)]


def _token(what: Token, page: Page, at: int) -> Iterator[str]:
    flat = page.flat(at)
    every = (one[1] for one in neighbours(what.kind, what.before, what.after, what.number != 0).finditer(flat))
    if not what.number:
        yield from every
    elif what.number > 0:
        yield from islice(every, what.number - 1, what.number)
    else:
        yield from [*every][what.number :][:1]


def _field(what: Field, page: Page, at: int) -> Iterator[str]:
    pieces = WIDE.split(page.raw(at).strip()) if what.by == "  " else page.flat(at).split(what.by)
    return _numbered(pieces, what.number)


def _numbered(pieces: Sequence[str], number: int) -> Iterator[str]:
    """The n-th piece, from 1 or from -1 backwards, if there is one."""
    index = number - 1 if number > 0 else number
    return iter((pieces[index],) if -len(pieces) <= index < len(pieces) else ())


def _path(what: Path, page: Page, at: int) -> Iterator[str]:
    value = page.json if at < 0 else json_in(page.raw(at))
    for key in what.keys:
        inside = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
        if key not in inside:
            return
        value = value[key]
    if shown := scalar(value):
        yield shown


def scalar(value: Json) -> str:
    """Text and numbers as text; nothing for all else."""
    if isinstance(value, str):
        return value
    return json.dumps(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""


def json_in(text: str) -> Json:
    """The first JSON object or list that begins a line of the text; None when there is none."""
    for found in islice(re.finditer(r"(?m)^[ \t]*([{\[])", text), 8):
        try:
            return json.JSONDecoder().raw_decode(text, found.start(1))[0]
        except (ValueError, RecursionError):
            continue
    return None


def _column(what: Column, page: Page, at: int) -> list[str]:
    """The cell of one row, alone in a list; empty when the row has none or more than one is meant."""
    heads = page.holding("contains", what.header)
    head = next((one for one in reversed(heads) if one < at), None)
    if head is None:
        return []
    header, row = page.lines[head].expandtabs(), page.lines[at].expandtabs()
    if what.how != "ruled":
        return cell(header, row, what.name, what.how)
    rule = ruled(page, head)
    return [] if rule is None or rule >= at else ruled_cell(header, row, cells_of(page.lines[rule]), what.name)


def ruled_cell(header: str, row: str, columns: Sequence[tuple[int, int]], name: str) -> list[str]:
    """What a row has under a name, cut where the line of dashes says; empty when the row does not keep to it."""
    for number, (start, end) in enumerate(columns):
        if " ".join(header[start:end].split()) == name:
            end = end if number + 1 < len(columns) else max(end, len(row))
            return [row[start:end]] if _gap(row, start) and _gap(row, end + 1) else []
    return []


def cell(header: str, row: str, name: str, how: str) -> list[str]:
    """What a row has under a name of the header, alone in a list; empty when that is not one cell."""
    names = CELL if " " in name or how == "wide" else WORD
    spans = [found.span() for found in names.finditer(header)]
    index = next((n for n, (start, end) in enumerate(spans) if header[start:end] == name), None)
    if index is None:
        return []
    if how == "count":
        fields = WIDE.split(row.strip()) if names is CELL else row.split()
        return fields[index : index + 1]
    start, end = spans[index]
    if how == "slice":
        after = spans[index + 1][0] if index + 1 < len(spans) else len(row) + 1
        return [row[start:after]] if _gap(row, start) and _gap(row, after) else []
    cells = [found[0] for found in (CELL if how == "wide" else WORD).finditer(row) if found.start() < end and start < found.end()]
    return cells if len(cells) == 1 else []


def _gap(row: str, at: int) -> bool:
    return at <= 0 or at > len(row) or row[at - 1] in " |+"


Reader = Callable[[Any, Page, int], "Iterator[str] | list[str]"]
_READERS: Mapping[type, Reader] = {Rest: _rest, Between: _between, Token: _token, Field: _field, Column: _column, Path: _path}


@lru_cache(maxsize=4096)
def _boundary(parts: Boundary) -> re.Pattern[str]:
    return re.compile(_left(parts))


@lru_cache(maxsize=4096)
def _ending(words: str) -> re.Pattern[str]:
    """The pattern of a right boundary."""
    return re.compile(_spaced(words) + _edge(words))


def _spaced(words: str) -> str:
    """The pattern of constant words, whatever the width of the gaps between them and before a colon."""
    made = r"(?<!\s)\s++".join(re.escape(word) for word in re.split(r"\s+", words))
    return re.sub(r"(?<=\w):", r"\\s*+:", made)


LOOSE = (r"(?<![\w./+@~%#-])", r"(?!\w|[-./+@~:]\w)")
"""What may not stick to a token that is counted."""
ALONE = (r"(?<![^\s(\[{<\"'=,;|])", r"(?=[,;:.)\]}>\"']{0,3}(?:\s|$))")
"""What has to stand around a token on a side where no neighbour is named: a blank, a bracket, a quote or a stop."""


@lru_cache(maxsize=4096)
def neighbours(kind: str, before: Boundary, after: str, counted: bool = False) -> re.Pattern[str]:
    """The pattern of a token between its neighbours, in group 1; where none is named, nothing may stick to it."""
    left, right = LOOSE if counted else ALONE
    left = _left(before) if before else left
    right = f"(?= ?{re.escape(after.lstrip())}{_edge(after)})" if after else right
    return re.compile(left + run_of(kind).pattern + right)


def _left(parts: Boundary) -> str:
    """A pattern that ends where the value begins; a word in it is a whole word."""
    if not parts:
        return ""
    return "".join(_part(one) for one in parts) + (r"\s*+" if parts != (START,) else "")


def _part(part: str | Some) -> str:
    if isinstance(part, Some):
        return "^" if part == START else rf"(?<!\w){_whole(part.kind).pattern}"
    return (r"(?<!\w)" if _wordy(part[:1] or " ") else "") + _spaced(part) + _edge(part)


def _edge(words: str) -> str:
    """What keeps the last word of a constant whole."""
    return r"(?!\w)" if _wordy(words[-1:] or " ") else ""


# ── Transforms ───────────────────────────────────────────────────────────────────────────────────

QUOTES = ("\"'`", "\"'`")
PAIRS = {"(": ")", "[": "]", "<": ">", "{": "}"} | {sign: sign for sign in QUOTES[0]}


def _url(part: Callable[[SplitResult], Json]) -> Callable[[str], str]:
    def read(value: str) -> str:
        try:
            return str(part(urlsplit(value)) or "")
        except ValueError:
            return ""

    return read


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 2 and PAIRS.get(value[0]) == value[-1] else value


def _counted(step: int) -> Callable[[str], str]:
    def count(value: str) -> str:
        return str(int(value) + step) if len(value) <= MAX_DIGITS and value.isascii() and value.isdigit() else ""

    return count


def _slug(value: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-")


PLAIN: Mapping[str, Callable[[str], str]] = {
    "strip": str.strip,
    "unquote": _unquoted,
    "basename": lambda value: posixpath.basename(value.rstrip("/")),
    "dirname": posixpath.dirname,
    "stem": lambda value: posixpath.splitext(posixpath.basename(value))[0],
    "suffix": lambda value: posixpath.splitext(value)[1],
    "extension": lambda value: posixpath.splitext(value)[1][1:],
    "lower": str.lower,
    "upper": str.upper,
    "title": str.title,
    "slug": _slug,
    "next": _counted(1),
    "previous": _counted(-1),
    "scheme": _url(lambda url: url.scheme),
    "host": _url(lambda url: url.hostname),
    "port": _url(lambda url: url.port),
    "url path": _url(lambda url: url.path),
    "query": _url(lambda url: url.query),
    "fragment": _url(lambda url: url.fragment),
    "integer": lambda value: value if re.fullmatch(r"0|-?[1-9][0-9]{0,17}", value) else "",
}
"""The transforms that take nothing; what they cannot change comes back empty."""


def transformed(then: Sequence[Change], value: str) -> str:
    """What the transforms make of a value, one after the other."""
    for change in then:
        value = changed(change, value)
    return value


def changed(change: Change, value: str) -> str:
    """What one transform makes of a value; empty where it does not apply."""
    if change.name == "split":
        return next(_numbered(value.split(change.by), change.number), "").strip()
    if change.name == "join":
        return change.by.join(one for one in re.split(r"[\s,]+", value) if one)
    return PLAIN[change.name](value)


# ── As JSON ──────────────────────────────────────────────────────────────────────────────────────


def _text(stored: Json) -> str:
    if isinstance(stored, str):
        return stored
    raise SpecError(f"Expected text in a stored program, got {str(stored)[:80]!r}")


def _filled(stored: Json) -> str:
    if _text(stored):
        return str(stored)
    raise SpecError("Expected text that is not empty in a stored program")


def _count(stored: Json) -> int:
    if type(stored) is int and abs(stored) <= MAX_READINGS:
        return stored
    raise SpecError(f"Expected a count in a stored program, got {str(stored)[:80]!r}")


def _positive(stored: Json) -> int:
    if _count(stored) > 0:
        return int(stored)
    raise SpecError(f"Expected a number from 1 in a stored program, got {stored}")


def _below(stored: Json) -> int:
    return 0 if stored == 0 and _count(stored) == 0 else _positive(stored)


def _one_of(*known: str) -> Callable[[Json], str]:
    def read(stored: Json) -> str:
        if stored in known:
            return str(stored)
        raise SpecError(f"Expected one of {', '.join(known)} in a stored program, got {str(stored)[:80]!r}")

    return read


def _words(stored: Json) -> Words:
    return _filled(stored) if isinstance(stored, str) else _read(stored, {"given": Given})


def _anchor(stored: Json) -> Anchor:
    made: Anchor = _read(stored, {"anchor": Anchor})
    return made


def _boundary_of(stored: Json) -> Boundary:
    if isinstance(stored, list):
        return tuple(one if isinstance(one, str) and one else _read(one, {"some": Some}) for one in stored)
    raise SpecError(f"Expected the parts of a boundary, got {str(stored)[:80]!r}")


def _keys(stored: Json) -> tuple[str | int, ...]:
    if isinstance(stored, list):
        return tuple(one if isinstance(one, str) else _count(one) for one in stored)
    raise SpecError(f"Expected the keys of a path, got {str(stored)[:80]!r}")


WHERES = {"whole": Whole, "line": Line, "each": Each, "anchored": Anchored, "block": Block, "row": Row, "keyed": Keyed}
WHATS = {"rest": Rest, "between": Between, "token": Token, "field": Field, "column": Column, "path": Path}
_TAGS = {kind: tag for tag, kind in {**WHERES, **WHATS, "anchor": Anchor, "given": Given, "some": Some, "change": Change}.items()}
SHAPES: Mapping[type, Mapping[str, Callable[[Json], Any]]] = {
    Whole: {},
    Line: {"number": _count},
    Each: {},
    Anchored: {"anchor": _anchor, "below": _below, "after": lambda stored: None if stored is None else _anchor(stored)},
    Block: {"number": _positive, "anchor": lambda stored: None if stored is None else _anchor(stored)},
    Row: {"header": _filled, "number": _positive},
    Keyed: {"column": lambda stored: _read(stored, {"column": Column}), "key": _words},
    Rest: {},
    Between: {"before": _boundary_of, "after": _text},
    Token: {"kind": _one_of(*RUNS), "number": _count, "before": _boundary_of, "after": _text},
    Field: {"number": _count, "by": _filled},
    Column: {"header": _filled, "name": _filled, "how": _one_of("under", "wide", "slice", "ruled", "count")},
    Path: {"keys": _keys},
    Anchor: {"how": _one_of("starts", "contains"), "words": _words},
    Given: {"name": _filled},
    Some: {"kind": _one_of("start", *RUNS)},
    Change: {"name": _one_of("split", "join", *PLAIN), "by": _text, "number": _count},
}
"""How each field of each part is read."""


def _stored(part: Any) -> Json:
    """A part of a program as JSON, with the name of its kind."""
    if isinstance(part, tuple):
        return [_stored(one) for one in part]
    if type(part) not in _TAGS:
        return part
    return {"is": _TAGS[type(part)]} | {name: _stored(getattr(part, name)) for name in SHAPES[type(part)]}


def _read(stored: Json, known: Mapping[str, type]) -> Any:
    """A part of a program from its JSON; SpecError when it is none of these."""
    kind = known.get(str(stored.get("is"))) if isinstance(stored, dict) else None
    if kind is None or stored.keys() != {"is", *SHAPES[kind]}:
        raise SpecError(f"Expected a part of a program ({', '.join(known)}), got {str(stored)[:80]!r}")
    return kind(**{name: read(stored[name]) for name, read in SHAPES[kind].items()})


def _change(stored: Json) -> Change:
    made: Change = _read(stored, {"change": Change})
    if made.name == "split" and not made.by:
        raise SpecError("Expected a separator to split at")
    return made


# ── As one line for a person ─────────────────────────────────────────────────────────────────────


def _quoted(words: Words) -> str:
    return f"{{{words.name}}}" if isinstance(words, Given) else json.dumps(words, ensure_ascii=False)


def _nth(number: int) -> str:
    if number == -1:
        return "last"
    ordinal = {1: "first", 2: "second", 3: "third"}.get(abs(number)) or f"{abs(number)}th"
    return ordinal if number > 0 else f"{ordinal} last"


def _shown_anchor(anchor: Anchor) -> str:
    return f"line that {'starts with' if anchor.how == 'starts' else 'contains'} {_quoted(anchor.words)}"


def _shown_where(where: Where) -> str:
    match where:
        case Whole():
            return "whole text"
        case Line(number):
            return f"{_nth(number)} line"
        case Each():
            return "any line"
        case Block(number, anchor):
            return (f"{_shown_anchor(anchor)} in " if anchor else "head of ") + f"the {_nth(number)} block"
        case Row(header, number):
            return f"{_nth(number)} row under {_quoted(header)}"
        case Keyed(column, key):
            return f"row whose column {_quoted(column.name)} is {_quoted(key)}"
    below = f"{_nth(where.below)} line under the " if where.below else ""
    after = f" after the first {_shown_anchor(where.after)}" if where.after else ""
    return below + _shown_anchor(where.anchor) + after


def _shown_what(what: What) -> str:
    match what:
        case Rest():
            return "all of it"
        case Between(before, after):
            return " ".join(one for one in (_shown_left(before), f"up to {_quoted(after)}" if after else "") if one) or "all of it"
        case Token(kind, number, before, after):
            name = KINDS[kind].says if not number else f"{_nth(number)} of {KINDS[kind].says}"
            return " ".join(one for one in (name, _shown_left(before), f"before {_quoted(after)}" if after else "") if one)
        case Field(number, by):
            return f"{_nth(number)} field" + {" ": "", "  ": " between wide gaps"}.get(by, f" between {_quoted(by)}")
        case Column(_, name, _):
            return f"column {_quoted(name)}"
    return "JSON " + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in what.keys)


def _shown_left(parts: Boundary) -> str:
    if not parts:
        return ""
    if parts == (START,):
        return "from the start"
    shown = (_quoted(one) if isinstance(one, str) else "the start" if one == START else f"⟨{one.kind}⟩" for one in parts)
    return "after " + " ".join(shown)


def _shown_change(change: Change) -> str:
    if change.name == "split":
        return f"{_nth(change.number)} part between {_quoted(change.by)}"
    return f"joined with {_quoted(change.by)}" if change.name == "join" else change.name
