"""Small facts in the file: notes under a name, counters, who has a lease, what the status shows; what they mean is nothing that it knows. A
module of its own, because everybody keeps some, and they belong to no noun."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress

from .file import File, mode_of
from .model import Json
from .statements import add_to, sql, value_of

FACTS: Mapping[str, str] = {
    "calls": "SELECT count(*) FROM events",
    "turns": "SELECT count(*) FROM turns",
    "conversations": "SELECT count(DISTINCT conversation) FROM turns",
    "dirty": "SELECT count(*) FROM turns WHERE dirty > 0",
    "last_event": "SELECT max(ended) FROM events WHERE turn = (SELECT max(turn) FROM events WHERE turn > 0)",
    "version": "PRAGMA user_version",
    "journal": "PRAGMA journal_mode",
}


COUNT = re.compile("[0-9]{1,9}")
LEASE_S = 3_600.0
"""A lease that is older, or that far in the future, holds nobody up: whoever had it hangs, or another program wrote it."""


class Notes(File):
    """Notes, counters, leases and facts."""

    def count(self, name: str, n: int = 1) -> None:
        """Add to the counter of that name."""
        with self._using("IMMEDIATE") as db:
            add_to(db, name, n)

    def counters(self) -> dict[str, int]:
        """All counters by name."""
        return {row["name"]: row["value"] for row in self._rows("SELECT name, value FROM counters ORDER BY name")}

    def note(self, name: str, text: str) -> None:
        """Keep one small fact under a name."""
        self._change("INSERT OR REPLACE INTO notes (name, text) VALUES (?, ?)", name, text)

    def noted(self, name: str) -> str:
        """The fact kept under that name; empty when none."""
        row = self._first("SELECT text FROM notes WHERE name = ?", name)
        return "" if row is None else str(row["text"])

    def number(self, name: str, otherwise: float = 0.0) -> float:
        """The number kept under that name; `otherwise` where none is, or what is there is none."""
        try:
            found = float(self.noted(name) or otherwise)
        except ValueError:
            return otherwise
        return found if math.isfinite(found) else otherwise

    def hold(self, owner: str, n: int) -> None:
        """Leave word beside the file that `owner` holds n events which the file does not take now; 0 takes the word back. It is the
        name of an empty file, because a full disk has room for no more."""
        mine = f"held-{owner.replace(':', '-')}-"
        with suppress(OSError):
            for old in self._notes(mine):
                os.unlink(old)
            if n:
                os.close(os.open(os.path.join(os.path.dirname(self._probed), f"{mine}{n}"), os.O_CREAT | os.O_WRONLY, 0o600))

    def inherit(self, alive: Callable[[str], bool]) -> int:
        """Count as "not_written" what processes that are gone held when they ended; the number of events."""
        found = 0
        for path in self._notes("held-"):
            pid, began, n = [*os.path.basename(path).split("-"), "", "", ""][1:4]
            if COUNT.fullmatch(n) and not alive(f"{pid}:{began}"):
                with suppress(OSError):
                    os.unlink(path)  # first: what cannot be taken away would be counted again and again
                    self.count("not_written", int(n))
                    found += int(n)
        return found

    def _notes(self, start: str) -> list[str]:
        folder = os.path.dirname(self._probed)
        with suppress(OSError):
            return [os.path.join(folder, name) for name in os.listdir(folder) if name.startswith(start)] if folder else []
        return []

    def lease(self, owner: str, alive: Callable[[str], bool], what: str = "miner", now: float = 0.0) -> bool:
        """Take the right to mine, or to be another, at that time (epoch seconds); False while somebody else holds it who is still alive
        and took it within the hour."""
        with self._using("IMMEDIATE") as db:
            holder, _, since = str(value_of(db, "SELECT text FROM notes WHERE name = ?", what) or "").partition(" ")
            if holder not in ("", owner) and abs(now - _seconds(since)) < LEASE_S and alive(holder):
                return False
            sql(db, "INSERT OR REPLACE INTO notes (name, text) VALUES (?, ?)", what, f"{owner} {now!r}")
            return True

    def release(self, owner: str, what: str = "miner") -> None:
        """Give the right to mine, or to be another, back."""
        self._change("DELETE FROM notes WHERE name = ? AND substr(text, 1, ?) = ?", what, len(owner) + 1, f"{owner} ")

    def facts(self) -> dict[str, Json]:
        """What status shows: calls, turns, conversations, dirty (turns), katas by state, last_event (epoch seconds or
        None), bytes, version, journal, path and mode (octal) of the file."""
        with self._using("DEFERRED") as db:
            states = sql(db, "SELECT state, count(*) AS n FROM katas WHERE withdrawn = '' GROUP BY state ORDER BY state").fetchall()
            return {
                **{name: value_of(db, select) for name, select in FACTS.items()},
                "katas": {row["state"]: row["n"] for row in states},
                "bytes": value_of(db, "PRAGMA page_count") * value_of(db, "PRAGMA page_size"),
                "used": (value_of(db, "PRAGMA page_count") - value_of(db, "PRAGMA freelist_count")) * value_of(db, "PRAGMA page_size"),
                "path": self._path,
                "mode": mode_of(self._path),
            }


def _seconds(text: str) -> float:
    """A time as a lease holds it; one that is none is long over."""
    try:
        return float(text)
    except ValueError:
        return -math.inf
