"""The file of a holdout guard: a SQLite database with one transaction per attempt.

What it promises:

- an attempt is recorded with its release and the new state, or not at all, also under ``kill -9``;
- two processes never spend one state twice and never lose an attempt: each transaction holds the write lock and reads
  the state anew;
- an attempt costs the same however many came before;
- it holds no labels and no losses (losses and predictions together are the labels): hashes of past predictions, the
  incumbent's predictions, a salted slow hash of the labels, the secret that splits and noise come from, and releases.

One file and a rollback journal, no write-ahead log: the log needs shared memory, which network drives lack, and a copy
of the file alone would miss what the log still holds.
"""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ladderboard.core.errors import GuardFileError
from ladderboard.core.records import BASELINE, Leakage, Release, State
from ladderboard.guard.clients import count_attempt
from ladderboard.guard.file_schema import (
    APPLICATION_ID,
    FORMAT,
    RELEASE_COLUMNS,
    SCHEMA,
    UPGRADES,
    GuardSettings,
    leakage_from_json,
    leakage_to_json,
    pack,
    release_from_row,
    release_to_row,
    unpack,
)
from ladderboard.mechanisms.outcomes import Footing
from ladderboard.metrics.inputs import Array

IN_MEMORY = ":memory:"
BUSY_SECONDS = 60.0
"""How long a process waits for another one's transaction."""


class GuardFile:
    """An open guard file, made by `create` or `open`. Thread-safe; a forked process reopens it."""

    def __init__(self, path: Path | None, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = connection
        self._parents_connection: sqlite3.Connection | None = None
        self._process, self._lock = os.getpid(), threading.RLock()
        self._identity = _identity(path)
        self.settings = _read_settings(connection)

    @classmethod
    def create(cls, path: Path | None, *, settings: GuardSettings, state: State, leakage: Leakage) -> "GuardFile":
        """Create a guard; None keeps it in memory. Raises FileExistsError if the file exists."""
        if path is None:
            return cls(None, _create_file(IN_MEMORY, settings, state, leakage))
        with _explain_sqlite_errors(path):
            _publish(path, settings, state, leakage)
        return cls.open(path)

    @classmethod
    def open(cls, path: Path) -> "GuardFile":
        """Open an existing guard file and check its format."""
        if not path.is_file():
            raise GuardFileError(f"{path} is a directory, not a file" if path.is_dir() else f"there is no file {path}")
        with _explain_sqlite_errors(path):
            connection = _connect(path)
            try:
                _check_format(connection, path)
                _upgrade(connection)
                return cls(path, connection)
            except BaseException:
                connection.close()
                raise

    @contextmanager
    def transact(self) -> Iterator["GuardTransaction"]:
        """Run one transaction under the write lock; it is committed only if the block succeeds."""
        with self.use() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                self._refuse_if_replaced()
                transaction = GuardTransaction(connection)
                yield transaction
                connection.execute("COMMIT" if transaction.has_recorded else "ROLLBACK")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise

    def progress(self) -> tuple[State, Leakage]:
        """Read the current state and the information released."""
        with self.use() as connection:
            state, leakage = connection.execute("SELECT state, leakage FROM progress").fetchone()
        return State.from_json(state), leakage_from_json(leakage)

    def releases(self) -> list[Release]:
        """List every release in the order of attempts."""
        with self.use() as connection:
            rows = connection.execute(f"SELECT {RELEASE_COLUMNS} FROM releases ORDER BY attempt")  # noqa: S608 (constant)
            return [release_from_row(row) for row in rows]

    def read_footing(self, before: int) -> Footing:
        """Read what stood before the attempt of that number; without a score where it is the first."""
        with self.use() as connection:
            last = connection.execute("SELECT board_value FROM releases WHERE attempt = ?", (before - 1,)).fetchone()
            latest = (
                # Version 0.1.0 said "improved" by another rule; those entries have no standard error.
                "SELECT max(CASE WHEN accepted THEN attempt END), "
                "max(CASE WHEN improved AND standard_error IS NOT NULL THEN attempt END) "
                "FROM releases WHERE attempt < ?"
            )
            accepted, proven = connection.execute(latest, (before,)).fetchone()
        return Footing(None if last is None else last[0], accepted, proven)

    def write_note(self, note: str) -> None:
        """Replace the user's note."""
        self._write("UPDATE guard SET note = ?", note)

    def write_public_facts(self, facts: str) -> None:
        """Add the public facts that a file of an earlier format lacks."""
        self._write("UPDATE guard SET public_facts = ? WHERE public_facts IS NULL", facts)

    def write_positive(self, positive: str) -> None:
        """Add the positive class, as JSON, that a file of an earlier format has used without writing it down."""
        self._write("UPDATE guard SET positive = ? WHERE positive IS NULL", positive)

    def _write(self, statement: str, text: str) -> None:
        with self.use() as connection:
            connection.execute(statement, (text,))
            self.settings = _read_settings(connection)

    def close(self) -> None:
        if self._connection is not None and self._process == os.getpid():
            with self._lock:
                self._connection.close()
        self._connection = None

    def __del__(self) -> None:
        self.close()  # Python 3.13 warns of a connection that is never closed, which nobody needs to hear of here

    @contextmanager
    def use(self) -> Iterator[sqlite3.Connection]:
        """Lend the connection, to one thread at a time; errors of SQLite become a `GuardFileError`."""
        if self._process != os.getpid():
            self._reopen_after_fork()
        with self._lock, _explain_sqlite_errors(self.path):
            if self._connection is None:
                raise GuardFileError("this guard is closed; make it anew to go on")
            yield self._connection

    def _reopen_after_fork(self) -> None:
        """Reopen the file: SQLite connections cannot be used across a fork, because locks belong to the parent."""
        if self.path is None:
            raise GuardFileError("this guard lives in another process's memory; give it a path to share it")
        self._process, self._lock = os.getpid(), threading.RLock()
        if self._connection is not None:
            self._parents_connection = self._connection  # kept, since closing it could free the parent's locks
            self._connection = _connect(self.path)

    def _refuse_if_replaced(self) -> None:
        # SQLite would go on writing into a file that has no name any more, and the attempts would be lost.
        if _identity(self.path) != self._identity:
            raise GuardFileError(f"{self.path} was removed or replaced while it was in use; open it again")


class GuardTransaction:
    """The guard within one attempt's transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.state = State.from_json(connection.execute("SELECT state FROM progress").fetchone()[0])
        self.has_recorded = False

    def find_stored(self, submission: str) -> Release | None:
        """Find the release of these predictions, if they were scored before."""
        query = f"SELECT {RELEASE_COLUMNS} FROM releases WHERE submission = ?"  # noqa: S608 (constant)
        row = self._connection.execute(query, (bytes.fromhex(submission),)).fetchone()
        return None if row is None else release_from_row(row)

    def predictions_of(self, submission: str) -> Array:
        """Read the predictions of the incumbent or of the last proven entry."""
        row = self._connection.execute(
            "SELECT encoding, predictions FROM incumbent WHERE submission = ?", (bytes.fromhex(submission),)
        ).fetchone()
        if row is None:
            raise GuardFileError("the predictions of the best submission are missing; restore the file from a backup")
        return unpack(*row)

    def record(
        self,
        submission: str,
        predictions: Array,
        *,
        release: Release,
        state: State,
        leakage: Leakage,
        client: str | None = None,
    ) -> None:
        """Record the attempt under its client's name, and its predictions if it was accepted."""
        name = bytes.fromhex(submission)
        if client is not None:
            count_attempt(self._connection, client, is_accepted=release.accepted)
        insert = f"INSERT INTO releases (submission, client, {RELEASE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 (constant)
        self._connection.execute(insert, (name, client, *release_to_row(release)))
        self.write_progress(state, leakage)
        if state.incumbent == submission:
            proven = b"" if state.proof.submission == BASELINE else bytes.fromhex(state.proof.submission)
            self._connection.execute("DELETE FROM incumbent WHERE submission <> ?", (proven,))
            self._connection.execute("INSERT INTO incumbent VALUES (?, ?, ?)", (name, *pack(predictions)))

    def write_progress(self, state: State, leakage: Leakage) -> None:
        """Replace the state and the information released."""
        self.write("UPDATE progress SET state = ?, leakage = ?", (state.to_json(), leakage_to_json(leakage)))

    def find_row(self, query: str, values: tuple[Any, ...] = ()) -> tuple[Any, ...] | None:
        """Read one row; None if there is none."""
        row: tuple[Any, ...] | None = self._connection.execute(query, values).fetchone()
        return row

    def find_rows(self, query: str) -> list[tuple[Any, ...]]:
        """Read all rows of a query."""
        return self._connection.execute(query).fetchall()

    def write(self, statement: str, values: tuple[Any, ...]) -> None:
        """Write a row; it is kept when the transaction ends well."""
        self._connection.execute(statement, values)
        self.has_recorded = True


@contextmanager
def publish(path: Path) -> Iterator[Path]:
    """Lend a temporary name to write a whole file under, then link it to its own: never half a file, never two.

    Raises FileExistsError where the file exists by then.
    """
    if not path.parent.is_dir():
        raise GuardFileError(f"the directory {path.parent} does not exist; create it first")
    draft = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}")
    try:
        yield draft
        with _explain_refusals(path):
            os.link(draft, path)  # unlike a rename, never over an existing file
    finally:
        draft.unlink(missing_ok=True)


@contextmanager
def _explain_refusals(path: Path) -> Iterator[None]:
    """Say that a file cannot be made there; one that exists is for the caller."""
    try:
        yield
    except FileExistsError:
        raise
    except OSError as problem:
        raise GuardFileError(f"{path} cannot be created: {problem.strerror}; choose another directory") from problem


def _publish(path: Path, settings: GuardSettings, state: State, leakage: Leakage) -> None:
    with publish(path) as draft, _explain_refusals(path):
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        _create_file(draft, settings, state, leakage).close()


def _create_file(path: Path | str, settings: GuardSettings, state: State, leakage: Leakage) -> sqlite3.Connection:
    connection = _connect(path)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")
    for statement in SCHEMA:
        connection.execute(statement)
    connection.execute("INSERT INTO progress VALUES (1, ?, ?)", (state.to_json(), leakage_to_json(leakage)))
    columns = asdict(settings)
    places = ", ".join("?" for _ in columns)
    connection.execute(f"INSERT INTO guard ({', '.join(columns)}) VALUES ({places})", tuple(columns.values()))  # noqa: S608 (names of our own fields)
    connection.execute("COMMIT")
    return connection


def _connect(path: Path | str) -> sqlite3.Connection:
    # Transactions are begun and ended by hand; `GuardFile` locks, so threads may share a connection.
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA synchronous = FULL")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _check_format(connection: sqlite3.Connection, path: Path) -> None:
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise GuardFileError(f"{path} is empty or another program's database, not a guard's file; choose another path")
    found = connection.execute("PRAGMA user_version").fetchone()[0]
    if found > FORMAT:
        raise GuardFileError(f"{path} was written by a newer Ladderboard (format {found}, ours is {FORMAT}); upgrade")


def _upgrade(connection: sqlite3.Connection) -> None:
    """Bring a file of an earlier version to ours; all or nothing, and once where two processes open it."""
    if connection.execute("PRAGMA user_version").fetchone()[0] not in UPGRADES:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for version in range(connection.execute("PRAGMA user_version").fetchone()[0], FORMAT):
            for statement in UPGRADES[version]:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _read_settings(connection: sqlite3.Connection) -> GuardSettings:
    connection.row_factory = sqlite3.Row
    row = connection.execute("SELECT * FROM guard").fetchone()
    connection.row_factory = None
    return GuardSettings(**{name: row[name] for name in row.keys() if name != "only"})  # noqa: SIM118 (a Row iterates over values)


def _identity(path: Path | None) -> Any:
    if path is None:
        return None
    with suppress(FileNotFoundError):
        found = path.stat()
        return found.st_dev, found.st_ino
    return "gone"


@contextmanager
def _explain_sqlite_errors(path: Path | None) -> Iterator[None]:
    """Turn errors of SQLite into a `GuardFileError` that says what to do."""
    try:
        yield
    except sqlite3.Error as problem:
        raise GuardFileError(f"{path}: {_remedy(problem)}") from problem


def _remedy(problem: sqlite3.Error) -> str:
    # The low byte is the kind of error, the rest its details.
    known = _REMEDIES.get(getattr(problem, "sqlite_errorcode", 0) & 0xFF)
    return known or f"{problem}; check the disk, and restore the file from a backup if this stays"


_FRESH_START = "restore it from a backup; a new file would forget the attempts made so far"
_REMEDIES = {
    sqlite3.SQLITE_BUSY: f"another process has held the file for {BUSY_SECONDS:.0f} s; try again when it is done",
    sqlite3.SQLITE_READONLY: "the file or its directory cannot be written; change its permissions, or work on a copy",
    sqlite3.SQLITE_CORRUPT: f"the file is damaged or cut off; {_FRESH_START}",
    sqlite3.SQLITE_NOTADB: "this is not a guard's file; choose another path",
    sqlite3.SQLITE_FULL: "the disk is full, nothing was charged; make room and score again",
    sqlite3.SQLITE_CANTOPEN: "the file or its directory cannot be opened; check their permissions",
}
