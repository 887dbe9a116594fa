"""The log of decisions in the file, each chained to the one before it, and what follows from it alone: what is approved, trusted, put away;
it decides nothing. A module of its own, because consent is read from here and nowhere else, and nothing in it is ever changed."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from dataclasses import asdict

from .model import AuditRow, Json, canonical
from .notes import Notes
from .statements import insert, sql, value_of

AGREED = "(verb IN ('approve', 'enable', 'rollback') OR verb = 'relax' AND before = 'active')"
"""The decisions by which a person agrees to a revision: to relax a check of what is in use is one."""
HOLDS = """NOT EXISTS (SELECT 1 FROM audit AS later WHERE later.kata = audit.kata AND later.verb = 'undo'
AND later.detail LIKE 'decision ' || audit.number || ':%')"""
"""Whether a decision was not taken back."""
PERSONS = "actor <> 'system'"
SNOOZE_S = 30 * 86_400.0
UNDO_S = 86_400.0


class Decisions(Notes):
    """The log, and what it says."""

    def audit(self, limit: int, kata: int | None = None) -> tuple[AuditRow, ...]:
        """The latest decisions about a kata (None: about all), newest first."""
        chosen, values = ("", ()) if kata is None else ("WHERE kata = ?", (kata,))
        select = f"SELECT at, actor, verb, kata, before, after, digest, detail FROM audit {chosen} ORDER BY number DESC LIMIT ?"
        return tuple(AuditRow(**row) for row in self._rows(select, *values, limit))

    def proven(self) -> tuple[int, int]:
        """How many decisions the log holds, and the number of the first that is missing or not as it was written; 0 when none is (T66)."""
        with self._using("DEFERRED") as db:
            rows = sql(db, "SELECT * FROM audit ORDER BY number").fetchall()
            written = value_of(db, "SELECT seq FROM sqlite_sequence WHERE name = 'audit'") or 0
        last = ""
        for at, row in enumerate(rows, 1):
            number, told = row.pop("number"), row.pop("hash")
            if number != at or told != chained(last, AuditRow(**row)):
                return len(rows), at
            last = told
        return len(rows), 0 if written == len(rows) else len(rows) + 1

    def generation(self) -> int:
        """A number that grows with every change to a kata: that of its audit row."""
        return int(self._rows("SELECT coalesce(max(number), 0) AS number FROM audit")[0]["number"])

    def last(self) -> tuple[AuditRow, Json] | None:
        """The last decision of a person, and how things were before it; None for that where it cannot be taken back."""
        row = self._first(f"SELECT * FROM audit WHERE {PERSONS} ORDER BY number DESC LIMIT 1")
        if row is None:
            return None
        number, _ = row.pop("number"), row.pop("hash")
        kept = json.loads(self.noted("undo") or "null")
        return AuditRow(**row), kept if kept and kept["number"] == number else None

    def snoozed(self, now: float) -> dict[int, float]:
        """The proposals that nobody wants to see for now: number → until when."""
        select = f"SELECT kata, max(at) AS at FROM audit WHERE verb = 'snooze' AND {HOLDS} GROUP BY kata"
        return {int(row["kata"]): row["at"] + SNOOZE_S for row in self._rows(select) if row["at"] + SNOOZE_S > now}

    def approved(self, kata: int, digest: str) -> bool:
        """Whether the audit log says that a person approved that revision."""
        select = f"SELECT number FROM audit WHERE kata = ? AND digest = ? AND {AGREED} AND {HOLDS} LIMIT 1"
        return bool(self._rows(select, kata, digest))

    def trusted(self) -> frozenset[tuple[int, str]]:
        """The katas, each with the digest of a revision, that a person trusts, as the audit log says."""
        rows = self._rows(f"SELECT kata, digest, verb FROM audit WHERE verb IN ('trust', 'untrust') AND {HOLDS} ORDER BY number")
        last = {(row["kata"], row["digest"]): row["verb"] for row in rows}
        return frozenset(one for one, verb in last.items() if verb == "trust")

    def first(self, kata: int, digest: str) -> float:
        """When a kata had that revision first (epoch seconds), by the log; 0 where it does not say."""
        row = self._first("SELECT min(at) AS at FROM audit WHERE kata = ? AND digest = ?", kata, digest)
        return float(row["at"] or 0.0) if row else 0.0

    def why(self, kata: int) -> str:
        """Why a kata came to the state it is in, as the log says; empty where nobody said."""
        select = "SELECT detail FROM audit WHERE kata = ? AND before <> after AND after = (SELECT state FROM katas WHERE id = ?)"
        row = self._first(f"{select} ORDER BY number DESC LIMIT 1", kata, kata)
        return "" if row is None else str(row["detail"])


def log(db: sqlite3.Connection, row: AuditRow) -> None:
    """Write a decision down, chained to the one before it (T66)."""
    last = value_of(db, "SELECT hash FROM audit ORDER BY number DESC LIMIT 1") or ""
    insert(db, "audit", {**asdict(row), "hash": chained(last, row)})


def chained(last: str, row: AuditRow) -> str:
    """SHA-256 (hex) of a decision and the hash of the one before it."""
    text = canonical([last, float(row.at), row.actor, row.verb, row.kata, row.before, row.after, row.digest, row.detail])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
