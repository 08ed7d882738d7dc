"""Cookies that scripts and other sites cannot read, bound to this host over https."""

from datetime import timedelta

from starlette.requests import Request
from starlette.responses import Response

from ladderboard.server.settings import Settings

SESSION = "session"


def read_cookie(request: Request, name: str) -> str | None:
    """The value of one of our cookies; None where it is missing or empty."""
    return request.cookies.get(_name(request, name)) or None


def set_cookie(request: Request, response: Response, name: str, value: str, lasts: timedelta | None = None) -> None:
    """Give the browser a cookie; ``lasts`` None: until it is closed."""
    response.set_cookie(
        _name(request, name),
        value,
        max_age=None if lasts is None else int(lasts.total_seconds()),
        path="/",
        secure=_is_secure(request),
        httponly=True,
        samesite="lax",
    )


def drop_cookie(request: Request, response: Response, name: str) -> None:
    """Take a cookie away."""
    response.delete_cookie(_name(request, name), path="/", secure=_is_secure(request), httponly=True, samesite="lax")


def _name(request: Request, name: str) -> str:
    # Browsers take a cookie of this name only over https, for this very host and for all its paths.
    return f"__Host-{name}" if _is_secure(request) else name


def _is_secure(request: Request) -> bool:
    settings: Settings = request.app.state.services.settings
    return settings.cookies_are_secure
