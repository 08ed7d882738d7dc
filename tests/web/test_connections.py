"""Connections that ask nothing, or never come to an end of asking."""

import shutil
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Thread

import pytest
import uvicorn

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
    app = make_app(a_host(database, folder, a_competition()))
    listening = socket.create_server(("127.0.0.1", 0))
    running = uvicorn.Server(uvicorn.Config(app, http=protocol, log_level="error", access_log=False, ws="none"))
    thread = Thread(target=running.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield listening.getsockname()[1]
    running.should_exit = True
    thread.join(timeout=120)
    database.close()


@pytest.fixture
def port(tmp_path: Path, prepared_sqlite: Path) -> Iterator[int]:
    class Impatient(LimitedProtocol):
        head_seconds = 0.2

    with serve(tmp_path, prepared_sqlite, Impatient) as found:
        yield found


def connect(port: int, sent: bytes = b"") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=120)
    connection.sendall(sent)
    return connection


def is_closed(connection: socket.socket) -> bool:
    """Whether the server hangs up without a word; waits until it does."""
    try:
        return connection.recv(100) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize("sent", [b"", b"GET", HEAD, HEAD + b"X-More: "], ids=["nothing", "a word", "lines", "more"])
def test_a_request_whose_head_never_ends_is_hung_up(port: int, sent: bytes) -> None:
    with connect(port, sent) as connection:
        assert is_closed(connection)


def test_a_second_request_has_its_time_too(port: int) -> None:
    with connect(port, HEAD + b"\r\n") as connection:
        assert b" 200 " in connection.recv(10_000)
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
def test_what_a_request_says_beside_its_body_has_a_limit(
    tmp_path: Path, prepared_sqlite: Path, start: bytes, rest: bytes
) -> None:
    """Trailers of 300 MB took 3 GB of memory, and one endless header all of the server's time."""

    class Patient(LimitedProtocol):
        head_seconds = 3600.0

    with serve(tmp_path, prepared_sqlite, Patient) as port, connect(port, start) as connection:
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
    class Small(LimitedProtocol):
        head_seconds = 3600.0
        most_connections = 30

    with serve(tmp_path, prepared_sqlite, Small) as port, ExitStack() as opened:
        silent = [opened.enter_context(connect(port, b"GET")) for _ in range(30)]
        for oldest in silent[:10]:
            asking = opened.enter_context(connect(port, HEAD + b"\r\n"))
            assert b" 200 " in asking.recv(10_000)
            assert is_closed(oldest)


def test_many_that_come_at_once_each_make_room(tmp_path: Path, prepared_sqlite: Path) -> None:
    class Small(LimitedProtocol):
        head_seconds = 3600.0
        most_connections = 10

    with serve(tmp_path, prepared_sqlite, Small) as port, ExitStack() as opened:
        silent = [opened.enter_context(connect(port, b"GET")) for _ in range(60)]
        assert all(is_closed(one) for one in silent[:50])
