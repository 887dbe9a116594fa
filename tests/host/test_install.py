"""Kata comes into a Hermes home and leaves it again: judged by the host's own scanner of what is installed, as a linked folder, as a git
checkout that goes on to the next commit, by the words of the catalog, and away without a trace."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from harness import CHECKOUT, DATABASE, NO_HOST, Host, executable, git
from model_server import Say, Script, Step, ToolCalls, serving

IGNORED = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis")
WORDS = ("linked", "first", "second")
ENTRY = """
import json, sys
from pathlib import Path
from hermes_cli.plugin_catalog import load_catalog
from hermes_cli.plugin_catalog_presence import _disclosure
entry, = load_catalog(Path(sys.argv[1]))
print(json.dumps([entry.to_dict(), _disclosure(entry.description)]))
"""


def steps(word: str) -> list[Step]:
    return [ToolCalls([("terminal", {"command": f"echo {word}"})]), Say(f"said {word}")]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """A home without plugins, in which kata is enabled all the same."""
    hermes, script = executable(), Script()
    if hermes is None:
        pytest.skip(NO_HOST)
    for word in WORDS:
        script.turn(f"WORD {word}", steps(word))
    with serving(script) as server:
        host = Host(tmp_path_factory.mktemp("install"), server, hermes)
        host.enabled.append("kata")
        host.configure()
        yield host


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All of this checkout as a clone would hold it, tests and scripts too, in a repository of its own."""
    folder = tmp_path_factory.mktemp("source") / "kata"
    shutil.copytree(CHECKOUT, folder, ignore=IGNORED)
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "one"]):
        git(folder, *words)
    return folder


def asked(home: Host, program: str, *words: str) -> list[object]:
    """What a program of the host's Python prints, out of JSON."""
    line = [str(home.hermes.parent / "python"), "-c", program, *words]
    done = subprocess.run(line, env=home.environment(), cwd=home.work, capture_output=True, text=True, check=True)
    found: list[object] = json.loads(done.stdout)
    return found


def recorded(home: Host) -> list[str]:
    return [row["arguments"]["command"] for row in home.rows("SELECT arguments FROM events ORDER BY number")]


def test_the_hosts_own_install_lets_the_whole_tree_in_without_a_question(home: Host, tree: Path) -> None:
    """B13, K9: by `file://` git, scanned as a source that nobody reviewed, without --force. Where there is no network the host cannot
    fetch the Python that it keeps for plugins, which comes last."""
    home.enabled.clear()
    home.configure()
    done = home.run("plugins", "install", f"file://{tree}", "--enable")
    told = " ".join((done.out + done.err).split())
    grave = [line for line in done.out.splitlines() if line.split()[:1] in (["HIGH"], ["CRITICAL"])]
    assert "BLOCKED" not in told, grave
    if done.code:
        assert "was not published" in told and "download failed" in told, str(done)
        assert not (home.plugins / "kata").exists(), "what was not installed leaves nothing behind"
    else:
        assert (home.plugins / "kata" / "plugin.yaml").is_file() and "Kata is installed" in told
        shutil.rmtree(home.plugins / "kata")
    home.enabled.append("kata")
    home.configure()


def test_the_text_for_the_catalog_is_an_entry_with_a_disclosure_for_the_host(home: Host) -> None:
    """K8, as far as it can be had before a release is reviewed: `repo` and `sha` are placeholders."""
    entry, disclosure = asked(home, ENTRY, str(CHECKOUT / "docs"))
    assert isinstance(entry, dict) and isinstance(disclosure, str)
    assert (entry["name"], entry["category"], entry["requires_hermes"]) == ("kata", "automation", ">=0.22,<1.0")
    manifest = (CHECKOUT / "plugin.yaml").read_text(encoding="utf-8")
    declared = [line.split("- ")[1] for line in manifest.splitlines() if line.startswith("  - ")]
    assert [*entry["capabilities"]["provides_tools"], *entry["capabilities"]["provides_hooks"]] == declared
    assert disclosure.startswith("keeps masked copies") and "private names" in disclosure


def test_a_linked_folder_is_the_plugin_and_is_not_touched_when_the_link_goes(home: Host, tree: Path) -> None:
    (home.plugins / "kata").symlink_to(tree, target_is_directory=True)
    assert home.chat("WORD linked").code == 0 and recorded(home) == ["echo linked"]
    (home.plugins / "kata").unlink()
    assert (tree / "plugin.yaml").is_file() and "'kata' is not a `hermes` command" in home.run("kata", "status").err
    assert recorded(home) == ["echo linked"]


def test_a_checkout_goes_on_with_what_was_recorded_before_it_was_brought_up_to_date(home: Host, tree: Path) -> None:
    """What is kept is not in the plugin's folder."""
    checkout = home.plugins / "kata"
    git(home.work, "clone", "-q", f"file://{tree}", str(checkout))
    assert home.chat("WORD first").code == 0
    manifest = tree / "plugin.yaml"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace("version: 0.1.0", "version: 0.1.1"), encoding="utf-8")
    git(tree, "commit", "-q", "-am", "two")
    git(checkout, "pull", "-q", "--ff-only")
    assert home.chat("WORD second").code == 0
    assert recorded(home) == ["echo linked", "echo first", "echo second"]
    assert "0.1.1" in home.run("plugins", "list", "--plain", "--no-bundled").out


def test_cleanup_and_remove_leave_nothing_behind(home: Host) -> None:
    listed = home.kata("cleanup")
    assert "Nothing was erased yet" in listed.out and home.database.is_file()
    assert "Nothing was erased yet" in home.kata("cleanup", "--purge").out and home.database.is_file(), "nobody is there to be asked"
    code, shown = home.at_terminal("n\n", "kata", "cleanup", "--purge")
    assert "This would be erased" in shown and "Do it? [y/N]" in shown and home.database.is_file(), shown
    code, shown = home.at_terminal("y\n", "kata", "cleanup", "--purge")
    assert code == 0 and "Erased: everything that Kata kept" in shown, shown
    assert not (home.home / DATABASE).parent.exists()
    removed = home.run("plugins", "remove", "kata")
    assert removed.code == 0 and not (home.plugins / "kata").exists(), str(removed)
    left = [path for path in home.home.rglob("*kata*") if "cache" not in path.parts and "logs" not in path.parts]
    assert left == [], left
