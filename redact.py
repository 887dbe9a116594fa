"""Masks secrets in text and in JSON values before anything is written; it never changes a key, a shape or the words of a command.

A secret is known by its published form, by the name beside it, or by its place in a header, URL, cookie or command line. Only runs of
plain characters are replaced: quotes, escapes, separators and expansions stay, so JSON stays JSON and a command keeps its tree.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import accumulate
from typing import NamedTuple

from .formats import BEGINS, FORMATS, LIKELY, SHAPES, SHORT_FLAGS, Short
from .model import Json

MASKER_VERSION = 4
"""Goes up with every change of what is found; rows that an older masker wrote are masked again."""

PLACEHOLDER = re.compile(r"KATASECRET_[a-z0-9]{1,20}_[1-9][0-9]{0,8}")
SLICE = 65_536
"""The most that one pattern reads at once: the interpreter's lock is held meanwhile (five plain patterns over 5 MB starved a thread)."""
OVERLAP = 4_096
LONGEST = 8_192
"""The most characters of a value that a name announces."""
SHORTEST = 3
"""A shorter value is no secret: it could not be told from any other text."""
MEMORABLE = 8
REMEMBERED = 256
JSON_LIMIT = 1_048_576
"""Longer JSON text is masked as text: parsing it would hold the lock for too long."""


class Span(NamedTuple):
    """Where a secret stands; `told` when only its surroundings tell, so that its copies elsewhere must be looked for."""

    start: int
    stop: int
    kind: str
    told: bool = True


# ── Values: drawn at random, made of words, or none at all ───────────────────────────────────────

_SWITCH = re.compile(r"[a-z](?=[A-Z])|[A-Z]{2}(?=[a-z])")
_SEGMENT = re.compile(r"[A-Za-z0-9]+")
_WORDY = re.compile(r"[^\W\d_](?:[^\W\d]|[./\-])*")
_CHAIN = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+")
_REFERENCE = re.compile(
    r"\$\{?(?:[A-Z_][A-Z0-9_]*|[a-z_.]+)\}?|\$\{?(?:env|ENV|secrets)[:.]\w+\}?|\$\(.*\)|\$\{\{[^{}]*\}\}|\{\{[^{}]*\}\}|%\w+%|%\(\w+\)s"
    r"|\{[\w.]*\}|<[^<>]*>|\[[A-Za-z_ ]*\]|:[a-z_]+|\w+://[^@]*|(?:env|file|fd):.*",
    re.DOTALL,
)
_CALL = re.compile(r"([A-Za-z_]\w*(?:\.\w+)*)[(\[].*", re.DOTALL)
_PATH = re.compile(
    r"(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][\w.@+-]+)+[/\\]?"
    r"|[\w./-]+\.(?:pem|key|crt|cer|p12|pfx|jks|json|ya?ml|txt|toml|env|ini|conf|cfg|py|js|ts|go|rs|sh|md)"
)
NOTHING = frozenset(
    "null none nil undefined true false yes no on off any unset empty n/a na string str text bool boolean int integer number float bytes "
    "byte object array required optional hidden stdin prompt basic bearer token digest secret password passwd pass key apikey api_key "
    "changeme change_me change-me example placeholder dummy redacted masked censored todo tbd your_token your_password your_api_key "
    "your-api-key your-token your-password incorrect expired invalid missing disabled enabled unknown verified accepted rejected denied "
    "generated provided protected encrypted configured unchanged supported deprecated mandatory forbidden".split()
)
"""Words that stand where a secret would stand (B33)."""


def _wordy(text: str) -> bool:
    """Whether a text reads like words: letters, and no more changes of case than a name has."""
    rarely = 7 if text.isalpha() and len(text) >= 20 else 5
    return _WORDY.fullmatch(text) is not None and rarely * len(_SWITCH.findall(text)) <= len(text)


def _drawn(segment: str) -> bool:
    """Whether a run of letters and digits looks drawn at random."""
    if segment.isalpha():
        return len(segment) >= 12 and 5 * len(_SWITCH.findall(segment)) > len(segment)
    kinds = sum(re.search(kind, segment) is not None for kind in ("[a-z]", "[A-Z]", "[0-9]"))
    return kinds == 3 and len(segment) >= 6 or kinds == 2 and len(segment) >= 8


def _random(text: str) -> bool:
    """Whether some run in a text looks drawn at random; versions, dates and words joined by dashes do not."""
    return len(text) >= MEMORABLE and any(_drawn(segment) for segment in _SEGMENT.findall(text))


def _void(text: str) -> bool:
    """Whether a value only stands for a secret: nothing, a placeholder, a reference, a path."""
    core = text.lower().strip("<>[]{}()*'\" \t")
    if core in NOTHING or set(core) <= set("x*.-_•…") or not re.search(r"\w", PLACEHOLDER.sub("", text)):
        return True
    if text.startswith("-----BEGIN"):
        return True
    return (_REFERENCE.fullmatch(text) or _PATH.fullmatch(text)) is not None and not _random(text)


def _code(text: str) -> bool:
    """Whether an unquoted value is an expression: `process.env.KEY`, `get(x)`, `keys["a"]`."""
    call = _CALL.match(text)
    return (call or _CHAIN.fullmatch(text)) is not None and not _random(call[1] if call else text)


# ── Names that announce a secret ─────────────────────────────────────────────────────────────────


class Name(NamedTuple):
    """What a name announces: a kind of secret, and whether any value counts (`sure`) or only one that looks drawn at random."""

    kind: str
    sure: bool = True


_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_TRAILERS = frozenset(
    "0 1 2 3 4 5 6 7 8 9 64 prod production dev development stage staging test testing live old new base value plain plaintext raw "
    "string confirm confirmation b64 base64 hex encoded default main backup data current previous".split()
)
"""Words after the telling one that change nothing: SECRET_KEY_BASE, password2, client-key-data."""
_LAST: dict[str, Name] = {
    **dict.fromkeys(
        "password passwords passwd passphrase passcode pwd pw psk passwort kennwort senha contrasena mnemonic".split(), Name("password")
    ),
    **dict.fromkeys("secret".split(), Name("secret")),
    **dict.fromkeys("token jwt bearer".split(), Name("token")),
    **dict.fromkeys("apikey accesskey secretkey privatekey authkey accountkey encryptionkey signingkey masterkey".split(), Name("key")),
    **dict.fromkeys("authorization".split(), Name("auth")),
    **dict.fromkeys("cookie cookies".split(), Name("cookie")),
    **dict.fromkeys("credential credentials cred creds".split(), Name("credential")),
    **dict.fromkeys("auth sig pat".split(), Name("auth", sure=False)),
    **dict.fromkeys("jsessionid phpsessid sessid sessionid aspxauth".split(), Name("session", sure=False)),
    **dict.fromkeys("pass".split(), Name("password", sure=False)),
}
_ENDINGS = ("password", "passwd", "passphrase", "pwd", "secret", "apikey", "token")
_PASS_BEFORE = frozenset(
    "db user smtp pg my mysql root admin ftp http https proxy mail imap redis ldap ssh sudo app store key srcstore srckey deststore "
    "destkey wifi".split()
)
_SURE_KEYS = frozenset(
    "api access secret private priv auth encryption encrypt signing sign master account shared subscription functions rapidapi hmac "
    "jwt".split()
)
_MAYBE_KEYS = frozenset("session storage webhook integration consumer service client app server admin root deploy ssh aes rsa".split())
_NO_KEYS = frozenset("PUBLIC PRIMARY FOREIGN SORT CACHE PARTITION".split())
_PHRASES = frozenset("seed recovery secret pass mnemonic backup".split())
_MANY = frozenset("access api auth refresh client secret bearer session private".split())
_NO_TOKEN = frozenset(
    "next page continuation sync cursor expected unexpected end start eos bos pad unk sep cls mask stop special image audio per first last "
    "prev max min n num total prompt completion input output cached reasoning each every byte word sub no non".split()
)
"""Words before `token` that make it a unit of text or a page mark."""
_FOLDERS = frozenset(("PWD", "OLDPWD"))
_FOREIGN = re.compile(r"(?:contraseña|mot[ _-]de[ _-]passe|密码|密碼|口令|パスワード|пароль)(?!\w)", re.IGNORECASE)
"""`password` where its letters are not those of English."""


@lru_cache(maxsize=4096)
def _named(name: str) -> Name | None:
    """What a name announces; None for an ordinary one, and for one that was masked."""
    words = [
        word.lower() for word in _PARTS.findall(name[:200] if name.isascii() and " " not in name else _FOREIGN.sub("password", name[:200]))
    ]
    while len(words) > 1 and words[-1] in _TRAILERS:
        words.pop()
    if not words or name in _FOLDERS or PLACEHOLDER.search(name):
        return None
    last, before = words[-1], words[-2] if len(words) > 1 else ""
    if last in ("tokens", "secrets", "keys"):
        return Name(last[:-1], before in _MANY) if before in _MANY or last == "secrets" else None
    if last == "key":
        return _key(name, before)
    if last == "token" and before in _NO_TOKEN or last == "phrase" and before not in _PHRASES:
        return None
    if last == "pass" and before:
        return Name("password")
    return Name("password") if last == "phrase" else _LAST.get(last) or _spelled(last)


def _key(name: str, before: str) -> Name | None:
    if before in _SURE_KEYS:
        return Name("key")
    upper = name.isupper() and before and before.upper() not in _NO_KEYS
    return Name("key", sure=False) if before in _MAYBE_KEYS or upper else None


def _spelled(last: str) -> Name | None:
    """What a word announces that ends like a listed one: `PGPASSWORD`, `githubtoken`, `dbpass`."""
    for ending in _ENDINGS:
        if last.endswith(ending):
            return _LAST[ending]
    stem = last.removesuffix("pass").removesuffix("pw")
    return Name("password") if stem != last and stem in _PASS_BEFORE else None


# ── Finding by published form ────────────────────────────────────────────────────────────────────

LEAST = 10
"""Fewer characters after a prefix are no key, however they look."""


ENOUGH = 256
"""As many characters after a prefix tell whether it begins a key; reading on from every prefix would be quadratic."""


class Form(NamedTuple):
    """What must follow a prefix: the published pattern, or at least so many characters that look drawn."""

    kind: str
    pattern: str
    least: int


_FORMS = {
    **{prefix: Form(kind, pattern, LEAST) for kind, prefixes, pattern in FORMATS for prefix in prefixes.split()},
    **{prefix: Form(kind, "", least) for kind, prefixes, least in LIKELY for prefix in prefixes.split()},
}
_TOKEN = r"[A-Za-z0-9_\-]"
_TAIL = re.compile(rf"{_TOKEN}*+(?:\.+{_TOKEN}{{2,}}+)*+")
_PATH_TAIL = re.compile(r"[A-Za-z0-9_\-/]*+")
_BASE64_TAIL = re.compile(r"[A-Za-z0-9+/]*+={0,2}")
_TAILS = {**{prefix: _PATH_TAIL for prefix in _FORMS if "/" in prefix}, "ABSK": _BASE64_TAIL}
"""What may follow a prefix, where it is not what most keys are made of."""
_LONG_ENOUGH = re.compile(r"[A-Za-z0-9_\-]{10}")
_BY_FIRST = {first: tuple(prefix for prefix in _FORMS if prefix[0] == first) for first in sorted({prefix[0] for prefix in _FORMS})}
_FRESH = re.compile(rf"[{''.join(_BY_FIRST)}]{BEGINS}(?=[\w\-./+]{{11}})", re.ASCII)
"""Where a key may begin: the first letter of a prefix, at the beginning of a long run. Looking for each prefix by itself took a second for
five million characters."""


@cache
def _shape(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


def _formatted(text: str, low: int, high: int) -> Iterator[Span]:
    """Keys whose prefix or shape a vendor has published."""
    part = text[low:high]
    if not _LONG_ENOUGH.search(part):
        return
    yield from _prefixed(text, low, high)
    for kind, needles, pattern in SHAPES:
        if any(needle in part for needle in needles.split()):
            yield from (Span(*match.span(), kind, told=False) for match in _shape(pattern).finditer(text, low, high))


def _prefixed(text: str, low: int, high: int) -> Iterator[Span]:
    read: dict[str, int] = {}  # prefix → how far the text was read for it: reading it again would be quadratic
    for match in _FRESH.finditer(text, low, high):
        for prefix in _BY_FIRST[match.group()]:
            if match.start() >= read.get(prefix, 0) and text.startswith(prefix, match.start()):
                read[prefix], found = _key_at(text, match.start(), prefix)
                yield from [found] if found else ()


def _key_at(text: str, at: int, prefix: str) -> tuple[int, Span | None]:
    """How far a text is read for a prefix that stands at `at`, and the key if there is one."""
    form, tail, start = _FORMS[prefix], _TAILS.get(prefix, _TAIL), at + len(prefix)
    body = tail.match(text, start, start + ENOUGH)
    stop = body.end() if body else start
    published = form.pattern and _shape(form.pattern).match(text, start, stop)
    if not (published or stop - start >= form.least and _random(text[start:stop])):
        return stop, None
    whole = tail.match(text, start)
    stop = whole.end() if whole else stop
    return stop, Span(start if "/" in prefix else at, stop, form.kind, told=False)


_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_LINE = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/=]{4,80}\s+\Z")
_EDGES = re.compile(r"(?:\s|\\+[nrt])*+")
_LONG_RUN = re.compile(r"[A-Za-z0-9+/=]{16,}+")


def _blocks(text: str) -> Iterator[Span]:
    """Bodies of private keys; one without an end reaches to the end of the text (B52)."""
    start = text.find("-----BEGIN ")
    while start >= 0:
        begin = _BEGIN.match(text, start)
        stop = start + 5
        if begin:
            stop = text.find("-----END", begin.end())
            yield from _body(text, begin.end(), stop) if stop >= 0 else _cut_body(text, begin.end())
        start = text.find("-----BEGIN ", stop) if stop >= 0 else -1
    yield from _tails(text)


def _tails(text: str) -> Iterator[Span]:
    """What stands before the end of a private key whose beginning was cut off."""
    for end in _END.finditer(text):
        at = stop = end.start()
        while at > 0 and stop - at < LONGEST and (line := _KEY_LINE.search(text, max(0, at - 90), at)):
            at = line.start()
        if not text.startswith("-----", max(0, at - 6)) and "-----" not in text[max(0, at - 7) : at]:
            yield from _body(text, at, stop)


def _body(text: str, start: int, stop: int) -> Iterator[Span]:
    edge = _EDGES.match(text, start, stop)
    start = edge.end() if edge else start
    while stop > start and text[stop - 1].isspace():
        stop -= 1
    while text[max(start, stop - 2) : stop] in ("\\n", "\\r"):
        stop -= 2
    if stop > start and not PLACEHOLDER.fullmatch(text, start, stop):
        yield Span(start, stop, "pem", told=False)


def _cut_body(text: str, start: int) -> Iterator[Span]:
    """Everything up to the quote that may close around the block; after it only what could still be key text."""
    quote = re.compile("[\"']").search(text, start)
    stop = quote.start() if quote else len(text)
    while text[stop - 1 : stop] == "\\":
        stop -= 1
    yield from _body(text, start, stop)
    for match in _LONG_RUN.finditer(text, stop):
        if _random(match.group()):
            yield Span(*match.span(), "pem", told=False)


# ── Where the value of a name ends ───────────────────────────────────────────────────────────────

_BARE = re.compile(r"[^\s'\"`;|&<>()\\,]+")
_OPEN = re.compile(r"(?:\\\r?\n[ \t]{0,40})?(?:[bBfFrRuU@$]{0,2}(?P<slash>\\{0,15})(?P<quote>[\"']))?")
_QUOTE = re.compile(r"(\\{0,15})([\"'])")
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


def _value(text: str, at: int, alone: bool = False) -> Value:
    """The value that begins at `at`; where it may stand `alone`, the rest of the line is one value whatever signs it holds."""
    entity = _ENTITY.match(text, at)
    if entity:
        shut = text.find(entity.group(), entity.end(), entity.end() + LONGEST)
        return Value(entity.end(), shut if shut >= 0 else _word(text, entity.end()), quoted=True)
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
    r"(?:[ \t]{0,8}(?::[ \t]{0,4}|[ \t])(?:str|string|String|bytes))?"
    r"(?P<gap>[ \t]{0,8})(?P<sep>[=!]==?(?=[ \t]{0,8}[\"'])|=>|:=|:[-?](?=\S)|:(?!//|:)|：|%3[DdAa]|=(?![=~]))(?P<space>[ \t\xa0]{0,8})"
)
_SHUT = re.compile(r"(\\{0,15}[\"'])(?:$|[,:;}\])+\s])")
_BELOW = re.compile(r"(?:!\w{1,40}[ \t]+|(?:[|>][+-]?)?[ \t]*\r?\n[ \t]+)(\S{8,4096}+)[ \t]*(?=\r?\n|$)")
"""A value behind a YAML tag, or alone on the next line."""
_SEED = re.compile(r"(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8}(?![\w ])")
"""The words of a wallet, which are no prose: twelve to twenty-four short ones."""
_BLOCK = re.compile(r"(?:!\w{1,40}[ \t]+)?[|>][+\-0-9]{0,2}[ \t]*\r?\n")
_ENCODED = re.compile(r"%(?:26|3[Bb]|23|22|0[AaDd]|7[Dd])")
"""What ends a value whose name stands before an encoded `=`."""
_QUERY = frozenset(("key", "signature", "x-amz-signature", "code", "api", "hash"))
_SCHEME = re.compile(
    r"(?:basic|bearer|token|negotiate|ntlm|api-?key|key|jwt|oauth|splunk|ssws|shared-?key(?:lite)?|sharedaccesssignature|geniekey|bot|"
    r"client-id|dpop|privatekey|(?P<many>digest|aws4-[\w-]+|hawk|signature|mac))[ \t]{1,4}",
    re.IGNORECASE,
)
_LINE = re.compile(r"[^\r\n\"']{0,8192}+")
_PAIR = re.compile(r"(?<![\w.\-])([\w.\-$]{1,100}+)=([^\s;,\"'\\]{6,4096}+)")
_ATTRIBUTES = frozenset("path domain expires max-age samesite version priority secure httponly".split())


def _fields(text: str, low: int, high: int) -> Iterator[Span]:
    """Values beside a name that announces a secret: assignments, fields, flags with `=`, headers, queries.

    An empty span says how far the text was read: a value that is masked already must be passed over like one that is not, or masking
    twice would read on in the middle of it."""
    match = _NAME.search(text, low, high)
    while match:
        at, name = match.end(), _announced(text, match)
        if name is not None:
            for span in _beside(text, match, name):
                yield span
                at = max(at, span.stop)  # what is masked is not read again: that would be quadratic
        match = _NAME.search(text, at, high)


def _beside(text: str, match: re.Match[str], name: Name) -> Iterator[Span]:
    if name.kind == "cookie":
        return _cookies(text, match)
    return _credentials(text, match) if name.kind == "auth" and name.sure else _field(text, match, name)


def _announced(text: str, match: re.Match[str]) -> Name | None:
    word = match["name"]
    name = _named(word)
    if name is not None or match["quote"]:
        return name
    before = text[max(0, match.start() - 24) : match.start()]
    if before.endswith(("?", "&")):
        return Name("key", sure=False) if word.lower() in _QUERY else None
    spaced = re.search(r"((?:mot )?[A-Za-z]+) $", before) if word.lower() in ("key", "phrase", "passe") else None
    return _named(f"{spaced[1]}_{word}") if spaced else None


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
    if below and (_random(below[1]) or PLACEHOLDER.search(below[1])):
        yield Span(below.end(1) if _void(below[1]) else below.start(1), below.end(1), name.kind)
        return
    value = _value(text, match.end(), alone=not glued)
    encoded = _ENCODED.search(text, value.start, value.stop) if match["sep"].startswith("%") else None
    value = value._replace(stop=encoded.start()) if encoded else value
    content = text[value.start : value.stop]
    header = match["sep"] == ":" and "-" in match["name"].strip("-")
    if len(match["sep"]) > 1 and match["sep"].endswith("==") or match["sep"] == "!=":
        name = name._replace(sure=False)
    if match["quote"] and not value.quoted and re.fullmatch(r"[-+.\d\w]*[\]},]*", content) and not _random(content):
        return  # a JSON number, or code
    if not value.quoted and text[value.stop : value.stop + 1] in ("(", ")") and _wordy(content):
        return
    alone = value.alone and len(content) >= MEMORABLE and content.isalpha() and content.islower()
    if _counts(content, name, value.quoted or glued or header or alone, value.quoted):
        yield Span(value.start, value.stop, name.kind)
    elif PLACEHOLDER.search(content):
        yield Span(value.stop, value.stop, name.kind)


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
        if content and start - at <= margin or content.startswith("-----BEGIN"):
            return
        if _counts(content, told, plain=True, quoted=True):
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


def _counts(content: str, name: Name, plain: bool, quoted: bool = False) -> bool:
    """Whether a value is taken for a secret; `plain` where even a word of letters is no prose, `quoted` where it is no code."""
    if len(content) < SHORTEST or _void(content) or not quoted and _code(content):
        return False
    if content.isdigit():
        return len(content) >= (4 if name.kind == "password" else 8)
    if not name.sure:
        return _random(content)
    if name.kind != "password" and len(content.split()) > 3:
        return _random(content)
    return not _wordy(content) or plain and _named(content) is None


def _credentials(text: str, match: re.Match[str]) -> Iterator[Span]:
    """What follows `Authorization:` and its scheme."""
    value = _value(text, match.end())
    scheme = _SCHEME.match(text, value.start)
    if scheme is None:
        start, stop = value.start, value.stop
    elif value.quoted:
        start, stop = scheme.end(), value.stop
    else:
        start, stop = scheme.end(), _word(text, scheme.end())
    if scheme and scheme["many"] and not value.quoted:
        stop = start + len(text[start : start + LONGEST].split("\n", 1)[0])
    if _counts(text[start:stop], Name("auth"), plain=True):
        yield Span(start, stop, "auth")
    elif PLACEHOLDER.search(text, start, stop):
        yield Span(stop, stop, "auth")


def _cookies(text: str, match: re.Match[str]) -> Iterator[Span]:
    """The values of a cookie header, flag or variable, one by one; attributes such as the path stay."""
    value = _value(text, match.end())
    line = _LINE.match(text, value.start) if match["sep"] == ":" and not value.quoted else None
    stop = line.end() if line else value.stop
    yield from _pairs(text, value.start, stop)
    yield Span(stop, stop, "cookie")


def _pairs(text: str, start: int, stop: int) -> Iterator[Span]:
    found = False
    for pair in _PAIR.finditer(text, start, stop):
        found = True
        if pair[1].lower() not in _ATTRIBUTES and not _void(pair[2]):
            yield Span(*pair.span(2), "cookie")
    if not found and "=" not in text[start:stop] and _random(text[start:stop]):
        yield Span(start, stop, "cookie")


# ── Finding by place: flags, URLs, command lines, prose ──────────────────────────────────────────

_FLAG = re.compile(r"(?<![\w.\-])(--?[A-Za-z][\w\-]{1,60}+)(?:[ \t]+|\\{0,15}[\"'],[ \t]*(?=\\{0,15}[\"']))(?!-)")
_ENTRY = re.compile(
    r"(?<![\w-])(?:name|key|variable|type|label)\\{0,15}[\"']?[ \t]{0,4}[:=][ \t]{0,4}"
    r"\\{0,15}[\"']?(?P<name>[\w.\-]{2,100}+)\\{0,15}[\"']?,?\s{1,80}"
    r"\\{0,15}[\"']?value\\{0,15}[\"']?[ \t]{0,4}[:=][ \t]{0,4}",
    re.IGNORECASE,
)
_ELEMENT = re.compile(
    r"<(?:\w{1,40}\s[^<>]{0,100}?(?:name|key|id)=[\"'])?(?P<name>[\w:.\-]{2,100}+)(?:[\s\"'][^<>]{0,200})?>(?P<value>[^<>]{3,2000}+)</"
)
_ARGUMENT = re.compile(
    r"[\"'](?P<name>[\w.\-]{2,100}+)[\"'],[ \t]{0,4}(?=[\"'])|(?<![\w-])(?P<pair>auth)[ \t]*=[ \t]*\([ \t]*[\"'][^\"'\n]{1,100}[\"'],[ \t]*"
)
_SETTER = re.compile(
    r"(?<![\w-])(?:setx|setenv|ENV|ARG|set(?=[ \t]+-)|(?:config|configure|secrets?|variables?) set)[ \t]{1,4}"
    r"(?:--?\w[\w-]{0,30}[ \t]{1,4}){0,2}"
    r"(?:[\w./:]{0,200}:)?(?P<name>[\w.\-]{2,100}+)[ \t]{1,4}(?![-=])"
)

_CELL = re.compile(
    r"(?<![\w.\-])(?P<name>[A-Za-z][\w.\-]{2,60}+)(?:[ ]{0,40}[|│┃][ ]{0,40}|\t)(?=[^\s|│┃]{6,4096}[ ]{0,200}(?:[|│┃\t]|\r?$))",
    re.MULTILINE,
)
"""A name and its value in two cells of a table."""
_CALLED = re.compile(r"(?<![A-Za-z0-9])set_?(?P<name>[A-Za-z]\w{1,60}+)\([ \t]{0,4}(?=[\"'])")


def _flags(text: str, low: int, high: int) -> Iterator[Span]:
    """The word after `--password`, `--token` and the like."""
    for match in _FLAG.finditer(text, low, high):
        name = _named(match[1])
        if name is None:
            continue
        value = _value(text, match.end())
        if name.kind == "cookie":
            yield from _pairs(text, value.start, value.stop)
        elif _counts(text[value.start : value.stop], Name(name.kind, name.sure or name.kind == "password"), True, value.quoted):
            yield Span(value.start, value.stop, name.kind)


def _entries(text: str, low: int, high: int) -> Iterator[Span]:
    """A name and its value apart: `name: API_KEY` and `value: …`, `<password>…</password>`, `config set token …`."""
    for pattern in (_ENTRY, _SETTER, _CALLED, _CELL):
        for match in pattern.finditer(text, low, high):
            name, value = _named(match["name"]), _value(text, match.end())
            plain = pattern is _ENTRY or pattern is _CALLED and name is not None and name.kind == "password"
            if name and _counts(text[value.start : value.stop], name, plain, value.quoted):
                yield Span(value.start, value.stop, name.kind)
    for match in _ELEMENT.finditer(text, low, high):
        name = _named(match["name"])
        if name and _counts(match["value"], name, plain=True, quoted=True):
            yield Span(*match.span("value"), name.kind)
    for match in _ARGUMENT.finditer(text, low, high):
        name, value = _named(match["name"] or match["pair"]), _value(text, match.end())
        if name and value.quoted and _random(text[value.start : value.stop]):
            yield Span(value.start, value.stop, name.kind)


_LOGIN = re.compile(
    r"(?<![\w-])(?:login|machine|default|account)[ \t]{1,8}\S{1,200}+\s{1,8}(?:login\s{1,8}\S{1,200}+\s{1,8})?password[ \t]{1,8}"
    r"|(?<![\w-])(?:identified\s{1,8}(?:with\s{1,8}\S{1,100}+\s{1,8})?(?:by|as)(?:\s{1,8}password)?"
    r"|(?:with|login|encrypted|(?:user|role)\s{1,8}\S{1,100}+)\s{1,8}password)\s{1,8}(?=')",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"(?<![\w.\-])(?P<name>[^\W\d_][\w.\-]{1,60}+)(?P<quote>)(?: (?:for|of) [\w.@-]{1,60}+)?"
    r" (?:is|was|to|=|:|->|[→—–]|ist|lautet|est|es|é|(?:should|will|must) be)[ \t:]{1,4}(?=[^\s=])"
)
_NEXT = re.compile(r"(?<![\w.\-])(?P<name>[A-Za-z][\w\-]{5,60}+)[ \t]{1,4}(?=([\w~+\-]{16,4096}+)(?![./\w]))")
_GLUED = re.compile(r"(?:密码|密碼|口令|パスワード)[ \t]{0,4}(?:是|为|為|は|:|：)?[ \t]{0,4}([!-~]{6,4096}+)")
_BEARER = re.compile(
    r"(?<![\w-])(?:(?:bearer|basic|token|login)[ \t]{1,4}(?=\S{16})"
    r"|(?:password|passwd|passphrase|pw|passwort|contraseña|mot de passe|senha|пароль)[ \t]{1,4})([A-Za-z0-9._~+/\-]{8,4096}+)",
    re.IGNORECASE,
)
_PGPASS = re.compile(
    r"(?:^|(?<=[\s\"']))(?:[\w.\-]{1,100}+|\*):(?:[56]4[0-9]{2}|2[56][0-9]{3}|\*):(?:[\w\-]{1,100}+|\*):[\w.\-]{1,100}+:"
    r"([^\s\"']{3,500}+)(?=[\s\"']|$)",
    re.MULTILINE,
)


def _prose(text: str, low: int, high: int) -> Iterator[Span]:
    """`login dana password …`, "the password is …", `Bearer …` without its header."""
    for match in _LOGIN.finditer(text, low, high):
        value = _value(text, match.end())
        if _counts(text[value.start : value.stop], Name("password"), True, value.quoted):
            yield Span(value.start, value.stop, "password")
    for match in _TOLD.finditer(text, low, high):
        value, name = _value(text, match.end()), _announced(text, match)
        content = text[value.start : value.stop].rstrip(".,:!?")
        odd = re.search(r"[\d\W_]", content) is not None or _random(content) or not _wordy(content)
        if name and odd and _counts(content, name, value.quoted, value.quoted):
            yield Span(value.start, value.start + len(content), name.kind)
    for pattern in (_BEARER, _GLUED, _NEXT):
        for match in pattern.finditer(text, low, high):
            name = _named(match["name"]) if pattern is _NEXT else Name("auth")
            if name and _random(match[pattern.groups]) and not _void(match[pattern.groups]):
                yield Span(*match.span(pattern.groups), name.kind)


def _lines(text: str, low: int, high: int) -> Iterator[Span]:
    """The lines of a file of PostgreSQL passwords."""
    for match in _PGPASS.finditer(text, low, high):
        if _counts(match[1], Name("password"), plain=False):
            yield Span(*match.span(1), "password")


_AUTHORITY = re.compile(r"://([^\s/?#'\"<>@:`\\]{0,200}+):([^\s'\"<>/?#`\\]{1,1000})@")
_SLASHED = re.compile(r"://([^\s/?#'\"<>@:`\\]{0,200}+):(?![0-9]{1,5}(?:[^\w]|$))([^\s'\"<>`\\@]{1,1000}+)@")
_USER = re.compile(r"://([^\s/?#'\"<>@:`\\]{16,500}+)(?=[@:])")
_BARE_USER = re.compile(
    r"(?<![\w.:/@\-])([\w.\-]{1,64}+):([^\s@/:'\"`\\<>]{8,200}+)@(?=[\w-]{1,60}+\.(?:[\w-]{1,60}+\.){0,4}[a-z]{2,24}(?![\w]))"
)


def _urls(text: str, low: int, high: int) -> Iterator[Span]:
    """Passwords, and keys in the place of the user name, in front of a host."""
    for pattern in (_AUTHORITY, _SLASHED):
        for match in pattern.finditer(text, low, high):
            if len(match[2]) >= SHORTEST and not _void(match[2]) and match[2] != "x-oauth-basic":
                yield Span(*match.span(2), "url")
    for match in _USER.finditer(text, low, high):
        if _random(match[1]) and not _void(match[1]) and text.find("@", match.end(), match.end() + 1000) >= 0:
            yield Span(*match.span(1), "url")
    for match in _BARE_USER.finditer(text, low, high):
        if _random(match[2]):
            yield Span(*match.span(2), "url")


_SINK = (
    r"(?:sudo[ \t]+(?:-\w+[ \t]+){0,4}-S|--(?:password|token|passphrase)-?(?:stdin|fd)|--with-token|(?<![\w/.-])(?:chpasswd|passwd)"
    r"|(?<![\w/.-])(?:(?:gh|wrangler|fly|flyctl)[ \t]+secrets?[ \t]+(?:set|put)|vault[ \t]+login))(?!\w)"
)
"""What reads a secret from its input."""
_PIPED = re.compile(
    r"(?<![\w-])(?:echo|printf)[ \t]+(?:-[neE]+[ \t]+)?(?:['\"]?%[sb](?:\\{1,4}n)?['\"]?[ \t]+)?"
    r"(?P<value>(?:\"[^\"\n]{1,500}\"|'[^'\n]{1,500}'|[^\s'\"|;&]{1,500}))[ \t]*"
    rf"\|[^|\n]{{0,200}}?{_SINK}"
)
_HERE = re.compile(rf"{_SINK}[^\n|;&<]{{0,200}}<<<[ \t]*")


_RULES: dict[str, list[Short]] = {}
for _rule in SHORT_FLAGS:
    for _program in _rule.programs.split():
        _RULES.setdefault(_program, []).append(_rule)
_PROGRAM = re.compile(rf"(?<![\w.\-])({'|'.join(map(re.escape, sorted(_RULES, key=len, reverse=True)))})(?:\.exe)?[ \t]")
_STARTS = re.compile(r"(?:^|[\n;|&(`\"'$]|\b(?:sudo|exec|time|env|nohup|run|--)|\w=\S*)[ \t]*(?:/[\w/]+/)?$")


def _commands(text: str, low: int, high: int) -> Iterator[Span]:
    """Passwords that a program takes after a flag of one letter, or from a pipe."""
    for match in _PROGRAM.finditer(text, low, high):
        starts = _STARTS.search(text[max(0, match.start() - 40) : match.start()]) is not None
        for rule in _RULES[match[1]]:
            flag = _shape(rf"(?:[^\n;|&]{{0,400}}?[ \t])??{rule.flag}").match(text, match.end())
            if flag:
                yield from _argument(text, flag.end(), rule.form, starts)
    for match in _PIPED.finditer(text, low, high) if text.find("|", low, high) >= 0 else ():
        yield from _argument(text, match.start("value"), "pair" if "chpasswd" in match.group() else "word", starts=True)
    for match in _HERE.finditer(text, low, high) if text.find("<<<", low, high) >= 0 else ():
        yield from _argument(text, match.end(), "pair" if "chpasswd" in match.group() else "word", starts=True)


def _argument(text: str, at: int, form: str, starts: bool) -> Iterator[Span]:
    value = _value(text, at)
    if form == "cookies":
        yield from _pairs(text, value.start, value.stop)
        return
    start = text.find(":", value.start, value.stop) + 1 if form == "pair" else value.start
    if (start or form == "word") and _counts(text[start : value.stop], Name("password"), starts, value.quoted):
        yield Span(start, value.stop, "password")


Finder = Callable[[str, int, int], Iterator[Span]]
_ANNOUNCING = tuple(
    "pass pwd pw psk secret token key auth cookie cred jwt bearer phrase mnemonic sig pat sess aspx senha contrase kennwort "
    "密 口令 パス парол".split()
)
FINDERS: tuple[tuple[tuple[str, ...], Finder], ...] = (
    (("",), _formatted),
    (_ANNOUNCING, _fields),
    (_ANNOUNCING, _flags),
    (("value", "</", "set", "env ", "arg ", ",", "|", "│", "┃", "\t"), _entries),
    ((*_ANNOUNCING, "basic", "identified"), _prose),
    ((":54", ":64", ":25", ":26", ":*:"), _lines),
    (("@",), _urls),
    ((" ", "\t"), _commands),
)
"""Where each finder may find something: it is asked only when the slice holds one of the texts, in lower case."""


def _found(text: str) -> Iterator[Span]:
    """Every span that any finder names, in slices that overlap so that none is cut by a border."""
    yield from _blocks(text)
    for low in range(0, max(1, len(text) - OVERLAP), SLICE - OVERLAP):
        high = min(len(text), low + SLICE)
        holds = cache(text[low:high].lower().__contains__)  # finders ask for the same texts
        for needles, finder in FINDERS:
            if any(map(holds, needles)):
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


# ── Characters that nobody sees ──────────────────────────────────────────────────────────────────

_UNSEEN = re.compile(
    r"\x1b\[[0-9;:?]{0,30}[A-Za-z]|[\x00-\x08\x0e-\x1f\x7f\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]"
)


def _cuts(text: str) -> list[tuple[int, int]]:
    found, at = [], 0
    for high in range(SLICE, len(text) + SLICE, SLICE):
        for match in _UNSEEN.finditer(text, at, high + OVERLAP):
            found.append(match.span())
            at = match.end()
        at = max(at, high)
    return found


class _Seen:
    """A text without the characters that nobody sees, which would tear a key apart (B18), and the way back to the original."""

    def __init__(self, original: str) -> None:
        cuts = _cuts(original)
        self.starts: list[int] = []
        self.text = original
        if cuts:
            self._cut(original, cuts)

    def _cut(self, original: str, cuts: Sequence[tuple[int, int]]) -> None:
        kept, at = [], 0
        for start, stop in cuts:
            kept.append(original[at:start])
            at = stop
        self.text = "".join((*kept, original[at:]))
        self.gone = list(accumulate(stop - start for start, stop in cuts))
        self.starts = [stop - gone for (_, stop), gone in zip(cuts, self.gone, strict=True)]

    def origin(self, at: int) -> int:
        """The place in the original of the character that stands at `at` here."""
        index = bisect_right(self.starts, at)
        return at + (self.gone[index - 1] if index else 0)


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


def _members(item: dict[Json, Json], name: Name | None) -> Iterator[tuple[Json, Name | None]]:
    """The values of an object, each with what its key announces, or what the entry's own name announces of its value."""
    entry = next(
        (_named(item[key]) for key in ("name", "Name", "key", "Key", "variable", "label", "Label") if isinstance(item.get(key), str)), None
    )
    inherited = name._replace(sure=False) if name is not None and name.kind != "auth" else None
    for key, value in item.items():
        own = _named(key) if isinstance(key, str) else None
        yield value, entry if entry and key in ("value", "Value") else own or inherited


def _items(items: Sequence[Json], name: Name | None) -> Iterator[tuple[Json, Name | None]]:
    """The items of an array, each with what the flag or the header name before it announces."""
    before: Json = None
    for item in items:
        told = isinstance(before, str) and (before.startswith("-") and "=" not in before or len(items) == 2)
        yield item, _named(before) if told and not (isinstance(item, str) and item.startswith("-")) else name
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
                copy = {self._renamed(key): None for key in item}
                holder[place] = copy
                waiting += [(copy, key, *part) for key, part in reversed([*zip(copy, _members(item, name), strict=True)])]
            elif isinstance(item, list | tuple):
                holder[place] = [None] * len(item)
                waiting += [(holder[place], index, *part) for index, part in reversed([*enumerate(_items(item, name))])]
            else:
                holder[place] = item
        return root[0]

    def _renamed(self, key: Json) -> Json:
        if not isinstance(key, str) or len(key) < 2 * MEMORABLE:
            return key
        seen, end = _Seen(key), len(key)
        spans = _merged((*_formatted(seen.text, 0, end), *_urls(seen.text, 0, end), *self._copies(seen.text)))
        return self._replaced(key, seen, spans)

    def _leaf(self, text: str, name: Name | None) -> str:
        """A string of a value; under a name that announces a secret it is masked whole."""
        if name is None or not _counts(text, name, plain=True, quoted=True):
            return self.text(text)
        scheme = _SCHEME.match(text) if name.kind == "auth" else None
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
        seen = _Seen(text)
        spans = _merged(_found(seen.text))
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
            if _random(known) and not PLACEHOLDER.search(known):
                self._known[known] = kind
        for old in [*self._known][:-REMEMBERED]:
            del self._known[old]

    def _copies(self, text: str) -> Iterator[Span]:
        for secret, kind in self._known.items():
            at = text.find(secret)
            while at >= 0:
                yield Span(at, at + len(secret), kind)
                at = text.find(secret, at + len(secret))

    def _replaced(self, text: str, seen: _Seen, spans: Sequence[Span]) -> str:
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
