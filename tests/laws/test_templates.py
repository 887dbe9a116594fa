"""The laws of templates: what is learnt gives back what it was learnt from, with its types, and what a caller gives arrives as given."""

from collections.abc import Sequence

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import Did, family, sh

from kata import learning, miner, shell, templating
from kata.model import Call, Example, Json, Spec, TemplateError, UnsafeValue, canonical
from kata.redact import Masker

LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["null", "None", "true", "1", "1.0", "", "{{x}}", "{0}", "${{ secrets.X }}", "{{steps.1.result}}", "a b", "it's"]),
    st.text(max_size=8),
)
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3), max_leaves=6
)


def exact(value: Json) -> str:
    """The value with its types: 1, 1.0, true and "1" stay apart."""
    return canonical(value)


def learnt(examples: Sequence[Example]) -> Spec | None:
    """The spec of what is inferred; None where nothing is."""
    try:
        return miner.specified(learning.infer(examples), examples[0])
    except TemplateError:
        return None


def made(spec: Spec, given: dict[str, Json], results: Sequence[Json]) -> list[Call]:
    return [Call(step.tool, templating.render(step.arguments, given, results[:n])) for n, step in enumerate(spec.steps)]


def reproduced(spec: Spec, example: Example) -> dict[str, Json]:
    """The inputs that give exactly this example again."""
    found = templating.match(spec, example.calls, example.results)
    assert found is not None
    assert shown(made(spec, found, example.results)) == shown(example.calls)
    return found


def shown(calls: Sequence[Call]) -> list[tuple[str, str]]:
    return [(call.tool, exact(dict(call.arguments))) for call in calls]


@st.composite
def two_steps(draw: st.DrawFn) -> tuple[Did, ...]:
    """A call with arguments of every kind, then one that takes some of them, or of the result, over."""
    first = {"fixed": 7, "one": draw(VALUES), "deep": {"list": [draw(LEAVES), {"x": draw(LEAVES)}]}}
    result = {"item": {"id": draw(LEAVES), "rows": [draw(LEAVES)]}, "n": draw(st.integers(0, 5))}
    later = {"same": first["one"], "id": result["item"]["id"], "all": result["item"]["rows"], "note": draw(VALUES)}
    return Did("mcp__a__find", first, result), Did("mcp__a__use", later, {"ok": True})


@settings(max_examples=150)
@given(st.lists(two_steps(), min_size=2, max_size=4))
def test_what_is_learnt_gives_every_example_back_with_its_types(cases: list[tuple[Did, ...]]) -> None:
    """B31, B29, A15: null, "null", 1, 1.0 and true stay apart at any depth, and braces are text."""
    examples = family(*cases)
    spec = learnt(examples)
    if spec is not None:
        for example in examples:
            reproduced(spec, example)


@settings(max_examples=150)
@given(st.lists(two_steps(), min_size=2, max_size=4), st.data())
def test_rendering_and_matching_are_inverse_for_whatever_was_learnt(cases: list[tuple[Did, ...]], data: st.DataObject) -> None:
    """Inputs of one example with the results of another, to calls, and back to inputs that make the same calls."""
    examples = family(*cases)
    spec = learnt(examples)
    assume(spec is not None)
    assert spec is not None
    given_by, answered_by = data.draw(st.sampled_from(examples)), data.draw(st.sampled_from(examples))
    inputs = reproduced(spec, given_by)
    try:
        calls = made(spec, inputs, answered_by.results)
    except TemplateError:
        return
    again = templating.match(spec, calls, answered_by.results)
    assert again is not None
    assert shown(made(spec, again, answered_by.results)) == shown(calls)


@given(VALUES, VALUES)
def test_a_value_out_of_a_result_keeps_its_type(one: Json, other: Json) -> None:
    """B31, B48: whatever stands there when it runs is handed on as it is, and is never read as a template."""
    cases = [
        (Did("mcp__a__find", {"q": n}, {"owner": name, "total": 1}), Did("mcp__a__open", {"who": name}, {"ok": 1}))
        for n, name in enumerate(("maria", "otto", "petra"))
    ]
    spec = learnt(family(*cases))
    assert spec is not None
    for value in (one, other):
        _, call = made(spec, {field.name: 9 for field in spec.inputs}, [{"owner": value, "total": 1}])
        assert exact(call.arguments["who"]) == exact(value)


WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), min_size=1, max_size=12)
LEARNT = ("alpha", "bravo-2", "src/delta.py")
FRAMES = ("grep -n {} src/app.py", "git log --author '{}' | head -3", 'echo "say {}" > note', "ls -l {} && pwd", "cat {}; date")


@settings(max_examples=150)
@given(WORDS, st.sampled_from(FRAMES))
def test_a_learnt_command_keeps_its_tree_whatever_value_comes(value: str, frame: str) -> None:
    """From examples on: the value is one piece of one argument, or the step is refused."""
    examples = family(*((sh(frame.format(word)), sh("ls -l docs")) for word in LEARNT))
    spec = learnt(examples)
    assert spec is not None and len(spec.inputs) == 1
    try:
        call = made(spec, {spec.inputs[0].name: value}, [{}, {}])[0]
    except UnsafeValue:
        return
    before, after = shell.parse(frame.format("MARK")), shell.parse(call.arguments["command"])
    assert after.operators == before.operators and shell.programs(after) == shell.programs(before)
    wanted = [[word and word.replace("MARK", value) for word in shell.arguments(command)] for command in before.commands()]
    assert [list(shell.arguments(command)) for command in after.commands()] == wanted


@settings(max_examples=100)
@given(st.lists(st.text("abcdefgh0123456789", min_size=12, max_size=20), min_size=3, max_size=3, unique=True))
def test_a_masked_value_is_learnt_like_any_word(secrets: list[str]) -> None:
    """The placeholder changes no tree, so what is learnt from masked commands has the same steps."""
    texts = [f"curl -H 'X-Api-Key: {secret}' https://example.org/v1 | head -1" for secret in secrets]
    for text in texts:
        masked = Masker().text(text)
        assert masked != text
        plain, kept = shell.parse(text), shell.parse(masked)
        assert shell.programs(plain) == shell.programs(kept) and plain.operators == kept.operators
        assert [len(command.words) for command in plain.commands()] == [len(command.words) for command in kept.commands()]
