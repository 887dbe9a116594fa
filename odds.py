"""Judges whether the steps of a routine may have met by chance, from counts alone and before any template is learnt; it never decides
what is told."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce

from .model import Event, Example, Json, canonical
from .origins import Same, informative

LIFT, DOUBT, ENOUGH = 3.0, 0.01, 1_000
"""A routine is seen at least so many times as often as by chance, with at most this doubt; asked from so many recorded calls on."""
CROSSED = 4
"""Examples of which each is put together with each other, to see how easily halves fit."""
LEAST = round(1 / (1 + CROSSED * (CROSSED - 1)), 4)
"""The smallest share of pairs of examples that fit each other which so many can show."""


@dataclass(frozen=True, slots=True)
class History:
    """How much was recorded: calls, windows that were counted, and by how many ways a call is followed by another, gaps counted."""

    calls: int
    windows: int
    reach: float = 1.0


def heaviest(halves: Sequence[tuple[int, int]], ties: Sequence[float]) -> float:
    """The product of the places of both parts and of how easily they fit each other, at the split where it is largest."""
    return max((before * after * tie for (before, after), tie in zip(halves, ties, strict=True)), default=0.0)


def odds(seen: int, weight: float, history: History) -> tuple[float, float]:
    """Lift and doubt of a routine seen at so many places, by the `heaviest` of its splits: places over those at which its two parts
    would meet, and fit each other, by chance, and the Poisson tail of that times the number of windows that were looked at."""
    expected = weight * history.reach / max(1, history.calls)
    lift = seen / expected if expected else math.inf
    return lift, min(1.0, _tail(seen, expected) * max(1, history.windows))


def explained(seen: int, weight: float, history: History) -> bool:
    """Whether chance explains a routine; never while too little is recorded to tell."""
    if history.calls < ENOUGH or not weight:  # one step meets nothing
        return False
    lift, doubt = odds(seen, weight, history)
    return lift < LIFT or doubt >= DOUBT


def unlikely(seen: int, weight: float, history: History) -> str:
    """Why the steps of a routine may have met by chance; empty when that is unlikely, or when too little is recorded to tell."""
    if not explained(seen, weight, history):
        return ""
    lift, doubt = odds(seen, weight, history)
    doubtful = f", doubt {doubt:.2g}" if lift >= LIFT else ""
    return f"its steps meet {lift:.1f} times as often as by chance{doubtful}; {LIFT:.0f} times and a doubt below {DOUBT} are needed"


def asleep(
    seen: int, halves: Sequence[tuple[int, int]], history: History, examples: Callable[[], Sequence[Example]]
) -> float:
    """The weight by which chance explains a family whatever template it has, 0 where a template has to tell. Examples are asked for only
    where it matters whether a value ties the steps."""
    least, most = (heaviest(halves, (tie,) * len(halves)) for tie in (LEAST, 1.0))
    if explained(seen, least, history):
        return least
    if not explained(seen, most, history):
        return 0.0
    weight = heaviest(halves, bounds(examples()) or (1.0,) * len(halves))
    return weight if explained(seen, weight, history) else 0.0


def _tail(seen: int, expected: float) -> float:
    """P(X ≥ seen) for a Poisson variable with that mean, summed upwards until a term is negligible."""
    if seen <= 0 or expected <= 0:
        return 0.0 if seen > 0 else 1.0
    term = math.exp(seen * math.log(expected) - expected - math.lgamma(seen + 1))
    total, count = 0.0, seen
    while term > total * 1e-12 and count < seen + 10_000:
        total += term
        count += 1
        term *= expected / count
    return min(1.0, total)


# ── Whether values can tie the parts of a routine ────────────────────────────────────────────────

_WORD = re.compile(r"[^\W_]+")
Words = frozenset[str]
Told = tuple[Words, str]
"""The words of a call, and its result as text."""


@dataclass(frozen=True, slots=True)
class Link:
    """Two steps of a routine that a value may tie: for each example the words of the later that the earlier was asked for or told."""

    early: int
    late: int
    words: tuple[Words, ...]


def bounds(examples: Sequence[Example]) -> tuple[float, ...]:
    """For each split the least share of pairs of examples in which the first part of one and the second part of the other can fit each
    other, whatever the template. A value that ties two steps is a word of the later that varies and that the earlier holds, in all examples
    or all but one of four; they fit when the earlier step of the one holds all such words of the other. 1 where there are none."""
    if not examples:
        return ()
    told = [[_told(Same(event)) for event in one.events] for one in examples]
    fixed = [reduce(frozenset.__and__, (words for words, _ in column)) for column in zip(*told, strict=True)]
    links = [one for late in range(1, len(fixed)) for early in range(late) if (one := _link(early, late, told, fixed[late])).words]
    return tuple(_share([one for one in links if one.early < at <= one.late], told) for at in range(1, len(fixed)))


def _link(early: int, late: int, told: Sequence[Sequence[Told]], fixed: Words) -> Link:
    """The link of two steps, without words where too few examples have one."""
    found = tuple(frozenset(word for word in one[late][0] - fixed if _holds(one[early], word)) for one in told)
    return Link(early, late, found if sum(map(bool, found)) >= len(told) - len(told) // CROSSED else ())


def _share(links: Sequence[Link], told: Sequence[Sequence[Told]]) -> float:
    pairs = [(one, other) for one in range(len(told)) for other in range(len(told)) if one != other]
    fits = sum(all(_fits(link, told[one][link.early], other) for link in links) for one, other in pairs)
    return round((fits + 1) / (len(pairs) + 1), 4)


def _fits(link: Link, earlier: Told, example: int) -> bool:
    return bool(link.words[example]) and all(_holds(earlier, word) for word in link.words[example])


def _holds(told: Told, word: str) -> bool:
    """Whether a step was asked for a word, or told it or the number beside it; what is too short to mean something stands alone."""
    asked, text = told
    if word in asked or not informative(word):
        return word in asked or word in text and re.search(rf"(?<![^\W_]){word}(?![^\W_])", text) is not None
    return word in text or _beside(word, text)


def _beside(word: str, text: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) < 19 and any(str(int(word) + step) in text for step in (-1, 1))


@lru_cache(maxsize=1024)
def _told(event: Same[Event]) -> Told:
    result: Json = event.value.outcome.result
    words = _WORD.findall(_values(event.value.call.arguments).casefold())
    return frozenset(words), (result if isinstance(result, str) else canonical(result)).casefold()


def _values(value: object) -> str:
    """The scalars in a value, without the names of its fields."""
    if isinstance(value, Mapping):
        return " ".join(map(_values, value.values()))
    return " ".join(map(_values, value)) if isinstance(value, list) else str(value)
