"""Says when a routine happens and in which words it was asked for, by how many of its times; the words are told to a person and are never
an instruction, and it reads no clock and no file. A module of its own, because what a kata does says nothing of when it is wanted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .model import Json
from .wording import visible

USUAL, OFTEN = 0.8, 0.5
"""The share of its times from which on a moment is usual, and from which on it is told at all."""
LEAST = 3
"""Times, on so many days, or in so many weeks where it is about a day of the week, before anything is said."""
SPAN = 2
"""Hours of the day that are one moment: what is done at nine is done at five to nine, too."""
DAYS = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays", "Saturdays", "Sundays")
WORKDAYS = "workdays"
WORDS, LONGEST = 3, 160
"""How many of the user's messages a page shows, and how much of each."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """One time that it was done: on which day (local, counted from 1970-01-01) and in which hour, what was called right before it in the
    same conversation, whether nothing was, and what the user had said, masked."""

    day: int
    hour: int
    after: str = ""
    first: bool = False
    said: str = ""

    @property
    def weekday(self) -> int:
        """From 0, a Monday."""
        return (self.day + 3) % 7

    @property
    def week(self) -> int:
        return (self.day + 3) // 7


@dataclass(frozen=True, slots=True)
class Moment:
    """When it happens: `kind` "hour", "weekday", "after" or "first", in words, and in how many of how many times."""

    kind: str
    what: str
    held: int
    times: int

    @property
    def share(self) -> float:
        return self.held / self.times

    def to_json(self) -> dict[str, Json]:
        """With its share, from 0 to 1."""
        return {"kind": self.kind, "what": self.what, "held": self.held, "times": self.times, "share": round(self.share, 2)}


def moments(seen: Sequence[Occasion]) -> tuple[Moment, ...]:
    """What at least half of its times have in common, where there are enough of them on enough days."""
    if len(seen) < LEAST:
        return ()
    found = [_hour(seen), _weekday(seen), _after(seen), _first(seen)]
    return tuple(one for one in found if one is not None and one.share >= OFTEN)


def _hour(seen: Sequence[Occasion]) -> Moment | None:
    if len({one.day for one in seen}) < LEAST:
        return None
    start = busiest(seen)
    return Moment("hour", f"between {start:02d}:00 and {(start + SPAN) % 24:02d}:00", sum(map(_within(start), seen)), len(seen))


def busiest(seen: Sequence[Occasion]) -> int:
    """The hour with which the span begins that holds most of its times, as much as can be from its middle on."""
    return max(range(24), key=lambda start: (sum(map(_within(start), seen)), sum(one.hour == start for one in seen), -start))


def _within(start: int) -> Callable[[Occasion], bool]:
    return lambda one: (one.hour - start) % 24 < SPAN


def _weekday(seen: Sequence[Occasion]) -> Moment | None:
    """The day of the week, where that was so in enough weeks; else workdays, where it was done on enough of them."""
    day, held = Counter(one.weekday for one in seen).most_common(1)[0]
    if held / len(seen) >= OFTEN and len({one.week for one in seen if one.weekday == day}) >= LEAST:
        return Moment("weekday", f"on {DAYS[day]}", held, len(seen))
    worked = [one for one in seen if one.weekday < 5]
    enough = len({one.weekday for one in worked}) >= LEAST and len({one.week for one in worked}) >= LEAST
    return Moment("weekday", f"on {WORKDAYS}", len(worked), len(seen)) if enough else None


def _after(seen: Sequence[Occasion]) -> Moment | None:
    what, held = Counter(one.after for one in seen).most_common(1)[0]
    return Moment("after", f"right after {what}", held, len(seen)) if what and held >= LEAST else None


def _first(seen: Sequence[Occasion]) -> Moment | None:
    held = sum(one.first for one in seen)
    return Moment("first", "as the first thing in a conversation", held, len(seen)) if held >= LEAST else None


def timetable(seen: Sequence[Occasion]) -> str:
    """The five fields of a cron line for when it usually happens; empty where its hour is not usual, or what it comes after is more of
    a sign than the clock."""
    usual = {one.kind: one for one in moments(seen) if one.share >= USUAL}
    if "hour" not in usual or "after" in usual:
        return ""
    hour = Counter(one.hour for one in seen).most_common(1)[0][0]
    day = usual["weekday"].what.removeprefix("on ") if "weekday" in usual else ""
    return f"0 {hour} * * {'1-5' if day == WORKDAYS else (DAYS.index(day) + 1) % 7 if day else '*'}"


# ── Words ────────────────────────────────────────────────────────────────────────────────────────


def words(seen: Sequence[Occasion]) -> tuple[str, ...]:
    """What the user said when it was done, the latest first, each once, on one line; nothing in it acts on a terminal."""
    shown = (visible(" ".join(one.said.split())) for one in seen)
    return tuple(dict.fromkeys(text if len(text) <= LONGEST else text[: LONGEST - 1] + "…" for text in shown if text))


def rows(seen: Sequence[Occasion]) -> list[str]:
    """When it happens, one moment a line; a usual one says so."""
    told = []
    for one in moments(seen):
        told.append(f"{'usually' if one.share >= USUAL else 'often'} {one.what}: {one.held} of {one.times} times")
    return told
