"""Programs that find a value again in text: what they find, what they refuse, how they are learnt, stored and shown (T26, T27)."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kata.extraction import (
    CLASSES,
    KINDS,
    PLAIN,
    RUNS,
    START,
    Anchor,
    Anchored,
    Between,
    Block,
    Change,
    Column,
    Each,
    Field,
    Given,
    Keyed,
    Line,
    Path,
    Program,
    Rest,
    Row,
    Some,
    Token,
    Whole,
    is_of,
    run,
)
from kata.model import SpecError, TemplateError
from kata.search import candidates, learn

# ── What is learnt ───────────────────────────────────────────────────────────────────────────────

STATUS = ("On branch main\nnothing to commit", "On branch fix/a-b\n\nChanges:\n  x.py", "On branch dev\nUntracked files")
DF = """Filesystem     1K-blocks    Used Available Use% Mounted on
devtmpfs         {0:>7}       0   {1:>7}   0% /dev
home            20508240 {2:>7}  13695408  30% /
"""
LOG = "commit {0}\nAuthor: {1} <{1}@example.org>\n\n    {2}\n"


def taught(text: str, wanted: str, *rows: Sequence[str]) -> list[tuple[str, str]]:
    """Examples made from one text and one wanted piece with the values of each row."""
    return [(text.format(*row), wanted.format(*row)) for row in rows]


def found(examples: list[tuple[str, Any]], text: str, **known: str) -> Any:
    program = learn(examples)
    assert program is not None
    return run(program, text, known)


def test_a_branch_name_is_found_after_the_words_that_stand_before_it() -> None:
    """T26: the line, then the constant, with no count."""
    program = learn([(STATUS[0], "main"), (STATUS[1], "fix/a-b")])
    assert str(program) == 'line that starts with "On branch" → after "On branch"'
    assert program is not None and run(program, STATUS[2]) == "dev"


def test_a_cell_is_found_by_its_row_and_by_the_name_of_its_column() -> None:
    rows = (("1918816", "1918800", "5748028"), ("977500", "977400", "1148028"), ("4000", "3999", "77"))
    program = learn(taught(DF, "{2}", *rows[:2]))
    assert str(program) == 'line that starts with "home" → column "Used"'
    assert program is not None and run(program, DF.format(*rows[2])) == "77"


def test_a_hash_is_found_by_the_key_of_its_line() -> None:
    rows = (("a1b2c3d4e5", "ann", "one"), ("0f9e8d7c6b", "bob", "two"), ("123abc4567", "cy", "three"))
    assert found(taught(LOG, "{0}", *rows[:2]), LOG.format(*rows[2])) == "123abc4567"


def test_a_scalar_of_json_is_found_by_its_keys() -> None:
    texts = ['{"head": {"sha": "abc1"}, "n": 4}', '{"n": 7, "head": {"sha": "def2"}}', '{"head": {"n": 1, "sha": "fff"}}']
    program = learn([(texts[0], "abc1"), (texts[1], "def2")])
    assert str(program) == "whole text → JSON .head.sha"
    assert program is not None and run(program, texts[2]) == "fff"


def test_a_whole_text_is_taken_without_the_blanks_around_it() -> None:
    program = learn([("main\n", "main"), ("  fix/x \n", "fix/x")])
    assert program is not None and run(program, "dev\n") == "dev"


def test_the_row_that_holds_a_known_value_is_found_by_it() -> None:
    """The name of the service is an input; the id beside it is wanted."""
    table = "NAME   PORT   IMAGE\n{0}    {1}    {2}\n{3}    {4}    {5}\n"
    rows = [("web", "8001", "i-1", "api", "9002", "i-2"), ("api", "7003", "i-9", "web", "8100", "i-1"), ("db", "10", "x", "web", "20", "y")]
    texts = [table.format(*row) for row in rows]
    program = learn([(texts[0], "9002"), (texts[1], "8100")], {"name": ["api", "web"]})
    assert program is not None and "{name}" in str(program)
    assert run(program, texts[2], {"name": "db"}) == "10" and run(program, texts[2], {"name": "web"}) == "20"
    with pytest.raises(TemplateError, match="known text name"):
        run(program, texts[2])


@pytest.mark.parametrize(
    ("texts", "wanted", "last"),
    [
        (["Wrote /tmp/a/one.txt", "Wrote /var/b/c/two.md", "Wrote /srv/three.py"], ["one.txt", "two.md"], "three.py"),
        (["Wrote /tmp/a/one.txt", "Wrote /var/b/c/two.md", "Wrote /srv/three.py"], ["/tmp/a", "/var/b/c"], "/srv"),
        (["Wrote /tmp/a/one.txt", "Wrote /var/b/c/two.md", "Wrote /srv/three.py"], ["one", "two"], "three"),
        (["Wrote /tmp/a/one.txt", "Wrote /var/b/c/two.md", "Wrote /srv/three.py"], ["txt", "md"], "py"),
        (["title: Add The Thing", "title: Drop it now", "title: Fix A b"], ["add-the-thing", "drop-it-now"], "fix-a-b"),
        (["user: ANN", "user: Bob", "user: Cy"], ["ann", "bob"], "cy"),
        (["last id: 41", "last id: 1008", "last id: 99"], ["42", "1009"], "100"),
        (["next id: 41", "next id: 1008", "next id: 100"], ["40", "1007"], "99"),
        (["see https://a.example/x/1", "see http://b.example:80/y", "see https://c.example/?q"], ["a.example", "b.example"], "c.example"),
        (["files: a b c", "files: d e", "files: x y z w"], ["a,b,c", "d,e"], "x,y,z,w"),
        (["a.txt\nb.txt\n", "c.txt\nd.txt\ne.txt\n", "f\ng\n"], ["a.txt b.txt", "c.txt d.txt e.txt"], "f g"),
        (['name = "ann"', 'name = "bob-1"', 'name = "cy"'], ["ann", "bob-1"], "cy"),
    ],
)
def test_a_derived_value_is_learnt_with_its_transform(texts: list[str], wanted: list[str], last: str) -> None:
    """T27"""
    assert found(list(zip(texts, wanted, strict=False)), texts[2]) == last


def test_a_whole_number_stays_a_number_and_a_text_of_digits_a_text() -> None:
    """B31: 3 is not "3"."""
    texts = ["open issues: 12\n", "open issues: 7\n", "open issues: 40\n"]
    assert found([(texts[0], 12), (texts[1], 7)], texts[2]) == 40
    assert found([(texts[0], "12"), (texts[1], "7")], texts[2]) == "40"
    assert learn([(texts[0], 12), (texts[1], "7")]) is None


def test_a_piece_that_stands_in_two_places_is_not_guessed_but_both_ways_are_offered() -> None:
    """Held-out examples decide."""
    texts = [f"source: {one}\ntarget: {one}\n" for one in ("a1", "b2")]
    examples = [(texts[0], "a1"), (texts[1], "b2")]
    assert learn(examples) is None
    assert {run(program, "source: c3\ntarget: d4\n") for program in candidates(examples)} == {"c3", "d4"}
    assert found([*examples, ("source: e5\ntarget: f6\n", "f6")], "source: c3\ntarget: d4\n") == "d4"


def test_programs_that_are_offered_differ_and_the_best_comes_first() -> None:
    examples = [(STATUS[0], "main"), (STATUS[1], "fix/a-b")]
    offered = candidates(examples)
    assert offered[0] == learn(examples) and len(set(offered)) == len(offered) > 1
    assert candidates(examples, limit=1) == offered[:1]


# ── What is refused ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    "examples",
    [
        [],
        [(STATUS[0], "main")],
        [(STATUS[0], "main"), (STATUS[0], "main")],
        [(STATUS[0], "main"), (STATUS[0], "nothing")],
        [(STATUS[0], ""), (STATUS[1], "")],
        [(STATUS[0], "main"), (STATUS[1], "not there")],
        [(STATUS[0], True), (STATUS[1], False)],
        [(STATUS[0], None), (STATUS[1], None)],
        [("x" * 300_000 + " a", "a"), ("y b", "b")],
    ],
)
def test_no_program_is_better_than_a_guess(examples: list[tuple[str, Any]]) -> None:
    assert learn(examples) is None and candidates(examples) == ()


def test_several_matches_of_different_values_are_an_error_and_of_one_value_are_not() -> None:
    program = learn([("port: 80\n", "80"), ("port: 8443\n", "8443")])
    assert program is not None
    assert run(program, "port: 22\nx\nport: 22\n") == "22"
    with pytest.raises(TemplateError, match="Expected one value at line that starts with"):
        run(program, "port: 22\nport: 23\n")


def test_the_first_of_several_is_taken_only_where_the_examples_show_it() -> None:
    shown = [("id: 7\nid: 8\n", "7"), ("id: 21\nid: 9\n", "21")]
    assert found(shown, "id: 5\nid: 6\n") == "5"


def test_a_value_of_another_kind_is_an_error_that_names_the_kind() -> None:
    program = learn([("host: 10.0.0.1", "10.0.0.1"), ("host: 192.168.7.9", "192.168.7.9")])
    assert program is not None and program.kind == "ip"
    with pytest.raises(TemplateError, match=r"IPv4 address|has none there"):
        run(program, "host: $(touch PWNED)")


@pytest.mark.parametrize("text", ["", "\n\n", "nothing of the kind", "On branch\n", "xOn branch main"])
def test_a_text_without_the_value_is_an_error_that_says_what_was_expected(text: str) -> None:
    program = learn([(STATUS[0], "main"), (STATUS[1], "fix/a-b")])
    assert program is not None
    with pytest.raises(TemplateError, match=r'Expected .* at line that starts with "On branch"'):
        run(program, text)


def test_a_text_that_is_too_long_or_no_text_is_an_error() -> None:
    program = Program(Whole(), Rest())
    for text in ("x" * 300_000, None, 7):
        with pytest.raises(TemplateError, match="at most"):
            run(program, text)  # type: ignore[arg-type]


# ── One line for a person ────────────────────────────────────────────────────────────────────────

SHOWN = [
    (Program(Anchored(Anchor("starts", "On branch")), Between(("On branch",))), 'line that starts with "On branch" → after "On branch"'),
    (Program(Line(-1), Field(2)), "last line → second field"),
    (Program(Line(2), Token("ip", -1)), "second line → last of an IPv4 address"),
    (Program(Row("NAME", 3), Column("NAME", "PORT", "under")), 'third row under "NAME" → column "PORT"'),
    (Program(Keyed(Column("NAME", "NAME", "wide"), Given("n")), Rest()), 'row whose column "NAME" is {n} → all of it'),
    (Program(Block(1, Anchor("contains", "mtu")), Token("integer", 0, ("mtu",))),
     'line that contains "mtu" in the first block → a whole number after "mtu"'),
    (Program(Whole(), Path(("items", 0, "id"))), "whole text → JSON .items[0].id"),
    (Program(Each(), Between((Some("name"), "-"), ":"), 1), 'any line → after ⟨name⟩ "-" up to ":" → the first found'),
    (Program(Whole(), Rest(), 0, (Change("basename"), Change("split", ".", -1))),
     'whole text → all of it → basename → last part between "."'),
    (Program(Anchored(Anchor("starts", "a"), 1, Anchor("contains", "b")), Between((START,), "=")),
     'first line under the line that starts with "a" after the first line that contains "b" → from the start up to "="'),
]  # fmt: skip


@pytest.mark.parametrize(("program", "line"), SHOWN)
def test_a_program_is_one_line_that_a_person_understands(program: Program, line: str) -> None:
    assert str(program) == line


# ── Laws ─────────────────────────────────────────────────────────────────────────────────────────

names = st.from_regex(r"[a-z][a-z0-9_]{0,7}", fullmatch=True)
values = st.one_of(
    names, st.integers(0, 99_999).map(str), st.from_regex(r"/[a-z]{1,5}/[a-z]{1,5}\.[a-z]{1,3}", fullmatch=True), st.just("10.0.0.7")
)
lines = st.lists(st.one_of(names, values, st.sampled_from(["=", ":", "|", "(x)", "-->", "  ", "—"])), max_size=5).map(" ".join)
texts = st.one_of(st.text(max_size=300), st.lists(lines, max_size=8).map("\n".join))


@st.composite
def lessons(draw: st.DrawFn) -> list[tuple[str, str]]:
    """Examples of texts that hold their value behind one key, amid other lines."""
    key = draw(st.sampled_from(["On branch ", "id: ", "  port = ", "(", "NAME\n", ""]))
    end = draw(st.sampled_from(["", ")", " ok", ", more", "  \n"]))
    made = []
    for _ in range(draw(st.integers(2, 4))):
        value = draw(values)
        around = draw(st.lists(lines, max_size=3)), draw(st.lists(lines, max_size=3))
        made.append(("\n".join([*around[0], f"{key}{value}{end}", *around[1]]), value))
    return made


words = st.one_of(st.text(min_size=1, max_size=8), names)
counts = st.integers(-4, 6)
anchors = st.builds(Anchor, st.sampled_from(["starts", "contains"]), st.one_of(words, st.builds(Given, names)))
boundaries = st.lists(st.one_of(words, st.builds(Some, st.sampled_from(["start", *RUNS]))), max_size=3).map(tuple)
columns = st.builds(Column, words, words, st.sampled_from(["under", "wide", "slice", "ruled", "count"]))
wheres = st.one_of(
    st.just(Whole()),
    st.just(Each()),
    st.builds(Line, counts),
    st.builds(Anchored, anchors, st.integers(0, 3), st.none() | anchors),
    st.builds(Block, st.integers(1, 3), st.none() | anchors),
    st.builds(Row, words, st.integers(1, 4)),
    st.builds(Keyed, columns, st.one_of(words, st.builds(Given, names))),
)
whats = st.one_of(
    st.just(Rest()),
    st.builds(Between, boundaries, st.text(max_size=3)),
    st.builds(Token, st.sampled_from(RUNS), counts, boundaries, st.text(max_size=3)),
    st.builds(Field, counts, words),
    columns,
    st.builds(Path, st.lists(st.one_of(names, counts), max_size=3).map(tuple)),
)
changes = st.one_of(
    st.builds(Change, st.sampled_from([*PLAIN])),
    st.builds(Change, st.just("split"), words, counts),
    st.builds(Change, st.just("join"), st.text(max_size=2)),
)
programs = st.builds(Program, wheres, whats, counts, st.lists(changes, max_size=3).map(tuple), st.sampled_from(CLASSES))
stored = st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), lambda one: st.lists(one, max_size=3), max_leaves=6)


@given(lessons())
def test_a_learnt_program_gives_every_example_and_so_does_each_candidate(examples: list[tuple[str, str]]) -> None:
    for program in candidates(examples):
        assert [run(program, text) for text, _wanted in examples] == [wanted for _text, wanted in examples]


@given(lessons(), st.randoms(use_true_random=False))
def test_the_order_of_the_examples_makes_no_difference(examples: list[tuple[str, str]], chance: Any) -> None:
    shuffled = list(examples)
    chance.shuffle(shuffled)
    assert candidates(shuffled) == candidates(examples)


@given(programs)
def test_a_program_comes_back_from_its_json_as_it_was(program: Program) -> None:
    assert Program.from_json(json.loads(json.dumps(program.to_json()))) == program
    assert "\n" not in str(replace(program, then=())) or "\\n" in repr(program)


@given(programs, texts, st.dictionaries(names, st.text(max_size=5), max_size=2))
def test_running_raises_nothing_but_its_own_error_and_returns_only_its_class(program: Program, text: str, known: dict[str, str]) -> None:
    try:
        value = run(program, text, known)
    except TemplateError:
        return
    assert is_of(program.kind, str(value)) and type(value) is (int if program.then[-1:] == (Change("integer"),) else str)


@given(lessons(), texts)
def test_a_learnt_program_never_leaves_its_class_on_another_text(examples: list[tuple[str, str]], text: str) -> None:
    for program in candidates(examples):
        try:
            value = run(program, text)
        except TemplateError:
            continue
        assert is_of(program.kind, str(value))


@given(values, values)
def test_two_lines_that_answer_differently_are_an_error(one: str, other: str) -> None:
    program = Program(Anchored(Anchor("starts", "id")), Between(("id:",)))
    text = f"id: {one}\nnoise\nid: {other}\n"
    if one == other:
        assert run(program, text) == one
    else:
        with pytest.raises(TemplateError, match="Expected one value"):
            run(program, text)


@given(stored)
def test_what_is_no_program_is_an_error_of_the_spec(value: Any) -> None:
    with pytest.raises(SpecError):
        Program.from_json(value)


@given(programs, st.data())
def test_a_stored_program_with_one_part_replaced_is_read_or_refused(program: Program, data: st.DataObject) -> None:
    shape = program.to_json()
    part = data.draw(st.sampled_from([shape, shape["where"], shape["what"]]))
    part[data.draw(st.sampled_from(sorted(part)))] = data.draw(stored)
    try:
        assert isinstance(str(Program.from_json(shape)), str)
    except SpecError as error:
        assert "xpected" in error.message


@pytest.mark.parametrize(
    "line",
    [sign * (65_000 // len(sign)) for sign in ("a", " ", "a ", "1.", ":", "a-", "0f:", "/", "(", "\t")],
    ids=range(10),
)
@pytest.mark.parametrize("kind", [*RUNS])
def test_no_text_makes_a_program_slow(kind: str, line: str) -> None:
    """Each pattern is linear: were one not, this test would not end."""
    known = ("a", " ", Some(kind), "-")
    for what in (Token(kind, -1), Token(kind, 0, known, "z"), Between(known, "z"), Between(("a",), "z"), Between((Some(kind),), "a")):
        for pick in (0, 3, -1):
            try:
                run(Program(Each(), what, pick), f"z\n{line}\nend")
            except TemplateError:
                continue


def test_every_kind_says_what_it_is_and_knows_its_own() -> None:
    own = {
        "integer": "42", "number": "4.5", "time": "12:30:01", "date": "2026-11-30", "ip": "10.0.0.1", "mac": "00:50:56:fe:7a:b4",
        "ipv6": "fe80::1", "uuid": "50DEF501-A333-48D1-B1FC-C2F1CCFD5715", "hash": "a1b2c3d", "version": "v1.2.3-rc1",
        "url": "https://a.example/x?y=1", "path": "/tmp/x.txt", "word": "abc", "name": "a_1", "dotted": "fix/a-b", "token": "a@b:c",
        "solid": "a(b)", "line": "a b", "text": "a\nb",
    }  # fmt: skip
    assert own.keys() == KINDS.keys()
    assert all(is_of(kind, value) for kind, value in own.items())
    assert not is_of("line", "a\nb") and not is_of("solid", "a b") and not is_of("integer", "-1") and not is_of("path", "a/b")
