"""The board's page: as fast and as small with 10,000 teams as with 10, and what a browser loads beside it.

Processor time of the server, so that a busy machine changes little: reads of what was drawn already, and reads of which
each is the first after a change.
"""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks._served import Served, serving
from benchmarks.hosting_http import write_competition
from benchmarks.leaderboard_reads import connected, connection_to, fill_board, get, processor_seconds, read_page
from benchmarks.row import Row

READS, CHANGES = 400, 60
FEW, MANY = 10, 10_000
PAGE = "/competitions/board-{}/leaderboard"


def run() -> list[Row]:
    """All rows."""
    labels = np.random.default_rng(0).integers(0, 2, 1000)
    with TemporaryDirectory() as name:
        folder = Path(name)
        competitions = [write_competition(folder / f"board-{teams}", labels) for teams in (FEW, MANY)]
        with serving(folder, *competitions) as server:
            database = next(folder.glob("data-of-*/ladderboard.db"))
            for teams in (FEW, MANY):
                fill_board(database, f"board-{teams}", teams)
            page = read_page(server, PAGE.format(MANY))
            loaded = sum(len(read_page(server, address)) for address in _assets(page))
            drawn = {teams: _each(server, teams, READS) for teams in (FEW, MANY)}
            changed = {teams: _each(server, teams, CHANGES, database) for teams in (FEW, MANY)}
    what = f"the board's page with {MANY:,} teams against one with {FEW}, processor time of the server"
    return [
        Row(what, drawn[MANY], drawn[FEW], 2.0),
        Row(f"{what}, the first after a change", changed[MANY], changed[FEW], 2.0),
        Row("the page itself, against 150 kB", len(page) / 1000, 150, 1.0, unit="kB"),
        Row("its style and script together, against 100 kB", loaded / 1000, 100, 1.0, unit="kB"),
    ]


def _assets(page: bytes) -> list[str]:
    return [str(found) for found in re.findall(r'(?:src|href)="(/static/[^"]+\.(?:css|js)[^"]*)"', page.decode())]


def _each(server: Served, teams: int, reads: int, changed: Path | None = None) -> float:
    """Seconds for each read; with ``changed`` the board is another one before each of them."""
    read_page(server, PAGE.format(teams))
    before = processor_seconds(server)
    with connection_to(server) as http:
        for _ in range(reads):
            if changed is not None:
                with connected(changed) as connection:
                    slug = f"board-{teams}"
                    connection.execute(
                        "UPDATE competitions SET board_version = board_version + 1 WHERE slug = ?", (slug,)
                    )
            get(http, PAGE.format(teams))
    return (processor_seconds(server) - before) / reads
