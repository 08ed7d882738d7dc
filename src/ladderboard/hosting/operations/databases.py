"""A server's database: opening it for commands, and whether its tables are up to date."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from ladderboard.hosting.settings import Settings
from ladderboard.store.database import Database
from ladderboard.store.migrations import known_revisions, revision_of, upgrade

__all__ = ["Database", "is_up_to_date", "open_database"]


@contextmanager
def open_database(settings: Settings) -> Iterator[Database]:
    """Open a server's database, created or brought up to date first."""
    database = Database(settings.database_url)
    try:
        upgrade(database)
        yield database
    finally:
        database.close()


def is_up_to_date(database: Database) -> bool:
    """Whether the database answers and has the tables of this version."""
    with database.reading() as connection:
        return revision_of(connection) == _newest_revision()


@cache
def _newest_revision() -> str:
    return known_revisions()[-1]
