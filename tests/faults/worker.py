"""The other processes of the tests beside it. One does a job again and again on copies of a file, each time in a child that kills itself
before the next statement that writes, and before and after the next call of a tool, until one comes to its end; others do everything at
once on one file; one is told of calls until it is killed. They assert nothing."""

import fcntl
import importlib.util
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
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
from kata.model import (  # noqa: E402
    Call,
    Event,
    KataError,
    Outcome,
    Record,
    State,
    Status,
    StepCall,
    StepTrace,
    StoreError,
    TurnEnd,
    TurnStart,
)
from kata.recorder import Recorder  # noqa: E402
from kata.rounds import Mined  # noqa: E402
from kata.service import Service  # noqa: E402
from kata.settings import Settings  # noqa: E402
from kata.store import Store  # noqa: E402

WRITES = ("BEGIN IMMEDIATE", "COMMIT", "INSERT", "UPDATE", "DELETE", "CREATE", "ALTER", "DROP", "DISPATCH")
NOW = 1_700_000_000.0
COMMANDS = ("git pull --rebase origin", "make build-release", "npm run lint-all")


class Alone(Service):
    """Says so, by its process ending badly, when somebody else looks at families at the same time."""

    beside: Path

    def _look(self, turns: int, most: int | None, until: float = float("inf")) -> Mined:
        with alone(self.beside):
            return super()._look(turns, most, until)


class Ends(Store):
    """Remembers of which runs the end could not be written, because the file was busy for too long, and how often an operation met that."""

    met: int = 0

    def __init__(self, open: Callable[[], sqlite3.Connection], *, patience: float) -> None:
        super().__init__(open, patience=patience)
        self.unwritten: list[str] = []

    def finish_run(self, run: str, status: Status, reason: str, now: float, steps: Iterable[StepTrace] = ()) -> None:
        try:
            super().finish_run(run, status, reason, now, steps)
        except StoreError:
            self.unwritten.append(run)
            raise

    @contextmanager
    def _using(self, kind: str) -> Iterator[sqlite3.Connection]:
        try:
            with super()._using(kind) as db:
                yield db
        except StoreError as error:
            self.met += "is busy" in error.message
            raise


@contextmanager
def alone(file: Path) -> Iterator[None]:
    """BlockingIOError where another process is inside; one that is killed leaves it free."""
    with open(file, "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def service(
    file: Path, watch: Callable[[str], None] | None = None, journal: str = "wal", owner: str = "child", patience: float = 60
) -> Service:
    """The plugin without a host, on a file whose statements are watched."""

    def opened() -> sqlite3.Connection:
        db = sqlite3.connect(file, check_same_thread=False)
        db.execute(f"PRAGMA journal_mode = {journal}")
        db.execute("PRAGMA cache_size = 5")  # so that pages reach the file before the commit
        db.set_trace_callback(watch)
        return db

    door = Door(lambda: NOW, replay, lambda tool: None, lambda name: False, owner, living)
    made = Alone(Ends(opened, patience=patience), Settings(), door)
    made.beside = file.with_name("mining")
    return made


def living(owner: str) -> bool:
    """Whether the process of that number runs; names that are no numbers are dead."""
    return owner.isdigit() and Path(f"/proc/{owner}").exists()


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


def run(file: Path, watch: Callable[[str], None], journal: str) -> None:
    """Run the kata that is there; its effects leave a line each beside the file."""
    desk, ledger = service(file, watch, journal), file.with_suffix(".done")

    def tool(asked: StepCall) -> Outcome:
        watch("DISPATCH")
        if asked.call.tool == "read_file":
            return Outcome(Status.OK, {"output": f"read {asked.index}"})
        with ledger.open("a") as lines:
            lines.write(f"{asked.index}\n")
        watch("DISPATCH")
        return Outcome(Status.OK, {"output": f"done {asked.index}"})

    (kata,) = desk.active()
    desk.start(kata, {"path": "a"}, "run", "s1", tool)


CALLS = 8
"""Calls that the recorder is told of before it is killed, two at a time."""


def observe(file: Path, watch: Callable[[str], None], journal: str) -> None:
    """The recorder on its thread, which is killed while it writes; each call that it was told of before leaves a line beside the file."""
    heard = Recorder(service(file, watch, journal), lambda tool: None, lambda what: None)
    heard.put("turn", NOW, {"turn_id": "late", "session_id": "late", "platform": "cli", "user_message": "again"})
    for number in range(CALLS):
        told = {"turn_id": "late", "tool_name": "terminal", "args": {"command": "ls"}, "tool_call_id": f"call_{number}", "result": "{}"}
        heard.put("call", NOW + number, told)
        with file.with_suffix(".told").open("a") as lines:
            lines.write(f"call_{number}\n")
        if number % 2:
            heard.flush(60, mined=False)
    heard.stop()


JOBS = {one.__name__: one for one in (record, mine, approve, forget, begin, run, observe)}


def steady(file: Path) -> None:
    """Tell the recorder of a call every ten milliseconds, for ever; when, is said after each."""
    heard = Recorder(service(file), lambda tool: None, lambda what: None)
    heard.put("turn", time.time(), {"turn_id": "late", "session_id": "late", "platform": "cli", "user_message": "again"})
    for number in range(1_000_000):
        at = time.time()
        told = {"turn_id": "late", "tool_name": "terminal", "args": {"command": "ls"}, "tool_call_id": f"call_{number}", "result": "{}"}
        heard.put("call", at, told)
        print(at, flush=True)
        time.sleep(0.01)


def child(job: Callable[[Path, Callable[[str], None], str], None], file: Path, journal: str, point: int) -> None:
    left = point

    def watch(statement: str) -> None:
        nonlocal left
        if statement.lstrip().startswith(WRITES):
            left -= 1
            if left < 0:
                os.kill(os.getpid(), signal.SIGKILL)

    job(file, watch, journal)


VERBS = ("record", "record", "mine", "approve", "disable", "enable", "reject", "lift", "run", "purge", "list", "forget")


def mixed(file: Path, journal: str, me: str, times: int) -> None:
    """So many operations, drawn by the name of the process, with the patience of the plugin; how each ended, and how long it took at most,
    is written beside the file."""
    desk = Mixed(service(file, None, journal, str(os.getpid()), patience=2.0), me)
    ended = [desk.do(random.choice(VERBS), f"{me}.{number}") for number in range(times)]
    desk.wait()
    desk.service.store.close()
    told = [ended, desk.longest, desk.gone, desk.runs, desk.store.unwritten, desk.met]
    file.with_name(f"{me}.json").write_text(json.dumps(told), encoding="utf-8")


class Mixed:
    """One process among many: what a busy file did not take of its records waits, as it does in the recorder."""

    def __init__(self, service: Service, me: str) -> None:
        self.service, self.me = service, me
        self.waiting: list[Record] = []
        self.recorded: list[str] = []
        self.gone: list[str] = []
        self.runs: list[tuple[str, int, int, bool]] = []
        self.longest: dict[str, float] = {}
        assert isinstance(service.store, Ends)
        self.store = service.store
        self.met: dict[str, int] = {}
        random.seed(me)

    def do(self, verb: str, word: str) -> tuple[str, str, str]:
        began, met = time.monotonic(), self.store.met
        try:
            getattr(self, f"_{verb}", self._decide)(word, verb)
            said = ""
        except KataError as error:
            said = error.message
        self.longest[verb] = max(self.longest.get(verb, 0.0), time.monotonic() - began)
        self.met[verb] = max(self.met.get(verb, 0), self.store.met - met)
        return verb, word, said

    def wait(self) -> None:
        """Write what waits."""
        while self.waiting:
            self.do("keep", "")

    def _keep(self, word: str, verb: str) -> None:
        if self.waiting:
            self.service.record(self.waiting)
            self.waiting = []

    def _record(self, word: str, verb: str) -> None:
        self.waiting += told(word, word)
        self.recorded.append(word)
        self._keep(word, verb)

    def _mine(self, word: str, verb: str) -> None:
        self.service.mine()

    def _list(self, word: str, verb: str) -> None:
        self.service.katas()
        self.service.store.audit(20)

    def _forget(self, word: str, verb: str) -> None:
        self.service.store.forget(NOW - 1.0, 2)

    def _purge(self, word: str, verb: str) -> None:
        """Erase one of our own conversations, one in ten times."""
        self._keep(word, verb)
        if self.recorded and random.random() < 0.1:
            self.service.purge("conversation", self.recorded[0], "cli")
            self.gone.append(self.recorded.pop(0))

    def _run(self, word: str, verb: str) -> None:
        sent: list[int] = []

        def tool(asked: StepCall) -> Outcome:
            sent.append(asked.index)
            return Outcome.read({"output": "", "exit_code": 0, "error": None})

        for kata in self.service.active():
            ended = self.service.start(kata, {}, word, "s", tool)
            assert sent == [*range(len(sent))], "a step was done twice, or out of order"
            self.runs.append((word, len(sent), kata.id, ended.status is Status.OK))

    def _lift(self, word: str, verb: str) -> None:
        for kata in self.service.store.katas((State.REJECTED,)):
            self.service.forget(str(kata.id), "cli")

    def _decide(self, word: str, verb: str) -> None:
        for kata in self.service.katas():
            if verb == "approve":
                self.service.approve(str(kata.id), "again", "cli", kata.version.spec.digest)
            else:
                getattr(self.service, verb)(str(kata.id), "cli")


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
    if sys.argv[1] == "steady":
        steady(Path(sys.argv[2]))
    elif sys.argv[1] == "together":
        together(Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), int(sys.argv[5]))
    else:
        main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
