#!/usr/bin/env python3
"""Measures on the real Hermes, before a stand-in model that takes the same time for every request, what one routine of five steps costs by
hand, as one `execute_code`, and as a kata; it calls no real model, and judges no writing of the code.

    python scripts/bench_host.py [--seconds 1.0] [--times 3] [--json]
    python scripts/bench_host.py --list [--katas 200] [--times 5] [--json]

Needs Hermes: `.venv` as `scripts/test.py` makes it, or the one that KATA_HERMES names. Each way is done in conversations of its own,
by hand and as code in a home without Kata. Told are the requests, the seconds from the first request to the last answer, and those of
the whole process, in which Hermes starts and ends. With --list it is measured instead how much longer `hermes kata list` takes with so
many katas than the same command of a plugin that does nothing, each as a process of its own, one after the other. The table goes to
stdout; with --json it goes to stderr, and stdout gets one JSON object.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(CHECKOUT / "tests" / "host"))

from skeleton import by_hand, routine, sources  # noqa: E402

from harness import NO_HOST, Answer, Host, executable  # noqa: E402
from model_server import CallKata, ModelServer, Say, Script, Step, ToolCalls, serving  # noqa: E402

NAME = "note_todo"
TAUGHT, MEASURED = ("alpha", "beta", "gamma"), ("delta", "omega", "sigma", "kappa")
CODE = """
import json
from hermes_tools import read_file, search_files, terminal, write_file

def value(told):
    return json.loads(told) if isinstance(told, str) else told

match = value(search_files(pattern=r"TODO\\({word}\\)", path="src"))["matches"][0]
read_file(path=match["path"])
terminal(command="wc -l " + match["path"])
write_file(path="notes/{word}.md", content="# {word}\\n" + match["content"] + "\\n")
print(value(terminal(command="cat notes/{word}.md"))["output"])
"""
"""The routine as a model would write it at once, if it knew every step and field beforehand."""


@dataclass
class Slow:
    """A script whose model thinks for some seconds before each answer."""

    script: Script
    seconds: float = 0.0

    def answer(self, body: Mapping[str, Any]) -> Say | ToolCalls:
        time.sleep(self.seconds)
        return self.script.answer(body)


@dataclass
class Way:
    """One way to do the routine, and what each time took."""

    name: str
    host: Host
    steps: Callable[[str], list[Step]]
    requests: list[int] = field(default_factory=list)
    worked: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)

    def once(self, script: Script, word: str, seconds: float) -> None:
        """Do it once; RuntimeError where the note was not written."""
        message = f"BENCH {self.name} {word}"
        script.turn(message, [*self.steps(word), Say(f"Noted {word}.")])
        answer: Answer = self.host.chat(message)
        note = self.host.work / "notes" / f"{word}.md"
        if answer.code or not note.is_file() or f"TODO({word})" not in note.read_text():
            raise RuntimeError(f"{self.name} wrote no note: {answer} {answer.results}")
        shutil.rmtree(note.parent)
        asked = [at for at, request in zip(answer.arrived, answer.requests, strict=True) if request.get("tools")]
        self.requests.append(len(asked))
        self.worked.append(asked[-1] - asked[0] + seconds)
        self.whole.append(answer.seconds)

    @property
    def told(self) -> dict[str, Any]:
        """Medians, in requests and seconds."""
        found = {"requests": self.requests, "seconds": self.worked, "process_seconds": self.whole}
        return {"way": self.name} | {name: round(statistics.median(values), 2) for name, values in found.items()}


def home(root: Path, server: ModelServer, hermes: Path, kata: bool) -> Host:
    """A home with a small project in it, with or without Kata."""
    host = Host(root, server, hermes)
    host.config["approvals"] = {"single_query_mode": "approve"}  # code asks in `-q`, where nobody answers
    host.configure()
    if kata:
        host.install(CHECKOUT, "kata")
    sources(host.work)
    return host


def taught(host: Host, script: Script) -> None:
    """Three conversations by hand, and a person's approval; RuntimeError where there is no kata afterwards."""
    for word in TAUGHT:
        host.chat(by_hand(script, word))
    host.kata("review", "1")
    approved = host.kata("approve", "1", "as", NAME)
    if approved.code:
        raise RuntimeError(str(approved))


def measured(hermes: Path, seconds: float, times: int, root: Path) -> dict[str, Any]:
    """What each way took, in the order of the table."""
    script = Script()
    with serving(script) as server:
        with_kata, without = home(root / "kata", server, hermes, True), home(root / "bare", server, hermes, False)
        taught(with_kata, script)
        server.script = slow = Slow(script, seconds)  # type: ignore[assignment]
        ways = (
            Way("by hand", without, routine),
            Way("execute_code", without, lambda word: [ToolCalls([("execute_code", {"code": CODE.replace("{word}", word)})])]),
            Way("kata", with_kata, lambda word: [CallKata(NAME, (word,))]),
        )
        for word in MEASURED[:times]:
            for way in ways:
                way.once(script, word, slow.seconds)
        if server.complaints:
            raise RuntimeError(f"the model could not go on: {server.complaints}")
    return {"seconds_a_request": seconds, "times": times, "ways": [way.told for way in ways]}


EMPTY = """
def register(ctx):
    ctx.register_cli_command("empty", help="nothing", setup_fn=lambda words: words.add_argument("verb"), handler_fn=say)


def say(given):
    print("none")
"""
"""A plugin whose command says a word."""


def listed(hermes: Path, katas: int, times: int, root: Path) -> dict[str, Any]:
    """Milliseconds of `hermes kata list`, of the same command of a plugin that does nothing, and of what the one takes longer."""
    with serving(Script()) as server:
        ours, bare = home(root / "kata", server, hermes, True), home(root / "bare", server, hermes, False)
        nothing = root / "empty"
        nothing.mkdir()
        (nothing / "plugin.yaml").write_text("manifest_version: 2\nname: empty\nversion: 0.1.0\nkind: standalone\ndescription: nothing\n")
        (nothing / "__init__.py").write_text(EMPTY)
        bare.install(nothing, "empty")
        ours.kata("list")
        filled(ours.database, katas)
        took = [(_took(ours, "kata"), _took(bare, "empty")) for _ in range(times + 1)][1:]
    kata, empty = (round(1e3 * statistics.median(ones)) for ones in zip(*took, strict=True))
    longer = round(1e3 * statistics.median(one - other for one, other in took))
    return {"katas": katas, "times": times, "kata_list_ms": kata, "empty_list_ms": empty, "longer_ms": longer}


def filled(file: Path, katas: int) -> None:
    """Have the plugin learn and approve so many routines in that file."""
    sys.path.insert(0, str(CHECKOUT / "scripts"))
    import bench

    bench.approved(file, katas, bench.Progress("katas", katas))


def _took(host: Host, command: str) -> float:
    """Seconds of `hermes COMMAND list` as a process of its own; RuntimeError where it says nothing."""
    began = time.monotonic()
    words = [str(host.hermes), command, "list"]
    around: dict[str, Any] = {"cwd": host.work, "env": host.environment(), "stdin": subprocess.DEVNULL}
    done = subprocess.run(words, capture_output=True, text=True, check=False, **around)
    if done.returncode or not done.stdout.strip():
        raise RuntimeError(f"hermes {command} list: {done.stdout}{done.stderr}")
    return time.monotonic() - began


def compared(report: Mapping[str, Any]) -> str:
    """The report of --list in a line."""
    both = f"{report['kata_list_ms']} ms, of a plugin that does nothing {report['empty_list_ms']} ms"
    return f"hermes kata list with {report['katas']} katas: {both}; {report['longer_ms']} ms longer (medians of {report['times']})"


def table(report: Mapping[str, Any]) -> str:
    """The report in lines."""
    lines = [f"A routine of five steps, {report['seconds_a_request']:g} s a request, median of {report['times']}:"]
    lines.append(f"{'':14}{'requests':>10}{'seconds':>10}{'process':>10}")
    lines += [f"{one['way']:14}{one['requests']:>10}{one['seconds']:>10.1f}{one['process_seconds']:>10.1f}" for one in report["ways"]]
    return "\n".join(lines)


def main(words: Sequence[str] | None = None) -> int:
    """Measure, and say it; 2 where there is no Hermes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.0, help="what the model takes for each request")
    parser.add_argument("--times", type=int, default=3, choices=range(1, len(MEASURED) + 2), help="how often each way is done")
    parser.add_argument("--list", action="store_true", help="measure `hermes kata list` instead")
    parser.add_argument("--katas", type=int, default=200, help="how many katas it lists (200)")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    given = parser.parse_args(words)
    if (hermes := executable()) is None:
        print(NO_HOST, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="kata-bench-") as root:
        place = Path(root)
        report = listed(hermes, given.katas, given.times, place) if given.list else measured(hermes, given.seconds, given.times, place)
    print(compared(report) if given.list else table(report), file=sys.stderr if given.json else sys.stdout)
    if given.json:
        print(json.dumps(report, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
