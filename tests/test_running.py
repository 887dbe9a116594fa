"""Runs of katas with their rows, stopped, gone on with, and the questions before."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest
from strategies import GOOD, Bench, answers, bench, five, nothing_found, proposal

from kata.model import Call, Class, Effect, InputError, Literal, Object, Outcome, Refused, Status, Step, StepCall, Trace


@pytest.fixture
def desk() -> Iterator[Bench]:
    """A service in memory."""
    with closing(bench()) as one:
        yield one


# ── Running ──────────────────────────────────────────────────────────────────────────────────────


def test_a_run_issues_the_calls_and_keeps_a_row_of_every_step(desk: Bench) -> None:
    """K5, K70, K21."""
    kata, asked = desk.approved(), []
    give = answers(*GOOD)

    def dispatch(one: StepCall) -> Outcome:
        asked.append(one.call)
        return give(one)

    trace = desk.service.start(kata, {"branch": "topic-9"}, "run-1", "s1", dispatch)
    assert trace.status is Status.OK
    assert asked == [Call(one.tool, one.arguments) for one in five("topic-9", "src/new.py")]
    (row,) = desk.store.runs(kata.id)
    assert (row.id, row.status, row.tool, row.version, row.digest) == ("run-1", Status.OK, "kata_todo_notes", 1, kata.version.spec.digest)
    assert [step.status for step in row.steps] == [Status.OK] * 5 and row.finished is not None and row.inputs == {"branch": "topic-9"}


def test_a_failed_step_stops_the_run_and_the_row_says_where(desk: Bench) -> None:
    """K75, K60."""
    kata = desk.approved()
    bad = json.dumps({"error": "no such place"})
    trace = desk.service.start(kata, {"branch": "topic-9"}, "run-1", "s1", answers(GOOD[0], bad, bad, *GOOD))
    assert trace.status is Status.ERROR
    (row,) = desk.store.runs()
    assert [step.status for step in row.steps] == [Status.OK, Status.ERROR, Status.SKIPPED, Status.SKIPPED, Status.SKIPPED]
    assert row.status is Status.ERROR and "no such place" in row.steps[1].reason


def test_arguments_that_do_not_fit_start_nothing(desk: Bench) -> None:
    """K69."""
    kata = desk.approved()
    for wrong in ({}, {"branch": 3}, {"branch": "x", "other": "y"}):
        with pytest.raises(InputError):
            desk.service.start(kata, wrong, "run-1", "s1", answers())
    assert desk.store.runs() == ()


def test_a_secret_in_a_run_reaches_the_tool_and_not_the_file(desk: Bench) -> None:
    token = "ghp_" + "Tg5bN6hY7u" * 3 + "Jm8kI9"
    kata, sent = desk.approved(), []

    def dispatch(one: StepCall) -> Outcome:
        sent.append(json.dumps(dict(one.call.arguments)))
        return Outcome.read(json.dumps({"error": f"denied for {token}"}))

    desk.service.start(kata, {"branch": token}, "run-1", "s1", dispatch)
    assert token in sent[0] and token not in repr(desk.store.runs())


def test_an_answer_that_is_not_json_ends_no_run_without_its_trace(desk: Bench) -> None:
    """B46: what already ran must reach the agent."""
    kata = desk.approved()
    trace = desk.service.start(kata, {"branch": "topic-9"}, "run-1", "s1", lambda one: Outcome(Status.OK, b"\xff raw"))
    assert isinstance(trace, Trace)


def test_the_question_lists_every_step_with_its_command_and_the_revision(desk: Bench) -> None:
    """K80, A24, B26: what is known is filled in, what comes later has its mark."""
    kata = desk.approved()
    text = desk.service.question(kata, {"branch": "topic-9"})
    lines = text.split("\n")
    assert lines[0] == "kata_todo_notes runs 5 steps:" and len(lines) == 7
    assert lines[1].endswith(": git checkout topic-9") and lines[4].endswith(": wc -l ‹step 2 · matches.0.path›")
    assert kata.version.spec.digest[:12] in lines[6]


def test_the_question_shows_a_hostile_value_without_its_control_characters(desk: Bench) -> None:
    """W10, B46."""
    text = desk.service.question(desk.approved(), {"branch": "x\x1b[2J\n9. read: harmless\u202e"})
    assert all(line.isprintable() for line in text.split("\n")) and len(text.split("\n")) == 8
    assert "Unlike the examples: step " in text, "the line more than a usual value gives"


def test_the_question_hides_no_part_of_a_long_command(desk: Bench) -> None:
    """B26: one yes covers no more than was shown."""
    long = "echo " + " ".join(f"word{n}" for n in range(40)) + " && rm -rf build"
    step = Step("terminal", Object((("command", Literal(long)),)), Effect(Class.UNKNOWN, True, "removes"), "")
    kata = desk.store.propose(proposal([step]), 1.0)
    assert kata is not None and "rm -rf build" in desk.service.question(kata, {})


def half(desk: Bench, run_id: str = "run-1") -> None:
    """A run that failed at its fourth step."""
    kata = desk.approved()
    bad = {"output": "no", "exit_code": 1, "error": None}
    desk.service.start(kata, {"branch": "topic-9"}, run_id, "s1", answers(*GOOD[:3], bad, bad, *GOOD), "/srv")


# ── Stopping and going on ────────────────────────────────────────────────────────────────────────


def test_a_running_kata_is_stopped_by_its_run_or_by_its_name(desk: Bench) -> None:
    """T60: only while its process lives."""
    kata = desk.approved("deploy")
    told: list[str] = []
    waiting = answers(*GOOD)
    desk.service.door = replace(desk.service.door, owner="7:1", alive=lambda owner: owner == "7:1")

    def dispatch(asked: StepCall) -> Outcome:
        if asked.index == 1:
            told.extend((desk.service.stop("deploy").id, desk.service.stop("kata_deploy").id, desk.service.stop("run-1").id))
        return waiting(asked)

    trace = desk.service.start(kata, {"branch": "topic-9"}, "run-1", "s1", dispatch)
    assert told == ["run-1"] * 3 and desk.service.running() == ()
    assert [step.status for step in trace.steps] == [Status.OK, Status.OK, Status.INTERRUPTED, Status.SKIPPED, Status.SKIPPED]
    assert trace.steps[2].attempts == 0 and "a person stopped the run" in trace.reason


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("run-1", r"Run run-1 is over \(error\)"),
        ("run-9", "There is no run 'run-9', and no kata of that name is running"),
        ("todo_notes", "There is no run 'todo_notes', and no kata of that name is running"),
    ],
)
def test_what_does_not_run_is_not_stopped(desk: Bench, word: str, reason: str) -> None:
    half(desk)
    with pytest.raises(Refused, match=reason):
        desk.service.stop(word)


def test_a_run_whose_process_is_gone_is_not_stopped_but_said_to_be_unknown(desk: Bench) -> None:
    """T66."""
    kata = desk.approved()

    def crash(asked: StepCall) -> Outcome:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        desk.service.start(kata, {"branch": "topic-9"}, "run-1", "s1", crash)
    with pytest.raises(Refused, match="its process is gone, and what its last step did is not known"):
        desk.service.stop("run-1")
    desk.service.door = replace(desk.service.door, alive=lambda owner: True)
    with pytest.raises(Refused, match="may still be running"):
        desk.service.left("run-1")


def test_a_stopped_run_goes_on_for_its_own_conversation_and_for_a_person(desk: Bench) -> None:
    """A21."""
    half(desk)
    assert desk.service.left("run-1", session="s1").at == desk.service.left("run-1").at == 3
    with pytest.raises(Refused, match="belongs to another conversation; a person can resume it: hermes kata resume run-1"):
        desk.service.left("run-1", session="s2")
    rest = desk.service.left("run-1")
    trace = desk.service.resume(rest, "run-2", "s1", answers(*GOOD[3:]))
    assert trace.status is Status.OK and [step.result for step in trace.steps[3:]] == [json.loads(text) for text in GOOD[3:]]
    row = desk.store.run("run-2")
    assert row is not None and (row.resumes, row.folder, len(row.steps), row.inputs) == ("run-1", "/srv", 5, {"branch": "topic-9"})
    with pytest.raises(Refused, match="resumed already, as run run-2; nothing was run"):
        desk.service.resume(rest, "run-3", "s1", answers())


def test_the_question_before_a_run_goes_on_holds_no_supplied_value(desk: Bench) -> None:
    half(desk)
    rest = desk.service.left("run-1")
    assert "goes on with run run-1 at step 4 of 5" in desk.service.remainder(rest)
    hidden = replace(rest, supplied={"branch": "topic-9"})
    assert "topic-9" in desk.service.remainder(rest) and "topic-9" not in desk.service.remainder(hidden)


# ── Learnt checks ────────────────────────────────────────────────────────────────────────────────


def test_an_answer_unlike_that_of_every_example_stops_the_run_before_the_next_effect(desk: Bench) -> None:
    """T50: the search succeeded, and nothing was written; the run says which check, what was expected and what came."""
    asked: list[int] = []
    live = desk.approved()

    def tools(one: StepCall) -> Outcome:
        asked.append(one.index)
        return nothing_found(one)

    trace = desk.service.start(live, {one.name: "x" for one in live.version.spec.inputs}, "r1", "s1", tools)
    assert asked == [0, 1] and trace.status is Status.ERROR
    assert trace.reason.endswith(": expected that 'matches' is not empty, got an empty list")
    kept = desk.store.run("r1")
    assert kept is not None and [step.status.value for step in kept.steps] == ["ok", "error", "skipped", "skipped", "skipped"]
    assert kept.reason == trace.reason and kept.steps[1].odd == trace.reason


@pytest.mark.parametrize("at", [0, 2, 4])
def test_what_a_run_did_is_told_although_its_row_was_erased_meanwhile(at: int) -> None:
    """K75: a purge of what it was called with takes the row away; no effect begins without one, and what was done is not lost."""
    with closing(bench()) as desk:
        kata = desk.approved()
        answered = answers(*GOOD)

        def dispatch(asked: StepCall) -> Outcome:
            if asked.index == at:
                desk.service.purge("text", "zebra-crossing", "cli")
            return answered(asked)

        trace = desk.service.start(kata, {"branch": "zebra-crossing"}, "r1", "s1", dispatch)
        assert desk.store.run("r1") is None and trace.steps[at].status is Status.OK
        assert trace.status is (Status.OK if at == 4 else Status.REFUSED) and (at == 4 or "could not be written" in trace.reason)
