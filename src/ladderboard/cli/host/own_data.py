"""A server's data for the organiser's commands: the database alone, or with a competition from its folder.

The commands work whether or not a server is running on the same data: everything they write is a transaction like the
server's own, and a running server sees it with its next request.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from ladderboard.competition import Competition, load_competition
from ladderboard.server.competitions.opening import find_entered
from ladderboard.server.db.database import Database
from ladderboard.server.services import Services, open_database, open_services
from ladderboard.server.settings import Settings


def read_settings(data: Path | None = None, database: str | None = None) -> Settings:
    """Read the settings of a server with these options."""
    return Settings.from_environment(data=data, database=database)


@contextmanager
def open_own_database(data: Path | None = None, database: str | None = None) -> Iterator[Database]:
    """Open the database of a server that was started before; no command but `serve` and `restore` creates one."""
    with open_database(read_settings(data, database)) as opened:
        yield opened


@contextmanager
def open_competition(
    folder: Path, data: Path | None = None, database: str | None = None
) -> Iterator[tuple[Services, str]]:
    """Open the services of the competition in a folder; yields them and its slug."""
    slug = read_slug(folder)
    with open_own_database(data, database) as opened, opened.reading() as connection:
        find_entered(connection, slug)  # a wrong --data must not create a second one
    services = open_services(read_settings(data, database), [folder])
    warn_of_unpublished(services)
    try:
        yield services, slug
    finally:
        services.close()


@contextmanager
def open_correction(
    folder: Path, *, data: Path | None = None, database: str | None = None
) -> Iterator[tuple[Services, Competition]]:
    """Open the services and load the corrected competition from a folder; what it corrects, the database keeps."""
    corrected = load_competition(folder)
    with open_own_database(data, database) as opened, opened.reading() as connection:
        find_entered(connection, corrected.slug)
    services = open_services(read_settings(data, database), [])
    try:
        yield services, corrected
    finally:
        services.close()


def warn_of_unpublished(services: Services) -> None:
    """Say on standard error which folders have another solution than the one that counts."""
    for slug in sorted(services.unpublished):
        folder = services.competition(slug).competition.folder
        click.echo(
            f"Warning: the labels, the split or the metric in {folder} are not the ones that count; the database keeps "
            f"those. `ladderboard rescore {folder}` previews what publishing the folder's would change.",
            err=True,
        )


def read_slug(competition: Path) -> str:
    """Read the slug of the competition in a folder; anything else is taken for the slug itself."""
    return load_competition(competition).slug if competition.is_dir() else str(competition)
