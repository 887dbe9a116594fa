"""The commands that find and show: lists, reviews, near misses, runs, differences, the log."""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from said import GOOD, OTHER, ask, finished, fits, wide
from strategies import NOW, Bench, bench, proposal, proposal_of, routine, tool

from kata import pages
from kata.commands import run, split
from kata.model import Call, Class, Effect, InputField, Literal, NearMiss, Object, RunRow, State, Status, Step, StepTrace
from kata.service import Service
from kata.settings import Settings


@pytest.fixture
def desk() -> Iterator[Bench]:
    with closing(bench()) as one:
        yield one


def test_the_list_of_nothing_says_when_there_will_be_something(desk: Bench) -> None:
    """K12, K25: in the words of the place where it was asked."""
    for surface, lead in (("chat", "/kata"), ("cli", "hermes kata")):
        answer = ask(desk, "list", surface)
        assert answer.code == 0 and "3 conversations" in answer.text and f"'{lead} status'" in answer.text and fits(answer)


def test_the_list_shows_proposals_and_active_katas(desk: Bench) -> None:
    """K17."""
    desk.approved("deploy_preview")
    for n in range(3):
        desk.turn(f"d{n}", *OTHER)
    desk.service.mine()
    answer = ask(desk, "list", "chat")
    lines = answer.text.split("\n")
    assert lines[0] == "  2  proposal  seen in 3 conversations, confidence 0.78"
    assert lines[1] == "     3 steps: git pull, make, npm run" and lines[2].startswith("     would save about ")
    assert lines[3] == "  1  active    kata_deploy_preview(branch)"
    assert lines[4] == "     5 steps: git checkout, search_files, read_file, wc, write_file"
    assert lines[-1] == "Look at a proposal: /kata review 2" and fits(answer)
    assert [one["id"] for one in answer.json["katas"]] == [2, 1]


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


def test_a_review_in_json_holds_the_whole_spec_and_every_check(desk: Bench) -> None:
    kata = desk.learn()
    answer = ask(desk, "review 1")
    assert answer.json["spec"] == kata.version.spec.to_json() and answer.json["digest"] == kata.version.spec.digest
    assert len(answer.json["checks"]) == 12 and json.dumps(answer.json)


def test_a_review_counts_as_shown_on_its_own_surface_alone(desk: Bench) -> None:
    desk.learn()
    ask(desk, "review 1", "chat")
    assert ask(desk, "approve 1 as deploy", "cli").code == 1 and desk.service.active() == ()


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
        desk.turn(f"d{n}", *OTHER)
    desk.service.mine()
    assert [one["run"] for one in ask(desk, "runs 1").json["runs"]] == [f"run-{n:02}" for n in range(21, 1, -1)]
    assert ask(desk, "runs 2").json["runs"] == []


def test_mining_tells_what_it_looked_at_and_what_it_found(desk: Bench) -> None:
    """K115: the turns that wait, now."""
    for n in range(3):
        desk.turn(f"c{n}", *routine(n))
    answer = ask(desk, "mine", "chat")
    assert answer.text.startswith("Looked at 3 turns and ") and ": 1 new or better proposal" in answer.text and fits(answer)
    assert "  1  proposal  seen in 3 conversations, confidence 0.78" in answer.text and "Look at a proposal: /kata review 1" in answer.text
    assert (answer.json["turns"], answer.json["waiting"]) == (3, 0) and [one["id"] for one in answer.json["proposed"]] == [1]
    assert ask(desk, "mine").text == "No turn waits: each was looked at when it ended."


@pytest.mark.parametrize("word", ["all", "--all", "ALL"])
def test_mining_all_looks_at_everything_again_and_finds_the_same(desk: Bench, word: str) -> None:
    before = desk.learn()
    answer = ask(desk, f"mine {word}")
    assert answer.code == 0 and answer.text.startswith("Looked at 3 turns and ") and answer.json["turns"] == 3
    assert desk.service.katas() == (before,)


def test_a_word_that_mining_does_not_know_is_no_reason_to_mine(desk: Bench) -> None:
    desk.turn("c1", *routine(1))
    assert ask(desk, "mine everything").code == 2 and len(desk.store.dirty()) == 1


def test_mining_says_that_another_process_is_at_it(desk: Bench) -> None:
    """Whoever holds the lease mines."""
    desk.turn("c1", *routine(1))
    assert desk.store.lease("another", lambda owner: True, now=NOW)
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
        "     f · seen in 4 conversations",
        "     fails loop: one step repeats 2 to 5 times",
        "     needs a later version: a step that repeats stays with the agent for now",
        "a, a",
        "     g · seen in 3 conversations",
        "     fails odd:",
    ]
    assert [one["rule"] for one in answer.json["near"]] == ["loop", "odd"]


def test_a_page_of_near_misses_has_an_end(desk: Bench) -> None:
    desk.store.misses({n: NearMiss(("a()", f"b{n}()"), "loop", "x", 3, f"f{n:02}") for n in range(25)})
    answer = ask(desk, "near")
    assert answer.text.endswith("\n… and 5 more, which --json tells.") and len(answer.json["near"]) == 25


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
        desk.turn(f"d{n}", *OTHER)
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
    """Choices and defaults."""
    one = InputField("level", "string", "Used in step 1.", ("low",), ("low", "high"))
    two = InputField("force", "boolean", "Used in step 1.", (True,), (), False)
    desk.store.propose(proposal([Step("read_file", Object((("path", Literal("a")),)), Effect(Class.READ))] * 2, inputs=[one, two]), 1.0)
    text = ask(desk, "review 1").text
    assert "‹level› you give: Used in step 1. One of low, high." in text
    assert "‹force› you give: Used in step 1. Seen: true. Else false." in text
    assert "in level: string, force: boolean, optional; out" in text
    kata = desk.service.find("1")
    assert pages.signature("kata_x", kata.version.spec) == "kata_x(level, [force])"


def test_one_run_is_shown_whole(desk: Bench) -> None:
    """K75, K21: step by step with reason."""
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
    """`runs` says "unknown, may still be running"; never that it was not done."""
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


def test_looking_for_routines_where_nothing_is_recorded_says_what_to_do(desk: Bench) -> None:
    for line in ("mine", "mine all"):
        text = " ".join(ask(desk, line).text.split())
        assert text.startswith("Nothing was recorded yet: work with the agent as always") and text.endswith("hermes kata status")


def changed(desk: Bench) -> None:
    """Kata 1 with a second version, approved as the first was."""
    kata = desk.approved("deploy")
    step = replace(kata.version.spec.steps[1], arguments=Object((("pattern", Literal("FIXME")), ("path", Literal("src")))))
    spec = replace(kata.version.spec, steps=(kata.version.spec.steps[0], step, *kata.version.spec.steps[2:]))
    told = {"digest": kata.version.spec.digest, "actor": "system", "verb": "drift", "now": NOW, "detail": "a tool changed"}
    desk.store.transition(1, before=[State.ACTIVE], after=State.STALE, **told)  # type: ignore[arg-type]
    assert desk.store.prepare(replace(proposal_of(kata), spec=spec), NOW) is not None


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
