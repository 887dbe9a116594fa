"""What each address of the tab answers, with the verbs that chat and shell use; it knows no web framework, holds no rule of its own,
and never decides anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import executor, lifecycle, pages, prospects, savings
from ..asking import Hand
from ..deciding import Unconfirmed, Unseen
from ..due import Due
from ..model import Json, Kata, KataError, Refused, State, StoreError, Usage
from ..ranking import Value
from ..reading import PAUSE_S
from ..service import Service
from ..status import VERSION
from ..wording import templated
from . import views

ACTOR = "dashboard"
SIZE, MOST = 20, 100
"""Katas of a page, and the most that a page may hold."""
RECKONED, WEIGHED, JUDGED, ENDED = 1, 10, 100, 10
"""Katas whose account one request reckons anew, proposals that it weighs, and such of which it asks whether chance explains them, and what
follows them: what each takes grows with what was done."""
LATEST = 3
"""Missed chances that the overview holds of each kata; its own page holds all."""
RUNS, ROWS = 50, 500
"""Runs of a list, and the most decisions of the audit log that are shown at once."""
DIGEST = 64


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: the words after `?`, what was sent with it, and the profile it is about."""

    query: Mapping[str, str] = field(default_factory=dict)
    sent: Mapping[str, Json] = field(default_factory=dict)
    profile: str = "default"
    hand: Hand | None = None
    """How a run is begun from here; None where the address begins none."""
    kept: dict[str, Any] = field(default_factory=dict)
    """What was counted for an earlier request of the same profile."""


@dataclass(frozen=True, slots=True)
class Reply:
    """HTTP status and JSON."""

    code: int
    json: Json


Act = Callable[[Service, Asked], Json]


class Missing(Refused):
    """What was asked for is not there."""


class Changed(Refused):
    """What was to be decided about is not what was shown; it carries what it is now and the differences."""

    def __init__(self, message: str, now: Mapping[str, Json]) -> None:
        super().__init__(message)
        self.now = now


CODES: Mapping[type[KataError], int] = {Missing: 404, Usage: 422, Unconfirmed: 422, StoreError: 503}
"""The HTTP status of an error; 409 for what is left: it cannot be done as things are."""


def reply(act: Act, service: Service, asked: Asked) -> Reply:
    """Answer one request; every error of ours is one sentence under its status."""
    service.weighed = asked.kept.setdefault("weighed", Due(WEIGHED))
    service.judged = asked.kept.setdefault("judged", Due(JUDGED, whole=True))
    service.ended = asked.kept.setdefault("ended", Due(ENDED))
    try:
        return Reply(200, act(service, asked))
    except Changed as error:
        return Reply(409, {"error": error.message, **error.now})
    except KataError as error:
        return Reply(next((code for kind, code in CODES.items() if isinstance(error, kind)), 409), {"error": error.message})


# ── Looking ──────────────────────────────────────────────────────────────────────────────────────


def overview(service: Service, asked: Asked) -> Json:
    """What waits for a decision, what is in use, what needs attention, each list up to its first page with the `counts` of all, and whether
    it records."""
    used, facts = service.store.used(), service.store.facts()
    listed, refused = service.store.looked_over()
    values = service.values(listed)
    doubts = service.doubted(listed, values)
    katas = service.katas(doubts, listed)
    ranked = prospects.ordered(katas, {kata.id: values[kata.id] for kata in katas if kata.id in values})
    lists = {name: [kata for kata in ranked if kata.state in states] for name, states in SHOWN.items()}
    return {
        "profile": asked.profile,
        "version": VERSION,
        "recording": recording(service),
        **{name: [_valued(kata, used, values) for kata in found[: PAGES[name]]] for name, found in lists.items()},
        "counts": {name: len(found) for name, found in lists.items()},
        "broken": [{"id": number, "reason": reason} for number, reason in broken(service, asked, refused)],
        "near": len(service.near(doubts, listed)),
        "facts": facts,
        "counters": service.store.counters(),
        "min_support": service.settings.min_support,
        "mining": service.busy,
        "savings": saved(service, asked, katas, [facts["calls"], facts["turns"], sum(int(use["runs"]) for use in used.values())]),
    }


SHOWN: Mapping[str, tuple[State, ...]] = {
    "waiting": (State.CANDIDATE,),
    "active": (State.ACTIVE,),
    "attention": (State.STALE, State.SUSPENDED),
}
"""The lists of the overview, and how many rows each shows at once."""
PAGES: Mapping[str, int] = {"waiting": SIZE, "active": MOST, "attention": MOST}


def broken(service: Service, asked: Asked, refused: Sequence[tuple[int, str]]) -> Sequence[tuple[int, str]]:
    """The katas that do not load: those that are `refused`; and those whose examples do not, which are looked for when something was
    decided since, and every ten minutes."""
    key = [service.store.generation(), int(service.door.clock() // PAUSE_S)]
    if asked.kept.get("whole") != key:
        found = service.store.broken()
        asked.kept.update({"whole": None if found else key})
        return found
    return refused


def saved(service: Service, asked: Asked, katas: Sequence[Kata], happened: Sequence[Json]) -> Json:
    """What katas brought, each reckoned anew when something happened since, and every ten minutes; `left` says how many are still due, with
    the proposals that are to be weighed, which are told as they were before."""
    key = [service.store.generation(), *happened, int(service.door.clock() // PAUSE_S)]
    accounts: Due[int, savings.Worth | None] = asked.kept.setdefault("worth", Due(RECKONED))
    found = savings.some_worth(service, katas, accounts, key)
    told = savings.overview_json(found)
    for one in told["katas"]:
        one["missed_chances"] = one["missed_chances"][:LATEST]
    return told | {"left": accounts.left + service.weighed.left + service.ended.left}


def _valued(kata: Kata, used: Mapping[int, Mapping[str, Json]], values: Mapping[int, Value | None]) -> dict[str, Json]:
    return brief(kata, used) | prospects.value_json(values.get(kata.id))


def recording(service: Service) -> Json:
    """Whether calls are recorded, and why not."""
    if not service.settings.record:
        return {"on": False, "why": "the setting 'record' is false"}
    return {"on": not service.paused, "why": "paused with 'record off'" if service.paused else ""}


def brief(kata: Kata, used: Mapping[int, Mapping[str, Json]]) -> dict[str, Json]:
    """A kata in a list, with how often it ran."""
    use = used.get(kata.id, {"runs": 0, "good": 0, "last": None})
    kinds = list(dict.fromkeys(step.effect.kind.value for step in kata.version.spec.steps))
    told = {"destructive": destroys(kata), "kinds": kinds, "outline": pages.outline(kata.version.spec), "created": kata.version.created}
    return pages.kata_json(kata) | told | {"use": dict(use)} | prospects.value_json(None)


def destroys(kata: Kata) -> bool:
    """Whether a step destroys something."""
    return any(step.effect.destructive for step in kata.version.spec.steps)


def katas(service: Service, asked: Asked) -> Json:
    """One page of the katas in a state (`state`: all, or names with commas), that hold the words of `q`."""
    wanted = asked.query.get("state", "all").lower()
    page, size = _number(asked, "page", 1, 1_000_000), _number(asked, "size", SIZE, MOST)
    used = service.store.used()
    found = [kata for kata in _in_states(service, wanted) if _holds(kata, asked.query.get("q", ""))]
    values = service.values(found)
    start = (page - 1) * size
    pages_ = max(1, -(-len(found) // size))
    rows = [_valued(kata, used, values) for kata in prospects.ordered(found, values)[start : start + size]]
    return {"katas": rows, "total": len(found), "page": page, "pages": pages_, "size": size, "state": wanted}


def _in_states(service: Service, wanted: str) -> tuple[Kata, ...]:
    if wanted in ("", "all"):
        return service.katas()
    try:
        states = {State.CANDIDATE if word.strip() == "proposal" else State(word.strip()) for word in wanted.split(",")}
    except ValueError as error:
        known = ", ".join(state.value for state in State)
        raise Usage(f"Expected a state of {known} or all, got {wanted[:60]!r}") from error
    rejected = service.store.listed((State.REJECTED,)) if State.REJECTED in states else ()
    return (*(kata for kata in service.katas() if kata.state in states), *rejected)


def _holds(kata: Kata, words: str) -> bool:
    if not words.strip():
        return True
    spec = kata.version.spec
    names = [str(kata.id), kata.tool, *(step.tool for step in spec.steps), *(one.name for one in spec.inputs)]
    text = "\n".join([*names, *map(templated, spec.steps)]).lower()
    return all(word in text for word in words.lower().split())


def _number(asked: Asked, name: str, otherwise: int, most: int) -> int:
    """A whole number from 1 to `most` out of the query."""
    given = asked.query.get(name, "")
    if not given:
        return otherwise
    if not (given.isascii() and given.isdigit() and len(given) <= 9 and 1 <= int(given) <= most):
        raise Usage(f"Expected {name} to be a whole number from 1 to {most}, got {given[:20]!r}")
    return int(given)


def one(word: str) -> Act:
    """Everything about one kata, as it would be decided about now."""

    def act(service: Service, asked: Asked) -> Json:
        kata = found(service, word)
        spec, exhibits, prospect = kata.version.spec, kata.version.exhibits, prospects.prospect(service, kata)
        return {
            **brief(kata, service.store.used()),
            "profile": asked.profile,
            "chance": service.doubt(kata),
            "spec": spec.to_json(),
            "schema": executor.input_schema(spec),
            "effects": pages.effects_json(spec),
            "permissions": views.permissions(kata, service.asks(kata)),
            "checks": pages.checks_json(kata),
            "expected": pages.expected_json(spec),
            "fit": {"support": kata.version.fit.support, "tried": kata.version.fit.tried, "passed": kata.version.fit.passed},
            "flow": views.flow(spec, exhibits),
            "exhibits": [views.example(spec, one) for one in exhibits],
            "versions": views.versions(service.versions(kata), kata),
            "runs": [views.run(row) for row in service.store.runs(kata.id, 10)],
            "savings": savings.worth(service, kata).to_json() if service.store.standing(kata.id) else None,
            "standing": standing(service, kata),
            "verbs": verbs(service, kata),
            **prospect.to_json(),
            **prospects.shown(prospect),
        }

    return act


def found(service: Service, word: str) -> Kata:
    """The kata of that number or name."""
    try:
        return service.find(word.lower()[:80])
    except Refused as error:
        raise Missing(error.message) from error


VERBS = ("approve", "reject", "disable", "enable", "rollback", "forget")


def verbs(service: Service, kata: Kata) -> list[str]:
    """What a person may do with it here and now: a version that was approved is enabled, any other is approved."""
    approved = kata.version.approved is not None and kata.state is not State.CANDIDATE
    earlier = any(one.approved and one.number != kata.version.number for one in service.versions(kata))
    pointless = {"approve" if approved else "enable", *(() if earlier else ("rollback",))}
    return [verb for verb in VERBS if verb in lifecycle.allowed(kata.state) and verb not in pointless]


def standing(service: Service, kata: Kata) -> Json:
    """What would change against the version that was in use last, where another waits for an approval."""
    before = service.standing(kata)
    return None if before is None else {"version": before.number, "changes": views.changes(before.spec, kata.version.spec)}


def near(service: Service, asked: Asked) -> Json:
    """What was seen and is not proposed, with the rule that failed."""
    return {"near": [pages.near_json(miss) | {"names": list(map(pages.program, miss.keys))} for miss in service.near()]}


def audit(service: Service, asked: Asked) -> Json:
    """The latest decisions, newest first; `limit` of them, whether there are more, and the first that was changed outside (0: none)."""
    limit = _number(asked, "limit", 100, ROWS)
    rows = service.store.audit(limit + 1)
    tools = service.store.called()
    told = [pages.decision_json(row) | {"tool": tools.get(row.kata) or None} for row in rows[:limit]]
    count, broken = service.store.proven()
    return {"audit": told, "more": len(rows) > limit, "decisions": count, "broken": broken}


def runs(service: Service, asked: Asked) -> Json:
    """The latest runs, newest first, of one `kata` or of all."""
    word = asked.query.get("kata", "")
    rows = service.store.runs(found(service, word).id if word else None, _number(asked, "limit", RUNS, ROWS))
    return {"runs": [views.run(row) for row in rows]}


def run(name: str) -> Act:
    """One run whole: times, retries, what the agent was told, and the call that comes next."""

    def act(service: Service, asked: Asked) -> Json:
        row = service.store.run(name)
        if row is None:
            raise Missing(f"There is no run {name[:40]!r}")
        version = service.store.version(row.kata, row.version)
        answer = views.answer(row, version.spec if version else None)
        effects = pages.effects_json(version.spec) if version else []
        return {**views.run(row), "answer": answer, "next": views.stopped(row), "effects": effects}

    return act


# ── Deciding ─────────────────────────────────────────────────────────────────────────────────────


def approve(word: str) -> Act:
    """Make a proposal a tool: `name`, and of what was shown `revision` and `digest`; `confirm` where it destroys something."""

    def act(service: Service, asked: Asked) -> Json:
        kata = found(service, word)
        _open(service, kata, "approve")
        wanted = _named(service, str(asked.sent.get("name") or "").strip() or kata.name, kata)
        same(service, kata, asked)
        _confirmed(kata, f"kata_{wanted}", asked)
        try:
            return brief(service.approve(str(kata.id), wanted, ACTOR, kata.version.spec.digest, str(asked.sent.get("confirm") or "")), {})
        except Unseen as error:
            raise _changed(service, found(service, word), asked) from error

    return act


def _open(service: Service, kata: Kata, verb: str) -> None:
    """Refuse early what the state does not allow: whoever decided elsewhere meanwhile explains it best."""
    if verb not in verbs(service, kata):
        raise Refused(f"Kata {kata.id} is {kata.state.value} by now; nothing was changed")


def _named(service: Service, name: str, kata: Kata) -> str:
    try:
        return service.chosen(name, kata)
    except Refused as error:
        raise Usage(error.message) from error


def same(service: Service, kata: Kata, asked: Asked) -> None:
    """Refuse to decide about anything but the revision that was on the screen."""
    digest, revision = asked.sent.get("digest"), asked.sent.get("revision")
    if not isinstance(digest, str) or len(digest) != DIGEST or not isinstance(revision, int) or isinstance(revision, bool):
        raise Usage("Expected the revision and the whole digest of what was shown; open the page again")
    if digest != kata.version.spec.digest:
        raise _changed(service, kata, asked)


def _changed(service: Service, kata: Kata, asked: Asked) -> Changed:
    """What is there now, and how it differs from what was shown."""
    digest, version = str(asked.sent.get("digest")), kata.version
    shown = next((one for one in service.versions(kata) if one.spec.digest == digest), None)
    told = {"digest": version.spec.digest, "version": version.number, "changed": views.changes(shown.spec, version.spec) if shown else []}
    return Changed(f"Kata {kata.id} changed while you looked: it is now revision {version.spec.digest[:12]}; nothing was changed", told)


def _confirmed(kata: Kata, wanted: str, asked: Asked) -> None:
    """Ask for the tool's name once more where a step destroys something (T44)."""
    if destroys(kata) and asked.sent.get("confirm") != wanted:
        numbers = ", ".join(str(n) for n, step in enumerate(kata.version.spec.steps, 1) if step.effect.destructive)
        raise Usage(f"Step {numbers} of kata {kata.id} destroys something: type {wanted} to confirm")


def reject(word: str) -> Act:
    """Decline a proposal for good."""
    return lambda service, asked: brief(service.reject(str(found(service, word).id), ACTOR), {})


def disable(word: str) -> Act:
    """Take a kata away from the agent."""
    return lambda service, asked: brief(service.disable(str(found(service, word).id), ACTOR), {})


def enable(word: str) -> Act:
    """Give a kata back to the agent, as it was shown."""

    def act(service: Service, asked: Asked) -> Json:
        kata = found(service, word)
        if "digest" in asked.sent:
            same(service, kata, asked)
        return brief(service.enable(str(kata.id), ACTOR), {})

    return act


def rollback(word: str) -> Act:
    """Go back to an earlier approved `version`."""

    def act(service: Service, asked: Asked) -> Json:
        kata, version = found(service, word), asked.sent.get("version")
        if not isinstance(version, int) or isinstance(version, bool):
            raise Usage("Expected the number of an earlier version")
        return brief(service.rollback(str(kata.id), version, ACTOR), {})

    return act


def forget(word: str) -> Act:
    """Lift a rejection."""
    return lambda service, asked: brief(service.forget(str(found(service, word).id), ACTOR), {})


def mine(service: Service, asked: Asked) -> Json:
    """Look for routines now, a few families at a time; `left` says whether more waits."""
    mined = service.mine()
    proposed, missed = pages.fresh(mined)
    told = {"turns": mined.turns, "looked": len(mined.looked), "waiting": len(service.store.dirty())}
    left = bool(told["waiting"]) or service.store.family() is not None
    return {**told, "left": left, "busy": service.busy, "proposed": [pages.kata_json(kata) for kata in proposed], "near": len(missed)}
