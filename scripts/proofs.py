"""Lists which tests prove which promise, read from the docstrings and comments of the tests; it runs none of them.

    python scripts/proofs.py [K|A|B|T ...] [--promises FILE ...] [--missing] [--json]
    python scripts/proofs.py --write        renew the tests in docs/proofs.md; its sentences stay as they are

A promise has a letter and a number: K what the product does, A a settled ambiguity, T a figure to reach, B a public bug report. A test
names those that it proves in its docstring; a module's docstring speaks for all of its tests. `--promises` adds the sentences out of files
in which a promise stands in bold, in a table's first column or in a heading, and then those that no test names are told too; with
`--missing` nothing else is printed, and not what docs/proofs.md says is not kept. Exit code 1 when `--missing` found one.
"""

import argparse
import ast
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "docs" / "proofs.md"
SHOWN = 3
"""Tests that the table names for each promise."""
NOT_KEPT = "Not kept"
"""How the sentence of a promise begins that no test holds, because the product does otherwise."""
LETTERS = "KABT"
NAMED = re.compile(r"\b([KABT])(\d{1,3})\b(?:\s*(?:–|-|to|…)\s*\1?(\d{1,3})\b)?")
TOLD = re.compile(r"^(?:- |\| |#+ )?\**([KABT]\d{1,3})\b\**(?: \|)?\s*(.+)$")
Promise = tuple[str, int]


def promises(text: str) -> Iterator[Promise]:
    """The promises that a text names; `K93 to K100` and `A10–A12` name all from the first to the last."""
    for letter, first, last in NAMED.findall(text):
        yield from ((letter, number) for number in range(int(first), int(last or first) + 1))


def proofs(tests: Path) -> dict[Promise, list[str]]:
    """Each promise with the tests that name it, as `file::test`, or `file` where the whole module does."""
    found: dict[Promise, set[str]] = defaultdict(set)
    for path in sorted(tests.rglob("test_*.py")):
        for name, text in _sayings(path):
            for promise in promises(text):
                found[promise].add(path.relative_to(tests).as_posix() + name)
    return {promise: sorted(names) for promise, names in sorted(found.items())}


def _sayings(path: Path) -> Iterator[tuple[str, str]]:
    """What a file of tests says: its own docstring under "", and per test all the text and comments in it."""
    source = path.read_text(encoding="utf-8")
    tree, lines = ast.parse(source), source.splitlines()
    yield "", ast.get_docstring(tree) or ""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            comments = _comments(lines[_first(node) - 1 : node.end_lineno])
            yield f"::{node.name}", "\n".join([ast.get_docstring(node) or "", *comments])
        elif isinstance(node, ast.ClassDef):
            yield f"::{node.name}", ast.get_docstring(node) or ""


def _first(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(mark.lineno for mark in node.decorator_list)])


def _comments(lines: Sequence[str]) -> Iterator[str]:
    return (line.split("# ", 1)[1] for line in lines if "# " in line)


def sentences(files: Sequence[Path]) -> dict[Promise, str]:
    """The first sentence that each promise has in the files; an unreadable file ends the program with a word."""
    told: dict[Promise, str] = {}
    for path in files:
        for line in path.read_text(encoding="utf-8").splitlines():
            if match := TOLD.match(line):
                told.setdefault((match[1][0], int(match[1][1:])), match[2].strip(" |*"))
    return told


def kept(text: str) -> dict[Promise, tuple[str, tuple[str, ...]]]:
    """What the table says: each promise with its sentence and its tests."""
    rows = (re.fullmatch(r"\| ([KABT])(\d+) \| (.*?) ?\| (.*?) ?\|", line) for line in text.splitlines())
    return {(row[1], int(row[2])): (row[3], tuple(re.findall("`(.+?)`", row[4]))) for row in rows if row}


def renewed(text: str, found: Mapping[Promise, Sequence[str]]) -> str:
    """The table with today's tests, those that it has already first: what stands before the rows and the sentences stay."""
    before, old = text[: text.index("| ---")] + "| --- | --- | --- |", kept(text)
    rows = [before]
    for promise in sorted({*found, *(one for one, (said, _) in old.items() if said.startswith(NOT_KEPT))}):
        said, had = old.get(promise, ("", ()))
        names = found.get(promise, ())
        chosen = [*(name for name in had if name in names), *(name for name in names if name not in had)][:SHOWN]
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        rows.append(f"| {promise[0]}{promise[1]} | {said} | {', '.join(f'`{name}`' for name in chosen)}{more} |")
    return "\n".join(rows) + "\n"


def lines(found: Mapping[Promise, Sequence[str]], told: Mapping[Promise, str], missing: bool) -> Iterator[str]:
    """The table as Markdown: promise, sentence where there is one, tests."""
    for promise in sorted({*found, *told}):
        if missing and promise in found:
            continue
        sentence = told.get(promise, "")
        tests = ", ".join(f"`{name}`" for name in found.get(promise, ())) or "**no test names it**"
        yield f"| {promise[0]}{promise[1]} | {sentence[:160].replace('|', '/')} | {tests} |"


def main(words: Sequence[str] | None = None) -> int:
    doc = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=doc)
    parser.add_argument("letters", nargs="*", choices=[*LETTERS, []], metavar="LETTER", help="K, A, B or T (all)")
    parser.add_argument("--promises", nargs="+", type=Path, default=[], metavar="FILE", help="files that hold the sentences")
    parser.add_argument("--missing", action="store_true", help="only promises that no test names; needs --promises")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument("--write", action="store_true", help="renew docs/proofs.md")
    given = parser.parse_args(words)
    if given.write:
        TABLE.write_text(renewed(TABLE.read_text(encoding="utf-8"), proofs(ROOT / "tests")), encoding="utf-8")
        return 0
    if given.missing and not given.promises:
        parser.error("--missing needs --promises FILE: the tests alone do not tell what they leave out")
    if absent := [str(path) for path in given.promises if not path.is_file()]:
        parser.error(f"no such file: {', '.join(absent)}")
    wanted = given.letters or LETTERS
    found = {promise: names for promise, names in proofs(ROOT / "tests").items() if promise[0] in wanted}
    told = {promise: text for promise, text in sentences(given.promises).items() if promise[0] in wanted}
    otherwise = {promise for promise, (said, _) in kept(TABLE.read_text(encoding="utf-8")).items() if said.startswith(NOT_KEPT)}
    told = {promise: text for promise, text in told.items() if promise in found or not given.missing or promise not in otherwise}
    left = [promise for promise in told if promise not in found]
    if given.json:
        rows = {f"{letter}{number}": list(found.get((letter, number), ())) for letter, number in sorted({*found, *told})}
        print(json.dumps(rows, indent=2, ensure_ascii=False))
    else:
        print("| promise | what it says | tests |\n| --- | --- | --- |", *lines(found, told, given.missing), sep="\n")
        print(f"\n{len(found)} promises are named by tests" + (f", {len(left)} of {len(told)} by none." if told else "."))
    return 1 if given.missing and left else 0


if __name__ == "__main__":
    sys.exit(main())
