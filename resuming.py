"""Says what is left of a run that stopped, and why it may not go on where it may not; it runs nothing, repeats no effect that may have
happened, and never makes up a value that was not kept. A module of its own, because the executor would otherwise know what a file keeps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from . import origins
from .looks import PLACEHOLDER
from .model import (
    Ambient,
    Array,
    Command,
    Concat,
    Expression,
    Hole,
    Input,
    InputField,
    Json,
    Kata,
    Object,
    Pick,
    Reference,
    Refused,
    RunRow,
    Spec,
    Status,
    Step,
    StepTrace,
    TemplateError,
    walk,
)
from .secrecy import SECRET, texts
from .templating import dotted, render

VALID_S = 86_400.0
"""A stopped run can be resumed for so long (T53)."""
CUT = re.compile(
    rf"\[… \d+ {origins.CUT} …\]|^\[[\d,]+ characters, too many to be kept\]$|^\[an answer of type \w+, which is no JSON\]$"
)
"""What stands in the file where a value was too long, or none that can be kept."""
DOUBTFUL = (Status.UNKNOWN, Status.TIMEOUT, Status.INTERRUPTED)
"""How a step ended of which nobody knows what it did."""
DONE, UNDONE = "done", "undone"
"""What a person may say of the step at which a run stopped, after a look: it did happen, or it did not."""


@dataclass(frozen=True, slots=True)
class Rest:
    """What is left of a stopped run: steps from index `at` on, under a spec in which supplied values have taken the place of lost ones."""

    kata: Kata
    run: RunRow
    at: int
    done: tuple[StepTrace, ...]
    spec: Spec
    given: Mapping[str, Json]
    """The arguments of the run and the supplied values, as the executor takes them."""
    supplied: Mapping[str, Json]
    folder: str
    """Where the next step starts: where the run began, or where its commands went; empty where nobody knows."""
    earlier: tuple[RunRow, ...] = ()
    """The runs that the stopped one went on with."""

    @property
    def results(self) -> tuple[Json, ...]:
        return tuple(one.result for one in self.done)

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps that are left."""
        return self.spec.steps[self.at :]


# ── How far it came ──────────────────────────────────────────────────────────────────────────────


def reached(run: RunRow, spec: Spec, said: str = "") -> tuple[StepTrace, ...]:
    """The steps that are done, in order; the next one may be asked for. Refused when it may have happened already, unless a person `said`
    what became of it; when all is done; or when what is kept has a gap."""
    known = {one.index: one for one in run.steps}
    done: list[StepTrace] = []
    while (one := known.get(len(done))) is not None and one.status is Status.OK:
        done.append(one)
    at = len(done)
    if at >= len(spec.steps):
        raise Refused(f"Every step of run {run.id} was done; there is nothing to resume")
    if any(one.index > at and one.attempts for one in run.steps):
        raise Refused(f"Run {run.id} is not kept whole: step {at + 1} is missing and a later one was begun; go on by hand")
    acted = _acted(known.get(at), spec.steps[at])
    if said and not acted:
        raise Refused(f"Step {at + 1} of run {run.id} changed nothing that has to be looked at; resume it without saying what became of it")
    if said == DONE and acted:
        return (*done, replace(acted, status=Status.OK, result=None, reason="a person said that it was done"))
    if acted and acted.status in DOUBTFUL and said != UNDONE:
        raise Refused(_doubt(run, acted))
    return tuple(done)


def _acted(one: StepTrace | None, step: Step) -> StepTrace | None:
    """The step at which a run stopped, if it may have changed something."""
    began = one is not None and one.attempts > 0 and one.status is not Status.REFUSED
    return one if began and not step.effect.plain_read else None


def _doubt(run: RunRow, one: StepTrace) -> str:
    return (
        f"Nobody knows whether step {one.index + 1} ({one.tool}) of run {run.id} happened ({one.status.value}), so it is not repeated. "
        f"A person has to look at what it did and then say so in a shell: 'hermes kata resume {run.id}' with --it-happened goes on after "
        f"that step, with --it-did-not-happen repeats it"
    )


def failed(rest: Rest) -> str:
    """A warning where the next step was tried before and may have done a part of its work; else empty."""
    tries = [one for run in (rest.run, *rest.earlier) for one in run.steps if one.index == rest.at]
    acted = rest.at < len(rest.spec.steps) and any(_acted(one, rest.kata.version.spec.steps[rest.at]) for one in tries)
    return f"Step {rest.at + 1} was tried before and may have done a part of its work." if acted else ""


# ── What it needs ────────────────────────────────────────────────────────────────────────────────


def rest(kata: Kata, run: RunRow, done: Sequence[StepTrace], inputs: Mapping[str, Json], supplied: Mapping[str, Json]) -> Rest:
    """What is left after the steps `done`; `inputs` are all that is known of the arguments, defaults and supplied ones included. Refused
    names every value that is needed and was not kept, and what was supplied without need."""
    spec, at = kata.version.spec, len(done)
    lost = dict(_lost(spec, done, run.inputs, inputs))
    missing = [name for name in lost if name not in supplied]
    needless = [name for name in supplied if name not in lost]
    if needless:
        raise Refused(f"Only what was not kept can be supplied; run {run.id} has no need of {', '.join(map(repr, needless))}")
    if missing:
        wanted = "; ".join(f"{name!r} {lost[name][0]}" for name in missing)
        raise Refused(f"Run {run.id} cannot go on by itself: {wanted}. Give it by that name in 'with' (--with NAME=VALUE): it is not kept")
    if PLACEHOLDER.search(folder := _folder(run, done)):
        raise Refused(f"The folder of run {run.id} was masked, so its next step cannot be put into it; go on by hand")
    names = [(found, name) for name, (_, found) in lost.items() if isinstance(found, Reference)]
    steps = (*spec.steps[:at], *(replace(step, arguments=_object(step.arguments, names)) for step in spec.steps[at:]))
    fields = (*spec.inputs, *(InputField(name, "") for _, name in names))
    given = {**run.inputs, **supplied}
    return Rest(kata, run, at, tuple(done), Spec(fields, steps), given, dict(supplied), folder)


def _lost(
    spec: Spec, done: Sequence[StepTrace], kept: Mapping[str, Json], inputs: Mapping[str, Json]
) -> Iterator[tuple[str, tuple[str, Expression]]]:
    """Name → why it was not kept, and what needs it, for every value that the steps after `done` need."""
    types = {one.name: one.type for one in spec.inputs}
    for step in spec.steps[len(done) :]:
        for part in walk(step.arguments):
            if isinstance(part, Ambient) and (why := _unkept(kept.get(part.key), "")):
                yield part.key, (why, part)
            if isinstance(part, Input) and (why := _unkept(kept.get(part.name), types.get(part.name, ""))):
                yield part.name, (why, part)
            if isinstance(part, Reference) and part.step < len(done) and (why := _unfound(part, done, inputs)):
                yield called(part), (why, part)


def called(reference: Reference) -> str:
    """The name under which a value of an earlier step is supplied: `step1.files.0`."""
    return re.sub(r"\s+", "", f"step{reference.step + 1}.{dotted(reference.path)}").replace("=", ":")


def _unfound(reference: Reference, done: Sequence[StepTrace], inputs: Mapping[str, Json]) -> str:
    results = [one.result for one in done]
    if isinstance(results[reference.step], str) and CUT.search(results[reference.step]):
        return "was too long to be kept"
    try:
        return _unkept(render(reference, inputs, results), "")
    except (TemplateError, origins.Missing):
        return "is not in what was kept"


def _unkept(value: Json, kind: str) -> str:
    """Why the value cannot be used again; empty when it can."""
    if kind == SECRET:
        return "is a secret, which is never kept"
    found = [*texts(value)]
    if any(PLACEHOLDER.search(text) for text in found):
        return "was masked"
    return "was too long to be kept" if any(CUT.search(text) for text in found) else ""


def _folder(run: RunRow, done: Sequence[StepTrace]) -> str:
    """Where the commands of the done steps went, else where the run began (A26)."""
    folder = run.folder
    for one in done:
        moved = one.result.get("cwd") if isinstance(one.result, Mapping) else None
        if one.tool == "terminal" and isinstance(moved, str) and not (one.call and one.call.arguments.get("workdir")):
            folder = moved
    return folder


# ── Supplied values take the place of lost ones ──────────────────────────────────────────────────

Names = Sequence[tuple[Reference, str]]


def _object(arguments: Object, names: Names) -> Object:
    return Object(tuple((key, _bound(value, names)) for key, value in arguments.fields))


def _bound(expression: Expression, names: Names) -> Expression:
    """The expression with an input in the place of each reference that has a name."""
    name = next((name for reference, name in names if reference == expression), None)
    if name is not None:
        return Input(name)
    match expression:
        case Reference(step, path):
            picks = (replace(part, value=_bound(part.value, names)) if isinstance(part, Pick) and part.value else part for part in path)
            return Reference(step, tuple(picks))
        case Concat(parts):
            return Concat(tuple(_bound(part, names) for part in parts))
        case Command(pieces):
            return Command(tuple(Hole(_bound(piece.value, names), piece.place) if isinstance(piece, Hole) else piece for piece in pieces))
        case Object():
            return _object(expression, names)
        case Array(items):
            return Array(tuple(_bound(item, names) for item in items))
    return expression
