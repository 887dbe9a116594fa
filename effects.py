"""Tells what a call may do to the world, from its text alone; what is not understood is unknown, and it never runs or looks up anything.

The classes are those of requirement A23. A compound command has the strongest class of its parts: external, then unknown, then write, then
read. A program is judged only by name, sub-command and options in the tables below; a program named with a path of its own, a value that
is not fixed where an option could stand, and everything not listed is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from . import shell
from .model import PREFIX, SHELL_TOOLS, Call, Class, Effect, Json, OpaqueCommand, canonical

STRENGTH = (Class.READ, Class.WRITE, Class.UNKNOWN, Class.EXTERNAL)


def effect(tool: str, arguments: Mapping[str, Json]) -> Effect:
    """The effect of a call with these arguments; for a template, neutral words stand in its holes."""
    code = arguments.get(SHELL_TOOLS.get(tool, ""))
    if isinstance(code, str):
        return _shell(code, arguments)
    if tool in TOOLS:
        return Effect(TOOLS[tool], False, TOOL_WORDS[TOOLS[tool]])
    if tool.startswith("mcp__"):
        return Effect(Class.EXTERNAL, False, "acts through an MCP server")
    return Effect(Class.UNKNOWN, False, f"{tool} is not a tool we know")


def addresses_kata(call: Call) -> bool:
    """Whether a call uses or touches Kata itself: its tools, commands, API, files or settings. Such calls are never learnt from and
    never part of a routine (A4)."""
    return call.tool.startswith(PREFIX) or OURS.search(canonical(dict(call.arguments))) is not None


OURS = re.compile(
    r"\bhermes\b[^|;&\n]{0,200}\bkata\b|/api/plugins/kata\b|plugin-data[\\/]{1,4}kata\b|plugins[\\/]{1,4}kata\b|plugins\.entries\.kata\b"
    r'|"/kata\b',
    re.IGNORECASE,
)
"""What addresses Kata itself (A4)."""


# ── Tools ────────────────────────────────────────────────────────────────────────────────────────

TOOLS: Mapping[str, Class] = {
    "read_file": Class.READ,
    "search_files": Class.READ,
    "skills_list": Class.READ,
    "skill_view": Class.READ,
    "web_search": Class.READ,
    "web_extract": Class.READ,
    "write_file": Class.WRITE,
    "patch": Class.WRITE,
}
"""Built-in tools whose class their name tells; the host guards files that exist against a blind overwrite (A23)."""
TOOL_WORDS: Mapping[Class, str] = {Class.READ: "only reads", Class.WRITE: "writes a file"}


# ── Commands ─────────────────────────────────────────────────────────────────────────────────────

PLAIN_ARGUMENTS = frozenset(("command", "timeout", "workdir"))


def _shell(code: str, arguments: Mapping[str, Json]) -> Effect:
    more = [key for key, value in arguments.items() if key not in PLAIN_ARGUMENTS and value]
    if more:
        return Effect(Class.UNKNOWN, False, f"runs with {more[0]}")
    try:
        script = shell.parse(code)
    except OpaqueCommand as error:
        return Effect(Class.UNKNOWN, False, f"a command we cannot read: {error.message[:80].lower()}")
    return strongest(list(_parts(script)))


def strongest(parts: list[Effect]) -> Effect:
    """The strongest class, destructive when any part is; the words are those of the part that decides."""
    top = max(parts, key=lambda part: (STRENGTH.index(part.kind), part.destructive))
    return Effect(top.kind, any(part.destructive for part in parts), top.why)


def _parts(script: shell.Script) -> Iterator[Effect]:
    for command in script.commands():
        yield from (_redirect(redirect) for redirect in command.redirects)
        if command.assignments:
            yield Effect(Class.UNKNOWN, False, f"sets {command.assignments[0][0]}")
        if command.words:
            yield _program(shell.arguments(command))


def _redirect(redirect: shell.Redirect) -> Effect:
    target = redirect.target.value
    if target is None:
        return Effect(Class.UNKNOWN, False, "redirects to a place that is not fixed")
    if target.startswith(("/dev/tcp/", "/dev/udp/")):
        return Effect(Class.EXTERNAL, False, "opens a network connection")
    quiet = (
        redirect.operator in ("<", "<<", "<<-", "<&") or target in QUIET or redirect.operator == ">&" and re.fullmatch(r"[0-9]|-", target)
    )
    if quiet:
        return Effect(Class.READ, False, "only reads")
    truncates = redirect.operator not in (">>", "&>>")
    return Effect(Class.WRITE, truncates, "overwrites a file" if truncates else "appends to a file")


QUIET = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr"))


def _program(words: tuple[str | None, ...]) -> Effect:
    head = shell.head(words)
    name, verb = head[0], " ".join(head[1:])
    if not name:
        return Effect(Class.UNKNOWN, False, "runs a program that is not fixed")
    if name in READS:
        bad = READS[name]
        if _keeps_to(words, bad) and _few_operands(name, words):
            return Effect(Class.READ, False, "only reads")
        return Effect(Class.UNKNOWN, False, f"runs {name} with options that may do more than read")
    if name == "sed":
        return _sed(words)
    if name == "git":
        return _git(head, words)
    for table, kind in ((NETWORK, Class.EXTERNAL), (CHANGES, Class.WRITE), (DESTROYS, Class.WRITE)):
        if name in table and (table[name] is None or verb.split(" ")[0] in table[name]):  # type: ignore[operator]  # None was asked first
            return Effect(kind, table is DESTROYS, _why(kind, table is DESTROYS, " ".join(filter(None, (name, verb)))))
    return Effect(Class.UNKNOWN, False, f"runs {name}, which may do anything")


def _why(kind: Class, destroys: bool, name: str) -> str:
    if kind is Class.EXTERNAL:
        return f"{name} uses the network or another system"
    return f"{name} deletes or overwrites" if destroys else f"{name} changes local files"


def _keeps_to(words: tuple[str | None, ...], bad: frozenset[str]) -> bool:
    """Whether none of these options is there, whatever way it is written: joined letters, `=value`, GNU abbreviations."""
    for word in words[1:]:
        if word is None:
            if bad:
                return False
        elif word.startswith("--") and len(word) > 2:
            if any(option.startswith(word.split("=", 1)[0]) for option in bad):
                return False
        elif word.startswith("-") and any(word == option or len(option) == 2 and option[1] in word[1:] for option in bad):
            return False
    return True


def _few_operands(name: str, words: tuple[str | None, ...]) -> bool:
    """Some readers write to their second operand, or set what they would show."""
    return name not in MOST_OPERANDS or sum(word is None or not word.startswith("-") for word in words[1:]) <= MOST_OPERANDS[name]


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NONE: frozenset[str] = frozenset()
READS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(
        _set(
            "ls cat head tail wc grep egrep fgrep pwd whoami id uname echo true false test [ basename dirname realpath readlink stat du df "
            "free uptime ps printenv which cut tr nl tac rev fold paste join comm diff cmp md5sum sha1sum sha256sum od strings column seq "
            "cal nproc lsblk cd jq sleep groups tty arch getconf expr vmstat lscpu"
        ),
        _NONE,
    ),
    "date": _set("-s --set"),
    "file": _set("-C --compile"),
    "find": _set("-exec -execdir -ok -okdir -delete -fprint -fprint0 -fprintf -fls"),
    "hostname": _set("-F --file -b --boot"),
    "journalctl": _set("--vacuum-size --vacuum-time --vacuum-files --rotate --flush --sync --setup-keys --relinquish-var --update-catalog"),
    "printf": _set("-v"),
    "rg": _set("--pre --pre-glob --hostname-bin -z --search-zip"),
    "sort": _set("-o --output --compress-program -T --temporary-directory"),
    "tree": _set("-o"),
    "uniq": _NONE,
}
"""Programs that only read, each with the options that make them do more (B20)."""
MOST_OPERANDS: Mapping[str, int] = {"hostname": 0, "uniq": 1, "cal": 2}

Verbs = frozenset[str] | None
"""Sub-commands; None for every use of the program."""
NETWORK: Mapping[str, Verbs] = {
    **dict.fromkeys(_set("curl wget ssh scp sftp rsync ftp nc ncat telnet ping dig nslookup host gh kubectl helm aws gcloud az"), None),
    "apt": _set("install update upgrade"),
    "apt-get": _set("install update upgrade"),
    "brew": _set("install update upgrade"),
    "cargo": _set("install publish update fetch"),
    "docker": _set("push pull login search"),
    "npm": _set("ci install publish update audit view outdated login"),
    "pip": _set("install download index"),
    "pip3": _set("install download index"),
    "pnpm": _set("install add publish update"),
    "yarn": _set("install add publish upgrade"),
}
CHANGES: Mapping[str, Verbs] = dict.fromkeys(_set("mkdir touch ln chmod chown gzip gunzip"), None)
DESTROYS: Mapping[str, Verbs] = dict.fromkeys(_set("rm rmdir unlink shred truncate dd mv cp tee"), None)
"""`cp`, `mv` and `tee` overwrite without a word what is there."""


def _sed(words: tuple[str | None, ...]) -> Effect:
    """`sed -n 10,20p file` prints lines; every other program of its language may write or run."""
    if len(words) >= 3 and words[1] == "-n" and re.fullmatch(r"(\d+|\$)(,(\d+|\$))?p", words[2] or "") and _plain(words[3:]):
        return Effect(Class.READ, False, "only reads")
    return Effect(Class.UNKNOWN, False, "runs a sed program")


def _plain(words: tuple[str | None, ...]) -> bool:
    return all(word is not None and not word.startswith("-") for word in words)


# ── git ──────────────────────────────────────────────────────────────────────────────────────────

GIT_SAFE_BEFORE = frozenset(("-C", "--no-pager", "-P"))
GIT_WRITES_OR_RUNS = _set("--output -o -O --open-files-in-pager --ext-diff --textconv --filters --exec --upload-pack")
GIT_READS = _set(
    "status log diff show rev-parse ls-files describe blame shortlog grep merge-base rev-list name-rev ls-tree for-each-ref show-ref "
    "count-objects whatchanged cherry version"
)
GIT_READS_DEEP = frozenset(("stash list", "stash show", "remote get-url", "worktree list", "bisect log", "reflog show", "notes show"))
GIT_NETWORK = _set("push pull fetch clone ls-remote submodule lfs")
GIT_CHANGES = _set(
    "add commit switch merge rebase cherry-pick init revert stash bisect tag branch worktree apply am restore checkout mv notes"
)
GIT_DESTROYS = _set("clean rm reset gc prune filter-branch update-ref")
GIT_FORCE = _set("-f --force --force-with-lease -D -d --delete --hard --discard-changes drop clear prune remove --mirror")
GIT_LISTS: Mapping[str, frozenset[str]] = {
    "branch": _set("-a -r -v -vv --all --remotes --verbose --list -l --show-current --contains --no-contains --merged --no-merged"),
    "tag": _set("-l --list -n --contains --points-at --sort"),
    "remote": _set("-v --verbose"),
    "config": _set("-l --list --get --get-all --get-regexp"),
}
"""Options with which these sub-commands only list (B35); `git branch x` without one makes a branch."""


def _git(head: tuple[str, ...], words: tuple[str | None, ...]) -> Effect:
    verb, deep = (head[1] if len(head) > 1 else ""), " ".join(head[1:3])
    at = words.index(verb) if verb in words else len(words)
    before, rest = words[1:at], words[at + 1 :]
    if any(word is None or word.startswith("-") and word not in GIT_SAFE_BEFORE for word in before) or not verb:
        return Effect(Class.UNKNOWN, False, "runs git with options that may run other programs")
    if verb in GIT_NETWORK or deep in ("remote show", "remote update", "remote prune"):
        return Effect(Class.EXTERNAL, _forces(rest), f"git {verb} talks to another system")
    if _git_reads(verb, deep, rest):
        return Effect(Class.READ, False, "only reads")
    if verb in GIT_CHANGES | GIT_DESTROYS:
        destroys = verb in GIT_DESTROYS or _forces(rest) or verb in ("checkout", "restore") and ("--" in rest or "." in rest)
        return Effect(Class.WRITE, destroys, f"git {verb} " + ("may discard work" if destroys else "changes the repository"))
    return Effect(Class.UNKNOWN, False, f"git {verb} may do anything")


def _git_reads(verb: str, deep: str, rest: tuple[str | None, ...]) -> bool:
    if not _keeps_to((None, *rest), GIT_WRITES_OR_RUNS):
        return False
    if verb in GIT_LISTS:
        options = [word.split("=", 1)[0] for word in rest if word is not None and word.startswith("-")]
        lists = bool(options) and all(option in GIT_LISTS[verb] for option in options)
        return deep in GIT_READS_DEEP or lists or not rest and verb != "config"
    return verb in GIT_READS or deep in GIT_READS_DEEP


def _forces(words: tuple[str | None, ...]) -> bool:
    return any(word is None or word in GIT_FORCE or word.startswith(("--force", "+")) for word in words)
