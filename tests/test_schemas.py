"""What is kept of a tool's parameters holds no secret, and tells which arguments the tool takes as before."""

import json

import pytest
from published import forms, secret

from kata.schemas import masked_schema
from kata.validator import compatible, drift, fingerprint

TOKEN = secret("ghp_{w36}", 1)
PLAIN = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "default": "src", "pattern": "^[a-z]+$"},
        "password": {"type": "string", "minLength": 8},
        "mode": {"enum": ["fast", "slow"]},
        "token": {"type": ["string", "null"], "default": None},
    },
    "required": ["path"],
    "additionalProperties": False,
}


def test_a_schema_without_a_secret_stays_as_it_is() -> None:
    """T7: an argument called password takes a text as before."""
    assert masked_schema(PLAIN) == PLAIN


@pytest.mark.parametrize("keyword", ["default", "const", "enum", "examples"])
def test_a_value_under_a_name_that_announces_a_secret_goes(keyword: str) -> None:
    value = "hunter2-harbour" if keyword in ("default", "const") else ["hunter2-harbour", "x9-lantern-meadow"]
    schema = {"type": "object", "properties": {"login": {"properties": {"password": {"type": "string", keyword: value}}}}}
    kept = masked_schema(schema)
    assert "hunter2" not in json.dumps(kept) and kept["properties"]["login"]["properties"]["password"]["type"] == "string"
    assert masked_schema(kept) == kept


@pytest.mark.parametrize(("kind", "form"), forms())
def test_a_secret_of_a_known_form_goes_wherever_it_stands(kind: str, form: str) -> None:
    """T7: in values, patterns, remarks, names and what is beside the standard."""
    made = secret(form, 3)
    for schema in (
        {"properties": {"url": {"default": f"use {made} now"}}},
        {"properties": {"url": {"anyOf": [{"const": made}, {"x-vendor": {"deep": [made]}}]}}},
        {"$id": f"see {made}", "description": f"Call it with {made}"},
    ):
        assert made not in json.dumps(masked_schema(schema), ensure_ascii=False), kind


def test_a_schema_that_is_kept_masked_is_no_drift_against_the_whole_one() -> None:
    """A18: an optional argument more, beside a secret default, is only told."""
    old = {"properties": {"path": {"type": "string"}, "token": {"type": "string", "default": TOKEN}}, "required": ["path"]}
    new = {**old, "properties": {**old["properties"], "depth": {"type": "integer"}}}
    kept = {fingerprint(old): masked_schema(old), fingerprint(new): new}
    assert not compatible(kept[fingerprint(old)], new), "as they are they differ"
    assert drift("fetch", fingerprint(old), fingerprint(new), kept.get)[0] == ""
    strict = {**new, "required": ["path", "depth"]}
    kept[fingerprint(strict)] = strict
    assert "has changed" in drift("fetch", fingerprint(old), fingerprint(strict), kept.get)[0]
