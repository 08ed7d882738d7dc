"""Submitting on a page: whether the reader may now (if not, why not), the form, and exact problems of a file."""

from dataclasses import dataclass, replace
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
from ladderboard.core.records import Budget
from ladderboard.core.words import pluralise
from ladderboard.mechanisms.outcomes import describe_gains
from ladderboard.server.app.api import TheServices
from ladderboard.server.app.auth import CSRF_FIELD, require_csrf
from ladderboard.server.app.error_pages import Link
from ladderboard.server.app.pages import Reader, find_site_address, go, show
from ladderboard.server.app.text import sentence
from ladderboard.server.competitions.context import CompetitionContext, read_context
from ladderboard.server.competitions.downloads import describe_submission
from ladderboard.server.services import Services
from ladderboard.server.submissions import own_submissions
from ladderboard.server.submissions.eligibility import STATUS_WORDS, Quota
from ladderboard.server.submissions.receiving import build_incoming, read_arrival, receive_form, score
from ladderboard.server.submissions.records import LONGEST_NOTE, Answer, IncomingSubmission
from ladderboard.server.teams.teams import create_team


@dataclass(frozen=True)
class BudgetLine:
    """What is left of a team's own budget, where the mechanism has one."""

    label: str
    value: str
    hint: str


@dataclass(frozen=True)
class SubmitAvailability:
    """Whether submitting is possible, and why not. ``at``: the time that ends the sentence; ``is_over``: for good."""

    is_open: bool
    title: str = ""
    sentence: str = ""
    at: datetime | None = None
    link: Link | None = None
    is_over: bool = False
    quota: Quota | None = None
    budget: BudgetLine | None = None
    resets_at: datetime | None = None
    max_bytes: int = 0
    asks_training_score: bool = False
    is_late: bool = False
    asks_team: str = ""
    """A name for the team that the first submission makes; empty where there is one."""
    gain: str = ""
    """Which gains are usually shown and which proven, in a sentence."""
    note_length: int = LONGEST_NOTE


def find_availability(context: CompetitionContext) -> SubmitAvailability:
    """Find whether the reader of a page may submit."""
    if context.person is not None and not context.person.may_compete_in(context.slug):
        words = "Whoever organises a competition or helps with it does not compete in it; readers only read."
        return SubmitAvailability(False, "This account does not compete", words)
    closed = _explain_closed(context)
    if closed is not None:
        return closed
    if context.person is None:
        link = Link("Sign in", f"/sign-in?next={context.path}/submit")
        return SubmitAvailability(False, "Sign in to submit", "Submissions belong to a team.", link=link)
    if context.team is None or context.quota is None:
        if context.status != "open":  # nobody makes a team any more
            words = "Submissions belong to a team, and new ones can no longer be created."
            return SubmitAvailability(False, "You have no team here", words, is_over=True)
        return SubmitAvailability(
            True,
            max_bytes=context.live.rules.limits.max_file_bytes,
            asks_training_score=context.live.mechanism.needs_training_score,
            asks_team=context.person.name,
        )
    if context.team.status != "active":
        title = f"Your team is {STATUS_WORDS[context.team.status]}"
        words = "The organisers decided this; ask them if you think it is a mistake."
        return SubmitAvailability(False, title, words, is_over=True)
    return _team_door(context, context.quota)


def budget_line(budget: Budget | None) -> BudgetLine | None:
    """A budget in words; None where the mechanism has none for each team."""
    if budget is None:
        return None
    if budget.left is None:
        value = f"{budget.total:,} in all"
        return BudgetLine("Corrections", value, "How many are left would itself be an answer, so it is not shown.")
    value = f"{budget.left:,} of {budget.total:,}"
    return BudgetLine("Answers left", value, "After the last one, your team gets no more scores.")


def _explain_closed(context: CompetitionContext) -> SubmitAvailability | None:
    rules, status = context.live.rules, context.status
    board = Link("See the board", f"{context.path}/leaderboard")
    if status == "upcoming" and rules.opens is not None:
        at = context.in_zone(rules.opens)
        return SubmitAvailability(
            False,
            "Not open yet",
            "Submissions open on",
            at=at,
            link=preparation(context),
        )
    if status == "spent":
        words = "It has released all the information it may. No more submissions are scored."
        return SubmitAvailability(False, "This test set is spent", words, link=board, is_over=True)
    if context.takes_submissions:
        return None
    link = Link("See the results", f"{context.path}/results") if status == "revealed" else board
    return SubmitAvailability(
        False,
        "Closed",
        "This competition has ended. Nothing more is scored.",
        link=link,
        is_over=True,
    )


def preparation(context: CompetitionContext) -> Link:
    """What can be done before a competition opens."""
    if context.person is None:
        return Link("Sign up", f"/sign-up?next={context.path}/team")
    if context.team is None:
        return Link("Create or join a team", f"{context.path}/team")
    return Link("Get the data", f"{context.path}/data")


def _team_door(context: CompetitionContext, quota: Quota) -> SubmitAvailability:
    rules, budget = context.live.rules, context.budget
    resets_at, line = context.in_zone(quota.resets_at), budget_line(budget)
    mine = Link("My submissions", f"{context.path}/submissions")
    if budget is not None and budget.is_spent:
        spent = (
            "This board gives each team a limited number of answers, and yours are used up. Your score still counts."
        )
        return SubmitAvailability(False, "Your team's answers are used up", spent, link=mine, is_over=True)
    if quota.left != 0:
        return SubmitAvailability(
            True,
            quota=quota,
            budget=line,
            resets_at=resets_at,
            max_bytes=rules.limits.max_file_bytes,
            asks_training_score=context.live.mechanism.needs_training_score,
            is_late=context.status != "open",
            gain=(describe_gains(context.gains, is_first=context.is_first) or ""),
        )
    if quota.total is not None and quota.used >= quota.total:
        words = "All attempts of this competition are used. Your submissions still count."
        return SubmitAvailability(
            False, "No attempts left", words, link=mine, quota=quota, budget=line, resets_at=resets_at
        )
    used = pluralise("Today's attempt is used.", "All {n} attempts for today are used.", quota.per_day or 0)
    words = f"{used} " + "The next day begins"
    return SubmitAvailability(
        False, "No attempts left", words, resets_at, mine, quota=quota, budget=line, resets_at=resets_at
    )


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
    note, team = "", ""
    try:
        async with services.uploads.of(person.id):
            asks_team, team_id = (await run_in_threadpool(find_availability, context)).asks_team, ""
            if not asks_team:  # refused before the file has travelled
                team_id = await run_in_threadpool(own_submissions.find_submitting_team, services, slug, person)
            form = await receive_form(request, services, context.live)
            require_csrf(request, form.fields.get(CSRF_FIELD, ""))
            note, team = form.fields.get("note", ""), form.fields.get("team", "")
            incoming = build_incoming(form, person=person, team_id=team_id, received_at=received_at)
            if asks_team:
                first = partial(_submit_first, services, context, incoming, team=team)
                answer = await services.scoring.run(context.live, incoming, first)
            else:
                answer = await score(services, context.live, incoming)
    except (HostingError, InputError) as error:
        if getattr(error, "details", {}).get("reason") == "csrf":
            raise
        return await run_in_threadpool(_show_form_again, request, services, context, error, note=note, team=team)
    again = {"again": "1"} if answer.content.get("duplicate") else {}
    return go(f"{context.path}/submissions/{answer.content['id']}", **again)


def _submit_first(
    services: Services, context: CompetitionContext, incoming: IncomingSubmission, *, team: str
) -> Answer:
    """Make the team of somebody who has none, if the file can be scored, and submit for it."""
    assert context.person is not None, "the caller has looked"
    context.live.evaluations.read(incoming.content, incoming.file_name)  # a bad file leaves no team behind
    made = create_team(services.database, context.live, context.person, team)
    return services.submit(context.live, replace(incoming, team_id=made.id))


def _page(
    request: Request,
    context: CompetitionContext,
    *,
    refused: SubmitRefusal | None = None,
    note: str = "",
    team: str = "",
    status: int = 200,
) -> Response:
    shape = describe_submission(context.live)
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
        team=team or availability.asks_team,
        shape=shape,
        address=find_site_address(request),
    )


def _show_form_again(
    request: Request, services: Services, before: CompetitionContext, error: LadderboardError, *, note: str, team: str
) -> Response:
    """Show the form again with the problem; the context is read again, since it may have changed."""
    status = error.status if isinstance(error, HostingError) else 422
    context = read_context(services, before.slug, before.person)
    return _page(request, context, refused=_refusal(error), note=note, team=team, status=status)


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
