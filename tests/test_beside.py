"""Where the value of a name stands and ends (B18, B33)."""

import pytest

from kata import beside


def found(text: str) -> list[str]:
    """What is taken for a secret; spans that only say how far was read are left out."""
    return [text[span.start : span.stop] for span in beside.fields(text, 0, len(text)) if span.stop > span.start]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("abc1 def", "abc1"),
        ("'a b' c", "a b"),
        ('"a\\"b" c', 'a\\"b'),
        ('\\"a b\\" c', "a b"),
        ("a'b c'd e", "a'b c'd"),
        ("&quot;a b&quot; c", "a b"),
        ("'open to the end\nof the line", "open to the end"),
        ("a,b=c", "a"),
        ("a&b=c", "a"),
        ("\\\nabc1 d", "abc1"),
    ],
)
def test_a_value_ends_where_its_quotes_or_its_word_end(text: str, value: str) -> None:
    where = beside.value_at(text, 0)
    assert text[where.start : where.stop] == value


def test_a_value_that_stands_alone_is_the_rest_of_its_line() -> None:
    text = "a;b&c|d"
    assert beside.value_at("a;b&c(d, \n", 0, alone=True) == beside.Value(0, 7, alone=True)
    assert text[: beside.value_at(text, 0).stop] == "a"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("API_TOKEN=k7Qp2ZrX9w run", ["k7Qp2ZrX9w"]),
        ("Authorization: Bearer k7Qp2ZrX9w", ["k7Qp2ZrX9w"]),
        ("Cookie: sid=k7Qp2ZrX9w; Path=/abcdef", ["k7Qp2ZrX9w"]),
        ("secret: |\n  k7Qp2ZrX9w\n  second1\nregion: eu", ["k7Qp2ZrX9w", "second1"]),
        ("token: KATASECRET_token_1", []),
        ("password: string;", []),
        ("token == expected_token", []),
    ],
)
def test_what_a_name_announces_is_found_without_its_quotes_and_scheme(text: str, values: list[str]) -> None:
    assert found(text) == values
