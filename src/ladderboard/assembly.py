"""Settings → parts: the only place where concrete parts are chosen."""

from collections.abc import Sequence
from pathlib import Path

from ladderboard.competition import load_competition
from ladderboard.errors import ConflictError
from ladderboard.hosting.host import Host
from ladderboard.hosting.opening import enter
from ladderboard.hosting.referee import Referee
from ladderboard.settings import Settings
from ladderboard.store.database import Clock, Database
from ladderboard.store.files import files_for
from ladderboard.store.migrations import upgrade


def open_host(
    settings: Settings, folders: Sequence[Path], *, clock: Clock | None = None, secret: bytes | None = None
) -> Host:
    """A host that serves the competitions of these folders; its database is made or brought up to date first."""
    competitions = [load_competition(folder) for folder in folders]
    slugs = [competition.slug for competition in competitions]
    twice = sorted({slug for slug in slugs if slugs.count(slug) > 1})
    if twice:
        raise ConflictError(f"two folders have the slug {twice[0]!r}; write another `slug` in one competition.toml")
    database = Database(settings.database_url, clock=clock)
    upgrade(database)
    files = files_for(settings, database)
    host = Host(settings, database, files, Referee(database))
    host.serve(enter(database, files, competition, secret=secret) for competition in competitions)
    return host
