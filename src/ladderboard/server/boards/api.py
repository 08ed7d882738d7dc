"""The public board: a page as JSON, all of it as CSV. Rendered once for each version of the board."""

import json
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response
from starlette.concurrency import run_in_threadpool

from ladderboard.server.app.api import TheServices, tag_response
from ladderboard.server.app.auth import find_person
from ladderboard.server.app.errors import errors
from ladderboard.server.boards.board_page import BoardCache, read_board_page, stream_board
from ladderboard.server.boards.records import BoardRow, LeaderboardBody, StandingBody
from ladderboard.server.competitions.context import require_sight
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.competitions.schedule import read_state
from ladderboard.server.lifecycle import Status
from ladderboard.server.operations.spreadsheets import write_csv_lines
from ladderboard.server.services import Services

router = APIRouter(prefix="/competitions/{slug}", tags=["boards"])

LONGEST_SEARCH = 80
MOST, USUAL = 200, 100
"""Rows on a page."""
CSV_COLUMNS = ("rank", "best_rank", "worst_rank", "team", "kind", "value", "attempts", "last_improvement", "is_tied")
STANDING = tuple(field.name for field in fields(StandingBody))


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
    """Return the public board, best first. Equal values share a rank; the ranges are the plausible ranks."""
    if slug not in services.competitions or services.competition(slug).rules.visibility == "private":
        # One that is absent is looked for in the same way: a wrong token is refused for both, or for neither.
        await run_in_threadpool(require_sight, services, slug, await find_person(request, None))
    live = services.competition(slug)
    asked = BoardQuery(page, per_page, search.strip(), format == "csv")
    return await run_in_threadpool(_read_board, request, services, live, asked)


@dataclass(frozen=True)
class BoardQuery:
    """The requested part of a board; ``is_csv``: all of it."""

    page: int
    per_page: int
    search: str
    is_csv: bool


def _read_board(request: Request, services: Services, live: LiveCompetition, asked: BoardQuery) -> Response:
    state = read_state(services, live.slug)
    cache: BoardCache = request.app.state.board_cache
    kept: Literal["public", "private"] = "private" if live.rules.visibility == "private" else "public"
    if asked.is_csv:
        answer = tag_response(
            request,
            lambda: cache.get((live.slug, "csv"), state.board_tag, lambda: _csv(services, live)),
            tag=f"{state.board_tag}-csv",
            media_type="text/csv; charset=utf-8",
            kept=kept,
        )
        answer.headers["Content-Disposition"] = f'attachment; filename="{live.slug}-leaderboard.csv"'
        return answer
    if asked.search:
        return tag_response(request, _json(services, live, state.status, asked), kept=kept)
    part = (live.slug, asked.page, asked.per_page)
    return tag_response(
        request,
        lambda: cache.get(part, state.board_tag, lambda: _json(services, live, state.status, asked)),
        tag=f"{state.board_tag}-{asked.page}-{asked.per_page}",
        kept=kept,
    )


# -- contents --------------------------------------------------------------------------------------------------------


def _json(services: Services, live: LiveCompetition, status: Status, asked: BoardQuery) -> bytes:
    found = read_board_page(services, live, page=asked.page, per_page=asked.per_page, search=asked.search)
    following = {"page": asked.page + 1, "per_page": asked.per_page} | (
        {"search": asked.search} if asked.search else {}
    )
    address = f"/api/v1/competitions/{live.slug}/leaderboard?{urlencode(following)}"
    body = LeaderboardBody(
        competition=live.slug,
        status=status,
        metric=live.yardstick.metric,
        lower_is_better=live.yardstick.lower_is_better,
        updated=found.updated,
        scoring_version=live.scoring_version,
        total=found.total,
        page=asked.page,
        per_page=asked.per_page,
        next=address if asked.page * asked.per_page < found.total else None,
        items=[*found.rows],
        shows_scores=live.mechanism.shows_scores,
    )
    # Not `asdict`, which copies every value: a page is made anew after every release.
    content = {**vars(body), "items": [_describe(row) for row in found.rows]}
    return json.dumps(content, ensure_ascii=False, allow_nan=False, default=datetime.isoformat).encode()


def _describe(row: BoardRow) -> dict[str, Any]:
    """The fields of a `StandingBody`: which team has them, by its id, is nobody's concern."""
    told = {name: getattr(row, name) for name in STANDING}
    return told | {"rank_range": row.rank_range and vars(row.rank_range)}


def _list_cells(row: BoardRow) -> list[Any]:
    span = row.rank_range
    ends = (None, None) if span is None else (span.best, span.worst)
    return [row.rank, *ends, *(getattr(row, name) for name in CSV_COLUMNS[3:])]


def _csv(services: Services, live: LiveCompetition) -> bytes:
    return "".join(write_csv_lines(CSV_COLUMNS, map(_list_cells, stream_board(services, live)))).encode()
