"""The demo: a fresh interpreter with an empty environment tells the whole story, and changes nothing outside the folder it was given.
(K14, K15, T80)"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import kata

CHECKOUT = Path(str(kata.__file__)).parent
SECONDS = 10.0
"""The demo's bound; it takes half a second."""
POISON = "raise SystemExit('this package must not be imported by the demo')\n"
ASKED = "plugins tools hermes_constants agent hermes_cli hermes_state gateway".split()
"""Packages of Hermes that might be installed where the demo runs."""


@dataclass(frozen=True)
class Played:
    """What one run of the demo said, and where."""

    code: int
    out: str
    err: str
    seconds: float
    root: Path


def copied(root: Path) -> Path:
    """The checkout as it is installed: modules, manifest and the demo, and nothing else."""
    target = root / "checkout"
    (target / "scripts").mkdir(parents=True)
    for file in [*CHECKOUT.glob("*.py"), CHECKOUT / "plugin.yaml"]:
        shutil.copy2(file, target)
    shutil.copy2(CHECKOUT / "scripts" / "demo.py", target / "scripts")
    return target


def play(root: Path, *words: str, environment: dict[str, str] | None = None) -> Played:
    """Run the demo with HOME, TMPDIR and the current folder below `root`."""
    script = copied(root) / "scripts" / "demo.py"
    places = {name: root / name.lower() for name in ("HOME", "TMPDIR", "HERMES_HOME", "CWD")}
    for place in places.values():
        place.mkdir()
    own = {name: str(places[name]) for name in ("HOME", "TMPDIR", "HERMES_HOME")}
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, str(script), *words],
        cwd=places["CWD"],
        env=own | (environment or {}),
        capture_output=True,
        text=True,
        errors="replace",
        stdin=subprocess.DEVNULL,
        timeout=60,
    )
    return Played(done.returncode, done.stdout, done.stderr, time.monotonic() - began, root)


def tree(folder: Path) -> dict[str, bytes | None]:
    """Every path below a folder, with the bytes of the files."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in sorted(folder.rglob("*"))}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    """One run in a folder that is kept."""
    root = tmp_path_factory.mktemp("demo")
    yield play(root, "--keep", str(root / "kept"))


def test_the_demo_ends_well_and_soon(played: Played) -> None:
    assert (played.code, played.err) == (0, "")
    assert played.seconds < SECONDS


@pytest.mark.parametrize(
    "line",
    [
        r">>> Kata: a routine of 5 steps, seen in 3 conversations, could be one tool\. Look: hermes kata review 1",
        r"  1  proposal  seen in 3 conversations, confidence 0\.\d\d",
        r"Side effects step 5: write.*",
        r"Validation   12 of 12 checks passed; 3 of 3 held-out examples reproduced",
        r"Approved: kata_note_todo, revision [0-9a-f]{12}\.",
        r"       \| kata_note_todo\(pattern\): .*",
        r"       \| 1 terminal ok, 2 search_files ok, 3 read_file ok, 4 terminal ok, 5 write_file ok",
        r"       notes/fjord\.md: # fjord Open in src/reader\.py",
        r"       \| error: Step 5 of 5 \(write_file\) failed: heron\.md is a folder",
        r"       \| next: write_file path='notes/heron\.md' content='# heron\\n\\nOpen in src/writer\.py\\n'",
        r"Agent  write_file path='notes/heron-todo\.md' .*",
        r"       \| error: Step 2 of 5 \(search_files\) failed: its answer is unlike .*'matches' is not empty, got an empty list",
        r"       \| 1 terminal ok, 2 search_files error, 3 read_file skipped, 4 terminal skipped, 5 write_file skipped",
        r".* kata_note_todo  error  .*",
        r".* kata_note_todo  ok  .*",
        r"Model requests for the chore: 6 by hand, 2 with the kata; saved each time: 4\.",
    ],
)
def test_the_demo_tells_the_story(played: Played, line: str) -> None:
    """Issues 2 and 5: proposal, review, approval, a run, a stop before any effect, a failure with hand-back, and the requests saved."""
    assert re.search(f"^{line}$", unwrapped(played.out), re.MULTILINE)


def unwrapped(text: str) -> str:
    """The text without the line breaks that 80 columns need."""
    return re.sub(r"\n(?:       \|    |    )(?=\S)", " ", text)


def test_every_line_of_the_story_fits_in_80_columns(played: Played) -> None:
    assert [line for line in played.out.split("\n") if len(line) > 80] == []


def test_the_story_comes_in_order(played: Played) -> None:
    marks = ["/kata mine", ">>> Kata", "/kata review 1", "Approved:", "5 write_file ok", "5 write_file skipped", "next: ", "6 by hand"]
    places = [unwrapped(played.out).index(mark) for mark in marks]
    assert places == sorted(places)


def masked(text: str) -> str:
    """The text without what is new in every run: ids, times and the folder."""
    text = re.sub(r"was seen in(?s:\s.+?)(?=\nSteps )", "was seen in …", text)  # a long folder begins a line of its own
    return re.sub(r"\b[0-9a-f]{12}\b|\d{4}-\d\d-\d\d \d\d:\d\d", "…", text)


def test_the_readme_shows_what_the_demo_prints(played: Played) -> None:
    """The transcript of the README stands in that of the demo, part by part and in order."""
    readme = (CHECKOUT / "README.md").read_text(encoding="utf-8")
    shown = readme.split("What the demo prints, in parts:\n```\n")[1].split("```")[0]
    rest = masked(played.out)
    for part in masked(shown).split("[…]\n"):
        _, found, rest = rest.partition(part.rstrip("\n"))
        assert found, f"the demo does not print, after what stands before it in the README:\n{part}"


def test_the_replay_wrote_what_the_hand_would_have_written(played: Played) -> None:
    notes = played.root / "kept" / "project" / "notes"
    places = {"amber": "parser", "birch": "lexer", "cobalt": "printer", "fjord": "reader", "heron-todo": "writer"}
    assert {file.name: file.read_text() for file in notes.iterdir() if file.is_file()} == {
        f"{name}.md": f"# {name.removesuffix('-todo')}\n\nOpen in src/{file}.py\n" for name, file in places.items()
    }


def test_the_record_is_kept_for_the_owner_alone(played: Played) -> None:
    """0600 in 0700."""
    (file,) = played.root.rglob("data.db")
    assert file.is_relative_to(played.root / "kept")
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_nothing_outside_the_folder_changes(played: Played, tmp_path: Path) -> None:
    """Home, temporary folder, current folder and the checkout are as before."""
    copied(tmp_path)
    outside = {path: content for path, content in tree(played.root).items() if not path.startswith("kept")}
    assert outside == tree(tmp_path) | {"home": None, "tmpdir": None, "hermes_home": None, "cwd": None}


def test_without_a_folder_nothing_is_left_at_all(tmp_path: Path) -> None:
    done = play(tmp_path)
    assert (done.code, done.err) == (0, "")
    assert [path for path in tree(tmp_path) if not path.startswith("checkout")] == ["cwd", "hermes_home", "home", "tmpdir"]


def test_packages_of_the_same_names_are_not_touched(tmp_path: Path) -> None:
    """Stand-ins even where Hermes, or anything called `tools`, could be imported."""
    poison = tmp_path / "poison"
    for name in ASKED:
        (poison / name).mkdir(parents=True)
        (poison / name / "__init__.py").write_text(POISON)
    done = play(tmp_path, environment={"PYTHONPATH": str(poison)})
    assert (done.code, done.err) == (0, "")
    assert "6 by hand, 2 with the kata" in done.out


def test_the_demo_needs_no_network(tmp_path: Path) -> None:
    """A sitecustomize that refuses every socket, in a fresh interpreter."""
    guard = tmp_path / "guard"
    guard.mkdir()
    refuse = "import socket\n\ndef refuse(*args, **options):\n    raise SystemExit('no network')\n\nsocket.socket.__init__ = refuse\n"
    (guard / "sitecustomize.py").write_text(refuse)
    done = play(tmp_path, environment={"PYTHONPATH": str(guard)})
    assert (done.code, done.err) == (0, "")


def test_the_demo_imports_nothing_that_must_be_installed(tmp_path: Path) -> None:
    """Nothing installed; -I and -S leave the standard library alone."""
    script = copied(tmp_path) / "scripts" / "demo.py"
    done = subprocess.run([sys.executable, "-I", "-S", str(script)], cwd=tmp_path, env={}, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_the_demo_is_told_wherever_it_is_printed(tmp_path: Path, encoding: str) -> None:
    """A pipe on Windows writes in cp1252, LANG=C in ASCII: signs that they lack are question marks."""
    done = play(tmp_path, environment={"PYTHONIOENCODING": encoding})
    assert (done.code, done.err) == (0, "") and "saved each time: 4." in done.out


def test_a_folder_that_exists_is_not_overwritten(tmp_path: Path) -> None:
    """`--keep` asks for a new folder; a second run in the same one must not tell a false story."""
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "mine.txt").write_text("mine")
    done = play(tmp_path, "--keep", str(kept))
    assert (kept / "mine.txt").read_text() == "mine"
    assert done.code == 0 or list(kept.iterdir()) == [kept / "mine.txt"]
