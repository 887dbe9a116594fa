"""Tells what a call may do to the world, from its text alone; what is not understood is unknown, and it never runs or looks up anything.

The classes are those of A23. A compound command has the strongest class of its parts: external, then unknown, then write, then read. A
program is judged only by its name, sub-command and options, as the tables of programs.py say; whatever is not listed there is unknown,
and so are a program with a path of its own and an argument that is not fixed where an option would change the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from . import expansions, shell
from .expansions import READS_ONLY, mere
from .model import PREFIX, SHELL_TOOLS, Call, Class, Effect, Json, OpaqueCommand, canonical
from .programs import (
    BARE,
    BEFORE,
    DEAF,
    DELETING,
    ERASING,
    EXTERNAL,
    FIND,
    FOLDERS,
    HELPS,
    NAMES_COMMIT,
    OUTPUTS,
    PAGERS,
    PROGRAMS,
    QUIET,
    READ,
    RSYNC,
    SAME,
    SETTINGS,
    STILL,
    STRATEGIES,
    SUBCOMMANDS,
    TELLING,
    TOOLS,
    UNKNOWN,
    VERSIONS,
    WRAPPERS,
    WRITE,
    Row,
    Table,
    Wrapper,
    each,
)

STRENGTH = (READ, WRITE, UNKNOWN, EXTERNAL)
Words = tuple[str | None, ...]
"""Arguments as the program receives them; None for one that depends on a variable, another command or the files that are there."""


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
    return call.tool.startswith(PREFIX) or OURS.search(canonical(dict(call.arguments))) is not None


CONVERSATIONAL = frozenset({"clarify"})
"""Tools that wait for a person; they break a run and are never a step (K37, A4)."""
BOOKKEEPING = frozenset({"todo_list", "memory", "session_search", "tool_search", "tool_describe", "tool_call"})
"""Tools of the agent's own loop and of its tool search: neither a step nor a break (A4)."""
DELEGATING = frozenset({"delegate_task"})
"""Agent-loop tools that do work of their own; never a step, and what follows depends on them (A4)."""
OURS = re.compile(
    r"\bhermes\b[^|;&\n]{0,200}\bkata\b|/api/plugins/kata\b|plugin-data[\\/]{1,4}kata\b|plugins[\\/]{1,4}kata\b|plugins\.entries\.kata\b"
    r'|"/kata\b',
    re.IGNORECASE,
)
"""What addresses Kata itself (A4)."""


def _by_name(table: Table) -> dict[str, Row]:
    return {name: row for names, row in table for name in names.split()}


_PROGRAMS = _by_name(PROGRAMS)
_SUBCOMMANDS = {program: _by_name(table) for program, table in SUBCOMMANDS.items()}
_KNOWN = {*_PROGRAMS, *_SUBCOMMANDS, *SAME}

# ── Commands ─────────────────────────────────────────────────────────────────────────────────────

PLAIN_ARGUMENTS = frozenset(("command", "timeout", "workdir"))
HOLE = "KATAHOLE"
SEVERAL = "…*"
"""Ends a word that may be several, none of them an option."""


def _shell(code: str, arguments: Mapping[str, Json]) -> Effect:
    more = [key for key, value in arguments.items() if key not in PLAIN_ARGUMENTS and value]
    if more:
        return Effect(UNKNOWN, False, f"runs with {more[0]}")
    try:
        return _scripted(code)
    except RecursionError:
        return Effect(UNKNOWN, False, "a command with too many commands inside each other")


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
    row = _PROGRAMS.get(program or "")
    deaf = program in DEAF or row is not None and row.plain.startswith("*")
    mere = deaf and not TELLING.fullmatch(name)
    return READS_ONLY if name in STILL or pages or splits or mere else Effect(UNKNOWN, False, f"sets {name}")


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
    return _judged(row, _silenced(name, words[1:]), name) if row else Effect(UNKNOWN, False, f"runs {name}, which may do anything")


def _introduces_itself(name: str, word: str | None) -> bool:
    """Whether a program prints its version or its help, and nothing else."""
    return word in VERSIONS.get(name, ()) or word == "--help" and name in _KNOWN or word == "--version" and name in _PROGRAMS


def _name(word: str | None) -> str | None:
    if word is None or HOLE in word:
        return None
    folder, slash, name = word.rpartition("/")
    return (name if folder in FOLDERS else None) if slash else word


def _silenced(name: str, words: Words) -> Words:
    """The arguments without those that save nowhere: `curl -so /dev/null`, `wget -qO-`."""
    short, long = OUTPUTS.get(name, ("", ""))
    kept: list[str | None] = []
    for word in words if short else ():
        last = kept[-1] if kept else ""
        joined = re.fullmatch(rf"(-\w*?){short[1]}(?:-|/dev/null)|{long}=(?:-|/dev/null)", word or "")
        if word in ("-", *QUIET) and last and (last == long or re.fullmatch(rf"-\w*{short[1]}", last)):
            kept[-1] = last[:-1] if last != long and len(last) > 2 else ""
        else:
            kept.append(joined[1] if joined and joined[1] and len(joined[1]) > 1 else "" if joined else word)
    return tuple(word for word in kept if word != "") if short else words


def _judged(row: Row, words: Words, what: str) -> Effect:
    """What a row says of a program with these arguments."""
    known = _known(f"{row.plain} {row.reads}{' -' if row.long else ''}")
    given = _sorted_out(words, known)
    if given.loose and (row.asks or row.kind is READ and not row.plain.startswith("*")):
        return Effect(UNKNOWN, False, f"runs {what} with a value that may be an option")
    unlisted = [option for option in given.options if option.split("=", 1)[0] not in known]
    if _holds(unlisted, row.asks):
        return Effect(UNKNOWN, row.destructive, f"runs {what} with options that may start other programs")
    odd = _odd(row, given, words)
    if odd:
        return Effect(UNKNOWN, row.destructive, f"runs {what} with {odd}")
    if row.kind in (EXTERNAL, UNKNOWN) and row.bare is None:
        if row.reads and (shown := _harmless(row, given, known, what)) is not None:
            return shown
        harms = row.destructive or given.loose and bool(row.destroys) or _holds(_trimmed(unlisted, known), row.destroys)
        return Effect(row.kind, harms or row.kind is EXTERNAL and _deletes((*what.split()[1:], *words)), _why(row.kind, what))
    destroys = _holds(unlisted, row.destroys) or given.loose and bool(row.destroys)
    over = row.most is not None and len(given.operands) > row.most
    if destroys or over or _holds(unlisted, row.writes):
        harms = destroys or over and row.destructive
        return Effect(WRITE, harms, _why(WRITE, what, harms))
    return _harmless(row, given, known, what) or _otherwise(row, given, what)


def _odd(row: Row, given: Given, words: Words) -> str:
    """What among the words sets something or is not a file, for a program that takes such words; "" when nothing is."""
    if row.sets and any(word is None or "=" in word or HOLE in word or "…" in word for word in words):
        return "a word that may set something"
    if row.urls and any(word is None or _ELSEWHERE.match(word) for word in given.operands):
        return "an address or a program for a file"
    return ""


_ELSEWHERE = re.compile(r"[|@^…]|[\w+.-]*(?::|…|KATAHOLE)")
"""What some programs take for an address or a program instead of a file, or what could turn out to be one."""


def _trimmed(options: Sequence[str], known: Mapping[str, str]) -> list[str]:
    """The options without values joined to them: `-X` for `-XPOST`."""
    trimmed = []
    for option in options:
        ends = [at for at in range(1, len(option)) if known.get(f"-{option[at]}") == ":"]
        trimmed.append(option[: ends[0] + 1] if ends and not option.startswith("--") else option)
    return trimmed


def _deletes(words: Words) -> bool:
    """Whether a word tells a program with sub-commands, or a server, to delete."""
    plain = [re.sub(r"^(?:-X|--request=|--method=)", "", word).lower() for word in words if word is not None]
    return any(word in DELETING or word.partition("-")[0] in DELETING or ERASING.search(word) for word in plain)


def _harmless(row: Row, given: Given, known: Mapping[str, str], what: str) -> Effect | None:
    """What a row says where nothing is done that it lists as harmful: a read, unknown for a read that is not plain; else None."""
    names = [_listed(option, known) for option in given.options]
    starred = row.plain.startswith("*")
    plain = row.plain == "*" or all(names) and not given.doubtful or starred and given.doubtful
    if plain and not given.loose and _shows(row, given, known):
        return READS_ONLY
    if (row.bare if row.bare is not None and not given.operands else row.kind) is not READ:
        return None
    if not plain:
        return Effect(UNKNOWN, False, f"runs {what} with options that are not known to be harmless")
    if row.most is not None and any(word is None or SEVERAL in word for word in given.operands):
        return Effect(UNKNOWN, False, f"runs {what} with any number of files, and may write to one")
    return READS_ONLY


def _shows(row: Row, given: Given, known: Mapping[str, str]) -> bool:
    """Whether an option is there with which a program only shows; one that takes no value is taken back by `=false`."""
    spelled = [option for option in given.options if "=" not in option or known.get(option.split("=", 1)[0])]
    return bool({name.rstrip(":?") for name in each(row.reads)} & {name for option in spelled for name in _listed(option, known)})


def _otherwise(row: Row, given: Given, what: str) -> Effect:
    kind = row.bare if row.bare is not None and not given.operands else row.kind
    harms = row.destructive and not _spared(given, row.spares, row.plain)
    return Effect(kind, harms, _why(kind, what, harms))


def _spared(given: Given, spares: str, plain: str) -> bool:
    """Whether one of the sparing options is there and nothing that could undo it: the last of `-n`, `-f` and `-i` wins."""
    names = [_listed(option, _known(plain)) for option in given.options]
    certain = all(names) and not given.loose and not given.doubtful
    return certain and bool(each(spares) & {name for listed in names for name in listed})


def _why(kind: Class, what: str, destroys: bool = False) -> str:
    if kind is EXTERNAL:
        return f"{what} uses the network or another system"
    if kind is UNKNOWN:
        return f"runs {what}, which may do anything"
    return f"{what} deletes or overwrites" if destroys else f"{what} changes files or settings here"


class Given(NamedTuple):
    """Options and operands of an argument list."""

    options: list[str]
    operands: list[str | None]
    loose: bool
    """Whether an argument that is not fixed could be an option."""
    doubtful: bool
    """Whether one of the options may be no option, but the value of the one before it."""


def _sorted_out(words: Words, known: Mapping[str, str] = MappingProxyType({})) -> Given:
    """The arguments, told apart by the options that are known to take a value."""
    options: list[str] = []
    operands: list[str | None] = []
    rest = iter(words)
    loose = doubtful = False
    pluses = any(name.startswith("+") for name in known)
    for at, word in enumerate(rest):
        if word == "--":
            tail = [*rest]
            operands.extend(tail)
            if at and _may_take(words[-len(tail) - 2], known):
                options.extend(word for word in tail if word is not None and re.match(r"-[^0-9]", word))
                doubtful = True
        elif word is None or word.startswith("-") and HOLE in word.split("=", 1)[0]:
            loose = True
            operands.append(word)
        elif word.startswith("-") and word != "-" or word.startswith("+") and pluses:
            options.append(word)
            value = next(rest, "") if _awaits(word, known) else ""
            loose = loose or value is None
            if value is not None and re.match(r"-[^0-9]", value):
                options.append(value)
                doubtful = True
        else:
            operands.append(word)
    return Given(options, operands, loose, doubtful)


def _may_take(word: str | None, known: Mapping[str, str]) -> bool:
    """Whether the word may be an option that takes the next one, `--` too, for its value."""
    return word is not None and re.fullmatch(r"-[^=]+", word) is not None and not _listed(word, known)


@lru_cache(maxsize=512)
def _known(listed: str) -> Mapping[str, str]:
    """The options of a list, each with its mark: `:`, `?` or nothing."""
    return MappingProxyType({name.rstrip(":?"): name[-1] if name[-1] in ":?" else "" for name in listed.split()})


def _listed(option: str, known: Mapping[str, str]) -> tuple[str, ...]:
    """The known options in a word, letters that are joined one by one; nothing when any of them is not known in just that spelling."""
    head = option.split("=", 1)[0]
    if head in known or "-" in known:
        return (head,) if head in known else ()
    names: list[str] = []
    for letter in option[1:]:
        if letter in "0123456789":
            names.append("-0")
        elif f"-{letter}" not in known:
            return ()
        else:
            names.append(f"-{letter}")
            if known[names[-1]]:
                break
    return tuple(names)


def _awaits(option: str, known: Mapping[str, str]) -> bool:
    """Whether the next word is the value of this option."""
    if option in known or option.startswith("--"):
        return known.get(option) == ":"
    names = _listed(option, known)
    return bool(names) and len(names) == len(option) - 1 and known.get(names[-1]) == ":"


def _holds(options: Sequence[str], listed: str) -> bool:
    """Whether one of the listed options is there, in any spelling: joined letters, `=value`, a GNU abbreviation."""
    names = listed.split()
    for option in options:
        head = option.split("=", 1)[0]
        if option.startswith("--"):
            if any(name.startswith(head) for name in names):
                return True
        elif any(head == name or name[1] != "-" and name[1:] in option[1:] for name in names):
            return True
    return False


def _subcommand(program: str, words: Words) -> Effect:
    """What a program with sub-commands does, by the first word that is no option, and the second where that one has verbs too."""
    at = _past_globals(program, words)
    if at == len(words) and program in BARE:
        return READS_ONLY
    found = _row(program, words, at)
    if found is None or None in words[:at] or program == "tmux" and any(word is None or word.endswith((";", "…")) for word in words):
        verb = words[at] if at < len(words) else None
        return Effect(UNKNOWN, False, f"runs {program} {verb or ''}".rstrip() + ", which may do anything")
    row, rest, what = found
    if program in HELPS and rest == ("--help",) and what != program:
        return READS_ONLY
    return _git(what.removeprefix("git "), row, rest) if program == "git" else _brought(program, what, _judged(row, rest, what), rest)


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
    if any(word is not None and re.search(r"%G|\(signature", word) for word in words):
        return Effect(UNKNOWN, False, f"runs git {verb} with a format that may start other programs")
    found = _judged(row, words, f"git {verb}")
    if verb == "config" and found.kind is WRITE:
        return Effect(UNKNOWN, False, "changes what git does, which may start other programs")
    found = _brought("git", f"git {verb}", found, words)
    return Effect(found.kind, True, f"git {verb} may discard work") if found.kind is not UNKNOWN and _discards(first, words) else found


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
        given = _sorted_out(words)
        if "--" in words or given.loose:
            return True
        creates = _holds(given.options, "-b --orphan")
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
        name, value = _parted(word or "")
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
    unclear = None in skipped or wrapper.before and not re.fullmatch(wrapper.before, (skipped or ("",))[-1] or "")
    if not inner or unclear or inner[0] is not None and ("=" in inner[0] or inner[0].startswith("-")):
        return Effect(UNKNOWN, False, f"runs {name}, which may do anything")
    if name == "xargs":
        inner = (*(None if mark and word and mark in word else word for word in inner), None)
    if name == "parallel":
        inner = inner[: inner.index(":::")] if ":::" in inner else (*inner, None)
    own = READS_ONLY if wrapper.own is READ else Effect(wrapper.own, False, _why(wrapper.own, name))
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
    if words[:1] == ("-n",) and len(words) > 1 and not any(word is None or word.startswith(("-", "+")) for word in words[1:]):
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
    return Effect(EXTERNAL, there.destructive, _why(EXTERNAL, "ssh"))


def _past_options(wrapper: Wrapper, words: Words) -> tuple[int, str]:
    """How many words are options with their values, and the mark for which `xargs` puts what it reads."""
    plain, valued, joined = each(wrapper.plain), each(wrapper.valued), each(wrapper.joined)
    at, mark = 0, ""
    while at < len(words) and (word := words[at]) is not None:
        name, value = _parted(word)
        if word in valued:
            value = (words[at + 1] if at + 1 < len(words) else "") or ""
            at += 1
        elif word not in plain and word not in joined and (not value or name not in valued | joined):
            break
        mark = (value or "{}") if name in ("-I", "-i", "--replace") else mark
        at += 1
    return at, mark


def _parted(word: str) -> tuple[str, str]:
    """An option and the value joined to it: `--max-args=5`, `-n5`."""
    name, _, value = word.partition("=") if word.startswith("--") else (word[:2], "", word[2:])
    return name, value


def _find(_: str, words: Words) -> Effect:
    """`find` with what its `-exec` runs; a path below the start, which is no option, takes the place of `{}`."""
    inner: list[Effect] = []
    rest: list[str | None] = []
    at = 0
    while at < len(words):
        if words[at] in ("-exec", "-execdir", "-ok", "-okdir"):
            stop = next((index for index in range(at + 1, len(words)) if words[index] in (";", "+")), len(words))
            found = "./…" + (SEVERAL if words[stop : stop + 1] == ("+",) else "")
            command = tuple(word.replace("{}", found) if word is not None else None for word in words[at + 1 : stop])
            inner.append(_program(command) if command else Effect(UNKNOWN, False, "runs find without a command"))
            at = stop
        else:
            rest += [words[at]] if words[at] != "--" else []
        at += 1
    return strongest((_judged(FIND, tuple(rest), "find"), *inner))


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


def _tar(_: str, words: Words) -> Effect:
    """`tar`: lists, creates or extracts; options that name a program and archives on other hosts are not judged."""
    mode = re.fullmatch(r"-?([A-Za-z]+)", words[0] or "") if words else None
    options, operands, loose, _doubtful = _sorted_out(words[1:])
    odd = [option for option in options if not re.fullmatch(r"-[Cv]|--(?:exclude=|strip-components=|directory=|verbose|gzip).*", option)]
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
    given = _sorted_out(words, _known(RSYNC))
    harms = not _spared(given, "--ignore-existing", RSYNC)
    if given.loose or any(map(_remote, given.operands)):
        return Effect(EXTERNAL, harms, "rsync copies to or from another system")
    if _holds(given.options, "-e --rsh --rsync-path --daemon --server --files-from --config --password-file -M --remote-option"):
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
    options, operands, loose, doubtful = _sorted_out(words)
    files = [word for word in operands if word not in QUIET]
    if not files:
        return READS_ONLY
    appends = not (loose or doubtful) and _holds(options, "-a --append")
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
    first = words[0] if words else ""
    sets = first is None or HOLE in first or first.startswith("-v") or re.search(r"%[^%a-zA-Z]*[hlLjtzq]*n", first) is not None
    return Effect(UNKNOWN, False, "printf may set a variable") if sets or "…" in (first or "") and words[1:] else READS_ONLY


_ONLY_SHOWN = _known("-c -d -k -q -v -t -l -T? --stdout --to-stdout --decompress --uncompress --keep --quiet --verbose --test --list")


def _packed(name: str, words: Words) -> Effect:
    """`gzip` and its like replace files; to the standard output they only read, and so do a test or a list with no other action."""
    given = _sorted_out(words)
    names = [_listed(option, _ONLY_SHOWN) for option in given.options]
    shown = {name for listed in names for name in listed}
    checks = shown & each("-t --test -l --list") and not shown & each("-d --decompress --uncompress")
    if all(names) and not given.loose and (checks or shown & each("-c --stdout --to-stdout")):
        return READS_ONLY
    destroys = given.loose or _holds(given.options, "-f --force --rm -o")
    return Effect(WRITE, destroys, _why(WRITE, name, destroys))


def _reads_line(_: str, words: Words) -> Effect:
    """`read` into variables of the shell's own."""
    rest = iter(words)
    for word in rest:
        if word is not None and re.fullmatch(r"-[rs]*[dnNpt]", word):
            next(rest, None)
        elif word is None or not (re.fullmatch(r"-[rs]+", word) or mere(word)):
            return Effect(UNKNOWN, False, "sets variables that are not the shell's own")
    return READS_ONLY


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
    r"writefile|load_extension|\bedit\s*\(|fts3_tokenizer|^\s*\.|\b(?:insert|update|delete|replace|attach|detach|vacuum|drop|alter|create|reindex"
    r"|begin|commit|pragma|analyze)\b",
    re.IGNORECASE | re.MULTILINE,
)
_SHOWN = re.compile(r"\.(?:tables|schema|indexes|indices|databases|fullschema|dbinfo)(?:\s+[\w%]+)?\s*")
"""What `sqlite3` is asked: a query that only reads, what in it could act all the same, and the commands of its own that only show."""
_SQLITE = _known("-readonly -header -noheader -csv -json -column -line -list -table -box -markdown -html -separator: -nullvalue: -batch")


def _sqlite(name: str, words: Words) -> Effect:
    """`sqlite3`: a read where the file is opened read-only and nothing but queries is asked; else it may create the file."""
    options = [word for word in words if word is None or word.startswith("-")]
    operands = [word for word in _long(words, _SQLITE) if word is None or not word.startswith("-")]
    queries = operands[1:]
    unlisted = any(word is None or word not in _SQLITE for word in options)
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


_FILM = _known(
    "-y -n -i: -c: -c:v: -c:a: -codec: -codec:v: -codec:a: -vn -an -sn -dn -ss: -t: -to: -r: -b:v: -b:a: -crf: -preset: -ar: -ac: -f: "
    "-v: -loglevel: -hide_banner -nostdin -nostats -q:a: -q:v: -map: -s: -aspect: -shortest -movflags: -pix_fmt: -frames:v: -vframes: "
    "-threads: -g: -profile:v: -level: -stream_loop:"
)


def _film(name: str, words: Words) -> Effect:
    """`ffmpeg` writes over its output; addresses reach another system, filters and formats of its own may do more."""
    if any(word is not None and re.match(r"[a-z][a-z0-9+]+:", word) for word in words):
        return Effect(EXTERNAL, True, _why(EXTERNAL, name))
    plain = [word for word in _long(words, _FILM) if word is None or word.startswith("-") and word not in _FILM]
    odd = any(word is None or ":" in word or HOLE in word for word in _long(words, _FILM) if word not in _FILM)
    if plain or odd or {"tee", "lavfi"} & {*words}:
        return Effect(UNKNOWN, True, f"runs {name} with options or files that are not plain")
    return Effect(WRITE, True, _why(WRITE, name, True))


_PAGES = _known("-layout -raw -nopgbrk -f: -l: -enc: -q -r: -x: -y: -W: -H: -table -simple -bbox -htmlmeta")


def _pages(name: str, words: Words) -> Effect:
    """`pdftotext` writes over a file next to the document, unless its second operand is `-`."""
    kept = [*_long(words, _PAGES)]
    operands = [word for word in kept if word is None or word == "-" or not word.startswith("-")]
    listed = all(word in _PAGES for word in kept if word is not None and word.startswith("-") and word != "-")
    shown = len(operands) == 2 and operands[1] == "-" and operands[0] is not None and listed
    return READS_ONLY if shown else Effect(WRITE, True, _why(WRITE, name, True))


def _set_options(_: str, words: Words) -> Effect:
    plain = all(word is not None and re.fullmatch(r"-[eux]*o?|pipefail", word) for word in words)
    return READS_ONLY if words and plain else Effect(UNKNOWN, False, "changes the shell")


SPECIAL: Mapping[str, Callable[[str, Words], Effect]] = {
    **dict.fromkeys(WRAPPERS, _wrapped),
    **dict.fromkeys(each("gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd"), _packed),
    **dict.fromkeys(each("bash dash sh"), _shells),
    "ffmpeg": _film,
    "find": _find,
    "pdftotext": _pages,
    "sqlite3": _sqlite,
    "ssh": _ssh,
    "watch": _watch,
    "gsed": _sed,
    "sed": _sed,
    "awk": _awk,
    "gawk": _awk,
    "mawk": _awk,
    "tar": _tar,
    "dd": _dd,
    "rsync": _rsync,
    "date": _date,
    "tee": _tee,
    "kill": _kill,
    "test": _test,
    "[": _test,
    "printf": _printf,
    "set": _set_options,
    "read": _reads_line,
    "local": _local,
}
