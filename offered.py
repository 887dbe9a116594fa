"""Tells whether the chat around a run was given a tool, from what the host says of that chat; calls no tool. A module of its own: the host
names only some tools in its list, and the others stand in the text of its search tool, or came when the list was made already."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

SEARCH = "tool_search"
"""The tool in whose description the host lists what is loaded on demand."""
SERVER = "mcp-"
"""How the host names the tool set of an MCP server, which it also knows without this."""
EVERY = frozenset({"all", "*"})
HEADING = re.compile(r".+ tools \(\d+\):")
"""What stands above the names of one tool set."""
COUNTED = re.compile(r"(.+) \(\d+ tools\b")
"""What stands in the place of the names of a tool set that has too many."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What the description of the search tool lists: tools by name, and tool sets that are counted only."""

    names: frozenset[str] = frozenset()
    sets: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Chat:
    """What a chat was given: tools at hand and tools on demand, and the tool sets it was begun with; None is all of them."""

    direct: frozenset[str]
    listing: Listing
    enabled: frozenset[str] | None
    disabled: frozenset[str]

    def offers(self, tool: str, toolset: str) -> bool:
        """Whether this chat offers a tool of a tool set. A server may come in after the list was made; then its set decides, and so it does
        where the list was left out."""
        if tool in self.direct or tool in self.listing.names:
            return True
        names = {toolset, toolset.removeprefix(SERVER)}
        if not names.isdisjoint(self.listing.sets):
            return True
        if not names.isdisjoint(self.disabled):
            return False
        granted = self.enabled is None or not (names | EVERY).isdisjoint(self.enabled)
        return granted and (toolset.startswith(SERVER) or SEARCH in self.direct and self.listing == Listing())


def chat(agent: Any) -> Chat | None:
    """What the host's agent of a turn was given; None where it does not say so in a form that is known."""
    tools, enabled, disabled = (getattr(agent, name, None) for name in ("tools", "enabled_toolsets", "disabled_toolsets"))
    if not isinstance(tools, list) or not isinstance(enabled, Collection | None) or not isinstance(disabled, Collection | None):
        return None
    told = dict(_told(tools))
    sets = None if enabled is None else frozenset(map(str, enabled))
    return Chat(frozenset(told), listing(told.get(SEARCH, "")), sets, frozenset(map(str, disabled or ())))


def _told(tools: list[Any]) -> Iterator[tuple[str, str]]:
    """Name and description of each tool in the host's list."""
    for one in tools:
        told = one.get("function") if isinstance(one, Mapping) else None
        if isinstance(told, Mapping):
            yield str(told.get("name")), str(told.get("description"))


def listing(text: str) -> Listing:
    """What the description of the search tool lists: under a heading a line for each tool, or all of them in one line."""
    names: set[str] = set()
    sets: set[str] = set()
    inside = False
    for line in text.splitlines():
        heading = HEADING.fullmatch(line) is not None
        if counted := None if heading else COUNTED.match(line):
            sets.add(counted[1])
        elif inside and line.startswith("- "):
            names.add(line[2:].split(":")[0])
            continue
        elif inside and not heading:
            names.update(line.split(", "))
        inside = heading
    return Listing(frozenset(names), frozenset(sets))
