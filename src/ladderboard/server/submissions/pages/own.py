"""A team's own submissions: the staircase, one result, notes, the files themselves."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import HostingError, ParameterError, SignInRequiredError
from ladderboard.core.records import Release
from ladderboard.core.words import pluralise
from ladderboard.drawing.elements import Drawing
from ladderboard.mechanisms.outcomes import LATE, RECEIVED, TITLES, find_own_value
from ladderboard.server import charts
from ladderboard.server.app.api import TheServices
from ladderboard.server.app.pages import CheckedForm, Pager, Reader, go, page_number, pager, show
from ladderboard.server.app.rendering import PAGE_HEADERS
from ladderboard.server.app.text import sentence
from ladderboard.server.boards.views import carry_forward
from ladderboard.server.competitions.context import CompetitionContext, metric_title, read_context
from ladderboard.server.jobs import own_jobs
from ladderboard.server.jobs.views import JobView, build_job
from ladderboard.server.people.roles import Person, require
from ladderboard.server.results.finals import Finals, pick_finals, read_finals
from ladderboard.server.results.private_scores import find_private_format
from ladderboard.server.services import Services
from ladderboard.server.submissions import own_submissions
from ladderboard.server.submissions.own_submissions import NamedSubmission
from ladderboard.server.submissions.pages.submit import BudgetLine, budget_line
from ladderboard.server.submissions.records import SubmissionOutcome
from ladderboard.server.submissions.views import build_result

router = APIRouter(include_in_schema=False)

ON_A_PAGE = 50
MOST_STEPS = 5000
NOTICES = {"picked": "Your selection is saved.", "noted": "The note is saved."}


@dataclass(frozen=True)
class SubmissionLine:
    """One submission in the list."""

    id: str
    attempt: int
    href: str
    received_at: datetime
    file_href: str
    file_name: str
    note: str
    outcome: str
    tone: str
    value: str
    public_value: str
    private_value: str
    is_picked: bool
    is_default: bool


@dataclass(frozen=True)
class OwnSubmissionsView:
    """The page of a team's submissions."""

    rows: tuple[SubmissionLine, ...]
    jobs: tuple[JobView, ...]
    """What is in the queue or could not be scored."""
    staircase: Drawing
    silence: str
    pager: Pager
    budget: BudgetLine | None
    shows_every_score: bool
    shows_public: bool
    shows_private: bool
    best_pick: str
    picks_shown: bool
    picks_open: bool
    picks_sentence: str
    other_picks: tuple[str, ...]
    problem: str = ""
    notice: str = ""


@router.get("/competitions/{slug}/submissions")
def mine(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """All of the team's submissions, newest first."""
    context = read_context(services, slug, _require_person(person))
    view = build_view(
        services, context, page=page_number(request), notice=NOTICES.get(request.query_params.get("notice", ""), "")
    )
    return show(request, "submissions/submissions.html", person, head=context.head("My submissions"), mine=view)


@router.get("/competitions/{slug}/submissions/{submission_id}")
def one(request: Request, services: TheServices, person: Reader, slug: str, submission_id: str) -> Response:
    """The result of one submission."""
    somebody = _require_person(person)
    context = read_context(services, slug, somebody)
    job = own_jobs.find_unscored(services, slug, somebody, submission_id)
    if job is not None:
        view = build_job(context, job)
        return show(request, "jobs/job.html", person, head=context.head("My submissions"), job=view)
    row = own_submissions.find_own(services, slug, somebody, submission_id)
    is_repeat = "again" in request.query_params
    details = own_submissions.read_details(services, context.live, row, is_repeat=is_repeat)
    result = build_result(context, row, details, is_repeat=is_repeat)
    return show(request, "submissions/submission.html", person, head=context.head("My submissions"), result=result)


@router.get("/competitions/{slug}/submissions/{submission_id}/file")
def file(services: TheServices, person: Reader, slug: str, submission_id: str) -> Response:
    """A submitted file as an attachment, under a safe name instead of the sender's."""
    row = own_submissions.find_own(services, slug, _require_person(person), submission_id)
    name = f"{slug}-{row.number}{_suffix(row.file_name)}"
    headers = {**PAGE_HEADERS, "Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(services.files.read(row.file_digest), media_type="application/octet-stream", headers=headers)


@router.get("/competitions/{slug}/submissions/{submission_id}/log")
def log(services: TheServices, person: Reader, slug: str, submission_id: str) -> Response:
    """The log of a program's run on the public sample."""
    content = own_jobs.read_log(services, slug, _require_person(person), submission_id)
    headers = {**PAGE_HEADERS, "Cache-Control": "no-store"}
    return Response(content.decode(errors="replace"), media_type="text/plain; charset=utf-8", headers=headers)


@router.post("/competitions/{slug}/submissions/{submission_id}/note")
def note(services: TheServices, person: Reader, form: CheckedForm, slug: str, submission_id: str) -> Response:
    """Replace the team's note."""
    row = own_submissions.find_own(services, slug, _require_person(person), submission_id)
    own_submissions.change_note(services, row.id, form.text("note"))
    return go(f"/competitions/{slug}/submissions", notice="noted")


@router.post("/competitions/{slug}/finals")
def pick(request: Request, services: TheServices, person: Reader, form: CheckedForm, slug: str) -> Response:
    """Keep the team's picks; none: back to the default."""
    context = read_context(services, slug, _require_person(person))
    require(person, "submit", context.live.rules, own_team=None if context.team is None else context.team.id)
    assert context.team is not None
    try:
        pick_finals(services, slug, context.team.id, form.texts("pick"))
    except (HostingError, ParameterError) as error:
        view = build_view(services, context, page=1, problem=sentence(str(error)))
        status = error.status if isinstance(error, HostingError) else 422
        return show(
            request,
            "submissions/submissions.html",
            person,
            status=status,
            head=context.head("My submissions"),
            mine=view,
        )
    return go(f"{context.path}/submissions", notice="picked")


def build_view(
    services: Services, context: CompetitionContext, *, page: int, problem: str = "", notice: str = ""
) -> OwnSubmissionsView:
    """The view of the list."""
    assert context.person is not None
    offset = (page - 1) * ON_A_PAGE
    rows, total = own_submissions.list_own(services, context.slug, context.person, offset=offset, limit=ON_A_PAGE)
    outcomes: list[SubmissionOutcome] = []
    finals = None
    if context.team is not None:
        outcomes = own_submissions.list_outcomes(services, context.team.id, most=MOST_STEPS)
        if context.live.rules.reveal != "never":
            finals = read_finals(services, context.slug, context.team.id)
    picks_open = context.status not in ("finalized", "revealed")
    is_revealed = context.status == "revealed"
    return OwnSubmissionsView(
        rows=_lines(context, rows, finals),
        jobs=tuple(build_job(context, job) for job in own_jobs.list_unscored(services, context.slug, context.person)),
        staircase=_staircase(context, outcomes),
        silence=context.silence,
        pager=pager(f"{context.path}/submissions", page=page, pages=-(-total // ON_A_PAGE)),
        budget=budget_line(context.budget),
        shows_every_score=context.live.mechanism.tells_own_number(),
        shows_public=is_revealed and context.live.rules.publish_solution,
        shows_private=is_revealed and context.live.competition.private is not None,
        best_pick=_best_pick_words(services, context) if is_revealed else "",
        picks_shown=finals is not None,
        picks_open=picks_open,
        picks_sentence="" if finals is None else _picks_words(finals, is_open=picks_open),
        other_picks=_list_picks_elsewhere(finals, rows),
        problem=problem,
        notice=notice,
    )


def _lines(
    context: CompetitionContext, rows: Sequence[NamedSubmission], finals: Finals | None
) -> tuple[SubmissionLine, ...]:
    default = set() if finals is None or finals.are_picked else {one.id for one in finals.submissions}
    return tuple(_line(context, one, is_default=one.row.id in default) for one in rows)


def _line(context: CompetitionContext, named: NamedSubmission, *, is_default: bool) -> SubmissionLine:
    row = named.row
    href = f"{context.path}/submissions/{row.id}"
    return SubmissionLine(
        id=row.id,
        attempt=named.attempt,
        href=href,
        received_at=context.in_zone(row.received_at),
        file_href=f"{href}/file",
        file_name=row.file_name or "submission",
        note=row.note,
        outcome=_title(context, named),
        tone="good" if named.outcome == "improved" else "",
        value="" if named.own_value is None else context.live.score_format.write(named.own_value),
        public_value=context.live.score_format.write(named.scores.public),
        private_value=find_private_format(context.live).write(named.scores.private),
        is_picked=row.picked_at is not None,
        is_default=is_default,
    )


def _title(context: CompetitionContext, named: NamedSubmission) -> str:
    if context.silence:
        return RECEIVED
    return LATE if named.row.phase == "late" else TITLES[named.outcome]


def _list_picks_elsewhere(finals: Finals | None, rows: Sequence[NamedSubmission]) -> tuple[str, ...]:
    """Picks that are not on this page of the list, and are to be kept when the form is sent."""
    if finals is None or not finals.are_picked:
        return ()
    here = {one.row.id for one in rows}
    return tuple(one.id for one in finals.submissions if one.id not in here)


def _picks_words(finals: Finals, *, is_open: bool) -> str:
    if not is_open:
        return "The private board has been computed; the selection can no longer be changed."
    notice = pluralise(
        "You may select {n} submission for the private board, which decides the result.",
        "You may select up to {n} submissions for the private board, which decides the result.",
        finals.most,
    )
    default = "Nothing is selected yet: those marked “by default” would count."
    return notice if finals.are_picked else f"{notice} {default}"


def _best_pick_words(services: Services, context: CompetitionContext) -> str:
    best = None if context.team is None else own_submissions.read_best_pick(services, context.slug, context.team.id)
    return "" if best is None else best.sentence


def _staircase(context: CompetitionContext, outcomes: list[SubmissionOutcome]) -> Drawing:
    live = context.live
    shown = carry_forward([row.board_value for row in outcomes], live=live)
    steps = [
        charts.Step(
            i,
            find_own_value(Release.from_dict(row.release), live.mechanism),
            value,
            row.accepted,
            row.improved and live.mechanism.corrects_for_attempts,
        )
        for i, (row, value) in enumerate(zip(outcomes, shown, strict=True), start=1)
    ]
    baseline = live.baseline_value if live.mechanism.starts_from_baseline else None
    lower = live.competition.metric.lower_is_better
    metric = metric_title(live.rules.metric)
    return charts.staircase(steps, live.score_format, metric=metric, lower_is_better=lower, baseline=baseline)


def _require_person(person: Person | None) -> Person:
    if person is None:
        raise SignInRequiredError("sign in to see your team's submissions")
    return person


def _suffix(file_name: str) -> str:
    """The ending of a file that we know, so that it opens again in the same program."""
    known = (".csv.gz", ".csv", ".tsv", ".txt", ".gz", ".zip", ".parquet")
    return next((ending for ending in known if file_name.lower().endswith(ending)), "")
