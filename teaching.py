"""Makes a candidate out of what was done once and what a person says varies; it takes no step that cannot be one, says so, and never takes
one example for more than it is. A module of its own, because the miner finds what repeats, and here nothing repeats yet."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from . import checks, learning, miner, secrecy, templating
from .effects import BOOKKEEPING, CONVERSATIONAL, DELEGATING, addresses_kata
from .model import Call, Event, Example, Fit, Input, Json, KataError, Object, Outcome, Proposal, Refused, Spec, TemplateError
from .wording import brief

STEPS = range(2, 21)
"""How many steps a routine may have."""
NAME = re.compile(r"[a-z][a-z0-9_]{0,30}")


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a person wants to be one tool: the calls that can be steps, and which are left out, each with the reason."""

    example: Example
    left: tuple[str, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """What says that two lessons are about the same routine."""
        spelled = miner.spelled(self.example)
        looped = any(key.endswith("*") for key in spelled)
        return tuple(miner.key(call) for call in self.example.calls) if looped else spelled


def lesson(conversation: str, turn: str, events: Sequence[Event]) -> Lesson:
    """The calls that can be steps; Refused, with what is left out, when too few or too many are."""
    reasons = {at: reason for at, event in enumerate(events) if (reason := unfit(event))}
    kept = tuple(event for at, event in enumerate(events) if at not in reasons)
    left = tuple(f"{brief(events[at].call, 60)}: {reason}" for at, reason in reasons.items())
    if len(kept) not in STEPS:
        why = f" Left out: {'; '.join(left)}." if left else ""
        raise Refused(f"A routine has {STEPS[0]} to {STEPS[-1]} steps, and of these calls {len(kept)} can be one.{why}")
    return Lesson(Example(conversation, turn, kept), left)


def unfit(event: Event) -> str:
    """Why a call cannot be a step; empty when it can."""
    tool = event.call.tool
    if addresses_kata(event.call):
        return "it belongs to Kata itself"
    if tool in BOOKKEEPING:
        return "it is the agent's own bookkeeping"
    if tool in CONVERSATIONAL or tool in DELEGATING:
        return "it waits for a person" if tool in CONVERSATIONAL else "it hands work to another agent"
    if not event.outcome.ok:
        return f"it failed ({event.outcome.reason or event.outcome.status.value})"
    try:
        learning.infer([Example("", "", (event,))])
    except TemplateError:
        return "a secret was masked in it"
    except KataError as error:
        return error.message
    return ""


def taught(found: Lesson, vary: Mapping[str, str], before: Proposal | None = None) -> Proposal:
    """The candidate: everything fixed but what varies (name → its text in this lesson), learnt together with the examples of the one
    `before`, whose inputs keep their names; Refused, with the reason, when there is none."""
    _named(vary)
    vary = {**(_again(before.spec, found.example) if before else {}), **vary}
    examples = (found.example, *(one for one in (before.exhibits if before else ()) if one.turn != found.example.turn))
    return _made(found, examples, vary, lambda spec: {**_kept(spec, before), **_wanted(spec, found.example, vary)})


def joined(found: Lesson, others: Sequence[Example], parts: Sequence[tuple[int, Spec]]) -> Proposal:
    """The candidate for a routine that holds others: each of `parts` with the step, from 0, at which it begins. What varied in one varies
    in the whole too, unless an earlier step of it gives that, under its name; what was expected of an answer still is, where it holds."""
    examples, texts = (found.example, *others), dict[str, str]()
    for at, spec in parts:
        secret = {one.name for one in secrecy.fields(spec)}
        again = _again(spec, _part(found.example, at, len(spec.steps)))
        known = {*secret, *texts}
        texts |= {name: text for name, text in again.items() if name not in known and text not in texts.values()}
    made = _made(found, examples, texts, lambda spec: _renewed(spec, found.example, texts))
    return replace(made, spec=_watched(_inherited(made.spec, parts), examples, parts))


def _made(found: Lesson, examples: Sequence[Example], vary: Mapping[str, str], names: Callable[[Spec], Mapping[str, str]]) -> Proposal:
    """The candidate out of examples and those that stand for them with other values; `names` says what its inputs are called."""
    try:
        template = learning.infer([*examples, *(_twin(found.example, vary, number) for number in range(len(OTHERS)) if vary)])
        spec = miner.witnessed(miner.specified(template, found.example), examples)
        named = _seen(_renamed(spec, names(spec)), examples)
        shares = [_share(template, spec, one) for one in examples]
    except KataError as error:
        raise Refused(f"These calls cannot be one tool: {error.message}") from error
    fit = Fit(len({one.conversation for one in examples}), len(examples), 0, round(sum(shares) / len(shares), 4), len(examples))
    return Proposal(named, miner.fingerprint(found.keys), fit, tuple(examples), keys=found.keys)


def _part(one: Example, at: int, steps: int) -> Example:
    return replace(one, events=one.events[at : at + steps])


def _renewed(spec: Spec, one: Example, texts: Mapping[str, str]) -> dict[str, str]:
    """Input as it was learnt → the name that it had in a part, by the value that it has in an example."""
    names = {text: name for name, text in texts.items()}
    return {learnt: names[str(value)] for learnt, value in _values(spec, one).items() if str(value) in names}


def _inherited(spec: Spec, parts: Sequence[tuple[int, Spec]]) -> Spec:
    """The spec with the default of each input that had one in a part, and the first words that say what a part is for."""
    defaults = {one.name: one.default for _, part in reversed(parts) for one in part.inputs if one.default is not None}
    inputs = tuple(replace(one, default=defaults.get(one.name, one.default)) for one in spec.inputs)
    return replace(spec, inputs=inputs, help=next((part.help for _, part in parts if part.help), ""))


def _watched(spec: Spec, examples: Sequence[Example], parts: Sequence[tuple[int, Spec]]) -> Spec:
    """The spec with what each part expected of the answer of a step, as far as the answers in the examples were so."""
    known = {at + index: step.traits for at, part in reversed(parts) for index, step in enumerate(part.steps)}
    steps = []
    for index, step in enumerate(spec.steps):
        answers = [one.results[index] for one in examples]
        kept = (one for one in known.get(index, ()) if not any(checks.unlike(index, (one,), answer) for answer in answers))
        steps.append(replace(step, traits=tuple(kept)))
    return replace(spec, steps=tuple(steps))


def _named(vary: Mapping[str, str]) -> None:
    for name, text in vary.items():
        if not NAME.fullmatch(name):
            raise Refused(f"Expected a name of small letters, digits and _ for what varies, got {name[:40]!r}")
        if not text.strip():
            raise Refused(f"Expected the text that stands for {name} in the calls: {name}=TEXT")


def _share(template: templating.Template, spec: Spec, one: Example) -> float:
    inputs = templating.match(spec, one.calls, one.results)
    if inputs is None:
        raise TemplateError("no inputs give the calls again")
    return templating.specificity(template, inputs, one.calls)


# ── What varies ──────────────────────────────────────────────────────────────────────────────────


OTHERS = ("zqk", "xv7wb", "q3mpf", "htyg9", "wr8", "j5dnq2")
"""Words that begin and end unlike each other: from five values on the learner knows what stands fixed around them."""


def _twin(one: Example, vary: Mapping[str, str], number: int) -> Example:
    """The example as it would have been with other values: what differs from it is what varies, and ordinary learning finds where."""
    texts = sorted(vary.values(), key=len, reverse=True)
    others = {text: _other(text, (number + at) % len(OTHERS), at) for at, text in enumerate(texts)}

    def changed(value: Json) -> Json:
        if isinstance(value, Mapping):
            return {str(changed(key)): changed(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [changed(item) for item in value]
        if type(value) is int and str(value) in others:
            return int(re.sub(r"\D", "", others[str(value)]) or 7)
        if isinstance(value, str):
            for text, other in others.items():
                value = re.sub(rf"(?<!\w){re.escape(text)}(?!\w)", other, value)
        return value

    def event(told: Event) -> Event:
        call = Call(told.call.tool, {key: changed(item) for key, item in told.call.arguments.items()})
        return replace(told, call=call, outcome=Outcome(told.outcome.status, changed(told.outcome.result)))

    return Example("", "", tuple(map(event, one.events)))


def _other(text: str, number: int, at: int) -> str:
    """Another value of the same kind: digits for digits, else a word that stands nowhere else."""
    if text.isdecimal() and text.isascii() and len(text) < 15:
        return str((7, 31, 802, 4_519, 60_223, 951_008)[number] + at)
    return OTHERS[number] + "kzxv"[at % 4] * (at > 0)


def _values(spec: Spec, one: Example) -> dict[str, Json]:
    return dict(templating.match(spec, one.calls, one.results) or {})


def _wanted(spec: Spec, one: Example, vary: Mapping[str, str]) -> dict[str, str]:
    """Input as it was learnt → the name that the person gave; Refused names what became no input."""
    values = {name: str(value) for name, value in _values(spec, one).items()}
    found = {}
    for name, text in vary.items():
        learnt = next((each for each, value in values.items() if value == text and each not in found), None)
        if learnt is None:
            raise Refused(f"{text[:60]!r} does not stand in these calls as a value of its own, so it cannot be the input {name}")
        found[learnt] = name
    return found


def _again(spec: Spec, one: Example) -> dict[str, str]:
    """What varied before, with the texts that stand for it in another example; nothing where that was done in another way."""
    return {name: str(value) for name, value in _values(spec, one).items() if isinstance(value, str | int) and str(value).strip()}


def _kept(spec: Spec, before: Proposal | None) -> dict[str, str]:
    """Input → the name that it had before, by the values that both give for the examples of before."""
    if before is None or not before.exhibits:
        return {}
    one = before.exhibits[0]
    old = {str(value): name for name, value in _values(before.spec, one).items()}
    return {name: old[str(value)] for name, value in _values(spec, one).items() if str(value) in old}


def _renamed(spec: Spec, names: Mapping[str, str]) -> Spec:
    """The spec with other names for its inputs; one that would be there twice keeps the name that it was learnt with."""
    taken: set[str] = set()
    given: dict[str, str] = {}
    for one in sorted(spec.inputs, key=lambda each: each.name not in names):
        name = names.get(one.name, one.name)
        while name in taken:
            name += "_2"
        given[one.name] = name
        taken.add(name)
    inputs = tuple(replace(one, name=given[one.name]) for one in spec.inputs)
    known = {old: Input(new) for old, new in given.items()}
    steps = [replace(step, arguments=_object(learning.renamed(step.arguments, known), step.arguments)) for step in spec.steps]
    return Spec(inputs, tuple(steps))


def _seen(spec: Spec, examples: Sequence[Example]) -> Spec:
    """The spec whose inputs show the values of the examples alone, without those that only stood for others; a secret shows none."""
    values = [_values(spec, one) for one in examples]
    shown = {one.name: _distinct(one.name, values) if one.type != secrecy.SECRET else () for one in spec.inputs}
    return replace(spec, inputs=tuple(replace(one, examples=shown[one.name], choices=()) for one in spec.inputs))


def _distinct(name: str, values: Sequence[Mapping[str, Json]]) -> tuple[Json, ...]:
    found = [each[name] for each in values if name in each]
    return tuple(one for at, one in enumerate(found) if one not in found[:at])


def _object(made: object, before: Object) -> Object:
    return made if isinstance(made, Object) else before

