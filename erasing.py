"""Erases from the file what the owner wants gone, wherever it stands, and then the file itself; it never takes what nobody named. A module
of its own, because it alone must know every place where a text may stand."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass

from .decisions import log
from .findings import delete
from .model import AuditRow, Erasure, Json, Wanted, canonical
from .notes import Notes
from .rows import pack
from .statements import sql, value_of


class Erasing(Notes):
    """What goes for good."""

    def erasable(self, wanted: Wanted) -> Erasure:
        """What an erasure would take; nothing is changed."""
        with self._using("DEFERRED") as db:
            return _doomed(db, wanted).told

    def purge(self, wanted: Wanted, actor: str, now: float, least: int = 1) -> Erasure:
        """Erase it, in one transaction, and write down who did. A kata whose steps hold it goes whole; examples of what is gone go from the
        others, with the values that their inputs had. The families that lose evidence are looked at again."""
        with self._using("IMMEDIATE") as db:
            db.execute("PRAGMA secure_delete = ON")
            doomed = _doomed(db, wanted)
            _erase(db, doomed, least)
            for table in ("schemas", "tools") if wanted.kind == "tool" else ():
                sql(db, f"DELETE FROM {table} WHERE tool = ?", wanted.word)
            for kata, _name, state in doomed.told.katas:
                log(db, AuditRow(now, actor, "purge", kata, state, "", "", "with all versions and runs"))
            counts = ", ".join(f"{getattr(doomed.told, name)} {name}" for name in ("turns", "runs", "near", "examples"))
            log(db, AuditRow(now, actor, "purge", 0, "", "", "", f"by {wanted.kind}: {counts}"))
            return doomed.told

    def remove(self) -> tuple[str, ...]:
        """Empty the file for all who have it open, then delete it with its companions; the files that went. A later call makes another."""
        with self._using("IMMEDIATE") as db:
            db.execute("PRAGMA secure_delete = ON")
            db.execute("PRAGMA defer_foreign_keys = ON")
            tables = sql(db, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").fetchall()
            for row in [*tables, {"name": "sqlite_sequence"}]:
                sql(db, f"DELETE FROM {row['name']}")
        with self._lock:
            path = self._path
            self._drop()
            beside = [*self._notes("held-"), *self._notes(f"{os.path.basename(path)}.")]  # and what `repair` kept
            files = [*(path + end for end in ("", "-journal", "-wal", "-shm")), *beside] if path else []
            there = [file for file in files if os.path.exists(file)]
            for file in there:
                with suppress(OSError):
                    os.unlink(file)
            with suppress(OSError):
                os.rmdir(os.path.dirname(path))  # only when nothing else is in it
        return tuple(there)


@dataclass(frozen=True, slots=True)
class _Doomed:
    """What an erasure takes: numbers of turns and of runs, fingerprints of near misses, katas, and for each version that stays with fewer
    examples what it keeps."""

    turns: frozenset[int]
    runs: frozenset[int]
    near: tuple[str, ...]
    thinner: tuple[tuple[int, int, Json, Json], ...]
    told: Erasure


def _doomed(db: sqlite3.Connection, wanted: Wanted) -> _Doomed:
    """Find what belongs to a conversation, uses a tool, or holds a path or a text."""
    turns, names = _doomed_turns(db, wanted)
    katas = _doomed_katas(db, wanted)
    gone = {one[0] for one in katas}
    thinner, examples = [], 0
    for row in sql(db, "SELECT kata, number, spec, exhibits FROM versions ORDER BY kata, number").fetchall():
        kept = [one for one in row["exhibits"] if one["turn"] not in names and not _shows(one, wanted)]
        spec = _without_values(json.loads(row["spec"]))
        lost = len(row["exhibits"]) - len(kept)
        if row["kata"] not in gone and (lost or wanted.kind in ("path", "text") and _holds(json.loads(row["spec"]), wanted)):
            thinner.append((row["kata"], row["number"], kept, spec))
            examples += lost
    runs, near = _doomed_runs(db, wanted, turns, gone), _doomed_near(db, wanted)
    select = "SELECT DISTINCT conversation AS name FROM turns WHERE number = ?"
    conversations = len({value_of(db, select, number) for number in turns})
    return _Doomed(turns, runs, near, tuple(thinner), Erasure(len(turns), conversations, len(runs), len(near), examples, katas))


def _doomed_turns(db: sqlite3.Connection, wanted: Wanted) -> tuple[frozenset[int], frozenset[str]]:
    """The numbers and the names of the turns that go: a turn goes whole, so that no two calls become neighbours that never were."""
    if wanted.kind == "conversation":
        rows = sql(db, "SELECT number, id FROM turns WHERE conversation = ? OR session = ?", wanted.word, wanted.word).fetchall()
    elif wanted.kind == "tool":
        rows = sql(db, "SELECT number, id FROM turns WHERE number IN (SELECT turn FROM events WHERE tool = ?)", wanted.word).fetchall()
    else:
        rows = [row for row in sql(db, "SELECT number, id, message FROM turns") if _holds(row["message"], wanted)]
        select = "SELECT turn, arguments, result, reason, folder, around FROM events"
        inside = {row["turn"] for row in sql(db, select) if _holds(row, wanted)}
        rows += [sql(db, "SELECT number, id FROM turns WHERE number = ?", turn).fetchone() for turn in inside]
    return frozenset(row["number"] for row in rows), frozenset(row["id"] for row in rows)


def _doomed_katas(db: sqlite3.Connection, wanted: Wanted) -> tuple[tuple[int, str, str], ...]:
    """The katas that use a tool, or whose steps hold what is wanted, in any version."""
    found = {}
    select = "SELECT katas.id, name, state, spec FROM katas JOIN versions ON kata = katas.id ORDER BY katas.id, number"
    for row in sql(db, select) if wanted.kind != "conversation" else ():
        spec = _without_values(json.loads(row["spec"]))
        tools = {step.get("tool") for step in spec["steps"]}
        if wanted.word in tools if wanted.kind == "tool" else _holds(spec, wanted):
            found[row["id"]] = (int(row["id"]), str(row["name"]), str(row["state"]))
    return tuple(found.values())


def _doomed_runs(db: sqlite3.Connection, wanted: Wanted, turns: Collection[int], katas: Collection[int]) -> frozenset[int]:
    asked = turns if wanted.kind == "conversation" else ()
    sessions = {value_of(db, "SELECT session FROM turns WHERE number = ?", number) for number in asked}
    found = set()
    for row in sql(db, "SELECT number, kata, session, inputs, reason, folder FROM runs").fetchall():
        steps = [one["trace"] for one in sql(db, "SELECT trace FROM run_steps WHERE run = ?", row["number"])]
        told = {
            "conversation": row["session"] in sessions or row["session"] == wanted.word,
            "tool": any(step["tool"] == wanted.word for step in steps),
        }
        if row["kata"] in katas or told.get(wanted.kind, False) or _holds([row["inputs"], row["reason"], row["folder"], *steps], wanted):
            found.add(int(row["number"]))
    return frozenset(found)


def _doomed_near(db: sqlite3.Connection, wanted: Wanted) -> tuple[str, ...]:
    rows = sql(db, "SELECT fingerprint, keys, detail FROM near ORDER BY fingerprint").fetchall()
    mine = [row for row in rows if wanted.kind == "tool" and any(key.split("(")[0] == wanted.word for key in row["keys"])]
    return tuple(row["fingerprint"] for row in rows if row in mine or _holds([row["keys"], row["detail"]], wanted))


def _shows(exhibit: Json, wanted: Wanted) -> bool:
    return wanted.kind == "conversation" and exhibit["conversation"] == wanted.word or _holds(exhibit, wanted)


def _without_values(spec: Json) -> Json:
    """A stored spec without the values that its inputs had, which are evidence and no part of its digest."""
    inputs = [{**{key: value for key, value in one.items() if key != "choices"}, "examples": []} for one in spec["inputs"]]
    return {**spec, "inputs": inputs}


def _holds(value: Json, wanted: Wanted) -> bool:
    """Whether a text in the value, or a key, holds the wanted path or text; capitals do not matter."""
    if wanted.kind not in ("path", "text"):
        return False
    word = re.escape(wanted.word.casefold().rstrip("/") or "/")
    pattern = re.compile(rf"(?<![\w.-]){word}(?![\w-])" if wanted.kind == "path" else re.escape(wanted.word.casefold()))
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str) and pattern.search(one.casefold()):
            return True
        waiting += [*one.keys(), *one.values()] if isinstance(one, Mapping) else one if isinstance(one, list | tuple) else ()
    return False


def _erase(db: sqlite3.Connection, doomed: _Doomed, least: int) -> None:
    """Delete what was found; SQLite overwrites what it deletes. When it was stays known, so that the history does not bring it back."""
    for number in doomed.turns:
        spans = "INSERT INTO spans (session, began, ended) SELECT session, started, coalesce(ended, started) FROM turns WHERE number = ?"
        sql(db, spans, number)
        for table in ("spent", "uses", "times"):
            sql(db, f"DELETE FROM {table} WHERE turn = (SELECT id FROM turns WHERE number = ?)", number)
        sql(db, "UPDATE turns SET dirty = -1 WHERE number = ?", number)
    delete(db, "SELECT number FROM turns WHERE dirty = -1", (), least)
    for number in doomed.runs:
        sql(db, "DELETE FROM runs WHERE number = ?", number)
    for fingerprint in doomed.near:
        sql(db, "DELETE FROM near WHERE fingerprint = ?", fingerprint)
    for kata, number, kept, spec in doomed.thinner:
        update = "UPDATE versions SET exhibits = ?, spec = ? WHERE kata = ? AND number = ?"
        sql(db, update, pack(kept), canonical(spec), kata, number)
        sql(db, "UPDATE katas SET withdrawn = 'its examples were erased' WHERE id = ? AND withdrawn <> ''", kata)
    for kata, _name, _state in doomed.told.katas:
        for table in ("shown", "versions", "runs", "uses", "times"):
            sql(db, f"DELETE FROM {table} WHERE kata = ?", kata)
        sql(db, "DELETE FROM katas WHERE id = ?", kata)
