"""Names what the calls of a run do unlike every example: paths that lead elsewhere, values with signs that none had; it decides nothing and
calls nothing. A module of its own, because the question, the answer and the decision to ask all need the same notes."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from . import shell, templating
from .looks import PLACEHOLDER
from .model import SHELL_TOOLS, Call, Example, Json, Kata, KataError, OpaqueCommand, Spec
from .wording import visible

ORDINARY = frozenset("-_./")
"""Signs in names and paths, which say nothing."""
TELLING = 3
"""From so many different values on, a sign that none of them has is worth a word."""
LONG = 200
"""A longer text is prose, in which any sign may stand."""
SHOWN = 40
"""Characters of a value in a note."""

Spot = tuple[str, int, int]
"""Where a value stands in a call: the argument, the command in it, the word."""


@dataclass(frozen=True, slots=True)
class Note:
    """One thing that is unlike the examples: the step (from 0), what, and whether a path leads out of where they were."""

    step: int
    what: str
    astray: bool = False

    def __str__(self) -> str:
        return f"step {self.step + 1}: {self.what}"


def notes(exhibits: Sequence[Example], calls: Iterable[tuple[int, Call]], folder: str = "") -> tuple[Note, ...]:
    """What the calls, each with the index of its step, do unlike all exhibits; `folder` is where the run is. Nothing is said of a place
    where an exhibit has a secret."""
    found: list[Note] = []
    for index, call in calls:
        seen = _seen(exhibits, index)
        for spot, text in _spots(call):
            values = seen.get(spot) or ({value for several in seen.values() for value in several} if spot[2] else set())
            if text in values or not values or any(PLACEHOLDER.search(value) for value in (text, *values)):
                continue
            note = _note(index, text, values, _roots(exhibits, folder), folder)
            found += [note] if note is not None else []
    return tuple(found)


def once(found: Iterable[Note]) -> tuple[Note, ...]:
    """The notes that say something new, each with the first step of which it is true."""
    return tuple({note.what: note for note in reversed([*found])}.values())[::-1]


def foreseen(spec: Spec, given: Mapping[str, Json]) -> Iterator[tuple[int, Call]]:
    """The calls of a run as far as they are known before it: the arguments that need no result."""
    for index, step in enumerate(spec.steps):
        arguments = {}
        for key, value in step.arguments.fields:
            with suppress(KataError):
                arguments[key] = templating.render(value, given, ())
        yield index, Call(step.tool, arguments)


def astray(kata: Kata, given: Mapping[str, Json], folder: str) -> bool:
    """Whether a step that changes something is given a path that leads out of where the examples were (T37); False where nobody knows where
    that was."""
    if not any(one.events and one.events[0].folder for one in kata.version.exhibits):
        return False
    found = notes(kata.version.exhibits, foreseen(kata.version.spec, given), folder)
    return any(note.astray and not kata.version.spec.steps[note.step].effect.plain_read for note in found)


def _seen(exhibits: Sequence[Example], index: int) -> dict[Spot, set[str]]:
    """What stood in each place of a step in the exhibits."""
    seen: dict[Spot, set[str]] = {}
    for one in exhibits:
        for spot, text in _spots(one.calls[index]) if index < len(one.calls) else ():
            seen.setdefault(spot, set()).add(text)
    return seen


def _spots(call: Call) -> Iterator[tuple[Spot, str]]:
    """Every text in a call with its place; a command word by word, the targets of redirections behind the words."""
    code = SHELL_TOOLS.get(call.tool, "")
    for key, value in call.arguments.items():
        if key == code and isinstance(value, str):
            yield from _words(key, value)
        elif isinstance(value, str):
            yield (key, 0, 0), value


def _words(key: str, code: str) -> Iterator[tuple[Spot, str]]:
    try:
        commands = [*shell.parse(code).commands()]
    except OpaqueCommand:
        return
    for number, command in enumerate(commands):
        words = [word.value for word in (*command.words, *(redirect.target for redirect in command.redirects))]
        yield from (((key, number, at), word) for at, word in enumerate(words) if word is not None)


def _note(index: int, text: str, seen: set[str], roots: frozenset[str], folder: str) -> Note | None:
    shown = visible(text if len(text) <= SHOWN else text[: SHOWN - 1] + "…")
    path = text.split("=", 1)[1] if text.startswith("-") and "=" in text else text
    where = _astray(path, seen, roots, folder)
    if where:
        return Note(index, f"{shown} is outside {visible(where)}, where the examples were", astray=True)
    most = max(map(len, seen))
    if len(seen) < TELLING or most > LONG:
        return None
    new = sorted(_signs(text) - {sign for value in seen for sign in _signs(value)})
    if new:
        return Note(index, f"{shown} has {' '.join(dict.fromkeys(map(_called, new)))}, which no example had")
    return Note(index, f"{shown} is far longer than in any example") if len(text) > 4 * most + 40 else None


def _signs(text: str) -> set[str]:
    """The signs that a value has beside plain letters and digits."""
    return {"letters beyond A to Z" if sign.isalnum() else sign for sign in text if not (sign.isascii() and sign.isalnum())} - ORDINARY


def _called(sign: str) -> str:
    return "blanks" if sign == " " else "control characters" if len(sign) == 1 and not sign.isprintable() else sign


# ── Paths ────────────────────────────────────────────────────────────────────────────────────────


def _roots(exhibits: Sequence[Example], folder: str) -> frozenset[str]:
    """The folders in which the examples ran, and that of the run; empty where nobody knows."""
    return frozenset({one.events[0].folder for one in exhibits if one.events} - {""} | ({folder} - {""}))


def _astray(path: str, seen: set[str], roots: frozenset[str], folder: str) -> str:
    """The folder that a path leads out of; empty where it does not, or is no path."""
    if "://" in path or "\n" in path or not (path.startswith(("/", "~")) or ".." in path.split("/")):
        return ""
    whole = _whole(path, folder)
    ways = [_whole(one, folder) for one in seen if one.startswith(("/", "~")) or "/" in one or ".." in one.split("/")]
    common = _common([posixpath.dirname(one) for one in ways])
    if any(_below(whole, root) for root in (*roots, common) if root):
        return ""
    return common or min(roots, default="the folder")


def _whole(path: str, folder: str) -> str:
    """A path from the folder, without detours; `..` in front stays where the folder is not known."""
    return posixpath.normpath(path if path.startswith(("/", "~")) else posixpath.join(folder, path))


def _below(path: str, root: str) -> bool:
    root = posixpath.normpath(root)
    return path == root or path.startswith(root.rstrip("/") + "/")


def _common(folders: Sequence[str]) -> str:
    """The deepest folder that holds all of them; empty when there is none."""
    if not folders:
        return ""
    rows = [folder.split("/") for folder in folders]
    shared = []
    for parts in zip(*rows, strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return "/".join(shared) or ("/" if all(folder.startswith("/") for folder in folders) else "")
