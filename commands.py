"""Words in, answer out: a line of chat or shell goes to what carries it out; it holds no rule of its own and never decides anything."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from . import changing, looking, switches
from .asking import Act, Answer, Ask, Hand
from .layout import laid
from .manual import VERBS, explained, misused, unknown
from .model import KataError, Refused, Usage
from .service import Service
from .status import status

LONGEST = 200
"""Characters of a word; no command has use for more, and none is repeated at greater length."""
VALUE = re.compile(r"\w{1,60}=.{0,100000}\Z", re.DOTALL)
"""A word that holds a value of somebody's own, which is used whole."""


def run(
    service: Service,
    words: Sequence[str],
    surface: str,
    digest: str = "",
    host: Mapping[str, str] | None = None,
    hand: Hand | None = None,
    session: str = "",
) -> Answer:
    """Carry out one command, options and all; every error of ours becomes one clear answer. `--json` makes its text JSON."""
    ask = Ask((), surface, digest, host or {}, hand, session=session)
    answer = _guarded(lambda: _commanded(service, switches.read(words), ask))
    text = "\n".join([*([laid(answer.text)] if answer.text else []), *([answer.raw] if answer.raw else [])])
    if "--json" in map(str.lower, words) and (text or answer.json is not None):  # what has nothing to say says nothing as JSON too
        text = json.dumps(answer.json, indent=2, default=str)
    return Answer(text, answer.json, answer.code, answer.raw)


def _commanded(service: Service, line: switches.Line, ask: Ask) -> Answer:
    """Carry out one line; a word that is too long for any use is cut."""
    short = [word if len(word) <= LONGEST or VALUE.match(word) else word[: LONGEST - 1] + "…" for word in line.spoken]
    verb, rest = (short[0].lower(), tuple(short[1:])) if short else ("list", ())
    digest = line.value("--digest") or ask.digest
    if digest and ask.surface != "cli":
        raise Usage("--digest is for scripts in a shell; in a chat look at it first, then approve it")
    if line.help:
        return explained(replace(ask, words=(verb,) if line.words else ()))
    return _answered(service, verb, replace(ask, words=rest, digest=digest, options=line.given))


def _guarded(act: Callable[[], Answer]) -> Answer:
    try:
        return act()
    except Refused as error:
        return Answer(str(error), {"error": error.message}, 2 if isinstance(error, Usage) else 1)
    except KataError as error:
        return Answer(f"Kata cannot do that now. {error}", {"error": error.message}, 1)


def _answered(service: Service, verb: str, ask: Ask) -> Answer:
    if verb not in VERBS:
        raise unknown(verb, ask)
    least, most = VERBS[verb].words
    if not least <= len(ask.words) <= most:
        raise misused(verb, ask)
    return ACTS[verb](service, ask)


def split(text: str) -> tuple[str, ...]:
    """The words of a chat line; an odd quote is taken as it stands."""
    try:
        return tuple(shlex.split(text))
    except ValueError:
        return tuple(text.split())


ACTS: Mapping[str, Act] = {**looking.ACTS, **changing.ACTS, "status": status, "help": lambda _service, ask: explained(ask)}
"""What carries out each command of the manual."""
