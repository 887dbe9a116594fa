"""How much memory this process has held at most, asked of each system in its own way; it allocates and frees nothing."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

try:
    import resource
except ImportError:  # Windows has no such module
    resource = None  # type: ignore[assignment]


def peak_mib(status: Path | None = None, usage: Any = resource, system: str = sys.platform) -> float:
    """In MiB; on Linux without what its parent held before it started, and 0 where the system does not tell."""
    status = status or Path(f"/proc/{os.getpid()}/status")
    if status.is_file():
        lines = (line.split() for line in status.read_text(encoding="utf-8").splitlines())
        return round(next(int(words[1]) for words in lines if words[:1] == ["VmHWM:"]) / 1024, 1)
    if usage is None:
        return 0.0
    return round(usage.getrusage(usage.RUSAGE_SELF).ru_maxrss / (2**20 if system == "darwin" else 2**10), 1)
