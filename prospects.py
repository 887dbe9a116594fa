"""Tells of a proposal what it would save, when its routine happens and in which words it was asked for, for a person and as JSON; the words
are no instruction to anybody, and it decides nothing. A module of its own beside savings.py, which tells what katas in use brought."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from . import moments, ranking, weighing
from .model import Json, Kata, State
from .moments import Occasion
from .ranking import Value
from .service import Service


@dataclass(frozen=True, slots=True)
class Prospect:
    """What is known of one kata beside what it does: what it would save (None for what is no proposal, or where nothing is known), when it
    was done, newest first, and a sentence for its description in the user's own words."""

    kata: Kata
    value: Value | None
    seen: Sequence[Occasion]
    sentence: str

    def to_json(self) -> dict[str, Json]:
        """With the user's own words, masked, the latest first."""
        when = [one.to_json() for one in moments.moments(self.seen)]
        words = {"asked_for": list(moments.words(self.seen)), "suggested_sentence": self.sentence or None}
        return value_json(self.value) | {"moments": when, "timetable": moments.timetable(self.seen) or None} | words


def prospect(service: Service, kata: Kata) -> Prospect:
    """What is known of a kata beside what it does."""
    value = service.values([kata]).get(kata.id)
    return Prospect(kata, value, weighing.occasions(service.store, kata), weighing.sentence(service.store, kata))


def value_json(one: Value | None) -> dict[str, Json]:
    """What a proposal would save; None for what is no proposal, or where nothing is known."""
    return {"would_save": one.to_json() if one else None}


def ordered(katas: Iterable[Kata], values: Mapping[int, Value | None]) -> tuple[Kata, ...]:
    """The proposals, what would save most first, and then all that was decided about, by number (T18)."""
    found = {kata.id: kata for kata in katas}
    waiting = [number for number in ranking.ranked(values) if number in found]
    return (*(found[number] for number in waiting), *(kata for number, kata in found.items() if number not in values))


def lines(one: Value | None) -> list[str]:
    """A line of a list on what a proposal would save."""
    return [f"     {ranking.line(one)}"] if one else []


def parts(one: Prospect, lead: str) -> list[tuple[str, list[str]]]:
    """The parts of a review: what it would save, when it happens, and how it was asked for."""
    number = one.kata.id
    when, at = moments.rows(one.seen), moments.timetable(one.seen)
    when += [f"a timetable may do it: hermes kata run {one.kata.name or 'NAME'} --cron '{at}'"] if at else []
    said = [f"“{text}”" for text in moments.words(one.seen)[: moments.WORDS]]
    help_ = f"for its description: {lead} edit {number} help {shlex.quote(one.sentence)}"
    said += [help_] if one.sentence and one.kata.state is State.CANDIDATE else []
    return [("Would save", ranking.rows(one.value) if one.value else []), ("When", when), ("Asked for", said)]


def shown(one: Prospect) -> dict[str, Json]:
    """The same parts for the tab, as texts."""
    return {"prospect": [{"title": title, "rows": rows} for title, rows in parts(one, "/kata") if rows]}
