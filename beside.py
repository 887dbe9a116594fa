"""Finds the values that stand beside a name which announces a secret, and where such a value ends; it never asks for its look alone.

Assignments, fields, flags with `=`, headers, cookies, queries. A module of its own, because where a value ends under quotes, escapes and
line breaks is one question for all that find secrets by what stands before them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .looks import LONGEST, MEMORABLE, OVERLAP, PLACEHOLDER, SHORTEST, Span, code, drawn, void, wordy
from .names import Name, named

# ── Where the value of a name ends ───────────────────────────────────────────────────────────────

_BARE = re.compile(r"[^\s'\"`;|&<>()\\,]+")
_OPEN = re.compile(r"(?:\\\r?\n[ \t]{0,40})?(?:[bBfFrRuU@$]{0,2}(?P<slash>\\{0,15})(?P<quote>[\"']))?")
_QUOTE = re.compile(r"(\\{0,15})([\"'])")
_CODE_SPAN = re.compile(r"`([^\s`$(]{6,4096}+)`")
"""A value in Markdown; a command between such quotes is one word only where it takes nothing."""
_ENTITY = re.compile(r"&(?:quot|apos|#3[49]);")
_GO_ON = re.compile(r"&(?!$|[&\s]|[\w.%-]{1,64}=)|,(?!$|[\s,'\"\\]|[\w.-]{1,64}[=:])")
_STOPPED = re.compile(r"[^\w'\"\\$]|\\*[\"'](?!\w)|\\(?![a-mo-qsu-zA-Z0-9_\"'])")
_REST_OF_LINE = re.compile(r"[^\s'\"\\|]{1,8192}+(?=[ \t]*(?:$|\r?\n))")


def _closing(text: str, start: int, quote: str, slashes: int) -> int:
    """Where the quoted text from `start` ends, at the latest with its line; `slashes` backslashes stand before its quotes."""
    limit = min(len(text), start + LONGEST)
    line = text.find("\n", start, limit)
    limit = line if line >= 0 else limit
    at = text.find(quote, start, limit)
    while at >= 0:
        before = at
        while before > start and text[before - 1] == "\\":
            before -= 1
        extra = at - before - slashes
        if extra <= 0 or extra % (2 * slashes + 2) == 0:
            return max(before, at - slashes)
        at = text.find(quote, at + 1, limit)
    return limit


def _word(text: str, start: int) -> int:
    """The end of a word as a shell reads it; quotes inside belong to it when the word goes on after them."""
    at, limit = start, min(len(text), start + LONGEST)
    while at < limit:
        bare = _BARE.match(text, at, limit)
        after = bare.end() if bare else _past(text, at, start)
        if after == at:
            break
        at = after
    return at


def _past(text: str, at: int, start: int) -> int:
    """Past a quoted part, an escape or a mark inside a word; `at` itself where the word ends."""
    quote = _QUOTE.match(text, at)
    if quote:
        goes_on = text[quote.end() : quote.end() + 1]
        if at > start and not (goes_on.isalnum() or goes_on == "_"):
            return at
        return min(len(text), _closing(text, quote.end(), quote[2], len(quote[1])) + len(quote.group()))
    if text[at] == "\\":
        return at if text[at + 1 : at + 2] in tuple("nrt") else min(len(text), at + 2)
    return at + 1 if _GO_ON.match(text, at) else at


class Value(NamedTuple):
    """Where a value stands without its quotes; whether it had any; whether it is all that its line still holds."""

    start: int
    stop: int
    quoted: bool = False
    alone: bool = False


def value_at(text: str, at: int, alone: bool = False) -> Value:
    """The value that begins at `at`; where it may stand `alone`, the rest of the line is one value whatever signs it holds."""
    entity = _ENTITY.match(text, at)
    if entity:
        shut = text.find(entity.group(), entity.end(), entity.end() + LONGEST)
        return Value(entity.end(), shut if shut >= 0 else _word(text, entity.end()), quoted=True)
    code_span = _CODE_SPAN.match(text, at)
    if code_span and (drawn(code_span[1]) or re.search(r"[0-9]", code_span[1]) and "/" not in code_span[1]):
        return Value(*code_span.span(1), quoted=True)
    opening = _OPEN.match(text, at)
    if opening is None or not opening["quote"]:
        start = opening.end() if opening else at
        line = _REST_OF_LINE.match(text, start) if alone else None
        if line is None:
            return Value(start, _word(text, start))
        return Value(start, start + len(line.group().rstrip(",;")), alone=True)
    start, slashes = opening.end(), len(opening["slash"])
    stop = _closing(text, start, opening["quote"], slashes)
    end = stop + slashes + 1
    if text.startswith(opening["quote"], end - 1) and _word(text, end) > end and not _STOPPED.match(text, end):
        return Value(start, _word(text, opening.start("slash")))
    return Value(start, stop, quoted=True)


# ── Finding by name ──────────────────────────────────────────────────────────────────────────────

_NAME = re.compile(
    r"(?<![\w.\-])(?P<name>[\w.\-]{1,200}+)(?P<quote>(?:&(?:quot|apos|#3[49]);|\\{0,15}[\"']?)\]?)"
    r"(?P<mark>\*{1,2}|`|</\w{1,10}>|[ \t]?\([\w ./@-]{1,40}\)|\[[\w'\"$.-]{1,40}\])?"
    r"(?:[ \t]{0,8}:[ \t]{0,4}&?(?:'static )?[A-Za-z][\w.]{0,30}(?:[<\[][\w., ]{1,30}[>\]])?\??(?=[ \t]{0,8}=[ \t]{0,8}[bfr]?[\"'])"
    r"|[ \t]{1,9}(?:str|string|String|bytes))?"
    r"(?P<gap>[ \t]{0,40})"
    r"(?P<sep>[=!]==?(?=[ \t]{0,8}[\"'])|=>|:=|::=|[+?]=|<-(?=[ \t])|<<<|:[-?](?=\S)|:(?!//|:)|[：＝]|%3[DdAa]|=(?![=~]))"
    r"(?P<space>[ \t\xa0]{0,8}(?:\*{1,2}[ \t]{0,4})?)"
)
_ENTERED = re.compile(
    r"(?:\$\(|`)(?:echo|printf)[ \t]{1,4}(?:-[neE]{1,3}[ \t]{1,4})?(?:[\"']?%[sb](?:\\n)?[\"']?[ \t]{1,4})?|\(\s{0,40}(?=[bru]?[\"'])"
)
"""What a value may stand inside of: `$(echo …)`, and the parentheses around a text."""
_MORE = re.compile(
    r"\\{0,15}[\"'][ \t]{0,8}(?:[+.&][ \t]{0,8})?(?:\\?\r?\n[ \t]{0,80})?(?:[+.&][ \t]{0,8})?[bBfFrRuU@$]{0,2}(?=[\"'])"
)
"""What stands between two parts of one text: `"…" + "…"`, or nothing but a new line."""
_JAR = re.compile(r"(?:dict|new[ \t]\w{1,20})?[ \t]{0,4}[({\[][({\[\s]{0,20}")
_COOKIE = re.compile(r"[\"']?([\w.$-]{1,100}+)[\"']?[ \t]{0,4}(?::|=>?)[ \t]{0,4}([\"'])([^\"'\n]{6,4096}+)\2")
"""One cookie of a dictionary, as Python and JavaScript write it."""
_SHUTS = re.compile(r"[})\]]")
_NEXT_PART = re.compile(r"[^\s;/\\]{3,200}+;[A-Za-z]")
_FOLD = re.compile(r"\r?\n[ \t]{1,8}")
_DEEPER = re.compile(
    r"[ \t]*\r?\n(?:[ \t]+[\w-]{1,40}:[^\r\n]{0,200}\r?\n){0,8}?[ \t]+(?:default|defaultValue|value|plaintext):[ \t]+", re.IGNORECASE
)
"""What stands between the name of a parameter and its default on one of the lines below."""
_SHUT = re.compile(r"(\\{0,15}[\"'])(?:$|[,:;}\])+\s])")
_BELOW = re.compile(r"(?:!\w{1,40}[ \t]+|(?:[|>][+-]?)?[ \t]*\r?\n[ \t]+)(\S{8,4096}+)[ \t]*(?=\r?\n|$)")
"""A value behind a YAML tag, or alone on the next line."""
_SEED = re.compile(r"(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8}(?![\w ])")
"""The words of a wallet, which are no prose: twelve to twenty-four short ones."""
_BLOCK = re.compile(r"(?:!\w{1,40}[ \t]+)?[|>][+\-0-9]{0,2}[ \t]*\r?\n")
_ENCODED = re.compile(r"%(?:26|3[Bb]|23|22|0[AaDd]|7[Dd])")
"""What ends a value whose name stands before an encoded `=`."""
_QUERY = frozenset(("key", "signature", "x-amz-signature", "x-goog-signature", "code", "api", "hash", "appid"))
SCHEME = re.compile(
    r"(?:basic|bearer|token|negotiate|ntlm|api-?key|key|jwt|oauth|splunk|ssws|shared-?key(?:lite)?|sharedaccesssignature|geniekey|bot|"
    r"client-id|dpop|privatekey|(?P<many>digest|aws4-[\w-]+|hawk|signature|mac))(?:[ \t]{1,4}|[ \t]{0,4}\r?\n[ \t]{1,8})",
    re.IGNORECASE,
)
_LINE = re.compile(r"[^\r\n\"']{0,8192}+")
_PAIR = re.compile(r"(?<![\w.\-])([\w.\-$]{1,100}+)=([^\s;,\"'\\]{6,4096}+)")
_ATTRIBUTES = frozenset("path domain expires max-age samesite version priority secure httponly name url".split())


def fields(text: str, low: int, high: int) -> Iterator[Span]:
    """Values beside a name that announces a secret: assignments, fields, flags with `=`, headers, queries.

    An empty span says how far the text was read: a value that is masked already must be passed over like one that is not, or masking
    twice would read on in the middle of it."""
    match = _NAME.search(text, low, high)
    while match:
        name = announced(text, match)
        at = match.end() if name or not match["mark"] else match.end("name")  # in `a['token'] = …` the name is yet to come
        if name is not None:
            for span in _beside(text, match, name):
                yield span
                at = max(at, span.stop)  # what is masked is not read again: that would be quadratic
        match = _NAME.search(text, at, high)


def _beside(text: str, match: re.Match[str], name: Name) -> Iterator[Span]:
    if name.kind == "cookie":
        return _cookies(text, match)
    return _credentials(text, match) if name.kind == "auth" and name.sure else _field(text, match, name)


def announced(text: str, match: re.Match[str]) -> Name | None:
    word = match["name"]
    name = named(word)
    if name is not None or match["quote"]:
        return name
    if word == "PWD" and (text.startswith(";", match.start() - 1) or _NEXT_PART.match(text, match.end())):
        return Name("password")
    before = text[max(0, match.start() - 24) : match.start()]
    if before.endswith(("?", "&")):
        return Name("key", sure=False) if word.lower() in _QUERY else None
    if word == "Content" and before.endswith("Key "):  # what Windows calls the password of a network
        return Name("password")
    spaced = re.search(r"((?:mot )?[A-Za-z]+) $", before) if word.lower() in ("key", "phrase", "passe") else None
    return named(f"{spaced[1]}_{word}") if spaced else None


def _field(text: str, match: re.Match[str], name: Name) -> Iterator[Span]:
    if match["quote"] and text.startswith(("{", "["), match.end()) or not match["quote"] and _shuts(text, match):
        return
    glued = match["sep"][0] in "=%" and not match["gap"] and not match["space"] or match["sep"] in (":-", ":?")
    seed = _SEED.match(text, match.end()) if name.kind == "password" else None
    if seed:
        yield Span(*seed.span(), name.kind)
        return
    block = _BLOCK.match(text, match.end()) if match["sep"] == ":" else None
    if block:
        yield from _indented(text, match.start(), block.end(), name)
        return
    below = _BELOW.match(text, match.end()) if match["sep"] == ":" else None
    if below and (drawn(below[1]) or PLACEHOLDER.search(below[1])):
        yield Span(below.end(1) if void(below[1]) else below.start(1), below.end(1), name.kind)
        return
    entered = _DEEPER.match(text, match.end()) if match["sep"] == ":" else None
    entered = entered or _ENTERED.match(text, match.end())
    value = value_at(text, entered.end() if entered else match.end(), alone=not glued and not entered)
    encoded = _ENCODED.search(text, value.start, value.stop) if match["sep"].startswith("%") else None
    value = value._replace(stop=encoded.start()) if encoded else value
    content = text[value.start : value.stop]
    header = match["sep"] == ":" and "-" in match["name"].strip("-")
    if entered and entered.group().startswith("(") and text.startswith(",", value.stop + 1):
        return  # a pair, of which the first is no secret
    content = content.strip("`")
    if (match["mark"] or "").strip().startswith("[") or len(match["gap"]) > 8 and name.kind != "password":
        name = name._replace(sure=False)
    if len(match["sep"]) > 1 and match["sep"].endswith("==") or match["sep"] in ("!=", "+=") and not value.quoted:
        name = name._replace(sure=False)
    if match["quote"] and not value.quoted and re.fullmatch(r"[-+.\d\w]*[\]},]*", content) and not drawn(content):
        return  # a JSON number, or code
    if not value.quoted and text[value.stop : value.stop + 1] in ("(", ")") and wordy(content):
        return
    alone = value.alone and len(content) >= MEMORABLE and content.isalpha() and content.islower()
    if counts(content, name, value.quoted or glued or header or alone, value.quoted):
        yield Span(value.start, value.stop, name.kind)
        yield from _parts(text, value, name.kind)
    elif PLACEHOLDER.search(content):
        yield Span(value.stop, value.stop, name.kind)
        yield from _parts(text, value, name.kind)


def _parts(text: str, value: Value, kind: str) -> Iterator[Span]:
    """What follows a quoted value and is one text with it, in another pair of quotes."""
    for _ in range(64):
        more = _MORE.match(text, value.stop) if value.quoted else None
        if more is None:
            return
        value = value_at(text, more.end())
        if not drawn(text[value.start : value.stop]) and not PLACEHOLDER.search(text, value.start, value.stop):
            return
        yield Span(value.stop if void(text[value.start : value.stop]) else value.start, value.stop, kind)


def _indented(text: str, name: int, at: int, told: Name) -> Iterator[Span]:
    """The lines of a YAML block that stand deeper than the line with its name; a block that holds a key block is left to that."""
    line = text.rfind("\n", max(0, name - OVERLAP), name) + 1
    margin = len(text[line:name]) - len(text[line:name].lstrip())
    stop = min(len(text), at + LONGEST)
    while at < stop:
        end = text.find("\n", at, stop)
        end = end if end >= 0 else stop
        content = text[at:end].strip()
        start = text.find(content, at)
        if content and start - at <= margin or content.startswith(("-----BEGIN", "$ANSIBLE_VAULT")):
            return
        if counts(content, told, plain=True, quoted=True):
            yield Span(start, start + len(content), told.kind)
        at = end + 1
        yield Span(at - 1, at - 1, told.kind)


def _shuts(text: str, match: re.Match[str]) -> bool:
    """Whether the quote after `token=` closes a string that began before the name, instead of opening the value."""
    shut = _SHUT.match(text, match.end())
    if shut is None:
        return False
    line = text.rfind("\n", max(0, match.start() - OVERLAP), match.start()) + 1
    return text.count(shut[1], line or max(0, match.start() - OVERLAP), match.start()) % 2 == 1


def counts(content: str, name: Name, plain: bool, quoted: bool = False) -> bool:
    """Whether a value is taken for a secret; `plain` where even a word of letters is no prose, `quoted` where it is no code."""
    if len(content) < SHORTEST or void(content) or not quoted and code(content):
        return False
    if content.isdigit():
        return len(content) >= (4 if name.kind == "password" else 8)
    if not name.sure:
        return drawn(content)
    if name.kind != "password" and len(content.split()) > 3:
        return drawn(content)
    return not wordy(content) or plain and named(content) is None


def _credentials(text: str, match: re.Match[str]) -> Iterator[Span]:
    """What follows `Authorization:` and its scheme."""
    fold = _FOLD.match(text, match.end())
    value = value_at(text, fold.end() if fold and SCHEME.match(text, fold.end()) else match.end())
    scheme = SCHEME.match(text, value.start)
    if scheme is None:
        start, stop = value.start, value.stop
    elif value.quoted:
        start, stop = scheme.end(), value.stop
    else:
        start, stop = scheme.end(), _word(text, scheme.end())
    if scheme and scheme["many"] and not value.quoted:
        stop = start + len(text[start : start + LONGEST].split("\n", 1)[0])
    if counts(text[start:stop], Name("auth"), plain=True):
        yield Span(start, stop, "auth")
    elif PLACEHOLDER.search(text, start, stop):
        yield Span(stop, stop, "auth")
    elif stop > start:
        return
    yield from _parts(text, value._replace(stop=max(value.stop, stop)), "auth")


def _cookies(text: str, match: re.Match[str]) -> Iterator[Span]:
    """The values of a cookie header, flag or variable, one by one; attributes such as the path stay."""
    jar = _JAR.match(text, match.end())
    if jar:
        yield from _jar(text, jar.end())
        return
    value = value_at(text, match.end())
    line = _LINE.match(text, value.start) if match["sep"] == ":" and not value.quoted else None
    stop = line.end() if line else value.stop
    yield from pairs(text, value.start, stop)
    yield Span(stop, stop, "cookie")


def _jar(text: str, at: int) -> Iterator[Span]:
    """The values of a dictionary of cookies; its keys stay."""
    shut = _SHUTS.search(text, at, at + OVERLAP)
    stop = shut.start() if shut else min(len(text), at + OVERLAP)
    for cookie in _COOKIE.finditer(text, at, stop):
        if cookie[1].lower() not in _ATTRIBUTES and not void(cookie[3]):
            yield Span(*cookie.span(3), "cookie")
    yield Span(stop, stop, "cookie")


def pairs(text: str, start: int, stop: int) -> Iterator[Span]:
    found = False
    for pair in _PAIR.finditer(text, start, stop):
        found = True
        if pair[1].lower() not in _ATTRIBUTES and not void(pair[2]):
            yield Span(*pair.span(2), "cookie")
    if not found and "=" not in text[start:stop] and drawn(text[start:stop]):
        yield Span(start, stop, "cookie")
