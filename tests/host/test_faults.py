"""The plugin under load and fault on the real Hermes: whatever befalls its file or its hooks, the user's tool calls are neither blocked nor
changed nor delayed; afterwards `status` tells what happened, and recording resumes. (T10)"""

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from harness import CHECKOUT, NO_HOST, Answer, Host, executable
from model_server import Say, Script, Step, ToolCalls, serving

NOISE = '''
RUBBISH = [{}, {"turn_id": None}, {"turn_id": 7, "session_id": [1], "tool_name": object(), "args": "x", "result": b"\\xff", "usage": [1]}]
HOOKS = ("pre_llm_call", "post_api_request", "pre_tool_call", "post_tool_call", "on_session_start", "on_session_end", "on_session_finalize")

def register(ctx):
    ctx.register_hook("post_tool_call", shout)

def shout(tool_name="", turn_id="", session_id="", **_):
    from hermes_cli.plugins import invoke_hook
    if tool_name != "terminal" or not turn_id:
        return
    for name in HOOKS:
        for odd in RUBBISH:
            invoke_hook(name, **odd)
    ring = []
    ring.append(ring)
    good = {"turn_id": turn_id, "session_id": session_id, "tool_name": "odd"}
    for odd in ({"args": "no object"}, {"args": {"ring": ring}}, {"args": {}, "result": ring}, {"args": {"key": {(1, 2): object()}}}):
        invoke_hook("post_tool_call", **good, **odd, tool_call_id="odd")
    invoke_hook("post_api_request", **good, usage="much", api_duration="long", assistant_message={"tool_calls": 3})
    invoke_hook("on_session_end", turn_id="a turn that never was", session_id=session_id)
'''
MALFORMED = 17
"""Of the rubbish: three for each of the four kinds of event, four calls of the real turn, and one request of it."""

FLUSHES, GLANCE = 0.3 + 1.0 + 0.1, 0.1
"""Seconds that the plugin may hold up the end of a chat (the turn, the end, the line that announces a proposal), and a start or a turn
when its file is busy."""
NOISE_S, TRIES = 3.0, 4
"""What the start and the end of a Hermes process vary by on two cores that others use too; where it was more, both chats are had again."""


def shell(command: str) -> Step:
    return ToolCalls([("terminal", {"command": command})])


@dataclass
class Course:
    """One home through several chats: what each said, and what `status` said after it."""

    host: Host
    said: dict[str, Answer] = field(default_factory=dict)
    status: dict[str, Answer] = field(default_factory=dict)
    counted: dict[str, Mapping[str, int]] = field(default_factory=dict)

    def chat(self, word: str) -> None:
        """A chat about that word, and what the plugin counted as lost until then."""
        self.said[word] = self.host.chat(f"WORD {word}")

    def look(self, word: str) -> None:
        """What the owner is told now."""
        self.status[word], self.counted[word] = self.host.kata("status"), self.host.counters()

    def commands(self, word: str) -> list[str]:
        """The commands recorded of the chat about that word, in order."""
        (message,) = [row["id"] for row in self.host.rows("SELECT id, message FROM turns") if row["message"] == f"WORD {word}"] or [""]
        return [row["arguments"]["command"] for row in self.host.calls(id=message)]

    def told(self, word: str) -> str:
        return " ".join(self.status[word].out.split())


def locking(course: Course) -> tuple[list[Step], list[str]]:
    """A chat in whose midst another process, which is this one, locks the file for four seconds: longer than the writer's patience."""
    held: list[sqlite3.Connection] = []

    def lock(results: Any) -> dict[str, str]:
        held.append(sqlite3.connect(course.host.database, isolation_level=None, check_same_thread=False))
        held[0].execute("BEGIN EXCLUSIVE")
        return {"command": "echo locked"}

    def unlock(results: Any) -> dict[str, str]:
        held[0].close()
        return {"command": "echo free"}

    steps = [ToolCalls([("terminal", lock)]), shell("sleep 4"), ToolCalls([("terminal", unlock)]), shell("echo end"), Say("said middle")]
    return steps, ["echo locked", "sleep 4", "echo free", "echo end"]


def plain(word: str) -> list[Step]:
    return [shell(f"echo {word}"), shell(f"echo {word} again; seq 400"), Say(f"said {word}")]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Course]:
    """All chats for the tests of this file, in order: a start of the host costs seconds."""
    hermes, folder = executable(), tmp_path_factory.mktemp("faults")
    if hermes is None:
        pytest.skip(NO_HOST)
    script = Script()
    with serving(script) as server:
        course = Course(Host(folder, server, hermes))
        course.host.install(CHECKOUT, "kata")
        for word in ("locked", "noise", "full", "after"):
            script.turn(f"WORD {word}", plain(word))
        script.turn("ONCE MORE", plain("once more"))
        script.turn("WORD middle", locking(course)[0])
        assert course.host.kata("status").code == 0, "this makes the file"
        locked(course)
        course.chat("middle")
        course.counted["middle"] = course.host.counters()
        noisy(course, folder)
        full(course)
        course.chat("after")
        course.look("after")
        assert server.complaints == []
        yield course


def locked(course: Course) -> None:
    """A chat during all of which another process has the file for itself."""
    with closing(sqlite3.connect(course.host.database, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        course.chat("locked")
        course.status["while locked"] = course.host.kata("status")
    course.look("locked")


def noisy(course: Course, folder: Path) -> None:
    """A chat beside a plugin that tells all hooks nonsense."""
    (folder / "noise").mkdir()
    (folder / "noise" / "plugin.yaml").write_text("name: noise\nversion: 0.1.0\ndescription: Shouts.\nprovides_hooks: [post_tool_call]\n")
    (folder / "noise" / "__init__.py").write_text(NOISE)
    course.host.install(folder / "noise", "noise")
    course.chat("noise")
    course.look("noise")
    course.host.enabled.remove("noise")
    course.host.configure()


def full(course: Course) -> None:
    """A chat while the file cannot grow."""
    with course.host.full_disk() as how:
        course.chat("full")
        course.status[f"while {how}"] = course.host.kata("status")
    course.look("full")


@pytest.mark.parametrize("word", ("locked", "middle", "noise", "full", "after"))
def test_no_tool_call_is_blocked_or_changed_and_the_chat_ends_as_ever(course: Course, word: str) -> None:
    answer = course.said[word]
    assert answer.code == 0 and f"said {word}" in answer.out and "Traceback" not in answer.out + answer.err, str(answer)
    expected = ["locked", "", "free", "end"] if word == "middle" else [word, "\n".join([f"{word} again", *map(str, range(1, 401))])]
    assert answer.results == tuple(ok(output) for output in expected)


def ok(output: str) -> str:
    """What the terminal answers, as the host writes it."""
    return '{"output": "' + output.replace("\n", "\\n") + '", "exit_code": 0, "error": null}'


def test_nothing_is_delayed_by_a_locked_file_beyond_what_was_promised(course: Course) -> None:
    """B28. Compared are the three parts of a chat, each with the slowest of the other chats: until the first request the plugin may wait
    three times for a glance (at its registration, at the session, at the turn), between requests never, and from the last request on for
    its flushes. With the five seconds that the host's own opener waits, each part would be over its bound, every time; a machine that is
    busy with something else holds up a chat as well, but not each of four."""
    held = [delays(course.said["locked"], [course.said[word] for word in ("noise", "full", "after")])]
    while held[-1] and len(held) < TRIES:
        held.append(delays(*again(course, len(held))))
    assert held[-1] == [], held


def delays(late: Answer, others: Sequence[Answer]) -> list[str]:
    """The parts of a chat that took longer than they may, beside chats with nothing in their way."""
    bounds = {
        "the start": (late.arrived[0], max(other.arrived[0] for other in others) + 3 * GLANCE + NOISE_S),
        "between two requests lies a tool call": (gap(late), max(map(gap, others)) + 0.5),
        "the end": (rest(late), max(map(rest, others)) + FLUSHES + NOISE_S),
    }
    return [f"{part}: {took:.1f} s of {bound:.1f} s" for part, (took, bound) in bounds.items() if took > bound]


def again(course: Course, number: int) -> tuple[Answer, list[Answer]]:
    """One more chat while the file is locked, and one while it is not."""
    with closing(sqlite3.connect(course.host.database, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        late = course.host.chat(f"ONCE MORE, locked, {number}")
    return late, [course.host.chat(f"ONCE MORE, free, {number}")]


def rest(answer: Answer) -> float:
    """Seconds from the last request to the end."""
    return answer.seconds - answer.arrived[-1]


def gap(answer: Answer) -> float:
    """The longest time between two requests in seconds: a tool call, and its hooks."""
    return max(after - before for before, after in zip(answer.arrived, answer.arrived[1:], strict=False))


def test_a_locked_file_is_named_while_it_lasts_and_the_loss_afterwards(course: Course) -> None:
    """B28: what it could not write it counts, and status says so."""
    told = course.told("while locked")
    assert course.status["while locked"].code == 1 and "Recording off" in told and "is busy: another process is using it" in told
    assert told.count("is busy") == 1, "said once"
    assert course.commands("locked") == []
    assert course.counted["locked"].get("not_written", 0) > 0 or "not take" in course.told("locked"), course.told("locked")


def test_a_file_that_is_locked_for_a_while_costs_no_row(course: Course) -> None:
    """B28, B39: the rows wait, those of the turn's beginning too, and no call of the person is taken for one of a fork."""
    assert course.commands("middle") == locking(course)[1]
    assert "background_call" not in course.counted["middle"]


def test_nonsense_is_counted_and_what_is_right_beside_it_is_recorded(course: Course) -> None:
    assert course.commands("noise") == ["echo noise", "echo noise again; seq 400"]
    counted = course.counted["noise"].get("malformed", 0) - course.counted["middle"].get("malformed", 0)
    assert counted == 2 * MALFORMED, "the noise was made after each of two calls"
    assert f"{counted} payloads that were not what the host promises" in course.told("noise")


def test_a_full_disk_is_named_while_it_lasts_and_the_loss_afterwards(course: Course) -> None:
    if "while full" in course.status:
        told = course.told("while full")
        assert course.status["while full"].code == 1 and "Recording off" in told and "the disk is full" in told, told
    assert course.commands("full") == []
    lost = course.counted["full"].get("not_written", 0) - course.counted["noise"].get("not_written", 0)
    assert lost > 0 or "not take" in course.told("full"), course.told("full")


def test_recording_resumes_and_what_was_there_is_still_there(course: Course) -> None:
    """B28"""
    for word in ("noise", "after"):
        assert course.commands(word) == [f"echo {word}", f"echo {word} again; seq 400"]
    assert course.status["after"].code == 0 and "Recording on" in course.told("after")
    assert course.host.rows("PRAGMA integrity_check") == [{"integrity_check": "ok"}]
