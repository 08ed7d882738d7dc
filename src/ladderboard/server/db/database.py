"""One database, SQLite or PostgreSQL: connections, transactions, and the clock that quotas and deadlines go by."""

import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Any

from sqlalchemy import Connection, Engine, Select, create_engine, event, func, literal_column, select
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.pool import QueuePool
from sqlalchemy.schema import CreateSchema, DropSchema

from ladderboard.core.errors import (
    DamagedDatabaseError,
    DatabaseError,
    OutcomeUnknownError,
    ParameterError,
    UnavailableError,
)
from ladderboard.server.db.columns import EPOCH

__all__ = ["Clock", "Connection", "Database"]  # rules know a connection, not the library behind it

DAMAGED = (
    "the database is damaged: a part of it cannot be read; stop the server, keep a copy of its data, and restore "
    "the last backup: `ladderboard restore BACKUP {into}` (docs/guide/backups.md)"
)
BUSY_SECONDS = 30
"""How long a writer waits for another one before it gives up."""

Clock = Callable[[], datetime]

_LOCKS_OF_OURS = 0x1ADDE4
"""The first number of our advisory locks, so that they are nobody else's."""
_DURABLE = "SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'"


class Database:
    """Connections to the database at ``url``.

    ``transaction()`` writes: on SQLite it takes the one write lock at once (BEGIN IMMEDIATE), so that what is read in
    it stays true until the commit. ``reading()`` only reads, and never waits for a writer.
    ``clock`` replaces the database's clock, for tests and simulations of days. What an error says never has the
    values of a statement (`hide_parameters`): they may be a secret, a password's hash or somebody's predictions.
    """

    def __init__(self, url: str, *, clock: Clock | None = None, pool_size: int = 10) -> None:
        self.url = _readable_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        self._clock = clock
        self._writing = Lock()
        self.engine = _sqlite_engine(self.url, pool_size) if self.is_sqlite else _postgres_engine(self.url, pool_size)

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """All or nothing: committed at the end of the block, rolled back where an error leaves it."""
        with _translate_errors(), self._turn_to_write(), self.engine.connect() as connection:
            if self.is_sqlite:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            try:
                yield connection
                self._commit(connection)
            except BaseException:
                connection.rollback()
                raise

    @contextmanager
    def _turn_to_write(self) -> Iterator[None]:
        """Let the threads of this process write to SQLite in turn: it would have them sleep and try again instead."""
        if not self.is_sqlite:
            yield
            return
        if not self._writing.acquire(timeout=BUSY_SECONDS):
            raise UnavailableError("the server has been busy for too long; nothing was changed, try again")
        try:
            yield
        finally:
            self._writing.release()

    @contextmanager
    def reshaping(self) -> Iterator[Connection]:
        """As `transaction`, for what changes tables or fills many: one process at a time.

        SQLite rebuilds a table to change it, so references are not followed meanwhile, and checked at the end.
        """
        if not self.is_sqlite:
            with self.transaction() as connection:
                self.go_alone(connection, "reshape")
                yield connection
            return
        with _translate_errors(), self.engine.connect() as connection:
            # Outside of transactions only; and exec_driver_sql would begin one for SQLAlchemy, but not for SQLite.
            connection.exec_driver_sql("PRAGMA foreign_keys=OFF")
            connection.rollback()
            try:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
                yield connection
                broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchone()
                if broken is not None:
                    raise DatabaseError(
                        f"a row of the table {broken[0]} refers to one in {broken[2]} that is not there"
                    )
                connection.commit()
            finally:
                connection.rollback()
                connection.invalidate()  # nobody else gets one that follows no references

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """One consistent view for the whole block, nothing written."""
        with _translate_errors(), self.engine.connect() as connection:
            if self.is_sqlite:
                connection.exec_driver_sql("BEGIN")
            else:
                connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
            try:
                yield connection
                # Nothing was written, so both end it alike; but a rollback makes psycopg forget what it has prepared.
                connection.commit()
            finally:
                connection.rollback()

    @contextmanager
    def scratch_schema(self, name: str) -> Iterator[str]:
        """The address of a new schema of this PostgreSQL database; dropped at the end, with all that is in it."""
        if self.is_sqlite:
            raise ParameterError("--database is for PostgreSQL; without it the drill has a SQLite file of its own")
        try:
            with self.transaction() as connection:
                connection.execute(CreateSchema(name))
        except (DatabaseError, UnavailableError) as error:
            why = str(getattr(error.__cause__, "orig", error)).strip().splitlines()
            raise DatabaseError(
                f"cannot create a schema in the database of --database ({why[0] if why else type(error).__name__}); "
                "check that it is running and that its user may create a schema there"
            ) from None
        try:
            inside = self.url.update_query_dict({"options": f"-csearch_path={name}"})
            yield inside.render_as_string(hide_password=False)
        finally:
            with self.transaction() as connection:
                connection.execute(DropSchema(name, cascade=True, if_exists=True))

    def go_alone(self, connection: Connection, purpose: str) -> None:
        """Block other transactions of the same ``purpose``, in all processes, until this one ends.

        For what nobody has a row of yet to hold. SQLite lets one transaction write at a time anyway.
        """
        if not self.is_sqlite:
            connection.execute(select(func.pg_advisory_xact_lock(_LOCKS_OF_OURS, zlib.crc32(purpose.encode()) >> 1)))

    def now(self, connection: Connection | None = None) -> datetime:
        """The database's time: the same for all server processes, however wrong their own clocks are."""
        if self._clock is not None:
            return self._clock()
        if self.is_sqlite:
            # SQLite runs in this process, on this machine: its clock is ours, and to the microsecond.
            return datetime.now(UTC)
        if connection is not None:
            return _postgres_now(connection)
        with self.reading() as own:
            return _postgres_now(own)

    @property
    def location(self) -> str:
        """Where the data is, as people write it, without a password."""
        return str(self.url.database) if self.is_sqlite else self.url.set(drivername="postgresql").render_as_string()

    def count_connections_in_use(self) -> int:
        """Count the connections that this process has taken from its pool; -1 where the pool does not count."""
        pool = self.engine.pool
        return pool.checkedout() if isinstance(pool, QueuePool) else -1

    def close(self) -> None:
        self.engine.dispose()

    @staticmethod
    def _commit(connection: Connection) -> None:
        try:
            connection.commit()
        except DBAPIError as error:
            if error.connection_invalidated:
                # The answer to COMMIT never came: nobody here can know whether it was carried out.
                raise OutcomeUnknownError(
                    "the connection to the database broke while this was being stored; send it again: if it was "
                    "stored, you get the stored answer, and it counts once"
                ) from None
            raise


@contextmanager
def _translate_errors() -> Iterator[None]:
    """Raise errors of SQLAlchemy as ours: `UnavailableError` for what tends to pass, `DatabaseError` for the rest."""
    try:
        yield
    except (OperationalError, InterfaceError, PoolTimeoutError) as error:
        raise UnavailableError("the server cannot store anything right now; nothing was changed") from error
    except SQLAlchemyError as error:
        into = _find_way_back(error)
        if into is not None:
            raise DamagedDatabaseError(DAMAGED.format(into=into)) from error
        # Its own words may hold what nobody may see; they are in the log, with the traceback.
        raise DatabaseError(f"the database refused a statement ({type(error).__name__})") from error


def _find_way_back(error: SQLAlchemyError) -> str | None:
    """The option that names a new database, if this one says that what it has stored is not what it wrote."""
    cause = error.orig if isinstance(error, DBAPIError) else None
    if isinstance(cause, sqlite3.Error):
        # The low byte is the kind of error, the rest its details.
        kind = getattr(cause, "sqlite_errorcode", 0) & 0xFF
        return "--data NEW_FOLDER" if kind in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) else None
    is_damage = getattr(cause, "sqlstate", None) in ("XX001", "XX002")  # data_corrupted, index_corrupted
    return "--database NEW_DATABASE" if is_damage else None


def _readable_url(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise ParameterError(
            f"{url!r} is no database address; give sqlite:///path/to/file.db or postgresql://user@host/name"
        ) from None
    backend = parsed.get_backend_name()
    if backend not in ("sqlite", "postgresql"):
        raise ParameterError(f"{backend} is not served; give sqlite:///path/to/file.db or postgresql://user@host/name")
    return parsed.set(drivername="postgresql+psycopg" if backend == "postgresql" else "sqlite+pysqlite")


def _sqlite_engine(url: URL, pool_size: int) -> Engine:
    if url.database in (None, "", ":memory:"):
        raise ParameterError("a database in memory forgets everything; give sqlite:///path/to/file.db")
    engine = create_engine(
        url,
        poolclass=QueuePool,
        pool_size=pool_size,
        max_overflow=100,
        hide_parameters=True,
        connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False},
    )

    @event.listens_for(engine, "do_connect")
    def make_place(*_: Any) -> None:
        # For nobody else's eyes: it holds the secrets of competitions and what teams have sent.
        path = Path(str(url.database))
        if not path.parent.exists():
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists():
            os.close(os.open(path, os.O_CREAT, 0o600))  # the files that SQLite puts beside it have the same mode

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        # Transactions are begun by us (see `transaction`), not by the driver's guess.
        connection.isolation_level = None
        _write_ahead(connection)
        for pragma in ("synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {pragma}")

    return engine


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Let readers and a writer of SQLite go side by side; the file remembers it.

    Where several processes open a new file at once, SQLite refuses the change at once instead of waiting for its
    time-out, since two that wait for each other's lock would wait for ever. So it is tried again here.
    """
    give_up = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
            time.sleep(0.01)
        else:
            return


def _postgres_engine(url: URL, pool_size: int) -> Engine:
    try:
        # pre_ping: after a restart of the database the first request finds a live connection, not an old one.
        engine = create_engine(
            url, pool_size=pool_size, max_overflow=20, pool_pre_ping=True, pool_recycle=1800, hide_parameters=True
        )
    except ImportError:
        words = "PostgreSQL needs its driver: pip install '.[postgres]' in Ladderboard's checkout"
        raise ParameterError(words) from None

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: Any) -> None:
        # What is acknowledged is on disk, also where the server's default is to be faster than that.
        connection.execute(_DURABLE)
        connection.commit()

    return engine


def _postgres_now(connection: Connection) -> datetime:
    return EPOCH + timedelta(microseconds=connection.execute(_CLOCK).scalar_one())


# clock_timestamp moves on within a transaction; now() would be its start.
_CLOCK: Select[Any] = select(literal_column("(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"))
