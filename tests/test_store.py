"""The file and what may happen to it: what goes in comes out, two of us never disagree, a broken file is one clear sentence."""

import json
import os
import sqlite3
import stat
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kata.model import (
    Call,
    Check,
    Class,
    Command,
    Effect,
    Event,
    Example,
    Fit,
    Hole,
    Input,
    InputField,
    Json,
    Kata,
    Literal,
    ModelRequest,
    NearMiss,
    NewerStore,
    Object,
    Occurrence,
    Outcome,
    Place,
    Proposal,
    Refused,
    RunRow,
    SchemaSeen,
    Spec,
    SpecError,
    State,
    Status,
    Step,
    StepTrace,
    StoreError,
    TurnEnd,
    TurnStart,
    canonical,
)
from kata.store import Store
from kata.tables import MIGRATIONS, migrate

OTHER = Path(__file__).with_name("store_process.py")
JOURNALS = ("delete", "wal")


# ── What the tests hand in ───────────────────────────────────────────────────────────────────────


def opener(path: Path, journal: str = "delete") -> Callable[[], sqlite3.Connection]:
    def connect() -> sqlite3.Connection:
        db = sqlite3.connect(path, check_same_thread=False)
        with ExitStack() as undo:
            undo.callback(db.close)
            db.execute(f"PRAGMA journal_mode = {journal}")
            undo.pop_all()
        return db

    return connect


def in_memory() -> Store:
    return Store(lambda: sqlite3.connect(":memory:", check_same_thread=False))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "plugin-data" / "kata"
    folder.mkdir(parents=True)
    return folder / "data.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    one = Store(opener(path))
    yield one
    one.close()


def raw(path: Path, statement: str, *values: object) -> list[tuple[Any, ...]]:
    """What somebody does who opens the file without us."""
    db = sqlite3.connect(path, isolation_level=None)
    try:
        return db.execute(statement, values).fetchall()
    finally:
        db.close()


class Other:
    """Another process with its hand on the file; orders and answers go through pipes, so nothing waits for a clock."""

    def __init__(self, *words: object) -> None:
        command = [sys.executable, str(OTHER), *map(str, words)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.process.kill()
        self.process.communicate()

    def say(self, *words: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(words) + "\n")
        self.process.stdin.flush()

    def hear(self) -> Json:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())


def start(turn: str = "t1", conversation: str = "c1", at: float = 10.0, **more: str) -> TurnStart:
    return TurnStart(turn, "s1", conversation, "cli", more.pop("who", "person"), at, **more)


def event(call_id: str = "call_1", turn: str = "t1", position: int = 0, **more: Any) -> Event:
    return Event(Call("terminal", {"command": f"echo {call_id}"}), Outcome(Status.OK, {"output": "x"}), turn, call_id, position, **more)


def whole(turn: str, conversation: str, at: float = 10.0, calls: int = 3) -> list[Any]:
    events = [event(f"call_{n}", turn, n, started=at + n, ended=at + n) for n in range(calls)]
    return [start(turn, conversation, at), *events, TurnEnd(turn, at + calls)]


def spec(command: str = "git status", tool: str = "terminal") -> Spec:
    arguments = Object((("command", Command((command + " ", Hole(Input("path"), "bare")))), ("timeout", Literal(60))))
    return Spec((InputField("path", "string", "where", ("a", "b")),), (Step(tool, arguments, Effect(Class.READ, why="reads"), "f1"),))


def proposal(fingerprint: str = "f", command: str = "git status") -> Proposal:
    exhibit = Example("c1", "t1", (event(started=1.5, ended=2.5, said="ok", schema="f1", folder="/x", request="r"),))
    return Proposal(spec(command), fingerprint, Fit(3, 3, 3, 0.5), (exhibit,), (Check("holdout_fit", True), Check("x", False, "y", False)))


def proposed(store: Store, fingerprint: str = "f", command: str = "git status") -> Kata:
    kata = store.propose(proposal(fingerprint, command), now=100.0)
    assert kata is not None
    return kata


def approve(store: Store, kata: Kata, name: str = "deploy", **more: Any) -> Kata:
    decision: dict[str, Any] = {"before": [State.CANDIDATE], "after": State.ACTIVE, "actor": "chat", "verb": "approve"}
    return store.transition(kata.id, digest=kata.version.spec.digest, now=200.0, name=name, approved=True, **{**decision, **more})


def running(store: Store, run: str = "r1") -> RunRow:
    kata = store.named("deploy") or approve(store, proposed(store))
    row = RunRow(run, kata.id, kata.tool, 1, kata.version.spec.digest, 300.0, None, Status.OK, "", (), {"path": "src"}, "s1")
    store.begin_run(row)
    return row


HALF = "\ud835 \udcffname \ud83d\ude00 \x00 \x1b[0m"
halves = st.sampled_from(["\ud835", "\udcff", "\0", "\x1b"])  # st.text() alone nearly never holds half a character
texts = st.lists(st.text() | halves, max_size=4).map("".join)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


# ── What goes in comes out ───────────────────────────────────────────────────────────────────────


@given(arguments=st.dictionaries(texts, values, max_size=3), result=values, words=st.lists(texts, min_size=9, max_size=9))
def test_any_call_comes_back_as_it_was_recorded(arguments: dict[str, Json], result: Json, words: list[str]) -> None:
    """B46, B31: half characters, NUL, huge numbers, 1 beside 1.0 beside true."""
    tool, turn, call_id, request, said, schema, folder, reason, conversation = words
    given_event = Event(
        Call(tool, arguments), Outcome(Status.ERROR, result, reason), turn, call_id, 4, request, 1.5, 2.5, said, schema, folder
    )
    store = in_memory()
    store.add([start(turn, conversation, message=said), given_event])
    found = store.turn(turn)
    assert found is not None and (found.id, found.conversation, found.who, found.started) == (turn, conversation, "person", 10.0)
    (one,) = found.events
    assert canonical([one.call.arguments, one.outcome.result]) == canonical([arguments, result])
    assert replace(one, call=given_event.call, outcome=given_event.outcome) == given_event
    assert (one.call.tool, one.outcome.status, one.outcome.reason) == (tool, Status.ERROR, reason)
    store.close()


@given(value=values)
@settings(max_examples=50)
def test_any_spec_keeps_its_digest(value: Json) -> None:
    """B46: the hash is stable. T42."""
    store, one = in_memory(), Spec((), (Step("t", Object((("k", Literal(value)),)), Effect(Class.READ)),))
    kata = store.propose(Proposal(one, "f", Fit(3, 3, 3, 0.5), ()), 1.0)
    assert kata is not None and kata.version.spec.digest == one.digest
    assert canonical(kata.version.spec.to_json()) == canonical(one.to_json())
    store.close()


def test_half_characters_pass_wherever_text_is_kept(store: Store) -> None:
    """B46"""
    kata = store.propose(replace(proposal(HALF, HALF), checks=(Check(HALF, True, HALF),)), 1.0)
    assert kata is not None and kata.fingerprint == HALF and kata.version.checks == (Check(HALF, True, HALF),)
    assert approve(store, kata, detail=HALF).version.spec == spec(HALF)
    store.add([SchemaSeen(HALF, HALF, {HALF: HALF})])
    store.misses({1: NearMiss((HALF,), HALF, HALF, 2, "other" + HALF)})
    store.note(HALF, HALF)
    store.count(HALF)
    store.show(HALF, kata.id, HALF, 1.0)
    store.begin_run(RunRow(HALF, kata.id, HALF, 1, "d", 1.0, None, Status.OK, HALF, (), {HALF: HALF}, HALF))
    store.finish_run(HALF, Status.ERROR, HALF, 2.0)
    assert store.schema(HALF) == {HALF: HALF}
    assert store.near() == (NearMiss((HALF,), HALF, HALF, 2, "other" + HALF),)
    assert (store.noted(HALF), store.counters(), store.shown(HALF, kata.id)) == (HALF, {HALF: 1}, HALF)
    assert store.audit(1)[0].detail == HALF
    (run,) = store.runs()
    assert (run.id, run.reason, run.inputs, run.session) == (HALF, HALF, {HALF: HALF}, HALF)


def test_a_huge_line_comes_back_whole(store: Store) -> None:
    """B46: a line of 5 MB."""
    line = "0123456789" * 500_000
    store.add([start(), replace(event(), outcome=Outcome(Status.OK, line))])
    found = store.turn("t1")
    assert found is not None and found.events[0].outcome.result == line


def test_calls_stand_in_the_order_in_which_they_were_issued(store: Store) -> None:
    """B39: they arrive in the order of completion, and the clock was set back."""
    store.add([start(), event("c", position=2, started=1.0), event("b", position=1, started=5.0), event("a", position=0, started=9.0)])
    found = store.turn("t1")
    assert found is not None and [one.call_id for one in found.events] == ["a", "b", "c"]


def test_a_call_that_is_delivered_twice_is_one_row(store: Store) -> None:
    """B39"""
    store.add([start(), event(), event(said="again")])
    store.add([event(position=7)])
    found = store.turn("t1")
    assert found is not None and found.events == (event(),)
    assert store.counters() == {"repeated_call": 2}


def test_two_turns_may_use_one_call_id(store: Store) -> None:
    """Some model servers begin every turn with call_1."""
    store.add([start("t1"), start("t2"), event(turn="t1"), event(turn="t2")])
    assert store.facts()["calls"] == 2


def test_what_belongs_to_an_unknown_turn_is_counted_and_dropped(store: Store) -> None:
    """Design section 4: a turn that nobody announced is a background fork."""
    store.add([event(), TurnEnd("t1", 1.0), ModelRequest("t1", "r", "m", 1.0, 2.0, 3, 4, 5, 6)])
    assert (store.counters(), store.facts()["calls"], store.dirty()) == ({"unknown_turn": 3}, 0, ())


@pytest.mark.parametrize(
    "odd",
    [
        replace(event("odd"), outcome=Outcome(Status.OK, b"bytes")),
        replace(event("odd"), outcome=Outcome(Status.OK, {(1, 2): 3})),
        replace(event("odd"), position=2**64),
        replace(event("odd"), started=float("nan")),
        replace(event("odd"), folder=Path("folder")),  # type: ignore[arg-type]
    ],
)
def test_one_record_that_cannot_be_kept_does_not_cost_its_batch(store: Store, odd: Event) -> None:
    """B46: a bytes result."""
    store.add([start(), event("a"), odd, event("b", position=1), TurnEnd("t1", 2.0)])
    found = store.turn("t1")
    assert found is not None and [one.call_id for one in found.events] == ["a", "b"]
    assert (store.counters(), store.dirty()) == ({"not_stored": 1}, ("t1",))


def test_a_batch_is_written_whole_or_not_at_all(path: Path, store: Store) -> None:
    """Also B28 (c), a full disk: recording pauses, what was there stays, and it goes on when there is room."""
    room = [0]

    def small() -> sqlite3.Connection:
        db = sqlite3.connect(path, check_same_thread=False)
        db.execute(f"PRAGMA max_page_count = {raw(path, 'PRAGMA page_count')[0][0] + room[0]}")
        return db

    store.add(whole("t1", "c1"))
    full = Store(small)
    big = replace(event(turn="t2"), outcome=Outcome(Status.OK, os.urandom(200_000).hex()))
    with pytest.raises(StoreError, match="the disk is full; free some space"):
        full.add([start("t2", "c2"), big])
    assert store.turn("t2") is None and store.turn("t1") is not None
    room[0] = 1000
    full.add([start("t2", "c2"), big])
    full.close()
    assert store.facts()["turns"] == 2


def test_model_requests_are_kept_once_for_each_turn(store: Store) -> None:
    """K33, A34"""
    first, second = (ModelRequest("t1", f"t1:api:{n}", "m", 1.0, 0.5, 100 + n, 20, 7, 1) for n in (2, 1))
    store.add([start(), first, second, first])
    assert store.requests("t1") == (first, second)
    assert store.requests("t2") == ()


def test_a_schema_is_kept_as_it_was_first_seen(store: Store) -> None:
    store.add([SchemaSeen("f1", "terminal", {"type": "object"}), SchemaSeen("f1", "terminal", {"type": "string"})])
    assert store.schema("f1") == {"type": "object"}
    assert store.schema("f2") is None


def test_a_turn_that_is_announced_again_keeps_its_events(store: Store) -> None:
    store.add([start(), event(), TurnEnd("t1", 20.0), start(conversation="parent", who="subagent")])
    found = store.turn("t1")
    assert found is not None and (found.conversation, found.who, len(found.events)) == ("parent", "subagent", 1)
    assert store.dirty() == ("t1",)


def test_all_ended_turns_come_in_order_while_others_write(store: Store) -> None:
    """B55: a page at a time, and no lock is held between two turns."""
    for n in range(120):
        store.add(whole(f"t{n}", "c", at=1000.0 - n, calls=1))
    store.add([start("open")])
    seen = []
    for turn in store.turns():
        seen.append(turn.id)
        assert len(turn.events) == 1
        store.add([event(f"late_{turn.id}", "open")])
    assert seen == [f"t{n}" for n in range(120)]


# ── Mining ───────────────────────────────────────────────────────────────────────────────────────


def test_turns_wait_for_mining_in_the_order_in_which_they_ended(store: Store) -> None:
    store.add([start("t1"), start("t2"), start("t3"), TurnEnd("t3", 9.0), TurnEnd("t1", 1.0), TurnEnd("t2", 5.0)])
    assert store.dirty() == ("t3", "t1", "t2")
    store.mined("t1", {})
    store.settled("t1")
    assert store.dirty() == ("t3", "t2")


def test_a_turn_whose_end_was_lost_is_ended_by_the_next_of_its_session(store: Store) -> None:
    """A process that was killed in the middle of a turn: what it had recorded is mined after all."""
    store.add([start("t1"), event("c1", turn="t1")])
    assert store.dirty() == ()
    store.add([replace(start("t2"), session="other")])
    assert store.dirty() == ()
    store.add([start("t3")])
    assert store.dirty() == ("t1",) and [turn.id for turn in store.turns()] == ["t1"]


def test_a_call_that_arrives_after_its_turn_was_mined_makes_it_wait_again(store: Store) -> None:
    store.add(whole("t1", "c1"))
    store.mined("t1", {})
    store.settled("t1")
    store.add([event("late", position=9)])
    assert store.dirty() == ("t1",)


def test_support_counts_conversations_and_knows_their_turns(store: Store) -> None:
    """K41, K42"""
    for turn, conversation in (("t1", "c1"), ("t2", "c1"), ("t3", "c2")):
        store.add(whole(turn, conversation))
        store.mined(turn, {7: Place(0, 1), -(2**63): Place(0, 2)} if turn == "t3" else {7: Place(1, 2)})
    assert store.support([7, -(2**63), 8]) == {
        7: {"c1": frozenset({"t1", "t2"}), "c2": frozenset({"t3"})},
        -(2**63): {"c2": frozenset({"t3"})},
        8: {},
    }


def test_the_latest_place_of_each_conversation_counts_newest_first(store: Store) -> None:
    """A12"""
    for turn, conversation in (("t1", "c1"), ("t2", "c1"), ("t3", "c2"), ("t4", "c3")):
        store.add(whole(turn, conversation))
        store.mined(turn, {7: Place(0, 1)} if turn == "t3" else {7: Place(1, 2), 8: Place(0, 2)})
    places = (Occurrence("c3", "t4", 1, 2), Occurrence("c2", "t3", 0, 1), Occurrence("c1", "t2", 1, 2))
    assert store.occurrences(7) == places and store.occurrences(7, 2) == places[:2]
    assert (store.spread(7), store.spread(8), store.spread(9), store.spread(7, 2)) == (3, 2, 0, 2)


def test_mining_a_turn_again_replaces_its_windows(store: Store) -> None:
    store.add(whole("t1", "c1"))
    store.mined("t1", {1: Place(0, 1), 2: Place(1, 2)})
    store.mined("t1", {2: Place(0, 2), 3: Place(0, 1)})
    assert [len(store.occurrences(window)) for window in (1, 2, 3)] == [0, 1, 1]
    assert store.occurrences(2) == (Occurrence("c1", "t1", 0, 2),)


def test_a_turn_that_retention_took_meanwhile_gets_no_windows(store: Store) -> None:
    store.mined("gone", {1: Place(0, 1)})
    assert store.occurrences(1) == ()


def test_more_windows_than_sqlite_takes_parameters_are_asked_in_parts(store: Store) -> None:
    store.add(whole("t1", "c1"))
    store.mined("t1", dict.fromkeys(range(1203), Place(0, 1)))
    assert store.support(range(1203)) == {window: {"c1": frozenset({"t1"})} for window in range(1203)}


def test_examples_hold_the_events_of_their_positions(store: Store) -> None:
    store.add(whole("t1", "c1"))
    first, second = store.examples([Occurrence("c1", "t1", 1, 2), Occurrence("gone", "t9", 0, 1), Occurrence("c1", "t1", 0, 0)])
    assert [one.call_id for one in first.events] == ["call_1", "call_2"]
    assert [one.position for one in second.events] == [0]
    assert (first.conversation, first.turn) == ("c1", "t1")


def test_an_example_leaves_out_what_its_window_passes_over(store: Store) -> None:
    """T5: the calls in a gap are no part of the routine."""
    store.add(whole("t1", "c1"))
    store.mined("t1", {7: Place(0, 2, 2, 1, (1,)), 8: Place(0, 2, 3)})
    (gapped,), (plain,) = store.occurrences(7), store.occurrences(8)
    assert gapped == Occurrence("c1", "t1", 0, 2, (1,)) and plain.skipped == ()
    assert [event.position for one in store.examples([gapped, plain]) for event in one.events] == [0, 2, 0, 1, 2]


def test_retention_takes_all_that_hangs_on_a_turn_and_nothing_else(path: Path, store: Store) -> None:
    """K98; design section 5.8: derived rows go with their turn, in the same transaction."""
    for turn, at in (("old", 10.0), ("new", 1000.0)):
        store.add([*whole(turn, turn, at), ModelRequest(turn, "r", "m", at, 1.0, 1, 1, 1, 1)])
        store.mined(turn, {7: Place(0, 1)})
    store.add([start("never ended", at=11.0)])
    assert store.forget(before=500.0) == 2
    assert store.support([7]) == {7: {"new": frozenset({"new"})}}
    assert [raw(path, f"SELECT count(*) FROM {table}")[0][0] for table in ("turns", "events", "requests", "windows")] == [1, 3, 1, 1]
    assert store.forget(before=500.0) == 0


def test_families_that_could_be_told_about_wait_longest_first(store: Store) -> None:
    """Design section 5.8: those of enough conversations, each once; single calls are no family."""
    for turn, conversation in (("t1", "c1"), ("t2", "c1"), ("t3", "c2")):
        store.add(whole(turn, conversation))
        held = {7: Place(0, 1, 2), 8: Place(0, 2, 3), 9: Place(0, 0, 1)} | ({5: Place(1, 2, 2)} if turn == "t3" else {})
        store.mined(turn, held, least=2)
        assert turn not in store.dirty()
    assert store.family() == (8, 0)
    store.looked(8, 0)
    assert store.family() == (7, 0)
    store.again({7: 2, 5: 2, 6: 2}, least=2)
    assert store.family() == (7, 1)
    store.looked(7, 0)
    assert store.family() == (7, 1), "somebody queued it since"
    store.looked(7, 1)
    assert store.family() is None


def test_what_is_told_about_waits_even_when_its_evidence_goes(store: Store) -> None:
    """Design section 5.8: in the transaction that deletes the turns."""
    for turn, conversation in (("t1", "c1"), ("t2", "c2"), ("t3", "c3"), ("t4", "c3")):
        store.add(whole(turn, conversation))
        store.mined(turn, {7: Place(0, 1), 8: Place(1, 2), 9: Place(0, 2, 3)}, least=9)
    store.misses({7: NearMiss(("a", "b"), "confidence", "", 3, "f7")})
    store.propose(replace(proposal(fingerprint="f8"), keys=("b", "c")), 1.0, 8)
    assert store.family() is None
    store.add([TurnEnd(turn, -1.0) for turn in ("t1", "t3", "t4")])
    assert store.forget(0.5, 2) == 3
    found = []
    while waiting := store.family():
        found.append(waiting[0])
        store.looked(*waiting)
    assert found == [7, 8] and store.spread(7, 9) == 1 and store.spread(7, 0) == 0


def test_a_turn_that_changes_after_it_was_mined_waits_again(store: Store) -> None:
    """Another conversation, another caller, or other text because a newer masker came."""
    store.add(whole("t1", "c1"), masker=1)
    store.mined("t1", {})
    store.add([start("t1", "c1")])
    assert store.dirty() == ()
    store.add([start("t1", "c2")])
    assert store.dirty() == ("t1",)
    store.mined("t1", {})
    store.remask("t1", lambda value: value, 2)
    assert store.dirty() == ()
    store.remask("t1", lambda value: {**value, "new": 1} if isinstance(value, dict) else value, 3)
    assert store.dirty() == ("t1",)


def test_everything_can_be_mined_again_oldest_first(store: Store) -> None:
    for turn in ("t2", "t1"):
        store.add(whole(turn, turn))
        store.mined(turn, {7: Place(0, 1)})
    store.add([start("open")])
    store.misses({7: NearMiss(("a", "b"), "confidence", "", 3, "f7"), 4: NearMiss(("x", "y"), "confidence", "", 3, "f4")})
    while waiting := store.family():
        store.looked(*waiting)
    store.soil()
    assert store.dirty() == ("t2", "t1")
    assert store.family() == (7, 0)
    store.looked(7, 0)
    assert store.family() == (4, 0), "nothing holds it any more, and yet it is told"


def test_weights_count_places_and_size_counts_calls_and_different_windows(store: Store) -> None:
    """Design section 5.6: a window that stands twice in a turn weighs two."""
    for turn in ("t1", "t2"):
        store.add(whole(turn, turn))
        store.mined(turn, {7: Place(0, 1, 2, 3), 1: Place(0, 0, 1, 5)})
    assert store.weights([7, 1, 7, 99]) == {7: 6, 1: 10, 99: 0}
    assert store.weights([]) == {}
    assert store.size() == (6, 1, 1.0)


def test_near_misses_are_replaced_by_those_found_now(store: Store) -> None:
    first, second = NearMiss(("a", "b"), "support", "2 of 3", 2, "f1"), NearMiss(("c",), "fit", "odd one", 5, "f2")
    store.misses({1: first, 2: second})
    assert store.near() == (second, first)
    store.misses({1: replace(first, detail="2 of 4")}, judged=["f1"])
    assert store.near() == (second, replace(first, detail="2 of 4"))
    store.misses({}, judged=["f1"])
    assert store.near() == (second,)
    store.misses({1: first})
    assert store.near() == (first,)


# ── Katas ────────────────────────────────────────────────────────────────────────────────────────


def test_a_proposal_comes_back_as_a_candidate_with_its_evidence(store: Store) -> None:
    """K83, K33"""
    kata, given_proposal = proposed(store), proposal()
    assert (kata.id, kata.name, kata.state, kata.fingerprint, kata.tool) == (1, "", State.CANDIDATE, "f", "")
    version = kata.version
    assert (version.number, version.created, version.approved) == (1, 100.0, None)
    assert (version.spec, version.fit, version.exhibits, version.checks) == (
        *(given_proposal.spec, given_proposal.fit),
        *(given_proposal.exhibits, given_proposal.checks),
    )
    assert store.kata(1) == kata and store.katas() == (kata,) and store.version(1, 1) == version


def test_a_routine_proposed_is_no_near_miss_any_more(store: Store) -> None:
    store.misses({1: NearMiss(("a",), "support", "", 2, "f"), 2: NearMiss(("b",), "support", "", 2, "g")})
    proposed(store, "f")
    assert [miss.fingerprint for miss in store.near()] == ["g"]


def test_the_same_proposal_again_is_nothing_new(store: Store) -> None:
    proposed(store)
    assert store.propose(proposal(), now=101.0) is None
    assert (len(store.katas()), len(store.audit(10))) == (1, 1)


def test_new_evidence_makes_a_new_version_and_keeps_the_old_one(store: Store) -> None:
    """K89; design section 5.9"""
    first = proposed(store)
    second = store.propose(proposal(command="git diff"), now=101.0)
    assert second is not None and (second.id, second.version.number, second.version.spec) == (first.id, 2, spec("git diff"))
    assert store.version(first.id, 1) == first.version
    assert [(row.actor, row.verb, row.before, row.after) for row in store.audit(10)] == [
        ("system", "revise", "candidate", "candidate"),
        ("system", "propose", "", "candidate"),
    ]


@pytest.mark.parametrize("state", [state for state in State if state is not State.CANDIDATE])
def test_what_a_person_has_decided_about_is_not_proposed_again(store: Store, state: State) -> None:
    """K88, A29"""
    approve(store, proposed(store), after=state)
    assert store.propose(proposal(command="git diff"), now=300.0) is None
    assert [kata.version.number for kata in store.katas()] == [1]


def test_katas_are_found_by_state_by_number_and_by_name(store: Store) -> None:
    one, two = approve(store, proposed(store, "f")), proposed(store, "g")
    assert store.katas([State.ACTIVE]) == (one,) and store.katas([State.CANDIDATE, State.ACTIVE]) == (one, two)
    assert store.katas([State.REJECTED]) == ()
    assert store.named("deploy") == one
    assert (store.named(""), store.named("other"), store.kata(9), store.version(1, 9)) == (None, None, None, None)


def test_numbers_are_never_used_twice(path: Path, store: Store) -> None:
    """A32"""
    proposed(store, "f")
    gone = proposed(store, "g").id
    raw(path, "DELETE FROM versions WHERE kata = ?", gone)
    raw(path, "DELETE FROM katas WHERE id = ?", gone)
    assert proposed(store, "h").id == gone + 1


def test_exhibits_outlive_the_history_that_they_came_from(store: Store) -> None:
    """A31"""
    store.add(whole("t1", "c1"))
    kata = proposed(store)
    store.forget(before=1e9)
    assert store.kata(kata.id) == kata


def test_a_surface_remembers_the_revision_that_it_has_shown_last(store: Store) -> None:
    """Design section 10: approve acts on what that surface has shown."""
    kata = proposed(store)
    store.show("chat", kata.id, "old", 1.0)
    store.show("chat", kata.id, "new", 2.0)
    assert [store.shown("chat", kata.id), store.shown("cli", kata.id)] == ["new", ""]


CHANGES = {
    "a step": ("UPDATE versions SET spec = replace(spec, 'git status', 'rm -rf')", "changed outside Kata"),
    "not JSON": ("UPDATE versions SET spec = '{'", "changed outside Kata"),
    "no spec": ("UPDATE versions SET spec = '[]'", "as Kata wrote it, got something else (Expected a spec of format 1"),
    "the digest": ("UPDATE versions SET digest = 'abc'", "with digest abc, got"),
    "the state": ("UPDATE katas SET state = 'trusted'", "'trusted'"),
    "the checks": ("UPDATE versions SET checks = x'4a00'", "packed JSON"),
    "the fit": (f"UPDATE versions SET fit = x'{(b'J' + zlib.compress(b'[1]')).hex()}'", "as Kata wrote it"),
}


@pytest.mark.parametrize(("change", "reason"), CHANGES.values(), ids=CHANGES)
def test_a_row_that_was_changed_outside_refuses_to_load_and_the_others_do(path: Path, store: Store, change: str, reason: str) -> None:
    """T42; design section 10"""
    kata, other = proposed(store, "f"), proposed(store, "g")
    column = "kata" if "versions" in change else "id"
    raw(path, f"{change} WHERE {column} = {kata.id}")
    assert store.katas() == (other,)
    ((number, sentence),) = store.broken()
    assert number == kata.id and reason in sentence
    with pytest.raises((SpecError, StoreError), match=f"(kata {kata.id}|Kata file)"):
        store.kata(kata.id)
    with pytest.raises((SpecError, StoreError)):
        approve(store, kata)
    assert raw(path, "SELECT count(*) FROM katas WHERE state = 'active'") == [(0,)]


# ── Decisions ────────────────────────────────────────────────────────────────────────────────────


def test_a_decision_moves_the_kata_names_it_and_is_written_down(store: Store) -> None:
    """K84, K90, K92"""
    kata = proposed(store)
    active = approve(store, kata, detail="after review")
    assert (active.state, active.name, active.tool, active.version.approved) == (State.ACTIVE, "deploy", "kata_deploy", 200.0)
    assert store.kata(kata.id) == active
    row = store.audit(1)[0]
    assert (row.at, row.actor, row.verb, row.kata, row.before, row.after, row.digest, row.detail) == (
        *(200.0, "chat", "approve", kata.id, "candidate", "active"),
        *(kata.version.spec.digest, "after review"),
    )


def test_a_kata_keeps_its_name_and_its_approval_through_later_decisions(store: Store) -> None:
    """K87"""
    active = approve(store, proposed(store))
    off = store.transition(
        *(active.id,), before=[State.ACTIVE], after=State.DISABLED, digest=active.version.spec.digest, actor="cli", verb="disable", now=9.0
    )
    assert off == replace(active, state=State.DISABLED)


def test_a_decision_on_the_wrong_state_is_refused_with_the_state_it_has(store: Store) -> None:
    kata = approve(store, proposed(store))
    with pytest.raises(Refused, match="Kata 1 is active; approve needs it to be candidate"):
        approve(store, kata, name="other")
    assert store.named("other") is None and len(store.audit(10)) == 2


def test_a_decision_on_another_revision_than_the_one_seen_is_refused(store: Store) -> None:
    """A32; T42: what was approved is what runs."""
    seen = proposed(store)
    assert store.propose(proposal(command="git diff"), now=101.0) is not None
    with pytest.raises(Refused, match=f"is now revision {spec('git diff').digest[:12]}, not {spec().digest[:12]}; review it again"):
        approve(store, seen)
    assert store.katas([State.ACTIVE]) == ()


def test_a_name_belongs_to_one_kata(store: Store) -> None:
    approve(store, proposed(store, "f"))
    second = proposed(store, "g")
    with pytest.raises(Refused, match="The name deploy is taken by kata 1; choose another"):
        approve(store, second)
    assert store.kata(second.id) == second
    assert approve(store, second, name="deploy_2").name == "deploy_2"


def test_a_number_that_is_not_there_is_refused(store: Store) -> None:
    with pytest.raises(Refused, match="There is no kata 9"):
        approve(store, replace(proposed(store), id=9))


def test_every_change_to_a_kata_is_a_new_generation_for_all_processes(path: Path, store: Store) -> None:
    """Design section 12: an approval in one process is live in the others."""
    other = Store(opener(path))
    numbers = [other.generation()]
    kata = proposed(store)
    numbers.append(other.generation())
    approve(store, kata)
    numbers += [other.generation(), other.generation()]
    with pytest.raises(Refused):
        approve(store, kata)
    numbers.append(other.generation())
    assert numbers == [0, 1, 2, 2, 2]
    other.close()


@pytest.mark.parametrize("journal", JOURNALS)
def test_of_two_processes_that_approve_at_once_exactly_one_wins(path: Path, journal: str) -> None:
    """Design section 10"""
    store = Store(opener(path, journal))
    katas = [proposed(store, f"f{n}") for n in range(8)]
    with Other("approve", path, journal) as one, Other("approve", path, journal) as two:
        for kata in katas:
            for process, name in ((one, "left"), (two, "right")):
                process.say(str(kata.id), kata.version.spec.digest, f"{name}_{kata.id}")
            answers = sorted([one.hear(), two.hear()])
            assert answers == [f"Kata {kata.id} is active; approve needs it to be candidate", "won"]
    assert len(store.audit(100)) == 2 * len(katas) and len(store.katas([State.ACTIVE])) == len(katas)
    store.close()


# ── Runs ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_run_is_kept_with_its_steps(store: Store) -> None:
    row = running(store)
    done = StepTrace(0, "read_file", Status.OK, Call("read_file", {"path": "a"}), {"content": "x"}, "", 1, {"path": "/a"})
    failed = StepTrace(1, "terminal", Status.ERROR, Call("terminal", {"command": "x"}), None, "exit code 2", 1)
    skipped = StepTrace(2, "terminal", Status.SKIPPED)
    store.settle_step("r1", done)
    store.begin_step("r1", replace(failed, status=Status.OK))
    store.settle_step("r1", failed)
    store.settle_step("r1", skipped)
    store.finish_run("r1", Status.ERROR, "step 2 failed", 301.0)
    assert store.runs() == (replace(row, finished=301.0, status=Status.ERROR, reason="step 2 failed", steps=(done, failed, skipped)),)


def test_what_was_begun_and_never_settled_reads_as_unknown(path: Path, store: Store) -> None:
    """Design section 8: after a crash the trace says "unknown", never "not done"."""
    running(store)
    store.begin_step("r1", StepTrace(0, "write_file", Status.OK, Call("write_file", {"path": "a"})))
    after = Store(opener(path))
    (run,) = after.runs()
    assert (run.finished, run.status) == (None, Status.UNKNOWN)
    assert [(step.status, step.call) for step in run.steps] == [(Status.UNKNOWN, Call("write_file", {"path": "a"}))]
    after.close()


def test_the_latest_runs_of_a_kata_come_first(store: Store) -> None:
    for run in ("r1", "r2", "r3"):
        running(store, run)
    assert [run.id for run in store.runs(1)] == ["r3", "r2", "r1"]
    assert [run.id for run in store.runs(limit=2)] == ["r3", "r2"]
    assert store.runs(2) == ()


def test_a_finished_run_is_not_written_to_any_more(store: Store) -> None:
    """A22: a late result is thrown away."""
    running(store)
    store.finish_run("r1", Status.TIMEOUT, "too late", 301.0)
    with pytest.raises(Refused, match="no unfinished run r1"):
        store.settle_step("r1", StepTrace(0, "terminal", Status.OK))
    with pytest.raises(Refused, match="no unfinished run r1"):
        store.finish_run("r1", Status.OK, "", 302.0)
    assert [(run.status, run.steps) for run in store.runs()] == [(Status.TIMEOUT, ())]


def test_a_run_of_no_kata_is_one_sentence(store: Store) -> None:
    with pytest.raises(StoreError, match="refused the work"):
        store.begin_run(RunRow("r1", 9, "kata_x", 1, "d", 1.0, None, Status.OK, "", ()))


# ── Facts ────────────────────────────────────────────────────────────────────────────────────────


def test_counters_add_up_and_notes_are_replaced(store: Store) -> None:
    store.count("dropped")
    store.count("dropped", 41)
    store.note("last_error", "one")
    store.note("last_error", "two")
    assert (store.counters(), store.noted("last_error"), store.noted("nothing")) == ({"dropped": 42}, "two", "")


def test_the_facts_tell_what_is_there(path: Path, store: Store) -> None:
    store.add([*whole("t1", "c1"), *whole("t2", "c1"), *whole("t3", "c2", at=50.0)])
    approve(store, proposed(store, "f"))
    proposed(store, "g")
    facts = store.facts()
    counts = {"calls": 9, "turns": 3, "conversations": 2, "dirty": 3, "last_event": 52.0, "katas": {"active": 1, "candidate": 1}}
    size = path.stat().st_size
    file = {"version": len(MIGRATIONS), "journal": "delete", "bytes": size, "used": size, "path": str(path), "mode": "600"}
    assert facts == counts | file


def test_an_empty_file_has_facts_too() -> None:
    facts = in_memory().facts()
    assert (facts["calls"], facts["katas"], facts["last_event"], facts["path"], facts["mode"]) == (0, {}, None, "", "")


# ── The file ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("journal", JOURNALS)
def test_only_the_owner_can_read_what_is_kept(path: Path, journal: str) -> None:
    """K33; design section 4: mode 0600 in a 0700 folder."""
    path.parent.chmod(0o755)
    store = Store(opener(path, journal))
    store.add(whole("t1", "c1"))
    modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in (path.parent, *path.parent.iterdir())}
    assert modes.pop("kata") == 0o700 and set(modes.values()) == {0o600}
    assert set(modes) == ({"data.db"} if journal == "delete" else {"data.db", "data.db-wal", "data.db-shm"})
    store.close()


def test_a_mode_is_never_widened_and_a_shared_folder_is_left_alone(path: Path, store: Store) -> None:
    store.add(whole("t1", "c1"))
    store.close()
    path.parent.chmod(0o1777)
    path.chmod(0o444)
    after = Store(opener(path))
    assert after.facts()["mode"] == "400"
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o1777
    after.close()


def test_two_files_never_mix(tmp_path: Path) -> None:
    """B17: two profiles in one process."""
    one, two = Store(opener(tmp_path / "one.db")), Store(opener(tmp_path / "two.db"))
    one.add(whole("t1", "c1"))
    proposed(two)
    assert (one.facts()["calls"], one.katas(), two.facts()["calls"], len(two.katas())) == (3, (), 0, 1)
    assert one.facts()["path"] != two.facts()["path"]
    one.close()
    two.close()


def test_a_newer_file_is_left_untouched_and_the_sentence_says_what_to_do(path: Path, store: Store) -> None:
    """B45"""
    store.add(whole("t1", "c1"))
    store.close()
    raw(path, f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    path.chmod(0o644)
    before = path.read_bytes()
    old = Store(opener(path))
    for work in (old.facts, old.dirty, lambda: old.add(whole("t2", "c2"))):
        with pytest.raises(NewerStore) as caught:
            work()
        assert str(caught.value) == (
            f"The Kata file {path} has version {len(MIGRATIONS) + 1}, this plugin knows versions up to {len(MIGRATIONS)}: "
            "update the Kata plugin; until then the file is left untouched and nothing is recorded"
        )
    assert path.read_bytes() == before and stat.S_IMODE(path.stat().st_mode) == 0o644


def test_a_file_that_a_newer_plugin_migrates_while_it_is_open_is_written_no_more(path: Path, store: Store) -> None:
    """B45"""
    store.add([start()])
    raw(path, f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    with pytest.raises(NewerStore):
        store.add([event()])
    assert raw(path, "SELECT count(*) FROM events") == [(0,)]


@pytest.mark.parametrize("journal", JOURNALS)
def test_two_processes_of_four_threads_open_a_new_file_at_once_and_lose_nothing(tmp_path: Path, journal: str) -> None:
    """B45"""
    for n in range(6):
        path = tmp_path / f"{n}.db"
        with Other("record", "a", path, journal) as one, Other("record", "b", path, journal) as two:
            assert [one.hear(), two.hear()] == ["ready", "ready"]
            one.say()
            two.say()
            assert [one.hear(), two.hear()] == [[""] * 4, [""] * 4]
        store = Store(opener(path, journal))
        facts = store.facts()
        assert (facts["version"], facts["turns"], facts["calls"], facts["dirty"]) == (len(MIGRATIONS), 8, 24, 8)
        assert raw(path, "PRAGMA integrity_check") == [("ok",)]
        store.close()


@pytest.mark.parametrize("journal", JOURNALS)
def test_of_eight_that_migrate_an_old_file_at_once_one_does_it(tmp_path: Path, journal: str) -> None:
    """B45: both saw the old schema and both added the column."""
    for n in range(4):
        path = tmp_path / f"{n}.db"
        old = Store(opener(path, journal))
        old.add(whole("t1", "c1"))
        old.close()
        with Other("add_column", path, journal) as one, Other("add_column", path, journal) as two:
            assert [one.hear(), two.hear()] == ["ready", "ready"]
            one.say()
            two.say()
            assert [one.hear(), two.hear()] == [[""] * 4, [""] * 4]
        assert raw(path, "PRAGMA user_version") == [(len(MIGRATIONS) + 1,)]
        assert raw(path, "SELECT id, mood FROM turns") == [("t1", None)]


def test_a_file_of_the_first_version_keeps_all_and_counts_every_ended_turn_once_more(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        migrate(db, MIGRATIONS[:1])
        columns = "id, session, conversation, platform, who, started, ended, message"
        turn = f"INSERT INTO turns ({columns}) VALUES (?, 's', 'c', 'cli', 'person', 1, ?, '')"
        for name, ended in (("done", 2), ("open", None)):
            db.execute(turn, (name, ended))
        db.execute("INSERT INTO windows (window, turn, first, last, size, times) VALUES (7, 1, 0, 1, 2, 1)")
    with closing(Store(lambda: sqlite3.connect(path, isolation_level=None))) as store:
        assert store.occurrences(7) == (Occurrence("c", "done", 0, 1),)
        assert store.dirty() == ("done",)


def test_a_migration_that_fails_leaves_the_file_as_it_was(path: Path) -> None:
    db = sqlite3.connect(path, isolation_level=None)
    migrate(db)

    def broken(file: sqlite3.Connection) -> None:
        file.execute("CREATE TABLE half (x)")
        file.execute("this is no SQL")

    with pytest.raises(sqlite3.OperationalError, match="syntax error"):
        migrate(db, (*MIGRATIONS, broken))
    assert db.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    assert db.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'half'").fetchone() == (0,)
    db.close()


def test_a_file_that_is_no_database_is_one_sentence_and_stays(path: Path) -> None:
    store = Store(opener(path), path=str(path))
    path.write_bytes(b"this is somebody's letter\n" * 100)
    for work in (store.facts, lambda: store.add(whole("t1", "c1"))):
        with pytest.raises(StoreError, match=r"data\.db is not a database; move it away and Kata starts a new one"):
            work()
    assert path.read_bytes() == b"this is somebody's letter\n" * 100


def test_a_damaged_file_is_one_sentence(path: Path, store: Store) -> None:
    store.add(whole("t1", "c1", calls=200))
    store.close()
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xaa" * (len(content) - 4096)
    path.write_bytes(content)
    damaged = Store(lambda: sqlite3.connect(path, check_same_thread=False))
    with pytest.raises(StoreError, match=r"data\.db is damaged; restore it from a backup"):
        damaged.turn("t1")
    damaged.close()


def test_a_damaged_row_is_one_sentence(path: Path, store: Store) -> None:
    store.add(whole("t1", "c1"))
    raw(path, "UPDATE events SET result = x'4aff'")
    with pytest.raises(StoreError, match="Expected text or packed JSON in a row"):
        store.turn("t1")
    assert store.facts()["calls"] == 3


def test_after_a_failure_the_next_call_opens_the_file_again(path: Path) -> None:
    """B28: one failed open disabled the feature until restart."""
    answers: list[Callable[[], sqlite3.Connection]] = [
        lambda: sqlite3.connect(path.parent / "no" / "data.db"),
        lambda: (_ for _ in ()).throw(PermissionError("not yours")),
        opener(path),
    ]
    store = Store(lambda: answers.pop(0)())
    with pytest.raises(StoreError, match="The Kata file cannot be opened; check that its folder exists"):
        store.facts()
    with pytest.raises(StoreError, match="not yours"):
        store.facts()
    assert store.facts()["calls"] == 0
    store.close()


def test_a_file_that_was_moved_away_as_told_is_replaced_by_a_new_one(path: Path, store: Store) -> None:
    """B28"""
    path.write_bytes(b"letter" * 1000)
    with pytest.raises(StoreError, match="move it away"):
        store.facts()
    path.rename(path.with_name("letter"))
    assert store.facts()["calls"] == 0


def test_a_closed_store_stays_closed(path: Path, store: Store) -> None:
    """After a reload the threads of the old object must not go on writing."""
    store.add(whole("t1", "c1"))
    store.close()
    store.close()
    with pytest.raises(StoreError, match="was closed by this plugin"):
        store.add(whole("t2", "c2"))
    assert raw(path, "SELECT count(*) FROM turns") == [(1,)]


# ── Others at the same file ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("journal", JOURNALS)
def test_while_another_process_writes_reading_works_and_writing_says_busy(path: Path, journal: str) -> None:
    """B28 (a): the list shows data or says busy, and events are written later."""
    store = Store(opener(path, journal))
    store.add(whole("t1", "c1"))
    with Other("hold", path, journal, "IMMEDIATE") as other:
        assert other.hear() == "ready"
        assert store.facts()["calls"] == 3
        with store.waiting(0.05), pytest.raises(StoreError, match="is busy: another process is using it; try again"):
            store.add(whole("t2", "c2"))
        other.say()
        assert other.hear() == "free"
    store.add(whole("t2", "c2"))
    assert store.facts()["turns"] == 2
    store.close()


def test_a_file_that_is_locked_when_it_is_opened_says_busy_and_opens_later(path: Path, store: Store) -> None:
    """B28: register waits 100 ms, and the katas come at the first turn."""
    store.add(whole("t1", "c1"))
    with Other("hold", path, "delete", "EXCLUSIVE") as other:
        assert other.hear() == "ready"
        late = Store(lambda: sqlite3.connect(path, check_same_thread=False), patience=0.05)
        with pytest.raises(StoreError, match="is busy"):
            late.katas()
        other.say()
        assert other.hear() == "free"
        assert late.facts()["calls"] == 3
        late.close()


@pytest.mark.parametrize("patience", [2.0, 0.1])
def test_whoever_has_time_opens_again_when_another_process_just_made_the_file(path: Path, patience: float) -> None:
    """B45: while a new file is switched to WAL, SQLite answers "locked" at once, whatever the busy timeout."""
    switching = sqlite3.connect(path, isolation_level=None)
    switching.execute("BEGIN EXCLUSIVE")

    def at_once() -> sqlite3.Connection:
        db = sqlite3.connect(path, timeout=0, check_same_thread=False)
        with ExitStack() as undo:
            undo.callback(db.close)
            undo.callback(switching.close)
            db.execute("PRAGMA user_version")
            undo.pop_all()
        return db

    store = Store(at_once, patience=patience)
    if patience < 1:
        with pytest.raises(StoreError, match="is busy"):
            store.facts()
    assert store.facts()["calls"] == 0
    store.close()


def test_a_thread_waits_no_longer_for_another_than_it_wants_to(path: Path) -> None:
    """Hot paths never wait for a lock."""
    inside, go = threading.Event(), threading.Event()

    def slow() -> sqlite3.Connection:
        inside.set()
        go.wait()
        return opener(path)()

    store = Store(slow, patience=60)
    thread = threading.Thread(target=store.count, args=("x",))
    thread.start()
    inside.wait()
    with store.waiting(0.01), pytest.raises(StoreError, match="is busy: another thread is using it"):
        store.generation()
    go.set()
    thread.join()
    assert store.counters() == {"x": 1}
    store.close()


def test_many_threads_share_one_store(store: Store) -> None:
    def work(me: int) -> None:
        for n in range(10):
            store.add(whole(f"t{me}.{n}", f"c{me}"))
            store.mined(f"t{me}.{n}", {1: Place(0, 1)})
            store.settled(f"t{me}.{n}")

    threads = [threading.Thread(target=work, args=(me,)) for me in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (store.facts()["calls"], store.weights([1]), store.dirty()) == (240, {1: 80}, ())


POINTS = [(first, 1) for first in ("PRAGMA user_version", "BEGIN", "INSERT INTO turns", "INSERT INTO events", "UPDATE turns", "COMMIT")]


@pytest.mark.parametrize("journal", JOURNALS)
@pytest.mark.parametrize(("statement", "nth"), [*POINTS, ("INSERT INTO events", 90)])
def test_a_process_that_is_killed_in_the_middle_leaves_a_sound_file(path: Path, journal: str, statement: str, nth: int) -> None:
    """T66: all of a batch or nothing of it."""
    store = Store(opener(path, journal))
    store.add(whole("t1", "c1"))
    store.close()
    with Other("stop_at", path, journal, statement, nth) as other:
        assert other.hear() == "ready"
        other.process.kill()
        other.process.wait()
    if (statement, journal) == ("COMMIT", "delete"):
        assert path.with_name("data.db-journal").stat().st_size > 0, "nothing had reached the file, so nothing was proven"
    after = Store(opener(path, journal))
    facts = after.facts()
    assert (facts["turns"], facts["calls"], after.turn("late")) == (1, 3, None)
    assert raw(path, "PRAGMA integrity_check") == [("ok",)]
    after.add(whole("t2", "c2"))
    assert after.facts()["turns"] == 2
    after.close()


def test_a_process_that_is_killed_while_it_makes_the_file_leaves_it_new(path: Path) -> None:
    """B45: half a migration is none."""
    with Other("stop_at", path, "delete", "CREATE TABLE katas", 1) as other:
        assert other.hear() == "ready"
        other.process.kill()
        other.process.wait()
    store = Store(opener(path))
    assert store.facts()["version"] == len(MIGRATIONS)
    store.close()


def test_changes_in_a_bundle_are_kept_whole_or_not_at_all(tmp_path: Path) -> None:
    """Section 12: few transactions; a second process sees nothing of a bundle before its end."""
    file = tmp_path / "data.db"
    one, other = (Store(lambda: sqlite3.connect(file, check_same_thread=False)) for _ in range(2))
    with one.bundle():
        one.note("a", "1")
        assert (one.noted("a"), other.noted("a")) == ("1", "")
        with one.bundle():
            one.note("b", "2")
    assert (other.noted("a"), other.noted("b")) == ("1", "2")
    with pytest.raises(ZeroDivisionError), one.bundle():
        one.note("a", "3")
        raise ZeroDivisionError
    assert (one.noted("a"), other.noted("a")) == ("1", "1")
    one.close()
    other.close()


# ── Runs that stop, go on, or are in each other's way ────────────────────────────────────────────


def begun(name: str, **more: Any) -> RunRow:
    """A run of kata 1 that has just begun."""
    return RunRow(name, 1, "kata_x", 1, "d", 1_000.0, None, Status.UNKNOWN, "", (), **more)


def test_a_stopped_run_is_gone_on_with_once(store: Store) -> None:
    """T53: of two that try, one wins."""
    proposed(store)
    store.begin_run(begun("a"))
    store.begin_run(begun("b", resumes="a"))
    with pytest.raises(Refused, match="Run a was resumed already, as run b; nothing was run"):
        store.begin_run(begun("c", resumes="a"))
    assert (store.resumed("a"), store.resumed("b"), store.resumed("")) == ("b", "", "")
    assert [run.id for run in store.runs()] == ["b", "a"]


def test_one_place_has_one_run_of_a_kata_while_its_process_lives(store: Store) -> None:
    """T45: not of another kata, elsewhere, where nobody knows the folder, after its end, or an hour later."""
    proposed(store)
    store.begin_run(begun("a", folder="/srv", owner="7:1"))
    with pytest.raises(Refused, match="runs in this folder already, in another process"):
        store.begin_run(begun("b", folder="/srv", owner="8:1"), {"7:1"}.__contains__)
    store.begin_run(begun("c", folder="/srv", owner="8:1"), {"9:1"}.__contains__)
    store.begin_run(begun("d", folder="/home", owner="8:1"), lambda owner: True)
    store.begin_run(begun("e", folder="", owner="9:1"), lambda owner: True)
    store.begin_run(replace(begun("f", folder="/srv", owner="9:1"), started=1_000.0 + 3_601), lambda owner: True)
    for one in "ac":
        store.finish_run(one, Status.OK, "", 2_000.0)
    store.begin_run(begun("g", folder="/home", owner="8:1"), lambda owner: True)


def test_a_run_that_is_asked_to_stop_is_known_to_every_process(path: Path, store: Store) -> None:
    """T60."""
    proposed(store)
    store.begin_run(begun("a"))
    other = Store(opener(path))
    assert not store.stopping("a") and other.stop_run("a") and store.stopping("a")
    assert [run.id for run in store.unfinished()] == ["a"]
    store.finish_run("a", Status.INTERRUPTED, "", 2.0)
    assert not other.stop_run("a") and not other.stop_run("b") and store.unfinished() == ()
    other.close()


def test_what_the_steps_before_an_effect_came_to_is_written_with_it(store: Store) -> None:
    """T66: a crash leaves no gap before an effect."""
    proposed(store)
    store.begin_run(begun("a"))
    read, write = (StepTrace(index, "terminal", Status.OK, Call("terminal", {}), {"n": index}, attempts=1) for index in (0, 1))
    store.begin_step("a", write, [read])
    run = store.run("a")
    assert run is not None and [(one.status, one.result) for one in run.steps] == [(Status.OK, {"n": 0}), (Status.UNKNOWN, {"n": 1})]
    store.finish_run("a", Status.OK, "", 2.0, [write])
    run = store.run("a")
    assert run is not None and [one.status for one in run.steps] == [Status.OK, Status.OK]
    with pytest.raises(Refused):
        store.finish_run("a", Status.OK, "", 2.0, [read])


def test_sessions_of_one_conversation_belong_together(store: Store) -> None:
    """A2."""
    store.add([replace(start(f"t{n}", f"c{n // 3}"), session=f"s{n}") for n in (1, 2, 3)])
    assert store.together("s1", "s2") and store.together("x", "x")
    assert not store.together("s1", "s3") and not store.together("s1", "x")


# ── The log of decisions, chained ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("change", "first"),
    [
        ("UPDATE audit SET actor = 'cli' WHERE number = 2", 2),
        ("UPDATE audit SET digest = 'f' WHERE number = 1", 1),
        ("UPDATE audit SET at = at + 1 WHERE number = 3", 3),
        ("DELETE FROM audit WHERE number = 2", 2),
        ("DELETE FROM audit WHERE number = 3", 3),
        ("INSERT INTO audit SELECT 9, at, actor, verb, kata, before, after, digest, detail, hash FROM audit WHERE number = 3", 4),
        ("SELECT 1", 0),
    ],
)
def test_a_decision_that_was_changed_or_taken_out_shows(path: Path, store: Store, change: str, first: int) -> None:
    """T66: also the last one, and one that was put in."""
    approve(store, proposed(store))
    proposed(store, "g")
    assert store.proven() == (3, 0)
    raw(path, change)
    assert store.proven()[1] == first


@settings(max_examples=30)
@given(st.lists(st.tuples(st.text(), st.floats(0, 1e12), st.integers(0, 9)), min_size=1, max_size=4))
def test_every_log_that_we_write_is_whole(rows: list[tuple[str, float, int]]) -> None:
    """T66, B46: whatever stands in it."""
    with closing(in_memory()) as store:
        kata = proposed(store)
        for text, at, _ in rows:
            told = {"digest": kata.version.spec.digest, "actor": text, "verb": "rename", "now": at, "detail": text}
            store.transition(kata.id, before=[State.CANDIDATE], after=State.CANDIDATE, **told)  # type: ignore[arg-type]
        assert store.proven() == (1 + len(rows), 0)


# ── Versions and what came of them ───────────────────────────────────────────────────────────────


def test_a_stale_kata_keeps_its_state_and_its_standing_version_while_a_revision_waits(store: Store) -> None:
    """K85, K89"""
    kata = approve(store, proposed(store))
    assert store.prepare(proposal(command="git diff"), 300.0) is None, "only a stale one waits"
    told = {"digest": kata.version.spec.digest, "actor": "system", "verb": "drift", "now": 250.0, "detail": "why"}
    store.transition(kata.id, before=[State.ACTIVE], after=State.STALE, **told)  # type: ignore[arg-type]
    revised = store.prepare(proposal(command="git diff"), 300.0)
    assert revised is not None and (revised.state, revised.version.number, revised.version.approved) == (State.STALE, 2, None)
    standing = store.standing(kata.id)
    assert standing == (store.version(kata.id, 1), 200.0) and store.why(kata.id) == "why"
    assert [one.number for one in store.versions(kata.id)] == [2, 1]
    assert store.prepare(proposal(command="git diff"), 301.0) is None, "nothing new"
    assert not store.approved(kata.id, revised.version.spec.digest)


def test_the_schema_that_an_agent_saw_last_counts(store: Store) -> None:
    """A18"""
    store.add([start(), event("a", schema="1" * 16), event("b", schema="2" * 16), event("c", schema="")])
    assert store.tools() == {event().call.tool: "2" * 16}


def test_a_row_of_failures_ends_with_a_good_run(store: Store) -> None:
    """A28"""
    kata = approve(store, proposed(store))
    for number, status in enumerate((Status.ERROR, Status.OK, Status.TIMEOUT, Status.REFUSED, Status.ERROR)):
        row = replace(running(store, f"x{number}"), kata=kata.id)
        store.finish_run(row.id, status, "", 500.0)
    assert store.failures(kata.id, 0.0) == 2 and store.failures(kata.id, 1e12) == 0
