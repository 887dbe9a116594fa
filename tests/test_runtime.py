"""The door to Hermes: hooks that never break the agent, katas as tools, the question before an effect; against a stand-in host, on a real
file. (K26, A33, T75)"""

from __future__ import annotations

import contextvars
import json
import logging
import os
import re
import shlex
import sqlite3
import sys
import threading
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from test_history import standing_in

from kata import register
from kata.model import (
    Ambient,
    Call,
    Class,
    Command,
    Concat,
    Effect,
    Event,
    Example,
    Fit,
    Hole,
    Input,
    InputField,
    Literal,
    Outcome,
    Proposal,
    Refused,
    RunRow,
    Spec,
    State,
    Status,
    StepTrace,
    TurnStart,
)
from kata.rows import unbind
from kata.tables import MIGRATIONS
from kata.terminal import arguments

from .stand_in import (
    EXTERNAL,
    WRITE,
    Context,
    Probe,
    approve,
    decide,
    disable,
    installed,
    locked,
    process,
    propose,
    reader,
    sender,
    step,
)

HOOKS = {
    "pre_llm_call",
    "post_api_request",
    "pre_tool_call",
    "post_tool_call",
    "on_session_start",
    "on_session_end",
    "on_session_finalize",
    "pre_command",
}
STATIC = {"kata_list", "kata_resume"}
PATIENCE = 5.0
S1 = "20261130_100000_aaaaaa"
T1 = f"{S1}:{S1}:00000001"
IDS = {"session_id": S1, "task_id": S1, "turn_id": T1}


@dataclass
class Host:
    """A stand-in host with the plugin on it; `file` is the plugin's."""

    file: Path
    home: Path
    context: Context

    def fire(self, name: str, **payload: Any) -> Any:
        return self.context.hooks[name](telemetry_schema_version="hermes.observer.v1", **payload)

    def say(self, **payload: Any) -> None:
        self.fire("pre_llm_call", **({**IDS, "user_message": "do it", "platform": "cli", "parent_session_id": ""} | payload))

    def done(self, tool: str = "terminal", call: str = "c1", **payload: Any) -> None:
        told = {"tool_name": tool, "args": {"command": "ls"}, "result": "{}", "status": "ok", "tool_call_id": call, "duration_ms": 5}
        self.fire("post_tool_call", **({**IDS, **told} | payload))

    def end(self) -> None:
        self.fire("on_session_end", completed=True, failed=False, interrupted=False, platform="cli", **IDS)

    def ask(self, tool: str, args: Any, **payload: Any) -> Any:
        return self.fire("pre_tool_call", **({**IDS, "tool_name": tool, "args": args, "tool_call_id": "k1"} | payload))

    def call(self, tool: str, args: Any, **place: Any) -> dict[str, Any]:
        """The handler of a tool, as the host calls it; its answer must be JSON text."""
        text = self.context.tools[tool].handler(args, **({"task_id": S1, "session_id": S1, "user_task": None} | place))
        assert isinstance(text, str)
        answer = json.loads(text)
        assert isinstance(answer, dict)
        return answer

    def calls(self) -> list[str]:
        """The ids of the recorded calls, all turns."""
        with closing(sqlite3.connect(self.file)) as db:
            return [row[0] for row in db.execute("SELECT call_id FROM events ORDER BY turn, position")]

    def unload(self) -> None:
        for callback in self.context.unloads:
            callback()


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., Host]]:
    """A way to load the plugin on a stand-in host, with settings; unloaded and taken away at the end."""
    (tmp_path / "project").mkdir()
    with ExitStack() as stack:
        file = stack.enter_context(installed(tmp_path))

        def load(**config: Any) -> Host:
            host = Host(file, tmp_path, Context(config))
            stack.callback(host.unload)
            register(host.context)
            return host

        yield load


@pytest.fixture
def host(opened: Callable[..., Host]) -> Host:
    return opened()


def writers() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "kata-writer"}


# ── Opening ──────────────────────────────────────────────────────────────────────────────────────


def test_everything_is_registered_in_the_toolset_of_kata(host: Host) -> None:
    """K101, K102, trap 1: two static tools keep the toolset reachable."""
    assert set(host.context.hooks) == HOOKS
    assert set(host.context.tools) == STATIC
    assert {tool.toolset for tool in host.context.tools.values()} == {"kata"}
    assert set(host.context.commands) == {"kata", "hermes kata"}
    assert set(host.context.sections) == {"kata.active"}
    assert len(host.context.unloads) == 1
    assert all(tool.schema["name"] == name and isinstance(tool.schema["parameters"], dict) for name, tool in host.context.tools.items())


def test_register_starts_no_thread_and_the_first_event_starts_the_writer(opened: Callable[..., Host]) -> None:
    """K11."""
    before = set(threading.enumerate())
    host = opened()
    assert set(threading.enumerate()) == before
    host.say()
    assert len(writers() - before) == 1
    host.done()
    host.end()
    assert host.calls() == ["c1"]
    host.unload()
    assert writers() - before == set()


def test_the_validators_stub_is_enough_to_register(opened: Callable[..., Host]) -> None:
    """A35, K105: register_* answer None there and `ctx.manifest` raises; an approved kata changes nothing."""
    approve(opened().file, reader(), "look")
    before = set(threading.enumerate())
    register(Probe())
    assert set(threading.enumerate()) == before


def newer(file: Path) -> None:
    with closing(sqlite3.connect(file)) as db:
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")


def damaged(file: Path) -> None:
    file.write_bytes(b"this is no database\n" * 500)


@pytest.mark.parametrize(("spoil", "reason"), [(newer, "update the Kata plugin"), (damaged, "not a database")])
def test_a_file_that_cannot_be_used_costs_the_katas_and_nothing_else(
    opened: Callable[..., Host], spoil: Callable[[Path], None], reason: str
) -> None:
    """B41, B45: static tools are there, one line says why, the agent works and the file is left alone."""
    opened().unload()
    file = opened().file
    spoil(file)
    before = file.read_bytes()
    host = opened()
    assert set(host.context.tools) == STATIC
    host.say()
    host.done()
    host.end()
    assert host.ask("terminal", {"command": "ls"}) is None
    assert "katas" in host.call("kata_list", {})
    assert reason in host.context.status() or reason in " ".join(host.context.commands["kata"]("list").split())
    assert file.read_bytes() == before


def test_a_locked_file_costs_the_katas_until_the_next_turn(opened: Callable[..., Host]) -> None:
    """Registered in under a second, with the katas as soon as the file is free."""
    file = opened().file
    approve(file, reader(), "look")
    host = Host(file, file.parent, Context())
    with locked(file):
        began = time.monotonic()
        register(host.context)
        seconds = time.monotonic() - began
        assert set(host.context.tools) == STATIC
    host.say()
    try:
        assert host.context.katas == {"kata_look"}
        assert "busy" not in host.context.status()
        assert seconds < 1.0
    finally:
        host.unload()


def test_a_host_that_lacks_a_surface_is_named_in_status(tmp_path: Path) -> None:
    class Older(Context):
        register_system_prompt_section = None  # type: ignore[assignment]

    with installed(tmp_path):
        context = Older()
        register(context)
        assert set(context.tools) == STATIC
        assert "lacks register_system_prompt_section" in context.status()
        for callback in context.unloads:
            callback()


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"min_support": "many"}, "min_support: expected a whole number from 2 to 100, got 'many'; using 3"),
        ({"min_support": [3]}, "min_support: expected a whole number from 2 to 100, got [3]; using 3"),
        ({"min_confidence": 1.5}, "min_confidence: expected a number from 0 to 1, got 1.5; using 0.75"),
        ({"record": "perhaps"}, "record: expected true or false, got 'perhaps'; using True"),
        ({"retention_days": -1}, "retention_days: expected a whole number from 1 to 3650, got -1; using 30"),
        ({"max_steps": True}, "max_steps: expected a whole number from 2 to 20, got True; using 8"),
        ({"step_timeout_s": float("nan")}, "step_timeout_s: expected a whole number"),
        ({"read_retries": {}}, "read_retries: expected a whole number from 0 to 5, got {}; using 1"),
    ],
)
def test_a_setting_of_the_wrong_type_becomes_a_line_of_status(opened: Callable[..., Host], config: dict[str, Any], said: str) -> None:
    """B51, B41."""
    assert said in opened(**config).context.status()


def test_settings_written_as_text_are_understood(opened: Callable[..., Host]) -> None:
    """B51: "3" is 3, "false" is false."""
    status = opened(min_support="4", record="false").context.status()
    assert "min_support 4" in status
    assert "Recording off" in status


def test_nothing_arrived_is_said_plainly(host: Host) -> None:
    """B41."""
    assert "nothing has arrived from Hermes" in host.context.status()
    host.say()
    host.done()
    host.end()
    assert "nothing has arrived" not in host.context.status()
    assert "1 call, 1 turn" in host.context.status()


# ── Recording ────────────────────────────────────────────────────────────────────────────────────


def test_recording_is_off_when_the_setting_says_so(opened: Callable[..., Host]) -> None:
    """Setting `record`."""
    host = opened(record=False)
    host.say()
    host.done()
    host.end()
    host.fire("on_session_finalize", session_id=S1, platform="cli", reason="shutdown")
    assert host.calls() == []


def test_the_writer_does_not_start_while_nothing_is_recorded(opened: Callable[..., Host]) -> None:
    """It starts with the first event, and there is none."""
    before = writers()
    host = opened(record=False)
    host.say()
    host.end()
    assert writers() == before


def test_approved_katas_go_on_working_while_recording_is_off(opened: Callable[..., Host]) -> None:
    host = opened(record=False)
    approve(host.file, reader(), "look")
    host.say()
    assert host.call("kata_look", {"path": "a.md"})["status"] == "ok"


def test_a_turn_is_on_disk_when_its_end_was_told(host: Host) -> None:
    """A1: neither an exit callback nor `on_unload` is relied on."""
    host.say()
    for number in range(5):
        host.done(call=f"c{number}")
    host.end()
    assert host.calls() == ["c0", "c1", "c2", "c3", "c4"]


def test_each_call_is_kept_with_the_folder_that_it_began_in(host: Host) -> None:
    """B44: what a `terminal` of this task told last, else where the agent works."""
    host.say()
    host.done(result='{"output": "", "exit_code": 0, "cwd": "/srv/app"}')
    host.done("read_file", "c2", args={"path": "a"})
    host.done("read_file", "c3", args={"path": "a"}, task_id="other")
    host.end()
    with process(host.file) as store:
        turn = store.turn(T1)
        assert turn is not None
        project = str(host.home / "project")
        assert [event.folder for event in turn.events] == [project, "/srv/app", project]


# ── Hooks never break the agent ──────────────────────────────────────────────────────────────────


class Odd:
    """Raises whatever is asked of it."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __repr__(self) -> str:
        raise self.error

    def __str__(self) -> str:
        raise self.error

    def __bool__(self) -> bool:
        raise self.error


class Shy(Exception):
    """An exception that cannot be shown either."""

    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    __str__ = __repr__


def cycle() -> dict[str, Any]:
    knot: dict[str, Any] = {"a": 1}
    knot["self"] = [knot]
    return knot


def deep(levels: int) -> list[Any]:
    nest: list[Any] = []
    for _ in range(levels):
        nest = [nest]
    return nest


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.binary(max_size=4),
    st.text(st.characters(), max_size=6),
    st.sampled_from(["\ud835 half", "\x00\x1b", "terminal", "kata_look", "kata_ship", S1, T1, "cli"]),
    st.builds(lambda: Odd(RuntimeError("no"))),
    st.builds(cycle),
    st.builds(lambda: deep(3_000)),
    st.builds(object),
    st.builds(lambda: SimpleNamespace(tool_calls=[SimpleNamespace(id=b"x"), {"id": 3}, None])),
)
VALUES = st.recursive(
    SCALARS,
    lambda one: st.one_of(
        st.lists(one, max_size=3),
        st.dictionaries(st.one_of(st.text(max_size=3), st.integers(), st.none(), st.binary(max_size=2)), one, max_size=3),
        st.frozensets(st.integers(), max_size=2),
    ),
    max_leaves=6,
)
NAMES = st.one_of(
    st.sampled_from(
        "turn_id session_id task_id parent_session_id platform user_message tool_name args result tool_call_id api_request_id "
        "duration_ms status assistant_message usage api_duration model folder conversation_history reason hook mined".split()
    ),
    st.text("abcxyz_", min_size=1, max_size=8),
)


@pytest.fixture(scope="module")
def worn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """One plugin for all that hypothesis throws at it, with a kata that reads and one that asks."""
    home = tmp_path_factory.mktemp("worn")
    logging.getLogger("kata").setLevel(logging.CRITICAL)
    with installed(home) as file:
        host = Host(file, home, Context())
        register(host.context)
        approve(file, reader(), "look")
        approve(file, sender(), "ship")
        host.say()
        assert host.context.katas == {"kata_look", "kata_ship"}
        yield host
        host.unload()
    logging.getLogger("kata").setLevel(logging.NOTSET)


@given(st.sampled_from(sorted(HOOKS)), st.dictionaries(NAMES, VALUES, max_size=8))
@example("post_tool_call", {"turn_id": T1, "tool_name": "terminal", "args": cycle()})
@example("post_tool_call", {"turn_id": T1, "tool_name": "terminal", "args": {1: {(1, 2): 3}}})
@example("post_tool_call", {"tool_name": "terminal", "result": '{"cwd": ' + "[" * 5_000})
@example("post_api_request", {"assistant_message": {"tool_calls": 5}})
@example("pre_tool_call", {"tool_name": "kata_ship", "args": ["branch"]})
@example("pre_tool_call", {"tool_name": "kata_ship", "args": cycle()})
def test_no_hook_raises_whatever_it_is_told(worn: Host, hook: str, payload: dict[str, Any]) -> None:
    """B41, B46, trap 8: a hook that raises blocks the tool call of the agent."""
    answer = worn.fire(hook, **payload)
    assert answer is None or hook in ("pre_tool_call", "on_session_finalize")


@pytest.mark.parametrize("hook", sorted(HOOKS))
def test_a_hook_takes_any_keyword(host: Host, hook: str) -> None:
    """B41: the host adds keywords, and may choose any word for them."""
    assert host.context.hooks[hook]() is None
    host.context.hooks[hook](**{"brand new": 1, "args": None, "payload": 2, "self": 3, "hook": 4})


@pytest.mark.parametrize("name", ["tool_name", "task_id", "session_id", "platform", "result", "args"])
@pytest.mark.parametrize("hook", sorted(HOOKS))
def test_an_exception_that_cannot_be_shown_stays_inside(host: Host, hook: str, name: str) -> None:
    host.fire(hook, **{**IDS, "tool_name": "terminal", name: Odd(Shy())})


def test_the_writer_outlives_an_exception_that_cannot_be_shown(host: Host) -> None:
    host.say()
    host.say(turn_id="T2", platform=Odd(Shy()))
    host.end()
    host.done()
    host.end()
    assert host.calls() == ["c1"]


@pytest.mark.parametrize(
    ("hook", "payload"),
    [
        ("post_tool_call", {"tool_name": "terminal", "args": cycle()}),
        ("post_tool_call", {"tool_name": "terminal", "args": deep(3_000)}),
        ("post_api_request", {"assistant_message": {"tool_calls": 5}}),
        ("post_tool_call", {"tool_name": Odd(RuntimeError("no")), "args": {}}),
    ],
)
def test_a_fault_of_a_hook_is_noted(host: Host, hook: str, payload: dict[str, Any]) -> None:
    """K101: nothing is raised, and status says that something was lost."""
    host.say()
    host.fire(hook, **{**IDS, **payload})
    host.end()
    assert "Last fault" in host.context.status()


def test_a_payload_that_is_malformed_is_counted_in_status(host: Host) -> None:
    host.say()
    host.done(args="ls")
    host.done(call="c2")
    host.end()
    assert host.calls() == ["c2"]
    assert "1 payloads that were not what the host promises" in host.context.status()


def test_no_hook_waits_for_a_locked_file(host: Host) -> None:
    """A hook hands over and returns; the end of a turn waits 0.3 seconds, that of a conversation one."""
    host.say()
    host.done()
    host.end()
    with locked(host.file):
        began = time.monotonic()
        host.say(turn_id="T2")
        host.done(call="c2", turn_id="T2")
        assert host.ask("terminal", {"command": "ls"}) is None
        host.fire("post_api_request", **IDS)
        host.fire("on_session_start", session_id=S1, platform="cli")
        quick = time.monotonic() - began
        assert host.fire("on_session_end", **{**IDS, "turn_id": "T2"}) is None
        end = time.monotonic() - began - quick
        assert host.fire("on_session_finalize", session_id=S1, platform="cli", reason="shutdown") is None
        whole = time.monotonic() - began
    assert (quick < 1.0, end < 1.0, whole < 3.0) == (True, True, True)


def test_a_hook_after_the_unload_does_nothing(opened: Callable[..., Host]) -> None:
    """After a reload the old object refuses work."""
    before, host = writers(), opened()
    host.say()
    host.unload()
    host.done()
    host.end()
    assert host.ask("terminal", {"command": "ls"}) is None
    assert writers() == before
    assert host.calls() == []


# ── Katas come and go ────────────────────────────────────────────────────────────────────────────


def test_approved_katas_are_registered_when_the_plugin_opens(opened: Callable[..., Host]) -> None:
    """A35."""
    file = opened().file
    approve(file, reader(), "look")
    propose(file, sender(), "not approved")
    host = opened()
    assert host.context.katas == {"kata_look"}
    assert host.context.tools["kata_look"].toolset == "kata"


@pytest.mark.parametrize("hook", ["pre_llm_call", "on_session_start"])
def test_what_another_process_approved_is_there_from_the_next_turn(host: Host, hook: str) -> None:
    """K119, A39: the file's generation is looked at once a turn."""
    approve(host.file, reader(), "look")
    assert host.context.katas == set()
    host.fire(hook, **IDS)
    assert host.context.katas == {"kata_look"}
    host.fire(hook, **IDS)
    assert host.context.registered.count("kata_look") == 1


def test_what_another_process_took_away_is_let_go_at_the_next_turn(host: Host) -> None:
    kata = approve(host.file, reader(), "look")
    approve(host.file, sender(), "ship")
    host.say()
    disable(host.file, kata)
    host.say(turn_id="T2")
    assert host.context.katas == {"kata_ship"}
    assert "kata_look" not in host.context.sections["kata.active"](None)


def test_a_kata_that_was_taken_away_is_refused_at_once(host: Host) -> None:
    """The row is read before every run, so no turn needs to begin first."""
    kata = approve(host.file, reader(), "look")
    host.say()
    disable(host.file, kata)
    assert "not active" in host.call("kata_look", {"path": "a"})["error"]
    assert host.context.dispatched == []


def test_a_kata_whose_row_was_changed_is_refused(host: Host) -> None:
    """T42: what runs is what was approved."""
    approve(host.file, reader(), "look")
    host.say()
    with closing(sqlite3.connect(host.file)) as db, db:
        db.execute("UPDATE versions SET spec = replace(spec, 'ls -l', 'rm -rf x')")
    assert "changed outside Kata" in host.call("kata_look", {"path": "a"})["error"]
    assert host.context.dispatched == []


def test_an_approval_in_the_chat_is_live_at_once(host: Host) -> None:
    """A39: callable in the same session."""
    kata = propose(host.file, reader(), "look")
    assert "no name yet" in host.context.commands["kata"](f"review {kata.id}")
    # A proposal without examples does not pass the checks again, so that nothing is approved and nothing registered.
    answer = host.context.commands["kata"](f"approve {kata.id} as look")
    assert ("Approved" in answer) == (host.context.katas == {"kata_look"})


def test_a_name_that_the_host_refuses_is_told_in_status_and_to_nobody_else(opened: Callable[..., Host]) -> None:
    """Host contract 3: a collision answers None."""
    host = opened()
    host.context.refused.add("kata_look")
    approve(host.file, reader(), "look")
    host.say()
    assert host.context.katas == set()
    assert "kata_look: not registered" in " ".join(host.context.status().split()) or "kata_look" in host.context.status()
    assert "kata_look" not in host.context.sections["kata.active"](None)


def test_two_turns_that_begin_at_once_register_a_kata_once(host: Host) -> None:
    """Host contract 3: of two registrations the older one comes back when the newer is disposed."""
    approve(host.file, reader(), "look")
    inside, go, register_tool = threading.Event(), threading.Event(), host.context.register_tool

    def slow(**options: Any) -> Any:
        inside.set()
        go.wait(PATIENCE)
        return register_tool(**options)

    host.context.register_tool = slow  # type: ignore[assignment]
    turns = [threading.Thread(target=lambda: host.fire("on_session_start")) for _ in range(2)]
    turns[0].start()
    assert inside.wait(PATIENCE)
    inside.clear()
    turns[1].start()
    inside.wait(0.3)
    go.set()
    for turn in turns:
        turn.join(PATIENCE)
    assert host.context.registered.count("kata_look") == 1


# ── The question ─────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def ship(host: Host) -> Host:
    approve(host.file, sender(), "ship")
    host.say()
    return host


def test_a_kata_with_effects_asks_on_every_call_with_a_fresh_key(ship: Host) -> None:
    """K80, K81."""
    asked = [ship.ask("kata_ship", {"branch": "main"}) for _ in range(3)]
    assert {one["action"] for one in asked} == {"approve"}
    assert len({one["rule_key"] for one in asked}) == 3
    assert all(set(one) == {"action", "message", "rule_key"} for one in asked)


def test_the_question_names_every_effect_with_its_command_and_the_digest(ship: Host) -> None:
    """A24, host contract 5: some 500 characters are shown."""
    message = ship.ask("kata_ship", {"branch": "feature/x"})["message"]
    with process(ship.file) as store:
        digest = store.katas()[0].version.spec.digest
    for wanted in ("git push origin feature/x", "external", "write_file", "write", "rm -rf build", "destructive"):
        assert wanted in message[:500], wanted
    assert digest[:12] in message
    assert "'always' does not apply" in message


def test_every_effect_of_a_long_kata_is_named_in_the_first_500_characters(host: Host) -> None:
    """Host contract 5: the longest routine of the defaults, with long commands; every step that asks must be seen."""
    commands = [f"curl -X POST https://api{n}.org/" + "a" * 120 for n in range(8)]
    effects = [EXTERNAL] * 7 + [Effect(Class.WRITE, True)]
    steps = tuple(step("terminal", effect, command=Literal(text)) for effect, text in zip(effects, commands, strict=True))
    approve(host.file, Spec((), steps), "long")
    host.say()
    message = host.ask("kata_long", {})["message"][:500]
    assert [n for n in range(8) if f"api{n}.org" not in message] == []
    assert message.count("external") == 7
    assert "destructive" in message


def test_a_long_value_does_not_push_an_effect_out_of_the_question(ship: Host) -> None:
    message = ship.ask("kata_ship", {"branch": "b" * 5_000})["message"][:500]
    assert "git push origin" in message
    assert "write_file" in message
    assert "rm -rf build" in message


def test_a_value_cannot_write_into_the_question(ship: Host) -> None:
    """Control characters and line breaks would draw a question of their own."""
    lines = ship.ask("kata_ship", {"branch": "main"})["message"].count("\n")
    for branch in ("x\n1. read: ls\nRevision", "x\x1b[2J\x1b[H", "\ud835", "x\r\u202e"):
        message = ship.ask("kata_ship", {"branch": branch})["message"]
        assert message.count("\n") == lines
        assert not [character for character in message if not character.isprintable() and character != "\n"]
        message.encode()


@pytest.mark.parametrize("args", [{}, {"branch": 5}, {"branch": "main", "force": True}, {"branch": None}, None, "main", ["branch"], 7])
def test_wrong_arguments_never_ask_and_never_run(ship: Host, args: Any) -> None:
    """K69: a person is not asked about what cannot run."""
    assert ship.ask("kata_ship", args) is None
    assert "branch" in ship.call("kata_ship", args)["error"]
    assert ship.context.dispatched == []


def test_wrong_arguments_of_the_model_are_no_fault_of_ours(ship: Host) -> None:
    ship.ask("kata_ship", {})
    assert "Last fault" not in ship.context.status()


@pytest.mark.parametrize("tool", ["terminal", "kata_list", "kata_resume", "kata_look", "kata_unknown", "", None, 5])
def test_what_only_reads_and_what_is_not_ours_is_not_asked_about(ship: Host, tool: Any) -> None:
    approve(ship.file, reader(), "look")
    ship.say(turn_id="T2")
    assert ship.ask(tool, {"path": "a.md"}) is None


def test_a_kata_that_only_reads_runs_without_a_question(host: Host) -> None:
    approve(host.file, reader(), "look")
    host.say()
    assert host.call("kata_look", {"path": "a.md"})["status"] == "ok"
    assert [tool for tool, _, _ in host.context.dispatched] == ["read_file", "terminal"]


def test_a_call_that_was_not_asked_about_is_refused(ship: Host) -> None:
    """B02, F3: whoever dispatches the tool directly goes around the host's approval."""
    assert "must be approved" in ship.call("kata_ship", {"branch": "main"})["error"]
    assert ship.context.dispatched == []


def test_one_question_is_good_for_one_run(ship: Host) -> None:
    ship.ask("kata_ship", {"branch": "main"})
    assert ship.call("kata_ship", {"branch": "main"})["status"] == "ok"
    assert "must be approved" in ship.call("kata_ship", {"branch": "main"})["error"]
    assert len(ship.context.dispatched) == 3


@pytest.mark.parametrize(("branch", "place"), [("other", {}), ("main", {"session_id": "elsewhere"}), ("main", {"session_id": None})])
def test_a_question_is_good_for_these_arguments_in_this_session(ship: Host, branch: str, place: dict[str, Any]) -> None:
    ship.ask("kata_ship", {"branch": "main"})
    assert "must be approved" in ship.call("kata_ship", {"branch": branch}, **place)["error"]
    assert ship.context.dispatched == []


def test_a_question_that_was_answered_with_no_is_good_for_nothing(ship: Host) -> None:
    """B02: the host tells us of the refusal as status "blocked"; a later direct dispatch must not live on that question."""
    ship.ask("kata_ship", {"branch": "main"})
    refused = '{"error": "denied by the user"}'
    ship.done("kata_ship", "k1", args={"branch": "main"}, result=refused, status="blocked", error_type="plugin_block")
    assert "must be approved" in ship.call("kata_ship", {"branch": "main"})["error"]
    assert ship.context.dispatched == []


def test_a_kata_without_arguments_is_asked_about_whatever_the_host_sends_for_none(host: Host) -> None:
    approve(host.file, Spec((), (step("terminal", EXTERNAL, command=Literal("git push")),)), "push")
    host.say()
    nothing: tuple[Any, ...] = ({}, None)
    for args in nothing:
        assert host.ask("kata_push", args)["action"] == "approve"
        assert host.call("kata_push", args)["status"] == "ok"


def test_arguments_that_the_host_makes_fit_after_the_question_are_asked_about(host: Host) -> None:
    """K80, host contract 1: the hook sees what the model wrote ("2"), the handler what the host made of it by the schema (2)."""
    push = step("terminal", EXTERNAL, command=Literal("git push"))
    approve(host.file, Spec((InputField("limit", "integer"),), (step("web_search", limit=Input("limit")), push)), "count")
    host.say()
    assert (host.ask("kata_count", {"limit": "2"}) or {}).get("action") == "approve"
    assert host.call("kata_count", {"limit": 2})["status"] == "ok"


AROUND = InputField("name", "string", within=("logs/", ".log"))
AGE = InputField("days", "integer", default=7)


def keeper(host: Host) -> None:
    """An input that is a piece of a path, and one with a default."""
    path = Concat((Literal("logs/"), Input("name"), Literal(".log")))
    send = step("mcp__mail__send", EXTERNAL, path=path, days=Input("days"))
    sys.modules["tools.registry"].registry.schemas["mcp__mail__send"] = {"parameters": {}}
    approve(host.file, Spec((AROUND, AGE), (send, step("terminal", command=Literal("ls")))), "keep")
    host.say()


@pytest.mark.parametrize(
    ("args", "path"),
    [
        ({"name": "amber"}, "logs/amber.log"),
        ({"name": "logs/amber.log", "days": 7}, "logs/amber.log"),
        ({"name": "logs/logs/a.log.log"}, "logs/logs/a.log.log"),
    ],
)
def test_what_runs_is_what_the_question_showed_whatever_is_made_of_the_arguments(host: Host, args: Any, path: str) -> None:
    """A24, B26: a piece given with its surroundings is stripped once, not again on its way; a default counts in both."""
    keeper(host)
    assert f"path={path}, days=7" in host.ask("kata_keep", args)["message"]
    assert host.call("kata_keep", args)["status"] == "ok"
    assert host.context.dispatched[0][1] == {"path": path, "days": 7}


@pytest.mark.parametrize("args", [{"name": "amber"}, {"name": "logs/amber.log"}])
def test_a_no_is_a_no_whatever_is_made_of_the_arguments(host: Host, args: Any) -> None:
    """K80, F3: the question that was answered with no is good for no later call."""
    keeper(host)
    host.ask("kata_keep", args)
    host.done("kata_keep", "k1", args=args, status="blocked", result="denied")
    assert "must be approved" in host.call("kata_keep", args)["error"]


# ── Running ──────────────────────────────────────────────────────────────────────────────────────


def test_a_run_uses_the_callers_terminal_and_files_of_its_own(host: Host) -> None:
    """K70, A26, B44."""
    approve(host.file, reader(), "look")
    host.say()
    host.done(result='{"output": "", "exit_code": 0, "cwd": "/srv/app"}')
    host.call("kata_look", {"path": "a.md"})
    (read, terminal) = host.context.dispatched
    assert read[:2] == ("read_file", {"path": "/srv/app/a.md"})
    assert read[2]["task_id"].startswith(f"{S1}:kata:")
    assert terminal == ("terminal", {"command": "ls -l", "timeout": 60, "workdir": "/srv/app"}, {"task_id": S1, "session_id": S1})


def test_without_a_known_folder_a_run_starts_where_the_agent_is(host: Host) -> None:
    approve(host.file, reader(), "look")
    host.say()
    host.call("kata_look", {"path": "a.md"})
    assert host.context.dispatched[0][1] == {"path": str(host.home / "project" / "a.md")}


def dated() -> Spec:
    """Reads a file of the folder, then writes one of the day on the branch."""
    path = Concat((Ambient("folder"), Literal("/notes.md")))
    text = Concat((Ambient("today", "YYYY-MM-DD"), Literal(" on "), Ambient("branch")))
    return Spec((), (step("read_file", path=path), step("write_file", WRITE, path=Literal("log.md"), content=text)))


def test_what_is_around_a_run_is_captured_when_it_is_called_and_kept_with_it(host: Host) -> None:
    """T28: folder, branch and local date of now, asked about and told with the run; a run that goes on has those that it began with."""
    approve(host.file, dated(), "log")
    (host.home / "project" / ".git").mkdir()
    (host.home / "project" / ".git" / "HEAD").write_text("ref: refs/heads/topic/amber\n")
    days = {time.strftime("%Y-%m-%d")}
    host.say()
    asked = host.ask("kata_log", {})
    answer = host.call("kata_log", {})
    days.add(time.strftime("%Y-%m-%d"))
    first, second = (arguments for _, arguments, _ in host.context.dispatched)
    assert answer["status"] == "ok" and first["path"] == str(host.home / "project" / "notes.md")
    assert second["content"] in {f"{day} on topic/amber" for day in days}
    assert asked is None or any(day in asked["message"] for day in days)
    with process(host.file) as store:
        (run,) = store.runs()
    assert set(run.inputs) == {"@folder", "@today", "@branch"} and run.inputs["@branch"] == "topic/amber"


def test_where_no_branch_is_checked_out_nothing_is_run_and_the_answer_says_why(host: Host) -> None:
    """T28: not even the read in front of the step that would need it."""
    approve(host.file, dated(), "log")
    host.say()
    answer = host.call("kata_log", {})
    assert answer["error"].startswith("Nothing was run: Expected the current branch, and no branch is checked out")
    assert host.context.dispatched == []


def test_a_run_that_goes_on_has_the_surroundings_with_which_it_began(host: Host) -> None:
    """T28 with A21: the note of the day on which the work began, whatever day it is by then."""
    kata = approve(host.file, dated(), "log")
    around = {"@folder": "/srv/old", "@today": "2026-03-04", "@branch": "fix-birch"}
    row = RunRow("r1", kata.id, "kata_log", 1, kata.version.spec.digest, time.time(), None, Status.UNKNOWN, "", (), around, S1, "", "gone")
    with process(host.file) as store:
        store.begin_run(row)
        store.finish_run("r1", Status.REFUSED, "no", time.time(), [StepTrace(0, "read_file", Status.REFUSED)])
    host.say()
    answer = host.call("kata_resume", {"run": "r1"})
    assert answer["status"] == "ok", answer
    first, second = (arguments for _, arguments, _ in host.context.dispatched)
    assert (first["path"], second["content"]) == ("/srv/old/notes.md", "2026-03-04 on fix-birch")


def test_what_is_around_a_call_is_recorded_with_it(host: Host) -> None:
    """T28: home and local day, and the branch that was checked out before it; read behind the agent's back."""
    head = host.home / "project" / ".git" / "HEAD"
    head.parent.mkdir()
    head.write_text("ref: refs/heads/topic/amber\n")
    os.utime(head, (1_000.0, 1_000.0))
    days = {time.strftime("%Y-%m-%d")}
    host.say()
    host.done()
    host.end()
    days.add(time.strftime("%Y-%m-%d"))
    with process(host.file) as store:
        turn = store.turn(T1)
    assert turn is not None
    around = turn.events[0].around
    assert around["branch"] == "topic/amber" and around["root"] == str(host.home / "project") and around["today"] in days


def test_the_time_limit_of_a_step_is_a_setting(opened: Callable[..., Host]) -> None:
    """K78."""
    host = opened(step_timeout_s=7)
    approve(host.file, reader(), "look")
    host.say()
    host.call("kata_look", {"path": "a.md"})
    assert host.context.dispatched[1][1]["timeout"] == 7


def test_a_failed_step_stops_the_run_and_the_answer_names_it(ship: Host) -> None:
    """K74, K75: bad news must look bad."""
    ship.context.answer = lambda tool, arguments, **ids: '{"output": "rejected", "exit_code": 1, "error": null}'
    ship.ask("kata_ship", {"branch": "main"})
    answer = ship.call("kata_ship", {"branch": "main"})
    assert answer["error"].startswith("Step 1 of 3 (terminal) failed: exit code 1")
    assert [one["status"] for one in answer["steps"]] == ["error", "skipped", "skipped"]
    assert len(ship.context.dispatched) == 1


def test_a_kata_with_a_hanging_step_is_refused_until_it_is_done(opened: Callable[..., Host]) -> None:
    """A22, K79."""
    host, gate = opened(step_timeout_s=1), threading.Event()
    approve(host.file, reader(), "look")
    approve(host.file, reader("file"), "other")
    host.say()
    host.context.answer = lambda tool, arguments, **ids: gate.wait(30) and '{"content": "late"}'
    try:
        first = host.call("kata_look", {"path": "a.md"})
        assert [one["status"] for one in first["steps"]] == ["timeout", "skipped"]
        assert "still busy" in host.call("kata_look", {"path": "a.md"})["error"]
        assert len(host.context.dispatched) == 1
        host.context.answer = lambda tool, arguments, **ids: "{}"
        assert host.call("kata_other", {"file": "a.md"})["status"] == "ok"
    finally:
        gate.set()
        for worker in [one for one in threading.enumerate() if one.name == "kata-read_file"]:
            worker.join(PATIENCE)
    assert host.call("kata_look", {"path": "a.md"})["status"] == "ok"


def test_a_run_that_is_refused_for_a_hanging_step_does_not_use_up_the_question(opened: Callable[..., Host]) -> None:
    """A person who said yes is asked again on the next call anyway; but nothing may run on the answer to an older question."""
    host = opened()
    approve(host.file, sender(), "ship")
    host.say()
    host.ask("kata_ship", {"branch": "main"})
    host.call("kata_ship", {"branch": "main"})
    assert "must be approved" in host.call("kata_ship", {"branch": "main"})["error"]


ARGUMENTS = st.one_of(VALUES, st.dictionaries(st.sampled_from(["path", "branch", "x"]), VALUES, max_size=3))


@given(ARGUMENTS, st.sampled_from(["kata_look", "kata_ship"]))
@example({"path": "\ud835"}, "kata_look")
@example({"path": "\x00"}, "kata_look")
def test_a_kata_answers_with_json_text_whatever_it_is_given(worn: Host, args: Any, tool: str) -> None:
    """K69, host contract 3: any other answer is an error of the tool contract."""
    worn.context.dispatched.clear()
    answer = worn.call(tool, args)
    assert "error" in answer or isinstance(args, dict)
    assert tool == "kata_look" or worn.context.dispatched == []


def test_any_json_for_an_argument_of_any_type_is_answered_with_json_text(host: Host) -> None:
    """A field seen with several types takes any value: a deep one too."""
    approve(host.file, Spec((InputField("x", ""),), (step("web_search", q=Input("x")), step("web_search", q=Input("x")))), "any")
    host.say()
    for value in (None, 1e400, [1], {"a": None}, deep(200), deep(900)):
        host.call("kata_any", {"x": value})


@pytest.mark.parametrize("spoil", [newer, damaged])
def test_a_kata_answers_with_json_text_when_the_file_is_broken(host: Host, spoil: Callable[[Path], None]) -> None:
    approve(host.file, reader(), "look")
    host.say()
    spoil(host.file)
    assert "The Kata file" in host.call("kata_look", {"path": "a"})["error"]
    assert host.context.dispatched == []


def test_a_kata_answers_with_json_text_after_the_unload(host: Host) -> None:
    approve(host.file, reader(), "look")
    host.say()
    host.unload()
    assert "closed" in host.call("kata_look", {"path": "a"})["error"]
    assert host.context.dispatched == []


def test_a_step_with_an_effect_is_not_run_when_it_cannot_be_written_down_first(ship: Host) -> None:
    """A row before each step with an effect."""
    ship.ask("kata_ship", {"branch": "main"})
    with locked(ship.file):
        assert "busy" in ship.call("kata_ship", {"branch": "main"})["error"]
    assert ship.context.dispatched == []


def test_what_a_run_did_is_kept(ship: Host) -> None:
    """K75: `/kata runs` shows every step."""
    ship.ask("kata_ship", {"branch": "main"})
    run = ship.call("kata_ship", {"branch": "main"})["run"]
    shown = ship.context.commands["kata"]("runs")
    assert run in shown
    assert shown.count("ok") >= 4


HOSTILE = ["a b", "it's", '"; touch pwned; "', "$(touch pwned)", "x\ntouch pwned", "-r", "", "`touch pwned`", "'; touch pwned #"]


@pytest.mark.parametrize("value", HOSTILE)
def test_a_value_reaches_the_command_as_one_word_or_nothing_runs(host: Host, value: str) -> None:
    """B06: through the handler of the tool, down to what is dispatched."""
    grep = Command(('grep -n "', Hole(Input("word"), "double"), '" src/app.py'))
    approve(
        host.file, Spec((InputField("word", "string"),), (step("terminal", command=grep), step("terminal", command=Literal("ls")))), "find"
    )
    host.say()
    said = host.call("kata_find", {"word": value})
    if said.get("status") != "ok":
        assert host.context.dispatched == [] and "error" in said
    else:
        command = host.context.dispatched[0][1]["command"]
        assert not re.search(r"(?<!\\)[$`]", command), "nothing is left that the shell would carry out"
        assert shlex.split(re.sub(r"\\([$`])", r"\1", command)) == ["grep", "-n", value, "src/app.py"]


def test_each_run_has_its_own_values(host: Host) -> None:
    """B48."""
    approve(host.file, reader(), "look")
    host.say()
    for path in ("a.md", "b.md"):
        host.call("kata_look", {"path": path})
    assert [arguments["path"][-4:] for tool, arguments, _ in host.context.dispatched if tool == "read_file"] == ["a.md", "b.md"]


# ── Other plugins, other folders, other limits ───────────────────────────────────────────────────


def guard(answer: Callable[..., Any]) -> None:
    """Other plugins that answer so from the next lookup on."""
    sys.modules["hermes_cli.plugins"].__dict__["_dispatch_pre_tool_call_hooks"] = answer


def configure(**config: Any) -> None:
    """What config.yaml says."""
    sys.modules["hermes_cli.config"].__dict__["load_config_readonly"] = lambda: config


def test_a_step_asks_the_other_plugins_with_the_ids_of_the_call_of_the_kata(ship: Host) -> None:
    """A25, B02."""
    asked: list[Any] = []

    def answer(tool: str, args: Any, **ids: Any) -> Any:
        asked.append((tool, ids, ship.ask("kata_ship", {"branch": "main"})))
        return ("no pushing" if tool == "terminal" else None), None

    guard(answer)
    ship.ask("kata_ship", {"branch": "main"}, api_request_id="a1")
    said = ship.call("kata_ship", {"branch": "main"})
    assert said["error"] == "Step 1 of 3 (terminal) was refused: no pushing"
    assert said["had_effect"] == []
    ids = {"task_id": S1, "session_id": S1, "turn_id": T1, "tool_call_id": "k1", "api_request_id": "a1"}
    assert asked == [("terminal", ids, None)], "our own hook has no opinion on a step"
    assert ship.context.dispatched == []
    assert "no pushing" in ship.context.commands["kata"]("runs")


def lacks_the_name() -> None:
    del sys.modules["hermes_cli.plugins"].__dict__["_dispatch_pre_tool_call_hooks"]


def lacks_the_module() -> None:
    sys.modules["hermes_cli.plugins"] = None  # type: ignore[assignment]


def lacks_the_interrupt() -> None:
    del sys.modules["tools.interrupt"].__dict__["is_interrupted"]


def another_signature() -> None:
    guard(lambda tool: (None, None))


def in_the_plugin_host() -> None:
    configure(plugins={"isolation": "host"})


@pytest.mark.parametrize("spoil", [lacks_the_name, lacks_the_module, lacks_the_interrupt, another_signature, in_the_plugin_host])
def test_a_host_whose_plugins_cannot_be_asked_gets_its_reads_and_hands_back_before_an_effect(host: Host, spoil: Callable[[], None]) -> None:
    """A25: said in the answer and in status."""
    approve(host.file, reader(), "look")
    approve(host.file, sender(), "ship")
    host.say()
    spoil()
    assert host.call("kata_look", {"path": "a.md"})["status"] == "ok"
    host.context.dispatched.clear()
    host.ask("kata_ship", {"branch": "main"})
    said = host.call("kata_ship", {"branch": "main"})
    assert "ask the other plugins" in said["error"] or "cannot be asked" in said["error"]
    assert host.context.dispatched == []
    assert "katas with effects hand back" in host.context.status()


def test_register_looks_for_neither_private_name(opened: Callable[..., Host]) -> None:
    """Nothing of the host's tools is imported there."""
    lacks_the_name_before = sys.modules["hermes_cli.plugins"].__dict__.pop("_dispatch_pre_tool_call_hooks")
    host = opened()
    guard(lacks_the_name_before)
    assert "hand back" not in host.context.status()


def test_a_person_who_stopped_the_agent_stops_the_kata_before_its_next_step(host: Host) -> None:
    """Trap 3."""
    approve(host.file, reader(), "look")
    host.say()
    stopped: list[bool] = []
    sys.modules["tools.interrupt"].__dict__["is_interrupted"] = lambda: bool(stopped)
    host.context.answer = lambda tool, arguments, **ids: stopped.append(True) or "{}"
    said = host.call("kata_look", {"path": "a.md"})
    assert [one["status"] for one in said["steps"]] == ["ok", "interrupted"]
    assert len(host.context.dispatched) == 1


def test_a_call_that_the_host_gave_up_starts_no_further_step_and_is_unknown_until_it_is_back(host: Host) -> None:
    """Trap 3, A22: the host tells a hook that the call is over while its thread goes on."""
    recite = step("recite", EXTERNAL, poem=Literal("epic"))
    sys.modules["tools.registry"].registry.schemas["recite"] = {"parameters": {}}
    approve(host.file, Spec((), (recite, step("terminal", EXTERNAL, command=Literal("git push")))), "epic")
    host.say()
    runs = host.context.commands["kata"]
    during: list[Any] = []

    def hang(tool: str, arguments: Any, **ids: Any) -> str:
        during.append(runs("runs"))
        thread = threading.Thread(target=lambda: host.done("kata_epic", "k1", args={}, result="timed out", status="timeout"))
        thread.start()
        thread.join(PATIENCE)
        host.ask("kata_epic", {})
        during.append(host.call("kata_epic", {}))
        return "{}"

    host.context.answer = hang
    host.ask("kata_epic", {})
    said = host.call("kata_epic", {})
    assert [one["status"] for one in said["steps"]] == ["ok", "interrupted"]
    assert [tool for tool, _, _ in host.context.dispatched] == ["recite"]
    assert "unknown" in during[0] and "may still be running" in during[0]
    assert "error" in during[1]
    host.context.answer = lambda tool, arguments, **ids: "{}"
    host.ask("kata_epic", {})
    assert host.call("kata_epic", {})["status"] == "ok", "it may run again once it is back"


def test_one_folder_has_one_run_of_a_kata_at_a_time(host: Host) -> None:
    """B48: elsewhere it may run at the same time."""
    approve(host.file, reader(), "look")
    host.say()
    host.done(result='{"output": "", "exit_code": 0, "cwd": "/srv/other"}', task_id="other")
    second: list[Any] = []

    def answer(tool: str, arguments: Any, **ids: Any) -> str:
        if not second:
            second.append(None)
            threads = [
                threading.Thread(target=lambda task=task: second.append(host.call("kata_look", {"path": task}, task_id=task)))
                for task in (S1, "other")
            ]
            for thread in threads:
                thread.start()
                thread.join(PATIENCE)
        return json.dumps({"content": arguments.get("path")})

    host.context.answer = answer
    assert host.call("kata_look", {"path": "a.md"})["status"] == "ok"
    assert "runs in this folder already" in second[1]["error"]
    assert second[2]["status"] == "ok"


def test_a_run_under_way_when_kata_is_unloaded_ends_before_its_next_step_and_is_written_down(opened: Callable[..., Host]) -> None:
    """T52: the host loads all plugins anew when one is installed; whoever is loaded then can run the kata at once."""
    old, inside, go = opened(), threading.Event(), threading.Event()
    approve(old.file, reader("a", "b"), "look")
    old.say()

    def answer(tool: str, arguments: Any, **ids: Any) -> str:
        inside.set()
        return "{}" if go.wait(PATIENCE) else ""

    old.context.answer, said = answer, []
    run = threading.Thread(target=lambda: said.append(old.call("kata_look", {"a": "a.md", "b": "b.md"})))
    run.start()
    assert inside.wait(PATIENCE)
    old.unload()
    new = opened()
    assert "runs" in new.call("kata_look", {"a": "a.md", "b": "b.md"})["error"]
    assert "Kata was unloaded; nothing was run" in old.call("kata_look", {"a": "c.md", "b": "d.md"})["error"]
    go.set()
    run.join(PATIENCE)
    assert [one["status"] for one in said[0]["steps"]] == ["ok", "interrupted"] and len(old.context.dispatched) == 1
    assert "Kata was unloaded before this step began" in said[0]["error"], said
    assert new.call("kata_look", {"a": "a.md", "b": "b.md"})["status"] == "ok"
    with process(new.file) as store:
        assert [(run.status, run.finished is None) for run in store.runs(None, 10)] == [(Status.OK, False), (Status.INTERRUPTED, False)]


def test_a_kata_inside_a_kata_is_refused(host: Host) -> None:
    """B27: at once where a step is one, and where a tool of a step calls one."""
    approve(host.file, Spec((), (step("kata_look", path=Literal("a")), step("terminal", command=Literal("ls")))), "outer")
    approve(host.file, reader(), "look")
    approve(host.file, reader("file"), "twice")
    host.say()
    assert "no step of another" in host.call("kata_outer", {})["error"]
    inner: list[Any] = []
    host.context.answer = lambda tool, arguments, **ids: inner.append(host.call("kata_twice", {"file": "b"})) or "{}"
    assert host.call("kata_look", {"path": "a"})["status"] == "ok"
    assert all("no step of another kata" in one["error"] for one in inner)


def test_what_a_step_does_is_not_recorded(host: Host) -> None:
    """B27."""
    approve(host.file, reader(), "look")
    host.say()
    host.context.answer = lambda tool, arguments, **ids: host.done(tool, "inner") or "{}"
    host.call("kata_look", {"path": "a"})
    host.done(call="outer")
    host.end()
    assert host.calls() == ["outer"]


def test_every_step_is_looked_at_before_the_first_one_runs(host: Host) -> None:
    """B14: a tool that is gone and a schema that changed are both named, and nothing runs."""
    steps = (
        step("write_file", WRITE, path=Literal("a"), content=Literal("b")),
        step("mcp__crm__update_contact", EXTERNAL, name=Literal("x")),
        replace(step("terminal", command=Literal("ls")), schema="0123456789abcdef"),
    )
    approve(host.file, Spec((), steps), "crm")
    host.say()
    host.ask("kata_crm", {})
    said = host.call("kata_crm", {})["error"]
    assert "step 2: the tool mcp__crm__update_contact is not there now" in said
    assert "step 3: the schema of terminal has changed" in said
    assert host.context.dispatched == []
    with closing(sqlite3.connect(host.file)) as db:
        assert db.execute("SELECT state FROM katas").fetchall() == [("stale",)]  # A18: drift, which the agent saw, takes it out of use


@pytest.mark.parametrize("limit", [{"sequential_call": 5}, {"concurrent_batch": "5"}, {"sequential_call": "?", "concurrent_batch": 5}])
def test_no_step_starts_after_the_share_of_the_hosts_own_limit(host: Host, limit: dict[str, Any]) -> None:
    configure(timeouts={"tools": limit})
    approve(host.file, reader(), "look")
    host.say()
    host.call("kata_look", {"path": "a"})
    assert host.context.dispatched[1][1]["timeout"] == 4


def test_in_a_container_file_tools_have_the_callers_id_and_no_folder_is_guessed(host: Host) -> None:
    """An id of our own would be another container."""
    configure(terminal={"backend": "docker"})
    approve(host.file, reader(), "look")
    host.say()
    host.call("kata_look", {"path": "a"})
    assert host.context.dispatched[0] == ("read_file", {"path": "a"}, {"task_id": S1, "session_id": S1})


def test_in_the_plugin_host_no_folder_is_guessed(host: Host) -> None:
    """Seen on the real host: its process works in another folder than the agent."""
    configure(plugins={"isolation": "host"})
    approve(host.file, reader(), "look")
    host.say()
    host.call("kata_look", {"path": "a"})
    assert [arguments for _, arguments, _ in host.context.dispatched] == [{"path": "a"}, {"command": "ls -l", "timeout": 60}]


def writer(host: Host, folder: str) -> None:
    """A kata with a plain write, learnt in a folder."""
    spec = Spec((), (step("write_file", WRITE, path=Literal("a"), content=Literal("b")), step("terminal", command=Literal("ls"))))
    event = Event(Call("write_file", {}), Outcome(Status.OK, {}), "t", "c", folder=folder)
    with process(host.file) as store:
        kata = store.propose(Proposal(spec, "routine", Fit(3, 3, 3, 1.0), (Example("c1", "t", (event, event)),)), 1.0)
        assert kata is not None
        decide(store, kata, State.ACTIVE, "note")
    host.say()


def places(host: Host) -> str:
    """A kata that reads where it is told and then writes there, learnt in the folder of the host's project."""
    folder, field = str(host.home / "project"), InputField("path", "string")
    steps = (step("read_file", path=Input("path")), step("write_file", WRITE, path=Input("path"), content=Literal("b")))
    examples = []
    for word in ("amber", "birch", "cobalt"):
        calls = Call("read_file", {"path": word}), Call("write_file", {"path": word, "content": "b"})
        events = tuple(Event(call, Outcome(Status.OK, {}), "t", "c", folder=folder) for call in calls)
        examples.append(Example(word, "t", events))
    with process(host.file) as store:
        kata = store.propose(Proposal(Spec((field,), steps), "routine", Fit(3, 3, 3, 1.0), tuple(examples)), 1.0)
        assert kata is not None
        decide(store, kata, State.ACTIVE, "keep")
    host.say()
    return folder


def test_a_write_out_of_where_the_examples_were_is_asked_about(host: Host) -> None:
    """T37: a kata whose writes are plain asks for nothing else."""
    folder = places(host)
    assert host.ask("kata_keep", {"path": "notes/delta"}) is None
    assert host.call("kata_keep", {"path": "notes/delta"})["status"] == "ok"
    refused = host.call("kata_keep", {"path": "/etc/delta"})
    assert "must be approved" in refused["error"] and not [one for one in host.context.dispatched if "/etc/delta" in str(one)]
    directive = host.ask("kata_keep", {"path": "/etc/delta"})
    assert directive["action"] == "approve" and f"/etc/delta is outside {folder}" in directive["message"]


def test_the_answer_names_what_is_unlike_every_example(host: Host) -> None:
    """T37"""
    places(host)
    assert "unlike_examples" not in host.call("kata_keep", {"path": "delta"})
    answer = host.call("kata_keep", {"path": "a;b"})
    assert answer["unlike_examples"] == ["step 1: a;b has ;, which no example had"], answer


def test_a_plain_write_is_asked_about_where_no_example_ran(host: Host) -> None:
    """B44."""
    writer(host, "/srv/app")
    directive = host.ask("kata_note", {})
    assert f"in {host.home / 'project'}, where no example ran" in directive["message"]
    assert host.call("kata_note", {})["status"] == "ok"
    assert "must be approved" in host.call("kata_note", {})["error"]
    host.done(result='{"output": "", "exit_code": 0, "cwd": "/srv/app"}')
    assert host.ask("kata_note", {}) is None
    assert host.call("kata_note", {})["status"] == "ok"


def test_where_that_is_set_every_kata_asks_and_a_trusted_one_does_not(opened: Callable[..., Host]) -> None:
    """A23: "unless the user sets 'ask always'"; T40; from the next message on."""
    host = opened(ask="always")
    approve(host.file, reader(), "look")
    host.say()
    assert "kata_look runs 2 steps" in host.ask("kata_look", {"path": "a"})["message"]
    assert host.call("kata_look", {"path": "a"})["status"] == "ok"
    assert "must be approved" in host.call("kata_look", {"path": "a"})["error"], "the question stands before every run"
    assert host.context.commands["kata"]("trust look").startswith("Trusted: kata_look")
    host.say(turn_id="T2")
    assert host.ask("kata_look", {"path": "a"}) is None
    assert host.call("kata_look", {"path": "a"})["status"] == "ok"
    host.context.commands["kata"]("untrust look")
    host.say(turn_id="T3")
    assert host.ask("kata_look", {"path": "a"}) is not None


def test_a_trusted_writer_is_not_asked_about_in_a_new_folder(opened: Callable[..., Host]) -> None:
    """T40"""
    host = opened()
    writer(host, "/srv/app")
    assert "where no example ran" in host.ask("kata_note", {})["message"]
    host.context.commands["kata"]("trust note")
    host.say(turn_id="T2")
    assert host.ask("kata_note", {}, turn_id="T2") is None
    assert host.call("kata_note", {})["status"] == "ok"


def test_a_trust_that_was_written_past_the_verbs_is_no_leave_for_a_grave_kata(ship: Host) -> None:
    """T40, T42: even an audit row of trust does not silence the question of a kata that acts elsewhere."""
    with process(ship.file) as store:
        kata = store.katas((State.ACTIVE,))[0]
        here = {"before": (State.ACTIVE,), "after": State.ACTIVE, "digest": kata.version.spec.digest}
        store.transition(kata.id, **here, actor="cli", verb="trust", now=2.0)
    ship.say(turn_id="T2")
    assert ship.ask(kata.tool, {"branch": "main"}) is not None


def test_a_plain_write_is_not_asked_about_where_its_examples_ran_or_nobody_knows(host: Host) -> None:
    writer(host, "")
    assert host.ask("kata_note", {}) is None
    assert host.call("kata_note", {})["status"] == "ok"


def test_after_a_crash_a_step_that_was_done_is_not_unknown(ship: Host) -> None:
    """A row is settled after its step, not at the end of the run."""
    shown: list[str] = []

    def answer(tool: str, arguments: Any, **ids: Any) -> str:
        shown.append(ship.context.commands["kata"]("runs"))
        return '{"output": "done", "exit_code": 0, "error": null}'

    ship.context.answer = answer
    ship.ask("kata_ship", {"branch": "main"})
    ship.call("kata_ship", {"branch": "main"})
    assert "1. unknown" in shown[0]
    assert "1. ok" in shown[1] and "2. unknown" in shown[1]


def test_a_result_of_five_megabytes_is_answered_shortly_and_not_kept_whole(host: Host) -> None:
    """B37."""
    approve(host.file, reader(), "look")
    host.say()
    big = json.dumps({"output": "x y\n" * 1_300_000, "exit_code": 0, "error": None})
    host.context.answer = lambda tool, arguments, **ids: big
    said = host.call("kata_look", {"path": "a"})
    assert said["status"] == "ok" and len(json.dumps(said)) < 25_000
    assert "characters and is cut here" in said["note"]
    with process(host.file) as store:
        assert "too many to be kept" in str(store.runs()[0].steps[0].result)


def test_the_same_kata_three_times_in_one_conversation_gives_three_full_results(host: Host) -> None:
    """A26: each run has a task of its own, in which nothing is "unchanged"."""
    approve(host.file, reader(), "look")
    host.say()
    seen: set[str] = set()

    def answer(tool: str, arguments: Any, **ids: Any) -> str:
        again = tool == "read_file" and ids["task_id"] in seen
        seen.add(ids["task_id"] if tool == "read_file" else "")
        return json.dumps({"status": "unchanged", "content_returned": False} if again else {"content": "whole"})

    host.context.answer = answer
    for _ in range(3):
        assert host.call("kata_look", {"path": "a"})["status"] == "ok"


# ── The static tools ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("args", [{}, None, {"x": 1}, "junk"])
def test_the_list_names_active_katas_and_only_reads(ship: Host, args: Any) -> None:
    answer = ship.call("kata_list", args)
    assert [one["tool"] for one in answer["katas"]] == ["kata_ship"]
    assert list(answer["katas"][0]["arguments"]["properties"]) == ["branch"]
    assert ship.context.dispatched == []


# ── Being found ──────────────────────────────────────────────────────────────────────────────────


def test_the_prompt_has_no_section_without_katas(host: Host) -> None:
    assert host.context.sections["kata.active"](None) == ""


def test_the_prompt_names_each_kata_with_its_arguments(ship: Host) -> None:
    """So that one `tool_call` suffices."""
    approve(ship.file, reader("path", "limit"), "look")
    ship.say(turn_id="T2")
    head, *lines = ship.context.sections["kata.active"]({}).split("\n")
    assert "tool_call" in head
    assert [line.split(": ")[0] for line in lines] == ["kata_look(path, limit)", "kata_ship(branch)"]


def test_the_section_of_the_prompt_stays_short(host: Host) -> None:
    """120 characters each, 1,200 in all; whole lines."""
    for number in range(30):
        approve(host.file, reader(*(f"a_rather_long_argument_{n}" for n in range(number % 7 + 1))), f"k{number:02}_{'x' * number}")
    host.say()
    text = host.context.sections["kata.active"](None)
    assert len(text) <= 1_200
    assert all(len(line) <= 120 for line in text.split("\n"))
    assert all(line.startswith("kata_k") for line in text.split("\n")[1:])
    assert len(text.split("\n")) > 8


def test_the_first_sentence_of_a_description_is_what_the_catalogue_shows(host: Host) -> None:
    """Host contract 3: 60 characters, the first sentence."""
    approve(host.file, reader(), "look")
    approve(host.file, reader(*(f"argument_{n}" for n in range(20))), "x" * 59)
    host.say()
    for name in STATIC | {"kata_look", "kata_" + "x" * 59}:
        schema = host.context.tools[name].schema
        first = schema["description"].split(". ")[0].rstrip(".") + "."
        assert len(first) <= 60
    assert host.context.tools["kata_look"].schema["description"].startswith("Look: path. ")
    assert host.context.tools["kata_look"].schema["parameters"]["required"] == ["path"]


def test_a_new_proposal_is_announced_once_and_without_observed_values(host: Host) -> None:
    """A40."""
    seen = InputField("path", "string", examples=("SECRETWORD",))
    spec = Spec((seen,), (*reader().steps, step("terminal", command=Literal("cat OBSERVED"))))
    propose(host.file, spec, "new")
    told = [host.fire("on_session_finalize", session_id=S1, platform="cli", reason="shutdown") for _ in range(3)]
    assert isinstance(told[0], str)
    assert told[1:] == [None, None]
    assert "hermes kata review 1" in told[0]
    assert "\n" not in told[0]
    assert not [word for word in ("SECRETWORD", "OBSERVED", "ls -l", "read_file") if word in told[0]]


def test_a_chat_is_told_the_command_of_a_chat(host: Host) -> None:
    propose(host.file, reader(), "new")
    assert "/kata review 1" in host.fire("on_session_finalize", session_id=S1, platform="telegram", reason="session_boundary")


@pytest.mark.parametrize(("kind", "heard"), [("group", False), ("channel", False), ("thread", False), ("dm", True), ("", True)])
def test_only_its_owner_is_told_of_a_proposal(host: Host, kind: str, heard: bool) -> None:
    """A40, T46: the host sends the line to the chat that was closed, whoever reads there; what was not told waits for the owner."""
    propose(host.file, reader(), "new")
    row = {"parent_session_id": None, "end_reason": None, "chat_type": kind}
    kept = SimpleNamespace(get_session=lambda session: row, close=lambda: None)
    with standing_in(SimpleNamespace(SessionDB=lambda read_only: kept)):
        told = host.fire("on_session_finalize", session_id=S1, platform="telegram", reason="new_session")
    assert (told is not None) is heard
    after = host.fire("on_session_finalize", session_id=S1, platform="cli", reason="shutdown")
    assert (after is None) is heard


def test_in_a_chat_that_never_ends_the_next_message_brings_the_line_once_and_only_to_its_owner(host: Host) -> None:
    """A40: the host prints nothing there, so the agent is asked to pass it on; it holds fixed words and numbers."""
    propose(host.file, reader(), "new")
    propose(host.file, reader("src"), "newer")
    row = {"parent_session_id": None, "end_reason": None, "chat_type": "dm"}
    kept = SimpleNamespace(get_session=lambda session: row | {"chat_type": "group" if session == "g" else "dm"}, close=lambda: None)
    with standing_in(SimpleNamespace(SessionDB=lambda read_only: kept)):

        def said(session: str, platform: str = "telegram", message: str = "hello") -> Any:
            return host.fire("pre_llm_call", **IDS | {"session_id": session, "platform": platform, "user_message": message})

        assert [said("g"), said(S1, "cli"), said(S1, "cron"), said("dm", message="[ASYNC DELEGATION BATCH COMPLETE")] == [None] * 4
        told = said("dm")
        assert set(told) == {"context"} and "Look: /kata review" in told["context"] and "pass it on" in told["context"]
        assert said("dm") is None, "one line in a conversation"
        assert "/kata review" in said("another")["context"]
    assert host.fire("on_session_finalize", session_id=S1, platform="cli", reason="shutdown") is None


@pytest.mark.parametrize("platform", ["cron", "subagent"])
def test_what_runs_by_itself_is_told_nothing(host: Host, platform: str) -> None:
    """A40."""
    propose(host.file, reader(), "new")
    assert host.fire("on_session_finalize", session_id=S1, platform=platform, reason="shutdown") is None
    assert host.fire("on_session_finalize", session_id=S1, platform="cli", reason="shutdown") is not None


def test_an_approved_kata_is_not_announced(host: Host) -> None:
    approve(host.file, reader(), "look")
    assert host.fire("on_session_finalize", session_id=S1, platform="cli", reason="shutdown") is None


def test_a_command_in_the_shell_gives_its_exit_code(host: Host, capsys: pytest.CaptureFixture[str]) -> None:
    """0 done, 1 refused, 2 not understood."""
    shell = host.context.commands["hermes kata"]
    codes = [shell(SimpleNamespace(words=words)) for words in ([], ["review", "9"], ["dance"])]
    assert codes == [0, 1, 2]
    assert "There is no kata '9'" in capsys.readouterr().out
    assert shell(SimpleNamespace(words=["list", "--json"])) == 0
    assert json.loads(capsys.readouterr().out)["katas"] == []


def test_half_characters_do_not_stop_the_shell(host: Host, capsys: pytest.CaptureFixture[str]) -> None:
    """B46."""
    assert host.context.commands["hermes kata"](SimpleNamespace(words=["review", "\udcff"])) == 1
    assert "udcff" in capsys.readouterr().out
    assert host.context.commands["hermes kata"](SimpleNamespace(words=["\ud835", "--json"])) == 2
    assert json.loads(capsys.readouterr().out)


# ── Going on with a stopped run ──────────────────────────────────────────────────────────────────


FAILED = '{"output": "no", "exit_code": 1, "error": null}'
FINE = '{"output": "done", "exit_code": 0, "error": null}'


def answering(host: Host, *answers: str) -> None:
    """The tools answer with these, one after the other, and then that all is fine."""
    waiting = list(answers)
    host.context.answer = lambda tool, arguments, **ids: waiting.pop(0) if waiting else FINE


def stopped(host: Host, *answers: str, branch: str = "main") -> dict[str, Any]:
    """A run of kata_ship that a person allowed, with these answers of the tools; what was dispatched for it is forgotten."""
    answering(host, *answers)
    host.ask("kata_ship", {"branch": branch})
    said = host.call("kata_ship", {"branch": branch})
    host.context.dispatched.clear()
    return said


def sent(host: Host) -> list[str]:
    return [arguments.get("command") or arguments["path"] for _, arguments, _ in host.context.dispatched]


def resume(host: Host, run: str, **more: Any) -> dict[str, Any]:
    """Resume as the agent does: the question, a yes, and the call."""
    host.ask("kata_resume", {"run": run} | more)
    return host.call("kata_resume", {"run": run} | more)


def test_a_stopped_run_goes_on_at_the_failed_step_with_what_it_knew(ship: Host) -> None:
    """A21, T53: the result of the first step is the one that was stored, and the first step is not done again."""
    said = stopped(ship, '{"output": "to-origin", "exit_code": 0, "error": null}', FAILED)
    assert [one["status"] for one in said["steps"]] == ["ok", "error", "skipped"]
    again = resume(ship, said["run"])
    assert again["status"] == "ok" and again["run"] != said["run"]
    assert [tool for tool, _, _ in ship.context.dispatched] == ["write_file", "terminal"]
    assert ship.context.dispatched[0][1]["content"] == "pushed to-origin"
    with process(ship.file) as store:
        run = store.run(again["run"])
        assert run is not None and run.resumes == said["run"] and run.session == S1
        assert [one.status for one in run.steps] == [Status.OK] * 3


@pytest.mark.parametrize(("lost", "why"), [("rm", "step 3: the program rm is gone"), ("git", "")])
def test_what_is_gone_is_noticed_before_a_run_goes_on_where_a_step_that_is_left_needs_it(ship: Host, lost: str, why: str) -> None:
    """T63: before the first effect that is left; what only a done step needed is not missed."""
    service = plugin(ship).service
    service.door = replace(service.door, which=lambda name: f"/opt/{name}", there=lambda path: True)
    said = stopped(ship, '{"output": "to-origin", "exit_code": 0, "error": null}', FAILED)
    assert [one["status"] for one in said["steps"]] == ["ok", "error", "skipped"]
    there = {"rm", "git"} - {lost}
    service.door = replace(service.door, which=lambda name: f"/opt/{name}" if name in there else "", there=lambda path: lost not in path)
    again = resume(ship, said["run"])
    if not why:
        assert again["status"] == "ok"
        return
    assert again == {"error": f"Nothing was run: {why}"} and ship.context.dispatched == []
    with process(ship.file) as store:
        assert store.katas()[0].state is State.STALE and store.why(1) == why


def test_a_resumed_run_is_asked_about_like_its_kata_and_lists_what_is_left(ship: Host) -> None:
    """With a fresh key, and what the first step gave is shown."""
    said = stopped(ship, '{"output": "to-origin", "exit_code": 0, "error": null}', FAILED)
    asked = [ship.ask("kata_resume", {"run": said["run"]}) for _ in range(2)]
    assert {one["action"] for one in asked} == {"approve"} and len({one["rule_key"] for one in asked}) == 2
    message = asked[0]["message"]
    assert f"goes on with run {said['run']} at step 2 of 3" in message and "git push" not in message
    assert "2. write: write_file" in message and "pushed to-origin" in message and "3. write, destructive: rm -rf build" in message
    assert "Step 2 was tried before and may have done a part of its work." in message


def test_a_resume_that_was_not_asked_about_is_refused(ship: Host) -> None:
    """B02, F3."""
    run = stopped(ship, FINE, FAILED)["run"]
    assert "must be approved" in ship.call("kata_resume", {"run": run})["error"]
    ship.ask("kata_resume", {"run": run})
    ship.done("kata_resume", args={"run": run}, result='{"error": "denied"}', status="blocked")
    assert "must be approved" in ship.call("kata_resume", {"run": run})["error"]
    assert ship.context.dispatched == []


def test_a_run_goes_on_once_and_then_from_where_it_came_to(ship: Host) -> None:
    """T53: an effect is never repeated, by whatever way."""
    first = stopped(ship, FINE, FAILED)["run"]
    answering(ship, FINE, FAILED)
    second = resume(ship, first)
    assert [one["status"] for one in second["steps"]] == ["ok", "ok", "error"]
    assert f"resumed already, as run {second['run']}" in resume(ship, first)["error"]
    ship.context.dispatched.clear()
    assert resume(ship, second["run"])["status"] == "ok"
    assert sent(ship) == ["rm -rf build"]


TIMED_OUT = '{"output": "[Command timed out after 60s]", "exit_code": 124, "error": null}'


@pytest.mark.parametrize("answer", [TIMED_OUT, '{"output": "", "exit_code": 130}', '{"output": "", "yielded_to_background": true}'])
def test_a_step_with_an_effect_of_unknown_outcome_is_not_repeated(ship: Host, answer: str) -> None:
    """T53: nobody but a person who looked can say what it did."""
    run = stopped(ship, answer)["run"]
    assert ship.ask("kata_resume", {"run": run}) is None
    said = resume(ship, run)["error"]
    assert "Nobody knows whether step 1 (terminal)" in said and "A person has to look" in said and "--it-did-not-happen" in said
    assert ship.context.dispatched == []


def plugin(host: Host) -> Any:
    """The plugin's own object, for what only a shell will call."""
    bound: Any = host.context.commands["hermes kata"]
    return bound.__self__


def test_a_person_who_looked_and_saw_nothing_has_it_done_now(ship: Host) -> None:
    """It did not happen."""
    run = stopped(ship, TIMED_OUT)["run"]
    assert json.loads(plugin(ship).by_hand(run, {}, "undone", lambda question: True))["status"] == "ok"
    assert [tool for tool, _, _ in ship.context.dispatched] == ["terminal", "write_file", "terminal"]


def test_a_person_who_saw_that_it_happened_goes_on_after_it(ship: Host) -> None:
    """What it gave is not known, and is supplied where a later step needs it."""
    run = stopped(ship, TIMED_OUT)["run"]
    with pytest.raises(Refused, match=r"'step1\.output' is not in what was kept"):
        plugin(ship).by_hand(run, {}, "done", lambda question: True)
    assert json.loads(plugin(ship).by_hand(run, {"step1.output": "it"}, "done", lambda question: True))["status"] == "ok"
    assert [tool for tool, _, _ in ship.context.dispatched] == ["write_file", "terminal"]
    assert ship.context.dispatched[0][1]["content"] == "pushed it"


def test_in_a_shell_each_effect_is_asked_about_and_a_no_stops_before_it(ship: Host) -> None:
    """Outside a turn nobody else asks."""
    run = stopped(ship, FINE, FAILED)["run"]
    asked: list[str] = []

    def once(question: str) -> bool:
        asked.append(question)
        return len(asked) == 1

    said = json.loads(plugin(ship).by_hand(run, {}, "", once))
    assert [one["status"] for one in said["steps"]] == ["ok", "ok", "refused"]
    assert "said no" in said["error"] and len(ship.context.dispatched) == 1
    assert asked[0].startswith("Step 2 of 3, write: write_file") and asked[1] == "Step 3 of 3, write: rm -rf build"


def test_in_a_shell_without_a_terminal_nothing_with_effects_goes_on(ship: Host) -> None:
    run = stopped(ship, FINE, FAILED)["run"]
    with pytest.raises(Refused, match="no terminal here"):
        plugin(ship).by_hand(run, {})
    assert ship.context.dispatched == []


def test_a_run_of_another_conversation_is_not_for_this_one(ship: Host) -> None:
    """What it knows may come from somebody else's chat; a person can go on with it."""
    run = stopped(ship, FINE, FAILED)["run"]
    elsewhere = {"session_id": "20261130_110000_bbbbbb"}
    assert ship.ask("kata_resume", {"run": run}, **elsewhere) is None
    assert "belongs to another conversation" in ship.call("kata_resume", {"run": run}, **elsewhere)["error"]
    assert ship.context.dispatched == []


def test_a_conversation_that_goes_on_under_another_session_may_resume(ship: Host) -> None:
    """A2: compression gives it another name."""
    run = stopped(ship, FINE, FAILED)["run"]
    other = "20261130_110000_cccccc"
    with process(ship.file) as store:
        store.add([TurnStart("t8", S1, "one", "cli", "person", 1.0), TurnStart("t9", other, "one", "cli", "person", 2.0)])
    ship.ask("kata_resume", {"run": run}, session_id=other)
    assert ship.call("kata_resume", {"run": run}, session_id=other)["status"] == "ok"


def test_a_kata_that_was_taken_away_or_changed_goes_on_with_nothing(ship: Host) -> None:
    """T42: what was approved is what runs, in whatever process the decision fell."""
    run = stopped(ship, FINE, FAILED)["run"]
    with process(ship.file) as store:
        kata = store.named("ship")
        assert kata is not None
        decide(store, kata, State.DISABLED)
    assert "is disabled now" in resume(ship, run)["error"]
    with closing(sqlite3.connect(ship.file)) as db, db:
        db.execute("UPDATE katas SET state = 'active'")
        db.execute("UPDATE runs SET digest = 'f'")
    assert "was changed since run" in resume(ship, run)["error"]
    assert ship.context.dispatched == []


def test_after_a_day_a_run_is_over(ship: Host) -> None:
    """T53."""
    run = stopped(ship, FINE, FAILED)["run"]
    with closing(sqlite3.connect(ship.file)) as db, db:
        db.execute("UPDATE runs SET finished = finished - 86401, started = started - 86401")
    assert "more than 24 hours ago" in resume(ship, run)["error"]


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        ({"run": "nothing"}, "There is no run 'nothing'"),
        ({}, "Expected 'run'"),
        (None, "Expected 'run'"),
        ({"run": 5}, "Expected 'run'"),
        ({"run": "x", "with": 3}, "Expected 'run'"),
        ({"run": "x", "and": {}}, "Expected 'run'"),
    ],
)
def test_what_is_no_stopped_run_is_refused_with_the_reason(ship: Host, args: Any, reason: str) -> None:
    assert ship.ask("kata_resume", args) is None
    assert reason in ship.call("kata_resume", args)["error"]
    assert ship.context.dispatched == []


def test_a_run_that_came_to_its_end_is_not_resumed(ship: Host) -> None:
    run = stopped(ship)["run"]
    assert "came to its end" in resume(ship, run)["error"]


TOKEN = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"


def test_a_masked_value_is_named_and_can_be_supplied_and_is_not_kept(host: Host) -> None:
    """The run goes on with the real value, of which nothing reaches the file."""
    call = Command(("deploy ", Hole(Input("key"), "bare")))
    approve(host.file, Spec((InputField("key", "string"),), (step("terminal", EXTERNAL, command=call),)), "ship")
    host.say()
    answering(host, FAILED)
    host.ask("kata_ship", {"key": TOKEN})
    run = host.call("kata_ship", {"key": TOKEN})["run"]
    assert "'key' was masked" in resume(host, run)["error"]
    other = "plain-word-of-today"
    message = host.ask("kata_resume", {"run": run, "with": {"key": other}})["message"]
    assert other not in message
    host.say(turn_id="T2")
    host.context.dispatched.clear()
    assert host.call("kata_resume", {"run": run, "with": {"key": other}})["status"] == "ok"
    host.done("kata_resume", "c9", args={"run": run, "with": {"key": other}}, turn_id="T2")
    host.end()
    assert sent(host) == [f"deploy {other}"]
    with closing(sqlite3.connect(host.file)) as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = [row for name in tables for row in db.execute(f"SELECT * FROM {name}")]
    text = " ".join(str(unbind(value)) for row in rows for value in row)
    assert other not in text and TOKEN not in text and run in text


def test_only_what_is_missing_can_be_supplied(ship: Host) -> None:
    """Else a resumed run would be another call of the kata."""
    run = stopped(ship, FAILED)["run"]
    said = resume(ship, run, **{"with": {"branch": "other"}})["error"]
    assert "has no need of 'branch'" in said and ship.context.dispatched == []


def test_a_step_that_was_refused_before_it_began_goes_on(ship: Host) -> None:
    guard(lambda tool, arguments, **ids: ("not now", None) if tool == "write_file" else (None, None))
    plugin(ship).__dict__.pop("gates", None)
    run = stopped(ship)["run"]
    guard(lambda tool, arguments, **ids: (None, None))
    plugin(ship).__dict__.pop("gates", None)
    assert resume(ship, run)["status"] == "ok"
    assert [tool for tool, _, _ in ship.context.dispatched] == ["write_file", "terminal"]


def test_a_run_goes_on_where_its_commands_went(host: Host) -> None:
    """A26: the third step would have run in the folder that the first one went to."""
    steps = (step("terminal", command=Literal("cd sub")), step("terminal", WRITE, command=Literal("touch a")))
    event = Event(Call("terminal", {}), Outcome(Status.OK), "t", "c", folder=str(host.home / "project"))
    with process(host.file) as store:
        kata = store.propose(Proposal(Spec((), steps), "go", Fit(3, 3, 3, 1.0), (Example("c", "t", (event, event)),)), 1.0)
        assert kata is not None
        decide(store, kata, State.ACTIVE, "go")
    host.say()
    answering(host, '{"output": "", "exit_code": 0, "cwd": "/srv/sub"}', FAILED)
    run = host.call("kata_go", {})["run"]
    host.context.dispatched.clear()
    host.done(result='{"output": "", "exit_code": 0, "cwd": "/elsewhere"}')
    assert ", where no example ran" not in host.ask("kata_resume", {"run": run})["message"], "it began where its examples ran"
    assert host.call("kata_resume", {"run": run})["status"] == "ok"
    assert host.context.dispatched[0][1]["workdir"] == "/srv/sub"


def test_an_effect_that_failed_is_not_tried_again_without_a_question(host: Host) -> None:
    """T53: `echo … >> log && git add …` fails after it has written; its kata does not ask, but going on with it does."""
    call = Command(("echo 'reviewed' >> log.txt && git add ", Hole(Input("path"), "bare")))
    approve(host.file, Spec((InputField("path", "string"),), (step("terminal", WRITE, command=call),)), "note")
    host.say()
    no: list[str | None] = [None]
    guard(lambda tool, arguments, **ids: (no[0], None))
    answering(host, '{"output": "fatal: pathspec", "exit_code": 128, "error": null}')
    assert host.ask("kata_note", {"path": "a"}) is None
    run = host.call("kata_note", {"path": "a"})["run"]
    host.context.dispatched.clear()
    assert "must be approved" in host.call("kata_resume", {"run": run})["error"] and host.context.dispatched == []
    assert "was tried before and may have done a part of its work" in host.ask("kata_resume", {"run": run})["message"]
    no[0] = "not now"
    second = host.call("kata_resume", {"run": run})
    assert second["error"] == "Step 1 of 1 (terminal) was refused: not now" and host.context.dispatched == []
    no[0] = None
    assert "was tried before" in host.ask("kata_resume", {"run": second["run"]})["message"], "the run before the last one tried it"
    assert host.call("kata_resume", {"run": second["run"]})["status"] == "ok" and len(host.context.dispatched) == 1


def kept(host: Host) -> str:
    """All that stands in the file, unpacked."""
    with closing(sqlite3.connect(host.file)) as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        rows = [row for name in tables for row in db.execute(f"SELECT * FROM {name}")]
    return " ".join(str(unbind(value)) for row in rows for value in row)


@pytest.mark.parametrize("place", ["bare", "single", "double"])
@pytest.mark.parametrize("value", ["correct'horse", 'cash$in"hand`s', "back\\slash and 'blank", "-x" + "correct horse " * 8])
def test_a_supplied_value_is_not_kept_in_whatever_form_it_was_sent_or_answered(host: Host, value: str, place: str) -> None:
    """T7: quoted for a shell, escaped in JSON text, cut in a refusal; in run, steps and the call that is recorded."""
    quote = {"bare": "", "single": "'", "double": '"'}[place]
    call = Command((f"deploy {quote}", Hole(Input("key"), place), quote))  # type: ignore[arg-type]
    approve(host.file, Spec((InputField("key", "string"),), (step("terminal", EXTERNAL, command=call),)), "ship")
    host.say()
    answering(host, FAILED)
    host.ask("kata_ship", {"key": TOKEN})
    run = host.call("kata_ship", {"key": TOKEN})["run"]
    host.context.answer = lambda tool, arguments, **ids: json.dumps({"output": json.dumps(arguments), "exit_code": 3, "error": None})
    args = {"run": run, "with": {"key": value}}
    assert value[:9] not in host.ask("kata_resume", args)["message"]
    said = host.call("kata_resume", args)
    host.done("kata_resume", "c9", args=args, result=json.dumps(said))
    host.end()
    found = kept(host)
    assert run in found
    for part in (value[:9], value[-9:]):
        assert part not in found and json.dumps(part)[1:-1] not in found and shlex.quote(part)[1:-1] not in found


def test_a_secret_that_is_taken_from_the_environment_is_not_asked_of_the_agent(host: Host) -> None:
    """T43: the host turns a call away that lacks what the registered schema requires, so that must be told anew, in this process too."""
    fields = (InputField("path", "string"), InputField("token", "secret"))
    steps = (step("read_file", path=Input("path")), step("terminal", EXTERNAL, command=Command(("login ", Hole(Input("token"), "bare")))))
    approve(host.file, Spec(fields, steps), "up")
    host.say()
    before = host.context.tools["kata_up"].schema["parameters"]["required"]
    host.context.commands["kata"]("bind up token PATH")
    bound = host.context.tools["kata_up"].schema["parameters"]["required"]
    host.context.commands["kata"]("bind up token none")
    assert (before, bound) == (["path", "token"], ["path"])
    assert host.context.tools["kata_up"].schema["parameters"]["required"] == before


def test_an_input_that_stands_in_the_place_of_a_secret_is_in_the_file_nowhere(host: Host) -> None:
    """T7: not in the run, not in the call of the kata as it is recorded, not in the question that the host keeps."""
    call = Command(("mytool --set ", Hole(Input("pattern"), "bare"), "=", Hole(Input("set"), "bare")))
    inputs = (InputField("pattern", "string"), InputField("set", "string"))
    approve(host.file, Spec(inputs, (step("terminal", EXTERNAL, command=call),)), "put")
    host.say()
    args = {"pattern": "client_secret", "set": "violet-harbour-lantern-meadow-of-tin-4417"}
    answering(host, json.dumps({"output": f"kept {args['set']} as {args['pattern']}", "exit_code": 1, "error": None}))
    assert args["set"] not in host.ask("kata_put", args)["message"]
    said = host.call("kata_put", args)
    host.done("kata_put", "c9", args=args, result=json.dumps(said))
    host.end()
    found = kept(host)
    assert args["set"] not in found and "client_secret" in found and said["run"] in found
    assert "'set' was masked" in resume(host, said["run"])["error"]


# ── Stopping, limits, and the same call again ────────────────────────────────────────────────────


def test_a_run_that_a_person_stops_from_another_process_starts_no_further_step(ship: Host) -> None:
    """T60: a note in the file, read before each step."""

    def answer(tool: str, arguments: Any, **ids: Any) -> str:
        with process(ship.file) as store:
            (run,) = store.unfinished()
            assert store.stop_run(run.id)
        return FINE

    ship.context.answer = answer
    ship.ask("kata_ship", {"branch": "main"})
    said = ship.call("kata_ship", {"branch": "main"})
    assert [one["status"] for one in said["steps"]] == ["ok", "interrupted", "skipped"]
    assert "a person stopped the run before this step" in said["error"] and len(ship.context.dispatched) == 1
    ship.context.answer = lambda tool, arguments, **ids: FINE
    assert resume(ship, said["run"])["status"] == "ok"


def test_the_same_call_of_a_kata_that_writes_is_asked_about_when_it_comes_again_at_once(host: Host) -> None:
    """T45: in one turn within ten seconds; another turn, other arguments or a refused call are none."""
    call = step("write_file", WRITE, path=Input("path"), content=Literal("x"))
    approve(host.file, Spec((InputField("path", "string"),), (call,)), "note")
    host.say()
    assert host.ask("kata_note", {"path": "a"}) is None
    assert host.call("kata_note", {"path": "a"})["status"] == "ok"
    host.done("kata_note", args={"path": "a"}, status="ok")
    again = host.ask("kata_note", {"path": "a"})
    assert again["action"] == "approve" and again["message"].startswith("The same call was made less than 10 seconds ago.")
    assert host.ask("kata_note", {"path": "b"}) is None
    assert host.ask("kata_note", {"path": "a"}, turn_id="T2") is None
    host.done("kata_note", args={"path": "b"}, status="blocked")
    assert host.ask("kata_note", {"path": "b"}) is None


def test_a_kata_that_only_reads_may_be_called_again_at_once(host: Host) -> None:
    approve(host.file, reader(), "look")
    host.say()
    for _ in range(2):
        assert host.ask("kata_look", {"path": "a"}) is None
        assert host.call("kata_look", {"path": "a"})["status"] == "ok"
        host.done("kata_look", args={"path": "a"}, status="ok")


def test_a_kata_of_too_many_steps_does_not_run(host: Host) -> None:
    """T60."""
    approve(host.file, Spec((), tuple(step("terminal", command=Literal(f"ls {n}")) for n in range(51))), "long")
    host.say()
    assert "it has 51 steps, and no run has more than 50" in host.call("kata_long", {})["error"]
    assert host.context.dispatched == []


def test_another_process_that_runs_the_kata_in_this_folder_is_waited_for(ship: Host) -> None:
    """T45: by the rows of runs; a process that is gone holds nobody up."""
    kata_row = "INSERT INTO runs (id, kata, version, tool, digest, session, inputs, started, status, reason, folder, owner)"
    values = f"{kata_row} SELECT 'other', id, 1, 'kata_ship', 'd', 's', x'4A', ?, 'unknown', '', ?, ? FROM katas"
    with closing(sqlite3.connect(ship.file)) as db, db:
        db.execute(values, (time.time(), str(ship.home / "project"), "1:"))
    began = Path("/proc/1/stat").read_text().rpartition(")")[2].split()[19]
    with closing(sqlite3.connect(ship.file)) as db, db:
        db.execute("UPDATE runs SET owner = ?", (f"1:{began}",))
    ship.ask("kata_ship", {"branch": "main"})
    assert "in another process (run other)" in ship.call("kata_ship", {"branch": "main"})["error"]
    with closing(sqlite3.connect(ship.file)) as db, db:
        db.execute("UPDATE runs SET owner = '999999999:1'")
    ship.ask("kata_ship", {"branch": "main"})
    assert ship.call("kata_ship", {"branch": "main"})["status"] == "ok"


# ── Nobody but a person decides ──────────────────────────────────────────────────────────────────


def test_what_only_a_person_decides_is_put_to_the_person_with_a_fresh_key(host: Host) -> None:
    """T39."""
    asked = [host.ask("terminal", {"command": "hermes kata approve 1 as x"}) for _ in range(2)]
    assert {one["action"] for one in asked} == {"approve"} and len({one["rule_key"] for one in asked}) == 2
    assert "hermes kata approve 1 as x" in asked[0]["message"] and "only a person" in asked[0]["message"]
    assert host.ask("terminal", {"command": "hermes kata list"}) is None
    assert host.ask("write_file", {"path": "~/.hermes/plugins/kata/ward.py", "content": ""})["action"] == "approve"


def test_a_command_in_the_folder_of_our_data_is_put_to_the_person(host: Host) -> None:
    host.say()
    host.done(result=json.dumps({"output": "", "exit_code": 0, "cwd": "/home/u/.hermes/plugin-data/kata"}))
    assert host.ask("terminal", {"command": "rm data.db"})["action"] == "approve"
    assert host.ask("terminal", {"command": "ls"}) is None


def chatting(host: Host, line: str, **bound: str) -> str:
    """A command in the gateway, which binds what it knows of the chat to the context."""
    context = contextvars.copy_context()
    for name, value in bound.items():
        bound_name: contextvars.ContextVar[str] = contextvars.ContextVar(name)
        context.run(bound_name.set, value)
    return " ".join(str(context.run(host.context.commands["kata"], line)).split())


GROUP = "agent:main:telegram:group:-100:7"
LINES = ["approve 1 as x", "enable x", "reject 1", "disable x", "record off", "--json approve 1", "stop x", "near 3 review"]


@pytest.mark.parametrize("line", LINES)
def test_in_a_chat_with_several_people_nothing_is_decided(host: Host, line: str) -> None:
    """T46: by either of the two ways in which the host tells the kind of chat."""
    propose(host.file, reader(), "look")
    said = chatting(host, line, HERMES_SESSION_CHAT_TYPE="group", HERMES_SESSION_KEY=GROUP)
    assert "several people are in this chat" in said and "hermes kata" in said and "direct chat" in said
    host.fire("pre_command", surface="gateway", command="kata", args_raw=line, session_key=GROUP, platform="telegram")
    assert "several people are in this chat" in chatting(host, line)
    with process(host.file) as store:
        assert [kata.state for kata in store.katas()] == [State.CANDIDATE] and store.noted("paused") == ""


@pytest.mark.parametrize("key", ["agent:main:telegram:dm:5", S1, ""])
def test_in_a_direct_chat_the_owner_decides(host: Host, key: str) -> None:
    kata = propose(host.file, reader(), "look")
    host.fire("pre_command", surface="gateway", command="kata", args_raw=f"reject {kata.id}", session_key=key, platform="telegram")
    assert "Rejected" in chatting(host, f"reject {kata.id}")


def test_in_a_chat_with_several_people_kata_still_tells(host: Host) -> None:
    assert "Nothing to show yet" in chatting(host, "list", HERMES_SESSION_CHAT_TYPE="group")


@pytest.mark.parametrize(("value", "off"), [("1", True), ("yes", True), ("0", False), ("", False), ("false", False)])
def test_a_variable_switches_everything_off(opened: Callable[..., Host], value: str, off: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """T60: no hook and no tool; status says so."""
    approve(opened().file, reader(), "look")
    monkeypatch.setenv("KATA_OFF", value)
    host = opened()
    assert (not host.context.hooks, not host.context.tools, not host.context.sections) == (off, off, off)
    assert ("switched off: KATA_OFF is set" in host.context.status()) == off
    assert ("kata_look" in host.context.tools) != off


# ── In a shell ───────────────────────────────────────────────────────────────────────────────────


def shelled(host: Host, *words: str) -> int:
    """`hermes kata …` as the host's parser hands it over."""
    parser = ArgumentParser()
    arguments(parser)
    code = host.context.commands["hermes kata"](parser.parse_args(words))
    assert isinstance(code, int)
    return code


def test_a_shell_goes_on_with_a_run_that_only_reads(host: Host, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody needs to be asked, so no terminal is needed."""
    approve(host.file, reader(), "look")
    host.say()
    answering(host, FAILED, FAILED)
    run = host.call("kata_look", {"path": "a.md"})["run"]
    assert shelled(host, "resume", run) == 0
    assert "Run" in capsys.readouterr().out
    assert shelled(host, "--json", "resume", run) == 1
    assert "resumed already" in json.loads(capsys.readouterr().out)["error"]


def test_a_shell_without_a_terminal_says_so(ship: Host, capsys: pytest.CaptureFixture[str]) -> None:
    run = stopped(ship, TIMED_OUT)["run"]
    assert shelled(ship, "resume", run) == 1 and "--it-did-not-happen" in capsys.readouterr().out
    assert shelled(ship, "resume", run, "--it-happened", "--with", "step1.output=x") == 1
    told = capsys.readouterr().out
    assert "no terminal here" in told and ship.context.dispatched == []
    assert max(map(len, told.splitlines())) <= 80, "laid out as every other answer is"


@pytest.mark.parametrize("words", [("resume",), ("resume", "a", "b"), ("resume", "a", "--with", "x")])
def test_a_resume_that_was_typed_wrongly_says_what_is_expected(
    host: Host, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    assert shelled(host, *words) == 2
    told = capsys.readouterr().out
    assert told.startswith("Expected: hermes kata resume RUN") and max(map(len, told.splitlines())) <= 80
