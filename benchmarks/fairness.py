"""Fairness: how much longer somebody waits for a release while another account floods the server, or dawdles.

The server is `ladderboard serve` on SQLite with its own limits; the flood is a process of the same machine with eight
connections that send as fast as they are answered.
"""

import http.client
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import numpy as np

from benchmarks._served import Served, serving
from benchmarks.hosting_http import enter, write_competition
from benchmarks.row import Row
from ladderboard.client import Client

ROWS = 20_000
CONNECTIONS = 8
DAWDLERS = 50
SECONDS = 10.0
LIMITED, UNLIMITED, SLOW = 8.0, 8.0, 2.0
"""The factors that are promised: with the limits that a server has by default, with no limit but two uploads at once of
an account, and with clients that send almost nothing. Sender, server and flood share the machine."""
BOUNDARY = "benchmark"


def run() -> list[Row]:
    """All rows."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        competition = write_competition(folder / "fair", np.random.default_rng(0).integers(0, 2, ROWS))
        rows = []
        for what, per_minute, target in (
            ("default limits", 120, LIMITED),
            ("two uploads at once only", 10**6, UNLIMITED),
        ):
            place = folder / str(per_minute)
            place.mkdir()
            with serving(place, competition, uploads_per_minute=per_minute) as server:
                rows += _flooded(server, what, target)
                if per_minute > 120:
                    rows += _dawdled(server)
    return rows


def _flooded(server: Served, what: str, target: float) -> list[Row]:
    with Client(server.url) as quiet, Client(server.url) as loud:
        enter(quiet, "quiet", "fair")
        enter(loud, "loud", "fair")
        token = loud.sign_in("loud", PASSWORD).token
        alone = _median_latency(quiet, SECONDS / 2, first=0)
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
            flood = processes.submit(_flood, server.url, token, SECONDS)
            _wait_for_the_flood(loud)
            together = _median_latency(quiet, SECONDS / 2, first=10_000)
            scored, refused = flood.result()
    words = f"a submission of {ROWS:,} rows while another account floods ({what}: {scored} scored, {refused} refused)"
    return [Row(f"{words}, against without", together, alone, target)]


def _dawdled(server: Served) -> list[Row]:
    with Client(server.url) as quiet:
        quiet.sign_in("quiet", PASSWORD)
        alone = _median_latency(quiet, SECONDS / 4, first=20_000)
        with _dawdling(server):
            together = _median_latency(quiet, SECONDS / 4, first=30_000)
    return [Row(f"the same while {DAWDLERS} clients send a body and stop, against without", together, alone, SLOW)]


def _median_latency(client: Client, seconds: float, *, first: int) -> float:
    """Of one submission after the other, for some seconds and at least ten of them; at a pace no limit is met."""
    taken: list[float] = []
    until = time.perf_counter() + seconds
    while time.perf_counter() < until or len(taken) < 10:
        content = _file(first + len(taken))
        start = time.perf_counter()
        client.submit("fair", content, name="p.csv")
        taken.append(time.perf_counter() - start)
        time.sleep(0.1)
    return median(taken)


def _wait_for_the_flood(loud: Client) -> None:
    while next(iter(loud.submissions("fair")), None) is None:
        time.sleep(0.05)


def _flood(url: str, token: str, seconds: float) -> tuple[int, int]:
    """Send from several connections until the time is over; how many were scored and how many refused."""
    until = time.monotonic() + seconds
    with ThreadPoolExecutor(CONNECTIONS) as threads:
        counts = list(threads.map(lambda number: _send_until(url, token, number, until), range(CONNECTIONS)))
    return sum(scored for scored, _ in counts), sum(refused for _, refused in counts)


def _send_until(url: str, token: str, number: int, until: float) -> tuple[int, int]:
    counts = [0, 0]
    while time.monotonic() < until:
        connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
        try:
            connection.request("POST", PATH, _body(_file(10**6 * (number + 1) + sum(counts))), _headers(token))
            counts[connection.getresponse().status != 201] += 1
        except OSError:  # refused before the body was read
            counts[1] += 1
        finally:
            connection.close()
    return counts[0], counts[1]


@contextmanager
def _dawdling(server: Served) -> Iterator[None]:
    """Connections of passers-by that have begun to sign up and send no more."""
    address = urlsplit(server.url)
    connections = [socket.create_connection((address.hostname or "", address.port or 0)) for _ in range(DAWDLERS)]
    head = (
        "POST /api/v1/accounts HTTP/1.1\r\nHost: fair\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
    )
    for connection in connections:
        connection.sendall(head.encode())
    try:
        yield
    finally:
        for connection in connections:
            connection.close()


PASSWORD = "correct horse battery staple"
PATH = "/api/v1/competitions/fair/submissions"


def _file(number: int) -> bytes:
    """Another file for every number; cheap to make, as the sender shall not be what is measured."""
    labels = np.frombuffer(_LABELS, dtype=np.uint8).copy()
    spelled = np.array([number >> bit & 1 for bit in range(24)], dtype=np.uint8)
    labels[_PLACES[:24]] = ord("0") + spelled
    return _HEADER + labels.tobytes()


_HEADER = b"id,label\n"
_LABELS = "".join(f"{row},0\n" for row in range(1, ROWS + 1)).encode()
_PLACES = np.flatnonzero(np.frombuffer(_LABELS, dtype=np.uint8) == ord("\n")) - 1
"""Where the labels stand."""


def _body(content: bytes) -> bytes:
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="p.csv"\r\n\r\n'
    return head.encode() + content + f"\r\n--{BOUNDARY}--\r\n".encode()


def _headers(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}", "Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
