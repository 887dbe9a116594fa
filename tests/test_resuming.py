"""What is left of a stopped run: how far it came, what it needs, what was not kept, and when it may not go on."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kata import executor
from kata.discretion import cut
from kata.model import (
    Array,
    Call,
    Command,
    Concat,
    Fit,
    Hole,
    Input,
    InputField,
    Kata,
    Literal,
    Object,
    Outcome,
    Pick,
    Reference,
    Refused,
    RunRow,
    Spec,
    State,
    Status,
    Step,
    StepCall,
    StepTrace,
    Version,
)
from kata.resuming import DONE, UNDONE, Rest, called, failed, reached, rest

from .stand_in import EXTERNAL, READ, WRITE, step

TOKEN = "KATASECRET_token_1"
OUT = Reference(0, ("output",))


def spec(*steps: Step, inputs: tuple[str, ...] = ("word",)) -> Spec:
    return Spec(tuple(InputField(name, "string") for name in inputs), steps)


THREE = spec(
    step("terminal", READ, command=Command(("ls ", Hole(Input("word"), "bare")))),
    step("terminal", EXTERNAL, command=Command(("push ", Hole(OUT, "bare")))),
    step("write_file", WRITE, path=Input("word"), content=Concat((Literal("x "), OUT))),
)


def kata(what: Spec) -> Kata:
    return Kata(1, "ship", State.ACTIVE, "f", Version(1, what, Fit(3, 3, 3, 1.0), (), (), 1.0))


def trace(index: int, status: Status = Status.OK, result: Any = None, **more: Any) -> StepTrace:
    return StepTrace(index, "terminal", status, Call("terminal", {}), result, **({"attempts": 1} | more))


def run(*steps: StepTrace, folder: str = "/srv", **inputs: Any) -> RunRow:
    given_inputs = inputs or {"word": "amber"}
    return RunRow("r1", 1, "kata_ship", 1, "d", 1.0, 2.0, Status.ERROR, "", steps, given_inputs, "s1", folder)


def left(what: Spec, row: RunRow, supplied: dict[str, Any] | None = None, said: str = "") -> Rest:
    done = reached(row, what, said)
    return rest(kata(what), row, done, {**row.inputs, **(supplied or {})}, supplied or {})


def calls(found: Rest) -> list[Call]:
    """What is called for what is left."""
    sent: list[Call] = []

    def dispatch(asked: StepCall) -> Outcome:
        sent.append(asked.call)
        return Outcome(Status.OK, {})

    executor.drive(executor.run(found.spec, found.given, done=found.done), dispatch)
    return sent


# ── How far it came ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("status", [Status.ERROR, Status.REFUSED])
def test_the_failed_step_is_the_next_one(status: Status) -> None:
    """A21."""
    assert [one.index for one in reached(run(trace(0), trace(1, status)), THREE)] == [0]


@pytest.mark.parametrize("status", [Status.UNKNOWN, Status.TIMEOUT, Status.INTERRUPTED])
def test_an_effect_that_may_have_happened_is_not_repeated_unless_a_person_knows(status: Status) -> None:
    """T53."""
    row = run(trace(0), trace(1, status))
    with pytest.raises(Refused, match=rf"Nobody knows whether step 2 \(terminal\) of run r1 happened \({status.value}\)"):
        reached(row, THREE)
    assert [one.index for one in reached(row, THREE, UNDONE)] == [0]
    assert [(one.index, one.status, one.result) for one in reached(row, THREE, DONE)] == [(0, Status.OK, None), (1, Status.OK, None)]


@pytest.mark.parametrize("status", [Status.UNKNOWN, Status.TIMEOUT, Status.INTERRUPTED])
def test_a_read_or_a_step_that_never_began_may_be_done_whatever_became_of_it(status: Status) -> None:
    assert reached(run(trace(0, status)), THREE) == ()
    assert len(reached(run(trace(0), trace(1, status, attempts=0)), THREE)) == 1


@pytest.mark.parametrize("said", [DONE, UNDONE])
def test_nothing_can_be_said_of_a_step_that_changed_nothing(said: str) -> None:
    for row in (run(trace(0, Status.TIMEOUT)), run(trace(0), trace(1, Status.REFUSED)), run(trace(0))):
        with pytest.raises(Refused, match="changed nothing that has to be looked at"):
            reached(row, THREE, said)


def test_a_run_with_a_gap_does_not_go_on() -> None:
    """T66: a read that is missing before an effect that was begun would lead to that effect again."""
    with pytest.raises(Refused, match="not kept whole: step 1 is missing"):
        reached(run(trace(1, Status.ERROR)), THREE)
    assert reached(run(trace(1, Status.SKIPPED, attempts=0)), THREE) == ()


def test_a_run_of_which_everything_was_done_has_nothing_left() -> None:
    with pytest.raises(Refused, match="there is nothing to resume"):
        reached(run(trace(0), trace(1), trace(2)), THREE)


def test_a_step_that_was_tried_is_warned_about() -> None:
    tried = left(THREE, run(trace(0, result={"output": "o"}), trace(1, Status.ERROR)))
    assert failed(tried) == "Step 2 was tried before and may have done a part of its work."
    assert failed(left(THREE, run(trace(0, Status.ERROR)))) == ""


# ── What it needs ────────────────────────────────────────────────────────────────────────────────


def test_only_what_is_left_needs_its_values() -> None:
    """A masked value that was used up is no obstacle."""
    what = spec(*THREE.steps[:2], step("write_file", WRITE, path=Literal("a"), content=OUT), inputs=("word",))
    found = left(what, run(trace(0, result={"output": "o", "other": TOKEN}), trace(1, Status.ERROR), word=TOKEN))
    assert found.at == 1 and found.results == ({"output": "o", "other": TOKEN},)
    assert found.steps == what.steps[1:]


LOST = [
    ({"output": f"a {TOKEN}"}, "'step1.output' was masked"),
    ({"output": {"deep": [TOKEN]}}, "'step1.output' was masked"),
    ({"output": {TOKEN: 1}}, "'step1.output' was masked"),
    ({"other": 1}, "'step1.output' is not in what was kept"),
    (None, "'step1.output' is not in what was kept"),
    (cut({"output": "x" * 70_000}), "'step1.output' was too long to be kept"),
    ({"output": cut("x" * 70_000)}, "'step1.output' was too long to be kept"),
    ("[1,234,567 characters, too many to be kept]", "'step1.output' was too long to be kept"),
]


@pytest.mark.parametrize(("result", "reason"), LOST)
def test_a_value_that_was_not_kept_is_named_and_can_be_supplied(result: Any, reason: str) -> None:
    row = run(trace(0, result=result), trace(1, Status.ERROR))
    with pytest.raises(Refused) as refused:
        left(THREE, row)
    assert refused.value.message.startswith(f"Run r1 cannot go on by itself: {reason}")
    found = rest(kata(THREE), row, row.steps[:1], {"word": "amber"}, {"step1.output": "v w"})
    assert [dict(one.arguments) for one in calls(found)] == [{"command": "push 'v w'"}, {"path": "amber", "content": "x v w"}]


def test_a_masked_or_secret_input_is_named() -> None:
    row = run(trace(0, result={"output": "o"}), trace(1, Status.ERROR), word=TOKEN)
    with pytest.raises(Refused, match="'word' was masked"):
        left(THREE, row)
    secret = replace(THREE, inputs=(InputField("word", "secret"),))
    with pytest.raises(Refused, match="'word' is a secret, which is never kept"):
        rest(kata(secret), row, row.steps[:1], {"word": "x"}, {})
    assert rest(kata(THREE), row, row.steps[:1], {"word": "w"}, {"word": "w"}).given == {"word": "w"}


def test_what_is_kept_is_not_supplied() -> None:
    row = run(trace(0, result={"output": "o"}), trace(1, Status.ERROR))
    for name in ("word", "step1.output", "nothing"):
        with pytest.raises(Refused, match=f"has no need of '{name}'"):
            rest(kata(THREE), row, row.steps[:1], {"word": "amber"}, {name: "x"})


def test_a_lost_value_is_replaced_wherever_it_is_used() -> None:
    where = Reference(0, ("rows", Pick("where", "id", OUT), "name"))
    within = Concat((OUT, Input("word")))
    last = step("x", WRITE, a=Array((OUT, Object((("k", OUT),)))), b=where, c=within, d=Command(("p ", Hole(OUT, "double"))))
    what = spec(step("a"), last)
    row = run(trace(0, result={"output": TOKEN, "rows": [{"id": "i", "name": "n"}]}), trace(1, Status.ERROR))
    found = rest(kata(what), row, row.steps[:1], {"word": "w"}, {"step1.output": "i", called(where): "given"})
    new = Input("step1.output")
    fields = dict(found.spec.steps[1].arguments.fields)
    assert fields["a"] == Array((new, Object((("k", new),)))) and fields["b"] == Input(called(where))
    assert fields["c"] == Concat((new, Input("word"))) and fields["d"] == Command(("p ", Hole(new, "double")))
    assert found.spec.steps[0] == what.steps[0]


def test_it_goes_on_in_the_folder_to_which_its_commands_went() -> None:
    """A26; a command in a folder of its own moves nothing."""
    there = trace(0, result={"output": "", "cwd": "/srv/a"})
    elsewhere = replace(there, call=Call("terminal", {"workdir": "/b"}))
    plain = spec(step("terminal", command=Literal("cd a")), step("x", WRITE))
    assert left(plain, run(there, trace(1, Status.ERROR))).folder == "/srv/a"
    assert left(plain, run(elsewhere, trace(1, Status.ERROR))).folder == "/srv"
    with pytest.raises(Refused, match="folder of run r1 was masked"):
        left(plain, run(trace(0), trace(1, Status.ERROR), folder=f"/home/{TOKEN}"))


LEAVES = st.text(max_size=5) | st.integers()


@given(st.recursive(LEAVES, lambda one: st.lists(one, max_size=3) | st.dictionaries(st.text(max_size=3), one, max_size=3)))
def test_whatever_was_kept_it_goes_on_with_the_same_value_or_says_why_not(value: Any) -> None:
    what = spec(step("a"), step("x", WRITE, v=OUT))
    found = left(what, run(trace(0, result={"output": value}), trace(1, Status.ERROR)))
    assert calls(found)[0].arguments["v"] == value
