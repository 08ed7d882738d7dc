"""Queued submissions over HTTP: the place in the queue, the answer, the page without script, the organiser's list."""

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladderboard.client import Client
from ladderboard.core.errors import NotScoredError
from ladderboard.server.db.database import Database
from ladderboard.server.jobs.records import JobBody
from tests.hosting.competitions import a_file
from tests.hosting.jobs.queued import load_queued, values
from tests.web.pages.readers import Reader
from tests.web.servers import PASSWORD, Server, a_host, serving

BASE = "/competitions/whales"


@pytest.fixture
def server(prepared_sqlite: Path, tmp_path: Path) -> Iterator[Server]:
    path = tmp_path / "server.db"
    shutil.copy(prepared_sqlite, path)
    database = Database(f"sqlite:///{path}")
    with serving(a_host(database, tmp_path, load_queued(tmp_path))) as running:
        yield running
    database.close()


@pytest.fixture
def paused(server: Server, monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """A server that scores nothing before this is set."""
    gate = threading.Event()
    score = server.services.score

    def wait(job: object) -> None:
        assert gate.wait(60)
        score(job)  # type: ignore[arg-type]

    monkeypatch.setattr(server.services, "score", wait)
    return gate


def file_of(server: Server, share: float) -> bytes:
    return a_file(server.services.competition("whales").competition, values(share))


def client_of(server: Server, name: str, *, slug: str = "whales") -> Client:
    client = server.sign_up(name)
    token = client.headers["Authorization"].removeprefix("Bearer ")
    made = Client(server.url, token)
    made.create_team(slug, f"Team {name}")
    return made


def test_the_client_waits_for_its_turn_and_gets_the_answer(server: Server, paused: threading.Event) -> None:
    heard: list[JobBody] = []

    def hear(job: JobBody) -> None:
        heard.append(job)
        paused.set()

    with client_of(server, "ada") as client:
        answer = client.submit("whales", file_of(server, 0.3), told=hear)
        assert heard[0].place == 1
        assert answer.status == "scored"
        assert answer.quota.used == 1
        assert answer.release.attempt == 1
        told = client.submission("whales", answer.id)
        assert told.status == "scored"
        assert client.submit("whales", file_of(server, 0.3)).duplicate


def test_without_waiting_the_place_is_the_answer(server: Server, paused: threading.Event) -> None:
    with client_of(server, "ada") as client:
        first = client.submit("whales", file_of(server, 0.3), wait=False)
        second = client.submit("whales", file_of(server, 0.4), wait=False)
        assert isinstance(first, JobBody)
        assert isinstance(second, JobBody)
        assert (first.place, second.place) == (1, 2)
        assert client.submission("whales", second.id).status == "received"
        paused.set()
        assert client.wait_for("whales", second.id).release.attempt == 2


def test_nobody_sees_the_jobs_of_another_team(server: Server, paused: threading.Event) -> None:
    with client_of(server, "ada") as client:
        job = client.submit("whales", file_of(server, 0.3), wait=False)
    with client_of(server, "bob") as other, pytest.raises(Exception, match="there is no such submission"):
        other.submission("whales", job.id)
    answer = server.sign_in("bob").get(f"/api/v1{BASE}/organise/queue")
    assert answer.status_code == 403
    paused.set()


def test_the_organiser_sees_the_queue_and_cancels(server: Server, paused: threading.Event) -> None:
    organiser = server.organiser()
    with client_of(server, "ada") as client:
        job = client.submit("whales", file_of(server, 0.3), wait=False)
        [row] = organiser.get(f"/api/v1{BASE}/organise/queue").json()["items"]
        assert (row["id"], row["team"]) == (job.id, "Team ada")
        assert organiser.post(f"/api/v1{BASE}/organise/queue/{job.id}/cancel").status_code == 204
        assert organiser.post(f"/api/v1{BASE}/organise/queue/{job.id}/cancel").status_code == 409
        with pytest.raises(NotScoredError, match="the organiser has cancelled"):
            client.wait_for("whales", job.id)
        assert organiser.post(f"/api/v1{BASE}/organise/queue/{job.id}/retry").status_code == 204
        paused.set()
        assert client.wait_for("whales", job.id).quota.used == 1


def test_the_page_loads_itself_until_the_result_is_there(server: Server, paused: threading.Event) -> None:
    reader = Reader(server).sign_up("ada").found("Owls", slug="whales")
    page = reader.submit(file_of(server, 0.3), slug="whales")
    assert page.heading in ("In the queue", "Being scored")
    assert '<meta http-equiv="refresh"' in page.html
    assert "Its attempt is counted." in page.text
    mine = reader.open(f"{BASE}/submissions")
    assert "Not scored" in mine.text
    server.organiser("Olga")
    desk = Reader(server).sign_in("Olga").open(f"{BASE}/organise/queue")
    assert "Owls" in desk.text
    paused.set()
    with Client(server.url, server.sign_in("ada", password=PASSWORD).headers["Authorization"][7:]) as client:
        client.wait_for("whales", page.path.rsplit("/", 1)[1])
    done = reader.open(page.path)
    assert done.heading == "Attempt 1"
    assert "http-equiv" not in done.html
