"""A private competition answers strangers as one that does not exist, on every route."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from fastapi.routing import APIRoute

from ladderboard.server.app import errors
from ladderboard.server.app.routes import PAGES
from ladderboard.server.db.database import Database
from ladderboard.server.submissions.queues import UploadPaces
from tests.hosting.competitions import a_competition
from tests.web.servers import Server, a_host, serving

HIDDEN, ABSENT = "hidden", "absent"
VALUES = {"slug": "{slug}", "submission_id": "0" * 26, "team_id": "0" * 26, "digest": "0" * 64}


@pytest.fixture
def server(prepared_sqlite: Path, tmp_path: Path) -> Iterator[Server]:
    path = tmp_path / "server.db"
    shutil.copy(prepared_sqlite, path)
    database = Database(f"sqlite:///{path}")
    competition = a_competition()
    hidden = replace(competition, rules=replace(competition.rules, slug=HIDDEN, visibility="private"))
    with serving(a_host(database, tmp_path, hidden)) as running:
        yield running
    database.close()


def routes_of(server: Server) -> list[tuple[str, str]]:
    """Every method and path of a competition, with {slug} left in it."""
    paths = server.client().get("/api/v1/openapi.json").json()["paths"]
    found = {(method.upper(), path) for path, methods in paths.items() for method in methods}
    pages = [route for router in PAGES for route in router.routes if isinstance(route, APIRoute)]
    found |= {(method, route.path) for route in pages for method in route.methods or ()}
    return sorted(
        (method, re.sub(r"{(\w+)(:\w+)?}", lambda one: VALUES.get(one[1], "x"), path))
        for method, path in found
        if "{slug}" in path
    )


def ask(client: httpx.Client, method: str, path: str, slug: str) -> tuple[int, str]:
    """The status and the body, without what differs from one request to the next."""
    body = None if method in ("GET", "HEAD") else {"name": "Engines", "x": 1}
    answer = client.request(method, path.format(slug=slug), json=body)
    said = re.sub(r'(value|content|nonce)="[\w.-]{20,}"', "", answer.text.replace(slug, "SLUG"))
    return answer.status_code, said


WRONG = "lb_" + "x" * 43
"""A token that nobody has."""


@pytest.mark.parametrize("who", ["nobody", "stranger", "wrong token"])
def test_nobody_learns_that_a_private_competition_exists(
    server: Server, who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(errors, "DENIAL_SECONDS", 1e-6)
    client = server.sign_up("Ada") if who == "stranger" else server.client(WRONG if who == "wrong token" else None)
    routes = [one for one in routes_of(server) if who != "wrong token" or one[0] == "GET"]
    assert len(routes) > (30 if who == "wrong token" else 60)
    differing = [
        (method, path, hidden[0], absent[0])
        for method, path in routes
        if (hidden := ask(client, method, path, HIDDEN)) != (absent := ask(client, method, path, ABSENT))
    ]
    assert not differing


def test_a_code_finds_its_private_competition_and_a_wrong_one_tells_nothing(server: Server) -> None:
    olga, ada, eve = server.organiser(), server.sign_up("Ada"), server.sign_up("Eve")
    teams = f"/api/v1/competitions/{HIDDEN}/teams"
    olga.post(teams, json={"name": "Engines"})
    used, revoked, unserved = (olga.post(f"{teams}/Engines/invitations", json={}).json() for _ in range(3))
    olga.delete(f"{teams}/Engines/invitations/{revoked['id']}")

    def accept(client: httpx.Client, code: str) -> httpx.Response:
        return client.post("/api/v1/invitations/accept", json={"code": code})

    joined = accept(ada, used["code"])
    assert (joined.status_code, joined.json()["competition"]) == (200, HIDDEN)
    answers = [accept(eve, code) for code in ("wrong", used["code"], revoked["code"])]
    server.services.competitions.pop(HIDDEN)
    answers.append(accept(eve, unserved["code"]))
    assert {(one.status_code, one.text) for one in answers} == {(404, answers[0].text)}
    assert HIDDEN not in answers[0].text


@pytest.mark.parametrize("name", ["Q", "x" * 41])
def test_a_team_name_that_cannot_be_is_not_judged_for_strangers(server: Server, name: str) -> None:
    client = server.sign_up("Ada")
    for slug in (HIDDEN, ABSENT):
        assert client.post(f"/api/v1/competitions/{slug}/teams", json={"name": name}).status_code == 404
        assert client.patch(f"/api/v1/competitions/{slug}/teams/x", json={"name": name}).status_code == 404


def test_uploads_to_a_competition_that_is_not_there_use_up_the_pace_too(server: Server) -> None:
    client = server.sign_up("Ada")
    vars(server.services)["paces"] = UploadPaces(uploads=2, seconds=60, clock=lambda: 0.0)

    def send(slug: str) -> int:
        return client.post(f"/api/v1/competitions/{slug}/submissions", files={"file": b"id,label"}).status_code

    assert [send(ABSENT), send(HIDDEN), send(ABSENT)] == [404, 404, 429]


def test_every_denial_is_sent_at_the_same_pace(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    client, elapsed = server.sign_up("Ada"), list[float]()

    def note(seconds: float) -> float:
        elapsed.append(seconds)
        return 0.0

    monkeypatch.setattr(errors, "compute_wait", note)
    for path in ("", "/leaderboard", "/ledger", "/submissions"):
        for slug in (HIDDEN, ABSENT):
            assert client.get(f"/api/v1/competitions/{slug}{path}").status_code == 404
    assert len(elapsed) == 8
