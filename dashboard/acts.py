"""What the tab does beyond the first decisions, with the verbs that chat and shell use: put away, take back, edit, relax, trust, call a run
wrong, plan, run what only reads, send and take in. It holds no rule of its own, and never does what a person did not confirm. A module of
its own beside desk.py, which shows and decides about what waits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .. import consent, editing, lifecycle, looking, order, share
from ..model import Json, Kata, KataError, Refused, State, Usage
from ..service import Service
from . import desk, views
from .desk import ACTOR, Act, Asked, Missing, brief, found

LONGEST = 2_000
"""Characters of a word of an edit, and of an input of a run."""

LISTS: Sequence[str] = ("snooze", "trust", "untrust")
"""Verbs that stand beside the first decisions."""

# ── What may be done about one kata, here ────────────────────────────────────────────────────────


def offers(service: Service, kata: Kata) -> dict[str, Json]:
    """What the page of a kata offers beside its decisions; `refused` says why it does not run here, empty where it does."""
    edit = "edit" in lifecycle.allowed(kata.state)
    live = kata.state is State.ACTIVE
    forms = [form for form in share.FORMATS if _has(kata, form)]
    refused = "" if live and order.reads(kata) else where(kata) if live else "only an active kata runs"
    return {"edit": edit, "relax": kata.state is not State.REJECTED, "export": forms, "plan": live, "refused": refused}


def where(kata: Kata) -> str:
    """Where a kata that does more than read is run instead."""
    return f"it does more than read, and here nobody can ask you before it acts: ask the agent, or hermes kata run {kata.name} in a shell"


def _has(kata: Kata, form: str) -> bool:
    """Whether a kata can be put into that form."""
    try:
        return bool(share.exported(kata, form))
    except KataError:
        return False


def last(service: Service) -> dict[str, Json] | None:
    """The last decision of a person where it can be taken back: when, which verb, about which kata."""
    told = service.store.last()
    if told is None or told[1] is None:
        return None
    row = told[0]
    return {"at": row.at, "verb": row.verb, "kata": row.kata, "tool": service.store.called().get(row.kata)}


def whole(word: str) -> Act:
    """Everything about one kata, and what can be done about it here."""

    def act(service: Service, asked: Asked) -> Json:
        kata, told = found(service, word), desk.one(word)(service, asked)
        told |= looking.beside_json(service, kata) | {"forced_past": looking.past(service, kata)}
        return {**told, "verbs": [*told["verbs"], *verbs(service, kata)], "offers": offers(service, kata), "trusted": service.trusted(kata)}

    return act


def ended(name: str) -> Act:
    """One run whole, how a person goes on with it, and whether it can be called wrong."""

    def act(service: Service, asked: Asked) -> Json:
        told, row = desk.run(name)(service, asked), service.store.run(name)
        kata = service.store.kata(row.kata) if row else None
        same = kata is not None and row is not None and row.digest == kata.version.spec.digest
        wrong_ = same and kata is not None and "wrong" in lifecycle.allowed(kata.state)
        return {**told, "left": left(service, name), "may_be_wrong": wrong_}

    return act


def decisions(service: Service, asked: Asked) -> Json:
    """The latest decisions, and the one that can be taken back."""
    return {**desk.audit(service, asked), "last": last(service)}


# ── Decisions ────────────────────────────────────────────────────────────────────────────────────


def snooze(word: str) -> Act:
    """Put a proposal away for 30 days; `until` in epoch seconds."""

    def act(service: Service, asked: Asked) -> Json:
        kata = service.snooze(str(found(service, word).id), ACTOR)
        return brief(kata, {}) | {"until": service.snoozed().get(kata.id)}

    return act


def undo(service: Service, asked: Asked) -> Json:
    """Take the last decision back, when it is the one that was shown: `at` and `kata`."""
    told = last(service)
    if told and (asked.sent.get("at"), asked.sent.get("kata")) != (told["at"], told["kata"]):
        raise Refused(f"The last decision is another by now: {told['verb']!r} of kata {told['kata']}; nothing was changed")
    kata, verb = service.undo(ACTOR)
    return brief(kata, {}) | {"undone": verb}


def force(word: str) -> Act:
    """Make a near miss a proposal, marked with the rule that it fails."""
    return lambda service, asked: brief(service.force(word, ACTOR), {})


def merge(word: str) -> Act:
    """Make one proposal of two, the other under `other`."""
    return _two(word, lambda service, kata, other: service.merge(kata, other, ACTOR))


def extend(word: str) -> Act:
    """Make a proposal of a kata in use with the further steps of the one under `other`."""
    return _two(word, lambda service, kata, other: service.extend(kata, other, ACTOR))


def separate(word: str) -> Act:
    """Keep two apart that have steps in common, the other under `other`."""
    return _two(word, lambda service, kata, other: service.separate(kata, other, ACTOR))


def _two(word: str, act: Callable[[Service, str, str], Kata]) -> Act:
    """A decision about two routines, which tells of the one that stands for it."""

    def carried(service: Service, asked: Asked) -> Json:
        other = found(service, str(asked.sent.get("other", "")))
        return brief(act(service, str(found(service, word).id), str(other.id)), {})

    return carried


def trust(word: str) -> Act:
    """Let the revision that was shown run unasked."""
    return _shown(word, lambda service, kata, asked: brief(service.trust(str(kata.id), ACTOR), {}))


def untrust(word: str) -> Act:
    """Take that trust back."""
    return lambda service, asked: brief(service.untrust(str(found(service, word).id), ACTOR), {})


def relax(word: str) -> Act:
    """Let one learnt `check` of the revision that was shown not count."""
    return _shown(word, lambda service, kata, asked: brief(service.relax(str(kata.id), _text(asked, "check"), ACTOR), {}))


def edit(word: str) -> Act:
    """Change the revision that was shown by hand: `words` as they are typed after `edit N`; what it changed."""

    def act(service: Service, kata: Kata, asked: Asked) -> Json:
        words = _words(asked)
        done = service.edit(str(kata.id), words, ACTOR)
        return brief(done, {}) | {"changes": views.changes(kata.version.spec, done.version.spec)}

    return _shown(word, act)


def _shown(word: str, act: Callable[[Service, Kata, Asked], Json]) -> Act:
    """An act on the revision that was on the screen, and on no other."""

    def carried(service: Service, asked: Asked) -> Json:
        kata = found(service, word)
        desk.same(service, kata, asked)
        return act(service, kata, asked)

    return carried


def _words(asked: Asked) -> list[str]:
    words = asked.sent.get("words")
    if not isinstance(words, list) or not words or not all(isinstance(one, str) and 0 < len(one) <= LONGEST for one in words):
        raise Usage(f"Expected the words of one change: {editing.WAYS}")
    if words[0].lower() not in ("help", "input", "drop"):
        raise Usage(f"Expected one of: {editing.WAYS}")
    return list(words)


def _text(asked: Asked, name: str) -> str:
    value = asked.sent.get(name)
    if not isinstance(value, str) or not value.strip():
        raise Usage(f"Expected {name} as text, got {type(value).__name__}")
    return value.strip()


def wrong(name: str) -> Act:
    """Say that a run did what was wrong: its kata is a proposal again."""

    def act(service: Service, asked: Asked) -> Json:
        if service.store.run(name) is None:
            raise Missing(f"There is no run {name[:40]!r}")
        return brief(service.wrong(name, ACTOR), {})

    return act


def left(service: Service, name: str) -> dict[str, Json] | None:
    """What is left of a stopped run and how a person goes on with it; None where nothing is. Here nothing is run: nobody could be asked."""
    try:
        rest = service.left(name)
    except KataError:
        return None
    return {"question": service.remainder(rest), "line": f"hermes kata resume {rest.run.id}"}


# ── Running ──────────────────────────────────────────────────────────────────────────────────────


def plan(word: str) -> Act:
    """What a run with `inputs` would call and whom it would ask; nothing is called."""

    def act(service: Service, asked: Asked) -> Json:
        kata, given = _ordered(service, word, asked)
        hand = asked.hand
        return order.plan_json(order.plan(service, kata, given, hand.folder if hand else "", hand.around if hand else {}))

    return act


def start(word: str) -> Act:
    """Run the revision that was shown with `inputs`, where every step only reads; what became of it."""

    def act(service: Service, asked: Asked) -> Json:
        kata, given = _ordered(service, word, asked)
        desk.same(service, kata, asked)
        if asked.hand is None or not order.reads(kata):
            raise Refused(f"Nothing was run: {kata.tool} does not run here, {where(kata)}")
        return dict(asked.hand.go(kata, given))

    return act


def _ordered(service: Service, word: str, asked: Asked) -> tuple[Kata, dict[str, Json]]:
    """The kata and its inputs, as they are typed in a shell; an empty one is not given."""
    inputs = asked.sent.get("inputs", {})
    if not isinstance(inputs, Mapping) or not all(isinstance(value, str) and len(value) <= LONGEST for value in inputs.values()):
        raise Usage("Expected inputs as an object of names and texts")
    kata = found(service, word)
    return order.ordered(service, [str(kata.id), *(f"{name}={value}" for name, value in inputs.items() if value)])


# ── In and out ───────────────────────────────────────────────────────────────────────────────────


def export(word: str) -> Act:
    """The kata as text in a `format`; what tells of a person or of this machine is named first, and leaves with `yes` only."""

    def act(service: Service, asked: Asked) -> Json:
        kata, form = found(service, word), str(asked.sent.get("format") or "json").lower()
        text = share.exported(kata, form)
        personal: dict[str, str] = share.personal(text, asked.hand.names if asked.hand else ())
        held = bool(personal) and asked.sent.get("yes") is not True
        told = [{"kind": kind, "text": one} for one, kind in personal.items()]
        return {"format": form, "file": share.filename(kata, form), "text": None if held else text, "personal": told}

    return act


def take(service: Service, asked: Asked) -> Json:
    """Make a proposal of an exported `text`; `bind` says what each thing of another person or place is here."""
    bound = asked.sent.get("bind", {})
    if not isinstance(bound, Mapping) or not all(isinstance(one, str) for one in bound.values()):
        raise Usage("Expected bind as an object of old and new texts")
    kata, name = looking.adopted(service, _text(asked, "text"), bound, asked.hand.names if asked.hand else ())
    return brief(kata, {}) | {"called": name}


def verbs(service: Service, kata: Kata) -> list[str]:
    """Which of `LISTS` a person may use about a kata now."""
    told = ["snooze"] if "snooze" in lifecycle.allowed(kata.state) and kata.id not in service.snoozed() else []
    if kata.state is State.ACTIVE and service.trusted(kata):
        return [*told, "untrust"]
    return [*told, *["trust"] * (kata.state is State.ACTIVE and not consent.barred(kata))]

