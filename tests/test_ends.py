"""Routines that end where what follows is different each time: the part before is a proposal, and the near miss says which step is free."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing

import pytest
from said import ask, fits
from strategies import Bench, Did, bench, sh, tool

WORDS = ("amber", "birch", "cobalt", "delta", "elm", "fjord")
OTHERS = ("make all", "cargo build", "pytest -q tests", "go test ./...", "tox -e py", "ctest --verbose")


@pytest.fixture
def desk() -> Iterator[Bench]:
    with closing(bench()) as one:
        yield one


def before(word: str) -> tuple[Did, ...]:
    return sh(f"git checkout topic/{word}", "Switched"), sh(f"git pull origin topic/{word}", "ok")


def done(desk: Bench, after: Sequence[Sequence[Did]]) -> None:
    for word, rest in zip(WORDS, after, strict=True):
        desk.turn(word, *before(word), *rest)
        desk.service.mine(None)


@pytest.mark.parametrize("tail", [(), (sh("git push origin here", "ok"),)])
def test_the_part_before_a_free_step_is_a_proposal_and_the_near_miss_says_which_step_is_free(desk: Bench, tail: tuple[Did, ...]) -> None:
    """T5, T20: six conversations `a b X`, X another program each time, whatever comes after it."""
    done(desk, [(sh(other, "ok"), *tail) for other in OTHERS])
    (kata,) = desk.service.katas()
    assert len(kata.version.spec.steps) == 2 and kata.version.fit.support == 6
    (miss,) = desk.service.near()
    assert (miss.rule, miss.support, len(miss.keys)) == ("free", 6, 3)
    assert miss.detail.startswith("step 3 is different each time (ctest, tox, go test, pytest, …); ")
    assert miss.detail.endswith(f"the 2 steps before it are proposal {kata.id}")
    answer = ask(desk, "near")
    assert "git checkout, git pull, …" in answer.text and "fails free: step 3 is different each time" in answer.text and fits(answer)


def test_a_failed_try_of_the_free_step_is_no_step(desk: Bench) -> None:
    """T4: what did not work is passed over."""
    failed = Did("terminal", {"command": "make"}, '{"output": "no rule", "exit_code": 2, "error": null}')
    done(desk, [(failed, sh(other, "ok")) for other in OTHERS])
    assert [one.rule for one in desk.service.near()] == ["free"]


def test_what_follows_now_and_then_or_twice_in_one_way_is_no_free_step(desk: Bench) -> None:
    """T5: no form is claimed, and none denied, of what is rare or comes back."""
    done(desk, [(sh(other, "ok"),) if at < 3 else () for at, other in enumerate(OTHERS)])
    assert desk.service.near() == () and len(desk.service.katas()) == 1


def test_a_step_that_comes_back_is_not_free(desk: Bench) -> None:
    done(desk, [(sh(OTHERS[max(1, at)], "ok"),) for at in range(6)])
    assert [one for one in desk.service.near() if one.rule == "free"] == []


def test_a_question_to_the_person_is_no_free_step(desk: Bench) -> None:
    done(desk, [(tool("clarify", {"answer": "yes"}, question=f"go on with {word}?"),) for word in WORDS])
    assert desk.service.near() == ()


def test_it_cannot_be_forced_and_goes_when_the_proposal_is_decided(desk: Bench) -> None:
    """T20: there is nothing in it that could be approved."""
    done(desk, [(sh(other, "ok"),) for other in OTHERS])
    (miss,) = desk.service.near()
    answer = ask(desk, f"near {miss.short} review")
    assert answer.code == 1 and "the steps before it are a proposal already" in " ".join(answer.text.split())
    desk.service.reject("1", "cli")
    assert desk.service.near() == ()
