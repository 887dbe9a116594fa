"""What commands have in common: when two do the same, and which programs and sub-commands they name; it never runs anything.

The trees come from grammar, which reads them, and are made of what stands in syntax; this is the door to both for everyone else.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping

from .grammar import parse
from .syntax import Compound, Node, Piece, Pipeline, Redirect, Script, Simple, Word, inside, pieces_of, words_of

__all__ = [
    "Compound", "Node", "Piece", "Pipeline", "Redirect", "Script", "Simple", "Word",
    "arguments", "head", "inside", "parse", "pieces_of", "programs", "signature", "skeleton", "words_of",
]  # fmt: skip


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ACTIVE = frozenset("*?[~")
"""Characters that bash treats specially only where they are not quoted."""
_ACTIVE_RUNS = re.compile(r"[*?\[~]|[^*?\[~]+")


# ── What two commands must share to count as the same ────────────────────────────────────────────


def signature(script: Script) -> tuple[object, ...]:
    """The tree without spans and without the choice of quotes: equal signatures mean that bash runs the same programs
    with the same arguments, operators and redirections."""
    return tuple(
        (tuple(_command(command) for command in pipeline.commands), pipeline.pipes, pipeline.prefix, operator)
        for pipeline, operator in zip(script.pipelines, script.operators, strict=True)
    )


def _command(command: Node) -> tuple[object, ...]:
    words = tuple(map(_word, command.words))
    redirects = tuple((one.descriptor, one.operator, _word(one.target), one.body) for one in command.redirects)
    if isinstance(command, Simple):
        return tuple((name, _word(word)) for name, word in command.assignments), words, redirects
    return command.kind, command.name, command.marks, words, tuple(map(signature, command.scripts)), redirects


def _word(word: Word) -> tuple[object, ...]:
    """Runs of text joined whatever their quotes; unquoted globs and tildes, variables and substitutions apart."""
    parts: list[tuple[object, ...]] = []
    for piece in word.pieces:
        if piece.inner is not None:
            parts.append((piece.kind, piece.quote, signature(piece.inner)))
        elif piece.kind == "text":
            _add_text(parts, piece)
        else:
            parts.append((piece.kind, piece.quote, piece.value))
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
MOST_WRAPPERS = 10
"""Wrappers inside each other that are looked into."""
_VERB = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


def head(words: tuple[str | None, ...], depth: int = 0) -> tuple[str, ...]:
    """Program and sub-commands of an argument list (None for what is not fixed): ("git", "stash", "pop")."""
    if not words or words[0] is None:
        return ("",)
    program, rest = words[0], words[1:]
    name = program.rsplit("/", 1)[-1] if program.startswith(("/bin/", "/usr/bin/", "/usr/local/bin/")) else program
    operands = list(_operands(name, rest))
    if name in WRAPPERS:
        return (name, *head(rest[operands[0][0] :], depth + 1)) if operands and depth < MOST_WRAPPERS else (name,)
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
    """Program and sub-commands of every simple command in order, and the word that opens any other: ("git checkout", "for", "wc")."""
    return tuple(node.kind if isinstance(node, Compound) else " ".join(head(arguments(node))) for node in script.nodes())


def skeleton(script: Script) -> tuple[str, ...]:
    """The programs in order as `programs` has them; what opens another command carries a digest of all that no value may stand in: the list
    of a loop, the patterns of `case`, an expression, a name."""
    names = zip(script.nodes(), programs(script), strict=True)
    return tuple(f"{name}={_digest(node)}" if isinstance(node, Compound) and node.kind not in BARE else name for node, name in names)


BARE = frozenset(("(", "{", "while", "until", "coproc"))
"""What opens commands and says nothing more."""


def _digest(node: Compound) -> str:
    own = repr((node.name, node.marks, [[piece.value for piece in word.pieces] for word in node.words]))
    return hashlib.sha256(own.encode("utf-8", "surrogatepass")).hexdigest()[:8]
