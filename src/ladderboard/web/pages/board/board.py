"""The leaderboard and the board that other sites may frame."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from urllib.parse import quote
from weakref import WeakKeyDictionary

from fastapi import APIRouter
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from ladderboard.hosting.boards.standings import place_of
from ladderboard.hosting.live_competition import LiveCompetition
from ladderboard.hosting.services import Services
from ladderboard.web.dependencies import TheServices
from ladderboard.web.etags import is_held
from ladderboard.web.pages._shared.headers import EMBED_HEADERS, PAGE_HEADERS
from ladderboard.web.pages._shared.paging import Pager, page_number, pager
from ladderboard.web.pages._shared.rendering import environment, render
from ladderboard.web.pages._shared.responses import Reader, show, visitor_of
from ladderboard.web.pages._shared.visitor import Visitor, theme_named
from ladderboard.web.pages.board.board_views import (
    LONGEST_QUERY,
    MOST_ROWS,
    ON_A_PAGE,
    BoardPart,
    BoardRow,
    Remembered,
    board_part,
    range_of,
)
from ladderboard.web.pages.competition.context import CompetitionContext, context_of
from ladderboard.web.text import _, score, spoken

router = APIRouter(include_in_schema=False)

EMBEDDED_ROWS = 20
MOST_TABLES = 256

Table = tuple[BoardPart, Markup]
_tables: WeakKeyDictionary[LiveCompetition, Remembered[Table]] = WeakKeyDictionary()
"""For each competition that is being served, as long as it is."""


@dataclass(frozen=True)
class OwnPlace:
    """Where the reader's own team stands."""

    rank: str
    range: str
    value: str
    href: str


@dataclass(frozen=True)
class BoardView:
    """The page around the table."""

    rows: tuple[BoardRow, ...]
    claim: str
    query: str
    csv: str
    pager: Pager
    tag: str
    state: str
    state_at: datetime | None
    """The time that ends the sentence."""
    may_submit: bool


@router.get("/competitions/{slug}/leaderboard")
def leaderboard(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """The board; asked again by its ETag it says in a few bytes that nothing has changed."""
    context = context_of(services, slug, person)
    page, query = page_number(request), request.query_params.get("q", "").strip()[:LONGEST_QUERY]
    tag = _tag(visitor_of(request, person), context)
    headers = {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": "Cookie, Accept-Language"}
    if is_held(request, tag):
        return Response(status_code=304, headers={**PAGE_HEADERS, **headers})
    part, table = _table(services, context, page=page, query=query)
    pages = -(-part.total // ON_A_PAGE)
    if page > max(pages, 1):  # teams left, or the address was typed: the last page is the nearest there is
        page = max(pages, 1)
        part, table = _table(services, context, page=page, query=query)
    path = f"{context.path}/leaderboard"
    view = BoardView(
        rows=part.rows,
        claim=part.claim,
        query=query,
        csv=f"/api/v1/competitions/{slug}/leaderboard?format=csv",
        pager=pager(path, page=page, pages=pages, q=query),
        tag=tag,
        state=_state(context),
        state_at=_state_at(context),
        may_submit=context.takes_submissions and (person is None or person.role == "participant"),
    )
    own = _own(services, context)
    if context.team is not None:
        table = _marked(table, context.team.id)
    head = context.head("Leaderboard")
    return show(request, "leaderboard.html", person, headers=headers, head=head, board=view, board_table=table, own=own)


@router.get("/competitions/{slug}/embed")
def embed(request: Request, services: TheServices, slug: str) -> Response:
    """The first rows for other sites to frame: for nobody in particular, without cookies. ``?theme=dark`` or light."""
    context = context_of(services, slug, None)
    part, table = _table(services, context, page=1, query="", size=EMBEDDED_ROWS)
    theme = theme_named(request.query_params.get("theme"))
    visitor = Visitor(theme=theme, language=spoken(), path=request.url.path)
    content = render("embed.html", visitor, head=context.head(""), board=part, board_table=table, href=context.path)
    return HTMLResponse(
        content, headers={**EMBED_HEADERS, "Cache-Control": "public, max-age=15", "Vary": "Accept-Language"}
    )


def _table(services: Services, context: CompetitionContext, *, page: int, query: str, size: int = ON_A_PAGE) -> Table:
    """A part of the board and its HTML; remembered until the board changes, searches apart."""
    language = spoken()
    kept: Remembered[Table] = _tables.setdefault(context.live, Remembered(MOST_TABLES))
    key = (context.version, page, language, size)
    known = None if query else kept.get(key)
    if known is not None:
        return known
    with services.database.reading() as connection:
        part = board_part(connection, context, page=page, query=query, size=size)
    rows = Markup("\n".join(_drawn(row, language) for row in part.rows))  # noqa: S704
    drawn = Markup(environment(language).get_template("parts/board_table.html").render(board=part, rows=rows))  # noqa: S704
    return (part, drawn) if query else kept.put(key, (part, drawn))


@lru_cache(maxsize=MOST_ROWS)
def _drawn(row: BoardRow, language: str) -> Markup:
    """A row's HTML; most rows of a page stay as they are when the board changes."""
    return Markup(environment(language).get_template("parts/board_row.html").render(row=row))  # noqa: S704


def _marked(table: Markup, team_id: str) -> Markup:
    """The table with the reader's own row marked."""
    named = Markup('data-team="{}"').format(team_id)
    return table.replace(named, named + Markup(" data-own"), 1)


def _own(services: Services, context: CompetitionContext) -> OwnPlace | None:
    if context.team is None:
        return None
    with services.database.reading() as connection:
        place = place_of(connection, context.live, context.team)
    if place.rank is None:
        return None
    href = f"{context.path}/leaderboard?q={quote(context.team.name)}"
    return OwnPlace(f"{place.rank:,}", range_of(place), score(context.team.board_value), href)


def _state(context: CompetitionContext) -> str:
    """What this board is before it moves and once it no longer does."""
    if context.phase.name == "upcoming":
        return _("Submissions are scored from")
    if context.phase.name == "spent":
        return _("This test set is spent: it tells no more numbers, and the board stands as it is.")
    if context.phase.name == "revealed":
        return _("This is the public board as it stood at the end. The results decide.")
    if context.phase.name in ("closed", "finalized"):
        return _("The competition is closed, and this board no longer moves.")
    return ""


def _state_at(context: CompetitionContext) -> datetime | None:
    opens = context.live.rules.opens
    return context.in_zone(opens) if opens is not None and context.phase.name == "upcoming" else None


def _tag(visitor: Visitor, context: CompetitionContext) -> str:
    """What the page stands for: the board's version and all that makes one reader's page differ from another's."""
    own = None if context.team is None else (context.team.id, context.team.name)
    quota = None if context.shown.quota is None else context.shown.quota.left
    parts = (visitor, context.version, context.phase.name, context.teams, own, quota, context.live.scoring_version)
    return f'"{hashlib.sha256(repr(parts).encode()).hexdigest()[:24]}"'
