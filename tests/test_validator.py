"""The validator: each of the twelve checks passes on a sound routine, fails on the fault it is there for, and calls no tool."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from kata.driver import replay
from kata.executor import drive, run
from kata.model import (
    Array,
    Call,
    Check,
    Class,
    Command,
    Concat,
    Effect,
    Event,
    Example,
    Expression,
    Hole,
    Input,
    InputError,
    InputField,
    Literal,
    Object,
    Outcome,
    Pick,
    Reference,
    Spec,
    Status,
    Step,
    StepCall,
    StepTrace,
    Trace,
)
from kata.validator import Replay, compatible, fingerprint, normalised, validate

READ = Effect(Class.READ, why="reads files")
WRITE = Effect(Class.WRITE, why="writes a file")
EXTERNAL = Effect(Class.EXTERNAL, why="talks to another machine")
NAMES = (
    "replay_matches_recorded holdout_fit executor_replay failure_handling timeout_handling input_schema output_schema "
    "no_secrets tools_available compilable_tools recorded_examples side_effects"
).split()


def step(tool: str, effect: Effect = READ, schema: str = "f1", **arguments: Expression) -> Step:
    return Step(tool, Object(tuple(arguments.items())), effect, schema)


SPEC = Spec(
    (InputField("pattern", "string"),),
    (
        step("search_files", pattern=Input("pattern"), limit=Literal(20)),
        step("read_file", path=Reference(0, ("path",))),
        step("write_file", WRITE, path=Concat((Literal("out/"), Input("pattern"), Literal(".md"))), content=Reference(1, ("content",))),
    ),
)
SCHEMAS = {"search_files": "f1", "read_file": "f1", "write_file": "f1"}


def example(name: str, *pairs: tuple[Call, Any]) -> Example:
    events = (Event(call, Outcome.read(result), name, f"{name}-{at}", at) for at, (call, result) in enumerate(pairs))
    return Example(name, name, tuple(events))


def occurrence(name: str, word: str, **changed: Any) -> Example:
    """A recorded run of `SPEC` with this pattern; `changed` replaces arguments of the last call."""
    path, content = f"src/{word}.py", f"text of {word}"
    last = {"path": f"out/{word}.md", "content": content} | changed
    return example(
        name,
        (Call("search_files", {"pattern": word, "limit": 20}), {"path": path}),
        (Call("read_file", {"path": path}), {"content": content}),
        (Call("write_file", last), {"bytes_written": len(content)}),
    )


EXAMPLES = (occurrence("c1", "alpha"), occurrence("c2", "beta"), occurrence("c3", "gamma"))


def checks(
    spec: Spec = SPEC,
    examples: Sequence[Example] = EXAMPLES,
    schemas: Mapping[str, str | None] = SCHEMAS,
    by: Replay = replay,
    min_support: int = 3,
    known: Callable[[str], Any] = lambda name: None,
) -> dict[str, Check]:
    """The answers, by the driver of real runs unless another replays."""
    return {one.name: one for one in validate(spec, examples, schemas, by, min_support, known)}


def failed(found: Mapping[str, Check]) -> dict[str, str]:
    return {name: one.reason for name, one in found.items() if not one.passed}


# ── All of them ──────────────────────────────────────────────────────────────────────────────────


def test_a_sound_routine_passes_all_twelve_checks_each_with_its_reason() -> None:
    """K57–K68."""
    assert list(checks().values()) == [
        Check("replay_matches_recorded", True, "all 3 examples are reproduced exactly"),
        Check("holdout_fit", True, "3 of 3 held-out examples are reproduced, 90% are needed"),
        Check("executor_replay", True, "the recorded calls are issued in order with equal arguments"),
        Check("failure_handling", True, "tried at each of 3 steps: the run stops there and later steps are skipped"),
        Check(
            "timeout_handling",
            True,
            "tried at each of 3 steps: the run stops there and later steps are skipped; step 3 (write_file): no limit of ours",
        ),
        Check("input_schema", True, "recorded arguments are accepted, incomplete calls are refused (1 argument)"),
        Check("output_schema", True, "status, 3 step statuses and a final result (an object)"),
        Check("no_secrets", True, "no credential and no masked value in the spec"),
        Check("tools_available", True, "every tool has the schema with which it was recorded"),
        Check("compilable_tools", True, "3 steps, all of tools that may be compiled"),
        Check("recorded_examples", True, "3 examples of 3 conversations"),
        Check("side_effects", True, "the effect of every step is disclosed, 0 of 3 ask on every run"),
    ]


def test_all_checks_are_reported_whatever_fails() -> None:
    """A spec with hardly anything right still gets twelve answers, each with a reason."""
    broken = Spec((), (Step("clarify", Object((("x", Reference(4, ("y",))),)), Effect(Class.UNKNOWN)),))
    found = validate(broken, (), {}, replay, 3)
    assert [one.name for one in found] == NAMES
    assert all(one.reason and one.done for one in found)
    assert failed({one.name: one for one in found}).keys() == set(NAMES) - {"no_secrets", "tools_available"}


def test_validation_dispatches_nothing_but_what_the_stub_answers() -> None:
    """K56: whatever `replay` gets to dispatch with answers from the record."""
    answers = []

    def watched(spec: Spec, inputs: Mapping[str, Any], dispatch: Callable[[StepCall], Outcome]) -> Trace:
        def noting(asked: StepCall) -> Outcome:
            answers.append(dispatch(asked))
            return answers[-1]

        return drive(run(spec, inputs), noting)

    assert not failed(checks(by=watched))
    recorded = [event.outcome for one in EXAMPLES for event in one.events]
    assert all(one in recorded or one.reason == "injected" for one in answers)


# ── K57, K58, K59 ────────────────────────────────────────────────────────────────────────────────


def test_an_example_that_the_spec_does_not_reproduce_is_named() -> None:
    """K57: no inputs give the second example."""
    found = checks(examples=(EXAMPLES[0], occurrence("c2", "beta", path="elsewhere.md"), EXAMPLES[2]))
    assert failed(found)["replay_matches_recorded"] == "example 2: no inputs reproduce it"


@pytest.mark.parametrize(("recorded", "fixed"), [(20, 20.0), (1, True), (0, False), (1.0, True), (20, "20"), (None, "null")])
def test_values_of_another_type_are_other_values(recorded: Any, fixed: Any) -> None:
    """B31, A15: 1, 1.0, true and "1" stay apart."""
    spec = Spec((), (step("a", x=Literal(fixed)), step("b", x=Literal(fixed))))
    pairs = (Call("a", {"x": recorded}), "{}"), (Call("b", {"x": recorded}), "{}")
    found = checks(spec, [example(name, *pairs) for name in ("c1", "c2", "c3")])
    assert not found["replay_matches_recorded"].passed
    assert not found["executor_replay"].passed


def test_a_template_that_only_fits_what_it_was_built_from_is_held_back() -> None:
    """K58: one of three does not follow the others."""
    odd = occurrence("c3", "gamma", path="out/other.md")
    assert failed(checks(examples=(*EXAMPLES[:2], odd)))["holdout_fit"].endswith("of 3 held-out examples are reproduced, 90% are needed")


def test_examples_of_one_conversation_cannot_hold_each_other_out() -> None:
    """K42, K58."""
    found = checks(examples=[replace(one, conversation="c1") for one in EXAMPLES])
    assert failed(found) == {
        "holdout_fit": "there are no two conversations, so none can be held out",
        "recorded_examples": "1 distinct conversations, 3 are needed",
    }


def changing(change: Callable[[StepCall], StepCall | None]) -> Replay:
    """A replay whose calls are changed on the way, or left out where the change is None."""

    def by(spec: Spec, inputs: Mapping[str, Any], dispatch: Callable[[StepCall], Outcome]) -> Trace:
        def bent(asked: StepCall) -> Outcome:
            other = change(asked)
            return Outcome(Status.OK, {"path": "p", "content": "c"}) if other is None else dispatch(other)

        return drive(run(spec, inputs), bent)

    return by


def test_an_executor_that_issues_other_calls_is_caught() -> None:
    """K59: another argument, and a call left out."""
    other = changing(lambda asked: replace(asked, call=Call(asked.call.tool, {**asked.call.arguments, "limit": 20.0})))
    assert failed(checks(by=other))["executor_replay"].startswith("example 1: step 1 (search_files) differs in 'limit'")
    fewer = changing(lambda asked: None if asked.index == 2 else asked)
    assert failed(checks(by=fewer))["executor_replay"].startswith("example 1: 2 calls in place of 3")


def test_a_run_that_does_not_end_well_is_no_replay() -> None:
    """K59: the right calls, but the last recorded answer is a notice (B37)."""
    one = EXAMPLES[0]
    last = replace(one.events[2], outcome=Outcome.read("<persisted-output>"))
    reason = failed(checks(examples=(replace(one, events=(*one.events[:2], last)), *EXAMPLES[1:])))["executor_replay"]
    assert reason == "example 1: the run ended as error: the result was too large: the host answered with a preview"


def test_a_recorded_notice_in_place_of_content_is_no_evidence() -> None:
    """B37."""
    one = EXAMPLES[1]
    notice = replace(one.events[1], outcome=Outcome.read('{"status":"unchanged","content_returned":false,"content":"text of beta"}'))
    found = checks(examples=(EXAMPLES[0], replace(one, events=(one.events[0], notice, one.events[2])), EXAMPLES[2]))
    assert "example 2: 2 calls in place of 3" in failed(found)["executor_replay"]


# ── K60, K61 ─────────────────────────────────────────────────────────────────────────────────────


def stubborn(spec: Spec, inputs: Mapping[str, Any], dispatch: Callable[[StepCall], Outcome]) -> Trace:
    """An executor that goes on after a failure."""
    calls = [Call(event.call.tool, event.call.arguments) for event in EXAMPLES[0].events]
    ended = [dispatch(StepCall(index, call)) for index, call in enumerate(calls)]
    steps = tuple(StepTrace(index, calls[index].tool, one.status) for index, one in enumerate(ended))
    return Trace(next((one.status for one in ended if not one.ok), Status.OK), steps)


def eager(spec: Spec, inputs: Mapping[str, Any], dispatch: Callable[[StepCall], Outcome]) -> Trace:
    """An executor that repeats whatever does not succeed, effects and timeouts included."""

    def twice(asked: StepCall) -> Outcome:
        first = dispatch(asked)
        return first if first.ok else dispatch(asked)

    return drive(run(spec, inputs, 0), twice)


def silent(spec: Spec, inputs: Mapping[str, Any], dispatch: Callable[[StepCall], Outcome]) -> Trace:
    """An executor that stops and then says that all went well."""
    return replace(drive(run(spec, inputs), dispatch), status=Status.OK)


def test_an_executor_that_goes_on_after_a_failure_is_caught() -> None:
    """K60."""
    reason = failed(checks(by=stubborn))["failure_handling"]
    assert reason == "step 1 (search_files): a later step was dispatched; step 2 (read_file): a later step was dispatched"


def test_an_executor_that_repeats_an_effect_is_caught() -> None:
    """K60, K77: the read may be repeated, the write may not."""
    assert failed(checks(by=eager))["failure_handling"] == "step 3 (write_file): dispatched 2 times"


def test_an_executor_that_repeats_a_step_after_a_timeout_is_caught() -> None:
    """K61, K79: not even a read."""
    reason = failed(checks(by=eager))["timeout_handling"]
    assert reason.count("dispatched 2 times") == 3


def test_an_executor_that_hides_a_failure_is_caught() -> None:
    """K60, K61."""
    found = failed(checks(by=silent))
    assert found["failure_handling"].count("the trace does not say what happened") == 3
    assert found["timeout_handling"].count("the trace does not say what happened") == 3


# ── K62, K63 ─────────────────────────────────────────────────────────────────────────────────────


def test_an_executor_that_takes_incomplete_or_unknown_arguments_is_caught() -> None:
    """K62."""

    def lax(spec: Spec, inputs: Mapping[str, Any], dispatch: Callable[[StepCall], Outcome]) -> Trace:
        return drive(run(spec, {"pattern": inputs.get("pattern", "")}), dispatch)

    reason = failed(checks(by=lax, examples=EXAMPLES))["input_schema"]
    assert reason.startswith("a call without 'pattern' is accepted; an unknown argument is accepted")


def test_an_input_type_that_refuses_the_recorded_value_is_caught() -> None:
    """K62."""
    found = failed(checks(replace(SPEC, inputs=(InputField("pattern", "integer"),))))
    assert "the arguments of example 1 are refused" in found["input_schema"]


def test_arguments_that_are_refused_only_after_a_call_count_as_accepted() -> None:
    """K62, K69."""

    def late(spec: Spec, inputs: Mapping[str, Any], dispatch: Callable[[StepCall], Outcome]) -> Trace:
        dispatch(StepCall(0, EXAMPLES[0].calls[0]))
        return drive(run(spec, inputs), dispatch)

    assert "a call without 'pattern' is accepted" in failed(checks(by=late))["input_schema"]


def test_a_run_that_does_not_give_every_status_is_caught() -> None:
    """K63, A16."""

    def curt(spec: Spec, inputs: Mapping[str, Any], dispatch: Callable[[StepCall], Outcome]) -> Trace:
        trace = drive(run(spec, inputs), dispatch)
        return replace(trace, steps=trace.steps[-1:])

    reason = failed(checks(by=curt))["output_schema"]
    assert reason.startswith("the run of example 1 does not give status, every step's status and the final result")


# ── K64 ──────────────────────────────────────────────────────────────────────────────────────────

TOKEN = "ghp_" + "a1B2c3D4e5F6" * 3


@pytest.mark.parametrize(
    "expression",
    [
        Literal("KATASECRET_github_1"),
        Literal({"deep": ["x KATASECRET_github_12 y"]}),
        Concat((Literal("token KATASECRET_key_1"), Input("pattern"))),
        Command(("curl -H KATASECRET_bearer_1 ", Hole(Input("pattern"), "bare"))),
        Array((Literal(TOKEN),)),
        Command((f"git clone https://{TOKEN}@example.org/", Hole(Input("pattern"), "bare"))),
        Reference(0, ("matches", Pick("where", "token", Literal(TOKEN)), "path")),
        Reference(0, ("matches", Pick("text", '{"after": "KATASECRET_key_1"}'))),
        Reference(0, (TOKEN, "path")),
        Command(("cat ", Hole(Reference(0, (TOKEN,)), "bare"))),
    ],
)
def test_a_credential_or_a_masked_value_in_the_spec_is_caught_and_not_shown(expression: Expression) -> None:
    """K64, A17."""
    reason = failed(checks(replace(SPEC, steps=(*SPEC.steps, step("read_file", path=expression)))))["no_secrets"]
    assert reason.startswith("step 4 (read_file) holds a")
    assert TOKEN not in reason and "KATASECRET" not in reason


@pytest.mark.parametrize(
    "kept", [{"examples": (TOKEN,)}, {"choices": (TOKEN, "b")}, {"default": TOKEN}, {"within": (TOKEN, "")}, {"description": TOKEN}]
)
def test_a_secret_among_what_is_kept_of_an_argument_is_caught(kept: Any) -> None:
    """K64: a spec that somebody else made holds whatever they put there."""
    spec = replace(SPEC, inputs=(InputField("pattern", "string", **kept),))
    assert failed(checks(spec))["no_secrets"] == "argument 'pattern' holds a credential"


def test_a_secret_in_a_name_or_in_what_is_said_of_a_routine_is_caught_and_not_shown() -> None:
    """K64"""
    named = replace(SPEC, inputs=(InputField(TOKEN, "string"),))
    loud = replace(SPEC, steps=(replace(SPEC.steps[0], effect=replace(SPEC.steps[0].effect, why=f"runs {TOKEN}")), *SPEC.steps[1:]))
    for spec in (named, loud, replace(SPEC, help=f"use {TOKEN}")):
        reason = failed(checks(spec))["no_secrets"]
        assert "holds a credential" in reason and TOKEN not in reason


# ── K65 ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("schemas", "passed", "reason"),
    [
        (
            SCHEMAS | {"read_file": "f2"},
            False,
            (
                "the schema of read_file has changed since it was recorded, and only its fingerprints are known, which do not tell "
                "whether the recorded calls still fit"
            ),
        ),
        (SCHEMAS | {"read_file": None}, True, "read_file is not checked here"),
        ({"search_files": "f1", "write_file": "f1"}, True, "read_file is not checked here"),
        (SCHEMAS | {"read_file": ""}, True, "the schema of read_file cannot be read today"),
    ],
)
def test_a_changed_schema_is_drift_and_a_missing_tool_is_not_checked_here(schemas: Any, passed: bool, reason: str) -> None:
    """K65, A18."""
    assert checks(schemas=schemas)["tools_available"] == Check("tools_available", passed, reason)


def test_a_tool_recorded_without_a_schema_passes_with_a_remark() -> None:
    spec = replace(SPEC, steps=tuple(replace(one, schema="") for one in SPEC.steps[:1]) + SPEC.steps[1:])
    assert checks(spec)["tools_available"] == Check("tools_available", True, "search_files was recorded without a schema")


SCHEMA = {
    "type": "object",
    "description": "Read a file",
    "properties": {
        "path": {"type": "string", "description": "where"},
        "description": {"type": "string", "enum": ["a", "b"], "default": "a"},
    },
    "required": ["path", "description"],
}


def test_descriptions_and_the_order_of_names_are_no_drift() -> None:
    """A18: an argument that is called `description` is an argument all the same."""
    other = {
        "required": ["description", "path"],
        "title": "x",
        "type": "object",
        "properties": {
            "description": {"default": "a", "type": "string", "enum": ["a", "b"], "description": "new words"},
            "path": {"type": "string", "title": "Path", "examples": ["a.md"]},
        },
    }
    assert normalised(SCHEMA) == {
        "type": "object",
        "properties": {"path": {"type": "string"}, "description": {"type": "string", "enum": ["a", "b"], "default": "a"}},
        "required": ["description", "path"],
    }
    assert fingerprint(other) == fingerprint(SCHEMA)
    assert len(fingerprint(SCHEMA)) == 16


@pytest.mark.parametrize(
    "change",
    [
        {"required": ["path"]},
        {"properties": {"path": {"type": "string"}}},
        {"properties": {"path": {"type": "integer"}, "description": {"type": "string", "enum": ["a", "b"], "default": "a"}}},
        {"properties": {"path": {"type": "string"}, "description": {"type": "string", "enum": ["a"], "default": "a"}}},
        {"properties": {"path": {"type": "string"}, "description": {"type": "string", "enum": ["a", "b"], "default": "b"}}},
        {"additionalProperties": False},
    ],
)
def test_other_arguments_are_drift(change: dict[str, Any]) -> None:
    """K65, A18."""
    assert fingerprint(SCHEMA | change) != fingerprint(SCHEMA)


def arguments(required: Sequence[str] = (), **kinds: str) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": kind} for name, kind in kinds.items()}, "required": list(required)}


@pytest.mark.parametrize(
    ("now", "passed", "reason"),
    [
        (arguments(path="string", limit="integer"), True, "read_file takes new arguments or asks for fewer since it was recorded"),
        (arguments(["limit"], path="string", limit="integer"), False, "the schema of read_file has changed since it was recorded"),
        (arguments(["path"], path="string"), False, "the schema of read_file has changed since it was recorded"),
        (arguments(path="integer"), False, "the schema of read_file has changed since it was recorded"),
        (arguments(limit="integer"), False, "the schema of read_file has changed since it was recorded"),
        (None, False, None),
        ([], False, "the schema of read_file has changed since it was recorded"),
    ],
)
def test_added_optional_arguments_are_noted_and_no_drift(now: Any, passed: bool, reason: str | None) -> None:
    """A18: where both schemas are known."""
    known = {"f1": arguments(path="string"), "f2": now}.get
    found = checks(schemas=SCHEMAS | {"read_file": "f2"}, known=known)["tools_available"]
    assert found.passed is passed
    assert reason is None or found.reason == reason


@pytest.mark.parametrize(
    ("asked", "needed", "fits"),
    [(["a", "b"], ["a"], True), (["a"], [], True), (["a"], ["b"], False), ([], ["a"], False), (["a"], "a", False), ("a", ["a"], False)],
)
def test_a_tool_that_asks_for_less_than_before_takes_every_call_that_it_took(asked: Any, needed: Any, fits: bool) -> None:
    """A18: only what is asked for newly, or gone, makes a kata stale."""
    properties = {"a": {"type": "string"}, "b": {"type": "string"}}
    assert compatible({"properties": properties, "required": asked}, {"properties": properties, "required": needed}) is fits
    assert compatible({"properties": properties, "required": ["a"]}, {"properties": properties}) and not compatible(
        {"properties": properties}, {"properties": properties, "required": ["a"]}
    )


def test_parameters_that_nothing_was_required_of_are_compatible_with_an_empty_list() -> None:
    """A18: `required` may be left out."""
    assert compatible({"properties": {"a": {}}}, {"properties": {"a": {}, "b": {}}, "required": []})


# ── K66 ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "tool", "clarify todo_list memory session_search delegate_task tool_search tool_describe tool_call kata_list kata_deploy".split()
)
def test_tools_that_talk_loop_or_lead_elsewhere_are_barred(tool: str) -> None:
    """K66, A4."""
    found = checks(replace(SPEC, steps=(*SPEC.steps, step(tool))))
    assert failed(found)["compilable_tools"] == f"{tool} cannot be a step"


@pytest.mark.parametrize(
    "expression",
    [
        Literal("hermes kata approve 2"),
        Literal("cd /tmp && hermes  -p work  kata list"),
        Literal("curl -X POST localhost:9119/api/plugins/kata/mine"),
        Literal("~/.hermes/plugin-data/kata/kata.db"),
        Literal("C:\\Users\\a\\.hermes\\plugins\\kata\\model.py"),
        Literal({"argv": ["hermes", "kata", "approve"]}),
        Literal("hermes config set plugins.entries.kata.settings.record false"),
        Command(("hermes ", Hole(Input("pattern"), "bare"), " kata list")),
        Concat((Literal("cat ~/.hermes/plugins/kata/"), Input("pattern"))),
        Array((Literal("hermes"), Input("pattern"), Literal("kata"))),
    ],
)
def test_what_addresses_kata_itself_is_barred(expression: Expression) -> None:
    """A4, K66."""
    found = checks(replace(SPEC, steps=(*SPEC.steps, step("terminal", command=expression))))
    assert failed(found)["compilable_tools"] == "a call of terminal addresses Kata itself"


def test_a_recorded_value_that_addresses_kata_itself_is_barred_too() -> None:
    """A4: the spec holds only an input there."""
    found = checks(examples=(*EXAMPLES, occurrence("c4", "/api/plugins/kata")))
    assert failed(found)["compilable_tools"].startswith("a call of search_files addresses Kata itself")


LIKE = ["kata.md", "docs/katakana.txt", "hermes chat; cat kata.md", "plugins/kataloge/a.py", "grep -r plugin-data ."]


@pytest.mark.parametrize("text", LIKE)
def test_words_that_only_look_like_kata_are_allowed(text: str) -> None:
    assert checks(replace(SPEC, steps=(*SPEC.steps, step("terminal", command=Literal(text)))))["compilable_tools"].passed


@pytest.mark.parametrize(("count", "passed"), [(0, False), (1, False), (2, True), (20, True), (21, False)])
def test_a_routine_has_two_to_twenty_steps(count: int, passed: bool) -> None:
    """K39, K66."""
    assert checks(Spec((), (step("read_file"),) * count), ())["compilable_tools"].passed is passed


# ── K67, K68 ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("expression", [Input("ref"), Literal("@e12")])
def test_an_element_of_a_page_as_it_was_is_neither_constant_nor_argument(expression: Expression) -> None:
    """B15: '@e12', '@e7' and '@e12' again."""
    steps = (step("browser_snapshot"), step("browser_click", EXTERNAL, ref=expression))
    inputs = (InputField("ref", "string"),) if isinstance(expression, Input) else ()
    pairs = zip(("c1", "c2", "c3"), ("@e12", "@e7", "@e12"), strict=True)
    examples = [
        example(name, (Call("browser_snapshot", {}), {"n": 1}), (Call("browser_click", {"ref": ref}), {"ok": True})) for name, ref in pairs
    ]
    reason = "step 2 (browser_click) needs 'ref', which named something of that moment"
    assert failed(checks(Spec(inputs, steps), examples))["compilable_tools"] == reason


def test_a_process_that_an_earlier_step_started_is_a_reference_and_fine() -> None:
    """B15: `proc_2e9f41` comes out of the first step; as an argument it is refused."""
    ids = (("c1", "proc_2e9f41"), ("c2", "proc_77ab01"), ("c3", "proc_00c3d4"))
    start = step("terminal", WRITE, command=Literal("serve"), background=Literal(True))
    examples = [
        example(
            name,
            (Call("terminal", {"command": "serve", "background": True}), {"session_id": process}),
            (Call("process_manage", {"action": "poll", "session_id": process}), {"status": "running"}),
        )
        for name, process in ids
    ]

    def polled(expression: Expression, *inputs: InputField) -> str:
        spec = Spec(inputs, (start, step("process_manage", action=Literal("poll"), session_id=expression)))
        return failed(checks(spec, examples)).get("compilable_tools", "")

    assert polled(Reference(0, ("session_id",))) == ""
    assert "needs 'session_id'" in polled(Input("session_id"), InputField("session_id", "string"))


def writes(*before: tuple[str, Effect, dict[str, Any]], path: str = "TODO.md") -> Mapping[str, Check]:
    """A routine that writes one file, always the same, after these steps."""
    calls = [*((tool, effect, given) for tool, effect, given in before), ("write_file", WRITE, {"path": path, "content": "x"})]
    steps = tuple(step(tool, effect, **{key: Literal(value) for key, value in given.items()}) for tool, effect, given in calls)
    examples = [example(name, *((Call(tool, given), {"ok": True}) for tool, _, given in calls)) for name in ("c1", "c2", "c3")]
    return checks(Spec((), steps), examples)


LOOK = ("search_files", READ, {"pattern": "x"})
SWITCH = ("terminal", WRITE, {"command": "git switch main"})


@pytest.mark.parametrize("before", [[LOOK], [LOOK, ("read_file", READ, {"path": "OTHER.md"})], [("patch", WRITE, {"path": "TODO.md"})]])
def test_a_file_that_is_overwritten_unread_is_caught(before: Any) -> None:
    """The host refuses it under the run's own id, so that the kata would stop there each time."""
    number = len(before) + 1
    reason = f"step {number} (write_file) overwrites a file that the routine does not read first"
    assert failed(writes(*before))["compilable_tools"] == reason


@pytest.mark.parametrize(
    "before", [[("read_file", READ, {"path": "./TODO.md"})], [("write_file", WRITE, {"path": "TODO.md"})], [SWITCH], [LOOK, SWITCH]]
)
def test_a_file_that_is_read_first_or_may_be_gone_may_be_written(before: Any) -> None:
    last = len(before) + 1
    assert f"step {last} (write_file) overwrites" not in failed(writes(*before)).get("compilable_tools", "")


def test_a_file_of_another_name_each_time_is_no_overwriting() -> None:
    assert "compilable_tools" not in failed(checks())


def test_a_driver_that_repeats_a_hung_step_is_caught() -> None:
    """K61, B04: what is judged is the driver of real runs; one that asks twice fails."""

    def twice(spec: Spec, inputs: Mapping[str, Any], stub: Callable[[StepCall], Outcome]) -> Trace:
        trace = replay(spec, inputs, stub)
        if trace.status is Status.TIMEOUT:
            replay(spec, inputs, stub)
        return trace

    assert "dispatched 2 times" in failed(checks(by=twice))["timeout_handling"]


def test_too_few_other_and_failed_examples_are_named() -> None:
    """K67."""
    short = replace(EXAMPLES[0], events=EXAMPLES[0].events[:2])
    bad = replace(EXAMPLES[1], events=(*EXAMPLES[1].events[:2], replace(EXAMPLES[1].events[2], outcome=Outcome(Status.ERROR, None, "x"))))
    found = checks(examples=(short, bad), min_support=3)["recorded_examples"]
    assert found.reason == "2 distinct conversations, 3 are needed; example 1 has other steps than the spec; example 2 holds a failed call"
    assert not found.passed


def test_an_effect_without_words_is_not_disclosed() -> None:
    """K68."""
    mute = replace(SPEC, steps=(*SPEC.steps, step("terminal", Effect(Class.EXTERNAL, why=" "))))
    assert failed(checks(mute))["side_effects"] == "step 4 (terminal) does not say why it counts as external"


def test_a_replay_that_refuses_everything_fails_with_its_sentence() -> None:
    """A KataError of the replay is the answer of that check alone."""

    def refusing(spec: Spec, inputs: Mapping[str, Any], dispatch: Callable[[StepCall], Outcome]) -> Trace:
        raise InputError("no arguments are good enough")

    found = failed(checks(by=refusing))
    assert found["executor_replay"] == "no arguments are good enough"
    assert "replay_matches_recorded" not in found
