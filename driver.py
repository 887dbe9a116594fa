"""Where and how long each step of a kata runs, and who is asked before it: what stands between executor and tools; it
changes nothing in a call but time limit, folder and paths, and never issues one twice. A module of its own, because runtime would otherwise
both listen to hooks and run tools."""

from __future__ import annotations

import contextvars
import functools
import math
import os
import queue
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any, TextIO

from . import executor, surroundings, ward
from .executor import Held
from .model import Call, Event, Json, Outcome, Spec, Status, Step, StepCall, Trace, Version, canonical, harmless, named
from .validator import NO_LIMIT
from .wording import WHOLE, brief

LONGEST_S, SHARE = 360.0, 0.85


def budget(limit: float) -> float:
    """Seconds in which a run may start steps on a host that gives a tool `limit` seconds; 0 or less is a host without a limit."""
    return min(LONGEST_S, SHARE * limit) if limit > 0 else LONGEST_S


HOST_LIMIT_S = 420.0
"""What the host gives a tool where nobody set another limit; then it leaves the tool alone, and an abandoned one goes on (trap 3)."""
BUDGET_S = budget(HOST_LIMIT_S)
MOST_DISPATCHES, MOST_BYTES = 200, 50_000_000
"""Calls that one run may make, and characters that their answers may have together (T60)."""
OVERHEAD_S = 5.0
"""What a command may take beyond its own limit; if it took longer, somebody was asked meanwhile."""

GIVEN_UP, UNLOADED = "Hermes had ended the call", "Kata was unloaded"
"""Why a run starts nothing more."""

INSIDE: contextvars.ContextVar[bool] = contextvars.ContextVar("kata_inside", default=False)
"""Set while a step runs: our own hooks have no opinion on it, and no kata starts inside another."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run happens: the caller's ids, a private task for file tools, and the folder of the caller's terminal (empty: not known)."""

    task: str
    session: str
    private: str
    folder: str
    turn: Mapping[str, str] = field(default_factory=dict)
    """The other ids of the call of the kata, as the guards of other plugins know it."""


@dataclass(frozen=True, slots=True)
class Gates:
    """What the host lets us ask before a step; without `ask`, `missing` says why, and only reads go on (A25)."""

    ask: Callable[..., Any] | None
    """The guards of all plugins: tool, arguments and ids in; why it is refused and the arguments as rewritten out, None for neither."""
    interrupted: Callable[[], bool] = lambda: False
    missing: str = ""


UNGUARDED = Gates(None, missing="The other plugins cannot be asked here")
OPEN = Gates(lambda tool, arguments, **ids: (None, None))
"""For a rehearsal, in which no tool is called."""


@dataclass(frozen=True, slots=True)
class Habit:
    """What is known of a step beforehand: whether it only reads, its slowest example in seconds, the harmless exit codes of examples."""

    reads: bool = False
    slowest: float = 0.0
    codes: frozenset[int] = frozenset()


def habits(version: Version) -> tuple[Habit, ...]:
    """What the examples of a version show of each of its steps."""
    shown = [[one.events[index] for one in version.exhibits if index < len(one.events)] for index in range(len(version.spec.steps))]
    return tuple(_habit(step, events) for step, events in zip(version.spec.steps, shown, strict=True))


def _habit(step: Step, events: Sequence[Event]) -> Habit:
    seconds = [one.ended - one.started for one in events if one.started]
    codes = {code for one in events if (code := harmless(one.outcome.result))}
    return Habit(step.effect.plain_read, max([0.0, *seconds]), frozenset(codes))


WORKER = frozenset({"read_file", "search_files", "web_search", "web_extract"})
"""Reads without any gate: they run on a worker under our own time limit."""
FILES = frozenset({"read_file", "search_files", "write_file", "patch"})
"""File tools: under a private task, since the caller's would answer "unchanged" at the second read (A26)."""
UNANSWERED = frozenset({"blocked", "pending_approval", "approval_required"})
"""What a tool says of itself when the host or a person did not let it run."""
YIELDED = "yielded_to_background"
"""What `terminal` says of itself when a message of the person pushed the command aside."""
RAISED = re.compile(r"Tool execution failed: \w*Timeout|\b\w*Timeout(?:Error|Exception|Expired)?(?::|$)|\b[Tt]imed out\b")
"""How the host, a tool or its server words a timeout in an error; the tool may have acted before (B04)."""
BROKEN_OFF = re.compile(r"interrupted: user sent a new message")
"""How the host words that it waited no longer for a server, because a person wrote; the server may go on."""
FORBIDDEN = "BLOCKED"
"""How an error begins with which the host, or a person whom it asked, did not let a tool act."""
LATE = "Command timed out after"
"""How `terminal` words its own limit where the machine behind it did not answer."""


class Driver:
    """Answers the executor's calls with the host's tools, each in its folder, under its limit, after its question."""

    def __init__(
        self,
        dispatch: Callable[..., Any],
        place: Place,
        limit: float,
        clock: Callable[[], float] = time.monotonic,
        *,
        gates: Gates = UNGUARDED,
        known: Sequence[Habit] = (),
        seconds: float = BUDGET_S,
    ) -> None:
        self.dispatch, self.place, self.limit, self.clock = dispatch, place, limit, clock
        self.gates, self.known, self.seconds = gates, known, seconds
        self.folder, self.began, self.waited = place.folder, clock(), 0.0
        self.abandoned = ""
        """Why this run may start nothing more although its thread goes on; empty while somebody waits for it."""
        self.hung: threading.Thread | None = None
        self.dispatches, self.size = 0, 0

    def __call__(self, asked: StepCall) -> Outcome:
        inside = INSIDE.set(True)
        try:
            return self._step(asked.call, self.known[asked.index] if asked.index < len(self.known) else Habit())
        finally:
            INSIDE.reset(inside)

    def _step(self, call: Call, habit: Habit) -> Outcome:
        if (early := self._stopped()) is not None:
            return early
        arguments = self._narrowed(call, habit)
        if call.tool in FILES and "path" not in arguments and self.folder != self.place.folder:
            return Held(Status.REFUSED, reason=f"it names its files inside a text, which cannot be told to mean {self.folder}")
        refused = self._warded(call.tool, arguments) or self._guarded(call.tool, arguments, habit)
        refused = refused or self._stopped()  # a person may have stopped us while being asked
        if refused is not None:
            return refused
        outcome = replace(self._run(call.tool, arguments, habit), sent=arguments)
        if call.tool == "terminal" and not call.arguments.get("workdir"):
            self._follow(outcome.result)
        return outcome

    # ── Before a step ────────────────────────────────────────────────────────────────────────────

    @property
    def left(self) -> float:
        """Seconds until no step starts any more; waiting for a person does not count."""
        return self.seconds - (self.clock() - self.began - self.waited)

    def _stopped(self) -> Outcome | None:
        """Why no further step starts, if so."""
        if self.abandoned:
            return Held(Status.INTERRUPTED, reason=f"{self.abandoned} before this step began")
        if self.gates.interrupted():
            return Held(Status.INTERRUPTED, reason="it was stopped before this step began")
        if self.left <= 0:
            return Held(Status.REFUSED, reason=f"no step starts after {self.seconds:.0f} seconds")
        if self.dispatches >= MOST_DISPATCHES or self.size > MOST_BYTES:
            return Held(Status.REFUSED, reason=f"no step starts after {self.dispatches} calls with {self.size} characters of answers")
        return None

    def _warded(self, tool: str, arguments: dict[str, Json]) -> Outcome | None:
        """Why a step as it would be sent is nothing that a kata does, though what was approved of it may not have shown it."""
        reason = ward.why(Call(tool, arguments), self.folder)
        return Held(Status.REFUSED, reason=f"it {reason}") if reason else None

    def _guarded(self, tool: str, arguments: dict[str, Json], habit: Habit) -> Outcome | None:
        """What the guards of other plugins have against a step, on the handler's thread: only there a person can be asked."""
        if self.gates.ask is None:
            return None if habit.reads else Held(Status.REFUSED, reason=f"{self.gates.missing}, so no step with an effect runs")
        began = self.clock()
        verdict = _caught(lambda: self._verdict(tool, arguments))
        self.waited += self.clock() - began
        if not isinstance(verdict, Held):
            return Held(Status.REFUSED, reason=f"the other plugins could not be asked: {verdict.reason}")
        return None if verdict.ok else verdict

    def _verdict(self, tool: str, arguments: dict[str, Json]) -> Outcome:
        assert self.gates.ask is not None
        shown = deepcopy(arguments)
        ids = {"task_id": self.place.task, "session_id": self.place.session, **self.place.turn}
        refusal, rewritten = self.gates.ask(tool, shown, **ids)
        if refusal is not None:
            return Held(Status.REFUSED, reason=str(refusal))
        if canonical(shown if rewritten is None else rewritten) != canonical(arguments):
            return Held(Status.REFUSED, reason="another plugin rewrites its arguments: what was approved is not what would run")
        return Held(Status.OK)

    def _narrowed(self, call: Call, habit: Habit) -> dict[str, Json]:
        """What is really sent: a time limit and a folder for `terminal`, absolute paths for file tools; nothing else."""
        arguments = dict(call.arguments)
        if call.tool == "terminal" and not arguments.get("background"):
            asked = arguments.get("timeout")
            wanted = max(self.limit, asked if isinstance(asked, int) else 0, math.ceil(2 * habit.slowest))
            arguments["timeout"] = max(1, int(min(self.left, wanted)))
        if call.tool == "terminal" and (folder := arguments.get("workdir") or self.folder):
            arguments["workdir"] = self._absolute(folder)
        if call.tool in FILES and (path := arguments.get("path", "." if call.tool == "search_files" and self.folder else None)) is not None:
            arguments["path"] = self._absolute(path)
        return arguments

    def _absolute(self, path: Json) -> Json:
        if not isinstance(path, str) or path.startswith("~") or not self.folder:
            return path
        return os.path.normpath(os.path.join(self.folder, path))

    # ── The step ─────────────────────────────────────────────────────────────────────────────────

    def _run(self, tool: str, arguments: dict[str, Json], habit: Habit) -> Outcome:
        private = tool in FILES and "path" in arguments  # a patch with its paths inside is looked up from the caller's folder
        ids = {"task_id": self.place.private if private else self.place.task, "session_id": self.place.session}
        send = functools.partial(_caught, lambda: self._sent(tool, arguments, ids, habit))
        if tool in WORKER:
            return self._limited(tool, send, min(self.left, self.limit))
        began = self.clock()
        outcome = send()
        if tool == "terminal" and "timeout" in arguments:
            self.waited += max(0.0, self.clock() - began - arguments["timeout"] - OVERHEAD_S)
        return outcome

    def _sent(self, tool: str, arguments: dict[str, Json], ids: Mapping[str, str], habit: Habit) -> Outcome:
        self.dispatches += 1
        answer = self.dispatch(tool, deepcopy(arguments), **ids)
        self.size += len(answer) if isinstance(answer, str) else 0
        return answer if isinstance(answer, Outcome) else judged(tool, Outcome.read(answer), habit)

    def _follow(self, result: Json) -> None:
        """Go where the command went: the later steps of this run start there, and the user's shell does not (A26)."""
        if isinstance(result, dict) and isinstance(result.get("cwd"), str):
            self.folder = result["cwd"]

    def _limited(self, tool: str, send: Callable[[], Outcome], seconds: float) -> Outcome:
        """On a worker under a copy of the context; a call that does not come back in time is left behind (A22)."""
        answers: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        context = contextvars.copy_context()
        worker = threading.Thread(target=lambda: answers.put(context.run(send)), name=f"kata-{tool}", daemon=True)
        worker.start()
        try:
            return answers.get(timeout=seconds)
        except queue.Empty:
            self.hung = worker
            return Outcome(Status.TIMEOUT, reason=f"no answer within {seconds:.0f} seconds; it may still be running")


def _caught(act: Callable[[], Outcome]) -> Outcome:
    """What an act of the host came to; whatever a tool or a guard raises is its failure, not ours."""
    try:
        return act()
    except Exception as error:
        return Outcome(Status.TIMEOUT if isinstance(error, TimeoutError) else Status.ERROR, reason=named(error))


def judged(tool: str, outcome: Outcome, habit: Habit) -> Outcome:
    """The outcome, told more exactly where the examples or the tool's own words allow it: a refusal of the host is none of the
    tool's failures, a harmless exit code is a success only where an example shows it (A20), a late machine is a timeout (B04)."""
    result = outcome.result
    if outcome.status is Status.ERROR and (told := _worded(result)):
        return replace(outcome, status=told)
    if not isinstance(result, dict):
        return outcome
    if not outcome.ok and result.get("status") in UNANSWERED:
        words = result.get("error") or result.get("description") or "nobody could be asked"
        return replace(outcome, status=Status.REFUSED, reason=str(words)[:400])
    if result.get("status") == YIELDED:
        return replace(outcome, status=Status.INTERRUPTED, reason="the command went to the background and is still running")
    code = harmless(result)
    if not code or outcome.status not in (Status.OK, Status.ERROR):
        return outcome
    if code in habit.codes:
        return replace(outcome, status=Status.OK, reason="")
    return replace(outcome, status=Status.ERROR, reason=f"exit code {code} ({result['exit_code_meaning']}), which no example shows")


def _worded(result: Json) -> Status | None:
    """What the words of an error say more exactly: that nobody knows what became of the call, or that it was never let through."""
    error = str(result.get("error") or "") if isinstance(result, dict) else str(result or "")[:1_000]
    if error.startswith(FORBIDDEN):
        return Status.REFUSED
    if isinstance(result, dict) and result.get("outcome_uncertain"):
        return Status.UNKNOWN
    if BROKEN_OFF.search(error):
        return Status.INTERRUPTED
    return Status.TIMEOUT if RAISED.search(error) else None


# ── A person at a terminal ───────────────────────────────────────────────────────────────────────


def confirmed(driver: Driver, spec: Spec, ask: Callable[[str], bool]) -> Callable[[StepCall], Outcome]:
    """The driver, but every step that does more than read is first put to a person, as it would be called; time spent
    waiting for the answer does not count."""

    def step(asked: StepCall) -> Outcome:
        one, began = spec.steps[asked.index], driver.clock()
        if one.effect.plain_read:
            return driver(asked)
        yes = ask(f"Step {asked.index + 1} of {len(spec.steps)}, {one.effect.kind.value}: {brief(asked.call, WHOLE)}")
        driver.waited += driver.clock() - began
        return driver(asked) if yes else Held(Status.REFUSED, reason="the person at the terminal said no")

    return step


def asking(keyboard: TextIO, screen: TextIO) -> Callable[[str], bool] | None:
    """A way to ask the person at a terminal a question that only "y" or "yes" answers with yes; None where there is no terminal."""
    if not (keyboard.isatty() and screen.isatty()):
        return None

    def ask(question: str) -> bool:
        screen.write(f"{question}\nDo it? [y/N] ")
        screen.flush()
        return keyboard.readline().strip().lower() in ("y", "yes")

    return ask


# ── Rehearsal ────────────────────────────────────────────────────────────────────────────────────


def replay(spec: Spec, given: Mapping[str, Json], stub: Callable[[StepCall], Outcome]) -> Trace:
    """Run a spec under this driver with a stub in the place of all tools, as the validator does; where the stub answers with a timeout,
    the tool hangs as it would for real (K61), or the step ends as unknown where no limit of ours would end it."""
    inputs, around = surroundings.parted(given)
    return executor.drive(executor.run(spec, inputs, around=around), Rehearsal(stub))


class Rehearsal:
    """The driver on a stub; no tool is called, and nothing is waited for."""

    def __init__(self, stub: Callable[[StepCall], Outcome]) -> None:
        self.stub = stub
        self.tool: Callable[[], Json] = lambda: None
        self.driver = Driver(lambda tool, arguments, **ids: self.tool(), Place("", "", "", "/"), LONGEST_S, gates=OPEN)

    def __call__(self, asked: StepCall) -> Outcome:
        answer = self.stub(asked)
        if answer.status is Status.TIMEOUT:
            return self._hang(asked)
        self.tool = lambda: answer
        return self.driver(asked)

    def _hang(self, asked: StepCall) -> Outcome:
        if asked.call.tool == "terminal":
            self.tool = lambda: {"output": f"[{LATE} {LONGEST_S:.0f}s]", "exit_code": 124, "error": None}
            return self.driver(asked)
        if asked.call.tool not in WORKER:
            return Outcome(Status.UNKNOWN, reason=NO_LIMIT)
        return self._held(asked)

    def _held(self, asked: StepCall) -> Outcome:
        """A tool that does not come back before it is let go, under a limit that is over at once."""
        gate = threading.Event()
        self.tool, self.driver.limit = lambda: Outcome(Status.OK) if gate.wait() else Outcome(Status.ERROR), 0.0
        try:
            return self.driver(asked)
        finally:
            gate.set()
            if self.driver.hung is not None:
                self.driver.hung.join()
            self.driver.limit = LONGEST_S
