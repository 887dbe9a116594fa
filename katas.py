"""Proposals and katas in the file, with every version, and each step of their lives in one transaction with its row in the log; of two that
decide at once one wins, and nothing is judged here. A module of its own, because a state, a version and the log must never be written
apart."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial

from .decisions import AGREED, HOLDS, Decisions, log
from .model import (
    PREFIX,
    AuditRow,
    Check,
    Damaged,
    Example,
    Fit,
    Json,
    Kata,
    KataError,
    Proposal,
    Refused,
    Spec,
    SpecError,
    State,
    Version,
    canonical,
    parsed,
)
from .rows import NAME, Later, Row, moment, pack, read_exhibits, read_kata, read_version
from .statements import insert, marks, numbers, positions, readable, sql, tried, value_of

KATA = """SELECT katas.id, katas.name, katas.state, katas.fingerprint, katas.withdrawn, versions.*
FROM katas JOIN versions ON versions.kata = katas.id AND versions.number = katas.version"""
PLAIN = "versions.kata, number, spec, digest, fit, checks, created, approved"
LIST = """SELECT katas.id, katas.name, katas.state, katas.fingerprint, {columns}
FROM katas LEFT JOIN versions ON versions.kata = katas.id AND versions.number = katas.version
WHERE withdrawn = '' AND {chosen} ORDER BY katas.id"""
"""The columns of a version are left out where its examples are read later: those are the most of it."""

ALSO, FORMER = "also", "former"
"""The notes that say which other routine a kata stands for, that of its revision, where another program took the place of one; and by which
keys it was done before."""


class Katas(Decisions):
    """Proposals and katas."""

    def propose(
        self,
        proposal: Proposal,
        now: float,
        window: int = 0,
        *,
        ties: Sequence[float] = (),
        loose: Sequence[int] = (),
        chance: str = "",
    ) -> Kata | None:
        """Keep the proposal as a new candidate, or as a new version of the candidate it revises; None when nothing is new or a person
        has decided about that routine already (A29). `chance` says how it is explained by chance now, `ties` and the `loose` steps are
        kept for judging that."""
        with self._using("IMMEDIATE") as db:
            sql(db, "DELETE FROM near WHERE fingerprint = ?", proposal.fingerprint)
            row = sql(db, f"{KATA} WHERE fingerprint = ?", proposal.fingerprint).fetchone()
            kept = {"window": window, "ties": pack(list(ties)), "loose": positions(loose), "chance": chance}
            if row is None:
                new = {"state": State.CANDIDATE, "fingerprint": proposal.fingerprint, "keys": pack(proposal.keys), "version": 1}
                return _write_version(db, insert(db, "katas", new | kept).lastrowid or 0, 1, proposal, "propose", now)
            if row["state"] != State.CANDIDATE:
                return None
            proposal = replace(proposal, fit=replace(proposal.fit, forced=proposal.fit.forced or row["fit"].get("forced", "")))
            sql(db, "UPDATE katas SET window = ?, ties = ?, loose = ?, chance = ? WHERE id = ?", *kept.values(), row["id"])
            if _edited(db, row["id"], row["digest"]):
                return None
            same = row["digest"] == proposal.spec.digest and Fit(**row["fit"]) == proposal.fit
            if same and not row["withdrawn"] and canonical(row["exhibits"]) == canonical([asdict(one) for one in proposal.exhibits]):
                return None
            number = 1 + int(value_of(db, "SELECT max(number) FROM versions WHERE kata = ?", row["id"]))
            if row["digest"] == proposal.spec.digest and row["approved"] is None:  # better evidence takes the place of the older
                sql(db, "DELETE FROM versions WHERE kata = ? AND number = ?", row["id"], row["number"])
            again = row["digest"] == proposal.spec.digest and not row["withdrawn"]
            return _write_version(db, row["id"], number, proposal, "" if again else "revise", now)

    def prepare(self, proposal: Proposal, now: float, window: int = 0) -> Kata | None:
        """Keep the proposal as the revision that a stale kata waits with (K85); None when it is not stale, or has that revision already
        with as many examples. With a `window` the routine is done by other commands from now on, and is not proposed as another one."""
        with self._using("IMMEDIATE") as db:
            row = sql(db, f"{KATA} WHERE fingerprint = ? AND state = ?", proposal.fingerprint, State.STALE).fetchone()
            if row is None or row["digest"] == proposal.spec.digest and len(row["exhibits"]) >= len(proposal.exhibits):
                return None
            if row["approved"] is None and _edited(db, row["id"], row["digest"]):
                return None
            number = 1 + int(value_of(db, "SELECT max(number) FROM versions WHERE kata = ?", row["id"]))
            if row["digest"] == proposal.spec.digest and row["approved"] is None:
                sql(db, "DELETE FROM versions WHERE kata = ? AND number = ?", row["id"], row["number"])
            if window:
                former = (*self._former(row["id"]), tuple(value_of(db, "SELECT keys FROM katas WHERE id = ?", row["id"])))
                self.note(f"{FORMER} {row['id']}", canonical(former))
                sql(db, "UPDATE katas SET keys = ?, window = ? WHERE id = ?", pack(proposal.keys), window, row["id"])
            return _write_version(db, row["id"], number, proposal, "prepare", now)

    def relax(self, kata: int, spec: Spec, checks: tuple[Check, ...], *, digest: str, actor: str, now: float, detail: str) -> Kata:
        """Keep the spec as the next version of a kata, with the evidence of the one before; that of an active kata is approved by that.
        Refused when its spec is not `digest` any more."""
        with self._using("IMMEDIATE") as db:
            found = _kata(db, kata)
            if found.version.spec.digest != digest:
                raise Refused(f"Kata {kata} is now revision {found.version.spec.digest[:12]}, not {digest[:12]}; review it again")
            number = 1 + int(value_of(db, "SELECT max(number) FROM versions WHERE kata = ?", kata))
            proposal = Proposal(spec, found.fingerprint, found.version.fit, tuple(found.version.exhibits), checks)
            _write_version(db, kata, number, proposal, "relax", now, actor, detail)
            if found.state is State.ACTIVE:
                sql(db, "UPDATE versions SET approved = ? WHERE kata = ? AND number = ?", now, kata, number)
            return _kata(db, kata)

    def withdraw(self, fingerprint: str, reason: str, now: float) -> bool:
        """Take back a proposal that nobody decided about, because new evidence speaks against it; other evidence may bring it back
        under its number."""
        with self._using("IMMEDIATE") as db:
            row = sql(db, f"{KATA} WHERE fingerprint = ? AND state = ? AND withdrawn = ''", fingerprint, State.CANDIDATE).fetchone()
            if row is None or _worded(row) or _edited(db, row["id"], row["digest"]):
                return False
            sql(db, "UPDATE katas SET withdrawn = ? WHERE id = ?", reason, row["id"])
            state, digest = State.CANDIDATE, row["digest"]
            # The reason may hold observed text; the log is never erased, so it holds the rule alone.
            log(db, AuditRow(now, "system", "withdraw", row["id"], state, state, digest, reason.split(":")[0]))
            return True

    def transition(
        self,
        kata: int,
        *,
        before: Collection[State],
        after: State,
        digest: str,
        actor: str,
        verb: str,
        now: float,
        name: str | None = None,
        approved: bool = False,
        detail: str = "",
        version: int | None = None,
    ) -> Kata:
        """Move the kata to another state, and give it a name, the approval or another `version` where asked; Refused when it is not in one
        of the states `before`, its current spec is not `digest`, or the name is taken. Of two callers one wins."""
        with self._using("IMMEDIATE") as db:
            found = _kata(db, kata)
            if value_of(db, "SELECT withdrawn FROM katas WHERE id = ?", kata):
                raise Refused(f"The proposal {kata} was taken back, because new evidence speaks against it")
            if found.state not in before:
                raise Refused(f"Kata {kata} is {found.state}; {verb} needs it to be {' or '.join(sorted(before))}")
            if found.version.spec.digest != digest:
                raise Refused(f"Kata {kata} is now revision {found.version.spec.digest[:12]}, not {digest[:12]}; review it again")
            taken = value_of(db, "SELECT id FROM katas WHERE name = ? AND name <> '' AND id <> ?", name, kata)
            if taken is not None:
                raise Refused(f"The name {name} is taken by kata {taken}; choose another")
            before_all = _snapshot(found)
            update = "UPDATE katas SET state = ?, name = coalesce(?, name), version = coalesce(?, version) WHERE id = ?"
            sql(db, update, after, name, version, kata)
            if approved:
                sql(db, "UPDATE versions SET approved = ? WHERE kata = ? AND number = ?", now, kata, found.version.number)
            done = _kata(db, kata)
            named = f"from {found.name} to {done.name}" if found.name and found.name != done.name else ""
            row = AuditRow(now, actor, verb, kata, found.state, after, done.version.spec.digest, "; ".join(filter(None, (detail, named))))
            log(db, row)
            _undoable(db, actor, before_all)
            return done

    def edit(self, kata: int, proposal: Proposal, *, digest: str, actor: str, now: float, detail: str, verb: str = "edit") -> Kata:
        """Keep what a person made of a kata as its next version, which waits for an approval; Refused when its spec is not `digest` any
        more."""
        with self._using("IMMEDIATE") as db:
            found = _kata(db, kata)
            if found.version.spec.digest != digest:
                raise Refused(f"Kata {kata} is now revision {found.version.spec.digest[:12]}, not {digest[:12]}; review it again")
            number = 1 + int(value_of(db, "SELECT max(number) FROM versions WHERE kata = ?", kata))
            done = _write_version(db, kata, number, proposal, verb, now, actor, detail)
            _undoable(db, actor, _snapshot(found))
            return done

    def undo(self, before: Json, actor: str, now: float) -> Kata:
        """Bring a kata back to what it was before the decision of that number, with another one that the decision changed, and write that
        down; Refused when something has happened to it since. Of two callers one wins."""
        with self._using("IMMEDIATE") as db:
            kept = value_of(db, "SELECT text FROM notes WHERE name = 'undo'")
            if not kept or parsed(kept) != before:
                raise Refused("That decision was taken back already")
            done = _back(db, before, actor, now)
            if also := before.get("also"):
                _back(db, also, actor, now)
            sql(db, "DELETE FROM notes WHERE name = 'undo'")
            return done

    def spec(self, fingerprint: str) -> Spec | None:
        """The spec of the routine that counts now; None where there is none."""
        row = self._first(f"{KATA} WHERE fingerprint = ?", fingerprint)
        return None if row is None else read_version(row).spec

    def doubt(self, kata: int, chance: str) -> None:
        """Keep how a proposal is explained by chance; empty when it is not."""
        self._change("UPDATE katas SET chance = ? WHERE id = ?", chance, kata)

    def undecided(self, katas: Collection[int] | None = None) -> tuple[Row, ...]:
        """What is needed to judge the standing proposals by chance (None: all of them): id, fingerprint, keys, ties, loose steps, chance as
        judged last, and fit."""
        select = """SELECT katas.id, fingerprint, keys, ties, loose, chance, fit FROM katas
        JOIN versions ON versions.kata = katas.id AND versions.number = katas.version
        WHERE state = 'candidate' AND withdrawn = '' AND {} ORDER BY katas.id"""
        some = katas is not None and len(katas) <= 500  # old SQLite takes 999 parameters
        chosen, values = (f"katas.id IN ({marks(katas)})", tuple(katas)) if katas is not None and some else ("TRUE", ())
        with self._using("DEFERRED") as db:
            rows = [row for row in readable(db, select.format(chosen), *values) if katas is None or row["id"] in katas]
        whole = (row for row in rows if isinstance(row["ties"], list) and len(row["ties"]) in (0, len(row["keys"]) - 1))
        return tuple(row | {"loose": numbers(row["loose"])} for row in whole if not row["fit"].get("taught"))

    def withdrawn(self, kata: int) -> str:
        """Why that proposal was taken back; empty when it was not."""
        row = self._first("SELECT withdrawn FROM katas WHERE id = ?", kata)
        return "" if row is None else str(row["withdrawn"])

    def routines(self) -> tuple[tuple[tuple[str, ...], State, str], ...]:
        """The keys of every routine that is proposed or decided about, with its state and how it is explained by chance."""
        with self._using("DEFERRED") as db:
            rows = readable(db, "SELECT keys, state, chance FROM katas WHERE withdrawn = '' ORDER BY id")
        return tuple((tuple(row["keys"]), State(row["state"]), str(row["chance"])) for row in rows if row["state"] in [*State])

    def keyed(self) -> dict[int, tuple[str, ...]]:
        """The keys of what is proposed or was approved, by number, without what was rejected."""
        with self._using("DEFERRED") as db:
            rows = readable(db, "SELECT id, keys, state FROM katas WHERE withdrawn = '' ORDER BY id")
        return {int(row["id"]): tuple(row["keys"]) for row in rows if row["state"] != State.REJECTED}

    def worded(self) -> frozenset[str]:
        """The fingerprints of what stands on a person's word, whatever mining makes of it: decided about, named, taught or forced."""
        with self._using("DEFERRED") as db:
            rows = readable(db, f"{KATA.replace('versions.*', 'versions.fit')} WHERE withdrawn = ''")
        return frozenset(str(row["fingerprint"]) for row in rows if row["state"] != State.CANDIDATE or _worded(row))

    def alike(self, fingerprint: str) -> Kata | None:
        """The kata of that fingerprint, whatever its state, unless it was taken back."""
        row = self._first(f"{KATA} WHERE fingerprint = ? AND withdrawn = ''", fingerprint)
        return None if row is None else read_kata(row)

    def decided(self, fingerprint: str) -> bool:
        """Whether a person has decided about that routine."""
        own = self.noted(f"{ALSO} {fingerprint}") or "0"
        select = "SELECT id FROM katas WHERE (fingerprint = ? OR id = ?) AND state <> ?"
        return bool(self._rows(select, fingerprint, int(own), State.CANDIDATE))

    def former(self) -> tuple[tuple[str, ...], ...]:
        """The keys by which katas were done before another program took the place of one."""
        rows = self._rows("SELECT text FROM notes WHERE name LIKE ?", f"{FORMER} %")
        return tuple(tuple(keys) for row in rows for keys in parsed(row["text"]))

    def _former(self, kata: int) -> tuple[tuple[str, ...], ...]:
        return tuple(tuple(keys) for keys in parsed(self.noted(f"{FORMER} {kata}") or "[]"))

    def also(self, kata: int, fingerprint: str) -> None:
        """Keep that a routine is one of which a kata says how it is done now."""
        self.note(f"{ALSO} {fingerprint}", str(kata))

    def katas(self, states: Collection[State] | None = None) -> tuple[Kata, ...]:
        """The katas in those states (None: all) by number; those that do not load are in `broken`."""
        return tuple(one for one in self._loaded(states) if isinstance(one, Kata))

    def listed(self, states: Collection[State] | None = None) -> tuple[Kata, ...]:
        """The same for a list, which shows no examples: they are read when somebody looks at them, SpecError where they do not load."""
        return self.looked_over(states)[0]

    def looked_over(self, states: Collection[State] | None = None) -> tuple[tuple[Kata, ...], tuple[tuple[int, str], ...]]:
        """What is in a list, and what does not load whatever its examples are, each with the reason."""
        found = self._loaded(states, later=True)
        return tuple(one for one in found if isinstance(one, Kata)), tuple(one for one in found if not isinstance(one, Kata))

    def broken(self) -> tuple[tuple[int, str], ...]:
        """The numbers of the katas that do not load, each with the reason."""
        return tuple(one for one in self._loaded() if not isinstance(one, Kata))

    def _loaded(self, states: Collection[State] | None = None, later: bool = False) -> list[Kata | tuple[int, str]]:
        wanted = tuple(states) if states is not None else ()
        chosen = f"state IN ({marks(wanted)})" if states is not None else "TRUE"
        select = LIST.format(columns=PLAIN if later else "versions.*", chosen=chosen)
        with self._using("DEFERRED") as db:
            return [self._read(int(number), row, later) for number, row in tried(db, select, *wanted)]

    def _read(self, kata: int, row: Row | Damaged, later: bool) -> Kata | tuple[int, str]:
        """The kata of a row, or its number and why it does not load."""
        if isinstance(row, Damaged):
            return kata, row.message
        if row["number"] is None:
            return kata, f"There is no kata {kata}"
        try:
            return read_kata(row, Later(partial(self._exhibits, kata, int(row["number"]))) if later else None)
        except KataError as error:
            return kata, error.message

    def _exhibits(self, kata: int, number: int) -> tuple[Example, ...]:
        row = self._first("SELECT exhibits FROM versions WHERE kata = ? AND number = ?", kata, number)
        if row is None:
            raise SpecError(f"Expected version {number} of kata {kata}, got none: another took its place meanwhile; look again")
        return read_exhibits(row["exhibits"], f"version {number} of kata {kata}")

    def kata(self, kata: int) -> Kata | None:
        """The kata of that number; SpecError when its row was changed outside."""
        row = self._first(f"{KATA} WHERE katas.id = ? AND withdrawn = ''", kata)
        return None if row is None else read_kata(row)

    def glimpse(self, kata: int) -> Kata | None:
        """The same, with examples that are read when somebody looks at them."""
        row = self._first(LIST.format(columns=PLAIN, chosen="katas.id = ?"), kata)
        return None if row is None else read_kata(row, Later(partial(self._exhibits, kata, int(row["number"]))))

    def named(self, name: str) -> Kata | None:
        """The kata of that name (without the prefix); SpecError when its row was changed outside."""
        row = self._first(f"{KATA} WHERE katas.name = ? AND katas.name <> ''", name)
        return None if row is None else read_kata(row)

    def version(self, kata: int, number: int) -> Version | None:
        """One version of a kata; SpecError when its row was changed outside."""
        row = self._first("SELECT * FROM versions WHERE kata = ? AND number = ?", kata, number)
        return None if row is None else read_version(row)

    def versions(self, kata: int) -> tuple[Version, ...]:
        """Every version of a kata that is kept (K89), newest first; SpecError when a row was changed outside."""
        return tuple(read_version(row) for row in self._rows("SELECT * FROM versions WHERE kata = ? ORDER BY number DESC", kata))

    def standing(self, kata: int) -> tuple[Version, float] | None:
        """The version that a person put into use last, and when; None when nobody did."""
        select = f"SELECT digest, at FROM audit WHERE kata = ? AND {AGREED} AND {HOLDS} ORDER BY number DESC LIMIT 1"
        last = self._first(select, kata)
        row = last and self._first("SELECT * FROM versions WHERE kata = ? AND digest = ? ORDER BY number DESC", kata, last["digest"])
        return (read_version(row), moment(last["at"])) if last and row else None

    def watched(self) -> dict[int, tuple[int, tuple[str, ...]]]:
        """The katas that new evidence may make stale, or revise: number → window and keys."""
        with self._using("DEFERRED") as db:
            rows = readable(db, "SELECT id, window, keys FROM katas WHERE state IN (?, ?) ORDER BY id", State.ACTIVE, State.STALE)
        return {int(row["id"]): (int(row["window"]), tuple(row["keys"])) for row in rows}

    def remember(self, **more: Json) -> None:
        """Keep more of how things were before the last decision, in the transaction that wrote it down."""
        before = parsed(self.noted("undo"))
        if isinstance(before, dict):
            self.note("undo", canonical({**before, **more}))

    def paces(self, katas: Sequence[int]) -> dict[int, int]:
        """In how many of the turns that are kept the routine of each of these standing proposals was done."""
        select = """SELECT katas.id AS kata, count(*) AS n FROM katas JOIN windows ON windows.window = katas.window
        WHERE state = 'candidate' AND withdrawn = '' AND katas.id IN ({}) GROUP BY katas.id"""
        parts = (katas[start : start + 500] for start in range(0, len(katas), 500))  # old SQLite takes 999 parameters
        return {int(row["kata"]): int(row["n"]) for part in parts for row in self._rows(select.format(marks(part)), *part)}

    def living(self) -> int:
        """How many katas are active."""
        return int(self._rows("SELECT count(*) AS n FROM katas WHERE state = ? AND withdrawn = ''", State.ACTIVE)[0]["n"])

    def keys(self, kata: int) -> tuple[str, ...]:
        """What the steps of a kata's routine are called as they are counted; empty where there is no such kata."""
        row = self._first("SELECT keys FROM katas WHERE id = ?", kata)
        return tuple(row["keys"]) if row else ()

    def called(self) -> dict[int, str]:
        """The tools that katas are, by number, as far as they have a name."""
        rows = self._rows("SELECT id, name FROM katas WHERE withdrawn = '' AND name <> '' ORDER BY id")
        return {int(row["id"]): PREFIX + row["name"] for row in rows if isinstance(row["name"], str) and NAME.fullmatch(row["name"])}

    def steps(self, kata: int) -> int:
        """How many steps the routine of a kata has, as it is done by hand."""
        return len(self.keys(kata))

    def window(self, kata: int) -> int:
        """The window of a kata's routine; 0 where it has none."""
        row = self._first("SELECT window FROM katas WHERE id = ?", kata)
        return int(row["window"]) if row else 0

    def respell(self, spelled: Callable[[Example], tuple[str, ...]], identity: Callable[[Sequence[str]], tuple[str, int]]) -> int:
        """Give every kata the keys that its examples are spelled as now, and the fingerprint and window of those (A29); how many changed.
        One without examples, or whose fingerprint another has by then, stays as it is."""
        changed = 0
        with self._using("IMMEDIATE") as db:
            for row in sql(db, f"{KATA} ORDER BY state <> ?, katas.id", State.REJECTED).fetchall():
                version = read_version(row)
                keys = spelled(version.exhibits[0]) if version.exhibits else ()
                fingerprint, window = identity(keys)
                taken = value_of(db, "SELECT id FROM katas WHERE fingerprint = ?", fingerprint)
                if keys and taken is None:
                    update = "UPDATE katas SET keys = ?, fingerprint = ?, window = ? WHERE id = ?"
                    changed += sql(db, update, pack(keys), fingerprint, window, row["id"]).rowcount
            sql(db, "DELETE FROM near")
        return changed

    def show(self, surface: str, kata: int, digest: str, now: float) -> None:
        """Remember which revision that surface has shown last."""
        self._change("INSERT OR REPLACE INTO shown (surface, kata, digest, at) VALUES (?, ?, ?, ?)", surface, kata, digest, now)

    def shown(self, surface: str, kata: int) -> str:
        """The digest of the revision that the surface has shown last; empty when none."""
        row = self._first("SELECT digest FROM shown WHERE surface = ? AND kata = ?", surface, kata)
        return "" if row is None else str(row["digest"])


def _kata(db: sqlite3.Connection, kata: int) -> Kata:
    row = sql(db, f"{KATA} WHERE katas.id = ?", kata).fetchone()
    if row is None:
        raise Refused(f"There is no kata {kata}")
    return read_kata(row)


def _write_version(
    db: sqlite3.Connection, kata: int, number: int, proposal: Proposal, verb: str, now: float, actor: str = "system", detail: str = ""
) -> Kata:
    """Make the proposal the version of the kata that counts, with its row in the log, where it is called something; its state stays."""
    spec = {"spec": canonical(proposal.spec.to_json()), "digest": proposal.spec.digest}
    exhibits, checks = [asdict(one) for one in proposal.exhibits], [asdict(one) for one in proposal.checks]
    evidence = {"fit": pack(asdict(proposal.fit)), "exhibits": pack(exhibits), "checks": pack(checks)}
    insert(db, "versions", {"kata": kata, "number": number, **spec, **evidence, "created": now})
    sql(db, "UPDATE katas SET version = ?, withdrawn = '' WHERE id = ?", number, kata)
    state = value_of(db, "SELECT state FROM katas WHERE id = ?", kata)
    if verb:  # more evidence for the same steps is nothing that was decided, and comes every day
        log(db, AuditRow(now, actor, verb, kata, state if number > 1 else "", state, spec["digest"], detail))
    return _kata(db, kata)


def _snapshot(kata: Kata) -> dict[str, Json]:
    """How a kata is before a decision."""
    version = kata.version
    return {"kata": kata.id, "state": kata.state, "name": kata.name, "version": version.number, "approved": version.approved}


def _back(db: sqlite3.Connection, before: Mapping[str, Json], actor: str, now: float) -> Kata:
    """Bring one kata back to what it was before a decision."""
    row = sql(db, "SELECT * FROM audit WHERE number = ?", before["number"]).fetchone()
    found = _kata(db, before["kata"])
    if row is None:
        raise Refused("That decision was taken back already")
    if (row["kata"], row["before"]) != (before["kata"], before["state"]):
        raise Refused("That decision cannot be taken back: what was kept of it was changed outside Kata")
    if (found.state, found.version.spec.digest) != (row["after"], row["digest"]):
        raise Refused(f"Kata {found.id} was changed since: it is {found.state} now, so the decision stays")
    sql(db, "UPDATE versions SET approved = ? WHERE kata = ? AND number = ?", before["approved"], found.id, before["version"])
    update = "UPDATE katas SET state = ?, name = ?, version = ?, withdrawn = ? WHERE id = ?"
    sql(db, update, before["state"], before["name"], before["version"], before.get("withdrawn", ""), found.id)
    done = _kata(db, found.id)
    told = f"decision {before['number']}: {row['verb']}"
    log(db, AuditRow(now, actor, "undo", found.id, found.state, done.state, done.version.spec.digest, told))
    return done


def _undoable(db: sqlite3.Connection, actor: str, before: Mapping[str, Json]) -> None:
    """Keep how things were before the decision that was just written down, when a person made it."""
    if actor != "system":
        kept = canonical({**before, "number": int(value_of(db, "SELECT max(number) FROM audit"))})
        sql(db, "INSERT OR REPLACE INTO notes (name, text) VALUES ('undo', ?)", kept)


def _worded(row: Row) -> bool:
    """Whether a person taught, named or forced a proposal."""
    return bool(row["name"] or row["fit"].get("taught") or row["fit"].get("forced"))


def _edited(db: sqlite3.Connection, kata: int, digest: str) -> bool:
    """Whether a person made that revision, so that no mining puts another in its place."""
    return bool(value_of(db, f"SELECT number FROM audit WHERE kata = ? AND digest = ? AND verb = 'edit' AND {HOLDS} LIMIT 1", kata, digest))
