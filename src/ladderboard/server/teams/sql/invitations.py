"""Invitations to join a team, and offers of a team for a merger."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select, update

from ladderboard.server.db.columns import find_record, make_records, new_id
from ladderboard.server.db.schema import invitations, teams
from ladderboard.server.teams.records import InvitationBody, InvitationKind, OpenInvitation


def add(
    connection: Connection,
    *,
    team_id: str,
    code_hash: str,
    kind: InvitationKind,
    by: str,
    now: datetime,
    until: datetime,
) -> InvitationBody:
    """Add an invitation."""
    invitation_id = new_id(now)
    connection.execute(
        insert(invitations).values(
            id=invitation_id,
            team_id=team_id,
            code_hash=code_hash,
            kind=kind,
            created_by=by,
            created_at=now,
            expires_at=until,
        )
    )
    return InvitationBody(invitation_id, kind, created_at=now, expires_at=until)


def list_open(connection: Connection, team_id: str, now: datetime) -> list[InvitationBody]:
    """List the team's invitations that can still be accepted, oldest first."""
    wanted = (invitations.c.team_id == team_id) & _is_open(now)
    rows = connection.execute(select(invitations).where(wanted).order_by(invitations.c.id))
    return make_records(InvitationBody, rows)


def find_open(connection: Connection, code_hash: str, now: datetime) -> OpenInvitation | None:
    """Find the invitation with this code, if it can still be accepted."""
    wanted = (invitations.c.code_hash == code_hash) & _is_open(now)
    return find_record(OpenInvitation, connection.execute(select(invitations).where(wanted)))


def find_competition(connection: Connection, code_hash: str, now: datetime) -> str | None:
    """Find the competition of the invitation with this code, if it can still be accepted."""
    of_team = select(teams.c.competition).join(invitations, invitations.c.team_id == teams.c.id)
    slug: str | None = connection.scalar(of_team.where(invitations.c.code_hash == code_hash, _is_open(now)))
    return slug


def use(connection: Connection, invitation_id: str, *, account_id: str, now: datetime) -> None:
    """Mark an invitation as used."""
    wanted = invitations.c.id == invitation_id
    connection.execute(update(invitations).where(wanted).values(used_by=account_id, used_at=now))


def revoke(connection: Connection, team_id: str, invitation_id: str, now: datetime) -> bool:
    """Revoke an open invitation; False if the team has no such one."""
    wanted = (invitations.c.id == invitation_id) & (invitations.c.team_id == team_id) & _is_open(now)
    return connection.execute(update(invitations).where(wanted).values(revoked_at=now)).rowcount == 1


def revoke_all(connection: Connection, team_id: str, now: datetime) -> None:
    """Revoke all open invitations of a team."""
    wanted = (invitations.c.team_id == team_id) & _is_open(now)
    connection.execute(update(invitations).where(wanted).values(revoked_at=now))


def _is_open(now: datetime) -> Any:
    return invitations.c.used_at.is_(None) & invitations.c.revoked_at.is_(None) & (invitations.c.expires_at > now)
