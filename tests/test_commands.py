"""The words of chat and shell: what is answered, in 80 columns, and which exit code, and that observed text cannot play with a terminal."""

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from said import EVIL, GOOD, OTHER, ask, finished, fits, live
from strategies import NOW, Bench, Did, bench, proposal, tool

from kata import changing, commands, looking
from kata.commands import run, split
from kata.manual import VERBS
from kata.model import (
    Call,
    Check,
    Class,
    Effect,
    InputField,
    Literal,
    NearMiss,
    Object,
    Reference,
    RunRow,
    State,
    Status,
    Step,
    StepTrace,
)


@pytest.fixture
def desk() -> Iterator[Bench]:
    with closing(bench()) as one:
        yield one


# ── Words in ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("word", ["\x1b[2Jlist", "\ud835", "a\nb", "x" * 300, "-x", "", "٣", "--x\x1b[2J"])
def test_an_odd_word_is_answered_and_never_repeated_raw(desk: Bench, word: str) -> None:
    """B46, W10."""
    answer = run(desk.service, [word], "cli")
    assert answer.code == 2 and live(answer) == []
    answer.text.encode()


def test_no_word_at_all_lists() -> None:
    """K17: plain `/kata`."""
    with closing(bench()) as desk:
        assert run(desk.service, [], "chat") == run(desk.service, ["list"], "chat") == run(desk.service, ["LIST"], "chat")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("approve 2 as x", ("approve", "2", "as", "x")),
        ("", ()),
        ("review  2 ", ("review", "2")),
        ("reject it's", ("reject", "it's")),
        ('runs "a b"', ("runs", "a b")),
    ],
)
def test_a_chat_line_is_split_into_words(text: str, words: tuple[str, ...]) -> None:
    assert split(text) == words


@given(st.text(max_size=40))
def test_no_chat_line_raises(text: str) -> None:
    assert isinstance(split(text), tuple)


@settings(max_examples=60)
@given(
    st.lists(st.one_of(st.sampled_from([*VERBS, "1", "2", "as", "x", "kata_x", "--json"]), st.text(max_size=8)), max_size=5),
    st.sampled_from(["chat", "cli"]),
)
def test_whatever_is_typed_is_answered_and_approves_nothing_unseen(words: list[str], surface: str) -> None:
    """K4, B47: one line, without a review before it, never makes a tool; an answer in free text is not a yes."""
    with closing(bench()) as desk:
        desk.learn()
        answer = run(desk.service, words, surface)
        assert answer.code in (0, 1, 2) and answer.text and json.dumps(answer.json)
        assert desk.service.active() == ()


# ── Observed text ────────────────────────────────────────────────────────────────────────────────


def hostile(desk: Bench) -> None:
    """A proposal, an active kata, a near miss, a run and a counter whose every text is hostile."""
    effect = Effect(Class.UNKNOWN, True, f"runs {EVIL}")
    steps = [
        Step("terminal", Object((("command", Literal(f"echo {EVIL}")), (f"key{EVIL}", Literal(EVIL)))), effect),
        Step(f"mcp_{EVIL}", Object(((f"path{EVIL}", Reference(0, (f"out{EVIL}", 0))),)), effect),
    ]
    inputs = [InputField("branch", "string", f"Used in {EVIL}", (EVIL, f"b{EVIL}"))]
    for number, name in enumerate(("a" * 64, "b" * 64)):
        desk.store.propose(proposal(steps, inputs=inputs, name=name), float(number))
    kata = desk.store.kata(1)
    assert kata is not None
    digest = kata.version.spec.digest
    desk.store.transition(
        1, before=[State.CANDIDATE], after=State.ACTIVE, digest=digest, actor="cli", verb="approve", now=1.0, name="evil", approved=True
    )
    desk.store.misses({7: NearMiss((EVIL, "b"), EVIL, EVIL, 3, "f")})
    trace = StepTrace(0, f"mcp_{EVIL}", Status.ERROR, Call(f"mcp_{EVIL}", {f"k{EVIL}": EVIL}), None, f"because {EVIL}", 1)
    desk.store.begin_run(RunRow("run-1", 1, "kata_evil", 1, digest, NOW, None, Status.UNKNOWN, "", (trace,), {"branch": EVIL}))
    desk.store.settle_step("run-1", trace)
    desk.store.finish_run("run-1", Status.ERROR, f"step 1 failed: {EVIL}", NOW + 1)


@pytest.mark.parametrize(
    "line",
    [
        "list",
        "review 1",
        "review 2",
        "runs",
        "runs evil",
        "runs run-1",
        "show 1",
        "show 2",
        "near",
        "status",
        "help",
        "approve 2 as x",
        "approve 1 as y",
        "reject 1",
        "review nothing",
    ],
)
def test_observed_text_never_reaches_the_terminal_raw(desk: Bench, line: str) -> None:
    """B46, W10: commands, results, keys, reasons and what was seen are shown with their control characters replaced."""
    hostile(desk)
    answer = ask(desk, line)
    assert live(answer) == []
    answer.text.encode()
    assert json.dumps(answer.json).isascii()


def test_failed_checks_of_the_validator_are_shown_without_control_characters(desk: Bench) -> None:
    """W10: a check's reason may quote what was observed."""
    one = proposal([Step("read_file", Object((("path", Literal("a")),)), Effect(Class.READ))] * 2)
    desk.store.propose(replace(one, checks=(Check("holdout_fit", False, f"got {EVIL}"), Check("later", True, "", False))), 1.0)
    answer = ask(desk, "review 1")
    assert "FAILED holdout_fit" in answer.text and "not there yet: later" in answer.text and live(answer) == []


def test_observed_text_from_recording_to_review_is_harmless(desk: Bench) -> None:
    """The same, the whole way: hostile values are recorded, mined and shown."""

    def make(n: int) -> tuple[Did, ...]:
        value = f"name{n}\x1b[2J\u202e"
        return (
            tool("web_search", {f"hit\x1b{0}": value}, query=f"q{n}\x07\x1b[31m word"),
            tool("mcp_notes_add", {"id": 1}, title="a fixed title", content=f"fixed text {value}"),
        )

    kata = desk.learn(3, make)
    for line in ("list", f"review {kata.id}"):
        assert live(ask(desk, line)) == []


def test_every_answer_has_the_same_in_json(desk: Bench) -> None:
    """T77: `--json` everywhere."""
    desk.approved("deploy")
    finished(desk, *GOOD)
    for line in ("list", "review 1", "runs", "status", "help", "reject 1", "nonsense", "review 9"):
        assert isinstance(ask(desk, line).json, dict) and json.dumps(ask(desk, line).json)


KATA = "id state tool digest version steps inputs support confidence taught forced specificity asks".split()
RUN = "run tool status reason started finished version digest session inputs steps".split()
PROSPECT = "forced_past would_save moments timetable asked_for suggested_sentence".split()
KEYS = {
    "list": ["katas", "near"],
    "review 1": [*KATA, *"effects spec checks expected values doubt why changes overlaps extends merged_into".split(), *PROSPECT],
    "show 1": [*KATA, "effects", "shadow", "versions", "runs", "why", "noticed", "trusted"],
    "runs": ["runs"],
    "runs run-1": RUN,
    "near": ["near"],
    "mine": ["turns", "looked", "waiting", "proposed", "near"],
    "status": ["recording", "facts", "counters", "host", "plugin", "settings"],
    "help": list(VERBS),
    "help approve": ["usage", "what", "more", "example"],
    "disable 1": KATA,
    "enable 1": KATA,
    "record on": ["recording"],
    "rename 1 ship": KATA,
    "rollback 1 1": ["error"],
    "diff 1": ["error"],
    "audit": ["audit"],
    "audit verify": ["decisions", "broken"],
    "forget 1": ["error"],
    "stop run-1": ["error"],
    "resume run-1": ["error"],
    "purge text no-such-thing": ["done", "turns", "conversations", "runs", "near", "examples", "katas"],
    "cleanup": ["done", "calls", "turns", "conversations", "katas", "path", "files"],
    "repair": ["done", "why", "saved", "kept"],
    "approve 1": ["error"],
    "review 9": ["error"],
    "dance": ["error"],
}
"""What a script may rely on."""


def test_the_keys_of_every_answer_in_json_are_these(desk: Bench) -> None:
    """T77: stable keys; an error has one, too."""
    desk.approved("deploy")
    finished(desk, *GOOD)
    found = {line: ask(desk, line) for line in KEYS}
    assert {line: list(answer.json) for line, answer in found.items()} == KEYS
    assert [list(one) for one in found["list"].json["katas"]] == [[*KATA, "would_save"]]
    assert [list(one) for one in found["runs"].json["runs"]] == [RUN]
    step = found["runs run-1"].json["steps"][0]
    assert list(step) == ["step", "tool", "status", "reason", "attempts", "arguments", "may_be_running"]
    assert step["arguments"] == {"command": "git checkout topic-9"} and step["may_be_running"] is False
    assert all(bool(answer.code) == ("error" in answer.json) for answer in found.values())


def test_a_chat_gives_json_where_it_is_asked_to(desk: Bench) -> None:
    """T77."""
    desk.learn()
    assert json.loads(ask(desk, "list --json", "chat").text) == ask(desk, "list").json
    assert list(json.loads(ask(desk, "--json review 9", "chat").text)) == ["error"]
    assert ask(desk, "list --json", "cli").text == ask(desk, "list --JSON", "chat").text, "and so does a shell"


# ── Whatever is typed ────────────────────────────────────────────────────────────────────────────

MEANT = "1 2 999999999999 kata_deploy KATA_DEPLOY run-1 as all --all --json -- -h on off".split()
ODD = ["x" * 10_000, "\x00", "\x1b[2J", "\ud835", "٣", "𝟙", "\u202e", "a\nb", "", " ", *"' \" -1 1.0 1e3 %s {} ../..".split()]
WORD = st.one_of(st.sampled_from([*VERBS, *MEANT]), st.sampled_from(ODD), st.text(max_size=10))


@pytest.fixture(scope="module")
def used() -> Iterator[Bench]:
    """A desk with an active kata, a proposal, a near miss and a run."""
    with closing(bench()) as desk:
        desk.approved("deploy")
        finished(desk, *GOOD)
        for n in range(3):
            desk.turn(f"d{n}", *OTHER)
        desk.service.mine()
        desk.store.misses({7: NearMiss(("a()", "b()"), "loop", "x", 3, "f")})
        yield desk


@pytest.mark.parametrize("verb", VERBS)
@settings(max_examples=30)
@given(words=st.lists(WORD, max_size=4), surface=st.sampled_from(["chat", "cli"]), capitals=st.booleans())
def test_every_command_answers_whatever_words_it_gets(used: Bench, verb: str, words: list[str], surface: str, capitals: bool) -> None:
    """Bad input: a clear answer in 80 columns, an exit code, `{"error": …}` exactly where it is not 0, and never an exception."""
    answer = run(used.service, [verb.upper() if capitals else verb, *words], surface)
    assert answer.code in (0, 1, 2) and answer.text.strip() and len(answer.text) < 20_000
    answer.text.encode()
    told = json.loads(json.dumps(answer.json))
    assert bool(answer.code) == ("error" in told)
    if "--json" not in [word.lower() for word in words]:
        assert fits(answer)
    if answer.code:
        assert len(told["error"]) < 1_000 and "Traceback" not in answer.text


@settings(max_examples=100)
@given(st.lists(WORD, max_size=5).map(" ".join))
def test_no_line_of_a_chat_raises(used: Bench, line: str) -> None:
    """The same for a line as it is typed, quotes and all."""
    answer = run(used.service, split(line), "chat")
    assert answer.code in (0, 1, 2) and answer.text.strip()


@pytest.mark.parametrize(
    "line", ["show DEPLOY", "SHOW Kata_Deploy", "Show 1", "runs KATA_DEPLOY", "review Deploy", "disable kata_deploy", "enable 1"]
)
def test_numbers_names_and_tool_names_are_one_and_the_same_in_any_case(desk: Bench, line: str) -> None:
    desk.approved("deploy")
    ask(desk, "disable 1" if line.startswith("enable") else "help")
    answer = ask(desk, line)
    assert answer.code == 0 and "deploy" in answer.text


# ── The table ────────────────────────────────────────────────────────────────────────────────────


def test_every_command_of_the_manual_is_carried_out_in_one_place() -> None:
    assert set(commands.ACTS) == set(VERBS) and not looking.ACTS.keys() & changing.ACTS.keys()
