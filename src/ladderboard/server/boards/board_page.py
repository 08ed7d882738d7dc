"""A page of the public board, as everybody may read it. A board that shows no scores lists its teams by name.

Rendered pages are kept until the board changes: every request reads the board's version from the database first, so a
release by another process is never missed.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sized
from dataclasses import dataclass
from datetime import datetime
from threading import Lock
from typing import Any, TypeVar

from ladderboard.server.boards import sql as standings
from ladderboard.server.boards.records import BoardRow, Entrant, TeamStanding
from ladderboard.server.boards.standings import NOWHERE, Ranks
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.db.database import Connection
from ladderboard.server.people.names import name_key
from ladderboard.server.services import Services

MOST_KEPT = 16 << 20

Rendered = TypeVar("Rendered", bound=Sized)


class BoardCache:
    """The last version of each page, up to a total length; the least recently used go first. Safe among threads.

    A page that was rendered again takes the place of the one before, so a busy board holds no more than a quiet one.
    """

    def __init__(self, *, most: int = MOST_KEPT) -> None:
        self._most, self._size, self._guard = most, 0, Lock()
        self._contents: OrderedDict[Hashable, tuple[Hashable, Any]] = OrderedDict()

    def get(self, page: Hashable, version: Hashable, render: Callable[[], Rendered]) -> Rendered:
        """Return the content of a page; ``render`` makes it where this version is not kept."""
        with self._guard:
            if page in self._contents and self._contents[page][0] == version:
                self._contents.move_to_end(page)
                kept: Rendered = self._contents[page][1]
                return kept
        content = render()
        with self._guard:
            _, before = self._contents.pop(page, (None, ""))
            self._contents[page] = version, content
            self._size += len(content) - len(before)
            while self._size > self._most:
                self._size -= len(self._contents.popitem(last=False)[1][1])
        return content


ROWS_AT_ONCE = 1000
_ALL = 1_000_000
"""More rows than a board with one instance per rank can have."""


@dataclass(frozen=True)
class BoardPage:
    """Some rows in the order of display, and the ranks of the whole board."""

    rows: tuple[BoardRow, ...]
    total: int
    updated: datetime
    """When anything last happened in the competition."""
    ranks: Ranks


def read_board_page(
    services: Services,
    live: LiveCompetition,
    *,
    page: int,
    per_page: int,
    search: str = "",
    with_histories: bool = False,
) -> BoardPage:
    """Read the page of that number, from 1; with ``search`` only teams whose names contain these letters."""
    offset, words = (page - 1) * per_page, name_key(search)
    with services.database.reading() as connection:
        updated, ranks = standings.read_last_change(connection, live.slug), Ranks.read(connection, live)
        if not live.mechanism.shows_scores:
            entrants, total = standings.list_entrants(connection, live.slug, words, offset=offset, limit=per_page)
            return BoardPage(tuple(map(_make_entrant_row, entrants)), total, updated, ranks)
        if words:
            found, total = _search(connection, live, words, offset=offset, limit=per_page)
        else:
            found = _list(connection, live, offset=offset, limit=per_page)
            total = standings.count_shown(connection, live.slug)
        histories = standings.list_board_values(connection, [one.id for one in found]) if with_histories else {}
    rows = tuple(_row(ranks, one, tuple(histories.get(one.id, ()))) for one in found)
    return BoardPage(rows, total, updated, ranks)


def stream_board(services: Services, live: LiveCompetition) -> Iterator[BoardRow]:
    """Yield every row, with few of them in memory at a time."""
    offset = 0
    with services.database.reading() as connection:
        ranks = Ranks.read(connection, live)
        while True:
            rows = _read_rows(connection, live, ranks, offset=offset)
            yield from rows
            if len(rows) < ROWS_AT_ONCE:
                return
            offset += ROWS_AT_ONCE


def count_teams(connection: Connection, live: LiveCompetition) -> int:
    """Count the teams on the board; baselines are not teams."""
    count = standings.count_teams if live.mechanism.shows_scores else standings.count_entrants
    return count(connection, live.slug)


def _read_rows(connection: Connection, live: LiveCompetition, ranks: Ranks, *, offset: int) -> list[BoardRow]:
    if live.mechanism.shows_scores:
        return [_row(ranks, one) for one in _list(connection, live, offset=offset, limit=ROWS_AT_ONCE)]
    entrants, _ = standings.list_entrants(connection, live.slug, offset=offset, limit=ROWS_AT_ONCE)
    return [_make_entrant_row(one) for one in entrants]


def _make_entrant_row(one: Entrant) -> BoardRow:
    return BoardRow(None, None, one.name, "team", None, one.attempts, last_improvement=None, is_tied=False, id=one.id)


def _row(ranks: Ranks, standing: TeamStanding, history: tuple[float, ...] = ()) -> BoardRow:
    is_team = standing.kind == "team"
    place = ranks.place(standing.board_order, standing.board_value, standing.standard_error) if is_team else NOWHERE
    return BoardRow(
        rank=place.rank,
        rank_range=place.rank_range,
        team=standing.name,
        kind=standing.kind,
        value=standing.board_value,
        attempts=standing.attempts,
        last_improvement=standing.last_improved_at,
        is_tied=is_team and ranks.is_tied(standing.board_order),
        id=standing.id,
        history=history,
    )


# -- the order of display ---------------------------------------------------------------------------------------------
# A row's order is its value as a loss, so the database sorts. Where ranks are the instances a team's order is its rung,
# and the few rows of such a board are put in order here.


def _list(connection: Connection, live: LiveCompetition, *, offset: int, limit: int) -> list[TeamStanding]:
    if live.is_ranked:
        return _list_by_rung(connection, live)[offset : offset + limit]
    return standings.list_standings(connection, live.slug, offset=offset, limit=limit)


def _search(
    connection: Connection, live: LiveCompetition, words: str, *, offset: int, limit: int
) -> tuple[list[TeamStanding], int]:
    if not live.is_ranked:
        return standings.search_standings(connection, live.slug, words, offset=offset, limit=limit)
    named, total = standings.search_standings(connection, live.slug, words, offset=0, limit=_ALL)
    ids = {one.id for one in named}
    return [one for one in _list_by_rung(connection, live) if one.id in ids][offset : offset + limit], total


def _list_by_rung(connection: Connection, live: LiveCompetition) -> list[TeamStanding]:
    """List teams by rung; a baseline is placed above the first team whose score is no better."""
    found = standings.list_standings(connection, live.slug, offset=0, limit=_ALL)
    rows, loss = [one for one in found if one.kind == "team"], live.yardstick.loss
    for baseline in sorted((one for one in found if one.kind != "team"), key=lambda one: loss(one.board_value)):
        beaten = (
            index
            for index, one in enumerate(rows)
            if one.kind == "team" and loss(one.board_value) >= loss(baseline.board_value)
        )
        rows.insert(next(beaten, len(rows)), baseline)
    return rows
