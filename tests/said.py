"""What is said to a bench in words, and how its answers are looked at; shared by the tests of all modules that carry commands out."""

from strategies import Bench, five, sh

from kata.asking import Answer
from kata.commands import run, split
from kata.model import (
    Outcome,
)


def ask(desk: Bench, line: str, surface: str = "cli", digest: str = "") -> Answer:
    return run(desk.service, split(line), surface, digest)


def fits(answer: Answer) -> bool:
    """Whether no line is longer than 80 columns, and every character can be printed."""
    lines = answer.text.split("\n")
    return bool(answer.text) and all(len(line) <= 80 and line.isprintable() and line == line.rstrip() for line in lines)


def wide(answer: Answer) -> list[str]:
    """The lines of more than 80 columns."""
    return [line for line in answer.text.split("\n") if len(line) > 80]


def live(answer: Answer) -> list[str]:
    """The lines with what a terminal would act on."""
    return [line for line in answer.text.split("\n") if not line.isprintable()]


def finished(desk: Bench, *results: object, run_id: str = "run-1", branch: str = "topic-9") -> None:
    """One run of kata 1 with these answers."""
    kata = desk.service.find("1")
    waiting = list(results)
    desk.service.start(kata, {"branch": branch}, run_id, "s1", lambda one: Outcome.read(waiting.pop(0)))


GOOD = [one.result for one in five("topic-9", "src/new.py")]
EVIL = "\x1b[2J\x1b]0;pwned\x07\x9b31m\u202eevil\ud835\u200b\r\b\x7f"
"""What would clear the screen, name the window, turn the line around or end the printing."""
PARTS = ("Steps", "Data flow", "Permissions", "Schemas", "Side effects", "Validation")
"""The six parts of K18."""
OTHER = sh("git pull --rebase origin"), sh("make build-release"), sh("npm run lint-all")
"""The steps of a second routine, which has nothing of the bench's usual one."""
