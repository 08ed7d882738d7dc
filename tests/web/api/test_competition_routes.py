"""Competitions over HTTP: what is listed for whom, and what is told of one."""

import csv
import io
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from ladderboard.competition import Competition
from ladderboard.server.db.database import Database
from tests.hosting.competitions import NOON, a_competition, a_file, predictions
from tests.web.servers import Server, a_host, serving

PETS = "/api/v1/competitions/pets"


def named(slug: str, title: str, **rules: object) -> Competition:
    competition = a_competition()
    return replace(competition, rules=replace(competition.rules, slug=slug, title=title, **rules))  # type: ignore[arg-type]


@pytest.fixture
def several(prepared_sqlite: Path, tmp_path: Path) -> Iterator[Server]:
    """A public, an unlisted and a private competition."""
    path = tmp_path / "server.db"
    shutil.copy(prepared_sqlite, path)
    database = Database(f"sqlite:///{path}")
    competitions = (
        named("c", "Zebras"),
        named("b", "Apes", visibility="unlisted", opens=NOON + timedelta(days=40_000)),
        named("a", "Cats", visibility="private", deadline=NOON - timedelta(days=400)),
    )
    with serving(a_host(database, tmp_path, *competitions)) as running:
        yield running
    database.close()


def titles(server: Server, name: str | None = None) -> list[str]:
    client = server.client() if name is None else server.sign_in(name)
    return [one["title"] for one in client.get("/api/v1/competitions").json()["items"]]


def test_who_sees_which_competition(several: Server) -> None:
    nobody, ada, olga = several.client(), several.sign_up("Ada"), several.organiser()
    assert titles(several) == titles(several, "Ada") == ["Zebras"]
    assert [one["title"] for one in olga.get("/api/v1/competitions").json()["items"]] == ["Apes", "Cats", "Zebras"]
    assert nobody.get("/api/v1/competitions/b").status_code == 200
    hidden, missing = nobody.get("/api/v1/competitions/a"), nobody.get("/api/v1/competitions/zz")
    assert hidden.status_code == missing.status_code == 404
    assert hidden.json()["error"]["message"].replace("'a'", "'zz'") == missing.json()["error"]["message"]
    for path in ("format", "sample-submission", "submissions", "team"):
        assert ada.get(f"/api/v1/competitions/a/{path}").status_code == 404
    assert olga.get("/api/v1/competitions/a").json()["status"] == "closed"
    assert nobody.get("/api/v1/competitions/b").json()["status"] == "upcoming"


def test_a_member_sees_a_private_or_unlisted_competition_in_the_list(several: Server) -> None:
    ada = several.sign_up("Ada")
    assert ada.post("/api/v1/competitions/b/teams", json={"name": "Engines"}).status_code == 201
    assert titles(several, "Ada") == ["Apes", "Zebras"]


def test_a_competition_tells_its_rules_and_nothing_of_its_labels(server: Server) -> None:
    told = server.client().get(PETS).json()
    assert told["metric"] == {"name": "accuracy", "lower_is_better": False, "options": {}, "positive": None}
    assert told["mechanism"]["name"] == "witness_ladder"
    assert told["mechanism"]["instances"] == "team"
    assert (told["status"], told["rows"], told["team"], told["quota"]) == ("open", 400, None, None)
    assert told["baseline"] == server.services.competition("pets").baseline_value
    assert len(told["commitment"]) == 64
    assert not {"labels", "solution", "usage", "secret"} & set(told)


def test_a_member_sees_the_own_quota(server: Server) -> None:
    ada = server.sign_up("Ada")
    ada.post(f"{PETS}/teams", json={"name": "Engines"})
    competition = server.services.competition("pets").competition
    content = a_file(competition, predictions(competition, 0.8))
    answer = ada.post(f"{PETS}/submissions", files={"file": ("mine.csv", content)})
    assert answer.status_code == 201, answer.text
    told = ada.get(PETS).json()
    assert (told["team"], told["quota"]["used"]) == ("Engines", 1)
    assert told["quota"] == answer.json()["quota"]


def test_what_is_held_is_not_sent_again(server: Server) -> None:
    client = server.client()
    for path in (PETS, f"{PETS}/format", f"{PETS}/sample-submission"):
        first = client.get(path)
        again = client.get(path, headers={"If-None-Match": f'"other", {first.headers["etag"]}'})
        assert (first.status_code, again.status_code, again.content) == (200, 304, b"")
        assert client.get(path, headers={"If-None-Match": '"other"'}).status_code == 200
        assert first.headers["cache-control"] == "private, no-cache"


def test_the_sample_submission_is_a_valid_one(server: Server) -> None:
    described = server.client().get(f"{PETS}/format").json()
    sample = server.client().get(f"{PETS}/sample-submission")
    assert sample.headers["content-type"].startswith("text/csv")
    rows = list(csv.reader(io.StringIO(sample.text)))
    assert rows[0] == [described["id_column"], *described["prediction_columns"]]
    assert len(rows) - 1 == described["rows"] == 400
    ada = server.sign_up("Ada")
    ada.post(f"{PETS}/teams", json={"name": "Engines"})
    answer = ada.post(f"{PETS}/submissions", files={"file": ("sample.csv", sample.content)})
    assert answer.status_code == 201


def test_too_many_uploads_are_refused_before_they_are_read(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(
        a_host(server.services.database, server.services.settings.data, a_competition(), uploads_per_minute=2)
    ) as slow:
        monkeypatch.setattr(slow.services.paces.uploads, "_clock", lambda: 0.0)
        ada = slow.sign_up("Ada")
        ada.post(f"{PETS}/teams", json={"name": "Engines"})
        answers = [ada.post(f"{PETS}/submissions", files={"file": ("bad.csv", b"not a table")}) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [422, 422, 429]
    assert answers[2].headers["retry-after"] == "30"


def test_who_is_in_no_team_is_told_to_make_one(server: Server) -> None:
    ada = server.sign_up("Ada")
    answer = ada.post(f"{PETS}/submissions", files={"file": ("mine.csv", b"id,label\n")})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "no_team")
