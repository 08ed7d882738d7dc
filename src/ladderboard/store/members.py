"""Who is in which team."""

from sqlalchemy import Connection, bindparam, select

from ladderboard.store.schema import members


def team_of_member(connection: Connection, slug: str, account_id: str) -> str | None:
    """The team that somebody is an active member of in a competition."""
    return connection.scalar(_TEAM_OF, {"slug": slug, "account_id": account_id})


_TEAM_OF = select(members.c.team_id).where(
    members.c.competition == bindparam("slug"),
    members.c.account_id == bindparam("account_id"),
    members.c.left_at.is_(None),
)
"""Built once: most requests of a signed-in person run it."""
