"""Protection against cross-site request forgery: a token in every form.

With a session it is derived from the session's secret, which no script and no other site can read; without one (signing
in) it is the value of a cookie of its own, sent twice. Requests with a bearer token need none: no browser adds that by
itself.
"""

import hashlib
import hmac
import secrets

from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import ForbiddenError
from ladderboard.server.app.cookies import SESSION, read_cookie, set_cookie

COOKIE = "csrf"
FIELD = "csrf"
"""The name of the hidden field in every form."""
HEADER = "X-CSRF-Token"
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


def csrf_token(request: Request) -> str:
    """The token for the forms of the page that answers ``request``; call `keep_csrf` on the response."""
    session = read_cookie(request, SESSION)
    if session is not None:
        return hashlib.sha256(b"csrf:" + session.encode()).hexdigest()
    held = read_cookie(request, COOKIE)
    if held is not None:
        return held
    if not hasattr(request.state, "new_csrf"):
        request.state.new_csrf = secrets.token_urlsafe(32)
    return str(request.state.new_csrf)


def keep_csrf(request: Request, response: Response) -> None:
    """Set the cookie that belongs to a token `csrf_token` has just created."""
    if hasattr(request.state, "new_csrf"):
        set_cookie(request, response, COOKIE, request.state.new_csrf)


def require_csrf(request: Request, given: str | None = None) -> None:
    """Raise `ForbiddenError` for an unsafe request without the token, from the form's field or the header."""
    if request.method in SAFE_METHODS:
        return
    token = given if given is not None else request.headers.get(HEADER, "")
    is_foreign = request.headers.get("sec-fetch-site") in ("cross-site", "same-site")
    if is_foreign or not hmac.compare_digest(csrf_token(request).encode(), token.encode()):
        raise ForbiddenError("this form is too old or was not sent from our page; reload the page", reason="csrf")
