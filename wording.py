"""Says steps, calls and values in one line each, as a person reads them; nothing in it can act on a terminal. A module of its own, because
pages, questions and masks all need the same words."""

from __future__ import annotations

import re
from collections.abc import Mapping

from . import surroundings, templating
from .model import (
    SHELL_TOOLS,
    Ambient,
    Array,
    Call,
    Command,
    Concat,
    Expression,
    Hole,
    Input,
    Json,
    Literal,
    Object,
    Option,
    Reference,
    Step,
)

WHOLE = 4_000


def does(step: Step) -> str:
    """The class of a step in words."""
    return step.effect.kind.value + (", destructive" if step.effect.destructive else "")


def brief(call: Call, most: int = 160) -> str:
    """A call as one line: the command of a shell tool, else tool and arguments, at most `most` characters."""
    code = call.arguments.get(SHELL_TOOLS.get(call.tool, ""))
    pairs = ", ".join(f"{key}={templating.as_shown(value)}" for key, value in call.arguments.items())
    line = visible(code if isinstance(code, str) else f"{call.tool} {pairs}")
    return line if len(line) <= most else line[: most - 1] + "…"


def visible(text: str) -> str:
    """Observed text as one printable line: a line break separates commands, so it is shown; nothing acts on a terminal (B46, W10)."""
    line = re.sub(r"(?:\s*\n)+\s*", " ⏎ ", text.strip()).replace("\t", " ")
    return "".join(character if character.isprintable() else "�" for character in line)


def templated(step: Step, given: Mapping[str, Json] | None = None) -> str:
    """A step as one line with its holes: `git checkout ‹branch›`, `read_file path=‹step 2 · files.0›`; inputs that are given
    are filled in."""
    code = SHELL_TOOLS.get(step.tool)
    pairs = dict(step.arguments.fields)
    others = ", ".join(f"{key}={origin(value, given)}" for key, value in pairs.items() if key != code)
    if code not in pairs:
        return visible(f"{step.tool} {others}")
    return visible(origin(pairs[code], given) + (f" [{others}]" if others else ""))


def origin(expression: Expression, given: Mapping[str, Json] | None = None) -> str:
    """Where a value comes from, as a person reads it."""
    match expression:
        case Literal(value):
            return templating.as_shown(value)
        case Input(name):
            return templating.as_shown(given[name]) if given and name in given else f"‹{name}›"
        case Ambient():
            return f"‹{surroundings.said(expression)}›"
        case Reference(step, path):
            return f"‹step {step + 1} · {templating.dotted(path)}›"
        case Concat(parts):
            return "".join(origin(part, given) for part in parts)
        case Command(pieces):
            return "".join(_piece(piece, given) for piece in pieces)
        case Object(pairs):
            return "{" + ", ".join(f"{key}: {origin(value, given)}" for key, value in pairs) + "}"
        case Array(items):
            return "[" + ", ".join(origin(item, given) for item in items) + "]"


def _piece(piece: str | Option | Hole, given: Mapping[str, Json] | None) -> str:
    """A piece of a command; an option that is there or not stands in brackets until that is known."""
    if isinstance(piece, str):
        return piece
    if isinstance(piece, Hole):
        return origin(piece.value, given)
    known = given.get(piece.value.name) if given else None
    return "" if known is False else piece.text if known else f" [{piece.text.strip()}]"
