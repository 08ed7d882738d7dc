"""The final submissions of a team."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from ladderboard.core.errors import NoTeamError
from ladderboard.server.app.api import Input, Line, TheServices
from ladderboard.server.app.auth import SignedIn
from ladderboard.server.app.errors import errors
from ladderboard.server.boards.own_submissions import find_submitting_team
from ladderboard.server.competitions.visibility import require_sight
from ladderboard.server.people.roles import require
from ladderboard.server.results.finals import Finals, pick_finals, read_finals
from ladderboard.server.results.records import FinalBody, FinalsBody
from ladderboard.server.submissions.records import ReleaseBody

router = APIRouter(prefix="/competitions/{slug}/finals", tags=["finals"], responses=errors(401, 403, 404))

MOST_NAMED = 100


class Picks(Input):
    """What a team picks; none: back to the default."""

    submissions: Annotated[
        list[Line],
        Field(max_length=MOST_NAMED, description="Ids of submissions that your team made before the deadline."),
    ]


@router.get("", responses=errors(409))
def finals(slug: str, services: TheServices, person: SignedIn) -> FinalsBody:
    """Return your team's final submissions: its picks, or else its best on the board and its latest."""
    own_team = require_sight(services, slug, person)
    if own_team is None:
        raise NoTeamError("you have no team in this competition")
    require(person, "see_team", services.competition(slug).rules, own_team=own_team, team=own_team)
    return _body(read_finals(services, slug, own_team))


@router.put("", responses=errors(409))
def pick(slug: str, services: TheServices, person: SignedIn, picks: Picks) -> FinalsBody:
    """Replace your team's picks, until the competition is finalized."""
    team_id = find_submitting_team(services, slug, person)
    return _body(pick_finals(services, slug, team_id, picks.submissions))


def _body(finals: Finals) -> FinalsBody:
    """The finals as their team sees them: without the digests of the files."""
    shown = [
        FinalBody(one.id, one.number, one.received_at, one.file_name, ReleaseBody(**one.release))
        for one in finals.submissions
    ]
    return FinalsBody(shown, finals.are_picked, finals.most)
