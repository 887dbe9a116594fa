"""Finds passwords in command lines that are written as lists of words: arrays, literals, items of YAML; it runs nothing.

A module of its own, because the words stand apart, each in its own quotes, and only read side by side are they a command."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from .looks import LONGEST, Span
from .spots import PROGRAMS, commands

MOST = 64
"""Words of one list that are read."""
_APART = re.compile(r"[\s'\"`;|&<>()\\,$]")
_QUOTED = re.compile(rf"[\"'](?:[\w./-]{{0,100}}/)?(?:{PROGRAMS})[\"'][ \t]*,")
_ITEM = re.compile(rf"(?:^|(?<=\n))[ \t]*-[ \t]+[\"']?(?:[\w./-]{{0,100}}/)?(?:{PROGRAMS})[\"']?[ \t]*\r?\n")
_NEXT_QUOTED = re.compile(r"\s{0,80}\\{0,3}(?:\"(?P<a>[^\"\n]{0,2000})\"|'(?P<b>[^'\n]{0,2000})')\s{0,80},?")
_NEXT_ITEM = re.compile(r"[ \t]*-[ \t]+(?P<a>[^\r\n]{1,2000})(?P<b>)\r?\n?")
_FIRST = re.compile(rf"(?:[\w./-]{{0,100}}/)?(?:{PROGRAMS})\Z")


class Part(NamedTuple):
    """Where a secret stands in a list: in which item, from and to which character."""

    item: int
    start: int
    stop: int
    kind: str


def listed(items: Sequence[object]) -> Iterator[Part]:
    """The secrets in a list that holds a command word by word."""
    words = [item if isinstance(item, str) else "" for item in items[:MOST]]
    first = next((at for at, word in enumerate(words) if len(word) < 200 and _FIRST.match(word)), None)
    if first is not None:
        yield from (part._replace(item=part.item + first) for part in _read(words[first:]))


def _read(words: Sequence[str]) -> Iterator[Part]:
    """The secrets of a command; each character that would end a word is put aside, since a word of a list holds any."""
    line = " ".join(_APART.sub("_", word) for word in words) + " "
    starts = [0, *accumulate(len(word) + 1 for word in words)]
    for span in commands(line, 0, len(line)):
        item = next(at for at in range(len(words)) if span.start < starts[at + 1])
        stop = min(span.stop, starts[item + 1] - 1)
        if span.start < stop:
            yield Part(item, span.start - starts[item], stop - starts[item], span.kind)


def spelled(text: str, low: int, high: int) -> Iterator[Span]:
    """The secrets of commands that are lists in the text of a program or a configuration."""
    for begins, follows in ((_QUOTED, _NEXT_QUOTED), (_ITEM, _NEXT_ITEM)):
        match = begins.search(text, low, high)
        while match:
            places = [*_places(text, match.start(), follows)]
            for part in _read([text[start:stop] for start, stop in places]):
                yield Span(places[part.item][0] + part.start, places[part.item][0] + part.stop, part.kind)
            match = begins.search(text, max([match.end(), *(stop for _, stop in places[:-1])]), high)


def _places(text: str, at: int, follows: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Where the words of a list stand that begins at `at`."""
    limit = at + LONGEST
    for _ in range(MOST):
        word = follows.match(text, at, limit)
        if word is None:
            return
        group = "a" if word["a"] is not None else "b"
        start, stop = word.span(group)
        quoted = follows is _NEXT_ITEM and stop - start > 1 and text[start] in "\"'" and text[stop - 1] == text[start]
        yield (start + 1, stop - 1) if quoted else (start, stop)
        at = word.end()
