"""Whether a process still runs is told by its number and by when it began, on each system in its own way, and nothing is done to it."""

import os
import subprocess
import sys
from dataclasses import dataclass, field
from typing import Any

import pytest

from kata.living import alive, owner, posix, windows


@pytest.fixture
def child() -> Any:
    words = [sys.executable, "-c", "import sys; print('up', flush=True); sys.stdin.read()"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "up\n"
        yield process
        process.kill()


def test_this_process_is_alive_under_its_own_name() -> None:
    assert owner().startswith(f"{os.getpid()}:") and alive(owner())


def test_a_process_is_alive_until_it_ends_and_being_asked_does_not_end_it(child: Any) -> None:
    name = f"{child.pid}:{posix(child.pid)}"
    assert [alive(name), alive(name), child.poll()] == [True, True, None]
    child.stdin.close()
    child.wait(30)
    assert not alive(name)


def test_a_number_that_another_process_has_now_is_another_owner() -> None:
    assert not alive(f"{os.getpid()}:1")


@pytest.mark.parametrize("name", ["", ":", "x:1", "-1:", "0:", "1.5:", "٣:", "99999999999999999999:", "4194305:7"])
def test_a_name_that_nobody_has_is_not_alive(name: str) -> None:
    assert not alive(name)


def test_where_the_system_does_not_tell_when_a_process_began_its_number_decides() -> None:
    """macOS: no /proc."""
    there = {7: ""}
    assert alive("7:", there.get) and not alive("8:", there.get)


@dataclass
class Kernel:
    """Stands for kernel32.dll: processes by number with (began, ended); what is opened must be closed."""

    processes: dict[int, tuple[int, int]]
    others: frozenset[int] = frozenset()
    opened: list[int] = field(default_factory=list)
    error: int = 0

    def OpenProcess(self, rights: int, inherit: bool, pid: int) -> int:  # noqa: N802  # the name it has there
        assert rights == 0x1000 and inherit is False, "no right to end it is asked for"
        self.error = 5 if pid in self.others else 87
        if pid in self.processes:
            self.opened.append(pid)
        return 1_000 + pid if pid in self.processes else 0

    def GetProcessTimes(self, handle: int, *times: Any) -> int:  # noqa: N802  # likewise
        for place, value in zip(times, (*self.processes[handle - 1_000], 0, 0), strict=True):
            place._obj.value = value
        return 1

    def CloseHandle(self, handle: int) -> int:  # noqa: N802  # likewise
        self.opened.remove(handle - 1_000)
        return 1


def test_on_windows_it_is_asked_by_a_handle_that_cannot_end_the_process() -> None:
    """There `os.kill(pid, 0)` ends the process it asks about."""
    kernel = Kernel({7: (133_000_000_000, 0), 8: (133_000_000_001, 133_000_000_900)}, frozenset({9}))
    began = windows(kernel, lambda: kernel.error)
    told = [alive(name, began) for name in ("7:133000000000", "7:132999999999", "8:133000000001", "9:", "10:", "10:5")]
    assert told == [True, False, False, True, False, False] and kernel.opened == []
