"""What the status says of the recording, the file, the settings and the host."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from said import ask, fits, wide
from strategies import Bench, bench

from kata.commands import run, split
from kata.model import NewerStore
from kata.service import Service
from kata.settings import Settings
from kata.store import Store


@pytest.fixture
def desk() -> Iterator[Bench]:
    with closing(bench()) as one:
        yield one


def test_status_says_whether_it_records_and_what_it_keeps(desk: Bench) -> None:
    """B41."""
    empty = ask(desk, "status")
    assert "none yet: nothing has arrived from Hermes" in empty.text and fits(empty)
    desk.approved()
    answer = ask(desk, "status")
    text = answer.text
    assert "\nRecording    on\n" in text and "15 calls, 3 turns, 3 conversations" in text and "1 active" in text
    assert "min_support 3" in text and "retention_days 30" in text and fits(answer) and answer.code == 0


def test_status_says_that_recording_is_paused(desk: Bench) -> None:
    """K99."""
    paused = Service(desk.store, Settings(record=False), desk.service.door)
    assert "\nRecording    off: the setting 'record' is false\n" in run(paused, ["status"], "cli").text


def test_status_counts_what_could_not_be_kept_and_repeats_what_the_host_says(desk: Bench) -> None:
    desk.store.count("repeated_call", 3)
    answer = run(desk.service, ["status"], "cli", "", {"Host": "Hermes 0.22.2 " + "and more " * 20})
    assert "Not kept     3 calls that were delivered twice" in answer.text
    assert "Host         Hermes 0.22.2" in answer.text and wide(answer) == []


def test_a_file_of_a_newer_plugin_is_one_clear_sentence() -> None:
    """Bad input; B45."""

    def refuse() -> sqlite3.Connection:
        raise NewerStore("The Kata file has version 9, this plugin knows versions up to 1: update the Kata plugin")

    with closing(bench()) as desk:
        newer = Service(Store(refuse), Settings(), desk.service.door)
        for verb in ("list", "review 1", "approve 1 as x", "reject 1", "runs", "show 1", "near", "mine", "mine all", "status"):
            answer = run(newer, split(verb), "cli")
            assert answer.code == 1 and "update the Kata plugin" in re.sub(r"\s+", " ", answer.text) and wide(answer) == []
        assert run(newer, ["help"], "cli").code == 0


def test_status_shows_every_setting_and_which_are_yours() -> None:
    """B51."""
    with closing(bench(settings=Settings(min_support=4, learn_from=("cron",)))) as desk:
        text = " ".join(ask(desk, "status").text.split())
        assert "min_support 4 (from config.yaml)" in text and "learn_from cron (from config.yaml)" in text
        assert "max_steps 8," in text and text.count("(from config.yaml)") == 2
