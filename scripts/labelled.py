"""Judges labelled cases by the plugin's own code, effects, extraction, masking and hostile values; it shows no secret and changes nothing.

A module of its own, because a labelled case is judged alone, without a recorded conversation; scripts/evaluate.py is its command line."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent


def load_package() -> None:
    """Bring the checkout in as the package `kata` by its path, as Hermes does, unless it is there already."""
    if "kata" in sys.modules:
        return
    root = importlib.util.spec_from_file_location("kata", CHECKOUT / "__init__.py", submodule_search_locations=[str(CHECKOUT)])
    assert root is not None and root.loader is not None
    package = importlib.util.module_from_spec(root)
    sys.modules["kata"] = package
    root.loader.exec_module(package)


sys.dont_write_bytecode = True
load_package()

from kata import extraction, search, shell, templating  # noqa: E402 - the package is brought in first
from kata.effects import effect  # noqa: E402
from kata.model import (  # noqa: E402
    Command,
    Hole,
    Input,
    Json,
    KataError,
    OpaqueCommand,
    TemplateError,
)
from kata.redact import Masker  # noqa: E402


class FileError(Exception):
    """A file that is not what the README of the corpora describes; the sentence says where."""


def read_json(path: Path) -> Json:
    """A file of cases; FileError when it is none."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error}") from error
    except (ValueError, RecursionError) as error:
        raise FileError(f"{path}: expected JSON ({error})") from error


def listed(found: Json, path: Path, *keys: str) -> list[Json]:
    """The cases, each with these keys; FileError names the first that lacks one."""
    if not isinstance(found, list) or not found:
        raise FileError(f"{path}: expected a list of cases, got {type(found).__name__}")
    for number, case in enumerate(found, 1):
        missing = [key for key in keys if not isinstance(case, dict) or key not in case]
        if missing:
            raise FileError(f"{path}: case {number} has no {missing[0]!r}")
    return found


def judge_effects(path: Path) -> tuple[Json, bool]:
    """How the effects of commands are judged; the law: never weaker than is safe."""
    found = read_json(path)
    cases = listed(found.get("cases") if isinstance(found, dict) else found, path, "id", "command", "class", "acceptable", "unsafe")
    answers = [(case, effect("terminal", {"command": case["command"]}).kind.value) for case in cases]
    unsafe = [(case, answer) for case, answer in answers if answer in case["unsafe"]]
    other = [(case, answer) for case, answer in answers if answer not in case["acceptable"] and answer not in case["unsafe"]]
    reads = [answer for case, answer in answers if case["class"] == "read"]
    report = {
        "cases": len(cases),
        "best": sum(answer == case["class"] for case, answer in answers),
        "acceptable": sum(answer in case["acceptable"] for case, answer in answers),
        "by_class": {
            name: {"cases": n, "best": sum(case["class"] == name == answer for case, answer in answers)}
            for name, n in sorted(Counter(case["class"] for case in cases).items())
        },
        "reads": {"cases": len(reads), "read": reads.count("read")},
        "unsafe": [_answered(case, answer) for case, answer in unsafe],
        "unacceptable": [_answered(case, answer) for case, answer in other],
    }
    return report, not unsafe


def _answered(case: Json, answer: str) -> Json:
    return {"id": case["id"], "command": case["command"], "wanted": case["class"], "answer": answer}


TAUGHT = (1, 2, 3, 5)
"""How many examples a program is learnt from; the rest of a task is held out."""
AT_THREE, MOST_WRONG = 3, 0.04


def judge_extract(path: Path) -> tuple[Json, bool]:
    """How values are found again in text by learnt programs; the law: at three examples at most 4 % of a source's tasks go wrong."""
    tasks = listed(read_json(path), path, "task", "source", "examples")
    counts: dict[str, dict[int, Counter[str]]] = {task["source"]: {taught: Counter() for taught in TAUGHT} for task in tasks}
    odd: list[Json] = []
    for task in tasks:
        for taught in (taught for taught in TAUGHT if len(task["examples"]) > taught):
            program, verdict = extracted([(one["input"], one["output"]) for one in task["examples"]], taught)
            counts[task["source"]][taught].update(("tasks", verdict))
            odd += [{"task": task["task"], "examples": taught, "program": str(program)}] if verdict == "wrong" else []
    words = ("tasks", "solved", "wrong", "refused")
    by_source = {
        source: {str(taught): {word: count[word] for word in words} for taught, count in by_taught.items()}
        for source, by_taught in counts.items()
    }
    lawful = all(one[AT_THREE]["wrong"] <= MOST_WRONG * one[AT_THREE]["tasks"] for one in counts.values())
    return {"tasks": len(tasks), "sources": by_source, "wrong": odd}, lawful


def extracted(examples: Sequence[tuple[str, Json]], taught: int) -> tuple[extraction.Program | None, str]:
    """The program from the first examples, and how it fares on the others: solved when all are right, wrong when one answer is not."""
    program = search.learn(examples[:taught])
    answers = [_found(program, text) for text, _wanted in examples[taught:]]
    pairs = [(answer, wanted) for answer, (_text, wanted) in zip(answers, examples[taught:], strict=True)]
    if any(answer is not None and answer != wanted for answer, wanted in pairs):
        return program, "wrong"
    return program, "solved" if all(answer == wanted for answer, wanted in pairs) else "refused"


def _found(program: extraction.Program | None, text: str) -> Json:
    if program is None:
        return None
    try:
        return extraction.run(program, text)
    except TemplateError:
        return None


RUN = 7
"""So many characters of a secret in a row are a trace of it."""


def judge_redact(path: Path) -> tuple[Json, bool]:
    """What masking leaves and what it spoils; the law: no secret stays that is not marked hard. No text is shown."""
    found = read_json(path)
    secrets = listed(found.get("secrets") if isinstance(found, dict) else None, path, "id", "kind", "text", "secrets")
    others = listed(found.get("look_alikes") if isinstance(found, dict) else None, path, "id", "kind", "text")
    left = [case for case in secrets if _traces(case)]
    changed = [case for case in others if _masked_text(case) != case["text"][::-1]]
    report = {
        "secrets": _by_kind(secrets, left, "left"),
        "look_alikes": _by_kind(others, changed, "changed"),
        "left": [case["id"] for case in left if not case.get("hard")],
        "hard_left": [case["id"] for case in left if case.get("hard")],
        "changed": [case["id"] for case in changed if not case.get("debatable")],
        "debatable_changed": [case["id"] for case in changed if case.get("debatable")],
        "spoilt": [case["id"] for case in secrets if _spoilt(case)],
        "unstable": [case["id"] for case in (*secrets, *others) if _unstable(case)],
    }
    return report, not report["left"] and len(report["changed"]) <= 1


def _masked_text(case: Json) -> str:
    """A case as the recorder would keep it: a text that comes as a value. Texts are stored reversed."""
    return str(Masker().value(case["text"][::-1]))


def _traces(case: Json) -> bool:
    """Whether more than six characters in a row of a secret are still there."""
    text = _masked_text(case)
    secrets = [one[::-1] for one in case["secrets"]]
    return any(one[at : at + RUN] in text for one in secrets for at in range(max(1, len(one) - RUN + 1)))


def _spoilt(case: Json) -> bool:
    """Whether something is gone that is no secret, or a document does not parse any more, or has other keys."""
    text = _masked_text(case)
    if any(kept[::-1] not in text for kept in case.get("keep", ())):
        return True
    try:
        return bool(case.get("json")) and _keys(json.loads(text)) != _keys(json.loads(case["text"][::-1]))
    except ValueError:
        return True


def _keys(value: Json) -> Json:
    if isinstance(value, dict):
        return {key: _keys(inner) for key, inner in value.items()}
    return [_keys(inner) for inner in value] if isinstance(value, list) else None


def _unstable(case: Json) -> bool:
    once = _masked_text(case)
    return bool(Masker().value(once) != once)


def _by_kind(cases: Sequence[Json], hit: Sequence[Json], word: str) -> Json:
    return {
        kind: {"cases": n, word: sum(case["kind"] == kind for case in hit)} for kind, n in sorted(Counter(c["kind"] for c in cases).items())
    }


VALUE, MARKER = "{{v}}", "PWNED"
REAL = "bash cat cut echo env find git grep head sed sh sleep sort tar tee touch tr true wc xargs".split()
"""Programs that an attack may need, as they are; every other is an empty stand-in, so nothing leaves the folder or the machine."""


def judge_inject(path: Path) -> tuple[Json, bool]:
    """What hostile values do in command templates; the laws: no marker fires, no command changes, and good values still pass."""
    cases = listed(read_json(path), path, "id", "template", "value", "good_value")
    fired, changed, refused = [], [], {"good": Counter[str](), "hostile": Counter[str]()}
    rendered = Counter(good=0, hostile=0)
    for case in cases:
        for which, value in (("good", case["good_value"]), ("hostile", case["value"])):
            try:
                made = templating.render(command_of(case["template"]), {"v": value}, ())
            except KataError as error:
                refused[which][f"{type(error).__name__}: {re.sub(r', got .*', '', error.message)}"] += 1
                continue
            rendered[which] += 1
            changed += [case["id"]] if outline(made) != outline(case["template"].replace(VALUE, "v")) else []
            fired += [case["id"]] if which == "hostile" and fires(made) else []
    enough = 3 * rendered["good"] >= 2 * len(cases)
    report = {"cases": len(cases), "fired": fired, "changed": changed, "rendered": dict(rendered)}
    return {**report, "refused": {which: dict(reasons) for which, reasons in refused.items()}}, not fired and not changed and enough


def command_of(template: str) -> Command:
    """A template whose `{{v}}` is one input, in the quotes around it; OpaqueCommand when the command is not understood."""
    before, after = template.split(VALUE, 1)
    mark = "KATAVALUE"
    script = shell.parse(before + mark + after)
    pieces = (piece for one in script.commands() for word in shell.words_of(one) for piece in word.pieces)
    place = next((piece.quote for piece in pieces if mark in piece.value), "")
    hole = Hole(Input("v"), {"'": "single", '"': "double"}.get(place, "bare"))
    return Command(tuple(part for part in (before, hole, after) if part))


def outline(code: str) -> object:
    """The structure of a command: its programs, how many words each has, its redirections and operators."""
    try:
        script = shell.parse(code)
    except OpaqueCommand:
        return None
    commands = tuple((len(one.words), tuple(r.operator for r in one.redirects), len(one.assignments)) for one in script.commands())
    return shell.programs(script), commands, script.operators


def fires(code: str) -> bool:
    """Whether a command leaves the marker, run in a folder of its own with stand-ins for all but a few programs."""
    with tempfile.TemporaryDirectory(prefix="kata-inject-") as name:
        folder = Path(name)
        _stand_ins(folder / "bin", code)
        (folder / "work" / "repo").mkdir(parents=True)
        (folder / "work" / "sshd_config").write_text("Port 1\n", encoding="utf-8")
        around = {"PATH": str(folder / "bin"), "HOME": name, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CEILING_DIRECTORIES": str(folder)}
        for words in (["git", "init", "-q", "."], ["git", "init", "-q", "repo"], ["bash", "-c", code]):
            program = shutil.which(words[0])
            if program:
                subprocess.run(
                    [program, *words[1:]], cwd=folder / "work", env=around, stdin=subprocess.DEVNULL, capture_output=True, timeout=20
                )
        return any(path.name == MARKER for path in folder.rglob("*"))


def _stand_ins(target: Path, code: str) -> None:
    target.mkdir()
    for name in REAL:
        found = shutil.which(name)
        if found:
            os.symlink(found, target / name)
    for name in set(re.findall(r"[\w.-]+", code)) - {*REAL, MARKER}:
        if not (target / name).exists():
            (target / name).write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
            (target / name).chmod(0o755)


CASES: Mapping[str, Callable[[Path], tuple[Json, bool]]] = {
    "effects": judge_effects,
    "extract": judge_extract,
    "redact": judge_redact,
    "inject": judge_inject,
}
