"""The organiser's dashboard: what is asked of the holdout, what looks odd, and what to decide next."""

from collections.abc import Mapping

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import HostingError, InputError, LadderboardError
from ladderboard.core.words import translatable
from ladderboard.hosting.boards.baselines import add_baseline
from ladderboard.hosting.moderation.flags import dismiss_flag, list_flags
from ladderboard.hosting.people.names import name_key
from ladderboard.hosting.people.roles import Person, require
from ladderboard.hosting.services import Services
from ladderboard.store.organising import dismiss_flags
from ladderboard.web.csrf import FIELD, require_csrf
from ladderboard.web.dependencies import TheServices
from ladderboard.web.pages._shared.paging import page_number, pager
from ladderboard.web.pages._shared.responses import CheckedForm, Reader, go, own_path, show
from ladderboard.web.pages.competition.context import CompetitionContext, context_of
from ladderboard.web.pages.organiser.views import dashboard_view, flag_lines
from ladderboard.web.text import _, sentence
from ladderboard.web.uploads import receive_upload

router = APIRouter(include_in_schema=False)

FLAGS_ON_A_PAGE = 50
FORM_BYTES = 1 << 16
NOTICES = {
    "frozen": translatable("The competition is closed."),
    "unfrozen": translatable("The competition is open again."),
    "finalized": translatable("The private board is computed. Only organisers see it until the reveal."),
    "revealed": translatable("The private board is revealed."),
    "baseline": translatable("The baseline is on the board."),
    "dismissed": translatable("The flag is put aside."),
    "dismissed-all": translatable("These flags are put aside."),
}


def organising(services: Services, slug: str, person: Person | None) -> CompetitionContext:
    """The scene for an organiser; raises for everybody else."""
    context = context_of(services, slug, person)
    require(person, "organise", context.live.rules)
    return context


@router.get("/competitions/{slug}/organise")
def dashboard(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """All of it at a glance."""
    context = organising(services, slug, person)
    return show_dashboard(request, services, context, notice=notice_in(request, NOTICES))


@router.get("/competitions/{slug}/organise/flags")
def flags(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """Everything that looked odd, the newest first."""
    context, page = organising(services, slug, person), page_number(request)
    with_dismissed = request.query_params.get("all") == "1"
    offset = (page - 1) * FLAGS_ON_A_PAGE
    rows, total = list_flags(services, slug, offset=offset, limit=FLAGS_ON_A_PAGE, dismissed=with_dismissed)
    pages = pager(
        f"{context.path}/organise/flags",
        page=page,
        pages=-(-total // FLAGS_ON_A_PAGE),
        all="1" if with_dismissed else "",
    )
    return show(
        request,
        "organiser_flags.html",
        person,
        head=context.head("Organise"),
        flags=flag_lines(context, rows),
        total=total,
        pager=pages,
        with_dismissed=with_dismissed,
        notice=notice_in(request, NOTICES),
    )


@router.post("/competitions/{slug}/organise/flags/{flag_id}/dismiss")
def dismiss(services: TheServices, person: Reader, slug: str, flag_id: str, form: CheckedForm) -> Response:
    """Put a flag aside, and go back to where it was seen."""
    context = organising(services, slug, person)
    dismiss_flag(services, slug, flag_id)
    return go(own_path(form.text("next"), default=f"{context.path}/organise"), notice="dismissed")


@router.post("/competitions/{slug}/organise/flags/dismiss-all")
def dismiss_all(services: TheServices, person: Reader, slug: str, form: CheckedForm) -> Response:
    """Put aside all flags of one kind that one team has: a probing team may have thousands."""
    context = organising(services, slug, person)
    with services.database.transaction() as connection:
        now = services.database.now(connection)
        dismiss_flags(connection, slug, team_key=name_key(form.text("team")), kind=form.text("kind"), now=now)
    return go(f"{context.path}/organise", notice="dismissed-all")


@router.post("/competitions/{slug}/organise/baselines")
async def baseline(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """Score a file as a baseline; what is wrong with it is said on the dashboard."""
    context = await run_in_threadpool(organising, services, slug, person)
    limit = min(services.settings.max_request_bytes, context.live.rules.limits.max_file_bytes + FORM_BYTES)
    upload = await receive_upload(request.stream(), request.headers.get("content-type", ""), limit=limit)
    require_csrf(request, upload.fields.get(FIELD, ""))
    name = upload.fields.get("name", "")
    try:
        await run_in_threadpool(add_baseline, services, slug, name, upload.content, file_name=upload.file_name)
    except (HostingError, InputError) as error:
        return await run_in_threadpool(refused, request, services, context, error)
    return go(f"{context.path}/organise", notice="baseline")


def notice_in(request: Request, known: Mapping[str, str]) -> str:
    """What was just done, from the word in the address; nothing for a word that is not ours."""
    word = request.query_params.get("notice", "")
    return _(known[word]) if word in known else ""


def show_dashboard(
    request: Request,
    services: Services,
    context: CompetitionContext,
    *,
    notice: str = "",
    problem: str = "",
    status: int = 200,
) -> Response:
    """The page, with what was done or why not."""
    view = dashboard_view(services, context)
    head = context.head("Organise")
    return show(
        request,
        "organiser.html",
        context.person,
        status=status,
        head=head,
        desk=view,
        notice=notice,
        problem=problem,
    )


def refused(request: Request, services: Services, context: CompetitionContext, error: LadderboardError) -> Response:
    """The dashboard again, with the reason why something was not done."""
    status = getattr(error, "status", 422)
    return show_dashboard(request, services, context, problem=sentence(str(error)), status=status)
