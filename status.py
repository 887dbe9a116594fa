"""Says whether Kata records, what it keeps and what it could not keep; it looks and changes nothing.

A module of its own, because it alone has to answer when the file cannot be used, and asks every part for its state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from . import layout, pages
from .asking import Answer, Ask
from .model import Json, StoreError
from .pages import when
from .service import Service
from .settings import Settings

VERSION = "0.1.0"


def status(service: Service, ask: Ask) -> Answer:
    """Everything about this installation in rows, the same as JSON; code 1 where the file cannot be used."""
    rows = [("Version", VERSION)]
    facts: Mapping[str, Json] = {}
    counters: Mapping[str, int] = {}
    trouble = ""
    try:
        service.check()
        facts, counters = service.store.facts(), service.store.counters()
        rows += [("Recording", "off: see Kata below" if "Kata" in ask.host else _recording(service)), *_kept(facts)]
        rows += [("Refused", f"kata {number}: {reason}") for number, reason in service.refused()]
        rows += _log(service)
    except StoreError as error:
        trouble = error.message
        rows += [("Recording", "off: the file cannot be used"), ("File", trouble)]
    rows += [("Not kept", f"{n} {LOST.get(name, name.replace('_', ' '))}") for name, n in counters.items() if n]
    rows += [("Setting" if name.startswith("Setting ") else name, text) for name, text in ask.host.items() if text != trouble]
    rows.append(("Settings", ", ".join(_setting(service.settings, name) for name in service.settings.__slots__)))
    recording = bool(facts) and service.settings.record and not service.paused and "Kata" not in ask.host
    own = {"plugin": VERSION, "settings": asdict(service.settings)}
    told = {"recording": recording, "facts": dict(facts), "counters": dict(counters), "host": dict(ask.host)} | own
    text = "\n".join(line for title, row in rows for line in layout.part(title, [row]))
    return Answer(text, told | ({"error": trouble} if trouble else {}), int(not facts))


def _log(service: Service) -> list[tuple[str, str]]:
    """That decisions were changed, taken out or put in; nothing where none was."""
    count, broken = service.store.proven()
    where = "some are missing at its end" if broken > count else f"row {broken} is missing, or not as it was written"
    return [("Decisions", f"The log is broken: {where}; 'audit verify' checks it")] if broken else []


LOST: Mapping[str, str] = {
    "background_call": "calls of the host's own background work, which belong to no message of yours",
    "malformed": "payloads that were not what the host promises",
    "not_stored": "records that no file could hold",
    "not_written": "records that a busy or full file did not take",
    "repeated_call": "calls that were delivered twice",
    "unreadable": "messages that could not be read, because their rows were changed outside Kata",
    "unknown_turn": "records of a message that was never announced",
}


def _recording(service: Service) -> str:
    if not service.settings.record:
        return "off: the setting 'record' is false"
    return "off: paused with 'record off'" if service.paused else "on"


def _kept(facts: Mapping[str, Json]) -> list[tuple[str, str]]:
    last = facts["last_event"]
    states = ", ".join(f"{n} {state}" for state, n in facts["katas"].items())
    return [
        ("Last call", when(last) if last else "none yet: nothing has arrived from Hermes"),
        ("Kept", ", ".join(pages.many(facts[f"{noun}s"], noun) for noun in ("call", "turn", "conversation"))),
        ("Katas", states or "none"),
        ("Room", f"{facts['used'] / 1e6:.1f} MB in use; beyond the setting max_mb the oldest turns and runs go"),
        ("File", f"{facts['bytes'] // 1024} KiB, journal mode {facts['journal']}, format {facts['version']}, mode {facts['mode']}"),
        ("Where", facts["path"] or "memory"),
    ]


def _setting(settings: Settings, name: str) -> str:
    """A setting with its value, and where that came from when it is not the default (B51)."""
    value = getattr(settings, name)
    return f"{name} {_shown(value)}" + ("" if value == getattr(Settings(), name) else " (from config.yaml)")


def _shown(value: Json) -> str:
    return (" ".join(value) or "none") if isinstance(value, tuple) else str(value).lower() if isinstance(value, bool) else str(value)
