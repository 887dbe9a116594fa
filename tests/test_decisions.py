"""The log of decisions: whole, or it shows."""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stored import approve, in_memory, opener, proposed, raw

from kata import decisions
from kata.model import AuditRow, Json, Refused, State
from kata.store import Store

Rows = list[tuple[Json, ...]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "plugin-data" / "kata"
    folder.mkdir(parents=True)
    return folder / "data.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    one = Store(opener(path))
    yield one
    one.close()


# ── Decisions ────────────────────────────────────────────────────────────────────────────────────


def test_every_change_to_a_kata_is_a_new_generation_for_all_processes(path: Path, store: Store) -> None:
    """An approval in one process is live in the others."""
    other = Store(opener(path))
    numbers = [other.generation()]
    kata = proposed(store)
    numbers.append(other.generation())
    approve(store, kata)
    numbers += [other.generation(), other.generation()]
    with pytest.raises(Refused):
        approve(store, kata)
    numbers.append(other.generation())
    assert numbers == [0, 1, 2, 2, 2]
    other.close()


# ── The log of decisions, chained ────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("change", "first"),
    [
        ("UPDATE audit SET actor = 'cli' WHERE number = 2", 2),
        ("UPDATE audit SET digest = 'f' WHERE number = 1", 1),
        ("UPDATE audit SET at = at + 1 WHERE number = 3", 3),
        ("DELETE FROM audit WHERE number = 2", 2),
        ("DELETE FROM audit WHERE number = 3", 3),
        ("INSERT INTO audit SELECT 9, at, actor, verb, kata, before, after, digest, detail, hash FROM audit WHERE number = 3", 4),
        ("SELECT 1", 0),
    ],
)
def test_a_decision_that_was_changed_or_taken_out_shows(path: Path, store: Store, change: str, first: int) -> None:
    """T66: also the last one, and one that was put in."""
    approve(store, proposed(store))
    proposed(store, "g")
    assert store.proven() == (3, 0)
    raw(path, change)
    assert store.proven()[1] == first


def chain(count: int) -> Rows:
    """The rows of a whole log, as the file holds them."""
    rows: Rows = []
    last = ""
    for number in range(1, count + 1):
        row = AuditRow(float(number), "cli", "reject", number % 7, "candidate", "rejected", "d" * 64, "")
        last = decisions.chained(last, row)
        rows.append((number, last, *asdict(row).values()))
    return rows


WHOLE = chain(decisions.PART + 5)


@pytest.mark.parametrize(
    ("change", "at"),
    [
        *((lambda rows, at=at, one=one: [*rows[:at], (*rows[at][:one], "x", *rows[at][one + 1 :]), *rows[at + 1 :]], at + 1)
          for at in (0, 500, decisions.PART + 4) for one in range(1, 10)),
        (lambda rows: rows[1:], 1),
        (lambda rows: [*rows[:500], *rows[501:]], 501),
        (lambda rows: [*rows[:3], rows[4], rows[3], *rows[5:]], 4),
        (lambda rows: [*rows, rows[-1]], decisions.PART + 6),
        (lambda rows: rows[:-1], 0),
        (lambda rows: chain(len(rows) + 3), 0),
    ],
)  # fmt: skip
def test_what_was_looked_at_before_hides_no_change(change: Callable[[Rows], Rows], at: int) -> None:
    """T66: a row that was found good once and is another now is found, and the answer is that of a look at all rows."""
    assert not decisions.judged(0, "", WHOLE).breaks
    found = decisions.judged(0, "", change(WHOLE))
    assert found == decisions.judged(0, "", change(WHOLE), anew=True)
    assert (found.breaks[0][0] if found.breaks else 0) == at


@settings(max_examples=30)
@given(st.lists(st.tuples(st.text(), st.floats(0, 1e12), st.integers(0, 9)), min_size=1, max_size=4))
def test_every_log_that_we_write_is_whole(rows: list[tuple[str, float, int]]) -> None:
    """T66, B46: whatever stands in it."""
    with closing(in_memory()) as store:
        kata = proposed(store)
        for text, at, _ in rows:
            told = {"digest": kata.version.spec.digest, "actor": text, "verb": "rename", "now": at, "detail": text}
            store.transition(kata.id, before=[State.CANDIDATE], after=State.CANDIDATE, **told)  # type: ignore[arg-type]
        assert store.proven() == (1 + len(rows), 0)
