"""Says what a routine finds in place when it begins: the programs that its commands call, and the files and folders that it only looks at
before anything acts; it looks nowhere and runs nothing. A module of its own, because whether these are there is asked of the world, and the
world stands at the edge."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from . import shell
from .model import SHELL_TOOLS, Command, Example, Json, Literal, OpaqueCommand, Spec, Step

BUILT_IN = frozenset(
    ". : [ alias bg bind break builtin caller cd command compgen complete continue declare dirs disown echo enable eval exec exit export "
    "false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set "
    "shift shopt source suspend test time times trap true type typeset ulimit umask unalias unset wait".split()
)
"""What bash does itself: no file of that name has to be anywhere."""
READERS = frozenset("cat head tail wc ls stat file nl tac du md5sum sha1sum sha256sum cd".split())
"""Programs all of whose plain words are files or folders that have to be there."""
LOOKS = ("read_file", "search_files", "list_files", "patch")
"""Tools whose `path` has to be there."""
NAME = re.compile(r"[A-Za-z0-9_.+-]{1,60}")


def programs(spec: Spec, before: int = 0) -> tuple[tuple[int, str], ...]:
    """Step (from 1) and name of every program that is called whatever the values are, each program once; a path to one is none. What only
    the first steps call, so many as `before` says, is left out."""
    found: dict[str, int] = {}
    for number, step in enumerate(spec.steps, 1):
        for name in _called(step) if number > before else ():
            found.setdefault(name, number)
    return tuple((number, name) for name, number in found.items())


def _called(step: Step) -> Iterator[str]:
    for words, alone in _commands(step):
        if alone and words and words[0] and NAME.fullmatch(words[0]) and words[0] not in BUILT_IN:
            yield words[0]


def _commands(step: Step) -> Iterator[tuple[tuple[str | None, ...], bool]]:
    """The simple commands of a step at the top of its line, with whether each is called whatever came before; a value is None."""
    code = dict(step.arguments.fields).get("command") if step.tool in SHELL_TOOLS else None
    text = _text(code)
    if text is None:
        return
    try:
        script = shell.parse(text)
    except OpaqueCommand:
        return
    for at, node in enumerate(script.nodes()):
        if not isinstance(node, shell.Simple):
            return  # what stands in or after a loop, a branch or a function may never be called
        yield tuple(None if one is None or HOLE in one else one for one in shell.arguments(node)), at == 0 or "||" not in text


HOLE = "KATAHOLE"


def _text(code: object) -> str | None:
    """A command with a word in the place of every value; None where it is no fixed command."""
    match code:
        case Literal(str() as text):
            return text
        case Command(pieces):
            return "".join(piece if isinstance(piece, str) else HOLE for piece in pieces)
    return None


def paths(spec: Spec, exhibits: Sequence[Example], before: int = 0) -> tuple[tuple[int, str], ...]:
    """Step (from 1) and path of everything that is looked at before anything acts, and was there in every example: each of them looked at
    it, and was answered. What only the first steps look at, so many as `before` says, is left out."""
    found: dict[str, int] = {}
    moved = False
    for number, step in enumerate(spec.steps, 1):
        if not step.effect.plain_read and step.tool != "patch":
            break
        for path in _looked(step):
            if number > before and (path.startswith("/") or not moved):
                found.setdefault(path, number)
        moved = moved or any(words[:1] in (("cd",), ("pushd",)) for words, _ in _commands(step))
        if not step.effect.plain_read:
            break
    return tuple((number, path) for path, number in found.items()) if len(exhibits) > 1 else ()


def _looked(step: Step) -> Iterator[str]:
    fields = dict(step.arguments.fields)
    path = fields.get("path")
    if step.tool in LOOKS and isinstance(path, Literal) and _plain(path.value):
        yield str(path.value)
    if "workdir" in fields or step.tool not in SHELL_TOOLS:
        return
    for words, _ in list(_commands(step))[:1]:
        if words and words[0] in READERS:
            yield from _operands(words[1:])


def _operands(words: Sequence[str | None]) -> Iterator[str]:
    """The plain words that no option could have for its value."""
    before: str | None = ""
    for word in words:
        if word is not None and before is not None and not before.startswith("-") and _plain(word):
            yield word
        before = word


def _plain(value: Json) -> bool:
    """Whether a text is one path as it stands, that nothing expands, and that says more than "here"."""
    fixed = isinstance(value, str) and bool(re.fullmatch(r"(?!-)[^\0\n*?\[\]{}$`~|<>;&]{1,300}", value))
    return fixed and posixpath.normpath(str(value)) not in (".", "..", "/")
