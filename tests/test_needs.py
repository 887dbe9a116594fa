"""What a routine needs around it: programs, files and folders, read from its text alone."""

from __future__ import annotations

import pytest
from stand_in import READ, WRITE, step

from kata import needs
from kata.model import Command, Example, Expression, Hole, Input, InputField, Literal, Spec

TWO = (Example("a", "a", ()), Example("b", "b", ()))


def spec(*steps: object) -> Spec:
    return Spec((InputField("x", "string"),), steps)  # type: ignore[arg-type]


def run(text: str, effect: object = READ) -> object:
    return step("terminal", effect, command=Literal(text))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("command", "called"),
    [
        ("git status && npm test", ["git", "npm"]),
        ("cd src; rg TODO | head -3", ["rg", "head"]),
        ("echo hi > out.txt", []),
        ("./run.sh", []),
        ("rg x || grep x", ["rg"]),
        ("if command -v rg; then rg x; fi", []),
        ("FOO=1 make all", ["make"]),
        ("$EDITOR x", []),
        ("echo 'unclosed", []),
    ],
)
def test_the_programs_are_those_that_are_called_whatever_happens(command: str, called: list[str]) -> None:
    """T63: what is only perhaps called is never missed."""
    assert [name for _, name in needs.programs(spec(run(command)))] == called


def test_a_program_counts_at_the_step_that_calls_it_first() -> None:
    hole: Expression = Command(("wc -l ", Hole(Input("x"), "bare")))
    found = needs.programs(spec(run("git status"), step("terminal", READ, command=hole), run("git log")))
    assert found == ((1, "git"), (2, "wc"))


@pytest.mark.parametrize(
    ("command", "looked"),
    [
        ("cat notes/a.md", ["notes/a.md"]),
        ("head -n 5 a.txt", ["a.txt"]),
        ("head -5 a.txt b.txt", ["b.txt"]),
        ("ls src lib", ["src", "lib"]),
        ("ls", []),
        ("ls .", []),
        ("cat *.md", []),
        ("cat ~/x", []),
        ("grep x src", []),
        ("cd pkg && ls sub", ["pkg"]),
    ],
)
def test_the_paths_are_those_that_a_reader_has_to_find(command: str, looked: list[str]) -> None:
    """T63: in doubt a word is no path."""
    assert [path for _, path in needs.paths(spec(run(command)), TWO)] == looked


def test_what_an_earlier_step_may_have_made_is_not_missed() -> None:
    steps = (run("ls src"), run("make", WRITE), run("cat build/log"))
    assert needs.paths(spec(*steps), TWO) == ((1, "src"),)
    assert needs.paths(spec(*steps), TWO[:1]) == (), "one example says nothing about every example"
    edits = step("patch", WRITE, path=Literal("src/a.py"))
    assert needs.paths(spec(run("cd src"), run("cat a"), edits), TWO) == ((1, "src"),), "after a move nobody knows where it is"
    assert needs.paths(spec(edits, run("cat b")), TWO) == ((1, "src/a.py"),)
