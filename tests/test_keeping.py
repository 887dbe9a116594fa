"""What is kept: masked before it is written, forgotten in time, on real SQLite."""

import json
import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from strategies import NOW, Bench, Did, bench, events, sh, tool

from kata import commands
from kata.discretion import RESULT_BYTES
from kata.model import Kata, Outcome, TurnEnd, TurnStart
from kata.service import Service
from kata.settings import Settings

A, B, C, D = sh("git pull --rebase origin"), sh("make build-release"), sh("npm run lint-all"), sh("docker compose up-all")


@pytest.fixture
def desk() -> Iterator[Bench]:
    """A service in memory."""
    with closing(bench()) as one:
        yield one


# ── Recording ────────────────────────────────────────────────────────────────────────────────────


def test_what_is_recorded_comes_back_masked(desk: Bench) -> None:
    """Arguments, result, reason, folder and the user's words."""
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
    """The same secret, the same placeholder, whatever the turn."""
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


# ── Settings that change what is kept and learnt ─────────────────────────────────────────────────


def test_without_results_no_result_is_kept_and_the_call_is(desk: Bench) -> None:
    lean = Service(desk.store, Settings(keep_results=False), desk.service.door)
    lean.record(
        [TurnStart("t1", "s1", "c1", "cli", "person", NOW), *events("t1", [sh("git status", "secret text")]), TurnEnd("t1", NOW + 9)]
    )
    (event,) = desk.store.turn("t1").events  # type: ignore[union-attr]
    assert event.outcome.ok and event.outcome.result is None and event.call.arguments == {"command": "git status"}


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


def ran(desk: Bench, kata: Kata, name: str, output: str) -> None:
    """A run that came to its end, each step with that output."""
    answer = json.dumps({"output": output, "exit_code": 0, "error": None, "matches": [{"path": "src/cli.py"}], "content": "x"})
    desk.service.start(kata, {"branch": "fix-crash"}, name, "s1", lambda asked: Outcome.read(answer))


def test_what_runs_called_is_forgotten_with_the_history_and_that_they_were_is_not(tmp_path: Path) -> None:
    """K98, T9: what a step answered is as old as any other call; how often a kata ran, and how that ended, is counted on."""
    now = [NOW]
    with closing(bench(tmp_path / "kata.db", clock=lambda: now[0])) as desk:
        kata = desk.approved()
        ran(desk, kata, "old", "MEADOWLARK")
        now[0] = NOW + 31 * 86_400
        ran(desk, kata, "new", "BOBOLINK")
        desk.service.tidy()
        old, new = desk.store.run("old"), desk.store.run("new")
        assert old is not None and new is not None and new.steps and new.inputs == {"branch": "fix-crash"}
        assert (old.steps, old.inputs, old.status, old.finished) == ((), {}, new.status, NOW)
        told = " ".join(commands.run(desk.service, ["runs", "old"], "cli").text.split())
        assert "is no longer kept" in told and "none is kept" in told and desk.store.used()[kata.id]["runs"] == 2
        assert "MEADOWLARK" not in str(desk.store.runs()) and "BOBOLINK" in str(desk.store.runs())


def test_runs_alone_do_not_make_the_file_larger_than_its_owner_wants(tmp_path: Path) -> None:
    """T9, B55: the oldest go, while what may still be resumed stays."""
    now, drawn = [NOW], random.Random(5)
    with closing(bench(tmp_path / "kata.db", Settings(max_mb=1), clock=lambda: now[0])) as desk:
        kata = desk.approved()
        for n in range(12):
            now[0] += 86_400.0
            ran(desk, kata, f"r{n}", drawn.randbytes(30_000).hex())
        assert desk.service.full
        desk.service.thin()
        kept = [bool(run.steps) for run in desk.store.runs(kata.id)]
        assert not desk.service.full and kept == sorted(kept, reverse=True) and kept[0] and len(kept) == 12


def test_what_an_older_masker_let_through_is_masked_when_a_newer_one_comes(desk: Bench) -> None:
    """Rows carry the masker's version."""
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
