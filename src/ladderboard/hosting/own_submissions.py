"""What a team may see of its own submissions, and nobody else of them."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row

from ladderboard.errors import NoTeamError, NotFoundError
from ladderboard.hosting.host import Host
from ladderboard.hosting.hosted import Hosted
from ladderboard.hosting.roles import Person, require
from ladderboard.store import submissions
from ladderboard.store.members import team_of_member
from ladderboard.words import said


def submitting_team(host: Host, hosted: Hosted, person: Person) -> str:
    """The team that ``person`` submits for."""
    with host.database.reading() as connection:
        return submitting_member(hosted, person, team_of_member(connection, hosted.slug, person.id))


def submitting_member(hosted: Hosted, person: Person, own_team: str | None) -> str:
    """The same, where it is known which team a person is in."""
    if own_team is None and person.role == "participant":
        require(person, "join", hosted.rules)
        raise NoTeamError(
            said(
                "you are in no team of this competition yet; make one (on the page Team, or with "
                "`ladderboard team create NAME`) or accept an invitation, then submit"
            )
        )
    require(person, "submit", hosted.rules, own_team=own_team)
    assert own_team is not None
    return own_team


def listed(host: Host, slug: str, person: Person, *, offset: int, limit: int) -> tuple[Sequence[Row[Any]], int]:
    """A part of the team's submissions, newest first, and how many there are."""
    with host.database.reading() as connection:
        team_id = _team(connection, host.hosted(slug), person)
        if team_id is None:
            return [], 0
        rows = submissions.of_team(connection, team_id, offset=offset, limit=limit)
        return rows, submissions.count_of_team(connection, team_id)


def found(host: Host, slug: str, person: Person, submission_id: str) -> Row[Any]:
    """The team's submission of that id; another team's is not found."""
    with host.database.reading() as connection:
        team_id = _team(connection, host.hosted(slug), person)
        row = None if team_id is None else submissions.one_of_team(connection, team_id, submission_id)
    if row is None:
        raise NotFoundError(said("there is no such submission, or it is not your team's"))
    return row


def _team(connection: Connection, hosted: Hosted, person: Person) -> str | None:
    own_team = team_of_member(connection, hosted.slug, person.id)
    require(person, "see_competition", hosted.rules, own_team=own_team)
    return own_team
