"""The organiser's page of teams: extra submissions, withdrawing, disqualifying, reinstating."""

from dataclasses import dataclass
from datetime import datetime
from typing import get_args

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import HostingError, LadderboardError, ParameterError
from ladderboard.server.app.api import TheServices
from ladderboard.server.app.pages import CheckedForm, Pager, Reader, go, page_number, pager, read_notice, show
from ladderboard.server.app.text import sentence
from ladderboard.server.boards.views import LONGEST_QUERY
from ladderboard.server.competitions.context import CompetitionContext, require_duty
from ladderboard.server.competitions.rules_words import attempts_in_words
from ladderboard.server.people.roles import Person
from ladderboard.server.services import Services
from ladderboard.server.submissions.eligibility import STATUS_WORDS
from ladderboard.server.teams.grants import grant
from ladderboard.server.teams.records import TeamOverview, TeamRecord
from ladderboard.server.teams.teams import Ruling, list_teams, rule_on_team

router = APIRouter(include_in_schema=False)

TEAMS_ON_A_PAGE = 50
LONGEST_REASON = 500
NOTICES = {
    "granted": "The extra submissions are granted.",
    "active": "The team is on the board again.",
    "withdrawn": "The team is withdrawn.",
    "disqualified": "The team is disqualified.",
}
TONES = {"withdrawn": "wait", "disqualified": "stop", "merged": ""}


@dataclass(frozen=True)
class TeamLine:
    """A row of the table of teams."""

    team: TeamRecord
    standing: str
    tone: str
    value: str
    members: int
    flags: int
    last_at: datetime | None
    may_rule: bool


@dataclass(frozen=True)
class TeamsView:
    """The page of teams."""

    base: str
    query: str
    lines: tuple[TeamLine, ...]
    pager: Pager
    limits: str
    notice: str
    problem: str


@router.get("/competitions/{slug}/organise/teams")
def teams_page(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """Show all teams, hidden ones included."""
    context = require_duty(services, slug, person, "oversee")
    return _show(request, services, context, notice=read_notice(request, NOTICES))


@router.post("/competitions/{slug}/organise/teams/quota")
def quota(request: Request, services: TheServices, person: Reader, form: CheckedForm, slug: str) -> Response:
    """Grant a team extra submissions."""
    context = require_duty(services, slug, person, "assist")
    try:
        per_day, total = _read_number(form.text("per_day")), _read_number(form.text("total"))
        reason = form.text("reason")[:LONGEST_REASON]
        grant(services.database, slug, form.text("team"), per_day=per_day, total=total, reason=reason)
    except (HostingError, ParameterError) as error:
        return _show_again(request, services, context, error)
    return go(f"{context.path}/organise/teams", notice="granted", q=form.text("team"))


@router.post("/competitions/{slug}/organise/teams/ruling")
def ruling(request: Request, services: TheServices, person: Reader, form: CheckedForm, slug: str) -> Response:
    """Withdraw, disqualify or reinstate a team."""
    context = require_duty(services, slug, person, "assist")
    try:
        status = _read_ruling(form.text("status"))
        reason = form.text("reason")[:LONGEST_REASON]
        rule_on_team(
            services.database, context.live, _require_person(person), form.text("team"), status=status, reason=reason
        )
    except (HostingError, ParameterError) as error:
        return _show_again(request, services, context, error)
    return go(f"{context.path}/organise/teams", notice=status, q=form.text("team"))


def _show(
    request: Request,
    services: Services,
    context: CompetitionContext,
    *,
    notice: str = "",
    problem: str = "",
    status: int = 200,
) -> Response:
    page, query = page_number(request), request.query_params.get("q", "").strip()[:LONGEST_QUERY]
    found, total = list_teams(
        services.database, context.slug, query, offset=(page - 1) * TEAMS_ON_A_PAGE, limit=TEAMS_ON_A_PAGE
    )
    view = TeamsView(
        base=f"{context.path}/organise/teams",
        query=query,
        lines=tuple(_line(context, one) for one in found),
        pager=pager(f"{context.path}/organise/teams", page=page, pages=-(-total // TEAMS_ON_A_PAGE), q=query),
        limits=f"The rules allow {attempts_in_words(context.live.rules)} for each team.",
        notice=notice,
        problem=problem,
    )
    head = context.head("Organise")
    return show(request, "teams/teams.html", context.person, status=status, head=head, teams=view)


def _show_again(request: Request, services: Services, context: CompetitionContext, error: LadderboardError) -> Response:
    return _show(request, services, context, problem=sentence(str(error)), status=getattr(error, "status", 422))


def _line(context: CompetitionContext, overview: TeamOverview) -> TeamLine:
    team = overview.team
    return TeamLine(
        team=team,
        standing=STATUS_WORDS[team.status],
        tone=TONES.get(team.status, ""),
        value=context.live.score_format.write(team.board_value),
        members=overview.members,
        flags=overview.flags,
        last_at=None if team.last_submitted_at is None else context.in_zone(team.last_submitted_at),
        may_rule=team.status != "merged",
    )


def _read_number(text: str) -> int | None:
    """Read a number of submissions; None for an empty text, which leaves it as it is."""
    if not text.strip():
        return None
    if not (text.strip().isascii() and text.strip().isdecimal() and len(text.strip()) < 9):
        raise ParameterError(f"{text[:20]!r} is not a number of submissions; give a whole number, 0 or more")
    return int(text)


def _read_ruling(text: str) -> Ruling:
    for known in get_args(Ruling):
        if text == known:
            found: Ruling = known
            return found
    raise ParameterError(f"{text[:20]!r} is not a decision about a team")


def _require_person(person: Person | None) -> Person:
    assert person is not None, "require_duty() lets nobody else in"
    return person
