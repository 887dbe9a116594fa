"""The other processes of the tests beside it. One does a job again and again on copies of a file, each time in a child that kills itself
before the next statement that writes, until one comes to its end; others do everything at once on one file. They assert nothing."""

import importlib.util
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
if "kata" not in sys.modules:
    spec = importlib.util.spec_from_file_location("kata", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
    assert spec is not None and spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules["kata"] = package
    spec.loader.exec_module(package)

from kata.door import Door  # noqa: E402
from kata.driver import replay  # noqa: E402
from kata.model import Call, Event, KataError, Outcome, Record, Settings, TurnEnd, TurnStart  # noqa: E402
from kata.service import Service  # noqa: E402
from kata.store import Store  # noqa: E402

WRITES = ("BEGIN IMMEDIATE", "COMMIT", "INSERT", "UPDATE", "DELETE", "CREATE", "ALTER", "DROP")
NOW = 1_700_000_000.0
COMMANDS = ("git pull --rebase origin", "make build-release", "npm run lint-all")


def service(file: Path, watch: Callable[[str], None] | None = None, journal: str = "wal", owner: str = "child") -> Service:
    """The plugin without a host, on a file whose statements are watched."""

    def opened() -> sqlite3.Connection:
        db = sqlite3.connect(file, check_same_thread=False)
        db.execute(f"PRAGMA journal_mode = {journal}")
        db.execute("PRAGMA cache_size = 5")  # so that pages reach the file before the commit
        db.set_trace_callback(watch)
        return db

    return Service(Store(opened, patience=60), Settings(), Door(lambda: NOW, replay, lambda tool: None, lambda name: False, owner))


def told(turn: str, chat: str) -> list[Record]:
    """One turn with a fixed routine of three commands, as the recorder hands it on."""
    answers = [Outcome.read({"output": "", "exit_code": 0, "error": None})] * len(COMMANDS)
    calls = [Call("terminal", {"command": command}) for command in COMMANDS]
    events = [
        Event(call, answer, turn, f"call_{at}", at, f"r{at}", NOW + at, NOW + at + 1)
        for at, (call, answer) in enumerate(zip(calls, answers, strict=True))
    ]
    return [TurnStart(turn, chat, chat, "cli", "person", NOW, "again"), *events, TurnEnd(turn, NOW + 9)]


def record(file: Path, watch: Callable[[str], None], journal: str) -> None:
    service(file, watch, journal).record(told("late", "late"))


def mine(file: Path, watch: Callable[[str], None], journal: str) -> None:
    service(file, watch, journal).mine(None)


def approve(file: Path, watch: Callable[[str], None], journal: str) -> None:
    desk = service(file, watch, journal)
    (kata,) = desk.katas()
    desk.approve(str(kata.id), "again", "cli", kata.version.spec.digest)


def forget(file: Path, watch: Callable[[str], None], journal: str) -> None:
    service(file, watch, journal).store.forget(NOW + 100.0, 2)


def begin(file: Path, watch: Callable[[str], None], journal: str) -> None:
    """Open a file that is new, or of an older version."""
    service(file, watch, journal).store.dirty()


JOBS = {one.__name__: one for one in (record, mine, approve, forget, begin)}


def child(job: Callable[[Path, Callable[[str], None], str], None], file: Path, journal: str, point: int) -> None:
    left = point

    def watch(statement: str) -> None:
        nonlocal left
        if statement.lstrip().startswith(WRITES):
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    job(file, watch, journal)


def mixed(file: Path, journal: str, me: str, times: int) -> None:
    """So many operations, drawn by the name of the process; how each ended is written beside the file."""
    rng, desk, ended = random.Random(me), service(file, None, journal, f"{os.getpid()}:{me}"), []
    for number in range(times):
        verb = rng.choice(("record", "record", "mine", "approve", "disable", "enable", "reject", "list", "forget"))
        try:
            operation(desk, verb, f"{me}.{number}")
            ended.append([verb, f"{me}.{number}", ""])
        except KataError as error:
            ended.append([verb, f"{me}.{number}", error.message])
    desk.store.close()
    file.with_name(f"{me}.json").write_text(json.dumps(ended), encoding="utf-8")


def operation(desk: Service, verb: str, turn: str) -> None:
    katas = desk.katas()
    if verb == "record":
        desk.record(told(turn, turn))
    elif verb == "mine":
        desk.mine(None)
    elif verb == "list":
        desk.store.audit(20)
    elif verb == "forget":
        desk.store.forget(NOW - 1.0, 2)
    elif katas and verb == "approve":
        desk.approve(str(katas[0].id), "again", "cli", katas[0].version.spec.digest)
    elif katas:
        {"disable": desk.disable, "enable": desk.enable, "reject": desk.reject}[verb](str(katas[0].id), "cli")


def together(file: Path, journal: str, processes: int, times: int) -> None:
    """All at once; the exit codes are said."""
    children = []
    for number in range(processes):
        pid = os.fork()
        if pid == 0:
            try:
                mixed(file, journal, f"p{number}", times)
            except BaseException as error:
                print(repr(error), file=sys.stderr, flush=True)
                os._exit(2)
            os._exit(0)
        children.append(pid)
    print(json.dumps([os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]), flush=True)


def main(name: str, seed: Path, journal: str) -> None:
    """One copy for each point; the number of points is said at the end."""
    for point in range(100_000):
        file = seed.with_name(f"{point:06}.db")
        if seed.exists():
            shutil.copy(seed, file)
        pid = os.fork()
        if pid == 0:
            try:
                child(JOBS[name], file, journal, point)
            except BaseException as error:
                print(error, file=sys.stderr, flush=True)
                os._exit(2)
            os._exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        if code != -signal.SIGKILL:
            print(point, code, flush=True)
            return


if __name__ == "__main__":
    if sys.argv[1] == "together":
        together(Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    else:
        main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
