"""Opens the one file, and nobody else does: its lock, its transactions, its errors in words, and who may read it; it knows no table. A
module of its own, because threads, processes, full disks and moved files are its business, and no query should have to think of them."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import cache

from .model import Damaged, StoreError
from .rows import Row
from .statements import file_named, path_of, sql, transaction, value_of
from .tables import MENDING, MIGRATIONS, age, fitting, migrate, misshapen, shape, watch

REASONS: Mapping[int, str] = {
    sqlite3.SQLITE_BUSY: "is busy: another process is using it; try again in a moment",
    sqlite3.SQLITE_LOCKED: "is busy: another connection is using it; try again in a moment",
    sqlite3.SQLITE_NOTADB: f"is not a database; {MENDING}",
    sqlite3.SQLITE_CORRUPT: f"is damaged; {MENDING}",
    sqlite3.SQLITE_FULL: "cannot grow because the disk is full; free some space",
    sqlite3.SQLITE_READONLY: "may not be written; check its owner and mode",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened; check that its folder exists and may be written",
    sqlite3.SQLITE_IOERR: "cannot be read or written because the disk reports an error",
    sqlite3.SQLITE_PROTOCOL: "lies where locks do not work, as on some network drives; move the folder of Hermes to a local disk",
    sqlite3.SQLITE_NOLFS: "has grown larger than its file system can hold; move the folder of Hermes to another disk",
}
BROKEN = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)
"""Errors of a file that has to be made anew."""
PASSING = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_CONSTRAINT)
"""Errors after which the connection is still good."""


def _code(error: sqlite3.Error) -> int:
    """SQLite's own error code without its extension; 0 for an error of the Python module."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _tighten(path: str) -> None:
    """Let only the owner read the file and its companions; what the file system refuses shows as `mode` in `facts`."""
    files = [path + end for end in ("", "-journal", "-wal", "-shm")] if path else []
    for place, allowed in ((os.path.dirname(path), 0o700), *((file, 0o600) for file in files)):
        with suppress(OSError):
            mode = stat.S_IMODE(os.stat(place).st_mode)
            if mode & ~allowed and not mode & stat.S_ISVTX:  # a sticky folder belongs to everybody
                os.chmod(place, mode & allowed)


@cache
def _made() -> frozenset[tuple[str, str, str]]:
    """The shape of a file that we make today."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        migrate(db)
        return shape(db)


def _identity(path: str) -> tuple[int, int] | None:
    """Which file there is under a path; None where there is none."""
    with suppress(OSError):
        found = os.stat(path)
        return found.st_dev, found.st_ino
    return None


def mode_of(path: str) -> str:
    """The mode of the file in octal; empty where it cannot be told."""
    with suppress(OSError):
        return f"{stat.S_IMODE(os.stat(path).st_mode):o}"
    return ""


CACHE_KIB = 32_768
"""Pages that are kept in memory, where there are as many: windows lie all over their table, and mining reads and writes thousands of it."""


class File:
    """One file; safe for threads, opened at the first call and again after a failure.

    `patience` is in seconds, for a busy file; `path` is what errors name before the file is open. Every method raises
    StoreError when the file cannot be used, NewerStore when a newer plugin wrote it."""

    def __init__(self, open: Callable[[], sqlite3.Connection], *, patience: float = 2.0, path: str = "", busy: str = "") -> None:
        self._open, self._patience, self._path, self._probed = open, patience, path, busy
        self._lock = threading.RLock()
        self._own = threading.local()
        self._db: sqlite3.Connection | None = None
        self._held: tuple[int, int] | None = None
        self._shape = -1
        self._closed = False

    def close(self) -> None:
        """Close the file for good; later calls raise StoreError."""
        with self._lock:
            self._closed = True
            self._drop()

    @contextmanager
    def waiting(self, seconds: float) -> Iterator[None]:
        """Let the calls that this thread makes inside wait at most so long for a busy file, instead of `patience`."""
        before = self._wait
        self._own.wait = seconds
        try:
            yield
        finally:
            self._own.wait = before

    @property
    def _wait(self) -> float:
        return float(getattr(self._own, "wait", self._patience))

    def _drop(self) -> None:
        if self._db is not None:
            self._db.close()
        self._db = None

    @contextmanager
    def _using(self, kind: str) -> Iterator[sqlite3.Connection]:
        """The connection inside one transaction of that kind; all errors of SQLite end here."""
        if getattr(self._own, "inside", False) and self._db is not None:
            yield self._db  # what is around it commits, or takes all back
            return
        if not self._lock.acquire(timeout=self._wait):
            raise StoreError(f"{file_named(self._path)} is busy: another thread is using it; try again in a moment")
        try:
            db = self._opened()
            db.execute(f"PRAGMA busy_timeout = {int(self._wait * 1000)}")
            with transaction(db, kind):
                age(db, len(MIGRATIONS))  # a newer plugin may have migrated it since we opened it
                self._unchanged(db)
                yield db
        except Damaged:
            self._drop()
            raise
        except sqlite3.Error as error:
            if _code(error) not in PASSING:
                self._drop()
            what = Damaged if _code(error) in BROKEN else StoreError
            raise what(f"{file_named(self._path)} {REASONS.get(_code(error), 'refused the work')} ({error})") from error
        finally:
            self._lock.release()

    @contextmanager
    def bundle(self) -> Iterator[None]:
        """One transaction around all changes that this thread makes inside: a file with full sync waits for the disk once, not each
        time. Nothing slow belongs in it, because everybody else waits."""
        with self._using("IMMEDIATE"):
            before, self._own.inside = getattr(self._own, "inside", False), True
            try:
                yield
            finally:
                self._own.inside = before

    def _opened(self) -> sqlite3.Connection:
        if self._closed:
            raise StoreError(f"{file_named(self._path)} was closed by this plugin; nothing is read or written any more")
        if self._db is not None and self._path and _identity(self._path) != self._held:
            self._drop()  # it was moved away, or another took its place: what we wrote there would be lost
        if self._db is None:
            self._probe()
            self._db = self._patiently()
        return self._db

    def _patiently(self) -> sqlite3.Connection:
        # SQLite answers "locked" without any waiting to whoever opens a new file just while another process switches it
        # to WAL (B45). Who is in a hurry does not try again: the host's opener alone may take its five seconds.
        for pause in (0.02, 0.1) if self._wait >= 1 else ():
            try:
                return self._fresh()
            except sqlite3.OperationalError as error:
                if _code(error) != sqlite3.SQLITE_BUSY:
                    raise
            threading.Event().wait(pause)
        return self._fresh()

    def _fresh(self) -> sqlite3.Connection:
        try:
            db = self._open()
        except OSError as error:
            raise StoreError(f"{file_named(self._path)} cannot be opened ({error})") from error
        with ExitStack() as undo:
            undo.callback(db.close)
            db.isolation_level = None
            db.execute(f"PRAGMA busy_timeout = {int(self._wait * 1000)}")
            db.execute("PRAGMA foreign_keys = ON")
            self._path = path_of(db)
            db.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
            age(db, len(MIGRATIONS))
            _tighten(self._path)
            self._brought_up(db)
            watch(db)
            self._held = _identity(self._path)
            undo.pop_all()
        return db

    def _brought_up(self, db: sqlite3.Connection) -> None:
        """Bring the file to today's tables; Damaged where it has others than those of its version."""
        try:
            migrate(db)
        except sqlite3.OperationalError as error:
            if _code(error) == sqlite3.SQLITE_ERROR:
                raise misshapen(db, str(error)) from error
            raise
        self._shape = -1
        self._unchanged(db)

    def _unchanged(self, db: sqlite3.Connection) -> None:
        """Damaged when another program changed the tables; looked at again only when somebody changed any."""
        now = int(value_of(db, "PRAGMA schema_version"))
        if now != self._shape:
            fitting(db, _made())
            self._shape = now

    def _probe(self) -> None:
        """Raise at once, or after our own wait, when the file is locked: the host's opener would take its five seconds first."""
        if self._probed and os.path.exists(self._probed):
            with closing(sqlite3.connect(self._probed, timeout=self._wait)) as db:
                db.execute("PRAGMA schema_version")

    def _plain(self, path: str) -> sqlite3.Connection:
        """A connection to some file, whose tables are not trusted, and whose texts need not be texts."""
        db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        db.text_factory = lambda raw: raw.decode("utf-8", "replace")
        db.execute("PRAGMA trusted_schema = OFF")
        db.execute("PRAGMA writable_schema = ON")  # a table whose own description is broken must not hide the others
        return db

    def _rows(self, select: str, *values: object) -> list[Row]:
        with self._using("DEFERRED") as db:
            return sql(db, select, *values).fetchall()

    def _first(self, select: str, *values: object) -> Row | None:
        return next(iter(self._rows(select, *values)), None)

    def _change(self, statement: str, *values: object) -> int:
        """The number of rows that changed."""
        with self._using("IMMEDIATE") as db:
            return sql(db, statement, *values).rowcount

    def occupied(self) -> int:
        """Bytes of the file that hold something; what was deleted leaves room in it that is used again."""
        with self._using("DEFERRED") as db:
            return int((value_of(db, "PRAGMA page_count") - value_of(db, "PRAGMA freelist_count")) * value_of(db, "PRAGMA page_size"))

    def _copied(self) -> sqlite3.Connection:
        """All of it once more, in a file that has no name and goes when it is closed."""
        other = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        with self._using("DEFERRED") as db:
            db.backup(other)
        return other
