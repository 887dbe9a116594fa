"""Learning from the history that the host keeps: on real SQLite, from rows as the host writes them; nothing counts twice."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kata import commands, recall
from kata.asking import Answer
from kata.model import Call, Event, Outcome, Refused, State, Status, StoreError, TurnEnd, TurnStart
from kata.service import Service
from kata.settings import Settings
from kata.tables import MIGRATIONS, _past, migrate
from kata.turns import Line, Session
from kata.validator import fingerprint

from .shelves import AT, Shelf, routine, sh
from .stand_in import SCHEMAS, parameters
from .strategies import Bench, bench
from .strategies import sh as did

Json = Any
WORDS = ("amber", "birch", "cobalt")


class Standing:
    """A clock that stands."""

    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def desk(shelf: Shelf, path: Path | None = None, settings: Settings | None = None) -> Bench:
    """A service for which the shelf is what the host keeps, an hour after the last message."""
    made = bench(path, settings or Settings(), Standing(shelf.now + 3_600))

    def known(tool: str) -> Json:
        return parameters(SCHEMAS[tool]) if tool in SCHEMAS else None

    def today(tool: str) -> str | None:
        return None if known(tool) is None else fingerprint(known(tool))

    door = replace(made.service.door, archive=shelf, parameters=known, schema=today)
    made.service = Service(made.service.store, made.service.settings, door)
    return made


def chats(*words: str) -> Shelf:
    """One session a word, each with the routine."""
    shelf = Shelf()
    for word in words:
        shelf.begin(f"s-{word}")
        shelf.turn(f"s-{word}", *routine(word), message=f"the TODO about {word}")
        shelf.end(f"s-{word}")
    return shelf


def file_of(one: Bench) -> list[tuple[Any, ...]]:
    """Every row that the file holds of turns and calls."""
    with one.store._using("DEFERRED") as db:
        return [*db.execute("SELECT * FROM turns ORDER BY number"), *db.execute("SELECT * FROM events ORDER BY turn, position")]


# ── What is brought, and that it is brought once ─────────────────────────────────────────────────


def test_what_the_host_kept_is_a_proposal_in_the_same_command_and_once_only() -> None:
    """Day one."""
    one = desk(chats(*WORDS))
    told = recall.learn(one.service, 30)
    (kata,) = one.service.katas()
    assert (told.turns, len(told.conversations), told.calls["person"]) == (3, 3, 9)
    assert (kata.version.fit.support, len(kata.version.spec.steps), kata.state) == (3, 3, State.CANDIDATE)
    before = file_of(one)
    again = recall.learn(one.service, 30)
    assert again.turns == 0 and again.left == {recall.THERE: 3} and file_of(one) == before
    assert one.service.katas() == (kata,)


def test_what_was_recorded_as_it_happened_does_not_count_again() -> None:
    """B39: the same calls, told by the hooks before, and by the host's rows now."""
    shelf = chats(*WORDS)
    one = desk(shelf)
    for name, rows in shelf.rows.items():
        calls = [row for row in rows if row["role"] == "tool"]
        one.service.record([TurnStart(f"{name}:live", name, name, "cli", "person", rows[0]["timestamp"], "please")])
        for at, row in enumerate(calls):
            call = sh("ls")
            event = replace(_event(f"{name}:live", at, call), call_id=row["tool_call_id"], ended=row["timestamp"] + 0.1)
            one.service.record([event])
        one.service.record([TurnEnd(f"{name}:live", rows[-1]["timestamp"])])
    told = recall.learn(one.service, 30)
    assert told.turns == 0 and told.left == {recall.THERE: 3}


def _event(turn: str, at: int, done: Any) -> Event:
    return Event(Call(done[0], done[1]), Outcome(Status.OK, done[2]), turn, f"c{at}", at)


def test_it_can_be_stopped_at_any_conversation_and_done_again() -> None:
    """Killed in the middle: what was written stays, and the next time brings the rest."""
    shelf = chats(*WORDS, "dune", "elm")
    whole = desk(chats(*WORDS, "dune", "elm"))
    recall.learn(whole.service, 30)
    for stop in range(1, 5):

        class Torn(Shelf):
            left = stop

            def lines(self, one: Session) -> list[Line]:
                self.left -= 1
                if self.left < 0:
                    raise KeyboardInterrupt
                return super().lines(one)

        torn = Torn(shelf.found, shelf.rows, shelf.now)
        one = desk(torn)
        with pytest.raises(KeyboardInterrupt):
            recall.learn(one.service, 30)
        torn.left = 100
        recall.learn(one.service, 30)
        assert one.store.facts()["calls"] == whole.store.facts()["calls"] == 15
        assert [kata.version.fit for kata in one.service.katas()] == [kata.version.fit for kata in whole.service.katas()]


def test_what_stands_in_the_file_is_masked_like_any_record(tmp_path: Path) -> None:
    """K29"""
    shelf = Shelf()
    shelf.begin("s")
    secret = "ghp_" + "Zk3Vq9Lm2Xw7Rt5Yb8Nc1Pd4Hf6Jg0Sa9QeT"
    shelf.turn("s", sh(f"curl -H 'Authorization: Bearer {secret}' https://x.example", f"token {secret}"), message=f"use {secret}")
    one = desk(shelf, tmp_path / "data.db")
    recall.learn(one.service, 30)
    turn = next(one.store.turns())
    assert secret not in str(file_of(one)) and "KATASECRET" in str(turn.events[0].call.arguments)
    one.close()
    assert secret.encode() not in (tmp_path / "data.db").read_bytes()


def test_the_newest_come_first_and_stand_after_the_older_ones() -> None:
    """A12: the newest conversations are those that are scored."""
    one = desk(chats(*WORDS))
    recall.learn(one.service, 30)
    assert [turn.conversation for turn in one.store.turns()] == [f"s-{word}" for word in WORDS]
    live = one.turn("now", did("ls"))
    assert [turn.id for turn in one.store.turns()][-1] == live


@pytest.mark.parametrize(("source", "more", "who"), [("cron", {}, "cron"), ("telegram", {"chat_type": "group"}, "group")])
def test_whose_calls_they_are_is_told_and_obeyed(source: str, more: Json, who: str) -> None:
    """A2; B24: timers are no habits of a person, unless the setting names them."""
    for settings, found in ((Settings(), 0), (Settings(learn_from=(who,)), 1)):
        shelf = chats(*WORDS)
        for row in shelf.found:
            row |= {"source": source} | more
        one = desk(shelf, settings=settings)
        told = recall.learn(one.service, 30)
        assert told.calls == {who: 9} and len(one.service.katas()) == found


def test_a_timer_that_repeats_one_call_for_hours_is_no_routine() -> None:
    """B24: fifteen turns in each of six sessions of a scheduled job, and one chat that says the same five times."""
    shelf = Shelf()
    for number in range(6):
        shelf.begin(f"cron_{number}", "cron")
        for _ in range(15):
            shelf.turn(f"cron_{number}", ("write_file", {"path": "hb.md", "content": "alive"}, {"bytes_written": 5}))
    shelf.begin("chat")
    for _ in range(5):
        shelf.turn("chat", sh("ls a"), sh("wc -l a"), sh("cat a"))
    one = desk(shelf)
    recall.learn(one.service, 30)
    assert one.service.katas() == ()


def test_a_conversation_that_was_compressed_is_one_of_three(tmp_path: Path) -> None:
    """B22: S1 and its continuation S2 are one conversation, what was undone in the third does not count twice."""
    shelf = Shelf()
    first, second, third = (routine(word) for word in WORDS)
    shelf.begin("S1")
    rows = shelf.turn("S1", *first[:2], over=False)
    shelf.end("S1", "compression")
    shelf.begin("S2", parent_session_id="S1")
    shelf.compress("S1", "S2", rows[1:])
    shelf.call("S2", first[2])
    shelf.row("S2", "assistant", "Done.")
    shelf.begin("S3")
    shelf.turn("S3", *second)
    shelf.begin("S4")
    for row in shelf.turn("S4", *third[:2]):
        row["active"] = 0
    shelf.turn("S4", *third)
    one = desk(shelf)
    told = recall.learn(one.service, 30)
    (kata,) = one.service.katas()
    assert told.conversations == {"S1", "S3", "S4"} and kata.version.fit.support == 3 and len(kata.version.spec.steps) == 3


def test_calls_of_kata_itself_are_no_step_of_anything() -> None:
    """A4; B27"""
    shelf = Shelf()
    for word in WORDS:
        shelf.begin(f"s-{word}")
        shelf.turn(f"s-{word}", sh(f"ls {word}"), ("kata_note", {"word": word}, {"status": "ok"}), sh(f"hermes kata show {word}"))
    one = desk(shelf)
    recall.learn(one.service, 30)
    assert one.service.katas() == () and one.store.facts()["calls"] == 9


# ── How far back, and what is kept ───────────────────────────────────────────────────────────────


def test_no_more_is_read_than_the_days_that_are_kept_unless_it_is_asked_for() -> None:
    """B55; what comes from before that is kept for as long from now on."""
    shelf = chats("old")
    shelf.now = AT + 100 * recall.DAY_S
    shelf.begin("s-new")
    shelf.turn("s-new", *routine("new"))
    one = desk(shelf)
    assert recall.learn(one.service, 30).conversations == {"s-new"}
    assert recall.learn(one.service, 365).conversations == {"s-old"}
    clock: Any = one.service.door.clock
    for days, kept in ((29, 2), (31, 0)):
        clock.now = shelf.now + days * recall.DAY_S
        one.store.note("tidied", "0")
        one.service.tidy()
        assert one.store.facts()["turns"] == kept, f"after {days} days"


def test_a_turn_that_is_still_under_way_waits_for_the_next_time() -> None:
    shelf = chats(*WORDS)
    shelf.begin("s-dune")
    shelf.turn("s-dune", *routine("dune")[:2], over=False)
    one = desk(shelf)
    clock: Any = one.service.door.clock
    clock.now = shelf.now + 60
    told = recall.learn(one.service, 30)
    assert told.turns == 3 and told.left == {recall.OPEN: 1}
    shelf.call("s-dune", routine("dune")[2])
    shelf.row("s-dune", "assistant", "Done.")
    assert recall.learn(one.service, 30).turns == 1


def test_what_went_on_while_the_recording_was_off_is_not_learnt_later() -> None:
    """K99"""
    shelf = chats("amber")
    one = desk(shelf)
    clock: Any = one.service.door.clock
    clock.now = shelf.now
    one.service.pause(True)
    shelf.now += 10
    shelf.begin("s-birch")
    shelf.turn("s-birch", *routine("birch"))
    clock.now = shelf.now + 5
    one.service.pause(False)
    told = recall.learn(one.service, 30)
    assert told.conversations == {"s-amber"} and told.left == {recall.VEILED: 1}


def test_what_was_erased_does_not_come_back() -> None:
    one = desk(chats(*WORDS))
    recall.learn(one.service, 30)
    one.service.purge("text", "TODO birch", "cli")
    told = recall.learn(one.service, 30)
    assert told.turns == 0 and told.left == {recall.THERE: 2, recall.VEILED: 1}
    assert "birch" not in str([turn.events for turn in one.store.turns()])


# ── Looking before, and being told ───────────────────────────────────────────────────────────────


def test_a_preview_tells_all_of_it_and_keeps_nothing(tmp_path: Path) -> None:
    one = desk(chats(*WORDS), tmp_path / "data.db")
    one.store.facts()
    before = file_of(one)
    told = recall.preview(one.service, 30)
    assert told.turns == 3 and [len(kata.version.spec.steps) for kata in told.mined.proposed] == [3]
    assert file_of(one) == before and one.service.katas() == () and one.store.noted("learner") == ""


def said(one: Bench, *words: str) -> Answer:
    return commands.run(one.service, words, "cli")


def test_the_command_tells_what_was_read_and_what_was_found() -> None:
    one = desk(chats(*WORDS))
    shown = said(one, "learn", "--preview")
    assert shown.text.startswith("Would learn from the last 30 days") and shown.json["done"] is False
    assert "Nothing was kept. To do it: hermes kata learn" in shown.text
    done = said(one, "learn")
    assert done.text.startswith("Learnt from the last 30 days that Hermes keeps: 9 calls in 3 turns of 3")
    assert "hermes kata review 1" in done.text and [kata["id"] for kata in done.json["proposed"]] == [1]
    assert said(one, "learn").text.startswith("Nothing new")
    assert said(one, "learn", "--since", "90", "--preview").json["days"] == 90


@pytest.mark.parametrize("words", [("--since",), ("--since", "soon"), ("--since", "0"), ("all",), ("--since", "4000")])
def test_what_it_does_not_understand_it_says(words: tuple[str, ...]) -> None:
    one = desk(chats())
    assert said(one, "learn", *words).code == 2


def test_an_empty_file_offers_it_in_a_line_and_nothing_is_read_unasked() -> None:
    shelf = chats(*WORDS)
    one = desk(shelf)
    assert "hermes kata learn --preview" in " ".join(said(one).text.split())
    said(one, "status")
    assert shelf.opens == 0
    recall.learn(one.service, 30)
    assert "learn --preview" not in said(one).text


def test_without_a_history_the_reason_is_told() -> None:
    class Nothing:
        def opened(self) -> Any:
            raise StoreError("There are no conversations of Hermes here that could be read")

    one = desk(chats())
    one.service = Service(one.store, one.service.settings, replace(one.service.door, archive=Nothing()))
    told = said(one, "learn")
    assert told.code == 1 and "no conversations of Hermes" in told.text and one.store.noted("learner") == ""
    one.service = Service(one.store, one.service.settings, replace(one.service.door, archive=None))
    with pytest.raises(Refused):
        recall.learn(one.service, 30)


def test_two_do_not_read_at_once() -> None:
    one = desk(chats(*WORDS))
    one.service = Service(one.store, one.service.settings, replace(one.service.door, owner="me", alive=lambda owner: True))
    assert one.store.lease("somebody", lambda owner: True, "learner", one.service.door.clock())
    with pytest.raises(Refused, match="Another process"):
        recall.learn(one.service, 30)


def test_a_person_who_waits_sees_how_far_it_is() -> None:
    seen: list[str] = []
    shelf = chats(*WORDS)
    one = desk(shelf)

    class Watched(Shelf):
        def lines(self, each: Session) -> list[Line]:
            seen.append(one.service.doing)
            return super().lines(each)

    door = replace(one.service.door, archive=Watched(shelf.found, shelf.rows, shelf.now))
    one.service = Service(one.store, one.service.settings, door)
    recall.learn(one.service, 30)
    assert seen[0].endswith("0 of 3 conversations read") and re.fullmatch(r"\[#{20}\.{10}\] 2 of 3 conversations read", seen[-1])
    assert one.service.doing == ""


def test_a_file_of_the_version_before_takes_the_history_too(tmp_path: Path) -> None:
    path = tmp_path / "data.db"
    db = sqlite3.connect(path, isolation_level=None)
    migrate(db, MIGRATIONS[: MIGRATIONS.index(_past)])
    columns = "id, session, conversation, platform, who, started, ended, message"
    db.execute(f"INSERT INTO turns ({columns}) VALUES ('t', 's', 's', 'cli', 'person', {AT}, {AT}, x'54')")
    db.close()
    two = desk(chats(*WORDS), path)
    recall.learn(two.service, 3_650)
    assert two.store.facts()["turns"] == 4
    two.close()


def test_a_call_of_the_history_is_known_to_be_of_its_day() -> None:
    """T28: a date in what Hermes kept is not replayed as it was either; which branch was checked out by then nobody knows."""
    one = desk(chats(*WORDS))
    recall.learn(one.service, 3_650)
    events = [event for turn in one.store.turns() for event in turn.events]
    assert events and all(set(event.around) == {"today", "yesterday"} for event in events)
    one.close()
