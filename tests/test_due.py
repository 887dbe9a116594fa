"""A few at each look, the oldest first, and nothing is forgotten or made up."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from kata.due import Due


def doubled(asked: Sequence[int]) -> dict[int, int]:
    return {one: 2 * one for one in asked}


def test_a_few_are_worked_out_at_each_look_until_none_is_due() -> None:
    due = Due[int, int](most=2)
    looks = [(due.look(range(5), "a", doubled), due.left) for _ in range(4)]
    assert [(sorted(found), left) for found, left in looks] == [([0, 1], 3), ([0, 1, 2, 3], 1), ([0, 1, 2, 3, 4], 0), ([0, 1, 2, 3, 4], 0)]


def test_after_something_happened_the_oldest_come_first_and_the_others_stay_as_they_were() -> None:
    due, worked = Due[int, str](most=2), list[list[int]]()

    def work(asked: Sequence[int]) -> dict[int, str]:
        worked.append(list(asked))
        return dict.fromkeys(asked, f"at look {len(worked)}")

    for pulse in "aabbb":
        found = due.look([1, 2, 3, 4], pulse, work)
    assert worked == [[1, 2], [3, 4], [1, 2], [3, 4]]
    assert found == {1: "at look 3", 2: "at look 3", 3: "at look 4", 4: "at look 4"} and due.left == 0


def test_where_no_answer_may_be_missing_all_that_is_new_is_worked_out_at_once() -> None:
    due = Due[int, int](most=1, whole=True)
    assert due.look(range(4), "a", doubled) == doubled(range(4)) and due.left == 0
    assert due.look(range(6), "b", doubled) == doubled(range(6)) and due.left == 4


@given(st.lists(st.tuples(st.frozensets(st.integers(0, 9)), st.integers(0, 2)), max_size=8), st.integers(0, 3), st.booleans())
def test_what_is_told_is_what_was_worked_out_and_everything_is_after_enough_looks(
    looks: list[tuple[frozenset[int], int]], most: int, whole: bool
) -> None:
    due = Due[int, int](most=most, whole=whole)
    for wanted, pulse in looks:
        found = due.look(wanted, pulse, doubled)
        assert found.items() <= doubled([*wanted]).items() and (found.keys() == wanted or most and not whole)
    for _ in range(10):
        found = due.look(range(10), "end", doubled)
    assert found == doubled(range(10)) and due.left == 0 or most == 0
