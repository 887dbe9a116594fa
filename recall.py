"""Brings the conversations that the host keeps into the record, as if they had been recorded, and looks for routines in them; it reads only
when it is asked to, and never counts anything twice. A module of its own, because the service would otherwise also know how a history is
read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from . import scene, validator
from .door import Shelf
from .model import Event, Json, Refused, SchemaSeen, TurnStart
from .noticing import suits
from .recordings import Brought
from .rounds import NOTHING, Mined
from .service import Service
from .turns import GOES_ON, Chats, Line, Past, Session, Span, Weaver, families, whose

DAY_S = 86_400.0
BATCH, BATCH_CHARS = 100, 500_000
"""Calls, and characters of their results, that are written in one transaction, together with those of their turn."""
UNDER_WAY_S = 3_600.0
"""A turn without an end, in a session in which something happened so lately, may still go on."""
THERE, OPEN, VEILED = "recorded already", "still under way", "while the recording was off, or erased since"
"""Why a turn with calls is left out."""
BAR = 30
LOOKING_S = 60.0
"""How long what was read is compared at once; what is left then is looked at as turns end."""


@dataclass(slots=True)
class Learnt:
    """What was read, or would be: how many conversations and turns with calls, calls by whose they are, what was left out and why (turns by
    reason), from when to when (epoch seconds), and what was found."""

    days: float
    conversations: set[str] = field(default_factory=set)
    turns: int = 0
    calls: Counter[str] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)
    oldest: float = 0.0
    newest: float = 0.0
    full: bool = False
    """Whether the reading ended early, because the file holds as much as it may."""
    mined: Mined = NOTHING


def learn(service: Service, days: float) -> Learnt:
    """Read what the host keeps of the last `days`, newest first, and look for routines; Refused while another process is at it, StoreError
    where there is nothing to read. What is there already is left as it is, so that it can be stopped, and done again."""
    archive, owner = service.door.archive, service.door.owner
    if archive is None:
        raise Refused("The conversations that Hermes keeps cannot be read here")
    if not service.store.lease(owner, service.door.alive, "learner", service.door.clock()):
        raise Refused("Another process learns from the history just now; try again when it is done")
    try:
        with archive.opened() as shelf:
            told = Reading(service, shelf, days).read()
        service.doing = ""
        return replace(told, mined=service.mine(None, service.door.clock() + LOOKING_S))
    finally:
        service.doing = ""
        service.store.release(owner, "learner")


def preview(service: Service, days: float) -> Learnt:
    """The same, done to a copy that goes away."""
    with closing(service.store.copy()) as aside:
        return learn(Service(aside, service.settings, service.door), days)


class Reading:
    """One pass over the history."""

    def __init__(self, service: Service, shelf: Shelf, days: float) -> None:
        self.service, self.store, self.shelf = service, service.store, shelf
        self.now = service.door.clock()
        self.since = max(self.now - days * DAY_S, service.thinned)  # what had to go for its size does not come back
        self.kept = self.now - service.settings.retention_days * DAY_S
        self.told = Learnt(days)
        self.floor = self.store.floor()
        self.waiting: list[Brought] = []
        self.held = [0, 0]
        self.schemas: dict[str, tuple[Json, str]] = {}

    def read(self) -> Learnt:
        """Go through all families of sessions, the one that was active last first."""
        found = families(self.shelf.sessions())
        for number, family in enumerate(found):
            self.told.full = self.service.full
            if max(one.active for one in family) < self.since or self.told.full:
                break
            self.service.doing = bar(number, len(found))
            self._family(family)
        self._write()
        return self.told

    def _family(self, family: Sequence[Session]) -> None:
        names = [one.id for one in family]
        chats, spans, weaver = Chats(family, self.store.lived(names)), self.store.veiled(names), Weaver()
        every = {one.id: self.shelf.lines(one) for one in family}
        self.floor -= sum(weaver.heed(found) for found in every.values())  # a turn takes a row at least
        folders = {one.id: one.folder for one in family}
        for number, past in enumerate(self._turns(family, every, weaver), self.floor):
            conversation, reason = chats.conversation(past), self._reason(past, chats, spans)
            placed = [*_placed(past, folders)]
            if past.began <= self.since or not past.events:
                continue
            if reason:
                self.told.left[reason] += 1
            else:
                self._take(replace(past, events=tuple(placed)), chats.sessions[past.session], conversation, number)

    def _turns(self, family: Sequence[Session], every: Mapping[str, Iterable[Line]], weaver: Weaver) -> Iterator[Past]:
        for one in family:
            yield from weaver.woven(every[one.id], one.id)
            if one.ended != GOES_ON:
                yield from weaver.finished(over=bool(one.ended) or self.now - one.active > UNDER_WAY_S)
        yield from weaver.finished(over=True)

    def _reason(self, past: Past, chats: Chats, spans: Sequence[Span]) -> str:
        """Why a turn is left out; empty when it is not."""
        if chats.known(past):
            return THERE
        return OPEN if not past.over else VEILED if any(span.holds(past) for span in spans) else ""

    def _take(self, past: Past, session: Session, conversation: str, number: int) -> None:
        who = "notice" if past.notice else whose(session.platform, past.message, lambda: session.chat)
        start = TurnStart(past.id, past.session, conversation, session.platform, who, past.began, past.message)
        kept = self.now if past.ended < self.kept else 0.0
        self.waiting.append(Brought(number, start, tuple(map(self._fitted, past.events)), past.ended, kept))
        told = self.told
        told.conversations.add(conversation)
        told.turns, told.calls[who] = told.turns + 1, told.calls[who] + len(past.events)
        told.oldest, told.newest = min(told.oldest or past.began, past.began), max(told.newest, past.ended)
        self.held = [self.held[0] + len(past.events), self.held[1] + sum(map(_weight, past.events))]
        if self.held[0] >= BATCH or self.held[1] >= BATCH_CHARS:
            self._write()

    def _write(self) -> None:
        waiting, self.waiting, self.held = self.waiting, [], [0, 0]
        if waiting:
            self.service.bring(waiting)

    def _fitted(self, event: Event) -> Event:
        """The event with its arguments as the tool takes them, and the tool's schema of today where they fit it."""
        tool = event.call.tool
        if tool not in self.schemas:
            found = self.service.door.parameters(tool)
            name = "" if found is None else validator.fingerprint(found)
            self.schemas[tool] = found, name
            if name:
                self.service.record([SchemaSeen(name, tool, validator.normalised(found))])
        parameters, name = self.schemas[tool]
        arguments = validator.coerced(event.call.arguments, parameters)
        return replace(event, call=replace(event.call, arguments=arguments), schema=name if suits(arguments, parameters) else "")


def _weight(event: Event) -> int:
    """About how many characters a result has."""
    result = event.outcome.result
    parts = [*result.values()] if isinstance(result, Mapping) else [result]
    return sum(len(one) for one in parts if isinstance(one, str | list))


def _placed(past: Past, folders: dict[str, str]) -> Iterator[Event]:
    """The events, each with the folder in which the session's terminal was by then, and with its day."""
    for event in past.events:
        yield replace(event, folder=folders[past.session], around=scene.recorded("", event.started, local=False))
        result = event.outcome.result
        if event.call.tool == "terminal" and isinstance(result, Mapping) and isinstance(result.get("cwd"), str):
            folders[past.session] = result["cwd"]


def bar(done: int, every: int) -> str:
    """How far the reading is, as a line for a person who waits."""
    full = done * BAR // max(1, every)
    return f"[{'#' * full}{'.' * (BAR - full)}] {done} of {every} conversations read"
