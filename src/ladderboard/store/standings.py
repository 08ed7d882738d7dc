"""The board's rows: pages in its order, and counts over its index. Released numbers only."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from math import inf
from typing import Any, NamedTuple

from sqlalchemy import BindParameter, ColumnElement, Connection, Row, bindparam, func, select

from ladderboard.store.schema import competitions, ledger, teams

SHOWN = (
    teams.c.id,
    teams.c.name,
    teams.c.kind,
    teams.c.attempts,
    teams.c.board_value,
    teams.c.board_order,
    teams.c.last_improved_at,
)

_DATES: tuple[Any, ...] = tuple(
    competitions.c[name]
    for name in (
        "board_version",
        "opened_at",
        "frozen_at",
        "finalized_at",
        "revealed_at",
        "spent_at",
        "scoring_version",
    )
)


def version_of(connection: Connection, slug: str) -> Row[Any]:
    """The competition's dates and the version of its board: one row, by its key."""
    return connection.execute(VERSION, {"slug": slug}).one()


class Version(NamedTuple):
    """What names a board as it is at one moment, and no other.

    The head of the ledger is a hash of all that happened: a number that was never committed may be given again, a head
    may not.
    """

    number: int
    head: str


def board_version(connection: Connection, slug: str) -> Version:
    """The version of the board that this connection sees."""
    return Version._make(connection.execute(_BOARD_VERSION, {"slug": slug}).one())


def count_teams(connection: Connection, slug: str, *, since: float = -inf, below: float = inf) -> int:
    """How many teams with a number there are, with an order from ``since`` on and less than ``below``.

    Baselines are not teams. Counted for every submission: the statement is built once.
    """
    return int(connection.scalar(_COUNT, {"slug": slug, "since": since, "below": below}) or 0)


def count_between(connection: Connection, slug: str, bounds: Sequence[float]) -> list[int]:
    """How many teams have an order from each bound on and less than the next one: one statement for all stretches."""
    given = {f"bound_{index}": bound for index, bound in enumerate(bounds)}
    row = connection.execute(_stretches(len(bounds) - 1), {"slug": slug, **given}).one()
    return [int(count) for count in row]


def orders_of(connection: Connection, slug: str) -> Sequence[tuple[float, str, int]]:
    """(order, kind, how many rows have both), best first: from the index alone, gone through once."""
    return [(order, kind, count) for order, kind, count in connection.execute(_ORDERS, {"slug": slug})]


def values_of(connection: Connection, slug: str) -> Sequence[float]:
    """The value of every ranked team, for boards that have few of them."""
    ranked = _shown(slug) & (teams.c.kind == "team")
    return list(connection.scalars(select(teams.c.board_value).where(ranked)))


def last_number_of(connection: Connection, slug: str) -> int:
    """The number of the latest submission."""
    return int(connection.scalar(_LAST_NUMBER, {"slug": slug}) or 0)


def page(connection: Connection, slug: str, *, offset: int, limit: int) -> Sequence[Row[Any]]:
    """Rows in the order of display, baselines in their places."""
    return connection.execute(_PAGE, {"slug": slug, "passed_over": offset, "most": limit}).all()


def found(connection: Connection, slug: str, words: str, *, offset: int, limit: int) -> tuple[Sequence[Row[Any]], int]:
    """The rows whose team's name has these words in it, and how many there are."""
    named = teams.c.name_key.contains(words, autoescape=True)
    total = connection.scalar(select(func.count()).select_from(teams).where(_shown(slug), named))
    return connection.execute(_listed(slug).where(named).offset(offset).limit(limit)).all(), int(total or 0)


def last_change(connection: Connection, slug: str) -> datetime:
    """The time of the ledger's last entry: whatever changes a board leaves one."""
    last = select(competitions.c.ledger_length).where(competitions.c.slug == slug).scalar_subquery()
    mine = (ledger.c.competition == slug) & (ledger.c.seq == last)
    found: datetime = connection.execute(select(ledger.c.at).where(mine)).scalar_one()
    return found


def _listed(slug: str | BindParameter[str]) -> Any:
    order = (teams.c.board_order, teams.c.kind, teams.c.last_improvement, teams.c.id)
    return select(*SHOWN).where(_shown(slug)).order_by(*order)


def _shown(slug: str | BindParameter[str]) -> ColumnElement[bool]:
    return (teams.c.competition == slug) & (teams.c.status == "active") & teams.c.board_order.is_not(None)


def _counted(since: str, below: str) -> Any:
    return (
        select(func.count())
        .select_from(teams)
        .where(
            teams.c.competition == bindparam("slug"),
            teams.c.status == "active",
            teams.c.kind == "team",
            teams.c.board_order >= bindparam(since),
            teams.c.board_order < bindparam(below),
        )
    )


@cache
def _stretches(number: int) -> Any:
    parts = (_counted(f"bound_{index}", f"bound_{index + 1}") for index in range(number))
    return select(*(part.scalar_subquery().label(f"stretch_{index}") for index, part in enumerate(parts)))


_ORDER_AND_KIND = (teams.c.board_order, teams.c.kind)

VERSION = select(*_DATES).where(competitions.c.slug == bindparam("slug"))
_BOARD_VERSION = select(competitions.c.board_version, competitions.c.ledger_head).where(
    competitions.c.slug == bindparam("slug")
)
_PAGE = _listed(bindparam("slug")).offset(bindparam("passed_over")).limit(bindparam("most"))
_ORDERS = (
    select(*_ORDER_AND_KIND, func.count())
    .where(_shown(bindparam("slug")))
    .group_by(*_ORDER_AND_KIND)
    .order_by(*_ORDER_AND_KIND)
)
_COUNT = _counted("since", "below")
_LAST_NUMBER = select(competitions.c.last_number).where(competitions.c.slug == bindparam("slug"))
"""Built once: building a statement takes longer than running it."""
