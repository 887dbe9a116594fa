"""What is learnt from examples, and what comes out of it again. (K28, T24)"""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kata import learning, shell, templating
from kata.model import (
    Array,
    Call,
    Class,
    Command,
    Concat,
    Effect,
    Event,
    Example,
    Hole,
    Input,
    InputField,
    Literal,
    Object,
    OpaqueCommand,
    Option,
    Outcome,
    Pick,
    Reference,
    Spec,
    Step,
    TemplateError,
    UnsafeValue,
    walk,
)

READ = Effect(Class.READ)


def example(number, *calls):
    events = [Event(Call(tool, args), Outcome.read(result), f"t{number}", f"c{i}", i) for i, (tool, args, result) in enumerate(calls)]
    return Example(f"conversation {number}", f"t{number}", tuple(events))


def term(command, output=""):
    return "terminal", {"command": command}, json.dumps({"output": output, "exit_code": 0, "error": None})


def spec_of(template, examples):
    return Spec(template.inputs, tuple(Step(call.tool, step, READ) for call, step in zip(examples[0].calls, template.steps, strict=True)))


def learnt(*examples):
    template = learning.infer(examples)
    spec = spec_of(template, examples)
    for one in examples:
        assert templating.match(spec, one.calls, one.results) is not None
    return template, spec


def commands(*texts):
    return learning.infer([example(i, term(text)) for i, text in enumerate(texts)]).steps[0].fields[0][1]


def test_a_value_that_never_changes_is_a_literal():
    """K46."""
    template, _ = learnt(*(example(i, ("search", {"path": "src", "limit": 20}, "{}")) for i in range(3)))
    assert template.steps[0] == Object((("path", Literal("src")), ("limit", Literal(20))))
    assert template.inputs == ()


def test_a_field_of_an_earlier_result_is_a_reference():
    """K47, also from an older step than the one before."""
    paths = ["a/b.py", "c/d.py", "e/f.py"]
    template, _ = learnt(
        *(
            example(
                i,
                ("find", {}, json.dumps({"matches": [{"path": path}], "n": 1})),
                ("look", {"at": "x"}, "{}"),
                ("read", {"path": path}, "{}"),
            )
            for i, path in enumerate(paths)
        )
    )
    assert template.steps[2] == Object((("path", Reference(0, ("matches", 0, "path"))),))


def test_a_field_without_an_index_is_preferred_to_one_with():
    template, _ = learnt(
        *(example(i, ("find", {}, json.dumps({"l": [v], "one": v})), ("read", {"id": v}, "{}")) for i, v in enumerate(["abc", "def"]))
    )
    assert template.steps[1] == Object((("id", Reference(0, ("one",))),))


def test_a_result_inside_a_longer_text_is_a_concatenation():
    """K48."""
    template, _ = learnt(
        *(
            example(i, ("find", {}, json.dumps({"path": p})), ("note", {"text": f"wc -l {p}"}, "{}"))
            for i, p in enumerate(["a/b.py", "c/d.py"])
        )
    )
    assert template.steps[1] == Object((("text", Concat((Literal("wc -l "), Reference(0, ("path",))))),))


def test_what_changes_is_an_input_with_the_fixed_text_around_it():
    """K49."""
    template, _ = learnt(
        *(example(i, ("search", {"pattern": f"TODO({w})"}, "{}"), ("x", {}, "{}")) for i, w in enumerate(["amber", "birch", "cobalt"]))
    )
    assert template.steps[0] == Object((("pattern", Concat((Literal("TODO("), Input("pattern"), Literal(")")))),))
    assert template.inputs[0].name == "pattern" and template.inputs[0].type == "string"


def test_signs_between_two_values_make_two_inputs_and_words_do_not():
    """K49: `items?name=‹…›` of a host that varies; a sentence is one text."""
    urls = [
        f"https://{host}.example.org/v1/items?name={name}" for host, name in (("api-1", "amber"), ("web-2", "birch"), ("db-3", "cobalt"))
    ]
    template, _ = learnt(*(example(i, term(f"curl -s {url}"), ("x", {}, "{}")) for i, url in enumerate(urls)))
    assert [type(part) for part in template.steps[0].fields[0][1].parts] == [str, Hole, str, Hole]
    texts = ["fix login bug", "add deploy page", "drop cache table"]
    template, _ = learnt(*(example(i, ("note", {"text": text}, "{}"), ("x", {}, "{}")) for i, text in enumerate(texts)))
    assert template.steps[0].fields[0][1] == Input("text")


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("tail -n {} logs/app.log", "lines"),
        ("git log --oneline -n {} main", "count"),
        ("git checkout -b {} origin/main", "branch"),
        ("curl -s -o {} https://a.example/x", "output"),
        ("sudo journalctl -u {} --since today", "unit"),
        ("tail -n 5 {}", "path"),
        ("ls -l {}", "path"),
        ("wget -q {}", "url"),
    ],
)
def test_an_input_behind_an_option_of_one_letter_is_called_by_that(command, name):
    """A11, T29: not by what the operand of the program is."""
    template, _ = learnt(*(example(i, term(command.format(value))) for i, value in enumerate(("12", "37", "1001"))))
    assert [one.name for one in template.inputs] == [name]


def test_the_same_unknown_in_two_places_is_one_input_named_from_the_flag():
    """A11."""
    template, _ = learnt(
        *(
            example(i, term(f"git checkout {b}"), term(f"./deploy.sh preview --branch {b}"))
            for i, b in enumerate(["feature/a", "fix/b", "chore/c"])
        )
    )
    assert [one.name for one in template.inputs] == ["branch"]
    assert template.steps[1].fields[0][1] == Command(("./deploy.sh preview --branch ", Hole(Input("branch"), "bare")))


def test_types_never_change():
    """B31."""
    rows = [
        {"limit": n, "case": False, "ids": [n], "note": None, "name": "null", "big": 12345678901234567890, "ratio": 1.0}
        for n in (20, 30, 40)
    ]
    template, _ = learnt(*(example(i, ("s", row, "{}"), ("t", {"limit": str(row["limit"])}, "{}")) for i, row in enumerate(rows)))
    fields = dict(template.steps[0].fields)
    assert fields["ids"] == Array((Input("limit"),)) and fields["note"] == Literal(None) and fields["ratio"] == Literal(1.0)
    made = templating.render(template.steps[0], {"limit": 7, "limit_2": "7"}, ())
    assert (
        json.dumps(made)
        == '{"limit": 7, "case": false, "ids": [7], "note": null, "name": "null", "big": 12345678901234567890, "ratio": 1.0}'
    )


def test_a_number_does_not_match_its_text():
    """B31: a reference to 312 does not explain "312" as a whole value."""
    template, _ = learnt(*(example(i, ("f", {}, json.dumps({"n": n})), ("g", {"n": str(n)}, "{}")) for i, n in enumerate([312, 417])))
    assert template.steps[1] != Object((("n", Reference(0, ("n",))),))


def test_small_numbers_and_booleans_tie_nothing():
    """A9."""
    template, _ = learnt(
        *(
            example(i, ("f", {}, json.dumps({"n": n, "b": b})), ("g", {"k": n, "o": b}, "{}"))
            for i, (n, b) in enumerate([(1, True), (2, False)])
        )
    )
    assert all(isinstance(value, Input) for _, value in template.steps[1].fields)


@pytest.mark.parametrize(
    "text",
    ["docker ps --format '{{.Names}}'", "echo '${{ secrets.X }}'", "jq '{a: .b}' f", "awk '{print $1}' f", "echo {{param}}"],
)
def test_braces_are_text(text):
    """B29: byte for byte, no parameter."""
    template, _ = learnt(*(example(i, term(text), ("w", {"content": "{{steps.1.result}}"}, "{}")) for i in range(3)))
    assert template.inputs == ()
    assert templating.render(template.steps[0], {}, ()) == {"command": text}
    assert templating.render(template.steps[1], {}, ()) == {"content": "{{steps.1.result}}"}


def test_an_opaque_command_may_be_a_literal_and_never_a_template():
    assert commands("rm !(a)", "rm !(a)") == Literal("rm !(a)")
    with pytest.raises(OpaqueCommand):
        commands("rm !(a); wc a", "rm !(a); wc b")


def test_a_value_inside_a_loop_is_an_input_and_what_the_loop_goes_over_is_fixed():
    """The list, the variable and the patterns of a loop or a branch never change."""
    for text in ("for f in *; do wc {} $f; done", "(cd src && grep {} x)", "if grep -q {} x; then ls; fi", "case $1 in a) ls {};; esac"):
        rendered = templating.render(commands(text.format("a1"), text.format("b2")), {"value": "c d", "pattern": "c d", "path": "c d"}, ())
        assert rendered == text.format("'c d'")
    for text in ("for f in {}; do ls; done", "case {} in a) ls;; esac", "[[ -f {} ]] && ls", "echo ${{x:-{}}}", "echo {{a,{}}}"):
        with pytest.raises((TemplateError, UnsafeValue)):
            commands(text.format("a1"), text.format("b2"))


def test_a_whole_command_is_never_taken_from_a_result():
    with pytest.raises(TemplateError):
        learnt(*(example(i, ("f", {}, json.dumps({"c": c})), term(c)) for i, c in enumerate(["touch a", "rm b"])))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("make a", "ninja a"),
        ("bash -c 'echo a'", "bash -c 'echo b'"),
        ("python -c 'print(1)'", "python -c 'print(2)'"),
        ("python a.py", "python b.py"),
        ("awk '{print $1}' f", "awk '{print $2}' f"),
        ("sed -n 1p f", "sed -n 2p f"),
        ("sed -e s/a/b/ -f a f", "sed -e s/a/b/ -f b f"),
        ("ssh host ls", "ssh host pwd"),
        ("find . -exec ls", "find . -exec rm"),
        ("xargs ls", "xargs rm"),
        ("env ls", "env rm"),
        ("sudo ls", "sudo rm"),
        ("npx a", "npx b"),
        ("X=a ls", "X=b ls"),
        ("make CC=a", "make CC=b"),
        ("cat <<'E'\na\nE", "cat <<'E'\nb\nE"),
        ("a; b", "a && b"),
        ("echo $a", "echo $b"),
    ],
)
def test_programs_code_and_operators_are_never_holes(one, other):
    with pytest.raises(TemplateError):
        commands(one, other)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("foo", 'grep -n "foo" src/app.py'),
        ("a b", 'grep -n "a b" src/app.py'),
        ("it's", 'grep -n "it\'s" src/app.py'),
        ('"; touch pwned; "', 'grep -n "\\"; touch pwned; \\"" src/app.py'),
        ("$(touch pwned)", 'grep -n "\\$(touch pwned)" src/app.py'),
        ("`touch pwned`", 'grep -n "\\`touch pwned\\`" src/app.py'),
    ],
)
def test_a_hostile_value_arrives_as_one_argument(value, expected):
    """B06."""
    template = commands('grep -n "one" src/app.py', 'grep -n "two" src/app.py')
    name = template.parts[1].value.name
    assert templating.render(template, {name: value}, ()) == expected


@pytest.mark.parametrize("value", ["x\ntouch pwned", "-r", "", "a\0b", "\udcff", "a\x1b[0m", "\u2028"])
def test_a_value_that_cannot_be_placed_is_refused(value):
    """B06: a leading dash in an operand place, control characters, nothing at all."""
    for template in (commands('grep -n "one" f', 'grep -n "two" f'), commands("cat one", "cat two")):
        with pytest.raises(UnsafeValue):
            templating.render(template, {template.parts[1].value.name: value}, ())


def test_a_masked_secret_is_never_part_of_a_template():
    """A17, T43: it is an input without a value; where no value may stand, there is no template."""
    same = commands("login KATASECRET_token_1 a", "login KATASECRET_token_1 b")
    other = commands("login KATASECRET_token_1", "login KATASECRET_token_2")
    assert Hole(Input("token"), "bare") in same.parts and Hole(Input("token"), "bare") in other.parts
    assert "KATASECRET" not in str((same, other))
    with pytest.raises(TemplateError):
        commands("sh -c 'login KATASECRET_token_1'", "sh -c 'login KATASECRET_token_1'")
    with pytest.raises(TemplateError, match="as many secrets"):
        commands("login KATASECRET_token_1", "login KATASECRET_token_1KATASECRET_token_2")


def test_a_missing_field_is_named():
    """B31: never `None` in a command."""
    with pytest.raises(TemplateError, match=r"Expected files\.0 in the result of step 1; files\.0 is missing"):
        templating.render(Reference(0, ("files", 0)), {}, [{"files": []}])
    with pytest.raises(TemplateError, match="text or a whole number"):
        templating.render(Concat((Literal("a "), Reference(0, ("x",)))), {}, [{"x": None}])


def test_an_example_of_another_routine_does_not_match():
    _, spec = learnt(*(example(i, term(f"git checkout {b}"), term("npm ci")) for i, b in enumerate(["aaa", "bbb", "ccc"])))
    other = example(9, term("git checkout ddd"), term("npm install"))
    assert templating.match(spec, other.calls, other.results) is None
    assert templating.match(spec, other.calls[:1], other.results[:1]) is None


# ── Laws ─────────────────────────────────────────────────────────────────────────────────────────

VALUE = st.text(st.characters(codec="utf-8"), max_size=20) | st.sampled_from(
    ["a b", "it's", "$(x)", "`x`", "a;b", "*", "~", "-r", "a=b", "#", "\\", '"', "{a,b}", "&&"]
)
FIXED = st.sampled_from(
    ["ls ", "git log ", "grep -n ", "echo 'a b' ", 'cp "x y" ', "cat f | wc ", "a && b ", "x --opt=", "tool 2>/dev/null ", "curl -s "]
)
PLACES = st.sampled_from(["bare", "single", "double"])


@st.composite
def command_templates(draw):
    """A command with one to three holes in the given quoting, as inference would make it."""
    parts = [draw(FIXED)]
    for index in range(draw(st.integers(1, 3))):
        place = draw(PLACES)
        quote = {"bare": "", "single": "'", "double": '"'}[place]
        parts += [parts.pop() + quote, Hole(Input(f"v{index}"), place), quote + draw(st.sampled_from([" ", ".txt ", "/x "]))]
    return Command(tuple(part for part in parts if part))


@given(command_templates(), st.lists(VALUE, min_size=3, max_size=3))
def test_rendering_keeps_the_tree(template, values):
    """The rendered command has the template's tree, with each value as one piece of an argument."""
    plain = "".join(part if isinstance(part, str) else "MARK" for part in template.parts)
    try:
        text = templating.render(template, {f"v{i}": value for i, value in enumerate(values)}, ())
    except (UnsafeValue, OpaqueCommand):
        return
    fill = iter(values)
    before = [word for command in shell.parse(plain).commands() for word in shell.arguments(command)]
    after = [word for command in shell.parse(text).commands() for word in shell.arguments(command)]
    assert after == [word.replace("MARK", next(fill)) if "MARK" in word else word for word in before]
    assert shell.programs(shell.parse(text)) == shell.programs(shell.parse(plain))


@given(st.lists(VALUE, min_size=2, max_size=2), st.sampled_from(["README.md", "src/a b.py", "x"]), st.integers(0, 10**6))
def test_rendering_and_matching_are_inverse(values, path, number):
    """Inputs, to calls, to the same inputs."""
    spec = Spec(
        (InputField("one", "string"), InputField("two", "string"), InputField("n", "integer")),
        (
            Step("find", Object((("q", Concat((Literal("TODO("), Input("one"), Literal(")")))), ("n", Input("n")))), READ),
            Step(
                "terminal",
                Object((("command", Command(("wc ", Hole(Reference(0, ("path",)), "bare"), " '", Hole(Input("two"), "single"), "'"))),)),
                READ,
            ),
            Step(
                "write",
                Object((("to", Array((Input("one"), Literal(None)))), ("text", Concat((Input("one"), Literal(" "), Input("two")))))),
                READ,
            ),
        ),
    )
    given = {"one": values[0], "two": values[1], "n": number}
    results = [{"path": path}, {}, {}]
    try:
        calls = [Call(step.tool, templating.render(step.arguments, given, results[:index])) for index, step in enumerate(spec.steps)]
    except (UnsafeValue, OpaqueCommand):
        return
    assert templating.match(spec, calls, results) == given


@given(st.lists(st.text("ab-/. x'\"$", min_size=1, max_size=8), min_size=3, max_size=4, unique=True))
def test_what_is_learnt_reproduces_every_example(values):
    examples = [
        example(i, ("f", {"q": f"see {v}!"}, json.dumps({"r": v})), ("g", {"k": v, "l": [f"{v} end", 1]}, "{}"))
        for i, v in enumerate(values)
    ]
    learnt(*examples)


# ── Options that come and go ─────────────────────────────────────────────────────────────────────


def test_an_option_that_is_there_or_not_is_a_yes_or_no_with_the_usual_default():
    """Variants that differ by an optional flag are one family with a choice."""
    examples = [example(i, term(text)) for i, text in enumerate(["ls -la a", "ls -la -h bb", "ls -la c", "ls -la -h dd", "ls -la ee"])]
    template, spec = learnt(*examples)
    assert template.steps[0].fields == (
        ("command", Command(("ls -la", Option(Input("option_h"), " -h"), " ", Hole(Input("path"), "bare")))),
    )
    assert [(one.name, one.type, one.default) for one in template.inputs] == [("option_h", "boolean", False), ("path", "string", None)]
    assert template.inputs[0].description == "Adds -h to step 1."
    command = spec.steps[0].arguments
    assert templating.render(command, {"option_h": True, "path": "x"}, ()) == {"command": "ls -la -h x"}
    assert templating.render(command, {"option_h": False, "path": "x"}, ()) == {"command": "ls -la x"}


def test_options_keep_the_order_in_which_they_were_seen():
    made = commands(
        "git log --oneline x", "git log -3 --no-decorate --oneline yy", "git log --no-decorate --oneline z", "git log -3 --oneline w"
    )
    texts = [templating.render(made, {"option_3": a, "no_decorate": b, "oneline": "q"}, ()) for a in (False, True) for b in (False, True)]
    assert texts == [
        "git log --oneline q",
        "git log --no-decorate --oneline q",
        "git log -3 --oneline q",
        "git log -3 --no-decorate --oneline q",
    ]


@pytest.mark.parametrize(
    "texts",
    [
        ("ls -h a", "ls a -h", "ls b"),  # in two places
        ("ls --sort=a x", "ls --sort=b y", "ls z"),  # with two values
        ("tail -n 5 a", "tail b", "tail -n 6 c"),  # its value is a word of its own
        ("ls -a -b -c -d -e x", "ls y", "ls z"),  # more settings than are judged
        ("ls  -h a", "ls b", "ls c"),  # two blanks are not reproduced
        ("ls -a -b x", "ls -b -a y", "ls z"),  # in two orders
    ],
)
def test_an_option_that_cannot_be_said_with_yes_or_no_makes_no_template(texts):
    with pytest.raises(TemplateError):
        commands(*texts)


def test_an_option_with_a_value_in_every_example_is_no_choice():
    assert commands("run --max=3 a", "run --max=4 b").parts == ("run --max=", Hole(Input("max"), "bare"), " ", Hole(Input("value"), "bare"))


def test_what_follows_two_dashes_is_no_option():
    with pytest.raises(TemplateError):
        commands("grep -- -x a", "grep -- a", "grep -- b")


def test_a_yes_or_no_must_be_true_or_false():
    """B31: "true" is not true."""
    made = commands("ls -h a", "ls bb", "ls c")
    with pytest.raises(TemplateError, match="true or false for the input 'option_h', got \"true\""):
        templating.render(made, {"option_h": "true", "path": "x"}, ())


def test_options_of_two_steps_are_one_input_only_with_the_same_text():
    rows = [("ls -h a", "df -h"), ("ls b", "df"), ("ls -h c", "df -h"), ("ls d", "df")]
    template, _ = learnt(*(example(i, *map(term, row)) for i, row in enumerate(rows)))
    assert [one.name for one in template.inputs] == ["option_h", "path"]
    rows = [("ls -h a", "df -i"), ("ls b", "df"), ("ls -h c", "df -i"), ("ls d", "df")]
    template, _ = learnt(*(example(i, *map(term, row)) for i, row in enumerate(rows)))
    assert [one.name for one in template.inputs] == ["option_h", "path", "option_i"]


FLAGS = st.lists(st.sampled_from(["-a", "-b", "--long", "--sort=size"]), unique=True, max_size=3)


@given(st.lists(FLAGS, min_size=2, max_size=6), st.lists(st.from_regex(r"[a-z]{1,6}", fullmatch=True), min_size=6, max_size=6))
def test_every_setting_of_the_options_is_rendered_and_recovered(rows, words):
    """Law: rendering and matching are inverse, with options too."""
    order = ["-a", "-b", "--long", "--sort=size"]
    texts = [" ".join(["ls", *sorted(row, key=order.index), word]) for row, word in zip(rows, words, strict=False)]
    examples = [example(i, term(text)) for i, text in enumerate(texts)]
    template, spec = learnt(*examples)
    fixed = {one.name: "value" for one in template.inputs if one.type == "string"}
    for setting in templating.settings(template.steps[0]):
        inputs = fixed | dict(setting)
        again = example(9, ("terminal", templating.render(template.steps[0], inputs, ()), "{}"))
        assert templating.match(spec, again.calls, again.results) == inputs


# ── Pieces of values ─────────────────────────────────────────────────────────────────────────────


def test_what_many_values_have_in_common_is_fixed_text_around_the_input():
    """K48, K49: from five distinct values on, up to a sign."""
    dates = ["2026-01-02", "2025-11-12", "2024-03-04", "2023-05-06", "2022-07-28"]
    parts = commands(*(f"gzip backups/{date}.sql" for date in dates)).parts
    assert parts == ("gzip backups/", Hole(Input("path"), "bare"), ".sql") or parts[0] == "gzip backups/"
    few = commands(*(f"gzip backups/{date}.sql" for date in dates[:4])).parts
    assert few == ("gzip ", Hole(Input("path"), "bare"))


def test_letters_that_words_have_in_common_stay_in_the_value():
    words = ["reading", "ready", "red", "rest", "return"]
    assert commands(*(f"echo {word}" for word in words)).parts == ("echo ", Hole(Input("value"), "bare"))


def test_the_caller_is_told_what_an_input_is_a_piece_of():
    template = learning.infer(
        [example(i, ("read", {"path": f"logs/{w}.log"}, "{}")) for i, w in enumerate("amber birch cobalt delta ember".split())]
    )
    assert template.inputs[0].description == "The varying part of logs/….log. Used in step 1."


def test_a_value_around_another_input_is_made_of_it():
    """`host:443` before `host` is one input (A11)."""
    hosts = ["api-1.example.org", "web-22.example.net", "db.example.com"]
    template, _ = learnt(*(example(i, term(f"openssl s_client -connect {h}:443"), term(f"ping {h}")) for i, h in enumerate(hosts)))
    assert [one.name for one in template.inputs] == ["host"]
    assert template.steps[0].fields[0][1].parts[1] == Hole(Concat((Input("host"), Literal(":443"))), "bare")


# ── Choices and defaults ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("values", "choices", "default"),
    [
        (["dev", "prod", "dev", "prod"], ("dev", "prod"), None),
        (["dev", "prod", "dev", "prod", "dev"], ("dev", "prod"), "dev"),
        (["dev", "prod", "dev"], (), None),  # one of them was seen once
        (["a1", "b2", "c3"], (), None),
        ([10, 20, 10, 20, 20], (10, 20), 20),
        ([str(n % 9) for n in range(18)], (), None),  # nine are no choice
    ],
)
def test_few_values_that_come_back_are_a_choice_and_the_usual_one_is_the_default(values, choices, default):
    """T29, T30."""
    template = learning.infer([example(i, ("deploy", {"stage": value}, "{}")) for i, value in enumerate(values)])
    assert [(one.choices, one.default) for one in template.inputs] == [(choices, default)]


def test_a_value_that_would_be_taken_for_its_whole_does_not_match():
    """Law: rendering and matching are inverse, also where the caller may give a piece with its surroundings."""
    examples = [example(i, ("read", {"path": f"backups/{v}.sql"}, "{}")) for i, v in enumerate(["aa", "bb", "cc", "dd", "ee"])]
    _, spec = learnt(*examples)
    odd = example(9, ("read", {"path": "backups/backups/e.sql.sql"}, "{}"))
    assert spec.inputs[0].within == ("backups/", ".sql") and templating.match(spec, odd.calls, odd.results) is None


# ── Values that flow through text ────────────────────────────────────────────────────────────────

WORDS = ("amber", "birch", "cobalt", "delta")


def made(template, step):
    return dict(template.steps[step].fields)["command"]


@pytest.mark.parametrize(
    ("output", "command", "shown"),
    [
        ("On branch {b}\nnothing to commit", "git log {b}", 'line that starts with "On branch" → after "On branch"'),
        (
            "Successfully built {h}\n",
            "docker tag {h} web",
            'line that starts with "Successfully built" → a hash after "Successfully built"',
        ),
        ("NAME READY STATUS\n{b}-7f 0/1 CrashLoopBackOff\n", "kubectl logs {b}-7f", 'first row under "NAME READY STATUS" → column "NAME"'),
        ("{b}.log\nold.log\n", "tail logs/{b}.log", "first line → all of it"),
        ("\nFAILED src/a.py::test_{b}\n", "pytest src/a.py::test_{b} -vv", 'line that starts with "FAILED" → after "FAILED"'),
    ],
)
def test_a_piece_of_an_earlier_text_is_found_again(output, command, shown):
    """K118 and beyond (T26): the program reads as one line, and gives another conversation's value."""
    values = [{"b": f"{word}-{n}", "h": f"{n}a1b2c3d4e5f"} for n, word in enumerate(WORDS)]
    examples = [example(i, term("look now", output.format(**v)), term(command.format(**v))) for i, v in enumerate(values)]
    template, spec = learnt(*examples[:3])
    assert template.inputs == ()
    hole = next(part for part in made(template, 1).parts if isinstance(part, Hole))
    assert templating.dotted(hole.value.path) == f"output · {shown}"
    assert templating.match(spec, examples[3].calls, examples[3].results) == {}


def test_a_text_that_changed_shape_stops_the_run():
    examples = [example(i, term("look now", f"On branch {w}\n"), term(f"git log {w}")) for i, w in enumerate(WORDS)]
    template, _ = learnt(*examples)
    with pytest.raises(TemplateError, match="is missing or not clear"):
        templating.render(template.steps[1], {}, [{"output": "HEAD detached at 12ab", "exit_code": 0, "error": None}])
    with pytest.raises(TemplateError, match="is missing or not clear"):
        templating.render(template.steps[1], {}, [{"output": "On branch a1\nOn branch b2", "exit_code": 0, "error": None}])


def test_a_coincidence_is_no_flow():
    """Short, common or constant values are not taken out of a text (A9)."""
    examples = [example(i, term("look now", f"{n} files, up\n"), term(f"head -n {n} x")) for i, n in enumerate((1, 2, 3))]
    template, _ = learnt(*examples)
    assert [one.type for one in template.inputs] == ["string"]


@pytest.mark.parametrize("text", ["On branch {w}\n[… 12 characters cut by Kata …]\nmore", "<persisted-output>\nOn branch {w}\n"])
def test_nothing_is_learnt_from_what_is_left_of_a_text(text):
    """B37: a cut result or a preview is never taken for the text."""
    examples = [example(i, term("look now", text.format(w=w)), term(f"git log {w}")) for i, w in enumerate(WORDS)]
    template, _ = learnt(*examples)
    assert len(template.inputs) == 1


def test_a_program_never_knows_a_masked_secret():
    """A17: what stands in the place of a secret is no landmark."""
    text = "token KATASECRET_token_1 {w}\n"
    examples = [example(i, term("look now", text.format(w=w)), term(f"git log {w}")) for i, w in enumerate(WORDS)]
    template, _ = learnt(*examples)
    assert "KATASECRET" not in repr(template.steps[1])


def test_a_stored_program_that_is_none_is_refused():
    spec = Reference(0, ("output", Pick("text", '{"where": 1}')))
    with pytest.raises(TemplateError):
        templating.render(spec, {}, [{"output": "x"}])


def test_an_input_between_fixed_texts_comes_before_a_piece_of_a_text():
    """A11: `notes/amber.md` is made of what the caller gives, also where an earlier answer shows it inside a path of that moment."""
    rows = [
        (("write", {"path": f"notes/{w}.md"}, json.dumps({"resolved": f"/tmp/x1/{w[0]}/notes/{w}.md"})), term(f"cat notes/{w}.md"))
        for w in WORDS
    ]
    template, _ = learnt(*(example(i, *row) for i, row in enumerate(rows)))
    assert [one.name for one in template.inputs] == ["path"]
    assert not any(isinstance(part, Reference) for part in walk(template.steps[1]))
