"""Where nobody answers on the real Hermes: in the host's process for plugins, and in a Hermes whose guards are asked in another way, other
plugins' guards cannot be asked, so a kata hands back before it acts; and a question that no person answers is a no."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from lessons import COUNT, LOOK, PUBLISH, School

from harness import Answer, Host
from model_server import CallKata, Say, read_result

LESSONS = (COUNT, LOOK, PUBLISH)
FILE = "src/plum.txt"
OLDER = """
import inspect
from hermes_cli import plugins

def register(ctx):
    plugins._dispatch_pre_tool_call_hooks.__signature__ = inspect.Signature()
"""
"""A plugin that makes the private name by which guards are asked look like one that takes nothing, as in another Hermes it might."""


@dataclass
class Alone:
    """What the calls of two conversations came to."""

    host: Host
    isolated: Answer | None = None
    results: list[Any] = field(default_factory=list)
    touched: bool = True
    calls: list[tuple[str, str]] = field(default_factory=list)
    unanswered: tuple[str, ...] = ()
    older: list[Any] = field(default_factory=list)


@pytest.fixture(scope="module")
def alone(school: School) -> Iterator[Alone]:
    host, found = school.host, Alone(school.host)
    (host.work / "src").mkdir()
    (host.work / FILE).write_text("a plum\nTODO plum\n")
    unanswered(school, found)
    isolated(school, found)
    older(school, found)
    assert host.server.complaints == []
    yield found
    host.config.clear()
    host.configure()


def older(school: School, found: Alone) -> None:
    """The same chat where the guards are there and cannot be asked as we know it."""
    host = school.host
    host.config.clear()
    folder = host.root / "older"
    folder.mkdir()
    (folder / "plugin.yaml").write_text("name: older\nversion: 0.1.0\ndescription: Another Hermes.\n", encoding="utf-8")
    (folder / "__init__.py").write_text(OLDER, encoding="utf-8")
    host.install(folder, "older")
    school.script.turn("ALONE older", [CallKata("look", ("plum",)), CallKata("count", (FILE,)), Say("said older")])
    before = (host.work / FILE).stat().st_mtime_ns
    found.older = [read_result(text) for text in host.chat("ALONE older").results]
    found.touched |= (host.work / FILE).stat().st_mtime_ns != before


def isolated(school: School, found: Alone) -> None:
    """A chat in which plugins run in a process of their own: one kata that only reads, one that ends with a write."""
    before = (school.host.work / FILE).stat().st_mtime_ns
    school.host.config |= {"plugins": {"enabled": ["kata"], "isolation": "host"}}
    school.host.configure()
    school.script.turn("ALONE host", [CallKata("look", ("plum",)), CallKata("count", (FILE,)), Say("said host")])
    found.isolated = school.host.chat("ALONE host")
    found.results = [read_result(text) for text in found.isolated.results]
    found.touched = (school.host.work / FILE).stat().st_mtime_ns != before


def unanswered(school: School, found: Alone) -> None:
    """A chat in which a kata that acts elsewhere asks, and nobody answers for a second."""
    school.host.config |= {"approvals": {"timeout": 1}}
    school.host.configure()
    school.script.turn("ALONE mute", [CallKata("publish", ("plum",)), Say("said mute")])
    since = school.witness.mark()
    with school.host.terminal("chat") as terminal:
        terminal.type("ALONE mute", "said mute")
        told = [request for request in school.host.server.requests if request.get("tools")][-1]
        found.unanswered = Answer(0, "", "", 0.0, (told,)).results
        terminal.type("/exit", "--resume")
    found.calls = school.witness.calls(since)
    school.host.config.clear()


def test_in_a_process_for_plugins_a_kata_hands_back_before_it_acts(alone: Alone) -> None:
    """A25: there the guards of other plugins cannot be asked; reads go on, and the answer says why the write did not happen."""
    look, count = alone.results
    assert look["status"] == "ok", look
    assert [step["status"] for step in count["steps"]] == ["ok", "ok", "refused"], count
    assert not alone.touched and "In the plugin host the other plugins cannot be asked" in count["error"]
    assert count["next"] == {"tool": "terminal", "arguments": {"command": f"touch {FILE}"}}


def test_where_the_private_name_is_another_a_kata_hands_back_before_it_acts(alone: Alone) -> None:
    """A25: the guarded import finds something that it cannot call as it must; reads go on."""
    look, count = alone.older
    assert look["status"] == "ok", look
    assert [step["status"] for step in count["steps"]] == ["ok", "ok", "refused"], count
    assert not alone.touched and "This Hermes does not let us ask the other plugins" in count["error"]


def test_a_question_that_nobody_answers_is_a_no(alone: Alone) -> None:
    """K80: what is asked and not answered in the host's time does not run."""
    assert len(alone.unanswered) == 1 and "timed out" in alone.unanswered[0].lower(), alone.unanswered
    assert alone.calls == []
    assert {row["name"] for row in alone.host.rows("SELECT name FROM runs JOIN katas ON katas.id = runs.kata")} == {"look", "count"}
