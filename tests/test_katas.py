"""Proposals, versions and states: each change whole, with its row in the log, and of two at once one wins."""

import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from stored import JOURNALS, Other, approve, in_memory, opener, proposal, proposed, raw, spec, values

from kata.model import (
    Class,
    Effect,
    Fit,
    Json,
    Literal,
    NearMiss,
    Object,
    Proposal,
    Refused,
    Spec,
    SpecError,
    State,
    Step,
    StoreError,
    canonical,
)
from kata.store import Store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "plugin-data" / "kata"
    folder.mkdir(parents=True)
    return folder / "data.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    one = Store(opener(path))
    yield one
    one.close()


# ── What goes in comes out ───────────────────────────────────────────────────────────────────────


@given(value=values)
@settings(max_examples=50)
def test_any_spec_keeps_its_digest(value: Json) -> None:
    """B46: the hash is stable. T42."""
    store, one = in_memory(), Spec((), (Step("t", Object((("k", Literal(value)),)), Effect(Class.READ)),))
    kata = store.propose(Proposal(one, "f", Fit(3, 3, 3, 0.5), ()), 1.0)
    assert kata is not None and kata.version.spec.digest == one.digest
    assert canonical(kata.version.spec.to_json()) == canonical(one.to_json())
    store.close()


# ── Katas ────────────────────────────────────────────────────────────────────────────────────────


def test_a_proposal_comes_back_as_a_candidate_with_its_evidence(store: Store) -> None:
    """K83, K33"""
    kata, given_proposal = proposed(store), proposal()
    assert (kata.id, kata.name, kata.state, kata.fingerprint, kata.tool) == (1, "", State.CANDIDATE, "f", "")
    version = kata.version
    assert (version.number, version.created, version.approved) == (1, 100.0, None)
    assert (version.spec, version.fit, version.exhibits, version.checks) == (
        *(given_proposal.spec, given_proposal.fit),
        *(given_proposal.exhibits, given_proposal.checks),
    )
    assert store.kata(1) == kata and store.katas() == (kata,) and store.version(1, 1) == version


def test_a_routine_proposed_is_no_near_miss_any_more(store: Store) -> None:
    store.misses({1: NearMiss(("a",), "support", "", 2, "f"), 2: NearMiss(("b",), "support", "", 2, "g")})
    proposed(store, "f")
    assert [miss.fingerprint for miss in store.near()] == ["g"]


def test_the_same_proposal_again_is_nothing_new(store: Store) -> None:
    proposed(store)
    assert store.propose(proposal(), now=101.0) is None
    assert (len(store.katas()), len(store.audit(10))) == (1, 1)


def test_new_evidence_makes_a_new_version_and_keeps_the_old_one(store: Store) -> None:
    """K89"""
    first = proposed(store)
    second = store.propose(proposal(command="git diff"), now=101.0)
    assert second is not None and (second.id, second.version.number, second.version.spec) == (first.id, 2, spec("git diff"))
    assert store.version(first.id, 1) == first.version
    assert [(row.actor, row.verb, row.before, row.after) for row in store.audit(10)] == [
        ("system", "revise", "candidate", "candidate"),
        ("system", "propose", "", "candidate"),
    ]


@pytest.mark.parametrize("state", [state for state in State if state is not State.CANDIDATE])
def test_what_a_person_has_decided_about_is_not_proposed_again(store: Store, state: State) -> None:
    """K88, A29"""
    approve(store, proposed(store), after=state)
    assert store.propose(proposal(command="git diff"), now=300.0) is None
    assert [kata.version.number for kata in store.katas()] == [1]


def test_katas_are_found_by_state_by_number_and_by_name(store: Store) -> None:
    one, two = approve(store, proposed(store, "f")), proposed(store, "g")
    assert store.katas([State.ACTIVE]) == (one,) and store.katas([State.CANDIDATE, State.ACTIVE]) == (one, two)
    assert store.katas([State.REJECTED]) == ()
    assert store.named("deploy") == one
    assert (store.named(""), store.named("other"), store.kata(9), store.version(1, 9)) == (None, None, None, None)


def test_numbers_are_never_used_twice(path: Path, store: Store) -> None:
    """A32"""
    proposed(store, "f")
    gone = proposed(store, "g").id
    raw(path, "DELETE FROM versions WHERE kata = ?", gone)
    raw(path, "DELETE FROM katas WHERE id = ?", gone)
    assert proposed(store, "h").id == gone + 1


def test_a_surface_remembers_the_revision_that_it_has_shown_last(store: Store) -> None:
    """Approve acts on what that surface has shown."""
    kata = proposed(store)
    store.show("chat", kata.id, "old", 1.0)
    store.show("chat", kata.id, "new", 2.0)
    assert [store.shown("chat", kata.id), store.shown("cli", kata.id)] == ["new", ""]


CHANGES = {
    "a step": ("UPDATE versions SET spec = replace(spec, 'git status', 'rm -rf')", "changed outside Kata"),
    "not JSON": ("UPDATE versions SET spec = '{'", "changed outside Kata"),
    "no spec": ("UPDATE versions SET spec = '[]'", "as Kata wrote it, got something else (Expected a spec of format 1"),
    "the digest": ("UPDATE versions SET digest = 'abc'", "with digest abc, got"),
    "the state": ("UPDATE katas SET state = 'trusted'", "'trusted'"),
    "the checks": ("UPDATE versions SET checks = x'4a00'", "packed JSON"),
    "the fit": (f"UPDATE versions SET fit = x'{(b'J' + zlib.compress(b'[1]')).hex()}'", "as Kata wrote it"),
}


@pytest.mark.parametrize(("change", "reason"), CHANGES.values(), ids=CHANGES)
def test_a_row_that_was_changed_outside_refuses_to_load_and_the_others_do(path: Path, store: Store, change: str, reason: str) -> None:
    """T42"""
    kata, other = proposed(store, "f"), proposed(store, "g")
    column = "kata" if "versions" in change else "id"
    raw(path, f"{change} WHERE {column} = {kata.id}")
    assert store.katas() == (other,)
    ((number, sentence),) = store.broken()
    assert number == kata.id and reason in sentence
    with pytest.raises((SpecError, StoreError), match=f"(kata {kata.id}|Kata file)"):
        store.kata(kata.id)
    with pytest.raises((SpecError, StoreError)):
        approve(store, kata)
    assert raw(path, "SELECT count(*) FROM katas WHERE state = 'active'") == [(0,)]


# ── Decisions ────────────────────────────────────────────────────────────────────────────────────


def test_a_decision_moves_the_kata_names_it_and_is_written_down(store: Store) -> None:
    """K84, K90, K92"""
    kata = proposed(store)
    active = approve(store, kata, detail="after review")
    assert (active.state, active.name, active.tool, active.version.approved) == (State.ACTIVE, "deploy", "kata_deploy", 200.0)
    assert store.kata(kata.id) == active
    row = store.audit(1)[0]
    assert (row.at, row.actor, row.verb, row.kata, row.before, row.after, row.digest, row.detail) == (
        *(200.0, "chat", "approve", kata.id, "candidate", "active"),
        *(kata.version.spec.digest, "after review"),
    )


def test_a_kata_keeps_its_name_and_its_approval_through_later_decisions(store: Store) -> None:
    """K87"""
    active = approve(store, proposed(store))
    off = store.transition(
        *(active.id,), before=[State.ACTIVE], after=State.DISABLED, digest=active.version.spec.digest, actor="cli", verb="disable", now=9.0
    )
    assert off == replace(active, state=State.DISABLED)


def test_a_decision_on_the_wrong_state_is_refused_with_the_state_it_has(store: Store) -> None:
    kata = approve(store, proposed(store))
    with pytest.raises(Refused, match="Kata 1 is active; approve needs it to be candidate"):
        approve(store, kata, name="other")
    assert store.named("other") is None and len(store.audit(10)) == 2


def test_a_decision_on_another_revision_than_the_one_seen_is_refused(store: Store) -> None:
    """A32; T42: what was approved is what runs."""
    seen = proposed(store)
    assert store.propose(proposal(command="git diff"), now=101.0) is not None
    with pytest.raises(Refused, match=f"is now revision {spec('git diff').digest[:12]}, not {spec().digest[:12]}; review it again"):
        approve(store, seen)
    assert store.katas([State.ACTIVE]) == ()


def test_a_name_belongs_to_one_kata(store: Store) -> None:
    approve(store, proposed(store, "f"))
    second = proposed(store, "g")
    with pytest.raises(Refused, match="The name deploy is taken by kata 1; choose another"):
        approve(store, second)
    assert store.kata(second.id) == second
    assert approve(store, second, name="deploy_2").name == "deploy_2"


def test_a_number_that_is_not_there_is_refused(store: Store) -> None:
    with pytest.raises(Refused, match="There is no kata 9"):
        approve(store, replace(proposed(store), id=9))


@pytest.mark.parametrize("journal", JOURNALS)
def test_of_two_processes_that_approve_at_once_exactly_one_wins(path: Path, journal: str) -> None:
    store = Store(opener(path, journal))
    katas = [proposed(store, f"f{n}") for n in range(8)]
    with Other("approve", path, journal) as one, Other("approve", path, journal) as two:
        for kata in katas:
            for process, name in ((one, "left"), (two, "right")):
                process.say(str(kata.id), kata.version.spec.digest, f"{name}_{kata.id}")
            answers = sorted([one.hear(), two.hear()])
            assert answers == [f"Kata {kata.id} is active; approve needs it to be candidate", "won"]
    assert len(store.audit(100)) == 2 * len(katas) and len(store.katas([State.ACTIVE])) == len(katas)
    store.close()


# ── Versions and what came of them ───────────────────────────────────────────────────────────────


def test_a_stale_kata_keeps_its_state_and_its_standing_version_while_a_revision_waits(store: Store) -> None:
    """K85, K89"""
    kata = approve(store, proposed(store))
    assert store.prepare(proposal(command="git diff"), 300.0) is None, "only a stale one waits"
    told = {"digest": kata.version.spec.digest, "actor": "system", "verb": "drift", "now": 250.0, "detail": "why"}
    store.transition(kata.id, before=[State.ACTIVE], after=State.STALE, **told)  # type: ignore[arg-type]
    revised = store.prepare(proposal(command="git diff"), 300.0)
    assert revised is not None and (revised.state, revised.version.number, revised.version.approved) == (State.STALE, 2, None)
    standing = store.standing(kata.id)
    assert standing == (store.version(kata.id, 1), 200.0) and store.why(kata.id) == "why"
    assert [one.number for one in store.versions(kata.id)] == [2, 1]
    assert store.prepare(proposal(command="git diff"), 301.0) is None, "nothing new"
    assert not store.approved(kata.id, revised.version.spec.digest)


# ── Lists ────────────────────────────────────────────────────────────────────────────────────────


def test_a_list_holds_what_a_look_at_each_holds(store: Store) -> None:
    """Examples are read when somebody looks at them, and are the same."""
    katas = [proposed(store, name) for name in "fgh"]
    listed = store.listed()
    assert listed == store.katas() and tuple(katas) == listed
    examples = listed[0].version.exhibits
    assert len(examples) == len(katas[0].version.exhibits) > 0 and examples[0] == katas[0].version.exhibits[0]
    assert tuple(examples) == examples[:] == katas[0].version.exhibits and examples != ()
    assert store.listed([State.ACTIVE]) == () and store.listed([]) == ()


def test_examples_that_were_changed_outside_are_refused_when_they_are_read(store: Store, path: Path) -> None:
    """T42"""
    proposed(store)
    listed = store.listed()[0]
    raw(path, "UPDATE versions SET exhibits = x'4A00'")
    with pytest.raises(StoreError, match="packed JSON"):
        len(listed.version.exhibits)
    found, refused = store.looked_over()
    assert [one.id for one in found] == [listed.id] and refused == () == store.katas() and len(store.broken()) == 1


def test_examples_of_a_version_whose_place_another_took_are_not_those_of_another(store: Store) -> None:
    kata = proposed(store)
    listed = store.listed()[0]
    better = replace(proposal(), fit=Fit(9, 9, 9, 0.9))
    assert store.propose(better, 2.0) is not None
    with pytest.raises(SpecError, match="another took its place"):
        tuple(listed.version.exhibits)
    assert kata.version.number == 1 and store.listed()[0].version.number == 2


def test_a_proposal_whose_ties_were_changed_outside_is_not_judged_by_them(store: Store, path: Path) -> None:
    """T42: it stays a proposal."""
    kata = proposed(store)
    ids = []
    for ties in ("[]", "[1, 2, 3, 4, 5, 6, 7, 8, 9]", '"x"', "7"):
        raw(path, f"UPDATE katas SET ties = x'4A{zlib.compress(ties.encode()).hex()}'")
        ids.append([row["id"] for row in store.undecided()])
    assert ids == [[kata.id], [], [], []] and [one.id for one in store.katas()] == [kata.id]
    raw(path, f"UPDATE katas SET ties = x'4A{zlib.compress(b'[]').hex()}'")
    assert store.undecided([kata.id]) == store.undecided() and store.undecided([kata.id + 1]) == () == store.undecided([])
