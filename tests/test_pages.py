"""Records as pages: six parts and 80 columns whatever they hold, the marks of a difference, and what each near miss needs."""

import re
import unicodedata
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from said import PARTS, ask, fits, wide
from strategies import BRANCHES, FILES, NOW, Bench, bench, proposal

from kata import commands, layout, pages
from kata.model import (
    AuditRow,
    Class,
    Effect,
    Fit,
    Input,
    InputField,
    Kata,
    Literal,
    NearMiss,
    Object,
    Reference,
    Spec,
    State,
    Step,
    Version,
)
from kata.rounds import Mined
from kata.wording import visible


@pytest.fixture
def desk() -> Iterator[Bench]:
    with closing(bench()) as one:
        yield one


def test_a_review_has_all_six_parts_with_effects_first(desk: Bench) -> None:
    """K18, at 80 columns, five steps in at most 24 lines."""
    desk.learn()
    answer = ask(desk, "review 1", "chat")
    lines = answer.text.split("\n")
    titles = [line[:13].strip() for line in lines[1:] if line[:1].isalpha()]
    assert sorted(titles) == sorted([*PARTS, "Expected", "Would save", "When", "Asked for", "Revision"]) and titles[0] == "Side effects"
    assert len(lines) <= 24 and fits(answer) and answer.code == 0


def test_a_review_says_what_runs_and_where_each_value_comes_from(desk: Bench) -> None:
    """K18, K46–K49."""
    desk.learn()
    text = ask(desk, "review 1").text
    for line in (
        "1 git checkout ‹branch›",
        "2 search_files pattern=TODO, path=src",
        "3 read_file path=‹step 2 · matches.0.path›",
        "4 wc -l ‹step 2 · matches.0.path›",
        "5 write_file path=notes/todo.md, content=open points on ‹branch›",
        "‹branch› you give",
        "3 of 3 held-out examples reproduced",
        "confidence 0.78",
        "12 of 12 checks passed",
    ):
        assert line in text
    assert all(BRANCHES[n] in text for n in range(3))


def test_the_whole_review_tells_how_much_of_the_calls_is_given(desk: Bench) -> None:
    """A14: both numbers; a template of inputs alone fits every example."""
    assert desk.learn().version.fit.specificity == pytest.approx(0.8916)
    told = "89% of the text of its calls is fixed or derived, the rest is given"
    assert told in ask(desk, "review 1 all").text and told not in ask(desk, "review 1").text


def test_a_review_names_the_revision_and_how_to_approve_it(desk: Bench) -> None:
    """A32."""
    digest = desk.learn().version.spec.digest
    last = ask(desk, "review 1", "chat").text.split("\n")[-1]
    assert last == f"Revision     {digest[:12]} · /kata approve 1 as NAME"
    ask(desk, "approve 1 as deploy", "chat")
    assert ask(desk, "review deploy", "chat").text.split("\n")[-1] == f"Revision     {digest[:12]}"


EFFECTS = (
    Effect(Class.WRITE, why="w" * 90),
    Effect(Class.EXTERNAL, True, "x " * 60),
    Effect(Class.UNKNOWN, why=""),
    Effect(Class.READ, True, "r"),
)


def test_a_review_shows_every_effect_that_is_more_than_reading(desk: Bench) -> None:
    """K18, K68."""
    steps = [Step("terminal", Object((("command", Literal(f"prog{n}")),)), effect) for n, effect in enumerate(EFFECTS)]
    desk.store.propose(proposal(steps), 1.0)
    answer = ask(desk, "review 1")
    for number, words in ((1, "write;"), (2, "external DESTRUCTIVE;"), (3, "unknown;"), (4, "read DESTRUCTIVE;")):
        assert f"step {number}: {words}" in answer.text
    assert "asks you" in answer.text and fits(answer) and len(answer.text.split("\n")) <= 24


def test_a_review_of_reads_says_so(desk: Bench) -> None:
    desk.store.propose(proposal([Step("read_file", Object((("path", Literal("a")),)), Effect(Class.READ))] * 2), 1.0)
    text = ask(desk, "review 1").text
    assert "none: every step only reads" in text and "runs without asking" in text


def test_a_review_shows_the_whole_of_every_command(desk: Bench) -> None:
    """B26, K18: the tail of a long command is part of what is approved."""
    long = "tar czf out.tgz " + " ".join(f"folder-{n}/sub" for n in range(20)) + " && rm -rf build"
    desk.store.propose(proposal([Step("terminal", Object((("command", Literal(long)),)), Effect(Class.UNKNOWN, True, "x"))] * 2), 1.0)
    assert "rm -rf build" in re.sub(r"\s+", " ", ask(desk, "review 1").text)


def test_a_five_step_review_stays_on_one_screen_whatever_it_holds(desk: Bench) -> None:
    """K18: 80 columns, 24 lines, with long names, long commands and many inputs."""
    step = Step("terminal", Object((("command", Literal("program " + "argument " * 40)),)), Effect(Class.UNKNOWN, True, "reason " * 40))
    inputs = [InputField(f"a_rather_long_input_name_{n}", "string", "Used in steps 1, 2, 3, 4, 5.", ("x" * 200, "y")) for n in range(2)]
    desk.store.propose(proposal([step] * 5, inputs=inputs), 1.0)
    answer = ask(desk, "review 1")
    assert wide(answer) == [] and all(part in answer.text for part in PARTS)


def test_the_signature_is_what_the_agent_is_told() -> None:
    """K24."""
    with closing(bench()) as desk:
        kata = desk.approved("deploy_preview")
        assert pages.signature(kata.tool, kata.version.spec) == "kata_deploy_preview(branch)"
        assert pages.outline(kata.version.spec) == "git checkout, search_files, read_file, wc, write_file"


def test_a_routine_is_told_once_whatever_became_of_it_in_one_round(desk: Bench) -> None:
    """What was missed at first and proposed later in the same round is a proposal."""
    kata = desk.learn()
    miss = NearMiss(("a()", "b()"), "template", "x", 3, kata.fingerprint)
    other = replace(miss, fingerprint="other")
    assert pages.fresh(Mined(3, (kata, kata), (miss, other, other))) == ((kata,), (other,))


def test_every_rule_of_the_miner_says_what_it_needs() -> None:
    source = (Path(str(commands.__file__)).parent / "miner.py").read_text(encoding="utf-8")
    rules = set(re.findall(r'(?:_missed|NearMiss)\([^"()]*(?:\([^()]*\)[^"()]*)*"([a-z_]+)"', source))
    assert {"loop", "confidence", "saves"} <= rules <= set(pages.NEEDS)


TEXT = st.one_of(st.text(max_size=12), st.sampled_from(["plain", "x" * 300, "two words", "a\nb", "\x1b[2J", "日本語" * 20, ""]))
VALUE = st.one_of(
    st.builds(Literal, TEXT), st.builds(lambda name: Reference(0, (name or "k", 0)), TEXT), st.sampled_from([Input("a"), Input("b" * 60)])
)
STEP = st.builds(
    lambda tool, value, effect: Step(tool, Object((("command", value),)), effect),
    st.sampled_from(["terminal", "read_file", "mcp_server_with_a_long_name_do_something"]),
    VALUE,
    st.builds(Effect, st.sampled_from(list(Class)), st.booleans(), TEXT),
)
FIELD = st.builds(
    InputField,
    st.sampled_from(["a", "b" * 60, "pattern"]),
    st.sampled_from(["string", "integer", ""]),
    TEXT,
    st.lists(TEXT, max_size=4).map(tuple),
    st.lists(TEXT, max_size=4).map(tuple),
    st.sampled_from([None, False, "x" * 90]),
)


@settings(max_examples=150)
@given(st.lists(STEP, min_size=2, max_size=8), st.lists(FIELD, max_size=8), st.sampled_from(["/kata", "hermes kata"]))
def test_whatever_a_spec_holds_its_review_has_six_parts_in_80_columns_with_the_effects_on_top(
    steps: list[Step], inputs: list[InputField], lead: str
) -> None:
    """K18: long values, many inputs; every step that does more than reading stands in the first six lines, its reason whole below."""
    kata = Kata(1, "", State.CANDIDATE, "f", Version(1, Spec(tuple(inputs), tuple(steps)), Fit(3, 3, 3, 0.9), (), (), NOW))
    lines = layout.laid(pages.review(kata, lead)).split("\n")
    assert [line for line in lines if len(line) > 80 or not line.isprintable()] == []
    titles = [line[:12].rstrip() for line in lines[1:] if line[:1] != " "]
    assert titles == ["Side effects", "Permissions", "Steps", "Data flow", "Schemas", "Validation", "Revision"]
    acting = {str(number) for number, step in enumerate(steps, 1) if step.effect != Effect(Class.READ, False, step.effect.why)}
    top = " ".join(line[13:] for line in lines[1:6])
    assert acting <= set(re.findall(r"\d", " ".join(re.findall(r"steps? ([\d, ]+):", top))))
    for step in steps:
        assert step.effect.plain_read or "".join(visible(step.effect.why).split()) in "".join("".join(lines).split())


@settings(max_examples=50)
@given(st.lists(st.sampled_from(EFFECTS), min_size=5, max_size=5), st.integers(0, 2), st.integers(0, 2))
def test_a_five_step_review_fits_on_one_screen(effects: list[Effect], references: int, given_: int) -> None:
    """K18: 24 lines of 80 columns, where no step is longer than a line; whatever the effects are."""
    values = [Reference(0, ("matches", n, "path")) for n in range(references)] + [Literal("src/app/main.py")] * (5 - references)
    arguments = [Object((("command", value),)) for value in values]
    plain = [Effect(one.kind, one.destructive) for one in effects]
    steps = tuple(Step("terminal", one, effect) for one, effect in zip(arguments, plain, strict=True))
    inputs = tuple(InputField(f"pattern_{n}", "string", "Used in steps 1, 2, 3.", ("amber", "birch", "cobalt")) for n in range(given_))
    kata = Kata(1, "a" * 30, State.ACTIVE, "f", Version(1, Spec(inputs, steps), Fit(3, 3, 3, 0.9), (), (), NOW))
    assert len(pages.review(kata, "hermes kata").split("\n")) <= 24


def test_a_review_shows_what_each_derived_value_was_in_the_examples(desk: Bench) -> None:
    """Source step, path or program, and what it gave: in the latest three on the short page, in all with 'all'."""
    desk.learn(5)
    flat = " ".join(ask(desk, "review 1").text.split())
    assert f"‹step 2 · matches.0.path› goes into steps 3, 4; it was {FILES[4]}, {FILES[3]}, {FILES[2]}, … (2 more)" in flat
    answer = ask(desk, "review 1 all")
    flat = " ".join(answer.text.split())
    assert f"it was {', '.join(FILES[4::-1])}" in flat and wide(answer) == []
    assert answer.json["values"] == [{"value": "‹step 2 · matches.0.path›", "steps": [3, 4], "was": [*FILES[4::-1]]}]


def test_a_decision_goes_on_below_its_own_beginning() -> None:
    row = AuditRow(NOW, "chat", "approve", 1, "candidate", "active", "f029fce7228b" * 6, "a reason of some words that is long enough")
    first, *rest = pages.decisions([row], {1: "kata_note_todo"}, "/kata").split("\n\n")[0].split("\n")
    assert rest and all(line.startswith(" " * 38) and len(line) <= 80 for line in rest) and "approve   kata 1" in first


def test_a_proposal_whose_approval_was_taken_back_says_so(desk: Bench) -> None:
    desk.learn()
    ask(desk, "review 1")
    for line in ("approve 1 as note", "undo"):
        assert ask(desk, line).code == 0
    assert "\nBecause      'approve' was taken back\n" in ask(desk, "review 1").text


def test_an_example_call_leaves_out_what_has_a_default(desk: Bench) -> None:
    fields = (InputField("level", "string", "", ("low",)), InputField("force", "boolean", "", (True,), (), False))
    version = Version(1, Spec(fields, (Step("read_file", Object(()), Effect(Class.READ)),)), Fit(3, 3, 3, 0.9), (), (), NOW, NOW)
    assert '\nCall         kata_x(level="low")\n' in pages.about(Kata(1, "x", State.ACTIVE, "f", version), (version,), (), "/kata")


def columns(line: str) -> int:
    """How wide a terminal shows the line: characters of East Asia and pictures take two columns."""
    return sum(1 + (unicodedata.east_asian_width(one) in "WF") for one in line)


@given(st.lists(st.text(st.sampled_from("ab 日本語🙂é"), max_size=150), min_size=1, max_size=3), st.integers(5, 80))
def test_wide_characters_count_twice(rows: list[str], width: int) -> None:
    """80 columns, not 80 characters; and no character is lost."""
    text = layout.laid("\n".join(layout.part("Steps", rows)))
    assert all(columns(line) <= 80 for line in text.split("\n"))
    assert "".join(text.split()) == "Steps" + "".join("".join(rows).split())
    for row in rows:
        shown = layout.fit(row, width)
        assert columns(shown) <= width and (shown == row or shown[:-1] == row[: len(shown) - 1])
        assert shown == row or columns(shown) >= width - 1, "no more is cut than must be"


@given(st.text(alphabet="ab \n", max_size=20), st.text(alphabet="ab \n", max_size=20))
def test_the_marks_hold_both_texts(old: str, new: str) -> None:
    """T62: without what is new it is the old text, without what is gone the new one."""
    text = pages.marked(old, new)
    assert re.sub(r"\[-(.*?)-\]", r"\1", re.sub(r"\{\+.*?\+\}", "", text, flags=re.S), flags=re.S) == old
    assert re.sub(r"\{\+(.*?)\+\}", r"\1", re.sub(r"\[-.*?-\]", "", text, flags=re.S), flags=re.S) == new


def test_every_kind_of_change_is_told() -> None:
    """T62: inputs, steps, effects, asking, tools."""
    read, write = Effect(Class.READ, why="reads"), Effect(Class.EXTERNAL, why="sends")
    one = Step("send", Object((("to", Literal("a")),)), read, "1" * 16)
    old = Spec((InputField("name", "string"),), (one, replace(one, tool="other")))
    new = Spec((InputField("name", "integer"), InputField("more", "string", default="x")), (replace(one, effect=write, schema="2" * 16),))
    assert pages.changes(old, new) == [
        "you give: name: [-string-]{+integer+}",
        "you give: {+more: string, optional (else x)+}",
        "step 1: [-read;-]{+external;+} [-reads-]{+sends+}",
        "step 1: send takes other arguments than when this was recorded first",
        "step 2: [-other to=a-]",
        "asks you before every run: [-no-]{+yes+}",
    ]
    assert pages.changes(old, old) == ["nothing: the same calls, only the examples differ"]
