"""Decides whether a person is asked before a run: for what its steps do, for where it runs, by the owner's setting `ask`, and by the trust
that a person gave; it asks nobody, and no trust reaches beyond reads and plain local writes. A module of its own, because the tools of the
agent, the commands and the dashboard must all say the same."""

from __future__ import annotations

from . import miner
from .model import Kata, Step
from .wording import does


def grave(kata: Kata) -> tuple[int, ...]:
    """The numbers of the steps (from 1) that are asked about on every run, whoever is trusted: external, unknown or destructive, by what
    was approved or by what we think of it today (K80, A23)."""
    return tuple(number for number, step in enumerate(kata.version.spec.steps, 1) if _grave(step))


def _grave(step: Step) -> bool:
    return step.effect.asks or miner.judged(step.tool, step.arguments).asks


def strange(kata: Kata, folder: str) -> bool:
    """Whether the kata changes something and none of its examples ran in that folder; False where nobody knows."""
    changes = not all(step.effect.plain_read for step in kata.version.spec.steps)
    known = {one.events[0].folder.rstrip("/") for one in kata.version.exhibits if one.events} - {""}
    return changes and bool(folder and known) and folder.rstrip("/") not in known


def asks(kata: Kata, folder: str, always: bool, trusted: bool) -> bool:
    """Whether a person is asked before a run in that folder (empty: nobody knows where). `always` is the owner's setting, `trusted` whether
    a person trusts this revision (T40)."""
    return bool(grave(kata)) or not trusted and (always or strange(kata, folder))


def told(kata: Kata, always: bool, trusted: bool) -> str:
    """When a person is asked, in a few words."""
    if grave(kata):
        return "asks you before every run"
    if trusted:
        return "runs without asking, in other folders too: you trust it"
    return "asks you before every run, because the setting 'ask' is always" if always else "runs without asking"


def barred(kata: Kata) -> str:
    """Why a kata cannot be trusted, in words that follow its name; empty when it can."""
    steps = kata.version.spec.steps
    named = ", ".join(f"step {number} ({does(steps[number - 1])})" for number in grave(kata))
    return f"does more than read and write locally: {named}. It asks on every run, and no trust changes that" if named else ""
