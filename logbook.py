"""Writes one run down while it happens: a row before each step with an effect, what became of it after, and when; it runs nothing and keeps
no secret. A module of its own, because what is in the file after a crash hangs on this order alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace

from . import executor
from .discretion import Discreet, masked_call, masked_step
from .door import Dispatch
from .effects import STRENGTH, addresses_kata, effect
from .model import Call, Json, Outcome, Refused, RunRow, Spec, Status, Step, StepCall, StepTrace, StoreError
from .store import Store

STOPPING_S = 0.05
"""How long a run looks whether it is to stop, before each step."""


class Logbook:
    """One run as it is written down: a row before each step with an effect, settled after it (T66). What the reads before it gave is
    written in the same transaction, so that a crash leaves no gap before an effect."""

    def __init__(self, store: Store, row: RunRow, spec: Spec, masker: Discreet, given: Mapping[str, Json]) -> None:
        self.store, self.row, self.run, self.spec, self.masker, self.given = store, row, row.id, spec, masker, given
        self.waiting: list[StepTrace] = []
        self.kept: dict[int, StepTrace] = {}

    def dispatched(self, asked: StepCall, dispatch: Dispatch) -> Outcome:
        """Dispatch one step, written down before and after where it has an effect: after a crash its row says "unknown"."""
        step = self.spec.steps[asked.index]
        reads = step.effect.plain_read
        self._heeded(asked.call)
        call = masked_call(asked.call, self.masker)
        row = StepTrace(asked.index, step.tool, Status.UNKNOWN, call, reason="started", attempts=asked.attempt)
        if (early := self._early(asked.call, step)) or not reads and (early := self._begun(row)):
            return early
        outcome = executor.accepted(dispatch(asked))
        done = asked.attempt - isinstance(outcome, executor.Held)
        end = {"status": outcome.status, "result": outcome.result, "reason": outcome.reason, "sent": outcome.sent}
        told = replace(row, call=None, attempts=done, **end)
        self.kept[asked.index] = kept = replace(masked_step(told, self.masker), call=call)
        if reads:
            self.waiting.append(kept)
        else:
            with suppress(StoreError, Refused):  # the row may have been erased meanwhile; what was done must be told all the same
                self.store.settle_step(self.run, kept)
        return outcome

    def settled(self, step: StepTrace) -> StepTrace:
        """A step of the finished trace as it is kept; masked once more, because a later call may have shown what is a secret."""
        kept = self.kept.get(step.index)
        return masked_step(kept if kept is not None and kept.status is step.status else step, self.masker)

    def _heeded(self, call: Call) -> None:
        """Hide what a call shows to be a secret, in the inputs that are kept already too."""
        self.masker.heed(call.arguments, self.given)
        shown = self.masker.value(self.row.inputs)
        if shown != self.row.inputs:
            self.row = replace(self.row, inputs=shown)
            with suppress(StoreError):
                self.store.keep_inputs(self.run, shown)

    def _early(self, call: Call, step: Step) -> Outcome | None:
        """Why a step is not dispatched: a person stopped the run, or with its values it is more than was approved."""
        with suppress(StoreError), self.store.waiting(STOPPING_S):
            if self.store.stopping(self.run):
                return executor.Held(Status.INTERRUPTED, reason="a person stopped the run before this step")
        more = excess(call, step)
        return executor.Held(Status.REFUSED, reason=f"with these values the step is more than was approved: {more}") if more else None

    def _begun(self, row: StepTrace) -> Outcome | None:
        """Write that a step with an effect begins; an outcome when that cannot be written, and so it must not begin."""
        try:
            self.store.begin_step(self.run, row, self.waiting)
        except (StoreError, Refused) as error:
            return executor.Held(Status.REFUSED, reason=f"the step could not be written down first: {error.message}")
        self.waiting.clear()
        return None


class Watch:
    """Notes when each step of a run was first tried, and when its last answer came."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock, self.spans = clock, dict[int, tuple[float, float]]()

    def __call__(self, dispatch: Dispatch) -> Dispatch:
        def watched(asked: StepCall) -> Outcome:
            began = self.spans.get(asked.index, (self.clock(),))[0]
            outcome = dispatch(asked)
            self.spans[asked.index] = began, self.clock()
            return outcome

        return watched

    def timed(self, step: StepTrace) -> StepTrace:
        """The step with its times; as it is where it was never tried."""
        began, ended = self.spans.get(step.index, (0.0, 0.0))
        return replace(step, began=began, seconds=max(0.0, ended - began))


def excess(call: Call, step: Step) -> str:
    """Why a call does more than its step was approved for; empty when it does not."""
    found, allowed = effect(call.tool, call.arguments), step.effect
    graver = STRENGTH.index(found.kind) > STRENGTH.index(allowed.kind)
    more = graver or found.asks and not allowed.asks or found.destructive and not allowed.destructive
    return found.why if more else "it addresses Kata itself" if addresses_kata(call) else ""
