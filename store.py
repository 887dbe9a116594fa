"""Everything that Kata keeps, on one object: what was recorded, found, decided and run, in one SQLite file; it never reads a clock or
decides anything. A module of its own, because whoever keeps needs one thing to hold, and no part of it knows all others."""

from __future__ import annotations

from .accounts import Accounts
from .erasing import Erasing
from .mending import Mending
from .recordings import Recordings
from .runs import Runs


class Store(Recordings, Mending, Runs, Accounts, Erasing):
    """One file of records, as File opens it."""

    def copy(self) -> Store:
        """All of it once more, in a file that has no name and goes when it is closed."""
        other = self._copied()
        return Store(lambda: other)
