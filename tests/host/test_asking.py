"""Who is asked, and what runs after a no, on the real Hermes: katas with dangerous commands in the interactive chat, in `-q` and in a
scheduled job."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from lessons import CLEAR, PUBLISH, UNLOCK, Lesson, School, pushed, sh

from harness import Answer, Host, Terminal, git
from model_server import CallKata, Say, Script

RELAY = Lesson(
    "relay",
    lambda word: [
        sh(f"git fetch origin {word}", ""),
        sh(f"git push origin {word}", pushed(word)),
        sh(f"rm -rf build/{word}"),
    ],
)
"""Three steps, each of which asks."""
LESSONS = (CLEAR, PUBLISH, UNLOCK, RELAY)
ONCE, ALWAYS, DENY = "1", "3", "4"
"""The keys that answer the host's question."""
OURS, RM, CHMOD = "<kata_{}>", "recursive delete", "permissions"
"""What the question of a kata shows, and those of the host for two commands it calls dangerous."""
TALK: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("refused", "clear", "build/amber", (OURS, DENY)),
    ("half", "clear", "build/amber", (OURS, ONCE, RM, DENY)),
    ("whole", "clear", "build/amber", (OURS, ONCE, RM, ONCE)),
    ("locked", "unlock", "doors/amber", (CHMOD, DENY)),
    ("pushed", "publish", "main", (OURS, ALWAYS)),
    ("again", "publish", "main", (OURS, DENY)),
    ("other", "publish", "topic", (OURS, DENY)),
    ("relayed", "relay", "main", (OURS, ONCE, RM, ONCE)),
)
"""Word of the message, kata, its argument, and what is asked and answered."""


@dataclass(frozen=True)
class Stage:
    """How things stood after a message: which calls reached a tool during it, and what is there."""

    calls: list[tuple[str, str]]
    there: set[str]
    modes: dict[str, int]
    pushed: list[str]
    questions: list[str]


@dataclass
class Asked:
    """Everything that was said and done."""

    host: Host
    stages: dict[str, Stage] = field(default_factory=dict)
    results: dict[str, tuple[str, ...]] = field(default_factory=dict)
    screen: str = ""
    allowed: str = ""
    """The configuration after somebody chose "always"."""


def furnish(host: Host) -> None:
    """What can be deleted, opened and published."""
    for word in ("amber", "birch"):
        (host.work / "build" / word).mkdir(parents=True)
        (host.work / "doors").mkdir(exist_ok=True)
        (host.work / "doors" / word).touch(mode=0o600)
    git(host.root, "init", "-q", "--bare", "far.git")
    for words in ("init -q -b main", "commit -q --allow-empty -m start", "branch topic", "remote add origin ../far.git"):
        git(host.work, *words.split())


def stage(school: School, since: int) -> Stage:
    work, doors = school.host.work, (school.host.work / "doors").iterdir()
    there = {path.name for path in (work / "build").iterdir()}
    refs = git(school.host.root / "far.git", "for-each-ref", "--format=%(refname:short)").split()
    modes = {door.name: door.stat().st_mode & 0o777 for door in doors}
    return Stage(school.witness.calls(since), there, modes, refs, school.witness.questions(since))


@pytest.fixture(scope="module")
def asked(school: School) -> Iterator[Asked]:
    """A person's chat, then two conversations with nobody there; a start of the host costs seconds."""
    asked = Asked(school.host)
    furnish(school.host)
    write(school.script, school.host.work)
    with school.host.terminal("chat") as terminal:
        for word, kata, _, dialogue in TALK:
            since = school.witness.mark()
            talk(terminal, word, kata, dialogue)
            asked.stages[word] = stage(school, since)
        messages = [request for request in school.host.server.requests if request.get("tools")][-1]
        asked.results["chat"] = Answer(0, "", "", 0.0, (messages,)).results
        terminal.type("/exit", "--resume")
    asked.screen = " ".join(re.sub(r"[│\r\n]", " ", terminal.shown).split())
    asked.allowed = (school.host.home / "config.yaml").read_text(encoding="utf-8")
    for word, hold in (("alone", school.host.chat), ("scheduled", school.host.job)):
        since = school.witness.mark()
        asked.results[word] = hold(f"ASKING {word}").results
        asked.stages[word] = stage(school, since)
    assert school.host.server.complaints == []
    yield asked
    school.host.configure()


def write(script: Script, work: Path) -> None:
    """What the model does at each message. A scheduled job starts in a folder of its own, so its paths are whole."""
    unattended = (("clear", f"{work}/build/birch"), ("unlock", f"{work}/doors/birch"), ("publish", "topic"))
    for word, kata, value, _ in TALK:
        script.turn(f"ASKING {word}", [CallKata(kata, (value,)), Say(f"said {word}")])
    for word in ("alone", "scheduled"):
        script.turn(f"ASKING {word}", [*(CallKata(kata, (value,)) for kata, value in unattended), Say(f"said {word}")])


def talk(terminal: Terminal, word: str, kata: str, dialogue: tuple[str, ...]) -> None:
    """One message and the answers to the questions that follow, each of which must come."""
    questions, keys = [question.format(kata) for question in dialogue[::2]], dialogue[1::2]
    terminal.type(f"ASKING {word}", questions[0])
    for key, then in zip(keys, [*questions[1:], f"said {word}"], strict=True):
        terminal.press(key, then)


def test_a_no_to_a_kata_runs_nothing(asked: Asked) -> None:
    """K80"""
    assert asked.stages["refused"].calls == [] and asked.stages["refused"].there == {"amber", "birch"}
    assert "kata_clear runs 2 steps: 1. read: ls build/amber 2. write, destructive: rm -rf build/amber Revision" in asked.screen
    assert "Asked on every run; 'always' does not apply." in asked.screen


def test_a_yes_to_a_kata_is_no_yes_for_the_hosts_own_question(asked: Asked) -> None:
    """K82: the host asks about the command inside, and its no is obeyed."""
    half, result = asked.stages["half"], json.loads(asked.results["chat"][1])
    assert half.calls == [("kata_clear", "build/amber"), ("terminal", "ls build/amber"), ("terminal", "rm -rf build/amber")]
    assert half.there == {"amber", "birch"}
    assert result["steps"][0]["status"] == "ok" and "denied" in result["error"].lower(), result


def test_two_times_yes_runs_it_once(asked: Asked) -> None:
    whole, result = asked.stages["whole"], json.loads(asked.results["chat"][2])
    assert whole.calls == [("kata_clear", "build/amber"), ("terminal", "ls build/amber"), ("terminal", "rm -rf build/amber")]
    assert whole.there == {"birch"} and result["status"] == "ok"


def test_what_only_the_host_calls_dangerous_the_host_asks_about(asked: Asked) -> None:
    """K82: for Kata it is a plain write, which does not ask; the question reaches the person from within the kata."""
    locked, result = asked.stages["locked"], json.loads(asked.results["chat"][3])
    assert locked.calls == [("kata_unlock", "doors/amber"), ("terminal", "ls -l doors/amber"), ("terminal", "chmod 777 doors/amber")]
    assert locked.modes == {"amber": 0o600, "birch": 0o600}
    assert "Step 2 of 2" in result["error"] and "denied" in result["error"].lower(), result


def test_an_external_effect_asks_on_every_call_even_after_always(asked: Asked) -> None:
    """K80, K81"""
    pushed, again, other = (asked.stages[word] for word in ("pushed", "again", "other"))
    assert pushed.calls == [("kata_publish", "main"), ("terminal", "git log --oneline -1 main"), ("terminal", "git push origin main")]
    assert pushed.pushed == ["main"] and "plugin_rule:kata:publish:" in asked.allowed, "the person did say always"
    assert again.calls == other.calls == [] and other.pushed == ["main"]
    assert "2. external: git push origin topic" in asked.screen


def test_a_run_of_several_effects_has_one_question_of_ours(asked: Asked) -> None:
    """T40: one for the whole, with every step in it; the other is the host's own, about the command that it calls dangerous."""
    relayed = asked.stages["relayed"]
    assert [call for _, call in relayed.calls] == ["main", "git fetch origin main", "git push origin main", "rm -rf build/main"]
    assert json.loads(asked.results["chat"][-1])["status"] == "ok" and relayed.pushed == ["main"]
    ours, *hosts = relayed.questions
    assert ours.startswith("kata_relay runs 3 steps") and {*hosts} == {"recursive delete"}, relayed.questions
    assert all(step in ours for step in ("1. external: git fetch", "2. external: git push", "3. write, destructive: rm -rf"))


@pytest.mark.parametrize(("word", "mode"), [("alone", "single-query mode"), ("scheduled", "cron")])
def test_where_nobody_can_answer_nothing_runs_that_asks(asked: Asked, word: str, mode: str) -> None:
    """K80, K82: neither the kata whose question nobody answers, nor the command inside that the host asks about."""
    after, results = asked.stages[word], [json.loads(text) for text in asked.results[word]]
    door = str(asked.host.work / "doors" / "birch")
    assert after.calls == [("kata_unlock", door), ("terminal", f"ls -l {door}"), ("terminal", f"chmod 777 {door}")]
    assert after.there == {"birch"} and after.modes["birch"] == 0o600 and after.pushed == ["main"]
    assert len(results) == 3 and all("BLOCKED" in result["error"] and mode in result["error"].lower() for result in results), results
    assert results[1]["steps"][0]["status"] == "ok" and "chmod 777" in str(results[1]["next"])
