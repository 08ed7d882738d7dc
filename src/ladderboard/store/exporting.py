"""Whole tables of a competition for the organiser's export: page by page, so that none is ever in memory at once."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select

from ladderboard.store.schema import accounts, flags, members, rescored, submissions, teams

AT_ONCE = 1000


def read_teams(connection: Connection, slug: str) -> Iterator[Row[Any]]:
    """Every team, also those that are hidden, by id."""
    yield from _by_key(connection, select(teams).where(teams.c.competition == slug), teams.c.id, "")


def read_members(connection: Connection, slug: str) -> Iterator[Row[Any]]:
    """Who is, or was, in which team."""
    wanted = (
        select(members.c.account_id, accounts.c.name, members.c.team_id, members.c.joined_at, members.c.left_at)
        .join_from(members, accounts, members.c.account_id == accounts.c.id)
        .where(members.c.competition == slug)
    )
    yield from _by_key(connection, wanted, members.c.account_id, "")


def read_standings(connection: Connection, slug: str) -> Iterator[Row[Any]]:
    """The public board: ranks from released numbers; baselines have none. As large as there are teams."""
    shown = (teams.c.competition == slug) & (teams.c.status == "active") & teams.c.board_order.is_not(None)
    rank = func.rank().over(order_by=teams.c.board_order).label("rank")
    ranked = select(teams.c.id, rank).where(shown & (teams.c.kind == "team")).subquery()
    wanted = (
        select(ranked.c.rank, teams)
        .join_from(teams, ranked, teams.c.id == ranked.c.id, isouter=True)
        .where(shown)
        .order_by(teams.c.board_order, teams.c.last_improvement, teams.c.id)
    )
    yield from connection.execute(wanted)


def read_submissions(connection: Connection, slug: str) -> Iterator[Row[Any]]:
    """Every submission with the names of its team and its sender, in the order of the board."""
    wanted = (
        select(submissions, teams.c.name.label("team"), accounts.c.name.label("sender"))
        .join_from(submissions, teams, submissions.c.team_id == teams.c.id)
        .outerjoin(accounts, submissions.c.account_id == accounts.c.id)
        .where(submissions.c.competition == slug)
    )
    yield from _by_key(connection, wanted, submissions.c.number, 0)


def read_rescored(connection: Connection, slug: str) -> Iterator[Row[Any]]:
    """The releases of other scoring versions."""
    wanted = (
        select(submissions.c.number, rescored)
        .join_from(rescored, submissions, rescored.c.submission_id == submissions.c.id)
        .where(submissions.c.competition == slug)
        .order_by(submissions.c.number, rescored.c.scoring_version)
    )
    yield from connection.execution_options(yield_per=AT_ONCE).execute(wanted)


def read_flags(connection: Connection, slug: str) -> Iterator[Row[Any]]:
    """What was flagged to the organiser."""
    wanted = (
        select(flags, teams.c.name.label("team"))
        .join_from(flags, teams, flags.c.team_id == teams.c.id)
        .where(flags.c.competition == slug)
    )
    yield from _by_key(connection, wanted, flags.c.id, "")


def _by_key(connection: Connection, wanted: Select[Any], key: Any, first: Any) -> Iterator[Row[Any]]:
    """Rows in the order of a unique key, a page at a time."""
    after = first
    while True:
        page = connection.execute(wanted.where(key > after).order_by(key).limit(AT_ONCE)).all()
        yield from page
        if len(page) < AT_ONCE:
            return
        after = getattr(page[-1], key.name)
