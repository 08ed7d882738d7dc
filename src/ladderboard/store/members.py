"""Who is in which team."""

from sqlalchemy import Connection, select

from ladderboard.store.schema import members


def team_of_member(connection: Connection, slug: str, account_id: str) -> str | None:
    """The team that somebody is an active member of in a competition."""
    mine = (members.c.competition == slug) & (members.c.account_id == account_id) & members.c.left_at.is_(None)
    return connection.scalar(select(members.c.team_id).where(mine))
