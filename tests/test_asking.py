"""What was asked, in the words of the place where it was asked."""

import pytest

from kata.asking import Ask


@pytest.mark.parametrize(("surface", "lead"), [("cli", "hermes kata"), ("chat", "/kata"), ("group", "/kata")])
def test_an_answer_names_commands_as_they_are_typed_there(surface: str, lead: str) -> None:
    assert Ask((), surface).lead == lead


def test_a_kata_is_named_in_any_case() -> None:
    assert Ask(("KATA_Deploy", "As"), "chat").kata == "kata_deploy"
