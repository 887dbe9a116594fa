"""Several processes that record, mine, approve, switch off and on, reject, run, erase, list and forget at once on one file: nothing is
lost, no decision is made twice, one mines at a time, and every operation ends with what it did or with a sentence."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from faults import worker

FULL = int(os.environ.get("KATA_EXAMPLES", "200")) >= 10_000
PROCESSES, TIMES = (10, 1_000) if FULL else (4, 40)
WORKER = Path(worker.__file__)


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_processes_that_do_everything_at_once_lose_nothing_and_decide_nothing_twice(
    tmp_path: Path, journal: str, record_property: Callable[[str, object], None]
) -> None:
    """T53, T66: with the patience that the plugin has, so that an operation may be answered with "is busy", and a record waits."""
    file = tmp_path / "kata.db"
    with closing((desk := worker.service(file, None, journal)).store):
        for turn in "abc":
            desk.record(worker.told(turn, turn))
        desk.mine(None)
    words = [sys.executable, "-B", str(WORKER), "together", str(file), journal, str(PROCESSES), str(TIMES)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [0] * PROCESSES, done.stderr
    told = [json.loads((tmp_path / f"p{n}.json").read_text(encoding="utf-8")) for n in range(PROCESSES)]
    ended = [one for process in told for one in process[0]]
    assert len(ended) == PROCESSES * TIMES
    assert all("is busy" in said for verb, _, said in ended if said and verb in ("record", "mine", "list", "forget", "purge"))
    assert all(times <= met(verb) for process in told for verb, times in process[5].items())
    tell(record_property, journal, ended, [process[1] for process in told])
    kept(file, ended, {turn for process in told for turn in process[2]})
    ran(file, [run for process in told for run in process[3]], {run for process in told for run in process[4]})
    decided(file, journal)


def met(verb: str) -> int:
    """How often one operation may find the file busy, each time for as long as the plugin is patient, before it answers: where it does
    not end with that, it gives back what it holds, or writes down what it did."""
    return 3 * (1 + len(worker.COMMANDS)) if verb == "run" else 2


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_whoever_finds_the_file_locked_for_good_waits_as_often_as_is_promised_and_is_told(tmp_path: Path, journal: str) -> None:
    """T53: that is the bound within which every operation answers, however slow the machine is."""
    file = tmp_path / "kata.db"
    with closing((desk := worker.service(file, None, journal)).store):
        for turn in "abc":
            desk.record(worker.told(turn, turn))
        desk.mine(None)
    said = {}
    for verb in dict.fromkeys(worker.VERBS):
        one = worker.Mixed(worker.service(file, None, journal, patience=0.01), "me")
        with closing(one.service.store), closing(sqlite3.connect(file, isolation_level=None)) as other:
            one.service.katas()
            other.execute("BEGIN EXCLUSIVE")
            said[verb] = one.do(verb, verb)[2]
        assert one.met[verb] <= met(verb)
    changes, looks = {"record", "approve", "reject"}, {"run", "mine", "list", "disable", "enable", "lift", "forget"}
    busy = {verb for verb, text in said.items() if "is busy" in text}
    assert busy >= (changes if journal == "wal" else changes | looks), said


def tell(figure: Callable[[str, object], None], journal: str, ended: list[tuple[str, str, str]], longest: list[dict[str, float]]) -> None:
    """What is printed: how many operations there were, how many found the file busy, and the longest of all in seconds."""
    verb, seconds = max(((verb, seconds) for one in longest for verb, seconds in one.items()), key=lambda one: one[1])
    busy = sum("is busy" in said for _, _, said in ended)
    figure(f"operations of {PROCESSES} processes at once", (f"{journal}, {busy} of them answered that the file is busy", len(ended)))
    figure("seconds of the longest operation among them", (f"{journal}, {verb}", round(seconds, 1)))


def kept(file: Path, ended: list[tuple[str, str, str]], gone: set[str]) -> None:
    """Every turn that was recorded is there whole, but for those that were erased."""
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        turns = dict(db.execute("SELECT id, (SELECT count(*) FROM events WHERE turn = turns.number) FROM turns"))
    assert turns.keys() == {*"abc", *(turn for verb, turn, _ in ended if verb == "record")} - gone
    assert set(turns.values()) == {len(worker.COMMANDS)}


def ran(file: Path, runs: list[tuple[str, int, int, bool]], unwritten: set[str]) -> None:
    """Every run that was made is written down with its end, once, unless the kata was erased with it, or the file was busy for so long that
    nobody could write the end; each that says so did all its steps, once, and none did one twice."""
    with closing(sqlite3.connect(file)) as db:
        rows = dict(db.execute("SELECT id, finished IS NOT NULL FROM runs"))
        katas = {kata for (kata,) in db.execute("SELECT id FROM katas")}
    assert {run for run, _, kata, _ in runs if kata in katas} <= rows.keys()
    assert {run for run, finished in rows.items() if not finished} <= unwritten
    assert all(good == (steps == len(worker.COMMANDS)) for _, steps, _, good in runs)


def decided(file: Path, journal: str) -> None:
    """Each decision was made on the state that the one before it had led to, and the last is what is there."""
    with closing(sqlite3.connect(file)) as db:
        moves = db.execute("SELECT kata, before, after FROM audit WHERE kata > 0 ORDER BY number").fetchall()
    state: dict[int, str] = {}
    for kata, before, after in moves:
        assert state.get(kata, "") == before, "a decision was made on a state that was over"
        state[kata] = after
    with closing((desk := worker.service(file, None, journal)).store) as store:
        desk.mine(None)
        assert store.proven()[1] == 0 and not store.dirty() and store.family() is None
        assert {kata.id: kata.state.value for kata in store.katas()} == state
