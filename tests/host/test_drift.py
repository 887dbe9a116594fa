"""The world changes around katas on the real Hermes: a program is gone in the middle of a run, or before a stopped one goes on; a step
answers unlike every example twice; what is done by hand instead waits as a repaired version. The person is told of each once. (T63, T80)"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from lessons import GATE, Did, Lesson, School, number, opened, sh

from harness import Answer, Host
from kata import commands
from model_server import CallKata, Results, Say, Step, ToolCalls, read_result


def counted(program: str) -> Lesson:
    """A routine around a program of the owner's own."""

    def steps(word: str) -> list[Did]:
        path = f"src/{word}.txt"
        return [sh(f"ls {path}", path), sh(f"{program} {path}", f"{number(word)} of {word}"), sh(f"touch {path}.seen")]

    return Lesson(f"{program}_it", steps)


MEASURE, WEIGH = counted("measure"), counted("weigh")
LESSONS = (MEASURE, WEIGH, GATE)
SAID = re.compile(r"Kata: (.+?)\. Look: hermes kata review (\d)")
"""The line at the end of a conversation."""


@dataclass
class Drifted:
    """What was said in which conversation, which calls reached a tool in it, and what the katas were afterwards."""

    school: School
    said: dict[str, Answer] = field(default_factory=dict)
    calls: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    states: dict[str, dict[str, str]] = field(default_factory=dict)

    def held(self, word: str, *steps: Step) -> None:
        """One conversation."""
        self.school.script.turn(f"DRIFT {word}", [*steps, Say(f"said {word}")])
        since = self.school.witness.mark()
        self.said[word] = self.school.host.chat(f"DRIFT {word}")
        self.calls[word] = self.school.witness.calls(since)
        self.states[word] = {row["name"]: row["state"] for row in self.school.host.rows("SELECT name, state FROM katas")}

    def told(self, word: str) -> list[tuple[str, ...]]:
        """What Kata said at the end of that conversation."""
        answer = self.said[word]
        return [found.groups() for found in SAID.finditer(" ".join((answer.out + answer.err).split()))]

    @property
    def results(self) -> list[Any]:
        """What was answered in the first conversation."""
        return [read_result(text) for text in self.said["drift"].results]


def program(host: Host, name: str, text: str = 'wc -c "$1"') -> None:
    """A program on the owner's PATH."""
    place = host.user / "bin" / name
    place.parent.mkdir(exist_ok=True)
    place.write_text(f"#!/bin/sh\n{text}\n")
    place.chmod(0o755)


def by_hand(*commands: str) -> list[Step]:
    return [ToolCalls([("terminal", {"command": command})]) for command in commands]


def instead(path: str, state: str) -> list[Step]:
    """How both are done from now on: with another program, and with another answer."""
    return by_hand(f"ls {path}", f"gauge {path}", f"touch {path}.seen", f"cat {state}", f"touch {state}.seen")


def again(results: Results) -> Mapping[str, Any]:
    return {"calls": [{"name": "kata_resume", "arguments": {"run": results[0]["run"]}}]}


@pytest.fixture(scope="module")
def drifted(school: School) -> Iterator[Drifted]:
    """All conversations of this file; a start of the host costs seconds."""
    host, found = school.host, Drifted(school)
    host.config |= {"approvals": {"single_query_mode": "approve"}}
    host.configure()
    host.variables["PATH"] = f"{host.user / 'bin'}:{os.environ['PATH']}"
    for folder, words in {"src": ("plum", "pear", "fig"), "state": ("plum", "pear", "fig")}.items():
        (host.work / folder).mkdir()
        for word in words:
            text = f"{word}\n" if folder == "src" else f"Maintenance of {word} until noon, come back at {number(word)}\n"
            (host.work / folder / f"{word}.txt").write_text(text)
    (host.user / ".bash_profile").write_text('PATH="$HOME/bin:$PATH"\n')  # the shell of the agent is a login shell
    program(host, "gauge")
    program(host, "weigh", "exit 3")
    weigh, gate = CallKata("weigh_it", ("src/plum.txt",)), CallKata("gate", ("state/plum.txt",))
    resumed = [*by_hand(f"rm {host.user}/bin/weigh"), ToolCalls([("tool_call", again)])]
    found.held("drift", weigh, *resumed, CallKata("measure_it", ("src/plum.txt",)), gate, gate)
    found.held("first", *instead("src/pear.txt", "state/pear.txt"))
    found.held("second", *instead("src/fig.txt", "state/fig.txt"))
    for word in ("quiet", "still"):
        found.held(word, *by_hand("true"))
    assert host.server.complaints == []
    yield found
    host.config.clear()
    host.variables.clear()
    host.configure()


def test_a_program_that_is_gone_is_noticed_before_a_stopped_run_goes_on(drifted: Drifted) -> None:
    """T63: found by a look, before the first effect that is left; nothing is run, and the kata is out of use."""
    stopped, _, resumed, *_ = drifted.results
    assert [step["status"] for step in stopped["steps"]] == ["ok", "error", "skipped"], stopped
    assert resumed == {"error": "Nothing was run: step 2: the program weigh is gone"}
    calls = drifted.calls["drift"]
    assert [call for _, call in calls[1:3]] == ["ls src/plum.txt", "weigh src/plum.txt"], calls
    at = [tool for tool, _ in calls].index("kata_resume")
    assert calls[at + 1][0] == "kata_measure_it" and drifted.states["drift"]["weigh_it"] == "stale", calls


def test_a_program_that_the_shell_does_not_find_ends_the_run_before_the_next_step(drifted: Drifted) -> None:
    """T63: at the latest in the first run; exit 127, and the agent is handed what comes next."""
    ended, calls = drifted.results[3], [call for _, call in drifted.calls["drift"]]
    assert [step["status"] for step in ended["steps"]] == ["ok", "error", "skipped"] and "exit code 127" in ended["error"], ended
    assert ended["next"]["arguments"]["command"] == "measure src/plum.txt" and drifted.states["drift"]["measure_it"] == "stale"
    assert calls.count("measure src/plum.txt") == 1 and "touch src/plum.txt.seen" not in calls


def test_two_odd_answers_take_it_out_of_use_and_nothing_acted(drifted: Drifted) -> None:
    """T63, T50."""
    assert all("unlike that of every example" in odd["error"] for odd in drifted.results[4:]), drifted.results[4:]
    assert drifted.states["drift"]["gate"] == "stale" and not (drifted.school.host.work / "state" / "plum.txt.seen").exists()


@pytest.mark.parametrize(
    ("name", "differs"), [("measure_it", "step 2: [-measure-]{+gauge+}"), ("gate", "begins with 'Service'")], ids=["program", "answers"]
)
def test_two_times_by_hand_prepare_a_repaired_version_that_waits(drifted: Drifted, name: str, differs: str) -> None:
    """T64: shown as a difference, never in use by itself."""
    (row,) = drifted.school.host.rows("SELECT id, state, version FROM katas WHERE name = ?", name)
    assert (row["state"], row["version"]) == ("stale", 2) and drifted.states["first"][name] == "stale"
    with opened(drifted.school.host) as service:
        diff = " ".join(commands.run(service, ["diff", name], "cli").text.split())
        assert service.active() == () and service.find(name).version.approved is None
    assert differs in diff, diff
    verbs = [one["verb"] for one in drifted.school.host.rows("SELECT verb FROM audit WHERE kata = ? ORDER BY number", row["id"])]
    assert verbs[-1] == "prepare"


def test_each_of_it_is_told_once_and_never_again(drifted: Drifted) -> None:
    """T80: one line at the end of a conversation at most; what waits to be told comes with the next one, and then nothing more."""
    away, waits = "kata_{} is stale; the agent cannot call it", "kata_{} is stale; a repaired version of it waits for you"
    ids = {row["name"]: str(row["id"]) for row in drifted.school.host.rows("SELECT id, name FROM katas")}
    expected = {
        "drift": (away, "measure_it"),
        "first": (away, "weigh_it"),
        "second": (waits, "measure_it"),
        "quiet": (waits, "gate"),
    }
    told = {word: drifted.told(word) for word in drifted.said}
    assert told == {word: [(line.format(name), ids[name])] for word, (line, name) in expected.items()} | {"still": []}
