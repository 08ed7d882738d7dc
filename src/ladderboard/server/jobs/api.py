"""The queue over the API, for the organiser."""

from fastapi import APIRouter, Response

from ladderboard.server.app.api import Paging, TheServices
from ladderboard.server.app.auth import requires
from ladderboard.server.app.errors import errors
from ladderboard.server.app.records import Page
from ladderboard.server.jobs import organising
from ladderboard.server.jobs.records import QueuedJobBody

router = APIRouter(
    prefix="/competitions/{slug}/organise/queue",
    tags=["organise"],
    responses=errors(401, 403, 404),
    dependencies=[requires("oversee")],
)


@router.get("")
def list_queue(slug: str, services: TheServices, part: Paging) -> Page[QueuedJobBody]:
    """List the submissions that were queued: first those that wait, then the newest. `report` says what went wrong."""
    rows, total = organising.list_jobs(services, slug, offset=part.offset, limit=part.limit)
    return part.page(rows, total)


@router.post("/{submission_id}/retry", status_code=204, responses=errors(409), dependencies=[requires("assist")])
def retry(slug: str, submission_id: str, services: TheServices) -> Response:
    """Have a submission scored again that the server could not score."""
    organising.retry(services, slug, submission_id)
    return Response(status_code=204)


@router.post("/{submission_id}/cancel", status_code=204, responses=errors(409), dependencies=[requires("assist")])
def cancel(slug: str, submission_id: str, services: TheServices) -> Response:
    """Take a submission out of the queue; its team gets the attempt back."""
    organising.cancel(services, slug, submission_id)
    return Response(status_code=204)
