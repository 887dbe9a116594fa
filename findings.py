"""Windows, families and near misses in the file, and the two queues of what is to be counted and looked at; it counts, and never judges. A
module of its own, because all of it is derived from what is recorded and can be worked out anew."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict

from .file import File
from .model import Damaged, Example, NearMiss, Occurrence, Place
from .rows import Row, bind, pack, stored_event, unbind
from .statements import insert, marks, numbers, positions, readable, sql, value_of

ALIVE = """(SELECT count(*) FROM (
    SELECT DISTINCT conversation FROM windows JOIN turns ON turns.number = windows.turn WHERE windows.window = :window LIMIT :least
)) >= :least
OR EXISTS (SELECT 1 FROM katas WHERE katas.window = :window AND state = 'candidate' AND withdrawn = '')
OR EXISTS (SELECT 1 FROM near WHERE near.window = :window) OR EXISTS (SELECT 1 FROM asleep WHERE asleep.window = :window)"""
"""Whether enough conversations hold a window, or something is told about it."""
SWEPT = 200
"""Turns, at least, for which families are queued by a sweep."""
BEGIN_SWEEP = "INSERT OR REPLACE INTO notes (name, text) VALUES ('sweep', '1')"
STIR = "UPDATE asleep SET weight = 0"
"""What met often by chance may meet seldom when something was forgotten."""
WINDOW = "SELECT conversation, id AS turn, window, first, last, skipped FROM windows JOIN turns ON turns.number = windows.turn"


class Findings(File):
    """What mining derives."""

    def dirty(self) -> tuple[str, ...]:
        """The turns that wait to be mined, in the order in which they ended."""
        return tuple(row["id"] for row in self._rows("SELECT id FROM turns WHERE dirty > 0 ORDER BY dirty"))

    def mined(self, turn: str, windows: Mapping[int, Place], least: int = 1) -> None:
        """Replace the turn's windows (signed 64-bit → place) and take it from the queue of turns; in the same transaction the families
        that it touches go to theirs, those of at least `least` conversations or told about."""
        self.mined_together({turn: windows}, least)

    def mined_together(self, found: Mapping[str, Mapping[int, Place]], least: int | None) -> None:
        """The same for several turns at once: turn → its windows. With None no family is queued: `sweep` follows."""
        with self._using("IMMEDIATE") as db:
            counted: list[int] = []
            for turn, windows in found.items():
                number = value_of(db, "SELECT number FROM turns WHERE id = ?", turn)
                if number is not None:  # retention was faster
                    _replace(db, number, windows, least or 1)
                    counted.append(number)
            if least is not None:
                queue_in(db, counted, least)
            db.executemany("UPDATE turns SET dirty = 0 WHERE number = ?", [(number,) for number in counted])

    def sweeping(self, turns: int = 0) -> bool:
        """Whether families are to be queued by a sweep and not turn by turn, because so many turns that are to be counted are more than
        half of all, or because a sweep was begun; kept until there is one."""
        if self._first("SELECT text FROM notes WHERE name = 'sweep'"):
            return True
        if turns < SWEPT or 2 * turns < self._rows("SELECT count(*) AS n FROM turns")[0]["n"]:
            return False
        return self._change(BEGIN_SWEEP) > 0

    def sweep(self, least: int) -> None:
        """Queue every family of at least `least` conversations, and every one that is told about."""
        often = "SELECT window, max(size) AS size FROM windows WHERE size > 1 GROUP BY window HAVING count(*) >= ?"
        with self._using("IMMEDIATE") as db:
            _queue_all(db, often, least, least)
            _queue_all(db, "SELECT window, size FROM asleep", least)
            sql(db, "DELETE FROM notes WHERE name = 'sweep'")

    def soil(self) -> None:
        """Let every ended turn be mined again, oldest first, and then every family be looked at."""
        with self._using("IMMEDIATE") as db:
            sql(db, "UPDATE turns SET dirty = number + 1 - (SELECT min(number) FROM turns) WHERE ended IS NOT NULL")
            told = sql(db, "SELECT window FROM near UNION SELECT window FROM katas").fetchall()
            size = "SELECT max(size) AS size FROM windows WHERE window = ?"
            queue(db, {row["window"]: value_of(db, size, row["window"]) or 0 for row in told}, 1)
            sql(db, BEGIN_SWEEP)

    def again(self, families: Mapping[int, int], least: int) -> None:
        """Let those families (window → steps) be looked at again that at least `least` conversations hold, or that are told about."""
        with self._using("IMMEDIATE") as db:
            queue(db, families, least)

    def family(self) -> tuple[int, int] | None:
        """The family that is to be looked at next, longest first, and how often it was queued meanwhile; None when none is."""
        row = self._first("SELECT window, touched FROM families ORDER BY size DESC, window LIMIT 1")
        return None if row is None else (int(row["window"]), int(row["touched"]))

    def waiting_families(self) -> int:
        """How many families are to be looked at."""
        return int(self._rows("SELECT count(*) AS n FROM families")[0]["n"])

    def looked(self, window: int, touched: int) -> None:
        """Take a family from the queue, unless it was queued once more since."""
        self._change("DELETE FROM families WHERE window = ? AND touched = ?", window, touched)

    def settled(self, turn: str) -> None:
        """Take a turn from the queue without counting it."""
        self._change("UPDATE turns SET dirty = 0 WHERE id = ?", turn)

    def spread(self, window: int, most: int = -1) -> int:
        """In how many conversations a window occurs; counted up to `most`, -1 for all."""
        select = "SELECT DISTINCT conversation FROM windows JOIN turns ON turns.number = windows.turn WHERE window = ? LIMIT ?"
        return len(self._rows(select, window, most))

    def support(self, windows: Collection[int]) -> dict[int, dict[str, frozenset[str]]]:
        """For each window the conversations in which it occurs, and the turns of each."""
        found: dict[int, dict[str, set[str]]] = {window: {} for window in windows}
        asked = list(found)
        for start in range(0, len(asked), 500):  # old SQLite takes 999 parameters
            part = asked[start : start + 500]
            with self._using("DEFERRED") as db:
                # Plain rows: this is asked at the end of every turn, and a row as a dict costs three times as much.
                rows = db.execute(f"{WINDOW} WHERE window IN ({marks(part)})", part).fetchall()
            for conversation, turn, window, *_place in rows:
                found[window].setdefault(unbind(conversation), set()).add(unbind(turn))
        return {window: {one: frozenset(turns) for one, turns in places.items()} for window, places in found.items()}

    def weights(self, windows: Collection[int]) -> dict[int, int]:
        """Window → number of places at which it stands."""
        found = dict.fromkeys(windows, 0)
        for select in ("SELECT window, n FROM places WHERE {}", "SELECT window, sum(times) FROM windows WHERE {} GROUP BY window"):
            asked = [window for window, times in found.items() if not times]
            for part in (asked[start : start + 500] for start in range(0, len(asked), 500)):
                with self._using("DEFERRED") as db:
                    found |= dict(db.execute(select.format(f"window IN ({marks(part)})"), part).fetchall())
        return found

    def size(self) -> tuple[int, int, float]:
        """How many calls are kept, how many different windows of two and more steps stand in them, and by how many ways a call is
        followed by another: more than one where windows pass over calls."""
        found = {row["name"]: int(row["n"]) for row in self._rows("SELECT name, n FROM tallies")}
        pairs, whole = found.get("pairs", 0), found.get("whole", 0)
        return found.get("calls", 0), found.get("windows", 0), (pairs or 1) / (whole or pairs or 1)

    def occurrences(self, window: int, most: int = -1) -> tuple[Occurrence, ...]:
        """The latest place of the window in each conversation (A12), newest turn first; `most` of them, -1 for all."""
        found: dict[str, Row] = {}
        with self._using("DEFERRED") as db:
            for row in sql(db, f"{WINDOW} WHERE window = ? ORDER BY windows.turn DESC", window):
                if len(found) == most:
                    break
                found.setdefault(row["conversation"], row)
        return tuple(map(_occurrence, found.values()))

    def placed(self, window: int, since: float = 0.0, most: int = 50) -> tuple[Occurrence, ...]:
        """Every turn since that time in which a window stands, newest first; `most` of them."""
        rows = self._rows(f"{WINDOW} WHERE window = ? AND turns.started > ? ORDER BY turns.number DESC LIMIT ?", window, since, most)
        return tuple(map(_occurrence, rows))

    def held(self, turn: str) -> dict[int, Occurrence]:
        """Kata → where its routine stands in that turn, done by hand."""
        select = f"""SELECT katas.id AS kata, held.* FROM ({WINDOW} WHERE turns.id = ?) AS held JOIN katas ON katas.window = held.window
        WHERE katas.state <> 'rejected' AND katas.withdrawn = ''"""
        return {int(row["kata"]): _occurrence(row) for row in self._rows(select, turn)}

    def examples(self, occurrences: Iterable[Occurrence]) -> tuple[Example, ...]:
        """The occurrences with their events; those whose events are gone, or not as Kata wrote them, are left out."""
        places, found = tuple(occurrences), []
        with self._using("DEFERRED") as db:
            for where in places:
                with suppress(Damaged):
                    found.append(_example(db, where))
        return tuple(example for example in found if example.events)

    def sleep(self, window: int, size: int, seen: int, weight: float) -> None:
        """Keep by which weight chance explains a family that stands at so many places; forget it where the weight is 0."""
        if weight:
            self._change("INSERT OR REPLACE INTO asleep (window, size, seen, weight) VALUES (?, ?, ?, ?)", window, size, seen, weight)
        else:
            self._change("DELETE FROM asleep WHERE window = ?", window)

    def sleepers(self) -> tuple[tuple[int, float], ...]:
        """Of the families that chance explained: each number of places, and the lightest that has it."""
        rows = self._rows("SELECT seen, min(weight) AS weight FROM asleep GROUP BY seen ORDER BY seen")
        return tuple((int(row["seen"]), float(row["weight"])) for row in rows)

    def sleeping(self, seen: int) -> tuple[tuple[int, int, float], ...]:
        """Window, steps and weight of the families with that number of places that chance explained."""
        rows = self._rows("SELECT window, size, weight FROM asleep WHERE seen = ? ORDER BY weight, window", seen)
        return tuple((int(row["window"]), int(row["size"]), float(row["weight"])) for row in rows)

    def misfits(self) -> tuple[tuple[int, tuple[str, ...], tuple[float, ...]], ...]:
        """Window, keys and bounds of the ties of every near miss."""
        rows = self._rows("SELECT window, keys, ties FROM near ORDER BY fingerprint")
        return tuple((int(row["window"]), tuple(row["keys"]), tuple(row["ties"] or ())) for row in rows)

    def misses(self, found: Mapping[int, NearMiss], judged: Collection[str] | None = None, ties: Sequence[float] = ()) -> None:
        """Replace the near misses of the fingerprints that were judged (None: of all) by those found now (window → near miss), with what
        bounds their ties."""
        with self._using("IMMEDIATE") as db:
            if judged is None:
                sql(db, "DELETE FROM near")
            for fingerprint in judged or ():
                sql(db, "DELETE FROM near WHERE fingerprint = ?", fingerprint)
            for window, miss in found.items():
                sql(db, "DELETE FROM near WHERE fingerprint = ?", miss.fingerprint)
                insert(db, "near", {**asdict(miss), "keys": pack(miss.keys), "window": window, "ties": pack(list(ties))})

    def near(self) -> tuple[NearMiss, ...]:
        """The near misses, best supported first."""
        with self._using("DEFERRED") as db:
            rows = readable(db, "SELECT fingerprint, keys, rule, detail, support FROM near ORDER BY support DESC, fingerprint")
        return tuple(NearMiss(**{**row, "keys": tuple(row["keys"])}) for row in rows)

    def shadows(self) -> tuple[tuple[tuple[str, ...], str], ...]:
        """The keys of every near miss, with its rule."""
        with self._using("DEFERRED") as db:
            rows = readable(db, "SELECT keys, rule FROM near ORDER BY fingerprint")
        return tuple((tuple(row["keys"]), str(row["rule"])) for row in rows)


def soiled(db: sqlite3.Connection, turn: int) -> None:
    """Put the turn at the end of the queue for mining."""
    sql(db, "UPDATE turns SET dirty = 1 + (SELECT coalesce(max(dirty), 0) FROM turns WHERE dirty > 0) WHERE number = ?", turn)


def queue(db: sqlite3.Connection, families: Mapping[int, int], least: int) -> None:
    """Let those of the families (window → steps) be looked at again that could be told about, or are."""
    again = "ON CONFLICT (window) DO UPDATE SET touched = touched + 1"
    insert = f"INSERT INTO families (window, size) SELECT :window, :size WHERE {ALIVE} {again}"
    db.executemany(insert, [{"window": window, "size": size, "least": least} for window, size in families.items()])


def queue_in(db: sqlite3.Connection, turns: Sequence[int], least: int) -> None:
    """The same for all that stand in those turns."""
    held = f"SELECT window, max(size) AS size FROM windows WHERE size > 1 AND turn IN ({marks(turns)}) GROUP BY window"
    _queue_all(db, held, least, *turns)


def _queue_all(db: sqlite3.Connection, families: str, least: int, *values: object) -> None:
    alive = ALIVE.replace(":window", "held.window").replace(":least", "?")
    again = "ON CONFLICT (window) DO UPDATE SET touched = touched + 1"
    chosen = f"SELECT window, size FROM ({families}) AS held WHERE {alive}"
    sql(db, f"INSERT INTO families (window, size) {chosen} {again}", *values, least, least)


def _replace(db: sqlite3.Connection, turn: int, windows: Mapping[int, Place], least: int) -> None:
    """Write the windows of a turn, where they are others than before; what is gone is looked at again too."""
    columns = "window, turn, first, last, size, times, skipped"
    rows = [(window, turn, one.first, one.last, one.size, one.times, positions(one.skipped)) for window, one in windows.items()]
    if set(db.execute(f"SELECT {columns} FROM windows WHERE turn = ?", (turn,))) == set(rows):
        return
    touched = families_in(db, "?", turn)
    if sql(db, "DELETE FROM windows WHERE turn = ?", turn).rowcount:
        sql(db, STIR)
    db.executemany(f"INSERT INTO windows ({columns}) VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    queue(db, {window: size for window, size in touched.items() if window not in windows}, least)


def families_in(db: sqlite3.Connection, turns: str, *values: object) -> dict[int, int]:
    """Window → steps of the routines that could stand in those turns."""
    rows = db.execute(f"SELECT window, max(size) FROM windows WHERE size > 1 AND turn IN ({turns}) GROUP BY window", values)
    return dict(rows.fetchall())


def delete(db: sqlite3.Connection, chosen: str, values: tuple[float, ...], least: int) -> int:
    """Delete the turns that a select chooses, and let the families that lose evidence be looked at again; the number of turns."""
    touched = families_in(db, chosen, *values)
    gone = sql(db, f"DELETE FROM turns WHERE number IN ({chosen})", *values).rowcount
    queue(db, touched, least)
    if gone:
        sql(db, STIR)
    return gone


def _example(db: sqlite3.Connection, where: Occurrence) -> Example:
    rows = db.execute(
        """SELECT * FROM events WHERE turn = (SELECT number FROM turns WHERE id = ?) AND position BETWEEN ? AND ?
        ORDER BY position, started, number""",
        (bind(where.turn), where.first, where.last),
    )
    names = tuple(column[0] for column in rows.description)
    at = names.index("position")
    kept = (row for row in rows if row[at] not in where.skipped)
    return Example(where.conversation, where.turn, tuple(stored_event(names, row, where.turn) for row in kept))


def _occurrence(row: Row) -> Occurrence:
    return Occurrence(row["conversation"], row["turn"], row["first"], row["last"], numbers(row["skipped"]))
