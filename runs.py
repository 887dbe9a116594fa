"""Runs of katas in the file, a row for each and one for each of its steps, written before and after; it starts and stops nothing. A module
of its own, because what is written here must hold when the process dies in the next moment."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, replace

from .file import File
from .model import Json, Refused, RunRow, Status, StepTrace
from .rows import Row, moment, pack, read_status, read_step
from .statements import insert, sql, value_of

RUN = "SELECT id, kata, tool, version, digest, started, finished, status, reason, inputs, session, folder, owner, resumes FROM runs"
LONGEST_RUN_S = 3_600.0
"""An unfinished run that began longer ago holds nobody up: its end could not be written."""

SHED = "What it was called with, called and answered is no longer kept."
"""What is said of a run of which only the row is left."""


class Runs(File):
    """The rows of runs."""

    def begin_run(self, run: RunRow, alive: Callable[[str], bool] = lambda owner: False) -> None:
        """Write that a run begins; until it is finished its status reads as unknown. Refused when a process that is alive runs the same
        kata in the same folder (T45), or when the run that it goes on with was resumed before."""
        told = {"id": run.id, "kata": run.kata, "version": run.version, "tool": run.tool, "digest": run.digest, "session": run.session}
        where = {"folder": run.folder, "owner": run.owner, "resumes": run.resumes}
        row = {**told, **where, "inputs": pack(dict(run.inputs)), "started": run.started, "status": Status.UNKNOWN, "reason": run.reason}
        with self._using("IMMEDIATE") as db:
            _free(db, run, alive)
            insert(db, "runs", row)
            for step in run.steps:
                _write_step(db, run.id, step)

    def begin_step(self, run: str, step: StepTrace, before: Iterable[StepTrace] = ()) -> None:
        """Write, before it is done, that a step is going to be done: until it is settled its status reads as unknown. What became of the
        steps `before` is written in the same transaction."""
        with self._using("IMMEDIATE") as db:
            for one in (*before, replace(step, status=Status.UNKNOWN)):
                _write_step(db, run, one)

    def settle_step(self, run: str, step: StepTrace) -> None:
        """Write what became of a step; Refused when the run is not there or is finished."""
        with self._using("IMMEDIATE") as db:
            _write_step(db, run, step)

    def finish_run(self, run: str, status: Status, reason: str, now: float, steps: Iterable[StepTrace] = ()) -> None:
        """Write how a run ended, with what became of its steps; Refused when it is not there or is finished."""
        update = "UPDATE runs SET finished = ?, status = ?, reason = ? WHERE id = ? AND finished IS NULL"
        with self._using("IMMEDIATE") as db:
            for step in steps:
                _write_step(db, run, step)
            if sql(db, update, now, status, reason, run).rowcount == 0:
                raise Refused(f"There is no unfinished run {run}")

    def keep_inputs(self, run: str, inputs: Mapping[str, Json]) -> None:
        """Write the inputs of a run anew, for one of which its later calls show that it is a secret."""
        with self._using("IMMEDIATE") as db:
            db.execute("PRAGMA secure_delete = ON")
            sql(db, "UPDATE runs SET inputs = ? WHERE id = ?", pack(dict(inputs)), run)

    def shed(self, before: float, most: int = -1) -> int:
        """Let go of what runs were called with, called and answered that were over before that time, the oldest `most` of them (-1: all);
        how many. When each was and how it ended stays."""
        select = "SELECT number FROM runs WHERE coalesce(finished, started) < ? AND reason <> ? ORDER BY number LIMIT ?"
        with self._using("IMMEDIATE") as db:
            old = [row["number"] for row in sql(db, select, before, SHED, most).fetchall()]
            for number in old:
                sql(db, "DELETE FROM run_steps WHERE run = ?", number)
                sql(db, "UPDATE runs SET inputs = ?, reason = ? WHERE number = ?", pack({}), SHED, number)
            return len(old)

    def stop_run(self, run: str) -> bool:
        """Ask a run to stop before its next step; False when it is not there or is finished."""
        return self._change("UPDATE runs SET stopping = 1 WHERE id = ? AND finished IS NULL", run) > 0

    def stopping(self, run: str) -> bool:
        """Whether somebody asked that run to stop."""
        return bool(self._rows("SELECT id FROM runs WHERE id = ? AND stopping = 1", run))

    def resumed(self, run: str) -> str:
        """The id of the run that went on with that one; empty when none did."""
        row = self._first("SELECT id FROM runs WHERE resumes = ? AND resumes <> ''", run)
        return "" if row is None else str(row["id"])

    def unfinished(self) -> tuple[RunRow, ...]:
        """The runs whose end is not written, newest first, with their steps."""
        with self._using("DEFERRED") as db:
            return tuple(_run(db, row) for row in sql(db, f"{RUN} WHERE finished IS NULL ORDER BY number DESC").fetchall())

    def runs(self, kata: int | None = None, limit: int = 20) -> tuple[RunRow, ...]:
        """The latest runs of a kata (None: of all), newest first, with their steps."""
        chosen, values = ("", ()) if kata is None else ("WHERE kata = ?", (kata,))
        with self._using("DEFERRED") as db:
            return tuple(_run(db, row) for row in sql(db, f"{RUN} {chosen} ORDER BY number DESC LIMIT ?", *values, limit).fetchall())

    def began(self, kata: int, limit: int) -> tuple[float, ...]:
        """When the latest runs of a kata began (epoch seconds), newest first, without those that went on with another."""
        rows = self._rows("SELECT started, resumes FROM runs WHERE kata = ? ORDER BY number DESC LIMIT ?", kata, limit)
        return tuple(moment(row["started"]) for row in rows if not row["resumes"])

    def runs_between(self, first: float, last: float) -> tuple[RunRow, ...]:
        """The runs that began between those times, in their order, with their steps."""
        with self._using("DEFERRED") as db:
            rows = sql(db, f"{RUN} WHERE started BETWEEN ? AND ? ORDER BY number", first, last).fetchall()
            return tuple(_run(db, row) for row in rows)

    def used(self) -> dict[int, Row]:
        """How often each kata ran, by number: runs, good (runs that ended well), last (epoch seconds when the latest began)."""
        select = "SELECT kata, count(*) AS runs, sum(status = 'ok') AS good, max(started) AS last FROM runs GROUP BY kata"
        return {row["kata"]: {name: row[name] for name in ("runs", "good", "last")} for row in self._rows(select)}

    def run(self, run: str) -> RunRow | None:
        """The run of that id, with its steps."""
        with self._using("DEFERRED") as db:
            row = sql(db, f"{RUN} WHERE id = ?", run).fetchone()
            return None if row is None else _run(db, row)

    def failures(self, kata: int, since: float) -> int:
        """How many runs in a row failed at a step, the latest first, of those that began after `since`; what a person or another plugin
        refused neither counts nor ends the row (A28)."""
        select = """SELECT status FROM runs WHERE kata = ? AND started > ? AND finished IS NOT NULL AND status IN (?, ?, ?)
        ORDER BY number DESC"""
        rows = self._rows(select, kata, since, Status.OK, Status.ERROR, Status.TIMEOUT)
        return next((at for at, row in enumerate(rows) if row["status"] == Status.OK), len(rows))


def _free(db: sqlite3.Connection, run: RunRow, alive: Callable[[str], bool]) -> None:
    """Refuse a run that may not begin now: of two that go on with the same one, or that are at the same place at once, one wins."""
    later = value_of(db, "SELECT id FROM runs WHERE resumes = ? AND resumes <> ''", run.resumes)
    if later is not None:
        raise Refused(f"Run {run.resumes} was resumed already, as run {later}; nothing was run")
    select = "SELECT id, owner FROM runs WHERE kata = ? AND folder = ? AND folder <> '' AND id <> ? AND finished IS NULL AND started > ?"
    for row in sql(db, select, run.kata, run.folder, run.resumes, run.started - LONGEST_RUN_S).fetchall():
        if alive(row["owner"]):  # this process too, which may have loaded the plugin anew meanwhile
            where = "" if row["owner"] == run.owner else ", in another process"
            raise Refused(f"{run.tool} runs in this folder already{where} (run {row['id']}); nothing more was run")


def _write_step(db: sqlite3.Connection, run: str, step: StepTrace) -> None:
    number = value_of(db, "SELECT number FROM runs WHERE id = ? AND finished IS NULL", run)
    if number is None:
        raise Refused(f"Step {step.index} cannot be written: there is no unfinished run {run}")
    row = {"run": number, "step": step.index, "trace": pack(asdict(step))}
    insert(db, "run_steps", row, "ON CONFLICT (run, step) DO UPDATE SET trace = excluded.trace")


def _run(db: sqlite3.Connection, row: Row) -> RunRow:
    select = "SELECT trace FROM run_steps WHERE run = (SELECT number FROM runs WHERE id = ?) ORDER BY step"
    steps = tuple(read_step(step["trace"]) for step in sql(db, select, row["id"]))
    return RunRow(**{**row, "status": read_status(row["status"]), "steps": steps})
