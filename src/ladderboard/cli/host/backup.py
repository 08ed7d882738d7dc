"""`ladderboard backup` and `ladderboard restore`: a server's data in one file, and back."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ladderboard.cli.host.server_options import database_options

if TYPE_CHECKING:
    from ladderboard.store.backup import Copied
    from ladderboard.store.database import Database
    from ladderboard.store.files import Files


@click.command()
@click.argument("to", metavar="TO", type=click.Path(path_type=Path, dir_okay=False))
@database_options
def backup(to: Path, **given: Any) -> None:
    r"""Copy a server's data and every submitted file into the new file TO. The server goes on meanwhile.

    The copy is of one moment and works with SQLite and PostgreSQL alike. It holds all secrets of the server: keep it
    as you keep the solution. The competition folders are not in it.

    \b
    Example:
      ladderboard backup monday.backup
      ladderboard backup /backups/$(date +%F).backup --database postgresql:///boards
    """
    from ladderboard.store.backup import backup as make

    with _opened(given) as (database, files):
        copied = make(database, files, to)
    click.echo(f"{to}: {_described(copied)}")


@click.command()
@click.argument("backup_file", metavar="FROM", type=click.Path(path_type=Path, dir_okay=False))
@database_options
def restore(backup_file: Path, **given: Any) -> None:
    r"""Make a server's data again from the backup FROM, in a new folder or an empty database.

    Stop the server first. What was scored after the backup is lost; so that none of its noise is ever used again, noise
    is drawn anew from here on, and the ledger of every competition says that it was restored.

    \b
    Example:
      ladderboard restore monday.backup --data restored
      ladderboard restore monday.backup --database postgresql:///boards
    """
    from ladderboard.store.backup import restore as make_again

    with _opened(given) as (database, files):
        copied = make_again(backup_file, database, files)
        click.echo(f"{_shown(database)}: {_described(copied)}")


@contextmanager
def _opened(given: dict[str, Any]) -> "Iterator[tuple[Database, Files]]":
    from ladderboard.hosting.services import files_for
    from ladderboard.hosting.settings import Settings
    from ladderboard.store.database import Database

    settings = Settings.from_environment(**given)
    database = Database(settings.database_url)
    try:
        yield database, files_for(settings, database)
    finally:
        database.close()


def _described(copied: "Copied") -> str:
    counts = [
        (copied.competitions, "competition"),
        (copied.teams, "team"),
        (copied.submissions, "submission"),
        (copied.files, "file"),
    ]
    return ", ".join(f"{count} {noun}" + ("" if count == 1 else "s") for count, noun in counts)


def _shown(database: "Database") -> str:
    """Where the data is now, as people write it; a password is not shown."""
    url = database.url
    return str(url.database) if database.is_sqlite else url.set(drivername="postgresql").render_as_string()
