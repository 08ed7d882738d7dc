"""A server's database, opened for the organiser's commands."""

from collections.abc import Iterator
from contextlib import contextmanager

from ladderboard.hosting.settings import Settings
from ladderboard.store.database import Database
from ladderboard.store.migrations import upgrade

__all__ = ["Database", "open_database"]


@contextmanager
def open_database(settings: Settings) -> Iterator[Database]:
    """Open a server's database, created or brought up to date first."""
    database = Database(settings.database_url)
    try:
        upgrade(database)
        yield database
    finally:
        database.close()
