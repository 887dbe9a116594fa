"""The evaluation says what is true: every figure on small files whose right numbers were worked out by hand."""

import hashlib
import importlib.util
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kata.model import (
    Array,
    Call,
    Class,
    Command,
    Concat,
    Effect,
    Event,
    Example,
    Expression,
    Hole,
    Input,
    InputField,
    Json,
    Literal,
    Object,
    Outcome,
    Reference,
    Spec,
    Status,
    Step,
    Turn,
)

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
CORPORA, CASES = SHARED / "corpora", SHARED / "cases"


def brought_in() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kata_evaluate", ROOT / "scripts" / "evaluate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["kata_evaluate"] = module
    spec.loader.exec_module(module)
    return module


ev = brought_in()
corpora = pytest.mark.skipif(not CORPORA.is_dir(), reason="the recorded corpora are not beside this checkout")
cases = pytest.mark.skipif(not CASES.is_dir(), reason="the labelled cases are not beside this checkout")

KEYS = [
    *("learn", "test", "proposals", "near", "held_out", "expected", "shuffled"),
    *("inputs_per_kata_median", "literal_share", "derived_share", "input_share", "seconds", "peak_mib"),
]
HELD = ["occurrences", "exact", "novel", "novel_exact", "calls_covered", "calls_saved", "possible", "stopped", "savable"]

# ── Small files ──────────────────────────────────────────────────────────────────────────────────

Told = tuple[str, Json, Json]


def orders(mail: str, number: str, asked: str = "") -> list[Told]:
    """A routine of two calls: the customer of an address, then the open orders of that customer."""
    return [
        ("mcp__shop__find", {"email": mail}, json.dumps({"customer": {"id": number}})),
        ("mcp__shop__orders", {"customer_id": asked or number, "status": "open"}, json.dumps({"orders": []})),
    ]


def line(conversation: str, turn: int, seq: int, told: Told, status: str = "ok", corpus: str = "small") -> Json:
    tool, arguments, result = told
    around = {"corpus": corpus, "conversation_id": conversation, "turn_index": turn, "user_message": "", "seq": seq}
    return {**around, "tool_name": tool, "args": arguments, "result": result, "status": status, "ts": 1_000.0 + seq}


def written(path: Path, chats: Iterable[tuple[str, Sequence[Told]]], corpus: str = "small") -> Path:
    """A file of conversations of one turn each."""
    rows = [line(name, 0, n, told, corpus=corpus) for name, calls in chats for n, told in enumerate(calls)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def caller(number: int) -> str:
    """Twelve letters that share nothing with those of another number."""
    return "".join(chr(ord("a") + int(digit, 16)) for digit in hashlib.sha256(str(number).encode()).hexdigest()[:12])


def plain(count: int) -> list[tuple[str, list[Told]]]:
    """So many conversations that each hold the routine once, with a customer of their own."""
    return [(f"c{n}", orders(caller(n), f"CUS-{1000 + n}")) for n in range(count)]


def mined(path: Path, **asked: Json) -> Json:
    report, _ = ev.mine(ev.Asked(path, **asked))
    return report


def event(told: Told, position: int) -> Event:
    tool, arguments, result = told
    return Event(Call(tool, arguments), Outcome.read(result), "t", f"c{position}", position)


def turn(*told: Told, name: str = "t", conversation: str = "c") -> Turn:
    return Turn(name, conversation, "person", 0.0, tuple(event(one, n) for n, one in enumerate(told)))


def routine(name: str, calls: Sequence[Told], *arguments: Expression) -> Json:
    """A proposal with these arguments for its steps."""
    made = [Call(tool, given) for tool, given, _ in calls]
    steps = tuple(Step(call.tool, one, Effect(Class.READ)) for call, one in zip(made, arguments, strict=True) if isinstance(one, Object))
    names = dict.fromkeys(part.name for one in arguments for part in ev.walk(one) if isinstance(part, Input))
    return ev.Routine(name, Spec(tuple(InputField(name, "string") for name in names), steps), tuple(made), 3, 0.784, 0.5)


def known(*turns: Turn) -> Json:
    return ev.Known(turns)


FIND = Object((("email", Input("email")),))
ORDERS = Object((("customer_id", Reference(0, ("customer", "id"))), ("status", Literal("open"))))

# ── mine, end to end ─────────────────────────────────────────────────────────────────────────────


def test_the_report_of_a_file_with_one_routine_says_what_was_worked_out_by_hand(tmp_path: Path) -> None:
    """Twenty conversations teach it, twenty new customers test it: 20 novel windows of two calls, each saving one."""
    report = mined(written(tmp_path / "small.jsonl", plain(40)), learn=0.5)
    assert list(report) == KEYS and list(report["held_out"]) == HELD
    assert report["learn"] == report["test"] == {"conversations": 20, "calls": 40}
    counts = {"occurrences": 20, "exact": 20, "novel": 20, "novel_exact": 20}
    wanted = {**counts, "calls_covered": 40, "calls_saved": 20, "possible": 20, "stopped": 0}
    assert report["held_out"] == {**wanted, "savable": None}
    (proposal,) = report["proposals"]
    assert proposal["held_out"] == {"occurrences": 20, "exact": 20, "novel": 20, "novel_exact": 20}
    assert [step["tool"] for step in proposal["steps"]] == ["mcp__shop__find", "mcp__shop__orders"]
    assert [one["type"] for one in proposal["inputs"]] == ["string"] and proposal["support"] == 20
    assert report["inputs_per_kata_median"] == 1 and report["expected"] == {"found": [], "missed": [], "forbidden": []}
    assert report["shuffled"] == {"seeds": 0, "proposals": 0}


def test_the_shares_count_the_characters_of_the_arguments_by_where_they_come_from(tmp_path: Path) -> None:
    """"open" is fixed (4 characters), "CUS-1020" derived (8), twelve letters are given."""
    report = mined(written(tmp_path / "small.jsonl", plain(40)), learn=0.5)
    assert [report[f"{word}_share"] for word in ("literal", "derived", "input")] == [0.1667, 0.3333, 0.5]


def test_a_window_that_was_learnt_word_for_word_is_not_novel(tmp_path: Path) -> None:
    chats = plain(8) + [(f"again{n}", orders(caller(3), "CUS-1003")) for n in range(2)]
    held = mined(written(tmp_path / "small.jsonl", chats), learn=0.8)["held_out"]
    assert [held[key] for key in ("occurrences", "exact", "novel", "novel_exact", "calls_saved", "possible")] == [2, 2, 0, 0, 0, 0]


def test_a_value_from_nowhere_makes_an_occurrence_inexact_and_saves_nothing(tmp_path: Path) -> None:
    chats = [*plain(8), ("odd", orders("odd@example.org", "CUS-77", asked="CUS-99")), ("even", orders("even@example.org", "CUS-88"))]
    held = mined(written(tmp_path / "small.jsonl", chats), learn=0.8)["held_out"]
    assert (held["occurrences"], held["exact"], held["novel"], held["novel_exact"]) == (2, 1, 2, 1)
    assert (held["calls_covered"], held["calls_saved"], held["possible"]) == (4, 1, 2)


def test_ratios_over_fewer_than_fifteen_novel_occurrences_are_too_few(tmp_path: Path) -> None:
    report = mined(written(tmp_path / "small.jsonl", plain(20)))
    assert report["held_out"]["novel"] == 6
    assert [report[f"{word}_share"] for word in ("literal", "derived", "input")] == ["too few"] * 3
    text = ev.summary(ev.Asked(tmp_path / "small.jsonl"), report, 0)
    assert "6/6 (too few)" in text and "100%" not in text


def test_folds_test_every_conversation_once_and_pool(tmp_path: Path) -> None:
    report = mined(written(tmp_path / "small.jsonl", plain(20)), folds=4)
    assert report["test"] == {"conversations": 20, "calls": 40} and report["learn"] == {"conversations": 60, "calls": 120}
    assert report["held_out"]["novel_exact"] == 20 and len(report["proposals"]) == 1
    assert report["proposals"][0]["held_out"]["novel_exact"] == 20 and report["proposals"][0]["support"] == 15


def test_trials_of_one_task_are_one_conversation_and_support_nothing_alone(tmp_path: Path) -> None:
    """Four trials of two tasks: as conversations enough support, as tasks too little."""
    chats = [(f"x/task_{n % 2}[PERSONA:{n}]/trial{n}", orders(f"mail{n}@example.org", f"CUS-{1000 + n}")) for n in range(8)]
    path = written(tmp_path / "small.jsonl", chats)
    assert len(mined(path, learn=1.0)["proposals"]) == 1
    grouped = mined(path, learn=1.0, group="task")
    assert grouped["learn"] == {"conversations": 2, "calls": 16} and grouped["proposals"] == []


def test_a_call_marked_as_error_is_a_failure_however_its_result_reads(tmp_path: Path) -> None:
    chats = plain(8)
    rows = [line(name, 0, n, told, "error" if n else "ok") for name, calls in chats for n, told in enumerate(calls)]
    path = tmp_path / "small.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert mined(path)["proposals"] == [] and mined(path)["held_out"]["possible"] == 0


def test_a_shuffled_history_brings_no_routine_of_the_real_one(tmp_path: Path) -> None:
    """Without a fixed argument only the flow ties the two calls, and that is gone when they are dealt out again."""
    chats = plain(20)
    for _, (_, (_, arguments, _)) in chats:
        arguments.pop("status")
    report = mined(written(tmp_path / "small.jsonl", chats), shuffle=2)
    assert len(report["proposals"]) == 1 and report["shuffled"] == {"seeds": 2, "proposals": 0}


# ── Controls ─────────────────────────────────────────────────────────────────────────────────────


def test_the_memoriser_is_exact_on_what_it_saw_and_on_nothing_novel(tmp_path: Path) -> None:
    chats = [*plain(16), *[(f"again{n}", orders(caller(3), "CUS-1003")) for n in range(2)], *plain(40)[16:32]]
    report = mined(written(tmp_path / "small.jsonl", chats), learn=16 / 34, control="memoriser")
    held = report["held_out"]
    assert (held["occurrences"], held["exact"], held["novel"], held["novel_exact"], held["calls_saved"]) == (18, 2, 16, 0, 0)
    assert len(report["proposals"]) == 16 and {len(one["inputs"]) for one in report["proposals"]} == {0}
    assert [report[f"{word}_share"] for word in ("literal", "derived", "input")] == [None] * 3


def test_the_control_of_inputs_is_always_exact_and_derives_nothing(tmp_path: Path) -> None:
    report = mined(written(tmp_path / "small.jsonl", plain(40)), learn=0.5, control="inputs")
    assert report["held_out"]["novel_exact"] == 20 and report["inputs_per_kata_median"] == 3
    assert [report[f"{word}_share"] for word in ("literal", "derived", "input")] == [0, 0, 1]


# ── Occurrences ──────────────────────────────────────────────────────────────────────────────────

A, B, C = ("a", {"x": "one"}, "1"), ("b", {"x": "two"}, "2"), ("c", {"x": "three"}, "3")
OPEN = Object((("x", Input("x")),))


def of(*proposals: Json) -> Json:
    table: dict[Json, list[Json]] = {}
    for one in proposals:
        table.setdefault(one.sequence, []).append(one)
    return table


def test_occurrences_are_the_longest_first_then_leftmost_and_never_share_a_call() -> None:
    short, long = routine("short", [A, B], OPEN, OPEN), routine("long", [B, A, B], OPEN, OPEN, OPEN)
    seen = list(ev.occurrences(turn(A, B, A, B, A, B), of(short, long), known()))
    assert [[call.tool for call in one.example.calls] for one in seen] == [["b", "a", "b"], ["a", "b"]]
    assert [one.example.events[0].position for one in seen] == [1, 4]


def test_an_inexact_occurrence_blocks_its_calls() -> None:
    """The long one fails on its fixed value, and the exact short one inside it does not count."""
    short = routine("short", [A, B], OPEN, Object((("x", Input("y")),)))
    fixed = routine("fixed", [A, B, C], OPEN, Object((("x", Input("y")),)), Object((("x", Literal("other")),)))
    seen = list(ev.occurrences(turn(A, B, C), of(short, fixed), known()))
    assert [(len(one.example.events), len(one.exact)) for one in seen] == [(3, 0)]
    assert ev.weighed(seen[0]).calls_saved == 0 and ev.weighed(seen[0]).calls_covered == 3


def test_of_several_proposals_of_one_sequence_any_makes_it_exact() -> None:
    wrong = routine("wrong", [A, B], Object((("x", Literal("no")),)), OPEN)
    right = routine("right", [A, B], OPEN, Object((("x", Literal("two")),)))
    (seen,) = ev.occurrences(turn(A, B), of(wrong, right), known())
    assert [one.name for one in seen.exact] == ["right"] and ev.weighed(seen).novel_exact == 1


def test_a_shell_call_is_known_by_its_programs_and_sub_commands() -> None:
    def told(command: str) -> Call:
        return Call("terminal", {"command": command})

    assert ev.kind(told("git stash pop")) == ev.kind(told("git  stash pop -q")) != ev.kind(told("git stash"))
    assert ev.kind(told("ls | wc -l")) == ev.kind(told("ls -a src | wc")) != ev.kind(told("ls"))
    loop, other = told("for x in 1; do ls; done"), told("for x in 2; do ls -a; done")
    assert ev.kind(loop) == ev.kind(other) != ev.kind(told("for x in 1; do pwd; done"))
    assert ev.kind(told("echo 'one")) != ev.kind(told("echo 'two"))
    assert ev.kind(Call("read_file", {"path": "a"})) == "read_file"


def test_a_failed_call_stands_in_no_window() -> None:
    wrong = ("b", {"x": "two"}, json.dumps({"error": "no"}))
    assert list(ev.occurrences(turn(A, wrong, ("c", {"x": "z"}, "1")), of(routine("p", [A, B], OPEN, OPEN)), known())) == []


def test_possible_is_the_best_cover_by_novel_windows_of_sequences_that_have_support() -> None:
    learnt = [turn(("a", {"x": n}, "1"), ("b", {"x": n}, "1"), ("c", {"x": n}, "1"), name=f"t{n}", conversation=f"c{n}") for n in range(3)]
    held = known(*learnt)

    def run(*tools: str) -> tuple[Event, ...]:
        return tuple(event((tool, {"x": f"new{n}"}, "1"), n) for n, tool in enumerate(tools))

    assert held.possible(run("a", "b", "c")) == 2
    assert held.possible(run("a", "b", "a", "b", "c")) == 3
    assert held.possible(run("c", "b", "a")) == 0
    assert held.possible(learnt[0].events) == 0
    assert known(*learnt[:2]).possible(run("a", "b", "c")) == 0


@given(st.lists(st.sampled_from("abc"), max_size=9))
def test_no_cover_of_a_turn_saves_more_than_is_possible(tools: list[str]) -> None:
    rows = [(row, n) for n in range(3) for row in ("abc", "ba")]
    learnt = [turn(*((tool, {"x": f"{n}"}, "1") for tool in row), name=f"{row}{n}", conversation=f"c{n}") for row, n in rows]
    proposals = of(*(routine(row, [(tool, {"x": 1}, "1") for tool in row], *[OPEN] * len(row)) for row in ("abc", "ab", "bc", "ba")))
    open_ones = {key: [_apart(one) for one in value] for key, value in proposals.items()}
    new = turn(*((tool, {"x": f"new{n}"}, "1") for n, tool in enumerate(tools)))
    held, seen = known(*learnt), list(ev.occurrences(new, open_ones, known(*learnt)))
    assert sum(ev.weighed(one).calls_saved for one in seen) <= sum(held.possible(run) for run in ev.miner.runs(new))
    positions = [event.position for one in seen for event in one.example.events]
    assert len(positions) == len(set(positions))


def _apart(one: Json) -> Json:
    """The proposal with an input of its own for every step."""
    arguments = [Object((("x", Input(f"x{n}")),)) for n in range(len(one.calls))]
    return routine(one.name, [(call.tool, call.arguments, "1") for call in one.calls], *arguments)


# ── Shares ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        (Literal({"a": "four", "b": [12, True]}), {"fixed": 4 + 2 + 4}),
        (Input("name"), {"given": 5}),
        (Reference(0, ("id",)), {"derived": 6}),
        (Concat((Literal("to "), Input("name"), Literal("@"), Reference(0, ("id",)))), {"fixed": 4, "given": 5, "derived": 6}),
        (Command(("git checkout ", Hole(Input("name"), "bare"))), {"fixed": 13, "given": 5}),
        (Object((("k", Array((Input("name"), Literal(None)))),)), {"given": 5, "fixed": 4}),
    ],
)
def test_every_character_of_an_argument_has_one_origin(made: Expression, wanted: Json) -> None:
    assert ev.characters(made, {"name": "fjord"}, [{"id": "CUS-42"}]) == Counter(wanted)


def test_the_shares_of_an_occurrence_add_up_to_its_argument_characters() -> None:
    calls = orders("fjord@example.org", "CUS-42")
    seen = ev.Seen(Example("c", "t", turn(*calls).events), True, (routine("p", calls, FIND, ORDERS),))
    held = ev.weighed(seen)
    assert (held.fixed, held.derived, held.given) == (4, 6, 17)
    assert held.fixed + held.derived + held.given == sum(len(value) for _, given, _ in calls for value in given.values())


# ── What ought to be found ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("window", "tools", "wanted"),
    [
        (["a", "b"], "ab", True),
        (["a", "b"], "abb", False),
        (["a", "b", "(b)*"], "ab", True),
        (["a", "b", "(b)*"], "abbb", True),
        (["a", "b", "(b)*"], "a", False),
        (["a", "(b)*", "c"], "ac", True),
        (["a", "(b)*", "c"], "abcb", False),
    ],
)
def test_a_window_covers_any_number_at_a_loop(window: list[str], tools: str, wanted: bool) -> None:
    assert ev.covers([ev.element(one) for one in window], [Call(tool, {}) for tool in tools]) is wanted


@pytest.mark.parametrize(
    ("text", "call", "wanted"),
    [
        ("terminal: git bisect good", Call("terminal", {"command": "git bisect good 1a2b"}), True),
        ("terminal: git bisect good", Call("terminal", {"command": "git bisect bad HEAD"}), False),
        ("terminal: git log", Call("terminal", {"command": "git --no-pager log"}), True),
        ("bash: fcrackzip ...", Call("bash", {"command": "fcrackzip -u x.zip"}), True),
        ("bash: ls", Call("read_file", {"command": "ls"}), False),
        ("route(query)", Call("route", {"query": "x"}), True),
        ("route(query)", Call("route", {"query": "x", "more": 1}), False),
        ("execute-tool(params,server_name)", Call("execute-tool", {"server_name": "x", "params": {}}), True),
    ],
)
def test_an_element_is_a_tool_its_keys_or_a_program(text: str, call: Call, wanted: bool) -> None:
    assert ev.element(text).fits(call) is wanted


ENTRY = {
    "id": "orders",
    "corpora": ["small"],
    "window": ["mcp__shop__find", "mcp__shop__orders"],
    "tool": {
        "steps": [
            {"tool": "mcp__shop__find", "args": {"email": "{{email}}"}},
            {"tool": "mcp__shop__orders", "args": {"customer_id": {"small": "{{s1.json.customer.id}}", "other": "{{s1.text}}"}}},
        ]
    },
}


@pytest.mark.parametrize(
    ("customer", "wanted"),
    [
        (Reference(0, ("customer", "id")), True),
        (Concat((Literal("CUS-"), Reference(0, ("number",)))), True),
        (Input("customer_id"), False),
        (Literal("CUS-1"), False),
    ],
)
def test_a_routine_is_found_when_every_ideal_reference_is_derived(customer: Expression, wanted: bool) -> None:
    one = routine("p", orders("a@example.org", "CUS-1"), FIND, Object((("customer_id", customer), ("status", Literal("open")))))
    assert ev.is_found(ENTRY, one, {"small"}) is wanted


def test_a_parameter_that_two_steps_share_must_be_one_input() -> None:
    calls = [("a", {"x": "1"}, "1"), ("b", {"x": "1"}, "1")]
    entry = {"window": ["a", "b"], "tool": {"steps": [{"tool": "a", "args": {"x": "{{x}}"}}, {"tool": "b", "args": {"x": "{{x}}"}}]}}
    assert ev.is_found(entry, routine("p", calls, OPEN, OPEN), {"small"})
    assert not ev.is_found(entry, routine("p", calls, OPEN, Object((("x", Input("y")),))), {"small"})
    assert not ev.is_found(entry, routine("p", calls, *[Object((("x", Literal("1")),))] * 2), {"small"})


def test_a_planted_routine_is_found_when_it_asks_for_no_more_than_was_planted() -> None:
    """T82: what the published figures of planted logs count."""
    entry = {"window": ["mcp__shop__find", "mcp__shop__orders"], "inputs": ["email"], "flows": ["id"], "conversations": ["c1"]}
    calls = orders("a@example.org", "CUS-1")
    assert ev.is_found(entry, routine("p", calls, FIND, ORDERS), {"planted"})
    for customer in (Input("id"), Literal("CUS-1")):
        other = Object((("customer_id", customer), ("status", Literal("open"))))
        assert not ev.is_found(entry, routine("p", calls, FIND, other), {"planted"})
    assert not ev.is_found(entry, routine("p", calls, Object((("email", Literal("a@example.org")),)), ORDERS), {"planted"})


SHELL = ("bash", {"command": "fcrackzip -u x.zip"}, "no")


def shelled(*commands: Expression, code: str = "fcrackzip -u x.zip") -> Json:
    told = [("bash", {"command": code}, "no")] * len(commands)
    return routine("p", told, *(Object((("command", one),)) for one in commands))


def test_what_must_not_be_proposed_is_told() -> None:
    """N02 one hole for a command, N03 and N06 the sequence anywhere, N04 one program again and again."""
    hollow = {"id": "N02", "window": ["bash(command)"] * 3}
    again = {"id": "N04", "window": ["bash: fcrackzip ..."] * 3}
    inside = {"id": "N06", "window": ["a", "b"]}
    fixed, hole = Literal("fcrackzip -u x.zip"), Command((Hole(Input("x"), "bare"),))
    assert ev.is_forbidden(hollow, shelled(fixed, Input("x"))) and ev.is_forbidden(hollow, shelled(fixed, hole))
    assert not ev.is_forbidden(hollow, shelled(fixed, Command(("fcrackzip ", Hole(Input("x"), "bare")))))
    assert ev.is_forbidden(again, shelled(fixed, fixed)) and ev.is_forbidden(again, shelled(fixed, fixed, code="find / -name x"))
    mixed = routine("p", [SHELL, ("bash", {"command": "ls"}, "x")], *[Object((("command", fixed),))] * 2)
    assert not ev.is_forbidden(again, mixed)
    assert ev.is_forbidden(inside, routine("p", [C, A, B], OPEN, OPEN, OPEN))
    assert not ev.is_forbidden(inside, routine("p", [A, C, B], OPEN, OPEN, OPEN))


def test_savable_is_one_call_less_for_every_planted_occurrence_of_the_test_part(tmp_path: Path) -> None:
    path = written(tmp_path / "small.jsonl", plain(40))
    planted = {**ENTRY, "conversations": ["c3", "c25", "c30"], "inputs": ["email"], "window": ["mcp__shop__find", "mcp__shop__orders"]}
    (tmp_path / "expected.json").write_text(json.dumps({"positives": [planted, {**planted, "id": "no", "corpora": ["x"]}]}))
    report = mined(path, learn=0.5, expected=tmp_path / "expected.json")
    assert report["held_out"]["savable"] == 2
    assert report["expected"] == {"found": ["orders"], "missed": [], "forbidden": []}


# ── Files, splits, tasks ─────────────────────────────────────────────────────────────────────────


@given(st.integers(2, 30), st.integers(2, 6))
def test_folds_part_the_conversations(count: int, folds: int) -> None:
    chats = [f"c{n}" for n in range(count)]
    parts = ev.splits(chats, 0.7, folds)
    assert sorted(chat for part in parts for chat in part.test) == sorted(chats)
    assert all(not part.learn & part.test and part.learn | part.test == set(chats) for part in parts)


def test_the_learning_part_is_the_first_share_of_the_conversations() -> None:
    (part,) = ev.splits([f"c{n}" for n in range(10)], 0.7, 0)
    assert part.learn == {f"c{n}" for n in range(7)} and part.test == {"c7", "c8", "c9"}


@given(st.lists(st.lists(st.tuples(st.sampled_from("ab"), st.integers()), max_size=4), max_size=5), st.integers(0, 9))
def test_a_shuffle_keeps_every_call_with_its_result_and_the_shape_of_every_turn(rows: list[list[tuple[str, int]]], seed: int) -> None:
    turns = [turn(*((tool, {"x": n}, f"{tool}{n}") for tool, n in row), name=f"t{i}") for i, row in enumerate(rows)]
    dealt = ev.shuffled(turns, seed)
    assert [len(one.events) for one in dealt] == [len(one.events) for one in turns] and dealt == ev.shuffled(turns, seed)
    assert [one.position for t in dealt for one in t.events] == [one.position for t in turns for one in t.events]

    def pairs(several: Iterable[Turn]) -> list[str]:
        return sorted(f"{e.call.tool} {e.call.arguments} {e.outcome.result}" for t in several for e in t.events)

    assert pairs(dealt) == pairs(turns)


def test_turns_of_one_conversation_stay_apart_and_are_masked(tmp_path: Path) -> None:
    """K38: a routine never crosses a turn; what is judged is what the recorder would have kept."""
    secret = "".join(("gh", "p_", "16C7e42F292c6912E7710c838347Ae178B4a"))
    rows = [line("c", n, n, ("fetch", {"token": secret}, "ok")) for n in range(2)]
    path = tmp_path / "small.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    log = ev.read_log(path)
    assert [len(one.events) for one in log.turns] == [1, 1] and log.chats == ("c",)
    assert secret not in repr(log) and log.turns[0].events[0].outcome.status is Status.OK


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", "holds no call"),
        ("[]", "small.jsonl:1: expected a JSON object, got list"),
        ("{", "small.jsonl:1: expected one JSON object"),
        ('{"conversation_id": "c"}', "small.jsonl:1: expected 'turn_index' to be int, got null"),
        (json.dumps({**line("c", 0, 0, A), "args": "x"}), "expected 'args' to be dict, got \"x\""),
        (json.dumps({**line("c", 0, 0, A), "turn_index": True}), "expected 'turn_index' to be int, got true"),
    ],
)
def test_an_odd_file_is_refused_with_the_place(tmp_path: Path, text: str, wanted: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "small.jsonl"
    path.write_text(text)
    assert ev.main(["mine", str(path)]) == 2
    said = capsys.readouterr()
    assert wanted in said.err and said.out == ""


def test_a_missing_file_and_a_single_fold_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ev.main(["mine", str(tmp_path / "none.jsonl")]) == 2
    assert ev.main(["mine", str(written(tmp_path / "small.jsonl", plain(3))), "--folds", "1"]) == 2
    assert ev.main(["mine", str(tmp_path / "small.jsonl"), "--expected", str(tmp_path / "none.json")]) == 2
    assert ev.main(["effects", str(tmp_path / "small.jsonl")]) == 2
    assert "none.jsonl cannot be read" in capsys.readouterr().err


def test_the_command_prints_json_and_a_summary_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ev.main(["mine", str(written(tmp_path / "small.jsonl", plain(10)))]) == 0
    said = capsys.readouterr()
    assert list(json.loads(said.out)) == KEYS and said.err.startswith("small.jsonl: 1 proposals")


# ── What is beside this checkout ─────────────────────────────────────────────────────────────────


@corpora
@pytest.mark.parametrize(("name", "chats", "calls"), [("tau_airline", 182, 1164), ("livemcp", 95, 814)])
def test_a_recorded_corpus_is_read_whole(name: str, chats: int, calls: int) -> None:
    log = ev.read_log(CORPORA / f"{name}.jsonl")
    assert (len(log.chats), ev.calls_in(log.turns)) == (chats, calls)


@corpora
def test_the_file_of_expectations_counts_for_the_corpora_it_names() -> None:
    expected = ev.read_expected(CORPORA / "expected_routines.json", frozenset(["tau2_retail"]))
    assert [one["id"][:3] for one in expected.positives] == ["R01", "R02", "R03", "R07", "R08"]
    assert [one["id"][:3] for one in expected.negatives] == ["N06"]
