"""The driver: where, how long and with which arguments each step really runs; the tools here are lambdas. (T48)"""

from __future__ import annotations

import contextvars
import io
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kata.driver import (
    BUDGET_S,
    FILES,
    GIVEN_UP,
    INSIDE,
    MOST_BYTES,
    MOST_DISPATCHES,
    OPEN,
    OVERHEAD_S,
    UNGUARDED,
    WORKER,
    Driver,
    Gates,
    Habit,
    Place,
    asking,
    budget,
    confirmed,
    habits,
    replay,
)
from kata.executor import answer, drive, run
from kata.model import (
    Call,
    Event,
    Example,
    Fit,
    Input,
    InputField,
    Literal,
    Outcome,
    Reference,
    Spec,
    Status,
    StepCall,
    Version,
)

from .stand_in import EXTERNAL, READ, WRITE, step

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


def driven(
    tools: Callable[..., Any], place: Place = PLACE, limit: float = 60, clock: Callable[[], float] = time.monotonic, **more: Any
) -> Driver:
    """A driver whom no other plugin has anything to say."""
    return Driver(tools, place, limit, clock, **({"gates": OPEN} | more))


def ask(driver: Driver, tool: str, /, **arguments: Any) -> Outcome:
    return driver(StepCall(0, Call(tool, arguments)))


def sent(tool: str, /, limit: float = 60, place: Place = PLACE, **arguments: Any) -> dict[str, Any]:
    """What really reaches a tool."""
    tools = Tools()
    ask(driven(tools, place, limit, Clock()), tool, **arguments)
    return tools.sent[0][1]


# ── Kata's own files ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("path", ["/h/plugins/./kata/a.py", "/h/plugins/x/../kata/a.py", "/h/plugin-data/kata/d.db", "../h/plugins/kata/a"])
def test_no_step_writes_where_kata_keeps_its_own(path: str) -> None:
    """A4: asked with the arguments as they are sent, and before any other plugin."""
    tools = Tools()
    outcome = ask(driven(tools, Place("t", "s", "p", "/srv")), "write_file", path=path, content="x")
    assert (outcome.status, outcome.reason) == (Status.REFUSED, "it would touch the files of Kata") and tools.sent == []


@pytest.mark.parametrize(
    ("folder", "tool", "arguments"),
    [
        ("/srv", "terminal", {"command": "cd /h/plugins && touch kata/pwn.py"}),
        ("~/.hermes/plugins", "write_file", {"path": "kata/executor.py", "content": "x"}),
        ("/h/plugins", "write_file", {"path": "x/../kata/executor.py", "content": "x"}),
        ("/h/plugins", "terminal", {"command": "touch kata/pwn.py"}),
        ("/h/plugins/kata", "terminal", {"command": "touch pwn.py"}),
        ("", "terminal", {"command": "touch pwn.py", "workdir": "/h/plugins/x/../kata"}),
        ("/srv", "execute_code", {"code": "open('/h/plugins/kata/pwn.py', 'w')"}),
        ("/srv", "terminal", {"command": "hermes kata approve 1"}),
    ],
)
def test_the_folder_of_a_step_counts_as_for_a_call_of_the_agent(folder: str, tool: str, arguments: dict[str, Any]) -> None:
    tools = Tools()
    outcome = ask(driven(tools, Place("t", "s", "p", folder)), tool, **arguments)
    assert outcome.status is Status.REFUSED and "Kata" in outcome.reason and tools.sent == []


def test_a_step_after_a_command_that_went_to_our_files_is_refused() -> None:
    tools = Tools({"terminal": {"output": "", "exit_code": 0, "cwd": "/h/plugins"}})
    driver = driven(tools)
    assert ask(driver, "terminal", command="cd /h/plugins").ok
    assert ask(driver, "write_file", path="kata/a.py", content="x").status is Status.REFUSED
    assert len(tools.sent) == 1


# ── terminal ─────────────────────────────────────────────────────────────────────────────────────


def test_terminal_gets_a_time_limit_and_a_folder_and_the_ids_of_the_caller() -> None:
    """K78, A26, B44."""
    tools = Tools()
    outcome = ask(driven(tools, PLACE, 60), "terminal", command="make")
    assert tools.sent == [
        ("terminal", {"command": "make", "timeout": 60, "workdir": "/srv/app"}, {"task_id": "task", "session_id": "session"})
    ]
    assert outcome.sent == {"command": "make", "timeout": 60, "workdir": "/srv/app"}


@pytest.mark.parametrize(
    ("recorded", "timeout"), [(None, 60), (10, 60), (60, 60), (180, 180), (100_000, int(BUDGET_S)), ("90", 60), (-5, 60)]
)
def test_a_recorded_time_limit_counts_where_it_is_longer(recorded: Any, timeout: int) -> None:
    """The least of the time left and the greater of setting and recorded limit."""
    arguments = {"command": "make"} | ({} if recorded is None else {"timeout": recorded})
    assert sent("terminal", **arguments)["timeout"] == timeout


def test_terminal_never_gets_more_time_than_is_left() -> None:
    clock, tools = Clock(), Tools()
    driver = driven(tools, PLACE, 60, clock)
    clock.now += BUDGET_S - 12.5
    ask(driver, "terminal", command="make")
    clock.now += 12.4
    ask(driver, "terminal", command="make")
    assert [arguments["timeout"] for _, arguments, _ in tools.sent] == [12, 1]


def test_no_step_starts_after_the_budget() -> None:
    """The host gives a tool 420 seconds, then leaves it."""
    clock, tools = Clock(), Tools()
    driver = driven(tools, PLACE, 60, clock)
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
    first, second = driven(tools, PLACE, 60), driven(tools, PLACE, 60)
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
    driver = driven(tools, PLACE, 60)
    ask(driver, "terminal", command="cd web")
    assert ask(driver, "terminal", command="make").sent == {"command": "make", "timeout": 60, "workdir": "/srv/app"}


def test_the_folder_that_another_tool_names_moves_nothing() -> None:
    tools = Tools({"web_extract": {"cwd": "/etc"}})
    driver = driven(tools, PLACE, 60)
    ask(driver, "web_extract", url="x")
    assert driver.folder == "/srv/app"


# ── File tools ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("tool", sorted(FILES))
def test_file_tools_run_under_a_private_task_with_absolute_paths(tool: str) -> None:
    """A26: under the caller's task the second read answers "unchanged"."""
    tools = Tools()
    ask(driven(tools, PLACE, 60), tool, path="src/../a b.py", pattern="x")
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
OTHERS = ["skills_list", "mcp__mail__send", "execute_code", "bash"]
KEYS = ["command", "path", "timeout", "workdir", "x"]


@given(st.sampled_from(OTHERS), st.dictionaries(st.text("abc", min_size=1), JSON, max_size=4))
def test_what_is_not_in_the_table_is_sent_as_it_is(tool: str, arguments: dict[str, Any]) -> None:
    """Time limit, folder and paths, nothing else."""
    tools = Tools()
    driver = driven(tools, PLACE, 60)
    outcome = driver(StepCall(0, Call(tool, arguments)))
    assert tools.sent == [(tool, arguments, {"task_id": "task", "session_id": "session"})]
    assert outcome.sent == arguments


@given(st.sampled_from(["terminal", *sorted(FILES)]), st.dictionaries(st.sampled_from(KEYS), JSON))
def test_whatever_the_arguments_the_driver_answers_and_changes_none_of_them(tool: str, arguments: dict[str, Any]) -> None:
    """B31; the call of the step stays what was rendered."""
    before = json.dumps(arguments)
    outcome = driven(Tools(), PLACE, 60)(StepCall(0, Call(tool, arguments)))
    assert outcome.ok
    assert json.dumps(arguments) == before
    changed = {key for key, value in (outcome.sent or {}).items() if key not in arguments or arguments[key] != value}
    assert changed <= ({"timeout", "workdir"} if tool == "terminal" else {"path"})


# ── Threads and time ─────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("tool", ["terminal", "write_file", "patch", "execute_code", "mcp__mail__send"])
def test_what_may_ask_a_person_runs_on_the_thread_of_the_handler(tool: str) -> None:
    """Trap 2: another thread loses the approval, and in cron runs without any."""
    tools = Tools()
    ask(driven(tools, PLACE, 60), tool, command="rm -rf build", path="a")
    assert tools.threads == [threading.current_thread()]


def test_a_read_runs_on_a_worker_under_a_copy_of_the_context() -> None:
    profile = contextvars.ContextVar("profile", default="")
    profile.set("work")
    seen: list[str] = []

    def look(arguments: Any) -> str:
        seen.append(profile.get())
        return "{}"

    tools = Tools({"read_file": look})
    ask(driven(tools, PLACE, 60), "read_file", path="a")
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
    driver = driven(tools, PLACE, 0.05)
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
    driver = driven(tools, PLACE, 0.05)
    assert ask(driver, "read_file", path="a").status is Status.TIMEOUT
    gate.set()
    assert driver.hung is not None
    driver.hung.join(PATIENCE)
    driver.limit = 5.0
    assert ask(driver, "read_file", path="a").result == {"content": "own"}


def test_a_read_waits_no_longer_than_is_left(gate: threading.Event) -> None:
    clock = Clock()
    driver = driven(Tools({"read_file": lambda arguments: gate.wait(PATIENCE) and "{}"}), PLACE, 300, clock)
    clock.now += BUDGET_S - 0.05
    assert ask(driver, "read_file", path="a").status is Status.TIMEOUT


def test_an_effect_whose_command_timed_out_is_dispatched_once() -> None:
    """B04: the order may have been placed."""
    timed_out = {"output": "[Command timed out after 60s]", "exit_code": 124, "error": None}
    tools = Tools({"terminal": timed_out})
    spec = Spec((), (step("terminal", EXTERNAL, command=Literal("curl -X POST https://api.example.org/orders")),))
    trace = drive(run(spec, {}, read_retries=2), driven(tools, PLACE, 60))
    assert (trace.status, len(tools.sent)) == (Status.TIMEOUT, 1)
    assert "may still be running" in answer(trace, spec, "r1")


# ── The folder ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("recorded", "real"), [("web", "/srv/app/web"), ("../x", "/srv/x"), ("/other", "/other"), ("~/y", "~/y")])
def test_a_recorded_folder_of_a_command_is_made_absolute(recorded: str, real: str) -> None:
    assert sent("terminal", command="make", workdir=recorded)["workdir"] == real


def test_a_command_in_a_folder_of_its_own_moves_no_later_step() -> None:
    """So does the host: a folder given for one command is that command's alone."""
    tools = Tools({"terminal": lambda arguments: json.dumps({"output": "", "exit_code": 0, "cwd": "/other/web"})})
    driver = driven(tools)
    ask(driver, "terminal", command="cd web", workdir="/other")
    assert (ask(driver, "terminal", command="make").sent or {})["workdir"] == "/srv/app"


def test_a_command_in_the_background_has_the_folder_and_no_time_limit() -> None:
    assert sent("terminal", command="serve", background=True) == {"command": "serve", "background": True, "workdir": "/srv/app"}


def test_where_nobody_knows_the_folder_nothing_is_made_of_it() -> None:
    """A container has a file system of its own."""
    nowhere = Place("task", "session", "task", "")
    assert sent("terminal", place=nowhere, command="make") == {"command": "make", "timeout": 60}
    assert sent("read_file", place=nowhere, path="a") == {"path": "a"}
    assert sent("search_files", place=nowhere, pattern="x") == {"pattern": "x"}


# ── What the examples show ───────────────────────────────────────────────────────────────────────


def version(*results: Any, seconds: float = 0.0) -> Version:
    """One read by `terminal`, with an example of each result."""
    spec = Spec((), (step("terminal", command=Literal("grep -c x a.txt")),))
    call = Call("terminal", {"command": "grep -c x a.txt"})
    examples = [
        Example(f"c{n}", "t", (Event(call, Outcome.read(one), "t", f"{n}", 0, "", 100.0, 100.0 + seconds),))
        for n, one in enumerate(results)
    ]
    return Version(1, spec, Fit(3, 3, 3, 1.0), tuple(examples), (), 0.0)


NO_MATCH = {"output": "0", "exit_code": 1, "error": None, "exit_code_meaning": "No matches found (not an error)"}
MATCH = {"output": "2", "exit_code": 0, "error": None}


def test_a_command_has_twice_the_time_of_its_slowest_example() -> None:
    """The least of the time left and the greatest of setting, recorded limit and twice the slowest example."""
    tools = Tools()
    for seconds in (10.0, 70.2, 10_000.0):
        ask(driven(tools, clock=Clock(), known=habits(version(MATCH, seconds=seconds))), "terminal", command="x")
    assert [arguments["timeout"] for _, arguments, _ in tools.sent] == [60, 141, int(BUDGET_S)]


@pytest.mark.parametrize(("examples", "status"), [((MATCH, NO_MATCH), Status.OK), ((MATCH,), Status.ERROR), ((), Status.ERROR)])
def test_a_harmless_exit_code_is_a_success_only_where_an_example_shows_it(examples: Any, status: Status) -> None:
    """A20, K74, T51."""
    outcome = ask(driven(Tools({"terminal": NO_MATCH}), known=habits(version(*examples))), "terminal", command="x")
    assert outcome.status is status
    assert status is Status.OK or "which no example shows" in outcome.reason


@pytest.mark.parametrize(
    "change", [{"exit_code_meaning": None}, {"exit_code": 2}, {"error": "gone"}, {"exit_code_meaning": "Non-zero exit (often normal)"}]
)
def test_an_exit_code_that_the_host_does_not_call_harmless_is_a_failure_whatever_the_examples_show(change: dict[str, Any]) -> None:
    """A20."""
    outcome = ask(driven(Tools({"terminal": NO_MATCH | change}), known=habits(version(NO_MATCH))), "terminal", command="x")
    assert outcome.status is Status.ERROR


def test_what_a_step_may_do_is_known_beforehand() -> None:
    assert habits(version(MATCH, NO_MATCH, seconds=2.0)) == (Habit(True, 2.0, frozenset({1})),)
    assert habits(version()) == (Habit(True),)


# ── Other plugins: A25, B02 ──────────────────────────────────────────────────────────────────────


@dataclass
class Guard:
    """Another plugin's guards: answers as it is told, and keeps what it was asked."""

    answer: Callable[[str, dict[str, Any]], Any] = lambda tool, arguments: (None, None)
    asked: list[tuple[str, dict[str, Any], dict[str, Any]]] = field(default_factory=list)
    threads: list[threading.Thread] = field(default_factory=list)

    def __call__(self, tool: str, arguments: dict[str, Any], **ids: Any) -> Any:
        self.asked.append((tool, dict(arguments), ids))
        self.threads.append(threading.current_thread())
        return self.answer(tool, arguments)


def test_every_step_is_put_to_the_other_plugins_as_it_would_be_sent_and_on_the_thread_of_the_handler() -> None:
    """A25: only on that thread can a person be asked; again for every attempt."""
    guard, tools = Guard(), Tools({"read_file": {"error": "gone"}, "terminal": {"output": "", "exit_code": 0}})
    place = Place("task", "session", "task:kata:r1", "/srv/app", {"turn_id": "T1", "tool_call_id": "k1", "api_request_id": "a1"})
    driver = driven(tools, place, gates=Gates(guard))
    ask(driver, "terminal", command="make")
    drive(run(FLOW, {"path": "a"}), driver)
    ids = {"task_id": "task", "session_id": "session", "turn_id": "T1", "tool_call_id": "k1", "api_request_id": "a1"}
    assert guard.asked[0] == ("terminal", {"command": "make", "timeout": 60, "workdir": "/srv/app"}, ids)
    assert guard.asked[1:] == [("read_file", {"path": "/srv/app/a"}, ids)] * 2
    assert set(guard.threads) == {threading.current_thread()}
    assert [tool for tool, _, _ in tools.sent] == ["terminal", "read_file", "read_file"]


def test_what_another_plugin_refuses_is_not_run_and_stops_the_run_with_its_words() -> None:
    """B02: the same message that the model would get; a block, not a crash."""
    guard = Guard(lambda tool, arguments: ("no writes" if tool == "write_file" else None, None))
    tools = Tools({"read_file": {"content": "x"}})
    trace = drive(run(FLOW, {"path": "a"}), driven(tools, gates=Gates(guard)))
    assert [one.status for one in trace.steps] == [Status.OK, Status.REFUSED, Status.SKIPPED]
    assert [tool for tool, _, _ in tools.sent] == ["read_file"]
    said = json.loads(answer(trace, FLOW, "r1"))
    assert said["error"] == "Step 2 of 3 (write_file) was refused: no writes"
    assert said["had_effect"] == []


def in_place(tool: str, arguments: dict[str, Any]) -> Any:
    arguments["command"] = "rm -rf /"
    return None, None


@pytest.mark.parametrize(
    "rewrite", [lambda tool, arguments: (None, arguments | {"command": "echo"}), lambda tool, arguments: (None, {}), in_place]
)
def test_arguments_that_another_plugin_rewrites_stop_the_run(rewrite: Callable[[str, dict[str, Any]], Any]) -> None:
    """A25: neither what was approved nor what was rewritten runs."""
    tools = Tools()
    outcome = ask(driven(tools, gates=Gates(Guard(rewrite))), "terminal", command="make")
    assert outcome.status is Status.REFUSED
    assert "what was approved is not what would run" in outcome.reason
    assert tools.sent == []


def test_a_rewrite_that_changes_nothing_is_none() -> None:
    assert ask(driven(Tools(), gates=Gates(Guard(lambda tool, arguments: (None, dict(arguments))))), "terminal", command="make").ok


def fails(tool: str, arguments: dict[str, Any]) -> Any:
    raise RuntimeError("boom")


@pytest.mark.parametrize("odd", [fails, lambda tool, arguments: None, lambda tool, arguments: 5, lambda tool, arguments: (None, {1, 2})])
def test_a_guard_that_cannot_be_understood_refuses(odd: Callable[[str, dict[str, Any]], Any]) -> None:
    tools = Tools()
    outcome = ask(driven(tools, gates=Gates(Guard(odd))), "read_file", path="a")
    assert (outcome.status, tools.sent) == (Status.REFUSED, [])
    assert "the other plugins could not be asked" in outcome.reason


def test_where_nobody_can_be_asked_reads_go_on_and_the_first_effect_hands_back() -> None:
    """A25."""
    tools = Tools({"read_file": {"content": "x"}})
    known = tuple(Habit(one.effect.plain_read) for one in FLOW.steps)
    trace = drive(run(FLOW, {"path": "a"}), driven(tools, gates=UNGUARDED, known=known))
    assert [one.status for one in trace.steps] == [Status.OK, Status.REFUSED, Status.SKIPPED]
    assert [tool for tool, _, _ in tools.sent] == ["read_file"]
    assert "cannot be asked here" in trace.reason


@pytest.mark.parametrize("tool", ["terminal", "read_file"])
def test_our_own_hooks_know_a_step_of_a_kata_and_nothing_else(tool: str) -> None:
    """A25, B27: on the worker too."""
    seen = []
    guard = Guard(lambda tool, arguments: seen.append(INSIDE.get()) or (None, None))
    ask(driven(Tools({tool: lambda arguments: seen.append(INSIDE.get()) or "{}"}), gates=Gates(guard)), tool, path="a")
    assert (seen, INSIDE.get()) == ([True, True], False)


# ── Stopped, abandoned, out of time ──────────────────────────────────────────────────────────────


@pytest.mark.parametrize("asks", [[True], [False, True]])
def test_a_run_that_was_stopped_starts_no_further_step(asks: list[bool]) -> None:
    """Trap 3: asked before each step, and once more after a person may have been asked."""
    tools, answers = Tools(), iter(asks)
    trace = drive(run(FLOW, {"path": "a"}), driven(tools, gates=Gates(Guard(), lambda: next(answers))))
    assert (trace.status, tools.sent) == (Status.INTERRUPTED, [])
    assert json.loads(answer(trace, FLOW, "r1"))["note"] == "Nothing was run."


def test_a_run_that_the_host_gave_up_starts_no_further_step() -> None:
    """Trap 3: the thread of an abandoned call goes on."""
    drivers: list[Driver] = []

    def late(arguments: Any) -> str:
        drivers[0].abandoned = GIVEN_UP
        return '{"content": "x"}'

    tools = Tools({"read_file": late})
    drivers.append(driven(tools))
    trace = drive(run(FLOW, {"path": "a"}), drivers[0])
    assert [one.status for one in trace.steps] == [Status.OK, Status.INTERRUPTED, Status.SKIPPED]
    assert [tool for tool, _, _ in tools.sent] == ["read_file"]


def test_waiting_for_a_person_does_not_count() -> None:
    """Neither before a step nor in a command that the host asks about."""
    clock = Clock()

    def slow(*_: Any) -> Any:
        clock.now += 300.0
        return None, None

    def approved(arguments: dict[str, Any]) -> str:
        clock.now += 60 + OVERHEAD_S + 300.0
        return "{}"

    driver = driven(Tools({"terminal": approved}), clock=clock, gates=Gates(Guard(slow)))
    ask(driver, "terminal", command="make")
    assert driver.left == BUDGET_S - 60 - OVERHEAD_S


@pytest.mark.parametrize(("limit", "seconds"), [(420.0, 357.0), (5.0, 4.25), (1_000.0, 360.0), (0.0, 360.0), (-1.0, 360.0)])
def test_the_time_of_a_run_goes_by_the_hosts_own_limit(limit: float, seconds: float) -> None:
    """min(360 s, 0.85 × the limit); a host without one leaves 360 s."""
    assert budget(limit) == pytest.approx(seconds)


# ── The rehearsal: K56, K61 ──────────────────────────────────────────────────────────────────────


def rehearsed(tool: str) -> tuple[Any, list[StepCall]]:
    """A run whose second step hangs."""
    spec = Spec((), tuple(step(name, READ, path=Literal("a"), command=Literal("ls")) for name in ("read_file", tool, "read_file")))
    issued: list[StepCall] = []

    def stub(asked: StepCall) -> Outcome:
        issued.append(asked)
        return Outcome(Status.TIMEOUT) if asked.index == 1 else Outcome(Status.OK, {"n": asked.index})

    return replay(spec, {}, stub), issued


@pytest.mark.parametrize("tool", ["terminal", *sorted(WORKER)])
def test_a_tool_that_hangs_in_a_rehearsal_is_ended_by_the_limit_that_would_end_it(tool: str) -> None:
    """K61: a worker's tool does not come back until it is let go, `terminal` answers as at its own limit."""
    before = set(threading.enumerate())
    trace, issued = rehearsed(tool)
    assert [one.status for one in trace.steps] == [Status.OK, Status.TIMEOUT, Status.SKIPPED]
    assert [asked.index for asked in issued] == [0, 1]
    assert trace.reason.startswith("[Command timed out after" if tool == "terminal" else "no answer within")
    assert set(threading.enumerate()) == before


@pytest.mark.parametrize("tool", ["write_file", "patch", "execute_code", "mcp__mail__send"])
def test_a_tool_that_only_the_host_would_end_is_said_to_have_no_limit_of_ours(tool: str) -> None:
    trace, issued = rehearsed(tool)
    assert [one.status for one in trace.steps] == [Status.OK, Status.UNKNOWN, Status.SKIPPED]
    assert (trace.reason, len(issued)) == ("no limit of ours", 2)


# ── What a tool answers ──────────────────────────────────────────────────────────────────────────


class Odd(Exception):
    """An exception that cannot be shown."""

    def __str__(self) -> str:
        raise RuntimeError("no str")


ERRORS = [ValueError("boom"), KeyError("x"), RecursionError(), Odd()]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("tool", ["terminal", "read_file"])
def test_a_tool_that_raises_is_a_failed_step(tool: str, error: Exception) -> None:
    """B01: a raised exception stops the run and is named."""

    def fails(arguments: Any) -> Any:
        raise error

    outcome = ask(driven(Tools({tool: fails}), PLACE, 1), tool, path="a", command="x")
    assert outcome.status is Status.ERROR
    assert outcome.reason.startswith(type(error).__name__)
    assert outcome.sent


RAISED = {"error": "[TOOL_ERROR] Tool execution failed: ReadTimeout: late"}


@pytest.mark.parametrize("tool", ["terminal", "read_file", "write_file"])
@pytest.mark.parametrize("worded", [True, False])
def test_a_timeout_that_a_tool_raises_is_one_and_is_never_tried_again(tool: str, worded: bool) -> None:
    """B04: raised through to us, or worded by the host."""

    def late(arguments: Any) -> str:
        if worded:
            return json.dumps(RAISED)
        raise TimeoutError("late")

    tools = Tools({tool: late})
    spec = Spec((), (step(tool, READ, path=Literal("a"), command=Literal("x")),))
    trace = drive(run(spec, {}, read_retries=2), driven(tools))
    assert (trace.status, len(tools.sent)) == (Status.TIMEOUT, 1)
    assert "may still be running" in answer(trace, spec, "r1")


UNSURE = [
    ({"error": "MCP call failed: TimeoutError: MCP call timed out after 30.0s (configured timeout: 30.0s)"}, Status.TIMEOUT),
    ({"success": False, "error": "Command timed out after 30 seconds"}, Status.TIMEOUT),
    ("Error executing tool 'post': timed out after 420.0s", Status.TIMEOUT),
    ({"error": "The session expired while this call was in flight", "outcome_uncertain": True}, Status.UNKNOWN),
    ({"error": "MCP call interrupted: user sent a new message"}, Status.INTERRUPTED),
    ({"error": "BLOCKED: write to protected file(s): approval prompt timed out without a user response."}, Status.REFUSED),
    ({"error": "expected a number for timeout: 5s"}, Status.ERROR),
]


@pytest.mark.parametrize(("told", "status"), UNSURE)
def test_what_a_server_did_is_not_tried_again_where_nobody_knows_it(told: Any, status: Status) -> None:
    """K79, B04: the host words it in an error; a read is not tried again, and who resumes must look first."""
    tools = Tools({"mcp__box__post": (lambda arguments: told) if isinstance(told, str) else told})
    for effect in (READ, EXTERNAL):
        tools.sent.clear()
        trace = drive(run(Spec((), (step("mcp__box__post", effect, text=Literal("x")),)), {}, read_retries=2), driven(tools))
        tries = 3 if status is Status.ERROR and effect is READ else 1
        assert (trace.status, len(tools.sent)) == (status, tries)


def test_a_patch_with_its_paths_inside_is_looked_up_from_the_callers_folder_or_not_run() -> None:
    """B44: under an id of our own it would touch files somewhere else."""
    tools = Tools({"terminal": lambda arguments: json.dumps({"output": "", "exit_code": 0, "cwd": "/srv/app/web"})})
    driver = driven(tools)
    patch = {"mode": "patch", "patch": "*** Update File: a.md"}
    assert ask(driver, "patch", **patch).ok
    ask(driver, "terminal", command="cd web")
    assert ask(driver, "patch", **patch).status is Status.REFUSED
    assert [(tool, ids["task_id"]) for tool, _, ids in tools.sent] == [("patch", "task"), ("terminal", "task")]


def test_a_read_that_raises_is_asked_once_more() -> None:
    """K76: once, after a plain error; B04: an effect never."""

    def fails(arguments: Any) -> Any:
        raise OSError("gone")

    tools = Tools({"read_file": fails, "write_file": fails})
    drive(run(FLOW, {"path": "a"}), driven(tools, PLACE, 5))
    assert [tool for tool, _, _ in tools.sent] == ["read_file", "read_file"]
    tools = Tools({"read_file": {"content": "x"}, "write_file": fails})
    drive(run(FLOW, {"path": "a"}), driven(tools, PLACE, 5))
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
    trace = drive(run(FLOW, {"path": "a"}, read_retries=0), driven(tools, PLACE, 5))
    assert [one.status for one in trace.steps] == [Status.ERROR, Status.SKIPPED, Status.SKIPPED]
    assert [tool for tool, _, _ in tools.sent] == ["read_file"]


@pytest.mark.parametrize(
    "raw", ['{"success":true,"failed":0}', '{"results":[{"error":null}]}', '{"error":null}', "plain text", '{"_multimodal":1}']
)
def test_what_is_no_error_goes_on(raw: str) -> None:
    """A19, B01."""
    assert ask(driven(Tools({"web_search": lambda arguments: raw}), PLACE, 5), "web_search").ok


def test_each_run_has_its_own_values() -> None:
    """B48: A in the first run, B in the second."""
    contents = iter(["A", "B"])
    tools = Tools({"read_file": lambda arguments: json.dumps({"content": next(contents)})})
    for _ in range(2):
        drive(run(FLOW, {"path": "a"}), driven(tools, PLACE, 5))
    assert [arguments["content"] for tool, arguments, _ in tools.sent if tool == "write_file"] == ["A", "B"]


@pytest.mark.parametrize(
    ("raw", "status", "reason"),
    [
        ({"output": "", "exit_code": -1, "error": "BLOCKED: git push*", "status": "blocked"}, Status.REFUSED, "BLOCKED: git push*"),
        ({"output": "", "exit_code": -1, "error": "", "status": "pending_approval", "description": "deletes"}, Status.REFUSED, "deletes"),
        (
            {"output": "", "exit_code": 124, "error": "Command timed out after 60 seconds"},
            Status.TIMEOUT,
            "Command timed out after 60 seconds",
        ),
        ({"output": "x\n[Command timed out after 60s]", "exit_code": 124, "error": None}, Status.TIMEOUT, "[Command timed out after 60s]"),
        ({"output": "late", "exit_code": 124, "error": None}, Status.ERROR, "exit code 124: late"),
        ({"output": "[Command interrupted]", "exit_code": 130, "error": None}, Status.INTERRUPTED, "the command was interrupted"),
        ({"output": "", "exit_code": 130, "error": None}, Status.INTERRUPTED, "the command was interrupted"),
        (
            {"output": "", "exit_code": 0, "session_id": "p1", "promoted_from_foreground": "…"},
            Status.INTERRUPTED,
            "the command went to the",
        ),
        ({"output": "", "exit_code": None, "status": "yielded_to_background"}, Status.INTERRUPTED, "the command went to the background"),
    ],
)
def test_what_became_of_a_command_is_told_as_it_is_and_never_tried_again(raw: Any, status: Status, reason: str) -> None:
    """B02, B04: a refusal is none of the command's failures, and what may still run is no failure either."""
    tools = Tools({"terminal": raw})
    spec = Spec((), (step("terminal", READ, command=Literal("ls")), step("terminal", EXTERNAL, command=Literal("git push"))))
    trace = drive(run(spec, {}, read_retries=1), driven(tools))
    assert (trace.status, len(tools.sent)) == (status, 2 if status is Status.ERROR else 1)
    assert trace.reason.startswith(reason)


# ── Limits of one run, and a person at a terminal ────────────────────────────────────────────────


def test_a_run_makes_so_many_calls_and_no_more() -> None:
    """T60."""
    driver = driven(Tools())
    driver.dispatches = MOST_DISPATCHES - 1
    assert ask(driver, "write_file", path="a").ok
    late = ask(driver, "write_file", path="b")
    assert late.status is Status.REFUSED and late.reason.startswith("no step starts after 200 calls")


def test_a_run_takes_so_much_text_and_no_more() -> None:
    """T60."""
    driver = driven(lambda tool, arguments, **ids: "x" * 100)
    assert ask(driver, "write_file", path="a").ok and driver.size == 100
    driver.size = MOST_BYTES + 1
    assert ask(driver, "write_file", path="a").status is Status.REFUSED


PAIR = Spec((), (step("read_file", READ), step("write_file", WRITE)))


@pytest.mark.parametrize(("answer", "status"), [("y\n", Status.OK), ("Yes\n", Status.OK), ("n\n", Status.REFUSED), ("", Status.REFUSED)])
def test_a_person_at_a_terminal_is_asked_before_each_step_that_does_more_than_read(answer: str, status: Status) -> None:
    """In a shell nobody else asks; anything but yes is no."""
    screen = Screen()
    ask_person = asking(Keyboard(answer), screen)
    assert ask_person is not None
    send = confirmed(driven(Tools()), PAIR, ask_person)
    assert send(StepCall(0, Call("read_file", {"path": "a"}))).ok and screen.getvalue() == ""
    assert send(StepCall(1, Call("write_file", {"path": "b"}))).status is status
    assert screen.getvalue() == "Step 2 of 2, write: write_file path=b\nDo it? [y/N] "


def test_time_that_a_person_thinks_does_not_count() -> None:
    clock = Clock()
    driver = driven(Tools(), clock=clock)

    def slow(question: str) -> bool:
        clock.now += 1_000
        return True

    assert confirmed(driver, PAIR, slow)(StepCall(1, Call("write_file", {"path": "b"}))).ok


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


class Keyboard(Screen):
    """Somebody types this."""


def test_without_a_terminal_there_is_nobody_to_ask() -> None:
    assert asking(io.StringIO("y\n"), Screen()) is None and asking(Keyboard("y\n"), io.StringIO()) is None
