"""Asks Hermes and this process what a run has to know, its settings, tools, folders and guards; it changes nothing there.

A module of its own, because whatever Kata takes from a host that may lack it stands in one place, away from what answers the host."""

from __future__ import annotations

import contextvars
import inspect
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from . import offered, validator
from .driver import HOST_LIMIT_S, Gates
from .model import PLUGIN, Json
from .offered import Chat
from .settings import Settings

CALL_IDS = ("turn_id", "tool_call_id", "api_request_id")
"""What a guard of another plugin is told of the call that a step belongs to, beside task and session."""


def gates() -> Gates:
    """The two private names of the host that we use, and why: `ctx.dispatch_tool` asks no other plugin, so that a kata would go around
    every guard (A25), and a handler that was stopped is not told so. Whoever lacks one of them runs no step with an effect."""
    if isolated():
        return Gates(None, missing="In the plugin host the other plugins cannot be asked")
    try:
        from hermes_cli.plugins import _dispatch_pre_tool_call_hooks as ask
        from tools.interrupt import is_interrupted

        inspect.signature(ask).bind("tool", {}, task_id="", session_id="", **dict.fromkeys(CALL_IDS, ""))
        inspect.signature(is_interrupted).bind()
    except (ImportError, TypeError, ValueError):
        return Gates(None, missing="This Hermes does not let us ask the other plugins")
    return Gates(ask, is_interrupted)


def switched_off() -> str:
    """The variable that switches Kata off as a whole (T60); empty when none does. In its safe mode the host loads no plugin at all."""
    return next((name for name in ("KATA_OFF", "HERMES_SAFE_MODE") if os.environ.get(name, "").lower() not in ("", "0", "false", "no")), "")


def bound_names() -> Iterator[tuple[str, Any]]:
    """The context variables that are bound here, by name: the host tells a command in which chat it was given by no other way."""
    return ((variable.name, value) for variable, value in contextvars.copy_context().items())


def isolated() -> bool:
    """Whether we are in the host's plugin process, where nothing of the agent's is: neither its plugins nor its MCP tools."""
    return os.environ.get("HERMES_PLUGIN_HOST_PROCESS") == "1" or configured("plugins", "isolation") == "host"


def backend() -> str:
    """Where the agent's commands run: "local" is this machine."""
    return str(os.environ.get("TERMINAL_ENV") or configured("terminal", "backend") or "local")


def which(program: str) -> str:
    """Where a program is on PATH, empty where it is not or commands run on another machine; nothing is run."""
    return (shutil.which(program) or "") if backend() == "local" else ""


def there(path: str) -> bool:
    """Whether a file or folder is there; on another machine nobody can tell, and it counts as there."""
    return backend() != "local" or os.path.lexists(path)


def host_limit() -> float:
    """Seconds that the host gives one tool call; 0 where it sets no limit."""
    given = configured("timeouts", "tools", "sequential_call"), configured("timeouts", "tools", "concurrent_batch")
    for one in (*given, os.environ.get("HERMES_CONCURRENT_TOOL_TIMEOUT_S")):
        with suppress(TypeError, ValueError):
            seconds = float("nan" if one is None or isinstance(one, bool) else one)
            if seconds == seconds:  # not NaN
                return max(0.0, seconds)
    return HOST_LIMIT_S


def configured(*names: str) -> Any:
    """What config.yaml says under these names; None where it says nothing."""
    try:
        from hermes_cli.config import load_config_readonly
    except ImportError:
        return None
    found: Any = load_config_readonly() or {}
    for name in names:
        found = found.get(name) if isinstance(found, dict) else None
    return found


def unknown_settings() -> list[str]:
    """The names under our settings in config.yaml that we do not know (B51)."""
    found = configured("plugins", "entries", PLUGIN, "settings")
    return sorted(str(name) for name in found if name not in Settings.__slots__) if isinstance(found, dict) else []


def opener() -> Callable[[], Any]:
    """A way to open our file that keeps today's profile: the host resolves its home through a context variable (B17)."""
    from plugins.plugin_storage import plugin_db

    context = contextvars.copy_context()
    return lambda: context.copy().run(plugin_db, PLUGIN)


def data_file() -> str:
    """Where our file of the profile that counts now is."""
    from plugins.plugin_storage import plugin_data_dir

    return str(plugin_data_dir(PLUGIN) / "data.db")


def home() -> str:
    """The profile that counts now: the name of its folder, or "default"."""
    from plugins.plugin_storage import plugin_data_dir

    found = plugin_data_dir(PLUGIN).parent.parent
    return found.name if found.parent.name == "profiles" else "default"


def withheld(tool: str) -> str:
    """The tool set of a tool and why it may not be used: the owner switched it off, or this chat was not given it; empty where it may. What
    a plugin dispatches does not pass the host's own check (T41)."""
    from tools import registry as host

    off, entry = configured("agent", "disabled_toolsets"), getattr(host.registry, "get_entry", lambda name: None)(tool)
    toolset = str(getattr(entry, "toolset", ""))
    if isinstance(off, list) and toolset in off:
        return f"{toolset}, which is switched off here"
    chat = given()
    return "" if chat is None or chat.offers(tool, toolset) else f"{toolset}, which this chat does not offer"


def given() -> Chat | None:
    """What the chat around this call was given; None outside of a chat, and where the host does not tell."""
    try:
        from agent.subagent_lifecycle import get_active_subagent_parent
    except ImportError:
        return None
    return offered.chat(get_active_subagent_parent())


def parameters(tool: str) -> Json:
    """The parameters of a tool in this process, None where it is not known. Shell and dashboard start with an empty
    registry, which is filled here, never in `register` (host contract, trap 4)."""
    from tools import registry as host

    if host.registry.get_schema("terminal") is None and hasattr(host, "discover_builtin_tools"):
        host.discover_builtin_tools()
    found = host.registry.get_schema(tool)
    return found.get("parameters") if isinstance(found, dict) else None


def dispatch(tool: str, arguments: Mapping[str, Json], **ids: Any) -> Any:
    """Call a tool where no plugin context is at hand, as `ctx.dispatch_tool` does for a plugin; what it answered."""
    from tools import registry as host

    parameters(tool)  # fills a registry that no chat has filled
    return host.registry.dispatch(tool, dict(arguments), **ids)


def today(tool: str) -> str | None:
    """Fingerprint of a tool's parameters as they are now; None when the tool is not known in this process."""
    found = parameters(tool)
    return None if found is None else validator.fingerprint(found)


def agent_folder() -> str:
    try:
        from agent.runtime_cwd import resolve_agent_cwd
    except ImportError:
        return os.getcwd()
    return str(resolve_agent_cwd())
