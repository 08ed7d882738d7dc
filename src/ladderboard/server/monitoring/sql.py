"""How much each competition holds, and what waits to be delivered."""

from sqlalchemy import ColumnElement, Connection, ScalarSelect, func, select

from ladderboard.server.competitions.records import CompetitionCounts
from ladderboard.server.db.schema import competitions, deliveries, flags, teams


def count_by_competition(connection: Connection) -> list[CompetitionCounts]:
    """Scored submissions, active teams, open flags and ledger entries of every competition."""
    active = _count_rows(teams.c.competition, teams.c.status == "active")
    unseen = _count_rows(flags.c.competition, flags.c.dismissed_at.is_(None))
    columns = competitions.c.slug, competitions.c.last_number, active, unseen, competitions.c.ledger_length
    return [CompetitionCounts(*row) for row in connection.execute(select(*columns).order_by(competitions.c.slug))]


def _count_rows(competition: ColumnElement[str], condition: ColumnElement[bool]) -> ScalarSelect[int]:
    counted = select(func.count()).where(competition == competitions.c.slug, condition)
    return counted.correlate(competitions).scalar_subquery()


def count_waiting(connection: Connection) -> int:
    """Count the deliveries that wait."""
    return int(connection.scalar(select(func.count()).where(deliveries.c.next_at.is_not(None))) or 0)
