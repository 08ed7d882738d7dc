"""The organiser's dashboard: what is asked of the holdout, what looks odd, and what to decide next."""

from collections.abc import Mapping

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.errors import HostingError, InputError, LadderboardError
from ladderboard.hosting.baselines import add_baseline
from ladderboard.hosting.flags import dismiss_flag, list_flags
from ladderboard.hosting.host import Host
from ladderboard.hosting.names import name_key
from ladderboard.hosting.roles import Person, require
from ladderboard.store.organising import dismiss_flags
from ladderboard.web.csrf import FIELD, require_csrf
from ladderboard.web.pages.organiser_views import dashboard_view, flag_lines
from ladderboard.web.pages.paging import page_number, pager
from ladderboard.web.pages.scene import Scene, scene_of
from ladderboard.web.pages.showing import CheckedForm, Reader, go, own_path, show
from ladderboard.web.parts import TheHost
from ladderboard.web.text import _, sentence
from ladderboard.web.uploads import receive_upload
from ladderboard.words import said

router = APIRouter(include_in_schema=False)

FLAGS_ON_A_PAGE = 50
FORM_BYTES = 1 << 16
SAID = {
    "frozen": said("The competition is closed."),
    "unfrozen": said("The competition is open again."),
    "finalized": said("The private board is computed. Only organisers see it until the reveal."),
    "revealed": said("The private board is revealed."),
    "baseline": said("The baseline is on the board."),
    "dismissed": said("The flag is put aside."),
    "dismissed-all": said("These flags are put aside."),
}


def organising(host: Host, slug: str, person: Person | None) -> Scene:
    """The scene for an organiser; raises for everybody else."""
    scene = scene_of(host, slug, person)
    require(person, "organise", scene.hosted.rules)
    return scene


@router.get("/competitions/{slug}/organise")
def dashboard(request: Request, host: TheHost, person: Reader, slug: str) -> Response:
    """All of it at a glance."""
    scene = organising(host, slug, person)
    return show_dashboard(request, host, scene, said=said_in(request, SAID))


@router.get("/competitions/{slug}/organise/flags")
def flags(request: Request, host: TheHost, person: Reader, slug: str) -> Response:
    """Everything that looked odd, the newest first."""
    scene, page = organising(host, slug, person), page_number(request)
    with_dismissed = request.query_params.get("all") == "1"
    offset = (page - 1) * FLAGS_ON_A_PAGE
    rows, total = list_flags(host, slug, offset=offset, limit=FLAGS_ON_A_PAGE, dismissed=with_dismissed)
    pages = pager(
        f"{scene.path}/organise/flags",
        page=page,
        pages=-(-total // FLAGS_ON_A_PAGE),
        all="1" if with_dismissed else "",
    )
    return show(
        request,
        "organiser_flags.html",
        person,
        head=scene.head("Organise"),
        flags=flag_lines(scene, rows),
        total=total,
        pager=pages,
        with_dismissed=with_dismissed,
        said=said_in(request, SAID),
    )


@router.post("/competitions/{slug}/organise/flags/{flag_id}/dismiss")
def dismiss(host: TheHost, person: Reader, slug: str, flag_id: str, form: CheckedForm) -> Response:
    """Put a flag aside, and go back to where it was seen."""
    scene = organising(host, slug, person)
    dismiss_flag(host, slug, flag_id)
    return go(own_path(form.text("next"), default=f"{scene.path}/organise"), said="dismissed")


@router.post("/competitions/{slug}/organise/flags/dismiss-all")
def dismiss_all(host: TheHost, person: Reader, slug: str, form: CheckedForm) -> Response:
    """Put aside all flags of one kind that one team has: a probing team may have thousands."""
    scene = organising(host, slug, person)
    with host.database.transaction() as connection:
        now = host.database.now(connection)
        dismiss_flags(connection, slug, team_key=name_key(form.text("team")), kind=form.text("kind"), now=now)
    return go(f"{scene.path}/organise", said="dismissed-all")


@router.post("/competitions/{slug}/organise/baselines")
async def baseline(request: Request, host: TheHost, person: Reader, slug: str) -> Response:
    """Score a file as a baseline; what is wrong with it is said on the dashboard."""
    scene = await run_in_threadpool(organising, host, slug, person)
    limit = min(host.settings.max_request_bytes, scene.hosted.rules.limits.max_file_bytes + FORM_BYTES)
    upload = await receive_upload(request.stream(), request.headers.get("content-type", ""), limit=limit)
    require_csrf(request, upload.fields.get(FIELD, ""))
    name = upload.fields.get("name", "")
    try:
        await run_in_threadpool(add_baseline, host, slug, name, upload.content, file_name=upload.file_name)
    except (HostingError, InputError) as error:
        return await run_in_threadpool(refused, request, host, scene, error)
    return go(f"{scene.path}/organise", said="baseline")


def said_in(request: Request, known: Mapping[str, str]) -> str:
    """What was just done, from the word in the address; nothing for a word that is not ours."""
    word = request.query_params.get("said", "")
    return _(known[word]) if word in known else ""


def show_dashboard(
    request: Request, host: Host, scene: Scene, *, said: str = "", problem: str = "", status: int = 200
) -> Response:
    """The page, with what was done or why not."""
    view = dashboard_view(host, scene)
    head = scene.head("Organise")
    return show(
        request, "organiser.html", scene.person, status=status, head=head, desk=view, said=said, problem=problem
    )


def refused(request: Request, host: Host, scene: Scene, error: LadderboardError) -> Response:
    """The dashboard again, with the reason why something was not done."""
    status = getattr(error, "status", 422)
    return show_dashboard(request, host, scene, problem=sentence(str(error)), status=status)
