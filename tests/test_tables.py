"""A file of any version becomes one of today, once, and one of tomorrow is left alone."""

import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from stored import JOURNALS, Other, event, opener, raw, start, whole

from kata.model import NewerStore, Occurrence
from kata.store import Store
from kata.tables import MIGRATIONS, migrate


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "plugin-data" / "kata"
    folder.mkdir(parents=True)
    return folder / "data.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    one = Store(opener(path))
    yield one
    one.close()


# ── The file ─────────────────────────────────────────────────────────────────────────────────────


def test_a_newer_file_is_left_untouched_and_the_sentence_says_what_to_do(path: Path, store: Store) -> None:
    """B45"""
    store.add(whole("t1", "c1"))
    store.close()
    raw(path, f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    path.chmod(0o644)
    before = path.read_bytes()
    old = Store(opener(path))
    for work in (old.facts, old.dirty, lambda: old.add(whole("t2", "c2"))):
        with pytest.raises(NewerStore) as caught:
            work()
        assert str(caught.value) == (
            f"The Kata file {path} has version {len(MIGRATIONS) + 1}, this plugin knows versions up to {len(MIGRATIONS)}: "
            "update the Kata plugin; until then the file is left untouched and nothing is recorded"
        )
    assert path.read_bytes() == before and stat.S_IMODE(path.stat().st_mode) == 0o644


def test_a_file_that_a_newer_plugin_migrates_while_it_is_open_is_written_no_more(path: Path, store: Store) -> None:
    """B45"""
    store.add([start()])
    raw(path, f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(NewerStore):
        store.add([event()])
    assert raw(path, "SELECT count(*) FROM events") == [(0,)]


@pytest.mark.parametrize("journal", JOURNALS)
def test_of_eight_that_migrate_an_old_file_at_once_one_does_it(tmp_path: Path, journal: str) -> None:
    """B45: both saw the old schema and both added the column."""
    for n in range(4):
        path = tmp_path / f"{n}.db"
        old = Store(opener(path, journal))
        old.add(whole("t1", "c1"))
        old.close()
        with Other("add_column", path, journal) as one, Other("add_column", path, journal) as two:
            assert [one.hear(), two.hear()] == ["ready", "ready"]
            one.say()
            two.say()
            assert [one.hear(), two.hear()] == [[""] * 4, [""] * 4]
        assert raw(path, "PRAGMA user_version") == [(len(MIGRATIONS) + 1,)]
        assert raw(path, "SELECT id, mood FROM turns") == [("t1", None)]


def test_a_file_of_the_first_version_keeps_all_and_counts_every_ended_turn_once_more(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        migrate(db, MIGRATIONS[:1])
        columns = "id, session, conversation, platform, who, started, ended, message"
        turn = f"INSERT INTO turns ({columns}) VALUES (?, 's', 'c', 'cli', 'person', 1, ?, '')"
        for name, ended in (("done", 2), ("open", None)):
            db.execute(turn, (name, ended))
        db.execute("INSERT INTO windows (window, turn, first, last, size, times) VALUES (7, 1, 0, 1, 2, 1)")
    with closing(Store(lambda: sqlite3.connect(path, isolation_level=None))) as store:
        assert store.occurrences(7) == (Occurrence("c", "done", 0, 1),)
        assert store.dirty() == ("done",)


def test_a_migration_that_fails_leaves_the_file_as_it_was(path: Path) -> None:
    db = sqlite3.connect(path, isolation_level=None)
    migrate(db)

    def broken(file: sqlite3.Connection) -> None:
        file.execute("CREATE TABLE half (x)")
        file.execute("this is no SQL")

    with pytest.raises(sqlite3.OperationalError, match="syntax error"):
        migrate(db, (*MIGRATIONS, broken))
    assert db.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    assert db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'half'").fetchone() == (0,)
    db.close()


# ── Others at the same file ──────────────────────────────────────────────────────────────────────


def test_a_process_that_is_killed_while_it_makes_the_file_leaves_it_new(path: Path) -> None:
    """B45: half a migration is none."""
    with Other("stop_at", path, "delete", "CREATE TABLE katas", 1) as other:
        assert other.hear() == "ready"
        other.process.kill()
        other.process.wait()
    store = Store(opener(path))
    assert store.facts()["version"] == len(MIGRATIONS)
    store.close()
