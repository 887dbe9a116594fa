"""Says what a kata may take from where and when it runs (session folder, repository, branch, home, date), in which form and which words;
it never looks at any of that: the values are handed in. A module of its own, because templating would otherwise know the calendar."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from .model import Ambient, Example, Json, Spec, TemplateError, walk

MONTHS = tuple("January February March April May June July August September October November December".split())
FORMS: Mapping[str, Callable[[int, int, int], str]] = {
    "YYYY-MM-DD": lambda y, m, d: f"{y}-{m:02}-{d:02}",
    "YYYYMMDD": lambda y, m, d: f"{y}{m:02}{d:02}",
    "YYYY/MM/DD": lambda y, m, d: f"{y}/{m:02}/{d:02}",
    "YYYY_MM_DD": lambda y, m, d: f"{y}_{m:02}_{d:02}",
    "YYYY.MM.DD": lambda y, m, d: f"{y}.{m:02}.{d:02}",
    "DD.MM.YYYY": lambda y, m, d: f"{d:02}.{m:02}.{y}",
    "D.M.YYYY": lambda y, m, d: f"{d}.{m}.{y}",
    "DD-MM-YYYY": lambda y, m, d: f"{d:02}-{m:02}-{y}",
    "DD/MM/YYYY": lambda y, m, d: f"{d:02}/{m:02}/{y}",
    "MM/DD/YYYY": lambda y, m, d: f"{m:02}/{d:02}/{y}",
    "MM-DD-YYYY": lambda y, m, d: f"{m:02}-{d:02}-{y}",
    "Month D, YYYY": lambda y, m, d: f"{MONTHS[m - 1]} {d}, {y}",
    "D Month YYYY": lambda y, m, d: f"{d} {MONTHS[m - 1]} {y}",
    "Mon D, YYYY": lambda y, m, d: f"{MONTHS[m - 1][:3]} {d}, {y}",
    "D Mon YYYY": lambda y, m, d: f"{d} {MONTHS[m - 1][:3]} {y}",
}
"""How a date is written: year, month and day in, text out."""
DATES = ("today", "yesterday")
PLACES = ("folder", "root", "home")
"""Folders, the nearest first: where two are the same, the first is meant."""
WORDS: Mapping[str, str] = {
    "folder": "the session folder",
    "root": "the root of the repository",
    "branch": "the current branch",
    "home": "the home folder",
    "today": "today's date",
    "yesterday": "yesterday's date",
}
ABSENT: Mapping[str, str] = {
    "folder": "it is not known where the session is",
    "root": "the session folder is in no git repository that can be seen from here",
    "branch": "no branch is checked out: the session folder is in no git repository that can be seen from here, or its head is detached",
    "home": "the home folder of the agent is not known here",
}


def said(one: Ambient) -> str:
    """What is meant, in words: "today's date as YYYY-MM-DD"."""
    return WORDS[one.what] + (f" as {one.form}" if one.form else "")


def dated(day: str, form: str) -> str:
    """A day given as YYYY-MM-DD in another form; TemplateError when it is no day or the form none of ours."""
    found = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", day)
    if found is None or form not in FORMS or not 1 <= int(found[2]) <= 12:
        raise TemplateError(f"Expected a day as YYYY-MM-DD and a form of ours, got {day[:20]!r} and {form[:20]!r}")
    return FORMS[form](int(found[1]), int(found[2]), int(found[3]))


def value(one: Ambient, known: Mapping[str, Json]) -> str:
    """The text that stands for it; `known` holds what was captured, by keys as `@branch`. TemplateError says what is missing, and why."""
    found = known.get(one.key)
    if not isinstance(found, str) or not found:
        raise TemplateError(f"Expected {WORDS[one.what]}, and {ABSENT.get(one.what, 'it was not captured')}")
    return dated(found, one.form) if one.form else found


def needed(spec: Spec) -> tuple[Ambient, ...]:
    """What a spec takes from its surroundings, each once."""
    return tuple(dict.fromkeys(part for step in spec.steps for part in walk(step.arguments) if isinstance(part, Ambient)))


def parted(given: Mapping[str, Json]) -> tuple[dict[str, Json], dict[str, Json]]:
    """Inputs, and what was captured, out of one mapping that holds both."""
    around = {name: one for name, one in given.items() if name.startswith("@")}
    return {name: one for name, one in given.items() if name not in around}, around


Known = tuple[Ambient, tuple[str, ...]]
"""Something around the examples, with its text in each."""


def shared(examples: Sequence[Example]) -> tuple[Known, ...]:
    """What is known of the surroundings of every example: folders without their final slash, dates in every form."""
    found: list[Known] = []
    around = [one.around for one in examples]
    for what in (*PLACES, "branch"):
        texts = tuple(one.get(f"@{what}", "").rstrip("/") for one in around)
        if all(len(text) > 1 for text in texts) and texts not in [known for _, known in found]:
            found.append((Ambient(what), texts))
    for what in DATES:
        days = [one.get(f"@{what}", "") for one in around]
        if all(days):
            found += [(Ambient(what, form), tuple(dated(day, form) for day in days)) for form in FORMS]
    return tuple(found)


def one_day(examples: Sequence[Example]) -> bool:
    """Whether all examples are of one day, so that a date in them may also be a fixed one."""
    return len({one.around.get("@today") for one in examples}) == 1


def spans(one: Ambient, text: str, piece: str) -> Iterator[tuple[int, int]]:
    """Where it stands in a text: a date between other digits is none, a folder ends with a name and begins where a path does."""
    around = (r"(?<!\d)", r"(?!\d)") if one.form else (r"(?<![\w.~/-])", r"(?![\w.-])")
    for found in re.finditer(around[0] + re.escape(piece) + around[1], text) if piece else ():
        yield found.span()


def cut(text: str, known: Sequence[Known]) -> list[str | Ambient]:
    """A fixed text with folders and dates of its surroundings taken out of it; the longest is found first. What is known must be the same
    in every example. A branch is none of these: a name may be meant whatever is checked out."""
    pieces = [(one, texts[0]) for one, texts in known if one.what != "branch" and len(set(texts)) == 1]
    found: list[tuple[int, int, Ambient]] = []
    for one, piece in sorted(pieces, key=lambda pair: -len(pair[1])):
        for start, end in spans(one, text, piece):
            if all(end <= other or start >= stop for other, stop, _ in found):
                found.append((start, end, one))
    parts: list[str | Ambient] = []
    at = 0
    for start, end, one in sorted(found, key=lambda span: span[0]):
        parts += [text[at:start], one]
        at = end
    return [part for part in (*parts, text[at:]) if part != ""]
