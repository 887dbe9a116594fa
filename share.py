"""Puts a kata into a text that another person can read, and takes one out of such a text: JSON with a digest, a skill, a shell script; it
names what is personal before anything leaves, believes nothing of what comes in, and reads and writes no file. A module of its own, because
what leaves a machine is nobody else's business."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

from . import checks
from .model import (
    SHELL_TOOLS,
    Command,
    Example,
    Expression,
    Fit,
    Hole,
    Input,
    InputField,
    Json,
    Kata,
    Literal,
    Option,
    Proposal,
    Refused,
    Spec,
    SpecError,
    canonical,
)
from .redact import Masker
from .rows import read_exhibit
from .secrecy import SECRET, label, texts
from .speech import BLOCKED, instructs
from .wording import templated, visible

FORMAT = 1
FORMATS = ("json", "skill", "shell")
MOST = 1_000_000
"""Characters of a text that is taken in."""
DEEPEST = 60
"""How deep the values in such a text may be nested."""
PERSONAL = (
    ("folder", re.compile(r"(?:/home/|/Users/|/root(?=/|\b)|[A-Z]:\\Users\\)[\w.-]*")),
    ("address", re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)*")),
    ("host", re.compile(r"(?<=://)[\w.-]+(?::\d+)?|\b(?:\d{1,3}\.){3}\d{1,3}\b")),
)
"""What tells of a person or of a place, by kind."""


# ── What is personal ─────────────────────────────────────────────────────────────────────────────


def personal(value: Json, names: Sequence[str] = ()) -> dict[str, str]:
    """What in a value tells of a person or of a place, each with its kind; `names` are those of the owner and of this machine."""
    found: dict[str, str] = {}
    for text in texts(value):
        for kind, pattern in PERSONAL:
            found |= dict.fromkeys(pattern.findall(text), kind)
        found |= {name: "name" for name in names if len(name) > 2 and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text)}
    return dict(sorted(found.items()))


# ── Out ──────────────────────────────────────────────────────────────────────────────────────────


def exported(kata: Kata, form: str) -> str:
    """The kata as text in one of `FORMATS`; Refused where it has no such form."""
    forms = {"json": as_json, "skill": as_skill, "shell": as_shell}
    if form not in forms:
        raise Refused(f"Expected a format of {', '.join(FORMATS)}, got {form[:40]!r}")
    return forms[form](kata)


def filename(kata: Kata, form: str) -> str:
    """Where the text of that form stands: a file, or the file in the folder that a skill is; agents want small letters, digits and single
    dashes in the name of that folder, and the same name in the file."""
    if form == "skill":
        return f"{re.sub('-+', '-', (kata.name or f'kata-{kata.id}').replace('_', '-')).strip('-')}/SKILL.md"
    return f"{kata.tool or f'kata_{kata.id}'}.{'sh' if form == 'shell' else 'json'}"


def as_json(kata: Kata) -> str:
    """The spec and one example, without when and in which conversation it was, under a digest of both."""
    if not kata.version.exhibits:
        raise Refused(f"Kata {kata.id} has no example any more, and without one nobody can check it")
    told = {"kata": FORMAT, "name": kata.name, "spec": kata.version.spec.to_json(), "example": _bare(kata.version.exhibits[0])}
    return json.dumps({**told, "digest": _digest(told)}, indent=1, ensure_ascii=False)


def _bare(one: Example) -> Json:
    events = tuple(
        replace(event, turn="example", call_id=str(at), request="", started=float(at), ended=float(at + 1), folder="", around={})
        for at, event in enumerate(one.events)
    )
    return json.loads(canonical(asdict(Example("example", "example", events))))


def _digest(told: Mapping[str, Json]) -> str:
    return hashlib.sha256(canonical(dict(told)).encode("utf-8", "surrogatepass")).hexdigest()


def as_skill(kata: Kata) -> str:
    """A SKILL.md that any agent can follow: what it is for, what to ask, and the calls in their order."""
    spec = kata.version.spec
    name = filename(kata, "skill").partition("/")[0]
    about = visible(spec.help) or f"{name.replace('-', ' ').capitalize()}: {', '.join(one.name for one in spec.inputs) or 'no inputs'}"
    inputs = [f"- `{one.name}` ({one.type or 'any'}){_otherwise(one)} {one.description}".rstrip() for one in spec.inputs]
    steps = [f"{number}. `{templated(step)}` ({step.effect.kind.value})" for number, step in enumerate(spec.steps, 1)]
    head = ["---", f"name: {name}", f"description: {json.dumps(about, ensure_ascii=False)}", "---", "", f"# {about}", ""]
    rule = "Do these in order, and stop at the first that fails. `‹x›` stands for an input or for a value of an earlier step."
    rules = ["## Steps", "", rule]
    return "\n".join([*head, "## Inputs", "", *(inputs or ["None."]), "", *rules, "", *steps, ""])


def _otherwise(one: InputField) -> str:
    return "" if one.default is None else f", else {json.dumps(one.default, ensure_ascii=False)}."


def as_shell(kata: Kata) -> str:
    """A shell script that stops at the first failure; Refused unless every step is a command whose values are inputs."""
    spec = kata.version.spec
    odd = next((one.name for one in spec.inputs if not _VARIABLE.fullmatch(one.name)), None)
    if odd is not None:
        raise Refused(f"The input {odd[:40]!r} can be no variable of a script; 'edit' gives it another name")
    lines = [_line(number, step.tool, dict(step.arguments.fields)) for number, step in enumerate(spec.steps, 1)]
    given = [_given(place, one) for place, one in enumerate(spec.inputs, 1)]
    head = ["#!/usr/bin/env bash", f"# {visible(spec.help) or kata.name.replace('_', ' ') or 'A routine'}", "set -euo pipefail"]
    return "\n".join([*head, *given, "", *lines, ""])


_VARIABLE = re.compile(r"[a-z][A-Za-z0-9_]{0,60}", re.ASCII)
"""A name that no program and no shell acts on, and that is no code where it stands in a script."""


def _given(place: int, one: InputField) -> str:
    if one.default is None:
        return f'{one.name}="${{{place}:?{one.name} is missing}}"'
    default = "" if one.default is False else str(one.default)
    return f"{one.name}=${{{place}:-{shlex.quote(default)}}}" if default else f'{one.name}="${{{place}:-}}"'


def _line(number: int, tool: str, arguments: Mapping[str, Expression]) -> str:
    code = arguments.get(SHELL_TOOLS.get(tool, ""))
    if isinstance(code, Literal) and isinstance(code.value, str):
        return code.value
    if not isinstance(code, Command):
        raise Refused(f"Step {number} ({tool}) is no command, so there is no shell script of it; 'skill' tells it in words")
    return "".join(_piece(number, piece) for piece in code.parts)


def _piece(number: int, piece: str | Option | Hole) -> str:
    if isinstance(piece, str):
        return piece
    if isinstance(piece, Option):
        return f"${{{piece.value.name}:+{piece.text}}}"
    if not isinstance(piece.value, Input):
        raise Refused(f"Step {number} takes a value out of an earlier answer, which a plain script cannot; 'skill' tells it in words")
    quoted = {"bare": '"${%s}"', "double": "${%s}", "single": "'\"${%s}\"'"}
    return quoted[piece.place] % piece.value.name


# ── In ───────────────────────────────────────────────────────────────────────────────────────────


def imported(text: str, bound: Mapping[str, str], names: Sequence[str] = ()) -> tuple[Proposal, str]:
    """What such a text holds, and the name that it had there. SpecError when it is not whole or was changed; Refused, with what is to be
    bound, while something in it tells of another person or place: `bound` says what each is here (itself, where it stays)."""
    told = _read(text)
    waiting = [f"{one} ({kind})" for one, kind in personal([told["spec"], told["example"]], names).items() if one not in bound]
    if waiting:
        raise Refused(f"It holds what belongs to another person or place: {', '.join(waiting)}. Say what each is here: --bind OLD=NEW")
    spec, example = (_replaced(told[part], bound) for part in ("spec", "example"))
    if any(label(text) != text for text in texts([spec, example])) or Masker().value(example) != example:
        raise Refused("It holds a secret, which nobody should have sent; nothing was imported. Whoever made it exports it anew, without")
    try:
        read = Spec.from_json(spec)
        exhibit = read_exhibit(example)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise SpecError(f"Expected a whole kata, got one in which something is missing ({error})") from error
    return Proposal(_plain(read), "", Fit(1, 1, 1, 0.0, 1), (exhibit,)), str(told.get("name") or "")


_NAME = re.compile(r"[a-z][a-z0-9_]{0,60}", re.ASCII)
_TYPES = frozenset(("", "string", "integer", "number", "boolean", "array", "object", SECRET))


def _plain(spec: Spec) -> Spec:
    """The spec with nothing in it that speaks to a model: names and types as they would have been found here, and in the place of a text
    that instructs a mark; SpecError where a name or a type is none."""
    names = [one.name for one in spec.inputs]
    odd = next((repr(name)[:60] for name in names if not _NAME.fullmatch(name) or instructs(name)), None)
    odd = odd or next((f"{name!r} twice" for name in names if names.count(name) > 1), None)
    odd = odd or next((f"the type {one.type[:40]!r}" for one in spec.inputs if one.type not in _TYPES), None)
    traits = [one for step in spec.steps for one in step.traits]
    if not all(map(checks.sound, traits)) or any(map(instructs, texts([one.to_json() for one in traits]))):
        raise SpecError("Expected checks of answers as Kata makes them, got others")
    if odd:
        raise SpecError(f"Expected inputs named by small letters, digits and _, each once and of a type of JSON, got {odd}")
    inputs = tuple(replace(one, description=_calm(one.description)) for one in spec.inputs)
    return replace(spec, inputs=inputs, help=_calm(spec.help))


def _calm(text: str) -> str:
    return BLOCKED if instructs(text) else text


def _read(text: str) -> Mapping[str, Json]:
    if len(text) > MOST:
        raise SpecError(f"Expected at most {MOST:,} characters, got {len(text):,}")
    try:
        told = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SpecError(f"Expected an exported kata, got something that is no JSON ({str(error)[:80]})") from error
    if not isinstance(told, dict) or told.get("kata") != FORMAT or not {"spec", "example", "digest"} <= set(told):
        raise SpecError(f"Expected a kata of format {FORMAT}, got something else")
    if _deep(told):
        raise SpecError(f"Expected values nested at most {DEEPEST} deep, got deeper ones")
    if told.pop("digest") != _digest(told):
        raise SpecError("Expected the text as it was exported; its digest does not fit, so it was changed on its way")
    return told


def _deep(value: Json) -> bool:
    """Whether something in a value lies deeper than anything that is learnt."""
    level = [value]
    for _ in range(DEEPEST):
        level = [inner for one in level if isinstance(one, Mapping | list) for inner in (one.values() if isinstance(one, Mapping) else one)]
    return bool(level)


def _replaced(value: Json, bound: Mapping[str, str]) -> Json:
    """The value with every bound text, longest first, in the place of the other."""
    if isinstance(value, str):
        for old in sorted(bound, key=len, reverse=True):
            value = value.replace(old, bound[old])
        return value
    if isinstance(value, Mapping):
        return {key: _replaced(inner, bound) for key, inner in value.items()}
    return [_replaced(inner, bound) for inner in value] if isinstance(value, list) else value
