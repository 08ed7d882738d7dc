"""The ledger as it is read: by pages, or all of it in a stream; openings only for those who may see them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, case, null, select, true

from ladderboard.store.schema import competitions, ledger, teams

AT_ONCE = 500
"""Rows that are in memory together while a whole ledger is read."""


@dataclass(frozen=True)
class Openings:
    """Whose openings are shown: nobody's, those of some teams, or all (after the reveal, or to the organiser)."""

    teams: Sequence[str] = ()
    all: bool = False


NO_OPENINGS = Openings()
ALL_OPENINGS = Openings(all=True)


def read_page(
    connection: Connection, slug: str, *, after: int, limit: int, openings: Openings = NO_OPENINGS
) -> list[Row[Any]]:
    """At most ``limit`` entries after the one with the number ``after``."""
    return list(connection.execute(_entries(slug, openings).where(ledger.c.seq > after).limit(limit)))


def stream(
    connection: Connection, slug: str, *, until: int, after: int = 0, openings: Openings = NO_OPENINGS
) -> Iterator[list[Row[Any]]]:
    """The entries after one up to another, as pages: few are in memory at a time, and no cursor stays open."""
    while after < until:
        page = read_page(connection, slug, after=after, limit=min(AT_ONCE, until - after), openings=openings)
        if not page:
            return
        yield page
        after = page[-1].seq


def team_and_merged(connection: Connection, team_id: str) -> list[str]:
    """A team and those that were merged into it: what they did is its own history."""
    found, new = {team_id}, {team_id}
    while new:
        new = set(connection.scalars(select(teams.c.id).where(teams.c.merged_into.in_(new)))) - found
        found |= new
    return sorted(found)


def _entries(slug: str, openings: Openings) -> Select[Any]:
    # What may not be seen is never read from the database.
    may_be_seen: ColumnElement[bool] = true() if openings.all else ledger.c.team_id.in_(openings.teams)
    salt = case((ledger.c.team_id.is_(None), competitions.c.commitment_salt), else_=teams.c.salt)
    return (
        select(
            *(ledger.c[name] for name in ("seq", "at", "kind", "body", "sealed", "previous", "hash", "team_id")),
            case((may_be_seen, ledger.c.opening), else_=null()).label("opening"),
            case((may_be_seen & ledger.c.opening.is_not(None), salt), else_=null()).label("salt"),
        )
        .select_from(ledger.join(competitions).outerjoin(teams, ledger.c.team_id == teams.c.id))
        .where(ledger.c.competition == slug)
        .order_by(ledger.c.seq)
    )
