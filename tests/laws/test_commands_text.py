"""The laws of commands as text: text becomes a tree and the same text again, or is opaque; never a tree of something else."""

import re
from collections import deque
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from shells import ANY, SCRIPTS, written

from kata import shell
from kata.model import OpaqueCommand


def outermost(script: shell.Script) -> Iterator[shell.Node]:
    """The commands of a script that stand in no word: those of its loops and branches too, but not what is substituted."""
    waiting = deque([script])
    while waiting:
        for pipeline in waiting.popleft().pipelines:
            for node in pipeline.commands:
                yield node
                waiting += node.scripts if isinstance(node, shell.Compound) else ()


def between(script: shell.Script) -> str:
    """What stands between the words of a script, here-documents and the names that it gives left out."""
    text, gone, names = script.text, list[tuple[int, int]](), set[str]()
    for node in outermost(script):
        gone += [(word.start, word.end) for word in shell.words_of(node)]
        names |= {node.name} if isinstance(node, shell.Compound) else {name.rstrip("+") for name, _ in node.assignments}
        for redirect in node.redirects:
            if redirect.body is not None:
                mark = f"{redirect.target.value}"
                found = re.compile(rf"\n{re.escape(redirect.body)}\t*{re.escape(mark)}(?=\n|\Z)").search(text, redirect.target.end)
                assert found is not None
                gone.append((found.start() + 1, found.end()))
    for start, end in gone:
        text = text[:start] + "\x01" * (end - start) + text[end:]
    known = "|".join(rf"(?<![\w.-]){re.escape(name)}(?=[\s=+()])" for name in names if name)
    return re.sub(r"\x01+", " ", re.sub(known or r"(?!)", "", text))


SYNTAX = re.compile(
    r"(?:\s|\\\n|(?<!\S)#[^\n]*|[;&|<>(){}!=+-]|\[\[|\]\]|[0-9]+(?=[<>])"
    r"|\b(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|select|function|time|coproc|in)\b|-p\b)*"
)


@given(ANY)
def test_text_becomes_a_tree_and_the_same_text_again(text: str) -> None:
    """Issues 4 and 8: every word stands where its span says, in order, and between words stand only blanks and syntax."""
    try:
        script = shell.parse(text)
    except OpaqueCommand:
        return
    assert script.text == text
    places = sorted((word.start, word.end) for node in outermost(script) for word in shell.words_of(node))
    assert all(0 <= start <= end <= len(text) for start, end in places)
    assert all(one[1] <= other[0] for one, other in pairwise(places))
    for node in script.nodes():
        for word in shell.words_of(node):
            assert all(one.end <= other.start for one, other in pairwise(word.pieces))
            assert all(word.start <= piece.start <= piece.end <= word.end for piece in word.pieces)
        assert all(0 <= piece.start <= piece.end <= len(text) for piece in shell.pieces_of(node))
    if "#" not in text:
        assert SYNTAX.fullmatch(between(script)), between(script)


@given(ANY)
def test_a_tree_becomes_text_and_the_same_tree_again(text: str) -> None:
    """Issues 4 and 8: whatever the layout, what would run is the same."""
    try:
        script = shell.parse(text)
    except OpaqueCommand:
        return
    again = shell.parse(written(script))
    assert shell.signature(again) == shell.signature(script)
    assert shell.skeleton(again) == shell.skeleton(script)


@given(SCRIPTS)
def test_what_agents_write_is_understood(text: str) -> None:
    """Nothing that the grammar of these tests makes is opaque."""
    shell.parse(text)


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("cat <<'EOF' # note\nrm x\nEOF\nls -l", [("cat",), ("ls", "-l")]),
        ("A=1 cat <<'EOF'\nx\nEOF\nB=2 ls", [("cat",), ("ls",)]),
        ("cat > f <<'EOF'\nx\nEOF\ngrep x f && rm f # done", [("cat",), ("grep", "x", "f"), ("rm", "f")]),
        ("cat <<'A' <<'B'\na\nA\nb\nB\nls | wc -l", [("cat",), ("ls",), ("wc", "-l")]),
        ("cat <<-'EOF'\n\tx\n\tEOF\nls", [("cat",), ("ls",)]),
        ("cat <<'EOF' | wc -l\nrm x\nEOF", [("cat",), ("wc", "-l")]),
        ("cat > f <<'EOF' && ls\nrm x\nEOF", [("cat",), ("ls",)]),
        ("cat <<'EOF'; ls\nrm x\nEOF\nmake", [("cat",), ("ls",), ("make",)]),
    ],
)
def test_what_follows_a_here_document_is_read_or_the_whole_is_opaque(text: str, commands: list[tuple[str, ...]]) -> None:
    """Never a part of a body as a command, never a command as a part of a body."""
    try:
        script = shell.parse(text)
    except OpaqueCommand:
        return
    assert [shell.arguments(command) for command in script.commands()] == commands
