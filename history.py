"""Looks up, read-only, what Hermes keeps of a conversation and no hook tells: where it comes from and what kind of chat it is; it never
writes to the host's files."""

from __future__ import annotations

import contextvars
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


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
