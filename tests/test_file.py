"""The file and what may happen to it: who reads it, who waits for it, and what is said when it is broken."""

import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from stored import JOURNALS, Other, opener, raw, whole

from kata.model import Place, StoreError
from kata.store import Store
from kata.tables import MIGRATIONS


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


@pytest.mark.parametrize("journal", JOURNALS)
def test_only_the_owner_can_read_what_is_kept(path: Path, journal: str) -> None:
    """K33: mode 0600 in a 0700 folder."""
    path.parent.chmod(0o755)
    store = Store(opener(path, journal))
    store.add(whole("t1", "c1"))
    modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in (path.parent, *path.parent.iterdir())}
    assert modes.pop("kata") == 0o700 and set(modes.values()) == {0o600}
    assert set(modes) == ({"data.db"} if journal == "delete" else {"data.db", "data.db-wal", "data.db-shm"})
    store.close()


def test_a_mode_is_never_widened_and_a_shared_folder_is_left_alone(path: Path, store: Store) -> None:
    store.add(whole("t1", "c1"))
    store.close()
    path.parent.chmod(0o1777)
    path.chmod(0o444)
    after = Store(opener(path))
    assert after.facts()["mode"] == "400"
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o1777
    after.close()


@pytest.mark.parametrize("journal", JOURNALS)
def test_two_processes_of_four_threads_open_a_new_file_at_once_and_lose_nothing(tmp_path: Path, journal: str) -> None:
    """B45"""
    for n in range(6):
        path = tmp_path / f"{n}.db"
        with Other("record", "a", path, journal) as one, Other("record", "b", path, journal) as two:
            assert [one.hear(), two.hear()] == ["ready", "ready"]
            one.say()
            two.say()
            assert [one.hear(), two.hear()] == [[""] * 4, [""] * 4]
        store = Store(opener(path, journal))
        facts = store.facts()
        assert (facts["version"], facts["turns"], facts["calls"], facts["dirty"]) == (len(MIGRATIONS), 8, 24, 8)
        assert raw(path, "PRAGMA integrity_check") == [("ok",)]
        store.close()


def test_a_file_that_is_no_database_is_one_sentence_and_stays(path: Path) -> None:
    store = Store(opener(path), path=str(path))
    path.write_bytes(b"this is somebody's letter\n" * 100)
    for work in (store.facts, lambda: store.add(whole("t1", "c1"))):
        with pytest.raises(StoreError, match=r"data\.db is not a database; 'hermes kata repair' saves"):
            work()
    assert path.read_bytes() == b"this is somebody's letter\n" * 100


def test_a_damaged_file_is_one_sentence(path: Path, store: Store) -> None:
    store.add(whole("t1", "c1", calls=200))
    store.close()
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xaa" * (len(content) - 4096)
    path.write_bytes(content)
    damaged = Store(lambda: sqlite3.connect(path, check_same_thread=False))
    with pytest.raises(StoreError, match=r"data\.db is damaged; 'hermes kata repair' saves"):
        damaged.turn("t1")
    damaged.close()


def test_a_damaged_row_is_one_sentence(path: Path, store: Store) -> None:
    store.add(whole("t1", "c1"))
    raw(path, "UPDATE events SET result = x'4aff'")
    with pytest.raises(StoreError, match="Expected text or packed JSON in a row"):
        store.turn("t1")
    assert store.facts()["calls"] == 3


def test_after_a_failure_the_next_call_opens_the_file_again(path: Path) -> None:
    """B28: one failed open disabled the feature until restart."""
    answers: list[Callable[[], sqlite3.Connection]] = [
        lambda: sqlite3.connect(path.parent / "no" / "data.db"),
        lambda: (_ for _ in ()).throw(PermissionError("not yours")),
        opener(path),
    ]
    store = Store(lambda: answers.pop(0)())
    with pytest.raises(StoreError, match="The Kata file cannot be opened; check that its folder exists"):
        store.facts()
    with pytest.raises(StoreError, match="not yours"):
        store.facts()
    assert store.facts()["calls"] == 0
    store.close()


def test_a_file_that_was_moved_away_as_told_is_replaced_by_a_new_one(path: Path, store: Store) -> None:
    """B28"""
    path.write_bytes(b"letter" * 1000)
    with pytest.raises(StoreError, match="is not a database"):
        store.facts()
    path.rename(path.with_name("letter"))
    assert store.facts()["calls"] == 0


def test_a_closed_store_stays_closed(path: Path, store: Store) -> None:
    """After a reload the threads of the old object must not go on writing."""
    store.add(whole("t1", "c1"))
    store.close()
    store.close()
    with pytest.raises(StoreError, match="was closed by this plugin"):
        store.add(whole("t2", "c2"))
    assert raw(path, "SELECT count(*) FROM turns") == [(1,)]


# ── Others at the same file ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("journal", JOURNALS)
def test_while_another_process_writes_reading_works_and_writing_says_busy(path: Path, journal: str) -> None:
    """B28 (a): the list shows data or says busy, and events are written later."""
    store = Store(opener(path, journal))
    store.add(whole("t1", "c1"))
    with Other("hold", path, journal, "IMMEDIATE") as other:
        assert other.hear() == "ready"
        assert store.facts()["calls"] == 3
        with store.waiting(0.05), pytest.raises(StoreError, match="is busy: another process is using it; try again"):
            store.add(whole("t2", "c2"))
        other.say()
        assert other.hear() == "free"
    store.add(whole("t2", "c2"))
    assert store.facts()["turns"] == 2
    store.close()


def test_a_file_that_is_locked_when_it_is_opened_says_busy_and_opens_later(path: Path, store: Store) -> None:
    """B28: register waits 100 ms, and the katas come at the first turn."""
    store.add(whole("t1", "c1"))
    with Other("hold", path, "delete", "EXCLUSIVE") as other:
        assert other.hear() == "ready"
        late = Store(lambda: sqlite3.connect(path, check_same_thread=False), patience=0.05)
        with pytest.raises(StoreError, match="is busy"):
            late.katas()
        other.say()
        assert other.hear() == "free"
        assert late.facts()["calls"] == 3
        late.close()


@pytest.mark.parametrize("patience", [2.0, 0.1])
def test_whoever_has_time_opens_again_when_another_process_just_made_the_file(path: Path, patience: float) -> None:
    """B45: while a new file is switched to WAL, SQLite answers "locked" at once, whatever the busy timeout."""
    switching = sqlite3.connect(path, isolation_level=None)
    switching.execute("BEGIN EXCLUSIVE")

    def at_once() -> sqlite3.Connection:
        db = sqlite3.connect(path, timeout=0, check_same_thread=False)
        with ExitStack() as undo:
            undo.callback(db.close)
            undo.callback(switching.close)
            db.execute("PRAGMA user_version")
            undo.pop_all()
        return db

    store = Store(at_once, patience=patience)
    if patience < 1:
        with pytest.raises(StoreError, match="is busy"):
            store.facts()
    assert store.facts()["calls"] == 0
    store.close()


def test_a_thread_waits_no_longer_for_another_than_it_wants_to(path: Path) -> None:
    """Hot paths never wait for a lock."""
    inside, go = threading.Event(), threading.Event()

    def slow() -> sqlite3.Connection:
        inside.set()
        go.wait()
        return opener(path)()

    store = Store(slow, patience=60)
    thread = threading.Thread(target=store.count, args=("x",))
    thread.start()
    inside.wait()
    with store.waiting(0.01), pytest.raises(StoreError, match="is busy: another thread is using it"):
        store.generation()
    go.set()
    thread.join()
    assert store.counters() == {"x": 1}
    store.close()


def test_many_threads_share_one_store(store: Store) -> None:
    def work(me: int) -> None:
        for n in range(10):
            store.add(whole(f"t{me}.{n}", f"c{me}"))
            store.mined(f"t{me}.{n}", {1: Place(0, 1)})
            store.settled(f"t{me}.{n}")

    threads = [threading.Thread(target=work, args=(me,)) for me in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (store.facts()["calls"], store.weights([1]), store.dirty()) == (240, {1: 80}, ())


def test_changes_in_a_bundle_are_kept_whole_or_not_at_all(tmp_path: Path) -> None:
    """Few transactions; a second process sees nothing of a bundle before its end."""
    file = tmp_path / "data.db"
    one, other = (Store(lambda: sqlite3.connect(file, check_same_thread=False)) for _ in range(2))
    with one.bundle():
        one.note("a", "1")
        assert (one.noted("a"), other.noted("a")) == ("1", "")
        with one.bundle():
            one.note("b", "2")
    assert (other.noted("a"), other.noted("b")) == ("1", "2")
    with pytest.raises(ZeroDivisionError), one.bundle():
        one.note("a", "3")
        raise ZeroDivisionError
    assert (one.noted("a"), other.noted("a")) == ("1", "1")
    one.close()
    other.close()
