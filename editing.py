"""Changes a spec as a person asks in a few words: what an input is called, what it says, its default and choices, a step less; it keeps the
examples in step with it, and refuses what would leave a value without its source. A module of its own, because what is learnt is made
elsewhere and never by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from .model import (
    Array,
    Command,
    Concat,
    Example,
    Expression,
    Hole,
    Input,
    InputField,
    Json,
    Object,
    Option,
    Pick,
    Reference,
    Refused,
    Spec,
    Usage,
    walk,
)
from .wording import visible

NAME = re.compile(r"[a-z][a-z0-9_]{0,30}")
HELP = 200
"""Characters of a text that explains."""
WAYS = "help TEXT · input NAME name|help|default|choices VALUE · drop STEP"
NONE = "none"
Evidence = tuple[Spec, tuple[Example, ...]]
Leaf = Callable[[Input | Reference], Expression]


def edited(spec: Spec, exhibits: Sequence[Example], words: Sequence[str]) -> Evidence:
    """The spec and its examples after one change; Usage where the words are not understood, Refused where the change cannot be."""
    match [words[0].lower(), *words[1:]]:
        case ["help", *text] if text:
            return replace(spec, help=_said(" ".join(text))), tuple(exhibits)
        case ["input", name, what, *value] if value:
            return _input(spec, name, what.lower(), " ".join(value)), tuple(exhibits)
        case ["drop", number] if re.fullmatch(r"[0-9]{1,3}", number, re.ASCII):
            return _dropped(spec, exhibits, int(number))
    raise Usage(f"Expected one of: {WAYS}; got {' '.join(words)[:60]!r}")


def _said(text: str) -> str:
    """What a person said, on one line, nothing in it that acts on a terminal."""
    return "" if text.lower() == NONE else visible(text)[:HELP]


# ── Inputs ───────────────────────────────────────────────────────────────────────────────────────


def _input(spec: Spec, name: str, what: str, value: str) -> Spec:
    one = next((field for field in spec.inputs if field.name == name), None)
    if one is None:
        raise Refused(f"There is no input {name[:40]!r}; it has {', '.join(field.name for field in spec.inputs) or 'none'}")
    if what == "name":
        return _renamed(spec, name, value)
    if what == "help":
        return _with(spec, replace(one, description=_said(value)))
    if what == "default":
        return _with(spec, replace(one, default=None if value == NONE else _read(one, value)))
    if what == "choices":
        found = [] if value == NONE else [part.strip() for part in value.split(",")]
        return _with(spec, replace(one, choices=tuple(_read(one, part) for part in found)))
    raise Usage(f"Expected name, help, default or choices of an input, got {what[:40]!r}")


def _with(spec: Spec, changed: InputField) -> Spec:
    return replace(spec, inputs=tuple(changed if one.name == changed.name else one for one in spec.inputs))


def _renamed(spec: Spec, old: str, new: str) -> Spec:
    if not NAME.fullmatch(new):
        raise Refused(f"Expected a name of small letters, digits and _ that begins with a letter, got {new[:40]!r}")
    if any(one.name == new for one in spec.inputs):
        raise Refused(f"There is an input {new!r} already")

    def leaf(one: Input | Reference) -> Expression:
        return Input(new) if one == Input(old) else one

    inputs = tuple(replace(one, name=new) if one.name == old else one for one in spec.inputs)
    return replace(_rewritten(spec, leaf), inputs=inputs)


def _read(one: InputField, value: str) -> Json:
    """A typed value as the type of its input; Refused where it is none."""
    if one.type in ("", "string"):
        return value
    kinds: dict[str, tuple[type, ...]] = {
        "integer": (int,),
        "number": (int, float),
        "boolean": (bool,),
        "array": (list,),
        "object": (dict,),
    }
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, kinds.get(one.type, ())) or isinstance(found, bool) and one.type != "boolean":
        raise Refused(f"Expected a value of type {one.type} for {one.name!r}, got {value[:40]!r}")
    return found


# ── Steps ────────────────────────────────────────────────────────────────────────────────────────


def _dropped(spec: Spec, exhibits: Sequence[Example], number: int) -> Evidence:
    """Without one step; its examples without its call, and without the inputs that only it used."""
    at = number - 1
    if not 0 <= at < len(spec.steps):
        raise Refused(f"There is no step {number}; it has {len(spec.steps)}")
    if len(spec.steps) < 3:
        raise Refused("A kata has two steps at least; 'reject' or 'disable' takes it away as a whole")
    needing = [place for place, step in enumerate(spec.steps, 1) if place != number and _needs(step.arguments, at)]
    if needing:
        raise Refused(f"Step {needing[0]} needs a value that step {number} gives; drop that one first")

    def leaf(one: Input | Reference) -> Expression:
        return replace(one, step=one.step - 1) if isinstance(one, Reference) and one.step > at else one

    left = replace(spec, steps=(*spec.steps[:at], *spec.steps[at + 1 :]))
    used = {inner.name for step in left.steps for inner in walk(step.arguments) if isinstance(inner, Input)}
    inputs = tuple(one for one in spec.inputs if one.name in used)
    return replace(_rewritten(left, leaf), inputs=inputs), tuple(_without(one, at, len(spec.steps)) for one in exhibits)


def _needs(arguments: Object, at: int) -> bool:
    return any(isinstance(inner, Reference) and inner.step == at for inner in walk(arguments))


def _without(one: Example, at: int, steps: int) -> Example:
    """The example without that call; the numbers of the others stay, which nothing counts."""
    return replace(one, events=(*one.events[:at], *one.events[at + 1 :])) if len(one.events) == steps else one


# ── Expressions anew ─────────────────────────────────────────────────────────────────────────────


def _rewritten(spec: Spec, leaf: Leaf) -> Spec:
    """The spec with every input and reference in its steps put through `leaf`."""
    return replace(spec, steps=tuple(replace(step, arguments=_object(step.arguments, leaf)) for step in spec.steps))


def _object(arguments: Object, leaf: Leaf) -> Object:
    return Object(tuple((key, _anew(value, leaf)) for key, value in arguments.fields))


def _anew(expression: Expression, leaf: Leaf) -> Expression:
    match expression:
        case Input():
            return leaf(expression)
        case Reference(step, path):
            picks = (replace(part, value=_anew(part.value, leaf)) if isinstance(part, Pick) and part.value else part for part in path)
            return leaf(Reference(step, tuple(picks)))
        case Concat(parts):
            return Concat(tuple(_anew(part, leaf) for part in parts))
        case Command(pieces):
            return Command(tuple(_piece(piece, leaf) for piece in pieces))
        case Object():
            return _object(expression, leaf)
        case Array(items):
            return Array(tuple(_anew(item, leaf) for item in items))
    return expression


def _piece(piece: str | Option | Hole, leaf: Leaf) -> str | Option | Hole:
    if isinstance(piece, str):
        return piece
    value = _anew(piece.value, leaf)
    if isinstance(piece, Option):
        return replace(piece, value=value) if isinstance(value, Input) else piece
    return replace(piece, value=value)
