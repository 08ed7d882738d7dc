"""Column types and inserts that behave alike on SQLite and PostgreSQL, and the ids of rows."""

import json
import secrets
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Connection, Table, Text
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
