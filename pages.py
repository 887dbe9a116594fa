"""Records in, pages out: what a person reads in a chat or a terminal, and the same as JSON; it asks nobody and never decides anything.

It stands below what carries commands out, which holds the other job (words in), so that each of the two can be read, and tested, alone."""

from __future__ import annotations

import difflib
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence

from . import checks, consent, surroundings, templating
from .deciding import destroys
from .forcing import barred
from .layout import ABSENT, DECIDED, LABEL, WIDTH, apart, fit, part, wrapped
from .model import (
    Ambient,
    AuditRow,
    Erasure,
    Expression,
    Fit,
    InputField,
    Json,
    Kata,
    KataError,
    NearMiss,
    Reference,
    RunRow,
    Spec,
    State,
    Status,
    Step,
    StepTrace,
    Version,
    walk,
)
from .overlap import Shared
from .reading import Odd
from .recall import Learnt
from .rounds import Mined
from .settings import Settings
from .speech import BLOCKED, spoken
from .wording import brief, origin, templated, visible

TOP = 6
"""Lines within which a review has told every effect."""
BUSY = "may still be running"


# ── Times and numbers ────────────────────────────────────────────────────────────────────────────


def when(at: float) -> str:
    """A time as a person reads it, to the minute."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at))


def many(count: int, noun: str) -> str:
    """`1 turn`, `2 turns`, `3 near misses`."""
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{count} {noun if count == 1 else plural}"


# ── The list ─────────────────────────────────────────────────────────────────────────────────────


def entry(kata: Kata, why: str = "", more: Sequence[str] = ()) -> list[str]:
    """A kata in two lines: number, state and how it is called or where it was seen; its steps. In a third, why it cannot be called, or
    what `more` there is to say."""
    fit_, spec = kata.version.fit, kata.version.spec
    seen = f"seen in {fit_.support} conversations, confidence {fit_.confidence:.2f}" if not fit_.taught else evidenced(fit_)
    seen += f", forced past {fit_.forced}" if fit_.forced else ""
    title = signature(kata.tool, spec) if kata.tool else seen
    lines = [fit(f"{kata.id:>3}  {state(kata):<9} {title}"), fit(f"     {len(spec.steps)} steps: {outline(spec)}")]
    return lines + ([f"     {visible(why)}"] if why else []) + [fit(one) for one in more]


def evidenced(fit_: Fit) -> str:
    """On what a kata rests: conversations and confidence, or that a person taught it, and from how little."""
    if fit_.taught:
        return f"taught from {many(fit_.taught, 'example')}"
    return f"{fit_.support} conversations · confidence {fit_.confidence:.2f}" + (f" · forced past {fit_.forced}" if fit_.forced else "")


def taught(kata: Kata, left: Sequence[str], lead: str) -> str:
    """What came of a lesson: the proposal, what varies in it, and which calls are no step of it."""
    names = ", ".join(one.name for one in kata.version.spec.inputs)
    fixed = "Nothing varies in it; with '--vary NAME=TEXT' behind it 'teach' makes an input of a text in the calls."
    varies = f"It asks for: {names}." if names else fixed
    lines = [f"Taught: proposal {kata.id}, from {many(kata.version.fit.taught, 'example')}.", *entry(kata), varies]
    lines += [f"Left out: {one}" for one in left]
    return "\n".join([*lines, "", f"Look at it: {lead} review {kata.id}"])


def signature(tool: str, spec: Spec) -> str:
    """`kata_deploy_preview(branch, [force])`: the tool with its arguments, as the agent is told; those with a default in brackets."""
    return f"{tool}({', '.join(one.name if one.default is None else f'[{one.name}]' for one in spec.inputs)})"


LINE_CHARS, SENTENCE_CHARS = 120, 59
"""Characters of a kata's line in a prompt, and of the sentence that the host's catalogue shows of a tool."""


def prompt_line(kata: Kata) -> str:
    """`kata_deploy_preview(branch): git checkout, npm ci, …`, as a new session's prompt tells it."""
    spec = kata.version.spec
    line = f"{signature(kata.tool, spec)}: {outline(spec)}"
    return line if len(line) <= LINE_CHARS else line[: LINE_CHARS - 1] + "…"


def first_sentence(kata: Kata) -> str:
    """What the host's catalogue of tools shows: the words that a person gave it, else its name and its arguments."""
    names = ", ".join(one.name for one in kata.version.spec.inputs) or "no arguments"
    return (kata.version.spec.help or f"{kata.name.replace('_', ' ').capitalize()}: {names}")[:SENTENCE_CHARS]


NAMED = re.compile(r"[\w.,:/@+=~\-\[\](){}!$‹›· ]+")
"""What a program, a verb or a tool is called; a quote or a sign that nobody sees is in none."""


def outline(spec: Spec) -> str:
    """The steps in a few words each: the program of a command, else the tool; a model reads it, so what instructs is blocked (T8)."""
    names = []
    for step in spec.steps:
        text = templated(step)
        words = text.split()
        name = " ".join(words[:2]) if step.tool == "terminal" and len(words) > 1 and words[1].isalpha() else words[0]
        names.append(spoken(name) if NAMED.fullmatch(name) else BLOCKED)
    return ", ".join(names)


def state(kata: Kata) -> str:
    """The state in the word that a person uses."""
    return "proposal" if kata.state is State.CANDIDATE else kata.state.value


# ── What a round of mining brought ───────────────────────────────────────────────────────────────


NO_TURN = "No turn waits: each was looked at when it ended."
EMPTY = "Nothing was recorded yet: work with the agent as always, and each turn is looked at when it ends. Whether it records:"


def found(mined: Mined, busy: bool, lead: str, kept: bool = True) -> str:
    """The turns and routines that were looked at, the proposals found and the near misses; `busy` says that somebody else is at it, `kept`
    whether anything is recorded."""
    if not mined.turns and not mined.looked:
        return "Another process is looking just now; it misses nothing." if busy else NO_TURN if kept else f"{EMPTY} {lead} status"
    proposed, missed = fresh(mined)
    seen = f"{many(mined.turns, 'turn')} and {many(len(mined.looked), 'possible routine')}"
    news = [many(len(proposed), "new or better proposal")] * bool(proposed) + [many(len(missed), "near miss")] * bool(missed)
    lines = [f"Looked at {seen}: {', '.join(news) or 'nothing new'}."]
    lines += [line for kata in proposed for line in entry(kata)]
    lines += ["", f"Look at a proposal: {lead} review {proposed[0].id}"] if proposed else []
    lines += [f"The near misses, and why: {lead} near"] if missed else []
    return "\n".join(lines)


def fresh(mined: Mined) -> tuple[tuple[Kata, ...], tuple[NearMiss, ...]]:
    """What one round came to, each routine once: its last proposal, or why it is none."""
    last: dict[str, Kata] = {kata.fingerprint: kata for kata in mined.proposed}
    missed = {miss.fingerprint: miss for miss in mined.missed if miss.fingerprint not in last}
    return tuple(sorted(last.values(), key=lambda kata: kata.id)), tuple(missed.values())


KINDS: Mapping[str, str] = {
    "person": "yours",
    "cron": "of scheduled jobs",
    "subagent": "of sub-agents",
    "group": "in chats with several people",
    "notice": "after messages of the host's own",
}
"""Whose calls they are, in words."""


def learnt(told: Learnt, settings: Settings, lead: str, looks: bool, waiting: int = 0) -> str:
    """What was brought out of the host's history, or would be, and what was found in it; `waiting` possible routines are not looked at."""
    days = f"the last {told.days:.0f} days that Hermes keeps"
    if not told.turns:
        lines = [f"Nothing new in {days}: no call that is not recorded already."]
    else:
        span = f"from {when(told.oldest)} to {when(told.newest)}"
        read = f"{many(sum(told.calls.values()), 'call')} in {many(told.turns, 'turn')} of {many(len(told.conversations), 'conversation')}"
        lines = [f"{'Would learn from' if looks else 'Learnt from'} {days}: {read}, {span}."]
        lines += [f"  {n} {KINDS[who]}{_unheard(who, settings)}" for who, n in told.calls.most_common() if set(told.calls) != {"person"}]
    lines += [f"Left out: {many(n, 'turn')} {reason}." for reason, n in told.left.items()]
    if told.full:
        lines.append(f"Read no further: the file holds {settings.max_mb} MB, which is the most it may hold (setting max_mb).")
    proposed, missed = fresh(told.mined)
    news = [many(len(proposed), "new or better proposal")] * bool(proposed) + [many(len(missed), "near miss")] * bool(missed)
    lines += [f"Found: {', '.join(news) or 'nothing new'}."] if told.turns else []
    lines += [line for kata in proposed for line in entry(kata)]
    if waiting and not looks:
        lines.append(f"{many(waiting, 'possible routine')} wait and are looked at as you work; at once: {lead} mine")
    lines += ["", f"Nothing was kept. To do it: {lead} learn{_since(told, settings)}"] if looks and told.turns else []
    return "\n".join(lines + ([f"Look at a proposal: {lead} review {proposed[0].id}"] if proposed and not looks else []))


def _unheard(who: str, settings: Settings) -> str:
    """That calls are kept and do not count, where the setting does not name them."""
    return "" if who in ("person", *settings.learn_from) else ", which do not count"


def _since(told: Learnt, settings: Settings) -> str:
    return "" if told.days == settings.retention_days else f" --since {told.days:.0f}"


# ── Near misses ──────────────────────────────────────────────────────────────────────────────────

NEAREST = 20
"""Near misses that a page holds, the best supported."""
NEEDS: Mapping[str, str] = {
    "chance": "more conversations in which these steps stand together",
    "coherence": "a value of one step that goes into the next; steps that share nothing are no routine",
    "confidence": "more conversations, or ones in which every value comes about as in the others",
    "free": "a step that is done in one and the same way each time",
    "inputs": "fewer values that only the caller knows",
    "inside": "nothing: the routine without that step is told about by itself",
    "loop": "a later version: a step that repeats stays with the agent for now",
    "opaque": "a plainer command, without loops, functions or sub-shells",
    "saves": "more that is fixed or comes out of a result; a call that must be written whole saves nothing",
    "template": "values that come about in one and the same way each time",
}
"""What each rule of the miner wants, for a person; a check of the validator says it in its own sentence."""


def misses(near: Sequence[NearMiss], odd: Mapping[str, Odd] | None = None) -> str:
    """What was seen but not proposed: the steps, where it was seen, the one rule that failed, the odd example (by fingerprint) where one
    alone keeps it back, and the smallest change that would make a proposal of it (K54)."""
    if not near:
        return "No near misses: nothing was seen that is nearly a routine."
    lines = []
    for miss in near[:NEAREST]:
        lines += [fit(", ".join(map(program, miss.keys))), f"     {miss.short} · seen in {many(miss.support, 'conversation')}"]
        lines += [f"     fails {miss.rule}: {visible(miss.detail)}", *_wanting(miss, (odd or {}).get(miss.fingerprint))]
    lines += [f"… and {len(near) - NEAREST} more, which --json tells."] if len(near) > NEAREST else []
    return "\n".join(lines)


def near(miss: NearMiss, odd: Odd | None, lead: str) -> str:
    """One near miss, and how it comes into review all the same, or why it does not."""
    why = barred(miss)
    way = f"it cannot be forced into review: {why}" if why else f"all the same into review: {lead} near {miss.short} review"
    return "\n".join([misses([miss], {miss.fingerprint: odd} if odd else {}), f"     {way}"])


def _wanting(miss: NearMiss, odd: Odd | None) -> list[str]:
    """What would make a proposal of a near miss: without its one odd example, or in general."""
    return _oddity(odd) if odd else [f"     needs {needed(miss)}"] if needed(miss) else []


def forced(miss: NearMiss | None, odd: Odd | None) -> list[str]:
    """What a person passed over for a proposal: the rule that it fails, how, and the odd example; empty where nobody did."""
    if miss is None:
        return []
    told = f"{miss.rule}: {visible(miss.detail)}" if miss.detail else f"{miss.rule}; by what is recorded now it passes that"
    return [f"by you, although it fails the rule {told}", *(line.strip() for line in _wanting(miss, odd) if miss.detail)]


def _oddity(one: Odd) -> list[str]:
    return [
        f"     odd: in the conversation of {when(one.at)} step {one.step} was: {visible(one.was)}",
        fit(f"     the others: {visible(one.others)}", 3 * WIDTH),
        f"     smallest change: {many(one.more, 'more conversation')} in which step {one.step} is as in the others",
    ]


def odd_json(one: Odd | None) -> dict[str, Json]:
    """The odd example of a near miss, None where no single one keeps it back."""
    if one is None:
        return {"odd": None}
    where = {"at": one.at, "conversation": one.conversation, "step": one.step}
    return {"odd": {**where, "was": one.was, "others": one.others, "more": one.more}}


def needed(miss: NearMiss) -> str:
    """What would make a proposal of it; empty where the reason says it."""
    return NEEDS.get(miss.rule, "")


def program(key: str) -> str:
    """The step that a key stands for: the programs of a command, else the tool."""
    head, _, programs = key.partition("): ")
    return programs if programs and not programs.startswith("=") else head.split("(")[0]


# ── The review ───────────────────────────────────────────────────────────────────────────────────


def review(
    kata: Kata,
    lead: str,
    doubt: str = "",
    why: str = "",
    standing: Version | None = None,
    asks: str = "",
    whole: bool = False,
    compared: Sequence[str] = (),
    beside: Sequence[str] = (),
    more: Sequence[tuple[str, Sequence[str]]] = (),
) -> str:
    """Everything a person needs to decide, its effects first (K18): steps, data flow, permissions, schemas, side
    effects, validation; 80 columns. `doubt` says why chance explains the routine by today's counts, `why` why the kata is in its state;
    `standing` is the version that was in use, when this one would take its place; `asks` when a person is asked before a run. `whole` names
    every check and every example; `compared` are times by hand since it was proposed, `beside` what overlaps it, `more` further parts, by
    their titles."""
    evidence, spec = kata.version.fit, kata.version.spec
    name = kata.tool or "no name yet"
    head = f"Kata {kata.id} · {state(kata)} · {name} · {evidenced(evidence)}"
    lines = wrapped(visible(head), 5)
    shown = effects(spec, TOP - len(lines))
    parts = [
        ("Side effects", shown),
        ("Permissions", _permissions(kata, asks or consent.told(kata, False, False))),
        ("Steps", _steps(spec, shown)),
        ("Data flow", _flow(kata.version, len(kata.version.exhibits) if whole else FEW)),
        ("Schemas", _schemas(spec)),
        ("Expected", _expected(spec, lead, kata.id) if whole else _watched(spec, lead, kata.id)),
        ("Validation", _validation(kata) + [_fixed(kata)] * whole + [f"doubtful: {doubt}"] * bool(doubt)),
        ("Overlaps", beside),
        *more,
        ("Since then", compared),
        ("Because", [why] if why else []),
        ("Changes", [f"against version {standing.number}:", *changes(standing.spec, spec)] if standing else []),
        ("Revision", _revision(kata, lead, standing)),
    ]
    return "\n".join(lines + [line for title, rows in parts for line in part(title, rows)])


def overlapping(kata: Kata, found: Sequence[tuple[Shared, Kata]], lead: str, base: int = 0) -> list[str]:
    """What has steps in common with a kata under review, and what a person can do about it; nothing is done by itself. `base` is the number
    of the kata that it extends, 0 where it extends none."""
    rows = []
    for one, other in found:
        called = other.tool or f"proposal {other.id}"
        rows.append(f"steps {one.here}–{one.here + one.count - 1} are steps {one.there}–{one.there + one.count - 1} of {called}")
        place = f"it extends {called}: approved as {other.name} it takes its place"
        rows.append(place if other.id == base else _choice(kata, other, one, lead))
    ways = [f"{lead} disable {other.name}" for _, other in found if other.state is State.ACTIVE and other.id != base]
    instead = f"instead of it: approve this one, then '{ways[0]}'; " if ways else ""
    if found and kata.state is State.CANDIDATE:
        rows.append(f"both: approve this one too; {instead}not this one: '{lead} reject {kata.id}'. 'undo' takes each back")
    return rows


def _choice(kata: Kata, other: Kata, one: Shared, lead: str) -> str:
    """How two routines with steps in common become one, or stay two."""
    own, theirs = (each.name or str(each.id) for each in (kata, other))
    verb = way(kata, other, one)
    base, rest = (own, theirs) if verb == "merge" or kata.state is not State.CANDIDATE else (theirs, own)
    ways = [f"{lead} {verb} {base} with {rest}"] if verb else []
    return " · ".join([*ways, f"{lead} separate {own} from {theirs}"])


def way(kata: Kata, other: Kata, one: Shared) -> str:
    """The verb by which two routines with steps in common become one: "merge" of two proposals, "extend" where one of them was put into
    use; empty where they cannot, or what is in use does all of it already."""
    waits = [each.state is State.CANDIDATE for each in (kata, other)]
    if not one.joins or not any(waits):
        return ""
    if all(waits):
        return "merge"
    return "" if one.kind == ("inside" if waits[0] else "around") else "extend"


def overlaps_json(kata: Kata, found: Sequence[tuple[Shared, Kata]]) -> list[Json]:
    """The same as JSON: steps from 1, `kind` is same, inside (the other), around (it) or part; `way` is merge or extend, empty where
    neither."""
    return [
        {"kata": other.id, "tool": other.tool or None, "state": other.state.value, "kind": one.kind, "way": way(kata, other, one)}
        | {"here": one.here, "there": one.there, "steps": one.count}
        for one, other in found
    ]


def _revision(kata: Kata, lead: str, standing: Version | None) -> list[str]:
    """The digest, and what to type: the name twice where a step destroys something (T44)."""
    spec = kata.version.spec
    twice = any(map(destroys, spec.steps))
    name = kata.name or "NAME"
    again = f" confirm {name}" if twice else ""
    waits = kata.state is State.CANDIDATE or standing is not None and kata.state is not State.REJECTED
    rows = [spec.digest[:12] + (f" · {lead} approve {kata.id} as {name}{again}" if waits else "")]
    rows += ["it can destroy something: to approve it, type its name twice, as above"] if twice and waits else []
    back = kata.state in (State.STALE, State.SUSPENDED, State.DISABLED) and standing is None
    rows += [f"{lead} enable {name} brings it back when it passes every check"] if back else []
    return rows + ([f"or {lead} rollback {name} {standing.number}"] if standing and waits else [])


def effects(spec: Spec, most: int) -> list[str]:
    """The steps that do more than reading, each in one line with the reason as far as it fits, in at most `most` lines."""
    acting = [(number, step) for number, step in enumerate(spec.steps, 1) if not step.effect.plain_read]
    rows = [fit(f"step {number}: {does(step)}; {visible(step.effect.why)}", WIDTH - LABEL) for number, step in acting]
    if len(rows) <= most:
        return rows or ["none: every step only reads"]
    rest = acting[most - 1 :]
    kinds = "; ".join(dict.fromkeys(does(step) for _, step in rest))
    return [*rows[: most - 1], fit(f"steps {', '.join(str(number) for number, _ in rest)}: {kinds}", WIDTH - LABEL)]


def does(step: Step) -> str:
    """The effect of a step in one or two words."""
    return step.effect.kind.value + (" DESTRUCTIVE" if step.effect.destructive else "")


def _permissions(kata: Kata, asks: str) -> list[str]:
    tools = ", ".join(dict.fromkeys(step.tool for step in kata.version.spec.steps))
    folders = dict.fromkeys(event.folder for one in kata.version.exhibits for event in one.events[:1] if event.folder)
    rows = [f"tools {tools}; {asks}"]
    return rows + ([f"was seen in {', '.join(list(folders)[:3])}" + (" and elsewhere" if len(folders) > 3 else "")] if folders else [])


def _steps(spec: Spec, shown: Sequence[str]) -> list[str]:
    """Every step whole; below it the reason for its effect where the top of the page had no room for it."""
    rows = []
    for number, step in enumerate(spec.steps, 1):
        why = f"step {number}: {does(step)}; {visible(step.effect.why)}"
        rows.append(f"{number} {templated(step)}")
        if not step.effect.plain_read and why not in shown:
            rows.append(f"  {does(step)}; {visible(step.effect.why)}")
    return rows


FEW = 3
"""Examples of which a short page shows the values."""


def _flow(version: Version, most: int) -> list[str]:
    """Where each value comes from, where it goes, and what it was in the latest examples, `most` of them."""
    spec = version.spec
    rows = [f"‹{one.name}› you give: {_told(one)}" for one in spec.inputs]
    for name, (expression, numbers) in derived(spec).items():
        read = " is read when it runs, and" if isinstance(expression, Ambient) else ""
        goes = f"{name}{read} goes into {'steps' if len(numbers) > 1 else 'step'} {', '.join(map(str, numbers))}"
        seen = apart(values(version, expression), 20)
        more = f", … ({len(seen) - most} more)" if len(seen) > most else ""
        if isinstance(expression, Ambient) and expression.form and surroundings.one_day(version.exhibits):
            goes += "; all examples are of one day, so a fixed date may be meant"
        rows.append(goes + (f"; it was {', '.join(seen[:most])}{more}" if seen else ""))
    return rows or ["nothing varies: the same calls every time"]


def derived(spec: Spec) -> dict[str, tuple[Expression, list[int]]]:
    """The values that come about when a kata runs, by how a person reads them: each with the steps that it goes into, from 1."""
    found: dict[str, tuple[Expression, list[int]]] = {}
    for number, step in enumerate(spec.steps, 1):
        for inner in walk(step.arguments):
            if isinstance(inner, Reference | Ambient):
                numbers = found.setdefault(origin(inner), (inner, []))[1]
                numbers += [number] * (number not in numbers)
    return found


def values(version: Version, expression: Expression) -> list[str]:
    """What a value was in each example, the latest first; a dash where the example does not fit."""
    found = []
    for one in version.exhibits:
        inputs = templating.recovered(version.spec, one)
        try:
            found.append(ABSENT if inputs is None else templating.as_shown(templating.render(expression, inputs, one.results)))
        except KataError:
            found.append(ABSENT)
    return found


def _watched(spec: Spec, lead: str, number: int) -> list[str]:
    """How much is expected of the answers, and where it is listed."""
    told = [one for index, step in enumerate(spec.steps) for one in checks.listed(index, step.traits)]
    loose = sum(trait.relaxed for step in spec.steps for trait in step.traits)
    eased = f", {loose} relaxed" if loose else ""
    return [f"answers pass {many(len(told), 'check')}{eased}, or nothing more acts: {lead} review {number} all"] if told else []


def _expected(spec: Spec, lead: str, number: int) -> list[str]:
    """What is expected of the answer of each step (T50), by the names under which a person relaxes it."""
    told = [list(checks.listed(index, step.traits)) for index, step in enumerate(spec.steps)]
    lists = (("; ".join(f"{name[-1]} {text}" for name, text in found)) for found in told)
    rows = [f"{at} {text}" for at, text in enumerate(lists, 1) if text]
    name = next((name for found in told for name, _ in found), "")
    return [*rows, f"else nothing more acts; {lead} relax {number} {name} lifts the first"] if rows else []


def _told(one: InputField) -> str:
    """Where an input is used, what it was, all of it or the latest, and what holds without it."""
    seen = ("One of", one.choices) if one.choices else ("Seen:", one.examples)
    values = f" {seen[0]} {', '.join(map(_seen, seen[1]))}." if seen[1] else ""
    return one.description + values + ("" if one.default is None else f" Else {_seen(one.default)}.")


def _seen(value: Json) -> str:
    return fit(templating.as_shown(value), 20)


def _schemas(spec: Spec) -> list[str]:
    arguments = ", ".join(map(_typed, spec.inputs)) or "no arguments"
    return [f"in {arguments}; out status of each step, result of step {len(spec.steps)}"]


def _typed(one: InputField) -> str:
    return f"{one.name}: {one.type or 'any'}" + ("" if one.default is None else ", optional")


def _validation(kata: Kata) -> list[str]:
    checks, evidence = kata.version.checks, kata.version.fit
    done = [check for check in checks if check.done]
    failed = [f"FAILED {check.name}: {check.reason}" for check in done if not check.passed]
    later = [check.name for check in checks if not check.done]
    few = next((check.reason for check in done if check.name == "holdout_fit" and check.passed and not evidence.passed), "")
    held = few or f"{evidence.passed} of {evidence.tried} held-out examples reproduced"
    rows = [f"{sum(check.passed for check in done)} of {len(done)} checks passed; {held}"]
    return rows + failed + ([f"not there yet: {', '.join(later)}"] if later else [])


def _fixed(kata: Kata) -> str:
    """What fitting examples cannot tell: a template of inputs alone fits them all (A14)."""
    return f"{kata.version.fit.specificity:.0%} of the text of its calls is fixed or derived, the rest is given"


# ── What one kata is ─────────────────────────────────────────────────────────────────────────────


def about(
    kata: Kata, versions: Sequence[Version], runs: Sequence[RunRow], lead: str, why: str = "", note: str = "", asks: str = ""
) -> str:
    """What a kata does, how it is called, its effects, versions and latest runs, newest first; no ground for an approval. `why` says why it
    is in its state, `note` what else was noticed, `asks` when a person is asked before a run."""
    spec, asks = kata.version.spec, asks or consent.told(kata, False, False)
    parts = [
        (f"Kata {kata.id}", [f"{state(kata)} · {kata.tool or 'no name yet'}"]),
        ("Does", [fit(f"{number} {templated(step)}", WIDTH - LABEL) for number, step in enumerate(spec.steps, 1)]),
        ("Because", [why] if why else []),
        ("Noticed", [note] if note else []),
        ("Call", _calling(kata, lead)),
        ("Side effects", [*effects(spec, len(spec.steps)), asks]),
        ("Versions", [_version(one, kata) for one in versions]),
        ("Last runs", [_ended(row) for row in runs] or ["none yet"]),
        ("More", [f"{lead} review {kata.id}" + (f" · {lead} runs {kata.name}" if kata.name else "")]),
    ]
    return "\n".join(line for title, rows in parts for line in part(title, rows))


def _calling(kata: Kata, lead: str) -> list[str]:
    """An example call where the agent can make one, else what would make it possible; and what each argument is."""
    spec = kata.version.spec
    sample = ", ".join(f"{one.name}={_sample(one)}" for one in spec.inputs if one.default is None)
    ways = {
        State.ACTIVE: f"{kata.tool}({sample})",
        State.CANDIDATE: f"not a tool yet: {lead} review {kata.id}, then approve {kata.id} as NAME",
        State.DISABLED: f"taken away from the agent: {lead} enable {kata.name}",
        State.STALE: f"not now: it no longer fits; {lead} review {kata.id}",
        State.SUSPENDED: f"not now: it failed too often; {lead} enable {kata.name}",
        State.REJECTED: f"never: you rejected it; {lead} forget {kata.id} lifts that",
    }
    way = ways.get(kata.state, f"not now: it is {kata.state.value}")
    return [way, *(f"{_typed(one)}. {_told(one)}" for one in spec.inputs)]


def _sample(one: InputField) -> str:
    return fit(json.dumps(one.examples[0], ensure_ascii=False), 40) if one.examples else "…"


def _version(one: Version, kata: Kata) -> str:
    use = " · in use" if one.number == kata.version.number and kata.state is State.ACTIVE else ""
    approved = f"approved {when(one.approved)[:10]}" if one.approved else "not approved"
    return f"{one.number} {one.spec.digest[:12]} · found {when(one.created)[:10]} · {approved}{use}"


# ── What changed, and who decided ────────────────────────────────────────────────────────────────


def difference(old: Version, new: Version, kata: Kata, lead: str) -> str:
    """Two versions of a kata side by side, in plain text: `[-gone-]` and `{+new+}`."""
    parts = [
        (f"Kata {kata.id}", [f"{kata.tool or 'no name yet'}: from version {old.number} to version {new.number}"]),
        ("Revisions", [f"{old.spec.digest[:12]} and {new.spec.digest[:12]}"]),
        ("Changes", changes(old.spec, new.spec)),
        ("Marks", ["[-what is gone-]  {+what is new+}"]),
        ("More", [f"{lead} show {kata.id}"]),
    ]
    return "\n".join(line for title, rows in parts for line in part(title, rows))


def changes(old: Spec, new: Spec) -> list[str]:
    """What is different in what the agent gives, in the calls, in what they may do, and in the tools."""
    if old == new or old.digest == new.digest and [one.choices for one in old.inputs] == [one.choices for one in new.inputs]:
        return ["nothing: the same calls, only the examples differ"]
    rows = [*_inputs_changed(old, new), *_steps_changed(old, new)]
    rows += [f"it says of itself: {marked(old.help, new.help)}"] if old.help != new.help else []
    asks = [f"asks you before every run: {marked(*('yes' if one.asks else 'no' for one in (old, new)))}"] if old.asks != new.asks else []
    return rows + asks or ["details that do not show in words"]


def marked(old: str, new: str) -> str:
    """The new text with what is gone and what is new marked, word by word."""
    before, after = (re.findall(r"\s+|\S+", text) for text in (old, new))
    text = ""
    for kind, start, stop, first, last in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        gone, come = "".join(before[start:stop]), "".join(after[first:last])
        text += come if kind == "equal" else (f"[-{gone}-]" if gone else "") + ("{+" + come + "+}" if come else "")
    return text


def _inputs_changed(old: Spec, new: Spec) -> Iterator[str]:
    was, now = ({one.name: _given(one) for one in spec.inputs} for spec in (old, new))
    for name in dict.fromkeys((*was, *now)):
        if was.get(name) != now.get(name):
            yield f"you give: {marked(was.get(name, ''), now.get(name, ''))}"


def _given(one: InputField) -> str:
    choices = f", one of {', '.join(map(_seen, one.choices))}" if one.choices else ""
    said = f": {one.description}" if one.description else ""
    return _typed(one) + ("" if one.default is None else f" (else {_seen(one.default)})") + choices + said


def _steps_changed(old: Spec, new: Spec) -> Iterator[str]:
    was, now = ([step.tool for step in spec.steps] for spec in (old, new))
    for _, start, stop, first, last in difflib.SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        for at in range(max(stop - start, last - first)):
            before = old.steps[start + at] if start + at < stop else None
            after = new.steps[first + at] if first + at < last else None
            number = (first if after else start) + at + 1
            yield from _step_changed(number, before, after)


def _step_changed(number: int, before: Step | None, after: Step | None) -> Iterator[str]:
    if before is None or after is None:
        told = templated(before) if before else templated(after) if after else ""
        yield f"step {number}: {marked(told if before else '', told if after else '')}"
        return
    if templated(before) != templated(after):
        yield f"step {number}: {marked(templated(before), templated(after))}"
    was, now = ("; ".join(text for _, text in checks.listed(number - 1, one.traits)) for one in (before, after))
    if was != now:
        yield f"step {number} is expected to answer otherwise: {marked(was, now)}"
    if before.effect != after.effect:
        yield f"step {number}: {marked(*(f'{does(one)}; {one.effect.why}' for one in (before, after)))}"
    if before.schema != after.schema and before.tool == after.tool:
        yield f"step {number}: {after.tool} takes other arguments than when this was recorded first"


def decisions(rows: Sequence[AuditRow], tools: Mapping[int, str], lead: str) -> str:
    """Who decided what when, newest first."""
    lines = []
    for row in rows:
        what = f"kata {row.kata}" + (f" {tools[row.kata]}" if tools.get(row.kata) else "") if row.kata else ""
        went = f"{row.before or 'new'} → {row.after or 'gone'}" if row.before != row.after else row.after
        told = "; ".join(filter(None, (what, went, row.digest[:12], row.detail)))
        lines += wrapped(visible(f"{when(row.at)}  {row.actor:<9} {row.verb:<9} {told}"), DECIDED)
    return "\n".join([*lines, "", f"Whether nothing was changed afterwards: {lead} audit verify"]) if lines else "No decisions yet."


def decision_json(row: AuditRow) -> dict[str, Json]:
    """One decision; its time is in epoch seconds."""
    went = {"before": row.before, "after": row.after, "digest": row.digest, "detail": row.detail}
    return {"at": row.at, "actor": row.actor, "verb": row.verb, "kata": row.kata, **went}


def erasure(told: Erasure, kind: str, word: str, done: bool) -> list[str]:
    """What goes, or went, line by line; nothing is left out."""
    head = f"{'Erased' if done else 'This would be erased'}: what {HOLDING[kind]} {visible(word)!r}"
    rows = [
        f"{many(told.turns, 'turn')} of {many(told.conversations, 'conversation')}, with all calls and answers in them",
        many(told.runs, "run"),
        f"{many(told.near, 'near miss')}, {many(told.examples, 'example')} in proposals and katas that stay",
    ]
    rows += [f"kata {number} {name and 'kata_' + name} ({state}), with all its versions" for number, name, state in told.katas]
    return [head, *(f"  {visible(row)}" for row in rows)]


HOLDING: Mapping[str, str] = {
    "conversation": "belongs to the conversation",
    "tool": "uses the tool",
    "path": "holds the path",
    "text": "holds the text",
}


# ── Runs ─────────────────────────────────────────────────────────────────────────────────────────


def traces(rows: Sequence[RunRow], whole: int = 3) -> str:
    """Recent runs, newest first: the first `whole` of them step by step, the older ones in a line each."""
    lines: list[str] = []
    for index, row in enumerate(rows):
        if index >= whole:
            lines.append(fit(_ended(row, row.tool)))
            continue
        lines += [fit(_ended(row, row.tool))]
        lines += [fit(f"    {step.index + 1}. {_status(step)} {brief(step.call) if step.call else step.tool}") for step in row.steps]
        lines += [f"    {row.reason}"] if row.reason else []
    return "\n".join(lines)


def _ended(row: RunRow, *tool: str) -> str:
    """When a run began, how it ended and how long it took; its id."""
    seconds = f"{row.finished - row.started:.1f} s" if row.finished else "did not finish"
    return "  ".join((when(row.started), *tool, f"{row.status.value:<7}", f"run {row.id}", seconds))


def _status(step: StepTrace) -> str:
    return f"{step.status.value}, {BUSY}:" if busy(step) else f"{step.status.value:<8}"


def busy(step: StepTrace) -> bool:
    """Whether a step was begun and nobody saw its end: its tool may still be at it."""
    return step.status in (Status.UNKNOWN, Status.TIMEOUT, Status.INTERRUPTED) and step.attempts > 0


def trace(row: RunRow, lead: str) -> str:
    """One run whole: where and when, its inputs, every step with its call, its reason and its answer, what may still be running."""
    inputs = [f"{name} = {templating.as_shown(value)}" for name, value in row.inputs.items()]
    still = [f"step {step.index + 1}; find out what it did before you repeat it" for step in row.steps if busy(step)]
    ahead = next((step.call for step in row.steps if step.status is not Status.OK and step.call), None)
    parts = [
        ("Run", [f"{row.id} · {row.tool}"]),
        ("Version", [f"{row.version}, revision {row.digest[:12]}"]),
        ("Began", [when(row.started) + (f", in the conversation {row.session}" if row.session else "")]),
        ("Ended", [_outcome(row)]),
        ("Inputs", inputs or ["none"]),
        ("Steps", [line for step in row.steps for line in _traced(step)] or ["none was begun" if row.finished is None else "none is kept"]),
        ("May run on", still),
        ("Next call", [brief(ahead, 2_000)] if ahead and row.status is not Status.OK else []),
        ("More", [f"{lead} show {row.kata}"]),
    ]
    return "\n".join(line for title, rows in parts for line in part(title, rows))


def _outcome(row: RunRow) -> str:
    if row.finished is None:
        return "not seen: it runs, or its process ended; a step that was begun may have been done"
    return f"{row.status.value} after {row.finished - row.started:.1f} s" + (f": {row.reason}" if row.reason else "")


def _traced(step: StepTrace) -> list[str]:
    """A step in one row, and below it why it ended so, how often it was tried, and the beginning of its answer."""
    rows = [f"{step.index + 1} {_status(step)} {brief(step.call, 2_000) if step.call else step.tool}"]
    rows += [f"  tried {step.attempts} times"] if step.attempts > 1 else []
    rows += [f"  {step.reason}"] if step.reason else []
    return rows + ([f"  gave {fit(visible(templating.as_shown(step.result)), 60)}"] if step.result is not None else [])


# ── JSON ─────────────────────────────────────────────────────────────────────────────────────────


def kata_json(kata: Kata) -> dict[str, Json]:
    """A kata as every command tells it."""
    version = kata.version
    return {
        "id": kata.id,
        "state": kata.state.value,
        "tool": kata.tool or None,
        "digest": version.spec.digest,
        "version": version.number,
        "steps": [templated(step) for step in version.spec.steps],
        "inputs": [one.name for one in version.spec.inputs],
        "support": version.fit.support,
        "confidence": round(version.fit.confidence, 4),
        "taught": version.fit.taught,
        "forced": version.fit.forced or None,
        "specificity": version.fit.specificity,
        "asks": version.spec.asks,
    }


def effects_json(spec: Spec) -> list[Json]:
    """What each step may do."""
    return [
        {"step": number, "kind": step.effect.kind.value, "destructive": step.effect.destructive, "why": step.effect.why}
        for number, step in enumerate(spec.steps, 1)
    ]


def checks_json(kata: Kata) -> list[Json]:
    """The questions of the validator with their answers."""
    return [{"name": check.name, "passed": check.passed, "done": check.done, "reason": check.reason} for check in kata.version.checks]


def expected_json(spec: Spec) -> list[Json]:
    """What is expected of the answer of each step, by the names under which a person relaxes it."""
    return [
        {"step": index + 1, "check": name, "expected": checks.said(trait), "relaxed": trait.relaxed}
        for index, step in enumerate(spec.steps)
        for (name, _), trait in zip(checks.listed(index, step.traits), step.traits, strict=True)
    ]


def values_json(version: Version) -> list[Json]:
    """Each value that comes about when a kata runs: where from, into which steps, and what it was in every example."""
    return [{"value": name, "steps": numbers, "was": values(version, one)} for name, (one, numbers) in derived(version.spec).items()]


def version_json(one: Version) -> dict[str, Json]:
    """A version with its times in epoch seconds."""
    return {"version": one.number, "digest": one.spec.digest, "created": one.created, "approved": one.approved}


def near_json(miss: NearMiss) -> dict[str, Json]:
    """A near miss with what it needs."""
    told = {"steps": list(miss.keys), "rule": miss.rule, "detail": miss.detail, "support": miss.support, "needs": needed(miss)}
    return {"id": miss.short, **told, "barred": barred(miss)}


def run_json(row: RunRow) -> dict[str, Json]:
    """A run with its steps; times are epoch seconds."""
    return {
        "run": row.id,
        "tool": row.tool,
        "status": row.status.value,
        "reason": row.reason,
        "started": row.started,
        "finished": row.finished,
        "version": row.version,
        "digest": row.digest,
        "session": row.session,
        "inputs": dict(row.inputs),
        "steps": [step_json(step) for step in row.steps],
    }


def step_json(step: StepTrace) -> dict[str, Json]:
    """One step of a run: its call as it was asked, and whether it may still be running."""
    return {
        "step": step.index + 1,
        "tool": step.tool,
        "status": step.status.value,
        "reason": step.reason,
        "attempts": step.attempts,
        "arguments": dict(step.call.arguments) if step.call else None,
        "may_be_running": busy(step),
    }
