"""What is read of where and when something happens, from real repositories; what cannot be read is left out, and nothing is raised."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from kata.scene import captured, recorded, repository

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")
NOON = time.mktime((2026, 3, 1, 12, 0, 0, 0, 0, -1))
WHO = {f"GIT_{one}_{key}": value for one in ("AUTHOR", "COMMITTER") for key, value in (("NAME", "A"), ("EMAIL", "a@b"))}


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, env={**os.environ, **WHO})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository on a branch, with one commit and a folder in it."""
    folder = tmp_path / "project"
    (folder / "src" / "deep").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "topic/amber")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


def test_folder_repository_branch_home_and_the_day_are_captured(project: Path) -> None:
    """T28: by local time; from anywhere below the root."""
    os.utime(project / ".git" / "HEAD", (NOON - 60, NOON - 60))
    assert captured(str(project / "src" / "deep"), NOON) == {
        "@folder": str(project / "src" / "deep"),
        "@root": str(project),
        "@branch": "topic/amber",
        "@home": os.path.expanduser("~"),
        "@today": "2026-03-01",
        "@yesterday": "2026-02-28",
    }


def test_a_detached_head_has_no_branch_and_a_folder_outside_git_no_repository(project: Path, tmp_path: Path) -> None:
    git(project, "checkout", "-q", "--detach")
    found = captured(str(project), time.time() + 1)
    assert "@branch" not in found and found["@root"] == str(project)
    assert not {"@root", "@branch"} & captured(str(tmp_path), time.time() + 1).keys()


def test_a_work_tree_has_its_own_branch(project: Path, tmp_path: Path) -> None:
    git(project, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    found = captured(str(tmp_path / "side"), time.time() + 1)
    assert (found["@root"], found["@branch"]) == (str(tmp_path / "side"), "side")


def test_a_branch_counts_for_a_call_only_when_it_was_checked_out_before(project: Path) -> None:
    """A call that checks one out is read after it was made: the branch that it left is not known any more."""
    head = project / ".git" / "HEAD"
    os.utime(head, (1_000.0, 1_000.0))
    assert recorded(str(project), 1_001.0, local=True)["branch"] == "topic/amber"
    assert "branch" not in recorded(str(project), 1_000.0, local=True)
    assert "branch" not in recorded(str(project), 999.0, local=True)


def test_of_another_machine_only_the_day_is_known(project: Path) -> None:
    assert recorded(str(project), NOON, local=False) == {"today": "2026-03-01", "yesterday": "2026-02-28"}


def test_what_is_no_repository_of_git_is_none(tmp_path: Path) -> None:
    """Never raised: a head that is a folder, is binary, is endless, is missing; a link in a circle; a path that is none."""
    for name in ("folder", "binary", "long", "missing", "astray"):
        (tmp_path / name / ".git").mkdir(parents=True)
    (tmp_path / "folder" / ".git" / "HEAD").mkdir()
    (tmp_path / "binary" / ".git" / "HEAD").write_bytes(b"\xff\xfe\x00" * 9)
    (tmp_path / "long" / ".git" / "HEAD").write_text("ref: refs/heads/" + "x" * 100_000)
    (tmp_path / "astray" / ".git").rmdir()
    (tmp_path / "astray" / ".git").symlink_to(tmp_path / "astray" / ".git")
    for name in ("folder", "binary", "missing", "astray"):
        assert "branch" not in recorded(str(tmp_path / name), time.time() + 1, local=True)
    assert len(recorded(str(tmp_path / "long"), time.time() + 1, local=True)["branch"]) < 5_000
    for odd in ("", "relative/path", "/", "/nowhere/at/all", "a\0b", "/a\0b", "/x" * 5_000):
        assert repository(odd) in ("", "/") and "@today" in captured(odd, NOON)
    assert recorded("", -1e15, local=True).keys() <= {"home"} and recorded("", float("inf"), local=False) == {}
