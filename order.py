"""A kata as a person orders it in words, without a model: its inputs, what it would do, and the line for a timetable; it calls no tool,
installs nothing, and never says yes for anybody. A module of its own, because manual.py knows every verb and pages.py every
page, and a plan is both a question to the executor and a page."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from . import consent, executor, layout, pages, resuming, secrecy, templating, validator
from .discretion import veil
from .logbook import excess
from .model import Call, InputError, Json, Kata, Refused, State, Status, Step, StepTrace, Trace, Usage, canonical
from .service import Service
from .wording import WHOLE, brief, templated, visible

LOOKED_AT = 50
"""Runs of a kata among which the last with the same inputs is looked for."""
FIELD = re.compile(r"[0-9A-Za-z*/,-]{1,40}")
"""One field of a timetable."""


def ordered(service: Service, words: Sequence[str]) -> tuple[Kata, dict[str, Json]]:
    """The active kata and its inputs out of `NAME key=value …`; Usage where they are not understood or do not fit, Refused where the kata
    is not active."""
    kata = service.find(words[0].lower())
    if kata.state is not State.ACTIVE or kata.id not in [one.id for one in service.active()]:
        raise Refused(f"{kata.tool or f'Kata {kata.id}'} is {pages.state(kata)}, and only an active kata runs; 'show {kata.id}' tells more")
    given: dict[str, str] = {}
    for word in words[1:]:
        name, _, value = word.partition("=")
        if name in given:
            raise Usage(f"Expected each input once, got {name[:60]!r} twice: {pages.signature(kata.tool, kata.version.spec)}")
        given[name] = value
    values = validator.coerced(given, executor.input_schema(kata.version.spec))
    try:
        executor.check_inputs(kata.version.spec, service.filled(kata, values))
    except InputError as error:
        raise Usage(f"{error.message}: {pages.signature(kata.tool, kata.version.spec)}") from error
    return kata, values


def reads(kata: Kata) -> bool:
    """Whether every step only reads, by what was approved and by what is thought of it today."""
    return all(step.effect.plain_read for step in kata.version.spec.steps) and not consent.grave(kata)


# ── The plan ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Planned:
    """One step as it would be called: the line with every value that is known before the run."""

    number: int
    step: Step
    line: str
    call: Call | None
    """The whole call, where it needs no result of an earlier step."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would do, whom it would ask, and what stands in its way."""

    kata: Kata
    given: Mapping[str, Json]
    steps: tuple[Planned, ...]
    folder: str
    problems: tuple[str, ...]
    questions: tuple[str, ...]
    bound: frozenset[str] = frozenset()
    """The secret inputs that are taken from the environment."""


def plan(
    service: Service, kata: Kata, given: Mapping[str, Json], folder: str = "", around: Mapping[str, Json] | None = None
) -> Plan:
    """Render a run without any call: the executor is asked for its first step and is told no more. `around` is what was captured of the
    surroundings."""
    spec, lacking, bound = kata.version.spec, list[str](), service.bound(kata)
    shown, given = veil(spec, given).without, {**{name: f"${variable}" for name, variable in bound.items()}, **given}
    values = executor.check_inputs(spec, given)
    trace = Trace(Status.SKIPPED, tuple(StepTrace(at, step.tool, Status.SKIPPED) for at, step in enumerate(spec.steps)))
    try:
        execution = executor.run(spec, given, around=around)
        trace = executor.drive(execution, lambda asked: executor.Held(Status.INTERRUPTED, reason="dry run"))
    except InputError as error:
        lacking.append(error.message)
    calls = [one.call for one in trace.steps]
    lines = [str(shown(brief(call, WHOLE) if call else templated(step, values))) for call, step in zip(calls, spec.steps, strict=True)]
    steps = tuple(Planned(at, *one) for at, one in enumerate(zip(spec.steps, lines, calls, strict=True), 1))
    refused = [f"step {one.index + 1}: {one.reason}" for one in trace.steps if one.status is Status.REFUSED]
    more = [f"step {one.number}: more than was approved: {why}" for one in steps if one.call and (why := excess(one.call, one.step))]
    absent = [f"step {one.number}: {why}" for one in steps if (why := _obstacle(service, one.step))]
    problems = tuple(str(shown(one)) for one in (*lacking, *refused, *more, *absent, *service.absent(kata, folder)))
    told = tuple(replace(one, call=one.call and Call(one.call.tool, shown(one.call.arguments))) for one in steps)
    return Plan(kata, shown(given), told, folder, problems, _questions(service, kata, folder), frozenset(bound))


def _obstacle(service: Service, step: Step) -> str:
    """Why a step cannot run with the tools as this process knows them."""
    now = service.door.schema(step.tool)
    if now is None:
        return f"the tool {step.tool} is not there in this process"
    return validator.drift(step.tool, step.schema, now, service.store.schema)[0]


def _questions(service: Service, kata: Kata, folder: str) -> tuple[str, ...]:
    """Who asks what, wherever the run is begun."""
    acting = [number for number, step in enumerate(kata.version.spec.steps, 1) if not step.effect.plain_read]
    asked = consent.asks(kata, folder, service.always, service.trusted(kata))
    elsewhere = ", because no example ran in that folder" if asked and not service.asks(kata) else ""
    shell = f"in a shell: before {_numbers(acting)}; without a terminal it is refused" if acting else "in a shell: none"
    agent = f"by the agent: once before the run{elsewhere}" if asked else "by the agent: none"
    own = [number for number in acting if kata.version.spec.steps[number - 1].tool == "terminal"]
    host = [f"Hermes itself may ask before {_numbers(own)}, where it finds the command dangerous"] if own else []
    return (shell, agent, *host, "your other plugins may refuse any step")


def _numbers(steps: Sequence[int]) -> str:
    return f"step{'s' * (len(steps) > 1)} {', '.join(map(str, steps))}"


def page(told: Plan, lead: str) -> str:
    """The plan for a person."""
    spec = told.kata.version.spec
    parts = [
        ("Dry run", [f"{pages.signature(told.kata.tool, spec)}: nothing was run"]),
        ("In", [told.folder] if told.folder else []),
        ("Inputs", [f"{name} = {templating.as_shown(value)}" for name, value in told.given.items()] or ["none"]),
        ("Steps", [f"{one.number} {one.line}" for one in told.steps]),
        ("Side effects", pages.effects(spec, len(spec.steps))),
        ("Questions", told.questions),
        ("In the way", told.problems or ["nothing that can be seen before"]),
        ("Revision", [spec.digest[:12]]),
        ("Run it", [_typed(told.kata, told.given, lead, told.bound)] if not told.problems else []),
    ]
    return "\n".join(line for title, rows in parts for line in layout.part(title, rows))


def plan_json(told: Plan) -> dict[str, Json]:
    """The plan as JSON; `arguments` are None for a step that waits for a result."""
    steps = [
        {
            "step": one.number,
            "tool": one.step.tool,
            "line": one.line,
            "arguments": dict(one.call.arguments) if one.call else None,
            "effect": one.step.effect.kind.value,
            "destructive": one.step.effect.destructive,
            "asked_in_a_shell": not one.step.effect.plain_read,
        }
        for one in told.steps
    ]
    about = {"dry_run": True, "kata": told.kata.id, "tool": told.kata.tool, "digest": told.kata.version.spec.digest, "folder": told.folder}
    return {**about, "inputs": dict(told.given), "steps": steps, "questions": list(told.questions), "problems": list(told.problems)}


def _typed(kata: Kata, given: Mapping[str, Json], lead: str, bound: Collection[str] = ()) -> str:
    """The command that runs it; the value of a secret is left to the person."""
    secret = {one.name for one in secrecy.fields(kata.version.spec)}
    plain = {name: value if isinstance(value, str) else canonical(value) for name, value in given.items() if name not in secret}
    pairs = [f"{name}={value}" for name, value in plain.items()] + [f"{name}=…" for name in given if name in secret.difference(bound)]
    return " ".join([lead, "run", kata.name, *map(shlex.quote, pairs)])


# ── A timetable ──────────────────────────────────────────────────────────────────────────────────


def timetable(
    service: Service, kata: Kata, given: Mapping[str, Json], when: str, folder: str, hermes: str, quiet: bool = False
) -> tuple[str, str]:
    """The line that a person may put into a timetable, and what to know of it: one of the system's where every step only reads, else one
    of Hermes' own, whose policy then decides about the effects (K82); `quiet` where it is to speak on change only. Nothing is
    installed."""
    fields = when.split()
    if len(fields) != 5 or not all(FIELD.fullmatch(one) for one in fields):
        raise Usage(f"Expected a time of five fields, such as '0 9 * * 1' (every Monday at nine), got {when[:60]!r}")
    if held := [one.name for one in secrecy.fields(kata.version.spec) if one.name in given]:
        way = f"'bind {kata.name} {held[0]} VAR' has it taken from the environment"
        raise Refused(f"Whoever reads a timetable would read the secret {held[0]!r} in it; {way}")
    if reads(kata):
        line = f"{_typed(kata, given, f'{shlex.quote(hermes)} kata')} --json{' --on-change' * quiet}".replace("%", r"\%")
        at = f"cd {shlex.quote(folder)} && ".replace("%", r"\%") if folder else ""
        return f"{' '.join(fields)} {at}{line}", "A line for 'crontab -e': nothing was installed, and no model is asked."
    call = f"Call {kata.tool} once with these arguments and tell what it answered: {canonical(dict(given))}"
    line = f"hermes cron create {shlex.quote(' '.join(fields))} {shlex.quote(call)}"
    note = (
        f"{kata.tool} does more than read, so without a terminal 'hermes kata run' refuses it. This makes a job of Hermes, which asks a "
        "model, and whose own policy for jobs decides about the effects. Nothing was installed."
    )
    return line, note


def unchanged(service: Service, run: str) -> str:
    """The last run before this one of the same revision, with the same inputs, in the same folder, when both ended well and with the same
    result; empty where there is none, or what is kept of the result is not whole."""
    now = service.store.run(run)
    if now is None or now.status is not Status.OK:
        return ""
    alike = (one for one in service.store.runs(now.kata, LOOKED_AT) if one.id != now.id and one.status is Status.OK)
    before = next((one for one in alike if (one.digest, one.inputs, one.folder) == (now.digest, now.inputs, now.folder)), None)
    if before is None or any(map(resuming.CUT.search, secrecy.texts(now.steps[-1].result))):
        return ""
    return before.id if canonical(before.steps[-1].result) == canonical(now.steps[-1].result) else ""


def answered(told: Mapping[str, Json], whole: str) -> str:
    """What became of an ordered run: why it stopped, and its page."""
    result = told.get("result")
    shown = result.get("output", result) if isinstance(result, Mapping) and result.get("exit_code") == 0 else result
    text = shown if isinstance(shown, str) else "" if shown is None else canonical(shown)
    return "\n\n".join(filter(None, (visible(str(told.get("error", ""))), whole, text.rstrip())))
