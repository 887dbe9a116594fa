"""Looks up, read-only, what Hermes keeps of a conversation: where it comes from, what kind of chat it is, and what was said and called in
it; it never writes to the host's files."""

from __future__ import annotations

import contextvars
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from .model import KataError, Refused, StoreError
from .turns import Line, Session, line, session

PAGE = 200
"""Rows that are read at once."""


@dataclass(frozen=True, slots=True)
class Origin:
    """What the host's session row says; empty texts where it says nothing."""

    parent: str = ""
    """The session it goes on from."""
    ended: str = ""
    """Why it ended: "compression", "session_reset", …"""
    chat: str = ""
    """Kind of chat on a platform: "dm", "group", "channel", "thread", …"""


UNKNOWN = Origin()


class History:
    """The session database of one profile, opened for each question, since an agent that writes to it is never to wait for us."""

    def __init__(self) -> None:
        # The host resolves its home through a context variable, which a thread of ours would not have (B17).
        self._context = contextvars.copy_context()

    def origin(self, session: str) -> Origin:
        """Where a session comes from; UNKNOWN when there is no row, no file, or the file cannot be read now."""
        row = self._ask(lambda db: db.get_session(session))
        if not isinstance(row, Mapping):
            return UNKNOWN
        return Origin(*(str(row.get(name) or "") for name in ("parent_session_id", "end_reason", "chat_type")))

    def chat(self, key: str) -> str:
        """The session in which a chat of a gateway goes on, by the host's key for it; empty where it cannot be told."""
        rows = self._ask(lambda db: db.list_sessions_rich(session_key=key, limit=1)) if key else None
        return str(rows[0].get("id") or "") if rows else ""

    @contextmanager
    def opened(self) -> Iterator[Shelf]:
        """All that Hermes keeps, from one end to the other; Refused where there is nothing yet, StoreError where it cannot be read."""
        db = self._context.copy().run(_open)
        try:
            yield Shelf(db)
        except sqlite3.Error as error:
            raise StoreError(f"The conversations that Hermes keeps cannot be read now ({error})") from error
        finally:
            db.close()

    def _ask(self, question: Callable[[Any], Any]) -> Any:
        return self._context.copy().run(_asked, question)


def _asked(question: Callable[[Any], Any]) -> Any:
    try:
        from hermes_state import SessionDB
    except ImportError:
        return None
    try:
        db = SessionDB(read_only=True)
    except (OSError, sqlite3.Error):
        return None
    try:
        return question(db)
    except sqlite3.Error:
        return None
    finally:
        db.close()


def _open() -> Any:
    try:
        from hermes_state import SessionDB

        return SessionDB(read_only=True)
    except (ImportError, OSError, sqlite3.Error) as error:
        raise _unread(error) from error


def _unread(error: Exception) -> KataError:
    """What is told where the history does not open. Before the first conversation there is no file: nothing is wrong then."""
    if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_CANTOPEN:
        return Refused(f"Hermes has kept no conversations here yet, so there is nothing to learn from ({error})")
    return StoreError(f"There are no conversations of Hermes here that could be read ({error})")


class Shelf:
    """The open session database of the host, page by page."""

    def __init__(self, db: Any) -> None:
        self._db = db

    def sessions(self) -> Iterator[Session]:
        """Every session there is: archived and hidden ones too, and those of sub-agents."""
        every = dict.fromkeys(("include_children", "include_subagents", "include_archived", "include_hidden"), True)
        at = 0
        while rows := self._db.list_sessions_rich(limit=PAGE, offset=at, project_compression_tips=False, **every):
            yield from filter(None, map(session, rows))
            at += len(rows)

    def lines(self, one: Session) -> Iterable[Line]:
        """The messages of a session in the order in which they were written, the undone ones too; a short one is read once, a long one each
        time it is gone through, so that no more than a page is held."""
        pages = Pages(self._db, one)
        first = pages.page(0)
        return [*pages.read(first)] if len(first) < PAGE else pages


@dataclass(frozen=True, slots=True)
class Pages:
    """The lines of a long session."""

    db: Any
    session: Session

    def page(self, after: int) -> list[Mapping[str, Any]]:
        return list(self.db.get_messages(self.session.id, include_inactive=True, limit=PAGE, after_id=after))

    def read(self, rows: Iterable[Mapping[str, Any]]) -> Iterator[Line]:
        return filter(None, (line(row, self.session.branched) for row in rows))

    def __iter__(self) -> Iterator[Line]:
        rows = self.page(0)
        while rows:
            yield from self.read(rows)
            rows = self.page(int(rows[-1]["id"]))
