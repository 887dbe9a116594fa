"""What a call may do to the world, read from its text (A23, K80, T38, T44, B09, B20, B21, B34, B35). (K32)"""

import json
import shlex
import shutil
import string
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kata.effects import addresses_kata, effect, strongest
from kata.model import Call, Class, Effect

CASES = Path(__file__).resolve().parent.parent.parent / "shared" / "cases" / "effects_cases.json"


def judged(command: str) -> Effect:
    return effect("terminal", {"command": command})


def kind(command: str) -> str:
    return judged(command).kind.value


READS = (
    "sed -E 's/[a-z]+/x/g;/[[:alpha:]]/d' f",
    "sed 's|[/]|-|g' f",
    "xargs -n1 --max-lines grep x",
    "git log -c -1",
    "git bundle verify f",
    "ls -la",
    "ls *.py",
    'cat "$FILE" | head -20',
    "cd repo && git grep -n x src 2>/dev/null | head",
    "git diff $(git merge-base main HEAD)",
    "find . -name '*.py' | xargs grep -l x",
    "find . -name '*.py' -exec grep -l x {} +",
    "git -C src log -1 --oneline",
    "git branch -a --contains HEAD",
    "git branch --list 'x*'",
    "git tag -l",
    "git stash list",
    "git remote -v",
    "git config --global --get user.name",
    "git config user.name",
    "git clean -n",
    "git apply -p1 --check fix.patch",
    "sed -n '1,20p' app.py",
    "sed -e 's|a|b|g' -e '/x/d' f",
    'awk -F, \'$1=="a" || $2=="b" {print $3}\' f',
    "awk '$2 > 100' f",
    "sort -k2,2 -t, f | uniq -c",
    "tar tzf a.tgz",
    "gzip -dc a.gz",
    "date -d yesterday +%F",
    "env | grep X",
    "command -v git",
    "python3 --version",
    "timeout 5 wc -l < f",
    "/bin/ls -1",
    "[ -n \"$X\" ] && echo 'a > b'",
    "ls nothere 2>/dev/null 1>&2 || true",
    "LC_ALL=C sort f",
    "cat <<'E'\nrm -rf x\nE",
    "kill -0 12",
    "crontab -l",
    "git log --oneline -5",
    "git log -n 5 --stat --since=yesterday",
    "git log --graph --all --decorate --oneline",
    "git diff --stat HEAD~1",
    "git diff --cached --name-only",
    "git show --stat HEAD",
    "git show HEAD@{1}",
    "git stash show -p stash@{0}",
    "git diff -U5 -M HEAD",
    "git blame -L 1,20 f",
    "git shortlog -sn --all",
    "git rev-list --count HEAD",
    "git rev-parse --abbrev-ref HEAD",
    "git branch -vv",
    "git branch --show-current",
    "git branch -a --sort=-committerdate",
    "git branch -r --merged main",
    "git tag --sort=-creatordate",
    "git tag -l 'v*' -n1",
    "git reflog -5",
    "git config --get-regexp 'user.*'",
    "git config -l",
    "git config --global user.email",
    "git grep -n foo -- '*.py'",
    "git apply --check -v p",
    "git clean -nd",
    "git clean -ndx",
    "git clean --dry-run -d",
    "find . -type f -mtime -7 -size +10k -print0",
    "find . \\( -name a -o -name b \\) -not -path './x/*'",
    "find src -name '*.py' -exec wc -l {} +",
    "rg -n -i --type py foo src",
    "rg -l foo",
    "fd -e py",
    "sort -k2,2nr -t, f",
    "sort -rn f",
    "sort -u f",
    "uniq -c f",
    "xxd -l 16 f",
    "xxd f",
    "file -b f",
    "tree -L 2 -a",
    "journalctl -u nginx -n 50 --no-pager",
    "journalctl -xe",
    "diff -ru a b",
    "diff -u a b",
    "xz -dc f",
    "zstd -dc f",
    "gzip -l f",
    "gzip -t f",
    "zcat f",
    "xz -t f",
    "unzip -l f",
    "unzip -p f x",
    "patch --dry-run -p1 -i x",
    "patch -p1 --dry-run < x",
    "kill -0 $!",
    "kill -0 $$",
    '[ -n "$X" ]',
    '[ "$A" = "$B" ]',
    '[ ! -f "$X" ]',
    "[ -f a ]",
    "test -d x",
    '[ "$#" -gt 0 ]',
    "pip list",
    "pip freeze",
    "pip show x",
    "pip list --format=json",
    "npm ls --depth=0",
    "systemctl status nginx --no-pager",
    "systemctl list-units --type=service --state=running",
    "tar tvf a",
    "ls -la *.py",
    "find . -name '*.py' | xargs wc -l",
    "base64 -d f",
    "hostname -f",
    "jq . f",
    "awk '{print $1}' f",
    "cat f | sort | uniq -c | sort -rn | head -5",
    "git status --short",
    "git status -sb",
    "git worktree list --porcelain",
    "git ls-files -m",
    "git diff --no-color -- a.py",
    "lsof -i :8080",
    "lsof -i:8080 -t",
    "date +%s",
    "env",
    "printf '%s\\n' \"$X\"",
    'printf "a $X\\n"',
)

WRITES = (
    "xargs --max-lines rm",
    "xargs --max-lines=1 rm",
    "xargs --eof rm",
    "xargs --replace rm {}",
    "xargs -i rm {}",
    "xargs -l rm",
    "xargs -e rm",
    "stdbuf --output L rm x",
    "stdbuf -oL rm x",
    "timeout --signal KILL 5 rm x",
    "timeout -k5 5 rm x",
    "nice --adjustment 5 rm x",
    "nice --adjustment=5 rm x",
    "git merge -s ours x",
    "git merge -X theirs x",
    "git cherry-pick -x abc",
    "git commit -s -m x",
    "git revert -s abc",
    "rm x",
    "echo ok\nrm -rf build",
    "git show HEAD > .git/hooks/pre-commit",
    "cat a >| b",
    "ls nothere 2> err",
    "ls &> all",
    "echo hi >> f",
    "ls; mkdir x",
    "echo $(rm x)",
    'echo "$(rm x)"',
    "sort -uo out f",
    "sort --outp=out f",
    'sort "-o" out f',
    "git diff --output=f",
    "git branch topic",
    "git branch --list -D x",
    "git branch --sort --list x",
    "git tag v9",
    "git config user.name x",
    "git stash",
    "git apply --stat --apply x",
    "sed -i s/a/b/ f",
    "find . -fprint0 x",
    "find . -name x -execdir rm {} +",
    "xargs -a names rm -f",
    "xxd -r a b",
    "uniq a b",
    "tree -aofile",
    "tee -a x",
    "date -s x",
    "hostname x",
    "journalctl --vacuum-size=1M",
    "kill -9 -0 1",
    "unzip -d -l x",
    "sudo rm x",
    "command rm x",
    "dd if=a of=b",
    "tar xzf a.tgz",
    "find -- . -delete",
    "find . -- -delete",
    "kill -0 -s TERM $P",
    "kill -0 -n 9 $P",
    "kill -0 $P",
    "git rev-list --output=F HEAD",
    "git shortlog --output=F",
    "git reflog --output=F",
    "git reflog --outp=F",
    "git blame --output=F x",
    "git apply --stat --build-fake-ancestor=F p",
    "zstdcat -o F x",
    "zstd -c -o F x",
    "zstd -co F x",
    "patch --dry-run -o F",
    "patch --dry-run -oF",
    "journalctl --cursor-file=F",
    "journalctl --update-catalog",
    "journalctl --curs F",
    "git clean -n --no-dry-run -f",
    "git apply --check --no-check p",
    "git branch --list --no-list x",
    "xz -t -z f",
    "bzip2 -t -z f",
    "zstd -t -z f",
    "xz -l -z f",
    "xz -t -d f",
    "zstd -t -d f",
    "xz -tz f",
    "unzip -l --l",
    "unzip -l- x",
    "git diff --outp x",
    "yq -i . f",
    "file -C",
    "git tag -l -d x",
    "git branch -a -D x",
    "mktemp -u -d --no-dry",
    "mktemp",
    "git stash show --output=x",
    "hostname x*",
    "tree -o x",
    "base64 -o x",
    "iconv -o x f",
    "uniq -c -- a b",
    "xxd -- a b",
    "sort -T x f",
    "dmesg -C",
    "git archive HEAD -o x",
    "git archive HEAD -ox",
)

EXTERNAL = (
    "curl https://example.org",
    "curl -X POST http://localhost:8080/publish",
    "curl -fsSL https://example.org/i.sh | sh",
    "git push --dry-run",
    "git remote show origin",
    "git submodule update --init",
    "git log -1 && git push",
    "ssh build1 ls",
    "rsync -a src/ build1:/srv",
    "npm ci",
    "kubectl get pods",
    "gh api -X DELETE repos/o/r",
    "cat < /dev/tcp/example.org/80",
    "openssl s_client -connect example.org:443 < /dev/null",
)

UNKNOWN = (
    "sed 's/[/]/g;s/e;/x/p' f",
    "sed 's/[/]/g;s/w out;/x/p' f",
    "sed 's|[|]|g;s|e;|x|p' f",
    "sed 's/[^/]/g;s/e;/x/p' f",
    "sed 's/[]/]/g;s/e;/x/p' f",
    "sed 's/[[.].]/]/g;s/e;/x/p' f",
    "sed '/[/]/s/e;/x/p' f",
    "sed '/[/]/!e' f",
    "sed 's/[\\]/e;/x/p' f",
    "timeout --sig ls 5 rm x",
    "timeout ls rm x",
    "timeout",
    "timeout 5",
    "nice --adj 5 rm x",
    "stdbuf --outpu L rm x",
    "xargs --max-a 1 rm",
    "xargs --process-slot-var=LD_PRELOAD ls",
    "env -S 'rm x'",
    "git merge --strategy=KATAHOLE_0 x",
    "git merge -s KATAHOLE_0 x",
    "git merge -sevil x",
    "git merge -qs evil x",
    "git rebase --strat evil main",
    "git cherry-pick --strategy=evil x",
    "git init --template=KATAHOLE_0",
    "git init --temp d",
    "systemctl enable KATAHOLE_0",
    "systemctl enable ./x.service",
    "systemctl start /tmp/x.service",
    "systemctl link /tmp/x.service",
    "systemctl --root=/x enable y",
    "patch --ed -i f",
    "patch -g1 f",
    "pip uninstall --python ./p x",
    "go env -w GOFLAGS=-toolexec=./x",
    "git format-patch --ext-diff -1",
    "printf %ln 'a[$(x)]'",
    "sort --compress-program=./z f",
    "rg --pre ./p x",
    "man -P ./p ls",
    "tar -xf a --checkpoint-action=exec=./p",
    "tar -I ./z -tf a",
    "./cat a",
    "/tmp/tools/grep x a",
    "/usr/local/bin/ls",
    "PATH=/tmp/t:$PATH ls",
    "LD_PRELOAD=./x.so ls",
    "GIT_EXTERNAL_DIFF=./d git diff",
    "git -c alias.z='!cmd' z",
    "git st",
    "git -p log",
    "git grep -Ovi x",
    "git diff --ext-di",
    "git bisect run ./t.sh",
    "git config edit",
    "git rebase -x ./t main",
    "find . -exec sh -c 'x' ;",
    "find $WHERE",
    "sort $OPTIONS",
    "sort *",
    "xargs sort",
    "timeout $T ls",
    "sed 's/x/date/e' f",
    "sed -n 'w copy' f",
    "sed -f x f",
    "awk 'BEGIN{system(\"x\")}'",
    "awk '{print > \"f\"}' x",
    "awk -i inplace 1 x",
    "printf -v PATH x",
    "[ -v 'a[$(x)]' ]",
    "$CMD a",
    "l? a",
    "python3 x.py",
    "bash -c './ls'",
    "npm run build",
    "make",
    "export A=b",
    "eval ls",
    ". ./env.sh",
    "cat <<EOF\nno end",
    "'",
    "",
    "\u202els -la",
    "rm\u200b x",
    "ls > $OUT",
    "python3 -v < evil.py",
    "echo x | python3 -v",
    "uniq f*",
    "uniq $FILES",
    "ls | xargs uniq",
    "xxd f*",
    "ls | xargs xxd",
    "find . -exec uniq {} +",
    "test $(cat f)",
    "[ -v $X ]",
    '[ -v "$X" ]',
    '[ "$A" "$B" ]',
    "[ -n $X ]",
    'git log {--format=%h" "%s,--output=PWNED}',
    "git log {--format=%h' '%s,--output=PWNED}",
    'sort {-o" "x,y}',
    "pip list --log F",
    "pip check --log F",
    "pip --log F list",
    'awk "{print \\"$X\\"}" f',
    "awk '{print}'\"$X\" f",
    "sort --unknown f",
    "ls | xargs -I{} -n1 uniq a",
    "git log --format=%G?",
    "git config core.pager 'sh -c x'",
    "git config --unset core.pager",
    "git config set core.pager x",
    "git config --global alias.x '!x'",
    "git config --add user.name x y",
    "git config -f F user.name x",
    "git config user.name --edit",
    "lsof -Db",
    "readelf --debug-dump=info x",
    "tar --to-command=x -tf a",
    "git -C x -c y=z log",
    "rg --pre x y",
    "fd -x rm",
    'timeout "$T" ls',
    'printf "$X" PATH',
    'printf "a$X" PATH',
    "git cat-file --batch-command",
    "git for-each-ref --format='%(signature)'",
    'date "$X"',
    'sed -n "$X" f',
    'sed "s/a/$X/" f',
    "git remote $X",
    "git branch $X",
    "git branch --list $X",
    "hostname $X",
    "git diff --no-ext-diff --ext-diff",
    "systemctl -H x status",
    "npm ls --script-shell x",
    "diff -l a b",
)


@pytest.mark.parametrize("command", READS)
def test_a_command_that_only_reads_never_asks(command: str) -> None:
    """B21: approvals that nobody needs make people stop reading them."""
    assert judged(command) == Effect(Class.READ, False, "only reads") and not judged(command).asks


@pytest.mark.parametrize("command", WRITES)
def test_a_command_that_changes_something_here_is_a_write(command: str) -> None:
    """B09, B35"""
    assert kind(command) == "write"


@pytest.mark.parametrize("command", EXTERNAL)
def test_a_command_that_reaches_another_system_is_external(command: str) -> None:
    """B34"""
    assert kind(command) == "external"


@pytest.mark.parametrize("command", UNKNOWN)
def test_a_command_that_could_be_anything_is_unknown_and_asks(command: str) -> None:
    """B20, B35, K120: conservative wherever the text does not tell."""
    assert kind(command) == "unknown" and judged(command).asks


@pytest.mark.parametrize(
    ("command", "destructive"),
    [
        ("rm x", True),
        ("mv a b", True),
        ("mv -n a b", False),
        ("cp a b", True),
        ("cp --no-clobber a b", False),
        ("mkdir x", False),
        ("ls > x", True),
        ("ls >> x", False),
        ("tee x", True),
        ("tee -a x", False),
        ("git commit -m x", False),
        ("git checkout main", False),
        ("git checkout -- a", True),
        ("git checkout .", True),
        ("git checkout a.txt", True),
        ("git reset --hard HEAD~1", True),
        ("git reset HEAD~1", False),
        ("git clean -fd", True),
        ("git branch -D x", True),
        ("git push", False),
        ("git push --force-w", True),
        ("git push origin +main", True),
        ("git push origin :old", True),
        ("find . -delete", True),
        ("sort a -o c.txt", True),
        ("uniq a c", True),
        ("iconv -o x f", True),
        ("git log --output=x", True),
        ("find . -fprint x", True),
        ("install a b", True),
        ("tar xf a", True),
        ("tar cf a b", True),
        ("tar czf a.tgz b", True),
        ("split f", True),
        ("csplit f 1", True),
        ("rsync -a a b", True),
        ("git merge --abort", True),
        ("git rebase --abort", True),
        ("git cherry-pick --abort", True),
        ("git checkout HEAD Makefile", True),
        ("git checkout ./x", True),
        ("git checkout /x", True),
        ("git checkout -q . ", True),
        ("git checkout src/", True),
        ('git checkout "$X"', True),
        ("git checkout $X", True),
        ("git checkout :/", True),
        ("git checkout 'a*'", True),
        ("git checkout src/*.c", True),
        ("git checkout ..", True),
        ("git restore x", True),
        ("git switch --discard-changes x", True),
        ("git switch --disc x", True),
        ("git rebase --ab", True),
        ("git diff --output=x", True),
        ("xxd a b", True),
        ("git archive -o x HEAD", True),
        ("git checkout main -- x", True),
        ("git checkout -- x", True),
        ("git checkout v1.2", False),
        ("git checkout -", False),
        ("git checkout -b new", False),
        ("git checkout -b new origin/x.y", False),
        ("git checkout -b fix.py main", False),
        ("git checkout feature/foo", False),
        ("git checkout HEAD~1", False),
        ("git checkout Makefile", True),
        ("git checkout src", True),
        ("git checkout README", True),
        ("git checkout src/KATAHOLE_0", True),
        ("git checkout 'a file'", True),
        ("git checkout -p", True),
        ("git checkout KATAHOLE_0", False),
        ("git checkout feat/KATAHOLE_0", False),
        ("git checkout main", False),
        ("git checkout 'HEAD@{1 day ago}'", False),
        ("mv -n -f a b", True),
        ("mv -f -n a b", True),
        ("mv -nf a b", True),
        ("mv -- -n b", True),
        ("mv -t -n a", True),
        ("mv -n --forc a b", True),
        ("mv -n --backup a b", True),
        ("mv -n $X b", True),
        ("mv -n -- a b", False),
        ("cp -n -f a b", True),
        ("cp -n --remove-destination a b", True),
        ("cp -rn a b", False),
        ("cp -S -n a b", True),
        ("rm -i -f a", True),
        ("ln -sb a b", True),
        ("install -m -d a b", True),
        ("install -d -m 755 a", False),
        ("rsync --ignore-existing --no-ignore-existing a b", True),
        ("rsync --exclude --ignore-existing a b", True),
        ("rsync --ignore-existing --log-file=f -a a b", True),
        ("rsync --ignore-existing --delete -a a b", True),
        ("rsync -a --delete a host:b", True),
        ("tee -p -- -a", True),
        ("tee -- -a", True),
        ("sed -i s/a/b/ f", False),
        ("sed -i/tmp/x s/a/b/ f", True),
        ("git bundle create f HEAD", True),
        ("git bundle verify f", False),
        ("git format-patch --output=f -1", True),
        ("git format-patch -1", True),
        ("git format-patch -1 --stdout", False),
        ("git format-patch --stdout --output=f", True),
        ("git apply --build-fake-ancestor=f p", True),
        ("zip -FS a.zip b", True),
        ("zip -rFS a.zip b", True),
        ("zip -lf log a.zip b", True),
        ("zip --out o.zip a.zip b", True),
        ("zip -r a.zip b", False),
        ("patch -o f", True),
        ("patch -p1 --output=f", True),
        ("patch -r f", True),
        ("patch -p1 -i f", False),
        ("yq -s .a f", True),
        ("journalctl --cursor-file=f", True),
        ("file -C -m f", True),
        ("curl -o f u", True),
        ("curl -sO u", True),
        ("curl --output=f u", True),
        ("curl -c jar u", True),
        ("curl -X DELETE u", True),
        ("curl -XDELETE u", True),
        ("curl -XPOST u", False),
        ("curl -so /dev/null -w %{http_code} u", False),
        ("curl -so /dev/null -o f u", True),
        ("curl -o - u", False),
        ("wget -qO- u", False),
        ("wget -O f u", True),
        ("wget -o log u", True),
        ("wget u", False),
        ("scp a host:b", True),
        ("pg_dump -f f d", True),
        ("kubectl delete pod x", True),
        ("docker rm x", True),
        ("docker save -o f x", True),
        ("docker compose down", True),
        ("kubectl get pods", False),
        ("pip install --report f x", True),
        ("git fetch -f", True),
        ("git fetch origin +a:b", True),
        ("git pull", False),
        ("git push -o -- --force", True),
        ("git checkout --track origin/foo", False),
        ("install -d x", False),
        ("tar rf a b", False),
        ("git merge x", False),
        ("git rebase main", False),
        ("git switch x", False),
        ("git cherry-pick abc", False),
        ("rsync --ignore-existing -a a b", False),
        ("curl -s https://example.org && rm x", True),
    ],
)
def test_what_destroys_is_marked_and_asks_on_every_run(command: str, destructive: bool) -> None:
    """A23, T44"""
    assert judged(command).destructive is destructive
    assert judged(command).asks or not destructive


def test_the_strongest_part_decides_and_its_words_are_told() -> None:
    """K68"""
    assert judged("ls && mkdir a && curl -s u") == Effect(Class.EXTERNAL, False, "curl uses the network or another system")
    assert judged("npm run build && rm x") == Effect(Class.UNKNOWN, True, "runs npm run, which may do anything, rm deletes or overwrites")
    order = [Effect(one) for one in (Class.READ, Class.WRITE, Class.UNKNOWN, Class.EXTERNAL)]
    assert [strongest(order[: index + 1]).kind for index in range(4)] == [one.kind for one in order]


ANY = st.sampled_from([command for command in READS + WRITES + EXTERNAL + UNKNOWN if command])


@given(ANY, ANY, st.sampled_from(["; ", " && ", " || ", "\n"]))
def test_commands_in_a_row_are_a_read_only_when_each_is(first: str, second: str, joint: str) -> None:
    """B09: whatever stands between two commands."""
    if kind(first + joint + second) == "read":
        assert kind(first) == kind(second) == "read"


@given(st.sampled_from(READS), st.text(string.ascii_lowercase, min_size=9, max_size=12))
def test_an_unlisted_program_is_never_a_read(command: str, program: str) -> None:
    """K120"""
    assert kind(f"{program}x9 {command}") != "read"


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_no_text_raises_and_every_answer_says_why(command: str) -> None:
    """K68"""
    assert judged(command).why


@pytest.mark.parametrize(("one", "times"), [("sudo ", 5_000), ("command ", 5_000), ("xargs ", 5_000), ("find -exec ", 2_000)])
def test_commands_without_end_inside_each_other_are_unknown(one: str, times: int) -> None:
    assert kind(one * times + "ls") == kind(f"echo $({one * times}ls)") == "unknown"


def test_what_a_program_prints_into_a_word_is_only_harmless_where_it_is_one_plain_word() -> None:
    """B21: a number, a commit or a folder can be no option."""
    assert kind("sort $!") == kind("git log $(git merge-base a b)") == kind('find "$(pwd)" -name x') == "read"
    assert kind("sort $(cat names)") == kind("git log $(git rev-parse --output=f)") == kind("find $(pwd) -name x") == "unknown"


SED = shutil.which("sed")
SANDBOX = SED is not None and subprocess.run([SED, "--sandbox", "p"], input=b"", capture_output=True, check=False).returncode == 0
PIECES = ("s/", "s|", "[", "[^", "]", "[a]", "[[:alpha:]]", "/", "|", "\\", "e;", "/e", "w f", ";", "p", "g", "a", "^", "*", ",", "1", "$")


@pytest.mark.skipif(not SANDBOX, reason="no sed here that tells whether a program writes or runs anything")
@settings(max_examples=150)
@given(st.sampled_from(PIECES[:6]), st.lists(st.sampled_from(PIECES), min_size=2, max_size=12).map("".join))
def test_a_sed_program_that_only_reads_is_one_for_sed_too(first: str, rest: str) -> None:
    """K120: brackets, backslashes and delimiters hide no command; the sandbox of sed refuses those that write or run, and runs nothing."""
    if kind(f"sed {shlex.quote(first + rest)} f") == "read":
        assert SED is not None
        done = subprocess.run([SED, "--sandbox", first + rest], input=b"", capture_output=True, check=False, timeout=20)
        assert b"sandbox" not in done.stderr


# ── Holes ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("wc -l KATAHOLE_0", "read"),
        ("git log KATAHOLE_0..HEAD --since=KATAHOLE_1", "read"),
        ("grep -rn 'KATAHOLE_0' src | head -KATAHOLE_1", "read"),
        ("find . -name KATAHOLE_0", "read"),
        ("git checkout KATAHOLE_0", "write"),
        ("KATAHOLE_0 x", "unknown"),
        ("sudo KATAHOLE_0", "unknown"),
        ("xargs KATAHOLE_0", "unknown"),
        ("git KATAHOLE_0", "unknown"),
        ("git stash KATAHOLE_0", "unknown"),
        ("git config KATAHOLE_0", "unknown"),
        ("systemctl KATAHOLE_0 x", "unknown"),
        ("tar KATAHOLE_0 x", "unknown"),
        ("tar tf KATAHOLE_0", "unknown"),
        ("rsync -a KATAHOLE_0 b", "external"),
        ("sed KATAHOLE_0 f", "unknown"),
        ("awk KATAHOLE_0 f", "unknown"),
        ("sort -KATAHOLE_0 f", "unknown"),
        ("date KATAHOLE_0", "write"),
        ("hostname KATAHOLE_0", "write"),
        ("ls > KATAHOLE_0", "write"),
        ("dd KATAHOLE_0", "unknown"),
        ("printf KATAHOLE_0", "unknown"),
    ],
)
def test_a_hole_stays_a_read_only_where_any_operand_would(command: str, expected: str) -> None:
    """Effects judged at approval hold at run time."""
    assert kind(command) == expected


# ── Tools ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("read_file", "read"),
        ("search_files", "read"),
        ("web_search", "read"),
        ("web_extract", "read"),
        ("write_file", "write"),
        ("patch", "write"),
        ("mcp__crm__list_contacts", "external"),
        ("send_message", "external"),
        ("execute_code", "unknown"),
        ("never_seen", "external"),
    ],
)
def test_a_tool_has_its_class_by_name(tool: str, expected: str) -> None:
    """B34, A23: file tools are plain writes."""
    judgement = effect(tool, {"path": "a"})
    assert judgement.kind.value == expected and not judgement.destructive and judgement.why
    assert judgement.asks is (expected in ("external", "unknown"))


def test_a_tool_of_others_is_external_until_it_is_said_to_read_only() -> None:
    """B34: the hint counts for no shell and for no built-in tool."""
    assert effect("mcp__crm__list", {}, hinted=True).kind is effect("never_seen", {}, hinted=True).kind is Class.READ
    assert effect("terminal", {"command": "rm x"}, hinted=True) == judged("rm x")
    assert effect("execute_code", {"code": "1"}, hinted=True).kind is Class.UNKNOWN


@pytest.mark.parametrize("more", [{"background": True}, {"pty": True}, {"something_new": 1}])
def test_a_shell_tool_with_other_arguments_is_unknown(more: dict[str, object]) -> None:
    assert effect("terminal", {"command": "ls", **more}).kind is Class.UNKNOWN


def test_a_shell_tool_with_a_time_limit_or_a_folder_is_judged_by_its_command() -> None:
    assert effect("terminal", {"command": "ls", "timeout": 5, "workdir": "/x", "background": False}).kind is Class.READ
    assert effect("bash", {"command": "rm x"}) == judged("rm x")
    assert effect("terminal", {"command": ["ls"]}).kind is effect("terminal", {}).kind is Class.UNKNOWN


def test_what_addresses_kata_itself_is_known() -> None:
    """A4"""
    own = [
        Call("kata_list", {}),
        Call("terminal", {"command": "hermes -p x kata approve 2"}),
        Call("read_file", {"path": "/h/plugins/kata/x.py"}),
    ]
    assert all(map(addresses_kata, own))
    assert not addresses_kata(Call("terminal", {"command": "ls katas && hermes sessions list"}))


@pytest.mark.parametrize(
    "arguments",
    [
        {"command": "python -m hermes_cli.main kata approve 1 as x"},
        {"command": "hermes 'ka''ta' list"},
        {"command": "cd ~/.hermes/plugin-data; sqlite3 kata/data.db .dump"},
        {"command": "cat ~/.hermes/plugin-data/./kata/data.db"},
        {"command": "cat kata/data.db", "workdir": "/home/ann/.hermes/plugin-data"},
        {"command": "cd ~/.hermes/plugins && cat kata/ward.py"},
        {"command": "curl 'localhost:9119/api/plugins/'kata/mine"},
    ],
)
def test_what_addresses_kata_by_a_detour_is_known_too(arguments: dict[str, str]) -> None:
    """A4: through the host's module, in quotes, and from a folder that was gone into first."""
    assert addresses_kata(Call("terminal", arguments))


@pytest.mark.parametrize("command", ["cd ~/karate && cat kata/heian.md", "ls ~/.hermes/plugin-data", "cat plugins/katana/x.py"])
def test_what_has_only_the_name_in_common_is_not_kata(command: str) -> None:
    """A4."""
    assert not addresses_kata(Call("terminal", {"command": command}))


# ── Tables and labelled cases ────────────────────────────────────────────────────────────────────


@pytest.mark.skipif(not CASES.exists(), reason="the labelled cases in ../shared are not here")
def test_no_labelled_command_gets_an_answer_that_is_too_weak() -> None:
    """T38: none unsafe; most reads are called read, and what is opaque is unknown."""
    cases = json.loads(CASES.read_text(encoding="utf-8"))["cases"]
    answers = {case["id"]: kind(case["command"]) for case in cases}
    assert len(cases) >= 200 and [case["id"] for case in cases if answers[case["id"]] in case["unsafe"]] == []
    acceptable = sum(answers[case["id"]] in case["acceptable"] for case in cases)
    reads = [answers[case["id"]] == "read" for case in cases if case["class"] == "read"]
    assert acceptable / len(cases) >= 0.97 and sum(reads) / len(reads) >= 0.9
