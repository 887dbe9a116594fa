"""Katas that a person orders on the real Hermes, without a model: dry, in a shell with and without a terminal, and in a chat."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from lessons import LOOK, SHELVE, School

from harness import Answer, Host

LESSONS = (LOOK, SHELVE)
Calls = list[tuple[str, str]]


@dataclass
class Ordered:
    """What each order said, and which calls reached a tool."""

    host: Host
    said: dict[str, Answer] = field(default_factory=dict)
    typed: dict[str, tuple[int, str]] = field(default_factory=dict)
    calls: dict[str, Calls] = field(default_factory=dict)
    asked: int = 0
    """Requests that a model got meanwhile."""


@pytest.fixture(scope="module")
def ordered(school: School) -> Iterator[Ordered]:
    """All orders of this file; a start of the host costs seconds."""
    told, host = Ordered(school.host), school.host
    (host.work / "src").mkdir(exist_ok=True)
    (host.work / "src" / "larch.txt").write_text("TODO larch\n")
    (host.work / "shelf").mkdir(exist_ok=True)
    before = len(host.server.requests)
    for name, words in {
        "dry": ("run", "shelve", "folder=shelf/larch", "--dry-run"),
        "look": ("run", "look", "pattern=larch", "--json"),
        "same": ("run", "look", "pattern=larch", "--on-change"),
        "refused": ("run", "shelve", "folder=shelf/larch"),
        "cron": ("run", "look", "pattern=larch", "--cron", "0 9 * * 1"),
    }.items():
        since = school.witness.mark()
        told.said[name] = host.kata(*words)
        told.calls[name] = school.witness.calls(since)
    for name, typed in {"no": "y\nn\n", "yes": "y\ny\n"}.items():
        since = school.witness.mark()
        told.typed[name] = host.at_terminal(typed, "kata", "run", "shelve", f"folder=shelf/{name}")
        told.calls[name] = school.witness.calls(since)
    since = school.witness.mark()
    with host.terminal("chat") as terminal:
        told.typed["chat"] = 0, terminal.type("/kata run look pattern=larch", "read_file") + terminal.type(
            "/kata run shelve folder=shelf/chat", "nobody can ask you"
        )
        terminal.type("/exit", "❯")
    told.calls["chat"] = school.witness.calls(since)
    since = school.witness.mark()
    (host.work / "src").rename(host.work / "moved")
    run = ("run", "look", "pattern=larch")
    for name, words in {"gone": run, "stale": ("show", "look"), "still": run}.items():
        told.said[name] = host.kata(*words)
    (host.work / "moved").rename(host.work / "src")
    told.said["back"] = host.kata("enable", "look")
    told.calls["gone"] = school.witness.calls(since)
    told.asked = len(host.server.requests) - before
    yield told


def flat(text: str) -> str:
    return " ".join(text.split())


def test_no_model_is_asked(ordered: Ordered) -> None:
    """T78, T23."""
    assert ordered.asked == 0


def test_a_dry_run_reaches_no_tool(ordered: Ordered) -> None:
    """T54."""
    dry = ordered.said["dry"]
    assert dry.code == 0 and ordered.calls["dry"] == [], str(dry)
    for wanted in ("1 mkdir shelf/larch", "2 touch shelf/larch", "in a shell: before steps 1, 2", "nothing was run"):
        assert wanted in flat(dry.out), str(dry)
    assert not (ordered.host.work / "shelf" / "larch").exists()


def test_what_only_reads_runs_where_nobody_can_be_asked(ordered: Ordered) -> None:
    """T78: in the folder of the shell."""
    look = ordered.said["look"]
    assert look.code == 0, str(look)
    assert json.loads(look.out)["status"] == "ok"
    assert [tool for tool, _ in ordered.calls["look"]] == ["search_files", "read_file", "terminal"]


def test_it_speaks_on_change_only_where_that_is_said(ordered: Ordered) -> None:
    """T78: it ran, with the result of the time before."""
    same = ordered.said["same"]
    assert (same.code, same.out.strip()) == (0, ""), str(same)
    assert ordered.calls["same"] == ordered.calls["look"]


def test_an_effect_without_a_terminal_is_refused(ordered: Ordered) -> None:
    """T78."""
    refused = ordered.said["refused"]
    assert refused.code == 1 and ordered.calls["refused"] == []
    assert "there is no terminal here to ask you on; nothing was run" in flat(refused.out)


def test_at_a_terminal_each_effect_waits_for_a_yes(ordered: Ordered) -> None:
    """T78: a no stops before its step, and the exit code says so."""
    code, text = ordered.typed["no"]
    assert code == 1 and text.count("[y/N]") == 2 and "Step 2 of 3, write: touch shelf/no" in text, text
    assert ordered.calls["no"] == [("terminal", "mkdir shelf/no")]
    code, text = ordered.typed["yes"]
    assert code == 0 and text.count("[y/N]") == 2, text
    assert ordered.calls["yes"] == [("terminal", f"{program} shelf/yes") for program in ("mkdir", "touch", "ls")]
    assert (ordered.host.work / "shelf" / "yes").is_dir()


def test_in_a_chat_what_only_reads_runs_and_the_agent_is_named_for_the_rest(ordered: Ordered) -> None:
    """T78: a slash command can ask nobody."""
    assert [tool for tool, _ in ordered.calls["chat"]] == ["search_files", "read_file", "terminal"]
    assert not (ordered.host.work / "shelf" / "chat").exists()


def test_a_line_for_a_timetable_is_printed_and_none_is_installed(ordered: Ordered) -> None:
    line = ordered.said["cron"].out.strip().splitlines()[-1]
    assert "look" in line and ordered.calls["cron"] == [] and not (ordered.host.home / "cron" / "jobs.json").exists()


def test_a_place_that_is_gone_is_noticed_before_any_tool_is_called(ordered: Ordered) -> None:
    """T63: nothing runs, the kata is stale and says why, and a person brings it back when the place is there again."""
    gone, stale, still, back = (ordered.said[name] for name in ("gone", "stale", "still", "back"))
    assert gone.code == 1 and "src is not there any more, and was in every example" in flat(gone.out), str(gone)
    assert "stale" in stale.out and "src is not there any more" in flat(stale.out), str(stale)
    assert still.code == 1 and "only an active kata runs" in flat(still.out), str(still)
    assert back.code == 0 and ordered.calls["gone"] == [], str(back)
