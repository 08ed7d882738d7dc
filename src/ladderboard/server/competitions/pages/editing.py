"""Pages on which organisers change a competition that was made in the browser, or take it home as a folder."""

from collections.abc import Iterator

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from ladderboard.competition.loading import DESCRIPTION
from ladderboard.core.errors import CompetitionError, HostingError, InputError
from ladderboard.server.app.api import TheServices
from ladderboard.server.app.pages import CheckedForm, Form, Reader, go, read_notice, show
from ladderboard.server.app.rendering import PAGE_HEADERS
from ladderboard.server.app.text import sentence
from ladderboard.server.competitions import choices
from ladderboard.server.competitions.choices import list_choices
from ladderboard.server.competitions.context import CompetitionContext, require_organiser
from ladderboard.server.competitions.editing import change_competition, read_version
from ladderboard.server.competitions.pages.drafts import (
    ShownFinding,
    list_differences,
    read_description,
    read_given,
    view_findings,
)
from ladderboard.server.competitions.pages.public import render_description
from ladderboard.server.competitions.stored_folders import StoredFolders
from ladderboard.server.operations.archives import stream_zip

router = APIRouter(prefix="/competitions/{slug}/organise", include_in_schema=False)

NOTICES = {"saved": "The change is in force."}


@router.get("/edit")
def edit(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """Show what may be changed."""
    context = require_organiser(services, slug, person)
    return _show(request, context, read_version(services, slug), notice=read_notice(request, NOTICES))


@router.post("/edit")
def change(request: Request, services: TheServices, person: Reader, slug: str, *, form: CheckedForm) -> Response:
    """Put the change in force."""
    context, version = require_organiser(services, slug, person), read_version(services, slug)
    competition = context.live.competition
    if version != form.text("based_on"):
        words = "Somebody else saved a change meanwhile. What you entered is below; saving it now replaces theirs:"
        told = list_differences(competition, form, is_published=True)
        return _show(request, context, version, form=form, problem=words, differences=told, status=409)
    edits, faults = choices.read_edits(competition, read_given(form), is_published=True)
    if faults:
        words = "Please correct what is marked below."
        return _show(request, context, version, form=form, faults=faults, problem=words)
    if form.text("do") == "preview":
        return _show(request, context, version, form=form, with_preview=True)
    described = read_description(form)
    files = {} if described == competition.description else {DESCRIPTION: described.encode()}
    try:
        if edits or files:
            change_competition(services, slug, edits, based_on=version, files=files)
    except CompetitionError as error:
        found = view_findings(error.problems)
        return _show(request, context, version, form=form, problem="This cannot be saved.", findings=found)
    except (HostingError, InputError) as error:
        status = getattr(error, "status", 422)
        return _show(request, context, version, form=form, problem=sentence(str(error)), status=status)
    return go(f"{context.path}/organise/edit", notice="saved")


@router.get("/folder.zip")
def folder(services: TheServices, person: Reader, slug: str) -> Response:
    """Send the competition as a folder that `ladderboard serve` serves, with its answers and the seed of its split."""
    require_organiser(services, slug, person)
    version = read_version(services, slug)
    headers = {**PAGE_HEADERS, "Content-Disposition": f'attachment; filename="{slug}.zip"', "Cache-Control": "no-store"}
    parts = stream_zip(_list_members(services.folders, version, slug))
    return StreamingResponse(parts, media_type="application/zip", headers=headers)


def _list_members(folders: StoredFolders, version: str, slug: str) -> Iterator[tuple[str, Iterator[bytes]]]:
    for path, content in folders.read(version):
        yield f"{slug}/{path}", iter([content])


def _show(
    request: Request,
    context: CompetitionContext,
    version: str,
    *,
    form: Form | None = None,
    faults: dict[str, str] | None = None,
    notice: str = "",
    problem: str = "",
    findings: tuple[ShownFinding, ...] = (),
    differences: list[str] | None = None,
    with_preview: bool = False,
    status: int | None = None,
) -> Response:
    competition = context.live.competition
    given = None if form is None else read_given(form)
    description = competition.description if form is None else read_description(form)
    preview = render_description(description, title=competition.rules.title, path=context.path)
    return show(
        request,
        "competitions/edit.html",
        context.person,
        status=status or (422 if problem else 200),
        head=context.head("Organise"),
        based_on=version,
        choices=list_choices(competition, is_published=True, given=given, faults=faults),
        description=description,
        preview=preview if with_preview else None,
        notice_words=notice,
        problem=problem,
        findings=findings,
        differences=differences or [],
    )
