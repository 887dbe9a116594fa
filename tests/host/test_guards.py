"""The guards of other plugins hold inside of a kata, on the real Hermes: blocked, asked about, rewritten; a tool
set that is switched off; and what `-z` does with our own question (T41)."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from lessons import CLEAR, LOOK, School

from model_server import CallKata, Say

LESSONS = (LOOK, CLEAR)
GUARD = '''
def register(ctx):
    ctx.register_hook("pre_tool_call", guard)

def guard(tool_name="", args=None, **_):
    text = str((args or {}).get("command", "")) if tool_name == "terminal" else ""
    if text.endswith("/fig.txt"):
        return {"action": "block", "message": "the guard says no to figs"}
    if text.endswith("/plum.txt"):
        return {"action": "approve", "message": "Is a plum allowed?", "rule_key": "plum"}
    if text.endswith("/kiwi.txt"):
        return {"action": "modify", "args": {"command": "touch src/rewritten"}}
'''
WORDS = ("fig", "plum", "kiwi", "quince")
"""Blocked, asked about where nobody can answer, rewritten, and let through."""


@dataclass
class Guarded:
    """What each call of the kata gave, which calls reached a tool, and what is there afterwards."""

    results: dict[str, Any] = field(default_factory=dict)
    calls: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    there: set[str] = field(default_factory=set)
    cleared: bool = False


@pytest.fixture(scope="module")
def guarded(school: School) -> Iterator[Guarded]:
    host, guarded = school.host, Guarded()
    folder = host.root / "guard"
    folder.mkdir()
    manifest = "name: guard\nversion: 0.1.0\ndescription: Guards.\nprovides_hooks: [pre_tool_call]\n"
    (folder / "plugin.yaml").write_text(manifest, encoding="utf-8")
    (folder / "__init__.py").write_text(GUARD, encoding="utf-8")
    (host.work / "src").mkdir(exist_ok=True)
    (host.work / "build" / "fig").mkdir(parents=True)
    (host.work / "build" / "fig" / "a.o").touch()
    for word in WORDS:
        (host.work / "src" / f"{word}.txt").write_text(f"TODO {word}\n")
    host.install(folder, "guard")
    for word in WORDS:
        spoken(school, guarded, word, f"GUARD {word}", "look", word, "-q")
    host.config["agent"] = {"disabled_toolsets": ["terminal"]}
    host.configure()
    spoken(school, guarded, "withheld", "GUARD without", "look", "quince", "-q")
    del host.config["agent"]
    host.configure()
    spoken(school, guarded, "oneshot", "GUARD once", "clear", "build/fig", "-z")
    guarded.there = {path.name for path in (host.work / "src").iterdir()}
    guarded.cleared = not (host.work / "build" / "fig").exists()
    yield guarded


def spoken(school: School, guarded: Guarded, key: str, message: str, kata: str, value: str, way: str) -> None:
    """One conversation in which the agent calls the kata once."""
    since = school.witness.mark()
    school.script.turn(message, [CallKata(kata, (value,)), Say("said")])
    answer = school.host.chat(message) if way == "-q" else school.host.run("-z", message)
    guarded.results[key] = json.loads(answer.results[0])
    guarded.calls[key] = [call for call in school.witness.calls(since) if not call[0].startswith("kata_")]


@pytest.mark.parametrize(("word", "why"), [("fig", "the guard says no to figs"), ("plum", ""), ("kiwi", "")])
def test_a_step_does_not_go_around_another_plugin(guarded: Guarded, word: str, why: str) -> None:
    """T41, A25: blocked, not approved, rewritten: the step does not run, and the run stops there."""
    result = guarded.results[word]
    assert "Step 3 of 3" in result["error"] and why in result["error"], result
    assert [tool for tool, _ in guarded.calls[word]] == ["search_files", "read_file"]
    assert "rewritten" not in guarded.there


def test_what_no_guard_speaks_against_runs(guarded: Guarded) -> None:
    assert guarded.results["quince"]["status"] == "ok" and guarded.calls["quince"][-1][1].endswith("src/quince.txt")


def test_a_tool_of_a_set_that_is_switched_off_is_not_reached_through_a_kata(guarded: Guarded) -> None:
    """T41"""
    assert "switched off" in guarded.results["withheld"]["error"] and guarded.calls["withheld"] == [], guarded.results["withheld"]


def test_one_shot_answers_every_question_with_yes_as_the_host_does(guarded: Guarded) -> None:
    """As the README says: `-z` of the host asks nobody, neither for the command nor for us."""
    assert guarded.cleared and guarded.results["oneshot"]["status"] == "ok", guarded.results["oneshot"]
