"""Tells what a call may do to the world, from its text alone; what is not understood is unknown, and it never runs or looks up anything.

The classes are those of A23. A compound command has the strongest class of its parts: external, then unknown, then write, then read. A
program is judged only by its name, sub-command and options, in the tables below; whatever is not listed there is unknown, and so are a
program with a path of its own and an argument that is not fixed where an option would change the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from . import shell
from .model import PREFIX, SHELL_TOOLS, Call, Class, Effect, Json, OpaqueCommand, canonical

READ, WRITE, EXTERNAL, UNKNOWN = Class.READ, Class.WRITE, Class.EXTERNAL, Class.UNKNOWN
STRENGTH = (READ, WRITE, UNKNOWN, EXTERNAL)
READS_ONLY = Effect(READ, False, "only reads")
Words = tuple[str | None, ...]
"""Arguments as the program receives them; None for one that depends on a variable, another command or the files that are there."""


def effect(tool: str, arguments: Mapping[str, Json]) -> Effect:
    """The effect of a call with these arguments; for a template, neutral words `KATAHOLE_n` stand in its holes."""
    code = arguments.get(SHELL_TOOLS.get(tool, ""))
    if isinstance(code, str):
        return _shell(code, arguments)
    if tool in TOOLS:
        return Effect(TOOLS[tool], False, "only reads" if TOOLS[tool] is READ else "writes a file")
    if tool.startswith("mcp__"):
        return Effect(EXTERNAL, False, "acts through an MCP server")
    return Effect(UNKNOWN, False, f"{tool} is not a tool we know")


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

TOOLS: Mapping[str, Class] = {
    "read_file": READ,
    "search_files": READ,
    "skills_list": READ,
    "skill_view": READ,
    "web_search": READ,
    "web_extract": READ,
    "write_file": WRITE,
    "patch": WRITE,
}
"""Built-in tools whose class their name tells; the host guards files that exist against a blind overwrite (A23)."""

# ── Tables ───────────────────────────────────────────────────────────────────────────────────────


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


class Row(NamedTuple):
    """How a program or a sub-command is judged: its class, and the options that make it another one."""

    kind: Class
    asks: str = ""
    """Options that run other programs or reach other systems."""
    destroys: str = ""
    writes: str = ""
    reads: str = ""
    """Options with which it only shows or checks; these count only when written in full."""
    most: int | None = None
    """Operands that it reads; it writes to the next."""
    bare: Class | None = None
    """Its class without operands."""
    valued: str = ""
    """Options whose value is the next word."""
    destructive: bool = False
    spares: str = ""
    """Options, written in full, with which it destroys nothing."""


Table = tuple[tuple[str, Row], ...]

READERS = (
    "ls cat head tail wc grep egrep fgrep pwd whoami id uname echo true false : basename dirname realpath readlink stat du df free uptime "
    "ps pgrep printenv which type cut tr nl tac rev fold paste join comm cmp md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum "
    "cksum sum od hexdump strings column expand seq cal nproc lsblk lscpu lsof cd jq sleep groups tty arch getconf expr vmstat zcat bzcat "
    "xzcat zstdcat size readelf who w users factor numfmt fmt locale exit"
)
REACHING = (
    "curl wget wget2 aria2c ssh scp sftp ftp lftp nc ncat netcat socat telnet ping ping6 traceroute tracepath mtr dig nslookup host whois "
    "nmap http https xh gh glab hub kubectl oc helm docker podman nerdctl docker-compose aws gcloud gsutil az doctl heroku flyctl vercel "
    "netlify wrangler firebase terraform tofu pulumi ansible ansible-playbook ansible-galaxy vault consul nomad psql pg_dump pg_restore "
    "mysql mysqldump mysqladmin mongosh mongo mongodump redis-cli cqlsh mail mailx sendmail mutt msmtp twine rclone s3cmd restic borg apt "
    "apt-get aptitude brew dnf yum zypper apk pacman snap flatpak npx uvx pipx bunx hf huggingface-cli ollama"
)
PROGRAMS: Table = (
    (READERS, Row(READ)),
    ("diff", Row(READ, asks="-l --paginate")),
    ("sort", Row(READ, asks="--compress-program", writes="-o --output -T --temporary-directory")),
    ("shuf iconv base64 base32", Row(READ, writes="-o --output")),
    ("rg", Row(READ, asks="--pre --pre-glob --hostname-bin -z --search-zip")),
    ("fd fdfind", Row(READ, asks="-x --exec -X --exec-batch -l --list-details")),
    ("file", Row(READ, asks="-z -Z --uncompress", writes="-C --compile")),
    ("tree", Row(READ, writes="-o -R")),
    ("yq", Row(READ, writes="-i --inplace --in-place -s --split-exp")),
    ("uniq", Row(READ, most=1, valued="-f -s -w --skip-fields --skip-chars --check-chars")),
    ("xxd", Row(READ, most=1, valued="-l -s -c -g -o -n -len -seek -cols -groupsize")),
    ("hostname", Row(READ, writes="-F --file -b --boot", most=0)),
    ("dmesg", Row(READ, writes="-c -C --clear --read-clear -D -E -n --console-off --console-on --console-level")),
    (
        "journalctl",
        Row(
            READ,
            asks="-H --host -M --machine",
            destroys="--vacuum-size --vacuum-time --vacuum-files",
            writes="--rotate --flush --sync --setup-keys",
        ),
    ),
    ("mkdir touch chmod chown chgrp mkfifo csplit", Row(WRITE)),
    ("cp mv", Row(WRITE, destructive=True, spares="-n --no-clobber -rn -an -nr")),
    ("ln", Row(WRITE, destroys="-f --force")),
    ("install", Row(WRITE, asks="-s --strip --strip-program")),
    ("split", Row(WRITE, asks="--filter")),
    ("mktemp", Row(WRITE, reads="-u --dry-run")),
    (
        "gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd",
        Row(WRITE, destroys="-f --force --rm", reads="-c -dc -cd -kc --stdout -l --list -t --test"),
    ),
    ("zip", Row(WRITE, asks="-T -TT --test --unzip-command", destroys="-m --move -d --delete")),
    ("unzip", Row(WRITE, destroys="-o", reads="-l -t -v -Z -z -p")),
    ("patch", Row(WRITE, reads="--dry-run")),
    ("crontab", Row(WRITE, asks="-e", destroys="-r -i", reads="-l", destructive=True)),
    ("rm rmdir unlink shred truncate", Row(WRITE, destructive=True)),
    ("pkill killall", Row(WRITE, destructive=True)),
    (REACHING, Row(EXTERNAL)),
)
"""Programs that are judged as a whole (B20: a flag may turn a reader into something else)."""

_GIT_SHOWS = Row(READ, asks="--ext-diff --textconv --show-signature", writes="--output")
SUBCOMMANDS: Mapping[str, Table] = {
    "git": (
        ("status rev-parse ls-files ls-tree describe shortlog merge-base rev-list name-rev for-each-ref show-ref", Row(READ)),
        ("count-objects cherry check-ignore check-attr version var", Row(READ)),
        ("log diff show blame whatchanged diff-tree diff-index diff-files range-diff", _GIT_SHOWS),
        ("grep", Row(READ, asks="-O --open-files-in-pager --ext-grep --textconv")),
        ("cat-file", Row(READ, asks="--textconv --filters --batch-command")),
        ("archive", Row(READ, asks="--remote --exec", writes="-o --output")),
        ("apply", Row(WRITE, writes="--apply", reads="--check --stat --numstat --summary")),
        ("symbolic-ref", Row(READ, destroys="-d --delete", most=1, valued="-m")),
        (
            "branch",
            Row(
                WRITE,
                asks="--edit-description",
                destroys="-d -D --delete -f --force -m -M --move -C",
                writes="-c --copy -u --set-upstream-to --unset-upstream -t --track",
                reads="-l --list --show-current --contains --no-contains --merged --no-merged --points-at",
                bare=READ,
            ),
        ),
        (
            "tag",
            Row(
                WRITE,
                asks="-v --verify",
                destroys="-d --delete -f --force",
                writes="-a -s -u -m -F --annotate --sign --message --file --local-user",
                reads="-l --list --contains --no-contains --merged --no-merged --points-at -n",
                bare=READ,
            ),
        ),
        ("remote", Row(UNKNOWN, bare=READ)),
        ("remote|get-url", Row(READ)),
        ("remote|add remote|rename remote|set-url remote|set-head remote|set-branches", Row(WRITE)),
        ("remote|remove remote|rm", Row(WRITE, destructive=True)),
        ("remote|show remote|update remote|prune", Row(EXTERNAL)),
        (
            "config",
            Row(
                READ,
                asks="-e --edit --blob",
                destroys="--unset --unset-all --remove-section --replace-all",
                writes="--add --rename-section",
                reads="-l --list --get --get-all --get-regexp --get-urlmatch",
                most=1,
                valued="-f --file --type --default",
            ),
        ),
        ("config|get config|list", Row(READ)),
        ("config|set config|rename-section", Row(WRITE)),
        ("config|unset config|remove-section", Row(WRITE, destructive=True)),
        ("config|edit", Row(UNKNOWN)),
        ("stash", Row(UNKNOWN, bare=WRITE)),
        ("stash|list stash|show", _GIT_SHOWS),
        ("stash|push stash|save stash|pop stash|apply stash|branch stash|create stash|store", Row(WRITE)),
        ("stash|drop stash|clear", Row(WRITE, destructive=True)),
        ("reflog", Row(UNKNOWN, bare=READ)),
        ("reflog|show reflog|list reflog|exists", _GIT_SHOWS),
        ("reflog|expire reflog|delete reflog|drop", Row(WRITE, destructive=True)),
        ("worktree", Row(UNKNOWN)),
        ("worktree|list", Row(READ)),
        ("worktree|add worktree|lock worktree|unlock worktree|move worktree|repair", Row(WRITE, destroys="-f --force -B")),
        ("worktree|remove worktree|prune", Row(WRITE, destructive=True)),
        ("notes", Row(UNKNOWN, bare=READ)),
        ("notes|list notes|show", Row(READ)),
        ("bisect", Row(UNKNOWN)),
        ("bisect|log", Row(READ)),
        ("bisect|start bisect|good bisect|bad bisect|new bisect|old bisect|skip bisect|reset", Row(WRITE)),
        ("submodule", Row(UNKNOWN, bare=READ)),
        ("submodule|status submodule|summary", Row(READ)),
        ("submodule|init", Row(WRITE)),
        ("submodule|add submodule|update submodule|sync", Row(EXTERNAL)),
        (
            "add commit init merge cherry-pick revert am format-patch bundle mv",
            Row(WRITE, asks="-i --interactive -x --exec -e --edit", destroys="-f --force"),
        ),
        ("rebase", Row(WRITE, asks="-i --interactive -x --exec --edit-todo")),
        ("switch", Row(WRITE, destroys="-f --force --discard-changes -C --force-create")),
        ("checkout", Row(WRITE, destroys="-f --force -B --ours --theirs")),
        ("reset", Row(WRITE, destroys="--hard --merge --keep")),
        ("clean", Row(WRITE, asks="-i --interactive", reads="-n --dry-run -nd -dn -ndx -ndX", destructive=True)),
        ("rm restore gc prune update-ref filter-repo", Row(WRITE, destructive=True)),
        ("push", Row(EXTERNAL, destroys="-f --force --force-with-lease --force-if-includes -d --delete --mirror --prune")),
        ("pull fetch clone ls-remote lfs send-email svn p4 request-pull", Row(EXTERNAL)),
    ),
    "systemctl": (
        ("status show cat list-units list-unit-files list-timers list-dependencies", Row(READ, asks="-H --host -M --machine")),
        ("is-active is-enabled is-failed get-default", Row(READ, asks="-H --host -M --machine")),
        ("start stop restart reload enable disable mask unmask daemon-reload", Row(WRITE, asks="-H --host -M --machine")),
        ("poweroff reboot halt isolate kill suspend hibernate", Row(WRITE, destructive=True)),
    ),
    "pip": (
        ("freeze show check", Row(READ)),
        ("list", Row(READ, asks="-o --outdated -u --uptodate")),
        ("install download wheel index search", Row(EXTERNAL)),
        ("uninstall", Row(WRITE, destructive=True)),
    ),
    "npm": (
        ("ls list ll root prefix", Row(READ)),
        ("ci install i add update up publish unpublish view info show search outdated audit login logout whoami", Row(EXTERNAL)),
    ),
    "pnpm": (("install add update publish remove outdated audit", Row(EXTERNAL)),),
    "yarn": (("install add upgrade publish remove outdated audit", Row(EXTERNAL)),),
    "cargo": (("search install publish login logout owner yank fetch update add", Row(EXTERNAL)),),
    "gem": (("install push search update fetch", Row(EXTERNAL)), ("list", Row(READ, asks="-r --remote -a --all"))),
    "go": (("version", Row(READ)), ("env", Row(READ, writes="-w -u")), ("get install", Row(EXTERNAL))),
    "uv": (("add sync publish", Row(EXTERNAL)),),
    "poetry": (("install add update publish", Row(EXTERNAL)),),
    "openssl": (("version", Row(READ)), ("s_client s_server s_time ocsp", Row(EXTERNAL))),
}
"""Programs whose first operand names what they do; `a|b` is sub-command b of sub-command a (B35)."""
SAME = {"pip3": "pip"}
BEFORE: Mapping[str, tuple[frozenset[str], frozenset[str]]] = {
    "git": (_set("--no-pager -P --no-optional-locks --no-replace-objects --literal-pathspecs --icase-pathspecs"), _set("-C")),
    "systemctl": (_set("--user --no-pager -q --quiet"), frozenset()),
}
"""Options that may stand before the sub-command and change nothing: without and with a value."""
VERSIONS: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(_set("python python3 pip pip3 ruby perl php rustc cargo cmake gcc clang"), _set("-V --version -v")),
    **dict.fromkeys(_set("node npm npx yarn pnpm deno bun tsc docker kubectl terraform helm git make"), _set("-v --version")),
    **dict.fromkeys(_set("curl wget gh java uv ruff pytest go"), _set("--version")),
}
"""Programs, and the options with which, alone, they print their version."""
VALUELESS = _set("--global --local --system --worktree --show-origin --show-scope -a --all -r --remotes -v -vv -q -i -z --null --no-color")
"""Options that take no value, so that the word after them stands for itself."""
STILL = _set("LANG LC_ALL LC_CTYPE LC_COLLATE LC_NUMERIC LC_TIME LC_MESSAGES TZ COLUMNS LINES NO_COLOR CLICOLOR FORCE_COLOR")
"""Variables that change no more than how a program prints; any other may change what it runs."""
PLAIN_OUTPUT = frozenset(("git merge-base", "git rev-parse", "pwd", "nproc"))
"""Commands whose output, as an argument, can be neither an option nor several words."""
QUIET = _set("/dev/null /dev/stdout /dev/stderr /dev/tty")
FOLDERS = _set("/bin /usr/bin /sbin /usr/sbin")
"""Where a program named by its path is the one of that name."""


def _by_name(table: Table) -> dict[str, Row]:
    return {name: row for names, row in table for name in names.split()}


_PROGRAMS = _by_name(PROGRAMS)
_SUBCOMMANDS = {program: _by_name(table) for program, table in SUBCOMMANDS.items()}

# ── Commands ─────────────────────────────────────────────────────────────────────────────────────

PLAIN_ARGUMENTS = frozenset(("command", "timeout", "workdir"))
HOLE = "KATAHOLE"


def _shell(code: str, arguments: Mapping[str, Json]) -> Effect:
    more = [key for key, value in arguments.items() if key not in PLAIN_ARGUMENTS and value]
    if more:
        return Effect(UNKNOWN, False, f"runs with {more[0]}")
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
    for command in script.commands():
        yield from map(_redirect, command.redirects)
        yield from (READS_ONLY if name in STILL else Effect(UNKNOWN, False, f"sets {name}") for name, _ in command.assignments)
        if command.words:
            yield _program(tuple(map(_argument, command.words)))


def _redirect(redirect: shell.Redirect) -> Effect:
    target = redirect.target.value
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
    """The word as the program receives it; None where it could turn out to be an option or several words."""
    first = word.pieces[0] if word.pieces else None
    if word.fixed:
        globs = first is not None and not first.quote and first.value.startswith(("*", "?", "[")) and word.value != "["
        return None if globs else word.value
    leads = first is not None and first.kind == "text" and first.value and not first.value.startswith("-")
    quoted = all(piece.kind == "text" or piece.quote for piece in word.pieces)
    if first is not None and leads and quoted:
        return f"{first.value}…"
    return "…" if all(map(_plain_output, word.pieces)) else None


def _plain_output(piece: shell.Piece) -> bool:
    """Whether a substitution prints one plain word: a commit, a folder (B21)."""
    commands = [*piece.inner.commands()] if piece.inner is not None else []
    return len(commands) == 1 and " ".join(shell.head(shell.arguments(commands[0]))) in PLAIN_OUTPUT


def _program(words: Words) -> Effect:
    name = _name(words[0])
    if name is None:
        return Effect(UNKNOWN, False, f"runs {words[0]}, which may be any program" if words[0] else "runs a program that is not fixed")
    if len(words) == 2 and (words[1] in VERSIONS.get(name, ()) or words[1] in ("--version", "--help") and name in _PROGRAMS):
        return READS_ONLY
    special = SPECIAL.get(name)
    if special is not None:
        return special(name, words[1:])
    if SAME.get(name, name) in _SUBCOMMANDS:
        return _subcommand(SAME.get(name, name), words[1:])
    row = _PROGRAMS.get(name)
    return _judged(row, words[1:], name) if row else Effect(UNKNOWN, False, f"runs {name}, which may do anything")


def _name(word: str | None) -> str | None:
    if word is None or HOLE in word:
        return None
    folder, slash, name = word.rpartition("/")
    return (name if folder in FOLDERS else None) if slash else word


def _judged(row: Row, words: Words, what: str) -> Effect:
    """What a row says of a program with these arguments."""
    options, operands, loose = _sorted_out(words, _set(row.valued))
    if loose and (row.asks or row.kind is READ and (row.writes or row.destroys)):
        return Effect(UNKNOWN, False, f"runs {what} with a value that may be an option")
    if _holds(options, row.asks):
        return Effect(UNKNOWN, False, f"runs {what} with options that may start other programs")
    if row.kind in (EXTERNAL, UNKNOWN) and row.bare is None:
        return Effect(row.kind, row.destructive or _holds(options, row.destroys), _why(row.kind, what))
    destroys = _holds(options, row.destroys) or loose and bool(row.destroys)
    if destroys or _holds(options, row.writes) or row.most is not None and len(operands) > row.most:
        return Effect(WRITE, destroys, _why(WRITE, what, destroys))
    if _shows(words, _set(row.reads)):
        return READS_ONLY
    kind = row.bare if row.bare is not None and not operands else row.kind
    harms = row.destructive and not _shows(words, _set(row.spares))
    return READS_ONLY if kind is READ else Effect(kind, harms, _why(kind, what, harms))


def _why(kind: Class, what: str, destroys: bool = False) -> str:
    if kind is EXTERNAL:
        return f"{what} uses the network or another system"
    if kind is UNKNOWN:
        return f"runs {what}, which may do anything"
    return f"{what} deletes or overwrites" if destroys else f"{what} changes files or settings here"


def _sorted_out(words: Words, valued: frozenset[str]) -> tuple[list[str], list[str | None], bool]:
    """Options and operands of an argument list, and whether an argument that is not fixed could be an option."""
    options: list[str] = []
    operands: list[str | None] = []
    rest = iter(words)
    loose = False
    for word in rest:
        if word == "--":
            operands.extend(rest)
        elif word is None or word.startswith("-") and HOLE in word.split("=", 1)[0]:
            loose = True
            operands.append(word)
        elif word.startswith("-") and word != "-":
            options.append(word)
            if word in valued:
                loose = next(rest, "") is None or loose
        else:
            operands.append(word)
    return options, operands, loose


def _holds(options: Sequence[str], listed: str) -> bool:
    """Whether one of the listed options is there, in any spelling: joined letters, `=value`, a GNU abbreviation."""
    names = listed.split()
    for option in options:
        head = option.split("=", 1)[0]
        if option.startswith("--"):
            if any(name.startswith(head) for name in names):
                return True
        elif any(head == name or len(name) == 2 and name[1] in option[1:] for name in names):
            return True
    return False


def _shows(words: Words, reads: frozenset[str]) -> bool:
    """Whether one of these options is there in full, and is surely an option and not the value of the one before it."""
    alone = True
    for word in words:
        if alone and word is not None and word.split("=", 1)[0] in reads:
            return True
        alone = word is not None and (word in VALUELESS or re.fullmatch(r"[^-].*|-[A-Za-z][0-9]+|--.*=.*|-", word, re.DOTALL) is not None)
    return False


def _subcommand(program: str, words: Words) -> Effect:
    """What a program with sub-commands does, by the first word that is no option, and the second where that one has verbs too."""
    table = _SUBCOMMANDS[program]
    plain, valued = BEFORE.get(program, (frozenset(), frozenset()))
    at = 0
    while at < len(words) and (words[at] in plain or words[at] in valued):
        at += 2 if words[at] in valued else 1
    verb = words[at] if at < len(words) else None
    if verb is None or verb not in table or None in words[:at]:
        return Effect(UNKNOWN, False, f"runs {program} {verb or ''}".rstrip() + ", which may do anything")
    rest = words[at + 1 :]
    second = rest[0] if rest else ""
    if f"{verb}|{second}" in table:
        return _judged(table[f"{verb}|{second}"], rest[1:], f"{program} {verb} {second}")
    if any(key.startswith(f"{verb}|") for key in table) and (second is None or HOLE in second):
        return Effect(UNKNOWN, False, f"runs {program} {verb} with a verb that is not fixed")
    found = _judged(table[verb], rest, f"{program} {verb}")
    return Effect(found.kind, True, f"{program} {verb} may discard work") if _discards(program, verb, rest) else found


def _discards(program: str, verb: str, words: Words) -> bool:
    """`git checkout` of files instead of a branch, `git push` of a forced or an empty source."""
    if program == "git" and verb == "checkout":
        named = [word for word in words if word is None or not word.startswith("-")]
        return "--" in words or any(word is None or "." in word for word in named) or len(named) > 2
    return program == "git" and verb == "push" and any(word is not None and word.startswith(("+", ":")) for word in words)


# ── Programs that need a closer look ─────────────────────────────────────────────────────────────


class Wrapper(NamedTuple):
    """A program that runs the command in its arguments: options without and with a value, words before the command, its own class."""

    plain: str = ""
    valued: str = ""
    before: int = 0
    own: Class = READ


WRAPPERS: Mapping[str, Wrapper] = {
    "command": Wrapper("-p"),
    "nice": Wrapper("", "-n --adjustment"),
    "nohup": Wrapper(own=WRITE),
    "stdbuf": Wrapper("-oL -eL -iL -o0 -e0 -i0", "-o -e -i"),
    "sudo": Wrapper("-n -E -H -S", "-u -g"),
    "timeout": Wrapper("--preserve-status --foreground -v --verbose", "-k --kill-after -s --signal", before=1),
    "xargs": Wrapper(
        "-0 -r -t -x --null --no-run-if-empty --verbose",
        "-n -P -L -I -d -s -a -E --max-args --max-procs --max-lines --delimiter --arg-file",
    ),
    "env": Wrapper(),
}


def _wrapped(name: str, words: Words) -> Effect:
    """The effect of the command inside, and that of the wrapper itself."""
    wrapper = WRAPPERS[name]
    plain, valued = _set(wrapper.plain), _set(wrapper.valued)
    at, mark = 0, ""
    while at < len(words):
        word = words[at]
        option = word.split("=", 1)[0] if word is not None else None
        if word in valued:
            mark = words[at + 1] or "" if word == "-I" and at + 1 < len(words) else mark
            at += 2
        elif option in plain or option in valued and option is not None and option.startswith("--") or _numbered(word, valued):
            mark = word[2:] if word is not None and word.startswith("-I") else mark
            at += 1
        else:
            break
    inner = words[at + wrapper.before :]
    if name == "command" and words[:1] in (("-v",), ("-V",)) or not inner and name in ("env", "xargs"):
        return READS_ONLY
    if not inner or None in words[: at + wrapper.before] or inner[0] is not None and ("=" in inner[0] or inner[0].startswith("-")):
        return Effect(UNKNOWN, False, f"runs {name}, which may do anything")
    if name == "xargs":
        inner = tuple(None if mark and word and mark in word else word for word in inner) if mark else (*inner, None)
    own = READS_ONLY if wrapper.own is READ else Effect(WRITE, False, f"{name} writes a file")
    return strongest((_program(inner), own))


def _numbered(word: str | None, valued: frozenset[str]) -> bool:
    """`-n5`, `-P4`, `-I{}`: a short option with its value in the same word."""
    return word is not None and not word.startswith("--") and len(word) > 2 and word[:2] in valued


def _find(_: str, words: Words) -> Effect:
    """`find` with what its `-exec` runs; a path below the start, which is no option, takes the place of `{}`."""
    inner: list[Effect] = []
    rest: list[str | None] = []
    at = 0
    while at < len(words):
        if words[at] in ("-exec", "-execdir", "-ok", "-okdir"):
            stop = next((index for index in range(at + 1, len(words)) if words[index] in (";", "+")), len(words))
            command = tuple(word.replace("{}", "./…") if word is not None else None for word in words[at + 1 : stop])
            inner.append(_program(command) if command else Effect(UNKNOWN, False, "runs find without a command"))
            at = stop
        else:
            rest.append(words[at])
        at += 1
    return strongest((_judged(Row(READ, destroys="-delete", writes="-fprint -fprint0 -fprintf -fls"), tuple(rest), "find"), *inner))


_ADDRESS = r"(?:[0-9]+|\$|/(?:[^/\\\n]|\\.)*/)"
_TEXT = r"(?:(?!(?P=mark))[^\\\n]|\\.)*"
_SED_STEP = re.compile(
    rf"\s*(?:{_ADDRESS}(?:,\+?{_ADDRESS})?\s*!?\s*)?"
    rf"(?:[pdDPqGhHNnx=]|s(?P<mark>[/|#,:]){_TEXT}(?P=mark){_TEXT}(?P=mark)[gpIi0-9]*)\s*(?:;|$)"
)
"""One command of a `sed` program that neither writes a file nor runs anything."""


def _sed(_: str, words: Words) -> Effect:
    """`sed` with a program of plain prints, deletions and substitutions; the other commands may write files or run programs."""
    scripts: list[str | None] = []
    files: list[str | None] = []
    in_place = False
    rest = iter(words)
    for word in rest:
        if word is not None and re.fullmatch(r"-[nErsuz]+|--(?:quiet|silent|regexp-extended|separate|unbuffered|null-data)", word):
            continue
        if word == "-e":
            scripts.append(next(rest, None))
        elif word is not None and re.fullmatch(r"-[nErsuz]*i\S*|--in-place(?:=\S*)?", word):
            in_place = True
        elif word is None or word.startswith("-"):
            return Effect(UNKNOWN, False, "runs sed with options that are not fixed or not plain")
        else:
            files.append(word)
    programs = scripts or files[:1]
    if not programs or not all(_plain_sed(program) for program in programs):
        return Effect(UNKNOWN, False, "runs a sed program")
    return Effect(WRITE, False, "sed changes files in place") if in_place else READS_ONLY


def _plain_sed(program: str | None) -> bool:
    at = 0
    while program is not None and HOLE not in program and at < len(program):
        step = _SED_STEP.match(program, at)
        if step is None:
            return False
        at = step.end()
    return bool(program) and program is not None and HOLE not in program


_AWK_ACTS = re.compile(r"system|getline|close|fflush|[|@]|/inet|print[\s\S]*>")
"""What may write or run in an `awk` program; `>` is a redirection only after a print, a comparison before."""


def _awk(_: str, words: Words) -> Effect:
    """`awk` with a program that only prints; redirections, pipes and calls of the system are in the language."""
    at = 0
    while at < len(words) and (word := words[at]) is not None and word.startswith("-"):
        if not re.fullmatch(r"-F.*|-v|-v[A-Za-z_]\w*=.*", word, re.DOTALL):
            return Effect(UNKNOWN, False, "runs awk with options that may load code")
        at += 2 if word in ("-F", "-v") else 1
    program = words[at] if at < len(words) and None not in words[:at] else None
    safe = program is not None and HOLE not in program and not _AWK_ACTS.search(program.replace("||", " "))
    return READS_ONLY if safe else Effect(UNKNOWN, False, "runs an awk program")


def _tar(_: str, words: Words) -> Effect:
    """`tar`: lists, creates or extracts; options that name a program and archives on other hosts are not judged."""
    mode = re.fullmatch(r"-?([A-Za-z]+)", words[0] or "") if words else None
    options, operands, loose = _sorted_out(words[1:], frozenset())
    odd = [option for option in options if not re.fullmatch(r"-[Cv]|--(?:exclude=|strip-components=|directory=|verbose|gzip).*", option)]
    if mode is None or "f" not in mode[1] or HOLE in mode[1] or odd or loose or any(map(_remote, operands[:1])):
        return Effect(UNKNOWN, False, "runs tar with options or archives that are not plain")
    letters = set(mode[1])
    if letters <= set("tvzjJaf") and "t" in letters:
        return READS_ONLY
    if letters <= set("cxruvzjJafpkmhP") and letters & set("cxru"):
        return Effect(WRITE, False, "tar writes files")
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
    options, operands, loose = _sorted_out(words, frozenset())
    if loose or any(map(_remote, operands)):
        return Effect(EXTERNAL, False, "rsync copies to or from another system")
    if _holds(options, "-e --rsh --rsync-path --daemon --server --files-from"):
        return Effect(UNKNOWN, False, "runs rsync with options that may start other programs")
    return Effect(WRITE, any(option.startswith(("--del", "--remove")) for option in options), "rsync copies files")


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
    options, operands, loose = _sorted_out(words, frozenset())
    files = [word for word in operands if word not in QUIET]
    if not files:
        return READS_ONLY
    appends = not loose and _holds(options, "-a --append")
    return Effect(WRITE, not appends, "tee appends to a file" if appends else "tee overwrites a file")


def _test(name: str, words: Words) -> Effect:
    """A comparison; `-v` evaluates its operand."""
    return Effect(UNKNOWN, False, f"runs {name} -v") if {"-v", "-R"} & {*words} else READS_ONLY


def _kill(_: str, words: Words) -> Effect:
    return READS_ONLY if words[:1] in (("-0",), ("-l",), ("-L",)) else Effect(WRITE, True, "kill ends processes")


def _printf(_: str, words: Words) -> Effect:
    """Prints; `-v` and `%n` set a variable."""
    first = words[0] if words else ""
    sets = first is None or HOLE in first or first.startswith("-v") or re.search(r"%[^%a-zA-Z]*n", first) is not None
    return Effect(UNKNOWN, False, "printf may set a variable") if sets else READS_ONLY


def _set_options(_: str, words: Words) -> Effect:
    plain = all(word is not None and re.fullmatch(r"-[eux]*o?|pipefail", word) for word in words)
    return READS_ONLY if words and plain else Effect(UNKNOWN, False, "changes the shell")


SPECIAL: Mapping[str, Callable[[str, Words], Effect]] = {
    **dict.fromkeys(WRAPPERS, _wrapped),
    "find": _find,
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
}
