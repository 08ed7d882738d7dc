"""Submitting on a page: the form, exact problems of a file, and the result."""

from dataclasses import dataclass

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
from ladderboard.core.words import pluralise
from ladderboard.server.app.api import TheServices
from ladderboard.server.app.auth import CSRF_FIELD, require_csrf
from ladderboard.server.app.pages import Reader, find_site_address, go, show
from ladderboard.server.app.text import sentence
from ladderboard.server.boards import own_submissions
from ladderboard.server.competitions.context import CompetitionContext, read_context
from ladderboard.server.competitions.downloads import describe_format
from ladderboard.server.services import Services
from ladderboard.server.submissions.availability import find_availability
from ladderboard.server.submissions.receiving import build_incoming, read_arrival, receive_form, score

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True)
class ShownProblem:
    """A problem of a file and where it is."""

    where: str
    message: str


@dataclass(frozen=True)
class SubmitRefusal:
    """Why a file was not scored."""

    title: str
    sentence: str
    problems: tuple[ShownProblem, ...] = ()


@router.get("/competitions/{slug}/submit")
def submit_page(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """The form."""
    return _page(request, read_context(services, slug, person))


@router.post("/competitions/{slug}/submit")
async def submit(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """Score a file; whatever is wrong is shown on the same page, and costs nothing."""
    received_at = await read_arrival(request, services)
    context = await run_in_threadpool(read_context, services, slug, person)
    if person is None:
        return go("/sign-in", next=f"{context.path}/submit")
    note = ""
    try:
        async with services.uploads.of(person.id):
            team_id = await run_in_threadpool(own_submissions.find_submitting_team, services, slug, person)
            form = await receive_form(request, services, context.live)
            require_csrf(request, form.fields.get(CSRF_FIELD, ""))
            note = form.fields.get("note", "")
            incoming = build_incoming(form, person=person, team_id=team_id, received_at=received_at)
            answer = await score(services, context.live, incoming)
    except (HostingError, InputError) as error:
        if getattr(error, "details", {}).get("reason") == "csrf":
            raise
        return await run_in_threadpool(_show_form_again, request, services, context, error, note)
    again = {"again": "1"} if answer.content.get("duplicate") else {}
    return go(f"{context.path}/submissions/{answer.content['id']}", **again)


def _page(
    request: Request,
    context: CompetitionContext,
    *,
    refused: SubmitRefusal | None = None,
    note: str = "",
    status: int = 200,
) -> Response:
    shape = describe_format(context.live.competition.format)
    head, availability = context.head("Submit"), find_availability(context)
    return show(
        request,
        "submissions/submit.html",
        context.person,
        status=status,
        head=head,
        availability=availability,
        refused=refused,
        note=note,
        shape=shape,
        address=find_site_address(request),
    )


def _show_form_again(
    request: Request, services: Services, before: CompetitionContext, error: LadderboardError, note: str
) -> Response:
    """Show the form again with the problem; the context is read again, since it may have changed."""
    status = error.status if isinstance(error, HostingError) else 422
    context = read_context(services, before.slug, before.person)
    return _page(request, context, refused=_refusal(error), note=note, status=status)


def _refusal(error: LadderboardError) -> SubmitRefusal:
    if isinstance(error, QuotaExceededError | DeadlinePassedError):  # the page says below what that means
        return SubmitRefusal("This was not scored", "Nothing was charged.")
    if not isinstance(error, SubmissionError) or not error.problems:
        return SubmitRefusal("This was not scored", f"{sentence(str(error))} " + "Nothing was charged.")
    words = pluralise(
        "It has {n} problem. Nothing was charged.", "It has {n} problems. Nothing was charged.", error.total
    )
    return SubmitRefusal("This file cannot be scored", words, tuple(map(_view_problem, error.problems)))


def _view_problem(problem: FileProblem) -> ShownProblem:
    return ShownProblem(_locate_problem(problem), sentence(problem.sentence))


def _locate_problem(problem: FileProblem) -> str:
    if problem.line is None:
        return "whole file"
    return ("row {n}" if problem.place == "row" else "line {n}").format(n=f"{problem.line:,}")
