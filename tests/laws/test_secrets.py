"""The law of the file: no secret of a listed kind is in its bytes, wherever it stood and whatever was done with it."""

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path

import published
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import FORMATS, KEYS, WORD, Bench, Did, around, bench, drawn, five, opened, raw, routine, secrets, sh, traces_of

from kata import share
from kata.model import (
    Array,
    Class,
    Command,
    Effect,
    Fit,
    Hole,
    Input,
    InputField,
    Json,
    KataError,
    Literal,
    Object,
    Outcome,
    Proposal,
    Reference,
    Spec,
    Step,
    StepCall,
)

EXAMPLES = max(40, min(int(os.environ.get("KATA_EXAMPLES", "200")) // 4, 1_000))
"""Each example writes a file and reads it back, so there are fewer of them than elsewhere."""


def mixed(secret: str) -> bool:
    """Whether it holds what every password drawn at random of that length holds."""
    return all(any(map(kind, secret)) for kind in (str.isupper, str.islower, str.isdigit))


def nothing_left(path: Path, secret: str) -> None:
    """No run of more than six characters of the secret, in the raw bytes and in every value unpacked."""
    for content in (raw(path), opened(path)):
        assert traces_of(secret, content) == []


def recorded(path: Path, done: Sequence[Did], message: str = "please") -> None:
    """One conversation with these calls, recorded and mined; the file is closed, so that all of it is on disk."""
    with closing(bench(path)) as desk:
        desk.turn("c1", *done, message=message)
        desk.service.mine()


@settings(max_examples=EXAMPLES)
@given(secrets(), st.data())
def test_no_listed_secret_is_in_the_bytes_of_the_file(kind_and_secret: tuple[str, str], data: st.DataObject) -> None:
    """B18, T7: at any depth of arguments and results, in reasons and in the user's words, after recording and mining."""
    _, secret = kind_and_secret
    value = st.deferred(lambda: around(secret))
    done = (
        Did("web_search", {"query": data.draw(value), "plain": 1}, json.dumps({"found": data.draw(value)})),
        Did("fetch", {"where": data.draw(value)}, json.dumps({"error": f"denied: {secret}"})),
        Did("fetch", {"where": "x"}, f"[TOOL_ERROR] no access with {secret}"),
        sh(f"curl -H 'Authorization: Bearer {secret}' https://example.org", f"sent {secret}\n"),
        sh(f"export TOKEN={secret} && deploy --token {secret}", f"bad {secret}", 1),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kata.db"
        recorded(path, done, f"please use {secret} today")
        nothing_left(path, secret)


@settings(max_examples=EXAMPLES)
@given(st.sampled_from(KEYS), drawn(WORD, 24, 40), st.data())
def test_no_secret_beside_a_telling_name_is_in_the_bytes_of_the_file(name: str, secret: str, data: st.DataObject) -> None:
    """T7: key names, environment assignments, URLs and headers."""
    nested: Json = {name: secret}
    for _ in range(data.draw(st.integers(0, 4))):
        nested = data.draw(st.sampled_from([{"in": nested}, [nested], {"a": 1, "b": [nested]}]))
    done = (
        Did("configure", {"with": nested}, json.dumps({"kept": nested})),
        sh(f"{name.upper()}={secret} ./deploy.sh", f"{name}={secret}\n"),
        sh(f"curl https://user:{secret}@example.org/x", ""),
        Did("configure", {name: secret}, json.dumps({"error": f"{name}: {secret} was refused"})),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kata.db"
        recorded(path, done, f"take {name}={secret}")
        nothing_left(path, secret)


@pytest.mark.parametrize("name", KEYS)
def test_a_secret_that_the_user_names_in_a_sentence_is_not_in_the_file(name: str, tmp_path: Path) -> None:
    """T7, T16: the user's words are kept for the trigger, so they are read like everything else."""

    @given(drawn(WORD, 24, 40))
    @settings(max_examples=10)
    def law(secret: str) -> None:
        with tempfile.TemporaryDirectory(dir=tmp_path) as folder:
            path = Path(folder) / "kata.db"
            recorded(path, [sh("make build-release")], f"my {name} is {secret}")
            nothing_left(path, secret)

    law()


@settings(max_examples=max(15, EXAMPLES // 3))
@given(secrets())
def test_no_listed_secret_reaches_a_proposal_a_near_miss_or_a_run(kind_and_secret: tuple[str, str]) -> None:
    """K64, A17, T7: three conversations that all carry it, mined; then a run that is given it and answered with it."""
    _, secret = kind_and_secret

    def leaky(number: int) -> tuple[Did, ...]:
        return (
            sh("git pull --rebase origin"),
            sh(f"notify --key {secret} done", f"ok {secret}"),
            Did("post", {"to": "x", "with": secret}, json.dumps({"id": secret})),
        )

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kata.db"
        with closing(bench(path)) as desk:
            for number in range(3):
                desk.turn(f"c{number}", *leaky(number), message=f"with {secret}")
                desk.service.mine()
            approve_and_run(desk, secret)
        nothing_left(path, secret)


def approve_and_run(desk: Bench, secret: str) -> None:
    """Make the clean routine a tool and run it with the secret as its argument, twice: to its end, and into an error."""
    for number in range(3, 6):
        desk.turn(f"c{number}", *routine(number))
    desk.service.mine()
    kata = next(one for one in desk.service.katas() if len(one.version.spec.steps) == 5)
    desk.service.review(str(kata.id), "cli")
    kata = desk.service.approve(str(kata.id), "notes", "cli")
    good = [one.result for one in five(f"topic-{secret}", f"src/{secret}.py")]
    for name, answers in (("run-1", good), ("run-2", [good[0], json.dumps({"error": f"no {secret}"}), json.dumps({"error": secret})])):
        waiting = list(answers)
        desk.service.start(kata, {"branch": f"topic-{secret}"}, name, "s1", lambda _, waiting=waiting: Outcome.read(waiting.pop(0)))  # type: ignore[misc]


def run_of(path: Path, step: Step, given: Mapping[str, Json], before: str = "") -> None:
    """A run of a kata whose second step is this one; the first answers with `before`, the second with what it was sent, as a failure."""
    first = Step("read_file", Object((("path", Literal("a")),)), Effect(Class.READ))
    spec = Spec(tuple(InputField(name, "string") for name in given), (first, step))
    with closing(bench(path)) as desk:
        proposal = desk.store.propose(Proposal(spec, "f", Fit(3, 3, 3, 1.0), ()), 1.0)
        assert proposal is not None

        def answer(asked: StepCall) -> Outcome:
            sent = json.dumps({"error": json.dumps(asked.call.arguments)}) if asked.index else json.dumps({"name": before})
            return Outcome.read(sent)

        desk.service.start(proposal, given, "run-1", "s1", answer)
        desk.service.question(proposal, given)
        run = desk.store.run("run-1")
        assert run is not None and len(run.steps) == 2


PHRASE = st.lists(st.sampled_from("violet harbour lantern meadow copper willow".split()), min_size=4, max_size=6).map("-".join)
EFFECT = Effect(Class.UNKNOWN)
PUT = Command(("mytool --set ", Hole(Input("who"), "bare"), "=", Hole(Input("value"), "bare")))
PUT_NAMED = Command(("mytool --set ", Hole(Reference(0, ("name",)), "bare"), "=", Hole(Input("value"), "bare")))
ENV = Array((Object((("name", Input("who")), ("value", Input("value")))),))


@settings(max_examples=max(15, EXAMPLES // 3))
@given(
    st.sampled_from(["client_secret", "DB_PASSWORD", "api_token"]),
    st.one_of(PHRASE.map(lambda words: words + "-4417"), drawn(WORD, 40)),
    st.sampled_from(
        [
            Step("terminal", Object((("command", PUT),)), EFFECT),
            Step("mcp_box_run", Object((("env", ENV),)), EFFECT),
            Step("terminal", Object((("command", PUT_NAMED),)), EFFECT),
        ]
    ),
)
def test_an_input_is_masked_wherever_a_call_shows_that_it_is_a_secret(who: str, secret: str, step: Step) -> None:
    """T7: two inputs of which neither says by itself what they are together; in the third the name comes from a result."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kata.db"
        run_of(path, step, {"who": who, "value": secret}, who)
        nothing_left(path, secret)


@pytest.mark.parametrize("kind", sorted(FORMATS))
def test_each_listed_kind_is_masked_alone(kind: str, tmp_path: Path) -> None:
    """The kinds one by one, so that a failure names its kind; the last occurrence is the bare secret as a whole value."""

    @given(FORMATS[kind], st.sampled_from(["{}", "x {} y", '"{}"', "({})", "a={}", "{}\n", "<{}>", "{},", "key: {}"]))
    @settings(max_examples=12)
    def law(secret: str, frame: str) -> None:
        with tempfile.TemporaryDirectory(dir=tmp_path) as folder:
            path = Path(folder) / "kata.db"
            recorded(path, [Did("tool", {"text": frame.format(secret)}, json.dumps({"text": frame.format(secret)}))])
            nothing_left(path, secret)

    law()


@settings(max_examples=max(10, EXAMPLES // 10))
@given(secrets(), st.integers(-60, 60))
def test_a_secret_across_the_cut_of_a_long_result_leaves_no_half(kind_and_secret: tuple[str, str], place: int) -> None:
    """B52: masked before it is cut."""
    _, secret = kind_and_secret
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kata.db"
        recorded(path, [Did("tool", {}, "words " * 5_461 + "x" * (60 + place) + " " + secret + " word" * 8_000)])
        nothing_left(path, secret)


@settings(max_examples=max(15, EXAMPLES // 3))
@given(secrets(), st.sampled_from(["key", "tool", "folder", "argument name"]))
def test_a_secret_in_an_odd_place_is_not_in_the_file_either(kind_and_secret: tuple[str, str], place: str) -> None:
    """B18: as a key of a result, as the name of an argument, in the folder of a call."""
    _, secret = kind_and_secret
    done = {
        "key": Did("tool", {}, json.dumps({"table": {secret: {"owner": "me"}}})),
        "tool": sh(f"./{secret} --now"),
        "folder": sh(f"cd /srv/{secret}/app && ls"),
        "argument name": Did("tool", {"table": {secret: 1}}, json.dumps({"ok": 1})),
    }[place]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kata.db"
        with closing(bench(path)) as desk:
            for number in range(3):
                desk.turn(f"c{number}", done, sh("make build-release"))
                desk.service.mine()
        nothing_left(path, secret)


def test_a_short_input_inside_of_a_masked_text_is_kept(tmp_path: Path) -> None:
    """T7, the other way: what is no secret stays readable; the word `prod` in a password of another step's is no secret."""
    put = Command(("mytool --set ", Hole(Input("who"), "bare"), "=x7prodQ9z4417 --env ", Hole(Input("env"), "bare")))
    path = tmp_path / "kata.db"
    run_of(path, Step("terminal", Object((("command", put),)), EFFECT), {"who": "client_secret", "env": "prod"})
    with closing(bench(path)) as desk:
        run = desk.store.run("run-1")
        assert run is not None and run.inputs == {"who": "client_secret", "env": "prod"}
        assert run.steps[1].call is not None and run.steps[1].call.arguments["command"].endswith(" --env prod")


@pytest.mark.parametrize("value", ["k7Qp2", "a1-b2c"])
def test_a_short_input_that_is_itself_the_secret_is_hidden(value: str, tmp_path: Path) -> None:
    put = Command(("mytool --set client_secret=", Hole(Input("value"), "bare")))
    path = tmp_path / "kata.db"
    run_of(path, Step("terminal", Object((("command", put),)), EFFECT), {"value": value})
    assert value.encode() not in raw(path) and value.encode() not in opened(path)


@settings(max_examples=max(15, EXAMPLES // 3))
@given(st.sampled_from([*published.COMMANDS, *published.PLACES]), drawn(WORD, 24, 40).filter(mixed), st.booleans())
def test_no_secret_in_a_place_that_is_published_is_in_the_file_its_journal_or_an_export(frame: str, secret: str, named: bool) -> None:
    """In arguments, results, errors, traces, the user's words, mined and exported; while the file is open too."""
    said = frame.format(*[secret] * 3)

    def leaky(number: int) -> tuple[Did, ...]:
        trace = f'Traceback (most recent call last):\n  File "a.py", line {number}\n{said}'
        return (
            sh("git pull --rebase origin"),
            sh(f"note {number}", f"2026-11-30T10:00:00Z {said}", 1),
            Did("post", {"to": f"x{number}", "with": {"text": said}, "more": [said]}, json.dumps({"error": trace})),
            Did("fetch", {"where": "x"}, f"[TOOL_ERROR] {said}"),
        )

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "kata.db"
        with closing(bench(path)) as desk:
            for number in range(3):
                desk.turn(f"c{number}", *leaky(number), message=said if named else f"please:\n{said}")
                desk.service.mine()
            assert traces_of(secret, raw(path)) == []
            for kata in desk.service.katas():
                for form in share.FORMATS:
                    with suppress(KataError):
                        assert traces_of(secret, share.exported(kata, form).encode()) == []
        nothing_left(path, secret)
