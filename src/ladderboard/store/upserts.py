"""Inserting a row that may be there already, the same on SQLite and PostgreSQL."""

from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite


def insert_or_keep(connection: Connection, table: Table, **values: Any) -> bool:
    """Insert the row unless one with its key is there; returns whether it was inserted."""
    dialect: Any = sqlite if connection.dialect.name == "sqlite" else postgresql
    wish = dialect.insert(table).values(**values).on_conflict_do_nothing()
    return connection.execute(wish.returning(*table.primary_key)).one_or_none() is not None
