"""The version of a board, read as cheaply as a database allows: it is asked for with every read of every board."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from threading import Lock
from typing import Any, NamedTuple

from ladderboard.store import standings
from ladderboard.store.columns import EPOCH
from ladderboard.store.database import Database


class Dates(NamedTuple):
    """What `standings.version_of` returns, whatever way it was read."""

    board_version: int
    opened_at: datetime | None
    frozen_at: datetime | None
    finalized_at: datetime | None
    revealed_at: datetime | None
    spent_at: datetime | None
    scoring_version: int


_ONE_ROW = f"SELECT {', '.join(Dates._fields)} FROM competitions WHERE slug = ?"  # noqa: S608 (names of columns)


class Versions:
    """Reads the dates and the version of a competition's board, outside of any transaction.

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

    def read(self, slug: str) -> tuple[Dates, datetime]:
        """The row, and the database's time."""
        if not self._database.is_sqlite:
            with self._database.reading() as connection:
                row = standings.version_of(connection, slug)
                return Dates._make(row), self._database.now(connection)
        with self._opened() as connection:
            found = connection.execute(_ONE_ROW, (slug,)).fetchone()
        return Dates._make([found[0], *map(_moment, found[1:-1]), found[-1]]), self._database.now()

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
                self._connection = sqlite3.connect(
                    str(self._database.url.database), isolation_level=None, check_same_thread=False
                )
            yield self._connection


def _moment(micros: Any) -> datetime | None:
    return None if micros is None else EPOCH + timedelta(microseconds=micros)
