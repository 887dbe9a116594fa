"""Kata as a plugin of the real Hermes: checked, listed, shown, set up, paused, kept apart by profile, and removed without loss.
(K10, T81)"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from harness import CHECKOUT, DATABASE, NO_HOST, NOT_INSTALLED, Answer, Host, executable
from model_server import Say, Script, Step, ToolCalls, serving

WORDS = ("paused", "elsewhere", "resumed")


def steps(word: str) -> list[Step]:
    return [ToolCalls([("terminal", {"command": f"echo {word}"})]), Say(f"said {word}")]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """A home with kata for all tests of this file; the last one takes the plugin away."""
    hermes, script = executable(), Script()
    if hermes is None:
        pytest.skip(NO_HOST)
    for word in WORDS:
        script.turn(f"WORD {word}", steps(word))
    with serving(script) as server:
        host = Host(tmp_path_factory.mktemp("plugin"), server, hermes)
        host.install(CHECKOUT, "kata")
        yield host


def words(answer: Answer) -> str:
    """What was printed, without the breaks of lines."""
    return " ".join(answer.out.split())


def commands(host: Host, profile: str = "") -> list[str]:
    """The commands in the file of the home or of one of its profiles."""
    path = host.home / (Path("profiles", profile) if profile else "") / DATABASE
    return [row["arguments"]["command"] for row in host.rows("SELECT arguments FROM events ORDER BY number", path=path)]


def test_the_hosts_own_checks_pass(home: Host) -> None:
    checked = home.run("plugins", "validate", str(home.plugins / "kata")), home.run("plugins", "doctor", "--ci", str(home.plugins / "kata"))
    assert [answer.code for answer in checked] == [0, 0], checked
    assert "Validation passed." in checked[0].out and "✗" not in checked[0].out
    assert "OK: runtime discovery, manifest parsing, import, and registration passed" in checked[1].out
    # In a wheel the check takes every installed package for the host's own: the tab's FastAPI, which all dashboard plugins are made with.
    private = {"hermes_cli.plugins._dispatch_pre_tool_call_hooks", "tools.interrupt.is_interrupted"}
    assert private_imports(checked[0]) == private | {"fastapi"}


def private_imports(checked: Answer) -> set[str]:
    """What the host's check calls private of itself and we import: the catalog text discloses two of them, and there is no other."""
    _, found, listed = words(checked).partition("private core imports")
    return set(re.findall(r"\w+\.py:\d+ ([\w.]+\w)", listed)) if found else set()


def test_the_plugin_is_listed_and_shown(home: Host) -> None:
    listed = home.run("plugins", "list", "--plain", "--no-bundled")
    assert listed.code == 0 and listed.out.split() == ["enabled", "user", "0.1.0", "kata"], str(listed)
    shown = home.run("plugins", "show", "kata")
    assert shown.code == 0 and "kata v0.1.0" in shown.out and "finds the routines that repeat" in words(shown), str(shown)


def test_settings_that_are_wrong_or_unknown_are_named_and_those_that_are_meant_are_understood(home: Host) -> None:
    """B51, K93 to K100"""
    wrong = {"min_support": "three", "min_confidence": True, "record": "maybe", "learn_from": ["cron", "aliens"], "recrod": False}
    meant = {"max_steps": "6", "keep_results": "no", "read_retries": 2.0, "retention_days": "90"}
    home.configure(**wrong, **meant)
    answer = home.kata("status")
    assert answer.code == 0, str(answer)
    for name in ("min_support", "min_confidence", "record", "learn_from"):
        assert f"Setting {name}: expected" in words(answer), f"no word about {name}:\n{answer}"
    assert "'recrod'" in answer.out and "is none of ours" in words(answer)
    assert words(answer).endswith(
        "Settings min_support 3, min_confidence 0.75, max_steps 6 (from config.yaml), step_timeout_s 60, "
        "read_retries 2 (from config.yaml), "
        "retention_days 90 (from config.yaml), max_mb 200, record true, keep_results false (from config.yaml), learn_from none, ask effects"
    )
    told = json.loads(home.kata("status", "--json").out)
    assert told["recording"] is True and "recrod" in str(told["host"])
    home.configure()


def test_the_shell_answers_in_json_says_what_it_does_not_know_and_survives_a_closed_pipe(home: Host) -> None:
    """B53"""
    assert json.loads(home.kata("list", "--json").out) == {"katas": [], "near": []}
    odd, refused = home.kata("nonsense"), home.kata("review", "7", "--json")
    assert odd.code == 2 and "There is no command 'nonsense'" in odd.out and "status" in odd.out
    assert refused.code == 1 and "7" in json.loads(refused.out)["error"]
    read, write = os.pipe()
    os.close(read)
    for command, output in (('exec "$0" kata status', write), ('"$0" kata list | head -1', subprocess.PIPE)):
        shell = ["sh", "-c", command, str(home.hermes)]
        done = subprocess.run(shell, cwd=home.work, env=home.environment(), stdout=output, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 0 and "Traceback" not in done.stderr and "Exception" not in done.stderr, done.stderr
    os.close(write)


def test_a_word_in_the_shell_pauses_one_profile_and_leaves_the_other(home: Host) -> None:
    """K99, B17"""
    made = home.run("profile", "create", "other", "--clone", "--no-alias")
    assert made.code == 0, str(made)
    off = home.kata("record", "off")
    assert off.code == 0 and "Recording is off from the next message on" in words(off)
    with ThreadPoolExecutor() as both:
        chats = both.submit(home.chat, "WORD paused"), both.submit(home.run, "-p", "other", "chat", "-q", "WORD elsewhere")
    assert [chat.result().code for chat in chats] == [0, 0]
    assert "Recording off: paused with 'record off'" in words(home.kata("status"))
    assert json.loads(home.kata("record", "on", "--json").out) == {"recording": True}
    assert home.chat("WORD resumed").code == 0
    assert commands(home) == ["echo resumed"] and commands(home, profile="other") == ["echo elsewhere"]
    assert home.server.complaints == []


def test_what_was_recorded_survives_the_removal_of_the_plugin(home: Host) -> None:
    before = [line for line in home.kata("status").out.splitlines() if line.startswith(("Kept", "Last call"))]
    recorded = commands(home)
    removed = home.run("plugins", "remove", "kata")
    assert removed.code == 0 and not (home.plugins / "kata").exists(), str(removed)
    assert home.run("plugins", "list", "--plain", "--no-bundled").out.strip() == ""
    assert commands(home) == recorded
    shutil.copytree(CHECKOUT, home.plugins / "kata", ignore=NOT_INSTALLED)
    home.configure()
    assert [line for line in home.kata("status").out.splitlines() if line.startswith(("Kept", "Last call"))] == before
