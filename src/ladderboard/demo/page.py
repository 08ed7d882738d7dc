"""The demo's page: this board beside one that shows every score, and a button that ends the competition."""

from dataclasses import dataclass
from pathlib import Path

from fastapi import APIRouter, Depends, FastAPI
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.demo import guess_page
from ladderboard.demo.boards import ATTACKER, read_rows
from ladderboard.demo.digits import SLUG, load_digits
from ladderboard.demo.guessing import Games
from ladderboard.demo.simulation import ORGANISER, PARTICIPANT, PASSWORD, READY_FILE
from ladderboard.server import lifecycle
from ladderboard.server.app.api import TheServices
from ladderboard.server.app.pages import Reader, go, read_checked_form, show
from ladderboard.server.boards.board_page import read_board_page
from ladderboard.server.competitions.context import CompetitionContext, read_context
from ladderboard.server.people.roles import require
from ladderboard.server.results.finalizing import finalize, read_board
from ladderboard.server.results.private_scores import find_private_format
from ladderboard.server.services import Services

router = APIRouter(include_in_schema=False)
MOST_ROWS = 100


@dataclass(frozen=True)
class DemoBoardRow:
    """A row of one of the two boards; ``truth`` is the private score, empty before the end."""

    rank: int
    team: str
    value: str
    truth: str
    is_attacker: bool


@dataclass(frozen=True)
class Story:
    """The content of the demo's page."""

    ours: tuple[DemoBoardRow, ...]
    theirs: tuple[DemoBoardRow, ...]
    attacker: str
    attempts: int
    our_rank: int
    their_rank: int
    is_over: bool
    may_finish: bool
    board: str
    ready_file: str
    organiser: str = ORGANISER
    participant: str = PARTICIPANT
    password: str = PASSWORD


def add_demo(app: FastAPI, folder: Path) -> None:
    """Add the page to ``app``; ``folder`` is the demo's."""
    app.state.demo_folder = folder
    competition = app.state.services.competition(SLUG).competition
    app.state.demo_games = Games(load_digits(len(competition.solution.ids)), competition.metric)
    app.include_router(router)
    app.include_router(guess_page.router)


@router.get("/demo")
def demo(request: Request, services: TheServices, person: Reader) -> Response:
    """Show the two boards."""
    context = read_context(services, SLUG, person)
    story = collect_story(services, context, request.app.state.demo_folder)
    return show(request, "site/demo.html", person, head=context.head("The demo"), story=story)


@router.post("/demo/finish", dependencies=[Depends(read_checked_form)])
def finish(services: TheServices, person: Reader) -> Response:
    """Close, finalize and reveal at once, which are three decisions on a real server."""
    require(person, "organise", services.competition(SLUG).rules)
    status = lifecycle.status(services, SLUG)
    if status in ("open", "spent"):
        lifecycle.freeze(services, SLUG)
    if status in ("open", "spent", "closed"):
        finalize(services, SLUG, at_once=True)
    if status != "revealed":
        lifecycle.reveal(services, SLUG)
    return go("/demo")


def collect_story(services: Services, context: CompetitionContext, folder: Path) -> Story:
    """Collect the content of the page."""
    is_over = context.status == "revealed"
    ours, attempts = _list_our_rows(services, context, is_over=is_over)
    theirs = _list_their_rows(folder, is_over=is_over)
    return Story(
        ours=ours,
        theirs=theirs,
        attacker=ATTACKER,
        attempts=attempts,
        our_rank=_find_rank(ours),
        their_rank=_find_rank(theirs),
        is_over=is_over,
        may_finish=context.person is not None and context.person.is_organiser,
        board=f"{context.path}/leaderboard",
        ready_file=str(folder / READY_FILE),
    )


def _list_our_rows(
    services: Services, context: CompetitionContext, *, is_over: bool
) -> tuple[tuple[DemoBoardRow, ...], int]:
    board = read_board_page(services, context.live, page=1, per_page=MOST_ROWS)
    rows = [row for row in board.rows if row.kind == "team"]
    truths = _read_truths(services, context) if is_over else {}
    attempts = sum(row.attempts for row in rows if row.team == ATTACKER)
    lines = tuple(
        DemoBoardRow(
            row.rank or 0,
            row.team,
            context.live.score_format.write(row.value),
            truths.get(row.team, ""),
            row.team == ATTACKER,
        )
        for row in rows
    )
    return lines, attempts


def _read_truths(services: Services, context: CompetitionContext) -> dict[str, str]:
    """The private scores by team, as the results show them."""
    result = read_board(services, SLUG, sees_all=False).result
    scores = find_private_format(context.live)
    return {row["team"]: scores.write(row["value"]) for row in result["rows"]}


def _list_their_rows(folder: Path, *, is_over: bool) -> tuple[DemoBoardRow, ...]:
    rows = read_rows(folder)
    return tuple(
        DemoBoardRow(
            1 + sum(other.public > row.public for other in rows),
            row.team,
            f"{row.public:.3f}",
            f"{row.private:.3f}" if is_over else "",
            row.team == ATTACKER,
        )
        for row in rows
    )


def _find_rank(lines: tuple[DemoBoardRow, ...]) -> int:
    return next((line.rank for line in lines if line.is_attacker), len(lines))
