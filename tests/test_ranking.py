"""What a proposal would save in a week, from figures that can be worked out on paper, and which of several comes first."""

from __future__ import annotations

from dataclasses import replace

import pytest
from strategies import NOW, events, routine

from kata import ranking
from kata.ledger import Cost
from kata.model import Example, ModelRequest
from kata.ranking import Gain, often, ranked, unpaying, value

WEEK = ranking.WEEK_S


def by_hand(name: str = "t", tokens: int = 1_000, asked: int = 0) -> tuple[Example, list[ModelRequest]]:
    """Five calls of a second each, each asked for by a request of two seconds, and one that reads; `asked` foreign calls in the first."""
    rows = tuple(replace(one, request=f"{name}-{at}") for at, one in enumerate(events(name, routine(0))))
    calls = [1 + asked, 1, 1, 1, 1, 0]
    told = [ModelRequest(name, f"{name}-{at}", "m", NOW + at, 2.0, tokens - 50, 50, 0, n) for at, n in enumerate(calls)]
    return Example("c", name, rows), told


def gained(requests: float, tokens: float = 0.0, seconds: float = 0.0) -> Gain:
    return Gain(Cost(requests + 2, tokens, seconds), Cost(2))


def test_a_time_by_hand_saves_what_stands_between_its_first_request_and_its_last() -> None:
    """T18: six requests by hand, two with the kata; the tools take as long."""
    found = ranking.gain(*by_hand())
    assert found is not None
    assert (found.by_hand, found.by_kata) == (Cost(6, 6_000, 17.0), Cost(2, 2_000, 9.0))
    assert found.saved == Cost(4, 4_000, 8.0) and Gain.from_json(found.to_json()) == found


def test_a_request_that_asked_for_foreign_calls_too_is_shared_on_both_sides() -> None:
    found = ranking.gain(*by_hand(asked=1))
    assert found is not None and found.saved == Cost(4, 4_000, 8.0)
    assert found.by_hand.requests == 5.5 and found.by_kata.requests == 1.5


def test_calls_that_are_asked_for_all_at_once_save_nothing() -> None:
    """T18: by hand two requests, with a kata two."""
    one, _ = by_hand()
    one = replace(one, events=tuple(replace(event, request="r") for event in one.events))
    told = [ModelRequest("t", "r", "m", NOW, 2.0, 950, 50, 0, 5), ModelRequest("t", "s", "m", NOW, 2.0, 950, 50, 0, 0)]
    found = ranking.gain(one, told)
    assert found is not None and found.saved == Cost()
    week = value([found], 3, WEEK, 445, 10)
    assert week is not None and not week.pays and unpaying(week) == ""
    assert "one after the other" in unpaying(replace(week, weeks=2.0))


def test_where_no_request_was_recorded_they_are_counted_by_the_calls() -> None:
    """T18: what comes out of the history has no tokens."""
    one, _ = by_hand()
    assert ranking.gain(one, ()) is None
    assert ranking.counted(one).saved.requests == 4
    unnamed = replace(one, events=tuple(replace(event, request="") for event in one.events))
    assert ranking.counted(unnamed).saved.requests == 4
    week = value([ranking.counted(one)], 3, WEEK, 445, 10_000)
    assert week is not None and week.pays and week.to_json()["a_week"] == {"requests": 12, "tokens": None, "seconds": None}
    assert "tokens" not in ranking.line(week) and "not measured" in " ".join(ranking.rows(week))


@pytest.mark.parametrize(("times", "low", "high"), [(1, 0.025, 5.57), (3, 0.62, 8.77), (10, 4.80, 18.39), (100, 81.4, 121.6)])
def test_how_often_it_may_be_done_holds_at_least_what_nineteen_of_twenty_cases_do(times: int, low: float, high: float) -> None:
    """T18: the exact 95 % interval of a Poisson count lies inside, and fills most of it."""
    least, most = often(times)
    assert least <= low and high <= most and most - least <= 1.08 * (high - low)


def test_a_week_is_the_median_saving_so_often_less_what_the_prompt_carries() -> None:
    """T18: three times in two weeks, 4 requests each; 400 letters in 100 requests a week are 10,000 tokens."""
    week = value([gained(4, 8_000), gained(4, 9_000), gained(6, 20_000)], 3, 2 * WEEK, 400, 100)
    assert week is not None
    assert (week.week.requests, week.week.tokens) == (6.0, 9_000 * 1.5 - 10_000)
    assert week.low.requests < 6.0 < week.high.requests and week.low.tokens < week.week.tokens < week.high.tokens
    assert week.low.requests == pytest.approx(often(3)[0] / 2 * 4) and week.high.requests == pytest.approx(often(3)[1] / 2 * 5)


def test_less_than_a_week_is_not_drawn_out_to_one() -> None:
    """Three times on one day are three times a week, not twenty-one."""
    week = value([gained(4)], 3, 86_400.0, 0, 0)
    assert week is not None and week.week.requests == 12


def test_what_costs_more_than_it_saves_says_how_often_it_would_pay() -> None:
    """T18, T20: the smallest change is named."""
    week = value([gained(4, 8_000)], 3, 2 * WEEK, 400, 1_000)
    assert week is not None and not week.pays and week.week.tokens < 0
    assert unpaying(week).endswith("done 13 times a week it would pay")
    better = value([gained(4, 8_000)], 26, 2 * WEEK, 400, 1_000)
    assert better is not None and better.pays and unpaying(better) == ""


def test_what_may_pay_or_was_not_measured_each_time_is_proposed_all_the_same() -> None:
    """T18, K16: a proposal is withheld only where even the high end costs more."""
    close = value([gained(4, 8_000)], 3, 2 * WEEK, 400, 300)
    assert close is not None and not close.pays and close.high.tokens > 0 and unpaying(close) == ""
    part = value([gained(4, 8_000), replace(gained(4), measured=False)], 3, 2 * WEEK, 400, 1_000)
    assert part is not None and part.high.tokens < 0 and unpaying(part) == ""
    early = value([gained(4, 8_000)], 3, 86_400.0, 400, 3_000)
    assert early is not None and early.high.tokens < 0 and unpaying(early) == ""


def test_the_order_is_by_requests_then_tokens_then_age_and_what_is_not_known_comes_last() -> None:
    """T18."""
    told = {
        1: None,
        2: value([gained(2)], 3, WEEK, 0, 0),
        3: value([gained(4, 10)], 3, WEEK, 0, 0),
        4: value([gained(4, 50)], 3, WEEK, 0, 0),
        5: value([gained(4, 50)], 3, WEEK, 0, 0),
    }
    assert ranked(told) == (4, 5, 3, 2, 1)


def test_a_time_that_was_kept_before_uses_were_reckoned_has_its_mean_request() -> None:
    old = Gain.from_json({"requests": 6, "tokens": 6_000, "seconds": 18})
    assert old.saved == Cost(4, 4_000, 12)


@pytest.mark.parametrize(("number", "text"), [(0.4, "0.4"), (12, "12"), (3_400, "3,400"), (41_200, "41k"), (1.25e6, "1.2M"), (-7.0, "-7")])
def test_a_figure_is_short(number: float, text: str) -> None:
    assert ranking.short(number) == text
