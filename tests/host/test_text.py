"""A kata whose values flow through plain text, on the real Hermes: it asks for nothing, finds branch and commit of the repository in which
it is called, and stops where the text is another."""

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from lessons import HEAD, School

from model_server import CallKata, Say, ToolCalls, results_of

LESSONS = (HEAD,)
AT = "2026-01-02T03:04:05 +0000"
WHO = {f"GIT_{one}_{key}": value for one in ("AUTHOR", "COMMITTER") for key, value in (("NAME", "A"), ("EMAIL", "a@b"), ("DATE", AT))}
"""With these a commit has the same hash on every machine."""


def git(folder: Path, *words: str) -> str:
    ran = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True, env={**os.environ, **WHO})
    return ran.stdout.strip()


@dataclass(frozen=True)
class Told:
    """What the kata answered on a branch and without one, the commit it was to find, and the files that it wrote."""

    found: Any
    lost: Any
    commit: str
    files: dict[str, str]


@pytest.fixture(scope="module")
def told(school: School) -> Iterator[Told]:
    """A repository in which no example ran, on a branch that none of them had; then its head is detached."""
    repository = school.host.root / "repository"
    repository.mkdir()
    git(repository, "init", "-q", "-b", "topic/delta")
    git(repository, "commit", "-q", "--allow-empty", "-m", "first words")
    commit = git(repository, "rev-parse", "HEAD")
    school.script.turn("TEXT there", [CallKata("head", ()), Say("said there")])
    school.script.turn(
        "TEXT gone", [ToolCalls([("terminal", {"command": "git checkout -q --detach"})]), CallKata("head", ()), Say("said gone")]
    )
    answers = {}
    with school.host.terminal("chat", folder=repository) as terminal:
        for word in ("there", "gone"):
            terminal.type(f"TEXT {word}", f"said {word}")
            last = [request for request in school.host.server.requests if request.get("tools")][-1]["messages"]
            answers[word] = list(results_of(last))[-1]
        terminal.type("/exit", "--resume")
    files = {path.relative_to(repository).as_posix(): path.read_text() for path in repository.glob("heads/*")}
    assert school.host.server.complaints == []
    yield Told(answers["there"], answers["gone"], commit, files)


def test_branch_and_commit_are_found_in_what_git_prints(told: Told) -> None:
    """K118 and beyond (T26): no input at all, on a branch that was never seen."""
    assert told.found.get("status") == "ok", told.found
    assert told.files == {f"heads/{told.commit}.md": "topic/delta\n"}


def test_where_the_text_is_another_the_run_stops_before_it_acts(told: Told) -> None:
    """K75, T50: a detached head prints no branch; nothing is written, and the answer names what was expected of which step."""
    assert told.lost["error"].startswith("Step 1 of 3 (terminal) failed: its answer is unlike that of every example")
    assert told.lost["error"].endswith("expected that 'output' is not empty, got an empty text")
    assert [step["status"] for step in told.lost["steps"]] == ["error", "skipped", "skipped"]
    assert told.lost["had_effect"] == []
