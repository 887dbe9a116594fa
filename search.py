"""Learns a program of extraction.py from examples of a text and the piece that was wanted; it keeps only what reproduces every example,
and never settles for a guess. A module of its own, because running a program needs none of it."""

from __future__ import annotations

import heapq
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice

from .extraction import (
    CELL,
    CLASSES,
    MAX_DIGITS,
    MAX_TEXT,
    PLAIN,
    RUNS,
    START,
    WIDE,
    WORD,
    Anchor,
    Anchored,
    Between,
    Block,
    Boundary,
    Change,
    Column,
    Each,
    Field,
    Given,
    Keyed,
    Line,
    Page,
    Path,
    Program,
    Rest,
    Row,
    Some,
    Token,
    What,
    Where,
    Whole,
    Words,
    cell,
    cells_of,
    changed,
    flattened,
    found_by,
    is_of,
    joined,
    neighbours,
    places,
    read_at,
    readings,
    rows_under,
    ruled,
    ruled_cell,
    run_of,
    scalar,
    transformed,
)
from .model import Json

MAX_SPANS = 12
"""Places of one piece in one text that are looked at: the first two thirds and the last."""
MAX_TRIED = 400
"""Programs that are run on the examples before the search ends."""
MAX_MATCHES = 40
"""Lines that one anchor may match; more are no anchor."""
MAX_KEPT = 8
MAX_CHANGES = 6
MAX_ALIKE = 3
"""Programs kept that read from the same lines of all examples."""
MAX_DEARER = 1.0
"""How much dearer than the best another program may be."""
DOUBT = 0.6
"""How much dearer a program that reads from other lines may be and still leave the best in doubt."""
MAX_LEAVES = 10_000
MAX_COUNT = 200
"""How often the longest word of an anchor may stand in a text."""
MAX_LINE = 2_000
"""Characters of a line in which tokens, fields and cells are counted."""
NEAR = 200
"""Characters on each side of a value that may become a constant."""
MAX_DEPTH = 12
DEAREST = 6.6
"""A program that costs more is a coincidence of counts; none is better."""
DEAREST_SAME = 3.5
"""The same where all examples want the same piece, so that they say little about where it ends."""
SEPARATORS = (" ", "  ", ",", ":", "|", ";", "=", "/")
TIGHT = RUNS[: RUNS.index("word")]
"""Kinds whose end is sure whatever follows."""
ENDING = tuple(kind for kind in RUNS if kind in CLASSES)
INSIDE = ("/", ".", ":", "-", "_", "@", "=", ",", "#")
ENCLOSED = (*"unquote basename dirname stem suffix extension scheme host port query fragment".split(), "url path")
SIGN = re.compile(r"\w+|[^\w\s]|\s+")


@dataclass(frozen=True, slots=True)
class Span:
    """A place in a text: the line (-1 the whole text) and its part of the flat line."""

    at: int
    start: int
    end: int


@dataclass(slots=True)
class Sample:
    """One example: its page, what was wanted, what was known, and where the piece stands by the transform that makes it."""

    page: Page
    wanted: str
    known: Mapping[str, str]
    spans: dict[tuple[Change, ...], list[Span]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    leading: dict[tuple[What, int], str] = field(default_factory=dict)


# ── What is asked ────────────────────────────────────────────────────────────────────────────────


def learn(examples: Sequence[tuple[str, Json]], known: Mapping[str, Sequence[str]] | None = None) -> Program | None:
    """The best program that gives every wanted piece (text or a whole number) from its text; None where none is sure. `known` holds
    the values of each known name, one per example."""
    samples, ranked = _ranked(examples, known or {})
    if not ranked:
        return None
    price, best, site = ranked[0]
    doubts = (other for other, _program, there in ranked[1:] if other - price <= DOUBT and not set(site) & set(there))
    return None if any(True for _ in doubts) else _checked(best, samples, examples)


def candidates(
    examples: Sequence[tuple[str, Json]], known: Mapping[str, Sequence[str]] | None = None, limit: int = MAX_KEPT
) -> tuple[Program, ...]:
    """Up to `limit` programs that give every wanted piece, the best first; the order of the examples makes no difference."""
    samples, ranked = _ranked(examples, known or {})
    return tuple(_checked(program, samples, examples) for _price, program, _site in ranked[:limit])


Site = tuple[tuple[int, int], ...]
"""From which line of which example a program reads."""
Ranked = tuple[float, Program, Site]


def _ranked(examples: Sequence[tuple[str, Json]], known: Mapping[str, Sequence[str]]) -> tuple[list[Sample], list[Ranked]]:
    """The examples made ready and the programs that reproduce them, the best first."""
    samples = _samples(examples, known)
    if len({sample.page.text for sample in samples}) < 2:
        return samples, []
    shared = set.intersection(*(set(sample.spans) for sample in samples))
    changes = sorted(shared, key=lambda then: (_price_then(then), repr(then)))[:MAX_CHANGES]
    dearest = DEAREST if len({sample.wanted for sample in samples}) > 1 else DEAREST_SAME
    ranked = [one for then in changes for one in _consistent(samples, then) if one[0] <= dearest]
    return samples, sorted(ranked, key=lambda one: (one[0], repr(one[1])))


def _samples(examples: Sequence[tuple[str, Json]], known: Mapping[str, Sequence[str]]) -> list[Sample]:
    """The examples made ready, each once; none when one cannot be learnt from."""
    made: dict[tuple[str, str, tuple[str, ...]], Sample] = {}
    if len({type(wanted) for _text, wanted in examples}) != 1:
        return []
    for number, (text, wanted) in enumerate(examples):
        piece = wanted if isinstance(wanted, str) else PLAIN["integer"](str(wanted)) if type(wanted) is int else ""
        if not isinstance(text, str) or len(text) > MAX_TEXT or not piece or piece != piece.strip():
            return []
        here = {name: values[number] for name, values in known.items()}
        made[text, piece, tuple(here.values())] = Sample(Page(text), piece, here)
    for sample in made.values():
        sample.spans = spans(sample.page, sample.wanted)
    return list(made.values())


def _checked(program: Program, samples: Sequence[Sample], examples: Sequence[tuple[str, Json]]) -> Program:
    """The program with the tightest kind of all that was wanted."""
    whole = all(type(wanted) is int for _text, wanted in examples)
    kind = next(name for name in CLASSES if all(is_of(name, sample.wanted) for sample in samples))
    return replace(program, kind=kind, then=(*program.then, Change("integer")) if whole else program.then)


# ── Where a piece stands, by the transform that makes it ─────────────────────────────────────────


def spans(page: Page, wanted: str) -> dict[tuple[Change, ...], list[Span]]:
    """The places whose text is the piece, and those from which one transform makes it."""
    found: dict[tuple[Change, ...], list[Span]] = {}
    direct = _literal_spans(page, wanted)
    paths = _paths(page, wanted)
    if paths:
        direct = [span for span in direct if len(page.flat(span.at)) <= MAX_LINE]
    if paths or page.text.strip() == wanted:
        direct.append(Span(-1, 0, 0))
    if direct:
        found[()] = direct
    for span in direct:
        for change, outer in _enclosing(page, span, wanted):
            found.setdefault((change,), []).append(outer)
    if not direct:
        for change, sources in _reversed(page, wanted):
            found[change,] = sources
    return {then: _few(list(dict.fromkeys(places))) for then, places in found.items()}


def _few(places: list[Span]) -> list[Span]:
    first = MAX_SPANS * 2 // 3
    return places if len(places) <= MAX_SPANS else places[:first] + places[first - MAX_SPANS :]


def _literal_spans(page: Page, wanted: str) -> list[Span]:
    if wanted not in page.text:
        return []
    lines = [at for at, line in enumerate(page.lines) if wanted in line]
    if len(lines) > 2 * MAX_SPANS:
        alone = re.compile(rf"(?<![\w.:/-]){re.escape(wanted)}(?![\w/-]|[.:]\w)")
        lines = [at for at in lines if alone.search(page.lines[at])]
    return [span for at in _ends(lines) for span in _in_line(page.flat(at), at, flattened(wanted))]


def _ends(lines: list[int]) -> list[int]:
    return lines if len(lines) <= 2 * MAX_SPANS else lines[: 2 * MAX_SPANS - 8] + lines[-8:]


def _in_line(flat: str, at: int, wanted: str) -> Iterator[Span]:
    start = flat.find(wanted)
    while start >= 0:
        end = start + len(wanted)
        if not _cut(flat, start) and not _cut(flat, end):
            yield Span(at, start, end)
        start = flat.find(wanted, start + 1)


def _cut(flat: str, at: int) -> bool:
    """Whether this place lies within a word or within a number; between digits and letters a unit may begin."""
    return joined(flat, at) and flat[at - 1].isdigit() == flat[at].isdigit()


def _enclosing(page: Page, span: Span, wanted: str) -> Iterator[tuple[Change, Span]]:
    """The tokens around a piece from which a transform makes it."""
    if span.at < 0:
        return
    flat = page.flat(span.at)
    if len(flat) > MAX_LINE:
        return
    for around in dict.fromkeys(_around(page, span)):
        token = flat[slice(*around)]
        if token == wanted or len(token) > 200:
            continue
        for change in (*(Change(name) for name in ENCLOSED), *_splits(token, wanted)):
            if changed(change, token) == wanted:
                yield change, Span(span.at, *around)


def _around(page: Page, span: Span) -> Iterator[tuple[int, int]]:
    """The token, the text without blanks and the cell that a piece is a part of."""
    flat = page.flat(span.at)
    for kind in ("token", "solid"):
        yield from (one.span(1) for one in run_of(kind).finditer(flat) if one.start(1) <= span.start and span.end <= one.end(1))
    for found in CELL.finditer(page.raw(span.at)):
        start = flat.find(found[0])
        if start <= span.start and span.end <= start + len(found[0]):
            yield start, start + len(found[0])


def _splits(token: str, wanted: str) -> Iterator[Change]:
    for by in INSIDE:
        pieces = [piece.strip() for piece in token.split(by)]
        if by not in wanted and wanted in pieces:
            number = pieces.index(wanted)
            yield from (Change("split", by, number + 1), Change("split", by, number - len(pieces)))


def _reversed(page: Page, wanted: str) -> Iterator[tuple[Change, list[Span]]]:
    """Other text from which a transform makes the piece: another case, words that are a slug or joined, the number beside."""
    parts = [part for part in re.split(r"[^A-Za-z0-9]+", wanted) if part]
    if not parts or len(wanted) > 200 or len(parts) > 20:
        return
    similar = _matches(page, r"[^A-Za-z0-9\n]{1,4}".join(map(re.escape, parts)))
    for name in ("lower", "upper", "title", "slug"):
        if made := [span for span, source in similar if PLAIN[name](source) == wanted]:
            yield Change(name), made
    for by in (",", ", ", " ", ";", "|", ":", "+"):
        pieces = wanted.split(by)
        if len(pieces) > 1 and all(pieces) and by.join(page.flat(-1).split()) == wanted:
            yield Change("join", by), [Span(-1, 0, 0)]
        elif len(pieces) > 1 and (made := [one for one, source in similar if changed(Change("join", by), source) == wanted]):
            yield Change("join", by), made
    if wanted.isascii() and wanted.isdigit() and len(wanted) <= MAX_DIGITS:
        for name, step in (("next", -1), ("previous", 1)):
            source = str(int(wanted) + step)
            if PLAIN[name](source) == wanted and (made := _literal_spans(page, source)):
                yield Change(name), made


def _matches(page: Page, pattern: str) -> list[tuple[Span, str]]:
    """The places that match, whatever the case."""
    asked = re.compile(pattern, re.IGNORECASE)
    if not asked.search(page.text):
        return []
    near = ((at, found) for at in range(len(page.lines)) for found in asked.finditer(page.flat(at)))
    return [
        (Span(at, *found.span()), found[0])
        for at, found in near
        if not joined(page.flat(at), found.start()) and not joined(page.flat(at), found.end())
    ]


# ── Programs that all examples share ─────────────────────────────────────────────────────────────


def _consistent(samples: Sequence[Sample], then: tuple[Change, ...]) -> Iterator[Ranked]:
    """The cheapest programs with these transforms that reproduce every example, with their prices; few that read from one place."""
    kept: list[float] = []
    sites: Counter[Site] = Counter()
    for price, where, what in _shared(samples, then):
        if kept and (price > min(kept) + MAX_DEARER or len(kept) >= MAX_KEPT and price > sorted(kept)[MAX_KEPT - 1]):
            return
        for pick in _picks(samples, where, what) if _counts_well(where, what) else (0,):
            program = Program(where, what, pick, then)
            if not all(_gives(program, sample) for sample in samples):
                continue
            site = tuple((number, _line_of(program, sample)) for number, sample in enumerate(samples))
            sites[site] += 1
            if sites[site] <= MAX_ALIKE:
                kept.append(price + _price_pick(pick, where, what))
                yield kept[-1] + _price_then(then), program, site
            break


def _line_of(program: Program, sample: Sample) -> int:
    """The line of the reading that counts."""
    every = ((at, one) for at in places(program.where, sample.page, sample.known) for one in read_at(program.what, sample.page, at))
    lines = [at for at, _one in islice(every, MAX_MATCHES)]
    return lines[program.pick - 1 if program.pick > 0 else program.pick] if -len(lines) <= program.pick <= len(lines) and lines else -2


def _gives(program: Program, sample: Sample) -> bool:
    found = found_by(program, sample.page, sample.known)
    return len(found) == 1 and transformed(program.then, found[0]) == sample.wanted


def _shared(samples: Sequence[Sample], then: tuple[Change, ...]) -> list[tuple[float, Where, What]]:
    """Pairs of a place and a reading that occur in every example, the cheapest first."""
    tables = [_places_of(sample, then) for sample in samples]
    read = [_readings_of(sample, then) for sample in samples]
    both: dict[tuple[frozenset[int], ...], set[What]] = {}
    made: list[tuple[float, Where, What]] = []
    for where in set.intersection(*(set(table) for table in tables)):
        most = max(_matches_of(where, sample) for sample in samples)
        if most > MAX_MATCHES and where != Each():
            continue
        lines = tuple(frozenset(table[where]) for table in tables)
        if lines not in both:
            both[lines] = _common(samples, read, lines, then)
        chosen = filter(_holds_alone, both[lines]) if where == Each() else both[lines]
        made.extend((price_pair(where, what) + (0.3 if most > 1 else 0.0), where, what) for what in chosen)
    cut = heapq.nsmallest(MAX_TRIED, (price for price, _where, _what in made))
    return sorted((one for one in made if one[0] <= cut[-1]), key=lambda one: (one[0], repr(one[1:])))


def _common(
    samples: Sequence[Sample], read: Sequence[Mapping[int, set[What]]], lines: Sequence[frozenset[int]], then: tuple[Change, ...]
) -> set[What]:
    """The readings that give the piece in these lines of every example."""
    shared = set.intersection(*({what for at in ats for what in table[at]} for ats, table in zip(lines, read, strict=True)))
    return {what for what in shared if all(_leads(what, ats, one, then) for ats, one in zip(lines, samples, strict=True))}


def _leads(what: What, ats: Iterable[int], sample: Sample, then: tuple[Change, ...]) -> bool:
    """Whether the first reading is the right one in a line where it stands."""
    return any(transformed(then, _first(what, at, sample)) == sample.wanted for at in ats)


def _first(what: What, at: int, sample: Sample) -> str:
    asked = (what, at)
    if asked not in sample.leading:
        sample.leading[asked] = next(read_at(what, sample.page, at), "")
    return sample.leading[asked]


def _places_of(sample: Sample, then: tuple[Change, ...]) -> dict[Where, set[int]]:
    table: dict[Where, set[int]] = {}
    for span in sample.spans[then]:
        for where in wheres(sample, span):
            table.setdefault(where, set()).add(span.at)
    return table


def _readings_of(sample: Sample, then: tuple[Change, ...]) -> dict[int, set[What]]:
    table: dict[int, set[What]] = {}
    for span in sample.spans[then]:
        table.setdefault(span.at, set()).update(whats(sample.page, span, sample.wanted))
    return table


def _holds_alone(what: What) -> bool:
    """Whether a reading has enough constant text to find its own line."""
    if not isinstance(what, Between | Token):
        return False
    signs = "".join(part for part in (*what.before, what.after) if isinstance(part, str))
    return sum(map(str.isalpha, signs)) >= 2 or sum(not one.isspace() for one in signs) >= 3


def _matches_of(where: Where, sample: Sample) -> int:
    return sum(1 for _ in islice(places(where, sample.page, sample.known), MAX_MATCHES + 1))


def _picks(samples: Sequence[Sample], where: Where, what: What) -> Iterator[int]:
    """Which reading counts: all when they agree, else the first, the last, the n-th."""
    yield 0
    found = [list(readings(where, what, sample.page, sample.known)) for sample in samples]
    if any(len(set(one)) > 1 for one in found):
        yield from (1, -1, 2, 3, 4)


def _counts_well(where: Where, what: What) -> bool:
    """Whether "the first found" means something there: in one line, block or table, or under a key that begins lines."""
    if where == Each():
        return isinstance(what, Between) and what.after != "" and sum(isinstance(one, str) for one in what.before) > 1
    if isinstance(where, Anchored):
        words = where.anchor.words
        key = where.anchor.how == "starts" and isinstance(words, str) and sum(map(str.isalpha, words)) >= 2
        return key and (not where.below or isinstance(what, Rest))
    return isinstance(where, Line | Block | Row | Keyed)


# ── Places ───────────────────────────────────────────────────────────────────────────────────────


def wheres(sample: Sample, span: Span) -> Iterator[Where]:
    """All ways to say where this line is, without what is wanted in it."""
    if span.at < 0:
        yield Whole()
        return
    page, at = sample.page, span.at
    yield Each()
    if at < 5:
        yield Line(at + 1)
    if at >= len(page.lines) - 3:
        yield Line(at - len(page.lines))
    flat = page.flat(at)
    own = [Anchor("starts", words) for words in _prefixes(flat[: span.start]) if _is_rare(sample, words)]
    own += [Anchor("contains", words) for words in _phrases(flat, span) if _is_rare(sample, words)]
    own += [Anchor("contains", Given(name)) for name, value in sample.known.items() if value in flat and value != sample.wanted]
    yield from (Anchored(anchor) for anchor in own)
    for below in range(1, min(4, at + 1)):
        yield from (Anchored(Anchor("starts", words), below) for words in _openings(page.flat(at - below)) if _is_rare(sample, words))
    for head in _heads(page, at):
        for words in filter(partial(_is_rare, sample), _openings(page.flat(head))):
            yield from (Anchored(anchor, 0, Anchor("starts", words)) for anchor in own[-6:])
    number = bisect_right(page.heads, at)
    if 0 < number <= 5:
        yield from (Block(number, anchor) for anchor in ([None] if page.heads[number - 1] == at else own))
    yield from _table_places(sample, at)


def _is_rare(sample: Sample, words: str) -> bool:
    """Whether an anchor is worth looking for; what stands everywhere is none."""
    word = max(words.split(), key=len, default="")
    if word not in sample.counts:
        sample.counts[word] = sample.page.text.count(word) if word else MAX_COUNT + 1
    return sample.counts[word] <= MAX_COUNT


def _prefixes(before: str) -> list[str]:
    """The constant beginnings of a line before the value, at the ends of words and signs."""
    ends = [found.end() for found in SIGN.finditer(before[:NEAR]) if not found[0].isspace()]
    ends = [end for end in ends if before[end - 1] not in ":="] or ends
    return list(dict.fromkeys(before[:end] for end in [*ends[:8], *ends[-1:]]))


def _phrases(flat: str, span: Span) -> list[str]:
    """One to three words that stand beside each other in the line, outside of the value."""
    made = []
    for part in (flat[: span.start][-NEAR:], flat[span.end : span.end + NEAR]):
        found = [one[0] for one in WORD.finditer(part)][:12]
        made += [" ".join(found[at : at + size]) for size in (1, 2, 3) for at in range(len(found) - size + 1)]
    return [words for words in dict.fromkeys(made) if sum(map(str.isalpha, words)) >= 2 and len(words) <= 60]


def _openings(flat: str) -> list[str]:
    """A whole line as a constant, and its first words."""
    found = [one.end() for one in WORD.finditer(flat)][:4]
    made = [flat[:end] for end in found] + ([flat] if len(flat) <= 80 else [])
    return [words for words in dict.fromkeys(made) if any(map(str.isalnum, words))]


def _heads(page: Page, at: int) -> Iterator[int]:
    """The lines above that are indented less, nearest first: the heads of the sections that a line stands in."""
    depth, left = _indent(page.lines[at]), 3
    for above in range(at - 1, max(-1, at - 200), -1):
        if not left or not depth:
            return
        if _indent(page.lines[above]) < depth:
            depth, left = _indent(page.lines[above]), left - 1
            yield above


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _headers(page: Page, at: int) -> Iterator[int]:
    """The lines above that may be the head of a table: those that are near, and the first of the text."""
    for above in dict.fromkeys((*range(at - 1, max(-1, at - 12), -1), *range(min(3, at)))):
        if _names_columns(page.flat(above), page.lines[above]):
            yield above


def _names_columns(flat: str, raw: str) -> bool:
    """Whether a line may be the head of a table: several words, most of them with letters and few digits, and no `key: value`."""
    words = flat.split()
    enough = len(words) > 2 or len(words) == 2 and len(CELL.findall(raw)) == 2
    titles = 6 * sum(map(_is_title, words)) >= 5 * len(words)
    return enough and titles and _is_heading(words, raw) and not any(map(_ends_phrase, words[1:]))


def _ends_phrase(word: str) -> bool:
    return word.endswith((":", "=", ",", "..")) or word.endswith(".") and len(word) > 3


def _is_heading(words: Sequence[str], raw: str) -> bool:
    """Whether words stand apart or are capitalised, unlike those of a sentence."""
    return len(WIDE.findall(raw.strip())) > 1 or 2 * sum(word[:1].isupper() for word in words) > len(words)


def _is_title(word: str) -> bool:
    return sum(map(str.isalpha, word)) > sum(map(str.isdigit, word)) or not any(map(str.isalnum, word))


def _table_places(sample: Sample, at: int) -> Iterator[Where]:
    page = sample.page
    for above in _headers(page, at):
        rows = list(islice(rows_under(page, above), 12))
        if at in rows:
            names = (one[0] for one in CELL.finditer(page.lines[above]) if len(one[0]) > 3)
            yield from (Row(words, rows.index(at) + 1) for words in (*_header_words(page.flat(above)), *names))
    for name, value in sample.known.items():
        if value in page.flat(at) and value != sample.wanted:
            yield from (Keyed(column, Given(name)) for column in _columns(page, at, value))


def _header_words(flat: str) -> list[str]:
    """What a header is known by: its first words, or all of it."""
    found = [one.end() for one in WORD.finditer(flat)]
    made = [flat[:end] for end in found[:3]] + ([flat] if len(flat) <= 100 else [])
    return [words for words in dict.fromkeys(made) if sum(map(str.isalpha, words)) >= 2]


# ── Readings ─────────────────────────────────────────────────────────────────────────────────────


def whats(page: Page, span: Span, asked: str) -> set[What]:
    """All ways to read this piece from its line; in the whole text it is all of it or what was asked for as a scalar of its JSON."""
    if span.at < 0:
        return {Rest(), *_paths(page, asked)}
    flat = page.flat(span.at)
    wanted = flat[span.start : span.end]
    made: set[What] = set()
    if flat == wanted:
        made.add(Rest())
    befores, afters = _befores(flat[: span.start]), _afters(flat[span.end :])
    made.update(Between(before, after) for before in befores for after in afters)
    made.update(_tokens(flat, span, befores, afters))
    if len(flat) <= MAX_LINE:
        made.update(_fields(page, span.at, wanted))
        made.update(_columns(page, span.at, wanted))
    return made


def _paths(page: Page, wanted: str) -> list[Path]:
    """Where the JSON of a text holds this piece."""
    if wanted not in page.text:
        return []
    return [Path(keys) for keys, value in islice(_leaves(page.json, ()), MAX_LEAVES) if scalar(value) == wanted][:MAX_SPANS]


def _leaves(value: Json, above: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], Json]]:
    """The scalars of a JSON value with the keys that lead there, down to a fixed depth."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else None
    if pairs is None:
        yield above, value
    elif len(above) < MAX_DEPTH:
        for key, one in pairs:
            yield from _leaves(one, (*above, key))


def _befores(left: str) -> list[Boundary]:
    """Left boundaries: the signs before the value as they are, with numbers open, with words open."""
    signs = [found[0] for found in SIGN.finditer(left[-NEAR:])]
    if not signs:
        return [(START,)]
    made: dict[Boundary, None] = {}
    for size in range(1, min(len(signs), 9) + 1):
        near = signs[-size:]
        if near[0].isspace():
            continue
        for opened in (_never, _numeric, _verbal):
            parts = _parts(near, opened)
            if not isinstance(parts[-1], Some) or left[-1].isspace():
                made[parts] = None
                if size == len(signs) and len(left) <= NEAR:
                    made[(START, *parts)] = None
    return list(made)


def _never(_sign: str) -> bool:
    return False


def _numeric(sign: str) -> bool:
    return any(map(str.isdigit, sign))


def _verbal(sign: str) -> bool:
    return sign[0].isalnum() or sign[0] == "_"


def _parts(signs: Sequence[str], opened: Callable[[str], bool]) -> Boundary:
    """Constants with open names between them; the last blank is left to the reader."""
    made: list[str | Some] = []
    for sign in signs:
        if opened(sign):
            made.append(Some("name"))
        elif made and isinstance(made[-1], str):
            made[-1] += sign
        else:
            made.append(sign)
    if isinstance(made[-1], str):
        made[-1] = made[-1].rstrip()
    return tuple(one for one in made if one)


def _afters(right: str) -> list[str]:
    """Right boundaries: the end of the line, or the signs that follow."""
    signs = [found[0] for found in SIGN.finditer(right[:60])]
    if not signs:
        return [""]
    made = ("".join(signs[:size]).rstrip() for size in range(1, min(len(signs), 5) + 1))
    return [words if words[1:2].isalnum() else words.lstrip() for words in dict.fromkeys(made) if words and not _numeric(words)]


def _tokens(flat: str, span: Span, befores: Sequence[Boundary], afters: Sequence[str]) -> Iterator[What]:
    """The piece as a token of each kind that it is, by its neighbours or by its number in the line."""
    here = (span.start, span.end)
    for kind in RUNS:
        found = run_of(kind).match(flat, span.start)
        if found is None or found.end(1) != span.end:
            continue
        if kind in ENDING:
            yield from (Token(kind, 0, before) for before in befores)
            yield from (Token(kind, 0, (), after) for after in afters if after)
        every = [one.span(1) for one in neighbours(kind, (), "", True).finditer(flat)] if len(flat) <= MAX_LINE else []
        if here in every:
            number = every.index(here)
            yield from (Token(kind, one) for one in ((0,) if kind in ENDING else ()) + (number + 1, number - len(every)))


def _fields(page: Page, at: int, wanted: str) -> Iterator[What]:
    raw, flat = page.lines[at].strip(), page.flat(at)
    for by in SEPARATORS:
        pieces = [one.strip() for one in (WIDE.split(raw) if by == "  " else flat.split(by))]
        if len(pieces) > 1 and wanted in pieces:
            number = pieces.index(wanted)
            yield from (Field(number + 1, by), Field(number - len(pieces), by))


def _columns(page: Page, at: int, wanted: str) -> Iterator[Column]:
    """The columns of the tables above whose cell in this row is the piece."""
    row = page.lines[at].expandtabs()
    start = row.find(wanted)
    for above in _headers(page, at):
        header = page.lines[above].expandtabs()
        rule = ruled(page, above)
        columns = cells_of(page.lines[rule]) if rule is not None and rule < at else []
        for name in [" ".join(header[left:right].split()) for left, right in columns]:
            if name and [one.strip() for one in ruled_cell(header, row, columns, name)] == [wanted]:
                yield from (Column(words, name, "ruled") for words in (*_header_words(page.flat(above)), name))
        for name, how in _names(header, row, start, start + len(wanted), wanted):
            if [one.strip() for one in cell(header, row, name, how)] == [wanted]:
                yield from (Column(words, name, how) for words in (*_header_words(page.flat(above)), name))


def _names(header: str, row: str, start: int, end: int, wanted: str) -> Iterator[tuple[str, str]]:
    """The names of a header that may be meant, with how they would be read."""
    for pattern, hows in ((WORD, ("under", "slice")), (CELL, ("wide", "slice"))):
        for found in pattern.finditer(header):
            if found.start() < end + 2 and start < found.end() + 2 and _is_title(found[0]):
                yield from ((found[0], how) for how in hows)
        fields = row.split() if pattern is WORD else WIDE.split(row.strip())
        names = pattern.findall(header)
        if wanted in fields and fields.index(wanted) < len(names) and _is_title(names[fields.index(wanted)]):
            yield names[fields.index(wanted)], "count"


# ── Prices: constants are cheap, counts are dear ─────────────────────────────────────────────────


def _price_words(words: Words) -> float:
    """What a constant costs: long words of letters least, digits and lone signs most."""
    if isinstance(words, Given):
        return -0.3
    letters, digits = sum(map(str.isalpha, words)), sum(map(str.isdigit, words))
    return 0.5 - 0.03 * min(letters, 20) + 0.15 * digits + (0.5 if not letters else 0)


def _price_anchor(anchor: Anchor) -> float:
    return (0.5 if anchor.how == "starts" else 1.3) + _price_words(anchor.words)


def price_pair(where: Where, what: What) -> float:
    """What a place and a reading cost together; a column belongs to a row of its own table."""
    apart = isinstance(what, Column) and not (isinstance(where, Row) and where.header == what.header or isinstance(where, Keyed))
    loose = isinstance(where, Row) and not isinstance(what, Column | Field)
    if isinstance(what, Path):
        return price_what(what)
    return price_where(where) + price_what(what) + (0.8 if apart else 1.0 if loose else 0.0)


def price_where(where: Where) -> float:
    """What a place costs."""
    match where:
        case Whole():
            return 1.0
        case Each():
            return 1.6
        case Line(number):
            return 1.8 if number == 1 else 2.2 if number == -1 else 2.5 + 0.3 * abs(number)
        case Block(number, anchor):
            return 1.8 + 0.3 * number + (_price_anchor(anchor) if anchor else 0.0)
        case Row(header, number):
            return 1.0 + 0.4 * number + _price_words(header)
        case Keyed(column, key):
            return 0.5 + price_what(column) + _price_words(key)
    after = 0.0 if where.after is None else 1.0 + _price_anchor(where.after)
    return _price_anchor(where.anchor) + (1.5 + 0.5 * where.below if where.below else 0.0) + after


def price_what(what: What) -> float:
    """What a reading costs."""
    match what:
        case Rest():
            return 0.3
        case Between(before, after):
            return 0.3 + _price_left(before) + (_price_end(after) if after else 0.0)
        case Token(kind, number, before, after):
            near = _price_left(before) if before else _price_end(after) + 0.2 if after else 1.0
            sure = 0.1 if kind in TIGHT else 0.9 if after else 1.5
            return sure + 0.01 * RUNS.index(kind) + near + (1.5 + 0.3 * abs(number) if number else 0.0)
        case Field(number, by):
            return 2.3 + 0.3 * abs(number) + (0.2 if number < 0 else 0.0) + (0.0 if by == " " else 0.2)
        case Column(header, _, how):
            return 0.6 + 0.1 * ("ruled", "under", "wide", "slice", "count").index(how) + 0.2 * _price_words(header)
    return 0.5 + sum(0.1 if isinstance(key, str) else 1.0 for key in what.keys)


def _price_end(after: str) -> float:
    """What a right boundary costs: it only has to end the value, so that a short one holds more often."""
    return 0.5 + 0.03 * len(after)


def _price_left(parts: Boundary) -> float:
    open_left = 0.0 if any(isinstance(one, str) and not one.isspace() for one in parts) or parts == (START,) else 1.0
    return open_left + sum(map(_price_part, parts))


def _price_part(part: str | Some) -> float:
    if isinstance(part, Some):
        return 0.5 if part == START else 0.6
    return 0.5 + _price_words(part) if any(map(str.isalnum, part)) else 0.7


def _price_pick(pick: int, where: Where, what: What) -> float:
    alone = 1.5 if isinstance(what, Token) and not (what.before or what.after) else 0.0
    alone += 0.3 if where == Each() else 0.8 if isinstance(where, Anchored) and (where.anchor.how == "contains" or where.below) else 0.0
    return alone + (0.4 if pick == 1 else 2.5 if pick == -1 else 1.5 + 0.4 * pick) if pick else 0.0


def _price_then(then: Iterable[Change]) -> float:
    return sum(0.4 if one.name in ("unquote", "strip") else 2.0 + 0.3 * abs(one.number) if one.name == "split" else 0.8 for one in then)
