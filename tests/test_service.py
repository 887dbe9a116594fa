"""All verbs on one file at once: of two that decide one wins. (K31)"""

import threading
from contextlib import closing, suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from strategies import Bench, audit, bench

from kata.lifecycle import TABLE
from kata.model import Refused, State
from kata.service import Service
from kata.settings import Settings


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "kata.db"


# ── Two of us on one file ────────────────────────────────────────────────────────────────────────


def test_of_two_approvals_one_wins_and_the_other_gets_a_clear_sentence(file: Path) -> None:
    """The second comes while the first is between its checks and its decision."""
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
    with closing(bench(file)) as one, closing(bench(file)) as other:
        before = other.store.generation()
        one.approved("deploy")
        assert [kata.tool for kata in other.service.active()] == ["kata_deploy"]
        assert other.store.generation() > before


# ── Erasing ──────────────────────────────────────────────────────────────────────────────────────


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


def test_of_many_verbs_at_the_same_time_each_finds_what_the_one_before_left(file: Path) -> None:
    """T65: four services on one file; the log is one unbroken walk through the table."""
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
