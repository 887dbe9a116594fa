"""Which names announce a secret, and of what kind (B18, B33)."""

import re

import pytest

from kata.names import Name, named
from kata.redact import Masker


@pytest.mark.parametrize(
    "name",
    "password passwd pwd DB_PASS MYSQL_PWD PGPASSWORD userPassword new-password password2 secret client_secret SECRET_KEY_BASE token "
    "authToken GITHUB_TOKEN access_tokens api_key apiKey X-Api-Key OPENAI_API_KEY FAL_KEY accessKey AWS_SECRET_ACCESS_KEY private_key "
    "SharedAccessKey client-key-data authorization Proxy-Authorization cookie Set-Cookie credentials passphrase _authToken jwt".split(),
)
def test_a_name_that_announces_a_secret(name: str) -> None:
    assert re.fullmatch(r"KATASECRET_\w+", Masker().value({name: "k7Qp2ZrX9wLm4Tn8"})[name])


@pytest.mark.parametrize(
    "name",
    "max_tokens token_count tokens prompt_tokens sort_key primary_key primaryKey public_key keyboard monkey author key_id token_type "
    "password_file secret_name next_page_token pagination_token_limit PWD compass passed path bypass key name keys secrets_dir".split(),
)
def test_an_ordinary_name(name: str) -> None:
    """B33"""
    assert Masker().value({name: "k7Qp2ZrX9wLm4Tn8"}) == {name: "k7Qp2ZrX9wLm4Tn8"}


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("DB_PASS", Name("password")),
        ("userPassword2", Name("password")),
        ("client-key-data", Name("key", sure=False)),
        ("X-Api-Key", Name("key")),
        ("sessionid", Name("session", sure=False)),
        ("access_tokens", Name("token")),
        ("Set-Cookie", Name("cookie")),
        ("mot de passe", Name("password")),
        ("token_KATASECRET_token_1", None),
        ("max_token", None),
    ],
)
def test_a_name_tells_the_kind_and_whether_any_value_counts(name: str, told: Name | None) -> None:
    assert named(name) == told
