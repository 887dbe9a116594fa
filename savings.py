"""What katas brought, and what each would have done: accounts, verdicts, missed chances and comparisons, for a person and as JSON; it
decides nothing and runs nothing. A module of its own beside pages.py, which shows what is and not what it is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import books, layout, pages, verdicts, weighing
from .due import Due
from .ledger import Account, Cost, Use
from .model import AuditRow, Example, Json, Kata, Refused, State
from .service import Service
from .verdicts import Compared, Life, Missed, Verdict
from .wording import visible

SHARED = 240
"""Characters of every prompt that the katas carry together: the head of their section, and the two tools that are always there."""
MOST = 50
"""Turns that are looked through for missed chances, and for comparisons."""
LEFT = (State.STALE.value, State.SUSPENDED.value, State.DISABLED.value, State.CANDIDATE.value)
"""States in which a kata is out of use."""


@dataclass(frozen=True, slots=True)
class Worth:
    """One kata with its account, the verdict on it, what it was passed over for, and the first sentence that would have helped."""

    kata: Kata
    account: Account
    verdict: Verdict
    missed: tuple[Missed, ...]
    wording: str

    def to_json(self) -> dict[str, Json]:
        about = {"tool": self.kata.tool or None, "state": self.kata.state.value, **self.verdict.to_json()}
        lists = {"missed_chances": [one.to_json() for one in self.missed], "suggested_sentence": self.wording or None}
        return self.account.to_json() | about | lists


# ── Looked up ────────────────────────────────────────────────────────────────────────────────────


def all_worth(service: Service) -> tuple[Worth, ...]:
    """Every kata that was ever in use."""
    katas, ever = service.katas(), service.store.ever_agreed()
    active = len(service.live(katas))
    return tuple(worth(service, kata, active) for kata in katas if kata.id in ever and weighing.sound(kata))


def some_worth(service: Service, katas: Sequence[Kata], kept: Due[int, Worth | None], pulse: Json) -> tuple[Worth, ...]:
    """Those of the katas that were ever in use as they are kept, some of them reckoned anew."""
    ever = service.store.ever_agreed()
    used = {kata.id: kata for kata in katas if kata.id in ever}

    def work(asked: Sequence[int]) -> dict[int, Worth | None]:
        active = len(service.live(katas))
        return {one: worth(service, used[one], active) if weighing.sound(used[one]) else None for one in asked}

    return tuple(one for one in kept.look(used, pulse, work).values() if one is not None)


def worth(service: Service, kata: Kata, active: int | None = None) -> Worth:
    """What one kata brought so far; `active` is how many the agent may call, where that is known."""
    active = len(service.live()) if active is None else active
    store, now = service.store, service.door.clock()
    told = books.account(store, kata, letters(kata, active), now)
    decisions = store.audit(books.SPANS, kata.id)
    standing = store.standing(kata.id)
    since = standing[1] if standing else kata.version.created
    missed = chances(service, kata)
    done = [one.events[0].started for one in kata.version.exhibits if one.events]
    used = store.began(kata.id, MOST)
    life = Life([*done, *(one.at for one in missed)], used, _changes(decisions), since, now)
    return Worth(kata, told, verdicts.verdict(told, life), missed, verdicts.sentence(missed, kata.name.replace("_", " ")))


def letters(kata: Kata, active: int) -> int:
    """How many characters of a prompt are about a kata while it is in use: its line, its place in the catalogue, its share of the head."""
    catalogue = len(kata.tool) + len(pages.first_sentence(kata)) + 4
    return len(pages.prompt_line(kata)) + 1 + catalogue + SHARED // max(1, active)


def _changes(decisions: Sequence[AuditRow]) -> list[float]:
    """When a kata was taken out of use or brought to another version."""
    return [row.at for row in decisions if row.before == State.ACTIVE.value and (row.after in LEFT or row.verb == "rollback")]


def by_hand(service: Service, kata: Kata, since: float) -> tuple[Example, ...]:
    """Every turn since that time in which the routine was done by hand, newest first."""
    return service.store.examples(service.store.placed(service.store.window(kata.id), since, MOST))


def chances(service: Service, kata: Kata) -> tuple[Missed, ...]:
    """The turns in which the agent did by hand exactly what the active kata does, and did not call it; newest first (T76)."""
    standing = service.store.standing(kata.id)
    if standing is None or kata.state is not State.ACTIVE or not service.settings.keep_results:
        return ()
    found = []
    for one in by_hand(service, kata, standing[1]):
        if (given := verdicts.same(kata.version.spec, one)) is not None:
            found.append((one.turn, given))
    told = service.store.told([turn for turn, _ in found], kata.tool)
    return tuple(
        Missed(turn, told[turn].at, told[turn].message, given, told[turn].began < standing[1])
        for turn, given in found
        if turn in told and not told[turn].called
    )


def shadow(service: Service, kata: Kata) -> tuple[Compared, ...]:
    """Each time by hand since this revision was proposed beside what it would have called, newest first (T55); nothing is run."""
    first = service.store.first(kata.id, kata.version.spec.digest)
    return tuple(verdicts.compared(kata.version.spec, one) for one in by_hand(service, kata, first)) if first else ()


def what_if(service: Service, kata: Kata, word: str) -> Compared:
    """What the kata would have called in that turn: its id, its beginning, or that of its conversation; Refused where the routine was not
    done there."""
    found = by_hand(service, kata, 0.0)
    one = next((one for one in found if word in (one.turn, one.conversation) or len(word) >= 6 and one.turn.startswith(word)), None)
    if one is None:
        there = ", ".join(one.turn for one in found[:5]) or "in no turn that is kept"
        raise Refused(f"The routine of kata {kata.id} was not done in {word[:60]!r}; it was done in: {there}")
    return verdicts.compared(kata.version.spec, one)


# ── Pages ────────────────────────────────────────────────────────────────────────────────────────


def overview(told: Sequence[Worth], lead: str) -> str:
    """All katas in two lines each, and the sum."""
    if not told:
        return f"No kata was in use yet, so there is nothing to count. Proposals: {lead} list"
    lines = []
    for one in told:
        lines.append(layout.fit(f"{one.kata.id:>3}  {one.kata.tool}: {one.verdict.word}; {_saved(one.account.saved)}"))
        lines.append(layout.fit(f"     {pages.many(one.account.uses, 'use')}, {one.account.failed} failed, {_missed(one.missed)}"))
    known = [one.account.saved for one in told if one.account.saved is not None]
    lines += ["", f"In all: {_saved(sum(known, Cost()))}."] if known else []
    return "\n".join([*lines, f"How it is counted, for one: {lead} savings NAME"])


def overview_json(told: Sequence[Worth]) -> dict[str, Json]:
    """All katas, and the sum of what is known."""
    known = [one.account.saved for one in told if one.account.saved is not None]
    return {"katas": [one.to_json() for one in told], "saved": sum(known, Cost()).to_json() if known else None}


def page(one: Worth, found: Sequence[Use], lead: str) -> str:
    """The account of one kata: each figure with where it comes from, its uses, and what it was passed over for."""
    told, wording = one.account, f"{lead} edit {one.kata.name} help TEXT"
    known = f"; median of {pages.many(told.measured, 'measured time')}"
    parts = [
        (f"Kata {one.kata.id}", [f"{one.kata.tool or 'no name yet'} · {pages.state(one.kata)}"]),
        ("Verdict", [f"{one.verdict.word}: {one.verdict.numbers}", f"rule: {one.verdict.rule}"]),
        ("By hand", [_cost(told.by_hand) + known if told.by_hand else "never measured"]),
        ("Uses", [f"{told.uses}, {told.failed} failed: {_cost(told.spent)}", f"{told.bridge} requests only looked for it"]),
        ("Prompt", [f"about {told.carried.tokens:,.0f} tokens so far, for its line in every request while it is in use"]),
        ("Saved", [_saved(told.saved) if told.saved else "not known: nothing was measured by hand"]),
        ("Each use", [_saved(told.each)] if told.each else []),
        ("Break-even", [_even(told)]),
        ("Missed", [_missed(one.missed), *(f"“{visible(miss.message)[:100]}”" for miss in one.missed[:3])] if one.missed else []),
        ("Wording", [f"a first sentence that would be found: {one.wording}", wording] if one.wording else []),
        ("Latest", [_used(use) for use in reversed(found[-5:])]),
    ]
    return "\n".join(line for title, rows in parts for line in layout.part(title, rows))


def _cost(one: Cost) -> str:
    return f"{one.requests:.1f} requests, {one.tokens:,.0f} tokens, {one.seconds:.0f} s"


def _saved(one: Cost | None) -> str:
    if one is None:
        return "nothing measured by hand, so nothing is claimed"
    verb = "saved" if one.tokens >= 0 and one.requests >= 0 else "lost or saved"
    return f"{verb} {one.requests:+.1f} requests, {one.tokens:+,.0f} tokens, {round(one.seconds):+d} s"


def _even(told: Account) -> str:
    if told.each is None:
        return "not known yet"
    if told.even is None:
        return "never, as it is used so far: a use costs more than the routine by hand"
    return f"{pages.many(told.even, 'use')} pay{'s' * (told.even == 1)} for what it carried so far; it had {told.uses}"


def _missed(missed: Sequence[Missed]) -> str:
    early = sum(one.early for one in missed)
    note = f", {early} of them in conversations that began before it was there" if early else ""
    return f"{pages.many(len(missed), 'missed chance')}{note}"


def _used(use: Use) -> str:
    how = "" if use.ok else ", stopped" + ("; done by hand after it" if use.done else "")
    return f"{pages.when(use.at)} run {use.run}{how}: {_cost(use.spent)}"


def comparisons(found: Sequence[Compared]) -> list[str]:
    """Times by hand beside what the kata would have called: proven, or each difference as a difference."""
    if not found:
        return []
    rows = [f"{sum(one.equal for one in found)} of {len(found)} times by hand since it was proposed were what it would have called"]
    rows += [f"proven: the last {verdicts.PROOF} were equal"] if verdicts.proven(found) else []
    return rows + [line for one in found[:3] if not one.equal for line in difference(one)]


def difference(one: Compared) -> list[str]:
    """Where a time by hand is not what the kata would have called."""
    if one.equal:
        return [f"{pages.when(one.at)}: the same calls"]
    return [f"{pages.when(one.at)} step {one.step} was: {one.was}", f"  it would have been: {one.would}"]


def shadow_json(found: Sequence[Compared]) -> dict[str, Json]:
    """Every comparison, and whether that proves it."""
    return {"proven": verdicts.proven(found), "compared": [one.to_json() for one in found]}
