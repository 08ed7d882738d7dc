"""The final submissions of a team, and the private board after the reveal."""

import json
from dataclasses import replace
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from pydantic import Field

from ladderboard.core.errors import NoTeamError
from ladderboard.server.app.api import Input, Line, TheServices, tag_response
from ladderboard.server.app.auth import Anyone, SignedIn
from ladderboard.server.app.errors import errors
from ladderboard.server.competitions.context import require_sight
from ladderboard.server.competitions.schedule import advance
from ladderboard.server.lifecycle import Status
from ladderboard.server.operations.spreadsheets import write_csv_lines
from ladderboard.server.people.roles import may, require
from ladderboard.server.results.finalizing import read_board
from ladderboard.server.results.finals import Finals, pick_finals, read_finals
from ladderboard.server.results.records import FinalBody, FinalsBody, PrivateLeaderboardBody
from ladderboard.server.submissions.own_submissions import find_submitting_team, read_best_pick
from ladderboard.server.submissions.records import ReleaseBody

finals_router = APIRouter(prefix="/competitions/{slug}/finals", tags=["finals"], responses=errors(401, 403, 404))

MOST_NAMED = 100


class Picks(Input):
    """What a team picks; none: back to the default."""

    submissions: Annotated[
        list[Line],
        Field(max_length=MOST_NAMED, description="Ids of submissions that your team made before the deadline."),
    ]


@finals_router.get("", responses=errors(409))
def finals(slug: str, services: TheServices, person: SignedIn) -> FinalsBody:
    """Return your team's final submissions: its picks, or else its best on the board and its latest."""
    own_team = require_sight(services, slug, person)
    if own_team is None:
        raise NoTeamError("you have no team in this competition")
    require(person, "see_team", services.competition(slug).rules, own_team=own_team, team=own_team)
    return replace(_body(read_finals(services, slug, own_team)), best=read_best_pick(services, slug, own_team))


@finals_router.put("", responses=errors(409))
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


router = APIRouter(prefix="/competitions/{slug}", tags=["boards"])

CSV_COLUMNS = (
    "rank",
    "best_rank",
    "worst_rank",
    "group",
    "team",
    "kind",
    "value",
    "is_tied",
    "could_be_best",
    "public_rank",
    "public_value",
    "moved",
)


@router.get(
    "/private-leaderboard",
    response_model=PrivateLeaderboardBody,
    responses={
        200: {"content": {"text/csv": {"schema": {"type": "string"}}}, "description": "The private board"},
        304: {"description": "what `If-None-Match` names still holds"},
        **errors(401, 404),
    },
)
def private_leaderboard(
    request: Request,
    slug: str,
    services: TheServices,
    person: Anyone,
    *,
    format: Annotated[Literal["json", "csv"], Query()] = "json",  # noqa: A002
) -> Response:
    """Return the private board: paired rank ranges, ties, the winner corrected for luck, the shake-up.

    Before the reveal there is none (404), for anybody but an organiser after finalizing.
    """
    own_team = require_sight(services, slug, person)
    status = advance(services, slug)
    sees_all = may(person, "oversee", services.competition(slug).rules, own_team=own_team)
    stored = read_board(services, slug, sees_all=sees_all)
    result = stored.result
    body = board_body(slug, status, stored.scoring_version, stored.computed_at.isoformat(), result)
    is_public = status == "revealed" and services.competition(slug).rules.visibility != "private"
    kept: Literal["public", "private"] = "public" if is_public else "private"
    if format == "csv":
        answer = tag_response(request, board_csv(result), media_type="text/csv; charset=utf-8", kept=kept)
        answer.headers["Content-Disposition"] = f'attachment; filename="{slug}-private-leaderboard.csv"'
        return answer
    return tag_response(request, json.dumps(body, ensure_ascii=False, allow_nan=False).encode(), kept=kept)


def board_body(
    slug: str, status: Status, scoring_version: int, computed_at: str, result: dict[str, Any]
) -> dict[str, Any]:
    """A stored result in the shape of `PrivateLeaderboardBody`."""
    facts = {name: value for name, value in result.items() if name != "rows"}
    return {
        "competition": slug,
        "status": status,
        "scoring_version": scoring_version,
        "computed_at": computed_at,
        **facts,
        "items": result["rows"],
    }


def board_csv(result: dict[str, Any]) -> bytes:
    """The rows for a spreadsheet."""
    rows = ({**row, **_ends(row["rank_range"])} for row in result["rows"])
    return "".join(write_csv_lines(CSV_COLUMNS, ([row[name] for name in CSV_COLUMNS] for row in rows))).encode()


def _ends(rank_range: dict[str, int] | None) -> dict[str, int | None]:
    found = rank_range or {}
    return {"best_rank": found.get("best"), "worst_rank": found.get("worst")}
