"""A server's database, opened for the organiser's commands."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ladderboard.core.errors import DatabaseError
from ladderboard.server.db.database import Database
from ladderboard.server.db.migrations import read_revision, upgrade
from ladderboard.server.settings import Settings

__all__ = ["Database", "open_database"]

NEW_OR_LOST = (
    "for a new server start `ladderboard serve` first; if one has used it, its data is lost: restore the last backup "
    "with `ladderboard restore BACKUP` (docs/guide/backups.md)"
)


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
        database.refuse_emptied()
        with database.reading() as connection:
            if read_revision(connection) is None:
                raise DatabaseError(f"{database.location} is empty; {NEW_OR_LOST}")
        upgrade(database)
        yield database
    finally:
        database.close()
