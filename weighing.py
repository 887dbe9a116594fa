"""Looks up what a proposal would save, when its routine happens and in which words it was asked for; it weighs what is kept, and never
writes or decides anything. A module of its own, because the questions of reading.py need it, and it needs nothing but the file."""

from __future__ import annotations

import calendar
import time
from collections.abc import Iterable, Mapping

from . import ranking, templating, verdicts
from .effects import BOOKKEEPING
from .ends import program
from .model import Call, Damaged, Example, Kata, SpecError, State
from .moments import Occasion
from .ranking import Gain, Value
from .recordings import Told
from .speech import instructs
from .store import Store
from .verdicts import Missed

RECENT, MEASURED = 20, 8
"""Times that are looked at, and examples that are measured where nothing is kept of them: the newest."""
LOOKED_S = 28 * 86_400.0
"""How far back it is looked how many model requests there are in a week."""
DAY_S = 86_400
SKILL = "skill_view"


# ── What it would save ───────────────────────────────────────────────────────────────────────────


def values(store: Store, katas: Iterable[Kata], active: int, now: float) -> dict[int, Value | None]:
    """What each of the proposals among them would save in a week, beside so many `active` katas; None where nothing is known."""
    waiting = [kata for kata in katas if kata.state is State.CANDIDATE]
    if not waiting:
        return {}
    paces, oldest, letters = store.paces([kata.id for kata in waiting]), store.oldest(), ranking.letters(active)
    requests = _requests(store, now)
    found: dict[int, Value | None] = {}
    for kata in waiting:
        if not sound(kata):
            found[kata.id] = None
            continue
        times = paces.get(kata.id) or len(kata.version.exhibits)
        found[kata.id] = ranking.value(gains(store, kata), times, now - oldest, letters, requests)
    return found


def sound(kata: Kata) -> bool:
    """Whether the examples of a kata can be read; in a list nobody has looked yet."""
    try:
        return len(kata.version.exhibits) >= 0
    except (SpecError, Damaged):
        return False


def _requests(store: Store, now: float) -> float:
    """Model requests in a week, as far back as they were counted and no further than four weeks; less than one week counts as one."""
    first = max(store.counted(), now - LOOKED_S)
    return store.asked(first, now) / max(1.0, (now - first) / ranking.WEEK_S)


def gains(store: Store, kata: Kata) -> tuple[Gain, ...]:
    """What each time by hand would have saved: measured and kept, or read from its newest examples; counted by the calls of an
    example whose requests were not recorded."""
    kept = {turn: Gain.from_json(told) for turn, told in store.times(kata.id).items()}
    rest = [one for one in kata.version.exhibits if one.turn not in kept and one.events][:MEASURED]
    return (*kept.values(), *(ranking.gain(one, store.requests(one.turn)) or ranking.counted(one) for one in rest))


# ── When it happens ──────────────────────────────────────────────────────────────────────────────


def occasions(store: Store, kata: Kata) -> tuple[Occasion, ...]:
    """When its routine was done lately, newest first: by what is kept of its turns."""
    window = store.window(kata.id)
    places = store.placed(window, most=RECENT) if window else ()
    told = store.told([one.turn for one in places])
    return tuple(_occasion(store, told[one.turn], one.turn, one.first) for one in places if one.turn in told)


def _occasion(store: Store, told: Told, turn: str, first: int) -> Occasion:
    local = time.localtime(told.at)
    before = next((call for call in store.before(turn, first) if call.tool not in BOOKKEEPING), None)
    return Occasion(calendar.timegm(local) // DAY_S, local.tm_hour, _named(before) if before else "", before is None, told.message)


def _named(call: Call) -> str:
    """What was called before it, in a few words, without values: a skill by its name, a command by its programs, any other tool by its
    own name."""
    name = call.arguments.get("name")
    if call.tool == SKILL and isinstance(name, str):
        return f"the skill {name}"
    return program(call)


def sentence(store: Store, kata: Kata) -> str:
    """A first sentence for its description in the words with which most of its examples were asked for, values apart; empty where they
    have none in common, or where they try to instruct."""
    told = store.told([one.turn for one in kata.version.exhibits])
    there = [one for one in kata.version.exhibits if one.turn in told]
    asked = [Missed(one.turn, 0.0, told[one.turn].message, _inputs(kata, one), early=False) for one in there]
    found = verdicts.sentence([one for one in asked if one.message.strip()], kata.version.spec.help)
    return "" if instructs(found) else found


def _inputs(kata: Kata, one: Example) -> Mapping[str, object]:
    return templating.recovered(kata.version.spec, one) or {}
