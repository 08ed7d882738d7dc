"""Errors as pages: what happened, what it means, where to go on. Programs get JSON (`ladderboard.web.errors`)."""

import re
from dataclasses import dataclass
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from ladderboard.hosting.roles import Person
from ladderboard.web.errors import Problem
from ladderboard.web.pages.showing import go, show
from ladderboard.web.text import _, sentence


@dataclass(frozen=True)
class Link:
    """Where to go."""

    label: str
    href: str


@dataclass(frozen=True)
class Fault:
    """What an error page says."""

    status: int
    title: str
    message: str
    advice: tuple[str, ...]
    links: tuple[Link, ...]
    request_id: str = ""


SERVER_ERROR = 500
HOME = Link("All competitions", "/")
SIGN_IN = Link("Sign in", "/sign-in")

_WORDS: dict[int, tuple[str, tuple[str, ...]]] = {
    400: ("This cannot be read", ("Go back, load the page again and try once more.",)),
    403: (
        "You may not do this",
        ("With several accounts, sign in with the other one. If a form was open for long, load its page again.",),
    ),
    404: (
        "There is nothing here",
        ("The address may be mistyped. Some pages are for members of a competition only: sign in to see them.",),
    ),
    405: ("This page is not for sending", ("Open it in the ordinary way, and use the form that is on it.",)),
    409: ("Not as things stand now", ("Nothing was changed, and nothing was charged.",)),
    413: ("This is too large", ("Nothing was stored. Compress the file with gzip or zip, or write fewer digits.",)),
    422: ("Something in the form is missing or wrong", ("Nothing was changed. Go back, and try once more.",)),
    429: ("Not so fast", ("Limits protect the test set and the server. Nothing was lost.",)),
    500: ("Something went wrong on our side", ("It is not your fault, and nothing was charged.",)),
    503: ("Not available right now", ("Nothing was charged. Try again in a moment; sending the same file is safe.",)),
}


def fault_page(request: Request, problem: Problem) -> Response:
    """The page for a problem; whoever is not signed in and has to be is sent to sign in, and back afterwards."""
    if problem.status == 401 and request.method == "GET":
        query = f"?{request.url.query}" if request.url.query else ""
        return go(f"/sign-in?next={quote(request.url.path + query, safe='')}")
    title, advice = _WORDS.get(problem.status, ("This did not work", ()))
    retry = problem.headers.get("Retry-After")
    if problem.status == 429 and retry is not None:
        advice = (*advice, f"Try again in {_wait(int(retry))}.")
    person = getattr(request.state, "person", None)
    message = sentence(problem.message)
    if problem.status == SERVER_ERROR:  # its message and the title say the same
        message, advice = _(advice[0]), ()
    fault = Fault(
        problem.status,
        title,
        message,
        advice,
        _links(request, problem.status, person),
        request_id=str(getattr(request.state, "request_id", "")) if problem.status >= 500 else "",
    )
    # Nobody is looked up here, as the error may be that the database is gone; who was found before it is greeted.
    return show(request, "error.html", person, status=problem.status, headers=dict(problem.headers), fault=fault)


def _links(request: Request, status: int, person: Person | None) -> tuple[Link, ...]:
    """Where to go on: back to the competition unless the error is that there is none, and to sign in as somebody."""
    found = re.match(r"/competitions/[a-z0-9-]+(?=/)", request.url.path)
    back = (Link("Back to the competition", found[0]),) if found and status != 404 and status < 500 else ()
    may_help = status in (401, 403) or (status == 404 and person is None)
    return (*back, HOME, SIGN_IN) if may_help else (*back, HOME)


def _wait(seconds: int) -> str:
    if seconds < 120:
        return f"{seconds} seconds"
    return f"{seconds // 60} minutes" if seconds < 7200 else f"{seconds // 3600} hours"
