"""The laws of commands as text: text becomes a tree and the same text again, or is opaque; never a tree of something else."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kata import shell
from kata.model import OpaqueCommand

# ── A script as a tree, written again ────────────────────────────────────────────────────────────


def written(script: shell.Script) -> str:
    """The script out of the source of its words alone, in a layout of its own: one blank, here-documents after their line."""
    text, bodies = "", ""
    for pipeline, operator in zip(script.pipelines, script.operators, strict=True):
        parts = []
        for command in pipeline.commands:
            line, held = _simple(script.text, command)
            parts.append(line)
            bodies += held
        text += " | ".join(parts)
        if operator == "\n":
            text, bodies = f"{text}\n{bodies}", ""
        elif operator:
            text += f" {operator} "
    return f"{text}\n{bodies}".removesuffix("\n")


def _simple(source: str, command: shell.Simple) -> tuple[str, str]:
    words = [f"{name}={source[word.start : word.end]}" for name, word in command.assignments]
    words += [source[word.start : word.end] for word in command.words]
    bodies = ""
    for redirect in command.redirects:
        words.append(f"{redirect.descriptor}{redirect.operator}{source[redirect.target.start : redirect.target.end]}")
        if redirect.body is not None:
            bodies += f"{redirect.body}{redirect.target.value}\n"
    return " ".join(words), bodies


def spans(script: shell.Script) -> Iterator[tuple[int, int]]:
    """Where each word of the outermost commands stands, in the order of the text."""
    for pipeline in script.pipelines:
        for command in pipeline.commands:
            yield from sorted((word.start, word.end) for word in shell.words_of(command))


# ── Scripts as agents write them ─────────────────────────────────────────────────────────────────

PLAIN = ("git", "status", "-n", "src/a.py", "$x", "${x}", "*.py", "''", "a#b", "x=1", "~/src", "-", "--", "é✓")
QUOTED = ("'a b'", '"x $HOME y"', "a\\ b", "--opt='x y'", "it\\'s", '"say \\"hi\\""', "'#'", "'multi\nline'", "a'b'\"c\"d")
WORDS = st.sampled_from((*PLAIN, *QUOTED, "$(git rev-parse HEAD)", '"$(ls -l)"'))
ASSIGNMENTS = st.sampled_from(["A=1", "B='x y'", 'C="$HOME/x"', "D=$(date)", "E="])
REDIRECTS = st.sampled_from([">out.txt", "2>&1", "2>/dev/null", ">> log", "< in.txt", "&>all"])
COMMENTS = st.sampled_from(["# a note", "# don't | stop; $(x)", "#"])
BODIES = st.lists(st.sampled_from(["plain text", "rm -rf /", "a | b && c", "$(x) 'open", "", "# no comment", "it's"]), max_size=3)


@st.composite
def simple(draw: st.DrawFn) -> str:
    """A simple command: assignments, words, redirections."""
    assignments = draw(st.lists(ASSIGNMENTS, max_size=2))
    program, words = draw(st.sampled_from(["git", "make", "echo", "./run.sh"])), draw(st.lists(WORDS, max_size=3))
    return " ".join([*assignments, program, *words, *draw(st.lists(REDIRECTS, max_size=1))])


@st.composite
def line(draw: st.DrawFn) -> str:
    """A line: commands with what joins them, at its end perhaps a here-document, a comment or more commands."""
    text = draw(simple())
    for joint in draw(st.lists(st.sampled_from([" | ", " && ", "; ", " || ", "&&"]), max_size=2)):
        text += joint + draw(simple())
    if draw(st.integers(0, 3)) == 0:
        after = draw(st.sampled_from(["", "", " > out.txt", " # note", " | wc -l", " && ls", " X=1"]))
        body = "".join(f"{one}\n" for one in draw(BODIES))
        return f"{text} <<'EOF'{after}\n{body}EOF"
    return text + (f" {draw(COMMENTS)}" if draw(st.integers(0, 3)) == 0 else "")


SCRIPTS = st.lists(st.one_of(line(), COMMENTS, st.just("")), min_size=1, max_size=4).map("\n".join)
RAW = st.text(alphabet="ab 'x\"\\$(){}|&;<>#=*?~`\n-1!.EOF", max_size=60)


@given(st.one_of(SCRIPTS, RAW))
def test_text_becomes_a_tree_and_the_same_text_again(text: str) -> None:
    """Issue 4: every word stands where its span says, in order, and between words stand only blanks, operators, comments and bodies."""
    try:
        script = shell.parse(text)
    except OpaqueCommand:
        return
    assert script.text == text
    places = list(spans(script))
    assert all(0 <= start <= end <= len(text) for start, end in places)
    ordered = sorted(places)
    assert all(one[1] <= other[0] for one, other in pairwise(ordered))
    for command in script.commands():
        for word in shell.words_of(command):
            assert all(one.end <= other.start for one, other in pairwise(word.pieces))
            assert all(word.start <= piece.start <= piece.end <= word.end for piece in word.pieces)


@given(st.one_of(SCRIPTS, RAW))
def test_a_tree_becomes_text_and_the_same_tree_again(text: str) -> None:
    """Issue 4: whatever the layout, what would run is the same."""
    try:
        script = shell.parse(text)
    except OpaqueCommand:
        return
    assert shell.signature(shell.parse(written(script))) == shell.signature(script)


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
