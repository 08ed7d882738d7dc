"""Uploads that do not end: where the client hangs up, and where the server is told to stop."""

import logging
import shutil
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any, Never

import fastapi.routing
import pytest
import uvicorn
from fastapi import FastAPI

from ladderboard.server.app.application import create_app, warm_up
from ladderboard.server.app.http_protocol import LimitedProtocol
from ladderboard.server.app.stopping import StopRequest
from ladderboard.server.db.database import Database
from ladderboard.server.people.passwords import Passwords
from tests.hosting.competitions import a_competition
from tests.web.middleware.test_slow_clients import a_team, begin_upload, everything_from, submit
from tests.web.servers import QUICK, Server, a_host


class Hasty(LimitedProtocol):
    """As when served, with less time."""

    grace_seconds = 0.2


@pytest.fixture
def server(prepared_sqlite: Path, tmp_path: Path) -> Iterator[Server]:
    """A server that nobody has started yet."""
    shutil.copy(prepared_sqlite, tmp_path / "server.db")
    database = Database(f"sqlite:///{tmp_path / 'server.db'}")
    host = a_host(database, tmp_path, a_competition())
    made = Server(host, create_app(host, passwords=Passwords(QUICK)), "")
    yield made
    made.close()
    database.close()


@contextmanager
def started(server: Server) -> Iterator[None]:
    """The time until it is told to stop. What hangs then hangs for good: nothing else limits how long it waits."""
    listening = socket.create_server(("127.0.0.1", 0))
    running = uvicorn.Server(uvicorn.Config(server.app, http=Hasty, log_level="error", access_log=False, ws="none"))
    thread = Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    server.url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    yield
    running.should_exit = True
    thread.join(timeout=120)
    assert not thread.is_alive(), "it did not stop"


def open_requests(server: Server) -> float:
    [family] = server.app.state.metrics.open.collect()
    return float(family.samples[0].value)


def wait_for_open_requests(server: Server, number: int) -> None:
    until = time.monotonic() + 120
    while open_requests(server) != number:
        assert time.monotonic() < until
        time.sleep(0.01)


def statuses_of_uploads(caplog: pytest.LogCaptureFixture) -> list[int]:
    facts: list[dict[str, Any]] = [record.facts for record in caplog.records if hasattr(record, "facts")]
    return [one["status"] for one in facts if one["route"].endswith("/submissions")]


def test_a_server_that_is_told_to_stop_ends_uploads_that_do_not_end(
    server: Server, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "ladderboard"), started(server):
        client = a_team(server, "Slow")
        assert submit(client, 1) == 201
        wait_for_open_requests(server, 0)  # the answer is sent a moment before
        hanging = begin_upload(server, client)
        wait_for_open_requests(server, 1)
    assert everything_from(hanging) == b""
    assert statuses_of_uploads(caplog) == [201, 499]
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_a_client_that_hangs_up_is_no_fault_and_uses_nothing(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "ladderboard"), started(server):
        client = a_team(server, "Gone")
        for _ in range(3):
            begun = begin_upload(server, client)
            wait_for_open_requests(server, 1)
            begun.close()
            wait_for_open_requests(server, 0)
        assert submit(client, 1) == 201
    assert statuses_of_uploads(caplog) == [499, 499, 499, 201]
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_the_first_visitor_waits_for_nothing_that_can_be_built_before(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    def build(*_: object, **__: object) -> Never:
        raise AssertionError("built for a visitor")

    warm_up(server.app)
    monkeypatch.setattr(fastapi.routing, "get_dependant", build)
    with started(server):
        for path in ("/", "/api/v1/competitions", "/competitions/pets", "/nothing"):
            assert server.client().get(path).status_code == (404 if path == "/nothing" else 200)


class Dying:
    """Something that is being forgotten just when Ctrl+C comes."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


def test_ctrl_c_is_heeded_where_an_exception_would_be_forgotten() -> None:
    app = FastAPI()
    former = signal.getsignal(signal.SIGINT)
    with socket.create_server(("127.0.0.1", 0)) as listening, StopRequest(signal.SIGINT) as stop:
        Dying()
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", ws="none"))
        stop.run(server, listening)  # it would serve for ever
        assert server.started
    assert signal.getsignal(signal.SIGINT) is former


def test_ctrl_c_stops_a_server_whose_own_handler_is_not_there_yet() -> None:
    app = FastAPI()
    with socket.create_server(("127.0.0.1", 0)) as listening, StopRequest(signal.SIGINT) as stop:

        class Starting(uvicorn.Server):
            def run(self, sockets: list[socket.socket] | None = None) -> None:
                Dying()
                super().run(sockets)

        stop.run(Starting(uvicorn.Config(app, log_level="error", ws="none")), listening)
        assert stop.is_made
