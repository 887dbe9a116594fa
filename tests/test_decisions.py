"""The log of decisions: whole, or it shows."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stored import approve, in_memory, opener, proposed, raw

from kata.model import Refused, State
from kata.store import Store


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
