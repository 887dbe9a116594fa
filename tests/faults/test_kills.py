"""A process that is killed before any statement that writes, and before and after any call of a tool: the file is sound, nothing is claimed
that did not happen, and doing the work again ends where it would have ended, with every effect done once."""

import os
import random
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from faults import worker

from kata.model import Concat, Input, InputField, Literal, Outcome, Reference, Refused, RunRow, Spec, State, Status, StepCall
from kata.recorder import BATCH_S
from kata.resuming import DONE, UNDONE
from kata.tables import MIGRATIONS, migrate

from ..stand_in import EXTERNAL, approve, step

WORKER = Path(__file__).with_name("worker.py")
JOURNALS = ("wal", "delete")
FULL = int(os.environ.get("KATA_EXAMPLES", "200")) >= 10_000
Figure = Callable[[str, object], None]


def seeded(folder: Path, mined: bool) -> Path:
    """A file with the routine of three conversations, counted and proposed or not."""
    file = folder / "seed.db"
    desk = worker.service(file)
    for turn in "abc":
        desk.record(worker.told(turn, turn))
    if mined:
        desk.mine(None)
    desk.store.close()
    return folded(file)


def folded(file: Path) -> Path:
    """The file without companions, so that a copy of it is all of it."""
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.execute("PRAGMA journal_mode = delete")
    return file


def killed(job: str, seed: Path, journal: str, figure: Figure) -> Iterator[Path]:
    """The files that the killed left, in order; the last is that of the one that came to its end."""
    words = [sys.executable, "-B", str(WORKER), job, str(seed), journal]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=600)
    points, code = map(int, done.stdout.split())
    assert code == 0, done.stderr
    figure("points at which a process was killed", (f"{job}, {journal}", points))
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
def test_a_recorder_that_is_killed_leaves_a_batch_whole_or_not_at_all(tmp_path: Path, journal: str, record_property: Figure) -> None:
    """T66: nothing is claimed that was not written to its end."""
    sizes = []
    for file in killed("record", seeded(tmp_path, mined=False), journal, record_property):
        with closing(worker.service(file).store) as store:
            turn = store.turn("late")
            sizes.append(0 if turn is None else len(turn.events))
    assert set(sizes) == {0, 3} and sizes == sorted(sizes)


@pytest.mark.parametrize("journal", JOURNALS)
def test_the_recorder_at_its_work_loses_no_more_than_what_it_was_writing(tmp_path: Path, journal: str, record_property: Figure) -> None:
    """T66: what was there before stays, in its order, and of what was told since the last batch nothing is there in
    part. A batch is of one second at most."""
    assert BATCH_S <= 1.0
    for file in killed("observe", seeded(tmp_path, mined=False), journal, record_property):
        heard = file.with_suffix(".told")
        told = heard.read_text().split() if heard.exists() else []
        with closing(worker.service(file).store) as store:
            turn = store.turn("late")
            kept = [] if turn is None else [event.call_id for event in turn.events]
        assert kept == [f"call_{number}" for number in range(len(kept))]
        assert len(told) - len(kept) <= 2, "two calls were told at a time, and then waited for"
    assert len(kept) == worker.CALLS


@pytest.mark.skipif(not FULL, reason="a measurement: with --full")
def test_what_a_kill_costs_at_any_moment(tmp_path: Path, record_property: Figure) -> None:
    """Printed, not judged: how long before the kill the last call was that is in the file."""
    lost = []
    for number in range(20):
        file = tmp_path / f"{number}.db"
        with subprocess.Popen([sys.executable, "-B", str(WORKER), "steady", str(file)], stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            child.stdout.readline()
            time.sleep(random.uniform(1.0, 3.0))
            child.kill()
            at = float(child.stdout.read().split()[-2])
        sound(file)
        with closing(sqlite3.connect(file)) as db:
            lost.append(at - db.execute("SELECT coalesce(max(ended), 0) FROM events").fetchone()[0])
    record_property("seconds of observation that a kill costs, of 20", (f"median {sorted(lost)[10]:.2f}, most", round(max(lost), 2)))


@pytest.mark.parametrize("journal", JOURNALS if FULL else JOURNALS[:1])
def test_a_miner_that_is_killed_holds_nobody_up_and_the_next_finds_the_same(tmp_path: Path, journal: str, record_property: Figure) -> None:
    """T66: one miner at a time, and a dead one is none."""
    found = {verdicts(file) for file in killed("mine", seeded(tmp_path, mined=False), journal, record_property)}
    (only,) = found
    assert len(only) == 1


@pytest.mark.parametrize("journal", JOURNALS)
def test_an_approval_that_is_killed_was_given_and_written_down_or_was_not(tmp_path: Path, journal: str, record_property: Figure) -> None:
    """T66: a tool is what the log says a person approved."""
    states = []
    for file in killed("approve", seeded(tmp_path, mined=True), journal, record_property):
        with closing((desk := worker.service(file)).store) as store:
            (kata,) = desk.katas()
            approvals = [row for row in store.audit(99) if row.verb == "approve"]
            assert (kata.state is State.ACTIVE) == bool(approvals) and len(approvals) <= 1 and store.proven()[1] == 0
            states.append(kata.state is State.ACTIVE)
            if not approvals:
                desk.approve(str(kata.id), "again", "cli", kata.version.spec.digest)
            assert [one.name for one in desk.active()] == ["again"]
    assert set(states) == {True, False} and states == sorted(states)


def test_forgetting_that_is_killed_leaves_turns_with_all_that_hangs_on_them_or_without_any(tmp_path: Path, record_property: Figure) -> None:
    """K98."""
    left = []
    for file in killed("forget", seeded(tmp_path, mined=True), "wal", record_property):
        with closing(sqlite3.connect(file)) as db:
            counts = [db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("turns", "events", "windows")]
        assert all(counts) or not any(counts)
        left.append(counts[0])
    assert sorted(left, reverse=True) == left and set(left) == {0, 3}


@pytest.mark.parametrize("version", range(len(MIGRATIONS)))
def test_a_migration_that_is_killed_is_made_by_the_next_process(tmp_path: Path, version: int, record_property: Figure) -> None:
    """T42: from nothing, and from every earlier version, whose rows are kept."""
    seed = tmp_path / "seed.db"
    if version:
        with closing(sqlite3.connect(seed, isolation_level=None)) as db:
            migrate(db, MIGRATIONS[:version])
            db.execute("INSERT INTO counters (name, value) VALUES ('kept', 7)")
    for file in killed("begin", seed, "wal", record_property):
        with closing(worker.service(file).store) as store:
            assert store.dirty() == ()
        with closing(sqlite3.connect(file)) as db:
            assert db.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
            assert db.execute("SELECT value FROM counters WHERE name = 'kept'").fetchall() == ([(7,)] if version else [])


# ── A run ────────────────────────────────────────────────────────────────────────────────────────

EFFECTS = (1, 3)


def routine() -> Spec:
    """A read, an effect with what it read, a read, an effect with what both came to."""
    first = Concat((Literal("one "), Reference(0, ("output",))))
    second = Concat((Reference(1, ("output",)), Reference(2, ("output",))))
    read = step("read_file", path=Input("path"))
    steps = (read, step("send", EXTERNAL, text=first), read, step("send", EXTERNAL, text=second))
    return Spec((InputField("path", "string"),), steps)


def done(ledger: Path) -> Counter[int]:
    return Counter(int(line) for line in ledger.read_text().split()) if ledger.exists() else Counter()


def tool(ledger: Path, sent: list[StepCall]) -> Callable[[StepCall], Outcome]:
    def act(asked: StepCall) -> Outcome:
        sent.append(asked)
        if asked.call.tool != "read_file":
            with ledger.open("a") as lines:
                lines.write(f"{asked.index}\n")
        return Outcome(Status.OK, {"output": f"read {asked.index}" if asked.call.tool == "read_file" else f"done {asked.index}"})

    return act


def honest(run: RunRow, happened: Counter[int]) -> None:
    """What is kept of the effects: no row, and it did not happen; "ok", and it did; or nobody knows."""
    kept = {one.index: one for one in run.steps}
    for index in EFFECTS:
        if index not in kept or not kept[index].attempts:
            assert not happened[index], f"step {index + 1} happened and is not mentioned"
        else:
            assert kept[index].status in (Status.OK, Status.UNKNOWN)
            assert happened[index] or kept[index].status is Status.UNKNOWN, f"step {index + 1} is claimed and did not happen"


@pytest.mark.parametrize("journal", JOURNALS)
def test_a_run_that_is_killed_leaves_the_truth_and_going_on_does_every_effect_once(
    tmp_path: Path, journal: str, record_property: Figure
) -> None:
    """T66, T53."""
    seed = tmp_path / "seed.db"
    approve(seed, routine(), "send")
    finished = []
    for file in killed("run", folded(seed), journal, record_property):
        ledger = file.with_suffix(".done")
        with closing((desk := worker.service(file)).store) as store:
            run, happened = store.run("run"), done(ledger)
            finished.append(run is not None and run.finished is not None)
            if run is None:
                assert not happened
                continue
            honest(run, happened)
            if run.finished is None:
                assert run.status is Status.UNKNOWN
                finish(desk, ledger, happened)
            assert done(ledger) == {1: 1, 3: 1}
    assert finished == sorted(finished) and finished[-1] and not finished[0]


def finish(desk: worker.Service, ledger: Path, happened: Counter[int]) -> None:
    """Go on; where nobody knows, a person looks at the ledger and says what is true."""
    sent: list[StepCall] = []
    try:
        rest = desk.left("run")
    except Refused as error:
        if "there is nothing to resume" in str(error):
            return
        assert "Nobody knows whether step" in str(error) and "happened (unknown)" in str(error)
        at = next(index for index in EFFECTS if f"step {index + 1} " in str(error))
        missing = {} if not happened[at] or at == EFFECTS[-1] else {"step2.output": "done 1"}
        rest = desk.left("run", missing, None, DONE if happened[at] else UNDONE)
    assert desk.resume(rest, "again", "s1", tool(ledger, sent)).status is Status.OK
    assert {one.call.arguments["text"] for one in sent if one.call.tool == "send"} <= {"one read 0", "done 1read 2"}
