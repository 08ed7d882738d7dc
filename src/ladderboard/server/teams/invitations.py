"""Invitations: codes that let one person join a team, or offer a team for a merger (see `merging`)."""

from datetime import timedelta

from ladderboard.core.errors import ConflictError, NotFoundError
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.db.database import Database
from ladderboard.server.db.rows import teams
from ladderboard.server.people.identities import hash_code, make_code
from ladderboard.server.people.roles import Person, require
from ladderboard.server.teams.records import InvitationBody, InvitationKind, OpenInvitation, TeamBody, TeamRecord
from ladderboard.server.teams.sql import invitations, members
from ladderboard.server.teams.teams import (
    TeamTransaction,
    open_for_change,
    open_for_reading,
    refuse_inactive,
    refuse_member,
)

LASTS = timedelta(days=7)
MOST_OPEN = 20
"""Open invitations of one team."""

NO_GOOD = "this code is wrong, used, revoked or expired; ask for a new one"


def make_invitation(
    database: Database, live: LiveCompetition, person: Person, name: str, *, kind: InvitationKind = "join"
) -> tuple[str, InvitationBody]:
    """Make an invitation; returns its code, to be shown once, and the invitation itself."""
    code = make_code()
    with open_for_change(database, live) as change:
        team = change.find_team(person, name, "change_team")
        refuse_inactive(team)
        if kind == "merge" and not live.rules.teams.merging:
            raise ConflictError("teams cannot merge in this competition")
        if len(invitations.list_open(change.connection, team.id, change.now)) >= MOST_OPEN:
            raise ConflictError(f"there are {MOST_OPEN} open invitations; revoke one first")
        added = invitations.add(
            change.connection,
            team_id=team.id,
            code_hash=hash_code(code),
            kind=kind,
            by=person.id,
            now=change.now,
            until=change.now + LASTS,
        )
        return code, added


def list_open_invitations(database: Database, live: LiveCompetition, person: Person, name: str) -> list[InvitationBody]:
    """List a team's open invitations, oldest first."""
    with open_for_reading(database, live) as view:
        team = view.find_team(person, name, "see_team")
        return invitations.list_open(view.connection, team.id, view.now)


def revoke_invitation(database: Database, live: LiveCompetition, person: Person, name: str, invitation_id: str) -> None:
    """Revoke an invitation."""
    with open_for_change(database, live) as change:
        team = change.find_team(person, name, "change_team")
        if not invitations.revoke(change.connection, team.id, invitation_id, change.now):
            raise NotFoundError("there is no such open invitation")


def find_competition_of(database: Database, code: str) -> str | None:
    """Find the competition of an open invitation; None where the code is no good."""
    with database.reading() as connection:
        return invitations.find_competition(connection, hash_code(code), database.now(connection))


def accept_invitation(database: Database, live: LiveCompetition, person: Person, code: str) -> TeamBody:
    """Join a team with a code; also in a competition that only its members can see."""
    with open_for_change(database, live) as change:
        invitation, team = find_invitation(change, code)
        require(person, "join", live.rules, own_team=team.id)
        if invitation.kind != "join":
            raise ConflictError("this code is for merging teams; a member of your team enters it under “Merge”")
        refuse_inactive(team)
        _refuse_other_team(change, person, team)
        refuse_too_many(change, team, 1 + members.count_members(change.connection, team.id))
        members.enter(change.connection, live.slug, account_id=person.id, team_id=team.id, now=change.now)
        invitations.use(change.connection, invitation.id, account_id=person.id, now=change.now)
        change.enter_in_ledger("joined", team)
        return change.read_team(team.id)


def find_invitation(change: TeamTransaction, code: str) -> tuple[OpenInvitation, TeamRecord]:
    """Find the open invitation with this code, and its team; raises `NotFoundError`."""
    invitation = invitations.find_open(change.connection, hash_code(code), change.now)
    team = None if invitation is None else teams.get(change.connection, invitation.team_id)
    if invitation is None or team is None or team.competition != change.live.slug:
        raise NotFoundError(NO_GOOD)
    return invitation, team


def refuse_too_many(change: TeamTransaction, team: TeamRecord, people: int) -> None:
    """Raise `ConflictError` if a team would have more members than the rules allow."""
    largest = change.live.rules.teams.largest
    if people > largest:
        raise ConflictError(f"{team.name!r} would have {people} members; at most {largest} are allowed here")


def _refuse_other_team(change: TeamTransaction, person: Person, team: TeamRecord) -> None:
    own = members.find_membership(change.connection, change.live.slug, person.id)
    if own is None:
        return
    if own.team_id == team.id:
        if own.left_at is None:
            raise ConflictError(f"you are already in the team {team.name!r}")
        return
    other = teams.get(change.connection, own.team_id)
    refuse_member(own, other)
    raise ConflictError(f"you were in the team {other.name!r}; a person can be in only one team of a competition")
