"""Reads the words of a shell command: quotes, escapes, and everything that is expanded inside a word; what it does not understand it calls
opaque, and it never expands or runs anything. A module of its own, because how a word is spelled is one matter and how commands are put
together (grammar) is another; each would fill a module.

After the bash manual, 3.1.2 and 3.5. Where bash itself guesses (`$((` that turns out to be a sub-shell, a brace that is never closed), the
text is opaque instead.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from .model import OpaqueCommand
from .syntax import Piece, Script, Word

MAX_DEPTH = 24
"""Commands, braces and expansions inside each other; each takes up to ten frames of Python's stack."""
BLANK = " \t"
WORD_END = frozenset(" \t\n;|&<>()")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_VARIABLE = re.compile(r"\$(?:[A-Za-z_][A-Za-z0-9_]*|[0-9?$!#@*-])")
_PARAMETER = re.compile(r"\$\{[!#]?(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[?$!#@*-])(?=[}\[:=?+#%/^,@*-])")
_PARAMETER_TEXT = re.compile(r"[^'\"$`\\{}<>\r\0\n]+")
_BARE = re.compile(r"[^ \t\n;|&<>()'\"$`\\{},\r\0]+")
_DOUBLE = re.compile(r"[^\"$`\\\r\0]+")
_DOCUMENT = re.compile(r"[^$`\\]+")
_ARITHMETIC = re.compile(r"[A-Za-z0-9_ \t\n+*/%<>=!&|^~?:,.#@\[\]-]+")
_SINGLE = re.compile(r"'([^'\r\0]*)'")
_ANSI = re.compile(r"\$'((?:[^'\\\r\0]+|\\[^\r\0])*+)'", re.DOTALL)
_ANSI_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{1,2}|[0-7]{1,3}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|.)", re.DOTALL)
_ANSI_NAMED = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_BACKQUOTED = re.compile(r"`((?:[^`\\]+|\\.)*+)`", re.DOTALL)
_SEQUENCE = re.compile(r"\{(?:-?[0-9]+\.\.-?[0-9]+|[A-Za-z]\.\.[A-Za-z])(?:\.\.-?[0-9]+)?\}")


class Lexer(ABC):
    """One pass over a text; `at` only moves forward. `places` tells where each character stands in the text of the whole command."""

    def __init__(self, text: str, places: Sequence[int], depth: int = 0) -> None:
        self.text, self.places, self.depth, self.at = text, places, depth, 0

    @abstractmethod
    def nested(self) -> Script:
        """The commands up to the closing parenthesis, and past it."""

    @abstractmethod
    def separate(self, text: str, places: Sequence[int]) -> Script:
        """The commands of a text that was written inside this one in another spelling."""

    @abstractmethod
    def unbroken(self, start: int) -> None:
        """OpaqueCommand when a line ends between `start` and here while a here-document waits: it is not clear where its text begins."""

    def opaque(self, wanted: str) -> OpaqueCommand:
        return OpaqueCommand(wanted, source=self.text, at=min(self.at, len(self.text)))

    def peek(self, size: int = 1) -> str:
        return self.text[self.at : self.at + size]

    def starts(self, text: str | tuple[str, ...]) -> bool:
        return self.text.startswith(text, self.at)

    def enter(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.opaque(f"Expected at most {MAX_DEPTH} things inside each other")

    def leave(self) -> None:
        self.depth -= 1

    def piece(self, kind: str, quote: str, start: int, value: str | None = None, inner: Script | None = None) -> Piece:
        """A piece from `start` to here; its value is its source where none is given."""
        source = self.text[start : self.at] if value is None else value
        return Piece(kind, quote, self.places[start], self.places[self.at], source, inner)

    # ── Words ────────────────────────────────────────────────────────────────────────────────────

    def word(self, empty: bool = False, braces: bool = True) -> Word:
        """The word that starts here; `empty` allows none, and without `braces` these are text."""
        start = self.at
        pieces = self._row(braces)
        if self.peek() == "(":
            raise self.opaque("Expected a word without a sub-shell")
        if self.at == start and not empty:
            raise self.opaque("Expected a word")
        return self.made(pieces, start)

    def made(self, pieces: Sequence[Piece], start: int) -> Word:
        return Word(tuple(_merged(pieces)), self.places[start], self.places[self.at])

    def _row(self, braces: bool, stop: str = "") -> list[Piece]:
        """The pieces up to the end of the word, or to one of the characters of `stop`."""
        row: list[Piece] = []
        while head := self.peek():
            if head in WORD_END and not self.starts(("<(", ">(")) or head in stop or head == "\\" and self._continued():
                break
            row += self._pieces(head, braces)
        return row

    def _continued(self) -> bool:
        """Whether the line goes on after this backslash; in the middle of a word nobody writes that."""
        if not self.starts("\\\n"):
            return False
        if self.text[self.at + 2 : self.at + 3] not in ("", " ", "\t", "\n"):
            raise self.opaque("Expected a blank where a line goes on")
        return True

    def _pieces(self, head: str, braces: bool) -> Sequence[Piece]:
        match head:
            case "'":
                return (self._single(),)
            case '"':
                return self._double()
            case "$" | "`":
                return (self._dollar(""),)
            case "\\":
                return (self._escaped(),)
            case "<" | ">":
                return (self._process(),)
            case "{" if braces:
                return self._braces()
        return (self._bare(),)

    def _bare(self) -> Piece:
        start, match = self.at, _BARE.match(self.text, self.at)
        self.at = match.end() if match else self.at + 1
        return self.piece("text", "", start, self._plain(start, self.at))

    def _plain(self, start: int, end: int) -> str:
        text = self.text[start:end]
        if "\0" in text or "\r" in text:
            self.at = start
            raise self.opaque("Expected no control characters")
        return text

    # ── Quotes ───────────────────────────────────────────────────────────────────────────────────

    def _escaped(self) -> Piece:
        start, character = self.at, self.text[self.at + 1 : self.at + 2]
        if not character:
            raise self.opaque("Expected a character after the backslash")
        self.at += 2
        return self.piece("text", "\\", start, self._plain(start + 1, start + 2))

    def _single(self) -> Piece:
        start, match = self.at + 1, _SINGLE.match(self.text, self.at)
        if match is None:
            raise self.opaque("Expected a closing single quote and no control characters")
        self.at = match.end() - 1
        made = self.piece("text", "'", start)
        self.at += 1
        return made

    def _double(self) -> list[Piece]:
        self.at += 1
        pieces = self._quoted('"')
        if not self.starts('"'):
            raise self.opaque("Expected a closing double quote and no control characters")
        if not pieces:
            pieces = [self.piece("text", '"', self.at)]
        self.at += 1
        return pieces

    def document(self) -> tuple[Piece, ...]:
        """What is expanded in this text, which is that of a here-document."""
        return tuple(piece for piece in self._quoted("") if piece.kind != "text")

    def _quoted(self, end: str) -> list[Piece]:
        """The pieces of text in double quotes up to these, or without an end of a here-document."""
        pieces: list[Piece] = []
        while (head := self.peek()) and head != end:
            if head in "$`":
                pieces.append(self._dollar('"'))
                continue
            made = self._fixed(_DOUBLE if end else _DOCUMENT, '$`\\"' if end else "$`\\")
            if made is None:
                break
            pieces.append(made)
        return pieces

    def _fixed(self, plain: re.Pattern[str], escapable: str) -> Piece | None:
        """Text up to the next expansion or the end; None where there is none."""
        start, found = self.at, list[str]()
        while True:
            match = plain.match(self.text, self.at)
            if match:
                found.append(match.group())
                self.at = match.end()
            elif self.starts("\\"):
                after = self.text[self.at + 1 : self.at + 2]
                found.append("" if after == "\n" else after if after and after in escapable else "\\")
                self.at += 2 if after and (after == "\n" or after in escapable) else 1
            else:
                break
        return self.piece("text", '"', start, "".join(found)) if self.at > start else None

    def _ansi(self) -> Piece:
        """`$'…'`, its escapes read; what is no character by itself is opaque."""
        start, match = self.at, _ANSI.match(self.text, self.at)
        if match is None:
            raise self.opaque("Expected a closing single quote and no control characters")
        value = _ANSI_ESCAPE.sub(self._character, match[1])
        self.at = match.end()
        return self.piece("text", "$'", start, value)

    def _character(self, escape: re.Match[str]) -> str:
        body = escape.group()[1:]
        if body in ("c", "x", "u", "U"):
            raise self.opaque("Expected a plain character after the backslash")
        if body in _ANSI_NAMED:
            return _ANSI_NAMED[body]
        if body[0] not in "xuU01234567":
            return body if body in "\\'\"?" else "\\" + body
        code = int(body, 8) if body[0].isdigit() else int(body[1:], 16)
        if not 0 < code < (0x80 if body[0] not in "uU" else 0xD800):
            raise self.opaque("Expected a plain character after the backslash")
        return chr(code)

    # ── What is expanded ─────────────────────────────────────────────────────────────────────────

    def _dollar(self, quote: str) -> Piece:
        start, after = self.at, self.text[self.at + 1 : self.at + 2]
        if self.starts("`"):
            return self._backquoted(quote)
        if after == "(":
            return self._arithmetic(quote) if self.starts("$((") else self._substitution(quote)
        if after == "{":
            return self._parameter(quote)
        if match := _VARIABLE.match(self.text, start):
            self.at = match.end()
            return self.piece("variable", quote, start)
        if after == "'" and not quote:
            return self._ansi()
        if after == "[" or after == '"' and not quote or self.starts("$\\\n"):
            raise self.opaque("Expected a plain variable")
        self.at += 1
        return self.piece("text", quote, start)

    def _substitution(self, quote: str) -> Piece:
        start = self.at
        self.at += 2
        inner = self.nested()
        self.unbroken(start)
        return self.piece("substitution", quote, start, inner=inner)

    def _process(self) -> Piece:
        start = self.at
        self.at += 2
        inner = self.nested()
        self.unbroken(start)
        return self.piece("process", "", start, inner=inner)

    def _backquoted(self, quote: str) -> Piece:
        """Back-quotes, whose text is read once more after its own backslashes are taken out of it."""
        start, match = self.at, _BACKQUOTED.match(self.text, self.at)
        if match is None or quote and '\\"' in match[1]:
            raise self.opaque("Expected a closing back-quote and no quotes that are escaped inside")
        kept = [start + 1 + at for at in _unescaped(match[1])]
        places = [self.places[at] for at in (*kept, match.end() - 1)]
        self.enter()
        inner = self.separate("".join(self.text[at] for at in kept), places)
        self.leave()
        self.at = match.end()
        self.unbroken(start)
        return self.piece("substitution", quote, start, inner=inner)

    def _arithmetic(self, quote: str) -> Piece:
        start = self.at
        self.at += 3
        return self.parted("arithmetic", quote, start, self.expression())

    def expression(self, more: str = "") -> list[Piece]:
        """What is expanded in an arithmetic expression up to `))`, and past it; `more` are characters allowed beside the usual ones."""
        parts: list[Piece] = []
        start, depth = self.at, 0
        self.enter()
        while not (depth == 0 and self.starts("))")):
            head = self.peek()
            if head and head in "$`":
                parts.append(self._dollar('"'))
            elif match := _ARITHMETIC.match(self.text, self.at):
                self.at = match.end()
            elif head and head in "()" + more:
                depth += {"(": 1, ")": -1}.get(head, 0)
                self.at += 1
            else:
                depth = -1
            if depth < 0:
                raise self.opaque("Expected plain arithmetic up to ))")
        self.leave()
        self.at += 2
        self.unbroken(start)
        return parts

    def parted(self, kind: str, quote: str, start: int, pieces: Sequence[Piece]) -> Piece:
        made = self.piece(kind, quote, start)
        return Piece(kind, quote, made.start, made.end, made.value, parts=tuple(piece for piece in pieces if piece.kind != "text"))

    def _parameter(self, quote: str) -> Piece:
        start, match = self.at, _PARAMETER.match(self.text, self.at)
        if match is None:
            raise self.opaque("Expected a plain variable")
        self.at = match.end()
        self.enter()
        parts = [piece for found in self._operands(quote) for piece in found]
        self.leave()
        self.at += 1
        return self.parted("variable", quote, start, parts)

    def _operands(self, quote: str) -> Iterator[Sequence[Piece]]:
        """What stands in `${…}` after the name, up to the brace that closes it."""
        while (head := self.peek()) != "}":
            if match := _PARAMETER_TEXT.match(self.text, self.at):
                self.at = match.end()
            elif head == "'" and not quote or head == '"' or head == "\\":
                if self.starts("\\\n"):
                    raise self.opaque("Expected no line that goes on inside ${")
                yield self._pieces(head, braces=False)
            elif head and head in "$`":
                yield (self._dollar(quote),)
            elif head and head in "<>" and not self.starts(("<(", ">(")):
                self.at += 1
            else:
                raise self.opaque("Expected a plain expansion up to }")

    def _braces(self) -> list[Piece]:
        """`{a,b}` and `{1..9}` as one piece; a brace that does not expand is text like any other."""
        start = self.at
        self.enter()
        row, several = [self._bare()], False
        row += self._row(braces=True, stop=",}")
        while self.starts(","):
            several = True
            row += [self._bare(), *self._row(braces=True, stop=",}")]
        self.leave()
        closed = self.starts("}")
        if closed:
            row.append(self._bare())
        source = self.text[start : self.at]
        if closed and (several or _SEQUENCE.fullmatch(source)):
            return [self.parted("braces", "", start, row)]
        if several or ".." in source:
            raise self.opaque("Expected no brace expansion that is not closed or not plain")
        return row

    def pattern(self) -> Word:
        """The word after `=~`, in which parentheses, `|` and braces are text."""
        start, depth = self.at, 0
        row: list[Piece] = []
        while (head := self.peek()) and head not in " \t\n;&<>":
            if head == "\\" and self._continued():
                break
            depth += {"(": 1, ")": -1}.get(head, 0)
            row += self._pieces(head, braces=False)
            if depth < 0:
                break
        if depth or self.at == start:
            raise self.opaque("Expected a pattern with as many ( as )")
        return self.made(row, start)


def _merged(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Neighbouring runs of bare text as one piece."""
    pending: list[Piece] = []
    for piece in pieces:
        bare = piece.kind == "text" and not piece.quote
        if pending and not (bare and piece.start == pending[-1].end):
            yield _joined(pending)
            pending.clear()
        if bare:
            pending.append(piece)
        else:
            yield piece
    if pending:
        yield _joined(pending)


def _joined(pieces: Sequence[Piece]) -> Piece:
    if len(pieces) == 1:
        return pieces[0]
    return Piece("text", "", pieces[0].start, pieces[-1].end, "".join(piece.value for piece in pieces))


def _unescaped(text: str) -> Iterator[int]:
    """The positions of a text in back-quotes that are left when bash has taken out the backslashes before `$`, a back-quote and another."""
    at = 0
    while at < len(text):
        at += text[at] == "\\" and text[at + 1 : at + 2] in ("$", "`", "\\")
        yield at
        at += 1
