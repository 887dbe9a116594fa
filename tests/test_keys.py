"""Keys known by their published form alone, and the bodies of private keys (B18, B52); every one is built when a test runs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import WORD, drawn, traces_of

from kata import keys
from kata.redact import Masker

BASE64 = WORD + "+/"


def left(secret: str, text: str) -> list[str]:
    return traces_of(secret, text.encode("utf-8", "surrogatepass"))


@given(drawn(BASE64, 64), drawn(BASE64, 40))
def test_a_key_block_loses_its_body_and_one_without_an_end_everything_after_it(first: str, last: str) -> None:
    """B52"""
    begin, end = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"
    assert Masker().text(f"a\n{begin}\n{first}\n{last}\n{end}\nb") == f"a\n{begin}\nKATASECRET_pem_1\n{end}\nb"
    assert Masker().text(f"{begin}\\n{first}\\n{last}\\n{end}\\n") == f"{begin}\\nKATASECRET_pem_1\\n{end}\\n"
    for cut in (f"{begin}\n{first}\n{last}", f"{begin}\n1: {first}\n2: {last} |", f'"{begin}\n{first}"\n{last}'):
        assert not left(first, Masker().text(cut)) and not left(last, Masker().text(cut))


@given(drawn(WORD, 33, 33), st.sampled_from(["https://api.telegram.org/bot{}/getMe", "curl '/bot{}'", "{}"]))
def test_the_token_of_a_bot_is_masked_right_after_the_word_bot(tail: str, frame: str) -> None:
    secret = f"123456789:AA{tail}"
    assert Masker().text(frame.format(secret)) == frame.format("KATASECRET_telegram_1")


@pytest.mark.parametrize("prefix", sorted(keys.FORMS))
def test_every_published_prefix_begins_a_key_wherever_a_word_begins(prefix: str) -> None:
    """B18: all prefixes are looked for at once."""
    tail = "a1B2c3D4e5F6g7H8" * 5
    for before in ("", " ", "x=", "(", "x-", "x_"):
        assert tail not in Masker().text(f"{before}{prefix}{tail} end")
        found = list(keys.prefixed(before + prefix + tail, 0, 1_000))
        assert any(span.stop == len(before + prefix + tail) for span in found)
    assert not [*keys.prefixed("x" + prefix + tail, 0, 1_000)] or "-" in prefix[1:] + "-"


def test_words_after_a_prefix_are_no_key() -> None:
    """B33"""
    assert not [*keys.formatted("sk-fading-circle and sk-cube-grid", 0, 100)]
