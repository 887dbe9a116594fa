"""The rules of the house, read from the source: who may import whom, who may touch the world, what is declared."""

import ast
import json
import re
import sqlite3
import sys
import types
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from kata.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
RUNGS = (
    ("model",),
    ("syntax", "settings", "formats", "looks", "table", "living", "due"),
    ("lexer", "names", "keys", "views", "readers", "machine", "makers", "revisions", "installers", "services"),
    ("grammar", "beside"),
    ("shell", "programs", "spots", "cells", "sources", "rows", "extraction", "turns", "places", "speech"),
    ("lists",),
    ("expansions", "redact", "needs", "overlap"),
    ("options",),
    ("closer",),
    ("effects", "search", "quoting", "origins", "columns", "surroundings", "ledger", "secrecy", "schemas"),
    ("templating", "checks", "ranking"),
    ("learning", "wording", "odds"),
    ("miner", "validator", "executor", "resuming", "ward", "lifecycle", "verdicts", "editing", "share", "history", "scene", "layout"),
    ("statements",),
    ("tables",),
    ("file",),
    ("notes", "findings", "runs", "accounts"),
    ("decisions", "recordings"),
    ("katas", "erasing"),
    ("mending",),
    ("store",),
    ("discretion", "consent", "familiar", "teaching", "books", "door", "offered", "moments", "instead"),
    ("ends",),
    ("weighing",),
    ("reading", "logbook"),
    ("keeping", "deciding"),
    ("noticing", "joining", "forcing"),
    ("rounds", "running"),
    ("service",),
    ("recall",),
    ("pages", "switches", "asking"),
    ("order", "savings", "prospects", "manual", "status", "calling"),
    ("looking", "terminal"),
    ("changing",),
    ("commands",),
    ("driver", "recorder", "incognito"),
    ("host",),
    ("runtime",),
    ("errand",),
    ("__init__",),
)
LADDER = {name: height for height, rung in enumerate(RUNGS) for name in rung}
PURE = tuple(
    "model turns teaching syntax lexer grammar shell programs expansions options closer "
    "table readers machine makers revisions installers services "
    "looks names keys beside spots cells sources lists views redact rows extraction places effects search quoting origins columns "
    "surroundings templating checks learning odds miner validator executor resuming ward lifecycle ledger verdicts editing "
    "share needs overlap wording discretion consent familiar formats switches secrecy schemas speech door offered instead settings".split()
    + "ranking moments due layout".split()
)
HARMLESS = frozenset(
    "__future__ abc ast base64 binascii bisect collections contextlib copy dataclasses difflib enum fnmatch functools graphlib hashlib "
    "heapq html ipaddress itertools json math operator posixpath re shlex statistics string textwrap types typing unicodedata urllib.parse "
    "zlib".split()
)
"""What a pure module may import: nothing here reads a clock, a file, the host or chance."""
WORLDLY = frozenset({"open", "print", "input", "eval", "exec", "compile", "globals", "__import__", "breakpoint"})
DOORS = {"host", "history"}
HOST = frozenset(
    "agent.runtime_cwd agent.subagent_lifecycle hermes_cli.config hermes_cli.plugins hermes_constants hermes_state "
    "plugins.plugin_storage tools.interrupt tools.registry".split()
)
"""All that the doors may import of Hermes: its public list, and the two private names of A25."""
HOST_PACKAGES = {name.split(".")[0] for name in HOST if "." in name}
SQL = re.compile(
    r"\s*((SELECT|PRAGMA)\s|INSERT\s+(INTO|OR)\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s"
    r"|(CREATE|ALTER|DROP)\s+\w+\s|(BEGIN|COMMIT|ROLLBACK)(\s|;|$))"
)
PAPERS = {"LICENSE", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "after-install.md"}
SPEAKS_SQL = frozenset("statements tables file notes findings runs accounts decisions recordings katas erasing mending".split())
GIVES = frozenset({"recordings", "decisions", "mending"})
"""What of these is named above the store: a noun that goes in, one that comes out, and how long a decision can be taken back."""
KNOWN = PAPERS | {"plugin.yaml", "pyproject.toml", "dashboard", "docs", "scripts", "tests"}
SHIPPED = sorted(ROOT.glob("*.py"))
MODULES = {path.stem: ast.parse(path.read_text(encoding="utf-8")) for path in SHIPPED}

each_module = pytest.mark.parametrize("name", sorted(MODULES))


def imports(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every import wherever it stands, as (leading dots, dotted name); `from . import a` is (1, "a")."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.module not in HOST_PACKAGES:
            yield node.level, node.module
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.level, f"{node.module or ''}.{alias.name}".lstrip(".")) for alias in node.names)


def foreign(tree: ast.Module) -> set[str]:
    """The absolute imports that are not of the standard library."""
    return {name for dots, name in imports(tree) if not dots and name.split(".")[0] not in sys.stdlib_module_names}


def texts(tree: ast.Module) -> Iterator[str]:
    """Every string literal, the fixed parts of f-strings among them."""
    return (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))


# ── The ladder ───────────────────────────────────────────────────────────────────────────────────


@each_module
def test_a_module_stands_on_the_ladder_and_imports_only_what_stands_lower(name: str) -> None:
    assert name in LADDER, f"{name}.py has no place on the ladder"
    for dots, target in imports(MODULES[name]):
        if dots:
            assert dots == 1 and target in LADDER, f"{name} imports {'.' * dots}{target}, which is no module of ours"
            assert LADDER[target] < LADDER[name], f"{name} imports {target}, which does not stand lower"
        assert dots or target.split(".")[0] != "kata", f"{name} imports {target} by its absolute name"


def test_a_lazy_import_that_points_up_is_seen() -> None:
    lines = "from . import service, store", "from ..x import y", "import os.path", "from tools import registry"
    lazy = ast.parse("def f():\n    " + "\n    ".join(lines))
    assert list(imports(lazy)) == [(1, "service"), (1, "store"), (2, "x"), (0, "os.path"), (0, "tools.registry")]


@each_module
def test_only_the_standard_library_is_imported_and_the_host_only_in_the_doors(name: str) -> None:
    """K7, K105: no third-party packages, and of Hermes only what is public but for the two names of A25."""
    found = foreign(MODULES[name])
    assert found <= (HOST if name in DOORS else set()), f"{name} imports {sorted(found)}"


@pytest.mark.parametrize("name", [name for name in PURE if name in MODULES])
def test_a_pure_module_reads_no_clock_no_file_no_chance_and_no_host(name: str) -> None:
    taken = {target for dots, target in imports(MODULES[name]) if not dots}
    impure = {target for target in taken if target not in HARMLESS and target.split(".")[0] not in HARMLESS}
    assert not impure, f"{name} is pure and imports {sorted(impure)}"
    used = {node.id for node in ast.walk(MODULES[name]) if isinstance(node, ast.Name)} & WORLDLY
    assert not used, f"{name} is pure and uses {sorted(used)}"


# ── Who may do what ──────────────────────────────────────────────────────────────────────────────


@each_module
def test_sql_is_written_in_the_layers_of_the_store_alone(name: str) -> None:
    if name not in SPEAKS_SQL:
        assert [text for text in texts(MODULES[name]) if SQL.match(text)] == []
        assert name == "history" or (0, "sqlite3") not in imports(MODULES[name]), "history names sqlite3's error, no more"


def test_every_module_that_may_write_sql_does() -> None:
    assert [name for name in SPEAKS_SQL if not any(map(SQL.match, texts(MODULES[name])))] == []


@each_module
def test_a_connection_is_opened_in_one_module_and_no_module_above_the_store_holds_one(name: str) -> None:
    """All else asks the store, which stands above what speaks SQL and speaks none itself."""
    called = {ast.unparse(node) for node in ast.walk(MODULES[name]) if isinstance(node, ast.Attribute)}
    assert name == "file" or "sqlite3.connect" not in called
    above = LADDER[name] >= LADDER["store"] and name != "store"
    below = {target for dots, target in imports(MODULES[name]) if dots} & SPEAKS_SQL
    assert not (above and below - GIVES), f"{name} goes past the store to {sorted(below)}"


@pytest.mark.parametrize("text", ["SELECT 1", "\n  INSERT INTO t VALUES (1)", "BEGIN", "PRAGMA user_version", "DELETE FROM t"])
def test_the_rule_on_sql_knows_a_statement(text: str) -> None:
    assert SQL.match(text)


@pytest.mark.parametrize("text", ["DELETE", "Selected", "-----BEGIN KEY", "BEGINNING", "CREATE", "UPDATE now", "please DELETE FROM t"])
def test_the_rule_on_sql_lets_a_plain_word_pass(text: str) -> None:
    assert not SQL.match(text)


def test_a_broad_except_stands_around_hooks_and_around_a_tool_call_alone() -> None:
    """House style 5: around the hooks and around a tool call."""
    broad = [
        name
        for name, tree in MODULES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler) and (node.type is None or {"Exception", "BaseException"} & names_in(node.type))
    ]
    assert sorted(broad) == ["driver", "recorder"]


def names_in(node: ast.expr) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


# ── How it reads ─────────────────────────────────────────────────────────────────────────────────


@each_module
def test_a_module_opens_with_a_promise_that_says_what_it_never_does(name: str) -> None:
    first = " ".join((ast.get_docstring(MODULES[name]) or "").split("\n\n")[0].split())
    assert first.endswith("."), f"{name}.py opens with {first!r}"
    assert re.search(r"\b(never|no|not|nothing|only|alone)\b", first), f"{name}.py does not say what it never does: {first!r}"


@each_module
def test_a_module_stands_in_the_way_of_no_other(name: str) -> None:
    """Whoever runs `python -m pytest` in the checkout has its folder before all others on the path."""
    assert name == "__init__" or name not in sys.stdlib_module_names | {"attr", "hypothesis", "iniconfig", "packaging", "pluggy", "pytest"}


@each_module
def test_a_function_fits_on_a_screen(name: str) -> None:
    long = [
        f"{node.name}: {node.end_lineno - node.lineno + 1} lines"
        for node in ast.walk(MODULES[name])
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno and node.end_lineno - node.lineno >= 50
    ]
    assert long == []


LONGEST = 600
LONG: dict[str, int] = {}
"""Modules that are still too long, and what they may have at most until they are split."""
FILES = {str(path.relative_to(ROOT).with_suffix("")): path for part in (".", "dashboard", "scripts") for path in ROOT.glob(f"{part}/*.py")}


def code(text: str) -> int:
    """Lines that are no blank line, no comment and no docstring."""
    told = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
    docs = {line for node in told if isinstance(node.value.value, str) for line in range(node.lineno, (node.end_lineno or 0) + 1)}
    lines = enumerate(map(str.strip, text.splitlines()), 1)
    return sum(1 for number, line in lines if line and not line.startswith("#") and number not in docs)


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_module_has_one_job_and_so_no_more_than_600_lines_of_code(name: str) -> None:
    """Neither a script nor a module of the dashboard has more; one that became short enough goes from the list of those that are long."""
    found = code(FILES[name].read_text(encoding="utf-8"))
    if name in LONG:
        assert found > LONGEST, f"{name} has {found} lines of code now: take it from LONG"
    assert found <= LONG.get(name, LONGEST), f"{name} has {found} lines of code"


def test_only_what_is_there_is_called_long() -> None:
    assert set(LONG) <= set(FILES)


def test_blank_lines_comments_and_docstrings_are_no_code() -> None:
    lines = '"""What', 'for."""', "", "# why", "A = 1  # how", '"""Of what."""', "", "def f():", '    """Does."""', '    return """', 'x"""'
    assert code("\n".join(lines)) == 4


CITED = re.compile(r"(?i)\b(?:design sections?|issue|section) " + r"[1-9]")
"""A number in a document that a clone does not hold."""


@pytest.mark.parametrize("path", sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py") if ".venv" not in path.parts))
def test_a_comment_gives_the_reason_itself_and_cites_nothing_that_a_clone_does_not_hold(path: str) -> None:
    lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if CITED.search(line)] == []


def test_the_top_level_holds_only_what_is_known() -> None:
    """The modules on the ladder and no others; what begins with a dot belongs to the tools."""
    there = {path.name for path in ROOT.iterdir() if not path.name.startswith((".", "__pycache__"))}
    assert there <= KNOWN | {f"{name}.py" for name in LADDER}


# ── The README ───────────────────────────────────────────────────────────────────────────────────

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_picture_of_the_readme_shows_every_module_once_and_no_import_points_up_in_it() -> None:
    """What stands in a line lower than another module is imported by it, or by nobody above."""
    picture = README.split("## How it is built\n```\n")[1].split("```")[0].split("\n")
    rows = {name: number for number, line in enumerate(picture) for name in re.findall(r"(?<![/\w])(\w+)\.py\b", line)}
    shown = [name for line in picture for name in re.findall(r"(?<![/\w])(\w+)\.py\b", line)]
    assert sorted(shown) == sorted(LADDER)
    wrong = [(upper, lower) for upper in rows for lower in rows if rows[upper] < rows[lower] and LADDER[upper] < LADDER[lower]]
    assert wrong == []


def test_the_readme_lists_the_settings_with_their_defaults() -> None:
    """K93 to K100"""
    table = README.split("| setting (`plugins.entries.kata.settings`) | default | |\n| --- | --- | --- |\n")[1].split("\n\n")[0]
    rows = dict(re.findall(r"^\| `(\w+)` \| (\S+) \|", table, re.MULTILINE))
    told = {one.name: one.default for one in fields(Settings)}
    words = {name: "none" if value == () else str(value).lower() if isinstance(value, bool) else str(value) for name, value in told.items()}
    assert rows == words


# ── The manifest ─────────────────────────────────────────────────────────────────────────────────

MANIFEST = (ROOT / "plugin.yaml").read_text(encoding="utf-8")


def declared(key: str) -> list[str]:
    """The items of a plain list in plugin.yaml; a library for YAML would be the first thing we install."""
    block = re.search(rf"^{key}:\n((?:  - \S+\n)+)", MANIFEST, re.MULTILINE)
    assert block, f"plugin.yaml has no list {key}"
    return re.findall(r"- (\S+)", block[1])


def test_the_manifest_names_the_plugin_and_the_hosts_that_it_runs_on() -> None:
    """K1, K6"""
    lines = MANIFEST.splitlines()
    assert {"name: kata", "kind: standalone", 'requires_hermes: ">=0.22,<1.0"', "license: MIT"} <= set(lines)


def test_the_manifest_shows_every_setting_with_the_default_that_the_code_has() -> None:
    """K93 to K100"""
    section = MANIFEST.split("config_schema:\n")[1]
    pairs = re.findall(r"^  (\w+):\n    type: \w+\n    default: (\S+)\n", section, re.MULTILINE)
    shown = {key: default if default.isalpha() and default not in ("true", "false") else json.loads(default) for key, default in pairs}
    assert shown == {one.name: list(one.default) if isinstance(one.default, tuple) else one.default for one in fields(Settings)}
    assert section.count("    title: ") == section.count("    description: ") == len(shown)


class Ctx:
    """Stands where Hermes hands its context in, and writes down what is registered. Like the host's validator it
    answers None to every `register_*`."""

    def __init__(self) -> None:
        self.hooks: list[str] = []
        self.tools: list[str] = []
        self.others: list[str] = []

    def register_hook(self, name: str, _callback: Callable[..., Any]) -> None:
        self.hooks.append(name)

    def register_tool(self, name: str, **_more: Any) -> None:
        self.tools.append(name)

    def get_config(self, _key: str, default: Any = None) -> Any:
        return default

    def __getattr__(self, name: str) -> Callable[..., None]:
        if not name.startswith(("register_", "on_", "subscribe")):
            raise AttributeError(name)
        return lambda *words, **_more: self.others.append(f"{name} {words[:1]}")


@pytest.fixture
def ctx(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ctx:
    """The context after `register`; the host's modules are stood in for, so that no real home is opened."""
    if "runtime" not in MODULES:
        pytest.skip("runtime.py does not exist yet")
    storage: Any = types.ModuleType("plugins.plugin_storage")
    storage.plugin_data_dir = lambda _name: tmp_path
    storage.plugin_db = lambda _name: sqlite3.connect(tmp_path / "data.db", isolation_level=None, check_same_thread=False)
    registry: Any = types.ModuleType("tools.registry")
    registry.registry = types.SimpleNamespace(get_schema=lambda _name: None)
    registry.discover_builtin_tools = list
    constants: Any = types.ModuleType("hermes_constants")
    constants.get_hermes_home = lambda: tmp_path
    for module in (types.ModuleType("plugins"), storage, types.ModuleType("tools"), registry, constants):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    import kata

    given = Ctx()
    kata.register(given)
    return given


def test_register_asks_for_exactly_the_hooks_and_tools_that_the_manifest_declares(ctx: Ctx) -> None:
    """K100, K101; what an update adds asks the user's consent again."""
    assert sorted(ctx.hooks) == sorted(declared("provides_hooks"))
    assert sorted(ctx.tools) == sorted(declared("provides_tools"))
    assert any(line.startswith("register_command") for line in ctx.others)
    assert any(line.startswith("register_cli_command") for line in ctx.others)
