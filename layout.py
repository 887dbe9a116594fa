"""Lays text out for a terminal or a chat: lines of at most 80 columns, whole commands, parts below their labels; it knows nothing of what
the text tells. A module of its own, because how wide a line is, is one job, and what stands in it that of each page."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from unicodedata import east_asian_width

from .wording import visible

WIDTH = 80
LABEL, DECIDED = 13, 38
"""Columns of the label that a part of a page begins with, and of time, place and verb of a decision."""
NUMBERED = re.compile(r" *(?:\d{1,2} +)?")
SECOND = "\0"
"""Stands for the second column of a wide character while lines are measured; what is shown is printable, so it is nothing else."""
COMMAND, JOINED = re.compile(r"(?:hermes kata|/kata) [a-z-]+(?: (?:[0-9]+|all|--?[a-z-]+|as NAME|[A-Z]+)\b)*"), "\1"
"""A command of ours, which goes on no further line, so that it can be copied; what stands for its spaces while lines are made."""
ABSENT = "–"
"""Stands for the value of an example that does not fit."""


def laid(text: str) -> str:
    """Text for a terminal or a chat: at most 80 columns, long lines go on below their own beginning, nothing but printable
    characters (B46, W10). Nothing is left out."""
    lines: list[str] = []
    for line in text.split("\n"):
        shown = "".join(character if character.isprintable() else "�" for character in line)
        lines += wrapped(shown, min(LABEL, len(shown) - len(shown.lstrip(" "))))
    return "\n".join(lines)


def part(title: str, rows: Iterable[str]) -> list[str]:
    """One part of a page: its label, and its rows below one another; a long row goes on below its own beginning."""
    lines: list[str] = []
    for index, row in enumerate(rows):
        lead = NUMBERED.match(row)
        inset = len(lead.group()) if lead else 0
        text = row[:inset] + visible(row[inset:])
        lines += wrapped(f"{title if not index else '':<{LABEL - 1}} {text}", LABEL + inset)
    return lines


def wrapped(line: str, hang: int) -> list[str]:
    """The line in pieces of 80 columns, all but the first below column `hang`."""
    spread = _spread(line)
    if len(spread) <= WIDTH:
        return [line.rstrip()]
    width = WIDTH - (SECOND in spread)  # a line may end between a wide character and its second column
    whole = COMMAND.sub(lambda found: found[0].replace(" ", JOINED), spread)
    lines = textwrap.wrap(whole, width, subsequent_indent=" " * hang, break_on_hyphens=False)
    shown = (one.replace(SECOND, "").replace(JOINED, " ") for one in lines)
    return [text for text in shown if text.strip()]  # a last line may hold a second column alone


def fit(line: str, width: int = WIDTH) -> str:
    """The line, or its beginning with a mark, in `width` columns."""
    line = visible(line) if not line.isprintable() else line
    spread = _spread(line)
    if len(spread) <= width:
        return line
    whole = width - 1 - (spread[width - 1] == SECOND)  # no half of a wide character
    return spread[:whole].replace(SECOND, "") + "…"


def _spread(line: str) -> str:
    """The line with a place for the second column of every wide character, so that its length is its width in columns."""
    return line if line.isascii() else "".join(one + SECOND * (east_asian_width(one) in "WF") for one in line)


def apart(texts: Sequence[str], width: int) -> list[str]:
    """Each text in `width` columns; from where they begin to differ, where their beginnings would all look alike, as those of paths do."""
    short, differing = [fit(text, width) for text in texts], {text for text in texts if text != ABSENT}
    if len(set(short) - {ABSENT}) == len(differing):
        return short
    first, last = min(differing), max(differing)  # what these two begin with, all begin with
    size = next((at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other), len(first))
    start = max(first.rfind("/", 0, size), first.rfind(" ", 0, size), size - width // 2)
    return [one if text == ABSENT or start < 1 else fit("…" + text[start:], width) for one, text in zip(short, texts, strict=True)]
