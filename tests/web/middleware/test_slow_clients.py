"""Clients that send a byte now and then: nobody waits for them, and they are not waited for without end."""

import asyncio
import shutil
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from starlette.types import Message, Receive, Scope, Send

from ladderboard.server.app.request_frame import BYTES_PER_SECOND, TooSlowError, UploadTimeout
from ladderboard.server.db.database import Database
from tests.hosting.competitions import a_competition, a_file, predictions
from tests.hosting.live import enlist
from tests.web.servers import Server, a_host, serving


@pytest.fixture(params=[600])
def server(prepared_sqlite: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server that waits so many seconds for a body; everybody but the slow is in time in ten minutes."""
    shutil.copy(prepared_sqlite, tmp_path / "server.db")
    database = Database(f"sqlite:///{tmp_path / 'server.db'}")
    host = a_host(database, tmp_path, a_competition(), slow_upload_seconds=request.param, uploads_at_once=2)
    with serving(host) as running:
        yield running
    database.close()


impatient = pytest.mark.parametrize("server", [0.2], indirect=True)


def begin_upload(server: Server, client: httpx.Client, *, sent: bytes = b"--x\r\n") -> socket.socket:
    """The headers of a submission, and the first bytes of its body."""
    address = urlsplit(server.url)
    connection = socket.create_connection((address.hostname or "", address.port or 0), timeout=120)
    head = (
        "POST /api/v1/competitions/pets/submissions HTTP/1.1\r\nHost: pets\r\nContent-Length: 100000\r\n"
        f"Authorization: {client.headers['Authorization']}\r\nContent-Type: multipart/form-data; boundary=x\r\n\r\n"
    )
    connection.sendall(head.encode() + sent)
    return connection


def everything_from(connection: socket.socket) -> bytes:
    """Until the server closes the connection."""
    received = b""
    while part := connection.recv(65536):
        received += part
    connection.close()
    return received


def submit(client: httpx.Client, number: int) -> int:
    competition = a_competition()
    content = a_file(competition, predictions(competition, 0.6, seed=number))
    answer = client.post("/api/v1/competitions/pets/submissions", files={"file": ("p.csv", content)})
    return answer.status_code


def a_team(server: Server, name: str) -> httpx.Client:
    """A team of one. It needs no request, which an impatient server might not wait for."""
    [one] = enlist(server.services.database, "pets", [name])
    return server.client(one.token)


@impatient
def test_a_body_that_does_not_come_is_given_up_and_its_connection_closed(server: Server) -> None:
    answer = everything_from(begin_upload(server, a_team(server, "Slow")))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408")
    assert b"connection: close" in head.lower()
    assert b'"too_slow"' in body


def test_nobody_waits_for_slow_clients(server: Server) -> None:
    slow, other = a_team(server, "Slow"), a_team(server, "Other")
    hanging = [begin_upload(server, slow) for _ in range(2)]
    assert submit(other, 1) == 201
    for connection in hanging:
        connection.close()


@impatient
def test_the_places_of_slow_clients_become_free(server: Server) -> None:
    slow = a_team(server, "Slow")
    for _ in range(3):
        for connection in [begin_upload(server, slow) for _ in range(2)]:
            assert everything_from(connection).startswith(b"HTTP/1.1 408")


def test_a_body_that_goes_on_may_take_longer() -> None:
    """10 kB earn a fifth of a second: however slowly a busy machine gives up, it is not earlier than that."""
    received = iter([bytes(10_000)])

    async def receive() -> Message:
        for part in received:
            return {"type": "http.request", "body": part, "more_body": True}
        return await asyncio.Future()

    async def read(_: Scope, receive: Receive, __: Send) -> None:
        while True:
            await receive()

    async def send(_: Message) -> None:
        raise AssertionError("nothing is to be sent")

    async def elapsed_seconds() -> float:
        began = time.monotonic()
        with pytest.raises(TooSlowError):
            await UploadTimeout(read, 0.1)({"type": "http"}, receive, send)
        return time.monotonic() - began

    assert asyncio.run(elapsed_seconds()) > 0.1 + 10_000 / BYTES_PER_SECOND
