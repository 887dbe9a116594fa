"""What the tests of the store hand in: files, another process, records and proposals in short form."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from hypothesis import strategies as st

from kata.model import (
    Call,
    Check,
    Class,
    Command,
    Effect,
    Event,
    Example,
    Fit,
    Hole,
    Input,
    InputField,
    Json,
    Kata,
    Literal,
    Object,
    Outcome,
    Proposal,
    Spec,
    State,
    Status,
    Step,
    TurnEnd,
    TurnStart,
)
from kata.store import Store

OTHER = Path(__file__).with_name("store_process.py")


JOURNALS = ("delete", "wal")


def opener(path: Path, journal: str = "delete") -> Callable[[], sqlite3.Connection]:
    def connect() -> sqlite3.Connection:
        db = sqlite3.connect(path, check_same_thread=False)
        with ExitStack() as undo:
            undo.callback(db.close)
            db.execute(f"PRAGMA journal_mode = {journal}")
            undo.pop_all()
        return db

    return connect


def in_memory() -> Store:
    return Store(lambda: sqlite3.connect(":memory:", check_same_thread=False))


def raw(path: Path, statement: str, *values: object) -> list[tuple[Any, ...]]:
    """What somebody does who opens the file without us."""
    db = sqlite3.connect(path, isolation_level=None)
    try:
        return db.execute(statement, values).fetchall()
    finally:
        db.close()


class Other:
    """Another process with its hand on the file; orders and answers go through pipes, so nothing waits for a clock."""

    def __init__(self, *words: object) -> None:
        command = [sys.executable, str(OTHER), *map(str, words)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.process.kill()
        self.process.communicate()

    def say(self, *words: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()

    def hear(self) -> Json:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())


def start(turn: str = "t1", conversation: str = "c1", at: float = 10.0, **more: str) -> TurnStart:
    return TurnStart(turn, "s1", conversation, "cli", more.pop("who", "person"), at, **more)


def event(call_id: str = "call_1", turn: str = "t1", position: int = 0, **more: Any) -> Event:
    return Event(Call("terminal", {"command": f"echo {call_id}"}), Outcome(Status.OK, {"output": "x"}), turn, call_id, position, **more)


def whole(turn: str, conversation: str, at: float = 10.0, calls: int = 3) -> list[Any]:
    events = [event(f"call_{n}", turn, n, started=at + n, ended=at + n) for n in range(calls)]
    return [start(turn, conversation, at), *events, TurnEnd(turn, at + calls)]


def spec(command: str = "git status", tool: str = "terminal") -> Spec:
    arguments = Object((("command", Command((command + " ", Hole(Input("path"), "bare")))), ("timeout", Literal(60))))
    return Spec((InputField("path", "string", "where", ("a", "b")),), (Step(tool, arguments, Effect(Class.READ, why="reads"), "f1"),))


def proposal(fingerprint: str = "f", command: str = "git status") -> Proposal:
    exhibit = Example("c1", "t1", (event(started=1.5, ended=2.5, said="ok", schema="f1", folder="/x", request="r"),))
    return Proposal(spec(command), fingerprint, Fit(3, 3, 3, 0.5), (exhibit,), (Check("holdout_fit", True), Check("x", False, "y", False)))


def proposed(store: Store, fingerprint: str = "f", command: str = "git status") -> Kata:
    kata = store.propose(proposal(fingerprint, command), now=100.0)
    assert kata is not None
    return kata


def approve(store: Store, kata: Kata, name: str = "deploy", **more: Any) -> Kata:
    decision: dict[str, Any] = {"before": [State.CANDIDATE], "after": State.ACTIVE, "actor": "chat", "verb": "approve"}
    return store.transition(kata.id, digest=kata.version.spec.digest, now=200.0, name=name, approved=True, **{**decision, **more})


halves = st.sampled_from(["\ud835", "\udcff", "\0", "\x1b"])  # st.text() alone nearly never holds half a character


texts = st.lists(st.text() | halves, max_size=4).map("".join)


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
