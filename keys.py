"""Finds secrets by their published form alone: prefixes and shapes of keys, bodies of private keys; it never needs a name beside them.

A module of its own, because it is the one way of finding that holds wherever the text stands, and the one that has to be fast."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from .formats import BEGINS, FORMATS, LIKELY, SHAPES
from .looks import LONGEST, PLACEHOLDER, Span, drawn

LEAST = 10
"""Fewer characters after a prefix are no key, however they look."""


ENOUGH = 256
"""As many characters after a prefix tell whether it begins a key; reading on from every prefix would be quadratic."""


class Form(NamedTuple):
    """What must follow a prefix: the published pattern, or at least so many characters that look drawn."""

    kind: str
    pattern: str
    least: int


FORMS = {
    **{prefix: Form(kind, pattern, LEAST) for kind, prefixes, pattern in FORMATS for prefix in prefixes.split()},
    **{prefix: Form(kind, "", least) for kind, prefixes, least in LIKELY for prefix in prefixes.split()},
}
_TOKEN = r"[A-Za-z0-9_\-]"
_TAIL = re.compile(rf"{_TOKEN}*+(?:\.+{_TOKEN}{{2,}}+)*+")
_PATH_TAIL = re.compile(r"[A-Za-z0-9_\-/]*+")
_BASE64_TAIL = re.compile(r"[A-Za-z0-9+/]*+={0,2}")
_TAILS = {**{prefix: _PATH_TAIL for prefix in FORMS if "/" in prefix}, "ABSK": _BASE64_TAIL}
"""What may follow a prefix, where it is not what most keys are made of."""
_LONG_ENOUGH = re.compile(r"[A-Za-z0-9_\-]{10}")
_BY_FIRST = {first: tuple(prefix for prefix in FORMS if prefix[0] == first) for first in sorted({prefix[0] for prefix in FORMS})}
_FRESH = re.compile(rf"[{''.join(_BY_FIRST)}]{BEGINS}(?=[\w\-./+]{{11}})", re.ASCII)
"""Where a key may begin: the first letter of a prefix, at the beginning of a long run. Looking for each prefix by itself took a second for
five million characters."""


@cache
def shape(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


def formatted(text: str, low: int, high: int) -> Iterator[Span]:
    """Keys whose prefix or shape a vendor has published."""
    part = text[low:high]
    if not _LONG_ENOUGH.search(part):
        return
    yield from prefixed(text, low, high)
    for kind, needles, pattern in SHAPES:
        if any(needle in part for needle in needles.split()):
            yield from (Span(*match.span(), kind, told=False) for match in shape(pattern).finditer(text, low, high))


def prefixed(text: str, low: int, high: int) -> Iterator[Span]:
    read: dict[str, int] = {}  # prefix → how far the text was read for it: reading it again would be quadratic
    for match in _FRESH.finditer(text, low, high):
        for prefix in _BY_FIRST[match.group()]:
            if match.start() >= read.get(prefix, 0) and text.startswith(prefix, match.start()):
                read[prefix], found = _key_at(text, match.start(), prefix)
                yield from [found] if found else ()


def _key_at(text: str, at: int, prefix: str) -> tuple[int, Span | None]:
    """How far a text is read for a prefix that stands at `at`, and the key if there is one."""
    form, tail, start = FORMS[prefix], _TAILS.get(prefix, _TAIL), at + len(prefix)
    body = tail.match(text, start, start + ENOUGH)
    stop = body.end() if body else start
    published = form.pattern and shape(form.pattern).match(text, start, stop)
    if not (published or stop - start >= form.least and drawn(text[start:stop])):
        return stop, None
    whole = tail.match(text, start)
    stop = whole.end() if whole else stop
    return stop, Span(start if "/" in prefix else at, stop, form.kind, told=False)


_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_LINE = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/=]{4,80}\s+\Z")
_EDGES = re.compile(r"(?:\s|\\+[nrt])*+")
_LONG_RUN = re.compile(r"[A-Za-z0-9+/=]{16,}+")


def blocks(text: str) -> Iterator[Span]:
    """Bodies of private keys; one without an end reaches to the end of the text (B52)."""
    start = text.find("-----BEGIN ")
    while start >= 0:
        begin = _BEGIN.match(text, start)
        stop = start + 5
        if begin:
            stop = text.find("-----END", begin.end())
            yield from _body(text, begin.end(), stop) if stop >= 0 else _cut_body(text, begin.end())
        start = text.find("-----BEGIN ", stop) if stop >= 0 else -1
    yield from _tails(text)


def _tails(text: str) -> Iterator[Span]:
    """What stands before the end of a private key whose beginning was cut off."""
    for end in _END.finditer(text):
        at = stop = end.start()
        while at > 0 and stop - at < LONGEST and (line := _KEY_LINE.search(text, max(0, at - 90), at)):
            at = line.start()
        if not text.startswith("-----", max(0, at - 6)) and "-----" not in text[max(0, at - 7) : at]:
            yield from _body(text, at, stop)


def _body(text: str, start: int, stop: int) -> Iterator[Span]:
    edge = _EDGES.match(text, start, stop)
    start = edge.end() if edge else start
    while stop > start and text[stop - 1].isspace():
        stop -= 1
    while text[max(start, stop - 2) : stop] in ("\\n", "\\r"):
        stop -= 2
    if stop > start and not PLACEHOLDER.fullmatch(text, start, stop):
        yield Span(start, stop, "pem", told=False)


def _cut_body(text: str, start: int) -> Iterator[Span]:
    """Everything up to the quote that may close around the block; after it only what could still be key text."""
    quote = re.compile("[\"']").search(text, start)
    stop = quote.start() if quote else len(text)
    while text[stop - 1 : stop] == "\\":
        stop -= 1
    yield from _body(text, start, stop)
    for match in _LONG_RUN.finditer(text, stop):
        if drawn(match.group()):
            yield Span(*match.span(), "pem", told=False)
