"""Statements that every attempt runs, prepared once.

On SQLite they go straight to its driver: SQLAlchemy takes several times as long to hand over a statement as SQLite
takes to run it, and an attempt runs more than a dozen. On PostgreSQL, where a statement waits for the network anyway,
they are ordinary statements. Names, types and errors are the same on both.
"""

import sqlite3
from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from sqlalchemy import Connection, Executable
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import DBAPIError, NoResultFound
from sqlalchemy.sql.compiler import SQLCompiler

Given = Mapping[str, Any]
"""The values of a statement's parameters; for an INSERT or UPDATE without columns also which columns it writes."""
Found = Any
"""A row with its columns as attributes, in their own types."""
Converter = Callable[[Any], Any]


class Prepared:
    """A statement with named parameters. It must not be one whose text depends on values (an IN of many)."""

    def __init__(self, statement: Any) -> None:
        self.statement: Executable = statement
        self._selected = tuple(statement.selected_columns.items()) if statement.is_select else ()
        self._ready: dict[tuple[str, ...], _ForSQLite] = {}

    def one(self, connection: Connection, given: Given) -> Found:
        """The row; raises `NoResultFound` where there is none."""
        found = self.first(connection, given)
        if found is None:
            raise NoResultFound("No row was found when one was required")
        return found

    def first(self, connection: Connection, given: Given) -> Found | None:
        """The first row, or None where there is none."""
        if connection.dialect.name != "sqlite":
            return connection.execute(self.statement, given).first()
        ready = self._for(connection.dialect, given)
        kept = ready.on(connection, ready.values(given)).fetchone()
        return None if kept is None else ready.row(kept)

    def rows(self, connection: Connection, given: Given) -> Sequence[Found]:
        """All rows."""
        if connection.dialect.name != "sqlite":
            return connection.execute(self.statement, given).all()
        ready = self._for(connection.dialect, given)
        return [ready.row(kept) for kept in ready.on(connection, ready.values(given)).fetchall()]

    def run(self, connection: Connection, given: Given) -> int:
        """Write; returns how many rows were changed."""
        if connection.dialect.name != "sqlite":
            return connection.execute(self.statement, given).rowcount
        ready = self._for(connection.dialect, given)
        return int(ready.on(connection, ready.values(given)).rowcount)

    def run_each(self, connection: Connection, rows: Sequence[Given]) -> None:
        """Write with each of some values, of the same names; at least one."""
        if connection.dialect.name != "sqlite":
            connection.execute(self.statement, rows)
            return
        ready = self._for(connection.dialect, rows[0])
        ready.on_each(connection, [ready.values(given) for given in rows])

    def _for(self, dialect: Dialect, given: Given) -> "_ForSQLite":
        names = tuple(given)
        ready = self._ready.get(names)
        if ready is None:
            ready = self._ready[names] = _ForSQLite(self.statement, self._selected, names, dialect)
        return ready


class _ForSQLite:
    """A statement as SQLite's driver takes it, and the way of values there and back."""

    def __init__(
        self, statement: Any, selected: Sequence[tuple[str, Any]], names: Sequence[str], dialect: Dialect
    ) -> None:
        compiled: SQLCompiler = statement.compile(dialect=dialect, column_keys=list(names))
        if compiled.insert_prefetch or compiled.update_prefetch or compiled.post_compile_params:
            raise TypeError(f"this statement needs more than its parameters: {compiled}")
        self.sql = str(compiled)
        places = [compiled.binds[name] for name in compiled.positiontup or ()]
        self._keys = [str(bound.key) for bound in places]
        self._constants = {str(bound.key): bound.effective_value for bound in places if not bound.required}
        self._writers = _converters(bound.type.dialect_impl(dialect).bind_processor(dialect) for bound in places)
        self._make: Any = namedtuple("Found", [name for name, _ in selected])  # type: ignore[misc]
        types = [column.type.dialect_impl(dialect) for _, column in selected]
        self._readers = _converters(one.result_processor(dialect, None) for one in types)

    def values(self, given: Given) -> list[Any]:
        """In the order of the question marks, as SQLite keeps them."""
        if self._constants:
            given = {**self._constants, **given}
        return _converted([given[key] for key in self._keys], self._writers)

    def row(self, kept: tuple[Any, ...]) -> Found:
        """A row as SQLite keeps it, with the names and types of the statement."""
        return self._make(*_converted(list(kept), self._readers))

    def on(self, connection: Connection, values: Sequence[Any]) -> sqlite3.Cursor:
        try:
            return _driver(connection).execute(self.sql, values)
        except sqlite3.Error as error:
            raise self._as_usual(error, connection) from error

    def on_each(self, connection: Connection, rows: Sequence[Sequence[Any]]) -> None:
        try:
            _driver(connection).executemany(self.sql, rows)
        except sqlite3.Error as error:
            raise self._as_usual(error, connection) from error

    def _as_usual(self, error: sqlite3.Error, connection: Connection) -> BaseException:
        """As SQLAlchemy would raise it, without the values."""
        return DBAPIError.instance(
            self.sql, None, error, sqlite3.Error, hide_parameters=True, dialect=connection.dialect
        )


def _driver(connection: Connection) -> sqlite3.Connection:
    return cast("sqlite3.Connection", connection.connection.driver_connection)


def _converters(each: Iterable[Converter | None]) -> list[tuple[int, Converter]]:
    """Those there are, with their places."""
    return [(at, convert) for at, convert in enumerate(each) if convert is not None]


def _converted(values: list[Any], converters: Sequence[tuple[int, Converter]]) -> list[Any]:
    for at, convert in converters:
        values[at] = convert(values[at])
    return values
