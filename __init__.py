"""Kata, a Hermes Agent plugin: records tool calls, finds routines that repeat and replays those a person approved; this file only opens the
door."""

from __future__ import annotations


def register(ctx: object) -> None:
    """Hand Hermes' plugin context to the runtime, which is imported only now."""
    from .runtime import register as open_door

    open_door(ctx)
