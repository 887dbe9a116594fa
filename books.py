"""Keeps the accounts of katas: what a turn cost is written when it is over, so that it is known when the turn is forgotten; it reads counts
and times, never what was said. A module of its own, because deciding.py holds the verbs of a person, and nobody asks for this."""

from __future__ import annotations

import re

from . import ledger, ranking
from .ledger import Account, Cost, Use
from .model import PREFIX, Kata, Turn
from .store import Store

WRONG = re.compile(r"run (\w+)")
SPANS = 10_000
"""Decisions about one kata that are looked through."""


def settle(store: Store, turn: Turn) -> None:
    """Write what a turn cost: its model requests, the uses of katas in it, and the routines done by hand that are katas or proposals."""
    requests = store.requests(turn.id)
    if not requests:
        return
    called = [event for event in turn.events if event.call.tool.startswith(PREFIX)]
    first, last = (min(one.started for one in called), max(one.ended for one in called)) if called else (0.0, -1.0)
    runs = store.runs_between(first - ledger.NEAR_S, last + ledger.NEAR_S) if called else ()
    found = [one.to_json() for one in ledger.uses(turn.events, requests, runs)]
    times = {}
    for kata, where in store.held(turn.id).items():
        for example in store.examples([where]):
            if gain := ranking.gain(example, requests):
                times[kata] = gain.to_json()
    store.settle(turn.id, turn.started, len(requests), found, times)


def keep(store: Store, kata: Kata) -> None:
    """Write what the examples of a kata cost by hand, before their turns are forgotten."""
    for example in kata.version.exhibits:
        if gain := ranking.gain(example, store.requests(example.turn)):
            store.settle(example.turn, example.events[0].started, 0, (), {kata.id: gain.to_json()})


def times(store: Store, kata: Kata) -> tuple[Cost, ...]:
    """What the routine of a kata cost each time it was done by hand, as far as that is known: kept, or read from its examples."""
    kept = {turn: Cost.from_json(cost) for turn, cost in store.times(kata.id).items()}
    fresh = (ledger.by_hand(one, store.requests(one.turn)) for one in kata.version.exhibits if one.turn not in kept)
    return (*kept.values(), *(cost for cost in fresh if cost is not None))


def uses(store: Store, kata: Kata) -> tuple[Use, ...]:
    """Every use of a kata that was measured, in the order of time."""
    return tuple(Use.from_json(one) for one in store.uses(kata.id))


def wrong(store: Store, kata: int) -> tuple[str, ...]:
    """The runs of a kata that a person called wrong."""
    rows = (row for row in store.audit(SPANS, kata) if row.verb == "wrong")
    return tuple(found[1] for row in rows if (found := WRONG.match(row.detail)))


def account(store: Store, kata: Kata, letters: int, now: float) -> Account:
    """What a kata brought so far; `letters` of every prompt are about it while it is in use."""
    spans = ledger.in_use(store.audit(SPANS, kata.id), now)
    requests = sum(store.asked(first, last) for first, last in spans)
    return ledger.account(kata.id, times(store, kata), uses(store, kata), letters, requests, wrong(store, kata.id))
