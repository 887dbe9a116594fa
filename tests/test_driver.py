"""The driver: where, how long and with which arguments each step really runs (design section 8); the tools here are lambdas."""

from __future__ import annotations

import contextvars
import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kata.driver import BUDGET_S, FILES, Driver, Place
from kata.executor import answer, drive, run
from kata.model import Call, Input, InputField, Literal, Outcome, Reference, Spec, Status, StepCall

from .stand_in import EXTERNAL, WRITE, step

PLACE = Place("task", "session", "task:kata:r1", "/srv/app")
PATIENCE = 10.0


@dataclass
class Tools:
    """Answers calls, and keeps what was dispatched."""

    answers: Mapping[str, Any] = field(default_factory=dict)
    sent: list[tuple[str, dict[str, Any], dict[str, Any]]] = field(default_factory=list)
    threads: list[threading.Thread] = field(default_factory=list)

    def __call__(self, tool: str, arguments: dict[str, Any], **ids: Any) -> Any:
        self.sent.append((tool, dict(arguments), ids))
        self.threads.append(threading.current_thread())
        found = self.answers.get(tool, {"output": "", "exit_code": 0, "error": None})
        return found(arguments) if callable(found) else json.dumps(found)


@dataclass
class Clock:
    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now


def ask(driver: Driver, tool: str, /, **arguments: Any) -> Outcome:
    return driver(StepCall(0, Call(tool, arguments)))


def sent(tool: str, /, limit: float = 60, place: Place = PLACE, **arguments: Any) -> dict[str, Any]:
    """What really reaches a tool."""
    tools = Tools()
    ask(Driver(tools, place, limit, Clock()), tool, **arguments)
    return tools.sent[0][1]


# ── terminal ─────────────────────────────────────────────────────────────────────────────────────


def test_terminal_gets_a_time_limit_and_a_folder_and_the_ids_of_the_caller() -> None:
    """K78, A26, B44."""
    tools = Tools()
    outcome = ask(Driver(tools, PLACE, 60), "terminal", command="make")
    assert tools.sent == [
        ("terminal", {"command": "make", "timeout": 60, "workdir": "/srv/app"}, {"task_id": "task", "session_id": "session"})
    ]
    assert outcome.sent == {"command": "make", "timeout": 60, "workdir": "/srv/app"}


@pytest.mark.parametrize(
    ("recorded", "timeout"), [(None, 60), (10, 60), (60, 60), (180, 180), (100_000, int(BUDGET_S)), ("90", 60), (-5, 60)]
)
def test_a_recorded_time_limit_counts_where_it_is_longer(recorded: Any, timeout: int) -> None:
    """Design section 8: min(time left, max(setting, recorded))."""
    arguments = {"command": "make"} | ({} if recorded is None else {"timeout": recorded})
    assert sent("terminal", **arguments)["timeout"] == timeout


def test_terminal_never_gets_more_time_than_is_left() -> None:
    """Design section 8, trap 3."""
    clock, tools = Clock(), Tools()
    driver = Driver(tools, PLACE, 60, clock)
    clock.now += BUDGET_S - 12.5
    ask(driver, "terminal", command="make")
    clock.now += 12.4
    ask(driver, "terminal", command="make")
    assert [arguments["timeout"] for _, arguments, _ in tools.sent] == [12, 1]


def test_no_step_starts_after_the_budget() -> None:
    """Design section 8: the host gives a tool 420 seconds, then leaves it."""
    clock, tools = Clock(), Tools()
    driver = Driver(tools, PLACE, 60, clock)
    clock.now += BUDGET_S
    for tool in ("terminal", "read_file", "write_file", "web_search"):
        outcome = ask(driver, tool, path="a")
        assert (outcome.status, outcome.reason) == (Status.REFUSED, "no step starts after 357 seconds")
    assert tools.sent == []


def test_a_recorded_folder_is_kept() -> None:
    assert sent("terminal", command="make", workdir="/other")["workdir"] == "/other"


def test_a_folder_that_a_command_moved_to_holds_for_the_later_steps_of_this_run_alone() -> None:
    """A26, B44: `cd` in a kata moves its own later steps and nobody else."""
    tools = Tools({"terminal": lambda arguments: json.dumps({"output": "", "exit_code": 0, "cwd": "/srv/app/web"})})
    first, second = Driver(tools, PLACE, 60), Driver(tools, PLACE, 60)
    ask(first, "terminal", command="cd web")
    ask(first, "terminal", command="make")
    ask(first, "read_file", path="a.md")
    ask(second, "terminal", command="make")
    folders = [arguments.get("workdir", arguments.get("path")) for _, arguments, _ in tools.sent]
    assert folders == ["/srv/app", "/srv/app/web", "/srv/app/web/a.md", "/srv/app"]
    assert PLACE.folder == "/srv/app"


@pytest.mark.parametrize("cwd", [None, 5, ["/x"], {"a": 1}])
def test_a_folder_that_is_none_moves_nothing(cwd: Any) -> None:
    tools = Tools({"terminal": lambda arguments: json.dumps({"output": "", "exit_code": 0, "cwd": cwd})})
    driver = Driver(tools, PLACE, 60)
    ask(driver, "terminal", command="cd web")
    assert ask(driver, "terminal", command="make").sent == {"command": "make", "timeout": 60, "workdir": "/srv/app"}


def test_the_folder_that_another_tool_names_moves_nothing() -> None:
    tools = Tools({"web_extract": {"cwd": "/etc"}})
    driver = Driver(tools, PLACE, 60)
    ask(driver, "web_extract", url="x")
    assert driver.folder == "/srv/app"


# ── File tools ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("tool", sorted(FILES))
def test_file_tools_run_under_a_private_task_with_absolute_paths(tool: str) -> None:
    """A26: under the caller's task the second read answers "unchanged"."""
    tools = Tools()
    ask(Driver(tools, PLACE, 60), tool, path="src/../a b.py", pattern="x")
    assert tools.sent == [(tool, {"path": "/srv/app/a b.py", "pattern": "x"}, {"task_id": "task:kata:r1", "session_id": "session"})]


@pytest.mark.parametrize(
    ("path", "real"), [("/etc/hosts", "/etc/hosts"), ("~/notes.md", "~/notes.md"), ("./a", "/srv/app/a"), ("..", "/srv")]
)
def test_a_path_is_made_absolute_and_nothing_else(path: str, real: str) -> None:
    assert sent("read_file", path=path) == {"path": real}


def test_a_search_without_a_path_searches_the_folder_of_the_kata() -> None:
    assert sent("search_files", pattern="x") == {"pattern": "x", "path": "/srv/app"}


def test_a_file_tool_without_a_path_gets_none() -> None:
    assert sent("write_file", content="x") == {"content": "x"}


PLAIN = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5))
JSON = st.recursive(PLAIN, lambda one: st.lists(one, max_size=3), max_leaves=5)
OTHERS = ["web_search", "mcp__mail__send", "execute_code", "bash"]
KEYS = ["command", "path", "timeout", "workdir", "x"]


@given(st.sampled_from(OTHERS), st.dictionaries(st.text("abc", min_size=1), JSON, max_size=4))
def test_what_is_not_in_the_table_is_sent_as_it_is(tool: str, arguments: dict[str, Any]) -> None:
    """Design section 8: time limit, folder and paths, nothing else."""
    tools = Tools()
    driver = Driver(tools, PLACE, 60)
    outcome = driver(StepCall(0, Call(tool, arguments)))
    assert tools.sent == [(tool, arguments, {"task_id": "task", "session_id": "session"})]
    assert outcome.sent == arguments


@given(st.sampled_from(["terminal", *sorted(FILES)]), st.dictionaries(st.sampled_from(KEYS), JSON))
def test_whatever_the_arguments_the_driver_answers_and_changes_none_of_them(tool: str, arguments: dict[str, Any]) -> None:
    """B31; the call of the step stays what was rendered."""
    before = json.dumps(arguments)
    outcome = Driver(Tools(), PLACE, 60)(StepCall(0, Call(tool, arguments)))
    assert outcome.ok
    assert json.dumps(arguments) == before
    changed = {key for key, value in (outcome.sent or {}).items() if key not in arguments or arguments[key] != value}
    assert changed <= ({"timeout", "workdir"} if tool == "terminal" else {"path"})


# ── Threads and time ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("tool", ["terminal", "write_file", "patch", "execute_code", "mcp__mail__send"])
def test_what_may_ask_a_person_runs_on_the_thread_of_the_handler(tool: str) -> None:
    """Trap 2: another thread loses the approval, and in cron runs without any."""
    tools = Tools()
    ask(Driver(tools, PLACE, 60), tool, command="rm -rf build", path="a")
    assert tools.threads == [threading.current_thread()]


def test_a_read_runs_on_a_worker_under_a_copy_of_the_context() -> None:
    profile = contextvars.ContextVar("profile", default="")
    profile.set("work")
    seen: list[str] = []

    def look(arguments: Any) -> str:
        seen.append(profile.get())
        return "{}"

    tools = Tools({"read_file": look})
    ask(Driver(tools, PLACE, 60), "read_file", path="a")
    assert tools.threads != [threading.current_thread()]
    assert seen == ["work"]


FLOW = Spec(
    (InputField("path", "string"),),
    (
        step("read_file", path=Input("path")),
        step("write_file", WRITE, path=Literal("out"), content=Reference(0, ("content",))),
        step("terminal", EXTERNAL, command=Literal("git push")),
    ),
)


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Holds a tool back; opened at the end, so that no thread is left."""
    event = threading.Event()
    yield event
    event.set()


def test_a_read_that_hangs_times_out_once_and_nothing_after_it_runs(gate: threading.Event) -> None:
    """K78, K79, A22, B04: a read is not asked again after a timeout either."""
    tools = Tools({"read_file": lambda arguments: gate.wait(PATIENCE) and "{}"})
    driver = Driver(tools, PLACE, 0.05)
    trace = drive(run(FLOW, {"path": "a"}, read_retries=3), driver)
    assert [one.status for one in trace.steps] == [Status.TIMEOUT, Status.SKIPPED, Status.SKIPPED]
    assert [tool for tool, _, _ in tools.sent] == ["read_file"]
    assert driver.hung is not None
    assert driver.hung.is_alive()
    assert "may still be running" in answer(trace, FLOW, "r1")
    gate.set()
    driver.hung.join(PATIENCE)
    assert not driver.hung.is_alive()


def test_a_late_answer_is_thrown_away(gate: threading.Event) -> None:
    """A22."""

    def late(arguments: Any) -> str:
        if not gate.is_set():
            gate.wait(PATIENCE)
            return '{"content": "late"}'
        return '{"content": "own"}'

    tools = Tools({"read_file": late})
    driver = Driver(tools, PLACE, 0.05)
    assert ask(driver, "read_file", path="a").status is Status.TIMEOUT
    gate.set()
    assert driver.hung is not None
    driver.hung.join(PATIENCE)
    driver.limit = 5.0
    assert ask(driver, "read_file", path="a").result == {"content": "own"}


def test_a_read_waits_no_longer_than_is_left(gate: threading.Event) -> None:
    clock = Clock()
    driver = Driver(Tools({"read_file": lambda arguments: gate.wait(PATIENCE) and "{}"}), PLACE, 300, clock)
    clock.now += BUDGET_S - 0.05
    assert ask(driver, "read_file", path="a").status is Status.TIMEOUT


def test_an_effect_whose_command_timed_out_is_dispatched_once() -> None:
    """B04: the order may have been placed."""
    timed_out = {"output": "[Command timed out after 60s]", "exit_code": 124, "error": None}
    tools = Tools({"terminal": timed_out})
    spec = Spec((), (step("terminal", EXTERNAL, command=Literal("curl -X POST https://api.example.org/orders")),))
    trace = drive(run(spec, {}, read_retries=2), Driver(tools, PLACE, 60))
    assert (trace.status, len(tools.sent)) == (Status.TIMEOUT, 1)
    assert "may still be running" in answer(trace, spec, "r1")


# ── What a tool answers ──────────────────────────────────────────────────────────────────────────


class Odd(Exception):
    """An exception that cannot be shown."""

    def __str__(self) -> str:
        raise RuntimeError("no str")


ERRORS = [ValueError("boom"), TimeoutError("late"), KeyError("x"), RecursionError(), Odd()]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("tool", ["terminal", "read_file"])
def test_a_tool_that_raises_is_a_failed_step(tool: str, error: Exception) -> None:
    """B01: a raised exception stops the run and is named."""

    def fails(arguments: Any) -> Any:
        raise error

    outcome = ask(Driver(Tools({tool: fails}), PLACE, 1), tool, path="a", command="x")
    assert outcome.status is Status.ERROR
    assert outcome.reason.startswith(type(error).__name__)
    assert outcome.sent


def test_a_read_that_raises_is_asked_once_more() -> None:
    """K76: once, after a plain error; B04: an effect never."""

    def fails(arguments: Any) -> Any:
        raise OSError("gone")

    tools = Tools({"read_file": fails, "write_file": fails})
    drive(run(FLOW, {"path": "a"}), Driver(tools, PLACE, 5))
    assert [tool for tool, _, _ in tools.sent] == ["read_file", "read_file"]
    tools = Tools({"read_file": {"content": "x"}, "write_file": fails})
    drive(run(FLOW, {"path": "a"}), Driver(tools, PLACE, 5))
    assert [tool for tool, _, _ in tools.sent] == ["read_file", "write_file"]


@pytest.mark.parametrize(
    "raw",
    [
        '{"error":"needs a parent agent"}',
        '{"output":"","exit_code":2,"error":null}',
        '{"success":false}',
        "Error: nope",
        "[TOOL_ERROR] x",
        '{"error":"x"}\n\n[note]',
        None,
    ],
)
def test_an_error_inside_an_ordinary_answer_stops_the_run(raw: Any) -> None:
    """K71 to K75, B01."""
    tools = Tools({"read_file": lambda arguments: raw})
    trace = drive(run(FLOW, {"path": "a"}, read_retries=0), Driver(tools, PLACE, 5))
    assert [one.status for one in trace.steps] == [Status.ERROR, Status.SKIPPED, Status.SKIPPED]
    assert [tool for tool, _, _ in tools.sent] == ["read_file"]


@pytest.mark.parametrize(
    "raw", ['{"success":true,"failed":0}', '{"results":[{"error":null}]}', '{"error":null}', "plain text", '{"_multimodal":1}']
)
def test_what_is_no_error_goes_on(raw: str) -> None:
    """A19, B01."""
    assert ask(Driver(Tools({"web_search": lambda arguments: raw}), PLACE, 5), "web_search").ok


def test_each_run_has_its_own_values() -> None:
    """B48: A in the first run, B in the second."""
    contents = iter(["A", "B"])
    tools = Tools({"read_file": lambda arguments: json.dumps({"content": next(contents)})})
    for _ in range(2):
        drive(run(FLOW, {"path": "a"}), Driver(tools, PLACE, 5))
    assert [arguments["content"] for tool, arguments, _ in tools.sent if tool == "write_file"] == ["A", "B"]
