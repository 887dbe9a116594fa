"""Stopped runs on the real Hermes: a failed step is repaired and the run goes on, a run that was killed is unknown and stays so, and what
only a person decides the agent cannot do by its terminal."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from lessons import BUILD, LOOK, PONDER, School

from harness import Host
from model_server import CallKata, Results, Say, ToolCalls, Turn, read_result

LESSONS = (BUILD, LOOK, PONDER)
DENY = "4"
"""The key that answers the host's question with no."""
DECIDE = "hermes kata disable look"
PIPE = "killed/pipe"


@dataclass
class Resumed:
    """What the conversations said, and which calls reached a tool in each."""

    host: Host
    results: dict[str, list[Any]] = field(default_factory=dict)
    calls: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    before: list[dict[str, Any]] = field(default_factory=list)
    """The decisions before the agent tried one."""
    screen: str = ""
    run: str = ""
    """The run that was killed."""
    told: str = ""
    """What a shell says of it."""
    refused: str = ""
    """What a shell without a terminal says when it is to go on."""
    shell: tuple[int, str] = (-1, "")
    """What a shell with one said."""


@pytest.fixture(scope="module")
def resumed(school: School) -> Iterator[Resumed]:
    """All conversations of this file; a start of the host costs seconds."""
    resumed = Resumed(school.host)
    furnish(school.host)
    try:
        repaired(school, resumed)
        tried(school, resumed)
        killed(school, resumed)
        assert school.host.server.complaints == []
        yield resumed
    finally:
        school.host.config.clear()
        school.host.configure()


def furnish(host: Host) -> None:
    """Two packages to build, one of which has a folder where a file is to be written; a pipe that nobody writes to."""
    for word in ("cedar", "maple"):
        (host.work / "pkg" / word).mkdir(parents=True)
        (host.work / "pkg" / word / "notes.txt").write_text("one\ntwo\n")
    (host.work / "pkg" / "cedar" / "built.md").mkdir()
    (host.work / "killed").mkdir()
    os.mkfifo(host.work / PIPE)


def go_on(run: str) -> Mapping[str, Any]:
    return {"calls": [{"name": "kata_resume", "arguments": {"run": run}}]}


def held(school: School, resumed: Resumed, word: str, *more: str) -> None:
    """Hold the conversation of that word."""
    since = school.witness.mark()
    resumed.results[word] = [read_result(text) for text in school.host.chat(f"RESUME {word}", *more).results]
    resumed.calls[word] = school.witness.calls(since)


def repaired(school: School, resumed: Resumed) -> None:
    """A run fails at its last step, the agent mends what was in the way and resumes, twice; another one runs without any trouble."""

    def again(results: Results) -> Mapping[str, Any]:
        return go_on(results[0]["run"])

    steps = [
        CallKata("build", ("pkg/cedar",)),
        ToolCalls([("terminal", {"command": "rmdir pkg/cedar/built.md"})]),
        ToolCalls([("tool_call", again)]),
        ToolCalls([("tool_call", again)]),
        CallKata("build", ("pkg/maple",)),
        Say("said repaired"),
    ]
    school.script.turn("RESUME repaired", steps)
    before = dict(school.host.config)
    school.host.config |= {"approvals": {"single_query_mode": "approve"}}  # what was tried once is asked about, and nobody is there
    school.host.configure()
    held(school, resumed, "repaired")
    school.host.config = before
    school.host.configure()


def tried(school: School, resumed: Resumed) -> None:
    """The agent wants to decide by itself: with nobody there, and before a person who says no."""
    resumed.before = school.host.rows("SELECT actor, verb FROM audit ORDER BY number")
    commands = (DECIDE, f"bash -c '{DECIDE}'", f"rm -rf {school.host.home}/plugin-data/kata", "hermes kata list")
    alone = [ToolCalls([("terminal", {"command": command})]) for command in commands]
    school.script.turn("RESUME alone", [*alone, Say("said alone")])
    held(school, resumed, "alone")
    school.script.turn("RESUME person", [ToolCalls([("terminal", {"command": DECIDE})]), Say("said person")])
    since = school.witness.mark()
    with school.host.terminal("chat") as terminal:
        resumed.screen = terminal.type("RESUME person", "which only a person does")
        terminal.press(DENY, "said person")
        terminal.type("/exit", "--resume")
    resumed.calls["person"] = school.witness.calls(since)


def killed(school: School, resumed: Resumed) -> None:
    """The whole agent is killed while a step with an effect is under way; afterwards it wants to go on."""
    host = school.host
    host.config |= {"approvals": {"single_query_mode": "approve"}}
    host.configure()
    school.script.turn("RESUME killed", [CallKata("consider", (PIPE,)), Say("said killed")])
    words = [str(host.hermes), "chat", "-q", "RESUME killed"]
    quiet = subprocess.DEVNULL
    agent = subprocess.Popen(words, cwd=host.work, env=host.environment(), process_group=0, stdin=quiet, stdout=quiet, stderr=quiet)
    try:
        held_open = os.open(host.work / PIPE, os.O_WRONLY)  # waits until the step reads from it
    finally:
        os.killpg(agent.pid, signal.SIGKILL)
        agent.wait()
    os.close(held_open)
    (row,) = host.rows("SELECT id, session FROM runs WHERE finished IS NULL")
    resumed.run = row["id"]
    resumed.told = " ".join(host.kata("runs", row["id"]).out.split())
    later = Turn("RESUME later", (ToolCalls([("tool_call", lambda results: go_on(row["id"]))]), Say("said later")))
    school.script.turns.insert(0, later)  # the host joins it with the message that was not answered
    held(school, resumed, "later", "--resume", row["session"])
    (host.work / PIPE).unlink()
    (host.work / PIPE).write_text("a thought\n")
    resumed.refused = host.kata("resume", row["id"], "--it-did-not-happen").out
    since = school.witness.mark()
    resumed.shell = host.at_terminal("y\ny\n", "kata", "resume", row["id"], "--it-did-not-happen")
    resumed.calls["shell"] = school.witness.calls(since)


def statuses(result: Any) -> list[str]:
    return [step["status"] for step in result["steps"]]


def test_a_run_goes_on_after_its_failed_step_and_comes_to_the_same_files(resumed: Resumed) -> None:
    """A21, T53: nothing that was done is done again, and the run is in the folder to which its first step had gone."""
    failed, _, again, _, whole = resumed.results["repaired"]
    assert statuses(failed) == ["ok", "ok", "ok", "error"], failed
    assert statuses(again) == statuses(whole) == ["ok"] * 4, (again, whole)
    tree = resumed.host.tree()
    cedar, maple = ({path: text for path, text in tree.items() if path.startswith(f"pkg/{word}/")} for word in ("cedar", "maple"))
    assert {path.replace("cedar", "maple"): text for path, text in cedar.items()} == maple
    assert sorted(maple) == ["pkg/maple/built.md", "pkg/maple/built.ok", "pkg/maple/notes.txt"]
    calls = resumed.calls["repaired"]
    after = calls[[tool for tool, _ in calls].index("kata_resume") + 1 :]
    assert after[0] == ("write_file", str(resumed.host.work / "pkg" / "cedar" / "built.md")), calls
    assert after[1][0] == "kata_resume" and after[2][0] == "kata_build", calls


def test_a_run_is_resumed_once(resumed: Resumed) -> None:
    """T53."""
    failed, _, again, twice, _ = resumed.results["repaired"]
    assert twice == {"error": f"Run {failed['run']} was resumed already, as run {again['run']}; go on from that one"}


def test_what_only_a_person_decides_the_agent_cannot_do_where_nobody_is_there(resumed: Resumed) -> None:
    """T39: on the host, by its terminal; what only reads is not asked about."""
    told = [json.dumps(result) for result in resumed.results["alone"]]
    assert len(told) == 4 and all("BLOCKED" in text for text in told[:3]), told
    assert resumed.calls["alone"] == [("terminal", "hermes kata list")]
    assert resumed.host.rows("SELECT actor, verb FROM audit ORDER BY number") == resumed.before


def test_before_a_person_it_is_a_question_and_no_means_no(resumed: Resumed) -> None:
    assert "which only a person does" in resumed.screen
    assert [call for call in resumed.calls["person"] if "kata" in call[1]] == []


def test_a_run_that_was_killed_in_the_middle_of_an_effect_is_unknown_and_not_repeated(resumed: Resumed) -> None:
    """T66, T53: in another process, and for the agent that comes back to the conversation."""
    assert "unknown" in resumed.told and "ponder" in resumed.told, resumed.told
    rows = resumed.host.rows("SELECT step, trace FROM run_steps JOIN runs ON runs.number = run WHERE id = ? ORDER BY step", resumed.run)
    assert [(row["step"], row["trace"]["status"]) for row in rows] == [(0, "ok"), (1, "unknown")]
    (later,) = resumed.results["later"][-1:]
    assert f"Nobody knows whether step 2 (ponder) of run {resumed.run} happened" in later["error"], later
    assert [tool for tool, _ in resumed.calls["later"]] == ["kata_resume"]


def test_a_person_who_looked_goes_on_in_a_shell_and_is_asked_before_each_effect(resumed: Resumed) -> None:
    """Without a terminal nothing runs."""
    assert "there is no terminal here to ask you on; nothing was run" in " ".join(resumed.refused.split())
    code, text = resumed.shell
    assert code == 0, text
    assert f"Step 2 of 3, external: ponder path={PIPE}" in text and f"Step 3 of 3, write: touch {PIPE}" in text and text.count("[y/N]") == 2
    assert resumed.calls["shell"] == [("ponder", PIPE), ("terminal", f"touch {PIPE}")]
    rows = resumed.host.rows("SELECT status FROM runs WHERE resumes = ?", resumed.run)
    assert [row["status"] for row in rows] == ["ok"]
