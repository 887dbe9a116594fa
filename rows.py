"""Turns nouns into what a column can hold and rows back into nouns; it opens no file and runs no statement. A module of its own, because
the store would otherwise both speak SQL and know the shape of every noun."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import overload

from .model import (
    Call,
    Check,
    Damaged,
    Event,
    Example,
    Fit,
    Json,
    Kata,
    Outcome,
    PayloadError,
    Spec,
    SpecError,
    State,
    Status,
    StepTrace,
    Version,
    of,
)

Row = dict[str, Json]
"""One row, its columns already turned back into values."""

# ── Values in and out of columns ─────────────────────────────────────────────────────────────────

HALVES, PACKED = b"T", b"J"
"""The first byte of a blob: text with half characters, or compressed JSON."""
MOST = 64_000_000
"""Bytes that a blob unpacks to, at most: a result is cut long before, and what another program packed must not fill the memory."""
NAME = re.compile(r"[a-z][a-z0-9_]{0,58}")
"""What the name of a kata looks like."""
OWN = frozenset({"list", "resume"})
"""Names that would be those of the static tools."""


def bind(value: object) -> str | bytes | int | float | None:
    """What SQLite can hold. Text with half characters goes in as a blob (B46): TEXT must be valid UTF-8."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return HALVES + value.encode("utf-8", "surrogatepass")
        return str(value)
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise PayloadError(f"Expected a whole number of at most 64 bits, got one of {value.bit_length()}")
    if value is None or isinstance(value, int | float | bytes):
        return value
    raise PayloadError(f"Expected text or a number, got {type(value).__name__}")


def pack(value: Json) -> bytes:
    """Compressed JSON. Not ASCII-escaped: an escaped pair of half characters would come back as one whole character."""
    try:
        return PACKED + zlib.compress(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"), 1)
    except (TypeError, ValueError, RecursionError) as error:
        raise PayloadError(f"Expected JSON, got a value that is none: {error}") from error


def unbind(stored: Json) -> Json:
    """The value that was bound or packed; Damaged when the blob is none of ours."""
    if not isinstance(stored, bytes):
        return stored
    try:
        if stored[:1] == HALVES:
            return stored[1:].decode("utf-8", "surrogatepass")
        return json.loads(_unpacked(stored[1:]).decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError, zlib.error) as error:
        raise Damaged(f"Expected text or packed JSON in a row of the Kata file, got {stored[:12]!r}: {error}") from error


def _unpacked(packed: bytes) -> bytes:
    unpacking = zlib.decompressobj()
    found = unpacking.decompress(packed, MOST)
    if not unpacking.eof:
        raise ValueError(f"it is cut off, or more than {MOST} bytes")
    return found


def moment(value: Json) -> float:
    """A time out of a row, epoch seconds; Damaged when it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Damaged(f"Expected a time in a row of the Kata file, got {str(value)[:40]!r}: it was changed outside Kata")
    return float(value)


# ── Rows to nouns ────────────────────────────────────────────────────────────────────────────────


def read_event(row: Row, turn: str) -> Event:
    """The call of that row; Damaged when it is not what was stored."""
    kept = {name: row[name] for name in ("call_id", "position", "request", "said", "schema", "folder")}
    times = moment(row["started"]), moment(row["ended"])
    arguments, around = row["arguments"], row["around"] or {}
    if not (isinstance(arguments, Mapping) and isinstance(around, Mapping) and isinstance(row["position"], int)):
        raise Damaged(f"Expected the call {kept['call_id']!r} as Kata wrote it, got something else: it was changed outside Kata")
    outcome = Outcome(read_status(row["status"]), row["result"], row["reason"])
    return Event(call=Call(row["tool"], arguments), outcome=outcome, turn=turn, around=around, started=times[0], ended=times[1], **kept)


def read_status(text: Json) -> Status:
    """A status out of a row; Damaged when there is none of that name."""
    try:
        return Status(text)
    except ValueError as error:
        raise Damaged(f"Expected a status in a row of the Kata file, got {str(text)[:40]!r}: it was changed outside Kata") from error


SMALL = 2_048
"""Bytes of a packed result that is kept for a while once it was unpacked."""


def stored_event(names: tuple[str, ...], values: tuple[Json, ...], turn: str) -> Event:
    """The event of a row as it is stored. Of equal rows it is mostly the same one: the longer routines of a turn hold the calls of the
    shorter, and what was worked out about a result is found by its identity."""
    large = any(isinstance(value, bytes) and len(value) > SMALL for value in values)
    return _read_event(names, values, turn) if large else _kept_event(names, values, turn)


def _read_event(names: tuple[str, ...], values: tuple[Json, ...], turn: str) -> Event:
    row = zip(names, values, strict=True)
    return read_event({name: unbind(value) if isinstance(value, bytes) else value for name, value in row}, turn)


@lru_cache(maxsize=2048)
def _kept_event(names: tuple[str, ...], values: tuple[Json, ...], turn: str) -> Event:
    return _read_event(names, values, turn)


class Later(Sequence[Example]):
    """Examples that are read when somebody looks at them: a list of katas shows none."""

    def __init__(self, read: Callable[[], tuple[Example, ...]]) -> None:
        self._read = read

    @cached_property
    def _found(self) -> tuple[Example, ...]:
        return self._read()

    @overload
    def __getitem__(self, at: int) -> Example: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Example, ...]: ...
    def __getitem__(self, at: int | slice) -> Example | tuple[Example, ...]:
        return self._found[at]

    def __len__(self) -> int:
        return len(self._found)

    def __eq__(self, other: object) -> bool:
        return self._found == (other._found if isinstance(other, Later) else other)


def read_exhibits(kept: Json, where: str) -> tuple[Example, ...]:
    """The examples of a version; SpecError when they are not what was stored."""
    try:
        return tuple(read_exhibit(exhibit) for exhibit in kept)
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise _changed(where, error) from error


def read_exhibit(kept: Json) -> Example:
    """An example as a version keeps it; KeyError, TypeError or ValueError when it is none."""
    events = tuple(read_kept(event) for event in of(kept["events"], list))
    return Example(of(kept["conversation"], str), of(kept["turn"], str), events)


def read_kept(kept: Json) -> Event:
    """An event as an exhibit keeps it: the fields of the noun."""
    outcome = {**kept["outcome"], "status": Status(kept["outcome"]["status"])}
    event = Event(**{**kept, "call": Call(**kept["call"]), "outcome": Outcome(**outcome)})
    call, outcome_ = event.call, event.outcome
    words = (event.turn, event.call_id, event.request, event.said, event.schema, event.folder, call.tool, outcome_.reason)
    for value, kind in (*((text, str) for text in (*words, *event.around.values())), (call.arguments, dict), (event.position, int)):
        of(value, kind)
    if not (abs(event.started) < 1e11 and abs(event.ended) < 1e11 and isinstance(outcome_.sent, dict | None)):
        raise ValueError("expected times as a clock shows them, and the arguments that were sent")
    return event


@lru_cache(maxsize=1024)
def _spec(text: str) -> tuple[Spec, str]:
    """The spec of that text with its digest; the same text is read again at every look at a list."""
    spec = Spec.from_json(json.loads(text))
    return spec, spec.digest


def _changed(where: str, error: Exception) -> SpecError:
    return SpecError(f"Expected {where} as Kata wrote it, got something else ({error}): it was changed outside Kata")


def read_version(row: Row, later: Sequence[Example] | None = None) -> Version:
    """The version of that row, with the examples that are read `later` where the row holds none; SpecError when it is not what was stored
    (T42)."""
    where = f"version {row['number']} of kata {row['kata']}"
    try:
        spec, digest = _spec(row["spec"])
        exhibits = tuple(map(read_exhibit, row["exhibits"])) if later is None else later
        checks = tuple(Check(**check) for check in row["checks"])
        version = Version(row["number"], spec, Fit(**row["fit"]), exhibits, checks, row["created"], row["approved"])
    except (KeyError, TypeError, ValueError, RecursionError, SpecError) as error:
        raise _changed(where, error) from error
    if digest != row["digest"]:
        raise SpecError(f"Expected {where} with digest {row['digest'][:12]}, got {digest[:12]}: it was changed outside Kata")
    return version


def read_kata(row: Row, later: Sequence[Example] | None = None) -> Kata:
    version = read_version(row, later)
    try:
        return Kata(row["id"], _named(row), State(row["state"]), row["fingerprint"], version)
    except ValueError as error:
        raise SpecError(f"Expected kata {row['id']} in a state of ours, got {row['state']!r}: it was changed outside Kata") from error


def _named(row: Row) -> str:
    name = row["name"]
    if name == "" and row["state"] == State.ACTIVE:
        raise SpecError(f"Expected kata {row['id']}, which is active, to have a name, got none: it was changed outside Kata")
    if name != "" and (not isinstance(name, str) or not NAME.fullmatch(name) or name in OWN):
        raise SpecError(f"Expected a name of kata {row['id']} that can be given, got {str(name)[:40]!r}: it was changed outside Kata")
    return str(name)


def read_step(kept: Json) -> StepTrace:
    """The step of a run; Damaged when it is not what was stored."""
    try:
        call = Call(**kept["call"]) if kept["call"] else None
        return StepTrace(**{**kept, "call": call, "status": Status(kept["status"])})
    except (KeyError, TypeError, ValueError) as error:
        raise Damaged(f"Expected the step of a run as Kata wrote it, got something else ({error}): it was changed outside Kata") from error
