"""What bash would run, read from text alone. (T14)"""

import os
import shlex
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kata import shell
from kata.model import OpaqueCommand

WORD = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n", exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=12)


@pytest.mark.parametrize(
    ("command", "programs"),
    [
        ("git checkout a", ("git checkout",)),
        ("git status && npm test", ("git status", "npm test")),
        ("df -h; free -g", ("df", "free")),
        ("git -C repo stash pop", ("git stash pop",)),
        ("git bisect good 1a2b", ("git bisect good",)),
        ("gh pr merge 12 --squash", ("gh pr merge",)),
        ("pip index versions x", ("pip index versions",)),
        ("sudo -u bob systemctl restart x", ("sudo systemctl restart",)),
        ("grep -rn 'TODO(x)' src | wc -l > out.txt 2>&1", ("grep", "wc")),
        ("echo $(git rev-parse HEAD)", ("echo", "git rev-parse")),
        ("X=1 make -j4", ("make",)),
        ("./deploy.sh preview --branch b", ("./deploy.sh",)),
        ("/usr/bin/git status", ("git status",)),
        ("cat <<'EOF' > f\nrm -rf /\nEOF\necho hi", ("cat", "echo")),
        ("ls # rm x", ("ls",)),
        ("npm run build", ("npm run",)),
    ],
)
def test_programs_and_sub_commands_are_named_in_order(command, programs):
    assert shell.programs(shell.parse(command)) == programs


@pytest.mark.parametrize(
    "command",
    [
        "for i in a; do x",
        "for i in a; x; done",
        "for 1 in a; do x; done",
        "if a; then b",
        "if a; b; fi",
        "if a; then fi",
        "case x in a) b",
        "case x of a) b;; esac",
        "while a; do b; fi",
        "{ ls }",
        "{ls;}",
        "()",
        "(a",
        "a)",
        "f() ls",
        "f() { f() x; }",
        "if() { ls; }",
        "coproc",
        "echo $((1+2)",
        "echo $((a) | (b))",
        "((a); b)",
        "echo `a",
        'echo "`echo \\"a\\"`"',
        "echo ${x",
        "echo ${x:-{}",
        "echo \"${x:-'a}'}\"",
        "echo ${ ls; }",
        "echo $[1+2]",
        'echo $"text"',
        "echo $'\\xff'",
        "echo $'open",
        "echo {a,b",
        "echo {1..$x}",
        "> {a,b}",
        "a=([0]=x)",
        "a[0]=x",
        "echo x=(1 2)",
        "rm !(a)",
        "[[ a",
        "[[ a ]]]",
        "[[ a == @(b|c) ]]",
        "[[ a =~ (b ]]",
        "exec {fd}>x",
        "cat <<<",
        "cat <<EOF\na\\\nEOF",
        "cat <<EOF $(echo\n)\nEOF",
        "a &&",
        "a & & b",
        "a ; ; b",
        "| a",
        "'open",
        '"open',
        "a;; b",
        "a\\\nb",
        "a &\\\n& b",
        "2\\\n>f",
        "time -v ls",
        "! ! a",
        "then",
        "cat <<EOF\nno end",
        "a \\",
        "a\0b",
        "a\rb",
        "",
        "# only a comment",
        "a" * 70_000,
        "echo " + "$(" * 50,
        "echo " + "$(" * 30 + "a" + ")" * 30,
    ],
)
def test_what_is_not_understood_is_opaque(command):
    with pytest.raises(OpaqueCommand):
        shell.parse(command)


def test_an_opaque_command_is_shown_with_the_place():
    with pytest.raises(OpaqueCommand) as found:
        shell.parse("ls\nexec {fd}> x")
    assert str(found.value) == "Expected a number before the redirection\n  exec {fd}> x\n           ^"


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ("grep 'a b' f", 'grep "a b" f', True),
        ("grep a\\ b f", "grep 'a b' f", True),
        ("ls *.py", "ls '*.py'", False),
        ("ls ~/x", "ls '~/x'", False),
        ("echo $x", "echo '$x'", False),
        ('echo "$x"', "echo $x", False),
        ("a; b", "a && b", False),
        ("a > f", "a >> f", False),
        ("a b", "a b ''", False),
        ("a  b", "a b", True),
    ],
)
def test_signatures_are_equal_when_bash_would_do_the_same(one, other, equal):
    assert (shell.signature(shell.parse(one)) == shell.signature(shell.parse(other))) is equal


@given(st.lists(WORD, min_size=1, max_size=6))
def test_quoted_words_arrive_as_python_quotes_them(words):
    """shlex.quote is the standard library's word on POSIX quoting."""
    command = " ".join(["printf", *map(shlex.quote, words)])
    assert shell.arguments(next(shell.parse(command).commands())) == ("printf", *words)


@given(st.text(alphabet="ab 'x\"\\$(){}|&;<>#=*?~`\n-1!.", max_size=40))
def test_any_text_parses_or_is_opaque_and_never_anything_else(text):
    try:
        script = shell.parse(text)
    except OpaqueCommand:
        return
    assert shell.signature(script) == shell.signature(shell.parse(text))


def test_a_real_bash_sees_the_same_arguments():
    """The labelled commands, each run by a real bash with a function that prints its arguments."""
    commands = [
        "p a 'b c' \"d e\" f\\ g",
        "p \"a\\$b\" 'it'\\''s' --x=\"1 2\"",
        'p a#b \'#\' "\\\\" "a\\b"',
        "p x=1 '' \"\" -- -r",
        "p stash@{1} {} a{b",
    ]
    for command in commands:
        script = "p() { printf '%s\\n' \"$@\"; }\n" + command
        real = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.splitlines()
        assert list(shell.arguments(next(shell.parse(command).commands())))[1:] == real


def test_a_long_row_of_wrappers_is_read_without_going_too_deep():
    assert shell.programs(shell.parse("sudo " * 3_000 + "ls"))[0].startswith("sudo sudo")


HERE = (
    ("cat <<'EOF' | tr a-z A-Z\nbody x\nEOF", ("cat", "tr"), ["body x\n"], "BODY X\n"),
    ("cat <<EOF && echo done\nbody\nEOF", ("cat", "echo"), ["body\n"], "body\ndone\n"),
    ("cat <<A - <<'B'\na\nA\nb $x\nB\necho z", ("cat", "echo"), ["a\n", "b $x\n"], "b $x\nz\n"),
    ("cat <<EOF |\nbody\nEOF\ntr b d", ("cat", "tr"), ["body\n"], "dody\n"),
    ("cat <<-EOF # a note\n\tbody\n\tEOF\n", ("cat",), ["\tbody\n"], "body\n"),
    ("x=1 cat <<EOF; echo b\nEOF", ("cat", "echo"), [""], "b\n"),
    ("echo $(cat <<EOF\nhi\nEOF\n) two", ("echo", "cat"), ["hi\n"], "hi two\n"),
    ("<<EOF printf 'a\nb' && echo no\nbody\nEOF", ("printf", "echo"), ["body\n"], "a\nbno\n"),
)


@pytest.mark.parametrize(("text", "programs", "bodies", "output"), HERE)
def test_a_here_document_begins_after_its_line_whatever_else_stands_there(text, programs, bodies, output, tmp_path):
    """Pipes, `&&`, a second one, comments, assignments; a real bash prints what the tree says."""
    script = shell.parse(text)
    assert shell.programs(script) == programs and script.text == text
    assert [one.body for command in script.commands() for one in command.redirects if one.body is not None] == bodies
    if shutil.which("bash"):
        ran = subprocess.run(
            ["bash", "-c", text], capture_output=True, text=True, cwd=tmp_path, timeout=20, env={"PATH": os.environ["PATH"], "LC_ALL": "C"}
        )
        assert ran.stdout == output


@pytest.mark.parametrize(
    "text", ["cat <<EOF", "cat <<EOF && echo", "cat <<EOF | tr a b", "echo $(cat <<EOF)", "cat <<A <<B\na\nA"]
)
def test_a_here_document_without_its_text_is_opaque(text):
    with pytest.raises(OpaqueCommand):
        shell.parse(text)


def test_a_nul_character_makes_a_command_opaque_wherever_it_stands() -> None:
    """Bash leaves it out of what it reads, so that a here-document ends earlier than its text shows."""
    for text in ("cat <<E\nE\0\nrm x\nE\n", "ls # \0", "ls a\0b", "echo 'a\0b'"):
        with pytest.raises(OpaqueCommand, match="control character"):
            shell.parse(text)
