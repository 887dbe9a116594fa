#!/usr/bin/env python3
"""Measures how long each address of the tab takes to answer on a file as years of use leave it; it asks no host and keeps nothing.

    python scripts/bench_dashboard.py [--calls 100000] [--candidates 500] [--runs 5000] [--times 20] [--json]
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
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
NOW = 1_700_000_000.0
BATCH = 200


def load() -> None:
    """Bring this checkout in as the package `kata`, whatever its folder is called."""
    spec = importlib.util.spec_from_file_location("kata", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
    assert spec is not None and spec.loader is not None
    sys.modules["kata"] = package = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)


def filled(service: Any, calls: int, candidates: int, runs: int) -> None:
    """Turns of ten calls, proposals of three steps of which every tenth is in use, and runs of those."""
    from kata.model import (
        Call,
        Class,
        Effect,
        Event,
        Example,
        Fit,
        Input,
        InputField,
        Literal,
        Object,
        Outcome,
        Proposal,
        RunRow,
        Spec,
        State,
        Status,
        Step,
        StepTrace,
        TurnEnd,
        TurnStart,
    )

    store, ok = service.store, Outcome(Status.OK, {"output": "x" * 200, "exit_code": 0})

    def turn(number: int) -> list[Any]:
        name, at = f"t{number}", NOW + number
        events = [
            Event(_ran(f"tool{(number + one) % 97} a{one}"), ok, name, f"{name}-{one}", one, "", at, at + 1, "ok", "", "")
            for one in range(10)
        ]
        return [TurnStart(name, f"s{number}", f"c{number}", "cli", "person", at, "please"), *events, TurnEnd(name, at + 60)]

    for first in range(0, calls // 10, BATCH):
        store.add([one for number in range(first, min(first + BATCH, calls // 10)) for one in turn(number)])
    for name in store.dirty():
        store.mined(name, {}, 3)
    names = []
    for number in range(candidates):
        keys = tuple(f"terminal(command): tool{number} {at}" for at in range(3))
        steps = tuple(
            Step("terminal", Object((("command", Literal(f"tool{number} {at}")), ("workdir", Input("place")))), Effect(Class.READ, why="-"))
            for at in range(3)
        )
        events = tuple(
            Event(Call("terminal", {"command": f"tool{number} {at}", "workdir": "a"}), ok, "t", f"{at}", at, "", NOW, NOW + 1, "ok", "", "")
            for at in range(3)
        )
        exhibits = tuple(Example(f"c{at}", "t", events) for at in range(3))
        made = Proposal(Spec((InputField("place", "string"),), steps), f"f{number}", Fit(3, 3, 3, 1.0), exhibits, keys=keys)
        kata = store.propose(made, NOW, number + 1)
        if number % 10 == 0:
            told = {"digest": kata.version.spec.digest, "actor": "cli", "verb": "approve", "now": NOW, "approved": True}
            told["name"] = f"it_{number}"
            names.append(store.transition(kata.id, before=(State.CANDIDATE,), after=State.ACTIVE, **told))
    for number in range(runs):
        kata = names[number % len(names)]
        about = (f"run{number}", kata.id, kata.tool, 1, kata.version.spec.digest, NOW + number, None, Status.UNKNOWN, "")
        store.begin_run(RunRow(*about, (), {"place": "a"}, f"s{number}"))
        done = [StepTrace(at, "terminal", Status.OK, Call("terminal", {"command": "x"}), {"output": "x"}) for at in range(3)]
        store.finish_run(f"run{number}", Status.OK, "", NOW + number + 1, done)


def _ran(command: str) -> Any:
    from kata.model import Call

    return Call("terminal", {"command": command})


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


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for name, usual in {"calls": 100_000, "candidates": 500, "runs": 5_000, "times": 20}.items():
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--json", action="store_true")
    wanted = parser.parse_args()
    load()
    kept: dict[str, Any] = {}
    from kata import executor
    from kata.dashboard import acts, desk
    from kata.door import Door
    from kata.service import Service
    from kata.settings import Settings
    from kata.store import Store

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.db"

        def visit() -> Any:
            store = Store(lambda: sqlite3.connect(path, check_same_thread=False, isolation_level=None))
            replay = lambda spec, given, send: executor.drive(executor.run(spec, given), send)  # noqa: E731 - as the door wants it
            return closing(store), Service(store, Settings(), Door(lambda: NOW + 20_000, replay, lambda tool: None, lambda name: False))

        open_, service = visit()
        with open_:
            filled(service, wanted.calls, wanted.candidates, wanted.runs)
        routes = {
            "overview": (desk.overview, {}),
            "katas": (desk.katas, {}),
            "katas?q=tool7": (desk.katas, {"q": "tool7"}),
            "katas/1": (acts.whole("1"), {}),
            "near": (desk.near, {}),
            "audit": (acts.decisions, {}),
            "runs": (desk.runs, {}),
            "runs/run1": (acts.ended("run1"), {}),
        }
        rows = {}
        for name, (act, query) in routes.items():

            def once(act: Any = act, query: Any = query) -> Any:
                open_, service = visit()
                with open_:
                    return desk.reply(act, service, desk.Asked(query, kept=kept))

            rows[name] = measured(once, wanted.times)
    if wanted.json:
        print(json.dumps({name: {"p50_ms": round(a, 2), "p95_ms": round(b, 2), "bytes": c} for name, (a, b, c) in rows.items()}, indent=1))
    else:
        print(f"{'address':<16}{'p50 ms':>10}{'p95 ms':>10}{'KiB':>8}")
        for name, (middle, high, size) in rows.items():
            print(f"{name:<16}{middle:>10.1f}{high:>10.1f}{size / 1024:>8.0f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
