"""Turns hook payloads into records and writes them in batches on a thread of its own; it never makes a hook wait, and drops, counted, what
it cannot read. A module of its own, because runtime would otherwise both listen to hooks and keep a queue."""

from __future__ import annotations

import functools
import json
import queue
import threading
import time
import uuid
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from . import validator
from .history import UNKNOWN, Origin
from .model import (
    Call,
    Event,
    Json,
    ModelRequest,
    Outcome,
    PayloadError,
    Record,
    SchemaSeen,
    Status,
    StoreError,
    TurnEnd,
    TurnStart,
    canonical,
    named,
)
from .service import Service
from .turns import ENDING, GOES_ON, IDLE_S, whose

QUEUE = 10_000
"""Events that may wait for the writer; more are dropped and counted."""
BATCH, BATCH_S = 50, 1.0
WAITING = 500
"""Records that wait for a busy file."""
JOIN_S = 1.0


class Guarded(Protocol):
    """What the guard needs: whether it still works, and where a fault is noted."""

    closed: bool

    def fault(self, what: str) -> None: ...


F = TypeVar("F", bound=Callable[..., Any])


def never_breaks_the_agent(hook: F) -> F:
    """Let no exception out of a hook: the host would block the user's tool call (host contract, F5)."""

    @functools.wraps(hook)
    def guarded(self: Guarded, /, *args: Any, **payload: Any) -> Any:
        try:
            return None if self.closed else hook(self, *args, **payload)
        except Exception as error:
            self.fault(f"{hook.__name__}: {named(error)}")
            return None

    return guarded  # type: ignore[return-value]


PICKED: Mapping[str, tuple[str, ...]] = {
    "turn": ("turn_id", "session_id", "parent_session_id", "platform", "user_message"),
    "request": ("turn_id", "api_request_id", "model", "api_duration", "usage"),
    "call": ("turn_id", "tool_name", "args", "result", "tool_call_id", "api_request_id", "duration_ms", "status", "folder"),
    "end": ("turn_id", "session_id"),
}
"""What is taken of each payload; the rest may be large, or live objects that cannot be copied."""


OPEN = frozenset({"args", "result", "user_message", "usage"})
"""What may be any JSON; the rest is a text or a number."""


def _picked(kind: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    taken = {name: _frozen(payload.get(name), name in OPEN) for name in PICKED[kind]}
    return taken | ({"call_ids": _call_ids(payload.get("assistant_message"))} if kind == "request" else {})


def _frozen(value: Any, whole: bool) -> Any:
    """A copy that nobody else changes; the host's payloads are live objects. Not ASCII-escaped: an escaped pair of half characters
    would come back as one whole character (B46)."""
    if value is None or isinstance(value, str | int | float):
        return value
    return json.loads(json.dumps(value, default=_marked, ensure_ascii=False)) if whole else None


def _marked(value: Any) -> str:
    """What stands for a value that is not JSON; never its own `str`, which may raise."""
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else f"<{type(value).__name__}>"


def _call_ids(message: Any) -> list[str]:
    """The ids of the model's tool calls in its own order; the message is an object, or a dict in the plugin host."""
    calls = message.get("tool_calls") if isinstance(message, dict) else getattr(message, "tool_calls", None)
    found = []
    for call in calls or ():
        name = call.get("id") if isinstance(call, dict) else getattr(call, "id", None)
        found += [name] if isinstance(name, str) else []
    return found


@dataclass(slots=True)
class Places:
    """What the writer knows of the open turns: the order of calls, and whose turn it is."""

    conversations: OrderedDict[str, tuple[str, float]] = field(default_factory=OrderedDict)
    """Session → conversation, and when its last turn began or ended (epoch seconds)."""
    sessions: OrderedDict[str, str] = field(default_factory=OrderedDict)
    """Announced turn → session."""
    running: OrderedDict[str, str] = field(default_factory=OrderedDict)
    """Session → its latest turn, until that is over."""
    turns: OrderedDict[str, dict[str, int]] = field(default_factory=OrderedDict)
    """Announced turn → call id → position."""

    def position(self, turn: str, call: str) -> int:
        known = self.turns[turn]
        return known.setdefault(call, len(known))


class Recorder:
    """One thread that turns payloads into records and writes them in batches; it starts with the first event."""

    def __init__(
        self,
        service: Service,
        schema: Callable[[str], Json],
        fault: Callable[[str], None],
        origin: Callable[[str], Origin] = lambda session: UNKNOWN,
        room: int = QUEUE,
        around: Callable[[str, float], Mapping[str, str]] = lambda folder, at: {},
    ) -> None:
        self.service, self.schema, self._fault, self.origin, self.around = service, schema, fault, origin, around
        self.queue: queue.Queue[tuple[str, float, Mapping[str, Any]]] = queue.Queue(room)
        self.dropped = 0
        self.lost: Counter[str] = Counter()
        self.places = Places()
        self.schemas: dict[str, SchemaSeen] = {}
        self.unwritten: list[Record] = []
        self.unread: list[tuple[str, float, Mapping[str, Any]]] = []
        self._handed = self._settled = 0
        self.ending = self.closed = False
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def fault(self, what: str) -> None:
        """Note a fault of ours."""
        self._fault(what)

    def put(self, kind: str, at: float, payload: Mapping[str, Any]) -> None:
        """Hand over what we need of a payload, copied, without waiting. `kind` is "turn", "request", "call" or "end"."""
        try:
            picked = _picked(kind, payload)
        except (TypeError, ValueError, RecursionError) as error:
            kind, picked = "odd", {"kind": kind, "error": named(error)}
        self._put(kind, at, picked)

    def _put(self, kind: str, at: float, payload: Mapping[str, Any]) -> None:
        try:
            self.queue.put_nowait((kind, at, payload))
        except queue.Full:
            self.dropped += 1
        else:
            with self._lock:
                self._handed += kind not in CONTROL
        self._start()

    def _start(self) -> None:
        if self._thread is None:
            with self._lock:
                if self._thread is None and not self.closed:
                    self._thread = threading.Thread(target=self._work, name="kata-writer", daemon=True)
                    self._thread.start()

    def flush(self, seconds: float, mined: bool) -> bool:
        """Wait until everything handed over is written, and mined where asked; False when the time was too short."""
        done = threading.Event()
        self._put("mined" if mined else "written", 0.0, {"done": done})
        return done.wait(seconds)

    @property
    def held(self) -> int:
        """How many events were handed over and are neither written nor counted as lost."""
        return self._handed - self._settled + len(self.unread) + len(self.unwritten)

    def stop(self) -> None:
        """Write what waits and end the thread, within a second."""
        with self._lock:
            thread = self._thread
        if thread is None:
            self.closed = True
            return
        self.ending = True  # in a full queue there is no room for the word
        self._put("stop", 0.0, {})
        thread.join(JOIN_S)

    def _work(self) -> None:
        while not self.closed:
            batch = self._batch()
            self._settle(batch)
            for kind in CONTROL:
                _done(batch, kind)
            self.closed = any(kind == "stop" for kind, _, _ in batch) or self.ending and self.queue.empty()

    @never_breaks_the_agent
    def _settle(self, batch: list[tuple[str, float, Mapping[str, Any]]]) -> None:
        """Write a batch, and mine when a turn ended; whoever waits for the writing alone is let go in between."""
        events = [one for one in batch if one[0] not in CONTROL]
        try:
            self._write(events)
        finally:
            self._settled += len(events)
        _done(batch, "written")
        if any(kind in ("end", "mined") for kind, _, _ in batch):
            self.service.mine()

    def _batch(self) -> list[tuple[str, float, Mapping[str, Any]]]:
        """Up to 50 events, or those of one second; a request to flush ends the batch."""
        batch = [self.queue.get()]
        until = time.monotonic() + BATCH_S
        while len(batch) < BATCH and batch[-1][0] not in CONTROL:
            try:
                batch.append(self.queue.get(timeout=max(0.0, until - time.monotonic())))
            except queue.Empty:
                break
        return batch

    def _write(self, batch: list[tuple[str, float, Mapping[str, Any]]]) -> None:
        self._keep(self.unwritten + self._read(self.unread + batch))
        for name, n in list(self.lost.items()):
            if n:
                self.service.store.count(name, n)
            del self.lost[name]

    def _read(self, batch: list[tuple[str, float, Mapping[str, Any]]]) -> list[Record]:
        """The records of the events. Whose turn it is may have to be looked up: while the file is busy, that event and all after it wait
        for the next batch, in their order."""
        records: list[Record] = []
        self.unread = []
        for index, (kind, at, payload) in enumerate(batch):
            try:
                records += self._records(kind, at, payload)
            except PayloadError as error:
                self.lost["malformed"] += 1
                self.fault(error.message)
            except StoreError as error:
                self.unread = batch[index:][:WAITING]
                self.lost["not_written"] += len(batch) - index - len(self.unread)
                self.fault(error.message)
                break
        return records

    def _keep(self, records: list[Record]) -> None:
        """Write; what a busy file did not take waits for the next batch, what found no room is counted, and one record that cannot be
        written costs itself alone."""
        self.unwritten = []
        try:
            if not self._kept(records):
                self.lost["not_written"] += sum(not self._kept([one]) for one in records)
        except StoreError as error:
            self.unwritten = fitted(records)
            self.lost["not_written"] += len(records) - len(self.unwritten)
            self.fault(error.message)

    def _kept(self, records: list[Record]) -> bool:
        try:
            self.service.record(records)
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            self.fault(named(error))
            return False
        return True

    def _records(self, kind: str, at: float, payload: Mapping[str, Any]) -> list[Record]:
        if kind == "odd":
            raise PayloadError(f"Expected the payload of a {payload['kind']} to be JSON, got {payload['error']}")
        if kind == "end" and payload.get("turn_id") is None:  # the host closed a conversation, and names none of its turns
            return self._over(self.places.running.get(_text(payload, "session_id", kind)), at)
        turn = _text(payload, "turn_id", kind)
        if kind == "turn":
            return self._turn(turn, at, payload)
        if turn not in self.places.turns:
            self.lost["background_call"] += kind == "call"
            return []
        if kind == "end":
            return self._over(turn, at)
        return self._request(turn, at, payload) if kind == "request" else self._call(turn, at, payload)

    def _over(self, turn: str | None, at: float) -> list[Record]:
        if turn is None:
            return []
        session = self.places.sessions[turn]
        self.places.running.pop(session, None)
        _remember(self.places.conversations, session, (self._root(session), at))
        return [TurnEnd(turn, at)]

    def _turn(self, turn: str, at: float, payload: Mapping[str, Any]) -> list[Record]:
        session, parent = _text(payload, "session_id", "turn"), str(payload.get("parent_session_id") or "")
        if parent == session:  # the host's own review of the conversation (B11)
            return []
        platform, message = str(payload.get("platform") or ""), payload.get("user_message")
        told = message if isinstance(message, str) else canonical(message or "")
        who = self._who(session, platform, told)
        conversation = self._conversation(session, parent if who == "subagent" else "", platform, at)
        _remember(self.places.conversations, session, (conversation, at))
        _remember(self.places.sessions, turn, session)
        _remember(self.places.running, session, turn)
        _remember(self.places.turns, turn, self.places.turns.get(turn, {}))
        return [TurnStart(turn, session, conversation, platform, who, at, told)]

    def _who(self, session: str, platform: str, message: str) -> str:
        """Whose turn it is: "person", or what does not count as one: "cron", "subagent", "group", "notice"."""
        return whose(platform, message, lambda: self.origin(session).chat)

    def _conversation(self, session: str, above: str, platform: str, at: float) -> str:
        """The conversation of a turn (A2): that of the session's last turn, unless a chat that never ends by itself was idle for more
        than four hours; a new session goes on from the one it was compressed out of, a sub-agent from its parent."""
        known = self._latest(session)
        if known is not None:
            idle = platform not in ENDING and at - known[1] > IDLE_S
            return f"{session}@{int(at)}" if idle else known[0]
        if above:
            return self._root(above)
        origin = self.origin(session)
        return self._root(origin.parent) if origin.parent and self.origin(origin.parent).ended == GOES_ON else session

    def _root(self, session: str) -> str:
        return (self._latest(session) or (session, 0.0))[0]

    def _latest(self, session: str) -> tuple[str, float] | None:
        return self.places.conversations.get(session) or self.service.store.latest(session)

    def _request(self, turn: str, at: float, payload: Mapping[str, Any]) -> list[Record]:
        for call in payload.get("call_ids") or ():
            self.places.position(turn, str(call))
        given = payload.get("usage")
        usage = given if isinstance(given, dict) else {}
        seconds = payload.get("api_duration")
        return [
            ModelRequest(
                turn=turn,
                request=str(payload.get("api_request_id") or f"{turn}:{at}"),
                model=str(payload.get("model") or ""),
                at=at,
                seconds=float(seconds) if isinstance(seconds, int | float) and abs(seconds) < 1e9 else 0.0,
                input_tokens=max(_whole(usage, "input_tokens"), _whole(usage, "prompt_tokens") - _whole(usage, "cache_read_tokens")),
                output_tokens=_whole(usage, "output_tokens"),
                cache_tokens=_whole(usage, "cache_read_tokens"),
                tool_calls=len(payload.get("call_ids") or ()),
            )
        ]

    def _call(self, turn: str, at: float, payload: Mapping[str, Any]) -> list[Record]:
        tool, call_id = _text(payload, "tool_name", "call"), str(payload.get("tool_call_id") or uuid.uuid4().hex)
        args = payload.get("args")
        if not isinstance(args, dict):
            raise PayloadError(f"Expected the arguments of {tool} to be an object, got {type(args).__name__}")
        seconds = max(0, _whole(payload, "duration_ms")) / 1_000
        outcome = Outcome.read(payload.get("result"))
        said = str(payload.get("status") or "")
        if outcome.ok and said in ("blocked", "cancelled", "timeout"):
            outcome = Outcome(Status.TIMEOUT if said == "timeout" else Status.REFUSED, outcome.result, f"the host says {said}")
        new = tool not in self.schemas
        known = self._schema(tool)
        event = Event(
            Call(tool, validator.coerced(args, known.schema if known else None)),
            outcome,
            turn,
            call_id,
            self.places.position(turn, call_id),
            str(payload.get("api_request_id") or ""),
            at - seconds,
            at,
            said,
            known.fingerprint if known else "",
            str(payload.get("folder") or ""),
            self.around(str(payload.get("folder") or ""), at - seconds),
        )
        return [known, event] if new and known else [event]

    @never_breaks_the_agent
    def _schema(self, tool: str) -> SchemaSeen | None:
        """The tool's parameters as this process knows them; asked for once."""
        if tool not in self.schemas:
            parameters = self.schema(tool)
            if parameters is None:
                return None
            self.schemas[tool] = SchemaSeen(validator.fingerprint(parameters), tool, validator.normalised(parameters))
        return self.schemas[tool]


def fitted(records: list[Record], room: int = WAITING) -> list[Record]:
    """As many of the newest records as there is room for, and before others those that announce a turn: without them none of its calls
    could be kept."""
    over, kept = len(records) - room, list[Record]()
    for one in records:
        if over > 0 and not isinstance(one, TurnStart):
            over -= 1
        else:
            kept.append(one)
    return kept[-room:]


CONTROL = frozenset({"written", "mined", "stop"})


def _done(batch: list[tuple[str, float, Mapping[str, Any]]], kind: str) -> None:
    for name, _, payload in batch:
        if name == kind and "done" in payload:
            payload["done"].set()


def _remember(table: OrderedDict[str, Any], key: str, value: Any) -> None:
    table[key] = value
    while len(table) > 2_000:
        table.popitem(last=False)


def _text(payload: Mapping[str, Any], name: str, kind: str) -> str:
    value = payload.get(name)
    if not isinstance(value, str) or not value:
        raise PayloadError(f"Expected {name} in the payload of a {kind}, got {value!r}"[:200])
    return value


def _whole(payload: Mapping[str, Any], name: str) -> int:
    value = payload.get(name)
    return int(value) if isinstance(value, int | float) and value == value and abs(value) < 1e15 else 0
