"""Keep what was recorded, found, decided and run in one SQLite file; the only SQL, and it never reads a clock or decides anything."""

from __future__ import annotations

import hashlib
import json
import os
import re
import sqlite3
import stat
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import asdict, dataclass, replace

from .model import (
    AuditRow,
    Check,
    Erasure,
    Event,
    Example,
    Fit,
    Json,
    Kata,
    KataError,
    ModelRequest,
    NearMiss,
    NewerStore,
    Occurrence,
    PayloadError,
    Place,
    Proposal,
    Record,
    Refused,
    RunRow,
    SchemaSeen,
    Spec,
    State,
    Status,
    StepTrace,
    StoreError,
    Turn,
    TurnEnd,
    TurnStart,
    Version,
    Wanted,
    canonical,
)
from .rows import Row, bind, pack, read_event, read_kata, read_step, read_version, stored_event, unbind
from .secrecy import label
from .turns import Lived, Span

Migration = Callable[[sqlite3.Connection], None]


@dataclass(frozen=True, slots=True)
class Brought:
    """A turn out of the host's history: its number, which is below those of what was recorded, and when it came (epoch seconds) where it
    is older than what is kept otherwise, else 0."""

    number: int
    start: TurnStart
    events: tuple[Event, ...]
    ended: float
    kept: float = 0.0


# ── The tables ───────────────────────────────────────────────────────────────────────────────────

FIRST = """
CREATE TABLE turns (
    number INTEGER PRIMARY KEY,             -- order of arrival: clocks jump (B39)
    id TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL, conversation TEXT NOT NULL, platform TEXT NOT NULL, who TEXT NOT NULL,
    started REAL NOT NULL, ended REAL, message BLOB NOT NULL,
    dirty INTEGER NOT NULL DEFAULT 0,       -- 0, or its place in the queue for mining; -1 while it is deleted
    masker INTEGER NOT NULL DEFAULT 0       -- version of the masker that its texts went through
);
CREATE INDEX turns_conversation ON turns (conversation);
CREATE INDEX turns_session ON turns (session);
CREATE INDEX turns_dirty ON turns (dirty) WHERE dirty > 0;
CREATE TABLE events (
    number INTEGER PRIMARY KEY,
    turn INTEGER NOT NULL REFERENCES turns ON DELETE CASCADE,
    call_id TEXT NOT NULL,                  -- unique in its turn only: some model servers start again at call_1
    position INTEGER NOT NULL,
    tool TEXT NOT NULL, arguments BLOB NOT NULL,
    status TEXT NOT NULL, result BLOB NOT NULL, reason TEXT NOT NULL, said TEXT NOT NULL,
    started REAL NOT NULL, ended REAL NOT NULL,
    request TEXT NOT NULL, schema TEXT NOT NULL, folder TEXT NOT NULL,
    UNIQUE (turn, call_id)
);
CREATE TABLE requests (
    turn INTEGER NOT NULL REFERENCES turns ON DELETE CASCADE,
    request TEXT NOT NULL, model TEXT NOT NULL, at REAL NOT NULL, seconds REAL NOT NULL,
    input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, cache_tokens INTEGER NOT NULL, tool_calls INTEGER NOT NULL,
    PRIMARY KEY (turn, request)
);
CREATE TABLE schemas (fingerprint TEXT PRIMARY KEY, tool TEXT NOT NULL, body BLOB NOT NULL);
CREATE TABLE tools (                        -- the schema of each as an agent saw it last
    tool TEXT PRIMARY KEY, fingerprint TEXT NOT NULL
);
CREATE TABLE windows (                      -- derived from events; one row per turn, however often it occurs there (K41)
    window INTEGER NOT NULL,
    turn INTEGER NOT NULL REFERENCES turns ON DELETE CASCADE,
    first INTEGER NOT NULL, last INTEGER NOT NULL, -- positions of its latest place
    size INTEGER NOT NULL,                  -- steps
    times INTEGER NOT NULL,                 -- places in that turn: chance is judged by them
    PRIMARY KEY (window, turn)
) WITHOUT ROWID;
CREATE INDEX windows_turn ON windows (turn);
CREATE TABLE families (                     -- the queue of those that are to be looked at
    window INTEGER PRIMARY KEY, size INTEGER NOT NULL,
    touched INTEGER NOT NULL DEFAULT 0      -- grows when it is queued once more, also while somebody looks at it
);
CREATE TABLE near (
    fingerprint TEXT PRIMARY KEY, window INTEGER NOT NULL,
    keys BLOB NOT NULL, rule TEXT NOT NULL, detail TEXT NOT NULL, support INTEGER NOT NULL
);
CREATE INDEX near_window ON near (window);
CREATE TABLE katas (
    id INTEGER PRIMARY KEY AUTOINCREMENT,   -- never used twice (A32)
    name TEXT NOT NULL DEFAULT '', state TEXT NOT NULL,
    fingerprint TEXT NOT NULL UNIQUE, keys BLOB NOT NULL, version INTEGER NOT NULL,
    withdrawn TEXT NOT NULL DEFAULT '',     -- why a proposal was taken back
    window INTEGER NOT NULL DEFAULT 0,
    ties BLOB NOT NULL,                     -- for each split how easily its parts fit each other
    chance TEXT NOT NULL DEFAULT ''         -- how it is explained by chance, as judged last
);
CREATE INDEX katas_window ON katas (window);
CREATE UNIQUE INDEX katas_name ON katas (name) WHERE name <> '';
CREATE TABLE versions (
    kata INTEGER NOT NULL REFERENCES katas, number INTEGER NOT NULL,
    spec TEXT NOT NULL, digest TEXT NOT NULL,
    fit BLOB NOT NULL, exhibits BLOB NOT NULL, checks BLOB NOT NULL,
    created REAL NOT NULL, approved REAL,
    PRIMARY KEY (kata, number)
);
CREATE TABLE shown (
    surface TEXT NOT NULL, kata INTEGER NOT NULL REFERENCES katas, digest TEXT NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (surface, kata)
);
CREATE TABLE audit (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    at REAL NOT NULL, actor TEXT NOT NULL, verb TEXT NOT NULL, kata INTEGER NOT NULL,
    before TEXT NOT NULL, after TEXT NOT NULL, digest TEXT NOT NULL, detail TEXT NOT NULL,
    hash TEXT NOT NULL                      -- of the row and the hash before it (T66)
);
CREATE TABLE runs (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,
    kata INTEGER NOT NULL REFERENCES katas, version INTEGER NOT NULL, tool TEXT NOT NULL, digest TEXT NOT NULL,
    session TEXT NOT NULL, inputs BLOB NOT NULL,
    started REAL NOT NULL, finished REAL, status TEXT NOT NULL, reason TEXT NOT NULL,
    folder TEXT NOT NULL DEFAULT '', owner TEXT NOT NULL DEFAULT '',
    resumes TEXT NOT NULL DEFAULT '',       -- the stopped run that it goes on with; each goes on once
    stopping INTEGER NOT NULL DEFAULT 0     -- whether a person asked it to stop
);
CREATE INDEX runs_kata ON runs (kata);
CREATE UNIQUE INDEX runs_resumes ON runs (resumes) WHERE resumes <> '';
CREATE TABLE run_steps (
    run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, step INTEGER NOT NULL, trace BLOB NOT NULL,
    PRIMARY KEY (run, step)
);
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
CREATE TABLE notes (name TEXT PRIMARY KEY, text TEXT NOT NULL)
"""


def _first(db: sqlite3.Connection) -> None:
    for statement in FIRST.split(";\n"):
        db.execute(statement)


def _gaps(db: sqlite3.Connection) -> None:
    """Windows may pass over calls that do not belong to them; which ones is known when every turn is counted once more."""
    db.execute("ALTER TABLE windows ADD COLUMN skipped TEXT NOT NULL DEFAULT ''")
    db.execute("ALTER TABLE katas ADD COLUMN loose TEXT NOT NULL DEFAULT ''")
    db.execute("UPDATE turns SET dirty = number WHERE ended IS NOT NULL")


def _past(db: sqlite3.Connection) -> None:
    """Turns may come out of the host's history; their numbers are below those of what was recorded as it happened, so 0 and less."""
    db.execute("ALTER TABLE turns ADD COLUMN kept REAL NOT NULL DEFAULT 0")  # when one came that was too old to be kept otherwise
    db.execute("CREATE TABLE spans (session TEXT NOT NULL, began REAL NOT NULL, ended REAL)")  # what is not to be learnt from
    db.execute("CREATE INDEX spans_session ON spans (session)")


def _around(db: sqlite3.Connection) -> None:
    """What else was known of where and when a call began."""
    db.execute("ALTER TABLE events ADD COLUMN around BLOB NOT NULL DEFAULT ''")


ACCOUNTS = """
CREATE TABLE spent (                        -- what a turn cost: numbers only, kept when the turn is forgotten
    turn TEXT PRIMARY KEY, at REAL NOT NULL, requests INTEGER NOT NULL
);
CREATE INDEX spent_at ON spent (at);
CREATE TABLE uses (                         -- what one call of a kata cost
    run TEXT PRIMARY KEY, kata INTEGER NOT NULL, turn TEXT NOT NULL, at REAL NOT NULL, told BLOB NOT NULL
);
CREATE INDEX uses_kata ON uses (kata);
CREATE TABLE times (                        -- what a routine cost when it was done by hand
    kata INTEGER NOT NULL, turn TEXT NOT NULL, at REAL NOT NULL, cost BLOB NOT NULL, PRIMARY KEY (kata, turn)
)
"""


def _accounts(db: sqlite3.Connection) -> None:
    for statement in ACCOUNTS.split(";\n"):
        db.execute(statement)


MIGRATIONS: tuple[Migration, ...] = (_first, _gaps, _past, _around, _accounts)
"""The step at index n takes a file from version n to n + 1; a step is never changed once it was published."""


def migrate(db: sqlite3.Connection, steps: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring the file to version `len(steps)` in one transaction, once, however many processes try at the same time;
    NewerStore when it is beyond that."""
    if _age(db, len(steps)) == len(steps):
        return
    with _transaction(db, "IMMEDIATE"):
        # Asked again: another process may have migrated while we waited for the lock (B45).
        for step in steps[_age(db, len(steps)) :]:
            step(db)
        db.execute(f"PRAGMA user_version = {len(steps)}")


def _age(db: sqlite3.Connection, known: int) -> int:
    """The version of the file; NewerStore when this plugin does not know it."""
    version = int(_one(db, "PRAGMA user_version"))
    if version > known:
        raise NewerStore(
            f"{_file(_path(db))} has version {version}, this plugin knows versions up to {known}: "
            "update the Kata plugin; until then the file is left untouched and nothing is recorded"
        )
    return version


# ── Statements ───────────────────────────────────────────────────────────────────────────────────


def _row(cursor: sqlite3.Cursor, values: tuple[Json, ...]) -> Row:
    return {column[0]: unbind(value) for column, value in zip(cursor.description, values, strict=True)}


def _sql(db: sqlite3.Connection, statement: str, *values: object) -> sqlite3.Cursor:
    cursor = db.cursor()
    cursor.row_factory = _row
    return cursor.execute(statement, [bind(value) for value in values])


def _insert(db: sqlite3.Connection, table: str, row: Mapping[str, object], otherwise: str = "") -> sqlite3.Cursor:
    return _sql(db, f"INSERT INTO {table} ({', '.join(row)}) VALUES ({_marks(row)}) {otherwise}", *row.values())


def _marks(values: Collection[object]) -> str:
    return ", ".join("?" * len(values))


def _one(db: sqlite3.Connection, select: str, *values: object) -> Json:
    """The first column of the first row; None when there is no row."""
    row = _sql(db, select, *values).fetchone()
    return None if row is None else next(iter(row.values()))


# ── Nouns to rows: each inside the caller's transaction ──────────────────────────────────────────


def _write(db: sqlite3.Connection, record: Record) -> None:
    match record:
        case TurnStart():
            _write_start(db, record)
        case SchemaSeen(fingerprint, tool, schema):
            row = {"fingerprint": fingerprint, "tool": tool, "body": pack(schema)}
            _insert(db, "schemas", row, "ON CONFLICT (fingerprint) DO NOTHING")
        case _:
            turn = _one(db, "SELECT number FROM turns WHERE id = ?", record.turn)
            if turn is None:
                _count(db, "unknown_turn")
            else:
                _write_within(db, turn, record)


def _write_start(db: sqlite3.Connection, start: TurnStart) -> None:
    said = {"session": start.session, "conversation": start.conversation, "platform": start.platform, "who": start.who}
    row = {"id": start.turn, **said, "started": start.at, "message": pack(start.message)}
    again = ", ".join(f"{column} = excluded.{column}" for column in row)
    moved = "SELECT number FROM turns WHERE id = ? AND ended IS NOT NULL AND (conversation <> ? OR who <> ?)"
    counted = _one(db, moved, start.turn, start.conversation, start.who)
    _insert(db, "turns", row, f"ON CONFLICT (id) DO UPDATE SET {again}")
    if counted is not None:
        _soil(db, counted)
    select = "SELECT number FROM turns WHERE session = ? AND ended IS NULL AND id <> ?"
    for one in _sql(db, select, start.session, start.turn).fetchall():  # a turn whose end was lost: the next one ends it
        _sql(db, "UPDATE turns SET ended = ? WHERE number = ?", start.at, one["number"])
        _soil(db, one["number"])


def _write_within(db: sqlite3.Connection, turn: int, record: Event | ModelRequest | TurnEnd) -> None:
    match record:
        case Event():
            _write_event(db, turn, record)
        case ModelRequest():
            _insert(db, "requests", {**asdict(record), "turn": turn}, "ON CONFLICT (turn, request) DO NOTHING")
        case TurnEnd():
            _sql(db, "UPDATE turns SET ended = ? WHERE number = ?", record.at, turn)
            _soil(db, turn)


def _bring(db: sqlite3.Connection, past: Brought, masker: int) -> int:
    """Write a turn out of the host's history as one that is over; 0 where it is there already, else 1."""
    start, (number, kept) = past.start, (past.number, past.kept)
    said = {"session": start.session, "conversation": start.conversation, "platform": start.platform, "who": start.who}
    row = {"number": number, "id": start.turn, **said, "started": start.at, "message": pack(start.message), "masker": masker, "kept": kept}
    if not _insert(db, "turns", row, "ON CONFLICT DO NOTHING").rowcount:
        return 0
    for event in past.events:
        _write_event(db, number, event, seen=False)
    _sql(db, "UPDATE turns SET ended = ? WHERE number = ?", past.ended, number)
    _soil(db, number)
    return 1


def _write_event(db: sqlite3.Connection, turn: int, event: Event, seen: bool = True) -> None:
    call = {"turn": turn, "call_id": event.call_id, "position": event.position, "tool": event.call.tool}
    result, reason = event.outcome.result, event.outcome.reason
    outcome = {"status": event.outcome.status, "result": pack(result), "reason": reason, "said": event.said}
    around = {"request": event.request, "schema": event.schema, "folder": event.folder, "around": pack(dict(event.around))}
    row = {**call, "arguments": pack(dict(event.call.arguments)), **outcome, "started": event.started, "ended": event.ended, **around}
    if event.schema and seen:
        newer = "ON CONFLICT (tool) DO UPDATE SET fingerprint = excluded.fingerprint WHERE tools.fingerprint <> excluded.fingerprint"
        _insert(db, "tools", {"tool": event.call.tool, "fingerprint": event.schema}, newer)
    if _insert(db, "events", row, "ON CONFLICT (turn, call_id) DO NOTHING").rowcount == 0:
        _count(db, "repeated_call")
    elif _one(db, "SELECT ended FROM turns WHERE number = ?", turn) is not None:
        _soil(db, turn)  # a call that arrives after its turn was mined


def _soil(db: sqlite3.Connection, turn: int) -> None:
    """Put the turn at the end of the queue for mining."""
    _sql(db, "UPDATE turns SET dirty = 1 + (SELECT coalesce(max(dirty), 0) FROM turns WHERE dirty > 0) WHERE number = ?", turn)


AGREED = "(verb IN ('approve', 'enable', 'rollback') OR verb = 'relax' AND before = 'active')"
"""The decisions by which a person agrees to a revision: to relax a check of what is in use is one."""
HOLDS = """NOT EXISTS (SELECT 1 FROM audit AS later WHERE later.kata = audit.kata AND later.verb = 'undo'
AND later.detail LIKE 'decision ' || audit.number || ':%')"""
"""Whether a decision was not taken back."""
PERSONS = "actor <> 'system'"
SNOOZE_S = 30 * 86_400.0
UNDO_S = 86_400.0

ALIVE = """(SELECT count(*) FROM (
    SELECT DISTINCT conversation FROM windows JOIN turns ON turns.number = windows.turn WHERE windows.window = :window LIMIT :least
)) >= :least
OR EXISTS (SELECT 1 FROM katas WHERE katas.window = :window AND state = 'candidate' AND withdrawn = '')
OR EXISTS (SELECT 1 FROM near WHERE near.window = :window)"""
"""Whether enough conversations hold a window, or something is told about it."""


def _queue(db: sqlite3.Connection, families: Mapping[int, int], least: int) -> None:
    """Let those of the families (window → steps) be looked at again that could be told about, or are."""
    again = "ON CONFLICT (window) DO UPDATE SET touched = touched + 1"
    insert = f"INSERT INTO families (window, size) SELECT :window, :size WHERE {ALIVE} {again}"
    db.executemany(insert, [{"window": window, "size": size, "least": least} for window, size in families.items()])


def _families(db: sqlite3.Connection, turns: str, *values: object) -> dict[int, int]:
    """Window → steps of the routines that could stand in those turns."""
    rows = db.execute(f"SELECT window, max(size) FROM windows WHERE size > 1 AND turn IN ({turns}) GROUP BY window", values)
    return dict(rows.fetchall())


def _delete(db: sqlite3.Connection, chosen: str, values: tuple[float, ...], least: int) -> int:
    """Delete the turns that a select chooses, and let the families that lose evidence be looked at again; the number of turns."""
    touched = _families(db, chosen, *values)
    gone = _sql(db, f"DELETE FROM turns WHERE number IN ({chosen})", *values).rowcount
    _queue(db, touched, least)
    return gone


def _count(db: sqlite3.Connection, name: str, n: int = 1) -> None:
    _insert(db, "counters", {"name": name, "value": n}, "ON CONFLICT (name) DO UPDATE SET value = value + excluded.value")


def _audit(db: sqlite3.Connection, row: AuditRow) -> None:
    """Write a decision down, chained to the one before it (T66)."""
    last = _one(db, "SELECT hash FROM audit ORDER BY number DESC LIMIT 1") or ""
    _insert(db, "audit", {**asdict(row), "hash": chained(last, row)})


def chained(last: str, row: AuditRow) -> str:
    """SHA-256 (hex) of a decision and the hash of the one before it."""
    text = canonical([last, float(row.at), row.actor, row.verb, row.kata, row.before, row.after, row.digest, row.detail])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _write_version(
    db: sqlite3.Connection, kata: int, number: int, proposal: Proposal, verb: str, now: float, actor: str = "system", detail: str = ""
) -> Kata:
    """Make the proposal the version of the kata that counts, with its audit row; its state stays."""
    spec = {"spec": canonical(proposal.spec.to_json()), "digest": proposal.spec.digest}
    exhibits, checks = [asdict(one) for one in proposal.exhibits], [asdict(one) for one in proposal.checks]
    evidence = {"fit": pack(asdict(proposal.fit)), "exhibits": pack(exhibits), "checks": pack(checks)}
    _insert(db, "versions", {"kata": kata, "number": number, **spec, **evidence, "created": now})
    _sql(db, "UPDATE katas SET version = ?, withdrawn = '' WHERE id = ?", number, kata)
    state = _one(db, "SELECT state FROM katas WHERE id = ?", kata)
    _audit(db, AuditRow(now, actor, verb, kata, state if number > 1 else "", state, spec["digest"], detail))
    return _kata(db, kata)


def _snapshot(kata: Kata) -> dict[str, Json]:
    """How a kata is before a decision."""
    version = kata.version
    return {"kata": kata.id, "state": kata.state, "name": kata.name, "version": version.number, "approved": version.approved}


def _undoable(db: sqlite3.Connection, actor: str, before: Mapping[str, Json]) -> None:
    """Keep how things were before the decision that was just written down, when a person made it."""
    if actor != "system":
        kept = canonical({**before, "number": int(_one(db, "SELECT max(number) FROM audit"))})
        _sql(db, "INSERT OR REPLACE INTO notes (name, text) VALUES ('undo', ?)", kept)


def _edited(db: sqlite3.Connection, kata: int, digest: str) -> bool:
    """Whether a person made that revision, so that no mining puts another in its place."""
    return bool(_one(db, f"SELECT number FROM audit WHERE kata = ? AND digest = ? AND verb = 'edit' AND {HOLDS} LIMIT 1", kata, digest))


def _free(db: sqlite3.Connection, run: RunRow, alive: Callable[[str], bool]) -> None:
    """Refuse a run that may not begin now: of two that go on with the same one, or that are at the same place at once, one wins."""
    later = _one(db, "SELECT id FROM runs WHERE resumes = ? AND resumes <> ''", run.resumes)
    if later is not None:
        raise Refused(f"Run {run.resumes} was resumed already, as run {later}; nothing was run")
    select = "SELECT id, owner FROM runs WHERE kata = ? AND folder = ? AND folder <> '' AND owner <> ? AND finished IS NULL AND started > ?"
    for row in _sql(db, select, run.kata, run.folder, run.owner, run.started - LONGEST_RUN_S).fetchall():
        if alive(row["owner"]):
            raise Refused(f"{run.tool} runs in this folder already, in another process (run {row['id']}); nothing more was run")


def _write_step(db: sqlite3.Connection, run: str, step: StepTrace) -> None:
    number = _one(db, "SELECT number FROM runs WHERE id = ? AND finished IS NULL", run)
    if number is None:
        raise Refused(f"Step {step.index} cannot be written: there is no unfinished run {run}")
    row = {"run": number, "step": step.index, "trace": pack(asdict(step))}
    _insert(db, "run_steps", row, "ON CONFLICT (run, step) DO UPDATE SET trace = excluded.trace")


# ── Erasing: inside the caller's transaction ─────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Doomed:
    """What an erasure takes: numbers of turns and of runs, fingerprints of near misses, katas, and for each version that stays with fewer
    examples what it keeps."""

    turns: frozenset[int]
    runs: frozenset[int]
    near: tuple[str, ...]
    thinner: tuple[tuple[int, int, Json, Json], ...]
    told: Erasure


def _doomed(db: sqlite3.Connection, wanted: Wanted) -> _Doomed:
    """Find what belongs to a conversation, uses a tool, or holds a path or a text."""
    turns, names = _doomed_turns(db, wanted)
    katas = _doomed_katas(db, wanted)
    gone = {one[0] for one in katas}
    thinner, examples = [], 0
    for row in _sql(db, "SELECT kata, number, spec, exhibits FROM versions ORDER BY kata, number").fetchall():
        kept = [one for one in row["exhibits"] if one["turn"] not in names and not _shows(one, wanted)]
        spec = _without_values(json.loads(row["spec"]))
        lost = len(row["exhibits"]) - len(kept)
        if row["kata"] not in gone and (lost or wanted.kind in ("path", "text") and _holds(json.loads(row["spec"]), wanted)):
            thinner.append((row["kata"], row["number"], kept, spec))
            examples += lost
    runs, near = _doomed_runs(db, wanted, turns, gone), _doomed_near(db, wanted)
    select = "SELECT DISTINCT conversation AS name FROM turns WHERE number = ?"
    conversations = len({_one(db, select, number) for number in turns})
    return _Doomed(turns, runs, near, tuple(thinner), Erasure(len(turns), conversations, len(runs), len(near), examples, katas))


def _doomed_turns(db: sqlite3.Connection, wanted: Wanted) -> tuple[frozenset[int], frozenset[str]]:
    """The numbers and the names of the turns that go: a turn goes whole, so that no two calls become neighbours that never were."""
    if wanted.kind == "conversation":
        rows = _sql(db, "SELECT number, id FROM turns WHERE conversation = ? OR session = ?", wanted.word, wanted.word).fetchall()
    elif wanted.kind == "tool":
        rows = _sql(db, "SELECT number, id FROM turns WHERE number IN (SELECT turn FROM events WHERE tool = ?)", wanted.word).fetchall()
    else:
        rows = [row for row in _sql(db, "SELECT number, id, message FROM turns") if _holds(row["message"], wanted)]
        select = "SELECT turn, arguments, result, reason, folder, around FROM events"
        inside = {row["turn"] for row in _sql(db, select) if _holds(row, wanted)}
        rows += [_sql(db, "SELECT number, id FROM turns WHERE number = ?", turn).fetchone() for turn in inside]
    return frozenset(row["number"] for row in rows), frozenset(row["id"] for row in rows)


def _doomed_katas(db: sqlite3.Connection, wanted: Wanted) -> tuple[tuple[int, str, str], ...]:
    """The katas that use a tool, or whose steps hold what is wanted, in any version."""
    found = {}
    select = "SELECT katas.id, name, state, spec FROM katas JOIN versions ON kata = katas.id ORDER BY katas.id, number"
    for row in _sql(db, select) if wanted.kind != "conversation" else ():
        spec = _without_values(json.loads(row["spec"]))
        tools = {step.get("tool") for step in spec["steps"]}
        if wanted.word in tools if wanted.kind == "tool" else _holds(spec, wanted):
            found[row["id"]] = (int(row["id"]), str(row["name"]), str(row["state"]))
    return tuple(found.values())


def _doomed_runs(db: sqlite3.Connection, wanted: Wanted, turns: Collection[int], katas: Collection[int]) -> frozenset[int]:
    asked = turns if wanted.kind == "conversation" else ()
    sessions = {_one(db, "SELECT session FROM turns WHERE number = ?", number) for number in asked}
    found = set()
    for row in _sql(db, "SELECT number, kata, session, inputs, reason, folder FROM runs").fetchall():
        steps = [one["trace"] for one in _sql(db, "SELECT trace FROM run_steps WHERE run = ?", row["number"])]
        told = {
            "conversation": row["session"] in sessions or row["session"] == wanted.word,
            "tool": any(step["tool"] == wanted.word for step in steps),
        }
        if row["kata"] in katas or told.get(wanted.kind, False) or _holds([row["inputs"], row["reason"], row["folder"], *steps], wanted):
            found.add(int(row["number"]))
    return frozenset(found)


def _doomed_near(db: sqlite3.Connection, wanted: Wanted) -> tuple[str, ...]:
    rows = _sql(db, "SELECT fingerprint, keys, detail FROM near ORDER BY fingerprint").fetchall()
    mine = [row for row in rows if wanted.kind == "tool" and any(key.split("(")[0] == wanted.word for key in row["keys"])]
    return tuple(row["fingerprint"] for row in rows if row in mine or _holds([row["keys"], row["detail"]], wanted))


def _shows(exhibit: Json, wanted: Wanted) -> bool:
    return wanted.kind == "conversation" and exhibit["conversation"] == wanted.word or _holds(exhibit, wanted)


def _without_values(spec: Json) -> Json:
    """A stored spec without the values that its inputs had, which are evidence and no part of its digest."""
    inputs = [{**{key: value for key, value in one.items() if key != "choices"}, "examples": []} for one in spec["inputs"]]
    return {**spec, "inputs": inputs}


def _holds(value: Json, wanted: Wanted) -> bool:
    """Whether a text in the value, or a key, holds the wanted path or text; capitals do not matter."""
    if wanted.kind not in ("path", "text"):
        return False
    word = re.escape(wanted.word.casefold().rstrip("/") or "/")
    pattern = re.compile(rf"(?<![\w.-]){word}(?![\w-])" if wanted.kind == "path" else re.escape(wanted.word.casefold()))
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str) and pattern.search(one.casefold()):
            return True
        waiting += [*one.keys(), *one.values()] if isinstance(one, Mapping) else one if isinstance(one, list | tuple) else ()
    return False


def _erase(db: sqlite3.Connection, doomed: _Doomed, least: int) -> None:
    """Delete what was found; SQLite overwrites what it deletes. When it was stays known, so that the history does not bring it back."""
    for number in doomed.turns:
        spans = "INSERT INTO spans (session, began, ended) SELECT session, started, coalesce(ended, started) FROM turns WHERE number = ?"
        _sql(db, spans, number)
        for table in ("spent", "uses", "times"):
            _sql(db, f"DELETE FROM {table} WHERE turn = (SELECT id FROM turns WHERE number = ?)", number)
        _sql(db, "UPDATE turns SET dirty = -1 WHERE number = ?", number)
    _delete(db, "SELECT number FROM turns WHERE dirty = -1", (), least)
    for number in doomed.runs:
        _sql(db, "DELETE FROM runs WHERE number = ?", number)
    for fingerprint in doomed.near:
        _sql(db, "DELETE FROM near WHERE fingerprint = ?", fingerprint)
    for kata, number, kept, spec in doomed.thinner:
        update = "UPDATE versions SET exhibits = ?, spec = ? WHERE kata = ? AND number = ?"
        _sql(db, update, pack(kept), canonical(spec), kata, number)
        _sql(db, "UPDATE katas SET withdrawn = 'its examples were erased' WHERE id = ? AND withdrawn <> ''", kata)
    for kata, _name, _state in doomed.told.katas:
        for table in ("shown", "versions", "runs", "uses", "times"):
            _sql(db, f"DELETE FROM {table} WHERE kata = ?", kata)
        _sql(db, "DELETE FROM katas WHERE id = ?", kata)


# ── Reading inside the caller's transaction ──────────────────────────────────────────────────────

KATA = """SELECT katas.id, katas.name, katas.state, katas.fingerprint, katas.withdrawn, versions.*
FROM katas JOIN versions ON versions.kata = katas.id AND versions.number = katas.version"""
RUN = "SELECT id, kata, tool, version, digest, started, finished, status, reason, inputs, session, folder, owner, resumes FROM runs"
LONGEST_RUN_S = 3_600.0
"""An unfinished run that began longer ago holds nobody up: its end could not be written."""
WINDOW = "SELECT conversation, id AS turn, window, first, last, skipped FROM windows JOIN turns ON turns.number = windows.turn"


def _turn(db: sqlite3.Connection, row: Row) -> Turn:
    rows = _sql(db, "SELECT * FROM events WHERE turn = ? ORDER BY position, started, number", row["number"])
    events = tuple(read_event(event, row["id"]) for event in rows)
    return Turn(row["id"], row["conversation"], row["who"], row["started"], events)


def _example(db: sqlite3.Connection, where: Occurrence) -> Example:
    rows = db.execute(
        """SELECT * FROM events WHERE turn = (SELECT number FROM turns WHERE id = ?) AND position BETWEEN ? AND ?
        ORDER BY position, started, number""",
        (bind(where.turn), where.first, where.last),
    )
    names = tuple(column[0] for column in rows.description)
    at = names.index("position")
    kept = (row for row in rows if row[at] not in where.skipped)
    return Example(where.conversation, where.turn, tuple(stored_event(names, row, where.turn) for row in kept))


def _occurrence(row: Row) -> Occurrence:
    return Occurrence(row["conversation"], row["turn"], row["first"], row["last"], _numbers(row["skipped"]))


def _positions(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers))


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(one) for one in text.split(",") if one)


def _run(db: sqlite3.Connection, row: Row) -> RunRow:
    select = "SELECT trace FROM run_steps WHERE run = (SELECT number FROM runs WHERE id = ?) ORDER BY step"
    steps = tuple(read_step(step["trace"]) for step in _sql(db, select, row["id"]))
    return RunRow(**{**row, "status": Status(row["status"]), "steps": steps})


def _kata(db: sqlite3.Connection, kata: int) -> Kata:
    row = _sql(db, f"{KATA} WHERE katas.id = ?", kata).fetchone()
    if row is None:
        raise Refused(f"There is no kata {kata}")
    return read_kata(row)


# ── The file, its lock and its errors ────────────────────────────────────────────────────────────

REASONS: Mapping[int, str] = {
    sqlite3.SQLITE_BUSY: "is busy: another process is using it; try again in a moment",
    sqlite3.SQLITE_LOCKED: "is busy: another connection is using it; try again in a moment",
    sqlite3.SQLITE_NOTADB: "is not a database; move it away and Kata starts a new one",
    sqlite3.SQLITE_CORRUPT: "is damaged; restore it from a backup, or move it away and Kata starts a new one",
    sqlite3.SQLITE_FULL: "cannot grow because the disk is full; free some space",
    sqlite3.SQLITE_READONLY: "may not be written; check its owner and mode",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened; check that its folder exists and may be written",
    sqlite3.SQLITE_IOERR: "cannot be read or written because the disk reports an error",
}
PASSING = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CONSTRAINT)
"""Errors after which the connection is still good."""


def _code(error: sqlite3.Error) -> int:
    """SQLite's own error code without its extension; 0 for an error of the Python module."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _path(db: sqlite3.Connection) -> str:
    """Where the file is; empty for a database in memory."""
    return str(_sql(db, "PRAGMA database_list").fetchone()["file"] or "")


def _file(path: str) -> str:
    return f"The Kata file {path}" if path else "The Kata file"


@contextmanager
def _transaction(db: sqlite3.Connection, kind: str) -> Iterator[None]:
    db.execute(f"BEGIN {kind}")
    try:
        yield
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")


def _tighten(path: str) -> None:
    """Let only the owner read the file and its companions; what the file system refuses shows as `mode` in `facts`."""
    files = [path + end for end in ("", "-journal", "-wal", "-shm")] if path else []
    for place, allowed in ((os.path.dirname(path), 0o700), *((file, 0o600) for file in files)):
        with suppress(OSError):
            mode = stat.S_IMODE(os.stat(place).st_mode)
            if mode & ~allowed and not mode & stat.S_ISVTX:  # a sticky folder belongs to everybody
                os.chmod(place, mode & allowed)


def _mode(path: str) -> str:
    """The mode of the file in octal; empty where it cannot be told."""
    with suppress(OSError):
        return f"{stat.S_IMODE(os.stat(path).st_mode):o}"
    return ""


FACTS: Mapping[str, str] = {
    "calls": "SELECT count(*) FROM events",
    "turns": "SELECT count(*) FROM turns",
    "conversations": "SELECT count(DISTINCT conversation) FROM turns",
    "dirty": "SELECT count(*) FROM turns WHERE dirty > 0",
    "last_event": "SELECT max(ended) FROM events WHERE turn = (SELECT max(turn) FROM events WHERE turn > 0)",
    "version": "PRAGMA user_version",
    "journal": "PRAGMA journal_mode",
}


class Store:
    """One file of records; safe for threads, opened at the first call and again after a failure.

    `patience` is in seconds, for a busy file; `path` is what errors name before the file is open. Every method raises
    StoreError when the file cannot be used, NewerStore when a newer plugin wrote it."""

    def __init__(self, open: Callable[[], sqlite3.Connection], *, patience: float = 2.0, path: str = "", busy: str = "") -> None:
        self._open, self._patience, self._path, self._probed = open, patience, path, busy
        self._lock = threading.RLock()
        self._own = threading.local()
        self._db: sqlite3.Connection | None = None
        self._closed = False

    def close(self) -> None:
        """Close the file for good; later calls raise StoreError."""
        with self._lock:
            self._closed = True
            self._drop()

    @contextmanager
    def waiting(self, seconds: float) -> Iterator[None]:
        """Let the calls that this thread makes inside wait at most so long for a busy file, instead of `patience`."""
        before = self._wait
        self._own.wait = seconds
        try:
            yield
        finally:
            self._own.wait = before

    @property
    def _wait(self) -> float:
        return float(getattr(self._own, "wait", self._patience))

    def _drop(self) -> None:
        if self._db is not None:
            self._db.close()
        self._db = None

    @contextmanager
    def _using(self, kind: str) -> Iterator[sqlite3.Connection]:
        """The connection inside one transaction of that kind; all errors of SQLite end here."""
        if getattr(self._own, "inside", False) and self._db is not None:
            yield self._db  # what is around it commits, or takes all back
            return
        if not self._lock.acquire(timeout=self._wait):
            raise StoreError(f"{_file(self._path)} is busy: another thread is using it; try again in a moment")
        try:
            db = self._opened()
            db.execute(f"PRAGMA busy_timeout = {int(self._wait * 1000)}")
            with _transaction(db, kind):
                _age(db, len(MIGRATIONS))  # a newer plugin may have migrated it since we opened it
                yield db
        except sqlite3.Error as error:
            if _code(error) not in PASSING:
                self._drop()
            raise StoreError(f"{_file(self._path)} {REASONS.get(_code(error), 'refused the work')} ({error})") from error
        finally:
            self._lock.release()

    @contextmanager
    def bundle(self) -> Iterator[None]:
        """One transaction around all changes that this thread makes inside: a file with full sync waits for the disk once, not each
        time. Nothing slow belongs in it, because everybody else waits."""
        with self._using("IMMEDIATE"):
            before, self._own.inside = getattr(self._own, "inside", False), True
            try:
                yield
            finally:
                self._own.inside = before

    def _opened(self) -> sqlite3.Connection:
        if self._closed:
            raise StoreError(f"{_file(self._path)} was closed by this plugin; nothing is read or written any more")
        if self._db is not None and self._path and not os.path.exists(self._path):
            self._drop()  # it was moved away, or removed by another process: what we wrote there would be lost
        if self._db is None:
            self._probe()
            self._db = self._patiently()
        return self._db

    def _patiently(self) -> sqlite3.Connection:
        # SQLite answers "locked" without any waiting to whoever opens a new file just while another process switches it
        # to WAL (B45). Who is in a hurry does not try again: the host's opener alone may take its five seconds.
        for pause in (0.02, 0.1) if self._wait >= 1 else ():
            try:
                return self._fresh()
            except sqlite3.OperationalError as error:
                if _code(error) != sqlite3.SQLITE_BUSY:
                    raise
            threading.Event().wait(pause)
        return self._fresh()

    def _fresh(self) -> sqlite3.Connection:
        try:
            db = self._open()
        except OSError as error:
            raise StoreError(f"{_file(self._path)} cannot be opened ({error})") from error
        with ExitStack() as undo:
            undo.callback(db.close)
            db.isolation_level = None
            db.execute(f"PRAGMA busy_timeout = {int(self._wait * 1000)}")
            db.execute("PRAGMA foreign_keys = ON")
            self._path = _path(db)
            _age(db, len(MIGRATIONS))
            _tighten(self._path)
            migrate(db)
            undo.pop_all()
        return db

    def _probe(self) -> None:
        """Raise at once, or after our own wait, when the file is locked: the host's opener would take its five seconds first."""
        if self._probed and os.path.exists(self._probed):
            with closing(sqlite3.connect(self._probed, timeout=self._wait)) as db:
                db.execute("PRAGMA schema_version")

    def _rows(self, select: str, *values: object) -> list[Row]:
        with self._using("DEFERRED") as db:
            return _sql(db, select, *values).fetchall()

    def _first(self, select: str, *values: object) -> Row | None:
        return next(iter(self._rows(select, *values)), None)

    def _change(self, statement: str, *values: object) -> int:
        """The number of rows that changed."""
        with self._using("IMMEDIATE") as db:
            return _sql(db, statement, *values).rowcount

    # ── Recording ────────────────────────────────────────────────────────────────────────────────

    def add(self, records: Iterable[Record], masker: int = 0) -> None:
        """Write the records, which went through that version of the masker, in one transaction. What cannot be stored is counted: a turn
        that nobody announced as "unknown_turn", a call id seen before as "repeated_call", a value that is not JSON as "not_stored"."""
        batch = tuple(records)
        with self._using("IMMEDIATE") as db:
            for record in batch:
                try:
                    _write(db, record)
                    if isinstance(record, TurnStart):
                        _sql(db, "UPDATE turns SET masker = ? WHERE id = ?", masker, record.turn)
                except (PayloadError, sqlite3.IntegrityError):
                    _count(db, "not_stored")

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
                for row in _sql(db, "SELECT number, id, conversation, started, ended FROM turns WHERE session = ?", one).fetchall():
                    rows = _sql(db, "SELECT call_id, ended FROM events WHERE turn = ?", row["number"])
                    calls = {call["call_id"]: call["ended"] for call in rows}
                    found.append(Lived(row["id"], one, row["conversation"], row["started"], row["ended"] or row["started"], calls))
        return tuple(found)

    def veil(self, session: str, began: float, ended: float | None) -> None:
        """Keep that a time is not to be learnt from, in one session or (empty) in all; None leaves its end open."""
        with self._using("IMMEDIATE") as db:
            _insert(db, "spans", {"session": label(session), "began": began, "ended": ended})

    def unveil(self, session: str, now: float) -> None:
        """End the times of a session (empty: of all) that have no end yet."""
        self._change("UPDATE spans SET ended = ? WHERE session = ? AND ended IS NULL", now, label(session))

    def veiled(self, sessions: Collection[str]) -> tuple[Span, ...]:
        """The times that are not to be learnt from, in those sessions or in all."""
        found: list[Row] = []
        for one in ("", *sessions):
            found += self._rows("SELECT session, began, coalesce(ended, 1e12) AS ended FROM spans WHERE session = ?", label(one))
        return tuple(Span(**row) for row in found)

    def copy(self) -> Store:
        """All of it once more, in a file that has no name and goes when it is closed."""
        other = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        with self._using("DEFERRED") as db:
            db.backup(other)
        return Store(lambda: other)

    def turn(self, turn: str) -> Turn | None:
        """The turn with its events in the order in which they were issued."""
        with self._using("DEFERRED") as db:
            row = _sql(db, "SELECT * FROM turns WHERE id = ?", turn).fetchone()
            return None if row is None else _turn(db, row)

    def masked_before(self, masker: int, limit: int = 200) -> tuple[tuple[str, str], ...]:
        """Turns, with their conversation, whose texts went through an older masker only; the oldest first."""
        select = "SELECT id, conversation FROM turns WHERE masker < ? ORDER BY number LIMIT ?"
        return tuple((str(row["id"]), str(row["conversation"])) for row in self._rows(select, masker, limit))

    def remask(self, turn: str, change: Callable[[Json], Json], masker: int) -> None:
        """Put every recorded text of a turn through `change`, in one transaction."""
        with self._using("IMMEDIATE") as db:
            row = _sql(db, "SELECT number, message FROM turns WHERE id = ?", turn).fetchone()
            if row is None:
                return
            _sql(db, "UPDATE turns SET message = ?, masker = ? WHERE number = ?", pack(change(row["message"])), masker, row["number"])
            select = "SELECT number, arguments, result, reason, folder, around FROM events WHERE turn = ?"
            changed = False
            for one in _sql(db, select, row["number"]).fetchall():
                values = change(one["arguments"]), change(one["result"])
                changed |= values != (one["arguments"], one["result"])
                texts = pack(values[0]), pack(values[1]), change(one["reason"]), change(one["folder"]), pack(change(one["around"] or {}))
                update = "UPDATE events SET arguments = ?, result = ?, reason = ?, folder = ?, around = ? WHERE number = ?"
                _sql(db, update, *texts, one["number"])
            if changed and _one(db, "SELECT 1 FROM turns WHERE number = ? AND ended IS NOT NULL", row["number"]):
                _soil(db, row["number"])

    def latest(self, session: str) -> tuple[str, float] | None:
        """Conversation and time (epoch seconds) of the last turn of a session; None when it has none."""
        select = (
            "SELECT conversation, max(started, coalesce(ended, started)) AS at FROM turns WHERE session = ? ORDER BY number DESC LIMIT 1"
        )
        row = self._first(select, label(session))
        return None if row is None else (str(row["conversation"]), float(row["at"]))

    def length(self, conversation: str) -> int:
        """How many turns of a conversation are kept."""
        return int(self._rows("SELECT count(*) AS n FROM turns WHERE conversation = ?", label(conversation))[0]["n"])

    def turns(self) -> Iterator[Turn]:
        """All ended turns in the order of their arrival, fifty at a time in memory."""
        page = "SELECT * FROM turns WHERE number > ? AND ended IS NOT NULL ORDER BY number LIMIT 50"
        last = self.floor() - 1
        while True:
            with self._using("DEFERRED") as db:
                rows = _sql(db, page, last).fetchall()
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
            return tuple(_turn(db, row) for row in _sql(db, select, label(session), most).fetchall())

    def requests(self, turn: str) -> tuple[ModelRequest, ...]:
        """The model requests of a turn, in the order of their arrival."""
        select = "SELECT requests.* FROM requests JOIN turns ON turns.number = requests.turn WHERE turns.id = ? ORDER BY requests.rowid"
        return tuple(ModelRequest(**{**row, "turn": turn}) for row in self._rows(select, turn))

    def schema(self, fingerprint: str) -> Json | None:
        """The parameter schema of that fingerprint; None where it was never seen."""
        row = self._first("SELECT body FROM schemas WHERE fingerprint = ?", fingerprint)
        return None if row is None else row["body"]

    def forget(self, before: float, least: int = 1) -> int:
        """Delete the turns that were over before that time, with all that hangs on them; the number of turns. The families that lose
        evidence are looked at again, those of at least `least` conversations or told about."""
        with self._using("IMMEDIATE") as db:
            return _delete(db, "SELECT number FROM turns WHERE max(coalesce(ended, started), kept) < ?", (before,), least)

    def occupied(self) -> int:
        """Bytes of the file that hold something; what was deleted leaves room in it that is used again."""
        with self._using("DEFERRED") as db:
            return int((_one(db, "PRAGMA page_count") - _one(db, "PRAGMA freelist_count")) * _one(db, "PRAGMA page_size"))

    def thin(self, most: int, least: int = 1) -> tuple[int, float]:
        """Delete the `most` oldest turns that are over and no example of a standing kata, as `forget` does; how many there were, and when
        the newest of them began (epoch seconds)."""
        current = "SELECT exhibits FROM versions JOIN katas ON id = kata AND version = number WHERE withdrawn = '' AND state <> 'rejected'"
        with self._using("IMMEDIATE") as db:
            shown = {one["turn"] for row in _sql(db, current) for one in row["exhibits"]}
            old = _sql(db, "SELECT number, id, started FROM turns WHERE ended IS NOT NULL ORDER BY started, number").fetchall()
            chosen = [row for row in old if row["id"] not in shown][:most]
            for row in chosen:
                _sql(db, "UPDATE turns SET dirty = -1 WHERE number = ?", row["number"])
            newest = max((float(row["started"]) for row in chosen), default=0.0)
            return _delete(db, "SELECT number FROM turns WHERE dirty = -1", (), least), newest

    # ── Mining ───────────────────────────────────────────────────────────────────────────────────

    def dirty(self) -> tuple[str, ...]:
        """The turns that wait to be mined, in the order in which they ended."""
        return tuple(row["id"] for row in self._rows("SELECT id FROM turns WHERE dirty > 0 ORDER BY dirty"))

    def mined(self, turn: str, windows: Mapping[int, Place], least: int = 1) -> None:
        """Replace the turn's windows (signed 64-bit → place) and take it from the queue of turns; in the same transaction the families
        that it touches go to theirs, those of at least `least` conversations or told about."""
        with self._using("IMMEDIATE") as db:
            number = _one(db, "SELECT number FROM turns WHERE id = ?", turn)
            if number is None:
                return  # retention was faster
            touched = _families(db, "?", number)
            rows = [(window, number, one.first, one.last, one.size, one.times, _positions(one.skipped)) for window, one in windows.items()]
            columns = "window, turn, first, last, size, times, skipped"
            if set(db.execute(f"SELECT {columns} FROM windows WHERE turn = ?", (number,))) != set(rows):
                _sql(db, "DELETE FROM windows WHERE turn = ?", number)
                db.executemany(f"INSERT INTO windows ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
            _queue(db, touched | _families(db, "?", number), least)
            _sql(db, "UPDATE turns SET dirty = 0 WHERE id = ?", turn)

    def soil(self) -> None:
        """Let every ended turn be mined again, oldest first, and every family that is told about be looked at."""
        with self._using("IMMEDIATE") as db:
            _sql(db, "UPDATE turns SET dirty = number + 1 - (SELECT min(number) FROM turns) WHERE ended IS NOT NULL")
            told = _sql(db, "SELECT window FROM near UNION SELECT window FROM katas").fetchall()
            size = "SELECT max(size) AS size FROM windows WHERE window = ?"
            _queue(db, {row["window"]: _one(db, size, row["window"]) or 0 for row in told}, 1)

    def again(self, families: Mapping[int, int], least: int) -> None:
        """Let those families (window → steps) be looked at again that at least `least` conversations hold, or that are told about."""
        with self._using("IMMEDIATE") as db:
            _queue(db, families, least)

    def family(self) -> tuple[int, int] | None:
        """The family that is to be looked at next, longest first, and how often it was queued meanwhile; None when none is."""
        row = self._first("SELECT window, touched FROM families ORDER BY size DESC, window LIMIT 1")
        return None if row is None else (int(row["window"]), int(row["touched"]))

    def waiting_families(self) -> int:
        """How many families are to be looked at."""
        return int(self._rows("SELECT count(*) AS n FROM families")[0]["n"])

    def looked(self, window: int, touched: int) -> None:
        """Take a family from the queue, unless it was queued once more since."""
        self._change("DELETE FROM families WHERE window = ? AND touched = ?", window, touched)

    def spread(self, window: int, most: int = -1) -> int:
        """In how many conversations a window occurs; counted up to `most`, -1 for all."""
        select = "SELECT DISTINCT conversation FROM windows JOIN turns ON turns.number = windows.turn WHERE window = ? LIMIT ?"
        return len(self._rows(select, window, most))

    def settled(self, turn: str) -> None:
        """Take a turn from the queue without counting it."""
        self._change("UPDATE turns SET dirty = 0 WHERE id = ?", turn)

    def support(self, windows: Collection[int]) -> dict[int, dict[str, frozenset[str]]]:
        """For each window the conversations in which it occurs, and the turns of each."""
        found: dict[int, dict[str, set[str]]] = {window: {} for window in windows}
        asked = list(found)
        for start in range(0, len(asked), 500):  # old SQLite takes 999 parameters
            part = asked[start : start + 500]
            with self._using("DEFERRED") as db:
                # Plain rows: this is asked at the end of every turn, and a row as a dict costs three times as much.
                rows = db.execute(f"{WINDOW} WHERE window IN ({_marks(part)})", part).fetchall()
            for conversation, turn, window, *_place in rows:
                found[window].setdefault(unbind(conversation), set()).add(unbind(turn))
        return {window: {one: frozenset(turns) for one, turns in places.items()} for window, places in found.items()}

    def weights(self, windows: Collection[int]) -> dict[int, int]:
        """Window → number of places at which it stands."""
        asked, found = list(dict.fromkeys(windows)), dict.fromkeys(windows, 0)
        for start in range(0, len(asked), 500):
            part = asked[start : start + 500]
            select = f"SELECT window, sum(times) FROM windows WHERE window IN ({_marks(part)}) GROUP BY window"
            with self._using("DEFERRED") as db:
                found |= dict(db.execute(select, part).fetchall())
        return found

    def size(self) -> tuple[int, int, float]:
        """How many calls are kept, how many different windows of two and more steps stand in them, and by how many ways a call is
        followed by another: more than one where windows pass over calls."""
        windows = "SELECT count(*) FROM (SELECT DISTINCT window FROM windows WHERE size > 1)"
        pairs = "sum(times) AS pairs, sum(CASE WHEN skipped = '' THEN times ELSE 0 END) AS whole FROM windows WHERE size = 2"
        row = self._rows(f"SELECT (SELECT count(*) FROM events) AS calls, ({windows}) AS windows, {pairs}")[0]
        return int(row["calls"]), int(row["windows"]), (row["pairs"] or 1) / (row["whole"] or row["pairs"] or 1)

    def occurrences(self, window: int, most: int = -1) -> tuple[Occurrence, ...]:
        """The latest place of the window in each conversation (A12), newest turn first; `most` of them, -1 for all."""
        latest = """SELECT max(turn) AS number FROM windows JOIN turns ON turns.number = windows.turn WHERE window = ?
        GROUP BY conversation ORDER BY number DESC LIMIT ?"""
        select = f"{WINDOW} JOIN ({latest}) USING (number) WHERE window = ? ORDER BY number DESC"
        rows = self._rows(select, window, most, window)
        return tuple(map(_occurrence, rows))

    def examples(self, occurrences: Iterable[Occurrence]) -> tuple[Example, ...]:
        """The occurrences with their events; those whose events are gone are left out."""
        places = tuple(occurrences)
        with self._using("DEFERRED") as db:
            found = [_example(db, where) for where in places]
        return tuple(example for example in found if example.events)

    def misses(self, found: Mapping[int, NearMiss], judged: Collection[str] | None = None) -> None:
        """Replace the near misses of the fingerprints that were judged (None: of all) by those found now (window → near miss)."""
        with self._using("IMMEDIATE") as db:
            if judged is None:
                _sql(db, "DELETE FROM near")
            for fingerprint in judged or ():
                _sql(db, "DELETE FROM near WHERE fingerprint = ?", fingerprint)
            for window, miss in found.items():
                _sql(db, "DELETE FROM near WHERE fingerprint = ?", miss.fingerprint)
                _insert(db, "near", {**asdict(miss), "keys": pack(miss.keys), "window": window})

    def near(self) -> tuple[NearMiss, ...]:
        """The near misses, best supported first."""
        rows = self._rows("SELECT fingerprint, keys, rule, detail, support FROM near ORDER BY support DESC, fingerprint")
        return tuple(NearMiss(**{**row, "keys": tuple(row["keys"])}) for row in rows)

    def shadows(self) -> tuple[tuple[tuple[str, ...], str], ...]:
        """The keys of every near miss, with its rule."""
        return tuple((tuple(row["keys"]), str(row["rule"])) for row in self._rows("SELECT keys, rule FROM near ORDER BY fingerprint"))

    # ── Katas ────────────────────────────────────────────────────────────────────────────────────

    def propose(
        self,
        proposal: Proposal,
        now: float,
        window: int = 0,
        *,
        ties: Sequence[float] = (),
        loose: Sequence[int] = (),
        chance: str = "",
    ) -> Kata | None:
        """Keep the proposal as a new candidate, or as a new version of the candidate it revises; None when nothing is new or a person
        has decided about that routine already (A29). `chance` says how it is explained by chance now, `ties` and the `loose` steps are
        kept for judging that."""
        with self._using("IMMEDIATE") as db:
            _sql(db, "DELETE FROM near WHERE fingerprint = ?", proposal.fingerprint)
            row = _sql(db, f"{KATA} WHERE fingerprint = ?", proposal.fingerprint).fetchone()
            kept = {"window": window, "ties": pack(list(ties)), "loose": _positions(loose), "chance": chance}
            if row is None:
                new = {"state": State.CANDIDATE, "fingerprint": proposal.fingerprint, "keys": pack(proposal.keys), "version": 1}
                return _write_version(db, _insert(db, "katas", new | kept).lastrowid or 0, 1, proposal, "propose", now)
            if row["state"] != State.CANDIDATE:
                return None
            _sql(db, "UPDATE katas SET window = ?, ties = ?, loose = ?, chance = ? WHERE id = ?", *kept.values(), row["id"])
            if _edited(db, row["id"], row["digest"]):
                return None
            same = row["digest"] == proposal.spec.digest and Fit(**row["fit"]) == proposal.fit
            if same and not row["withdrawn"] and canonical(row["exhibits"]) == canonical([asdict(one) for one in proposal.exhibits]):
                return None
            number = 1 + int(_one(db, "SELECT max(number) FROM versions WHERE kata = ?", row["id"]))
            if row["digest"] == proposal.spec.digest and row["approved"] is None:  # better evidence takes the place of the older
                _sql(db, "DELETE FROM versions WHERE kata = ? AND number = ?", row["id"], row["number"])
            return _write_version(db, row["id"], number, proposal, "revise", now)

    def prepare(self, proposal: Proposal, now: float) -> Kata | None:
        """Keep the proposal as the revision that a stale kata waits with (K85); None when it is not stale, or has that revision already
        with as many examples."""
        with self._using("IMMEDIATE") as db:
            row = _sql(db, f"{KATA} WHERE fingerprint = ? AND state = ?", proposal.fingerprint, State.STALE).fetchone()
            if row is None or row["digest"] == proposal.spec.digest and len(row["exhibits"]) >= len(proposal.exhibits):
                return None
            if row["approved"] is None and _edited(db, row["id"], row["digest"]):
                return None
            number = 1 + int(_one(db, "SELECT max(number) FROM versions WHERE kata = ?", row["id"]))
            if row["digest"] == proposal.spec.digest and row["approved"] is None:
                _sql(db, "DELETE FROM versions WHERE kata = ? AND number = ?", row["id"], row["number"])
            return _write_version(db, row["id"], number, proposal, "prepare", now)

    def relax(self, kata: int, spec: Spec, checks: tuple[Check, ...], *, digest: str, actor: str, now: float, detail: str) -> Kata:
        """Keep the spec as the next version of a kata, with the evidence of the one before; that of an active kata is approved by that.
        Refused when its spec is not `digest` any more."""
        with self._using("IMMEDIATE") as db:
            found = _kata(db, kata)
            if found.version.spec.digest != digest:
                raise Refused(f"Kata {kata} is now revision {found.version.spec.digest[:12]}, not {digest[:12]}; review it again")
            number = 1 + int(_one(db, "SELECT max(number) FROM versions WHERE kata = ?", kata))
            proposal = Proposal(spec, found.fingerprint, found.version.fit, found.version.exhibits, checks)
            _write_version(db, kata, number, proposal, "relax", now, actor, detail)
            if found.state is State.ACTIVE:
                _sql(db, "UPDATE versions SET approved = ? WHERE kata = ? AND number = ?", now, kata, number)
            return _kata(db, kata)

    def spec(self, fingerprint: str) -> Spec | None:
        """The spec of the routine that counts now; None where there is none."""
        row = self._first(f"{KATA} WHERE fingerprint = ?", fingerprint)
        return None if row is None else read_version(row).spec

    def doubt(self, kata: int, chance: str) -> None:
        """Keep how a proposal is explained by chance; empty when it is not."""
        self._change("UPDATE katas SET chance = ? WHERE id = ?", chance, kata)

    def undecided(self) -> tuple[Row, ...]:
        """What is needed to judge the standing proposals by chance: id, fingerprint, keys, ties, loose steps, chance as judged last, and
        fit."""
        select = """SELECT katas.id, fingerprint, keys, ties, loose, chance, fit FROM katas
        JOIN versions ON versions.kata = katas.id AND versions.number = katas.version
        WHERE state = 'candidate' AND withdrawn = '' ORDER BY katas.id"""
        return tuple(row | {"loose": _numbers(row["loose"])} for row in self._rows(select) if not row["fit"].get("taught"))

    def withdraw(self, fingerprint: str, reason: str, now: float) -> bool:
        """Take back a proposal that nobody decided about, because new evidence speaks against it; other evidence may bring it back
        under its number."""
        with self._using("IMMEDIATE") as db:
            row = _sql(db, f"{KATA} WHERE fingerprint = ? AND state = ? AND withdrawn = ''", fingerprint, State.CANDIDATE).fetchone()
            if row is None or row["fit"].get("taught") or row["name"] or _edited(db, row["id"], row["digest"]):
                return False  # what a person taught, named or edited stands on their word
            _sql(db, "UPDATE katas SET withdrawn = ? WHERE id = ?", reason, row["id"])
            state, digest = State.CANDIDATE, row["digest"]
            # The reason may hold observed text; the log is never erased, so it holds the rule alone.
            _audit(db, AuditRow(now, "system", "withdraw", row["id"], state, state, digest, reason.split(":")[0]))
            return True

    def withdrawn(self, kata: int) -> str:
        """Why that proposal was taken back; empty when it was not."""
        row = self._first("SELECT withdrawn FROM katas WHERE id = ?", kata)
        return "" if row is None else str(row["withdrawn"])

    def routines(self) -> tuple[tuple[tuple[str, ...], State, str], ...]:
        """The keys of every routine that is proposed or decided about, with its state and how it is explained by chance."""
        rows = self._rows("SELECT keys, state, chance FROM katas WHERE withdrawn = '' ORDER BY id")
        return tuple((tuple(row["keys"]), State(row["state"]), str(row["chance"])) for row in rows)

    def alike(self, fingerprint: str) -> Kata | None:
        """The kata of that fingerprint, whatever its state, unless it was taken back."""
        row = self._first(f"{KATA} WHERE fingerprint = ? AND withdrawn = ''", fingerprint)
        return None if row is None else read_kata(row)

    def decided(self, fingerprint: str) -> bool:
        """Whether a person has decided about that routine."""
        return bool(self._rows("SELECT id FROM katas WHERE fingerprint = ? AND state <> ?", fingerprint, State.CANDIDATE))

    def katas(self, states: Collection[State] | None = None) -> tuple[Kata, ...]:
        """The katas in those states (None: all) by number; those that do not load are in `broken`."""
        return tuple(one for one in self._loaded() if isinstance(one, Kata) and (states is None or one.state in states))

    def broken(self) -> tuple[tuple[int, str], ...]:
        """The numbers of the katas that do not load, each with the reason."""
        return tuple(one for one in self._loaded() if not isinstance(one, Kata))

    def _loaded(self) -> list[Kata | tuple[int, str]]:
        found: list[Kata | tuple[int, str]] = []
        with self._using("DEFERRED") as db:
            for row in _sql(db, "SELECT id FROM katas WHERE withdrawn = '' ORDER BY id").fetchall():
                try:
                    found.append(_kata(db, row["id"]))
                except KataError as error:
                    found.append((row["id"], error.message))
        return found

    def kata(self, kata: int) -> Kata | None:
        """The kata of that number; SpecError when its row was changed outside."""
        row = self._first(f"{KATA} WHERE katas.id = ? AND withdrawn = ''", kata)
        return None if row is None else read_kata(row)

    def named(self, name: str) -> Kata | None:
        """The kata of that name (without the prefix); SpecError when its row was changed outside."""
        row = self._first(f"{KATA} WHERE katas.name = ? AND katas.name <> ''", name)
        return None if row is None else read_kata(row)

    def version(self, kata: int, number: int) -> Version | None:
        """One version of a kata; SpecError when its row was changed outside."""
        row = self._first("SELECT * FROM versions WHERE kata = ? AND number = ?", kata, number)
        return None if row is None else read_version(row)

    def versions(self, kata: int) -> tuple[Version, ...]:
        """Every version of a kata that is kept (K89), newest first; SpecError when a row was changed outside."""
        return tuple(read_version(row) for row in self._rows("SELECT * FROM versions WHERE kata = ? ORDER BY number DESC", kata))

    def standing(self, kata: int) -> tuple[Version, float] | None:
        """The version that a person put into use last, and when; None when nobody did."""
        select = f"SELECT digest, at FROM audit WHERE kata = ? AND {AGREED} AND {HOLDS} ORDER BY number DESC LIMIT 1"
        last = self._first(select, kata)
        row = last and self._first("SELECT * FROM versions WHERE kata = ? AND digest = ? ORDER BY number DESC", kata, last["digest"])
        return (read_version(row), float(last["at"])) if last and row else None

    def why(self, kata: int) -> str:
        """Why a kata came to the state it is in, as the log says; empty where nobody said."""
        select = "SELECT detail FROM audit WHERE kata = ? AND before <> after AND after = (SELECT state FROM katas WHERE id = ?)"
        row = self._first(f"{select} ORDER BY number DESC LIMIT 1", kata, kata)
        return "" if row is None else str(row["detail"])

    def watched(self) -> dict[int, tuple[int, tuple[str, ...]]]:
        """The katas that new evidence may make stale, or revise: number → window and keys."""
        rows = self._rows("SELECT id, window, keys FROM katas WHERE state IN (?, ?) ORDER BY id", State.ACTIVE, State.STALE)
        return {int(row["id"]): (int(row["window"]), tuple(row["keys"])) for row in rows}

    def tools(self) -> dict[str, str]:
        """The fingerprint of each tool's schema as an agent process saw it last."""
        return {row["tool"]: row["fingerprint"] for row in self._rows("SELECT tool, fingerprint FROM tools")}

    def failures(self, kata: int, since: float) -> int:
        """How many runs in a row failed at a step, the latest first, of those that began after `since`; what a person or another plugin
        refused neither counts nor ends the row (A28)."""
        select = """SELECT status FROM runs WHERE kata = ? AND started > ? AND finished IS NOT NULL AND status IN (?, ?, ?)
        ORDER BY number DESC"""
        rows = self._rows(select, kata, since, Status.OK, Status.ERROR, Status.TIMEOUT)
        return next((at for at, row in enumerate(rows) if row["status"] == Status.OK), len(rows))

    def respell(self, spelled: Callable[[Example], tuple[str, ...]], identity: Callable[[Sequence[str]], tuple[str, int]]) -> int:
        """Give every kata the keys that its examples are spelled as now, and the fingerprint and window of those (A29); how many changed.
        One without examples, or whose fingerprint another has by then, stays as it is."""
        changed = 0
        with self._using("IMMEDIATE") as db:
            for row in _sql(db, f"{KATA} ORDER BY state <> ?, katas.id", State.REJECTED).fetchall():
                version = read_version(row)
                keys = spelled(version.exhibits[0]) if version.exhibits else ()
                fingerprint, window = identity(keys)
                taken = _one(db, "SELECT id FROM katas WHERE fingerprint = ?", fingerprint)
                if keys and taken is None:
                    update = "UPDATE katas SET keys = ?, fingerprint = ?, window = ? WHERE id = ?"
                    changed += _sql(db, update, pack(keys), fingerprint, window, row["id"]).rowcount
            _sql(db, "DELETE FROM near")
        return changed

    def show(self, surface: str, kata: int, digest: str, now: float) -> None:
        """Remember which revision that surface has shown last."""
        self._change("INSERT OR REPLACE INTO shown (surface, kata, digest, at) VALUES (?, ?, ?, ?)", surface, kata, digest, now)

    def shown(self, surface: str, kata: int) -> str:
        """The digest of the revision that the surface has shown last; empty when none."""
        row = self._first("SELECT digest FROM shown WHERE surface = ? AND kata = ?", surface, kata)
        return "" if row is None else str(row["digest"])

    def transition(
        self,
        kata: int,
        *,
        before: Collection[State],
        after: State,
        digest: str,
        actor: str,
        verb: str,
        now: float,
        name: str | None = None,
        approved: bool = False,
        detail: str = "",
        version: int | None = None,
    ) -> Kata:
        """Move the kata to another state, and give it a name, the approval or another `version` where asked; Refused when it is not in one
        of the states `before`, its current spec is not `digest`, or the name is taken. Of two callers one wins."""
        with self._using("IMMEDIATE") as db:
            found = _kata(db, kata)
            if _one(db, "SELECT withdrawn FROM katas WHERE id = ?", kata):
                raise Refused(f"The proposal {kata} was taken back, because new evidence speaks against it")
            if found.state not in before:
                raise Refused(f"Kata {kata} is {found.state}; {verb} needs it to be {' or '.join(sorted(before))}")
            if found.version.spec.digest != digest:
                raise Refused(f"Kata {kata} is now revision {found.version.spec.digest[:12]}, not {digest[:12]}; review it again")
            taken = _one(db, "SELECT id FROM katas WHERE name = ? AND name <> '' AND id <> ?", name, kata)
            if taken is not None:
                raise Refused(f"The name {name} is taken by kata {taken}; choose another")
            before_all = _snapshot(found)
            update = "UPDATE katas SET state = ?, name = coalesce(?, name), version = coalesce(?, version) WHERE id = ?"
            _sql(db, update, after, name, version, kata)
            if approved:
                _sql(db, "UPDATE versions SET approved = ? WHERE kata = ? AND number = ?", now, kata, found.version.number)
            done = _kata(db, kata)
            named = f"from {found.name} to {done.name}" if found.name and found.name != done.name else ""
            row = AuditRow(now, actor, verb, kata, found.state, after, done.version.spec.digest, "; ".join(filter(None, (detail, named))))
            _audit(db, row)
            _undoable(db, actor, before_all)
            return done

    def edit(self, kata: int, proposal: Proposal, *, digest: str, actor: str, now: float, detail: str) -> Kata:
        """Keep what a person made of a kata as its next version, which waits for an approval; Refused when its spec is not `digest` any
        more."""
        with self._using("IMMEDIATE") as db:
            found = _kata(db, kata)
            if found.version.spec.digest != digest:
                raise Refused(f"Kata {kata} is now revision {found.version.spec.digest[:12]}, not {digest[:12]}; review it again")
            number = 1 + int(_one(db, "SELECT max(number) FROM versions WHERE kata = ?", kata))
            done = _write_version(db, kata, number, proposal, "edit", now, actor, detail)
            _undoable(db, actor, _snapshot(found))
            return done

    def last(self) -> tuple[AuditRow, Json] | None:
        """The last decision of a person, and how things were before it; None for that where it cannot be taken back."""
        row = self._first(f"SELECT * FROM audit WHERE {PERSONS} ORDER BY number DESC LIMIT 1")
        if row is None:
            return None
        number, _ = row.pop("number"), row.pop("hash")
        kept = json.loads(self.noted("undo") or "null")
        return AuditRow(**row), kept if kept and kept["number"] == number else None

    def undo(self, before: Json, actor: str, now: float) -> Kata:
        """Bring a kata back to what it was before the decision of that number, and write that down; Refused when something has happened to
        it since. Of two callers one wins."""
        with self._using("IMMEDIATE") as db:
            row = _sql(db, "SELECT * FROM audit WHERE number = ?", before["number"]).fetchone()
            kept, found = _one(db, "SELECT text FROM notes WHERE name = 'undo'"), _kata(db, before["kata"])
            if row is None or not kept or json.loads(kept) != before:
                raise Refused("That decision was taken back already")
            if (found.state, found.version.spec.digest) != (row["after"], row["digest"]):
                raise Refused(f"Kata {found.id} was changed since: it is {found.state} now, so the decision stays")
            _sql(db, "UPDATE versions SET approved = ? WHERE kata = ? AND number = ?", before["approved"], found.id, before["version"])
            update = "UPDATE katas SET state = ?, name = ?, version = ? WHERE id = ?"
            _sql(db, update, before["state"], before["name"], before["version"], found.id)
            _sql(db, "DELETE FROM notes WHERE name = 'undo'")
            done = _kata(db, found.id)
            told = f"decision {before['number']}: {row['verb']}"
            _audit(db, AuditRow(now, actor, "undo", found.id, found.state, done.state, done.version.spec.digest, told))
            return done

    def snoozed(self, now: float) -> dict[int, float]:
        """The proposals that nobody wants to see for now: number → until when."""
        select = f"SELECT kata, max(at) AS at FROM audit WHERE verb = 'snooze' AND {HOLDS} GROUP BY kata"
        return {int(row["kata"]): row["at"] + SNOOZE_S for row in self._rows(select) if row["at"] + SNOOZE_S > now}

    def approved(self, kata: int, digest: str) -> bool:
        """Whether the audit log says that a person approved that revision."""
        select = f"SELECT number FROM audit WHERE kata = ? AND digest = ? AND {AGREED} AND {HOLDS} LIMIT 1"
        return bool(self._rows(select, kata, digest))

    def trusted(self) -> frozenset[tuple[int, str]]:
        """The katas, each with the digest of a revision, that a person trusts, as the audit log says."""
        rows = self._rows(f"SELECT kata, digest, verb FROM audit WHERE verb IN ('trust', 'untrust') AND {HOLDS} ORDER BY number")
        last = {(row["kata"], row["digest"]): row["verb"] for row in rows}
        return frozenset(one for one, verb in last.items() if verb == "trust")

    def generation(self) -> int:
        """A number that grows with every change to a kata: that of its audit row."""
        return int(self._rows("SELECT coalesce(max(number), 0) AS number FROM audit")[0]["number"])

    def audit(self, limit: int, kata: int | None = None) -> tuple[AuditRow, ...]:
        """The latest decisions about a kata (None: about all), newest first."""
        chosen, values = ("", ()) if kata is None else ("WHERE kata = ?", (kata,))
        select = f"SELECT at, actor, verb, kata, before, after, digest, detail FROM audit {chosen} ORDER BY number DESC LIMIT ?"
        return tuple(AuditRow(**row) for row in self._rows(select, *values, limit))

    def proven(self) -> tuple[int, int]:
        """How many decisions the log holds, and the number of the first that is missing or not as it was written; 0 when none is (T66)."""
        with self._using("DEFERRED") as db:
            rows = _sql(db, "SELECT * FROM audit ORDER BY number").fetchall()
            written = _one(db, "SELECT seq FROM sqlite_sequence WHERE name = 'audit'") or 0
        last = ""
        for at, row in enumerate(rows, 1):
            number, told = row.pop("number"), row.pop("hash")
            if number != at or told != chained(last, AuditRow(**row)):
                return len(rows), at
            last = told
        return len(rows), 0 if written == len(rows) else len(rows) + 1

    # ── Erasing ──────────────────────────────────────────────────────────────────────────────────

    def erasable(self, wanted: Wanted) -> Erasure:
        """What an erasure would take; nothing is changed."""
        with self._using("DEFERRED") as db:
            return _doomed(db, wanted).told

    def purge(self, wanted: Wanted, actor: str, now: float, least: int = 1) -> Erasure:
        """Erase it, in one transaction, and write down who did. A kata whose steps hold it goes whole; examples of what is gone go from the
        others, with the values that their inputs had. The families that lose evidence are looked at again."""
        with self._using("IMMEDIATE") as db:
            db.execute("PRAGMA secure_delete = ON")
            doomed = _doomed(db, wanted)
            _erase(db, doomed, least)
            for table in ("schemas", "tools") if wanted.kind == "tool" else ():
                _sql(db, f"DELETE FROM {table} WHERE tool = ?", wanted.word)
            for kata, _name, state in doomed.told.katas:
                _audit(db, AuditRow(now, actor, "purge", kata, state, "", "", "with all versions and runs"))
            counts = ", ".join(f"{getattr(doomed.told, name)} {name}" for name in ("turns", "runs", "near", "examples"))
            _audit(db, AuditRow(now, actor, "purge", 0, "", "", "", f"by {wanted.kind}: {counts}"))
            return doomed.told

    def remove(self) -> tuple[str, ...]:
        """Empty the file for all who have it open, then delete it with its companions; the files that went. A later call makes another."""
        with self._using("IMMEDIATE") as db:
            db.execute("PRAGMA secure_delete = ON")
            db.execute("PRAGMA defer_foreign_keys = ON")
            tables = _sql(db, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").fetchall()
            for row in [*tables, {"name": "sqlite_sequence"}]:
                _sql(db, f"DELETE FROM {row['name']}")
        with self._lock:
            path = self._path
            self._drop()
            files = [*(path + end for end in ("", "-journal", "-wal", "-shm")), *self._notes("held-")] if path else []
            there = [file for file in files if os.path.exists(file)]
            for file in there:
                with suppress(OSError):
                    os.unlink(file)
            with suppress(OSError):
                os.rmdir(os.path.dirname(path))  # only when nothing else is in it
        return tuple(there)

    # ── Runs ─────────────────────────────────────────────────────────────────────────────────────

    def begin_run(self, run: RunRow, alive: Callable[[str], bool] = lambda owner: False) -> None:
        """Write that a run begins; until it is finished its status reads as unknown. Refused when a process that is alive runs the same
        kata in the same folder (T45), or when the run that it goes on with was resumed before."""
        told = {"id": run.id, "kata": run.kata, "version": run.version, "tool": run.tool, "digest": run.digest, "session": run.session}
        where = {"folder": run.folder, "owner": run.owner, "resumes": run.resumes}
        row = {**told, **where, "inputs": pack(dict(run.inputs)), "started": run.started, "status": Status.UNKNOWN, "reason": run.reason}
        with self._using("IMMEDIATE") as db:
            _free(db, run, alive)
            _insert(db, "runs", row)
            for step in run.steps:
                _write_step(db, run.id, step)

    def begin_step(self, run: str, step: StepTrace, before: Iterable[StepTrace] = ()) -> None:
        """Write, before it is done, that a step is going to be done: until it is settled its status reads as unknown. What became of the
        steps `before` is written in the same transaction."""
        with self._using("IMMEDIATE") as db:
            for one in (*before, replace(step, status=Status.UNKNOWN)):
                _write_step(db, run, one)

    def settle_step(self, run: str, step: StepTrace) -> None:
        """Write what became of a step; Refused when the run is not there or is finished."""
        with self._using("IMMEDIATE") as db:
            _write_step(db, run, step)

    def finish_run(self, run: str, status: Status, reason: str, now: float, steps: Iterable[StepTrace] = ()) -> None:
        """Write how a run ended, with what became of its steps; Refused when it is not there or is finished."""
        update = "UPDATE runs SET finished = ?, status = ?, reason = ? WHERE id = ? AND finished IS NULL"
        with self._using("IMMEDIATE") as db:
            for step in steps:
                _write_step(db, run, step)
            if _sql(db, update, now, status, reason, run).rowcount == 0:
                raise Refused(f"There is no unfinished run {run}")

    def keep_inputs(self, run: str, inputs: Mapping[str, Json]) -> None:
        """Write the inputs of a run anew, for one of which its later calls show that it is a secret."""
        with self._using("IMMEDIATE") as db:
            db.execute("PRAGMA secure_delete = ON")
            _sql(db, "UPDATE runs SET inputs = ? WHERE id = ?", pack(dict(inputs)), run)

    def stop_run(self, run: str) -> bool:
        """Ask a run to stop before its next step; False when it is not there or is finished."""
        return self._change("UPDATE runs SET stopping = 1 WHERE id = ? AND finished IS NULL", run) > 0

    def stopping(self, run: str) -> bool:
        """Whether somebody asked that run to stop."""
        return bool(self._rows("SELECT id FROM runs WHERE id = ? AND stopping = 1", run))

    def resumed(self, run: str) -> str:
        """The id of the run that went on with that one; empty when none did."""
        row = self._first("SELECT id FROM runs WHERE resumes = ? AND resumes <> ''", run)
        return "" if row is None else str(row["id"])

    def unfinished(self) -> tuple[RunRow, ...]:
        """The runs whose end is not written, newest first, with their steps."""
        with self._using("DEFERRED") as db:
            return tuple(_run(db, row) for row in _sql(db, f"{RUN} WHERE finished IS NULL ORDER BY number DESC").fetchall())

    def together(self, session: str, other: str) -> bool:
        """Whether two sessions belong to one conversation (A2)."""
        same = "SELECT a.number FROM turns AS a JOIN turns AS b ON a.conversation = b.conversation"
        one, two = label(session), label(other)
        return one == two or bool(self._rows(f"{same} WHERE a.session = ? AND b.session = ? LIMIT 1", one, two))

    def runs(self, kata: int | None = None, limit: int = 20) -> tuple[RunRow, ...]:
        """The latest runs of a kata (None: of all), newest first, with their steps."""
        chosen, values = ("", ()) if kata is None else ("WHERE kata = ?", (kata,))
        with self._using("DEFERRED") as db:
            return tuple(_run(db, row) for row in _sql(db, f"{RUN} {chosen} ORDER BY number DESC LIMIT ?", *values, limit).fetchall())

    def used(self) -> dict[int, Row]:
        """How often each kata ran, by number: runs, good (runs that ended well), last (epoch seconds when the latest began)."""
        select = "SELECT kata, count(*) AS runs, sum(status = 'ok') AS good, max(started) AS last FROM runs GROUP BY kata"
        return {row["kata"]: {name: row[name] for name in ("runs", "good", "last")} for row in self._rows(select)}

    def run(self, run: str) -> RunRow | None:
        """The run of that id, with its steps."""
        with self._using("DEFERRED") as db:
            row = _sql(db, f"{RUN} WHERE id = ?", run).fetchone()
            return None if row is None else _run(db, row)

    # ── Accounts ─────────────────────────────────────────────────────────────────────────────────

    def settle(self, turn: str, at: float, requests: int, uses: Iterable[Json], times: Mapping[int, Json]) -> None:
        """Keep what a turn cost: how many model requests, each use of a kata (with its run, kata and time), and what each routine done by
        hand in it took, by kata."""
        with self._using("IMMEDIATE") as db:
            if requests:
                again = "ON CONFLICT (turn) DO UPDATE SET requests = excluded.requests"
                _insert(db, "spent", {"turn": turn, "at": at, "requests": requests}, again)
            for use in uses:
                row = {"run": use["run"], "kata": use["kata"], "turn": turn, "at": use["at"], "told": pack(use)}
                _insert(db, "uses", row, "ON CONFLICT (run) DO UPDATE SET told = excluded.told")
            for kata, cost in times.items():
                row = {"kata": kata, "turn": turn, "at": at, "cost": pack(cost)}
                _insert(db, "times", row, "ON CONFLICT (kata, turn) DO UPDATE SET cost = excluded.cost")

    def uses(self, kata: int) -> tuple[Json, ...]:
        """What is kept of each use of a kata, in the order of time."""
        return tuple(row["told"] for row in self._rows("SELECT told FROM uses WHERE kata = ? ORDER BY at, run", kata))

    def times(self, kata: int, most: int = 20) -> dict[str, Json]:
        """Turn → what the routine cost there by hand; the newest `most`."""
        rows = self._rows("SELECT turn, cost FROM times WHERE kata = ? ORDER BY at DESC LIMIT ?", kata, most)
        return {row["turn"]: row["cost"] for row in rows}

    def asked(self, first: float, last: float) -> int:
        """How many model requests were made in the turns that began between those times."""
        return int(self._rows("SELECT coalesce(sum(requests), 0) AS n FROM spent WHERE at BETWEEN ? AND ?", first, last)[0]["n"])

    def runs_between(self, first: float, last: float) -> tuple[RunRow, ...]:
        """The runs that began between those times, in their order, with their steps."""
        with self._using("DEFERRED") as db:
            rows = _sql(db, f"{RUN} WHERE started BETWEEN ? AND ? ORDER BY number", first, last).fetchall()
            return tuple(_run(db, row) for row in rows)

    def held(self, turn: str) -> dict[int, Occurrence]:
        """Kata → where its routine stands in that turn, done by hand."""
        select = f"""SELECT katas.id AS kata, held.* FROM ({WINDOW} WHERE turns.id = ?) AS held JOIN katas ON katas.window = held.window
        WHERE katas.state <> 'rejected' AND katas.withdrawn = ''"""
        return {int(row["kata"]): _occurrence(row) for row in self._rows(select, turn)}

    def placed(self, window: int, since: float = 0.0, most: int = 50) -> tuple[Occurrence, ...]:
        """Every turn since that time in which a window stands, newest first; `most` of them."""
        rows = self._rows(f"{WINDOW} WHERE window = ? AND turns.started > ? ORDER BY turns.number DESC LIMIT ?", window, since, most)
        return tuple(map(_occurrence, rows))

    def told(self, turn: str) -> tuple[str, float, float]:
        """What the user said in a turn, when it began and when its conversation did (epoch seconds); empty and 0 where it is gone."""
        began = "(SELECT min(started) FROM turns AS other WHERE other.conversation = turns.conversation) AS began"
        row = self._first(f"SELECT message, started, {began} FROM turns WHERE id = ?", turn)
        return ("", 0.0, 0.0) if row is None else (str(row["message"]), float(row["started"]), float(row["began"]))

    def calling(self, turn: str, tool: str) -> bool:
        """Whether a tool was called in that turn."""
        select = "SELECT events.number FROM events JOIN turns ON turns.number = turn WHERE id = ? AND tool = ? LIMIT 1"
        return bool(self._rows(select, turn, tool))

    def first(self, kata: int, digest: str) -> float:
        """When a kata had that revision first (epoch seconds), by the log; 0 where it does not say."""
        row = self._first("SELECT min(at) AS at FROM audit WHERE kata = ? AND digest = ?", kata, digest)
        return float(row["at"] or 0.0) if row else 0.0

    def steps(self, kata: int) -> int:
        """How many steps the routine of a kata has, as it is done by hand."""
        row = self._first("SELECT keys FROM katas WHERE id = ?", kata)
        return len(row["keys"]) if row else 0

    def window(self, kata: int) -> int:
        """The window of a kata's routine; 0 where it has none."""
        row = self._first("SELECT window FROM katas WHERE id = ?", kata)
        return int(row["window"]) if row else 0

    # ── Facts ────────────────────────────────────────────────────────────────────────────────────

    def count(self, name: str, n: int = 1) -> None:
        """Add to the counter of that name."""
        with self._using("IMMEDIATE") as db:
            _count(db, name, n)

    def counters(self) -> dict[str, int]:
        """All counters by name."""
        return {row["name"]: row["value"] for row in self._rows("SELECT name, value FROM counters ORDER BY name")}

    def note(self, name: str, text: str) -> None:
        """Keep one small fact under a name."""
        self._change("INSERT OR REPLACE INTO notes (name, text) VALUES (?, ?)", name, text)

    def noted(self, name: str) -> str:
        """The fact kept under that name; empty when none."""
        row = self._first("SELECT text FROM notes WHERE name = ?", name)
        return "" if row is None else str(row["text"])

    def hold(self, owner: str, n: int) -> None:
        """Leave word beside the file that `owner` holds n events which the file does not take now; 0 takes the word back. It is the
        name of an empty file, because a full disk has room for no more."""
        mine = f"held-{owner.replace(':', '-')}-"
        with suppress(OSError):
            for old in self._notes(mine):
                os.unlink(old)
            if n:
                os.close(os.open(os.path.join(os.path.dirname(self._probed), f"{mine}{n}"), os.O_CREAT | os.O_WRONLY, 0o600))

    def inherit(self, alive: Callable[[str], bool]) -> int:
        """Count as "not_written" what processes that are gone held when they ended; the number of events."""
        found = 0
        for path in self._notes("held-"):
            pid, began, n = [*os.path.basename(path).split("-"), "", "", ""][1:4]
            if n.isdigit() and not alive(f"{pid}:{began}"):
                self.count("not_written", int(n))
                found += int(n)
                with suppress(OSError):
                    os.unlink(path)
        return found

    def _notes(self, start: str) -> list[str]:
        folder = os.path.dirname(self._probed)
        with suppress(OSError):
            return [os.path.join(folder, name) for name in os.listdir(folder) if name.startswith(start)] if folder else []
        return []

    def lease(self, owner: str, alive: Callable[[str], bool], what: str = "miner") -> bool:
        """Take the right to mine, or to be another; False while somebody else holds it who is still alive (design section 12)."""
        with self._using("IMMEDIATE") as db:
            holder = _one(db, "SELECT text FROM notes WHERE name = ?", what)
            if holder not in (None, "", owner) and alive(holder):
                return False
            _sql(db, "INSERT OR REPLACE INTO notes (name, text) VALUES (?, ?)", what, owner)
            return True

    def release(self, owner: str, what: str = "miner") -> None:
        """Give the right to mine, or to be another, back."""
        self._change("DELETE FROM notes WHERE name = ? AND text = ?", what, owner)

    def facts(self) -> dict[str, Json]:
        """What status shows: calls, turns, conversations, dirty (turns), katas by state, last_event (epoch seconds or
        None), bytes, version, journal, path and mode (octal) of the file."""
        with self._using("DEFERRED") as db:
            states = _sql(db, "SELECT state, count(*) AS n FROM katas WHERE withdrawn = '' GROUP BY state ORDER BY state").fetchall()
            return {
                **{name: _one(db, select) for name, select in FACTS.items()},
                "katas": {row["state"]: row["n"] for row in states},
                "bytes": _one(db, "PRAGMA page_count") * _one(db, "PRAGMA page_size"),
                "used": (_one(db, "PRAGMA page_count") - _one(db, "PRAGMA freelist_count")) * _one(db, "PRAGMA page_size"),
                "path": self._path,
                "mode": _mode(self._path),
            }
