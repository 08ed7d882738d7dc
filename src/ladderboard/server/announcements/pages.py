"""The announcements of a competition: a page for everybody, with a form for its staff, and the feed."""

from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import HostingError, ParameterError
from ladderboard.server.announcements import rules
from ladderboard.server.announcements.feed import MEDIA_TYPE, write_feed
from ladderboard.server.announcements.records import AnnouncementBody
from ladderboard.server.announcements.rules import LONGEST_TITLE
from ladderboard.server.app.api import TheServices, tag_response
from ladderboard.server.app.markdown import render_markdown
from ladderboard.server.app.pages import (
    CheckedForm,
    Pager,
    Reader,
    find_site_address,
    go,
    page_number,
    pager,
    read_notice,
    show,
)
from ladderboard.server.app.text import sentence
from ladderboard.server.competitions.context import CompetitionContext, read_context, require_duty
from ladderboard.server.services import Services

router = APIRouter(include_in_schema=False)

ON_A_PAGE = 20
IN_THE_FEED = 50
NOTICES = {"posted": "The announcement is posted.", "removed": "The announcement is removed."}


@dataclass(frozen=True)
class AnnouncementLine:
    """An announcement as a page shows it."""

    id: str
    title: str
    text: Markup
    at: datetime


@dataclass(frozen=True)
class AnnouncementsView:
    """The page. ``title`` and ``text``: what was typed and refused."""

    base: str
    lines: tuple[AnnouncementLine, ...]
    pager: Pager
    title: str = ""
    text: str = ""
    notice: str = ""
    problem: str = ""
    longest_title: int = LONGEST_TITLE


@router.get("/competitions/{slug}/announcements")
def announcements_page(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """Show the announcements, newest first."""
    return _show(request, services, read_context(services, slug, person), notice=read_notice(request, NOTICES))


@router.post("/competitions/{slug}/announcements")
def post(request: Request, services: TheServices, person: Reader, form: CheckedForm, slug: str) -> Response:
    """Post an announcement; a refused one stays in the form."""
    context = require_duty(services, slug, person, "assist")
    title, text = form.text("title"), form.text("text")
    try:
        rules.post(services.database, slug, title, text)
    except (HostingError, ParameterError) as error:
        status = getattr(error, "status", 422)
        return _show(request, services, context, status=status, problem=sentence(str(error)), title=title, text=text)
    return go(f"{context.path}/announcements", notice="posted")


@router.post("/competitions/{slug}/announcements/{announcement_id}/remove")
def remove(services: TheServices, person: Reader, slug: str, announcement_id: str, _form: CheckedForm) -> Response:
    """Remove an announcement."""
    context = require_duty(services, slug, person, "assist")
    rules.remove(services.database, slug, announcement_id)
    return go(f"{context.path}/announcements", notice="removed")


@router.get("/competitions/{slug}/announcements.atom")
def feed(request: Request, services: TheServices, person: Reader, slug: str) -> Response:
    """The newest announcements as a feed, for whoever may see the competition."""
    context = read_context(services, slug, person)
    found, _ = rules.list_announcements(services.database, slug, limit=IN_THE_FEED)
    page = f"{find_site_address(request)}{context.path}/announcements"
    content = write_feed(found, title=context.live.rules.title, page=page, since=context.record.created_at)
    return tag_response(request, content, media_type=MEDIA_TYPE)


def list_newest(services: Services, context: CompetitionContext, *, limit: int) -> tuple[AnnouncementLine, ...]:
    """The newest announcements, as a page shows them."""
    found, _ = rules.list_announcements(services.database, context.slug, limit=limit)
    return tuple(_line(context, one) for one in found)


def _show(
    request: Request,
    services: Services,
    context: CompetitionContext,
    *,
    status: int = 200,
    title: str = "",
    text: str = "",
    notice: str = "",
    problem: str = "",
) -> Response:
    page, base = page_number(request), f"{context.path}/announcements"
    found, total = rules.list_announcements(
        services.database, context.slug, limit=ON_A_PAGE, offset=(page - 1) * ON_A_PAGE
    )
    view = AnnouncementsView(
        base=base,
        lines=tuple(_line(context, one) for one in found),
        pager=pager(base, page=page, pages=-(-total // ON_A_PAGE)),
        title=title,
        text=text,
        notice=notice,
        problem=problem,
    )
    head = context.head("Announcements")
    return show(request, "announcements/list.html", context.person, status=status, head=head, news=view)


def _line(context: CompetitionContext, one: AnnouncementBody) -> AnnouncementLine:
    return AnnouncementLine(one.id, one.title, render_markdown(one.text, top_heading=3), context.in_zone(one.posted_at))
