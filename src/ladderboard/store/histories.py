"""What a team was told, in the order of its attempts: for the charts of its own pages and of the board."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, select

from ladderboard.store.schema import accounts, submissions

COLUMNS: tuple[ColumnElement[Any], ...] = (
    submissions.c.id,
    submissions.c.number,
    submissions.c.release,
    submissions.c.accepted,
    submissions.c.improved,
    submissions.c.board_value,
)


def told_to(connection: Connection, team_id: str, *, most: int) -> Sequence[Row[Any]]:
    """The last attempts of a team on the board, oldest first; late ones stand apart and are not among them."""
    mine = (submissions.c.team_id == team_id) & (submissions.c.phase == "live")
    newest = select(*COLUMNS).where(mine).order_by(submissions.c.number.desc()).limit(most)
    return list(reversed(connection.execute(newest).all()))


def before(connection: Connection, team_id: str, number: int) -> Row[Any] | None:
    """The team's attempt before the one of this number."""
    mine = (submissions.c.team_id == team_id) & (submissions.c.phase == "live") & (submissions.c.number < number)
    newest = select(*COLUMNS).where(mine).order_by(submissions.c.number.desc()).limit(1)
    return connection.execute(newest).one_or_none()


def ordinal(connection: Connection, team_id: str, number: int) -> int:
    """Which one of the team's submissions has this number: 1, 2, …"""
    mine = (submissions.c.team_id == team_id) & (submissions.c.number <= number)
    return int(connection.scalar(select(func.count()).select_from(submissions).where(mine)) or 0)


def sender(connection: Connection, submission_id: str) -> str | None:
    """The name of the person who sent a submission; None for an organiser's baseline."""
    joined = select(accounts.c.name).join_from(submissions, accounts, submissions.c.account_id == accounts.c.id)
    return connection.scalar(joined.where(submissions.c.id == submission_id))


def board_values(connection: Connection, team_ids: Sequence[str]) -> dict[str, list[float]]:
    """For each of these teams the numbers that the board has shown, oldest first: those of accepted attempts."""
    shown = submissions.c.team_id.in_(team_ids) & submissions.c.accepted & (submissions.c.phase != "late")
    listed = select(submissions.c.team_id, submissions.c.board_value).where(shown).order_by(submissions.c.number)
    found: dict[str, list[float]] = {team_id: [] for team_id in team_ids}
    for team_id, value in connection.execute(listed):
        if value is not None:
            found[team_id].append(value)
    return found
