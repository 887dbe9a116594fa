"""Hides from a run's rows what must not be kept of it: secrets, supplied values, and inputs that stand in the place of a secret; it decides
nothing and never changes what runs. A module of its own, because the service would otherwise both run katas and know how values are
written."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from . import quoting, secrecy, templating
from .looks import SHORTEST
from .model import Array, Call, Expression, Json, KataError, Object, Reference, Spec, StepTrace, Trace, Version, canonical, walk
from .origins import CUT
from .redact import Masker
from .wording import origin, visible

RESULT_BYTES = 65_536
"""A recorded result is kept up to this many characters of JSON, head and tail."""
BEARABLE = 1_000_000
"""Characters of one value of a run that are masked and kept."""
TELLING = 4
"""Characters from which a supplied number is hidden inside texts too."""
CHANCE = 6
"""Characters up to which a value may stand inside of another by chance."""
SUPPLIED = "KATASECRET_supplied_1"
AGAIN = 16
"""Values of one run whose masked form is kept for a while."""
FORESEEN = 3
"""Examples whose results stand for those of a run that has not begun."""


class Discreet:
    """A masker that also hides values of one run whatever they look like: those that somebody supplied for it, and inputs that stand in
    some call in the place of a secret."""

    def __init__(self, supplied: Iterable[Json] = ()) -> None:
        self.masker, given = Masker(), [*supplied]
        self.values = {canonical(one) for one in given if not isinstance(one, str | None)}
        self.hidden: list[str] = []
        self._told: dict[str, tuple[tuple[int, ...], Json]] = {}
        """What was masked lately, with how much was known then: a step is masked when it is told, when it is kept and when the run ends."""
        self._hide((*secrecy.texts(given), *(text for text in self.values if len(text) >= TELLING)))

    def _hide(self, texts: Iterable[str]) -> None:
        found = {form for text in texts for form in _forms(text)}
        self.hidden = sorted({*self.hidden, *found} - {""}, key=len, reverse=True)

    def heed(self, arguments: Mapping[str, Json], inputs: Mapping[str, Json]) -> None:
        """Hide from now on every input whose value stands in a call and not in the call as it is masked."""
        told = self.without(bearable_all(arguments))
        whole, masked = _joined(told), _joined(self.value(told))
        lost: list[str | int | float] = []
        if whole == masked:
            return
        for one in sorted(_leaves(inputs), key=lambda one: len(str(one)), reverse=True):
            if canonical(one) not in self.values and self._gone(str(one), whole, masked):
                lost.append(one)
                for form in _forms(str(one)):  # a shorter value inside it was masked with it
                    whole = whole.replace(form, "")
        self.values |= {canonical(one) for one in lost}
        self._hide(str(one) for one in lost if len(str(one)) >= TELLING)

    def _gone(self, text: str, whole: str, masked: str) -> bool:
        """Whether the value, or what the masker makes of it by itself, stands less often in the masked call. A short value counts where it
        stands by itself: inside of a longer word it is a piece of something else that was masked."""
        pairs = {*zip(_forms(text), _forms(self.masker.text(text)), strict=True)}
        count = _alone if len(text) <= CHANCE else str.count
        return len(text) >= SHORTEST and any(count(whole, form) > count(masked, own) for form, own in pairs)

    def text(self, text: str) -> str:
        """The text without secrets and without what is hidden."""
        return self.masker.text(str(self.without(text)))

    def value(self, value: Json) -> Json:
        """The JSON value, likewise; the same value is not read again while nothing new is known of secrets."""
        try:
            text = canonical(value)
        except (TypeError, ValueError, RecursionError):
            return self._masked(value)
        known, masked = self._told.pop(text, ((), None))
        if known != self._known():
            masked = self._masked(value)
        self._told[text] = self._known(), masked
        while len(self._told) > AGAIN:
            self._told.pop(next(iter(self._told)))
        return masked

    def _masked(self, value: Json) -> Json:
        try:
            return self.masker.value(self.without(value))
        except RecursionError:
            return "[a value that is nested too deeply to be kept]"

    def _known(self) -> tuple[int, ...]:
        return self.masker.known, len(self.hidden), len(self.values)

    def without(self, value: Json) -> Json:
        """The value without what is hidden; other secrets stay."""
        if not self.hidden and not self.values:
            return value
        if isinstance(value, Mapping):
            return {self.without(key): self.without(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.without(item) for item in value]
        if isinstance(value, str | int | float) and canonical(value) in self.values:
            return SUPPLIED
        if isinstance(value, str):
            for one in self.hidden:
                value = value.replace(one, SUPPLIED)
        return value


def discreet(version: Version, given: Mapping[str, Json]) -> Discreet:
    """A masker that hides every input which stands in the place of a secret in one of the calls, as far as they are known before a run:
    where a call needs an earlier result, the results of examples stand for it."""
    masker = veil(version.spec, given)
    for step in version.spec.steps:
        needs = any(isinstance(part, Reference) for part in walk(step.arguments))
        for results in ((), *(one.results for one in version.exhibits[:FORESEEN] if needs)):
            masker.heed({key: foreseen(value, given, results) for key, value in step.arguments.fields}, given)
    return masker


def veil(spec: Spec, given: Mapping[str, Json]) -> Discreet:
    """A masker that hides what is given for the secret inputs, wherever it stands."""
    return Discreet(given[one.name] for one in secrecy.fields(spec) if one.name in given)


def veiled(trace: Trace, spec: Spec, given: Mapping[str, Json]) -> Trace:
    """The trace as it is told: without what was given for the secret inputs; everything else as it is."""
    mask = veil(spec, given).without
    steps = (
        replace(
            step,
            call=step.call and Call(step.call.tool, mask(step.call.arguments)),
            result=mask(step.result),
            reason=str(mask(step.reason)),
            sent=step.sent and mask(step.sent),
        )
        for step in trace.steps
    )
    return replace(trace, steps=tuple(steps), reason=str(mask(trace.reason))) if secrecy.fields(spec) else trace


def foreseen(expression: Expression, given: Mapping[str, Json], results: Sequence[Json] = ()) -> Json:
    """The value of an expression; in the place of each part that cannot be rendered, where it comes from."""
    match expression:
        case Object(pairs):
            return {key: foreseen(value, given, results) for key, value in pairs}
        case Array(items):
            return [foreseen(item, given, results) for item in items]
    try:
        return templating.render(expression, given, results)
    except KataError:
        return origin(expression, given)


def _forms(text: str) -> tuple[str, ...]:
    """How a text may stand in a command, in JSON text, in a question, and, cut, in what an error says of it; in a fixed order."""
    placed = (text, *(quoting.quoted(text, place) for place in ("bare", "single", "double")), shlex.quote(text))
    line = visible(text)
    said = (line if len(line) >= TELLING else text, repr(text)[1:-1], repr(text[:40])[1:-1])
    once = [json.dumps(one, ensure_ascii=escaped)[1:-1] for one in (*placed, *said) for escaped in (True, False)]
    return (*placed, *said, *once, *(json.dumps(one, ensure_ascii=False)[1:-1] for one in once))


def _alone(whole: str, text: str) -> int:
    """How often a text stands there with no letter or digit at its sides."""
    return len(re.findall(rf"(?<![A-Za-z0-9]){re.escape(text)}(?![A-Za-z0-9])", whole)) if text else 0


def _joined(value: Json) -> str:
    return "\n".join(secrecy.texts(value))


def _leaves(inputs: Mapping[str, Json]) -> Iterator[str | int | float]:
    """Every text in the inputs, and every number that is one."""
    yield from (one for one in inputs.values() if isinstance(one, int | float) and not isinstance(one, bool))
    yield from secrecy.texts([*inputs.values()])


def plain(value: Json) -> Json:
    """The value when it is JSON; a tool may answer with anything (B46)."""
    try:
        canonical(value)
    except (TypeError, ValueError, RecursionError):
        return f"[an answer of type {type(value).__name__}, which is no JSON]"
    return value


def cut(result: Json) -> Json:
    """A result of bearable size; what is too long becomes text with a mark, so that nothing is learnt from its shape (B37)."""
    text = result if isinstance(result, str) else canonical(result)
    if len(text) <= RESULT_BYTES:
        return result
    half = RESULT_BYTES // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} {CUT} …]\n{text[-half:]}"


def masked_step(step: StepTrace, masker: Discreet) -> StepTrace:
    return replace(
        step,
        call=masked_call(step.call, masker) if step.call else None,
        result=cut(masker.value(bearable(plain(step.result)))),
        reason=masker.text(step.reason),
        sent=masker.value(bearable_all(step.sent)) if step.sent else None,
    )


def masked_call(call: Call, masker: Discreet) -> Call:
    return Call(call.tool, masker.value(bearable_all(call.arguments)))


def bearable_all(arguments: Mapping[str, Json]) -> dict[str, Json]:
    return {key: bearable(value) for key, value in arguments.items()}


def bearable(value: Json) -> Json:
    """The value, or how long it is: masking takes a second for a few million characters, and nothing is kept that was not masked whole."""
    size = len(value if isinstance(value, str) else canonical(value))
    return value if size <= BEARABLE else f"[{size:,} characters, too many to be kept]"
