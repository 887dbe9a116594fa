"""A step is written down before it is done, and what is more than was approved is not done."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest
from strategies import GOOD, Bench, answers, bench

from kata.logbook import excess
from kata.model import Call, Class, Effect, Literal, Object, Outcome, Status, Step, StepCall


@pytest.fixture
def desk() -> Iterator[Bench]:
    """A service in memory."""
    with closing(bench()) as one:
        yield one


# ── Running ──────────────────────────────────────────────────────────────────────────────────────


def test_a_step_with_an_effect_is_written_down_before_it_is_done(desk: Bench) -> None:
    """After a crash the trace says unknown, never "not done"."""
    kata, seen = desk.approved(), []
    give = answers(*GOOD)

    def dispatch(one: StepCall) -> Outcome:
        if not kata.version.spec.steps[one.index].effect.plain_read:
            seen.append([step.status for step in desk.store.runs()[0].steps if step.index == one.index])
        return give(one)

    desk.service.start(kata, {"branch": "topic-9"}, "run-1", "s1", dispatch)
    assert seen and all(one == [Status.UNKNOWN] for one in seen)


def test_a_run_that_crashes_stays_unknown(desk: Bench) -> None:
    kata = desk.approved()

    def crash(one: StepCall) -> Outcome:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        desk.service.start(kata, {"branch": "topic-9"}, "run-1", "s1", crash)
    (row,) = desk.store.runs()
    assert row.status is Status.UNKNOWN and row.finished is None


# ── Approved is what runs, and no more ───────────────────────────────────────────────────────────


@pytest.mark.parametrize(("kind", "command"), [(Class.WRITE, "ffmpeg -i https://example.org/a b.mp4"), (Class.UNKNOWN, "npm publish")])
def test_what_asks_anyway_reaches_the_network_only_where_that_was_approved(kind: Class, command: str) -> None:
    """T42: a person who was asked about a write said nothing of another system."""
    step = Step("terminal", Object((("command", Literal(command)),)), Effect(kind, True))
    assert "network" in excess(Call("terminal", {"command": command}), step)


@pytest.mark.parametrize("command", ["./deploy.sh preview", "curl -s https://example.org", "rm -r build"])
def test_a_step_that_is_more_than_was_approved_is_refused_before_it_runs(desk: Bench, command: str) -> None:
    """T42: whatever the stored effect says, the rendered call is judged again."""
    kata = desk.approved()
    steps = (Step("terminal", Object((("command", Literal(command)),)), Effect(Class.READ)), *kata.version.spec.steps[1:])
    gentle = replace(kata, version=replace(kata.version, spec=replace(kata.version.spec, steps=steps)))
    sent: list[str] = []
    trace = desk.service.start(
        gentle, {"branch": "topic-9"}, "run-1", "s1", lambda one: sent.append(one.call.tool) or Outcome(Status.OK, {})
    )
    assert trace.stopped is not None and trace.stopped.index == 0 and "more than was approved" in trace.stopped.reason
    assert sent == []


# ── Stopping and going on ────────────────────────────────────────────────────────────────────────


def test_a_step_that_would_address_kata_with_its_values_is_refused(desk: Bench) -> None:
    """A4: what a value makes of it counts."""
    kata = desk.approved()
    trace = desk.service.start(kata, {"branch": "plugins/kata"}, "run-1", "s1", answers(*GOOD))
    assert trace.status is Status.REFUSED and "addresses Kata itself" in trace.reason
