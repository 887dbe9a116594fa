"""The tests of the masker are tested: for every pattern that is broken, a generated secret must get through, or what is none must change.
The quick run breaks every twelfth of them, `scripts/test.py --full` all."""

import os
import re
from typing import Any

import mutants
import published
import pytest
from test_redact import BESIDE_A_NAME, LOOK_ALIKES

from kata import redact

STEP = 1 if int(os.environ.get("KATA_EXAMPLES", "100")) >= 10_000 else 12
SECRET = "k7Qp2ZrX9wLm4Tn8Ve"
SEEDS = range(2)
KNOWN = tuple(mutants.mutants())


def bare(text: str) -> str:
    """The text with K for each placeholder."""
    return re.sub(r"KATASECRET_[a-z0-9]+_\d+", "K", text)


def faults(module: Any) -> str:
    """The first case that a masker does not pass; empty when it passes all."""
    masked = lambda text: module.Masker().text(text)  # noqa: E731
    for kind, form in published.forms():
        for seed in SEEDS:
            secret = published.secret(form, seed)
            found = masked(f"use {secret} now")
            if f"KATASECRET_{kind}_1" not in found or secret[-7:] in found:
                return f"{kind}: {form}"
    for frame in (*BESIDE_A_NAME, *published.COMMANDS, *published.PLACES):
        if bare(masked(frame.format(*[SECRET] * 3))) != frame.format(*["K"] * 3):
            return frame
    for text in (*LOOK_ALIKES, *published.ALIKE):
        if masked(text) != text:
            return text
    for text, wanted in published.EXACT:
        if bare(once := masked(text)) != wanted or masked(once) != once:
            return text
    return ""


def test_the_masker_passes_every_case() -> None:
    """T7: each form as its maker publishes it, each place, each look-alike."""
    assert faults(redact) == ""


def test_every_line_of_the_tables_has_a_case_of_its_own() -> None:
    """A line more for a vendor is a line more in `published.py`."""
    assert len(KNOWN) >= 260 and len({one.name for one in KNOWN}) == len(KNOWN)
    assert len(published.forms()) >= 180 and len(published.COMMANDS) >= 20


@pytest.mark.parametrize("mutant", KNOWN[::STEP], ids=lambda one: one.name)
def test_a_broken_pattern_is_seen(mutant: mutants.Mutant) -> None:
    """T7: none of the patterns is there untested."""
    try:
        found = faults(mutant.make())
    except (IndexError, TypeError, AttributeError) as error:  # a broken expression has no groups
        found = repr(error)
    assert found, f"without {mutant.name} every case passes"
