"""What a command runs, by its tree and by a real bash; and that reading it takes a time in proportion to its length and never more stack
than there is."""

import json
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from shells import PLAIN_SCRIPTS, SCRIPTS, Argv, played, ran

from kata import shell
from kata.model import OpaqueCommand

EXAMPLES = int(os.environ.get("KATA_EXAMPLES", "200"))
CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "effects_cases.json"
EACH_A_BASH = settings(max_examples=max(EXAMPLES // 5, 20), phases=(Phase.explicit, Phase.generate))
"""Fewer examples, and none made smaller, where each starts a bash."""
real_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")

# ── What runs ────────────────────────────────────────────────────────────────────────────────────


def claimed(argv: Argv, script: shell.Script) -> bool:
    """Whether the tree says that this may run: in so many words, or with words that it does not know."""
    for command in script.commands():
        words = shell.arguments(command)
        if words[:1] == (None,) or words == argv:
            return True
        if words[:1] == argv[:1] and (None in words or any("~" in word for word in words if word)):
            return True
    return False


@real_bash
@EACH_A_BASH
@given(PLAIN_SCRIPTS)
def test_a_script_of_fixed_words_runs_what_its_tree_says_and_nothing_else(text: str) -> None:
    """Played through by the tree alone, with every branch and every turn of a loop, it runs the same commands."""
    script = shell.parse(text)
    assert Counter(ran(text)) == Counter(played(script))


@real_bash
@EACH_A_BASH
@given(SCRIPTS)
def test_whatever_runs_stands_in_the_tree(text: str) -> None:
    """Nothing runs that an effect could not be judged by."""
    script = shell.parse(text)
    assert [argv for argv in ran(text) if not claimed(argv, script)] == []


ORDERED = [
    ("p && q || r; s", ["p", "q", "s"]),
    ("no && q || r", ["no", "r"]),
    ("! no && q", ["no", "q"]),
    ("(p; q) && { r; }", ["p", "q", "r"]),
    ("if no; then p; elif q; then r; else s; fi", ["no", "q", "r"]),
    ("for i in 1 2; do p $i; done", ["p", "p"]),
    ("for i in a; do for j in b c; do p; done; q; done", ["p", "p", "q"]),
    ("while no; do p; done; q", ["no", "q"]),
    ("until p; do q; done", ["p"]),
    ("case abc in a) p;; a*c) q;& z) r;; *) s;; esac", ["q", "r"]),
    ("case x in (x|y) p;;& *) q; esac", ["p", "q"]),
    ("f() { p; q; }; f; r", ["p", "q", "r"]),
    ("function f { p; }\nf", ["p"]),
    ("f() (p); f", ["p"]),
    ("echo $(p $(q))", ["q", "p", "echo"]),
    ("echo `p \\`q\\``", ["q", "p", "echo"]),
    ('x=$(p) y="`q`" r', ["p", "q", "r"]),
    ("echo ${x:-$(p)} ${HOME:+$(q)}", ["p", "q", "echo"]),
    ("echo $(( $(p) + 1 ))", ["p", "echo"]),
    ("(( 1 )) && p", ["p"]),
    ("[[ a < b ]] && p", ["p"]),
    ("[[ $(p) == '' && ! -e nothing ]] && q", ["p", "q"]),
    ("[[ ab =~ ^(a|b)+$ ]] && p", ["p"]),
    ("p <<EOF\n$(q)\nEOF\nr", ["q", "p", "r"]),
    ("p <<'EOF'\n$(q)\nEOF\nr", ["p", "r"]),
    ("p <<A <<B; q\n$(r)\nA\nb\nB", ["r", "p", "q"]),
    ("if p; then\nq <<E\nx\nE\nfi", ["p", "q"]),
    ("{ p <<E; }\nq\nE\nr", ["p", "r"]),
    ("p <<< $(q)", ["q", "p"]),
    ("p \\\n  a && q # r", ["p", "q"]),
    ("# p\nq", ["q"]),
    ("p a#b; q '#' r", ["p", "q"]),
    ("time p; time -p q", ["p", "q"]),
    ("p{1,2} x", ["p1"]),
    ("{p,q}", ["p"]),
    ("p $'a\\'b' ; q", ["p", "q"]),
    ("x+=1 p; x=(1 2 $(q)); r", ["p", "q", "r"]),
    ("for ((i=0; i<2; i++)); do p; done", ["p", "p"]),
    ("p 2>&1 >o <<<w &>o 3>&- && q", ["p", "q"]),
    ("> o p; < o q", ["p", "q"]),
    ('p "a$" "$(q ")" "`r`")"', ["r", "q", "p"]),
    ("echo $(case a in a) p;; esac)", ["p", "echo"]),
    ("select i in a b; do p; done", []),
    ("p;\n\n q ;", ["p", "q"]),
    ("p |\n q", None),
    ("p & q & ", None),
    ("diff <(p) <(q | r)", None),
    ("p > >(q)", None),
    ("coproc p", None),
    ("coproc X { p; q; }", None),
    ("p |& q", None),
]
"""Commands, and the programs that bash looks for in this order; None where they run side by side."""


@real_bash
@pytest.mark.parametrize(("text", "programs"), ORDERED)
def test_labelled_commands_run_what_their_tree_names(text: str, programs: list[str] | None) -> None:
    """T38."""
    real, script = ran(text), shell.parse(text)
    assert [argv for argv in real if not claimed(argv, script)] == []
    names = [argv[0] for argv in real]
    assert names == programs if programs is not None else Counter(names) == Counter(c.words[0].value for c in script.commands() if c.words)


OUTSIDE = re.compile(r"[<>]\s*[~/](?!dev/null\b)|/dev/(?!null\b)|(?:^|[\s;|&(`])[~/.][\w./-]*/")
"""A redirection out of the folder, or a program with a path."""


@real_bash
def test_what_the_labelled_cases_run_stands_in_their_trees() -> None:
    """Every program that bash looks for is one that the tree names; nothing real runs."""
    if not CASES.is_file():
        pytest.skip("no shared/cases beside this checkout")
    wrong, tried = [], 0
    for case in json.loads(CASES.read_text(encoding="utf-8"))["cases"]:
        text = case["command"]
        try:
            script = shell.parse(text)
        except OpaqueCommand:
            continue
        if OUTSIDE.search(text) or "while true" in text:
            continue
        tried += 1
        wrong += [(text, argv) for argv in ran(text) if not claimed(argv, script) and not _globbed(argv, script)]
    assert (wrong, tried > 150) == ([], True)


def _globbed(argv: Argv, script: shell.Script) -> bool:
    rows = [shell.arguments(one) for one in script.commands()]
    return any(row[:1] == argv[:1] and any("*" in word for word in row if word) for row in rows)


# ── How long it takes ────────────────────────────────────────────────────────────────────────────

LONG: dict[str, Callable[[int], str]] = {
    "parentheses": lambda n: "(" * n,
    "closed parentheses": lambda n: "(" * n + "a" + ")" * n,
    "substitutions": lambda n: "echo " + "$(" * n,
    "arithmetic": lambda n: "echo " + "$((" * n,
    "arithmetic with parentheses": lambda n: "echo $((" + "(" * n + "1" + ")" * n + "))",
    "parameters": lambda n: "echo " + "${x:-" * n,
    "parameters in a row": lambda n: "echo " + "${x:-$(a)}" * n,
    "back-quotes": lambda n: "echo " + "`" * n,
    "escaped back-quotes": lambda n: "echo `" + "\\`a" * n + "`",
    "backslashes in back-quotes": lambda n: "echo `" + "\\\\" * n + "`",
    "double quotes": lambda n: "echo " + '"' * n,
    "open double quote": lambda n: 'echo "' + "a\\b" * n,
    "quotes inside each other": lambda n: 'echo "' + '$("' * n,
    "single quotes": lambda n: "echo " + "'" * n,
    "open single quote": lambda n: "echo '" + "a" * n,
    "braces": lambda n: "echo " + "{" * n,
    "braces in a row": lambda n: "echo " + "{a,b}" * n,
    "braces that stay open": lambda n: "echo " + "{a " * n,
    "commas": lambda n: "echo {" + "a," * n,
    "groups": lambda n: "{ " * n,
    "branches": lambda n: "if a; then " * n,
    "loops": lambda n: "for i in a; do " * n,
    "cases": lambda n: "case a in b) " * n,
    "cases in a row": lambda n: "case a in " + "b) c;; " * n + "esac",
    "functions": lambda n: "f() { " * n,
    "here-documents that never come": lambda n: "cat " + "<<E " * n,
    "here-documents": lambda n: "cat " + "<<E " * n + "\n" + "E\n" * n,
    "here-documents one after another": lambda n: "cat <<E\na $(b) c\nE\n" * n,
    "here-documents inside each other": lambda n: "cat <<E\n$(cat <<E\n" * n,
    "back-quotes with here-documents": lambda n: "a `b <<E\nc\nE\n` " * n,
    "lines": lambda n: "a\n" * n,
    "pipes": lambda n: "a|" * n + "a",
    "background": lambda n: "a& " * n,
    "comments": lambda n: "#\n" * n,
    "comment": lambda n: "a #" + "x" * n,
    "words": lambda n: "a " * n,
    "blanks": lambda n: "a" + " " * n,
    "one word": lambda n: "a" * n,
    "one word of pieces": lambda n: "a" + "\\b" * n,
    "assignments": lambda n: "a=" * n,
    "assignments in a row": lambda n: "a=b " * n,
    "a list": lambda n: "a=(" + "b " * n + ")",
    "redirections": lambda n: "a " + ">b " * n,
    "numbers": lambda n: "a " + "1" * n + ">b",
    "tests": lambda n: "[[ " + "a && " * n + "a ]]",
    "patterns": lambda n: "[[ a =~ " + "(" * n + "a" + ")" * n + " ]]",
    "lines that go on": lambda n: "a " + "\\\n " * n,
    "escapes": lambda n: "a $'" + "\\n" * n + "'",
    "negations": lambda n: "! " * n,
    "dollars": lambda n: "a " + "$" * n,
}
"""Texts that grow with n, one for each thing that could be read again and again."""


def steps(text: str) -> int:
    """Lines of the readers that are executed to read a text, or to find out that it is opaque."""
    count = 0

    def traced(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        count += event == "line"
        return traced if frame.f_code.co_filename.endswith(("grammar.py", "lexer.py")) else None

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        shell.parse.__wrapped__(text)
    except OpaqueCommand:
        pass
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("name", LONG)
def test_a_text_twice_as_long_takes_twice_the_steps(name: str) -> None:
    """Linear, counted in steps and not by the clock."""
    short, long = LONG[name](150), LONG[name](300)
    assert steps(long) <= 2.2 * steps(short) + 300
    assert steps(long) <= 150 * len(long) + 500


@pytest.mark.parametrize("name", LONG)
def test_a_text_of_a_hundred_thousand_is_read_or_opaque(name: str) -> None:
    """Longer than a command may be, and as long as it reads in a moment."""
    for size in (12_000 // len(LONG[name](1)), 100_000):
        try:
            assert shell.parse(LONG[name](size)).text
        except OpaqueCommand as error:
            assert error.message


def test_a_command_is_opaque_where_no_stack_is_left() -> None:
    """It never raises anything else, however deep the caller stands."""

    def deep(left: int) -> str:
        if left:
            return deep(left - 1)
        try:
            return shell.parse.__wrapped__("echo " + "$(a " * 20 + ")" * 20).text
        except OpaqueCommand:
            return "opaque"

    found = {deep(left) for left in range(0, sys.getrecursionlimit() - 300, 20)}
    assert "opaque" in found or len(found) == 1
