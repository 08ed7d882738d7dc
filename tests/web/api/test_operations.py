"""Metrics, webhooks and export over HTTP: whose they are, and what they tell."""

import io
import json
import os
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladderboard.hosting.operations.metrics import Counter, Family, Histogram, Shelf, exposition, gauge
from ladderboard.web.background import METRICS_FOLDER
from tests.hosting.webhooks.receivers import receiving
from tests.web.api.operated import PETS, competition_of, operated, submit, team_of_one
from tests.web.servers import Server


@pytest.fixture
def server(prepared_sqlite: Path, tmp_path: Path) -> Iterator[Server]:
    with operated(prepared_sqlite, tmp_path, metrics_token="monitor", webhooks_may_reach="127.0.0.1") as running:
        yield running


# -- metrics ----------------------------------------------------------------------------------------------------------


def test_metrics_are_the_organisers_and_the_monitors(server: Server) -> None:
    assert server.client().get("/metrics").status_code == 401
    assert server.client("wrong").get("/metrics").status_code == 401
    assert team_of_one(server, "ada").get("/metrics").status_code == 403
    assert server.client("monitor").get("/metrics").status_code == 200
    assert server.organiser().get("/metrics").status_code == 200


def test_loopback_may_read_metrics_only_if_so_set_and_never_through_a_proxy(
    prepared_sqlite: Path, tmp_path: Path
) -> None:
    with operated(prepared_sqlite, tmp_path, metrics_on_loopback=True) as server:
        assert server.client().get("/metrics").status_code == 200
        passed_on = {"X-Forwarded-For": "203.0.113.9"}
        assert server.client().get("/metrics", headers=passed_on).status_code == 401


def test_metrics_count_requests_by_template_and_tell_no_score(server: Server) -> None:
    told = submit(team_of_one(server, "ada"), competition_of(server), 0.8)
    server.client().get("/no/such/page?secret=1")
    text = server.client("monitor").get("/metrics").text
    assert 'route="/api/v1/competitions/{slug}/submissions",status="201"} 1' in text
    assert 'route="(none)",status="404"} 1' in text
    assert 'ladderboard_submissions{competition="pets"} 1' in text
    assert 'ladderboard_teams{competition="pets"} 1' in text
    assert "secret" not in text
    assert repr(told["release"]["board_value"]) not in re.findall(r" (\S+)\n", text)
    names = re.findall(r"^([a-z_]+)(?:\{| )", text, re.M)
    assert {name for name in names if not name.startswith("ladderboard_")} == set()
    types = re.findall(r"^# TYPE (\S+) ", text, re.M)
    assert len(types) == len(set(types)), "every family is written once"


def test_a_histogram_counts_up_to_everything() -> None:
    histogram, counter = Histogram("h", "Durations.", (0.1, 1.0)), Counter("c", 'With "quotes"\\.')
    for value in (0.05, 0.1, 0.5, 7.0):
        histogram.observe(value, route="/x")
    counter.add(2, name='a"b\\c\nd')
    text = exposition([histogram.family(()), counter.family(()), gauge("g", "A gauge.", 1.5)])
    assert 'h_bucket{route="/x",le="0.1"} 2\n' in text
    assert 'h_bucket{route="/x",le="1"} 3\n' in text
    assert 'h_bucket{route="/x",le="+Inf"} 4\n' in text
    assert 'h_count{route="/x"} 4\n' in text
    assert 'c{name="a\\"b\\\\c\\nd"} 2\n' in text
    assert text.endswith("g 1.5\n")


def test_a_process_answers_for_its_siblings_and_forgets_the_dead(server: Server, tmp_path: Path) -> None:
    sibling = [Family("ladderboard_requests_total", "counter", "…", (("ladderboard_requests_total", (), 41.0),))]
    # Not on the server's own shelf, on which it lays its counts every few seconds.
    Shelf(tmp_path / "elsewhere").put(sibling)
    own = tmp_path / METRICS_FOLDER / f"{os.getpid()}.json"
    own.parent.mkdir(exist_ok=True)
    (tmp_path / "elsewhere" / own.name).rename(own.with_name(f"{os.getppid()}.json"))
    own.with_name("999999999.json").write_text("[]")
    own.with_name("nonsense.json").write_text("[]")
    assert "ladderboard_requests_total 41" in server.client("monitor").get("/metrics").text
    assert [path.stem for path in own.parent.glob("*.json") if path.stem != str(os.getpid())] == [str(os.getppid())]
    Shelf(own.parent).remove()


# -- webhooks ---------------------------------------------------------------------------------------------------------


def test_an_organiser_makes_a_webhook_and_the_server_delivers_to_it(server: Server) -> None:
    olga, ada = server.organiser(), team_of_one(server, "ada")
    with receiving() as receiver:
        made = olga.post(f"{PETS}/webhooks", json={"url": receiver.url, "events": ["submission"]})
        assert made.status_code == 201
        submit(ada, competition_of(server), 0.8)
        receiver.wait_for(1)
    told = json.loads(receiver.requests[0].body)
    assert (told["event"], told["team"]["name"]) == ("submission", "Team ada")
    [listed] = olga.get(f"{PETS}/webhooks").json()["items"]
    assert made.json()["secret"]
    assert listed["secret"] is None
    hook = listed["id"]
    assert olga.get(f"{PETS}/webhooks/{hook}/deliveries").json()["items"][0]["event"]["number"] == 1
    assert olga.delete(f"{PETS}/webhooks/{hook}").status_code == 204
    assert olga.get(f"{PETS}/webhooks").json()["items"] == []


def test_webhooks_are_the_organisers(server: Server) -> None:
    for client, status in ((server.client(), 401), (team_of_one(server, "ada"), 403)):
        assert client.get(f"{PETS}/webhooks").status_code == status
        assert client.post(f"{PETS}/webhooks", json={"url": "https://example.org/"}).status_code == status
        assert client.delete(f"{PETS}/webhooks/x").status_code == status
        assert client.get(f"{PETS}/webhooks/x/deliveries").status_code == status


@pytest.mark.parametrize(
    "body", [{"url": "ftp://example.org/"}, {"url": "https://example.org/", "events": ["nonsense"]}, {}, {"url": 1}]
)
def test_a_webhook_that_cannot_work_is_refused(server: Server, body: dict[str, object]) -> None:
    assert server.organiser().post(f"{PETS}/webhooks", json=body).status_code == 422


# -- export -----------------------------------------------------------------------------------------------------------


def test_an_organiser_downloads_the_export_and_nobody_else(server: Server) -> None:
    ada = team_of_one(server, "ada")
    submit(ada, competition_of(server), 0.8)
    assert server.client().get(f"{PETS}/export").status_code == 401
    assert ada.get(f"{PETS}/export").status_code == 403
    answer = server.organiser().get(f"{PETS}/export", params={"format": "json", "files": True})
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        [submission] = json.loads(archive.read("submissions.json"))
        assert submission["team"] == "Team ada"
        assert f"files/{submission['file_digest']}" in archive.namelist()
