"""Judges the programs whose arguments are a language of their own, or mean more by their order than a row of the table can say; it never
runs one, and leaves those that run other commands to effects. A module of its own, because each of them is a small world by itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from .expansions import READS_ONLY, mere
from .model import Effect
from .options import HOLE, SEVERAL, Words, holds, marked, sorted_out, spared, spelled, why
from .programs import ERASING, QUIET, RSYNC
from .table import EXTERNAL, UNKNOWN, WRITE, each

_SET = r"\[\^?+(?:\[:[a-z]+:\]|(?!(?P=mark))[^\]\[\\\n])+\]"
"""Characters in brackets: among them neither the delimiter, which `sed` takes for the end, nor anything else that could hide it."""
_ADDRESS = rf"(?:[0-9]+|\$|/(?:[^/\[\\\n]|\\.|{_SET.replace('(?P=mark)', '/')})*/)"
_FROM = rf"(?:(?!(?P=mark))[^\[\\\n]|\\.|{_SET})*"
_TEXT = r"(?:(?!(?P=mark))[^\\\n]|\\.)*"
_SED_STEP = re.compile(
    rf"\s*+(?:{_ADDRESS}(?:,\+?{_ADDRESS})?\s*+!?\s*+)?"
    rf"(?:[pdDPqGhHNnx=]|s(?P<mark>[/|#,:]){_FROM}(?P=mark){_TEXT}(?P=mark)[gpIi0-9]*+)\s*+(?:;|$)"
)
"""One command of a `sed` program that neither writes a file nor runs anything."""


def _sed(_: str, words: Words) -> Effect:
    """`sed` with a program of plain prints, deletions and substitutions; the other commands may write files or run programs."""
    scripts: list[str | None] = []
    files: list[str | None] = []
    in_place = harms = False
    rest = iter(words)
    for word in rest:
        if word is not None and re.fullmatch(r"-[nErsuz]+|--(?:quiet|silent|regexp-extended|separate|unbuffered|null-data)", word):
            continue
        if word == "-e":
            scripts.append(next(rest, None))
        elif word is not None and re.fullmatch(r"-[nErsuz]*i\S*|--in-place(?:=\S*)?", word):
            in_place = True
            harms = harms or re.search(r"[/*]", word) is not None  # keeps the old text under any name
        elif word is None or word.startswith("-"):
            return Effect(UNKNOWN, False, "runs sed with options that are not fixed or not plain")
        else:
            files.append(word)
    programs = scripts or files[:1]
    if not programs or not all(_plain_sed(program) for program in programs):
        return Effect(UNKNOWN, False, "runs a sed program")
    return Effect(WRITE, harms, "sed changes files in place") if in_place else READS_ONLY


def _plain_sed(program: str | None) -> bool:
    at = 0
    while program is not None and HOLE not in program and at < len(program):
        step = _SED_STEP.match(program, at)
        if step is None:
            return False
        at = step.end()
    return bool(program) and program is not None and HOLE not in program


_AWK_ACTS = re.compile(r"system|getline|close|fflush|[|@…]|/inet")
"""What may write or run in an `awk` program."""


def _awk(_: str, words: Words) -> Effect:
    """`awk` with a program that only prints; redirections, pipes and calls of the system are in the language."""
    at = 0
    while at < len(words) and (word := words[at]) is not None and word.startswith("-"):
        if not re.fullmatch(r"-F.*|-v|-v[A-Za-z_]\w*=.*", word, re.DOTALL):
            return Effect(UNKNOWN, False, "runs awk with options that may load code")
        at += 2 if word in ("-F", "-v") else 1
    program = words[at] if at < len(words) and None not in words[:at] else None
    safe = program is not None and HOLE not in program and not _AWK_ACTS.search(program.replace("||", " "))
    redirects = program is not None and ">" in program.partition("print")[2]  # before a print it is a comparison
    return READS_ONLY if safe and not redirects else Effect(UNKNOWN, False, "runs an awk program")


_TAR_PLAIN = re.compile(
    r"-[Cv]|--(?:exclude=|strip-components=|directory=|verbose|gzip).*"
    r"|--(?:wildcards|no-wildcards|anchored|no-anchored|ignore-case|full-time|numeric-owner|utc)"
)


def _tar(_: str, words: Words) -> Effect:
    """`tar`: lists, creates or extracts; options that name a program and archives on other hosts are not judged."""
    mode = re.fullmatch(r"-?([A-Za-z]+)", words[0] or "") if words else None
    options, operands, loose, _doubtful = sorted_out(words[1:])
    odd = [option for option in options if not _TAR_PLAIN.fullmatch(option)]
    if mode is None or "f" not in mode[1] or HOLE in mode[1] or odd or loose or any(map(_remote, operands[:1])):
        return Effect(UNKNOWN, False, "runs tar with options or archives that are not plain")
    letters = set(mode[1])
    if letters <= set("tvzjJaf") and "t" in letters:
        return READS_ONLY
    if letters <= set("cxruvzjJafpkmhP") and letters & set("cxru"):
        harms = "c" in letters or "x" in letters and "k" not in letters
        return Effect(WRITE, harms, "tar overwrites files" if harms else "tar writes files")
    return Effect(UNKNOWN, False, "runs tar with options that are not plain")


def _remote(word: str | None) -> bool:
    """Whether a word may name a file on another host: `host:path`, or something unknown before the first slash."""
    return word is None or ":" in word.split("/", 1)[0] or HOLE in word.split("/", 1)[0] or "…" in word.split("/", 1)[0]


def _dd(_: str, words: Words) -> Effect:
    if any(word is None or "=" not in word for word in words):
        return Effect(UNKNOWN, False, "runs dd with words that are not fixed")
    writes = [word for word in words if word is not None and word.startswith("of=") and word != "of=/dev/null"]
    return Effect(WRITE, True, "dd overwrites a file") if writes else READS_ONLY


def _rsync(_: str, words: Words) -> Effect:
    given = sorted_out(words, marked(RSYNC))
    harms = not spared(given, "--ignore-existing", RSYNC)
    if given.loose or any(map(_remote, given.operands)):
        return Effect(EXTERNAL, harms, "rsync copies to or from another system")
    if holds(given.options, "-e --rsh --rsync-path --daemon --server --files-from --config --password-file -M --remote-option"):
        return Effect(UNKNOWN, harms, "runs rsync with options that may start other programs")
    return Effect(WRITE, harms, "rsync overwrites or deletes files" if harms else "rsync copies files")


_DATE = re.compile(r"\+.*|-[uR]+|-I\w*|--(?:utc|universal|rfc-email|iso-8601|rfc-3339|date|reference|debug)(?:=.*)?", re.DOTALL)


def _date(_: str, words: Words) -> Effect:
    """`date` prints the time, unless `-s` or a word without `+` sets it."""
    rest = iter(words)
    for word in rest:
        if word in ("-d", "-r", "--date", "--reference"):
            word = "+" if next(rest, None) is not None else None
        if word is None or not _DATE.fullmatch(word):
            return Effect(UNKNOWN if word is None else WRITE, False, "date may set the clock")
    return READS_ONLY


def _tee(_: str, words: Words) -> Effect:
    options, operands, loose, doubtful = sorted_out(words)
    files = [word for word in operands if word not in QUIET]
    if not files:
        return READS_ONLY
    appends = not (loose or doubtful) and holds(options, "-a --append")
    return Effect(WRITE, not appends, "tee appends to a file" if appends else "tee overwrites a file")


_ONE = each("-n -z -f -d -e -r -w -x -s -L -h -p -S -b -c -t -u -g -k -O -G -N")
_TWO = each("= == != < > -eq -ne -lt -le -gt -ge -nt -ot -ef")


def _test(name: str, words: Words) -> Effect:
    """A comparison; `-v` evaluates its operand, so a word that is not fixed may only stand where it can be no operator."""
    inside = words[:-1] if name == "[" else words
    inside = inside[1:] if inside[:1] == ("!",) else inside
    fixed = not any(word is None or "…" in word or HOLE in word for word in inside)
    placed = len(inside) < 2 or len(inside) == 2 and inside[0] in _ONE or len(inside) == 3 and inside[1] in _TWO
    safe = None not in inside and not {"-v", "-R"} & {*inside} and (fixed or placed)
    return READS_ONLY if safe else Effect(UNKNOWN, False, f"runs {name} with -v or with words that are not fixed")


def _kill(_: str, words: Words) -> Effect:
    """Ends processes; `-0` only looks whether they are there, as long as no other signal can follow."""
    shows = words[:1] in (("-l",), ("-L",)) or words[:1] == ("-0",) and len(words) > 1
    named = all(word is not None and re.fullmatch(r"%?[0-9A-Za-z]+|…", word) for word in words[1:])
    return READS_ONLY if shows and named else Effect(WRITE, True, "kill ends processes")


def _printf(_: str, words: Words) -> Effect:
    """Prints; `-v` and `%n` set a variable."""
    words = words[1:] if words[:1] == ("--",) else words
    first = words[0] if words else ""
    counts = first is not None and re.search(r"%[^%a-zA-Z]*[hlLjtzq]*n", first) is not None
    sets = counts or first is None or SEVERAL in first or HOLE in first or first.startswith("-v")
    return Effect(UNKNOWN, False, "printf may set a variable") if sets or "…" in (first or "") and words[1:] else READS_ONLY


_ONLY_SHOWN = marked("-c -d -k -q -v -t -l -T? --stdout --to-stdout --decompress --uncompress --keep --quiet --verbose --test --list")


def _packed(name: str, words: Words) -> Effect:
    """`gzip` and its like replace files; to the standard output they only read, and so do a test or a list with no other action."""
    given = sorted_out(words)
    names = [spelled(option, _ONLY_SHOWN) for option in given.options]
    shown = {name for listed in names for name in listed}
    checks = shown & each("-t --test -l --list") and not shown & each("-d --decompress --uncompress")
    if all(names) and not given.loose and (checks or shown & each("-c --stdout --to-stdout")):
        return READS_ONLY
    destroys = given.loose or holds(given.options, "-f --force --rm -o")
    return Effect(WRITE, destroys, why(WRITE, name, destroys))


def _reads_line(_: str, words: Words) -> Effect:
    """`read` into variables of the shell's own."""
    rest = iter(words)
    for word in rest:
        if word is not None and re.fullmatch(r"-[rs]*[dnNpt]", word):
            next(rest, None)
        elif word is None or not (re.fullmatch(r"-[rs]+", word) or mere(word)):
            return Effect(UNKNOWN, False, "sets variables that are not the shell's own")
    return READS_ONLY


def _reads_lines(_: str, words: Words) -> Effect:
    """`mapfile` into a list of the shell's own; `-C` names a command, and a number that is none would be evaluated."""
    rest, names = iter(words), 0
    for word in rest:
        if word is not None and re.fullmatch(r"-t?[nsOu]", word):
            if not re.fullmatch(r"[0-9]+", next(rest, None) or ""):
                return Effect(UNKNOWN, False, "reads lines with a number that is not fixed")
        elif word == "-d":
            next(rest, None)
        elif word is None or not (word == "-t" or mere(word)):
            return Effect(UNKNOWN, False, "sets variables that are not the shell's own")
        else:
            names += word != "-t"
    return READS_ONLY if names == 1 else Effect(UNKNOWN, False, "sets a list that is not named")


def _local(_: str, words: Words) -> Effect:
    plain = all(word is not None and mere(word.partition("=")[0]) for word in words)
    return READS_ONLY if plain else Effect(UNKNOWN, False, "sets variables that are not the shell's own")


_TELLS = re.compile(r"\s*(?:select|with|explain|values)\b.*", re.IGNORECASE | re.DOTALL)
_PRAGMA = re.compile(
    r"\s*pragma\s+(?:table_x?info|table_list|index_x?info|index_list|foreign_key_list|integrity_check|quick_check|user_version|database_list"
    r"|page_count|page_size|schema_version|compile_options)(?:\(['\"\w]+\))?\s*;?\s*",
    re.IGNORECASE,
)
_ACTS = re.compile(
    r"writefile|load_extension|\bedit\b|fts3_tokenizer|^\s*\.|\b(?:insert|update|delete|replace|attach|detach|vacuum|drop|alter|create|reindex"
    r"|begin|commit|pragma|analyze)\b",
    re.IGNORECASE | re.MULTILINE,
)
_SHOWN = re.compile(r"\.(?:tables|schema|indexes|indices|databases|fullschema|dbinfo)(?:\s+[\w%]+)?\s*")
"""What `sqlite3` is asked: a query that only reads, what in it could act all the same, and the commands of its own that only show."""
_SQLITE = marked("-readonly -header -noheader -csv -json -column -line -list -table -box -markdown -html -separator: -nullvalue: -batch")


def _sqlite(name: str, words: Words) -> Effect:
    """`sqlite3`: a read where the file is opened read-only and nothing but queries is asked; else it may create the file."""
    options = [word for word in words if word is None or word.startswith("-")]
    operands = [word for word in _long(words, _SQLITE) if word is None or not word.startswith("-")]
    queries = operands[1:]
    several = any(SEVERAL in word for word in words if word is not None)
    unlisted = several or any(word is None or word not in _SQLITE for word in options)
    fixed = [word for word in queries if word is not None and HOLE not in word and "…" not in word]
    tells = [_SHOWN.fullmatch(word) or _PRAGMA.fullmatch(word) or _TELLS.fullmatch(word) and not _ACTS.search(word) for word in fixed]
    if unlisted or not queries or len(fixed) < len(queries) or not all(tells) or None in operands:
        return Effect(UNKNOWN, any(ERASING.search(word or "") for word in words), f"runs {name} with more than plain queries")
    return READS_ONLY if "-readonly" in _long(words, _SQLITE) else Effect(WRITE, False, f"{name} may create the file")


def _long(words: Words, known: Mapping[str, str]) -> Iterator[str | None]:
    """The words without the values of the options, which are single words with one hyphen."""
    rest = iter(words)
    for word in rest:
        yield word
        if word is not None and known.get(word) == ":":
            next(rest, None)


_FILM = marked(
    "-y -n -i: -c: -c:v: -c:a: -codec: -codec:v: -codec:a: -vn -an -sn -dn -ss: -t: -to: -r: -b:v: -b:a: -crf: -preset: -ar: -ac: -f: "
    "-v: -loglevel: -hide_banner -nostdin -nostats -q:a: -q:v: -map: -s: -aspect: -shortest -movflags: -pix_fmt: -frames:v: -vframes: "
    "-threads: -g: -profile:v: -level: -stream_loop:"
)


def _film(name: str, words: Words) -> Effect:
    """`ffmpeg` writes over its output; addresses reach another system, filters and formats of its own may do more."""
    if any(word is not None and re.match(r"[a-z][a-z0-9+]+:", word) for word in words):
        return Effect(EXTERNAL, True, why(EXTERNAL, name))
    plain = [word for word in _long(words, _FILM) if word is None or word.startswith("-") and word not in _FILM]
    odd = any(word is None or ":" in word or HOLE in word for word in _long(words, _FILM) if word not in _FILM)
    if plain or odd or {"tee", "lavfi"} & {*words}:
        return Effect(UNKNOWN, True, f"runs {name} with options or files that are not plain")
    return Effect(WRITE, True, why(WRITE, name, True))


_PAGES = marked("-layout -raw -nopgbrk -f: -l: -enc: -q -r: -x: -y: -W: -H: -table -simple -bbox -htmlmeta")


def _pages(name: str, words: Words) -> Effect:
    """`pdftotext` writes over a file next to the document, unless its second operand is `-`."""
    kept = [*_long(words, _PAGES)]
    operands = [word for word in kept if word is None or word == "-" or not word.startswith("-")]
    listed = all(word in _PAGES for word in kept if word is not None and word.startswith("-") and word != "-")
    shown = len(operands) == 2 and operands[1] == "-" and operands[0] is not None and listed
    return READS_ONLY if shown else Effect(WRITE, True, why(WRITE, name, True))


def _limits(_: str, words: Words) -> Effect:
    """`ulimit` shows limits; a number, also one joined to its letter, sets one for all that follows."""
    if None in words:
        return Effect(UNKNOWN, False, "runs ulimit with words that are not fixed")
    shows = all(re.fullmatch(r"-[A-Za-z]+", word or "") for word in words)
    return READS_ONLY if shows else Effect(WRITE, False, why(WRITE, "ulimit"))


def _set_options(_: str, words: Words) -> Effect:
    plain = all(word is not None and re.fullmatch(r"-[eux]*o?|pipefail", word) for word in words)
    return READS_ONLY if words and plain else Effect(UNKNOWN, False, "changes the shell")


CLOSER: Mapping[str, Callable[[str, Words], Effect]] = {
    **dict.fromkeys(each("awk gawk mawk"), _awk),
    **dict.fromkeys(each("bunzip2 bzip2 gunzip gzip unxz unzstd xz zstd"), _packed),
    **dict.fromkeys(each("gsed sed"), _sed),
    **dict.fromkeys(each("[ test"), _test),
    "date": _date,
    "dd": _dd,
    "ffmpeg": _film,
    "kill": _kill,
    "local": _local,
    "pdftotext": _pages,
    "printf": _printf,
    "read": _reads_line,
    **dict.fromkeys(each("mapfile readarray"), _reads_lines),
    "rsync": _rsync,
    "set": _set_options,
    "sqlite3": _sqlite,
    "tar": _tar,
    "tee": _tee,
    "ulimit": _limits,
}
"""The programs that are looked at closer, and what looks at them."""
