"""Fairness: how much longer somebody waits for a release or the board while other accounts flood the server, or dawdle.

The server is `ladderboard serve` on SQLite with its own limits; the flood is a process of the same machine with two
connections for each account, but eight at least, that send as fast as they are answered. It sends good text, text in
which every row is wrong, text with usual or wrong quotation marks, Parquet, or archives and Parquet files that unpack
to far more than is allowed. Then what one file of each kind costs the server beside a right one.
"""

import gzip
import http.client
import io
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache, partial
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Literal, get_args
from urllib.parse import urlsplit

import numpy as np
import polars as pl

from benchmarks import _file_kinds
from benchmarks._served import Served, serving
from benchmarks.hosting_http import enter, write_competition
from benchmarks.row import Row
from ladderboard.client import Client

ROWS = 20_000
CONNECTIONS = 8
"""At least; two for each account."""
ACCOUNTS = (1, 5, 20)
Kind = Literal["text", "wrong text", "quoted text", "misquoted text", "parquet", "gzip bomb", "parquet bomb"]
KINDS: tuple[Kind, ...] = get_args(Kind)
PEAK_MEGABYTES = 1000
"""What the server and its children may hold during all of it."""
READS, SUBMISSIONS = 40, 8
"""Of the board after each submission, and how many of these at least: the 99th percentile is then not the slowest."""
DAWDLERS = 50
SECONDS = 6.0
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
            processor = {} if per_minute > 120 else {"upload_processor_seconds_per_minute": 20}
            with serving(place, competition, uploads_per_minute=per_minute, **processor) as server:
                rows += _flooded(server, what, target, KINDS if per_minute <= 120 else ("text",))
                if per_minute > 120:
                    rows += _dawdled(server)
        competitions = [_file_kinds.write_competition(folder / name) for name in _file_kinds.COMPETITIONS]
        with serving(folder, *competitions) as server:
            rows += _file_kinds.kind_rows(server)
    return rows


def _flooded(server: Served, what: str, target: float, kinds: Sequence[Kind]) -> list[Row]:
    with Client(server.url) as quiet:
        enter(quiet, "quiet", "fair")
        tokens = [_loud_token(server, number) for number in range(max(ACCOUNTS))]
        rows = []
        for place, (kind, accounts) in enumerate(product(kinds, ACCOUNTS)):
            # Each time anew, as what else the machine does changes.
            alone, read_alone = _latencies(quiet, SECONDS / 2, first=10_000 * place)
            together, read, counts = _one_flood(server, quiet, tokens[:accounts], kind, first=10_000 * place + 5_000)
            words = f"while {accounts} accounts flood with {kind} ({what}: {counts}), against without"
            rows.append(Row(f"a submission of {ROWS:,} rows {words}", together, alone, target))
            rows.append(Row(f"99th percentile of reads of the board {words}", read, read_alone, target))
    peak = server.tree_peak_megabytes
    return [*rows, Row(f"peak memory of the server and its children ({what})", peak, PEAK_MEGABYTES, 1.0, unit="MB")]


def _loud_token(server: Served, number: int) -> str:
    with Client(server.url) as loud:
        enter(loud, f"loud{number}", "fair")
        return loud.sign_in(f"loud{number}", PASSWORD).token


def _one_flood(server: Served, quiet: Client, tokens: list[str], kind: Kind, *, first: int) -> tuple[float, float, str]:
    """How long the quiet one waits for a release and for the board, and what became of the flood."""
    fixed = _fixed_file(kind)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes, server.watching_memory():
        flood = processes.submit(_flood, server.url, tokens, fixed, SECONDS)
        time.sleep(1.0)  # until it has begun
        together, read = _latencies(quiet, SECONDS / 2, first=first)
        scored, refused = flood.result()
    return together, read, f"{scored} scored, {refused} refused"


def _dawdled(server: Served) -> list[Row]:
    with Client(server.url) as quiet:
        quiet.sign_in("quiet", PASSWORD)
        alone, _ = _latencies(quiet, SECONDS / 4, first=10**6 - 20_000)
        with _dawdling(server):
            together, _ = _latencies(quiet, SECONDS / 4, first=10**6 - 10_000)
    return [Row(f"the same while {DAWDLERS} clients send a body and stop, against without", together, alone, SLOW)]


def _latencies(client: Client, seconds: float, *, first: int) -> tuple[float, float]:
    """The median of submissions, and the 99th percentile of reads of the board between them.

    One after the other, for some seconds and at least some submissions; at a pace no limit is met.
    """
    submitted: list[float] = []
    read: list[float] = []
    until = time.perf_counter() + seconds
    while time.perf_counter() < until or len(submitted) < SUBMISSIONS:
        content = _file(first + len(submitted))
        submitted.append(_time(partial(client.submit, "fair", content, name="p.csv")))
        read += [_time(lambda: next(client.leaderboard_pages("fair"))) for _ in range(READS)]
        time.sleep(0.25)
    return median(submitted), float(np.quantile(read, 0.99))


def _time(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _flood(url: str, tokens: list[str], fixed: bytes, seconds: float) -> tuple[int, int]:
    """Send from several connections until the time is over; how many were scored and how many refused."""
    until = time.monotonic() + seconds
    connections = max(CONNECTIONS, 2 * len(tokens))
    with ThreadPoolExecutor(connections) as threads:
        senders = [
            threads.submit(_send_until, url, tokens[number % len(tokens)], fixed, number, until)
            for number in range(connections)
        ]
        counts = [sender.result() for sender in senders]
    return sum(scored for scored, _ in counts), sum(refused for _, refused in counts)


def _send_until(url: str, token: str, fixed: bytes, number: int, until: float) -> tuple[int, int]:
    counts = [0, 0]
    while time.monotonic() < until:
        connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
        try:
            content = fixed or _file(10**6 * (number + 1) + sum(counts))
            connection.request("POST", PATH, _body(content), _headers(token))
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


@cache
def _fixed_file(kind: Kind) -> bytes:
    """The file of a flood that need not differ from time to time; nothing for good text."""
    if kind == "wrong text":
        return _HEADER + _LABELS.replace(b",0\n", b",zero\n")
    if kind == "quoted text":
        return _HEADER + _LABELS.replace(b",0\n", b', "0"\n')
    if kind == "misquoted text":
        return _HEADER + _LABELS.replace(b"00,0\n", b'00,"0"0\n')
    if kind == "gzip bomb":
        return gzip.compress(bytes(100 << 20), compresslevel=6)
    if kind == "parquet":
        return _parquet(pl.DataFrame({"id": [1], "label": [0]}))  # tiny: all its cost is that of its kind
    if kind == "parquet bomb":
        return _parquet(pl.DataFrame({"id": range(ROWS)}).with_columns(pl.lit("x" * 50_000).alias("label")))
    return b""


def _parquet(frame: pl.DataFrame) -> bytes:
    written = io.BytesIO()
    frame.write_parquet(written)
    return written.getvalue()


_HEADER = b"id,label\n"
_LABELS = "".join(f"{row},0\n" for row in range(1, ROWS + 1)).encode()
_PLACES = np.flatnonzero(np.frombuffer(_LABELS, dtype=np.uint8) == ord("\n")) - 1
"""Where the labels stand."""


def _body(content: bytes) -> bytes:
    head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="p.csv"\r\n\r\n'
    return head.encode() + content + f"\r\n--{BOUNDARY}--\r\n".encode()


def _headers(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}", "Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
