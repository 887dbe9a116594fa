"""Hooks that are told whatever a broken host or plugin may tell them: nothing comes out of a hook but what it may answer, and what is kept
in memory stays within its bounds."""

import math
import os
import random
import resource
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kata import register
from kata.recorder import QUEUE, WAITING
from kata.runtime import KEPT

from ..stand_in import Context, installed, reader
from ..stand_in import approve as approved

FULL = int(os.environ.get("KATA_EXAMPLES", "200")) >= 10_000
PAYLOADS = 1_000_000 if FULL else 4_000
LARGE = 50_000_000 if FULL else 5_000_000
HOOKS = ("pre_llm_call", "post_api_request", "pre_tool_call", "post_tool_call", "on_session_start", "pre_command")
RARE = ("on_session_end", "on_session_finalize")
"""These wait for the writer, as they ought to; one in two hundred."""
NAMES = (
    *("turn_id", "session_id", "task_id", "parent_session_id", "platform", "user_message", "api_request_id", "model", "api_duration"),
    *("usage", "assistant_message", "tool_name", "args", "result", "tool_call_id", "duration_ms", "status", "command", "args_raw"),
    *("session_key", "completed", "failed", "interrupted", "reason", "sender_id", "conversation_history"),
)


class Sour(Exception):
    """An exception that cannot even be shown."""

    def __str__(self) -> str:
        raise RuntimeError("not shown")

    __repr__ = __str__


class Spiteful:
    """Raises at whatever is done with it."""

    def __getattribute__(self, name: str) -> Any:
        if name == "__class__":
            return Spiteful
        raise Sour(self)

    def _no(self, *_: Any) -> Any:
        raise Sour(self)

    __repr__ = __str__ = __bool__ = __len__ = __iter__ = __eq__ = __hash__ = __getitem__ = __contains__ = __int__ = __float__ = _no


class Sly(dict):
    """Is a dict, and raises when it is read."""

    def get(self, *_: Any) -> Any:
        raise Sour(self)

    __getitem__ = items = keys = values = __iter__ = __contains__ = get


class Said(str):
    """Is a text, and raises when it is used as one."""

    def __str__(self) -> str:
        raise Sour(self)

    __hash__ = __eq__ = __contains__ = startswith = strip = encode = __str__  # type: ignore[assignment]


def ring() -> list[Any]:
    made: list[Any] = []
    made.append({"again": made})
    return made


def deep(levels: int, of: type = list) -> Any:
    made: Any = "bottom"
    for _ in range(levels):
        made = [made] if of is list else {"a": made}
    return made


LEAVES: tuple[Callable[[random.Random], Any], ...] = (
    lambda rng: None,
    lambda rng: rng.choice((True, False)),
    lambda rng: rng.choice((0, -1, 7, 2**63, -(2**64), 10**400)),
    lambda rng: rng.choice((0.5, math.nan, math.inf, -math.inf, 1e308)),
    lambda rng: rng.choice(("", "x", "terminal", "ls -la", '{"output": "a", "exit_code": 0}', '{"cwd": 7', "\0\n\r\x1b[2J", "é" * 99)),
    lambda rng: rng.choice(("\ud800", "a\udfff", "\udc80" * 3, "\ud83d\ude00")),
    lambda rng: rng.randbytes(rng.randrange(40)),
    lambda rng: object(),
    lambda rng: Spiteful(),
    lambda rng: Said("terminal"),
    lambda rng: Sly(command="ls"),
    lambda rng: ring(),
    lambda rng: rng.choice((print, int, math, (1, 2), {1, 2}, frozenset(), range(3), memoryview(b"x"), iter([1]), Sour("no"))),
    lambda rng: deep(rng.choice((10, 990, 5_000)), rng.choice((list, dict))),
    lambda rng: {rng.choice(("command", "output", "cwd", 7, None, (1,), "\ud800")): rng.choice((1, "ls", ["a"], {"b": math.nan}))},
    lambda rng: {"tool_calls": rng.choice((None, 3, [None, {"id": 7}, {"id": "c1"}], ring(), [Spiteful()], "abc"))},
)


def payload(rng: random.Random, tools: tuple[str, ...]) -> dict[str, Any]:
    """Some of the names, each with something that may be right or not; half of them begin as the host would tell them."""
    told: dict[str, Any] = {}
    if rng.random() < 0.5:
        args = {"command": "ls", "path": "a"}
        told = {"turn_id": f"t{rng.randrange(50)}", "session_id": "s", "tool_name": rng.choice(tools), "args": args}
    for name in rng.sample(NAMES, rng.randrange(8)):
        told[name] = rng.choice(LEAVES)(rng)
    return told


def large(rng: random.Random) -> Iterator[dict[str, Any]]:
    """Payloads of a size that nobody expects, in each of the places that may hold any."""
    told = {"turn_id": "t1", "session_id": "s", "tool_name": "terminal", "args": {"command": "ls"}}
    text = "x" * LARGE
    yield told | {"result": text}
    yield told | {"result": '{"output": "' + text + '"}'}
    yield told | {"args": {"command": text}, "user_message": text}
    yield told | {"result": {"a": [text]}, "usage": {"n": text}}
    yield told | {"result": deep(100_000), "args": {"a": deep(100_000, dict)}}
    yield told | {"args": {f"k{n}": n for n in range(LARGE // 100)}}


def answered(hook: Callable[..., Any], told: dict[str, Any]) -> None:
    """The hook answers nothing, or what the host takes from it."""
    said = hook(**told)
    assert said is None or isinstance(said, str) or said.keys() == {"action", "message", "rule_key"}


def resident() -> int:
    """Megabytes of memory that this process holds now; 0 where that cannot be told."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() // 1_000_000
    except OSError:
        return 0


@pytest.mark.parametrize("seed", [1])
def test_no_payload_breaks_a_hook_and_memory_stays_bounded(
    tmp_path: Path, seed: int, record_property: Callable[[str, object], None], caplog: pytest.LogCaptureFixture
) -> None:
    """B46, K2: missing, of the wrong type, endless, half characters, deep, huge, or raising whatever is done with it."""
    caplog.set_level("CRITICAL")
    (tmp_path / "project").mkdir()
    rng, context = random.Random(seed), Context({})
    with installed(tmp_path) as file:
        approved(file, reader(), "look")
        register(context)
        plugin = context.hooks["pre_llm_call"].__self__  # type: ignore[attr-defined]
        tools = ("terminal", "read_file", "kata_look", "kata_resume", "nothing")
        for told in large(rng):
            for name in HOOKS:
                answered(context.hooks[name], told)
            assert plugin.recorder.flush(100, mined=False)
        before = resident()
        for number in range(PAYLOADS):
            name = rng.choice(RARE) if number % 200 == 199 else rng.choice(HOOKS)
            answered(context.hooks[name], payload(rng, tools))
        assert plugin.recorder.flush(300, mined=True), "the writer is alive"
        bounded(plugin)
        grown = resident() - before
        record_property("payloads without an exception", (f"{LARGE // 1_000_000} MB the largest, memory grew by {grown} MB,", PAYLOADS))
        assert grown < 100
        assert "payloads that were not what the host promises" in context.status()
        for callback in context.unloads:
            callback()


def bounded(plugin: Any) -> None:
    """Whatever is kept of payloads has its limit."""
    kept = (plugin.folders, plugin.callers, plugin.lately, plugin.chats)
    assert all(len(one) <= KEPT for one in kept)
    recorder = plugin.recorder
    assert recorder.queue.qsize() <= QUEUE and len(recorder.unwritten) <= WAITING and len(recorder.unread) <= WAITING
    assert all(len(one) <= 2_000 for one in (recorder.places.conversations, recorder.places.sessions, recorder.places.turns))
    assert sys.getrecursionlimit() < 100_000
