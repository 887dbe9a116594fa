"""Secrets that their spot alone tells: after a flag, in a URL, on a command line, in a sentence (B18, B33)."""

from collections.abc import Callable, Iterator

import pytest

from kata import spots
from kata.looks import Span

SECRET = "k7Qp2ZrX9wLm4Tn8"


@pytest.mark.parametrize(
    ("finder", "frame"),
    [
        (spots.flags, "tool login --password {} --region eu"),
        (spots.flags, '["tool", "--token", "{}"]'),
        (spots.entries, "- name: DB_PASSWORD\n  value: {}"),
        (spots.entries, "<password>{}</password>"),
        (spots.entries, "npm config set token {}"),
        (spots.prose, "the admin password is {}, please log in"),
        (spots.prose, "machine api.example.org login dana password {}"),
        (spots.lines, "localhost:5432:shop:dana:{}"),
        (spots.urls, "postgres://app:{}@db.example.org/shop"),
        (spots.urls, "https://{}@git.example.org/a.git"),
        (spots.commands, "mysql -u root -p{} shop"),
        (spots.commands, "echo {} | docker login --password-stdin"),
        (spots.commands, "curl -u dana:{} https://example.org"),
    ],
)
def test_a_spot_gives_exactly_the_secret(finder: Callable[[str, int, int], Iterator[Span]], frame: str) -> None:
    text = frame.format(SECRET)
    assert {text[span.start : span.stop] for span in finder(text, 0, len(text))} == {SECRET}


@pytest.mark.parametrize(
    ("finder", "text"),
    [
        (spots.flags, "tool --password-file /run/secrets/db"),
        (spots.prose, "my access_token is expired"),
        (spots.lines, "app.py:1234:foo:bar:baz"),
        (spots.urls, "https://example.org:8443/a/b@v2?page=3"),
        (spots.commands, "docker run -p 8080:80 nginx"),
    ],
)
def test_what_stands_in_a_spot_like_it_stays(finder: Callable[[str, int, int], Iterator[Span]], text: str) -> None:
    assert not [*finder(text, 0, len(text))]
