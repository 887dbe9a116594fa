"""Puts a near miss into review because a person wants it (T20), marked with the rule that it fails; it never passes over a rule that
protects a run, and nothing of it is in use before an approval. A module of its own, because all other decisions are about what passed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from . import learning, miner
from .deciding import Deciding
from .ends import FREE
from .model import Example, Kata, KataError, NearMiss, Proposal, Refused, State

FORCIBLE = frozenset("chance coherence confidence holdout_fit inputs inside pays recorded_examples saves template".split())
"""Rules about whether it is worth a tool, or seen often enough; a person may know better."""
AGAIN = "what it does would not be what was done"
STOPS = "it would not stop where something goes wrong"
WHOLE = "nobody could tell a whole call, or a whole answer, from another"
BARRED: Mapping[str, str] = {
    FREE: "a step that is different each time has nothing that could be approved; the steps before it are a proposal already",
    "loop": "a step that repeats now so often and now so often has no fixed steps that could be approved",
    "opaque": "what a command may do that cannot be read is not known before it runs",
    "compilable_tools": "a run of it could not be held to what was approved",
    "no_secrets": "a secret would be kept, and shown, in what is approved",
    "tools_available": "its tools are not those any more that were recorded",
    "side_effects": "nobody would know before a run what it does",
    "replay_matches_recorded": AGAIN,
    "executor_replay": AGAIN,
    "failure_handling": STOPS,
    "timeout_handling": STOPS,
    "input_schema": WHOLE,
    "output_schema": WHOLE,
}
"""Rules that protect a run, and from what."""
WORD = re.compile(r"[0-9a-f]{4,64}")
LEAST, STARTS = 2, 3
"""Examples that have to come about in one way, and from how many of them it is tried."""


def barred(miss: NearMiss) -> str:
    """Why a near miss cannot be forced into review; empty when it can."""
    if miss.rule in FORCIBLE or miss.rule == "loop" and not miner.looped(miss.keys):
        return ""
    return BARRED.get(miss.rule, "that protects every run")


class Forcing(Deciding):
    """The decision about what was not proposed."""

    def missed(self, word: str) -> NearMiss:
        """The near miss whose identity begins with that word; Refused names those that there are."""
        near = self.near()
        found = [one for one in near if one.fingerprint.startswith(word.lower())] if WORD.fullmatch(word.lower()) else []
        if len(found) != 1:
            known = ", ".join([*(one.short for one in near[:10]), *["…"] * (len(near) > 10)]) or "none"
            raise Refused(f"There is no near miss {word[:40]!r}; known: {known}")
        return found[0]

    def force(self, word: str, surface: str) -> Kata:
        """Make a near miss a proposal that stands on a person's word, marked with the rule that it fails: mining does not take it back.
        Refused, with the reason, where that rule protects a run, where no template fits, or where another check fails."""
        miss = self.missed(word)
        if why := barred(miss):
            raise Refused(f"Near miss {miss.short} cannot be forced into review: it fails {miss.rule}, and {why}")
        now, standing = self.door.clock(), self.store.alike(miss.fingerprint)
        if standing is not None:
            return self._unhidden(standing, miss, surface)
        made, window = self._learnt(miss), miner.window_id(miss.keys)
        with self.store.bundle():
            kata = self.store.propose(made, now, window, ties=miner.ties(made), loose=miner.loose(made.spec))
            if kata is None:
                raise Refused("These steps were decided about just now; nothing was changed")
            done = self._marked(kata, "force", surface, miss.rule)
            self.store.remember(withdrawn="'near … review' was taken back")
            self.store.misses({window: miss}, [miss.fingerprint])  # kept: the review tells of it, and it is one again after an undo
        return done

    def _unhidden(self, kata: Kata, miss: NearMiss, surface: str) -> Kata:
        """A proposal that is told as a near miss by today's counts, told as one by a person's word; its steps stay as they are."""
        version = kata.version
        if kata.state is not State.CANDIDATE:
            raise Refused(f"These steps are kata {kata.id}, which is {kata.state}: look at it with 'show {kata.id}'")
        marked = Proposal(version.spec, kata.fingerprint, replace(version.fit, forced=miss.rule), tuple(version.exhibits), version.checks)
        digest, now = version.spec.digest, self.door.clock()
        return self.store.edit(kata.id, marked, digest=digest, actor=surface, now=now, detail=miss.rule, verb="force")

    def _learnt(self, miss: NearMiss) -> Proposal:
        """The routine, learnt from the examples that come about in one way; Refused where they do not, or a check fails."""
        aside = self.aside(miss)
        made = _counted(aside[1], miss) if aside else proposed(miss, self.latest(miss))
        checks = self.validated(made.spec, made.exhibits, forced=True)
        for check in checks:
            if not check.passed:
                why = BARRED.get(check.name, "that protects every run")
                raise Refused(f"Near miss {miss.short} cannot be forced into review: {check.reason}; {why}")
        return replace(made, checks=checks)


def _counted(found: Proposal, miss: NearMiss) -> Proposal:
    """The proposal of all examples but the odd one, which counts as one that does not fit."""
    return replace(found, fit=replace(found.fit, support=miss.support, tried=found.fit.tried + 1, forced=miss.rule))


def proposed(miss: NearMiss, examples: Sequence[Example]) -> Proposal:
    """What most of the examples have in common, whatever rule it fails; Refused where no two come about in one way."""
    asked = fitting(examples)
    if len({one.conversation for one in asked}) < LEAST:
        raise Refused(f"Near miss {miss.short} cannot be forced into review: no two of its examples come about in one way ({miss.detail})")
    template, family = learning.infer(asked), miner.Family(tuple(examples), miss.support, miss.keys)
    spec = miner.witnessed(miner.specified(template, asked[0]), asked)
    fit = replace(miner.measured(family, asked, spec, template), forced=miss.rule)
    return Proposal(miner.watchful(spec, asked), miss.fingerprint, fit, asked, keys=miss.keys)


def fitting(examples: Sequence[Example]) -> tuple[Example, ...]:
    """The most examples that one template was found for, of those sets that begin with one of the newest and grow while they fit."""
    found: tuple[Example, ...] = ()
    for start in examples[:STARTS]:
        kept = [start] if _fits([start]) else []
        for one in examples if kept else ():
            kept += [one] if one is not start and _fits([*kept, one]) else []
        if len(kept) > len(found):
            found = tuple(one for one in examples if one in kept)
        if len(found) == len(examples):
            break
    return found


def _fits(examples: Sequence[Example]) -> bool:
    try:
        learning.infer(examples)
    except KataError:
        return False
    return True
