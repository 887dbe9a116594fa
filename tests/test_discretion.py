"""What is hidden of a run: what was supplied for it, and what a call shows to be a secret."""

from kata.discretion import SUPPLIED, Discreet
from kata.model import Json


def test_supplied_values_are_hidden_wherever_they_stand() -> None:
    """Whatever they look like, also inside others; a short number only where it is the whole value."""
    masker = Discreet(["ab", {"k": "long value"}, 12345, 7, None])
    assert masker.text("xabx 12345 7") == f"x{SUPPLIED}x {SUPPLIED} 7"
    shown = masker.value({"a": ["long value", 7, 12345, None, True, "z7"], "ab": 1})
    assert shown == {"a": [SUPPLIED, SUPPLIED, SUPPLIED, None, True, "z7"], SUPPLIED: 1}
    secret = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    assert secret not in masker.text(f"token {secret}") and secret not in str(masker.value({"a": f"token {secret}"}))
    nest: list[Json] = []
    for _ in range(3_000):
        nest = [nest]
    assert masker.value(nest) == "[a value that is nested too deeply to be kept]"


def test_what_a_call_shows_to_be_a_secret_is_hidden_and_nothing_else() -> None:
    """A value that the masker changes by itself stays as it makes it; one inside a longer secret is none."""
    masker, inputs = Discreet(), {"name": "client_secret", "value": "lantern-of-tin", "env": "lantern", "count": 4_417, "on": True}
    call = {"command": "put --set client_secret=lantern-of-tin --env lantern -n 4417"}
    for _ in range(2):
        masker.heed(call, inputs)
        assert masker.value(inputs) == {**inputs, "value": SUPPLIED}
    assert masker.text("got lantern-of-tin in lantern") == f"got {SUPPLIED} in lantern"
    number = Discreet()
    number.heed({"command": "login --password 44170"}, {"pin": 44_170})
    assert number.value({"pin": 44_170, "text": "44170"}) == {"pin": SUPPLIED, "text": SUPPLIED}
    plain = Discreet()
    plain.heed({"command": "git push origin main"}, {"branch": "main"})
    assert plain.value({"branch": "main"}) == {"branch": "main"}


def test_a_secret_that_is_met_later_is_hidden_in_what_was_masked_before() -> None:
    """The same value is read again once more is known."""
    masker, told = Discreet(), {"note": "lantern-of-tin is at the door", "at": 1}
    assert masker.value(told) == told == masker.value(dict(told))
    masker.heed({"command": "put --set client_secret=lantern-of-tin"}, {"value": "lantern-of-tin"})
    assert "lantern" not in str(masker.value(told)) and masker.value({"at": 1.0}) == {"at": 1.0} and masker.value({"at": 1}) == {"at": 1}
    nan = float("nan")
    assert masker.value([nan])[0] is nan
