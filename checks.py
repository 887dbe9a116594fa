"""Learns what every recorded answer of a step had in common and says in one sentence where a new answer differs; it only looks at values,
runs nothing and never decides what becomes of a run. A module of its own, because the miner would otherwise both find routines and judge
answers, and the executor needs the judging without the finding."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from .looks import PLACEHOLDER
from .model import SHELL_TOOLS, Json, Trait, canonical
from .origins import CUT_OUT, SPILT, clipped, stub, within

EXAMPLES = 8
"""Examples among which each check is tried: learnt from the others it must hold in every one of them."""
LEAST, SURE = 2, 3
"""Examples that a check needs, and one that fixes a value."""
MOST_CHECKS, MOST_KEYS, MOST_ITEMS, DEEP = 12, 24, 50, 2
MANY = 16
"""A list may always have so many entries: nobody can tell from three short ones that seventeen are wrong, but a hundred are odd."""
INSIDE, EACH = "(json)", "[]"
"""Parts of a path: the JSON that a text holds, and every entry of a list."""
STATES = frozenset("status state success ok type kind outcome result".split())
"""Fields whose value says which way a tool went; in all others one value in every example is chance."""
GUESSED = frozenset({"most", "first", "last", "lines"})
"""Checks that go beyond what was seen, and so are tried on each example."""
TELLING = frozenset("output content text stdout body result answer markdown".split())
"""Fields whose text is what a tool has to say; others hold names and addresses."""
WORDY = re.compile(r"[A-Za-z][a-z]+[:,]?")
FORMS: Mapping[str, re.Pattern[str]] = {
    "a number": re.compile(r"\d[\d.,]*"),
    "a hash": re.compile(r"(?=[a-f]*\d)[0-9a-f]{7,64}"),
}
"""What the first word of every line may be."""
TROUBLE: Mapping[str, re.Pattern[str]] = {
    "a web page": re.compile(r"\s*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE),
    "a stub of a text": re.compile(rf"{SPILT}|.*\bunchanged since\b|\[[^\]]*\btruncated\b", re.IGNORECASE),
    "an error message": re.compile(
        r"(?:[\w./-]{1,40}: ){0,3}(?:(?:[a-z]+ )?(?:errors?|exception|panic|failure)\b[:!]?|fatal:|traceback \(|usage:|"
        r"abort(?:ed|ing)\b|failed\b|(?:permission|access) denied|no such file|(?:command )?not found|"
        r"cannot |can't |could not |unable to |invalid |unauthorized|forbidden|"
        r"(?:4\d\d|5\d\d) [A-Z]|(?:request |connection |operation )?timed out|rate limit|too many requests|please (?:log|sign) in)",
        re.IGNORECASE,
    ),
}
"""How a text begins, or its last line does, that came in the place of what was asked for."""


# ── Learning ─────────────────────────────────────────────────────────────────────────────────────


def learn(tool: str, results: Sequence[Json]) -> tuple[Trait, ...]:
    """Give what held in every one of these answers of a tool and is likely to hold in the next: a guess at their form that one example
    would have failed, had it been learnt from the others, is left out. Answers of which only a part is kept teach nothing."""
    whole = [one for one in results if one is not None and not stub(one) and not (isinstance(one, str) and clipped(one))]
    found = _held(tool, whole)
    tried = whole[:EXAMPLES] if len(whole) > LEAST else []
    fragile: set[tuple[str, tuple[str, ...]]] = set()
    for index, one in enumerate(tried):
        for trait in _held(tool, whole[:index] + whole[index + 1 :]):
            if trait.how in GUESSED and _came(trait, one) is not None:
                fragile.add((trait.how, trait.path))
    return tuple(one for one in found if (one.how, one.path) not in fragile)[:MOST_CHECKS]


def _held(tool: str, results: Sequence[Json]) -> list[Trait]:
    if len(results) < LEAST:
        return []
    found = [*_at((), list(results), tool)]
    return [one for one in found if not PLACEHOLDER.search(canonical([list(one.path), one.value]))]


def _at(path: tuple[str, ...], values: list[Json], tool: str) -> Iterator[Trait]:
    """What these values, one per example, have in common, the plainest first."""
    kinds = {kind(value) for value in values}
    if not path and kinds != {"object"}:
        yield Trait("kind", (), sorted(kinds))
    bare = len(path) == 1 or not path and kinds != {"object"}
    if bare and all(isinstance(value, str | list | dict) and not _empty(value) for value in values) and not _few(values):
        yield Trait("filled", path)
    if kinds == {"object"}:
        yield from _fields(path, values, tool)
    elif kinds == {"list"}:
        yield from _entries(path, values, tool)
    elif kinds == {"text"} and (not path or len(path) == 1 and path[0] in TELLING):
        yield from _text(path, values, tool)


def _few(values: list[Json]) -> bool:
    """Whether one of these lists, of several lengths, has one entry: then the next may have none."""
    sizes = {len(value) for value in values if isinstance(value, list)}
    return len(sizes) > 1 and min(sizes) == 1


def _fields(path: tuple[str, ...], values: list[Json], tool: str) -> Iterator[Trait]:
    """Of objects: the fields that all have, and what those have in common. Objects of several kinds, which share less than half of their
    names, have none in common: the next one may be of one kind more."""
    shared = [key for key in values[0] if all(key in value for value in values)]
    if not shared or 2 * len(shared) < len({key for value in values for key in value}):
        yield from [] if path else [Trait("kind", (), ["object"])]
        return
    shared = shared[:MOST_KEYS]
    yield Trait("keys", path, {key: _kinds([value[key] for value in values]) for key in shared})
    if not path and "exit_code" in shared and all(kind(value["exit_code"]) == "number" for value in values):
        yield Trait("code", ("exit_code",), sorted({value["exit_code"] for value in values}))
    for key in shared:
        column = [value[key] for value in values]
        if key in STATES and _depth(path) == 0 and len(values) >= SURE and _one_word(column):
            yield Trait("value", (*path, key), column[0])
        elif _depth(path) < DEEP:
            yield from _at((*path, key), column, tool)


def _depth(path: tuple[str, ...]) -> int:
    return sum(part not in (INSIDE, EACH) for part in path)


def _one_word(values: Sequence[Json]) -> bool:
    same = len({canonical(value) for value in values}) == 1
    return same and (isinstance(values[0], bool) or isinstance(values[0], str) and re.fullmatch(r"[\w-]{1,24}", values[0]) is not None)


def _entries(path: tuple[str, ...], values: list[Json], tool: str) -> Iterator[Trait]:
    longest = max(len(value) for value in values)
    yield Trait("most", path, max(MANY, 1 << (4 * longest - 1).bit_length() if longest else MANY))
    entries = [entry for value in values for entry in value[:MOST_ITEMS]]
    if entries and all(isinstance(entry, dict) for entry in entries):
        shared = [key for key in entries[0] if all(key in entry for entry in entries)][:MOST_KEYS]
        if shared:
            yield Trait("keys", (*path, EACH), {key: _kinds([entry[key] for entry in entries]) for key in shared})


def _kinds(values: list[Json]) -> list[str]:
    """The types that a field may have: those seen; any, which is an empty list, where it never had a value."""
    found = sorted({kind(value) for value in values})
    return found if found != ["null"] else []


def _text(path: tuple[str, ...], values: list[str], tool: str) -> Iterator[Trait]:
    inner = [within(value) for value in values]
    if all(value is not None for value in inner):
        yield Trait("json", path)
        yield from (one for one in _at((*path, INSIDE), inner, tool) if one.how != "filled")
        return
    if not any(_troubled(value) for value in values):
        yield Trait("plain", path)
    said = path == () or tool in SHELL_TOOLS  # what a file holds is nothing that a tool says
    if said and len(set(values)) > 1 and all(value.strip() for value in values):
        yield from (Trait(how, path, made) for how, look in SHAPES.items() if (made := look(values)))


def _form(values: Sequence[str]) -> str:
    """What the first word of every line is in all texts; "one word" where no line has a second."""
    heads = [line.split() for value in values for line in _lines(value)]
    found = next((name for name, form in FORMS.items() if all(form.fullmatch(words[0]) for words in heads)), "")
    return found or ("one word" if all(len(words) == 1 for words in heads) else "")


def _start(values: Sequence[str], at: int) -> str:
    """The words, one or two, with which that line of every text begins, where something follows them."""
    rows = [_lines(value)[at].split()[:-1] for value in values]
    same = takewhile(lambda column: len(set(column)) == 1 and WORDY.fullmatch(column[0]), zip(*rows, strict=False))
    words = [column[0] for column in same][:2]
    return " ".join(words) if len("".join(words)) >= 5 else ""


SHAPES: Mapping[str, Callable[[Sequence[str]], str]] = {
    "lines": _form,
    "first": lambda values: _start(values, 0),
    "last": lambda values: _start(values, -1) if all(len(_lines(value)) > 1 for value in values) else "",
}


# ── Judging ──────────────────────────────────────────────────────────────────────────────────────


def unlike(step: int, traits: Sequence[Trait], result: Json) -> str:
    """Say which check an answer fails, what was expected and what came; empty when it passes all that nobody relaxed. `step` counts
    from 0."""
    for index, trait in enumerate(traits):
        came = None if trait.relaxed else _came(trait, result)
        if came is not None:
            got = came if len(came) <= 80 else came[:79] + "…"
            return f"its answer is unlike that of every example (check {label(step, index)}): expected that {said(trait)}, got {got}"
    return ""


def label(step: int, index: int) -> str:
    """The name of a check: the number of its step from 1, and a letter."""
    return f"{step + 1}{chr(ord('a') + index)}"


def listed(step: int, traits: Sequence[Trait]) -> Iterator[tuple[str, str]]:
    """The checks of a step: their names, and what is expected; those that a person relaxed say so."""
    for index, one in enumerate(traits):
        yield label(step, index), said(one) + (" (relaxed)" if one.relaxed else "")


def relaxed(step: int, traits: Sequence[Trait], name: str) -> tuple[Trait, ...] | None:
    """The checks of a step with that one relaxed; None where there is none of that name."""
    names = [label(step, index) for index in range(len(traits))]
    if name not in names:
        return None
    return tuple(replace(one, relaxed=True) if one_name == name else one for one_name, one in zip(names, traits, strict=True))


def carried(old: Sequence[Trait], new: Sequence[Trait]) -> tuple[Trait, ...]:
    """Newly learnt checks of a step, relaxed where a person relaxed the old one of that kind at that place."""
    loose = {(one.how, one.path) for one in old if one.relaxed}
    return tuple(replace(one, relaxed=True) if (one.how, one.path) in loose else one for one in new)


def _came(trait: Trait, result: Json) -> str | None:
    """What came in the place of what was expected; None where the check holds."""
    try:
        values = list(_reached(result, trait.path))
    except LookupError as error:
        return str(error.args[0])
    rule = RULES.get(trait.how)
    return next((found for value in values if (found := rule.fails(trait.value, value)) is not None), None) if rule else None


def _reached(value: Json, path: Sequence[str]) -> Iterator[Json]:
    """The values at a path; LookupError says what is there instead."""
    for depth, part in enumerate(path):
        if part == EACH and isinstance(value, list):
            for entry in value[:MOST_ITEMS]:
                yield from _reached(entry, path[depth + 1 :])
            return
        inner = within(value) if part == INSIDE and isinstance(value, str) else None
        if inner is None and not (isinstance(value, dict) and part in value):
            raise LookupError(f"no {part!r} in {_brief(value)}" if part not in (INSIDE, EACH) else _brief(value))
        value = value[part] if inner is None else inner
    yield value


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of check: what came where it fails (given the kept value and what is there now), and how it is said."""

    fails: Callable[[Json, Json], str | None]
    said: Callable[[Json, str], str]


def said(trait: Trait) -> str:
    """What is expected of an answer, in words that follow "expected that"."""
    rule = RULES.get(trait.how)
    return rule.said(trait.value, place(trait.path)) if rule else trait.how


def place(path: Sequence[str]) -> str:
    """Where in an answer: `'output'`, `the JSON in 'output'`, `each entry of 'matches'`."""
    text = "the answer"
    for part in path:
        if part == INSIDE:
            text = f"the JSON in {text}"
        elif part == EACH:
            text = f"each entry of {text}"
        else:
            text = repr(part) if text == "the answer" else f"{part!r} of {text}"
    return text


def kind(value: Json) -> str:
    """The type of a value in a word; a whole number is a number like others."""
    if isinstance(value, bool):
        return "true or false"
    names: Mapping[type, str] = {str: "text", list: "list", dict: "object", type(None): "null", int: "number", float: "number"}
    return names.get(type(value), "no JSON")


def _brief(value: Json) -> str:
    """A value in a few words; of an object its fields, which may be nested deeper than one can look."""
    if isinstance(value, dict):
        names = ", ".join(repr(str(key)[:20]) for key in [*value][:6])
        return f"an object with {names}" if value else "an empty object"
    if isinstance(value, list):
        return f"a list of {len(value)}" if value else "an empty list"
    if isinstance(value, str):
        return json.dumps(value[:60], ensure_ascii=False) if value else "an empty text"
    return str(value)[:60] if kind(value) != "no JSON" else f"a {type(value).__name__}"


def _empty(value: Json) -> bool:
    return not (value.strip() if isinstance(value, str) else value)


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()][:MOST_ITEMS]


def _troubled(text: str) -> str:
    """What a text is that nobody asked for, by its first and its last line; empty when it looks like none of that."""
    ends = [*_lines(text[:2_000])[:1], *_lines(text[-2_000:])[-1:]]
    heads = [re.sub(r"^\s*\d+\|", "", line).strip() for line in ends]
    named = next((name for name, form in TROUBLE.items() if any(form.match(head) for head in heads)), "")
    return named or ("a stub of a text" if CUT_OUT.search(text) else "")


def _fails_keys(wanted: Json, value: Json) -> str | None:
    if not isinstance(value, dict):
        return _brief(value)
    missing = [key for key in wanted if key not in value]
    if missing:
        return f"no {', '.join(map(repr, missing[:4]))} in {_brief(value)}"
    odd = next((key for key, kinds in wanted.items() if kinds and kind(value[key]) not in kinds), None)
    return None if odd is None else f"{odd!r} as {kind(value[odd])}, not {' or '.join(wanted[odd])}"


def _said_keys(wanted: Json, where: str) -> str:
    return f"{where} has {', '.join(map(repr, wanted))}"


def _fails_start(at: int) -> Callable[[Json, Json], str | None]:
    def fails(wanted: Json, value: Json) -> str | None:
        lines = _lines(value) if isinstance(value, str) else []
        begins = bool(lines) and lines[at].split()[: len(wanted.split())] == wanted.split()
        return None if begins else json.dumps(lines[at], ensure_ascii=False) if lines else _brief(value)

    return fails


def _fails_lines(wanted: Json, value: Json) -> str | None:
    if not isinstance(value, str):
        return _brief(value)
    form = FORMS.get(wanted)
    odd = (line for line in _lines(value) if (len(line.split()) > 1 if form is None else not form.fullmatch(line.split()[0])))
    found = next(odd, None)
    return None if found is None else json.dumps(found.strip(), ensure_ascii=False)


def _fails_plain(wanted: Json, value: Json) -> str | None:
    found = _troubled(value) if isinstance(value, str) else ""
    return f"{found}: {json.dumps(value.strip()[:60], ensure_ascii=False)}" if found else None


def _grown(wanted: Json, value: Json) -> str | None:
    return str(len(value)) if isinstance(value, list) and len(value) > wanted else None


def _void(wanted: Json, value: Json) -> str | None:
    return _brief(value) if isinstance(value, str | list | dict) and _empty(value) else None


def _unless(good: Callable[[Json, Json], bool]) -> Callable[[Json, Json], str | None]:
    return lambda wanted, value: None if good(wanted, value) else _brief(value)


RULES: Mapping[str, Rule] = {
    "kind": Rule(_unless(lambda wanted, value: kind(value) in wanted), lambda wanted, where: f"{where} is {' or '.join(wanted)}"),
    "filled": Rule(_void, lambda wanted, where: f"{where} is not empty"),
    "keys": Rule(_fails_keys, _said_keys),
    "code": Rule(
        _unless(lambda wanted, value: kind(value) == "number" and value in wanted),
        lambda wanted, where: f"{where} is {' or '.join(map(str, wanted))}",
    ),
    "value": Rule(
        _unless(lambda wanted, value: type(value) is type(wanted) and value == wanted),
        lambda wanted, where: f"{where} is {json.dumps(wanted)}",
    ),
    "most": Rule(_grown, lambda wanted, where: f"{where} has at most {wanted} entries"),
    "json": Rule(_unless(lambda wanted, value: within(value) is not None), lambda wanted, where: f"{where} is JSON"),
    "plain": Rule(_fails_plain, lambda wanted, where: f"{where} is no error message, web page or stub"),
    "lines": Rule(
        _fails_lines, lambda wanted, where: f"every line of {where} {'is' if wanted == 'one word' else 'begins with'} {wanted}"
    ),
    "first": Rule(_fails_start(0), lambda wanted, where: f"{where} begins with {wanted!r}"),
    "last": Rule(_fails_start(-1), lambda wanted, where: f"the last line of {where} begins with {wanted!r}"),
}
"""Every kind of check; one that only a newer version knows is passed over."""


def _words(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


_SHAPES: Mapping[str, Callable[[Json], bool]] = {
    "kind": _words,
    "keys": lambda value: isinstance(value, dict) and all(map(_words, value.values())),
    "code": lambda value: isinstance(value, list) and all(kind(one) == "number" for one in value),
    "value": lambda value: isinstance(value, str | bool),
    "most": lambda value: kind(value) == "number",
    **dict.fromkeys(("lines", "first", "last"), lambda value: isinstance(value, str)),
}


def sound(trait: Trait) -> bool:
    """Whether a check that somebody else made can be asked: its value is of the type that checks of its kind have."""
    return _SHAPES.get(trait.how, lambda value: True)(trait.value)
