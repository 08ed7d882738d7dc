"""`ladderboard backup` and `ladderboard restore`: a server's data in one file."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ladderboard.cli.host.server_options import database_options

if TYPE_CHECKING:
    from ladderboard.hosting.operations.backups import BackupSummary


@click.command()
@click.argument("to", metavar="TO", type=click.Path(path_type=Path, dir_okay=False))
@database_options
def backup(to: Path, **given: Any) -> None:
    r"""Copy a server's data and every submitted file into the new file TO, while the server runs.

    The backup is consistent and works with SQLite and PostgreSQL alike. It contains all secrets of the server: protect
    it like the solution. It does not contain the competition folders.

    \b
    Example:
      ladderboard backup monday.backup
      ladderboard backup /backups/$(date +%F).backup --database postgresql:///boards
    """
    from ladderboard.cli.host.own_data import read_settings
    from ladderboard.hosting.operations.backups import write_backup

    click.echo(f"{to}: {_describe(write_backup(read_settings(**given), to))}")


@click.command()
@click.argument("backup_file", metavar="FROM", type=click.Path(path_type=Path, dir_okay=False))
@database_options
def restore(backup_file: Path, **given: Any) -> None:
    r"""Restore a server's data from the backup FROM, into a new folder or an empty database.

    Stop the server first. Submissions scored after the backup are lost. Their noise is never used again: noise is drawn
    from a new seed from now on, and the ledger of every competition records the restore.

    \b
    Example:
      ladderboard restore monday.backup --data restored
      ladderboard restore monday.backup --database postgresql:///boards
    """
    from ladderboard.cli.host.own_data import read_settings
    from ladderboard.hosting.operations.backups import restore_backup

    restored, location = restore_backup(read_settings(**given), backup_file)
    click.echo(f"{location}: {_describe(restored)}")


def _describe(summary: "BackupSummary") -> str:
    counts = [
        (summary.competitions, "competition"),
        (summary.teams, "team"),
        (summary.submissions, "submission"),
        (summary.files, "file"),
    ]
    return ", ".join(f"{count} {noun}" + ("" if count == 1 else "s") for count, noun in counts)
