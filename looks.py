"""Tells by its look alone whether a text may be a secret: drawn at random, words, code, or a mere stand-in; it reads no surroundings.

A module of its own, because every way of finding a secret ends in these questions, and none of them knows how the others find."""

from __future__ import annotations

import re
from typing import NamedTuple

PLACEHOLDER = re.compile(r"KATASECRET_[a-z0-9]{1,20}_[1-9][0-9]{0,8}")

OVERLAP = 4_096
LONGEST = 8_192
"""The most characters of a value that a name announces."""
SHORTEST = 3
"""A shorter value is no secret: it could not be told from any other text."""
MEMORABLE = 8


class Span(NamedTuple):
    """Where a secret stands; `told` when only its surroundings tell, so that its copies elsewhere must be looked for."""

    start: int
    stop: int
    kind: str
    told: bool = True


_SWITCH = re.compile(r"[a-z](?=[A-Z])|[A-Z]{2}(?=[a-z])")
_SEGMENT = re.compile(r"[A-Za-z0-9]+")
_WORDY = re.compile(r"[^\W\d_](?:[^\W\d]|[./\-])*")
_CHAIN = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_REFERENCE = re.compile(
    r"\$\{?(?:[A-Z_][A-Z0-9_]*|[a-z_.]+)\}?|\$\{?(?:secrets|(?i:env))[:.]\w+\}?|\$\(.*\)|\$\{\{[^{}]*\}\}|\{\{[^{}]*\}\}|%\w+%|%\(\w+\)s"
    r"|\{[\w.]*\}|<[^<>]*>|\[[A-Za-z_ ]*\]|:[a-z_]+|\w+://[^@]*|(?:file|fd|env):.*",
    re.DOTALL,
)
_CALL = re.compile(r"([A-Za-z_]\w*(?:\.\w+)*)[(\[].*", re.DOTALL)
_PATH = re.compile(
    r"(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w.@+-]+)+[/\\]?"
    r"|[\w./-]+\.(?:pem|key|crt|cer|p12|pfx|jks|json|ya?ml|txt|toml|env|ini|conf|cfg|py|js|ts|go|rs|sh|md)"
)
NOTHING = frozenset(
    "null none nil undefined true false yes no on off any unset empty n/a na string str text bool boolean int integer number float bytes "
    "byte object array required optional hidden stdin prompt basic bearer token digest secret password passwd pass key apikey api_key "
    "changeme change_me change-me example placeholder dummy redacted masked censored todo tbd your_token your_password your_api_key "
    "your-api-key your-token your-password incorrect expired invalid missing disabled enabled unknown verified accepted rejected denied "
    "generated provided protected encrypted configured unchanged supported deprecated mandatory forbidden".split()
)
"""Words that stand where a secret would stand (B33)."""


def wordy(text: str) -> bool:
    """Whether a text reads like words: letters, and no more changes of case than a name has."""
    rarely = 7 if text.isalpha() and len(text) >= 20 else 5
    return _WORDY.fullmatch(text) is not None and rarely * len(_SWITCH.findall(text)) <= len(text)


def _mixed(segment: str) -> bool:
    """Whether a run of letters and digits looks drawn at random."""
    if segment.isalpha():
        return len(segment) >= 12 and 5 * len(_SWITCH.findall(segment)) > len(segment)
    kinds = sum(re.search(kind, segment) is not None for kind in ("[a-z]", "[A-Z]", "[0-9]"))
    return kinds == 3 and len(segment) >= 6 or kinds == 2 and len(segment) >= 8


def drawn(text: str) -> bool:
    """Whether some run in a text looks drawn at random; versions, dates and words joined by dashes do not."""
    return len(text) >= MEMORABLE and any(_mixed(segment) for segment in _SEGMENT.findall(text))


def void(text: str) -> bool:
    """Whether a value only stands for a secret: nothing, a placeholder, a reference, a path."""
    core = text.lower().strip("<>[]{}()*'\" \t")
    if core in NOTHING or set(core) <= set("x*.-_•…") or not re.search(r"\w", PLACEHOLDER.sub("", text)):
        return True
    if text.startswith("-----BEGIN"):
        return True
    return (_REFERENCE.fullmatch(text) or _PATH.fullmatch(text)) is not None and not drawn(text)


def code(text: str) -> bool:
    """Whether an unquoted value is an expression: `process.env.KEY`, `get(x)`, `keys["a"]`."""
    call = _CALL.match(text)
    return (call or _CHAIN.fullmatch(text)) is not None and not drawn(call[1] if call else text)
