"""Rebuilds turns and conversations from the message rows that a host keeps, whatever those hold; it asks nobody for them, and never guesses
what became of a call. A module of its own, because history would otherwise both ask the host and know what its rows mean."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from .model import PREFIX, Call, Event, Json, Outcome, Status, canonical

Row = Mapping[str, Json]

# ── Whose it is, and which conversation (A2) ─────────────────────────────────────────────────────

IDLE_S = 4 * 3_600.0
"""A platform chat that was idle for longer is a new conversation (A2)."""
OURSELVES = frozenset({"cron", "subagent"})
ENDING = frozenset({"", "cli", "tui", "cron", "subagent"})
"""Platforms whose sessions end; on all others a chat goes on for ever."""
PRIVATE = frozenset({"", "dm", "private", "direct"})
NOTICE = "[ASYNC DELEGATION"
"""How the host begins a message of its own that hands over what sub-agents did (host contract 1)."""
INTERNAL = "internal_notification"
"""How its rows are marked."""
GOES_ON = "compression"
"""Why a session ended that another one continues."""


def whose(platform: str, message: str, chat: Callable[[], str]) -> str:
    """Whose turn it is: "person", or what does not count as one: "cron", "subagent", "group", "notice". `chat` tells the kind of chat."""
    if platform in OURSELVES:
        return platform
    if message.startswith(NOTICE):
        return "notice"
    return "group" if platform not in ENDING and chat() not in PRIVATE else "person"


@dataclass(frozen=True, slots=True)
class Session:
    """One session as the host's row tells it; times in epoch seconds."""

    id: str
    platform: str = ""
    parent: str = ""
    ended: str = ""
    """Why it ended; empty while it goes on."""
    chat: str = ""
    folder: str = ""
    began: float = 0.0
    active: float = 0.0
    """When something was last said in it."""
    branched: bool = False
    """Whether it began as a copy of its parent."""


def session(row: Row) -> Session | None:
    """The session of a row; None when the row names none."""
    name = row.get("id")
    if not isinstance(name, str) or not name:
        return None
    source, began = _word(row.get("source")), _number(row.get("started_at"))
    platform = "cli" if source == "oneshot" else source
    parent, ended, chat, folder = (_word(row.get(key)) for key in ("parent_session_id", "end_reason", "chat_type", "cwd"))
    latest = max(began, _number(row.get("last_active")), _number(row.get("ended_at")))
    return Session(name, platform, parent, ended, chat, folder, began, latest, bool(row.get("_branched_from")))


def families(found: Iterable[Session]) -> tuple[tuple[Session, ...], ...]:
    """Sessions that share rows or a conversation, together, parents first; the family that was active last comes first."""
    known = {one.id: one for one in found}
    members: dict[str, list[Session]] = {}
    for one in known.values():
        members.setdefault(_root(one, known, lambda child, parent: _related(child, parent) or child.branched), []).append(one)
    inside = (tuple(sorted(one, key=_order)) for one in members.values())
    return tuple(sorted(inside, key=lambda one: (-max(each.active for each in one), one[0].id)))


def _order(one: Session) -> tuple[bool, float, str]:
    """Sessions that go on from one another stand side by side; those of sub-agents come after them."""
    return one.platform == "subagent", one.began, one.id


def roots(family: Sequence[Session]) -> dict[str, str]:
    """Session → the first session of its conversation: a parent is followed only where it was compressed, or the child is a sub-agent."""
    known = {one.id: one for one in family}
    return {one.id: _root(one, known, _related) for one in family}


def _related(child: Session, parent: Session) -> bool:
    return child.platform == "subagent" or parent.ended == GOES_ON and not child.branched


def _root(one: Session, known: Mapping[str, Session], follows: Callable[[Session, Session], bool]) -> str:
    seen = {one.id}
    while one.parent in known and one.parent not in seen and follows(one, known[one.parent]):
        one = known[one.parent]
        seen.add(one.id)
    return one.id


# ── Rows ─────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Asked:
    """One call as a model asked for it: the id it gave, the host's own for it, tool and arguments (None: not readable)."""

    id: str
    uid: str
    tool: str
    arguments: Mapping[str, Json] | None


@dataclass(frozen=True, slots=True)
class Line:
    """One message row, as far as it could be read."""

    id: int
    role: str
    content: Json
    at: float
    kept: bool
    """Whether it is live, or was only compressed away; what was undone is neither."""
    identity: str
    """Equal for the copies of one message."""
    says: str
    """Equal for all messages that say the same."""
    copied: bool = False
    """Whether it may be a copy that only says the same."""
    asked: tuple[Asked, ...] = ()
    call_id: str = ""
    call_uid: str = ""
    tool: str = ""
    aside: bool = False
    """Whether the host wrote it about the conversation: the summary of what was compressed."""
    notice: bool = False


ROLES = frozenset({"user", "assistant", "tool"})


def line(row: Row, copied: bool = False) -> Line | None:
    """The row as a line; None where it holds no message of the three kinds. `copied` says that its session began as a copy of another, in
    which rows have ids and times of their own."""
    number, role, content = row.get("id"), row.get("role"), row.get("content")
    if not isinstance(number, int) or not isinstance(role, str) or role not in ROLES:
        return None
    asked = tuple(_asked(row)) if role == "assistant" else ()
    at = _number(row.get("timestamp"))
    uid = _word(row.get("message_uid")) or _word(row.get("tool_call_uid"))
    called = [[one.id, one.tool, dict(one.arguments or {})] for one in asked]
    says = _hash([role, content if isinstance(content, str) else "", _word(row.get("tool_call_id")), called])
    return Line(
        number,
        role,
        content,
        at,
        bool(row.get("active", 1)) or bool(row.get("compacted")),
        uid or f"{at}|{says}",
        says,
        copied,
        asked,
        _word(row.get("tool_call_id")),
        _word(row.get("tool_call_uid")),
        _word(row.get("tool_name")),
        bool(row.get("_compressed_summary")),
        row.get("display_kind") == INTERNAL,
    )


def _asked(row: Row) -> Iterator[Asked]:
    calls, uids = _loaded(row.get("tool_calls")), _loaded(row.get("tool_call_uids"))
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(function, Mapping) or not _word(function.get("name")):
            continue
        name = _word(call.get("id")) or _word(call.get("call_id"))
        arguments = _loaded(function.get("arguments"))
        uid = uids.get(name) if isinstance(uids, Mapping) else ""
        yield Asked(name, _word(uid), _word(function.get("name")), arguments if isinstance(arguments, Mapping) else None)


def _loaded(value: Json) -> Json:
    """JSON that may come as text; None where it is none."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def _word(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Json) -> float:
    """Epoch seconds; 0 where there are none that a clock could have shown."""
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e11
    return float(value) if good else 0.0


def _hash(value: Json) -> str:
    try:
        text = canonical(value)
    except (TypeError, ValueError, RecursionError):
        text = "unreadable"
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


# ── Turns ────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Past:
    """One turn as it was: who said what in which session, and the calls in the model's order. `over` is whether it came to its end."""

    id: str
    session: str
    began: float
    ended: float
    message: str = ""
    notice: bool = False
    over: bool = False
    events: tuple[Event, ...] = ()


@dataclass(slots=True)
class Making:
    """A turn in the making; `results` are the lines that answered, by the place of the call."""

    session: str
    opened: Line
    asked: list[tuple[Asked, Line]] = field(default_factory=list)
    results: dict[int, Line] = field(default_factory=dict)
    last: float = 0.0
    over: bool = False


class Weaver:
    """Makes turns out of the lines of one family, session by session; every message counts once, at the place where it was first said."""

    def __init__(self) -> None:
        self.kept: set[str] = set()
        self.seen: set[str] = set()
        self.said: set[str] = set()
        """What was said in sessions that are no copies."""
        self.making: Making | None = None

    def heed(self, found: Iterable[Line]) -> int:
        """Know which messages are kept, in these rows or a copy, before any is woven; how many rows there are."""
        rows = 0
        for one in found:
            rows += 1
            if one.kept:
                self.kept.add(one.identity)
                self.said |= {one.says} if not one.copied else set()
        return rows

    def woven(self, found: Iterable[Line], session: str) -> Iterator[Past]:
        """The turns of a session, each once the next begins; the last is under way until it is `finished`, or goes on in the session that
        continues this one."""
        for one in found:
            if one.identity not in self.kept or one.aside:
                continue
            if one.identity in self.seen or one.copied and one.says in self.said:
                if one.role == "user" and self.making and self.making.opened.identity != one.identity:
                    yield from self.finished()  # copies of an older turn: what is new after them is not this turn's
                continue
            self.seen.add(one.identity)
            if one.role == "user":
                yield from self.finished(over=True)
                self.making = Making(session, one, last=one.at)
            else:
                self._within(one, session)

    def _within(self, one: Line, session: str) -> None:
        nobody = replace(one, content="", notice=False, identity="")
        making = self.making = self.making or Making(session, nobody, last=one.at)
        making.last = max(making.last, one.at)
        if one.role == "assistant":
            making.asked += [(call, one) for call in one.asked]
            making.over = not one.asked
            return
        place = _place(making, one)
        if place is not None:
            making.results[place] = one

    def finished(self, over: bool = False) -> Iterator[Past]:
        """The turn that is under way, and none any more; `over` says that nothing more can come."""
        making, self.making = self.making, None
        if making is None:
            return
        opened, name = making.opened, f"{making.session}:history:{making.opened.id}"
        span, events = (opened.at, max(opened.at, making.last)), tuple(_events(making, name))
        over = over or making.over
        yield Past(name, making.session, *span, _said(opened.content), opened.notice, over, events)


def _place(making: Making, one: Line) -> int | None:
    """Which call of the turn a result answers: the one with its uid, else the latest unanswered one with its id; None where none is."""
    waiting = [at for at in range(len(making.asked) - 1, -1, -1) if at not in making.results]
    exact = (at for at in waiting if one.call_uid and making.asked[at][0].uid == one.call_uid)
    alike = (at for at in waiting if one.call_id and making.asked[at][0].id == one.call_id)
    return next(exact, next(alike, None))


def _events(making: Making, turn: str) -> Iterator[Event]:
    used: dict[str, int] = {}
    for at, (asked, line_) in enumerate(making.asked):
        answer = making.results.get(at)
        call, readable = _call(asked, answer)
        used[asked.id] = used.get(asked.id, 0) + 1
        name = asked.id if asked.id and used[asked.id] == 1 else f"{asked.id}#{used[asked.id]}"
        outcome = judged(answer.content) if answer and readable else Outcome(Status.UNKNOWN, None, "its answer was not kept")
        if call.tool.startswith(PREFIX):  # values that were supplied for one run are kept nowhere
            call, outcome = Call(call.tool, {}), Outcome(outcome.status)
        ended = max(line_.at, answer.at) if answer else line_.at
        yield Event(call, outcome, turn, name, at, f"{turn}:{line_.id}", line_.at, ended)


BRIDGE = "tool_call"
"""The host's tool through which a model reaches what its search found."""


def _call(asked: Asked, answer: Line | None) -> tuple[Call, bool]:
    """The call as the hooks would have told it, and whether it can be told: a call through the bridge under its own name."""
    arguments = asked.arguments
    if asked.tool != BRIDGE or answer and answer.tool == BRIDGE:  # a call that never reached its tool keeps the bridge's name
        return Call(asked.tool, dict(arguments or {})), arguments is not None
    inner = (arguments or {}).get("calls", [arguments])
    one = inner[0] if isinstance(inner, list) and len(inner) == 1 else None
    given = _loaded(one.get("arguments")) if isinstance(one, Mapping) else None
    name = _word(one.get("name")) if isinstance(one, Mapping) else ""
    tool = answer.tool if answer and answer.tool else name
    if not tool or not isinstance(given, Mapping):
        return Call(BRIDGE, dict(arguments or {})), False
    return Call(tool, dict(given)), True


def _said(content: Json) -> str:
    """What a person said: the text, or the texts of its parts."""
    return content if isinstance(content, str) else canonical(content) if content else ""


# ── Results ──────────────────────────────────────────────────────────────────────────────────────

WRAPPED = re.compile(r'<untrusted_tool_result source="[^"\n]{0,200}">\n[^\n]*\n\n(.*)\n</untrusted_tool_result>', re.DOTALL)
"""How the host shows a model what comes from outside."""
STORED, CLEARED = "<persisted-output>", "[Old tool output cleared"
"""How a result begins that was too large, or was cleared later."""
NEVER_BEGAN = ("[Tool execution cancelled", "[Tool execution skipped")


def judged(content: Json) -> Outcome:
    """What a result says became of the call, by the rules of live recording; what the host wrapped around it for the model goes. A result
    that is not there any more leaves the outcome unknown."""
    text = _text(content)
    wrapped = WRAPPED.match(text) if isinstance(text, str) else None
    plain = wrapped[1] if wrapped else text
    head = plain.lstrip()[:400] if isinstance(plain, str) else ""
    if head.startswith(NEVER_BEGAN):
        return Outcome(Status.INTERRUPTED, None, "the call was cancelled")
    if head.startswith(CLEARED):
        return Outcome(Status.UNKNOWN, None, "its answer was cleared")
    if head.startswith(STORED):
        return _stored(str(plain))
    return Outcome.read(plain)


def _stored(text: str) -> Outcome:
    """The outcome of a call whose result was too large: by its beginning; the result itself is not there."""
    beginning = text.partition("chars):\n")[2].lstrip()[:400]
    failed = re.match(r'\{\s*"(?:error|success)":\s*(?!null|true|"")', beginning) or not Outcome.read(beginning or None).ok
    return Outcome(Status.ERROR if failed else Status.OK, None, "its answer was too large to be kept")


def _text(content: Json) -> Json:
    """The text of a result that is a list of parts of text; anything else as it is."""
    if not isinstance(content, list) or not content:
        return content
    parts = [part for part in content if isinstance(part, Mapping) and part.get("type") == "text" and isinstance(part.get("text"), str)]
    return "\n".join(str(part["text"]) for part in parts) if len(parts) == len(content) else content


# ── Conversations over time ──────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Lived:
    """A turn that was recorded as it happened: its session, conversation, times, and when each of its calls ended, by id."""

    id: str
    session: str
    conversation: str
    began: float
    ended: float
    calls: Mapping[str, float] = field(default_factory=dict)


SLACK_S = 5.0
"""How far the times of a hook and of the host's row for the same call may be apart."""


@dataclass(frozen=True, slots=True)
class Span:
    """A time that is not to be learnt from, in one session or (empty) in all; epoch seconds."""

    session: str
    began: float
    ended: float

    def holds(self, past: Past) -> bool:
        """Whether a turn went on in it."""
        return self.session in ("", past.session) and self.began < past.ended and past.began < self.ended


class Chats:
    """What is known of the turns of one family: which were recorded, and the conversation of each (A2). Turns are asked about in the order
    of their time, session by session."""

    def __init__(self, family: Sequence[Session], lived: Sequence[Lived]) -> None:
        self.sessions, self.roots = {one.id: one for one in family}, roots(family)
        self.lived = sorted(lived, key=lambda one: one.began)
        self.ids = {one.id for one in lived}
        self.calls: dict[str, list[float]] = {}
        for one in lived:
            for name, at in one.calls.items():
                self.calls.setdefault(name, []).append(at)
        self.held = {self.roots[one.session]: one.conversation for one in reversed(self.lived) if one.session in self.roots}
        self.last: dict[str, tuple[str, float]] = {}

    def known(self, past: Past) -> bool:
        """Whether a turn counts already: it was brought before, or one of its calls was recorded, by id and at its time."""
        return past.id in self.ids or any(self._recorded(event) for event in past.events)

    def _recorded(self, event: Event) -> bool:
        times = self.calls.get(event.call_id.partition("#")[0], ())
        return any(event.started - SLACK_S <= at <= event.ended + SLACK_S for at in times)

    def conversation(self, past: Past) -> str:
        """That of the turn before, or of a recorded turn beside it; a chat that never ends and was idle begins a new one."""
        one = self.sessions[past.session]
        before = self.last.get(one.id)
        if before and not (one.platform not in ENDING and past.began - before[1] > IDLE_S):
            name = before[0]
        else:
            name = self._beside(past, one) or (f"{one.id}@{int(past.began)}" if before else self.roots[one.id])
        self.last[one.id] = name, max(past.ended, before[1] if before else 0.0)
        return name

    def _beside(self, past: Past, one: Session) -> str:
        """The conversation of what was recorded in the same session, in a chat that never ends within the time that it may be idle."""
        if one.platform in ENDING:
            return self.held.get(self.roots[one.id], "")
        near = (each for each in self.lived if each.session == one.id and max(each.began - past.ended, past.began - each.ended) <= IDLE_S)
        return next((each.conversation for each in near), "")
