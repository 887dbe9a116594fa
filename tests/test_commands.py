"""The words of chat and shell: what is answered, in 80 columns, and which exit code, and that observed text cannot play with a terminal."""

import argparse
import io
import json
import re
import sqlite3
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import BRANCHES, FILES, NOW, Bench, Did, bench, five, proposal, proposal_of, routine, sh, tool

from kata import commands, pages, runtime
from kata.commands import VERBS, Answer, run, split
from kata.deciding import RESERVED
from kata.model import (
    Call,
    Check,
    Class,
    Effect,
    Fit,
    Input,
    InputField,
    Kata,
    Literal,
    NearMiss,
    NewerStore,
    Object,
    Outcome,
    Reference,
    RunRow,
    Settings,
    Spec,
    State,
    Status,
    Step,
    StepTrace,
    Version,
)
from kata.rounds import Mined
from kata.service import Service
from kata.store import Store
from kata.wording import visible

A, B, C = sh("git pull --rebase origin"), sh("make build-release"), sh("npm run lint-all")
PARTS = ("Steps", "Data flow", "Permissions", "Schemas", "Side effects", "Validation")
"""The six parts of K18."""


@pytest.fixture
def desk() -> Iterator[Bench]:
    with closing(bench()) as one:
        yield one


def ask(desk: Bench, line: str, surface: str = "cli", digest: str = "") -> Answer:
    return run(desk.service, split(line), surface, digest)


def fits(answer: Answer) -> bool:
    """Whether no line is longer than 80 columns, and every character can be printed."""
    lines = answer.text.split("\n")
    return bool(answer.text) and all(len(line) <= 80 and line.isprintable() and line == line.rstrip() for line in lines)


def wide(answer: Answer) -> list[str]:
    """The lines of more than 80 columns."""
    return [line for line in answer.text.split("\n") if len(line) > 80]


def live(answer: Answer) -> list[str]:
    """The lines with what a terminal would act on."""
    return [line for line in answer.text.split("\n") if not line.isprintable()]


def finished(desk: Bench, *results: object, run_id: str = "run-1", branch: str = "topic-9") -> None:
    """One run of kata 1 with these answers."""
    kata = desk.service.find("1")
    waiting = list(results)
    desk.service.start(kata, {"branch": branch}, run_id, "s1", lambda one: Outcome.read(waiting.pop(0)))


GOOD = [one.result for one in five("topic-9", "src/new.py")]


# ── Words in ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("typed", "meant"), [("aprove 1", "approve"), ("lst", "list"), ("reviev 1", "review"), ("stauts", "status"), ("rejct", "reject")]
)
def test_an_unknown_word_is_answered_with_the_nearest_command(desk: Bench, typed: str, meant: str) -> None:
    answer = ask(desk, typed)
    assert answer.code == 2 and f"Did you mean '{meant}'?" in answer.text
    assert all(verb in answer.text for verb in commands.VERBS)


def test_a_word_that_resembles_nothing_gets_the_list_and_no_guess(desk: Bench) -> None:
    answer = ask(desk, "xyzzy")
    assert answer.code == 2 and "Did you mean" not in answer.text and wide(answer) == []


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
    st.lists(st.one_of(st.sampled_from([*commands.VERBS, "1", "2", "as", "x", "kata_x", "--json"]), st.text(max_size=8)), max_size=5),
    st.sampled_from(["chat", "cli"]),
)
def test_whatever_is_typed_is_answered_and_approves_nothing_unseen(words: list[str], surface: str) -> None:
    """K4, B47: one line, without a review before it, never makes a tool; an answer in free text is not a yes."""
    with closing(bench()) as desk:
        desk.learn()
        answer = run(desk.service, words, surface)
        assert answer.code in (0, 1, 2) and answer.text and json.dumps(answer.json)
        assert desk.service.active() == ()


# ── List ─────────────────────────────────────────────────────────────────────────────────────────


def test_the_list_of_nothing_says_when_there_will_be_something(desk: Bench) -> None:
    """K12, K25: in the words of the place where it was asked."""
    for surface, lead in (("chat", "/kata"), ("cli", "hermes kata")):
        answer = ask(desk, "list", surface)
        assert answer.code == 0 and "3 conversations" in answer.text and f"'{lead} status'" in answer.text and fits(answer)


def test_the_list_shows_proposals_and_active_katas(desk: Bench) -> None:
    """K17."""
    desk.approved("deploy_preview")
    for n in range(3):
        desk.turn(f"d{n}", A, B, C)
    desk.service.mine()
    answer = ask(desk, "list", "chat")
    lines = answer.text.split("\n")
    assert lines[0] == "  1  active    kata_deploy_preview(branch)"
    assert lines[1] == "     5 steps: git checkout, search_files, read_file, wc, write_file"
    assert lines[2] == "  2  proposal  seen in 3 conversations, confidence 0.78"
    assert lines[3] == "     3 steps: git pull, make, npm run"
    assert lines[-1] == "Look at a proposal: /kata review 2" and fits(answer)
    assert [one["id"] for one in answer.json["katas"]] == [1, 2]


def test_the_rejected_are_not_listed(desk: Bench) -> None:
    desk.learn()
    ask(desk, "reject 1")
    assert ask(desk, "list").json["katas"] == [] and "proposal" not in ask(desk, "list").text


def test_what_was_seen_but_not_proposed_is_counted_and_told_in_json(desk: Bench) -> None:
    """K54."""
    strict = Service(desk.store, Settings(min_confidence=0.9), desk.service.door)
    for n in range(3):
        desk.turn(f"c{n}", *routine(n))
    strict.mine()
    answer = ask(desk, "list")
    assert answer.text.split("\n")[-1] == "1 routine seen but not proposed: hermes kata near" and fits(answer)
    assert answer.json["near"][0]["rule"] == "confidence" and answer.json["near"][0]["support"] == 3


def test_a_kata_that_was_changed_outside_is_listed_as_refused(tmp_path: Path) -> None:
    """T42: what was approved is what runs."""
    with closing(bench(tmp_path / "kata.db")) as desk:
        desk.approved("deploy")
        with closing(sqlite3.connect(tmp_path / "kata.db")) as db:
            db.execute("UPDATE versions SET spec = replace(spec, 'git checkout ', 'git clean -fdx ')")
            db.commit()
        for line in ("list", "status"):
            answer = ask(desk, line)
            assert "changed outside Kata" in re.sub(r"\s+", " ", answer.text)
            assert wide(answer) == []
        for line in ("review 1", "runs 1", "approve 1 as x"):
            assert ask(desk, line).code == 1
        assert desk.service.active() == ()


# ── Review ───────────────────────────────────────────────────────────────────────────────────────


def test_a_review_has_all_six_parts_with_effects_first(desk: Bench) -> None:
    """K18, at 80 columns, five steps in at most 24 lines."""
    desk.learn()
    answer = ask(desk, "review 1", "chat")
    lines = answer.text.split("\n")
    titles = [line[:13].strip() for line in lines[1:] if line[:1].isalpha()]
    assert sorted(titles) == sorted([*PARTS, "Expected", "Revision"]) and titles[0] == "Side effects"
    assert len(lines) <= 24 and fits(answer) and answer.code == 0


def test_a_review_says_what_runs_and_where_each_value_comes_from(desk: Bench) -> None:
    """K18, K46–K49."""
    desk.learn()
    text = ask(desk, "review 1").text
    for line in (
        "1 git checkout ‹branch›",
        "2 search_files pattern=TODO, path=src",
        "3 read_file path=‹step 2 · matches.0.path›",
        "4 wc -l ‹step 2 · matches.0.path›",
        "5 write_file path=notes/todo.md, content=open points on ‹branch›",
        "‹branch› you give",
        "3 of 3 held-out examples reproduced",
        "confidence 0.78",
        "12 of 12 checks passed",
    ):
        assert line in text
    assert all(BRANCHES[n] in text for n in range(3))


def test_a_review_names_the_revision_and_how_to_approve_it(desk: Bench) -> None:
    """A32."""
    digest = desk.learn().version.spec.digest
    last = ask(desk, "review 1", "chat").text.split("\n")[-1]
    assert last == f"Revision     {digest[:12]} · /kata approve 1 as NAME"
    ask(desk, "approve 1 as deploy", "chat")
    assert ask(desk, "review deploy", "chat").text.split("\n")[-1] == f"Revision     {digest[:12]}"


def test_a_review_in_json_holds_the_whole_spec_and_every_check(desk: Bench) -> None:
    kata = desk.learn()
    answer = ask(desk, "review 1")
    assert answer.json["spec"] == kata.version.spec.to_json() and answer.json["digest"] == kata.version.spec.digest
    assert len(answer.json["checks"]) == 12 and json.dumps(answer.json)


EFFECTS = (
    Effect(Class.WRITE, why="w" * 90),
    Effect(Class.EXTERNAL, True, "x " * 60),
    Effect(Class.UNKNOWN, why=""),
    Effect(Class.READ, True, "r"),
)


def test_a_review_shows_every_effect_that_is_more_than_reading(desk: Bench) -> None:
    """K18, K68."""
    steps = [Step("terminal", Object((("command", Literal(f"prog{n}")),)), effect) for n, effect in enumerate(EFFECTS)]
    desk.store.propose(proposal(steps), 1.0)
    answer = ask(desk, "review 1")
    for number, words in ((1, "write;"), (2, "external DESTRUCTIVE;"), (3, "unknown;"), (4, "read DESTRUCTIVE;")):
        assert f"step {number}: {words}" in answer.text
    assert "asks you" in answer.text and fits(answer) and len(answer.text.split("\n")) <= 24


def test_a_review_of_reads_says_so(desk: Bench) -> None:
    desk.store.propose(proposal([Step("read_file", Object((("path", Literal("a")),)), Effect(Class.READ))] * 2), 1.0)
    text = ask(desk, "review 1").text
    assert "none: every step only reads" in text and "runs without asking" in text


def test_a_review_shows_the_whole_of_every_command(desk: Bench) -> None:
    """B26, K18: the tail of a long command is part of what is approved."""
    long = "tar czf out.tgz " + " ".join(f"folder-{n}/sub" for n in range(20)) + " && rm -rf build"
    desk.store.propose(proposal([Step("terminal", Object((("command", Literal(long)),)), Effect(Class.UNKNOWN, True, "x"))] * 2), 1.0)
    assert "rm -rf build" in re.sub(r"\s+", " ", ask(desk, "review 1").text)


def test_a_five_step_review_stays_on_one_screen_whatever_it_holds(desk: Bench) -> None:
    """K18: 80 columns, 24 lines, with long names, long commands and many inputs."""
    step = Step("terminal", Object((("command", Literal("program " + "argument " * 40)),)), Effect(Class.UNKNOWN, True, "reason " * 40))
    inputs = [InputField(f"a_rather_long_input_name_{n}", "string", "Used in steps 1, 2, 3, 4, 5.", ("x" * 200, "y")) for n in range(2)]
    desk.store.propose(proposal([step] * 5, inputs=inputs), 1.0)
    answer = ask(desk, "review 1")
    assert wide(answer) == [] and all(part in answer.text for part in PARTS)


def test_a_review_counts_as_shown_on_its_own_surface_alone(desk: Bench) -> None:
    desk.learn()
    ask(desk, "review 1", "chat")
    assert ask(desk, "approve 1 as deploy", "cli").code == 1 and desk.service.active() == ()


# ── Approve and reject ───────────────────────────────────────────────────────────────────────────


def test_an_approval_names_the_tool_its_arguments_and_its_revision(desk: Bench) -> None:
    """K19, K20, K24, A39, A32."""
    digest = desk.learn().version.spec.digest
    ask(desk, "review 1", "chat")
    answer = ask(desk, "approve 1 as deploy_preview", "chat")
    assert answer.code == 0 and answer.json["tool"] == "kata_deploy_preview" and answer.json["state"] == "active"
    assert f"revision {digest[:12]}" in answer.text and "kata_deploy_preview(branch)" in answer.text and wide(answer) == []


def test_an_approval_without_a_review_shows_the_review_and_approves_nothing(desk: Bench) -> None:
    """Design section 10; the second time it is approved, because now it was shown."""
    desk.learn()
    answer = ask(desk, "approve 1 as deploy", "chat")
    assert answer.code == 1 and "Nothing was approved" in answer.text and desk.service.active() == ()
    assert all(part in answer.text for part in PARTS)
    assert ask(desk, "approve 1 as deploy", "chat").code == 0
    assert [kata.tool for kata in desk.service.active()] == ["kata_deploy"]


def test_an_approval_of_an_older_revision_shows_the_new_one(desk: Bench) -> None:
    """B26."""
    desk.learn()
    ask(desk, "review 1")
    new = desk.revised()
    answer = ask(desk, "approve 1 as deploy")
    assert answer.code == 1 and new.version.spec.digest[:12] in answer.text and desk.service.active() == ()
    assert answer.json["digest"] == new.version.spec.digest and wide(answer) == []


def test_the_digest_option_stands_for_a_review(desk: Bench) -> None:
    """Design section 10."""
    digest = desk.learn().version.spec.digest
    assert ask(desk, "approve 1 as deploy", "cli", "0" * 12).code == 1 and desk.service.active() == ()
    assert ask(desk, "approve 1 as deploy", "cli", digest[:12]).code == 0


@pytest.mark.parametrize(
    "line", ["approve", "approve 1", "approve as x", "approve 1 as", "approve 1 as x y", "approve looks fine but not now", "approve yes"]
)
def test_half_an_approval_is_refused(desk: Bench, line: str) -> None:
    """B47: free text is not a yes."""
    desk.learn()
    ask(desk, "review 1")
    answer = ask(desk, line)
    assert answer.code in (1, 2) and desk.service.active() == () and wide(answer) == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("approve 1 as list", "is a command of Kata"),
        ("approve 1 as Deploy", "Expected a name of small letters"),
        ("approve 1 as taken", "exists already and is not ours"),
        ("approve 7 as x", "There is no kata '7'"),
        ("review 7", "There is no kata '7'"),
        ("reject 7", "There is no kata '7'"),
        ("runs kata_nothing", "There is no kata 'kata_nothing'"),
        ("review", "Expected: hermes kata review N"),
        ("review 1 2", "Expected: hermes kata review N"),
        ("reject", "Expected: hermes kata reject N"),
    ],
)
def test_bad_input_is_one_clear_sentence_and_a_failure(desk: Bench, line: str, words: str) -> None:
    """Issue 2, bad input; exit code 1 or 2, never 0."""
    desk.learn()
    ask(desk, "review 1")
    desk.taken.add("kata_taken")
    answer = ask(desk, line)
    assert answer.code in (1, 2) and words in re.sub(r"\s+", " ", answer.text) and wide(answer) == []
    assert answer.json["error"] and desk.service.active() == ()


def test_a_rejection_says_that_it_is_for_good(desk: Bench) -> None:
    """K88."""
    desk.learn()
    answer = ask(desk, "reject 1", "chat")
    assert (answer.code, answer.text) == (0, "Rejected: 1. It will not be proposed again.")
    assert desk.service.katas() == () and ask(desk, "reject 1").code == 1


# ── Runs ─────────────────────────────────────────────────────────────────────────────────────────


def test_runs_show_every_step_of_the_recent_runs(desk: Bench) -> None:
    """K21."""
    assert ask(desk, "runs").text == "No runs yet."
    desk.approved("deploy_preview")
    finished(desk, *GOOD)
    answer = ask(desk, "runs kata_deploy_preview")
    lines = answer.text.split("\n")
    assert re.search(r"  kata_deploy_preview  ok       run run-1  \d+\.0 s$", lines[0]) and len(lines) == 6 and wide(answer) == []
    assert lines[1] == "    1. ok       git checkout topic-9" and lines[4] == "    4. ok       wc -l src/new.py"
    assert [step["status"] for step in answer.json["runs"][0]["steps"]] == ["ok"] * 5


def test_runs_say_where_and_why_a_run_stopped(desk: Bench) -> None:
    """K75, K21."""
    desk.approved("deploy_preview")
    bad = json.dumps({"error": "no such place"})
    finished(desk, GOOD[0], bad, bad)
    answer = ask(desk, "runs")
    assert "    2. error" in answer.text and "no such place" in answer.text and answer.text.count("skipped") == 3
    assert wide(answer) == []


def test_a_run_that_never_finished_is_unknown_and_says_so(desk: Bench) -> None:
    kata = desk.approved("deploy_preview")
    desk.store.begin_run(RunRow("run-1", kata.id, kata.tool, 1, kata.version.spec.digest, NOW, None, Status.UNKNOWN, "", ()))
    answer = ask(desk, "runs deploy_preview")
    assert "unknown" in answer.text and "did not finish" in answer.text and wide(answer) == []


def test_the_latest_run_comes_first_and_only_those_of_the_kata_asked_for(desk: Bench) -> None:
    desk.approved("deploy_preview")
    for n in range(22):
        finished(desk, *GOOD, run_id=f"run-{n:02}")
    for n in range(3):
        desk.turn(f"d{n}", A, B, C)
    desk.service.mine()
    assert [one["run"] for one in ask(desk, "runs 1").json["runs"]] == [f"run-{n:02}" for n in range(21, 1, -1)]
    assert ask(desk, "runs 2").json["runs"] == []


# ── Status and help ──────────────────────────────────────────────────────────────────────────────


def test_status_says_whether_it_records_and_what_it_keeps(desk: Bench) -> None:
    """B41."""
    empty = ask(desk, "status")
    assert "none yet: nothing has arrived from Hermes" in empty.text and fits(empty)
    desk.approved()
    answer = ask(desk, "status")
    text = answer.text
    assert "\nRecording    on\n" in text and "15 calls, 3 turns, 3 conversations" in text and "1 active" in text
    assert "min_support 3" in text and "retention_days 30" in text and fits(answer) and answer.code == 0


def test_status_says_that_recording_is_paused(desk: Bench) -> None:
    """K99."""
    paused = Service(desk.store, Settings(record=False), desk.service.door)
    assert "\nRecording    off: the setting 'record' is false\n" in run(paused, ["status"], "cli").text


def test_recording_cannot_be_resumed_against_the_setting(desk: Bench) -> None:
    """K99: refused, and said in JSON as every refusal is."""
    held = Service(desk.store, Settings(record=False), desk.service.door)
    answer = run(held, ["record", "on"], "cli")
    assert answer.code == 1 and answer.json == {"recording": False, "error": answer.text.replace("\n", " ")}


def test_status_counts_what_could_not_be_kept_and_repeats_what_the_host_says(desk: Bench) -> None:
    desk.store.count("repeated_call", 3)
    answer = run(desk.service, ["status"], "cli", "", {"Host": "Hermes 0.22.2 " + "and more " * 20})
    assert "Not kept     3 calls that were delivered twice" in answer.text
    assert "Host         Hermes 0.22.2" in answer.text and wide(answer) == []


def test_help_names_every_command_in_the_words_of_its_place(desk: Bench) -> None:
    """K25: the same commands in chat and shell."""
    for surface, lead in (("chat", "/kata"), ("cli", "hermes kata")):
        answer = ask(desk, "help", surface)
        assert answer.code == 0 and all(f"{lead} {verb}" in answer.text for verb in commands.VERBS) and wide(answer) == []


def test_a_file_of_a_newer_plugin_is_one_clear_sentence() -> None:
    """Issue 2, bad input; B45."""

    def refuse() -> sqlite3.Connection:
        raise NewerStore("The Kata file has version 9, this plugin knows versions up to 1: update the Kata plugin")

    with closing(bench()) as desk:
        newer = Service(Store(refuse), Settings(), desk.service.door)
        for verb in ("list", "review 1", "approve 1 as x", "reject 1", "runs", "show 1", "near", "mine", "mine all", "status"):
            answer = run(newer, split(verb), "cli")
            assert answer.code == 1 and "update the Kata plugin" in re.sub(r"\s+", " ", answer.text) and wide(answer) == []
        assert run(newer, ["help"], "cli").code == 0


# ── Observed text ────────────────────────────────────────────────────────────────────────────────

EVIL = "\x1b[2J\x1b]0;pwned\x07\x9b31m\u202eevil\ud835\u200b\r\b\x7f"
"""What would clear the screen, name the window, turn the line around or end the printing."""


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


KATA = "id state tool digest version steps inputs support confidence taught specificity asks".split()
RUN = "run tool status reason started finished version digest session inputs steps".split()
KEYS = {
    "list": ["katas", "near"],
    "review 1": [*KATA, "effects", "spec", "checks", "expected", "values", "doubt", "why", "changes"],
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
    assert [list(one) for one in found["list"].json["katas"]] == [KATA]
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


def test_the_signature_is_what_the_agent_is_told() -> None:
    """K24."""
    with closing(bench()) as desk:
        kata = desk.approved("deploy_preview")
        assert pages.signature(kata.tool, kata.version.spec) == "kata_deploy_preview(branch)"
        assert pages.outline(kata.version.spec) == "git checkout, search_files, read_file, wc, write_file"


def test_every_command_word_is_reserved() -> None:
    """Design section 11: no kata may be called like a command."""
    assert set(VERBS) <= RESERVED


# ── Mine and near ────────────────────────────────────────────────────────────────────────────────


def test_mining_tells_what_it_looked_at_and_what_it_found(desk: Bench) -> None:
    """K115, issue 4: the turns that wait, now."""
    for n in range(3):
        desk.turn(f"c{n}", *routine(n))
    answer = ask(desk, "mine", "chat")
    assert answer.text.startswith("Looked at 3 turns and ") and ": 1 new or better proposal" in answer.text and fits(answer)
    assert "  1  proposal  seen in 3 conversations, confidence 0.78" in answer.text and "Look at a proposal: /kata review 1" in answer.text
    assert (answer.json["turns"], answer.json["waiting"]) == (3, 0) and [one["id"] for one in answer.json["proposed"]] == [1]
    assert ask(desk, "mine").text == "No turn waits: each was looked at when it ended."


@pytest.mark.parametrize("word", ["all", "--all", "ALL"])
def test_mining_all_looks_at_everything_again_and_finds_the_same(desk: Bench, word: str) -> None:
    """Design section 5.8."""
    before = desk.learn()
    answer = ask(desk, f"mine {word}")
    assert answer.code == 0 and answer.text.startswith("Looked at 3 turns and ") and answer.json["turns"] == 3
    assert desk.service.katas() == (before,)


def test_a_word_that_mining_does_not_know_is_no_reason_to_mine(desk: Bench) -> None:
    desk.turn("c1", *routine(1))
    assert ask(desk, "mine everything").code == 2 and len(desk.store.dirty()) == 1


def test_mining_says_that_another_process_is_at_it(desk: Bench) -> None:
    """Design section 12: whoever holds the lease mines."""
    desk.turn("c1", *routine(1))
    assert desk.store.lease("another", lambda owner: True)
    busy = Service(desk.store, Settings(), replace(desk.service.door, alive=lambda owner: True))
    for line in ("mine", "mine all"):
        answer = run(busy, split(line), "cli")
        assert answer.text == "Another process is looking just now; it misses nothing." and answer.json["waiting"] == 1


def test_near_misses_are_told_with_their_rule_and_what_they_need(desk: Bench) -> None:
    """K54, T20."""
    assert ask(desk, "near").text == "No near misses: nothing was seen that is nearly a routine."
    keys = ("terminal(command): git pull | make", "read_file(path)", "terminal(command): =0123456789abcdef")
    desk.store.misses({7: NearMiss(keys, "loop", "one step repeats 2 to 5 times", 4, "f"), 8: NearMiss(("a()",) * 2, "odd", "", 3, "g")})
    answer = ask(desk, "near")
    assert answer.text.split("\n") == [
        "git pull | make, read_file, terminal",
        "     seen in 4 conversations",
        "     fails loop: one step repeats 2 to 5 times",
        "     needs a later version: a step that repeats stays with the agent for now",
        "a, a",
        "     seen in 3 conversations",
        "     fails odd:",
    ]
    assert [one["rule"] for one in answer.json["near"]] == ["loop", "odd"]


def test_a_routine_is_told_once_whatever_became_of_it_in_one_round(desk: Bench) -> None:
    """What was missed at first and proposed later in the same round is a proposal."""
    kata = desk.learn()
    miss = NearMiss(("a()", "b()"), "template", "x", 3, kata.fingerprint)
    other = replace(miss, fingerprint="other")
    assert pages.fresh(Mined(3, (kata, kata), (miss, other, other))) == ((kata,), (other,))


def test_a_page_of_near_misses_has_an_end(desk: Bench) -> None:
    desk.store.misses({n: NearMiss(("a()", f"b{n}()"), "loop", "x", 3, f"f{n:02}") for n in range(25)})
    answer = ask(desk, "near")
    assert answer.text.endswith("\n… and 5 more, which --json tells.") and len(answer.json["near"]) == 25


def test_every_rule_of_the_miner_says_what_it_needs() -> None:
    source = (Path(str(commands.__file__)).parent / "miner.py").read_text(encoding="utf-8")
    rules = set(re.findall(r'(?:_missed|NearMiss)\([^"()]*(?:\([^()]*\)[^"()]*)*"([a-z_]+)"', source))
    assert {"loop", "confidence", "saves"} <= rules <= set(pages.NEEDS)


# ── Show ─────────────────────────────────────────────────────────────────────────────────────────


def test_show_tells_what_a_kata_does_how_to_call_it_and_what_it_did(desk: Bench) -> None:
    """K21, K89."""
    digest = desk.approved("deploy_preview").version.spec.digest
    finished(desk, *GOOD)
    answer = ask(desk, "show kata_deploy_preview", "chat")
    text = answer.text
    assert text.startswith("Kata 1       active · kata_deploy_preview\nDoes         1 git checkout ‹branch›\n")
    assert 'Call         kata_deploy_preview(branch="' in text and "branch: string. " in text
    assert "Side effects step 1: " in text and f"Versions     1 {digest[:12]} · found " in text
    assert "· approved 20" in text and "· in use\n" in text and re.search(r"  ok       run run-1  \d+\.0 s\n", text)
    assert text.endswith("More         /kata review 1 · /kata runs deploy_preview") and fits(answer)
    assert [one["version"] for one in answer.json["versions"]] == [1] and answer.json["runs"][0]["run"] == "run-1"


def test_show_is_no_ground_for_an_approval(desk: Bench) -> None:
    """K4: what `approve` takes was shown by `review`."""
    desk.learn()
    answer = ask(desk, "show 1", "chat")
    assert "not a tool yet: /kata review 1, then approve 1 as NAME" in answer.text and "not approved" in answer.text
    assert ask(desk, "approve 1 as deploy", "chat").code == 1 and desk.service.active() == ()


@pytest.mark.parametrize(("line", "words"), [("disable 1", "hermes kata enable deploy"), ("reject 2", "never: you rejected it")])
def test_show_says_why_a_kata_cannot_be_called(desk: Bench, line: str, words: str) -> None:
    desk.approved("deploy")
    for n in range(3):
        desk.turn(f"d{n}", A, B, C)
    desk.service.mine()
    assert ask(desk, line).code == 0
    assert words in ask(desk, f"show {line[-1]}").text


def test_show_names_every_version(desk: Bench) -> None:
    """K89."""
    first = desk.learn().version.spec.digest
    second = desk.revised().version
    lines = ask(desk, "show 1").text.split("\n")
    told = [line[13:28] for line in lines if "· found" in line]
    assert told[0] == f"{second.number} {second.spec.digest[:12]} " and told[-1] == f"1 {first[:12]} "


def test_what_an_input_was_and_what_holds_without_it_is_shown(desk: Bench) -> None:
    """Design section 6.6: choices and defaults."""
    one = InputField("level", "string", "Used in step 1.", ("low",), ("low", "high"))
    two = InputField("force", "boolean", "Used in step 1.", (True,), (), False)
    desk.store.propose(proposal([Step("read_file", Object((("path", Literal("a")),)), Effect(Class.READ))] * 2, inputs=[one, two]), 1.0)
    text = ask(desk, "review 1").text
    assert "‹level› you give: Used in step 1. One of low, high." in text
    assert "‹force› you give: Used in step 1. Seen: true. Else false." in text
    assert "in level: string, force: boolean, optional; out" in text
    kata = desk.service.find("1")
    assert pages.signature("kata_x", kata.version.spec) == "kata_x(level, [force])"


# ── One run ──────────────────────────────────────────────────────────────────────────────────────


def test_one_run_is_shown_whole(desk: Bench) -> None:
    """K75, K21, issue 5: step by step with reason."""
    desk.approved("deploy_preview")
    finished(desk, GOOD[0], *[json.dumps({"error": "no such place"})] * 2)
    answer = ask(desk, "runs RUN-1", "chat")
    text = answer.text
    for words in (
        "Run          run-1 · kata_deploy_preview\nVersion      1, revision ",
        "in the conversation s1",
        " s: no such place\n",
        "Inputs       branch = topic-9",
        "Steps        1 ok       git checkout topic-9",
        "             2 error    search_files pattern=TODO, path=src",
        "Next call    search_files pattern=TODO, path=src",
        "More         /kata show 1",
    ):
        assert words in text
    assert "no such place" in text and "May run on" not in text and fits(answer) and answer.json["status"] == "error"


@pytest.mark.parametrize("status", [Status.TIMEOUT, Status.UNKNOWN])
def test_a_step_whose_end_nobody_saw_may_still_be_running(desk: Bench, status: Status) -> None:
    """Issue 5: `runs` says "unknown, may still be running"; never that it was not done."""
    kata = desk.approved("deploy_preview")
    step = StepTrace(0, "terminal", status, Call("terminal", {"command": "make world"}), reason="[Command timed out after 2s]", attempts=1)
    desk.store.begin_run(RunRow("run-1", kata.id, kata.tool, 1, kata.version.spec.digest, NOW, None, Status.UNKNOWN, "", (step,)))
    assert f"    1. {status.value}, may still be running: make world" in ask(desk, "runs").text
    answer = ask(desk, "runs run-1")
    assert f"Steps        1 {status.value}, may still be running: make world" in answer.text
    assert "May run on   step 1" in answer.text and "Ended        not seen: " in answer.text
    assert answer.json["steps"][0]["may_be_running"] is True and fits(answer)


def test_a_kata_goes_before_a_run_of_that_name(desk: Bench) -> None:
    kata = desk.approved("abcdef123456")
    desk.store.begin_run(RunRow("abcdef123456", kata.id, kata.tool, 1, kata.version.spec.digest, NOW, None, Status.UNKNOWN, "", ()))
    assert list(ask(desk, "runs abcdef123456").json) == ["runs"]


# ── The review of anything ───────────────────────────────────────────────────────────────────────

TEXT = st.one_of(st.text(max_size=12), st.sampled_from(["plain", "x" * 300, "two words", "a\nb", "\x1b[2J", "日本語" * 20, ""]))
VALUE = st.one_of(
    st.builds(Literal, TEXT), st.builds(lambda name: Reference(0, (name or "k", 0)), TEXT), st.sampled_from([Input("a"), Input("b" * 60)])
)
STEP = st.builds(
    lambda tool, value, effect: Step(tool, Object((("command", value),)), effect),
    st.sampled_from(["terminal", "read_file", "mcp_server_with_a_long_name_do_something"]),
    VALUE,
    st.builds(Effect, st.sampled_from(list(Class)), st.booleans(), TEXT),
)
FIELD = st.builds(
    InputField,
    st.sampled_from(["a", "b" * 60, "pattern"]),
    st.sampled_from(["string", "integer", ""]),
    TEXT,
    st.lists(TEXT, max_size=4).map(tuple),
    st.lists(TEXT, max_size=4).map(tuple),
    st.sampled_from([None, False, "x" * 90]),
)


@settings(max_examples=150)
@given(st.lists(STEP, min_size=2, max_size=8), st.lists(FIELD, max_size=8), st.sampled_from(["/kata", "hermes kata"]))
def test_whatever_a_spec_holds_its_review_has_six_parts_in_80_columns_with_the_effects_on_top(
    steps: list[Step], inputs: list[InputField], lead: str
) -> None:
    """K18: long values, many inputs; every step that does more than reading stands in the first six lines, its reason whole below."""
    kata = Kata(1, "", State.CANDIDATE, "f", Version(1, Spec(tuple(inputs), tuple(steps)), Fit(3, 3, 3, 0.9), (), (), NOW))
    lines = pages.laid(pages.review(kata, lead)).split("\n")
    assert [line for line in lines if len(line) > 80 or not line.isprintable()] == []
    titles = [line[:12].rstrip() for line in lines[1:] if line[:1] != " "]
    assert titles == ["Side effects", "Permissions", "Steps", "Data flow", "Schemas", "Validation", "Revision"]
    acting = {str(number) for number, step in enumerate(steps, 1) if step.effect != Effect(Class.READ, False, step.effect.why)}
    top = " ".join(line[13:] for line in lines[1:6])
    assert acting <= set(re.findall(r"\d", " ".join(re.findall(r"steps? ([\d, ]+):", top))))
    for step in steps:
        assert step.effect.plain_read or "".join(visible(step.effect.why).split()) in "".join("".join(lines).split())


@settings(max_examples=50)
@given(st.lists(st.sampled_from(EFFECTS), min_size=5, max_size=5), st.integers(0, 2), st.integers(0, 2))
def test_a_five_step_review_fits_on_one_screen(effects: list[Effect], references: int, given_: int) -> None:
    """K18: 24 lines of 80 columns, where no step is longer than a line; whatever the effects are."""
    values = [Reference(0, ("matches", n, "path")) for n in range(references)] + [Literal("src/app/main.py")] * (5 - references)
    arguments = [Object((("command", value),)) for value in values]
    plain = [Effect(one.kind, one.destructive) for one in effects]
    steps = tuple(Step("terminal", one, effect) for one, effect in zip(arguments, plain, strict=True))
    inputs = tuple(InputField(f"pattern_{n}", "string", "Used in steps 1, 2, 3.", ("amber", "birch", "cobalt")) for n in range(given_))
    kata = Kata(1, "a" * 30, State.ACTIVE, "f", Version(1, Spec(inputs, steps), Fit(3, 3, 3, 0.9), (), (), NOW))
    assert len(pages.review(kata, "hermes kata").split("\n")) <= 24


def test_a_review_shows_what_each_derived_value_was_in_the_examples(desk: Bench) -> None:
    """Source step, path or program, and what it gave: in the latest three on the short page, in all with 'all'."""
    desk.learn(5)
    flat = " ".join(ask(desk, "review 1").text.split())
    assert f"‹step 2 · matches.0.path› goes into steps 3, 4; it was {FILES[4]}, {FILES[3]}, {FILES[2]}, … (2 more)" in flat
    answer = ask(desk, "review 1 all")
    flat = " ".join(answer.text.split())
    assert f"it was {', '.join(FILES[4::-1])}" in flat and wide(answer) == []
    assert answer.json["values"] == [{"value": "‹step 2 · matches.0.path›", "steps": [3, 4], "was": [*FILES[4::-1]]}]


def test_a_review_lists_what_is_expected_by_the_names_under_which_it_is_relaxed(desk: Bench) -> None:
    """T50."""
    desk.learn()
    assert "Expected     answers pass " in ask(desk, "review 1").text
    answer = ask(desk, "review 1 all")
    found = {one["check"]: one["expected"] for one in answer.json["expected"]}
    assert found["2b"] == "'matches' is not empty" and "b 'matches' is not empty" in " ".join(answer.text.split())
    loose = ask(desk, "relax 1 2B")
    assert loose.code == 0 and loose.text.startswith("Relaxed: check 2b of 1 does not count any more.")
    assert "1 relaxed" in ask(desk, "review 1").text
    assert "b 'matches' is not empty (relaxed)" in " ".join(ask(desk, "review 1 all").text.split())
    assert ask(desk, "relax 1 2b").code == 1 and ask(desk, "relax 1").code == 2


def test_an_example_call_leaves_out_what_has_a_default(desk: Bench) -> None:
    fields = (InputField("level", "string", "", ("low",)), InputField("force", "boolean", "", (True,), (), False))
    version = Version(1, Spec(fields, (Step("read_file", Object(()), Effect(Class.READ)),)), Fit(3, 3, 3, 0.9), (), (), NOW, NOW)
    assert '\nCall         kata_x(level="low")\n' in pages.about(Kata(1, "x", State.ACTIVE, "f", version), (version,), (), "/kata")


def columns(line: str) -> int:
    """How wide a terminal shows the line: characters of East Asia and pictures take two columns."""
    return sum(1 + (unicodedata.east_asian_width(one) in "WF") for one in line)


@given(st.lists(st.text(st.sampled_from("ab 日本語🙂é"), max_size=150), min_size=1, max_size=3), st.integers(5, 80))
def test_wide_characters_count_twice(rows: list[str], width: int) -> None:
    """80 columns, not 80 characters; and no character is lost."""
    text = pages.laid("\n".join(pages.part("Steps", rows)))
    assert all(columns(line) <= 80 for line in text.split("\n"))
    assert "".join(text.split()) == "Steps" + "".join("".join(rows).split())
    for row in rows:
        shown = pages.fit(row, width)
        assert columns(shown) <= width and (shown == row or shown[:-1] == row[: len(shown) - 1])
        assert shown == row or columns(shown) >= width - 1, "no more is cut than must be"


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
            desk.turn(f"d{n}", A, B, C)
        desk.service.mine()
        desk.store.misses({7: NearMiss(("a()", "b()"), "loop", "x", 3, "f")})
        yield desk


@pytest.mark.parametrize("verb", VERBS)
@settings(max_examples=30)
@given(words=st.lists(WORD, max_size=4), surface=st.sampled_from(["chat", "cli"]), capitals=st.booleans())
def test_every_command_answers_whatever_words_it_gets(used: Bench, verb: str, words: list[str], surface: str, capitals: bool) -> None:
    """Issue 5, bad input: a clear answer in 80 columns, an exit code, `{"error": …}` exactly where it is not 0, and never an exception."""
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


@pytest.mark.parametrize(("word", "meant"), [("1", "show 1"), ("kata_deploy", "show kata_deploy"), ("KATA_DEPLOY", "show kata_deploy")])
def test_a_kata_without_a_command_is_answered_with_the_command_that_shows_it(desk: Bench, word: str, meant: str) -> None:
    answer = ask(desk, word, "chat")
    assert answer.code == 2 and f"Did you mean '/kata {meant}'?" in re.sub(r"\s+", " ", answer.text)


@pytest.mark.parametrize("verb", VERBS)
def test_too_many_words_are_answered_with_what_is_expected(desk: Bench, verb: str) -> None:
    answer = ask(desk, f"{verb} one two three four five", "chat")
    assert answer.code == 2 and f"Expected: /kata {verb}" in answer.text and fits(answer)
    words = VERBS[verb].words
    if words[0]:
        assert f"for example: /kata {VERBS[verb].example}" in " ".join(ask(desk, verb, "chat").text.split())


@pytest.mark.parametrize("verb", VERBS)
def test_help_tells_more_about_every_command_with_an_example_that_is_understood(desk: Bench, verb: str) -> None:
    """The example is one: with such a kata it is never a matter of usage."""
    answer = ask(desk, f"help {verb}", "chat")
    lines = answer.text.split("\n")
    assert answer.code == 0 and lines[0] == f"/kata {VERBS[verb].usage}" and len(lines) >= 4 and fits(answer)
    assert f"For example: /kata {VERBS[verb].example}" in answer.text
    assert ask(desk, VERBS[verb].example).code != 2


def test_help_on_a_word_that_is_no_command_names_the_nearest(desk: Bench) -> None:
    answer = ask(desk, "help aprove")
    assert answer.code == 2 and "Did you mean 'approve'?" in answer.text


def test_the_readme_lists_the_commands_as_they_are() -> None:
    """Issue 5: "Daily use" is `VERBS`."""
    readme = (Path(str(commands.__file__)).parent / "README.md").read_text(encoding="utf-8")
    table = readme.split("## Daily use")[1].split("| --- | --- |\n")[1].split("\n\n")[0]
    rows = [line.replace("\\|", "/").strip("| ").split(" | ") for line in table.split("\n")]
    assert rows == [[f"`{verb.usage.replace('|', '/')}`", verb.what] for verb in VERBS.values()]


def test_the_help_of_the_shell_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    """`hermes kata --help`, at 80 columns."""
    parser = argparse.ArgumentParser("hermes kata")
    runtime.arguments(parser)
    lines = parser.format_help().split("\n")
    assert all(any(line.startswith(f"  hermes kata {verb.usage} ") for line in lines) for verb in VERBS.values())
    assert [line for line in pages.laid(commands.manual("hermes kata")).split("\n") if line not in lines] == []
    assert parser.parse_args(["mine", "--all", "--json", "--help", "--what"]).words == ["mine", "--all", "--json", "--help", "--what"]


def test_a_tool_that_this_process_does_not_know_is_said_to_be_unchecked(desk: Bench) -> None:
    """K65, issue 6.8: it is no drift, and no silence either."""
    desk.approved("deploy")
    ask(desk, "disable deploy")
    desk.schemas["read_file"] = None
    answer = ask(desk, "enable deploy")
    assert answer.code == 0 and "Not checked here: read_file; not known in this process" in " ".join(answer.text.split()) and fits(answer)


def test_looking_for_routines_where_nothing_is_recorded_says_what_to_do(desk: Bench) -> None:
    """Issue 6.9"""
    for line in ("mine", "mine all"):
        text = " ".join(ask(desk, line).text.split())
        assert text.startswith("Nothing was recorded yet: work with the agent as always") and text.endswith("hermes kata status")


# ── While it takes its time ──────────────────────────────────────────────────────────────────────


class Bell(threading.Event):
    """Rings after it was waited for so often."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    def wait(self, timeout: float | None = None) -> bool:
        self.times -= 1
        return self.times < 0


def test_a_person_at_a_terminal_is_told_what_still_waits(desk: Bench) -> None:
    desk.turn("c1", *routine(1))
    screen = io.StringIO()
    runtime.progress(desk.store, Bell(2), screen)
    told = screen.getvalue().split("\r")
    assert [line.rstrip() for line in told] == ["", "0 s: 1 turn to look at", "0 s: 1 turn to look at", "", ""]


def test_what_is_done_at_once_is_not_told_about(desk: Bench) -> None:
    screen = io.StringIO()
    runtime.progress(desk.store, Bell(0), screen)
    assert screen.getvalue() == ""


# ── Deciding, taking back, erasing ───────────────────────────────────────────────────────────────


def destroying(desk: Bench) -> None:
    desk.learn(3, lambda n: (sh(f"git checkout {BRANCHES[n]}", "Switched"), sh(f"git branch -D {BRANCHES[n]}", "Deleted")))


def changed(desk: Bench) -> None:
    """Kata 1 with a second version, approved as the first was."""
    kata = desk.approved("deploy")
    step = replace(kata.version.spec.steps[1], arguments=Object((("pattern", Literal("FIXME")), ("path", Literal("src")))))
    spec = replace(kata.version.spec, steps=(kata.version.spec.steps[0], step, *kata.version.spec.steps[2:]))
    told = {"digest": kata.version.spec.digest, "actor": "system", "verb": "drift", "now": NOW, "detail": "a tool changed"}
    desk.store.transition(1, before=[State.ACTIVE], after=State.STALE, **told)  # type: ignore[arg-type]
    assert desk.store.prepare(replace(proposal_of(kata), spec=spec), NOW) is not None


@pytest.mark.parametrize("surface", ["chat", "cli"])
@pytest.mark.parametrize("line", ["approve 1 as tidy confirm tidy", "approve 1 tidy --confirm kata_tidy", "APPROVE 1 AS tidy CONFIRM tidy"])
def test_a_typed_confirmation_works_in_chat_and_shell(desk: Bench, line: str, surface: str) -> None:
    """T44: and the page says so before."""
    destroying(desk)
    page = ask(desk, "review 1", surface)
    assert "approve 1 as NAME confirm NAME" in page.text and "can destroy something" in page.text
    refused = ask(desk, "approve 1 as tidy", surface)
    text = " ".join(refused.text.split())
    assert refused.code == 1 and "Nothing was approved. Step 2 of kata 1 can destroy" in text and "approve 1 as tidy confirm tidy" in text
    assert ask(desk, "approve 1 as tidy confirm other", surface).code == 1
    assert ask(desk, line, surface).code == 0 and desk.service.active()[0].tool == "kata_tidy"


@pytest.mark.parametrize(
    "line",
    [
        "approve 1 as",
        "approve 1 confirm",
        "approve 1 as x confirm",
        "approve 1 as x y",
        "rollback deploy",
        "rollback deploy last",
        "rollback deploy ٣",
        "rollback deploy 1 2",
        "diff deploy 1",
        "diff deploy one two",
        "rename deploy",
        "rename deploy as",
        "rename a b c",
        "forget",
        "forget 1 2",
        "audit 1 2",
        "purge",
        "purge text",
        "purge shoes x",
        "purge text x please",
        "purge path /",
        "purge text ''",
        "cleanup now",
        "stop",
        "resume",
        "resume a b",
    ],
)
def test_what_is_typed_wrongly_is_answered_with_the_form_and_an_example(desk: Bench, line: str) -> None:
    """Issue 6, point 9: and nothing is changed."""
    desk.approved("deploy")
    before = desk.store.audit(9)
    verb = line.split()[0]
    for surface, lead in (("chat", "/kata"), ("cli", "hermes kata")):
        answer = ask(desk, line, surface)
        text = " ".join(answer.text.split())
        assert answer.code == 2 and fits(answer), text
        assert f"Expected: {lead} {VERBS[verb].usage}; for example: {lead} {VERBS[verb].example}" in text
    assert desk.store.audit(9) == before and desk.store.facts()["turns"] == 3


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("rollback deploy 7", "Kata 1 has no version 7; it has 1"),
        ("rollback deploy 1", "kata_deploy is at version 1 already"),
        ("rollback nothing 1", "There is no kata 'nothing'; known: kata_deploy"),
        ("diff deploy", "has only version 1; there is nothing to compare it with"),
        ("diff deploy 1 9", "has no version 9"),
        ("rename deploy list", "'list' is a command of Kata"),
        ("forget 1", "is active, not rejected; 'disable deploy' takes it away"),
        ("enable 1", "is active already"),
        ("approve 1", "is active already; 'rollback' takes an earlier version"),
        ("reject 1", "is active, not a proposal; 'disable deploy' takes it away"),
        ("stop deploy", "no kata of that name is running"),
        ("resume run-9", "There is no run 'run-9'"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_with_what_can(desk: Bench, line: str, words: str) -> None:
    desk.approved("deploy")
    answer = ask(desk, line)
    assert answer.code == 1 and words in " ".join(answer.text.split()) and fits(answer)


def test_a_difference_reads_in_plain_text(desk: Bench) -> None:
    """T62: word by word, with the version that waits against the one in use."""
    changed(desk)
    answer = ask(desk, "diff deploy")
    assert fits(answer) and answer.json["from"] == 1 and answer.json["to"] == 2
    assert answer.json["changes"] == ["step 2: search_files [-pattern=TODO,-]{+pattern=FIXME,+} path=src"]
    assert ask(desk, "diff deploy v1 v2").json == answer.json
    assert ask(desk, "diff deploy 2 1").json["changes"] == ["step 2: search_files [-pattern=FIXME,-]{+pattern=TODO,+} path=src"]


def test_a_stale_kata_shows_why_and_what_its_revision_would_change(desk: Bench) -> None:
    """K85: and both ways out."""
    changed(desk)
    answer = ask(desk, "review deploy", "chat")
    text = " ".join(answer.text.split())
    page = ask(desk, "list").text
    assert "a tool changed" in page and "What can be done about kata_deploy: hermes kata review 1" in page
    assert "Because a tool changed" in text and "against version 1: step 2: search_files [-pattern=TODO,-]" in text
    assert "/kata approve 1 as deploy" in text and "or /kata rollback deploy 1" in text and fits(answer)
    assert "not now: it no longer fits; hermes kata review 1" in " ".join(ask(desk, "show deploy").text.split())


@given(st.text(alphabet="ab \n", max_size=20), st.text(alphabet="ab \n", max_size=20))
def test_the_marks_hold_both_texts(old: str, new: str) -> None:
    """T62: without what is new it is the old text, without what is gone the new one."""
    text = pages.marked(old, new)
    assert re.sub(r"\[-(.*?)-\]", r"\1", re.sub(r"\{\+.*?\+\}", "", text, flags=re.S), flags=re.S) == old
    assert re.sub(r"\{\+(.*?)\+\}", r"\1", re.sub(r"\[-.*?-\]", "", text, flags=re.S), flags=re.S) == new


def test_every_kind_of_change_is_told() -> None:
    """T62: inputs, steps, effects, asking, tools."""
    read, write = Effect(Class.READ, why="reads"), Effect(Class.EXTERNAL, why="sends")
    one = Step("send", Object((("to", Literal("a")),)), read, "1" * 16)
    old = Spec((InputField("name", "string"),), (one, replace(one, tool="other")))
    new = Spec((InputField("name", "integer"), InputField("more", "string", default="x")), (replace(one, effect=write, schema="2" * 16),))
    assert pages.changes(old, new) == [
        "you give: name: [-string-]{+integer+}",
        "you give: {+more: string, optional (else x)+}",
        "step 1: [-read;-]{+external;+} [-reads-]{+sends+}",
        "step 1: send takes other arguments than when this was recorded first",
        "step 2: [-other to=a-]",
        "asks you before every run: [-no-]{+yes+}",
    ]
    assert pages.changes(old, old) == ["nothing: the same calls, only the examples differ"]


def test_the_log_tells_who_decided_what_when(desk: Bench) -> None:
    """K92, T66."""
    desk.approved("deploy")
    ask(desk, "rename deploy ship", "chat")
    page = ask(desk, "audit")
    lines = page.text.split("\n")
    assert "chat      rename    kata 1 kata_ship; active;" in lines[0] and "from deploy to ship" in " ".join(page.text.split())
    assert [row["verb"] for row in page.json["audit"]] == ["rename", "approve", "propose"] and fits(page)
    assert ask(desk, "audit ship").json == page.json and ask(desk, "audit verify").json == {"decisions": 3, "broken": 0}


def test_a_log_that_was_changed_is_told(tmp_path: Path) -> None:
    """T66: exit code 1."""
    with closing(bench(tmp_path / "kata.db")) as desk:
        desk.approved("deploy")
        with closing(sqlite3.connect(tmp_path / "kata.db")) as db, db:
            db.execute("UPDATE audit SET actor = 'chat' WHERE number = 2")
        answer = ask(desk, "audit --verify", "chat")
        assert answer.code == 1 and "decision 2 is missing, or not as it was written" in " ".join(answer.text.split())


def test_purge_and_cleanup_list_first_and_act_on_yes(desk: Bench) -> None:
    """Issue 6, T67."""
    desk.approved("deploy")
    listed = ask(desk, "purge tool search_files")
    assert listed.json["done"] is False and listed.json["katas"] == [[1, "deploy", "active"]] and desk.store.facts()["turns"] == 3
    assert "To do it, add 'yes': hermes kata purge tool search_files yes" in " ".join(listed.text.split())
    done = ask(desk, "purge tool search_files --yes", "chat")
    assert done.json == {**listed.json, "done": True} and desk.service.katas() == () and desk.store.facts()["turns"] == 0
    desk.learn()
    assert ask(desk, "cleanup").json["done"] is False and desk.store.facts()["turns"] == 3
    assert ask(desk, "cleanup yes").json["done"] is True and desk.store.facts()["turns"] == 0 and desk.store.audit(9) == ()


def test_a_near_miss_shows_its_odd_example_and_the_smallest_change(desk: Bench) -> None:
    """K54."""
    for n in range(3):
        first, second, *rest = routine(n)
        hit = {"total": 1, "matches": [{"path": str(rest[0].arguments["path"]), "line": 3}]}
        desk.turn(f"c{n}", first, tool("search_files", hit, pattern="FIXME", path="lib") if n == 2 else second, *rest)
        desk.service.mine()
    answer = ask(desk, "near")
    text = " ".join(answer.text.split())
    assert "step 2 was: search_files pattern=FIXME, path=lib" in text and "the others: search_files pattern=TODO, path=src" in text
    assert "smallest change: 1 more conversation in which step 2 is as in the others" in text and fits(answer)
    assert answer.json["near"][0]["odd"]["conversation"] == "c2"


def test_a_run_that_stopped_tells_in_a_chat_how_it_goes_on(desk: Bench) -> None:
    """A21: nothing runs from there."""
    desk.approved("deploy")
    finished(desk, GOOD[0], '{"error": "no"}', '{"error": "no"}')
    answer = ask(desk, "resume run-1", "chat")
    text = " ".join(answer.text.split())
    assert answer.code == 1 and "hermes kata resume run-1" in text and "goes on with run run-1 at step 2 of 5" in text
    assert len(desk.store.runs()) == 1 and fits(answer)


def test_status_shows_every_setting_and_which_are_yours() -> None:
    """B51."""
    with closing(bench(settings=Settings(min_support=4, learn_from=("cron",)))) as desk:
        text = " ".join(ask(desk, "status").text.split())
        assert "min_support 4 (from config.yaml)" in text and "learn_from cron (from config.yaml)" in text
        assert "max_steps 8," in text and text.count("(from config.yaml)") == 2
