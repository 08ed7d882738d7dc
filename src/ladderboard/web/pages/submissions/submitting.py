"""Submitting on a page: the form, exact problems of a file, and the result."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import (
    DeadlinePassedError,
    FileProblem,
    HostingError,
    InputError,
    LadderboardError,
    QuotaExceededError,
    SubmissionError,
)
from ladderboard.core.words import translatable
from ladderboard.hosting.boards import own_submissions
from ladderboard.hosting.people.roles import Person
from ladderboard.hosting.services import Services
from ladderboard.hosting.submissions.incoming import IncomingSubmission
from ladderboard.web.csrf import FIELD, require_csrf
from ladderboard.web.dependencies import TheServices
from ladderboard.web.middleware.arrival import arrived_at
from ladderboard.web.pages._shared.responses import Reader, address_of, go, show
from ladderboard.web.pages.competition.context import CompetitionContext, context_of
from ladderboard.web.pages.competition.downloads import shape_of
from ladderboard.web.pages.submissions.availability import availability_of
from ladderboard.web.pages.submissions.submission_views import NOTE_LENGTH
from ladderboard.web.text import _, counted, sentence
from ladderboard.web.uploads import Upload, receive_upload

router = APIRouter(include_in_schema=False)

FORM_BYTES = 1 << 20
"""What a form may have beside the file."""


@dataclass(frozen=True)
class Place:
    """A problem of a file and where it is."""

    where: str
    message: str


@dataclass(frozen=True)
class Refusal:
    """Why a file was not scored."""

    title: str
    sentence: str
    problems: tuple[Place, ...] = ()
    more: str = ""


@router.get("/competitions/{slug}/submit")
def submit_page(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """The form."""
    return _page(request, context_of(services, slug, person))


@router.post("/competitions/{slug}/submit")
async def submit(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """Score a file; whatever is wrong is said on the same page, and costs nothing."""
    received_at, context = await run_in_threadpool(_arrived, services, slug, person, request.state.arrived)
    if person is None:
        return go("/sign-in", next=f"{context.path}/submit")
    note = ""
    try:
        async with services.uploads.of(person.id):
            team_id = await run_in_threadpool(own_submissions.submitting_team, services, context.live, person)
            upload = await _received(request, services, context)
            note = upload.fields.get("note", "")[:NOTE_LENGTH]
            attempt = _attempt(team_id, upload, received_at, person)
            score = partial(services.referee.submit, context.live, attempt)
            answer = await services.scoring.run(context.live, len(upload.content), score)
    except (HostingError, InputError) as error:
        if getattr(error, "details", {}).get("reason") == "csrf":
            raise
        return await run_in_threadpool(_refused, request, services, context, error, note)
    again = {"again": "1"} if answer.content.get("duplicate") else {}
    return go(f"{context.path}/submissions/{answer.content['id']}", **again)


def _arrived(services: Services, slug: str, person: Person | None, since: float) -> tuple[datetime, CompetitionContext]:
    """When it came, and what it is about: in one step aside, since each costs as much as what is asked for."""
    return arrived_at(services.database.now(), since), context_of(services, slug, person)


async def _received(request: Request, services: Services, context: CompetitionContext) -> Upload:
    limit = min(services.settings.max_request_bytes, context.live.rules.limits.max_file_bytes + FORM_BYTES)
    upload = await receive_upload(request.stream(), request.headers.get("content-type", ""), limit=limit)
    require_csrf(request, upload.fields.get(FIELD, ""))
    return upload


def _attempt(team_id: str, upload: Upload, received_at: datetime, person: Person) -> IncomingSubmission:
    return IncomingSubmission(
        team_id,
        upload.content,
        received_at,
        account_id=person.id,
        file_name=upload.file_name,
        note=upload.fields.get("note", "")[:NOTE_LENGTH],
        training_score=_training_score(upload.fields.get("training_score", "")),
    )


def _training_score(text: str) -> float | None:
    if not text.strip():
        return None
    try:
        value = float(text.strip().replace(",", "."))
    except ValueError:
        value = float("nan")
    if not abs(value) < float("inf"):
        raise SubmissionError(
            translatable("the score on the training data is {text!r}; give a number such as 0.83", text=text[:40])
        )
    return value


def _page(
    request: Request, context: CompetitionContext, *, refused: Refusal | None = None, note: str = "", status: int = 200
) -> Response:
    shape = shape_of(context.live.competition.format)
    head, availability = context.head("Submit"), availability_of(context)
    return show(
        request,
        "submit.html",
        context.person,
        status=status,
        head=head,
        availability=availability,
        refused=refused,
        note=note,
        shape=shape,
        address=address_of(request),
    )


def _refused(
    request: Request, services: Services, before: CompetitionContext, error: LadderboardError, note: str
) -> Response:
    """The form again, with what was wrong; the scene is read anew, since the reason may be that it changed."""
    status = error.status if isinstance(error, HostingError) else 422
    context = context_of(services, before.slug, before.person)
    return _page(request, context, refused=_refusal(error), note=note, status=status)


def _refusal(error: LadderboardError) -> Refusal:
    if isinstance(error, QuotaExceededError | DeadlinePassedError):  # the page says below what that means
        return Refusal(translatable("This was not scored"), _("Nothing was charged."))
    if not isinstance(error, SubmissionError) or not error.problems:
        return Refusal(translatable("This was not scored"), f"{sentence(str(error))} " + _("Nothing was charged."))
    shown, total = tuple(_placed(problem) for problem in error.problems), error.total
    hidden = total - len(shown)
    more = (
        ""
        if hidden <= 0
        else _("And {n} more. Mend these first: they often have the same cause.").format(n=f"{hidden:,}")
    )
    words = counted("It has {n} problem. Nothing was charged.", "It has {n} problems. Nothing was charged.", total)
    return Refusal(translatable("This file cannot be scored"), words, shown, more)


def _placed(problem: FileProblem) -> Place:
    return Place(_where(problem), sentence(problem.sentence))


def _where(problem: FileProblem) -> str:
    if problem.line is None:
        return _("whole file")
    return (_("row {n}") if problem.place == "row" else _("line {n}")).format(n=f"{problem.line:,}")
