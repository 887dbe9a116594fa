"""A run is kept step by step, gone on with once, and is stopped by whoever asks."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from stored import approve, opener, proposed

from kata.model import Call, Refused, RunRow, Status, StepTrace, StoreError
from kata.store import Store


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


def running(store: Store, run: str = "r1") -> RunRow:
    kata = store.named("deploy") or approve(store, proposed(store))
    row = RunRow(run, kata.id, kata.tool, 1, kata.version.spec.digest, 300.0, None, Status.OK, "", (), {"path": "src"}, "s1")
    store.begin_run(row)
    return row


# ── Runs ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_run_is_kept_with_its_steps(store: Store) -> None:
    row = running(store)
    done = StepTrace(0, "read_file", Status.OK, Call("read_file", {"path": "a"}), {"content": "x"}, "", 1, {"path": "/a"})
    failed = StepTrace(1, "terminal", Status.ERROR, Call("terminal", {"command": "x"}), None, "exit code 2", 1)
    skipped = StepTrace(2, "terminal", Status.SKIPPED)
    store.settle_step("r1", done)
    store.begin_step("r1", replace(failed, status=Status.OK))
    store.settle_step("r1", failed)
    store.settle_step("r1", skipped)
    store.finish_run("r1", Status.ERROR, "step 2 failed", 301.0)
    assert store.runs() == (replace(row, finished=301.0, status=Status.ERROR, reason="step 2 failed", steps=(done, failed, skipped)),)


def test_what_was_begun_and_never_settled_reads_as_unknown(path: Path, store: Store) -> None:
    """After a crash the trace says "unknown", never "not done"."""
    running(store)
    store.begin_step("r1", StepTrace(0, "write_file", Status.OK, Call("write_file", {"path": "a"})))
    after = Store(opener(path))
    (run,) = after.runs()
    assert (run.finished, run.status) == (None, Status.UNKNOWN)
    assert [(step.status, step.call) for step in run.steps] == [(Status.UNKNOWN, Call("write_file", {"path": "a"}))]
    after.close()


def test_the_latest_runs_of_a_kata_come_first(store: Store) -> None:
    for run in ("r1", "r2", "r3"):
        running(store, run)
    assert [run.id for run in store.runs(1)] == ["r3", "r2", "r1"]
    assert [run.id for run in store.runs(limit=2)] == ["r3", "r2"]
    assert store.runs(2) == ()


def test_a_finished_run_is_not_written_to_any_more(store: Store) -> None:
    """A22: a late result is thrown away."""
    running(store)
    store.finish_run("r1", Status.TIMEOUT, "too late", 301.0)
    with pytest.raises(Refused, match="no unfinished run r1"):
        store.settle_step("r1", StepTrace(0, "terminal", Status.OK))
    with pytest.raises(Refused, match="no unfinished run r1"):
        store.finish_run("r1", Status.OK, "", 302.0)
    assert [(run.status, run.steps) for run in store.runs()] == [(Status.TIMEOUT, ())]


def test_a_run_of_no_kata_is_one_sentence(store: Store) -> None:
    with pytest.raises(StoreError, match="refused the work"):
        store.begin_run(RunRow("r1", 9, "kata_x", 1, "d", 1.0, None, Status.OK, "", ()))


def begun(name: str, **more: Any) -> RunRow:
    """A run of kata 1 that has just begun."""
    return RunRow(name, 1, "kata_x", 1, "d", 1_000.0, None, Status.UNKNOWN, "", (), **more)


# ── Runs that stop, go on, or are in each other's way ────────────────────────────────────────────


def test_a_stopped_run_is_gone_on_with_once(store: Store) -> None:
    """T53: of two that try, one wins."""
    proposed(store)
    store.begin_run(begun("a"))
    store.begin_run(begun("b", resumes="a"))
    with pytest.raises(Refused, match="Run a was resumed already, as run b; nothing was run"):
        store.begin_run(begun("c", resumes="a"))
    assert (store.resumed("a"), store.resumed("b"), store.resumed("")) == ("b", "", "")
    assert [run.id for run in store.runs()] == ["b", "a"]


def test_one_place_has_one_run_of_a_kata_while_its_process_lives(store: Store) -> None:
    """T45: not of another kata, elsewhere, where nobody knows the folder, after its end, or an hour later. Not in the same process either,
    which may have loaded the plugin anew; but what stopped there may be gone on with."""
    proposed(store)
    store.begin_run(begun("a", folder="/srv", owner="7:1"))
    with pytest.raises(Refused, match="runs in this folder already, in another process"):
        store.begin_run(begun("b", folder="/srv", owner="8:1"), {"7:1"}.__contains__)
    store.begin_run(begun("c", folder="/srv", owner="8:1"), {"9:1"}.__contains__)
    store.begin_run(begun("d", folder="/home", owner="8:1"), lambda owner: True)
    store.begin_run(begun("e", folder="", owner="9:1"), lambda owner: True)
    store.begin_run(replace(begun("f", folder="/srv", owner="9:1"), started=1_000.0 + 3_601), lambda owner: True)
    for one in "ac":
        store.finish_run(one, Status.OK, "", 2_000.0)
    with pytest.raises(Refused, match=r"runs in this folder already \(run d\)"):
        store.begin_run(begun("g", folder="/home", owner="8:1"), lambda owner: True)
    store.begin_run(begun("g", folder="/home", owner="8:1", resumes="d"), lambda owner: True)


def test_a_run_that_is_asked_to_stop_is_known_to_every_process(path: Path, store: Store) -> None:
    """T60."""
    proposed(store)
    store.begin_run(begun("a"))
    other = Store(opener(path))
    assert not store.stopping("a") and other.stop_run("a") and store.stopping("a")
    assert [run.id for run in store.unfinished()] == ["a"]
    store.finish_run("a", Status.INTERRUPTED, "", 2.0)
    assert not other.stop_run("a") and not other.stop_run("b") and store.unfinished() == ()
    other.close()


def test_what_the_steps_before_an_effect_came_to_is_written_with_it(store: Store) -> None:
    """T66: a crash leaves no gap before an effect."""
    proposed(store)
    store.begin_run(begun("a"))
    read, write = (StepTrace(index, "terminal", Status.OK, Call("terminal", {}), {"n": index}, attempts=1) for index in (0, 1))
    store.begin_step("a", write, [read])
    run = store.run("a")
    assert run is not None and [(one.status, one.result) for one in run.steps] == [(Status.OK, {"n": 0}), (Status.UNKNOWN, {"n": 1})]
    store.finish_run("a", Status.OK, "", 2.0, [write])
    run = store.run("a")
    assert run is not None and [one.status for one in run.steps] == [Status.OK, Status.OK]
    with pytest.raises(Refused):
        store.finish_run("a", Status.OK, "", 2.0, [read])


# ── Versions and what came of them ───────────────────────────────────────────────────────────────


def test_a_row_of_failures_ends_with_a_good_run(store: Store) -> None:
    """A28"""
    kata = approve(store, proposed(store))
    for number, status in enumerate((Status.ERROR, Status.OK, Status.TIMEOUT, Status.REFUSED, Status.ERROR)):
        row = replace(running(store, f"x{number}"), kata=kata.id)
        store.finish_run(row.id, status, "", 500.0)
    assert store.failures(kata.id, 0.0) == 2 and store.failures(kata.id, 1e12) == 0
