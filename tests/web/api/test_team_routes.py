"""Teams over HTTP, as two or three people use them."""

from urllib.parse import quote

import httpx

from tests.web.api.test_frame import error_of
from tests.web.servers import Server

PETS = "/api/v1/competitions/pets"


def found(client: httpx.Client, name: str) -> None:
    answer = client.post(f"{PETS}/teams", json={"name": name})
    assert answer.status_code == 201, answer.text


def test_a_team_is_made_joined_renamed_and_left(server: Server) -> None:
    ada, bob = server.sign_up("Ada"), server.sign_up("Bob")
    made = ada.post(f"{PETS}/teams", json={"name": "Zoë & Co 50 %"})
    assert (made.status_code, [one["name"] for one in made.json()["members"]]) == (201, ["Ada"])
    team = f"{PETS}/teams/{quote('ZOË & co 50 %', safe='')}"
    assert ada.get(team).json() == ada.get(f"{PETS}/team").json() == made.json()
    assert ada.get("/api/v1/me").json()["teams"] == [
        {"competition": "pets", "team": "Zoë & Co 50 %", "status": "active"}
    ]
    invitation = ada.post(f"{team}/invitations", json={}).json()
    assert invitation["link"] == f"{server.url}/competitions/pets/team?join={invitation['code']}"
    assert [one["id"] for one in ada.get(f"{team}/invitations").json()["items"]] == [invitation["id"]]
    joined = bob.post("/api/v1/invitations/accept", json={"code": invitation["code"]})
    assert [one["name"] for one in joined.json()["members"]] == ["Ada", "Bob"]
    assert bob.patch(team, json={"name": "Engines"}).json()["id"] == made.json()["id"]
    assert bob.delete(f"{PETS}/team").status_code == 204
    assert bob.get(f"{PETS}/team").status_code == 404
    assert error_of(bob.post(f"{PETS}/team/return"))["code"] == "conflict"


def test_the_address_under_a_competition_still_takes_codes_and_tells_nothing(server: Server) -> None:
    ada, bob = server.sign_up("Ada"), server.sign_up("Bob")
    found(ada, "Engines")
    code = ada.post(f"{PETS}/teams/Engines/invitations", json={}).json()["code"]
    wrong = bob.post(f"{PETS}/invitations/accept", json={"code": "wrong"})
    unknown = bob.post("/api/v1/competitions/nothing/invitations/accept", json={"code": code})
    assert (wrong.status_code, wrong.json()) == (unknown.status_code, unknown.json())
    assert wrong.status_code == 404
    assert bob.post(f"{PETS}/invitations/accept", json={"code": code}).status_code == 200


def test_nothing_of_another_team_is_shown(server: Server) -> None:
    ada, eve = server.sign_up("Ada"), server.sign_up("Eve")
    found(ada, "Engines")
    found(eve, "Spies")
    invitation = ada.post(f"{PETS}/teams/Engines/invitations", json={}).json()
    attempts = [
        eve.get(f"{PETS}/teams/Engines"),
        eve.patch(f"{PETS}/teams/Engines", json={"name": "Mine"}),
        eve.post(f"{PETS}/teams/Engines/invitations", json={}),
        eve.get(f"{PETS}/teams/Engines/invitations"),
        eve.delete(f"{PETS}/teams/Engines/invitations/{invitation['id']}"),
        eve.post(f"{PETS}/teams/Engines/merge", json={"code": "x"}),
    ]
    nobody = eve.get(f"{PETS}/teams/Nobody")
    assert nobody.status_code == 404
    for answer in attempts:
        assert (answer.status_code, answer.json()) == (404, nobody.json())
    assert eve.put(f"{PETS}/teams/Engines/status", json={"status": "disqualified"}).status_code == 403
    assert server.client().get(f"{PETS}/teams/Engines").status_code == 401


def test_two_teams_become_one(server: Server) -> None:
    ada, bob = server.sign_up("Ada"), server.sign_up("Bob")
    found(ada, "Engines")
    found(bob, "Looms")
    offer = bob.post(f"{PETS}/teams/Looms/invitations", json={"kind": "merge"}).json()
    merged = ada.post(f"{PETS}/teams/Engines/merge", json={"code": offer["code"]})
    assert (merged.status_code, len(merged.json()["members"])) == (200, 2)
    assert bob.get(f"{PETS}/team").json()["name"] == "Engines"


def test_an_organiser_rules_about_teams_and_sees_them(server: Server) -> None:
    ada, olga = server.sign_up("Ada"), server.organiser()
    found(ada, "Engines")
    assert olga.get(f"{PETS}/teams/Engines").json()["members"][0]["name"] == "Ada"
    ruled = olga.put(f"{PETS}/teams/Engines/status", json={"status": "withdrawn", "reason": "asked for it"})
    assert ruled.json()["status"] == "withdrawn"
    assert ada.get(f"{PETS}/team").json()["status"] == "withdrawn"
    assert error_of(ada.patch(f"{PETS}/teams/Engines", json={"name": "New"}))["details"] == {"status": "withdrawn"}
    empty = olga.post(f"{PETS}/teams", json={"name": "Guests"})
    assert (empty.status_code, empty.json()["members"]) == (201, [])


def test_a_token_that_only_reads_changes_no_team(server: Server) -> None:
    server.sign_up("Ada")
    reading = server.sign_in("Ada", scopes=["read"])
    answer = reading.post(f"{PETS}/teams", json={"name": "Engines"})
    assert (answer.status_code, error_of(answer)["details"]) == (403, {"scope": "submit"})
