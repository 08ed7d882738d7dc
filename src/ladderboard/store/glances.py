"""One row, read as cheaply as a database allows: for what is asked with every request."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Lock
from typing import Any, cast

from sqlalchemy import Select
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import OperationalError

from ladderboard.store.columns import EPOCH, Instant
from ladderboard.store.database import Database

Found = Mapping[str, Any]


class Glance:
    """A statement that finds one row at most, prepared once. Its columns are texts, numbers and instants."""

    def __init__(self, statement: Select[Any]) -> None:
        compiled = statement.compile(dialect=sqlite.dialect())
        self.statement, self.sql = statement, str(compiled)
        self._places: list[str] = list(compiled.positiontup or ())
        self._instants = {name: isinstance(column.type, Instant) for name, column in statement.selected_columns.items()}

    def given(self, values: dict[str, Any]) -> list[Any]:
        """The values in the order of the question marks, as SQLite keeps them."""
        return [_as_kept(values[name]) for name in self._places]

    def found(self, kept: tuple[Any, ...]) -> Found:
        """A row as SQLite keeps it, with the names and types of the statement."""
        columns = zip(self._instants.items(), kept, strict=True)
        return {name: _instant(value) if is_instant else value for (name, is_instant), value in columns}


class Glances:
    """Reads outside of any transaction.

    On SQLite through one connection of its own: it takes some ten microseconds, waits for no writer (WAL) and sees what
    was committed last. On PostgreSQL it is an ordinary statement that waits for the network.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection: sqlite3.Connection | None = None
        self._guard = Lock()

    @property
    def is_immediate(self) -> bool:
        """Whether `read` never waits, so that an event loop may call it."""
        return self._database.is_sqlite

    def read(self, glance: Glance, **given: Any) -> tuple[Found | None, datetime]:
        """The row or None, and the database's time, which the statement knows as ``now``."""
        if not self._database.is_sqlite:
            with self._database.reading() as connection:
                now = self._database.now(connection)
                row = connection.execute(glance.statement, {**given, "now": now}).mappings().one_or_none()
                return cast("Found | None", row), now
        now = self._database.now()
        try:
            with self._opened() as opened:
                kept = opened.execute(glance.sql, glance.given({**given, "now": now})).fetchone()
        except sqlite3.Error as error:  # as every other statement would raise it
            raise OperationalError(glance.sql, None, error, hide_parameters=True) from None
        return None if kept is None else glance.found(kept), now

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


def _as_kept(value: Any) -> Any:
    return (value - EPOCH) // timedelta(microseconds=1) if isinstance(value, datetime) else value


def _instant(micros: int | None) -> datetime | None:
    return None if micros is None else EPOCH + timedelta(microseconds=micros)
