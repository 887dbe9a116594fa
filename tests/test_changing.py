"""The commands after which something is different: approvals, rejections, erasures, and what is said when they are refused."""

import re
from collections.abc import Iterator
from contextlib import closing

import pytest
from said import GOOD, PARTS, ask, finished, fits, wide
from strategies import BRANCHES, Bench, bench, sh

from kata.commands import run
from kata.service import Service
from kata.settings import Settings


@pytest.fixture
def desk() -> Iterator[Bench]:
    with closing(bench()) as one:
        yield one


def test_an_approval_names_the_tool_its_arguments_and_its_revision(desk: Bench) -> None:
    """K19, K20, K24, A39, A32."""
    digest = desk.learn().version.spec.digest
    ask(desk, "review 1", "chat")
    answer = ask(desk, "approve 1 as deploy_preview", "chat")
    assert answer.code == 0 and answer.json["tool"] == "kata_deploy_preview" and answer.json["state"] == "active"
    assert f"revision {digest[:12]}" in answer.text and "kata_deploy_preview(branch)" in answer.text and wide(answer) == []


def test_an_approval_without_a_review_shows_the_review_and_approves_nothing(desk: Bench) -> None:
    """The second time it is approved, because now it was shown."""
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
    """Bad input; exit code 1 or 2, never 0."""
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


def test_recording_cannot_be_resumed_against_the_setting(desk: Bench) -> None:
    """K99: refused, and said in JSON as every refusal is."""
    held = Service(desk.store, Settings(record=False), desk.service.door)
    answer = run(held, ["record", "on"], "cli")
    assert answer.code == 1 and answer.json == {"recording": False, "error": answer.text.replace("\n", " ")}


def test_a_tool_that_this_process_does_not_know_is_said_to_be_unchecked(desk: Bench) -> None:
    """K65: it is no drift, and no silence either."""
    desk.approved("deploy")
    ask(desk, "disable deploy")
    desk.schemas["read_file"] = None
    answer = ask(desk, "enable deploy")
    assert answer.code == 0 and "Not checked here: read_file; not known in this process" in " ".join(answer.text.split()) and fits(answer)


def destroying(desk: Bench) -> None:
    desk.learn(3, lambda n: (sh(f"git checkout {BRANCHES[n]}", "Switched"), sh(f"git branch -D {BRANCHES[n]}", "Deleted")))


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


def test_purge_and_cleanup_list_first_and_act_on_yes(desk: Bench) -> None:
    """T67."""
    desk.approved("deploy")
    listed = ask(desk, "purge tool search_files")
    assert listed.json["done"] is False and listed.json["katas"] == [[1, "deploy", "active"]] and desk.store.facts()["turns"] == 3
    assert "To do it, add 'yes': hermes kata purge tool search_files yes" in " ".join(listed.text.split())
    done = ask(desk, "purge tool search_files --yes", "chat")
    assert done.json == {**listed.json, "done": True} and desk.service.katas() == () and desk.store.facts()["turns"] == 0
    desk.learn()
    assert ask(desk, "cleanup").json["done"] is False and desk.store.facts()["turns"] == 3
    assert ask(desk, "cleanup --purge").json["done"] is False and desk.store.facts()["turns"] == 3, "nobody can be asked here"
    assert ask(desk, "cleanup yes").json["done"] is True and desk.store.facts()["turns"] == 0 and desk.store.audit(9) == ()


def test_a_run_that_stopped_tells_in_a_chat_how_it_goes_on(desk: Bench) -> None:
    """A21: nothing runs from there."""
    desk.approved("deploy")
    finished(desk, GOOD[0], '{"error": "no"}', '{"error": "no"}')
    answer = ask(desk, "resume run-1", "chat")
    text = " ".join(answer.text.split())
    assert answer.code == 1 and "hermes kata resume run-1" in text and "goes on with run run-1 at step 2 of 5" in text
    assert len(desk.store.runs()) == 1 and fits(answer)


def test_a_renamed_kata_is_promised_to_the_agent_only_where_it_is_active(desk: Bench) -> None:
    """K84: what is disabled is no tool under any name."""
    desk.approved("old")
    live, back = ask(desk, "rename old new").text, ask(desk, "undo").text
    desk.service.disable("old", "cli")
    assert "from their next message on" in " ".join(live.split()) and back == "Taken back: 'rename'. It is called kata_old again."
    assert ask(desk, "rename old new").text == "Renamed: kata_new. It is disabled, so the agent cannot call it."
