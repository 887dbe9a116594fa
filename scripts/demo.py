"""Shows Kata at work without a model, a key or an installation: the real plugin on a stand-in host that fires the hooks Hermes fires.

    python scripts/demo.py          # about two seconds; everything happens in a temporary folder

Only the host and the model are stand-ins: the tools really run, in the temporary folder, and the plugin is the one beside this file.
"""

from __future__ import annotations

import argparse
import importlib.util
import io
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parent.parent
Arguments = dict[str, Any]
TODOS = {"amber": "parser.py", "birch": "lexer.py", "cobalt": "printer.py", "fjord": "reader.py", "heron": "writer.py"}


class Tools:
    """Four of Hermes' tools, over one folder, answering in Hermes' shapes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def terminal(self, command: str, timeout: int = 60, workdir: str = "", **_: Any) -> Json:
        done = subprocess.run(command, shell=True, cwd=workdir or self.folder, capture_output=True, text=True, timeout=timeout)
        return {"output": (done.stdout + done.stderr).rstrip("\n"), "exit_code": done.returncode, "error": None}

    def search_files(self, pattern: str, path: str = ".", **_: Any) -> Json:
        found = []
        for file in sorted((self.folder / path).rglob("*.py")):
            for number, line in enumerate(file.read_text().splitlines(), 1):
                if pattern in line:
                    found.append({"path": str(file.relative_to(self.folder)), "line": number, "content": line})
        return {"total_count": len(found), "matches": found}

    def read_file(self, path: str, **_: Any) -> Json:
        lines = (self.folder / path).read_text().splitlines()
        return {"content": "\n".join(f"{n}|{line}" for n, line in enumerate(lines, 1)), "total_lines": len(lines)}

    def write_file(self, path: str, content: str, **_: Any) -> Json:
        target = self.folder / path
        if target.is_dir():
            return {"error": f"{target.name} is a folder"}
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content)
        return {"bytes_written": len(content), "resolved_path": str(target)}


Json = Any
SCHEMAS = {
    "terminal": {"command": "string", "timeout": "integer", "workdir": "string"},
    "search_files": {"pattern": "string", "path": "string"},
    "read_file": {"path": "string"},
    "write_file": {"path": "string", "content": "string"},
}


class Registry:
    """Stands in for `tools.registry.registry`: the schemas of the tools, and their dispatch."""

    def __init__(self, tools: Tools) -> None:
        self.tools: dict[str, Callable[..., str]] = {name: self._plain(getattr(tools, name)) for name in SCHEMAS}
        self.schemas: dict[str, Arguments] = {
            name: {"name": name, "parameters": {"type": "object", "properties": {key: {"type": kind} for key, kind in keys.items()}}}
            for name, keys in SCHEMAS.items()
        }

    @staticmethod
    def _plain(tool: Callable[..., Json]) -> Callable[..., str]:
        return lambda arguments, **_: json.dumps(tool(**arguments))

    def get_schema(self, name: str) -> Arguments | None:
        return self.schemas.get(name)


class Handle:
    """What registering a tool gives back."""

    def __init__(self, dispose: Callable[[], None]) -> None:
        self.dispose = dispose


class Host:
    """Stands in for Hermes and its plugin context: keeps what the plugin registers, and fires its hooks."""

    def __init__(self, folder: Path) -> None:
        self.registry = Registry(Tools(folder))
        self.hooks: dict[str, Callable[..., Any]] = {}
        self.commands: dict[str, Callable[[str], str]] = {}
        self.section: Callable[[Any], str] = lambda info: ""
        self.unload: Callable[[], None] = lambda: None
        self.requests = 0

    # The plugin context.

    def get_config(self, name: str, default: Any = None) -> Any:
        return default

    def register_hook(self, name: str, hook: Callable[..., Any]) -> None:
        self.hooks[name] = hook

    def register_tool(self, name: str, toolset: str, schema: Arguments, handler: Callable[..., str], **_: Any) -> Handle:
        self.registry.tools[name], self.registry.schemas[name] = handler, schema

        def dispose() -> None:
            del self.registry.tools[name], self.registry.schemas[name]

        return Handle(dispose)

    def register_command(self, name: str, handler: Callable[[str], str], **_: Any) -> None:
        self.commands[name] = handler

    def register_cli_command(self, name: str, **_: Any) -> None:
        """`hermes kata` needs a shell; here `/kata` shows the same."""

    def register_system_prompt_section(self, name: str, content: Callable[[Any], str], **_: Any) -> None:
        self.section = content

    def on_unload(self, callback: Callable[[], None]) -> None:
        self.unload = callback

    def guards(self, tool_name: str, args: Arguments | None, **hook_kwargs: Any) -> tuple[str | None, Arguments | None]:
        """What all plugins say before a call: why it is refused, and its arguments rewritten. Here is only one plugin."""
        directive = self.hooks["pre_tool_call"](tool_name=tool_name, args=args, **hook_kwargs)
        return (directive["message"] if directive else None), None

    def dispatch_tool(self, name: str, arguments: Arguments, **ids: Any) -> str:
        try:
            return self.registry.tools[name](arguments, **ids)
        except (OSError, KeyError, TypeError) as error:
            return json.dumps({"error": f"{type(error).__name__}: {error}"})


class Conversation:
    """One chat: fires the hooks that Hermes fires, with its payloads, around every call that the agent makes."""

    def __init__(self, host: Host, number: int) -> None:
        self.host, self.session = host, f"20261130_10000{number}_demo0{number}"
        self.turn = f"{self.session}:{self.session}:{number:08x}"
        self.ids = {"session_id": self.session, "task_id": self.session, "turn_id": self.turn}
        self.requests = 0

    def say(self, text: str) -> None:
        print(f"\nYou    {text}")
        self.host.hooks["on_session_start"](session_id=self.session, model="stand-in", platform="cli")
        extra = {"is_first_turn": True, "model": "stand-in", "platform": "cli", "parent_session_id": "", "sender_id": ""}
        self.host.hooks["pre_llm_call"](user_message=text, conversation_history=[], **self.ids, **extra)

    def call(self, tool: str, **arguments: Any) -> Json:
        """One model request that asks for one tool call, and the call."""
        call_id, request = f"call_{self.requests}", self._request(1)
        asked = {"tool_name": tool, "args": arguments, "tool_call_id": call_id, "api_request_id": request, **self.ids}
        directive = self.host.hooks["pre_tool_call"](**asked)
        if directive:
            print("Hermes asks you before it runs:")
            quote(directive["message"])
            print("You    yes, once")
        began = time.monotonic()
        result = self.host.dispatch_tool(tool, arguments, task_id=self.session, session_id=self.session)
        status = "error" if json.loads(result).get("error") else "ok"
        self.host.hooks["post_tool_call"](result=result, status=status, duration_ms=int(1000 * (time.monotonic() - began)), **asked)
        print(short(f"Agent  {told(tool, arguments)}"))
        return json.loads(result)

    def answer(self, text: str) -> None:
        self._request(0)
        print(f"Agent  {text}")
        self.host.hooks["on_session_end"](completed=True, failed=False, interrupted=False, model="stand-in", platform="cli", **self.ids)
        line = self.host.hooks["on_session_finalize"](session_id=self.session, platform="cli", reason="shutdown")
        if line:
            print("\n" + "\n".join(textwrap.wrap(f">>> {line}", 80, subsequent_indent="    ")))

    def _request(self, calls: int) -> str:
        request = f"{self.turn}:api:{self.requests}"
        self.requests += 1
        usage = {"input_tokens": 2_000, "output_tokens": 60}
        message = {"tool_calls": [{"id": f"call_{self.requests - 1}"}] * calls}
        self.host.hooks["post_api_request"](
            api_request_id=request,
            model="stand-in",
            api_duration=1.0,
            ended_at=time.time(),
            usage=usage,
            assistant_message=message,
            **self.ids,
        )
        return request


def stand_ins(folder: Path, host: Host) -> Iterator[tuple[str, types.ModuleType]]:
    """The host modules that the plugin asks for, over `folder`, whether or not Hermes is installed here."""

    def plugin_db(name: str) -> sqlite3.Connection:
        home = folder / "home" / "plugin-data" / name
        home.mkdir(parents=True, exist_ok=True)
        return sqlite3.connect(home / "data.db", check_same_thread=False)

    contents: dict[str, dict[str, Any]] = {
        "plugins": {},
        "plugins.plugin_storage": {"plugin_db": plugin_db, "plugin_data_dir": lambda name: folder / "home" / "plugin-data" / name},
        "tools": {},
        "tools.registry": {"registry": host.registry},
        "tools.interrupt": {"is_interrupted": lambda: False},
        "hermes_constants": {"get_hermes_home": lambda: folder / "home"},
        "hermes_state": {},
        "hermes_cli": {},
        "hermes_cli.config": {"load_config_readonly": dict},
        "hermes_cli.plugins": {"_dispatch_pre_tool_call_hooks": host.guards},
        "agent": {},
        "agent.runtime_cwd": {"resolve_agent_cwd": lambda: folder / "project"},
    }
    for name, members in contents.items():
        module = types.ModuleType(name)
        module.__dict__.update(members, __path__=[])
        yield name, module


sys.dont_write_bytecode = True  # nothing changes outside the folder, the checkout included


def load(folder: Path, host: Host) -> Callable[[Any], None]:
    """The plugin's `register`, out of the checkout beside this file."""
    for name, module in stand_ins(folder, host):
        sys.modules[name] = module
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)
    spec = importlib.util.spec_from_file_location("kata_demo", CHECKOUT / "__init__.py", submodule_search_locations=[str(CHECKOUT)])
    assert spec is not None and spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules["kata_demo"] = package
    spec.loader.exec_module(package)
    register: Callable[[Any], None] = package.register
    return register


def by_hand(chat: Conversation, word: str) -> None:
    """The chore as an agent does it: five calls, each after a model request that saw the result before."""
    chat.say(f"Take a note of the TODO about {word}, please.")
    chat.call("terminal", command="ls src")
    found = chat.call("search_files", pattern=f"TODO({word})", path="src")
    path = found["matches"][0]["path"]
    chat.call("read_file", path=path)
    chat.call("terminal", command=f"wc -l {path}")
    chat.call("write_file", path=f"notes/{word}.md", content=f"# {word}\n\nOpen in {path}\n")
    chat.answer(f"Noted in notes/{word}.md.")


def told(tool: str, arguments: Arguments) -> str:
    """A call as one line: `read_file path='src/parser.py'`."""
    return f"{tool} {' '.join(f'{key}={value!r}' for key, value in arguments.items())}"


def short(line: str) -> str:
    """The line in 80 columns."""
    return line if len(line) <= 80 else line[:79] + "…"


def quote(text: str) -> None:
    """Text that the plugin gave to somebody, at 80 columns."""
    for line in text.split("\n"):
        print("\n".join(textwrap.wrap(line, 80, initial_indent="       | ", subsequent_indent="       |    ", break_on_hyphens=False)))


def typed(host: Host, words: str) -> None:
    """What a person types in a chat, and what the plugin answers."""
    print(f"\nYou    {f'/kata {words}'.rstrip()}")
    print(host.commands["kata"](words))


# ── The story ────────────────────────────────────────────────────────────────────────────────────


def play(folder: Path) -> None:
    """The whole story, in `folder`."""
    project = folder / "project"
    for word, file in TODOS.items():
        path = project / "src" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"import sys\n\n# TODO({word}): tidy this up\n")
    host = Host(project)
    load(folder, host)(host)
    hand = learnt(host)
    approved(host)
    done = replayed(host, project)
    stopped(host)
    handed_back(host, project)
    typed(host, "runs note_todo")
    print(f"\nModel requests for the chore: {hand} by hand, {done} with the kata; saved each time: {hand - done}.")
    host.unload()


def learnt(host: Host) -> int:
    """Three conversations by hand; the model requests that the last of them took."""
    print("Three conversations, the same chore each time, with another word:")
    for number, word in enumerate(list(TODOS)[:3], 1):
        chat = Conversation(host, number)
        by_hand(chat, word)
        if number == 2:
            print("\nTwice is no routine yet:")
            typed(host, "mine")
            typed(host, "")
    return chat.requests


def approved(host: Host) -> None:
    """The person looks at the proposal and approves it."""
    typed(host, "")
    typed(host, "review 1")
    typed(host, "approve 1 as note_todo")


def replayed(host: Host, project: Path) -> int:
    """The fourth conversation, in which the chore is one call; the model requests that it took."""
    print("\nThe fourth conversation begins with this in its prompt:")
    quote(host.section({}))
    chat = Conversation(host, 4)
    chat.say("Take a note of the TODO about fjord, please.")
    done = chat.call("kata_note_todo", pattern="fjord")
    quote(steps(done))
    chat.answer("Noted in notes/fjord.md.")
    print("       notes/fjord.md: " + " ".join((project / "notes" / "fjord.md").read_text().split()))
    return chat.requests


def stopped(host: Host) -> None:
    """The fifth, in which there is nothing to be noted."""
    print("\nA word that stands nowhere: the routine stops before it writes anything.")
    chat = Conversation(host, 5)
    chat.say("Take a note of the TODO about onyx, please.")
    answer = chat.call("kata_note_todo", pattern="onyx")
    quote("error: " + answer["error"])
    quote(steps(answer))
    chat.answer("There is no TODO about onyx.")


def handed_back(host: Host, project: Path) -> None:
    """The sixth, in which the last step fails and the agent goes on with the call that it is handed."""
    print("\nA folder has that name already: the last step fails, and the answer hands back")
    print("the call that comes next. The agent makes it, with another name.")
    (project / "notes" / "heron.md").mkdir()
    chat = Conversation(host, 6)
    chat.say("Take a note of the TODO about heron, please.")
    answer = chat.call("kata_note_todo", pattern="heron")
    quote("error: " + answer["error"])
    quote(steps(answer))
    ahead = answer["next"]
    quote("next: " + told(ahead["tool"], ahead["arguments"]))
    chat.call(ahead["tool"], **ahead["arguments"] | {"path": "notes/heron-todo.md"})
    chat.answer("Noted in notes/heron-todo.md: notes/heron.md is a folder.")


def steps(answer: Json) -> str:
    """What became of every step."""
    return ", ".join(f"{step['step']} {step['tool']} {step['status']}" for step in answer["steps"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", metavar="FOLDER", help="work in this new folder and keep it")
    options = parser.parse_args()
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a pipe on Windows, or LANG=C, knows fewer signs than the pages hold
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="kata-demo-") as temporary:
        folder = Path(options.keep or temporary).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        play(folder)
        os.chdir(before)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # a reader that went away (`| head`) is no error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
