"""What an owner may write as a setting, and what becomes of all else."""

import pytest

from kata.settings import RANGES, Settings


@pytest.mark.parametrize(("given", "means"), [("Always", "always"), ("effects", "effects"), ("never", ""), (3, ""), (True, "")])
def test_the_setting_is_one_of_two_words(given: object, means: str) -> None:
    """B51"""
    found, problems = Settings.read({"ask": given})
    assert found.ask == (means or "effects") and len(problems) == (not means)
    assert not problems or "expected effects or always" in problems[0].message


@pytest.mark.parametrize(
    ("given", "means"),
    [
        ({"min_support": "3"}, {"min_support": 3}),
        ({"record": "false", "keep_results": "on"}, {"record": False, "keep_results": True}),
        ({"record": 0, "keep_results": "1"}, {"record": False, "keep_results": True}),
        ({"learn_from": "cron, group"}, {"learn_from": ("cron", "group")}),
        ({"learn_from": '["cron"]'}, {"learn_from": ("cron",)}),
        ({"min_confidence": 1}, {"min_confidence": 1.0}),
        ({"step_timeout_s": None, "nothing_of_ours": 7}, {}),
    ],
)
def test_a_setting_is_understood_as_a_person_writes_it(given: dict[str, object], means: dict[str, object]) -> None:
    """K93 to K99, B51."""
    assert Settings.read(given) == (Settings(**means), ())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "given",
    [
        {"min_support": 1},
        {"min_support": 2.5},
        {"max_steps": True},
        {"record": "maybe"},
        {"record": 2},
        {"learn_from": ["me"]},
        {"max_mb": "nan"},
        {"retention_days": 10**20_000},
        {"max_steps": "9" * 500},
    ],
)
def test_what_is_not_understood_keeps_its_default_and_is_told(given: dict[str, object]) -> None:
    """B51: one error a value, which names the setting."""
    found, errors = Settings.read(given)
    told = [error.message.startswith(f"Setting {name}: expected") for error, name in zip(errors, given, strict=True)]
    assert all(len(error.message) < 200 for error in errors)
    assert found == Settings() and told == [True]


def test_both_ends_of_a_range_are_inside_it() -> None:
    for name, (low, high) in RANGES.items():
        for given in (low, high):
            found, errors = Settings.read({name: given})
            assert getattr(found, name) == given and not errors
