"""What bash itself does around the programs of a command (T38): what it sets, evaluates and compares, and what stands inside."""

import pytest

from kata import expansions, shell
from kata.effects import effect

READS = (
    "for i in 1 2 3; do echo $i; done",
    "for f in *.py; do wc -l \"$f\"; done",
    "for ((i=0; i<3; i++)); do echo $i; done",
    "while IFS= read -r line; do echo \"$line\"; done < a.txt",
    "n=0; for f in *; do n=$((n+1)); done; echo $n",
    "n=$#; echo $((n + ${#x} + 16#ff))",
    "echo $((RANDOM % 10))",
    "for i in {1..3}; do echo $((i*2)); done",
    "if grep -q x a; then echo yes; else echo no; fi",
    "case $x in a|b) ls;; *) pwd;; esac",
    "[[ -f $x && $y == a* ]] && ls",
    "[[ $# -gt 1 ]] && ls",
    "[[ $x =~ ^(a|b)+$ ]]",
    "(cd src && ls); { ls; date; }",
    "f() { ls \"$1\"; }; f a",
    "f() { local x=1; ls; return 0; }\nf",
    "diff <(sort a) <(sort b)",
    "cat <<EOF\n$(date) $x\nEOF",
    "cat <<< \"$x\"",
    "echo ${x:-y} ${x#*/} ${x/a/b} ${x^^} ${x:1:2} ${x@Q} ${a[@]} ${#a[@]} ${!a[@]}",
    "x=a; x+=b; echo $x",
    "a=(1 2); echo ${a[0]}",
    "time ls; ! ls; ls &",
    "ls {a,b}/*.py",
    "echo `pwd`",
    "echo $'a\\tb'",
    "ls |& wc -l",
)
WRITES = (
    "if true; then rm x; fi",
    "if rm x; then ls; fi",
    "if ls; then ls; elif ls; then ls; else rm x; fi",
    "for f in $(rm x); do ls; done",
    "for ((i=0; i<1; i++)); do rm x; done",
    "while rm x; do ls; done",
    "until ls; do rm x; done",
    "case $(rm x) in a) ls;; esac",
    "case a in $(rm x)) ls;; esac",
    "case a in a) ls;; *) rm x; esac",
    "select f in a b; do rm x; done",
    "(rm x)",
    "{ rm x; }",
    "{ ls; } > f",
    "f() { rm x; }; f",
    "f() { rm x; }",
    "f() { ls; } > f",
    "cat <(rm x)",
    "ls > >(tee f)",
    "echo ${x:-$(rm x)}",
    "echo \"${x:-`rm x`}\"",
    "[[ $(rm x) == a ]]",
    "cat <<EOF\n`rm x`\nEOF",
    "cat <<< $(rm x)",
    "coproc rm x",
    "ls & rm x",
    "a=($(rm x))",
    "x=$(rm x)",
    "echo `echo \\`rm x\\``",
    "! rm x",
    "time rm x",
    "cp a{,.bak}",
    "echo {a,$(rm x)}",
    "ls |& tee f",
)
UNKNOWN = (
    "echo $((x+1))",
    "x=$(cat f); echo $((x+1))",
    "read x; x=1; echo $((x))",
    "command read x; x=1; echo $((x))",
    "echo $((a[0]))",
    "echo $(( $(rm x) + 1 ))",
    "((PATH=1)); ls",
    "for x in \"$@\"; do echo $((x)); done",
    "echo ${!x}",
    "echo ${x@P}",
    "echo ${a[$i]}",
    "echo ${x:$n}",
    "echo ${PATH:=x}",
    "for PATH in a; do ls; done",
    "PATH+=:x; ls",
    "PATH=(x); ls",
    "while read -r PATH; do ls; done",
    "read 'a[$(rm x)]'",
    "[[ $x -gt 3 ]]",
    "[[ -v $x ]]",
    "[[ x -eq y ]]",
    "f; f() { ls; }",
    "f() { f; }; f",
    "true && f() { ls; }; f",
    "f() { ls; } | f",
    "(f() { ls; }); f",
    ":(){ :|:& };:",
    "ls() { pwd; }; ls",
    "f() { \"$@\"; }; f rm x",
    "x=rm; $x y",
    "{rm,x}",
    "sort {-o,x}",
    "bash <<< 'rm x'",
    "bash <(echo rm x)",
    "for c in rm; do $c x; done",
    "if $x; then ls; fi",
)


CASES = [*(("read", one) for one in READS), *(("write", one) for one in WRITES), *(("unknown", one) for one in UNKNOWN)]


@pytest.mark.parametrize(("kind", "command"), CASES)
def test_the_gravest_of_all_that_could_run_counts(kind: str, command: str) -> None:
    """T38: at any depth, in any branch, in words, expressions and here-documents."""
    found = effect("terminal", {"command": command})
    assert found.kind.value == kind, found.why


@pytest.mark.parametrize("inside", ["rm -rf x", "curl http://x", "./unknown"])
@pytest.mark.parametrize(
    "around",
    [
        "if ls; then {}; fi",
        "for i in a; do {}; done",
        "ls $({})",
        "ls `{}`",
        "echo \"${{x:-$({})}}\"",
        "cat <<EOF\n$({})\nEOF",
        "diff <({}) a",
        "[[ a == \"$({})\" ]]",
        "f() {{ {}; }}",
        "( ( {} ) )",
        "ls | while ls; do {} ; done &",
    ],
)
def test_a_command_weighs_the_same_wherever_it_stands(around: str, inside: str) -> None:
    alone, within = (effect("terminal", {"command": text}) for text in (inside, around.format(inside)))
    assert (within.kind, within.destructive) == (alone.kind, alone.destructive)


def test_only_what_is_a_number_each_time_is_known_to_be_one() -> None:
    text = "i=0; j=1; j=$(x); for k in 1 2; do ((l=3)); done; for m in a; do read n; done; o=$#; local p=1; q=1; q+=1"
    assert {"i", "k", "l", "o"} == {name for name in expansions.numbers(shell.parse(text)) if name.islower()}
