"""Announcements over the API."""

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import StringConstraints

from ladderboard.server.announcements import rules
from ladderboard.server.announcements.records import AnnouncementBody
from ladderboard.server.announcements.rules import LONGEST_TEXT, LONGEST_TITLE
from ladderboard.server.app.api import Input, Paging, TheServices
from ladderboard.server.app.auth import Anyone, requires
from ladderboard.server.app.errors import errors
from ladderboard.server.app.records import Page
from ladderboard.server.competitions.context import require_sight

router = APIRouter(prefix="/competitions/{slug}/announcements", tags=["announcements"], responses=errors(401, 403, 404))


class NewAnnouncement(Input):
    """An announcement; the text is Markdown."""

    title: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TITLE)]
    text: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_TEXT)]


@router.get("")
def list_all(slug: str, services: TheServices, person: Anyone, part: Paging) -> Page[AnnouncementBody]:
    """List the announcements of a competition, newest first."""
    require_sight(services, slug, person)
    found, total = rules.list_announcements(services.database, slug, limit=part.limit, offset=part.offset)
    return part.page(found, total)


@router.post("", status_code=201, responses=errors(409), dependencies=[requires("assist")])
def post(slug: str, given: NewAnnouncement, services: TheServices) -> AnnouncementBody:
    """Announce something to everybody who sees the competition (teachers and assistants)."""
    return rules.post(services.database, slug, given.title, given.text)


@router.delete("/{announcement_id}", status_code=204, dependencies=[requires("assist")])
def remove(slug: str, announcement_id: Annotated[str, Path(max_length=100)], services: TheServices) -> None:
    """Remove an announcement."""
    rules.remove(services.database, slug, announcement_id)
