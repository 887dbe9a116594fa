"""What a round of mining brings: proposals, near misses, once and in order, on real SQLite."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import BRANCHES, FILES, NOW, SCHEMA, Bench, Did, aged, audit, bench, events, failed, five, routine, sh, tool

from kata.door import Dispatch
from kata.model import Json, Outcome, Refused, SchemaSeen, Spec, State, StepCall, Trace, TurnEnd, TurnStart
from kata.service import Service
from kata.settings import Settings

A, B, C, D = sh("git pull --rebase origin"), sh("make build-release"), sh("npm run lint-all"), sh("docker compose up-all")


@pytest.fixture
def desk() -> Iterator[Bench]:
    """A service in memory."""
    with closing(bench()) as one:
        yield one


def state(one: Bench) -> list[object]:
    """Everything that mining brought, as it can be compared: numbers and revisions tell in which order things were seen."""
    katas = [(k.fingerprint, k.state, k.version.spec, k.version.fit, k.version.exhibits) for k in one.service.katas()]
    return [*sorted(katas, key=lambda kata: kata[0]), *one.service.near()]


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


@pytest.mark.parametrize(("usual", "count"), [("the newest of them first", 0), ("in no order at all", 1)])
def test_what_a_tool_does_anyway_is_known_from_the_schema_that_was_recorded(desk: Bench, usual: str, count: int) -> None:
    """A8: two calls that have nothing in common but what the model spells out for no reason."""
    known = {"type": "object", "properties": {"query": {"type": "string"}, "order": {"type": "string", "default": usual}}}
    desk.service.record([SchemaSeen(SCHEMA, "web_search", known)])
    for n in range(3):
        second = tool("web_search", {"n": 0}, query=BRANCHES[n], order="the newest of them first")
        desk.turn(f"c{n}", tool("read_file", path=FILES[n]), second)
        desk.service.mine()
    assert len(desk.service.katas()) == count


def test_the_fourth_conversation_raises_the_confidence(desk: Bench) -> None:
    """K53."""
    assert desk.learn(4).version.fit.confidence == pytest.approx(0.8704)


def test_new_evidence_shows_even_where_the_calls_are_the_same(desk: Bench) -> None:
    """K53: a routine without inputs has the same spec after the fourth conversation, and better evidence."""
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
    """K89: a candidate is never changed in place."""
    first = desk.learn(3)
    second = desk.revised()
    assert second.id == first.id and second.version.number == 2 and second.version.spec.digest != first.version.spec.digest
    assert desk.store.version(first.id, 1) == first.version


def test_a_near_miss_says_which_rule_failed_and_goes_when_it_is_proposed(desk: Bench) -> None:
    """K54."""
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
    with closing(bench()) as one, closing(bench()) as other:
        for n in range(5):
            for desk in (one, other):
                desk.turn(f"c{n % 4}", *routine(n), *((A, B) if n % 2 else ()))
            one.service.mine()
        other.service.mine()
        assert state(one) == state(other) != []


def test_everything_is_mined_once_more_unless_another_process_mines(desk: Bench) -> None:
    """Decisions, numbers and names stay; what belongs to nothing any more goes."""
    kata = desk.approved("deploy")
    for n in range(3):
        desk.turn(f"d{n}", A, B, C)
    desk.service.mine()
    before = (state(desk), [(one.id, one.name) for one in desk.service.katas()])
    assert desk.store.lease("7:100", lambda owner: True, now=NOW)
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
    """K98, A31."""
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
    """The law of `laws/test_mining.py`, small: for every history, and when every turn is mined once more."""
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


def test_a_decided_routine_is_not_listed_as_seen_but_not_proposed(desk: Bench) -> None:
    """K88: an odd example later does not bring it back as a near miss."""
    desk.learn()
    desk.service.reject("1", "chat")
    desk.turn(
        "c8", *five("main", "x")[:1], tool("search_files", {"total": 0, "matches": []}, pattern="TODO", path="src"), *five("main", "x")[2:]
    )
    desk.service.mine()
    assert desk.store.near() == ()


# ── Settings that change what is kept and learnt ─────────────────────────────────────────────────


@pytest.mark.parametrize("who", ["cron", "subagent", "group"])
def test_other_callers_count_where_the_owner_says_so(desk: Bench, who: str) -> None:
    """A2: `learn_from`."""
    wide = Service(desk.store, Settings(learn_from=(who,)), desk.service.door)
    for n in range(3):
        start = TurnStart(f"t{n}", f"s{n}", f"c{n}", who, who, NOW)
        wide.record([start, *events(f"t{n}", routine(n)), TurnEnd(f"t{n}", NOW + 9)])
    assert len(wide.mine().proposed) == 1


def test_only_one_process_mines_and_a_dead_one_does_not_hold_the_others_up(desk: Bench) -> None:
    for n in range(3):
        desk.turn(f"c{n}", *routine(n))
    assert desk.store.lease("7:100", lambda owner: True, now=NOW)
    busy = Service(desk.store, Settings(), replace(desk.service.door, owner="8:100", alive=lambda owner: owner == "7:100"))
    assert busy.mine().turns == 0 and len(desk.store.dirty()) == 3
    free = Service(desk.store, Settings(), replace(desk.service.door, owner="8:100", alive=lambda owner: False))
    assert free.mine().turns == 3 and desk.store.dirty() == ()
    assert desk.store.lease("9:1", lambda owner: True, now=NOW)
