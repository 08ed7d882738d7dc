"""Invitations: a code that lets one person into a team, or offers a team to another one (see `merging`)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import Row

from ladderboard.core.errors import ConflictError, NotFoundError
from ladderboard.core.words import translatable
from ladderboard.hosting.live_competition import LiveCompetition
from ladderboard.hosting.people.codes import hash_of_code, new_code
from ladderboard.hosting.people.roles import Person, require
from ladderboard.hosting.teams.teams import Change, Team, Teams, refuse_inactive
from ladderboard.store import teams
from ladderboard.store.records import TeamRecord

Kind = Literal["join", "merge"]

LASTS = timedelta(days=7)
MOST_OPEN = 20
"""Open invitations of one team."""

NO_GOOD = translatable("this code is wrong, used, taken back or expired; ask for a new one")


@dataclass(frozen=True)
class Invitation:
    """What is known of an invitation beside its code."""

    id: str
    kind: Kind
    created_at: datetime
    expires_at: datetime

    @classmethod
    def of(cls, row: Row[Any]) -> "Invitation":
        return cls(row.id, row.kind, row.created_at, row.expires_at)


class Invitations:
    """The invitations of teams."""

    def __init__(self, all_teams: Teams) -> None:
        self._teams = all_teams

    def invite(
        self, live: LiveCompetition, person: Person, name: str, *, kind: Kind = "join"
    ) -> tuple[str, Invitation]:
        """A new invitation of a team: the code, to be shown once, and what is known of it."""
        code = new_code()
        with self._teams.changing(live) as change:
            team = change.team_named(person, name, "change_team")
            refuse_inactive(team)
            if kind == "merge" and not live.rules.teams.merging:
                raise ConflictError(translatable("teams cannot merge in this competition"))
            if len(teams.open_invitations(change.connection, team.id, change.now)) >= MOST_OPEN:
                raise ConflictError(
                    translatable("there are {most} open invitations; take one back first", most=MOST_OPEN)
                )
            row = teams.invite(
                change.connection,
                team_id=team.id,
                code_hash=hash_of_code(code),
                kind=kind,
                by=person.id,
                now=change.now,
                until=change.now + LASTS,
            )
            return code, Invitation.of(row)

    def listed(self, live: LiveCompetition, person: Person, name: str) -> list[Invitation]:
        """The open invitations of a team, oldest first."""
        with self._teams.looking(live) as view:
            team = view.team_named(person, name, "see_team")
            return [Invitation.of(row) for row in teams.open_invitations(view.connection, team.id, view.now)]

    def revoke(self, live: LiveCompetition, person: Person, name: str, invitation_id: str) -> None:
        """Take an invitation back."""
        with self._teams.changing(live) as change:
            team = change.team_named(person, name, "change_team")
            if not teams.revoke_invitation(change.connection, team.id, invitation_id, change.now):
                raise NotFoundError(translatable("there is no such open invitation"))

    def accept(self, live: LiveCompetition, person: Person, code: str) -> Team:
        """Enter a team by a code; also in a competition that only its members can see."""
        with self._teams.changing(live) as change:
            invitation, team = open_invitation(change, code)
            require(person, "join", live.rules, own_team=team.id)
            if invitation.kind != "join":
                raise ConflictError(
                    translatable("this code offers a team for a merger; a member of your team enters it as such")
                )
            refuse_inactive(team)
            _refuse_other_team(change, person, team)
            refuse_too_many(change, team, 1 + teams.number_of_members(change.connection, team.id))
            teams.enter(change.connection, live.slug, account_id=person.id, team_id=team.id, now=change.now)
            teams.use_invitation(change.connection, invitation.id, account_id=person.id, now=change.now)
            change.enter_in_ledger("joined", team)
            return change.team(team)


def open_invitation(change: Change, code: str) -> tuple[Row[Any], TeamRecord]:
    """The open invitation of a code and its team; raises `NotFoundError`."""
    invitation = teams.find_invitation(change.connection, hash_of_code(code), change.now)
    team = None if invitation is None else teams.get(change.connection, invitation.team_id)
    if invitation is None or team is None or team.competition != change.live.slug:
        raise NotFoundError(NO_GOOD)
    return invitation, team


def refuse_too_many(change: Change, team: TeamRecord, people: int) -> None:
    """Raise where a team would have more members than the rules allow."""
    largest = change.live.rules.teams.largest
    if people > largest:
        raise ConflictError(
            translatable(
                "{name!r} would have {people} members; at most {largest} are allowed here",
                name=team.name,
                people=people,
                largest=largest,
            )
        )


def _refuse_other_team(change: Change, person: Person, team: TeamRecord) -> None:
    own = teams.membership(change.connection, change.live.slug, person.id)
    if own is None:
        return
    if own.team_id == team.id:
        if own.left_at is None:
            raise ConflictError(translatable("you are in the team {name!r} already", name=team.name))
        return
    other = teams.get(change.connection, own.team_id)
    if own.left_at is None:
        raise ConflictError(
            translatable("you are in the team {name!r}; one person is in one team of a competition", name=other.name)
        )
    raise ConflictError(
        translatable("you were in the team {name!r}; one person is in one team of a competition", name=other.name)
    )
