"""Reads a shell command into its tree as bash would: lists, pipelines, redirections, loops, branches, functions and here-documents; what it
does not understand it calls opaque, and it never runs anything.

After the POSIX shell language (XCU 2.9 and 2.10) and the bash manual, 3.2. A module of its own above lexer, which reads the words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from .lexer import BLANK, NAME, WORD_END, Lexer
from .model import OpaqueCommand
from .syntax import Compound, Node, Piece, Pipeline, Redirect, Script, Simple, Word

MAX_LENGTH = 65_536
KEYWORDS = frozenset(
    "if then else elif fi for while until do done case esac select function time coproc ! { } [[ ]] in".split()
)
OPERATORS = ("&&", "||", ";", "&", "\n")
REDIRECTS = ("&>>", "<<<", "<<-", "<<", ">>", ">|", ">&", "<&", "&>", "<>", ">", "<")
BRANCH_ENDS = (";;&", ";;", ";&")
AFTER: Mapping[str, tuple[str, ...]] = {
    "{": ("}",),
    "if": ("then",),
    "elif": ("then",),
    "then": ("elif", "else", "fi"),
    "else": ("fi",),
    "while": ("do",),
    "until": ("do",),
    "do": ("done",),
}
"""Which words may end the commands after a word."""
_DIGITS = re.compile(r"[0-9]*")
_KEYWORD = re.compile(r"(?:[a-z]+|\[\[|\]\]|[{}!])(?=[ \t\n;|&<>()]|\Z)")
_FUNCTION = re.compile(r"([^\s;|&<>()'\"$`\\{}!#=\[\]~*?]+)[ \t]*\([ \t]*\)")
_FUNCTION_NAME = re.compile(r"[^\s;|&<>()'\"$`\\{}!#=\[\]~*?]+")
_COPROC = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)[ \t]+(?=[{(]|(?:if|while|until|for|select|case|\[\[)[ \t\n])")
_DESCRIPTOR = re.compile(r"\{[A-Za-z_][A-Za-z0-9_]*\}")


@lru_cache(maxsize=4096)
def parse(text: str) -> Script:
    """The tree of a command; OpaqueCommand with the place of the first thing that is not understood."""
    if len(text) > MAX_LENGTH:
        raise OpaqueCommand(f"Expected a command of at most {MAX_LENGTH} characters, got {len(text)}")
    if "\0" in text:  # bash leaves it out, and a line with it then ends a here-document
        raise OpaqueCommand("Expected no control characters", source=text, at=text.index("\0"))
    try:
        return Grammar(text, range(len(text) + 1)).whole()
    except RecursionError:
        raise OpaqueCommand("Expected fewer commands inside each other") from None


@dataclass(frozen=True, slots=True)
class Document:
    """The text of a here-document, what is expanded in it, and where the line that ends it ends."""

    body: str
    parts: tuple[Piece, ...]
    end: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """A here-document whose text comes after this line."""

    key: int
    strip: bool
    delimiter: str
    quoted: bool


class Grammar(Lexer):
    """One pass over a text; a text with here-documents, which stand behind the line that names them, is read once more with them."""

    def __init__(self, text: str, places: Sequence[int], depth: int = 0, before: Grammar | None = None) -> None:
        super().__init__(text, places, depth)
        self.documents: dict[int, Document] = {}
        self.separated: dict[int, Script] = {}
        self.known = (before.documents, before.separated) if before else ({}, {})
        self.waiting: list[Waiting] = []
        self.within: bool = before.within if before else depth > 0

    def again(self) -> Grammar | None:
        """A reader of the same text that knows the here-documents, which this one has read; None where there are none."""
        return Grammar(self.text, self.places, self.depth, self) if self.documents and not self.known[0] else None

    def whole(self) -> Script:
        """The tree of the whole text."""
        script = self.script()
        if self.at < len(self.text) or self.waiting:
            raise self.opaque("Expected the text of the here-document" if self.waiting else "Expected one of && || ; & or the end")
        if not script.pipelines:
            raise self.opaque("Expected a command")
        again = self.again()
        return again.whole() if again else script

    def separate(self, text: str, places: Sequence[int]) -> Script:
        script = self.known[1].get(self.at) or Grammar(text, places, self.depth).whole()
        self.separated[self.at] = script
        return script

    def nested(self) -> Script:
        waiting, self.waiting = self.waiting, []
        within, self.within = self.within, True
        self.enter()
        script, _ = self._closed(")")
        self.leave()
        self.within = within
        if self.waiting:
            raise self.opaque("Expected the text of the here-document before the )")
        self.waiting = waiting
        return script

    def unbroken(self, start: int) -> None:
        if self.waiting and "\n" in self.text[start : self.at]:
            raise self.opaque("Expected the text of the here-document before something else of several lines")

    # ── Lists and pipelines ──────────────────────────────────────────────────────────────────────

    def skip(self) -> None:
        """Blanks, the ends of lines that go on, and a comment; all end before a newline that counts."""
        while (head := self.peek()) and (head in BLANK or head == "\\" and self._goes_on()):
            self.at += 2 if head == "\\" else 1
        if self.starts("#"):
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end

    def _goes_on(self) -> bool:
        """Whether the line goes on after this backslash; not in the middle of what could be one operator."""
        if not self.starts("\\\n"):
            return False
        if self.at and self.text[self.at - 1] in "|&;<>($" and self.text[self.at + 2 : self.at + 3] in tuple("|&;<>("):
            raise self.opaque("Expected no operator on two lines")
        return True

    def script(self, ends: frozenset[str] = frozenset()) -> Script:
        """A list of commands up to one of the words or signs that end it, or to the end of the text."""
        start = self.at
        pipelines: list[Pipeline] = []
        operators: list[str] = []
        while True:
            self._blank_lines()
            if self._ended(ends):
                break
            pipelines.append(self.pipeline())
            operators.append(self._operator(ends))
            if not operators[-1]:
                break
        if operators and operators[-1] in ("&&", "||"):
            raise self.opaque(f"Expected a command after {operators[-1]}")
        return Script(self.text[start : self.at], tuple(pipelines), tuple(operators))

    def _blank_lines(self) -> None:
        self.skip()
        while self.starts("\n"):
            self._newline()
            self.skip()

    def _ended(self, ends: frozenset[str]) -> bool:
        return self.at >= len(self.text) or bool(ends) and (self._sign() in ends or self._keyword() in ends)

    def _sign(self) -> str:
        """The sign here that may end a list: `)`, or one of those between the branches of `case`."""
        return ")" if self.starts(")") else next((sign for sign in BRANCH_ENDS if self.starts(sign)), "")

    def _keyword(self) -> str:
        match = _KEYWORD.match(self.text, self.at)
        return match.group() if match and match.group() in KEYWORDS else ""

    def _operator(self, ends: frozenset[str]) -> str:
        self.skip()
        sign = self._sign()
        if self.at >= len(self.text) or sign and sign in ends:
            return ""
        operator = next((one for one in OPERATORS if self.starts(one)), "")
        if not operator or sign:
            raise self.opaque("Expected one of && || ; & or the end")
        if operator == "\n":
            self._newline()
        else:
            self.at += len(operator)
        return operator

    def pipeline(self) -> Pipeline:
        prefix = self._prefix()
        commands, pipes = [self.command()], list[str]()
        self.skip()
        while self.starts("|") and not self.starts("||"):
            pipes.append("|&" if self.starts("|&") else "|")
            self.at += len(pipes[-1])
            self._blank_lines()
            commands.append(self.command())
            self.skip()
        return Pipeline(tuple(commands), tuple(pipes), prefix)

    def _prefix(self) -> tuple[str, ...]:
        """`!` and `time`, each once."""
        found: list[str] = []
        while (word := self._keyword()) in ("!", "time") and word not in found:
            found.append(word)
            self.at += len(word)
            self.skip()
            if word == "time" and self.starts("-"):
                if not self.starts(("-p ", "-p\t")):
                    raise self.opaque("Expected no option of time but -p")
                found.append("-p")
                self.at += 2
                self.skip()
        return tuple(found)

    # ── Commands ─────────────────────────────────────────────────────────────────────────────────

    def command(self) -> Node:
        self.skip()
        if self.starts("("):
            return self._redirected(self._arithmetic_command if self.starts("((") else self._subshell)
        word = self._keyword()
        if word in COMPOUNDS:
            return self._compound(word)
        if word:
            raise self.opaque(f"Expected a command, not the keyword {word!r}")
        function = _FUNCTION.match(self.text, self.at)
        return self._function(function[1], function.end()) if function else self.simple()

    def _compound(self, word: str) -> Compound:
        self.at += len(word)
        read = COMPOUNDS[word]
        return self._redirected(lambda: read(self, word))

    def _redirected(self, read: Callable[[], Compound]) -> Compound:
        """A compound command with the redirections behind it."""
        self.enter()
        made, redirects = read(), list[Redirect]()
        self.leave()
        self.skip()
        while (redirect := self._redirect()) is not None:
            redirects.append(redirect)
            self.skip()
        return Compound(made.kind, made.name, made.marks, made.words, made.scripts, tuple(redirects))

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
            if name:
                assignments.append((name, self._assignment()))
            else:
                words.append(self._argument(first=not words))
        if not (words or assignments or redirects):
            raise self.opaque("Expected a command")
        return Simple(tuple(assignments), tuple(words), tuple(redirects))

    def _argument(self, first: bool) -> Word:
        start, word = self.at, self.word()
        bare = len(word.pieces) == 1 and not word.pieces[0].quote
        if first and bare and word.value in KEYWORDS:
            self.at = start
            raise self.opaque(f"Expected a simple command, not the keyword {word.value!r}")
        if self.peek() in ("<", ">") and _DESCRIPTOR.fullmatch(self.text, start, self.at):
            raise self.opaque("Expected a number before the redirection")
        return word

    def _assigned(self) -> str:
        """The name of an assignment that starts here, moving past its `=`; "" when there is none."""
        match = NAME.match(self.text, self.at)
        if match and self.text.startswith("[", match.end()):
            raise self.opaque("Expected a plain assignment")
        sign = next((one for one in ("=", "+=") if match and self.text.startswith(one, match.end())), "")
        if match is None or not sign:
            return ""
        self.at = match.end() + len(sign)
        return match.group() + sign[:-1]

    def _assignment(self) -> Word:
        """What is assigned: a word, in which braces are text, or a list in parentheses."""
        if not self.starts("("):
            return self.word(empty=True, braces=False)
        start, pieces = self.at, list[Piece]()
        self.at += 1
        self._blank_lines()
        while not self.starts(")"):
            if self.starts("["):
                raise self.opaque("Expected a list without subscripts")
            pieces += self.word().pieces
            self._blank_lines()
        self.at += 1
        self.unbroken(start)
        if self.peek() and self.peek() not in WORD_END:
            raise self.opaque("Expected a blank after the list")
        return self.made([self.parted("array", "", start, pieces)], start)

    # ── Redirections and here-documents ──────────────────────────────────────────────────────────

    def _redirect(self) -> Redirect | None:
        digits = _DIGITS.match(self.text, self.at).group()  # type: ignore[union-attr]  # it matches everywhere
        here = self.at + len(digits)
        operator = next((op for op in REDIRECTS if self.text.startswith(op, here)), "")
        if not operator or self.text.startswith(("<(", ">("), here) or digits and operator[0] == "&":
            return None
        self.at = here + len(operator)
        self.skip()
        start = self.at
        target = self.word(braces=operator != "<<<")
        closes = operator in (">&", "<&") and self.text.startswith("-", start)  # bash takes the hyphen by itself, whatever follows
        if any(piece.kind == "braces" for piece in target.pieces) or closes and target.value != "-":
            raise self.opaque("Expected one target of a redirection")
        document = self._awaited(operator == "<<-", start, target) if operator in ("<<", "<<-") else None
        return Redirect(digits, operator, target, document.body if document else None, document.parts if document else ())

    def _awaited(self, strip: bool, start: int, target: Word) -> Document | None:
        """The here-document that this word names, where it is known already."""
        if target.value is None or any(piece.quote == "$'" for piece in target.pieces):
            raise self.opaque("Expected a fixed end mark of a here-document")
        quoted = any(piece.quote for piece in target.pieces)
        self.waiting.append(Waiting(start, strip, target.value, quoted))
        return self.known[0].get(start)

    def _newline(self) -> None:
        """The end of a line, and the texts of the here-documents that it named."""
        self.at += 1
        for number, one in enumerate(self.waiting):
            self.at += number > 0 and self.starts("\n")
            self.documents[one.key] = found = self.known[0].get(one.key) or self._document(one)
            self.at = found.end
        self.waiting.clear()

    def _document(self, one: Waiting) -> Document:
        start = at = self.at
        while at < len(self.text):
            end = self.text.find("\n", at)
            end = len(self.text) if end < 0 else end
            line = self.text[at:end]
            if (line.lstrip("\t") if one.strip else line) == one.delimiter:
                body = self.text[start:at]
                return Document(body, () if one.quoted else self._expanded(body, self.places[start : at + 1]), end)
            at = min(end + 1, len(self.text))
        raise self.opaque(f"Expected the line {one.delimiter!r} that ends the here-document")

    def _expanded(self, body: str, places: Sequence[int]) -> tuple[Piece, ...]:
        if "\\\n" in body:
            raise self.opaque("Expected a here-document without lines that go on")
        if "$" not in body and "`" not in body:
            return ()
        self.enter()
        reader = Grammar(body, places, self.depth)
        parts, again = reader.document(), reader.again()
        self.leave()
        return again.document() if again else parts

    # ── Compound commands ────────────────────────────────────────────────────────────────────────

    def _closed(self, *ends: str) -> tuple[Script, str]:
        """Commands, one at least, up to a sign or a word that ends them, and past it; which it was."""
        script = self.script(frozenset(ends))
        end = self._sign() or self._keyword()
        if not script.pipelines or end not in ends:
            raise self.opaque("Expected a command" if end in ends else f"Expected {' or '.join(ends)}")
        self.at += len(end)
        return script, end

    def _subshell(self) -> Compound:
        self.at += 1
        return Compound("(", "", (), (), (self._closed(")")[0],))

    def _arithmetic_command(self) -> Compound:
        return Compound("((", "", (), (self._parenthesised(),), ())

    def _parenthesised(self, more: str = "") -> Word:
        start = self.at
        self.at += 2
        return self.made([self.parted("arithmetic", "", start, self.expression(more))], start)

    def _clauses(self, kind: str) -> Compound:
        """`{`, `if`, `while` and `until`: commands between words, each of which says which may come next."""
        scripts, marks = list[Script](), [kind]
        while marks[-1] in AFTER:
            script, end = self._closed(*AFTER[marks[-1]])
            scripts.append(script)
            marks.append(end)
        return Compound(kind, "", tuple(marks), (), tuple(scripts))

    def _loop(self, kind: str) -> Compound:
        """`for` and `select`."""
        self.skip()
        if kind == "for" and self.starts("(("):
            name, marks, words = "", ["(("], [self._parenthesised(";")]
            self._separator()
        else:
            name = self._name()
            self._blank_lines()
            marks, words = (["in"], self._listed()) if self._keyword() == "in" else ([], [])
            if not marks:
                self._separator()
        if self._keyword() != "do":
            raise self.opaque("Expected do")
        self.at += 2
        return Compound(kind, name, tuple(marks), tuple(words), (self._closed("done")[0],))

    def _name(self) -> str:
        match = NAME.match(self.text, self.at)
        if match is None or self.text[match.end() : match.end() + 1] not in ("", *WORD_END):
            raise self.opaque("Expected a name")
        self.at = match.end()
        return match.group()

    def _listed(self) -> list[Word]:
        """What a loop goes over, and past the end of the list."""
        self.at += 2
        words: list[Word] = []
        self.skip()
        while self.peek() not in ("", ";", "\n"):
            words.append(self.word())
            self.skip()
        self._separator()
        return words

    def _separator(self) -> None:
        """A semicolon, if there is one, and new lines."""
        self.skip()
        if self.starts(";"):
            self.at += 1
        self._blank_lines()

    def _case(self, kind: str) -> Compound:
        self.skip()
        words, scripts, marks = [self.word(braces=False)], list[Script](), list[str]()
        self._blank_lines()
        if self._keyword() != "in":
            raise self.opaque("Expected in")
        self.at += 2
        self._blank_lines()
        while self._keyword() != "esac":
            words += (patterns := self._patterns())
            scripts.append(self.script(frozenset((*BRANCH_ENDS, "esac"))))
            sign = self._sign()
            marks.append(f"{len(patterns)}{sign}")
            self.at += len(sign)
            self._blank_lines()
            if not sign and self._keyword() != "esac":
                raise self.opaque("Expected ;; or esac")
        self.at += 4
        return Compound(kind, "", tuple(marks), tuple(words), tuple(scripts))

    def _patterns(self) -> list[Word]:
        self.at += self.starts("(")
        words: list[Word] = []
        while not words or self.starts("|"):
            self.at += bool(words)
            self.skip()
            words.append(self.word(braces=False))
            self.skip()
        if not self.starts(")"):
            raise self.opaque("Expected ) after the pattern")
        self.at += 1
        return words

    def _test(self, kind: str) -> Compound:
        """`[[ … ]]`: words and signs."""
        words, marks = list[Word](), list[str]()
        while True:
            self._blank_lines()
            matches = bool(words) and words[-1].value == "=~" and marks[-1] == "w"
            sign = "" if matches else next((one for one in ("&&", "||", "(", ")", "<", ">") if self.starts(one)), "")
            if self._keyword() == "]]" and words:
                self.at += 2
                return Compound(kind, "", tuple(marks), tuple(words), ())
            if sign and not self.starts(("<(", ">(")):
                marks.append(sign)
                self.at += len(sign)
                continue
            words.append(self.pattern() if matches else self.word(braces=False))
            marks.append("w")

    def _function(self, name: str, end: int) -> Compound:
        self.at = end
        return self._redirected(lambda: self._defined(name))

    def _defined(self, name: str) -> Compound:
        self._blank_lines()
        start, body = self.at, self.command()
        if name in KEYWORDS or not isinstance(body, Compound) or body.kind in ("function", "coproc"):
            raise self.opaque("Expected the body of a function")
        return Compound("function", name, (), (), (self._alone(body, start),))

    def _alone(self, node: Node, start: int) -> Script:
        return Script(self.text[start : self.at], (Pipeline((node,)),), ("",))

    def _keyword_function(self, _: str) -> Compound:
        self.skip()
        match = _FUNCTION.match(self.text, self.at) or _FUNCTION_NAME.match(self.text, self.at)
        if match is None:
            raise self.opaque("Expected the name of a function")
        self.at = match.end()
        return self._defined(match[1] if match.re is _FUNCTION else match.group())

    def _coproc(self, kind: str) -> Compound:
        self.skip()
        match = _COPROC.match(self.text, self.at)
        name = match[1] if match and match[1] not in KEYWORDS else ""
        self.at = match.end() if match and name else self.at
        start, body = self.at, self.command()
        if self.within and isinstance(body, Simple):  # bash 5.2 writes a substitution anew before it runs it, and spells this wrongly
            raise self.opaque("Expected the commands of a coproc in braces")
        return Compound(kind, name, (), (), (self._alone(body, start),))


COMPOUNDS: Mapping[str, Callable[[Grammar, str], Compound]] = {
    "{": Grammar._clauses,
    "if": Grammar._clauses,
    "while": Grammar._clauses,
    "until": Grammar._clauses,
    "for": Grammar._loop,
    "select": Grammar._loop,
    "case": Grammar._case,
    "[[": Grammar._test,
    "function": Grammar._keyword_function,
    "coproc": Grammar._coproc,
}
