"""Judgements on katas: the verdict by its rules, the comparison with what was done by hand, and the wording that was missing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import FILES, bench, family, five, routine, sh, tool

from kata.ledger import Account, Cost
from kata.model import Example, Spec
from kata.verdicts import DAY, Life, Missed, compared, differs, proven, sentence, usual_pause, verdict

NOW = 400 * DAY
WEEKLY = [NOW - days * DAY for days in (40, 33, 26)]


def told(saved: float = 100.0, uses: int = 5, by_hand: Cost | None = None) -> Account:
    """An account of five uses that saved so many tokens, and as many hundredths of a request."""
    spent = Cost(0, 1_000 * uses - saved, 0)
    return Account(1, uses, 0, 0, 3, by_hand or Cost(saved / 100 / max(uses, 1), 1_000, 0), spent, Cost(), uses)


def life(*used: float, changed: tuple[float, ...] = (), since: float = NOW - 20 * DAY) -> Life:
    return Life(WEEKLY, [NOW - days * DAY for days in used], [NOW - days * DAY for days in changed], since, NOW)


@pytest.mark.parametrize(
    ("account", "happened", "word"),
    [
        (told(), life(1, 3, 5, 7, 9), "working"),
        (told(-100), life(1, 3, 5, 7, 9), "not helping"),
        (told(uses=2), life(1, 3), "too early"),
        (told(uses=0), life(), "too early"),
        (told(uses=0), life(1, 2, 3), "no data"),
        (Account(1, 3, 0, 0, 0, None, Cost(3, 3_000, 9), Cost(), 3), life(1, 2, 3), "no data"),
        (told(), life(60, 61, 62, since=NOW - 90 * DAY), "unused"),
        (told(uses=0), life(since=NOW - 60 * DAY), "unused"),
        (told(), life(1, 2, 3, changed=(1, 2, 3)), "churning"),
        (told(), life(1, 2, 3, changed=(1, 2, 50)), "working"),
    ],
)
def test_each_verdict_has_its_numbers_and_its_rule(account: Account, happened: Life, word: str) -> None:
    """T73."""
    found = verdict(account, happened)
    assert (found.word, bool(found.numbers), bool(found.rule)) == (word, True, True)


@pytest.mark.parametrize(
    ("happened", "numbers"),
    [
        (life(since=NOW), "not called yet"),
        (life(0.1, since=NOW - 0.5 * DAY), "called once in less than a day"),
        (life(1, since=NOW - DAY), "called once in 1 day"),
        (life(1, 2, since=NOW - 5 * DAY), "called twice in 5 days"),
    ],
)
def test_too_early_is_told_in_words(happened: Life, numbers: str) -> None:
    assert verdict(told(uses=0), happened).numbers == numbers


def test_unused_is_measured_by_the_routines_own_rhythm() -> None:
    """T73: a routine that comes every quarter is not unused after a month."""
    quarterly = Life([NOW - days * DAY for days in (290, 200, 110)], [], [], NOW - 40 * DAY, NOW)
    daily = Life([NOW - days * DAY for days in (43, 42, 41)], [], [], NOW - 40 * DAY, NOW)
    assert (verdict(told(uses=0), quarterly).word, verdict(told(uses=0), daily).word) == ("too early", "unused")
    assert usual_pause(quarterly.done) == 90 * DAY and usual_pause([NOW]) == 0


@given(st.floats(-1e6, 1e6), st.integers(0, 9), st.lists(st.floats(0, 300), max_size=9), st.lists(st.floats(0, 300), max_size=5))
def test_there_is_always_one_verdict(saved: float, uses: int, used: list[float], changed: list[float]) -> None:
    found = verdict(told(saved, max(uses, 1)), life(*used, changed=tuple(changed)))
    assert found.word in ("working", "not helping", "unused", "churning", "too early", "no data")


# ── Shadow ───────────────────────────────────────────────────────────────────────────────────────


def learnt() -> Spec:
    desk = bench()
    spec = desk.learn().version.spec
    desk.close()
    return spec


def one(*done: object) -> Example:
    return family(done)[0]  # type: ignore[arg-type]


def test_what_is_done_as_always_is_what_the_kata_would_have_called() -> None:
    """T55."""
    found = [compared(learnt(), one(*routine(number))) for number in (3, 4, 5)]
    assert all(each.equal for each in found) and proven(found) and not proven(found[:2])
    assert found[0].to_json() == {"turn": "t0", "at": found[0].at, "equal": True}


def test_a_difference_is_shown_with_its_step_as_it_was_and_as_it_would_have_been() -> None:
    """T55: the input of step 1 is known by then, and the reference has its value."""
    first, second, third, _, last = five("topic", FILES[0])
    found = compared(learnt(), one(first, second, third, sh(f"wc -c {FILES[0]}", "12"), last))
    assert (found.equal, found.step, found.was, found.would) == (False, 4, f"wc -c {FILES[0]}", f"wc -l {FILES[0]}")
    assert not proven([found, *[compared(learnt(), one(*routine(3)))] * 3])


def test_more_or_fewer_steps_are_a_difference() -> None:
    spec = learnt()
    assert differs(spec, one(*routine(3)[:4])) == 5
    assert differs(spec, one(*routine(3), sh("git push"))) == 6
    assert compared(spec, one(*routine(3)[:4])).was == "nothing" and compared(spec, one(*routine(3), sh("git push"))).would == "nothing"


def test_another_tool_is_a_difference_at_its_step() -> None:
    first, second, *_ = routine(3)
    found = compared(learnt(), one(first, second, tool("write_file", {}, path="x", content="y")))
    assert found.step == 3 and found.was.startswith("write_file")


# ── Missed chances ───────────────────────────────────────────────────────────────────────────────


def missed(*messages: str, **inputs: str) -> list[Missed]:
    return [Missed("t", NOW, message, inputs, False) for message in messages]


def test_the_wording_that_was_missing_is_the_users_own_without_the_values() -> None:
    """T76."""
    found = missed("Take a note of the TODO about amber, please.", "Please take a note of the TODO about amber", pattern="amber")
    assert sentence(found, "note todo") == "Take a note of the TODO about (pattern)"
    assert len(sentence(missed("word " * 40), "x")) < 60


def test_nothing_is_suggested_where_the_words_are_there_already_or_nothing_is_in_common() -> None:
    assert sentence([], "x") == "" and sentence(missed("note todo"), "note todo") == ""
    assert sentence(missed("12 34"), "x") == ""
