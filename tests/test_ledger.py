"""What a routine costs by hand and by its kata, on turns whose every request has a known price."""

from collections.abc import Sequence

import pytest

from kata.ledger import Cost, account, baseline, by_hand, uses
from kata.model import Call, Event, Example, ModelRequest, Outcome, RunRow, Status, StepTrace

Asked = Sequence[str]
"""The tools that one model request asks for."""


def turn(*requests: Asked, tokens: Sequence[int] = (), runs: Sequence[str] = ()) -> tuple[tuple[Event, ...], tuple[ModelRequest, ...]]:
    """A turn: request `n` takes two seconds and costs `tokens[n]`, else 1,000; every call takes one second. The calls of katas name the
    `runs` in order."""
    named, events, asked = iter(runs), [], []
    for number, tools in enumerate(requests):
        price = tokens[number] if tokens else 1_000
        asked.append(ModelRequest("t", f"r{number}", "m", 10.0 * number, 2.0, price - 30, 20, 10, len(tools)))
        for tool in tools:
            at, answer = 10.0 * number + 3, {"run": next(named)} if tool.startswith("kata_n") or tool == "kata_resume" else {"ok": 1}
            events.append(Event(Call(tool, {}), Outcome(Status.OK, answer), "t", f"c{len(events)}", len(events), f"r{number}", at, at + 1))
    return tuple(events), tuple(asked)


def ran(run: str, status: Status = Status.OK, resumes: str = "", left: Asked = (), started: float = 0.0) -> RunRow:
    """A run of five seconds that left those steps."""
    steps = tuple(StepTrace(index, tool, Status.ERROR) for index, tool in enumerate(left))
    return RunRow(run, 1, "kata_n", 1, "d", started, started + 5, status, "", steps, resumes=resumes)


def example(events: Sequence[Event]) -> Example:
    return Example("c", "t", tuple(events))


def test_a_routine_by_hand_costs_the_requests_that_asked_for_it_and_the_one_that_reads_its_end():
    """T72."""
    events, requests = turn(["a"], ["b"], ["c"], [], tokens=[1_000, 1_100, 1_250, 1_400])
    assert by_hand(example(events), requests) == Cost(4, 4_750, 8 + 3)
    assert by_hand(example(events[:2]), requests) == Cost(3, 3_350, 6 + 2)


def test_what_the_agent_did_beside_it_is_not_counted():
    """Foreign requests not at all, a request for a foreign call too by its share."""
    events, requests = turn(["x"], ["a", "y"], ["z"], ["b"], [])
    mine = [event for event in events if event.call.tool in "ab"]
    assert by_hand(example(mine), requests) == Cost(2.5, 2_500, 5 + 2)


def test_what_was_not_recorded_is_not_made_up():
    events, requests = turn(["a"], ["b"], [])
    assert by_hand(example(events), requests[1:]) is None and by_hand(example(()), requests) is None
    assert baseline([None, None]) is None


def test_one_odd_time_does_not_move_the_baseline():
    assert baseline([Cost(4, 4_000, 9), None, Cost(4, 4_100, 11), Cost(20, 90_000, 700)]) == Cost(4, 4_100, 11)


def test_a_use_costs_its_request_the_look_for_the_tool_and_the_request_that_reads_the_answer():
    events, requests = turn(["x"], ["tool_search"], ["tool_describe"], ["kata_n"], [], runs=["1"])
    (one,) = uses(events, requests, [ran("1")])
    assert (one.run, one.ok, one.done, one.bridge, one.spent) == ("1", True, True, 2, Cost(4, 4_000, 8 + 5))


def test_three_uses_in_a_row_and_three_at_once_save_what_they_save():
    """By hand 3 × 5 requests and an end; by the kata three and an end, or one and an end."""
    hand = [by_hand(example(turn(*("abcde"), [])[0]), turn(*("abcde"), [])[1]) or Cost()]
    runs = [ran("1"), ran("2"), ran("3")]
    for asked, took in (([["kata_n"]] * 3, 4), ([["kata_n"] * 3], 2)):
        told = account(1, hand, uses(*turn(*asked, [], runs="123"), runs), 0, 0)
        assert told.saved is not None and told.saved.requests == pytest.approx(16 - took)
        assert told.saved.tokens == pytest.approx((16 - took) * 1_000)


def test_a_run_is_known_by_its_time_where_no_answer_is_kept():
    """`keep_results: false`."""
    events, requests = turn(["kata_n"], [], runs=["?"])
    bare = [Event(one.call, Outcome(Status.OK), "t", "c", 0, one.request, one.started, one.ended) for one in events]
    assert [one.run for one in uses(bare, requests, [ran("far", started=99), ran("near", started=3.5)])] == ["near"]


@pytest.mark.parametrize(("more", "done"), [([["b"], ["c"]], True), ([["c"]], False), ([], False)])
def test_a_run_that_stopped_costs_all_that_follows_and_earns_only_when_its_steps_were_done(more, done):
    """T72: failed runs are subtracted."""
    events, requests = turn(["kata_n"], *more, [], runs=["1"])
    (one,) = uses(events, requests, [ran("1", Status.ERROR, left=["b", "c"])])
    assert (one.ok, one.done, one.spent.requests) == (False, done, 2 + len(more))
    told = account(1, [Cost(5, 5_000, 20)], [one], 0, 0)
    assert (told.failed, told.worth) == (1, int(done)) and told.saved is not None
    assert told.saved.requests == 5 * done - (2 + len(more))


def test_a_run_that_went_on_is_one_use_with_the_one_it_goes_on_with():
    runs = [ran("1", Status.ERROR, left=["b"]), ran("2", resumes="1")]
    events, requests = turn(["kata_n"], ["fix"], ["kata_resume"], [], runs="12")
    (one,) = uses(events, requests, runs)
    assert (one.run, one.ok, one.done, one.spent.requests) == ("1", False, True, 4)


def test_what_follows_a_failed_run_ends_where_the_next_use_begins():
    events, requests = turn(["kata_n"], ["b"], ["kata_n"], [], runs="12")
    first, second = uses(events, requests, [ran("1", Status.ERROR, left=["b"]), ran("2")])
    assert (first.spent.requests, second.spent.requests) == (3, 2)


def test_a_call_again_after_a_failed_run_is_paid_once():
    """T72: the request that calls it again read the failure, and no work was done by then."""
    events, requests = turn(["kata_n"], ["kata_n"], [], runs="12")
    first, second = uses(events, requests, [ran("1", Status.ERROR, left=["b"]), ran("2")])
    assert (first.done, first.spent.requests, second.spent.requests) == (False, 1, 2)


def test_the_line_in_the_prompt_is_paid_in_every_request_and_says_from_when_on_the_kata_pays():
    events, requests = turn(["kata_n"], [], runs="1")
    told = account(1, [Cost(3, 3_000, 9)], uses(events, requests, [ran("1")]), 120, 102)
    assert told.carried == Cost(tokens=3_000) and told.saved == Cost(1, -2_000, 9 - 9)
    assert told.even == 3 and told.to_json()["saved"] == {"requests": 1.0, "tokens": -2000, "seconds": 0.0}


def test_a_kata_that_never_pays_says_so():
    """The agent looks for it longer than the routine takes."""
    events, requests = turn(["tool_search"], ["kata_n"], [], runs="1")
    told = account(1, [Cost(2, 2_000, 5)], uses(events, requests, [ran("1")]), 0, 0)
    assert told.saved is not None and told.saved.requests == -1 and told.even is None


def test_a_run_that_a_person_called_wrong_did_no_work():
    events, requests = turn(["kata_n"], [], runs="1")
    told = account(1, [Cost(5, 5_000, 9)], uses(events, requests, [ran("1")]), 0, 0, wrong=["1"])
    assert (told.failed, told.worth) == (1, 0) and told.saved is not None and told.saved.requests == -2


def test_without_a_measured_time_by_hand_nothing_is_claimed():
    told = account(1, [], (), 100, 10)
    assert told.saved is None and told.each is None and told.even is None and told.to_json()["saved"] is None
