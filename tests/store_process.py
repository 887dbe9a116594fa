"""The other process of the tests of the store: does one thing to a file when it is told to, over its pipes; it asserts nothing."""

import importlib.util
import json
import os
import sqlite3
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
spec = importlib.util.spec_from_file_location("kata", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
assert spec is not None and spec.loader is not None
package = importlib.util.module_from_spec(spec)
sys.modules["kata"] = package
spec.loader.exec_module(package)

from kata.model import Call, Event, KataError, Outcome, State, Status, TurnEnd, TurnStart  # noqa: E402
from kata.store import Store  # noqa: E402
from kata.tables import MIGRATIONS, migrate  # noqa: E402

THREADS = 4


def say(word: object) -> None:
    print(json.dumps(word), flush=True)


def hear() -> list[str]:
    """The next order, as words; the process ends with its parent."""
    line = sys.stdin.readline()
    if not line:
        sys.exit()
    words: list[str] = json.loads(line)
    return words


def connect(path: str, journal: str) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30)
    db.execute(f"PRAGMA journal_mode = {journal}")
    return db


def at_once(work: Callable[[int], None]) -> None:
    """Four threads that start when the parent says so; what each came to is said as a list."""
    barrier, answers = threading.Barrier(THREADS + 1), [""] * THREADS

    def run(index: int) -> None:
        barrier.wait()
        try:
            work(index)
        except (KataError, sqlite3.Error) as error:
            answers[index] = str(error)

    threads = [threading.Thread(target=run, args=(index,)) for index in range(THREADS)]
    for thread in threads:
        thread.start()
    say("ready")
    hear()
    barrier.wait()
    for thread in threads:
        thread.join()
    say(answers)


def record(me: str, path: str, journal: str) -> None:
    """Each thread opens the file by itself and records one turn of three calls."""

    def work(index: int) -> None:
        store, turn = Store(lambda: connect(path, journal), patience=30), f"{me}.{index}"
        store.add([TurnStart(turn, "s", turn, "cli", "person", 1.0)])
        for n in range(3):
            store.add([Event(Call("terminal", {"command": "ls"}), Outcome(Status.OK, "a"), turn, f"call_{n}", n)])
        store.add([TurnEnd(turn, 2.0)])
        store.close()

    at_once(work)


def add_column(path: str, journal: str) -> None:
    """Each thread brings an old file up to a version whose last step adds a column."""

    def work(_index: int) -> None:
        db = connect(path, journal)
        try:
            migrate(db, (*MIGRATIONS, mood))
        finally:
            db.close()

    def mood(db: sqlite3.Connection) -> None:
        db.execute("ALTER TABLE turns ADD COLUMN mood TEXT")

    at_once(work)


def approve(path: str, journal: str) -> None:
    """Approves one kata after the other, each time together with another process."""
    store = Store(lambda: connect(path, journal), patience=30)
    while True:
        kata, digest, name = hear()
        decision: dict[str, Any] = {"before": [State.CANDIDATE], "after": State.ACTIVE, "actor": "cli", "verb": "approve"}
        try:
            store.transition(int(kata), digest=digest, now=5.0, name=name, approved=True, **decision)
            say("won")
        except KataError as error:
            say(str(error))


def hold(path: str, journal: str, kind: str) -> None:
    """Holds the lock of that kind until it is told to let go."""
    db = connect(path, journal)
    db.execute(f"BEGIN {kind}")
    say("ready")
    hear()
    db.execute("ROLLBACK")
    say("free")


def stop_at(path: str, journal: str, statement: str, nth: str) -> None:
    """Stops for ever, in the middle of its work, when SQLite is about to do that statement for the n-th time."""
    left = int(nth)

    def watch(sql: str) -> None:
        nonlocal left
        left -= sql.startswith(statement)
        if left == 0:
            say("ready")
            sys.stdin.read()  # the parent kills this process meanwhile, or dies itself
            os._exit(1)

    def opened() -> sqlite3.Connection:
        db = connect(path, journal)
        db.execute("PRAGMA cache_size = 5")  # so that pages reach the file before the commit
        db.set_trace_callback(watch)
        return db

    noise = [Event(Call("terminal", {"command": os.urandom(2000).hex()}), Outcome(Status.OK), "late", f"call_{n}", n) for n in range(100)]
    Store(opened).add([TurnStart("late", "s", "late", "cli", "person", 1.0), *noise, TurnEnd("late", 2.0)])
    say("survived")


ORDERS: dict[str, Callable[..., None]] = {one.__name__: one for one in (record, add_column, approve, hold, stop_at)}

if __name__ == "__main__":
    ORDERS[sys.argv[1]](*sys.argv[2:])
