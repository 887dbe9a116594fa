"""A person's command line: its arguments as they come, a line that tells what still waits, and the answer printed; it decides nothing.

A module of its own, because this is the only place that writes on a screen, and none of it knows the host."""

from __future__ import annotations

import os
import sys
import threading
import time
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from . import layout, manual, pages
from .model import (
    StoreError,
)
from .store import Store

PATIENT_S = 2.0
"""How long a person at a terminal waits without a word."""


def arguments(parser: ArgumentParser) -> None:
    """The command line of `hermes kata`: every word comes to us as it is, `--help` and what we do not know among them, so that a mistake
    gets our sentence and not the usage of the host."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.description = layout.laid(manual.page("hermes kata"))
    parser.prefix_chars = "\0"
    parser.add_argument("words", nargs="*", metavar="WORD", help="a command and its words, such as: review 2")


@contextmanager
def meanwhile(store: Store, doing: Callable[[], str]) -> Iterator[None]:
    """Tell a person at a terminal what still waits while a command takes its time."""
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    teller = threading.Thread(target=progress, args=(store, done, sys.stderr, doing), daemon=True)
    teller.start()
    try:
        yield
    finally:
        done.set()
        teller.join()


def progress(store: Store, done: threading.Event, screen: TextIO, told: Callable[[], str] = str) -> None:
    """Write one line on `screen`, again every two seconds until `done`: how long it takes, and what is `told` or how many turns wait; then
    wipe it off."""
    line, began = "", time.monotonic()
    while not done.wait(PATIENT_S):
        with suppress(StoreError):
            waiting = len(store.dirty())
            doing = told() or (f"{pages.many(waiting, 'turn')} to look at" if waiting else "comparing what repeats")
            line = f"{time.monotonic() - began:.0f} s: {doing}"
            screen.write(f"\r{line:<{layout.WIDTH}}"[: layout.WIDTH])
            screen.flush()
    if line:
        screen.write("\r" + " " * (layout.WIDTH - 1) + "\r")
        screen.flush()


def say(text: str) -> None:
    """Print; a reader that went away (`| head -1`) is no error (B53). Half characters are shown as ? (B46), and so is what the
    screen's encoding lacks, which is cp1252 in a pipe on Windows."""
    encoding = sys.stdout.encoding or "utf-8"
    try:
        print(text.encode(encoding, "replace").decode(encoding), flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
