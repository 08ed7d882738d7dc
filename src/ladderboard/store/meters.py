"""Counts for the organiser's dashboard."""

from datetime import datetime

from sqlalchemy import BigInteger, Connection, func, select, type_coerce

from ladderboard.store.schema import flags, instances, submissions, teams

HOUR = 3_600_000_000
"""Microseconds."""


def largest_bits(connection: Connection, slug: str) -> float:
    """What the most told memory of the mechanism has told."""
    return float(connection.scalar(select(func.max(instances.c.bits)).where(instances.c.competition == slug)) or 0.0)


def count_teams(connection: Connection, slug: str) -> int:
    """Teams that may submit."""
    mine = (teams.c.competition == slug) & (teams.c.status == "active") & (teams.c.kind == "team")
    return int(connection.scalar(select(func.count()).select_from(teams).where(mine)) or 0)


def count_flags(connection: Connection, slug: str) -> int:
    """Flags that were not dismissed."""
    mine = (flags.c.competition == slug) & flags.c.dismissed_at.is_(None)
    return int(connection.scalar(select(func.count()).select_from(flags).where(mine)) or 0)


def submissions_by_hour(connection: Connection, slug: str, *, since: datetime) -> list[tuple[int, int]]:
    """(hours since 1970, how many submissions arrived in it), in order; hours without any are left out."""
    hour = type_coerce(submissions.c.received_at, BigInteger) // HOUR
    mine = (submissions.c.competition == slug) & (submissions.c.received_at >= since)
    grouped = select(hour.label("hour"), func.count()).where(mine).group_by(hour).order_by(hour)
    return [(int(begins), int(number)) for begins, number in connection.execute(grouped)]
