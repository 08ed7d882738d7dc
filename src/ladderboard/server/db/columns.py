"""Column types and inserts that behave alike on SQLite and PostgreSQL, ids of rows, and rows made into records."""

import json
import secrets
from collections.abc import Hashable, Iterable
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, TypeVar, cast

from sqlalchemy import BigInteger, Connection, Result, Row, Select, Table, Text, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from ladderboard.core.canonical_json import canonical_json

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Instant(TypeDecorator[datetime]):
    """An aware time, kept as whole microseconds since 1970: exact, sortable, and the same number in both databases."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        return None if value is None else (value - EPOCH) // timedelta(microseconds=1)

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        return None if value is None else EPOCH + timedelta(microseconds=value)


class Json(TypeDecorator[Any]):
    """A value as canonical JSON text: sorted keys, no spaces, so that equal values are equal bytes."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        return None if value is None else canonical_json(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        return None if value is None else json.loads(value)


def new_id(now: datetime) -> str:
    """A row's id: 24 hex digits, ordered by time (so that indexes grow at their end) and not to be guessed."""
    milliseconds = (now - EPOCH) // timedelta(milliseconds=1)
    return f"{milliseconds:012x}{secrets.token_hex(6)}"


def insert_or_keep(connection: Connection, table: Table, **values: Any) -> bool:
    """Insert a row unless one with its key exists; returns whether it was inserted."""
    dialect: Any = sqlite if connection.dialect.name == "sqlite" else postgresql
    wish = dialect.insert(table).values(**values).on_conflict_do_nothing()
    return connection.execute(wish.returning(*table.primary_key)).one_or_none() is not None


Record = TypeVar("Record")


def make_record(kind: type[Record], row: Row[*tuple[Any, ...]]) -> Record:
    """The record of that kind from the columns of a row that have its fields' names; other columns are left out."""
    mapping = row._mapping
    return kind(*(mapping[name] for name in _names(cast(Hashable, kind))))


def find_record(kind: type[Record], result: Result[*tuple[Any, ...]]) -> Record | None:
    """The record of the only row of a result; None where it has none."""
    row = result.one_or_none()
    return None if row is None else make_record(kind, row)


def make_records(kind: type[Record], rows: Iterable[Row[*tuple[Any, ...]]]) -> list[Record]:
    """One record for each row."""
    return [make_record(kind, row) for row in rows]


def select_fields(kind: type[Record], table: Table) -> Select[Any]:
    """Select the columns of a table that a record of that kind has fields for."""
    return select(*(table.c[name] for name in _names(cast(Hashable, kind))))


@lru_cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))
