"""A near miss that a person wants in review: what it is learnt from, how it is marked, what mining may not do with it, and which rules
nobody passes over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace

import pytest
from strategies import NOW, Bench, Clock, Did, bench, events, routine, sh, tool

from kata import commands, forcing
from kata.asking import Answer
from kata.forcing import barred
from kata.model import Kata, ModelRequest, NearMiss, TurnEnd, TurnStart, Wanted
from kata.settings import Settings


@pytest.fixture
def desk() -> Iterator[Bench]:
    with closing(bench(clock=Clock())) as one:
        yield one


def say(desk: Bench, line: str, surface: str = "cli") -> Answer:
    answer = commands.run(desk.service, commands.split(line), surface)
    assert all(len(row) <= 80 for row in answer.text.split("\n"))
    return answer


def told(desk: Bench, name: str, done: Sequence[Did], at: float) -> None:
    """A conversation of one turn in which each call had a request of its own."""
    rows = [replace(one, request=f"{name}-{number}") for number, one in enumerate(events(name, done, at))]
    used = [ModelRequest(name, f"{name}-{number}", "m", at, 2.0, 950, 50, 0, 1) for number in range(len(done) + 1)]
    desk.service.record([TurnStart(name, f"s-{name}", name, "cli", "person", at, "please"), *used, *rows, TurnEnd(name, at + 60)])
    desk.service.mine(None)


def flat(answer: Answer) -> str:
    return " ".join(answer.text.split())


def other(number: int) -> Sequence[Did]:
    """The routine of the other conversations, searching elsewhere for something else."""
    first, _, *rest = routine(number)
    hit = {"total": 1, "matches": [{"path": str(rest[0].arguments["path"]), "line": 3}]}
    return [first, tool("search_files", hit, pattern="FIXME", path="lib"), *rest]


def forced(desk: Bench) -> list[Kata]:
    """What is told about because a person wanted it."""
    return [kata for kata in desk.service.katas() if kata.version.fit.forced]


def odd_one(desk: Bench) -> str:
    """Two conversations alike and one odd, so that their routine is a near miss; how it is named."""
    for number in range(3):
        desk.turn(f"c{number}", *(other if number == 2 else routine)(number))
        desk.service.mine(None)
    assert forced(desk) == []
    return next(one.short for one in desk.service.near() if len(one.keys) == 5)


def test_a_near_miss_is_named_and_says_how_it_comes_into_review(desk: Bench) -> None:
    """T20."""
    name = odd_one(desk)
    assert f"{name} · seen in 3 conversations" in say(desk, "near").text
    answer = say(desk, f"near {name}", "chat")
    assert answer.text.rstrip().endswith(f"/kata near {name} review") and "odd: in the conversation" in flat(answer)
    assert answer.json["id"] == name and answer.json["barred"] == "" and answer.json["odd"]["conversation"] == "c2"


@pytest.mark.parametrize("surface", ["cli", "chat"])
def test_it_becomes_a_proposal_with_its_rule_and_its_odd_example_and_can_be_approved(desk: Bench, surface: str) -> None:
    """T20: learnt from the others; the odd one counts as one that does not fit; every check passes, and the review counts as shown."""
    name = odd_one(desk)
    rule = say(desk, f"near {name}").json["rule"]
    answer = say(desk, f"near {name} review", surface)
    (kata,) = forced(desk)
    assert flat(answer).startswith(f"In review: proposal {kata.id}, although it fails {rule}.")
    assert f"Forced by you, although it fails the rule {rule}:" in flat(answer) and f"· forced past {rule}" in flat(answer)
    assert "step 2 was: search_files pattern=FIXME, path=lib" in flat(answer)
    past = answer.json["forced_past"]
    assert (past["rule"], past["odd"]["step"], answer.json["forced"]) == (rule, 2, rule)
    fit = kata.version.fit
    assert (fit.support, fit.tried, len(kata.version.exhibits)) == (3, 3, 2) and all(check.passed for check in kata.version.checks)
    assert f"forced past {rule}" in flat(say(desk, "list")) and name not in say(desk, "near").text
    assert say(desk, f"approve {kata.id} as preview", surface).code == 0
    assert [one.tool for one in desk.service.active()] == ["kata_preview"]


def test_mining_does_not_take_it_back_and_takes_what_passes_by_itself() -> None:
    """T20: while it fails, it stays as it is; what is learnt of more conversations takes its place under the same number."""
    with closing(bench(settings=Settings(min_confidence=0.8))) as desk:
        for number in range(3):
            desk.turn(f"c{number}", *routine(number))
            desk.service.mine(None)
        (miss,) = desk.service.near()
        assert miss.rule == "confidence"
        say(desk, f"near {miss.short} review")
        (kata,) = desk.service.katas()
        desk.service.remine()
        assert desk.service.katas() == (kata,) and desk.service.near() == ()
        assert desk.service.announcement("cli") is None, "who wanted it knows of it"
        desk.turn("c3", *routine(3))
        desk.service.mine(None)
        (later,) = desk.service.katas()
        assert (later.id, later.version.fit.support, later.version.fit.forced) == (kata.id, 4, "confidence")
        assert "by what is recorded now it passes that" in flat(say(desk, f"review {kata.id}"))
        desk.store.purge(Wanted("conversation", "c3"), "cli", NOW, 3)
        desk.service.mine(None)
        assert [one.id for one in desk.service.katas()] == [kata.id], "it stands on a person's word, also when it fails again"


def test_undo_makes_it_a_near_miss_again_and_it_can_be_forced_once_more(desk: Bench) -> None:
    """T20, T68."""
    name = odd_one(desk)
    before, others = desk.service.near(), desk.service.katas()
    say(desk, f"near {name} review")
    assert flat(say(desk, "undo")) == "Taken back: 'force'. It is a near miss again."
    assert forced(desk) == [] and desk.service.near() == before
    desk.service.mine(None)
    assert desk.service.near() == before and [one.id for one in desk.service.katas()] == [one.id for one in others]
    assert say(desk, f"near {name} review").code == 0 and len(forced(desk)) == 1


def test_steps_that_nothing_ties_become_a_proposal_when_a_person_wants_them(desk: Bench) -> None:
    """T20, K45: the rule of coherence is about whether it is a routine, not about whether it runs."""
    for number in range(3):
        word = ("amber", "birch", "cobalt")[number]
        desk.turn(f"c{number}", tool("read_file", {"content": f"{number}|x"}, path=f"{word}.txt"), sh(f"mkdir {word[::-1]}", ""))
        desk.service.mine()
    (miss,) = desk.service.near()
    assert miss.rule == "coherence"
    answer = say(desk, f"near {miss.short} review")
    assert answer.code == 0 and len(answer.json["inputs"]) == 2 and answer.json["forced"] == "coherence"


def test_more_values_than_a_form_should_ask_for_can_be_wanted(desk: Bench) -> None:
    """T20, A14."""
    for word in ("amber", "birch", "cobalt"):
        desk.turn(word, *(tool(f"mcp__desk__part{at}", {"ok": True}, **{f"v{n}": f"{word}-{at}{n}" for n in range(5)}) for at in range(2)))
        desk.service.mine()
    (miss,) = desk.service.near()
    answer = say(desk, f"near {miss.short} review")
    assert answer.code == 0 and len(answer.json["inputs"]) == 10


def test_what_would_not_pay_can_be_wanted_and_keeps_the_doubt_on_its_page(desk: Bench) -> None:
    """T18, T20: a proposal that is hidden by today's figures is told as one again, under its number; undo hides it again."""
    for number in range(3):
        told(desk, f"c{number}", routine(number), NOW - 14 * 86_400)
    asked = [ModelRequest("busy", f"busy-{n}", "m", NOW, 1.0, 10, 1, 0, 0) for n in range(8_000)]
    desk.service.record([TurnStart("busy", "s-busy", "busy", "cli", "person", NOW, "x"), *asked, TurnEnd("busy", NOW + 1)])
    desk.service.mine(None)
    (miss,) = desk.service.near()
    assert miss.rule == "pays" and desk.service.katas() == ()
    answer = say(desk, f"near {miss.short} review")
    (kata,) = desk.service.katas()
    assert kata.id == 1 and desk.service.near() == () and kata.version.fit.forced == "pays"
    assert "although it fails the rule pays: in a week its line" in flat(answer) and "doubtful: in a week" in flat(answer)
    desk.service.remine()
    assert [one.id for one in desk.service.katas()] == [1]
    say(desk, "undo")
    assert desk.service.katas() == () and [one.rule for one in desk.service.near()] == ["pays"]


def test_steps_that_repeat_now_so_often_and_now_so_often_cannot_be_forced(desk: Bench) -> None:
    """T20: refused with the reason, and nothing changed."""
    for number in range(3):
        desk.turn(f"d{number}", sh("npm ci", ""), *(sh(f"cat part{at}.txt", "") for at in range(2 + number)), sh("npm test", ""))
        desk.service.mine(None)
    misses = [one for one in desk.service.near() if one.rule == "loop"]
    assert misses
    for miss in misses:
        answer = say(desk, f"near {miss.short} review")
        assert answer.code == 1 and "fails loop, and a step that repeats now so often" in flat(answer)
        assert "it cannot be forced into review: a step that repeats" in flat(say(desk, f"near {miss.short}"))
    assert forced(desk) == []


@pytest.mark.parametrize("rule", sorted(forcing.BARRED))
def test_no_rule_that_protects_a_run_can_be_forced(desk: Bench, rule: str) -> None:
    """T20, T36, K64–K68: each with its own reason."""
    miss = NearMiss(("mcp__a()", "mcp__b()*"), rule, "it is so", 3, "ab12cd34")
    desk.store.misses({1: miss})
    answer = say(desk, "near ab12cd34 review")
    assert answer.code == 1 and flat(answer).endswith(f"it fails {rule}, and {forcing.BARRED[rule]}")
    assert desk.service.katas() == () and desk.service.near() == (miss,)


def test_a_check_that_fails_besides_keeps_it_out_of_review(desk: Bench) -> None:
    """T20, K66: the rule that failed first is not the only one that has to do with it."""
    for number in range(3):
        word = ("amber", "birch", "cobalt")[number]
        done = [tool("browser_click", {"ok": True}, ref="@e7"), tool("read_file", {"content": f"{number}|x"}, path=f"{word}.txt")]
        desk.turn(f"c{number}", *done, sh(f"mkdir {word[::-1]}", ""))
        desk.service.mine()
    for miss in desk.service.near():
        if any("browser_click" in key for key in miss.keys):
            answer = say(desk, f"near {miss.short} review")
            assert answer.code == 1 and "cannot be forced into review" in flat(answer)
    assert not any("browser_click" in step.tool for kata in desk.service.katas() for step in kata.version.spec.steps)


def test_every_rule_of_the_checks_is_forcible_or_says_what_it_protects() -> None:
    from kata import validator

    known = {*forcing.FORCIBLE, *forcing.BARRED}
    assert {*validator.RULES} <= known and not {*forcing.FORCIBLE} & {*forcing.BARRED}
    assert barred(NearMiss(("a", "a"), "loop", "", 3, "f")) == "" and barred(NearMiss(("a", "b*"), "loop", "", 3, "f"))
    assert barred(NearMiss(("a", "b"), "something new", "", 3, "f"))


@pytest.mark.parametrize("word", ["", "zz", "12", "0000000000", "f" * 70])
def test_a_word_that_names_none_says_which_there_are(desk: Bench, word: str) -> None:
    name = odd_one(desk)
    answer = say(desk, f"near '{word}' review")
    assert answer.code == 1 and name in flat(answer) and forced(desk) == []


def test_other_words_are_not_understood(desk: Bench) -> None:
    assert say(desk, "near 12345678 approve").code == 2
