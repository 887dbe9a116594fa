#!/usr/bin/env python3
"""Puts made-up values into made-up command templates and asks a real bash what arrives; it starts no program but the shell itself.

    python scripts/fuzz.py [--pairs N] [--seed N]

The law: the tree of what was rendered is that of the template, and every value arrives as one argument, byte for byte, where it stood.
A pair may be refused; why is counted, and more than three refusals in ten break the law too. Prints JSON; exit code 1 when the law is
broken. Many pairs run in one shell: every program of the templates is a function there that prints its arguments, the folder is a fresh
one, and `PATH` leads nowhere.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
MOST_REFUSED = 0.3
BATCH = 2_000
"""Pairs in one shell."""
PROGRAMS = (
    "git log,git show,git switch,git branch,git push origin,grep -n,grep -rn -e,ls -l,cat,wc -l,head -3,tail -n 5,sort -u,mkdir -p,cp -r,"
    "mv,touch,docker logs,docker inspect,docker build -t,kubectl get pods -n,kubectl describe pod,npm run,npm test --,pytest -k,pytest,"
    "curl -s,curl -H,tar -czf,du -sh,diff -u,stat,file,basename,cut -d: -f1,gh pr view,gh issue list --label,systemctl status,"
    "journalctl -u,rg,echo,printf %s,mytool,./deploy.sh,python3 tool.py,node app.js,cargo test,go vet,make_report,sudo systemctl restart,"
    "nohup mytool"
).split(",")
FRAMES = (
    *("?", "?", "?", "'?'", '"?"', "--name=?", "--name '?'", '--label "x ?"', "src/?", "src/?.py", "feature/?", "a?b", "v?", "'a ? b'"),
    *('"a ? b"', "x=?", "key:?", "https://example.org/?", "https://example.org/a?q=?", """'{"name": "?"}'""", '"$HOME/?"', "?/notes.md"),
)
"""A word with its hole; the last question mark is the hole."""
TAILS = (
    *("", "", "", " | sort -u", " | grep -v '?'", ' && echo "done ?"', "; ls -l ?", " > out.txt", " 2>&1"),
    *(' || echo "no ?"', " < in.txt"),
)
WORDS = (
    *("main", "feature/login-2", "src/app.py", "amber", "v1.2.0", "TODO", "42", "a b", "it's", "web-1", "Ann Lee", "x=1", "notes.md"),
    *("[ab]", "release 2.0 (final)"),
)
TRICKS = (
    *("$(touch pwned)", "`touch pwned`", '"; touch pwned; "', "'; touch pwned; '", "; touch pwned", "&& touch pwned", "| tee pwned"),
    *("> pwned", "< pwned", "${IFS}", "$HOME", "$1", "$$", "*", "?", "[a-z]", "{a,b}", "~", "~root", "#x", "!x", "!!", "\\", "\\\\"),
    *("\\'", '\\"', "''", '""', "'", '"', "a'b\"c", "%s", "%n", "KATAHOLE0Z", "{{v}}", "é", "漢字", "🙂", "\u202ex", "\u200bx", "="),
    *("a=b", "&", "|", ";", "(", ")", "<(id)", ">(id)", "$((1+1))", "<<EOF", "--", "-x", "--output=x", "a\nb", "a\tb", "\x1b[31m", "\0"),
    *("..", "../x", "/etc/x", ":", "^", ","),
)
STUB = r"""
stub() {
    if [ -p /dev/stdin ]; then while IFS= read -r _; do :; done; fi
    builtin printf '%s\0' "$@" >&3
    builtin printf '\1\0' >&3
}
"""
"""Where a program reads a pipe it first waits for its end, so that what both print does not mix."""


@dataclass(frozen=True)
class Pair:
    """A template and the values for its holes."""

    command: Any
    values: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """What came of the pairs."""

    pairs: int
    refused: dict[str, int]
    changed: tuple[str, ...]
    """Commands whose tree is not the template's."""
    lost: tuple[str, ...]
    """Commands of which bash made other arguments."""
    loose: tuple[str, ...]
    """Files that a command left in the folder."""

    @property
    def share(self) -> float:
        return sum(self.refused.values()) / self.pairs

    @property
    def holds(self) -> bool:
        return not (self.changed or self.lost or self.loose) and self.share <= MOST_REFUSED


def loaded() -> ModuleType:
    """The package, whatever its folder is called."""
    if "kata" not in sys.modules:
        spec = importlib.util.spec_from_file_location("kata", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
        assert spec is not None
        assert spec.loader is not None
        sys.modules["kata"] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules["kata"]


# ── Pairs ────────────────────────────────────────────────────────────────────────────────────────


def pair(chance: random.Random) -> Pair:
    """A template of one program or two, with one to three holes, and a value for each."""
    from kata.model import Command, Hole, Input

    frames = chance.choices(FRAMES, k=chance.choice((1, 1, 1, 2)))
    text = " ".join([chance.choice(PROGRAMS), *frames]) + chance.choice(TAILS)
    parts: list[Any] = []
    for piece, where in _holes(text):
        parts += [piece] if piece else []
        parts += [Hole(Input(f"v{len(parts)}"), where)] if where else []
    command = Command(tuple(parts))
    return Pair(command, tuple(value(chance) for part in command.parts if isinstance(part, Hole)))


def _holes(text: str) -> Iterator[tuple[str, str]]:
    """The texts between the holes, each with the quoting of the hole behind it ("" at the end); `a?q=` is no hole."""
    at = 0
    for match in re.finditer(r"\?(?!q=)", text):
        before = text[: match.start()]
        single, double = before.replace("'\"'", "").count("'") % 2, re.sub(r"'[^']*'?", "", before).count('"') % 2
        yield text[at : match.start()], "single" if single else "double" if double else "bare"
        at = match.end()
    yield text[at:], ""


def value(chance: random.Random) -> str:
    """A plain word in one of two cases, else a trick, or several things of any kind in a row."""
    kind = chance.random()
    if kind < 0.5:
        return chance.choice(WORDS)
    if kind < 0.7:
        return chance.choice(TRICKS)
    pieces = [chance.choice((*WORDS, *TRICKS)) if chance.random() < 0.7 else _noise(chance) for _ in range(chance.randint(1, 4))]
    return "".join(pieces)


def _noise(chance: random.Random) -> str:
    return "".join(chr(chance.choice((chance.randint(32, 126), chance.randint(160, 0x2FFF)))) for _ in range(chance.randint(1, 6)))


# ── The law ──────────────────────────────────────────────────────────────────────────────────────


def judge(pairs: int, seed: int, place: Callable[[Any, Sequence[str]], str] | None = None) -> Report:
    """Render all pairs with the product, or with another renderer, and run what was rendered."""
    loaded()
    from kata.quoting import placed

    chance = random.Random(seed)
    refused, changed, lost, loose = Counter[str](), list[str](), list[str](), list[str]()
    for low in range(0, pairs, BATCH):
        ready = []
        for one in (pair(chance) for _ in range(min(BATCH, pairs - low))):
            text, why = rendered(one, place or placed)
            refused.update([why] if why else [])
            ready += [(one, text)] if text else []
        changed += [text for one, text in ready if not same_tree(one, text)]
        found, left = run([text for _, text in ready])
        wanted, _ = run([plain(one)[0] for one, _ in ready])
        calls = zip_longest(ready, found, wanted, fillvalue=())
        lost += [text for (one, text), got, asked in calls if got != filled_calls(asked, plain(one)[1])]
        loose += left
    return Report(pairs, dict(refused.most_common()), tuple(changed), tuple(lost), tuple(loose))


VARYING = re.compile(r" for (?:argument \d+ of .*?|the target of \S+)(?=,|$)|, got (?:'(?:[^'\\]|\\.)*'|\"[^\"]*\")(?:, '.*')?")
"""What a refusal says of the value and the place."""


def rendered(one: Pair, place: Callable[[Any, Sequence[str]], str]) -> tuple[str, str]:
    """The command, or why it was refused, without the words that differ from value to value."""
    from kata.model import KataError

    try:
        return place(one.command, one.values), ""
    except KataError as error:
        return "", VARYING.sub("", error.message)


def plain(one: Pair) -> tuple[str, dict[str, str]]:
    """The template with a plain word of its own in each hole, and which value that stands for."""
    from kata.model import Hole

    words, parts = {f"KATAPLAIN{index}X": value for index, value in enumerate(one.values)}, []
    waiting = iter(words)
    for part in one.command.parts:
        parts.append(next(waiting) if isinstance(part, Hole) else part)
    return "".join(parts), words


def filled(tree: object, words: dict[str, str]) -> object:
    """A tree with the values in the place of the plain words."""
    if isinstance(tree, tuple):
        return tuple(filled(part, words) for part in tree)
    if isinstance(tree, str) and words:
        return re.sub("|".join(words), lambda found: words[found.group()], tree)
    return tree


def same_tree(one: Pair, text: str) -> bool:
    from kata import shell
    from kata.model import OpaqueCommand

    template, words = plain(one)
    try:
        made = shell.signature(shell.parse(text))
    except OpaqueCommand:
        return False
    return made == filled(shell.signature(shell.parse(template)), words)


def filled_calls(calls: Sequence[Sequence[str]], words: dict[str, str]) -> list[list[str]]:
    """What the programs are to print: what bash makes of the template with plain words, the values put in."""
    return [[str(filled(word, words)) for word in call] for call in calls]


def run(texts: Sequence[str]) -> tuple[list[list[list[str]]], list[str]]:
    """What the programs of each command were called with, as a real bash makes of it, and which files are there that should not be."""
    with tempfile.TemporaryDirectory(prefix="kata-fuzz-") as name:
        folder = Path(name) / "work"
        folder.mkdir()
        (folder / "in.txt").touch()
        names = {programs.split()[0] for programs in PROGRAMS} | {"sort", "ls"}
        functions = "".join(f"{one}() {{ stub {one} \"$@\"; }}\n" for one in sorted(names))
        ends = "builtin printf '\\2\\0' >&3\n"
        script = Path(name) / "script"
        script.write_bytes((STUB + functions + "".join(f"{text}\n{ends}" for text in texts)).encode())
        bash, seen = str(shutil.which("bash")), Path(name) / "seen"
        with seen.open("wb") as out:
            whole = [bash, "--norc", "--noprofile", "-c", f"exec 3>&{out.fileno()}; . ../script"]
            around = {"PATH": "/nowhere", "HOME": name, "LC_ALL": "C.UTF-8"}
            quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            subprocess.run(whole, cwd=folder, env=around, pass_fds=[out.fileno()], timeout=300, **quiet)
        left = [str(path.relative_to(folder)) for path in folder.rglob("*") if path.name not in ("in.txt", "out.txt")]
        return _calls(seen.read_bytes().decode("utf-8", "surrogateescape"), name), left


def _calls(seen: str, home: str) -> list[list[list[str]]]:
    """One list of calls for each command, the name of the temporary folder taken out."""
    return [[call.split("\0")[:-1] for call in block.split("\1\0")[:-1]] for block in seen.replace(home, "HOME").split("\2\0")[:-1]]


def main() -> int:
    top = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("--pairs", type=int, default=2_000)
    top.add_argument("--seed", type=int, default=1)
    given = top.parse_args()
    report = judge(given.pairs, given.seed)
    told = {"pairs": report.pairs, "refused": report.refused, "share_refused": round(report.share, 4)}
    print(json.dumps({**told, "changed": report.changed[:20], "lost": report.lost[:20], "loose": report.loose[:20]}, indent=1))
    return 0 if report.holds else 1


if __name__ == "__main__":
    sys.exit(main())
