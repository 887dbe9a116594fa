"""Commands as agents type them and commands that hide what they do, labelled by hand (T38, A23, B09, B20, B21, B34, B35)."""

import shlex
from collections.abc import Iterator

import pytest
from hostile import ACTS
from typed import OTHERS, READS

from kata.effects import effect
from kata.model import Effect


def judged(command: str) -> Effect:
    return effect("terminal", {"command": command})


def rows(table: str, columns: int) -> list[list[str]]:
    """The rows of a table, the last columns split off; a command may hold the bar itself."""
    lines = [line.replace("\\\\", "\\") for line in table.strip().splitlines()]
    return [[cell.strip() for cell in line.rsplit(" | ", columns)] for line in lines]


def hidden() -> Iterator[str]:
    """The commands that hide what they do, written with signs for the characters that a table cannot show."""
    for line in ACTS.strip().splitlines():
        if not line.startswith("# "):
            text = line.replace("\\\\", "\0").replace("\\n", "\n").replace("\\r", "\r").replace("\\x0b", "\x0b")
            yield text.replace("\\u00a0", "\u00a0").replace("\\u200b", "\u200b").replace("\\u2028", "\u2028").replace("\0", "\\")


def test_what_only_reads_is_called_a_read() -> None:
    """B21: an approval that nobody needs makes people stop reading them."""
    asked = {command: judged(command).why for command, _reason in rows(READS, 1) if judged(command).kind.value != "read"}
    assert asked == {} and len(rows(READS, 1)) >= 150


def test_what_acts_has_its_class_and_its_mark() -> None:
    """A23: `!` stands for destructive, which is asked about on every run."""
    wrong = []
    for command, wanted, _reason in rows(OTHERS, 2):
        found = judged(command)
        kinds, mark = wanted.rstrip(" !").split(","), wanted.endswith("!")
        if found.kind.value not in kinds or found.destructive is not mark and "unknown" not in kinds:
            wrong.append((command, wanted, found.kind.value, found.destructive))
    assert wrong == [] and len(rows(OTHERS, 2)) >= 150


@pytest.mark.parametrize("around", ["{}", "ls; {}", "bash -c {!q}", "sudo sh -c {!q}", "cd x && {}"])
def test_nothing_that_acts_is_called_a_read(around: str) -> None:
    """B09, B20, B35: a wrong read is an effect without a question."""
    quoted = around.replace("{!q}", "{}")
    commands = [quoted.format(shlex.quote(command) if "!q" in around else command) for command in hidden()]
    assert [command for command in commands if judged(command).kind.value == "read"] == [] and len(commands) >= 1_300
