"""One gateway of the real host that goes on for a while: guards of other plugins, a turn taught, a message that nobody records, a chat
compressed in place, a second profile in the same process, and all plugins loaded anew while a kata runs."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import pytest
from guard import ASKED, FORBIDDEN, NO, guard
from irc import CHANNEL, Rooms, rooms
from lessons import COUNT, LOOK, School
from test_gateway import QUESTION, gateway

from harness import DATABASE, Host
from model_server import CallKata, Say, ToolCalls, results_of

LESSONS = (LOOK, COUNT)
OTHER, PIPE = "other", "src/pipe"
ROUTE = {"name": "bens", "platform": "irc", "user_id": "ben", "profile": OTHER}
"""What ben writes is for the other profile."""
ANEW = """
import json
from gateway.control_socket import reload_gateway_plugins
from hermes_constants import get_hermes_home

print(json.dumps(reload_gateway_plugins(get_hermes_home())["reloaded"]))
"""
"""What `hermes plugins install`, `enable` and `update` do last: they tell the gateway that runs."""


@dataclass
class Served:
    """What was said to each thing, which calls reached a tool meanwhile, and how things stood."""

    host: Host
    said: dict[str, str] = field(default_factory=dict)
    calls: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    results: dict[str, Any] = field(default_factory=dict)
    anew: str = ""
    meanwhile: list[Any] = field(default_factory=list)
    """The run that was under way when the plugins had been loaded anew."""

    @property
    def other(self) -> Any:
        """The plugin's file of the other profile."""
        return self.host.home / "profiles" / OTHER / DATABASE

    def turn(self, word: str) -> dict[str, Any]:
        """The recorded turn of that message."""
        (row,) = [row for row in self.host.rows("SELECT * FROM turns") if row["message"] == f"SERVED {word}"]
        return row

    def messages(self, path: Any = None) -> list[str]:
        """What was said to the agent, as it is recorded in a profile."""
        return [row["message"] for row in self.host.rows("SELECT message FROM turns ORDER BY number", path=path)]


def shell(*commands: str) -> list[ToolCalls]:
    return [ToolCalls([("terminal", {"command": command})]) for command in commands]


def bridge(tool: str, **arguments: str) -> list[ToolCalls]:
    """The call of a tool by its name, whether it is announced or not."""
    return [ToolCalls([("tool_call", {"calls": [{"name": tool, "arguments": arguments}]})])]


@pytest.fixture(scope="module")
def served(school: School) -> Iterator[Served]:
    host, served = school.host, Served(school.host)
    guard(host)
    os.mkfifo(host.work / PIPE)
    (host.work / "long.txt").write_text("".join(f"line {n:04d} {n * 7919 % 104_729} lorem ipsum dolor sit amet\n" for n in range(500)))
    host.config |= {"compression": {"protect_first_n": 0, "protect_last_n": 2}}
    host.config |= {"gateway": {"profile_routes": [ROUTE], "multiplex_profiles": True}}
    host.configure()
    made = host.run("profile", "create", OTHER, "--clone", "--no-alias")
    assert made.code == 0, str(made)
    for plugin in ("witness", "guard"):
        shutil.rmtree(host.home / "profiles" / OTHER / "plugins" / plugin)
    written(school)
    with rooms() as server, gateway(host, server):
        talk(school, server, served)
        reloaded(school, server, served)
    assert host.server.complaints == []
    yield served
    host.config.clear()


def written(school: School) -> None:
    """What the model does at each message."""
    steps: dict[str, list[Any]] = {word: [CallKata("count", (f"src/{word}.txt",))] for word in (FORBIDDEN, ASKED, "quince")}
    steps |= {"crowd": [CallKata("count", (f"src/{FORBIDDEN}.txt",))]}
    steps |= {"hang": [CallKata("count", (PIPE,))], "hush": shell("echo hush"), "refused": [CallKata("count", (f"src/{ASKED}.txt",))]}
    steps |= {word: shell(f"echo {word}; cat long.txt") for word in ("one", "two", "three", "four")}
    steps |= {"teach": shell("mkdir -p shelf/amber", "ls shelf/amber"), "bens": shell("mkdir -p bens/amber", "ls bens/amber")}
    steps |= {"his": bridge("kata_bens", word="birch"), "hers": bridge("kata_count", path="src/quince.txt")}
    for word, done in steps.items():
        school.script.turn(f"SERVED {word}", [*done, Say(f"said {word}")])


def talk(school: School, server: Rooms, served: Served) -> None:
    """ann in the first profile and ben in the other, both alone with the agent."""

    def say(name: str, text: str, shows: str, who: str = "ann", room: str = "") -> None:
        since = school.witness.mark()
        served.said[name] = " ".join(server.say(who, text, shows, room).split())
        served.calls[name] = [one for one, _ in groupby(school.witness.calls(since))]
        served.results[name] = last(school.host)

    def turn(word: str, who: str = "ann") -> None:
        say(word, f"SERVED {word}", f"said {word}", who)

    turn(FORBIDDEN)
    say("asked", f"SERVED {ASKED}", QUESTION)
    say("approved", "/approve", f"said {ASKED}")
    say("asked again", "SERVED refused", QUESTION)
    say("denied", "/deny", "said refused")
    for word in (FORBIDDEN, ASKED):
        say(f"run {word}", f"/kata run look pattern={word}", "Step 3 of 3")
    say("crowd", "SERVED crowd", "said crowd", room=CHANNEL)
    turn("teach")
    say("taught", "/kata teach --vary word=amber", "Taught: proposal 3, from 1 example")
    say("incognito", "/kata incognito", "not recorded")
    for word in ("hush", "one", "two", "three"):
        turn(word)
    say("compressed", "/compress", "Compressed:")
    turn("four")
    say("empty", "/kata list", "Nothing to show yet", "ben")
    turn("bens", "ben")
    say("taught too", "/kata teach --vary word=amber", "Taught: proposal 1, from 1 example", "ben")
    say("reviewed", "/kata review 1", "approve 1 as NAME", "ben")
    say("approved too", "/kata approve 1 as bens", "Approved: kata_bens", "ben")
    turn("hers", "ben")
    turn("his")


def reloaded(school: School, server: Rooms, served: Served) -> None:
    """The plugins are loaded anew while the second step of a run waits for a pipe; then it comes back, and the chat goes on."""
    host, since = school.host, school.witness.mark()
    start = server.tell("ann", "SERVED hang")
    with open(host.work / PIPE, "w"):  # waits until the step is there
        done = subprocess.run([host.hermes.parent / "python", "-c", ANEW], env=host.environment(), capture_output=True, text=True)
        served.anew = done.stdout.strip()
        served.meanwhile = host.rows("SELECT id, finished FROM runs ORDER BY started DESC LIMIT 1")
    server.hear(start, "said hang", "ann")
    served.calls["hang"] = [one for one, _ in groupby(school.witness.calls(since))]
    served.results["hang"] = last(host)
    server.say("ann", "SERVED quince", "said quince")
    served.results["quince"] = last(host)


def last(host: Host) -> Any:
    """The last result of a tool that the model saw."""
    asked = [request for request in host.server.requests if request.get("tools")]
    return next(reversed(results_of(asked[-1]["messages"])), None) if asked else None


def test_in_a_chat_of_the_gateway_a_step_does_not_go_around_another_plugin(served: Served) -> None:
    """T41: forbidden, in a group chat too; asked about in the chat, where a yes runs it and a no does not."""
    assert NO in served.results[FORBIDDEN]["error"] and NO in served.results["crowd"]["error"]
    for word in (FORBIDDEN, "crowd", "asked", "asked again"):
        assert [tool for tool, _ in served.calls[word]] == ["kata_count", "terminal"], served.calls[word]
    assert served.calls["approved"] == [("terminal", f"wc -l src/{ASKED}.txt"), ("terminal", f"touch src/{ASKED}.txt")]
    assert served.calls["denied"] == [] and "denied" in served.results["denied"]["error"].lower()


def test_a_kata_that_a_person_orders_there_does_not_go_around_it_either(served: Served) -> None:
    """T41, T78: a command can ask nobody, so what a guard asks about is refused."""
    assert NO in served.said[f"run {FORBIDDEN}"] and "refused" in served.said[f"run {ASKED}"], served.said
    for word in (FORBIDDEN, ASKED):
        assert [tool for tool, _ in served.calls[f"run {word}"]] == ["search_files", "read_file"]


def test_a_turn_is_taught_and_a_message_is_not_recorded_from_a_chat_of_the_gateway(served: Served) -> None:
    """T22, T9: that of this chat, though several go through one process."""
    spec = json.loads(served.host.rows("SELECT spec FROM versions WHERE kata = 3")[0]["spec"])
    assert [one["name"] for one in spec["inputs"]] == ["word"] and len(spec["steps"]) == 2
    assert "SERVED hush" not in served.messages() and served.turn("one")["who"] == "person"
    assert not any("hush" in str(row["arguments"]) for row in served.host.calls())


def test_a_chat_that_is_compressed_in_place_stays_one_conversation(served: Served) -> None:
    """A2: the session is the same, its messages were rewritten, and no call counts twice."""
    state = served.host.home / "state.db"
    (session,) = {served.turn(word)["session"] for word in ("one", "three", "four")}
    assert {served.turn(word)["conversation"] for word in ("teach", "one", "three", "four")} == {session}
    (row,) = served.host.rows("SELECT id, end_reason FROM sessions WHERE id = ?", session, path=state)
    assert row["end_reason"] is None and served.host.rows("SELECT 1 FROM messages WHERE compacted = 1 LIMIT 1", path=state)
    for word in ("one", "three", "four"):
        assert sum(str(call["arguments"]).find(f"echo {word};") >= 0 for call in served.host.calls()) == 1


def test_two_profiles_in_one_process_keep_apart_what_they_know_and_can(served: Served) -> None:
    """B17: each has its file, its proposals, its katas and its tools."""
    host, other = served.host, served.other
    assert served.messages(other) == ["SERVED bens", "SERVED hers"]
    assert not {"SERVED bens", "SERVED hers"} & {*served.messages()} and "SERVED his" in served.messages()
    assert [row["name"] for row in host.rows("SELECT name FROM katas WHERE state = 'active'", path=other)] == ["bens"]
    assert sorted(row["name"] for row in host.rows("SELECT name FROM katas WHERE state = 'active'")) == ["count", "look"]
    for word in ("his", "hers"):
        assert "kata_" in str(served.results[word]) and "steps" not in str(served.results[word]), served.results[word]


def test_a_run_under_way_when_the_plugins_are_loaded_anew_ends_before_its_next_step(served: Served) -> None:
    """T52: it is written down, what was not done is handed back, and the chat goes on with the kata as it is now."""
    assert served.anew == "true" and [row["finished"] for row in served.meanwhile] == [None]
    assert "Kata was unloaded before this step began" in served.results["hang"]["error"]
    assert served.results["hang"]["next"] == {"tool": "terminal", "arguments": {"command": f"touch {PIPE}"}}
    assert [said for _, said in served.calls["hang"]] == [PIPE, f"ls {PIPE}", f"wc -l {PIPE}"]
    (row,) = served.host.rows("SELECT status, finished FROM runs WHERE id = ?", served.meanwhile[0]["id"])
    assert row["status"] == "interrupted" and row["finished"]
    assert served.results["quince"]["status"] == "ok", served.results["quince"]
    assert [call["tool"] for call in served.host.calls(turn=served.turn("quince")["number"])] == ["kata_count"], "heard by one plugin"
