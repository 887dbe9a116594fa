"""Kata's side of Hermes: hooks in, tools out; it hands every event over and returns, and runs nothing that was not approved."""

from __future__ import annotations

import functools
import json
import logging
import os
import shutil
import socket
import sys
import threading
import time
import uuid
from argparse import Namespace
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import Any

from . import commands, consent, executor, familiar, pages, scene, switches, validator, ward
from .asking import Hand
from .calling import (
    LIST_SCHEMA,
    RESUME,
    RESUME_SCHEMA,
    approval,
    call_key,
    discreetly,
    elsewhere,
    fitted,
    fitted_resume,
    question_key,
    resume_key,
    told_or_why,
    tool_schema,
    unlike,
)
from .discretion import Discreet, discreet, veil, veiled
from .door import Door
from .driver import GIVEN_UP, INSIDE, UNLOADED, Driver, Gates, Place, asking, budget, confirmed, habits, replay
from .history import History
from .host import (
    CALL_IDS,
    agent_folder,
    backend,
    bound_names,
    configured,
    data_file,
    gates,
    host_limit,
    isolated,
    opener,
    parameters,
    switched_off,
    there,
    today,
    unknown_settings,
    which,
    withheld,
)
from .incognito import ANYWHERE, Incognito
from .layout import laid
from .living import alive, owner
from .model import PLUGIN, PREFIX, Call, InputError, Json, Kata, KataError, Refused, State, Step, StoreError, Usage, canonical, parsed
from .recorder import Recorder, never_breaks_the_agent
from .redact import Masker
from .resuming import DONE, UNDONE, Rest, failed
from .service import Service
from .settings import Settings
from .store import Store
from .terminal import arguments, meanwhile, say
from .turns import ENDING, PRIVATE, whose
from .wording import brief

log = logging.getLogger("kata")

TOOLSET = "kata"
FLUSH_S, FINALIZE_S = 0.3, 1.0
QUICK_S = 0.1
"""How long a hook or `register` waits for a busy file."""
HUNG_S = 600.0
"""A kata whose step hangs is refused until the step came back, or for so long (A22)."""
PASS_ON = "This line is from the Kata plugin and for the user: pass it on in your answer, and do nothing else about it."
KEPT = 1_000
"""Tasks and sessions that are remembered."""
AGAIN_S = 10.0
"""The same call of a kata that changes something, again within so long in one turn, is asked about first (T45)."""
OPINION_S = 0.005
"""How long the agent's own call is looked at before there is no opinion on it."""
MOST_STEPS = 50
"""Steps of a kata that runs (T60); what is learnt has twenty at most."""
SECTION_CHARS = 1_200


def register(ctx: Any) -> None:
    """Open the plugin on Hermes' plugin context: hooks, commands, two static tools, and the approved katas."""
    Plugin(ctx).open()


# ── The plugin object ────────────────────────────────────────────────────────────────────────────


@dataclass(slots=True)
class Ongoing:
    """A run that is under way, or that left a step behind which still hangs; `since` is monotonic seconds."""

    kata: int
    tool: str
    called: str
    """The tool through which it was called: the kata, or `kata_resume`."""
    driver: Driver
    folder: str
    since: float
    over: bool = False

    @property
    def hangs(self) -> bool:
        """Whether it waits for a step that was given up."""
        return bool(self.driver.abandoned) or self.over

    @property
    def done(self) -> bool:
        return self.over and (self.driver.hung is None or not self.driver.hung.is_alive())


class Plugin:
    """All state of one loaded plugin; Hermes may load several, one a profile."""

    def __init__(self, ctx: Any) -> None:
        self.ctx, self.closed = ctx, False
        given = {name: ctx.get_config(name, None) for name in Settings.__slots__}
        self.settings, problems = Settings.read(given)
        self.notes: dict[str, str] = {f"Setting {n}": error.message.removeprefix("Setting ") for n, error in enumerate(problems, 1)}
        self.off = switched_off()
        if self.off:
            self.notes["Kata"] = f"is switched off: {self.off} is set; nothing is recorded, and no kata is a tool"
        self.paused = False
        self.store = Store(opener(), path="plugin-data/kata/data.db", busy=data_file())
        self.history = History()
        now = time.time, replay, today, self._taken, owner(), alive, time.time, parameters, self.history, os.environ.get
        door = Door(*now, which, there)
        self.service = Service(self.store, self.settings, door)
        self.recorder = Recorder(self.service, parameters, self.fault, self.history.origin, around=self._recorded)
        self.incognito = Incognito(self.store, time.time)
        self.active: dict[str, Kata] = {}
        self.trusted: frozenset[tuple[int, str]] = frozenset()
        self.handles: dict[str, tuple[str, Any]] = {}
        self.generation, self._refreshing = -1, threading.Lock()
        self.told: OrderedDict[str, bool] = OrderedDict()  # conversations in which what was new has been said
        self.folders: OrderedDict[str, str] = OrderedDict()
        self.questions: Counter[str] = Counter()
        self.runs: dict[str, Ongoing] = {}
        self._claiming = threading.Lock()
        self.callers: OrderedDict[str, dict[str, str]] = OrderedDict()
        self.lately: OrderedDict[str, float] = OrderedDict()
        self.chats: OrderedDict[str, str] = OrderedDict()

    def open(self) -> None:
        """Register everything; a busy or broken file costs the katas until the next turn, never the start."""
        ctx = self.ctx
        ctx.register_command(
            PLUGIN, self.chat, description="Routines you repeat, as tools you approve", args_hint="[list|review N|approve N as NAME|…]"
        )
        ctx.register_cli_command(PLUGIN, help="Routines you repeat, as tools you approve", setup_fn=arguments, handler_fn=self.shell)
        self._optional("on_unload", self.close)
        if not self.off:
            self._switch_on()

    def _switch_on(self) -> None:
        """Register what listens and what the agent may call."""
        ctx = self.ctx
        hooks = {
            "pre_llm_call": self.pre_llm_call,
            "post_api_request": self.post_api_request,
            "pre_tool_call": self.pre_tool_call,
            "post_tool_call": self.post_tool_call,
            "on_session_start": self.on_session_start,
            "on_session_end": self.on_session_end,
            "on_session_finalize": self.on_session_finalize,
            "pre_command": self.pre_command,
        }
        for name, hook in hooks.items():
            ctx.register_hook(name, hook)
        ctx.register_tool(name="kata_list", toolset=TOOLSET, schema=LIST_SCHEMA, handler=self.kata_list)
        ctx.register_tool(name=RESUME, toolset=TOOLSET, schema=RESUME_SCHEMA, handler=self.kata_resume)
        self._optional("register_system_prompt_section", "kata.active", self.section, max_chars=SECTION_CHARS + 200)
        self.refresh()

    def _optional(self, surface: str, *args: Any, **options: Any) -> None:
        """Use a surface that an older or isolated host may lack; status names what is missing."""
        method = getattr(self.ctx, surface, None)
        if method is None:
            self.notes["Host"] = f"lacks {surface}"
            return
        method(*args, **options)

    @property
    def recording(self) -> bool:
        """Whether the setting and the owner's last word say so, and nothing is switched off."""
        return self.settings.record and not self.paused and not self.off

    def close(self) -> None:
        """Stop the writer and let the file go; later events are refused. A run that is under way starts no further step, and lets the file
        go when its end is written."""
        self.closed = True
        self.recorder.stop()
        with self._claiming:
            going = [one for one in self.runs.values() if not one.over]
        for one in going:
            one.driver.abandoned = UNLOADED
        if not going:
            self.store.close()

    def fault(self, what: str) -> None:
        """Note a fault of ours; the agent's work goes on."""
        told = Masker().text(what)  # it may name what came
        log.warning("Kata: %s", told)
        self.notes["Last fault"] = told[:300]

    @functools.cached_property
    def gates(self) -> Gates:
        """Whom to ask before a step; looked up at the first use, because `register` imports nothing of the host's tools."""
        return gates()

    @functools.cached_property
    def here(self) -> bool:
        """Whether the agent's commands run on this machine and its folder is ours: the plugin host has a folder of its own."""
        return backend() == "local" and not isolated()

    # ── Hooks ────────────────────────────────────────────────────────────────────────────────────

    @never_breaks_the_agent
    def pre_llm_call(self, /, **payload: Any) -> dict[str, str] | None:
        """A user message arrived. Where a chat never ends, what is new is said beside it, for the agent to pass on."""
        self.refresh()
        self.incognito.begins(payload)
        self._hand_over("turn", payload)
        line = self._news(payload) if str(payload.get("platform") or "") not in ENDING else None
        return {"context": f"{line}\n({PASS_ON})"} if line else None

    @never_breaks_the_agent
    def post_api_request(self, /, **payload: Any) -> None:
        """The model answered; its tool calls give the order of what follows (B39)."""
        self._hand_over("request", payload)

    @never_breaks_the_agent
    def pre_tool_call(self, /, **payload: Any) -> dict[str, str] | None:
        """Ask the person before a kata with effects, and before what only a person may do, with a fresh key on every call (K80, K81)."""
        if INSIDE.get():
            return None
        tool = str(payload.get("tool_name"))
        kata = self.active.get(tool)
        if kata is None and tool != RESUME:
            return self._warded(tool, payload)
        self._keep(self.callers, str(payload.get("session_id") or ""), {name: str(payload.get(name) or "") for name in CALL_IDS})
        return self._resuming(payload) if kata is None else self._calling(kata, payload)

    def _calling(self, kata: Kata, payload: Mapping[str, Any]) -> dict[str, str] | None:
        """The question before a call of a kata, where there is one."""
        given = fitted(kata.version.spec, payload.get("args"))
        try:
            checked = executor.check_inputs(kata.version.spec, self.service.filled(kata, given))
        except InputError:
            return None  # the handler says it to the model; a person is not asked about what cannot run
        folder = self._folder(payload.get("task_id"))
        asks, again = self._asks(kata, folder, checked), self._again(kata, call_key(kata, given, payload.get("turn_id"), folder))
        if asks:
            self.questions[question_key(kata, given, payload.get("session_id"))] += 1
        note = f"The same call was made less than {AGAIN_S:.0f} seconds ago." if again else ""
        known = {**checked, **self._around(folder)}
        return approval(kata.name, self.service.question(kata, known, folder, note)) if asks or again else None

    def _again(self, kata: Kata, key: str) -> bool:
        """Whether the same call of a kata that changes something was made in this turn just now (T45); it counts from now on."""
        if all(step.effect.plain_read for step in kata.version.spec.steps):
            return False
        now = time.monotonic()
        again = now - self.lately.get(key, -AGAIN_S) < AGAIN_S
        self._keep(self.lately, key, now)
        return again

    def _resuming(self, payload: Mapping[str, Any]) -> dict[str, str] | None:
        """The question before a stopped run goes on: that of its kata, with the steps that are left."""
        try:
            with self.store.waiting(QUICK_S):
                rest = self._rest(payload.get("args"), str(payload.get("session_id") or ""))
        except KataError:
            return None  # the handler says it to the model
        if not self._asks_again(rest):
            return None
        self.questions[resume_key(payload.get("args"), payload.get("session_id"))] += 1
        return approval(rest.kata.name, self.service.remainder(rest))

    def _warded(self, tool: str, payload: Mapping[str, Any]) -> dict[str, str] | None:
        """Put to the person what the agent does to Kata itself by other tools."""
        args, until = payload.get("args"), time.perf_counter() + OPINION_S
        if not isinstance(args, dict):
            return None
        call = Call(tool, args)
        reason = ward.why(call, self._folder(payload.get("task_id")), lambda: time.perf_counter() > until)
        if not reason:
            return None
        text = f"The agent {reason}: {brief(call, 300)}\nSay yes only if you asked for it. 'always' does not apply."
        return approval("ward", text)

    @never_breaks_the_agent
    def pre_command(self, /, **payload: Any) -> None:
        """A slash command arrived in the gateway: the kind of chat is in its session key."""
        if payload.get("command") == PLUGIN:
            self._keep(self.chats, str(payload.get("args_raw") or "").strip(), str(payload.get("session_key") or ""))

    @never_breaks_the_agent
    def post_tool_call(self, /, **payload: Any) -> None:
        """A call ended."""
        if INSIDE.get():
            return  # a step of a kata is nothing that somebody did (B27)
        result, task = payload.get("result"), payload.get("task_id")
        folder = self._folder(task)
        if payload.get("tool_name") == "terminal" and isinstance(result, str) and '"cwd"' in result:
            self._moved(str(task), parsed(result))
        self._answered(payload, folder)
        self._abandoned(payload)
        self._hand_over("call", self._kept(payload) | {"folder": folder})

    @never_breaks_the_agent
    def on_session_start(self, /, **payload: Any) -> None:
        """A new conversation: know the katas before its prompt is made."""
        self.refresh()

    @never_breaks_the_agent
    def on_session_end(self, /, **payload: Any) -> None:
        """The turn is over (A1): it is written before the agent goes on, and mined behind its back."""
        if self.recording:
            self._hand_over("end", payload)
            self.incognito.ends(payload)
            self.recorder.flush(FLUSH_S, mined=False)

    @never_breaks_the_agent
    def on_session_finalize(self, /, **payload: Any) -> str | None:
        """The conversation is over: one line when there is something new to look at (K16, A40), and nobody but its owner reads it."""
        if self.recording:
            self.recorder.flush(FINALIZE_S, mined=True)
            self.store.hold(self.service.door.owner, self.recorder.held)  # the process may end now
        return self._news(payload)

    def _news(self, payload: Mapping[str, Any]) -> str | None:
        """What is to be told in a conversation of one person, at most once in it."""
        platform, session = str(payload.get("platform") or ""), str(payload.get("session_id") or "")
        message = str(payload.get("user_message") or "")
        if session in self.told or whose(platform, message, lambda: self.history.origin(session).chat) != "person":
            return None
        with suppress(StoreError), self.store.waiting(QUICK_S):  # a busy file: there is another time
            if line := self.service.announcement(platform):
                self._keep(self.told, session, True)
                return line
        return None

    def _answered(self, payload: Mapping[str, Any], folder: str) -> None:
        """Forget the question of a call that is over: what a person answered with no is good for nothing."""
        tool, session = str(payload.get("tool_name")), payload.get("session_id")
        kata = self.active.get(tool)
        if tool == RESUME:
            self.questions.pop(resume_key(payload.get("args"), session), None)
        if kata is None:
            return
        given = fitted(kata.version.spec, payload.get("args"))
        self.questions.pop(question_key(kata, given, session), None)
        if (key := call_key(kata, given, payload.get("turn_id"), folder)) in self.lately:
            self.lately[key] = -AGAIN_S if payload.get("status") == "blocked" else time.monotonic()

    def _abandoned(self, payload: Mapping[str, Any]) -> None:
        """The host says that a call of a kata is over: one that still runs was given up, and must start nothing more (trap 3)."""
        for one in [*self.runs.values()]:
            if not one.over and one.called == payload.get("tool_name") and one.driver.place.session == str(payload.get("session_id") or ""):
                one.driver.abandoned = GIVEN_UP

    def _hand_over(self, kind: str, payload: Mapping[str, Any]) -> None:
        if self.recording and not self.incognito.hides(payload):
            self.recorder.put(kind, time.time(), payload)

    def _kept(self, payload: Mapping[str, Any]) -> dict[str, Any]:
        """A call as it is handed to the recorder: values supplied for one run are not kept, nor is an input that stands in some call of a
        kata in the place of a secret."""
        tool, args = str(payload.get("tool_name")), payload.get("args")
        kata = self.active.get(tool)
        if not isinstance(args, dict) or kata is None and tool != RESUME:
            return dict(payload)
        if kata is None:
            masker, args = Discreet([fitted_resume(args).get("with")]), {key: value for key, value in args.items() if key != "with"}
        else:
            masker = discreet(kata.version, fitted(kata.version.spec, args))
        return dict(payload) | {"args": masker.without(args), "result": masker.without(payload.get("result"))}

    def _moved(self, task: str, result: Json) -> None:
        if isinstance(result, dict) and isinstance(result.get("cwd"), str):
            self._keep(self.folders, task, result["cwd"])

    @staticmethod
    def _keep(table: OrderedDict[str, Any], key: str, value: Any) -> None:
        table[key] = value
        table.move_to_end(key)
        while len(table) > KEPT:
            table.popitem(last=False)

    def _recorded(self, folder: str, at: float) -> Mapping[str, str]:
        """What was around a call; asked on the writer's thread."""
        return scene.recorded(folder, at, self.here)

    def _around(self, folder: str) -> dict[str, str]:
        """What is around a run that begins now."""
        return scene.captured(folder, time.time(), self.here)

    def _folder(self, task: Any) -> str:
        """Where the terminal of a task is, as far as anybody told: what it said last, else where the agent works."""
        return self.folders.get(str(task or "")) or (agent_folder() if self.here else "")

    # ── Katas as tools ───────────────────────────────────────────────────────────────────────────

    def refresh(self) -> None:
        """Register the approved katas of the file, and let go of the others, when anything changed."""
        if self.off or not self._refreshing.acquire(blocking=False):
            return  # another turn that begins is at it
        try:
            with self.store.waiting(QUICK_S):
                generation, self.paused = self.store.generation(), self.service.paused
                if generation != self.generation:
                    self._register(self.service.active())
                    self.generation = generation
            self.notes.pop("File", None)
        except StoreError as error:
            self.notes["File"] = error.message
        finally:
            self._refreshing.release()

    def _register(self, katas: tuple[Kata, ...]) -> None:
        wanted = {kata.tool: (kata, tool_schema(kata, self.service.bound(kata))) for kata in katas}
        made = {tool: canonical([kata.id, kata.version.spec.digest, schema]) for tool, (kata, schema) in wanted.items()}
        for tool, (known, handle) in list(self.handles.items()):
            if made.get(tool) != known:
                handle.dispose()
                del self.handles[tool]
        for tool, (kata, schema) in wanted.items():
            if tool not in self.handles:
                self._register_one(kata, schema, made[tool])
        self.active = {tool: kata for tool, (kata, _) in wanted.items() if tool in self.handles}
        self.trusted = self.store.trusted()

    def _register_one(self, kata: Kata, schema: Json, made: str) -> None:
        tool, handler = kata.tool, functools.partial(self.run, kata.id)
        handle = self.ctx.register_tool(name=tool, toolset=TOOLSET, schema=schema, handler=handler)
        if handle is None:
            self.notes[f"Tool {tool}"] = "not registered: the host refused the name"
        else:
            self.handles[tool] = (made, handle)
            self.notes.pop(f"Tool {tool}", None)

    def _taken(self, tool: str) -> bool:
        return tool not in self.handles and parameters(tool) is not None

    def run(self, number: int, args: Any, **place: Any) -> str:
        """The handler of a kata: replay it where it was called from, and answer with what became of every step."""
        return told_or_why(lambda: self._run(number, args if isinstance(args, dict) else {}, place))

    def _run(self, number: int, args: Mapping[str, Json], place: Mapping[str, Any]) -> str:
        kata = self._live(self.service.store.kata(number))
        filled = self.service.filled(kata, args)
        checked = executor.check_inputs(kata.version.spec, filled)  # the run makes of them what the question showed, once

        def approved() -> None:
            if self._asks(kata, self._folder(place.get("task_id")), checked):
                self._passed(kata.tool, question_key(kata, args, place.get("session_id")))

        return self._begin(kata, args, place, approved)

    def _begin(
        self,
        kata: Kata,
        args: Mapping[str, Json],
        place: Mapping[str, Any],
        approved: Callable[[], None],
        ask: Callable[[str], bool] | None = None,
    ) -> str:
        spec, given = kata.version.spec, self.service.filled(kata, args)
        self._possible(kata, spec.steps)
        run_id = uuid.uuid4().hex[:12]
        driver = self._driver(kata, self.place(place, run_id))
        folder = driver.place.folder
        if why := self.service.gone(kata, folder):
            raise InputError(f"Nothing was run: {why}")
        with self._claimed(run_id, Ongoing(kata.id, kata.tool, kata.tool, driver, folder, time.monotonic())):
            approved()
            send = confirmed(driver, spec, discreetly(ask, veil(spec, given))) if ask else driver
            trace = self.service.start(kata, given, run_id, driver.place.session, send, folder, self._around(folder))
        told = veiled(trace, spec, given)
        return executor.answer(told, spec, run_id, unlike(kata, told, folder))

    def ordered(self, kata: Kata, given: Mapping[str, Json], ask: Callable[[str], bool] | None = None) -> dict[str, Json]:
        """Run a kata for a person, without a model: the answer. Before each step that does more than read the person is asked; without
        `ask` (a chat, or no terminal) such a kata is Refused, and nothing is run."""
        if ask is None and not all(step.effect.plain_read for step in kata.version.spec.steps):
            raise Refused(f"{kata.tool} does more than read, and there is no terminal here to ask you on; nothing was run")
        name = f"kata:{uuid.uuid4().hex[:12]}"
        if ask is not None and consent.strange(kata, folder := self._folder(name)):
            ask = functools.partial(elsewhere, ask, folder)
        told: dict[str, Json] = json.loads(told_or_why(lambda: self._begin(kata, given, {"task_id": name}, lambda: None, ask)))
        return told

    def hand(self, ask: Callable[[str], bool] | None = None) -> Hand:
        """How a command that a person gives here runs a kata."""
        folder = self._folder("")
        program = shutil.which("hermes") or "hermes"
        names = tuple({os.path.basename(os.path.expanduser("~")), socket.gethostname()} - {"", "root"})
        return Hand(lambda kata, given: self.ordered(kata, given, ask), folder, program, self._around(folder), names, ask)

    def _live(self, kata: Kata | None) -> Kata:
        """The kata, when it is what this process has registered, and no other kata runs around it."""
        known = self.active.get(kata.tool) if kata is not None and kata.state is State.ACTIVE else None
        if kata is None or known is None or kata.version.spec.digest != known.version.spec.digest:
            raise InputError("This kata is not active any more, or was changed; nothing was run")
        if INSIDE.get():
            raise InputError("A kata is no step of another kata; nothing was run")
        return kata

    # ── Going on with a stopped run ──────────────────────────────────────────────────────────────

    def kata_resume(self, args: Any, **place: Any) -> str:
        """The static tool `kata_resume`: go on with a run of this conversation at the step at which it stopped (A21, T53)."""
        return told_or_why(lambda: self._resume(args, place))

    def _rest(self, args: Any, session: str) -> Rest:
        given = fitted_resume(args)
        run, supplied = given.get("run"), given.get("with")
        supplied = {} if supplied is None else supplied
        if not isinstance(run, str) or not isinstance(supplied, dict) or set(given) - {"run", "with"}:
            raise InputError("Expected 'run', the id of a stopped run, and where values are missing 'with', an object of names and values")
        return self.service.left(run, supplied, session)

    def _resume(self, args: Any, place: Mapping[str, Any]) -> str:
        rest = self._rest(args, str(place.get("session_id") or ""))
        self._live(rest.kata)

        def approved() -> None:
            if self._asks_again(rest):
                self._passed(RESUME, resume_key(args, place.get("session_id")))

        return self._go_on(rest, place, approved)

    def by_hand(self, word: str, supplied: Mapping[str, Json], said: str = "", ask: Callable[[str], bool] | None = None) -> str:
        """Go on with a stopped run for a person in a shell: the answer as JSON text. Before each step that does more than read the person
        is asked; without `ask` (no terminal) such a run is Refused, and nothing is run. `said` is `DONE` or `UNDONE` of `resuming`."""
        rest, ask = self.service.left(word, supplied, None, said), ask or asking(sys.stdin, sys.stderr)
        if ask is None and not all(step.effect.plain_read for step in rest.steps):
            raise Refused("What is left has effects, and there is no terminal here to ask you on; nothing was run")
        place = {"task_id": f"kata:{rest.run.id}", "session_id": rest.run.session}
        return self._go_on(rest, place, lambda: None, ask)

    def _go_on(self, rest: Rest, place: Mapping[str, Any], approved: Callable[[], None], ask: Callable[[str], bool] | None = None) -> str:
        self._possible(rest.kata, rest.steps, rest.at)
        run_id = uuid.uuid4().hex[:12]
        driver = self._driver(rest.kata, self.place(place, run_id))
        driver.folder = rest.folder or driver.folder
        if why := self.service.gone(rest.kata, rest.run.folder or driver.folder, rest.at):
            raise InputError(f"Nothing was run: {why}")
        with self._claimed(run_id, Ongoing(rest.kata.id, rest.kata.tool, RESUME, driver, driver.folder, time.monotonic())):
            approved()
            send = confirmed(driver, rest.spec, discreetly(ask, veil(rest.spec, rest.given))) if ask else driver
            trace = self.service.resume(rest, run_id, driver.place.session, send)
        told = veiled(trace, rest.spec, rest.given)
        return executor.answer(told, rest.spec, run_id, unlike(rest.kata, told, driver.folder))

    def _driver(self, kata: Kata, place: Place) -> Driver:
        limit, known = self.settings.step_timeout_s, habits(kata.version)
        return Driver(self.ctx.dispatch_tool, place, limit, gates=self.gates, known=known, seconds=budget(host_limit()))

    def _possible(self, kata: Kata, steps: Sequence[Step], before: int = 0) -> None:
        """Refuse a run of which some step cannot run as things are: all are looked at before the first runs (B14); `before` are done. A
        kata whose tools have changed is taken out of use (A18)."""
        if len(steps) > MOST_STEPS:
            raise InputError(f"Nothing was run: it has {len(steps)} steps, and no run has more than {MOST_STEPS}")
        problems = [f"step {number}: {problem}" for number, step in enumerate(steps, before + 1) if (problem := self._obstacle(step))]
        if problems:
            found = {step.tool: parameters(step.tool) for step in steps}
            with suppress(StoreError):  # the answer must reach the agent
                self.service.drifted(kata, {tool: validator.fingerprint(one) for tool, one in found.items() if one is not None})
            raise InputError(f"Nothing was run: {'; '.join(problems)}")

    def _obstacle(self, step: Step) -> str:
        if step.tool.startswith(PREFIX):
            return f"{step.tool} is a kata, and a kata is no step of another"
        found = parameters(step.tool)
        if found is None:
            return "" if isolated() else f"the tool {step.tool} is not there now"
        if why := withheld(step.tool):
            return f"the tool {step.tool} belongs to the tool set {why}"
        now = validator.fingerprint(found)
        return validator.drift(step.tool, step.schema, now, lambda name: found if name == now else self.store.schema(name))[0]

    def _claim(self, run_id: str, wanted: Ongoing) -> None:
        """Enter a run, unless the kata still hangs somewhere (A22) or runs in this folder already."""
        with self._claiming:
            if self.closed:
                raise InputError(f"{UNLOADED}; nothing was run")
            self.runs = {name: one for name, one in self.runs.items() if not one.done and time.monotonic() - one.since < HUNG_S}
            for one in self.runs.values():
                if one.kata == wanted.kata and one.hangs:
                    raise InputError(f"{wanted.tool} is still busy with a step of an earlier run that timed out; nothing was run")
                if one.kata == wanted.kata and one.folder == wanted.folder:
                    raise InputError(f"{wanted.tool} runs in this folder already; nothing more was run")
            self.runs[run_id] = wanted

    @contextmanager
    def _claimed(self, run_id: str, wanted: Ongoing) -> Iterator[None]:
        """Let one run be under way inside the block."""
        self._claim(run_id, wanted)
        try:
            yield
        finally:
            self._over(run_id)

    def _over(self, run_id: str) -> None:
        with self._claiming:
            one = self.runs.get(run_id)
            if one is not None:
                one.over, one.since = True, time.monotonic()
            if one is not None and one.done:
                del self.runs[run_id]
            last = self.closed and all(other.over for other in self.runs.values())
        if last:
            self.store.close()

    def _asks(self, kata: Kata, folder: str, given: Mapping[str, Json] | None = None) -> bool:
        """Whether a person is asked before a run: for its effects, because it writes where no example did, or because
        the owner wants to be asked always; a trusted kata of plain local steps is not (T40), but for paths that lead elsewhere (T37)."""
        known = consent.asks(kata, folder, self.service.always, (kata.id, kata.version.spec.digest) in self.trusted)
        return known or given is not None and familiar.astray(kata, given, folder)

    def _asks_again(self, rest: Rest) -> bool:
        """Whether a person is asked before a run goes on: as before the run, and wherever an effect that failed would be tried again."""
        return bool(failed(rest)) or self._asks(rest.kata, rest.run.folder)

    def _passed(self, tool: str, key: str) -> None:
        """Refuse a call with effects that did not pass our question: whoever dispatches it directly goes around the host's approval (host
        contract, F3)."""
        if self.questions[key] < 1:
            raise InputError(f"{tool} has effects and must be approved for this call; the question was not asked, so nothing was run")
        self.questions[key] -= 1
        self.questions += Counter()  # drops what fell to zero

    def place(self, given: Mapping[str, Any], run_id: str) -> Place:
        """Where a run happens: the caller's task, and the folder its terminal is in. A container that is kept by task would be another one
        under an id of our own."""
        task, session = str(given.get("task_id") or ""), str(given.get("session_id") or "")
        private = f"{task}:kata:{run_id}" if backend() in ("local", "ssh") else task
        return Place(task, session, private, self._folder(task), self.callers.get(session, {}))

    def kata_list(self, args: Any, **place: Any) -> str:
        """The static tool `kata_list`: what is active, with arguments; it only reads."""
        katas = [
            {"tool": kata.tool, "arguments": executor.input_schema(spec, self.service.bound(kata)), "does": pages.outline(spec)}
            for kata, spec in ((kata, kata.version.spec) for kata in self.active.values())
        ]
        return json.dumps({"katas": katas})

    def section(self, info: Any) -> str:
        """The block of a new session's prompt that names the active katas; empty when there are none."""
        lines = [pages.prompt_line(kata) for kata in sorted(self.active.values(), key=lambda kata: kata.tool)]
        if not lines:
            return ""
        head = "Approved routines, each one call through tool_call instead of its steps by hand:"
        kept = [line for index, line in enumerate(lines) if sum(len(one) + 1 for one in (head, *lines[: index + 1])) <= SECTION_CHARS]
        return "\n".join((head, *kept))

    # ── Commands ─────────────────────────────────────────────────────────────────────────────────

    def chat(self, raw: str = "") -> str:
        """`/kata …` in a chat; where several people read, it only tells (T46)."""
        words = commands.split(raw or "")
        told = [word for word in words if word.lower() != "--json"] or ["list"]
        verb, crowded = told[0].lower(), self._crowded(raw or "")
        if crowded and ward.decides(told):
            return (
                f"'/kata {verb[:40]}' decides for the owner of this agent, and several people are in this chat. Do it in a direct chat "
                "with the agent, in a shell (hermes kata …), or in the Kata tab of the dashboard."
            )
        if verb == "teach":
            self.recorder.flush(FINALIZE_S, mined=False)  # what was done just now is what is taught
        surface, hand = "group" if crowded else "chat", self.hand()
        answer = commands.run(self.service, words, surface, host=self._host_lines(), hand=hand, session=self._session())
        if verb == "incognito" and answer.json.get("incognito"):
            several = any(name == "HERMES_SESSION_KEY" and value for name, value in bound_names())
            self.incognito.ask(self._session() if several else ANYWHERE)
        self.refresh()
        return answer.text

    def _session(self) -> str:
        """The session of the chat in which a command is given; of several chats in one process the host binds the key to the command."""
        bound = {name: value for name, value in bound_names() if isinstance(value, str)}
        told, key = bound.get("HERMES_SESSION_ID", ""), bound.get("HERMES_SESSION_KEY", "")
        if told or key:
            return told or self.history.chat(key)
        last = next(reversed(self.recorder.places.sessions.values()), "")
        return os.environ.get("HERMES_SESSION_ID", "") or last

    def _crowded(self, raw: str) -> bool:
        """Whether a command comes from a chat with several people: the host binds the kind of chat to the context of a command, and tells
        `pre_command` the session key, of which it is the fourth part."""
        bound = {name: value for name, value in bound_names() if isinstance(value, str)}
        key = self.chats.pop(raw.strip(), "") or bound.get("HERMES_SESSION_KEY", "")
        parts = key.split(":")
        told = parts[3] if parts[0] == "agent" and len(parts) > 3 else ""
        return not {bound.get("HERMES_SESSION_CHAT_TYPE", "") or told, told} <= PRIVATE

    def shell(self, args: Namespace) -> int:
        """`hermes kata …` in a shell; the exit code is 0, 1 (refused) or 2 (not understood)."""
        words, asks = list(args.words), False
        with suppress(Usage):  # the command says it
            line = switches.read(words)
            asks = line.words[:1] in (("run",), ("cleanup",))  # who is asked on the screen is told nothing beside it
            if line.words[:1] == ("resume",) and not line.help:
                return self._resumed(line)
        with nullcontext() if asks else meanwhile(self.store, lambda: self.service.doing):
            hand = self.hand(asking(sys.stdin, sys.stderr) if asks else None)
            answer = commands.run(self.service, words, "cli", host=self._host_lines(), hand=hand)
        if answer.text:  # a run that is to speak on change only may have nothing to say
            say(answer.text)
        return answer.code

    def _resumed(self, line: switches.Line) -> int:
        """`hermes kata resume RUN`: the page of the run that went on, or why it did not."""
        given, said = line.given.get("--with", ()), [SAID[option] for option in SAID if option in line.given]
        if len(line.words) != 2 or not all("=" in one for one in given) or len(said) > 1:
            say(laid("Expected: hermes kata resume RUN [--with NAME=VALUE] [--it-happened | --it-did-not-happen]"))
            return 2
        supplied = dict(one.partition("=")[::2] for one in given)
        answer = json.loads(told_or_why(lambda: self.by_hand(line.words[1], supplied, "".join(said))))
        page = commands.run(self.service, ["runs", answer["run"]], "cli").text if "run" in answer else ""
        say(json.dumps(answer, indent=2) if line.json else "\n\n".join(filter(None, (laid(answer.get("error", "")), page))))
        return int("error" in answer)

    def _host_lines(self) -> dict[str, str]:
        odd = {f"Setting ?{n}": f"{name[:60]!r} is none of ours; it has no effect" for n, name in enumerate(unknown_settings(), 1)}
        odd |= {"Other plugins": f"{self.gates.missing}; katas with effects hand back"} if self.gates.missing else {}
        odd |= {"Incognito": "the next message of this chat is not recorded"} if self.incognito.waiting else {}
        return dict(self.notes) | odd | ({"Dropped": f"{self.recorder.dropped} events that found no room"} if self.recorder.dropped else {})


SAID = {"--it-happened": DONE, "--it-did-not-happen": UNDONE}
"""What a person found out about a step whose end nobody saw."""


@contextmanager
def visited() -> Iterator[Service]:
    """A service on the file of the profile that counts now, for a door that is not the agent (the dashboard); let go at the end."""
    given = configured("plugins", "entries", PLUGIN, "settings")
    settings, _ = Settings.read(given if isinstance(given, dict) else {})
    store = Store(opener(), path="plugin-data/kata/data.db", busy=data_file())
    try:
        door = Door(time.time, replay, today, lambda tool: parameters(tool) is not None, owner(), alive, which=which, there=there)
        yield Service(store, settings, door)
    finally:
        store.close()
