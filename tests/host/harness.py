"""Runs the real Hermes in a throw-away home against the stand-in model; it never touches the user's own home, keys or network."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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

    def __repr__(self) -> str:
        return f"exit code {self.code} after {self.seconds:.1f} s\n--- out\n{self.out}\n--- err\n{self.err}"


@dataclass
class Host:
    """A home for one test: Hermes' own folder, a user's HOME and the folder that the agent works in."""

    root: Path
    server: ModelServer
    hermes: Path
    enabled: list[str] = field(default_factory=list)
    config: dict[str, Json] = field(default_factory=dict)

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
    def far(self) -> Path:
        """The list of connections that were refused because they would have left this machine."""
        return self.root / "far"

    def install(self, plugin: Path, name: str) -> None:
        """Copy a plugin's folder to where Hermes looks for it, and enable it."""
        shutil.copytree(plugin, self.plugins / name, ignore=NOT_INSTALLED)
        self.enabled.append(name)
        self.configure()

    def configure(self, **settings: Json) -> None:
        """Write config.yaml; `settings` are those of the kata plugin. JSON is YAML."""
        model = {"default": MODEL, "provider": "custom", "base_url": self.server.url, "api_key": "none", "context_length": 200_000}
        plugins: dict[str, Json] = {"enabled": self.enabled, "entries": {"kata": {"settings": settings}}}
        quiet = {"auxiliary": {"background_review": {"enabled": False}}, "curator": {"enabled": False}}
        whole = {"model": model, "plugins": plugins, **quiet, **self.config}
        (self.home / "config.yaml").write_text(json.dumps(whole, indent=1), encoding="utf-8")

    def chat(self, message: str, *more: str) -> Answer:
        """One conversation: one message, answered, and out. A new session unless `--resume ID` is among `more`."""
        return self.run("chat", "-q", message, *more)

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
        seen, start = len(self.server.requests), time.monotonic()
        try:
            done = subprocess.run(
                [str(self.hermes), *words],
                cwd=folder or self.work,
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                encoding="utf-8",
                errors="replace",
                timeout=PATIENCE,
            )
        except subprocess.TimeoutExpired as error:
            raise AssertionError(f"hermes {' '.join(words)} did not end in {PATIENCE:.0f} s:\n{error.stdout!r}\n{error.stderr!r}") from None
        requests = tuple(self.server.requests[seen:])
        return Answer(done.returncode, done.stdout, done.stderr, time.monotonic() - start, requests)

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
        }

    def rows(self, query: str, *values: Json) -> list[dict[str, Json]]:
        """Rows of the plugin's database, read-only, as dictionaries."""
        path = self.home / DATABASE
        assert path.is_file(), f"the plugin wrote no database; there is {[str(p) for p in self.home.rglob('*.db')]}"
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            connection.row_factory = sqlite3.Row
            return [dict(row) for row in connection.execute(query, values)]

    def tree(self) -> dict[str, str]:
        """Every file below the agent's folder with its text."""
        files = sorted(path for path in self.work.rglob("*") if path.is_file())
        return {path.relative_to(self.work).as_posix(): path.read_text(encoding="utf-8") for path in files}
