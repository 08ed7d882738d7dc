"""A server's database, opened for the organiser's commands."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ladderboard.core.errors import DatabaseError
from ladderboard.server.db.database import Database
from ladderboard.server.db.migrations import read_revision, upgrade
from ladderboard.server.settings import Settings

__all__ = ["Database", "open_database"]


@contextmanager
def open_database(settings: Settings) -> Iterator[Database]:
    """Open the database of a server that was started before, brought up to date; raises `DatabaseError` without one."""
    database = Database(settings.database_url)
    try:
        if database.is_sqlite and not Path(str(database.url.database)).exists():
            raise DatabaseError(
                f"there is no {database.url.database}; give the server's folder with --data, or its database with "
                "--database. A new server makes one: start `ladderboard serve` first"
            )
        with database.reading() as connection:
            if read_revision(connection) is None:
                raise DatabaseError(f"no server has used {database.location} yet; start `ladderboard serve` first")
        upgrade(database)
        yield database
    finally:
        database.close()
