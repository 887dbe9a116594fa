"""What the agent is offered of a kata, and how the arguments of a call are read, by question and handler alike."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from strategies import Bench, bench

from kata import calling
from kata.model import Kata, Refused


@pytest.fixture
def kata() -> Iterator[Kata]:
    with closing(bench()) as desk:
        one: Bench = desk
        yield one.approved("deploy_preview")


def test_the_agent_is_offered_one_tool_with_the_inputs_of_the_kata(kata: Kata) -> None:
    """K24, F2: the host's catalogue shows 60 characters of the description."""
    schema = calling.tool_schema(kata)
    assert schema["name"] == "kata_deploy_preview" and list(schema["parameters"]["properties"]) == ["branch"]
    assert len(schema["description"].split(". ")[0]) <= 60
    assert not calling.tool_schema(kata, ["branch"])["parameters"].get("required")


@pytest.mark.parametrize("given", [None, "text", 7, []])
def test_arguments_that_are_no_object_are_none(kata: Kata, given: object) -> None:
    assert calling.fitted(kata.version.spec, given) == {} == calling.fitted_resume(given)


def test_a_question_is_for_these_arguments_in_this_session(kata: Kata) -> None:
    """K81"""
    key = calling.question_key(kata, {"branch": "a"}, "s1")
    assert key == calling.question_key(kata, {"branch": "a"}, "s1")
    assert key not in (calling.question_key(kata, {"branch": "b"}, "s1"), calling.question_key(kata, {"branch": "a"}, "s2"))
    assert calling.resume_key({"run": "r"}, "s1") != calling.resume_key({"run": "r"}, "s2")


def test_no_answer_of_a_person_holds_for_the_next_question() -> None:
    """K81"""
    first, second = (calling.approval("deploy", "?") for _ in range(2))
    assert first["rule_key"] != second["rule_key"] and first["action"] == "approve"


def refused() -> str:
    raise Refused("not now")


def deep() -> str:
    raise RecursionError


@pytest.mark.parametrize(("act", "error"), [(refused, "not now"), (deep, "The arguments are nested too deeply")])
def test_what_cannot_be_done_is_answered_with_the_reason(act: Callable[[], str], error: str) -> None:
    assert json.loads(calling.told_or_why(act)) == {"error": error}
