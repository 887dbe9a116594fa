"""Carries out what a person orders or decides: runs, approvals, erasures, the recording; the rules themselves are never here.

A module of its own, because these are the commands after which something is different, and each says what it did."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import asdict, replace

from . import order, pages
from .asking import Act, Answer, Ask
from .deciding import Unconfirmed, Unseen
from .looking import near, page, review
from .manual import misused, number
from .model import Json, Kata, Refused, State, Usage
from .pages import kata_json, when
from .service import Service


def _run(service: Service, ask: Ask) -> Answer:
    if stray := next((word for word in ask.words[1:] if "=" not in word), ""):
        raise Usage(f"{misused('run', ask).message} {stray[:60]!r} is no KEY=VALUE.")
    kata, given = order.ordered(service, ask.words)
    folder = ask.hand.folder if ask.hand else ""
    for at in ask.options.get("--cron", ())[-1:]:
        hermes = ask.hand.hermes if ask.hand else "hermes"
        line, note = order.timetable(service, kata, given, at, folder, hermes, "--on-change" in ask.options)
        return Answer(f"{note}\n", {"line": line, "note": note}, raw=line)
    if "--dry-run" in ask.options:
        told = order.plan(service, kata, given, folder, ask.hand.around if ask.hand else {})
        return Answer(order.page(told, ask.lead), order.plan_json(told), int(bool(told.problems)))
    if ask.hand is None or ask.surface != "cli" and not order.reads(kata):
        where = f"Ask the agent to call {kata.tool}, or in a shell: hermes kata run {kata.name} …"
        raise Refused(f"{kata.tool} does more than read, and here nobody can ask you before it acts; nothing was run. {where}")
    answer = ask.hand.go(kata, given)
    if "--on-change" in ask.options and (before := order.unchanged(service, str(answer.get("run", "")))):
        return Answer("" if ask.surface == "cli" else f"{kata.tool} came to the same result as in run {before}.")
    row = service.store.run(str(answer.get("run", "")))
    text = order.answered(answer, pages.trace(row, ask.lead) if row else "")
    return Answer(text, dict(answer), int("error" in answer))


def _approve(service: Service, ask: Ask) -> Answer:
    word, name, confirm = _approving(ask)
    if not name and not service.find(word).name:
        raise misused("approve", ask)
    try:
        kata = service.approve(word, name, ask.surface, ask.digest, confirm)
    except Unseen as error:
        seen = service.review(word, ask.surface)
        text = f"{error}; here it is. Nothing was approved: say it again when it is right.\n\n{page(service, seen, ask)}"
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
        raise misused("approve", ask)
    return words[0].lower(), words[1] if len(words) == 2 else "", confirm


def _rollback(service: Service, ask: Ask) -> Answer:
    kata = service.rollback(ask.kata, number("rollback", ask.words[1], ask), ask.surface)
    revision = kata.version.spec.digest[:12]
    text = f"Back at version {kata.version.number}, revision {revision}: {pages.signature(kata.tool, kata.version.spec)}"
    return Answer(f"{text}. The agent can call it from the next message on.", kata_json(kata))


def _rename(service: Service, ask: Ask) -> Answer:
    words = list(ask.words)
    if len(words) == 3 and words[1].lower() == "as":
        del words[1]
    if len(words) != 2 or words[1].lower() == "as":
        raise misused("rename", ask)
    kata = service.rename(words[0].lower(), words[1], ask.surface)
    live = "Running chats know it by that name from their next message on."
    told = live if kata.state is State.ACTIVE else f"It is {kata.state.value}, so the agent cannot call it."
    return Answer(f"Renamed: {kata.tool}. {told}", kata_json(kata))


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
        raise misused("purge", ask)
    told = service.purge(kind, word, ask.surface) if sure else service.erasable(kind, word)
    lines = pages.erasure(told, kind, word, sure)
    if not sure:
        lines += ["", f"Nothing was erased yet. To do it, add 'yes': {ask.lead} purge {kind} {shlex.quote(word)} yes"]
    return Answer("\n".join(lines), {"done": sure, **asdict(told), "katas": [list(one) for one in told.katas]})


def _cleanup(service: Service, ask: Ask) -> Answer:
    words = tuple(word.lower().removeprefix("--") for word in ask.words)
    if words not in ((), ("yes",), ("purge",), ("purge", "yes")):
        raise misused("cleanup", ask)
    facts = service.store.facts()
    kept = {name: facts[name] for name in ("calls", "turns", "conversations", "katas", "path")}
    sure = ask.hand.sure if "purge" in words and ask.hand else None
    if "yes" not in words:
        listed = _kept(service, kept)
        if sure is None or not sure("\n".join(listed)):
            lines = [*(listed if sure is None else ()), f"Nothing was erased yet. To do it: {ask.lead} cleanup yes"]
            return Answer("\n".join(lines), {"done": False, **kept, "files": []})
    files = service.cleanup()
    text = "Erased: everything that Kata kept. While the plugin is enabled it records anew from the next message on."
    return Answer("\n".join([text, *(f"  {file}" for file in files)]), {"done": True, **kept, "files": list(files)})


def _kept(service: Service, kept: Mapping[str, Json]) -> list[str]:
    """What a cleanup would erase, line by line."""
    return [
        "This would be erased: everything that Kata keeps.",
        f"  {pages.many(kept['calls'], 'call')} in {pages.many(kept['turns'], 'turn')}, all runs, and the log of decisions",
        *(f"  kata {one.id} {one.tool or 'without a name'} ({pages.state(one)})" for one in service.store.katas()),
        f"  the file {kept['path'] or 'in memory'}",
        "What stays is yours: the plugin's folder, and its lines in config.yaml (hermes plugins remove kata).",
        "",
    ]


def _repair(service: Service, ask: Ask) -> Answer:
    done = service.repair(ask.surface)
    if done is None:
        return Answer("The file is sound; nothing was done.", {"done": False, "why": "", "saved": {}, "kept": ""})
    saved = ", ".join(f"{n} {table.replace('_', ' ')}" for table, n in done.saved.items() if n) or "nothing"
    lines = [
        f"What was wrong: {done.why}",
        f"Saved into a new file: {saved}. Everything is looked at again.",
        f"The old file is kept: {done.kept}",
        "Look whether something is missing ('list', 'audit verify'), then delete it: it may hold what you erase from now on.",
    ]
    return Answer("\n".join(lines), {"done": True, "why": done.why, "saved": done.saved, "kept": done.kept})


def _stop(service: Service, ask: Ask) -> Answer:
    run = service.stop(ask.kata)
    text = f"Stopping: run {run.id} of {run.tool} ends before its next step; a step that runs now is not torn away."
    return Answer(text, {"run": run.id})


def _resume(service: Service, ask: Ask) -> Answer:
    """Only the shell can ask before each step, and its door does it before it comes here; elsewhere the way is told."""
    if ask.words[1:2] and ask.words[1].lower() not in ("with", "--with"):
        raise misused("resume", ask)
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
    return Answer(f"Taken back: {verb!r}. {_again(kata, verb)}", kata_json(kata) | {"undone": verb})


def _again(kata: Kata, verb: str) -> str:
    """How things are after a decision was taken back."""
    if verb in ("merge", "extend"):
        return "Both are told about by themselves again."
    if verb == "force":
        return "It is a near miss again."
    if verb == "separate":
        return "They are named beside each other again."
    name = kata.tool or f"kata {kata.id}"
    if verb == "rename":
        return f"It is called {name} again."
    return f"{name[0].upper()}{name[1:]} is {'a ' * (kata.state is State.CANDIDATE)}{pages.state(kata)} again."


def _wrong(service: Service, ask: Ask) -> Answer:
    kata = service.wrong(ask.kata, ask.surface)
    text = f"Noted: what {kata.tool} did was wrong. It is a proposal again, and the agent cannot call it: {ask.lead} review {kata.id}"
    return Answer(text, kata_json(kata))


def _edit(service: Service, ask: Ask) -> Answer:
    if ask.words[1].lower() not in ("help", "input", "drop"):
        raise misused("edit", ask)
    before = service.find(ask.kata).version.spec
    kata = service.edit(ask.kata, ask.words[1:], ask.surface)
    changed = pages.changes(before, kata.version.spec)
    rows = [*changed, f"It waits for an approval: {ask.lead} review {kata.id}"]
    return Answer("\n".join([f"Edited: version {kata.version.number} of kata {kata.id}.", *rows]), kata_json(kata) | {"changes": changed})


def _pair(verb: str, between: str, ask: Ask) -> tuple[str, str]:
    """The two routines out of `N with M`."""
    words = [word.lower() for word in ask.words]
    if len(words) == 3 and words[1] == between:
        del words[1]
    if len(words) != 2 or between in words:
        raise misused(verb, ask)
    return words[0], words[1]


def _near(service: Service, ask: Ask) -> Answer:
    """The near misses; with `review` one of them becomes a proposal because a person wants it."""
    if ask.words[1:] and ask.words[1].lower().removeprefix("--") != "review":
        raise misused("near", ask)
    if len(ask.words) < 2:
        return near(service, ask)
    kata = service.force(ask.words[0], ask.surface)
    shown = review(service, replace(ask, words=(str(kata.id),)))
    text = f"In review: proposal {kata.id}, although it fails {kata.version.fit.forced}. '{ask.lead} undo' takes that back."
    return replace(shown, text=f"{text}\n\n{shown.text}")


def _merge(service: Service, ask: Ask) -> Answer:
    word, other = _pair("merge", "with", ask)
    kata = service.merge(word, other, ask.surface)
    return _joined(service, kata, ask, f"Merged: proposal {kata.id} stands for both; by themselves they are not told about any more.")


def _extend(service: Service, ask: Ask) -> Answer:
    word, other = _pair("extend", "with", ask)
    kata = service.extend(word, other, ask.surface)
    base = service.extended(kata)
    name = base.name if base else ""
    text = f"Extended: proposal {kata.id} is kata_{name} with the further steps. Approved as {name} it takes its place"
    return _joined(service, kata, ask, f"{text}; until then nothing changes.")


def _joined(service: Service, kata: Kata, ask: Ask, text: str) -> Answer:
    """What a decision about two routines came to, and how it goes on."""
    lines = [text, *pages.entry(kata), "", f"Look at it: {ask.lead} review {kata.id}. '{ask.lead} undo' takes that back."]
    base = service.extended(kata)
    merged = [one for one, into in service.merged().items() if into == kata.id]
    return Answer("\n".join(lines), kata_json(kata) | {"stands_for": merged, "extends": base.id if base else None})


def _separate(service: Service, ask: Ask) -> Answer:
    word, other = _pair("separate", "from", ask)
    kata, rest = service.separate(word, other, ask.surface), service.find(other)
    both = " and ".join(one.tool or f"proposal {one.id}" for one in (kata, rest))
    text = f"Kept apart: {both} are two things, and are not named beside each other any more."
    return Answer(text, kata_json(kata) | {"apart_from": rest.id})


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
        raise misused("record", ask)
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


ACTS: Mapping[str, Act] = {
    "approve": _approve,
    "reject": _reject,
    "snooze": _snooze,
    "edit": _edit,
    "undo": _undo,
    "near": _near,
    "merge": _merge,
    "extend": _extend,
    "separate": _separate,
    "disable": _disable,
    "enable": _enable,
    "trust": _trust,
    "bind": _bind,
    "untrust": _untrust,
    "rename": _rename,
    "rollback": _rollback,
    "relax": _relax,
    "forget": _forget,
    "run": _run,
    "resume": _resume,
    "wrong": _wrong,
    "stop": _stop,
    "purge": _purge,
    "cleanup": _cleanup,
    "repair": _repair,
    "incognito": _incognito,
    "record": _record,
}
