"""Page links below a long list."""

from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.requests import Request

MOST_PAGES = 1_000_000


@dataclass(frozen=True)
class PageLink:
    """A page; ``href`` None: pages that are left out."""

    label: str
    href: str | None
    current: bool


@dataclass(frozen=True)
class Pager:
    """All the links of a list."""

    number: int
    pages: int
    links: tuple[PageLink, ...]


def page_number(request: Request) -> int:
    """The requested page, from 1; anything invalid means the first."""
    text = request.query_params.get("page", "1")
    return min(max(1, int(text)), MOST_PAGES) if text.isascii() and text.isdecimal() and len(text) < 9 else 1


def pager(path: str, *, page: int, pages: int, **query: str) -> Pager:
    """The links: first, last, neighbours, and an ellipsis between.

    >>> [link.label for link in pager("/", page=5, pages=9).links]
    ['1', '…', '4', '5', '6', '…', '9']
    """
    shown = sorted({1, pages, page - 1, page, page + 1} & set(range(1, pages + 1)))
    links: list[PageLink] = []
    for before, number in zip([0, *shown], shown, strict=False):
        if number - before > 1:
            links.append(PageLink("…", None, current=False))
        asked = urlencode({key: value for key, value in query.items() if value} | {"page": number})
        links.append(PageLink(f"{number:,}", f"{path}?{asked}", current=number == page))
    return Pager(page, pages, tuple(links))
