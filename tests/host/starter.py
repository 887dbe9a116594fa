"""Starts `hermes` again and again out of one Python that already loaded the libraries of other people, which take a third of each start;
it loads nothing of Hermes or of a plugin beforehand, so what they do when they start is done in each process.

    python starter.py HERMES SOCKET

Each connection to the socket brings a folder, words, an environment, and the three streams; back come the number of the process and, when
it has ended, its exit code. It ends when its standard input does."""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

LIBRARIES = (
    *("openai", "openai.resources", "openai.types", "openai.types.responses", "openai.types.evals", "openai.types.graders"),
    *("openai.resources.chat", "openai.resources.beta", "openai.resources.evals", "openai.lib.streaming", "pydantic.root_model"),
    *("httpx", "requests", "rich.console", "rich.panel", "rich.markdown", "rich.table", "rich.live", "rich.progress", "ruamel.yaml"),
    *("prompt_toolkit", "prompt_toolkit.application", "prompt_toolkit.shortcuts", "prompt_toolkit.widgets", "prompt_toolkit.layout"),
    *("psutil", "websockets", "click", "attr", "snowballstemmer", "pygments", "dotenv", "truststore", "certifi", "tomllib"),
    *("httpcore", "h11", "socksio", "nemo_relay", "ctypes", "statistics", "tarfile", "webbrowser", "logging.handlers"),
    *("asyncio", "concurrent.futures", "email", "sqlite3", "unittest.mock", "xml.etree.ElementTree", "zoneinfo"),
)
"""Where one is missing, Hermes does without it too, or fails as it would."""
AT_ONCE = 1 << 20
"""Bytes that are read at once."""
PYTHONS = ("PYTHON", "LANG", "LC_")
"""How the variables begin that a Python reads when it starts, and not later."""


# ── On the side of the tests ─────────────────────────────────────────────────────────────────────


class Late(Exception):
    """The process did not end in time, and was killed."""


def can_start(hermes: Path, own: Mapping[str, str]) -> bool:
    """Whether a process with these variables of its own may come out of a starter."""
    return (hermes.parent / "python").is_file() and not any(name.startswith(PYTHONS) for name in own)


def start(hermes: Path, words: Sequence[str], folder: Path, environment: Mapping[str, str], patience: float) -> tuple[int, str, str]:
    """Run `hermes` with these words and nothing to read; gives its exit code and what it wrote. Late after so many seconds."""
    with (
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
        open(os.devnull) as nothing,
        socket.socket(socket.AF_UNIX) as caller,
    ):
        caller.settimeout(patience)
        caller.connect(starter(hermes, environment["PYTHONPATH"]))
        asked = json.dumps([str(folder), list(words), dict(environment)]).encode() + b"\n"
        socket.send_fds(caller, [asked[:1]], [nothing.fileno(), out.fileno(), err.fileno()])
        caller.sendall(asked[1:])
        code = ended(caller)
        texts = [stream.seek(0) or stream.read().decode("utf-8", "replace").replace("\r\n", "\n") for stream in (out, err)]
        return code, texts[0], texts[1]


def ended(caller: socket.socket) -> int:
    """Wait for the end of the process; gives its exit code."""
    with caller.makefile() as answers:
        process = int(answers.readline())
        try:
            return int(answers.readline())
        except TimeoutError:
            os.kill(process, signal.SIGKILL)
            raise Late from None


@cache
def starter(hermes: Path, path: str) -> str:
    """The socket of the one starter for that `hermes`, which ends with this process. Python finds what watches its connections in `path`
    when it starts, and that looks for the variable KATA_FAR then; where it writes it finds anew for each connection."""
    folder = tempfile.mkdtemp(prefix="kata-starter-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    environment = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    environment["KATA_FAR"] = os.devnull
    command = [hermes.parent / "python", __file__, hermes, f"{folder}/door"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)
    atexit.register(process.communicate)
    assert process.stdout is not None and process.stdout.readline() == b"ready\n"
    return f"{folder}/door"


# ── On the side of the host ──────────────────────────────────────────────────────────────────────


def load() -> None:
    """Load the libraries, and keep what they made out of the way of the collector of garbage."""
    for name in LIBRARIES:
        with suppress(ImportError):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()


def serve(path: str) -> list[str] | None:
    """Wait for connections; gives, in a new process for each, the words to run, and None once nobody holds standard input."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who wait
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(path)
        door.listen()
        print("ready", flush=True)
        while sys.stdin not in select.select([door, sys.stdin], [], [])[0]:
            caller, _ = door.accept()
            with caller:
                if os.fork() == 0:
                    door.close()
                    return started(caller)
    return None


def started(caller: socket.socket) -> list[str]:
    """Start the process; gives its words in it. The one that waits for it and tells its exit code ends here."""
    asked, streams, _, _ = socket.recv_fds(caller, AT_ONCE, 3)
    while not asked.endswith(b"\n"):
        asked += caller.recv(AT_ONCE)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if process := os.fork():
        caller.sendall(f"{process}\n".encode())
        _, status = os.waitpid(process, 0)
        with suppress(OSError):
            caller.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
        os._exit(0)
    caller.close()
    folder, words, environment = json.loads(asked)
    return entered(folder, words, environment, streams)


def entered(folder: str, words: list[str], environment: dict[str, str], streams: list[int]) -> list[str]:
    """Take on folder, environment and streams, as a new process has them."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    return words


def main(hermes: str, path: str) -> None:
    sys.path[0] = str(Path(hermes).parent)  # as where Python is started with that script: nothing of the tests may be found
    load()
    words = serve(path)
    if words is not None:
        sys.argv = [hermes, *words]
        runpy.run_path(hermes, run_name="__main__")


if __name__ == "__main__":
    main(*sys.argv[1:3])
