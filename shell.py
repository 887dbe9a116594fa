"""Reads a shell command into a tree with source spans, as bash would split it; what it does not understand it calls opaque, and it never
runs anything.

Grammar after the POSIX shell language (XCU 2.3 and 2.10) as far as agents use it: simple commands, quotes, escapes, pipes,
`&& || ;` and newlines, redirections, here-documents, variables, `$(…)`, assignments before a command, comments. Sub-shells,
groups, keywords, functions, background, globs in braces and arithmetic are opaque.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from .model import OpaqueCommand


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MAX_DEPTH = 10
MAX_LENGTH = 65_536
KEYWORDS = _words("if then else elif fi for while until do done case esac select function time coproc ! { } [[ ]] in")
OPERATORS = ("&&", "||", ";", "\n")
REDIRECTS = ("&>>", "<<-", "<<", ">>", ">|", ">&", "<&", "&>", "<>", ">", "<")
_BLANK = " \t"
_WORD_END = frozenset(" \t\n;|&<>()")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_VARIABLE = re.compile(r"\$(?:[A-Za-z_][A-Za-z0-9_]*|\{[A-Za-z_][A-Za-z0-9_]*\}|[0-9?$!#@*-])")
_DIGITS = re.compile(r"[0-9]*")
_BRACED = re.compile(r"\{[^{}\s]{0,4096}")
_ACTIVE = frozenset("*?[~")
"""Characters that bash treats specially only where they are not quoted."""
_ACTIVE_RUNS = re.compile(r"[*?\[~]|[^*?\[~]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a word: `kind` is "text", "variable" or "substitution"; `quote` is "", "'", '"' or a backslash."""

    kind: str
    quote: str
    start: int
    end: int
    value: str
    """Text as the program will receive it; for the other kinds the source."""
    inner: Script | None = None


@dataclass(frozen=True, slots=True)
class Word:
    """One argument as written; `pieces` in order."""

    pieces: tuple[Piece, ...]
    start: int
    end: int

    @property
    def value(self) -> str | None:
        """The argument as the program receives it; None when it depends on a variable or another command."""
        return "".join(piece.value for piece in self.pieces) if self.fixed else None

    @property
    def fixed(self) -> bool:
        return all(piece.kind == "text" for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Redirect:
    """`fd operator target`; for a here-document `body` holds its text."""

    descriptor: str
    operator: str
    target: Word
    body: str | None = None


@dataclass(frozen=True, slots=True)
class Simple:
    """A simple command: assignments, words (the first is the program), redirections."""

    assignments: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...]


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Simple commands joined by `|`."""

    commands: tuple[Simple, ...]


@dataclass(frozen=True, slots=True)
class Script:
    """Pipelines with the operator after each ("" after the last)."""

    text: str
    pipelines: tuple[Pipeline, ...]
    operators: tuple[str, ...]

    def commands(self) -> Iterator[Simple]:
        """Every simple command in source order, those inside `$(…)` after the command that holds them."""
        for pipeline in self.pipelines:
            for command in pipeline.commands:
                yield command
                for word in words_of(command):
                    for piece in word.pieces:
                        if piece.inner is not None:
                            yield from piece.inner.commands()


def words_of(command: Simple) -> Iterator[Word]:
    """Every word of a command: values of assignments, arguments, targets of redirections."""
    yield from (word for _, word in command.assignments)
    yield from command.words
    yield from (redirect.target for redirect in command.redirects)


@lru_cache(maxsize=4096)
def parse(text: str) -> Script:
    """The tree of a command; OpaqueCommand with the place of the first thing that is not understood."""
    if len(text) > MAX_LENGTH:
        raise OpaqueCommand(f"Expected a command of at most {MAX_LENGTH} characters, got {len(text)}")
    reader = _Reader(text)
    script = reader.script(until="")
    if not script.pipelines:
        raise reader.opaque("Expected a command")
    return _filled(script, reader.bodies) if reader.bodies else script


def _filled(script: Script, bodies: Mapping[int, str]) -> Script:
    """The script with the bodies of its here-documents, which stand behind the line that names them, at their redirections."""
    pipelines = (Pipeline(tuple(_with_bodies(command, bodies) for command in pipeline.commands)) for pipeline in script.pipelines)
    return replace(script, pipelines=tuple(pipelines))


def _with_bodies(command: Simple, bodies: Mapping[int, str]) -> Simple:
    assignments = tuple((name, _inside(word, bodies)) for name, word in command.assignments)
    redirects = (replace(one, target=_inside(one.target, bodies), body=bodies.get(one.target.start)) for one in command.redirects)
    return Simple(assignments, tuple(_inside(word, bodies) for word in command.words), tuple(redirects))


def _inside(word: Word, bodies: Mapping[int, str]) -> Word:
    pieces = (piece if piece.inner is None else replace(piece, inner=_filled(piece.inner, bodies)) for piece in word.pieces)
    return replace(word, pieces=tuple(pieces))


class _Reader:
    """One pass over the text; `at` only moves forward."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.depth = text, 0, 0
        self.waiting: list[tuple[int, bool, str, bool]] = []  # here-documents whose body comes after this line
        self.bodies: dict[int, str] = {}  # start of the word that ends it → body

    def opaque(self, wanted: str) -> OpaqueCommand:
        return OpaqueCommand(wanted, source=self.text, at=min(self.at, len(self.text)))

    def peek(self, size: int = 1) -> str:
        return self.text[self.at : self.at + size]

    def skip(self) -> None:
        """Blanks and a comment; both end before the newline."""
        while self.peek() and self.peek() in _BLANK:
            self.at += 1
        if self.peek() == "#":
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end

    def script(self, until: str) -> Script:
        start, pipelines, operators = self.at, [], []
        while True:
            self._blank_lines()
            if self._ended(until):
                break
            pipelines.append(self.pipeline())
            operator = self._operator(until)
            operators.append(operator)
            if not operator:
                break
        if operators and operators[-1] in ("&&", "||"):
            raise self.opaque(f"Expected a command after {operators[-1]}")
        if self.waiting:
            raise self.opaque("Expected the text of the here-document after its line")
        return Script(self.text[start : self.at], tuple(pipelines), tuple(operators))

    def _blank_lines(self) -> None:
        self.skip()
        while self.peek() == "\n":
            self._newline()
            self.skip()

    def _ended(self, until: str) -> bool:
        return self.at >= len(self.text) or bool(until) and self.peek() == until

    def _operator(self, until: str) -> str:
        self.skip()
        if self._ended(until):
            return ""
        for operator in OPERATORS:
            if self.text.startswith(operator, self.at) and not self.text.startswith(";;", self.at):
                if operator == "\n":
                    self._newline()
                else:
                    self.at += len(operator)
                return operator
        raise self.opaque("Expected one of && || ; or the end")

    def _newline(self) -> None:
        """The end of a line, and the bodies of the here-documents that it named."""
        self.at += 1
        for number, (key, strip, delimiter, quoted) in enumerate(self.waiting):
            self.at += number > 0 and self.peek() == "\n"
            self.bodies[key] = self._body(strip, delimiter, quoted)
        self.waiting.clear()

    def _body(self, strip: bool, delimiter: str, quoted: bool) -> str:
        start = self.at
        while self.at < len(self.text):
            end = self.text.find("\n", self.at)
            end = len(self.text) if end < 0 else end
            line = self.text[self.at : end]
            if (line.lstrip("\t") if strip else line) == delimiter:
                body = self.text[start : self.at]
                self.at = end
                if not quoted and any(mark in body for mark in "$`\\"):
                    raise self.opaque("Expected a here-document without expansions")
                return body
            self.at = min(end + 1, len(self.text))
        raise self.opaque(f"Expected the line {delimiter!r} that ends the here-document")

    def pipeline(self) -> Pipeline:
        commands = [self.simple()]
        self.skip()
        while self.peek() == "|" and self.peek(2) != "||":
            if self.peek(2) == "|&":
                raise self.opaque("Expected a plain pipe")
            self.at += 1
            self._blank_lines()
            commands.append(self.simple())
            self.skip()
        return Pipeline(tuple(commands))

    def simple(self) -> Simple:
        assignments: list[tuple[str, Word]] = []
        words: list[Word] = []
        redirects: list[Redirect] = []
        while True:
            self.skip()
            redirect = self._redirect()
            if redirect is not None:
                redirects.append(redirect)
                continue
            if self.at >= len(self.text) or self.peek() in ";|\n&)":
                break
            name = "" if words else self._assigned()
            word = self.word(allow_empty=bool(name))
            if name:
                assignments.append((name, word))
            else:
                self._no_keyword(word, first=not words)
                words.append(word)
        if not (words or assignments or redirects):
            raise self.opaque("Expected a command")
        return Simple(tuple(assignments), tuple(words), tuple(redirects))

    def _assigned(self) -> str:
        """The name of an assignment that starts here, moving past its `=`; "" when there is none."""
        match = _NAME.match(self.text, self.at)
        if match and self.text.startswith(("+=", "["), match.end()):
            raise self.opaque("Expected a plain assignment")
        if match and self.text.startswith("=", match.end()):
            self.at = match.end() + 1
            return match.group()
        return ""

    def _no_keyword(self, word: Word, first: bool) -> None:
        bare = len(word.pieces) == 1 and word.pieces[0].quote == "" and word.pieces[0].kind == "text"
        written = self.text[word.start : word.end]
        if bare and first and written in KEYWORDS:
            self.at = word.start
            raise self.opaque(f"Expected a simple command, not the keyword {written!r}")

    def _redirect(self) -> Redirect | None:
        digits = _DIGITS.match(self.text, self.at).group()  # type: ignore[union-attr]  # it matches everywhere
        here = self.at + len(digits)
        operator = next((op for op in REDIRECTS if self.text.startswith(op, here)), "")
        if not operator:
            return None
        if self.text.startswith(("<(", ">(", "<<<"), here):
            raise self.opaque("Expected a plain redirection")
        self.at = here + len(operator)
        self.skip()
        target = self.word(allow_empty=False)
        if operator in ("<<", "<<-"):
            self._await_body(operator == "<<-", target)
        return Redirect(digits, operator, target)

    def _await_body(self, strip: bool, target: Word) -> None:
        if target.value is None:
            raise self.opaque("Expected a fixed end mark of a here-document")
        quoted = any(piece.quote for piece in target.pieces) or "\\" in self.text[target.start : target.end]
        self.waiting.append((target.start, strip, target.value, quoted))

    def word(self, allow_empty: bool) -> Word:
        start = self.at
        pieces: list[Piece] = []
        while self.at < len(self.text) and self.peek() not in _WORD_END:
            pieces.extend(self._pieces())
        if self.peek() == "(":
            raise self.opaque("Expected a word without a sub-shell")
        if not pieces and not allow_empty:
            raise self.opaque("Expected a word")
        return Word(tuple(pieces), start, self.at)

    def _pieces(self) -> Iterator[Piece]:
        head = self.peek()
        if head == "'":
            yield self._single()
        elif head == '"':
            yield from self._double()
        elif head in "$`":
            yield self._dollar("")
        elif head == "\\":
            yield self._escaped()
        else:
            yield self._bare()

    def _escaped(self) -> Piece:
        start = self.at
        character = self.text[start + 1 : start + 2]
        if character in ("", "\n"):
            raise self.opaque("Expected a character after the backslash")
        self.at += 2
        return Piece("text", "\\", start, self.at, self._plain(start + 1, start + 2))

    def _single(self) -> Piece:
        start = self.at + 1
        end = self.text.find("'", start)
        if end < 0:
            raise self.opaque("Expected a closing single quote")
        self.at = end + 1
        return Piece("text", "'", start, end, self._plain(start, end))

    def _double(self) -> Iterator[Piece]:
        self.at += 1
        start, value, empty = self.at, "", True
        while True:
            head = self.peek()
            if head == "":
                raise self.opaque("Expected a closing double quote")
            if head in '"$`' and (self.at > start or head == '"' and empty):
                yield Piece("text", '"', start, self.at, value)
            if head == '"':
                self.at += 1
                return
            if head in "$`":
                yield self._dollar('"')
                start, value, empty = self.at, "", False
                continue
            if head == "\\" and self.text[self.at + 1 : self.at + 2] in tuple('$`"\\'):
                value += self.text[self.at + 1]
                self.at += 2
            elif head == "\\" and self.text[self.at + 1 : self.at + 2] == "\n":
                raise self.opaque("Expected no line continuation")
            else:
                value += self._plain(self.at, self.at + 1)
                self.at += 1

    def _plain(self, start: int, end: int) -> str:
        text = self.text[start:end]
        if "\0" in text or "\r" in text:
            self.at = start
            raise self.opaque("Expected no control characters")
        return text

    def _bare(self) -> Piece:
        start = self.at
        while self.at < len(self.text) and self.peek() not in _WORD_END and self.peek() not in "'\"$`\\":
            if self.peek() == "{" and self._brace_expands():
                raise self.opaque("Expected no brace expansion")
            self.at += 1
        return Piece("text", "", start, self.at, self._plain(start, self.at))

    def _brace_expands(self) -> bool:
        """Whether `{…}` from here expands: it holds a comma or `..` before it closes (bash manual, Brace Expansion)."""
        match = _BRACED.match(self.text, self.at)
        return match is not None and ("," in match.group() or ".." in match.group() or self.text.startswith("{", match.end()))

    def _dollar(self, quote: str) -> Piece:
        start = self.at
        if self.text.startswith("$((", start) or self.text.startswith("`", start):
            raise self.opaque("Expected no arithmetic and no back-quotes")
        if self.text.startswith("$(", start):
            return self._substitution(quote)
        match = _VARIABLE.match(self.text, start)
        if match:
            self.at = match.end()
            return Piece("variable", quote, start, self.at, match.group())
        after = self.text[start + 1 : start + 2]
        if after and after not in _WORD_END and after != '"' or after == '"' and not quote:
            raise self.opaque("Expected a plain variable")
        self.at += 1
        return Piece("text", quote, start, self.at, "$")

    def _substitution(self, quote: str) -> Piece:
        start, self.depth = self.at, self.depth + 1
        if self.depth > MAX_DEPTH:
            raise self.opaque(f"Expected at most {MAX_DEPTH} nested commands")
        waiting, self.waiting = self.waiting, []
        self.at += 2
        inner = self.script(until=")")
        if self.peek() != ")":
            raise self.opaque("Expected ) at the end of $(")
        if not inner.pipelines:
            raise self.opaque("Expected a command inside $(")
        self.at += 1
        self.depth, self.waiting = self.depth - 1, waiting
        return Piece("substitution", quote, start, self.at, self.text[start : self.at], inner)


# ── What two commands must share to count as the same ────────────────────────────────────────────


def signature(script: Script) -> tuple[object, ...]:
    """The tree without spans and without the choice of quotes: equal signatures mean that bash runs the same programs
    with the same arguments, operators and redirections."""
    return tuple(
        (tuple(_command(command) for command in pipeline.commands), operator)
        for pipeline, operator in zip(script.pipelines, script.operators, strict=True)
    )


def _command(command: Simple) -> tuple[object, ...]:
    return (
        tuple((name, _word(word)) for name, word in command.assignments),
        tuple(_word(word) for word in command.words),
        tuple((redirect.descriptor, redirect.operator, _word(redirect.target), redirect.body) for redirect in command.redirects),
    )


def _word(word: Word) -> tuple[object, ...]:
    """Runs of text joined whatever their quotes; unquoted globs and tildes, variables and substitutions apart."""
    parts: list[tuple[object, ...]] = []
    for piece in word.pieces:
        if piece.kind == "substitution" and piece.inner is not None:
            parts.append(("substitution", piece.quote, signature(piece.inner)))
        elif piece.kind == "variable":
            parts.append(("variable", piece.quote, piece.value))
        else:
            _add_text(parts, piece)
    return tuple(parts)


def _add_text(parts: list[tuple[object, ...]], piece: Piece) -> None:
    for run in _runs(piece):
        if run[0] == "text" and parts and parts[-1][0] == "text":
            parts[-1] = ("text", f"{parts[-1][1]}{run[1]}")
        else:
            parts.append(run)


def _runs(piece: Piece) -> Iterator[tuple[object, ...]]:
    """A text piece cut at its active characters, which count only where nothing quotes them."""
    if piece.quote:
        yield ("text", piece.value)
        return
    for run in _ACTIVE_RUNS.findall(piece.value):
        yield ("active" if run in _ACTIVE else "text", run)


# ── Programs and sub-commands ────────────────────────────────────────────────────────────────────

ONE_DEEP = _words(
    "git npm yarn pnpm docker podman kubectl gh systemctl pip pip3 pipx cargo go apt apt-get brew alembic openssl ruff poetry uv "
    "helm terraform aws gcloud az dnf yum snap flatpak rustup conda composer bundle gem dotnet mvn gradle hg svn hermes "
    "launchctl nmcli ip tmux virsh vagrant ansible-galaxy heroku fly vercel netlify firebase supabase wrangler nx turbo lerna"
)
"""Programs whose first operand names what they do."""

TWO_DEEP: Mapping[str, frozenset[str]] = {
    "git": _words("bisect stash remote worktree submodule notes reflog lfs flow config"),
    "gh": _words("pr issue repo run workflow release gist auth secret variable label cache api"),
    "docker": _words("compose image container volume network system builder buildx context"),
    "podman": _words("image container volume network system pod"),
    "kubectl": _words("config rollout set create auth top"),
    "pip": _words("index cache config"),
    "pip3": _words("index cache config"),
    "uv": _words("pip tool python cache"),
    "npm": _words("config cache"),
    "aws": _words("s3 ec2 iam lambda sts logs ecs eks rds sqs sns dynamodb cloudformation ssm"),
    "gcloud": _words("compute container projects config auth run"),
    "az": _words("vm group account webapp acr aks storage"),
    "terraform": _words("state workspace"),
    "helm": _words("repo get show"),
    "hermes": _words("kata plugins sessions cron gateway tools"),
    "go": _words("mod tool work"),
    "cargo": frozenset(),
}
"""Sub-commands that are followed by a verb of their own."""

VALUED: Mapping[str, frozenset[str]] = {
    "git": frozenset(("-C", "-c", "--git-dir", "--work-tree", "--namespace")),
    "kubectl": frozenset(("-n", "--namespace", "--context", "--kubeconfig")),
    "docker": frozenset(("-H", "--host", "--context", "--config", "-f", "--file", "-p")),
    "npm": frozenset(("--prefix", "-C", "-w")),
    "hermes": frozenset(("-p", "--profile")),
    "sudo": frozenset(("-u", "-g", "-C", "-D", "-h", "-p")),
}
"""Options that stand before the sub-command and take the next word."""

WRAPPERS = frozenset(("sudo", "nohup", "command"))
_VERB = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


def head(words: tuple[str | None, ...], depth: int = 0) -> tuple[str, ...]:
    """Program and sub-commands of an argument list (None for what is not fixed): ("git", "stash", "pop")."""
    if not words or words[0] is None:
        return ("",)
    program, rest = words[0], words[1:]
    name = program.rsplit("/", 1)[-1] if program.startswith(("/bin/", "/usr/bin/", "/usr/local/bin/")) else program
    operands = list(_operands(name, rest))
    if name in WRAPPERS:
        return (name, *head(rest[operands[0][0] :], depth + 1)) if operands and depth < MAX_DEPTH else (name,)
    if name not in ONE_DEEP or not operands or not _is_verb(operands[0][1]):
        return (name,)
    first = str(operands[0][1])
    following = operands[0][0] + 1
    second = rest[following] if following < len(rest) else None
    if first in TWO_DEEP.get(name, frozenset()) and _is_verb(second):
        return (name, first, str(second))
    return (name, first)


def _operands(program: str, words: tuple[str | None, ...]) -> Iterator[tuple[int, str | None]]:
    """The words that are no options, with their index."""
    valued, skip = VALUED.get(program, frozenset()), False
    for index, word in enumerate(words):
        if skip:
            skip = False
        elif word is not None and word.startswith("-") and word != "-":
            skip = word in valued
        else:
            yield index, word


def _is_verb(word: str | None) -> bool:
    return word is not None and _VERB.fullmatch(word) is not None


def arguments(command: Simple) -> tuple[str | None, ...]:
    """The words of a command as the program receives them, None where one is not fixed."""
    return tuple(word.value for word in command.words)


def programs(script: Script) -> tuple[str, ...]:
    """Program and sub-commands of every simple command in order: ("git checkout", "npm run")."""
    return tuple(" ".join(head(arguments(command))) for command in script.commands())
