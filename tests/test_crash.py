"""A run whose process is killed: at every point where something is written or done, what is kept claims nothing that did not happen, and
going on does every effect exactly once."""

import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from kata.door import Door
from kata.driver import replay
from kata.model import Concat, Input, InputField, Literal, Outcome, Reference, Refused, RunRow, Settings, Spec, Status, StepCall
from kata.resuming import DONE, UNDONE
from kata.service import Service
from kata.store import Store

from .stand_in import EXTERNAL, approve, step

POINTS = 28
"""Two more than there are: after the last one the run comes to its end."""
EFFECTS = (1, 3)
READS = (0, 2)


def routine() -> Spec:
    """A read, an effect with what it read, a read, an effect with what both came to."""
    first = Concat((Literal("one "), Reference(0, ("output",))))
    second = Concat((Reference(1, ("output",)), Reference(2, ("output",))))
    read = step("read_file", path=Input("path"))
    steps = (read, step("send", EXTERNAL, text=first), read, step("send", EXTERNAL, text=second))
    return Spec((InputField("path", "string"),), steps)


def killed(file: Path, ledger: Path, point: int) -> bool:
    """Run the kata in a process that is killed at that point; False when the run came to its end before."""
    words = [sys.executable, str(Path(__file__).parent / "run_process.py"), str(file), str(ledger), str(point)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        word = child.stdout.readline().strip()
        child.kill()  # SIGKILL
        assert word in ("here", "end")
        return word == "here"


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


@pytest.mark.parametrize("point", range(POINTS))
def test_a_kill_at_any_point_leaves_the_truth_and_going_on_does_every_effect_once(tmp_path: Path, point: int) -> None:
    """T66, T53."""
    file, ledger = tmp_path / "data.db", tmp_path / "ledger"
    approve(file, routine(), "send")
    if not killed(file, ledger, point):
        assert point > 20 and done(ledger) == {1: 1, 3: 1}, "the run has fewer points than it had"
        return
    with closing(Store(lambda: sqlite3.connect(file, check_same_thread=False))) as store:
        service = Service(store, Settings(), Door(time.time, replay, lambda tool: None, lambda name: False, "parent"))
        run = store.run("run")
        happened = done(ledger)
        if run is None:
            assert not happened
            return
        honest(run, happened)
        if run.finished is not None:
            assert run.status is Status.OK and happened == {1: 1, 3: 1}
            return
        assert run.status is Status.UNKNOWN
        finish(service, ledger, happened)
        assert done(ledger) == {1: 1, 3: 1}


def finish(service: Service, ledger: Path, happened: Counter[int]) -> None:
    """Go on; where nobody knows, a person looks at the ledger and says what is true."""
    sent: list[StepCall] = []
    try:
        rest = service.left("run")
    except Refused as error:
        if "there is nothing to resume" in str(error):
            return
        assert "Nobody knows whether step" in str(error) and "happened (unknown)" in str(error)
        at = next(index for index in EFFECTS if f"step {index + 1} " in str(error))
        missing = {} if not happened[at] or at == EFFECTS[-1] else {"step2.output": "done 1"}
        rest = service.left("run", missing, None, DONE if happened[at] else UNDONE)
    assert service.resume(rest, "again", "s1", tool(ledger, sent)).status is Status.OK
    assert {one.call.arguments["text"] for one in sent if one.call.tool == "send"} <= {"one read 0", "done 1read 2"}
