"""The law of the lifecycle: every pair of state and verb ends as the table says, whatever happened before and whoever asks."""

import tempfile
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from strategies import SCHEMA, Bench, Clock, Did, bench, events, five, routine, tool

from kata import lifecycle
from kata.lifecycle import PERSON, SYSTEM, TABLE
from kata.model import Kata, Outcome, Refused, RunRow, State, Status, TurnEnd, TurnStart
from kata.service import Service

OTHER = "f" * 16
WAYS: dict[State, tuple[str, ...]] = {
    State.CANDIDATE: (),
    State.ACTIVE: ("approve",),
    State.STALE: ("approve", "drift"),
    State.SUSPENDED: ("approve", "fail"),
    State.DISABLED: ("approve", "disable"),
    State.REJECTED: ("reject",),
}
"""How a proposal comes to each state."""


def by_hand(desk: Bench, name: str, done: tuple[Did, ...], schema: str = SCHEMA) -> None:
    """One turn of a conversation of its own, now, with the tools as they are."""
    at = desk.service.door.clock()
    rows = [replace(one, schema=schema if one.call.tool == "read_file" else SCHEMA) for one in events(name, done, at)]
    desk.service.record([TurnStart(name, f"s-{name}", name, "cli", "person", at, "please"), *rows, TurnEnd(name, at + 60)])
    desk.service.mine()


def elsewhere(number: int) -> tuple[Did, ...]:
    """The routine done in another way: another folder is searched."""
    first, _, *rest = five("other", f"lib/{number}.py")
    hit = {"total": 1, "matches": [{"path": f"lib/{number}.py", "line": 3}]}
    return first, tool("search_files", hit, pattern="FIXME", path="lib"), *rest


def failing(desk: Bench, run: str, good: bool = False) -> None:
    answers = [one.result for one in five("topic", "src/x.py")]
    desk.service.start(
        desk.service.find("1"), {"branch": "topic"}, run, "s", lambda one: Outcome.read(answers[one.index] if good else '{"error": "no"}')
    )


def approve(service: Service, confirm: str = "") -> Kata:
    service.review("1", "cli")
    return service.approve("1", "" if service.find("1").name else "notes", "cli", "", confirm)


def wrong(service: Service) -> Kata:
    """A run of it, as it is now, did what was wrong."""
    kata, run = service.find("1"), f"wrong-{next(TEXTS)}"
    service.store.begin_run(RunRow(run, 1, kata.tool, 1, kata.version.spec.digest, 1.0, None, Status.OK, "", ()))
    return service.wrong(run, "cli")


TEXTS = count()
DO: dict[str, Callable[[Service], object]] = {
    "approve": approve,
    "reject": lambda one: one.reject("1", "cli"),
    "disable": lambda one: one.disable("1", "cli"),
    "enable": lambda one: one.enable("1", "cli"),
    "rollback": lambda one: one.rollback("1", 1, "cli"),
    "rename": lambda one: one.rename("1", "notes_2" if one.find("1").name == "notes" else "notes", "cli"),
    "forget": lambda one: one.forget("1", "cli"),
    "snooze": lambda one: one.snooze("1", "cli"),
    "edit": lambda one: one.edit("1", ["help", f"text {next(TEXTS)}"], "cli"),
    "wrong": wrong,
    "drift": lambda one: one.drifted(one.find("1"), {"read_file": OTHER}),
    "misfit": lambda one: one._noticed(one.find("1"), "misfit", "twice by hand"),
    "fail": lambda one: one._noticed(one.find("1"), "fail", "three in a row"),
}


# ── Every pair ───────────────────────────────────────────────────────────────────────────────────


def test_the_table_is_whole() -> None:
    """T61: the six states and every verb."""
    assert set(TABLE) == {*PERSON, *SYSTEM} == set(DO) and all(set(row) == set(State) for row in TABLE.values())


@pytest.mark.parametrize("verb", DO)
@pytest.mark.parametrize("state", State)
def test_every_verb_in_every_state_ends_as_the_table_says(state: State, verb: str) -> None:
    """K83 to K88, K91, A29, A30, T61: allowed with its one audit row, or refused with the sentence of the table and nothing changed."""
    desk = bench()
    desk.learn()
    for way in WAYS[state]:
        DO[way](desk.service)
    before, rows = desk.store.kata(1), len(desk.store.audit(99))
    assert before is not None and before.state is state
    told = TABLE[verb][state]
    if isinstance(told, State):
        if (verb, state) == ("rollback", State.ACTIVE):
            with pytest.raises(Refused, match="is at version 1 already"):
                DO[verb](desk.service)
            return
        DO[verb](desk.service)
        row = desk.store.audit(1)[0]
        assert (row.verb, row.before, row.after, row.actor) == (verb, state, told, "cli" if verb in PERSON else "system")
        assert len(desk.store.audit(99)) == rows + 1
    elif verb in PERSON:
        with pytest.raises(Refused) as refused:
            DO[verb](desk.service)
        assert str(refused.value) == f"Kata 1 {told.format(kata=1, name=before.name or 1)}"
    else:
        DO[verb](desk.service)
    after = desk.store.kata(1)
    assert after is not None and after.state is (told if isinstance(told, State) else state)
    assert isinstance(told, State) or after == before
    assert (after in desk.service.active()) == (after.state is State.ACTIVE), "callable in the active state alone (K84)"
    desk.close()


@pytest.mark.parametrize("state", State)
def test_what_a_person_may_do_is_what_is_not_refused(state: State) -> None:
    assert lifecycle.allowed(state) == tuple(verb for verb in PERSON if isinstance(TABLE[verb][state], State))


def test_every_sentence_of_the_table_names_the_state() -> None:
    """Bad input: the sentence says what it is and, where there is one, the verb that helps."""
    for verb, row in TABLE.items():
        for state, told in row.items():
            word = "proposal" if state is State.CANDIDATE and verb in PERSON else state.value
            assert isinstance(told, State) or told.startswith("is ") and word in told


def test_the_readme_prints_the_table_as_it_is() -> None:
    readme = (Path(str(lifecycle.__file__)).parent / "README.md").read_text(encoding="utf-8")
    assert lifecycle.markdown() in readme


# ── Whatever happens ─────────────────────────────────────────────────────────────────────────────


class Life(RuleBasedStateMachine):
    """Two services on one file, and a model that knows the table and counts failures."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        clock = Clock()
        self.desks = [bench(Path(self.folder.name) / "kata.db", clock=clock) for _ in range(2)]
        self.desks[0].learn()
        self.numbers = count()
        self.state, self.failed, self.drifted, self.approved = State.CANDIDATE, 0, False, dict[int, str]()
        self.before: tuple[State, str, dict[int, str]] | None = None
        """State, revision and approvals before the last decision."""

    def teardown(self) -> None:
        for desk in self.desks:
            desk.close()
        self.folder.cleanup()

    @property
    def there(self) -> bool:
        """Whether it is not taken back: new evidence may speak against a proposal, and bring it back."""
        return self.desks[1].store.kata(1) is not None

    @property
    def kata(self) -> Kata:
        kata = self.desks[1].store.kata(1)
        assert kata is not None
        return kata

    @property
    def today(self) -> str:
        """The schema of read_file, as it is now."""
        return OTHER if self.drifted else SCHEMA

    def fits(self, kata: Kata) -> bool:
        """Whether the tools are those that the version was recorded with."""
        return all(step.schema == self.today for step in kata.version.spec.steps if step.tool == "read_file")

    @rule(who=st.integers(0, 1), verb=st.sampled_from(PERSON), version=st.integers(1, 3))
    def decide(self, who: int, verb: str, version: int) -> None:
        """A person's verb, by either process."""
        service, told = self.desks[who].service, TABLE[verb][self.state]
        if not self.there:
            with pytest.raises(Refused, match="was taken back"):
                service.rollback("1", version, "cli") if verb == "rollback" else DO[verb](service)
            return
        before = self.kata
        try:
            service.rollback("1", version, "cli") if verb == "rollback" else DO[verb](service)
        except Refused as refused:
            assert self.kata == before, "what is refused changes nothing"
            sure = isinstance(told, State) and self.fits(before) and before.version.number == 1 and verb != "rollback"
            assert not sure, f"{verb} of a {self.state} kata was refused: {refused}"
            return
        assert isinstance(told, State), f"{verb} of a {self.state} kata was not refused"
        self.before = self.state, before.version.spec.digest, dict(self.approved)
        self.state = told
        if verb in ("approve", "enable", "rollback"):
            assert verb == "approve" or self.kata.version.number in self.approved, "only what a person approved comes back"
            assert self.fits(self.kata), "what does not fit the tools of today does not come back"
            self.failed = 0
            self.approved[self.kata.version.number] = self.kata.version.spec.digest

    @rule(who=st.integers(0, 1))
    def undo(self, who: int) -> None:
        """T68: the last decision, whoever made it, is taken back whole, once, or nothing is."""
        service, before = self.desks[who].service, self.desks[1].store.kata(1)
        try:
            service.undo("cli")
        except Refused:
            assert self.desks[1].store.kata(1) == before, "what is refused changes nothing"
            return
        assert self.before is not None, "a decision is taken back once"
        state, digest, self.approved = self.before
        assert (self.kata.state, self.kata.version.spec.digest) == (state, digest)
        self.state, self.before = state, None
        standing = self.desks[1].store.standing(1)
        self.failed = self.desks[1].store.failures(1, standing[1]) if standing else 0

    @rule(who=st.integers(0, 1), fits=st.booleans())
    def work(self, who: int, fits: bool) -> None:
        """The routine by hand, as always or in another way, with the tools as they are now."""
        number, fitted = next(self.numbers), self.there and self.fits(self.kata)
        by_hand(self.desks[who], f"h{number}", routine(number) if fits else elsewhere(number), self.today)
        if self.state is State.ACTIVE:
            assert self.kata.state in ((State.ACTIVE, State.STALE) if fitted else (State.STALE,))
            self.state = self.kata.state

    @rule(drifted=st.booleans())
    def drift(self, drifted: bool) -> None:
        """A tool changes, or is as before again; an agent process sees it when it calls it next."""
        self.drifted = drifted
        for desk in self.desks:
            desk.schemas["read_file"] = self.today

    @precondition(lambda self: self.state is State.ACTIVE)
    @rule(who=st.integers(0, 1), good=st.booleans())
    def run(self, who: int, good: bool) -> None:
        """A28: three in a row suspend it, a good one begins anew."""
        failing(self.desks[who], f"run-{next(self.numbers)}", good)
        self.failed = 0 if good else self.failed + 1
        self.state = State.SUSPENDED if self.failed == lifecycle.FAILURES else State.ACTIVE

    @invariant()
    def both_agree_with_the_model(self) -> None:
        for desk in self.desks:
            kata = desk.store.kata(1)
            if kata is None:
                assert self.state is State.CANDIDATE and desk.store.withdrawn(1), "only a proposal is taken back"
                continue
            assert kata.state is self.state
            assert [one.id for one in desk.service.active()] == ([1] if self.state is State.ACTIVE else [])

    @invariant()
    def what_was_approved_is_kept_and_is_what_runs(self) -> None:
        """T42, K89, T66."""
        store = self.desks[0].store
        assert store.proven()[1] == 0
        kept = {one.number: one.spec.digest for one in store.versions(1)}
        assert self.approved.items() <= kept.items()
        assert all(one.version.spec.digest in self.approved.values() for one in self.desks[1].service.active())


Life.TestCase.settings = settings(max_examples=10, stateful_step_count=12, deadline=None)
TestLife = Life.TestCase
