"""The laws of finding: whatever order things are mined in and whatever is deleted, the answer is that of the turns that are there.
(T12, T19)"""

import os
import subprocess
import sys
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from conftest import EXAMPLES
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import Bench, Did, aged, bench, failed, sh, tool

from kata import commands
from kata.miner import pieces, window_id, windows
from kata.model import State

TICKETS = ("OPS-101", "OPS-102", "WEB-7731", "API-5520")


def ticket(number: int) -> tuple[Did, ...]:
    """A routine whose second step takes a value from the first."""
    name = TICKETS[number % len(TICKETS)]
    found = {"ticket": {"id": f"T{4000 + number % 4}", "owner": "maria"}}
    return tool("mcp__desk__find_ticket", found, title=name), tool("mcp__desk__close_ticket", {"closed": True}, id=f"T{4000 + number % 4}")


def release(number: int) -> tuple[Did, ...]:
    """A wholly fixed routine of three commands."""
    return sh("git pull --rebase origin"), sh("make build-release", f"built {number}"), sh("npm run lint-all")


def search(number: int) -> tuple[Did, ...]:
    """A value in a command, then the same value in another."""
    word = ("alpha", "bravo", "delta", "gamma")[number % 4]
    return sh(f"grep -rn {word} src", f"src/{word}.py:3"), tool("read_file", {"content": "x"}, path=f"src/{word}.py")


def reads(number: int) -> tuple[Did, ...]:
    """A loop, of two or three."""
    return tuple(tool("read_file", {"content": "y"}, path=f"docs/part_{number + n}.md") for n in range(2 + number % 2))


def unlike(number: int) -> tuple[Did, ...]:
    """Neighbours that have nothing to do with each other."""
    return sh(f"ping host{number}.lan"), tool("web_search", {"results": []}, query=f"topic {number * 7}")


def looked(number: int) -> tuple[Did, ...]:
    """The fixed routine with a look around in a gap, now here, now there, or not at all."""
    done, look = release(number), (sh("ls -a", "README.md"), sh("pwd", "/srv/app"))[number % 2]
    at = number % 3
    return (*done[:at], look, *done[at:]) if at else done


MAKERS = (
    *(ticket, release, search, reads, unlike, looked),
    *(lambda n: release(n)[:2], lambda n: ticket(n)[1:], lambda n: (*ticket(n), *release(n))),
)
LONE = ((failed("web_search", query="x"),), (tool("clarify", question="?"),), (sh("make build-release", code=2),))
MINES = st.tuples(st.just("mine"), st.sampled_from([1, 2, 5, None]), st.just(()))
LOSSES = st.tuples(st.sampled_from(["turn gone", "talk gone", "old gone"]), st.integers(0, 11), st.just(()))
Op = tuple[str, object, tuple[Did, ...]]


@st.composite
def histories(draw: st.DrawFn, *others: st.SearchStrategy[Op]) -> list[Op]:
    """Turns out of few routines, so that they repeat, and between them what else may happen."""
    kit = draw(st.lists(st.sampled_from(MAKERS), min_size=1, max_size=3, unique=True))
    history: list[Op] = []
    for kind in draw(st.lists(st.integers(0, 9), min_size=7, max_size=20)):
        if others and kind >= 7:
            history.append(draw(others[kind % len(others)]))
        else:
            made = draw(st.lists(st.tuples(st.sampled_from(kit), st.integers(0, 3)), min_size=1, max_size=2))
            between = draw(st.sampled_from(((), (), *LONE)))
            done = [one for make, number in made for one in (*make(number), *between)]
            history.append(("turn", draw(st.sampled_from("abcde")), tuple(done)))
    return history


class Told:
    """A history as it goes on, on a real file in memory, and what of it is still there."""

    def __init__(self, desk: Bench) -> None:
        self.desk = desk
        self.turns: dict[str, tuple[str, tuple[Did, ...]]] = {}

    def do(self, op: Op) -> None:
        kind, what, done = op
        service, store = self.desk.service, self.desk.store
        if kind == "turn":
            self.turns[self.desk.turn(str(what), *done)] = str(what), done
        elif kind == "mine":
            service.mine(what)  # type: ignore[arg-type]
        elif self.turns:
            names = list(self.turns)
            name = names[int(str(what)) % len(names)]
            talk = self.turns[name][0]
            whole = [one for one in names if self.turns[one][0] == talk]
            gone = {"turn gone": [name], "talk gone": whole}.get(kind, names[: int(str(what)) // 3])
            for one in gone:
                del self.turns[one]
            if kind == "talk gone":
                assert service.purge("conversation", talk, "cli").turns == len(gone)
            else:
                assert aged(store, gone, service.settings.min_support) == len(gone)


def answer(desk: Bench) -> dict[str, object]:
    """What the law is about: by fingerprint, proposals with state, digest, support and confidence, and near misses with their rule. What
    chance explains is left out: it is told where it was proposed before, and nowhere else."""
    found: dict[str, object] = {miss.fingerprint: miss.rule for miss in desk.service.near() if miss.rule != "chance"}
    for kata in desk.service.katas():
        assert kata.fingerprint not in found
        fit = kata.version.fit
        found[kata.fingerprint] = kata.state, kata.version.spec.digest, fit.support, fit.confidence
    return found


def every(desk: Bench) -> list[int]:
    """All windows that are counted."""
    return sorted(row["window"] for row in desk.store._rows("SELECT DISTINCT window FROM windows"))


def counted(desk: Bench) -> tuple[tuple[int, int, float], dict[int, int]]:
    """What is kept of the size of the history and of the places of each window, counted anew from the rows."""
    rows = desk.store._rows("SELECT window, size, times, skipped FROM windows")
    calls = desk.store._rows("SELECT count(*) AS n FROM events")[0]["n"]
    pairs = [(row["times"], row["skipped"]) for row in rows if row["size"] == 2]
    whole = sum(times for times, skipped in pairs if not skipped)
    reach = sum(times for times, _ in pairs) / whole if whole else 1.0
    size = calls, len({row["window"] for row in rows if row["size"] > 1}), reach
    return size, {window: sum(row["times"] for row in rows if row["window"] == window) for window in every(desk)}


def drained(desk: Bench) -> Bench:
    """All that waits is mined."""
    desk.service.mine(None)
    assert desk.store.dirty() == () and desk.store.family() is None
    return desk


def afresh(turns: Iterable[tuple[str, tuple[Did, ...]]], each: bool) -> dict[str, object]:
    """The answer of a new file that holds only these turns, mined after each or all at once."""
    with closing(bench()) as desk:
        for talk, done in turns:
            desk.turn(talk, *done)
            if each:
                desk.service.mine(None)
        return answer(drained(desk))


@settings(max_examples=EXAMPLES // 4)
@given(histories(MINES, LOSSES))
def test_the_answer_is_that_of_the_turns_that_are_there(history: list[Op]) -> None:
    """Mined after every turn, in any batches, five families at a time, or from scratch, with retention and purge in
    the mix, the same proposals and the same near misses."""
    with closing(bench()) as desk:
        told = Told(desk)
        for op in history:
            told.do(op)
        found = answer(drained(desk))
        left = list(told.turns.values())
        assert found == afresh(left, each=True) == afresh(left, each=False)
        assert (desk.store.size(), desk.store.weights(every(desk))) == counted(desk)
        desk.service.remine()
        assert answer(desk) == found


DECISIONS = st.tuples(st.sampled_from(["approve", "reject"]), st.integers(0, 5), st.just(()))


@settings(max_examples=EXAMPLES // 5)
@given(histories(MINES, LOSSES, DECISIONS))
def test_mining_everything_once_more_changes_nothing_and_keeps_what_was_decided(history: list[Op]) -> None:
    """K88, A32: states, names and numbers stay."""
    with closing(bench()) as desk:
        told = Told(desk)
        for op in history:
            if op[0] in ("approve", "reject"):
                decide(desk, op)
            else:
                told.do(op)
        drained(desk)
        found, katas = answer(desk), [(kata.id, kata.name, kata.state) for kata in desk.store.katas()]
        assert desk.service.remine().turns == len(told.turns)
        assert answer(desk) == found and [(kata.id, kata.name, kata.state) for kata in desk.store.katas()] == katas


def decide(desk: Bench, op: Op) -> None:
    waiting = [kata for kata in desk.service.katas() if kata.state is State.CANDIDATE]
    if not waiting:
        return
    kata = waiting[int(str(op[1])) % len(waiting)]
    if op[0] == "reject":
        desk.service.reject(str(kata.id), "cli")
    else:
        desk.service.review(str(kata.id), "cli")
        desk.service.approve(str(kata.id), f"k{kata.id}", "cli")


@settings(max_examples=EXAMPLES // 8)
@given(histories())
def test_a_turn_touches_families_whose_windows_it_holds_pieces_of_them_and_of_what_changes_sides(history: list[Op]) -> None:
    """T21: the end of a turn costs what the turn holds, not the history. A proposal that chance explains by now, or explains no
    more, and what is no near miss any more, are told anew; only then do their pieces follow, once more where they were looked at before."""
    with closing(bench()) as desk:
        told = Told(desk)
        for op in history:
            told.do(op)
            turn = desk.store.turn(list(told.turns)[-1])
            assert turn is not None
            held, before = windows(turn, desk.service.settings.max_steps), sides(desk)
            looked = desk.service.mine(None).looked
            changed = {part for keys, _ in before ^ sides(desk) for part in pieces(keys)}
            parts = {part for keys in looked if window_id(keys) in held for part in pieces(keys)}
            assert {window_id(keys) for keys in looked} <= held.keys() | parts | changed
            assert all(looked.count(keys) == 1 for keys in looked if window_id(keys) not in changed)


def sides(desk: Bench) -> set[tuple[tuple[str, ...], str]]:
    """The steps of all that is told about, each with the reason why it is only a near miss."""
    return {(one.keys, one.rule) for one in desk.service.known().values()}


def test_neither_names_of_conversations_nor_the_seed_of_hashes_are_in_any_result() -> None:
    """No randomness, clock or order of a set."""
    told = set()
    for seed in ("1", "2", "3"):
        surroundings = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[1])}
        command = [sys.executable, "-B", "-c", "import conftest, laws.test_mining as law; law.tell()"]
        told.add(subprocess.run(command, env=surroundings, capture_output=True, text=True, check=True).stdout)
    (text,) = told
    assert text.count("candidate") == 3


@settings(max_examples=EXAMPLES // 6)
@given(histories(), st.permutations("abcde"))
def test_renaming_conversations_changes_nothing(history: list[Op], names: list[str]) -> None:
    told = [(str(what), done) for _, what, done in history]
    renamed = [(names["abcde".index(talk)] + "-x", done) for talk, done in told]
    assert afresh(told, each=False) == afresh(renamed, each=False)


# ── Few families a turn ──────────────────────────────────────────────────────────────────────────

PAUSE = tool("clarify", question="?")


def pairs(count: int) -> tuple[Did, ...]:
    """So many routines of two fixed steps in one turn."""
    return tuple(one for n in range(count) for one in (sh(f"prog{n} fixed-word"), sh(f"other{n} fixed-word"), PAUSE))


def test_at_most_five_families_a_turn_are_scored_and_the_rest_waits_in_the_file(tmp_path: Path) -> None:
    """Also when the process ends meanwhile."""
    with closing(bench(tmp_path / "kata.db")) as desk:
        for number in range(3):
            desk.turn(f"c{number}", *pairs(12))
            found = desk.service.mine()
        assert len(found.proposed) == 5 and desk.store.dirty() == () and desk.store.family() is not None
    with closing(bench(tmp_path / "kata.db")) as again:
        assert [len(again.service.mine().proposed) for _ in range(3)] == [5, 2, 0]
        assert again.store.family() is None
        assert answer(again) == afresh([(f"c{n}", pairs(12)) for n in range(3)], each=False)


def test_what_is_queued_while_it_is_looked_at_is_looked_at_again() -> None:
    """Two processes: one looks, the other deletes."""
    with closing(bench()) as desk:
        for number in range(3):
            desk.turn(f"c{number}", *release(number))
        desk.service._count(desk.store.dirty())
        waiting = desk.store.family()
        assert waiting is not None
        aged(desk.store, ["turn-0"], 3)
        desk.store.again({waiting[0]: 3}, 1)
        desk.store.looked(*waiting)
        assert desk.store.family() is not None and desk.store.family() != waiting


# ── Chance, asked when it is read ────────────────────────────────────────────────────────────────

A, B, C = release(0)


def filler(number: int, calls: int = 50) -> tuple[Did, ...]:
    """Calls that never come again."""
    return tuple(tool(f"mcp__x__once_{number}_{n}", part=n) for n in range(calls))


def lone(done: Did, times: int) -> tuple[Did, ...]:
    return tuple(one for _ in range(times) for one in (done, PAUSE))


def test_a_proposal_that_chance_explains_as_the_history_grows_is_told_as_a_near_miss_and_comes_back() -> None:
    """K45: three meetings out of sixty calls of each are none; sixty are."""
    history = [("c0", (A, B)), ("c1", (A, B)), ("c2", (A, B))]
    with closing(bench()) as desk:
        for talk, done in history:
            desk.turn(talk, *done)
        (kata,) = desk.service.mine().proposed
        more = [("d1", (*lone(A, 60), *lone(B, 60))), *((f"e{n}", filler(n)) for n in range(18))]
        for talk, done in more:
            desk.turn(talk, *done)
        assert desk.service.mine(0).looked == ()  # counted, and nothing looked at
        assert desk.service.katas() == () and [miss.rule for miss in desk.service.near()] == ["chance"]
        assert desk.service.announcement("cli") is None and "as often as by chance" in desk.service.doubt(desk.service.find("1"))
        assert "doubtful: its steps meet" in commands.run(desk.service, ["review", "1"], "cli").text
        assert drained(desk).service.katas() == ()
        assert answer(desk) == afresh(history + more, each=True)
        again = [(f"f{n}", (A, B)) for n in range(60)]
        for talk, done in again:
            desk.turn(talk, *done)
        assert [one.id for one in drained(desk).service.katas()] == [kata.id] and desk.service.near() == ()
        assert desk.service.doubt(desk.service.find("1")) == "" and desk.service.announcement("cli") is not None
        assert answer(desk) == afresh(history + more + again, each=False)


def test_the_piece_of_a_routine_that_chance_explains_gets_a_look_of_its_own() -> None:
    """What met by chance hides nothing."""
    history = [*((f"c{n}", (A, B, C)) for n in range(3)), ("c3", (A, B))]
    more = [("d1", lone(C, 320)), *((f"e{n}", filler(n)) for n in range(14))]
    with closing(bench()) as desk:
        for talk, done in history:
            desk.turn(talk, *done)
        assert [len(kata.version.spec.steps) for kata in drained(desk).service.katas()] == [3]
        for talk, done in more:
            desk.turn(talk, *done)
        assert [len(kata.version.spec.steps) for kata in drained(desk).service.katas()] == [2]
        assert [miss.rule for miss in desk.service.near()] == ["chance"]  # the longer one, which was proposed
        assert answer(desk) == afresh(history + more, each=False)
        assert aged(desk.store, [f"turn-{len(history)}"], 3) == 1
        assert [len(kata.version.spec.steps) for kata in drained(desk).service.katas()] == [3]
        assert answer(desk) == afresh(history + more[1:], each=False)


def test_a_person_may_approve_what_chance_explains() -> None:
    """The page shows the doubt; the decision is theirs."""
    with closing(bench()) as desk:
        for number in range(3):
            desk.turn(f"c{number}", A, B)
        assert len(drained(desk).service.katas()) == 1
        desk.turn("d1", *lone(A, 60), *lone(B, 60))
        for number in range(18):
            desk.turn(f"e{number}", *filler(number))
        drained(desk)
        assert desk.service.katas() == ()
        desk.service.review("1", "cli")
        assert desk.service.approve("1", "pull_and_make", "cli").state is State.ACTIVE
        assert [kata.name for kata in drained(desk).service.katas()] == ["pull_and_make"] and desk.service.near() == ()


def met(times: int) -> list[tuple[str, tuple[Did, ...]]]:
    """Two steps that met three times, each of which stands alone so many times, in a history that is just long enough to tell."""
    return [*((f"c{n}", (A, B)) for n in range(3)), ("d0", lone(A, times)), ("d1", lone(B, times)), ("d2", lone(C, 500 - 2 * times))]


def told(history: Iterable[tuple[str, tuple[Did, ...]]]) -> Bench:
    """A file with that history, all of it mined at once."""
    desk = bench()
    for talk, done in history:
        desk.turn(talk, *done)
    return drained(desk)


def test_what_chance_explains_at_first_sight_is_not_told_and_wakes_when_the_history_grows() -> None:
    """No template is learnt of it; calls that have nothing to do with it make its meetings rarer than by chance."""
    with closing(told(met(30))) as desk:
        assert desk.service.katas() == () == desk.service.near() and len(desk.store.sleepers()) == 1
        more = [("e0", lone(C, 2_500))]
        for talk, done in more:
            desk.turn(talk, *done)
        assert [len(kata.version.spec.steps) for kata in drained(desk).service.katas()] == [2]
        assert desk.store.sleepers() == () and answer(desk) == afresh(met(30) + more, each=False)


def test_what_chance_explained_wakes_when_what_made_it_likely_is_forgotten() -> None:
    """K98, K45: its calls are rarer than they were, and nothing that holds it came or went."""
    with closing(told([*met(30), ("e0", lone(A, 200)), ("e1", lone(C, 2_500))])) as desk:
        assert desk.service.katas() == () and len(desk.store.sleepers()) == 1
        assert aged(desk.store, ["turn-6"], 3) == 1
        assert len(drained(desk).service.katas()) == 1
        assert answer(desk) == afresh([*met(30), ("e1", lone(C, 2_500))], each=False)


def test_a_near_miss_that_chance_explains_by_now_is_not_told_any_more() -> None:
    """Whatever it failed on, meeting at all was chance; and it comes back with what was told of it."""
    history = [(f"c{n}", unlike(n)) for n in range(3)]
    more = [("d0", lone(unlike(7)[0], 30)), ("d1", lone(unlike(7)[1], 30)), ("d2", lone(C, 440))]
    with closing(told(history)) as desk:
        before = desk.service.near()
        assert [miss.rule for miss in before] == ["saves"]
        for talk, done in more:
            desk.turn(talk, *done)
        assert drained(desk).service.near() == () and answer(desk) == afresh(history + more, each=False)
        desk.turn("e0", *lone(C, 2_500))
        assert drained(desk).service.near() == before


def test_values_that_tie_steps_are_evidence_and_a_table_that_holds_every_value_is_none() -> None:
    """For the key or for the family: halves of different conversations fit each other seldom, or always."""
    with closing(bench()) as desk:
        for number in range(4):
            desk.turn(f"c{number}", *ticket(number))
            desk.turn(f"d{number}", A, PAUSE, B, C)
        found = {len(row["ties"]): row["ties"] for row in drained(desk).store.undecided() if "find_ticket" in row["keys"][0]}
        assert found == {1: [round(1 / 13, 4)]}
        assert [row["ties"] for row in desk.store.undecided() if "make" in row["keys"][0]] == [[1.0]]


def tell() -> None:
    """Print the answer of a small history."""
    with closing(bench()) as desk:
        for number in range(4):
            desk.turn(f"c{number}", *ticket(number), PAUSE, *release(number), PAUSE, *search(number), PAUSE, *reads(number))
        drained(desk)
        print([(kata.state.value, kata.version.spec.digest, str(kata.version.fit)) for kata in desk.service.katas()], desk.service.near())
