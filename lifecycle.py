"""The life of a kata as one table: from which state which verb leads where, or the sentence why not; it changes nothing and asks nobody.

The service obeys this table, the README prints it, and a test compares the two and tries every pair."""

from __future__ import annotations

from collections.abc import Mapping

from .model import Kata, Refused, State

PERSON = ("approve", "reject", "snooze", "disable", "enable", "rollback", "rename", "edit", "wrong", "forget")
"""What only a person does."""
SYSTEM = ("drift", "misfit", "fail")
"""What Kata finds out by itself: a tool changed (A18), manual runs do not fit any more (A27), three runs in a row failed (A28)."""
FAILURES = 3
"""Failed runs in a row that suspend a kata (A28)."""
MISFITS = 2
"""Conversations in a row in which the routine was done by hand in a way that the kata does not reproduce (A27)."""

_C, _A, _S, _P, _D, _R = State.CANDIDATE, State.ACTIVE, State.STALE, State.SUSPENDED, State.DISABLED, State.REJECTED

TABLE: Mapping[str, Mapping[State, State | str]] = {
    "approve": {
        _C: _A,
        _A: "is active already; 'rollback' takes an earlier version, 'rename' gives another name",
        _S: _A,
        _P: _A,
        _D: _A,
        _R: "is rejected; 'forget {kata}' lifts that",
    },
    "reject": {
        _C: _R,
        _A: "is active, not a proposal; 'disable {name}' takes it away from the agent",
        _S: "is stale, not a proposal; the agent cannot call it, and 'disable {name}' keeps it so",
        _P: "is suspended, not a proposal; the agent cannot call it, and 'disable {name}' keeps it so",
        _D: "is disabled, not a proposal; the agent cannot call it",
        _R: "is rejected already",
    },
    "snooze": {
        _C: _C,
        _A: "is active, not a proposal; 'disable {name}' takes it away from the agent",
        _S: "is stale, not a proposal; the agent cannot call it",
        _P: "is suspended, not a proposal; the agent cannot call it",
        _D: "is disabled, not a proposal; the agent cannot call it",
        _R: "is rejected already, and not proposed again",
    },
    "disable": {
        _C: "is a proposal; the agent cannot call it. 'reject {kata}' keeps it from being proposed again",
        _A: _D,
        _S: _D,
        _P: _D,
        _D: "is disabled already",
        _R: "is rejected; the agent cannot call it",
    },
    "enable": {
        _C: "is a proposal; 'review {kata}', then 'approve {kata} as NAME'",
        _A: "is active already",
        _S: _A,
        _P: _A,
        _D: _A,
        _R: "is rejected; 'forget {kata}' lifts that",
    },
    "rollback": {
        _C: "is a proposal; no version of it was ever approved",
        _A: _A,
        _S: _A,
        _P: _A,
        _D: _A,
        _R: "is rejected; no version of it was ever approved",
    },
    "rename": {
        _C: "is a proposal without a name; 'approve {kata} as NAME' gives it one",
        _A: _A,
        _S: _S,
        _P: _P,
        _D: _D,
        _R: "is rejected and has no name",
    },
    "edit": {
        _C: _C,
        _A: "is active; 'disable {name}' first: what is edited waits for an approval",
        _S: _S,
        _P: _P,
        _D: _D,
        _R: "is rejected; 'forget {kata}' lifts that",
    },
    "wrong": {
        _C: "is a proposal; nothing of it is in use",
        _A: _C,
        _S: _C,
        _P: _C,
        _D: _C,
        _R: "is rejected; nothing of it is in use",
    },
    "forget": {
        _C: "is a proposal, not rejected; there is nothing to lift",
        _A: "is active, not rejected; 'disable {name}' takes it away from the agent",
        _S: "is stale, not rejected; there is nothing to lift",
        _P: "is suspended, not rejected; there is nothing to lift",
        _D: "is disabled, not rejected; 'enable {name}' brings it back",
        _R: _C,
    },
    "drift": {one: _S if one is _A else f"is {one}; its tools do not matter now" for one in State},
    "misfit": {one: _S if one is _A else f"is {one}; whether it fits does not matter now" for one in State},
    "fail": {one: _P if one is _A else f"is {one}; nobody counts its runs now" for one in State},
}
"""verb → state it leaves → state it comes to, or why it may not be done (after "Kata 1" or its tool's name)."""


def after(verb: str, kata: Kata) -> State:
    """The state that the verb leads to; Refused with the sentence of the table."""
    found = TABLE[verb][kata.state]
    if isinstance(found, State):
        return found
    raise Refused(f"Kata {kata.id} {found.format(kata=kata.id, name=kata.name or kata.id)}")


def allowed(state: State) -> tuple[str, ...]:
    """What a person may do in that state, in the order of the table."""
    return tuple(verb for verb in PERSON if isinstance(TABLE[verb][state], State))


def markdown() -> str:
    """The table as the README shows it; a dash where the answer is a sentence why not."""
    verbs = (*PERSON, *SYSTEM)
    rows = [f"| {state} | " + " | ".join(_cell(TABLE[verb][state]) for verb in verbs) + " |" for state in State]
    return "\n".join([f"| from | {' | '.join(verbs)} |", "| --- " * (len(verbs) + 1) + "|", *rows])


def _cell(found: State | str) -> str:
    return found.value if isinstance(found, State) else "–"
