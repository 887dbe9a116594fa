"""Every way in which a call comes about on the real Hermes: whose it was and which conversation it belongs to; nothing of a fork counts."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from harness import CHECKOUT, NO_HOST, Answer, Host, Terminal, executable
from model_server import Say, Script, Step, ToolCalls, serving, text_of

CODE = "from hermes_tools import terminal\nprint(terminal('echo inner'))"
REVIEW = "Review the conversation"
"""How the host begins what it tells its own review of a conversation."""


def shell(command: str) -> Step:
    return ToolCalls([("terminal", {"command": command})])


def said(word: str) -> tuple[str, list[Step]]:
    """A message with that word, and what the model does: one call that shows a few thousand tokens, so that there is something to
    compress, and one sentence."""
    return f"WORD {word}", [shell(f"echo {word}; cat long.txt"), Say(f"said {word}")]


def written() -> Script:
    script = Script()
    script.turn(REVIEW, [shell("echo fork"), Say("Nothing to save.")])
    script.turn("CHILD", [shell("echo child"), Say("The child is done.")])
    inner = ToolCalls([("execute_code", {"code": CODE})])
    script.turn("PARENT", [shell("echo parent"), ToolCalls([("delegate_task", {"goal": "CHILD, say so"})]), inner, Say("All done.")])
    script.turn("RESUMED", [shell("echo resumed"), Say("Went on.")])
    script.turn("ONCE", [shell("echo once"), Say("Done once.")])
    script.turn("JOB", [shell("echo job"), Say("The job is done.")])
    for word in ("one", "two", "three", "four", "off", "five"):
        script.turn(*said(word))
    return script


@dataclass(frozen=True)
class Told:
    """The home after every kind of conversation, and what the chats said."""

    host: Host
    first: Answer
    resumed: Answer
    once: Answer
    screen: str


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    """All conversations for the tests of this file: a start of the host costs seconds."""
    hermes = executable()
    if hermes is None:
        pytest.skip(NO_HOST)
    with serving(written()) as server:
        host = Host(tmp_path_factory.mktemp("who"), server, hermes)
        (host.work / "long.txt").write_text("".join(f"line {n:04d} {n * 7919 % 104_729} lorem ipsum dolor sit amet\n" for n in range(500)))
        host.config["approvals"] = {"single_query_mode": "approve", "destructive_slash_confirm": False}
        host.config["compression"] = {"in_place": False, "protect_first_n": 0, "protect_last_n": 2}
        host.install(CHECKOUT, "kata")
        first = host.chat("PARENT, please")
        resumed = host.chat("RESUMED, please", "--resume", first.session)
        once = host.run("-z", "ONCE, please")
        host.job("JOB, please")
        host.config |= {"auxiliary": {"background_review": {"enabled": True}}, "memory": {"nudge_interval": 1}}
        host.configure()
        with host.terminal("chat") as terminal:
            talk(terminal)
        assert server.complaints == [] and first.code == resumed.code == once.code == 0
        yield Told(host, first, resumed, once, terminal.shown)


def talk(terminal: Terminal) -> None:
    """A chat that the host reviews on its own after each message: three messages, compressed, a fourth that goes on, a pause of the
    recording by command, and a new conversation."""
    for word in ("one", "two", "three"):
        terminal.type(said(word)[0], f"said {word}")
    terminal.type("/compress", "Compressed:")
    terminal.type(said("four")[0], "said four")
    terminal.type("/kata record off", "Recording is off")
    terminal.type(said("off")[0], "said off")
    terminal.type("/kata record on", "Recording is on")
    terminal.type("/new", " 0/")
    terminal.type(said("five")[0], "said five")
    terminal.type("/exit", "--resume")


def one(host: Host, word: str) -> dict[str, str]:
    """The recorded call whose command echoes that word."""
    found = [row for row in host.calls(tool="terminal") if row["arguments"]["command"].startswith(f"echo {word}")]
    assert len(found) == 1, f"{len(found)} calls echo {word}"
    return found[0]


def test_a_chat_is_a_persons_and_a_resumed_one_goes_on(told: Told) -> None:
    """A2"""
    parent, resumed = one(told.host, "parent"), one(told.host, "resumed")
    assert (parent["who"], parent["platform"], parent["conversation"]) == ("person", "cli", told.first.session)
    assert (resumed["who"], resumed["session"], resumed["conversation"]) == ("person", told.first.session, told.first.session)
    assert resumed["id"] != parent["id"], "a turn of its own"


def test_a_sub_agent_is_labelled_and_belongs_to_the_conversation_of_its_parent(told: Told) -> None:
    """A2; B40"""
    child = one(told.host, "child")
    assert (child["who"], child["platform"], child["conversation"]) == ("subagent", "subagent", told.first.session)
    assert child["session"] != told.first.session


def test_what_code_calls_is_no_call_of_the_model(told: Told) -> None:
    """B10"""
    (code,) = told.host.calls(tool="execute_code")
    assert code["arguments"]["code"] == CODE and code["who"] == "person" and code["status"] == "ok"
    assert "inner" in code["result"]["output"]
    mine = [row["tool"] for row in told.host.calls(id=code["id"])]
    assert mine == ["terminal", "delegate_task", "execute_code"], "and no call without a conversation"
    assert all(row["session"] and row["id"] for row in told.host.calls())


def test_the_hosts_own_review_is_counted_and_not_recorded(told: Told) -> None:
    """B11: the reviews ran while the chat went on, under its session and its platform."""
    latest = [text_of(request["messages"][-1]) for request in told.host.server.requests]
    ran = sum('"output": "fork"' in text for text in latest)
    assert ran >= 1 and sum(text.startswith(REVIEW) for text in latest) >= ran, "the host reviewed the chat"
    assert not any("fork" in str(row["arguments"]) for row in told.host.calls())
    assert not any(REVIEW in row["message"] for row in told.host.rows("SELECT message FROM turns"))
    counted = told.host.counters()
    assert list(counted) == ["background_call"] and 1 <= counted["background_call"] <= ran, "what came as the process ended may be missing"
    assert "calls of the host's own background work" in " ".join(told.host.kata("status").out.split())


def test_one_shot_and_a_scheduled_job_are_conversations_of_their_own(told: Told) -> None:
    once, scheduled = one(told.host, "once"), one(told.host, "job")
    assert (once["who"], once["platform"], once["conversation"]) == ("person", "cli", once["session"])
    assert (scheduled["who"], scheduled["platform"], scheduled["conversation"]) == ("cron", "cron", scheduled["session"])
    assert scheduled["session"].startswith("cron_") and "Done once." in told.once.out


def test_a_compressed_chat_goes_on_and_a_new_one_begins(told: Told) -> None:
    """A2: a new session that the compression made is the same conversation, one that the person made is not."""
    before, after, new = one(told.host, "three"), one(told.host, "four"), one(told.host, "five")
    assert one(told.host, "one")["conversation"] == one(told.host, "two")["conversation"] == before["conversation"] == before["session"]
    assert after["session"] != before["session"] and after["conversation"] == before["conversation"]
    assert new["session"] not in (before["session"], after["session"]) and new["conversation"] == new["session"]
    assert {row["who"] for row in (before, after, new)} == {"person"}


def test_the_recording_pauses_by_a_word_in_the_chat(told: Told) -> None:
    """K99"""
    assert "said off" in told.screen and not any("echo off" in str(row["arguments"]) for row in told.host.calls())


def test_five_conversations_were_held(told: Told) -> None:
    held = {row["conversation"] for row in told.host.rows("SELECT conversation FROM turns")}
    counted = {one(told.host, word)["conversation"] for word in ("parent", "once", "job", "one", "five")}
    assert held == counted and len(held) == 5
