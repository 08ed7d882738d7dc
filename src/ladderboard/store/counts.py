"""Counts for monitoring: rows of each competition, deliveries that wait, connections in use."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, ScalarSelect, func, select
from sqlalchemy.pool import QueuePool

from ladderboard.store.database import Database
from ladderboard.store.schema import competitions, flags, teams


@dataclass(frozen=True)
class CompetitionCounts:
    """The size of one competition."""

    slug: str
    submissions: int
    teams: int
    flags: int
    ledger_entries: int


def count_by_competition(connection: Connection) -> list[CompetitionCounts]:
    """Scored submissions, active teams, open flags and ledger entries of every competition."""
    active = _count_rows(teams.c.competition, teams.c.status == "active")
    unseen = _count_rows(flags.c.competition, flags.c.dismissed_at.is_(None))
    columns = competitions.c.slug, competitions.c.last_number, active, unseen, competitions.c.ledger_length
    return [CompetitionCounts(*row) for row in connection.execute(select(*columns).order_by(competitions.c.slug))]


def count_connections_in_use(database: Database) -> int:
    """Connections that this process has taken from its pool; -1 where the pool does not count."""
    pool = database.engine.pool
    return pool.checkedout() if isinstance(pool, QueuePool) else -1


def _count_rows(competition: ColumnElement[str], condition: ColumnElement[bool]) -> ScalarSelect[int]:
    counted = select(func.count()).where(competition == competitions.c.slug, condition)
    return counted.correlate(competitions).scalar_subquery()
