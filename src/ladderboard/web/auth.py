"""Who sends a request: by bearer token (programs) or by the session's cookie (browsers)."""

from typing import Annotated

from fastapi import Depends, Security
from fastapi.security import HTTPBearer
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.errors import SignInRequiredError
from ladderboard.hosting.identities import SESSION_LASTS, Identities
from ladderboard.hosting.roles import Person
from ladderboard.web.cookies import SESSION, cookie_of, drop_cookie, set_cookie
from ladderboard.web.csrf import require_csrf

_bearer = HTTPBearer(auto_error=False, description="A token made by `POST /api/v1/tokens`.")
"""For the API's description; the header is read below, so that a wrong one is refused and not passed over."""


async def anyone(request: Request, _: Annotated[object, Security(_bearer)]) -> Person | None:
    """Who is there, for the API: None without credentials; raises `SignInRequiredError` for wrong ones."""
    given = request.headers.get("authorization")
    if given is not None:
        return await _of_token(request, given)
    if cookie_of(request, SESSION) is None:
        return None
    # A browser sends its cookies also with requests that another site made up.
    require_csrf(request)
    return await visitor(request)


async def signed_in(person: Annotated[Person | None, Depends(anyone)]) -> Person:
    """Somebody; raises `SignInRequiredError` where nobody is signed in."""
    if person is None:
        raise SignInRequiredError("sign in first, or send `Authorization: Bearer <token>`")
    return person


async def visitor(request: Request) -> Person | None:
    """Who reads a page, by the cookie alone. Forms must be checked with `require_csrf` as well."""
    secret = cookie_of(request, SESSION)
    if secret is None:
        return None
    identities: Identities = request.app.state.identities
    return _noted(request, await run_in_threadpool(identities.person_of_session, secret))


Anyone = Annotated[Person | None, Depends(anyone)]
SignedIn = Annotated[Person, Depends(signed_in)]
MaybeVisitor = Annotated[Person | None, Depends(visitor)]


def begin_session(request: Request, response: Response, secret: str) -> None:
    """Let the browser keep a session that `Identities.begin_session` has made."""
    set_cookie(request, response, SESSION, secret, SESSION_LASTS)


def end_session(request: Request, response: Response) -> None:
    """End the browser's session, here and in the database."""
    secret = cookie_of(request, SESSION)
    if secret is not None:
        identities: Identities = request.app.state.identities
        identities.end_session(secret)
    drop_cookie(request, response, SESSION)


async def _of_token(request: Request, header: str) -> Person:
    scheme, _, secret = header.partition(" ")
    if scheme.lower() != "bearer" or not secret.strip():
        raise SignInRequiredError("send `Authorization: Bearer <token>`; other kinds are not known here")
    identities: Identities = request.app.state.identities
    person = await run_in_threadpool(identities.person_of_token, secret.strip())
    if person is None:
        raise SignInRequiredError("this token is unknown, expired or revoked; make a new one")
    _noted(request, person)
    return person


def _noted(request: Request, person: Person | None) -> Person | None:
    """Kept with the request: the account's id for its line in the log, the person for an error's page."""
    if person is not None:
        request.state.account_id = person.id
        request.state.person = person
    return person
