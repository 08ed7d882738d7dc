"""Metrics, webhooks and export over HTTP: whose they are, and what they tell."""

import io
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ladderboard.server.monitoring.metrics import FOLDER_VARIABLE, ProcessMetrics, share_metrics, write_exposition
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
    metrics = ProcessMetrics()
    for value in (0.005, 0.1, 0.5, 70.0):
        metrics.durations.labels("/x", "GET").observe(value)
    metrics.requests.labels('a"b\\c\nd', "GET", "200").inc(2)
    text = write_exposition(metrics).decode()
    labels = 'method="GET",route="/x"'
    assert f'ladderboard_request_duration_seconds_bucket{{le="0.1",{labels}}} 2.0\n' in text
    assert f'ladderboard_request_duration_seconds_bucket{{le="1.0",{labels}}} 3.0\n' in text
    assert f'ladderboard_request_duration_seconds_bucket{{le="+Inf",{labels}}} 4.0\n' in text
    assert f"ladderboard_request_duration_seconds_count{{{labels}}} 4.0\n" in text
    assert 'route="a\\"b\\\\c\\nd",status="200"} 2.0\n' in text
    assert "# TYPE ladderboard_requests_total counter\n" in text
    assert "_created" not in text


WORKER = """
import sys
from ladderboard.server.monitoring.metrics import ProcessMetrics, write_exposition

metrics = ProcessMetrics()
metrics.requests.labels("/x", "GET", "200").inc(20)
metrics.open.inc()
print("counted", flush=True)
for _ in sys.stdin:
    sys.stdout.write(write_exposition(metrics).decode() + "end\\n")
    sys.stdout.flush()
"""


@contextmanager
def a_worker() -> Iterator["subprocess.Popen[str]"]:
    """A process that has answered 20 requests, is answering one, and writes the metrics whenever it is asked."""
    command = [sys.executable, "-c", WORKER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "counted\n"
        yield process
        process.kill()


def metrics_of(worker: "subprocess.Popen[str]") -> str:
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write("\n")
    worker.stdin.flush()
    return "".join(iter(worker.stdout.readline, "end\n"))


def test_a_worker_answers_for_its_siblings_and_forgets_what_the_dead_had_open() -> None:
    counted = 'ladderboard_requests_total{method="GET",route="/x",status="200"}'
    with share_metrics(), a_worker() as worker, a_worker() as sibling:
        both = metrics_of(worker)
        assert f"{counted} 40.0" in both
        assert "ladderboard_requests_open 2.0" in both
        sibling.kill()
        sibling.wait()
        after = metrics_of(worker)
        assert f"{counted} 40.0" in after, "a counter never falls"
        assert "ladderboard_requests_open 1.0" in after
        folder = Path(os.environ[FOLDER_VARIABLE])
    assert not folder.exists()
    assert FOLDER_VARIABLE not in os.environ


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
