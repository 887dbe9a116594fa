"""Words in, answer out: the commands of chat and shell in one table; it holds no rule of its own and never decides anything."""

from __future__ import annotations

import difflib
import re
import shlex
import textwrap
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from .model import Json, Kata, KataError, NearMiss, Reference, Refused, RunRow, Spec, State, StoreError, Usage, walk
from .service import Service, Unseen, brief, origin, templated

WIDTH = 80
LABEL = re.compile(r"[A-Z][A-Za-z ]{11} (?=\S)| {0,13}")
"""What stands before the text of a line: a label of 13 columns, or its indentation."""


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


def run(service: Service, words: Sequence[str], surface: str, digest: str = "", host: Mapping[str, str] | None = None) -> Answer:
    """Carry out one command; every error of ours becomes one clear answer."""
    verb, rest = (words[0].lower(), tuple(words[1:])) if words else ("list", ())
    answer = _answered(service, verb, Ask(rest, surface, digest, host or {}))
    return Answer(laid(answer.text), answer.json, answer.code)


def _answered(service: Service, verb: str, ask: Ask) -> Answer:
    if verb not in VERBS:
        near = difflib.get_close_matches(verb, VERBS, 1, 0.6)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        return Answer(f"There is no command {verb[:40]!r}.{hint} Commands: {', '.join(VERBS)}.", {"error": f"no command {verb!r}"}, 2)
    try:
        return VERBS[verb].act(service, ask)
    except Refused as error:
        return Answer(str(error), {"error": error.message}, 2 if isinstance(error, Usage) else 1)
    except KataError as error:
        return Answer(f"Kata cannot do that now. {error}", {"error": error.message}, 1)


def laid(text: str) -> str:
    """Text for a terminal or a chat: at most 80 columns, long lines go on below their own beginning, nothing but printable
    characters (B46, W10). Nothing is left out."""
    lines: list[str] = []
    for line in text.split("\n"):
        shown = "".join(character if character.isprintable() else "�" for character in line)
        head = LABEL.match(shown)
        hang = " " * (len(head.group()) if head else 0)
        whole = len(shown) <= WIDTH
        lines += [shown.rstrip()] if whole else textwrap.wrap(shown, WIDTH, subsequent_indent=hang, break_on_hyphens=False)
    return "\n".join(lines)


def split(text: str) -> tuple[str, ...]:
    """The words of a chat line; an odd quote is taken as it stands."""
    try:
        return tuple(shlex.split(text))
    except ValueError:
        return tuple(text.split())


# ── The commands ─────────────────────────────────────────────────────────────────────────────────


def _list(service: Service, ask: Ask) -> Answer:
    katas, near = service.katas(), service.store.near()
    lines = []
    for kata in katas:
        fit, spec = kata.version.fit, kata.version.spec
        title = signature(kata.tool, spec) if kata.tool else f"seen in {fit.support} conversations, confidence {fit.confidence:.2f}"
        lines.append(_fit(f"{kata.id:>3}  {_state(kata):<9} {title}"))
        lines.append(_fit(f"     {len(spec.steps)} steps: {outline(spec)}"))
    broken = service.store.broken()
    lines += [f"{number:>3}  refused   {reason}" for number, reason in broken]
    if not katas and not broken:
        lines.append("Nothing to show yet. Kata proposes a routine when it has seen it in")
        lines.append(f"{service.settings.min_support} conversations; '{ask.lead} status' tells whether it is recording.")
    waiting = next((kata for kata in katas if kata.state is State.CANDIDATE), None)
    if waiting:
        lines += ["", f"Look at a proposal: {ask.lead} review {waiting.id}"]
    if near:
        lines += ["", f"{len(near)} routine{'s' if len(near) > 1 else ''} seen but not proposed."]
    return Answer("\n".join(lines), {"katas": [_kata_json(kata) for kata in katas], "near": [_near_json(miss) for miss in near]})


def _review(service: Service, ask: Ask) -> Answer:
    kata = service.review(_one(ask, "review N"), ask.surface)
    return Answer(page(kata, ask.lead), _kata_json(kata) | {"spec": kata.version.spec.to_json(), "checks": _checks_json(kata)})


def _approve(service: Service, ask: Ask) -> Answer:
    words = [word for word in ask.words if word.lower() != "as"]
    if len(words) != 2:
        raise Usage(f"Expected: {ask.lead} approve N as NAME")
    try:
        kata = service.approve(words[0], words[1], ask.surface, ask.digest)
    except Unseen as error:
        seen = service.review(words[0], ask.surface)
        text = f"{error}; here it is. Nothing was approved: say it again when it is right.\n\n{page(seen, ask.lead)}"
        return Answer(text, {"error": error.message, "digest": seen.version.spec.digest}, 1)
    call = signature(kata.tool, kata.version.spec)
    lines = [
        f"Approved: {kata.tool}, revision {kata.version.spec.digest[:12]}.",
        f"The agent can call it at once, in a running chat from the next message: {call}",
        "New conversations are told about it by themselves.",
    ]
    return Answer("\n".join(lines), _kata_json(kata))


def _reject(service: Service, ask: Ask) -> Answer:
    kata = service.reject(_one(ask, "reject N"), ask.surface)
    return Answer(f"Rejected: {kata.id}. It will not be proposed again.", _kata_json(kata))


def _disable(service: Service, ask: Ask) -> Answer:
    kata = service.disable(_one(ask, "disable NAME"), ask.surface)
    return Answer(
        f"Disabled: {kata.tool}. The agent cannot call it any more; '{ask.lead} enable {kata.name}' brings it back.", _kata_json(kata)
    )


def _enable(service: Service, ask: Ask) -> Answer:
    kata = service.enable(_one(ask, "enable NAME"), ask.surface)
    return Answer(f"Enabled: {signature(kata.tool, kata.version.spec)}, revision {kata.version.spec.digest[:12]}.", _kata_json(kata))


def _runs(service: Service, ask: Ask) -> Answer:
    kata = service.find(ask.words[0]) if ask.words else None
    rows = service.store.runs(kata.id if kata else None, 20)
    lines = []
    for row in rows:
        seconds = f"{row.finished - row.started:.1f} s" if row.finished else "did not finish: its outcome is unknown"
        lines.append(f"{_when(row.started)}  {row.tool}  {row.status.value}  {seconds}")
        lines.append(f"    run {row.id}")
        lines += [
            _fit(f"    {step.index + 1}. {step.status.value:<8} {brief(step.call) if step.call else step.tool}") for step in row.steps
        ]
        lines += [f"    {row.reason}"] if row.reason else []
    return Answer("\n".join(lines) or "No runs yet.", {"runs": [_run_json(row) for row in rows]})


def _record(service: Service, ask: Ask) -> Answer:
    wanted = ask.words[0].lower() if len(ask.words) == 1 else ""
    if wanted not in ("on", "off"):
        raise Usage(f"Expected: {ask.lead} record on or {ask.lead} record off")
    service.pause(wanted == "off")
    if wanted == "off":
        return Answer("Recording is off from the next message on, in every chat. Approved katas go on working.", {"recording": False})
    if not service.settings.record:
        return Answer("Recording stays off: the setting 'record' in config.yaml is false.", {"recording": False}, 1)
    return Answer("Recording is on from the next message on.", {"recording": True})


def _status(service: Service, ask: Ask) -> Answer:
    lines = [f"Version      {VERSION}"]
    facts: Mapping[str, Json] = {}
    counters: Mapping[str, int] = {}
    trouble = ""
    try:
        service.check()
        facts, counters = service.store.facts(), service.store.counters()
        lines += [f"Recording    {_recording(service)}", *_kept(facts)]
        lines += [f"Refused      kata {number}: {reason}" for number, reason in service.store.broken()]
    except StoreError as error:
        trouble = error.message
        lines += ["Recording    off: the file cannot be used", f"File         {trouble}"]
    lines += [f"Not kept     {n} {LOST.get(name, name.replace('_', ' '))}" for name, n in counters.items() if n]
    lines += [f"{name:<12} {text}" for name, text in ask.host.items() if text != trouble]
    lines.append("Settings     " + ", ".join(f"{name} {_shown(getattr(service.settings, name))}" for name in service.settings.__slots__))
    recording = bool(facts) and service.settings.record and not service.paused
    told = {"recording": recording, "facts": dict(facts), "counters": dict(counters), "host": dict(ask.host)}
    return Answer("\n".join(lines), told, int(not facts))


VERSION = "0.1.0"
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


def _kept(facts: Mapping[str, Json]) -> list[str]:
    last = facts["last_event"]
    return [
        f"Last call    {_when(last) if last else 'none yet: nothing has arrived from Hermes'}",
        f"Kept         {facts['calls']} calls, {facts['turns']} turns, {facts['conversations']} conversations",
        "Katas        " + (", ".join(f"{n} {state}" for state, n in facts["katas"].items()) or "none"),
        f"File         {facts['bytes'] // 1024} KiB, journal mode {facts['journal']}, version {facts['version']}, mode {facts['mode']}",
        f"Where        {facts['path'] or 'memory'}",
    ]


def _shown(value: Json) -> str:
    return (" ".join(value) or "none") if isinstance(value, tuple) else str(value).lower() if isinstance(value, bool) else str(value)


def _help(service: Service, ask: Ask) -> Answer:
    lines = ["Kata finds routines that you repeat and makes each one tool, once you approve it.", ""]
    lines += [f"  {ask.lead} {verb.usage:<22} {verb.what}" for verb in VERBS.values()]
    return Answer("\n".join(lines), {name: verb.what for name, verb in VERBS.items()})


@dataclass(frozen=True, slots=True)
class Verb:
    """One command: what is typed, what it does in a few words, and the function that does it."""

    usage: str
    what: str
    act: Callable[[Service, Ask], Answer]


VERBS: Mapping[str, Verb] = {
    "list": Verb("list", "proposals and active katas", _list),
    "review": Verb("review N", "all about one: steps, data flow, effects, checks", _review),
    "approve": Verb("approve N as NAME", "make it the tool kata_NAME", _approve),
    "reject": Verb("reject N", "never propose it again", _reject),
    "disable": Verb("disable NAME", "take the tool away from the agent", _disable),
    "enable": Verb("enable NAME", "give it back, checked again", _enable),
    "runs": Verb("runs [NAME]", "what recent runs did, step by step", _runs),
    "record": Verb("record on|off", "resume or pause the recording", _record),
    "status": Verb("status", "whether it records, and what it keeps", _status),
    "help": Verb("help", "this page", _help),
}


def _one(ask: Ask, usage: str) -> str:
    if len(ask.words) != 1:
        raise Usage(f"Expected: {ask.lead} {usage}")
    return ask.words[0]


# ── The review page ──────────────────────────────────────────────────────────────────────────────


def page(kata: Kata, lead: str) -> str:
    """Everything a person needs to decide, its effects first (K18): steps, data flow, permissions, schemas, side
    effects, validation; 80 columns."""
    fit, spec = kata.version.fit, kata.version.spec
    head = f"Kata {kata.id} · {_state(kata)} · {kata.tool or 'no name yet'} · {fit.support} conversations · confidence {fit.confidence:.2f}"
    parts = [
        ("Side effects", _effects(spec)),
        ("Permissions", _permissions(spec)),
        ("Steps", [f"{n} {templated(step)}" for n, step in enumerate(spec.steps, 1)]),
        ("Data flow", _flow(spec)),
        ("Schemas", _schemas(spec)),
        ("Validation", _validation(kata)),
    ]
    lines = [head]
    for title, rows in parts:
        lines += [f"{title if not index else '':<13}{row}" for index, row in enumerate(rows)]
    lines.append(f"Revision     {spec.digest[:12]}" + (f" · {lead} approve {kata.id} as NAME" if kata.state is State.CANDIDATE else ""))
    return "\n".join(lines)


def _effects(spec: Spec) -> list[str]:
    rows = []
    for number, step in enumerate(spec.steps, 1):
        if step.effect.kind.value != "read" or step.effect.destructive:
            mark = " DESTRUCTIVE" if step.effect.destructive else ""
            rows.append(f"step {number}: {step.effect.kind.value}{mark}; {step.effect.why}")
    return rows or ["none: every step only reads"]


def _permissions(spec: Spec) -> list[str]:
    tools = ", ".join(dict.fromkeys(step.tool for step in spec.steps))
    return [f"tools {tools}; " + ("asks you before every run" if spec.asks else "runs without asking")]


def _flow(spec: Spec) -> list[str]:
    rows = [
        f"‹{one.name}› you give: {one.description}" + (f" Seen: {', '.join(map(_seen, one.examples))}" if one.examples else "")
        for one in spec.inputs
    ]
    used: dict[str, list[int]] = {}
    for number, step in enumerate(spec.steps, 1):
        for part in walk(step.arguments):
            if isinstance(part, Reference):
                used.setdefault(origin(part), []).append(number)
    rows += [f"{name} goes into step {', '.join(map(str, dict.fromkeys(numbers)))}" for name, numbers in used.items()]
    return rows or ["nothing varies: the same calls every time"]


def _seen(value: Json) -> str:
    return str(value) if len(str(value)) <= 20 else str(value)[:19] + "…"


def _schemas(spec: Spec) -> list[str]:
    arguments = ", ".join(f"{one.name}: {one.type or 'any'}" for one in spec.inputs) or "no arguments"
    return [f"in {arguments}; out status, status of each step, result of step {len(spec.steps)}"]


def _validation(kata: Kata) -> list[str]:
    checks = kata.version.checks
    done = [check for check in checks if check.done]
    failed = [f"FAILED {check.name}: {check.reason}" for check in done if not check.passed]
    later = [check.name for check in checks if not check.done]
    fit = kata.version.fit
    rows = [f"{sum(check.passed for check in done)} of {len(done)} checks passed; {fit.passed} of {fit.tried} held-out examples reproduced"]
    return rows + failed + ([f"not there yet: {', '.join(later)}"] if later else [])


# ── Short forms ──────────────────────────────────────────────────────────────────────────────────


def signature(tool: str, spec: Spec) -> str:
    """`kata_deploy_preview(branch)`: the tool with its arguments, as the agent is told."""
    return f"{tool}({', '.join(one.name for one in spec.inputs)})"


def outline(spec: Spec) -> str:
    """The steps in a few words each: the program of a command, else the tool."""
    names = []
    for step in spec.steps:
        text = templated(step)
        words = text.split()
        names.append(" ".join(words[:2]) if step.tool == "terminal" and len(words) > 1 and words[1].isalpha() else words[0])
    return ", ".join(names)


def _state(kata: Kata) -> str:
    return "proposal" if kata.state is State.CANDIDATE else kata.state.value


def _fit(line: str) -> str:
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"


def _when(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────────


def _kata_json(kata: Kata) -> dict[str, Json]:
    version = kata.version
    return {
        "id": kata.id,
        "state": kata.state.value,
        "tool": kata.tool or None,
        "digest": version.spec.digest,
        "version": version.number,
        "steps": [templated(step) for step in version.spec.steps],
        "inputs": [one.name for one in version.spec.inputs],
        "support": version.fit.support,
        "confidence": round(version.fit.confidence, 4),
        "specificity": version.fit.specificity,
        "asks": version.spec.asks,
    }


def _checks_json(kata: Kata) -> list[Json]:
    return [{"name": check.name, "passed": check.passed, "done": check.done, "reason": check.reason} for check in kata.version.checks]


def _near_json(miss: NearMiss) -> dict[str, Json]:
    return {"steps": list(miss.keys), "rule": miss.rule, "detail": miss.detail, "support": miss.support}


def _run_json(row: RunRow) -> dict[str, Json]:
    steps = [
        {"step": step.index + 1, "tool": step.tool, "status": step.status.value, "reason": step.reason, "attempts": step.attempts}
        for step in row.steps
    ]
    return {
        "run": row.id,
        "tool": row.tool,
        "status": row.status.value,
        "reason": row.reason,
        "started": row.started,
        "finished": row.finished,
        "digest": row.digest,
        "steps": steps,
    }
