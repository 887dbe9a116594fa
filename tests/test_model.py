"""What the nouns know of themselves: how an answer is judged, and what an input stores."""

import json

import pytest

from kata.model import InputField, Outcome, Status


@pytest.mark.parametrize(
    ("meaning", "status"),
    [("No matches found (not an error)", Status.OK), ("Non-zero exit (often normal)", Status.ERROR), (None, Status.ERROR)],
)
def test_an_exit_code_that_the_host_calls_no_error_is_recorded_as_a_success(meaning, status):
    """A20: `grep` that finds nothing exits with 1; whether a kata may go on then, its examples say (test_driver)."""
    answer = {"output": "", "exit_code": 1, "error": None, "exit_code_meaning": meaning}
    assert Outcome.read(json.dumps(answer)).status is status


def test_a_command_that_was_pushed_to_the_background_did_not_end():
    """Host contract: `"status": "yielded_to_background"` is no success; the command still runs."""
    assert Outcome.read(json.dumps({"output": "", "status": "yielded_to_background", "exit_code": None})).status is Status.INTERRUPTED


@pytest.mark.parametrize(
    "field",
    [
        InputField("path", "string", "Used in step 1.", ("a", "b")),
        InputField("stage", "string", "", ("dev",), ("dev", "prod"), "dev", ("-", "-")),
        InputField("force", "boolean", "", (), default=False),
    ],
)
def test_an_input_is_read_back_as_it_was_stored(field):
    assert InputField.from_json(json.loads(json.dumps(field.to_json()))) == field
    assert field.default is not None or "default" not in field.to_json()


@pytest.mark.parametrize(
    "answer",
    [
        '{"status": "error", "message": "x"}',
        '{"ok": false}',
        '{"isError": true, "content": []}',
        '{"success": "false"}',
        '{"success": "False"}',
        '{"isError": "true", "content": []}',
        '{"output": "", "exit_code": 2.0, "error": null}',
        '{"output": "", "exit_code": "2", "error": null}',
        '{"result": "[TOOL_ERROR] no such table"}',
        '"Error: nope"',
        'Traceback (most recent call last):\n  File "x"',
        '\ufeff{"error": "x"}',
    ],
)
def test_an_error_inside_a_normal_answer_is_a_failure(answer):
    """B01, K71, K72, K73, K74."""
    assert Outcome.read(answer).status is Status.ERROR


@pytest.mark.parametrize(
    "answer", ['{"ok": true}', '{"status": "ok"}', '{"isError": false}', '{"errors": []}', '{"success": true, "failed": 0}', "ok: false"]
)
def test_what_only_sounds_like_an_error_is_none(answer):
    assert Outcome.read(answer).status is Status.OK


@pytest.mark.parametrize("said", ["[Command timed out after 60s]", "[Command interrupted]"])
def test_a_command_that_prints_what_the_host_says_of_others_has_done_well(said):
    """K74: `tail agent.log` ended with 0, and its last line is about another command; where it tells no good end, the host said it."""
    printed = {"output": f"one\n{said}", "exit_code": 0, "error": None}
    assert Outcome.read(json.dumps(printed)).status is Status.OK
    assert not Outcome.read(json.dumps(printed | {"exit_code": 124})).ok and not Outcome.read(json.dumps({"output": said})).ok
    assert Outcome.read(f"{said} is what it says then").ok


def test_a_line_that_somebody_adds_hides_no_timeout():
    """K79: a step that timed out must not read as a plain error, which is tried again."""
    told = {"output": "one\n[Command timed out after 60s]\nTip: use a longer timeout", "exit_code": 124, "error": None}
    assert Outcome.read(json.dumps(told)).status is Status.TIMEOUT
    assert Outcome.read(json.dumps(told | {"output": "no such test"})).status is Status.ERROR
