"""What a person changes by hand, and takes back: edits of a proposal, snooze, undo and wrong, on a real file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import NOW, Bench, Clock, bench, routine

from kata import commands
from kata.asking import Answer
from kata.editing import edited
from kata.model import Example, Outcome, Reference, Refused, Spec, State, Usage, walk
from kata.verdicts import compared

DAY = 86_400.0


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def desk(clock: Clock) -> Iterator[Bench]:
    with closing(bench(clock=clock)) as one:
        yield one


def say(desk: Bench, line: str, surface: str = "cli") -> Answer:
    answer = commands.run(desk.service, commands.split(line), surface)
    assert all(len(row) <= 80 for row in answer.text.split("\n"))
    return answer


def flat(text: str) -> str:
    return " ".join(text.split())


# ── Edits ────────────────────────────────────────────────────────────────────────────────────────


def test_names_texts_defaults_and_choices_are_changed_in_review(desk: Bench) -> None:
    """T69: each is the next version, checked again, and what is approved is what was edited."""
    desk.learn()
    for line in (
        "edit 1 input branch name topic",
        "edit 1 input topic help 'the branch to look at'",
        "edit 1 input topic default main",
        "edit 1 input topic choices main,dev",
        "edit 1 help 'Note open points of a branch'",
    ):
        answer = say(desk, line)
        assert answer.code == 0 and answer.json["changes"] and "It waits for an approval" in flat(answer.text), answer.text
    (one,) = desk.service.find("1").version.spec.inputs
    assert (one.name, one.description, one.default, one.choices) == ("topic", "the branch to look at", "main", ("main", "dev"))
    desk.service.review("1", "cli")
    kata = desk.service.approve("1", "notes", "cli")
    assert (kata.version.number, kata.version.spec.help) == (6, "Note open points of a branch")
    calls: list[str] = []

    def answer_of(asked: object) -> Outcome:
        calls.append(str(asked.call.arguments.get("command")))  # type: ignore[attr-defined]
        return Outcome.read('{"error": "enough"}')

    desk.service.start(kata, {"topic": "x"}, "r", "s", answer_of)
    assert calls == ["git checkout x"]


def test_a_step_is_dropped_with_its_call_in_every_example_and_its_inputs(desk: Bench) -> None:
    """T69: references of later steps follow, and the checks pass without it."""
    desk.learn()
    assert say(desk, "edit 1 drop 4").code == 0
    version = desk.service.find("1").version
    assert [step.tool for step in version.spec.steps] == ["terminal", "search_files", "read_file", "write_file"]
    assert all(len(one.events) == 4 for one in version.exhibits) and all(check.passed for check in version.checks)
    spec, exhibits = edited(*SPEC, ["drop", "1"])
    needs = [one.step for step in spec.steps for one in walk(step.arguments) if isinstance(one, Reference)]
    assert needs == [0, 0] and [one.name for one in spec.inputs] == ["branch"], "the last step needs it still"
    assert all(compared(spec, one).equal for one in exhibits)


def test_a_dropped_step_that_is_done_by_hand_all_the_same_makes_nothing_stale(desk: Bench) -> None:
    desk.learn()
    desk.service.edit("1", ["drop", "4"], "cli")
    desk.service.review("1", "cli")
    desk.service.approve("1", "notes", "cli")
    for number in (3, 4, 5):
        desk.turn(f"c{number}", *routine(number))
        desk.service.mine()
    assert desk.service.find("1").state is State.ACTIVE


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("edit 1 drop 2", "Step 3 needs a value that step 2 gives"),
        ("edit 1 drop 9", "There is no step 9; it has 5"),
        ("edit 1 input nothing help x", "There is no input 'nothing'; it has branch"),
        ("edit 1 input branch name Topic", "Expected a name of small letters"),
        ("edit 1 input branch name branch", "There is an input 'branch' already"),
        ("edit 1 input branch color red", "Expected name, help, default or choices"),
        ("edit 1 rename x", "Expected: hermes kata edit N WHAT"),
        ("edit 1 drop x", "Expected one of: help TEXT"),
        ("edit 1 help none", "That is how it is already"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(desk: Bench, line: str, reason: str) -> None:
    before = desk.learn()
    answer = say(desk, line)
    assert answer.code and reason in flat(answer.text) and desk.service.find("1") == before


def test_mining_never_puts_anything_in_the_place_of_an_edit(desk: Bench) -> None:
    """T69: neither better evidence nor evidence against it."""
    desk.learn()
    edit = desk.service.edit("1", ["help", "mine"], "cli")
    desk.revised()
    desk.service.remine()
    assert desk.service.find("1") == edit
    desk.store.withdraw(edit.fingerprint, "confidence: no", NOW)
    assert desk.service.find("1") == edit


def test_what_is_in_use_is_not_edited_and_an_edit_of_what_is_not_waits_for_a_person(desk: Bench) -> None:
    """K4: nothing comes into use by an edit."""
    desk.approved("notes")
    with pytest.raises(Refused, match="'disable notes' first"):
        desk.service.edit("notes", ["help", "x"], "cli")
    desk.service.disable("notes", "cli")
    desk.service.edit("notes", ["help", "x"], "cli")
    with pytest.raises(Refused, match="Nobody approved version 2"):
        desk.service.enable("notes", "cli")
    assert "it says of itself: {+x+}" in flat(say(desk, "diff notes 1 2").text)


WORDS = ["help", "input", "drop", "branch", "name", "default", "choices", "none", "1", "3", "x", "\x1b[2J", ""]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=5))
def test_whatever_is_asked_the_spec_stays_one_that_can_be_stored(words: list[str]) -> None:
    spec, exhibits = SPEC
    try:
        found, shown = edited(spec, exhibits, words)
    except (Refused, Usage):
        return
    assert type(found).from_json(found.to_json()) == found and len(shown) == len(exhibits)
    assert found.help.isprintable() and all(one.description.isprintable() for one in found.inputs)


def _learnt() -> tuple[Spec, tuple[Example, ...]]:
    with closing(bench()) as one:
        version = one.learn().version
        return version.spec, version.exhibits


SPEC = _learnt()


# ── Snooze ───────────────────────────────────────────────────────────────────────────────────────


def test_a_snoozed_proposal_is_quiet_for_thirty_days_and_then_told_about_once_more(desk: Bench, clock: Clock) -> None:
    """T68."""
    desk.learn()
    assert desk.service.announcement("cli") and desk.service.announcement("cli") is None
    assert say(desk, "snooze 1").code == 0 and "Snoozed until" in say(desk, "list").text
    assert desk.service.katas() == () and desk.service.announcement("cli") is None
    assert say(desk, "review 1").code == 0, "who asks for it sees it"
    clock.now += 30 * DAY
    assert [one.id for one in desk.service.katas()] == [1] and desk.service.announcement("cli")


def test_free_text_is_no_yes_and_nothing_exists_before_it(desk: Bench) -> None:
    """B47: whatever is said but an approval, however often it starts, nothing is registered; after a no nothing is proposed."""
    desk.learn()
    for line in ("looks fine but not now", "review 1", "approve", "approve 1", "ok 1", "yes", "snooze 1", "undo"):
        say(desk, line)
        assert desk.service.active() == () and desk.service.find("1").state is State.CANDIDATE
    say(desk, "reject 1")
    desk.turn("c9", *routine(9))
    desk.service.remine()
    assert desk.service.katas() == () and desk.service.active() == ()


# ── Undo ─────────────────────────────────────────────────────────────────────────────────────────


def test_the_last_decision_is_taken_back_whole(desk: Bench) -> None:
    """T68: an approval with its name and its right to come back."""
    kata = desk.approved("notes")
    answer = say(desk, "undo", "chat")
    assert answer.json["undone"] == "approve" and desk.service.active() == ()
    found = desk.service.find("1")
    assert (found.state, found.name, found.version.approved) == (State.CANDIDATE, "", None)
    assert not desk.store.approved(1, kata.version.spec.digest) and desk.store.standing(1) is None
    assert say(desk, "undo").code == 1, "once"
    row = desk.store.audit(1)[0]
    assert (row.verb, row.actor, row.before, row.after) == ("undo", "chat", "active", "candidate") and desk.store.proven()[1] == 0


@pytest.mark.parametrize("line", ["disable notes", "rename notes other", "trust notes"])
def test_what_was_decided_about_a_kata_is_taken_back(desk: Bench, line: str) -> None:
    before, trusted = desk.approved("notes"), desk.store.trusted()
    say(desk, line)
    assert say(desk, "undo").code == 0
    assert desk.service.find("1") == before and desk.store.trusted() == trusted and desk.service.active() == (before,)


@pytest.mark.parametrize("line", ["reject 1", "snooze 1", "edit 1 help x"])
def test_what_was_decided_about_a_proposal_is_taken_back(desk: Bench, line: str) -> None:
    before = desk.learn()
    assert say(desk, line).code == 0 and say(desk, "undo").code == 0
    assert desk.service.find("1") == before and [one.id for one in desk.service.katas()] == [1]
    desk.revised()
    assert desk.service.find("1").version.number > 1, "mining goes on with it"


def test_after_a_day_it_stays(desk: Bench, clock: Clock) -> None:
    desk.approved("notes")
    clock.now += DAY + 1
    answer = say(desk, "undo")
    assert answer.code == 1 and "more than 24 hours old" in flat(answer.text) and len(desk.service.active()) == 1


def test_what_kata_did_since_keeps_a_decision(desk: Bench) -> None:
    desk.approved("notes")
    desk.service.drifted(desk.service.find("1"), {"read_file": "f" * 16})
    answer = say(desk, "undo")
    assert answer.code == 1 and "was changed since: it is stale now" in flat(answer.text)


def test_what_comes_back_into_use_passes_every_check_first(desk: Bench) -> None:
    """K87: also by taking back that it was taken away."""
    desk.approved("notes")
    say(desk, "disable notes")
    desk.schemas["read_file"] = "f" * 16
    answer = say(desk, "undo")
    assert answer.code == 1 and "does not pass every check any more" in flat(answer.text) and desk.service.active() == ()


def test_what_cannot_be_taken_back_says_so(desk: Bench) -> None:
    assert "There is no decision" in say(desk, "undo").text
    desk.approved("notes")
    desk.service.purge("text", "nowhere", "cli")
    assert "'purge', which cannot be taken back" in flat(say(desk, "undo").text)


# ── Wrong ────────────────────────────────────────────────────────────────────────────────────────


def test_a_wrong_run_makes_its_kata_a_proposal_again(desk: Bench) -> None:
    """T68: no tool any more, the run is named in the review, and it needs a new approval."""
    kata = desk.approved("notes")
    answers = [one.result for one in routine(0)]
    desk.service.start(kata, {"branch": "topic"}, "run-1", "s", lambda asked: Outcome.read(answers[asked.index]))
    answer = say(desk, "wrong run-1")
    assert answer.code == 0 and desk.service.active() == ()
    found = desk.service.find("notes")
    assert found.state is State.CANDIDATE and "run run-1 did what was wrong" in flat(say(desk, "review 1").text)
    desk.revised()
    assert desk.service.find("1").id == 1 and {1} <= {one.number for one in desk.service.versions(found)}, "K89: every version is kept"
    say(desk, "review 1")
    assert say(desk, "approve 1").code == 0 and [one.tool for one in desk.service.active()] == ["kata_notes"]


def test_a_run_of_another_revision_says_nothing_of_this_one(desk: Bench) -> None:
    kata = desk.approved("notes")
    desk.service.start(kata, {"branch": "topic"}, "run-1", "s", lambda asked: Outcome.read('{"error": "no"}'))
    say(desk, "disable notes")
    say(desk, "edit notes help x")
    assert "was of revision" in flat(say(desk, "wrong run-1").text) and say(desk, "wrong none").code == 1
