"""The other process of test_crash.py: runs a kata and stands still at the n-th point where something is written or done, until it is
killed; it asserts nothing."""

import importlib.util
import sqlite3
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
spec = importlib.util.spec_from_file_location("kata", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
assert spec is not None and spec.loader is not None
package = importlib.util.module_from_spec(spec)
sys.modules["kata"] = package
spec.loader.exec_module(package)

from kata.door import Door  # noqa: E402
from kata.driver import replay  # noqa: E402
from kata.model import Outcome, Settings, Status, StepCall  # noqa: E402
from kata.service import Service  # noqa: E402
from kata.store import Store  # noqa: E402

FILE, LEDGER, STAND = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
passed = 0


def point() -> None:
    """One place where the process may be killed."""
    global passed
    if passed == STAND:
        print("here", flush=True)
        sys.stdin.read()
        sys.exit("the parent went away")
    passed += 1


class Connection(sqlite3.Connection):
    """Stands still before and after each end of a transaction that writes, once a run began."""

    def execute(self, statement: str, *more: Any) -> sqlite3.Cursor:
        if statement != "COMMIT" or not STARTED:
            return super().execute(statement, *more)
        point()
        done = super().execute(statement, *more)
        point()
        return done


STARTED: list[bool] = []


def tool(asked: StepCall) -> Outcome:
    """A read answers; an effect adds its line to the ledger, once each time it is called."""
    point()
    if asked.call.tool == "read_file":
        return Outcome(Status.OK, {"output": f"read {asked.index}"})
    with LEDGER.open("a") as ledger:
        ledger.write(f"{asked.index}\n")
    point()
    return Outcome(Status.OK, {"output": f"done {asked.index}"})


def main() -> None:
    store = Store(lambda: sqlite3.connect(FILE, check_same_thread=False, factory=Connection))
    service = Service(store, Settings(), Door(time.time, replay, lambda tool: None, lambda name: False, "child"))
    (kata,) = service.active()
    STARTED.append(True)
    service.start(kata, {"path": "a"}, "run", "s1", tool)
    print("end", flush=True)


main()
