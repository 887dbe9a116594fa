"""A kata that a person orders without a model: what it would do, whom it asks, and that it does no more; on a stand-in host."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from conftest import EXAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import bench

from kata import commands, order
from kata.asking import Answer
from kata.model import Input, InputField, Refused, Spec, Usage
from kata.runtime import Plugin

from .stand_in import Context, approve, disable, installed, reader, sender, step


@dataclass
class Shell:
    """The plugin in a shell, and what a person at its terminal is asked and answers."""

    plugin: Plugin
    context: Context
    file: Path
    asked: list[str]
    answer: bool = True

    def person(self, question: str) -> bool:
        self.asked.append(question)
        return self.answer

    def say(self, line: str, ask: Callable[[str], bool] | None = None, surface: str = "cli") -> Answer:
        return commands.run(self.plugin.service, commands.split(line), surface, hand=self.plugin.hand(ask))

    @property
    def calls(self) -> list[str]:
        return [arguments.get("command", tool) for tool, arguments, _ in self.context.dispatched]


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    (tmp_path / "project").mkdir()
    with installed(tmp_path) as file:
        context = Context()
        plugin = Plugin(context)
        approve(file, sender(), "ship")
        approve(file, reader(), "look")
        plugin.open()
        yield Shell(plugin, context, file, [])
        plugin.close()


def flat(text: str) -> str:
    return " ".join(text.split())


# ── Without a model ──────────────────────────────────────────────────────────────────────────────


def test_what_only_reads_runs_without_a_question_and_without_a_terminal(shell: Shell) -> None:
    """T78."""
    told = shell.say("run look path=a.md", None)
    assert told.code == 0 and told.json["status"] == "ok" and shell.calls == ["read_file", "ls -l"]
    assert "kata_look" in told.text and "done" in told.text


def test_every_effect_is_put_to_the_person_as_it_would_be_called(shell: Shell) -> None:
    """T78: each rendered step that does more than read, in its turn."""
    told = shell.say("run kata_ship branch=feature/x", shell.person)
    assert told.code == 0, told.text
    assert [question.split(": ", 1)[1] for question in shell.asked] == [
        "git push origin feature/x",
        "write_file path=out.txt, content=pushed done",
        "rm -rf build",
    ]


def test_a_no_stops_the_run_before_the_step(shell: Shell) -> None:
    shell.answer = False
    told = shell.say("run ship branch=main", shell.person)
    assert (told.code, shell.calls, len(shell.asked)) == (1, [], 1)
    assert "the person at the terminal said no" in told.json["error"] and told.json["next"]["tool"] == "terminal"


def test_a_kata_that_no_session_can_see_runs_for_a_person_all_the_same(tmp_path: Path) -> None:
    """B12: hidden by tool search, by the toolsets of a platform, or because the session is older than the approval."""
    (tmp_path / "project").mkdir()
    with installed(tmp_path) as file:
        context = Context(refused={"kata_look"})
        plugin = Plugin(context)
        approve(file, reader(), "look")
        plugin.open()
        told = commands.run(plugin.service, ["run", "look", "path=a.md"], "cli", hand=plugin.hand())
        assert context.katas == set() and told.code == 0 and told.json["status"] == "ok"
        assert '"status": "ok"' in str(context.commands["kata"]("run look path=a.md --json"))
        plugin.close()


@pytest.mark.parametrize("more", ["", " --yes", " yes=true"])
def test_without_a_terminal_nothing_with_an_effect_runs_and_no_word_says_yes(shell: Shell, more: str) -> None:
    """T78: there is no `--yes`."""
    told = shell.say(f"run ship branch=main{more}", None)
    assert told.code and shell.calls == []
    assert more or "there is no terminal here to ask you on; nothing was run" in flat(told.text)


def test_in_a_chat_only_what_reads_runs(shell: Shell) -> None:
    """T78: from a slash command nobody can be asked."""
    assert json.loads(str(shell.context.commands["kata"]("run look path=a.md --json")))["status"] == "ok"
    told = flat(str(shell.context.commands["kata"]("run ship branch=main")))
    assert "Ask the agent to call kata_ship, or in a shell: hermes kata run ship" in told
    assert shell.calls == ["read_file", "ls -l"]


def test_an_input_is_read_as_its_type(shell: Shell) -> None:
    fields = InputField("count", "integer"), InputField("deep", "boolean", "", (), (), False)
    approve(shell.file, Spec(fields, (step("web_search", query=Input("count")), step("web_search", query=Input("deep")))), "typed")
    assert shell.say("run typed count=3 deep=true", None).code == 0
    assert [one[1]["query"] for one in shell.context.dispatched] == [3, True]
    told = shell.say("run typed count=many", None)
    assert told.code == 2 and "'count' must be of type integer" in told.text and "kata_typed(count, [deep])" in told.text


@pytest.mark.parametrize("line", ["run", "run look", "run look a.md", "run look path=a path=b", "run look word=a", "run --dry-run"])
def test_what_is_not_understood_is_no_run(shell: Shell, line: str) -> None:
    told = shell.say(line, shell.person)
    assert (told.code, shell.calls, shell.asked) == (2, [], [])


def test_a_value_without_its_input_is_named(shell: Shell) -> None:
    told = shell.say("run look a.md", shell.person).text
    assert "KEY=VALUE]; for example:" in told and "'a.md' is no KEY=VALUE." in " ".join(told.split())


def test_what_is_not_active_does_not_run(shell: Shell) -> None:
    """K84, K87."""
    kata = shell.plugin.service.find("look")
    disable(shell.file, kata)
    told = shell.say("run look path=a.md", None)
    assert told.code == 1 and "kata_look is disabled, and only an active kata runs" in flat(told.text) and shell.calls == []


def test_a_long_value_arrives_whole(shell: Shell) -> None:
    shell.say("run look path=" + "a" * 5_000, None)
    assert shell.context.dispatched[0][1]["path"].endswith("a" * 5_000)


# ── Every step first ─────────────────────────────────────────────────────────────────────────────


def test_every_step_is_looked_at_before_the_first_and_all_problems_are_told(shell: Shell) -> None:
    """B14: a tool that is not there, and one whose arguments changed; nothing is skipped silently, nothing runs."""
    spec = Spec((), (step("terminal"), step("mcp__crm__update"), replace(step("read_file"), schema="0" * 16)))
    approve(shell.file, spec, "crm")
    for told in (shell.say("run crm --dry-run", None), shell.say("run crm", shell.person)):
        assert told.code == 1
        text = flat(json.dumps(told.json))
        assert "step 2: the tool mcp__crm__update is not there" in text and "step 3: " in text, text
    assert shell.calls == [] and shell.asked == []


# ── Dry ──────────────────────────────────────────────────────────────────────────────────────────


def test_a_dry_run_tells_the_calls_the_effects_and_the_questions_and_calls_nothing(shell: Shell) -> None:
    """T54."""
    told = shell.say("run ship branch=main --dry-run", shell.person)
    assert (told.code, shell.calls, shell.asked, shell.plugin.service.store.runs()) == (0, [], [], ())
    text = flat(told.text)
    for wanted in (
        "kata_ship(branch): nothing was run",
        "1 git push origin main",
        "2 write_file path=out.txt, content=pushed ‹step 1 · output›",
        "3 rm -rf build",
        "step 3: write DESTRUCTIVE; deletes files",
        "in a shell: before steps 1, 2, 3; without a terminal it is refused",
        "by the agent: once before the run",
        "hermes kata run ship branch=main",
    ):
        assert wanted in text, wanted
    assert [one["arguments"] for one in told.json["steps"]] == [{"command": "git push origin main"}, None, {"command": "rm -rf build"}]
    assert [one["asked_in_a_shell"] for one in told.json["steps"]] == [True] * 3 and told.json["dry_run"] is True


def test_a_dry_run_is_for_a_chat_too(shell: Shell) -> None:
    told = str(shell.context.commands["kata"]("run ship branch=main --dry-run"))
    assert "nothing was run" in told and shell.calls == []
    assert all(len(line) <= 80 for line in told.split("\n"))


def test_a_dry_run_finds_a_value_that_could_not_be_placed(shell: Shell) -> None:
    told = shell.say("run ship 'branch=-x' --dry-run", None)
    assert told.code == 1 and told.json["problems"] and told.json["problems"][0].startswith("step 1: ")


@settings(max_examples=EXAMPLES // 3)
@given(st.text(max_size=40))
def test_whatever_the_value_a_dry_run_shows_the_very_call_that_the_run_makes_or_refuses_it_as_the_run_does(value: str) -> None:
    """T54: the plan and the run come out of one executor."""
    made: list[str] = []
    with _closing() as desk:
        kata = desk.approved()
        known = order.plan(desk.service, kata, {"branch": value})
        assert desk.store.runs() == ()

        def answer(asked: Any) -> Any:
            made.append(json.dumps(dict(asked.call.arguments)))
            return order.executor.Held(order.Status.INTERRUPTED)

        trace = desk.service.start(kata, {"branch": value}, "run", "s", answer)
        first = known.steps[0].call
        assert made == ([] if known.problems or first is None else [json.dumps(dict(first.arguments))])
        assert bool(known.problems) == (trace.steps[0].status is order.Status.REFUSED)


def _closing() -> Any:
    from contextlib import closing

    return closing(bench())


# ── A timetable ──────────────────────────────────────────────────────────────────────────────────


def test_a_line_for_a_timetable_is_printed_and_nothing_is_installed(shell: Shell) -> None:
    """T78."""
    told = shell.say("run look 'path=50% a.md' --cron '0 9 * * 1'", None)
    line = told.json["line"]
    assert line.startswith("0 9 * * 1 cd ") and line.endswith(r"kata run look 'path=50\% a.md' --json") and shell.calls == []
    assert told.text.endswith(f"\n{line}") and "nothing was installed" in told.text


def test_on_change_only_another_result_or_a_failure_is_told(shell: Shell) -> None:
    """T78: by revision, inputs and result; the first time it speaks, and a failure always."""
    quiet = "run look path=a.md --on-change"
    assert "done" in shell.say(quiet, None).text, "the first time"
    for line in (quiet, f"{quiet} --json"):
        told = shell.say(line, None)
        assert (told.text, told.json, told.code) == ("", None, 0)
    assert len(shell.calls) == 6, "it ran each time"
    assert "kata_look" in shell.say("run look path=b.md --on-change", None).text, "other inputs"
    assert "same result as in run" in shell.say(quiet, None, surface="chat").text
    shell.context.answer = lambda tool, arguments, **ids: '{"output": "another", "exit_code": 0, "error": null}'
    assert "another" in shell.say(quiet, None).text and shell.say(quiet, None).text == ""
    shell.context.answer = lambda tool, arguments, **ids: '{"error": "no"}'
    for _ in range(2):
        told = shell.say(quiet, None)
        assert told.code == 1 and "failed" in told.text
    shell.context.answer = lambda tool, arguments, **ids: '{"output": "another", "exit_code": 0, "error": null}'
    assert "another" in shell.say("run look path=a.md", None).text, "without the word it always speaks"
    line = shell.say("run look path=a.md --on-change --cron '0 9 * * 1'", None).json["line"]
    assert line.endswith("kata run look path=a.md --json --on-change")


def test_what_has_effects_gets_a_job_of_hermes_whose_policy_decides(shell: Shell) -> None:
    """K82."""
    told = shell.say("run ship branch=main --cron '0 9 * * 1'", None)
    assert told.json["line"].startswith("hermes cron create '0 9 * * 1' 'Call kata_ship once")
    assert "whose own policy for jobs decides about the effects" in flat(told.text) and shell.calls == []


@pytest.mark.parametrize("when", ["daily", "0 9 * *", "0 9 * * 1; rm", "0 9 * * $(id)", "''"])
def test_a_time_that_is_none_makes_no_line(shell: Shell, when: str) -> None:
    assert shell.say(f"run look path=a --cron '{when}'", None).code == 2


def test_refusals_are_errors_of_ours(shell: Shell) -> None:
    with pytest.raises(Refused):
        order.ordered(shell.plugin.service, ["none"])
    with pytest.raises(Usage):
        order.ordered(shell.plugin.service, ["look"])
