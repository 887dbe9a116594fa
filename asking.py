"""The nouns of one command: what was asked where, what is answered, and how a run is begun; nothing is carried out here.

A module of its own, because what carries commands out is in several modules, each of which takes an `Ask` and gives an `Answer`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .model import Json, Kata
from .service import Service

Go = Callable[[Kata, Mapping[str, Json]], Mapping[str, Json]]
"""Begins a run of a kata with its inputs, and gives what the agent would be answered; Refused where it may not begin."""


@dataclass(frozen=True, slots=True)
class Hand:
    """How a place runs what a person orders, the folder in which it would, how Hermes is called from anywhere, and what is around."""

    go: Go
    folder: str = ""
    hermes: str = "hermes"
    around: Mapping[str, Json] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    """What the owner and this machine are called."""
    sure: Callable[[str], bool] | None = None
    """Puts a question to the person at this terminal; None where none sits there."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Plain text for a person, the same as JSON, and the exit code of a shell: 0 done, 1 refused, 2 not understood."""

    text: str
    json: Json = None
    code: int = 0
    raw: str = ""
    """What is to be copied, and stands below the text without any change."""


@dataclass(frozen=True, slots=True)
class Ask:
    """What was asked: the words after the verb, where (`surface` "cli", "chat", or "group", where a review counts for no approval), and the
    options."""

    words: tuple[str, ...]
    surface: str
    digest: str = ""
    host: Mapping[str, str] = field(default_factory=dict)
    """What the door has to say about the host, one line a name, for status."""
    hand: Hand | None = None
    """How that place begins a run that a person orders; None where none can begin."""
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The options that were given, with their values."""
    session: str = ""
    """That of the chat in which it was asked; empty in a shell."""

    @property
    def lead(self) -> str:
        return "hermes kata" if self.surface == "cli" else "/kata"

    @property
    def kata(self) -> str:
        """The first word as the number, name or tool of a kata; none of them has capitals."""
        return self.words[0].lower()


Act = Callable[[Service, Ask], Answer]
"""Carries out one command, or raises what was wrong with it."""
