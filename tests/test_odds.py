"""Chance, judged from counts and words alone."""

import pytest
from strategies import family, sh, tool

from kata import odds


def test_nothing_is_explained_by_chance_before_a_thousand_calls_are_recorded() -> None:
    """K16: who begins has three conversations and little else."""
    assert not odds.explained(3, 400.0, odds.History(999, 5))
    assert odds.explained(3, 400.0, odds.History(1_000, 5))


def test_the_weight_is_that_of_the_split_at_which_the_parts_stand_most_often() -> None:
    assert odds.heaviest([(10, 3), (5, 8)], (1.0, 0.5)) == 30.0 and odds.heaviest([(10, 3), (5, 8)], (0.1, 1.0)) == 40.0


def test_examples_are_asked_for_only_where_ties_decide() -> None:
    """What chance explains even with the best of ties needs no look, and so does what it does not explain without any."""

    def unasked() -> tuple[()]:
        raise AssertionError

    history = odds.History(10_000, 1_000)
    assert odds.asleep(3, [(500, 500)], history, unasked) == pytest.approx(500 * 500 * odds.LEAST)
    assert odds.asleep(400, [(500, 500)], history, unasked) == 0.0
    assert odds.asleep(30, [(500, 500)], history, tuple) == 250_000.0


def test_a_value_that_goes_from_a_result_into_a_later_call_bounds_the_ties() -> None:
    examples = family(*([tool("find", {"id": f"T{n}77"}, title="x"), sh("date"), tool("close", id=f"T{n}77")] for n in range(4)))
    assert odds.bounds(examples) == (odds.LEAST, odds.LEAST)


def test_words_that_are_the_same_in_every_example_tie_nothing() -> None:
    examples = family(*([sh("ls src", "printer.py"), sh("wc -l src/printer.py")] for n in range(4)))
    assert odds.bounds(examples) == (1.0,)


def test_a_word_that_only_some_examples_share_ties_nothing() -> None:
    """In all but one of four; two of four met by chance."""
    halves = [("amber", "amber"), ("birch", "birch"), ("cobalt", "dune"), ("elm", "fjord")]
    examples = family(*([sh(f"cat {one}"), tool("read_file", path=other)] for one, other in halves))
    assert odds.bounds(examples) == (1.0,)
    halves[2] = ("cobalt", "cobalt")
    examples = family(*([sh(f"cat {one}"), tool("read_file", path=other)] for one, other in halves))
    assert odds.bounds(examples) == (odds.LEAST,)


def test_a_result_that_holds_the_words_of_all_examples_ties_nothing() -> None:
    """A table with every value in it fits whoever comes after."""
    table = {"rows": ["amber", "birch", "cobalt", "dune"]}
    examples = family(*([tool("list", table), tool("open", title=word)] for word in table["rows"]))
    assert odds.bounds(examples) == (1.0,)


def test_another_case_a_piece_and_the_number_beside_are_seen() -> None:
    """What a program of extraction.py makes of a text must not be overlooked."""
    pairs = [("On Branch Feature-1204", "feature/1205"), ("On Branch Feature-3311", "feature/3312"), ("On Branch Fix-8080", "fix/8081")]
    examples = family(*([sh("git status", said), sh(f"git switch {asked}")] for said, asked in pairs))
    assert odds.bounds(examples)[0] < 0.5


def test_the_numbers_of_a_date_are_seen_although_each_alone_is_too_short_to_mean_something() -> None:
    """A9: `2026-03-04` flows, and its year is that of every example."""
    days = ("2026-03-04", "2026-11-27", "2026-08-15", "2026-05-30")
    examples = family(*([sh("ls -t logs", f"app-{day}.log"), sh(f"tail logs/app-{day}.log")] for day in days))
    assert odds.bounds(examples) == (odds.LEAST,)
