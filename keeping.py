"""Keeps what happened for as long as the owner wants it: masked and cut before it is written, forgotten when it is too old or too much; it
never looks at what the calls say. A module of its own, because it is the one place that observed text passes before it is in the file."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from .discretion import cut, plain
from .door import Door
from .model import Call, Event, ModelRequest, Outcome, Record, SchemaSeen, TurnEnd, TurnStart
from .reading import Reading
from .recordings import Brought
from .redact import MASKER_VERSION, Masker
from .resuming import VALID_S
from .schemas import masked_schema
from .secrecy import label
from .settings import Settings
from .store import Store

TIDY_S = 3_600.0
SIZE, TIME = re.compile("[0-9]{1,9}"), re.compile(r"[0-9.]{1,30}")
MEGABYTE = 1_000_000
ROOMY, THINNED = 0.9, 10
"""The share of the wanted size that is left when the oldest turns have gone, and how many go at once."""
REMASKED = 1_000_001
"""Number of the first placeholder that a later look gives, beyond any that a first look gave."""
CONVERSATIONS = 200
"""Maskers that are kept; one per conversation."""

K = TypeVar("K")
V = TypeVar("V")


class Keeping(Reading):
    """What is recorded, and how long it stays; holds the maskers of the open conversations."""

    def __init__(self, store: Store, settings: Settings, door: Door) -> None:
        super().__init__(store, settings, door)
        self._maskers: OrderedDict[str, Masker] = OrderedDict()
        self._conversations: OrderedDict[str, str] = OrderedDict()

    def record(self, records: Iterable[Record]) -> None:
        """Keep what happened, masked and cut; one transaction."""
        self.store.add([self.masked(one) for one in records], MASKER_VERSION)

    def bring(self, past: Iterable[Brought]) -> int:
        """Keep turns out of the host's history, masked and cut as any record; one transaction; how many were not there yet."""
        return self.store.bring([self._masked(one) for one in past], MASKER_VERSION)

    def _masked(self, one: Brought) -> Brought:
        start = self.masked(one.start)  # first, because it says whose masker the calls go through
        events = tuple(found for event in one.events if isinstance(found := self.masked(event), Event))
        return replace(one, start=start, events=events) if isinstance(start, TurnStart) else one

    def masked(self, record: Record) -> Record:
        """The record without secrets: the only place where observed text passes before it is written."""
        match record:
            case TurnStart():
                _keep(self._conversations, record.turn, record.conversation, 10 * CONVERSATIONS)
                told = record.turn, record.session, record.conversation, record.platform
                turn, session, conversation, platform = map(label, told)
                message = self._masker(record.turn).text(record.message)
                return TurnStart(turn, session, conversation, platform, record.who, record.at, message)
            case Event():
                masker = self._masker(record.turn)
                outcome = record.outcome
                result = cut(masker.value(plain(outcome.result))) if self.settings.keep_results else None
                return replace(
                    record,
                    call=Call(label(record.call.tool), masker.value(dict(record.call.arguments))),
                    outcome=Outcome(outcome.status, result, masker.text(outcome.reason)),
                    turn=label(record.turn),
                    call_id=label(record.call_id),
                    request=label(record.request),
                    said=label(record.said),
                    folder=masker.text(record.folder),
                    around={name: masker.text(text) for name, text in record.around.items()},
                )
            case ModelRequest():
                return replace(record, turn=label(record.turn), request=label(record.request), model=label(record.model))
            case TurnEnd():
                return replace(record, turn=label(record.turn))
            case SchemaSeen():
                return replace(record, tool=label(record.tool), schema=masked_schema(record.schema))

    def _masker(self, turn: str) -> Masker:
        conversation = self._conversations.get(turn, turn)
        # A conversation that goes on in another process must not give one placeholder to two secrets.
        masker = self._maskers.get(conversation) or Masker(1 + 100 * self.store.length(conversation))
        _keep(self._maskers, conversation, masker, CONVERSATIONS)
        return masker

    def pause(self, paused: bool) -> None:
        """Stop or resume the recording in every process, from its next turn on (K99); what happens meanwhile is not learnt later either."""
        now = self.door.clock()
        with self.store.bundle():
            self.store.unveil("", now)
            if paused:
                self.store.veil("", now, None)
            self.store.note("paused", "yes" if paused else "")

    @property
    def paused(self) -> bool:
        return self.store.noted("paused") == "yes"

    def tidy(self) -> int:
        """Forget what is older than the owner wants it kept (K98), of runs too, at most once an hour; the number of turns that went."""
        now = self.door.clock()
        if abs(now - self.store.number("tidied")) < TIDY_S:  # a time in the future was written by a clock that was wrong
            return 0
        self.store.note("tidied", repr(now))
        old = now - self.settings.retention_days * 86_400
        self.store.shed(old)
        gone = self.store.forget(old, self.settings.min_support) + self.thin()
        self.remask()
        return gone

    @property
    def full(self) -> bool:
        """Whether the file holds as much as the owner wants it to hold."""
        return self.store.occupied() >= self.settings.max_mb * MEGABYTE

    def thin(self) -> int:
        """Forget the oldest turns, and what runs of their time called, until there is room again, where the file holds more than the owner
        wants; the number of turns. Where no turn may go, older runs go alone, but for those that may still be resumed."""
        gone, enough = 0, ROOMY * self.settings.max_mb * MEGABYTE
        while (gone or self.full) and self.store.occupied() > enough:
            found, newest = self.store.thin(THINNED, self.settings.min_support)
            over = self.door.clock() - VALID_S
            if not found and not self.store.shed(over, THINNED):
                break
            if found:
                self.store.shed(min(newest, over))
                gone += found
                self.store.note("thinned", f"{self.settings.max_mb} {newest!r}")
        return gone

    @property
    def thinned(self) -> float:
        """Up to when (epoch seconds) turns had to go because of their size; 0 where none had to, or more may be kept since."""
        size, _, newest = self.store.noted("thinned").partition(" ")
        told = SIZE.fullmatch(size) and TIME.fullmatch(newest)
        return float(newest) if told and int(size) >= self.settings.max_mb else 0.0

    def remask(self) -> int:
        """Put what an older masker let through to the masker of today; the number of turns that were looked at."""
        maskers: dict[str, Masker] = {}
        waiting = self.store.masked_before(MASKER_VERSION)
        for turn, conversation in waiting:
            masker = maskers.setdefault(conversation, Masker(REMASKED))
            self.store.remask(turn, masker.value, MASKER_VERSION)
        return len(waiting)

    def check(self) -> None:
        """Write one small row and count what ended processes could not write; StoreError when the file cannot be used."""
        self.store.note("checked", repr(self.door.clock()))
        self.store.inherit(self.door.alive)


def _keep(table: OrderedDict[K, V], key: K, value: V, limit: int) -> None:
    """Remember the newest `limit` entries."""
    table[key] = value
    table.move_to_end(key)
    while len(table) > limit:
        table.popitem(last=False)
