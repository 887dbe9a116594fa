"""Judges a kata by what happened since it was there: whether it pays, whether it would have done what was done by hand, and why nobody
called it; every judgement names its numbers and its rule, it never acts on one, and it reads no clock and no file."""

from __future__ import annotations

import math
import re
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from . import templating
from .ledger import Account
from .model import Call, Example, Input, Json, KataError, OpaqueCommand, Spec, TemplateError, walk
from .wording import brief, templated

DAY = 86_400.0
PROOF = 3
"""Times by hand in a row that a kata has to reproduce before it counts as proven (T55)."""
EARLY_USES = 3
"""Uses before anything is said of whether it helps."""
QUIET = 3.0
"""So many times its usual pause without a use make a kata unused."""
LEAST_PAUSE = 7 * DAY
"""However often a routine is done, a week without it says nothing."""
CHURN, CHURN_S = 3, 30 * DAY
"""So often taken out of use or changed in so many seconds: it churns."""


# ── The verdict ──────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Verdict:
    """One word on a kata, its numbers in a sentence, and the rule that gave it."""

    word: str
    numbers: str
    rule: str

    def to_json(self) -> dict[str, Json]:
        return {"verdict": self.word, "numbers": self.numbers, "rule": self.rule}


@dataclass(frozen=True, slots=True)
class Life:
    """What happened when, in epoch seconds: the routine done by hand, the kata called, the kata taken out of use or changed; since when it
    is in use, and now."""

    done: Sequence[float]
    used: Sequence[float]
    changed: Sequence[float]
    since: float
    now: float


def verdict(told: Account, life: Life) -> Verdict:
    """The first rule that holds."""
    return next(found for rule in RULES if (found := rule(told, life)) is not None)


def _churning(told: Account, life: Life) -> Verdict | None:
    count = sum(life.now - at <= CHURN_S for at in life.changed)
    numbers = f"taken out of use or changed {count} times in {CHURN_S / DAY:.0f} days"
    return Verdict("churning", numbers, f"{CHURN} times or more in {CHURN_S / DAY:.0f} days") if count >= CHURN else None


def _unused(told: Account, life: Life) -> Verdict | None:
    pause = usual_pause([*life.done, *life.used])
    quiet = life.now - max([life.since, *life.used])
    if quiet <= max(QUIET * pause, LEAST_PAUSE):
        return None
    numbers = f"not called for {quiet / DAY:.0f} days; the routine came every {pause / DAY:.1f} days"
    return Verdict("unused", numbers, f"longer than {QUIET:.0f} of its own pauses, and than {LEAST_PAUSE / DAY:.0f} days")


def usual_pause(times: Sequence[float]) -> float:
    """The median time between two of them, in seconds; 0 where there are not two."""
    ordered = sorted(times)
    return float(statistics.median(later - one for one, later in pairwise(ordered))) if len(ordered) > 1 else 0.0


def _early(told: Account, life: Life) -> Verdict | None:
    days = int((life.now - life.since) / DAY)
    span = f" in {days} day{'s' * (days > 1)}" if days else " in less than a day" if life.used else " yet"
    numbers = f"{f'called {_times(len(life.used))}' if life.used else 'not called'}{span}"
    return Verdict("too early", numbers, f"fewer than {EARLY_USES} uses") if len(life.used) < EARLY_USES else None


def _unknown(told: Account, life: Life) -> Verdict | None:
    missing = "no time by hand" if told.by_hand is None else "no use"
    numbers = f"called {_times(len(life.used))}, {told.uses} of them measured; {_times(told.measured)} by hand measured"
    known = told.by_hand is not None and told.uses
    return None if known else Verdict("no data", numbers, f"{missing} has recorded model requests")


def _paying(told: Account, life: Life) -> Verdict:
    assert told.saved is not None
    pays = told.saved.requests > 0 and told.saved.tokens > 0
    numbers = f"{told.saved.requests:+.1f} requests and {told.saved.tokens:+,.0f} tokens in {told.uses} uses, {told.failed} failed"
    rule = "saved requests and tokens are both more than nothing" if pays else "it saves no requests, or no tokens"
    return Verdict("working" if pays else "not helping", numbers, rule)


RULES = (_churning, _unused, _early, _unknown, _paying)
"""In this order; the last always answers."""


def _times(count: int) -> str:
    return {0: "never", 1: "once", 2: "twice"}.get(count, f"{count} times")


# ── Would it have done the same? ─────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Compared:
    """One time by hand beside what the kata would have called: equal, or the first step (from 1) that is not, as it was and would be."""

    turn: str
    at: float
    step: int = 0
    was: str = ""
    would: str = ""

    @property
    def equal(self) -> bool:
        return not self.step

    def to_json(self) -> dict[str, Json]:
        told = {"turn": self.turn, "at": self.at, "equal": self.equal}
        return told if self.equal else {**told, "step": self.step, "was": self.was, "would": self.would}


def compared(spec: Spec, one: Example) -> Compared:
    """What the kata would have called, with the inputs that the calls themselves show and the answers as they were; nothing is run."""
    at = one.events[0].started if one.events else 0.0
    step = differs(spec, one)
    if not step:
        return Compared(one.turn, at)
    was = brief(one.calls[step - 1]) if step <= len(one.calls) else "nothing"
    return Compared(one.turn, at, step, was, _would(spec, one, step))


def differs(spec: Spec, one: Example) -> int:
    """The first step (from 1) that the spec does not reproduce; 0 when it reproduces all of them and no call is left."""
    if same(spec, one) is not None:
        return 0
    for count in range(1, max(len(spec.steps), len(one.calls)) + 1):
        if count > min(len(spec.steps), len(one.calls)) or known(spec, one, count) is None:
            return count
    return 0


def same(spec: Spec, one: Example) -> dict[str, Json] | None:
    """The inputs with which the spec does exactly what was done; None when there are none."""
    return known(spec, one, len(one.calls)) if len(one.calls) == len(spec.steps) else None


def known(spec: Spec, one: Example, count: int) -> dict[str, Json] | None:
    """The inputs that make the first `count` steps issue the calls of the example; None when there are none."""
    steps = spec.steps[:count]
    names = {inner.name for step in steps for inner in walk(step.arguments) if isinstance(inner, Input)}
    part = Spec(tuple(field for field in spec.inputs if field.name in names), steps)
    try:
        return templating.match(part, one.calls[:count], one.results[:count], one.around)
    except (TemplateError, OpaqueCommand):
        return None


def _would(spec: Spec, one: Example, step: int) -> str:
    if step > len(spec.steps):
        return "nothing"
    given = one.around | (known(spec, one, step - 1) or {} if step > 1 else {})
    try:
        return brief(Call(spec.steps[step - 1].tool, templating.render(spec.steps[step - 1].arguments, given, one.results[: step - 1])))
    except KataError:
        return templated(spec.steps[step - 1], given)


def proven(found: Sequence[Compared]) -> bool:
    """Whether the latest times by hand, newest first, were all equal, and enough of them (T55)."""
    return len(found) >= PROOF and all(one.equal for one in found[:PROOF])


# ── Missed chances ───────────────────────────────────────────────────────────────────────────────

SENTENCE = 60
"""Characters of a tool's description that the agent sees (F2)."""
WORD = re.compile(r"[^\W\d_]{3,}")
POLITE = re.compile(r",?\s*\bplease\b,?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Missed:
    """A turn in which the agent did by hand what an active kata does, as the user asked for it, and with which inputs it could have been
    called; `early` says that the conversation had begun before the kata was there."""

    turn: str
    at: float
    message: str
    inputs: Mapping[str, Json]
    early: bool

    def to_json(self) -> dict[str, Json]:
        told = {"turn": self.turn, "at": self.at, "message": self.message, "inputs": dict(self.inputs)}
        return {**told, "conversation_began_before": self.early}


def sentence(missed: Iterable[Missed], already: str) -> str:
    """A first sentence for the kata's description in the user's own words: the wording that most missed chances have in common, values of
    inputs apart; empty where they have nothing in common beyond what it says `already`."""
    texts = [_plain(one) for one in missed]
    counted = Counter(word for text in texts for word in {found.lower() for found in WORD.findall(text)})
    common = {word for word, count in counted.items() if count >= max(1, math.ceil(len(texts) / 2))}
    if not texts or not common - {word.lower() for word in WORD.findall(already)}:
        return ""
    best = max(texts, key=lambda text: (sum(word.lower() in common for word in WORD.findall(text)), -len(text)))
    first = re.split(r"(?<=[.!?])\s|\n", best.strip(), maxsplit=1)[0].rstrip(".!? ")
    cut = first if len(first) < SENTENCE else first[: SENTENCE - 1].rsplit(" ", 1)[0]
    return cut[:1].upper() + cut[1:]


def _plain(one: Missed) -> str:
    """The message with a name in the place of each input's value, on one line."""
    text = one.message
    for name, value in sorted(one.inputs.items(), key=lambda pair: -len(str(pair[1]))):
        if isinstance(value, str) and len(value) > 1:
            text = text.replace(value, f"({name})")
    return " ".join(POLITE.sub(" ", text).split())
