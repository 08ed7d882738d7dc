"""Clients that send a byte now and then: nobody waits for them, and they are not waited for without end."""

import shutil
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from ladderboard.server.app.middleware.upload_timeout import BYTES_PER_SECOND
from ladderboard.server.db.database import Database
from tests.hosting.competitions import a_competition, a_file, predictions
from tests.web.servers import Server, a_host, serving

PATIENCE = 2
"""Seconds; long enough for whoever sends all at once, however busy the machine is."""


@pytest.fixture
def impatient(prepared_sqlite: Path, tmp_path: Path) -> Iterator[Server]:
    shutil.copy(prepared_sqlite, tmp_path / "server.db")
    database = Database(f"sqlite:///{tmp_path / 'server.db'}")
    host = a_host(database, tmp_path, a_competition(), slow_upload_seconds=PATIENCE, uploads_at_once=2)
    with serving(host) as running:
        yield running
    database.close()


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
    client = server.sign_up(name)
    assert client.post("/api/v1/competitions/pets/teams", json={"name": name}).status_code == 201
    return client


def test_a_body_that_does_not_come_is_given_up_and_its_connection_closed(impatient: Server) -> None:
    slow = a_team(impatient, "Slow")
    answer = everything_from(begin_upload(impatient, slow))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408")
    assert b"connection: close" in head.lower()
    assert b'"too_slow"' in body


def test_nobody_waits_for_slow_clients_and_their_places_become_free(impatient: Server) -> None:
    slow, other = a_team(impatient, "Slow"), a_team(impatient, "Other")
    hanging = [begin_upload(impatient, slow) for _ in range(2)]
    assert submit(other, 1) == 201
    for connection in hanging:
        assert everything_from(connection).startswith(b"HTTP/1.1 408")
    assert submit(slow, 2) == 201


def test_a_body_that_goes_on_may_take_longer(impatient: Server) -> None:
    """90 kB earn almost two seconds more: however slowly a busy machine answers, it is not earlier than that."""
    client = a_team(impatient, "Steady")
    part = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
    began = time.monotonic()
    connection = begin_upload(impatient, client, sent=part + b"a" * 90_000)
    assert everything_from(connection).startswith(b"HTTP/1.1 408")
    assert time.monotonic() - began >= PATIENCE + 90_000 / BYTES_PER_SECOND
