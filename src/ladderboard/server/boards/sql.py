"""Standings of the public board: pages in the order of display, counts over its index. Released numbers only."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Connection, bindparam, func, select

from ladderboard.server.boards.records import Entrant, StandingCount, TeamStanding
from ladderboard.server.db.columns import make_records, select_fields
from ladderboard.server.db.schema import competitions, ledger, submissions, teams


def count_teams(connection: Connection, slug: str) -> int:
    """Count the teams that have a number on the board; baselines are not teams."""
    return int(connection.scalar(_COUNT, {"slug": slug}) or 0)


def count_shown(connection: Connection, slug: str) -> int:
    """Count the rows of the board: teams and baselines."""
    return int(connection.scalar(_COUNT_SHOWN, {"slug": slug}) or 0)


def count_standings(connection: Connection, slug: str) -> list[StandingCount]:
    """Count the teams that show the same numbers, best first."""
    return [StandingCount(*row) for row in connection.execute(_COUNTS, {"slug": slug})]


def list_standings(connection: Connection, slug: str, *, offset: int, limit: int) -> list[TeamStanding]:
    """List rows in the order of display, baselines in their places."""
    rows = connection.execute(_PAGE, {"slug": slug, "passed_over": offset, "most": limit})
    return make_records(TeamStanding, rows)


def search_standings(
    connection: Connection, slug: str, words: str, *, offset: int, limit: int
) -> tuple[list[TeamStanding], int]:
    """List the rows whose team's name contains these words, and count them."""
    is_named = teams.c.name_key.contains(words, autoescape=True)
    total = connection.scalar(select(func.count()).select_from(teams).where(_is_shown(slug), is_named))
    rows = connection.execute(_select_in_order(slug).where(is_named).offset(offset).limit(limit))
    return make_records(TeamStanding, rows), int(total or 0)


def count_entrants(connection: Connection, slug: str) -> int:
    """Count the teams that have submitted: what stands on a board that shows no scores."""
    return int(connection.scalar(select(func.count()).select_from(teams).where(_has_entered(slug))) or 0)


def list_entrants(
    connection: Connection, slug: str, words: str = "", *, offset: int, limit: int
) -> tuple[list[Entrant], int]:
    """List the teams that have submitted and whose names contain these words, by name; and count all of those."""
    is_found = _has_entered(slug) & teams.c.name_key.contains(words, autoescape=True)
    total = connection.scalar(select(func.count()).select_from(teams).where(is_found))
    page = select_fields(Entrant, teams).where(is_found).order_by(teams.c.name_key, teams.c.id)
    return make_records(Entrant, connection.execute(page.offset(offset).limit(limit))), int(total or 0)


def read_last_change(connection: Connection, slug: str) -> datetime:
    """Read the time of the ledger's last entry: whatever changes a board leaves one."""
    last = select(competitions.c.ledger_length).where(competitions.c.slug == slug).scalar_subquery()
    is_last = (ledger.c.competition == slug) & (ledger.c.seq == last)
    at: datetime = connection.execute(select(ledger.c.at).where(is_last)).scalar_one()
    return at


def _select_in_order(slug: str | BindParameter[str]) -> Any:
    order = (teams.c.board_order, teams.c.kind, teams.c.last_improvement, teams.c.id)
    return select_fields(TeamStanding, teams).where(_is_shown(slug)).order_by(*order)


def _is_shown(slug: str | BindParameter[str]) -> ColumnElement[bool]:
    return (teams.c.competition == slug) & (teams.c.status == "active") & teams.c.board_order.is_not(None)


def _has_entered(slug: str) -> ColumnElement[bool]:
    is_active = (teams.c.competition == slug) & (teams.c.status == "active") & (teams.c.kind == "team")
    return is_active & (teams.c.attempts > 0)


_PAGE = _select_in_order(bindparam("slug")).offset(bindparam("passed_over")).limit(bindparam("most"))
_IS_RANKED = _is_shown(bindparam("slug")) & (teams.c.kind == "team")
_NUMBERS = (teams.c.board_order, teams.c.board_value, teams.c.standard_error)
_COUNTS = (
    select(*_NUMBERS, func.count().label("teams")).where(_IS_RANKED).group_by(*_NUMBERS).order_by(teams.c.board_order)
)
_COUNT_SHOWN = select(func.count()).select_from(teams).where(_is_shown(bindparam("slug")))
_COUNT = select(func.count()).select_from(teams).where(_IS_RANKED)
"""Built once: building a statement takes longer than running it."""


def list_board_values(connection: Connection, team_ids: Sequence[str]) -> dict[str, list[float]]:
    """For each of these teams list the numbers that the board has shown, oldest first: those of accepted entries."""
    is_shown = submissions.c.team_id.in_(team_ids) & submissions.c.accepted & (submissions.c.phase != "late")
    shown = select(submissions.c.team_id, submissions.c.board_value).where(is_shown).order_by(submissions.c.number)
    values: dict[str, list[float]] = {team_id: [] for team_id in team_ids}
    for team_id, value in connection.execute(shown):
        if value is not None:
            values[team_id].append(value)
    return values
