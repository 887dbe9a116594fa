"""Saves what can be read of a file that is damaged, or is not as Kata made it, into a new one, and keeps the old beside it; it changes
nothing in a file that is sound. A module of its own, because it alone reads tables that it cannot trust."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass

from .decisions import log
from .findings import Findings
from .katas import Katas
from .model import AuditRow, Damaged
from .statements import transaction
from .tables import migrate, tally

DERIVED = frozenset({"windows", "families", "near", "asleep", "tallies", "places"})
"""What mining makes anew out of the other tables."""
BELONGS = {
    "events": "turn NOT IN (SELECT number FROM turns)",
    "requests": "turn NOT IN (SELECT number FROM turns)",
    "versions": "kata NOT IN (SELECT id FROM katas)",
    "shown": "kata NOT IN (SELECT id FROM katas)",
    "runs": "kata NOT IN (SELECT id FROM katas)",
    "run_steps": "run NOT IN (SELECT number FROM runs)",
}
"""Rows that hang on nothing when what they belong to could not be read."""


@dataclass(frozen=True, slots=True)
class Mended:
    """What was wrong with the file, how many rows of each table were saved, and where the old file is kept."""

    why: str
    saved: dict[str, int]
    kept: str


class Mending(Findings, Katas):
    """The file, made anew out of what is left of it."""

    def ailing(self) -> str:
        """What is wrong with the file; empty when it is sound. StoreError when it cannot be told: busy, full, of a newer plugin."""
        try:
            with self._using("DEFERRED") as db:
                found = str(db.execute("PRAGMA integrity_check(1)").fetchone()[0])
        except Damaged as error:
            return error.message
        return "" if found == "ok" else found

    def mend(self, actor: str, now: float) -> Mended | None:
        """Put a file with what can be read in the place of a damaged one, with a row in the log, and let everything be mined again; None
        when nothing is wrong."""
        if not (why := self.ailing()):
            return None
        with self._lock:
            path = os.path.realpath(self._probed or self._path)
            self._drop()
            saved = self._saved(path, actor, now)
            kept = _aside(path)
            os.replace(f"{path}.mended", path)
        self.soil()
        return Mended(why, saved, kept)

    def _saved(self, path: str, actor: str, now: float) -> dict[str, int]:
        new = f"{path}.mended"
        for left in (new, f"{new}-journal"):
            with suppress(FileNotFoundError):
                os.unlink(left)
        os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with closing(self._plain(new)) as db, closing(self._plain(path)) as old:
            migrate(db)
            with transaction(db, "IMMEDIATE"):
                ours = db.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
                tables = [name for (name,) in ours.fetchall()]
                saved = {table: _copied(old, db, table) for table in tables if table not in DERIVED}
                for table, orphan in BELONGS.items():
                    saved[table] -= db.execute(f"DELETE FROM {table} WHERE {orphan}").rowcount
                tally(db)
                log(db, AuditRow(now, actor, "repair", 0, "", "", "", f"{sum(saved.values())} rows could be read"))
        return saved


def _copied(old: sqlite3.Connection, new: sqlite3.Connection, table: str) -> int:
    """Copy the rows of a table that can be read; how many."""
    names = _columns(old, table) & _columns(new, table)
    if not names:
        return 0
    columns, copied = ", ".join(sorted(names)), 0
    insert = f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({', '.join('?' * len(names))})"
    for row in _rows(old, f"SELECT {columns} FROM {table} ORDER BY rowid"):
        copied += new.execute(insert, row).rowcount
    return copied


def _columns(db: sqlite3.Connection, table: str) -> set[str]:
    """The columns of a table; none where there is no table, or something else in its place."""
    from_both = "sqlite_master AS master, pragma_table_info(master.name) AS columns"
    select = f"SELECT columns.name FROM {from_both} WHERE master.type = 'table' AND master.name = ?"
    with suppress(sqlite3.Error):
        return {name for (name,) in db.execute(select, (table,))}
    return set()


def _rows(db: sqlite3.Connection, select: str) -> Iterator[tuple[object, ...]]:
    """The rows from the first to where the damage begins, then from the last."""
    for order in ("", " DESC"):
        try:
            yield from db.execute(select + order)
        except sqlite3.Error:
            continue
        return


def _aside(path: str) -> str:
    """Keep the old file under a name of its own, with its companions, and leave it where it is until the new one takes its place."""
    number = 1
    while os.path.lexists(f"{path}.damaged-{number}"):
        number += 1
    kept = f"{path}.damaged-{number}"
    for end in ("-wal", "-journal", "-shm"):
        with suppress(FileNotFoundError):
            os.rename(path + end, kept + end)
    try:
        os.link(path, kept)
    except OSError:  # a file system without links: for a moment there is no file
        os.rename(path, kept)
    return kept
