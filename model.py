"""The nouns of Kata: frozen records, the expressions of a spec, and the error tree; it never reads a clock, a file or the host."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

Json = Any  # the only place where "any" is honest: JSON as it comes from outside
SPEC_FORMAT = 1
PLUGIN = "kata"
PREFIX = "kata_"
SHELL_TOOLS: Mapping[str, str] = {"terminal": "command", "bash": "command"}
"""Tools whose argument of that name is a shell command."""


# ── Errors: what was wanted, what came, where ────────────────────────────────────────────────────


class KataError(Exception):
    """One sentence for a person; with `source` and `at` (a character offset), `str()` draws a caret below the place."""

    def __init__(self, message: str, *, source: str = "", at: int | None = None) -> None:
        super().__init__(message)
        self.message, self.source, self.at = message, source, at

    def __str__(self) -> str:
        if self.at is None:
            return self.message
        start = self.source.rfind("\n", 0, self.at) + 1
        line = self.source[start:].split("\n", 1)[0]
        return f"{self.message}\n  {line}\n  {' ' * (self.at - start)}^"


class PayloadError(KataError):
    """A hook payload that is not what the host promises."""


class SettingError(KataError):
    """A setting of the wrong type or out of range."""


class OpaqueCommand(KataError):
    """A shell command that our parser does not understand; it may be a literal, never a template."""


class TemplateError(KataError):
    """An expression that cannot be made, rendered or matched."""


class UnsafeValue(TemplateError):
    """A value that cannot be placed where the template wants it without changing the command."""


class SpecError(KataError):
    """A stored spec that is not one of ours, or was changed outside."""


class InputError(KataError):
    """Arguments of a kata that do not fit its input schema."""


class StoreError(KataError):
    """The file cannot be used; the sentence says why and what would help."""


class Damaged(StoreError):
    """What is kept is not as Kata wrote it; the sentence says what, and what would help."""


class NewerStore(StoreError):
    """The file was written by a newer version of the plugin; it is left untouched."""


class Refused(KataError):
    """A verb that may not be done now; the sentence says why and what can be done instead."""


class Usage(Refused):
    """A command that was typed wrongly; the sentence says what was expected."""


def of(value: Json, kind: type) -> Json:
    """The value, when it is of that type; TypeError when not."""
    if not isinstance(value, kind):
        raise TypeError(f"expected {kind.__name__}, got {type(value).__name__}")
    return value


def named(error: BaseException) -> str:
    """An exception in words, without asking it or what it holds to show itself: both may raise."""
    return ": ".join((type(error).__name__, *(one for one in error.args if isinstance(one, str))))[:300]


# ── What is asked and what comes back ────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call as it is asked: the tool's name and its JSON arguments."""

    tool: str
    arguments: Mapping[str, Json]


class Status(StrEnum):
    """How one call or one step ended, as we judge it (B03: the host's own flag errs both ways)."""

    OK = "ok"
    ERROR = "error"
    TIMEOUT = "timeout"
    REFUSED = "refused"
    INTERRUPTED = "interrupted"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"


TIMED_OUT = "[Command timed out after"
INTERRUPTED = "[Command interrupted]"
TOOL_ERROR = "[TOOL_ERROR]"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one call came to: its result (parsed where the text is JSON) and whether it did what was asked."""

    status: Status
    result: Json = None
    reason: str = ""
    sent: Mapping[str, Json] | None = None
    """The arguments that a driver really dispatched, where it narrowed them."""

    @property
    def ok(self) -> bool:
        return self.status is Status.OK

    @classmethod
    def read(cls, raw: Json) -> Outcome:
        """Judge a tool's raw answer by K71–K74 with A19, A20 and B01: an error payload, `[TOOL_ERROR]` text,
        `success: false`, a non-zero `exit_code` or no answer at all is a failure; `"error": null`, zero
        counters and null errors of single results are not."""
        value = parsed(raw)
        status, reason = _verdict(value)
        return cls(status, value, reason)


def parsed(raw: Json) -> Json:
    """The JSON value of a tool's answer; text that is not JSON stays text. Notes that the host appends after the
    JSON (a blank line, then `[…]`) are dropped."""
    if not isinstance(raw, str):
        return raw
    text = raw.strip().removeprefix("\ufeff")
    if not text.startswith(("{", "[")):
        return raw
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return raw
    rest = text[end:].strip()
    return value if not rest or rest.startswith("[") and isinstance(value, dict) else raw


def _verdict(value: Json) -> tuple[Status, str]:
    if value is None:
        return Status.ERROR, "the tool gave no answer"
    if isinstance(value, str):
        return _told(value)
    if not isinstance(value, dict):
        return Status.OK, ""
    output: str = value["output"] if isinstance(value.get("output"), str) else ""
    code, last = _code(value), output.rstrip().rsplit("\n", 1)[-1]
    if code != 0 and last.startswith(TIMED_OUT):  # where the command ended well, its own output says so
        return Status.TIMEOUT, _line(last)
    if code == 124 and f"\n{TIMED_OUT}" in f"\n{output}"[-1_000:]:  # another plugin may add lines of its own
        return Status.TIMEOUT, _line(last)
    if code == 130 or code != 0 and last.endswith(INTERRUPTED):
        return Status.INTERRUPTED, "the command was interrupted"
    if value.get("error"):
        return Status.ERROR, _line(value["error"])
    for name, bad in FAILURES:
        said = value.get(name)
        if said is bad or isinstance(said, str) and (said == bad or isinstance(bad, bool) and said.strip().lower() == str(bad).lower()):
            return Status.ERROR, _line(value.get("message") or f"the tool answered {name}: {json.dumps(bad)}")
    if str(value.get("result", "")).lstrip().startswith(TOOL_ERROR):  # how the host hands on the text of a server
        return Status.ERROR, _line(value["result"])
    if code and not harmless(value):
        return Status.ERROR, f"exit code {code}" + (f": {_line(output)}" if output.strip() else "")
    if value.get("promoted_from_foreground") or value.get("yielded_to_background") or value.get("status") == "yielded_to_background":
        return Status.INTERRUPTED, "the command went to the background and is still running"
    return Status.OK, ""


def _told(text: str) -> tuple[Status, str]:
    """What a text says that is the whole answer, plain or as a JSON string."""
    if text.rstrip().endswith(INTERRUPTED):
        return Status.INTERRUPTED, "the command was interrupted"
    head = text.lstrip().removeprefix('"')[:400]
    failed = head.startswith((TOOL_ERROR, "Error:", "Error executing", "Traceback (most recent call last)"))
    return (Status.ERROR, _line(head)) if failed else (Status.OK, "")


FAILURES: tuple[tuple[str, bool | str], ...] = (
    ("success", False),
    ("ok", False),
    ("isError", True),
    ("is_error", True),
    ("status", "error"),
)
"""What a tool says in its answer when it failed (K71, K73, B01); MCP tools say `isError`."""


def _code(result: Mapping[str, Json]) -> float | None:
    """The exit code that an answer tells, as a number or as the text of one; None where it tells none."""
    code = result.get("exit_code")
    if isinstance(code, str) and re.fullmatch(r"\s*[-+]?[0-9]{1,9}\s*", code):
        return int(code)
    return code if isinstance(code, int | float) and not isinstance(code, bool) else None


def harmless(result: Json) -> int:
    """The non-zero exit code of a result that the host marks as no error (A20); 0 where there is none."""
    code, meaning = (result.get("exit_code"), result.get("exit_code_meaning")) if isinstance(result, dict) else (0, "")
    marked = isinstance(meaning, str) and "not an error" in meaning and not result.get("error")
    return code if marked and isinstance(code, int) and not isinstance(code, bool) else 0


def _line(value: Json) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    line = " ".join(text.split())
    return line if len(line) <= 200 else line[:199] + "…"


# ── What was recorded ────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Event:
    """One recorded call: what was asked, what came, when (epoch seconds), and where it stands in its turn."""

    call: Call
    outcome: Outcome
    turn: str
    call_id: str
    position: int = 0
    request: str = ""
    started: float = 0.0
    ended: float = 0.0
    said: str = ""
    """The host's own status flag, kept beside our judgement."""
    schema: str = ""
    """Fingerprint of the tool's parameter schema at that time; empty where it could not be read."""
    folder: str = ""
    around: Mapping[str, str] = field(default_factory=dict)
    """What else was known of where and when it began: "root", "branch", "home", "today", "yesterday" (days as YYYY-MM-DD)."""


@dataclass(frozen=True, slots=True)
class TurnStart:
    """A user message arrived; `who` is "person", "cron" or "subagent"."""

    turn: str
    session: str
    conversation: str
    platform: str
    who: str
    at: float
    message: str = ""


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """The agent has answered; the turn may be mined."""

    turn: str
    at: float


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request to the model (A34): tokens as the provider counted them, duration in seconds."""

    turn: str
    request: str
    model: str
    at: float
    seconds: float
    input_tokens: int
    output_tokens: int
    cache_tokens: int
    tool_calls: int


@dataclass(frozen=True, slots=True)
class SchemaSeen:
    """A tool's parameter schema, normalised, under its fingerprint."""

    fingerprint: str
    tool: str
    schema: Json


Record = TurnStart | Event | ModelRequest | TurnEnd | SchemaSeen


@dataclass(frozen=True, slots=True)
class Turn:
    """Everything between two user messages; a routine never crosses one (K38)."""

    id: str
    conversation: str
    who: str
    started: float
    events: tuple[Event, ...] = ()


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Where one window stands: the events `first` to `last` (positions, inclusive) of a turn, without those that it passes over."""

    conversation: str
    turn: str
    first: int
    last: int
    skipped: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a window of `size` steps stands in its turn: positions of the first and the last event of its latest place, at how many
    places it stands, and the positions that it passes over."""

    first: int
    last: int
    size: int = 2
    times: int = 1
    skipped: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """One recorded occurrence of a routine with its events."""

    conversation: str
    turn: str
    events: tuple[Event, ...]

    @property
    def calls(self) -> tuple[Call, ...]:
        return tuple(event.call for event in self.events)

    @property
    def results(self) -> tuple[Json, ...]:
        return tuple(event.outcome.result for event in self.events)

    @property
    def around(self) -> dict[str, str]:
        """What was known of its surroundings when it began, by keys as `@branch`."""
        first = self.events[:1]
        known = {f"@{name}": text for one in first for name, text in {"folder": one.folder, **one.around}.items()}
        return {name: text for name, text in known.items() if text}


# ── Expressions: how one argument value is made ──────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Literal:
    """The same value every time (K46)."""

    value: Json


@dataclass(frozen=True, slots=True)
class Input:
    """A value that the caller gives (K49)."""

    name: str


@dataclass(frozen=True, slots=True)
class Ambient:
    """A value out of the surroundings of a run, captured when it begins: "folder", "root", "branch", "home", "today" or "yesterday"; `form`
    says how a date is written, as YYYY-MM-DD."""

    what: str
    form: str = ""

    @property
    def key(self) -> str:
        """The name under which the captured value is handed on; no input can have it."""
        return f"@{self.what}"


AMBIENT = ("folder", "root", "branch", "home", "today", "yesterday")


@dataclass(frozen=True, slots=True)
class Pick:
    """A part of a path that says which element is meant: the "only" one, the "last", the one "where" `field` equals `value`, the "first" of
    several such, the first of a "kind" of text that `field` names, the one under the "key" that `value` gives, or "each" in their order; or
    "json", the JSON that a text holds, "strip", a text without the blanks around it, or "text", the piece of a text that a program finds,
    whose stored form `field` holds as JSON."""

    how: str
    field: str = ""
    value: Expression | None = None


Part = str | int | Pick
PICKS = ("only", "last", "where", "first", "kind", "key", "each", "json", "strip", "text")


@dataclass(frozen=True, slots=True)
class Reference:
    """A value out of the result of an earlier step (K47); `step` counts from 0, `path` holds keys, indices and selectors."""

    step: int
    path: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Concat:
    """Text made of parts in order (K48); every part renders to text."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Hole:
    """A place in a command that takes a value; `place` is the quoting context: "bare", "single" or "double"."""

    value: Expression
    place: str


@dataclass(frozen=True, slots=True)
class Option:
    """A fixed piece of a command that stands there only when a yes/no input says so: ` --no-decorate`, with the blank before it."""

    value: Input
    text: str


@dataclass(frozen=True, slots=True)
class Command:
    """A shell command with holes: source text, options and holes in order. Rendering never changes its tree, options apart."""

    parts: tuple[str | Option | Hole, ...]


@dataclass(frozen=True, slots=True)
class Object:
    """A JSON object whose fields are expressions."""

    fields: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True)
class Array:
    """A JSON array whose items are expressions."""

    items: tuple[Expression, ...]


Expression = Literal | Input | Ambient | Reference | Concat | Command | Object | Array


def children(expression: Expression) -> tuple[Expression, ...]:
    """The expressions directly inside this one, in order."""
    match expression:
        case Concat(parts):
            return parts
        case Command(pieces):
            return tuple(piece.value for piece in pieces if not isinstance(piece, str))
        case Object(pairs):
            return tuple(value for _, value in pairs)
        case Array(items):
            return items
        case Reference(_, path):
            return tuple(part.value for part in path if isinstance(part, Pick) and part.value is not None)
    return ()


def walk(expression: Expression) -> Iterator[Expression]:
    """This expression and all inside it, depth first."""
    yield expression
    for child in children(expression):
        yield from walk(child)


def expression_json(expression: Expression) -> Json:
    """The stored form; a table of one-key objects, so that any text can be a literal (B29)."""
    match expression:
        case Literal(value):
            return {"literal": value}
        case Input(name):
            return {"input": name}
        case Ambient(what, form):
            return {"around": what, "form": form}
        case Reference(step, path):
            return {"step": step, "path": [_part_json(part) for part in path]}
        case Concat(parts):
            return {"concat": [expression_json(part) for part in parts]}
        case Command(pieces):
            return {"command": [_piece_json(piece) for piece in pieces]}
        case Object(pairs):
            return {"object": [[key, expression_json(value)] for key, value in pairs]}
        case Array(items):
            return {"array": [expression_json(item) for item in items]}


def read_expression(stored: Json) -> Expression:
    """The expression of a stored form; SpecError names what was not understood."""
    match stored:
        case {"literal": value}:
            return Literal(value)
        case {"input": str(name)}:
            return Input(name)
        case {"around": str(what), "form": str(form)} if what in AMBIENT:
            return Ambient(what, form)
        case {"step": int(step), "path": list(path)}:
            return Reference(step, tuple(_read_part(part) for part in path))
        case {"concat": list(parts)}:
            return Concat(tuple(read_expression(part) for part in parts))
        case {"command": list(pieces)}:
            return Command(tuple(piece if isinstance(piece, str) else _read_piece(piece) for piece in pieces))
        case {"object": list(pairs)}:
            return Object(tuple((str(key), read_expression(value)) for key, value in pairs))
        case {"array": list(items)}:
            return Array(tuple(read_expression(item) for item in items))
    raise SpecError(f"Expected an expression of spec format {SPEC_FORMAT}, got {str(stored)[:80]!r}")


def _part_json(part: Part) -> Json:
    if not isinstance(part, Pick):
        return part
    return {"pick": part.how, "field": part.field, "value": None if part.value is None else expression_json(part.value)}


def _read_part(stored: Json) -> Part:
    match stored:
        case str() | int():
            return stored
        case {"pick": str(how), "field": str(name), "value": value} if how in PICKS:
            return Pick(how, name, None if value is None else read_expression(value))
    raise SpecError(f"Expected a part of a path, got {str(stored)[:80]!r}")


def _piece_json(piece: str | Option | Hole) -> Json:
    match piece:
        case Option(Input(name), text):
            return {"option": text, "input": name}
        case Hole(value, place):
            return {"hole": expression_json(value), "place": place}
    return piece


def _read_piece(stored: Json) -> Option | Hole:
    match stored:
        case {"option": str(text), "input": str(name)}:
            return Option(Input(name), text)
        case {"hole": value, "place": "bare" | "single" | "double" as place}:
            return Hole(read_expression(value), place)
    raise SpecError(f"Expected an option or a hole of a command, got {str(stored)[:80]!r}")


# ── Effects, spec, kata ──────────────────────────────────────────────────────────────────────────


class Class(StrEnum):
    """What a step may do to the world (A23)."""

    READ = "read"
    WRITE = "write"
    EXTERNAL = "external"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Effect:
    """The class of a step, whether it destroys something, and why, in a few words."""

    kind: Class
    destructive: bool = False
    why: str = ""

    @property
    def plain_read(self) -> bool:
        """Whether it changes nothing, so that it may be repeated and needs no row before it runs (K76)."""
        return self.kind is Class.READ and not self.destructive

    @property
    def asks(self) -> bool:
        """Whether every run asks a person first (K80, A23)."""
        return self.destructive or self.kind in (Class.EXTERNAL, Class.UNKNOWN)


@dataclass(frozen=True, slots=True)
class InputField:
    """One argument of a kata; `type` is a JSON schema type name."""

    name: str
    type: str
    description: str = ""
    examples: tuple[Json, ...] = ()
    choices: tuple[Json, ...] = ()
    """All values that were seen, where they are few and come back; others stay possible."""
    default: Json = None
    """What counts where the caller gives nothing; None where the caller has to give a value."""
    within: tuple[str, str] = ("", "")
    """Fixed texts before and after the value where it is a piece of something; a value that is given with both is taken without."""

    def bare(self, value: Json) -> Json:
        """The value without the fixed text that stands around it in the call anyway, where the caller gave that too."""
        before, after = self.within
        whole = isinstance(value, str) and any(self.within) and value.startswith(before) and value.endswith(after)
        return value[len(before) : len(value) - len(after)] if whole and len(value) > len(before) + len(after) else value

    def to_json(self) -> Json:
        """The stored form; what an input does not have is left out."""
        always = {"name": self.name, "type": self.type, "description": self.description, "examples": list(self.examples)}
        choices = {"choices": list(self.choices)} if self.choices else {}
        default = {} if self.default is None else {"default": self.default}
        return always | choices | default | ({"within": list(self.within)} if any(self.within) else {})

    @classmethod
    def from_json(cls, stored: Json) -> InputField:
        """Read a stored form; KeyError, TypeError or ValueError when it is not whole."""
        name, kind, description = (of(stored[key], str) for key in ("name", "type", "description"))
        before, after = (of(text, str) for text in stored.get("within", ("", "")))
        examples, choices = (tuple(of(stored.get(key, []), list)) for key in ("examples", "choices"))
        return cls(name, kind, description, examples, choices, stored.get("default"), (before, after))


@dataclass(frozen=True, slots=True)
class Trait:
    """What held of the answer of a step in every example: `how` names the kind of check, `path` where in the answer, `value` what it was
    there. A person may relax it: it is kept, and does not count."""

    how: str
    path: tuple[str, ...] = ()
    value: Json = None
    relaxed: bool = False

    def to_json(self) -> Json:
        """The stored form."""
        return {"how": self.how, "path": list(self.path), "value": self.value} | ({"relaxed": True} if self.relaxed else {})

    @classmethod
    def from_json(cls, stored: Json) -> Trait:
        """Read a stored form; KeyError or TypeError when it is not whole."""
        path = tuple(of(part, str) for part in of(stored["path"], list))
        return cls(of(stored["how"], str), path, stored["value"], of(stored.get("relaxed", False), bool))


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a routine: the tool, how its arguments are made, its effect, the schema it was recorded with."""

    tool: str
    arguments: Object
    effect: Effect
    schema: str = ""
    traits: tuple[Trait, ...] = ()
    """What is expected of its answer."""

    def to_json(self) -> Json:
        """The stored form; a step of which nothing is expected says nothing about that."""
        effect = {"kind": self.effect.kind.value, "destructive": self.effect.destructive, "why": self.effect.why}
        told = {"tool": self.tool, "arguments": expression_json(self.arguments), "effect": effect, "schema": self.schema}
        return told | ({"traits": [one.to_json() for one in self.traits]} if self.traits else {})


@dataclass(frozen=True, slots=True)
class Spec:
    """What exactly is approved and run; its identity is the SHA-256 of its canonical JSON."""

    inputs: tuple[InputField, ...]
    steps: tuple[Step, ...]
    help: str = ""
    """What it is for, in the words of a person; empty where nobody said."""

    @property
    def asks(self) -> bool:
        return any(step.effect.asks for step in self.steps)

    def to_json(self) -> Json:
        told = {"help": self.help} if self.help else {}
        return told | {
            "format": SPEC_FORMAT,
            "inputs": [one.to_json() for one in self.inputs],
            "steps": [step.to_json() for step in self.steps],
        }

    @classmethod
    def from_json(cls, stored: Json) -> Spec:
        """Read a stored spec; SpecError when the format is newer or the shape is not ours."""
        if not isinstance(stored, dict) or stored.get("format") != SPEC_FORMAT:
            found = stored.get("format") if isinstance(stored, dict) else type(stored).__name__
            raise SpecError(f"Expected a spec of format {SPEC_FORMAT}, got {found!r}")
        try:
            inputs = tuple(InputField.from_json(one) for one in stored["inputs"])
            return cls(inputs, tuple(_read_step(step) for step in stored["steps"]), of(stored.get("help", ""), str))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise SpecError(f"Expected a whole spec of format {SPEC_FORMAT}; {error!r} is wrong or missing") from error

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the canonical JSON without examples and choices of the inputs, which are evidence and grow with it."""
        inputs = tuple(replace(one, examples=(), choices=()) for one in self.inputs)
        return hashlib.sha256(canonical(replace(self, inputs=inputs).to_json()).encode("utf-8", "surrogatepass")).hexdigest()


def _read_step(stored: Json) -> Step:
    arguments = read_expression(stored["arguments"])
    if not isinstance(arguments, Object):
        raise SpecError("Expected the arguments of a step to be an object")
    told = stored["effect"]
    effect = Effect(Class(told["kind"]), of(told["destructive"], bool), of(told["why"], str))
    traits = tuple(Trait.from_json(one) for one in of(stored.get("traits", []), list))
    return Step(of(stored["tool"], str), arguments, effect, of(stored["schema"], str), traits)


HOLDOUT = 0.9
"""Share of the examples that a template built without them has to reproduce (K58)."""
ODD_FROM = 6
"""From so many conversations on, one odd example is set aside: shown and counted as a miss, not asked to fit (A13)."""


def canonical(value: Json) -> str:
    """JSON text that is equal for equal values: sorted keys, no blanks. 1, 1.0 and true stay apart."""
    return _CANONICAL.encode(value)


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Fit:
    """How well the template predicts what it was not built from (K50–K53, A14)."""

    support: int
    """Distinct conversations."""
    tried: int
    passed: int
    specificity: float
    """Share of the argument text that is fixed or derived, 0 to 1."""
    taught: int = 0
    """From how many examples a person taught it; 0 where it was found."""
    forced: str = ""
    """The rule that it failed when a person put it into review all the same; empty where it failed none."""

    @property
    def rate(self) -> float:
        return self.passed / self.tried if self.tried else 0.0

    @property
    def confidence(self) -> float:
        """fit_rate × (1 − 0.6^support), the product's specification K52."""
        return self.rate * (1 - 0.6**self.support)


@dataclass(frozen=True, slots=True)
class Check:
    """One question of the validator and its answer; `done` is False while the check does not exist yet."""

    name: str
    passed: bool
    reason: str = ""
    done: bool = True


@dataclass(frozen=True, slots=True)
class Proposal:
    """A routine that a person may approve: the spec, its evidence and what the validator said."""

    spec: Spec
    fingerprint: str
    """Identity of the routine itself (A29): the sequence of keys, whatever the values."""
    fit: Fit
    exhibits: tuple[Example, ...]
    checks: tuple[Check, ...] = ()
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NearMiss:
    """A routine that was seen but not proposed, with the one rule that failed."""

    keys: tuple[str, ...]
    rule: str
    detail: str
    support: int
    fingerprint: str = ""

    @property
    def short(self) -> str:
        """How a person names it."""
        return self.fingerprint[:8]


class State(StrEnum):
    """The states of a kata (K83–K88)."""

    CANDIDATE = "candidate"
    ACTIVE = "active"
    STALE = "stale"
    SUSPENDED = "suspended"
    DISABLED = "disabled"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Version:
    """One revision of a kata; never changed in place."""

    number: int
    spec: Spec
    fit: Fit
    exhibits: Sequence[Example]
    checks: tuple[Check, ...]
    created: float
    approved: float | None = None


@dataclass(frozen=True, slots=True)
class Kata:
    """A routine with a stable number (A32), its state and the version that counts now."""

    id: int
    name: str
    """Without the prefix; empty until a person has named it."""
    state: State
    fingerprint: str
    version: Version

    @property
    def tool(self) -> str:
        return PREFIX + self.name if self.name else ""


# ── One execution ────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class StepCall:
    """What the executor asks its driver for: the call of step `index` (from 0), for the `attempt`-th time (from 1)."""

    index: int
    call: Call
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class StepTrace:
    """What became of one step; `call` is None when it was never rendered."""

    index: int
    tool: str
    status: Status
    call: Call | None = None
    result: Json = None
    reason: str = ""
    attempts: int = 0
    sent: Mapping[str, Json] | None = None
    """The arguments that the driver really dispatched, where it narrowed them."""
    began: float = 0.0
    """Epoch seconds of its first try; 0 where nobody wrote it down."""
    seconds: float = 0.0
    """From its first try to its last answer."""
    odd: str = ""
    """How its answer is unlike that of every example, though it succeeded; empty when it is not."""


@dataclass(frozen=True, slots=True)
class Trace:
    """What one execution did, step by step; `status` is that of the step that stopped it, else ok."""

    status: Status
    steps: tuple[StepTrace, ...]
    reason: str = ""

    @property
    def stopped(self) -> StepTrace | None:
        """The step at which the run stopped, if it did."""
        return next((step for step in self.steps if step.status not in (Status.OK, Status.SKIPPED)), None)

    @property
    def result(self) -> Json:
        done = [step.result for step in self.steps if step.status is Status.OK]
        return done[-1] if done else None


@dataclass(frozen=True, slots=True)
class RunRow:
    """One execution as it is kept; `finished` is None while it runs or after a crash."""

    id: str
    kata: int
    tool: str
    version: int
    digest: str
    started: float
    finished: float | None
    status: Status
    reason: str
    steps: tuple[StepTrace, ...]
    inputs: Mapping[str, Json] = field(default_factory=dict)
    session: str = ""
    folder: str = ""
    """Where it began; empty where nobody knew."""
    owner: str = ""
    """The process that runs it: pid and start time."""
    resumes: str = ""
    """The id of the stopped run that it goes on with."""


@dataclass(frozen=True, slots=True)
class AuditRow:
    """One decision: who did what to which kata when."""

    at: float
    actor: str
    verb: str
    kata: int
    before: str
    after: str
    digest: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the owner wants gone: by `kind` "conversation", "tool", "path" or "text", the word that says which."""

    kind: str
    word: str


@dataclass(frozen=True, slots=True)
class Erasure:
    """What an erasure takes, or took: how many turns, of how many conversations, runs, near misses and examples, and which katas, each as
    number, name and state."""

    turns: int
    conversations: int
    runs: int
    near: int
    examples: int
    katas: tuple[tuple[int, str, str], ...]
