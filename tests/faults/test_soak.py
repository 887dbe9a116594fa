"""Many days on one file, with `scripts/soak.py`, which prints the same at its full size: what is kept stays as large once retention has
set in. What the end of a turn takes is printed there and judged nowhere."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import soak


def test_what_is_kept_stays_as_large_once_old_turns_go(tmp_path: Path) -> None:
    """K98: turns to the number, the file and the calls within what chance draws."""
    found = list(soak.days(tmp_path, 12, 12, 2, seed=2))
    after = [one for one in found if one.day > 3]
    assert {one.turns for one in after} <= set(range(24, 38)) and found[0].turns == 12
    assert max(one.turns for one in after) - min(one.turns for one in after) <= 1
    flat = soak.flat(found, 2)
    assert 0.7 < flat["calls"] < 1.4 and flat["file"] < 1.3, flat


def test_a_growth_would_be_seen() -> None:
    """The control: the claim is no constant."""
    grown = [soak.Day(day, day, day, float(day), 50.0, 1.0, 1.0) for day in range(1, 31)]
    assert soak.flat(grown, 7)["file"] > 1.5 and soak.flat(grown, 7)["memory"] == 1.0
