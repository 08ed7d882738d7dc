"""What page routes share: the visitor, HTML responses, checked forms, redirects, links below a long list."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode, urlsplit

from fastapi import Depends
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse

from ladderboard.server.app.auth import CSRF_FIELD, MaybeVisitor, csrf_token, keep_csrf, require_csrf
from ladderboard.server.app.rendering import PAGE_HEADERS, THEME_COOKIE, Visitor, render, theme_named
from ladderboard.server.people.roles import Person
from ladderboard.server.settings import Settings

SEE_OTHER = 303
MOST_NEXT = 2000


def make_visitor(request: Request, person: Person | None) -> Visitor:
    """The visitor who sent ``request``."""
    query = f"?{request.url.query}" if request.url.query else ""
    return Visitor(
        name=None if person is None else person.name,
        is_organiser=person is not None and person.is_organiser,
        csrf=csrf_token(request),
        theme=theme_named(request.cookies.get(THEME_COOKIE)),
        path=request.url.path + query,
    )


def show(
    request: Request,
    template: str,
    person: Person | None,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **view: Any,
) -> Response:
    """An HTML response. It is private and never cached: it may hold a name, a score or a secret."""
    content = render(template, make_visitor(request, person), **view)
    answer = HTMLResponse(content, status, headers={**PAGE_HEADERS, "Cache-Control": "no-store", **(headers or {})})
    keep_csrf(request, answer)
    return answer


def stream_page(request: Request, parts: AsyncIterator[str]) -> Response:
    """An HTML response in parts, as private as one of `show`; whoever leaves gets no further part computed."""
    headers = {**PAGE_HEADERS, "Cache-Control": "no-store"}
    answer = StreamingResponse(parts, media_type="text/html", headers=headers)
    keep_csrf(request, answer)
    return answer


def go(path: str, **query: str) -> Response:
    """A redirect after a form, so that reloading sends nothing again."""
    return RedirectResponse(path + (f"?{urlencode(query)}" if query else ""), SEE_OTHER, headers=PAGE_HEADERS)


def find_site_address(request: Request) -> str:
    """The site's own address."""
    settings: Settings = request.app.state.services.settings
    return settings.base_url.rstrip("/") or str(request.base_url).rstrip("/")


def keep_own_path(given: str | None, *, default: str = "/") -> str:
    r"""Keep the path that a form leads to, if that is a page of this site; else ``default``.

    >>> [keep_own_path(path) for path in ("/competitions/a?x=1", "//evil.example/", "/\\evil.example", None)]
    ['/competitions/a?x=1', '/', '/', '/']
    """
    text = (given or "")[:MOST_NEXT]
    if not text.startswith("/") or text.startswith("//") or any(ord(c) < 33 or c == "\\" for c in text):
        return default
    parts = urlsplit(text)
    return default if parts.scheme or parts.netloc else text


class Form:
    """The fields of a form with a valid CSRF token."""

    def __init__(self, fields: FormData) -> None:
        self._fields = fields

    def text(self, name: str) -> str:
        """A field's text; empty where it is missing or a file."""
        value = self._fields.get(name)
        return value if isinstance(value, str) else ""

    def has(self, name: str) -> bool:
        """Whether the form has this field."""
        return name in self._fields

    def texts(self, name: str) -> list[str]:
        """All values of a field that may come several times."""
        return [value for value in self._fields.getlist(name) if isinstance(value, str)]


async def read_checked_form(request: Request) -> Form:
    """The form; raises `ForbiddenError` where its CSRF token is missing or wrong."""
    form = Form(await request.form(max_files=0))
    require_csrf(request, form.text(CSRF_FIELD))
    return form


CheckedForm = Annotated[Form, Depends(read_checked_form)]
Reader = MaybeVisitor


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


def read_notice(request: Request, known: Mapping[str, str]) -> str:
    """The message about what was just done, by the word in the address; empty for an unknown word."""
    word = request.query_params.get("notice", "")
    return known.get(word, "")
