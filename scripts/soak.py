#!/usr/bin/env python3
"""Lets a month go by in minutes: some hundred conversations a day on one file, each mined at its end, and what is too old is forgotten;
tells how large the file and the process are and what the end of a turn costs, day by day. It judges nothing and waits for nothing.

    python scripts/soak.py [--days 30] [--conversations 300] [--retention 7] [--seed 1] [--json]

The claim is flat: what the last third of the days measures, against the third of days after retention set in. A table goes to stdout (with
--json to stderr, and stdout gets one JSON object).
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import bench

from kata.door import Door
from kata.model import Turn
from kata.service import Service
from kata.settings import Settings
from kata.store import Store

DAY_S = 86_400.0


@dataclass
class Clock:
    """The time that the conversations come at, epoch seconds."""

    now: float = bench.EPOCH

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True)
class Day:
    """One day at its end: turns and calls that are kept, megabytes of the file with its log and of the process, and what the end of a turn
    took: median and 95th percentile, milliseconds of processor time."""

    day: int
    turns: int
    calls: int
    file: float
    memory: float
    median: float
    p95: float


def moved(turn: Turn, name: str, at: float) -> Turn:
    """The same turn in a conversation of its own at another time."""
    shift = at - turn.started
    events = tuple(replace(one, turn=name, started=one.started + shift, ended=one.ended + shift) for one in turn.events)
    return Turn(name, f"chat {name}", turn.who, at, events)


def conversations(number: int, seed: int, start: float) -> Iterator[Turn]:
    """That many conversations of one turn each, in even steps from one day to the next."""
    made = bench.history(10**9, seed, f"soak {start:.0f}")
    for at in range(number):
        yield moved(next(made), f"t{start:.0f}.{at}", start + at * DAY_S / number)


def lived(service: Service, clock: Clock, turns: Iterator[Turn]) -> list[float]:
    """Record and end each turn; seconds of processor time for each end."""
    took = []
    for one in turns:
        clock.now = max(clock.now, one.started)
        service.record(bench.records(one))
        began = time.process_time()
        service.mine()
        took.append(time.process_time() - began)
    return took


def resident() -> float:
    """Megabytes that this process holds now; 0 where that cannot be told."""
    try:
        return int(Path(f"/proc/{os.getpid()}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except OSError:
        return 0.0


def days(folder: Path, number: int, each: int, retention: int, seed: int) -> Iterator[Day]:
    """That many days on one file."""
    path, clock = folder / "soak.db", Clock()
    door = Door(clock, lambda spec, given, send: bench.executor.drive(bench.executor.run(spec, given), send), lambda tool: None, bool)
    service = Service(Store(lambda: bench.opened(path)), Settings(retention_days=retention), door)
    with closing(service.store):
        for day in range(number):
            took = lived(service, clock, conversations(each, seed, bench.EPOCH + day * DAY_S))
            facts = service.store.facts()
            size = sum(one.stat().st_size for one in folder.glob("soak.db*")) / 1e6
            p95 = statistics.quantiles(took, n=20)[-1] if len(took) > 1 else took[0]
            yield Day(day + 1, facts["turns"], facts["calls"], size, resident(), statistics.median(took) * 1e3, p95 * 1e3)


def flat(found: Sequence[Day], retention: int) -> dict[str, float]:
    """For each figure the mean of the last third of the days, divided by that of the first third after retention set in."""
    after = [one for one in found if one.day > retention + 1]
    third = max(1, len(after) // 3)
    names = ("turns", "calls", "file", "memory", "median", "p95")
    first, last = after[:third], after[-third:]
    means = {name: [statistics.mean(getattr(one, name) for one in part) for part in (first, last)] for name in names} if after else {}
    return {name: round(late / early, 2) if early else 0.0 for name, (early, late) in means.items()}


def parsed(words: Sequence[str] | None) -> argparse.Namespace:
    top = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("days", 30), ("conversations", 300), ("retention", 7), ("seed", 1)):
        top.add_argument(f"--{name}", type=int, default=default, metavar="N")
    top.add_argument("--json", action="store_true")
    return top.parse_args(words)


def main(words: Sequence[str] | None = None) -> int:
    asked, found = parsed(words), list[Day]()
    out = sys.stderr if asked.json else sys.stdout
    print(f"{asked.conversations} conversations a day, {asked.retention} days are kept; sqlite {sqlite3.sqlite_version}", file=out)
    print(" day   turns   calls  file MB  memory MB  end of turn ms (median)   p95", file=out)
    with tempfile.TemporaryDirectory(prefix="kata-soak-") as folder:
        for one in days(Path(folder), asked.days, asked.conversations, asked.retention, asked.seed):
            found.append(one)
            figures = f"{one.file:8.1f} {one.memory:10.0f} {one.median:24.1f} {one.p95:5.1f}"
            print(f"{one.day:4} {one.turns:7} {one.calls:7} {figures}", file=out, flush=True)
    claims = flat(found, asked.retention)
    print("last third / first third after retention set in: " + ", ".join(f"{name} {value}" for name, value in claims.items()), file=out)
    if asked.json:
        print(json.dumps({"days": [asdict(one) for one in found], "flat": claims}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
