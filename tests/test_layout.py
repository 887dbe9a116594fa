"""Text in 80 columns: what is cut shows where it differs, and a command stays whole."""

import pytest

from kata import layout


def test_values_that_begin_alike_are_shown_from_where_they_differ() -> None:
    """Paths of one folder would else all look the same on the review."""
    paths = ["/home/ann/project/src/gamma.py", "/home/ann/project/src/beta.py", "–", "/home/ann/project/src/gamma.py"]
    assert layout.apart(paths, 20) == ["…/gamma.py", "…/beta.py", "–", "…/gamma.py"]
    assert layout.apart(["a" * 40 + "b" * 30, "a" * 40 + "c" * 30], 20) == ["…" + "a" * 10 + "b" * 8 + "…", "…" + "a" * 10 + "c" * 8 + "…"]
    assert layout.apart(["# TODO(gamma): make it faster", "# TODO(beta)"], 20) == ["# TODO(gamma): make…", "# TODO(beta)"]
    assert layout.apart(["x" * 30, "x" * 30], 20) == ["x" * 19 + "…"] * 2 and layout.apart([], 20) == []


@pytest.mark.parametrize("lead", ["hermes kata", "/kata"])
def test_a_command_goes_on_no_further_line(lead: str) -> None:
    """It can be copied as it stands: here from every place in a line."""
    for command in (f"{lead} learn --preview", f"{lead} review 12 all", f"{lead} approve 3 as NAME", f"{lead} what-if 4"):
        for before in range(90):
            shown = layout.laid(f"{'x' * before} more about it: {command}; and on it goes with words")
            assert command in shown and all(len(line) <= 80 for line in shown.split("\n")) or before > 80
