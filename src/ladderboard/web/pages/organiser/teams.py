"""The teams as an organiser sees them: more attempts for one, hiding one, showing it again."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, get_args

from fastapi import APIRouter
from sqlalchemy import Row
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import HostingError, LadderboardError, ParameterError
from ladderboard.core.words import translatable
from ladderboard.hosting.people.names import name_key
from ladderboard.hosting.people.roles import Person
from ladderboard.hosting.services import Services
from ladderboard.hosting.teams.grants import grant
from ladderboard.hosting.teams.status_words import STATUSES
from ladderboard.hosting.teams.teams import Ruling, Teams
from ladderboard.store.organising import teams_listed
from ladderboard.web.dependencies import TheServices
from ladderboard.web.pages._shared.paging import Pager, page_number, pager
from ladderboard.web.pages._shared.responses import CheckedForm, Reader, go, show
from ladderboard.web.pages.board.board_views import LONGEST_QUERY
from ladderboard.web.pages.competition.context import CompetitionContext
from ladderboard.web.pages.organiser.dashboard import notice_in, organising
from ladderboard.web.text import _, decimals_for, score, sentence

router = APIRouter(include_in_schema=False)

TEAMS_ON_A_PAGE = 50
LONGEST_REASON = 500
NOTICES = {
    "granted": translatable("The team may make these attempts."),
    "active": translatable("The team is on the board again."),
    "withdrawn": translatable("The team is withdrawn."),
    "disqualified": translatable("The team is disqualified."),
}
TONES = {"withdrawn": "wait", "disqualified": "stop", "merged": ""}


@dataclass(frozen=True)
class TeamLine:
    """A team."""

    id: str
    name: str
    status: str
    standing: str
    tone: str
    value: str
    attempts: int
    members: int
    flags: int
    last_at: datetime | None
    extra_per_day: int
    extra_total: int
    may_rule: bool


@dataclass(frozen=True)
class TeamsView:
    """The page."""

    base: str
    query: str
    lines: tuple[TeamLine, ...]
    pager: Pager
    limits: str
    notice: str
    problem: str


@router.get("/competitions/{slug}/organise/teams")
def teams_page(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """All teams, those of the organiser's decision too."""
    context = organising(services, slug, person)
    return _show(request, services, context, notice=notice_in(request, NOTICES))


@router.post("/competitions/{slug}/organise/teams/quota")
def quota(request: Request, services: TheServices, person: Reader, form: CheckedForm, slug: str) -> Response:
    """Give a team more attempts."""
    context = organising(services, slug, person)
    try:
        per_day, total = _number(form.text("per_day")), _number(form.text("total"))
        reason = form.text("reason")[:LONGEST_REASON]
        grant(services.database, slug, form.text("team"), per_day=per_day, total=total, reason=reason)
    except (HostingError, ParameterError) as error:
        return _again(request, services, context, error)
    return go(f"{context.path}/organise/teams", notice="granted", q=form.text("team"))


@router.post("/competitions/{slug}/organise/teams/ruling")
def ruling(request: Request, services: TheServices, person: Reader, form: CheckedForm, slug: str) -> Response:
    """Hide a team or show it again."""
    context = organising(services, slug, person)
    try:
        status = _ruling(form.text("status"))
        reason = form.text("reason")[:LONGEST_REASON]
        Teams(services.database).rule(context.live, _of(person), form.text("team"), status=status, reason=reason)
    except (HostingError, ParameterError) as error:
        return _again(request, services, context, error)
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
    with services.database.reading() as connection:
        rows, total = teams_listed(
            connection,
            context.slug,
            name_key(query) if query else "",
            offset=(page - 1) * TEAMS_ON_A_PAGE,
            limit=TEAMS_ON_A_PAGE,
        )
    decimals = decimals_for(row.board_value for row in rows if row.board_value is not None)
    limits = context.live.rules.limits
    view = TeamsView(
        base=f"{context.path}/organise/teams",
        query=query,
        lines=tuple(_line(context, row, decimals) for row in rows),
        pager=pager(f"{context.path}/organise/teams", page=page, pages=-(-total // TEAMS_ON_A_PAGE), q=query),
        limits=_("The rules allow {day} a day and {all} in all.").format(
            day=limits.per_day if limits.per_day is not None else _("any number"),
            all=limits.total if limits.total is not None else _("any number"),
        ),
        notice=notice,
        problem=problem,
    )
    head = context.head("Organise")
    return show(request, "organiser_teams.html", context.person, status=status, head=head, teams=view)


def _again(request: Request, services: Services, context: CompetitionContext, error: LadderboardError) -> Response:
    return _show(request, services, context, problem=sentence(str(error)), status=getattr(error, "status", 422))


def _line(context: CompetitionContext, row: Row[Any], decimals: int) -> TeamLine:
    return TeamLine(
        id=row.id,
        name=row.name,
        status=row.status,
        standing=STATUSES[row.status],
        tone=TONES.get(row.status, ""),
        value=score(row.board_value, decimals),
        attempts=row.attempts,
        members=row.members,
        flags=row.flags,
        last_at=None if row.last_submitted_at is None else context.in_zone(row.last_submitted_at),
        extra_per_day=row.extra_per_day,
        extra_total=row.extra_total,
        may_rule=row.status != "merged",
    )


def _number(text: str) -> int | None:
    """A number of attempts; empty: as it is now."""
    if not text.strip():
        return None
    if not (text.strip().isascii() and text.strip().isdecimal() and len(text.strip()) < 9):
        raise ParameterError(
            translatable("{text!r} is no number of attempts; give a whole number from 0 on", text=text[:20])
        )
    return int(text)


def _ruling(text: str) -> Ruling:
    for known in get_args(Ruling):
        if text == known:
            found: Ruling = known
            return found
    raise ParameterError(translatable("{text!r} is nothing that can be decided about a team", text=text[:20]))


def _of(person: Person | None) -> Person:
    assert person is not None, "organising() lets organisers in only"
    return person
