"""Carries out the commands that find, show and hand over; it never approves, runs or erases anything.

A module of its own, because whatever only looks can be read without those commands after which the agent may do more, or less."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path

from . import books, layout, pages, prospects, recall, savings, share
from .asking import Act, Answer, Ask
from .manual import misused, number
from .model import PREFIX, Json, Kata, Refused, RunRow, State
from .overlap import Shared
from .pages import kata_json, when
from .service import Service

"""A word that holds a value of somebody's own, which is used whole."""
RECENT = 20
"""Runs that a list of runs holds."""
DECISIONS = 50
"""Decisions that a page of the log holds."""
EXPLAINED = 10

OVERLAPS = 5
"""Routines with steps in common that are named at once."""


def _mine(service: Service, ask: Ask) -> Answer:
    wanted = ask.words[0].lower().removeprefix("--") if ask.words else ""
    if wanted not in ("", "all"):
        raise misused("mine", ask)
    mined = service.remine() if wanted else service.mine(None)
    proposed, missed = pages.fresh(mined)
    told = {"turns": mined.turns, "looked": len(mined.looked), "waiting": len(service.store.dirty())}
    lists = {"proposed": [kata_json(kata) for kata in proposed], "near": [pages.near_json(miss) for miss in missed]}
    kept = bool(service.store.facts()["turns"])
    return Answer(pages.found(mined, service.busy, ask.lead, kept), told | lists)


def _learn(service: Service, ask: Ask) -> Answer:
    days, looks = _reading(ask, float(service.settings.retention_days))
    if "Kata" in ask.host:
        raise Refused(f"Kata {ask.host['Kata']}")
    told = recall.preview(service, days) if looks else recall.learn(service, days)
    proposed, _ = pages.fresh(told.mined)
    counts = {"conversations": len(told.conversations), "turns": told.turns, "calls": dict(told.calls), "left": dict(told.left)}
    times = {"days": days, "oldest": told.oldest or None, "newest": told.newest or None}
    waiting = service.store.waiting_families()
    found = {"proposed": [kata_json(kata) for kata in proposed], "waiting": waiting}
    return Answer(pages.learnt(told, service.settings, ask.lead, looks, waiting), {"done": not looks, **times, **counts, **found})


def _teach(service: Service, ask: Ask) -> Answer:
    last, vary = _lesson(ask)
    kata, left = service.teach(ask.session, last, vary)
    text = pages.taught(kata, left, ask.lead)
    return Answer(text, kata_json(kata) | {"left": list(left)})


def _lesson(ask: Ask) -> tuple[int, dict[str, str]]:
    """How many calls (0: those of the last turn), and what varies, out of `[N] [--vary NAME=TEXT]…`."""
    words = [word for word in (*ask.words, *ask.options.get("--vary", ())) if word.lower() not in ("vary", "last")]
    counts = [word for word in words if re.fullmatch(r"[0-9]{1,2}", word, re.ASCII)]
    pairs = [word.partition("=") for word in words if word not in counts]
    if len(counts) > 1 or counts == ["0"] or not all(sign for _, sign, _ in pairs):
        raise misused("teach", ask)
    return int(counts[0]) if counts else 0, {name: text for name, _, text in pairs}


def _reading(ask: Ask, usual: float) -> tuple[float, bool]:
    """How many days back, and whether only to tell, out of `[--since DAYS] [--preview]`."""
    words = [word.lower().removeprefix("--") for word in ask.words]
    looks = "preview" in words
    if looks:
        words.remove("preview")
    if not words:
        return usual, looks
    if len(words) != 2 or words[0] != "since" or not re.fullmatch(r"[0-9]{1,4}", words[1], re.ASCII) or not 1 <= int(words[1]) <= 3650:
        raise misused("learn", ask)
    return float(words[1]), looks


def _list(service: Service, ask: Ask) -> Answer:
    katas, near, broken = service.katas(), service.near(), service.store.broken()
    out, values = (State.STALE, State.SUSPENDED), service.values(katas)
    katas, shown = prospects.ordered(katas, values), {kata.id for kata in katas}
    beside = service.overlaps(*(kata for kata in katas if kata.state is State.CANDIDATE))
    lines = []
    for kata in katas:
        lines += pages.entry(kata, service.store.why(kata.id) if kata.state in out else "", prospects.lines(values.get(kata.id)))
        others = ", ".join([str(one.other) for one in beside.get(kata.id, ()) if one.other in shown][:OVERLAPS])
        lines += [layout.fit(f"     overlaps kata {others}; 'review {kata.id}' tells how they become one, or stay apart")] if others else []
    lines += [f"{number:>3}  refused   {reason}" for number, reason in broken]
    asleep = service.snoozed()
    lines += ["", f"Snoozed until {when(min(asleep.values()))[:10]}: {', '.join(map(str, asleep))}"] if asleep else []
    if not lines:
        lines.append("Nothing to show yet. Kata proposes a routine when it has seen it in")
        lines.append(f"{service.settings.min_support} conversations; '{ask.lead} status' tells whether it is recording.")
        if not service.store.facts()["calls"]:
            lines += ["", f"What Hermes kept of earlier conversations can be learnt from: {ask.lead} learn --preview"]
    waiting = next((kata for kata in katas if kata.state is State.CANDIDATE), None)
    lines += ["", f"Look at a proposal: {ask.lead} review {waiting.id}"] if waiting else []
    idle = next((kata for kata in katas if kata.state in out), None)
    lines += ["", f"What can be done about {idle.tool}: {ask.lead} review {idle.id}"] if idle else []
    lines += ["", f"{pages.many(len(near), 'routine')} seen but not proposed: {ask.lead} near"] if near else []
    told = [kata_json(kata) | prospects.value_json(values.get(kata.id)) for kata in katas]
    return Answer("\n".join(lines), {"katas": told, "near": [pages.near_json(miss) for miss in near]})


def near(service: Service, ask: Ask) -> Answer:
    """The near misses, or the one that is named."""
    if ask.words:
        miss = service.missed(ask.words[0])
        one = service.odd(miss)
        return Answer(pages.near(miss, one, ask.lead), pages.near_json(miss) | pages.odd_json(one))
    misses = service.near()
    odd = {miss.fingerprint: one for miss in misses[:EXPLAINED] if (one := service.odd(miss))}
    told = [pages.near_json(miss) | pages.odd_json(odd.get(miss.fingerprint)) for miss in misses]
    return Answer(pages.misses(misses, odd), {"near": told})


def review(service: Service, ask: Ask) -> Answer:
    """A kata as it would be approved now, which counts as shown."""
    wanted = ask.words[1].lower().removeprefix("--") if len(ask.words) > 1 else ""
    if wanted not in ("", "all"):
        raise misused("review", ask)
    kata = service.review(ask.kata, ask.surface)
    standing = service.standing(kata)
    beside = beside_json(service, kata)
    beside |= {"forced_past": past(service, kata)}
    against = {"why": service.store.why(kata.id), "changes": pages.changes(standing.spec, kata.version.spec) if standing else []}
    told = _whole(kata) | {"doubt": service.doubt(kata)} | against | beside | prospects.prospect(service, kata).to_json()
    return Answer(page(service, kata, ask, whole=bool(wanted)), told)


def page(service: Service, kata: Kata, ask: Ask, whole: bool = False) -> str:
    """A kata as it is reviewed."""
    told = service.doubt(kata), service.store.why(kata.id), service.standing(kata)
    base, into = service.extended(kata), service.merged().get(kata.id)
    compared = savings.comparisons(savings.shadow(service, kata))
    beside = [f"by your decision proposal {into} stands for it"] if into else []
    beside += pages.overlapping(kata, beside_it(service, kata), ask.lead, base.id if base else 0)
    miss = service.past(kata)
    more = [("Forced", pages.forced(miss, service.odd(miss) if miss else None))]
    more += prospects.parts(prospects.prospect(service, kata), ask.lead)
    return pages.review(kata, ask.lead, *told, service.consent(kata), whole, compared, beside, more)


def past(service: Service, kata: Kata) -> Json:
    """What a person passed over for a proposal, with the odd example; None where nobody did."""
    miss = service.past(kata)
    return pages.near_json(miss) | pages.odd_json(service.odd(miss)) if miss else None


def beside_it(service: Service, kata: Kata) -> list[tuple[Shared, Kata]]:
    """What overlaps a kata, as far as it can be read and is shown."""
    hidden = {kata.id, *service.snoozed()}
    pairs = ((one, service.store.kata(one.other)) for one in service.overlaps(kata)[kata.id][:OVERLAPS] if one.other not in hidden)
    return [(one, other) for one, other in pairs if other is not None]


def beside_json(service: Service, kata: Kata) -> dict[str, Json]:
    """What overlaps a kata, which one it extends, and which proposal stands for it by a person's decision."""
    base, told = service.extended(kata), pages.overlaps_json(kata, beside_it(service, kata))
    return {"overlaps": told, "extends": base.id if base else None, "merged_into": service.merged().get(kata.id)}


def _whole(kata: Kata) -> dict[str, Json]:
    spec = kata.version.spec
    told = {"effects": pages.effects_json(spec), "spec": spec.to_json(), "checks": pages.checks_json(kata)}
    return kata_json(kata) | told | {"expected": pages.expected_json(spec), "values": pages.values_json(kata.version)}


def _show(service: Service, ask: Ask) -> Answer:
    kata = service.find(ask.kata)
    versions, rows = service.versions(kata), service.store.runs(kata.id, 5)
    lists = {"versions": [pages.version_json(one) for one in versions], "runs": [pages.run_json(row) for row in rows]}
    effects = {"effects": pages.effects_json(kata.version.spec)} | {"shadow": savings.shadow_json(savings.shadow(service, kata))}
    noted = {"why": service.store.why(kata.id), "noticed": service.noticed(kata)}
    text = pages.about(kata, versions, rows, ask.lead, noted["why"], noted["noticed"], service.consent(kata))
    return Answer(text, kata_json(kata) | effects | lists | noted | {"trusted": service.trusted(kata)})


def _diff(service: Service, ask: Ask) -> Answer:
    kata = service.find(ask.kata)
    numbers = [number("diff", word, ask) for word in ask.words[1:]]
    if len(numbers) == 1:
        raise misused("diff", ask)
    last = kata.version.number
    if numbers and numbers[0] == numbers[1]:
        raise Refused(f"Version {numbers[0]} is the same as itself; two versions are compared")
    old, new = (service.version(kata, number) for number in numbers or _latest(service, kata, last))
    told = {"from": old.number, "to": new.number, "digests": [old.spec.digest, new.spec.digest]}
    return Answer(pages.difference(old, new, kata, ask.lead), told | {"changes": pages.changes(old.spec, new.spec)})


def _latest(service: Service, kata: Kata, last: int) -> tuple[int, int]:
    """The version in use and the one that waits, else the last two."""
    earlier = [one.number for one in service.versions(kata) if one.number < last]
    if not earlier:
        raise Refused(f"Kata {kata.id} has only version {last}; there is nothing to compare it with")
    standing = service.standing(kata)
    return standing.number if standing else earlier[0], last


def _audit(service: Service, ask: Ask) -> Answer:
    if ask.words and ask.kata.removeprefix("--") == "verify":
        return _verified(service)
    kata = service.find(ask.kata) if ask.words else None
    rows = service.store.audit(DECISIONS, kata.id if kata else None)
    return Answer(pages.decisions(rows, service.store.called(), ask.lead), {"audit": [pages.decision_json(row) for row in rows]})


def _verified(service: Service) -> Answer:
    count, broken = service.store.proven(anew=True)
    if broken:
        text = f"The log of decisions was changed outside Kata: decision {broken} is missing, or not as it was written. {count} are there."
        return Answer(text, {"decisions": count, "broken": broken, "error": text}, 1)
    text = f"The log is whole: {pages.many(count, 'decision')}, each chained to the one before it."
    return Answer(text, {"decisions": count, "broken": 0})


def _runs(service: Service, ask: Ask) -> Answer:
    one = _one_run(service, ask)
    if one is not None:
        return Answer(pages.trace(one, ask.lead), pages.run_json(one))
    try:
        kata = service.find(ask.kata) if ask.words else None
    except Refused as error:
        raise Refused(f"There is no run {ask.words[0]!r}. {error.message}") from error
    rows = service.store.runs(kata.id if kata else None, RECENT)
    none = f"No runs of {kata.tool or 'that proposal: it is not a tool yet'}." if kata else "No runs yet."
    return Answer(pages.traces(rows) if rows else none, {"runs": [pages.run_json(row) for row in rows]})


def _one_run(service: Service, ask: Ask) -> RunRow | None:
    """The run of that id, unless there is a kata of that name."""
    if not ask.words or service.store.named(ask.kata.removeprefix(PREFIX)) is not None:
        return None
    return service.store.run(ask.kata)


def _savings(service: Service, ask: Ask) -> Answer:
    service.mine(0)  # counts the turns that wait, whose process may have ended before it did, and looks at no family
    if not ask.words:
        told = savings.all_worth(service)
        return Answer(savings.overview(told, ask.lead), savings.overview_json(told))
    kata = service.find(ask.kata)
    one, found = savings.worth(service, kata), books.uses(service.store, kata)
    return Answer(savings.page(one, found, ask.lead), one.to_json() | {"used": [use.to_json() for use in found]})


def _what_if(service: Service, ask: Ask) -> Answer:
    kata = service.find(ask.kata)
    if len(ask.words) == 1:
        found = savings.shadow(service, kata)
        rows = savings.comparisons(found) or ["The routine was not done by hand since this revision was proposed."]
        return Answer("\n".join(rows), savings.shadow_json(found))
    one = savings.what_if(service, kata, ask.words[1])
    return Answer("\n".join(savings.difference(one)), one.to_json())


def _export(service: Service, ask: Ask) -> Answer:
    if ask.words[1:] not in ((), ("yes",)):
        raise misused("export", ask)
    kata, form = service.find(ask.kata), next(reversed(ask.options.get("--format", ("json",))))
    text = share.exported(kata, form.lower())
    found = share.personal(text, ask.hand.names if ask.hand else ())
    folder = next(reversed(ask.options.get("--to", ("",))))
    if folder and ask.surface != "cli":
        raise Refused("A file is written from a shell: hermes kata export NAME --to FOLDER")
    if found and not ask.words[1:]:
        rows = [f"  {kind}: {one}" for one, kind in found.items()]
        error = "It holds what tells of you or of this machine; nothing has left yet"
        to = f" --to {shlex.quote(folder)}" if folder else ""
        again = f"If that may leave: {ask.lead} export {ask.kata} --format {form.lower()}{to} --yes"
        return Answer("\n".join([f"{error}:", *rows, again]), {"error": error, "personal": found}, 1)
    told = {"format": form.lower(), "text": text, "personal": found}
    if not folder:
        return Answer("", told, raw=text)
    written = _written(Path(folder) / share.filename(kata, form.lower()), text)
    return Answer(f"Written: {written}", told | {"file": written})


def _written(path: Path, text: str) -> str:
    """Write a new file, and the folders that it needs; Refused where one of that name is there already."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except FileExistsError as error:
        raise Refused(f"There is a file {path} already; nothing was written") from error
    except OSError as error:
        raise Refused(f"The file {path} cannot be written ({error.strerror})") from error
    return str(path)


def _import(service: Service, ask: Ask) -> Answer:
    if ask.surface != "cli":
        raise Refused("A kata is imported in a shell, where its file is: hermes kata import FILE")
    if not all("=" in one for one in ask.options.get("--bind", ())):
        raise misused("import", ask)
    try:
        text = Path(ask.words[0]).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise Refused(f"The file {ask.words[0][:60]!r} cannot be read ({error})") from error
    bound = dict(one.partition("=")[::2] for one in ask.options.get("--bind", ()))
    kata, name = adopted(service, text, bound, ask.hand.names if ask.hand else ())
    called = f" as {name or 'NAME'}"
    text = f"Imported: proposal {kata.id}. It is no tool yet: {ask.lead} review {kata.id}, then {ask.lead} approve {kata.id}{called}"
    return Answer(text, kata_json(kata))


def adopted(service: Service, text: str, bound: Mapping[str, str], names: Sequence[str]) -> tuple[Kata, str]:
    """The proposal that an exported text becomes here, and the name that it had, where it may be used; Refused or SpecError where not."""
    made, name = share.imported(text, bound, names)
    return service.adopt(made), name if re.fullmatch(r"[a-z][a-z0-9_]{0,58}", name) else ""


ACTS: Mapping[str, Act] = {
    "list": _list,
    "review": review,
    "show": _show,
    "diff": _diff,
    "runs": _runs,
    "savings": _savings,
    "what-if": _what_if,
    "export": _export,
    "import": _import,
        "mine": _mine,
    "teach": _teach,
    "learn": _learn,
    "audit": _audit,
}
