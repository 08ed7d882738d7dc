"""A team's own submissions: the staircase, one result, notes, the files themselves."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fastapi import APIRouter
from markupsafe import Markup
from sqlalchemy import Row
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.errors import HostingError, ParameterError, SignInRequiredError
from ladderboard.hosting import own_submissions
from ladderboard.hosting.finals import Finals, finals_of, pick_finals
from ladderboard.hosting.host import Host
from ladderboard.hosting.roles import Person, require
from ladderboard.store import histories, submissions
from ladderboard.web import charts
from ladderboard.web.pages.board_views import held
from ladderboard.web.pages.doors import BudgetLine, budget_line
from ladderboard.web.pages.headers import PAGE_HEADERS
from ladderboard.web.pages.paging import Pager, page_number, pager
from ladderboard.web.pages.scene import Scene, metric_title, scene_of
from ladderboard.web.pages.showing import CheckedForm, Reader, go, show
from ladderboard.web.pages.submission_views import NOTE_LENGTH, outcome_of, result_of
from ladderboard.web.parts import TheHost
from ladderboard.web.text import _, counted, decimals_for, score, sentence
from ladderboard.words import said

router = APIRouter(include_in_schema=False)

ON_A_PAGE = 50
MOST_STEPS = 5000
SAID = {"picked": said("Your picks are kept."), "noted": said("The note is kept.")}


@dataclass(frozen=True)
class Line:
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
    is_picked: bool
    is_default: bool


@dataclass(frozen=True)
class Mine:
    """The page of a team's submissions."""

    rows: tuple[Line, ...]
    staircase: Markup
    pager: Pager
    budget: BudgetLine | None
    picks_shown: bool
    picks_open: bool
    picks_sentence: str
    other_picks: tuple[str, ...]
    problem: str = ""
    said: str = ""


@router.get("/competitions/{slug}/submissions")
def mine(request: Request, host: TheHost, person: Reader, slug: str) -> Response:
    """All of the team's submissions, newest first."""
    scene = scene_of(host, slug, _somebody(person))
    view = mine_of(host, scene, page=page_number(request), said=SAID.get(request.query_params.get("said", ""), ""))
    return show(request, "submissions.html", person, head=scene.head("My submissions"), mine=view)


@router.get("/competitions/{slug}/submissions/{submission_id}")
def one(request: Request, host: TheHost, person: Reader, slug: str, submission_id: str) -> Response:
    """The result of one of them."""
    somebody = _somebody(person)
    scene = scene_of(host, slug, somebody)
    row = own_submissions.found(host, slug, somebody, submission_id)
    with host.database.reading() as connection:
        result = result_of(connection, scene, row, is_repeat="again" in request.query_params)
    return show(request, "submission.html", person, head=scene.head("My submissions"), result=result)


@router.get("/competitions/{slug}/submissions/{submission_id}/file")
def file(host: TheHost, person: Reader, slug: str, submission_id: str) -> Response:
    """The file as it was sent, as an attachment under a name of ours: the sender's could be anything."""
    row = own_submissions.found(host, slug, _somebody(person), submission_id)
    name = f"{slug}-{row.number}{_suffix(row.file_name)}"
    headers = {**PAGE_HEADERS, "Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(host.files.read(row.file_digest), media_type="application/octet-stream", headers=headers)


@router.post("/competitions/{slug}/submissions/{submission_id}/note")
def note(host: TheHost, person: Reader, form: CheckedForm, slug: str, submission_id: str) -> Response:
    """Replace the team's note."""
    row = own_submissions.found(host, slug, _somebody(person), submission_id)
    with host.database.transaction() as connection:
        submissions.set_note(connection, row.id, form.text("note")[:NOTE_LENGTH])
    return go(f"/competitions/{slug}/submissions", said="noted")


@router.post("/competitions/{slug}/finals")
def pick(request: Request, host: TheHost, person: Reader, form: CheckedForm, slug: str) -> Response:
    """Keep the team's picks; none: back to the default."""
    scene = scene_of(host, slug, _somebody(person))
    require(person, "submit", scene.hosted.rules, own_team=None if scene.team is None else scene.team.id)
    assert scene.team is not None
    try:
        pick_finals(host, slug, scene.team.id, form.texts("pick"))
    except (HostingError, ParameterError) as error:
        view = mine_of(host, scene, page=1, problem=sentence(str(error)))
        status = error.status if isinstance(error, HostingError) else 422
        return show(request, "submissions.html", person, status=status, head=scene.head("My submissions"), mine=view)
    return go(f"{scene.path}/submissions", said="picked")


def mine_of(host: Host, scene: Scene, *, page: int, problem: str = "", said: str = "") -> Mine:
    """The view of the list."""
    assert scene.person is not None
    offset = (page - 1) * ON_A_PAGE
    rows, total = own_submissions.listed(host, scene.slug, scene.person, offset=offset, limit=ON_A_PAGE)
    told, finals = [], None
    if scene.team is not None:
        with host.database.reading() as connection:
            told = list(histories.told_to(connection, scene.team.id, most=MOST_STEPS))
            if scene.hosted.rules.reveal != "never":
                finals = finals_of(connection, scene.hosted, scene.team)
    picks_open = scene.phase.name not in ("finalized", "revealed")
    return Mine(
        rows=_lines(scene, rows, finals, first=total - offset),
        staircase=_staircase(scene, told),
        pager=pager(f"{scene.path}/submissions", page=page, pages=-(-total // ON_A_PAGE)),
        budget=budget_line(scene.shown.budget),
        picks_shown=finals is not None,
        picks_open=picks_open,
        picks_sentence="" if finals is None else _picks_words(finals, is_open=picks_open),
        other_picks=_picked_elsewhere(finals, rows),
        problem=problem,
        said=said,
    )


def _lines(scene: Scene, rows: Sequence[Row[Any]], finals: Finals | None, *, first: int) -> tuple[Line, ...]:
    decimals = decimals_for(row.release["value"] for row in rows if row.release["value"] is not None)
    default = set() if finals is None or finals.are_picked else {one.id for one in finals.submissions}
    return tuple(
        _line(scene, row, attempt=first - i, decimals=decimals, is_default=row.id in default)
        for i, row in enumerate(rows)
    )


def _line(scene: Scene, row: Row[Any], *, attempt: int, decimals: int, is_default: bool) -> Line:
    outcome, tone = outcome_of(row.release)
    href = f"{scene.path}/submissions/{row.id}"
    return Line(
        id=row.id,
        attempt=attempt,
        href=href,
        received_at=scene.in_zone(row.received_at),
        file_href=f"{href}/file",
        file_name=row.file_name or _("submission"),
        note=row.note,
        outcome=said("late") if row.phase == "late" else outcome,
        tone=tone,
        value=score(row.release["value"], decimals),
        is_picked=row.picked_at is not None,
        is_default=is_default,
    )


def _picked_elsewhere(finals: Finals | None, rows: Sequence[Row[Any]]) -> tuple[str, ...]:
    """Picks that are not on this page of the list, and are to be kept when the form is sent."""
    if finals is None or not finals.are_picked:
        return ()
    here = {row.id for row in rows}
    return tuple(one.id for one in finals.submissions if one.id not in here)


def _picks_words(finals: Finals, *, is_open: bool) -> str:
    if not is_open:
        return _("The private board has been computed; picks can no longer be changed.")
    said = counted(
        "You may pick {n} submission for the private board, which decides in the end.",
        "You may pick up to {n} submissions for the private board, which decides in the end.",
        finals.most,
    )
    default = _("Nothing is picked yet: those marked “by default” would count.")
    return said if finals.are_picked else f"{said} {default}"


def _staircase(scene: Scene, told: list[Row[Any]]) -> Markup:
    hosted = scene.hosted
    shown = held([row.board_value for row in told], hosted=hosted)
    steps = [
        charts.Step(i, row.release["value"], value, row.accepted, row.improved)
        for i, (row, value) in enumerate(zip(told, shown, strict=True), start=1)
    ]
    baseline = hosted.baseline_value if hosted.mechanism.starts_from_baseline else None
    lower = hosted.competition.metric.lower_is_better
    return charts.staircase(steps, metric=metric_title(hosted.rules.metric), lower_is_better=lower, baseline=baseline)


def _somebody(person: Person | None) -> Person:
    if person is None:
        raise SignInRequiredError(said("sign in to see your team's submissions"))
    return person


def _suffix(file_name: str) -> str:
    """The ending of a file that we know, so that it opens again in the same program."""
    known = (".csv.gz", ".csv", ".tsv", ".txt", ".gz", ".zip", ".parquet")
    return next((ending for ending in known if file_name.lower().endswith(ending)), "")
