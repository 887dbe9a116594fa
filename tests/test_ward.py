"""What the agent may not do without a person: commands, texts and files that address Kata, asked about or not, one by one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kata.model import Call
from kata.ward import CALLING, DECIDING, SETTING_UP, TOUCHING, why

HOME = "/home/u/.hermes"
ASKED = [
    ("hermes kata approve 1 as ship", DECIDING),
    ("hermes kata enable ship", DECIDING),
    ("hermes kata disable ship", DECIDING),
    ("hermes kata reject 2", DECIDING),
    ("hermes kata rollback ship 1", DECIDING),
    ("hermes kata run ship", DECIDING),
    ("hermes kata resume 0123456789ab --it-did-not-happen", DECIDING),
    ("hermes kata stop 0123456789ab", DECIDING),
    ("hermes kata trust ship", DECIDING),
    ("hermes kata import kata.json", DECIDING),
    ("hermes kata purge --path src", DECIDING),
    ("hermes kata record off", DECIDING),
    ("hermes kata something-new 1", DECIDING),
    ("hermes kata APPROVE 1", DECIDING),
    ("hermes kata --json approve 1 as x", DECIDING),
    ("hermes kata --digest list approve 1 as x", DECIDING),
    ("hermes -p work kata approve 1", DECIDING),
    ("/usr/local/bin/hermes kata approve 1", DECIDING),
    ("~/.local/bin/hermes kata approve 1", DECIDING),
    ("cd /tmp && hermes kata approve 1", DECIDING),
    ("true; hermes kata approve 1 || echo no", DECIDING),
    ("ls | hermes kata approve 1", DECIDING),
    ("sudo hermes kata approve 1", DECIDING),
    ("sudo -u me env HERMES_HOME=/x hermes kata approve 1", DECIDING),
    ("env -i PATH=$PATH hermes kata approve 1", DECIDING),
    ("HERMES_HOME=/x hermes kata approve 1", DECIDING),
    ("nohup hermes kata approve 1", DECIDING),
    ("timeout 5 hermes kata approve 1", DECIDING),
    ("command hermes kata approve 1", DECIDING),
    ("sh -c 'hermes kata approve 1'", DECIDING),
    ('bash -lc "cd /tmp; hermes kata approve 1 as x"', DECIDING),
    ("eval 'hermes kata approve 1'", DECIDING),
    ("echo hermes kata approve 1 | sh", DECIDING),
    ("bash <<'EOF'\nhermes kata approve 1\nEOF", DECIDING),
    ("cat > x.sh <<'EOF'\nhermes kata approve 1\nEOF\nbash x.sh", DECIDING),
    ("echo kata approve 1 as x | xargs hermes", DECIDING),
    ("xargs hermes kata < words", DECIDING),
    ("hermes $K approve 1", DECIDING),
    ("hermes kata near 3 --review", DECIDING),
    ("hermes kata --json near 3 review", DECIDING),
    ("hermes $PROFILE kata approve 1", DECIDING),
    ("hermes ${KA}ta approve 1", DECIDING),
    ("python3 -c \"import subprocess; subprocess.run(['hermes', 'kata', 'approve', '1'])\"", DECIDING),
    ("python -m hermes_cli.main kata approve 1", DECIDING),
    ("alias h='hermes kata'; h approve 1", DECIDING),
    ("h kata approve 1", DECIDING),
    ("$(which hermes) kata approve 1", DECIDING),
    ('"$H" kata approve 1', DECIDING),
    ('hermes "kata" "approve" 1', DECIDING),
    ("her'mes' ka'ta' approve 1", DECIDING),
    ("hermes ka\\ta app\\rove 1", DECIDING),
    ("K=kata; hermes $K approve 1", DECIDING),
    ("V=approve; hermes kata $V 1", DECIDING),
    ('hermes "$(echo kata)" approve 1', DECIDING),
    ("x=$(hermes kata approve 1)", DECIDING),
    ("for i in 1 2; do hermes kata approve $i; done", DECIDING),
    ("(hermes kata approve 1)", DECIDING),
    ("hermes {kata,approve} 1", DECIDING),
    ("hermes $'kata' approve 1", DECIDING),
    ('h() { hermes "$@"; }; h kata approve 1', DECIDING),
    ("for c in hermes; do $c kata approve 1; done", DECIDING),
    ("for v in approve; do hermes kata $v 1; done", DECIDING),
    ("echo 'hermes kata approve 1' | while read l; do $l; done", DECIDING),
    ("bash <<< 'hermes kata approve 1'", DECIDING),
    ("cat <<EOF | sh\nhermes kata approve $N\nEOF", DECIDING),
    ('x=(hermes kata approve 1); "${x[@]}"', DECIDING),
    ("source <(echo hermes kata approve 1)", DECIDING),
    ("case a in a) hermes kata approve 1;; esac", DECIDING),
    ("`echo hermes` kata approve 1", DECIDING),
    ("! hermes kata approve ${N:-1}", DECIDING),
    ("coproc hermes kata approve 1", DECIDING),
    ("hermes kata approve 1 &", DECIDING),
    ("tmux send-keys 'hermes kata approve 1' Enter", DECIDING),
    ("ssh localhost hermes kata approve 1", DECIDING),
    ("hermes \\\n kata approve 1", DECIDING),
    ("if true; then hermes kata approve 1; fi", DECIDING),
    ("script -c 'hermes kata approve 1' /dev/null", DECIDING),
    ("tmux send-keys -t 0 '/kata approve 1 as x' Enter", DECIDING),
    ("printf '/kata approve 1\\n' | hermes chat", DECIDING),
    ("curl -X POST http://127.0.0.1:9119/api/plugins/kata/katas/1/approve", CALLING),
    ("curl http://127.0.0.1:9119/api/plugins/kata/overview", CALLING),
    ("wget -qO- 'http://localhost:9119/api/plugins/kata/katas'", CALLING),
    (f"sqlite3 {HOME}/plugin-data/kata/data.db \"UPDATE katas SET state = 'active'\"", TOUCHING),
    (f"rm -rf {HOME}/plugin-data/kata", TOUCHING),
    ("rm -rf ~/.hermes/plugins/kata", TOUCHING),
    ("rm ~/.hermes/{plugins,x}/kata/ward.py", TOUCHING),
    ("rm ~/.hermes/plugins/{x,kata}/ward.py", TOUCHING),
    ("if true; then cd ~/.hermes/plugins; fi; rm -rf kata", TOUCHING),
    ("echo x > >(tee ~/.hermes/plugins/kata/ward.py)", TOUCHING),
    ("while read l; do echo $l; done > ~/.hermes/plugins/kata/ward.py", TOUCHING),
    ("for f in ~/.hermes/plugins/kata/*; do rm $f; done", TOUCHING),
    ('cp evil.py "$HOME"/.hermes/plugins/kata/runtime.py', TOUCHING),
    ("echo x > ~/.hermes/plugins/kata/runtime.py", TOUCHING),
    ("cat a >> $HERMES_HOME/plugins/kata/ward.py", TOUCHING),
    ("sed -i s/a/b/ ~/.hermes/plugins/kata/ward.py", TOUCHING),
    ("cd ~/.hermes/plugins && rm -rf kata", TOUCHING),
    ("cd ~/.hermes/plugin-data/kata && rm data.db", TOUCHING),
    ("rm ~/.hermes/plugins/./x/../kata/ward.py", TOUCHING),
    ("rm ~/.hermes//plugins///kata/ward.py", TOUCHING),
    ("python -c \"open('/home/u/.hermes/plugin-data/kata/data.db', 'w')\"", TOUCHING),
    ("git -C ~/.hermes/plugins/kata pull", TOUCHING),
    ("python -c \"from pathlib import Path; (Path.home() / '.hermes' / 'plugin-data' / 'kata' / 'data.db').unlink()\"", TOUCHING),
    ("hermes plugins disable kata", SETTING_UP),
    ("hermes plugins install file:///tmp/kata", SETTING_UP),
    ("hermes config set plugins.entries.kata.settings.min_support 2", SETTING_UP),
    ("sed -i s/kata/other/ ~/.hermes/config.yaml", SETTING_UP),
    ("echo 'plugins: {enabled: [kata]}' >> ~/.hermes/config.yaml", SETTING_UP),
]
NOT_ASKED = [
    'hermes -p "$P" gateway run',
    "hermes $PROFILE kata list",
    "hermes kata",
    "hermes kata list",
    "hermes kata --json list",
    "hermes kata status",
    "hermes kata review 1",
    "hermes kata show ship",
    "hermes kata runs ship",
    "hermes kata near",
    "hermes kata help approve",
    "hermes kata --help",
    "cd /tmp && hermes kata list | head -3",
    "hermes plugins list | grep kata",
    "hermes plugins validate ~/.hermes/plugins/kata",
    "hermes plugins disable other; echo kata",
    "echo 'hermes kata approve 1'",
    "echo hermes kata approve 1",
    "grep -rn 'hermes kata approve' docs",
    "rg 'kata approve' .",
    "git commit -m 'say how hermes kata approve works'",
    "echo 'hermes kata approve 1' > notes.md",
    "cat > notes.md <<'EOF'\nhermes kata approve 1\nEOF",
    "cat ~/.hermes/plugin-data/kata/data.db | wc -c",
    "ls -l ~/.hermes/plugins/kata",
    "cd ~/.hermes/plugins/kata && git log --oneline",
    "grep -rn /api/plugins/kata .",
    "mkdir kata approve",
    "for f in *.md; do grep kata $f; done",
    "if [ -d kata ]; then ls kata; fi",
    "(cd kata && make)",
    "[[ -d kata ]] && ls",
    "f() { ls kata; }; f",
    "cd ~/src/kata && make test",
    "python -m pytest tests/test_kata.py",
    "rm -rf build/kata",
    "touch plugins/katana.py",
    "rm -rf ~/.hermes/plugins/kata-extra",
    "curl http://127.0.0.1:9119/api/plugins/katana/overview",
    "vim ~/kata/config.yaml",
    "git push origin kata",
    "hermes approve 1",
    "echo '/kata approve 1' > notes.md",
    "hermes chat -q 'what is a kata'",
]


@pytest.mark.parametrize(("command", "reason"), ASKED)
def test_a_command_that_only_a_person_may_give_is_put_to_the_person(command: str, reason: str) -> None:
    assert why(Call("terminal", {"command": command})) == reason


@pytest.mark.parametrize("command", NOT_ASKED)
def test_a_command_that_reads_or_only_speaks_of_kata_is_not(command: str) -> None:
    assert why(Call("terminal", {"command": command})) == ""


@pytest.mark.parametrize(
    ("tool", "arguments", "reason"),
    [
        ("write_file", {"path": "~/.hermes/plugins/kata/runtime.py", "content": "x"}, TOUCHING),
        ("write_file", {"path": "kata/data.db", "content": "x", "_": HOME}, ""),
        ("patch", {"patch": "*** Begin Patch\n*** Update File: /home/u/.hermes/plugins/kata/ward.py\n@@\n"}, TOUCHING),
        ("patch", {"path": f"{HOME}/config.yaml", "old_string": "a", "new_string": "kata: {}"}, SETTING_UP),
        ("write_file", {"path": f"{HOME}/config.yaml", "content": "plugins:\n  entries:\n    kata: {}"}, SETTING_UP),
        ("execute_code", {"code": "import os\nos.system('hermes kata approve 1')"}, DECIDING),
        ("execute_code", {"code": "import urllib.request as u\nu.urlopen('http://x/api/plugins/kata/katas')"}, CALLING),
        ("process_manage", {"action": "submit", "data": "hermes kata approve 1"}, DECIDING),
        ("process_manage", {"action": "submit", "data": "/kata approve 1 as x"}, DECIDING),
        ("mcp__shell__run", {"argv": ["hermes", "x"], "line": "hermes kata enable ship"}, DECIDING),
        ("browser_navigate", {"url": "http://127.0.0.1:9119/api/plugins/kata/overview"}, CALLING),
        ("bash", {"command": "hermes kata approve 1"}, DECIDING),
        ("terminal", {"command": "rm data.db", "workdir": f"{HOME}/plugin-data/kata"}, TOUCHING),
        ("terminal", {"command": "ls", "workdir": f"{HOME}/plugin-data/kata"}, ""),
        ("write_file", {"path": "notes.md", "content": "Type hermes kata approve 1"}, ""),
        ("write_file", {"path": "/srv/kata/config.yaml", "content": "port: 1"}, ""),
        ("read_file", {"path": "~/.hermes/plugins/kata/runtime.py"}, ""),
        ("search_files", {"pattern": "hermes kata approve", "path": "."}, ""),
        ("web_extract", {"urls": ["https://example.org/kata"]}, ""),
        ("delegate_task", {"goal": "explain hermes kata approve"}, ""),
        ("kata_ship", {"branch": "hermes kata approve"}, ""),
        ("terminal", {"command": 5}, ""),
        ("terminal", {}, ""),
    ],
)
def test_other_tools_are_read_by_what_they_do(tool: str, arguments: dict[str, object], reason: str) -> None:
    assert why(Call(tool, arguments)) == reason


def test_the_folder_of_the_terminal_counts() -> None:
    """A `cd` of an earlier call has led there."""
    assert why(Call("terminal", {"command": "rm data.db"}), f"{HOME}/plugin-data/kata") == TOUCHING
    assert why(Call("terminal", {"command": "rm -rf kata"}), f"{HOME}/plugins") == TOUCHING
    assert why(Call("write_file", {"path": "kata/ward.py", "content": ""}), f"{HOME}/plugins") == TOUCHING
    assert why(Call("terminal", {"command": "rm data.db"}), "/srv") == ""


def test_a_path_is_known_however_many_detours_it_makes() -> None:
    away = "/".join("abcdefghijkl") + "/.." * 12
    for path in (f"{HOME}/plugins/./kata/x", f"{HOME}/plugins/x/../kata/x", f"{HOME}/plugins/{away}/kata/x", f"{HOME}/plugins//kata/x"):
        assert why(Call("write_file", {"path": path, "content": ""})) == TOUCHING
        assert why(Call("terminal", {"command": f"touch {path}"}), "/srv") == TOUCHING


@pytest.mark.parametrize("command", ["cd {} && touch kata/x", "pushd {} && rm -r kata", "git -C {} checkout -- kata", "make -C {}/kata"])
def test_a_command_that_goes_elsewhere_first_is_read_from_there(command: str) -> None:
    assert why(Call("terminal", {"command": command.format(f"{HOME}/plugins")}), "/srv") == TOUCHING
    assert why(Call("terminal", {"command": command.format("/srv/app")}), "/srv") == ""


def test_a_command_beyond_what_is_parsed_is_searched_as_text() -> None:
    assert why(Call("terminal", {"command": "true; " * 1_000 + "hermes kata approve 1"})) == DECIDING
    assert why(Call("terminal", {"command": "echo kata; " * 1_000})) == ""


def test_without_time_there_is_no_opinion() -> None:
    """The agent never waits for us."""
    assert why(Call("terminal", {"command": "hermes kata approve 1"}), late=lambda: True) == ""


@given(st.text(st.sampled_from("hermes kata approve;|&'\"$()<>\\\n#{}` /.-="), max_size=60), st.text(max_size=20))
def test_whatever_it_is_given_it_answers(command: str, folder: str) -> None:
    for tool in ("terminal", "write_file", "execute_code"):
        assert isinstance(why(Call(tool, {"command": command, "path": command, "code": command, "deep": [[command]]}), folder), str)
