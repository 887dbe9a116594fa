"""The guards of other plugins hold inside of a kata wherever it is called, on the real Hermes: blocked, asked about, rewritten; so do tool
sets that are switched off or that a chat was not given; and what `-z` and `approvals.cron_mode` do with our own question (T41)."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from guard import ASKED, FORBIDDEN, NO, REWRITTEN, guard
from lessons import CLEAR, SIZE, School

from harness import Answer, Host
from model_server import CallKata, Say, Step, ToolCalls, read_result

LESSONS = (SIZE, CLEAR)
Calls = list[tuple[str, str]]
WORDS = (FORBIDDEN, ASKED, REWRITTEN, "quince")
"""Blocked, asked about, rewritten, and let through."""


@dataclass
class Guarded:
    """What each conversation gave, call by call, which calls reached a tool, and what is there afterwards."""

    school: School
    results: dict[str, list[Any]] = field(default_factory=dict)
    calls: dict[str, Calls] = field(default_factory=dict)
    shell: dict[str, Answer] = field(default_factory=dict)
    there: set[str] = field(default_factory=set)
    files: tuple[str, str] = ("", "")
    """The plugin's code and its decisions before and after the agent would have changed them."""

    def hold(self, name: str, calls: list[tuple[str, str]], *words: str) -> None:
        """One conversation, in which the agent calls these katas; `words` is the way to hold it, and empty for a scheduled job."""
        self.act(name, [CallKata(kata, (value,)) for kata, value in calls], *words)

    def act(self, name: str, steps: list[Step], *words: str) -> None:
        """One conversation, in which the agent does this."""
        self.school.script.turn(f"GUARD {name}", [*steps, Say("said")])
        since, host = self.school.witness.mark(), self.school.host
        answer = host.run(*words, f"GUARD {name}") if words else host.job(f"GUARD {name}")
        self.results[name] = [read_result(text) for text in answer.results]
        self.calls[name] = [call for call in self.school.witness.calls(since) if not call[0].startswith("kata_")]

    def talk(self, name: str, calls: list[tuple[str, str]]) -> None:
        """One conversation at a terminal, in which the agent calls these katas."""
        self.school.script.turn(f"GUARD {name}", [*(CallKata(kata, (value,)) for kata, value in calls), Say(f"said {name}")])
        since, host = self.school.witness.mark(), self.school.host
        with host.terminal("chat") as terminal:
            terminal.type(f"GUARD {name}", f"said {name}")
            told = [request for request in host.server.requests if request.get("tools")][-1]
            terminal.type("/exit", "--resume")
        self.results[name] = [read_result(text) for text in Answer(0, "", "", 0.0, (told,)).results]
        self.calls[name] = [call for call in self.school.witness.calls(since) if not call[0].startswith("kata_")]


@pytest.fixture(scope="module")
def guarded(school: School) -> Iterator[Guarded]:
    host, guarded = school.host, Guarded(school)
    guard(host)
    src, build = host.work / "src", host.work / "build"
    for word in ("once", "job"):
        (build / word).mkdir(parents=True)
    sizes = [("size", f"{src}/{word}.txt") for word in WORDS]
    guarded.hold("-q", sizes, "chat", "-q")
    guarded.hold("cron", sizes)
    guarded.hold("-z", [*sizes, ("clear", "build/once")], "-z")
    host.config["approvals"] = {"cron_mode": "approve"}
    host.configure()
    guarded.hold("allowed job", [("size", f"{src}/{ASKED}.txt"), ("clear", f"{build}/job")])
    for word in (FORBIDDEN, ASKED):
        since = school.witness.mark()
        guarded.shell[word] = host.kata("run", "size", f"path=src/{word}.txt", "--json")
        guarded.calls[f"run {word}"] = school.witness.calls(since)
    since = school.witness.mark()
    guarded.shell["resume"] = host.kata("resume", json.loads(guarded.shell[FORBIDDEN].out)["run"], "--json")
    guarded.calls["resume"] = school.witness.calls(since)
    host.config.clear()
    host.configure()
    guarded.talk("terminal", [one for one in sizes if one[1] != f"{src}/{ASKED}.txt"])
    host.config = {"agent": {"disabled_toolsets": ["terminal"]}}
    host.configure()
    guarded.hold("switched off", sizes[3:], "chat", "-q")
    host.config.clear()
    host.configure()
    guarded.hold("not given", sizes[3:], "chat", "--toolsets", "kata,file,todo", "-q")
    before = ours(host)
    guarded.act("ours", [ToolCalls([(tool, made)]) for tool, made, _ in attempts(host)], "chat", "-q")
    guarded.files = before, ours(host)
    guarded.there = {path.name for path in [*src.iterdir(), *build.iterdir()]}
    yield guarded


def attempts(host: Host) -> list[tuple[str, dict[str, str], str]]:
    """What an agent might do to Kata itself, each with what it is called."""
    code, kept = host.plugins / "kata" / "ward.py", host.database
    return [
        ("terminal", {"command": "hermes kata approve 1 as mine"}, "would decide about Kata"),
        ("terminal", {"command": "curl -X POST http://127.0.0.1:9/api/plugins/kata/katas/1/approve"}, "would call the interface"),
        ("write_file", {"path": str(code), "content": "# nothing\n"}, "would touch the files of Kata"),
        ("patch", {"path": str(code), "old_string": "import", "new_string": "#"}, "would touch the files of Kata"),
        ("terminal", {"command": f"sqlite3 {kept} 'DELETE FROM audit'"}, "would touch the files of Kata"),
        ("terminal", {"command": f"cd {kept.parent} && cp /dev/null data.db"}, "would touch the files of Kata"),
        ("terminal", {"command": "hermes config set plugins.entries.kata.settings.ask effects"}, "would change how Kata is set up"),
    ]


def ours(host: Host) -> str:
    """Kata's code, settings and decisions, as they are now."""
    code = [(path.name, path.read_text()) for path in sorted((host.plugins / "kata").glob("*.py"))]
    return repr((code, (host.home / "config.yaml").read_text(), host.rows("SELECT * FROM audit"), host.rows("SELECT state FROM katas")))


def test_what_the_agent_does_to_kata_itself_is_put_to_the_person(guarded: Guarded) -> None:
    """Its code, its file, its settings, its decisions and its interface; in `-q` nobody can answer, so nothing of it happens."""
    told = [str(result) for result in guarded.results["ours"]]
    for (tool, made, why), result in zip(attempts(guarded.school.host), told, strict=True):
        assert "requires approval" in result and f"The agent {why}" in result, (tool, made, result)
    assert guarded.calls["ours"] == [] and guarded.files[0] == guarded.files[1]


def stopped(result: Any, why: str) -> None:
    """A run that ended before its second step, for that reason."""
    assert "Step 2 of 2" in result["error"] and why in result["error"], result
    assert [step["status"] for step in result["steps"]] == ["ok", "refused"], result


@pytest.mark.parametrize("way", ["-q", "cron", "-z"])
def test_a_step_does_not_go_around_another_plugin(guarded: Guarded, way: str) -> None:
    """T41, A25: blocked or rewritten, the step does not run; what no guard speaks against does."""
    forbidden, _, rewritten, free = guarded.results[way][:4]
    stopped(forbidden, NO)
    stopped(rewritten, "another plugin rewrites its arguments")
    assert free["status"] == "ok" and "rewritten" not in guarded.there
    counted = [command.rpartition("/")[2] for _, command in guarded.calls[way] if command.startswith("wc -l")]
    assert counted == [f"{word}.txt" for word in ([ASKED] if way == "-z" else [])] + ["quince.txt"]


def test_in_a_chat_at_a_terminal_a_step_does_not_go_around_another_plugin(guarded: Guarded) -> None:
    """T41, A25"""
    forbidden, rewritten, free = guarded.results["terminal"]
    stopped(forbidden, NO)
    stopped(rewritten, "another plugin rewrites its arguments")
    counted = [command.rpartition("/")[2] for _, command in guarded.calls["terminal"] if command.startswith("wc -l")]
    assert free["status"] == "ok" and counted == ["quince.txt"]


@pytest.mark.parametrize(("way", "mode"), [("-q", "single-query mode"), ("cron", "cron jobs")])
def test_an_approval_that_a_guard_demands_is_none_where_nobody_can_answer(guarded: Guarded, way: str, mode: str) -> None:
    """T41"""
    stopped(guarded.results[way][1], f"requires approval (Is a plum allowed?) but {mode}")


def test_one_shot_and_a_job_that_may_answer_every_question_with_yes_as_the_host_does(guarded: Guarded) -> None:
    """As the README says: `-z` of the host asks nobody, nor does a job under `approvals.cron_mode: approve`; neither the guard's question
    nor the host's own nor ours."""
    assert guarded.results["-z"][1]["status"] == guarded.results["-z"][4]["status"] == "ok", guarded.results["-z"]
    assert [one["status"] for one in guarded.results["allowed job"]] == ["ok", "ok"], guarded.results["allowed job"]
    assert not {"once", "job"} & guarded.there


def test_a_kata_without_a_model_does_not_go_around_another_plugin(guarded: Guarded) -> None:
    """T41, T78: in a shell, where nobody is there to be asked either."""
    told = {word: json.loads(answer.out) for word, answer in guarded.shell.items()}
    stopped(told[FORBIDDEN], NO)
    stopped(told[ASKED], "requires approval")
    assert NO in told["resume"]["error"] and guarded.shell["resume"].code == 1, told["resume"]
    assert guarded.calls["resume"] == [], "what was read is not read again, and the guard is asked again"
    for word, answer in [(word, guarded.shell[word]) for word in (FORBIDDEN, ASKED)]:
        assert answer.code == 1 and guarded.calls[f"run {word}"] == [("terminal", f"ls -l src/{word}.txt")]


@pytest.mark.parametrize(("how", "why"), [("switched off", "which is switched off here"), ("not given", "which this chat does not offer")])
def test_a_tool_that_a_chat_has_not_is_not_reached_through_a_kata(guarded: Guarded, how: str, why: str) -> None:
    """T41: switched off in config.yaml, or left out of `--toolsets`; told before anything runs."""
    (result,) = guarded.results[how]
    assert f"Nothing was run: step 1: the tool terminal belongs to the tool set terminal, {why}" in result["error"]
    assert guarded.calls[how] == []
