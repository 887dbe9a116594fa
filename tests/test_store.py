"""What goes through all layers of the store: texts, kills, and files side by side."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from stored import JOURNALS, Other, approve, opener, proposal, proposed, raw, spec, whole

from kata.model import Check, NearMiss, RunRow, SchemaSeen, Status
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


HALF = "\ud835 \udcffname \ud83d\ude00 \x00 \x1b[0m"


# ── What goes in comes out ───────────────────────────────────────────────────────────────────────


def test_half_characters_pass_wherever_text_is_kept(store: Store) -> None:
    """B46"""
    kata = store.propose(replace(proposal(HALF, HALF), checks=(Check(HALF, True, HALF),)), 1.0)
    assert kata is not None and kata.fingerprint == HALF and kata.version.checks == (Check(HALF, True, HALF),)
    assert approve(store, kata, detail=HALF).version.spec == spec(HALF)
    store.add([SchemaSeen(HALF, HALF, {HALF: HALF})])
    store.misses({1: NearMiss((HALF,), HALF, HALF, 2, "other" + HALF)})
    store.note(HALF, HALF)
    store.count(HALF)
    store.show(HALF, kata.id, HALF, 1.0)
    store.begin_run(RunRow(HALF, kata.id, HALF, 1, "d", 1.0, None, Status.OK, HALF, (), {HALF: HALF}, HALF))
    store.finish_run(HALF, Status.ERROR, HALF, 2.0)
    assert store.schema(HALF) == {HALF: HALF}
    assert store.near() == (NearMiss((HALF,), HALF, HALF, 2, "other" + HALF),)
    assert (store.noted(HALF), store.counters(), store.shown(HALF, kata.id)) == (HALF, {HALF: 1}, HALF)
    assert store.audit(1)[0].detail == HALF
    (run,) = store.runs()
    assert (run.id, run.reason, run.inputs, run.session) == (HALF, HALF, {HALF: HALF}, HALF)


# ── Katas ────────────────────────────────────────────────────────────────────────────────────────


def test_exhibits_outlive_the_history_that_they_came_from(store: Store) -> None:
    """A31"""
    store.add(whole("t1", "c1"))
    kata = proposed(store)
    store.forget(before=1e9)
    assert store.kata(kata.id) == kata


# ── The file ─────────────────────────────────────────────────────────────────────────────────────


def test_two_files_never_mix(tmp_path: Path) -> None:
    """B17: two profiles in one process."""
    one, two = Store(opener(tmp_path / "one.db")), Store(opener(tmp_path / "two.db"))
    one.add(whole("t1", "c1"))
    proposed(two)
    assert (one.facts()["calls"], one.katas(), two.facts()["calls"], len(two.katas())) == (3, (), 0, 1)
    assert one.facts()["path"] != two.facts()["path"]
    one.close()
    two.close()


POINTS = [(first, 1) for first in ("PRAGMA user_version", "BEGIN", "INSERT INTO turns", "INSERT INTO events", "UPDATE turns", "COMMIT")]


# ── Others at the same file ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("journal", JOURNALS)
@pytest.mark.parametrize(("statement", "nth"), [*POINTS, ("INSERT INTO events", 90)])
def test_a_process_that_is_killed_in_the_middle_leaves_a_sound_file(path: Path, journal: str, statement: str, nth: int) -> None:
    """T66: all of a batch or nothing of it."""
    store = Store(opener(path, journal))
    store.add(whole("t1", "c1"))
    store.close()
    with Other("stop_at", path, journal, statement, nth) as other:
        assert other.hear() == "ready"
        other.process.kill()
        other.process.wait()
    if (statement, journal) == ("COMMIT", "delete"):
        assert path.with_name("data.db-journal").stat().st_size > 0, "nothing had reached the file, so nothing was proven"
    after = Store(opener(path, journal))
    facts = after.facts()
    assert (facts["turns"], facts["calls"], after.turn("late")) == (1, 3, None)
    assert raw(path, "PRAGMA integrity_check") == [("ok",)]
    after.add(whole("t2", "c2"))
    assert after.facts()["turns"] == 2
    after.close()
