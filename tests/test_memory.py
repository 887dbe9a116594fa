"""The peak of a process is told in MiB, whatever the system."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest


@pytest.fixture(scope="module")
def memory() -> ModuleType:
    spec = importlib.util.spec_from_file_location("kata_memory", Path(__file__).parents[1] / "scripts" / "memory.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_linux_tells_the_peak_in_kibibytes(memory: ModuleType, tmp_path: Path) -> None:
    status = tmp_path / "status"
    status.write_text("Name:\tpython\n\nVmPeak:\t  99999 kB\nVmHWM:\t   20480 kB\n", encoding="utf-8")
    assert memory.peak_mib(status, None) == 20.0


@pytest.mark.parametrize(("system", "told"), [("darwin", 30 * 2**20), ("freebsd14", 30 * 2**10)])
def test_elsewhere_it_is_asked_in_the_unit_of_the_system(memory: ModuleType, tmp_path: Path, system: str, told: int) -> None:
    usage = SimpleNamespace(RUSAGE_SELF=0, getrusage=lambda who: SimpleNamespace(ru_maxrss=told))
    assert memory.peak_mib(tmp_path / "none", usage, system) == 30.0


def test_where_the_system_does_not_tell_it_is_zero(memory: ModuleType, tmp_path: Path) -> None:
    """As on Windows, which has no module `resource`."""
    assert memory.peak_mib(tmp_path / "none", None) == 0.0


def test_no_script_needs_what_one_system_alone_has() -> None:
    """A module of one system is only imported where its absence is answered."""
    scripts = Path(__file__).parents[1] / "scripts"
    only = ("import resource", "import fcntl", "import pwd", "import grp", "import termios", "import pty")
    files = {path.name: path.read_text(encoding="utf-8") for folder in (scripts, scripts.parent) for path in folder.glob("*.py")}
    assert [name for name, text in files.items() if any(line.startswith(only) for line in text.splitlines())] == []
