"""Jinja templates rendered as HTML: autoescaped, strict about unknown names."""

from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, PrefixLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from ladderboard.core.words import pluralise
from ladderboard.server.app import text
from ladderboard.server.app.pages.assets import asset_url
from ladderboard.server.app.pages.visitor import THEMES, Visitor

CSRF_FIELD = "csrf"
SERVER = Path(__file__).parents[2]
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
