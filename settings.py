"""The owner's settings, each within its range; what is not understood keeps its default and is told, and nothing is raised. A module of its
own, because they come from a person and may be anything, where the nouns of model are made by Kata alone."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields

from .model import Json, SettingError

RANGES: Mapping[str, tuple[float, float]] = {
    "min_support": (2, 100),
    "min_confidence": (0.0, 1.0),
    "max_steps": (2, 20),
    "step_timeout_s": (1, 360),
    "read_retries": (0, 5),
    "retention_days": (1, 3650),
    "max_mb": (1, 100_000),
}
CHOICES: Mapping[str, tuple[str, ...]] = {"ask": ("effects", "always")}
"""What a setting of one word may be."""
WORDS: Mapping[str, bool] = {
    **dict.fromkeys(("true", "yes", "on", "1"), True),
    **dict.fromkeys(("false", "no", "off", "0"), False),
}
"""How a person says yes and no."""
LEARN_FROM = ("cron", "subagent", "group")
"""Whose turns may count beside those of a person in a chat of their own."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The owner's settings (K93–K99 and two more), each within its range."""

    min_support: int = 3
    min_confidence: float = 0.75
    max_steps: int = 8
    step_timeout_s: int = 60
    read_retries: int = 1
    retention_days: int = 30
    max_mb: int = 200
    record: bool = True
    keep_results: bool = True
    learn_from: tuple[str, ...] = ()
    ask: str = "effects"

    @classmethod
    def read(cls, given: Mapping[str, Json]) -> tuple[Settings, tuple[SettingError, ...]]:
        """The settings that `given` asks for, and one error for every value that is not understood; those keep
        their default (B51: "3" is 3, "false" is false)."""
        known: dict[str, Json] = {}
        errors = []
        for one in fields(cls):
            if given.get(one.name) is None:
                continue
            try:
                known[one.name] = _setting(one.name, one.default, given[one.name])
            except SettingError as error:
                errors.append(error)
        return cls(**known), tuple(errors)


def _setting(name: str, default: Json, value: Json) -> Json:
    if isinstance(default, tuple):
        return _names(name, value)
    if isinstance(default, bool):
        answer = WORDS.get(str(value).strip().lower()) if isinstance(value, str | int) else None
        if answer is not None:
            return answer
        raise SettingError(f"Setting {name}: expected true or false, got {_shown(value)}; using {default}")
    if isinstance(default, str):
        word = value.strip().lower() if isinstance(value, str) else value
        if word in CHOICES[name]:
            return word
        raise SettingError(f"Setting {name}: expected {' or '.join(CHOICES[name])}, got {_shown(value)}; using {default}")
    low, high = RANGES[name]
    try:
        number = float("nan") if isinstance(value, bool) else float(value)
    except (OverflowError, TypeError, ValueError):
        number = float("nan")
    if isinstance(default, int) and number != number // 1 or not low <= number <= high:
        kind = "a whole number" if isinstance(default, int) else "a number"
        raise SettingError(f"Setting {name}: expected {kind} from {low:g} to {high:g}, got {_shown(value)}; using {default}")
    return type(default)(number)


def _shown(value: Json) -> str:
    """A value as an error shows it, which may be of any length."""
    text = repr(value) if not isinstance(value, int) or value.bit_length() < 200 else "a number of many digits"
    return text if len(text) <= 80 else f"{text[:79]}…"


def _names(name: str, value: Json) -> tuple[str, ...]:
    """A list of names, or the text of one: "cron, group" and '["cron"]' are understood (B51)."""
    words = re.findall(r"[\w-]+", value) if isinstance(value, str) else value
    if isinstance(words, list | tuple) and all(word in LEARN_FROM for word in words):
        return tuple(word for word in LEARN_FROM if word in words)
    raise SettingError(f"Setting {name}: expected some of {', '.join(LEARN_FROM)}, got {_shown(value)}; using none")
