"""A person teaches on the real Hermes: in a chat the turn just done, in a shell the newest; and one message that nobody records."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from harness import CHECKOUT, NO_HOST, Answer, Host, executable
from model_server import Say, Script, ToolCalls, serving, text_of


def shell(command: str) -> ToolCalls:
    return ToolCalls([("terminal", {"command": command})])


def written() -> Script:
    script = Script()
    for word in ("amber", "birch"):
        script.turn(f"SHELVE {word}", [shell(f"mkdir -p shelf/{word}"), shell(f"ls shelf/{word}"), Say(f"Shelved {word}.")])
    script.turn("HUSH", [shell("echo hush"), Say("Nobody heard.")])
    script.turn("LOUD", [shell("echo loud"), shell("echo again"), Say("Everybody heard.")])
    return script


@dataclass(frozen=True)
class Taught:
    host: Host
    screen: str
    seconds: float
    """How long the chat waited for what it taught."""
    shell: Answer
    learnt: Answer


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Taught]:
    hermes = executable()
    if hermes is None:
        pytest.skip(NO_HOST)
    with serving(written()) as server:
        host = Host(tmp_path_factory.mktemp("teach"), server, hermes)
        host.config["approvals"] = {"single_query_mode": "approve", "destructive_slash_confirm": False}
        host.install(CHECKOUT, "kata")
        with host.terminal("chat") as terminal:
            terminal.type("SHELVE amber, please", "Shelved amber.")
            began = time.monotonic()
            terminal.type("/kata teach --vary word=amber", "Taught: proposal 1, from 1 example")
            seconds = time.monotonic() - began
            terminal.type("SHELVE birch, please", "Shelved birch.")
            terminal.type("/kata teach", "Taught: proposal 1, from 2 examples")
            terminal.type("/kata review 1", "taught from 2 examples")
            terminal.type("/kata incognito", "is not recorded")
            terminal.type("/kata status", "the next message of this chat is not recorded")
            terminal.type("HUSH, please", "Nobody heard.")
            terminal.type("LOUD, please", "Everybody heard.")
            terminal.type("/exit", "--resume")
            screen = terminal.shown
        shell_, learnt = host.kata("teach", "--json"), host.kata("learn", "--json")
        assert server.complaints == []
        yield Taught(host, screen, seconds, shell_, learnt)


def test_the_turn_just_done_becomes_a_proposal_with_what_varies(taught: Taught) -> None:
    """T22: without a model, and the second example keeps the name."""
    rows = taught.host.rows("SELECT spec, fit FROM versions WHERE kata = 1 ORDER BY number DESC LIMIT 1")
    spec = json.loads(rows[0]["spec"])
    assert [one["name"] for one in spec["inputs"]] == ["word"] and len(spec["steps"]) == 2
    assert rows[0]["fit"]["taught"] == 2
    asked = [text_of(request["messages"][-1]) for request in taught.host.server.requests]
    assert not any(text.startswith("/kata") for text in asked)


def test_in_a_shell_the_newest_turn_is_taught(taught: Taught) -> None:
    told = json.loads(taught.shell.out)
    assert told["taught"] == 1 and len(told["steps"]) == 2
    assert "loud" in json.dumps(taught.host.rows("SELECT spec FROM versions WHERE kata = 2"))


def test_one_message_is_recorded_by_nobody_and_not_learnt_later(taught: Taught) -> None:
    """T9"""
    held = [str(row["arguments"]) for row in taught.host.calls()]
    assert not any("hush" in one for one in held) and sum("loud" in one for one in held) == 1
    assert not any("HUSH" in row["message"] for row in taught.host.rows("SELECT message FROM turns"))
    told = json.loads(taught.learnt.out)
    assert told["turns"] == 0 and told["left"]["while the recording was off, or erased since"] == 1
