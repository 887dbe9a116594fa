"""Where and how long each step of a kata runs: the table of design section 8 between executor and tools; it changes nothing in a call but
time limit, folder and paths, and never issues one twice. A module of its own, because runtime would otherwise both listen to hooks and run
tools."""

from __future__ import annotations

import contextvars
import functools
import os
import queue
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .model import Call, Json, Outcome, Status, StepCall, named

BUDGET_S = 357.0
"""No step starts later: the host gives a tool 420 s and this is 0.85 of it (design section 8)."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run happens: the caller's ids, a private task for file tools, and the folder of the caller's terminal."""

    task: str
    session: str
    private: str
    folder: str


WORKER = frozenset({"read_file", "search_files"})
"""Reads without any gate: they run on a worker under our own time limit."""
FILES = frozenset({"read_file", "search_files", "write_file", "patch"})
"""File tools: under a private task, since the caller's would answer "unchanged" at the second read (A26)."""


class Driver:
    """Answers the executor's calls with the host's tools, by the table of design section 8."""

    def __init__(self, dispatch: Callable[..., Any], place: Place, limit: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.dispatch, self.place, self.limit, self.clock = dispatch, place, limit, clock
        self.folder, self.began = place.folder, clock()
        self.hung: threading.Thread | None = None

    def __call__(self, asked: StepCall) -> Outcome:
        left = BUDGET_S - (self.clock() - self.began)
        if left <= 0:
            return Outcome(Status.REFUSED, reason=f"no step starts after {BUDGET_S:.0f} seconds")
        tool, arguments = asked.call.tool, self._narrowed(asked.call, left)
        ids = {"task_id": self.place.private if tool in FILES else self.place.task, "session_id": self.place.session}
        send = functools.partial(self._sent, tool, arguments, ids)
        outcome = self._limited(tool, send, min(left, self.limit)) if tool in WORKER else send()
        if tool == "terminal" and isinstance(outcome.result, dict) and isinstance(outcome.result.get("cwd"), str):
            self.folder = outcome.result["cwd"]
        return Outcome(outcome.status, outcome.result, outcome.reason, arguments)

    def _narrowed(self, call: Call, left: float) -> dict[str, Json]:
        """What is really sent: a time limit and a folder for `terminal`, absolute paths for file tools; nothing else."""
        arguments = dict(call.arguments)
        if call.tool == "terminal" and not arguments.get("background"):
            asked = arguments.get("timeout")
            wanted = max(self.limit, asked if isinstance(asked, int) else 0)
            arguments |= {"timeout": max(1, int(min(left, wanted))), "workdir": arguments.get("workdir") or self.folder}
        if call.tool in FILES:
            path = arguments.get("path", "." if call.tool == "search_files" else None)
            if isinstance(path, str) and not path.startswith("~"):
                arguments["path"] = os.path.normpath(os.path.join(self.folder, path))
        return arguments

    def _sent(self, tool: str, arguments: dict[str, Json], ids: Mapping[str, str]) -> Outcome:
        """One dispatch; whatever a tool raises is its failure, not ours."""
        try:
            return Outcome.read(self.dispatch(tool, arguments, **ids))
        except Exception as error:
            return Outcome(Status.ERROR, reason=named(error))

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
