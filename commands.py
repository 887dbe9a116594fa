"""Words in, answer out: the commands of chat and shell in one table; it holds no rule of its own and never decides anything."""

from __future__ import annotations

import difflib
import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from . import pages
from .model import PREFIX, Json, Kata, KataError, Refused, RunRow, State, StoreError, Usage
from .pages import kata_json, laid, when
from .service import Service, Unseen

VERSION = "0.1.0"
LONGEST = 200
"""Characters of a word; no command has use for more, and none is repeated at greater length."""
RECENT = 20
"""Runs that a list of runs holds."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Plain text for a person, the same as JSON, and the exit code of a shell: 0 done, 1 refused, 2 not understood."""

    text: str
    json: Json = None
    code: int = 0


@dataclass(frozen=True, slots=True)
class Ask:
    """What was asked: the words after the verb, where (`surface` "chat" or "cli"), and the options."""

    words: tuple[str, ...]
    surface: str
    digest: str = ""
    host: Mapping[str, str] = field(default_factory=dict)
    """What the door has to say about the host, one line a name, for status."""

    @property
    def lead(self) -> str:
        return "/kata" if self.surface == "chat" else "hermes kata"

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


def run(service: Service, words: Sequence[str], surface: str, digest: str = "", host: Mapping[str, str] | None = None) -> Answer:
    """Carry out one command; every error of ours becomes one clear answer. In a chat `--json` among the words asks for JSON."""
    plain = [word for word in words if surface != "chat" or word.lower() != "--json"]
    short = [word if len(word) <= LONGEST else word[: LONGEST - 1] + "…" for word in plain]
    verb, rest = (short[0].lower(), tuple(short[1:])) if short else ("list", ())
    answer = _answered(service, verb, Ask(rest, surface, digest, host or {}))
    text = laid(answer.text) if len(plain) == len(words) else json.dumps(answer.json, indent=2, default=str)
    return Answer(text, answer.json, answer.code)


def _answered(service: Service, verb: str, ask: Ask) -> Answer:
    try:
        if verb not in VERBS:
            raise Usage(f"There is no command {verb[:40]!r}.{_nearest(verb, ask)} Commands: {', '.join(VERBS)}.")
        least, most = VERBS[verb].words
        if not least <= len(ask.words) <= most:
            raise _misused(verb, ask)
        return VERBS[verb].act(service, ask)
    except Refused as error:
        return Answer(str(error), {"error": error.message}, 2 if isinstance(error, Usage) else 1)
    except KataError as error:
        return Answer(f"Kata cannot do that now. {error}", {"error": error.message}, 1)


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
    return Answer(pages.found(mined, service.busy, ask.lead), told | lists)


def _list(service: Service, ask: Ask) -> Answer:
    katas, near, broken = service.katas(), service.near(), service.store.broken()
    lines = [line for kata in katas for line in pages.entry(kata)]
    lines += [f"{number:>3}  refused   {reason}" for number, reason in broken]
    if not lines:
        lines.append("Nothing to show yet. Kata proposes a routine when it has seen it in")
        lines.append(f"{service.settings.min_support} conversations; '{ask.lead} status' tells whether it is recording.")
    waiting = next((kata for kata in katas if kata.state is State.CANDIDATE), None)
    lines += ["", f"Look at a proposal: {ask.lead} review {waiting.id}"] if waiting else []
    lines += ["", f"{pages.many(len(near), 'routine')} seen but not proposed: {ask.lead} near"] if near else []
    told = {"katas": [kata_json(kata) for kata in katas], "near": [pages.near_json(miss) for miss in near]}
    return Answer("\n".join(lines), told)


def _near(service: Service, ask: Ask) -> Answer:
    near = service.near()
    return Answer(pages.misses(near), {"near": [pages.near_json(miss) for miss in near]})


def _review(service: Service, ask: Ask) -> Answer:
    kata = service.review(ask.kata, ask.surface)
    doubt = service.doubt(kata)
    return Answer(pages.review(kata, ask.lead, doubt), _whole(kata) | {"doubt": doubt})


def _whole(kata: Kata) -> dict[str, Json]:
    spec = kata.version.spec
    return kata_json(kata) | {"effects": pages.effects_json(spec), "spec": spec.to_json(), "checks": pages.checks_json(kata)}


def _show(service: Service, ask: Ask) -> Answer:
    kata = service.find(ask.kata)
    versions, rows = service.versions(kata), service.store.runs(kata.id, 5)
    lists = {"versions": [pages.version_json(one) for one in versions], "runs": [pages.run_json(row) for row in rows]}
    effects = {"effects": pages.effects_json(kata.version.spec)}
    return Answer(pages.about(kata, versions, rows, ask.lead), kata_json(kata) | effects | lists)


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


# ── Deciding ─────────────────────────────────────────────────────────────────────────────────────


def _approve(service: Service, ask: Ask) -> Answer:
    words = list(ask.words)
    if len(words) == 3 and words[1].lower() == "as":
        del words[1]
    if len(words) != 2 or words[1].lower() == "as":
        raise _misused("approve", ask)
    word, name = words[0].lower(), words[1]
    try:
        kata = service.approve(word, name, ask.surface, ask.digest)
    except Unseen as error:
        seen = service.review(word, ask.surface)
        text = f"{error}; here it is. Nothing was approved: say it again when it is right.\n\n{pages.review(seen, ask.lead, service.doubt(seen))}"
        return Answer(text, {"error": error.message, "digest": seen.version.spec.digest}, 1)
    lines = [
        f"Approved: {kata.tool}, revision {kata.version.spec.digest[:12]}.",
        f"The agent can call it at once, in a running chat from the next message: {pages.signature(kata.tool, kata.version.spec)}",
        "New conversations are told about it by themselves.",
    ]
    return Answer("\n".join(lines), kata_json(kata))


def _reject(service: Service, ask: Ask) -> Answer:
    kata = service.reject(ask.kata, ask.surface)
    return Answer(f"Rejected: {kata.id}. It will not be proposed again.", kata_json(kata))


def _disable(service: Service, ask: Ask) -> Answer:
    kata = service.disable(ask.kata, ask.surface)
    return Answer(
        f"Disabled: {kata.tool}. The agent cannot call it any more; '{ask.lead} enable {kata.name}' brings it back.", kata_json(kata)
    )


def _enable(service: Service, ask: Ask) -> Answer:
    kata = service.enable(ask.kata, ask.surface)
    revision = kata.version.spec.digest[:12]
    return Answer(f"Enabled: {pages.signature(kata.tool, kata.version.spec)}, revision {revision}.", kata_json(kata))


def _record(service: Service, ask: Ask) -> Answer:
    wanted = ask.words[0].lower()
    if wanted not in ("on", "off"):
        raise _misused("record", ask)
    service.pause(wanted == "off")
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
        rows += [("Recording", _recording(service)), *_kept(facts)]
        rows += [("Refused", f"kata {number}: {reason}") for number, reason in service.store.broken()]
    except StoreError as error:
        trouble = error.message
        rows += [("Recording", "off: the file cannot be used"), ("File", trouble)]
    rows += [("Not kept", f"{n} {LOST.get(name, name.replace('_', ' '))}") for name, n in counters.items() if n]
    rows += [(name, text) for name, text in ask.host.items() if text != trouble]
    rows.append(("Settings", ", ".join(f"{name} {_shown(getattr(service.settings, name))}" for name in service.settings.__slots__)))
    recording = bool(facts) and service.settings.record and not service.paused
    told = {"recording": recording, "facts": dict(facts), "counters": dict(counters), "host": dict(ask.host)}
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
        ("Kept", f"{facts['calls']} calls, {facts['turns']} turns, {facts['conversations']} conversations"),
        ("Katas", states or "none"),
        ("File", f"{facts['bytes'] // 1024} KiB, journal mode {facts['journal']}, version {facts['version']}, mode {facts['mode']}"),
        ("Where", facts["path"] or "memory"),
    ]


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
    lines = [f"{ask.lead} {verb.usage}", what, f"  {verb.more}", f"  For example: {ask.lead} {verb.example}"]
    return Answer("\n".join(lines), {"usage": verb.usage, "what": verb.what, "more": verb.more, "example": verb.example})


def manual(lead: str) -> str:
    """All commands, each in a line."""
    lines = ["Kata finds routines that you repeat; each that you approve becomes one tool.", ""]
    lines += [f"  {lead} {verb.usage:<20} {verb.what}" for verb in VERBS.values()]
    lines += ["", f"N is a number of the list, or a name. More about one: {lead} help VERB"]
    return "\n".join(lines)


NONE, ONE, SOME = (0, 0), (1, 1), (0, 1)

VERBS: Mapping[str, Verb] = {
    "list": Verb("list", "proposals and active katas", "It is what you get without any command, too.", "list", NONE, _list),
    "review": Verb(
        "review N",
        "all about one: effects, data flow, checks",
        "It counts as shown: 'approve' then takes exactly this revision, in the place where you looked at it.",
        "review 2",
        ONE,
        _review,
    ),
    "approve": Verb(
        "approve N as NAME",
        "make it the tool kata_NAME for the agent",
        "It takes the revision that you reviewed last in the same place; without a review it shows the page and approves nothing. "
        "A name has small letters, digits and _. A script in a shell names the revision with --digest instead.",
        "approve 2 as deploy_preview",
        (0, LONGEST),
        _approve,
    ),
    "reject": Verb(
        "reject N", "never propose it again", "It is for proposals; 'disable' is for what is a tool already.", "reject 2", ONE, _reject
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
        "It holds in running chats from the next message on; 'enable' gives it back.",
        "disable deploy_preview",
        ONE,
        _disable,
    ),
    "enable": Verb(
        "enable NAME",
        "give it back, checked again",
        "It must pass all checks with the tools as they are today.",
        "enable deploy_preview",
        ONE,
        _enable,
    ),
    "runs": Verb(
        "runs [NAME or RUN]",
        "what recent runs did, step by step",
        "With the id of a run it shows that one whole: calls, reasons, answers, and what may still be running.",
        "runs deploy_preview",
        SOME,
        _runs,
    ),
    "near": Verb(
        "near",
        "routines seen but not proposed, and why",
        "Each with the one rule that it fails, and what it needs.",
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
