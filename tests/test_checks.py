"""Learnt checks: what held in every example is expected again; altered answers are told apart from good ones."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest

from kata.checks import carried, label, learn, listed, relaxed, said, unlike
from kata.model import Json, Outcome, Spec, Trait, canonical

# ── A hundred recorded answers, and how each was spoilt by hand ──────────────────────────────────

HASHES = ("9f3c1ab", "04be77d", "c0ffee1", "51d2a90", "7e8f901", "b19d004")
WORDS = ("amber", "birch", "cobalt", "delta", "ebony", "fjord")
PAGE = '<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body><form action="/login"></form></body></html>'
UNCHANGED = {"status": "unchanged", "message": "File unchanged since last read.", "path": "src/a.py", "content_returned": False}


def shell(output: str) -> Json:
    return {"output": output, "exit_code": 0, "error": None}


ANSWERS: dict[str, tuple[str, Callable[[int], Json]]] = {
    "git branch --show-current": ("terminal", lambda n: shell(f"topic/{WORDS[n]}\n")),
    "git log -1 --oneline": ("terminal", lambda n: shell(f"{HASHES[n]} Make {WORDS[n]} faster\n")),
    "git status": ("terminal", lambda n: shell(f"On branch {WORDS[n]}\nChanges not staged for commit:\n\tmodified: {WORDS[n]}.py\n")),
    "wc -l": ("terminal", lambda n: shell("".join(f"{n + 7 * m} src/{WORDS[m]}.py\n" for m in range(2 + n % 4)))),
    "gh pr list --json": (
        "terminal",
        lambda n: shell(json.dumps([{"number": 500 + n, "title": WORDS[n], "draft": False}] * (1 + n % 3))),
    ),
    "search_files": (
        "search_files",
        lambda n: {"total_count": 3, "matches": [{"path": f"src/{w}.py", "line": n + 1, "content": w} for w in WORDS[n % 3 : n % 3 + 3]]},
    ),
    "read_file": ("read_file", lambda n: {"content": f"     1|import {WORDS[n]}\n     2|\n     3|{WORDS[n]}.go()", "total_lines": 3}),
    "find_customer": (
        "mcp__shop__find",
        lambda n: {"customer": {"id": f"CUS-{n}", "name": WORDS[n], "points": 10 * n}, "status": "active"},
    ),
    "orders": ("mcp__shop__orders", lambda n: [{"id": f"O-{n}{m}", "total": 12.5 * m, "open": bool(m % 2)} for m in range(3)]),
    "a bare id": ("mcp__shop__id", lambda n: f"{WORDS[n]}_santos_{9070 + n}"),
}
"""Ten tools as they answer, each for six times."""

SPOILT: dict[str, Callable[[Json], Json]] = {
    "empty": lambda one: _text_replaced(one, "") if _said(one) is not None else [] if isinstance(one, list) else {},
    "a field missing, or cut off": lambda one: _cut(one),
    "another type": lambda one: _retyped(one),
    "an error message in its place": lambda one: _text_replaced(one, "fatal: not a git repository (or any parent)\n"),
    "the other branch of an if": lambda one: _text_replaced(one, "Nothing to do, everything is up to date.\n"),
    "an empty list": lambda one: _counted(one, 0),
    "a hundred entries": lambda one: _counted(one, 100),
    "a login page": lambda one: _text_replaced(one, PAGE),
    "a stub": lambda one: UNCHANGED if isinstance(one, dict) else canonical(UNCHANGED),
    "cut by the host": lambda one: _text_replaced(one, (_said(one) or canonical(one))[:9] + "\n\n... [OUTPUT TRUNCATED - 51,000 omitted"),
}


def _said(one: Json) -> str | None:
    """The text of an answer that is one, or has one."""
    if isinstance(one, str):
        return one
    return next((one[key] for key in ("output", "content") if key in one), None) if isinstance(one, dict) else None


def _text_replaced(one: Json, text: str) -> Json:
    """The answer with another text in it; a tool that answers with JSON says the text in place of all."""
    if isinstance(one, dict) and "output" in one:
        return {**one, "output": text}
    return {**one, "content": text} if isinstance(one, dict) and "content" in one else text


def _within(one: Json, change: Callable[[Json], Json]) -> Json:
    """The answer with its JSON changed, which may stand in its output."""
    text = one.get("output") if isinstance(one, dict) else None
    if isinstance(text, str) and text.startswith("["):
        return {**one, "output": json.dumps(change(json.loads(text)))}
    return change(one)


def _cut(one: Json) -> Json:
    def without(value: Json) -> Json:
        if isinstance(value, list):
            return [{key: entry[key] for key in [*entry][1:]} for entry in value]
        return value[:-1] if isinstance(value, str) else {key: value[key] for key in [*value][1:]}

    return _within(one, without)


def _retyped(one: Json) -> Json:
    def other(value: Json) -> Json:
        if isinstance(value, list):
            return [{**entry, next(iter(entry)): [entry]} for entry in value]
        if isinstance(value, str):
            return {"text": value}
        first = next(iter(value))
        return {**value, first: 7 if isinstance(value[first], str) else "7"}

    return _within(one, other)


def _counted(one: Json, count: int) -> Json:
    def many(value: Json) -> Json:
        if isinstance(value, list):
            return value[:1] * count
        if isinstance(value, dict) and "matches" in value:
            return {**value, "matches": value["matches"][:1] * count}
        return _text_replaced(value, (_said(value) or "x") * count)

    return _within(one, many)


def spoilt() -> Iterator[tuple[str, str, tuple[Trait, ...], Json]]:
    """Tool, alteration, the checks learnt from five answers of the tool, and the sixth, altered: a hundred in all."""
    for name, (tool, answer) in ANSWERS.items():
        traits = learn(tool, [answer(n) for n in range(5)])
        yield from ((name, how, traits, change(answer(5))) for how, change in SPOILT.items())


def test_of_a_hundred_altered_answers_nine_in_ten_are_stopped() -> None:
    """T50: what the tool itself reports as a failure counts as stopped, as in a run."""
    cases = list(spoilt())
    passed = [(name, how) for name, how, traits, result in cases if not unlike(0, traits, result) and Outcome.read(result).ok]
    assert len(cases) == 100
    assert len(passed) <= 10, passed


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_that_nobody_altered_is_never_stopped(name: str) -> None:
    """T50: learnt from any three or more answers of a tool, the checks hold in all others."""
    tool, answer = ANSWERS[name]
    for count in (3, 4, 5):
        traits = learn(tool, [answer(n) for n in range(count)])
        assert traits and [unlike(0, traits, answer(n)) for n in range(6)] == [""] * 6


# ── What is learnt ───────────────────────────────────────────────────────────────────────────────


def words(*results: Json, tool: str = "terminal") -> list[str]:
    return [said(one) for one in learn(tool, results)]


def test_the_checks_of_a_command_say_what_every_output_had_in_common() -> None:
    assert words(*(shell(f"Switched to branch '{word}'\n") for word in WORDS[:3])) == [
        "the answer has 'output', 'exit_code', 'error'",
        "'exit_code' is 0",
        "'output' is not empty",
        "'output' is no error message, web page or stub",
        "'output' begins with 'Switched to'",
    ]


def test_the_checks_of_an_object_say_its_fields_its_state_and_how_many() -> None:
    assert words(*({"status": "open", "bills": [{"id": n}] * n} for n in range(2, 5)), tool="mcp__bills") == [
        "the answer has 'status', 'bills'",
        "'status' is \"open\"",
        "'bills' is not empty",
        "'bills' has at most 16 entries",
        "each entry of 'bills' has 'id'",
    ]


def test_a_check_that_one_example_would_have_failed_had_it_been_learnt_from_the_others_is_not_kept() -> None:
    """A first word that two share and the third has not, a list of three and one of a hundred, a field that one answer lacks."""
    assert not [one for one in words(shell("Fast forward now"), shell("Fast forward too"), shell("Merge made by")) if "begins" in one]
    many = [{"l": [1] * n} for n in (3, 4, 400)]
    assert not [one for one in words(*many, tool="t") if "at most" in one]


def test_a_field_that_one_example_lacks_and_a_list_that_was_short_are_not_expected() -> None:
    """A list of one, two or three entries may have none next time; one that always had one, or several, may not."""
    assert words({"a": 1, "b": 2}, {"a": 3, "b": 1}, {"a": 1}, tool="t") == ["the answer has 'a'"]
    counted = [learn("t", [{"l": [1] * n} for n in sizes]) for sizes in ((1, 2, 3), (1, 1, 1), (2, 3, 4))]
    assert [bool(unlike(0, traits, {"l": []})) for traits in counted] == [False, True, True]


def test_a_field_that_never_had_a_value_may_have_any() -> None:
    """A date of the last change, which is null until there was one."""
    traits = learn("t", [{"id": n, "changed": None} for n in range(3)])
    assert unlike(0, traits, {"id": 4, "changed": "2026-03-04"}) == "" != unlike(0, traits, {"id": 4})


def test_what_only_some_examples_show_is_not_expected() -> None:
    """Types that vary stay possible; a state that varies is no state."""
    traits = learn("t", [{"due": None, "status": "open"}, {"due": "Monday", "status": "paid"}, {"due": None, "status": "open"}])
    assert [unlike(0, traits, {"due": due, "status": "late"}) for due in (None, "Friday")] == ["", ""]
    assert "'due' as number, not null or text" in unlike(0, traits, {"due": 3, "status": "late"})


def test_one_output_in_all_examples_is_no_form_of_an_output() -> None:
    """`main` three times: a run on another branch, or one that prints two words, is not wrong."""
    traits = learn("terminal", [shell("main\n")] * 3)
    assert unlike(0, traits, shell("release candidate\n")) == ""


def test_objects_of_several_kinds_have_no_fields_in_common() -> None:
    """A tool that gives customers, lines and devices by their ids."""
    kinds: list[Json] = [{"id": 1, "name": "a", "mail": "b"}, {"id": 2, "plan": "c", "phone": "d"}, {"id": 3, "name": "e", "mail": "f"}]
    assert unlike(0, learn("get", kinds), {"bill": 4}) == ""


def test_nothing_is_learnt_from_parts_of_answers_or_from_none() -> None:
    """B37: a recorded text that was cut, or a preview of a spill file, has not the form of the answer; without results nothing is known."""
    cut = "aa\n[… 70000 characters cut by Kata …]\nbb"
    assert learn("t", [cut, cut, "<persisted-output>\nToo large"]) == ()
    assert learn("t", [None] * 3) == () == learn("t", ["one"])
    assert words({"a": 1}, cut, {"a": 2}, tool="t") == ["the answer has 'a'"]


def test_no_masked_secret_is_expected() -> None:
    """A17."""
    traits = learn("t", [{"KATASECRET_token_1": 1, "status": "KATASECRET_key_2"}] * 3)
    assert "KATASECRET" not in canonical([one.to_json() for one in traits])


@pytest.mark.parametrize(
    "result", [b"raw", {1, 2}, object(), float("nan"), json.loads("[" * 400 + "]" * 400), "\ud835 text", {"a": {"b": object()}}, None, {}]
)
def test_any_answer_at_all_is_looked_at(result: object) -> None:
    """B46: a tool may answer with anything; a check says so and never breaks a run."""
    for _name, (tool, answer) in ANSWERS.items():
        assert isinstance(unlike(0, learn(tool, [answer(n) for n in range(4)]), result), str)


# ── How it is said, and relaxed ──────────────────────────────────────────────────────────────────


def test_a_failed_check_is_one_sentence_with_its_name_what_was_expected_and_what_came() -> None:
    traits = learn("search_files", [{"matches": [{"path": word}]} for word in WORDS[:3]])
    sentence = "its answer is unlike that of every example (check 2b): expected that 'matches' is not empty, got an empty list"
    assert unlike(1, traits, {"matches": []}) == sentence


def test_a_relaxed_check_stays_in_the_list_and_does_not_count() -> None:
    traits = learn("search_files", [{"matches": [{"path": word}]} for word in WORDS[:3]])
    loose = relaxed(0, traits, label(0, 1))
    assert loose is not None and unlike(0, loose, {"matches": []}) == ""
    assert dict(listed(0, loose))["1b"] == "'matches' is not empty (relaxed)"
    assert unlike(0, loose, {"found": []})
    assert relaxed(0, traits, "1z") is None is relaxed(1, traits, "1b")


def test_what_was_relaxed_stays_so_when_it_is_learnt_anew() -> None:
    old = relaxed(0, learn("t", [{"l": [n]} for n in range(3)]), "1b")
    assert old is not None
    new = carried(old, learn("t", [{"l": [n], "m": n} for n in range(5)]))
    assert [said(one) for one in new if one.relaxed] == ["'l' is not empty"]


def test_a_check_survives_its_stored_form_and_a_spec_without_any_is_as_it_was() -> None:
    """The spec's format stays: what was stored before there were checks has the digest that it had."""
    (step,) = Spec.from_json(OLD).steps
    assert Spec.from_json(OLD).to_json() == OLD and step.traits == ()
    for one in learn("search_files", [{"matches": [{"path": word}]} for word in WORDS[:3]]):
        assert Trait.from_json(json.loads(canonical(one.to_json()))) == one


OLD: Json = {
    "format": 1,
    "inputs": [],
    "steps": [
        {
            "tool": "read_file",
            "arguments": {"object": [["path", {"literal": "a"}]]},
            "effect": {"kind": "read", "destructive": False, "why": "reads"},
            "schema": "",
        }
    ],
}
