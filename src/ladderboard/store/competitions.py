"""The rows of competitions, read."""

from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection, Row, select

from ladderboard.store.schema import competitions


def get(connection: Connection, slug: str) -> Row[Any]:
    """The row of a competition that is being served."""
    return connection.execute(select(competitions).where(competitions.c.slug == slug)).one()


def all_of(connection: Connection, slugs: Collection[str]) -> dict[str, Row[Any]]:
    """The rows of these competitions, by slug."""
    rows = connection.execute(select(competitions).where(competitions.c.slug.in_(list(slugs))))
    return {row.slug: row for row in rows}
