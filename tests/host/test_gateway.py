"""Kata in the real gateway of the host, over its own IRC adapter and a chat server on loopback: a person decides in a direct chat and is
asked there; a group chat only looks, whoever speaks in it."""

import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

import pytest
from irc import BOT, CHANNEL, Rooms, rooms
from lessons import LOOK, PUBLISH, School, proposed

from harness import DATABASE, PATIENCE, Host, git
from kata.model import Json
from model_server import CallKata, Say, text_of

LESSONS = ()
QUESTION = "exec_approval"
"""What the question shows: this wheel of the host lacks its texts, and their keys stand in their place."""
GROUP = "decides for the owner of this agent, and several people are in this chat"


@dataclass
class Spoken:
    """What the agent said to each thing, and how the home stood then."""

    host: Host
    said: dict[str, str] = field(default_factory=dict)
    states: dict[str, list[str]] = field(default_factory=dict)
    calls: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    pushed: dict[str, bool] = field(default_factory=dict)
    questions: list[str] = field(default_factory=list)
    asked: dict[str, str] = field(default_factory=dict)
    """The last message of a person, as the model got it."""


@contextmanager
def gateway(host: Host, server: Rooms) -> Iterator[None]:
    """`hermes gateway run`, from when it has joined until the block ends; it ends by itself at an interrupt."""
    port = str(server.server_address[1])
    place = {"IRC_SERVER": "127.0.0.1", "IRC_PORT": port, "IRC_USE_TLS": "false", "IRC_NICKNAME": BOT, "IRC_CHANNEL": CHANNEL}
    place |= {"IRC_ALLOWED_USERS": "ann,ben"}
    # A gateway of several profiles reads this file and not the environment.
    (host.home / ".env").write_text("".join(f"{name}='{value}'\n" for name, value in place.items()))
    host.config |= {"terminal": {"cwd": str(host.work)}}
    host.configure()
    words = [str(host.hermes), "gateway", "run"]
    with (host.root / "gateway.log").open("w") as log:
        process = subprocess.Popen(words, cwd=host.work, env=host.environment(), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            server.wait_for_agent()
            yield
            process.send_signal(signal.SIGINT)
            process.wait(PATIENCE)
        finally:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def spoken(school: School) -> Iterator[Spoken]:
    """One gateway for the tests of this file: a group and a direct chat, before and after the approval of two katas."""
    host, spoken = school.host, Spoken(school.host)
    proposed(host, (LOOK, PUBLISH))
    furnish(host)
    untold(host)
    for word in ("news", "again"):
        school.script.turn(f"GATEWAY {word}", [Say(f"said {word}")])
    for word in ("look", "crowd"):
        school.script.turn(f"GATEWAY {word}", [CallKata("look", ("plum",)), Say(f"said {word}")])
    for word in ("denied", "pushed", "unheard"):
        school.script.turn(f"GATEWAY {word}", [CallKata("publish", ("main",)), Say(f"said {word}")])
    with rooms() as server, gateway(host, server):
        talk(school, server, spoken)
    spoken.questions = school.witness.questions()
    assert host.server.complaints == []
    yield spoken


def untold(host: Host) -> None:
    """As if both routines had been found while nobody was at a terminal."""
    with closing(sqlite3.connect(host.home / DATABASE)) as file, file:
        file.execute("DELETE FROM notes WHERE name = 'told'")


def furnish(host: Host) -> None:
    """A file to look at, and a place to publish to."""
    (host.work / "src").mkdir()
    (host.work / "src" / "plum.txt").write_text("a plum\nTODO plum\n")
    lines = "init -q -b main", "commit -q --allow-empty -m start", "init -q --bare ../far.git", "remote add origin ../far.git"
    for line in lines:
        git(host.work, *line.split())


def titling(request: dict[str, Json]) -> bool:
    """Whether the host asks for a title of the session."""
    return text_of(request["messages"][0]).startswith("You name chat sessions")


def talk(school: School, server: Rooms, spoken: Spoken) -> None:
    """In the group: look, and try to decide. Alone: review, approve, use, refuse, allow."""

    def say(name: str, text: str, shows: str, where: str = "") -> None:
        since = school.witness.mark()
        spoken.said[name] = " ".join(server.say("ann", text, shows, where).split())
        spoken.states[name] = [row["state"] for row in school.host.rows("SELECT state FROM katas ORDER BY id")]
        spoken.calls[name] = school.witness.calls(since)
        spoken.pushed[name] = (school.host.root / "far.git" / "refs" / "heads" / "main").exists()

    def heard(name: str, word: str, where: str = "") -> None:
        server.say("ben", f"GATEWAY {word}", f"said {word}", where)  # ann's chat begins when the katas are there
        asked = [text_of(one["messages"][-1]) for one in school.host.server.requests if not titling(one)]
        spoken.asked[name] = asked[-1]

    heard("news in the group", "news", CHANNEL)
    heard("news", "news")
    heard("no more news", "again")
    say("list", "/kata list", "review 1", CHANNEL)
    say("review in the group", "/kata review 1", "/kata approve 1 as NAME", CHANNEL)
    say("approve in the group", "/kata approve 1 as look", GROUP, CHANNEL)
    say("unseen", "/kata approve 1 as look", "Nothing was approved")
    say("approve", "/kata approve 1 as look", "Approved: kata_look")
    say("review", "/kata review 2", "/kata approve 2 as NAME")
    say("approve 2", "/kata approve 2 as publish", "Approved: kata_publish")
    say("look", "GATEWAY look", "said look")
    say("asked", "GATEWAY denied", QUESTION)
    say("denied", "/deny", "said denied")
    say("asked again", "GATEWAY pushed", QUESTION)
    say("pushed", "/approve", "said pushed")
    say("crowd", "GATEWAY crowd", "said crowd", CHANNEL)
    say("asked in the group", "GATEWAY unheard", QUESTION, CHANNEL)
    say("denied in the group", "/deny", "said unheard", CHANNEL)


def test_in_a_chat_that_never_ends_the_agent_is_asked_once_to_pass_on_what_is_new(spoken: Spoken) -> None:
    """A40, T46: in no group; fixed words and numbers."""
    assert "Kata:" not in spoken.asked["news in the group"] and "Kata:" not in spoken.asked["no more news"]
    line = "Kata: a routine of 3 steps, seen in 3 conversations, could be one tool. Look: /kata review 1"
    assert spoken.asked["news"].count("Kata:") == 1 and f"\n\n{line}\n" in spoken.asked["news"]


def test_a_group_chat_looks_and_does_not_decide(spoken: Spoken) -> None:
    """T46: the kind of chat is in the session key that the host tells."""
    assert "proposal" in spoken.said["list"] and "Side effects" in spoken.said["review in the group"]
    assert "hermes kata …" in spoken.said["approve in the group"] and spoken.states["approve in the group"] == ["candidate", "candidate"]


def test_a_review_in_a_group_is_none_for_the_direct_chat(spoken: Spoken) -> None:
    """K90: whoever asked for it there, the person who approves has not seen it."""
    assert "was not reviewed here yet" in spoken.said["unseen"] and spoken.states["unseen"] == ["candidate", "candidate"]


def test_a_person_approves_in_a_direct_chat_and_the_agent_uses_it_there(spoken: Spoken) -> None:
    assert spoken.states["approve 2"] == ["active", "active"]
    assert [tool for tool, _ in spoken.calls["look"]] == ["kata_look", "search_files", "read_file", "terminal"]
    rows = spoken.host.rows("SELECT actor, verb FROM audit WHERE verb = 'approve'")
    assert [row["actor"] for row in rows] == ["chat", "chat"]


def test_the_question_comes_into_the_chat_and_a_no_runs_nothing(spoken: Spoken) -> None:
    """K80, T46: every step stands in the question."""
    assert len(spoken.questions) == 3 and all("2. external: git push origin main" in question for question in spoken.questions)
    assert spoken.calls["denied"] == [] and not spoken.pushed["denied"]


def test_in_a_group_the_question_comes_into_the_group(spoken: Spoken) -> None:
    """K80: as in a direct chat."""
    assert spoken.calls["asked in the group"] == spoken.calls["denied in the group"] == []


def test_a_yes_in_the_chat_runs_it_once(spoken: Spoken) -> None:
    assert not spoken.pushed["asked again"] and spoken.pushed["pushed"]
    assert spoken.calls["pushed"] == [
        ("kata_publish", "main"),
        ("terminal", "git log --oneline -1 main"),
        ("terminal", "git push origin main"),
    ]


def test_what_the_group_asks_for_is_labelled_and_not_learnt_from(spoken: Spoken) -> None:
    """A2, T46: its turn is a conversation of its own, that of no person; what only reads runs there."""
    assert [tool for tool, _ in spoken.calls["crowd"]] == ["kata_look", "search_files", "read_file", "terminal"]
    rows = spoken.host.rows("SELECT message, who, conversation FROM turns WHERE platform = 'irc'")
    turns = {row["message"]: row for row in rows}
    alone, crowd = turns["GATEWAY look"], next(row for text, row in turns.items() if "GATEWAY crowd" in text)
    assert (alone["who"], crowd["who"]) == ("person", "group") and alone["conversation"] != crowd["conversation"]
