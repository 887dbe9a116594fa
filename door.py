"""What only the outermost layer can tell the verbs: the time, what replays, today's tools, the host's history; it names it and holds
nothing of it. A module of its own, because every layer of the verbs asks through the door, and none of them opens it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from .model import Json, Outcome, Spec, StepCall, Trace
from .turns import Line, Session

Dispatch = Callable[[StepCall], Outcome]
Replay = Callable[[Spec, Mapping[str, Json], Dispatch], Trace]


class Shelf(Protocol):
    """What the host keeps, while it is open to be read."""

    def sessions(self) -> Iterable[Session]: ...

    def lines(self, one: Session) -> Iterable[Line]: ...


class Archive(Protocol):
    """Opens what the host keeps of earlier conversations; StoreError when there is nothing that could be read."""

    def opened(self) -> AbstractContextManager[Shelf]: ...


@dataclass(frozen=True, slots=True)
class Door:
    """What only the outermost layer can tell: the time, what replays, today's tools and which names are taken."""

    clock: Callable[[], float]
    """Epoch seconds."""
    replay: Replay
    """The executor under the production driver, on a stub that answers instead of the tools."""
    schema: Callable[[str], str | None]
    """Fingerprint of a tool's schema today; None where the tool is not known in this process."""
    taken: Callable[[str], bool]
    """Whether a tool name belongs to somebody else."""
    owner: str = "one"
    """This process: pid and start time."""
    alive: Callable[[str], bool] = lambda owner: False
    """Whether the process of that name still runs."""
    watch: Callable[[], float] = lambda: 0.0
    """Epoch seconds for the times of steps; 0 where nobody measures them."""
    parameters: Callable[[str], Json] = lambda tool: None
    """A tool's parameters today; None where the tool is not known in this process."""
    archive: Archive | None = None
    """What the host keeps of earlier conversations; None where it cannot be asked."""
    secret: Callable[[str], str | None] = lambda variable: None
    """What a variable of the environment holds; asked for when a kata runs, for those that a person named."""
    which: Callable[[str], str] = lambda name: ""
    """Where a program is by our own look at PATH, which runs nothing; empty where it is not found, or commands run elsewhere."""
    there: Callable[[str], bool] = lambda path: True
    """Whether a file or folder is there; True where nobody can tell."""
