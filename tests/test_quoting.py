"""Values in shell commands: each arrives as one argument, or nothing runs (B06)."""

import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kata import shell
from kata.model import Command, Hole, Input, OpaqueCommand, Option, UnsafeValue
from kata.quoting import frame, placed, quoted

BASH = shutil.which("bash")
HOSTILE = (
    "a b",
    "it's",
    '"; touch pwned; "',
    "$(touch pwned)",
    "`touch pwned`",
    "${HOME}",
    "a;b",
    "a&&b",
    "a|b",
    "a>b",
    "*",
    "~",
    "{a,b}",
    "\\",
    "a\\",
    "#x",
    "!x",
    "''",
    "KATAHOLE0Z",
    "é ö 漢",
    "[ab]?",
    "x=1",
)


def made(*parts: str) -> Command:
    """A command out of texts; `?name` is a bare hole, `'name` one in single and `"name` one in double quotes."""
    places = {"?": "bare", "'": "single", '"': "double"}
    return Command(tuple(Hole(Input(part[1:]), places[part[0]]) if part[:2] in ("?v", "'v", '"v') else part for part in parts))


def arguments(text: str) -> list[str]:
    """What bash makes of a command line whose program prints its arguments."""
    assert BASH is not None
    done = subprocess.run([BASH, "-c", text], capture_output=True, check=True, timeout=20)
    return done.stdout.decode().split("\0")[:-1]


def values() -> st.SearchStrategy[str]:
    """Text that quoting can carry, rich in what a shell reads."""
    pieces = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(blacklist_categories=["Cc", "Cs", "Zl", "Zp"]), max_size=6))
    return st.lists(pieces, min_size=1, max_size=4).map("".join).filter(lambda text: text and not text.startswith("-"))


# ── Inside other commands ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "parts",
    [
        ("for f in *.py; do grep ", "?v", " $f; done"),
        ("if grep -q '", "'v", "' a; then ls; fi"),
        ("(cd src && wc \"", '"v', "\")"),
        ("{ ls ", "?v", "; date; } | wc -l"),
        ("while grep ", "?v", " a; do sleep 1; done"),
        ("case $x in a) ls ", "?v", ";; esac"),
        ("git checkout ", "?v", " && for f in *; do wc $f; done"),
        ("grep x <<< ", "?v"),
        ("ls ", "?v", " &"),
        ("! grep ", "?v", " a"),
        ("time grep ", "?v", " a"),
    ],
)
def test_a_value_stands_in_a_simple_command_inside_others(parts: tuple[str, ...]) -> None:
    """Where nothing in the line runs what it reads."""
    for value in HOSTILE:
        text = placed(made(*parts), [value])
        assert value in {word for command in shell.parse(text).commands() for word in shell.arguments(command)} or "<<<" in text


@pytest.mark.parametrize(
    "parts",
    [
        ("for f in ", "?v", "; do ls; done"),
        ("for ", "?v", " in a; do ls; done"),
        ("case ", "?v", " in a) ls;; esac"),
        ("case a in ", "?v", ") ls;; esac"),
        ("[[ -f ", "?v", " ]]"),
        ("echo $((", "?v", "))"),
        ("((", "?v", "))"),
        ("echo ${x:-", "?v", "}"),
        ("echo {a,", "?v", "}"),
        ("echo `ls ", "?v", "`"),
        ("echo $(ls ", "?v", ")"),
        ("diff <(ls ", "?v", ") a"),
        ("cat <<EOF\n", "?v", " $x\nEOF"),
        ("bash <<< ", "?v"),
        ("python3 - <<< ", "?v"),
        ("while ls; do ls; done <<< ", "?v"),
        ("f() { ls ", "?v", "; }; f"),
        ('f() { sh -c "$1"; }; f ', "?v"),
        ("?v", "() { ls; }"),
        ("coproc ls ", "?v"),
        ("echo ", "?v", " | while read x; do $x; done"),
        ("echo ", "?v", " | { read x; eval \"$x\"; }"),
        ("echo ", "?v", " | (bash)"),
        ("{ printf %s ", "?v", "; } | sh"),
        ("(echo ", "?v", ") > f; sh f"),
        ("echo ", "?v", " | cat > f; sh f"),
        ("for f in a; do echo ", "?v", " > f; . f; done"),
        ("if echo ", "?v", "; then $x; fi"),
        ("a=(", "?v", ")"),
        ("echo $'a", "?v", "'"),
    ],
)
def test_a_value_inside_other_commands_is_never_what_they_are_made_of(parts: tuple[str, ...]) -> None:
    """Patterns, lists, expressions, names, texts that run, and what reads the output."""
    with pytest.raises((UnsafeValue, OpaqueCommand)):
        placed(made(*parts), ["a"])


# ── One value, one argument ──────────────────────────────────────────────────────────────────────


@given(st.lists(values(), min_size=3, max_size=3))
def test_every_value_keeps_the_tree_of_the_command(three: list[str]) -> None:
    """The first law: rendering never changes the tree, whatever the values."""
    command = made("git log ", "?v0", " 'a ", "'v1", "' | grep -n \"b ", '"v2', '" && ls x > out')
    text = placed(command, three)
    words = [word.value for one in shell.parse(text).commands() for word in one.words]
    assert words == ["git", "log", three[0], "a " + three[1], "grep", "-n", "b " + three[2], "ls", "x"]


@pytest.mark.skipif(BASH is None, reason="no bash here")
@pytest.mark.parametrize("value", HOSTILE)
def test_bash_sees_a_hostile_value_as_one_argument_in_every_place(value: str) -> None:
    """B06, asked of the shell itself."""
    command = made(r"printf '%s\0' ", "?v", " 'a ", "'v", "' \"b ", '"v', '" c/', "?v", "/d --e=", "?v")
    text = placed(command, [value] * 5)
    assert arguments(text) == [value, "a " + value, "b " + value, f"c/{value}/d", f"--e={value}"]


@pytest.mark.skipif(BASH is None, reason="no bash here")
def test_a_value_in_a_substitution_is_refused_or_arrives_whole() -> None:
    command = made(r"printf '%s\0' ", '"$(printf %s ', "?v", ')"')
    for value in HOSTILE:
        try:
            text = placed(command, [value])
        except UnsafeValue:
            continue
        assert arguments(text) == [value]


def test_a_plain_value_stays_plain() -> None:
    assert placed(made("git checkout ", "?v"), ["feature/login-2"]) == "git checkout feature/login-2"
    assert placed(made("git checkout ", "?v"), ["a b"]) == "git checkout 'a b'"


@pytest.mark.parametrize(
    ("value", "place", "source"),
    [
        ("it's", "bare", r"'it'\''s'"),
        ("it's", "single", r"it'\''s"),
        ('a "$x" `y` \\', "double", r"a \"\$x\" \`y\` \\"),
        ("plain", "bare", "plain"),
        ("~", "bare", "'~'"),
    ],
)
def test_each_place_has_its_own_quoting(value: str, place: str, source: str) -> None:
    assert quoted(value, place) == source


# ── What no quoting makes harmless ───────────────────────────────────────────────────────────────


@pytest.mark.parametrize("value", ["a\nb", "a\n touch pwned", "a\0b", "\x1b[31m", "a\tb", "\x7f", "\x85", "\u2028", "\ud835", "\r"])
@pytest.mark.parametrize("place", ["?v", "'v", '"v'])
def test_control_characters_and_half_characters_are_refused_everywhere(value: str, place: str) -> None:
    """B06, B46."""
    around = {"?v": "", "'v": "'", '"v': '"'}[place]
    with pytest.raises(UnsafeValue, match="control characters"):
        placed(made("grep " + around, place, around + " f") if around else made("grep ", place, " f"), [value])


@pytest.mark.parametrize("value", ["-r", "--help", "-", "--output=x"])
def test_a_value_that_begins_its_word_may_not_be_an_option(value: str) -> None:
    """CWE-88: in an operand place a leading dash would be read as an option, quoted or not."""
    for command in (made("grep ", "?v", " f"), made("grep '", "'v", "' f"), made('grep "', '"v', '" f')):
        with pytest.raises(UnsafeValue, match="option"):
            placed(command, [value])


def test_a_dash_inside_a_word_is_fine() -> None:
    assert placed(made("git log --since=", "?v"), ["-2d"]) == "git log --since=-2d"
    assert placed(made("ls src/", "?v"), ["-x"]) == "ls src/-x"


def test_an_empty_value_is_refused_by_name_of_its_place() -> None:
    with pytest.raises(UnsafeValue, match="argument 2 of git checkout"):
        placed(made("git checkout ", "?v"), [""])


@pytest.mark.parametrize(
    "parts",
    [
        ("?v",),
        ("?v", " x"),
        ("ls; ", "?v", " x"),
        ("ls | ", "?v"),
        ("./", "?v", " x"),
        ("sudo ", "?v"),
        ("env ", "?v", " ls"),
        ("nohup ", "?v"),
        ("A=", "?v", " ls"),
        ("cat <<E\n", "?v", "\nE\n"),
        ("command ", "?v"),
    ],
)
def test_a_hole_is_never_a_program_an_assignment_or_a_here_document(parts: tuple[str, ...]) -> None:
    with pytest.raises(UnsafeValue):
        placed(made(*parts), ["x"])


@pytest.mark.parametrize(
    "parts",
    [
        ("bash -c ", "?v"),
        ("bash -c 'echo ", "'v", "'"),
        ('sh -c "echo ', '"v', '"'),
        ("python3 -c ", "?v"),
        ("python3 -m ", "?v"),
        ("node -e ", "?v"),
        ("perl -ne ", "?v", " f"),
        ("awk ", "?v", " f"),
        ("awk '{print ", "'v", "}' f"),
        ("sed ", "?v", " f"),
        ("sed -e ", "?v", " f"),
        ("sed -n '", "'v", "p' f"),
        ("jq ", "?v", " f"),
        ("xargs ", "?v"),
        ("find . -exec ", "?v", " \\;"),
        ("ssh host ", "?v"),
        ("eval ", "?v"),
        ("source ", "?v"),
        ("psql -c ", "?v"),
        ("timeout 5 ", "?v"),
        ("sudo bash -c ", "?v"),
        ("sudo -u root ", "?v"),
        ("npx ", "?v"),
        ("/usr/bin/python3 -c ", "?v"),
    ],
)
def test_a_hole_is_never_code_or_the_command_of_a_runner(parts: tuple[str, ...]) -> None:
    """`bash -c`, `python -c`, `awk`, `sed` and the like; CWE-78."""
    with pytest.raises(UnsafeValue):
        placed(made(*parts), ["x"])


@pytest.mark.parametrize(
    "parts",
    [
        ("python3.11 -c ", "?v"),
        ("trap ", "?v", " EXIT"),
        ("builtin ", "?v"),
        ("let ", "?v"),
        ("unset ", "?v"),
        ("alias x=", "?v"),
        ("docker exec web ", "?v"),
        ("kubectl exec pod -- ", "?v"),
        ("uv run ", "?v"),
        ("poetry run ", "?v"),
        ("git bisect run ", "?v"),
        ("git -c ", "?v", " status"),
        ("pkexec ", "?v"),
        ("busybox ", "?v"),
        ("systemd-run ", "?v"),
        ("hyperfine ", "?v"),
        ("powershell -c ", "?v"),
    ],
)
def test_a_hole_is_no_code_for_the_lesser_known_runners_either(parts: tuple[str, ...]) -> None:
    """CWE-78: bash evaluates the operand of `trap`, and subscripts in those of `let` and `unset`; the others start what they are given."""
    with pytest.raises(UnsafeValue):
        placed(made(*parts), ["x"])


@pytest.mark.parametrize("value", ["/dev/tcp/203.0.113.9/80", "/dev/udp/203.0.113.9/53"])
def test_a_redirection_never_opens_a_connection(value: str) -> None:
    """Bash reads these names, quoted or not, as a host and a port: a plain write would send the file away."""
    with pytest.raises(UnsafeValue):
        placed(made("cat notes.txt > ", "?v"), [value])


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("awk '{print $1}' ", "?v"), "awk '{print $1}' x"),
        (("sed -n 1,5p ", "?v"), "sed -n 1,5p x"),
        (("python3 tool.py ", "?v"), "python3 tool.py x"),
        (("bash deploy.sh ", "?v"), "bash deploy.sh x"),
        (("sudo systemctl restart ", "?v"), "sudo systemctl restart x"),
        (("jq .name ", "?v"), "jq .name x"),
        (("echo a > ", "?v"), "echo a > x"),
    ],
)
def test_a_plain_argument_behind_fixed_code_is_placed(parts: tuple[str, ...], text: str) -> None:
    assert placed(made(*parts), ["x"]) == text


def test_a_value_that_is_the_mark_itself_changes_nothing() -> None:
    command = made("echo KATAHOLE ", "?v0", " ", "?v1")
    marks = frame(command).marks
    assert placed(command, [marks[1], marks[0]]) == f"echo KATAHOLE {marks[1]} {marks[0]}"


def test_the_error_names_the_place_and_shows_what_came() -> None:
    with pytest.raises(UnsafeValue) as caught:
        placed(made("git checkout ", "?v"), ["-f"])
    assert caught.value.message == "Expected an operand for argument 2 of git checkout, got '-f', which would be read as an option"


@pytest.mark.parametrize(
    "parts",
    [
        ("git config core.fsmonitor ", "?v"),
        ("git config alias.x ", "?v"),
        ("git clone -u ", "?v", " url"),
        ("printf %s ", "?v", " | sh"),
        ("printf %s ", "?v", " | bash -s"),
        ("echo ", "?v", " | xargs touch"),
        ("cat ", "?v", " | python3"),
        ("echo ", "?v", " | sort | sqlite3 db"),
        ("echo ", "?v", " > s.sh; sh s.sh"),
        ("echo $(cat ", "?v", ")"),
        ('eval "$(echo ', "?v", ')"'),
        ("$(echo ", "?v", ") a.txt"),
        ("test -v ", "?v"),
        ("[ -v ", "?v", " ]"),
        ("printf -v ", "?v", " x"),
        ("compgen -C ", "?v"),
        ("split --filter ", "?v", " f"),
        ("split --filter=", "?v", " f"),
        ("tar -I ", "?v", " -xf a"),
        ("zip -TT ", "?v", " a"),
        ("git difftool --extcmd ", "?v"),
        ("git fetch --upload-pac=", "?v", " o"),
        ("tar --use-compress-prog=", "?v", " -xf a"),
        ("tar --checkpoint-act=", "?v", " -xf a"),
        ("docker compose -f x exec app ", "?v"),
        ("docker container exec ", "?v"),
        ("docker --log-level debug exec ", "?v"),
        ("pnpm --filter w exec ", "?v"),
        ("uv tool run ", "?v"),
        ("uv --project x run ", "?v"),
        ("kubectl -v 5 exec p -- ", "?v"),
        ("oc exec ", "?v"),
        ("pipenv run ", "?v"),
        ("nodejs -e ", "?v"),
        ("ipython -c ", "?v"),
        ("ash -c ", "?v"),
        ("vim ", "?v"),
        ("git log --", "?v"),
        ("sort -", "?v"),
        ("tar --", "?v"),
        ("find . -name ", "?v"),
        ("git merge --strategy=", "?v", " x"),
        ("git merge -s ", "?v", " x"),
        ("git -C d merge -X ", "?v", " x"),
        ("git rebase --exec ", "?v"),
        ("git init --template=", "?v"),
        ("git init --temp ", "?v"),
        ("git clone --template ", "?v", " u"),
        ("git clone --config ", "?v", " u"),
        ("git clone -c ", "?v", " u"),
        ("git -C d -c ", "?v", " log"),
        ("git --git-dir ", "?v", " log"),
        ("git --exec-path=", "?v", " log"),
        ("git --config-env=", "?v", " log"),
        ("git ", "?v"),
        ("git -C d ", "?v"),
        ("git grep -O ", "?v", " x"),
        ("git grep -nO ", "?v"),
        ("git difftool --tool ", "?v"),
        ("git submodule foreach ", "?v"),
        ("git send-email --sendmail-cmd=", "?v"),
        ("git -C d config core.editor ", "?v"),
        ("sudo git -c ", "?v", " log"),
        ("sudo rsync -ave ", "?v", " a b"),
        ("systemctl enable ", "?v"),
        ("sudo systemctl link ", "?v"),
        ("systemctl --now reenable ", "?v"),
        ("rsync --rsh ", "?v", " a b"),
        ("rsync --rsh='ssh -F ", "'v", "' a b"),
        ("rsync -ave ", "?v", " a b"),
        ("rsync -M--rsh=", "?v", " a b"),
        ("scp -o ProxyCommand=", "?v", " a h:b"),
        ("scp -oProxyCommand=", "?v", " a h:b"),
        ("scp -S ", "?v", " a h:b"),
        ("tar -xvI ", "?v", " -f a"),
        ("tar --to-com=", "?v", " -xf a"),
        ("tar -T ", "?v", " -cf a"),
        ("curl -sK ", "?v"),
        ("curl --libcurl ", "?v", " u"),
        ("wget --use-askpass=", "?v", " u"),
        ("wget -e ", "?v", " u"),
        ("make -f ", "?v"),
        ("docker run -v ", "?v", " i"),
        ("docker create --volume ", "?v", " i"),
        ("docker compose -f ", "?v", " up"),
        ("docker build -f ", "?v", " ."),
        ("kubectl --kubeconfig ", "?v", " get pods"),
        ("helm install x c --post-renderer ", "?v"),
        ("pip install --index-url ", "?v", " x"),
        ("pip install -r ", "?v"),
        ("npm ls --script-shell ", "?v"),
        ("npm create ", "?v"),
        ("yarn create ", "?v"),
        ("awk -f ", "?v", " f"),
        ("jq -f ", "?v", " f"),
        ("yq . -s ", "?v"),
        ("sed -f ", "?v", " f"),
        ("gcc -fplugin=", "?v", " a.c"),
        ("gcc -Wl,-plugin=", "?v", " a.c"),
        ("man -H", "?v", " ls"),
        ("man -H ", "?v"),
        ("man --html=", "?v", " ls"),
        ("go build -toolexec ", "?v"),
        ("go test -exec=", "?v"),
        ("cmake -P ", "?v"),
        ("mypy --python-executable ", "?v", " x"),
        ("pytest -p ", "?v"),
        ("split --fi ", "?v", " f"),
        ("fd -x rm ", "?v"),
        ("ansible-playbook ", "?v"),
        ("mongosh --eval ", "?v"),
    ],
)
def test_text_never_becomes_code_on_the_way(parts: tuple[str, ...]) -> None:
    """CWE-78, CWE-88: through a pipe, a file, a substitution, a builtin, an option (also shortened), a runner behind options."""
    with pytest.raises(UnsafeValue):
        placed(made(*parts), ["x"])


@pytest.mark.parametrize(
    ("parts", "value", "expected"),
    [
        (("git push -u origin ", "?v"), "main", "git push -u origin main"),
        (("npm run build -- --env ", "?v"), "prod", "npm run build -- --env prod"),
        (("./deploy.sh preview --branch ", "?v"), "fix/a", "./deploy.sh preview --branch fix/a"),
        (("docker build -t ", "?v", " ."), "web:1", "docker build -t web:1 ."),
        (("kubectl logs ", "?v", " -n prod"), "web-1", "kubectl logs web-1 -n prod"),
        (("git log --author=", "?v"), "Ann Lee", "git log --author='Ann Lee'"),
        (("grep -e ", "?v", " f | wc -l"), "a b", "grep -e 'a b' f | wc -l"),
        (("git config user.name ", "?v"), "Ann", "git config user.name Ann"),
        (("python3 tool.py ", "?v"), "x", "python3 tool.py x"),
        (("test -f ", "?v"), "a.txt", "test -f a.txt"),
        (("git switch -c feat/", "?v"), "a", "git switch -c feat/a"),
        (("git switch -c ", "?v"), "a", "git switch -c a"),
        (("git log -c ", "?v"), "main", "git log -c main"),
        (("git cherry-pick -x ", "?v"), "abc", "git cherry-pick -x abc"),
        (("git -C ", "?v", " log"), "d", "git -C d log"),
        (("git clean -x ", "?v"), "d", "git clean -x d"),
        (("git branch -u origin/", "?v"), "a", "git branch -u origin/a"),
        (("git merge --no-ff -m ", "?v", " x"), "a b", "git merge --no-ff -m 'a b' x"),
        (("git revert -s ", "?v"), "abc", "git revert -s abc"),
        (("tar -xzf ", "?v"), "a.tgz", "tar -xzf a.tgz"),
        (("rsync -av ", "?v", " b"), "a", "rsync -av a b"),
        (("docker compose logs -f ", "?v"), "web", "docker compose logs -f web"),
        (("docker logs -f ", "?v"), "web", "docker logs -f web"),
        (("kubectl create configmap c --from-file=", "?v"), "f", "kubectl create configmap c --from-file=f"),
        (("cmake -DCMAKE_BUILD_TYPE=", "?v", " ."), "Debug", "cmake -DCMAKE_BUILD_TYPE=Debug ."),
        (("uv sync --extra ", "?v"), "dev", "uv sync --extra dev"),
        (("pytest -k ", "?v"), "a or b", "pytest -k 'a or b'"),
        (("systemctl start ", "?v"), "web", "systemctl start web"),
        (("patch --strip ", "?v", " f"), "1", "patch --strip 1 f"),
    ],
)
def test_everyday_places_stay_open(parts: tuple[str, ...], value: str, expected: str) -> None:
    assert placed(made(*parts), [value]) == expected


def test_a_command_whose_options_are_open_is_no_frame() -> None:
    """Which options stand in a command is settled before a value is placed: both trees are judged then."""
    with pytest.raises(UnsafeValue, match="settled whether -h stands in the command"):
        placed(Command(("ls", Option(Input("all"), " -h"), " ", Hole(Input("path"), "bare"))), ["x"])


@pytest.mark.parametrize(
    ("parts", "value"),
    [
        (("npm ", "?v"), "publish"),
        (("npm run ", "?v"), "deploy"),
        (("yarn ", "?v"), "deploy"),
        (("bun run ", "?v"), "deploy"),
        (("cargo ", "?v"), "publish"),
        (("gh pr ", "?v", " 5"), "merge"),
        (("docker compose ", "?v"), "down"),
        (("git stash ", "?v"), "drop"),
        (("systemctl ", "?v", " nginx"), "stop"),
        (("pip ", "?v", " x"), "install"),
        (("hermes kata ", "?v"), "approve"),
        (("just ", "?v"), "deploy"),
        (("mvn ", "?v"), "deploy"),
        (("curl -x ", "?v", " https://example.org"), "evil:1"),
        (("curl --resolve ", "?v", " https://example.org"), "example.org:443:192.0.2.1"),
        (("curl --connect-to ", "?v", " https://example.org"), "::evil:1"),
        (("curl --doh-url=", "?v", " https://example.org"), "https://evil"),
        (("kubectl -s ", "?v", " get pods"), "evil"),
        (("kubectl --server=", "?v", " get pods"), "https://evil"),
        (("scp a host:/tmp/", "?v"), "$(id)"),
        (("scp host:", "?v", " ."), "x;id"),
        (("scp a ", "?v"), "host:`id`"),
        (("rsync a host:", "?v"), "a b"),
        (("http POST example.org ", "?v"), "x@/etc/passwd"),
        (("http example.org ", "?v"), "x:=@/etc/passwd"),
    ],
)
def test_a_value_is_no_sub_command_nor_where_things_go_nor_code_of_another_shell(parts: tuple[str, ...], value: str) -> None:
    """A person who approves `npm ‹x›` does not approve `npm publish`; B06 at the shell of another host."""
    with pytest.raises(UnsafeValue):
        placed(made(*parts), [value])


@pytest.mark.parametrize(
    ("parts", "value"),
    [
        (("gh api ", "?v"), "repos/a/b"),
        (("mvn -pl ", "?v", " test"), "core"),
        (("scp a.tgz ", "?v", ":/srv"), "web1"),
        (("scp a.tgz host:/srv/", "?v"), "a-1.tgz"),
        (("npm run build ", "?v"), "x"),
        (("http POST example.org name=", "?v"), "a@example.org"),
        (("git stash show ", "?v"), "0"),
        (("systemctl restart ", "?v"), "web"),
    ],
)
def test_what_stands_beside_those_places_stays_open(parts: tuple[str, ...], value: str) -> None:
    assert value in placed(made(*parts), [value])
