"""What may befall a file without anybody's ill will: a full disk, a folder that may only be read, a lock for a minute, a file that goes
while it is open, a clock that is set back, two time zones, a network drive. The agent's work goes on, the status names it, and it heals by
itself."""

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from itertools import count
from pathlib import Path

import pytest
from strategies import Bench, at_work, bench, routine

from kata import register
from kata.model import StoreError, TurnEnd, TurnStart
from kata.recorder import WAITING, fitted
from kata.store import Store

from ..stand_in import Context, approve, installed, locked, plugin_db, reader
from .test_state import chat, leave

FULL = int(os.environ.get("KATA_EXAMPLES", "200")) >= 10_000
HOUR = 3_600.0
Opener = Callable[[Path], sqlite3.Connection]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """The file of a plugin that has one kata."""
    (tmp_path / "project").mkdir()
    with installed(tmp_path) as file:
        approve(file, reader(), "look")
        yield file


def opening(how: Opener, file: Path) -> None:
    """From now on the host opens our file in that way."""
    sys.modules["plugins.plugin_storage"].plugin_db = lambda name: how(file)  # type: ignore[attr-defined]


def started() -> Context:
    context = Context({})
    register(context)
    return context


def turns(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as db:
        return [name for (name,) in db.execute("SELECT id FROM turns ORDER BY number")]


def full(file: Path) -> sqlite3.Connection:
    """On a disk without room for one more page, and none in those that there are."""
    db = plugin_db(file)
    db.execute(f"PRAGMA max_page_count = {db.execute('PRAGMA page_count').fetchone()[0]}")
    for size in (3_000, 300, 30, 1):
        with suppress(sqlite3.OperationalError):
            for number in count():
                db.execute("INSERT OR IGNORE INTO notes VALUES (?, ?)", (f"filler {id(db)} {size} {number}", "x" * size))
    return db


def unwritable(file: Path) -> sqlite3.Connection:
    """In a folder in which nothing may be written."""
    return sqlite3.connect(f"file:{file}?mode=ro", uri=True, check_same_thread=False, isolation_level=None)


def away(file: Path) -> sqlite3.Connection:
    """On a drive that is not there."""
    raise OSError(5, "Input/output error")


def lockless(file: Path) -> sqlite3.Connection:
    """On a network drive whose locks do not work."""
    error = sqlite3.OperationalError("locking protocol")
    error.sqlite_errorcode = sqlite3.SQLITE_PROTOCOL
    raise error


TROUBLES: dict[str, tuple[Opener, str]] = {
    "full": (full, "the disk is full; free some space"),
    "read-only": (unwritable, "may not be written; check its owner and mode"),
    "away": (away, "cannot be opened"),
    "lockless": (lockless, "lies where locks do not work, as on some network drives"),
}


@pytest.mark.parametrize("name", TROUBLES)
def test_a_trouble_of_the_disk_is_named_while_it_lasts_and_over_when_it_is_over(home: Path, name: str) -> None:
    """B28: the chats go on, and what waited or was lost is counted; then it records again by itself."""
    how, told = TROUBLES[name]
    opening(how, home)
    context = started()
    for turn in ("one " + "x" * 5_000, "two"):
        chat(context, turn)
    status = context.status()
    assert "Recording off: the file cannot be used" in status and told in status, status
    opening(plugin_db, home)
    chat(context, "three")
    leave(context)
    context = started()
    chat(context, "four")
    status = context.status()
    assert "Recording on" in status and told not in status and context.katas == {"kata_look"}
    leave(context)
    assert turns(home)[-1] == "four"


def test_a_lock_of_another_program_costs_nothing_that_has_room_to_wait(home: Path, record_property: Callable[[str, object], None]) -> None:
    """B28: with --full the lock is held for a minute, and 30 calls a second are made meanwhile, more than may wait."""
    context, made = started(), 40
    chat(context, "before")
    hooks, ids = context.hooks, {"session_id": "s", "task_id": "s", "turn_id": "held"}
    call = {"tool_name": "terminal", "args": {"command": "ls"}, "result": "{}", "status": "ok", "duration_ms": 5, **ids}
    with locked(home):
        hooks["pre_llm_call"](user_message="do it", platform="cli", parent_session_id="", **ids)
        until = time.monotonic() + 60 if FULL else 0.0
        while time.monotonic() < until or not FULL and made > 0:
            made += 1 if FULL else -1
            hooks["post_tool_call"](tool_call_id=f"c{made}", **call)
            if FULL:
                time.sleep(1 / 30)
        assert "is busy" in context.status()
    hooks["on_session_end"](completed=True, failed=False, interrupted=False, platform="cli", **ids)
    plugin = hooks["pre_llm_call"].__self__
    assert plugin.recorder.flush(30, mined=False)
    told = context.status()
    leave(context)
    with closing(sqlite3.connect(home)) as db:
        kept = db.execute("SELECT count(*) FROM events JOIN turns ON turns.number = turn WHERE id = 'held'").fetchone()[0]
        lost = dict(db.execute("SELECT name, value FROM counters")).get("not_written", 0)
    all_made = made - 40 if FULL else 40
    if FULL:
        record_property("calls made while the file was locked for a minute", (f"{kept} kept, {lost} records counted as lost, of", all_made))
        assert kept >= WAITING - 2 and kept + lost >= all_made and "records that a busy or full file did not take" in told
    else:
        assert kept == all_made and not lost


def test_what_has_no_room_to_wait_goes_before_the_word_that_a_turn_began() -> None:
    """B28: else nothing of that turn could be kept."""
    start = TurnStart("t", "s", "c", "cli", "person", 1.0, "do it")
    ends = [TurnEnd("t", float(at)) for at in range(9)]
    assert fitted([start, *ends], 4) == [start, *ends[-3:]] and fitted([start, *ends], 10) == [start, *ends]
    assert fitted([start] * 9, 4) == [start] * 4


def test_a_file_that_is_removed_while_it_is_open_is_made_anew(home: Path) -> None:
    """B28: by `rm`, as by a person who wants to begin anew; its katas are no tools any more from the next message on."""
    context = started()
    chat(context, "one")
    home.unlink()
    chat(context, "two")
    assert turns(home) == ["two"] and context.katas == set() and "Recording on" in context.status()
    leave(context)


def test_a_folder_that_is_removed_while_it_is_open_is_made_anew(home: Path) -> None:
    context = started()
    chat(context, "one")
    home.unlink()
    home.parent.rmdir()
    chat(context, "two")
    assert turns(home) == ["two"] and "Recording on" in context.status()
    leave(context)


# ── The clock ────────────────────────────────────────────────────────────────────────────────────


class Wrong:
    """A clock that goes on by a second whenever it is read, and can be set."""

    def __init__(self) -> None:
        self.now = 1_700_000_000.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


def lived(desk: Bench, clock: Wrong, numbers: range) -> None:
    """One conversation each, with the routine, at the time that the clock shows."""
    for number in numbers:
        clock.now += 600
        at_work(desk, f"w{number}", routine(number))


@pytest.mark.parametrize("step", [-HOUR, -400 * 86_400.0, 2 * HOUR])
def test_a_clock_that_is_set_back_or_on_loses_nothing_and_decides_nothing_twice(tmp_path: Path, step: float) -> None:
    """B39: order is that of arrival; what waits for an hour waits two at most."""
    clock = Wrong()
    with closing(bench(tmp_path / "kata.db", clock=clock)) as desk:
        lived(desk, clock, range(2))
        clock.now += step
        lived(desk, clock, range(2, 4))
        (kata,) = desk.service.katas()
        assert kata.version.fit.support == 4 and desk.store.facts()["turns"] == 4
        desk.service.review("1", "cli")
        desk.service.approve("1", "notes", "cli")
        clock.now -= HOUR
        assert desk.service.undo("cli")[1] == "approve" and desk.service.katas()[0].state == "candidate"
        desk.service.review("1", "cli")
        desk.service.approve("1", "notes", "cli")
        assert [one.name for one in desk.service.active()] == ["notes"] and desk.store.proven()[1] == 0
        names = [turn.id for turn in desk.store.turns()]
        assert names == [f"w{number}" for number in range(4)]


def test_a_time_of_tidying_out_of_the_future_does_not_keep_what_is_old_for_ever(tmp_path: Path) -> None:
    """K98: the clock stood in another year when it was tidied last."""
    clock = Wrong()
    with closing(bench(tmp_path / "kata.db", clock=clock)) as desk:
        lived(desk, clock, range(3))
        desk.store.note("tidied", repr(clock.now + 10 * 365 * 86_400))
        clock.now += 31 * 86_400
        assert desk.service.tidy() == 3


def test_two_time_zones_share_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Times are kept as seconds that are the same everywhere: what one machine wrote means the same on the other."""
    file, clock, found = tmp_path / "kata.db", Wrong(), []
    try:
        for at, zone in enumerate(("Pacific/Kiritimati", "America/Los_Angeles", "Asia/Kathmandu")):
            monkeypatch.setenv("TZ", zone)
            time.tzset()
            with closing(bench(file, clock=clock)) as desk:
                lived(desk, clock, range(at, at + 1))
                found.append([(turn.id, turn.started) for turn in desk.store.turns()])
                assert desk.store.latest(f"s-w{at}") is not None
        with closing(bench(file, clock=clock)) as desk:
            (kata,) = desk.service.katas()
            assert kata.version.fit.support == 3 and desk.store.proven()[1] == 0
    finally:
        monkeypatch.undo()
        time.tzset()
    assert [one[: at + 1] for at, one in enumerate(found)] == [found[2][: at + 1] for at in range(3)]


# ── A network drive ──────────────────────────────────────────────────────────────────────────────


def shared(file: Path) -> sqlite3.Connection:
    """As the host opens a file where there is no shared memory: it asks for WAL, and is refused without a word."""
    db = sqlite3.connect(f"file:{file}?vfs=unix-dotfile", uri=True, check_same_thread=False, isolation_level=None)
    assert db.execute("PRAGMA journal_mode = wal").fetchone() == ("delete",)
    return db


def test_on_a_network_drive_it_works_in_the_journal_that_the_host_falls_back_to(tmp_path: Path) -> None:
    """The host's helper keeps such files in `delete` mode: two processes share one, and the status says which mode it is."""
    (tmp_path / "project").mkdir()
    with installed(tmp_path) as file:
        file.parent.mkdir(parents=True)
        opening(shared, file)
        one, two = started(), started()
        chat(one, "one")
        chat(two, "two")
        assert "journal mode delete" in one.status() and "Recording on" in two.status()
        leave(one)
        leave(two)
        assert turns(file) == ["one", "two"]


def test_a_process_that_died_on_a_network_drive_leaves_a_lock_that_is_named(tmp_path: Path) -> None:
    """Where locks are files, whoever is killed leaves one: busy is said, nobody waits for ever, and work goes on when it is taken away."""
    file = tmp_path / "data.db"
    with closing(shared(file)) as db:
        db.execute("CREATE TABLE t (x)")
    (tmp_path / "data.db.lock").mkdir()
    store = Store(lambda: shared_again(file), patience=0.05, path=str(file))
    with pytest.raises(StoreError, match="is busy: another process is using it"):
        store.facts()
    (tmp_path / "data.db.lock").rmdir()
    assert store.facts()["turns"] == 0
    store.close()


def shared_again(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{file}?vfs=unix-dotfile", uri=True, check_same_thread=False, isolation_level=None, timeout=0.05)


def test_a_second_user_of_the_machine_is_told_that_the_file_is_not_theirs(tmp_path: Path) -> None:
    """Really: by a process of another user, where we may become one."""
    if os.geteuid() != 0:
        pytest.skip("only root may become another user")
    file = tmp_path / "data.db"
    with closing(bench(file)) as desk:
        desk.learn()
    file.chmod(0o600)
    drop = "import os, sqlite3, sys; [become(65534) for become in (os.setegid, os.seteuid)]; "
    code = drop + "sqlite3.connect(sys.argv[1]).execute('SELECT 1 FROM turns')"
    done = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True)
    assert done.returncode == 1 and "unable to open database file" in done.stderr
