"""Reads a file of recorded calls line by line and says where it is none; it judges nothing and never changes it.

A module of its own, because the form of the file is its README's business, and what is made of it is evaluate.py's."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from labelled import FileError

from kata.model import Json, canonical


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the file: a call with what came of it."""

    corpus: str
    conversation: str
    turn: int
    tool: str
    arguments: Mapping[str, Json]
    result: Json
    failed: bool
    at: float


WANTED: Mapping[str, tuple[type, ...]] = {
    "conversation_id": (str,),
    "turn_index": (int,),
    "tool_name": (str,),
    "args": (dict,),
    "result": (object,),
    "status": (str,),
    "ts": (int, float),
}


def read_rows(path: Path) -> tuple[Row, ...]:
    """The calls of a file in its order; FileError names the line that is not understood."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"{path} cannot be read: {error}") from error
    rows = tuple(_row(line, f"{path}:{number}", path.stem) for number, line in enumerate(lines, 1) if line.strip())
    if not rows:
        raise FileError(f"{path} holds no call; expected one JSON object a line")
    return rows


def _row(line: str, where: str, stem: str) -> Row:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise FileError(f"{where}: expected one JSON object, got {line[:40]!r} ({error})") from error
    if not isinstance(found, dict):
        raise FileError(f"{where}: expected a JSON object, got {type(found).__name__}")
    for key, kinds in WANTED.items():
        if key not in found or not isinstance(found[key], kinds) or isinstance(found[key], bool) and object not in kinds:
            raise FileError(f"{where}: expected {key!r} to be {kinds[0].__name__}, got {canonical(found.get(key))[:40]}")
    failed = found["status"] != "ok"
    call = (found["tool_name"], found["args"], found["result"], failed, float(found["ts"]))
    return Row(str(found.get("corpus", stem)), found["conversation_id"], found["turn_index"], *call)


def task(corpus: str, conversation: str) -> str:
    """What trials of one task have in common."""
    last = re.search(r"(fs_\d+)(?:/.*)?/(\d+)$", conversation) if corpus == "intercode_bash" else None
    if last:
        return f"{last[1]}/{last[2]}"
    named = next((part for part in conversation.split("/") if part.startswith("task")), conversation)
    return named.split("[PERSONA")[0]
