"""What is typed for each command, and what is said to a word that fits none."""

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from said import ask, fits, wide
from strategies import Bench, bench

from kata import commands
from kata.deciding import RESERVED
from kata.manual import VERBS


@pytest.fixture
def desk() -> Iterator[Bench]:
    with closing(bench()) as one:
        yield one


@pytest.mark.parametrize(
    ("typed", "meant"), [("aprove 1", "approve"), ("lst", "list"), ("reviev 1", "review"), ("stauts", "status"), ("rejct", "reject")]
)
def test_an_unknown_word_is_answered_with_the_nearest_command(desk: Bench, typed: str, meant: str) -> None:
    answer = ask(desk, typed)
    assert answer.code == 2 and f"Did you mean '{meant}'?" in answer.text
    assert all(verb in answer.text for verb in VERBS)


def test_a_word_that_resembles_nothing_gets_the_list_and_no_guess(desk: Bench) -> None:
    answer = ask(desk, "xyzzy")
    assert answer.code == 2 and "Did you mean" not in answer.text and wide(answer) == []


def test_help_names_every_command_in_the_words_of_its_place(desk: Bench) -> None:
    """K25: the same commands in chat and shell."""
    for surface, lead in (("chat", "/kata"), ("cli", "hermes kata")):
        answer = ask(desk, "help", surface)
        assert answer.code == 0 and all(f"{lead} {verb}" in answer.text for verb in VERBS) and wide(answer) == []


def test_every_command_word_is_reserved() -> None:
    """No kata may be called like a command."""
    assert set(VERBS) <= RESERVED


@pytest.mark.parametrize(("word", "meant"), [("1", "show 1"), ("kata_deploy", "show kata_deploy"), ("KATA_DEPLOY", "show kata_deploy")])
def test_a_kata_without_a_command_is_answered_with_the_command_that_shows_it(desk: Bench, word: str, meant: str) -> None:
    answer = ask(desk, word, "chat")
    assert answer.code == 2 and f"Did you mean '/kata {meant}'?" in re.sub(r"\s+", " ", answer.text)


@pytest.mark.parametrize("verb", VERBS)
def test_too_many_words_are_answered_with_what_is_expected(desk: Bench, verb: str) -> None:
    answer = ask(desk, f"{verb} one two three four five", "chat")
    assert answer.code == 2 and f"Expected: /kata {verb}" in answer.text and fits(answer)
    words = VERBS[verb].words
    if words[0]:
        assert f"for example: /kata {VERBS[verb].example}" in " ".join(ask(desk, verb, "chat").text.split())


@pytest.mark.parametrize("verb", VERBS)
def test_help_tells_more_about_every_command_with_an_example_that_is_understood(desk: Bench, verb: str) -> None:
    """The example is one: with such a kata it is never a matter of usage."""
    answer = ask(desk, f"help {verb}", "chat")
    lines = answer.text.split("\n")
    assert answer.code == 0 and lines[0] == f"/kata {VERBS[verb].usage}" and len(lines) >= 4 and fits(answer)
    assert f"For example: /kata {VERBS[verb].example}" in answer.text
    assert ask(desk, VERBS[verb].example).code != 2


def test_help_on_a_word_that_is_no_command_names_the_nearest(desk: Bench) -> None:
    answer = ask(desk, "help aprove")
    assert answer.code == 2 and "Did you mean 'approve'?" in answer.text


def test_the_readme_lists_the_commands_as_they_are() -> None:
    """`VERBS` are what stands under “Daily use”."""
    readme = (Path(str(commands.__file__)).parent / "README.md").read_text(encoding="utf-8")
    table = readme.split("## Daily use")[1].split("| --- | --- |\n")[1].split("\n\n")[0]
    rows = [line.replace("\\|", "/").strip("| ").split(" | ") for line in table.split("\n")]
    assert rows == [[f"`{verb.usage.replace('|', '/')}`", verb.what] for verb in VERBS.values()]


@pytest.mark.parametrize(
    "line",
    [
        "approve 1 as",
        "approve 1 confirm",
        "approve 1 as x confirm",
        "approve 1 as x y",
        "rollback deploy",
        "rollback deploy last",
        "rollback deploy ٣",
        "rollback deploy 1 2",
        "diff deploy 1",
        "diff deploy one two",
        "rename deploy",
        "rename deploy as",
        "rename a b c",
        "forget",
        "forget 1 2",
        "audit 1 2",
        "purge",
        "purge text",
        "purge shoes x",
        "purge text x please",
        "purge path /",
        "purge text ''",
        "cleanup now",
        "stop",
        "resume",
        "resume a b",
    ],
)
def test_what_is_typed_wrongly_is_answered_with_the_form_and_an_example(desk: Bench, line: str) -> None:
    """Point 9: and nothing is changed."""
    desk.approved("deploy")
    before = desk.store.audit(9)
    verb = line.split()[0]
    for surface, lead in (("chat", "/kata"), ("cli", "hermes kata")):
        answer = ask(desk, line, surface)
        text = " ".join(answer.text.split())
        assert answer.code == 2 and fits(answer), text
        assert f"Expected: {lead} {VERBS[verb].usage}; for example: {lead} {VERBS[verb].example}" in text
    assert desk.store.audit(9) == before and desk.store.facts()["turns"] == 3
