"""Where a value comes from: each way of pointing into a result, learnt from examples and followed again."""

import json

import pytest
from test_templating import example, learnt, term

from kata import templating
from kata.model import Concat, Input, Literal, Pick, Reference, Spec, TemplateError, canonical


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
