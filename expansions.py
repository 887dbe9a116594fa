"""Judges what bash itself does around the programs of a command: variables that it sets, expressions that it evaluates, tests; it judges no
program and evaluates nothing. A module of its own, because effects knows programs, and this is the language around them.

Bash runs commands out of the values of variables where it evaluates arithmetic (`a[$(x)]`), `${!x}` or `${x@P}`. An expression is
therefore harmless only when all of its names hold numbers for certain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from . import shell
from .model import Effect
from .programs import STILL, TELLING
from .table import READ, UNKNOWN, each

READS_ONLY = Effect(READ, False, "only reads")
SETTING = each("read local declare typeset export readonly mapfile readarray getopts printf let unset wait")
"""Builtins that may set the variables which they name."""
_COUNTS = each("RANDOM SECONDS LINENO UID EUID PPID BASHPID EPOCHSECONDS")
"""Variables that bash fills with numbers."""
COUNTED = each("SECONDS RANDOM SRANDOM LINENO")
"""Those that a script may set; bash evaluates what they are given as an expression, so that only a number is harmless."""
_NUMBER = re.compile(r"-?[0-9]+")
_COUNTED = re.compile(r"\$[#?$!]|\$\{#[A-Za-z_0-9]+(?:\[[@*]\])?\}")
"""Expansions that are numbers whatever happened before."""
_RANGE = re.compile(r"\{-?[0-9]+(?:(?:,-?[0-9]+)+|\.\.-?[0-9]+(?:\.\.-?[0-9]+)?)\}")
_OWN = r"(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[?$!#@*-])(?:\[(?:[@*]|[0-9]+)\])?"
_PLAIN = re.compile(
    r"\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9?$!#@*-])"
    rf"|\$\{{(?:#?{_OWN}|!(?:[A-Za-z_][A-Za-z0-9_]*(?:[@*]|\[[@*]\])))\}}"
    rf"|\$\{{{_OWN}(?:@[QEUuLKAak]\}}|:(?: -)?[0-9]+(?::(?: -)?[0-9]+)?\}}|(?::?[-+?]|[#%/^,]).*)",
    re.DOTALL,
)
"""Expansions that evaluate nothing and set nothing."""
_SETTING = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*):?=.*", re.DOTALL)
_BASED = re.compile(r"\b(?:0[xX][0-9a-fA-F]+|[0-9]+#[0-9A-Za-z@_]+)")
_IN_ARITHMETIC = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SET_IN_ARITHMETIC = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)[ \t\n]*=(?!=)")
_COMPARES_NUMBERS = each("-eq -ne -lt -le -gt -ge")


def own(script: shell.Script) -> Iterator[Effect]:
    """The effects of bash itself, one for each thing that is not plain."""
    counters = numbers(script)
    for node in script.nodes():
        for piece in shell.pieces_of(node):
            if piece.kind == "variable":
                yield _expanded(piece.value)
            elif piece.kind == "arithmetic":
                yield _evaluated(piece, counters)
        if isinstance(node, shell.Simple):
            continue
        if node.kind in ("for", "select", "coproc") and node.name:
            yield _sets(node.name)
        elif node.kind == "[[":
            yield _tested(node, counters)


def mere(name: str) -> bool:
    """Whether nothing but the script itself looks at a variable of this name."""
    return _IN_ARITHMETIC.fullmatch(name) is not None and not TELLING.fullmatch(name) and "KATAHOLE" not in name


def _sets(name: str) -> Effect:
    return READS_ONLY if name in STILL or mere(name) else Effect(UNKNOWN, False, f"sets {name}")


def _expanded(source: str) -> Effect:
    """`$x` and `${x…}`."""
    if found := _SETTING.fullmatch(source):
        return _sets(found[1])
    return READS_ONLY if _PLAIN.fullmatch(source) else Effect(UNKNOWN, False, "expands a variable in a way that may run commands")


def _evaluated(piece: shell.Piece, counters: frozenset[str]) -> Effect:
    """An arithmetic expression, harmless where no value in it can be anything but a number."""
    text = _BASED.sub("0", piece.value)
    plain = all(_numeric(part, counters) for part in piece.parts)
    names = {*_IN_ARITHMETIC.findall(_without(piece.parts, text))}
    if plain and "[" not in text and names <= counters:
        return READS_ONLY
    return Effect(UNKNOWN, False, "evaluates an expression whose values are not known to be numbers")


def _without(parts: tuple[shell.Piece, ...], text: str) -> str:
    for part in parts:
        text = text.replace(part.value, " ", 1)
    return text


def _tested(node: shell.Compound, counters: frozenset[str]) -> Effect:
    """`[[ … ]]`, which evaluates what it compares as numbers, and the subscript of a name after -v."""
    values = [word.value for word in node.words]
    compared = [word for at, word in enumerate(node.words) if {*values[max(at - 1, 0) : at + 2]} & _COMPARES_NUMBERS]
    loose = [word for word in compared if word.value not in _COMPARES_NUMBERS and not _number(word, counters)]
    if loose or {"-v", "-R"} & {*values}:
        return Effect(UNKNOWN, False, "compares values that are not known to be numbers")
    return READS_ONLY


def numbers(script: shell.Script) -> frozenset[str]:
    """The variables that hold nothing but numbers, whichever of the commands ran."""
    given: dict[str, list[bool]] = {}
    for node in script.nodes():
        for name, certain in _given(node):
            given.setdefault(name, []).append(certain)
    return _COUNTS | {name for name, each_time in given.items() if all(each_time) and mere(name)}


def _given(node: shell.Node) -> Iterator[tuple[str, bool]]:
    """The names that a command sets, and whether to a number."""
    for piece in shell.pieces_of(node):
        if piece.kind == "arithmetic":
            yield from ((name, True) for name in _SET_IN_ARITHMETIC.findall(piece.value))
        elif piece.kind == "variable" and (found := _SETTING.fullmatch(piece.value)):
            yield found[1], False
    if isinstance(node, shell.Compound):
        if node.name:
            yield node.name, node.kind == "for" and bool(node.words) and all(_number(word, _COUNTS) for word in node.words)
        return
    for name, word in node.assignments:
        yield name.rstrip("+"), not name.endswith("+") and _number(word, _COUNTS)
    words = ["".join(piece.value for piece in word.pieces) for word in node.words]
    if SETTING & {*words}:
        yield from ((name, False) for word in words for name in _IN_ARITHMETIC.findall(word.partition("=")[0]))


def _number(word: shell.Word, counters: frozenset[str]) -> bool:
    """Whether a word is a number, or several."""
    if word.value is not None:
        return _NUMBER.fullmatch(word.value) is not None
    return all(_numeric(piece, counters) or _RANGE.fullmatch(piece.value) for piece in word.pieces)


def _numeric(piece: shell.Piece, counters: frozenset[str]) -> bool:
    known = piece.kind == "variable" and piece.value.strip("${}") in counters
    return known or piece.kind == "arithmetic" or _COUNTED.fullmatch(piece.value) is not None
