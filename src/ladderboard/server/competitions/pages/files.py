"""The data files and pictures of a draft or a competition made in the browser: what there is, one more, one fewer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.competition.checks.leaks import DATA, SAMPLE
from ladderboard.competition.description.pictures import IMAGES, PictureError, open_picture
from ladderboard.core.errors import (
    CompetitionError,
    ConflictError,
    HostingError,
    InputError,
    LadderboardError,
    ParameterError,
)
from ladderboard.server.app.api import TheServices
from ladderboard.server.app.auth import CSRF_FIELD, require_csrf
from ladderboard.server.app.pages import CheckedForm, Reader, go, read_notice, show
from ladderboard.server.app.text import sentence
from ladderboard.server.app.uploads import receive_upload
from ladderboard.server.competitions.context import require_organiser
from ladderboard.server.competitions.downloads import MOST_FILES
from ladderboard.server.competitions.drafts import CHANGED_MEANWHILE, change_draft, read_draft
from ladderboard.server.competitions.editing import change_competition, read_version
from ladderboard.server.competitions.pages.drafts import view_findings
from ladderboard.server.competitions.stored_folders import change_files
from ladderboard.server.people.roles import Person, require
from ladderboard.server.services import Services

router = APIRouter(include_in_schema=False)

NOTICES = {"added": "The file is there.", "removed": "The file is removed."}


@dataclass(frozen=True)
class KeptFolder:
    """A folder whose files can be changed on a page; ``change`` puts changes in force."""

    title: str
    address: str
    back: str
    version: str
    most_bytes: int
    change: Callable[[Mapping[str, bytes | None]], object]


@router.get("/drafts/{draft_id}/files")
def files_of_draft(request: Request, services: TheServices, person: Reader, draft_id: str) -> Response:
    """Show the files of a draft."""
    return _show(request, services, person, _find_draft(services, person, draft_id))


@router.post("/drafts/{draft_id}/files")
async def add_to_draft(request: Request, services: TheServices, person: Reader, draft_id: str) -> Response:
    """Add a file to a draft."""
    kept = await run_in_threadpool(_find_draft, services, person, draft_id)
    return await _add(request, services, person, kept)


@router.post("/drafts/{draft_id}/files/remove")
def remove_from_draft(
    request: Request, services: TheServices, person: Reader, draft_id: str, *, form: CheckedForm
) -> Response:
    """Remove a file from a draft."""
    kept = _find_draft(services, person, draft_id)
    return _change(request, services, person, kept, based_on=form.text("based_on"), path=form.text("path"))


@router.get("/competitions/{slug}/organise/files")
def files(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """Show the files of a competition."""
    return _show(request, services, person, _find_made(services, person, slug))


@router.post("/competitions/{slug}/organise/files")
async def add(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """Add a file to a competition."""
    kept = await run_in_threadpool(_find_made, services, person, slug)
    return await _add(request, services, person, kept)


@router.post("/competitions/{slug}/organise/files/remove")
def remove(request: Request, services: TheServices, person: Reader, slug: str, *, form: CheckedForm) -> Response:
    """Remove a file from a competition."""
    kept = _find_made(services, person, slug)
    return _change(request, services, person, kept, based_on=form.text("based_on"), path=form.text("path"))


def _find_draft(services: Services, person: Person | None, draft_id: str) -> KeptFolder:
    require(person, "organise")
    record = read_draft(services, draft_id).record
    back = f"/drafts/{draft_id}"

    def change(files: Mapping[str, bytes | None]) -> object:
        return change_draft(services, record, {}, files=files)

    most = services.settings.max_request_bytes
    return KeptFolder(record.title, f"{back}/files", back, record.folder, most, change)


def _find_made(services: Services, person: Person | None, slug: str) -> KeptFolder:
    context = require_organiser(services, slug, person)
    version, back = read_version(services, slug), f"{context.path}/organise"

    def change(files: Mapping[str, bytes | None]) -> object:
        return change_competition(services, slug, {}, based_on=version, files=files)

    most = services.settings.max_request_bytes
    return KeptFolder(context.live.rules.title, f"{back}/files", back, version, most, change)


async def _add(request: Request, services: Services, person: Person | None, kept: KeptFolder) -> Response:
    kind = request.headers.get("content-type", "")
    upload = await receive_upload(request.stream(), kind, limit=services.settings.max_request_bytes)
    require_csrf(request, upload.fields.get(CSRF_FIELD, ""))
    path = f"{upload.fields.get('folder', DATA)}/{upload.file_name}"
    based_on = upload.fields.get("based_on", "")
    return await run_in_threadpool(
        _change, request, services, person, kept, based_on=based_on, path=path, content=upload.content
    )


def _change(
    request: Request,
    services: Services,
    person: Person | None,
    kept: KeptFolder,
    *,
    based_on: str,
    path: str,
    content: bytes | None = None,
) -> Response:
    try:
        if based_on != kept.version:
            raise ConflictError(CHANGED_MEANWHILE.partition(";")[0] + "; look at the files, then try again")
        _refuse_file(services, kept, path, content)
        kept.change({path: content})
    except (HostingError, InputError) as error:
        return _show(request, services, person, kept, error=error)
    return go(kept.address, notice="removed" if content is None else "added")


def _refuse_file(services: Services, kept: KeptFolder, path: str, content: bytes | None) -> None:
    """Raise `ParameterError` for what is no data file and no picture."""
    folder, _, name = path.partition("/")
    if folder not in (DATA, IMAGES) or not name or name.startswith(".") or "/" in name or name == SAMPLE:
        raise ParameterError(f"{name or 'a file without a name'} cannot be kept here; give the file another name")
    files = _list_files(services, kept)
    if content is None:
        if path not in files:
            raise ParameterError(f"there is no file {path} any more")
        return
    if len(files) >= MOST_FILES:
        raise ParameterError(f"there are {MOST_FILES:,} files already; put several into one archive")
    if folder == IMAGES:
        with services.folders.copy(kept.version) as copy:
            change_files(copy, {path: content})
            try:
                open_picture(copy, name)
            except PictureError as problem:
                raise ParameterError(str(problem)) from None


@dataclass(frozen=True)
class OfferedFile:
    """One file of the list."""

    path: str
    size: int


def _list_files(services: Services, kept: KeptFolder) -> dict[str, OfferedFile]:
    folder = services.folders.check_out(kept.version)
    paths = [path for name in (DATA, IMAGES) for path in sorted((folder / name).rglob("*")) if path.is_file()]
    names = [path.relative_to(folder).as_posix() for path in paths]
    return {name: OfferedFile(name, path.stat().st_size) for name, path in zip(names, paths, strict=True)}


def _show(
    request: Request,
    services: Services,
    person: Person | None,
    kept: KeptFolder,
    *,
    error: LadderboardError | None = None,
) -> Response:
    findings = view_findings(error.problems) if isinstance(error, CompetitionError) else ()
    words = "This file was not added." if findings else "" if error is None else sentence(str(error))
    return show(
        request,
        "competitions/files.html",
        person,
        status=200 if error is None else getattr(error, "status", 422),
        kept=kept,
        files=list(_list_files(services, kept).values()),
        problem=words,
        findings=findings,
        notice_words=read_notice(request, NOTICES),
    )
