"""The organiser's page of the queue: what waits, what failed and why; cancelled or scored again by a button."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import HostingError
from ladderboard.server.app.api import TheServices
from ladderboard.server.app.pages import CheckedForm, Reader, go, page_number, pager, read_notice, show
from ladderboard.server.app.text import sentence
from ladderboard.server.competitions.context import require_duty
from ladderboard.server.jobs import organising
from ladderboard.server.jobs.views import build_line
from ladderboard.server.services import Services

router = APIRouter(include_in_schema=False)

ON_A_PAGE = 50
NOTICES = {
    "cancelled": "The submission is cancelled. Its team has the attempt back.",
    "retried": "The submission is in the queue again.",
}


@router.get("/competitions/{slug}/organise/queue")
def queue(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """List the queue: first what waits, then the newest."""
    return _show(request, services, person, slug)


@router.post("/competitions/{slug}/organise/queue/{job_id}/cancel")
def cancel(
    request: Request, services: TheServices, person: Reader, slug: str, job_id: str, _form: CheckedForm
) -> Response:
    """Cancel a submission."""
    require_duty(services, slug, person, "assist")
    try:
        organising.cancel(services, slug, job_id)
    except HostingError as error:
        return _show(request, services, person, slug, error)
    return go(f"/competitions/{slug}/organise/queue", notice="cancelled")


@router.post("/competitions/{slug}/organise/queue/{job_id}/retry")
def retry(
    request: Request, services: TheServices, person: Reader, slug: str, job_id: str, _form: CheckedForm
) -> Response:
    """Have a submission scored again."""
    require_duty(services, slug, person, "assist")
    try:
        organising.retry(services, slug, job_id)
    except HostingError as error:
        return _show(request, services, person, slug, error)
    return go(f"/competitions/{slug}/organise/queue", notice="retried")


def _show(
    request: Request, services: Services, person: Reader, slug: str, error: HostingError | None = None
) -> Response:
    context, page = require_duty(services, slug, person, "oversee"), page_number(request)
    rows, total = organising.list_jobs(services, slug, offset=(page - 1) * ON_A_PAGE, limit=ON_A_PAGE)
    return show(
        request,
        "jobs/queue.html",
        person,
        status=200 if error is None else error.status,
        head=context.head("Organise"),
        lines=tuple(build_line(context, job) for job in rows),
        pager=pager(f"{context.path}/organise/queue", page=page, pages=-(-total // ON_A_PAGE)),
        notice=read_notice(request, NOTICES),
        problem="" if error is None else sentence(str(error)),
    )
