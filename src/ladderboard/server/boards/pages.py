"""The leaderboard, and the board that other sites may embed."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from fastapi import APIRouter
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from ladderboard.server.app.api import TheServices, is_held
from ladderboard.server.app.pages import Pager, Reader, make_visitor, page_number, pager, show
from ladderboard.server.app.rendering import PAGE_HEADERS, Visitor, environment, make_embed_headers, render, theme_named
from ladderboard.server.boards.board_page import BoardCache
from ladderboard.server.boards.views import LONGEST_QUERY, ON_A_PAGE, build_table, format_range
from ladderboard.server.competitions.context import CompetitionContext, read_context
from ladderboard.server.services import Services
from ladderboard.server.submissions.own_submissions import read_place

router = APIRouter(include_in_schema=False)

EMBEDDED_ROWS = 20


@dataclass(frozen=True)
class RenderedTable:
    """A page of the board as HTML, the same for all readers."""

    html: Markup
    rows: int
    total: int
    claim: str
    has_ranges: bool

    def __len__(self) -> int:
        return len(self.html)


@dataclass(frozen=True)
class OwnPlace:
    """The place of the reader's own team."""

    rank: str
    range: str
    value: str
    href: str


@dataclass(frozen=True)
class BoardView:
    """The page around the table."""

    rows: int
    claim: str
    has_ranges: bool
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
    """The board's page, with an ETag."""
    context = read_context(services, slug, person)
    page, query = page_number(request), request.query_params.get("q", "").strip()[:LONGEST_QUERY]
    tag = _tag(make_visitor(request, person), context)
    headers = {"ETag": tag, "Cache-Control": "private, no-cache", "Vary": "Cookie"}
    if is_held(request, tag):
        return Response(status_code=304, headers={**PAGE_HEADERS, **headers})
    cache: BoardCache = request.app.state.board_cache
    table = _read_table(cache, services, context, page=page, query=query)
    pages = -(-table.total // ON_A_PAGE)
    if page > max(pages, 1):  # teams left, or the address was typed: the last page is the nearest there is
        page = max(pages, 1)
        table = _read_table(cache, services, context, page=page, query=query)
    path = f"{context.path}/leaderboard"
    view = BoardView(
        rows=table.rows,
        claim=table.claim,
        has_ranges=table.has_ranges,
        query=query,
        csv=f"/api/v1/competitions/{slug}/leaderboard?format=csv",
        pager=pager(path, page=page, pages=pages, q=query),
        tag=tag,
        state=_state(context),
        state_at=_state_at(context),
        may_submit=context.takes_submissions and (person is None or person.may_compete_in(slug)),
    )
    own = _read_own_place(services, context)
    html = table.html if context.team is None else _mark_own(table.html, context.team.id)
    head = context.head("Leaderboard")
    return show(
        request, "boards/leaderboard.html", person, headers=headers, head=head, board=view, board_table=html, own=own
    )


@router.get("/competitions/{slug}/embed")
def embed(request: Request, services: TheServices, slug: str) -> Response:
    """The first rows for other sites to embed: for nobody in particular, without cookies. ``?theme=dark`` or light."""
    context = read_context(services, slug, None)
    table = _read_table(request.app.state.board_cache, services, context, page=1, query="", size=EMBEDDED_ROWS)
    theme = theme_named(request.query_params.get("theme"))
    visitor = Visitor(theme=theme, path=request.url.path)
    content = render(
        "boards/embed.html", visitor, head=context.head(""), board=table, board_table=table.html, href=context.path
    )
    headers = make_embed_headers(services.settings.embed_sites)
    return HTMLResponse(content, headers={**headers, "Cache-Control": "public, max-age=15"})


def _read_table(
    cache: BoardCache,
    services: Services,
    context: CompetitionContext,
    *,
    page: int,
    query: str,
    size: int = ON_A_PAGE,
) -> RenderedTable:
    """A page of the board as HTML; kept until the board changes, but for searches."""

    def draw() -> RenderedTable:
        table = build_table(services, context, page=page, query=query, size=size)
        html = environment().get_template("parts/board_table.html").render(board=table)
        made = Markup(html)  # noqa: S704  # by our template
        return RenderedTable(made, len(table.rows), table.total, table.claim, table.has_ranges)

    if query:
        return draw()
    version = context.record.board_version, context.live.scoring_version
    return cache.get((context.slug, page, size), version, draw)


def _mark_own(table: Markup, team_id: str) -> Markup:
    """The table with the reader's own row marked."""
    named = Markup('data-team="{}"').format(team_id)
    return table.replace(named, named + Markup(" data-own"), 1)


def _read_own_place(services: Services, context: CompetitionContext) -> OwnPlace | None:
    if context.team is None:
        return None
    place = read_place(services, context.live, context.team)
    if place.rank is None:
        return None
    href = f"{context.path}/leaderboard?q={quote(context.team.name)}"
    value = context.live.score_format.write(context.team.board_value)
    return OwnPlace(f"{place.rank:,}", format_range(place), value, href)


def _state(context: CompetitionContext) -> str:
    """What this board is before it moves and once it no longer does."""
    if context.status == "upcoming":
        return "Submissions open on"
    if context.status == "spent":
        return "This test set is spent: it gives no more scores, and the board stays as it is."
    if context.status == "revealed":
        return "This is the public board as it stood at the end. The results decide."
    if context.status in ("closed", "finalized"):
        return "The competition is closed, and this board no longer moves."
    return ""


def _state_at(context: CompetitionContext) -> datetime | None:
    opens = context.live.rules.opens
    return context.in_zone(opens) if opens is not None and context.status == "upcoming" else None


def _tag(visitor: Visitor, context: CompetitionContext) -> str:
    """The page's ETag: the board's version and all that differs between readers."""
    today = None if context.team is None else context.live.day(context.now)  # what is left of the quota goes by the day
    parts = (visitor, context.record.board_version, context.status, context.team, today, context.live.scoring_version)
    return f'"{hashlib.sha256(repr(parts).encode()).hexdigest()[:24]}"'
