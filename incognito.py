"""Keeps one message of a chat, and what is done for it, out of the record, because a person asked for that; it ends by itself and never
touches what was recorded. A module of its own, because runtime would otherwise also know which turns nobody is to hear of."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from .model import StoreError
from .store import Store
from .turns import OURSELVES

ANYWHERE = ""
"""The next message of a person in this process, where it has one chat."""
REMEMBERED = 1_000
"""Hidden turns whose late calls are still known as such."""
QUICK_S = 0.1
"""How long a hook waits for a busy file."""


class Incognito:
    """Which sessions wait for a message that is not recorded, and which turns are hidden."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self.store, self.clock = store, clock
        self.waiting: set[str] = set()
        self.turns: OrderedDict[str, None] = OrderedDict()
        self.dark: dict[str, float] = {}
        """Session → since when it is hidden (epoch seconds); those of sub-agents too."""

    def ask(self, session: str) -> None:
        """Let the next message of that session be hidden."""
        self.waiting.add(session)

    def begins(self, payload: Mapping[str, Any]) -> None:
        """A message arrived: hide it where that was asked for, or where it is a sub-agent's in a hidden turn; else the session is heard
        again."""
        session, above = str(payload.get("session_id") or ""), str(payload.get("parent_session_id") or "")
        if above == session:  # the host's own review of the conversation
            return
        person = payload.get("platform") not in OURSELVES
        asked = person and bool(self.waiting & {session, ANYWHERE})
        if not asked and (person or above not in self.dark):
            self._lift(session)
            return
        self.waiting -= {session, ANYWHERE} if asked else set()
        self.turns[str(payload.get("turn_id") or "")] = None
        while len(self.turns) > REMEMBERED:
            self.turns.popitem(last=False)
        self.dark[session] = self.clock()
        with suppress(StoreError), self.store.waiting(QUICK_S):
            self.store.veil(session, self.dark[session], None)

    def hides(self, payload: Mapping[str, Any]) -> bool:
        """Whether something belongs to a hidden turn."""
        return payload.get("turn_id") in self.turns

    def ends(self, payload: Mapping[str, Any]) -> None:
        """A turn is over: its session is heard again."""
        if self.hides(payload):
            self._lift(str(payload.get("session_id") or ""))

    def _lift(self, session: str) -> None:
        """End what is not to be learnt from; where its beginning could not be written, the whole of it is written now."""
        began = self.dark.pop(session, None)
        if began is None:
            return
        with suppress(StoreError), self.store.waiting(QUICK_S):
            now = self.clock()
            if not any(span.began == began for span in self.store.veiled([session])):
                self.store.veil(session, began, None)
            self.store.unveil(session, now)
