"""What a text looks like by itself: drawn at random, words, code, or something that only stands for a secret (B33)."""

import pytest

from kata import looks


@pytest.mark.parametrize("text", ["k7Qp2ZrX9wLm4Tn8", "a1b2c3d4e5", "QwErTyUiOpAsDf", "x-9f8e7d6c"])
def test_letters_and_digits_that_nobody_would_choose_look_drawn(text: str) -> None:
    assert looks.drawn(text) and not looks.void(text)


@pytest.mark.parametrize("text", ["production", "2026-11-30", "v1.2.3", "read-write-all", "createdAtUtc", "short1"])
def test_words_dates_and_versions_do_not(text: str) -> None:
    assert not looks.drawn(text)


@pytest.mark.parametrize(
    "text", ["***", "${API_KEY}", "<your-key>", "changeme", "/run/secrets/db", "KATASECRET_token_1", "-----BEGIN X", "{{ key }}"]
)
def test_a_reference_a_path_a_placeholder_and_nothing_only_stand_for_a_secret(text: str) -> None:
    assert looks.void(text)


@pytest.mark.parametrize(
    ("text", "code"), [("process.env.KEY", True), ("get(x)", True), ('keys["a"]', True), ("hunter2", False), ("k7Qp2ZrX9w(x", False)]
)
def test_an_expression_is_no_value(text: str, code: bool) -> None:
    assert looks.code(text) is code


def test_a_text_of_letters_with_few_changes_of_case_reads_like_words() -> None:
    assert looks.wordy("createdAtUtc") and looks.wordy("moo/foo") and not looks.wordy("aBcDeFgH") and not looks.wordy("two words")
