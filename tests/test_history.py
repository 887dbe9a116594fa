"""What Hermes keeps of a conversation, asked read-only, whatever the host gives back."""

import sqlite3
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kata.history import PAGE, UNKNOWN, History, Origin
from kata.model import Refused, StoreError


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


class Kept:
    """The host's session database with one long session, one short one and one that names no id; it counts what is asked for."""

    def __init__(self, read_only: bool = False) -> None:
        assert read_only
        self.asked: list[int] = []

    def list_sessions_rich(self, limit: int, offset: int, **more: bool) -> list[dict[str, Any]]:
        assert more.pop("project_compression_tips") is False and set(more.values()) == {True} and len(more) == 4
        return [{"id": "long", "source": "cli"}, {"id": "short", "source": "cron"}, {"source": "cli"}][offset : offset + limit]

    def get_messages(self, session: str, include_inactive: bool, limit: int, after_id: int) -> list[dict[str, Any]]:
        assert include_inactive
        self.asked.append(after_id)
        last = 2 * PAGE + 50 if session == "long" else 3
        return [{"id": n, "role": "user", "content": "x"} for n in range(after_id + 1, min(after_id + limit, last) + 1)]

    def close(self) -> None:
        self.asked.append(-1)


def test_all_that_the_host_keeps_is_read_page_by_page_and_read_only() -> None:
    """B55: a long session is never held as a whole, and may be gone through twice."""
    module: Any = types.ModuleType("hermes_state")
    module.SessionDB = Kept
    with standing_in(module), History().opened() as shelf:
        long, short = shelf.sessions()
        assert (long.id, short.platform) == ("long", "cron")
        lines = shelf.lines(long)
        assert [[one.id for one in lines] for _ in range(2)] == [[*range(1, 2 * PAGE + 51)]] * 2 and not isinstance(lines, list)
        assert [one.id for one in shelf.lines(short)] == [1, 2, 3]
    assert shelf._db.asked[-1] == -1, "closed"


@pytest.mark.parametrize("answer", [sqlite3.OperationalError("unable to open database file"), OSError("gone")])
def test_where_there_is_nothing_to_read_it_says_so(host: Callable[[Any], list[str]], answer: Exception) -> None:
    host(answer)
    with pytest.raises(StoreError, match="no conversations of Hermes"), History().opened():
        pass
    with standing_in(None), pytest.raises(StoreError, match="no conversations of Hermes"), History().opened():
        pass


def test_before_the_first_conversation_nothing_is_wrong(host: Callable[[Any], list[str]], tmp_path: Path) -> None:
    """The first hour: what `learn` finds in a Hermes that nobody talked to yet."""
    with pytest.raises(sqlite3.OperationalError) as missing:
        sqlite3.connect(f"file:{tmp_path}/state.db?mode=ro", uri=True).execute("SELECT 1 FROM sqlite_master")
    host(missing.value)
    with pytest.raises(Refused, match="kept no conversations here yet"), History().opened():
        pass


def test_a_history_that_breaks_while_it_is_read_is_closed_and_told(host: Callable[[Any], list[str]]) -> None:
    asked = host(lambda session: None)
    with pytest.raises(StoreError, match="cannot be read now"), History().opened():
        raise sqlite3.DatabaseError("malformed")
    assert asked == ["opened", "closed"]


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
