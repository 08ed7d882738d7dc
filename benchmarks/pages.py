"""The board's page: as fast and as small with 10,000 teams as with 50, and what a browser loads beside it.

Processor time of the server, so that a busy machine changes little: reads of what was drawn already, and reads of which
each is the first after a team in the first rows got another number. Both boards are read in turn, a few times each.
"""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks._served import Served, serving
from benchmarks.hosting_http import write_competition
from benchmarks.leaderboard_reads import connected, connection_to, fill_board, get, processor_seconds, read_page
from benchmarks.row import Row

READS, CHANGES, TURNS = 50, 10, 10
FEW, MANY = 50, 10_000
"""Both fill a page: what is compared is the board, not the number of rows shown."""
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
            drawn = _in_turn(server, READS)
            changed = _in_turn(server, CHANGES, database)
    what = f"the board's page with {MANY:,} teams against one with {FEW}, processor time of the server"
    return [
        Row(what, drawn[MANY], drawn[FEW], 2.0),
        Row(f"{what}, the first after a change", changed[MANY], changed[FEW], 2.0),
        Row("the page itself, against 150 kB", len(page) / 1000, 150, 1.0, unit="kB"),
        Row("its style and script together, against 100 kB", loaded / 1000, 100, 1.0, unit="kB"),
    ]


def _assets(page: bytes) -> list[str]:
    return [str(found) for found in re.findall(r'(?:src|href)="(/static/[^"]+\.(?:css|js)[^"]*)"', page.decode())]


def _in_turn(server: Served, reads: int, changed: Path | None = None) -> dict[int, float]:
    """Seconds for each read of each board; with ``changed``, its database, the board is another one before each."""
    spent = dict.fromkeys((FEW, MANY), 0.0)
    for teams in (FEW, MANY):
        read_page(server, PAGE.format(teams))
    for turn in range(TURNS):
        for teams in (FEW, MANY):
            before = processor_seconds(server)
            with connection_to(server) as http:
                for number in range(turn * reads, (turn + 1) * reads):
                    if changed is not None:
                        _change(changed, f"board-{teams}", number)
                    get(http, PAGE.format(teams))
            spent[teams] += processor_seconds(server) - before
    return {teams: seconds / (reads * TURNS) for teams, seconds in spent.items()}


def _change(database: Path, slug: str, number: int) -> None:
    """One of the first teams moves up or down by a step of the grid, as if it had been told another number."""
    moved = 0.01 if number % 2 else -0.01
    one = "SELECT id FROM teams WHERE competition = ? AND status = 'active' ORDER BY board_order LIMIT 1 OFFSET ?"
    with connected(database) as connection:
        (team,) = connection.execute(one, (slug, number % FEW)).fetchone()
        connection.execute(
            "UPDATE teams SET board_value = round(board_value + ?, 2), board_order = -round(board_value + ?, 2), "
            "attempts = attempts + 1, last_improved_at = last_improved_at + 1 WHERE id = ?",
            (moved, moved, team),
        )
        connection.execute("UPDATE competitions SET board_version = board_version + 1 WHERE slug = ?", (slug,))
