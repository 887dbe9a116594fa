"""A kata that takes branch and day from around it, and one that stops at an answer unlike that of every example, on the real Hermes."""

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from lessons import DAYS, DIARY, GATE, School
from test_text import git

from model_server import CallKata, Say, ToolCalls, results_of

LESSONS = (DIARY, GATE)


@dataclass(frozen=True)
class Told:
    """What each message was answered with, the commit on the branch, the files that were made by then, and the days of the runs."""

    answers: dict[str, Any]
    commit: str
    files: dict[str, str]
    days: set[str]


@pytest.fixture(scope="module")
def told(school: School) -> Iterator[Told]:
    """A repository on a branch that no example had, today; then its head is detached. Three states of a service, of which two are good."""
    folder = school.host.root / "journal"
    (folder / "state").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "topic/delta")
    git(folder, "commit", "-q", "--allow-empty", "-m", "words of today")
    for word, text in (("delta", "Service delta is ready\n"), ("ebony", "Maintenance until noon, please come back\n")):
        (folder / "state" / f"{word}.txt").write_text(text)
    days, commit = {datetime.date.today().isoformat()}, git(folder, "rev-parse", "HEAD")
    detach = ToolCalls([("terminal", {"command": "git checkout -q --detach"})])
    turns = {
        "branch": [CallKata("diary", ())],
        "good": [CallKata("gate", ("state/delta.txt",))],
        "odd": [CallKata("gate", ("state/ebony.txt",))],
        "detached": [detach, CallKata("diary", ())],
    }
    answers = {}
    for word, steps in turns.items():
        school.script.turn(f"AROUND {word}", [*steps, Say(f"said {word}")])
    with school.host.terminal("chat", folder=folder) as terminal:
        for word in turns:
            terminal.type(f"AROUND {word}", f"said {word}")
            last = [request for request in school.host.server.requests if request.get("tools")][-1]["messages"]
            answers[word] = list(results_of(last))[-1]
        terminal.type("/exit", "--resume")
    days.add(datetime.date.today().isoformat())
    assert school.host.server.complaints == []
    yield Told(answers, commit, found(folder), days)


def found(folder: Path) -> dict[str, str]:
    """The files that katas made, with their texts."""
    paths = [*folder.glob("diary/*"), *folder.glob("state/*.seen")]
    return {path.relative_to(folder).as_posix(): path.read_text() for path in paths}


def test_branch_and_day_are_those_of_the_run(told: Told) -> None:
    """T28: learnt on three days and three branches, run today on another; none of the days of the examples is written."""
    assert told.answers["branch"].get("status") == "ok", told.answers["branch"]
    diary = {path: text for path, text in told.files.items() if path.startswith("diary/")}
    assert diary in [{f"diary/{day}.md": f"{told.commit} on topic/delta\n"} for day in told.days]
    assert not told.days & set(DAYS.values())


def test_without_a_branch_nothing_runs_and_the_answer_says_why(told: Told) -> None:
    """T28: a detached head."""
    assert told.answers["detached"]["error"].startswith("Nothing was run: Expected the current branch, and no branch is checked out")


def test_an_answer_unlike_that_of_every_example_stops_the_run_before_its_write(told: Told) -> None:
    """T50: the command succeeded; only what it printed is odd, and the answer says so."""
    assert told.answers["good"]["status"] == "ok", told.answers["good"]
    odd = told.answers["odd"]
    assert odd["error"].startswith("Step 1 of 2 (terminal) failed: its answer is unlike that of every example (check 1"), odd
    assert "expected that 'output' begins with 'Service', got \"Maintenance until noon" in odd["error"]
    assert odd["had_effect"] == [] and [path for path in told.files if path.startswith("state/")] == ["state/delta.txt.seen"]
