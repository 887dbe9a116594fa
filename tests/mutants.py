"""The masker with one of its patterns broken, as a module of its own: what a test of the tests needs; the real masker is never touched."""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
MACHINERY = ("looks", "names", "keys", "beside", "cells", "sources", "spots", "lists", "views", "redact")
"""What reads the tables, each module after those that it imports."""
TABLES = ("FORMATS", "LIKELY", "SHAPES", "SHORT_FLAGS", "CALLS", "STATEMENTS")


@dataclass(frozen=True)
class Mutant:
    """What is broken, and how to make the module in which it is."""

    name: str
    make: Callable[[], Any]


def mutants() -> Iterator[Mutant]:
    """One for every prefix, shape and flag of the tables, and one for every expression of the machinery, which then matches nothing."""
    tables = _parsed("formats.py")
    for table in TABLES:
        rows = _rows(tables, table)
        for row in range(len(rows)):
            words = ast.literal_eval(rows[row].elts[1]).split() if table in ("FORMATS", "LIKELY") else [""]  # type: ignore[attr-defined]
            yield from (Mutant(f"{table} {row} {word}".strip(), lambda at=(table, row, word): _without(*at)) for word in words)  # type: ignore[misc]
    for module in MACHINERY:
        for node in _parsed(f"{module}.py").body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "re.compile":
                name = ast.unparse(node.targets[0])
                yield Mutant(f"{module} {name}", lambda at=(module, name): _blind(*at))  # type: ignore[misc]


def _parsed(name: str) -> ast.Module:
    return ast.parse((ROOT / name).read_text(encoding="utf-8"))


def _rows(tree: ast.Module, table: str) -> list[ast.expr]:
    found = next(node for node in tree.body if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == table)
    assert isinstance(found.value, ast.Tuple)
    return found.value.elts


def _without(table: str, row: int, word: str) -> Any:
    """The masker without one row of a table, or without one prefix of it."""
    tree = _parsed("formats.py")
    rows = _rows(tree, table)
    if word and len(ast.literal_eval(rows[row].elts[1]).split()) > 1:  # type: ignore[attr-defined]
        left = " ".join(one for one in ast.literal_eval(rows[row].elts[1]).split() if one != word)  # type: ignore[attr-defined]
        rows[row].elts[1] = ast.copy_location(ast.Constant(left), rows[row])  # type: ignore[attr-defined]
    else:
        del rows[row]
    _run("formats_mutant", tree)
    return _masker()


def _blind(module: str, name: str) -> Any:
    """The masker in which one expression of a module matches nothing."""
    _run("formats_mutant", _parsed("formats.py"))

    def blinded(tree: ast.Module) -> None:
        node = next(one for one in tree.body if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == name)
        node.value = ast.copy_location(ast.parse("re.compile('(?!)()()')", mode="eval").body, node.value)

    return _masker({module: blinded})


def _masker(changes: Mapping[str, Callable[[ast.Module], None]] = MappingProxyType({})) -> Any:
    """All of the machinery, made anew; each imports the mutants of those below it."""
    made = None
    for module in MACHINERY:
        tree = _parsed(f"{module}.py")
        if module in changes:
            changes[module](tree)
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module in ("formats", *MACHINERY):
                node.module = f"{node.module}_mutant"
        made = _run(f"{module}_mutant", tree)
    return made


def _run(name: str, tree: ast.Module) -> Any:
    module: Any = types.ModuleType(f"kata.{name}")
    module.__package__ = "kata"
    sys.modules[module.__name__] = module
    exec(compile(ast.fix_missing_locations(tree), name, "exec"), module.__dict__)
    return module
