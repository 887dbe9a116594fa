"""What changes while a kata is there, on the real Hermes: the person's mind in the middle of a run, and a second plugin's tool between two
processes."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from lessons import COUNT, PONDER, School

from harness import Answer, Host
from model_server import CallKata, Say

PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
"""What the witness' tool takes at first."""
LESSONS = (COUNT, replace(PONDER, schemas={"ponder": PATH}))
PIPE = "src/pipe"


@dataclass
class Changed:
    """What was said and done, in order."""

    host: Host
    said: dict[str, Answer] = field(default_factory=dict)
    calls: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    runs: dict[str, list[Any]] = field(default_factory=dict)
    states: dict[str, dict[str, str]] = field(default_factory=dict)
    screen: str = ""


def settled(host: Host) -> bool:
    """Whether the run that is written down is over."""
    return [row["finished"] is not None for row in host.rows("SELECT finished FROM runs")] == [True]


def states(host: Host) -> dict[str, str]:
    return {row["name"]: row["state"] for row in host.rows("SELECT name, state FROM katas")}


@pytest.fixture(scope="module")
def changed(school: School) -> Iterator[Changed]:
    host, found = school.host, Changed(school.host)
    host.config |= {"approvals": {"single_query_mode": "approve"}}
    host.configure()
    (host.work / "src").mkdir()
    (host.work / "src" / "plum.txt").write_text("a plum\nTODO plum\n")
    os.mkfifo(host.work / PIPE)
    interrupted(school, found)
    other_tool(school, found)
    assert host.server.complaints == []
    yield found
    host.config.clear()
    host.configure()


def interrupted(school: School, found: Changed) -> None:
    """A person presses Ctrl-C while the second step of a run waits for a pipe."""
    school.script.turn("CHANGE stop", [CallKata("count", (PIPE,)), Say("said stop")])
    since = school.witness.mark()
    with school.host.terminal("chat") as terminal:
        terminal.type("CHANGE stop", PIPE)
        terminal.tap("", lambda: school.witness.calls(since)[-1:] == [("terminal", f"wc -l {PIPE}")], "the step that waits")
        terminal.tap("\x03", lambda: settled(school.host), "the end of the run")
        terminal.type("/exit", "--resume")
    found.screen = terminal.shown
    found.calls["stop"] = school.witness.calls(since)
    found.runs["stop"] = school.host.rows("SELECT status, reason FROM runs")


def other_tool(school: School, found: Changed) -> None:
    """The second plugin comes back with a tool that wants another argument."""
    place = school.host.plugins / "witness" / "__init__.py"
    text = place.read_text(encoding="utf-8")
    changed = text.replace('"required": ["path"]}', '"required": ["path", "depth"]}').replace(
        '"properties": {"path": {"type": "string"}}', '"properties": {"path": {"type": "string"}, "depth": {"type": "integer"}}'
    )
    assert changed != text
    place.write_text(changed, encoding="utf-8")
    school.script.turn("CHANGE tool", [CallKata("consider", ("src/plum.txt",)), Say("said tool")])
    since = school.witness.mark()
    found.said["tool"] = school.host.chat("CHANGE tool")
    found.calls["tool"] = school.witness.calls(since)
    found.states["tool"] = states(school.host)
    found.said["review"] = school.host.kata("review", "consider")


def test_ctrl_c_ends_a_run_and_nothing_after_its_step_starts(changed: Changed) -> None:
    """Trap 3, T52: the person's interrupt reaches the kata, and the trace says so."""
    assert changed.calls["stop"] == [("kata_count", PIPE), ("terminal", f"ls {PIPE}"), ("terminal", f"wc -l {PIPE}")]
    assert [row["status"] for row in changed.runs["stop"]] == ["interrupted"], changed.runs


def test_a_tool_that_a_second_plugin_changed_stops_the_kata_and_makes_it_stale(changed: Changed) -> None:
    """A18, K85: found by the next process, before anything runs."""
    result = json.loads(changed.said["tool"].results[0])
    assert [tool for tool, _ in changed.calls["tool"]] == ["kata_consider"]
    assert "the schema of ponder has changed" in result["error"] and "Nothing was run" in result["error"]
    assert changed.states["tool"] == {"count": "active", "consider": "stale"}
