"""The routine with which the tests of the main job begin: five calls by hand, of which only one word is new each time."""

from pathlib import Path

from model_server import Results, Say, Script, Step, ToolCalls

WORDS = ("alpha", "beta", "gamma", "delta", "omega", "sigma", "kappa")
STEPS = ("search_files", "read_file", "terminal", "write_file", "terminal")


def sources(folder: Path) -> None:
    """A small project: one file for each word, each with one remark to find."""
    (folder / "src").mkdir()
    for number, word in enumerate(WORDS):
        lines = [f"def {word}_{line}() -> int: ..." for line in range(number + 1)]
        text = "\n".join([*lines, f"# TODO({word}): make {word} {number + 2} times faster", ""])
        (folder / "src" / f"{word}_{number}.py").write_text(text, encoding="utf-8")


def found(results: Results) -> dict[str, str]:
    """The one match of the search, which is the latest result that has matches."""
    match: dict[str, str] = next(result for result in reversed(results) if isinstance(result, dict) and "matches" in result)["matches"][0]
    return match


def routine(word: str) -> list[Step]:
    """Five calls: `word` changes, and the path and the text of the match flow out of the first result."""
    note = f"notes/{word}.md"
    return [
        ToolCalls([("search_files", {"pattern": rf"TODO\({word}\)", "path": "src"})]),
        ToolCalls([("read_file", lambda results: {"path": found(results)["path"]})]),
        ToolCalls([("terminal", lambda results: {"command": f"wc -l {found(results)['path']}"})]),
        ToolCalls([("write_file", lambda results: {"path": note, "content": f"# {word}\n{found(results)['content']}\n"})]),
        ToolCalls([("terminal", {"command": f"cat {note}"})]),
    ]


def by_hand(script: Script, word: str, before: tuple[Step, ...] = (), after: tuple[Step, ...] = ()) -> str:
    """Teach the model to do the routine call by call; gives the message that asks for it."""
    script.turn(f"note the todo of {word}", [*before, *routine(word), *after, Say(f"Noted {word}.")])
    return f"Please note the todo of {word}."
