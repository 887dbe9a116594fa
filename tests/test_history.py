"""What Hermes keeps of a conversation, asked read-only, whatever the host gives back."""

import sqlite3
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from kata.history import UNKNOWN, History, Origin


@contextmanager
def standing_in(module: Any) -> Iterator[None]:
    """`hermes_state` is `module` inside; what stood there before is back afterwards."""
    before = sys.modules.pop("hermes_state", None)
    sys.modules["hermes_state"] = module
    try:
        yield
    finally:
        del sys.modules["hermes_state"]
        if before is not None:
            sys.modules["hermes_state"] = before


@pytest.fixture
def host() -> Iterator[Callable[[Any], list[str]]]:
    """Puts a module `hermes_state` in the place of the host's, whose session database answers with `rows`."""
    asked: list[str] = []

    def install(answer: Any) -> list[str]:
        class SessionDB:
            def __init__(self, read_only: bool = False) -> None:
                assert read_only
                asked.append("opened")
                if isinstance(answer, Exception):
                    raise answer

            def get_session(self, session: str) -> Any:
                return answer(session)

            def close(self) -> None:
                asked.append("closed")

        module.SessionDB = SessionDB  # type: ignore[attr-defined]
        return asked

    module = types.ModuleType("hermes_state")
    with standing_in(module):
        yield install


def test_a_session_says_where_it_comes_from(host: Callable[[Any], list[str]]) -> None:
    """A2."""
    rows = {"s2": {"parent_session_id": "s1", "end_reason": None, "chat_type": "group"}, "s1": {"end_reason": "compression"}}
    asked = host(rows.get)
    assert History().origin("s2") == Origin("s1", "", "group")
    assert History().origin("s1") == Origin("", "compression", "")
    assert asked == ["opened", "closed"] * 2


@pytest.mark.parametrize("answer", [sqlite3.OperationalError("locked"), OSError("gone")])
def test_a_file_that_cannot_be_read_now_is_no_news(host: Callable[[Any], list[str]], answer: Exception) -> None:
    host(answer)
    assert History().origin("s1") == UNKNOWN


def test_an_unknown_session_is_no_news(host: Callable[[Any], list[str]]) -> None:
    host(lambda session: None)
    assert History().origin("s1") == UNKNOWN


def test_a_host_without_the_module_is_no_news() -> None:
    with standing_in(None):
        assert History().origin("s1") == UNKNOWN


def test_an_error_while_asking_closes_the_file(host: Callable[[Any], list[str]]) -> None:
    def broken(session: str) -> None:
        raise sqlite3.DatabaseError("malformed")

    asked = host(broken)
    assert History().origin("s1") == UNKNOWN and asked == ["opened", "closed"]
