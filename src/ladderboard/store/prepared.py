"""Statements that every attempt runs, prepared once and handed straight to the database's driver.

SQLAlchemy takes several times as long to hand over a statement as SQLite takes to run it, and an attempt runs more than
a dozen. Names, types and errors are those that SQLAlchemy's own way would give.
"""

from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar, cast

from sqlalchemy import Connection
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import DBAPIError, NoResultFound
from sqlalchemy.sql.compiler import SQLCompiler

Given = Mapping[str, Any]
"""The values of a statement's parameters; for an INSERT or UPDATE without columns also which columns it writes."""
Found = Any
"""A row with its columns as attributes, in their own types."""
Converter = Callable[[Any], Any]
Cursor = Any
"""The driver's."""
Taken = TypeVar("Taken")


class Prepared:
    """A statement with named parameters. It must not be one whose text depends on values (an IN of many).

    It runs in a transaction of `Database`, which is begun and ended there.
    """

    def __init__(self, statement: Any) -> None:
        self.statement = statement
        self._ready: dict[tuple[str, ...], _ForDriver] = {}

    def one(self, connection: Connection, given: Given) -> Found:
        """The row; raises `NoResultFound` where there is none."""
        found = self.first(connection, given)
        if found is None:
            raise NoResultFound("No row was found when one was required")
        return found

    def first(self, connection: Connection, given: Given) -> Found | None:
        """The first row, or None where there is none."""
        ready = self._for(connection.dialect, given)
        return ready.on(connection, given, ready.first)

    def first_by(self, driver: Any, dialect: Dialect, given: Given) -> Found | None:
        """The same by a connection of the driver that SQLAlchemy knows nothing of."""
        ready = self._for(dialect, given)
        return ready.by(driver, given, ready.first)

    def rows(self, connection: Connection, given: Given) -> list[Found]:
        """All rows."""
        ready = self._for(connection.dialect, given)
        return ready.on(connection, given, ready.all)

    def run(self, connection: Connection, given: Given) -> int:
        """Write; returns how many rows were changed."""
        return self._for(connection.dialect, given).on(connection, given, _changed)

    def _for(self, dialect: Dialect, given: Given) -> "_ForDriver":
        names = (dialect.name, *given)
        ready = self._ready.get(names)
        if ready is None:
            ready = self._ready[names] = _ForDriver(self.statement, tuple(given), dialect)
        return ready


class _ForDriver:
    """A statement as a driver takes it, and the way of values there and back."""

    def __init__(self, statement: Any, names: Sequence[str], dialect: Dialect) -> None:
        compiled: SQLCompiler = statement.compile(dialect=dialect, column_keys=list(names))
        if compiled.insert_prefetch or compiled.update_prefetch or compiled.post_compile_params:
            raise TypeError(f"this statement needs more than its parameters: {compiled}")
        self.sql = str(compiled)
        # SQLite is given values in the order of the question marks, PostgreSQL by their names.
        self._names = None if compiled.positional else list(compiled.binds)
        places = [compiled.binds[name] for name in (compiled.positiontup or compiled.binds)]
        self._keys = [str(bound.key) for bound in places]
        self._constants = {str(bound.key): bound.effective_value for bound in places if not bound.required}
        self._writers = _converters(bound.type.dialect_impl(dialect).bind_processor(dialect) for bound in places)
        selected = statement.selected_columns.items() if statement.is_select else ()
        self._types = [column.type.dialect_impl(dialect) for _, column in selected]
        self._readers: list[tuple[int, Converter]] | None = None
        self._make: Any = namedtuple("Found", [name for name, _ in selected])  # type: ignore[misc]
        self._dialect, self._error = dialect, cast("type[Exception]", cast("Any", dialect.dbapi).Error)

    def on(self, connection: Connection, given: Given, take: Callable[[Cursor], Taken]) -> Taken:
        """Run it, and take what it returns from the driver's cursor."""
        try:
            return self.by(_driver(connection), given, take)
        except DBAPIError as error:
            if error.connection_invalidated:
                connection.invalidate(error)
            raise

    def by(self, driver: Any, given: Given, take: Callable[[Cursor], Taken]) -> Taken:
        """The same by the driver's own connection."""
        try:
            return take(driver.execute(self.sql, self._values(given)))
        except self._error as error:
            raise self._as_usual(error, driver) from error

    def first(self, cursor: Cursor) -> Found | None:
        kept = cursor.fetchone()
        return None if kept is None else self._row(kept, cursor)

    def all(self, cursor: Cursor) -> list[Found]:
        return [self._row(kept, cursor) for kept in cursor.fetchall()]

    def _row(self, kept: tuple[Any, ...], cursor: Cursor) -> Found:
        """A row of a cursor, with the names and types of the statement."""
        if self._readers is None:
            codes = [column[1] for column in cursor.description]
            each = zip(self._types, codes, strict=True)
            self._readers = _converters(one.result_processor(self._dialect, code) for one, code in each)
        return self._make(*_converted(list(kept), self._readers))

    def _values(self, given: Given) -> Any:
        if self._constants:
            given = {**self._constants, **given}
        values = _converted([given[key] for key in self._keys], self._writers)
        return values if self._names is None else dict(zip(self._names, values, strict=True))

    def _as_usual(self, error: Exception, driver: Any) -> BaseException:
        """As SQLAlchemy would raise it, without the values."""
        return DBAPIError.instance(
            self.sql,
            None,
            error,
            self._error,
            hide_parameters=True,
            connection_invalidated=self._dialect.is_disconnect(cast("Any", error), driver, None),
            dialect=self._dialect,
        )


def _changed(cursor: Cursor) -> int:
    return int(cursor.rowcount)


def _driver(connection: Connection) -> Any:
    return connection.connection.driver_connection


def _converters(each: Iterable[Converter | None]) -> list[tuple[int, Converter]]:
    """Those there are, with their places."""
    return [(at, convert) for at, convert in enumerate(each) if convert is not None]


def _converted(values: list[Any], converters: Sequence[tuple[int, Converter]]) -> list[Any]:
    for at, convert in converters:
        values[at] = convert(values[at])
    return values
