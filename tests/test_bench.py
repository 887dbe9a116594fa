"""The measurement measures what it says: exact counts, right slopes, whole tables; how long anything takes is nobody's test."""

import importlib.util
import itertools
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kata.model import Json

ROOT = Path(__file__).resolve().parent.parent


def brought_in(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"kata_{name}_script", ROOT / "scripts" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


bench, checks = brought_in("bench"), brought_in("test")


def asked(*calls: int, turns: int = 3) -> Json:
    return bench.Asked(calls, 1, False, turns=turns)


def part(name: str, folder: Path, *calls: int) -> Json:
    return bench.PARTS[name](asked(*calls), folder)


def test_a_start_is_measured_with_so_many_katas(tmp_path: Path) -> None:
    found = part("start", tmp_path, 2)
    assert [(row["katas"], row["tools"]) for row in found.rows] == [(2, 2)]


# ── Histories ────────────────────────────────────────────────────────────────────────────────────


@given(st.integers(1, 300), st.integers(0, 5))
def test_a_history_has_exactly_the_calls_that_were_asked_for_and_is_the_same_again(calls: int, seed: int) -> None:
    turns = list(bench.history(calls, seed))
    assert sum(len(turn.events) for turn in turns) == calls and all(turn.events for turn in turns)
    assert turns == list(bench.history(calls, seed)) != list(bench.history(calls, seed + 1))
    assert len({turn.id for turn in turns}) == len(turns)


def test_a_history_is_made_one_turn_at_a_time() -> None:
    assert len(list(itertools.islice(bench.history(10**12, 1), 3))) == 3


def test_a_history_mixes_shells_json_failures_and_routines_in_several_turns_of_a_conversation() -> None:
    turns = list(bench.history(2_000, 1))
    events = [event for turn in turns for event in turn.events]
    tools = {event.call.tool for event in events}
    assert {"terminal", "mcp__crm__orders", "read_file"} <= tools
    assert 0.01 < sum(not event.outcome.ok for event in events) / len(events) < 0.15
    assert 1 < len({turn.conversation for turn in turns}) < len(turns)
    assert len({turn.conversation for turn in turns for event in turn.events if event.call.tool == "mcp__crm__find"}) >= 5


# ── Arithmetic ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("power", [0.5, 1.0, 2.0])
def test_the_exponent_is_the_power_of_the_growth(power: float) -> None:
    assert bench.exponent([(size, 3 * size**power) for size in (10, 100, 5_000)]) == power


def test_a_size_that_is_expected_to_take_too_long_is_foretold_by_the_last_growth() -> None:
    assert bench._expected([(10, 1.0), (20, 4.0)], 40) == pytest.approx(16)
    assert bench._expected([(10, 1.0)], 40) == 0


@given(st.lists(st.tuples(st.sampled_from("abcde"), st.lists(st.integers(0, 2), max_size=7)), max_size=12))
def test_the_counter_of_windows_finds_what_counting_every_window_finds(logs: list[tuple[str, list[int]]]) -> None:
    chats: dict[tuple[int, ...], set[str]] = defaultdict(set)
    for chat, keys in logs:
        for first, end in itertools.combinations(range(len(keys) + 1), 2):
            chats[tuple(keys[first:end])].add(chat)
    wanted = {window: len(held) for window, held in chats.items() if len(held) >= 3 and len(window) <= 8}
    assert bench.levelwise(logs, least=3, longest=8) == wanted


def test_a_table_puts_words_left_and_numbers_right_with_three_digits_that_count() -> None:
    text = bench.table([{"what": "a", "n": 5, "took": 0.012345}, {"what": "bcd", "n": 12_000, "took": 1234.5}])
    assert text.split("\n") == ["what      n    took", "a         5  0.0123", "bcd   12000    1234"]


# ── The parts, tiny ──────────────────────────────────────────────────────────────────────────────


def test_windows_are_counted_as_their_number_says(tmp_path: Path) -> None:
    """A turn of one call holds one window."""
    found = part("windows", tmp_path, 1, 6)
    assert [row["calls"] for row in found.rows] == [1, 6] and found.rows[0]["windows"] <= 1 < found.rows[1]["windows"] <= 2**6
    assert "exponent of counting" in found.claims


def test_the_end_of_a_turn_is_measured_at_every_size_with_the_same_turns(tmp_path: Path) -> None:
    found = part("turn", tmp_path, 20, 60)
    assert [(row["stored calls"], row["turns"]) for row in found.rows] == [(20, 3), (60, 3)]
    assert set(found.claims) == {f"{name} 60 / 20" for name in ("counting", "scoring", "a family", "median", "p95")}


def test_a_snapshot_holds_the_calls_of_its_size_all_of_them_mined(tmp_path: Path) -> None:
    for size, path in bench.snapshots((15, 40), 1, tmp_path).items():
        service = bench.desk(path)
        facts = service.store.facts()
        assert size <= facts["calls"] < size + 40 and facts["dirty"] == 0 and service.store.size()[1] > 0
        service.store.close()


def test_mining_again_looks_at_every_turn_and_stands_beside_its_baselines(tmp_path: Path) -> None:
    found = part("remine", tmp_path, 30, 60)
    assert [row["calls"] for row in found.rows] == [30, 60]
    names = {"calls", "re-mine", "ms/call", "one pass", "counter", "prefixspan", "katas", "peak MiB"}
    assert all(set(row) == names for row in found.rows)
    assert {"exponent of re-mine", "exponent of one pass", "exponent of counter", "re-mine / one pass at 60"} <= set(found.claims)


def test_passing_over_empties_the_queue_of_families_and_tells_of_nothing(tmp_path: Path) -> None:
    service = bench.desk(tmp_path / "over.db")
    for turn in bench.history(200, 2):
        service.record(bench.records(turn))
        bench.count(service, turn.id)
    assert service.store.family() is not None
    bench.pass_over(service)
    assert service.store.family() is None and service.store.katas() == () == service.store.near()
    service.store.close()


def test_mining_again_leaves_every_turn_mined_and_changes_no_window(tmp_path: Path) -> None:
    service = bench.desk(tmp_path / "again.db")
    for turn in bench.history(120, 2):
        service.record(bench.records(turn))
        service.mine()
    before = service.store.size()
    service.remine()
    assert service.store.size() == before and service.store.dirty() == ()
    service.store.close()


def test_a_size_beyond_the_limit_is_not_run_and_told(tmp_path: Path) -> None:
    found = bench.remine(bench.Asked((20, 40, 10**9), 1, False, limit=60.0), tmp_path)
    assert [row["calls"] for row in found.rows] == [20, 40] and "1000000000 calls not run" in found.claims


def test_a_kata_is_replayed_as_often_in_each_way(tmp_path: Path) -> None:
    found = part("replay", tmp_path, 4)
    assert [(row["what"], row["runs"]) for row in found.rows] == [("plain loop", 4), ("executor", 4), ("executor with its rows", 4)]
    assert found.claims["katas"] > 0


def test_a_play_gives_the_same_calls_in_a_loop_and_through_the_executor(tmp_path: Path) -> None:
    service = bench.desk(tmp_path / "play.db")
    for play in bench.played(service, 1):
        trace = bench.executor.drive(bench.executor.run(play.kata.version.spec, play.given), play.answer)
        assert [step.call for step in trace.steps] == list(play.calls)
    service.store.close()


def test_memory_is_that_of_a_process_of_its_own(tmp_path: Path) -> None:
    found = part("memory", tmp_path, 20, 40)
    assert [row["calls"] for row in found.rows] == [20, 40] and all(row["peak MiB"] > 1 for row in found.rows)


# ── As a person and as a program ask ─────────────────────────────────────────────────────────────


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(ROOT / "scripts" / "bench.py"), *words], capture_output=True, text=True, timeout=120)


def test_every_call_handed_over_by_the_hook_is_measured_and_the_answer_is_json_beside_a_table_of_80_columns() -> None:
    done = run("hook", "--calls", "40", "--json")
    report = json.loads(done.stdout)["parts"]["hook"]
    same = "while a turn is mined", "with 64 KiB results", "while another holds the file"
    names = ["empty hook", "bare insert", "post_tool_call", *(f"the same {one}" for one in same)]
    names += ["64 KiB results, another holds the file", "the same in a journal that is deleted", "64 KiB, held, a journal that is deleted"]
    assert [row["what"] for row in report["rows"]] == names
    assert {row["calls"] for row in report["rows"]} == {40}
    told = [line for line in done.stderr.splitlines() if not line.startswith("Kata: ")]  # a word of the plugin's own log
    assert "post_tool_call" in done.stderr and max(map(len, told)) <= 80 + len("   ()")


def test_without_json_the_table_alone_goes_to_stdout_within_80_columns() -> None:
    done = run("windows", "--calls", "2", "5")
    lines = done.stdout.splitlines()
    assert lines[1].split() == ["calls", "windows", "counting", "storing", "counting/call"]
    assert max(map(len, lines)) <= 80 and done.stderr == ""


@pytest.mark.parametrize("words", [["everything"], ["turn", "--calls", "0"], ["turn", "--calls", "many"]])
def test_a_wrong_question_is_refused_with_what_was_expected(words: list[str]) -> None:
    done = run(*words)
    assert done.returncode == 2 and ("choose from" in done.stderr or "count (at least 1)" in done.stderr)


# ── The samples of scripts/test.py ───────────────────────────────────────────────────────────────


def test_a_plain_run_of_the_checks_is_the_same_with_the_larger_parts_only_when_asked_for() -> None:
    larger = ["cases", "values", "corpora", "planted", "noise", "speed", "soak"]
    plain = ["lint", "types", "unit", "faults", "host", "browser", "validate", "doctor", "demo"]
    assert [part.__name__ for part in checks.chosen([])] == plain
    assert [part.__name__ for part in checks.chosen([], full=True)] == [*plain, *larger]
    assert [part.__name__ for part in checks.chosen(["speed", "lint"])] == ["lint", "speed"]


@pytest.mark.parametrize(("verdict", "word"), [((True,), "ok"), ((False,), "FAILED"), ((True, "", None, True), "skipped")])
def test_a_part_that_was_skipped_is_not_called_ok(verdict: tuple[Json, ...], word: str) -> None:
    assert checks.Verdict(*verdict).word == word


def test_the_checks_say_their_sample_sizes() -> None:
    assert checks.samples(False) == "sample size: 100 examples for each law; --full for more"
    assert all(word in checks.samples(True) for word in ("10000 examples", "20 shuffles", "seeds 1, 2, 3", "500000 calls"))
