"""Whatever a person types wrongly at whatever command, in a chat or a shell: one sentence that helps, an exit code, and nothing is changed.
The cases come from the table of verbs, so that a new command is tried as soon as it is in it."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from strategies import Bench, bench

from kata.commands import LONGEST, run
from kata.manual import VERBS

SURFACES = ("chat", "cli")
NAMING = {word for verb in VERBS.values() for word in verb.usage.split()[1:2] if word.strip("[]").split("|")[0] in ("N", "NAME", "RUN")}
"""How the usage of a command says that it takes a kata or a run first."""
NOTHING = {
    "a name of nothing": "nothing_of_that_name",
    "a tool of nothing": "kata_nothing",
    "a number of nothing": "4711",
    "zero": "0",
    "a number below zero": "-1",
    "a number too long": "9" * 40,
    "an empty word": "",
    "a space": " ",
    "a very long word": "x" * 10_000,
    "control characters": "\x1b[2Jone\x07\r\n\t",
    "half a character": "\ud83d",
    "other letters": "名前",
    "other digits": "٣",
    "what turns text around": "one\u202etwo",
    "a path": "../../etc/passwd",
    "a quote": "'; DROP TABLE katas; --",
}
"""Words that are no kata and no run."""


@pytest.fixture(scope="module")
def desk() -> Iterator[Bench]:
    """A desk with one active kata."""
    with closing(bench()) as one:
        one.approved("deploy")
        yield one


def kept(desk: Bench) -> tuple[object, ...]:
    """All that a command might change."""
    store = desk.store
    return store.audit(99), store.katas(), store.runs(), store.facts(), store.shown("cli", 1), store.shown("chat", 1), desk.service.paused


def told(desk: Bench, words: list[str], surface: str) -> str:
    """The answer to a line that is wrong, in one line, after what every such answer has: an exit code, 80 columns that nothing acts on,
    the same as JSON, and a file that is as it was."""
    before = kept(desk)
    answer = run(desk.service, words, surface)
    lines = answer.text.split("\n")
    assert answer.code in (1, 2) and set(answer.json) >= {"error"} and answer.json["error"].strip(), (words, answer)
    assert all(len(line) <= 80 and line.isprintable() for line in lines), (words, answer.text)
    assert len(answer.text) < 2_000 and "Traceback" not in answer.text and kept(desk) == before
    return " ".join(answer.text.split())


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("verb", [name for name, verb in VERBS.items() if verb.words[0] > 0 or verb.usage.split()[1:2] == ["N"]])
def test_a_command_without_its_words_says_what_it_expects(desk: Bench, verb: str, surface: str) -> None:
    lead = "/kata" if surface == "chat" else "hermes kata"
    assert f"Expected: {lead} {VERBS[verb].usage}; for example: {lead} {VERBS[verb].example}" in told(desk, [verb], surface)


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("verb", VERBS)
def test_too_many_words_are_answered_with_the_form(desk: Bench, verb: str, surface: str) -> None:
    words = [verb, *["deploy"] * (VERBS[verb].words[1] + 1)]
    assert told(desk, words, surface).startswith("Expected: ")


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("kind", NOTHING)
@pytest.mark.parametrize("verb", [name for name, verb in VERBS.items() if set(verb.usage.split()[1:2]) & NAMING])
def test_what_names_nothing_is_said_to_be_nothing(desk: Bench, verb: str, kind: str, surface: str) -> None:
    """B46: and the word is repeated, if at all, in a form that a terminal only shows."""
    rest = VERBS[verb].example.split()[2:]
    text = told(desk, [verb, NOTHING[kind], *rest], surface)
    assert "There is no" in text or text.startswith("Expected"), text
    assert "x" * (LONGEST + 1) not in text


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("verb", VERBS)
def test_an_option_that_a_command_does_not_take_is_answered_with_those_that_it_takes(desk: Bench, verb: str, surface: str) -> None:
    """Our sentence, and not the usage of the host's parser."""
    text = told(desk, [verb, "deploy", "--jsno"], surface)
    assert text.startswith(f"'{verb}' has no option '--jsno'. Did you mean --json? It takes ")


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("verb", VERBS)
def test_a_command_that_is_asked_for_help_tells_what_it_takes_and_does_nothing(desk: Bench, verb: str, surface: str) -> None:
    rows = desk.store.audit(99)
    answer = run(desk.service, [verb, "deploy", "--help"], surface)
    assert answer.code == 0 and VERBS[verb].usage in answer.text and "--json" in answer.text
    assert all(len(line) <= 80 for line in answer.text.split("\n")) and desk.store.audit(99) == rows


@pytest.mark.parametrize("line", ["--help", "-h", "--help --json", "help"])
def test_help_without_a_command_names_them_all_in_80_columns(desk: Bench, line: str) -> None:
    answer = run(desk.service, line.split(), "cli")
    assert answer.code == 0 and set(answer.json) == set(VERBS)
    assert "--json" in line or all(len(one) <= 80 for one in answer.text.split("\n"))
