"""What a shell command is made of once it is read: words, simple commands, pipelines, loops and branches, each with the place where it
stands; it never reads text and never judges. A module of its own, because the readers of words and of commands both build from it and
everyone else walks it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a word: `kind` is "text", "variable" (also `${x:-y}`), "substitution" (`$(…)` and back-quotes), "process" (`<(…)`),
    "arithmetic", "braces" or "array"; `quote` is "", "'", '"', "$'" or a backslash."""

    kind: str
    quote: str
    start: int
    end: int
    value: str
    """Text as the program will receive it; for the other kinds the source."""
    inner: Script | None = None
    """What runs in a substitution."""
    parts: tuple[Piece, ...] = ()
    """What is expanded inside a piece of another kind, as in `${x:-$(y)}`."""


@dataclass(frozen=True, slots=True)
class Word:
    """One argument as written; `pieces` in order."""

    pieces: tuple[Piece, ...]
    start: int
    end: int

    @property
    def value(self) -> str | None:
        """The argument as the program receives it; None when it depends on a variable or another command, or may be several."""
        return "".join(piece.value for piece in self.pieces) if self.fixed else None

    @property
    def fixed(self) -> bool:
        return all(piece.kind == "text" for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Redirect:
    """`fd operator target`; for a here-document `body` holds its text and `parts` what is expanded in it."""

    descriptor: str
    operator: str
    target: Word
    body: str | None = None
    parts: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True)
class Simple:
    """A simple command: assignments (a name that ends with `+` is added to), words (the first is the program), redirections."""

    assignments: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]


@dataclass(frozen=True, slots=True)
class Compound:
    """Commands inside a command. `kind` is the word that opens it: `(`, `{`, `if`, `while`, `until`, `for`, `select`, `case`, `((`, `[[`,
    `function` or `coproc`; `name` that of the loop's variable or of the function."""

    kind: str
    name: str
    marks: tuple[str, ...]
    """The words and signs between its parts, in order; `w` for each word of `words` where they could be told apart in no other way."""
    words: tuple[Word, ...]
    scripts: tuple[Script, ...]
    redirects: tuple[Redirect, ...] = ()


Node = Simple | Compound


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands joined by `pipes`, `|` or `|&`; `prefix` is `!`, `time`, `-p` as they stand before it."""

    commands: tuple[Node, ...]
    pipes: tuple[str, ...] = ()
    prefix: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Script:
    """Pipelines with the operator after each: `&&`, `||`, `;`, `&`, a newline, and "" after the last."""

    text: str
    pipelines: tuple[Pipeline, ...]
    operators: tuple[str, ...]

    def __hash__(self) -> int:
        """That of the text: the whole tree need not be walked to find that it is the same."""
        return hash(self.text)

    def nodes(self) -> Iterator[Node]:
        """Every command, simple or not, in source order, those inside another after it."""
        for pipeline in self.pipelines:
            for command in pipeline.commands:
                yield command
                for script in inside(command):
                    yield from script.nodes()

    def commands(self) -> Iterator[Simple]:
        """Every simple command in source order, those inside `$(…)` after the command that holds them."""
        return (node for node in self.nodes() if isinstance(node, Simple))


def inside(node: Node) -> Iterator[Script]:
    """The scripts inside a command, in its words, as its body and in its here-documents; not those inside of these again."""
    for piece in pieces_of(node, bodies=False):
        if piece.inner is not None:
            yield piece.inner
    if isinstance(node, Compound):
        yield from node.scripts
    for redirect in node.redirects:
        yield from (piece.inner for piece in _deep(redirect.parts) if piece.inner is not None)


def pieces_of(node: Node, bodies: bool = True) -> Iterator[Piece]:
    """Every piece of a command's words and here-documents, those inside another piece after it; not those of scripts inside."""
    for word in words_of(node):
        yield from _deep(word.pieces)
    for redirect in node.redirects if bodies else ():
        yield from _deep(redirect.parts)


def _deep(pieces: Iterable[Piece]) -> Iterator[Piece]:
    for piece in pieces:
        yield piece
        yield from _deep(piece.parts)


def words_of(node: Node) -> Iterator[Word]:
    """Every word of a command: values of assignments, arguments or what a loop goes over, targets of redirections."""
    if isinstance(node, Simple):
        yield from (word for _, word in node.assignments)
    yield from node.words
    yield from (redirect.target for redirect in node.redirects)
