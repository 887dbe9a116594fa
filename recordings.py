"""What was recorded, in the file: turns, calls, model requests and the tools as they were, in the order in which they came; it masks
nothing, whoever writes has done that. A module of its own, because this alone cannot be worked out anew."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

from .file import File
from .findings import delete, soiled
from .model import Call, Event, Json, ModelRequest, PayloadError, Record, SchemaSeen, Turn, TurnEnd, TurnStart
from .rows import Row, bind, moment, pack, stored_event, unbind
from .secrecy import label
from .statements import add_to, insert, marks, sql, value_of
from .turns import Lived, Span


@dataclass(frozen=True, slots=True)
class Brought:
    """A turn out of the host's history: its number, which is below those of what was recorded, and when it came (epoch seconds) where it
    is older than what is kept otherwise, else 0."""

    number: int
    start: TurnStart
    events: tuple[Event, ...]
    ended: float
    kept: float = 0.0


@dataclass(frozen=True, slots=True)
class Told:
    """What a turn was about: the words of its user, when it and its conversation began (epoch seconds), whether some tool was called."""

    message: str
    at: float
    began: float
    called: bool


class Recordings(File):
    """What was recorded, and the times that are not to be learnt from."""

    def add(self, records: Iterable[Record], masker: int = 0) -> None:
        """Write the records, which went through that version of the masker, in one transaction. What cannot be stored is counted: a turn
        that nobody announced as "unknown_turn", a call id seen before as "repeated_call", a value that is not JSON as "not_stored"."""
        batch = tuple(records)
        with self._using("IMMEDIATE") as db:
            for record in batch:
                try:
                    _write(db, record)
                    if isinstance(record, TurnStart):
                        sql(db, "UPDATE turns SET masker = ? WHERE id = ?", masker, record.turn)
                except (PayloadError, sqlite3.IntegrityError):
                    add_to(db, "not_stored")

    def bring(self, past: Iterable[Brought], masker: int = 0) -> int:
        """Write turns out of the host's history, in one transaction; how many were not there yet."""
        batch = tuple(past)
        with self._using("IMMEDIATE") as db:
            return sum(_bring(db, one, masker) for one in batch)

    def floor(self) -> int:
        """The lowest number of a turn, at most 1: what comes out of the history gets lower ones."""
        return int(self._rows("SELECT min(1, coalesce(min(number), 1)) AS n FROM turns")[0]["n"])

    def lived(self, sessions: Collection[str]) -> tuple[Lived, ...]:
        """What is there of those sessions: the turns, with the times (epoch seconds) at which their calls ended."""
        found = []
        with self._using("DEFERRED") as db:
            for one in sessions:
                for row in sql(db, "SELECT number, id, conversation, started, ended FROM turns WHERE session = ?", one).fetchall():
                    rows = sql(db, "SELECT call_id, ended FROM events WHERE turn = ?", row["number"])
                    calls = {call["call_id"]: call["ended"] for call in rows}
                    found.append(Lived(row["id"], one, row["conversation"], row["started"], row["ended"] or row["started"], calls))
        return tuple(found)

    def veil(self, session: str, began: float, ended: float | None) -> None:
        """Keep that a time is not to be learnt from, in one session or (empty) in all; None leaves its end open."""
        with self._using("IMMEDIATE") as db:
            insert(db, "spans", {"session": label(session), "began": began, "ended": ended})

    def unveil(self, session: str, now: float) -> None:
        """End the times of a session (empty: of all) that have no end yet."""
        self._change("UPDATE spans SET ended = ? WHERE session = ? AND ended IS NULL", now, label(session))

    def veiled(self, sessions: Collection[str]) -> tuple[Span, ...]:
        """The times that are not to be learnt from, in those sessions or in all."""
        found: list[Row] = []
        for one in ("", *sessions):
            found += self._rows("SELECT session, began, coalesce(ended, 1e12) AS ended FROM spans WHERE session = ?", label(one))
        return tuple(Span(**row) for row in found)

    def turn(self, turn: str) -> Turn | None:
        """The turn with its events in the order in which they were issued."""
        with self._using("DEFERRED") as db:
            row = sql(db, "SELECT * FROM turns WHERE id = ?", turn).fetchone()
            return None if row is None else _turn(db, row)

    def turns(self) -> Iterator[Turn]:
        """All ended turns in the order of their arrival, fifty at a time in memory."""
        page = "SELECT * FROM turns WHERE number > ? AND ended IS NOT NULL ORDER BY number LIMIT 50"
        last = self.floor() - 1
        while True:
            with self._using("DEFERRED") as db:
                rows = sql(db, page, last).fetchall()
                found = [_turn(db, row) for row in rows]
            if not rows:
                return
            yield from found
            last = rows[-1]["number"]

    def recent(self, session: str, most: int) -> tuple[Turn, ...]:
        """The newest turns of a session (empty: of all conversations of persons) that hold calls, newest first."""
        chosen = "session = ?" if session else "who = 'person' AND ? = ''"
        select = f"SELECT * FROM turns WHERE {chosen} AND number IN (SELECT turn FROM events) ORDER BY number DESC LIMIT ?"
        with self._using("DEFERRED") as db:
            return tuple(_turn(db, row) for row in sql(db, select, label(session), most).fetchall())

    def lately(self, since: float, who: Sequence[str], most: int) -> tuple[Turn, ...]:
        """The newest turns of those since a time (epoch seconds) that hold calls, newest first."""
        select = f"""SELECT * FROM turns WHERE started > ? AND who IN ({marks(who)}) AND number IN (SELECT turn FROM events)
        ORDER BY number DESC LIMIT ?"""
        with self._using("DEFERRED") as db:
            return tuple(_turn(db, row) for row in sql(db, select, since, *who, most).fetchall())

    def told(self, turns: Sequence[str], tool: str = "") -> dict[str, Told]:
        """What is known of those of the turns that are kept, at most some hundred: what was said, and whether a tool was called."""
        began = "(SELECT min(started) FROM turns AS other WHERE other.conversation = turns.conversation) AS began"
        called = "EXISTS (SELECT 1 FROM events WHERE turn = turns.number AND tool = ?) AS called"
        select = f"SELECT id, message, started, {began}, {called} FROM turns WHERE id IN ({marks(turns)})"
        rows = self._rows(select, tool, *turns)
        times = ((moment(row["started"]), moment(row["began"])) for row in rows)
        return {str(row["id"]): Told(str(row["message"]), *both, bool(row["called"])) for row, both in zip(rows, times, strict=True)}

    def before(self, turn: str, position: int, most: int = 5) -> tuple[Call, ...]:
        """The latest calls that succeeded in a conversation before a place in one of its turns, the latest first."""
        select = """SELECT tool, arguments FROM events WHERE status = 'ok' AND (turn < :number OR position < :position)
        AND turn IN (SELECT number FROM turns WHERE conversation = :conversation AND number <= :number)
        ORDER BY turn DESC, position DESC LIMIT :most"""
        with self._using("DEFERRED") as db:
            row = sql(db, "SELECT number, conversation FROM turns WHERE id = ?", turn).fetchone()
            if row is None:
                return ()
            named = {"number": row["number"], "conversation": bind(row["conversation"]), "position": position, "most": most}
            return tuple(Call(str(unbind(tool)), dict(unbind(told))) for tool, told in db.execute(select, named).fetchall())

    def after(self, turn: str, position: int, most: int = 5) -> tuple[Call, ...]:
        """The next calls that succeeded in a turn after a place in it."""
        select = """SELECT tool, arguments FROM events WHERE status = 'ok' AND position > ?
        AND turn = (SELECT number FROM turns WHERE id = ?) ORDER BY position LIMIT ?"""
        with self._using("DEFERRED") as db:
            rows = db.execute(select, (position, bind(turn), most)).fetchall()
        return tuple(Call(str(unbind(tool)), dict(unbind(told))) for tool, told in rows)

    def oldest(self) -> float:
        """When the oldest turn began that is kept (epoch seconds); 0 where none is."""
        return float(self._rows("SELECT coalesce(min(started), 0) AS at FROM turns")[0]["at"])

    def masked_before(self, masker: int, limit: int = 200) -> tuple[tuple[str, str], ...]:
        """Turns, with their conversation, whose texts went through an older masker only; the oldest first."""
        select = "SELECT id, conversation FROM turns WHERE masker < ? ORDER BY number LIMIT ?"
        return tuple((str(row["id"]), str(row["conversation"])) for row in self._rows(select, masker, limit))

    def remask(self, turn: str, change: Callable[[Json], Json], masker: int) -> None:
        """Put every recorded text of a turn through `change`, in one transaction."""
        with self._using("IMMEDIATE") as db:
            row = sql(db, "SELECT number, message FROM turns WHERE id = ?", turn).fetchone()
            if row is None:
                return
            sql(db, "UPDATE turns SET message = ?, masker = ? WHERE number = ?", pack(change(row["message"])), masker, row["number"])
            select = "SELECT number, arguments, result, reason, folder, around FROM events WHERE turn = ?"
            changed = False
            for one in sql(db, select, row["number"]).fetchall():
                values = change(one["arguments"]), change(one["result"])
                changed |= values != (one["arguments"], one["result"])
                texts = pack(values[0]), pack(values[1]), change(one["reason"]), change(one["folder"]), pack(change(one["around"] or {}))
                update = "UPDATE events SET arguments = ?, result = ?, reason = ?, folder = ?, around = ? WHERE number = ?"
                sql(db, update, *texts, one["number"])
            if changed and value_of(db, "SELECT 1 FROM turns WHERE number = ? AND ended IS NOT NULL", row["number"]):
                soiled(db, row["number"])

    def latest(self, session: str) -> tuple[str, float] | None:
        """Conversation and time (epoch seconds) of the last turn of a session; None when it has none."""
        at = "max(started, coalesce(ended, started)) AS at"
        select = f"SELECT conversation, {at} FROM turns WHERE session = ? AND typeof(at) = 'real' ORDER BY number DESC LIMIT 1"
        row = self._first(select, label(session))
        return None if row is None else (str(row["conversation"]), float(row["at"]))

    def length(self, conversation: str) -> int:
        """How many turns of a conversation are kept."""
        return int(self._rows("SELECT count(*) AS n FROM turns WHERE conversation = ?", label(conversation))[0]["n"])

    def together(self, session: str, other: str) -> bool:
        """Whether two sessions belong to one conversation (A2)."""
        same = "SELECT a.number FROM turns AS a JOIN turns AS b ON a.conversation = b.conversation"
        one, two = label(session), label(other)
        return one == two or bool(self._rows(f"{same} WHERE a.session = ? AND b.session = ? LIMIT 1", one, two))

    def requests(self, turn: str) -> tuple[ModelRequest, ...]:
        """The model requests of a turn, in the order of their arrival."""
        select = "SELECT requests.* FROM requests JOIN turns ON turns.number = requests.turn WHERE turns.id = ? ORDER BY requests.rowid"
        return tuple(ModelRequest(**{**row, "turn": turn}) for row in self._rows(select, turn))

    def schema(self, fingerprint: str) -> Json | None:
        """The parameter schema of that fingerprint; None where it was never seen."""
        row = self._first("SELECT body FROM schemas WHERE fingerprint = ?", fingerprint)
        return None if row is None else row["body"]

    def tools(self) -> dict[str, str]:
        """The fingerprint of each tool's schema as an agent process saw it last."""
        return {row["tool"]: row["fingerprint"] for row in self._rows("SELECT tool, fingerprint FROM tools")}

    def forget(self, before: float, least: int = 1) -> int:
        """Delete the turns that were over before that time, with all that hangs on them; the number of turns. The families that lose
        evidence are looked at again, those of at least `least` conversations or told about."""
        with self._using("IMMEDIATE") as db:
            return delete(db, "SELECT number FROM turns WHERE max(coalesce(ended, started), kept) < ?", (before,), least)

    def thin(self, most: int, least: int = 1) -> tuple[int, float]:
        """Delete the `most` oldest turns that are over and no example of a standing kata, as `forget` does; how many there were, and when
        the newest of them began (epoch seconds)."""
        current = "SELECT exhibits FROM versions JOIN katas ON id = kata AND version = number WHERE withdrawn = '' AND state <> 'rejected'"
        with self._using("IMMEDIATE") as db:
            shown = {one["turn"] for row in sql(db, current) for one in row["exhibits"]}
            old = sql(db, "SELECT number, id, started FROM turns WHERE ended IS NOT NULL ORDER BY started, number").fetchall()
            chosen = [row for row in old if row["id"] not in shown][:most]
            for row in chosen:
                sql(db, "UPDATE turns SET dirty = -1 WHERE number = ?", row["number"])
            newest = max((float(row["started"]) for row in chosen), default=0.0)
            return delete(db, "SELECT number FROM turns WHERE dirty = -1", (), least), newest


def _write(db: sqlite3.Connection, record: Record) -> None:
    match record:
        case TurnStart():
            _write_start(db, record)
        case SchemaSeen(fingerprint, tool, schema):
            row = {"fingerprint": fingerprint, "tool": tool, "body": pack(schema)}
            insert(db, "schemas", row, "ON CONFLICT (fingerprint) DO NOTHING")
        case _:
            turn = value_of(db, "SELECT number FROM turns WHERE id = ?", record.turn)
            if turn is None:
                add_to(db, "unknown_turn")
            else:
                _write_within(db, turn, record)


def _write_start(db: sqlite3.Connection, start: TurnStart) -> None:
    said = {"session": start.session, "conversation": start.conversation, "platform": start.platform, "who": start.who}
    row = {"id": start.turn, **said, "started": start.at, "message": pack(start.message)}
    again = ", ".join(f"{column} = excluded.{column}" for column in row)
    moved = "SELECT number FROM turns WHERE id = ? AND ended IS NOT NULL AND (conversation <> ? OR who <> ?)"
    counted = value_of(db, moved, start.turn, start.conversation, start.who)
    insert(db, "turns", row, f"ON CONFLICT (id) DO UPDATE SET {again}")
    if counted is not None:
        soiled(db, counted)
    select = "SELECT number FROM turns WHERE session = ? AND ended IS NULL AND id <> ?"
    for one in sql(db, select, start.session, start.turn).fetchall():  # a turn whose end was lost: the next one ends it
        sql(db, "UPDATE turns SET ended = ? WHERE number = ?", start.at, one["number"])
        soiled(db, one["number"])


def _write_within(db: sqlite3.Connection, turn: int, record: Event | ModelRequest | TurnEnd) -> None:
    match record:
        case Event():
            _write_event(db, turn, record)
        case ModelRequest():
            insert(db, "requests", {**asdict(record), "turn": turn}, "ON CONFLICT (turn, request) DO NOTHING")
        case TurnEnd():
            sql(db, "UPDATE turns SET ended = ? WHERE number = ?", record.at, turn)
            soiled(db, turn)


def _bring(db: sqlite3.Connection, past: Brought, masker: int) -> int:
    """Write a turn out of the host's history as one that is over; 0 where it is there already, else 1."""
    start, (number, kept) = past.start, (past.number, past.kept)
    said = {"session": start.session, "conversation": start.conversation, "platform": start.platform, "who": start.who}
    row = {"number": number, "id": start.turn, **said, "started": start.at, "message": pack(start.message), "masker": masker, "kept": kept}
    if not insert(db, "turns", row, "ON CONFLICT DO NOTHING").rowcount:
        return 0
    for event in past.events:
        _write_event(db, number, event, seen=False)
    sql(db, "UPDATE turns SET ended = ? WHERE number = ?", past.ended, number)
    soiled(db, number)
    return 1


def _write_event(db: sqlite3.Connection, turn: int, event: Event, seen: bool = True) -> None:
    call = {"turn": turn, "call_id": event.call_id, "position": event.position, "tool": event.call.tool}
    result, reason = event.outcome.result, event.outcome.reason
    outcome = {"status": event.outcome.status, "result": pack(result), "reason": reason, "said": event.said}
    around = {"request": event.request, "schema": event.schema, "folder": event.folder, "around": pack(dict(event.around))}
    row = {**call, "arguments": pack(dict(event.call.arguments)), **outcome, "started": event.started, "ended": event.ended, **around}
    if event.schema and seen:
        newer = "ON CONFLICT (tool) DO UPDATE SET fingerprint = excluded.fingerprint WHERE tools.fingerprint <> excluded.fingerprint"
        insert(db, "tools", {"tool": event.call.tool, "fingerprint": event.schema}, newer)
    if insert(db, "events", row, "ON CONFLICT (turn, call_id) DO NOTHING").rowcount == 0:
        add_to(db, "repeated_call")
    elif value_of(db, "SELECT ended FROM turns WHERE number = ?", turn) is not None:
        soiled(db, turn)  # a call that arrives after its turn was mined


def _turn(db: sqlite3.Connection, row: Row) -> Turn:
    rows = db.execute("SELECT * FROM events WHERE turn = ? ORDER BY position, started, number", (row["number"],))
    names = tuple(column[0] for column in rows.description)
    events = tuple(stored_event(names, event, row["id"]) for event in rows)
    return Turn(row["id"], row["conversation"], row["who"], moment(row["started"]), events)
