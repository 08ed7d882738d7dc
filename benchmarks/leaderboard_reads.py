"""Reading the board over HTTP: processor time of the server for each read, against a bare route with the same bytes.

Processor time and not wall time, so that a busy machine changes little. Boards of 100 and of 10,000 teams; reads of
a page that is kept, and reads of which each is the first after a change.
"""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import numpy as np

from benchmarks._served import Served, serving, serving_bare
from benchmarks.hosting_http import READS_PER_SECOND, write_competition
from benchmarks.row import Row

READS = 1500
CHANGES = 150
FEW, MANY = 100, 10_000
BOARD = "/api/v1/competitions/{}/leaderboard"
_RENEW = "UPDATE competitions SET board_version = board_version + 1 WHERE slug = ?"
TICKS = os.sysconf("SC_CLK_TCK")


def run() -> list[Row]:
    """All rows."""
    labels = np.random.default_rng(0).integers(0, 2, 1000)
    with TemporaryDirectory() as name:
        folder = Path(name)
        competitions = [write_competition(folder / f"board-{teams}", labels) for teams in (FEW, MANY)]
        with serving(folder, *competitions) as server, serving_bare(folder) as bare:
            database = next(folder.glob("data-of-*/ladderboard.db"))
            for teams in (FEW, MANY):
                fill_board(database, f"board-{teams}", teams)
            page = read_page(server, BOARD.format(f"board-{MANY}"))
            kept = _each(server, BOARD.format(f"board-{MANY}"), READS)
            floor = _each(bare, f"/bytes/{len(page)}", READS)
            after = {teams: _each(server, BOARD.format(f"board-{teams}"), CHANGES, database) for teams in (FEW, MANY)}
    what = f"a page of a board of {MANY:,} teams ({len(page) / 1000:.0f} kB), processor time of the server"
    return [
        Row(f"{what}, against a bare Starlette route with as many bytes", kept, floor, 12.0),
        Row(f"{what}, against {READS_PER_SECOND} reads a second", kept, 1 / READS_PER_SECOND, 1.0),
        Row(f"{what}, the first read after a change, against a board of {FEW}", after[MANY], after[FEW], 1.5),
    ]


def fill_board(database: Path, slug: str, teams: int) -> None:
    """Teams with numbers on a grid, as releases are."""
    values = np.round(np.random.default_rng(1).normal(0.8, 0.05, teams), 2)
    rows = [
        (f"{slug}-{number}", slug, f"team {number}", f"team {number}", 1, float(value), -float(value), number, 10**15)
        for number, value in enumerate(values)
    ]
    with connected(database) as connection:
        connection.executemany(
            "INSERT INTO teams (id, competition, name, name_key, created_at, board_value, board_order, "
            "last_improvement, last_improved_at, kind, status, salt, attempts, accepts, quota_used, extra_per_day, "
            "extra_total) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'team', 'active', '5a17', 5, 1, 0, 0, 0)",
            rows,
        )


def _each(served: Served, address: str, reads: int, changed: Path | None = None) -> float:
    """Seconds of processor time for each read; with ``changed`` the board is another one before each of them."""
    slug = address.split("/")[4] if changed is not None else ""
    read_page(served, address)
    before = processor_seconds(served)
    with connection_to(served) as http:
        for _ in range(reads):
            if changed is not None:
                with connected(changed) as connection:
                    connection.execute(_RENEW, (slug,))
            get(http, address)
    return (processor_seconds(served) - before) / reads


def read_page(served: Served, address: str) -> bytes:
    """One answer, over a connection of its own."""
    with connection_to(served) as http:
        return get(http, address)


def get(http: HTTPConnection, address: str) -> bytes:
    """One answer."""
    http.request("GET", address)
    answer = http.getresponse()
    content = answer.read()
    assert answer.status == 200, content
    return content


@contextmanager
def connection_to(served: Served) -> Iterator[HTTPConnection]:
    """A connection to a server."""
    place = urlsplit(served.url)
    with closing(HTTPConnection(str(place.hostname), place.port)) as http:
        yield http


@contextmanager
def connected(database: Path) -> Iterator[sqlite3.Connection]:
    """A transaction on a server's database, beside it."""
    with closing(sqlite3.connect(database, timeout=30)) as connection, connection:
        yield connection


def processor_seconds(served: Served) -> float:
    """User and system time of the process, of all its threads."""
    fields = Path(f"/proc/{served.process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS
