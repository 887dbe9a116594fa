"""The law of handing back: whatever goes wrong at whatever step, no effect happens twice, the answer says what ran and what comes next, and
where the fault was passing the run comes to its end."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from contextlib import closing, suppress
from dataclasses import dataclass, field

import pytest
from strategies import Bench, bench

from kata import executor
from kata.executor import Held
from kata.model import (
    Class,
    Command,
    Effect,
    Fit,
    Hole,
    Json,
    Kata,
    Literal,
    Object,
    Outcome,
    Proposal,
    Reference,
    Refused,
    Spec,
    State,
    Status,
    Step,
    StepCall,
    Trace,
)
from kata.resuming import DONE, UNDONE

KATAS = 50 if int(os.environ.get("KATA_EXAMPLES", "200")) >= 10_000 else 10
KINDS = ("error", "exit", "timeout", "veto", "kill")
READ, WRITE = Effect(Class.READ, why="reads"), Effect(Class.WRITE, why="touch changes files here")


class Killed(BaseException):
    """The process ends in the middle of a step."""


def made(seed: int) -> Spec:
    """Two to six commands, some of which only read, some of whose values come out of an earlier answer."""
    chance = random.Random(seed)
    steps = []
    for at in range(chance.randint(2, 6)):
        effect = chance.choice((READ, WRITE, WRITE))
        program = "cat" if effect is READ else "touch"
        value = Reference(chance.randrange(at), ("output",)) if at and chance.random() < 0.5 else Literal(f"f{at}")
        command = Command((f"{program} d{at}/", Hole(value, "bare")))
        steps.append(Step("terminal", Object((("command", command),)), effect))
    return Spec((), tuple(steps))


@dataclass
class World:
    """The tools: what was done and how often, and the one fault that is to come."""

    spec: Spec
    at: int
    kind: str
    done: Counter[int] = field(default_factory=Counter)
    faulted: bool = False

    def __call__(self, asked: StepCall) -> Outcome:
        if asked.index == self.at and not self.faulted:
            self.faulted = True
            return self.fault(asked)
        self.done[asked.index] += 1
        return Outcome.read(json.dumps({"output": f"v{asked.index}", "exit_code": 0, "error": None}))

    def fault(self, asked: StepCall) -> Outcome:
        if self.kind == "veto":
            return Held(Status.REFUSED, reason="another plugin said no")
        if self.kind == "timeout":
            self.done[asked.index] += 1  # it may have happened all the same
            return Outcome(Status.TIMEOUT, reason="no answer")
        if self.kind == "kill":
            self.done[asked.index] += 1
            raise Killed
        bad: Json = {"error": "no such thing"} if self.kind == "error" else {"output": "no", "exit_code": 2, "error": None}
        return Outcome.read(json.dumps(bad))


def active(desk: Bench, spec: Spec) -> Kata:
    kata = desk.store.propose(Proposal(spec, "f", Fit(3, 3, 3, 1.0), ()), 1.0)
    assert kata is not None
    told = {"digest": spec.digest, "actor": "cli", "verb": "approve", "now": 2.0}
    return desk.store.transition(kata.id, before=(State.CANDIDATE,), after=State.ACTIVE, name="it", approved=True, **told)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(KATAS))
def test_a_fault_at_any_step_repeats_no_effect_and_hands_back(seed: int, kind: str) -> None:
    """K117, T52, T53, B48: 50 katas, five kinds, every step under `--full`; what is called next never hangs on what was answered."""
    spec = made(seed)
    for at in range(len(spec.steps)):
        with closing(bench()) as desk:
            kata, world = active(desk, spec), World(spec, at, kind)
            trace: Trace | None = None
            with suppress(Killed):
                trace = desk.service.start(kata, {}, "run-0", "s", world)
            passing = kind != "kill" and spec.steps[at].effect.plain_read and kind in ("error", "exit")
            if trace is not None and not passing:
                handed_back(trace, spec, at)
            if trace is None or trace.status is not Status.OK:
                finished(desk, spec, at, kind, world)
            acting = [index for index, step in enumerate(spec.steps) if not step.effect.plain_read]
            assert [world.done[index] for index in acting] == [1] * len(acting), (seed, kind, at)


def handed_back(trace: Trace, spec: Spec, at: int) -> None:
    """The answer says what ran, what may have acted, and the call that comes next with its arguments."""
    told = json.loads(executor.answer(trace, spec, "run-0"))
    assert [step["status"] for step in told["steps"]][:at] == ["ok"] * at and "error" in told
    assert [step["status"] for step in told["steps"]][at + 1 :] == ["skipped"] * (len(spec.steps) - at - 1)
    stopped = trace.steps[at].call
    assert stopped is not None and told["next"] == {"tool": "terminal", "arguments": dict(stopped.arguments)}
    before = [one["step"] for one in told["had_effect"] if one.get("sure", True)]
    assert before == [index + 1 for index in range(at) if not spec.steps[index].effect.plain_read]


def finished(desk: Bench, spec: Spec, at: int, kind: str, world: World) -> None:
    """The run goes on to its end; where nobody knows whether an effect happened, only after a person looked."""
    doubtful = kind in ("timeout", "kill") and not spec.steps[at].effect.plain_read
    if doubtful:
        with pytest.raises(Refused, match="Nobody knows whether step"):
            desk.service.left("run-0")
    said = (DONE if world.done[at] else UNDONE) if doubtful else ""
    needed = any(isinstance(hole.value, Reference) and hole.value.step == at for step in spec.steps[at + 1 :] for hole in holes(step))
    supplied = {f"step{at + 1}.output": f"v{at}"} if said == DONE and needed else {}
    trace = desk.service.resume(desk.service.left("run-0", supplied, None, said), "run-1", "s", world)
    assert trace.status is Status.OK, (kind, at, trace)
    with pytest.raises(Refused):
        desk.service.left("run-0")


def holes(step: Step) -> list[Hole]:
    command = dict(step.arguments.fields)["command"]
    assert isinstance(command, Command)
    return [piece for piece in command.parts if isinstance(piece, Hole)]
