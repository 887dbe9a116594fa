"""Several processes that record, mine, approve, switch off and on, reject, list and forget at once on one file: nothing is lost, no
decision is made twice, and every operation ends with what it did or with a sentence."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from faults import worker

FULL = int(os.environ.get("KATA_EXAMPLES", "200")) >= 10_000
PROCESSES, TIMES = (10, 1_000) if FULL else (3, 25)
WORKER = Path(worker.__file__)


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_processes_that_do_everything_at_once_lose_nothing_and_decide_nothing_twice(tmp_path: Path, journal: str) -> None:
    """T53, T66."""
    file = tmp_path / "kata.db"
    with closing((desk := worker.service(file, None, journal)).store):
        for turn in "abc":
            desk.record(worker.told(turn, turn))
        desk.mine(None)
    words = [sys.executable, "-B", str(WORKER), "together", str(file), journal, str(PROCESSES), str(TIMES)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [0] * PROCESSES, done.stderr
    ended = [one for n in range(PROCESSES) for one in json.loads((tmp_path / f"p{n}.json").read_text(encoding="utf-8"))]
    assert len(ended) == PROCESSES * TIMES
    assert not [said for verb, _, said in ended if said and verb in ("record", "mine", "list", "forget")]
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        turns = {name for (name,) in db.execute("SELECT id FROM turns")}
        moves = db.execute("SELECT kata, before, after FROM audit ORDER BY number").fetchall()
    assert turns == {*"abc", *(turn for verb, turn, _ in ended if verb == "record")}
    state: dict[int, str] = {}
    for kata, before, after in moves:
        assert state.get(kata, "") == before, "a decision was made on a state that was over"
        state[kata] = after
    with closing((desk := worker.service(file, None, journal)).store) as store:
        desk.mine(None)
        assert store.proven()[1] == 0 and not store.dirty() and store.family() is None
        assert {kata.id: kata.state.value for kata in desk.katas()} == state
