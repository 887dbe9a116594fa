"""The law of replay: whoever plays a spec, the rehearsal of the validator, the dry run or the driver of real runs, asks for the same
calls."""

import json
from collections.abc import Sequence
from typing import Any

from hypothesis import given
from strategies import bench

from kata import executor, order
from kata.driver import OPEN, Driver, Place, replay
from kata.model import Call, Fit, Kata, Outcome, Spec, State, Status, StepCall, Version, canonical

from ..test_executor import routines

DESK = bench()


def spelled(call: Call) -> str:
    return canonical([call.tool, dict(call.arguments)])


def rehearsed(spec: Spec, inputs: dict[str, Any], results: Sequence[Any]) -> list[str]:
    """As the validator plays it: under the production driver, on a stub."""
    asked: list[str] = []

    def stub(one: StepCall) -> Outcome:
        asked.append(spelled(one.call))
        return Outcome(Status.OK, results[one.index])

    assert replay(spec, inputs, stub).status is Status.OK
    return asked


def driven(spec: Spec, inputs: dict[str, Any], results: Sequence[Any]) -> list[str]:
    """As it really runs: what the host's tools are asked for, which answer in JSON text."""
    asked: list[str] = []

    def dispatch(tool: str, arguments: dict[str, Any], **ids: Any) -> str:
        asked.append(spelled(Call(tool, arguments)))
        return json.dumps(results[len(asked) - 1])

    driver = Driver(dispatch, Place("task", "session", "task:kata:r1", "/srv/app"), 60.0, gates=OPEN)
    assert executor.drive(executor.run(spec, inputs), driver).status is Status.OK
    return asked


def planned(spec: Spec, inputs: dict[str, Any]) -> list[str | None]:
    """As the dry run shows it; None where nobody knows before the run."""
    kata = Kata(1, "it", State.ACTIVE, "f", Version(1, spec, Fit(3, 3, 3, 1.0), (), (), 1.0, 1.0))
    return [None if one.call is None else spelled(one.call) for one in order.plan(DESK.service, kata, inputs).steps]


@given(routines())
def test_validator_dry_run_and_driver_play_a_spec_alike(routine: tuple[Spec, dict[str, Any], list[Any]]) -> None:
    """T47, K56: 10,000 specs with --full; the first step is always known to the dry run."""
    spec, inputs, results = routine
    real = driven(spec, inputs, results)
    assert rehearsed(spec, inputs, results) == real and len(real) == len(spec.steps)
    shown = planned(spec, inputs)
    assert shown[0] == real[0]
    assert all(one in (None, call) for one, call in zip(shown, real, strict=True))
