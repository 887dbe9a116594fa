"""The log of decisions in the file, each chained to the one before it, and what follows from it alone: what is approved, trusted, put away;
it decides nothing. A module of its own, because consent is read from here and nowhere else, and nothing in it is ever changed."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from .model import AuditRow, Json, canonical, parsed
from .notes import Notes
from .rows import moment, unbind
from .statements import insert, value_of

AGREED = "(verb IN ('approve', 'enable', 'rollback') OR verb = 'relax' AND before = 'active')"
"""The decisions by which a person agrees to a revision: to relax a check of what is in use is one."""
HOLDS = """(audit.kata, audit.number) NOT IN (SELECT later.kata, CAST(substr(later.detail, 10) AS INTEGER) FROM audit AS later
WHERE later.verb = 'undo' AND later.detail LIKE 'decision %:%')"""
"""Whether a decision was not taken back."""
PERSONS = "actor <> 'system'"
SNOOZE_S = 30 * 86_400.0
UNDO_S = 86_400.0


BEFORE = {"kata", "state", "name", "version", "approved", "number"}
"""What is kept of how things were before a decision."""
FURTHER = {"also", "withdrawn"}
"""What may be kept beside that: how another kata was that the same decision changed, and why a proposal goes that the decision made."""
JOINS = "merge", "extend"
"""The decisions by which one proposal stands for two routines."""


FIELDS = "number, hash, at, actor, verb, kata, before, after, digest, detail"
HASH = "SELECT hash FROM audit WHERE number = ?"
RECENT = 5_000
"""Decisions that are looked at before a kata becomes a tool: some 50 ms. An older one that was changed is found by `audit verify`."""
PART = 1_000
"""A look at the newest begins at a multiple of so many, so that the next begins at the same; shorter logs are not worth a memory."""
MOST = 64
"""Logs, or parts of them, of which is known that they were looked at."""
NEVER = 2**62
NUMBERS = re.compile(r"[0-9]{1,15}")


class Decisions(Notes):
    """The log, and what it says."""

    _checked: tuple[int, str, int] = (0, "", 0)
    """The newest decision that was looked at, its hash, and after which number the log can be trusted."""

    def audit(self, limit: int, kata: int | None = None) -> tuple[AuditRow, ...]:
        """The latest decisions about a kata (None: about all), newest first."""
        chosen, values = ("", ()) if kata is None else ("WHERE kata = ?", (kata,))
        select = f"SELECT at, actor, verb, kata, before, after, digest, detail FROM audit {chosen} ORDER BY number DESC LIMIT ?"
        return tuple(AuditRow(**row | {"at": moment(row["at"])}) for row in self._rows(select, *values, limit))

    def proven(self, anew: bool = False) -> tuple[int, int]:
        """How many decisions the log holds, and the number of the first that is missing or not as it was written; 0 when none is (T66).
        What this process looked at before and is there unchanged is not reckoned again, unless `anew`."""
        with self._using("DEFERRED") as db:
            rows = db.execute(f"SELECT {FIELDS} FROM audit ORDER BY number").fetchall()
            written = value_of(db, "SELECT seq FROM sqlite_sequence WHERE name = 'audit'") or 0
        found = judged(0, "", rows, anew)
        whole = written == (found.number if rows else 0)
        return len(rows), found.breaks[0][0] if found.breaks else 0 if whole else len(rows) + 1

    def _sure(self) -> int:
        """After which number the log says what was decided: before a place where it is broken anything may have been taken out. Looked at
        are the newest decisions, and of those only what came since the last look; `proven` looks at all."""
        with self._using("DEFERRED") as db:
            count, top = db.execute("SELECT count(*), coalesce(max(number), 0) FROM audit").fetchone()
            written = value_of(db, "SELECT seq FROM sqlite_sequence WHERE name = 'audit'") or 0
            number, last, sure = self._checked if count == top else (0, "", 0)
            if number > top or number and value_of(db, HASH, number) != last:
                number, last, sure = 0, "", 0  # another file is there now
            if top - number > RECENT:
                number = (top - RECENT) // PART * PART
                last, sure = value_of(db, HASH, number) or "", max(sure, number if count != top else 0)
            rows = db.execute(f"SELECT {FIELDS} FROM audit WHERE number > ? ORDER BY number", (number,)).fetchall()
        found = judged(number, last, rows)
        sure = found.breaks[-1][1] if found.breaks else sure
        self._checked = found.number, found.last, sure
        return sure if written == top else NEVER

    def generation(self) -> int:
        """A number that grows with every change to a kata: that of its audit row."""
        return int(self._rows("SELECT coalesce(max(number), 0) AS number FROM audit")[0]["number"])

    def last(self) -> tuple[AuditRow, Json] | None:
        """The last decision of a person, and how things were before it; None for that where it cannot be taken back."""
        row = self._first(f"SELECT * FROM audit WHERE {PERSONS} ORDER BY number DESC LIMIT 1")
        if row is None:
            return None
        number, _ = row.pop("number"), row.pop("hash")
        kept = parsed(self.noted("undo"))
        row["at"] = moment(row["at"])
        whole = isinstance(kept, dict) and BEFORE <= kept.keys() <= BEFORE | FURTHER and kept["number"] == number
        return AuditRow(**row), kept if whole else None

    def snoozed(self, now: float) -> dict[int, float]:
        """The proposals that nobody wants to see for now: number → until when."""
        select = f"SELECT kata, max(at) AS at FROM audit WHERE verb = 'snooze' AND {HOLDS} GROUP BY kata"
        return {int(row["kata"]): moment(row["at"]) + SNOOZE_S for row in self._rows(select) if moment(row["at"]) + SNOOZE_S > now}

    def chosen(self) -> tuple[tuple[int, str, tuple[int, ...]], ...]:
        """What persons chose about routines with steps in common, oldest first: the kata, the verb ("merge", "extend", "separate"), the
        others."""
        verbs = ", ".join(f"'{verb}'" for verb in (*JOINS, "separate"))
        rows = self._rows(f"SELECT kata, verb, detail FROM audit WHERE verb IN ({verbs}) AND {HOLDS} ORDER BY number")
        return tuple((int(row["kata"]), str(row["verb"]), tuple(map(int, NUMBERS.findall(row["detail"])))) for row in rows)

    def approved(self, kata: int, digest: str) -> bool:
        """Whether the log says that a person approved that revision, in a row after which it is not broken (T42)."""
        select = f"SELECT number FROM audit WHERE kata = ? AND digest = ? AND number > ? AND {AGREED} AND {HOLDS} LIMIT 1"
        return bool(self._rows(select, kata, digest, self._sure()))

    def standing_now(self) -> frozenset[tuple[int, str]]:
        """The katas, each with the digest of a revision, that are in use as the log says: a person approved it, and nothing came after
        that took it out of use."""
        newest = "number IN (SELECT max(number) FROM audit GROUP BY kata)"
        chosen = f"(kata, digest) IN (SELECT kata, digest FROM audit WHERE number > ? AND {AGREED} AND {HOLDS})"
        rows = self._rows(f"SELECT kata, digest FROM audit WHERE after = 'active' AND {newest} AND {chosen}", self._sure())
        return frozenset((row["kata"], row["digest"]) for row in rows)

    def ever_agreed(self) -> frozenset[int]:
        """The katas of which some revision was ever in use, as the log says."""
        return frozenset(int(row["kata"]) for row in self._rows(f"SELECT DISTINCT kata FROM audit WHERE {AGREED} AND {HOLDS}"))

    def trusted(self) -> frozenset[tuple[int, str]]:
        """The katas, each with the digest of a revision, that a person trusts, as the audit log says."""
        select = f"SELECT kata, digest, verb FROM audit WHERE verb IN ('trust', 'untrust') AND number > ? AND {HOLDS} ORDER BY number"
        rows = self._rows(select, self._sure())
        last = {(row["kata"], row["digest"]): row["verb"] for row in rows}
        return frozenset(one for one, verb in last.items() if verb == "trust")

    def beside(self, kata: int, verb: str) -> tuple[str, ...]:
        """What is written beside the decisions of that verb about a kata that hold, newest first."""
        rows = self._rows(f"SELECT detail FROM audit WHERE kata = ? AND verb = ? AND {HOLDS} ORDER BY number DESC", kata, verb)
        return tuple(str(row["detail"]) for row in rows)

    def first(self, kata: int, digest: str) -> float:
        """When a kata had that revision first (epoch seconds), by the log; 0 where it does not say."""
        row = self._first("SELECT min(at) AS at FROM audit WHERE kata = ? AND digest = ?", kata, digest)
        return moment(row["at"] or 0.0) if row else 0.0

    def why(self, kata: int) -> str:
        """Why a kata came to the state it is in, as the log says; empty where nobody said."""
        return self.came(kata)[0]

    def came(self, kata: int) -> tuple[str, float]:
        """Why a kata came to the state it is in, as the log says, and when (epoch seconds); empty and 0 where nobody said."""
        select = "SELECT verb, detail, at FROM audit WHERE kata = ? AND before <> after AND after = (SELECT state FROM katas WHERE id = ?)"
        row = self._first(f"{select} ORDER BY number DESC LIMIT 1", kata, kata)
        if row is None:
            return "", 0.0
        undone = row["verb"] == "undo"  # its detail names the decision, "decision 4: approve", which a person knows by its verb
        told = f"'{str(row['detail']).rpartition(' ')[2]}' was taken back" if undone else str(row["detail"])
        return told, moment(row["at"])


def log(db: sqlite3.Connection, row: AuditRow) -> None:
    """Write a decision down, chained to the one before it (T66)."""
    last = value_of(db, "SELECT hash FROM audit ORDER BY number DESC LIMIT 1") or ""
    insert(db, "audit", {**asdict(row), "hash": chained(last, row)})


@dataclass(frozen=True, slots=True)
class Judged:
    """Some rows of the log as they were looked at: how many, a mark of all they hold, the newest number and its hash, and each place at
    which one is missing or not as it was written, counted from 1 and by its number."""

    count: int
    mark: int
    number: int
    last: str
    breaks: tuple[tuple[int, int], ...] = ()


_seen: dict[tuple[int, str], Judged] = {}
"""What this process looked at, by what the rows come after: a page that asks every few seconds reads a log of years anew each time, and
most of what that costs is the hashing."""


def judged(number: int, last: str, rows: Sequence[tuple[Json, ...]], anew: bool = False) -> Judged:
    """The rows of the log that come after a number and its hash. Those that were looked at and hold the same are not hashed again."""
    key = number, last
    before = None if anew else _seen.get(key)
    if before is None or hash(tuple(rows[: before.count])) != before.mark:
        before = Judged(0, hash(()), number, last)
    breaks = list(before.breaks)
    number, last = before.number, before.last
    for at, (own, told, *row) in enumerate(rows[before.count :], before.count + 1):
        if own != number + 1 or not intact(last, AuditRow(*map(unbind, row)), told):
            breaks.append((at, own))
        number, last = own, told
    found = Judged(len(rows), hash(tuple(rows)), number, last, tuple(breaks))
    if len(rows) >= PART or anew:
        _keep(key, found)
    return found


def _keep(key: tuple[int, str], found: Judged) -> None:
    while len(_seen) >= MOST:
        _seen.pop(next(iter(_seen)), None)
    _seen[key] = found


def intact(last: str, row: AuditRow, told: Json) -> bool:
    """Whether that is the hash of a decision after the one before it; False too where a field is none that a decision has."""
    try:
        return bool(told == chained(last, row))
    except (TypeError, ValueError):
        return False


def chained(last: str, row: AuditRow) -> str:
    """SHA-256 (hex) of a decision and the hash of the one before it."""
    text = canonical([last, float(row.at), row.actor, row.verb, row.kata, row.before, row.after, row.digest, row.detail])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
