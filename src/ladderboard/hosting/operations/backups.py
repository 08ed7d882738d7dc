"""Backups of a server's data, and restoring them."""

from pathlib import Path

from ladderboard.hosting.services import files_for
from ladderboard.hosting.settings import Settings
from ladderboard.store import backup
from ladderboard.store.backup import BackupSummary
from ladderboard.store.database import Database

__all__ = ["BackupSummary", "restore_backup", "write_backup"]


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
        return backup.restore_backup(backup_file, database, files_for(settings, database)), database.location
    finally:
        database.close()
