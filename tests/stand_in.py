"""Stands in for Hermes in tests without a host: a plugin context, the host modules that the doors import, and a second process; it never
touches our own code."""

from __future__ import annotations

import sqlite3
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kata.model import (
    Class,
    Command,
    Concat,
    Effect,
    Expression,
    Fit,
    Hole,
    Input,
    InputField,
    Kata,
    Literal,
    Object,
    Proposal,
    Reference,
    Spec,
    State,
    Step,
)
from kata.store import Store

SCHEMAS = {
    "terminal": {"command": "string", "timeout": "integer", "workdir": "string"},
    "read_file": {"path": "string"},
    "write_file": {"path": "string", "content": "string"},
    "search_files": {"pattern": "string", "path": "string"},
    "web_search": {"query": "string"},
}


def parameters(keys: Mapping[str, str]) -> dict[str, Any]:
    return {"type": "object", "properties": {key: {"type": kind} for key, kind in keys.items()}}


# ── The plugin context ───────────────────────────────────────────────────────────────────────────


@dataclass
class Handle:
    """What registering a tool gives back; disposing twice is harmless, as on the host."""

    context: Context
    name: str
    active: bool = True

    def dispose(self) -> None:
        if self.active:
            self.active = False
            del self.context.tools[self.name]


@dataclass
class Tool:
    toolset: str
    schema: dict[str, Any]
    handler: Callable[..., str]


@dataclass
class Context:
    """Keeps what the plugin registers and dispatches, and answers as it is told."""

    config: Mapping[str, Any] = field(default_factory=dict)
    answer: Callable[..., Any] = lambda tool, arguments, **ids: '{"output": "done", "exit_code": 0, "error": null}'
    refused: set[str] = field(default_factory=set)
    """Names for which the host registers nothing."""
    tools: dict[str, Tool] = field(default_factory=dict)
    registered: list[str] = field(default_factory=list)
    hooks: dict[str, Callable[..., Any]] = field(default_factory=dict)
    commands: dict[str, Callable[..., Any]] = field(default_factory=dict)
    sections: dict[str, Callable[[Any], str]] = field(default_factory=dict)
    unloads: list[Callable[[], None]] = field(default_factory=list)
    dispatched: list[tuple[str, dict[str, Any], dict[str, Any]]] = field(default_factory=list)

    def get_config(self, key: str, default: Any = None) -> Any:
        return self.config.get(key, default)

    def register_hook(self, name: str, hook: Callable[..., Any]) -> None:
        self.hooks[name] = hook

    def register_tool(self, name: str, toolset: str, schema: dict[str, Any], handler: Callable[..., str], **_: Any) -> Handle | None:
        if name in self.refused:
            return None
        self.registered.append(name)
        self.tools[name] = Tool(toolset, schema, handler)
        return Handle(self, name)

    def register_command(self, name: str, handler: Callable[..., Any], **_: Any) -> None:
        self.commands[name] = handler

    def register_cli_command(self, name: str, handler_fn: Callable[..., Any], **_: Any) -> None:
        self.commands[f"hermes {name}"] = handler_fn

    def register_system_prompt_section(self, name: str, content: Callable[[Any], str], **_: Any) -> None:
        self.sections[name] = content

    def on_unload(self, callback: Callable[[], None]) -> None:
        self.unloads.append(callback)

    def dispatch_tool(self, tool: str, arguments: dict[str, Any], **ids: Any) -> Any:
        self.dispatched.append((tool, arguments, ids))
        return self.answer(tool, arguments, **ids)

    @property
    def katas(self) -> set[str]:
        """The registered tools but the two static ones."""
        return set(self.tools) - {"kata_list", "kata_resume"}

    def status(self) -> str:
        """`/kata status`, its lines joined again."""
        return " ".join(str(self.commands["kata"]("status")).split())


class Probe:
    """The context of `hermes plugins validate`: every real method is a no-op that answers None, all else is missing."""

    def get_config(self, key: str, default: Any = None) -> Any:
        return default

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name in ("register_hook", "register_tool", "register_command", "register_cli_command", "register_system_prompt_section"):
            return lambda *args, **options: None
        if name == "on_unload":
            return lambda callback: None
        raise AttributeError(name)


# ── The host's modules ───────────────────────────────────────────────────────────────────────────


def plugin_db(file: Path) -> sqlite3.Connection:
    """Opens a file as Hermes does: its first look at the journal waits up to five seconds for a busy file."""
    file.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(file, timeout=5.0, check_same_thread=False, isolation_level=None)
    with suppress(sqlite3.OperationalError):
        db.execute("PRAGMA journal_mode").fetchone()
    return db


@dataclass
class Registry:
    """Stands in for `tools.registry.registry`."""

    schemas: dict[str, dict[str, Any]]

    def get_schema(self, name: str) -> dict[str, Any] | None:
        return self.schemas.get(name)


@contextmanager
def installed(home: Path) -> Iterator[Path]:
    """The host's modules over `home`, in place of real ones, for the time inside; gives the file of the plugin."""
    file = home / "plugin-data" / "kata" / "data.db"
    registry = Registry({name: {"name": name, "parameters": parameters(keys)} for name, keys in SCHEMAS.items()})
    contents: dict[str, dict[str, Any]] = {
        "plugins": {},
        "plugins.plugin_storage": {"plugin_db": lambda name: plugin_db(file), "plugin_data_dir": lambda name: file.parent},
        "tools": {},
        "tools.registry": {"registry": registry},
        "agent": {},
        "agent.runtime_cwd": {"resolve_agent_cwd": lambda: home / "project"},
        "hermes_constants": {"get_hermes_home": lambda: home},
        "hermes_cli": {},
        "hermes_cli.config": {"load_config_readonly": dict},
        "hermes_cli.plugins": {"_dispatch_pre_tool_call_hooks": lambda tool, args, **ids: (None, None)},
        "tools.interrupt": {"is_interrupted": lambda: False},
    }
    before = {name: sys.modules.get(name) for name in contents}
    for name, members in contents.items():
        module = types.ModuleType(name)
        module.__dict__.update(members, __path__=[])
        sys.modules[name] = module
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)
    try:
        yield file
    finally:
        for name, module_before in before.items():
            if module_before is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module_before


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Another process that holds the file for itself."""
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


# ── Specs, and a second process that decides ─────────────────────────────────────────────────────

READ = Effect(Class.READ, why="reads")
WRITE = Effect(Class.WRITE, why="writes a file")
EXTERNAL = Effect(Class.EXTERNAL, why="talks to another machine")
DESTRUCTIVE = Effect(Class.WRITE, True, "deletes files")


def step(tool: str, effect: Effect = READ, /, **arguments: Expression) -> Step:
    return Step(tool, Object(tuple(arguments.items())), effect)


def reader(*names: str) -> Spec:
    """Two reads."""
    inputs = tuple(InputField(name, "string") for name in names or ("path",))
    return Spec(inputs, (step("read_file", path=Input(inputs[0].name)), step("terminal", command=Literal("ls -l"))))


def sender() -> Spec:
    """A push, a write and a deletion: asked on every run."""
    push = Command(("git push origin ", Hole(Input("branch"), "bare")))
    return Spec(
        (InputField("branch", "string"),),
        (
            step("terminal", EXTERNAL, command=push),
            step("write_file", WRITE, path=Literal("out.txt"), content=Concat((Literal("pushed "), Reference(0, ("output",))))),
            step("terminal", DESTRUCTIVE, command=Literal("rm -rf build")),
        ),
    )


@contextmanager
def process(file: Path) -> Iterator[Store]:
    """A second process on the same file."""
    store = Store(lambda: plugin_db(file))
    try:
        yield store
    finally:
        store.close()


def decide(store: Store, kata: Kata, after: State, name: str | None = None) -> Kata:
    digest = kata.version.spec.digest
    live = after is State.ACTIVE
    told = {"actor": "cli", "verb": "approve" if live else "disable"}
    return store.transition(kata.id, before=(kata.state,), after=after, digest=digest, now=1.0, name=name, approved=live, **told)


def propose(file: Path, spec: Spec, routine: str) -> Kata:
    """A proposal that another process found."""
    with process(file) as store:
        kata = store.propose(Proposal(spec, routine, Fit(3, 3, 3, 1.0), ()), 1.0)
        assert kata is not None
        return kata


def approve(file: Path, spec: Spec, name: str) -> Kata:
    """A kata that another process approved."""
    kata = propose(file, spec, f"routine {name}")
    with process(file) as store:
        return decide(store, kata, State.ACTIVE, name)


def disable(file: Path, kata: Kata) -> None:
    """Another process takes a kata away."""
    with process(file) as store:
        decide(store, kata, State.DISABLED)
