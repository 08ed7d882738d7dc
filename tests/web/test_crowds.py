"""More connections than a process may hold: who makes room, and that honest visitors are served throughout."""

import asyncio
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from ladderboard.server.app.http_protocol import ConnectionFacts, choose_to_close
from tests.web.test_connections import HEAD, Patient, is_closed, read_status, serve, serve_app

MOST = 30
BODY = b'{"name": "Nobody", "password": "wrong"}'
ATTACKER, VISITOR = "127.0.0.66", "127.0.0.7"


class Small(Patient):
    most_connections = MOST


@pytest.fixture
def port(tmp_path: Path, prepared_sqlite: Path) -> Iterator[int]:
    with serve(tmp_path, prepared_sqlite, Small) as found:
        yield found


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def connect(port: int, source: str, sent: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=120, source_address=(source, 0))
    connection.sendall(sent)
    return connection


def begin_body(opened: ExitStack, port: int, source: str, *headers: str) -> socket.socket:
    """A request whose body the application waits for: it asks for the rest of it."""
    head = ["POST /api/v1/tokens HTTP/1.1", "Host: here", "Content-Type: application/json", "Expect: 100-continue"]
    text = "\r\n".join([*head, f"Content-Length: {len(BODY)}", *headers, "", ""])
    connection = opened.enter_context(connect(port, source, text.encode()))
    assert connection.recv(1000).startswith(b"HTTP/1.1 100 ")
    return connection


def finish_body(connection: socket.socket) -> int:
    connection.sendall(BODY)
    return read_status(connection)


def visit(port: int, source: str) -> int:
    with connect(port, source, HEAD + b"\r\n") as connection:
        return read_status(connection)


@pytest.mark.parametrize("source", [VISITOR, ATTACKER], ids=["another address", "the same address"])
def test_slow_bodies_shut_nobody_out(port: int, opened: ExitStack, source: str) -> None:
    slow = [begin_body(opened, port, ATTACKER) for _ in range(MOST)]
    kept = []
    for oldest in slow[:10]:
        kept.append(opened.enter_context(connect(port, source, HEAD + b"\r\n")))
        assert read_status(kept[-1]) == 200
        answer = oldest.recv(10_000)
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b"try again" in answer
        assert is_closed(oldest)
    assert finish_body(slow[10]) == 401


def test_whoever_has_few_connections_keeps_them_in_a_crowd(port: int, opened: ExitStack) -> None:
    visitor = begin_body(opened, port, VISITOR)
    idle = opened.enter_context(connect(port, VISITOR, HEAD + b"\r\n"))
    assert read_status(idle) == 200
    for number in range(3 * MOST):
        begin_body(opened, port, f"127.0.1.{number % 5}")
        if number % MOST == 0:
            assert visit(port, VISITOR) == 200
    assert finish_body(visitor) == 401
    idle.sendall(HEAD + b"\r\n")
    assert read_status(idle) == 200


def test_behind_a_trusted_proxy_the_share_is_the_visitors(port: int, opened: ExitStack) -> None:
    visitor = begin_body(opened, port, "127.0.0.1", "X-Forwarded-For: 192.0.2.7")
    for number in range(2 * MOST):
        begin_body(opened, port, "127.0.0.1", f"X-Forwarded-For: 2001:db8:0:1::{number:x}")  # one /64
    assert finish_body(visitor) == 401


def test_nobody_else_can_name_other_addresses(port: int, opened: ExitStack) -> None:
    visitor = begin_body(opened, port, VISITOR)
    for number in range(2 * MOST):
        begin_body(opened, port, ATTACKER, f"X-Forwarded-For: 198.51.100.{number}")
    assert finish_body(visitor) == 401


def test_a_class_behind_one_address_has_every_connection_while_nobody_else_wants_one(
    port: int, opened: ExitStack
) -> None:
    uploads = [begin_body(opened, port, VISITOR) for _ in range(MOST)]
    assert {finish_body(one) for one in uploads} == {401}


def test_a_class_behind_one_address_is_served_beside_a_crowd(port: int, opened: ExitStack) -> None:
    for number in range(2 * MOST):
        begin_body(opened, port, f"127.0.1.{number % 5}")
    for _ in range(2 * MOST):  # each stays open, as a browser's does
        student = opened.enter_context(connect(port, VISITOR, HEAD + b"\r\n"))
        assert read_status(student) == 200


def test_a_body_that_goes_on_keeps_its_place_before_one_that_does_not() -> None:
    signs = threading.Semaphore(0)
    bodies = []

    class Noting(Small):
        def _note_sign(self) -> None:
            super()._note_sign()
            signs.release()

    async def upload(request: Request) -> Response:
        with suppress(ClientDisconnect):
            bodies.append(await request.body())
        return Response()

    with serve_app(Starlette(routes=[Route("/", upload, methods=["POST"])]), Noting) as port, ExitStack() as opened:
        head = b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 100000\r\n\r\n"
        going_on = opened.enter_context(connect(port, VISITOR, head))
        slow = [opened.enter_context(connect(port, VISITOR, head)) for _ in range(MOST - 1)]
        for _ in range(2 * MOST):  # opened, and begun
            assert signs.acquire(timeout=120)
        going_on.sendall(bytes(Noting.sign_bytes))
        assert signs.acquire(timeout=120)
        opened.enter_context(connect(port, VISITOR, b""))
        answered, _, _ = select.select(slow, [], [], 120)
        assert [one.recv(1000)[:12] for one in answered] == [b"HTTP/1.1 503"]
        going_on.sendall(bytes(100_000 - Noting.sign_bytes))
        assert read_status(going_on) == 200
    assert [len(one) for one in bodies] == [100_000]


def test_a_request_that_is_being_answered_is_never_closed() -> None:
    release, working = threading.Event(), threading.Semaphore(0)

    async def answer(_: Request) -> Response:
        working.release()
        await asyncio.to_thread(release.wait)
        return Response("done")

    with serve_app(Starlette(routes=[Route("/healthz", answer)]), Small) as port, ExitStack() as opened:
        asked = [opened.enter_context(connect(port, VISITOR, HEAD + b"\r\n")) for _ in range(MOST)]
        for _ in range(MOST):
            assert working.acquire(timeout=120)
        late = [opened.enter_context(connect(port, source, b"")) for source in (VISITOR, ATTACKER)]
        assert all(is_closed(one) for one in late)
        release.set()
        assert {read_status(one) for one in asked} == {200}


def test_in_one_network_the_account_with_the_most_makes_room() -> None:
    others = [ConnectionFacts("192.0.2.7", "Ada", 1), ConnectionFacts("192.0.2.7", None, 2)]
    flood = [ConnectionFacts("192.0.2.7", "Eve", number) for number in (None, 9, 8, 7)]
    assert choose_to_close([*others, *flood]) == 5
