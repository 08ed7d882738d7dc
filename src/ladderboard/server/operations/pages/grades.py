"""The gradebook's page: everybody with names, final scores and points by a rule, and files for other systems."""

from dataclasses import dataclass
from urllib.parse import urlencode

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import HostingError, ParameterError
from ladderboard.server.app.api import PREFIX, TheServices
from ladderboard.server.app.pages import Pager, Reader, page_number, pager, show
from ladderboard.server.app.text import sentence
from ladderboard.server.competitions.context import CompetitionContext, require_duty
from ladderboard.server.operations.gradebook import read_grades
from ladderboard.server.operations.points import LONGEST_RULE
from ladderboard.server.operations.records import GradeRow
from ladderboard.server.results.private_scores import find_private_format

router = APIRouter(include_in_schema=False)

ON_A_PAGE = 100


@dataclass(frozen=True)
class GradeLine:
    """A person's row, as text."""

    name: str
    address: str
    person: str
    team: str
    public: str
    private: str
    ranks: str
    attempts: int
    points: str


@dataclass(frozen=True)
class GradesView:
    """The page. ``files``: label and address of each download."""

    rule: str
    lines: tuple[GradeLine, ...]
    total: int
    pager: Pager
    files: tuple[tuple[str, str], ...]
    problem: str = ""


@router.get("/competitions/{slug}/organise/grades")
def grades_page(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """Show the gradebook; a rule that does not work is told, and the rest is shown."""
    context = require_duty(services, slug, person, "oversee")
    rule, problem, status = request.query_params.get("points", "").strip()[: LONGEST_RULE + 1], "", 200
    try:
        rows = read_grades(services.database, slug, rule=rule)
    except (HostingError, ParameterError) as error:
        rows, problem = read_grades(services.database, slug), sentence(str(error))
        status = getattr(error, "status", 422)
    view = _view(context, rows, rule=rule, page=page_number(request), problem=problem)
    head = context.head("Organise")
    return show(request, "operations/grades.html", person, status=status, head=head, grades=view)


def _view(context: CompetitionContext, rows: list[GradeRow], *, rule: str, page: int, problem: str) -> GradesView:
    part = rows[(page - 1) * ON_A_PAGE : page * ON_A_PAGE]
    path = f"{context.path}/organise/grades"
    return GradesView(
        rule=rule,
        lines=tuple(_line(context, row) for row in part),
        total=len(rows),
        pager=pager(path, page=page, pages=-(-len(rows) // ON_A_PAGE), points=rule),
        files=_list_files(context.slug, "" if problem else rule),
        problem=problem,
    )


def _list_files(slug: str, rule: str) -> tuple[tuple[str, str], ...]:
    labels = {"full": "Everything"} | ({"moodle": "For Moodle", "canvas": "For Canvas"} if rule else {})
    points = {"points": rule} if rule else {}
    address = f"{PREFIX}/competitions/{slug}/organise/grades"
    return tuple((label, f"{address}?{urlencode({'layout': layout, **points})}") for layout, label in labels.items())


def _line(context: CompetitionContext, row: GradeRow) -> GradeLine:
    best, worst = row.rank_range_best, row.rank_range_worst
    ranks = "–" if best is None else str(best) if best == worst else f"{best}–{worst}"
    return GradeLine(
        name=row.name or row.person,
        address=row.address or "–",
        person=row.person,
        team="–" if row.team is None else row.team + ("" if row.team_status == "active" else f" ({row.team_status})"),
        public=context.live.score_format.write(row.public_score),
        private=find_private_format(context.live).write(row.private_score),
        ranks=ranks,
        attempts=row.attempts,
        points="–" if row.points is None else f"{row.points:g}",
    )
