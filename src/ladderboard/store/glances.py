"""One row, read as cheaply as a database allows: for what is asked with every request."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from threading import Lock
from typing import TYPE_CHECKING, Any

from ladderboard.store.prepared import Prepared

if TYPE_CHECKING:
    from ladderboard.store.database import Database

Found = Mapping[str, Any]


class Glances:
    """Reads outside of any transaction.

    On SQLite through one connection of its own: it takes some ten microseconds, waits for no writer (WAL) and sees what
    was committed last. On PostgreSQL it is an ordinary statement that waits for the network.
    """

    def __init__(self, database: "Database") -> None:
        self._database = database
        self._connection: sqlite3.Connection | None = None
        self._guard = Lock()

    @property
    def is_immediate(self) -> bool:
        """Whether `read` never waits, so that an event loop may call it."""
        return self._database.is_sqlite

    def read(self, statement: Prepared, **given: Any) -> tuple[Found | None, datetime]:
        """The row or None, and the database's time, which the statement knows as ``now``."""
        if not self._database.is_sqlite:
            with self._database.reading() as connection:
                now = self._database.now(connection)
                return _named(statement.first(connection, {**given, "now": now})), now
        now = self._database.now()
        return self.row(statement, **given, now=now), now

    def row(self, statement: Prepared, **given: Any) -> Found | None:
        """The row or None, for statements that need no time."""
        if not self._database.is_sqlite:
            with self._database.reading() as connection:
                return _named(statement.first(connection, given))
        with self._opened() as opened:
            return _named(statement.first_by(opened, self._database.engine.dialect, given))

    def close(self) -> None:
        """Let go of the connection; the next read opens another."""
        with self._guard:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        with self._guard:
            if self._connection is None:
                path = str(self._database.url.database)
                self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            yield self._connection


def _named(row: Any) -> Found | None:
    return None if row is None else row._asdict()
