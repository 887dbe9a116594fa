"""Two routines with steps in common: one proposal for both, a kata with further steps, or two things, as a person says. (T15)"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import Bench, Did, bench, sh

from kata import commands, overlap
from kata.asking import Answer
from kata.model import Input, Kata, Outcome, Refused, StepCall, walk

WORDS = ("login", "crash", "deps", "docs", "perf", "scan", "fresh", "late")


def first(word: str) -> tuple[Did, ...]:
    """The first three of four steps."""
    return sh(f"git checkout {word}", "Switched"), sh("npm ci", "added"), sh("npm test", "passed")


def last(word: str) -> tuple[Did, ...]:
    """The last three of four steps."""
    return *first(word)[1:], sh(f"git push origin {word}", "ok")


def whole(word: str) -> tuple[Did, ...]:
    return *first(word), last(word)[-1]


@pytest.fixture
def desk() -> Iterator[Bench]:
    """Two proposals, of which one goes on where the other ends."""
    with closing(bench()) as one:
        for number, word in enumerate(WORDS[:6]):
            one.turn(word, *(first if number < 3 else last)(word))
            one.service.mine()
        assert [kata.id for kata in one.service.katas()] == [1, 2]
        yield one


def say(desk: Bench, line: str, surface: str = "cli") -> Answer:
    answer = commands.run(desk.service, commands.split(line), surface)
    assert all(len(row) <= 80 for row in answer.text.split("\n"))
    return answer


def flat(answer: Answer) -> str:
    return " ".join(answer.text.split())


def in_one_go(desk: Bench, word: str = "fresh") -> None:
    desk.turn(word, *whole(word))
    desk.service.mine()


def in_use(desk: Bench) -> Kata:
    """The first one as `kata_go`."""
    desk.service.review("1", "cli")
    return desk.service.approve("1", "go", "cli")


def listed(desk: Bench) -> dict[int, str]:
    return {one["id"]: one["state"] for one in say(desk, "list").json["katas"]}


KEYS = st.lists(st.sampled_from("abcd"), min_size=2, max_size=5).map(tuple)


@given(KEYS, KEYS)
def test_what_both_are_in_one_holds_both_and_nothing_else(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    """T15: and a row of the page offers it exactly where it can be made, or nothing is said of the two."""
    found = overlap.union(one, other)
    assert found == overlap.union(one, other) and (found is None) == (overlap.union(other, one) is None)
    if found is not None:
        places = [overlap.within(keys, found) for keys in (one, other)]
        assert min(places) == 0 and len(found) == max(at + len(keys) for at, keys in zip(places, (one, other), strict=True))
    assert all(found is not None for told in overlap.shared(1, {1: one, 2: other}) if told.joins)


def test_a_merge_waits_until_the_whole_was_done_once(desk: Bench) -> None:
    """T15: how the values of both belong together is not made up."""
    answer = say(desk, "merge 1 with 2")
    assert answer.code == 1 and "Nobody did all 4 steps in one go yet" in flat(answer) and "'separate 1 from 2'" in flat(answer)
    assert listed(desk) == {1: "candidate", 2: "candidate"} and [row.verb for row in desk.store.audit(9)] == ["propose"] * 2


@pytest.mark.parametrize("line", ["merge 1 with 2", "merge 2 1"])
def test_two_proposals_become_one_that_is_checked_and_waits(desk: Bench, line: str) -> None:
    """T15, K4: one input for what both ask for, what was expected of answers still is, and the two are told about no more."""
    in_one_go(desk)
    answer = say(desk, line, "chat")
    assert answer.code == 0 and "proposal 3 stands for both" in flat(answer) and sorted(answer.json["stands_for"]) == [1, 2]
    assert listed(desk) == {3: "candidate"} and "overlaps" not in say(desk, "list").text
    version = desk.service.find("3").version
    asked = [[part.name for part in walk(step.arguments) if isinstance(part, Input)] for step in version.spec.steps]
    assert asked == [["branch"], [], [], ["branch"]] and version.fit.taught == 1
    assert len(version.checks) == 12 and all(check.passed for check in version.checks)
    assert [bool(step.traits) for step in version.spec.steps] == [True] * 4
    assert desk.service.active() == () and desk.store.audit(1)[0].actor == "chat"
    assert "By your decision" not in (text := flat(say(desk, "review 1"))) and "by your decision proposal 3 stands for it" in text
    desk.service.review("3", "cli")
    kata, calls = desk.service.approve("3", "ship", "cli"), list[str]()

    def answered(asked: StepCall) -> Outcome:
        calls.append(asked.call.arguments["command"])
        return Outcome.read(whole("x")[asked.index].result)

    desk.service.start(kata, {"branch": "topic"}, "r", "s", answered)
    assert calls == ["git checkout topic", "npm ci", "npm test", "git push origin topic"]
    assert listed(desk) == {3: "active"}


def test_a_merge_is_taken_back_and_made_again(desk: Bench) -> None:
    """T68: in the log, and under the same number."""
    in_one_go(desk)
    say(desk, "merge 1 with 2")
    answer = say(desk, "undo")
    assert "Taken back: 'merge'. Both are told about by themselves again." in flat(answer)
    assert listed(desk) == {1: "candidate", 2: "candidate"} and "overlaps kata 2" in say(desk, "list").text
    assert flat(say(desk, "review 3")) == "The proposal 3 was taken back: 'merge' was taken back"
    assert [row.verb for row in desk.store.audit(3)] == ["undo", "merge", "propose"]
    assert say(desk, "merge 1 with 2").json["id"] == 3 and listed(desk) == {3: "candidate"}
    assert desk.store.proven()[1] == 0


def test_where_one_is_a_piece_of_the_other_the_longer_one_stands_for_both(desk: Bench) -> None:
    """T15: it is there already, and stays when the merge is taken back; who rejects it has the piece again."""
    for word in WORDS[6:]:
        in_one_go(desk, word)
    say(desk, "merge 1 with 2")
    say(desk, "undo")
    desk.service.merge("1", "2", "cli")
    assert say(desk, "merge 3 with 1").json["stands_for"] == [1, 2]
    assert "Taken back: 'merge'" in say(desk, "undo").text and listed(desk) == {3: "candidate"}, "the earlier merge holds"
    assert say(desk, "reject 3").code == 0 and listed(desk) == {1: "candidate", 2: "candidate"}


def test_mining_goes_on_with_what_was_merged(desk: Bench) -> None:
    """Better evidence makes a better proposal of the same number, and the pieces stay put away."""
    in_one_go(desk)
    desk.service.merge("1", "2", "cli")
    for word in ("late", "later", "latest"):
        in_one_go(desk, word)
    desk.service.remine()
    fit, shown = desk.service.find("3").version.fit, listed(desk)
    assert (fit.taught, fit.support) == (0, 4) and shown[3] == "candidate" and not {1, 2} & shown.keys()


def test_a_kata_in_use_is_extended_and_stays_in_use_until_the_approval(desk: Bench) -> None:
    """T15, K4: approved under its name the longer one takes its place, in one decision that can be taken back."""
    in_one_go(desk)
    old = in_use(desk)
    assert "hermes kata extend go with 2" in flat(say(desk, "review 2"))
    answer = say(desk, "extend go with 2")
    assert answer.code == 0 and "Approved as go it takes its place; until then nothing changes." in flat(answer)
    assert answer.json["extends"] == 1 and listed(desk) == {1: "active", 3: "candidate"} and desk.service.active() == (old,)
    assert "it extends kata_go: approved as go it takes its place" in flat(say(desk, "review 3"))
    assert say(desk, "approve 3 as go").code == 0
    now = {kata.id: (kata.tool, kata.state.value) for kata in desk.service.katas()}
    assert now == {1: ("kata_go_before", "disabled"), 3: ("kata_go", "active")}
    assert [kata.id for kata in desk.service.active()] == [3]
    assert say(desk, "undo").code == 0 and desk.service.active() == (old,) and listed(desk) == {1: "active", 3: "candidate"}
    assert desk.store.proven()[1] == 0


def test_an_extension_under_another_name_leaves_the_kata_as_it_is(desk: Bench) -> None:
    in_one_go(desk)
    in_use(desk)
    desk.service.extend("go", "2", "cli")
    desk.service.review("3", "cli")
    desk.service.approve("3", "ship", "cli")
    assert sorted(kata.tool for kata in desk.service.active()) == ["kata_go", "kata_ship"]
    with pytest.raises(Refused, match="The name 'go' is taken by kata 1"):
        desk.service.rename("3", "go", "cli")


def test_a_kata_that_was_changed_since_gives_its_place_back_to_nobody(desk: Bench) -> None:
    """T68: what somebody did meanwhile is not undone with it."""
    in_one_go(desk)
    in_use(desk)
    desk.service.extend("go", "2", "cli")
    desk.service.review("3", "cli")
    desk.service.approve("3", "go", "cli")
    desk.schemas["terminal"] = "0" * 16
    with pytest.raises(Refused, match="does not pass every check any more"):
        desk.service.undo("cli")
    assert [kata.id for kata in desk.service.active()] == [3]


def test_two_that_are_two_things_are_not_named_beside_each_other(desk: Bench) -> None:
    """T15, T68."""
    answer = say(desk, "separate 1 from 2")
    assert answer.code == 0 and "proposal 1 and proposal 2 are two things" in flat(answer)
    assert "overlaps" not in say(desk, "list").text and "Overlaps" not in say(desk, "review 1").text
    assert say(desk, "review 2").json["overlaps"] == [] and desk.store.audit(1)[0].verb == "separate"
    assert "two things already" in flat(say(desk, "separate 2 from 1"))
    assert "They are named beside each other again." in flat(say(desk, "undo")) and "overlaps kata 1" in say(desk, "list").text


@pytest.mark.parametrize(
    ("line", "code", "reason"),
    [
        ("merge 1", 2, "Expected: hermes kata merge N with M"),
        ("merge 1 with", 2, "Expected: hermes kata merge N with M"),
        ("merge 1 and 2", 2, "Expected: hermes kata merge N with M"),
        ("separate 1 with 2", 2, "Expected: hermes kata separate N from M"),
        ("merge 1 with 1", 1, "Kata 1 is one routine; two are needed"),
        ("merge 1 with 9", 1, "There is no kata '9'"),
        ("merge 2 with go", 1, "kata_go is active, not a proposal: 'extend go with 2'"),
        ("extend 2 with go", 1, "nobody approved it: 'merge 2 with 1'"),
        ("extend go with 4", 1, "kata_go does every step of kata 4 already: 'reject 4'"),
        ("merge 2 with 3", 1, "no 2 steps in a row in common"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(desk: Bench, line: str, code: int, reason: str) -> None:
    in_one_go(desk)
    in_use(desk)
    for number in range(3):
        desk.turn(f"x{number}", sh(f"ls lib/{number}"), sh(f"wc -l lib/{number}"))
    for number in range(6):
        desk.turn(f"y{number}", *first(f"y{number}")[:2])
    desk.service.mine()
    before = desk.service.katas(), desk.store.audit(99)
    assert [kata.id for kata in before[0]] == [1, 2, 3, 4], "a routine of its own, and a piece of what is in use"
    answer = say(desk, line)
    assert (answer.code, (desk.service.katas(), desk.store.audit(99))) == (code, before) and reason in flat(answer), answer.text


def test_what_goes_apart_on_both_sides_stays_two(desk: Bench) -> None:
    """T15: then only keeping them apart is offered."""
    for number in range(3):
        word = f"z{number}"
        desk.turn(word, sh(f"make {word}"), *last(word)[:2], sh(f"rsync out {word}:"))
        desk.service.mine()
    assert [kata.id for kata in desk.service.katas()] == [1, 2, 3]
    told = {one["kata"]: one["way"] for one in say(desk, "review 3").json["overlaps"]}
    assert told == {1: "", 2: ""} or told == {1: "merge", 2: ""}
    answer = say(desk, "merge 3 with 2")
    assert answer.code == 1 and "go apart before and after what they have in common" in flat(answer)
    assert "merge 3 with 2" not in flat(say(desk, "review 3")) and "separate 3 from 2" in flat(say(desk, "review 3"))
