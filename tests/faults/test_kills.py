"""A process that is killed before any statement that writes: the file is sound, a decision is there or is not, and doing the work again
ends where it would have ended."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from faults import worker

from kata.model import State
from kata.store import MIGRATIONS, migrate

WORKER = Path(__file__).with_name("worker.py")
JOURNALS = ("wal", "delete")
FULL = int(os.environ.get("KATA_EXAMPLES", "200")) >= 10_000


def seeded(folder: Path, mined: bool) -> Path:
    """A file with the routine of three conversations, counted and proposed or not."""
    file = folder / "seed.db"
    desk = worker.service(file)
    for turn in "abc":
        desk.record(worker.told(turn, turn))
    if mined:
        desk.mine(None)
    desk.store.close()
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.execute("PRAGMA journal_mode = delete")
    return file


def killed(job: str, seed: Path, journal: str) -> Iterator[Path]:
    """The files that the killed left, in order; the last is that of the one that came to its end."""
    words = [sys.executable, "-B", str(WORKER), job, str(seed), journal]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120)
    points, code = map(int, done.stdout.split())
    assert code == 0, done.stderr
    print(f"{job}, {journal}: killed at {points} points")
    assert points >= 4
    for point in range(points + 1):
        file = seed.with_name(f"{point:06}.db")
        if file.exists():
            sound(file)
        yield file


def sound(file: Path) -> None:
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []


def verdicts(file: Path) -> tuple[object, ...]:
    """What another process finds when it mines what is left, and that nothing waits then."""
    with closing((desk := worker.service(file, owner="another")).store) as store:
        desk.mine(None)
        assert not store.dirty() and store.family() is None
        return tuple((one.fingerprint, one.state, one.version.spec.digest, one.version.fit) for one in desk.katas())


@pytest.mark.parametrize("journal", JOURNALS)
def test_a_recorder_that_is_killed_leaves_a_batch_whole_or_not_at_all(tmp_path: Path, journal: str) -> None:
    """T66: nothing is claimed that was not written to its end."""
    sizes = []
    for file in killed("record", seeded(tmp_path, mined=False), journal):
        with closing(worker.service(file).store) as store:
            turn = store.turn("late")
            sizes.append(0 if turn is None else len(turn.events))
    assert set(sizes) == {0, 3} and sizes == sorted(sizes)


@pytest.mark.parametrize("journal", JOURNALS if FULL else JOURNALS[:1])
def test_a_miner_that_is_killed_holds_nobody_up_and_the_next_finds_the_same(tmp_path: Path, journal: str) -> None:
    """T66: one miner at a time, and a dead one is none."""
    found = {verdicts(file) for file in killed("mine", seeded(tmp_path, mined=False), journal)}
    (only,) = found
    assert len(only) == 1


@pytest.mark.parametrize("journal", JOURNALS)
def test_an_approval_that_is_killed_was_given_and_written_down_or_was_not(tmp_path: Path, journal: str) -> None:
    """T66: a tool is what the log says a person approved."""
    states = []
    for file in killed("approve", seeded(tmp_path, mined=True), journal):
        with closing((desk := worker.service(file)).store) as store:
            (kata,) = desk.katas()
            approvals = [row for row in store.audit(99) if row.verb == "approve"]
            assert (kata.state is State.ACTIVE) == bool(approvals) and len(approvals) <= 1 and store.proven()[1] == 0
            states.append(kata.state is State.ACTIVE)
            if not approvals:
                desk.approve(str(kata.id), "again", "cli", kata.version.spec.digest)
            assert [one.name for one in desk.active()] == ["again"]
    assert set(states) == {True, False} and states == sorted(states)


def test_forgetting_that_is_killed_leaves_turns_with_all_that_hangs_on_them_or_without_any(tmp_path: Path) -> None:
    """K98."""
    left = []
    for file in killed("forget", seeded(tmp_path, mined=True), "wal"):
        with closing(sqlite3.connect(file)) as db:
            counts = [db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("turns", "events", "windows")]
        assert all(counts) or not any(counts)
        left.append(counts[0])
    assert sorted(left, reverse=True) == left and set(left) == {0, 3}


@pytest.mark.parametrize("version", range(len(MIGRATIONS)))
def test_a_migration_that_is_killed_is_made_by_the_next_process(tmp_path: Path, version: int) -> None:
    """T42: from nothing, and from every earlier version, whose rows are kept."""
    seed = tmp_path / "seed.db"
    if version:
        with closing(sqlite3.connect(seed, isolation_level=None)) as db:
            migrate(db, MIGRATIONS[:version])
            db.execute("INSERT INTO counters (name, value) VALUES ('kept', 7)")
    for file in killed("begin", seed, "wal"):
        with closing(worker.service(file).store) as store:
            assert store.dirty() == ()
        with closing(sqlite3.connect(file)) as db:
            assert db.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
            assert db.execute("SELECT value FROM counters WHERE name = 'kept'").fetchall() == ([(7,)] if version else [])
