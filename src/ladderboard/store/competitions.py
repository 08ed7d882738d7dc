"""The rows of competitions, read."""

from collections.abc import Collection

from sqlalchemy import Connection, select

from ladderboard.store.records import CompetitionRecord, record_of
from ladderboard.store.schema import competitions


def get(connection: Connection, slug: str) -> CompetitionRecord:
    """The row of a competition that is being served."""
    return record_of(
        CompetitionRecord, connection.execute(select(competitions).where(competitions.c.slug == slug)).one()
    )


def find(connection: Connection, slug: str) -> CompetitionRecord | None:
    """Find a competition by its slug."""
    row = connection.execute(select(competitions).where(competitions.c.slug == slug)).one_or_none()
    return None if row is None else record_of(CompetitionRecord, row)


def all_of(connection: Connection, slugs: Collection[str]) -> dict[str, CompetitionRecord]:
    """The rows of these competitions, by slug."""
    rows = connection.execute(select(competitions).where(competitions.c.slug.in_(list(slugs))))
    return {row.slug: record_of(CompetitionRecord, row) for row in rows}
