"""The public board: a page as JSON, all of it as CSV. Made once for each version, then handed out as it is.

What was made before is handed out by `ladderboard.web.boards` without coming here.
"""

import json
from collections.abc import Callable, Hashable
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from ladderboard.hosting.boards.board_page import BoardRow, board_page, whole_board
from ladderboard.hosting.lifecycle import Status
from ladderboard.hosting.live_competition import LiveCompetition
from ladderboard.hosting.operations.spreadsheets import write_csv_lines
from ladderboard.hosting.people.roles import require
from ladderboard.hosting.services import Services
from ladderboard.store.teams import find_team_id
from ladderboard.web.auth import anyone
from ladderboard.web.boards import MOST, USUAL, Boards, page_tag
from ladderboard.web.dependencies import TheServices
from ladderboard.web.errors import errors
from ladderboard.web.etags import tagged
from ladderboard.wire.leaderboard import LeaderboardBody, StandingBody
from ladderboard.wire.submissions import RankRangeBody

router = APIRouter(prefix="/competitions/{slug}", tags=["boards"])

LONGEST_SEARCH = 80
CSV_COLUMNS = ("rank", "best_rank", "worst_rank", "team", "kind", "value", "attempts", "last_improvement", "is_tied")


@router.get(
    "/leaderboard",
    response_model=LeaderboardBody,
    responses={
        200: {"content": {"text/csv": {"schema": {"type": "string"}}}, "description": "The board"},
        304: {"description": "what `If-None-Match` names still holds"},
        **errors(401, 404),
    },
)
async def leaderboard(
    request: Request,
    slug: str,
    services: TheServices,
    *,
    page: Annotated[int, Query(ge=1, le=10**6)] = 1,
    per_page: Annotated[int, Query(ge=1, le=MOST)] = USUAL,
    search: Annotated[str, Query(max_length=LONGEST_SEARCH, description="Letters of a team's name.")] = "",
    format: Annotated[Literal["json", "csv"], Query(description="csv: the whole board.")] = "json",  # noqa: A002
) -> Response:
    """The public board, best first. Equal values share a rank; the ranges are the plausible ranks."""
    live = services.competition(slug)
    if live.rules.visibility == "private":
        await _require_sight(request, services, live)
    boards: Boards = request.app.state.boards
    tag, status = await run_in_threadpool(boards.present, live)
    if format == "csv":
        content = await _kept(boards, (slug, tag, "csv"), lambda: _csv(services, live))
        return _answer(request, live, content, f"{tag}-csv", media_type="text/csv; charset=utf-8")
    words = search.strip()

    def made() -> bytes:
        return _json(services, live, status, page=page, per_page=per_page, search=words)

    if words:
        return _answer(request, live, await run_in_threadpool(made), None)
    content = await _kept(boards, (slug, tag, page, per_page), made)
    return _answer(request, live, content, page_tag(tag, page, per_page))


def _answer(
    request: Request, live: LiveCompetition, content: bytes, tag: str | None, *, media_type: str = "application/json"
) -> Response:
    kept: Literal["public", "private"] = "private" if live.rules.visibility == "private" else "public"
    answer = tagged(request, content, tag=tag, media_type=media_type, kept=kept)
    if media_type.startswith("text/csv"):
        answer.headers["Content-Disposition"] = f'attachment; filename="{live.slug}-leaderboard.csv"'
    return answer


async def _require_sight(request: Request, services: Services, live: LiveCompetition) -> None:
    person = await anyone(request, None)

    def own_team() -> str | None:
        with services.database.reading() as connection:
            return None if person is None else find_team_id(connection, live.slug, person.id)

    require(person, "see_competition", live.rules, own_team=await run_in_threadpool(own_team))


# -- what is handed out -----------------------------------------------------------------------------------------------


def _json(services: Services, live: LiveCompetition, status: Status, *, page: int, per_page: int, search: str) -> bytes:
    with services.database.reading() as connection:
        found = board_page(connection, live, page=page, per_page=per_page, search=search)
    asked = {"page": page + 1, "per_page": per_page} | ({"search": search} if search else {})
    address = f"/api/v1/competitions/{live.slug}/leaderboard?{urlencode(asked)}"
    body = LeaderboardBody(
        competition=live.slug,
        status=status,
        metric=live.yardstick.metric,
        lower_is_better=live.yardstick.lower_is_better,
        updated=found.updated.isoformat(),
        scoring_version=live.scoring_version,
        total=found.total,
        page=page,
        per_page=per_page,
        next=address if page * per_page < found.total else None,
        items=[_standing(row) for row in found.rows],
    )
    # Not `asdict`, which copies every value: a page is made anew after every release.
    content = {
        **vars(body),
        "items": [vars(one) | {"rank_range": one.rank_range and vars(one.rank_range)} for one in body.items],
    }
    return json.dumps(content, ensure_ascii=False, allow_nan=False).encode()


def _standing(row: BoardRow) -> StandingBody:
    shown = row.place.rank_range
    return StandingBody(
        rank=row.place.rank,
        rank_range=None if shown is None else RankRangeBody(**shown),
        team=row.team,
        kind="baseline" if row.kind == "baseline" else "team",
        value=row.value,
        attempts=row.attempts,
        last_improvement=None if row.last_improvement is None else row.last_improvement.isoformat(),
        is_tied=row.is_tied,
    )


def _csv(services: Services, live: LiveCompetition) -> bytes:
    with services.database.reading() as connection:
        rows = (
            (
                row.place.rank,
                row.place.best,
                row.place.worst,
                row.team,
                row.kind,
                row.value,
                row.attempts,
                row.last_improvement,
                row.is_tied,
            )
            for row in whole_board(connection, live)
        )
        return "".join(write_csv_lines(CSV_COLUMNS, rows)).encode()


async def _kept(boards: Boards, key: Hashable, make: Callable[[], bytes]) -> bytes:
    body = boards.get(key)
    if body is None:
        body = await run_in_threadpool(make)
        boards.put(key, body)
    return body
