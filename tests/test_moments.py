"""When a routine happens, and in which words it was asked for: from times and words that are made up, so that the answer is known."""

from __future__ import annotations

import pytest

from kata.moments import Occasion, moments, rows, timetable, words

MONDAY = 20_052
"""2024-11-25."""


def told(seen: list[Occasion]) -> dict[str, tuple[str, int]]:
    return {one.kind: (one.what, one.held) for one in moments(seen)}


def test_days_are_counted_from_a_thursday() -> None:
    """1970-01-01 was one."""
    assert (Occasion(0, 0).weekday, Occasion(4, 0).weekday, Occasion(MONDAY, 0).weekday) == (3, 0, 0)
    assert Occasion(3, 0).week == 0 and Occasion(4, 0).week == 1


def test_every_monday_morning_is_told_with_its_share_and_gives_a_timetable() -> None:
    """T17."""
    seen = [Occasion(MONDAY - 7 * week, hour) for week, hour in enumerate((9, 9, 8, 9, 15))]
    assert told(seen) == {"hour": ("between 08:00 and 10:00", 4), "weekday": ("on Mondays", 5)}
    assert rows(seen) == ["usually between 08:00 and 10:00: 4 of 5 times", "usually on Mondays: 5 of 5 times"]
    assert timetable(seen) == "0 9 * * 1"


def test_every_workday_is_told_as_that() -> None:
    seen = [Occasion(MONDAY + day + 7 * week, 17) for week in range(3) for day in (0, 2, 4)]
    assert told(seen)["weekday"] == ("on workdays", 9) and timetable(seen) == "0 17 * * 1-5"


def test_a_sunday_is_day_0_of_a_timetable() -> None:
    seen = [Occasion(MONDAY + 6 - 7 * week, 23) for week in range(3)]
    assert timetable(seen) == "0 23 * * 0" and told(seen)["hour"] == ("between 23:00 and 01:00", 3)


@pytest.mark.parametrize("days", [[0, 0, 0], [0, 0, 1, 1]])
def test_what_was_done_often_on_few_days_is_no_habit(days: list[int]) -> None:
    """A first day with Kata says nothing of the days to come."""
    seen = [Occasion(MONDAY + day, 9) for day in days]
    assert moments(seen) == () and timetable(seen) == ""


def test_two_times_say_nothing() -> None:
    assert moments([Occasion(MONDAY, 9, "git pull", True), Occasion(MONDAY - 7, 9, "git pull", True)]) == ()


def test_three_mondays_in_seven_times_are_not_told() -> None:
    """T17: at least half."""
    days = [0, 7, 14, 5, 12, 19, 6]
    assert "weekday" not in told([Occasion(MONDAY + day, 9) for day in days])


def test_what_it_comes_right_after_is_told_and_is_a_better_sign_than_the_clock() -> None:
    """T17: after a skill, or after a call."""
    seen = [Occasion(MONDAY - 7 * week, 9, "the skill release") for week in range(4)]
    assert told(seen)["after"] == ("right after the skill release", 4) and timetable(seen) == ""


def test_the_first_thing_in_a_conversation_is_told() -> None:
    """T17."""
    seen = [Occasion(MONDAY - 7 * week, 9 * week % 24, first=week != 1) for week in range(4)]
    assert told(seen)["first"] == ("as the first thing in a conversation", 3)


def test_a_clock_around_which_it_happens_at_any_time_tells_nothing() -> None:
    seen = [Occasion(MONDAY + 3 * number, (7 * number) % 24) for number in range(12)]
    assert "hour" not in told(seen)


def test_words_are_told_once_latest_first_on_one_line_and_act_on_no_terminal() -> None:
    """T16, B46."""
    said = ["ship\n it", "ship it", "", "\x1b[31mred", "x" * 500]
    assert words([Occasion(0, 0, said=text) for text in said]) == ("ship it", "�[31mred", "x" * 159 + "…")
