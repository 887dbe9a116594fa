"""What the agent is offered of a kata, how its arguments are read, and how a call, a question and an answer are put; it never runs one.

A module of its own, because schema, question and handler must read arguments in one way, or what runs is not what was asked."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Collection, Mapping
from typing import Any

from . import executor, familiar, pages, validator
from .discretion import Discreet
from .model import (
    Json,
    Kata,
    KataError,
    Spec,
    Trace,
    canonical,
)

RESUME = "kata_resume"
LIST_SCHEMA = {
    "name": "kata_list",
    "description": "List the approved routines and their arguments.",
    "parameters": {"type": "object", "properties": {}, "additionalProperties": False},
}
RESUME_SCHEMA = {
    "name": "kata_resume",
    "description": "Resume a stopped routine at its failed step.",
    "parameters": {
        "type": "object",
        "properties": {
            "run": {"type": "string", "description": "Run id from the stopped answer."},
            "with": {"type": "object", "description": "Values that were not kept, by the names that a refusal gave."},
        },
        "required": ["run"],
        "additionalProperties": False,
    },
}


def tool_schema(kata: Kata, bound: Collection[str] = ()) -> dict[str, Json]:
    """What the model sees of a kata; the first sentence is all it gets in the host's catalogue (60 characters, F2)."""
    spec = kata.version.spec
    text = f"{pages.first_sentence(kata)}. Replays an approved routine of {len(spec.steps)} steps in one call: {pages.outline(spec)}."
    return {"name": kata.tool, "description": text, "parameters": executor.input_schema(spec, bound)}


def fitted(spec: Spec, given: Any) -> dict[str, Json]:
    """The arguments as the host hands them to the handler: it makes text fit the schema after the hooks have run."""
    return validator.coerced(given if isinstance(given, dict) else {}, executor.input_schema(spec))


def fitted_resume(args: Any) -> dict[str, Json]:
    return validator.coerced(args if isinstance(args, dict) else {}, RESUME_SCHEMA["parameters"])


def question_key(kata: Kata, given: Mapping[str, Json], session: Any) -> str:
    return canonical([kata.tool, kata.version.spec.digest, dict(given), str(session or "")])


def resume_key(args: Any, session: Any) -> str:
    return canonical([RESUME, fitted_resume(args), str(session or "")])


def call_key(kata: Kata, given: Mapping[str, Json], turn: Any, folder: str) -> str:
    return canonical([str(turn or ""), kata.tool, dict(given), folder])


def approval(name: str, message: str) -> dict[str, str]:
    """The host's directive to ask a person, under a key that no earlier answer holds for (K81)."""
    return {"action": "approve", "message": message, "rule_key": f"kata:{name}:{uuid.uuid4().hex}"}


def discreetly(ask: Callable[[str], bool], masker: Discreet) -> Callable[[str], bool]:
    """A way to ask that shows no secret."""
    return lambda text: ask(str(masker.without(text)))


def elsewhere(ask: Callable[[str], bool], folder: str, question: str) -> bool:
    return ask(f"In {folder}, where no example ran. {question}")


def told_or_why(act: Callable[[], str]) -> str:
    """What an act of ours answers, or why it could not be done, as JSON text."""
    try:
        return act()
    except KataError as error:
        return json.dumps({"error": error.message})
    except RecursionError:
        return json.dumps({"error": "The arguments are nested too deeply"})


def unlike(kata: Kata, trace: Trace, folder: str) -> tuple[str, ...]:
    """What the calls of a run did unlike every example (T37)."""
    calls = [(step.index, step.call) for step in trace.steps if step.call is not None]
    return tuple(map(str, familiar.once(familiar.notes(kata.version.exhibits, calls, folder))))
