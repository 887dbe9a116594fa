#!/usr/bin/env python3
"""Measures what Kata costs on generated histories of any length, through the plugin's own code; it judges no routine and promises no
seconds, since only ratios within one run say something on another machine.

    python scripts/bench.py [hook|turn|remine|windows|replay|start|memory|history|all] [--calls N ...] [--seed S] [--full] [--json]

hook     a call handed over by post_tool_call, also while the file is locked, beside an empty hook and a bare insert
turn     the end of a turn, counting apart from scoring and validation, with ever more calls in the file
remine   everything mined again at growing sizes with the exponent of its growth, beside one pass over the events, a counter of windows
         over integers, and `prefixspan` where that package is installed and finishes
windows  the windows of one turn, by its length
replay   a step of a kata, beside a plain loop over the same calls
start    `register` when Hermes starts, with up to 200 katas
memory   the peak of a process of its own that records a history and mines all of it again
history  `hermes kata learn`, in a home that the real Hermes' session database wrote; needs Hermes in this Python

Tables go to stdout; with --json they go to stderr, and stdout gets one JSON object. The same seed gives the same history. All parts
take some ten minutes of an idle machine, most of them for `turn`; `--calls 1000 10000` is quick.
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import itertools
import json
import math
import multiprocessing
import os
import platform
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

CHECKOUT = Path(__file__).resolve().parent.parent


def brought_in(name: str, path: Path, package: bool = False) -> ModuleType:
    """A module by its path, unless one of that name is there already."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=[str(path.parent)] if package else None)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


sys.dont_write_bytecode = True
brought_in("kata", CHECKOUT / "__init__.py", package=True)  # as Hermes does

from kata import executor, miner, recall, templating  # noqa: E402 - the package is brought in first
from kata.door import Door  # noqa: E402
from kata.history import History  # noqa: E402
from kata.model import Call, Event, Json, Kata, Outcome, Record, Spec, StepCall, Trace, Turn  # noqa: E402
from kata.service import Service  # noqa: E402
from kata.settings import Settings  # noqa: E402
from kata.store import Store  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parent))
from histories import EPOCH, WORDS, end_of, event_of, history, records, shell  # noqa: E402
from memory import peak_mib  # noqa: E402

SETTINGS = Settings()
LARGE = json.dumps({"output": "\n".join(f"{n:05d} one line of a long answer" for n in range(1_950)), "exit_code": 0, "error": None})
"""A result of 64 KiB."""
BATCH = 50
"""Records in one transaction, as many as the recorder's writer takes."""
LEARNT = 1_000
"""So many calls of a stored history are mined turn by turn, and every fiftieth turn after them; the others are counted alone."""
Row = dict[str, Json]

# ── The plugin without a host ────────────────────────────────────────────────────────────────────


def opened(path: Path) -> sqlite3.Connection:
    """A file as the host opens it where SQLite allows: with a write-ahead log."""
    db = sqlite3.connect(path, check_same_thread=False)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    return db


def desk(path: Path) -> Service:
    """The plugin's service on a file, with a clock that stands and no tool known in this process."""
    door = Door(lambda: EPOCH, _replayed, lambda tool: None, lambda name: False)
    return Service(Store(lambda: opened(path)), SETTINGS, door)


def _replayed(spec: Spec, given: Mapping[str, Json], send: Callable[[StepCall], Outcome]) -> Trace:
    return executor.drive(executor.run(spec, given), send)


def record(service: Service, turns: Iterable[Turn], told: Progress) -> None:
    """Put turns into the file through the masker, in batches like the writer's; all of them wait to be mined."""
    waiting: list[Record] = []
    for turn in turns:
        waiting += records(turn)
        if len(waiting) >= BATCH:
            service.record(waiting)
            waiting = []
        told(len(turn.events))
    service.record(waiting)


def count(service: Service, turn: str) -> None:
    """The first half of the end of a turn: its windows are counted and kept, and no family is looked at."""
    found = service.store.turn(turn)
    service.store.mined(turn, miner.windows(found, SETTINGS.max_steps) if found else {}, SETTINGS.min_support)


def pass_over(service: Service) -> None:
    """Take every family from the queue without looking at it."""
    while (waiting := service.store.family()) is not None:
        service.store.looked(*waiting)


def mine_some(service: Service, told: Progress, calls: int, whole: bool) -> None:
    """Count what waits; then mine the first calls and every fiftieth turn, or with `whole` everything, which is what a file that grew
    slowly would hold. `calls` is how many were there before."""
    chosen = []
    for number, name in enumerate(service.store.dirty()):
        found = service.store.turn(name)
        count(service, name)
        size = len(found.events) if found else 0
        calls += size
        if found and (calls <= LEARNT or number % 50 == 0):
            chosen.append(found)
        told(size)
    if not whole:
        pass_over(service)
    for one in chosen:
        service.record([end_of(one)])
        service.mine()
        told(0)
    if whole:
        with heard(f"turn: mining all of {calls} calls"):
            service.mine(None)
    pass_over(service)


@contextmanager
def heard(label: str) -> Iterator[None]:
    """Say every now and then that something which cannot tell how far it is still goes on."""
    told, over = Progress(label, 0), threading.Event()

    def speak() -> None:
        while not over.wait(1):
            told(0)

    threading.Thread(target=speak, daemon=True).start()
    try:
        yield
    finally:
        over.set()


def timed(work: Callable[[], object]) -> float:
    """Seconds of this process's own work: by the clock on the wall, whoever else uses the machine would be measured too."""
    began = time.process_time()
    work()
    return time.process_time() - began


class Progress:
    """Tells on stderr how far a long part is: after two seconds, then ever more rarely, at last twice a minute."""

    def __init__(self, label: str, total: int) -> None:
        self.label, self.total, self.done = label, total, 0
        self.began, self.next = time.monotonic(), 2.0

    def __call__(self, more: int) -> None:
        self.done += more
        passed = time.monotonic() - self.began
        if passed >= self.next:
            self.next = passed + min(passed, 30)
            done = f"{self.done} of {self.total}, " if self.total else ""
            say(f"{self.label}: {done}{passed:.0f} s")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


# ── The parts ────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Asked:
    """What a run is about: sizes (empty: those of the part), seed, whether the large sizes, seconds that one re-mine may take."""

    calls: tuple[int, ...]
    seed: int
    full: bool
    limit: float = 600.0
    turns: int = 80
    """Ends of turns that are measured at each size."""

    def sizes(self, usual: Sequence[int], full: Sequence[int] = ()) -> tuple[int, ...]:
        return tuple(sorted(set(self.calls))) or tuple(full if self.full and full else usual)


@dataclass(frozen=True)
class Found:
    """What one part measured: rows of a table, and what they come to."""

    rows: Sequence[Row]
    claims: Row
    note: str = ""


def spread(samples: Sequence[float], scale: float) -> Row:
    """Median, 95th and 99th percentile, scaled."""
    ordered = sorted(samples)
    at = {"median": 50, "p95": 95, "p99": 99}
    return {name: ordered[min(len(ordered) - 1, len(ordered) * percent // 100)] * scale for name, percent in at.items()}


def ratio(one: float, other: float) -> float:
    return round(one / other, 3) if other else math.inf


def hook(asked: Asked, folder: Path) -> Found:
    """microseconds for one call handed over by post_tool_call"""
    calls = max(asked.sizes([500], [5_000]))
    samples = {"empty hook": _empty_hook(calls, asked.seed), "bare insert": _bare_insert(calls, asked.seed, folder)}
    samples["post_tool_call"] = _handed_over(calls, asked.seed, folder / "calm", calm=True)
    samples["the same while a turn is mined"] = _handed_over(calls, asked.seed, folder / "busy", calm=False)
    samples["the same with 64 KiB results"] = _handed_over(calls, asked.seed, folder / "large", calm=True, result=LARGE)
    samples["the same while another holds the file"] = _shut_out(calls, asked.seed, folder / "locked")
    samples["64 KiB results, another holds the file"] = _shut_out(calls, asked.seed, folder / "shut", result=LARGE)
    samples["the same in a journal that is deleted"] = _handed_over(calls, asked.seed, folder / "rollback", calm=True, journal="DELETE")
    samples["64 KiB, held, a journal that is deleted"] = _shut_out(calls, asked.seed, folder / "all", result=LARGE, journal="DELETE")
    rows = [{"what": name, "calls": len(took), **spread(took, 1e6)} for name, took in samples.items()]
    by_name = {row["what"]: row["median"] for row in rows}
    claims = {f"post_tool_call / {name}": ratio(by_name["post_tool_call"], by_name[name]) for name in ("empty hook", "bare insert")}
    worst = {f"highest {name} of the plugin's": max(row[name] for row in rows[2:]) for name in ("median", "p99")}
    return Found(rows, claims | worst, "microseconds by the wall; the writer's thread works beside it")


def payload(event: Event, session: str, result: str = "") -> Row:
    """What Hermes tells post_tool_call, with the event's own result unless another is given."""
    ids = {"session_id": session, "task_id": session, "turn_id": event.turn, "tool_call_id": event.call_id}
    asked = {"tool_name": event.call.tool, "args": dict(event.call.arguments), "api_request_id": event.request}
    return {**ids, **asked, "result": result or json.dumps(event.outcome.result), "status": "ok", "duration_ms": 12}


def _empty_hook(calls: int, seed: int) -> list[float]:
    def nothing(**payload: Json) -> None:
        return None

    told = (payload(event, turn.conversation) for turn in history(calls, seed) for event in turn.events)
    return [_call(nothing, one) for one in told]


def _call(hook: Callable[..., object], told: Row) -> float:
    """Seconds on the wall, which is what a hook keeps the agent waiting."""
    began = time.perf_counter()
    hook(**told)
    return time.perf_counter() - began


def _bare_insert(calls: int, seed: int, folder: Path) -> list[float]:
    """One row and one commit for each call, with nothing masked or judged."""
    with closing(opened(folder / "bare.db")) as db:
        db.isolation_level = None
        db.execute("CREATE TABLE calls (tool TEXT, arguments TEXT, result TEXT)")
        took = []
        for event in (event for turn in history(calls, seed) for event in turn.events):
            told = {"tool": event.call.tool, "arguments": json.dumps(event.call.arguments), "result": json.dumps(event.outcome.result)}
            took.append(_call(lambda **told: db.execute("INSERT INTO calls VALUES (:tool, :arguments, :result)", told), told))
        return took


def _shut_out(calls: int, seed: int, folder: Path, result: str = "", journal: str = "WAL") -> list[float]:
    """Calls of one turn while another connection holds the lock of the file for writing; they are written when it lets go."""
    host, told = _worn(folder, journal), {"session_id": "locked", "task_id": "locked", "turn_id": "locked"}
    host.hooks["pre_llm_call"](user_message="again", platform="cli", parent_session_id="", **told)
    host.hooks["on_session_finalize"](session_id="locked", platform="cli", reason="shutdown")
    (file,) = folder.rglob("*.db")
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        events = (event for turn in history(calls, seed, folder.name) for event in turn.events)
        took = [_call(host.hooks["post_tool_call"], payload(event, "locked", result) | told) for event in events]
    host.unload()
    return took


def _worn(folder: Path, journal: str = "WAL") -> Any:
    """The real plugin on the demo's stand-in host, on a file with that journal."""
    host, register = _stand_in(folder, journal)
    register(host)
    return host


def _stand_in(folder: Path, journal: str) -> tuple[Any, Callable[[Any], None]]:
    """The stand-in host and the plugin's `register`, which is still to be called."""
    demo = brought_in("kata_demo_host", CHECKOUT / "scripts" / "demo.py")
    (folder / "project").mkdir(parents=True, exist_ok=True)
    host = demo.Host(folder / "project")
    file = folder / "home" / "plugin-data" / "kata" / "data.db"
    file.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(file)) as db:
        db.execute(f"PRAGMA journal_mode = {journal}")
    sys.modules.pop("kata_demo", None)
    return host, demo.load(folder, host)


def _handed_over(calls: int, seed: int, folder: Path, calm: bool, result: str = "", journal: str = "WAL") -> list[float]:
    """Every call of so many; `calm` waits after each turn until it is mined; a `result` stands in the place of every call's own."""
    host, took, told = _worn(folder, journal), [], Progress("hook", calls)
    for turn in history(calls, seed, folder.name):
        ids = {"session_id": turn.conversation, "task_id": turn.conversation, "turn_id": turn.id}
        host.hooks["pre_llm_call"](user_message="again", platform="cli", parent_session_id="", **ids)
        took += [_call(host.hooks["post_tool_call"], payload(event, turn.conversation, result)) for event in turn.events]
        host.hooks["on_session_end"](completed=True, platform="cli", **ids)
        if calm:
            host.hooks["on_session_finalize"](session_id=turn.conversation, platform="cli", reason="shutdown")
        told(len(turn.events))
    host.unload()
    return took


def turn(asked: Asked, folder: Path) -> Found:
    """milliseconds of processor time for the end of a turn, by the calls in the file"""
    sizes = asked.sizes([1_000, 10_000, 100_000])
    desks = {size: desk(path) for size, path in snapshots(sizes, asked.seed, folder, asked.full).items()}
    took: dict[int, list[Ended]] = {size: [] for size in sizes}
    told = Progress("turn: turns measured", asked.turns)
    for one in itertools.islice(history(10**9, asked.seed, "probe"), asked.turns):
        for size, service in desks.items():  # one after the other, so that a busy machine is unfair to none
            took[size].append(_ended(service, one))
        told(1)
    for service in desks.values():
        service.store.close()
    rows = [_weighed(size, ends) for size, ends in took.items()]
    names = ("counting", "scoring", "a family", "median", "p95")
    claims = {f"{name} {sizes[-1]} / {sizes[0]}": ratio(rows[-1][name], rows[0][name]) for name in names}
    return Found(rows, claims, "milliseconds; scoring is with validation; median and p95 of both together")


@dataclass(frozen=True)
class Ended:
    """The end of one turn: seconds for its windows alone and for all of it, and how many families were looked at."""

    counting: float
    whole: float
    families: int


def _ended(service: Service, one: Turn) -> Ended:
    """End a turn that was just recorded. What was counted apart is counted again inside, as it is without us."""
    service.record(records(one))
    counting = timed(functools.partial(count, service, one.id))
    service.record([end_of(one)])
    began = time.process_time()
    found = service.mine()
    return Ended(counting, time.process_time() - began, len(found.looked))


def _weighed(size: int, ends: Sequence[Ended]) -> Row:
    """Means, median and 95th percentile in milliseconds."""
    counting, whole, families = (statistics.mean(getattr(one, name) for one in ends) for name in ("counting", "whole", "families"))
    scoring = max(0.0, whole - counting) * 1e3
    parts = {"stored calls": size, "turns": len(ends), "counting": counting * 1e3, "scoring": scoring}
    return {**parts, "families": families, "a family": scoring / families if families else 0.0, **spread([one.whole for one in ends], 1e3)}


def snapshots(sizes: Sequence[int], seed: int, folder: Path, whole: bool = False) -> dict[int, Path]:
    """One history, copied when it has each of those sizes."""
    path, made, stream = folder / "growing.db", 0, history(sizes[-1], seed)
    told, copies = Progress("turn: calls recorded", 2 * sizes[-1]), {}
    for size in sizes:
        part = list(_until(stream, size - made))
        service = desk(path)
        record(service, part, told)
        mine_some(service, told, made, whole)
        service.store.close()
        made += sum(len(one.events) for one in part)
        copies[size] = folder / f"with{size}.db"
        shutil.copy(path, copies[size])
    return copies


def _until(stream: Iterator[Turn], calls: int) -> Iterator[Turn]:
    """Turns until they hold so many calls."""
    while calls > 0 and (one := next(stream, None)) is not None:
        calls -= len(one.events)
        yield one


def remine(asked: Asked, folder: Path) -> Found:
    """seconds of processor time to mine everything again, by the calls in the file"""
    rows: list[Row] = []
    left: Row = {}
    for size in asked.sizes([1_000, 3_000, 10_000], [5_000, 20_000, 100_000, 500_000]):
        guess = _expected(_points(rows, "re-mine"), size)
        if guess > asked.limit:
            left[f"{size} calls not run"] = f"some {guess:.0f} s by the growth so far; --limit is {asked.limit:.0f}"
        else:
            rows.append(_mined_again(size, asked, folder))
    names = [name for name in ("re-mine", "one pass", "counter", "prefixspan") if len(_points(rows, name)) > 1]
    growth = {f"exponent of {name}": exponent(_points(rows, name)) for name in names}
    last = rows[-1]
    others = [name for name in ("one pass", "counter", "prefixspan") if isinstance(last[name], float)]
    beside = {f"re-mine / {name} at {last['calls']}": ratio(last["re-mine"], last[name]) for name in others}
    note = "seconds; counter and prefixspan see integers only: no file, values, templates"
    return Found(rows, growth | beside | left, note)


def _points(rows: Sequence[Row], name: str) -> list[tuple[float, float]]:
    return [(row["calls"], row[name]) for row in rows if isinstance(row[name], float)]


def _mined_again(size: int, asked: Asked, folder: Path) -> Row:
    path = folder / f"mined{size}.db"
    service, told = desk(path), Progress(f"remine: calls of {size} recorded", 2 * size)
    record(service, history(size, asked.seed), told)
    for name in service.store.dirty():
        count(service, name)
        told(0)
    pass_over(service)
    with heard(f"remine: mining {size} calls again"):
        took = timed(service.remine)
    row: Row = {"calls": size, "re-mine": took, "ms/call": took / size * 1e3, "katas": len(service.katas()), "peak MiB": peak_mib()}
    logs = coded(service.store.turns())
    row |= {"one pass": timed(lambda: sum(1 for _ in service.store.turns())), "counter": timed(lambda: levelwise(logs))}
    row |= {"prefixspan": spans_of(logs, min(asked.limit, 60.0))}
    service.store.close()
    path.unlink()
    return row


Logs = list[tuple[str, list[int]]]
"""Conversation and the keys of one run, as integers."""


def coded(turns: Iterable[Turn]) -> Logs:
    """The runs of a history as any miner of sequences would be given them."""
    codes: dict[str, int] = {}
    return [
        (turn.conversation, [codes.setdefault(miner.key(event.call), len(codes)) for event in run])
        for turn in turns
        for run in miner.runs(turn)
    ]


def levelwise(logs: Logs, least: int = SETTINGS.min_support, longest: int = SETTINGS.max_steps) -> dict[tuple[int, ...], int]:
    """Windows of integers in at least `least` conversations: of each length only those whose two shorter windows are frequent."""
    found: dict[tuple[int, ...], int] = {}
    for size in range(1, longest + 1):
        chats: dict[tuple[int, ...], set[str]] = defaultdict(set)
        for chat, keys in logs:
            for first in range(len(keys) - size + 1):
                window = tuple(keys[first : first + size])
                if size == 1 or window[1:] in found and window[:-1] in found:
                    chats[window].add(chat)
        level = {window: len(held) for window, held in chats.items() if len(held) >= least}
        if not level:
            break
        found |= level
    return found


def spans_of(logs: Logs, limit: float) -> float | str:
    """Seconds that `prefixspan` takes for the same runs, in a process of its own; else why there is no figure."""
    if importlib.util.find_spec("prefixspan") is None:
        return "not installed"
    context = multiprocessing.get_context("fork" if "fork" in multiprocessing.get_all_start_methods() else None)
    answers = context.SimpleQueue()
    child = context.Process(target=_spanned, args=(logs, answers), daemon=True)
    child.start()
    child.join(limit)
    if child.is_alive():
        child.kill()
        child.join()
        return f"over {limit:.0f} s"
    return float(answers.get()) if child.exitcode == 0 else "failed"


def _spanned(logs: Logs, answers: multiprocessing.SimpleQueue[float]) -> None:
    from prefixspan import PrefixSpan

    spans = PrefixSpan([keys for _, keys in logs])
    spans.minlen, spans.maxlen = 2, SETTINGS.max_steps
    answers.put(timed(lambda: spans.frequent(SETTINGS.min_support)))


def exponent(points: Sequence[tuple[float, float]]) -> float:
    """The slope of a straight line through the logarithms: 1 is linear, 2 quadratic."""
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    return round(statistics.linear_regression(xs, ys).slope, 3)


def _expected(points: Sequence[tuple[float, float]], size: int) -> float:
    """Seconds that a size will take, by the growth so far; 0 where nothing is known."""
    if len(points) < 2:
        return 0.0
    (x, y), slope = points[-1], max(1.0, exponent(points[-2:]))
    return float(y * (size / x) ** slope)


def windows(asked: Asked, folder: Path) -> Found:
    """milliseconds for the windows of one turn, by its calls"""
    service = desk(folder / "windows.db")
    rows = [_counted(service, _long_turns(size, asked.seed, 20 if asked.full else 5)) for size in asked.sizes([4, 16, 64, 256])]
    service.store.close()
    points = [(row["calls"], row["counting"]) for row in rows]
    note = f"milliseconds; a window holds at most {SETTINGS.max_steps} steps"
    return Found(rows, {"exponent of counting": exponent(points)} if len(points) > 1 else {}, note)


def _counted(service: Service, turns: Sequence[Turn]) -> Row:
    """How long the windows of turns of one length take, and to keep them; medians."""
    counting, storing, sizes = [], [], []
    for one in turns:
        service.record(records(one))
        counting.append(timed(functools.partial(miner.windows, one, SETTINGS.max_steps)))
        found = miner.windows(one, SETTINGS.max_steps)
        storing.append(timed(functools.partial(service.store.mined, one.id, found)))
        sizes.append(len(found))
    calls, took = len(turns[0].events), statistics.median(counting) * 1e3
    figures = {"counting": took, "storing": statistics.median(storing) * 1e3, "counting/call": took / calls}
    return {"calls": calls, "windows": statistics.median_high(sizes), **figures}


def _long_turns(size: int, seed: int, number: int) -> list[Turn]:
    """Turns of exactly so many calls."""
    events = (event for one in history(size * number, seed, f"long{size}") for event in one.events)
    made = []
    for n in range(number):
        told = [(one.call.tool, one.call.arguments, one.outcome.result) for one in itertools.islice(events, size)]
        name = f"long{size}_{n}"
        made.append(Turn(name, f"chat{n}", "person", EPOCH, tuple(event_of(name, at, one, EPOCH) for at, one in enumerate(told))))
    return made


@dataclass(frozen=True)
class Play:
    """A kata with one of its examples: the inputs that make it repeat the calls, and what the tools answered."""

    kata: Kata
    given: Mapping[str, Json]
    calls: Sequence[Call]
    answers: Sequence[str]

    def answer(self, asked: StepCall) -> Outcome:
        """Stands for a tool that takes no time."""
        return Outcome.read(self.answers[asked.index])

    def plainly(self) -> list[Outcome]:
        """The same calls, answered in the same way, by nothing but a loop."""
        return [self.answer(StepCall(index, call)) for index, call in enumerate(self.calls)]


def replay(asked: Asked, folder: Path) -> Found:
    """microseconds for one step of a kata"""
    runs = max(asked.sizes([200], [2_000]))
    service, names, told = desk(folder / "replay.db"), (f"run{n}" for n in itertools.count()), Progress("replay: runs", 3 * runs)
    plays = played(service, asked.seed)
    ways: Mapping[str, Callable[[Play], object]] = {
        "plain loop": Play.plainly,
        "executor": lambda one: executor.drive(executor.run(one.kata.version.spec, one.given), one.answer),
        "executor with its rows": lambda one: service.start(one.kata, one.given, next(names), "", one.answer),
    }
    took: dict[str, list[float]] = {way: [] for way in ways}
    for one in itertools.islice(itertools.cycle(plays), runs):
        for way, replayed in ways.items():
            took[way].append(timed(functools.partial(replayed, one)) / len(one.calls))
            told(1)
    service.store.close()
    rows = [{"what": way, "runs": len(samples), **spread(samples, 1e6)} for way, samples in took.items() if samples]
    claims = {f"{row['what']} / plain loop": ratio(row["median"], rows[0]["median"]) for row in rows[1:]}
    return Found(rows, {"katas": len(plays), **claims}, "microseconds; every tool answers at once from the recorded example")


def played(service: Service, seed: int) -> list[Play]:
    """The katas of a short history that repeat their newest example."""
    for one in history(LEARNT // 2, seed):
        service.record(records(one))
        service.mine()
    plays = []
    for kata in service.katas():
        example = miner.trimmed(kata.version.exhibits[0])
        given = templating.match(kata.version.spec, example.calls, example.results)
        if given is not None:
            plays.append(Play(kata, given, example.calls, [json.dumps(result) for result in example.results]))
    return plays


KATAS = 200


def start(asked: Asked, folder: Path) -> Found:
    """milliseconds that `register` takes when Hermes starts, by the number of katas"""
    rows: list[Row] = []
    for katas in asked.sizes([0, 20, KATAS]):
        place, told = folder / str(katas), Progress(f"start: katas of {katas}", katas)
        took = []
        for _ in range(5):
            host, register = _stand_in(place, "WAL")
            if not took:
                approved(place / "home" / "plugin-data" / "kata" / "data.db", katas, told)
            took.append(timed(functools.partial(register, host)))
            tools = sum(name.startswith("kata_") for name in host.registry.tools) - 2
            host.unload()
        rows.append({"katas": katas, "tools": tools, "median": statistics.median(took) * 1e3, "worst": max(took) * 1e3})
    return Found(rows, {"ms for one kata more": round((rows[-1]["median"] - rows[0]["median"]) / max(1, rows[-1]["katas"]), 3)})


def approved(file: Path, katas: int, told: Progress) -> None:
    """Have the plugin learn and approve so many routines of three commands."""
    service = desk(file)
    for n in range(katas):
        for word in WORDS[:3]:
            lines = f"fetch{n} {word}", f"join{n} {word} all", f"send{n} {word}"
            turn = Turn(f"t{n}{word}", f"c{n}{word}", "person", EPOCH)
            turn = replace(turn, events=tuple(event_of(turn.id, at, shell(line, "done"), EPOCH) for at, line in enumerate(lines)))
            service.record(records(turn))
            service.mine()
        kata = max(service.katas(), key=lambda one: one.id)
        service.review(str(kata.id), "cli")
        service.approve(str(kata.id), f"chore_{n}", "cli")
        told(1)
    service.store.close()


def memory(asked: Asked, folder: Path) -> Found:
    """MiB at the peak of a process that records a history and mines all of it again"""
    rows: list[Row] = []
    for size in asked.sizes([500, 2_000, 8_000], [5_000, 20_000, 100_000]):
        words = [sys.executable, __file__, "remine", "--calls", str(size), "--seed", str(asked.seed), "--json"]
        done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
        (row,) = json.loads(done.stdout)["parts"]["remine"]["rows"]
        rows.append({"calls": size, "peak MiB": row["peak MiB"]})
    first, last = rows[0], rows[-1]
    grown = (last["peak MiB"] - first["peak MiB"]) / max(1, last["calls"] - first["calls"]) * 1024
    return Found(rows, {"KiB for each further call": round(grown, 2)}, "measured before the baselines run")


CALLS_A_SESSION = 20


def past(asked: Asked, folder: Path) -> Found:
    """seconds to read the conversations that Hermes kept, and to find what repeats in them"""
    if importlib.util.find_spec("hermes_state") is None:
        return Found([], {}, "not measured: there is no Hermes in this Python")
    rows: list[Row] = []
    for size in asked.sizes([20_000], [20_000, 100_000]):
        home = folder / str(size)
        writer = multiprocessing.get_context("fork").Process(target=kept_home, args=(home, size, asked.seed))
        writer.start()
        writer.join()
        os.environ["HERMES_HOME"] = str(home)
        service = desk(home / "kata.db")
        door = replace(service.door, archive=History(), clock=lambda: EPOCH + 4e7)
        service = Service(service.store, SETTINGS, door)
        took: list[float] = []
        for _ in range(2):
            began = time.monotonic()
            with heard(f"history: learning from {size} calls"):
                told = recall.learn(service, 3_650)
            took.append(time.monotonic() - began)
            found = service.katas()
        facts = service.store.facts()
        rows.append(
            {"calls": facts["calls"], "sessions": facts["conversations"], "proposals": len(found), "s": took[0], "again s": took[1]}
            | {"peak MiB": peak_mib(), "read twice": told.turns}
        )
        service.store.close()
    return Found(rows, {}, "by the clock on the wall, with the finding of routines")


def kept_home(home: Path, calls: int, seed: int) -> None:
    """A home with so many calls in the host's own session database, some twenty in a session."""
    home.mkdir(parents=True)
    os.environ["HERMES_HOME"] = str(home)
    from hermes_state import SessionDB

    db = SessionDB(home / "state.db")
    name, room = "", 0
    for one in history(calls, seed):
        if room <= 0:
            name, room = f"s{one.id}", CALLS_A_SESSION
            db.create_session(name, "cli", cwd="/srv/work")
        db.append_messages_batch(name, messages(one))
        room -= len(one.events)
    db.close()


def messages(turn: Turn) -> list[Row]:
    """A turn as the host keeps it."""
    rows: list[Row] = [{"role": "user", "content": "Please do it again", "timestamp": turn.started}]
    for event in turn.events:
        function = {"name": event.call.tool, "arguments": json.dumps(event.call.arguments)}
        name = f"{turn.id}-{event.call_id}"
        rows.append({"role": "assistant", "content": "", "tool_calls": [{"id": name, "type": "function", "function": function}]})
        rows[-1]["timestamp"] = event.started
        answer = json.dumps(event.outcome.result)
        rows.append({"role": "tool", "content": answer, "tool_call_id": name, "tool_name": event.call.tool, "timestamp": event.ended})
    return [*rows, {"role": "assistant", "content": "Done.", "timestamp": end_of(turn).at}]


PARTS: Mapping[str, Callable[[Asked, Path], Found]] = {
    part.__name__: part for part in (hook, windows, turn, remine, replay, start, memory)
} | {"history": past}

# ── For a person and for a program ───────────────────────────────────────────────────────────────


def table(rows: Sequence[Row]) -> str:
    """Rows under the names of their columns, words to the left and numbers to the right."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    lines = [names, *([_shown(row.get(name)) for name in names] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    left = [all(isinstance(row.get(name, ""), str) for row in rows) for name in names]
    pad = [str.ljust if word else str.rjust for word in left]
    return "\n".join("  ".join(put(cell, width) for put, cell, width in zip(pad, line, widths, strict=True)).rstrip() for line in lines)


def _shown(value: Json) -> str:
    """A figure with three digits that count."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, int) or abs(value) >= 100 or value == 0:
        return f"{value:.0f}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"


def shown(name: str, found: Found, seconds: float) -> str:
    """One part as a table with what it comes to."""
    lines = [f"── {name}: {PARTS[name].__doc__} ({seconds:.0f} s)", table(found.rows)]
    lines += [f"   {claim}: {_shown(value)}" for claim, value in found.claims.items()]
    return "\n".join([*lines, f"   ({found.note})"] if found.note else lines)


def measured(names: Sequence[str], asked: Asked, out: Callable[[str], None]) -> Row:
    """Run the parts one after the other, each in a folder of its own, and give back the report."""
    parts: Row = {}
    for name in names:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="kata-bench-") as folder:
            found = PARTS[name](asked, Path(folder))
        seconds = round(time.monotonic() - began, 1)
        out(shown(name, found, seconds) + "\n")
        parts[name] = {"rows": list(found.rows), "claims": found.claims, "note": found.note, "seconds": seconds}
    where = {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version, "machine": platform.machine()}
    return {"seed": asked.seed, "full": asked.full, **where, "parts": parts, "peak_mib": peak_mib()}


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


_count.__name__ = "count (at least 1)"


def parser() -> argparse.ArgumentParser:
    """The words that the script understands."""
    top = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("part", nargs="?", default="all", choices=[*PARTS, "all"], help="what to measure (all)")
    sizes = "sizes instead of the usual ones: calls stored (turn, remine, memory), calls of a turn (windows), repeats (hook, replay)"
    top.add_argument("--calls", type=_count, nargs="+", default=[], metavar="N", help=sizes)
    top.add_argument("--seed", type=int, default=1, help="of the generated history (1)")
    top.add_argument("--full", action="store_true", help="the published sizes: re-mine up to 500,000 calls; takes an hour or more")
    top.add_argument("--limit", type=float, default=0.0, metavar="S", help="skip a re-mine that would take longer (600, full 3,600)")
    top.add_argument("--turns", type=_count, default=0, metavar="N", help="ends of turns that `turn` measures (80, full 400)")
    top.add_argument("--json", action="store_true", help="one JSON object on stdout, the tables on stderr")
    return top


def main(words: Sequence[str] | None = None) -> int:
    """Measure what is asked for, and say it."""
    given = parser().parse_args(words)
    limit, turns = given.limit or (3_600.0 if given.full else 600.0), given.turns or (400 if given.full else 80)
    asked = Asked(tuple(given.calls), given.seed, given.full, limit, turns)
    report = measured(list(PARTS) if given.part == "all" else [given.part], asked, say if given.json else print)
    if given.json:
        print(json.dumps(report, indent=1, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
