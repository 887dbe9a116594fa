"""Calls and steps in words: one printable line each."""

from kata.model import Call, Class, Effect, Literal, Object, Step
from kata.wording import brief, templated


def test_a_call_in_words_is_one_printable_line() -> None:
    """B46, W10."""
    for text in ("a\nb", "\x1b[31mred\x1b[0m", "\ud835", "a\tb", "\u202eabc", "x" * 500):
        for call in (Call("terminal", {"command": text}), Call("write_file", {"path": text, "content": text}), Call("odd", {text: 1})):
            line = brief(call)
            assert line.isprintable() and len(line) <= 160


def test_a_step_in_words_is_printable_whatever_its_names() -> None:
    """W10: an argument's name is observed text too."""
    for text in ("a\nb", "\x1b[31mred", "\ud835", "\u202eabc"):
        for step in (
            Step("terminal", Object((("command", Literal("ls")), (text, Literal(text)))), Effect(Class.READ)),
            Step("odd", Object(((text, Literal(text)),)), Effect(Class.READ)),
        ):
            assert templated(step).isprintable()


def test_a_line_break_in_a_command_is_shown_because_it_separates_commands() -> None:
    """B26, K18: `rm -rf a` and a second line must not look like `rm -rf a touch b`."""
    plain, broken = ({"command": f"rm -rf a{gap}touch b"} for gap in (" ", "\n"))
    assert brief(Call("terminal", plain)) != brief(Call("terminal", broken))
    first, second = (Step("terminal", Object((("command", Literal(one["command"])),)), Effect(Class.READ)) for one in (plain, broken))
    assert templated(first) != templated(second)
