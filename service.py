"""All verbs of Kata on one object, one code path for chat, shell and dashboard: record, mine, review, decide, run; it never speaks to the
host and never decides in a person's place. A module of its own, because whoever calls needs one thing to hold, and no layer of the verbs
knows all others."""

from __future__ import annotations

from .door import Door
from .forcing import Forcing
from .joining import Joining
from .mending import Mended
from .rounds import Rounds
from .running import Running
from .settings import Settings
from .store import Store


class Service(Rounds, Running, Joining, Forcing):
    """One per plugin object."""

    def __init__(self, store: Store, settings: Settings, door: Door) -> None:
        super().__init__(store, settings, door)
        self.doing = ""
        """What takes its time just now, in a few words, for a person who waits."""

    def cleanup(self) -> tuple[str, ...]:
        """Erase everything that Kata keeps, its file too; the files that went."""
        self._maskers.clear()
        self._conversations.clear()
        self._tools = None
        return self.store.remove()

    def repair(self, surface: str) -> Mended | None:
        """Save what can be read of a damaged file into a new one; None when nothing is wrong with it."""
        return self.store.mend(surface, self.door.clock())
