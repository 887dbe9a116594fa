"""Runs the real Hermes in a throw-away home against the stand-in model; it never touches the user's own home, keys or network."""

from __future__ import annotations

import atexit
import json
import os
import pty
import re
import resource
import select
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from starter import Late, can_start, start

from model_server import MODEL, ModelServer, text_of

Json = Any
HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parent.parent
NOT_INSTALLED = shutil.ignore_patterns(".*", "__pycache__", "tests", "scripts", "docs")
PATIENCE = 120.0
"""Seconds that one `hermes` process may take; it takes three to five."""
DATABASE = Path("plugin-data", "kata", "data.db")


def executable() -> Path | None:
    """The `hermes` that KATA_HERMES names, else the one beside the running Python; None where there is none."""
    named = os.environ.get("KATA_HERMES")
    places = [Path(named)] if named else [Path(sys.executable).parent / "hermes", CHECKOUT / ".venv" / "bin" / "hermes"]
    return next((place for place in places if place.is_file()), None)


NO_HOST = "no hermes here: run `python scripts/test.py`, which installs it in .venv, or name one in KATA_HERMES"


@dataclass(frozen=True, repr=False)
class Answer:
    """What one `hermes` process said, and the requests that the model saw meanwhile."""

    code: int
    out: str
    err: str
    seconds: float
    requests: tuple[Mapping[str, Json], ...] = ()
    arrived: tuple[float, ...] = ()
    """When each of the requests came, in seconds since the start of the process."""

    @property
    def asked(self) -> tuple[Mapping[str, Json], ...]:
        """The requests that carry tools; the host's own request for a title carries none."""
        return tuple(request for request in self.requests if request.get("tools"))

    @property
    def prompt(self) -> str:
        """The system prompt of the first request that carries tools."""
        return "\n".join(text_of(m) for m in self.asked[0]["messages"] if m["role"] in ("system", "developer"))

    @property
    def results(self) -> tuple[str, ...]:
        """The tool results of the last request, as the model saw them."""
        return tuple(text_of(m) for m in self.asked[-1]["messages"] if m["role"] == "tool")

    @property
    def session(self) -> str:
        """The session that the host offers to resume."""
        offered = re.search(r"hermes --resume (\S+)", self.out)
        assert offered, str(self)
        return offered[1]

    def __repr__(self) -> str:
        return f"exit code {self.code} after {self.seconds:.1f} s\n--- out\n{self.out}\n--- err\n{self.err}"


@cache
def compiled(hermes: Path) -> Path:
    """A copy of the checkout as it is installed, compiled by the Python of that `hermes`; it goes when this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="kata-compiled-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    shutil.copytree(CHECKOUT, folder / "kata", ignore=NOT_INSTALLED)
    if (python := hermes.parent / "python").is_file():
        writing = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
        subprocess.run([python, "-m", "compileall", "-q", folder / "kata"], check=True, env=writing)
    return folder / "kata"


def git(folder: Path, *words: str) -> str:
    """What git prints in that folder; the commits are nobody's."""
    who = ("-c", "user.name=Nobody", "-c", "user.email=nobody@example.invalid", "-c", "init.defaultBranch=main")
    return subprocess.run(["git", "-C", str(folder), *who, *words], check=True, capture_output=True, text=True).stdout


def fill(path: Path) -> None:
    """Write until nothing more fits on the disk."""
    with suppress(OSError), path.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4_096))


def decoded(stored: Json) -> Json:
    """What the plugin put into a column: text with half characters after a T, compressed JSON after a J."""
    if not isinstance(stored, bytes):
        return stored
    if stored[:1] == b"T":
        return stored[1:].decode("utf-8", "surrogatepass")
    return json.loads(zlib.decompress(stored[1:]).decode("utf-8", "surrogatepass"))


class Terminal:
    """A person before an interactive chat: types a line, and waits for what the screen shows."""

    def __init__(self, process: subprocess.Popen[bytes], screen: int) -> None:
        self.process, self.screen = process, screen
        self.shown = ""

    def type(self, line: str, shows: str) -> str:
        """Type a line and Enter, and wait until the screen shows `shows`; gives what it showed meanwhile. Text that comes together
        with Enter would be taken for a paste, so Enter waits until the line is on the screen, and the screen is quiet."""
        os.write(self.screen, line.encode())
        self._until(lambda shown: echoed(line, shown), f"the line {line!r}")
        self.wait("", quiet=0.2)
        os.write(self.screen, b"\r")
        return self.wait(shows)

    def press(self, key: str, shows: str) -> str:
        """Press one key, as at a question of the host, and wait until the screen shows `shows`; gives what it showed meanwhile."""
        os.write(self.screen, key.encode())
        return self.wait(shows)

    def tap(self, key: str, seen: Callable[[], bool], what: str) -> None:
        """Press one key, and read the screen until something has come about elsewhere."""
        os.write(self.screen, key.encode())
        self._until(lambda shown: seen(), what)

    def wait(self, shows: str, quiet: float = PATIENCE) -> str:
        """Read the screen until it shows the words, or until it is quiet so long; AssertionError after `PATIENCE` seconds."""
        return self._until(lambda shown: bool(shows) and shows in shown, shows and repr(shows), quiet)

    def _until(self, seen: Callable[[str], bool], what: str, quiet: float = PATIENCE) -> str:
        before, until = len(self.shown), time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if seen(self.shown[before:]):
                return self.shown[before:]
            if not select.select([self.screen], [], [], quiet)[0] or not self._read():
                break
        assert not what, f"the screen never showed {what}:\n{self.shown[-3000:]}"
        return self.shown[before:]

    def _read(self) -> bool:
        """Take what came; False at the end. A question for the cursor's place is answered, or the chat would wait for it."""
        try:
            came = os.read(self.screen, 65_536)
        except OSError:  # how Linux tells that nobody holds the other side any more
            return False
        if b"\x1b[6n" in came:
            os.write(self.screen, b"\x1b[1;1R")
        self.shown += ESCAPES.sub("", came.decode("utf-8", "replace"))
        return bool(came)


def echoed(line: str, shown: str) -> bool:
    """Whether the letters of the line came in their order, whatever was drawn between them."""
    letters = iter(shown)
    return all(letter in letters for letter in line if not letter.isspace())


ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


@dataclass
class Host:
    """A home for one test: Hermes' own folder, a user's HOME and the folder that the agent works in."""

    root: Path
    server: ModelServer
    hermes: Path
    enabled: list[str] = field(default_factory=list)
    config: dict[str, Json] = field(default_factory=dict)
    largest: int | None = None
    """The size in bytes beyond which no process of ours may make a file grow."""
    variables: dict[str, str] = field(default_factory=dict)
    """What stands in the environment besides."""

    def __post_init__(self) -> None:
        for folder in (self.plugins, self.work, self.user):
            folder.mkdir(parents=True)
        (self.home / ".no-bundled-skills").touch()
        self.far.touch()

    @property
    def home(self) -> Path:
        return self.root / "hermes"

    @property
    def plugins(self) -> Path:
        return self.home / "plugins"

    @property
    def work(self) -> Path:
        return self.root / "work"

    @property
    def user(self) -> Path:
        return self.root / "user"

    @property
    def database(self) -> Path:
        """The plugin's file."""
        return self.home / DATABASE

    @property
    def far(self) -> Path:
        """The list of connections that were refused because they would have left this machine."""
        return self.root / "far"

    def install(self, plugin: Path, name: str) -> None:
        """Copy a plugin's folder to where Hermes looks for it, and enable it. Ours is compiled, as it is after its first start."""
        if plugin == CHECKOUT:
            shutil.copytree(compiled(self.hermes), self.plugins / name)
        else:
            shutil.copytree(plugin, self.plugins / name, ignore=NOT_INSTALLED)
        self.enabled.append(name)
        self.configure()

    def configure(self, **settings: Json) -> None:
        """Write config.yaml; `settings` are those of the kata plugin. JSON is YAML."""
        model = {"default": MODEL, "provider": "custom", "base_url": self.server.url, "api_key": "none", "context_length": 200_000}
        plugins: dict[str, Json] = {"enabled": self.enabled, "entries": {"kata": {"settings": settings}}}
        asked = {"telemetry": {"shared_metrics": {"enabled": False, "send": False, "offer_version": 2}}}
        quiet = {"auxiliary": {"background_review": {"enabled": False}}, "curator": {"enabled": False}, **asked}
        whole = {"model": model, "plugins": plugins, **quiet, **self.config}
        (self.home / "config.yaml").write_text(json.dumps(whole, indent=1), encoding="utf-8")

    def chat(self, message: str, *more: str) -> Answer:
        """One conversation: one message, answered, and out. A new session unless `--resume ID` is among `more`."""
        return self.run("chat", "-q", message, *more)

    def job(self, message: str) -> Answer:
        """A scheduled job with that message, run now; AssertionError where it did not run to its end."""
        made = self.run("cron", "create", "--deliver", "local", "1h", message)
        named = re.search(r"Created job: (\w+)", made.out)
        assert named, str(made)
        ran = self.run("cron", "run", named[1])
        assert "succeeded" in ran.out, str(ran)
        return ran

    def kata(self, *words: str) -> Answer:
        """`hermes kata …` in the agent's folder; AssertionError where the host does not know that command."""
        answer = self.run("kata", *words)
        assert "'kata' is not a `hermes` command" not in answer.err, f"the plugin did not load; the log of the host:\n{self.log()}"
        return answer

    def log(self) -> str:
        """The warnings and errors in the host's own log."""
        lines = (line for path in self.home.rglob("*.log") for line in path.read_text(errors="replace").splitlines())
        return "\n".join(line for line in lines if " WARNING " in line or " ERROR " in line)

    def run(self, *words: str, folder: Path | None = None) -> Answer:
        """`hermes …` with an environment of its own; AssertionError after `PATIENCE` seconds."""
        seen, began = len(self.server.requests), time.monotonic()
        try:
            code, out, err = self._ended(words, folder or self.work)
        except (Late, subprocess.TimeoutExpired) as error:
            said = [getattr(error, name, None) for name in ("stdout", "stderr")]
            raise AssertionError(f"hermes {' '.join(words)} did not end in {PATIENCE:.0f} s: {said}") from None
        end = time.monotonic()
        arrived = tuple(at - began for at in self.server.arrived[seen:])
        return Answer(code, out, err, end - began, tuple(self.server.requests[seen:]), arrived)

    def _ended(self, words: tuple[str, ...], folder: Path) -> tuple[int, str, str]:
        """Exit code and what was written; out of the starter, but where a process must be another from its first moment on."""
        if self.largest is None and can_start(self.hermes, self.variables):
            return start(self.hermes, words, folder, self.environment(), PATIENCE)
        done = subprocess.run(
            [str(self.hermes), *words],
            cwd=folder,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            timeout=PATIENCE,
            preexec_fn=self._limit if self.largest else None,
        )
        return done.returncode, done.stdout, done.stderr

    def _limit(self) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (self.largest or resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    @contextmanager
    def full_disk(self) -> Iterator[str]:
        """While the block runs the plugin's file, which must be there, cannot grow; gives how that was brought about: a disk of its
        own that is full, or, where we may not mount one, a limit on the size of files, above all others but that of ours."""
        folder, kept = self.database.parent, self.database.read_bytes()
        mount = ["mount", "-t", "tmpfs", "-o", "size=1m,mode=700", "none", str(folder)]
        mounted = subprocess.run(mount, capture_output=True).returncode == 0
        try:
            if mounted:
                self.database.write_bytes(kept)
                fill(folder / "filler")
                yield "full"
            else:
                with closing(sqlite3.connect(self.database)) as db, db:
                    db.execute("CREATE TABLE filler AS SELECT zeroblob(4000000)")
                self.largest = self.database.stat().st_size
                yield "limited"
            (folder / "filler").unlink(missing_ok=True)
            kept = self.database.read_bytes()
        finally:
            self.largest = None
            if mounted:
                subprocess.run(["umount", "-l", str(folder)], check=True)
                self.database.write_bytes(kept)

    @contextmanager
    def terminal(self, *words: str, folder: Path | None = None) -> Iterator[Terminal]:
        """`hermes …` on a terminal of its own, once it shows its prompt; it must end by itself inside the block."""
        screen, side = pty.openpty()
        environment = self.environment() | {"TERM": "xterm", "LINES": "40"}
        streams = {"stdin": side, "stdout": side, "stderr": side}
        process = subprocess.Popen([str(self.hermes), *words], cwd=folder or self.work, env=environment, start_new_session=True, **streams)
        os.close(side)
        try:
            terminal = Terminal(process, screen)
            terminal.wait("❯")
            yield terminal
            terminal.wait("", quiet=PATIENCE)
            assert process.wait(PATIENCE) == 0, terminal.shown[-3000:]
        finally:
            process.kill()
            process.wait()
            os.close(screen)

    def at_terminal(self, typed: str, *words: str) -> tuple[int, str]:
        """`hermes …` for a person at a terminal who types that; the exit code, and what was printed and shown."""
        screen, side = pty.openpty()
        os.write(screen, typed.encode())
        streams = {"stdin": side, "stdout": subprocess.PIPE, "stderr": side}
        done = subprocess.run([str(self.hermes), *words], cwd=self.work, env=self.environment(), timeout=PATIENCE, **streams)
        os.close(side)
        shown = b""
        with suppress(OSError):  # how Linux tells that nobody holds the other side any more
            while came := os.read(screen, 65_536):
                shown += came
        os.close(screen)
        return done.returncode, (done.stdout + shown).decode("utf-8", "replace")

    def environment(self) -> dict[str, str]:
        """No variable of the caller but PATH, so that no key and no proxy is inherited."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.user),
            "HERMES_HOME": str(self.home),
            "KATA_FAR": str(self.far),
            "PYTHONPATH": str(HERE / "loopback"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "COLUMNS": "200",
            **self.variables,
        }

    def rows(self, query: str, *values: Json, path: Path | None = None) -> list[dict[str, Json]]:
        """Rows of the plugin's database, or of another one, read-only, as dictionaries."""
        path = path or self.database
        assert path.is_file(), f"the plugin wrote no database; there is {[str(p) for p in self.home.rglob('*.db')]}"
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            return [{name: decoded(value) for name, value in dict(row).items()} for row in connection.execute(query, values)]

    def calls(self, **where: Json) -> list[dict[str, Json]]:
        """The recorded calls with what is known of their turns, turn by turn, in the model's order."""
        chosen = " AND ".join(["true", *(f"{name} = ?" for name in where)])
        rows = f"SELECT events.*, id, session, conversation, platform, who FROM events JOIN turns ON turns.number = turn WHERE {chosen}"
        return self.rows(f"{rows} ORDER BY turn, position", *where.values())

    def counters(self) -> dict[str, int]:
        """What the plugin says it did not keep, by reason."""
        return {row["name"]: row["value"] for row in self.rows("SELECT name, value FROM counters WHERE value > 0")}

    def tree(self) -> dict[str, str]:
        """Every file below the agent's folder with its text, what git keeps apart."""
        files = sorted(path for path in self.work.rglob("*") if path.is_file() and ".git" not in path.parts)
        return {path.relative_to(self.work).as_posix(): path.read_text(encoding="utf-8") for path in files}
