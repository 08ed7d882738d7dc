"""The organiser's side over HTTP: who may, what happens, what is shown."""

from dataclasses import replace
from pathlib import Path

import httpx
import numpy as np

from ladderboard.competition import load_competition
from ladderboard.server.competitions.schedule import advance_all
from ladderboard.server.db.database import Database
from ladderboard.server.submissions.records import IncomingSubmission
from tests.hosting.competitions import a_competition, a_file, predictions
from tests.hosting.hosts import on_sqlite
from tests.hosting.live import write_folder
from tests.web.servers import Server, a_host, serving

PETS = "/api/v1/competitions/pets"
ORGANISE = f"{PETS}/organise"

ROUTES = [
    ("GET", "/health"),
    ("POST", "/freeze"),
    ("POST", "/unfreeze"),
    ("POST", "/finalize"),
    ("POST", "/finalize?preview=true"),
    ("POST", "/reveal"),
    ("POST", "/rescore?preview=true"),
    ("GET", "/flags"),
    ("GET", "/flags/counts"),
    ("POST", "/flags/x/dismiss"),
    ("PUT", "/teams/x/quota"),
    ("POST", "/baselines"),
]


def a_member(server: Server, name: str) -> httpx.Client:
    client = server.sign_up(name)
    assert client.post(f"{PETS}/teams", json={"name": f"team {name}"}).status_code == 201
    return client


def submit(server: Server, client: httpx.Client, values: object) -> httpx.Response:
    content = a_file(server.services.competition("pets").competition, np.asarray(values))
    return client.post(f"{PETS}/submissions", files={"file": ("mine.csv", content)})


def test_nobody_but_an_organiser_with_the_scope_gets_in(server: Server) -> None:
    nobody, ada = server.client(), server.sign_up("Ada")
    server.organiser()
    without = server.sign_in("Olga", scopes=["read", "submit"])
    for client, status in ((nobody, 401), (ada, 403), (without, 403)):
        answers = {path: client.request(method, ORGANISE + path, json={}).status_code for method, path in ROUTES}
        assert set(answers.values()) == {status}, answers


def test_a_competition_is_frozen_previewed_finalized_and_revealed(server: Server) -> None:
    ada, olga = a_member(server, "Ada"), server.organiser()
    assert submit(server, ada, predictions(a_competition(), 0.9)).status_code == 201
    assert olga.post(f"{ORGANISE}/finalize").status_code == 409
    shown = olga.post(f"{ORGANISE}/finalize?preview=true")
    assert (shown.status_code, shown.json()["status"]) == (200, "open")
    assert olga.post(f"{ORGANISE}/freeze").json() == {"status": "closed"}
    assert submit(server, ada, predictions(a_competition(), 0.95, seed=1)).json()["error"]["code"] == "deadline_passed"
    assert olga.post(f"{ORGANISE}/unfreeze").json() == {"status": "open"}
    assert olga.post(f"{ORGANISE}/freeze").status_code == 200
    assert olga.post(f"{ORGANISE}/reveal").status_code == 409
    assert olga.post(f"{ORGANISE}/finalize").status_code == 409, "what arrived in time may still be in progress"
    final = olga.post(f"{ORGANISE}/finalize?at_once=true").json()
    assert (final["status"], final["items"]) == ("finalized", shown.json()["items"])
    assert olga.post(f"{ORGANISE}/reveal").json() == {"status": "revealed"}
    assert server.client().get(f"{PETS}/private-leaderboard").json()["items"] == final["items"]


def test_the_meter_counts_what_was_told(server: Server) -> None:
    ada, olga = a_member(server, "Ada"), server.organiser()
    before = olga.get(f"{ORGANISE}/health").json()
    assert (before["attempts"], before["bits"], before["hours"]) == (0, 0.0, [])
    submit(server, ada, predictions(a_competition(), 0.9))
    after = olga.get(f"{ORGANISE}/health").json()
    assert (after["attempts"], after["teams"], after["is_spent"]) == (1, 1, False)
    assert after["bits"] == after["largest_bits"] > 0
    assert after["overfit_bound"] > before["overfit_bound"]
    assert [hour["submissions"] for hour in after["hours"]] == [1]


@on_sqlite
def test_flags_are_listed_counted_and_dismissed_and_no_participant_sees_them(
    database: Database, tmp_path: Path
) -> None:
    competition = a_competition(rows=2000)
    with serving(a_host(database, tmp_path, competition)) as server:
        ada, ben, olga = a_member(server, "Ada"), a_member(server, "Ben"), server.organiser()
        values = predictions(competition, 0.9)
        submit(server, ada, values)
        values[7] = 1 - values[7]
        submit(server, ben, values)
        (flag,) = olga.get(f"{ORGANISE}/flags").json()["items"]
        assert (flag["team"], flag["other_team"], flag["kind"]) == ("team Ben", "team Ada", "near_duplicate_of_other")
        assert "another team" in flag["words"]
        counts = olga.get(f"{ORGANISE}/flags/counts").json()["items"]
        assert counts == [{"team": "team Ben", "kind": "near_duplicate_of_other", "number": 1}]
        assert olga.get(f"{ORGANISE}/health").json()["flags"] == 1
        assert olga.post(f"{ORGANISE}/flags/{flag['id']}/dismiss").status_code == 204
        assert olga.get(f"{ORGANISE}/flags").json()["items"] == []
        assert olga.get(f"{ORGANISE}/flags?dismissed=true").json()["total"] == 1
        assert olga.post(f"{ORGANISE}/flags/nothing/dismiss").status_code == 404
        seen = [
            ben.get(f"{PETS}{path}").text for path in ("/submissions", "/leaderboard", "/ledger", "/teams/team Ben")
        ]
        assert not any("near_duplicate" in one for one in seen)


def test_a_baseline_is_on_the_board_and_has_no_rank(server: Server) -> None:
    olga = server.organiser()
    content = a_file(a_competition(), predictions(a_competition(), 0.7))
    answer = olga.post(f"{ORGANISE}/baselines", files={"file": ("b.csv", content)}, data={"name": "Majority"})
    assert (answer.status_code, answer.json()["rank"]) == (201, None)
    (row,) = server.client().get(f"{PETS}/leaderboard").json()["items"]
    assert (row["team"], row["kind"], row["rank"]) == ("Majority", "baseline", None)
    assert olga.post(f"{ORGANISE}/baselines", files={"file": ("b.csv", content)}).status_code == 422


def test_a_team_gets_more_attempts_by_the_organisers_word(server: Server) -> None:
    a_member(server, "Ada")
    olga = server.organiser()
    answer = olga.put(f"{ORGANISE}/teams/team Ada/quota", json={"extra_total": 3, "reason": "an outage"})
    assert answer.json() == {"team": "team Ada", "extra_per_day": 0, "extra_total": 3, "attempts": 0}
    assert olga.put(f"{ORGANISE}/teams/team Ada/quota", json={"extra_total": -1}).status_code == 422
    assert olga.put(f"{ORGANISE}/teams/nobody/quota", json={}).status_code == 404
    assert "quota_granted" in server.client().get(f"{PETS}/ledger").text


@on_sqlite
def test_a_corrected_folder_is_previewed_and_published(database: Database, tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "pets", a_competition())
    other_process = a_host(database, tmp_path, load_competition(folder))
    with serving(a_host(database, tmp_path, load_competition(folder))) as server:
        ada, olga = a_member(server, "Ada"), server.organiser()
        values = predictions(a_competition(), 0.9)
        first = submit(server, ada, values).json()["release"]
        assert olga.post(f"{ORGANISE}/rescore?preview=true").json()["error"]["message"].endswith("nothing to correct")
        (folder / "solution.csv").unlink()
        assert olga.post(f"{ORGANISE}/rescore").status_code == 409
        labels = a_competition().solution.labels.copy()
        labels[:100] = 1 - labels[:100]
        right = replace(a_competition(), solution=replace(a_competition().solution, labels=labels))
        (write_folder(tmp_path / "corrected", right) / "solution.csv").rename(folder / "solution.csv")
        shown = olga.post(f"{ORGANISE}/rescore?preview=true").json()
        assert (shown["submissions"], shown["scoring_version"]) == (1, 2)
        assert olga.post(f"{ORGANISE}/rescore").json() == shown
        again = submit(server, ada, values).json()
        assert again["duplicate"]
        assert again["release"] != first
        services = server.services
        content = a_file(right, predictions(right, 0.97, seed=4))
        attempt = IncomingSubmission(ada.get(f"{PETS}/teams/team Ada").json()["id"], content, services.database.now())
        assert services.referee.submit(services.competition("pets"), attempt).status == 201
    assert other_process.competition("pets").scoring_version == 1
    advance_all(other_process)
    assert other_process.competition("pets").scoring_version == 2
    assert np.array_equal(other_process.competition("pets").competition.solution.labels, labels)
