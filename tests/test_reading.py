"""What there is, as it is asked for: katas by number and name, announcements, the odd one of a near miss."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from strategies import Bench, bench, in_lib, routine

from kata.model import Refused


@pytest.fixture
def desk() -> Iterator[Bench]:
    """A service in memory."""
    with closing(bench()) as one:
        yield one


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "kata.db"


# ── Reviewing and approving ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "word", ["9", "0", "-1", "1.0", "nothing", "", "kata_nothing", "1 ", "99999999999999999999", "٣", "\x1b[31m", "\ud835"]
)
def test_an_unknown_number_or_name_is_one_clear_sentence(desk: Bench, word: str) -> None:
    """Bad input."""
    desk.learn()
    for verb in (desk.service.find, lambda one: desk.service.review(one, "cli"), lambda one: desk.service.reject(one, "cli")):
        with pytest.raises(Refused, match=r"There is no kata .*; known: 1") as caught:
            verb(word)
        assert str(caught.value).isprintable()


def test_a_kata_is_found_by_number_name_and_tool_name(desk: Bench) -> None:
    """A32."""
    kata = desk.approved("deploy")
    assert desk.service.find("1") == desk.service.find("deploy") == desk.service.find("kata_deploy") == kata


# ── Announcing ───────────────────────────────────────────────────────────────────────────────────


def test_a_proposal_is_announced_once_and_without_observed_values(desk: Bench) -> None:
    """K12, A1."""
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


# ── Approved is what runs, and no more ───────────────────────────────────────────────────────────


def test_an_active_row_without_an_approval_in_the_audit_log_is_no_tool(desk: Bench, tmp_path: Path) -> None:
    """T42: a planted or emptied log."""
    desk.approved()
    assert len(desk.service.active()) == 1
    desk.store._change("DELETE FROM audit WHERE verb = 'approve'")
    assert desk.service.active() == ()


# ── Near misses ──────────────────────────────────────────────────────────────────────────────────


def test_the_one_conversation_that_keeps_a_routine_back_is_named(desk: Bench) -> None:
    """K54: its odd step, how the others do it, and how many more it takes."""
    for n in range(3):
        desk.turn(f"c{n}", *(routine(n) if n < 2 else in_lib(n)))
        desk.service.mine()
    (miss,) = [one for one in desk.service.near() if len(one.keys) == 5]
    odd = desk.service.odd(miss)
    assert odd is not None and (odd.conversation, odd.step, odd.more) == ("c2", 2, 1)
    assert "pattern=FIXME" in odd.was and odd.others == "search_files pattern=TODO, path=src"
