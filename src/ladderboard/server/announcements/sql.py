"""The rows of announcements."""

from datetime import datetime

from sqlalchemy import Connection, delete, func, insert, select

from ladderboard.server.announcements.records import AnnouncementBody
from ladderboard.server.db.columns import make_records, new_id
from ladderboard.server.db.schema import announcements


def add(connection: Connection, slug: str, *, title: str, text: str, now: datetime) -> AnnouncementBody:
    """Add an announcement."""
    body = AnnouncementBody(new_id(now), title, text, now)
    connection.execute(
        insert(announcements).values(id=body.id, competition=slug, title=title, text=text, posted_at=now)
    )
    return body


def list_announcements(connection: Connection, slug: str, *, limit: int, offset: int = 0) -> list[AnnouncementBody]:
    """List announcements, newest first."""
    mine = select(announcements).where(announcements.c.competition == slug).order_by(announcements.c.id.desc())
    return make_records(AnnouncementBody, connection.execute(mine.limit(limit).offset(offset)))


def count(connection: Connection, slug: str) -> int:
    """Count announcements."""
    mine = select(func.count()).select_from(announcements).where(announcements.c.competition == slug)
    return int(connection.scalar(mine) or 0)


def remove(connection: Connection, slug: str, announcement_id: str) -> bool:
    """Delete an announcement; False if the competition has no such one."""
    one = (announcements.c.competition == slug) & (announcements.c.id == announcement_id)
    return connection.execute(delete(announcements).where(one)).rowcount == 1
