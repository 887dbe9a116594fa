"""Finds in a call of the agent what only a person may do: decide about a kata, or touch Kata's data, code or settings.
It reads the call and nothing else, runs nothing, and has no opinion on what it cannot read. A module of its own, because effects judges
what a step does to the world, whoever it belongs to."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from . import shell
from .effects import effect
from .model import PREFIX, SHELL_TOOLS, Call, Class, Json, OpaqueCommand

READS = frozenset("list show review runs status help near audit diff mine savings what-if".split())
"""Commands of Kata that decide nothing; whatever else there is, or will be, is put to the person."""
DECIDES = frozenset(
    "approve enable disable reject rollback run resume trust untrust bind import purge cleanup forget stop rename relax record teach "
    "learn export repair snooze undo wrong edit merge extend separate".split()
)
"""Words by which a decision is known where the command around them cannot be read."""
QUIET = frozenset(
    "read_file search_files web_search memory todo_list session_search clarify skills_list skill_view delegate_task tool_search "
    "tool_describe".split()
)
"""Tools that run nothing and write no file of ours, whatever their text says."""
FILES = frozenset({"write_file", "patch"})
INTERPRETERS = re.compile(
    r"(?:.*/)?(?:sh|bash|dash|zsh|ksh|ash|fish|busybox|python[0-9.]*|pypy[0-9.]*|perl|ruby|node|deno|bun|php|lua|expect|osascript|eval|source|"
    r"alias|exec|ssh|su|script|tmux|screen|watch|at|batch|crontab|parallel|xargs|docker|podman|nsenter|chroot|unshare|\.)"
)
"""Programs that run what a text says: their text is searched, since it cannot be parsed as one command."""
FEEDS = re.compile(r"(?:.*/)?(?:xargs|parallel)")
"""Programs that give a command more words, which nobody sees here."""
HERMES = re.compile(r"(?:.*/)?hermes(?:_cli[\w.]*|-agent[\w.]*)?")
PLACE = re.compile(r"(?:plugin-data|plugins)/kata(?![\w-])", re.IGNORECASE)
API = re.compile(r"/api/plugins/kata(?![\w-])", re.IGNORECASE)
SETTING = re.compile(r"plugins\.entries\.kata(?![\w-])", re.IGNORECASE)
CONFIG = ("config.yaml", "config.yml")
MANAGED = {
    "plugins": frozenset("list show info validate doctor search browse".split()),
    "config": frozenset("show get list path check".split()),
    "tools": frozenset("list show".split()),
}
"""Commands of Hermes through which Kata is installed or set up: their words that only look."""
_DECIDING = "|".join(sorted(DECIDES))
_SLASH = rf"(?:^|[\s'\"])/kata\s{{1,9}}(?:--json\s+)?(?:{_DECIDING})\b"
SLASH = re.compile(_SLASH, re.IGNORECASE)
SPOKEN = re.compile(rf"\bhermes\b\W.{{0,80}}?\bkata\b\W{{1,40}}(?:{_DECIDING})\b|{_SLASH}", re.IGNORECASE | re.DOTALL)
JOINED = re.compile(r"(?:plugin-data|plugins)[\"'\s,/]{1,8}kata(?![\w-])", re.IGNORECASE)
"""A place of ours in a program, which may put it together."""
INSTALLED = re.compile(
    r"\bhermes\b\W.{0,80}?\bplugins?\b\W{1,40}(?:install|update|remove|uninstall|enable|disable)\b.{0,80}?\bkata\b",
    re.IGNORECASE | re.DOTALL,
)
HEADS = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.*)$", re.MULTILINE)
"""The paths in a patch."""
DETOURS = 8
"""How many `x/..` inside each other are followed."""
LONGEST, MOST = 1_500, 16_000
"""Characters of a command that is parsed, and of a text that is searched: both take a few milliseconds."""

DECIDING = "would decide about Kata, which only a person does"
TOUCHING = "would touch the files of Kata"
CALLING = "would call the interface of Kata's dashboard"
SETTING_UP = "would change how Kata is set up"


def why(call: Call, folder: str = "", late: Callable[[], bool] = lambda: False) -> str:
    """What a call would do that only a person may, in words that follow "it"; empty when it does nothing of that kind, when none of its
    texts names Kata, or when it was `late` before there was an answer. `folder` is where its commands and relative paths start."""
    if call.tool in QUIET or call.tool.startswith(PREFIX):
        return ""
    start = str(call.arguments.get("workdir") or folder)
    texts = [text[:MOST] for text in _texts(call.arguments)]
    if not (any(map(_named, texts)) or _near(start)):
        return ""
    if call.tool in FILES:
        return _written(call, folder)
    code = call.arguments.get(SHELL_TOOLS.get(call.tool, ""))
    if isinstance(code, str):
        return _script(code, start, late)
    if call.tool.startswith(("web_", "browser_")):
        return CALLING if any(map(API.search, texts)) else ""
    return next((found for text in texts if (found := _spoken(text))), "")


def _texts(value: Json) -> Iterator[str]:
    """Every string in the arguments; a loop over a stack, because the model may nest them deeper than calls can be. What holds itself is
    looked at once: a plugin may hand on an object that is no JSON."""
    waiting, seen = [value], set[int]()
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping | list | tuple) and id(one) not in seen:
            seen.add(id(one))
            waiting += one.values() if isinstance(one, Mapping) else one


def _named(text: str) -> bool:
    """Whether a text names Kata, also with quotes or backslashes in between, or tells Hermes what a variable holds."""
    low = text.lower()
    return "kata" in low or "kata" in low.replace("'", "").replace('"', "").replace("\\", "") or "hermes" in low and "$" in low


def _near(folder: str) -> bool:
    """Whether a relative path from there can lead into Kata's files without naming it."""
    return _leads(folder)


def _leads(path: str) -> bool:
    """Whether a path stands for a place of ours, as it is written or with every detour taken out of it."""
    return PLACE.search(_clean(path)) is not None or PLACE.search(posixpath.normpath(path.replace("\\", "/"))) is not None


def _clean(path: str) -> str:
    """A path without detours, so that `plugins/./x/../kata` is known."""
    path = re.sub(r"/(?:\./|/)+", "/", path.replace("\\", "/"))
    for _ in range(DETOURS if "/../" in path else 0):
        path = re.sub(r"/(?!\.\./)[^/]+/\.\.(?=/)", "", path)
    return path


def _ours(word: str, folder: str) -> bool:
    """Whether a word names a place of ours, by itself or from the folder."""
    return _leads(word) or _leads(f"{folder}/{word}")


# ── Files and plain text ─────────────────────────────────────────────────────────────────────────


def _written(call: Call, folder: str) -> str:
    paths = [str(call.arguments.get("path") or ""), *(path.strip() for path in HEADS.findall(str(call.arguments.get("patch") or "")))]
    if any(_ours(path, folder) for path in paths if path):
        return TOUCHING
    others = [text for key, value in call.arguments.items() if key != "path" for text in _texts(value)]
    set_up = any(posixpath.basename(path) in CONFIG for path in paths) and any(map(_named, others))
    return SETTING_UP if set_up else ""


def _spoken(text: str) -> str:
    """What a text that is no single command says: a program, a script, the lines of another shell."""
    if SPOKEN.search(text):
        return DECIDING
    if API.search(text):
        return CALLING
    if JOINED.search(_clean(text)):
        return TOUCHING
    return SETTING_UP if SETTING.search(text) or INSTALLED.search(text) else ""


# ── Commands ─────────────────────────────────────────────────────────────────────────────────────


def _script(code: str, folder: str, late: Callable[[], bool]) -> str:
    if len(code) > LONGEST:
        return _spoken(code[:MOST])
    try:
        script = shell.parse(code)
    except OpaqueCommand:
        return _spoken(code)
    return _said(script, folder, code, late) or (_spoken(code) if _composed(script) else "")


_VARIABLE = re.compile(r"\$(?:\w+|\{\w+\}|[?$!#@*-])")


def _composed(script: shell.Script) -> bool:
    """Whether a loop, a function or what bash expands may put a call together that no single command shows: then its text is searched."""
    return any(
        isinstance(node, shell.Compound) or any(redirect.operator == "<<<" or redirect.parts for redirect in node.redirects)
        or any(piece.kind not in ("text", "substitution") and not _VARIABLE.fullmatch(piece.value) for piece in shell.pieces_of(node))
        for node in script.nodes()
    )  # fmt: skip


def _said(script: shell.Script, folder: str, code: str, late: Callable[[], bool]) -> str:
    """What the commands say one by one."""
    for command in script.commands():
        if late():
            return ""
        words = [text for word in command.words for text in _spellings(word)]
        if found := _redirected(command, folder, code) or _command(words, command, folder, code):
            return found
        if words[:1] in (["cd"], ["pushd"]) and len(words) > 1:
            folder = _from(folder, words[-1])
    return ""


def _from(folder: str, path: str) -> str:
    """Where a path leads from a folder."""
    return path if path.startswith(("/", "~", "$")) else f"{folder}/{path}"


def _spelled(word: shell.Word) -> str:
    """A word as its program receives it, with $ for what nobody knows beforehand."""
    return "".join(piece.value if piece.kind == "text" else "$" for piece in word.pieces)


def _spellings(word: shell.Word) -> list[str]:
    """The words that become of one with braces, as far as they are plain; else the one word as `_spelled` has it."""
    several = [piece.value[1:-1].split(",") if piece.kind == "braces" and _CHOICES.fullmatch(piece.value) else [] for piece in word.pieces]
    if sum(map(bool, several)) != 1:
        return [_spelled(word)]
    at = next(index for index, choices in enumerate(several) if choices)
    before, after = (shell.Word(part, 0, 0) for part in (word.pieces[:at], word.pieces[at + 1 :]))
    return [_spelled(before) + choice + _spelled(after) for choice in several[at]]


_CHOICES = re.compile(r"\{[\w./~-]*(?:,[\w./~-]*)+\}")


def _redirected(command: shell.Simple, folder: str, code: str) -> str:
    targets = [_spelled(one.target) for one in command.redirects if one.operator not in ("<", "<<", "<<-", "<&")]
    if any(_ours(target, folder) for target in targets):
        return TOUCHING
    return SETTING_UP if any(_configures(target, code) for target in targets) else ""


def _configures(word: str, code: str) -> bool:
    """Whether the word is a configuration file, and the rest of the command names Kata."""
    return posixpath.basename(word) in CONFIG and _named(code.replace(word, ""))


def _command(words: Sequence[str], command: shell.Simple, folder: str, code: str) -> str:
    if not words:
        return ""
    judged = effect("terminal", {"command": code[command.words[0].start : command.words[-1].end]})
    if judged.plain_read:
        return ""
    if (said := _hermes(words, code)) is not None:
        return said
    if judged.kind is not Class.WRITE and (found := _addressed(words)):
        return found
    if any(map(INTERPRETERS.fullmatch, words)) and (found := _spoken(code) or _aliased(words, code)):
        return found
    if any(map(API.search, words)):
        return CALLING
    inside = next((_from(folder, path) for flag, path in pairwise(words) if flag == "-C"), folder)  # git, make, tar
    if _near(inside) or any(_ours(word, inside) for word in words):
        return TOUCHING
    return SETTING_UP if any(SETTING.search(word) or _configures(word, code) for word in words) else ""


def _hermes(words: Sequence[str], code: str) -> str | None:
    """What a command says to Hermes, behind whatever program starts it: empty when it only looks, None when it says nothing of Kata."""
    at = next((index for index, word in enumerate(words) if HERMES.fullmatch(word)), None)
    if at is None:
        return None
    told = [word.lower() for word in words[at + 1 :] if not word.startswith("-")]
    for index, word in enumerate(told):
        if word == "kata":
            fed = not told[index + 1 :] and any(map(FEEDS.fullmatch, words[:at]))
            return DECIDING if fed else _verb(words[at + 1 :], told[index + 1 :], certain=True)
        if word.startswith("$") and (found := _verb(words[at + 1 :], told[index + 1 :], certain=False)):
            return found
        if word in MANAGED:
            looks = [one for one in told[index + 1 : index + 2] if one in MANAGED[word]]
            return "" if looks else SETTING_UP if any(_about(one) for one in told[index + 1 :]) else None
    handed = at > 0 and not told and _decides(code)  # `… | xargs hermes` gets its words from elsewhere
    return DECIDING if handed or SLASH.search(code) else None


def _about(word: str) -> bool:
    return "kata" in word or word.startswith("$")


def _verb(words: Sequence[str], told: Sequence[str], certain: bool) -> str:
    """Whether the words after `hermes kata` decide; where `kata` itself is not certain, only a word of decision says so."""
    if any(word in DECIDES for word in (told if certain else told[:1])):
        return "" if told[0] == "help" and not any(word.startswith("-") for word in words) else DECIDING
    if not certain:
        return DECIDING if any(word.startswith("$") for word in told) else ""
    dashed = [word for word in words if word.lower() == "--review"]
    return DECIDING if told and decides([*told, *dashed]) else ""


def decides(words: Sequence[str]) -> bool:
    """Whether the words of a command of Kata, without `--json`, do more than tell: `near ID review` makes a proposal."""
    verb = words[0].lower() if words else "list"
    return verb not in READS or verb == "near" and len(words) > 2


def _addressed(words: Sequence[str]) -> str:
    """`h kata approve 1`: whatever the program is called, it is told to decide."""
    told = [word.lower() for word in words[1:] if not word.startswith("-")]
    return DECIDING if any(one == "kata" and (two in DECIDES or two.startswith("$")) for one, two in pairwise(told)) else ""


def _aliased(words: Sequence[str], code: str) -> str:
    return DECIDING if words[0] == "alias" and re.search(r"\bhermes\b", code) and _decides(code) else ""


def _decides(code: str) -> bool:
    return re.search(rf"\b(?:{_DECIDING})\b", code, re.IGNORECASE) is not None
