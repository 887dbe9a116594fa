"""A second plugin for the host tests: it writes down every call that reaches a tool, whoever makes it, and every question that a person is
asked, and owns a tool that hangs on a pipe."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import Host

SOURCE = '''
import json
import threading

ENDED = threading.Event()

def register(ctx):
    from tools.registry import registry
    whole = registry.dispatch
    def dispatch(name, args, *more, **ids):
        note(at="begin", tool=name, args=args, task=ids.get("task_id"))
        try:
            return whole(name, args, *more, **ids)
        finally:
            note(at="end", tool=name)
            if name.startswith("kata_"):
                ENDED.set()
    registry.dispatch = dispatch
    ctx.register_hook("pre_approval_request", asked)
    ctx.register_tool(name="ponder", toolset="witness", schema=PONDER, handler=ponder)
    ctx.register_tool(name="await_end", toolset="witness", schema=AWAIT, handler=await_end)

def note(**what):
    with open(LOG, "a") as file:
        file.write(json.dumps(what) + "\\n")

def asked(description="", **_):
    note(at="asked", question=description)

def ponder(args, **_):
    with open(args["path"]) as file:
        return json.dumps({"thought": file.read()})

def await_end(args, **_):
    with open(args["path"], "w") as file:
        file.write("late")
    return json.dumps({"ended": ENDED.wait(60)})

PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
PONDER = {"name": "ponder", "description": "Think about a file.", "parameters": PATH}
AWAIT = {"name": "await_end", "description": "Let a thought end, and wait until the routine around it has ended.", "parameters": PATH}
'''
"""`await_end` writes to the pipe on which `ponder` hangs and waits until the kata's handler came back."""


@dataclass(frozen=True)
class Witness:
    """What the second plugin saw."""

    log: Path

    def calls(self, since: int = 0) -> list[tuple[str, str]]:
        """Tool and command, path or pattern of each call that reached a tool, in order, from line `since` on."""
        lines = self.log.read_text(encoding="utf-8").splitlines()[since:] if self.log.exists() else []
        begun = [line for line in map(json.loads, lines) if line["at"] == "begin"]
        return [(line["tool"], said(line["args"])) for line in begun]

    def questions(self, since: int = 0) -> list[str]:
        """What a person was asked, in order, whatever the screen made of it, from line `since` on."""
        lines = map(json.loads, self.log.read_text(encoding="utf-8").splitlines()[since:] if self.log.exists() else [])
        return [line["question"] for line in lines if line["at"] == "asked"]

    def mark(self) -> int:
        """The number of lines so far."""
        return len(self.log.read_text(encoding="utf-8").splitlines()) if self.log.exists() else 0


def said(arguments: dict[str, Any]) -> str:
    """The argument that tells one call from another."""
    return str(next((arguments[name] for name in ("command", "path", "folder", "value") if name in arguments), arguments))


def witness(host: Host) -> Witness:
    """Install the plugin in a home."""
    folder = host.root / "witness"
    folder.mkdir()
    manifest = "name: witness\nversion: 0.1.0\ndescription: Watches.\nprovides_tools: [ponder, await_end]\n"
    manifest += "provides_hooks: [pre_approval_request]\n"
    (folder / "plugin.yaml").write_text(manifest, encoding="utf-8")
    log = host.root / "seen"
    (folder / "__init__.py").write_text(f"LOG = {str(log)!r}\n{SOURCE}", encoding="utf-8")
    host.install(folder, "witness")
    return Witness(log)
