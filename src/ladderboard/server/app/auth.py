"""Who sends a request: by bearer token (programs) or by the session's cookie (browsers)."""

from dataclasses import dataclass, field
from typing import Annotated

from fastapi import Depends, Security
from fastapi.security import HTTPBearer
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import SignInRequiredError
from ladderboard.server.app.cookies import SESSION, drop_cookie, read_cookie, set_cookie
from ladderboard.server.app.csrf import require_csrf
from ladderboard.server.db.database import Database
from ladderboard.server.people import identities
from ladderboard.server.people.roles import Person

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
