"""The rows of teams and of who is in them. Whoever writes holds the competition's row (`competitions.hold`)."""

import secrets
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, select, update

from ladderboard.server.db.columns import find_record, insert_or_keep, make_record, make_records, new_id
from ladderboard.server.db.schema import members, teams
from ladderboard.server.teams.records import Membership, TeamRecord

SALT_BYTES = 16


def add(
    connection: Connection, slug: str, *, name: str, name_key: str, now: datetime, kind: str = "team"
) -> TeamRecord | None:
    """Add a team without members; None if the name is taken."""
    team_id = new_id(now)
    added = insert_or_keep(
        connection,
        teams,
        id=team_id,
        competition=slug,
        name=name,
        name_key=name_key,
        kind=kind,
        created_at=now,
        salt=secrets.token_hex(SALT_BYTES),
    )
    return get(connection, team_id) if added else None


def get(connection: Connection, team_id: str) -> TeamRecord:
    """The team with an id that is known to exist."""
    return make_record(TeamRecord, connection.execute(select(teams).where(teams.c.id == team_id)).one())


def find_named(connection: Connection, slug: str, name_key: str) -> TeamRecord | None:
    """Find a team by the key of its name."""
    is_named = (teams.c.competition == slug) & (teams.c.name_key == name_key)
    return find_record(TeamRecord, connection.execute(select(teams).where(is_named)))


def change(connection: Connection, team_id: str, **values: Any) -> None:
    """Set columns of a team."""
    connection.execute(update(teams).where(teams.c.id == team_id).values(**values))


def find_team_of(connection: Connection, slug: str, account_id: str) -> TeamRecord | None:
    """Find the team that a person is in now."""
    is_inside = is_membership(slug, account_id) & members.c.left_at.is_(None)
    joined = select(teams).join(members, members.c.team_id == teams.c.id).where(is_inside)
    return find_record(TeamRecord, connection.execute(joined))


def find_team_id(connection: Connection, slug: str, account_id: str) -> str | None:
    """Find the id of the team that a person is in now."""
    return connection.scalar(_TEAM_ID, {"slug": slug, "account_id": account_id})


_TEAM_ID = select(members.c.team_id).where(
    members.c.competition == bindparam("slug"),
    members.c.account_id == bindparam("account_id"),
    members.c.left_at.is_(None),
)
"""Built once: most requests of a signed-in person run it."""


def list_memberships(connection: Connection, account_id: str) -> list[Membership]:
    """List the teams that a person is in, by competition."""
    columns = (teams.c.competition, teams.c.id.label("team_id"), teams.c.name, teams.c.status, members.c.joined_at)
    is_inside = (members.c.account_id == account_id) & members.c.left_at.is_(None)
    joined = select(*columns).join_from(members, teams, members.c.team_id == teams.c.id).where(is_inside)
    return make_records(Membership, connection.execute(joined.order_by(teams.c.competition)))


def is_membership(slug: str, account_id: str) -> ColumnElement[bool]:
    """Whether a row of members is that of a person in a competition, past or present."""
    return (members.c.competition == slug) & (members.c.account_id == account_id)


def list_with_merged(connection: Connection, team_id: str) -> list[str]:
    """List a team and those that were merged into it: what they did is its own history."""
    found, new = {team_id}, {team_id}
    while new:
        new = set(connection.scalars(select(teams.c.id).where(teams.c.merged_into.in_(new)))) - found
        found |= new
    return sorted(found)
