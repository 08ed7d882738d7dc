"""Submitting on a page: the form, exact problems of a file, and the result."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.errors import (
    DeadlinePassedError,
    HostingError,
    InputError,
    LadderboardError,
    Problem,
    QuotaExceededError,
    SubmissionError,
)
from ladderboard.hosting import own_submissions
from ladderboard.hosting.attempts import Attempt
from ladderboard.hosting.host import Host
from ladderboard.hosting.roles import Person
from ladderboard.web.arrival import arrived_at
from ladderboard.web.csrf import FIELD, require_csrf
from ladderboard.web.pages.doors import door_of
from ladderboard.web.pages.downloads import shape_of
from ladderboard.web.pages.scene import Scene, scene_of
from ladderboard.web.pages.showing import Reader, address_of, go, show
from ladderboard.web.pages.submission_views import NOTE_LENGTH
from ladderboard.web.parts import TheHost
from ladderboard.web.text import _, counted, sentence
from ladderboard.web.uploads import Upload, receive_upload
from ladderboard.words import said

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
def submit_page(request: Request, host: TheHost, person: Reader, slug: str) -> Response:
    """The form."""
    return _page(request, scene_of(host, slug, person))


@router.post("/competitions/{slug}/submit")
async def submit(request: Request, host: TheHost, person: Reader, slug: str) -> Response:
    """Score a file; whatever is wrong is said on the same page, and costs nothing."""
    received_at, scene = await run_in_threadpool(_arrived, host, slug, person, request.state.arrived)
    if person is None:
        return go("/sign-in", next=f"{scene.path}/submit")
    note = ""
    try:
        async with host.uploads.of(person.id):
            team_id = await run_in_threadpool(own_submissions.submitting_team, host, scene.hosted, person)
            upload = await _received(request, host, scene)
            note = upload.fields.get("note", "")[:NOTE_LENGTH]
            attempt = _attempt(team_id, upload, received_at, person)
            score = partial(host.referee.submit, scene.hosted, attempt)
            answer = await host.scoring.run(scene.hosted, len(upload.content), score)
    except (HostingError, InputError) as error:
        if getattr(error, "details", {}).get("reason") == "csrf":
            raise
        return await run_in_threadpool(_refused, request, host, scene, error, note)
    again = {"again": "1"} if answer.content.get("duplicate") else {}
    return go(f"{scene.path}/submissions/{answer.content['id']}", **again)


def _arrived(host: Host, slug: str, person: Person | None, since: float) -> tuple[datetime, Scene]:
    """When it came, and what it is about: in one step aside, since each costs as much as what is asked for."""
    return arrived_at(host.database.now(), since), scene_of(host, slug, person)


async def _received(request: Request, host: Host, scene: Scene) -> Upload:
    limit = min(host.settings.max_request_bytes, scene.hosted.rules.limits.max_file_bytes + FORM_BYTES)
    upload = await receive_upload(request.stream(), request.headers.get("content-type", ""), limit=limit)
    require_csrf(request, upload.fields.get(FIELD, ""))
    return upload


def _attempt(team_id: str, upload: Upload, received_at: datetime, person: Person) -> Attempt:
    return Attempt(
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
            said("the score on the training data is {text!r}; give a number such as 0.83", text=text[:40])
        )
    return value


def _page(
    request: Request, scene: Scene, *, refused: Refusal | None = None, note: str = "", status: int = 200
) -> Response:
    shape = shape_of(scene.hosted.competition.format)
    head, door = scene.head("Submit"), door_of(scene)
    return show(
        request,
        "submit.html",
        scene.person,
        status=status,
        head=head,
        door=door,
        refused=refused,
        note=note,
        shape=shape,
        address=address_of(request),
    )


def _refused(request: Request, host: Host, before: Scene, error: LadderboardError, note: str) -> Response:
    """The form again, with what was wrong; the scene is read anew, since the reason may be that it changed."""
    status = error.status if isinstance(error, HostingError) else 422
    scene = scene_of(host, before.slug, before.person)
    return _page(request, scene, refused=_refusal(error), note=note, status=status)


def _refusal(error: LadderboardError) -> Refusal:
    if isinstance(error, QuotaExceededError | DeadlinePassedError):  # the page says below what that means
        return Refusal(said("This was not scored"), _("Nothing was charged."))
    if not isinstance(error, SubmissionError) or not error.problems:
        return Refusal(said("This was not scored"), f"{sentence(str(error))} " + _("Nothing was charged."))
    shown, total = tuple(_placed(problem) for problem in error.problems), error.total
    hidden = total - len(shown)
    more = (
        ""
        if hidden <= 0
        else _("And {n} more. Mend these first: they often have the same cause.").format(n=f"{hidden:,}")
    )
    words = counted("It has {n} problem. Nothing was charged.", "It has {n} problems. Nothing was charged.", total)
    return Refusal(said("This file cannot be scored"), words, shown, more)


def _placed(problem: Problem) -> Place:
    return Place(_where(problem), sentence(problem.sentence))


def _where(problem: Problem) -> str:
    if problem.line is None:
        return _("whole file")
    return (_("row {n}") if problem.place == "row" else _("line {n}")).format(n=f"{problem.line:,}")
