"""Knows the places of secrets: numbers the placeholders of an example anew, splits texts at them, and fills secret inputs of a run from
named variables of the environment, which somebody else reads; it never holds a secret itself. A module of its own, because learning, runs
and the table of commands share it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from .looks import PLACEHOLDER
from .model import Call, Example, InputError, InputField, Json, Kata, Refused, Spec
from .redact import Masker

SECRET = "secret"
"""The type of an input that is a secret: it has neither examples nor choices nor a default, and what is given for it is not kept."""
VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_KIND = re.compile(r"KATASECRET_([a-z0-9]+)_[0-9]+")
_SPEAKING = frozenset("password token key secret auth cookie credential session".split())


@lru_cache(4_096)
def label(name: str) -> str:
    """An identifier (of a session, a turn, a call, a tool, a model) as it may be kept: itself, and where a secret stands in it another
    name, always the same one, that tells nothing."""
    return name if Masker().text(name) == name else f"hidden_{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def unspoken(text: str) -> None:
    """Let pass what a person typed, to be kept as it is; Refused where a secret stands in it."""
    if label(text) != text:
        raise Refused("What you typed there looks like a secret, and it would be kept; nothing was changed")


def hides(value: Json) -> bool:
    """Whether a secret was masked somewhere in the value."""
    return any(PLACEHOLDER.search(text) for text in texts(value))


def texts(value: Json) -> Iterator[str]:
    """Every string in a value, keys included; a loop over a stack, because a result may be nested deeper than calls can be."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple):
            waiting += one


def renumbered(example: Example) -> Example:
    """The example with its placeholders numbered from 1 by first appearance, so that the same place has the same one in every example."""
    names: dict[str, str] = {}

    def fresh(found: re.Match[str]) -> str:
        kind = _KIND.fullmatch(found.group())
        return names.setdefault(found.group(), f"KATASECRET_{kind[1] if kind else SECRET}_{len(names) + 1}")

    def told(value: Json) -> Json:
        if isinstance(value, str):
            return PLACEHOLDER.sub(fresh, value)
        if isinstance(value, Mapping):
            return {told(key): told(item) for key, item in value.items()}
        return [told(item) for item in value] if isinstance(value, list | tuple) else value

    events = []
    for event in example.events:
        if hides([dict(event.call.arguments), event.outcome.result]):
            call = Call(event.call.tool, told(event.call.arguments))
            event = replace(event, call=call, outcome=replace(event.outcome, result=told(event.outcome.result)))
        events.append(event)
    return replace(example, events=tuple(events))


def split(text: str) -> list[str]:
    """The text in pieces: plain ones, possibly empty, and between them placeholders."""
    return re.split(f"({PLACEHOLDER.pattern})", text)


def name(placeholder: str) -> str:
    """What an input for it is called where its place suggests nothing."""
    kind = _KIND.fullmatch(placeholder)
    return kind[1] if kind and kind[1] in _SPEAKING else f"{kind[1]}_{SECRET}" if kind else SECRET


# ── Runs ─────────────────────────────────────────────────────────────────────────────────────────


def fields(spec: Spec) -> tuple[InputField, ...]:
    """The inputs that are secrets."""
    return tuple(one for one in spec.inputs if one.type == SECRET)


def filled(kata: Kata, given: Mapping[str, Json], bound: Mapping[str, str], read: Callable[[str], str | None]) -> dict[str, Json]:
    """The arguments with what the variables hold that a person named for secret inputs (`bound`: input → variable), where the caller gives
    nothing; InputError names a variable that is not set."""
    wanted = {one.name: bound[one.name] for one in fields(kata.version.spec) if one.name in bound and one.name not in given}
    found = {field: read(variable) for field, variable in wanted.items()}
    if missing := [f"${wanted[field]} for {field!r}" for field, value in found.items() if not value]:
        raise InputError(f"Expected in the environment of this process {', '.join(missing)}, got nothing")
    return {**given, **found}
