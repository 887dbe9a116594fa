"""What the tests of mining, service and commands share: calls in short form, a fake door, a service on real SQLite, and made-up secrets."""

from __future__ import annotations

import base64
import itertools
import json
import random
import sqlite3
import string
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from hypothesis import strategies as st

from kata import executor, surroundings
from kata.door import Dispatch, Door
from kata.miner import Routine, Sources, Windows, covered, items, mine, runs, window_id, windows
from kata.model import (
    Call,
    Class,
    Effect,
    Event,
    Example,
    Fit,
    Json,
    Kata,
    NearMiss,
    Occurrence,
    Outcome,
    Proposal,
    Spec,
    Step,
    StepCall,
    Trace,
    Turn,
    TurnEnd,
    TurnStart,
)
from kata.service import Service
from kata.settings import Settings
from kata.store import Store

READ = Effect(Class.READ, why="reads")
SCHEMA = "0123456789abcdef"
NOW = 1_700_000_000.0
DEFAULTS = Settings()


# ── Calls in short form ──────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Did:
    """One call as a test writes it: what was asked, what came, how long it took and the pause before it, in seconds."""

    tool: str
    arguments: Mapping[str, Json]
    result: Json
    seconds: float = 1.0
    pause: float = 1.0


def sh(command: str, output: str = "", code: int = 0, **more: float) -> Did:
    """A shell command with the answer of the host's `terminal`."""
    return Did("terminal", {"command": command}, json.dumps({"output": output, "exit_code": code, "error": None}), **more)


def tool(name: str, result: Json = None, **arguments: Json) -> Did:
    """A call of any other tool; its answer is JSON text, as the host gives it."""
    return Did(name, arguments, json.dumps({"ok": 1} if result is None else result))


def failed(name: str, **arguments: Json) -> Did:
    return Did(name, arguments, json.dumps({"error": "no"}))


def events(turn: str, done: Sequence[Did], at: float = NOW) -> tuple[Event, ...]:
    """The events of a turn, one after the other."""
    found = []
    for index, one in enumerate(done):
        started = at + one.pause
        at = started + one.seconds
        call, outcome = Call(one.tool, one.arguments), Outcome.read(one.result)
        found.append(Event(call, outcome, turn, f"{turn}-{index}", index, "", started, at, "ok", SCHEMA, ""))
    return tuple(found)


def turn_of(*done: Did, turn: str = "t1", conversation: str = "c1", who: str = "person") -> Turn:
    return Turn(turn, conversation, who, NOW, events(turn, done))


def five(branch: str, found: str) -> tuple[Did, ...]:
    """A five-step routine: one value changes, one flows out of a result."""
    return (
        sh(f"git checkout {branch}", "Switched"),
        tool("search_files", {"total": 1, "matches": [{"path": found, "line": 3}]}, pattern="TODO", path="src"),
        tool("read_file", {"content": "text of " + found}, path=found),
        sh(f"wc -l {found}", f"12 {found}"),
        tool("write_file", {"bytes": 5}, path="notes/todo.md", content=f"open points on {branch}"),
    )


BRANCHES = ("feature/login", "fix-crash", "release_2", "docs/intro", "perf-scan", "chore/deps")
FILES = ("src/auth/login.py", "src/core/heap.c", "src/cli.py", "docs/intro.md", "src/scan.rs", "pkg/deps.toml")


def routine(number: int) -> tuple[Did, ...]:
    """The five steps with the values of the `number`-th conversation."""
    return five(BRANCHES[number % len(BRANCHES)], FILES[number % len(FILES)])


# ── Mining without a store ───────────────────────────────────────────────────────────────────────


def sequences(turn: Turn, max_steps: int = 8) -> tuple[tuple[str, ...], ...]:
    """The keys of the windows of a turn that could be routines, each once, longest first."""
    rows = [[item.key for item in items(run)] for run in runs(turn)]
    found = {tuple(row[at : at + size]) for row in rows for at in range(len(row)) for size in range(2, min(max_steps, len(row) - at) + 1)}
    return tuple(sorted(found, key=lambda keys: (-len(keys), keys)))


@dataclass
class Ledger:
    """The derived rows of mining as plain tables: what the store does for the service, in a dozen lines."""

    settings: Settings = DEFAULTS
    turns: dict[str, Turn] = field(default_factory=dict)
    known: dict[tuple[str, ...], Routine] = field(default_factory=dict)
    rows: dict[str, Windows] = field(default_factory=dict)

    def held(self, turn: Turn) -> Windows:
        """The windows of a turn, counted once."""
        if turn.id not in self.rows:
            self.rows[turn.id] = windows(turn, self.settings.max_steps)
        return self.rows[turn.id]

    def add(self, *turns: Turn) -> None:
        self.turns |= {turn.id: turn for turn in turns}
        for turn in turns:
            self.rows.pop(turn.id, None)

    def mine(self, turn: Turn) -> tuple[Proposal | NearMiss, ...]:
        self.add(turn)
        found = (self.look(keys) for keys in sequences(turn, self.settings.max_steps))
        return tuple(one for one in found if one is not None)

    def look(self, keys: tuple[str, ...]) -> Proposal | NearMiss | None:
        """The verdict on one family."""
        self.known.pop(keys, None)
        if len(self.support([window_id(keys)])[window_id(keys)]) < self.settings.min_support:
            return None
        sources = Sources(self.support, self.spread, self.occurrences, self.examples, self.known.values)
        found = None if covered(keys, self.known.values(), self.support) else mine(keys, sources, self.settings)
        if found is not None:
            rule = found.rule if isinstance(found, NearMiss) else ""
            self.known[keys] = Routine(keys, rule, covers=not rule)
        return found

    @property
    def proposed(self) -> list[Routine]:
        return [one for one in self.known.values() if not one.rule]

    def support(self, asked: Iterable[int]) -> dict[int, dict[str, frozenset[str]]]:
        found: dict[int, dict[str, frozenset[str]]] = {one: {} for one in asked}
        for turn in self.turns.values():
            for one in self.held(turn):
                if one in found:
                    found[one][turn.conversation] = found[one].get(turn.conversation, frozenset()) | {turn.id}
        return found

    def spread(self, window: int) -> int:
        return len(self.support([window])[window])

    def occurrences(self, window: int, most: int) -> tuple[Occurrence, ...]:
        places = [(turn, self.held(turn)) for turn in reversed(self.turns.values())]
        latest: dict[str, Occurrence] = {}
        for turn, held in places:
            if window in held:
                place = held[window]
                latest.setdefault(turn.conversation, Occurrence(turn.conversation, turn.id, place.first, place.last, place.skipped))
        return tuple(latest.values())[:most]

    def examples(self, places: Iterable[Occurrence]) -> tuple[Example, ...]:
        return tuple(Example(p.conversation, p.turn, self._kept(p)) for p in places)

    def _kept(self, place: Occurrence) -> tuple[Event, ...]:
        return tuple(one for one in self.turns[place.turn].events[place.first : place.last + 1] if one.position not in place.skipped)


def mined(*turns: Turn, settings: Settings = DEFAULTS) -> tuple[Proposal | NearMiss, ...]:
    """What the last of the turns brings when all are counted."""
    ledger = Ledger(settings)
    ledger.add(*turns[:-1])
    return ledger.mine(turns[-1])


def told(*conversations: Sequence[Did]) -> tuple[Turn, ...]:
    """One turn in a conversation of its own for each."""
    return tuple(turn_of(*done, turn=f"t{n}", conversation=f"c{n}") for n, done in enumerate(conversations))


def family(*conversations: Sequence[Did]) -> tuple[Example, ...]:
    turns = told(*conversations)
    places = (Occurrence(turn.conversation, turn.id, 0, len(turn.events) - 1) for turn in turns)
    return Ledger(turns={turn.id: turn for turn in turns}).examples(places)


# ── A service on real SQLite ─────────────────────────────────────────────────────────────────────


def replay(spec: Spec, given: Mapping[str, Json], dispatch: Dispatch) -> Trace:
    inputs, around = surroundings.parted(given)
    return executor.drive(executor.run(spec, inputs, around=around), dispatch)


class Clock:
    """A clock that goes on by one second whenever it is read."""

    def __init__(self, now: float = NOW) -> None:
        self.now = now

    def __call__(self) -> float:
        self.now += 1
        return self.now


@dataclass
class Bench:
    """A service with what it stands on, and the short way to tell it what happened."""

    service: Service
    taken: set[str]
    schemas: dict[str, str | None]
    numbers: Iterator[int] = field(default_factory=itertools.count)

    @property
    def store(self) -> Store:
        return self.service.store

    def close(self) -> None:
        self.store.close()

    def turn(self, conversation: str, *done: Did, who: str = "person", message: str = "please", ended: bool = True) -> str:
        """Record one turn of a conversation."""
        name = f"turn-{next(self.numbers)}"
        platform = who if who != "person" else "cli"
        self.service.record([TurnStart(name, f"s-{conversation}", conversation, platform, who, NOW, message)])
        self.service.record(events(name, done))
        if ended:
            self.service.record([TurnEnd(name, NOW + 60)])
        return name

    def learn(self, times: int = 3, make: Callable[[int], Sequence[Did]] = routine) -> Kata:
        """The proposal that so many conversations lead to."""
        for number in range(times):
            self.turn(f"c{number}", *make(number))
            self.service.mine()
        return self.service.katas()[-1]

    def revised(self) -> Kata:
        """The revision that two more conversations lead to, in which another folder is searched: what was fixed varies now."""
        for number in (7, 8):
            first, _, *rest = routine(number)
            found = {"total": 1, "matches": [{"path": FILES[number % len(FILES)], "line": 3}]}
            self.turn(f"c{number}", first, tool("search_files", found, pattern="TODO", path="lib"), *rest)
            self.service.mine()
        return self.service.katas()[-1]

    def approved(self, name: str = "todo_notes") -> Kata:
        """The five-step routine as an active kata."""
        kata = self.learn()
        self.service.review(str(kata.id), "cli")
        return self.service.approve(str(kata.id), name, "cli")


def bench(path: Path | None = None, settings: Settings = DEFAULTS, clock: Callable[[], float] | None = None) -> Bench:
    """A service on a file, or in memory."""

    def open_file() -> sqlite3.Connection:
        return sqlite3.connect(path or ":memory:", check_same_thread=False)

    taken: set[str] = set()
    schemas: dict[str, str | None] = {}
    door = Door(clock or Clock(), replay, lambda name: schemas.get(name, SCHEMA), taken.__contains__)
    return Bench(Service(Store(open_file), settings, door), taken, schemas)


def proposal_of(kata: Kata, **changed: Json) -> Proposal:
    """The proposal that would bring this kata, with a change."""
    version = kata.version
    return replace(Proposal(version.spec, kata.fingerprint, version.fit, tuple(version.exhibits), version.checks), **changed)


def proposal(steps: Sequence[Step], *examples: Example, inputs: Sequence[Json] = (), support: int = 3, name: str = "f" * 64) -> Proposal:
    return Proposal(Spec(tuple(inputs), tuple(steps)), name, Fit(support, support, support, 0.9), tuple(examples))


def aged(store: Store, turns: Iterable[str], least: int) -> int:
    """Forget these turns as if they had ended before what is kept; how many went."""
    store.add([TurnEnd(one, NOW - 40 * 86_400) for one in turns])
    return store.forget(NOW - 30 * 86_400, least)


# ── What stands in the file ──────────────────────────────────────────────────────────────────────


def raw(path: Path) -> bytes:
    """The bytes of the file and of its companions."""
    return b"\n".join(one.read_bytes() for one in sorted(path.parent.glob(path.name + "*")))


def opened(path: Path) -> bytes:
    """Every value of every row, blobs unpacked (a mark of one byte, then compressed JSON or text)."""
    found = []
    with closing(sqlite3.connect(path)) as db:
        tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for row in db.execute(f"SELECT * FROM {table}"):
                found += [_plain(value) for value in row]
    return b"\n".join(found)


def _plain(value: object) -> bytes:
    if isinstance(value, bytes):
        return zlib.decompress(value[1:]) if value[:1] == b"J" else value[1:]
    return str(value).encode("utf-8", "surrogatepass")


def traces_of(secret: str, content: bytes, longest: int = 6) -> list[str]:
    """The runs of more than `longest` characters of a secret that stand in the content."""
    runs = {secret[start : start + longest + 1] for start in range(len(secret) - longest)}
    return sorted(run for run in runs if run.encode() in content)


# ── Secrets of published formats, made up here ───────────────────────────────────────────────────

LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
WORD = UPPER + LOWER + DIGITS
URL64 = WORD + "-_"


def drawn(alphabet: str, low: int, high: int | None = None) -> st.SearchStrategy[str]:
    """Characters drawn at random from a seed: a shrunk secret (`AAAA…`) would be none, and would stand in any file."""

    def made(seed: int) -> str:
        chance = random.Random(seed)
        return "".join(chance.choices(alphabet, k=chance.randint(low, high or low)))

    return st.integers(0, 2**32).map(made)


def _fixed(lead: str, alphabet: str, low: int, high: int | None = None) -> st.SearchStrategy[str]:
    return drawn(alphabet, low, high).map(lambda tail: lead + tail)


def _segment(value: Json) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def _jwt() -> st.SearchStrategy[str]:
    header = st.sampled_from(["HS256", "RS256", "ES384"]).map(lambda name: _segment({"alg": name, "typ": "JWT"}))
    claims = st.builds(lambda name, at: _segment({"sub": name, "iat": at}), drawn(DIGITS, 10), st.integers(1_500_000_000, 1_900_000_000))
    return st.builds(lambda *parts: ".".join(parts), header, claims, drawn(URL64, 43))


FORMATS: Mapping[str, st.SearchStrategy[str]] = {
    "GitHub personal token": st.sampled_from("pousr").flatmap(lambda kind: _fixed(f"gh{kind}_", WORD, 36)),
    "GitHub fine-grained token": st.builds(lambda a, b: f"github_pat_{a}_{b}", drawn(WORD, 22), drawn(WORD, 59)),
    "GitLab personal token": _fixed("glpat-", URL64, 20),
    "AWS access key id": st.sampled_from(["AKIA", "ASIA"]).flatmap(lambda lead: _fixed(lead, UPPER + "234567", 16)),
    "Slack bot token": st.builds(lambda a, b, c: f"xoxb-{a}-{b}-{c}", drawn(DIGITS, 12), drawn(DIGITS, 12), drawn(WORD, 24)),
    "Stripe live key": st.sampled_from(["sk_live_", "rk_live_"]).flatmap(lambda lead: _fixed(lead, WORD, 24, 34)),
    "Google API key": _fixed("AIza", URL64, 35),
    "npm token": _fixed("npm_", WORD, 36),
    "PyPI token": _fixed("pypi-AgEIcHlwaS5vcmc", URL64, 70, 120),
    "Hugging Face token": _fixed("hf_", UPPER + LOWER, 34),
    "Anthropic key": _fixed("sk-ant-api03-", URL64, 93).map(lambda key: key + "AA"),
    "OpenAI project key": _fixed("sk-proj-", WORD, 48, 120),
    "SendGrid key": st.builds(lambda a, b: f"SG.{a}.{b}", drawn(URL64, 22), drawn(URL64, 43)),
    "DigitalOcean token": _fixed("dop_v1_", DIGITS + "abcdef", 64),
    "JWT": _jwt(),
}
"""Kinds whose form alone tells that they are secret, built from what their makers publish."""

KEYS = ("password", "api_key", "client_secret", "access_token", "AWS_SECRET_ACCESS_KEY", "private_key", "authToken")
"""Names that announce that the value beside them is secret."""


def secrets() -> st.SearchStrategy[tuple[str, str]]:
    """A kind and a secret of that kind."""
    return st.sampled_from(sorted(FORMATS)).flatmap(lambda kind: FORMATS[kind].map(lambda secret: (kind, secret)))


def around(secret: str) -> st.SearchStrategy[Json]:
    """JSON with the secret somewhere inside, at any depth, alone or within a text."""
    frames = (
        "{}",
        "use {} now",
        "token={}",
        "Authorization: Bearer {}",
        '{{"key": "{}"}}',
        "curl -H 'X-Key: {}' https://example.org",
        "a\n{}\nb",
    )
    leaf = st.sampled_from(frames).map(lambda frame: frame.format(secret))
    plain = st.one_of(st.none(), st.booleans(), st.integers(0, 999), st.sampled_from(["", "plain", "src/app.py"]))
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.builds(lambda one, other: [other, one], inner, plain),
            st.builds(lambda key, one, other: {"note": other, key: one}, st.sampled_from(["value", "out", "body", "0"]), inner, plain),
        ),
        max_leaves=6,
    )


def words(alphabet: str = LOWER) -> st.SearchStrategy[str]:
    """Short words for names of files and branches."""
    return drawn(alphabet, 3, 8)


# ── Katas that are used ──────────────────────────────────────────────────────────────────────────


def audit(one: Bench) -> list[tuple[str, str, int, str, str]]:
    """Who did what, oldest first."""
    return [(row.actor, row.verb, row.kata, row.before, row.after) for row in reversed(one.store.audit(100))]


def answers(*results: Json) -> Callable[[StepCall], Outcome]:
    """A dispatcher that gives these results one after the other."""
    waiting = list(results)
    return lambda asked: Outcome.read(waiting.pop(0))


GOOD = [one.result for one in five("topic-9", "src/new.py")]


def at_work(one: Bench, name: str, done: Sequence[Did], schemas: Mapping[str, str] | None = None) -> None:
    """One turn of a conversation of its own, at the time that the clock shows now."""
    at = one.service.door.clock()
    rows = [replace(row, schema=(schemas or {}).get(row.call.tool, row.schema)) for row in events(name, done, at)]
    one.service.record([TurnStart(name, f"s-{name}", name, "cli", "person", at, "please"), *rows, TurnEnd(name, at + 60)])
    one.service.mine()


def in_lib(number: int) -> tuple[Did, ...]:
    """The routine as it is done from now on: another folder is searched."""
    first, _, *rest = routine(number)
    hit = {"total": 1, "matches": [{"path": FILES[number % len(FILES)], "line": 3}]}
    return first, tool("search_files", hit, pattern="FIXME", path="lib"), *rest


def nothing_found(asked: StepCall) -> Outcome:
    """The tools as in the examples, but the search succeeds and finds nothing."""
    return Outcome.read(json.dumps({"total": 0, "matches": []}) if asked.index == 1 else routine(0)[asked.index].result)
