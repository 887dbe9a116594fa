"""A kata over a tool of a real local MCP server, on the real Hermes with its own client: not checked in the shell, where no server is
connected; approved and used in a chat, where one is."""

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from lessons import CLEAR, Lesson, School, other, proposed, sh

from harness import Answer, executable
from model_server import Say, ToolCalls, results_of

LESSONS = ()
TOOL = "mcp__desk__stamp"
STAMP = Lesson(
    "stamp",
    lambda word: [sh(f"ls papers/{word}", word), other(TOOL, {"result": f"stamped {word}"}, paper=f"papers/{word}")],
    placed=False,
)
ONCE = "1"


@dataclass
class Used:
    """What shell and chat said, and what reached the server."""

    said: dict[str, str] = field(default_factory=dict)
    shell: dict[str, Answer] = field(default_factory=dict)
    calls: list[tuple[str, str]] = field(default_factory=list)
    stamped: list[str] = field(default_factory=list)
    result: object = None
    states: list[str] = field(default_factory=list)


def client() -> bool:
    """Whether the host's Python has the protocol's library, which its client needs."""
    hermes = executable()
    words = ["-c", "import mcp"]
    return hermes is not None and subprocess.run([hermes.parent / "python", *words], capture_output=True).returncode == 0


@pytest.fixture(scope="module")
def used(school: School, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Used]:
    """A shell before and after, and one chat in which a person approves two katas, one of which destroys, and uses one."""
    if not client():
        pytest.skip("the host's Python has no `mcp`: scripts/test.py installs it")
    host, used = school.host, Used()
    paper = tmp_path_factory.mktemp("desk") / "stamped"
    server = {"command": sys.executable, "args": [str(Path(__file__).with_name("mcp_desk.py")), str(paper)]}
    host.config |= {"mcp_servers": {"desk": server}}
    host.configure()
    (host.work / "papers").mkdir()
    (host.work / "papers" / "amber").touch()
    proposed(host, (STAMP, CLEAR))
    with host.terminal("chat") as terminal:
        used.said["review"] = terminal.type("/kata review 1", "approve 1 as NAME")
        used.said["approve"] = terminal.type("/kata approve 1 as stamp", "New conversations")
        signature = re.search(r"kata_stamp\((\w+)\)", used.said["approve"])
        assert signature, terminal.shown[-2000:]
        call = {"name": "kata_stamp", "arguments": {signature[1]: "papers/amber"}}
        school.script.turn("MCP stamp", [ToolCalls([("tool_call", {"calls": [call]})]), Say("said stamp")])
        terminal.type("/kata review 2", "approve 2 as NAME")
        used.said["unconfirmed"] = terminal.type("/kata approve 2 as clear", "type its name once more")
        used.said["confirmed"] = terminal.type("/kata approve 2 --as clear --confirm clear", "Approved: kata_clear")
        terminal.type("MCP stamp", "<kata_stamp>")
        terminal.press(ONCE, "said stamp")
        terminal.type("/exit", "--resume")
    messages = [request for request in host.server.requests if request.get("tools")][-1]["messages"]
    (used.result,) = results_of(messages)
    used.calls = school.witness.calls()
    used.stamped = paper.read_text().splitlines() if paper.exists() else []
    used.shell["disable"], used.shell["enable"] = host.kata("disable", "stamp"), host.kata("enable", "stamp")
    used.states = [row["state"] for row in host.rows("SELECT state FROM katas ORDER BY id")]
    yield used
    host.config.clear()


def test_what_a_shell_cannot_look_up_it_says_it_did_not_check(used: Used) -> None:
    """K65: no server is connected there, which is no drift."""
    told = " ".join(used.shell["enable"].out.split())
    assert used.shell["disable"].code == used.shell["enable"].code == 0
    assert "Enabled: kata_stamp(path), revision" in told and f"Not checked here: {TOOL}; not known in this process" in told, told
    assert "Not checked here" not in used.said["approve"], "in the chat it was"


def test_a_person_approves_it_in_a_chat(used: Used) -> None:
    assert used.states == ["active", "active"]


def test_what_destroys_is_approved_in_a_chat_with_its_name_typed_twice(used: Used) -> None:
    """T44: in dashed options too."""
    assert "Nothing was approved" in used.said["unconfirmed"]


def test_it_asks_and_then_calls_the_server_once(used: Used) -> None:
    """K80: what a server does is done elsewhere."""
    assert [tool for tool, _ in used.calls] == ["kata_stamp", "terminal", TOOL], used.calls
    assert used.stamped == ["papers/amber"], used.result


def test_what_a_server_says_of_a_tool_that_only_reads_is_not_handed_on_to_plugins(used: Used, hermes: Path) -> None:
    """This one says so of a tool that writes, and the kata asked all the same; should the host hand it on, this fails."""
    words = "import inspect; from tools.registry import ToolEntry; print(*inspect.signature(ToolEntry.__init__).parameters)"
    told = subprocess.run([hermes.parent / "python", "-c", words], capture_output=True, text=True, check=True).stdout.split()
    assert {"name", "schema", "toolset"} < {*told}
    assert not [one for one in told if "hint" in one or "annotation" in one or "read" in one], told
    assert used.stamped == ["papers/amber"], "and it was asked about"
