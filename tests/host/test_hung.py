"""Katas that are repeated, fail or hang on the real Hermes: a repeated read gives its whole result again; a step that fails or hangs is
dispatched once, nothing after it starts, and the answer says which, why, and what may still be running."""

import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
from lessons import COUNT, FIND, LOOK, PONDER, SHELVE, School

from harness import Answer, Host
from model_server import CallKata, Results, Say, ToolCalls, read_result

LESSONS = (COUNT, FIND, LOOK, PONDER, SHELVE)
LOOKS = 3
"""How often the kata that only reads is called before all others, each time for the same word."""
PIPES = ("pipe", "hose", "tube")
STEP_S, CALL_S = 4, 8
"""Seconds after which Kata gives up on a step, and the host on a call. What does not hang has to be done within them on a busy machine."""
CALLS = (("shelve", "shelf/full"), ("count", "hang/pipe"), ("find", "hang/hose"), ("find", "hang/plain"), ("count", "hang/plain"))
"""A step that fails; a `terminal` that hangs; a file tool that hangs, and the same kata again; a kata whose step hung before, again."""


@dataclass
class Hung:
    """What the conversations said, and which calls reached a tool in each."""

    host: Host
    looks: list[Any] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)
    calls: list[tuple[str, str]] = field(default_factory=list)
    late: Answer | None = None
    late_calls: list[tuple[str, str]] = field(default_factory=list)
    meanwhile: list[Answer] = field(default_factory=list)
    afterwards: Answer | None = None

    def of(self, number: int) -> list[tuple[str, str]]:
        """The calls that the kata call of that number in `CALLS` led to, itself the first."""
        starts = [index for index, (tool, _) in enumerate(self.calls) if tool.startswith("kata_")]
        return self.calls[starts[LOOKS + number] : [*starts, len(self.calls)][LOOKS + number + 1]]


@pytest.fixture(scope="module")
def hung(school: School) -> Iterator[Hung]:
    """Two conversations for the tests of this file: one under Kata's limit, one under the host's."""
    host, hung = school.host, Hung(school.host)
    (host.work / "shelf" / "full").mkdir(parents=True)
    (host.work / "hang").mkdir()
    (host.work / "hang" / "plain").write_text("TODO one\nTODO two\n")
    (host.work / "src").mkdir()
    (host.work / "src" / "plum.txt").write_text("a plum\nTODO plum\n")
    for name in PIPES:
        os.mkfifo(host.work / "hang" / name)
    try:
        limited(school, hung)
        abandoned(school, hung)
        assert host.server.complaints == []
        yield hung
    finally:
        for name in PIPES:
            with suppress(OSError):  # nobody reads it any more
                os.close(os.open(host.work / "hang" / name, os.O_WRONLY | os.O_NONBLOCK))
        host.config.clear()
        host.configure()


def limited(school: School, hung: Hung) -> None:
    """A chat under a short `step_timeout_s`."""
    school.host.configure(step_timeout_s=STEP_S)
    calls = [("look", "plum")] * LOOKS + [*CALLS]
    school.script.turn("HUNG limited", [*(CallKata(kata, (value,)) for kata, value in calls), Say("said limited")])
    since = school.witness.mark()
    results = [read_result(text) for text in school.host.chat("HUNG limited").results]
    hung.looks, hung.results = results[:LOOKS], results[LOOKS:]
    hung.calls = school.witness.calls(since)


def abandoned(school: School, hung: Hung) -> None:
    """A chat in which another plugin's tool hangs until the host has given up, and then comes back."""
    path = str(school.host.work / "hang" / "tube")
    school.host.config |= {"approvals": {"single_query_mode": "approve"}, "timeouts": {"tools": {"sequential_call": CALL_S}}}
    school.host.configure()

    def release(results: Results) -> Mapping[str, Any]:
        hung.meanwhile.append(school.host.kata("runs", "consider"))
        return {"calls": [{"name": "await_end", "arguments": {"path": path}}]}

    school.script.turn("HUNG late", [CallKata("consider", (path,)), ToolCalls([("tool_call", release)]), Say("said late")])
    since = school.witness.mark()
    hung.late = school.host.chat("HUNG late")
    hung.late_calls = school.witness.calls(since)
    hung.afterwards = school.host.kata("runs", "consider")


def steps(result: Any) -> list[str]:
    return [step["status"] for step in result["steps"]]


def test_the_same_kata_three_times_in_one_conversation_gives_three_full_results(hung: Hung) -> None:
    """A26, B37: the host answers a repeated read with a remark that nothing changed; each run reads under a name of its own."""
    file = hung.host.work / "src" / "plum.txt"
    whole = ["search_files", str(file.parent)], ["read_file", str(file)], ["terminal", f"wc -l {file}"]
    assert [list(call) for call in hung.calls[: 4 * LOOKS] if call[0] != "kata_look"] == [*whole] * LOOKS
    assert [look["status"] for look in hung.looks] == ["ok"] * LOOKS, hung.looks
    assert [steps(look) for look in hung.looks] == [["ok", "ok", "ok"]] * LOOKS
    assert [look["result"] for look in hung.looks] == [{"output": f"2 {file}", "exit_code": 0}] * LOOKS


def test_a_step_with_an_effect_that_fails_is_issued_once_and_ends_the_run(hung: Hung) -> None:
    """K71, K77"""
    assert hung.of(0) == [("kata_shelve", "shelf/full"), ("terminal", "mkdir shelf/full")]
    result = hung.results[0]
    assert result["error"].startswith("Step 1 of 3 (terminal) failed: exit code 1: mkdir: cannot create directory"), result
    assert steps(result) == ["error", "skipped", "skipped"]
    assert result["next"] == {"tool": "terminal", "arguments": {"command": "mkdir shelf/full"}}


def test_a_command_that_hangs_is_ended_issued_once_and_named(hung: Hung) -> None:
    """K72, K78: a step that only reads, and that is not tried again all the same."""
    assert hung.of(1) == [("kata_count", "hang/pipe"), ("terminal", "ls hang/pipe"), ("terminal", "wc -l hang/pipe")]
    result = hung.results[1]
    assert result["error"].startswith(f"Step 2 of 3 (terminal) timed out: [Command timed out after {STEP_S}s]"), result
    assert steps(result) == ["ok", "timeout", "skipped"]
    assert result["note"].startswith("Step 2 may still be running; it was not repeated.")


def test_a_file_tool_that_hangs_is_left_behind_issued_once_and_named(hung: Hung) -> None:
    """K72, A22"""
    assert hung.of(2) == [
        ("kata_find", "hang/hose"),
        ("terminal", "stat hang/hose"),
        ("search_files", str(hung.host.work / "hang" / "hose")),
    ]
    result = hung.results[2]
    assert result["error"].startswith(f"Step 2 of 3 (search_files) timed out: no answer within {STEP_S} seconds"), result
    assert steps(result) == ["ok", "timeout", "skipped"]
    assert result["note"].startswith("Step 2 may still be running; it was not repeated.")


def test_a_kata_whose_step_still_hangs_is_refused_and_one_whose_step_was_ended_is_not(hung: Hung) -> None:
    """A22"""
    assert hung.of(3) == [("kata_find", "hang/plain")]
    assert hung.results[3] == {"error": "kata_find is still busy with a step of an earlier run that timed out; nothing was run"}
    assert [call for _, call in hung.of(4)] == ["hang/plain", "ls hang/plain", "wc -l hang/plain", "touch hang/plain"]
    assert hung.results[4]["status"] == "ok"


def test_the_trace_in_the_file_says_the_same(hung: Hung) -> None:
    """K75"""
    rows = hung.host.rows("SELECT tool, status, reason FROM runs WHERE tool IN ('kata_shelve', 'kata_count', 'kata_find') ORDER BY number")
    assert [(row["tool"], row["status"]) for row in rows] == [
        ("kata_shelve", "error"),
        ("kata_count", "timeout"),
        ("kata_find", "timeout"),
        ("kata_count", "ok"),
    ]
    query = "SELECT trace FROM run_steps JOIN runs ON runs.number = run WHERE runs.status = 'timeout' ORDER BY run, step"
    traces = [row["trace"] for row in hung.host.rows(query)]
    assert [(trace["tool"], trace["status"], trace["attempts"]) for trace in traces] == [
        ("terminal", "ok", 1),
        ("terminal", "timeout", 1),
        ("terminal", "skipped", 0),
        ("terminal", "ok", 1),
        ("search_files", "timeout", 1),
        ("terminal", "skipped", 0),
    ]


def test_when_the_host_gives_up_on_a_kata_no_later_step_starts(hung: Hung) -> None:
    """The tool came back, and the handler with it, while the chat went on."""
    late = hung.late
    assert late is not None and late.code == 0 and len(late.results) == 2, str(late)
    assert "timed out" in late.results[0].lower(), late.results
    assert json.loads(late.results[1]) == {"ended": True}, "the handler did come back"
    assert [tool for tool, _ in hung.late_calls] == ["kata_consider", "terminal", "ponder", "await_end"]


def test_while_a_run_hangs_that_the_host_gave_up_runs_says_that_it_is_unknown(hung: Hung) -> None:
    """K78: in another process, while the tool is still at it; nobody was told what it did."""
    (told,) = hung.meanwhile
    assert told.code == 0 and "unknown, may still be running: ponder" in " ".join(told.out.split()), str(told)


def test_when_the_tool_came_back_runs_says_what_was_done_and_that_the_rest_was_not(hung: Hung) -> None:
    """K75: no step is said to run on that never began."""
    assert hung.afterwards is not None
    lines = [line.split() for line in hung.afterwards.out.splitlines() if re.match(r" +[1-3]\. ", line)]
    assert [line[:2] for line in lines[:2]] == [["1.", "ok"], ["2.", "ok"]] and len(lines) == 3, str(hung.afterwards)
    assert "may still be running" not in " ".join(hung.afterwards.out.split()), str(hung.afterwards)
