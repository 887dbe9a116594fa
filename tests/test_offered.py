"""Which tools a chat was given is read from the host's list, from the text of its search tool, and from the sets it was begun with."""

from types import SimpleNamespace
from typing import Any

import pytest

from kata.offered import Chat, Listing, chat, listing

TEXT = """Search 8 additional tools that are loaded on demand. Use the terminal, patch or memory only as told.

Deferred tool catalog (call schemas via `tool_describe`, invoke via `tool_call`):
browser tools (1):
- browser_vault: Use saved logins, passwords, credentials, cards and…
desk tools (2):
mcp__desk__stamp, mcp__desk__sign
jira (412 tools — names not listed; discover via `tool_search`)
terminal tools (1):
- process_manage: Poll, wait on, or kill background terminal processes (from…
"""
"""As Hermes 0.22.2 writes it."""


def agent(*tools: str, text: str | None = TEXT, enabled: Any = None, disabled: Any = None) -> Any:
    told = [*((name, "") for name in tools), *([] if text is None else [("tool_search", text)])]
    made = [{"type": "function", "function": {"name": name, "description": words}} for name, words in told]
    return SimpleNamespace(tools=made, enabled_toolsets=enabled, disabled_toolsets=disabled)


def given(*tools: str, **more: Any) -> Chat:
    found = chat(agent(*tools, **more))
    assert found is not None
    return found


def test_the_search_tool_lists_names_in_lines_and_in_one_line_and_counts_what_is_too_much() -> None:
    names = {"browser_vault", "mcp__desk__stamp", "mcp__desk__sign", "process_manage"}
    assert listing(TEXT) == Listing(frozenset(names), frozenset({"jira"}))
    assert listing("Search 3 additional tools.") == listing("") == Listing()


@pytest.mark.parametrize(
    ("tool", "toolset", "offers"),
    [
        ("read_file", "file", True),
        ("process_manage", "terminal", True),
        ("mcp__desk__sign", "mcp-desk", True),
        ("mcp__jira__close", "mcp-jira", True),
        ("terminal", "terminal", False),
        ("patch", "file", False),
        ("memory", "memory", False),
        ("mcp__late__go", "mcp-late", False),
        ("unheard", "", False),
    ],
)
def test_what_is_at_hand_or_listed_is_offered_and_a_word_in_the_text_is_no_name(tool: str, toolset: str, offers: bool) -> None:
    """T41"""
    assert given("read_file", enabled=["file", "browser"]).offers(tool, toolset) is offers


def test_a_server_that_came_in_late_is_offered_where_its_set_is() -> None:
    late = ("mcp__late__go", "mcp-late")
    assert given(enabled=["file", "late"]).offers(*late) and given(enabled=["mcp-late"]).offers(*late)
    assert given(enabled=None).offers(*late) and given(enabled=["all"]).offers(*late)
    assert not given(enabled=["late"], disabled=["late"]).offers(*late)


def test_where_the_list_was_left_out_the_sets_decide() -> None:
    silent = given("read_file", text="Search 300 additional tools.", enabled=["file", "todo"], disabled=["cronjob"])
    assert silent.offers("todo_list", "todo") and not silent.offers("cronjob_manage", "cronjob") and not silent.offers("web_search", "web")
    assert not given("read_file", text=None, enabled=["file", "terminal"]).offers("terminal", "terminal"), "nothing is on demand"


@pytest.mark.parametrize("odd", [None, object(), SimpleNamespace(tools="terminal"), agent(enabled=3), agent(disabled=3)])
def test_a_host_that_says_it_in_another_form_says_nothing(odd: Any) -> None:
    assert chat(odd) is None


def test_an_odd_entry_in_the_list_is_passed_over() -> None:
    one = agent("read_file")
    one.tools += ["terminal", {"function": None}]
    found = chat(one)
    assert found is not None and found.direct == {"read_file", "tool_search"}
