"""Windows, families and their queues, examples and near misses, as they are kept."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from stored import event, opener, proposal, start, whole

from kata.model import NearMiss, Occurrence, Place, TurnEnd
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


def test_families_that_could_be_told_about_wait_longest_first(store: Store) -> None:
    """Those of enough conversations, each once; single calls are no family."""
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
    """In the transaction that deletes the turns."""
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


def test_after_a_sweep_every_family_of_enough_conversations_waits_once_and_what_is_told_about(store: Store) -> None:
    """Mining everything asks of a window once, not for each turn that holds it; one that was begun is ended by whoever mines next."""
    store.misses({4: NearMiss(("x", "y"), "confidence", "", 3, "f4")})
    store.soil()
    held = {7: Place(0, 1, 2), 8: Place(0, 2, 3), 9: Place(0, 0, 1)}
    for turn, conversation in (("t1", "c1"), ("t2", "c2"), ("t3", "c2")):
        store.add(whole(turn, conversation))
        store.mined_together({turn: held if turn != "t3" else held | {5: Place(1, 2, 2)}, "gone": held}, None)
        assert turn not in store.dirty()
    store.sleep(6, 2, 1, 0.5)
    assert store.sweeping() and store.family() == (4, 0)
    store.sweep(2)
    found = []
    while waiting := store.family():
        found.append(waiting)
        store.looked(*waiting)
    assert found == [(8, 0), (6, 0), (7, 0), (4, 0)] and not store.sweeping()


def test_a_sweep_is_for_many_turns_that_are_most_of_all(store: Store) -> None:
    store.add([start(f"t{n}") for n in range(600)])
    assert not store.sweeping(199) and not store.sweeping(299)
    assert store.sweeping(300) and store.sweeping(1), "once begun it is kept until it is done"


def test_weights_count_places_and_size_counts_calls_and_different_windows(store: Store) -> None:
    """A window that stands twice in a turn weighs two."""
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
