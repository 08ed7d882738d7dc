"""Backups of a server's data, restoring them, and mending stored files from them."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ladderboard.server.db import backup
from ladderboard.server.db.backup import BackupSummary
from ladderboard.server.db.database import Database
from ladderboard.server.db.file_checks import check_files, mend_file
from ladderboard.server.db.files import Files
from ladderboard.server.db.former_use import note_use
from ladderboard.server.services import files_for
from ladderboard.server.settings import Settings

__all__ = ["BackupSummary", "FilesSummary", "restore_backup", "verify_files", "write_backup"]


@dataclass(frozen=True)
class FilesSummary:
    """What became of the stored files: how many there are, what is wrong, and which of those were mended."""

    count: int
    problems: dict[str, str]
    """By digest."""
    mended: tuple[str, ...] = ()


def write_backup(settings: Settings, to: Path) -> BackupSummary:
    """Copy a server's data and every submitted file into the new file ``to``, while the server runs."""
    database = Database(settings.database_url)
    try:
        return backup.write_backup(database, files_for(settings, database), to)
    finally:
        database.close()


def restore_backup(settings: Settings, backup_file: Path) -> tuple[BackupSummary, str]:
    """Restore a server's data from a backup into an empty database; also returns where the data is."""
    database = Database(settings.database_url)
    try:
        restored = backup.restore_backup(backup_file, database, files_for(settings, database))
        note_use(database)
        return restored, database.location
    finally:
        database.close()


def verify_files(settings: Settings, *, backup_file: Path | None = None) -> FilesSummary:
    """Compare every stored file with its digest, and restore what is damaged from a backup, if one is given."""
    database = Database(settings.database_url)
    try:
        files = files_for(settings, database)
        checked = list(check_files(database, files))
        problems = {one.digest: one.problem for one in checked if one.problem is not None}
        mended = () if backup_file is None else _mend(database, files, problems, backup_file)
        return FilesSummary(len(checked), problems, mended)
    finally:
        database.close()


def _mend(database: Database, files: Files, problems: Iterable[str], backup_file: Path) -> tuple[str, ...]:
    return tuple(digest for digest in problems if mend_file(database, files, digest, backup_file))
