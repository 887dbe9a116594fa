"""The harness itself, proven with a plugin made on the spot: what the stand-in model asks for is what the hooks of the real host tell."""

import json
import shlex
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import starter

from harness import Host
from model_server import USAGE, CallKata, Say, Script, ToolCalls, announced, argument_names, serving

SPY = '''
import json

NAMES = ("on_session_start", "pre_llm_call", "post_tool_call", "post_api_request", "on_session_end", "on_session_finalize")
KEEP = ("tool_name", "args", "result", "status", "session_id", "turn_id", "user_message", "usage", "task_id")

def register(ctx):
    for name in NAMES:
        ctx.register_hook(name, listener(name))
    ctx.register_tool(name="kata_echo", toolset="kata", schema=SCHEMA, handler=lambda args, **_: json.dumps({"said": args["word"]}))
    ctx.register_system_prompt_section("spy", "Katas\\n- kata_echo(word): says it")

def listener(name):
    def listen(**payload):
        with open(LOG, "a") as file:
            file.write(json.dumps({"hook": name} | {key: payload[key] for key in KEEP if key in payload}) + "\\n")
    return listen

SCHEMA = {"name": "kata_echo", "description": "Say it. Twice.", "parameters": {"type": "object",
    "properties": {"word": {"type": "string"}}, "required": ["word"]}}
'''


def spy(host: Host, folder: Path) -> Path:
    """Install a plugin that writes down what its hooks hear; gives the file that it writes to."""
    log, plugin = folder / "heard", folder / "spy"
    plugin.mkdir()
    hooks = "post_tool_call, pre_llm_call, post_api_request, on_session_start, on_session_end, on_session_finalize"
    manifest = f"name: spy\nversion: 0.1.0\ndescription: Listens.\nprovides_hooks: [{hooks}]\nprovides_tools: [kata_echo]\n"
    (plugin / "plugin.yaml").write_text(manifest)
    (plugin / "__init__.py").write_text(f"LOG = {str(log)!r}\n{SPY}")
    host.install(plugin, "spy")
    return log


def heard(log: Path, hook: str) -> list[dict[str, Any]]:
    payloads = [json.loads(line) for line in log.read_text().splitlines()]
    return [payload for payload in payloads if payload["hook"] == hook]


def test_the_hooks_of_the_real_host_hear_what_the_model_asked_for_in_order(bare: Host, script: Script, tmp_path: Path) -> None:
    log = spy(bare, tmp_path)
    write = ToolCalls([("write_file", lambda results: {"path": "notes/a.txt", "content": results[0]["output"]})])
    script.turn("greet", [ToolCalls([("terminal", {"command": "echo hi"})]), write, Say("all done")])
    answer = bare.chat("please greet me")
    assert answer.code == 0 and "all done" in answer.out, str(answer)
    assert bare.server.complaints == []
    assert len(answer.asked) == 3
    calls = heard(log, "post_tool_call")
    assert [(call["tool_name"], call["args"], call["status"]) for call in calls] == [
        ("terminal", {"command": "echo hi"}, "ok"),
        ("write_file", {"path": "notes/a.txt", "content": "hi"}, "ok"),
    ]
    assert json.loads(calls[0]["result"]) == {"output": "hi", "exit_code": 0, "error": None}
    assert bare.tree() == {"notes/a.txt": "hi"}
    assert [turn["user_message"] for turn in heard(log, "pre_llm_call")] == ["please greet me"]
    assert {call["turn_id"] for call in calls} == {heard(log, "pre_llm_call")[0]["turn_id"]}
    usage = [request["usage"] for request in heard(log, "post_api_request")]
    assert [(use["prompt_tokens"], use["output_tokens"]) for use in usage] == [(USAGE["prompt_tokens"], USAGE["completion_tokens"])] * 3
    assert len(heard(log, "on_session_start")) == len(heard(log, "on_session_end")) == len(heard(log, "on_session_finalize")) == 1
    assert bare.far.read_text() == ""


def test_an_announced_kata_is_called_once_through_the_bridge(bare: Host, script: Script, tmp_path: Path) -> None:
    log = spy(bare, tmp_path)
    script.turn("say it", [CallKata("echo", ("beta",)), Say("said")])
    answer = bare.chat("say it")
    assert len(answer.asked) == 2 and bare.server.complaints == [], str(answer)
    assert "kata_echo(word)" in answer.prompt
    assert [(call["tool_name"], call["args"]) for call in heard(log, "post_tool_call")] == [("kata_echo", {"word": "beta"})]
    assert json.loads(answer.results[0]) == {"said": "beta"}


def test_a_kata_that_no_prompt_announces_is_not_called(bare: Host, script: Script) -> None:
    script.turn("say it", [CallKata("echo", ("beta",)), Say("said")])
    answer = bare.chat("say it")
    assert len(answer.asked) == 1
    assert bare.server.complaints == ["SCRIPT: kata_echo is not announced; announced are []"]


def test_validate_and_doctor_pass_on_a_good_plugin_and_fail_on_a_bad_one(bare: Host, tmp_path: Path) -> None:
    spy(bare, tmp_path)
    good = bare.run("plugins", "validate", str(tmp_path / "spy")), bare.run("plugins", "doctor", "--ci", str(tmp_path / "spy"))
    assert [answer.code for answer in good] == [0, 0], good
    (tmp_path / "spy" / "__init__.py").write_text("def register(ctx):\n    raise ValueError('no')\n")
    bad = bare.run("plugins", "validate", str(tmp_path / "spy")), bare.run("plugins", "doctor", "--ci", str(tmp_path / "spy"))
    assert all(answer.code != 0 for answer in bad), bad


def test_a_starter_loads_nothing_of_the_host_and_each_process_is_one_of_its_own(bare: Host, hermes: Path) -> None:
    """What Hermes and Kata do when they start is done in each `hermes` of these tests; only libraries of others are there before."""
    code = "import sys; sys.path[0] = sys.argv[1]; import starter; starter.load(); print(*sys.modules)"
    words = [hermes.parent / "python", "-c", code, Path(starter.__file__).parent]
    loaded = subprocess.run(words, capture_output=True, text=True, check=True, env=bare.environment()).stdout.split()
    theirs = {"agent", "cli", "cron", "gateway", "model_tools", "plugins", "run_agent", "tools", "utils"}
    assert "openai" in loaded and not [name for name in loaded if name.split(".")[0] in theirs or name.startswith("hermes")]
    assert bare.run("--version").out == bare.run("--version").out
    assert bare.run("no-such-command").code == 2
    bare.variables["HERMES_HOME"] = str(bare.root / "elsewhere")
    assert str(bare.root / "elsewhere") in bare.run("config", "path").out


def test_no_connection_leaves_this_machine(bare: Host, script: Script) -> None:
    (bare.work / "look.py").write_text("import socket\nsocket.create_connection(('192.0.2.1', 80), 2)\n")
    script.turn("look outside", [ToolCalls([("terminal", {"command": f"{shlex.quote(sys.executable)} look.py"})]), Say("could not")])
    answer = bare.chat("look outside")
    assert "stay on loopback" in answer.results[0], str(answer)
    assert bare.far.read_text() == "host 192.0.2.1\n"


# ── The stand-in model, without a host ───────────────────────────────────────────────────────────


def test_the_matcher_reads_names_and_arguments_out_of_the_system_prompt_only() -> None:
    prompt = {"role": "system", "content": "x\n- kata_a(word, path: string): does\nkata_b()\n"}
    messages = [prompt, {"role": "user", "content": "kata_c(x)"}]
    assert announced(messages) == {"a": ("word", "path"), "b": ()}
    assert argument_names('word="x", n?: integer') == ("word", "n")


@pytest.mark.parametrize("streamed", [False, True])
def test_the_server_answers_whole_and_streamed(streamed: bool) -> None:
    script = Script().turn("go", [ToolCalls([("terminal", {"command": "ls"})])])
    body = {"messages": [{"role": "user", "content": "go"}], "tools": [{}], "stream": streamed}
    with serving(script) as server:
        post = urllib.request.Request(f"{server.url}/chat/completions", json.dumps(body).encode())
        with urllib.request.urlopen(post, timeout=5) as response:
            text = response.read().decode()
    assert server.requests == [body]
    assert "call_1_0" in text and text.count("tool_calls") >= 2 and str(USAGE["total_tokens"]) in text
    assert text.endswith("data: [DONE]\n\n") is streamed
