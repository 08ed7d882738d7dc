"""Pages on which an organiser prepares a competition: a file, what was understood, choices, a preview, publication."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from fastapi import APIRouter
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from ladderboard.competition import Competition, Finding
from ladderboard.competition.checks.summary import summarise
from ladderboard.competition.loading import DESCRIPTION
from ladderboard.competition.rules.times import find_zone
from ladderboard.competition.rules.toml_edit import Key, TomlValue
from ladderboard.competition.rules.toml_table import FILE
from ladderboard.competition.scaffold import Request as SolutionRequest
from ladderboard.core.errors import CompetitionError, ConflictError, HostingError, InputError, ParameterError
from ladderboard.metrics import METRICS
from ladderboard.server.app.api import TheServices
from ladderboard.server.app.auth import CSRF_FIELD, require_csrf
from ladderboard.server.app.pages import CheckedForm, Form, Reader, go, read_notice, show
from ladderboard.server.app.rendering import PAGE_HEADERS
from ladderboard.server.app.text import sentence
from ladderboard.server.app.uploads import receive_upload
from ladderboard.server.competitions import choices, drafts
from ladderboard.server.competitions.choices import Choice, list_choices
from ladderboard.server.competitions.drafts import CheckedDraft
from ladderboard.server.competitions.pages.public import render_description
from ladderboard.server.people.roles import Person, require

router = APIRouter(include_in_schema=False)

NOTICES = {
    "saved": "The draft is saved.",
    "checked": "The file can be used. Look at what was understood, then publish.",
}


@router.get("/drafts/new")
def new_draft(request: Request, person: Reader) -> Response:
    """Ask for a title and a file."""
    require(person, "organise")
    return _show_new(request, person, {})


@router.post("/drafts/new")
async def make(request: Request, services: TheServices, person: Reader) -> Response:
    """Check the file as `ladderboard new` and `check` do, and make a draft of it."""
    require(person, "organise")
    kind = request.headers.get("content-type", "")
    upload = await receive_upload(request.stream(), kind, limit=services.settings.max_request_bytes)
    require_csrf(request, upload.fields.get(CSRF_FIELD, ""))
    given = upload.fields
    wish = SolutionRequest(
        solution=Path(upload.file_name or "solution.csv"),
        title=_read_title(given),
        metric=given.get("metric") or None,
        id=given.get("id", "").strip() or None,
        labels=tuple(word.strip() for word in given.get("label", "").split(",") if word.strip()),
    )
    try:
        edits = _read_zone(given.get("time_zone", ""))
        draft = await run_in_threadpool(drafts.make_draft, services, upload.content, wish, edits=edits)
    except InputError as error:
        return _show_new(request, person, given, error=error)
    return go(f"/drafts/{draft.id}", notice="checked")


@router.get("/drafts/{draft_id}")
def draft(request: Request, services: TheServices, person: Reader, draft_id: str) -> Response:
    """Show what was understood, and every choice."""
    require(person, "organise")
    found = drafts.read_draft(services, draft_id)
    return _show(request, person, found, notice=read_notice(request, NOTICES))


@router.post("/drafts/{draft_id}")
def change(request: Request, services: TheServices, person: Reader, draft_id: str, *, form: CheckedForm) -> Response:
    """Save the choices, and publish if that is asked for."""
    require(person, "organise")
    found, wish = drafts.read_draft(services, draft_id), form.text("do")
    if found.record.folder != form.text("based_on"):
        return _show_conflict(request, person, found, form)
    given = read_given(form)
    edits, faults = choices.read_edits(found.competition, given, is_published=False)
    if faults:
        return _show(request, person, found, form=form, faults=faults, problem="Please correct what is marked below.")
    if wish == "preview":
        return _show(request, person, found, form=form, with_preview=True)
    described = read_description(form)
    files = {} if described == found.competition.description else {DESCRIPTION: described.encode()}
    try:
        record = drafts.change_draft(services, found.record, edits, files=files) if edits or files else found.record
        if wish != "publish":
            return go(f"/drafts/{draft_id}", notice="saved")
        live = drafts.publish_draft(services, record)
    except CompetitionError as error:
        words = "This cannot be saved: it does not fit together."
        return _show(request, person, found, form=form, problem=words, findings=view_findings(error.problems))
    except (HostingError, InputError) as error:
        newest = drafts.read_draft(services, draft_id)
        return _show(request, person, newest, form=form, problem=sentence(str(error)), status=409)
    return go(f"/competitions/{live.slug}/organise", notice="published")


@router.post("/drafts/{draft_id}/discard")
def discard(services: TheServices, person: Reader, draft_id: str, *, form: CheckedForm) -> Response:
    """Discard a draft that is as it was when the page was read."""
    require(person, "organise")
    record = drafts.read_draft(services, draft_id).record
    if record.folder != form.text("based_on"):
        raise ConflictError("somebody else changed this draft meanwhile; look at it before you discard it")
    drafts.discard_draft(services, record)
    return go("/")


@router.post("/preview-description")
def preview_description(person: Reader, form: CheckedForm) -> Response:
    """The description as HTML, for the preview that follows the keys."""
    require(person, "organise")
    rendered = render_description(read_description(form), title=form.text("title"), path=form.text("images"))
    return HTMLResponse(str(rendered), headers={**PAGE_HEADERS, "Cache-Control": "no-store"})


# -- views ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ShownFinding:
    """A finding as a page shows it."""

    where: str
    message: str


@dataclass(frozen=True)
class DraftView:
    """What was understood of a draft."""

    id: str
    based_on: str
    title: str
    understanding: str
    lines: tuple[tuple[str, str], ...]
    questions: tuple[ShownFinding, ...]
    warnings: tuple[ShownFinding, ...]


def view_findings(findings: tuple[object, ...]) -> tuple[ShownFinding, ...]:
    """Findings with their places; the lines of a file that nobody sees here are left out."""
    return tuple(ShownFinding(_locate(one), sentence(one.message)) for one in findings if isinstance(one, Finding))


def _locate(finding: Finding) -> str:
    if finding.file == FILE:
        return "settings"
    if finding.file.startswith("solution.") and finding.line is not None:
        return f"line {finding.line:,}"
    return finding.file if finding.line is None else f"{finding.file}, line {finding.line:,}"


def read_given(form: Form) -> dict[str, str]:
    """The choices that a form has sent."""
    return {name: form.text(name) for name in choices.NAMES if form.has(name)}


def read_description(form: Form) -> str:
    """The description, with the line ends of a file."""
    return form.text("description").replace("\r\n", "\n")


def _show_new(
    request: Request, person: Person | None, given: Mapping[str, str], *, error: InputError | None = None
) -> Response:
    findings = view_findings(error.problems) if isinstance(error, CompetitionError) else ()
    words = "Correct the file, or name the columns below, and send it again."
    problem = "" if error is None else words if findings else str(error)  # it may begin with the file's name
    return show(
        request,
        "competitions/new_draft.html",
        person,
        status=200 if error is None else 422,
        given={name: given.get(name, "") for name in ("title", "id", "label", "metric")},
        metrics=[(name, f"{one.title} ({name})") for name, one in sorted(METRICS.items())],
        problem=problem,
        findings=findings,
    )


def _show(
    request: Request,
    person: Person | None,
    found: CheckedDraft,
    *,
    form: Form | None = None,
    faults: Mapping[str, str] | None = None,
    notice: str = "",
    problem: str = "",
    findings: tuple[ShownFinding, ...] = (),
    differences: list[str] | None = None,
    with_preview: bool = False,
    status: int | None = None,
) -> Response:
    given = None if form is None else read_given(form)
    description = found.competition.description if form is None else read_description(form)
    return show(
        request,
        "competitions/draft.html",
        person,
        status=status or (422 if problem else 200),
        draft=_view(found),
        choices=list_choices(found.competition, is_published=False, given=given, faults=faults),
        description=description,
        preview=_preview(found, description) if with_preview else None,
        notice_words=notice,
        problem=problem,
        findings=findings,
        differences=differences or [],
    )


def _show_conflict(request: Request, person: Person | None, found: CheckedDraft, form: Form) -> Response:
    words = "Somebody else saved this draft meanwhile. What you entered is below; saving it now replaces theirs:"
    differences = list_differences(found.competition, form, is_published=False)
    return _show(request, person, found, form=form, problem=words, differences=differences, status=409)


def list_differences(competition: Competition, form: Form, *, is_published: bool) -> list[str]:
    """List where a form differs from what is kept, each with what is kept."""
    given, now = read_given(form), list_choices(competition, is_published=is_published)
    found = [_tell_difference(one) for one in now.values() if given.get(one.name, one.value) != one.value]
    is_described = read_description(form) != competition.description
    return [*found, *(["The description differs too."] if is_described else [])]


def _tell_difference(choice: Choice) -> str:
    return f"{choice.label} is now: {choice.value or 'empty'}"


def _view(found: CheckedDraft) -> DraftView:
    summary, asked = summarise(found.competition), choices.ask_for_positive_class(found.competition)
    if asked:  # what is read until it is answered was never said
        summary = replace(summary, positive=None)
    others = tuple(one for one in found.questions if choices.POSITIVE_QUESTION not in one.message)
    return DraftView(
        id=found.record.id,
        based_on=found.record.folder,
        title=found.competition.rules.title,
        understanding=summary.understanding,
        lines=tuple(summary.lines()),
        questions=(*((ShownFinding("settings", sentence(asked)),) if asked else ()), *view_findings(others)),
        warnings=view_findings(found.warnings),
    )


def _preview(found: CheckedDraft, description: str) -> Markup:
    return render_description(
        description, title=found.competition.rules.title, path=f"/drafts/{found.record.id}/preview"
    )


def _read_title(given: Mapping[str, str]) -> str:
    return " ".join(given.get("title", "").split()) or "Competition"


def _read_zone(name: str) -> dict[Key, TomlValue | None]:
    """The browser's zone, where there is one of that name here."""
    try:
        find_zone(name)
    except ParameterError:
        return {}
    return {("", "time_zone"): name}
