"""What Hermes and this process are asked: limits, switches, processes; against a stand-in host or none at all."""

from __future__ import annotations

import sys
import types
from typing import Any

import pytest

from kata import host


@pytest.fixture
def config(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The config.yaml of a stand-in host, to be filled."""
    given: dict[str, Any] = {}
    module: Any = types.ModuleType("hermes_cli.config")
    module.load_config_readonly = lambda: given
    monkeypatch.setitem(sys.modules, "hermes_cli", types.ModuleType("hermes_cli"))
    monkeypatch.setitem(sys.modules, "hermes_cli.config", module)
    monkeypatch.delenv("HERMES_CONCURRENT_TOOL_TIMEOUT_S", raising=False)
    return given


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"timeouts": {"tools": {"sequential_call": 30}}}, 30.0),
        ({"timeouts": {"tools": {"sequential_call": True, "concurrent_batch": "45"}}}, 45.0),
        ({"timeouts": {"tools": {"sequential_call": "nan", "concurrent_batch": -1}}}, 0.0),
        ({"timeouts": []}, host.HOST_LIMIT_S),
        ({}, host.HOST_LIMIT_S),
    ],
)
def test_the_time_limit_of_a_call_is_the_first_number_of_the_host(
    config: dict[str, Any], given: dict[str, Any], found: float
) -> None:
    config.update(given)
    assert host.host_limit() == found


def test_a_setting_that_is_not_ours_is_named(config: dict[str, Any]) -> None:
    """B51"""
    config["plugins"] = {"entries": {"kata": {"settings": {"record": True, "recrod": True}}}}
    assert host.unknown_settings() == ["recrod"]


@pytest.mark.parametrize(("value", "off"), [("1", "KATA_OFF"), ("yes", "KATA_OFF"), ("0", ""), ("False", ""), ("", "")])
def test_a_variable_switches_off(monkeypatch: pytest.MonkeyPatch, value: str, off: str) -> None:
    """T60"""
    monkeypatch.delenv("HERMES_SAFE_MODE", raising=False)
    monkeypatch.setenv("KATA_OFF", value)
    assert host.switched_off() == off
