"""Lays the commands of several examples side by side: columns of words, and the options that some have and some have not; it never renders
and never decides what varies. A module of its own, because learning would otherwise both compare texts and know what commands look like."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter

from . import shell
from .model import Hole, Option, TemplateError

Edit = tuple[int, int, tuple[str | Option | Hole, ...]]
"""What stands between two positions of a text from now on."""


# ── Commands as columns of words ─────────────────────────────────────────────────────────────────


@lru_cache(maxsize=2048)
def shape(script: shell.Script) -> tuple[object, ...]:
    """What must be equal before words are compared one by one."""
    counts = tuple(
        (
            tuple(name for name, _ in command.assignments),
            len(command.words),
            tuple((r.descriptor, r.operator, r.body) for r in command.redirects),
        )
        for command in script.commands()
    )
    return counts, tuple(_frames(script))


def _frames(script: shell.Script) -> Iterator[object]:
    """Operators, pipes, and whatever of loops and branches is no simple command, at any depth."""
    yield script.operators, tuple((len(pipeline.commands), pipeline.pipes, pipeline.prefix) for pipeline in script.pipelines)
    for pipeline in script.pipelines:
        for node in pipeline.commands:
            if isinstance(node, shell.Compound):
                words = tuple(tuple((piece.kind, piece.quote, piece.value) for piece in word.pieces) for word in shell.words_of(node))
                redirects = tuple((r.descriptor, r.operator, r.body) for r in node.redirects)
                yield node.kind, node.name, node.marks, words, redirects, tuple(len(inner.pipelines) for inner in node.scripts)
            for inner in shell.inside(node):
                yield from _frames(inner)


@lru_cache(maxsize=2048)
def columns(script: shell.Script) -> tuple[tuple[shell.Word, tuple[int, str]], ...]:
    """Every word in order, with a hint for the name of what varies in it."""
    return tuple(_columns(script))


def _columns(script: shell.Script) -> Iterator[tuple[shell.Word, tuple[int, str]]]:
    for command in script.commands():
        words = shell.arguments(command)
        head = " ".join(shell.head(words))
        for name, word in command.assignments:
            yield word, (0, name)
        for index, word in enumerate(command.words):
            yield word, _hint(words, index, head)
        for redirect in command.redirects:
            yield redirect.target, (2, "file")


NOUNS: Mapping[str, str] = {
    "git checkout": "branch",
    "git switch": "branch",
    "git branch": "branch",
    "git merge": "branch",
    "git tag": "tag",
    "git show": "commit",
    "git bisect good": "commit",
    "git bisect bad": "commit",
    "git commit": "message",
    "git clone": "url",
    "curl": "url",
    "wget": "url",
    "grep": "pattern",
    "rg": "pattern",
    "cd": "folder",
    "mkdir": "folder",
    "ssh": "host",
    "ping": "host",
    "npm run": "script",
    "docker build": "image",
    "docker tag": "image",
    "docker push": "image",
    "docker logs": "container",
    "kubectl logs": "pod",
    "kubectl describe": "name",
    "systemctl restart": "service",
    "systemctl status": "service",
    "pip install": "package",
    "npm install": "package",
    "pytest": "path",
    "cat": "path",
    "wc": "path",
    "head": "path",
    "tail": "path",
    "ls": "path",
    "touch": "path",
    "gh pr view": "number",
    "gh pr merge": "number",
    "gh issue view": "number",
}
"""What the operand of a command is called; beside it flags and keys give the names."""


LETTERS: Mapping[str, Mapping[str, str]] = {
    "head tail": {"-n": "lines", "-c": "bytes"},
    "git": {"-n": "count", "-m": "message", "-b": "branch", "-c": "branch", "-C": "folder", "-S": "text", "-G": "pattern"},
    "grep rg": {"-A": "after", "-B": "before", "-C": "context", "-m": "count", "-e": "pattern", "-g": "glob", "-t": "type"},
    "curl": {"-o": "output", "-d": "data", "-H": "header", "-X": "method", "-u": "user", "-F": "form", "-m": "seconds"},
    "wget": {"-O": "output", "-P": "folder"},
    "docker podman": {"-t": "tag", "-f": "file", "-p": "port", "-e": "variable", "-v": "volume", "-w": "folder"},
    "kubectl helm": {"-n": "namespace", "-f": "file", "-l": "label", "-c": "container", "-o": "output"},
    "ssh scp": {"-p": "port", "-P": "port", "-i": "key_file", "-l": "user"},
    "make": {"-C": "folder", "-f": "file", "-j": "jobs"},
    "tar": {"-f": "file", "-C": "folder"},
    "pytest": {"-k": "expression", "-m": "marker", "-n": "workers"},
    "gh": {"-R": "repo", "-b": "body", "-t": "title", "-l": "label", "-L": "limit", "-B": "base", "-H": "head"},
    "find": {"-name": "name", "-iname": "name", "-path": "path", "-mtime": "days", "-maxdepth": "depth"},
    "journalctl": {"-u": "unit", "-n": "lines"},
    "cut": {"-d": "delimiter", "-f": "field"},
}
"""What the value behind an option of one letter is called, by program."""
_LETTERS = {program: named for programs, named in LETTERS.items() for program in programs.split()}


def _hint(words: tuple[str | None, ...], index: int, head: str) -> tuple[int, str]:
    word, before = words[index], words[index - 1] if index else None
    glued = re.match(r"--?([A-Za-z][\w-]*)=", word or "")
    if glued:
        return 0, glued.group(1)
    flag = re.fullmatch(r"--([A-Za-z][\w-]*)", before or "")
    if flag:
        return 0, flag.group(1)
    program = next((one for one in head.split() if one != "sudo"), "")
    letter = _LETTERS.get(program, {}).get(before or "")
    if letter:
        return 0, letter
    return (2, NOUNS[head]) if head in NOUNS else (4, "value")


def assembled(text: str, edits: list[Edit]) -> Iterator[str | Option | Hole]:
    """The first example's text with its edits, neighbouring texts joined."""
    at, pending = 0, ""
    for start, end, parts in sorted(edits, key=lambda edit: edit[0]):
        pending += text[at:start]
        for part in parts:
            if isinstance(part, str):
                pending += part
                continue
            if pending:
                yield pending
            yield part
            pending = ""
        at = end
    if pending + text[at:]:
        yield pending + text[at:]


# ── Options that are not always there ────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Optional:
    """An option of a command that some examples have and some have not; `after` counts the words before it that all have."""

    command: int
    after: int
    text: str
    there: tuple[bool, ...]


MOST_OPTIONS = 4
"""Options of one step that may come and go: every setting of them is judged."""


def options(scripts: Sequence[shell.Script]) -> list[Optional]:
    """The options that come and go; TemplateError when one has several places or values."""
    rows = [_rows(script) for script in scripts]
    if len({len(row) for row in rows}) > 1:
        return []
    found: list[Optional] = []
    for index in range(len(rows[0])):
        found += _of_command(index, [row[index] for row in rows])
    if len(found) > MOST_OPTIONS:
        raise TemplateError(f"Expected at most {MOST_OPTIONS} options that come and go in one command, got {len(found)}")
    return found


@lru_cache(maxsize=2048)
def _rows(script: shell.Script) -> tuple[list[tuple[str, str]], ...]:
    """The words of every command."""
    return tuple(_written(script, command) for command in script.commands())


def _written(script: shell.Script, command: shell.Simple) -> list[tuple[str, str]]:
    """Every word as it is written, with the name of the option that it is, if it is one."""
    words, ended = [], False
    for word, value in zip(command.words, shell.arguments(command), strict=True):
        text = script.text[word.start : word.end]
        ended = ended or text == "--"
        plain = not ended and value == text and len(text) > 1 and text.startswith("-")
        words.append((text, text.split("=", 1)[0] if plain else ""))
    return words


def _of_command(command: int, rows: Sequence[list[tuple[str, str]]]) -> Iterator[Optional]:
    counts = Counter(name for row in rows for name in dict.fromkeys(name for _, name in row if name))
    twice = {name for row in rows for name, times in Counter(name for _, name in row).items() if times > 1}
    optional = _in_order([[name for _, name in row if counts[name] < len(rows) and name not in twice and name] for row in rows])
    for name in optional:
        places = {_place(row, name, optional) for row in rows if any(name == other for _, other in row)}
        if len(places) > 1:
            raise TemplateError(f"Expected the option {name} in one place and with one value")
        after, text = places.pop()
        yield Optional(command, after, " " + text, tuple(any(name == other for _, other in row) for row in rows))


def _in_order(rows: Sequence[Sequence[str]]) -> list[str]:
    """All names, each after those that it follows in some row; TemplateError when two rows disagree."""
    order: TopologicalSorter[str] = TopologicalSorter()
    for row in rows:
        for before, name in zip(("", *row), row, strict=False):
            order.add(name, *([before] if before else []))
    try:
        return list(order.static_order())
    except CycleError as error:
        raise TemplateError(f"Expected the options {', '.join(error.args[1][1:])} in one order") from error


def _place(row: Sequence[tuple[str, str]], name: str, optional: Sequence[str]) -> tuple[int, str]:
    at = next(index for index, (_, other) in enumerate(row) if other == name)
    return sum(other not in optional for _, other in row[:at]), row[at][0]


def without(script: shell.Script, options: Sequence[Optional]) -> str:
    """The text of a script without these options and the blanks before them."""
    gone = {(option.command, option.text[1:]) for option in options}
    text = script.text
    spans = [
        (command.words[at - 1].end, word.end)
        for index, command in enumerate(script.commands())
        for at, word in enumerate(command.words)
        if at and (index, script.text[word.start : word.end]) in gone
    ]
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + text[end:]
    return text
