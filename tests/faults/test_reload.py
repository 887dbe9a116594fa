"""The plugin taken away and loaded again, over and over: no thread, no open file and no tool of an earlier life is left."""

import os
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from kata import register

from ..stand_in import Context, installed

FULL = int(os.environ.get("KATA_EXAMPLES", "200")) >= 10_000
TIMES = 100 if FULL else 20
OPEN = Path("/proc/self/fd")
IDS = {"session_id": "s", "task_id": "s", "turn_id": "t"}


def lived(call: str) -> Context:
    """A life with one call in it, so that the writer's thread starts and the file is opened."""
    context = Context({})
    register(context)
    context.hooks["pre_llm_call"](user_message="do it", platform="cli", parent_session_id="", **IDS)
    told = {"tool_name": "terminal", "args": {"command": "ls"}, "result": "{}", "status": "ok", "duration_ms": 5}
    context.hooks["post_tool_call"](tool_call_id=call, **told, **IDS)
    context.hooks["on_session_end"](completed=True, failed=False, interrupted=False, platform="cli", **IDS)
    context.hooks["on_session_finalize"](session_id="s", platform="cli", reason="shutdown")
    for callback in context.unloads:
        callback()
    return context


@pytest.mark.skipif(not OPEN.is_dir(), reason="open files cannot be counted here")
def test_a_plugin_that_is_loaded_again_and_again_leaves_nothing_behind(tmp_path: Path) -> None:
    """T54: and every life recorded its call."""
    (tmp_path / "project").mkdir()
    left = []
    with installed(tmp_path) as file:
        for number in range(TIMES):
            context = lived(f"c{number}")
            left.append((threading.active_count(), len(list(OPEN.iterdir())), len(context.tools)))
        with closing(sqlite3.connect(file)) as db:
            assert db.execute("SELECT count(*) FROM events").fetchone() == (TIMES,)
    assert set(left[2:]) == {left[2]}, "threads, open files, tools"
