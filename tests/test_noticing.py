"""What makes a kata in use stale or suspends it, and what waits for a person then. (T63)"""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace

import pytest
from strategies import BRANCHES, SCHEMA, Bench, Did, answers, at_work, bench, five, in_lib, routine, sh, tool

from kata import miner
from kata.commands import run
from kata.model import Call, Example, Kata, Outcome, Refused, SchemaSeen, State, Status, StepCall
from kata.noticing import SPELLING, reproduces


@pytest.fixture
def desk() -> Iterator[Bench]:
    """A service in memory."""
    with closing(bench()) as one:
        yield one


OTHER = "f" * 16


def stale(one: Bench) -> Kata:
    """An active kata whose routine was done in another way in three conversations."""
    one.approved()
    for number in range(3):
        at_work(one, f"n{number}", in_lib(number))
    return one.service.find("1")


# ── Versions, names, rejections ──────────────────────────────────────────────────────────────────


def test_a_rejection_holds_when_calls_are_spelled_otherwise(desk: Bench) -> None:
    """A29: fingerprints are made anew from the examples when the parser changes."""
    before = desk.learn().fingerprint
    desk.service.reject("1", "cli")
    assert desk.service.respell(number=SPELLING) == 0, "as long as nothing changed"
    changed = desk.service.respell(lambda one: tuple(f"v2 {key}" for key in miner.spelled(one)), SPELLING + 1)
    kata = desk.store.kata(1)
    assert changed == 1 and kata is not None and kata.state is State.REJECTED and kata.fingerprint != before
    assert desk.store.decided(kata.fingerprint) and not desk.store.decided(before)
    assert desk.store.noted("spelling") == str(SPELLING + 1) and desk.store.dirty(), "every turn is counted anew"
    assert desk.service.respell(number=SPELLING) == 0, "an older plugin does not turn it back"


def looping(number: int) -> tuple[Did, ...]:
    """A routine with a loop, which the parser called opaque when keys were first spelled."""
    branch = BRANCHES[number]
    return sh(f"git checkout {branch}"), sh("for f in docs/*.md; do wc -l $f; done", "3 docs/a.md"), sh(f"git push -u origin {branch}")


def spelled_at_first(example: Example) -> tuple[str, ...]:
    """The keys of `looping` as they were with spelling 1."""
    first, loop, last = example.calls
    code = str(loop.arguments["command"])
    return miner.key(first), f"terminal(command): ={hashlib.sha256(code.encode()).hexdigest()[:16]}", miner.key(last)


def test_what_was_rejected_when_loops_were_opaque_stays_rejected(desk: Bench) -> None:
    """The parser reads more now, and the file is brought to its spelling before anything is mined."""
    today = desk.learn(make=looping).fingerprint
    desk.service.reject("1", "cli")
    desk.store.respell(spelled_at_first, lambda keys: (miner.fingerprint(keys), miner.window_id(keys)))
    desk.store.note("spelling", "1")
    before = desk.store.kata(1)
    assert before is not None and before.fingerprint != today
    assert desk.service.respell() == 1
    desk.turn("c8", *looping(4))
    assert desk.service.mine().proposed == ()
    kata = desk.store.kata(1)
    assert kata is not None and (kata.state, kata.fingerprint) == (State.REJECTED, today) and desk.store.kata(2) is None


def test_another_spelling_of_calls_has_another_number() -> None:
    """A29: whoever changes how calls are spelled raises SPELLING, else what was rejected comes back."""
    calls = [
        Call("terminal", {"command": "cd a && git log --oneline -n 3 | head -2 > out.txt"}),
        Call("terminal", {"command": "for f in *; do echo $f; done"}),
        Call("read_file", {"path": "x", "limit": 3}),
        Call("mcp_notes_add", {"title": "a", "tags": ["b"]}),
    ]
    told = hashlib.sha256("\n".join(map(miner.key, calls)).encode()).hexdigest()[:12]
    assert (SPELLING, told) == (2, "a6b102c602c3")


# ── Stale and suspended ──────────────────────────────────────────────────────────────────────────


def test_two_conversations_in_a_row_done_in_another_way_make_it_stale(desk: Bench) -> None:
    """A27, K85: one is a note; a fitting one in between begins anew; what came before the approval does not count."""
    kata = desk.approved()
    desk.turn("c9", *in_lib(3))
    desk.service.mine()
    at_work(desk, "n0", in_lib(0))
    assert "once more, and the kata is stale" in desk.service.noticed(desk.service.find("1"))
    at_work(desk, "n1", routine(1))
    assert desk.service.noticed(desk.service.find("1")) == ""
    at_work(desk, "n2", in_lib(2))
    assert desk.service.find("1").state is State.ACTIVE
    at_work(desk, "n3", in_lib(3))
    found = desk.service.find("1")
    assert found.state is State.STALE and desk.service.active() == () and found.id == kata.id
    assert desk.store.why(1) == "in 2 conversations in a row it was done by hand in another way"


def test_a_stale_kata_waits_with_a_revision_that_a_person_approves(desk: Bench) -> None:
    """K85, T64: prepared from the manual runs, never in use by itself, and the older version stays the standing one."""
    kata = stale(desk)
    assert kata.state is State.STALE and kata.version.number > 1 and kata.version.approved is None
    standing = desk.service.standing(kata)
    assert standing is not None and standing.number == 1
    assert all(reproduces(kata.version.spec, one) for one in kata.version.exhibits)
    ways = r"Nobody approved version .* of kata 1 yet: 'review 1', then 'approve 1'; or 'rollback todo_notes 1'"
    with pytest.raises(Refused, match=ways):
        desk.service.enable("1", "cli")
    desk.service.review("1", "cli")
    after = desk.service.approve("1", "", "cli")
    assert (after.state, after.tool, after.version.spec) == (State.ACTIVE, "kata_todo_notes", kata.version.spec)
    assert desk.service.standing(after) is None


def test_a_revision_from_two_conversations_can_be_approved_and_says_that_none_was_held_out(desk: Bench) -> None:
    """A27 and K58: two in a row are what makes it stale, so two are enough to show how it is done now; a third is not asked for."""
    desk.approved()
    for number in range(2):
        at_work(desk, f"n{number}", in_lib(number))
    kata = desk.service.find("1")
    assert kata.state is State.STALE and {one.conversation for one in kata.version.exhibits} == {"n0", "n1"}
    held = next(check for check in kata.version.checks if check.name == "holdout_fit")
    assert held.passed and held.reason.endswith("none could be held out: look closely")
    page = " ".join(run(desk.service, ["review", "1"], "cli").text.split())
    assert "12 of 12 checks passed; how it is done now was seen in 2 conversations, so none could be held out: look closely" in page
    assert desk.service.approve("1", "", "cli").version.spec == kata.version.spec


def test_a_tool_that_changed_makes_it_stale_and_one_that_is_missing_here_does_not(desk: Bench) -> None:
    """A18, K85: by what an agent process saw last."""
    desk.approved()
    desk.schemas["read_file"] = None
    desk.service.tend()
    assert desk.service.drifted(desk.service.find("1"), {"read_file": None}) == "" and desk.service.active() != ()
    at_work(desk, "x", [tool("read_file", path="a"), tool("web_search", query="b")], {"read_file": OTHER})
    assert desk.service.find("1").state is State.STALE and "the schema of read_file has changed" in desk.store.why(1)
    assert desk.service.active() == ()


def test_a_revision_for_a_changed_tool_is_the_same_calls_where_they_suit_it(desk: Bench) -> None:
    """K85, A18: a newly required argument that every recorded call gave."""
    old = {"type": "object", "properties": {"path": {"type": "string"}}}
    desk.service.record([SchemaSeen(SCHEMA, "read_file", old), SchemaSeen(OTHER, "read_file", {**old, "required": ["path"]})])
    desk.approved()
    desk.schemas["read_file"] = OTHER
    at_work(desk, "x", [tool("read_file", path="a"), tool("web_search", query="b")], {"read_file": OTHER})
    kata = desk.service.find("1")
    assert kata.state is State.STALE and kata.version.number == 2 and all(check.passed for check in kata.version.checks)
    desk.service.review("1", "cli")
    assert desk.service.approve("1", "", "cli").state is State.ACTIVE
    desk.service.tend()
    assert desk.service.active() != (), "its tools are those of today"


def test_a_changed_tool_that_the_calls_do_not_suit_has_no_revision(desk: Bench) -> None:
    old = {"type": "object", "properties": {"path": {"type": "string"}}}
    new = {"type": "object", "properties": {"file": {"type": "string"}}, "required": ["file"]}
    desk.service.record([SchemaSeen(SCHEMA, "read_file", old), SchemaSeen(OTHER, "read_file", new)])
    desk.approved()
    assert "the schema of read_file has changed" in desk.service.drifted(desk.service.find("1"), {"read_file": OTHER})
    desk.service.tend()
    kata = desk.service.find("1")
    assert kata.state is State.STALE and kata.version.number == 1
    assert desk.service.enable("1", "cli").state is State.ACTIVE, "when the tool is as before again"


def fails(one: Bench, run: str, status: Status = Status.ERROR) -> None:
    one.service.start(one.service.find("1"), {"branch": "b"}, run, "s", lambda asked: Outcome(status, {"error": "no"}, "no"))


def test_three_failed_runs_in_a_row_suspend_it_and_enable_brings_it_back(desk: Bench) -> None:
    """A28, K86: a refusal neither counts nor ends the row, a success ends it, and after enable it counts anew."""
    desk.approved()
    good = [one.result for one in five("b", "src/x.py")]
    for n, status in enumerate((Status.ERROR, Status.TIMEOUT, Status.REFUSED)):
        fails(desk, f"a{n}", status)
    desk.service.start(desk.service.find("1"), {"branch": "b"}, "ok", "s", answers(*good))
    for n in range(2):
        fails(desk, f"b{n}")
    fails(desk, "b2", Status.REFUSED)
    assert desk.service.find("1").state is State.ACTIVE
    fails(desk, "b3")
    kata = desk.service.find("1")
    assert kata.state is State.SUSPENDED and desk.service.active() == ()
    assert desk.store.why(1) == "3 runs in a row failed; 'runs todo_notes' shows them"
    assert desk.store.audit(1)[0].actor == "system"
    desk.service.enable("1", "cli")
    for n in range(2):
        fails(desk, f"c{n}")
    assert desk.service.find("1").state is State.ACTIVE


# ── The world around it ──────────────────────────────────────────────────────────────────────────


def world(one: Bench, which: Callable[[str], str] = lambda name: "", there: Callable[[str], bool] = lambda path: True) -> None:
    """Let a look at PATH and at the disk find this."""
    one.service.door = replace(one.service.door, which=which, there=there)


def test_a_program_that_was_there_and_is_nowhere_is_noticed_before_anything_runs(desk: Bench) -> None:
    """T63: by a look alone; one that was never found here may be known to the shell, and is none."""
    kata = desk.approved()
    world(desk, lambda name: "", lambda path: False)
    assert desk.service.gone(kata, "") == "", "nobody ever found git here"
    world(desk, lambda name: f"/usr/bin/{name}")
    assert desk.service.gone(kata, "") == ""
    world(desk, lambda name: "" if name == "wc" else f"/opt/bin/{name}", lambda path: path != "/usr/bin/wc")
    assert desk.service.absent(kata, "") == ["step 4: the program wc is gone"] and desk.service.find("1").state is State.ACTIVE
    assert desk.service.gone(kata, "") == "step 4: the program wc is gone"
    assert desk.service.find("1").state is State.STALE and "wc is gone" in desk.store.why(1)
    world(desk, lambda name: f"/opt/bin/{name}", lambda path: path.startswith("/opt"))
    assert desk.service.enable("1", "cli").state is State.ACTIVE and desk.service.gone(desk.service.find("1"), "") == ""


def test_before_a_run_goes_on_only_what_is_left_is_looked_for(desk: Bench) -> None:
    """T63: what only steps need that are done is not missed; what one of the others needs too is, by its number."""
    kata = desk.approved()
    world(desk, lambda name: f"/usr/bin/{name}")
    desk.service.gone(kata, "")
    world(desk, lambda name: "", lambda path: False)
    assert desk.service.absent(kata, "") == ["step 1: the program git is gone", "step 4: the program wc is gone"]
    assert desk.service.absent(kata, "", 1) == ["step 4: the program wc is gone"] and desk.service.gone(kata, "", 4) == ""
    assert desk.service.find("1").state is State.ACTIVE
    assert desk.service.gone(kata, "", 3) == "step 4: the program wc is gone" and desk.service.find("1").state is State.STALE


def test_a_program_that_is_elsewhere_on_the_path_now_is_not_missed(desk: Bench) -> None:
    kata = desk.approved()
    world(desk, lambda name: f"/usr/bin/{name}")
    desk.service.gone(kata, "")
    world(desk, lambda name: f"/opt/bin/{name}", lambda path: False)
    assert desk.service.gone(kata, "") == ""
    world(desk, lambda name: "", lambda path: True)
    assert desk.service.gone(kata, "") == "", "where PATH is another, the file itself tells"


def reads(number: int) -> tuple[Did, ...]:
    """Looks up in one fixed file what the rest is about."""
    return tool("read_file", {"branch": BRANCHES[number]}, path="/srv/rules.md"), *routine(number)[:2]


def test_a_place_that_every_example_looked_at_and_is_gone_is_noticed_and_repaired_from_two_times_by_hand(desk: Bench) -> None:
    """T63, T64: the repaired version is learnt from how it is done now alone, shown as a difference, and never put into use by itself."""
    desk.learn(make=reads)
    desk.service.review("1", "cli")
    kata = desk.service.approve("1", "look_at", "cli")
    world(desk, there=lambda path: path != "/srv/rules.md")
    assert desk.service.gone(kata, "/anywhere") == "step 1: /srv/rules.md is not there any more, and was in every example"
    assert desk.service.find("1").state is State.STALE and desk.service.active() == ()
    for number in (3, 4):
        first, *rest = reads(number)
        at_work(desk, f"n{number}", (replace(first, arguments={"path": "/etc/rules.md"}), *rest))
    found = desk.service.find("1")
    assert (found.state, found.version.number) == (State.STALE, 2) and found.version.approved is None
    text = run(desk.service, ["diff", "1"], "cli").text
    assert "/srv/rules.md" in text and "/etc/rules.md" in text and desk.service.active() == ()
    assert desk.service.approve("1", "", "cli", found.version.spec.digest[:12]).state is State.ACTIVE


def test_a_place_that_only_another_folder_lacks_is_no_drift(desk: Bench) -> None:
    desk.learn(make=lambda n: (replace(reads(n)[0], arguments={"path": "notes/rules.md"}), *reads(n)[1:]))
    world(desk, there=lambda path: False)
    kata = desk.service.find("1")
    events = tuple(replace(event, folder="/work") for event in kata.version.exhibits[0].events)
    exhibits = (replace(kata.version.exhibits[0], events=events), *kata.version.exhibits[1:])
    kata = replace(kata, version=replace(kata.version, exhibits=exhibits))
    assert desk.service.absent(kata, "/elsewhere") == []
    assert desk.service.absent(kata, "/work") == ["step 1: notes/rules.md is not there any more, and was in every example"]


def test_a_shell_that_does_not_find_a_program_makes_it_stale_at_once(desk: Bench) -> None:
    """T63: at the latest in the first run."""
    kata = desk.approved()
    lost = Outcome.read(sh("git checkout x", "bash: git: command not found", 127).result)
    trace = desk.service.start(kata, {"branch": "x"}, "r1", "s", lambda asked: lost)
    assert trace.status is Status.ERROR and desk.service.find("1").state is State.STALE
    assert desk.store.why(1) == "step 1: the shell did not find a program that it calls"


def test_an_answer_of_another_shape_in_two_runs_in_a_row_makes_it_stale_and_one_does_not(desk: Bench) -> None:
    """T63: one odd answer may be chance; a good run between begins anew."""
    kata = desk.approved()
    good = [one.result for one in five("x", "src/new.py")]
    odd = [good[0], '{"files": []}', *good[2:]]
    for number, (answered, state) in enumerate([(odd, "active"), (good, "active"), (odd, "active"), (odd, "stale")]):
        waiting = list(answered)
        desk.service.start(kata, {"branch": "x"}, f"r{number}", "s", lambda asked, waiting=waiting: Outcome.read(waiting.pop(0)))
        assert desk.service.find("1").state.value == state, number
    assert desk.store.why(1).startswith("step 2 answered unlike every example in two runs in a row: ")


def test_two_times_by_hand_whose_answers_are_as_they_are_now_prepare_a_revision_with_other_checks(desk: Bench) -> None:
    """T64: the calls are the same, and what was expected of an answer is not."""

    def states(word: str, text: str) -> tuple[Did, ...]:
        return sh(f"cat state/{word}", text), sh(f"touch state/{word}.seen")

    for word in BRANCHES[:3]:
        at_work(desk, word, states(word.replace("/", "-"), f"Service {word} is ready"))
    desk.service.review("1", "cli")
    kata = desk.service.approve("1", "gate", "cli")
    now = sh("cat state/x", "Maintenance until noon").result
    for number in range(2):
        trace = desk.service.start(kata, {kata.version.spec.inputs[0].name: "state/x"}, f"r{number}", "s", lambda asked: Outcome.read(now))
        assert trace.steps[0].status is Status.ERROR
    assert desk.service.find("1").state is State.STALE and desk.service.standing(desk.service.find("1")) is None
    for word in ("north", "south"):
        at_work(desk, word, states(word, f"Maintenance of {word} until noon"))
    waits = desk.service.find("1")
    assert (waits.state, waits.version.number) == (State.STALE, 2) and all(check.passed for check in waits.version.checks)
    text = " ".join(run(desk.service, ["diff", "1"], "cli").text.split())
    assert "Service" in text and desk.service.active() == (), text


def test_what_is_out_of_use_is_told_once_and_so_is_its_repair(desk: Bench) -> None:
    """T80: never twice for the same, whatever else happens; and once more when it happens again."""
    assert desk.service.announcement("cli") is None
    without_npm(desk)
    tell = desk.service.announcement
    assert tell("cli") == "Kata: kata_ship is stale; the agent cannot call it. Look: hermes kata review 1"
    at_work(desk, "n0", shipped("topic", "pnpm"))
    assert (tell("cli"), tell("telegram")) == (None, None)
    at_work(desk, "n1", shipped("other", "pnpm"))
    assert tell("telegram") == "Kata: kata_ship is stale; a repaired version of it waits for you. Look: /kata review 1"
    at_work(desk, "n2", shipped("third", "pnpm"))
    assert [tell("cli") for _ in range(3)] == [None] * 3
    desk.service.review("1", "cli")
    desk.service.approve("1", "", "cli")
    assert tell("cli") is None
    world(desk, lambda name: "", lambda path: "pnpm" not in path)
    desk.store.note("programs", '{"pnpm": "/usr/bin/pnpm"}')
    assert desk.service.gone(desk.service.find("1"), "") == "step 2: the program pnpm is gone"
    assert (tell("cli") or "").startswith("Kata: kata_ship is stale; the agent cannot call it") and tell("cli") is None


def test_an_erasure_forgets_where_programs_were_found(desk: Bench) -> None:
    kata = desk.approved()
    world(desk, lambda name: f"/home/ann/bin/{name}")
    desk.service.gone(kata, "")
    assert "ann" in desk.store.noted("programs")
    desk.service.purge("text", "ann", "cli")
    assert desk.store.noted("programs") == ""


# ── Another program ──────────────────────────────────────────────────────────────────────────────


def shipped(word: str, program: str = "npm", install: str = "ci") -> tuple[Did, ...]:
    """Four steps of which one program does two."""
    build = sh(f"{program} {install}", "added"), sh(f"{program} test", "passed")
    return sh(f"git checkout {word}", "Switched"), *build, sh(f"git push origin {word}", "ok")


def without_npm(one: Bench, noticed: str = "gone") -> Kata:
    """The four steps in use, until npm was gone: before a run by a look, or in it by the shell's word."""
    for word in BRANCHES[:3]:
        at_work(one, word, shipped(word))
    one.service.review("1", "cli")
    kata = one.service.approve("1", "ship", "cli")
    world(one, lambda name: f"/usr/bin/{name}" if name != "npm" or noticed == "127" else "", lambda path: False)
    one.store.note("programs", '{"npm": "/usr/bin/npm"}')
    if noticed == "gone":
        assert "step 2: the program npm is gone" in one.service.gone(kata, "")
    else:
        missing = '{"output": "bash: npm: command not found", "exit_code": 127, "error": null}'
        answered = [routine(0)[0].result, missing]
        trace = one.service.start(kata, {kata.version.spec.inputs[0].name: "x"}, "r", "s", answers(*answered))
        assert [step.status for step in trace.steps[:3]] == [Status.OK, Status.ERROR, Status.SKIPPED]
    assert one.service.find("1").state is State.STALE
    return one.service.find("1")


@pytest.mark.parametrize("noticed", ["gone", "127"])
def test_two_times_by_hand_with_another_program_prepare_a_revision_that_waits(desk: Bench, noticed: str) -> None:
    """T64, T63: shown as a difference, never in use by itself, under the number and the name of the kata; nothing else is proposed."""
    before = without_npm(desk, noticed)
    at_work(desk, "n0", shipped("topic", "pnpm", "install"))
    assert desk.service.find("1") == before, "one time is not enough"
    at_work(desk, "n1", shipped("other", "pnpm", "install"))
    kata = desk.service.find("1")
    assert (kata.state, kata.version.number, kata.version.approved) == (State.STALE, 2, None)
    assert all(check.passed for check in kata.version.checks) and desk.service.active() == ()
    text = " ".join(run(desk.service, ["diff", "ship"], "cli").text.split())
    assert "step 2: [-npm-]{+pnpm+} [-ci-]{+install+}" in text and "step 3: [-npm-]{+pnpm+} test" in text
    assert "[-npm-]{+pnpm+}" in run(desk.service, ["review", "1"], "cli").text, "the page before the approval shows it too"
    assert desk.store.audit(1)[0].verb == "prepare" and [one.id for one in desk.service.katas()] == [1]
    after, calls = desk.service.approve("1", "", "cli"), list[str]()

    def done(asked: StepCall) -> Outcome:
        calls.append(asked.call.arguments["command"])
        return Outcome.read(shipped("x", "pnpm")[asked.index].result)

    desk.service.start(after, {after.version.spec.inputs[0].name: "main"}, "r2", "s", done)
    assert (after.tool, calls) == ("kata_ship", ["git checkout main", "pnpm install", "pnpm test", "git push origin main"])
    for number in range(3):
        at_work(desk, f"l{number}", shipped(f"late{number}", "pnpm", "install"))
    desk.service.remine()
    assert [(one.id, one.state) for one in desk.service.katas()] == [(1, State.ACTIVE)], "it is that kata, and no other routine"
    assert desk.service.rollback("1", 1, "cli").version.spec == before.version.spec


@pytest.mark.parametrize(
    "other",
    [
        (shipped("a", "pnpm"), shipped("b", "yarn")),
        (shipped("a", "pnpm")[:3], shipped("b", "pnpm")[:3]),
        (shipped("a", "pnpm"), (sh("git switch b", ""), *shipped("b", "pnpm")[1:])),
        (shipped("a"), shipped("b")),
    ],
    ids=["two others", "a step less", "another beginning", "the same after all"],
)
def test_what_is_another_routine_or_not_the_same_twice_prepares_nothing(desk: Bench, other: tuple[tuple[Did, ...], ...]) -> None:
    """T64"""
    before = without_npm(desk)
    for number, one in enumerate(other):
        at_work(desk, f"n{number}", one)
    assert desk.service.find("1") == before


def test_what_was_done_by_the_other_program_before_is_no_repair(desk: Bench) -> None:
    """T64: the next two times count, not those of another project long ago."""
    for number in range(2):
        at_work(desk, f"e{number}", shipped(f"early{number}", "pnpm"))
    before = without_npm(desk)
    at_work(desk, "n0", shipped("topic", "pnpm"))
    assert desk.service.find("1") == before
