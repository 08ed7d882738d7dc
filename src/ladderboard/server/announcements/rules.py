"""Announcements: posted, listed and removed; what was posted is not changed, so that nobody has read something else."""

import re

from ladderboard.core.errors import ConflictError, NotFoundError, ParameterError
from ladderboard.server.announcements import sql
from ladderboard.server.announcements.records import AnnouncementBody
from ladderboard.server.db.database import Database
from ladderboard.server.db.rows import competitions

LONGEST_TITLE = 120
LONGEST_TEXT = 10_000
MOST = 500
"""Announcements of one competition."""

# What XML 1.0 allows in a document: a feed must be able to carry the text.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def post(database: Database, slug: str, title: str, text: str) -> AnnouncementBody:
    """Post an announcement; raises `ParameterError` for one that is empty, too long or unreadable."""
    title, text = " ".join(title.split()), text.replace("\r\n", "\n").strip()
    _check("title", title, LONGEST_TITLE)
    _check("text", text, LONGEST_TEXT)
    with database.transaction() as connection:
        competitions.get(connection, slug)
        competitions.hold(connection, slug)  # so that ids are in the order of the feed
        if sql.count(connection, slug) >= MOST:
            raise ConflictError(f"there are {MOST} announcements; remove one first")
        return sql.add(connection, slug, title=title, text=text, now=database.now(connection))


def list_announcements(
    database: Database, slug: str, *, limit: int, offset: int = 0
) -> tuple[list[AnnouncementBody], int]:
    """List announcements, newest first, and count all of them."""
    with database.reading() as connection:
        found = sql.list_announcements(connection, slug, limit=limit, offset=offset)
        return found, sql.count(connection, slug)


def remove(database: Database, slug: str, announcement_id: str) -> None:
    """Remove an announcement; feed readers may keep it."""
    with database.transaction() as connection:
        if not sql.remove(connection, slug, announcement_id):
            raise NotFoundError("there is no such announcement")


def _check(word: str, value: str, longest: int) -> None:
    if not value:
        raise ParameterError(f"the {word} of the announcement is missing")
    if len(value) > longest:
        raise ParameterError(f"the {word} of the announcement has {len(value):,} characters; write at most {longest:,}")
    if _FORBIDDEN.search(value):
        raise ParameterError(f"the {word} of the announcement has a control character; remove it")
