#!/usr/bin/env python3
"""Measures how long each address of the tab takes to answer on a file as years of use leave it; it asks no host and keeps nothing.

    python scripts/bench_dashboard.py [--calls 100000] [--candidates 500] [--runs 5000] [--decisions 10000] [--times 100] [--json]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
NOW = 1_700_000_000.0
BATCH, TOOLS = 200, 97


def load() -> None:
    """Bring this checkout in as the package `kata`, whatever its folder is called."""
    spec = importlib.util.spec_from_file_location("kata", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
    assert spec is not None and spec.loader is not None
    sys.modules["kata"] = package = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)


def filled(service: Any, calls: int, candidates: int, runs: int, decisions: int) -> None:
    """Turns of ten calls, proposals of which every tenth is in use, runs of those, and a long log of decisions."""
    store = service.store
    for first in range(0, calls // 10, BATCH):
        store.add([one for number in range(first, min(first + BATCH, calls // 10)) for one in turn(number)])
    for name in store.dirty():
        store.mined(name, counted(store.turn(name)), 3)
    kept = [proposed(store, proposal(number)) for number in range(candidates)]
    used = [approved(store, kata) for kata in kept[::10]]
    for number in range(runs):
        ran(store, used[number % len(used)], number)
    wavered(store, kept[1 % len(kept) :: 10], decisions)


def counted(one: Any) -> Any:
    """The windows of a turn, as the miner counts them."""
    from kata import miner
    from kata.settings import Settings

    return miner.windows(one, Settings().max_steps)


def turn(number: int) -> list[Any]:
    """The records of one turn of ten commands."""
    from kata.model import TurnEnd, TurnStart

    name, at = f"t{number}", NOW + number
    events = [event(f"tool{(number + one) % TOOLS}", name, one, at, workdir=f"w{number % 50}") for one in range(10)]
    return [TurnStart(name, f"s{number}", f"c{number}", "cli", "person", at, "please"), *events, TurnEnd(name, at + 60)]


def event(command: str, turn: str, at: int, began: float, **more: str) -> Any:
    """A command that went well."""
    from kata.model import Call, Event, Outcome, Status

    ok = Outcome(Status.OK, {"output": "x" * 200, "exit_code": 0})
    return Event(Call("terminal", {"command": command, **more}), ok, turn, f"{turn}-{at}", at, "", began, began + 1, "ok", "", "")


def proposal(number: int) -> Any:
    """A routine of three to eight of those commands, seen in three conversations."""
    from kata.miner import spelled
    from kata.model import Class, Effect, Example, Fit, Input, InputField, Literal, Object, Proposal, Spec, Step

    lines = [f"tool{(number + at) % TOOLS}" for at in range(3 + number // TOOLS)]
    asked = [Object((("command", Literal(line)), ("workdir", Input("place")))) for line in lines]
    steps = tuple(Step("terminal", one, Effect(Class.READ, why="-")) for one in asked)
    exhibits = tuple(
        Example(f"c{one}", f"t{one}", tuple(event(line, f"t{one}", at, NOW, workdir=f"w{one}") for at, line in enumerate(lines)))
        for one in range(3)
    )
    return Proposal(Spec((InputField("place", "string"),), steps), f"f{number}", Fit(3, 3, 3, 1.0), exhibits, keys=spelled(exhibits[0]))


def proposed(store: Any, made: Any) -> Any:
    """The proposal in the file, with the window under which its turns are found."""
    from kata.miner import window_id

    return store.propose(made, NOW, window_id(made.keys), ties=(0.01,) * (len(made.keys) - 1))


def approved(store: Any, kata: Any) -> Any:
    """The kata in use, under its number."""
    from kata.model import State

    told = {"digest": kata.version.spec.digest, "actor": "cli", "verb": "approve", "now": NOW, "approved": True}
    return store.transition(kata.id, before=(State.CANDIDATE,), after=State.ACTIVE, name=f"it_{kata.id}", **told)


def wavered(store: Any, katas: Any, decisions: int) -> None:
    """Decline proposals and take that back, until the log is so much longer."""
    from kata.model import State

    for first in range(0, decisions // 2, BATCH):
        with store.bundle():
            for number in range(first, min(first + BATCH, decisions // 2)):
                kata = katas[number % len(katas)]
                told = {"digest": kata.version.spec.digest, "actor": "cli", "now": NOW}
                store.transition(kata.id, before=(State.CANDIDATE,), after=State.REJECTED, verb="reject", **told)
                store.transition(kata.id, before=(State.REJECTED,), after=State.CANDIDATE, verb="forget", **told)


def ran(store: Any, kata: Any, number: int) -> None:
    """Write down a run of three steps that went well."""
    from kata.model import Call, RunRow, Status, StepTrace

    about = (f"run{number}", kata.id, kata.tool, 1, kata.version.spec.digest, NOW + number, None, Status.UNKNOWN, "")
    store.begin_run(RunRow(*about, (), {"place": "a"}, f"s{number}"))
    done = [StepTrace(at, "terminal", Status.OK, Call("terminal", {"command": "x"}), {"output": "x"}) for at in range(3)]
    store.finish_run(f"run{number}", Status.OK, "", NOW + number + 1, done)


def measured(act: Callable[[], Any], times: int) -> tuple[float, float, int]:
    """Milliseconds, median and 95th of a hundred, and the bytes of the answer."""
    spent, size = [], 0
    for _ in range(times):
        began = time.perf_counter()
        reply = act()
        size = len(json.dumps(reply.json))
        spent.append(1_000 * (time.perf_counter() - began))
        assert reply.code == 200, reply.json
    return statistics.median(spent), sorted(spent)[min(times - 1, int(times * 0.95))], size


def visited(path: Path) -> Any:
    """A service on the file, as each request of the tab opens one; its store is to be closed."""
    from kata import executor
    from kata.door import Door
    from kata.service import Service
    from kata.settings import Settings
    from kata.store import Store

    def replay(spec: Any, given: Any, send: Any) -> Any:
        return executor.drive(executor.run(spec, given), send)

    store = Store(lambda: sqlite3.connect(path, check_same_thread=False, isolation_level=None))
    return Service(store, Settings(), Door(lambda: NOW + 20_000, replay, lambda tool: None, lambda name: False))


def routes() -> dict[str, tuple[Any, dict[str, str]]]:
    """What the tab asks, by its address: the act and the query."""
    from kata.dashboard import acts, desk

    return {
        "overview": (desk.overview, {}),
        "katas": (desk.katas, {}),
        "katas?q=tool7": (desk.katas, {"q": "tool7"}),
        "katas/1": (acts.whole("1"), {}),
        "near": (desk.near, {}),
        "audit": (acts.decisions, {}),
        "runs": (desk.runs, {}),
        "runs/run1": (acts.ended("run1"), {}),
    }


def answered(path: Path, times: int) -> dict[str, tuple[float, float, int]]:
    """What each address took, each time on a service of its own; what the tab keeps between requests is kept."""
    from kata.dashboard import desk

    kept: dict[str, Any] = {}

    def once(act: Any, query: dict[str, str]) -> Any:
        service = visited(path)
        with closing(service.store):
            return desk.reply(act, service, desk.Asked(query, kept=kept))

    return {name: measured(partial(once, act, query), times) for name, (act, query) in routes().items()}


def shown(rows: dict[str, tuple[float, float, int]], as_json: bool) -> str:
    """The figures as JSON or as a table."""
    if as_json:
        return json.dumps({name: {"p50_ms": round(a, 2), "p95_ms": round(b, 2), "bytes": c} for name, (a, b, c) in rows.items()}, indent=1)
    lines = [f"{name:<16}{middle:>10.1f}{high:>10.1f}{size / 1024:>8.0f}" for name, (middle, high, size) in rows.items()]
    return "\n".join([f"{'address':<16}{'p50 ms':>10}{'p95 ms':>10}{'KiB':>8}", *lines])


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for name, usual in {"calls": 100_000, "candidates": 500, "runs": 5_000, "decisions": 10_000, "times": 100}.items():
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args()
    load()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.db"
        service = visited(path)
        with closing(service.store):
            filled(service, wanted.calls, wanted.candidates, wanted.runs, wanted.decisions)
        rows = answered(path, wanted.times)
    print(shown(rows, wanted.json))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
