"""The tables of the file, and the steps that bring an older file to them; a step that was published is never changed. A module of its own,
because what is in files that are out there hangs on it, and every change to it is one to those."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence

from .model import Damaged, NewerStore
from .statements import file_named, path_of, transaction, value_of

Migration = Callable[[sqlite3.Connection], None]


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


ASLEEP = """
CREATE TABLE asleep (                       -- families that chance explains, whatever template they have
    window INTEGER PRIMARY KEY, size INTEGER NOT NULL,
    seen INTEGER NOT NULL, weight REAL NOT NULL -- its places and those of its halves as judged last; 0 where less was forgotten since
);
CREATE INDEX asleep_seen ON asleep (seen, weight);
CREATE TABLE tallies (                      -- what is counted of windows and events as they come and go
    name TEXT PRIMARY KEY, n INTEGER NOT NULL
);
CREATE TABLE places (                       -- of windows of one and two steps, which stand everywhere: at how many places
    window INTEGER PRIMARY KEY, n INTEGER NOT NULL
);
ALTER TABLE near ADD COLUMN ties BLOB NOT NULL DEFAULT '';
INSERT OR IGNORE INTO families (window, size) SELECT window, max(windows.size) FROM near JOIN windows USING (window) GROUP BY window
"""
TALLIES = """
DELETE FROM tallies;
DELETE FROM places;
INSERT INTO tallies SELECT 'calls', count(*) FROM events;
INSERT INTO tallies SELECT 'windows', count(DISTINCT window) FROM windows WHERE size > 1;
INSERT INTO tallies SELECT 'pairs', coalesce(sum(times), 0) FROM windows WHERE size = 2;
INSERT INTO tallies SELECT 'whole', coalesce(sum(times), 0) FROM windows WHERE size = 2 AND skipped = '';
INSERT INTO places SELECT window, sum(times) FROM windows WHERE size < 3 GROUP BY window
"""
CALLED = "UPDATE tallies SET n = n {} 1 WHERE name = 'calls'"
KNOWN = "(SELECT count(*) FROM (SELECT 1 FROM windows WHERE window = {}.window LIMIT 2)) = {}"
TRIGGERS = f"""
CREATE TEMP TRIGGER call_came AFTER INSERT ON main.events BEGIN {CALLED.format("+")}; END
CREATE TEMP TRIGGER call_went AFTER DELETE ON main.events BEGIN {CALLED.format("-")}; END
CREATE TEMP TRIGGER window_came AFTER INSERT ON main.windows WHEN NEW.size > 1 AND {KNOWN.format("NEW", 1)}
BEGIN UPDATE tallies SET n = n + 1 WHERE name = 'windows'; END
CREATE TEMP TRIGGER window_went AFTER DELETE ON main.windows WHEN OLD.size > 1 AND {KNOWN.format("OLD", 0)}
BEGIN UPDATE tallies SET n = n - 1 WHERE name = 'windows'; END
CREATE TEMP TRIGGER place_came AFTER INSERT ON main.windows WHEN NEW.size < 3
BEGIN INSERT INTO places VALUES (NEW.window, NEW.times) ON CONFLICT (window) DO UPDATE SET n = n + NEW.times; END
CREATE TEMP TRIGGER place_went AFTER DELETE ON main.windows WHEN OLD.size < 3
BEGIN UPDATE places SET n = n - OLD.times WHERE window = OLD.window; DELETE FROM places WHERE window = OLD.window AND n < 1; END
CREATE TEMP TRIGGER pair_came AFTER INSERT ON main.windows WHEN NEW.size = 2
BEGIN UPDATE tallies SET n = n + NEW.times WHERE name = 'pairs' OR name = 'whole' AND NEW.skipped = ''; END
CREATE TEMP TRIGGER pair_went AFTER DELETE ON main.windows WHEN OLD.size = 2
BEGIN UPDATE tallies SET n = n - OLD.times WHERE name = 'pairs' OR name = 'whole' AND OLD.skipped = ''; END
"""
"""They are the connection's, not the file's: nothing in a file acts by itself."""


def _asleep(db: sqlite3.Connection) -> None:
    for statement in ASLEEP.split(";\n"):
        db.execute(statement)
    tally(db)


def tally(db: sqlite3.Connection) -> None:
    """Count anew what is counted of windows and events as they come and go."""
    for statement in TALLIES.split(";\n"):
        db.execute(statement)


def watch(db: sqlite3.Connection) -> None:
    """Have a connection count the windows and events that come and go through it."""
    for statement in TRIGGERS.strip().split("END\n"):
        db.execute(statement if statement.endswith("END") else f"{statement} END")


def _next(db: sqlite3.Connection) -> None:
    """Which family comes next is asked once for each: without an index the queue would be read whole every time."""
    db.execute("CREATE INDEX families_next ON families (size DESC, window)")


MIGRATIONS: tuple[Migration, ...] = (_first, _gaps, _past, _around, _accounts, _asleep, _next)
"""The step at index n takes a file from version n to n + 1; a step is never changed once it was published."""


def migrate(db: sqlite3.Connection, steps: Sequence[Migration] = MIGRATIONS) -> None:
    """Bring the file to version `len(steps)` in one transaction, once, however many processes try at the same time;
    NewerStore when it is beyond that."""
    if age(db, len(steps)) == len(steps):
        return
    with transaction(db, "IMMEDIATE"):
        # Asked again: another process may have migrated while we waited for the lock (B45).
        for step in steps[age(db, len(steps)) :]:
            step(db)
        db.execute(f"PRAGMA user_version = {len(steps)}")


def age(db: sqlite3.Connection, known: int) -> int:
    """The version of the file; NewerStore when this plugin does not know it."""
    version = int(value_of(db, "PRAGMA user_version"))
    if version < 0:
        raise misshapen(db, f"its format is {version}")
    if version > known:
        raise NewerStore(
            f"{file_named(path_of(db))} has version {version}, this plugin knows versions up to {known}: "
            "update the Kata plugin; until then the file is left untouched and nothing is recorded"
        )
    return version


SHAPE = """SELECT type, name, coalesce(field, '') FROM (
    SELECT master.type, master.name, columns.name AS field FROM sqlite_master AS master
    LEFT JOIN pragma_table_info(CASE master.type WHEN 'table' THEN master.name END) AS columns
) WHERE name NOT LIKE 'sqlite_%'"""


def shape(db: sqlite3.Connection) -> frozenset[tuple[str, str, str]]:
    """Kind, name and column of everything that the tables of a file consist of."""
    return frozenset(db.execute(SHAPE))


def fitting(db: sqlite3.Connection, ours: frozenset[tuple[str, str, str]]) -> None:
    """Damaged where a table, a column or a rule of ours is missing, or something is there that acts by itself: a trigger, a view."""
    found = shape(db)
    for kind, name, column in sorted(ours - found):
        whole = (kind, name) not in {one[:2] for one in found}
        raise misshapen(db, f"the {kind} {name} is not there" if whole else f"the table {name} has no column {column}")
    for kind, name, _ in sorted(found):
        if kind in ("trigger", "view"):
            raise misshapen(db, f"it holds a {kind}, {name[:40]!r}")


def misshapen(db: sqlite3.Connection, what: str) -> Damaged:
    """Why a file is none of ours, and what helps."""
    return Damaged(f"{file_named(path_of(db))} is not as Kata made it: {what}; {MENDING}")


MENDING = "'hermes kata repair' saves what can be read, and keeps the old file"
