"""Lets a page of the dashboard run what a person orders there, in a process in which no chat runs: the plugin's object on a context that
only calls tools. It registers nothing, records nothing and asks nobody, so what does more than read is refused. A module of its own,
because runtime.py is the plugin as Hermes loads it, and this is a visit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from . import host
from .model import PLUGIN, Json
from .runtime import Plugin


class Guest:
    """As much of the host's plugin context as a run needs."""

    def get_config(self, name: str, default: Json = None) -> Json:
        """A setting of the owner, of the profile that counts now."""
        given = host.configured("plugins", "entries", PLUGIN, "settings")
        return given.get(name, default) if isinstance(given, dict) else default

    def dispatch_tool(self, tool: str, arguments: Mapping[str, Json], **ids: Any) -> Any:
        """Call a tool of the host."""
        return host.dispatch(tool, arguments, **ids)


@contextmanager
def errand() -> Iterator[Plugin]:
    """The plugin for one order; its file is let go at the end."""
    plugin = Plugin(Guest())
    try:
        yield plugin
    finally:
        plugin.close()
