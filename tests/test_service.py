"""The verbs: what is recorded, proposed, shown, decided and run, on real SQLite and with a fake door."""

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import (
    BRANCHES,
    FILES,
    NOW,
    SCHEMA,
    Bench,
    Did,
    aged,
    bench,
    events,
    failed,
    five,
    opened,
    proposal,
    raw,
    routine,
    sh,
    tool,
)

from kata import checks, miner
from kata.checks import said
from kata.commands import run
from kata.discretion import RESULT_BYTES, SUPPLIED, Discreet
from kata.lifecycle import TABLE
from kata.model import (
    Call,
    Class,
    Effect,
    Example,
    InputError,
    Json,
    Kata,
    Literal,
    Object,
    Outcome,
    Refused,
    SchemaSeen,
    Settings,
    Spec,
    State,
    Status,
    Step,
    StepCall,
    Trace,
    TurnEnd,
    TurnStart,
)
from kata.service import RESERVED, SPELLING, Dispatch, Service, Unconfirmed, Unseen, excess, reproduces
from kata.wording import brief, templated

A, B, C, D = sh("git pull --rebase origin"), sh("make build-release"), sh("npm run lint-all"), sh("docker compose up-all")


@pytest.fixture
def desk() -> Iterator[Bench]:
    """A service in memory."""
    with closing(bench()) as one:
        yield one


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "kata.db"


def state(one: Bench) -> list[object]:
    """Everything that mining brought, as it can be compared: numbers and revisions tell in which order things were seen."""
    katas = [(k.fingerprint, k.state, k.version.spec, k.version.fit, k.version.exhibits) for k in one.service.katas()]
    return [*sorted(katas, key=lambda kata: kata[0]), *one.service.near()]


def audit(one: Bench) -> list[tuple[str, str, int, str, str]]:
    """Who did what, oldest first."""
    return [(row.actor, row.verb, row.kata, row.before, row.after) for row in reversed(one.store.audit(100))]


# ── Recording ────────────────────────────────────────────────────────────────────────────────────


def test_what_is_recorded_comes_back_masked(desk: Bench) -> None:
    """Design section 4: arguments, result, reason, folder and the user's words."""
    token = "ghp_" + "Ab3dE6gH9j" * 3 + "Kl2mN4"
    name = desk.turn(
        "c1",
        Did("terminal", {"command": f"curl -H 'Authorization: Bearer {token}' x"}, json.dumps({"error": f"bad {token}"})),
        message=f"use {token}",
    )
    turn = desk.store.turn(name)
    assert turn is not None
    assert token not in repr(turn) and "KATASECRET_" in turn.events[0].call.arguments["command"]
    assert "KATASECRET_" in turn.events[0].outcome.reason and "KATASECRET_" in turn.events[0].outcome.result["error"]


def test_a_secret_has_one_placeholder_in_a_conversation(desk: Bench) -> None:
    """Design section 4: the same secret, the same placeholder, whatever the turn."""
    token = "ghp_" + "Zy8xW5vU2t" * 3 + "Sr7qP1"
    first, second = (desk.turn("c1", tool("web_search", {"seen": token}, query=token)) for _ in range(2))
    kept = {json.dumps(desk.store.turn(name).events[0].call.arguments) for name in (first, second)}  # type: ignore[union-attr]
    assert len(kept) == 1


def test_a_long_result_is_masked_before_it_is_cut(desk: Bench) -> None:
    """B52: a secret that lies across the cut leaves no half."""
    token = "ghp_" + "Qa1wS2eD3r" * 3 + "Fv4tG5"
    half = RESULT_BYTES // 2
    name = desk.turn("c1", Did("read_file", {"path": "x"}, "a " * (half // 2 - 8) + token + " b" * RESULT_BYTES))
    turn = desk.store.turn(name)
    assert turn is not None
    text = turn.events[0].outcome.result
    assert len(text) < RESULT_BYTES + 100 and "characters cut by Kata" in text
    assert not any(token[n : n + 7] in text for n in range(len(token) - 6))


@pytest.mark.parametrize(
    "result", [b"raw \xff bytes", {1, 2}, object(), float("nan"), json.loads("[" * 400 + "]" * 400), "\ud835 text", "a\0\x1b[31m"]
)
def test_an_odd_result_costs_no_other_record_of_its_batch(desk: Bench, result: object) -> None:
    """B46: a bytes result, half characters, NUL: nothing is raised and the calls around it are kept."""
    odd = Did("odd_tool", {"x": 1}, result)
    name = desk.turn("c1", A, odd, B)
    turn = desk.store.turn(name)
    assert turn is not None
    tools = [event.call.arguments.get("command") for event in turn.events if event.call.tool == "terminal"]
    assert tools == ["git pull --rebase origin", "make build-release"]


def test_a_secret_as_a_key_is_masked_too(desk: Bench) -> None:
    """B18: no run of more than six characters of a secret, in a result that is a table by token either."""
    token = "ghp_" + "Mn6bV7cX8z" * 3 + "Lk9jH0"
    name = desk.turn("c1", Did("list_tokens", {"for": {token: 1}}, json.dumps({"tokens": {token: {"owner": "me"}}})))
    assert token not in repr(desk.store.turn(name))


# ── Proposing ────────────────────────────────────────────────────────────────────────────────────


def test_the_third_conversation_brings_the_proposal_at_the_end_of_its_turn(desk: Bench) -> None:
    """K16, K3, K12: silent before."""
    for n in range(2):
        desk.turn(f"c{n}", *routine(n))
        mined = desk.service.mine()
        assert (mined.turns, mined.proposed, mined.missed) == (1, (), ())
    desk.turn("c2", *routine(2))
    mined = desk.service.mine()
    (kata,) = mined.proposed
    assert kata.state is State.CANDIDATE and kata.id == 1 and len(kata.version.spec.steps) == 5
    assert kata.version.fit.confidence == pytest.approx(0.784)
    assert all(check.passed for check in kata.version.checks) and len(kata.version.checks) == 12


def test_the_fourth_conversation_raises_the_confidence(desk: Bench) -> None:
    """K53."""
    assert desk.learn(4).version.fit.confidence == pytest.approx(0.8704)


def test_new_evidence_shows_even_where_the_calls_are_the_same(desk: Bench) -> None:
    """K53, design section 5.9: a routine without inputs has the same spec after the fourth conversation, and better evidence."""
    kata = desk.learn(4, lambda n: (A, B, C))
    assert kata.version.fit.support == 4 and kata.version.fit.confidence == pytest.approx(0.8704)


def test_a_turn_is_mined_only_when_it_is_over_and_only_once(desk: Bench) -> None:
    desk.turn("c9", A, B, ended=False)
    assert desk.service.mine().turns == 0
    name = desk.turn("c1", A, B)
    assert desk.service.mine().turns == 1 and desk.service.mine().turns == 0
    late = events(name, [A, B, C])[2]
    desk.service.record([late])
    assert desk.service.mine().turns == 1


@pytest.mark.parametrize("who", ["cron", "subagent"])
def test_work_that_no_person_asked_for_gives_no_support(desk: Bench, who: str) -> None:
    """A2, B24, B40."""
    for n in range(6):
        desk.turn(f"c{n}", *routine(n), who=who)
    desk.turn("c7", *routine(7))
    desk.turn("c8", *routine(8))
    assert desk.service.mine().proposed == () and desk.service.katas() == ()
    desk.turn("c9", *routine(9))
    (kata,) = desk.service.mine().proposed
    assert kata.version.fit.support == 3


def test_a_heartbeat_is_no_habit(desk: Bench) -> None:
    """B24: one call a turn, fifteen turns, six cron sessions."""
    for n in range(90):
        desk.turn(f"cron{n % 6}", tool("write_file", path="hb.md", content=f"{n}"), who="cron")
    assert desk.service.mine().proposed == () and desk.service.store.near() == ()


def test_new_evidence_makes_a_new_revision_and_keeps_the_old_one(desk: Bench) -> None:
    """Design section 5.9, K89: a candidate is never changed in place."""
    first = desk.learn(3)
    second = desk.revised()
    assert second.id == first.id and second.version.number == 2 and second.version.spec.digest != first.version.spec.digest
    assert desk.store.version(first.id, 1) == first.version


def test_a_near_miss_says_which_rule_failed_and_goes_when_it_is_proposed(desk: Bench) -> None:
    """K54, design section 5.7."""
    strict = Service(desk.store, Settings(min_confidence=0.8), desk.service.door)
    for n in range(3):
        desk.turn(f"c{n}", *routine(n))
    (miss,) = strict.mine().missed
    assert miss.rule == "confidence" and desk.store.near() == (miss,)
    desk.turn("c3", *routine(3))
    assert len(strict.mine().proposed) == 1 and desk.store.near() == ()


def test_a_routine_that_fails_a_check_is_not_proposed_and_the_check_is_named(desk: Bench) -> None:
    """K55, K65: a tool's schema is another one today."""
    desk.schemas["write_file"] = "f" * 16
    for n in range(3):
        desk.turn(f"c{n}", *routine(n))
    mined = desk.service.mine()
    assert mined.proposed == () and [miss.rule for miss in mined.missed] == ["tools_available"]


def test_validation_calls_no_tool(desk: Bench) -> None:
    """K56: all it has is the door, and the door's replay is handed a stub."""
    asked: list[str] = []
    door = desk.service.door

    def replaying(spec: Spec, given: Mapping[str, Json], dispatch: Dispatch) -> Trace:
        def watched(call: StepCall) -> Outcome:
            asked.append(call.call.tool)
            return dispatch(call)

        return door.replay(spec, given, watched)

    kata = desk.learn()
    service = Service(desk.store, Settings(), replace(door, replay=replaying))
    assert all(check.passed for check in service.validated(kata.version.spec, kata.version.exhibits))
    assert set(asked) == {"terminal", "search_files", "read_file", "write_file"} and desk.store.runs() == ()


def test_mining_turn_by_turn_equals_mining_all_turns_in_the_same_order() -> None:
    """Design section 5.8."""
    with closing(bench()) as one, closing(bench()) as other:
        for n in range(5):
            for desk in (one, other):
                desk.turn(f"c{n % 4}", *routine(n), *((A, B) if n % 2 else ()))
            one.service.mine()
        other.service.mine()
        assert state(one) == state(other) != []


def test_everything_is_mined_once_more_unless_another_process_mines(desk: Bench) -> None:
    """Design sections 5.8 and 12: decisions, numbers and names stay; what belongs to nothing any more goes."""
    kata = desk.approved("deploy")
    for n in range(3):
        desk.turn(f"d{n}", A, B, C)
    desk.service.mine()
    before = (state(desk), [(one.id, one.name) for one in desk.service.katas()])
    assert desk.store.lease("7:100", lambda owner: True)
    busy = Service(desk.store, Settings(), replace(desk.service.door, owner="8:100", alive=lambda owner: True))
    assert busy.remine().turns == 0
    desk.store.release("7:100")
    assert desk.service.remine().turns == 6
    assert (state(desk), [(one.id, one.name) for one in desk.service.katas()]) == before and before[1][0] == (kata.id, "deploy")


def test_other_settings_count_from_the_next_full_mining_on(desk: Bench) -> None:
    """K93: a proposal of three conversations is none where five are wanted, and comes back under its number."""
    kata = desk.learn()
    strict = Service(desk.store, Settings(min_support=5), desk.service.door)
    assert strict.remine().proposed == () and desk.service.katas() == ()
    with pytest.raises(Refused, match="was taken back"):
        desk.service.find("1")
    assert [one.id for one in desk.service.remine().proposed] == [kata.id]


def test_a_proposal_whose_evidence_is_forgotten_is_taken_back_and_a_decided_one_stays() -> None:
    """Design section 5.8, K98, A31."""
    now = [NOW]
    with closing(bench(clock=lambda: now[0])) as desk:
        desk.approved("deploy")
        for n in range(3):
            desk.turn(f"d{n}", A, B, C)
        assert len(desk.service.mine().proposed) == 1
        now[0] = NOW + 32 * 86_400
        assert desk.service.tidy() == 6
        assert desk.service.mine().proposed == ()
        assert [one.name for one in desk.service.katas()] == ["deploy"]
        assert audit(desk)[-1] == ("system", "withdraw", 2, "candidate", "candidate")


def test_an_exhibit_whose_turn_is_erased_is_not_shown_any_more(desk: Bench) -> None:
    """New evidence makes a new revision: the evidence is what is there."""
    desk.learn(4)
    assert aged(desk.store, ["turn-3"], 3) == 1
    desk.service.mine()
    (kata,) = desk.service.katas()
    assert {one.conversation for one in kata.version.exhibits} == {"c0", "c1", "c2"} and kata.version.fit.support == 3


CHUNKS = ((A, B), (B, A), routine(0), routine(1), routine(2)[:3], (failed("web_search", query="x"),), (tool("clarify", question="?"),))


@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(st.sampled_from("abcd"), st.sampled_from(["person", "cron"]), st.lists(st.sampled_from(CHUNKS), max_size=2)), max_size=8
    )
)
def test_mining_is_the_same_at_once_and_turn_by_turn(rows: list[tuple[str, str, list[tuple[Did, ...]]]]) -> None:
    """The law of design section 5.8, small: for every history, and when every turn is mined once more."""
    with closing(bench()) as one, closing(bench()) as other:
        for talk, who, chunks in rows:
            for desk in (one, other):
                desk.turn(talk, *(call for chunk in chunks for call in chunk), who=who)
            one.service.mine()
        other.service.mine()
        assert state(one) == state(other)
        before = {(k.id, k.fingerprint, k.state) for k in one.store.katas()}
        one.service.record([TurnEnd(f"turn-{n}", NOW + 70) for n in range(len(rows))])
        one.service.mine()
        assert {(k.id, k.fingerprint, k.state) for k in one.store.katas()} >= before


# ── Rejecting ────────────────────────────────────────────────────────────────────────────────────


def test_a_rejected_routine_is_never_proposed_again(desk: Bench) -> None:
    """K88, A29: whatever new evidence comes, and it is in no list."""
    kata = desk.learn()
    assert desk.service.reject("1", "chat").state is State.REJECTED
    for n in range(3, 8):
        desk.turn(f"c{n}", *routine(n))
        assert desk.service.mine().proposed == ()
    assert desk.service.katas() == () and desk.service.active() == ()
    found = desk.store.kata(kata.id)
    assert found is not None and found.state is State.REJECTED and found.version.number == 1


def test_a_slightly_different_window_of_a_rejected_routine_stays_rejected_too(desk: Bench) -> None:
    """A29: the last step is left away from now on."""
    desk.learn()
    desk.service.reject("1", "chat")
    for n in range(3, 7):
        desk.turn(f"c{n}", *routine(n)[:4])
    assert desk.service.mine().proposed == () and desk.service.katas() == ()


def test_a_decided_routine_is_not_listed_as_seen_but_not_proposed(desk: Bench) -> None:
    """K88: an odd example later does not bring it back as a near miss."""
    desk.learn()
    desk.service.reject("1", "chat")
    desk.turn(
        "c8", *five("main", "x")[:1], tool("search_files", {"total": 0, "matches": []}, pattern="TODO", path="src"), *five("main", "x")[2:]
    )
    desk.service.mine()
    assert desk.store.near() == ()


def test_only_a_proposal_can_be_rejected(desk: Bench) -> None:
    desk.approved()
    with pytest.raises(Refused, match="Kata 1 is active, not a proposal"):
        desk.service.reject("1", "cli")


# ── Reviewing and approving ──────────────────────────────────────────────────────────────────────


def test_nothing_is_a_tool_before_a_person_says_yes(file: Path) -> None:
    """K4, B47: three restarts, no answer."""
    with closing(bench(file)) as one:
        one.learn()
    for _ in range(3):
        with closing(bench(file)) as again:
            again.service.mine()
            assert again.service.active() == ()
            assert [kata.state for kata in again.service.katas()] == [State.CANDIDATE]
    with closing(bench(file)) as last:
        last.service.reject("1", "chat")
        assert last.service.active() == () and last.service.katas() == ()


def test_approving_makes_the_reviewed_revision_the_tool_of_that_name(desk: Bench) -> None:
    """K19, K20, K84, K90."""
    kata = desk.learn()
    seen = desk.service.review("1", "chat")
    done = desk.service.approve("1", "deploy_preview", "chat")
    assert (done.state, done.tool, done.version.spec) == (State.ACTIVE, "kata_deploy_preview", seen.version.spec)
    assert done.version.approved is not None and desk.service.active() == (done,) and done.id == kata.id


def test_without_a_review_on_that_surface_nothing_is_approved(desk: Bench) -> None:
    """Design section 10: what was seen in the chat was not seen in the shell."""
    desk.learn()
    with pytest.raises(Unseen, match="was not reviewed here"):
        desk.service.approve("1", "x", "cli")
    desk.service.review("1", "chat")
    with pytest.raises(Unseen):
        desk.service.approve("1", "x", "cli")
    assert desk.service.active() == ()
    assert desk.service.approve("1", "x", "chat").state is State.ACTIVE


def test_only_the_revision_that_was_shown_can_be_approved(desk: Bench) -> None:
    """B26, design section 10: new evidence came between review and approval."""
    old = desk.learn().version.spec.digest
    desk.service.review("1", "cli")
    new = desk.revised()
    with pytest.raises(Unseen, match=f"is now revision {new.version.spec.digest[:12]}, not {old[:12]}"):
        desk.service.approve("1", "x", "cli")
    assert desk.service.active() == ()
    desk.service.review("1", "cli")
    assert desk.service.approve("1", "x", "cli").version.number == 2


def test_a_script_passes_the_digest_instead_of_a_review(desk: Bench) -> None:
    """Design section 10: `--digest`, whole or its first eight characters or more."""
    digest = desk.learn().version.spec.digest
    for wrong in (digest[:7], "0" * 64, digest[::-1], digest + "0"):
        with pytest.raises(Unseen):
            desk.service.approve("1", "x", "cli", wrong)
    assert desk.service.active() == ()
    assert desk.service.approve("1", "x", "cli", digest[:8].upper()).state is State.ACTIVE


def test_a_wrong_digest_is_not_made_good_by_a_review(desk: Bench) -> None:
    desk.learn()
    desk.service.review("1", "cli")
    with pytest.raises(Unseen):
        desk.service.approve("1", "x", "cli", "f" * 64)
    assert desk.service.active() == ()


@pytest.mark.parametrize("name", ["", "A", "1x", "_x", "a-b", "a b", "ä", "x" * 60, "kata_", "a\n", "\x1b[31m", "\ud835", "../x", "x.y"])
def test_an_odd_name_is_refused_with_what_a_name_looks_like(desk: Bench, name: str) -> None:
    """Design section 11."""
    desk.learn()
    desk.service.review("1", "cli")
    with pytest.raises(Refused, match="Expected a name of small letters, digits and _") as caught:
        desk.service.approve("1", name, "cli")
    assert str(caught.value).isprintable() and desk.service.active() == ()


@pytest.mark.parametrize("name", [*sorted(RESERVED), "kata_list", "kata_resume"])
def test_a_command_word_is_no_name(desk: Bench, name: str) -> None:
    """Design section 11."""
    desk.learn()
    desk.service.review("1", "cli")
    with pytest.raises(Refused, match="is a command of Kata"):
        desk.service.approve("1", name, "cli")


@pytest.mark.parametrize(("name", "tool_name"), [("x" * 59, "kata_" + "x" * 59), ("kata_deploy", "kata_deploy"), ("a1_", "kata_a1_")])
def test_a_good_name_gets_the_prefix_once(desk: Bench, name: str, tool_name: str) -> None:
    """K20, design section 11: a leading `kata_` is dropped."""
    desk.learn()
    desk.service.review("1", "cli")
    assert desk.service.approve("1", name, "cli").tool == tool_name


def test_a_tool_name_of_somebody_else_is_refused(desk: Bench) -> None:
    """Design section 11: the host would replace ours silently."""
    desk.learn()
    desk.service.review("1", "cli")
    desk.taken.add("kata_deploy")
    with pytest.raises(Refused, match="A tool kata_deploy exists already and is not ours"):
        desk.service.approve("1", "deploy", "cli")
    assert desk.service.approve("1", "deploy2", "cli").state is State.ACTIVE


def test_the_name_of_another_kata_is_refused(desk: Bench) -> None:
    desk.approved("deploy")
    for n in range(3):
        desk.turn(f"d{n}", A, B, C)
    desk.service.mine()
    desk.service.review("2", "cli")
    with pytest.raises(Refused, match="is taken by kata 1"):
        desk.service.approve("2", "deploy", "cli")
    assert [kata.id for kata in desk.service.active()] == [1]


@pytest.mark.parametrize(
    "word", ["9", "0", "-1", "1.0", "nothing", "", "kata_nothing", "1 ", "99999999999999999999", "٣", "\x1b[31m", "\ud835"]
)
def test_an_unknown_number_or_name_is_one_clear_sentence(desk: Bench, word: str) -> None:
    """Issue 2, bad input."""
    desk.learn()
    for verb in (desk.service.find, lambda one: desk.service.review(one, "cli"), lambda one: desk.service.reject(one, "cli")):
        with pytest.raises(Refused, match=r"There is no kata .*; known: 1") as caught:
            verb(word)
        assert str(caught.value).isprintable()


def test_a_kata_is_found_by_number_name_and_tool_name(desk: Bench) -> None:
    """A32."""
    kata = desk.approved("deploy")
    assert desk.service.find("1") == desk.service.find("deploy") == desk.service.find("kata_deploy") == kata


def test_numbers_are_never_used_twice(desk: Bench) -> None:
    """A32."""
    desk.learn()
    desk.service.reject("1", "cli")
    for n in range(3):
        desk.turn(f"d{n}", A, B, C)
    (kata,) = desk.service.mine().proposed
    assert kata.id == 2


def test_approval_validates_again_with_the_tools_of_today(desk: Bench) -> None:
    """K55, K65."""
    desk.learn()
    desk.service.review("1", "cli")
    desk.schemas["read_file"] = "f" * 16
    with pytest.raises(Refused, match="Kata 1 does not pass every check any more: tools_available: "):
        desk.service.approve("1", "deploy", "cli")
    assert desk.service.active() == ()


def test_an_active_kata_is_not_approved_again(desk: Bench) -> None:
    desk.approved("deploy")
    desk.service.review("1", "cli")
    with pytest.raises(Refused, match="Kata 1 is active"):
        desk.service.approve("1", "other", "cli")
    assert desk.service.active()[0].name == "deploy"


def test_a_rejected_kata_is_not_approved(desk: Bench) -> None:
    """K88."""
    desk.learn()
    desk.service.review("1", "cli")
    desk.service.reject("1", "cli")
    with pytest.raises(Refused, match="Kata 1 is rejected"):
        desk.service.approve("1", "deploy", "cli")


def test_an_active_routine_is_not_proposed_again(desk: Bench) -> None:
    desk.approved()
    for n in range(3, 6):
        desk.turn(f"c{n}", *routine(n))
        assert desk.service.mine().proposed == ()
    assert [kata.version.number for kata in desk.service.katas()] == [1]


def test_every_decision_is_in_the_audit_log_with_its_actor(desk: Bench) -> None:
    """K92."""
    desk.learn()
    desk.turn("c9", *five("hotfix/42", "lib/odd_name.rb"))
    desk.service.mine()
    desk.service.review("1", "chat")
    desk.service.approve("1", "deploy", "chat")
    for n in range(3):
        desk.turn(f"d{n}", A, B, C)
    desk.service.mine()
    desk.service.reject("2", "dashboard")
    assert audit(desk) == [
        ("system", "propose", 1, "", "candidate"),
        ("system", "revise", 1, "candidate", "candidate"),
        ("chat", "approve", 1, "candidate", "active"),
        ("system", "propose", 2, "", "candidate"),
        ("dashboard", "reject", 2, "candidate", "rejected"),
    ]
    assert desk.store.audit(3)[2].digest == desk.service.find("1").version.spec.digest


# ── Two of us on one file ────────────────────────────────────────────────────────────────────────


def test_of_two_approvals_one_wins_and_the_other_gets_a_clear_sentence(file: Path) -> None:
    """Design section 10: the second comes while the first is between its checks and its decision."""
    with closing(bench(file)) as one, closing(bench(file)) as other:
        one.learn()
        one.service.review("1", "cli")
        other.service.review("1", "chat")
        door = one.service.door

        def meanwhile(name: str) -> str | None:
            if not other.service.active():
                other.service.approve("1", "theirs", "chat")
            return door.schema(name)

        slow = Service(one.store, Settings(), replace(door, schema=meanwhile))
        with pytest.raises(Refused, match="Kata 1 is active; approve needs it to be candidate"):
            slow.approve("1", "ours", "cli")
        assert [kata.tool for kata in one.service.active()] == ["kata_theirs"]
        assert [row[1] for row in audit(one)] == ["propose", "approve"]


def test_of_many_approvals_at_the_same_time_exactly_one_wins(file: Path) -> None:
    """Design sections 10 and 12."""
    with closing(bench(file)) as first:
        first.learn()
        first.service.review("1", "cli")
    answers: list[object] = []
    start = threading.Barrier(4)

    def approve(name: str) -> None:
        with closing(bench(file)) as desk:
            start.wait(20)
            try:
                answers.append(desk.service.approve("1", name, "cli").tool)
            except Refused as error:
                answers.append(error)

    threads = [threading.Thread(target=approve, args=(f"name{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    won = [one for one in answers if isinstance(one, str)]
    lost = [str(one) for one in answers if isinstance(one, Refused)]
    assert len(won) == 1 and len(lost) == 3
    assert all("Kata 1 is active" in text for text in lost)


def test_an_approval_and_a_rejection_cannot_both_win(file: Path) -> None:
    with closing(bench(file)) as one, closing(bench(file)) as other:
        one.learn()
        one.service.review("1", "cli")
        other.service.reject("1", "chat")
        with pytest.raises(Refused, match="Kata 1 is rejected"):
            one.service.approve("1", "x", "cli")
        assert one.service.active() == ()


def test_an_approval_in_one_process_is_seen_by_the_other_at_once(file: Path) -> None:
    """Design section 12."""
    with closing(bench(file)) as one, closing(bench(file)) as other:
        before = other.store.generation()
        one.approved("deploy")
        assert [kata.tool for kata in other.service.active()] == ["kata_deploy"]
        assert other.store.generation() > before


# ── Announcing ───────────────────────────────────────────────────────────────────────────────────


def test_a_proposal_is_announced_once_and_without_observed_values(desk: Bench) -> None:
    """K12, A1, design section 11."""
    assert desk.service.announcement("cli") is None
    desk.learn()
    line = desk.service.announcement("cli")
    assert line == "Kata: a routine of 5 steps, seen in 3 conversations, could be one tool. Look: hermes kata review 1"
    assert desk.service.announcement("cli") is None and desk.service.announcement("telegram") is None


def test_a_chat_platform_is_told_the_slash_command(desk: Bench) -> None:
    desk.learn()
    line = desk.service.announcement("telegram")
    assert line is not None and line.endswith("/kata review 1")


def test_the_announcement_is_told_once_across_restarts(file: Path) -> None:
    with closing(bench(file)) as one:
        one.learn()
        assert one.service.announcement("cli")
    with closing(bench(file)) as again:
        assert again.service.announcement("cli") is None


# ── Running ──────────────────────────────────────────────────────────────────────────────────────


def answers(*results: Json) -> Callable[[StepCall], Outcome]:
    """A dispatcher that gives these results one after the other."""
    waiting = list(results)
    return lambda asked: Outcome.read(waiting.pop(0))


GOOD = [one.result for one in five("topic-9", "src/new.py")]


def test_a_run_issues_the_calls_and_keeps_a_row_of_every_step(desk: Bench) -> None:
    """K5, K70, K21."""
    kata, asked = desk.approved(), []
    give = answers(*GOOD)

    def dispatch(one: StepCall) -> Outcome:
        asked.append(one.call)
        return give(one)

    trace = desk.service.start(kata, {"branch": "topic-9"}, "run-1", "s1", dispatch)
    assert trace.status is Status.OK
    assert asked == [Call(one.tool, one.arguments) for one in five("topic-9", "src/new.py")]
    (row,) = desk.store.runs(kata.id)
    assert (row.id, row.status, row.tool, row.version, row.digest) == ("run-1", Status.OK, "kata_todo_notes", 1, kata.version.spec.digest)
    assert [step.status for step in row.steps] == [Status.OK] * 5 and row.finished is not None and row.inputs == {"branch": "topic-9"}


def test_a_failed_step_stops_the_run_and_the_row_says_where(desk: Bench) -> None:
    """K75, K60."""
    kata = desk.approved()
    bad = json.dumps({"error": "no such place"})
    trace = desk.service.start(kata, {"branch": "topic-9"}, "run-1", "s1", answers(GOOD[0], bad, bad, *GOOD))
    assert trace.status is Status.ERROR
    (row,) = desk.store.runs()
    assert [step.status for step in row.steps] == [Status.OK, Status.ERROR, Status.SKIPPED, Status.SKIPPED, Status.SKIPPED]
    assert row.status is Status.ERROR and "no such place" in row.steps[1].reason


def test_a_step_with_an_effect_is_written_down_before_it_is_done(desk: Bench) -> None:
    """Design section 8: after a crash the trace says unknown, never "not done"."""
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


def test_arguments_that_do_not_fit_start_nothing(desk: Bench) -> None:
    """K69."""
    kata = desk.approved()
    for wrong in ({}, {"branch": 3}, {"branch": "x", "other": "y"}):
        with pytest.raises(InputError):
            desk.service.start(kata, wrong, "run-1", "s1", answers())
    assert desk.store.runs() == ()


def test_a_secret_in_a_run_reaches_the_tool_and_not_the_file(desk: Bench) -> None:
    token = "ghp_" + "Tg5bN6hY7u" * 3 + "Jm8kI9"
    kata, sent = desk.approved(), []

    def dispatch(one: StepCall) -> Outcome:
        sent.append(json.dumps(dict(one.call.arguments)))
        return Outcome.read(json.dumps({"error": f"denied for {token}"}))

    desk.service.start(kata, {"branch": token}, "run-1", "s1", dispatch)
    assert token in sent[0] and token not in repr(desk.store.runs())


def test_an_answer_that_is_not_json_ends_no_run_without_its_trace(desk: Bench) -> None:
    """B46, design section 8: what already ran must reach the agent."""
    kata = desk.approved()
    trace = desk.service.start(kata, {"branch": "topic-9"}, "run-1", "s1", lambda one: Outcome(Status.OK, b"\xff raw"))
    assert isinstance(trace, Trace)


def test_the_question_lists_every_step_with_its_command_and_the_revision(desk: Bench) -> None:
    """K80, A24, B26: what is known is filled in, what comes later has its mark."""
    kata = desk.approved()
    text = desk.service.question(kata, {"branch": "topic-9"})
    lines = text.split("\n")
    assert lines[0] == "kata_todo_notes runs 5 steps:" and len(lines) == 7
    assert lines[1].endswith(": git checkout topic-9") and lines[4].endswith(": wc -l ‹step 2 · matches.0.path›")
    assert kata.version.spec.digest[:12] in lines[6]


def test_the_question_shows_a_hostile_value_without_its_control_characters(desk: Bench) -> None:
    """W10, B46."""
    text = desk.service.question(desk.approved(), {"branch": "x\x1b[2J\n9. read: harmless\u202e"})
    assert all(line.isprintable() for line in text.split("\n")) and len(text.split("\n")) == 8
    assert "Unlike the examples: step " in text, "the line more than a usual value gives"


def test_the_question_hides_no_part_of_a_long_command(desk: Bench) -> None:
    """B26: one yes covers no more than was shown."""
    long = "echo " + " ".join(f"word{n}" for n in range(40)) + " && rm -rf build"
    step = Step("terminal", Object((("command", Literal(long)),)), Effect(Class.UNKNOWN, True, "removes"), "")
    kata = desk.store.propose(proposal([step]), 1.0)
    assert kata is not None and "rm -rf build" in desk.service.question(kata, {})


# ── In words ─────────────────────────────────────────────────────────────────────────────────────


def test_a_call_in_words_is_one_printable_line() -> None:
    """B46, W10."""
    for text in ("a\nb", "\x1b[31mred\x1b[0m", "\ud835", "a\tb", "\u202eabc", "x" * 500):
        for call in (Call("terminal", {"command": text}), Call("write_file", {"path": text, "content": text}), Call("odd", {text: 1})):
            line = brief(call)
            assert line.isprintable() and len(line) <= 160


def test_a_step_in_words_is_printable_whatever_its_names() -> None:
    """W10: an argument's name is observed text too."""
    for text in ("a\nb", "\x1b[31mred", "\ud835", "\u202eabc"):
        for step in (
            Step("terminal", Object((("command", Literal("ls")), (text, Literal(text)))), Effect(Class.READ)),
            Step("odd", Object(((text, Literal(text)),)), Effect(Class.READ)),
        ):
            assert templated(step).isprintable()


def test_the_law_of_names_holds_for_whatever_is_typed(desk: Bench) -> None:
    kata = desk.learn()

    @given(st.text(max_size=70))
    @settings(max_examples=100)
    def law(name: str) -> None:
        try:
            wanted = desk.service.chosen(name, kata)
        except Refused:
            return
        assert wanted not in RESERVED and len(wanted) <= 59 and wanted.isascii() and wanted[0].islower()
        assert wanted == name.removeprefix("kata_")

    law()


def test_a_line_break_in_a_command_is_shown_because_it_separates_commands() -> None:
    """B26, K18: `rm -rf a` and a second line must not look like `rm -rf a touch b`."""
    plain, broken = ({"command": f"rm -rf a{gap}touch b"} for gap in (" ", "\n"))
    assert brief(Call("terminal", plain)) != brief(Call("terminal", broken))
    first, second = (Step("terminal", Object((("command", Literal(one["command"])),)), Effect(Class.READ)) for one in (plain, broken))
    assert templated(first) != templated(second)


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


def test_an_active_row_without_an_approval_in_the_audit_log_is_no_tool(desk: Bench, tmp_path: Path) -> None:
    """T42: a planted or emptied log."""
    desk.approved()
    assert len(desk.service.active()) == 1
    desk.store._change("DELETE FROM audit WHERE verb = 'approve'")
    assert desk.service.active() == ()


def test_a_disabled_kata_is_no_tool_until_it_is_enabled(desk: Bench) -> None:
    """K87."""
    desk.approved("deploy")
    assert desk.service.disable("deploy", "cli").state is State.DISABLED and desk.service.active() == ()
    with pytest.raises(Refused):
        desk.service.disable("deploy", "cli")
    assert desk.service.enable("kata_deploy", "cli").state is State.ACTIVE and len(desk.service.active()) == 1
    assert [row.verb for row in desk.store.audit(2)] == ["enable", "disable"]


# ── Settings that change what is kept and learnt ─────────────────────────────────────────────────


def test_without_results_no_result_is_kept_and_the_call_is(desk: Bench) -> None:
    lean = Service(desk.store, Settings(keep_results=False), desk.service.door)
    lean.record(
        [TurnStart("t1", "s1", "c1", "cli", "person", NOW), *events("t1", [sh("git status", "secret text")]), TurnEnd("t1", NOW + 9)]
    )
    (event,) = desk.store.turn("t1").events  # type: ignore[union-attr]
    assert event.outcome.ok and event.outcome.result is None and event.call.arguments == {"command": "git status"}


@pytest.mark.parametrize("who", ["cron", "subagent", "group"])
def test_other_callers_count_where_the_owner_says_so(desk: Bench, who: str) -> None:
    """A2: `learn_from`."""
    wide = Service(desk.store, Settings(learn_from=(who,)), desk.service.door)
    for n in range(3):
        start = TurnStart(f"t{n}", f"s{n}", f"c{n}", who, who, NOW)
        wide.record([start, *events(f"t{n}", routine(n)), TurnEnd(f"t{n}", NOW + 9)])
    assert len(wide.mine().proposed) == 1


def test_only_one_process_mines_and_a_dead_one_does_not_hold_the_others_up(desk: Bench) -> None:
    """Design section 12."""
    for n in range(3):
        desk.turn(f"c{n}", *routine(n))
    assert desk.store.lease("7:100", lambda owner: True)
    busy = Service(desk.store, Settings(), replace(desk.service.door, owner="8:100", alive=lambda owner: owner == "7:100"))
    assert busy.mine().turns == 0 and len(desk.store.dirty()) == 3
    free = Service(desk.store, Settings(), replace(desk.service.door, owner="8:100", alive=lambda owner: False))
    assert free.mine().turns == 3 and desk.store.dirty() == ()
    assert desk.store.lease("9:1", lambda owner: True)


def test_a_pause_holds_for_every_process_until_it_is_lifted(desk: Bench) -> None:
    """K99."""
    other = Service(desk.store, Settings(), desk.service.door)
    desk.service.pause(True)
    assert other.paused
    other.pause(False)
    assert not desk.service.paused


def test_what_is_older_than_the_owner_wants_is_forgotten_once_an_hour() -> None:
    """K98: 30 days; the routine's own examples live with its version (A31)."""
    now = [NOW]
    with closing(bench(clock=lambda: now[0])) as desk:
        kata = desk.learn()
        now[0] = NOW + 29 * 86_400
        desk.service.tidy()
        assert desk.store.facts()["turns"] == 3
        now[0] = NOW + 32 * 86_400
        assert desk.service.tidy() == 3 and desk.store.facts()["turns"] == 0
        assert desk.service.find(str(kata.id)).version.exhibits == kata.version.exhibits
        assert desk.service.tidy() == 0


def test_what_an_older_masker_let_through_is_masked_when_a_newer_one_comes(desk: Bench) -> None:
    """Design section 4: rows carry the masker's version."""
    secret = "".join(("hunter", "7", "Qz", "Lm", "44"))
    done = events(
        "t1", [tool("login", {"echo": f"password={secret}"}, password=secret), sh(f"curl -H 'X-Api-Key: {secret}' https://example.org")]
    )
    desk.store.add([TurnStart("t1", "s1", "c1", "cli", "person", NOW, f"my password is {secret}"), *done, TurnEnd("t1", NOW + 9)])
    assert secret in str(desk.store.turn("t1"))
    assert desk.service.remask() == 1 and desk.service.remask() == 0
    assert secret not in str(desk.store.turn("t1"))
    assert [event.call.tool for event in desk.store.turn("t1").events] == ["login", "terminal"]  # type: ignore[union-attr]
    desk.turn("c2", A, B)
    assert desk.service.remask() == 0


# ── Stopping and going on ────────────────────────────────────────────────────────────────────────


def half(desk: Bench, run_id: str = "run-1") -> None:
    """A run that failed at its fourth step."""
    kata = desk.approved()
    bad = {"output": "no", "exit_code": 1, "error": None}
    desk.service.start(kata, {"branch": "topic-9"}, run_id, "s1", answers(*GOOD[:3], bad, bad, *GOOD), "/srv")


def test_a_running_kata_is_stopped_by_its_run_or_by_its_name(desk: Bench) -> None:
    """T60: only while its process lives."""
    kata = desk.approved("deploy")
    told: list[str] = []
    waiting = answers(*GOOD)
    desk.service.door = replace(desk.service.door, owner="7:1", alive=lambda owner: owner == "7:1")

    def dispatch(asked: StepCall) -> Outcome:
        if asked.index == 1:
            told.extend((desk.service.stop("deploy").id, desk.service.stop("kata_deploy").id, desk.service.stop("run-1").id))
        return waiting(asked)

    trace = desk.service.start(kata, {"branch": "topic-9"}, "run-1", "s1", dispatch)
    assert told == ["run-1"] * 3 and desk.service.running() == ()
    assert [step.status for step in trace.steps] == [Status.OK, Status.OK, Status.INTERRUPTED, Status.SKIPPED, Status.SKIPPED]
    assert trace.steps[2].attempts == 0 and "a person stopped the run" in trace.reason


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("run-1", r"Run run-1 is over \(error\)"),
        ("run-9", "There is no run 'run-9', and no kata of that name is running"),
        ("todo_notes", "There is no run 'todo_notes', and no kata of that name is running"),
    ],
)
def test_what_does_not_run_is_not_stopped(desk: Bench, word: str, reason: str) -> None:
    half(desk)
    with pytest.raises(Refused, match=reason):
        desk.service.stop(word)


def test_a_run_whose_process_is_gone_is_not_stopped_but_said_to_be_unknown(desk: Bench) -> None:
    """T66."""
    kata = desk.approved()

    def crash(asked: StepCall) -> Outcome:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        desk.service.start(kata, {"branch": "topic-9"}, "run-1", "s1", crash)
    with pytest.raises(Refused, match="its process is gone, and what its last step did is not known"):
        desk.service.stop("run-1")
    desk.service.door = replace(desk.service.door, alive=lambda owner: True)
    with pytest.raises(Refused, match="may still be running"):
        desk.service.left("run-1")


def test_a_stopped_run_goes_on_for_its_own_conversation_and_for_a_person(desk: Bench) -> None:
    """A21."""
    half(desk)
    assert desk.service.left("run-1", session="s1").at == desk.service.left("run-1").at == 3
    with pytest.raises(Refused, match="belongs to another conversation; a person can resume it: hermes kata resume run-1"):
        desk.service.left("run-1", session="s2")
    rest = desk.service.left("run-1")
    trace = desk.service.resume(rest, "run-2", "s1", answers(*GOOD[3:]))
    assert trace.status is Status.OK and [step.result for step in trace.steps[3:]] == [json.loads(text) for text in GOOD[3:]]
    row = desk.store.run("run-2")
    assert row is not None and (row.resumes, row.folder, len(row.steps), row.inputs) == ("run-1", "/srv", 5, {"branch": "topic-9"})
    with pytest.raises(Refused, match="resumed already, as run run-2; nothing was run"):
        desk.service.resume(rest, "run-3", "s1", answers())


def test_the_question_before_a_run_goes_on_holds_no_supplied_value(desk: Bench) -> None:
    half(desk)
    rest = desk.service.left("run-1")
    assert "goes on with run run-1 at step 4 of 5" in desk.service.remainder(rest)
    hidden = replace(rest, supplied={"branch": "topic-9"})
    assert "topic-9" in desk.service.remainder(rest) and "topic-9" not in desk.service.remainder(hidden)


def test_a_step_that_would_address_kata_with_its_values_is_refused(desk: Bench) -> None:
    """A4: what a value makes of it counts."""
    kata = desk.approved()
    trace = desk.service.start(kata, {"branch": "plugins/kata"}, "run-1", "s1", answers(*GOOD))
    assert trace.status is Status.REFUSED and "addresses Kata itself" in trace.reason


def test_supplied_values_are_hidden_wherever_they_stand() -> None:
    """Issue 6: whatever they look like, also inside others; a short number only where it is the whole value."""
    masker = Discreet(["ab", {"k": "long value"}, 12345, 7, None])
    assert masker.text("xabx 12345 7") == f"x{SUPPLIED}x {SUPPLIED} 7"
    shown = masker.value({"a": ["long value", 7, 12345, None, True, "z7"], "ab": 1})
    assert shown == {"a": [SUPPLIED, SUPPLIED, SUPPLIED, None, True, "z7"], SUPPLIED: 1}
    secret = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    assert secret not in masker.text(f"token {secret}") and secret not in str(masker.value({"a": f"token {secret}"}))
    nest: list[Json] = []
    for _ in range(3_000):
        nest = [nest]
    assert masker.value(nest) == "[a value that is nested too deeply to be kept]"


def test_what_a_call_shows_to_be_a_secret_is_hidden_and_nothing_else() -> None:
    """A value that the masker changes by itself stays as it makes it; one inside a longer secret is none."""
    masker, inputs = Discreet(), {"name": "client_secret", "value": "lantern-of-tin", "env": "lantern", "count": 4_417, "on": True}
    call = {"command": "put --set client_secret=lantern-of-tin --env lantern -n 4417"}
    for _ in range(2):
        masker.heed(call, inputs)
        assert masker.value(inputs) == {**inputs, "value": SUPPLIED}
    assert masker.text("got lantern-of-tin in lantern") == f"got {SUPPLIED} in lantern"
    number = Discreet()
    number.heed({"command": "login --password 44170"}, {"pin": 44_170})
    assert number.value({"pin": 44_170, "text": "44170"}) == {"pin": SUPPLIED, "text": SUPPLIED}
    plain = Discreet()
    plain.heed({"command": "git push origin main"}, {"branch": "main"})
    assert plain.value({"branch": "main"}) == {"branch": "main"}


# ── Versions, names, rejections ──────────────────────────────────────────────────────────────────

OTHER = "f" * 16


def at_work(one: Bench, name: str, done: Sequence[Did], schemas: Mapping[str, str] | None = None) -> None:
    """One turn of a conversation of its own, at the time that the clock shows now."""
    at = one.service.door.clock()
    rows = [replace(row, schema=(schemas or {}).get(row.call.tool, row.schema)) for row in events(name, done, at)]
    one.service.record([TurnStart(name, f"s-{name}", name, "cli", "person", at, "please"), *rows, TurnEnd(name, at + 60)])
    one.service.mine()


def in_lib(number: int) -> tuple[Did, ...]:
    """The routine as it is done from now on: another folder is searched."""
    first, _, *rest = routine(number)
    hit = {"total": 1, "matches": [{"path": FILES[number % len(FILES)], "line": 3}]}
    return first, tool("search_files", hit, pattern="FIXME", path="lib"), *rest


def stale(one: Bench) -> Kata:
    """An active kata whose routine was done in another way in three conversations."""
    one.approved()
    for number in range(3):
        at_work(one, f"n{number}", in_lib(number))
    return one.service.find("1")


def test_rollback_takes_an_earlier_approved_version_after_every_check(desk: Bench) -> None:
    """K91, A30, T62: and forward again, each in the log with both numbers."""
    first = desk.approved()
    revised = stale_and_approved(desk)
    back = desk.service.rollback("1", 1, "chat")
    assert (back.state, back.version.number, back.version.spec) == (State.ACTIVE, 1, first.version.spec)
    row = desk.store.audit(1)[0]
    assert (row.verb, row.digest, row.detail) == ("rollback", first.version.spec.digest, f"from version {revised.version.number} to 1")
    assert [one.number for one in desk.service.versions(back)] == [revised.version.number, 1], "K89"
    assert desk.service.rollback("1", revised.version.number, "chat").version == revised.version


def stale_and_approved(one: Bench) -> Kata:
    """The revision of a stale kata, approved."""
    for number in range(3):
        at_work(one, f"n{number}", in_lib(number))
    one.service.review("1", "cli")
    return one.service.approve("1", "", "cli")


@pytest.mark.parametrize(
    ("number", "words"), [(9, "has no version 9; it has 1, 2"), (2, "Version 2 of kata 1 was never approved; approved: 1")]
)
def test_a_version_that_nobody_approved_is_no_way_back(desk: Bench, number: int, words: str) -> None:
    """A30."""
    desk.approved()
    for n in range(2):
        at_work(desk, f"n{n}", in_lib(n))
    assert desk.service.find("1").version.number == 2, "prepared, not approved"
    with pytest.raises(Refused, match=words):
        desk.service.rollback("1", number, "cli")


def test_a_rollback_that_fails_a_check_changes_nothing(desk: Bench) -> None:
    """A30: the result must pass K65."""
    stale_one = (desk.approved(), stale_and_approved(desk))[1]
    desk.schemas["read_file"] = OTHER
    with pytest.raises(Refused, match="Version 1 of kata 1 does not pass every check any more: tools_available"):
        desk.service.rollback("1", 1, "cli")
    assert desk.service.find("1") == stale_one


def test_a_new_name_is_checked_like_the_first(desk: Bench) -> None:
    desk.approved("deploy")
    assert desk.service.rename("deploy", "kata_ship", "cli").tool == "kata_ship"
    assert [one.tool for one in desk.service.active()] == ["kata_ship"], "still what was approved"
    for name, words in (("ship", "has that name already"), ("list", "is a command"), ("A b", "Expected a name")):
        with pytest.raises(Refused, match=words):
            desk.service.rename("ship", name, "cli")


def test_of_two_renames_at_once_each_logs_the_name_that_was(desk: Bench) -> None:
    """T66: what the log says is read where it is written, not before."""
    kata = desk.approved("deploy")
    here = {"before": (State.ACTIVE,), "after": State.ACTIVE, "digest": kata.version.spec.digest, "actor": "cli", "verb": "rename"}
    for name in ("ship", "send"):
        desk.store.transition(kata.id, **here, name=name, now=9.0)  # type: ignore[arg-type]
    assert [row.detail for row in desk.store.audit(2)] == ["from ship to send", "from deploy to ship"]


def test_forget_lifts_a_rejection(desk: Bench) -> None:
    """A29, T68: it is proposed again, under its number."""
    desk.learn()
    desk.service.reject("1", "cli")
    assert desk.service.forget("1", "cli").state is State.CANDIDATE
    desk.service.mine()
    assert [one.id for one in desk.service.katas()] == [1]


def test_a_rejection_holds_when_calls_are_spelled_otherwise(desk: Bench) -> None:
    """A29, issue 6: fingerprints are made anew from the examples when the parser changes."""
    before = desk.learn().fingerprint
    desk.service.reject("1", "cli")
    assert desk.service.respell(number=SPELLING) == 0, "as long as nothing changed"
    changed = desk.service.respell(lambda one: tuple(f"v2 {key}" for key in miner.spelled(one)), SPELLING + 1)
    kata = desk.store.kata(1)
    assert changed == 1 and kata is not None and kata.state is State.REJECTED and kata.fingerprint != before
    assert desk.store.decided(kata.fingerprint) and not desk.store.decided(before)
    assert desk.store.noted("spelling") == str(SPELLING + 1) and desk.store.dirty(), "every turn is counted anew"
    assert desk.service.respell(number=SPELLING) == 0, "an older plugin does not turn it back"


def looping(number: int) -> tuple[Did, ...]:
    """A routine with a loop, which the parser called opaque when keys were first spelled."""
    branch = BRANCHES[number]
    return sh(f"git checkout {branch}"), sh("for f in docs/*.md; do wc -l $f; done", "3 docs/a.md"), sh(f"git push -u origin {branch}")


def spelled_at_first(example: Example) -> tuple[str, ...]:
    """The keys of `looping` as they were with spelling 1."""
    first, loop, last = example.calls
    code = str(loop.arguments["command"])
    return miner.key(first), f"terminal(command): ={hashlib.sha256(code.encode()).hexdigest()[:16]}", miner.key(last)


def test_what_was_rejected_when_loops_were_opaque_stays_rejected(desk: Bench) -> None:
    """Issue 8: the parser reads more now, and the file is brought to its spelling before anything is mined."""
    today = desk.learn(make=looping).fingerprint
    desk.service.reject("1", "cli")
    desk.store.respell(spelled_at_first, lambda keys: (miner.fingerprint(keys), miner.window_id(keys)))
    desk.store.note("spelling", "1")
    before = desk.store.kata(1)
    assert before is not None and before.fingerprint != today
    assert desk.service.respell() == 1
    desk.turn("c8", *looping(4))
    assert desk.service.mine().proposed == ()
    kata = desk.store.kata(1)
    assert kata is not None and (kata.state, kata.fingerprint) == (State.REJECTED, today) and desk.store.kata(2) is None


def test_another_spelling_of_calls_has_another_number() -> None:
    """A29: whoever changes how calls are spelled raises SPELLING, else what was rejected comes back."""
    calls = [
        Call("terminal", {"command": "cd a && git log --oneline -n 3 | head -2 > out.txt"}),
        Call("terminal", {"command": "for f in *; do echo $f; done"}),
        Call("read_file", {"path": "x", "limit": 3}),
        Call("mcp_notes_add", {"title": "a", "tags": ["b"]}),
    ]
    told = hashlib.sha256("\n".join(map(miner.key, calls)).encode()).hexdigest()[:12]
    assert (SPELLING, told) == (2, "a6b102c602c3")


# ── Destroying ───────────────────────────────────────────────────────────────────────────────────


def removing(number: int) -> tuple[Did, ...]:
    return sh(f"git checkout {BRANCHES[number]}", "Switched"), sh(f"git branch -D {BRANCHES[number]}", "Deleted")


@pytest.mark.parametrize("confirm", ["", "yes", "Tidy_up", "tidy", "kata_other"])
def test_what_destroys_is_approved_with_its_name_typed_twice(desk: Bench, confirm: str) -> None:
    """T44: by its name, with or without the prefix, and nothing else."""
    desk.learn(3, removing)
    desk.service.review("1", "cli")
    with pytest.raises(Unconfirmed, match=r"Step 2 of kata 1 can destroy something.*approve 1 as tidy_up confirm tidy_up"):
        desk.service.approve("1", "tidy_up", "cli", "", confirm)
    assert desk.service.active() == ()
    assert desk.service.approve("1", "tidy_up", "cli", "", "kata_tidy_up").state is State.ACTIVE


# ── Stale and suspended ──────────────────────────────────────────────────────────────────────────


def test_two_conversations_in_a_row_done_in_another_way_make_it_stale(desk: Bench) -> None:
    """A27, K85: one is a note; a fitting one in between begins anew; what came before the approval does not count."""
    kata = desk.approved()
    desk.turn("c9", *in_lib(3))
    desk.service.mine()
    at_work(desk, "n0", in_lib(0))
    assert "once more, and the kata is stale" in desk.service.noticed(desk.service.find("1"))
    at_work(desk, "n1", routine(1))
    assert desk.service.noticed(desk.service.find("1")) == ""
    at_work(desk, "n2", in_lib(2))
    assert desk.service.find("1").state is State.ACTIVE
    at_work(desk, "n3", in_lib(3))
    found = desk.service.find("1")
    assert found.state is State.STALE and desk.service.active() == () and found.id == kata.id
    assert desk.store.why(1) == "in 2 conversations in a row it was done by hand in another way"


def test_a_stale_kata_waits_with_a_revision_that_a_person_approves(desk: Bench) -> None:
    """K85, T64: prepared from the manual runs, never in use by itself, and the older version stays the standing one."""
    kata = stale(desk)
    assert kata.state is State.STALE and kata.version.number > 1 and kata.version.approved is None
    standing = desk.service.standing(kata)
    assert standing is not None and standing.number == 1
    assert all(reproduces(kata.version.spec, one) for one in kata.version.exhibits)
    ways = r"Nobody approved version .* of kata 1 yet: 'review 1', then 'approve 1'; or 'rollback todo_notes 1'"
    with pytest.raises(Refused, match=ways):
        desk.service.enable("1", "cli")
    desk.service.review("1", "cli")
    after = desk.service.approve("1", "", "cli")
    assert (after.state, after.tool, after.version.spec) == (State.ACTIVE, "kata_todo_notes", kata.version.spec)
    assert desk.service.standing(after) is None


def test_a_revision_from_two_conversations_can_be_approved_and_says_that_none_was_held_out(desk: Bench) -> None:
    """A27 and K58: two in a row are what makes it stale, so two are enough to show how it is done now; a third is not asked for."""
    desk.approved()
    for number in range(2):
        at_work(desk, f"n{number}", in_lib(number))
    kata = desk.service.find("1")
    assert kata.state is State.STALE and {one.conversation for one in kata.version.exhibits} == {"n0", "n1"}
    held = next(check for check in kata.version.checks if check.name == "holdout_fit")
    assert held.passed and held.reason.endswith("none could be held out: look closely")
    page = " ".join(run(desk.service, ["review", "1"], "cli").text.split())
    assert "12 of 12 checks passed; how it is done now was seen in 2 conversations, so none could be held out: look closely" in page
    assert desk.service.approve("1", "", "cli").version.spec == kata.version.spec


def test_a_tool_that_changed_makes_it_stale_and_one_that_is_missing_here_does_not(desk: Bench) -> None:
    """A18, K85: by what an agent process saw last."""
    desk.approved()
    desk.schemas["read_file"] = None
    desk.service.tend()
    assert desk.service.drifted(desk.service.find("1"), {"read_file": None}) == "" and desk.service.active() != ()
    at_work(desk, "x", [tool("read_file", path="a"), tool("web_search", query="b")], {"read_file": OTHER})
    assert desk.service.find("1").state is State.STALE and "the schema of read_file has changed" in desk.store.why(1)
    assert desk.service.active() == ()


def test_a_revision_for_a_changed_tool_is_the_same_calls_where_they_suit_it(desk: Bench) -> None:
    """K85, A18: a newly required argument that every recorded call gave."""
    old = {"type": "object", "properties": {"path": {"type": "string"}}}
    desk.service.record([SchemaSeen(SCHEMA, "read_file", old), SchemaSeen(OTHER, "read_file", {**old, "required": ["path"]})])
    desk.approved()
    desk.schemas["read_file"] = OTHER
    at_work(desk, "x", [tool("read_file", path="a"), tool("web_search", query="b")], {"read_file": OTHER})
    kata = desk.service.find("1")
    assert kata.state is State.STALE and kata.version.number == 2 and all(check.passed for check in kata.version.checks)
    desk.service.review("1", "cli")
    assert desk.service.approve("1", "", "cli").state is State.ACTIVE
    desk.service.tend()
    assert desk.service.active() != (), "its tools are those of today"


def test_a_changed_tool_that_the_calls_do_not_suit_has_no_revision(desk: Bench) -> None:
    old = {"type": "object", "properties": {"path": {"type": "string"}}}
    new = {"type": "object", "properties": {"file": {"type": "string"}}, "required": ["file"]}
    desk.service.record([SchemaSeen(SCHEMA, "read_file", old), SchemaSeen(OTHER, "read_file", new)])
    desk.approved()
    assert "the schema of read_file has changed" in desk.service.drifted(desk.service.find("1"), {"read_file": OTHER})
    desk.service.tend()
    kata = desk.service.find("1")
    assert kata.state is State.STALE and kata.version.number == 1
    assert desk.service.enable("1", "cli").state is State.ACTIVE, "when the tool is as before again"


def fails(one: Bench, run: str, status: Status = Status.ERROR) -> None:
    one.service.start(one.service.find("1"), {"branch": "b"}, run, "s", lambda asked: Outcome(status, {"error": "no"}, "no"))


def test_three_failed_runs_in_a_row_suspend_it_and_enable_brings_it_back(desk: Bench) -> None:
    """A28, K86: a refusal neither counts nor ends the row, a success ends it, and after enable it counts anew."""
    desk.approved()
    good = [one.result for one in five("b", "src/x.py")]
    for n, status in enumerate((Status.ERROR, Status.TIMEOUT, Status.REFUSED)):
        fails(desk, f"a{n}", status)
    desk.service.start(desk.service.find("1"), {"branch": "b"}, "ok", "s", answers(*good))
    for n in range(2):
        fails(desk, f"b{n}")
    fails(desk, "b2", Status.REFUSED)
    assert desk.service.find("1").state is State.ACTIVE
    fails(desk, "b3")
    kata = desk.service.find("1")
    assert kata.state is State.SUSPENDED and desk.service.active() == ()
    assert desk.store.why(1) == "3 runs in a row failed; 'runs todo_notes' shows them"
    assert desk.store.audit(1)[0].actor == "system"
    desk.service.enable("1", "cli")
    for n in range(2):
        fails(desk, f"c{n}")
    assert desk.service.find("1").state is State.ACTIVE


# ── Erasing ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("kind", "word", "turns", "katas"),
    [
        ("conversation", "c1", 1, 0),
        ("conversation", "s-c1", 1, 0),
        ("tool", "search_files", 3, 1),
        ("path", "src/auth", 1, 0),
        ("path", "notes/todo.md", 3, 1),
        ("text", "FEATURE/LOGIN", 1, 0),
        ("text", "nowhere", 0, 0),
    ],
)
def test_purge_lists_and_then_erases_everything_that_holds_it(desk: Bench, kind: str, word: str, turns: int, katas: int) -> None:
    """Issue 6, K98: turns with their support, examples, runs and near misses; a kata whose steps hold it goes whole."""
    kata = desk.approved()
    desk.service.start(kata, {"branch": "feature/login"}, "r1", "s-c1", answers(*[one.result for one in five("feature/login", "src/x")]))
    listed = desk.service.erasable(kind, word)
    assert (listed.turns, len(listed.katas)) == (turns, katas) and desk.store.facts()["turns"] == 3, "listing erases nothing"
    assert desk.service.purge(kind, word, "cli") == listed
    left = desk.service.erasable(kind, word)
    assert (left.turns, left.runs, left.near, left.examples, left.katas) == (0, 0, 0, 0, ())
    assert desk.store.facts()["turns"] == 3 - turns and desk.store.proven()[1] == 0
    found = desk.store.kata(1)
    assert (found is None) == bool(katas)
    if found is not None:
        assert len(found.version.exhibits) == 3 - turns and found.version.spec.digest == kata.version.spec.digest
        assert (desk.store.run("r1") is None) == (kind == "conversation" or kind == "text" and turns == 1)


def test_what_was_purged_stands_nowhere_in_the_file(file: Path) -> None:
    """Supports, examples, values of inputs, runs, messages: every value of every row, unpacked, and every byte."""
    word = "zebrafish"
    one = bench(file)
    for n in range(3):
        one.turn(f"c{n}", *five(word if n == 1 else BRANCHES[n], f"src/{word}/x.py" if n == 1 else FILES[n]), message=f"about {word}")
        one.service.mine()
    one.service.review("1", "cli")
    kata = one.service.approve("1", "notes", "cli")
    one.service.start(kata, {"branch": word}, "r1", "s", answers(*[step.result for step in five(word, "src/x")]))
    assert word.encode() in opened(file)
    one.service.purge("text", word, "cli")
    one.close()
    assert word.encode() not in opened(file) and word.encode() not in raw(file)


def test_cleanup_leaves_no_file(tmp_path: Path) -> None:
    """T67: and another process that has it open begins a new one."""
    folder = tmp_path / "kata"
    folder.mkdir()
    one, other = (bench(folder / "kata.db") for _ in range(2))
    with closing(one), closing(other):
        one.approved()
        assert other.service.active() != ()
        assert str(folder / "kata.db") in one.service.cleanup()
        assert not folder.exists() or [*folder.iterdir()] == []
        folder.mkdir(exist_ok=True)
        assert other.service.active() == () and other.store.facts()["calls"] == 0


# ── Near misses ──────────────────────────────────────────────────────────────────────────────────


def test_the_one_conversation_that_keeps_a_routine_back_is_named(desk: Bench) -> None:
    """K54, issue 6: its odd step, how the others do it, and how many more it takes."""
    for n in range(3):
        desk.turn(f"c{n}", *(routine(n) if n < 2 else in_lib(n)))
        desk.service.mine()
    (miss,) = [one for one in desk.service.near() if len(one.keys) == 5]
    odd = desk.service.odd(miss)
    assert odd is not None and (odd.conversation, odd.step, odd.more) == ("c2", 2, 1)
    assert "pattern=FIXME" in odd.was and odd.others == "search_files pattern=TODO, path=src"


def test_of_many_verbs_at_the_same_time_each_finds_what_the_one_before_left(file: Path) -> None:
    """Design section 10, T65: four services on one file; the log is one unbroken walk through the table."""
    with closing(bench(file)) as first:
        first.approved()
    desks = [bench(file) for _ in range(4)]
    ready = threading.Barrier(4)

    def decide(one: Bench, verb: str) -> None:
        ready.wait()
        for _ in range(6):
            with suppress(Refused):
                getattr(one.service, verb)("1", verb)

    verbs = ("disable", "enable", "disable", "enable")
    threads = [threading.Thread(target=decide, args=pair) for pair in zip(desks, verbs, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    rows = [row for row in reversed(desks[0].store.audit(200)) if row.kata == 1][1:]
    assert all(one.after == other.before for one, other in pairwise(rows)) and len(rows) >= 2  # approved, and at least one won
    assert all(TABLE[row.verb][State(row.before)] == row.after for row in rows) and desks[0].store.proven()[1] == 0
    for one in desks:
        one.close()


# ── Learnt checks ────────────────────────────────────────────────────────────────────────────────


def full(kata: Kata) -> str:
    """The name of the check that the search found something."""
    return next(name for name, text in checks.listed(1, kata.version.spec.steps[1].traits) if text == "'matches' is not empty")


def nothing_found(asked: StepCall) -> Outcome:
    """The tools as in the examples, but the search succeeds and finds nothing."""
    return Outcome.read(json.dumps({"total": 0, "matches": []}) if asked.index == 1 else routine(0)[asked.index].result)


def test_an_answer_unlike_that_of_every_example_stops_the_run_before_the_next_effect(desk: Bench) -> None:
    """T50: the search succeeded, and nothing was written; the run says which check, what was expected and what came."""
    asked: list[int] = []
    live = desk.approved()

    def tools(one: StepCall) -> Outcome:
        asked.append(one.index)
        return nothing_found(one)

    trace = desk.service.start(live, {one.name: "x" for one in live.version.spec.inputs}, "r1", "s1", tools)
    assert asked == [0, 1] and trace.status is Status.ERROR
    assert trace.reason.endswith(": expected that 'matches' is not empty, got an empty list")
    kept = desk.store.run("r1")
    assert kept is not None and [step.status.value for step in kept.steps] == ["ok", "error", "skipped", "skipped", "skipped"]
    assert kept.reason == trace.reason and kept.steps[1].odd == trace.reason


def test_a_relaxed_check_is_the_next_version_in_use_and_does_not_stop_a_run(desk: Bench) -> None:
    """T50: a person relaxes one; it is checked again, written down as the person's decision, and the rest still counts."""
    live = desk.approved()
    name = full(live)
    loose = desk.service.relax("todo_notes", name, "cli")
    assert (loose.version.number, loose.state) == (live.version.number + 1, State.ACTIVE)
    assert loose.version.spec.digest != live.version.spec.digest and desk.service.active() == (loose,)
    assert [(row.actor, row.verb, row.detail) for row in desk.store.audit(1)] == [("cli", "relax", f"check {name}")]
    trace = desk.service.start(loose, {one.name: "x" for one in loose.version.spec.inputs}, "r1", "s1", nothing_found)
    assert trace.status is Status.REFUSED and "matches.0.path" in trace.reason
    with pytest.raises(Refused, match=f"Check {name} of kata 1 is relaxed already"):
        desk.service.relax("1", name, "cli")
    with pytest.raises(Refused, match="Kata 1 has no check '9z'; it has 1a, "):
        desk.service.relax("1", "9z", "cli")


def test_a_relaxed_proposal_waits_for_its_approval_and_stays_relaxed_when_more_is_learnt(desk: Bench) -> None:
    """The revision that a person looked at is another one then; new evidence does not bring the check back."""
    name = full(desk.learn())
    desk.service.review("1", "cli")
    loose = desk.service.relax("1", name, "cli")
    assert loose.state is State.CANDIDATE and not desk.store.approved(1, loose.version.spec.digest)
    with pytest.raises(Unseen):
        desk.service.approve("1", "note_todo", "cli")
    desk.turn("c3", *routine(3))
    desk.service.mine()
    (again,) = desk.service.katas()
    assert again.version.fit.support == 4
    assert [said(one) for one in again.version.spec.steps[1].traits if one.relaxed] == ["'matches' is not empty"]
