"""Flags: the organiser's list of submissions to look at. Participants never see it."""

from ladderboard.core.errors import NotFoundError
from ladderboard.server.audit.ledger_view import find_competition
from ladderboard.server.db.database import Database
from ladderboard.server.moderation import sql
from ladderboard.server.moderation.records import FlagCountBody, NamedFlag
from ladderboard.server.people.names import name_key


def list_flags(
    database: Database, slug: str, *, offset: int = 0, limit: int = 100, dismissed: bool = False
) -> tuple[list[NamedFlag], int]:
    """List flags, newest first, and count all of them. ``dismissed``: include those that were dismissed."""
    with database.reading() as connection:
        find_competition(connection, slug)
        return sql.list_flags(connection, slug, offset=offset, limit=limit, dismissed=dismissed)


def count_flags(database: Database, slug: str, *, offset: int = 0, limit: int = 100) -> tuple[list[FlagCountBody], int]:
    """Count the open flags of each kind and team, the largest number first, and how many such counts there are."""
    with database.reading() as connection:
        find_competition(connection, slug)
        found = sql.count_by_team(connection, slug, offset=offset, limit=limit)
        return found, sql.count_flagged(connection, slug)


def dismiss_flag(database: Database, slug: str, flag_id: str) -> None:
    """Dismiss a flag; raises `NotFoundError`."""
    with database.transaction() as connection:
        if not sql.dismiss(connection, slug, flag_id, database.now(connection)):
            raise NotFoundError(f"{slug} has no flag {flag_id!r}")


def dismiss_flags(database: Database, slug: str, *, team: str, kind: str) -> None:
    """Dismiss all flags of one kind that a team has."""
    with database.transaction() as connection:
        sql.dismiss_all(connection, slug, team_key=name_key(team), kind=kind, now=database.now(connection))
