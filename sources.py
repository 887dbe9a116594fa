"""Finds secrets in the source text of programs and configurations by where they stand in a call or a statement; it understands no language.

A module of its own, because each of these places is told by what its library or its program publishes, not by a name beside a sign."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .beside import announced, counts, value_at
from .formats import CALLS, STATEMENTS
from .keys import shape
from .looks import PLACEHOLDER, Span, drawn, void
from .names import Name, named

_CALLS = {name: (place, kind) for names, place, kind in CALLS for name in names.split()}
_CALL = re.compile(rf"(?<![\w])({'|'.join(sorted(_CALLS, key=len, reverse=True))})\([ \t]{{0,4}}")
_ARGUMENT = re.compile(
    r"(?:&?[\w.$>*:-]{1,100}|[bru]?\"(?:[^\"\\\n]|\\.){0,400}\"|[bru]?'(?:[^'\\\n]|\\.){0,400}')(?:\([^()\n]{0,100}\))?\s{0,20},\s{0,40}"
)
_WRAPPER = re.compile(r"(?:Some\(|new String\()?[bru]?(?=[\"'])")


def calls(text: str, low: int, high: int) -> Iterator[Span]:
    """Passwords that a function takes after the name of the user: `login("dana", "…")`."""
    for match in _CALL.finditer(text, low, high):
        place, kind = _CALLS[match[1]]
        at: int | None = match.end()
        for _ in range(place - 1):
            argument = _ARGUMENT.match(text, at) if at is not None else None
            at = argument.end() if argument else None
        opening = _WRAPPER.match(text, at) if at is not None else None
        if opening is None:
            continue
        value = value_at(text, opening.end())
        content = text[value.start : value.stop]
        if value.quoted and (drawn(content) and not void(content) if kind == "maybe" else counts(content, Name("password"), plain=False)):
            yield Span(value.start, value.stop, "password" if kind == "maybe" else kind)


_STATED = tuple((words, shape(pattern)) for words, pattern in STATEMENTS)


def statements(text: str, low: int, high: int) -> Iterator[Span]:
    """What stands behind the words of a statement: of a server's configuration, of a protocol, of SQL."""
    small = text[low:high].lower()
    for words, pattern in _STATED:
        if not any(word in small for word in words.split()):
            continue
        for match in pattern.finditer(text, low, high):
            value = value_at(text, match.end())
            content = text[value.start : value.stop].rstrip(";")
            if len(content) >= 6 and not text.startswith("(", value.stop) and counts(content, Name("password"), value.quoted, value.quoted):
                yield Span(value.start, value.start + len(content), "password")


_USERS = re.compile(
    r"chpasswd(?:[^\n]{0,40}<<-?[ \t]?[\"']?\w{1,30}[\"']?|:\s{1,20}(?:expire:[^\n]{1,20}\s{1,20})?list:[ \t]*[|>]?-?)[ \t\r]*\n"
)
_USER = re.compile(r"[ \t]*(?:-[ \t]+)?[\w.-]{1,64}:([^\s:]{3,500})[ \t\r]*(?:\n|$)")


def accounts(text: str, low: int, high: int) -> Iterator[Span]:
    """The passwords of the users that `chpasswd` is given, line by line."""
    for match in _USERS.finditer(text, low, high):
        line = _USER.match(text, match.end())
        while line:
            if counts(line[1], Name("password"), plain=True):
                yield Span(*line.span(1), "password")
            line = _USER.match(text, line.end()) if line.end() > line.start() else None


_LITERAL = re.compile(r"(?<![\w.\-])(?P<name>[A-Za-z][\w.\-]{2,60}+)(?P<quote>[\"']?)[ \t]{1,8}(?=[\"'][^\s\"']{6,4096}[\"'])")
_VARIABLE = re.compile(r"\bvariable[ \t]+\"(?P<name>[\w-]{2,100})\"[ \t]*\{[^{}]{0,1000}?\bdefault[ \t]*=[ \t]*(?=\")")


def literals(text: str, low: int, high: int) -> Iterator[Span]:
    """A quoted text right behind a name, as in `(setq password "…")`, and the default of a variable of Terraform."""
    for match in _LITERAL.finditer(text, low, high):
        name, value = announced(text, match), value_at(text, match.end())
        content = text[value.start : value.stop]
        odd = drawn(content) or name is not None and name.kind == "password" and re.search(r"[\d!@#%^*]", content) is not None
        if name and value.quoted and odd and not void(content) and "/" not in content:
            yield Span(value.start, value.stop, name.kind)
    for match in _VARIABLE.finditer(text, low, high):
        name, value = named(match["name"]), value_at(text, match.end())
        if name and counts(text[value.start : value.stop], name, plain=True, quoted=True):
            yield Span(value.start, value.stop, name.kind)


_PAIR = re.compile(r"(?:A[KS]IA[A-Z0-9]{16}|KATASECRET_aws_[0-9]{1,9})(?![A-Za-z0-9])")
_SECRET = re.compile(r"(?<![A-Za-z0-9/+=_-])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=_-])")
_SESSION = re.compile(r"(?<![A-Za-z0-9/+=_-])[A-Za-z0-9/+]{100,4096}+={0,2}")


def beside_ids(text: str, low: int, high: int) -> Iterator[Span]:
    """The secret, and the session token, that stand near the id of an AWS key, whatever lies between (`aws … --output text`)."""
    for match in _PAIR.finditer(text, low, high):
        secret = _SECRET.search(text, match.end(), match.end() + 200)
        session = _SESSION.search(text, secret.end() if secret else match.end(), match.end() + 4_400)
        if secret and drawn(secret.group()):
            yield Span(*secret.span(), "aws")
        if session and session.start() - (secret.end() if secret else match.end()) < 120 and not PLACEHOLDER.search(session.group()):
            yield Span(*session.span(), "aws")
