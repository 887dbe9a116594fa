"""Teaches Kata routines without a model: three conversations of each go into the plugin's file by its own service, as the host's recorder
would bring them, and its own approval makes each proposal a tool; no row is written past the service. That the commands of chat and shell
lead there the files show that approve by hand (test_running, test_mcp)."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from strategies import replay
from witness import Witness

from harness import Host
from kata.door import Door
from kata.model import Call, Event, Kata, Outcome, Record, SchemaSeen, TurnEnd, TurnStart
from kata.service import Service
from kata.settings import Settings
from kata.store import Store
from kata.validator import fingerprint
from model_server import Script

Json = Any
Did = tuple[str, Mapping[str, Json], Json]
"""One call: tool, arguments, and the value of its answer."""
NONE: Mapping[str, Any] = MappingProxyType({})
SEEN = ("amber", "birch", "cobalt")
"""The words of the three conversations."""


@dataclass(frozen=True)
class Lesson:
    """A routine, as it was done for one word, and the name under which it is approved."""

    name: str
    steps: Callable[[str], Sequence[Did]]
    placed: bool = True
    """Whether the folder in which it was done is known, as it is of what the plugin recorded itself."""
    around: Callable[[str], Mapping[str, str]] = lambda word: {}
    """What else was known of where and when it was done."""
    schemas: Mapping[str, Json] = field(default_factory=dict)
    """The parameters that a tool had then, where they are known."""

    @property
    def tool(self) -> str:
        return f"kata_{self.name}"


def sh(command: str, output: str = "", **more: Json) -> Did:
    """A shell command with the answer of the host's `terminal`."""
    return "terminal", {"command": command}, {"output": output, "exit_code": 0, "error": None} | more


def other(tool: str, answer: Json, **arguments: Json) -> Did:
    """A call of any other tool."""
    return tool, arguments, answer


# ── The routines ─────────────────────────────────────────────────────────────────────────────────


def number(word: str) -> int:
    """A number that is another for each word, as what is counted is."""
    return 1 + sum(map(ord, word)) % 7


def listed(path: str) -> str:
    """What `ls -l` prints of something; three kinds of it, because nothing of it is always the same."""
    kinds = ("-rw-r--r-- 1 ann ann 12 Nov 30 10:00", "prw-rw-r-- 1 bob staff 0 Jan  2  2025", "drwxr-xr-x 12 root root 4096 Mar 15 23:59")
    return f"{kinds[number(path) % 3]} {path}"


def hashed(word: str) -> str:
    """Forty digits, as a commit has."""
    return hashlib.sha1(word.encode()).hexdigest()


def pushed(word: str) -> str:
    """What `git push` prints; where nothing is new it is one line."""
    return "Everything up-to-date" if number(word) % 2 else f"To ../far.git\n * [new branch]      {word} -> {word}"


def matches(word: str) -> Json:
    return {"total_count": 1, "matches": [{"path": f"src/{word}.txt", "line": 1, "content": f"TODO {word}"}]}


LOOK = Lesson(
    "look",
    lambda word: [
        other("search_files", matches(word), pattern=f"TODO {word}", path="src"),
        other("read_file", {"content": f"1|TODO {word}", "total_lines": 1}, path=f"src/{word}.txt"),
        sh(f"wc -l src/{word}.txt", f"{number(word)} src/{word}.txt"),
    ],
)
"""Reads only."""
SIZE = Lesson(
    "size",
    lambda word: [
        sh(f"ls -l src/{word}.txt", listed(f"src/{word}.txt")),
        sh(f"wc -l src/{word}.txt", f"{number(word)} src/{word}.txt"),
    ],
    placed=False,
)
"""Reads only, in whatever folder, so that nobody asks but a guard of somebody else."""
COUNT = Lesson(
    "count",
    lambda word: [
        sh(f"ls src/{word}.txt", f"src/{word}.txt"),
        sh(f"wc -l src/{word}.txt", f"{number(word)} src/{word}.txt"),
        sh(f"touch src/{word}.txt"),
    ],
)
"""Its second step hangs where the file is a pipe."""
FIND = Lesson(
    "find",
    lambda word: [
        sh(f"stat src/{word}.txt", f"  File: src/{word}.txt\n  Size: {number(word)}\n  Birth: {word[::-1]}"),
        other("search_files", matches(word), pattern="TODO", path=f"src/{word}.txt"),
        sh(f"touch src/{word}.txt"),
    ],
)
"""Its second step, a file tool, hangs where the file is a pipe."""
SHELVE = Lesson("shelve", lambda word: [sh(f"mkdir shelf/{word}"), sh(f"touch shelf/{word}"), sh(f"ls shelf/{word}")])
"""Its first step has an effect, and fails where the folder is there."""
CLEAR = Lesson(
    "clear", lambda word: [sh(f"ls build/{word}", "\n".join(["a.o", "b.o", "c.o"][: number(word) % 3])), sh(f"rm -rf build/{word}")]
)
"""Destroys, as Kata and the host know."""
UNLOCK = Lesson("unlock", lambda word: [sh(f"ls -l doors/{word}", listed(f"doors/{word}")), sh(f"chmod 777 doors/{word}")], placed=False)
"""Writes, for Kata; dangerous, for the host."""
PUBLISH = Lesson(
    "publish",
    lambda word: [sh(f"git log --oneline -1 {word}", f"{hashed(word)[:7]} {word}"), sh(f"git push origin {word}", pushed(word))],
)
"""Acts on another system."""
PONDER = Lesson(
    "consider",
    lambda word: [
        sh(f"ls -l src/{word}.txt", listed(f"src/{word}.txt")),
        other("ponder", {"thought": f"about {word}"}, path=f"src/{word}.txt"),
        sh(f"touch src/{word}.txt"),
    ],
)
"""Its second step is another plugin's tool, which hangs where the file is a pipe."""
BUILD = Lesson(
    "build",
    lambda word: [
        sh(f"cd pkg/{word}", cwd=f"/srv/pkg/{word}"),
        sh("wc -l notes.txt", f"{number(word)} notes.txt"),
        sh("touch built.ok"),
        other("write_file", {"bytes_written": 5}, path="built.md", content="done\n"),
    ],
)
"""Begins with `cd`; the later steps are in the folder it went to."""


HEAD = Lesson(
    "head",
    lambda word: [
        sh("git branch --show-current", f"topic/{word}"),
        sh(f"git log -1 --oneline --no-abbrev-commit topic/{word}", f"{hashed(word)} {word[::-1]}"),
        other("write_file", {"bytes_written": 40}, path=f"heads/{hashed(word)}.md", content=f"topic/{word}\n"),
    ],
    placed=False,
)
"""Asks for nothing: its values come out of the text that each step prints."""


DAYS = {"amber": "2026-03-04", "birch": "2026-03-17", "cobalt": "2026-05-06"}
DIARY = Lesson(
    "diary",
    lambda word: [
        sh(f"git log -1 --oneline --no-abbrev-commit topic/{word}", f"{hashed(word)} {word[::-1]}"),
        other("write_file", {"bytes_written": 40}, path=f"diary/{DAYS[word]}.md", content=f"{hashed(word)} on topic/{word}\n"),
    ],
    placed=False,
    around=lambda word: {"today": DAYS[word], "branch": f"topic/{word}"},
)
"""Asks for nothing: it takes the branch and the day from around it; three days of work are remembered."""
GATE = Lesson(
    "gate",
    lambda word: [sh(f"cat state/{word}.txt", f"Service {word} is ready\n"), sh(f"touch state/{word}.txt.seen")],
    placed=False,
)
"""Nothing of what its first step prints goes into the second: only a learnt check looks at it."""


@dataclass(frozen=True)
class School:
    """A home in which a person approved one kata of each kind, its model's script, and what a second plugin sees there."""

    host: Host
    script: Script
    witness: Witness


# ── Teaching ─────────────────────────────────────────────────────────────────────────────────────


def teach(host: Host, *lessons: Lesson) -> None:
    """Three conversations of each routine, and its approval; AssertionError where one is not proposed or not approved."""
    with opened(host) as service:
        for lesson in lessons:
            kata = learnt(host, service, lesson)
            service.review(str(kata.id), "chat")
            service.approve(str(kata.id), lesson.name, "chat", confirm=lesson.name)


def proposed(host: Host, lessons: Sequence[Lesson]) -> list[tuple[Lesson, Kata]]:
    """Record the conversations one after the other, and give the proposal that came with each third."""
    with opened(host) as service:
        return [(lesson, learnt(host, service, lesson)) for lesson in lessons]


@contextmanager
def opened(host: Host) -> Iterator[Service]:
    """A service on the plugin's file in that home."""
    host.database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with closing(Store(lambda: sqlite3.connect(host.database, check_same_thread=False))) as store:
        yield Service(store, Settings(), Door(time.time, replay, lambda tool: None, lambda name: False))


def learnt(host: Host, service: Service, lesson: Lesson) -> Kata:
    """Record three conversations of one routine, and give the proposal that came with the third."""
    folder = str(host.work) if lesson.placed else ""
    service.record([SchemaSeen(fingerprint(one), tool, one) for tool, one in lesson.schemas.items()])
    told = [(f"{lesson.name}-{word}", lesson.steps(word), folder, lesson.around(word)) for word in SEEN]
    held = [conversation(service, *one, lesson.schemas) for one in told]
    new = [kata for proposals in held for kata in proposals]
    sizes = [len(kata.version.spec.steps) for kata in new]
    assert sizes == [len(lesson.steps(SEEN[0]))], f"{lesson.name}: {new}; {service.store.near()}"
    return new[0]


def conversation(
    service: Service,
    name: str,
    done: Sequence[Did],
    folder: str,
    around: Mapping[str, str] = NONE,
    schemas: Mapping[str, Json] = NONE,
) -> tuple[Kata, ...]:
    """Record one conversation of one turn, and mine it; gives what was proposed."""
    now = time.time()
    records: list[Record] = [TurnStart(name, f"s-{name}", f"s-{name}", "cli", "person", now, "please")]
    known = (folder, around)
    for index, (tool, arguments, answer) in enumerate(done):
        outcome, at = Outcome.read(json.dumps(answer)), now + index
        schema = fingerprint(schemas[tool]) if tool in schemas else ""
        records.append(Event(Call(tool, arguments), outcome, name, f"{name}-{index}", index, "", at, at + 0.1, "ok", schema, *known))
    service.record([*records, TurnEnd(name, now + len(done))])
    return service.mine().proposed
