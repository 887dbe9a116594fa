"""What a routine costs each time, done by hand or by its kata, and what that saves; it counts recorded model requests, makes up no price,
and reads no clock and no file. A module of its own, because neither who finds a routine nor who runs it keeps accounts."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .model import AuditRow, Event, Example, Json, ModelRequest, RunRow, State, Status

LETTERS = 4
"""Characters of English text and code that a token stands for, about; only what the prompt section costs is reckoned by it."""
NEAR_S = 1.0
"""How far the clocks of a run and of the call that began it may be apart, in seconds."""
RESUME = "kata_resume"


@dataclass(frozen=True, slots=True)
class Cost:
    """Model requests, tokens (all that went in or came out, from the provider's cache too), and seconds of model and tools together."""

    requests: float = 0.0
    tokens: float = 0.0
    seconds: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.requests + other.requests, self.tokens + other.tokens, self.seconds + other.seconds)

    def __sub__(self, other: Cost) -> Cost:
        return self + other * -1

    def __mul__(self, times: float) -> Cost:
        return Cost(self.requests * times, self.tokens * times, self.seconds * times)

    def to_json(self) -> dict[str, Json]:
        return {"requests": round(self.requests, 2), "tokens": round(self.tokens), "seconds": round(self.seconds, 1)}

    @classmethod
    def from_json(cls, stored: Json) -> Cost:
        """Read a stored form; KeyError or TypeError when it is not whole."""
        return cls(float(stored["requests"]), float(stored["tokens"]), float(stored["seconds"]))


def asked(one: ModelRequest) -> Cost:
    """What one model request cost."""
    return Cost(1, one.input_tokens + one.output_tokens + one.cache_tokens, one.seconds)


def total(costs: Iterable[Cost]) -> Cost:
    """All of them together."""
    return sum(costs, Cost())


# ── By hand ──────────────────────────────────────────────────────────────────────────────────────


def by_hand(example: Example, requests: Sequence[ModelRequest]) -> Cost | None:
    """What a routine cost when the agent did it call by call: the requests that asked for its calls, those for foreign calls in part, the
    one after the last, which reads all results, and the time its tools took. `requests` are those of the turn in their order; None where
    they were not recorded."""
    places = {one.request: at for at, one in enumerate(requests)}
    calls = [places.get(event.request, -1) for event in example.events]
    if not calls or min(calls) < 0:
        return None
    shares = [asked(requests[at]) * _share(calls.count(at), requests[at]) for at in sorted(set(calls))]
    after = [asked(one) for one in requests[max(calls) + 1 : max(calls) + 2]]
    return total([*shares, *after, Cost(seconds=sum(_lasted(event) for event in example.events))])


def _share(calls: int, request: ModelRequest) -> float:
    return calls / max(calls, request.tool_calls, 1)


def _lasted(event: Event) -> float:
    return max(0.0, event.ended - event.started)


def baseline(costs: Iterable[Cost | None]) -> Cost | None:
    """What a routine costs by hand: the median of each figure, so that one odd time decides nothing; None where none was measured."""
    known = [one for one in costs if one is not None]
    if not known:
        return None
    return Cost(*(float(statistics.median(getattr(one, name) for one in known)) for name in Cost.__slots__))


# ── By its kata ──────────────────────────────────────────────────────────────────────────────────

BRIDGE = frozenset({"tool_search", "tool_describe", "tool_call", "kata_list"})
"""Calls that only look for a tool, or that the host could not pass on to one."""


@dataclass(frozen=True, slots=True)
class Use:
    """One call of a kata as it was measured when its turn was over: what it took, the requests that only looked for it among that, and
    whether the work was done in the end, by the run, by the one that went on with it, or by the agent after it."""

    run: str
    kata: int
    at: float
    ok: bool
    done: bool
    bridge: int
    spent: Cost

    def to_json(self) -> dict[str, Json]:
        told = {"run": self.run, "kata": self.kata, "at": self.at, "ok": self.ok, "done": self.done, "bridge": self.bridge}
        return {**told, "spent": {name: getattr(self.spent, name) for name in Cost.__slots__}}

    @classmethod
    def from_json(cls, stored: Json) -> Use:
        """Read a stored form; KeyError or TypeError when it is not whole."""
        return cls(**{**stored, "spent": Cost.from_json(stored["spent"])})


def uses(events: Sequence[Event], requests: Sequence[ModelRequest], runs: Sequence[RunRow]) -> tuple[Use, ...]:
    """The calls of katas in one turn. `events` and `requests` are all of that turn in their order, `runs` those that may belong to it."""
    begun = [(at, run) for at, event in enumerate(events) if (run := _run(event, runs)) is not None]
    known = {run.id for _, run in begun}
    found = []
    for number, (at, run) in enumerate(begun):
        if run.resumes in known:
            continue  # part of the use that it goes on with
        later = next((place for place, other in begun[number + 1 :] if other.resumes not in known), len(events))
        one = _use(run, at, later, events, requests, [other for _, other in begun])
        found += [one] if one else []
    return tuple(found)


def _run(event: Event, runs: Sequence[RunRow]) -> RunRow | None:
    """The run that a call began: named in its answer where that is kept, else by tool and time."""
    answer = event.outcome.result
    named = answer.get("run") if isinstance(answer, Mapping) else None
    for run in runs:
        near = event.started - NEAR_S <= run.started <= event.ended + NEAR_S
        if event.call.tool == (RESUME if run.resumes else run.tool) and (run.id == named or named is None and near):
            return run
    return None


def _use(
    run: RunRow, at: int, later: int, events: Sequence[Event], requests: Sequence[ModelRequest], others: Sequence[RunRow]
) -> Use | None:
    """What the call at that place took, up to the next use; None where its request was not recorded."""
    places = {one.request: place for place, one in enumerate(requests)}
    first, following = places.get(events[at].request, -1), events[at + 1 : later]
    if first < 0:
        return None
    before = _looking(first, events, requests)
    own = asked(requests[first]) * _share(1, requests[first])
    if run.status is Status.OK:
        after = [asked(one) for one in requests[first + 1 : first + 2]]
        spent = total([*map(asked, before), own, *after, Cost(seconds=_ran(run))])
        return Use(run.id, run.kata, run.started, True, True, len(before), spent)
    done = any(one.resumes == run.id and one.status is Status.OK for one in others) or _finished(run, following)
    last = len(requests) - 1
    end = places.get(events[later].request, last) - (not done) if later < len(events) else last
    # The request that calls the next one also reads the end of this one, which counts where the work was done: as by hand, where it ends
    # with a request too.
    rest = [asked(one) for one in requests[first + 1 : end + 1]]
    work = Cost(seconds=_ran(run) + sum(map(_lasted, following)))
    return Use(run.id, run.kata, run.started, False, done, len(before), total([*map(asked, before), own, *rest, work]))


def _looking(first: int, events: Sequence[Event], requests: Sequence[ModelRequest]) -> list[ModelRequest]:
    """The requests right before that one which asked for nothing but a look for tools."""
    found: list[ModelRequest] = []
    for one in reversed(requests[:first]):
        tools = {event.call.tool for event in events if event.request == one.request}
        if not tools or not tools <= BRIDGE:
            break
        found.insert(0, one)
    return found


def _ran(run: RunRow) -> float:
    return max(0.0, run.finished - run.started) if run.finished else 0.0


def _finished(run: RunRow, following: Sequence[Event]) -> bool:
    """Whether the calls after a stopped run did the steps that it left, in their order."""
    left = [step.tool for step in run.steps if step.status is not Status.OK]
    tools = iter(event.call.tool for event in following if event.outcome.ok)
    return bool(left) and all(tool in tools for tool in left)


# ── Accounts ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Account:
    """What one kata brought so far: its uses against what the routine costs by hand, less what it costs to be there at all."""

    kata: int
    uses: int
    failed: int
    """Uses whose run stopped, or did what was wrong."""
    bridge: int
    """Requests that only looked for it."""
    measured: int
    """Times by hand that are known."""
    by_hand: Cost | None
    spent: Cost
    carried: Cost
    """The tokens of its line in the prompt, in every request since it was put into use."""
    worth: int = 0
    """Uses after which the work was done."""

    @property
    def saved(self) -> Cost | None:
        """What was saved in all, which may be less than nothing; None where no time by hand was measured."""
        return None if self.by_hand is None else self.by_hand * self.worth - self.spent - self.carried

    @property
    def each(self) -> Cost | None:
        """What one use saves, on average, apart from what the prompt carries; None where nothing is known of one of the two sides."""
        return None if self.by_hand is None or not self.uses else (self.by_hand * self.worth - self.spent) * (1 / self.uses)

    @property
    def even(self) -> int | None:
        """From how many uses on it pays, at what it has carried so far; None where no number of uses would do, or nothing is known."""
        each = self.each
        return None if each is None or each.tokens <= 0 else max(1, math.ceil(self.carried.tokens / each.tokens))

    def to_json(self) -> dict[str, Json]:
        """All figures; None for what is not known."""
        counts = {"uses": self.uses, "failed": self.failed, "bridge_requests": self.bridge, "measured_by_hand": self.measured}
        known = {"by_hand": self.by_hand, "spent": self.spent, "carried": self.carried, "saved": self.saved, "each": self.each}
        costs = {name: None if one is None else one.to_json() for name, one in known.items()}
        return {"kata": self.kata, **counts, **costs, "break_even_uses": self.even}


def account(kata: int, times: Sequence[Cost], found: Sequence[Use], letters: int, requests: int, wrong: Iterable[str] = ()) -> Account:
    """The account of a kata: `times` it was done by hand, its uses, and what it carries: `letters` of the prompt in so many `requests`,
    but for those of its uses, in whose cost they are. A run that a person called `wrong` did no work."""
    bad = set(wrong)
    worth = sum(one.done and one.run not in bad for one in found)
    failed = sum(not one.ok or one.run in bad for one in found)
    spent = total(one.spent for one in found)
    carried = Cost(tokens=max(0.0, requests - spent.requests) * letters / LETTERS)
    return Account(kata, len(found), failed, sum(one.bridge for one in found), len(times), baseline(times), spent, carried, worth)


def in_use(decisions: Sequence[AuditRow], now: float) -> tuple[tuple[float, float], ...]:
    """From when to when a kata was active, by the decisions about it, newest first."""
    spans, since = list[tuple[float, float]](), -1.0
    for row in reversed(decisions):
        active = row.after == State.ACTIVE.value
        if active and since < 0:
            since = row.at
        elif not active and since >= 0:
            spans.append((since, row.at))
            since = -1.0
    return (*spans, (since, now)) if since >= 0 else tuple(spans)
