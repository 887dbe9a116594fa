"""Says what a value may be in the place where it stands in a command: a part of a JSON text, of a URL or of a path, a package, a file to
upload, a variable; it quotes nothing and runs nothing. A module of its own, because quoting keeps a value one argument, and here it is
about what the program makes of this argument."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from .model import Json, canonical


@dataclass(frozen=True, slots=True)
class Place:
    """One word of a command with its holes filled: the words with marks in the holes, which of them it is, mark → value, and what puts the
    values in the place of the marks."""

    words: tuple[str, ...]
    index: int
    values: Mapping[str, str]
    fill: Callable[[str], str]

    @property
    def program(self) -> str:
        return self.words[0].rsplit("/", 1)[-1]

    @property
    def word(self) -> str:
        return self.words[self.index]

    @property
    def before(self) -> str:
        """The word in front of it."""
        return self.words[self.index - 1]

    def holes(self) -> Iterator[tuple[str, str]]:
        """Each hole of the word: the text before it, and its value."""
        for mark, value in self.values.items():
            if mark in self.word:
                yield self.fill(self.word[: self.word.index(mark)]), value

    @property
    def whole(self) -> str | None:
        """The value of a hole that begins the word, or that stands at once behind the name of a long option; else None."""
        return next((value for before, value in self.holes() if re.fullmatch(r"(?:--[\w-]+=)?", before)), None)

    def called(self, *verbs: str) -> bool:
        """Whether one of these words stands before it."""
        return any(word in verbs for word in self.words[1 : self.index])

    def given(self, *options: str) -> bool:
        """Whether it is the value of one of these options, as the next word, behind `=`, or joined to one letter."""
        joined = any(self.word.startswith(one + ("=" if one.startswith("--") else "")) for one in options)
        return joined or self.before in options or any(re.fullmatch(rf"-\w*{one[1]}", self.before) for one in options if len(one) == 2)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# ── Texts in a text: JSON, URL, path ─────────────────────────────────────────────────────────────

_SCALAR = re.compile(r"-?[0-9]+(?:\.[0-9]+)?|true|false|null")
_URL = re.compile(r"(?:--?[\w-]+=|[\w-]+=)?[a-z][a-z0-9+.-]*://", re.IGNORECASE)


def _document(place: Place) -> str:
    """JSON: the value stays one string of it, or one number."""
    lead = re.match(r"(?:[\w-]*=)?\s*(?=[{\[])", place.word)
    if lead is None:
        return ""
    text = place.word[lead.end() :]
    shape = _read(text)
    if shape is not _UNREAD:
        made = _read(place.fill(text))
        return "" if made is not _UNREAD and canonical(made) == canonical(_filled(shape, place)) else "text that ends no string of its JSON"
    plain = text
    for mark in place.values:
        plain = plain.replace(mark, "0")
    scalars = all(_SCALAR.fullmatch(value) for mark, value in place.values.items() if mark in text)
    return "" if _read(plain) is _UNREAD or scalars else "a number, true, false or null inside its JSON"


_UNREAD = object()


def _read(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _UNREAD


def _filled(shape: Json, place: Place) -> Json:
    if isinstance(shape, dict):
        return {place.fill(key): _filled(value, place) for key, value in shape.items()}
    if isinstance(shape, list):
        return [_filled(value, place) for value in shape]
    return place.fill(shape) if isinstance(shape, str) else shape


REGIONS: tuple[tuple[str, str], ...] = (
    (r"[^/?#]*", r"[\w.~%-]+"),
    (r"[^?#]*", r"(?!.*(?:^|/)\.\.(?:/|$))[^?#\s\\]+"),
    (r"[^#]*", r"[^&#\s]+"),
    (r".*", r"\S+"),
)
"""Authority, path, query and fragment of a URL: what stands before a hole there, and what its value looks like."""


def _address(place: Place) -> str:
    """URL: the value stays in its part, so that the host and the fields are those that were approved."""
    lead = _URL.match(place.word)
    if lead is None:
        return ""
    for before, value in place.holes():
        if len(before) >= lead.end():
            region = next(allowed for known, allowed in REGIONS if re.fullmatch(known, before[lead.end() :], re.DOTALL))
            if not re.fullmatch(region, value, re.DOTALL):
                return "text that stays in its part of the URL"
    return ""


def _inside(place: Place) -> str:
    """A part of a path behind fixed folders: the value does not lead out of them."""
    if _URL.match(place.word):
        return ""
    for before, value in place.holes():
        around = {segment for segment in (before + value).split("/")[before.count("/") :] if segment in (".", "..")}
        if "/" in before and around:
            return "a name below the folder in front of it"
    return ""


# ── What brings in code or content from elsewhere ────────────────────────────────────────────────

INSTALLERS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(_words("pip pip3 pipx uv pipenv poetry pdm conda mamba micromamba"), _words("install add download wheel")),
    **dict.fromkeys(_words("npm pnpm yarn bun"), _words("install i add update up global")),
    **dict.fromkeys(_words("apt apt-get dnf yum apk zypper brew gem cargo composer snap flatpak port"), _words("install add require")),
}
"""Programs that install, and the verbs with which they do."""
_PACKAGE = re.compile(r"(?:@[\w.-]+/)?\w[\w.+-]*(?:\[[\w,.-]*\])?(?:(?:@|[=<>!~^]=?=?)[\w.*^~<>=!,+-]+)?(?::[a-z0-9]+)?")
_VENDOR = re.compile(r"[\w.-]+/[\w.-]+(?::[\w.*^~<>=|-]+)?")


def _package(place: Place) -> str:
    """One package by its name: no list, no folder, no address."""
    value = place.whole
    if value is None or not place.called(*INSTALLERS.get(place.program, ())):
        return ""
    known = _PACKAGE.fullmatch(value) and (":" not in value or place.program in ("apt", "apt-get"))
    return "" if known or place.program == "composer" and _VENDOR.fullmatch(value) else "the name of one package"


_ELSEWHERE = re.compile(r"[\w+.-]*:/|\w+@|git@|github\.com/|oci:|-$")
_LOCAL: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(_words("kubectl oc"), _words("apply create replace delete diff")),
    "helm": _words("install upgrade template"),
    **dict.fromkeys(_words("docker podman nerdctl buildah"), _words("build bake bud")),
}
"""Programs that read a file or folder, or fetch it where an address is given, and the verbs with which they do."""


def _local(place: Place) -> str:
    value = place.whole
    if value is None or not place.called(*_LOCAL.get(place.program, ())):
        return ""
    return "a file or name here, which is no address" if _ELSEWHERE.match(value) else ""


def _remote(place: Place) -> str:
    """git: an address of a plain kind; `ext::` and `fd::` start what they are told."""
    fetches = place.program == "git" and place.called(*_words("clone fetch pull push remote ls-remote submodule archive"))
    return "an address of a plain kind" if fetches and any(re.match(r"[\w+.-]+::", value) for _, value in place.holes()) else ""


def _archive(place: Place) -> str:
    """tar: a name with a colon is a file on another machine, which it logs in to."""
    archive = place.given("-f", "-F", "--file") or re.fullmatch(r"-?\w*f", place.before)
    found = place.whole if archive and place.program in ("tar", "gtar", "bsdtar", "cpio") else None
    return "a file here" if found and ":" in found.split("/", 1)[0] and "--force-local" not in place.words else ""


_ACTIVE = re.compile(r"[\s`$();|&<>'\"*?~{}!\\]")
"""What a shell acts on."""


def _told_there(place: Place) -> str:
    """scp, sftp, rsync: a path behind `host:`, which the shell of that host may read once more."""
    far = ":" in place.fill(place.word).split("/", 1)[0]
    copies = far and place.program in ("scp", "sftp", "rsync")
    return "a path without signs of a shell" if copies and any(_ACTIVE.search(v) for _, v in place.holes()) else ""


# ── What a program reads in a value ──────────────────────────────────────────────────────────────

_SENT: Mapping[str, tuple[str, ...]] = {
    "curl": tuple("-d --data --data-ascii --data-binary --data-urlencode --json -F --form -H --header -w --write-out --url-query".split()),
    "gh": ("-F", "--field"),
    "glab": ("-F", "--field"),
    **dict.fromkeys(("http", "https", "xh"), ("",)),
    **dict.fromkeys(("aws", "az"), ("",)),
}
"""Programs that take a value beginning with `@`, `<` or `file:` for the file to send, and the options where they do."""


def _upload(place: Place) -> str:
    options = _SENT.get(place.program)
    if options is None or options != ("",) and not place.given(*options):
        return ""
    if options == ("",) and place.program not in ("aws", "az") and re.match(r"[\w.\[\]\\-]*:?=?@", place.whole or ""):
        return "one field that is sent as it is, and no file's name"
    starts = (re.fullmatch(r"(?:-\w|--[\w-]+=)?(?:[\w.\[\]-]*:?=)?", before) for before, _ in place.holes())
    if any(begins and re.match(r"@|<|fileb?:", value) for begins, (_, value) in zip(starts, place.holes(), strict=True)):
        return "a value that is sent as it is, and no file's name"
    form = place.program == "curl" and place.given("-F", "--form")
    coded = place.program == "curl" and place.given("--data-urlencode") and any("@" in value and "=" not in b for b, value in place.holes())
    return "a value without a semicolon" if form and any(";" in value for _, value in place.holes()) else "no @" if coded else ""


def _fetched(place: Place) -> str:
    """curl and wget: an address of the web, one and no pattern of many."""
    if place.program not in ("curl", "wget") or place.given("-d", "--data", "--data-raw", "-F", "--form", "-H", "--header"):
        return ""
    made = place.fill(place.word)
    plain = re.match(r"(?:https?|ftps?)://", made, re.IGNORECASE)
    if place.whole is not None and re.match(r"[a-z][a-z0-9+.-]*:", made, re.IGNORECASE) and not (plain or re.match(r"[\w.-]+:\d+", made)):
        return "an address of the web"
    many = place.program == "curl" and plain and any(re.search(r"[\[\]{}]", value) for _, value in place.holes())
    return "one address and no pattern of many" if many else ""


def _spoken(place: Place) -> str:
    """A format of `printf`, a query of GraphQL, a `+` command of a pager."""
    values = [value for _, value in place.holes()]
    if place.program == "printf" and place.index == 1 and any(re.search(r"[%\\]", value) for value in values):
        return "text without % and backslash in its format"
    if re.match(r"query=", place.word) and place.called("graphql") and not all(re.fullmatch(r"[\w.-]+", value) for value in values):
        return "a plain word inside a query"
    paged = place.program in ("less", "more", "man", "most") and place.whole is not None and str(place.whole).startswith("+")
    return "a name that begins with no +" if paged else ""


def _process(place: Place) -> str:
    """kill: 0 is the group of the caller itself, 1 the machine."""
    value = place.whole
    return "the number of one process" if place.program == "kill" and value is not None and re.fullmatch(r"0*[01]?", value) else ""


_LISTING = _words("7z 7za 7zr 7zz rar unrar gcc g++ cc c++ clang clang++ ld ar javac java javadoc jar")
_IMAGES = _words("convert magick mogrify montage composite identify")
_SERVERS = _words("dig kdig delv drill")
_DATABASES = _words("psql pg_dump pg_dumpall pg_restore pg_basebackup pg_isready createdb dropdb vacuumdb reindexdb clusterdb pgbench")


def _sign(place: Place) -> str:
    """Programs for which a first sign makes a name something else: `@` a list of names or the text of a file, `+` an option of dig."""
    values = [value for _, value in place.holes()]
    if place.program in _IMAGES and any(value.startswith(("@", "|")) for value in values):
        return "text that begins with no @"
    signs = "@" if place.program in _LISTING else "@+" if place.program in _SERVERS else ""
    return f"a name that begins with no {' or '.join(signs)}" if signs and str(place.whole or "")[:1] in tuple(signs) else ""


def _protocol(place: Place) -> str:
    """Programs of media, which open `concat:`, `tcp:`, `msl:` and the like where a file is named; those of PostgreSQL, which connect to
    what a name with `=` says."""
    value = str(place.whole or "")
    if place.program in _DATABASES and ("=" in value or "://" in value):
        return "the name of a database"
    media = place.program in ("ffmpeg", "ffprobe", "ffplay") or place.program in _IMAGES
    return "a file, or an address of the web" if media and re.match(r"(?!https?://)\w[\w+.,-]+:", value) else ""


def _setting(place: Place) -> str:
    """What names a setting: `npm config set ‹v› x`, `cmake -D ‹v›`, `systemctl set-environment ‹v›`."""
    named = any(re.fullmatch(r"(?:-D)?", before) for before, _ in place.holes())
    of_build = place.program == "cmake" and (place.word.startswith("-D") or place.before == "-D")
    of_tool = place.before == "set" and place.called("config") or place.called("set-environment")
    return "a setting whose name is fixed" if named and (of_build or of_tool) else ""


_BODY = tuple("-d --data --data-ascii --data-raw --data-binary --post-data --body-data".split())


def _field(place: Place) -> str:
    """One field among others: of a form, of cookies, of what helm is told, of an XML text that is sent."""
    parts = [(re.sub(r"^--?[\w-]+=", "", before), value) for before, value in place.holes()]
    sends = place.program in ("curl", "wget")
    if sends and place.given(*_BODY) and any(re.search(r"<\w[^{}]*$", before) and re.search(r"[<>&\"']", value) for before, value in parts):
        return "text that ends no element of its XML"
    if sends and place.given(*_BODY) and any(re.search(r"[\w\]-]=[^{}<]*$", before) and "&" in value for before, value in parts):
        return "text that ends no field of its form"
    if place.program == "curl" and place.given("-b", "--cookie"):
        loose = any("=" not in before + value or "=" in before and ";" in value for before, value in parts)
        return "one cookie, name and value" if loose else ""
    listed = place.program == "helm" and place.given("--set", "--set-string", "--set-json", "--set-file", "--set-literal")
    return "a value without a comma" if listed and any("," in value for _, value in parts) else ""


RULES: tuple[Callable[[Place], str], ...] = (
    _document,
    _address,
    _inside,
    _package,
    _local,
    _remote,
    _archive,
    _told_there,
    _upload,
    _fetched,
    _spoken,
    _process,
    _sign,
    _protocol,
    _setting,
    _field,
)


def problem(place: Place) -> str:
    """What the values of a word ought to be and are not, in words that follow "Expected"; empty when they may stand there."""
    return next((found for rule in RULES if (found := rule(place))), "")


# ── Variables and names before a fixed command ───────────────────────────────────────────────────

_PLAIN_VARIABLE = re.compile(
    r"(?!(?:LD|DYLD|BASH|GIT_CONFIG|GIT_TRACE|NPM_CONFIG|PIP|CARGO|RUSTC?|NODE|PYTHON|PERL|RUBY|JAVA|JDK|MAVEN|GRADLE|MAKE|GCC)(?:_|$))"
    r"(?:[A-Z][A-Z0-9]*_)*(?:PASSWORD|PASSPHRASE|PASSWD|PWD_VALUE|PASS|TOKEN|SECRET|KEY|USER|USERNAME|EMAIL|NAME|ID|VERSION|PORT|BRANCH|TAG"
    r"|REGION|ZONE|STAGE|DATE|TZ|LEVEL|DEBUG|VERBOSE|COUNT|LIMIT|SEED|YEAR|MONTH|DAY|LANGUAGE|TITLE|MESSAGE|TEXT|QUERY|TOPIC|LABEL|COLOR)"
)


def variable(name: str) -> bool:
    """Whether a variable before a command holds a value by its name, and says nothing of what runs or how."""
    return _PLAIN_VARIABLE.fullmatch(name) is not None


_FLAG = re.compile(r"-[itd]{1,3}|--(?:interactive|tty|detach|no-capture-output|live-stream)")
_ENVIRONMENT = (_words("conda mamba micromamba"), "run", ("-n", "--name"))


def before_command(words: Sequence[str | None], index: int) -> bool:
    """Whether the word only says where the fixed command behind it runs: `conda run -n ‹v› …`, `docker exec ‹v› …`,
    `kubectl exec ‹v› -- …`."""
    program = (words[0] or "").rsplit("/", 1)[-1]
    behind = words[index + 1 :]
    if not behind or None in words:
        return False
    known = cast(Sequence[str], words)
    if program in _ENVIRONMENT[0] and known[1] == "run" and known[index - 1] in _ENVIRONMENT[2]:
        return all(_FLAG.fullmatch(word) for word in known[2 : index - 1]) and not str(behind[0]).startswith("-")
    if program in ("docker", "podman", "nerdctl", "kubectl", "oc") and known[1] == "exec":
        starts = behind[0] == "--" and len(behind) > 1 if program in ("kubectl", "oc") else not str(behind[0]).startswith("-")
        return starts and all(_FLAG.fullmatch(word) for word in known[2:index])
    return False
