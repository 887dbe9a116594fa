"""Judges the arguments of one program by its row in the table; it knows no program by its name and looks at no command as a whole. A
module of its own, because how options are spelled, joined, shortened and given values is one job, and what programs do another.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from .expansions import READS_ONLY
from .model import Class, Effect
from .programs import DELETING, ERASING, OUTPUTS, QUIET
from .table import EXTERNAL, READ, UNKNOWN, WRITE, Row, each

Words = tuple[str | None, ...]
"""Arguments as the program receives them; None for one that depends on a variable, another command or the files that are there."""
HOLE = "KATAHOLE"
SEVERAL = "…*"
"""Ends a word that may be several, none of them an option."""


def judged(row: Row, words: Words, what: str) -> Effect:
    """What a row says of a program with these arguments."""
    known = marked(f"{row.plain} {row.reads}{' -' if row.long else ''}")
    given = sorted_out(words, known)
    if given.loose and (row.asks or row.kind is READ and not row.plain.startswith("*")):
        return Effect(UNKNOWN, False, f"runs {what} with a value that may be an option")
    unlisted = [option for option in given.options if option.split("=", 1)[0] not in known]
    if holds(unlisted, row.asks):
        return Effect(UNKNOWN, row.destructive, f"runs {what} with options that may start other programs")
    odd = _odd(row, given, words)
    if odd:
        return Effect(UNKNOWN, row.destructive, f"runs {what} with {odd}")
    if row.kind in (EXTERNAL, UNKNOWN) and row.bare is None:
        if row.reads and (shown := _harmless(row, given, known, what)) is not None:
            return shown
        harms = row.destructive or given.loose and bool(row.destroys) or holds(_trimmed(unlisted, known), row.destroys)
        return Effect(row.kind, harms or row.kind is EXTERNAL and _deletes((*what.split()[1:], *words)), why(row.kind, what))
    destroys = holds(unlisted, row.destroys) or given.loose and bool(row.destroys)
    over = row.most is not None and len(given.operands) > row.most
    if destroys or over or holds(unlisted, row.writes):
        harms = destroys or over and row.destructive
        return Effect(WRITE, harms, why(WRITE, what, harms))
    return _harmless(row, given, known, what) or _otherwise(row, given, what)


def _odd(row: Row, given: Given, words: Words) -> str:
    """What among the words sets something or is not a file, for a program that takes such words; "" when nothing is."""
    if row.sets and any(word is None or "=" in word or HOLE in word or "…" in word for word in words):
        return "a word that may set something"
    if row.urls and any(word is None or _ELSEWHERE.match(word) for word in given.operands):
        return "an address or a program for a file"
    return ""


_ELSEWHERE = re.compile(r"[|@^…]|[\w+.-]*(?::|…|KATAHOLE)")
"""What some programs take for an address or a program instead of a file, or what could turn out to be one."""


def _trimmed(options: Sequence[str], known: Mapping[str, str]) -> list[str]:
    """The options without values joined to them: `-X` for `-XPOST`."""
    trimmed = []
    for option in options:
        ends = [at for at in range(1, len(option)) if known.get(f"-{option[at]}") == ":"]
        trimmed.append(option[: ends[0] + 1] if ends and not option.startswith("--") else option)
    return trimmed


def _deletes(words: Words) -> bool:
    """Whether a word tells a program with sub-commands, or a server, to delete."""
    plain = [re.sub(r"^(?:-X|--request=|--method=)", "", word).lower() for word in words if word is not None]
    return any(word in DELETING or word.partition("-")[0] in DELETING or ERASING.search(word) for word in plain)


def _harmless(row: Row, given: Given, known: Mapping[str, str], what: str) -> Effect | None:
    """What a row says where nothing is done that it lists as harmful: a read, unknown for a read that is not plain; else None."""
    names = [spelled(option, known) for option in given.options]
    starred = row.plain.startswith("*")
    plain = row.plain == "*" or all(names) and not given.doubtful or starred and given.doubtful
    if plain and not given.loose and _shows(row, given, known):
        return READS_ONLY
    if (row.bare if row.bare is not None and not given.operands else row.kind) is not READ:
        return None
    if not plain:
        return Effect(UNKNOWN, False, f"runs {what} with options that are not known to be harmless")
    if row.most is not None and any(word is None or SEVERAL in word for word in given.operands):
        return Effect(UNKNOWN, False, f"runs {what} with any number of files, and may write to one")
    return READS_ONLY


def _shows(row: Row, given: Given, known: Mapping[str, str]) -> bool:
    """Whether an option is there with which a program only shows; one that takes no value is taken back by `=false`."""
    certain = [option for option in given.options if "=" not in option or known.get(option.split("=", 1)[0])]
    return bool({name.rstrip(":?") for name in each(row.reads)} & {name for option in certain for name in spelled(option, known)})


def _otherwise(row: Row, given: Given, what: str) -> Effect:
    kind = row.bare if row.bare is not None and not given.operands else row.kind
    harms = row.destructive and not spared(given, row.spares, row.plain)
    return Effect(kind, harms, why(kind, what, harms))


def spared(given: Given, spares: str, plain: str) -> bool:
    """Whether one of the sparing options is there and nothing that could undo it: the last of `-n`, `-f` and `-i` wins."""
    names = [spelled(option, marked(plain)) for option in given.options]
    certain = all(names) and not given.loose and not given.doubtful
    return certain and bool(each(spares) & {name for listed in names for name in listed})


def why(kind: Class, what: str, destroys: bool = False) -> str:
    """Says in words what a program of this class does."""
    if kind is EXTERNAL:
        return f"{what} uses the network or another system"
    if kind is UNKNOWN:
        return f"runs {what}, which may do anything"
    return f"{what} deletes or overwrites" if destroys else f"{what} changes files or settings here"


class Given(NamedTuple):
    """Options and operands of an argument list."""

    options: list[str]
    operands: list[str | None]
    loose: bool
    """Whether an argument that is not fixed could be an option."""
    doubtful: bool
    """Whether one of the options may be no option, but the value of the one before it."""


def sorted_out(words: Words, known: Mapping[str, str] = MappingProxyType({})) -> Given:
    """The arguments, told apart by the options that are known to take a value."""
    options: list[str] = []
    operands: list[str | None] = []
    rest = iter(words)
    loose = doubtful = False
    pluses = any(name.startswith("+") for name in known)
    for at, word in enumerate(rest):
        if word == "--":
            tail = [*rest]
            operands.extend(tail)
            if at and _may_take(words[-len(tail) - 2], known):
                options.extend(word for word in tail if word is not None and re.match(r"-[^0-9]", word))
                doubtful = True
        elif word is None or word.startswith("-") and HOLE in word.split("=", 1)[0] or pluses and word.startswith((HOLE, "…")):
            loose = True
            operands.append(word)
        elif word.startswith("-") and word != "-" or word.startswith("+") and pluses:
            options.append(word)
            value = next(rest, "") if _awaits(word, known) else ""
            loose = loose or value is None
            operands.extend([value] if value is not None and SEVERAL in value else [])  # all but the first of them are operands
            if value is not None and re.match(r"-[^0-9]", value):
                options.append(value)
                doubtful = True
        else:
            operands.append(word)
    return Given(options, operands, loose, doubtful)


def _may_take(word: str | None, known: Mapping[str, str]) -> bool:
    """Whether the word may be an option that takes the next one, `--` too, for its value."""
    return word is not None and re.fullmatch(r"-[^=]+", word) is not None and not spelled(word, known)


@lru_cache(maxsize=512)
def marked(listed: str) -> Mapping[str, str]:
    """The options of a list, each with its mark: `:`, `?` or nothing."""
    return MappingProxyType({name.rstrip(":?"): name[-1] if name[-1] in ":?" else "" for name in listed.split()})


def spelled(option: str, known: Mapping[str, str]) -> tuple[str, ...]:
    """The known options in a word, letters that are joined one by one; nothing when any of them is not known in just that spelling."""
    head = option.split("=", 1)[0]
    if head in known or "-" in known:
        return (head,) if head in known else ()
    names: list[str] = []
    for letter in option[1:]:
        if letter in "0123456789":
            names.append("-0")
        elif f"-{letter}" not in known:
            return ()
        else:
            names.append(f"-{letter}")
            if known[names[-1]]:
                break
    return tuple(names)


def _awaits(option: str, known: Mapping[str, str]) -> bool:
    """Whether the next word is the value of this option."""
    if option in known or option.startswith("--"):
        return known.get(option) == ":"
    names = spelled(option, known)
    return bool(names) and len(names) == len(option) - 1 and known.get(names[-1]) == ":"


def holds(options: Sequence[str], listed: str) -> bool:
    """Whether one of the listed options is there, in any spelling: joined letters, `=value`, a GNU abbreviation."""
    names = listed.split()
    for option in options:
        head = option.split("=", 1)[0]
        if option.startswith("--"):
            if any(name.startswith(head) for name in names):
                return True
        elif any(head == name or name[1] != "-" and name[1:] in option[1:] for name in names):
            return True
    return False


def silenced(name: str, words: Words) -> Words:
    """The arguments without those that save nowhere: `curl -so /dev/null`, `wget -qO-`."""
    short, long = OUTPUTS.get(name, ("", ""))
    kept: list[str | None] = []
    for word in words if short else ():
        last = kept[-1] if kept else ""
        joined = re.fullmatch(rf"(-\w*?){short[1]}(?:-|/dev/null)|{long}=(?:-|/dev/null)", word or "")
        if word in ("-", *QUIET) and last and (last == long or re.fullmatch(rf"-\w*{short[1]}", last)):
            kept[-1] = last[:-1] if last != long and len(last) > 2 else ""
        else:
            kept.append(joined[1] if joined and joined[1] and len(joined[1]) > 1 else "" if joined else word)
    return tuple(word for word in kept if word != "") if short else words


def parted(word: str) -> tuple[str, str]:
    """An option and the value joined to it: `--max-args=5`, `-n5`."""
    name, _, value = word.partition("=") if word.startswith("--") else (word[:2], "", word[2:])
    return name, value
