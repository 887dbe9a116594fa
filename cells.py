"""Finds secrets by the heading of the column or the row in which they stand: tables of text, rows of SQL, cells of HTML; it knows no forms.

A module of its own, because a heading stands far from its value, and what lies between is told by separators alone."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from itertools import pairwise

from .beside import counts
from .looks import LONGEST, Span, drawn
from .names import Name, named

MOST = 200
"""Rows that are read below one heading."""
_LINE = re.compile(r"[^\r\n]{1,4096}")
_HEADING = re.compile(r"[\w .()#*`\"'-]{1,60}")
_RULE = re.compile(r"[\s+|│┃─┼=:\-]+")
_CODE = re.compile(r"[\s()\[\]{}]")
_EDGE = " \t`*\"'"
_TELLING = re.compile(r"pass|pwd|pw\b|secret|token|key|cred|密|парол", re.IGNORECASE)


def columns(text: str, low: int, high: int) -> Iterator[Span]:
    """What stands below a heading that announces a secret, or in the cell after one."""
    lines = [match.span() for match in _LINE.finditer(text, low, high)]
    until = 0
    for index, (start, stop) in enumerate(lines):
        if index < until or not _TELLING.search(text, start, stop):
            continue
        for mark in ("\t", "|", "│", ",", ";"):
            heads = [*_cells(text, start, stop, mark)]
            if len(heads) > 1 and (mark not in ",;" or len(heads) == 2 and re.fullmatch(r"\w+", text[slice(*heads[0])])):
                yield from _beside(text, heads)
            ruled = index + 1 < len(lines) and _RULE.fullmatch(text, *lines[index + 1]) is not None
            full = [head for head in heads if head[0] < head[1]]
            if len(full) > (not ruled) and (mark not in ",;" or full == heads) and all(_HEADING.fullmatch(text, *head) for head in full):
                until = yield from _below(text, lines, index, heads, mark)
            if len(heads) > 1:
                break


def _cells(text: str, start: int, stop: int, mark: str) -> Iterator[tuple[int, int]]:
    """Where the cells of a line stand, without the blanks and quotes around them."""
    while start <= stop:
        end = text.find(mark, start, stop)
        end = end if end >= 0 else stop
        left, right = start, end
        while left < right and text[left] in _EDGE:
            left += 1
        while right > left and text[right - 1] in _EDGE:
            right -= 1
        yield left, right
        start = end + 1


def _heading(text: str) -> Name | None:
    return named(text.strip().replace(" ", "_")) if len(text) <= 60 else None


def _told(text: str, name: Name | None) -> bool:
    """Whether a cell holds a secret; prose and the signs of a formula do not."""
    if name is None or _CODE.search(text) or named(text):
        return False
    return counts(text, name, plain=False) if name.kind == "password" and name.sure and not text.isdigit() else drawn(text)


def _beside(text: str, heads: Sequence[tuple[int, int]]) -> Iterator[Span]:
    for (start, stop), (left, right) in pairwise(heads):
        name = _heading(text[start:stop])
        if name and not _CODE.search(text[left:right]) and drawn(text[left:right]):
            yield Span(left, right, name.kind)


def _below(
    text: str, lines: Sequence[tuple[int, int]], index: int, heads: Sequence[tuple[int, int]], mark: str
) -> Generator[Span, None, int]:
    """The secrets below a heading, then the number of the line that is no more of the table."""
    names = [_heading(text[start:stop]) for start, stop in heads]
    if not any(names):
        return index + 1
    row = index + 1
    while row < min(len(lines), index + MOST):
        if not _RULE.fullmatch(text, *lines[row]):
            cells = [*_cells(text, *lines[row], mark)]
            if len(cells) != len(names):
                break
            for (start, stop), name in zip(cells, names, strict=True):
                if name and _told(text[start:stop], name):
                    yield Span(start, stop, name.kind)
        row += 1
    return row


_INSERT = re.compile(
    r"\binto\s{1,20}[\w.`\"\[\]]{1,200}\s{0,20}\((?P<names>[\w\s,`\"\[\]]{1,2000})\)\s{0,20}"
    r"(?:output[^()]{0,200})?values\s{0,20}",
    re.IGNORECASE,
)
_DATUM = re.compile(
    r"[\s(,;]{0,40}(?:(?P<call>[A-Za-z_]{1,40}\()\s{0,4})?(?:[NE]?'(?P<value>(?:[^'\\]|\\.|'')*+)'|[^\s,()';]{1,200}+)"
    r"(?(call)(?:[^()']{0,60}(?:'[^']{0,60}'|\([^()]{0,60}\))?){0,3}\))\)?\s{0,20}"
)


def inserted(text: str, low: int, high: int) -> Iterator[Span]:
    """The values of SQL rows in the place of a column that announces a secret."""
    for match in _INSERT.finditer(text, low, high):
        names = [named(name.strip("`\"[] \t\r\n")) for name in match["names"].split(",")]
        at, limit = match.end(), match.end() + LONGEST
        for number in range(MOST if any(names) else 0):
            datum = _DATUM.match(text, at, limit)
            if datum is None:
                break
            name = names[number % len(names)]
            if name and datum["value"] is not None and counts(datum["value"], name, plain=True, quoted=True):
                yield Span(*datum.span("value"), name.kind)
            at = datum.end()


_LABELLED = re.compile(
    r">\s{0,20}(?P<name>[\w .-]{2,60}):?\s{0,20}</(?:td|th|dt|b|strong|label|span|p)>\s{0,40}:?\s{0,4}"
    r"(?:<(?:td|dd|span|code|tt|p|em)(?:\s[^<>]{0,100})?>\s{0,20}){0,3}(?P<value>[^\s<>]{3,2000})(?=\s{0,20}(?:<|$))"
)
_ATTRIBUTED = re.compile(r"<(?:input|meta|param|property|entry|setting|var)\s(?P<inside>[^<>]{1,1000})>", re.IGNORECASE)
_CALLED = re.compile(r"(?:^|\s)(?:name|id|key|property)=[\"']([\w:.\-]{2,100})[\"']", re.IGNORECASE)
_CONTENT = re.compile(r"(?:^|\s)(?:value|content)=([\"'])([^\"'<>]{3,2000})\1", re.IGNORECASE)
_WRAPPED = re.compile(r"<(?P<name>[\w:.\-]{2,100})>\s{0,40}<[Vv]alue>(?P<value>[^<>\s]{3,2000})</")


def marked(text: str, low: int, high: int) -> Iterator[Span]:
    """Values in the markup beside their names: cells, attributes, elements inside of elements."""
    for pattern in (_LABELLED, _WRAPPED):
        for match in pattern.finditer(text, low, high):
            name = _heading(match["name"])
            if name and counts(match["value"], name, plain=pattern is _WRAPPED, quoted=True):
                yield Span(*match.span("value"), name.kind)
    for match in _ATTRIBUTED.finditer(text, low, high):
        called = _CALLED.search(match["inside"])
        name, value = named(called[1]) if called else None, _CONTENT.search(match["inside"])
        if name and value and counts(value[2], name, plain=True, quoted=True):
            start = match.start("inside")
            yield Span(start + value.start(2), start + value.end(2), name.kind)
