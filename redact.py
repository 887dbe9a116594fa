"""Masks secrets in text and in JSON values before anything is written; it never changes a key, a shape or the words of a command.

A secret is known by its published form, by the name beside it, or by its place in a header, URL, cookie or command line. Only runs of
plain characters are replaced: quotes, escapes, separators and expansions stay, so JSON stays JSON and a command keeps its tree.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache

from .beside import SCHEME, counts, fields
from .cells import columns, inserted, marked
from .keys import blocks, formatted
from .lists import listed, spelled
from .looks import MEMORABLE, OVERLAP, PLACEHOLDER, SHORTEST, Span, drawn
from .model import Json
from .names import Name, named
from .sources import accounts, beside_ids, calls, literals, statements
from .spots import commands, entries, flags, lines, prose, urls
from .views import SLICE, View, inner, plain

MASKER_VERSION = 6
"""Goes up with every change of what is found; rows that an older masker wrote are masked again."""

REMEMBERED = 256
JSON_LIMIT = 1_048_576
"""Longer JSON text is masked as text: parsing it would hold the lock for too long."""


Finder = Callable[[str, int, int], Iterator[Span]]
_ANNOUNCING = tuple(
    "pass pwd pw psk secret token key auth cookie cred jwt bearer phrase mnemonic sig pat sess aspx senha contrase kennwort "
    "密 口令 パス парол requirepass masterauth content".split()
)
FINDERS: tuple[tuple[tuple[str, ...], Finder], ...] = (
    (("",), formatted),
    ((*_ANNOUNCING, "code=", "api=", "hash=", "appid="), fields),
    (_ANNOUNCING, flags),
    (("value", "</", "set", "env ", "arg ", ",", "|", "│", "┃", "\t"), entries),
    ((*_ANNOUNCING, "basic", "identified", "login"), prose),
    ((":54", ":64", ":25", ":26", ":*:"), lines),
    (("@", "ifttt", "zapier"), urls),
    ((" ", "\t"), commands),
    (("[", "- "), spelled),
    (("\n", "|", "│", ","), columns),
    (("values",), inserted),
    (("</", "<input", "<meta", "<param", "<prop", "<entry", "<setting", "<var"), marked),
    (("(",), calls),
    (("chpasswd",), accounts),
    (("",), statements),
    (_ANNOUNCING, literals),
    (("kia", "asia", "_aws_"), beside_ids),
)
"""Where each finder may find something: it is asked only when the slice holds one of the texts, in lower case."""


ANYWHERE = frozenset((formatted, flags, entries, lines))
"""Finders to which it does not matter what stands around a text; they read it once, as it is."""


def _found(text: str, inner: bool = False) -> Iterator[Span]:
    """Every span that any finder names, in slices that overlap so that none is cut by a border."""
    if not inner:
        yield from blocks(text)
    for low in range(0, max(1, len(text) - OVERLAP), SLICE - OVERLAP):
        high = min(len(text), low + SLICE)
        part = text[low:high] if text.isascii() else unicodedata.normalize("NFKC", text[low:high])
        holds = cache(part.lower().__contains__)  # finders ask for the same texts
        for needles, finder in FINDERS:
            if not (inner and finder in ANYWHERE) and any(map(holds, needles)):
                yield from finder(text, low, high)


def _merged(spans: Iterable[Span]) -> list[Span]:
    """The spans in order, those that overlap made one."""
    merged: list[Span] = []
    for span in sorted(spans, key=lambda one: one.start):
        last = merged[-1] if merged else None
        if last and span.start < last.stop:
            merged[-1] = Span(last.start, max(last.stop, span.stop), last.kind, last.told and span.told)
        elif span.stop > span.start:
            merged.append(span)
    return merged


# ── The masker of one conversation ───────────────────────────────────────────────────────────────

_MARKS = r"\s'\"`;|&<>(){}\[\]*?~\x00-\x1f$\\"
_PIECES = re.compile(
    r"(?P<keep>\\+(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[\s\S])|\$\{[A-Z_][A-Z0-9_]*\}|\$[A-Z_]{1,30}(?!\w)|\$[0-9?$!#@*-]?)"
    rf"|(?<=\$)[A-Za-z_][A-Za-z0-9_]*+|(?![A-Za-z_]\w*=)\w[^{_MARKS}]*+|\w[^{_MARKS}=]*+|(?P<mark>[\s\S])"
)
"""What stays of a secret, and the runs that are replaced. A run begins with a letter, digit or `_`, as its placeholder does, so that what
is read around it is read in the same way again. `a=` stays apart, `1=` does not: only the first could be an assignment."""
_ACTIVE = re.compile(r"['\"`$\\]")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"')


_BAKED = frozenset(("domain", "httpOnly", "sameSite", "hostOnly"))
"""Keys of an object that is a cookie."""


def _members(item: dict[Json, Json], name: Name | None) -> Iterator[tuple[Json, Name | None]]:
    """The values of an object, each with what its key announces, or what the entry's own name announces of its value."""
    entry = next(
        (named(item[key]) for key in ("name", "Name", "key", "Key", "variable", "label", "Label") if isinstance(item.get(key), str)), None
    )
    if entry is None and isinstance(item.get("value"), str) and not _BAKED.isdisjoint(item):
        entry = Name("cookie", sure=False)
    if "keyName" in item or "username" in item and "key" in item:
        entry = entry or Name("key", sure=False)
    inherited = name._replace(sure=False) if name is not None and name.kind != "auth" else None
    for key, value in item.items():
        own = named(key) if isinstance(key, str) else None
        yield value, entry if entry and key in ("value", "Value", "key") and not own else own or inherited


def _items(items: Sequence[Json], name: Name | None) -> Iterator[tuple[Json, Name | None]]:
    """The items of an array, each with what the flag or the header name before it announces."""
    before: Json = None
    for item in items:
        told = isinstance(before, str) and (before.startswith("-") and "=" not in before or len(items) == 2)
        yield item, named(before) if told and not (isinstance(item, str) and item.startswith("-")) else name
        before = item


def _strings(value: Json) -> Iterator[str]:
    """Keys and strings in the order in which they stand in JSON text."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            waiting += reversed([part for pair in item.items() for part in pair])
        elif isinstance(item, list):
            waiting += reversed(item)


class Masker:
    """Replaces the secrets of one conversation by numbered placeholders; the same secret has the same placeholder throughout."""

    def __init__(self, first: int = 1) -> None:
        """`first` is the number of the first placeholder, for a conversation that goes on after a restart."""
        self._next = first
        self._names: dict[str, str] = {}
        self._known: dict[str, str] = {}

    @property
    def known(self) -> int:
        """How many secrets it has met so far; with the same number the same text is masked in the same way."""
        return len(self._known) + len(self._names)

    def text(self, text: str) -> str:
        """The text with its secrets masked; JSON text stays JSON with the same keys."""
        if len(text) <= SHORTEST:
            return text
        document = self._document(text) if text.lstrip()[:1] in ("{", "[") and len(text) <= JSON_LIMIT else None
        return self._plain(text) if document is None else document

    def value(self, value: Json) -> Json:
        """The JSON value with the secrets in its strings masked; its shape, numbers and keys stay.

        A key changes only where it is itself a key of a published form."""
        known = len(self._known)
        masked = self._walked(value, None)
        return self._walked(masked, None) if len(self._known) > known else masked

    def _walked(self, value: Json, name: Name | None) -> Json:
        """A masked copy; a loop over a stack, because the value of a tool may be nested deeper than calls can be."""
        root = [value]
        waiting: list[tuple[Json, Json, Json, Name | None]] = [(root, 0, value, name)]
        while waiting:
            holder, place, item, name = waiting.pop()
            if isinstance(item, str):
                holder[place] = self._leaf(item, name)
            elif isinstance(item, dict):
                item = self._commanded(item)
                copy = {self._renamed(key): None for key in item}
                holder[place] = copy
                waiting += [(copy, key, *part) for key, part in reversed([*zip(copy, _members(item, name), strict=True)])]
            elif isinstance(item, list | tuple):
                item = self._argued(item)
                holder[place] = [None] * len(item)
                waiting += [(holder[place], index, *part) for index, part in reversed([*enumerate(_items(item, name))])]
            else:
                holder[place] = item
        return root[0]

    def _argued(self, items: Sequence[Json]) -> Sequence[Json]:
        """The items of a list, with the passwords masked that stand in them because they are a command word by word."""
        masked = [*items]
        for part in reversed([*listed(items)]):
            word = masked[part.item]
            secret = word[part.start : part.stop]
            self._remember(secret, part.kind)
            masked[part.item] = word[: part.start] + self._hidden(secret, part.kind) + word[part.stop :]
        return masked

    def _commanded(self, item: dict[Json, Json]) -> dict[Json, Json]:
        """An object that holds a program under one key and its arguments under another, masked like the list of both."""
        program = next((item[key] for key in ("command", "cmd", "program", "executable", "entrypoint") if item.get(key)), None)
        place = next((key for key in ("args", "arguments", "argv") if isinstance(item.get(key), list)), None)
        words = [program] if isinstance(program, str) else program
        if place is None or not isinstance(words, list):
            return item
        return {**item, place: [*self._argued([*words, *item[place]])[len(words) :]]}

    def _renamed(self, key: Json) -> Json:
        if not isinstance(key, str) or len(key) < 2 * MEMORABLE:
            return key
        seen, end = plain(key), len(key)
        spans = _merged((*formatted(seen.text, 0, end), *urls(seen.text, 0, end), *self._copies(seen.text)))
        return self._replaced(key, seen, spans)

    def _leaf(self, text: str, name: Name | None) -> str:
        """A string of a value; under a name that announces a secret it is masked whole."""
        if name is None or not counts(text, name, plain=True, quoted=True):
            return self.text(text)
        scheme = SCHEME.match(text) if name.kind == "auth" else None
        head = scheme.group() if scheme and not scheme["many"] else ""
        secret = text[len(head) :]
        if PLACEHOLDER.search(secret) or name.kind == "cookie" and "=" in secret:
            return self.text(text) if name.kind == "cookie" else head + self._hidden(secret, name.kind)
        self._remember(secret, name.kind)
        return head + self._placeholder(secret, name.kind)

    def _document(self, text: str) -> str | None:
        """JSON text with its strings masked and every other character as it was; None when it is no JSON."""
        try:
            parsed = json.loads(text)
            masked = self._walked(parsed, None)
            if masked == parsed:
                return text
        except (ValueError, RecursionError):
            return None
        changed = [*zip(_strings(parsed), _strings(masked), strict=True)]
        literals = [*_STRING.finditer(text)]
        if len(literals) != len(changed):  # a key stood twice, and the parser kept one
            return json.dumps(masked, ensure_ascii=False)
        parts, at = [], 0
        for literal, (before, after) in zip(literals, changed, strict=True):
            if before != after:
                parts += [text[at : literal.start()], json.dumps(after, ensure_ascii=literal.group().isascii())]
                at = literal.end()
        return "".join((*parts, text[at:]))

    def _plain(self, text: str) -> str:
        seen = plain(text)
        inside = (view.back(span) for view in inner(seen.text) for span in _found(view.text, inner=True) if span.start < span.stop)
        spans = _merged((*_found(seen.text), *inside))
        if not spans and not self._known:
            return text
        for span in spans:
            if span.told:
                self._remember(seen.text[span.start : span.stop], span.kind)
        return self._replaced(text, seen, _merged((*spans, *self._copies(seen.text))))

    def _remember(self, secret: str, kind: str) -> None:
        """Keep a secret that only its surroundings told, if it looks drawn: a password that is a word would mask that word."""
        runs = [match.group() for match in _PIECES.finditer(secret) if not match["keep"] and not match["mark"]]
        for known in (secret, *runs):
            if drawn(known) and not PLACEHOLDER.search(known):
                self._known[known] = kind
        for old in [*self._known][:-REMEMBERED]:
            del self._known[old]

    def _copies(self, text: str) -> Iterator[Span]:
        for secret, kind in self._known.items():
            at = text.find(secret)
            while at >= 0:
                yield Span(at, at + len(secret), kind)
                at = text.find(secret, at + len(secret))

    def _replaced(self, text: str, seen: View, spans: Sequence[Span]) -> str:
        parts, at = [], 0
        for span in spans:
            parts.append(text[at : seen.origin(span.start)])
            parts.append(self._hidden(seen.text[span.start : span.stop], span.kind))
            at = seen.origin(span.stop - 1) + 1
        return "".join((*parts, text[at:]))

    def _hidden(self, secret: str, kind: str) -> str:
        """The secret with every run of plain characters replaced; a key block is one secret."""
        if kind == "pem" and not _ACTIVE.search(secret.replace("\\n", "").replace("\\r", "")):
            return self._placeholder(secret, kind)
        parts, at = [], 0
        for match in PLACEHOLDER.finditer(secret):
            parts += [self._pieces(secret[at : match.start()], kind), match.group()]
            at = match.end()
        return "".join((*parts, self._pieces(secret[at:], kind)))

    def _pieces(self, text: str, kind: str) -> str:
        return _PIECES.sub(lambda match: match.group() if match["keep"] or match["mark"] else self._placeholder(match.group(), kind), text)

    def _placeholder(self, secret: str, kind: str) -> str:
        if secret not in self._names:
            self._names[secret] = f"KATASECRET_{kind}_{self._next}"
            self._next += 1
        return self._names[secret]
