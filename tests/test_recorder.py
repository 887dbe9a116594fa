"""The recorder: what becomes of payloads, in which order, and of those that are none; on a real file, with its real thread."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kata import executor
from kata.door import Door
from kata.history import UNKNOWN, Origin
from kata.model import Call, Event, Status
from kata.recorder import QUEUE, Recorder
from kata.service import Service
from kata.settings import Settings
from kata.store import Store

from .stand_in import SCHEMAS, locked, parameters

PATIENCE = 5.0
"""Seconds that a test lets the writer work before it gives up; it takes milliseconds."""
S1 = "20261130_100000_aaaaaa"
T1 = f"{S1}:{S1}:00000001"


def schema(tool: str) -> Any:
    return parameters(SCHEMAS[tool]) if tool in SCHEMAS else None


@dataclass
class Bench:
    """A recorder on a file, and what it complained of."""

    file: Path
    schema: Callable[[str], Any] = schema
    patience: float = 2.0
    faults: list[str] = field(default_factory=list)
    room: int = QUEUE
    origin: Callable[[str], Origin] = lambda session: UNKNOWN
    around: Callable[[str, float], Mapping[str, str]] = lambda folder, at: {}

    def __post_init__(self) -> None:
        self.store = Store(lambda: sqlite3.connect(self.file, check_same_thread=False), patience=self.patience)
        door = Door(lambda: 1_000.0, lambda spec, inputs, send: executor.drive(executor.run(spec, inputs), send), lambda tool: None, bool)
        service = Service(self.store, Settings(), door)
        self.recorder = Recorder(service, self.schema, self.faults.append, self.origin, self.room, self.around)

    def turn(self, turn: str = T1, session: str = S1, at: float = 100.0, **payload: Any) -> None:
        self.recorder.put("turn", at, {"turn_id": turn, "session_id": session, "platform": "cli", "user_message": "do it"} | payload)

    def call(self, call_id: str, turn: str = T1, at: float = 110.0, **payload: Any) -> None:
        told = {"turn_id": turn, "tool_name": "terminal", "args": {"command": "ls"}, "result": "{}", "tool_call_id": call_id}
        self.recorder.put("call", at, told | payload)

    def request(self, *call_ids: str, turn: str = T1, at: float = 105.0, **payload: Any) -> None:
        message = {"tool_calls": [{"id": one} for one in call_ids]}
        self.recorder.put("request", at, {"turn_id": turn, "api_request_id": f"{turn}:api:{at}", "assistant_message": message} | payload)

    def end(self, turn: str = T1, at: float = 120.0) -> None:
        self.recorder.put("end", at, {"turn_id": turn})

    def written(self) -> None:
        assert self.recorder.flush(PATIENCE, mined=False)

    def events(self, turn: str = T1) -> tuple[Event, ...]:
        self.written()
        found = self.store.turn(turn)
        return found.events if found else ()

    def kept(self, turn: str = T1) -> list[str]:
        return [event.call_id for event in self.events(turn)]

    def only(self) -> Event:
        (event,) = self.events()
        return event

    def close(self) -> None:
        self.recorder.stop()
        self.store.close()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with closing(Bench(tmp_path / "data.db")) as one:
        yield one


def fresh(folder: str) -> closing[Bench]:
    return closing(Bench(Path(folder) / "data.db"))


def test_what_was_around_a_call_when_it_began_is_asked_on_the_writers_thread_and_kept_masked(tmp_path: Path) -> None:
    """T28: with the folder of the call and the time at which it began; a hook never waits for it."""
    asked: list[tuple[str, float, str]] = []
    token = "ghp_" + "Ab3dE6gH9j" * 3 + "Kl2mN4"

    def around(folder: str, at: float) -> Mapping[str, str]:
        asked.append((folder, at, threading.current_thread().name))
        return {"branch": f"fix-{token}", "today": "2026-03-04"}

    with closing(Bench(tmp_path / "data.db", around=around)) as one:
        one.turn()
        one.call("c1", folder="/srv/shop", duration_ms=2_000)
        event = one.only()
    assert asked == [("/srv/shop", 108.0, "kata-writer")]
    assert event.around["today"] == "2026-03-04" and token not in event.around["branch"]


# ── The thread ───────────────────────────────────────────────────────────────────────────────────


def test_the_writer_starts_with_the_first_event_and_ends_with_stop(bench: Bench) -> None:
    """One thread, started by the first event."""
    before = set(threading.enumerate())
    bench.turn()
    bench.call("c1")
    (writer,) = set(threading.enumerate()) - before
    assert writer.daemon
    bench.recorder.stop()
    assert not writer.is_alive()
    assert [event.call_id for event in bench.store.turn(T1).events] == ["c1"]  # type: ignore[union-attr]


def test_stop_without_an_event_starts_nothing(bench: Bench) -> None:
    before = set(threading.enumerate())
    bench.recorder.stop()
    bench.turn()
    assert set(threading.enumerate()) <= before


def test_fifty_events_are_taken_up_without_anybody_asking(tmp_path: Path) -> None:
    """A batch is fifty events or one second."""
    asked: set[str] = set()
    done = threading.Event()

    def seen(tool: str) -> Any:
        asked.add(tool)
        if len(asked) == 49:
            done.set()

    with closing(Bench(tmp_path / "data.db", schema=seen)) as bench:
        bench.turn()
        for number in range(49):
            bench.call(f"c{number}", tool_name=f"tool_{number}")
        assert done.wait(PATIENCE)


def test_a_flush_that_cannot_be_done_in_time_says_so(bench: Bench) -> None:
    """A1, B28: a hook waits a bounded time for a busy file; nothing is lost when the file is free in time."""
    bench.turn()
    bench.written()
    with locked(bench.file):
        bench.call("c1")
        assert not bench.recorder.flush(0.05, mined=False)
    assert bench.kept() == ["c1"]


def test_a_full_queue_drops_and_counts_and_does_not_wait(tmp_path: Path) -> None:
    """The recorder may lose a row; it may not block a call."""
    gate = threading.Event()
    with closing(Bench(tmp_path / "data.db", schema=lambda tool: gate.wait(PATIENCE) and None)) as bench:
        bench.turn()
        bench.call("c0")
        for number in range(1, QUEUE + 200):
            bench.call(f"c{number}")
        assert 0 < bench.recorder.dropped <= 200
        gate.set()


def test_the_thread_ends_although_the_queue_is_full(tmp_path: Path) -> None:
    """At a reload `on_unload` stops the writer; the word for it must not be what finds no room."""
    gate, before = threading.Event(), set(threading.enumerate())
    with closing(Bench(tmp_path / "data.db", schema=lambda tool: gate.wait(PATIENCE) and None, room=40)) as bench:
        bench.turn()
        for number in range(60):
            bench.call(f"c{number}")
        (writer,) = set(threading.enumerate()) - before
        bench.recorder.stop()
        gate.set()
        writer.join(PATIENCE)
        assert not writer.is_alive()


def test_a_turn_that_ended_is_mined_behind_its_back(bench: Bench) -> None:
    """A1."""
    bench.turn()
    bench.call("c1")
    bench.end()
    assert bench.recorder.flush(PATIENCE, mined=True)
    assert (bench.store.dirty(), bench.faults) == ((), [])


def test_a_conversation_that_is_closed_ends_the_turn_that_was_under_way_in_it_and_is_nothing_malformed(bench: Bench) -> None:
    """K101. The host then says which session, and no turn: after an interrupt, and when a chat of its dashboard is closed, whatever was
    said in that before."""
    bench.recorder.put("end", 90.0, {"turn_id": None, "session_id": S1})
    bench.turn()
    bench.call("c1")
    bench.recorder.put("end", 120.0, {"session_id": S1, "interrupted": True})
    bench.recorder.put("end", 900.0, {"session_id": S1, "interrupted": True})
    assert [one.call_id for one in bench.events()] == ["c1"] and bench.recorder.flush(PATIENCE, mined=True)
    with closing(sqlite3.connect(bench.file)) as db:
        assert db.execute("SELECT ended FROM turns").fetchall() == [(120.0,)]
    assert (bench.store.counters(), bench.faults) == ({}, [])


# ── Order ────────────────────────────────────────────────────────────────────────────────────────


@settings(max_examples=25)
@given(st.permutations(["c1", "c2", "c3", "c4"]))
def test_calls_stand_in_the_order_of_the_model_whatever_the_order_of_completion(done: list[str]) -> None:
    """B39: post events come as the calls complete, with one timestamp; the model issued c1 to c3, then c4."""
    with TemporaryDirectory() as folder, fresh(folder) as bench:
        bench.turn()
        bench.request("c1", "c2", "c3", at=105.0)
        bench.request("c4", at=106.0)
        for call in done:
            bench.call(call)
        assert bench.kept() == ["c1", "c2", "c3", "c4"]


def test_the_models_message_may_be_an_object() -> None:
    """Host contract 1: a `NormalizedResponse` in the process, a dict in the plugin host."""
    with TemporaryDirectory() as folder, fresh(folder) as bench:
        bench.turn()
        calls = [SimpleNamespace(id="c1"), SimpleNamespace(id="c2"), SimpleNamespace(id=None)]
        bench.request(assistant_message=SimpleNamespace(tool_calls=calls))
        bench.call("c2")
        bench.call("c1")
        assert bench.kept() == ["c1", "c2"]


def test_order_does_not_follow_a_clock_that_jumps(bench: Bench) -> None:
    """B39: set back one hour between two calls."""
    bench.turn(at=10_000.0)
    bench.call("c1", at=10_001.0)
    bench.call("c2", at=6_402.0)
    assert bench.kept() == ["c1", "c2"]


def test_the_same_call_delivered_twice_is_one_row(bench: Bench) -> None:
    """B39."""
    bench.turn()
    bench.call("c1")
    bench.call("c1", result='{"other": 1}')
    assert bench.only().outcome.result == {}
    assert bench.store.counters() == {"repeated_call": 1}


def test_an_announcement_that_comes_twice_does_not_start_the_order_again(bench: Bench) -> None:
    """B39: a double of the first hook."""
    bench.turn()
    bench.request("c1", "c2", "c3")
    bench.call("c3", at=108.0)
    bench.turn()
    bench.call("c2", at=109.0)
    bench.call("c1", at=110.0)
    assert bench.kept() == ["c1", "c2", "c3"]


@given(st.one_of(st.integers(), st.floats(), st.none(), st.text(max_size=3), st.booleans()))
@example(-1)
@example(float("nan"))
@example(10**400)
@settings(max_examples=40)
def test_no_call_takes_less_than_no_time(duration: Any) -> None:
    """B39."""
    with TemporaryDirectory() as folder, fresh(folder) as bench:
        bench.turn()
        bench.call("c1", duration_ms=duration)
        event = bench.only()
        assert event.started <= event.ended == 110.0


def test_a_duration_is_in_milliseconds(bench: Bench) -> None:
    bench.turn()
    bench.call("c1", at=110.0, duration_ms=2_500)
    assert (bench.only().started, bench.only().ended) == (107.5, 110.0)


# ── Whose call it is ─────────────────────────────────────────────────────────────────────────────


def test_calls_of_a_turn_that_nobody_announced_are_dropped_and_counted(bench: Bench) -> None:
    """B11 in 0.22: the background review has the session of the person and a turn of its own."""
    fork = f"{S1}:5f0e:00000009"
    bench.turn()
    bench.call("c1")
    bench.request("m1", turn=fork)
    bench.call("m1", fork, tool_name="memory")
    bench.call("m2", fork, tool_name="skill_manage")
    bench.end(fork)
    assert (bench.kept(), bench.kept(fork)) == (["c1"], [])
    assert bench.store.counters() == {"background_call": 2}


def test_a_turn_whose_parent_is_its_own_session_is_dropped_and_counted(bench: Bench) -> None:
    """B11 as reported: the review announces itself under the session of the person."""
    review = f"{S1}:{S1}:00000009"
    bench.turn()
    bench.call("c1")
    bench.turn(review, parent_session_id=S1, user_message="Review the conversation above")
    bench.call("m1", review, tool_name="memory")
    assert (bench.kept(), bench.kept(review)) == (["c1"], [])
    assert bench.store.counters() == {"background_call": 1}


def test_calls_inside_execute_code_never_meet_in_a_nameless_conversation(bench: Bench) -> None:
    """B10: nested calls carry no session, turn or call id."""
    bench.turn()
    for number in range(3):
        bench.call("", "", tool_name="read_file", args={"path": f"{number}.md"}, session_id="", task_id="TA")
    bench.call("c9", tool_name="execute_code", args={"code": "…"})
    assert bench.kept() == ["c9"]
    assert bench.store.turn("") is None
    assert bench.store.facts()["calls"] == 1


def test_children_belong_to_the_conversation_of_their_parent(bench: Bench) -> None:
    """B40: three sub-agents are one conversation, whoever announced them last."""
    bench.turn()
    for number in range(3):
        child = f"child{number}"
        bench.turn(f"{child}:sa-0:1", child, platform="subagent", parent_session_id=S1)
        bench.call("c1", f"{child}:sa-0:1")
    bench.call("c1")
    bench.written()
    turns = [bench.store.turn(name) for name in (T1, "child0:sa-0:1", "child2:sa-0:1")]
    assert [(one.conversation, one.who) for one in turns if one] == [(S1, "person"), (S1, "subagent"), (S1, "subagent")]
    assert bench.kept() == ["c1"]


def test_a_child_of_a_child_belongs_to_the_same_conversation(bench: Bench) -> None:
    bench.turn()
    bench.turn("a:sa:1", "a", platform="subagent", parent_session_id=S1)
    bench.turn("b:sa:1", "b", platform="subagent", parent_session_id="a")
    bench.written()
    assert bench.store.turn("b:sa:1").conversation == S1  # type: ignore[union-attr]


@pytest.mark.parametrize(("platform", "who"), [("cli", "person"), ("telegram", "person"), ("cron", "cron"), (None, "person")])
def test_a_turn_knows_who_started_it(bench: Bench, platform: Any, who: str) -> None:
    bench.turn(platform=platform)
    bench.written()
    assert bench.store.turn(T1).who == who  # type: ignore[union-attr]


def test_a_new_conversation_with_a_parent_link_is_its_own(bench: Bench) -> None:
    """Host contract 2: `/new` in the gateway links to the old session."""
    bench.turn(parent_session_id="old")
    bench.written()
    assert bench.store.turn(T1).conversation == S1  # type: ignore[union-attr]


# ── What is kept of a call ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("result", "said", "status"),
    [
        ('{"output":"","exit_code":1,"error":null}', "ok", Status.ERROR),
        ('{"success":true,"failed":0}', "error", Status.OK),
        ('{"results":[{"error":null,"content":"x"}]}', "error", Status.OK),
        ("Error: nope", "ok", Status.ERROR),
        ('{"output":"x\\n[Command timed out after 60s]","exit_code":124,"error":null}', "ok", Status.TIMEOUT),
        ('{"output":"[Command interrupted]","exit_code":130,"error":null}', "ok", Status.INTERRUPTED),
        ("The call was blocked.", "blocked", Status.REFUSED),
        ("The call was cancelled.", "cancelled", Status.REFUSED),
        ("It took too long.", "timeout", Status.TIMEOUT),
        (None, "ok", Status.ERROR),
        ({"_multimodal": True, "content": []}, "ok", Status.OK),
    ],
)
def test_success_is_judged_by_us_and_what_the_host_said_is_kept(bench: Bench, result: Any, said: str, status: Status) -> None:
    """B03."""
    bench.turn()
    bench.call("c1", result=result, status=said)
    assert (bench.only().outcome.status, bench.only().said) == (status, said)


def test_types_and_nulls_stay_what_they_were(bench: Bench) -> None:
    """B31."""
    args = {"limit": 20, "case": False, "ids": [3], "note": None, "name": "null", "big": 12345678901234567890, "ratio": 1.0, "empty": {}}
    bench.turn()
    bench.call("c1", args=args)
    assert repr(bench.only().call.arguments) == repr(args)


NESTED = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text("abc \ud835\x00\x1b", max_size=4)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text("xyz", max_size=3), inner, max_size=3)),
    max_leaves=8,
)


@settings(max_examples=50)
@given(st.dictionaries(st.text("xyz", min_size=1, max_size=3), NESTED, max_size=4))
@example({"x": "\udcffname", "y": "\ud835 text", "z": "\ud835\udd0a"})
def test_any_json_arguments_are_kept_as_they_were(args: dict[str, Any]) -> None:
    """B31, B46: half characters and control characters among them, two halves side by side too."""
    with TemporaryDirectory() as folder, fresh(folder) as bench:
        bench.turn()
        bench.call("c1", args=args)
        assert repr(bench.only().call) == repr(Call("terminal", args))


def test_what_is_kept_does_not_change_with_the_live_object(bench: Bench) -> None:
    """Host contract 1: payloads are live objects, serialise at once."""
    args = {"command": "ls", "more": {"deep": [1]}}
    bench.turn()
    bench.call("c1", args=args)
    args["more"] = {"deep": [2]}
    args["command"] = "rm"
    assert bench.only().call.arguments == {"command": "ls", "more": {"deep": [1]}}


def test_the_tools_schema_is_kept_once_and_named_by_each_call(bench: Bench) -> None:
    """K104: what a later drift is compared with."""
    bench.turn()
    bench.call("c1")
    bench.call("c2")
    bench.call("c3", tool_name="unheard_of", args={})
    first, second, third = bench.events()
    assert first.schema == second.schema != ""
    assert bench.store.schema(first.schema) is not None
    assert third.schema == ""


def test_a_schema_that_cannot_be_read_costs_the_fingerprint_alone(tmp_path: Path) -> None:
    """The event says: empty where it could not be read."""

    def broken(tool: str) -> Any:
        raise ImportError("No module named 'tools'")

    with closing(Bench(tmp_path / "data.db", schema=broken)) as bench:
        bench.turn()
        bench.call("c1")
        assert [(event.call_id, event.schema) for event in bench.events()] == [("c1", "")]


def test_a_model_request_is_kept_with_what_it_cost(bench: Bench) -> None:
    """K101, A34: `post_api_request` gives the baseline."""
    bench.turn()
    usage = {"input_tokens": 2_000, "output_tokens": 60, "cache_read_tokens": 1_500}
    bench.request("c1", "c2", model="m", api_duration=1.5, usage=usage)
    bench.request(at=106.0, usage=None, api_duration="soon")
    bench.written()
    one, two = bench.store.requests(T1)
    assert (one.model, one.seconds, one.tool_calls) == ("m", 1.5, 2)
    assert (one.input_tokens, one.output_tokens, one.cache_tokens) == (2_000, 60, 1_500)
    assert (two.seconds, two.input_tokens, two.tool_calls) == (0.0, 0, 0)


# ── What is no payload ───────────────────────────────────────────────────────────────────────────


class Unspeakable:
    """Raises whatever is asked of it."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    def __str__(self) -> str:
        raise RuntimeError("no str")


@pytest.mark.parametrize(
    "payload",
    [
        {"turn_id": None},
        {"turn_id": 7},
        {"turn_id": Unspeakable()},
        {"tool_name": None},
        {"tool_name": b"terminal"},
        {"tool_name": Unspeakable()},
        {"args": None},
        {"args": "ls"},
        {"args": ["ls"]},
        {"args": Unspeakable()},
    ],
    ids=lambda payload: "-".join(f"{key}-{type(value).__name__}" for key, value in payload.items()),
)
def test_a_call_that_is_not_what_was_promised_is_counted_and_the_rest_of_the_batch_is_kept(bench: Bench, payload: dict[str, Any]) -> None:
    """K101: what it could not write it counts."""
    bench.turn()
    bench.call("c1")
    bench.call("bad", **payload)
    bench.call("c2")
    assert bench.kept() == ["c1", "c2"]
    assert bench.store.counters() == {"malformed": 1}
    assert len(bench.faults) == 1


@pytest.mark.parametrize(
    "payload",
    [
        {"result": b"\xff\x00 bytes"},
        {"result": {1, 2}},
        {"result": Unspeakable()},
        {"result": float("nan")},
        {"result": "[" * 700 + "]" * 700},
        {"result": "[" * 200 + "]" * 200},
        {"result": "\ud835 text"},
        {"result": "x\x00\x1b" * 100_000},
        {"status": Unspeakable()},
        {"status": b"ok"},
        {"api_request_id": Unspeakable()},
        {"folder": Unspeakable()},
        {"tool_call_id": 5},
        {"duration_ms": "soon"},
    ],
    ids=lambda payload: "-".join(f"{key}-{type(value).__name__}" for key, value in payload.items()),
)
def test_an_odd_call_never_costs_its_neighbours(bench: Bench, payload: dict[str, Any]) -> None:
    """B46: a bytes result, half characters, NUL and ESC, a long line; kept or counted, and the rest of the batch is kept."""
    bench.turn()
    bench.call("c1")
    bench.call("odd", **payload)
    bench.call("c2")
    kept = [one for one in bench.kept() if one in ("c1", "c2")]
    assert kept == ["c1", "c2"]
    assert bench.store.facts()["calls"] + sum(bench.store.counters().values()) == 3


@pytest.mark.parametrize(
    "payload",
    [
        {"session_id": None},
        {"session_id": Unspeakable()},
        {"user_message": b"bytes"},
        {"user_message": {1, 2}},
        {"user_message": [{"type": "text", "text": "hi"}]},
        {"user_message": Unspeakable()},
        {"platform": Unspeakable()},
        {"parent_session_id": Unspeakable()},
        {"platform": ["cli"]},
    ],
    ids=lambda payload: "-".join(f"{key}-{type(value).__name__}" for key, value in payload.items()),
)
def test_an_odd_announcement_never_costs_its_neighbours(bench: Bench, payload: dict[str, Any]) -> None:
    bench.turn()
    bench.call("c1")
    bench.turn("T2", "S2", **payload)
    bench.call("c2")
    assert bench.kept() == ["c1", "c2"]


@pytest.mark.parametrize(
    "payload",
    [
        {"api_duration": 10**400},
        {"api_duration": float("nan")},
        {"api_duration": Unspeakable()},
        {"usage": {"input_tokens": 10**400, "output_tokens": float("inf")}},
        {"usage": {"input_tokens": "many"}},
        {"usage": [1]},
        {"model": Unspeakable()},
        {"api_request_id": b"r"},
    ],
    ids=lambda payload: "-".join(f"{key}-{type(value).__name__}" for key, value in payload.items()),
)
def test_an_odd_request_never_costs_its_neighbours(bench: Bench, payload: dict[str, Any]) -> None:
    bench.turn()
    bench.call("c1")
    bench.request("c2", **payload)
    bench.call("c2")
    assert bench.kept() == ["c1", "c2"]


def test_the_writer_goes_on_after_a_fault_of_ours(bench: Bench) -> None:
    """It may lose a row, it may not stop."""
    bench.turn()
    bench.call("odd", result={1, 2})
    bench.written()
    bench.call("c1")
    assert "c1" in bench.kept()


def test_what_a_busy_file_did_not_take_is_counted(tmp_path: Path) -> None:
    """B28: what it could not write it counts."""
    with closing(Bench(tmp_path / "data.db", patience=0.05)) as bench:
        bench.turn()
        bench.call("c1")
        bench.written()
        with locked(bench.file):
            bench.call("c2")
            bench.written()
        bench.call("c3")
        missing = {"c1", "c2", "c3"} - set(bench.kept())
        assert not missing or sum(bench.store.counters().values()) >= len(missing)


def test_a_closed_file_costs_rows_and_nothing_else(bench: Bench) -> None:
    bench.store.close()
    bench.turn()
    bench.call("c1")
    bench.written()
    assert len(bench.faults) >= 1


# ── Conversations: A2 ────────────────────────────────────────────────────────────────────────────

HOUR = 3_600.0


def told(bench: Bench, turn: str) -> tuple[str, str]:
    """Conversation and owner of a turn."""
    bench.written()
    found = bench.store.turn(turn)
    assert found is not None
    return found.conversation, found.who


def test_a_session_that_was_compressed_out_of_another_is_the_same_conversation(tmp_path: Path) -> None:
    """B22: the id rotates; the parent link counts because the parent ended with `compression`."""
    rows = {
        "s2": Origin("s1", "", ""),
        "s1": Origin("", "compression", ""),
        "s3": Origin("s2", "", ""),
        "s9": Origin("s8"),
        "s8": Origin("", "session_reset"),
    }
    with closing(Bench(tmp_path / "data.db", origin=lambda session: rows.get(session, UNKNOWN))) as bench:
        bench.turn("t1", "s1")
        bench.turn("t2", "s2")
        bench.turn("t9", "s9")
        assert [told(bench, turn)[0] for turn in ("t1", "t2", "t9")] == ["s1", "s1", "s9"]


def test_a_session_that_goes_on_later_and_elsewhere_is_the_same_conversation(tmp_path: Path) -> None:
    """`--resume`: another process, which knows only the file."""
    for turn, at in (("t1", 0.0), ("t2", 100 * HOUR)):
        with closing(Bench(tmp_path / "data.db")) as bench:
            bench.turn(turn, "s1", at=at)
            assert told(bench, turn)[0] == "s1"


@pytest.mark.parametrize(("platform", "idle", "same"), [("telegram", 3.9, True), ("telegram", 4.1, False), ("cli", 400.0, True)])
def test_a_platform_chat_is_cut_where_it_was_idle_for_more_than_four_hours(bench: Bench, platform: str, idle: float, same: bool) -> None:
    bench.turn("t1", "s1", at=1_000.0, platform=platform)
    bench.turn("t2", "s1", at=1_000.0 + idle * HOUR, platform=platform)
    bench.turn("t3", "s1", at=1_060.0 + idle * HOUR, platform=platform)
    first, second, third = (told(bench, turn)[0] for turn in ("t1", "t2", "t3"))
    assert (first == second) is same and second == third


@pytest.mark.parametrize(("chat", "who"), [("dm", "person"), ("", "person"), ("group", "group"), ("channel", "group")])
def test_a_chat_with_several_people_is_no_persons(tmp_path: Path, chat: str, who: str) -> None:
    with closing(Bench(tmp_path / "data.db", origin=lambda session: Origin("", "", chat))) as bench:
        bench.turn("t1", "s1", platform="telegram")
        assert told(bench, "t1")[1] == who


def test_a_message_of_the_host_itself_is_no_request_of_a_person(bench: Bench) -> None:
    """Host contract 1: the results of sub-agents arrive as a turn of their own."""
    bench.turn("t1", user_message="[ASYNC DELEGATION BATCH COMPLETE] 2 of 2")
    assert told(bench, "t1")[1] == "notice"


def test_the_sequential_and_the_parallel_form_of_a_call_are_kept_alike(tmp_path: Path) -> None:
    """Host contract 1: hooks see "2" in one and 2 in the other."""
    known = {
        "type": "object",
        "properties": {"limit": {"type": "integer"}, "all": {"type": "boolean"}, "names": {"type": "array"}, "q": {"type": "string"}},
    }
    with closing(Bench(tmp_path / "data.db", schema=lambda tool: known)) as bench:
        bench.turn()
        bench.call("c1", args={"limit": "2", "all": "true", "names": '["a"]', "q": "7"})
        bench.call("c2", args={"limit": 2, "all": True, "names": ["a"], "q": "7"})
        one, other = bench.events()
        assert one.call.arguments == other.call.arguments == {"limit": 2, "all": True, "names": ["a"], "q": "7"}
