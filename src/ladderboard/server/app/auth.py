"""Who sends a request: by bearer token (programs) or by the session's cookie (browsers).

Cookies cannot be read by scripts and other sites, and are bound to this host over https. Forms have a token against
cross-site request forgery: with a session it is derived from the session's secret, which no script and no other site
can read; without one (signing in) it is the value of a cookie of its own, sent twice. Requests with a bearer token need
none: no browser adds that by itself.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Annotated, Any

from fastapi import Depends, Security
from fastapi.security import HTTPBearer
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import ForbiddenError, SignInRequiredError
from ladderboard.server.db.database import Database
from ladderboard.server.people import identities
from ladderboard.server.people.roles import Action, Person, require
from ladderboard.server.services import Services
from ladderboard.server.settings import Settings

SESSION = "session"


def read_cookie(request: Request, name: str) -> str | None:
    """The value of one of our cookies; None where it is missing or empty."""
    return request.cookies.get(_name_cookie(request, name)) or None


def set_cookie(request: Request, response: Response, name: str, value: str, lasts: timedelta | None = None) -> None:
    """Give the browser a cookie; ``lasts`` None: until it is closed."""
    response.set_cookie(
        _name_cookie(request, name),
        value,
        max_age=None if lasts is None else int(lasts.total_seconds()),
        path="/",
        secure=_is_secure(request),
        httponly=True,
        samesite="lax",
    )


def drop_cookie(request: Request, response: Response, name: str) -> None:
    """Take a cookie away."""
    response.delete_cookie(
        _name_cookie(request, name), path="/", secure=_is_secure(request), httponly=True, samesite="lax"
    )


def _name_cookie(request: Request, name: str) -> str:
    # Browsers take a cookie of this name only over https, for this very host and for all its paths.
    return f"__Host-{name}" if _is_secure(request) else name


def _is_secure(request: Request) -> bool:
    settings: Settings = request.app.state.services.settings
    return settings.cookies_are_secure


CSRF_COOKIE = "csrf"
CSRF_FIELD = "csrf"
"""The name of the hidden field in every form."""
CSRF_HEADER = "X-CSRF-Token"
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


def csrf_token(request: Request) -> str:
    """The token for the forms of the page that answers ``request``; call `keep_csrf` on the response."""
    session = read_cookie(request, SESSION)
    if session is not None:
        return hashlib.sha256(b"csrf:" + session.encode()).hexdigest()
    held = read_cookie(request, CSRF_COOKIE)
    if held is not None:
        return held
    if not hasattr(request.state, "new_csrf"):
        request.state.new_csrf = secrets.token_urlsafe(32)
    return str(request.state.new_csrf)


def keep_csrf(request: Request, response: Response) -> None:
    """Set the cookie that belongs to a token `csrf_token` has just created."""
    if hasattr(request.state, "new_csrf"):
        set_cookie(request, response, CSRF_COOKIE, request.state.new_csrf)


def require_csrf(request: Request, given: str | None = None) -> None:
    """Raise `ForbiddenError` for an unsafe request without the token, from the form's field or the header."""
    if request.method in SAFE_METHODS:
        return
    token = given if given is not None else request.headers.get(CSRF_HEADER, "")
    is_foreign = request.headers.get("sec-fetch-site") in ("cross-site", "same-site")
    if is_foreign or not hmac.compare_digest(csrf_token(request).encode(), token.encode()):
        raise ForbiddenError("this form is too old or was not sent from our page; reload the page", reason="csrf")


bearer = HTTPBearer(auto_error=False, description="A token made by `POST /api/v1/tokens`.")
"""For the API's description; the header is read below, so that a wrong one is refused and not passed over."""


@dataclass(frozen=True)
class RequestCredentials:
    """The credentials of a request: a program's token, or a browser's session."""

    secret: str = field(repr=False)
    is_token: bool

    def owner(self, database: Database) -> Person | None:
        """Whose they are, asking the database; None for a session that has ended.

        Raises `SignInRequiredError` for a token that is unknown.
        """
        if not self.is_token:
            return identities.find_person_by_session(database, self.secret)
        person = identities.find_person_by_token(database, self.secret)
        if person is None:
            raise SignInRequiredError("this token is unknown, expired or revoked; create a new one")
        return person


def read_credentials(request: Request) -> RequestCredentials | None:
    """What a request to the API shows; raises where it cannot be right, without asking the database."""
    given = request.headers.get("authorization")
    if given is not None:
        scheme, _, secret = given.partition(" ")
        if scheme.lower() != "bearer" or not secret.strip():
            raise SignInRequiredError("send `Authorization: Bearer <token>`; no other scheme is supported")
        return RequestCredentials(secret.strip(), is_token=True)
    session = read_cookie(request, SESSION)
    if session is None:
        return None
    # A browser sends its cookies also with requests that another site made up.
    require_csrf(request)
    return RequestCredentials(session, is_token=False)


async def find_person(request: Request, _: Annotated[object, Security(bearer)]) -> Person | None:
    """The person behind an API request: None without credentials; raises `SignInRequiredError` for wrong ones."""
    return await _owner(request, read_credentials(request))


async def require_person(person: Annotated[Person | None, Depends(find_person)]) -> Person:
    """The signed-in person; raises `SignInRequiredError` if there is none."""
    return require_signed_in(person)


def require_signed_in(person: Person | None) -> Person:
    """The person; raises `SignInRequiredError` where there is none."""
    if person is None:
        raise SignInRequiredError("sign in first, or send `Authorization: Bearer <token>`")
    return person


async def visitor(request: Request) -> Person | None:
    """Who reads a page, by the cookie alone. Forms must be checked with `require_csrf` as well."""
    secret = read_cookie(request, SESSION)
    return await _owner(request, None if secret is None else RequestCredentials(secret, is_token=False))


Anyone = Annotated[Person | None, Depends(find_person)]
SignedIn = Annotated[Person, Depends(require_person)]
MaybeVisitor = Annotated[Person | None, Depends(visitor)]


def requires(action: Action) -> Any:
    """What the routes of a competition depend on that only those may take who may do ``action`` there."""

    async def check(slug: str, request: Request, person: SignedIn) -> None:
        services: Services = request.app.state.services
        require(person, action, services.competition(slug).rules)

    return Depends(check)


def begin_session(request: Request, response: Response, secret: str) -> None:
    """Let the browser keep a session that `identities.begin_session` has made."""
    set_cookie(request, response, SESSION, secret, identities.SESSION_LASTS)


def end_session(request: Request, response: Response) -> None:
    """End the browser's session, here and in the database."""
    secret = read_cookie(request, SESSION)
    if secret is not None:
        identities.end_session(request.app.state.services.database, secret)
    drop_cookie(request, response, SESSION)


def note_person(request: Request, person: Person) -> None:
    """Keep with the request: the account's id for its line in the log, the person for an error's page."""
    request.state.account_id = person.id
    request.state.person = person


async def _owner(request: Request, credentials: RequestCredentials | None) -> Person | None:
    if credentials is None:
        return None
    person = await run_in_threadpool(credentials.owner, request.app.state.services.database)
    if person is not None:
        note_person(request, person)
    return person
