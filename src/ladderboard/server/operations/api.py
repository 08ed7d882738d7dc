"""The organiser's decisions about a competition, and what only an organiser sees."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from ladderboard.competition import load_competition
from ladderboard.core.errors import CompetitionError, ConflictError, ParameterError
from ladderboard.server import lifecycle
from ladderboard.server.app.api import Input, Line, Paging, TheServices, finish_for
from ladderboard.server.app.auth import SignedIn, requires
from ladderboard.server.app.errors import errors
from ladderboard.server.app.records import Page
from ladderboard.server.jobs.records import JobBody
from ladderboard.server.moderation.records import FlagBody, FlagCountBody, NamedFlag
from ladderboard.server.moderation.rules import KINDS, count_flags, dismiss_flag, list_flags
from ladderboard.server.operations.archives import stream_zip
from ladderboard.server.operations.exports import Format, stream_export
from ladderboard.server.operations.gradebook import Layout, write_grades
from ladderboard.server.operations.points import LONGEST_RULE
from ladderboard.server.operations.records import HoldoutHealthBody, StatusBody
from ladderboard.server.operations.rules import add_baseline, measure_health
from ladderboard.server.people.roles import require
from ladderboard.server.results import finalizing
from ladderboard.server.results.api import board_body
from ladderboard.server.results.private_board import PrivateBoard
from ladderboard.server.results.records import PrivateLeaderboardBody, RescoringBody
from ladderboard.server.results.rescoring import preview_rescoring, publish_rescoring
from ladderboard.server.services import Services
from ladderboard.server.submissions.receiving import receive_form
from ladderboard.server.submissions.records import ScoredBody
from ladderboard.server.teams.grants import grant
from ladderboard.server.teams.records import GrantBody

router = APIRouter(
    prefix="/competitions/{slug}/organise",
    tags=["organise"],
    responses=errors(401, 403, 404),
    dependencies=[requires("oversee")],
)

Preview = Annotated[bool, Query(description="Show the result without storing it.")]


class Extra(Input):
    """Attempts beyond the rules; what is left out stays as it is."""

    extra_per_day: Annotated[int | None, Field(ge=0, le=100_000)] = None
    extra_total: Annotated[int | None, Field(ge=0, le=100_000)] = None
    reason: Annotated[Line, Field(description="For the public ledger.")] = ""


@router.get("/health")
def health(slug: str, services: TheServices) -> HoldoutHealthBody:
    """Return the leakage meter, what it implies, and submissions per hour in the last seven days."""
    return measure_health(services, slug)


@router.get(
    "/grades",
    response_class=Response,
    responses={200: {"content": {"text/csv": {}}, "description": "a CSV table"}, **errors(409)},
)
def grades(
    slug: str,
    services: TheServices,
    *,
    points: Annotated[str, Query(max_length=LONGEST_RULE, description="A rule: linear, ranks or baselines.")] = "",
    layout: Annotated[Layout, Query(description="`moodle` or `canvas`: as their importers read it.")] = "full",
) -> Response:
    """Return the gradebook: names, teams, scores, rank ranges, attempts, and points by a rule."""
    content = write_grades(services.database, slug, rule=points, layout=layout)
    name = "grades.csv" if layout == "full" else f"grades-{layout}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{slug}-{name}"', "Cache-Control": "no-store"}
    return Response(content, media_type="text/csv; charset=utf-8", headers=headers)


@router.post("/freeze", responses=errors(409), dependencies=[requires("organise")])
def freeze(slug: str, services: TheServices) -> StatusBody:
    """Close the competition now. Submissions that arrived before still count."""
    lifecycle.freeze(services, slug)
    return StatusBody("closed")


@router.post("/unfreeze", responses=errors(409), dependencies=[requires("organise")])
def unfreeze(slug: str, services: TheServices) -> StatusBody:
    """Undo a freeze, before the competition is finalized."""
    lifecycle.unfreeze(services, slug)
    return StatusBody(lifecycle.status(services, slug))


@router.post(
    "/finalize", response_model=PrivateLeaderboardBody, responses=errors(409, 503), dependencies=[requires("organise")]
)
async def finalize(
    slug: str,
    request: Request,
    services: TheServices,
    *,
    preview: Preview = False,
    at_once: Annotated[bool, Query(description="Do not wait for submissions that may still be in progress.")] = False,
) -> Response:
    """Compute the private board of a closed competition and store it; nobody else sees it before the reveal.

    Thousands of teams take a while. If you close the connection before the answer, nothing is stored.
    """
    steps = (
        finalizing.preview_in_steps(services, slug)
        if preview
        else finalizing.finalize_in_steps(services, slug, at_once=at_once)
    )
    board = await finish_for(request, steps)
    return await run_in_threadpool(_answer_board, services, slug, board)


@router.post("/reveal", responses=errors(409), dependencies=[requires("organise")])
def reveal(slug: str, services: TheServices) -> StatusBody:
    """Show the private board to everybody, for good. The solution is published too, unless the rules keep it."""
    lifecycle.reveal(services, slug)
    return StatusBody("revealed")


@router.post("/rescore", responses=errors(409, 503), dependencies=[requires("organise")])
def rescore(slug: str, services: TheServices, *, preview: Preview = False) -> RescoringBody:
    """Score all submissions again with the corrected folder, which has replaced the old one; published once."""
    return (preview_rescoring if preview else publish_rescoring)(services, slug, _read_corrected(services, slug))


@router.get("/flags")
def flags(slug: str, services: TheServices, part: Paging, *, dismissed: bool = False) -> Page[FlagBody]:
    """List the flags, newest first: near-duplicates, probing, several accounts of one person. Hints, not verdicts."""
    rows, total = list_flags(services.database, slug, offset=part.offset, limit=part.limit, dismissed=dismissed)
    return part.page([_flag(row) for row in rows], total)


@router.get("/flags/counts")
def flag_counts(slug: str, services: TheServices, part: Paging) -> Page[FlagCountBody]:
    """Count the open flags by team and kind, the most first."""
    rows, total = count_flags(services.database, slug, offset=part.offset, limit=part.limit)
    return part.page(rows, total)


@router.post("/flags/{flag_id}/dismiss", status_code=204, response_class=Response, dependencies=[requires("assist")])
def dismiss(slug: str, flag_id: str, services: TheServices) -> None:
    """Dismiss a flag."""
    dismiss_flag(services.database, slug, flag_id)


@router.put("/teams/{team}/quota", responses=errors(409), dependencies=[requires("assist")])
def quota(slug: str, team: str, services: TheServices, extra: Extra) -> GrantBody:
    """Grant a team extra attempts; the public ledger records it."""
    return grant(
        services.database, slug, team, per_day=extra.extra_per_day, total=extra.extra_total, reason=extra.reason
    )


@router.post(
    "/baselines",
    status_code=201,
    dependencies=[requires("organise")],
    response_model=ScoredBody,
    responses={
        200: {"model": ScoredBody, "description": "scored before"},
        202: {"model": JobBody, "description": "queued: it is scored in its turn"},
        **errors(409, 503),
    },
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                "multipart/form-data": {
                    "schema": {
                        "type": "object",
                        "required": ["file", "name"],
                        "properties": {"file": {"type": "string", "format": "binary"}, "name": {"type": "string"}},
                    }
                }
            },
        }
    },
)
async def baseline(slug: str, request: Request, services: TheServices) -> Response:
    """Score a file as a baseline: on the board in its place, marked, without a rank."""
    form = await receive_form(request, services, services.competition(slug))
    name = form.fields.get("name", "")
    if not name:
        raise ParameterError("the field `name`, the baseline's name on the board, is missing")
    answer = await run_in_threadpool(add_baseline, services, slug, name, form.content, file_name=form.file_name)
    return JSONResponse(answer.content, status_code=answer.status)


def _answer_board(services: Services, slug: str, board: PrivateBoard) -> Response:
    live, now = services.competition(slug), services.database.now()
    status = lifecycle.status(services, slug)
    return JSONResponse(board_body(slug, status, live.scoring_version, now.isoformat(), board.to_dict()))


def _read_corrected(services: Services, slug: str) -> Any:
    folder = services.competition(slug).competition.folder
    if folder is None:
        raise ConflictError("this competition is not served from a folder; there is nothing to read again")
    try:
        return load_competition(folder)
    except CompetitionError as error:
        raise ConflictError(f"the corrected folder cannot be used; run `ladderboard check` on it. {error}") from None


def _flag(row: NamedFlag) -> FlagBody:
    return FlagBody(
        id=row.id,
        at=row.at,
        team=row.team,
        kind=row.kind,
        words=KINDS.get(row.kind, row.kind),
        submission=row.submission_id,
        other_submission=row.other_submission_id,
        other_team=row.other_team,
        detail=row.detail,
        is_dismissed=row.dismissed_at is not None,
    )


export_router = APIRouter(prefix="/competitions/{slug}/export", tags=["organise"])


@export_router.get(
    "",
    response_class=Response,
    responses={200: {"content": {"application/zip": {}}, "description": "a zip archive"}, **errors(401, 403, 404)},
)
def export(
    slug: str,
    services: TheServices,
    person: SignedIn,
    format: Literal["csv", "json"] = "csv",  # noqa: A002  # the name is the query's
    files: bool = False,
) -> Response:
    """Export teams, members, submissions with their scores shown, standings, private board, flags and ledger.

    Cells of CSV files that a spreadsheet would take for a formula begin with an apostrophe. `files`: include the
    submitted files.
    """
    require(person, "organise", services.competition(slug).rules)
    headers = {"Content-Disposition": f'attachment; filename="{slug}-export.zip"'}
    return StreamingResponse(_parts(services, slug, format, files), media_type="application/zip", headers=headers)


def _parts(services: Services, slug: str, form: Format, with_files: bool) -> Iterator[bytes]:
    with services.database.reading() as connection:
        yield from stream_zip(stream_export(connection, slug, form=form, files=services.files if with_files else None))
