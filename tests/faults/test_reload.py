"""The plugin taken away and loaded again, switched off and on, and loaded for two profiles in one process: no thread, no connection, no
open file and no tool of an earlier life is left."""

import gc
import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from kata import register

from ..stand_in import Context, approve, installed, reader

FULL = int(os.environ.get("KATA_EXAMPLES", "200")) >= 10_000
TIMES = 100 if FULL else 20
OPEN = Path("/proc/self/fd")
IDS = {"session_id": "s", "task_id": "s", "turn_id": "t"}
Left = tuple[int, int, int, tuple[str, ...]]

pytestmark = pytest.mark.skipif(not OPEN.is_dir(), reason="open files cannot be counted here")


def live(context: Context, call: str) -> None:
    """A chat with one call, so that the writer's thread starts and the file is opened."""
    register(context)
    if context.hooks:
        talk(context, call)


def talk(context: Context, call: str, turn: str = "t") -> None:
    ids = IDS | {"turn_id": turn}
    context.hooks["pre_llm_call"](user_message="do it", platform="cli", parent_session_id="", **ids)
    told = {"tool_name": "terminal", "args": {"command": "ls"}, "result": "{}", "status": "ok", "duration_ms": 5}
    context.hooks["post_tool_call"](tool_call_id=call, **told, **ids)
    context.hooks["on_session_end"](completed=True, failed=False, interrupted=False, platform="cli", **ids)
    context.hooks["on_session_finalize"](session_id="s", platform="cli", reason="shutdown")


def leave(context: Context) -> None:
    """What a host does when it unloads a plugin: it takes back the tools that it knows of, and tells the plugin."""
    for callback in context.unloads:
        callback()


def left(context: Context) -> Left:
    """Threads of ours, connections, open files, and the tools that are registered."""
    gc.collect()
    threads = sum(one.name.startswith("kata") for one in threading.enumerate())
    connections = sum(isinstance(one, sqlite3.Connection) and usable(one) for one in gc.get_objects())
    return threads, connections, len(list(OPEN.iterdir())), tuple(sorted(context.tools))


def usable(db: sqlite3.Connection) -> bool:
    try:
        return db.total_changes >= 0
    except sqlite3.ProgrammingError:
        return False


def recorded(file: Path) -> int:
    with closing(sqlite3.connect(file)) as db:
        return int(db.execute("SELECT count(*) FROM events").fetchone()[0])


def same(found: list[Left]) -> None:
    """All but the first two lives, in which modules are loaded, left the same."""
    assert set(found[2:]) == {found[2]}, "threads, connections, open files, tools"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A host's home with one approved kata; the file."""
    (tmp_path / "project").mkdir()
    with installed(tmp_path) as file:
        approve(file, reader(), "look")
        yield file


def test_a_plugin_that_is_loaded_again_and_again_leaves_nothing_behind(home: Path, record_property: Callable[[str, object], None]) -> None:
    """T54: and every life recorded its call, and had the kata once."""
    before, found = left(Context({}))[:2], []
    for number in range(TIMES):
        context = Context({})
        live(context, f"c{number}")
        assert sorted(context.tools) == ["kata_list", "kata_look", "kata_resume"]
        leave(context)
        found.append(left(context))
    assert recorded(home) == TIMES
    same(found)
    assert found[-1][:2] == before, "no thread and no connection of ours is left"
    record_property("loaded again", ("times, with no thread, connection, open file or tool left", TIMES))


def test_a_plugin_that_is_switched_off_and_on_records_when_it_is_on(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """T60: a life that is off opens nothing, registers no tool, and leaves nothing."""
    found = []
    for number in range(TIMES):
        if number % 2:
            monkeypatch.setenv("KATA_OFF", "1")
        else:
            monkeypatch.delenv("KATA_OFF", raising=False)
        context = Context({})
        live(context, f"c{number}")
        assert bool(context.tools) == (not number % 2)
        leave(context)
        found.append(left(context)[:3])
    assert recorded(home) == TIMES // 2
    assert set(found[2:]) == {found[2]}


def test_what_an_earlier_life_is_told_after_its_end_is_not_recorded(home: Path) -> None:
    """Trap of the host: hooks of the old object may be called once more."""
    old, new = Context({}), Context({})
    live(old, "c1")
    leave(old)
    live(new, "c2")
    talk(old, "c3", "late")
    assert recorded(home) == 2
    assert left(new)[0] == 1, "one writer: that of the new life"
    leave(new)


def test_two_profiles_in_one_process_keep_to_their_own_file(tmp_path: Path) -> None:
    """B17: each has its file, its katas and its writer, whoever is loaded or goes first."""
    homes, found = [tmp_path / name for name in ("one", "other")], []
    for home in homes:
        (home / "project").mkdir(parents=True)
    for number in range(TIMES // 4):
        contexts, files = [], []
        for at, home in enumerate(homes):
            with installed(home) as file:
                if not number:
                    approve(file, reader(), f"look_{at}")
                contexts.append(Context({}))
                live(contexts[-1], f"c{number}")
            files.append(file)
        assert [sorted(one.tools) for one in contexts] == [["kata_list", f"kata_look_{at}", "kata_resume"] for at in range(2)]
        assert left(contexts[0])[0] == 2
        with installed(homes[1]):
            talk(contexts[0], f"d{number}", f"more {number}")
        for context in contexts if number % 2 else reversed(contexts):
            leave(context)
        found.append(left(contexts[0])[:3])
    assert [recorded(file) for file in files] == [2 * (TIMES // 4), TIMES // 4]
    same(found)  # type: ignore[arg-type]
