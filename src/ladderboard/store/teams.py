"""The rows of teams, their members and invitations. Whoever writes holds the competition's row (`attempts.hold`)."""

import secrets
from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select, update

from ladderboard.store.columns import new_id
from ladderboard.store.records import TeamRecord, record_of
from ladderboard.store.schema import accounts, competitions, invitations, members, teams
from ladderboard.store.upserts import insert_or_keep

Found = Row[*tuple[Any, ...]]

SALT_BYTES = 16

# -- teams ------------------------------------------------------------------------------------------------------------


def add(
    connection: Connection, slug: str, *, name: str, name_key: str, now: datetime, kind: str = "team"
) -> TeamRecord | None:
    """A new team without members; None where the name is taken."""
    made = new_id(now)
    added = insert_or_keep(
        connection,
        teams,
        id=made,
        competition=slug,
        name=name,
        name_key=name_key,
        kind=kind,
        created_at=now,
        salt=secrets.token_hex(SALT_BYTES),
    )
    return get(connection, made) if added else None


def get(connection: Connection, team_id: str) -> TeamRecord:
    """The team of an id that is known to exist."""
    return record_of(TeamRecord, connection.execute(select(teams).where(teams.c.id == team_id)).one())


def names(connection: Connection, ids: Collection[str]) -> dict[str, str]:
    """The names that these teams have now, by their ids."""
    found = connection.execute(select(teams.c.id, teams.c.name).where(teams.c.id.in_(ids)))
    return {row.id: row.name for row in found}


def find_named(connection: Connection, slug: str, name_key: str) -> TeamRecord | None:
    """The team of a name, by its key."""
    named = (teams.c.competition == slug) & (teams.c.name_key == name_key)
    row = connection.execute(select(teams).where(named)).one_or_none()
    return None if row is None else record_of(TeamRecord, row)


def change(connection: Connection, team_id: str, **values: Any) -> None:
    """Set columns of a team."""
    connection.execute(update(teams).where(teams.c.id == team_id).values(**values))


def renew_board(connection: Connection, slug: str) -> None:
    """Say that the public board has changed, so that nothing old is shown from a cache."""
    newer = {"board_version": competitions.c.board_version + 1}
    connection.execute(update(competitions).where(competitions.c.slug == slug).values(newer))


# -- members ----------------------------------------------------------------------------------------------------------


def team_of(connection: Connection, slug: str, account_id: str) -> TeamRecord | None:
    """The team that a person is in now."""
    mine = (members.c.competition == slug) & (members.c.account_id == account_id) & members.c.left_at.is_(None)
    row = connection.execute(select(teams).join(members, members.c.team_id == teams.c.id).where(mine)).one_or_none()
    return None if row is None else record_of(TeamRecord, row)


def membership(connection: Connection, slug: str, account_id: str) -> Row[Any] | None:
    """The person's one membership in a competition, also where it was left."""
    mine = (members.c.competition == slug) & (members.c.account_id == account_id)
    return connection.execute(select(members).where(mine)).one_or_none()


def memberships(connection: Connection, account_id: str) -> list[Found]:
    """The teams that a person is in: competition, team_id, name, status, joined_at."""
    columns = (teams.c.competition, teams.c.id.label("team_id"), teams.c.name, teams.c.status, members.c.joined_at)
    mine = (members.c.account_id == account_id) & members.c.left_at.is_(None)
    joined = select(*columns).join_from(members, teams, members.c.team_id == teams.c.id).where(mine)
    return list(connection.execute(joined.order_by(teams.c.competition)))


def members_of(connection: Connection, team_id: str) -> list[Found]:
    """The people in a team now: account_id, name, joined_at; the longest first."""
    columns = (members.c.account_id, accounts.c.name, members.c.joined_at)
    inside = (members.c.team_id == team_id) & members.c.left_at.is_(None)
    listed = select(*columns).join_from(members, accounts, members.c.account_id == accounts.c.id).where(inside)
    return list(connection.execute(listed.order_by(members.c.joined_at, accounts.c.name_key)))


def number_of_members(connection: Connection, team_id: str) -> int:
    """How many people are in a team now."""
    inside = (members.c.team_id == team_id) & members.c.left_at.is_(None)
    return int(connection.scalar(select(func.count()).select_from(members).where(inside)) or 0)


def enter(connection: Connection, slug: str, *, account_id: str, team_id: str, now: datetime) -> None:
    """Put a person in a team: for the first time, or again in the team that was left."""
    values = {"team_id": team_id, "joined_at": now, "left_at": None}
    if not insert_or_keep(connection, members, competition=slug, account_id=account_id, **values):
        mine = (members.c.competition == slug) & (members.c.account_id == account_id)
        connection.execute(update(members).where(mine).values(left_at=None, joined_at=now))


def leave(connection: Connection, slug: str, *, account_id: str, now: datetime) -> None:
    """Take a person out; the row stays."""
    mine = (members.c.competition == slug) & (members.c.account_id == account_id)
    connection.execute(update(members).where(mine).values(left_at=now))


def move_members(connection: Connection, *, source: str, target: str) -> None:
    """All of a team's members, those who left too, become the other's."""
    connection.execute(update(members).where(members.c.team_id == source).values(team_id=target))


# -- invitations ------------------------------------------------------------------------------------------------------


def invite(
    connection: Connection, *, team_id: str, code_hash: str, kind: str, by: str, now: datetime, until: datetime
) -> Row[Any]:
    """A new invitation; returns its row."""
    made = new_id(now)
    connection.execute(
        insert(invitations).values(
            id=made,
            team_id=team_id,
            code_hash=code_hash,
            kind=kind,
            created_by=by,
            created_at=now,
            expires_at=until,
        )
    )
    return connection.execute(select(invitations).where(invitations.c.id == made)).one()


def open_invitations(connection: Connection, team_id: str, now: datetime) -> list[Row[Any]]:
    """The team's invitations that can still be accepted, oldest first."""
    mine = (invitations.c.team_id == team_id) & _is_open(now)
    return list(connection.execute(select(invitations).where(mine).order_by(invitations.c.id)))


def find_invitation(connection: Connection, code_hash: str, now: datetime) -> Row[Any] | None:
    """The invitation of a code, if it can still be accepted."""
    good = (invitations.c.code_hash == code_hash) & _is_open(now)
    return connection.execute(select(invitations).where(good)).one_or_none()


def use_invitation(connection: Connection, invitation_id: str, *, account_id: str, now: datetime) -> None:
    """Spend an invitation."""
    mine = invitations.c.id == invitation_id
    connection.execute(update(invitations).where(mine).values(used_by=account_id, used_at=now))


def revoke_invitation(connection: Connection, team_id: str, invitation_id: str, now: datetime) -> bool:
    """Take an invitation back; False where the team has no such open one."""
    mine = (invitations.c.id == invitation_id) & (invitations.c.team_id == team_id) & _is_open(now)
    return connection.execute(update(invitations).where(mine).values(revoked_at=now)).rowcount == 1


def revoke_invitations(connection: Connection, team_id: str, now: datetime) -> None:
    """Take all open invitations of a team back."""
    mine = (invitations.c.team_id == team_id) & _is_open(now)
    connection.execute(update(invitations).where(mine).values(revoked_at=now))


def _is_open(now: datetime) -> Any:
    return invitations.c.used_at.is_(None) & invitations.c.revoked_at.is_(None) & (invitations.c.expires_at > now)
