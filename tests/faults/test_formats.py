"""Files of every earlier format: opened by the plugin of today they hold all that they held, and everything goes on."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from faults.formats import FORMATS, aged, content, tables
from strategies import GOOD, answers, bench, routine

from kata.file import File
from kata.tables import MIGRATIONS, shape

DERIVED = frozenset({("turns", "dirty"), ("windows", "skipped")})
"""What the step to the second format sets, so that everything is counted once more."""


def lived(file: Path) -> None:
    """A file with a kata that was approved, ran, is off and on again, a proposal that was rejected, requests, notes and counters."""
    with closing(bench(file)) as desk:
        desk.approved("notes")
        desk.service.start(desk.service.find("1"), {"branch": "topic-9"}, "run-1", "s", answers(*GOOD))
        desk.service.disable("1", "cli")
        desk.service.enable("1", "cli")
        desk.turn("open", *routine(5), ended=False)
        desk.store.count("malformed", 3)
        desk.store.veil("s", 1.0, 2.0)
        desk.store.settle("turn-0", 1.0, 4, (), {1: {"requests": 3}})
    with closing(sqlite3.connect(file)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def test_the_formats_that_are_frozen_here_are_those_that_the_steps_lead_to(tmp_path: Path) -> None:
    """A step is never changed once it was published."""
    for number, script in enumerate(FORMATS, 1):
        with closing(sqlite3.connect(":memory:")) as frozen, closing(sqlite3.connect(":memory:")) as made:
            frozen.executescript(script)
            for step in MIGRATIONS[:number]:
                step(made)
            assert tables(frozen) == tables(made) and shape(frozen) == shape(made), f"format {number}"
    assert len(FORMATS) == len(MIGRATIONS)


@pytest.mark.parametrize("number", range(1, len(FORMATS) + 1))
def test_a_file_of_an_earlier_format_keeps_everything(tmp_path: Path, number: int) -> None:
    """T42: every row with every column that it had; then the routine is known, the kata runs, and the log is whole."""
    lived(tmp_path / "today.db")
    old = tmp_path / "old.db"
    aged(tmp_path / "today.db", old, number)
    before = content(old)
    assert sum(map(len, before.values())) > 40
    opened = File(lambda: sqlite3.connect(old, check_same_thread=False))
    assert opened.occupied() > 0
    opened.close()
    after = content(old)
    for table, rows in before.items():
        columns = [name for name in (rows or [{}])[0] if (table, name) not in DERIVED]
        kept = [{name: row[name] for name in columns} for row in after[table]]
        assert sorted(kept, key=repr) == sorted(({name: row[name] for name in columns} for row in rows), key=repr), table
    with closing(bench(old)) as desk:
        desk.service.mine(None)
        assert [kata.name for kata in desk.service.active()] == ["notes"] and desk.store.proven() == (4, 0)
        assert desk.service.start(desk.service.find("1"), {"branch": "topic-9"}, "run-2", "s", answers(*GOOD)).status == "ok"
        assert {run.id for run in desk.store.runs()} == {"run-1", "run-2"} and desk.store.dirty() == ()
        assert desk.store.counters()["malformed"] == 3
