"""Teams with all that an organiser wants to know of them, and flags that are put aside by the dozen."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, select, update

from ladderboard.store.schema import flags, members, teams


def teams_listed(
    connection: Connection, slug: str, key: str, *, offset: int, limit: int
) -> tuple[Sequence[Row[Any]], int]:
    """Teams of every status whose name has ``key``, the busiest first, and how many there are."""
    mine = (teams.c.competition == slug) & (teams.c.kind == "team")
    if key:
        mine &= teams.c.name_key.contains(key, autoescape=True)
    inside = select(func.count()).where((members.c.team_id == teams.c.id) & members.c.left_at.is_(None))
    flagged = select(func.count()).where((flags.c.team_id == teams.c.id) & flags.c.dismissed_at.is_(None))
    chosen = (
        select(teams, inside.scalar_subquery().label("members"), flagged.scalar_subquery().label("flags"))
        .where(mine)
        .order_by(teams.c.attempts.desc(), teams.c.name_key)
    )
    total = connection.scalar(select(func.count()).select_from(teams).where(mine))
    return connection.execute(chosen.offset(offset).limit(limit)).all(), int(total or 0)


def dismiss_flags(connection: Connection, slug: str, *, team_key: str, kind: str, now: datetime) -> None:
    """Put aside all flags of one kind that the team with this key has."""
    team = select(teams.c.id).where((teams.c.competition == slug) & (teams.c.name_key == team_key)).scalar_subquery()
    mine = (flags.c.team_id == team) & (flags.c.kind == kind) & flags.c.dismissed_at.is_(None)
    connection.execute(update(flags).where(mine).values(dismissed_at=now))
