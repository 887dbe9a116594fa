"""Takes the secrets out of a tool's parameters before they are kept, wherever a JSON schema can hold one; it knows no tool, and which
arguments a tool takes stays told. A module of its own, because a masker goes by the name before a value, and here keywords are between."""

from __future__ import annotations

from collections.abc import Mapping

from .model import Json
from .redact import Masker

VALUES = frozenset({"const", "default", "enum", "examples"})
"""Keywords that hold plain JSON values of what the schema describes."""
NAMED = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
"""Keywords whose keys are names of the tool's own, not keywords."""


def masked_schema(schema: Json) -> Json:
    """The schema with numbered placeholders for secrets: those of a known form in any text, and under a name that announces one the default
    and the choices. The same schema gives the same; masking twice is masking once."""
    masker = Masker()
    return _values(masker.value(schema), "", masker)


def _values(schema: Json, name: str, masker: Masker) -> Json:
    if isinstance(schema, list | tuple):
        return [_values(one, name, masker) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {key: _keyword(key, value, name, masker) for key, value in schema.items()}


def _keyword(key: str, value: Json, name: str, masker: Masker) -> Json:
    """A keyword's value; `name` is that of the argument around it, empty where there is none."""
    if key in VALUES:
        (found,) = masker.value({name: value}).values()
        return found
    if key in NAMED and isinstance(value, Mapping):
        return {inner: _values(one, inner, masker) for inner, one in value.items()}
    return _values(value, name, masker)
