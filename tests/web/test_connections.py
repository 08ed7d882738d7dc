"""Connections that ask nothing, or never come to an end of asking."""

import logging
import shutil
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPResponse
from pathlib import Path

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ladderboard.server.app.http_protocol import LimitedProtocol
from ladderboard.server.db.database import Database
from tests.hosting.competitions import a_competition
from tests.web.servers import a_host, make_app

HEAD = b"GET /healthz HTTP/1.1\r\nHost: here\r\n"


@contextmanager
def serve(folder: Path, prepared_sqlite: Path, protocol: type[LimitedProtocol]) -> Iterator[int]:
    """The port of a server with that protocol."""
    shutil.copy(prepared_sqlite, folder / "server.db")
    database = Database(f"sqlite:///{folder / 'server.db'}")
    with serve_app(make_app(a_host(database, folder, a_competition())), protocol) as port:
        yield port
    database.close()


@contextmanager
def serve_app(app: Starlette, protocol: type[LimitedProtocol]) -> Iterator[int]:
    """The port of any application with that protocol."""
    listening = socket.create_server(("127.0.0.1", 0))
    settings = uvicorn.Config(app, http=protocol, log_level="error", access_log=False, timeout_keep_alive=3600)
    running = uvicorn.Server(settings)
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield listening.getsockname()[1]
    running.should_exit = True
    thread.join(timeout=120)


class Patient(LimitedProtocol):
    """On a busy machine, seconds may pass between two calls of a client."""

    head_seconds = 3600.0


@pytest.fixture
def port(tmp_path: Path, prepared_sqlite: Path) -> Iterator[int]:
    with serve(tmp_path, prepared_sqlite, Patient) as found:
        yield found


@pytest.fixture
def impatience(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Shorten the time that a server of ours grants from now on."""
    return lambda: monkeypatch.setattr(Patient, "head_seconds", 0.2)


def connect(port: int, sent: bytes = b"") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=120)
    connection.sendall(sent)
    return connection


def read_status(connection: socket.socket) -> int:
    """The status of an answer, which is read to its end: it may come in parts."""
    answer = HTTPResponse(connection)
    answer.begin()
    answer.read()
    return answer.status


def is_closed(connection: socket.socket) -> bool:
    """Whether the server hangs up without a word; waits until it does."""
    try:
        return connection.recv(100) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize("sent", [b"", b"GET", HEAD, HEAD + b"X-More: "], ids=["nothing", "a word", "lines", "more"])
def test_a_request_whose_head_never_ends_is_hung_up(port: int, sent: bytes, impatience: Callable[[], None]) -> None:
    impatience()
    with connect(port, sent) as connection:
        assert is_closed(connection)


def test_a_second_request_has_its_time_too(port: int, impatience: Callable[[], None]) -> None:
    with connect(port, HEAD + b"\r\n") as connection:
        assert read_status(connection) == 200
        impatience()
        connection.sendall(HEAD)
        assert is_closed(connection)


CHUNKED = b"POST /api/v1/tokens HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("start", "rest"),
    [
        (b"GET /", b"x"),
        (HEAD + b"X-More: ", b"x"),
        (HEAD, b"X-More: x\r\n"),
        (CHUNKED + b"2\r\n{}\r\n0\r\n", b"X-More: x\r\n"),
        (CHUNKED + b"2;", b"x"),
    ],
    ids=["address", "a header", "headers", "trailers", "an extension of a chunk"],
)
def test_what_a_request_says_beside_its_body_has_a_limit(port: int, start: bytes, rest: bytes) -> None:
    """Trailers of 300 MB took 3 GB of memory, and one endless header all of the server's time."""
    with connect(port, start) as connection:
        with suppress(ConnectionError):
            for _ in range(100):  # two megabytes
                connection.sendall(rest * (20_000 // len(rest)))
        with suppress(ConnectionError):
            answer = connection.recv(10_000)
            assert answer == b"" or b" 400 " in answer or b" 422 " in answer
        assert is_closed(connection)


def test_where_there_are_too_many_the_oldest_that_asks_nothing_makes_room(
    tmp_path: Path, prepared_sqlite: Path
) -> None:
    class Small(Patient):
        most_connections = 30

    with serve(tmp_path, prepared_sqlite, Small) as port, ExitStack() as opened:
        silent = [opened.enter_context(connect(port, b"GET")) for _ in range(30)]
        for oldest in silent[:10]:
            asking = opened.enter_context(connect(port, HEAD + b"\r\n"))
            assert read_status(asking) == 200
            assert is_closed(oldest)


def test_many_that_come_at_once_each_make_room(tmp_path: Path, prepared_sqlite: Path) -> None:
    class Small(Patient):
        most_connections = 10

    with serve(tmp_path, prepared_sqlite, Small) as port, ExitStack() as opened:
        silent = [opened.enter_context(connect(port, b"GET")) for _ in range(60)]
        assert all(is_closed(one) for one in silent[:50])


def ask(port: int, sent: bytes) -> bytes:
    """Everything that the server answers until it hangs up."""
    with connect(port) as connection:
        received = b""
        with suppress(ConnectionError):  # it may hang up before it has read all
            connection.sendall(sent)
        with suppress(ConnectionError):
            while part := connection.recv(65536):
                received += part
        return received


LAST = HEAD + b"Connection: close\r\n\r\n"


def test_a_few_requests_may_be_sent_before_the_first_answer_but_not_thousands(port: int) -> None:
    """Thousands of short ones kept a server busy for many seconds, and took half a gigabyte."""
    assert ask(port, (HEAD + b"\r\n") * 5 + LAST).count(b" 200 OK") == 6
    assert b"wait for an answer" in ask(port, (HEAD + b"\r\n") * 2000)


def test_whoever_hangs_up_before_the_answers_is_no_fault(port: int, caplog: pytest.LogCaptureFixture) -> None:
    page = b"GET /competitions/pets HTTP/1.1\r\nHost: here\r\n\r\n"
    for _ in range(20):
        with connect(port, page * 8) as hasty:
            hasty.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # close by a reset
    assert ask(port, LAST).count(b" 200 OK") == 1
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def test_a_body_may_come_in_small_chunks_but_not_in_countless_ones(port: int) -> None:
    end = b"0\r\n\r\n"
    known = CHUNKED.replace(b"Host", b"Connection: close\r\nContent-Type: application/json\r\nHost")
    body = b'{"name": "Nobody", "password": "wrong"}' + b" " * 10_000
    pieces = b"".join(b"1\r\n%c\r\n" % one for one in body)
    assert ask(port, known + pieces + end).startswith(b"HTTP/1.1 401 ")
    assert b"too small" in ask(port, known + b"1\r\n \r\n" * 30_000 + end)
    larger = b"40\r\n" + b" " * 64 + b"\r\n"
    assert ask(port, known + larger * 10_000 + b"1\r\n \r\n" * 15_000 + end).startswith(b"HTTP/1.1 422 ")


@pytest.mark.parametrize("protocol", [b"websocket", b"h2c"])
def test_an_upgrade_is_not_taken_and_a_body_beside_it_refused_rather_than_lost(
    port: int, protocol: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    upgrade = b"Connection: Upgrade\r\nUpgrade: " + protocol + b"\r\n"
    answer = ask(port, HEAD + upgrade + b"\r\n")
    assert answer.startswith(b"HTTP/1.1 200 OK")
    assert b"connection: close" in answer
    post = b"POST /api/v1/tokens HTTP/1.1\r\nHost: here\r\nContent-Length: 2\r\n" + upgrade + b"\r\n{}"
    assert b"without Upgrade" in ask(port, post)
    assert "upgrade" not in caplog.text


def test_an_answer_that_nobody_reads_is_not_kept_for_ever() -> None:
    lost = threading.Event()

    class Impatient(LimitedProtocol):
        reading_seconds = 0.2

        def connection_lost(self, exc: Exception | None) -> None:
            super().connection_lost(exc)
            lost.set()

    async def answer(_: Request) -> Response:
        return Response(bytes(20_000_000))

    app = Starlette(routes=[Route("/healthz", answer)])
    with serve_app(app, Impatient) as port:
        with connect(port, LAST):
            assert lost.wait(120)
        Impatient.reading_seconds = 3600.0
        assert len(ask(port, LAST).partition(b"\r\n\r\n")[2]) == 20_000_000
