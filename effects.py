"""Tells what a call may do to the world, from its text alone; what is not understood is unknown, and it never runs or looks up anything.

The classes are those of A23. A compound command has the strongest class of its parts: external, then unknown, then write, then read. A
program is judged only by its name, sub-command and options, as the tables of programs.py say; whatever is not listed there is unknown,
and so are a program with a path of its own and an argument that is not fixed where an option would change the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache

from . import expansions, shell
from .closer import CLOSER
from .expansions import READS_ONLY, mere
from .model import PREFIX, SHELL_TOOLS, Call, Class, Effect, Json, OpaqueCommand, canonical
from .options import HOLE, SEVERAL, Words, holds, judged, parted, silenced, sorted_out, why
from .programs import (
    BARE,
    BEFORE,
    DEAF,
    FIND,
    FOLDERS,
    HELPS,
    NAMES_COMMIT,
    PAGERS,
    PROGRAMS,
    QUIET,
    SAME,
    SETTINGS,
    STILL,
    STRATEGIES,
    SUBCOMMANDS,
    TOOLS,
    VERSIONS,
    WRAPPERS,
    Wrapper,
)
from .table import EXTERNAL, READ, UNKNOWN, WRITE, Row, Table, each

STRENGTH = (READ, WRITE, UNKNOWN, EXTERNAL)


def effect(tool: str, arguments: Mapping[str, Json], hinted: bool = False) -> Effect:
    """The effect of a call with these arguments; for a template, neutral words `KATAHOLE_n` stand in its holes. `hinted` is whether the
    host was told that a tool only reads; it counts for a tool that is neither a shell nor built in."""
    code = arguments.get(SHELL_TOOLS.get(tool, ""))
    if isinstance(code, str):
        return _shell(code, arguments)
    if tool in TOOLS:
        return READS_ONLY if TOOLS[tool] is READ else Effect(TOOLS[tool], False, _told(tool, TOOLS[tool]))
    if hinted:
        return Effect(READ, False, "only reads, as its server says")
    return Effect(EXTERNAL, False, "acts through an MCP server" if tool.startswith("mcp__") else f"{tool} is not a tool we know")


def _told(tool: str, kind: Class) -> str:
    if tool in ("write_file", "patch"):
        return "writes a file"
    return {WRITE: f"{tool} changes something here", EXTERNAL: f"{tool} acts elsewhere"}.get(kind, f"{tool} may do anything")


def addresses_kata(call: Call) -> bool:
    """Whether a call uses or touches Kata itself: its tools, commands, API, files or settings. Such calls are never learnt from and
    never part of a routine (A4)."""
    return call.tool.startswith(PREFIX) or names_kata(canonical(dict(call.arguments)))


def names_kata(text: str) -> bool:
    """Whether a text uses or touches Kata itself, also where quotes or backslashes stand inside of its names."""
    low = text.lower()
    if "kata" not in low and "hermes" not in low:
        return False
    return OURS.search(low) is not None or OURS.search(_QUOTES.sub("", low)) is not None


CONVERSATIONAL = frozenset({"clarify"})
"""Tools that wait for a person; they break a run and are never a step (K37, A4)."""
BOOKKEEPING = frozenset({"todo_list", "memory", "session_search", "tool_search", "tool_describe", "tool_call"})
"""Tools of the agent's own loop and of its tool search: neither a step nor a break (A4)."""
DELEGATING = frozenset({"delegate_task"})
"""Agent-loop tools that do work of their own; never a step, and what follows depends on them (A4)."""
OURS = re.compile(
    r"\bhermes(?:_cli[\w.]*)?\b[^|;&\n]{0,200}\bkata\b|/api/plugins/kata\b|plugin-data[\\/.]{1,9}kata\b|plugins[\\/.]{1,9}kata\b"
    r'|plugins\.entries\.kata\b|"/kata\b'
    r"|(?:plugin-data|\.hermes[\\/]{1,4}plugins)\b.{0,200}\bkata[\\/]|\bkata[\\/].{0,200}(?:plugin-data|\.hermes[\\/]{1,4}plugins)\b"
)
"""What addresses Kata itself (A4), in small letters: its command, its interface, its folders by one path or gone into first."""
_QUOTES = re.compile(r"[\"'\\]")


def _by_name(table: Table) -> dict[str, Row]:
    return {name: row for names, row in table for name in names.split()}


_PROGRAMS = _by_name(PROGRAMS)
_SUBCOMMANDS = {program: _by_name(table) for program, table in SUBCOMMANDS.items()}
_KNOWN = {*_PROGRAMS, *_SUBCOMMANDS, *SAME}

# ── Commands ─────────────────────────────────────────────────────────────────────────────────────

PLAIN_ARGUMENTS = frozenset(("command", "timeout", "workdir"))


def _shell(code: str, arguments: Mapping[str, Json]) -> Effect:
    more = [key for key, value in arguments.items() if key not in PLAIN_ARGUMENTS and value]
    if more:
        return Effect(UNKNOWN, False, f"runs with {more[0]}")
    try:
        return _scripted(code)
    except RecursionError:
        return Effect(UNKNOWN, False, "a command with too many commands inside each other")


@lru_cache(maxsize=2048)
def _scripted(code: str) -> Effect:
    try:
        script = shell.parse(code)
    except OpaqueCommand as error:
        return Effect(UNKNOWN, False, f"a command we cannot read: {error.message[:80].lower()}")
    return strongest([*_parts(script)])


def strongest(parts: Sequence[Effect]) -> Effect:
    """The strongest class, destructive when any part is; the words are those of the parts that decide."""
    top = max(parts, key=lambda part: STRENGTH.index(part.kind)).kind
    telling = dict.fromkeys(part.why for part in parts if part.kind is top or part.destructive)
    return Effect(top, any(part.destructive for part in parts), ", ".join([*telling][:3]))


def _parts(script: shell.Script) -> Iterator[Effect]:
    """The effects of every command at any depth, whether it will run or not, and of bash itself."""
    yield from expansions.own(script)
    functions: set[str] = set()
    before = ";"
    for pipeline, operator in zip(script.pipelines, script.operators, strict=True):
        for node in shell.Script("", (pipeline,), ("",)).nodes():
            yield from map(_redirect, node.redirects)
            yield _called(node, functions) if isinstance(node, shell.Simple) else _defined(node)
        only = pipeline.commands[0]
        if isinstance(only, shell.Compound) and only.kind == "function" and len(pipeline.commands) == 1 and {before, operator} <= _SURE:
            functions.add(only.name)
        before = operator


_SURE = frozenset((";", "\n", ""))
"""What stands around a definition that is there for all that follows."""


def _called(command: shell.Simple, functions: Collection[str]) -> Effect:
    """The effect of a program; that of a function is that of its body, which is looked at where it stands."""
    program = _name(command.words[0].value) if command.words else ""
    sets = [_assigned(name.rstrip("+"), value.value, program) for name, value in command.assignments]
    if not command.words or command.words[0].value in functions:
        return strongest([READS_ONLY, *sets])
    comparing = command.words[0].value in ("test", "[")
    return strongest([_program(tuple(map(_operand if comparing else _argument, command.words))), *sets])


def _defined(node: shell.Compound) -> Effect:
    """Loops and branches do nothing by themselves; a function may stand in the place of a program."""
    known = node.name in SPECIAL or node.name in _KNOWN or node.name in VERSIONS
    return Effect(UNKNOWN, False, f"gives {node.name} another meaning") if node.kind == "function" and known else READS_ONLY


def _assigned(name: str, value: str | None, program: str | None) -> Effect:
    """What a variable does that is set for a program, or for the shell where the program is "": nothing, where only the script that sets
    it can look at it."""
    pages = name in PAGERS and value in ("", "cat")
    splits = name == "IFS" and program == "read"
    counts = name in expansions.COUNTED and re.fullmatch(r"[0-9]+", value or "") is not None
    row = _PROGRAMS.get(program or "")
    deaf = program in DEAF or row is not None and row.plain.startswith("*")
    kept = deaf and mere(name)
    return READS_ONLY if name in STILL or pages or splits or counts or kept else Effect(UNKNOWN, False, f"sets {name}")


def _redirect(redirect: shell.Redirect) -> Effect:
    target = redirect.target.value
    if [piece.kind for piece in redirect.target.pieces] == ["process"] or redirect.operator == "<<<":
        return READS_ONLY
    if target is None:
        return Effect(UNKNOWN, False, "redirects to a place that is not fixed")
    if target.startswith(("/dev/tcp/", "/dev/udp/")):
        return Effect(EXTERNAL, False, "opens a network connection")
    copies = redirect.operator in (">&", "<&") and re.fullmatch(r"[0-9]+-?|-", target)
    if redirect.operator in ("<", "<<", "<<-") or target in QUIET or copies:
        return READS_ONLY
    truncates = redirect.operator not in (">>", "&>>", "<>")
    return Effect(WRITE, truncates, "overwrites a file" if truncates else "appends to a file")


def _argument(word: shell.Word) -> str | None:
    """The word as the program receives it; None where it could turn out to be an option or, but for a name like `a*`, several words."""
    first = word.pieces[0] if word.pieces else None
    if _braced(word):
        return None
    if any(piece.kind in ("braces", "process") for piece in word.pieces):
        return _several(word)
    if word.value is not None:
        if word.value == "[" or not _globs(word):
            return word.value
        return None if word.value.startswith(("*", "?", "[", "-")) else word.value + SEVERAL
    leads = first is not None and first.kind == "text" and first.value and not first.value.startswith("-")
    quoted = not _globs(word) and all(piece.kind in ("text", "arithmetic") or piece.quote for piece in word.pieces)
    if first is not None and leads and quoted:
        return f"{first.value}…"
    return "…" if all(map(_plain_output, word.pieces)) else None


_ALTERNATIVES = re.compile(r"\{[\w./][\w./*?-]*(?:,[\w./][\w./*?-]*|\.\.[\w./-]+)*\}")


def _several(word: shell.Word) -> str | None:
    """`<(…)`, which is a path, and `a{b,c}`, which is several words; None where one of them could turn out to be an option."""
    if [piece.kind for piece in word.pieces] == ["process"]:
        return "/dev/fd/…"
    plain = all(piece.kind == "text" or piece.kind == "braces" and not piece.parts for piece in word.pieces)
    first = word.pieces[0]
    if first.kind == "braces":
        return SEVERAL if plain and _ALTERNATIVES.fullmatch(first.value) else None
    return first.value + SEVERAL if plain and first.value and not first.value.startswith(("*", "?", "[", "-")) else None


def _operand(word: shell.Word) -> str | None:
    """The word as `test` receives it; None where it could turn out to be more than one."""
    if _braced(word) or word.value != "[" and _globs(word):
        return None
    return word.value if word.fixed else "…" if all(piece.kind == "text" or piece.quote for piece in word.pieces) else None


def _globs(word: shell.Word) -> bool:
    return any(not piece.quote and piece.kind == "text" and re.search(r"[*?\[]", piece.value) for piece in word.pieces)


def _braced(word: shell.Word) -> bool:
    """Whether a brace is left open where nothing quotes it: quoted blanks inside do not keep it from becoming several words."""
    bare = [piece.value for piece in word.pieces if piece.kind == "text" and not piece.quote]
    return any("{" in re.sub(r"\{[\w-]*(?:\.[\w-]+)*\}", "", value) for value in bare)


def _plain_output(piece: shell.Piece) -> bool:
    """Whether a variable or a substitution is one plain word: a number, a commit, a folder (B21)."""
    if piece.kind == "variable":
        return piece.value in ("$!", "$$", "$?", "$#")
    commands = [*piece.inner.commands()] if piece.inner is not None else []
    words = shell.arguments(commands[0]) if len(commands) == 1 else (None,)
    if words in (("pwd",), ("git", "rev-parse", "--show-toplevel")):
        return bool(piece.quote)
    if words[:1] != ("git",) or shell.head(words) not in (("git", "merge-base"), ("git", "rev-parse")):
        return words == ("nproc",)
    return all(word is not None and (not word.startswith("-") or word in NAMES_COMMIT) for word in words)


def _program(words: Words) -> Effect:
    name = _name(words[0])
    if name is None:
        return Effect(UNKNOWN, False, f"runs {words[0]}, which may be any program" if words[0] else "runs a program that is not fixed")
    if len(words) == 2 and _introduces_itself(name, words[1]):
        return READS_ONLY
    special = SPECIAL.get(name)
    if special is not None:
        return special(name, words[1:])
    if SAME.get(name, name) in _SUBCOMMANDS:
        return _subcommand(SAME.get(name, name), words[1:])
    row = _PROGRAMS.get(name)
    return judged(row, silenced(name, words[1:]), name) if row else Effect(UNKNOWN, False, f"runs {name}, which may do anything")


def _introduces_itself(name: str, word: str | None) -> bool:
    """Whether a program prints its version or its help, and nothing else."""
    row = _PROGRAMS.get(name)
    # the others may load what a project brings, or ask the network for a newer version, before they look at their options
    told = row is not None and row.kind not in (UNKNOWN, EXTERNAL)
    return word in VERSIONS.get(name, ()) or word in ("--help", "--version") and told or word == "--help" and name in HELPS


def _name(word: str | None) -> str | None:
    if word is None or HOLE in word:
        return None
    folder, slash, name = word.rpartition("/")
    return (name if folder in FOLDERS else None) if slash else word


def _subcommand(program: str, words: Words) -> Effect:
    """What a program with sub-commands does, by the first word that is no option, and the second where that one has verbs too."""
    at = _past_globals(program, words)
    if at == len(words) and program in BARE:
        return READS_ONLY
    found = _row(program, words, at)
    if found is None or _unclear(words[:at]) or program == "tmux" and _chained(words):
        verb = words[at] if at < len(words) else None
        return Effect(UNKNOWN, False, f"runs {program} {verb or ''}".rstrip() + ", which may do anything")
    row, rest, what = found
    if program == "openssl" and row.kind is READ and _loads(words[at], rest):
        return Effect(UNKNOWN, False, f"runs {what} with an address, or with a program for a file")
    if program in HELPS and rest == ("--help",) and what != program:
        return READS_ONLY
    return _git(what.removeprefix("git "), row, rest) if program == "git" else _brought(program, what, judged(row, rest, what), rest)


def _chained(words: Words) -> bool:
    """Whether a word of `tmux` may end one command of its own, so that the next begins another."""
    return None in words or any(word is not None and (HOLE in word or word.endswith((";", "…"))) for word in words[:-1])


_LOCATION = re.compile(rf"[\w+.-]*(?::|…|{HOLE})")


def _loads(verb: str | None, words: Words) -> bool:
    """Whether `openssl` may load a key or a certificate over the network, or with code of its own, in the place of a file: `http://…`,
    `org.openssl.engine:…`."""
    loads = verb in each("crl ec pkcs7 pkcs12 pkey req rsa verify x509") or verb == "dgst" and "-verify" in words
    return loads and any(word is not None and _LOCATION.match(word) for word in words)



def _unclear(words: Words) -> bool:
    """Whether one of the words is not fixed, or may be several, so that those behind it are others than they look."""
    return any(word is None or SEVERAL in word for word in words)


def _past_globals(program: str, words: Words) -> int:
    """How many words are options before the sub-command that change nothing."""
    plain, valued = BEFORE.get(program, (frozenset(), frozenset()))
    at = 0
    while at < len(words) and (words[at] in plain or words[at] in valued):
        if words[at] == "-c" and program == "git" and not SETTINGS.fullmatch((words[at + 1 : at + 2] or ("",))[0] or ""):
            break
        at += 2 if words[at] in valued else 1
    return at


def _row(program: str, words: Words, at: int) -> tuple[Row, Words, str] | None:
    """The row of the sub-command at a word, the words that it is judged by, and its name; that of `*` for one that is not listed."""
    table = _SUBCOMMANDS[program]
    verb, second = (*words[at : at + 2], "", "")[:2]
    if verb is not None and f"{verb}|{second}" in table:
        return table[f"{verb}|{second}"], words[at + 2 :], f"{program} {verb} {second}"
    unfixed = second is None or HOLE in second
    if verb is not None and verb in table and verb != "*" and not (unfixed and any(key.startswith(f"{verb}|") for key in table)):
        return table[verb], words[at + 1 :], f"{program} {verb}"
    return (table["*"], words, program) if "*" in table else None


def _git(verb: str, row: Row, words: Words) -> Effect:
    """What `git` does; several of its sub-commands do another thing for some operands."""
    first = verb.split()[0]
    if verb == "config" and _introduces(words):
        return Effect(WRITE, False, "git config changes who writes commits")
    sorts = _SORTS_BY_SIGNATURE if first in ("branch", "for-each-ref", "tag") else _SIGNATURE
    if any(word is not None and sorts.search(word) for word in words):
        return Effect(UNKNOWN, False, f"runs git {verb} with a format that may start other programs")
    found = judged(row, words, f"git {verb}")
    if verb == "config" and found.kind is WRITE:
        return Effect(UNKNOWN, False, "changes what git does, which may start other programs")
    found = _brought("git", f"git {verb}", found, words)
    return Effect(found.kind, True, f"git {verb} may discard work") if found.kind is not UNKNOWN and _discards(first, words) else found


_SIGNATURE = re.compile(r"%[-+ ]?G|\(\*?signature")
"""What in a format makes git start `gpg` or what its settings name instead."""
_SORTS_BY_SIGNATURE = re.compile(rf"{_SIGNATURE.pattern}|(?:^|=)[-*]*signature(?::|$)")


def _brought(program: str, what: str, found: Effect, words: Words) -> Effect:
    """The effect of a sub-command, unknown where it writes and a value brings in code."""
    if found.kind is WRITE and _brings(program, what.removeprefix(f"{program} "), words):
        return Effect(UNKNOWN, found.destructive, f"runs {what} with a value that may bring in code")
    return found


_INTRODUCES = re.compile(r"(?:(?:--global|--local|--system|set|--add|--replace-all) )*user\.(?:name|email)")


def _introduces(words: Words) -> bool:
    """Whether `git config` sets a user's name or address, and nothing else: any other key could make git run a program."""
    fixed = [word for word in words[:-1] if word is not None]
    return len(fixed) == len(words) - 1 and _INTRODUCES.fullmatch(" ".join(fixed)) is not None and not (words[-1] or "-").startswith("-")


_PATHLIKE = re.compile(
    r"\.{1,2}|\.{0,2}/.*|:.*|.*/|.*\.[A-Za-z][\w+-]*|.*[*?\[\\].*|[^@{]*\s.*"
    r"|(?:README|LICEN[CS]E|COPYING|CHANGELOG|CHANGES|CONTRIBUTING|NOTICE|AUTHORS|INSTALL|TODO|VERSION|CODEOWNERS|GNUmakefile"
    r"|[A-Z][a-z]+file|[mM]akefile|justfile|WORKSPACE|BUILD)(?:[-.].*)?"
    r"|(?:src|lib|libs|bin|include|pkg|cmd|internal|vendor|node_modules|public|static|assets|templates|scripts|tests|migrations)(?:/.*)?"
    r"|docs?|test|spec|specs|build|dist|out|target|apps?|packages|modules|examples?|config|conf|etc|tools|util|utils|common|data|frontend"
    r"|backend|client|server|components|views|models|controllers|locales|fixtures|resources|styles|images|schemas?|gradlew|mvnw|configure",
    re.DOTALL,
)
"""What is rather a file or a folder than a branch: it has an extension, is the folder itself, says so with a slash, a blank or a
pattern, or has a name that files and folders have everywhere."""


def _discards(verb: str, words: Words) -> bool:
    """`git checkout` of files instead of a branch, `git push` of a forced or an empty source, `git fetch` with force."""
    if verb == "checkout":
        given = sorted_out(words)
        if "--" in words or given.loose:
            return True
        creates = holds(given.options, "-b --orphan")
        return not creates and (len(given.operands) > 1 or any(word is None or _PATHLIKE.fullmatch(word) for word in given.operands))
    forced = {"push": ("+", ":"), "fetch": ("+",), "pull": ("+",)}.get(verb, ())
    return bool(forced) and any(word is not None and word.startswith(forced) for word in words)


def _brings(program: str, verb: str, words: Words) -> bool:
    """Whether a value brings in code: a merge strategy that is a program of its own, a unit of `systemctl` out of any folder."""
    if program == "systemctl" and verb in ("start", "restart", "enable"):
        return any(word is None or "/" in word or "…" in word or HOLE in word and verb == "enable" for word in words)
    if program != "git" or verb not in ("merge", "rebase", "pull", "cherry-pick", "revert"):
        return False
    short = verb in ("merge", "rebase", "pull")
    for word, after in zip(words, (*words[1:], ""), strict=True):
        name, value = parted(word or "")
        if name == "-s" and short or name.startswith("--st") and "--strategy".startswith(name):
            if (value or after) not in STRATEGIES:
                return True
        elif short and re.match(r"-[A-Za-z]+s", word or ""):
            return True
    return False


# ── Programs that need a closer look ─────────────────────────────────────────────────────────────


def _wrapped(name: str, words: Words) -> Effect:
    """The effect of the command inside, and that of the wrapper itself."""
    wrapper = WRAPPERS[name]
    if name == "command" and words[:1] in (("-v",), ("-V",)):
        return READS_ONLY
    at, mark = _past_options(wrapper, words)
    skipped = words[: at + bool(wrapper.before)]
    variables, inner = _variables(words[len(skipped) :]) if name in ("env", "sudo", "doas") else ([], words[len(skipped) :])
    if not inner and name in ("env", "xargs") and not variables:
        return READS_ONLY
    if name == "flock" and inner[:1] == ("-c",) and len(inner) == 2:
        return strongest((_code(inner[1]), Effect(WRITE, False, "flock writes a file")))
    unclear = _unclear(skipped) or wrapper.before and not re.fullmatch(wrapper.before, (skipped or ("",))[-1] or "")
    if not inner or unclear or inner[0] is not None and ("=" in inner[0] or inner[0].startswith("-")):
        return Effect(UNKNOWN, False, f"runs {name}, which may do anything")
    if name == "xargs":
        inner = (*(None if mark and word and mark in word else word for word in inner), None)
    if name == "parallel":
        inner = inner[: inner.index(":::")] if ":::" in inner else (*inner, None)
    own = READS_ONLY if wrapper.own is READ else Effect(wrapper.own, False, why(wrapper.own, name))
    given = (_assigned(variable, value, _name(inner[0])) for variable, value in variables)
    text = name == "parallel" and len(inner) == 1
    return strongest((_code(inner[0]) if text else _program(inner), own, *given)) if inner else own


def _variables(words: Words) -> tuple[list[tuple[str, str]], Words]:
    """The assignments before the command, and the command."""
    found: list[tuple[str, str]] = []
    for word in words:
        name, sign, value = (word or "").partition("=")
        if not sign or not re.fullmatch(r"[A-Za-z_]\w*", name):
            break
        found.append((name, value))
    return found, words[len(found) :]


def _code(text: str | None) -> Effect:
    """The effect of a script that is an argument, where every letter of it is fixed."""
    if text is None or HOLE in text or "…" in text:
        return Effect(UNKNOWN, False, "runs a script that is not fixed")
    return _scripted(text)


def _shells(name: str, words: Words) -> Effect:
    """`bash -c` and the like do what their script does; `-n` only checks files."""
    if words[:1] == ("-n",) and len(words) > 1 and not any(word is None or word.startswith(("-", "+", "…", HOLE)) for word in words[1:]):
        return READS_ONLY
    at = 0
    while at < len(words) and (re.fullmatch(r"-[eluo]*|--norc|--noprofile|--login", words[at] or "") or words[at] == "pipefail"):
        at += 1
    if at < len(words) and re.fullmatch(r"-[elu]*c[elu]*", words[at] or "") and at + 1 < len(words):
        return _code(words[at + 1])
    return Effect(UNKNOWN, False, f"runs {name}, which may do anything")


def _watch(_: str, words: Words) -> Effect:
    """`watch` hands its words, joined, to a shell again and again."""
    at, _mark = _past_options(Wrapper("-d -t -b -e -g -c -w --differences --no-title --color", "-n --interval"), words)
    inner = words[at:]
    if not inner or None in inner or (inner[0] or "-").startswith("-"):
        return Effect(UNKNOWN, False, "runs watch with words that are not fixed or not plain")
    return _joined(inner)


MOST_JOINED = 4096
"""Letters of a joined script: words that join words that join words would take time without end."""


def _joined(words: Words) -> Effect:
    """The effect of words that a shell gets as one text."""
    text = " ".join(word if word is not None else "…" for word in words)
    return _code(text if len(text) <= MOST_JOINED else None)


_FAR = Wrapper("-t -T -q -v -n -N -A -X -C -4 -6 -tt", "-p -i -l -o -F -J -L -R -D -b -c -e -m -O -S -W")


def _ssh(_: str, words: Words) -> Effect:
    """`ssh` acts elsewhere; what it runs there may delete."""
    at, _mark = _past_options(_FAR, words)
    inner = words[at + 1 :]
    there = _joined(inner) if inner else READS_ONLY
    return Effect(EXTERNAL, there.destructive, why(EXTERNAL, "ssh"))


def _past_options(wrapper: Wrapper, words: Words) -> tuple[int, str]:
    """How many words are options with their values, and the mark for which `xargs` puts what it reads."""
    plain, valued, joined = each(wrapper.plain), each(wrapper.valued), each(wrapper.joined)
    at, mark = 0, ""
    while at < len(words) and (word := words[at]) is not None:
        name, value = parted(word)
        if word in valued:
            value = (words[at + 1] if at + 1 < len(words) else "") or ""
            at += 1
        elif word not in plain and word not in joined and (not value or name not in valued | joined):
            break
        mark = (value or "{}") if name in ("-I", "-i", "--replace") else mark
        at += 1
    return at, mark


def _find(_: str, words: Words) -> Effect:
    """`find` with what its `-exec` runs; a path below the start, which is no option, takes the place of `{}`."""
    inner: list[Effect] = []
    rest: list[str | None] = []
    at = 0
    while at < len(words):
        if words[at] in ("-exec", "-execdir", "-ok", "-okdir"):
            stop = next((index for index in range(at + 1, len(words)) if _ends_exec(words, index)), len(words))
            found = "./…" + (SEVERAL if words[stop : stop + 1] == ("+",) else "")
            command = tuple(word.replace("{}", found) if word is not None else None for word in words[at + 1 : stop])
            told = command and None not in command  # such a word may hold the `;` that ends it, and what `find` does next
            inner.append(_program(command) if told else Effect(UNKNOWN, False, "runs find without a fixed command"))
            at = stop
        else:
            rest += [words[at]] if words[at] != "--" else []
        at += 1
    return strongest((judged(FIND, tuple(rest), "find"), *inner))


def _ends_exec(words: Words, at: int) -> bool:
    """Whether a word ends the command of `-exec`: a `+` does only behind `{}`, anywhere else it is one of its arguments."""
    return words[at] == ";" or words[at] == "+" and words[at - 1] == "{}"


SPECIAL: Mapping[str, Callable[[str, Words], Effect]] = {
    **CLOSER,
    **dict.fromkeys(WRAPPERS, _wrapped),
    **dict.fromkeys(each("bash dash sh"), _shells),
    "find": _find,
    "ssh": _ssh,
    "watch": _watch,
}
"""The programs that are not judged by a row alone."""
