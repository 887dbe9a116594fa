"""Says what a proposal would save in a week, between what and what, and which of several comes first; it reckons with recorded figures
alone, makes up no price, and reads no clock and no file. A module of its own, because ledger.py counts what was, not what would be."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from . import ledger
from .ledger import Cost
from .model import Example, Json, ModelRequest

WEEK_S = 7 * 86_400.0
CALLED = 2
"""Requests of a use: the one that calls the kata, and the one that reads its answer."""
FIGURES = tuple(Cost.__slots__)
LINE, PLACE, SHARED = 120, 85, 240
"""Characters that a kata adds to every prompt at most: its line, its place in the catalogue of tools, and its share of what all carry."""
PAYS = "pays"
"""The rule of a near miss that would cost more than it saves."""


# ── One time ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Gain:
    """One time that the routine was done by hand, and what the same would have taken with its kata."""

    by_hand: Cost
    by_kata: Cost
    measured: bool = True
    """Whether the requests were recorded; else they are only counted by the calls, and tokens and seconds are not known."""

    @property
    def saved(self) -> Cost:
        return self.by_hand - self.by_kata

    def to_json(self) -> dict[str, Json]:
        """The stored form: what it took by hand, with what it would have taken."""
        return _exact(self.by_hand) | {"called": _exact(self.by_kata)}

    @classmethod
    def from_json(cls, stored: Json) -> Gain:
        """Read a stored form; one that only says what it took by hand is reckoned with its mean request."""
        took = Cost.from_json(stored)
        if "called" in stored:
            return cls(took, Cost.from_json(stored["called"]))
        return cls(took, Cost(CALLED, took.tokens * CALLED / max(took.requests, 1), took.seconds * CALLED / max(took.requests, 1)))


def _exact(cost: Cost) -> dict[str, Json]:
    return {name: getattr(cost, name) for name in FIGURES}


def gain(example: Example, requests: Sequence[ModelRequest]) -> Gain | None:
    """One time by hand against its kata: the request that asked for the first step asks for the kata instead, the one after the last step
    reads the answer, and the tools take as long as they took. `requests` are those of the turn in their order; None where they were not
    recorded."""
    took = ledger.by_hand(example, requests)
    if took is None:
        return None
    places = {one.request: at for at, one in enumerate(requests)}
    calls = [places[event.request] for event in example.events]
    foreign = max(0, requests[min(calls)].tool_calls - calls.count(min(calls)))
    asks = ledger.asked(requests[min(calls)]) * (1 / (foreign + 1))
    reads = map(ledger.asked, requests[max(calls) + 1 : max(calls) + 2])
    return Gain(took, ledger.total([asks, *reads, Cost(seconds=sum(max(0.0, one.ended - one.started) for one in example.events))]))


def counted(example: Example) -> Gain:
    """One time whose requests were not recorded: as many as its calls name, one for each call where they name none, and one that reads."""
    named = {event.request for event in example.events}
    asked = len(example.events) if "" in named else len(named)
    return Gain(Cost(asked + 1), Cost(CALLED), measured=False)


# ── A week ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Value:
    """What a kata would save in a week: each time, so many times in so many weeks, less what it carries into every prompt in a week."""

    each: Cost
    """The median of each figure."""
    least: Cost
    most: Cost
    """The middle half of the times lies between these."""
    measured: int
    """Times whose requests were recorded; where it is 0, requests are counted by the calls, and tokens and seconds are not known."""
    times: int
    weeks: float
    carried: Cost
    whole: bool = True
    """Whether the requests of every time that is known were recorded."""

    @property
    def week(self) -> Cost:
        """What is most likely."""
        return self.each * (self.times / self.weeks) - self.carried

    @property
    def low(self) -> Cost:
        return self._edge(min)

    @property
    def high(self) -> Cost:
        return self._edge(max)

    def _edge(self, pick: Callable[[Iterable[float]], float]) -> Cost:
        rates = [count / self.weeks for count in often(self.times)]
        ends = {name: [rate * getattr(one, name) for rate in rates for one in (self.least, self.most)] for name in FIGURES}
        return Cost(*(pick(ends[name]) for name in FIGURES)) - self.carried

    @property
    def pays(self) -> bool:
        """Whether it saves requests, and no less than nothing of the tokens where those are known."""
        return self.week.requests > 0 and (not self.measured or self.week.tokens >= 0)

    @property
    def hopeless(self) -> bool:
        """Whether even the high end would cost more than it saves, with every time measured, over more than a week: how often something is
        done is not known before."""
        return self.whole and self.measured > 0 and self.weeks > 1 and min(self.high.requests, self.high.tokens) < 0

    def to_json(self) -> dict[str, Json]:
        """All figures; tokens and seconds are None where they were not measured."""
        week = {name: self._told(one) for name, one in (("a_week", self.week), ("low", self.low), ("high", self.high))}
        seen = {"times": self.times, "weeks": round(self.weeks, 2), "measured": self.measured, "pays": self.pays}
        return week | {"each": self._told(self.each), "carried_a_week": self.carried.to_json()} | seen | {"line": line(self)}

    def _told(self, one: Cost) -> dict[str, Json]:
        return one.to_json() if self.measured else {"requests": round(one.requests, 2), "tokens": None, "seconds": None}


def often(times: int) -> tuple[float, float]:
    """Between what and what a count lies that is `times` by chance, in nineteen of twenty cases or a little more: (√n − 1)² and
    (√(n+1) + 1)²."""
    return max(0.0, math.sqrt(times) - 1) ** 2, (math.sqrt(times + 1) + 1) ** 2


def value(gains: Sequence[Gain], times: int, seconds: float, letters: int, requests: float) -> Value | None:
    """What a kata would save in a week: as much as was gained each time, done `times` times in so many seconds (a week at least), with
    `letters` in each of so many `requests` a week. None where no time is known."""
    known = [one for one in gains if one.measured] or gains
    if not known:
        return None
    saved = [one.saved for one in known]
    measured = sum(one.measured for one in known)
    carried = Cost(tokens=requests * letters / ledger.LETTERS) if measured else Cost()
    return Value(*_quartiles(saved), measured, times, max(1.0, seconds / WEEK_S), carried, measured == len(gains))


def _quartiles(costs: Sequence[Cost]) -> tuple[Cost, Cost, Cost]:
    """The median of each figure, and the ends of its middle half."""
    rows = {name: sorted(getattr(one, name) for one in costs) for name in FIGURES}
    ends = {name: statistics.quantiles(row, n=4, method="inclusive") if len(row) > 1 else row * 3 for name, row in rows.items()}
    low, middle, high = (Cost(*(ends[name][at] for name in FIGURES)) for at in range(3))
    return middle, low, high


def letters(active: int) -> int:
    """How many characters one more kata adds to a prompt at most, beside so many that are there."""
    return LINE + PLACE + SHARED // (active + 1)


# ── Which comes first ────────────────────────────────────────────────────────────────────────────


def ranked(values: Mapping[int, Value | None]) -> tuple[int, ...]:
    """The numbers by what they would save: most requests a week first, then tokens, then seconds; what is not known comes last, and of two
    that are alike the older."""

    def place(number: int) -> tuple[float, ...]:
        one = values[number]
        week = one.week if one else Cost(-math.inf)
        return (-week.requests, -week.tokens, -week.seconds, number)

    return tuple(sorted(values, key=place))


# ── In words ─────────────────────────────────────────────────────────────────────────────────────


def line(one: Value) -> str:
    """What it would save, in one line of a list."""
    requests = f"{_short(one.week, 'requests')} model requests a week ({_short(one.low, 'requests')} to {_short(one.high, 'requests')})"
    if not one.measured:
        return f"would save about {requests}"
    return f"would save {requests}, {_short(one.week, 'tokens')} tokens, {_short(one.week, 'seconds')} s"


def rows(one: Value) -> list[str]:
    """The same with where each figure comes from."""
    names = FIGURES if one.measured else FIGURES[:1]
    spans = ", ".join(f"{_figure(one.week, name)} ({_short(one.low, name)} to {_short(one.high, name)})" for name in names)
    each = ", ".join(_figure(one.each, name) for name in names)
    known = f"median of {one.measured}" if one.measured else "counted by its calls; tokens and seconds were not measured"
    weeks = "a week" if one.weeks == 1 else f"{one.weeks:.1f} weeks"
    told = [f"a week {spans}", f"each time {each} ({known}); done {one.times} times in {weeks}"]
    return told + ([f"less at most {_short(one.carried, 'tokens')} tokens a week for its line in every prompt"] if one.measured else [])


def _figure(cost: Cost, name: str) -> str:
    return f"{_short(cost, name)} {name}"


def _short(cost: Cost, name: str) -> str:
    return short(getattr(cost, name))


def short(number: float) -> str:
    """A figure as a person reads it: 0.4, 12, 3,400, 41k, 1.2M."""
    size = abs(number)
    if size >= 999_500:
        return f"{number / 1e6:.1f}M"
    if size >= 9_999.5:
        return f"{number / 1e3:.0f}k"
    return f"{number:,.0f}" if size >= 9.95 or number == int(number) else f"{number:.1f}"


def unpaying(one: Value) -> str:
    """Why it is not proposed, and what would make it pay; empty where it may pay, or where not every time was measured."""
    if not one.hopeless:
        return ""
    if one.each.requests <= 0:
        return "by hand it takes no more model requests than a kata would; steps that are asked for one after the other would save some"
    if one.each.tokens <= 0:
        return "each time it would cost more tokens than it saves"
    needed = math.ceil(one.carried.tokens / one.each.tokens)
    seen = f"in a week its line in every prompt would cost {short(one.carried.tokens)} tokens, and it would save"
    return f"{seen} {short(one.each.tokens * one.times / one.weeks)}; done {needed} times a week it would pay"
