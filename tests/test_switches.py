"""The dashed options of chat and shell: each is read in any place, by one table, and what is none of them gets a sentence that helps."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kata.manual import VERBS
from kata.model import Usage
from kata.switches import EVERYWHERE, OPTIONS, read


@pytest.mark.parametrize(
    ("line", "spoken"),
    [
        ("approve 1 --as notes", "approve 1 as notes"),
        ("approve 1 --confirm notes --as notes", "approve 1 as notes confirm notes"),
        ("--as=notes approve 1", "approve 1 as notes"),
        ("approve --confirm=notes 1 as notes", "approve 1 as notes confirm notes"),
        ("purge --text secret --yes", "purge text secret yes"),
        ("purge --yes --path /srv", "purge path /srv yes"),
        ("purge text --yes -- --token", "purge text --token yes"),
        ("cleanup --yes", "cleanup yes"),
        ("cleanup --purge", "cleanup purge"),
        ("audit --verify", "audit verify"),
        ("mine --ALL", "mine all"),
        ("rename one --as two", "rename one as two"),
        ("show -1", "show -1"),
        ("--json", ""),
        ("list --", "list"),
    ],
)
def test_an_option_stands_for_its_word_wherever_it_stands(line: str, spoken: str) -> None:
    """Dashed as well as words."""
    assert " ".join(read(line.split()).spoken) == spoken


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("approve 1 --confrim x", "'approve' has no option '--confrim'. Did you mean --confirm?"),
        ("list --all", "'list' has no option '--all'."),
        ("--colour list", "'list' has no option '--colour'."),
        ("--what", "'list' has no option '--what'."),
        ("approve 1 --as", "--as needs a value: --as NAME"),
        ("approve 1 --as --confirm x", "--as needs a value: --as NAME"),
        ("approve 1 --digest=", "--digest needs a value: --digest REVISION"),
        ("mine --all=yes", "--all takes no value, got 'yes'"),
    ],
)
def test_a_mistake_names_what_was_meant(line: str, words: str) -> None:
    with pytest.raises(Usage) as refused:
        read(line.split())
    assert refused.value.message.startswith(words)


def test_every_option_belongs_to_a_command_that_there_is() -> None:
    assert set(OPTIONS) <= set(VERBS)


def test_what_resume_is_given_comes_in_order() -> None:
    line = read(["resume", "r", "--with", "a=1", "--with=b=2", "--it-happened"])
    assert line.given == {"--with": ("a=1", "b=2"), "--it-happened": ("",)} and line.words == ("resume", "r")


@given(st.lists(st.text(max_size=12), max_size=6))
def test_words_without_dashes_come_back_as_they_are(words: list[str]) -> None:
    plain = [word for word in words if not word.startswith("-")]
    assert read(plain).words == tuple(plain) and read(["--", *words]).words == tuple(words)


@given(st.lists(st.sampled_from(["approve", "1", "--as", "x", "--json", "-h", "--", "--yes", "=", "--as=", "--\x1b"]), max_size=6))
def test_any_line_is_read_or_refused_with_one_sentence(words: list[str]) -> None:
    try:
        assert set(read(words).given) <= {*EVERYWHERE, *(option for one in OPTIONS.values() for option in one)}
    except Usage as error:
        assert len(error.message) < 400
