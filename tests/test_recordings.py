"""What was recorded comes out as it went in, in its order, once."""

import os
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stored import event, in_memory, opener, raw, start, texts, values, whole

from kata.model import Call, Event, Json, ModelRequest, Outcome, Place, SchemaSeen, Status, StoreError, TurnEnd, canonical
from kata.store import Store


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
    """A turn that nobody announced is a background fork."""
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


def test_retention_takes_all_that_hangs_on_a_turn_and_nothing_else(path: Path, store: Store) -> None:
    """K98: derived rows go with their turn, in the same transaction."""
    for turn, at in (("old", 10.0), ("new", 1000.0)):
        store.add([*whole(turn, turn, at), ModelRequest(turn, "r", "m", at, 1.0, 1, 1, 1, 1)])
        store.mined(turn, {7: Place(0, 1)})
    store.add([start("never ended", at=11.0)])
    assert store.forget(before=500.0) == 2
    assert store.support([7]) == {7: {"new": frozenset({"new"})}}
    assert [raw(path, f"SELECT count(*) FROM {table}")[0][0] for table in ("turns", "events", "requests", "windows")] == [1, 3, 1, 1]
    assert store.forget(before=500.0) == 0


# ── Runs that stop, go on, or are in each other's way ────────────────────────────────────────────


def test_sessions_of_one_conversation_belong_together(store: Store) -> None:
    """A2."""
    store.add([replace(start(f"t{n}", f"c{n // 3}"), session=f"s{n}") for n in (1, 2, 3)])
    assert store.together("s1", "s2") and store.together("x", "x")
    assert not store.together("s1", "s3") and not store.together("s1", "x")


# ── Versions and what came of them ───────────────────────────────────────────────────────────────


def test_the_schema_that_an_agent_saw_last_counts(store: Store) -> None:
    """A18"""
    store.add([start(), event("a", schema="1" * 16), event("b", schema="2" * 16), event("c", schema="")])
    assert store.tools() == {event().call.tool: "2" * 16}
