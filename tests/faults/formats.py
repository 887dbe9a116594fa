"""The tables of every format that a file of Kata ever had, as they were when it was current, and how to make such a file out of one of
today; frozen here, so that a change to a step that was published is seen."""

import sqlite3
from contextlib import closing
from pathlib import Path

FIRST = """
CREATE TABLE turns (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, session TEXT NOT NULL, conversation TEXT NOT NULL,
    platform TEXT NOT NULL, who TEXT NOT NULL, started REAL NOT NULL, ended REAL, message BLOB NOT NULL, dirty INTEGER NOT NULL DEFAULT 0,
    masker INTEGER NOT NULL DEFAULT 0);
CREATE INDEX turns_conversation ON turns (conversation);
CREATE INDEX turns_session ON turns (session);
CREATE INDEX turns_dirty ON turns (dirty) WHERE dirty > 0;
CREATE TABLE events (number INTEGER PRIMARY KEY, turn INTEGER NOT NULL REFERENCES turns ON DELETE CASCADE, call_id TEXT NOT NULL,
    position INTEGER NOT NULL, tool TEXT NOT NULL, arguments BLOB NOT NULL, status TEXT NOT NULL, result BLOB NOT NULL,
    reason TEXT NOT NULL, said TEXT NOT NULL, started REAL NOT NULL, ended REAL NOT NULL, request TEXT NOT NULL, schema TEXT NOT NULL,
    folder TEXT NOT NULL, UNIQUE (turn, call_id));
CREATE TABLE requests (turn INTEGER NOT NULL REFERENCES turns ON DELETE CASCADE, request TEXT NOT NULL, model TEXT NOT NULL,
    at REAL NOT NULL, seconds REAL NOT NULL, input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, cache_tokens INTEGER NOT NULL,
    tool_calls INTEGER NOT NULL, PRIMARY KEY (turn, request));
CREATE TABLE schemas (fingerprint TEXT PRIMARY KEY, tool TEXT NOT NULL, body BLOB NOT NULL);
CREATE TABLE tools (tool TEXT PRIMARY KEY, fingerprint TEXT NOT NULL);
CREATE TABLE windows (window INTEGER NOT NULL, turn INTEGER NOT NULL REFERENCES turns ON DELETE CASCADE, first INTEGER NOT NULL,
    last INTEGER NOT NULL, size INTEGER NOT NULL, times INTEGER NOT NULL, PRIMARY KEY (window, turn)) WITHOUT ROWID;
CREATE INDEX windows_turn ON windows (turn);
CREATE TABLE families (window INTEGER PRIMARY KEY, size INTEGER NOT NULL, touched INTEGER NOT NULL DEFAULT 0);
CREATE TABLE near (fingerprint TEXT PRIMARY KEY, window INTEGER NOT NULL, keys BLOB NOT NULL, rule TEXT NOT NULL, detail TEXT NOT NULL,
    support INTEGER NOT NULL);
CREATE INDEX near_window ON near (window);
CREATE TABLE katas (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL DEFAULT '', state TEXT NOT NULL,
    fingerprint TEXT NOT NULL UNIQUE, keys BLOB NOT NULL, version INTEGER NOT NULL, withdrawn TEXT NOT NULL DEFAULT '',
    window INTEGER NOT NULL DEFAULT 0, ties BLOB NOT NULL, chance TEXT NOT NULL DEFAULT '');
CREATE INDEX katas_window ON katas (window);
CREATE UNIQUE INDEX katas_name ON katas (name) WHERE name <> '';
CREATE TABLE versions (kata INTEGER NOT NULL REFERENCES katas, number INTEGER NOT NULL, spec TEXT NOT NULL, digest TEXT NOT NULL,
    fit BLOB NOT NULL, exhibits BLOB NOT NULL, checks BLOB NOT NULL, created REAL NOT NULL, approved REAL, PRIMARY KEY (kata, number));
CREATE TABLE shown (surface TEXT NOT NULL, kata INTEGER NOT NULL REFERENCES katas, digest TEXT NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (surface, kata));
CREATE TABLE audit (number INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, actor TEXT NOT NULL, verb TEXT NOT NULL,
    kata INTEGER NOT NULL, before TEXT NOT NULL, after TEXT NOT NULL, digest TEXT NOT NULL, detail TEXT NOT NULL, hash TEXT NOT NULL);
CREATE TABLE runs (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kata INTEGER NOT NULL REFERENCES katas, version INTEGER NOT NULL,
    tool TEXT NOT NULL, digest TEXT NOT NULL, session TEXT NOT NULL, inputs BLOB NOT NULL, started REAL NOT NULL, finished REAL,
    status TEXT NOT NULL, reason TEXT NOT NULL, folder TEXT NOT NULL DEFAULT '', owner TEXT NOT NULL DEFAULT '',
    resumes TEXT NOT NULL DEFAULT '', stopping INTEGER NOT NULL DEFAULT 0);
CREATE INDEX runs_kata ON runs (kata);
CREATE UNIQUE INDEX runs_resumes ON runs (resumes) WHERE resumes <> '';
CREATE TABLE run_steps (run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE, step INTEGER NOT NULL, trace BLOB NOT NULL,
    PRIMARY KEY (run, step));
CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
CREATE TABLE notes (name TEXT PRIMARY KEY, text TEXT NOT NULL);
"""
LATER = (
    """
ALTER TABLE windows ADD COLUMN skipped TEXT NOT NULL DEFAULT '';
ALTER TABLE katas ADD COLUMN loose TEXT NOT NULL DEFAULT '';
""",
    """
ALTER TABLE turns ADD COLUMN kept REAL NOT NULL DEFAULT 0;
CREATE TABLE spans (session TEXT NOT NULL, began REAL NOT NULL, ended REAL);
CREATE INDEX spans_session ON spans (session);
""",
    """
ALTER TABLE events ADD COLUMN around BLOB NOT NULL DEFAULT '';
""",
    """
CREATE TABLE spent (turn TEXT PRIMARY KEY, at REAL NOT NULL, requests INTEGER NOT NULL);
CREATE INDEX spent_at ON spent (at);
CREATE TABLE uses (run TEXT PRIMARY KEY, kata INTEGER NOT NULL, turn TEXT NOT NULL, at REAL NOT NULL, told BLOB NOT NULL);
CREATE INDEX uses_kata ON uses (kata);
CREATE TABLE times (kata INTEGER NOT NULL, turn TEXT NOT NULL, at REAL NOT NULL, cost BLOB NOT NULL, PRIMARY KEY (kata, turn));
""",
    """
CREATE TABLE asleep (window INTEGER PRIMARY KEY, size INTEGER NOT NULL, seen INTEGER NOT NULL, weight REAL NOT NULL);
CREATE INDEX asleep_seen ON asleep (seen, weight);
CREATE TABLE tallies (name TEXT PRIMARY KEY, n INTEGER NOT NULL);
CREATE TABLE places (window INTEGER PRIMARY KEY, n INTEGER NOT NULL);
ALTER TABLE near ADD COLUMN ties BLOB NOT NULL DEFAULT '';
""",
    "CREATE INDEX families_next ON families (size DESC, window);\n",
)
FORMATS = tuple("".join((FIRST, *LATER[:number])) for number in range(len(LATER) + 1))
"""All that makes a file of format n + 1, at n."""
Tables = dict[str, tuple[str, ...]]


def tables(db: sqlite3.Connection) -> Tables:
    """The tables of a file, each with its columns."""
    names = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name").fetchall()
    return {name: tuple(row[1] for row in db.execute(f"PRAGMA table_info({name})")) for (name,) in names}


def aged(today: Path, old: Path, number: int) -> None:
    """Make a file of that format that holds whatever of today's it had a place for."""
    with closing(sqlite3.connect(old)) as db:
        db.executescript(FORMATS[number - 1])
        db.execute("ATTACH ? AS today", (str(today),))
        with db:
            for table, columns in tables(db).items():
                names = ", ".join(columns)
                db.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM today.{table}")
        db.execute(f"PRAGMA user_version = {number}")
        db.commit()


def content(file: Path) -> dict[str, list[dict[str, object]]]:
    """Every row of every table, by its columns."""
    with closing(sqlite3.connect(file)) as db:
        return {
            name: sorted((dict(zip(columns, row, strict=True)) for row in db.execute(f"SELECT {', '.join(columns)} FROM {name}")), key=repr)
            for name, columns in tables(db).items()
        }
