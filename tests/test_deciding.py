"""The decisions of a person: each its transition, its row in the log, its refusals. (K31)"""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import BRANCHES, Bench, Did, at_work, audit, bench, five, in_lib, nothing_found, routine, sh

from kata import checks
from kata.checks import said
from kata.deciding import RESERVED, Unconfirmed, Unseen
from kata.model import Kata, Refused, State, Status

A, B, C, D = sh("git pull --rebase origin"), sh("make build-release"), sh("npm run lint-all"), sh("docker compose up-all")


@pytest.fixture
def desk() -> Iterator[Bench]:
    """A service in memory."""
    with closing(bench()) as one:
        yield one


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "kata.db"


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


def test_neither_is_a_piece_of_it_proposed_with_one_more_step_that_follows_now(desk: Bench) -> None:
    """K88, A29: four of its steps and the new one are no other routine, while the five are done as before; done without them they are."""
    desk.learn()
    desk.service.reject("1", "chat")
    for n in range(3, 9):
        desk.turn(f"c{n}", *routine(n), sh("git add notes"))
        assert desk.service.mine().proposed == ()
    for n in range(9, 18):
        desk.turn(f"c{n}", *routine(n)[:3], sh("git add notes"))
        desk.service.mine()
    assert [len(kata.version.spec.steps) for kata in desk.service.katas()] == [4]


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
    """What was seen in the chat was not seen in the shell."""
    desk.learn()
    with pytest.raises(Unseen, match="was not reviewed here"):
        desk.service.approve("1", "x", "cli")
    desk.service.review("1", "chat")
    with pytest.raises(Unseen):
        desk.service.approve("1", "x", "cli")
    assert desk.service.active() == ()
    assert desk.service.approve("1", "x", "chat").state is State.ACTIVE


def test_only_the_revision_that_was_shown_can_be_approved(desk: Bench) -> None:
    """B26: new evidence came between review and approval."""
    old = desk.learn().version.spec.digest
    desk.service.review("1", "cli")
    new = desk.revised()
    with pytest.raises(Unseen, match=f"is now revision {new.version.spec.digest[:12]}, not {old[:12]}"):
        desk.service.approve("1", "x", "cli")
    assert desk.service.active() == ()
    desk.service.review("1", "cli")
    assert desk.service.approve("1", "x", "cli").version.number == 2


def test_a_script_passes_the_digest_instead_of_a_review(desk: Bench) -> None:
    """`--digest`, whole or its first eight characters or more."""
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
    desk.learn()
    desk.service.review("1", "cli")
    with pytest.raises(Refused, match="Expected a name of small letters, digits and _") as caught:
        desk.service.approve("1", name, "cli")
    assert str(caught.value).isprintable() and desk.service.active() == ()


@pytest.mark.parametrize("name", [*sorted(RESERVED), "kata_list", "kata_resume"])
def test_a_command_word_is_no_name(desk: Bench, name: str) -> None:
    desk.learn()
    desk.service.review("1", "cli")
    with pytest.raises(Refused, match="is a command of Kata"):
        desk.service.approve("1", name, "cli")


@pytest.mark.parametrize(("name", "tool_name"), [("x" * 59, "kata_" + "x" * 59), ("kata_deploy", "kata_deploy"), ("a1_", "kata_a1_")])
def test_a_good_name_gets_the_prefix_once(desk: Bench, name: str, tool_name: str) -> None:
    """K20: a leading `kata_` is dropped."""
    desk.learn()
    desk.service.review("1", "cli")
    assert desk.service.approve("1", name, "cli").tool == tool_name


@pytest.mark.parametrize("name", ["kata_kata_deploy", "kata_kata_", "kata_kata_list"])
def test_no_name_begins_with_the_prefix_itself(desk: Bench, name: str) -> None:
    """K20, K22: what is said of a kata drops a leading `kata_`, so that one would not be found by its name."""
    desk.learn()
    desk.service.review("1", "cli")
    with pytest.raises(Refused, match="a name does not begin with kata_ itself"):
        desk.service.approve("1", name, "cli")
    approved = desk.service.approve("1", "kata_deploy", "cli")
    with pytest.raises(Refused, match="a name does not begin with kata_ itself"):
        desk.service.rename("deploy", name, "cli")
    assert desk.service.find(approved.name) == desk.service.find(approved.tool) == approved


def test_a_tool_name_of_somebody_else_is_refused(desk: Bench) -> None:
    """The host would replace ours silently."""
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
    """K92; that there is more evidence for the same steps is no decision."""
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
        ("chat", "approve", 1, "candidate", "active"),
        ("system", "propose", 2, "", "candidate"),
        ("dashboard", "reject", 2, "candidate", "rejected"),
    ]
    assert desk.store.audit(3)[2].digest == desk.service.find("1").version.spec.digest


# ── In words ─────────────────────────────────────────────────────────────────────────────────────


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


# ── Approved is what runs, and no more ───────────────────────────────────────────────────────────


def test_a_disabled_kata_is_no_tool_until_it_is_enabled(desk: Bench) -> None:
    """K87."""
    desk.approved("deploy")
    assert desk.service.disable("deploy", "cli").state is State.DISABLED and desk.service.active() == ()
    with pytest.raises(Refused):
        desk.service.disable("deploy", "cli")
    assert desk.service.enable("kata_deploy", "cli").state is State.ACTIVE and len(desk.service.active()) == 1
    assert [row.verb for row in desk.store.audit(2)] == ["enable", "disable"]


OTHER = "f" * 16


# ── Versions, names, rejections ──────────────────────────────────────────────────────────────────


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


def removing(number: int) -> tuple[Did, ...]:
    return sh(f"git checkout {BRANCHES[number]}", "Switched"), sh(f"git branch -D {BRANCHES[number]}", "Deleted")


# ── Destroying ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("confirm", ["", "yes", "Tidy_up", "tidy", "kata_other"])
def test_what_destroys_is_approved_with_its_name_typed_twice(desk: Bench, confirm: str) -> None:
    """T44: by its name, with or without the prefix, and nothing else."""
    desk.learn(3, removing)
    desk.service.review("1", "cli")
    with pytest.raises(Unconfirmed, match=r"Step 2 of kata 1 can destroy something.*approve 1 as tidy_up confirm tidy_up"):
        desk.service.approve("1", "tidy_up", "cli", "", confirm)
    assert desk.service.active() == ()
    assert desk.service.approve("1", "tidy_up", "cli", "", "kata_tidy_up").state is State.ACTIVE


def full(kata: Kata) -> str:
    """The name of the check that the search found something."""
    return next(name for name, text in checks.listed(1, kata.version.spec.steps[1].traits) if text == "'matches' is not empty")


# ── Learnt checks ────────────────────────────────────────────────────────────────────────────────


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
