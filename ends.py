"""Says where a routine ends because what follows it is different each time (T5); it looks at what is kept, and never writes or decides
anything. A module of its own, because the miner sees what repeats, and this is what does not."""

from __future__ import annotations

from . import miner
from .effects import BOOKKEEPING, CONVERSATIONAL, DELEGATING
from .model import ODD_FROM, Call, Kata, NearMiss
from .store import Store

FREE = "free"
"""The rule of a near miss that ends in a step without a form of its own."""
OTHER = "…"
"""What stands for that step among the keys of the others."""
SHARE, NAMED = 2 / 3, 4
"""In what share of the conversations something has to follow, and how many of the programs are named."""


def free(store: Store, kata: Kata) -> NearMiss | None:
    """The near miss of which a proposal is the part before; None where not something else follows it each time."""
    keys, window = store.keys(kata.id), store.window(kata.id)
    places = store.occurrences(window, miner.SCORED) if window and kata.version.fit.support >= ODD_FROM else ()
    found = [call for one in places if (call := _next(store, one.turn, one.last)) is not None]
    named = [miner.key(call) for call in found]
    if len(found) < max(ODD_FROM, SHARE * len(places)) or len(set(named)) < len(named):
        return None
    shown = ", ".join(dict.fromkeys(map(program, found[:NAMED])))
    more = ", …" if len(found) > NAMED else ""
    before = f"the {len(keys)} steps before it are proposal {kata.id}"
    whole = (*keys, OTHER)
    why = f"step {len(whole)} is different each time ({shown}{more}); {before}"
    return NearMiss(whole, FREE, why, len(found), miner.fingerprint(whole))


def _next(store: Store, turn: str, last: int) -> Call | None:
    """What was done right after a place; None where nothing was, or what cannot be a step."""
    call = next((one for one in store.after(turn, last) if one.tool not in BOOKKEEPING), None)
    return None if call is None or call.tool in CONVERSATIONAL or call.tool in DELEGATING else call


def program(call: Call) -> str:
    """What is called, in a word or two without values: the programs of a command, else the tool."""
    _, _, programs = miner.key(call).partition("): ")
    return programs if programs and not programs.startswith("=") else call.tool
