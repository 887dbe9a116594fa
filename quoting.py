"""Puts values into the holes of a shell command so that each arrives as one argument; it refuses what no quoting makes harmless and never
lets a value change the structure of a command. A module of its own, because it is what a security reviewer reads first, and templating
would otherwise both learn templates and guard commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from . import places, shell
from .model import Command, Hole, OpaqueCommand, Option, UnsafeValue


def placed(command: Command, values: Sequence[str]) -> str:
    """The command with a value in each hole; UnsafeValue when a value cannot be placed or would change the tree."""
    return _placed(command, tuple(values))


@lru_cache(maxsize=2048)
def _placed(command: Command, values: tuple[str, ...]) -> str:
    """Kept for a while: a template is held against its examples again and again."""
    made = frame(command)
    for value, spot in zip(values, made.spots, strict=True):
        _check_value(value, spot)
    _check_words(made, values)
    fill = iter(values)
    text = "".join(piece if isinstance(piece, str) else quoted(next(fill), piece.place) for piece in _pieces(command))
    if signature(text) != _substituted(made.signature, made.fill(values)):
        raise UnsafeValue("A value would change the structure of the command", source=text, at=0)
    return text


def _pieces(command: Command) -> Iterator[str | Hole]:
    """Texts and holes; a command whose options are still open is refused."""
    for piece in command.parts:
        if isinstance(piece, Option):
            raise UnsafeValue(f"Expected it to be settled whether{piece.text} stands in the command")
        yield piece


@lru_cache(maxsize=2048)
def signature(text: str) -> tuple[object, ...] | None:
    """What a command does, without spans and quotes; None where it is not understood."""
    try:
        return shell.signature(shell.parse(text))
    except OpaqueCommand:
        return None


_SAFE = re.compile(r"[A-Za-z0-9_./:=@%+,-]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def _check_value(value: str, spot: Spot) -> None:
    """Refuse what no quoting makes harmless (CWE-88 for the leading dash)."""
    if not value:
        raise UnsafeValue(f"Expected a value for {spot.where}, got empty text")
    bad = _CONTROL.search(value)
    if bad:
        raise UnsafeValue(f"Expected no control characters for {spot.where}, got {bad.group()!r}")
    if spot.before is not None and (spot.before + value).startswith(("/dev/tcp/", "/dev/udp/")):
        raise UnsafeValue(f"Expected a file for {spot.where}, got {value[:40]!r}, which bash would take for a network address")
    if spot.first and value.startswith("-"):
        raise UnsafeValue(f"Expected an operand for {spot.where}, got {value[:40]!r}, which would be read as an option")


def _check_words(made: Frame, values: Sequence[str]) -> None:
    """Refuse what the program that reads the word would take for more than a value."""
    table, fill = dict(zip(made.marks, values, strict=True)), made.fill(values)
    for words, index in made.words:
        own = {mark: value for mark, value in table.items() if mark in words[index]}
        if wanted := places.problem(places.Place(words, index, own, fill)):
            got = ", ".join(repr(value[:40]) for value in own.values())
            raise UnsafeValue(f"Expected {wanted} for argument {index} of {words[0]}, got {got}")


def quoted(value: str, place: str) -> str:
    """The source text of a value in a quoting context: "bare", "single" or "double"."""
    if place == "double":
        return re.sub(r'([\\"$`])', r"\\\1", value)
    if place == "single":
        return value.replace("'", "'\\''")
    return value if _SAFE.fullmatch(value) else "'" + value.replace("'", "'\\''") + "'"


@dataclass(frozen=True, slots=True)
class Spot:
    """What is around a hole: a few words that name it, and whether it begins its word (an option could start there)."""

    where: str
    first: bool
    before: str | None = None
    """The text before the hole where the word is a target of a redirection, else None."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A command template without its values: marks stand where the holes are."""

    marks: tuple[str, ...]
    script: shell.Script
    signature: tuple[object, ...]
    spots: tuple[Spot, ...]
    words: tuple[tuple[tuple[str, ...], int], ...]
    """Each word with a hole: the words of its command, and which of them it is."""

    def fill(self, values: Sequence[str]) -> Callable[[str], str]:
        """A function that puts the values in the place of the marks."""
        table = dict(zip(self.marks, values, strict=True))
        marks = re.compile("|".join(self.marks) or r"(?!)")
        return lambda text: marks.sub(lambda found: table[found.group()], text)


@lru_cache(maxsize=1024)
def frame(command: Command) -> Frame:
    """The template parsed once; UnsafeValue when a hole stands where no value may ever stand."""
    plain = "".join(piece for piece in _pieces(command) if isinstance(piece, str))
    stem = "KATAHOLE"
    while stem in plain:
        stem += "X"
    marks = tuple(f"{stem}{index}Z" for index in range(sum(isinstance(piece, Hole) for piece in command.parts)))
    fill = iter(marks)
    script = shell.parse("".join(piece if isinstance(piece, str) else next(fill) for piece in command.parts))
    spots = tuple(_spot(script, mark) for mark in marks)
    return Frame(marks, script, shell.signature(script), spots, tuple(_marked(script, stem)))


def _marked(script: shell.Script, stem: str) -> Iterator[tuple[tuple[str, ...], int]]:
    for command in script.commands():
        words = tuple(map(_spelled, command.words))
        inner = 0
        while words[inner : inner + 1] and words[inner] in FIXED_RUNNERS:
            inner = next((at for at, word in enumerate(words) if at > inner and not word.startswith("-")), len(words))
        yield from ((words[inner:], index - inner) for index, word in enumerate(words) if stem in word and index > inner)
        targets = ((redirect.operator, _spelled(redirect.target)) for redirect in command.redirects)
        yield from ((target, 1) for target in targets if stem in target[1])


def _spelled(word: shell.Word) -> str:
    """A word as its program receives it, with $ for what nobody knows beforehand."""
    return "".join(piece.value if piece.kind == "text" else "$" for piece in word.pieces)


def _spot(script: shell.Script, mark: str) -> Spot:
    for pipeline in script.pipelines:
        for number, command in enumerate(pipeline.commands):
            inside = isinstance(command, shell.Compound)
            spot = next((found for one in _simple(command) if (found := _spot_in(one, mark)) is not None), None)
            if spot is not None:
                _check_flow(script, pipeline.commands[number:], inside)
                return spot
    raise UnsafeValue("Expected a value in the place of an argument, not of a program, an assignment, a here-document or inside $(…)")


def _simple(node: shell.Node) -> Iterator[shell.Simple]:
    """The simple commands in a command, but for those inside words, where what they print becomes part of another command."""
    if isinstance(node, shell.Simple):
        yield node
    elif node.kind in BODIES:
        for script in node.scripts:
            for pipeline in script.pipelines:
                for command in pipeline.commands:
                    yield from _simple(command)


BODIES = frozenset(("(", "{", "if", "while", "until", "for", "case"))
"""Commands in which a value may stand: what they hold runs where it stands, or not at all."""


def _spot_in(command: shell.Simple, mark: str) -> Spot | None:
    for name, word in command.assignments:
        if mark in _spelled(word):
            _check_variable(command, name)
            return Spot(f"the variable {name}", False)
    for index, word in enumerate(command.words):
        piece = next((p for p in word.pieces if p.kind == "text" and mark in p.value), None)
        if piece is not None:
            if piece.quote == "$'" or any(p.kind in ("braces", "process") for p in word.pieces):
                raise UnsafeValue("Expected a value in a word without escapes of its own and without braces")
            before = "".join(p.value for p in word.pieces[: word.pieces.index(piece)]) + piece.value[: piece.value.index(mark)]
            _check_place(command, index, before)
            return Spot(f"argument {index} of {' '.join(shell.head(shell.arguments(command)))}", not before)
    for redirect in command.redirects:
        target = redirect.target.value or ""
        if mark in target:
            _check_input(command, redirect)
            return Spot(f"the target of {redirect.operator}", False, target[: target.index(mark)])
    return None


def _check_variable(command: shell.Simple, name: str) -> None:
    """A value may stand before a fixed program in a variable that holds one by its name."""
    if not command.words or shell.arguments(command)[0] is None or _runs_text(command) or not places.variable(name):
        raise UnsafeValue(f"Expected a fixed value for the variable {name}, which may say what runs or how")


def _check_flow(script: shell.Script, row: tuple[shell.Node, ...], inside: bool) -> None:
    """What a command with a value, the first of the row, prints must not become code: not through a pipe, not through a file in the same
    line, and not through a function or whatever else is around it."""
    nodes = [*script.nodes()]
    if any(isinstance(node, shell.Compound) and node.kind in ("function", "coproc") for node in nodes):
        raise UnsafeValue("Expected no value beside a function, which may run what it is given")
    if inside and any(map(_runs_text, script.commands())):
        raise UnsafeValue("Expected no value inside of commands that run what they read")
    for later in row[1:]:
        if any(map(_runs_text, shell.Script("", (shell.Pipeline((later,)),), ("",)).commands())):
            raise UnsafeValue("Expected no value in front of a program that runs what it reads")
    writes = any(redirect.operator not in ("<", "<&", "<<", "<<-", "<<<") for node in row for redirect in node.redirects)
    if writes and any(map(_runs_text, script.commands())):
        raise UnsafeValue("Expected no value in a file that the same line may run")


def _check_input(command: shell.Simple, redirect: shell.Redirect) -> None:
    """A value may be the input of a program that takes any text for text."""
    name = (shell.arguments(command) or ("",))[0] or ""
    if redirect.operator.startswith("<<") and name not in READS_TEXT:
        raise UnsafeValue("Expected a fixed text for the input of a program that may run it")


READS_TEXT = frozenset("cat grep wc base64 tr cut sort head tail md5sum sha1sum sha256sum".split())
"""Programs that only print, count or compare what they read."""


def _runs_text(command: shell.Simple) -> bool:
    name = (shell.arguments(command) or ("",))[0]
    name = "" if name is None else name.rsplit("/", 1)[-1]
    return not name or name in RUNNERS or INTERPRETER.fullmatch(name) is not None


def _check_place(command: shell.Simple, index: int, before: str) -> None:
    """Holes are never programs and never code: nothing that a program reads as a second language, and no part of an option's name."""
    words = shell.arguments(command)
    if index == 0 or words[0] is None:
        raise UnsafeValue("Expected a value in the place of an argument, not of a program")
    program = words[0].rsplit("/", 1)[-1]
    for known, allowed, what in (
        (program in RUNNERS, _runs_fixed(words, index), "arguments, which it runs as a command"),
        (INTERPRETER.fullmatch(program), _after_script(words, index), "code"),
        (program in FILTERS, _after_program(words, index), "program of its own language"),
        (_names_task(program, words, index), False, "sub-command or task, which says what it does"),
        (_running(words[:index]), places.before_command(words, index), "arguments, which it runs as a command"),
        (_code_option(program, words, index), False, "value of an option that runs programs"),
        (before.startswith("-") and "=" not in before, False, "option"),
        (program in EVALUATING and "-v" in words[:index], False, "variable name, which the shell evaluates"),
    ):
        if known and not allowed:
            raise UnsafeValue(f"Expected for {program} a fixed {what}")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


FIXED_RUNNERS = frozenset(("sudo", "nohup", "command", "npx", "bunx", "uvx"))
"""Runners that are understood: what follows their options is the command that runs."""
RUNNERS = FIXED_RUNNERS | _words(
    "env timeout time nice ionice stdbuf strace ltrace watch flock xargs parallel ssh chroot setsid doas su runuser script eval exec "
    "source . pipx find osascript psql mysql sqlite3 mongo redis-cli tclsh expect at batch crontab "
    "gdb make trap builtin let unset alias declare export local readonly typeset read mapfile pkexec busybox systemd-run hyperfine "
    "compgen complete bind enable bc dc ed ex vi vim nvim view emacs nano screen tmux powershell pwsh cmd entr unshare nsenter "
    "firejail xterm start-stop-daemon run-parts setarch taskset chrt cgexec dbus-run-session "
    "socat lftp rlwrap unbuffer fakeroot sshpass gosu su-exec valgrind proxychains proxychains4 torsocks faketime dotenv nix-shell ansible "
    "ansible-playbook mongosh mysqlsh mariadb duckdb sqlcmd cqlsh clickhouse-client gfind"
)
"""Programs that take a command, another language or names that the shell evaluates as arguments."""
INTERPRETER = re.compile(
    r"(?:ba|z|da|k|fi|a|c|tc)?sh|i?(?:python|pypy|perl|ruby|php|lua|node|nodejs)[0-9.]*|deno|bun|Rscript|julia|tsx|ts-node|groovy|scala|ghci?"
)
"""Programs whose first operand, or the value of -c or -e, is code."""
FILTERS = _words("awk gawk mawk nawk sed gsed jq yq")
"""Programs whose first operand is a program in a language of their own."""
CONTAINERS = _words(
    "docker docker-compose podman nerdctl kubectl oc npm pnpm yarn uv poetry pipenv hatch pdm rye conda mamba cargo go bundle heroku lxc "
    "vagrant flatpak snap toolbox distrobox"
)
"""Programs with sub-commands that run what they are given, wherever options stand."""
RUNNING_VERBS = _words("exec run x dlx debug ssh shell attach")
SCRIPTED = _words("npm pnpm yarn")
"""Here `run NAME` starts a script of the project by its fixed name, as a path would; `create` and `init` fetch a package and run it."""
EVALUATING = _words("test [ printf")
"""Builtins whose option -v takes a name with a subscript, which bash evaluates."""
CODE_OPTIONS = _words(
    "--exec --eval --command --upload-pack --receive-pack --rsh --rsync-path --pre --use-compress-program --compress-program --to-command "
    "--checkpoint-action --open-files-in-pager --ext-diff --config-env --exec-path --hostname-bin --pager --editor --init-file --rcfile "
    "--filter --extcmd --unzip-command --info-script --new-volume-script --rmt-command --rsh-command --preprocessor --post-file --config "
    "--execute --kubeconfig --plugin --require --config-file"
)
"""Options of many programs whose value is run, or names what is run, where programs come from or where all that is said goes."""
_COMPILER = _words("-include -imacros -fplugin -fpass-plugin -B -wrapper -specs --specs -Xclang -load -Xlinker -Wl")
_COMPOSE = _words("-f --file --env-file --project-directory")
_STRATEGY = "-s -X --strategy --strategy-option"
_INDEX = _words(
    "-i --index-url --extra-index-url -f --find-links -r --requirement -c --constraint -e --editable --python --config-settings"
)
_SSH = _words("-o -S -F -D -J -P")
CODE_SHORT: Mapping[str, frozenset[str]] = {
    "tar": _words("-I -F -T --files-from --use-compress-program --to-command --checkpoint-action --info-script --new-volume-script"),
    "zip": _words("-TT --unzip-command"),
    "curl": _words(
        "-K --config --libcurl --engine --proto-default -x --proxy --preproxy --socks4 --socks4a --socks5 --socks5-hostname --resolve "
        "--connect-to --doh-url --dns-servers --unix-socket --abstract-unix-socket --variable --expand-url --expand-data --expand-header"
    ),
    "wget": _words("-e --execute --use-askpass --config -i --input-file"),
    "aria2c": _words("--conf-path --on-download --on-bt-download-complete"),
    "rsync": _words("-e -M --rsh --rsync-path --remote-option --config --early-exec"),
    "scp": _SSH,
    "sftp": _SSH | {"-b", "-s"},
    "ssh-keygen": _words("-D -w"),
    "ssh-add": _words("-s -S"),
    "man": _words("-P -H -C -T -p -K -X --pager --html --config-file --preprocessor --troff-device"),
    "less": _words("-k --lesskey-file --lesskey-src --lesskey-content"),
    "split": _words("--filter"),
    "sort": _words("--compress-program"),
    "install": _words("--strip-program"),
    "rg": _words("--pre --hostname-bin"),
    "fd": _words("-x -X --exec --exec-batch"),
    "fdfind": _words("-x -X --exec --exec-batch"),
    "yq": _words("-s -f -L --split-exp --split-exp-file --from-file"),
    **dict.fromkeys(_words("gcc g++ cc c++ clang clang++ ld tcc"), _COMPILER),
    "go": _words("-toolexec -exec -vettool -overlay -modfile -ldflags -gcflags -asmflags -gccgoflags -compiler"),
    "cargo": _words("--config --manifest-path -Z"),
    "cmake": _words("-P -C -E --toolchain --build"),
    "pip": _INDEX,
    "pip3": _INDEX,
    "uv": _INDEX | {"--default-index", "--index"},
    "npm": _words("--script-shell --shell --node-options --registry --userconfig --globalconfig --git --viewer --editor --browser"),
    "pnpm": _words("--script-shell --shell-emulator --node-options --registry --global-pnpmfile --pnpmfile"),
    "yarn": _words("--script-shell --registry --use-yarnrc"),
    "pytest": _words("-p -c -o -W --rootdir --confcutdir --override-ini"),
    "pylint": _words("--load-plugins --rcfile --init-hook"),
    "gcloud": _words("--flags-file"),
    "tcpdump": _words("-z"),
    "tshark": _words("-X"),
    "nmap": _words("--script --script-args-file --datadir -iL"),
    "aws": _words("--endpoint-url --cli-input-json --cli-input-yaml --parameters"),
    "az": _words("--scripts"),
    "ffmpeg": _words("-vf -af -filter:v -filter:a -filter_complex -filter_complex_script -filter_script:v -lavfi"),
    **dict.fromkeys(_words("convert magick mogrify montage composite identify"), _words("-draw -fx -set -process -write")),
    "nc": _words("-e -c --exec --sh-exec --lua-exec"),
    "ncat": _words("-e -c --exec --sh-exec --lua-exec"),
    "mypy": _words("--config-file --python-executable"),
    "eslint": _words("-c --config --rulesdir --plugin --parser --format -f --resolve-plugins-relative-to"),
    "jest": _words("-c --config"),
    "mocha": _words("-r --require --config"),
    "gradle": _words("-I -b -c -p --init-script --build-file --settings-file --project-dir"),
    "mvn": _words("-f -s -gs -t --file --settings"),
    "ninja": _words("-f -C"),
    "just": _words("-f --justfile --shell"),
    "rake": _words("-f -r -e -p --rakefile --require"),
    "docker": _words("-H --host --config --tlscacert"),
    "docker-compose": _COMPOSE,
    "docker compose": _COMPOSE,
    "docker build": _words("-f --file --secret --ssh"),
    "docker buildx": _words("-f --file"),
    "docker create": _words("-v --volume --mount --entrypoint --device --privileged --env-file"),
    "docker stack": _words("-c --compose-file"),
    "podman build": _words("-f --file"),
    "podman compose": _COMPOSE,
    "podman create": _words("-v --volume --mount --entrypoint --device --hooks-dir"),
    "kubectl": _words("--kubeconfig -s --server"),
    "helm": _words("--post-renderer --kubeconfig"),
    "openssl": _words("-engine -provider -provider-path -config"),
    "journalctl": _words("-H --host"),
    "git clone": _words("-u -c --upload-pack --config --template"),
    "git init": _words("--template"),
    "git merge": _words(_STRATEGY),
    "git rebase": _words(_STRATEGY + " -x --exec"),
    "git pull": _words(_STRATEGY + " --upload-pack"),
    "git cherry-pick": _words("-X --strategy --strategy-option"),
    "git revert": _words("-X --strategy --strategy-option"),
    "git fetch": _words("--upload-pack"),
    "git ls-remote": _words("--upload-pack --exec"),
    "git push": _words("--receive-pack --exec"),
    "git archive": _words("--exec --remote --format"),
    "git grep": _words("-O --open-files-in-pager"),
    "git difftool": _words("-x -t --extcmd --tool"),
    "git mergetool": _words("-t --tool"),
    "git submodule": _words("--template"),
    "git send-email": _words("--smtp-server --sendmail-cmd --to-cmd --cc-cmd --header-cmd"),
}
"""The same, of one program, or of one verb of it."""
UNSHORTENED = _words(
    "uv npm pnpm yarn docker docker-compose podman kubectl helm cargo go curl rsync fd fdfind rg cmake gradle mvn rake just jest"
)
"""Programs that take no shortened option."""
PATHS_OF_UNITS = _words("enable reenable link edit")
"""Verbs of `systemctl` whose operand may be a file out of any folder."""


def _code_option(program: str, words: tuple[str | None, ...], index: int) -> bool:
    """Whether the hole is the value of an option that runs programs or sets how they run (`git -c core.pager=…`), also where the
    option is shortened, as GNU programs allow; and whatever `git config` sets but for the owner's name."""
    word, before = words[index] or "", words[index - 1] or ""
    names = (before, word.split("=", 1)[0] if "=" in word else "")
    verbs = {name for name in words[1:index] if name is not None and not name.startswith("-")}
    if program == "git":
        verb = _verb_at(words)
        if index <= verb:
            return before not in ("-C", "--work-tree", "--namespace") and not word.startswith(("--work-tree=", "--namespace="))
        verbs = {words[verb] or ""}
        if verbs == {"config"} and before not in ("user.name", "user.email"):
            return True
    own = CODE_SHORT.get(program, frozenset()).union(*(CODE_SHORT.get(f"{program} {verb}", ()) for verb in verbs))
    own -= {"-f"} if "logs" in verbs else frozenset()
    long = any(name.startswith("--") and len(name) > 4 and any(option.startswith(name) for option in CODE_OPTIONS) for name in names)
    units = program == "systemctl" and bool(verbs & PATHS_OF_UNITS)
    return long or units or any(_spells(name, own, program not in UNSHORTENED) for name in names)


def _verb_at(words: tuple[str | None, ...]) -> int:
    """Where the verb of `git` stands: behind its own options and their values."""
    at = 1
    while at < len(words) and (words[at] or "-").startswith("-"):
        at += 2 if words[at] in GIT_VALUED else 1
    return at


GIT_VALUED = _words("-C -c --git-dir --work-tree --namespace --config-env --attr-source --super-prefix")
"""Options of `git` before the verb that take the next word."""


def _spells(name: str, options: frozenset[str], shortened: bool) -> bool:
    """Whether the text of an option is one of these; one letter may have others before it or a value joined to it, but for `-DNAME=`."""
    if name.startswith("--"):
        return name in options or shortened and len(name) > 2 and any(option.startswith(name) for option in options)
    cluster = name[1:] if name.startswith("-") and not name.startswith("-D") else ""
    words = [option for option in options if len(option) > 2 and option[1] != "-"]
    return name in options or any(f"-{letter}" in options for letter in cluster) or any(name.startswith(option) for option in words)


def _running(words: tuple[str | None, ...]) -> bool:
    """Whether a sub-command before the hole runs what follows."""
    program = (words[0] or "").rsplit("/", 1)[-1]
    if program == "git":
        return any(one in words and two in words for one, two in GIT_RUNNING)
    if program in ("fd", "fdfind"):
        return any(word is None or re.match(r"-\w*[xX]|--exec", word) for word in words[1:])
    verbs = RUNNING_VERBS - {"run"} | {"create", "init"} if program in SCRIPTED else RUNNING_VERBS
    return program in CONTAINERS and any(word in verbs for word in words[1:])


GIT_RUNNING = (
    ("bisect", "run"),
    ("submodule", "foreach"),
    ("hook", "run"),
    ("filter-branch", "filter-branch"),
    ("for-each-repo", "for-each-repo"),
)
"""Verbs of `git` that run what follows."""


def _operands_before(words: tuple[str | None, ...], index: int) -> list[str | None]:
    return [word for word in words[1:index] if word is None or not word.startswith("-")]


def _runs_fixed(words: tuple[str | None, ...], index: int) -> bool:
    """Whether the inner command is fixed, one that takes plain arguments, and the hole comes after it."""
    inner = next((i for i, word in enumerate(words) if i and (word is None or not word.startswith("-"))), index)
    if words[0] not in FIXED_RUNNERS or inner >= index or any(word is None or word.startswith("-") for word in words[1:inner]):
        return False
    program = (words[inner] or "").rsplit("/", 1)[-1]
    plain = bool(program) and program not in RUNNERS | FILTERS and not INTERPRETER.fullmatch(program)
    return plain and not _running(words[inner:index]) and not _code_option(program, words[inner:], index - inner)


TASKED = _words("ant composer dotnet gradle gradlew invoke just mvn mvnw nox nx rake task")
"""Programs whose first operand names what a project runs."""
ANY_NAME = frozenset((("gh", "api"), ("git", "config")))
"""Sub-commands behind which any name may stand beside the verbs."""


def _names_task(program: str, words: tuple[str | None, ...], index: int) -> bool:
    """Whether the hole is the sub-command itself, its verb, or the script of a project that is to run."""
    told, after = shell.head((*words[:index], "hole")), words[index - 1] or ""
    valued = after.startswith("-") and any(word is None or not word.startswith("-") for word in words[index + 1 :])
    if told[-1] == "hole" and len(told) > 1 and not valued:
        return told[:2] not in ANY_NAME
    return program in SCRIPTED | {"bun"} and after in ("run", "run-script") or program in TASKED and index == 1


def _after_script(words: tuple[str | None, ...], index: int) -> bool:
    """Whether a script file with fixed name stands before the hole and no option came before it (`-c`, `-e`, `-m`)."""
    return words[1] is not None and not words[1].startswith("-") and index > 1


def _after_program(words: tuple[str | None, ...], index: int) -> bool:
    """Whether the filter's own program is fixed and before the hole, and no option can bring in more code."""
    harmless = ("-n", "-r", "-E", "-s", "-c", "-S")
    options = [word for word in words[1:] if word is not None and word.startswith("-")]
    return bool(_operands_before(words, index)) and all(option in harmless for option in options)


def _substituted(tree: object, fill: Callable[[str], str]) -> object:
    """The signature with every text filled."""
    if isinstance(tree, tuple):
        return tuple([_substituted(part, fill) for part in tree])
    return fill(tree) if isinstance(tree, str) else tree
