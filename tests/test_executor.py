"""The executor: what it asks for, in which order, what stops it, and what it says at the end; no tool is called here. (K30, T49)"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kata.executor import ANSWER_LIMIT, RESULT_LIMIT, Held, answer, check_inputs, drive, input_schema, run
from kata.model import (
    Array,
    Call,
    Class,
    Command,
    Concat,
    Effect,
    Expression,
    Hole,
    Input,
    InputError,
    InputField,
    Literal,
    Object,
    Outcome,
    Reference,
    Spec,
    Status,
    Step,
    StepCall,
    StepTrace,
    Trace,
    Trait,
    canonical,
)

READ = Effect(Class.READ, why="reads")
WRITE = Effect(Class.WRITE, why="writes")
EXTERNAL = Effect(Class.EXTERNAL, why="talks to another machine")


def step(tool: str, effect: Effect = READ, /, **arguments: Expression) -> Step:
    return Step(tool, Object(tuple(arguments.items())), effect)


def ok(result: Any) -> Outcome:
    return Outcome.read(result)


def scripted(*raw: Any) -> tuple[Callable[[StepCall], Outcome], list[StepCall]]:
    """A dispatcher that gives these raw answers in turn, and the list of what it was asked."""
    asked: list[StepCall] = []

    def dispatch(one: StepCall) -> Outcome:
        asked.append(one)
        return Outcome.read(raw[len(asked) - 1])

    return dispatch, asked


def outcomes(*given_outcomes: Outcome) -> tuple[Callable[[StepCall], Outcome], list[StepCall]]:
    asked: list[StepCall] = []

    def dispatch(one: StepCall) -> Outcome:
        asked.append(one)
        return given_outcomes[len(asked) - 1]

    return dispatch, asked


BRANCH = InputField("branch", "string", "the branch")
FLOW = Spec(
    (BRANCH,),
    (
        step("search_files", pattern=Input("branch")),
        step("read_file", path=Reference(0, ("matches", 0, "path"))),
        step("write_file", WRITE, path=Literal("out.txt"), content=Concat((Literal("found "), Reference(1, ("content",))))),
    ),
)
RESULTS = ({"matches": [{"path": "src/a.py"}]}, {"content": "text"}, {"bytes_written": 10})


# ── Inputs: K24, K62, K69 ────────────────────────────────────────────────────────────────────────


def test_the_input_schema_requires_every_argument_and_no_other() -> None:
    """K24."""
    assert input_schema(FLOW) == {
        "type": "object",
        "properties": {"branch": {"type": "string", "description": "the branch"}},
        "required": ["branch"],
        "additionalProperties": False,
    }


def test_an_argument_seen_with_several_types_takes_any() -> None:
    assert input_schema(Spec((InputField("x", ""),), ()))["properties"] == {"x": {"description": ""}}


def test_all_that_is_wrong_with_the_arguments_is_named_before_anything_is_asked() -> None:
    """K69."""
    spec = Spec((BRANCH, InputField("limit", "integer")), FLOW.steps)
    with pytest.raises(InputError) as caught:
        run(spec, {"limit": "3", "brunch": "main"})
    assert str(caught.value) == (
        "Expected branch (string), limit (integer); 'branch' is missing; 'limit' must be of type integer, got string; "
        "'brunch' is not an argument of this kata"
    )


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("integer", [0, -3, 12345678901234567890], [True, 1.0, "1", None]),
        ("number", [1, 1.5, -0.0], [False, "1", float("nan"), float("inf"), None]),
        ("boolean", [True, False], [0, 1, "true", None]),
        ("string", ["", "null"], [None, 1, ["a"]]),
        ("array", [[], [1]], [{}, "[]", None]),
        ("object", [{}, {"a": 1}], [[], "{}", None]),
        ("null", [None], [0, "", "null", False]),
        ("", [None, 1, "a", [], {}, True], []),
    ],
)
def test_types_are_kept_apart(kind: str, good: list[Any], bad: list[Any]) -> None:
    """B31: `true` is no integer, an integer is a number, the word null is not null."""
    spec = Spec((InputField("x", kind),), ())
    for value in good:
        assert check_inputs(spec, {"x": value}) == {"x": value}
    for value in bad:
        with pytest.raises(InputError):
            check_inputs(spec, {"x": value})


# ── The straight line: K70, T47, B31, B48 ────────────────────────────────────────────────────────


def test_each_step_is_rendered_from_inputs_and_earlier_results() -> None:
    """K70."""
    dispatch, asked = scripted(*RESULTS)
    trace = drive(run(FLOW, {"branch": "main"}), dispatch)
    assert [one.call for one in asked] == [
        Call("search_files", {"pattern": "main"}),
        Call("read_file", {"path": "src/a.py"}),
        Call("write_file", {"path": "out.txt", "content": "found text"}),
    ]
    assert [(one.index, one.attempt) for one in asked] == [(0, 1), (1, 1), (2, 1)]
    assert trace.status is Status.OK
    assert trace.result == {"bytes_written": 10}


def test_a_whole_value_keeps_its_type() -> None:
    """B31."""
    values = {"limit": 20, "case": False, "ids": [3], "note": None, "name": "null", "big": 12345678901234567890, "ratio": 1.0, "none": ""}
    arguments: dict[str, Expression] = {key: Reference(0, (key,)) for key in values}
    arguments |= {"again": Literal(1.0), "list": Array((Literal(True), Literal(1)))}
    dispatch, asked = scripted(values, {})
    drive(run(Spec((), (step("a"), step("b", READ, **arguments))), {}), dispatch)
    assert canonical(asked[1].call.arguments) == canonical({**values, "again": 1.0, "list": [True, 1]})


def test_each_run_has_its_own_values() -> None:
    """B48: two runs side by side, and one after the other, do not mix."""
    first, second = run(FLOW, {"branch": "one"}), run(FLOW, {"branch": "two"})
    assert [next(first).call.arguments, next(second).call.arguments] == [{"pattern": "one"}, {"pattern": "two"}]
    paths = [one.send(ok({"matches": [{"path": path}]})).call.arguments for one, path in ((first, "A"), (second, "B"))]
    assert paths == [{"path": "A"}, {"path": "B"}]


def test_a_tool_that_changes_its_arguments_changes_nothing_else() -> None:
    """B48: neither the next attempt, nor the trace, nor the spec."""
    spec = Spec((), (step("a", ids=Literal([1])),))
    before = spec.digest
    seen = []

    def dispatch(one: StepCall) -> Outcome:
        seen.append(canonical(dict(one.call.arguments)))
        one.call.arguments["ids"].append(2)
        return ok({"error": "busy"})

    trace = drive(run(spec, {}), dispatch)
    assert seen == ['{"ids":[1]}', '{"ids":[1]}']
    assert trace.steps[0].call == Call("a", {"ids": [1]})
    assert spec.digest == before


def test_the_trace_holds_what_was_rendered_and_what_the_driver_really_sent() -> None:
    """The driver may narrow a call, and the trace shows both."""
    spec = Spec((), (step("terminal", WRITE, command=Literal("make")),))
    sent = {"command": "make", "timeout": 60, "workdir": "/srv/app"}
    trace = drive(run(spec, {}), outcomes(Outcome(Status.OK, {}, "", sent))[0])
    assert trace.steps[0].call == Call("terminal", {"command": "make"})
    assert trace.steps[0].sent == sent


def test_a_spec_without_steps_ends_at_once() -> None:
    assert drive(run(Spec((), ()), {}), scripted()[0]) == Trace(Status.OK, ())


# ── Failure: K71–K75, B01, B37 ───────────────────────────────────────────────────────────────────

BAD = [
    '{"error":"needs a parent agent"}',
    '{"output":"","exit_code":2,"error":null}',
    '{"success":false}',
    "Error: nope",
    '{"error":"x"}\n\n[note]',
    "[TOOL_ERROR] gone",
    None,
    '{"status":"unchanged","dedup":true,"content_returned":false}',
    "<persisted-output>\nthe first 2000 characters",
]


@pytest.mark.parametrize("raw", BAD)
def test_a_failure_in_an_ordinary_answer_stops_the_run(raw: Any) -> None:
    """K71–K75, B01, B37: step 2 is never dispatched, and the answer names step 1 and the message."""
    spec = Spec((), (step("sync", WRITE), step("notify", EXTERNAL)))
    dispatch, asked = scripted(raw)
    trace = drive(run(spec, {}), dispatch)
    assert [one.index for one in asked] == [0]
    assert [one.status for one in trace.steps] == [Status.ERROR, Status.SKIPPED]
    said = json.loads(answer(trace, spec, "r1"))
    assert said["error"].startswith("Step 1 of 2 (sync) failed: ")
    assert trace.reason and said["error"].endswith(trace.reason)


GOOD = ['{"success":true,"failed":0}', '{"results":[{"error":null}]}', '{"output":"","exit_code":0,"error":null}', "[]"]


@pytest.mark.parametrize("raw", GOOD)
def test_zero_counters_and_null_errors_go_on(raw: str) -> None:
    """A19, B01, B03."""
    dispatch, asked = scripted(raw, "{}")
    assert drive(run(Spec((), (step("sync"), step("notify"))), {}), dispatch).status is Status.OK
    assert len(asked) == 2


def test_what_the_dispatcher_raises_goes_up_and_no_later_step_is_asked_for() -> None:
    """B01: turning an exception into an outcome is the part of the driver around real tools."""
    asked = []

    def dispatch(one: StepCall) -> Outcome:
        asked.append(one)
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError):
        drive(run(FLOW, {"branch": "main"}), dispatch)
    assert len(asked) == 1


@pytest.mark.parametrize("status", [one for one in Status if one is not Status.OK])
def test_only_ok_goes_on(status: Status) -> None:
    dispatch, asked = outcomes(Outcome(status, None, "why"))
    trace = drive(run(FLOW, {"branch": "main"}, read_retries=0), dispatch)
    assert len(asked) == 1
    assert trace.status is not Status.OK
    assert "error" in json.loads(answer(trace, FLOW, "r1"))


# ── Rendering that fails: B14 ────────────────────────────────────────────────────────────────────


def test_a_missing_field_stops_the_run_with_its_name() -> None:
    """B31: never the word None in a later call."""
    dispatch, asked = scripted({"matches": [{"file": "src/a.py"}]})
    trace = drive(run(FLOW, {"branch": "main"}), dispatch)
    assert len(asked) == 1
    assert [one.status for one in trace.steps] == [Status.OK, Status.REFUSED, Status.SKIPPED]
    assert "path" in trace.reason
    assert trace.steps[1].call is None


def test_a_step_that_cannot_be_rendered_stops_the_run_before_the_steps_in_front_of_it_act() -> None:
    """B14: step 3 needs only the result of step 1, so step 2 does not write."""
    spec = Spec((), (step("look"), step("write_file", WRITE, path=Literal("a")), step("send", EXTERNAL, to=Reference(0, ("mail",)))))
    dispatch, asked = scripted({"name": "x"})
    trace = drive(run(spec, {}), dispatch)
    assert [one.call.tool for one in asked] == ["look"]
    assert [one.status for one in trace.steps] == [Status.OK, Status.SKIPPED, Status.REFUSED]
    said = json.loads(answer(trace, spec, "r1"))
    assert said["error"].startswith("Step 3 of 3 (send) was refused: ")
    assert said["next"] == {"tool": "write_file", "arguments": {"path": "a"}}
    assert said["had_effect"] == []
    assert said["note"] == "Nothing after step 1 was run. 'next' is step 2."


@pytest.mark.parametrize("value", ["-r", "", "a\ntouch pwned", "a\x00b"])
def test_an_input_that_cannot_be_placed_in_a_later_command_is_refused_before_anything_runs(value: str) -> None:
    """B06, B14: step 2 takes the value, so step 1 does not write."""
    grep = Command(("grep -n ", Hole(Input("branch"), "bare"), " src/app.py"))
    spec = Spec((BRANCH,), (step("write_file", WRITE, path=Literal("a")), step("terminal", READ, command=grep)))
    dispatch, asked = scripted()
    trace = drive(run(spec, {"branch": value}), dispatch)
    assert asked == []
    assert [one.status for one in trace.steps] == [Status.SKIPPED, Status.REFUSED]
    assert json.loads(answer(trace, spec, "r1"))["note"] == "Nothing was run. 'next' is step 1."


def test_a_command_that_cannot_be_parsed_is_refused() -> None:
    """A stored template that this parser does not understand runs nothing."""
    spec = Spec((BRANCH,), (step("terminal", WRITE, command=Command(("case ", Hole(Input("branch"), "bare"), " in esac"))),))
    assert drive(run(spec, {"branch": "main"}), scripted()[0]).status is Status.REFUSED


@pytest.mark.parametrize("late", [-2, -1, 1, 2, 7])
def test_a_reference_that_does_not_point_back_is_refused_before_anything_runs(late: int) -> None:
    dispatch, asked = scripted()
    trace = drive(run(Spec((), (step("a"), step("b", x=Reference(late, ())), step("c"))), {}), dispatch)
    assert asked == []
    assert trace.reason == f"Expected step 2 to refer to earlier steps only, it refers to step {late + 1}"
    assert trace.status is Status.REFUSED


# ── Retries: K76, K77, K79, B04 ──────────────────────────────────────────────────────────────────


def test_a_read_is_asked_again_after_a_plain_error() -> None:
    """K76."""
    dispatch, asked = scripted({"error": "busy"}, *RESULTS)
    trace = drive(run(FLOW, {"branch": "main"}), dispatch)
    assert [(one.index, one.attempt) for one in asked] == [(0, 1), (0, 2), (1, 1), (2, 1)]
    assert trace.status is Status.OK
    assert [one.attempts for one in trace.steps] == [2, 1, 1]


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_reads_are_asked_no_more_often_than_the_setting_says(retries: int) -> None:
    """K97."""
    dispatch, asked = scripted(*[{"error": "busy"}] * 9)
    drive(run(FLOW, {"branch": "main"}, retries), dispatch)
    assert len(asked) == 1 + retries


@pytest.mark.parametrize("kind", list(Class))
@pytest.mark.parametrize("destructive", [False, True])
@pytest.mark.parametrize("status", [Status.ERROR, Status.TIMEOUT, Status.REFUSED, Status.INTERRUPTED, Status.UNKNOWN])
def test_only_a_plain_read_is_repeated_and_only_after_a_plain_error(kind: Class, destructive: bool, status: Status) -> None:
    """K77, K79, B04."""
    dispatch, asked = outcomes(*[Outcome(status, None, "why")] * 4)
    trace = drive(run(Spec((), (step("x", Effect(kind, destructive)), step("y"))), {}, 2), dispatch)
    repeated = kind is Class.READ and not destructive and status is Status.ERROR
    assert len(asked) == (3 if repeated else 1)
    assert [one.status for one in trace.steps] == [status, Status.SKIPPED]


def test_a_timed_out_order_is_placed_once_and_said_to_be_uncertain() -> None:
    """B04, K79, A22."""
    order = "curl -X POST https://api.example.org/orders -d @o.json"
    spec = Spec((), (step("terminal", EXTERNAL, command=Literal(order)), step("read_file")))
    dispatch, asked = scripted('{"output":"[Command timed out after 60s]","exit_code":124,"error":null}')
    said = json.loads(answer(drive(run(spec, {}, 2), dispatch), spec, "r1"))
    assert len(asked) == 1
    assert said["error"] == "Step 1 of 2 (terminal) timed out: [Command timed out after 60s]"
    assert said["note"] == "Step 1 may still be running; it was not repeated. Find out what it did before you repeat it."
    assert said["had_effect"] == [{"step": 1, "tool": "terminal", "call": order, "sure": False}]


# ── The answer: K75, T52, T57, B46 ───────────────────────────────────────────────────────────────


def test_the_answer_of_a_success_holds_every_status_and_the_final_result() -> None:
    said = json.loads(answer(drive(run(FLOW, {"branch": "main"}), scripted(*RESULTS)[0]), FLOW, "r1"))
    assert said == {
        "status": "ok",
        "run": "r1",
        "steps": [
            {"step": 1, "tool": "search_files", "status": "ok"},
            {"step": 2, "tool": "read_file", "status": "ok"},
            {"step": 3, "tool": "write_file", "status": "ok"},
        ],
        "result": {"bytes_written": 10},
    }


def test_the_answer_of_a_stop_says_where_what_had_effect_and_how_to_go_on() -> None:
    """K75, T52."""
    spec = Spec(
        (BRANCH,),
        (
            step("terminal", WRITE, command=Concat((Literal("git switch "), Input("branch")))),
            step("read_file", path=Literal("a.md")),
            step("write_file", WRITE, path=Literal("b.md")),
        ),
    )
    trace = drive(run(spec, {"branch": "dev"}), scripted({"output": "", "exit_code": 0}, *[{"error": "File not found: a.md"}] * 2)[0])
    assert json.loads(answer(trace, spec, "r9")) == {
        "error": "Step 2 of 3 (read_file) failed: File not found: a.md",
        "run": "r9",
        "steps": [
            {"step": 1, "tool": "terminal", "status": "ok"},
            {"step": 2, "tool": "read_file", "status": "error"},
            {"step": 3, "tool": "write_file", "status": "skipped"},
        ],
        "had_effect": [{"step": 1, "tool": "terminal", "call": "git switch dev"}],
        "next": {"tool": "read_file", "arguments": {"path": "a.md"}},
    }


def test_a_step_that_a_guard_refused_had_no_effect() -> None:
    """B02: a refusal comes before the dispatch."""
    spec = Spec((), (step("write_file", WRITE, path=Literal("a")), step("read_file")))
    said = json.loads(answer(drive(run(spec, {}), outcomes(Outcome(Status.REFUSED, None, "no writes"))[0]), spec, "r1"))
    assert said["error"] == "Step 1 of 2 (write_file) was refused: no writes"
    assert said["had_effect"] == [] and "note" not in said


@pytest.mark.parametrize("status", [Status.REFUSED, Status.INTERRUPTED])
def test_a_step_that_was_never_dispatched_has_no_attempt_and_no_effect(status: Status) -> None:
    """B02, K75: what was held back before the dispatch does not "may still be running"."""
    spec = Spec((), (step("terminal", EXTERNAL, command=Literal("git push")), step("read_file")))
    trace = drive(run(spec, {}), outcomes(Held(status, None, "no"))[0])
    said = json.loads(answer(trace, spec, "r1"))
    assert (trace.status, trace.steps[0].attempts) == (status, 0)
    assert (said["had_effect"], said["note"]) == ([], "Nothing was run.")


@pytest.mark.parametrize("count", [9, 20])
def test_a_long_routine_is_answered_with_numbers_in_place_of_lines(count: int) -> None:
    """T57: 1,500 characters whatever the number of steps."""
    spec = Spec((), tuple(step("mcp__crm__update_contact", EXTERNAL, body=Literal("x" * 300)) for _ in range(count)))
    bad = drive(run(spec, {}), lambda one: Outcome(Status.ERROR, None, "y" * 900) if one.index == count - 2 else Outcome(Status.OK, {}))
    text = answer(bad, spec, "r1")
    said = json.loads(text)
    assert len(text) <= ANSWER_LIMIT
    assert said["steps"] == {"ok": f"1-{count - 2}", "error": f"{count - 1}", "skipped": f"{count}"}
    assert said["had_effect"] == {"steps": f"1-{count - 1}", "unsure": count - 1}
    assert said["next"] == {"tool": "mcp__crm__update_contact", "arguments": {"body": "x" * 300}}
    good = json.loads(answer(drive(run(spec, {}), lambda one: Outcome(Status.OK, {"n": one.index})), spec, "r1"))
    assert (good["steps"], good["result"]) == ({"ok": f"1-{count}"}, {"n": count - 1})


def test_a_result_of_five_megabytes_is_answered_shortly_wherever_it_goes() -> None:
    """As the final result, as the next call's argument, as what was written."""
    spec = Spec(
        (), (step("read_file", path=Literal("a")), step("write_file", WRITE, path=Literal("b"), content=Reference(0, ("content",))))
    )
    big = {"content": "line of text\n" * 400_000}
    for raw in ({"error": "disk full"}, {"content": big}):
        text = answer(drive(run(spec, {}), scripted(big, raw)[0]), spec, "r1")
        assert len(text) <= (ANSWER_LIMIT if "error" in raw else RESULT_LIMIT + ANSWER_LIMIT)
        assert "characters cut]" in text and "note" in json.loads(text)


def test_a_result_is_whole_up_to_the_bound_and_cut_with_a_mark_beyond_it() -> None:
    spec = Spec((), (step("read_file"),))
    fits, longer = {"content": "x" * (RESULT_LIMIT - 20)}, {"content": "x" * RESULT_LIMIT, "path": "a"}
    whole, cut = (json.loads(answer(drive(run(spec, {}), scripted(raw)[0]), spec, "r1")) for raw in (fits, longer))
    assert whole["result"] == fits
    assert "note" not in whole
    assert cut["result"]["content"] == "x" * 10_666 + "…[4000 characters cut]…" + "x" * 5_334
    assert cut["result"]["path"] == "a"
    assert cut["note"] == f"The result has {len(json.dumps(longer))} characters and is cut here."


def test_a_result_that_is_no_long_text_is_cut_as_text() -> None:
    spec = Spec((), (step("list"),))
    said = json.loads(answer(drive(run(spec, {}), scripted(list(range(9_000)))[0]), spec, "r1"))
    assert said["result"].startswith("[0, 1, 2") and said["result"].endswith("8999]")
    assert "characters cut]" in said["result"]
    assert "note" in said


def test_half_characters_can_be_printed() -> None:
    """B46."""
    spec = Spec((), (step("read_file"),))
    text = answer(drive(run(spec, {}), scripted({"content": "\ud83d\\ é"})[0]), spec, "r1")
    assert text.encode("utf-8")
    assert json.loads(text)["result"] == {"content": "\ud83d\\ é"}


texts = st.text(max_size=40) | st.text(alphabet='ab\n"é', min_size=300, max_size=3_000)


@given(
    st.lists(st.tuples(st.sampled_from(list(Class)), texts), min_size=1, max_size=8),
    st.integers(0, 7),
    texts,
    st.sampled_from([one for one in Status if one is not Status.OK]),
)
def test_a_hand_back_of_eight_steps_keeps_to_its_limit(parts: list[tuple[Class, str]], at: int, why: str, status: Status) -> None:
    """T57: at most 1,500 characters, every status in it, and what is cut is marked."""
    spec = Spec((), tuple(step("mcp__crm__update", Effect(kind), body=Literal(text)) for kind, text in parts))
    last = min(at, len(parts) - 1)
    trace = drive(run(spec, {}, 0), lambda one: Outcome(status, None, why) if one.index == last else Outcome(Status.OK, {}))
    text = answer(trace, spec, "3f2b8a70-2f0c-4c9f-9d7e-0d1f7a5f5c11")
    said = json.loads(text)
    assert len(text) <= ANSWER_LIMIT
    assert [one["status"] for one in said["steps"]] == [one.status.value for one in trace.steps]
    whole = said["next"].get("arguments") == {"body": parts[last][1]}
    assert whole or "not whole here" in said["note"]


# ── T47: same inputs and results, same calls ─────────────────────────────────────────────────────

words = st.text(max_size=5)
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | words
values = st.recursive(leaves, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3), max_leaves=5)


def paths(value: Any) -> list[tuple[str | int, ...]]:
    """Every path into a JSON value, the empty one first."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(), *((key, *rest) for key, item in inside for rest in paths(item))]


def expressions(inputs: Sequence[str], earlier: Sequence[Any]) -> st.SearchStrategy[Expression]:
    """An expression that holds for these inputs (all text) and earlier results."""
    kinds: list[st.SearchStrategy[Expression]] = [st.builds(Literal, values)]
    given_text: list[st.SearchStrategy[Expression]] = [st.builds(Literal, words)]
    if inputs:
        given_text.append(st.builds(Input, st.sampled_from(inputs)))
        kinds.append(given_text[-1])
    if earlier:
        places = [(at, path) for at, result in enumerate(earlier) for path in paths(result)]
        kinds.append(st.builds(lambda place: Reference(*place), st.sampled_from(places)))
    leaf, text = st.one_of(kinds), st.one_of(given_text)
    several = st.builds(Array, st.lists(leaf, max_size=3).map(tuple)), st.builds(Concat, st.lists(text, min_size=1, max_size=3).map(tuple))
    return leaf | several[0] | several[1]


@st.composite
def routines(draw: st.DrawFn) -> tuple[Spec, dict[str, Any], list[Any]]:
    """A spec of literals, inputs, references, texts and lists that hold, with inputs and results for it."""
    inputs = draw(st.dictionaries(st.sampled_from("abc"), words, max_size=3))
    results = draw(st.lists(values.map(lambda value: {"value": value}), min_size=1, max_size=5))
    steps = []
    for index in range(len(results)):
        arguments = draw(st.dictionaries(words, expressions(sorted(inputs), results[:index]), max_size=3))
        effect = Effect(draw(st.sampled_from(list(Class))), draw(st.booleans()))
        steps.append(Step(f"tool_{index}", Object(tuple(arguments.items())), effect))
    return Spec(tuple(InputField(name, "string") for name in inputs), tuple(steps)), inputs, results


def expected(expression: Expression, inputs: dict[str, Any], results: Sequence[Any]) -> Any:
    """What an expression comes to, written down a second time and without templates."""
    match expression:
        case Literal(value):
            return value
        case Input(name):
            return inputs[name]
        case Reference(at, path):
            value = results[at]
            for key in path:
                value = value[key]
            return value
        case Concat(parts):
            return "".join(expected(part, inputs, results) for part in parts)
        case Array(items):
            return [expected(item, inputs, results) for item in items]
        case Object(pairs):
            return {key: expected(item, inputs, results) for key, item in pairs}
    raise AssertionError(expression)


@given(routines())
def test_the_same_inputs_and_results_give_the_same_calls(routine: tuple[Spec, dict[str, Any], list[Any]]) -> None:
    """T47, K5, B31: twice the same, through the stored form too, and exactly what the spec says."""
    spec, inputs, results = routine
    stored = Spec.from_json(json.loads(canonical(spec.to_json())))
    issued = []
    for one in (spec, spec, stored):
        dispatch, asked = outcomes(*(Outcome(Status.OK, result) for result in results))
        assert drive(run(one, inputs), dispatch).status is Status.OK
        issued.append([canonical([call.index, call.call.tool, dict(call.call.arguments)]) for call in asked])
    wanted = [canonical([i, one.tool, expected(one.arguments, inputs, results)]) for i, one in enumerate(spec.steps)]
    assert issued == [wanted, wanted, wanted]


@given(routines(), st.integers(0, 4), st.sampled_from([one for one in Status if one not in (Status.OK, Status.SKIPPED)]))
def test_a_failed_step_is_the_last_one_asked_for(routine: tuple[Spec, dict[str, Any], list[Any]], at: int, status: Status) -> None:
    """K60, K75: in any routine every later step is skipped, and the trace says which one stopped it."""
    spec, inputs, results = routine
    last = min(at, len(results) - 1)
    asked: list[int] = []

    def dispatch(one: StepCall) -> Outcome:
        asked.append(one.index)
        return Outcome(status, None, "why") if one.index == last else Outcome(Status.OK, results[one.index])

    trace = drive(run(spec, inputs), dispatch)
    assert max(asked) == last
    assert [one.status for one in trace.steps] == [Status.OK] * last + [status] + [Status.SKIPPED] * (len(results) - last - 1)
    assert trace.stopped is not None and trace.stopped.index == last


@pytest.mark.parametrize(
    ("given_value", "taken"),
    [
        ("amber", "amber"),
        ("logs/amber.log", "amber"),
        ("logs/amber", "logs/amber"),  # only one side of it: as it stands
        ("logs/.log", "logs/.log"),  # nothing would be left
    ],
)
def test_a_piece_that_is_given_with_its_surroundings_is_taken_without(given_value, taken):
    """The agent may write the whole path where the kata asks for the varying part of it."""
    spec = Spec((InputField("path", "string", within=("logs/", ".log")),), ())
    assert check_inputs(spec, {"path": given_value}) == {"path": taken}


def test_an_input_with_a_default_may_be_left_out():
    """K24, T30: it is not required, and the schema says what counts then."""
    spec = Spec((BRANCH, InputField("force", "boolean", "Adds --force to step 1.", default=False)), ())
    assert check_inputs(spec, {"branch": "x"}) == {"branch": "x", "force": False}
    assert input_schema(spec)["required"] == ["branch"]
    assert input_schema(spec)["properties"]["force"] == {"type": "boolean", "description": "Adds --force to step 1.", "default": False}
    with pytest.raises(InputError, match="'force' must be of type boolean, got string"):
        check_inputs(spec, {"branch": "x", "force": "no"})


def test_choices_are_told_and_not_demanded():
    spec = Spec((InputField("stage", "string", "Used in step 1.", choices=("dev", "prod")),), ())
    assert input_schema(spec)["properties"]["stage"]["description"] == 'Used in step 1. Seen: "dev", "prod"; others are possible.'
    assert check_inputs(spec, {"stage": "test"}) == {"stage": "test"}


# ── Going on with a run that stopped ─────────────────────────────────────────────────────────────


def found(*results: Any) -> tuple[StepTrace, ...]:
    """What is known of the first steps of FLOW."""
    return tuple(StepTrace(index, FLOW.steps[index].tool, Status.OK, None, result, attempts=1) for index, result in enumerate(results))


def test_steps_that_are_done_are_not_asked_for_again_and_their_results_flow_on() -> None:
    """A21, T53."""
    dispatch, asked = scripted('{"ok": true}')
    done = found({"matches": [{"path": "src/a.py"}]}, {"content": "text"})
    trace = drive(run(FLOW, {"branch": "main"}, done=done), dispatch)
    assert [(one.index, one.call.tool, dict(one.call.arguments)) for one in asked] == [
        (2, "write_file", {"path": "out.txt", "content": "found text"})
    ]
    assert trace.status is Status.OK and trace.steps[:2] == done and len(trace.steps) == 3


def test_every_step_that_is_left_is_rendered_before_the_next_one_acts() -> None:
    """B14: a step whose values are there already is looked at too."""
    steps = (step("a"), step("b", WRITE), step("c", WRITE, x=Reference(0, ("gone",))))
    dispatch, asked = scripted()
    trace = drive(run(Spec((), steps), {}, done=(StepTrace(0, "a", Status.OK, None, {}, attempts=1),)), dispatch)
    assert asked == [] and [one.status for one in trace.steps] == [Status.OK, Status.SKIPPED, Status.REFUSED]


def test_a_step_may_need_a_result_from_long_before() -> None:
    steps = (step("a"), step("b"), step("c", WRITE, x=Reference(0, ("v",))))
    dispatch, asked = scripted("{}")
    done = tuple(StepTrace(index, "a", Status.OK, None, {"v": index}, attempts=1) for index in (0, 1))
    assert drive(run(Spec((), steps), {}, done=done), dispatch).status is Status.OK
    assert [one.call.arguments for one in asked] == [{"x": 0}]


def test_a_run_of_which_all_is_done_ends_at_once() -> None:
    dispatch, asked = scripted()
    done = found({"matches": [{"path": "a"}]}, {"content": "b"}, {"ok": True})
    assert drive(run(FLOW, {"branch": "main"}, done=done), dispatch).status is Status.OK and asked == []


# ── Learnt checks: T50 ───────────────────────────────────────────────────────────────────────────

FILLED = (Trait("filled", ("output",)),)
EMPTY: dict[str, Any] = {"output": ""}
UNLIKE = "its answer is unlike that of every example (check {}a): expected that 'output' is not empty, got an empty text"


def looked_at(*effects: Effect) -> Spec:
    """Steps with these effects, each expected to give some output."""
    return Spec((), tuple(replace(step(f"t{index}", effect, x=Literal(index)), traits=FILLED) for index, effect in enumerate(effects)))


def test_a_read_that_answers_unlike_every_example_fails_where_something_acts_after_it() -> None:
    dispatch, asked = scripted(EMPTY)
    trace = drive(run(looked_at(READ, READ, WRITE), {}), dispatch)
    assert [one.status.value for one in trace.steps] == ["error", "skipped", "skipped"] and len(asked) == 1
    assert trace.reason == UNLIKE.format(1)
    payload = json.loads(answer(trace, looked_at(READ, READ, WRITE), "r1"))
    assert payload["error"] == f"Step 1 of 3 (t0) failed: {UNLIKE.format(1)}" and payload["had_effect"] == []


def test_what_has_acted_and_answers_unlike_every_example_has_acted_and_nothing_more_acts() -> None:
    """K77: it is not done again; a read in between still runs, the next effect is refused with the reason, and is the call that is next."""
    dispatch, asked = scripted(EMPTY, {"output": "x"})
    trace = drive(run(looked_at(WRITE, READ, WRITE), {}), dispatch)
    assert [one.status.value for one in trace.steps] == ["ok", "ok", "refused"] and len(asked) == 2
    assert trace.reason == f"step 1 succeeded, but {UNLIKE.format(1)}"
    payload = json.loads(answer(trace, looked_at(WRITE, READ, WRITE), "r1"))
    assert payload["next"] == {"tool": "t2", "arguments": {"x": 2}} and [one["step"] for one in payload["had_effect"]] == [1]


def test_a_run_that_goes_on_after_an_odd_answer_of_what_has_acted_is_refused_again() -> None:
    """A21 with T50: what is kept of the step still says so."""
    done = StepTrace(0, "t0", Status.OK, Call("t0", {"x": 0}), EMPTY, attempts=1, odd=UNLIKE.format(1))
    dispatch, asked = scripted()
    trace = drive(run(looked_at(WRITE, WRITE), {}, done=(done,)), dispatch)
    assert trace.status is Status.REFUSED and asked == []


def test_where_nothing_acts_any_more_an_odd_answer_is_only_told() -> None:
    dispatch, asked = scripted({"output": "x"}, EMPTY)
    trace = drive(run(looked_at(WRITE, READ), {}), dispatch)
    assert trace.status is Status.OK and len(asked) == 2
    assert json.loads(answer(trace, looked_at(WRITE, READ), "r1"))["unlike_examples"] == [f"step 2: {UNLIKE.format(2)}"]


def test_an_answer_that_is_as_expected_or_a_check_that_was_relaxed_stops_nothing() -> None:
    dispatch, _ = scripted({"output": "x"}, {"output": "y"})
    assert drive(run(looked_at(READ, WRITE), {}), dispatch).status is Status.OK
    loose = looked_at(READ, WRITE)
    loose = replace(loose, steps=tuple(replace(one, traits=(replace(FILLED[0], relaxed=True),)) for one in loose.steps))
    dispatch, _ = scripted(EMPTY, EMPTY)
    trace = drive(run(loose, {}), dispatch)
    assert trace.status is Status.OK and [one.odd for one in trace.steps] == ["", ""]
