"""Tells whether the process that left its name on something still runs; it never signals, waits for or changes one.

A module of its own, because each system has its own way of asking, and the usual question of one (`os.kill(pid, 0)`) ends the process on
another."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from ctypes import byref, c_ulonglong
from typing import Any

Began = Callable[[int], str | None]
"""When a process began, in whatever unit its system counts; empty where the system does not tell, None when there is no such process."""
_QUERY = 0x1000
"""PROCESS_QUERY_LIMITED_INFORMATION, the least right that tells times (Windows, process security and access rights)."""
_DENIED = 5
"""ERROR_ACCESS_DENIED: the process is there and is somebody else's."""


def owner() -> str:
    """This process as `pid:began`, so that a number used again is another owner; `began` is empty where the system does not tell."""
    pid = os.getpid()
    return f"{pid}:{_system()(pid) or ''}"


def alive(name: str, began: Began | None = None) -> bool:
    """Whether the process that calls itself so still runs; a name that is none of ours is not alive."""
    pid, _, before = name.partition(":")
    if not (pid.isascii() and pid.isdigit() and 0 < int(pid) < 2**31):
        return False
    return (began or _system())(int(pid)) == before


def _system() -> Began:
    return windows() if sys.platform == "win32" else posix


def posix(pid: int) -> str | None:
    """By signal 0, which only asks, and proc(5), field 22: clock ticks since boot; empty where there is no /proc."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return None
    except PermissionError:
        pass
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""


def windows(kernel: Any = None, error: Callable[[], int] = lambda: 0) -> Began:
    """By `GetProcessTimes`: hundreds of nanoseconds since 1601. A process that has ended and is still held by somebody has an end."""
    if kernel is None:
        kernel, error = _kernel()

    def began(pid: int) -> str | None:
        handle = kernel.OpenProcess(_QUERY, False, pid)
        if not handle:
            return "" if error() == _DENIED else None
        times = [c_ulonglong() for _ in range(4)]
        try:
            told = kernel.GetProcessTimes(handle, *map(byref, times))
        finally:
            kernel.CloseHandle(handle)
        return None if told and times[1].value else str(times[0].value) if told else ""

    return began


def _kernel() -> tuple[Any, Callable[[], int]]:
    """The calls of Windows with the widths of their arguments: a handle is as wide as an address."""
    import ctypes

    kernel: Any = vars(ctypes)["WinDLL"]("kernel32", use_last_error=True)
    kernel.OpenProcess.restype = ctypes.c_void_p
    kernel.GetProcessTimes.argtypes = [ctypes.c_void_p] * 5
    kernel.CloseHandle.argtypes = [ctypes.c_void_p]
    return kernel, vars(ctypes)["get_last_error"]
