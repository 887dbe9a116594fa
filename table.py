"""The form of a line in the tables of programs: what a program does, and the options that make it another thing; no program is named here.

A module of its own, because the tables are in several modules, one a kind of program, and all are read in the same way."""

from __future__ import annotations

from typing import NamedTuple

from .model import Class

READ, WRITE, EXTERNAL, UNKNOWN = Class.READ, Class.WRITE, Class.EXTERNAL, Class.UNKNOWN


def each(text: str) -> frozenset[str]:
    return frozenset(text.split())


class Row(NamedTuple):
    """How a program or a sub-command is judged: its class, and the options that make it another one.

    A read, and what only shows, must have no option but those of `plain` and `reads`; there `:` stands after an option that takes a
    value, `?` after one that takes a value only in the same word. `*` before the others means that its manual has no option that writes,
    runs or reaches anything, so that a word that is not fixed may turn out to be one; alone, that its words are no options."""

    kind: Class
    plain: str = ""
    """Harmless options."""
    asks: str = ""
    """Options that run other programs or reach other systems."""
    destroys: str = ""
    writes: str = ""
    reads: str = ""
    """Options with which it only shows or checks."""
    most: int | None = None
    """Operands that it reads; it writes to the next."""
    bare: Class | None = None
    """Its class without operands."""
    destructive: bool = False
    """Whether it overwrites or deletes; of one that reads, what it does to the operand it writes to."""
    spares: str = ""
    """Options with which it destroys nothing, as long as every other option is plain: any other could take them back or for its value."""
    urls: bool = False
    """Whether it takes addresses and programs for files: `http://…`, `|command`."""
    long: bool = False
    """Whether its options are whole words behind one hyphen: letters are never joined."""
    sets: bool = False
    """Whether a word with `=` in it sets something."""


Table = tuple[tuple[str, Row], ...]
