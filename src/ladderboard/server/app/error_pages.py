"""Error pages. Programs get JSON instead (`ladderboard.server.app.errors`)."""

import re
from dataclasses import dataclass
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.words import pluralise
from ladderboard.server.app.errors import NOTHING_HERE, ErrorAnswer
from ladderboard.server.app.pages import go, show
from ladderboard.server.app.text import sentence
from ladderboard.server.people.roles import Person


@dataclass(frozen=True)
class Link:
    """A link with its label."""

    label: str
    href: str


@dataclass(frozen=True)
class Fault:
    """The content of an error page."""

    status: int
    title: str
    message: str
    advice: tuple[str, ...]
    links: tuple[Link, ...]
    request_id: str = ""


HOME = Link("All competitions", "/")

_WORDS: dict[int, tuple[str, tuple[str, ...]]] = {
    400: ("This request cannot be read", ("Go back, reload the page and try again.",)),
    403: ("You may not do this", ()),
    404: ("Page not found", ("The address may be mistyped.",)),
    405: (
        "This address does not accept a form",
        ("Open the page and use the form on it.",),
    ),
    409: (
        "That is not possible right now",
        ("Nothing was changed, and no attempt was used.",),
    ),
    413: (
        "This is too large",
        ("Nothing was stored. Compress the file with gzip or zip, or write fewer digits.",),
    ),
    422: (
        "Something in the form is missing or wrong",
        ("Nothing was changed. Go back and try again.",),
    ),
    429: (
        "Too many requests",
        ("Limits protect the test set and the server. Nothing was lost.",),
    ),
    500: (
        "Something went wrong on our side",
        ("It is not your fault. If you were submitting a file, send it again: it is counted only once.",),
    ),
    503: (
        "Not available right now",
        ("Try again in a moment. If you were submitting a file, send it again: it is counted only once.",),
    ),
}


def fault_page(request: Request, problem: ErrorAnswer) -> Response:
    """The page for a problem; redirects to sign-in, and back afterwards, where that is required."""
    if problem.status == 401 and request.method == "GET":
        query = f"?{request.url.query}" if request.url.query else ""
        return go(f"/sign-in?next={quote(request.url.path + query, safe='')}")
    person = getattr(request.state, "person", None)
    title, message, advice = _words(problem, person)
    fault = Fault(
        problem.status,
        title,
        message,
        advice,
        _links(request, problem, person),
        request_id=str(getattr(request.state, "request_id", "")) if problem.status >= 500 else "",
    )
    # Nobody is looked up here, as the error may be that the database is gone; who was found before it is greeted.
    return show(request, "site/error.html", person, status=problem.status, headers=dict(problem.headers), fault=fault)


def _words(problem: ErrorAnswer, person: Person | None) -> tuple[str, str, tuple[str, ...]]:
    """The title, what happened, and what to do about it."""
    if _is_old_form(problem):
        return (
            "This form is too old",
            "Nothing was changed. Go back, reload the page and send it again.",
            (),
        )
    title, advice = _WORDS.get(problem.status, ("This did not work", ()))
    if problem.status == 404 and person is None:
        advice = (*advice, "Some pages are only for members of a competition: sign in to see them.")
    if problem.status == 403 and person is not None:
        advice = ("If you have another account, sign out and sign in with that one.",)
    retry = problem.headers.get("Retry-After")
    if problem.status == 429 and retry is not None:
        advice = (*advice, f"Try again in {_wait(int(retry))}.")
    if problem.code in ("internal_error", "invalid_request", "method_not_allowed") or problem.message == NOTHING_HERE:
        # The message would only repeat the title.
        return title, advice[0], advice[1:]
    return title, sentence(problem.message), advice


def _is_old_form(problem: ErrorAnswer) -> bool:
    return problem.details.get("reason") == "csrf"


def _links(request: Request, problem: ErrorAnswer, person: Person | None) -> tuple[Link, ...]:
    """The links of an error page: to the competition if the reader may see it, and to sign-in."""
    status = problem.status
    found = re.match(r"/competitions/([a-z0-9-]+)(?=/)", request.url.path)
    is_known = found is not None and (status != 404 or _is_public(request, found[1]))
    back = (Link("Back to the competition", found[0]),) if found is not None and is_known and status < 500 else ()
    if person is None and status in (401, 403, 404) and not _is_old_form(problem):
        onwards = f"?next={quote(request.url.path, safe='')}" if request.method == "GET" else ""
        return (*back, HOME, Link("Sign in", f"/sign-in{onwards}"))
    return (*back, HOME)


def _is_public(request: Request, slug: str) -> bool:
    """Whether there is such a competition and everybody may see it."""
    live = request.app.state.services.competitions.get(slug)
    return live is not None and live.rules.visibility != "private"


def _wait(seconds: int) -> str:
    if seconds < 120:
        return pluralise("{n} second", "{n} seconds", seconds)
    if seconds < 7200:
        return pluralise("{n} minute", "{n} minutes", seconds // 60)
    return pluralise("{n} hour", "{n} hours", seconds // 3600)
