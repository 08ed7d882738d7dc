"""Reading submissions: a team's own, newest first."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, select, update

from ladderboard.store.schema import submissions

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
