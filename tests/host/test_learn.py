"""Day one on the real Hermes: a history that it wrote itself, before the plugin was there, and after; what it keeps stays as it is. (T2)"""

import hashlib
import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from harness import CHECKOUT, NO_HOST, Answer, Host, Terminal, executable
from model_server import Say, Script, Step, ToolCalls, serving

WORDS = ("amber", "birch", "cobalt", "dune", "elm", "fjord", "gorse")
"""One word for each time that the routine was done by a person."""


def shell(command: str) -> ToolCalls:
    return ToolCalls([("terminal", {"command": command})])


def routine(word: str) -> list[Step]:
    """Three steps about one word: what is planted."""
    return [shell(f"mkdir -p notes/{word}"), shell(f"cp long.txt notes/{word}/copy.txt"), shell(f"wc -l notes/{word}/copy.txt")]


def said(word: str) -> tuple[str, str]:
    return f"NOTE {word}, please", f"Noted {word}."


def written() -> Script:
    script = Script()
    script.turn("CHILD", [*routine("child"), Say("The child is done.")])
    asked = ToolCalls([("delegate_task", {"goal": "CHILD, say so"})])
    script.turn("PARENT", [shell("echo parent"), asked, Say("All done.")])
    script.turn("JOB", [*routine("job"), Say("The job is done.")])
    script.turn("AGAIN", [shell("ls notes"), Say("Went on.")])
    for number in range(3):
        script.turn(f"TALK{number}", [shell(f"cat long.txt; echo {number}"), Say(f"told {number}")])
    script.turn("UNDONE", [*routine("undone"), Say("did wrong")])
    for word in WORDS:
        script.turn(said(word)[0], [*routine(word), Say(said(word)[1])])
    return script


UNDO = """
from hermes_state import SessionDB
db = SessionDB()
last = [row for one in db.list_sessions_rich(limit=50) for row in db.get_messages(one["id"]) if row["content"] == "UNDONE, please"]
print(db.rewind_to_message(last[0]["session_id"], last[0]["id"])["rewound_count"])
db.close()
"""
"""What `/undo` does in a chat, without the prompt that it leaves there."""


@dataclass(frozen=True)
class Past:
    """A home with a history, and what the plugin said of it once it was there."""

    host: Host
    before: dict[str, str]
    after: dict[str, str]
    offer: Answer
    preview: Answer
    kept: int
    """Calls that the file held after the preview."""
    learnt: Answer
    rows: list[dict[str, object]]
    again: Answer
    rows_again: list[dict[str, object]]
    live: Answer
    third: Answer


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Past]:
    """All of it for the tests of this file: a start of the host costs seconds."""
    hermes = executable()
    if hermes is None:
        pytest.skip(NO_HOST)
    with serving(written()) as server:
        host = Host(tmp_path_factory.mktemp("past"), server, hermes)
        (host.work / "long.txt").write_text("".join(f"line {n:04d} {n * 7919 % 104_729} lorem ipsum dolor sit amet\n" for n in range(500)))
        host.config["approvals"] = {"single_query_mode": "approve", "destructive_slash_confirm": False}
        lived(host)
        host.install(CHECKOUT, "kata")
        before = files(host)
        offer, preview = host.kata(), host.kata("learn", "--preview")
        kept = host.rows("SELECT count(*) AS n FROM events")[0]["n"]
        learnt, rows = host.kata("learn"), calls(host)
        again, rows_again = host.kata("learn", "--json"), calls(host)
        after = files(host)
        live = host.chat(said("gorse")[0])
        third = host.kata("learn", "--json")
        assert server.complaints == []
        yield Past(host, before, after, offer, preview, kept, learnt, rows, again, rows_again, live, third)


def lived(host: Host) -> None:
    """A history without the plugin: a chat that was resumed, sub-agents, a scheduled job, chats compressed into another session and in
    place, a turn that was undone, and a new conversation."""
    host.configure()
    first = host.chat(said("amber")[0])
    host.chat("AGAIN, please", "--resume", first.session)
    host.chat("PARENT, please")
    host.job("JOB, please")
    host.config["compression"] = {"in_place": False, "protect_first_n": 0, "protect_last_n": 2}
    host.configure()
    with host.terminal("chat") as terminal:
        compressed(terminal, "birch", "cobalt")
        terminal.type("/new", " 0/")
        terminal.type(said("dune")[0], said("dune")[1])
        terminal.type("/exit", "--resume")
    host.config["compression"] = {"in_place": True, "protect_first_n": 0, "protect_last_n": 2}
    host.configure()
    with host.terminal("chat") as terminal:
        compressed(terminal, "elm", "fjord")
        terminal.type("UNDONE, please", "did wrong")
        terminal.type("/exit", "--resume")
    undone = subprocess.run([str(host.hermes.parent / "python"), "-c", UNDO], env=host.environment(), capture_output=True, text=True)
    assert undone.returncode == 0 and undone.stdout.split() == ["8"], undone


def compressed(terminal: Terminal, before: str, after: str) -> None:
    """The routine, enough text that there is something to compress, the compression, and the routine once more."""
    terminal.type(said(before)[0], said(before)[1])
    for number in range(3):
        terminal.type(f"TALK{number}, please", f"told {number}")
    terminal.type("/compress", "Compressed:")
    terminal.type(said(after)[0], said(after)[1])


def files(host: Host) -> dict[str, str]:
    """The host's own databases with what they hold."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in host.home.glob("*.db*")}


def calls(host: Host) -> list[dict[str, object]]:
    return host.rows("SELECT turns.*, events.* FROM events JOIN turns ON turns.number = turn ORDER BY turn, position")


def commands(past: Past) -> list[str]:
    return [str(row["arguments"]["command"]) for row in past.rows if row["tool"] == "terminal"]  # type: ignore[index]


def test_an_empty_file_offers_the_history_and_a_preview_keeps_nothing(past: Past) -> None:
    """Nothing is read unasked."""
    assert "hermes kata learn --preview" in " ".join(past.offer.out.split())
    assert past.preview.out.startswith("Would learn from") and "1 new or better proposal" in past.preview.out
    assert past.kept == 0 and "Nothing was kept" in past.preview.out


def test_the_planted_routine_is_proposed_with_every_conversation_that_holds_it(past: Past) -> None:
    """B22: the conversation that went on in another session is one, and so is the one that was compressed in place; the turn that was
    undone, the sub-agent and the scheduled job are no support (B24, B40)."""
    (kata,) = past.host.rows("SELECT spec, fit FROM versions WHERE number = 1")
    assert len(json.loads(kata["spec"])["steps"]) == 3 and kata["fit"]["support"] == 4
    assert past.learnt.code == 0 and "seen in 4 conversations" in past.learnt.out, past.learnt
    assert {row["who"] for row in past.rows} == {"person", "subagent", "cron"}
    told = commands(past)
    for word in WORDS[:-1]:
        assert told.count(f"mkdir -p notes/{word}") == 1, f"{word} counts once"
    assert told.count("mkdir -p notes/undone") == 0


def test_conversations_are_those_of_the_person(past: Past) -> None:
    """A2"""
    words = (*WORDS[:-1], "child", "job")
    held = {word: {row["conversation"] for row in past.rows if f"notes/{word}" in str(row["arguments"])} for word in words}
    assert all(len(one) == 1 for one in held.values())
    assert held["birch"] == held["cobalt"] != held["dune"] and held["elm"] == held["fjord"]
    parent = {row["conversation"] for row in past.rows if "echo parent" in str(row["arguments"])}
    assert held["child"] == parent


def test_nothing_counts_twice_and_the_second_time_changes_nothing(past: Past) -> None:
    """B39"""
    names = [(row["session"], row["call_id"]) for row in past.rows]
    assert len(names) == len(set(names))
    told = json.loads(past.again.out)
    assert told["turns"] == 0 and told["proposed"] == [] and past.rows_again == past.rows


def test_what_the_recorder_saw_afterwards_does_not_come_out_of_the_history_too(past: Past) -> None:
    """B39: the hooks told these calls, and Hermes keeps them as well."""
    assert "Noted gorse." in past.live.out
    assert json.loads(past.third.out)["turns"] == 0
    assert len([row for row in calls(past.host) if "notes/gorse" in str(row["arguments"])]) == 3
    (kata,) = past.host.rows("SELECT fit FROM versions ORDER BY number DESC LIMIT 1")
    assert kata["fit"]["support"] == 5


def test_the_files_of_hermes_are_as_they_were(past: Past) -> None:
    """B55: read-only, also where many read."""
    assert past.before == past.after and "state.db" in past.before
