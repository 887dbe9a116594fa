"""The law of rendering, asked of a real bash with made-up pairs of template and value; `scripts/fuzz.py` asks with 100,000."""

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType

import pytest

from kata.model import Command, Hole
from kata.quoting import placed

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
Renderer = Callable[[Command, Sequence[str]], str]
PAIRS = 10 * min(int(os.environ.get("KATA_EXAMPLES", "100")), 10_000)


@pytest.fixture(scope="module")
def fuzz() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("fuzz", Path(__file__).resolve().parent.parent / "scripts" / "fuzz.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["fuzz"] = module
    spec.loader.exec_module(module)
    return module


def test_each_value_arrives_as_one_argument_in_the_tree_of_the_template(fuzz: ModuleType) -> None:
    """T36, B06: and no more than three pairs in ten are refused, counted by reason."""
    report = fuzz.judge(PAIRS, seed=1)
    print(f"{report.share:.1%} of {report.pairs} refused: {report.refused}")
    assert (report.changed, report.lost, report.loose) == ((), (), ())
    assert 0 < report.share <= 0.3 and len(report.refused) >= 5, report.refused


def pasted(command: Command, values: Sequence[str]) -> str:
    """What a naive renderer makes of it."""
    waiting = iter(values)
    return "".join(next(waiting) if isinstance(part, Hole) else str(part) for part in command.parts)


def escaped(command: Command, values: Sequence[str]) -> str:
    """One that quotes well and knows no place: a word in single quotes wherever it stands."""
    return pasted(command, ["'" + value.replace("'", "'\\''") + "'" for value in values])


@pytest.mark.parametrize("broken", [pasted, escaped])
def test_a_renderer_that_only_pastes_or_only_quotes_breaks_the_law(fuzz: ModuleType, broken: Renderer) -> None:
    report = fuzz.judge(400, seed=2, place=lambda command, values: (broken if clean(values) else placed)(command, values))
    assert not report.holds and report.lost


def clean(values: Sequence[str]) -> bool:
    """Whether the values hold nothing that would end the shell's script itself."""
    return not any(set(value) & set("\0\n\r\t\x1b") or "<<" in value for value in values)
