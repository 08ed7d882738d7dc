"""The rows of competitions, and how much each of them holds."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, ScalarSelect, bindparam, func, insert, select, update

from ladderboard.core.ledger import GENESIS
from ladderboard.server.competitions.records import CompetitionCounts, CompetitionDates, CompetitionRecord
from ladderboard.server.db.rows import find_record, make_record, make_records, select_fields
from ladderboard.server.db.schema import competitions, flags, teams


def add_competition(connection: Connection, slug: str, *, now: datetime, **values: Any) -> None:
    """Add a competition with an empty ledger."""
    row = {"slug": slug, "created_at": now, "ledger_head": GENESIS, **values}
    connection.execute(insert(competitions).values(row))


def find_competition(connection: Connection, slug: str) -> CompetitionRecord | None:
    """Find a competition; None where there is none of that name."""
    return find_record(CompetitionRecord, connection.execute(_COMPETITION, {"slug": slug}))


def read_competition(connection: Connection, slug: str) -> CompetitionRecord:
    """Read a competition that is being served, and therefore exists."""
    return make_record(CompetitionRecord, connection.execute(_COMPETITION, {"slug": slug}).one())


def list_competitions(connection: Connection, slugs: Collection[str]) -> dict[str, CompetitionRecord]:
    """List these competitions by slug."""
    rows = connection.execute(select(competitions).where(competitions.c.slug.in_(list(slugs))))
    return {record.slug: record for record in make_records(CompetitionRecord, rows)}


def read_dates(connection: Connection, slug: str) -> CompetitionDates:
    """Read the dates of a competition: one row, by its key."""
    return make_record(CompetitionDates, connection.execute(_DATES, {"slug": slug}).one())


def change_competition(connection: Connection, slug: str, **values: Any) -> None:
    """Change the competition's row; whatever changes there changes what its board says."""
    changed = update(competitions).where(competitions.c.slug == slug)
    connection.execute(changed.values(board_version=competitions.c.board_version + 1, **values))


def count_by_competition(connection: Connection) -> list[CompetitionCounts]:
    """Scored submissions, active teams, open flags and ledger entries of every competition."""
    active = _count_rows(teams.c.competition, teams.c.status == "active")
    unseen = _count_rows(flags.c.competition, flags.c.dismissed_at.is_(None))
    columns = competitions.c.slug, competitions.c.last_number, active, unseen, competitions.c.ledger_length
    return [CompetitionCounts(*row) for row in connection.execute(select(*columns).order_by(competitions.c.slug))]


def _count_rows(competition: ColumnElement[str], condition: ColumnElement[bool]) -> ScalarSelect[int]:
    counted = select(func.count()).where(competition == competitions.c.slug, condition)
    return counted.correlate(competitions).scalar_subquery()


_COMPETITION = select(competitions).where(competitions.c.slug == bindparam("slug"))
_DATES = select_fields(CompetitionDates, competitions).where(competitions.c.slug == bindparam("slug"))
"""Built once: building a statement takes longer than running it."""
