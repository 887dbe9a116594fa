"""What every statement to the file goes through: values into columns and rows out of them, one transaction around several, and the names of
the file in a sentence; it knows no table but the counters. A module of its own, because all that read or write the file share it, and none
of them the others."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress

from .model import Damaged, Json
from .rows import Row, bind, unbind


def _row(cursor: sqlite3.Cursor, values: tuple[Json, ...]) -> Row:
    row = zip(cursor.description, values, strict=True)
    return {column[0]: unbind(value) if isinstance(value, bytes) else value for column, value in row}


def sql(db: sqlite3.Connection, statement: str, *values: object) -> sqlite3.Cursor:
    """Execute one statement; its rows come as dicts of values as they went in."""
    cursor = db.cursor()
    cursor.row_factory = _row
    return cursor.execute(statement, [bind(value) for value in values])


def readable(db: sqlite3.Connection, select: str, *values: object) -> list[Row]:
    """The rows of a select, without those that are not as Kata wrote them: one must not hide the others."""
    cursor = db.execute(select, [bind(value) for value in values])
    found = []
    for row in cursor:
        with suppress(Damaged):
            found.append(_row(cursor, row))
    return found


def tried(db: sqlite3.Connection, select: str, *values: object) -> Iterator[tuple[Json, Row | Damaged]]:
    """The first column of each row of a select as it is stored, with the row, or why it is not as Kata wrote it."""
    cursor = db.execute(select, [bind(value) for value in values])
    for row in cursor:
        try:
            yield row[0], _row(cursor, row)
        except Damaged as error:
            yield row[0], error


def insert(db: sqlite3.Connection, table: str, row: Mapping[str, object], otherwise: str = "") -> sqlite3.Cursor:
    """Insert a row, column by column; `otherwise` is the ON CONFLICT clause."""
    return sql(db, f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks(row)}) {otherwise}", *row.values())


def marks(values: Collection[object]) -> str:
    """A question mark for each value."""
    return ", ".join("?" * len(values))


def value_of(db: sqlite3.Connection, select: str, *values: object) -> Json:
    """The first column of the first row; None when there is no row."""
    row = sql(db, select, *values).fetchone()
    return None if row is None else next(iter(row.values()))


def add_to(db: sqlite3.Connection, name: str, n: int = 1) -> None:
    """Add to the counter of that name."""
    insert(db, "counters", {"name": name, "value": n}, "ON CONFLICT (name) DO UPDATE SET value = value + excluded.value")


def positions(numbers: Iterable[int]) -> str:
    """Positions as one column holds them."""
    return ",".join(map(str, numbers))


def numbers(text: str) -> tuple[int, ...]:
    """The positions of such a column."""
    return tuple(int(one) for one in text.split(",") if one)


def path_of(db: sqlite3.Connection) -> str:
    """Where the file is; empty for a database in memory."""
    return str(sql(db, "PRAGMA database_list").fetchone()["file"] or "")


def file_named(path: str) -> str:
    """The file as a sentence names it."""
    return f"The Kata file {path}" if path else "The Kata file"


@contextmanager
def transaction(db: sqlite3.Connection, kind: str) -> Iterator[None]:
    """One transaction of that kind (DEFERRED, IMMEDIATE); what is raised inside takes all back."""
    db.execute(f"BEGIN {kind}")
    try:
        yield
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")
