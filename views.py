"""Shows a text without what tears its secrets apart or hides where they stand, and leads back to the original: characters that nobody sees,
numbers and marks before lines, the escapes of a text inside of a text; it finds nothing itself.

A module of its own, because what is read and what is replaced are then two texts, and the way between them is one question."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

from .looks import OVERLAP, Span

SLICE = 65_536
"""The most that one pattern reads at once: the interpreter's lock is held meanwhile (five plain patterns over 5 MB starved a thread)."""
_UNSEEN = re.compile(
    r"\x1b\[[0-9;:?]{0,30}[A-Za-z]|\\\r?\n(?![ \t]*[\w-]{1,40}(?::[ \t]|=\S))"
    r"|[\x00-\x08\x0e-\x1f\x7f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]"
)
_MARK = re.compile(
    r"^(?:\[?[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]{1,9})?(?:Z|[+-][0-9]{2}:?[0-9]{2})?\]?[ \t]"
    r"|[ \t]{0,8}[0-9]{1,6}(?:[|:→]|\t)|\+{1,3} ?|> ?|[\w./-]{1,100}:[0-9]{1,6}[:-]|[\w.-]{1,60} {0,20}\| )",
    re.MULTILINE,
)
"""What tools put before a line: its number, a sign of a difference or of a trace, a file, a container, a time."""
_ESCAPE = re.compile(r"\\(?:([nrt\"'/\\])|u(?!d[89a-f])([0-9a-f]{4}))|(?<!\\)(\")", re.IGNORECASE)
"""An escape, or the quote around the text in which they stand, which begins a line of its own."""
_MEANT = {"n": "\n", "r": "\r", "t": "\t"}


class View:
    """A text with some pieces gone or in the place of others, and the way back to the original; `escaped` where a piece is one sign."""

    def __init__(self, original: str, cuts: Sequence[tuple[int, int, str]] = (), escaped: bool = False) -> None:
        parts, at = [], 0
        for start, stop, put in cuts:
            parts += [original[at:start], put]
            at = stop
        self.text = "".join((*parts, original[at:])) if cuts else original
        self.escaped = escaped
        self.gone = list(accumulate(stop - start - len(put) for start, stop, put in cuts))
        self.starts = [stop - gone for (_, stop, _), gone in zip(cuts, self.gone, strict=True)]

    def origin(self, at: int) -> int:
        """The place in the original of the character that stands at `at` here."""
        index = bisect_right(self.starts, at)
        return at + (self.gone[index - 1] if index else 0)

    def back(self, span: Span) -> Span:
        """The span in the original; what was cut behind it does not belong to it."""
        stop = self.origin(span.stop) if self.escaped else self.origin(span.stop - 1) + 1
        return span._replace(start=self.origin(span.start), stop=stop)


def plain(text: str) -> View:
    """The text without the characters that nobody sees, which would tear a key apart (B18), and with lines that go on made one."""
    found, at = [], 0
    for high in range(SLICE, len(text) + SLICE, SLICE):
        for match in _UNSEEN.finditer(text, at, high + OVERLAP):
            found.append((*match.span(), ""))
            at = match.end()
        at = max(at, high)
    return View(text, found)


def inner(text: str) -> Iterator[View]:
    """The text without marks before its lines, and the text that its escapes stand for, where a quarter of its lines hold one: in source
    text there are a few of both, and reading all of it twice more would find nothing there."""
    lines = text.count("\n") + 1
    marks = [(*match.span(), "") for match in _MARK.finditer(text)]
    if marks and 4 * len(marks) >= lines:
        yield View(text, marks)
    escapes = text.count("\\n") + text.count('\\"') + text.count("\\u")
    if escapes and 4 * escapes >= lines:
        yield View(text, [(*match.span(), _meant(match)) for match in _ESCAPE.finditer(text)], escaped=True)


def _meant(match: re.Match[str]) -> str:
    return "\n" if match[3] else chr(int(match[2], 16)) if match[2] else _MEANT.get(match[1], match[1])
