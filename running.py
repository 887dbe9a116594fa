"""Runs katas, goes on with stopped runs, stops running ones, and words the question before; what runs is what was approved and never more.
A module of its own, because it is the only way from a kata to calls of tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from . import consent, executor, familiar, resuming, surroundings, templating, validator
from .discretion import Discreet, bearable_all, discreet
from .door import Dispatch
from .logbook import Logbook, Watch
from .model import PREFIX, Call, Json, Kata, KataError, Refused, RunRow, Spec, State, Status, Step, StoreError, Trace
from .noticing import Noticing
from .resuming import Rest
from .secrecy import label
from .wording import WHOLE, brief, does, templated, visible

QUESTION = 490
"""Characters in which a question must name every step: some 500 are shown (host contract 5)."""
UNLIKE = 3
"""Values unlike the examples that a question names, beside the paths."""
FOLDER = 120
"""Characters of a folder in a question."""


class Running(Noticing):
    """The runs of katas, each with its row in the file."""

    def start(
        self,
        kata: Kata,
        given: Mapping[str, Json],
        run_id: str,
        session: str,
        dispatch: Dispatch,
        folder: str = "",
        around: Mapping[str, Json] | None = None,
    ) -> Trace:
        """Run a kata step by step and keep a row of it; a row is written before each step with an effect (K70, K75).
        InputError, before anything runs, when the arguments do not fit; Refused when it runs in that folder already (T45)."""
        spec = kata.version.spec
        known = {one.key: around[one.key] for one in surroundings.needed(spec) if around and one.key in around}
        execution = executor.run(spec, given, self.settings.read_retries, around=known)
        masker = discreet(kata.version, inputs := executor.check_inputs(spec, given))
        row = self._row(kata, masker.value(bearable_all({**given, **known})), run_id, session, masker.text(folder))
        return self._carried(row, Logbook(self.store, row, spec, masker, inputs), execution, dispatch)

    def left(self, word: str, supplied: Mapping[str, Json] | None = None, session: str | None = None, said: str = "") -> Rest:
        """What is left of a stopped run (A21, T53). `supplied` are values that were not kept, by the names a refusal gave; `session` is
        that of an agent that asks, None for a person; `said` is what a person found out about a step of unknown outcome (`DONE`, `UNDONE`).
        Refused, with the reason, when it may not go on."""
        run = self.store.run(word)
        if run is None:
            raise Refused(f"There is no run {word[:40]!r}")
        if session is not None and not self.store.together(run.session, session):
            raise Refused(f"Run {run.id} belongs to another conversation; a person can resume it: hermes kata resume {run.id}")
        self._stopped(run)
        kata = self._unchanged(run)
        spec, schema = kata.version.spec, executor.input_schema(kata.version.spec)
        values = validator.coerced(self.filled(kata, supplied or {}), schema)
        known = {one.name for one in spec.inputs}
        own = {**surroundings.parted(run.inputs)[0], **{name: value for name, value in values.items() if name in known}}
        found = resuming.rest(kata, run, resuming.reached(run, spec, said), executor.check_inputs(spec, own), values)
        return replace(found, earlier=tuple(self._earlier(run)))

    def _earlier(self, run: RunRow) -> Iterator[RunRow]:
        """The runs that this one went on with, newest first."""
        while run.resumes and (before := self.store.run(run.resumes)):
            yield (run := before)

    def _stopped(self, run: RunRow) -> None:
        """Refuse a run that came to its end, still runs, went on already, or stopped too long ago."""
        if run.status is Status.OK:
            raise Refused(f"Run {run.id} came to its end; there is nothing to resume")
        if run.finished is None and self.door.alive(run.owner):
            raise Refused(f"Run {run.id} may still be running; 'hermes kata stop {run.id}' stops it before its next step")
        if later := self.store.resumed(run.id):
            raise Refused(f"Run {run.id} was resumed already, as run {later}; go on from that one")
        if self.door.clock() - (run.finished or run.started) > resuming.VALID_S:
            raise Refused(f"Run {run.id} stopped more than 24 hours ago; call {run.tool} anew")

    def _unchanged(self, run: RunRow) -> Kata:
        """The kata of a run, which must be what it was then, and still approved (T42)."""
        kata = self.store.kata(run.kata)
        if kata is None or kata.state is not State.ACTIVE:
            state = kata.state.value if kata else "gone"
            raise Refused(f"{run.tool} is {state} now, so run {run.id} cannot go on")
        now = kata.version.spec.digest
        if now != run.digest or (kata.id, now) not in self.store.standing_now():
            raise Refused(f"{run.tool} was changed since run {run.id} (revision {run.digest[:12]}, now {now[:12]}); call it anew")
        return kata

    def resume(self, rest: Rest, run_id: str, session: str, dispatch: Dispatch) -> Trace:
        """Go on with a stopped run as a new one, which holds what the old one did too; Refused when somebody was faster. What was supplied
        is used and not kept."""
        masker = Discreet(rest.supplied.values())
        inputs, around = surroundings.parted(rest.given)
        execution = executor.run(rest.spec, inputs, self.settings.read_retries, rest.done, around)
        row = self._row(rest.kata, rest.run.inputs, run_id, session, rest.run.folder)
        row = replace(row, steps=rest.done, resumes=rest.run.id)
        return self._carried(row, Logbook(self.store, row, rest.spec, masker, rest.given), execution, dispatch)

    def stop(self, word: str) -> RunRow:
        """Ask a running kata of any process to stop before its next step (T60); `word` is a run, or a kata that runs."""
        tool = PREFIX + word.removeprefix(PREFIX)
        run = self.store.run(word) or next((one for one in self.running() if one.tool == tool), None)
        if run is None:
            raise Refused(f"There is no run {word[:40]!r}, and no kata of that name is running")
        if run.finished is not None:
            raise Refused(f"Run {run.id} is over ({run.status.value}); there is nothing to stop")
        if not self.door.alive(run.owner):
            raise Refused(f"Run {run.id} does not run any more: its process is gone, and what its last step did is not known")
        if not self.store.stop_run(run.id):
            raise Refused(f"Run {run.id} has just come to its end")
        return run

    def running(self) -> tuple[RunRow, ...]:
        """The runs that are under way, in whatever process."""
        return tuple(run for run in self.store.unfinished() if self.door.alive(run.owner))

    def _row(self, kata: Kata, shown: Mapping[str, Json], run_id: str, session: str, folder: str) -> RunRow:
        version, now = kata.version, self.door.clock()
        told = (run_id, kata.id, kata.tool, version.number, version.spec.digest, now, None, Status.UNKNOWN, "It may still be running.")
        return RunRow(*told, (), shown, label(session), folder, self.door.owner)

    def _carried(self, row: RunRow, book: Logbook, execution: executor.Execution, dispatch: Dispatch) -> Trace:
        """Drive an execution, and keep what becomes of it."""
        self.store.begin_run(row, self.door.alive)
        watch = Watch(self.door.watch)
        trace = executor.drive(execution, watch(lambda asked: book.dispatched(asked, dispatch)))
        with suppress(StoreError, Refused):  # the run stays "unknown" in the file, or was erased; its answer must reach the agent
            steps = [watch.timed(book.settled(step)) for step in trace.steps[len(row.steps) :]]
            self.store.finish_run(row.id, trace.status, book.masker.text(trace.reason), self.door.clock(), steps)
        with suppress(KataError):
            self.heed(row.kata)
            self.changed(row.kata, trace)
        return trace

    def question(self, kata: Kata, given: Mapping[str, Json], folder: str = "", note: str = "") -> str:
        """What a person is asked before a run: every effect, with its command where it is known (K80, A24), and the folder where it is one
        that no example ran in; `note` is said first. The host keeps the question, so secrets are masked in it."""
        spec = kata.version.spec
        masker = discreet(kata.version, given)
        odd = familiar.once(familiar.notes(kata.version.exhibits, familiar.foreseen(spec, given), folder))
        outside = "".join(f" {masker.text(str(one))}." for one in odd if one.astray)
        others = tuple(f"Unlike the examples: {masker.text(str(one))}" for one in odd if not one.astray)
        runs = f"{kata.tool} runs {len(spec.steps)} steps{_where(kata, folder)}{'.' * bool(outside)}{outside}"
        head = " ".join([*[note] * bool(note), runs])
        texts = [masker.text(_filled(step, given)) for step in spec.steps]
        return _asked(head.removesuffix(".") + ":", spec, [*enumerate(spec.steps, 1)], texts, others[:UNLIKE])

    def remainder(self, rest: Rest) -> str:
        """What a person is asked before a stopped run goes on: the steps that are left, with what is known of them; what was supplied is
        not shown."""
        masker = Discreet(rest.supplied.values())
        texts = [masker.text(_filled(step, rest.given, rest.results)) for step in rest.steps]
        count = f"step {rest.at + 1} of {len(rest.spec.steps)}"
        head = f"{rest.kata.tool} goes on with run {rest.run.id} at {count}{_where(rest.kata, rest.run.folder)}."
        warning = resuming.failed(rest)
        return _asked(f"{head} {warning}".rstrip(), rest.kata.version.spec, [*enumerate(rest.steps, rest.at + 1)], texts)


def _asked(head: str, spec: Spec, steps: Sequence[tuple[int, Step]], texts: Sequence[str], notes: Sequence[str] = ()) -> str:
    """A question: every step by number with its effect in the first characters, then notes, and in full what had to be cut there."""
    labels = [f"{number}. {does(step)}: " for number, step in steps]
    room = max(16, (QUESTION - len(head) - sum(len(label) + 1 for label in labels)) // len(labels)) if labels else 0
    short = [label + (text if len(text) <= room else text[: room - 1] + "…") for label, text in zip(labels, texts, strict=True)]
    cut = [f"{number}. {text}" for (number, _), text in zip(steps, texts, strict=True) if len(text) > room]
    whole = ["In full:", *cut] if cut else []
    return "\n".join([head, *short, *notes, *whole, f"Revision {spec.digest[:12]}. Asked on every run; 'always' does not apply."])


def _where(kata: Kata, folder: str) -> str:
    return f" in {_short(visible(folder), FOLDER)}, where no example ran" if consent.strange(kata, folder) else ""


def _short(text: str, most: int) -> str:
    """The end of a text, which tells one folder from another."""
    return text if len(text) <= most else "…" + text[1 - most :]


def _filled(step: Step, given: Mapping[str, Json], results: Sequence[Json] = ()) -> str:
    """A step as one whole line, with its values where they are known."""
    try:
        return brief(Call(step.tool, templating.render(step.arguments, given, results)), WHOLE)
    except KataError:
        return templated(step, given)
