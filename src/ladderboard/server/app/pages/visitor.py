"""The visitor of a page: name, role, theme and path."""

from dataclasses import dataclass
from typing import Literal

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
