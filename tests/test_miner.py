"""Finding routines: runs, keys, windows, whole routines, coherence and confidence, each against known answers. (K27, K51, T4, T31)"""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import (
    BRANCHES,
    DEFAULTS,
    FILES,
    NOW,
    SCHEMA,
    Did,
    Ledger,
    events,
    failed,
    family,
    five,
    mined,
    routine,
    sh,
    told,
    tool,
    turn_of,
)

from kata import miner, odds
from kata.model import Call, Command, Event, Input, NearMiss, Outcome, Place, Proposal, Reference, Status, Turn, walk
from kata.settings import Settings


def names(turn: Turn) -> list[str]:
    """The runs of a turn: the command, or the tool, of each call."""
    return [" ".join(str(one.call.arguments.get("command", one.call.tool)) for one in run) for run in miner.runs(turn)]


def found(*conversations: Sequence[Did]) -> list[tuple[str, ...]]:
    """The keys of all that the last conversation brings as a proposal."""
    return [tuple(miner.key(call) for call in one.exhibits[0].calls) for one in mined(*told(*conversations)) if isinstance(one, Proposal)]


def only(*turns: Turn, config: Settings = DEFAULTS) -> Proposal | NearMiss:
    (one,) = mined(*turns, settings=config)
    return one


def keys_of(*done: Did) -> tuple[str, ...]:
    return tuple(miner.key(Call(one.tool, one.arguments)) for one in done)


A, B, C, D = sh("git pull --rebase origin"), sh("make build-release"), sh("npm run lint-all"), sh("docker compose up-all")
"""Four fixed commands of four programs."""


# ── Runs: K34–K38 ────────────────────────────────────────────────────────────────────────────────


def test_a_run_holds_the_successful_calls_of_a_turn_in_their_order() -> None:
    """K34."""
    assert names(turn_of(A, B, C)) == ["git pull --rebase origin make build-release npm run lint-all"]
    assert names(turn_of()) == []


@pytest.mark.parametrize(
    "bad",
    [
        failed("web_search", query="x"),
        sh("ls nothere", code=2),
        tool("web_search", {"success": False}, query="x"),
        Did("web_search", {"query": "x"}, "[TOOL_ERROR] no"),
        Did("terminal", {"command": "ls"}, '{"output": "[Command timed out after 60s]", "exit_code": 124, "error": null}'),
        Did("web_search", {"query": "x"}, None),
    ],
)
def test_a_failed_call_breaks_a_run_and_is_in_none(bad: Did) -> None:
    """K35, B23, K71–K74."""
    assert names(turn_of(A, bad, B, C)) == ["git pull --rebase origin", "make build-release npm run lint-all"]


@pytest.mark.parametrize(("pause", "count"), [(299.9, 1), (300.0, 1), (300.001, 2), (4000.0, 2)])
def test_more_than_five_minutes_of_idling_break_a_run_and_exactly_five_do_not(pause: float, count: int) -> None:
    """K36, A3."""
    assert len(miner.runs(turn_of(A, replace(B, pause=pause)))) == count


def test_a_slow_command_is_no_pause() -> None:
    """A3: idle time is measured from the end of a call to the start of the next."""
    assert len(miner.runs(turn_of(A, replace(B, seconds=900.0), C))) == 1


def test_a_pause_is_measured_from_the_call_before_even_when_that_one_is_no_step() -> None:
    """A3 with A4 and A5: while a skipped or folded call ran, nobody was idle."""
    slow = replace(sh("make build-relaese", code=2), seconds=250.0)
    assert len(miner.runs(turn_of(A, slow, replace(B, pause=100.0)))) == 1
    plan = replace(tool("todo_list", todos=[]), pause=200.0)
    assert len(miner.runs(turn_of(A, plan, replace(B, pause=200.0)))) == 1


def test_a_pause_in_front_of_a_skipped_call_still_breaks() -> None:
    """K36: the idle time before a bookkeeping call counts too."""
    plan = replace(tool("todo_list", todos=[]), pause=400.0)
    assert len(miner.runs(turn_of(A, plan, B))) == 2


def test_while_one_of_several_calls_side_by_side_still_ran_nobody_was_idle() -> None:
    """A3: a slow read and a quick one were asked for at once, and the next call came when the slow one was done."""
    slow, quick, after = events("t1", (tool("web_extract", urls=["https://a.example"]), tool("read_file", path="a"), B))
    slow = replace(slow, ended=slow.started + 400)
    quick = replace(quick, started=slow.started, ended=slow.started + 1)
    for gap, count in ((1, 1), (300, 1), (301, 2)):
        last = replace(after, started=slow.ended + gap, ended=slow.ended + gap + 1)
        assert len(miner.runs(Turn("t1", "c1", "person", NOW, (slow, quick, last)))) == count


def test_clarify_breaks_a_run() -> None:
    """K37."""
    assert names(turn_of(A, B, tool("clarify", question="which?"), C)) == [
        "git pull --rebase origin make build-release",
        "npm run lint-all",
    ]


def test_delegated_work_breaks_a_run_and_bookkeeping_is_passed_over() -> None:
    """A4."""
    assert len(miner.runs(turn_of(A, tool("delegate_task", goal="x"), B))) == 2
    for name in ("todo_list", "memory", "session_search", "tool_search", "tool_describe"):
        assert names(turn_of(A, tool(name, x=1), failed(name, x=1), B)) == ["git pull --rebase origin make build-release"]


@pytest.mark.parametrize(
    "own",
    [
        tool("kata_deploy", branch="x"),
        tool("kata_list"),
        sh("hermes kata approve 1 as x"),
        sh("curl http://127.0.0.1:9119/api/plugins/kata/katas"),
        tool("read_file", path="/home/x/.hermes/plugin-data/kata/kata.db"),
    ],
)
def test_what_addresses_kata_itself_breaks_a_run_and_is_never_a_step(own: Did) -> None:
    """A4, B27."""
    assert names(turn_of(A, own, B)) == ["git pull --rebase origin", "make build-release"]


# ── Failed tries: A5 ─────────────────────────────────────────────────────────────────────────────


def test_a_failed_try_is_folded_when_the_same_program_succeeds_within_two_calls() -> None:
    """A5: the next call or the one after it."""
    bad = sh("make buidl", code=2)
    assert names(turn_of(A, bad, B)) == ["git pull --rebase origin make build-release"]
    assert names(turn_of(A, bad, C, B)) == ["git pull --rebase origin npm run lint-all make build-release"]
    assert len(miner.runs(turn_of(A, bad, C, D, B))) == 2


def test_a_failed_try_is_not_folded_by_another_program_or_another_tool() -> None:
    bad = sh("make build-release", code=2)
    assert len(miner.runs(turn_of(A, bad, C))) == 2
    assert len(miner.runs(turn_of(A, failed("read_file", path="a"), B))) == 2


def test_a_failed_try_of_a_plain_tool_is_folded_too() -> None:
    assert names(turn_of(A, failed("read_file", path="sr/a.py"), tool("read_file", path="src/a.py"))) == [
        "git pull --rebase origin read_file"
    ]


def test_the_program_of_a_failed_try_is_read_past_assignments_and_paths() -> None:
    """A5 speaks of the same program, not of the same first word."""
    bad = sh("PYTHONPATH=. pytest tests/a", code=2)
    assert names(turn_of(A, bad, sh("pytest tests/a"))) == ["git pull --rebase origin pytest tests/a"]
    unlike = sh("CI=1 make x", code=2)
    assert len(miner.runs(turn_of(A, unlike, sh("CI=1 npm test")))) == 2


@pytest.mark.parametrize("before", ["cd app && ", "sudo ", "export CI=1; ", "source .venv/bin/activate && ", "cd a && sudo "])
def test_what_a_command_begins_with_is_not_its_program(before: str) -> None:
    """K35, A5: another command in the same folder corrects nothing, and the same program elsewhere does."""
    bad = sh(f"{before}make build-release", code=2)
    assert len(miner.runs(turn_of(A, bad, sh(f"{before}cat log.txt")))) == 2
    assert names(turn_of(A, bad, B)) == ["git pull --rebase origin make build-release"]
    assert names(turn_of(A, sh("make buidl", code=2), sh(f"{before}make x"))) == [f"git pull --rebase origin {before}make x"]
    assert len(miner.runs(turn_of(A, sh("cd nowhere", code=1), sh("cd there")))) == 1


def test_failures_are_never_steps() -> None:
    """B23: `tool-x run` failed twice, the package was installed, then it ran."""
    case = (sh("tool-x run-all", code=127), sh("tool-x run-all", code=127), sh("pip install tool-x"), sh("tool-x run-all"))
    assert found(case, case, case) == [keys_of(case[2], case[3])]


def test_a_sequence_whose_last_step_always_fails_is_not_proposed() -> None:
    """B23."""
    case = (sh("pip install tool-x"), sh("tool-x run-all", code=1))
    assert mined(*told(case, case, case)) == ()


# ── Keys: K40, A6 ────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("git checkout a", "git checkout b"),
        ("ls -l", "ls -la"),
        ("git stash pop", "git  stash   pop"),
        ("gh pr merge 12 --squash", "gh pr merge 7"),
        ("grep -n 'a b' f", 'grep "c" g'),
    ],
)
def test_commands_of_one_skeleton_share_a_key(left: str, right: str) -> None:
    assert keys_of(sh(left)) == keys_of(sh(right))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("git status && npm test", "df -h; free -g"),
        ("git checkout a", "git commit a"),
        ("gh pr merge 1", "gh pr view 1"),
        ("git stash pop", "git stash list"),
        ("git log | head", "git log"),
        ("for i in 1 2; do echo $i; done", "for i in 1 3; do echo $i; done"),
    ],
)
def test_commands_of_unlike_skeletons_never_share_a_key(left: str, right: str) -> None:
    """A6."""
    assert keys_of(sh(left)) != keys_of(sh(right))


def test_a_key_names_the_tool_and_its_argument_names_in_any_order() -> None:
    """K40."""
    assert miner.key(Call("read_file", {"path": "a", "limit": 3})) == miner.key(Call("read_file", {"limit": 9, "path": "b"}))
    assert miner.key(Call("read_file", {"path": "a"})) != miner.key(Call("read_file", {"path": "a", "limit": 3}))
    assert miner.key(Call("read_file", {"path": "a"})) != miner.key(Call("write_file", {"path": "a"}))
    assert miner.key(Call("read_file", {"path": "a"})) == "read_file(path)"


@pytest.mark.parametrize("command", ["", " ", "'", "\ud835", "a\0b", "((", 5, None, ["ls"]])
def test_an_odd_command_has_a_key_too(command: object) -> None:
    """B46: nothing is raised, and the key is stable."""
    call = Call("terminal", {"command": command})
    assert miner.key(call) == miner.key(call)


def texts() -> st.SearchStrategy[str]:
    return st.one_of(st.text(max_size=12), st.sampled_from(["git status", "ls -l x", "cd a && make", "cat <<E", "$(", "a | b"]))


@given(st.sampled_from(["terminal", "bash", "read_file"]), st.dictionaries(st.sampled_from(["command", "path", "n"]), texts()))
def test_a_key_depends_on_the_call_alone(name: str, arguments: dict[str, str]) -> None:
    """Not on its result, its time or its neighbours."""
    call, again = Call(name, arguments), Call(name, dict(reversed(arguments.items())))
    assert miner.key(call) == miner.key(again)
    event = Event(call, Outcome(Status.OK, {"a": 1}), "t", "c")
    other = replace(event, outcome=Outcome(Status.ERROR, None, "x"), started=9.0, folder="/x", position=7)
    assert miner.key(event.call) == miner.key(other.call)


# ── Windows: K39, K41 ────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("calls", "max_steps", "count"), [(1, 8, 0), (2, 8, 1), (4, 8, 6), (10, 8, 42), (10, 2, 9), (4, 3, 5)])
def test_every_window_of_two_to_max_steps_calls_is_counted(calls: int, max_steps: int, count: int) -> None:
    """K39: n calls have n − k + 1 windows of k; beside them each call alone, by which chance is judged."""
    turn = turn_of(*(tool(f"tool_{index}", x=1) for index in range(calls)))
    assert len(miner.windows(turn, max_steps)) == count + calls


def test_a_window_is_counted_once_per_turn_and_its_latest_place_counts() -> None:
    """K41, A12."""
    held = miner.windows(turn_of(A, B, A, B, A, B), 2)
    alone = {miner.window_id(keys_of(A)): Place(4, 4, 1, 3), miner.window_id(keys_of(B)): Place(5, 5, 1, 3)}
    assert held == {miner.window_id(keys_of(A, B)): Place(4, 5, 2, 3), miner.window_id(keys_of(B, A)): Place(3, 4, 2, 2)} | alone


LOOK, HERE = sh("ls -a", "README.md src"), sh("pwd", "/srv/app")


def passed_over(turn: Turn, *done: Did, gap: int = miner.GAP) -> tuple[int, ...] | None:
    """What the window of these calls passes over in a turn; None where it does not stand."""
    place = miner.windows(turn, 8, gap).get(miner.window_id(keys_of(*done)))
    return place and place.skipped


def test_a_window_passes_over_reads_that_do_not_belong_and_says_which() -> None:
    """T5: up to two in a gap, three in all."""
    assert passed_over(turn_of(A, LOOK, B), A, B) == (1,)
    assert passed_over(turn_of(A, LOOK, HERE, B, LOOK, C), A, B, C) == (1, 2, 4)
    assert passed_over(turn_of(A, LOOK, HERE, LOOK, B), A, B) is None
    assert passed_over(turn_of(A, LOOK, HERE, B, LOOK, HERE, C), A, B, C) is None
    assert passed_over(turn_of(A, LOOK, B), A, B, gap=0) is None


def test_a_window_never_passes_over_what_acts_or_is_made_use_of() -> None:
    """T5: a gap holds reads whose results nothing refers to."""
    assert passed_over(turn_of(A, B, C), A, C) is None
    listed, shown = sh("ls logs", "api-7731.log"), sh("wc -l api-7731.log", "12 api-7731.log")
    assert passed_over(turn_of(A, listed, shown), A, shown) is None
    assert passed_over(turn_of(sh("touch api-7731.log"), listed, shown), sh("touch x"), shown) == (1,)


def test_a_window_that_stands_as_a_whole_passes_over_nothing_elsewhere_in_its_turn() -> None:
    assert passed_over(turn_of(A, B, D, A, LOOK, B), A, B) == ()
    assert passed_over(turn_of(A, LOOK, HERE, B, D, A, LOOK, B), A, B) == (6,)


def test_a_repeat_is_no_gap() -> None:
    """What would be folded away as a loop without the call between is none of two steps."""
    assert passed_over(turn_of(A, LOOK, A), A, A) is None


def test_a_turn_of_nothing_but_reads_has_no_more_windows_than_can_be_kept() -> None:
    turn = turn_of(*(sh(f"cat part_{number}", "x") if number % 2 else sh("ls -a", "y") for number in range(200)))
    assert len(miner.windows(turn, 8)) <= 200 * 8 * (1 + miner.BREADTH)


def test_a_step_inside_that_most_do_without_does_not_belong() -> None:
    """More than twice as many conversations do without it: then the routine with it holds less than half of them."""
    spread = {miner.window_id(keys): times for keys, times in ((("a", "x", "b"), 3), (("a", "b"), 9))}
    turns = {window: {f"c{n}": frozenset({f"t{n}"}) for n in range(times)} for window, times in spread.items()}
    whole, ask = ("a", "x", "b"), (lambda window: spread.get(window, 0), lambda asked: {one: turns.get(one, {}) for one in asked})
    assert miner.padded(whole, (1,), (), *ask) == "9 conversations do it without step 2, 3 with it"
    assert miner.padded(whole, (), (), *ask) == ""
    spread[miner.window_id(("a", "b"))] = 6
    assert miner.padded(whole, (1,), (), *ask) == ""
    turns[miner.window_id(("a", "b", "c"))] = {"c0": frozenset({"t0"}), "c1": frozenset({"t1"})}
    assert miner.padded(whole, (1,), [("a", "b", "c")], *ask) == "without step 2 it is a piece of another routine"
    assert miner.padded(whole, (1,), [("a", "b"), ("b", "c")], *ask) == ""


def test_a_step_may_not_belong_when_it_reads_inside_and_nothing_makes_use_of_it() -> None:
    look, last = sh("git status", "clean"), sh("uptime", "3")
    proposal = only(*told(*((sh(f"git checkout {one}"), look, sh(f"npm run build -- {one}"), last) for one in BRANCHES)))
    assert isinstance(proposal, Proposal) and miner.loose(proposal.spec) == (1, 3)


def test_examples_without_the_usual_options_are_set_apart() -> None:
    """A family may be split by what is known before a run; here two of eight did something else with the program."""
    usual = [(sh(f"mkdir -p backups/{branch}"), sh(f"ls -la backups/{branch}", "x")) for branch in BRANCHES]
    other = [(sh(f"mkdir -p backups/day{n}"), sh("ls", "y")) for n in range(2)]
    proposal = only(*told(*other, *usual))
    assert isinstance(proposal, Proposal) and proposal.fit.support == 6 and len(proposal.exhibits) == 6


def test_a_window_never_crosses_a_break() -> None:
    held = miner.windows(turn_of(A, B, tool("clarify", q="?"), C, D), 8)
    alone = {miner.window_id(keys_of(one)) for one in (A, B, C, D)}
    assert set(held) == {miner.window_id(keys_of(A, B)), miner.window_id(keys_of(C, D))} | alone


def test_a_window_id_fits_a_signed_64_bit_column_and_knows_order_and_borders() -> None:
    ids = {miner.window_id(keys) for keys in (("a", "b"), ("b", "a"), ("ab",), ("a", "b", ""), ("\ud835", "b"))}
    assert len(ids) == 5 and all(-(2**63) <= one < 2**63 for one in ids)
    assert miner.window_id(("a", "b")) == miner.window_id(("a", "b"))


# ── Support: K42 ─────────────────────────────────────────────────────────────────────────────────


def test_three_conversations_are_enough_and_two_are_not() -> None:
    """K16, K42, K93."""
    assert mined(*told(routine(0), routine(1))) == ()
    assert isinstance(only(*told(routine(0), routine(1), routine(2))), Proposal)


def test_repeats_in_one_chat_do_not_count() -> None:
    """K42, A38, B24: one conversation that does it five times, in one turn and in several; of three, each counts once, and a routine is no
    longer than a window however long they went on."""
    turns = [turn_of(*routine(n), turn=f"t{n}", conversation="c1") for n in range(5)]
    assert mined(*turns) == ()
    assert mined(turn_of(*(A, B, C) * 5)) == ()
    assert mined(turn_of(*(A, B) * 10)) == ()
    found = mined(*told(*[(A, B) * 10] * 3), settings=Settings(max_steps=8))
    assert found and all(len(one.keys) <= 8 for one in found) and {one.fit.support for one in found if isinstance(one, Proposal)} <= {3}


@pytest.mark.parametrize("support", [3, 4, 5])
def test_min_support_is_a_number_of_conversations(support: int) -> None:
    """K93."""
    cases = [routine(n) for n in range(support)]
    config = Settings(min_support=support)
    assert mined(*told(*cases[:-1]), settings=config) == ()
    assert isinstance(only(*told(*cases), config=config), Proposal)


def test_two_conversations_suffice_where_the_owner_says_so() -> None:
    """K93 with K94 and K50: a wholly fixed routine is predicted by the one example that is left."""
    config = Settings(min_support=2, min_confidence=0.6)
    one = only(*told((A, B, C), (A, B, C)), config=config)
    assert isinstance(one, Proposal) and one.fit.confidence == pytest.approx(0.64)


# ── Whole routines: K43, A7, K38 ─────────────────────────────────────────────────────────────────


def test_a_piece_with_the_same_turns_disappears() -> None:
    """K43: the five steps are one proposal, not ten."""
    assert [len(keys) for keys in found(routine(0), routine(1), routine(2))] == [5]


def test_a_piece_that_also_occurs_elsewhere_stays() -> None:
    """A7: in another conversation, where the longer one does not occur."""
    cases = [*[(A, B)] * 4, *[(A, B, C)] * 3]
    assert found(*cases) == [keys_of(A, B, C), keys_of(A, B)]


def test_a_piece_is_not_proposed_because_a_turn_holds_it_alone() -> None:
    """A7: the longer window's conversation count is equal, so the piece goes, whichever turn is mined."""
    ledger = Ledger()
    for turn in told((A, B, C), (A, B, C), (A, B, C)):
        ledger.mine(turn)
    assert [one.keys for one in ledger.proposed] == [keys_of(A, B, C)]
    assert ledger.mine(turn_of(A, B, turn="t9", conversation="c2")) == ()


def test_two_routines_of_one_turn_are_two() -> None:
    case = (A, B, tool("clarify", question="?"), C, D)
    assert sorted(found(case, case, case)) == sorted([keys_of(A, B), keys_of(C, D)])


def test_foreign_work_before_and_after_is_no_part_of_the_routine() -> None:
    noise = [(sh(f"tool{n} fixed-word"), A, B, C, tool(f"mcp_{n}", x=n)) for n in range(3)]
    assert found(*noise) == [keys_of(A, B, C)]


def test_a_routine_never_crosses_a_turn() -> None:
    """K38: the halves stand in neighbouring turns of each conversation."""
    turns = []
    for n in range(4):
        turns += [turn_of(A, turn=f"a{n}", conversation=f"c{n}"), turn_of(B, turn=f"b{n}", conversation=f"c{n}")]
    ledger = Ledger()
    assert [ledger.mine(turn) for turn in turns] == [()] * 8


def test_a_routine_longer_than_max_steps_is_found_up_to_it() -> None:
    """K95."""
    case = tuple(sh(f"prog{index} fixed-word") for index in range(5))
    assert {
        len(one.keys if isinstance(one, NearMiss) else one.spec.steps)
        for one in mined(*told(case, case, case), settings=Settings(max_steps=3))
    } == {3}


def test_the_call_of_a_kata_and_its_inner_steps_are_never_one_routine() -> None:
    """B27."""
    case = (tool("kata_k1", branch="x"), tool("write_file", path="log.md", content="done with it"))
    assert mined(*told(case, case, case)) == ()
    inner = (A, B, tool("kata_k1", branch="x"), C, D)
    assert sorted(found(inner, inner, inner)) == sorted([keys_of(A, B), keys_of(C, D)])


def test_polling_is_no_routine() -> None:
    """B24: one command again and again, in three conversations."""
    case = (sh("curl -s http://localhost:80/health"),) * 6
    assert [one for one in mined(*told(case, case, case)) if isinstance(one, Proposal)] == []


@pytest.mark.parametrize("times", [3, 4, 5, 12])
def test_the_same_steps_again_and_again_are_a_loop_and_no_routine(times: int) -> None:
    """A38, B24, K41: nor is it one from the middle of one round to the middle of another."""
    brought = mined(*told(*([(A, B) * times] * 3)))
    assert brought and {one.rule for one in brought if isinstance(one, NearMiss)} == {"loop"}
    assert not [one for one in brought if isinstance(one, Proposal)]
    assert "the same 2 steps repeat" in brought[0].detail if isinstance(brought[0], NearMiss) else False


def test_the_same_steps_twice_or_with_other_values_are_no_loop() -> None:
    """A38."""
    assert found(*([(A, B, A, B)] * 3)) == [keys_of(A, B, A, B)]
    rounds = [sh("cat docs/intro.md"), A, sh("cat docs/usage.md"), A, sh("cat docs/install.md"), A]
    assert found(*([rounds] * 3)) == [keys_of(*rounds)]


# ── Coherence: K44, K45, A8 ──────────────────────────────────────────────────────────────────────


def test_unrelated_calls_that_recur_by_chance_are_rejected() -> None:
    """K45: nothing flows, nothing is shared, nothing is fixed."""
    cases = [(tool("read_file", {"content": "x"}, path=FILES[n]), tool("web_search", {"hits": 0}, query=BRANCHES[n])) for n in range(3)]
    one = only(*told(*cases))
    assert isinstance(one, NearMiss) and one.support == 3
    assert one.detail == "Step 2 shares nothing with the steps before it"


@pytest.mark.parametrize(
    "fixed", [{"limit": 50}, {"background": False}, {"deep": True}, {"limit": 7, "deep": False}, {"mark": "a"}, {"x": None}]
)
def test_a_trivially_fixed_argument_does_not_tie(fixed: dict[str, object]) -> None:
    """A8."""
    cases = [(tool("read_file", path=FILES[n]), tool("web_search", {"hits": 0}, query=BRANCHES[n], **fixed)) for n in range(3)]
    assert isinstance(only(*told(*cases)), NearMiss)


@pytest.mark.parametrize(
    ("fixed", "tied"),
    [
        ({"order": "the newest of them first"}, False),
        ({"most": 1_000_000, "order": "the newest of them first"}, False),
        ({"order": "the oldest of them first"}, True),
        ({"most": "1000000", "order": "the newest of them first"}, True),
    ],
)
def test_an_argument_that_says_what_the_tool_does_anyway_does_not_tie(fixed: dict[str, object], tied: bool) -> None:
    """A8: a value equal to the default of the tool's schema; another value, or one of another type, is fixed by somebody."""
    order = {"type": "string", "default": "the newest of them first"}
    known = {"type": "object", "properties": {"query": {"type": "string"}, "order": order, "most": {"default": 1_000_000}}}
    found = family(*((tool("read_file", path=FILES[n]), tool("web_search", {"n": 0}, query=BRANCHES[n], **fixed)) for n in range(3)))
    keys = tuple(miner.key(call) for call in found[0].calls)
    for schema, ties in ((known, tied), (None, True), ({"properties": []}, True)):
        one = miner.score(miner.Family(found, 3, keys, {SCHEMA: schema}.get), DEFAULTS)
        assert isinstance(one, Proposal) is ties


@pytest.mark.parametrize("tail", ["2>/dev/null", "2>&1", "&& true", "-n 20"])
def test_what_every_command_may_carry_does_not_tie(tail: str) -> None:
    """K45: redirections and options say nothing about what a step is for."""
    cases = [(sh(f"git log {BRANCHES[n]}"), sh(f"cat {FILES[n]} {tail}")) for n in range(3)]
    assert isinstance(only(*told(*cases)), NearMiss)


@pytest.mark.parametrize("command", ["make build-release", "git status", "npm test", "df -h", "ls", "id"])
def test_a_wholly_fixed_command_ties(command: str) -> None:
    """K44."""
    cases = [(sh(f"git checkout {BRANCHES[n]}"), sh(command)) for n in range(3)]
    assert isinstance(only(*told(*cases)), Proposal)


def test_a_value_shared_with_an_earlier_step_ties() -> None:
    """K44, A11: one input in two steps."""
    cases = [(sh(f"git checkout {BRANCHES[n]}"), tool("web_search", {"hits": 0}, query=BRANCHES[n], limit=5)) for n in range(3)]
    one = only(*told(*cases))
    assert isinstance(one, Proposal) and [field.name for field in one.spec.inputs] == ["branch"]


def test_data_flow_from_an_earlier_result_ties() -> None:
    """K44, K47: not only from the step before."""
    one = only(*told(routine(0), routine(1), routine(2)))
    assert isinstance(one, Proposal)
    flows = [[part for part in walk(step.arguments) if isinstance(part, Reference)] for step in one.spec.steps]
    assert flows == [[], [], [Reference(1, ("matches", 0, "path"))], [Reference(1, ("matches", 0, "path"))], []]


def test_a_step_without_arguments_ties_only_when_its_tool_is_specific() -> None:
    """A8: one of MCP or a plugin is, one of the host is not."""
    special = [(sh(f"git checkout {BRANCHES[n]}"), tool("mcp__crm__refresh")) for n in range(3)]
    assert isinstance(only(*told(*special)), Proposal)
    plain = [(sh(f"git checkout {BRANCHES[n]}"), tool("browser_snapshot")) for n in range(3)]
    assert isinstance(only(*told(*plain)), NearMiss)


# ── Score: K50–K54, A12, A14 ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("conversations", "confidence"), [(3, 0.784), (4, 0.8704), (5, 0.92224)])
def test_with_perfect_fit_the_confidence_is_that_of_the_specification(conversations: int, confidence: float) -> None:
    """K52, K53."""
    one = only(*told(*(routine(n) for n in range(conversations))))
    assert isinstance(one, Proposal)
    assert one.fit.rate == 1.0 and one.fit.confidence == pytest.approx(confidence, abs=1e-9)
    assert (one.fit.support, one.fit.tried, one.fit.passed) == (conversations,) * 3


def test_one_example_that_cannot_be_predicted_keeps_a_small_family_from_being_proposed() -> None:
    """K50, K54, A13: at three every held-out example must pass."""
    cases = [(sh(f"git checkout {BRANCHES[n]}"), sh("make deploy-all")) for n in range(2)]
    cases.append((sh("git checkout -b extra"), sh("make deploy-all")))
    one = only(*told(*cases))
    assert isinstance(one, NearMiss) and one.support == 3


def test_a_candidate_below_min_confidence_is_seen_and_not_proposed() -> None:
    """K54, K94."""
    one = only(*told(*(routine(n) for n in range(3))), config=Settings(min_confidence=0.8))
    assert isinstance(one, NearMiss)
    assert (one.rule, one.detail) == ("confidence", "fits 3 of 3 examples it was not built from; confidence 0.78")


def test_one_busy_conversation_cannot_dominate() -> None:
    """A12: one example per conversation, the latest."""
    turns = [turn_of(*routine(n), turn=f"b{n}", conversation="busy") for n in range(6)]
    turns += told(routine(1), routine(2))
    one = only(*turns)
    assert isinstance(one, Proposal) and one.fit.tried == 3
    assert [example.turn for example in one.exhibits] == ["t1", "t0", "b5"]


def test_only_the_twenty_newest_conversations_are_scored() -> None:
    """A12; support counts all of them."""
    case = (A, B, C)
    one = only(*told(*[case] * 23))
    assert isinstance(one, Proposal)
    assert (one.fit.support, one.fit.tried, len(one.exhibits)) == (23, 20, 20)
    assert one.exhibits[0].turn == "t22" and one.exhibits[-1].turn == "t3"


def test_specificity_is_the_share_of_text_that_the_caller_need_not_write() -> None:
    """A14: nothing given is 1; the more is given, the less it is."""
    fixed = only(*told((A, B), (A, B), (A, B)))
    free = only(*told(*(routine(n) for n in range(3))))
    assert isinstance(fixed, Proposal) and isinstance(free, Proposal)
    assert fixed.fit.specificity == 1.0 and 0.5 < free.fit.specificity < 1.0


def test_a_routine_that_the_caller_would_have_to_write_nearly_whole_is_not_proposed() -> None:
    """A14: a new script, then its run."""
    scripts = [f"print('{word}')\n" * lines for word, lines in (("alpha", 12), ("beta", 14), ("gamma", 11))]
    cases = [(tool("write_file", path=f"{BRANCHES[n]}.py", content=scripts[n]), sh(f"cat {BRANCHES[n]}.py")) for n in range(3)]
    one = only(*told(*cases))
    assert isinstance(one, NearMiss) and one.rule == "saves"


def test_the_spec_names_the_input_and_keeps_the_fixed_text_around_it() -> None:
    """K24, K46, K48, K49."""
    one = only(*told(routine(0), routine(1), routine(2)))
    assert isinstance(one, Proposal)
    assert [(field.name, field.type) for field in one.spec.inputs] == [("branch", "string")]
    command = dict(one.spec.steps[0].arguments.fields)["command"]
    assert isinstance(command, Command) and command.parts[0] == "git checkout "
    assert [part for part in walk(one.spec.steps[4].arguments) if isinstance(part, Input)] == [Input("branch")]


def test_noise_that_was_folded_or_skipped_is_in_no_exhibit() -> None:
    noisy = (A, sh("make buidl", code=2), tool("todo_list", todos=[]), B, C)
    one = only(*told((A, B, C), (A, B, C), noisy))
    assert isinstance(one, Proposal)
    assert [len(example.events) for example in one.exhibits] == [3, 3, 3]


def test_a_masked_secret_is_an_input_of_a_proposal_and_never_a_part_of_it() -> None:
    """A17, T43."""
    case = (sh("git pull"), sh("curl -H 'X-Key: KATASECRET_github_1' https://example.org/deploy"))
    one = only(*told(case, case, case))
    assert isinstance(one, Proposal) and [field.type for field in one.spec.inputs] == ["secret"]
    assert "KATASECRET" not in str(one.spec.to_json())


def test_a_near_miss_has_the_same_identity_as_the_proposal_it_might_have_been() -> None:
    """A29: by the sequence of keys, whatever the values."""
    cases = told(*(routine(n) for n in range(3)))
    seen, proposed = only(*cases, config=Settings(min_confidence=0.9)), only(*cases)
    assert isinstance(seen, NearMiss) and isinstance(proposed, Proposal)
    assert seen.fingerprint == proposed.fingerprint == miner.fingerprint(keys_of(*routine(5)))


# ── Laws ─────────────────────────────────────────────────────────────────────────────────────────

POOL = (
    A,
    B,
    sh("make build-release", code=2),
    tool("clarify", q="?"),
    tool("todo_list", x=1),
    *five("main-line", "src/x.py"),
    *five("side-line", "src/y.c"),
)


def histories() -> st.SearchStrategy[list[Turn]]:
    """Up to nine turns in up to four conversations, out of few calls, so that they repeat."""
    chunks = st.sampled_from([POOL[:2], POOL[5:10], POOL[10:15], POOL[5:7], POOL[2:4], POOL[4:5], (replace(B, pause=400.0),)])
    turns = st.lists(st.tuples(st.sampled_from("abcd"), st.lists(chunks, max_size=3)), max_size=9)
    return turns.map(
        lambda rows: [
            turn_of(*(one for chunk in held for one in chunk), turn=f"t{n}", conversation=talk) for n, (talk, held) in enumerate(rows)
        ]
    )


@settings(max_examples=60)
@given(histories())
def test_what_the_miner_finds_holds_what_it_promises(history: list[Turn]) -> None:
    """K34–K43 on whatever history: only successes, only neighbours, only one turn, enough conversations, no piece of its equal."""
    ledger = Ledger()
    for turn in history:
        results = ledger.mine(turn)
        for one in results:
            held = [seen for seen in ledger.turns.values() if miner.window_id(_keys(one)) in miner.windows(seen, 8)]
            assert turn in held and len({seen.conversation for seen in held}) >= 3
        for one in results:
            if isinstance(one, Proposal):
                assert one.fit.confidence >= 0.75 and 2 <= len(one.spec.steps) <= 8
                for example in one.exhibits:
                    assert {event.turn for event in example.events} == {example.turn}
                    assert all(event.outcome.ok for event in example.events)
                    assert [miner.key(call) for call in example.calls] == list(_keys(one))


def _keys(one: Proposal | NearMiss) -> tuple[str, ...]:
    return one.keys if isinstance(one, NearMiss) else tuple(miner.key(call) for call in one.exhibits[0].calls)


@settings(max_examples=60)
@given(histories())
def test_mining_the_same_history_again_gives_the_same_answers(history: list[Turn]) -> None:
    """No clock, chance or order of a set is in any result."""
    first, second = Ledger(), Ledger()
    assert [first.mine(turn) for turn in history] == [second.mine(turn) for turn in history]
    assert [first.mine(turn) for turn in history] == [second.mine(turn) for turn in history]


@given(st.lists(st.sampled_from(POOL), max_size=12))
def test_runs_hold_every_success_that_may_be_a_step_once_and_in_order(done: list[Did]) -> None:
    turn = turn_of(*done)
    kept = [event for run in miner.runs(turn) for event in run]
    barred = {"clarify", "todo_list"}
    assert kept == [event for event in events("t1", done) if event.outcome.ok and event.call.tool not in barred]


# ── Loops and chance ─────────────────────────────────────────────────────────────────────────────


def read(path: str, content: str = "x") -> Did:
    return tool("read_file", {"content": content}, path=path)


def test_repeats_at_once_are_one_loop_step_however_often() -> None:
    """T33: never proposed, told as a loop with its range."""
    cases = [(A, *(read(f"src/part_{n}.py") for n in range(count)), B) for count in (3, 5, 4)]
    (miss,) = mined(*told(*cases))
    assert isinstance(miss, NearMiss) and (miss.rule, miss.detail) == ("loop", "one step repeats 3 to 5 times; loops are not proposed yet")


def test_a_repeat_that_takes_from_the_one_before_is_a_step() -> None:
    cases = [(sh(f"cat {n}_index.txt", f"next_{n}.txt"), sh(f"cat next_{n}.txt")) for n in ("amber", "birch", "cobalt")]
    assert [len(miner.items(miner.runs(turn)[0])) for turn in told(*cases)] == [2, 2, 2]


def test_other_flags_make_another_step() -> None:
    assert len(miner.items(miner.runs(turn_of(sh("ls -l a"), sh("ls -a b"), sh("ls -a c")))[0])) == 2


LOOKS = (("ls -l a", "ls -l"), 2), (("ls -l", "ls -l a"), 2), (("ls -l a", "ls -l b"), 1), (("ls",) * 3, 1)


@pytest.mark.parametrize(("looks", "steps"), LOOKS)
def test_to_look_around_is_no_repeat_of_a_look_at_something(looks: tuple[str, ...], steps: int) -> None:
    """T5: a command that names nothing does not go through things one by one, so it makes no loop of the routine that it follows."""
    assert len(miner.items(miner.runs(turn_of(*map(sh, looks)))[0])) == steps


def test_chance_is_lift_and_doubt_at_the_worst_split() -> None:
    """40 turns hold A B; A stands in 100, B in 50 of 10,000 calls, so 0.5 are expected."""
    ids = {miner.window_id(keys): n for keys, n in ((("a",), 100), (("b",), 50), (("a", "b"), 40))}
    lift, doubt = miner.chance(("a", "b"), ids, odds.History(10_000, 1_000))
    assert lift == pytest.approx(80.0) and doubt < 1e-50
    often = {miner.window_id(keys): n for keys, n in ((("a",), 4_000), (("b",), 500), (("a", "b"), 210))}
    lift, doubt = miner.chance(("a", "b"), often, odds.History(10_000, 1_000))
    assert lift == pytest.approx(1.05) and doubt > 0.01


def test_the_poisson_tail_is_that_of_the_tables() -> None:
    """P(X >= 3) for a mean of 1 is 0.0803, P(X >= 10) for a mean of 5 is 0.0318."""
    assert odds._tail(3, 1.0) == pytest.approx(0.0803, abs=1e-4)
    assert odds._tail(10, 5.0) == pytest.approx(0.0318, abs=1e-4)
    assert odds._tail(0, 5.0) == 1.0 and odds._tail(3, 0.0) == 0.0


def test_where_everything_is_fixed_halves_always_fit_and_where_a_value_ties_them_seldom() -> None:
    """Meeting at all is evidence only where halves of different conversations would not fit each other."""
    fixed, tied = only(*told((A, B), (A, B), (A, B))), only(*told(*(routine(n)[1:3] for n in range(3))))
    assert isinstance(fixed, Proposal) and miner.ties(fixed) == (1.0,)
    assert isinstance(tied, Proposal) and miner.ties(tied) == (pytest.approx(1 / 7, abs=1e-4),)


def test_chance_asks_how_easily_the_parts_fit() -> None:
    """The same counts, and a value that fits once in ten: ten times the lift."""
    ids = {miner.window_id(keys): n for keys, n in ((("a",), 100), (("b",), 50), (("a", "b"), 4))}
    assert miner.chance(("a", "b"), ids, odds.History(2_000, 1_000))[0] == pytest.approx(1.6)
    assert miner.chance(("a", "b"), ids, odds.History(2_000, 1_000), (0.1,))[0] == pytest.approx(16.0)
    assert miner.unlikely(("a", "b"), (1.0,), ids, odds.History(2_000, 1_000)).startswith("its steps meet 1.6 times as often")
    assert miner.unlikely(("a", "b"), (1.0,), ids, odds.History(999, 1_000)) == ""


def test_pieces_are_all_shorter_routines_within_one() -> None:
    found = miner.pieces(("a", "b", "c"))
    assert found == {miner.window_id(piece): 2 for piece in (("a", "b"), ("b", "c"), ("a", "c"))}
