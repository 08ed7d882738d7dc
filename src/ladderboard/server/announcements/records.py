"""Records of announcements."""

from dataclasses import dataclass

from ladderboard.server.app.records import Time


@dataclass(frozen=True)
class AnnouncementBody:
    """An announcement; ``text`` is Markdown."""

    id: str
    title: str
    text: str
    posted_at: Time
