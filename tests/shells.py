"""Shell scripts for tests: made from a grammar, written anew from their tree, played through by the tree alone, and run by a real bash."""

import fnmatch
import os
import select
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from hypothesis import strategies as st

from kata import shell

# ── A tree as text again ─────────────────────────────────────────────────────────────────────────


class Writer:
    """A script out of the source of its words, in a layout of its own: one blank, here-documents as soon as a line may end."""

    def __init__(self, source: str) -> None:
        self.source, self.pending = source, ""

    def whole(self, script: shell.Script) -> str:
        text = self.script(script)
        return f"{text}\n{self.pending.removesuffix(chr(10))}" if self.pending else text

    def broken(self, text: str) -> str:
        """The text with the here-documents that wait, where a line may end."""
        held, self.pending = self.pending, ""
        return f"{text}\n{held}" if held else f"{text} "

    def script(self, script: shell.Script) -> str:
        text = ""
        for pipeline, operator in zip(script.pipelines, script.operators, strict=True):
            text += self.pipeline(pipeline)
            if operator == "\n":
                text += "\n" + self.pending
                self.pending = ""
            elif operator:
                text = self.broken(f"{text} {operator}")
        return text

    def pipeline(self, pipeline: shell.Pipeline) -> str:
        text = "".join(f"{word} " for word in pipeline.prefix)
        for command, pipe in zip(pipeline.commands, (*pipeline.pipes, ""), strict=True):
            text += self.simple(command) if isinstance(command, shell.Simple) else self.compound(command)
            text = self.broken(f"{text} {pipe}") if pipe else text
        return text

    def simple(self, command: shell.Simple) -> str:
        words = [f"{name}={self.word(word)}" for name, word in command.assignments]
        return " ".join([*words, *map(self.word, command.words), *map(self.redirect, command.redirects)])

    def word(self, word: shell.Word) -> str:
        return self.source[word.start : word.end]

    def redirect(self, redirect: shell.Redirect) -> str:
        if redirect.body is not None:
            self.pending += f"{redirect.body}{redirect.target.value}\n"
        return f"{redirect.descriptor}{redirect.operator} {self.word(redirect.target)}"

    def compound(self, node: shell.Compound) -> str:
        made = getattr(self, NAMES[node.kind])(node)
        return " ".join([made, *map(self.redirect, node.redirects)])

    def clauses(self, node: shell.Compound) -> str:
        text = self.broken(node.marks[0])
        for script, mark in zip(node.scripts, node.marks[1:], strict=True):
            text += self.broken(f"{self.script(script)} {mark}") if mark != node.marks[-1] else f"{self.script(script)} {mark}"
        return text

    def subshell(self, node: shell.Compound) -> str:
        return f"( {self.script(node.scripts[0])} )"

    def loop(self, node: shell.Compound) -> str:
        words = " ".join(map(self.word, node.words))
        goes = {"((": f"{words};", "in": f"{node.name} in {words};", "": f"{node.name};"}[node.marks[0] if node.marks else ""]
        return f"{self.broken(f'{node.kind} {goes} do')}{self.script(node.scripts[0])} done"

    def case(self, node: shell.Compound) -> str:
        words = [self.word(word) for word in node.words]
        text, patterns = f"case {words[0]} in ", iter(words[1:])
        for script, mark in zip(node.scripts, node.marks, strict=True):
            sign = mark.lstrip("0123456789")
            row = [next(patterns) for _ in range(int(mark.removesuffix(sign)))]
            text += f"( {' | '.join(row)} ) {self.script(script)} {sign} "
        return f"{text}esac"

    def test(self, node: shell.Compound) -> str:
        words = iter(node.words)
        return " ".join(["[[", *(self.word(next(words)) if mark == "w" else mark for mark in node.marks), "]]"])

    def expression(self, node: shell.Compound) -> str:
        return self.word(node.words[0])

    def function(self, node: shell.Compound) -> str:
        return f"function {node.name} () {self.script(node.scripts[0])}"

    def coproc(self, node: shell.Compound) -> str:
        return f"coproc {node.name} {self.script(node.scripts[0])}"


NAMES = {
    **dict.fromkeys(("{", "if", "while", "until"), "clauses"),
    **dict.fromkeys(("for", "select"), "loop"),
    "(": "subshell",
    "case": "case",
    "[[": "test",
    "((": "expression",
    "function": "function",
    "coproc": "coproc",
}


def written(script: shell.Script) -> str:
    return Writer(script.text).whole(script)


# ── What would run, by the tree alone ────────────────────────────────────────────────────────────

Argv = tuple[str, ...]


class Play:
    """What runs when every program succeeds but `no`, for scripts in which nothing is expanded."""

    def __init__(self, functions: Mapping[str, shell.Script] | None = None) -> None:
        self.functions, self.ran = dict(functions or {}), list[Argv]()

    def script(self, script: shell.Script) -> int:
        status, row = 0, list[tuple[str, shell.Pipeline]]()
        joint = ""
        for pipeline, operator in zip(script.pipelines, script.operators, strict=True):
            row.append((joint, pipeline))
            joint = operator
            if operator not in ("&&", "||"):
                status = self.apart(row) if operator == "&" else self.row(row)
                row, joint = [], ""
        return status

    def apart(self, row: list[tuple[str, shell.Pipeline]]) -> int:
        """Behind `&`: in a shell of its own."""
        other = Play(self.functions)
        other.row(row)
        self.ran += other.ran
        return 0

    def row(self, row: list[tuple[str, shell.Pipeline]]) -> int:
        status = 0
        for joint, pipeline in row:
            if joint == "" or (joint == "&&") == (status == 0):
                status = self.pipeline(pipeline)
        return status

    def pipeline(self, pipeline: shell.Pipeline) -> int:
        status = 0
        for command in pipeline.commands:
            play = self if len(pipeline.commands) == 1 else Play(self.functions)
            status = play.node(command)
            self.ran += play.ran if play is not self else []
        return int(status == 0) if "!" in pipeline.prefix else status

    def node(self, node: shell.Node) -> int:
        if isinstance(node, shell.Compound):
            return int(getattr(self, "do_" + NAMES[node.kind])(node))
        argv = tuple(word.value or "" for word in node.words)
        if not argv:
            return 0
        if argv[0] in self.functions:
            return self.script(self.functions[argv[0]])
        self.ran.append(argv)
        return int(argv[0] == "no")

    def do_clauses(self, node: shell.Compound) -> int:
        if node.kind == "{":
            return self.script(node.scripts[0])
        if node.kind == "if":
            for at, mark in enumerate(node.marks[:-1]):
                if mark == "else":
                    return self.script(node.scripts[at])
                if mark in ("if", "elif") and self.script(node.scripts[at]) == 0:
                    return self.script(node.scripts[at + 1])
            return 0
        status = 0
        while (self.script(node.scripts[0]) == 0) == (node.kind == "while"):
            status = self.script(node.scripts[1])
        return status

    def do_subshell(self, node: shell.Compound) -> int:
        other = Play(self.functions)
        status = other.script(node.scripts[0])
        self.ran += other.ran
        return status

    def do_loop(self, node: shell.Compound) -> int:
        """Over its words; one with an expression goes once, which is all that is made here."""
        status = 0
        for _ in range(1) if "((" in node.marks else node.words:
            status = self.script(node.scripts[0])
        return status

    def do_case(self, node: shell.Compound) -> int:
        subject, status, going = node.words[0].value or "", 0, False
        patterns = iter(node.words[1:])
        for script, mark in zip(node.scripts, node.marks, strict=True):
            sign = mark.lstrip("0123456789")
            row = [next(patterns).value or "" for _ in range(int(mark.removesuffix(sign)))]
            if going or any(fnmatch.fnmatchcase(subject, one) for one in row):
                status, going = self.script(script), sign == ";&"
                if sign in (";;", ""):
                    return status
        return status

    def do_test(self, node: shell.Compound) -> int:
        one, _, other = (word.value or "" for word in node.words)
        return int(not fnmatch.fnmatchcase(one, other))

    def do_expression(self, node: shell.Compound) -> int:
        return int(node.words[0].pieces[0].value == "((0))")

    def do_function(self, node: shell.Compound) -> int:
        self.functions[node.name] = node.scripts[0]
        return 0


def played(script: shell.Script) -> list[Argv]:
    play = Play()
    play.script(script)
    return play.ran


# ── What a real bash runs ────────────────────────────────────────────────────────────────────────

BUILTIN = (
    "alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo eval exec exit export false "
    "fc fg "
    "getopts hash help history jobs kill let local logout mapfile popd pushd pwd read readarray readonly return set shift shopt source "
    "suspend test times trap true type typeset ulimit umask unalias unset wait . : ["
)
"""Whatever is built into bash is looked for as a program like any other, so that a test sees it and it does nothing."""
PRELUDE = f"""command_not_found_handle() {{ printf '%s\\0' "$#" "$@" >> "$LOG"; [[ $1 != no ]]; }}
set -f
FUNCNEST=4
trap '' PIPE
readonly PATH LOG
enable -n {BUILTIN} enable
"""


def ran(text: str, patience: float = 5) -> list[Argv]:
    """What bash runs of a script in a new folder: no program is there, and what it looks for is written down instead."""
    with tempfile.TemporaryDirectory(prefix="kata-shell-") as name:
        work = Path(name) / "work"
        work.mkdir()
        log = Path(name) / "log"
        log.touch()
        around = {"PATH": "/nonexistent", "HOME": str(work), "LOG": str(log), "LC_ALL": "C.UTF-8"}
        _run(["/bin/bash", "-c", PRELUDE + text], work, around, patience)
        return list(_rows(log.read_text(encoding="utf-8", errors="surrogateescape")))


def _run(words: Sequence[str], folder: Path, around: Mapping[str, str], patience: float) -> None:
    """Run to the end of all that was started: each holds the other end of a pipe, whatever its output was sent to."""
    ours, theirs = os.pipe()
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        words, cwd=folder, env=around, stdin=quiet, stdout=quiet, stderr=quiet, pass_fds=[theirs], start_new_session=True
    ) as bash:
        os.close(theirs)
        ended, _, _ = select.select([ours], [], [], patience)
        os.close(ours)
        if not ended:
            os.killpg(bash.pid, signal.SIGKILL)


def _rows(text: str) -> Iterator[Argv]:
    """Each row is told by how many words it has."""
    parts = iter(text.split("\0")[:-1])
    for size in parts:
        yield tuple(next(parts) for _ in range(int(size)))


# ── Scripts from a grammar ───────────────────────────────────────────────────────────────────────

FIXED = ("a", "-x", "'q r'", '"d e"', "e\\ f", "a#b", "--o=1", '"a b"c', "==", "%", "a:b", '"\\""', "$'g\\th'", "it\\'s", "+", "{}", "{x")
EXPANDED = (
    *("$x", '"$x"', "${x}", "{a,b}", "x{1..2}", "*.py", "~/src", "$((1+2))", '"$((x*2))"', "`p`", "`p \\`q\\``", '"`p`"', "${x:-y}"),
    *("${x:-$(p)}", '"${x:-"a b"}"', "${#x}", "${x/a/b c}", "${!x}", "${x[0]}", "$(p; q)", '"$(p | q)"', "<(p a)", ">(q)", "a$"),
    *("$(case a in a) p;; esac)", "$(if p; then q; fi)", '"$(p "$(q "a b")")"', "${x#*(}", "$(( $(p) + 1 ))", "$(p # )\n)"),
)
REDIRECTS = (">o", "2>&1", "2>/dev/null", ">> o", "&>o", ">|o", "<<<w", ">&2", "3<>o", "2>&-")
JOINTS = (" && ", " || ", "; ", "\n", " ;\n", " & ", "&&")
COMMENTS = (" # a note\n", "\n# don't | stop; $(x)\n", "\n\n")


@st.composite
def simple(draw: st.DrawFn, words: st.SearchStrategy[str]) -> str:
    before = draw(st.sampled_from(["", "", "", "", "X=1 ", "Y='a b' ", "Z+=c ", "W=(1 2) "]))
    row = [draw(st.sampled_from(["p", "q", "r", "s-t", "no"])), *draw(st.lists(words, max_size=3))]
    return " ".join([before + row[0], *row[1:], *draw(st.lists(st.sampled_from(REDIRECTS), max_size=1))])


def compound(inner: st.SearchStrategy[str], words: st.SearchStrategy[str], name: str) -> st.SearchStrategy[str]:
    """One command around others; `name` is that of a function, which no function inside has."""
    ended = st.sampled_from(["; ", "\n", " ;\n"])
    fixed = st.sampled_from(["a", "b", "'c d'"])
    made = (
        st.builds("( {})".format, inner),
        st.builds("{{ {}{}}}".format, inner, ended),
        st.builds("if {}{}then {}{}fi".format, inner, ended, inner, ended),
        st.builds("if {}{}then {}{}elif {}{}then {}{}else {}{}fi".format, *(inner, ended) * 5),
        st.builds("while no{}do {}{}done".format, ended, inner, ended),
        st.builds("until p a{}do {}{}done".format, ended, inner, ended),
        st.builds("for i in {} {}{}do {}{}done".format, words, words, ended, inner, ended),
        st.builds("for ((n=0; n<1; n++)){}do {}{}done".format, ended, inner, ended),
        st.builds(
            "case {} in b | a) {}{} (c) {};; *) {}{}esac".format,
            *(fixed, inner, st.sampled_from([";;", ";&", ";;&"]), inner, inner, ended),
        ),
        st.builds("[[ {} == {} ]]".format, fixed, fixed),
        st.sampled_from(["((0))", "((1))", "((1 + (2)))"]),
        st.builds(f"{name}() {{{{ {{}}{{}}}}}}{{}}{name} {{}}".format, inner, ended, ended, words),
    )
    return st.builds("{}{}".format, st.one_of(*made), st.sampled_from(["", "", "", " >o", " 2>&1"]))


@st.composite
def listed(draw: st.DrawFn, commands: st.SearchStrategy[str]) -> str:
    """A list of pipelines."""
    text = ""
    for number in range(draw(st.integers(1, 3))):
        text += draw(st.sampled_from(JOINTS)) if number else ""
        text += draw(st.sampled_from(["", "", "", "", "! ", "time "]))
        text += draw(st.sampled_from([" | ", " |& ", " |\n"])).join(draw(st.lists(commands, min_size=1, max_size=2)))
    return text


def scripts(words: st.SearchStrategy[str], depth: int = 2) -> st.SearchStrategy[str]:
    """Scripts with commands inside each other; with `FIXED` words they say for themselves what will run."""
    commands: st.SearchStrategy[str] = simple(words)
    inner = listed(commands)
    for level in range(depth):
        inner = listed(st.one_of(commands, commands, compound(inner, words, f"f{level}")))
    return inner


PLAIN_SCRIPTS = scripts(st.sampled_from(FIXED))
BODIES = st.lists(st.sampled_from(["plain text", "rm -rf /", "$(p $x) `q`", "'open", "", "# no comment", "${x:-y}"]), max_size=3)


@st.composite
def document(draw: st.DrawFn, more: st.SearchStrategy[str]) -> str:
    """A command with a here-document, more on its line, and more after it."""
    mark = draw(st.sampled_from(["'EOF'", "EOF", "-EOF"]))
    after = draw(st.sampled_from(["", " > o", " # note", " | q", " && r; s-t", " X=1"]))
    body = "".join(f"{line}\n" for line in draw(BODIES))
    body = body.replace("'open", "open") if mark != "'EOF'" else body
    return f"p <<{mark}{after}\n{body}EOF\n{draw(more)}"


ANY_WORDS = st.sampled_from((*FIXED, *EXPANDED))
SCRIPTS = st.one_of(
    scripts(ANY_WORDS, depth=1),
    document(scripts(ANY_WORDS, depth=1)),
    st.builds("{}{}{}".format, scripts(ANY_WORDS, depth=1), st.sampled_from(COMMENTS), scripts(ANY_WORDS, depth=1)),
    st.builds("{{ {}; }}".format, simple(ANY_WORDS)).map(lambda text: f"coproc {text}"),
)
RAW = st.text(alphabet="ab 'x\"\\$(){}|&;<>#=*?~`\n-1!.[]EOF,", max_size=60)
BITS = (
    "a@b @if @then @fi@for i in @do @done@while @case a in @a) @;;@ esac@[[ @ ]]@((@))@$((@$(@)@(@{ @}@`@\"@'@$'@\\@\\\n@\n@;@&@&&@<<E\n@"
    "E\n@<<<@<(@>@2>@${x:-@${@=(@x=@f() @{a,@..@function @coproc @time @! @#@,@$@|@||@|&"
).split("@")
TOKENS = st.lists(st.sampled_from(BITS), max_size=24).map("".join)
ANY = st.one_of(SCRIPTS, RAW, TOKENS, st.text(max_size=40))
