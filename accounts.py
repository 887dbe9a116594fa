"""What turns, uses and routines done by hand cost, in the file; it keeps numbers and times, never what was said. A module of its own,
because accounts outlive the turns they are about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .file import File
from .model import Json
from .rows import pack
from .statements import insert

PULSE = (
    ("max(number)", "turns"),
    ("count(*)", "turns"),
    ("count(*)", "turns WHERE dirty > 0"),
    ("sum(requests)", "spent"),
    ("max(number)", "audit"),
    ("sum(version)", "katas"),  # more evidence for the same steps stands in no log
)


class Accounts(File):
    """The accounts, as ledger makes them."""

    def settle(self, turn: str, at: float, requests: int, uses: Iterable[Json], times: Mapping[int, Json]) -> None:
        """Keep what a turn cost: how many model requests, each use of a kata (with its run, kata and time), and what each routine done by
        hand in it took, by kata."""
        with self._using("IMMEDIATE") as db:
            if requests:
                again = "ON CONFLICT (turn) DO UPDATE SET requests = excluded.requests"
                insert(db, "spent", {"turn": turn, "at": at, "requests": requests}, again)
            for use in uses:
                row = {"run": use["run"], "kata": use["kata"], "turn": turn, "at": use["at"], "told": pack(use)}
                insert(db, "uses", row, "ON CONFLICT (run) DO UPDATE SET told = excluded.told")
            for kata, cost in times.items():
                row = {"kata": kata, "turn": turn, "at": at, "cost": pack(cost)}
                insert(db, "times", row, "ON CONFLICT (kata, turn) DO UPDATE SET cost = excluded.cost")

    def uses(self, kata: int) -> tuple[Json, ...]:
        """What is kept of each use of a kata, in the order of time."""
        return tuple(row["told"] for row in self._rows("SELECT told FROM uses WHERE kata = ? ORDER BY at, run", kata))

    def times(self, kata: int, most: int = 20) -> dict[str, Json]:
        """Turn → what the routine cost there by hand; the newest `most`."""
        rows = self._rows("SELECT turn, cost FROM times WHERE kata = ? ORDER BY at DESC LIMIT ?", kata, most)
        return {row["turn"]: row["cost"] for row in rows}

    def pulse(self) -> tuple[int, ...]:
        """Numbers of which one changes whenever a turn is recorded, mined, counted or forgotten, or a kata or its
        evidence changes."""
        return tuple(int(self._rows(f"SELECT coalesce({what}, 0) AS n FROM {where}")[0]["n"]) for what, where in PULSE)

    def counted(self) -> float:
        """When the first turn began whose model requests were counted (epoch seconds); 0 where none were."""
        return float(self._rows("SELECT coalesce(min(at), 0) AS at FROM spent")[0]["at"])

    def asked(self, first: float, last: float) -> int:
        """How many model requests were made in the turns that began between those times."""
        return int(self._rows("SELECT coalesce(sum(requests), 0) AS n FROM spent WHERE at BETWEEN ? AND ?", first, last)[0]["n"])
