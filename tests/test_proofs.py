"""The list of which tests prove which promise is read from what the tests say, and tells what none of them names."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def run(*words: object) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, str(ROOT / "scripts" / "proofs.py"), *map(str, words)]
    return subprocess.run(line, capture_output=True, text=True, encoding="utf-8", check=False)


def test_the_tests_that_name_a_promise_are_listed_under_it() -> None:
    told = json.loads(run("K", "--json").stdout)
    assert "test_house.py::test_the_manifest_names_the_plugin_and_the_hosts_that_it_runs_on" in told["K1"]
    shown = told["K96"]
    assert "test_house.py::test_the_readme_lists_the_settings_with_their_defaults" in shown, "K93 to K100 names those between, too"
    assert all(name.startswith("K") for name in told)


def test_what_no_test_names_is_missing(tmp_path: Path) -> None:
    file = tmp_path / "promises.md"
    absent = "T" + "999"
    file.write_text(f"- **K1** It is a plugin.\n| {absent} | Nobody holds this \n## B22 A report\n", encoding="utf-8")
    done = run("--promises", file, "--missing")
    assert done.returncode == 1 and f"| {absent} | Nobody holds this | **no test names it** |" in done.stdout
    assert "| K1 |" not in done.stdout and "| B22 |" not in done.stdout
    assert "1 of 3 by none" in done.stdout


@pytest.mark.parametrize(("words", "told"), [(("--missing",), "needs --promises"), (("--promises", "no.md"), "no such file: no.md")])
def test_what_cannot_be_answered_is_said(words: tuple[str, ...], told: str) -> None:
    done = run(*words)
    assert done.returncode == 2 and told in done.stderr


TABLE = (ROOT / "docs" / "proofs.md").read_text(encoding="utf-8")
ROWS = [line for line in TABLE.splitlines() if re.match(r"\| [KABT]\d", line)]


def test_each_row_of_the_table_names_tests_that_are_there_and_name_its_promise() -> None:
    found = json.loads(run("--json").stdout)
    told = [(row.split()[1], name) for row in ROWS for name in re.findall("`(.+?)`", row.split(" | ")[2])]
    wrong = [(promise, name) for promise, name in told if name not in found[promise]]
    assert wrong == [], "python scripts/proofs.py --write"
    bare = [row for row in ROWS if "`" not in row.split(" | ")[2] and not row.split(" | ")[1].startswith("Not kept")]
    assert bare == []


def test_every_promise_that_a_test_names_has_a_row_and_every_report_a_sentence() -> None:
    named = set(json.loads(run("--json").stdout))
    assert named - {row.split()[1] for row in ROWS} == set(), "python scripts/proofs.py --write"
    assert [row for row in ROWS if row.startswith("| B") and not row.split(" | ")[1].strip()] == []


def test_help_tells_how() -> None:
    done = run("--help")
    assert done.returncode == 0 and "--promises FILE" in done.stdout
