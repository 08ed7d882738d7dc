"""The demo's second page: the visitor guesses, and watches two boards."""

import secrets
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.demo.boards import ATTACKER, read_rows
from ladderboard.demo.digits import SLUG
from ladderboard.demo.guess_picture import draw_game
from ladderboard.demo.guessing import MOST_GUESSES, Game, Games, GuesserStanding
from ladderboard.server.app.api import TheServices
from ladderboard.server.app.auth import read_cookie, set_cookie
from ladderboard.server.app.pages import CheckedForm, Reader, go, show
from ladderboard.server.boards.board_page import read_board_page
from ladderboard.server.competitions.context import read_context

router = APIRouter(include_in_schema=False)
PATH, COOKIE = "/demo/attack", "game"
TIMES = (1, 10, 100, 1000)


def find_key(request: Request) -> str | None:
    """The key of the visitor's game."""
    return read_cookie(request, COOKIE)


Key = Annotated[str | None, Depends(find_key)]


@router.get(PATH)
def attack(request: Request, services: TheServices, person: Reader, key: Key) -> Response:
    """Show both boards as they are for the visitor."""
    games: Games = request.app.state.demo_games
    game = None if key is None else games.find(key)
    context = read_context(services, SLUG, person)
    rows = read_board_page(services, context.live, page=1, per_page=100).rows
    honest = [row.value for row in rows if row.kind == "team" and row.team != ATTACKER and row.value is not None]
    others = [row.public for row in read_rows(request.app.state.demo_folder) if row.team != ATTACKER]
    played = game if game is not None and game.guesses else None
    return show(
        request,
        "site/attack.html",
        person,
        head=context.head("The demo"),
        guesses=0 if played is None else played.guesses,
        ours=None if played is None else GuesserStanding.among(played.ours, honest),
        theirs=None if played is None else GuesserStanding.among(played.theirs, others),
        picture="" if played is None else draw_game(played),
        times=[] if played is not None and played.guesses >= MOST_GUESSES else TIMES,
        most=MOST_GUESSES,
    )


@router.post(PATH)
def guess(request: Request, form: CheckedForm, key: Key) -> Response:
    """Guess as often as the button says; without a number begin anew."""
    times = form.text("times")
    answer = go(PATH)
    if times not in map(str, TIMES):
        key = None
    if key is None:
        key = secrets.token_urlsafe(16)
        set_cookie(request, answer, COOKIE, key)
    game: Game = request.app.state.demo_games.find(key)
    if times in map(str, TIMES):
        game.guess(int(times))
    return answer
