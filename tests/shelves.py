"""Stands in for the session database of the host: rows as it writes them, compressed, continued, undone and malformed ones too."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from kata.turns import Line, Session, line, session

Json = Any
Row = dict[str, Json]
Done = tuple[str, Json, Json]
"""One call: tool, arguments, answer (text as it stands, anything else as JSON)."""
AT = 1_700_000_000.0
"""Epoch seconds at which the first session begins."""


@dataclass
class Shelf:
    """Sessions and their rows; what is said is written one second after the other."""

    found: list[Row] = field(default_factory=list)
    rows: dict[str, list[Row]] = field(default_factory=dict)
    now: float = AT
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    opens: int = 0

    @contextmanager
    def opened(self) -> Iterator[Shelf]:
        self.opens += 1
        yield self

    def sessions(self) -> Iterator[Session]:
        return filter(None, map(session, self.found))

    def lines(self, one: Session) -> list[Line]:
        return [*filter(None, (line(row, one.branched) for row in self.rows[one.id]))]

    def begin(self, name: str, source: str = "cli", **more: Json) -> str:
        told = {"id": name, "source": source, "started_at": self.now, "cwd": "/srv/work", "ended_at": None, "end_reason": None}
        self.found.append(told | more)
        self.rows[name] = []
        return name

    def end(self, name: str, reason: str = "cli_close") -> None:
        for row in self.found:
            if row["id"] == name:
                row |= {"end_reason": reason, "ended_at": self.now}

    def row(self, name: str, role: str, content: Json = "", **more: Json) -> Row:
        self.now += 1
        number = next(self.numbers)
        told: Row = {"id": number, "session_id": name, "role": role, "content": content, "timestamp": self.now, "active": 1, "compacted": 0}
        self.rows[name].append(told | {"message_uid": f"m{number}"} | more)
        for one in self.found:
            if one["id"] == name:
                one["last_active"] = self.now
        return self.rows[name][-1]

    def call(self, name: str, done: Done, call_id: str = "", answered: bool = True) -> list[Row]:
        """A call with its answer, as two rows."""
        tool, arguments, answer = done
        call_id = call_id or f"call_{self.now:.0f}"
        function = {"name": tool, "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments)}
        asked = {"tool_calls": [{"id": call_id, "type": "function", "function": function}]}
        asked["tool_call_uids"] = json.dumps({call_id: f"u{self.now}"})
        uid = {"tool_call_uid": f"u{self.now}"}
        rows = [self.row(name, "assistant", **asked)]
        text = answer if isinstance(answer, str) else json.dumps(answer)
        return [*rows, *([self.row(name, "tool", text, tool_call_id=call_id, tool_name=tool, **uid)] if answered else [])]

    def turn(self, name: str, *done: Done, message: str = "please", over: bool = True) -> list[Row]:
        """One turn with its calls and, where it came to its end, the closing words."""
        rows = [self.row(name, "user", message)]
        for one in done:
            rows += self.call(name, one)
        return [*rows, self.row(name, "assistant", "Done.")] if over else rows

    def compress(self, name: str, into: str, tail: Sequence[Row]) -> None:
        """Compress a session, in place or into another one: a summary, and copies of what is carried on; only in place are the originals
        marked, what is carried on as if it were undone."""
        tail = [row for row in tail if row["active"]]
        for row in self.rows[name] if name == into else ():
            row |= {"active": 0, "compacted": int(bool(row["active"]) and row not in tail or row["compacted"])}
        self.row(into, "user", "[CONTEXT COMPACTION] what was said", _compressed_summary=True)
        for row in tail:
            self.rows[into].append({**row, "id": next(self.numbers), "session_id": into, "active": 1, "compacted": 0})


def sh(command: str, output: str = "ok", code: int = 0, **more: Json) -> Done:
    return "terminal", {"command": command}, {"output": output, "exit_code": code, "error": None} | more


def routine(word: str) -> tuple[Done, ...]:
    """Three steps about one word, the last of which needs what the first found."""
    found = {"total_count": 1, "matches": [{"path": f"src/{word[::-1]}.txt", "line": 1, "content": f"TODO {word}"}]}
    read = ("read_file", {"path": f"src/{word[::-1]}.txt"}, {"content": f"1|TODO {word}"})
    return ("search_files", {"pattern": f"TODO {word}", "path": "src"}, found), read, sh(f"wc -l src/{word[::-1]}.txt", "1 src")
