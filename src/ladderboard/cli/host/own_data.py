"""A server's own data for the organiser's commands: the database alone, or with the competition in its folder.

The commands work whether or not a server runs on the same data: everything they write is a transaction like the
server's own, and a running server sees it with its next request.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ladderboard.competition import Competition
    from ladderboard.hosting.services import Services
    from ladderboard.hosting.settings import Settings
    from ladderboard.store.database import Database


def settings_of(data: Path | None = None, database: str | None = None) -> "Settings":
    """The settings that a server with these options has."""
    from ladderboard.hosting.settings import Settings

    return Settings.from_environment(data=data, database=database)


@contextmanager
def opened_database(data: Path | None = None, database: str | None = None) -> "Iterator[Database]":
    """The database of a server that was started before."""
    from ladderboard.core.errors import DatabaseError
    from ladderboard.store.database import Database
    from ladderboard.store.migrations import upgrade

    settings = settings_of(data, database)
    path = settings.data / "ladderboard.db"
    if not settings.database and not path.exists():
        raise DatabaseError(
            f"there is no {path}; name the server's folder with --data, or its database with --database"
        )
    opened = Database(settings.database_url)
    try:
        upgrade(opened)
        yield opened
    finally:
        opened.close()


@contextmanager
def opened_host(
    folder: Path, data: Path | None = None, database: str | None = None
) -> "Iterator[tuple[Services, str]]":
    """A host of the competition in a folder, and its slug."""
    from ladderboard.hosting.audit.ledger_view import find_competition
    from ladderboard.hosting.services import open_services

    slug = slug_in(folder)
    with opened_database(data, database) as opened, opened.reading() as connection:
        find_competition(connection, slug)  # a wrong --data must not make a second one of it
    services = open_services(settings_of(data, database), [folder])
    try:
        yield services, slug
    finally:
        services.close()


@contextmanager
def corrected_host(
    folder: Path, *, served: Path | None, data: Path | None = None, database: str | None = None
) -> "Iterator[tuple[Services, Competition]]":
    """A host of what is being served, if that is at hand, and the corrected competition in a folder."""
    from ladderboard.competition import load_competition
    from ladderboard.hosting.audit.ledger_view import find_competition
    from ladderboard.hosting.services import open_services

    corrected = load_competition(folder)
    with opened_database(data, database) as opened, opened.reading() as connection:
        find_competition(connection, corrected.slug)
    services = open_services(settings_of(data, database), [] if served is None else [served])
    try:
        yield services, corrected
    finally:
        services.close()


def slug_in(competition: Path) -> str:
    """The slug of the competition in a folder; anything else is taken for a slug itself."""
    from ladderboard.competition import load_competition

    return load_competition(competition).slug if competition.is_dir() else str(competition)
