"""From the third conversation to the daily use of a kata on the real Hermes: told at the end, approved in one process, used in a chat that
runs in another, called three times in one conversation, and found only through the section of the prompt. (A37, T74)"""

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from skeleton import STEPS, WORDS, by_hand, found, routine, sources

from harness import CHECKOUT, NO_HOST, Answer, Host, executable
from model_server import CallKata, Say, Script, Step, ToolCalls, announced, results_of, serving

NAME = "note_todo"
NEW = ("omega", "sigma", "kappa")
DEAF = '''
"""The plugin as it would be if it could not announce its katas."""

def register(ctx):
    from .runtime import register as open_door
    open_door(Deaf(ctx))

class Deaf:
    def __init__(self, ctx):
        self.ctx = ctx

    def __getattr__(self, name):
        if name == "register_system_prompt_section":
            raise AttributeError(name)
        return getattr(self.ctx, name)
'''


@dataclass
class Story:
    """The home and what was said, in order."""

    host: Host
    script: Script
    said: dict[str, Answer] = field(default_factory=dict)
    complaints: dict[str, list[str]] = field(default_factory=dict)
    running: list[dict[str, object]] = field(default_factory=list)
    """The messages of the last request of the chat that ran while the kata was approved."""

    def complained(self, word: str) -> None:
        """Keep what the model could not do since the last time, under that word."""
        self.complaints[word] = self.host.server.complaints[:]
        self.host.server.complaints.clear()


def tried(word: str) -> list[Step]:
    """The routine with a try in between that fails: a file that is not there is read, and then the right one."""
    first, *rest = routine(word)
    return [first, ToolCalls([("read_file", {"path": f"src/{word}.py"})]), *rest]


def mistyped(word: str) -> list[Step]:
    """The routine with a command in between that fails, and then the right one."""
    first, second, *rest = routine(word)
    wrong = ToolCalls([("terminal", lambda results: {"command": f"wc -l {found(results)['path']}.bak"})])
    return [first, second, wrong, *rest]


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    """Everything for the tests of this file: a start of the host costs seconds."""
    hermes, script = executable(), Script()
    if hermes is None:
        pytest.skip(NO_HOST)
    with serving(script) as server:
        host = Host(tmp_path_factory.mktemp("running"), server, hermes)
        host.install(CHECKOUT, "kata")
        sources(host.work)
        story = Story(host, script)
        taught(story)
        approved(story)
        daily(story)
        yield story


def taught(story: Story) -> None:
    """Three conversations, two of them with a failed try."""
    for word, steps in (("alpha", tried("alpha")), ("gamma", mistyped("gamma"))):
        story.script.turn(f"note the todo of {word}", [*steps, Say(f"Noted {word}.")])
    for word in ("alpha", "beta", "gamma"):
        story.said[word] = story.host.chat(by_hand(story.script, word))
    story.complained("taught")


def approved(story: Story) -> None:
    """A chat is open; a shell approves; the chat goes on."""
    host, script = story.host, story.script
    script.turn("WORD early", [CallKata(NAME, ("delta",)), Say("done early")])
    with host.terminal("chat") as terminal:
        terminal.type("WORD early", "is not announced")
        story.complained("early")
        story.said["review"] = host.kata("review", "1")
        story.said["approve"] = host.kata("approve", "1", "as", NAME)
        signature = re.search(rf"kata_{NAME}\((\w+)\)", story.said["approve"].out)
        assert signature, str(story.said["approve"])
        call = {"name": f"kata_{NAME}", "arguments": {signature[1]: "delta"}}
        script.turn("WORD running", [ToolCalls([("tool_call", {"calls": [call]})]), Say("done running")])
        terminal.type("WORD running", "done running")
        story.running = [request for request in host.server.requests if request.get("tools")][-1]["messages"]
        terminal.type("/exit", "--resume")


def daily(story: Story) -> None:
    """New conversations: one that uses the kata three times, one without the section."""
    host, script = story.host, story.script
    script.turn("WORD thrice", [*(CallKata(NAME, (word,)) for word in NEW), Say("done thrice")])
    story.said["thrice"] = host.chat("WORD thrice")
    story.complained("thrice")
    (host.plugins / "kata" / "__init__.py").write_text(DEAF, encoding="utf-8")
    story.said["deaf"] = host.chat("WORD thrice")
    story.complained("deaf")
    shutil.copy(CHECKOUT / "__init__.py", host.plugins / "kata" / "__init__.py")
    story.said["runs"] = host.kata("runs", NAME)


def assert_full(text: str, word: str) -> None:
    """K75: every step, and the whole note as the result."""
    answer = json.loads(text)
    assert answer["status"] == "ok" and "error" not in answer, answer
    assert [(step["tool"], step["status"]) for step in answer["steps"]] == [(tool, "ok") for tool in STEPS]
    assert answer["result"] == {"output": f"# {word}\n{remark(word)}", "exit_code": 0}


def remark(word: str) -> str:
    """The remark about that word in the sources."""
    return f"# TODO({word}): make {word} {WORDS.index(word) + 2} times faster"


def test_the_end_of_the_third_conversation_tells_the_person_and_no_earlier_one_does(story: Story) -> None:
    """K12, K16; A5: a failed try and its correction are one step."""
    words = {word: " ".join((story.said[word].out + story.said[word].err).split()) for word in ("alpha", "beta", "gamma")}
    assert all(story.said[word].code == 0 for word in words) and story.complaints["taught"] == []
    assert [len(story.said[word].asked) for word in words] == [7, 6, 7], "two of them with a try that failed"
    assert "kata" not in words["alpha"] + words["beta"]
    assert "Kata: a routine of 5 steps, seen in 3 conversations, could be one tool. Look: hermes kata review 1" in words["gamma"]


def test_the_failed_tries_are_no_steps_of_the_routine(story: Story) -> None:
    """A5, K18"""
    review = story.said["review"]
    assert review.code == 0, str(review)
    part = "Steps" + review.out.partition("\nSteps")[2].partition("\nData flow")[0]
    steps = re.findall(r"^(?:Steps)? +([1-9]) (\w+)", part, re.MULTILINE)
    assert steps == [("1", "search_files"), ("2", "read_file"), ("3", "wc"), ("4", "write_file"), ("5", "cat")], str(review)
    assert ".bak" not in review.out


def test_what_a_shell_approves_a_running_chat_of_another_process_uses_at_its_next_turn(story: Story) -> None:
    """K19, A39: the answer to the approval says how to call it at once."""
    assert story.said["approve"].code == 0 and f"Approved: kata_{NAME}, revision " in story.said["approve"].out
    assert announced(story.running) == {}, "the prompt of the running chat is that of its beginning"
    (result,) = [text for text in results_of(story.running) if isinstance(text, dict)]
    assert_full(json.dumps(result), "delta")
    assert (story.host.work / "notes" / "delta.md").read_text() == f"# delta\n{remark('delta')}\n"


def test_three_uses_in_one_conversation_give_three_full_results(story: Story) -> None:
    """A26, B37"""
    thrice = story.said["thrice"]
    assert thrice.code == 0 and story.complaints["thrice"] == [] and len(thrice.asked) == 4, str(thrice)
    assert len(thrice.results) == 3
    for text, word in zip(thrice.results, NEW, strict=True):
        assert_full(text, word)
        assert (story.host.work / "notes" / f"{word}.md").read_text() == f"# {word}\n{remark(word)}\n"


def test_the_model_finds_the_kata_through_the_section_of_the_prompt_and_through_nothing_else(story: Story) -> None:
    """K24: the same message, the same script and the same active kata; only the section is gone, and the model calls nothing."""
    thrice, deaf = story.said["thrice"], story.said["deaf"]
    section = f"Approved routines, each one call through tool_call instead of its steps by hand:\nkata_{NAME}(pattern): "
    assert section in thrice.prompt and list(announced(thrice.asked[0]["messages"])) == [NAME]
    assert section not in deaf.prompt and f"kata_{NAME}(" not in deaf.prompt
    assert deaf.results == () and len(deaf.asked) == 1, str(deaf)
    missing = f"SCRIPT: kata_{NAME} is not announced; announced are []"
    assert story.complaints["deaf"] == story.complaints["early"] == [missing]
    assert [row["state"] for row in story.host.rows("SELECT state FROM katas")] == ["active"], "all the same"


def test_runs_tell_of_every_use_and_nothing_left_the_machine(story: Story) -> None:
    runs = story.said["runs"]
    assert runs.code == 0 and len(re.findall(rf"  kata_{NAME}  ok  ", runs.out)) == 4, str(runs)
    assert [row["status"] for row in story.host.rows("SELECT status FROM runs")] == ["ok"] * 4
    rows = story.host.rows("SELECT actor, verb FROM audit ORDER BY number")
    assert [(row["actor"], row["verb"]) for row in rows][-1] == ("cli", "approve"), rows
    assert "plugin" not in story.host.far.read_text()
