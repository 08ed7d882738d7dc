"""Checks of stored files against their digests, and their repair from a backup."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select

from ladderboard.core.errors import DamagedFileError
from ladderboard.server.db.backup import read_file_of_backup
from ladderboard.server.db.database import Database
from ladderboard.server.db.files import Files
from ladderboard.server.db.schema import files as table


@dataclass(frozen=True)
class CheckedFile:
    """A stored file. ``problem``: what is wrong with it, in words for the organiser; None where it is whole."""

    digest: str
    problem: str | None


def check_files(database: Database, files: Files) -> Iterator[CheckedFile]:
    """Read every file that the database refers to, and compare it with its digest."""
    with database.reading() as connection:
        digests = list(connection.scalars(select(table.c.digest).order_by(table.c.digest)))
    for digest in digests:
        try:
            files.read(digest)
        except DamagedFileError as problem:
            yield CheckedFile(digest, str(problem))
        else:
            yield CheckedFile(digest, None)


def mend_file(database: Database, files: Files, digest: str, backup_file: Path) -> bool:
    """Restore one file from a backup; False where the backup does not have it."""
    content = read_file_of_backup(backup_file, digest)
    if content is None:
        return False
    files.put(content)
    with database.transaction() as connection:
        files.record(connection, digest, content, database.now(connection))
    files.read(digest)
    return True
