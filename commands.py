"""Words in, answer out: the commands of chat and shell in one table; it holds no rule of its own and never decides anything."""

from __future__ import annotations

import difflib
import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from . import books, order, pages, recall, savings, share, switches
from .deciding import Unconfirmed, Unseen
from .model import PREFIX, Json, Kata, KataError, Refused, RunRow, Settings, State, StoreError, Usage
from .pages import kata_json, laid, when
from .service import Service

VERSION = "0.1.0"
LONGEST, MOST_WORDS, MOST_VALUES = 200, 20, 60
"""Characters of a word; no command has use for more, and none is repeated at greater length."""
VALUE = re.compile(r"\w{1,60}=.{0,100000}\Z", re.DOTALL)
"""A word that holds a value of somebody's own, which is used whole."""
RECENT = 20
"""Runs that a list of runs holds."""
DECISIONS = 50
"""Decisions that a page of the log holds."""
EXPLAINED = 10
"""Near misses, the best supported, whose odd example is looked for: it takes some learning anew."""


Go = Callable[[Kata, Mapping[str, Json]], Mapping[str, Json]]
"""Begins a run of a kata with its inputs, and gives what the agent would be answered; Refused where it may not begin."""


@dataclass(frozen=True, slots=True)
class Hand:
    """How a place runs what a person orders, the folder in which it would, how Hermes is called from anywhere, and what is around."""

    go: Go
    folder: str = ""
    hermes: str = "hermes"
    around: Mapping[str, Json] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    """What the owner and this machine are called."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Plain text for a person, the same as JSON, and the exit code of a shell: 0 done, 1 refused, 2 not understood."""

    text: str
    json: Json = None
    code: int = 0
    raw: str = ""
    """What is to be copied, and stands below the text without any change."""


@dataclass(frozen=True, slots=True)
class Ask:
    """What was asked: the words after the verb, where (`surface` "cli", "chat", or "group", where a review counts for no approval), and the
    options."""

    words: tuple[str, ...]
    surface: str
    digest: str = ""
    host: Mapping[str, str] = field(default_factory=dict)
    """What the door has to say about the host, one line a name, for status."""
    hand: Hand | None = None
    """How that place begins a run that a person orders; None where none can begin."""
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The options that were given, with their values."""
    session: str = ""
    """That of the chat in which it was asked; empty in a shell."""

    @property
    def lead(self) -> str:
        return "hermes kata" if self.surface == "cli" else "/kata"

    @property
    def kata(self) -> str:
        """The first word as the number, name or tool of a kata; none of them has capitals."""
        return self.words[0].lower()


@dataclass(frozen=True, slots=True)
class Verb:
    """One command: what is typed after the lead, what it does in a few words, what more a person may want to know, an example, how many
    words it takes, and the function that does it."""

    usage: str
    what: str
    more: str
    example: str
    words: tuple[int, int]
    act: Callable[[Service, Ask], Answer]


def run(
    service: Service,
    words: Sequence[str],
    surface: str,
    digest: str = "",
    host: Mapping[str, str] | None = None,
    hand: Hand | None = None,
    session: str = "",
) -> Answer:
    """Carry out one command, options and all; every error of ours becomes one clear answer. `--json` makes its text JSON."""
    ask = Ask((), surface, digest, host or {}, hand, session=session)
    answer = _guarded(lambda: _commanded(service, switches.read(words), ask))
    text = "\n".join([*([laid(answer.text)] if answer.text else []), *([answer.raw] if answer.raw else [])])
    text = json.dumps(answer.json, indent=2, default=str) if "--json" in map(str.lower, words) else text
    return Answer(text, answer.json, answer.code, answer.raw)


def _commanded(service: Service, line: switches.Line, ask: Ask) -> Answer:
    """Carry out one line; a word that is too long for any use is cut."""
    short = [word if len(word) <= LONGEST or VALUE.match(word) else word[: LONGEST - 1] + "…" for word in line.spoken]
    verb, rest = (short[0].lower(), tuple(short[1:])) if short else ("list", ())
    digest = line.value("--digest") or ask.digest
    if digest and ask.surface != "cli":
        raise Usage("--digest is for scripts in a shell; in a chat look at it first, then approve it")
    if line.help:
        return _help(service, replace(ask, words=(verb,) if line.words else ()))
    return _answered(service, verb, replace(ask, words=rest, digest=digest, options=line.given))


def _guarded(act: Callable[[], Answer]) -> Answer:
    try:
        return act()
    except Refused as error:
        return Answer(str(error), {"error": error.message}, 2 if isinstance(error, Usage) else 1)
    except KataError as error:
        return Answer(f"Kata cannot do that now. {error}", {"error": error.message}, 1)


def _answered(service: Service, verb: str, ask: Ask) -> Answer:
    if verb not in VERBS:
        raise Usage(f"There is no command {verb[:40]!r}.{_nearest(verb, ask)} Commands: {', '.join(VERBS)}.")
    least, most = VERBS[verb].words
    if not least <= len(ask.words) <= most:
        raise _misused(verb, ask)
    return VERBS[verb].act(service, ask)


def _nearest(word: str, ask: Ask) -> str:
    """What may have been meant by a word that is no command: one that is spelt alike, or a kata to be shown."""
    if re.fullmatch(rf"[0-9]{{1,9}}|{PREFIX}[a-z0-9_]+", word):
        return f" Did you mean '{ask.lead} show {word[:60]}'?"
    near = difflib.get_close_matches(word[:40], VERBS, 1, 0.6)
    return f" Did you mean {near[0]!r}?" if near else ""


def _misused(verb: str, ask: Ask) -> Usage:
    """The error of a command with too few or too many words, or with others than it takes."""
    one = VERBS[verb]
    if not one.words[1]:
        return Usage(f"Expected: {ask.lead} {verb}, and no word after it")
    where = f" '{ask.lead} list' shows the numbers." if "N" in one.usage.split() else ""
    return Usage(f"Expected: {ask.lead} {one.usage}; for example: {ask.lead} {one.example}.{where}")


def split(text: str) -> tuple[str, ...]:
    """The words of a chat line; an odd quote is taken as it stands."""
    try:
        return tuple(shlex.split(text))
    except ValueError:
        return tuple(text.split())


# ── Finding and looking ──────────────────────────────────────────────────────────────────────────


def _mine(service: Service, ask: Ask) -> Answer:
    wanted = ask.words[0].lower().removeprefix("--") if ask.words else ""
    if wanted not in ("", "all"):
        raise _misused("mine", ask)
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
        raise _misused("teach", ask)
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
        raise _misused("learn", ask)
    return float(words[1]), looks


def _list(service: Service, ask: Ask) -> Answer:
    katas, near, broken = service.katas(), service.near(), service.store.broken()
    out = State.STALE, State.SUSPENDED
    lines = [line for kata in katas for line in pages.entry(kata, service.store.why(kata.id) if kata.state in out else "")]
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
    told = {"katas": [kata_json(kata) for kata in katas], "near": [pages.near_json(miss) for miss in near]}
    return Answer("\n".join(lines), told)


def _near(service: Service, ask: Ask) -> Answer:
    near = service.near()
    odd = {miss.fingerprint: one for miss in near[:EXPLAINED] if (one := service.odd(miss))}
    told = [pages.near_json(miss) | pages.odd_json(odd.get(miss.fingerprint)) for miss in near]
    return Answer(pages.misses(near, odd), {"near": told})


def _review(service: Service, ask: Ask) -> Answer:
    wanted = ask.words[1].lower().removeprefix("--") if len(ask.words) > 1 else ""
    if wanted not in ("", "all"):
        raise _misused("review", ask)
    kata = service.review(ask.kata, ask.surface)
    standing = service.standing(kata)
    against = {"why": service.store.why(kata.id), "changes": pages.changes(standing.spec, kata.version.spec) if standing else []}
    return Answer(_page(service, kata, ask, whole=bool(wanted)), _whole(kata) | {"doubt": service.doubt(kata)} | against)


def _page(service: Service, kata: Kata, ask: Ask, whole: bool = False) -> str:
    told = service.doubt(kata), service.store.why(kata.id), service.standing(kata)
    return pages.review(kata, ask.lead, *told, service.consent(kata), whole, savings.comparisons(savings.shadow(service, kata)))


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
    numbers = [_number("diff", word, ask) for word in ask.words[1:]]
    if len(numbers) == 1:
        raise _misused("diff", ask)
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


def _number(verb: str, word: str, ask: Ask) -> int:
    """A version's number as it is typed, `2` or `v2`."""
    found = re.fullmatch(r"[vV]?([0-9]{1,9})", word, re.ASCII)
    if found is None:
        raise _misused(verb, ask)
    return int(found[1])


def _audit(service: Service, ask: Ask) -> Answer:
    if ask.words and ask.kata.removeprefix("--") == "verify":
        return _verified(service)
    kata = service.find(ask.kata) if ask.words else None
    rows = service.store.audit(DECISIONS, kata.id if kata else None)
    tools = {one.id: one.tool for one in service.store.katas()}
    return Answer(pages.decisions(rows, tools, ask.lead), {"audit": [pages.decision_json(row) for row in rows]})


def _verified(service: Service) -> Answer:
    count, broken = service.store.proven()
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
        raise _misused("export", ask)
    kata, form = service.find(ask.kata), next(reversed(ask.options.get("--format", ("json",))))
    text = share.exported(kata, form.lower())
    found = share.personal(text, ask.hand.names if ask.hand else ())
    if found and not ask.words[1:]:
        rows = [f"  {kind}: {one}" for one, kind in found.items()]
        error = "It holds what tells of you or of this machine; nothing has left yet"
        again = f"If that may leave: {ask.lead} export {ask.kata} --format {form.lower()} --yes"
        return Answer("\n".join([f"{error}:", *rows, again]), {"error": error, "personal": found}, 1)
    return Answer("", {"format": form.lower(), "text": text, "personal": found}, raw=text)


def _import(service: Service, ask: Ask) -> Answer:
    if ask.surface != "cli":
        raise Refused("A kata is imported in a shell, where its file is: hermes kata import FILE")
    if not all("=" in one for one in ask.options.get("--bind", ())):
        raise _misused("import", ask)
    try:
        text = Path(ask.words[0]).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise Refused(f"The file {ask.words[0][:60]!r} cannot be read ({error})") from error
    bound = dict(one.partition("=")[::2] for one in ask.options.get("--bind", ()))
    made, name = share.imported(text, bound, ask.hand.names if ask.hand else ())
    kata = service.adopt(made)
    called = f" as {name}" if re.fullmatch(r"[a-z][a-z0-9_]{0,58}", name) else " as NAME"
    text = f"Imported: proposal {kata.id}. It is no tool yet: {ask.lead} review {kata.id}, then {ask.lead} approve {kata.id}{called}"
    return Answer(text, kata_json(kata))


# ── Running ──────────────────────────────────────────────────────────────────────────────────────


def _run(service: Service, ask: Ask) -> Answer:
    if not all("=" in word for word in ask.words[1:]):
        raise _misused("run", ask)
    kata, given = order.ordered(service, ask.words)
    folder = ask.hand.folder if ask.hand else ""
    for at in ask.options.get("--cron", ())[-1:]:
        line, note = order.timetable(service, kata, given, at, folder, ask.hand.hermes if ask.hand else "hermes")
        return Answer(f"{note}\n", {"line": line, "note": note}, raw=line)
    if "--dry-run" in ask.options:
        told = order.plan(service, kata, given, folder, ask.hand.around if ask.hand else {})
        return Answer(order.page(told, ask.lead), order.plan_json(told), int(bool(told.problems)))
    if ask.hand is None or ask.surface != "cli" and not order.reads(kata):
        where = f"Ask the agent to call {kata.tool}, or in a shell: hermes kata run {kata.name} …"
        raise Refused(f"{kata.tool} does more than read, and here nobody can ask you before it acts; nothing was run. {where}")
    answer = ask.hand.go(kata, given)
    row = service.store.run(str(answer.get("run", "")))
    text = order.answered(answer, pages.trace(row, ask.lead) if row else "")
    return Answer(text, dict(answer), int("error" in answer))


# ── Deciding ─────────────────────────────────────────────────────────────────────────────────────


def _approve(service: Service, ask: Ask) -> Answer:
    word, name, confirm = _approving(ask)
    if not name and not service.find(word).name:
        raise _misused("approve", ask)
    try:
        kata = service.approve(word, name, ask.surface, ask.digest, confirm)
    except Unseen as error:
        seen = service.review(word, ask.surface)
        text = f"{error}; here it is. Nothing was approved: say it again when it is right.\n\n{_page(service, seen, ask)}"
        return Answer(text, {"error": error.message, "digest": seen.version.spec.digest}, 1)
    except Unconfirmed as error:
        return Answer(f"Nothing was approved. {error}", {"error": error.message, "confirm": True}, 1)
    lines = [
        f"Approved: {kata.tool}, revision {kata.version.spec.digest[:12]}.",
        f"The agent can call it at once, in a running chat from the next message: {pages.signature(kata.tool, kata.version.spec)}",
        "New conversations are told about it by themselves.",
        *_unchecked(service, kata),
    ]
    return Answer("\n".join(lines), kata_json(kata))


def _unchecked(service: Service, kata: Kata) -> list[str]:
    """A line on the tools that could not be compared with how they were recorded."""
    tools = service.unchecked(kata)
    return [f"Not checked here: {', '.join(tools)}; not known in this process, so looked at when a chat runs it."] if tools else []


def _approving(ask: Ask) -> tuple[str, str, str]:
    """Kata, name and confirmation out of `N [as NAME] [confirm NAME]`."""
    words = list(ask.words)
    confirm = ""
    if len(words) > 2 and words[-2].lower().removeprefix("--") == "confirm":
        confirm = words.pop()
        words.pop()
    if len(words) == 3 and words[1].lower() == "as":
        del words[1]
    if not 1 <= len(words) <= 2 or words[-1].lower() in ("as", "confirm", "--confirm"):
        raise _misused("approve", ask)
    return words[0].lower(), words[1] if len(words) == 2 else "", confirm


def _rollback(service: Service, ask: Ask) -> Answer:
    kata = service.rollback(ask.kata, _number("rollback", ask.words[1], ask), ask.surface)
    revision = kata.version.spec.digest[:12]
    text = f"Back at version {kata.version.number}, revision {revision}: {pages.signature(kata.tool, kata.version.spec)}"
    return Answer(f"{text}. The agent can call it from the next message on.", kata_json(kata))


def _rename(service: Service, ask: Ask) -> Answer:
    words = list(ask.words)
    if len(words) == 3 and words[1].lower() == "as":
        del words[1]
    if len(words) != 2 or words[1].lower() == "as":
        raise _misused("rename", ask)
    kata = service.rename(words[0].lower(), words[1], ask.surface)
    return Answer(f"Renamed: {kata.tool}. Running chats know it by that name from their next message on.", kata_json(kata))


def _relax(service: Service, ask: Ask) -> Answer:
    kata = service.relax(ask.kata, ask.words[1].lower(), ask.surface)
    what = "is in use with it" if kata.state is State.ACTIVE else f"waits for your approval: {ask.lead} review {kata.id}"
    text = f"Relaxed: check {ask.words[1].lower()} of {kata.tool or kata.id} does not count any more."
    return Answer(f"{text} Version {kata.version.number}, revision {kata.version.spec.digest[:12]}, {what}.", kata_json(kata))


def _forget(service: Service, ask: Ask) -> Answer:
    kata = service.forget(ask.kata, ask.surface)
    text = f"Forgotten: the rejection of {kata.id}. While what is recorded speaks for it, it is a proposal again: {ask.lead} list"
    return Answer(text, kata_json(kata))


def _purge(service: Service, ask: Ask) -> Answer:
    *words, last = ask.words
    sure = last.lower().removeprefix("--") == "yes" and len(ask.words) == 3
    words = words if sure else [*ask.words]
    kind, word = words[0].lower().removeprefix("--"), " ".join(words[1:])
    if len(words) != 2 or kind not in pages.HOLDING or not word.strip(" /"):
        raise _misused("purge", ask)
    told = service.purge(kind, word, ask.surface) if sure else service.erasable(kind, word)
    lines = pages.erasure(told, kind, word, sure)
    if not sure:
        lines += ["", f"Nothing was erased yet. To do it, add 'yes': {ask.lead} purge {kind} {shlex.quote(word)} yes"]
    return Answer("\n".join(lines), {"done": sure, **asdict(told), "katas": [list(one) for one in told.katas]})


def _cleanup(service: Service, ask: Ask) -> Answer:
    if ask.words and ask.kata.removeprefix("--") not in ("yes", "purge"):
        raise _misused("cleanup", ask)
    facts = service.store.facts()
    kept = {name: facts[name] for name in ("calls", "turns", "conversations", "katas", "path")}
    if not ask.words:
        lines = [
            "This would be erased: everything that Kata keeps.",
            f"  {pages.many(kept['calls'], 'call')} in {pages.many(kept['turns'], 'turn')}, all runs, and the log of decisions",
            *(f"  kata {one.id} {one.tool or 'without a name'} ({pages.state(one)})" for one in service.store.katas()),
            f"  the file {facts['path'] or 'in memory'}",
            "What stays is yours: the plugin's folder, and its lines in config.yaml (hermes plugins remove kata).",
            "",
            f"Nothing was erased yet. To do it: {ask.lead} cleanup yes",
        ]
        return Answer("\n".join(lines), {"done": False, **kept, "files": []})
    files = service.cleanup()
    text = "Erased: everything that Kata kept. While the plugin is enabled it records anew from the next message on."
    return Answer("\n".join([text, *(f"  {file}" for file in files)]), {"done": True, **kept, "files": list(files)})


def _stop(service: Service, ask: Ask) -> Answer:
    run = service.stop(ask.kata)
    text = f"Stopping: run {run.id} of {run.tool} ends before its next step; a step that runs now is not torn away."
    return Answer(text, {"run": run.id})


def _resume(service: Service, ask: Ask) -> Answer:
    """Only the shell can ask before each step, and its door does it before it comes here; elsewhere the way is told."""
    if ask.words[1:2] and ask.words[1].lower() not in ("with", "--with"):
        raise _misused("resume", ask)
    rest = service.left(ask.kata)
    ways = [f"Ask the agent to go on with run {rest.run.id}, or in a shell: hermes kata resume {rest.run.id}", "", service.remainder(rest)]
    error = f"Run {rest.run.id} goes on through the agent, or in a shell; nothing was run"
    return Answer("\n".join([f"{error}.", *ways]), {"error": error}, 1)


def _reject(service: Service, ask: Ask) -> Answer:
    kata = service.reject(ask.kata, ask.surface)
    return Answer(f"Rejected: {kata.id}. It will not be proposed again.", kata_json(kata))


def _snooze(service: Service, ask: Ask) -> Answer:
    kata = service.snooze(ask.kata, ask.surface)
    until = service.snoozed()[kata.id]
    text = f"Snoozed: {kata.id}, until {when(until)[:10]}. '{ask.lead} undo' takes that back; '{ask.lead} review {kata.id}' still shows it."
    return Answer(text, kata_json(kata) | {"until": until})


def _undo(service: Service, ask: Ask) -> Answer:
    kata, verb = service.undo(ask.surface)
    name = kata.tool or f"kata {kata.id}"
    now = f"{'a ' * (kata.state is State.CANDIDATE)}{pages.state(kata)}"
    return Answer(f"Taken back: {verb!r}. {name[0].upper()}{name[1:]} is {now} again.", kata_json(kata) | {"undone": verb})


def _wrong(service: Service, ask: Ask) -> Answer:
    kata = service.wrong(ask.kata, ask.surface)
    text = f"Noted: what {kata.tool} did was wrong. It is a proposal again, and the agent cannot call it: {ask.lead} review {kata.id}"
    return Answer(text, kata_json(kata))


def _edit(service: Service, ask: Ask) -> Answer:
    if ask.words[1].lower() not in ("help", "input", "drop"):
        raise _misused("edit", ask)
    before = service.find(ask.kata).version.spec
    kata = service.edit(ask.kata, ask.words[1:], ask.surface)
    changed = pages.changes(before, kata.version.spec)
    rows = [*changed, f"It waits for an approval: {ask.lead} review {kata.id}"]
    return Answer("\n".join([f"Edited: version {kata.version.number} of kata {kata.id}.", *rows]), kata_json(kata) | {"changes": changed})


def _disable(service: Service, ask: Ask) -> Answer:
    kata = service.disable(ask.kata, ask.surface)
    return Answer(
        f"Disabled: {kata.tool}. The agent cannot call it any more; '{ask.lead} enable {kata.name}' brings it back.", kata_json(kata)
    )


def _enable(service: Service, ask: Ask) -> Answer:
    kata = service.enable(ask.kata, ask.surface)
    revision = kata.version.spec.digest[:12]
    text = f"Enabled: {pages.signature(kata.tool, kata.version.spec)}, revision {revision}."
    return Answer("\n".join([text, *_unchecked(service, kata)]), kata_json(kata))


def _trust(service: Service, ask: Ask) -> Answer:
    kata = service.trust(ask.kata, ask.surface)
    lines = [
        f"Trusted: {kata.tool}, revision {kata.version.spec.digest[:12]}. It runs without asking, in other folders too, and also where the",
        f"setting 'ask' is always; from the next message on, until it is changed. '{ask.lead} untrust {kata.name}' ends that.",
    ]
    return Answer(" ".join(lines), kata_json(kata) | {"trusted": True})


def _bind(service: Service, ask: Ask) -> Answer:
    word, field, variable = ask.kata, ask.words[1].lower(), ask.words[2].removeprefix("$")
    kata = service.bind(word, field, "" if variable.lower() == "none" else variable, ask.surface)
    name, bound = kata.tool or f"kata {kata.id}", service.bound(kata)
    if field in bound:
        text = f"When {name} runs, {field} is taken from ${bound[field]} in the environment of Hermes. It is neither kept nor shown."
    else:
        text = f"Whoever calls {name} gives {field} again."
    return Answer(text, kata_json(kata) | {"bound": bound})


def _untrust(service: Service, ask: Ask) -> Answer:
    kata = service.untrust(ask.kata, ask.surface)
    text = f"Not trusted any more: {kata.tool}. From the next message on it {service.consent(kata)}, but asks in folders new to it."
    return Answer(text, kata_json(kata) | {"trusted": False})


def _incognito(service: Service, ask: Ask) -> Answer:
    """What the door of the chat does about it, it does when this was answered."""
    if ask.surface == "cli":
        raise Refused("Incognito belongs to a chat: type /kata incognito there")
    if not service.settings.record or service.paused or "Kata" in ask.host:
        return Answer("Nothing is recorded anyway: the recording is off.", {"incognito": False})
    text = "The next message here is not recorded, nor what is done for it. After that Kata records again by itself."
    return Answer(text, {"incognito": True})


def _record(service: Service, ask: Ask) -> Answer:
    wanted = ask.words[0].lower()
    if wanted not in ("on", "off"):
        raise _misused("record", ask)
    service.pause(wanted == "off")
    if "Kata" in ask.host:
        text = f"Kata {ask.host['Kata']}."
        return Answer(text, {"recording": False, "error": text}, 1)
    if wanted == "off":
        return Answer("Recording is off from the next message on, in every chat. Approved katas go on working.", {"recording": False})
    if not service.settings.record:
        text = "Recording stays off: the setting 'record' in config.yaml is false."
        return Answer(text, {"recording": False, "error": text}, 1)
    return Answer("Recording is on from the next message on.", {"recording": True})


# ── Status and help ──────────────────────────────────────────────────────────────────────────────


def _status(service: Service, ask: Ask) -> Answer:
    rows = [("Version", VERSION)]
    facts: Mapping[str, Json] = {}
    counters: Mapping[str, int] = {}
    trouble = ""
    try:
        service.check()
        facts, counters = service.store.facts(), service.store.counters()
        rows += [("Recording", "off: see Kata below" if "Kata" in ask.host else _recording(service)), *_kept(facts)]
        rows += [("Refused", f"kata {number}: {reason}") for number, reason in service.store.broken()]
    except StoreError as error:
        trouble = error.message
        rows += [("Recording", "off: the file cannot be used"), ("File", trouble)]
    rows += [("Not kept", f"{n} {LOST.get(name, name.replace('_', ' '))}") for name, n in counters.items() if n]
    rows += [("Setting" if name.startswith("Setting ") else name, text) for name, text in ask.host.items() if text != trouble]
    rows.append(("Settings", ", ".join(_setting(service.settings, name) for name in service.settings.__slots__)))
    recording = bool(facts) and service.settings.record and not service.paused and "Kata" not in ask.host
    own = {"plugin": VERSION, "settings": asdict(service.settings)}
    told = {"recording": recording, "facts": dict(facts), "counters": dict(counters), "host": dict(ask.host)} | own
    text = "\n".join(line for title, row in rows for line in pages.part(title, [row]))
    return Answer(text, told | ({"error": trouble} if trouble else {}), int(not facts))


LOST: Mapping[str, str] = {
    "background_call": "calls of the host's own background work, which belong to no message of yours",
    "malformed": "payloads that were not what the host promises",
    "not_stored": "records that no file could hold",
    "not_written": "records that a busy or full file did not take",
    "repeated_call": "calls that were delivered twice",
    "unknown_turn": "records of a message that was never announced",
}


def _recording(service: Service) -> str:
    if not service.settings.record:
        return "off: the setting 'record' is false"
    return "off: paused with 'record off'" if service.paused else "on"


def _kept(facts: Mapping[str, Json]) -> list[tuple[str, str]]:
    last = facts["last_event"]
    states = ", ".join(f"{n} {state}" for state, n in facts["katas"].items())
    return [
        ("Last call", when(last) if last else "none yet: nothing has arrived from Hermes"),
        ("Kept", ", ".join(pages.many(facts[f"{noun}s"], noun) for noun in ("call", "turn", "conversation"))),
        ("Katas", states or "none"),
        ("Room", f"{facts['used'] / 1e6:.1f} MB in use; beyond the setting max_mb the oldest turns go"),
        ("File", f"{facts['bytes'] // 1024} KiB, journal mode {facts['journal']}, format {facts['version']}, mode {facts['mode']}"),
        ("Where", facts["path"] or "memory"),
    ]


def _setting(settings: Settings, name: str) -> str:
    """A setting with its value, and where that came from when it is not the default (B51)."""
    value = getattr(settings, name)
    return f"{name} {_shown(value)}" + ("" if value == getattr(Settings(), name) else " (from config.yaml)")


def _shown(value: Json) -> str:
    return (" ".join(value) or "none") if isinstance(value, tuple) else str(value).lower() if isinstance(value, bool) else str(value)


def _help(service: Service, ask: Ask) -> Answer:
    if not ask.words:
        return Answer(manual(ask.lead), {name: verb.what for name, verb in VERBS.items()})
    word = ask.words[0].lower()
    if word not in VERBS:
        raise Usage(f"There is no command {word[:40]!r}.{_nearest(word, ask)} Commands: {', '.join(VERBS)}.")
    verb = VERBS[word]
    what = f"  {verb.what[0].upper()}{verb.what[1:]}."
    taken = switches.shown({**switches.OPTIONS.get(word, {}), **switches.EVERYWHERE})
    lines = [f"{ask.lead} {verb.usage}", what, f"  {verb.more}", f"  For example: {ask.lead} {verb.example}", f"  Options: {taken}"]
    return Answer("\n".join(lines), {"usage": verb.usage, "what": verb.what, "more": verb.more, "example": verb.example})


def manual(lead: str) -> str:
    """All commands, each in a line."""
    lines = ["Kata finds routines that you repeat; each that you approve becomes one tool.", ""]
    lines += [f"  {lead} {verb.usage:<20} {' ' * (len(verb.usage) > 20)}{verb.what}" for verb in VERBS.values()]
    lines += ["", f"N is a number of the list, or a name. --json gives JSON. More about one: {lead} help VERB"]
    return "\n".join(lines)


NONE, ONE, SOME = (0, 0), (1, 1), (0, 1)

VERBS: Mapping[str, Verb] = {
    "list": Verb("list", "proposals and katas", "It is what you get without any command, too.", "list", NONE, _list),
    "review": Verb(
        "review N [all]",
        "all about one: effects, data flow, checks",
        "It counts as shown: 'approve' then takes exactly this revision, in the place where you looked at it. With 'all' it names "
        "everything that is expected of the answers, and what each value was in every example.",
        "review 2",
        (1, 2),
        _review,
    ),
    "approve": Verb(
        "approve N as NAME",
        "make it the tool kata_NAME for the agent",
        "It takes the revision that you reviewed last in the same place; without a review it shows the page and approves nothing. "
        "A name has small letters, digits and _; a kata that has one keeps it without 'as NAME'. What can destroy something is approved "
        "with its name typed twice: approve N as NAME confirm NAME. A script in a shell names the revision with --digest instead.",
        "approve 2 as deploy_preview",
        (0, MOST_WORDS),
        _approve,
    ),
    "reject": Verb(
        "reject N", "never propose it again", "It is for proposals; 'disable' is for what is a tool already.", "reject 2", ONE, _reject
    ),
    "snooze": Verb(
        "snooze N",
        "put a proposal away for 30 days",
        "It is not listed and not told about meanwhile; then it is told about once more.",
        "snooze 2",
        ONE,
        _snooze,
    ),
    "edit": Verb(
        "edit N WHAT …",
        "change texts, inputs or steps under review",
        "edit N help TEXT; edit N input NAME name|help|default|choices VALUE ('none' takes it away); edit N drop STEP. It is the next "
        "version, checked again, and waits for an approval; mining puts nothing in its place. What is active is disabled first.",
        "edit 2 input branch help 'the branch to show'",
        (2, MOST_VALUES),
        _edit,
    ),
    "undo": Verb(
        "undo",
        "take the last decision back, for a day",
        "The last approve, reject, snooze, disable, enable, rollback, rename, edit, wrong, trust or forget, from wherever it was made, "
        "unless something else happened to that kata since.",
        "undo",
        NONE,
        _undo,
    ),
    "show": Verb(
        "show N",
        "what one does, versions, latest runs",
        "Any kata, by number or name; unlike 'review' it is no ground for an approval.",
        "show kata_deploy_preview",
        ONE,
        _show,
    ),
    "disable": Verb(
        "disable NAME",
        "take the tool away from the agent",
        "Also what is stale or suspended stays away then. It holds in running chats from the next message on; 'enable' gives it back.",
        "disable deploy_preview",
        ONE,
        _disable,
    ),
    "enable": Verb(
        "enable NAME",
        "give it back, checked again",
        "What is disabled, suspended or stale comes back when it passes all checks with the tools as they are today.",
        "enable deploy_preview",
        ONE,
        _enable,
    ),
    "trust": Verb(
        "trust NAME",
        "let it run unasked everywhere",
        "For what only reads and writes locally: it is not asked about in a folder that is new to it, nor where the setting 'ask' is "
        "always. It holds for this revision; what acts elsewhere, destroys or is not known asks on every run and cannot be trusted.",
        "trust deploy_preview",
        ONE,
        _trust,
    ),
    "bind": Verb(
        "bind NAME INPUT VAR",
        "take a secret from the environment",
        "For an input that is a secret: when the kata runs it is read from that variable of the environment of Hermes, unless the caller "
        "gives one. Write its name without '$', or your shell puts the secret there. The name is kept, the secret is not, and no answer, "
        "page or log shows it. 'none' in place of VAR takes that back.",
        "bind deploy_preview token DEPLOY_TOKEN",
        (3, 3),
        _bind,
    ),
    "untrust": Verb(
        "untrust NAME",
        "take that trust back",
        "From the next message on it asks again where it would have asked before.",
        "untrust deploy_preview",
        ONE,
        _untrust,
    ),
    "rename": Verb(
        "rename NAME NEW",
        "give it another name",
        "The tool has the new name in running chats from the next message on.",
        "rename deploy_preview preview",
        (2, 3),
        _rename,
    ),
    "rollback": Verb(
        "rollback NAME V",
        "go back to version V, checked again",
        "Any version that was approved before; it must pass all checks with the tools as they are today. 'show' lists the versions.",
        "rollback deploy_preview 1",
        (2, 2),
        _rollback,
    ),
    "diff": Verb(
        "diff NAME [V1 V2]",
        "what changed between two versions",
        "Without numbers: the version in use against the one that waits, else the last two. What is gone and what is new is marked.",
        "diff deploy_preview 1 2",
        (1, 3),
        _diff,
    ),
    "relax": Verb(
        "relax N CHECK",
        "let one expected thing not count",
        "CHECK is a step and a letter, as 'review' names what is expected of answers. It is the next version of the kata, and stays "
        "relaxed when the routine is learnt anew.",
        "relax deploy_preview 2c",
        (2, 2),
        _relax,
    ),
    "forget": Verb(
        "forget N",
        "lift a rejection",
        "What you rejected is a proposal again, as far as what is recorded still speaks for it.",
        "forget 2",
        ONE,
        _forget,
    ),
    "runs": Verb(
        "runs [NAME or RUN]",
        "what recent runs did, step by step",
        "With the id of a run it shows that one whole: calls, reasons, answers, and what may still be running.",
        "runs deploy_preview",
        SOME,
        _runs,
    ),
    "run": Verb(
        "run NAME [KEY=VALUE]",
        "run one yourself, without a model",
        "Each input as KEY=VALUE. In a shell you are asked before each step that does more than read; without a terminal such a kata is "
        "refused, and no option says yes. In a chat only what reads runs. --dry-run shows what it would do and does nothing; "
        "--cron '0 9 * * 1' prints the line for a timetable and installs nothing.",
        "run deploy_preview branch=main --dry-run",
        (1, MOST_VALUES),
        _run,
    ),
    "resume": Verb(
        "resume RUN",
        "go on with a run that stopped",
        "In a shell, where you are asked before each step that does something; --with NAME=VALUE gives a value that was not kept. In a "
        "chat it tells what is left, and the agent goes on.",
        "resume 1f2e3d4c5b6a",
        (1, 3),
        _resume,
    ),
    "savings": Verb(
        "savings [NAME]",
        "what katas saved or cost, and a verdict",
        "Model requests, tokens and seconds against the measured times by hand; searches for the tool, failed runs and the line in the "
        "prompt are subtracted, so it may be less than nothing. For one kata also its uses, and when the agent did its work by hand.",
        "savings deploy_preview",
        SOME,
        _savings,
    ),
    "what-if": Verb(
        "what-if NAME [TURN]",
        "what it would have called in a past turn",
        "Nothing is run: the recorded calls are compared with those that the kata would have made. Without TURN every time by hand since "
        "its revision was proposed; three equal ones in a row prove it.",
        "what-if deploy_preview",
        (1, 2),
        _what_if,
    ),
    "wrong": Verb(
        "wrong RUN",
        "what that run did was wrong",
        "Its kata is a proposal again and no tool, until you approve it once more; the run counts as failed.",
        "wrong 1f2e3d4c5b6a",
        ONE,
        _wrong,
    ),
    "export": Verb(
        "export NAME",
        "print it for somebody else",
        "--format json (with a digest, for 'import'), skill (a SKILL.md that any agent can follow) or shell (a script, where every step "
        "is a command). What tells of you or of this machine is named first, and leaves with --yes only.",
        "export deploy_preview --format skill",
        (1, 2),
        _export,
    ),
    "import": Verb(
        "import FILE",
        "take one in as a proposal",
        "In a shell. Its digest is checked, its effects are judged here, and folders, hosts and names of others are bound with --bind "
        "OLD=NEW. It is a proposal until you approve it.",
        "import deploy.json --bind /home/ann=/home/ben",
        ONE,
        _import,
    ),
    "stop": Verb(
        "stop RUN",
        "end a run before its next step",
        "A run by its id, or a kata that runs by its name, of any process.",
        "stop 1f2e3d4c5b6a",
        ONE,
        _stop,
    ),
    "near": Verb(
        "near",
        "routines seen but not proposed, and why",
        "Each with the one rule that it fails, the one odd example if there is one, and the smallest change that would do.",
        "near",
        NONE,
        _near,
    ),
    "mine": Verb(
        "mine [all]",
        "look for routines now",
        "Every turn is looked at when it ends; this takes those that still wait, and with 'all' everything that is kept once more.",
        "mine all",
        SOME,
        _mine,
    ),
    "teach": Verb(
        "teach [N] [--vary NAME=TEXT]",
        "make the last calls one tool",
        "The calls of the last turn, or the last N calls, become a proposal at once. What stands as TEXT in them becomes the input NAME; "
        "--vary may be said several times. Taught once more, with other values, it learns from both.",
        "teach --vary branch=feature-x",
        (0, MOST_WORDS),
        _teach,
    ),
    "learn": Verb(
        "learn [--since DAYS] [--preview]",
        "learn from what Hermes kept",
        "It reads the conversations of the last days that Hermes has in its own history, as many as 'retention_days' says unless you say "
        "otherwise, and changes nothing there. What counts already does not count again; with --preview it only tells what it would find.",
        "learn --since 90 --preview",
        (0, 3),
        _learn,
    ),
    "audit": Verb(
        "audit [N|verify]",
        "who decided what when",
        "All decisions or those about one kata; 'verify' tells whether the log is as it was written.",
        "audit verify",
        SOME,
        _audit,
    ),
    "purge": Verb(
        "purge KIND WORD",
        "erase what holds WORD; lists it first",
        "KIND is conversation, tool, path or text. Turns, runs, examples and katas that hold it are listed; with 'yes' at the end they go.",
        "purge path /srv/secret-project",
        (2, 3),
        _purge,
    ),
    "cleanup": Verb(
        "cleanup",
        "erase all that Kata keeps; lists it first",
        "With 'yes' it is done, and the file is gone.",
        "cleanup",
        SOME,
        _cleanup,
    ),
    "incognito": Verb(
        "incognito",
        "the next message here is not recorded",
        "It holds in the chat in which it is typed, for one message and all that is done for it, and ends by itself. Runs of katas are "
        "written down all the same, so that they can be resumed.",
        "incognito",
        NONE,
        _incognito,
    ),
    "record": Verb(
        "record on|off",
        "resume or pause the recording",
        "It holds everywhere from the next message on; approved katas go on working.",
        "record off",
        ONE,
        _record,
    ),
    "status": Verb(
        "status",
        "whether it records, and what it keeps",
        "It names the file, the settings, what could not be kept and why, and what is odd about the host.",
        "status",
        NONE,
        _status,
    ),
    "help": Verb("help [VERB]", "all commands, or more about one", "Every command also takes --json.", "help approve", SOME, _help),
}
