"""Who is asked before a run: what is grave always, the rest by folder, by the setting `ask` and by trust, which a person alone gives."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from strategies import NOW, Bench, bench, proposal, proposal_of

from kata import consent, ward
from kata.commands import run, split
from kata.model import Call, Class, Effect, Event, Example, Kata, Literal, Outcome, Spec, State, Status, Step

from .stand_in import READ, WRITE, step

FOLDER = "/srv/app"
UNKNOWN = Effect(Class.UNKNOWN, why="a test")
DESTROYS = Effect(Class.WRITE, True, "a test")
LOOK = step("read_file", READ, path=Literal("a"))
NOTE = step("write_file", WRITE, path=Literal("a"), content=Literal("b"))
PUSH = step("terminal", Effect(Class.EXTERNAL, why="a test"), command=Literal("git push"))


def kata_of(desk: Bench, *steps: Step, name: str = "one") -> Kata:
    """An active kata of those steps, whose examples ran in `FOLDER`."""
    event = Event(Call("write_file", {}), Outcome(Status.OK, {}), "t", "c", folder=FOLDER)
    found = desk.store.propose(proposal(steps, Example("c1", "t", (event,) * len(steps)), name=name), NOW)
    assert found is not None
    return desk.store.transition(
        found.id,
        before=(State.CANDIDATE,),
        after=State.ACTIVE,
        digest=found.version.spec.digest,
        actor="cli",
        verb="approve",
        now=NOW,
        name=name,
        approved=True,
    )


@pytest.fixture
def desk() -> Iterator[Bench]:
    with closing(bench()) as one:
        yield one


@pytest.mark.parametrize("always", (False, True))
@pytest.mark.parametrize("trusted", (False, True))
@pytest.mark.parametrize("folder", ("", FOLDER, "/tmp/other"))
@pytest.mark.parametrize("grave", (PUSH, step("ponder", UNKNOWN), step("terminal", DESTROYS, command=Literal("ls"))))
def test_what_acts_elsewhere_destroys_or_is_unknown_asks_whatever_is_set(
    desk: Bench, grave: Step, folder: str, trusted: bool, always: bool
) -> None:
    """K80, A23, T40"""
    assert consent.asks(kata_of(desk, LOOK, grave), folder, always, trusted)


def test_the_rest_asks_in_a_new_folder_or_where_that_is_set_and_never_once_it_is_trusted(desk: Bench) -> None:
    """A23, T40"""
    reads, writes = kata_of(desk, LOOK, LOOK, name="reads"), kata_of(desk, LOOK, NOTE, name="writes")
    told = {
        (kata.name, folder, always): consent.asks(kata, folder, always, False)
        for kata in (reads, writes)
        for folder in (FOLDER, "/tmp")
        for always in (False, True)
    }
    assert {key for key, asked in told.items() if not asked} == {
        ("reads", FOLDER, False),
        ("reads", "/tmp", False),
        ("writes", FOLDER, False),
    }
    assert not any(consent.asks(kata, folder, True, True) for kata in (reads, writes) for folder in (FOLDER, "/tmp"))


# ── The verbs ────────────────────────────────────────────────────────────────────────────────────


def ask(desk: Bench, line: str) -> Any:
    return run(desk.service, split(line), "cli")


def test_trust_holds_for_one_revision_and_is_a_decision_in_the_log(desk: Bench) -> None:
    """T40, T66"""
    kata = kata_of(desk, LOOK, NOTE)
    assert ask(desk, "trust kata_one").code == 0 and desk.service.trusted(kata)
    row = desk.store.audit(1)[0]
    assert (row.verb, row.actor, row.before, row.after, row.digest) == ("trust", "cli", "active", "active", kata.version.spec.digest)
    assert "you trust it" in " ".join(ask(desk, "show one").text.split()) and ask(desk, "show one").json["trusted"] is True
    turned = replace(proposal_of(kata), spec=Spec((), (NOTE, LOOK)))
    assert not desk.service.trusted(replace(kata, version=replace(kata.version, spec=turned.spec)))
    assert desk.store.proven()[1] == 0


def test_trust_ends_with_a_word(desk: Bench) -> None:
    kata = kata_of(desk, LOOK, NOTE)
    ask(desk, "trust one")
    assert ask(desk, "untrust one").code == 0 and not desk.service.trusted(kata)
    assert ask(desk, "untrust one").json == {"error": "kata_one is not trusted; there is nothing to take back"}
    assert [row.verb for row in desk.store.audit(2)] == ["untrust", "trust"]


@pytest.mark.parametrize(
    ("steps", "why"),
    [((LOOK, PUSH), "step 2 (external)"), ((step("ponder", UNKNOWN), LOOK), "step 1 (unknown)")],
)
def test_what_does_more_than_read_and_write_locally_cannot_be_trusted(desk: Bench, steps: tuple[Step, ...], why: str) -> None:
    """T40"""
    kata_of(desk, *steps)
    rows = desk.store.audit(9)
    answer = ask(desk, "trust one")
    assert answer.code == 1 and why in answer.json["error"] and "no trust changes that" in answer.json["error"]
    assert desk.store.audit(9) == rows


def test_what_is_no_tool_or_is_trusted_already_is_refused(desk: Bench) -> None:
    kata_of(desk, LOOK, NOTE)
    ask(desk, "trust one")
    assert ask(desk, "trust one").json == {"error": "kata_one is trusted already"}
    ask(desk, "disable one")
    assert ask(desk, "trust one").json == {"error": "Kata 1 is disabled; only a kata that the agent may call can be trusted"}
    assert ask(desk, "untrust one").code == 0, "a trust may be taken back in any state"


# ── The setting and the ward ────────────────────────────────────────────────────────────────────────


def test_no_agent_trusts_by_itself() -> None:
    """Its own `hermes kata trust` is put to the person."""
    for command in ("hermes kata trust look", "hermes kata untrust look"):
        assert ward.why(Call("terminal", {"command": command})) == ward.DECIDING
