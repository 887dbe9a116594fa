"""What the owner wants gone stands nowhere any more, and nothing else goes with it."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from strategies import BRANCHES, FILES, Bench, answers, bench, five, opened, raw


@pytest.fixture
def desk() -> Iterator[Bench]:
    """A service in memory."""
    with closing(bench()) as one:
        yield one


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "kata.db"


@pytest.mark.parametrize(
    ("kind", "word", "turns", "katas"),
    [
        ("conversation", "c1", 1, 0),
        ("conversation", "s-c1", 1, 0),
        ("tool", "search_files", 3, 1),
        ("path", "src/auth", 1, 0),
        ("path", "notes/todo.md", 3, 1),
        ("text", "FEATURE/LOGIN", 1, 0),
        ("text", "nowhere", 0, 0),
    ],
)
def test_purge_lists_and_then_erases_everything_that_holds_it(desk: Bench, kind: str, word: str, turns: int, katas: int) -> None:
    """K98: turns with their support, examples, runs and near misses; a kata whose steps hold it goes whole."""
    kata = desk.approved()
    desk.service.start(kata, {"branch": "feature/login"}, "r1", "s-c1", answers(*[one.result for one in five("feature/login", "src/x")]))
    listed = desk.service.erasable(kind, word)
    assert (listed.turns, len(listed.katas)) == (turns, katas) and desk.store.facts()["turns"] == 3, "listing erases nothing"
    assert desk.service.purge(kind, word, "cli") == listed
    left = desk.service.erasable(kind, word)
    assert (left.turns, left.runs, left.near, left.examples, left.katas) == (0, 0, 0, 0, ())
    assert desk.store.facts()["turns"] == 3 - turns and desk.store.proven()[1] == 0
    found = desk.store.kata(1)
    assert (found is None) == bool(katas)
    if found is not None:
        assert len(found.version.exhibits) == 3 - turns and found.version.spec.digest == kata.version.spec.digest
        assert (desk.store.run("r1") is None) == (kind == "conversation" or kind == "text" and turns == 1)


def test_what_was_purged_stands_nowhere_in_the_file(file: Path) -> None:
    """Supports, examples, values of inputs, runs, messages: every value of every row, unpacked, and every byte."""
    word = "zebrafish"
    one = bench(file)
    for n in range(3):
        one.turn(f"c{n}", *five(word if n == 1 else BRANCHES[n], f"src/{word}/x.py" if n == 1 else FILES[n]), message=f"about {word}")
        one.service.mine()
    one.service.review("1", "cli")
    kata = one.service.approve("1", "notes", "cli")
    one.service.start(kata, {"branch": word}, "r1", "s", answers(*[step.result for step in five(word, "src/x")]))
    assert word.encode() in opened(file)
    one.service.purge("text", word, "cli")
    one.close()
    assert word.encode() not in opened(file) and word.encode() not in raw(file)
