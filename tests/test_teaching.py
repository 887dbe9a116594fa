"""Teaching on purpose (T22): what was done once becomes a candidate at once; what varies is what a person says, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from kata import commands, templating
from kata.asking import Answer
from kata.model import Example, Refused, State, Status
from kata.teaching import lesson, taught

from .strategies import Bench, bench, events, failed, sh, tool

Json = Any


def branch(name: str, found: str = "7f3a9c1") -> tuple[Any, ...]:
    """Three steps about a branch; the last takes what the second printed."""
    return sh(f"git checkout -b {name}"), sh(f"git rev-parse {name}", found), sh(f"git tag {name}-start {found}")


@pytest.fixture
def desk() -> Iterator[Bench]:
    made = bench()
    yield made
    made.close()


def teach(desk: Bench, *words: str, session: str = "s-c1") -> Answer:
    return commands.run(desk.service, ("teach", *words), "chat", session=session)


def values(one: Bench) -> list[tuple[str, tuple[Json, ...]]]:
    return [(field.name, field.examples) for field in one.service.katas()[-1].version.spec.inputs]


def test_the_last_turn_is_a_candidate_at_once_and_says_from_how_little(desk: Bench) -> None:
    """T13, T22"""
    desk.turn("c1", sh("ls"))
    desk.turn("c1", *branch("feature-x"))
    told = teach(desk, "--vary", "branch=feature-x")
    (kata,) = desk.service.katas()
    assert told.code == 0 and kata.state is State.CANDIDATE and len(kata.version.spec.steps) == 3
    assert values(desk) == [("branch", ("feature-x",))]
    page = " ".join(commands.run(desk.service, ("review", "1"), "chat").text.split())
    assert "taught from 1 example" in page and "confidence" not in page and "12 of 12 checks passed" in page
    assert "taught from 1 example" in commands.run(desk.service, ("list",), "chat").text


def test_what_varies_goes_to_every_place_and_only_where_it_is_a_value(desk: Bench) -> None:
    desk.turn("c1", *branch("feature-x"))
    teach(desk, "vary", "branch=feature-x")
    (kata,) = desk.service.katas()
    spec, example = kata.version.spec, kata.version.exhibits[0]
    made = [templating.render(step.arguments, {"branch": "topic"}, example.results)["command"] for step in spec.steps]
    assert made == ["git checkout -b topic", "git rev-parse topic", "git tag topic-start 7f3a9c1"]


def test_numbers_and_parts_of_paths_vary_too(desk: Bench) -> None:
    note = tool("write_file", {"ok": True}, path="notes/4711.md", content="x")
    desk.turn("c1", tool("mcp__issues__get", {"ok": True}, number=4711), note)
    assert teach(desk, "--vary", "issue=4711").code == 0
    (kata,) = desk.service.katas()
    made = [templating.render(step.arguments, {"issue": 12}, kata.version.exhibits[0].results) for step in kata.version.spec.steps]
    assert made[0] == {"number": 12} and made[1]["path"] == "notes/12.md"


def test_what_stands_fixed_around_a_value_is_no_part_of_it(desk: Bench) -> None:
    push = sh("git push origin topic/amber:refs/amber")
    desk.turn("c1", sh("mkdir -p shelf/amber/new"), sh("cp a.txt shelf/amber/new/a-amber.txt"), push)
    assert teach(desk, "--vary", "word=amber").code == 0
    spec = desk.service.katas()[0].version.spec
    made = [templating.render(step.arguments, {"word": "birch"}, [{}, {}, {}])["command"] for step in spec.steps]
    assert made[0] == "mkdir -p shelf/birch/new" and made[1] == "cp a.txt shelf/birch/new/a-birch.txt"
    assert made[2] == "git push origin topic/birch:refs/birch"


def test_the_second_example_needs_no_word_on_what_varied_before(desk: Bench) -> None:
    desk.turn("c1", sh("mkdir -p shelf/amber"), sh("ls shelf/amber"))
    teach(desk, "--vary", "word=amber")
    desk.turn("c2", sh("mkdir -p shelf/birch"), sh("ls shelf/birch"))
    assert teach(desk, session="s-c2").code == 0 and values(desk) == [("word", ("birch", "amber"))]


def test_two_values_vary_apart(desk: Bench) -> None:
    desk.turn("c1", sh("git checkout -b feature-x main-7"), sh("git push origin feature-x"), sh("git log main-7"))
    assert teach(desk, "--vary", "branch=feature-x", "--vary", "base=main-7").code == 0
    spec = desk.service.katas()[0].version.spec
    made = [templating.render(step.arguments, {"branch": "b", "base": "m"}, [{}, {}])["command"] for step in spec.steps]
    assert made == ["git checkout -b b m", "git push origin b", "git log m"]


def test_a_second_example_refines_it_by_ordinary_learning(desk: Bench) -> None:
    """T22: what the first could not tell, that the tag takes what was printed before, the second shows."""
    desk.turn("c1", *branch("feature-x"))
    teach(desk, "--vary", "branch=feature-x")
    desk.turn("c2", *branch("topic-y", "0b5d2e8"))
    told = teach(desk, session="s-c2")
    (kata,) = desk.service.katas()
    assert told.code == 0 and kata.id == 1 and kata.version.fit.taught == 2
    assert values(desk) == [("branch", ("topic-y", "feature-x"))], "the name that the person gave stays"
    made = templating.render(kata.version.spec.steps[2].arguments, {"branch": "z"}, [{}, {"output": "abcdef0", "exit_code": 0}])
    assert made["command"] == "git tag z-start abcdef0"
    assert "taught from 2 examples" in commands.run(desk.service, ("list",), "chat").text


def test_mining_does_not_take_back_what_a_person_taught_and_takes_over_with_enough(desk: Bench) -> None:
    desk.turn("c1", *branch("feature-x"))
    teach(desk, "--vary", "branch=feature-x")
    desk.service.mine()
    desk.service.remine()
    assert [kata.version.fit.taught for kata in desk.service.katas()] == [1]
    for number, name in enumerate(("topic-y", "bug-z"), 2):
        desk.turn(f"c{number}", *branch(name, f"0b5d2e{number}"))
        desk.service.mine()
    (kata,) = desk.service.katas()
    assert (kata.id, kata.version.fit.taught, kata.version.fit.support) == (1, 0, 3)


def test_it_is_approved_like_any_other(desk: Bench) -> None:
    desk.turn("c1", *branch("feature-x"))
    teach(desk, "--vary", "branch=feature-x")
    desk.service.review("1", "chat")
    kata = desk.service.approve("1", "start_branch", "chat")
    assert kata.state is State.ACTIVE and kata.tool == "kata_start_branch"
    told = teach(desk)
    assert told.code == 1 and "active kata_start_branch" in told.text
    assert desk.service.announcement("cli") is None, "who taught it need not be told"


def test_the_last_calls_of_several_turns_may_be_taught_too(desk: Bench) -> None:
    first, second, third = branch("feature-x")
    desk.turn("c1", sh("ls"), first)
    desk.turn("c1", second, third)
    assert teach(desk, "3").code == 0
    assert len(desk.service.katas()[0].version.spec.steps) == 3


def test_in_a_chat_it_is_that_chats_turn_and_in_a_shell_the_newest(desk: Bench) -> None:
    desk.turn("c1", *branch("feature-x"))
    desk.turn("c2", sh("ls a"), sh("wc -l a"))
    assert teach(desk, session="s-c1").json["steps"] == teach(desk, session="s-c1").json["steps"]
    assert len(desk.service.katas()[0].version.spec.steps) == 3
    shell = commands.run(desk.service, ("teach",), "cli")
    assert shell.code == 0 and len(desk.service.katas()[1].version.spec.steps) == 2


def test_what_cannot_be_a_step_is_left_out_and_told_with_the_reason(desk: Bench) -> None:
    """A4, A5, B27"""
    ask, child = tool("clarify", {"answer": "yes"}, question="which?"), tool("delegate_task", {"ok": True}, goal="look")
    ours, book = tool("kata_note", {"status": "ok"}, word="x"), tool("todo_list", {"ok": True})
    desk.turn("c1", sh("ls src"), failed("read_file", path="gone"), ask, child, ours, book, sh("wc -l src/a"))
    told = teach(desk)
    text = " ".join(told.text.split())
    reasons = "it failed", "waits for a person", "hands work to another agent", "belongs to Kata itself", "bookkeeping"
    assert [reason for reason in reasons if reason not in text] == [], text
    assert len(told.json["left"]) == 5 and len(desk.service.katas()[0].version.spec.steps) == 2


def test_a_masked_place_of_what_is_taught_is_a_secret_input(desk: Bench) -> None:
    """T43: it is asked for, and shows no example."""
    secret = "ghp_" + "0123456789abcdefghijABCDEFGHIJ456789"
    desk.turn("c1", sh("ls src"), sh(f"curl -H 'Authorization: Bearer {secret}' https://x.example/v1"))
    teach(desk)
    (field,) = desk.service.katas()[0].version.spec.inputs
    assert (field.type, field.examples, field.choices) == ("secret", (), ())


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--vary", "branch=nowhere"), "does not stand in these calls"),
        (("--vary", "Branch=feature-x"), "Expected a name of small letters"),
        (("--vary", "branch="), "Expected the text"),
        (("1",), "A routine has 2 to 20 steps"),
    ],
)
def test_what_cannot_be_taught_is_refused_with_the_reason(desk: Bench, words: tuple[str, ...], reason: str) -> None:
    desk.turn("c1", *branch("feature-x"))
    told = teach(desk, *words)
    assert told.code == 1 and reason in " ".join(told.text.split()) and desk.service.katas() == ()


@pytest.mark.parametrize("words", [("0",), ("2", "3"), ("branch",), ("all", "of", "it")])
def test_what_is_not_understood_is_said(desk: Bench, words: tuple[str, ...]) -> None:
    assert teach(desk, *words).code == 2


def test_without_a_call_there_is_nothing_to_teach(desk: Bench) -> None:
    assert "No call is recorded" in teach(desk).text
    desk.turn("c1", *branch("feature-x"))
    assert "No call is recorded" in teach(desk, session="s-other").text


def test_a_rejected_routine_is_not_taught_past_the_rejection(desk: Bench) -> None:
    """A29"""
    desk.turn("c1", *branch("feature-x"))
    teach(desk)
    desk.service.reject("1", "chat")
    assert "rejected" in teach(desk).text


def test_a_value_that_would_be_code_is_refused() -> None:
    """B29: the ordinary rules of commands hold."""
    one = lesson("c", "t", events("t", (sh("bash -c 'echo hello'"), sh("ls"))))
    with pytest.raises(Refused, match=r"cannot be one tool|value of its own"):
        taught(one, {"code": "echo hello"})


def test_the_lesson_that_repeats_a_step_at_once_keeps_every_call() -> None:
    one = lesson("c", "t", events("t", (sh("touch a"), sh("touch b"), sh("ls"))))
    assert len(one.keys) == len(one.example.events) == 3
    assert taught(one, {}).fit.taught == 1
    assert replace(one.example, events=()) == Example("c", "t", ()) and one.example.events[0].outcome.status is Status.OK
