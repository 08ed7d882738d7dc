"""The organiser's dashboard: use of the holdout, flags, and the next decision."""

from collections.abc import Mapping

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import HostingError, InputError, LadderboardError
from ladderboard.server.app.api import TheServices
from ladderboard.server.app.auth import CSRF_FIELD, require_csrf
from ladderboard.server.app.pages import CheckedForm, Reader, go, keep_own_path, page_number, pager, show
from ladderboard.server.app.text import sentence
from ladderboard.server.app.uploads import receive_upload
from ladderboard.server.boards.baselines import add_baseline
from ladderboard.server.competitions.context import CompetitionContext, read_context
from ladderboard.server.moderation.flags import dismiss_flag, dismiss_flags, list_flags
from ladderboard.server.operations.views import describe_flags, read_dashboard
from ladderboard.server.people.roles import Person, require
from ladderboard.server.services import Services

router = APIRouter(include_in_schema=False)

FLAGS_ON_A_PAGE = 50
FORM_BYTES = 1 << 16
NOTICES = {
    "frozen": "The competition is closed.",
    "unfrozen": "The competition is open again.",
    "finalized": "The private board is computed. Only organisers see it until the reveal.",
    "revealed": "The private board is revealed.",
    "baseline": "The baseline is on the board.",
    "dismissed": "The flag is dismissed.",
    "dismissed-all": "The flags are dismissed.",
}


def require_organiser(services: Services, slug: str, person: Person | None) -> CompetitionContext:
    """The context of a competition for an organiser; raises for everybody else."""
    context = read_context(services, slug, person)
    require(person, "organise", context.live.rules)
    return context


@router.get("/competitions/{slug}/organise")
def dashboard(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """Show the dashboard."""
    context = require_organiser(services, slug, person)
    return show_dashboard(request, services, context, notice=read_notice(request, NOTICES))


@router.get("/competitions/{slug}/organise/flags")
def flags(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """List the flags, newest first."""
    context, page = require_organiser(services, slug, person), page_number(request)
    with_dismissed = request.query_params.get("all") == "1"
    offset = (page - 1) * FLAGS_ON_A_PAGE
    found, total = list_flags(services.database, slug, offset=offset, limit=FLAGS_ON_A_PAGE, dismissed=with_dismissed)
    pages = pager(
        f"{context.path}/organise/flags",
        page=page,
        pages=-(-total // FLAGS_ON_A_PAGE),
        all="1" if with_dismissed else "",
    )
    return show(
        request,
        "moderation/flags.html",
        person,
        head=context.head("Organise"),
        flags=describe_flags(context, found),
        total=total,
        pager=pages,
        with_dismissed=with_dismissed,
        notice=read_notice(request, NOTICES),
    )


@router.post("/competitions/{slug}/organise/flags/{flag_id}/dismiss")
def dismiss(services: TheServices, person: Reader, slug: str, flag_id: str, form: CheckedForm) -> Response:
    """Dismiss a flag, and return to the page it was seen on."""
    context = require_organiser(services, slug, person)
    dismiss_flag(services.database, slug, flag_id)
    return go(keep_own_path(form.text("next"), default=f"{context.path}/organise"), notice="dismissed")


@router.post("/competitions/{slug}/organise/flags/dismiss-all")
def dismiss_all(services: TheServices, person: Reader, slug: str, form: CheckedForm) -> Response:
    """Dismiss all flags of one kind that a team has: a probing team may have thousands."""
    context = require_organiser(services, slug, person)
    dismiss_flags(services.database, slug, team=form.text("team"), kind=form.text("kind"))
    return go(f"{context.path}/organise", notice="dismissed-all")


@router.post("/competitions/{slug}/organise/baselines")
async def baseline(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """Score a file as a baseline; the dashboard shows what is wrong with it."""
    context = await run_in_threadpool(require_organiser, services, slug, person)
    limit = min(services.settings.max_request_bytes, context.live.rules.limits.max_file_bytes + FORM_BYTES)
    upload = await receive_upload(request.stream(), request.headers.get("content-type", ""), limit=limit)
    require_csrf(request, upload.fields.get(CSRF_FIELD, ""))
    name = upload.fields.get("name", "")
    try:
        await run_in_threadpool(add_baseline, services, slug, name, upload.content, file_name=upload.file_name)
    except (HostingError, InputError) as error:
        return await run_in_threadpool(show_refusal, request, services, context, error)
    return go(f"{context.path}/organise", notice="baseline")


def read_notice(request: Request, known: Mapping[str, str]) -> str:
    """The message about what was just done, by the word in the address; empty for an unknown word."""
    word = request.query_params.get("notice", "")
    return known.get(word, "")


def show_dashboard(
    request: Request,
    services: Services,
    context: CompetitionContext,
    *,
    notice: str = "",
    problem: str = "",
    status: int = 200,
) -> Response:
    """Show the dashboard with a notice or a problem."""
    view = read_dashboard(services, context)
    head = context.head("Organise")
    return show(
        request,
        "operations/dashboard.html",
        context.person,
        status=status,
        head=head,
        desk=view,
        notice=notice,
        problem=problem,
    )


def show_refusal(
    request: Request, services: Services, context: CompetitionContext, error: LadderboardError
) -> Response:
    """Show the dashboard with the reason why something was refused."""
    status = getattr(error, "status", 422)
    return show_dashboard(request, services, context, problem=sentence(str(error)), status=status)
