"""Picking finals, and reading the private board once it is revealed, over HTTP."""

import csv
import io
from datetime import timedelta

import httpx
import pytest

from ladderboard.server import lifecycle
from ladderboard.server.results.finalizing import finalize
from tests.hosting.competitions import a_file, predictions
from tests.web.servers import Server

PETS = "/api/v1/competitions/pets"


def submit(server: Server, client: httpx.Client, share: float, seed: int) -> str:
    competition = server.services.competition("pets").competition
    content = a_file(competition, predictions(competition, share, seed=seed))
    answer = client.post(f"{PETS}/submissions", files={"file": ("mine.csv", content)})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def a_member(server: Server, name: str) -> httpx.Client:
    client = server.sign_up(name)
    assert client.post(f"{PETS}/teams", json={"name": f"team {name}"}).status_code == 201
    return client


def end(server: Server) -> None:
    lifecycle.freeze(server.services, "pets")
    finalize(server.services, "pets", at_once=True)


def test_a_team_sees_and_changes_its_finals(server: Server) -> None:
    ada = a_member(server, "Ada")
    ids = [submit(server, ada, share, seed) for seed, share in enumerate((0.5, 0.7, 0.99))]
    shown = ada.get(f"{PETS}/finals").json()
    assert ([one["id"] for one in shown["submissions"]], shown["are_picked"], shown["most"]) == ([ids[2]], False, 2)
    picked = ada.put(f"{PETS}/finals", json={"submissions": ids[:2]})
    assert picked.status_code == 200
    assert [one["id"] for one in ada.get(f"{PETS}/finals").json()["submissions"]] == ids[:2]
    assert ada.get(f"{PETS}/submissions/{ids[0]}").json()["is_picked"]


def test_nobody_picks_for_another_team(server: Server) -> None:
    ada, ben = a_member(server, "Ada"), a_member(server, "Ben")
    mine = submit(server, ada, 0.8, 1)
    assert ben.put(f"{PETS}/finals", json={"submissions": [mine]}).status_code == 404
    assert server.client().get(f"{PETS}/finals").status_code == 401
    assert server.sign_up("Cleo").get(f"{PETS}/finals").status_code in (404, 409)


@pytest.mark.parametrize(
    "body", [{}, {"submissions": "x"}, {"submissions": [], "more": 1}, {"submissions": ["x"] * 101}]
)
def test_a_body_that_makes_no_sense_is_refused(server: Server, body: dict[str, object]) -> None:
    assert a_member(server, "Ada").put(f"{PETS}/finals", json=body).status_code == 422


def test_too_many_picks_are_refused(server: Server) -> None:
    ada = a_member(server, "Ada")
    ids = [submit(server, ada, 0.6, seed) for seed in range(3)]
    assert ada.put(f"{PETS}/finals", json={"submissions": ids}).status_code == 422


def test_before_the_reveal_there_is_no_private_board_for_anybody_but_the_organiser(server: Server) -> None:
    ada, olga = a_member(server, "Ada"), server.organiser()
    submit(server, ada, 0.9, 1)
    end(server)
    for client in (server.client(), ada):
        answer = client.get(f"{PETS}/private-leaderboard")
        assert (answer.status_code, answer.json()["error"]["code"]) == (404, "not_found")
    shown = olga.get(f"{PETS}/private-leaderboard")
    assert shown.json()["status"] == "finalized"
    assert shown.headers["cache-control"] == "private, no-cache"
    assert ada.put(f"{PETS}/finals", json={"submissions": []}).status_code == 409


def test_after_the_reveal_everybody_reads_it(server: Server) -> None:
    ada, ben = a_member(server, "Ada"), a_member(server, "Ben")
    submit(server, ada, 0.95, 1)
    submit(server, ben, 0.6, 2)
    end(server)
    lifecycle.reveal(server.services, "pets")
    answer = server.client().get(f"{PETS}/private-leaderboard")
    body = answer.json()
    assert [(row["team"], row["rank"], row["rank_range"]) for row in body["items"]] == [
        ("team Ada", 1, {"best": 1, "worst": 1}),
        ("team Ben", 2, {"best": 2, "worst": 2}),
    ]
    assert body["luck"]["winner"] == "team Ada"
    assert body["luck"]["sentence"] in body["statement"]
    held = {"If-None-Match": answer.headers["etag"]}
    assert server.client().get(f"{PETS}/private-leaderboard", headers=held).status_code == 304
    table = server.client().get(f"{PETS}/private-leaderboard?format=csv").text
    assert [row["team"] for row in csv.DictReader(io.StringIO(table))] == ["team Ada", "team Ben"]
    assert server.client().get(f"{PETS}/leaderboard").json()["status"] == "revealed"


def test_the_private_board_appears_by_itself_when_its_time_has_come(server: Server) -> None:
    submit(server, a_member(server, "Ada"), 0.9, 1)
    live = server.services.competition("pets")
    passed = server.services.database.now() - lifecycle.GRACE - timedelta(minutes=1)
    object.__setattr__(live.rules, "deadline", passed)
    object.__setattr__(live.rules, "reveal", "deadline")
    assert server.client().get(f"{PETS}/private-leaderboard").json()["status"] == "revealed"
