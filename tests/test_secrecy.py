"""A kata that needs a secret takes it as an input marked secret, or from a named variable of the environment; it is neither kept
nor shown (T43)."""

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from strategies import Bench, Did, bench, opened, raw, sh, tool

from kata import commands, executor, secrecy
from kata.asking import Hand
from kata.discretion import veiled
from kata.model import Call, InputError, Json, Kata, Outcome, Refused, StepCall

TOKENS = ("k7Qp2ZrX9wLm4Tn8Ve", "aB3dE5fG7hJ9kM2nP4", "zY8xW6vU4tS2rQ9pN7")
FRESH = "Hq3Lw8Zx5Vb2Nm7Kd9"
WORDS = ("amber", "birch", "cobalt")


def deploy(number: int, same: bool = True) -> tuple[Did, ...]:
    """A routine with a token in a header and in the arguments of a tool: the same each time, or another."""
    token, word = TOKENS[0 if same else number], WORDS[number]
    return (
        sh(f"curl -H 'Authorization: Bearer {token}' https://example.org/v1/{word}", "ok"),
        tool("mcp_box_put", {"id": 1}, title=word, env=[{"name": "API_TOKEN", "value": token}]),
    )


def learnt(desk: Bench, same: bool = True) -> Kata:
    for number in range(3):
        desk.turn(f"c{number}", *deploy(number, same))
        desk.service.mine()
    (kata,) = desk.service.katas()
    desk.service.review(str(kata.id), "cli")
    return desk.service.approve(str(kata.id), "deploy", "cli")


@pytest.mark.parametrize("same", [True, False])
def test_a_masked_place_becomes_an_input_of_type_secret(same: bool) -> None:
    """T43: without examples, choices or default; the fixed text around it stays."""
    with closing(bench()) as desk:
        spec = learnt(desk, same).version.spec
    (secret,) = secrecy.fields(spec)
    assert (secret.examples, secret.choices, secret.default) == ((), (), None)
    assert [one.type for one in spec.inputs].count("string") == 1 and len(spec.inputs) == 2
    assert "KATASECRET" not in json.dumps(spec.to_json())
    schema = executor.input_schema(spec)
    assert schema["properties"][secret.name]["type"] == "string" and secret.name in schema["required"]


def sent(desk: Bench, kata: Kata, given: dict[str, Json]) -> list[Call]:
    """What a run dispatches; the tools answer with what they were sent."""
    calls: list[Call] = []

    def answer(asked: StepCall) -> Outcome:
        calls.append(asked.call)
        return Outcome.read(json.dumps({"output": json.dumps(dict(asked.call.arguments)), "exit_code": 0, "error": None}))

    desk.service.start(kata, given, "run-1", "s1", answer)
    return calls


def test_what_is_given_for_it_reaches_the_tools_and_nothing_else(tmp_path: Path) -> None:
    """T43, T7: not the rows, not the question, not the answer, not the copies that the tools gave back."""
    path = tmp_path / "kata.db"
    with closing(bench(path)) as desk:
        kata = learnt(desk)
        (secret,) = secrecy.fields(kata.version.spec)
        given = {one.name: "delta" for one in kata.version.spec.inputs} | {secret.name: FRESH}
        calls = sent(desk, kata, given)
        assert calls[0].arguments["command"] == f"curl -H 'Authorization: Bearer {FRESH}' https://example.org/v1/delta"
        assert calls[1].arguments["env"] == [{"name": "API_TOKEN", "value": FRESH}]
        assert FRESH not in desk.service.question(kata, given)
        for words in (["runs", "run-1"], ["show", "deploy"], ["review", "deploy"], ["audit"]):
            told = commands.run(desk.service, words, "cli")
            assert FRESH not in told.text and FRESH not in json.dumps(told.json, default=str)
    assert FRESH.encode() not in raw(path) and FRESH.encode() not in opened(path)


def test_an_ordinary_word_given_as_a_secret_is_hidden_too(tmp_path: Path) -> None:
    """It is the input that says so, not how the value looks."""
    path = tmp_path / "kata.db"
    with closing(bench(path)) as desk:
        kata = learnt(desk)
        (secret,) = secrecy.fields(kata.version.spec)
        sent(desk, kata, {one.name: "delta" for one in kata.version.spec.inputs} | {secret.name: "meadowlark"})
    assert b"meadowlark" not in raw(path) and b"meadowlark" not in opened(path)


def test_the_trace_that_is_told_holds_none_of_it() -> None:
    with closing(bench()) as desk:
        kata = learnt(desk)
        (secret,) = secrecy.fields(kata.version.spec)
        given = {one.name: "delta" for one in kata.version.spec.inputs} | {secret.name: FRESH}
        trace = executor.drive(executor.run(kata.version.spec, given), lambda asked: Outcome.read(json.dumps({"error": f"no {FRESH}"})))
    assert FRESH in executor.answer(trace, kata.version.spec, "r")
    assert FRESH not in executor.answer(veiled(trace, kata.version.spec, given), kata.version.spec, "r")


def test_a_person_names_the_variable_that_holds_it() -> None:
    """T43: the caller need not give it; what the caller gives counts more; a variable that is not set is named."""
    with closing(bench()) as desk:
        kata = learnt(desk)
        (secret,) = secrecy.fields(kata.version.spec)
        (word,) = (one.name for one in kata.version.spec.inputs if one.type != "secret")
        desk.service.door = replace(desk.service.door, secret={"DEPLOY_TOKEN": FRESH}.get)
        told = commands.run(desk.service, ["bind", "deploy", secret.name, "$DEPLOY_TOKEN"], "cli")
        assert told.code == 0 and "$DEPLOY_TOKEN" in told.text
        assert desk.service.bound(kata) == {secret.name: "DEPLOY_TOKEN"}
        assert secret.name not in executor.input_schema(kata.version.spec, desk.service.bound(kata))["required"]
        assert [row.detail for row in desk.store.audit(50) if row.verb == "bind"] == [f"{secret.name} from $DEPLOY_TOKEN"]
        desk.service.door = replace(desk.service.door, secret={}.get)
        with pytest.raises(InputError, match=r"\$DEPLOY_TOKEN"):
            desk.service.filled(kata, {word: "delta"})
        desk.service.door = replace(desk.service.door, secret={"DEPLOY_TOKEN": FRESH}.get)
        assert desk.service.filled(kata, {word: "delta"}) == {word: "delta", secret.name: FRESH}
        assert desk.service.filled(kata, {word: "delta", secret.name: "mine"}) == {word: "delta", secret.name: "mine"}
        assert commands.run(desk.service, ["bind", "deploy", secret.name, "none"], "cli").code == 0 and not desk.service.bound(kata)


@pytest.mark.parametrize("given", ["hunter2", FRESH])
def test_a_secret_that_a_shell_put_in_the_place_of_its_variable_is_neither_kept_nor_repeated(tmp_path: Path, given: str) -> None:
    """T43: `bind … $DEPLOY_TOKEN` in a shell hands over what the variable holds."""
    path = tmp_path / "kata.db"
    with closing(bench(path)) as desk:
        (secret,) = secrecy.fields(learnt(desk).version.spec)
        desk.service.door = replace(desk.service.door, secret={"DEPLOY_TOKEN": given}.get)
        told = commands.run(desk.service, ["bind", "deploy", secret.name, given], "cli")
        assert told.code == 1 and "without '$'" in told.text and given not in told.text + json.dumps(told.json)
    assert given.encode() not in raw(path) and given.encode() not in opened(path)


@pytest.mark.parametrize(("field", "variable"), [("word", "X"), ("", "X"), (None, "A B"), (None, "$(id)"), (None, "1X")])
def test_only_a_secret_input_is_bound_and_only_to_a_variable(field: str | None, variable: str) -> None:
    with closing(bench()) as desk:
        kata = learnt(desk)
        (secret,) = secrecy.fields(kata.version.spec)
        with pytest.raises(Refused):
            desk.service.bind("deploy", secret.name if field is None else field, variable, "cli")


def test_a_key_out_of_an_earlier_result_stays_a_reference_or_nothing() -> None:
    """A token that a login gave is taken from its answer, and is no input."""

    def login(number: int) -> tuple[Did, ...]:
        token = TOKENS[number]
        return (
            tool("mcp_box_login", {"session": {"access_token": token}}, user="dana"),
            tool("mcp_box_put", {"id": number}, title=WORDS[number], access_token=token),
        )

    with closing(bench()) as desk:
        for number in range(3):
            desk.turn(f"c{number}", *login(number))
            desk.service.mine()
        katas = desk.service.katas()
        assert all(not secrecy.fields(kata.version.spec) for kata in katas)


def test_undo_takes_the_secret_from_where_it_came_before() -> None:
    """T43, T68: the last word that holds counts, for each input by itself."""
    with closing(bench()) as desk:
        kata = learnt(desk)
        (secret,) = secrecy.fields(kata.version.spec)
        desk.service.door = replace(desk.service.door, secret={"OLD": FRESH, "NEW": FRESH}.get)
        for given, back in (("OLD", {}), ("OLD", None), ("NEW", {secret.name: "OLD"}), ("", {secret.name: "OLD"})):
            desk.service.bind("deploy", secret.name, given, "cli")
            if back is not None:
                assert desk.service.undo("cli")[1] == "bind" and desk.service.bound(kata) == back


def test_what_is_given_for_a_secret_stands_in_no_plan_and_in_no_timetable() -> None:
    """T43, T54: a plan is a page, and a timetable is read by others; the command in a plan that runs it can be typed as it stands."""
    hand = Hand(lambda kata, given: {}, "/tmp")
    with closing(bench()) as desk:
        kata = learnt(desk)
        (secret,) = secrecy.fields(kata.version.spec)
        words = ["run", "deploy", *(f"{one.name}=delta" for one in kata.version.spec.inputs if one != secret)]
        given = [*words, f"{secret.name}={FRESH}"]
        plan = commands.run(desk.service, [*given, "--dry-run"], "cli", hand=hand)
        cron = commands.run(desk.service, [*given, "--cron", "0 9 * * 1"], "cli", hand=hand)
        desk.service.door = replace(desk.service.door, secret={"DEPLOY_TOKEN": FRESH}.get)
        desk.service.bind("deploy", secret.name, "DEPLOY_TOKEN", "cli")
        bound = commands.run(desk.service, [*words, "--dry-run"], "cli", hand=hand)
        later = commands.run(desk.service, [*words, "--cron", "0 9 * * 1"], "cli", hand=hand)
    assert all(FRESH not in told.text + json.dumps(told.json) for told in (plan, cron, bound, later))
    assert plan.code == 0 and f"{secret.name}=…" in plan.text and cron.code == 1 and f"bind deploy {secret.name}" in cron.text
    assert later.code == 0 and f"{secret.name} = $DEPLOY_TOKEN" in bound.text and f"{secret.name}=" not in bound.text
