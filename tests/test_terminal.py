"""What a person at a terminal sees beside the answer: the help of the shell, and what still waits."""

import argparse
import io
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest
from strategies import Bench, bench, routine

from kata import layout, manual, terminal
from kata.manual import VERBS


@pytest.fixture
def desk() -> Iterator[Bench]:
    with closing(bench()) as one:
        yield one


class Bell(threading.Event):
    """Rings after it was waited for so often."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times

    def wait(self, timeout: float | None = None) -> bool:
        self.times -= 1
        return self.times < 0


def test_a_person_at_a_terminal_is_told_what_still_waits(desk: Bench) -> None:
    desk.turn("c1", *routine(1))
    screen = io.StringIO()
    terminal.progress(desk.store, Bell(2), screen)
    told = screen.getvalue().split("\r")
    assert [line.rstrip() for line in told] == ["", "0 s: 1 turn to look at", "0 s: 1 turn to look at", "", ""]


def test_what_is_done_at_once_is_not_told_about(desk: Bench) -> None:
    screen = io.StringIO()
    terminal.progress(desk.store, Bell(0), screen)
    assert screen.getvalue() == ""


def test_the_help_of_the_shell_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    """`hermes kata --help`, at 80 columns."""
    parser = argparse.ArgumentParser("hermes kata")
    terminal.arguments(parser)
    lines = parser.format_help().split("\n")
    assert all(any(line.startswith(f"  hermes kata {verb.usage} ") for line in lines) for verb in VERBS.values())
    assert [line for line in layout.laid(manual.page("hermes kata")).split("\n") if line not in lines] == []
    assert parser.parse_args(["mine", "--all", "--json", "--help", "--what"]).words == ["mine", "--all", "--json", "--help", "--what"]
