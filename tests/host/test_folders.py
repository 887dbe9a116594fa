"""Katas in other folders on the real Hermes: a person is asked first, the files that are touched are those of the folder where the agent
is, and the user's shell stays where it was, whatever `cd` a kata begins with."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from lessons import BUILD, School

from harness import Host
from model_server import CallKata, Say, Step, ToolCalls, results_of

LESSONS = (BUILD,)
MADE = {"pkg/amber/built.ok": "", "pkg/amber/built.md": "done\n"}
"""What the kata `build` leaves below the folder in which it starts."""
ONCE, DENY, QUESTION = "1", "4", "<kata_build>"


def shell(command: str) -> Step:
    return ToolCalls([("terminal", {"command": command})])


TALK: dict[str, tuple[tuple[Step, ...], str]] = {
    "refused": ((CallKata("build", ("pkg/amber",)),), DENY),
    "allowed": ((CallKata("build", ("pkg/amber",)), shell("pwd")), ONCE),
    "inner": ((shell("cd inner"), CallKata("build", ("pkg/amber",)), shell("pwd")), ONCE),
    "missing": ((CallKata("build", ("pkg/missing",)), shell("pwd")), ONCE),
}
"""Word of the message, what the model does, and what the person says to the question."""


@dataclass(frozen=True)
class Moved:
    """The answers of each message, the calls that reached a tool, and what was made in each of three folders by then."""

    host: Host
    results: dict[str, list[Any]]
    calls: dict[str, list[tuple[str, str]]]
    made: dict[str, dict[str, dict[str, str]]]
    screen: str

    @property
    def elsewhere(self) -> Path:
        return self.host.root / "elsewhere"


def made(folders: dict[str, Path]) -> dict[str, dict[str, str]]:
    """Every file that was made in a package below each folder, with its text."""
    found = {name: sorted(folder.glob("pkg/*/built.*")) for name, folder in folders.items()}
    return {name: {path.relative_to(folders[name]).as_posix(): path.read_text() for path in paths} for name, paths in found.items()}


@pytest.fixture(scope="module")
def moved(school: School) -> Iterator[Moved]:
    """One chat, started beside the folder in which the routine was learnt, with the same package in three places."""
    host, results, calls, after = school.host, {}, {}, {}
    folders = {"work": host.work, "elsewhere": host.root / "elsewhere", "inner": host.root / "elsewhere" / "inner"}
    for folder in folders.values():
        (folder / "pkg" / "amber").mkdir(parents=True)
        (folder / "pkg" / "amber" / "notes.txt").write_text("line\n")
    with host.terminal("chat", folder=folders["elsewhere"]) as terminal:
        for word, (steps, answer) in TALK.items():
            since = school.witness.mark()
            school.script.turn(f"FOLDER {word}", [*steps, Say(f"said {word}")])
            terminal.type(f"FOLDER {word}", QUESTION)
            terminal.press(answer, f"said {word}")
            last = [request for request in host.server.requests if request.get("tools")][-1]["messages"]
            results[word] = list(results_of(last))[-len(steps) :]
            calls[word], after[word] = school.witness.calls(since), made(folders)
        terminal.type("/exit", "--resume")
    assert host.server.complaints == []
    yield Moved(host, results, calls, after, " ".join(re.sub(r"[│\r\n]", " ", terminal.shown).split()))


def test_in_another_folder_than_that_of_the_examples_a_person_is_asked_and_a_no_touches_nothing(moved: Moved) -> None:
    """The kata only writes, so where it was learnt it does not ask."""
    assert "where no example ran" in moved.screen and "elsewhere" in moved.screen
    assert moved.calls["refused"] == []
    assert moved.made["refused"] == {"work": {}, "elsewhere": {}, "inner": {}}


def test_the_files_of_the_folder_in_which_the_agent_is_are_touched_and_no_others(moved: Moved) -> None:
    """A26: the routine was learnt in another folder, and holds no path of it; it follows the user's shell."""
    assert moved.results["allowed"][0]["status"] == moved.results["inner"][1]["status"] == "ok", moved.results
    assert moved.made["allowed"] == {"work": {}, "elsewhere": MADE, "inner": {}}
    assert moved.made["inner"] == moved.made["missing"] == {"work": {}, "elsewhere": MADE, "inner": MADE}


def test_the_cd_of_a_kata_holds_for_its_later_steps(moved: Moved) -> None:
    """T56: for those of `terminal` and for those of the file tools."""
    calls = [("kata_build", "pkg/amber"), ("terminal", "cd pkg/amber"), ("terminal", "wc -l notes.txt"), ("terminal", "touch built.ok")]
    assert moved.calls["allowed"] == [*calls, ("write_file", f"{moved.elsewhere}/pkg/amber/built.md"), ("terminal", "pwd")]
    assert moved.calls["inner"][1:] == [*calls, ("write_file", f"{moved.elsewhere}/inner/pkg/amber/built.md"), ("terminal", "pwd")]


def test_no_cd_of_a_kata_moves_the_users_shell(moved: Moved) -> None:
    """A26: after a whole run, after another in a folder that the person went to, and after one whose `cd` failed."""
    told = {word: moved.results[word][-1]["output"] for word in ("allowed", "inner", "missing")}
    assert told == {"allowed": str(moved.elsewhere), "inner": f"{moved.elsewhere}/inner", "missing": f"{moved.elsewhere}/inner"}


def test_a_cd_that_fails_ends_the_run_before_anything_is_touched(moved: Moved) -> None:
    """K71, K76: a `cd` changes nothing, so it is tried twice."""
    failed = moved.results["missing"][0]
    assert failed["error"].startswith("Step 1 of 4 (terminal) failed: exit code 1"), failed
    assert [step["status"] for step in failed["steps"]] == ["error", "skipped", "skipped", "skipped"]
    assert moved.calls["missing"] == [("kata_build", "pkg/missing"), *[("terminal", "cd pkg/missing")] * 2, ("terminal", "pwd")]
