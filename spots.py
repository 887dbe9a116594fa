"""Finds secrets by the spot where they stand, after a flag, in a URL, on a command line or in a sentence; it never reads what a name holds.

A module of its own, because each spot is a pattern by itself that can come and go, while what counts as a value is settled elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .beside import announced, counts, pairs, value_at
from .formats import SHORT_FLAGS, Short
from .keys import shape
from .looks import PLACEHOLDER, SHORTEST, Span, drawn, void, wordy
from .names import Name, named

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
    r"[\"'](?P<name>[\w.\-]{2,100}+)[\"'],[ \t]{0,4}(?=[\"'])"
    r"|(?<![\w-])(?P<pair>(?:basic_?)?auth|credentials?|creds)[ \t]*=[ \t]*\([ \t]*[\"'][^\"'\n]{1,100}[\"'],[ \t]*"
)
_SETTER = re.compile(
    r"(?<![\w-])(?:setx|setenv|ARG|ENV(?=[ \t])|set(?=[ \t]+-)|(?:config|configure|secrets?|variables?) set)[ \t]{1,4}"
    r"(?:--?\w[\w-]{0,30}[ \t]{1,4}){0,2}"
    r"(?:[\w./:]{0,200}:)?(?P<name>[\w.\-]{2,100}+)[ \t]{1,4}(?![-=])"
)

_CELL = re.compile(
    r"(?<![\w.\-])(?P<name>[A-Za-z][\w.\-]{2,60}+)(?:[ ]{0,40}[|│┃][ ]{0,40}|\t)(?=[^\s|│┃]{6,4096}[ ]{0,200}(?:[|│┃\t]|\r?$))",
    re.MULTILINE,
)
"""A name and its value in two cells of a table."""
_CALLED = re.compile(r"(?<![A-Za-z0-9])set_?(?P<name>[A-Za-z]\w{1,60}+)\([ \t]{0,4}(?=[\"'])")


def flags(text: str, low: int, high: int) -> Iterator[Span]:
    """The word after `--password`, `--token` and the like."""
    for match in _FLAG.finditer(text, low, high):
        name = named(match[1])
        if name is None:
            continue
        value = value_at(text, match.end())
        if name.kind == "cookie":
            yield from pairs(text, value.start, value.stop)
        elif counts(text[value.start : value.stop], Name(name.kind, name.sure or name.kind == "password"), True, value.quoted):
            yield Span(value.start, value.stop, name.kind)


def entries(text: str, low: int, high: int) -> Iterator[Span]:
    """A name and its value apart: `name: API_KEY` and `value: …`, `<password>…</password>`, `config set token …`."""
    for pattern in (_ENTRY, _SETTER, _CALLED, _CELL):
        for match in pattern.finditer(text, low, high):
            name, value = named(match["name"]), value_at(text, match.end())
            plain = pattern is _ENTRY or pattern is _CALLED and name is not None and name.kind == "password"
            if name and counts(text[value.start : value.stop], name, plain, value.quoted):
                yield Span(value.start, value.stop, name.kind)
    for match in _ELEMENT.finditer(text, low, high):
        name = named(match["name"])
        if name and counts(match["value"], name, plain=True, quoted=True):
            yield Span(*match.span("value"), name.kind)
    for match in _ARGUMENT.finditer(text, low, high):
        name, value = named(match["name"] or match["pair"]), value_at(text, match.end())
        if name and value.quoted and drawn(text[value.start : value.stop]):
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
_NEAR = re.compile(
    r"(?<![\w.\-])(?P<name>(?:(?:api|access|secret|licen[sc]e|this|my|your|the|new|following)[ -]key|password|passphrase|passcode|"
    r"token|secret|credentials?|creds|login|apikey)s?)(?:'s)?(?P<words>(?: (?:[A-Za-z']{1,20}|'[\w./~-]{1,40}'|\([a-z ]{1,20}\)),?){0,8})"
    r"(?P<sep> ?[:=–—-]{1,2}[ \t]{1,4}|:?\s{0,2}\n\s{0,8}| )(?:(?!sha|md5)[A-Za-z][\w.@-]{0,60}?(?::| / |/))?"
    r"[`\"'*“«<]{0,3}(?P<value>(?<![\w.+/=-])[\w!@#$%^&+~=.-]{8,4096}+)(?![/\\(:\[])",
    re.IGNORECASE,
)
"""A name that announces a secret, at most eight words, and something that no word is."""
_OTHER = frozenset(
    "user account id file commit version host named called run job order ticket hash fingerprint digest path session request trace build "
    "branch tag image container pod model sha checksum uuid guid revision release".split()
)
"""Words right before a value that say what it is, if it is no secret."""
_NO_SECRET = re.compile(
    r"AAAA[BCE]|sha\d|md5|[0-9a-f-]+$|v?\d+[.\d]*$|[\w-]+\.\w{1,5}$|(?-i:[A-Z0-9_]+)$|[\w-]+[.(]|[\w-]+=.|-", re.IGNORECASE
)
_ORACLE = re.compile(r"jdbc:oracle:(?:thin|oci8?):[\w$#]{1,60}/([^\s@/'\"`<>]{3,200}+)@")
_HOOK = re.compile(
    r"(?:maker\.ifttt\.com/trigger/[\w-]{1,100}/(?:json/)?with/key/|hooks\.zapier\.com/hooks/catch/[0-9]{1,12}/)([\w-]{6,100})"
)
_PGPASS = re.compile(
    r"(?:^|(?<=[\s\"']))(?:[\w.\-]{1,100}+|\*):(?:[56]4[0-9]{2}|2[56][0-9]{3}|\*):(?:[\w\-]{1,100}+|\*):[\w.\-]{1,100}+:"
    r"([^\s\"']{3,500}+)(?=[\s\"']|$)",
    re.MULTILINE,
)


def prose(text: str, low: int, high: int) -> Iterator[Span]:
    """`login dana password …`, "the password is …", `Bearer …` without its header."""
    for match in _LOGIN.finditer(text, low, high):
        value = value_at(text, match.end())
        if counts(text[value.start : value.stop], Name("password"), True, value.quoted):
            yield Span(value.start, value.stop, "password")
    for match in _TOLD.finditer(text, low, high):
        value, name = value_at(text, match.end()), announced(text, match)
        content = text[value.start : value.stop].rstrip(".,:!?")
        odd = re.search(r"[\d\W_]", content) is not None or drawn(content) or not wordy(content)
        if name and odd and content[:1] not in "{[(" and counts(content, name, value.quoted, value.quoted):
            yield Span(value.start, value.start + len(content), name.kind)
    for match in _NEAR.finditer(text, low, high):
        near, last = match["value"].rstrip(".,:!?"), match["words"].split()[-1:]
        if _strong(near, bool(match["sep"].strip())) and not (last and last[0].lower().strip(",()") in _OTHER):
            yield Span(match.start("value"), match.start("value") + len(near), "secret")
    for pattern in (_BEARER, _GLUED, _NEXT):
        for match in pattern.finditer(text, low, high):
            name = named(match["name"]) if pattern is _NEXT else Name("auth")
            if name and drawn(match[pattern.groups]) and not void(match[pattern.groups]):
                yield Span(*match.span(pattern.groups), name.kind)


def _strong(value: str, pointed: bool) -> bool:
    """Whether a value near a name looks like nothing but a secret: small letters, capitals and digits, and no name of a file or a sum."""
    mixed = all(re.search(kind, value) for kind in ("[a-z]", "[A-Z]", "[0-9]"))
    return drawn(value) and (mixed or pointed and len(value) >= 20) and not _NO_SECRET.match(value) and not PLACEHOLDER.search(value)


def lines(text: str, low: int, high: int) -> Iterator[Span]:
    """The lines of a file of PostgreSQL passwords."""
    for match in _PGPASS.finditer(text, low, high):
        if counts(match[1], Name("password"), plain=False):
            yield Span(*match.span(1), "password")


_AUTHORITY = re.compile(r"://([^\s/?#'\"<>@:`\\]{0,200}+):([^\s'\"<>/?#`\\]{1,1000})@")
_SLASHED = re.compile(r"://([^\s/?#'\"<>@:`\\]{0,200}+):(?![0-9]{1,5}(?:[^\w]|$))([^\s'\"<>`\\@]{1,1000}+)@")
_USER = re.compile(r"://([^\s/?#'\"<>@:`\\]{16,500}+)(?=[@:])")
_BARE_USER = re.compile(
    r"(?<![\w.:@\-])(?<!://)(?<!:///)([\w.\-]{1,64}+):([^\s@/:'\"`\\<>]{8,200}+)@"
    r"(?=[\w-]{1,60}+\.(?:[\w-]{1,60}+\.){0,4}[a-z]{2,24}(?![\w])|(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![\w.])|[\w.-]{1,100}+:[0-9]{1,5}(?!\w))"
)


def urls(text: str, low: int, high: int) -> Iterator[Span]:
    """Passwords, and keys in the place of the user name, in front of a host."""
    for pattern in (_AUTHORITY, _SLASHED):
        for match in pattern.finditer(text, low, high):
            if len(match[2]) >= SHORTEST and not void(match[2]) and match[2] != "x-oauth-basic":
                yield Span(*match.span(2), "url")
    for pattern in (_ORACLE, _HOOK):
        yield from (Span(*match.span(1), "url") for match in pattern.finditer(text, low, high) if not void(match[1]))
    for match in _USER.finditer(text, low, high):
        if drawn(match[1]) and not void(match[1]) and text.find("@", match.end(), match.end() + 1000) >= 0:
            yield Span(*match.span(1), "url")
    for match in _BARE_USER.finditer(text, low, high):
        if drawn(match[2]):
            yield Span(*match.span(2), "url")


_SINK = (
    r"(?:(?:sudo\s)[ \t]*(?:-\w+[ \t]+){0,4}-S|--(?:password|token|passphrase)-?(?:stdin|fd)|--with-token"
    r"|(?<![\w/.-])(?:chpasswd|passwd|smbpasswd|kinit|cryptsetup|secret-tool|keyring|kwallet-query)"
    r"|(?<![\w/.-])(?:(?:gh|wrangler|fly|flyctl)[ \t]+secrets?[ \t]+(?:set|put)|vault[ \t]+login|pass[ \t]+insert|cargo[ \t]+login"
    r"|(?:docker|podman)[ \t]+secret[ \t]+create|rclone[ \t]+obscure|mkpasswd|openssl[ \t]+passwd|openconnect"
    r"|htpasswd[ \t]+-\w*i|vncpasswd))(?!\w)"
)
"""What reads a secret from its input."""
_PIPED = re.compile(
    r"(?<![\w-])(?:echo|printf)[ \t]+(?:-[neE]+[ \t]+)?(?:(?P<mark>['\"]?)(?:%[sb](?:\\{1,4}n)?){1,4}(?P=mark)[ \t]+)?"
    r"(?P<value>(?:\"[^\"]{1,500}\"|'[^']{1,500}'|[^\s'\"|;&)]{1,500}))"
    r"(?P<again>(?:[ \t]+(?:\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s'\"|;&)]{1,200})){0,3})[ \t]*"
    rf"(?:[;)][^|\n]{{0,200}})?\|[^|\n]{{0,200}}?{_SINK}"
)
_WORD = re.compile(r"\S")
_SAVED = re.compile(
    r"(?<![\w-])(?:echo|printf)[ \t]+(?:-[neE]+[ \t]+)?(?:['\"]?%[sb](?:\\{1,4}n)?['\"]?[ \t]+)?"
    r"(?P<value>\"[^\"\n]{1,500}\"|'[^'\n]{1,500}'|[^\s'\"|;&<>]{1,500})[ \t]*"
    r"(?:>>?[ \t]*|\|[ \t]*(?:\w{2,8}[ \t]+)?tee[ \t]+(?:-a[ \t]+)?)[\"']?"
    r"(?:[\w.~${}-]{0,100}/){0,16}\.?(?P<name>[\w-]{2,100}+)(?:\.\w{1,5})?(?![\w./])"
)
"""What is written to a file whose name announces a secret."""
_HERE = re.compile(rf"{_SINK}[^\n|;&<]{{0,200}}<<<[ \t]*")


_RULES: dict[str, list[Short]] = {}
for _rule in SHORT_FLAGS:
    for _program in _rule.programs.split():
        _RULES.setdefault(_program, []).append(_rule)
PROGRAMS = "|".join(map(re.escape, sorted(_RULES, key=len, reverse=True)))
"""The programs of `SHORT_FLAGS`, as an expression."""
_PROGRAM = re.compile(rf"(?<![\w.\-])({PROGRAMS})(?:\.exe)?[ \t]")
_STARTS = re.compile(r"(?:^|[\n;|&(`\"'$+#>%]|\b(?:sudo|exec|time|env|nohup|run|--)|\w=\S*)[ \t]*(?:/[\w/]+/)?$")


def commands(text: str, low: int, high: int) -> Iterator[Span]:
    """Passwords that a program takes after a flag of one letter, or from a pipe."""
    for match in _PROGRAM.finditer(text, low, high):
        starts = _STARTS.search(text[max(0, match.start() - 40) : match.start()]) is not None
        for rule in _RULES[match[1]]:
            flag = shape(rf"(?:[^\n;|&]{{0,400}}?[ \t])??{rule.flag}").match(text, match.end())
            if flag:
                yield from _argument(text, flag.end(), rule.form, starts)
    for match in _PIPED.finditer(text, low, high) if text.find("|", low, high) >= 0 else ():
        form = "pair" if "chpasswd" in match.group() else "word"
        yield from _argument(text, match.start("value"), form, starts=True)
        words = _WORD.search(text, *match.span("again"))
        while words:
            yield from _argument(text, words.start(), form, starts=True)
            stop = max(words.end(), value_at(text, words.start()).stop + 1)
            words = _WORD.search(text, stop, max(stop, match.end("again")))
    for match in _SAVED.finditer(text, low, high):
        name, value = named(match["name"]), value_at(text, match.start("value"))
        if name and drawn(text[value.start : value.stop]) and not void(text[value.start : value.stop]):
            yield Span(value.start, value.stop, name.kind)
    for match in _HERE.finditer(text, low, high) if text.find("<<<", low, high) >= 0 else ():
        yield from _argument(text, match.end(), "pair" if "chpasswd" in match.group() else "word", starts=True)


def _argument(text: str, at: int, form: str, starts: bool) -> Iterator[Span]:
    value = value_at(text, at)
    if form == "cookies":
        yield from pairs(text, value.start, value.stop)
        return
    start = text.find(":", value.start, value.stop) + 1 if "pair" in form else value.start
    host = text.rfind("@", start, value.stop) if "login" in form else -1
    stop = host if host > start else value.stop
    if (start or "pair" not in form) and counts(text[start:stop], Name("password"), starts, value.quoted):
        yield Span(start, stop, "password")
