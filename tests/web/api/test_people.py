"""Signing up, tokens, sessions and passwords over HTTP."""

from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from ladderboard.server.app.auth import CSRF_HEADER, SESSION
from ladderboard.server.db.database import Database
from ladderboard.server.people import identities
from ladderboard.server.people.accounts import Registry
from tests.web.api.test_frame import error_of
from tests.web.servers import PASSWORD, Server, a_host, serving


def test_a_person_signs_up_makes_a_token_and_is_known_by_it(server: Server) -> None:
    client = server.client()
    answer = client.post("/api/v1/accounts", json={"name": "Ada", "password": PASSWORD})
    assert (answer.status_code, answer.json()["name"], answer.json()["role"]) == (201, "Ada", "participant")
    answer = client.post("/api/v1/tokens", json={"name": "ada", "password": PASSWORD, "label": "laptop", "days": 30})
    assert answer.status_code == 201
    made = answer.json()
    assert made["token"].startswith("lb_")
    assert made["scopes"] == ["read", "submit"]
    assert answer.headers["cache-control"] == "no-store"
    ada = server.client(made["token"])
    me = ada.get("/api/v1/me").json()
    assert (me["name"], me["scopes"], me["teams"]) == ("Ada", ["read", "submit"], [])
    (listed,) = ada.get("/api/v1/tokens").json()["items"]
    assert (listed["label"], "token" in listed) == ("laptop", False)
    assert ada.delete(f"/api/v1/tokens/{made['id']}").status_code == 204
    assert ada.get("/api/v1/me").status_code == 401


def test_a_wrong_password_makes_no_token(server: Server) -> None:
    server.sign_up("Ada")
    answer = server.client().post("/api/v1/tokens", json={"name": "Ada", "password": "wrong horse"})
    assert (answer.status_code, error_of(answer)["code"]) == (401, "sign_in_required")


def test_a_taken_name_is_a_conflict(server: Server) -> None:
    server.sign_up("Ada")
    answer = server.client().post("/api/v1/accounts", json={"name": "ADA", "password": PASSWORD})
    assert (answer.status_code, error_of(answer)["code"]) == (409, "conflict")


def test_a_scope_beyond_the_role_is_forbidden(server: Server) -> None:
    server.sign_up("Ada")
    wish = {"name": "Ada", "password": PASSWORD, "scopes": ["organise"]}
    answer = server.client().post("/api/v1/tokens", json=wish)
    assert (answer.status_code, error_of(answer)["details"]) == (403, {"scope": "organise"})


def test_a_list_comes_in_parts(server: Server) -> None:
    ada = server.sign_up("Ada")
    for number in range(4):
        wish = {"name": "Ada", "password": PASSWORD, "label": f"number {number}"}
        server.client().post("/api/v1/tokens", json=wish)
    seen: list[str] = []
    address: str | None = "/api/v1/tokens?limit=2"
    while address is not None:
        page = ada.get(address).json()
        assert page["total"] == 5
        seen += [one["id"] for one in page["items"]]
        address = page["next"]
    assert len(seen) == len(set(seen)) == 5
    assert seen == sorted(seen, reverse=True)


def test_too_many_tries_are_told_when_to_come_back(server: Server) -> None:
    now = datetime.now(UTC)
    stopped = Database(str(server.services.database.url), clock=lambda: now)
    with serving(a_host(stopped, server.services.settings.data, sign_in_tries_per_minute=2)) as strict:
        server.sign_up("Ada")
        wrong = {"name": "Ada", "password": "wrong horse"}
        answers = [strict.client().post("/api/v1/tokens", json=wrong) for _ in range(3)]
    stopped.close()
    assert [one.status_code for one in answers] == [401, 401, 429]
    assert error_of(answers[2])["code"] == "too_many_requests"
    assert answers[2].headers["retry-after"] == "60"
    assert error_of(answers[2])["details"] == {"retry_after": 60}


def test_a_lost_password_is_replaced_with_a_code(server: Server) -> None:
    ada = server.sign_up("Ada")
    code = Registry(server.app.state.accounts).make_reset_code("Ada")
    wish = {"code": code, "password": "battery staple", "revoke_tokens": True}
    assert server.client().post("/api/v1/accounts/reset", json=wish).json()["name"] == "Ada"
    assert ada.get("/api/v1/me").status_code == 401
    assert server.sign_in("Ada", password="battery staple").get("/api/v1/me").status_code == 200
    again = server.client().post("/api/v1/accounts/reset", json=wish)
    assert (again.status_code, error_of(again)["code"]) == (403, "forbidden")


def test_the_own_password_is_changed_with_the_old_one(server: Server) -> None:
    ada = server.sign_up("Ada")
    wrong = {"password": "wrong horse", "new_password": "battery staple"}
    assert ada.put("/api/v1/me/password", json=wrong).status_code == 401
    right = {"password": PASSWORD, "new_password": "battery staple"}
    assert ada.put("/api/v1/me/password", json=right).status_code == 204
    server.sign_in("Ada", password="battery staple")


def test_sign_up_by_code_is_refused_without_one(server: Server) -> None:
    with serving(a_host(server.services.database, server.services.settings.data, sign_up="code")) as closed:
        wish: dict[str, Any] = {"name": "Ada", "password": PASSWORD}
        assert closed.client().post("/api/v1/accounts", json=wish).status_code == 403
        wish["code"] = Registry(closed.app.state.accounts).make_sign_up_code(uses=1)
        assert closed.client().post("/api/v1/accounts", json=wish).status_code == 201


# -- browsers ---------------------------------------------------------------------------------------------------------


def a_browser(server: Server, name: str) -> tuple[httpx.Client, str]:
    """Somebody with a session: a client with its cookie, and the token that our own pages know."""
    import hashlib

    server.sign_up(name)
    account = server.app.state.accounts.sign_in(name, PASSWORD)
    secret = identities.begin_session(server.services.database, account)
    return server.client(cookies={SESSION: secret}), hashlib.sha256(b"csrf:" + secret.encode()).hexdigest()


def test_a_session_reads_the_api_but_changes_nothing_without_the_pages_token(server: Server) -> None:
    browser, token = a_browser(server, "Ada")
    assert browser.get("/api/v1/me").json()["name"] == "Ada"
    team = {"name": "Engines"}
    refused = [
        browser.post("/api/v1/competitions/pets/teams", json=team),
        browser.post("/api/v1/competitions/pets/teams", json=team, headers={CSRF_HEADER: "wrong"}),
        browser.post(
            "/api/v1/competitions/pets/teams", json=team, headers={CSRF_HEADER: token, "Sec-Fetch-Site": "cross-site"}
        ),
    ]
    for answer in refused:
        assert (answer.status_code, error_of(answer)["details"]) == (403, {"reason": "csrf"})
    made = browser.post("/api/v1/competitions/pets/teams", json=team, headers={CSRF_HEADER: token})
    assert made.status_code == 201


def test_a_bearer_token_needs_no_token_of_a_page(server: Server) -> None:
    ada = server.sign_up("Ada")
    assert ada.post("/api/v1/competitions/pets/teams", json={"name": "Engines"}).status_code == 201


def test_an_ended_session_is_nobody(server: Server) -> None:
    browser, _ = a_browser(server, "Ada")
    identities.end_session(server.services.database, browser.cookies[SESSION])
    assert browser.get("/api/v1/me").status_code == 401
    assert browser.get("/api/v1/competitions").status_code == 200


@pytest.mark.parametrize("base_url", ["", "https://board.example.org"])
def test_cookies_are_for_this_host_alone_where_there_is_https(server: Server, base_url: str) -> None:
    from starlette.requests import Request
    from starlette.responses import Response

    from ladderboard.server.app.auth import begin_session, read_cookie

    with serving(a_host(server.services.database, server.services.settings.data, base_url=base_url)) as secure:
        response, scope = Response(), {"type": "http", "app": secure.app, "headers": []}
        begin_session(Request(scope), response, "secret")
        cookie = response.headers["set-cookie"]
        name = "__Host-session" if base_url else "session"
        sent = {**scope, "headers": [(b"cookie", f"{name}=secret".encode())]}
        headers = secure.client().get("/healthz").headers
        assert cookie.startswith(f"{name}=secret; HttpOnly; Max-Age=2592000; Path=/; SameSite=lax")
        assert ("Secure" in cookie) == bool(base_url)
        assert read_cookie(Request(sent), SESSION) == "secret"
        assert ("strict-transport-security" in headers) == bool(base_url)
