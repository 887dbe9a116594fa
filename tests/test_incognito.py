"""One message that is not recorded: which turn that is, that it ends by itself, and that nothing of it is learnt later."""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from typing import Any

import pytest

from kata import commands, recall
from kata.incognito import ANYWHERE, Incognito
from kata.service import Service
from kata.settings import Settings

from .shelves import Shelf, routine
from .strategies import Bench, bench, sh
from .test_recall import desk as learning

Json = Any


def told(turn: str, session: str = "s", **more: Json) -> Json:
    return {"turn_id": turn, "session_id": session, "platform": "cli", "parent_session_id": ""} | more


@pytest.fixture
def desk() -> Iterator[Bench]:
    made = bench()
    yield made
    made.close()


@pytest.fixture
def veil(desk: Bench) -> Incognito:
    return Incognito(desk.store, desk.service.door.clock)


def test_the_next_message_is_hidden_and_the_one_after_it_is_not(veil: Incognito) -> None:
    """T9"""
    veil.ask(ANYWHERE)
    veil.begins(told("t1"))
    assert veil.hides(told("t1")) and not veil.waiting
    veil.ends(told("t1"))
    veil.begins(told("t2"))
    assert veil.hides(told("t1")), "what comes late of it is hidden too"
    assert not veil.hides(told("t2")) and veil.dark == {}


def test_of_several_chats_it_is_the_one_in_which_it_was_asked(veil: Incognito) -> None:
    veil.ask("mine")
    veil.begins(told("t1", "other", platform="telegram"))
    veil.begins(told("t2", "mine", platform="telegram"))
    assert not veil.hides(told("t1")) and veil.hides(told("t2"))


def test_what_a_sub_agent_does_for_it_is_hidden_and_a_timer_does_not_use_it_up(veil: Incognito) -> None:
    veil.ask(ANYWHERE)
    veil.begins(told("c", "cron_1", platform="cron"))
    veil.begins(told("r", "s", parent_session_id="s"))
    veil.begins(told("t1"))
    veil.begins(told("a", "child", platform="subagent", parent_session_id="s"))
    assert [veil.hides(told(turn)) for turn in ("c", "r", "t1", "a")] == [False, False, True, True]


def test_its_time_is_kept_so_that_the_history_does_not_bring_it(desk: Bench, veil: Incognito) -> None:
    veil.ask(ANYWHERE)
    veil.begins(told("t1"))
    (span,) = desk.store.veiled(["s"])
    assert span.ended == 1e12, "while it goes on"
    veil.ends(told("t1"))
    (span,) = desk.store.veiled(["s"])
    assert span.began < span.ended < 1e12 and desk.store.veiled(["other"]) == ()


def test_a_hidden_turn_is_not_learnt() -> None:
    shelf = Shelf()
    shelf.begin("s")
    began = shelf.now
    shelf.turn("s", *routine("secret"))
    one = learning(shelf)
    one.store.veil("s", began + 2, shelf.now)
    assert recall.learn(one.service, 30).left == {recall.VEILED: 1} and one.store.facts()["calls"] == 0


def test_a_shell_has_no_next_message_and_where_nothing_is_recorded_nothing_changes(desk: Bench) -> None:
    assert commands.run(desk.service, ("incognito",), "cli").code == 1
    assert commands.run(desk.service, ("incognito",), "chat").json == {"incognito": True}
    desk.service.pause(True)
    assert commands.run(desk.service, ("incognito",), "chat").json == {"incognito": False}


# ── How much is kept ─────────────────────────────────────────────────────────────────────────────


def incompressible(seed: int) -> str:
    """Some sixty thousand characters that are neither like each other nor like a secret."""
    rng = random.Random(seed)
    return " ".join("".join(rng.choices(string.ascii_lowercase, k=6)) for _ in range(8_500))


def test_beyond_the_wanted_size_the_oldest_go_and_examples_stay() -> None:
    """B55"""
    made = bench(settings=Settings(max_mb=1))
    kata = made.learn()
    shown = {example.turn for example in kata.version.exhibits}
    for number in range(60):
        made.turn(f"big{number}", sh(f"cat {number}", incompressible(number)))
    assert made.service.full
    made.store.note("tidied", "0")
    assert made.service.tidy() > 0
    left = [turn.id for turn in made.store.turns()]
    assert made.store.occupied() < 1_000_000 and not made.service.full
    assert shown <= set(left) and left[-1] == "turn-62" and "turn-3" not in left
    assert made.service.katas()[0].id == kata.id
    assert made.service.thin() == 0 and made.service.thinned > 0
    text = " ".join(commands.run(made.service, ("status",), "cli").text.split())
    assert "MB in use" in text and "max_mb 1 (from config.yaml)" in text
    made.close()


def test_the_history_is_read_until_the_file_is_full_newest_first() -> None:
    """B55: and the second time changes nothing."""
    shelf = Shelf()
    for number in range(40):
        shelf.begin(f"s{number}")
        shelf.turn(f"s{number}", ("read_file", {"path": str(number)}, {"content": incompressible(number)}))
    one = learning(shelf, settings=Settings(max_mb=1))
    first = recall.learn(one.service, 30)
    assert first.full and "s39" in first.conversations and "s0" not in first.conversations
    assert recall.learn(one.service, 30).turns == 0
    more = Service(one.store, Settings(max_mb=9), one.service.door)
    assert "s0" in recall.learn(more, 30).conversations, "when more may be kept, more is read"
