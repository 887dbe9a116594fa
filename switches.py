"""Reads the dashed options of a command line, in a chat or a shell, by one table; what is none of them it answers with the one that was
meant. It knows no verb's meaning and does nothing. A module of its own, because the host's parser would answer with its usage instead."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .model import Usage

EVERYWHERE = {"--json": "", "--help": ""}
"""What every command takes."""
OPTIONS: Mapping[str, Mapping[str, str]] = {
    "approve": {"--as": "NAME", "--confirm": "NAME", "--digest": "REVISION"},
    "audit": {"--verify": ""},
    "cleanup": {"--yes": "", "--purge": "."},
    "export": {"--format": "json|skill|shell", "--to": "FOLDER", "--yes": ""},
    "import": {"--bind": "OLD=NEW"},
    "learn": {"--since": "DAYS", "--preview": ""},
    "mine": {"--all": ""},
    "purge": {"--yes": "", "--conversation": ".", "--tool": ".", "--path": ".", "--text": "."},
    "rename": {"--as": "NAME"},
    "run": {"--dry-run": "", "--on-change": "", "--cron": "WHEN"},
    "teach": {"--vary": "NAME=TEXT"},
    "resume": {"--with": "NAME=VALUE", "--it-happened": "", "--it-did-not-happen": ""},
}
"""verb → option → what it takes, empty for nothing; a dot where it only stands for the word in its place."""
WORDS = ("--as", "--confirm", "--since", "--preview", "--verify", "--all", "--yes")
"""Options that may be typed as words too (`approve 1 as NAME confirm NAME`), in the order of the words."""
MOST = 60
"""Characters of an option that are repeated."""


@dataclass(frozen=True, slots=True)
class Line:
    """A command line: the words without options, and the values of each option that was given, in their order (empty ones for a switch)."""

    words: tuple[str, ...]
    given: Mapping[str, tuple[str, ...]]

    @property
    def json(self) -> bool:
        return "--json" in self.given

    @property
    def help(self) -> bool:
        return "--help" in self.given

    @property
    def spoken(self) -> tuple[str, ...]:
        """The words, with what may be typed as words too at their end."""
        said = [(option.removeprefix("--"), *filter(None, self.given[option][-1:])) for option in WORDS if option in self.given]
        return (*self.words, *(word for one in said for word in one))

    def value(self, option: str) -> str:
        """The value of an option, the last where it was given twice; empty where it was not given."""
        return next(reversed(self.given.get(option, ())), "")


def read(words: Sequence[str]) -> Line:
    """The line of those words; after `--` everything is a word. Usage for an option that the command does not take, for one without its
    value, and for a switch with one."""
    waiting, plain, given = list(words), list[str](), dict[str, tuple[str, ...]]()
    verb, known = _verb(words), _known(words)
    while waiting:
        word = waiting.pop(0)
        if word == "--":
            plain += waiting
            break
        name, equals, value = word.partition("=")
        option = {"-h": "--help"}.get(name, name.lower())
        if not _dashed(word) or known.get(option) == ".":
            plain.append(word.removeprefix("--") if _dashed(word) else word)
        elif option not in known:
            raise Usage(_unknown(name, verb, known))
        else:
            given[option] = (*given.get(option, ()), _value(option, known[option], equals, value, waiting))
    return Line(tuple(plain), given)


def _dashed(word: str) -> bool:
    return word == "-h" or word.startswith("--") and len(word) > 2


def _verb(words: Sequence[str]) -> str:
    return next((word.lower() for word in words if not _dashed(word)), "list")


def _known(words: Sequence[str]) -> Mapping[str, str]:
    """The options that the command of those words takes."""
    return {**OPTIONS.get(_verb(words), {}), **EVERYWHERE}


def _value(option: str, wanted: str, equals: str, value: str, waiting: list[str]) -> str:
    """The value of an option: after its `=`, or the next word, which is taken from those that wait."""
    if not wanted:
        if equals:
            raise Usage(f"{option} takes no value, got {value[:MOST]!r}")
        return ""
    if equals and value:
        return value
    if equals or not waiting or _dashed(waiting[0]):
        raise Usage(f"{option} needs a value: {option} {wanted}")
    return waiting.pop(0)


def _unknown(name: str, verb: str, known: Mapping[str, str]) -> str:
    near = difflib.get_close_matches(name.lower()[:MOST], known, 1, 0.6)
    meant = f" Did you mean {near[0]}?" if near else ""
    return f"'{verb[:MOST]}' has no option {name[:MOST]!r}.{meant} It takes {shown(known)}; a word that begins with -- stands after --"


def shown(known: Mapping[str, str]) -> str:
    """Options with what each takes."""
    return ", ".join(f"{option} {value}".rstrip() for option, value in known.items() if value != ".")
