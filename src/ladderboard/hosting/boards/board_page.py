"""A page of the public board, as everybody may read it."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row

from ladderboard.hosting.boards.display_order import rows_in_order, rows_named
from ladderboard.hosting.boards.standings import NOWHERE, Place, Ranks
from ladderboard.hosting.live_competition import LiveCompetition
from ladderboard.hosting.people.names import name_key
from ladderboard.store import standings

ROWS_AT_ONCE = 1000


@dataclass(frozen=True)
class BoardRow:
    """One row."""

    place: Place
    team: str
    kind: str
    value: float
    attempts: int
    last_improvement: datetime | None
    is_tied: bool


@dataclass(frozen=True)
class BoardPage:
    """Some rows in the order of display; ``updated``: when anything last happened in the competition."""

    rows: tuple[BoardRow, ...]
    total: int
    updated: datetime


def board_page(
    connection: Connection, live: LiveCompetition, *, page: int, per_page: int, search: str = ""
) -> BoardPage:
    """The page of that number, from 1; with ``search`` only teams whose names have these letters in them."""
    offset, words = (page - 1) * per_page, name_key(search)
    ranks = Ranks.remembered(connection, live)
    if words:
        rows, total = rows_named(connection, live, words, offset=offset, limit=per_page)
    else:
        rows, total = rows_in_order(connection, live, offset=offset, limit=per_page), ranks.shown
    return BoardPage(tuple(_row(ranks, row) for row in rows), total, standings.last_change(connection, live.slug))


def whole_board(connection: Connection, live: LiveCompetition) -> Iterator[BoardRow]:
    """Every row, few in memory at a time."""
    ranks, offset = Ranks.remembered(connection, live), 0
    while True:
        rows = rows_in_order(connection, live, offset=offset, limit=ROWS_AT_ONCE)
        yield from (_row(ranks, row) for row in rows)
        if len(rows) < ROWS_AT_ONCE:
            return
        offset += ROWS_AT_ONCE


def _row(ranks: Ranks, row: Row[Any]) -> BoardRow:
    is_team = row.kind == "team"
    return BoardRow(
        place=ranks.place(row.board_order, row.board_value) if is_team else NOWHERE,
        team=row.name,
        kind=row.kind,
        value=row.board_value,
        attempts=row.attempts,
        last_improvement=row.last_improved_at,
        is_tied=is_team and ranks.is_tied(row.board_order),
    )
