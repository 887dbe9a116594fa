"""Counters, notes and what the status shows."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from stored import approve, in_memory, opener, proposed, whole

from kata.store import Store
from kata.tables import MIGRATIONS


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


def test_counters_add_up_and_notes_are_replaced(store: Store) -> None:
    store.count("dropped")
    store.count("dropped", 41)
    store.note("last_error", "one")
    store.note("last_error", "two")
    assert (store.counters(), store.noted("last_error"), store.noted("nothing")) == ({"dropped": 42}, "two", "")


def test_the_facts_tell_what_is_there(path: Path, store: Store) -> None:
    store.add([*whole("t1", "c1"), *whole("t2", "c1"), *whole("t3", "c2", at=50.0)])
    approve(store, proposed(store, "f"))
    proposed(store, "g")
    facts = store.facts()
    counts = {"calls": 9, "turns": 3, "conversations": 2, "dirty": 3, "last_event": 52.0, "katas": {"active": 1, "candidate": 1}}
    size = path.stat().st_size
    file = {"version": len(MIGRATIONS), "journal": "delete", "bytes": size, "used": size, "path": str(path), "mode": "600"}
    assert facts == counts | file


def test_an_empty_file_has_facts_too() -> None:
    facts = in_memory().facts()
    assert (facts["calls"], facts["katas"], facts["last_event"], facts["path"], facts["mode"]) == (0, {}, None, "", "")
