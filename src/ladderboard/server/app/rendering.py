"""Pages as HTML: templates, autoescaped and strict about unknown names; assets addressed by content; safe headers."""

import hashlib
import mimetypes
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from ladderboard.core.words import pluralise
from ladderboard.drawing.look import LOOK
from ladderboard.server.app import text
from ladderboard.server.app.auth import CSRF_FIELD

SERVER = Path(__file__).parents[1]
STATIC = SERVER / "app" / "static"
STYLE = "ladderboard.css"
"""Our look, and what the server's pages add to it."""
FOREVER = "public, max-age=31536000, immutable"


@dataclass(frozen=True)
class Asset:
    """One file of ``static/``."""

    name: str
    content: bytes
    media_type: str
    digest: str

    @property
    def url(self) -> str:
        return f"/static/{self.name}?v={self.digest}"


@lru_cache(maxsize=1)
def assets() -> dict[str, Asset]:
    """Every asset by name. Nothing else is served, so no path can lead elsewhere."""
    files = {path.name: path.read_bytes() for path in sorted(STATIC.iterdir()) if path.is_file()}
    files[STYLE] = LOOK.read_bytes() + b"\n" + files[STYLE]
    return {name: _address(name, content) for name, content in files.items()}


def asset_url(name: str) -> str:
    """The address of an asset; it changes with the content."""
    return assets()[name].url


def _address(name: str, content: bytes) -> Asset:
    media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
    if media_type.startswith("text/"):
        media_type += "; charset=utf-8"
    return Asset(name, content, media_type, hashlib.blake2s(content, digest_size=6).hexdigest())


Theme = Literal["auto", "light", "dark"]
THEMES: tuple[Theme, ...] = ("auto", "light", "dark")
THEME_COOKIE = "theme"


@dataclass(frozen=True)
class Visitor:
    """A signed-in person, or somebody who is not signed in (``name`` is None)."""

    name: str | None = None
    is_organiser: bool = False
    csrf: str = ""
    theme: Theme = "auto"
    path: str = "/"
    """The page being read, with its query: where a form leads back to."""

    @property
    def is_signed_in(self) -> bool:
        return self.name is not None


def theme_named(text: str | None) -> Theme:
    """The theme that a cookie or form names; auto where it names none.

    >>> theme_named("dark"), theme_named("<script>")
    ('dark', 'auto')
    """
    return next((theme for theme in THEMES if theme == text), "auto")


_POLICY = {
    "default-src": "'self'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "connect-src": "'self'",
    "font-src": "'none'",
    "object-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
}


def content_security_policy(**changes: str) -> str:
    """The policy; a page may change a directive, with underscores for hyphens.

    >>> content_security_policy(frame_ancestors="*").split("; ")[-1]
    'frame-ancestors *'
    """
    policy = _POLICY | {name.replace("_", "-"): value for name, value in changes.items()}
    return "; ".join(f"{name} {value}" for name, value in policy.items())


PAGE_HEADERS = {
    "Content-Security-Policy": content_security_policy(),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}

PICTURE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "private, no-cache",
}
"""Of a picture in a description. It is asked for again each time, since a competition may become private."""


def make_embed_headers(sites: str) -> dict[str, str]:
    """The headers of the board that these sites may frame (setting ``embed_sites``). It has no cookies.

    >>> make_embed_headers("https://lab.example.org, https://*.example.com")["Content-Security-Policy"].split("; ")[-1]
    'frame-ancestors https://lab.example.org https://*.example.com'
    """
    named = " ".join(site.strip() for site in sites.split(",") if site.strip()) or "'none'"
    return {
        "Content-Security-Policy": content_security_policy(frame_ancestors=named, form_action="'none'"),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
    }


TEMPLATES = SERVER / "app" / "templates"
"""What pages share. The pages of a feature are in its own folder, and named after it: ``boards/leaderboard.html``."""


def render(template: str, visitor: Visitor, **context: Any) -> str:
    """The page's HTML; ``context`` holds its view under the names the template uses."""
    return environment().get_template(template).render(visitor=visitor, **context)


@lru_cache(maxsize=1)
def environment() -> Environment:
    """The environment of all templates."""
    made = Environment(
        loader=ChoiceLoader([FileSystemLoader(TEMPLATES), PrefixLoader(_list_features())]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.do"],
        auto_reload=False,
    )
    made.globals.update(asset=asset_url, csrf=csrf_field, when=render_time, themes=THEMES, pluralise=pluralise)
    made.filters.update(
        size=text.size,
        duration=text.duration,
        count=lambda number: f"{number:,}",
        mark_code=mark_code,
    )
    return made


def _list_features() -> dict[str, FileSystemLoader]:
    return {
        folder.parent.name: FileSystemLoader(folder) for folder in SERVER.glob("*/templates") if folder != TEMPLATES
    }


@pass_context
def csrf_field(context: Context) -> Markup:
    """The hidden field with the CSRF token that every form has."""
    return Markup('<input type="hidden" name="{}" value="{}">').format(CSRF_FIELD, context["visitor"].csrf)


def mark_code(words: str) -> Markup:
    """Text whose parts between backticks are code.

    >>> print(mark_code("send `a<b`"))
    send <code>a&lt;b</code>
    """
    parts = words.split("`")
    marked = (Markup("<code>{}</code>").format(part) if i % 2 else escape(part) for i, part in enumerate(parts))
    return Markup("").join(marked)


def render_time(at: datetime, *, short: bool = False) -> Markup:
    """A time element in the zone of ``at``; a small script rewrites it in the reader's own.

    >>> from datetime import UTC
    >>> render_time(datetime(2027, 3, 1, 18, 0, tzinfo=UTC))
    Markup('<time datetime="2027-03-01T18:00:00+00:00">1 March 2027, 18:00 UTC</time>')
    """
    exact, written = at.isoformat(timespec="seconds"), escape(text.moment(at))
    if short:
        brief = escape(text.short_moment(at))
        return Markup(f'<time datetime="{exact}" data-short title="{written}">{brief}</time>')  # noqa: S704
    return Markup(f'<time datetime="{exact}">{written}</time>')  # noqa: S704
