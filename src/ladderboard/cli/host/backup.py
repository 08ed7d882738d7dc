"""`ladderboard backup`, `restore` and `verify-files`: a server's data in one file, and whether its files are whole."""

from pathlib import Path
from typing import Any

import click

from ladderboard.cli._shared.console import count_noun
from ladderboard.cli.host.own_data import open_own_database, read_settings
from ladderboard.cli.host.server_options import database_options
from ladderboard.server.operations.backups import BackupSummary, restore_backup, write_backup
from ladderboard.server.operations.backups import verify_files as verify


@click.command()
@click.argument("to", metavar="TO", type=click.Path(path_type=Path, dir_okay=False))
@database_options
def backup(to: Path, **given: Any) -> None:
    r"""Copy a server's data and every submitted file into the new file TO, while the server runs.

    The backup is consistent and works with SQLite and PostgreSQL alike. It contains all secrets of the server: protect
    it like the solution. It does not contain the competition folders. A damaged file does not stop it: it is named, and
    the exit code is 1.

    \b
    Example:
      ladderboard backup monday.backup
      ladderboard backup /backups/$(date +%F).backup --database postgresql:///boards
    """
    written = write_backup(read_settings(**given), to)
    click.echo(f"{to}: {_describe(written)}")
    _refuse_lost(written, "it was damaged before; `ladderboard verify-files --from` an older backup restores it")


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
    restored, location = restore_backup(read_settings(**given), backup_file)
    click.echo(f"{location}: {_describe(restored)}")
    _refuse_lost(restored, "`ladderboard verify-files --from` an older backup restores it")


@click.command("verify-files")
@click.option(
    "--from",
    "backup_file",
    metavar="BACKUP",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Restore what is damaged from this backup.",
)
@database_options
def verify_files(backup_file: Path | None, **given: Any) -> None:
    r"""Check that every submitted file is intact.

    The exit code is 1 if a file is missing or has been changed and was not restored. The server may be running.

    \b
    Example:
      ladderboard verify-files
      ladderboard verify-files --from monday.backup
    """
    with open_own_database(**given):  # a wrong --data must not make a database
        found = verify(read_settings(**given), backup_file=backup_file)
    for digest, problem in found.problems.items():
        click.echo(f"{digest}: restored" if digest in found.mended else problem)
    damaged = len(found.problems) - len(found.mended)
    click.echo(f"{count_noun(found.count, 'file')}, {damaged or 'none'} damaged")
    if damaged:
        raise click.exceptions.Exit(1)


def _refuse_lost(summary: BackupSummary, what_to_do: str) -> None:
    """Name the files whose content is lost, and end with an exit code that a scheduled job notices."""
    for digest in summary.lost:
        click.echo(f"the content of the file {digest} is not in it: {what_to_do}", err=True)
    if summary.lost:
        raise click.exceptions.Exit(1)


def _describe(summary: BackupSummary) -> str:
    counts = [
        (summary.competitions, "competition"),
        (summary.teams, "team"),
        (summary.submissions, "submission"),
        (summary.files, "file"),
    ]
    return ", ".join(count_noun(count, noun) for count, noun in counts)
