"""Which routines have steps in common, and what a person is told of it. (T15)"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from strategies import BRANCHES, Bench, Did, bench, routine, sh

from kata import commands, overlap

KNOWN = {1: tuple("abcde"), 2: tuple("bcd"), 3: tuple("dexy"), 4: tuple("vw"), 5: tuple("ab"), 6: tuple("qrstuvab")}


@pytest.fixture
def desk() -> Iterator[Bench]:
    """A service in memory."""
    with closing(bench()) as one:
        yield one


def test_what_is_inside_around_or_beside_is_told_with_its_steps() -> None:
    """T15"""
    told = {one.other: (one.here, one.there, one.count, one.kind) for one in overlap.shared(1, KNOWN)}
    assert told == {2: (2, 1, 3, "around"), 3: (4, 1, 2, "part"), 5: (1, 1, 2, "around")}
    assert [(one.other, one.kind) for one in overlap.shared(2, KNOWN)] == [(1, "inside")]
    assert overlap.shared(4, KNOWN) == () and overlap.shared(9, KNOWN) == (), "two of eight is no half, and none is none"
    assert [one.kind for one in overlap.shared(1, {1: ("a", "b"), 2: ("a", "b")})] == ["same"]


def longer(number: int) -> tuple[Did, ...]:
    """The usual routine, and a push after it."""
    return *routine(number), sh(f"git push origin {BRANCHES[number]}", "ok")


def test_a_proposal_that_overlaps_a_kata_in_use_says_so_with_the_ways_to_choose(desk: Bench) -> None:
    """T15: list and review name it; nothing is decided by itself, and what a person then does can be undone."""
    desk.approved()
    for number in range(3):
        desk.turn(f"n{number}", *longer(number))
        desk.service.mine()
    (kata,) = [one for one in desk.service.katas() if not one.name]
    text = commands.run(desk.service, ["list"], "cli").text
    assert "overlaps kata 1" in text
    page = commands.run(desk.service, ["review", str(kata.id)], "cli")
    for wanted in ("Overlaps", "steps 1–5 are steps 1–5 of kata_todo_notes", "disable todo_notes", f"reject {kata.id}"):
        assert wanted in " ".join(page.text.split()), page.text
    assert page.json["overlaps"][0]["kata"] == 1 and page.json["overlaps"][0]["kind"] == "around"
    assert [one.state.value for one in desk.service.katas()] == ["active", "candidate"]
