"""Reads where and when something happens: the repository and branch of a folder, the home folder, the day; it only looks, follows no link
out of git's own files, and never raises. A module of its own, because what surroundings mean is said without looking at any."""

from __future__ import annotations

import datetime
import os

HIGHEST = 40
"""Folders above one another that are looked at."""
LONGEST = 4_096
"""Characters of a file of git that are read: a head has one line."""
SETTLED_S = 0.05
"""A head that was written so shortly before a call may have been written by it: clocks of files are coarse."""


def captured(folder: str, now: float, local: bool = True) -> dict[str, str]:
    """What is around a run that begins now (epoch seconds), by keys as `@branch`; what cannot be told is left out. Where the agent's
    commands run on another machine (not `local`) only the folder and the day are known."""
    return {f"@{name}": text for name, text in {"folder": folder, **recorded(folder, now, local, now)}.items() if text}


def recorded(folder: str, at: float, local: bool, until: float | None = None) -> dict[str, str]:
    """The same for a call that began at `at`, without the folder; the branch only where nobody changed it since, unless `until` says up to
    when it may have been changed."""
    days = _days(at)
    if not local:
        return days
    root = repository(folder)
    home = os.path.expanduser("~")
    found = {"home": home if os.path.isabs(home) else "", "root": root, "branch": _branch(root, at - SETTLED_S if until is None else until)}
    return days | {name: text for name, text in found.items() if text}


def _days(at: float) -> dict[str, str]:
    """Today and yesterday by local time; nothing for a time that no calendar has."""
    try:
        day = datetime.date.fromtimestamp(at)
        return {"today": day.isoformat(), "yesterday": (day - datetime.timedelta(days=1)).isoformat()}
    except (OverflowError, OSError, ValueError):
        return {}


def repository(folder: str) -> str:
    """The nearest folder at or above this one that git keeps; empty where there is none."""
    if not os.path.isabs(folder):
        return ""
    at = os.path.normpath(folder)
    for _ in range(HIGHEST):
        if os.path.lexists(os.path.join(at, ".git")):
            return at
        above = os.path.dirname(at)
        if above == at:
            break
        at = above
    return ""


def _branch(root: str, until: float) -> str:
    """The branch that is checked out, where the head was written by then; empty where it is detached or cannot be read."""
    if not root:
        return ""
    git = os.path.join(root, ".git")
    if os.path.isfile(git):  # a work tree beside its repository
        told = _line(git).removeprefix("gitdir:").strip()
        git = os.path.normpath(os.path.join(root, told)) if told else ""
    head = os.path.join(git, "HEAD")
    try:
        late = os.stat(head).st_mtime > until
    except (OSError, ValueError):
        return ""
    line = "" if late else _line(head)
    return line.removeprefix("ref: refs/heads/") if line.startswith("ref: refs/heads/") else ""


def _line(path: str) -> str:
    """The first line of a file; empty where it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(LONGEST).split("\n")[0].strip()
    except (OSError, ValueError):
        return ""
