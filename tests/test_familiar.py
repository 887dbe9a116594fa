"""What is unlike every example is named; what is like one of them is not (T37)."""

import pytest
from strategies import family, sh, tool

from kata import familiar
from kata.model import Call

FOLDER = "/srv/app"
WORDS = ("amber", "birch", "cobalt")


def noted(command: str, *seen: str, folder: str = FOLDER) -> list[str]:
    """What is said of a command when the examples had these."""
    examples = family(*([sh(f"cd {folder}") if folder else sh("pwd"), sh(one)] for one in seen))
    return [str(one) for one in familiar.notes(examples, [(1, Call("terminal", {"command": command}))], folder)]


@pytest.mark.parametrize(
    ("path", "where"),
    [
        ("/etc/passwd", FOLDER),
        ("../../etc/passwd", FOLDER),
        ("~/.ssh/id", FOLDER),
        ("src/../../x", FOLDER),
        ("/srv/application/x", FOLDER),
        ("..", FOLDER),
    ],
)
def test_a_path_that_leads_out_of_where_the_examples_were_is_named(path: str, where: str) -> None:
    """T37"""
    found = noted(f"cat {path}", *(f"cat src/{word}.txt" for word in WORDS))
    assert len(found) == 1 and found[0].startswith(f"step 2: {path} is outside {where}"), found


@pytest.mark.parametrize("path", ["src/delta.txt", "lib/x.txt", "/srv/app/src/x", "src/../lib/x", "./x", "a..b", "src/amber.txt"])
def test_a_path_below_the_folder_says_nothing(path: str) -> None:
    assert noted(f"cat {path}", *(f"cat src/{word}.txt" for word in WORDS)) == []


def test_the_common_folder_of_absolute_paths_is_where_they_were() -> None:
    seen = [f"cat /var/log/{word}/a.log" for word in WORDS]
    assert noted("cat /var/log/delta/b.log", *seen) == []
    assert noted("cat /var/lib/x", *seen) == ["step 2: /var/lib/x is outside /var/log, where the examples were"]


def test_a_path_behind_an_option_or_a_redirection_is_one_too() -> None:
    assert noted("sort --output=/etc/x a", *(f"sort --output={word} a" for word in WORDS))
    assert noted("ls > /etc/x", *(f"ls > {word}" for word in WORDS))


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ("a$b", "$"),
        ("'a;b'", ";"),
        ("'a b'", "blanks"),
        ("a@{1}", "@ { }"),
        ("zürich", "letters beyond A to Z"),
        ("'a\u202eb'", "control characters"),
    ],
)
def test_signs_that_no_example_had_are_named(value: str, what: str) -> None:
    if value != "a$b":
        (note,) = noted(f"git log {value}", *(f"git log {word}" for word in WORDS))
        assert note.endswith(f"has {what}, which no example had"), note
    else:
        assert noted("git log 'a$b'", *(f"git log {word}" for word in WORDS)) == ["step 2: a$b has $, which no example had"]


@pytest.mark.parametrize("value", ["delta", "feature/x-1", "v1.2", "A_B"])
def test_an_ordinary_word_says_nothing(value: str) -> None:
    assert noted(f"git log {value}", *(f"git log {word}" for word in WORDS)) == []


def test_a_value_far_longer_than_all_is_named_and_two_examples_tell_nothing_of_signs() -> None:
    assert "far longer" in noted("git log " + "x" * 90, *(f"git log {word}" for word in WORDS))[0]
    assert noted("git log 'a;b'", "git log one", "git log two") == []


def test_the_place_of_a_secret_says_nothing() -> None:
    """T7: what is given there is never shown."""
    seen = [f"deploy --key KATASECRET_key_{n}" for n in (1, 2, 3)]
    assert noted("deploy --key '/etc/$x;y'", *seen) == []


def test_arguments_of_other_tools_are_looked_at_too_and_nothing_acts_on_a_terminal() -> None:
    examples = family(*([tool("read_file", path=f"src/{word}"), sh("ls")] for word in WORDS))
    (note,) = familiar.notes(examples, [(0, Call("read_file", {"path": "/etc/\x1b[2Jx", "offset": 3}))], FOLDER)
    assert note.astray and str(note) == f"step 1: /etc/�[2Jx is outside {FOLDER}/src, where the examples were"


def test_where_no_folder_is_known_only_a_way_up_or_an_absolute_path_leads_out() -> None:
    seen = [f"cat src/{word}" for word in WORDS]
    assert noted("cat lib/x", *seen, folder="") == []
    assert noted("cat /etc/x", *seen, folder="") == ["step 2: /etc/x is outside src, where the examples were"]
    assert noted("cat ../x", *seen, folder="") == ["step 2: ../x is outside src, where the examples were"]
