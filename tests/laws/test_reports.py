"""Public reports about tools of this kind, each with its own input, from the recording to the calls of a run or to the refusal."""

import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from strategies import Bench, Did, bench, sh, tool

from kata import shell
from kata.model import Call, Json, Kata, Outcome, StepCall, Trace, walk
from kata.model import Input as Given

WORDS = ("foo", "load_page", "TODO", "retries")


def learnt(desk: Bench, make: Callable[[int], Sequence[Did]], times: int = 4) -> Kata:
    """The one proposal that those conversations lead to."""
    for number in range(times):
        desk.turn(f"c{number}", *make(number))
        desk.service.mine()
    (kata,) = desk.service.katas()
    return kata


def run(desk: Bench, kata: Kata, given: dict[str, Json], *results: str) -> tuple[Trace, list[Call]]:
    """A run of the approved kata: its trace, and what was dispatched; the results are what the tools answer."""
    sent: list[Call] = []
    waiting = list(results)

    def dispatch(asked: StepCall) -> Outcome:
        sent.append(asked.call)
        return Outcome.read(waiting.pop(0) if waiting else json.dumps({"output": "", "exit_code": 0, "error": None}))

    desk.service.review(str(kata.id), "cli")
    active = desk.service.approve(str(kata.id), f"k{kata.id}", "cli")
    return desk.service.start(active, given, "run-1", "s1", dispatch), sent


# ── B06: parameter values break out of the shell quoting ─────────────────────────────────────────


def grep(number: int) -> tuple[Did, ...]:
    return sh(f'grep -n "{WORDS[number]}" src/app.py', f"3:{WORDS[number]}"), tool("read_file", {"content": "x"}, path="src/app.py")


@pytest.mark.parametrize("value", ["a b", "it's", '"; touch pwned; "', "$(touch pwned)", "x\ntouch pwned", "-r", ""])
def test_b06_a_value_arrives_as_one_argument_or_nothing_runs(value: str, tmp_path: Path) -> None:
    """B06: `grep -n "foo" src/app.py` with foo as input."""
    with closing(bench()) as desk:
        kata = learnt(desk, grep)
        (name,) = (one.name for one in kata.version.spec.inputs)
        trace, sent = run(desk, kata, {name: value})
    if not sent:
        assert trace.stopped is not None and value in ("", "x\ntouch pwned", "-r")
        return
    command = sent[0].arguments["command"]
    assert shell.arguments(next(shell.parse(command).commands())) == ("grep", "-n", value, "src/app.py")
    if shutil.which("bash"):
        subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, timeout=20, check=False)
        assert list(tmp_path.iterdir()) == []


# ── B15: names that only live for one run become constants ───────────────────────────────────────


def test_b15_the_number_of_a_process_comes_out_of_the_step_that_started_it() -> None:
    """B15: another id in each conversation."""
    ids = ("proc_2e9f41", "proc_77ab02", "proc_c0ffee", "proc_19d3aa")

    def polled(number: int) -> tuple[Did, ...]:
        started = Did("terminal", {"command": "make watch", "background": True}, json.dumps({"session_id": ids[number], "exit_code": 0}))
        return started, tool("process", {"status": "running"}, action="poll", session_id=ids[number])

    with closing(bench()) as desk:
        for number in range(4):
            desk.turn(f"c{number}", *polled(number))
            desk.service.mine()
        (kata,) = desk.service.katas()
        assert not kata.version.spec.inputs
        _, sent = run(desk, kata, {}, json.dumps({"session_id": "proc_new000", "exit_code": 0}))
    assert sent[1].arguments == {"action": "poll", "session_id": "proc_new000"}


@pytest.mark.parametrize("refs", [("@e12", "@e7", "@e12"), ("@e12", "@e12", "@e12"), ("@e1", "@e2", "@e3", "@e4")])
def test_b15_the_number_of_an_element_is_neither_a_constant_nor_an_input(refs: tuple[str, ...]) -> None:
    """B15: `browser_snapshot`, then `browser_click(ref=…)`."""
    with closing(bench()) as desk:
        for number, ref in enumerate(refs):
            page = {"snapshot": f"button Save [ref={ref[1:]}]", "element_count": 3}
            desk.turn(f"c{number}", tool("browser_snapshot", page), tool("browser_click", {"success": True}, ref=ref))
            desk.service.mine()
        assert desk.service.katas() == () and len(desk.service.near()) == 1


# ── B23: failures are learned as steps ───────────────────────────────────────────────────────────


def test_b23_a_failure_is_no_step_and_each_success_is_one() -> None:
    """B23: `tool-x run` fails twice with 127, the package is installed, then it runs."""
    missing = sh("tool-x run", "tool-x: command not found", 127)
    with closing(bench()) as desk:
        kata = learnt(desk, lambda n: (missing, missing, sh("pip install tool-x"), sh("tool-x run", "done")), 3)
        _, sent = run(desk, kata, {})
    assert [call.arguments["command"] for call in sent] == ["pip install tool-x", "tool-x run"]


def test_b23_a_sequence_whose_last_step_failed_everywhere_is_not_proposed() -> None:
    """B23."""
    with closing(bench()) as desk:
        for number in range(4):
            desk.turn(f"c{number}", sh("pip install tool-x"), sh("tool-x run", "boom", 1))
            desk.service.mine()
        assert desk.service.katas() == () and desk.service.near() == ()


# ── B24: timers and polling look like habits ─────────────────────────────────────────────────────


def test_b24_neither_heartbeats_nor_alternation_nor_one_busy_conversation_is_a_habit() -> None:
    """B24: fifteen cron turns in six sessions, A B ten times in one session, three steps five times in one conversation."""
    first, second = sh("git pull --rebase origin"), sh("make build-release")
    three = (first, second, sh("npm run lint-all"))
    with closing(bench()) as desk:
        for number in range(90):
            desk.turn(f"cron{number % 6}", tool("write_file", path="hb.md", content=f"beat {number}"), who="cron")
        desk.turn("s1", *(first, second) * 10)
        for _ in range(5):
            desk.turn("s2", *three)
        desk.service.mine(None)
        assert desk.service.katas() == () and desk.service.near() == ()


# ── B29: literal braces are taken for parameters ─────────────────────────────────────────────────

BRACES = (
    "docker ps --format '{{.Names}}'",
    "echo '${{ secrets.X }}'",
    "jq '{a: .b}' f",
    "awk '{print $1}' f",
    "echo {{param}}",
)


@pytest.mark.parametrize("command", BRACES)
def test_b29_braces_in_a_command_are_text(command: str) -> None:
    """B29: byte for byte, and no input."""
    with closing(bench()) as desk:
        kata = learnt(desk, lambda n: (sh("git pull --rebase origin"), sh(command, "x")))
        assert kata.version.spec.inputs == ()
        _, sent = run(desk, kata, {})
    assert sent[1].arguments == {"command": command}


def test_b29_braces_in_a_file_are_text_also_beside_an_input() -> None:
    """B29: `{{steps.1.result}}` in what is written, and a value that itself looks like a parameter."""

    def noted(number: int) -> tuple[Did, ...]:
        name = WORDS[number]
        path = f"notes/{name}.md"
        return (
            tool("read_file", {"content": "old"}, path=path),
            tool("write_file", {"bytes": 9}, path=path, content=f"{{{{steps.1.result}}}} about {name} {{0}} ${{x}}"),
        )

    with closing(bench()) as desk:
        kata = learnt(desk, noted)
        (name,) = (one.name for one in kata.version.spec.inputs)
        _, sent = run(desk, kata, {name: "{{value}}"}, json.dumps({"content": "old"}))
    assert sent[1].arguments["content"] == "{{steps.1.result}} about {{value}} {0} ${x}"


# ── B31: types and nulls change on the way ───────────────────────────────────────────────────────

PLAIN = {"case": False, "ids": [3], "note": None, "name": "null", "big": 12345678901234567890, "ratio": 1.0, "none": 0, "empty": ""}


def exact(value: Json) -> str:
    """The value with its types: 1, 1.0 and true stay apart."""
    return json.dumps(value, sort_keys=True)


def asked(number: int, owner: Json = None) -> tuple[Did, ...]:
    found = {"owner": owner if owner is not None else ("maria", "otto", "petra", "quinn")[number], "total": 1}
    return (
        Did("mcp__crm__search", {**PLAIN, "limit": (20, 35, 50, 75)[number]}, json.dumps(found)),
        Did("mcp__crm__open", {"owner": found["owner"], "flag": True}, json.dumps({"ok": 1})),
    )


def test_b31_types_and_nulls_survive_from_the_recording_to_the_call() -> None:
    """B31: what is fixed, and an input that is a whole number."""
    with closing(bench()) as desk:
        kata = learnt(desk, asked)
        (field,) = kata.version.spec.inputs
        assert field.type == "integer"
        _, sent = run(desk, kata, {field.name: 5}, json.dumps({"owner": "rosa", "total": 1}))
    assert exact(dict(sent[0].arguments)) == exact({**PLAIN, "limit": 5})
    assert exact(dict(sent[1].arguments)) == exact({"owner": "rosa", "flag": True})


@pytest.mark.parametrize("answer", [{"owner": None, "total": 1}, {"total": 1}])
def test_b31_a_field_that_is_null_or_missing_never_becomes_the_word_none(answer: Json) -> None:
    """B31: null stays null, and what is missing stops the run with the name of the field."""
    with closing(bench()) as desk:
        kata = learnt(desk, asked)
        trace, sent = run(desk, kata, {kata.version.spec.inputs[0].name: 5}, json.dumps(answer))
    later = [call.arguments["owner"] for call in sent[1:]]
    assert later in ([], [None]) and (later or "owner" in trace.reason)


def test_no_input_is_left_unused() -> None:
    """Beside B29: what is asked for goes somewhere."""
    with closing(bench()) as desk:
        spec = learnt(desk, grep).version.spec
    used = {part.name for step in spec.steps for part in walk(step.arguments) if isinstance(part, Given)}
    assert used == {one.name for one in spec.inputs}
