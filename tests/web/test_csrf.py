"""That a form comes from one of our own pages."""

from types import SimpleNamespace
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from ladderboard.core.errors import ForbiddenError
from ladderboard.server.app.auth import CSRF_COOKIE, CSRF_HEADER, csrf_token, keep_csrf, require_csrf
from ladderboard.server.settings import Settings


def request(method: str = "POST", *, cookies: dict[str, str] | None = None, **headers: str) -> Request:
    """A request as the server sees it."""
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    if cookies:
        sent["cookie"] = "; ".join(f"{name}={value}" for name, value in cookies.items())
    scope: dict[str, Any] = {
        "type": "http",
        "method": method,
        "app": SimpleNamespace(state=SimpleNamespace(services=SimpleNamespace(settings=Settings()))),
        "headers": [(name.lower().encode(), value.encode()) for name, value in sent.items()],
    }
    return Request(scope)


def test_before_signing_in_the_token_is_a_cookie_sent_twice() -> None:
    first = request("GET")
    token, response = csrf_token(first), Response()
    assert csrf_token(first) == token
    keep_csrf(first, response)
    assert response.headers["set-cookie"].startswith(f"{CSRF_COOKIE}={token}; HttpOnly")
    back = request(cookies={CSRF_COOKIE: token})
    require_csrf(back, token)
    # The page that answers now has the same token, and no new cookie.
    assert csrf_token(back) == token
    again = Response()
    keep_csrf(back, again)
    assert "set-cookie" not in again.headers


def test_a_session_has_a_token_of_its_own_that_does_not_show_it() -> None:
    cookies = {"session": "lb_secret", CSRF_COOKIE: "older"}
    token = csrf_token(request(cookies=cookies))
    assert "secret" not in token
    require_csrf(request(cookies=cookies), token)
    require_csrf(request(cookies=cookies, **{CSRF_HEADER: token}))
    assert token != csrf_token(request(cookies={"session": "lb_other"}))


@pytest.mark.parametrize("given", [None, "", "guess", "older", "é"])
@pytest.mark.parametrize("cookies", [{}, {"session": "lb_secret", CSRF_COOKIE: "older"}, {CSRF_COOKIE: "newer"}])
def test_a_form_without_the_token_is_refused(given: str | None, cookies: dict[str, str]) -> None:
    with pytest.raises(ForbiddenError, match="not sent from our page"):
        require_csrf(request(cookies=cookies), given)


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_another_site_sends_is_refused_even_with_the_token(site: str) -> None:
    cookies = {CSRF_COOKIE: "token"}
    with pytest.raises(ForbiddenError):
        require_csrf(request(cookies=cookies, sec_fetch_site=site), "token")
    require_csrf(request(cookies=cookies, sec_fetch_site="same-origin"), "token")


def test_reading_needs_no_token() -> None:
    require_csrf(request("GET"))
