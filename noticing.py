"""Notices that katas in use do not fit any more: a tool changed, the routine is done by hand in another way, runs fail; it takes them out
of use and prepares what a person may approve instead, and it never puts anything into use. A module of its own, because here Kata acts by
itself, on what it saw, and nowhere else."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import takewhile

from . import checks, instead, lifecycle, miner, needs, templating, validator
from .deciding import SEEN, Deciding
from .door import Door
from .model import (
    Example,
    Json,
    Kata,
    OpaqueCommand,
    Proposal,
    Refused,
    Spec,
    State,
    Status,
    StepTrace,
    StoreError,
    TemplateError,
    Trace,
    Version,
)
from .settings import Settings
from .store import Store

LATELY = 50
"""Turns among which a routine is looked for that is done by another program now."""
NOT_FOUND = 127
"""The exit code of a shell that did not find a program."""
SPELLING = 2
"""How calls are spelled as keys (miner.key): what spells them otherwise gets the next number, and every file is respelled (A29)."""


class Noticing(Deciding):
    """What Kata does by itself about katas in use; holds the tools as they were when it looked last."""

    def __init__(self, store: Store, settings: Settings, door: Door) -> None:
        super().__init__(store, settings, door)
        self._tools: Mapping[str, str] | None = None

    def tend(self, windows: Collection[int] = ()) -> None:
        """Take katas out of use whose tools an agent process saw changed (A18), or whose routine, in one of those windows, is done by hand
        in a way that they do not reproduce (A27); prepare a revision for those that are stale (K85)."""
        watched, tools = self.store.watched(), self.store.tools()
        touched = {kata for kata, (window, _) in watched.items() if window in windows or tools != self._tools}
        for kata in self.store.katas((State.ACTIVE, State.STALE)) if touched else ():
            if kata.id in touched:
                self._tended(kata, *watched[kata.id], tools)
        for kata in self.store.katas((State.STALE,)) if windows else ():
            self._replaced(kata, watched.get(kata.id, (0, ()))[1])
        self._tools = tools

    def _tended(self, kata: Kata, window: int, keys: tuple[str, ...], tools: Mapping[str, str]) -> None:
        if kata.state is State.ACTIVE:
            drift, fresh = self._drift(kata.version.spec, tools), self.by_hand(kata, window)
            if drift:
                kata = self._noticed(kata, "drift", drift)
            elif misfits(kata.version.spec, fresh) >= lifecycle.MISFITS:
                kata = self._noticed(kata, "misfit", f"in {lifecycle.MISFITS} conversations in a row it was done by hand in another way")
        if kata.state is State.STALE and (found := self._revision(kata, window, keys, tools)):
            found = eased(found, kata.version.spec)
            self.store.prepare(replace(found, checks=self.validated(found.spec, found.exhibits, revision=True)), self.door.clock())

    def _replaced(self, kata: Kata, keys: tuple[str, ...]) -> None:
        """Prepare a revision for a stale kata that lost a program, from the next two times by hand that another one stood in its place."""
        why, since = self.store.came(kata.id)
        if not (free := instead.loose(keys, why)) or not self.settings.keep_results:
            return
        turns = self.store.lately(since, ("person", *self.settings.learn_from), LATELY)
        found = list(instead.done(keys, free, turns))
        alike = [one for other, one in takewhile(lambda pair: pair[0] == found[0][0], found)]
        if len(alike) < lifecycle.MISFITS:
            return
        new = found[0][0]
        made = miner.score(miner.Family(tuple(alike), len(alike), new), replace(self.settings, min_confidence=0.0))
        if isinstance(made, Proposal) and not self.store.decided(made.fingerprint):
            ready = eased(replace(made, fingerprint=kata.fingerprint), kata.version.spec)
            ready = replace(ready, checks=self.validated(ready.spec, ready.exhibits, revision=True))
            with self.store.bundle():
                if self.store.prepare(ready, self.door.clock(), miner.window_id(new)):
                    self.store.also(kata.id, made.fingerprint)
                    self.store.withdraw(made.fingerprint, f"it is how kata {kata.id} is done now", self.door.clock())

    def _noticed(self, kata: Kata, verb: str, why: str) -> Kata:
        """The kata after what Kata found out by itself; as it is now when somebody was faster."""
        try:
            return self._decide(kata, verb, "system", detail=why)
        except Refused:
            return self.store.kata(kata.id) or kata

    def noticed(self, kata: Kata) -> str:
        """What was noticed about an active kata and is no reason to take it away: one manual run that it does not reproduce (A27)."""
        window = self.store.watched().get(kata.id, (0, ()))[0]
        if kata.state is not State.ACTIVE or not misfits(kata.version.spec, self.by_hand(kata, window)):
            return ""
        return "the last time it was done by hand it was done in another way; once more, and the kata is stale"

    def drifted(self, kata: Kata, schemas: Mapping[str, str | None]) -> str:
        """Take an active kata out of use when a tool has another schema (tool → fingerprint as an agent process sees it now; None where it
        is missing, which is no drift); why, or nothing."""
        why = self._drift(kata.version.spec, {tool: now for tool, now in schemas.items() if now})
        if why and kata.state is State.ACTIVE:
            self._noticed(kata, "drift", why)
        return why

    def gone(self, kata: Kata, folder: str, before: int = 0) -> str:
        """Take an active kata out of use when a program or a place that it needs is not there any more (T63); why, or nothing. Nothing is
        run: this is a look, before the first step, or before the first that is left when so many are done. A place that only this folder
        lacks stops the run and no more."""
        found = self.absent(kata, folder, before)
        if found and kata.state is State.ACTIVE:
            with suppress(StoreError):  # the answer must reach the agent
                self._noticed(kata, "drift", "; ".join(found))
        return "; ".join(found)

    def absent(self, kata: Kata, folder: str, before: int = 0) -> list[str]:
        """What a kata needs and was there before: a program that was found on PATH and is neither there nor where it was, and a path that
        every example looked at before anything acted. Where it begins in a folder that no example knows, only whole paths are looked at.
        What only steps need that are done, the first so many, is not missed."""
        spec, told = kata.version.spec, [f"step {number}: the program {name} is gone" for number, name in self._lost(kata, before)]
        known = {event.folder.rstrip("/") for one in kata.version.exhibits for event in one.events[:1] if event.folder}
        for number, path in needs.paths(spec, kata.version.exhibits, before):
            whole = path if path.startswith("/") else f"{folder.rstrip('/')}/{path}" if folder.rstrip("/") in known else ""
            if whole and not self.door.there(whole):
                told.append(f"step {number}: {path} is not there any more, and was in every example")
        return told

    def _lost(self, kata: Kata, before: int) -> list[tuple[int, str]]:
        """The programs that were somewhere and are nowhere now; where each is found is remembered. A program that was never found here is
        none of them: a shell may know it by another way."""
        kept = json.loads(self.store.noted(SEEN) or "{}")
        now = {name: self.door.which(name) for _, name in needs.programs(kata.version.spec)}
        fresh = {name: path for name, path in now.items() if path and kept.get(name) != path}
        if fresh:
            self.store.note(SEEN, json.dumps({**kept, **fresh}))
        return [(at, name) for at, name in needs.programs(kata.version.spec, before) if not now[name] and self._left(kept.get(name, ""))]

    def _left(self, path: str) -> bool:
        """Whether a program was there and is not."""
        return bool(path) and not self.door.there(path)

    def changed(self, kata: int, trace: Trace) -> None:
        """Take a kata out of use whose run showed that the world is another: the shell did not find a program; or, in two runs in a row, a
        step answered as in no example, also where nothing acted after it (T63)."""
        found = self.store.glimpse(kata)
        if found is None or found.state is not State.ACTIVE:
            return
        lost = next((step for step in trace.steps if isinstance(step.result, Mapping) and step.result.get("exit_code") == NOT_FOUND), None)
        if lost is not None:
            self._noticed(found, "drift", f"step {lost.index + 1}: the shell did not find a program that it calls")
        elif again := self._odd_again(found):
            self._noticed(found, "drift", f"step {again[0] + 1} answered unlike every example in two runs in a row: {again[1]}")

    def _odd_again(self, kata: Kata) -> tuple[int, str] | None:
        """The step (from 0) that did not answer as expected in the last two runs, and how; None where they do not agree."""
        rows = [row for row in self.store.runs(kata.id, lifecycle.MISFITS) if row.digest == kata.version.spec.digest]
        found = {next(filter(None, (_odd(kata, one) for one in row.steps)), None) for row in rows}
        return found.pop() if len(rows) == lifecycle.MISFITS and len(found) == 1 else None

    def _drift(self, spec: Spec, tools: Mapping[str, str]) -> str:
        found = (validator.drift(step.tool, step.schema, tools.get(step.tool), self.store.schema)[0] for step in spec.steps)
        return "; ".join(dict.fromkeys(one for one in found if one))

    def by_hand(self, kata: Kata, window: int) -> tuple[Example, ...]:
        """The latest time of each conversation that the routine was done by hand since the kata was put into use, newest first."""
        standing = self.store.standing(kata.id)
        whole = self.store.steps(kata.id) in (0, len(kata.version.spec.steps))  # whoever dropped a step does it by hand all the same
        if standing is None or not self.settings.keep_results or not whole:
            return ()
        found = (miner.trimmed(one) for one in self.store.examples(self.store.occurrences(window, miner.SCORED)))
        return tuple(one for one in found if one.events and one.events[0].started > standing[1])

    def _revision(self, kata: Kata, window: int, keys: tuple[str, ...], tools: Mapping[str, str]) -> Proposal | None:
        """What would fit: learnt from the old and the new examples together, else from two or more new ones, else the same steps where the
        recorded calls suit the changed tool."""
        standing = self.store.standing(kata.id)
        if standing is None:
            return None
        version, fresh = standing[0], self.by_hand(kata, window)
        news = [one for one in fresh if _unlike(version.spec, one) or self._drift(version.spec, _schemas(one))]
        if len(news) >= lifecycle.MISFITS:
            lenient = replace(self.settings, min_confidence=0.0)
            both, alone = (*news, *version.exhibits)[: miner.SCORED], tuple(news)
            moved = news[0].events and self.absent(kata, news[0].events[0].folder)  # then what was is no example of what is
            for examples in (alone, both) if moved else (both, alone):
                found = miner.score(miner.Family(tuple(examples), len(examples), keys), lenient)
                if isinstance(found, Proposal) and not self._drift(found.spec, tools):
                    return replace(found, fingerprint=kata.fingerprint)
        return self._adjusted(kata, version, tools) if self._drift(version.spec, tools) else None

    def _adjusted(self, kata: Kata, version: Version, tools: Mapping[str, str]) -> Proposal | None:
        """The same steps with the tools as they are now; None where the recorded calls do not suit them."""
        now = {step.tool: self.store.schema(tools.get(step.tool, "")) for step in version.spec.steps}
        calls = [call for one in version.exhibits for call in one.calls if self._drift(version.spec, {call.tool: tools.get(call.tool, "")})]
        if not all(suits(call.arguments, now.get(call.tool)) for call in calls):
            return None
        steps = tuple(replace(step, schema=tools.get(step.tool) or step.schema) for step in version.spec.steps)
        return Proposal(replace(version.spec, steps=steps), kata.fingerprint, version.fit, tuple(version.exhibits))

    def heed(self, kata: int) -> None:
        """Suspend a kata of which three runs in a row failed since it was put into use (A28)."""
        found = self.store.glimpse(kata)
        standing = self.store.standing(kata) if found and found.state is State.ACTIVE else None
        if found is None or standing is None:
            return
        count = self.store.failures(kata, standing[1])
        if count >= lifecycle.FAILURES:
            self._noticed(found, "fail", f"{count} runs in a row failed; 'runs {found.name}' shows them")

    def respell(self, spelled: Callable[[Example], tuple[str, ...]] = miner.spelled, number: int = SPELLING) -> int:
        """Bring the identities of all routines to today's spelling of calls, so that what was rejected stays rejected (A29); how many
        changed. The parser's version that they were spelled with is kept in the file."""
        if self.store.number("spelling", 1) >= number:
            return 0
        with self.store.bundle():
            changed = self.store.respell(spelled, lambda keys: (miner.fingerprint(keys), miner.window_id(keys)))
            self.store.note("spelling", str(number))
            self.store.soil()
        return changed


def reproduces(spec: Spec, one: Example) -> bool:
    """Whether some inputs make the spec issue the calls of the example."""
    try:
        return templating.recovered(spec, one) is not None
    except (TemplateError, OpaqueCommand):
        return False


def _unlike(spec: Spec, one: Example) -> bool:
    """Whether an example has other calls than the spec would issue, or answers unlike what it expects."""
    pairs = enumerate(zip(spec.steps, one.results, strict=False))
    return not reproduces(spec, one) or any(checks.unlike(at, step.traits, result) for at, (step, result) in pairs)


def misfits(spec: Spec, fresh: Iterable[Example]) -> int:
    """How many examples in a row, from the first, the spec does not reproduce."""
    return sum(1 for _ in takewhile(lambda one: not reproduces(spec, one), fresh))


def _schemas(one: Example) -> dict[str, str]:
    """Tool → fingerprint of its schema when the example was recorded."""
    return {event.call.tool: event.schema for event in one.events if event.schema}


def _odd(kata: Kata, step: StepTrace) -> tuple[int, str] | None:
    """A step that did what was asked and answered unlike every example, and how; None for all others."""
    why = checks.unlike(step.index, kata.version.spec.steps[step.index].traits, step.result) if step.result is not None else ""
    return (step.index, why) if why and (step.status is Status.OK or step.reason == why) else None


def suits(arguments: Mapping[str, Json], schema: Json) -> bool:
    """Whether a call gives all that a tool's parameters need, and nothing that they do not know; False where they are not known."""
    if not isinstance(schema, Mapping) or not isinstance(schema.get("properties"), Mapping):
        return False
    return set(schema.get("required") or ()) <= set(arguments) <= set(schema["properties"])


def eased(found: Proposal, old: Spec | None) -> Proposal:
    """The proposal, with the checks relaxed that a person relaxed in the old spec of that routine."""
    if old is None or len(old.steps) != len(found.spec.steps):
        return found
    pairs = zip(old.steps, found.spec.steps, strict=True)
    steps = tuple(replace(new, traits=checks.carried(one.traits, new.traits)) for one, new in pairs)
    return replace(found, spec=replace(found.spec, steps=steps))
