"""Teams with all that an organiser wants to know of them."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, func, select

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
