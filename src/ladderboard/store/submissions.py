"""Reading submissions: a team's own, newest first."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ColumnElement, Connection, Row, func, select, type_coerce, update

from ladderboard.store.schema import submissions

HOUR_MICROSECONDS = 3_600_000_000

SHOWN: tuple[ColumnElement[Any], ...] = (
    submissions.c.id,
    submissions.c.competition,
    submissions.c.team_id,
    submissions.c.number,
    submissions.c.phase,
    submissions.c.received_at,
    submissions.c.file_name,
    submissions.c.file_size,
    submissions.c.file_digest,
    submissions.c.note,
    submissions.c.release,
    submissions.c.scoring_version,
    submissions.c.picked_at,
)
"""What may be shown to the team itself: nothing beyond the release."""


def of_team(connection: Connection, team_id: str, *, offset: int, limit: int) -> Sequence[Row[Any]]:
    """A part of a team's submissions, newest first."""
    mine = select(*SHOWN).where(submissions.c.team_id == team_id).order_by(submissions.c.number.desc())
    return connection.execute(mine.offset(offset).limit(limit)).all()


def count_of_team(connection: Connection, team_id: str) -> int:
    """How many submissions a team has."""
    mine = submissions.c.team_id == team_id
    return int(connection.scalar(select(func.count()).select_from(submissions).where(mine)) or 0)


def one_of_team(connection: Connection, team_id: str, submission_id: str) -> Row[Any] | None:
    """The team's submission of that id; None also where it is another team's."""
    mine = (submissions.c.id == submission_id) & (submissions.c.team_id == team_id)
    return connection.execute(select(*SHOWN).where(mine)).one_or_none()


def set_note(connection: Connection, submission_id: str, note: str) -> None:
    """Replace what a team noted of a submission."""
    connection.execute(update(submissions).where(submissions.c.id == submission_id).values(note=note))


def count_by_hour(connection: Connection, slug: str, *, since: datetime) -> list[tuple[int, int]]:
    """Count submissions by hour: (hours since 1970, number), in order; hours without any are left out."""
    hour = type_coerce(submissions.c.received_at, BigInteger) // HOUR_MICROSECONDS
    wanted = (submissions.c.competition == slug) & (submissions.c.received_at >= since)
    grouped = select(hour.label("hour"), func.count()).where(wanted).group_by(hour).order_by(hour)
    return [(int(begins), int(number)) for begins, number in connection.execute(grouped)]
