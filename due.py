"""Keeps what was worked out about many things, and works out a few of them anew at each look, those first that were worked out longest ago;
it knows no kata and no file. A module of its own, because a page looks every few seconds, and what an account, a value or a chance costs
grows with what was done."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

KEPT = 5_000
"""Things of which something is kept."""
Mark = TypeVar("Mark", bound=Hashable)
Found = TypeVar("Found")


@dataclass(slots=True)
class Due(Generic[Mark, Found]):
    """What was found, by what it is about; `most` are worked out anew at one look (0: all), and with `whole` all that never were, so that
    no answer is without them."""

    most: int = 0
    whole: bool = False
    left: int = 0
    """How many were still due after the last look."""
    known: dict[Mark, tuple[object, Found]] = field(default_factory=dict)

    def look(self, marks: Iterable[Mark], pulse: object, work: Callable[[Sequence[Mark]], Mapping[Mark, Found]]) -> dict[Mark, Found]:
        """What is known of each; due is what was worked out while the `pulse` was another, or never. Threads may look at once: one of them
        is remembered."""
        wanted, known = list(marks), dict(self.known)
        new = [mark for mark in wanted if mark not in known]
        old = {*wanted} - {*new}
        stale = [mark for mark, (then, _) in known.items() if mark in old and then != pulse]
        most = max(self.most, len(new)) if self.whole and self.most else self.most
        fresh = [*new, *stale][: most or None]
        found = work(fresh) if fresh else {}
        for mark in fresh:
            known.pop(mark, None)
            known[mark] = pulse, found[mark]
        self.left, self.known = len(new) + len(stale) - len(fresh), dict([*known.items()][-KEPT:])
        return {mark: known[mark][1] for mark in wanted if mark in known}
