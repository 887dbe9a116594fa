"""What the tables of published forms hold (B18)."""

import re

from kata import formats


def test_a_placeholder_holds_letters_digits_and_underscores_only() -> None:
    kinds = {kind for kind, *_ in (*formats.FORMATS, *formats.LIKELY, *formats.SHAPES)}
    assert all(re.fullmatch(r"[a-z0-9]{1,20}", kind) for kind in kinds)


def test_every_prefix_stands_in_the_tables_once() -> None:
    prefixes = [prefix for _, listed, _ in (*formats.FORMATS, *formats.LIKELY) for prefix in listed.split()]
    assert len(prefixes) == len(set(prefixes))
