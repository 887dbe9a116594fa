"""Where a value comes from: each way of pointing into a result, learnt from examples and followed again."""

import json

import pytest
from test_templating import example, learnt, term

from kata import templating
from kata.model import Concat, Input, Literal, Pick, Reference, Spec, TemplateError, canonical
from kata.origins import within


def pair(result, value, step="get"):
    return ("find", {}, result if isinstance(result, str) else json.dumps(result)), (step, {"id": value}, "{}")


def reference(*pairs):
    template, _ = learnt(*(example(i, *pair(result, value)) for i, (result, value) in enumerate(pairs)))
    return template.steps[1].fields[0][1]


def test_the_whole_text_of_a_result_is_a_reference():
    """R01 of the retail traces: a bare id."""
    assert reference(("raj_santos_9079", "raj_santos_9079"), ("ivan_khan_1", "ivan_khan_1")) == Reference(0, ())


def test_json_inside_a_text_field_is_looked_into():
    """The output of `gh pr list --json number`: the number flows on as text of a command."""
    template, _ = learnt(
        *(
            example(i, term(f"gh pr list --head b{i}x", json.dumps([{"number": n, "title": "x"}])), term(f"gh pr checks {n}"))
            for i, n in enumerate((512, 731, 998))
        )
    )
    (command,) = [value for key, value in template.steps[1].fields if key == "command"]
    assert command.parts[1].value == Reference(0, ("output", Pick("json"), 0, "number"))


def test_json_inside_a_json_text_is_looked_into():
    assert reference(({"result": '{"id": "abc"}'}, "abc"), ({"result": '{"id": "def"}'}, "def")) == Reference(
        0, ("result", Pick("json"), "id")
    )


def bills(*rows):
    return {"bills": [{"id": one, "status": status, "customer": customer} for one, status, customer in rows]}


def test_an_element_is_chosen_by_what_it_is_before_its_number():
    """R06: the overdue bill, wherever it stands."""
    first = bills(("B-1", "Paid", "c1"), ("B-2", "Overdue", "c1"))
    second = bills(("B-7", "Paid", "c2"), ("B-9", "Overdue", "c2"), ("B-8", "Paid", "c2"))
    assert reference((first, "B-2"), (second, "B-9")) == Reference(0, ("bills", Pick("where", "status", Literal("Overdue")), "id"))


def test_a_selector_is_preferred_even_where_the_number_fits():
    """README of the corpora: an index that fits every example may still be wrong."""
    rows = [bills((f"A{i}1", "Paid", "c"), (f"A{i}2", "Overdue", "c")) for i in range(3)]
    pairs = [(row, row["bills"][1]["id"]) for row in rows]
    assert reference(*pairs).path[1] == Pick("where", "status", Literal("Overdue"))


def test_an_element_is_chosen_by_a_bound_input():
    """The line whose number was given."""
    rows = []
    for i, (mine, other) in enumerate([("555-11", "555-22"), ("555-33", "555-44"), ("555-55", "555-66")]):
        lines = [{"number": other, "plan": f"P{i}x"}, {"number": mine, "plan": f"P{i}y"}]
        rows.append(
            example(i, ("customer", {"phone": mine}, json.dumps({"lines": lines if i else lines[::-1]})), ("plan", {"id": f"P{i}y"}, "{}"))
        )
    template, _ = learnt(*rows)
    assert template.steps[1].fields[0][1] == Reference(0, ("lines", Pick("where", "number", Input("phone")), "plan"))


def test_the_only_and_the_first_element_are_the_first():
    """A10."""
    assert reference(({"l": ["abc"]}, "abc"), ({"l": ["def"]}, "def")) == Reference(0, ("l", 0))


def test_the_last_element_is_the_last_where_lengths_differ():
    assert reference(({"l": ["x", "abc"]}, "abc"), ({"l": ["x", "y", "def"]}, "def")) == Reference(0, ("l", Pick("last")))


def test_a_name_in_a_table_becomes_an_input():
    """R08: the caller names the product, the table gives its id."""
    tables = [
        ({"Mouse": "901", "Desk": "777"}, "901", "Mouse"),
        ({"Lamp": "555", "Mouse": "901"}, "555", "Lamp"),
        ({"Desk": "777", "Lamp": "1"}, "777", "Desk"),
    ]
    template, spec = learnt(*(example(i, *pair(table, value)) for i, (table, value, _) in enumerate(tables)))
    (one,) = template.inputs
    assert template.steps[1].fields[0][1] == Reference(0, (Pick("key", "", Input(one.name)),))
    for i, (table, value, name) in enumerate(tables):
        seen = example(i, *pair(table, value))
        assert templating.match(spec, seen.calls, seen.results) == {one.name: name}


def test_an_element_that_is_not_clear_any_more_stops_the_step():
    where = Reference(0, ("bills", Pick("where", "status", Literal("Overdue")), "id"))
    twice = bills(("B-1", "Overdue", "c"), ("B-2", "Overdue", "c"))
    with pytest.raises(TemplateError, match=r"Expected bills\[status = Overdue\]\.id in the result of step 1"):
        templating.render(where, {}, [twice])
    assert templating.render(where, {}, [bills(("B-1", "Overdue", "c"))]) == "B-1"


def test_a_selector_inside_a_longer_text():
    rows = [bills((f"A{i}1", "Paid", "c"), (f"A{i}2", "Overdue", "c")) for i in range(3)]
    template, _ = learnt(*(example(i, *pair(row, f"pay {row['bills'][1]['id']} now")) for i, row in enumerate(rows)))
    made = template.steps[1].fields[0][1]
    assert isinstance(made, Concat) and made.parts[1] == Reference(0, ("bills", Pick("where", "status", Literal("Overdue")), "id"))


def test_a_spec_with_selectors_survives_its_stored_form():
    rows = [bills((f"A{i}1", "Paid", "c"), (f"A{i}2", "Overdue", "c")) for i in range(3)]
    _, spec = learnt(*(example(i, *pair(row, row["bills"][1]["id"])) for i, row in enumerate(rows)))
    assert Spec.from_json(json.loads(canonical(spec.to_json()))) == spec


# ── The first of a class, whole lists, Python around JSON, stubs ─────────────────────────────────


def test_the_first_of_several_with_one_word_is_chosen_where_its_number_varies():
    """T25: several bills are overdue; the first of them, wherever it stands."""
    first = bills(("B-1", "Paid", "c1"), ("B-2", "Overdue", "c1"), ("B-3", "Overdue", "c1"))
    second = bills(("B-7", "Overdue", "c2"), ("B-9", "Paid", "c2"), ("B-8", "Overdue", "c2"))
    path = reference((first, "B-2"), (second, "B-7")).path
    assert path == ("bills", Pick("first", "status", Literal("Overdue")), "id")
    assert templating.dotted(path) == "bills[first status = Overdue].id"
    assert templating.render(Reference(0, path), {}, [bills(("B-5", "Paid", "c"), ("B-6", "Overdue", "c"))]) == "B-6"
    with pytest.raises(TemplateError):
        templating.render(Reference(0, path), {}, [bills(("B-5", "Paid", "c"))])


def test_the_first_text_of_a_kind_is_chosen_where_its_number_varies():
    """T25: the first address among notes."""
    lists = (["see", "https://a.example.org/x", "end"], ["https://b.example.org/y"], ["a", "b", "https://c.example.org/z"])
    pairs = [({"l": one}, next(text for text in one if "://" in text)) for one in lists]
    made = reference(*pairs)
    assert made.path == ("l", Pick("kind", "url"))
    new = {"l": ["x", "y", "z", "https://d.example.org/w", "https://e.example.org/v"]}
    assert templating.render(made, {}, [new]) == "https://d.example.org/w"


def test_a_name_that_is_an_input_already_picks_its_value_in_a_table():
    """T25: the value of a dictionary under an input."""
    rows = []
    for i, (name, value) in enumerate([("Mouse", "901"), ("Lamp", "555"), ("Desk", "777")]):
        table = {"Mouse": "901", "Lamp": "555", "Desk": "777"}
        rows.append(example(i, ("find", {"product": name}, json.dumps({"ids": table})), ("order", {"id": value}, "{}")))
    template, _ = learnt(*rows)
    assert [one.name for one in template.inputs] == ["product"]
    assert template.steps[1].fields[0][1] == Reference(0, ("ids", Pick("key", "", Input("product"))))


def test_a_list_goes_in_as_it_came_out_in_its_order():
    """T25: whole, and one field of each of its entries; as long as it may be."""
    ids = (["b7", "a12", "c9"], ["x1", "x3", "x52"], ["k52"])
    rows = [example(i, ("find", {}, json.dumps({"ids": one})), ("close", {"ids": one}, "{}")) for i, one in enumerate(ids)]
    template, _ = learnt(*rows)
    assert template.steps[1].fields[0][1] == Reference(0, ("ids",)) and template.inputs == ()
    rows = [
        example(i, ("find", {}, json.dumps({"items": [{"id": n, "size": 1} for n in one]})), ("close", {"ids": one}, "{}"))
        for i, one in enumerate((["b70", "a12"], ["x10", "x30", "x20"], ["k50"]))
    ]
    template, _ = learnt(*rows)
    made = template.steps[1].fields[0][1]
    assert made == Reference(0, ("items", Pick("each"), "id")) and templating.dotted(made.path) == "items[each].id"
    assert templating.render(made, {}, [{"items": [{"id": "z9"}, {"id": "a1"}, {"id": "m5"}]}]) == ["z9", "a1", "m5"]
    with pytest.raises(TemplateError):
        templating.render(made, {}, [{"items": [{"id": "z9"}, {"name": "a1"}]}])


def test_an_object_goes_in_as_it_came_out():
    """K47: also where a field of it, alone, would tell nothing."""
    pages = ({"id": "abc", "page": 1, "next": None}, {"id": "def", "page": 2, "next": None})
    assert reference(*(({"at": page, "n": 7}, page) for page in pages)) == Reference(0, ("at",))
    assert reference(*((page, page) for page in pages)) == Reference(0, ())
    rows = [[{**page, "state": "open"}, {"id": "x", "page": 9, "next": None, "state": "shut"}] for page in pages]
    assert reference(*(({"rows": row}, row[0]) for row in rows)) == Reference(0, ("rows", Pick("where", "state", Literal("open"))))


@pytest.mark.parametrize("other", [{"id": "abc", "page": 1.0}, {"id": "abc", "page": "1"}, {"id": "abc", "page": 1, "n": 2}, {"id": "abc"}])
def test_another_object_is_not_the_one_that_came_out(other):
    """B31: nothing is guessed across types, and no field is left away."""
    found = reference(({"at": {"id": "abc", "page": 1}}, other), ({"at": {"id": "def", "page": 2}}, {"id": "def", "page": 2}))
    assert found != Reference(0, ("at",))


def test_another_order_is_another_list():
    ids = (["b7", "a12", "c9"], ["x3", "x1"], ["k5", "a2"])
    rows = [example(i, ("find", {}, json.dumps({"ids": one})), ("close", {"ids": sorted(one)}, "{}")) for i, one in enumerate(ids)]
    template, _ = learnt(*rows)
    assert not any(isinstance(part, Reference) for part in [template.steps[1].fields[0][1]])


@pytest.mark.parametrize(
    "shown",
    [
        lambda value: str(value),
        lambda value: f"meta=None content=[TextContent(type='text', text={json.dumps(value)!r}, annotations=None)] isError=False",
        lambda value: f'[TextContent(type=\'text\', text="{json.dumps(value).replace(chr(34), chr(92) + chr(34))}")]',
    ],
)
def test_what_python_shows_around_json_is_looked_into(shown):
    """T25: tools that answer with a repr; true, null and numbers keep their types (B31)."""
    values = [{"user": {"id": f"u-{n}17", "open": True, "due": None}, "n": n} for n in range(3)]
    made = reference(*((shown(value), value["user"]["id"]) for value in values))
    assert made == Reference(0, (Pick("json"), "user", "id"))


@pytest.mark.parametrize(
    "text", ["{'a': {1, 2}}", "{'a': b'x'}", "{1: 'a'}", "('a', 'b')", "{'a': (1, 2)}", "{'a': x}", "[" * 5_000, "{'a': 1"]
)
def test_what_is_no_json_in_all_but_its_quotes_is_text(text):
    """B31: sets, bytes, tuples, names, numbers as keys."""
    assert within(text) is None


STUB = {"status": "unchanged", "message": "File unchanged since last read: ticket T-{n}31 in notes", "content_returned": False}
SPILL = "<persisted-output>\nThis tool result was too large.\nFull output: /x\nPreview:\nticket T-{n}31 in notes\n</persisted-output>"
HOST_CUT = "ticket T-{n}31 in notes\n\n... [OUTPUT TRUNCATED - 51,000 chars omitted out of 101,000 total] ...\n\nend"
OUR_CUT = "ticket T-{n}31 in notes\n[… 70000 characters cut by Kata …]\nend"


@pytest.mark.parametrize("answer", [json.dumps(STUB), SPILL, json.dumps({"output": HOST_CUT, "exit_code": 0}), OUR_CUT])
def test_a_stub_a_spill_file_and_a_cut_are_never_taken_for_text(answer):
    """B37: what is left of a result teaches nothing, though the value stands in it; it is asked for."""
    rows = [example(i, ("read", {}, answer.replace("{n}", str(i))), ("close", {"id": f"T-{i}31"}, "{}")) for i in range(3)]
    template, _ = learnt(*rows)
    assert template.steps[1].fields[0][1] == Input("id")


@pytest.mark.parametrize("answer", [SPILL, HOST_CUT, OUR_CUT])
def test_a_program_reads_nothing_out_of_a_part_of_a_text(answer):
    """B37: learnt from whole texts, it stops at one that is cut."""
    rows = [example(i, ("read", {}, f"ticket T-{i}31 in notes\nend"), ("close", {"id": f"T-{i}31"}, "{}")) for i in range(3)]
    template, _ = learnt(*rows)
    made = template.steps[1].fields[0][1]
    assert isinstance(made, Reference) and templating.render(made, {}, ["ticket T-931 in notes\nend"]) == "T-931"
    with pytest.raises(TemplateError, match="is missing or not clear"):
        templating.render(made, {}, [answer.replace("{n}", "9")])


# ── Coincidences ─────────────────────────────────────────────────────────────────────────────────


def test_a_value_that_is_also_a_fixed_word_is_no_sign_of_a_flow():
    """A9: `main` and one other, of which `main` stands in the command before anyway: a list of branches holds both."""
    rows = []
    for i, (name, other) in enumerate([("main", "topic-9"), ("main", "topic-9"), ("topic-9", "main")]):
        text = f"{name}\n{other}\n"
        rows.append(example(i, term("git branch --list --merged main", text), term(f"git push origin {name}"), term("git gc")))
    template, _ = learnt(*rows)
    assert [one.name for one in template.inputs] == ["value"]


@pytest.mark.parametrize("values", [("ab", "cd", "ef"), (7, 12, 31), (True, False, True), ("abc", "abc", "abc")])
def test_short_values_truth_values_and_what_never_changes_tie_nothing(values):
    """A9."""
    rows = [example(i, ("find", {}, json.dumps({"x": one})), ("use", {"y": one}, "{}")) for i, one in enumerate(values)]
    template, _ = learnt(*rows)
    assert not isinstance(template.steps[1].fields[0][1], Reference)


def test_entries_that_hold_objects_and_lists_are_told_apart_by_their_words_alone():
    """The orders of a shop: an address and items beside the id."""
    rows = [[{"id": f"O-{n}{m}", "address": {"zip": m}, "items": [m], "n": m, "open": True} for m in range(1 + n)] for n in (1, 2)]
    made = reference(*(({"orders": one}, one[-1]["id"]) for one in rows))
    assert made == Reference(0, ("orders", Pick("last"), "id"))
