"""The log of decisions: whatever is changed, taken out or put in by another program is found, with its place."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from strategies import bench

FIELDS = ("at", "actor", "verb", "kata", "before", "after", "digest", "detail", "hash")
ROWS = 4
Harm = Callable[[sqlite3.Connection], object]


def changed(field: str, number: int) -> Harm:
    """One field of one row is another."""
    other = "1.5" if field == "at" else "99" if field == "kata" else "'other'"
    return lambda db: db.execute(f"UPDATE audit SET {field} = {other} WHERE number = ?", (number,))


def missing(number: int) -> Harm:
    """One row is gone."""
    return lambda db: db.execute("DELETE FROM audit WHERE number = ?", (number,))


def closed(number: int) -> Harm:
    """One row is gone, and the numbers of those after it close the gap."""

    def harm(db: sqlite3.Connection) -> None:
        missing(number)(db)
        for later in range(number + 1, ROWS + 1):
            db.execute("UPDATE audit SET number = number - 1 WHERE number = ?", (later,))
        db.execute("UPDATE sqlite_sequence SET seq = seq - 1 WHERE name = 'audit'")

    return harm


def inserted(db: sqlite3.Connection) -> None:
    """One more row, a copy of the last."""
    columns = ", ".join(FIELDS)
    db.execute(f"INSERT INTO audit ({columns}) SELECT {columns} FROM audit WHERE number = ?", (ROWS,))


def swapped(db: sqlite3.Connection) -> None:
    """Two rows in the other order."""
    for old, new in ((2, 90), (3, 2), (90, 3)):
        db.execute("UPDATE audit SET number = ? WHERE number = ?", (new, old))


HARMS = [
    *((changed(field, number), number) for field in FIELDS for number in range(1, ROWS + 1)),
    *((missing(number), number) for number in range(1, ROWS + 1)),
    *((closed(number), number) for number in range(1, ROWS)),
    (inserted, ROWS + 1),
    (swapped, 2),
]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file with four decisions."""
    file = tmp_path_factory.mktemp("log") / "kata.db"
    with closing(bench(file)) as desk:
        desk.approved("deploy")
        for verb in (desk.service.disable, desk.service.enable):
            verb("deploy", "cli")
        assert desk.store.proven() == (ROWS, 0)
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.execute("PRAGMA journal_mode = delete")
    return file.read_bytes()


@pytest.mark.parametrize(("harm", "at"), HARMS)
def test_a_row_that_was_changed_taken_out_or_put_in_is_found(tmp_path: Path, written: bytes, harm: Harm, at: int) -> None:
    """T66."""
    file = tmp_path / "kata.db"
    file.write_bytes(written)
    with closing(sqlite3.connect(file)) as db, db:
        harm(db)
    with closing(bench(file)) as desk:
        assert desk.store.proven()[1] == at
