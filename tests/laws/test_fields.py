"""The law of the doors: a secret of a listed kind in any field of a hook, any word or any file that comes in reaches no disk: not the
database, its journal or the log, and no export or answer of the dashboard."""

import itertools
import json
import logging
import os
import re
import sys
import types
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from published import forms, secret
from shelves import Shelf
from stand_in import Context, approve, installed, reader
from strategies import opened, raw

from kata import register, secrecy, share, validator
from kata.dashboard import desk
from kata.manual import VERBS
from kata.model import Kata
from kata.runtime import visited

Json = Any
Fire = Callable[..., Any]
TURN, S = "20261130_100000_aaaaaa:1", "20261130_100000_aaaaaa"
IDS = {"session_id": S, "task_id": S, "turn_id": TURN}
ASKED = IDS | {"tool_name": "terminal", "args": {"command": "ls"}, "tool_call_id": "call_1", "api_request_id": f"{TURN}:api:1"}
PAYLOADS: Mapping[str, Mapping[str, Json]] = {
    "on_session_start": {"session_id": S, "model": "m", "platform": "cli"},
    "pre_llm_call": IDS
    | {"user_message": "please", "conversation_history": [], "is_first_turn": True, "model": "m", "platform": "cli"}
    | {"parent_session_id": "", "sender_id": "ann"},
    "post_api_request": IDS
    | {"api_request_id": f"{TURN}:api:1", "platform": "cli", "model": "m", "provider": "custom", "base_url": "http://a", "usage": {}}
    | {"api_mode": "chat", "api_call_count": 1, "api_duration": 0.5, "finish_reason": "tool_calls", "response_model": "m", "response": {}}
    | {"assistant_message": {"tool_calls": [{"id": "call_1"}]}, "moa_references": [], "message_count": 2},
    "pre_tool_call": ASKED | {"middleware_trace": []},
    "post_tool_call": ASKED
    | {"result": '{"output": "a", "exit_code": 0, "error": null, "cwd": "/srv/work"}', "duration_ms": 5, "status": "ok"}
    | {"error_type": "", "error_message": "", "middleware_trace": []},
    "on_session_end": IDS
    | {"completed": True, "failed": False, "interrupted": False, "turn_exit_reason": "", "model": "m", "platform": "cli", "reason": ""},
    "on_session_finalize": {"session_id": S, "platform": "cli", "reason": "shutdown", "old_session_id": "", "new_session_id": ""},
    "pre_command": {"command": "kata", "args_raw": "list", "session_key": "agent:main:cli", "platform": "cli"},
}
"""What the host says in each hook that we register (host 0.22.2), in the order of a turn."""
OPEN = {
    *(("pre_llm_call", name) for name in ("user_message", "conversation_history")),
    *(("post_api_request", name) for name in ("usage", "response", "assistant_message", "moa_references")),
    *((hook, name) for hook in ("pre_tool_call", "post_tool_call") for name in ("args", "result", "middleware_trace")),
}
"""The fields that may be any JSON."""
SHAPES_EACH = 1 if int(os.environ.get("KATA_EXAMPLES", "200")) <= 200 else 10
"""How often each field has its turn."""
SHAPES: tuple[Callable[[str], Json], ...] = (
    lambda one: one,
    lambda one: f"use {one} now",
    lambda one: {"query": {"deep": [one, f"--key={one}"]}, one: 1},
    lambda one: json.dumps({"output": f"got {one}", "exit_code": 1, "error": one, "cwd": f"/srv/{one}"}),
    lambda one: [{"type": "text", "text": one}],
)
FORMS = forms()


@dataclass
class Spill:
    """The plugin on a stand-in host, and every secret that was given to it, with where."""

    file: Path
    context: Context
    shelf: Shelf
    log: list[str]
    given: dict[str, str] = field(default_factory=dict)
    drawn: Iterator[tuple[str, str]] = field(default_factory=lambda: itertools.cycle(FORMS))

    def new(self, where: str, pattern: str = ".+") -> str:
        """A secret of the next form of which the whole fits the pattern, remembered under where it is put."""
        made = ""
        while not re.fullmatch(pattern, made):
            kind, form = next(self.drawn)
            made = secret(form, len(self.given))
        self.given[made] = f"{where} ({kind} {form[:12]}…)"
        return made

    def fire(self, payloads: Mapping[str, Mapping[str, Json]]) -> None:
        """One turn, from hook to hook."""
        for name, payload in payloads.items():
            self.context.hooks[name](telemetry_schema_version="hermes.observer.v1", **payload)

    def turn(self, number: int, **changed: Mapping[str, Json]) -> None:
        """One turn of a session of its own, with changed fields in some hooks; it ends only where its end is changed, since each end
        waits for the disk."""
        own = json.loads(json.dumps(PAYLOADS).replace(S, f"{S}{number}"))
        waiting = {"on_session_end", "on_session_finalize"} - {*changed}
        self.fire({name: own[name] | changed.get(name, {}) for name in own if name not in waiting})

    def work(self, name: str, *commands: str) -> None:
        """One turn with these commands, each of which prints something else."""
        own = json.loads(json.dumps(PAYLOADS).replace(S, name))
        calls = [{"args": {"command": one}, "tool_call_id": f"{name}-{at}"} for at, one in enumerate(commands)]
        message = {"assistant_message": {"tool_calls": [{"id": call["tool_call_id"]} for call in calls]}}
        self.fire({hook: own[hook] | (message if hook == "post_api_request" else {}) for hook in ("pre_llm_call", "post_api_request")})
        for call in calls:
            result = json.dumps({"output": f"{name} was here", "exit_code": 0, "error": None})
            self.context.hooks["post_tool_call"](**own["post_tool_call"] | call | {"result": result})
        self.fire({"on_session_end": own["on_session_end"]})

    def say(self, *words: str) -> None:
        """A command in chat and shell; what it answers is for whoever typed it."""
        self.context.commands["kata"](" ".join(words))
        self.context.commands["hermes kata"](Namespace(words=[*words]))

    @property
    def places(self) -> dict[str, bytes]:
        """Everything that lies on a disk or is told to somebody else."""
        told = {"database and journal": raw(self.file) + opened(self.file), "log": "\n".join(self.log).encode()}
        return told | {"dashboard": "\n".join(looks()).encode(), "export": "\n".join(exports()).encode()}

    def traces(self) -> list[str]:
        """Where something of a secret stands, and where it had been put."""
        found = []
        for place, content in self.places.items():
            found += [f"{where} is in {place}" for one, where in self.given.items() if any(run in content for run in runs(one))]
        return found


def runs(made: str) -> list[bytes]:
    """Three runs of nine drawn characters of a secret, each of which tells that it is there: its beginning may be a public address."""
    tail = re.sub(r"^https://\S+?/(?=[A-Za-z0-9_-]{24,}$)", "", made)[-24:]
    return [tail[at : at + 9].encode() for at in (0, 8, len(tail) - 9)]


def looks() -> Iterator[str]:
    """What the dashboard answers at each address at which it only looks."""
    with visited() as service:
        acts = [desk.overview, desk.katas, desk.near, desk.audit, desk.runs, *(desk.one(str(kata.id)) for kata in service.katas())]
        acts += [desk.run(row.id) for row in service.store.runs(None, 100)]
        for act in acts:
            yield json.dumps(desk.reply(act, service, desk.Asked()).json, default=str, ensure_ascii=False)


def exports() -> Iterator[str]:
    with visited() as service:
        for kata in service.katas():
            yield share.as_skill(kata)
            if kata.version.exhibits:
                yield share.as_json(kata)


@contextmanager
def history(shelf: Shelf) -> Iterator[None]:
    """`hermes_state` of the host, with these sessions and rows."""

    class SessionDB:
        def __init__(self, read_only: bool = False) -> None: ...

        def get_session(self, session: str) -> Json:
            return next((row for row in shelf.found if row["id"] == session), None)

        def list_sessions_rich(self, limit: int, offset: int = 0, **more: Json) -> Json:
            return shelf.found[offset : offset + limit]

        def get_messages(self, session: str, limit: int, after_id: int, **more: Json) -> Json:
            return [row for row in shelf.rows[session] if row["id"] > after_id][:limit]

        def close(self) -> None: ...

    module: Any = types.ModuleType("hermes_state")
    module.SessionDB = SessionDB
    before = sys.modules.get("hermes_state")
    sys.modules["hermes_state"] = module
    try:
        yield
    finally:
        sys.modules.pop("hermes_state")
        if before is not None:
            sys.modules["hermes_state"] = before


@pytest.fixture
def spill(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Iterator[Spill]:
    (tmp_path / "project").mkdir()
    caplog.set_level(logging.DEBUG)
    with ExitStack() as stack:
        file, shelf = stack.enter_context(installed(tmp_path)), Shelf()
        stack.enter_context(history(shelf))
        spill = Spill(file, Context(), shelf, [])
        register(spill.context)
        yield spill
        for callback in spill.context.unloads:
            callback()


def settled(spill: Spill, caplog: pytest.LogCaptureFixture) -> list[str]:
    """The traces, once all is written and looked at."""
    spill.fire({"on_session_finalize": PAYLOADS["on_session_finalize"]})
    spill.context.commands["kata"]("mine")
    spill.log += [record.getMessage() for record in caplog.records]
    return spill.traces()


def test_no_field_of_a_hook_carries_a_secret_to_the_disk(spill: Spill, caplog: pytest.LogCaptureFixture) -> None:
    """T7, B18: each field of each hook alone, every listed form in its turn; then all of them at once, in every shape."""
    assert set(PAYLOADS) == set(spill.context.hooks)
    fields = [(hook, name) for hook, payload in PAYLOADS.items() for name in payload]
    for number, (hook, name, more) in enumerate((hook, name, more) for more in range(SHAPES_EACH) for hook, name in fields):
        shape = SHAPES[(number + more) % len(SHAPES)] if (hook, name) in OPEN else SHAPES[number % 2]
        spill.turn(number, **{hook: {name: shape(spill.new(f"{hook} {name}"))}})
    for shape in SHAPES:
        one = {name: spill.new(f"every {name}") for _, name in fields}
        shaped = {(hook, name): shape(one[name]) if (hook, name) in OPEN else one[name] for hook, name in fields}
        every = {hook: {name: shaped[hook, name] for name in payload} for hook, payload in PAYLOADS.items()}
        spill.fire(every)
        spill.fire({hook: payload | {"args": {"q": 1}} for hook, payload in every.items()})
    assert settled(spill, caplog) == []
    with visited() as service:
        assert service.store.facts()["calls"] > len(fields), "what holds a secret is kept all the same"


def test_no_schema_of_a_tool_carries_a_secret_to_the_disk(spill: Spill, caplog: pytest.LogCaptureFixture) -> None:
    """T7: every listed form as a default, a choice, a pattern, a name and a remark of another plugin's tool; the tool is known all the
    same."""
    registry = sys.modules["tools.registry"].registry
    for number, (shape, _) in enumerate(itertools.product(SPOTS, range(1 + len(FORMS) // len(SPOTS)))):
        tool = f"fetch{number}"
        registry.schemas[tool] = {"name": tool, "parameters": {"type": "object", "properties": {"url": shape(spill.new("a schema"))}}}
        spill.turn(number, post_tool_call={"tool_name": tool, "args": {"url": "a"}})
    assert settled(spill, caplog) == []
    with visited() as service:
        made = [one["parameters"] for name, one in registry.schemas.items() if "fetch" in name]
        assert all(service.store.schema(validator.fingerprint(one)) for one in made)


SPOTS: tuple[Callable[[str], Json], ...] = (
    lambda one: {"type": "string", "default": one},
    lambda one: {"enum": ["", f"use {one} now"]},
    lambda one: {"anyOf": [{"pattern": one}, {"properties": {one: {"type": "string"}}}]},
    lambda one: {"type": "string", "x-vendor": {"deep": [one]}, "$id": f"see {one}"},
)


def test_no_row_of_the_history_brings_a_secret(spill: Spill, caplog: pytest.LogCaptureFixture) -> None:
    """T17: each field of a session and of a message that the host keeps."""
    shelf = spill.shelf
    for number in range(3):
        name = shelf.begin(f"s{number}", cwd=f"/srv/{spill.new('cwd')}", title=spill.new("title"))
        shelf.turn(name, ("terminal", {"command": f"deploy {spill.new('command')}"}, {"output": spill.new("output"), "exit_code": 0}))
        shelf.turn(name, (spill.new("tool"), {spill.new("key"): spill.new("argument")}, spill.new("answer")), message=spill.new("message"))
        for field_name in ("message_uid", "tool_name", "tool_call_id", "reasoning", "finish_reason"):
            shelf.row(name, "user", "please", **{field_name: spill.new(field_name)})
    for field_name in ("id", "source", "parent_session_id", "end_reason", "chat_type", "model"):
        made = spill.new(field_name)
        name = shelf.begin(made if field_name == "id" else f"s-{field_name}", **({} if field_name == "id" else {field_name: made}))
        shelf.turn(name, ("terminal", {"command": "ls"}, {"output": "a", "exit_code": 0}))
    spill.context.commands["hermes kata"](Namespace(words=["learn", "--since", "3650"]))
    assert settled(spill, caplog) == []
    with visited() as service:
        assert service.store.facts()["calls"] > 8


def taught(spill: Spill) -> Kata:
    """A kata in use, and a proposal with one secret input, which is given back; both came through the hooks."""
    approve(spill.file, reader(), "look")
    for number, word in enumerate(("amber", "birch", "cobalt")):
        asked = f"curl -H 'Authorization: Bearer {secret('ghp_{w36}', number)}' https://example.org/v1/{word}"
        spill.work(f"taught{number}", asked, f"deploy --now {word}")
    spill.fire({"on_session_finalize": PAYLOADS["on_session_finalize"]})
    with visited() as service:
        return next(kata for kata in service.katas() if secrecy.fields(kata.version.spec))


def test_no_word_of_a_command_leaves_a_secret(spill: Spill, caplog: pytest.LogCaptureFixture) -> None:
    """T7, T22, T43, T69: what a person types where something else is wanted, as the name of a variable, an input, a kata, is not kept."""
    hidden = taught(spill)
    (token,) = [one.name for one in secrecy.fields(hidden.version.spec)]
    plain = next(one.name for one in hidden.version.spec.inputs if one.name != token)
    spill.say("review", str(hidden.id))
    for one in SPOKEN:
        words = one.format(n=hidden.id, token=token, plain=plain, s="SECRET", w="SIMPLE", l="SMALL").split()
        for kind, form in (("SIMPLE", r"\w+"), ("SMALL", "[a-z][a-z0-9_]{1,58}"), ("SECRET", ".+")):
            words = [word.replace(kind, spill.new(one, form)) if kind in word else word for word in words]
        spill.say(*words)
    for verb in VERBS:
        if verb not in ("cleanup", "purge", "record"):
            spill.say(verb, spill.new(verb))
            spill.say(verb, "kata_look", spill.new(f"{verb} kata"))
    assert settled(spill, caplog) == []


SPOKEN = (
    *("approve {n} as {s}", "approve {n} --as {s} --confirm {s}", "approve {n} as {l}", "rename look {l}", "rename look {s}"),
    *("bind {n} {token} {s}", "bind {n} {token} {w}", "bind {n} {token} ${w}", "bind {n} {s} PATH", "bind {n} {token} PASSWORD={w}"),
    *("edit {n} help use {s} here", "edit {n} help {w}", "edit {n} input {plain} help {s}", "edit {n} input {plain} name {s}"),
    *("edit {n} input {plain} name {l}", "edit {n} input {plain} default {s}", "edit {n} input {plain} choices {s},b"),
    *("edit {n} input {token} default {s}", "edit {n} {s} {s}", "teach --vary word={s}", "teach --vary {s}=ls", "teach --vary {l}=ls"),
    *("run look path={s}", "run look path=src/{s}", "run {s} a=b", "what-if {n} {s}", "export {n} --format {s}", "import {s}"),
    *("purge folder /srv/{s}", "purge conversation {s} yes", "resume {s} --with a={s}", "run look path=a --cron {s}", "relax {n} {s}"),
    *("stop {s}", "audit {s}", "runs {s}", "{s}"),
)
"""Lines in which a secret stands where it does not belong, or is given to one run."""


def test_no_file_that_is_imported_brings_a_secret(spill: Spill, caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    """T71: in every text of the spec and of the example, one after the other; without one it comes in."""
    whole = json.loads(share.as_json(taught(spill)))
    told = {name: whole[name] for name in ("kata", "name", "spec", "example")}
    spill.context.commands["kata"]("cleanup yes")
    file, found = tmp_path / "kata.json", []
    for changed in (*planted(told, spill), told):
        file.write_text(json.dumps(changed | {"digest": share._digest(changed)}), encoding="utf-8")
        spill.context.commands["hermes kata"](Namespace(words=["import", str(file), *EVERYWHERE]))
        with visited() as service:
            came = service.katas()
        if came:
            found += spill.traces()
            spill.context.commands["kata"]("cleanup yes")
    assert came and found == [] and settled(spill, caplog) == []


EVERYWHERE = [word for host in ("example.org", "hooks.slack.com", "discord.com", "discordapp.com") for word in ("--bind", f"{host}={host}")]


def planted(value: Json, spill: Spill) -> Iterator[Json]:
    """The value once for each text in it, with a secret behind that text."""
    if isinstance(value, str):
        yield f"{value} {spill.new('imported text')}".strip()
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        for inner in planted(value[key], spill):
            copy = value.copy()
            copy[key] = inner
            yield copy
