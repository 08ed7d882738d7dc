"""What a team may see of its own submissions, and nobody else of them."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row

from ladderboard.core.errors import NoTeamError, NotFoundError
from ladderboard.core.words import translatable
from ladderboard.hosting.live_competition import LiveCompetition
from ladderboard.hosting.people.roles import Person, require
from ladderboard.hosting.services import Services
from ladderboard.store import submissions
from ladderboard.store.teams import find_team_id


def submitting_team(services: Services, live: LiveCompetition, person: Person) -> str:
    """The team that ``person`` submits for."""
    with services.database.reading() as connection:
        return submitting_member(live, person, find_team_id(connection, live.slug, person.id))


def submitting_member(live: LiveCompetition, person: Person, own_team: str | None) -> str:
    """The same, where it is known which team a person is in."""
    if own_team is None and person.role == "participant":
        require(person, "join", live.rules)
        raise NoTeamError(
            translatable(
                "you are in no team of this competition yet; make one (on the page Team, or with "
                "`ladderboard team create NAME`) or accept an invitation, then submit"
            )
        )
    require(person, "submit", live.rules, own_team=own_team)
    assert own_team is not None
    return own_team


def listed(services: Services, slug: str, person: Person, *, offset: int, limit: int) -> tuple[Sequence[Row[Any]], int]:
    """A part of the team's submissions, newest first, and how many there are."""
    with services.database.reading() as connection:
        team_id = _team(connection, services.competition(slug), person)
        if team_id is None:
            return [], 0
        rows = submissions.of_team(connection, team_id, offset=offset, limit=limit)
        return rows, submissions.count_of_team(connection, team_id)


def found(services: Services, slug: str, person: Person, submission_id: str) -> Row[Any]:
    """The team's submission of that id; another team's is not found."""
    with services.database.reading() as connection:
        team_id = _team(connection, services.competition(slug), person)
        row = None if team_id is None else submissions.one_of_team(connection, team_id, submission_id)
    if row is None:
        raise NotFoundError(translatable("there is no such submission, or it is not your team's"))
    return row


def _team(connection: Connection, live: LiveCompetition, person: Person) -> str | None:
    own_team = find_team_id(connection, live.slug, person.id)
    require(person, "see_competition", live.rules, own_team=own_team)
    return own_team
