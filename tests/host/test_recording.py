"""One conversation of every kind of call on the real Hermes: what is in the plugin's file is exactly what happened, and nothing secret.
(K2, K103, T1, T6, T11)"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from harness import CHECKOUT, NO_HOST, Answer, Host, decoded, executable
from model_server import USAGE, Say, Script, Step, ToolCalls, serving

GUARD = '''
def register(ctx):
    ctx.register_hook("pre_tool_call", guard)
    ctx.register_tool(name="recite", toolset="guard", schema=SCHEMA, handler=lambda args, **_: POEMS[args["poem"]])

def guard(tool_name="", args=None, **_):
    if tool_name == "terminal" and "forbidden" in str(args):
        return {"action": "block", "message": "The guard says no."}

SCHEMA = {"name": "recite", "description": "Recite a poem.", "parameters": {"type": "object", "properties": {"poem": {"type": "string"}}}}
'''
LETTERS = "Zq8xW3nB5kRt7Lm2"
SECRETS = {
    "github": "ghp_" + (LETTERS * 3)[:36],
    "anthropic": "sk-ant-" + "api03-" + (LETTERS * 6)[:93],
    "password": "Tr0ub4dor" + LETTERS[:7],
    "bearer": "eyJhbGciOi" + LETTERS * 2,
    "key": LETTERS[::-1] * 2,
}
"""Made here, piece by piece, so that no scanner takes this file for a leak."""
POEMS = {
    "verse": "roses are red\nviolets are blue\n\n  no JSON for you\n",
    "env": f"DB_PASSWORD={SECRETS['password']}\nANTHROPIC_API_KEY={SECRETS['anthropic']}\nPLAIN=yes\n",
    "epic": "".join(f"line {n:05d} of a long song, token={SECRETS['github']} {'x' * 60}\n" for n in range(1_300)),
}
"""Answers in plain text, which the host does not mask as it does with what a terminal shows. Every line of the long one is secret, so
that no cut can miss a secret."""


@dataclass(frozen=True)
class Recorded:
    """The conversation as the host told it, and the home with the plugin's file."""

    host: Host
    answer: Answer


def guarded(host: Host, folder: Path) -> None:
    """Install kata and a plugin that vetoes one command and answers in plain text."""
    manifest = "name: guard\nversion: 0.1.0\ndescription: Guards.\nprovides_hooks: [pre_tool_call]\nprovides_tools: [recite]\n"
    (folder / "guard").mkdir()
    (folder / "guard" / "plugin.yaml").write_text(manifest)
    (folder / "guard" / "__init__.py").write_text(f"POEMS = {POEMS!r}\n{GUARD}")
    host.install(CHECKOUT, "kata")
    host.install(folder / "guard", "guard")


def furnish(folder: Path) -> None:
    """Small files, one of them with a secret in JSON."""
    (folder / "a.txt").write_text("one\ntwo\nthree\n")
    (folder / "b.txt").write_text("vier\nfünf\n")
    (folder / "page.json").write_text('{"items": [{"id": 7, "tags": []}], "api_key": "' + SECRETS["key"] + '"}')
    (folder / "notes").mkdir()


def recital(poem: str) -> Step:
    """A call of the guard's tool through the host's bridge."""
    return ToolCalls([("tool_call", {"calls": [{"name": "recite", "arguments": {"poem": poem}}]})])


FETCH = f"true -s -H 'Authorization: Bearer {SECRETS['bearer']}' --password {SECRETS['password']} https://me:{SECRETS['github']}@x.invalid/"
HALF = "half a \ud83d character"
MESSAGE = f"Do everything, please. My key is {SECRETS['anthropic']}, and the host is example.org."
STEPS: tuple[Step, ...] = (
    ToolCalls([("terminal", {"command": "echo hi"})]),
    ToolCalls([("read_file", {"path": "a.txt", "limit": "2"})]),
    ToolCalls(
        [
            ("search_files", {"pattern": "two", "path": ".", "limit": "9"}),
            ("read_file", {"path": "b.txt", "limit": "2"}),
            ("read_file", {"path": "a.txt", "limit": "2", "offset": "2"}),
        ]
    ),
    ToolCalls([("terminal", {"command": "ls nothing"}), ("terminal", {"command": "echo forbidden"}), ("read_file", {"path": "none.txt"})]),
    ToolCalls([("terminal", {"command": "printf 'first\\nsecond\\n\\nlast'"}), ("terminal", {"command": "cat page.json"})]),
    recital("verse"),
    recital("epic"),
    ToolCalls([("terminal", {"command": FETCH, "timeout": "20"})]),
    recital("env"),
    ToolCalls([("read_file", {"path": "a.txt", "limit": "2"})]),
    ToolCalls([("terminal", {"command": "cd notes"}), ("terminal", {"command": "grep zebra ../a.txt"})]),
    ToolCalls([("write_file", {"path": "half.txt", "content": HALF})]),
    Say("All done."),
)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorded]:
    """One conversation for all tests of this file: a start of the host costs seconds."""
    hermes, folder = executable(), tmp_path_factory.mktemp("recorded")
    if hermes is None:
        pytest.skip(NO_HOST)
    with serving(Script().turn("Do everything", STEPS)) as server:
        host = Host(folder, server, hermes)
        guarded(host, folder)
        furnish(host.work)
        answer = host.chat(MESSAGE)
        assert answer.code == 0 and server.complaints == [] and "All done." in answer.out, str(answer)
        yield Recorded(host, answer)


READ = {"path": "a.txt", "limit": 2}
HAPPENED: tuple[tuple[str, Any, str, str, str], ...] = (
    ("terminal", {"command": "echo hi"}, "ok", "", "ok"),
    ("read_file", READ, "ok", "", "ok"),
    ("search_files", {"pattern": "two", "path": ".", "limit": 9}, "ok", "", "ok"),
    ("read_file", READ | {"path": "b.txt"}, "ok", "", "ok"),
    ("read_file", READ | {"offset": 2}, "ok", "", "ok"),
    ("terminal", {"command": "ls nothing"}, "error", "exit code 2: ls: cannot access 'nothing': No such file or directory", "error"),
    ("terminal", {"command": "echo forbidden"}, "error", "The guard says no.", "blocked"),
    ("read_file", {"path": "none.txt"}, "error", "File not found: {work}/none.txt", "error"),
    ("terminal", {"command": "printf 'first\\nsecond\\n\\nlast'"}, "ok", "", "ok"),
    ("terminal", {"command": "cat page.json"}, "ok", "", "ok"),
    ("recite", {"poem": "verse"}, "ok", "", "ok"),
    ("recite", {"poem": "epic"}, "ok", "", "ok"),
    ("terminal", "FETCH", "ok", "", "ok"),
    ("recite", {"poem": "env"}, "ok", "", "ok"),
    ("read_file", READ, "ok", "", "ok"),
    ("terminal", {"command": "cd notes"}, "ok", "", "ok"),
    ("terminal", {"command": "grep zebra ../a.txt"}, "ok", "", "error"),  # the host marks it as no error (A20)
    ("write_file", {"path": "half.txt", "content": HALF}, "error", "Refusing to write '", "error"),
)
"""Tool, arguments, our judgement, how its reason begins, and what the host said."""


def test_the_rows_are_what_happened_in_the_order_of_the_model_with_our_judgement(recorded: Recorded) -> None:
    """B03, B39, B46"""
    rows = recorded.host.calls()
    seen = [(row["tool"], row["arguments"], row["status"], row["said"]) for row in rows]
    expected = [(tool, args, status, said) for tool, args, status, _, said in HAPPENED]
    expected[12] = (seen[12][0], seen[12][1], "ok", "ok")  # a masked command, which a test of its own reads
    assert seen == expected
    for row, (_, _, _, reason, _) in zip(rows, HAPPENED, strict=True):
        begins = reason.format(work=recorded.host.work)
        assert row["reason"].startswith(begins) and bool(row["reason"]) is bool(begins), row["reason"]
    assert [row["position"] for row in rows] == list(range(len(HAPPENED)))
    assert len({row["call_id"] for row in rows}) == len(HAPPENED)


def test_parallel_and_sequential_calls_leave_equal_arguments(recorded: Recorded) -> None:
    """The host makes text fit the schema only where it runs calls in parallel."""
    reads = [row["arguments"] for row in recorded.host.calls(tool="read_file") if "limit" in row["arguments"]]
    assert reads == [READ, READ | {"path": "b.txt"}, READ | {"offset": 2}, READ], "the two in the middle ran at the same time"
    assert [row["arguments"]["timeout"] for row in recorded.host.calls(tool="terminal") if "timeout" in row["arguments"]] == [20]


def test_results_are_kept_as_values_and_the_large_one_by_head_and_tail(recorded: Recorded) -> None:
    rows = recorded.host.calls()
    assert rows[0]["result"] == {"output": "hi", "exit_code": 0, "error": None}
    assert rows[1]["result"]["content"] == "1|one\n2|two" and rows[3]["result"]["content"] == "1|vier\n2|fünf"
    assert rows[2]["result"]["matches"] == [{"path": str(recorded.host.work / "a.txt"), "line": 2, "content": "two"}]
    assert rows[6]["result"] == {"error": "The guard says no."}
    assert rows[8]["result"]["output"] == "first\nsecond\n\nlast"
    assert rows[9]["result"]["output"].startswith('{"items": [{"id": 7, "tags": []}], "api_key": "KATASECRET_')
    assert rows[10]["result"] == POEMS["verse"]
    large = rows[11]["result"]
    assert isinstance(large, str) and 65_536 < len(large) < 65_700 and "characters cut by Kata …]" in large
    assert large.startswith("line 00000 of a long song, token=KATASECRET_") and "line 01299 of a long song, token=KATASECRET_" in large
    assert len(POEMS["epic"]) > 170_000 and "<persisted-output>" in recorded.answer.results[11], "the model was given a stub"


def test_nothing_secret_is_in_the_bytes_of_the_files_nor_in_any_value(recorded: Recorded) -> None:
    """B19, B52"""
    host, folder = recorded.host, recorded.host.database.parent
    shown = str(recorded.answer.requests)
    assert all(secret in shown for secret in SECRETS.values()), "the model saw every secret, so the hooks did"
    raw = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    whole = "\n".join(repr(row) for table in tables(host.database) for row in host.rows(f"SELECT * FROM {table}"))
    for name, secret in SECRETS.items():
        for part in (secret, secret[4:20], secret[-12:]):
            assert part.encode() not in raw, f"{name} is in the bytes of the file"
            assert part not in whole, f"{name} is in a value: {whole[whole.find(part) - 200 : whole.find(part) + 200]}"


def tables(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        return [str(name) for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]


def test_one_secret_has_one_placeholder_and_the_command_around_it_stands(recorded: Recorded) -> None:
    rows = recorded.host.calls()
    command, env = rows[12]["arguments"]["command"], rows[13]["result"]
    words = command.split()
    assert words[:4] == ["true", "-s", "-H", "'Authorization:"] and words[6] == "--password" and len(words) == 9
    assert words[5].startswith("KATASECRET_") and words[5].endswith("'")
    assert words[8].startswith("https://") and words[8].endswith("@x.invalid/")
    password = words[7]
    assert password.startswith("KATASECRET_") and f"DB_PASSWORD={password}\n" in env and "PLAIN=yes" in env
    (message,) = [row["message"] for row in recorded.host.rows("SELECT message FROM turns")]
    key = message.removeprefix("Do everything, please. My key is ").removesuffix(", and the host is example.org.")
    assert key.startswith("KATASECRET_") and f"ANTHROPIC_API_KEY={key}" in env


def test_every_model_request_of_the_turn_is_there_with_its_tokens(recorded: Recorded) -> None:
    """A34"""
    (turn,) = recorded.host.rows("SELECT * FROM turns")
    assert (turn["who"], turn["platform"], turn["session"], turn["conversation"]) == ("person", "cli", *[recorded.answer.session] * 2)
    assert turn["started"] < turn["ended"]
    rows = recorded.host.rows("SELECT * FROM requests ORDER BY rowid")
    assert len(rows) == len(recorded.answer.asked) == len(STEPS)
    usage = (USAGE["prompt_tokens"], USAGE["completion_tokens"], 0)
    assert {(row["input_tokens"], row["output_tokens"], row["cache_tokens"]) for row in rows} == {usage}
    assert [row["tool_calls"] for row in rows] == [len(step.calls) if isinstance(step, ToolCalls) else 0 for step in STEPS]
    assert all(row["model"] == "stand-in" and 0 < row["seconds"] < 30 for row in rows)
    order = [row["request"] for row in recorded.host.calls()]
    assert order == [row["request"] for row in rows for _ in range(row["tool_calls"])], "each call names the request that asked for it"


def test_each_call_names_the_schema_it_was_made_for_and_only_the_owner_may_read(recorded: Recorded) -> None:
    known = {row["fingerprint"]: row["tool"] for row in recorded.host.rows("SELECT * FROM schemas")}
    assert all(known[row["schema"]] == row["tool"] for row in recorded.host.calls())
    assert recorded.host.counters() == {}
    path = recorded.host.database
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
    assert decoded(b"T\xed\xa0\xbd") == "\ud83d"
