"""The table of what programs do, as data (T38, A23, B20, B35): well-formed, nothing twice, at least 150 programs."""

import re
import shlex
from collections import Counter
from collections.abc import Iterator

from kata import installers, machine, makers, readers, revisions, services
from kata.effects import SPECIAL, effect
from kata.model import Class
from kata.programs import BEFORE, FIND, HELPS, OUTPUTS, PROGRAMS, RSYNC, SAME, SUBCOMMANDS, TOOLS, VERSIONS, WRAPPERS
from kata.table import Row, each

ROWS = [(f"{names}", row) for names, row in PROGRAMS] + [
    (f"{program} {names}", row) for program, table in SUBCOMMANDS.items() for names, row in table
]
OPTION = re.compile(r"[-+][\w.+?#@-]*[:?]?|--[\w-]+[:?]?")


def listed(row: Row) -> list[str]:
    return " ".join((row.plain, row.asks, row.destroys, row.writes, row.reads, row.spares)).split()


def test_nothing_stands_in_a_table_twice() -> None:
    tables = (PROGRAMS, *SUBCOMMANDS.values())
    counts = [Counter(name for names, _ in table for name in names.split()) for table in tables]
    assert [name for count in counts for name, times in count.items() if times > 1] == []


def test_no_program_has_its_sub_commands_in_two_tables() -> None:
    """Joined, one of them would be lost without a word."""
    parts = (revisions.SUBCOMMANDS, installers.SUBCOMMANDS, services.SUBCOMMANDS)
    assert sorted(SUBCOMMANDS) == sorted(name for part in parts for name in part)
    assert len(PROGRAMS) == sum(map(len, (readers.PROGRAMS, machine.PROGRAMS, makers.PROGRAMS)))


def test_no_program_is_judged_in_two_ways() -> None:
    """A program stands in one place: judged whole, by its sub-commands, under another's name, or looked at closer."""
    whole = {name for names, _ in PROGRAMS for name in names.split()}
    places = Counter([*whole, *SUBCOMMANDS, *SAME, *SPECIAL])
    assert [name for name, times in places.items() if times > 1] == []
    assert set(SAME.values()) <= set(SUBCOMMANDS) and set(BEFORE) <= set(SUBCOMMANDS) and set(HELPS) <= set(SUBCOMMANDS)
    assert set(WRAPPERS) <= set(SPECIAL) and set(OUTPUTS) <= whole


def test_names_are_sorted_to_be_found() -> None:
    tables = (PROGRAMS, *SUBCOMMANDS.values())
    assert [names for table in tables for names, _ in table if names.split() != sorted(names.split())] == []


def test_every_row_is_well_formed() -> None:
    """Options are options, none is harmless and harmful at once, and what only reads needs no word on what it destroys."""
    assert {name: told for name, row in ROWS if (told := malformed(row))} == {}


def malformed(row: Row) -> list[str]:
    """What is wrong with a row."""
    plain = [] if row.plain == "*" else row.plain.removeprefix("* ").split()
    names = [word.rstrip(":?") for word in plain]
    harmful = each(f"{row.asks} {row.destroys} {row.writes}")
    starred = row.plain.startswith("*")
    wrong = [f"{word} is no option" for word in (*plain, *f"{row.reads} {row.spares}".split(), *harmful) if not OPTION.fullmatch(word)]
    wrong += [f"{name} stands twice" for name, times in Counter([*names, *harmful]).items() if times > 1]
    wrong += [f"{word} is harmful too" for word in row.reads.split() if word.rstrip(":?") in (harmful | {*names})]
    wrong += ["spares what is not plain or nothing"] * (not each(row.spares) <= {*names} or bool(row.spares) and not row.destructive)
    wrong += ["* with something harmful"] * (starred and (bool(harmful) or row.urls or row.sets or row.kind is not Class.READ))
    return wrong + ["most of what does not read"] * (row.most is not None and row.kind is not Class.READ)


def test_at_least_150_programs_have_their_sub_commands_or_options_listed() -> None:
    """T38: every name that a command may start with, whose row says more than its class."""
    told = {name for names, row in PROGRAMS if listed(row) not in ([], ["*"]) for name in names.split()}
    assert len(told | {*SUBCOMMANDS} | {*SAME} | {*WRAPPERS}) >= 300
    assert len(told) >= 150 and len(SUBCOMMANDS) >= 60
    assert sum(len(names.split()) for table in SUBCOMMANDS.values() for names, _ in table) >= 600


def test_a_read_lists_the_options_that_it_may_have() -> None:
    """B20: an allow-list; only what has no options of its own takes any word."""
    blank = {name for names, row in ROWS if row.kind is Class.READ and row.plain == "*" for name in names.split()}
    shell_words = each(": break clear continue echo exit expr false pwd return shift sleep true yes ps")
    assert blank - shell_words - {"git"} <= {
        *each("describe ls-files ls-tree merge-base name-rev rev-parse show-ref status check-attr check-ignore check-mailmap"),
        *each("check-ref-format cherry count-objects var version"),
    }


def test_versions_are_asked_of_known_programs_alone() -> None:
    known = {name for names, _ in PROGRAMS for name in names.split()} | {*SUBCOMMANDS, *SAME, *SPECIAL}
    assert set(VERSIONS) <= known and all(word.startswith("-") for words in VERSIONS.values() for word in words)
    assert [word for word in f"{RSYNC} {FIND.plain} {FIND.destroys}".split() if not OPTION.fullmatch(word)] == []


def test_a_tool_that_acts_is_no_read() -> None:
    acting = re.compile(
        r"(?:^|_)(?:write|patch|send|publish|create|delete|add|click|type|exec|execute|manage|generate|command|navigate)(?:_|$)"
    )
    assert [name for name, kind in TOOLS.items() if kind is Class.READ and acting.search(name)] == []


def commands(program: str) -> Iterator[tuple[str, Row]]:
    """How a command of every name of a table begins, and its row."""
    for names, row in PROGRAMS if not program else SUBCOMMANDS[program]:
        yield from ((f"{program} {name.replace('|', ' ')}".strip(), row) for name in names.split() if name != "*")


def read(command: str) -> bool:
    return effect("terminal", {"command": command}).kind is Class.READ


BEGUN = [pair for program in ("", *SUBCOMMANDS) for pair in commands(program)]


def test_an_option_that_no_row_lists_makes_no_read() -> None:
    """B20: an allow-list; what a later version of a program brings is unknown until it is listed."""
    listing = [(start, row) for start, row in BEGUN if row.plain != "*"]
    assert [start for start, _ in listing if read(f"{start} --no-such-option-here")] == [] and len(listing) >= 1_000


def test_an_option_that_is_listed_as_harmful_makes_no_read_however_it_is_spelled() -> None:
    """B20: given, glued to a value, shortened as GNU does, joined behind a harmless letter, after an operand."""
    wrong = []
    for start, row in BEGUN:
        letters = [word for word in row.plain.split() if re.fullmatch(r"-[A-Za-z]", word)][:1] if not row.long else []
        for option in f"{row.asks} {row.destroys} {row.writes}".split():
            glued = f"{option}=x" if option.startswith("--") else f"{option}x"
            shortened = option[:-1] if option.startswith("--") and len(option) > 6 else option
            joined = [f"{letter}{option[1:]}" for letter in letters if len(option) == 2]
            wrong += [f"{start} {one}" for one in (option, glued, shortened, *joined, f"a {option}") if read(f"{start} {one} x")]
    assert wrong == []


VALUES = (
    "x",
    "a=b",
    "http://x",
    "|rm x",
    "@f",
    "x;",
    "+x",
    "host:/x",
    "delete",
    "set",
    "",
    "$(rm x)",
    "PATH",
    "w x",
    "s/a/b/e",
    ".shell x",
    "9",
)


def test_a_read_with_a_hole_is_a_read_with_any_value() -> None:
    """What is approved with a hole holds when a value is in it; a value with a leading hyphen is refused elsewhere."""
    wrong = []
    for start in (*(start for start, _ in BEGUN), *SPECIAL):
        filled = [f"{start} {shlex.quote(value)}" for value in VALUES] if read(f"{start} KATAHOLE_0") else []
        wrong += [command for command in filled if not read(command)]
    assert wrong == []
