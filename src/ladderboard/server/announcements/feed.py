"""Announcements as an Atom feed (RFC 4287)."""

from collections.abc import Sequence
from datetime import datetime
from html import escape

from ladderboard.server.announcements.records import AnnouncementBody
from ladderboard.server.app.markdown import render_markdown

MEDIA_TYPE = "application/atom+xml; charset=utf-8"


def write_feed(announcements: Sequence[AnnouncementBody], *, title: str, page: str, since: datetime) -> bytes:
    """Write the feed. ``page``: the address of the announcements' page; ``since``: when an empty feed was begun."""
    updated = announcements[0].posted_at if announcements else since
    entries = "".join(_write_entry(one, page) for one in announcements)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">\n'
        f"<id>{escape(page)}</id>\n<title>{escape(title)}</title>\n<updated>{updated.isoformat()}</updated>\n"
        f"<author><name>{escape(title)}</name></author>\n"
        f'<link rel="self" href="{escape(page)}.atom"/>\n<link rel="alternate" href="{escape(page)}"/>\n'
        f"{entries}</feed>\n"
    ).encode()


def _write_entry(one: AnnouncementBody, page: str) -> str:
    at = one.posted_at.isoformat()
    return (
        f"<entry><id>{escape(page)}#{one.id}</id><title>{escape(one.title)}</title>"
        f"<published>{at}</published><updated>{at}</updated>"
        f'<link rel="alternate" href="{escape(page)}#{one.id}"/>'
        f'<content type="html">{escape(str(render_markdown(one.text)))}</content></entry>\n'
    )
