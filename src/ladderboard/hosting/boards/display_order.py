"""Rows of the public board in the order of display, each baseline where its number puts it.

A row's order is its value as a loss, so that the database sorts; where ranks are the instances a team's order is its
rung, and the few rows that such a board has are put in order here.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row

from ladderboard.hosting.live_competition import LiveCompetition
from ladderboard.store import standings

_ALL = 1_000_000
"""More rows than rungs and baselines can be."""


def rows_in_order(connection: Connection, live: LiveCompetition, *, offset: int, limit: int) -> Sequence[Row[Any]]:
    """Some rows, from ``offset`` on."""
    if live.is_ranked:
        return _ranked(connection, live)[offset : offset + limit]
    return standings.page(connection, live.slug, offset=offset, limit=limit)


def rows_named(
    connection: Connection, live: LiveCompetition, words: str, *, offset: int, limit: int
) -> tuple[Sequence[Row[Any]], int]:
    """Some of the rows whose team's name has these words in it, and how many there are."""
    if not live.is_ranked:
        return standings.found(connection, live.slug, words, offset=offset, limit=limit)
    named = {row.id for row in standings.found(connection, live.slug, words, offset=0, limit=_ALL)[0]}
    rows = [row for row in _ranked(connection, live) if row.id in named]
    return rows[offset : offset + limit], len(rows)


def _ranked(connection: Connection, live: LiveCompetition) -> list[Row[Any]]:
    """Teams by their rungs; a baseline stands above the first team whose number is no better."""
    found = standings.page(connection, live.slug, offset=0, limit=_ALL)
    rows, loss = [row for row in found if row.kind == "team"], live.yardstick.loss
    for baseline in sorted((row for row in found if row.kind != "team"), key=lambda row: loss(row.board_value)):
        beaten = (
            index
            for index, row in enumerate(rows)
            if row.kind == "team" and loss(row.board_value) >= loss(baseline.board_value)
        )
        rows.insert(next(beaten, len(rows)), baseline)
    return rows
