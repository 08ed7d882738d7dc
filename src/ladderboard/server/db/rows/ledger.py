"""The ledger: entries appended in the transaction of what they record and never changed, read by pages."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, bindparam, case, insert, null, select, true, update

from ladderboard.core.ledger import Entry, seal
from ladderboard.server.audit.records import LedgerRow, Openings
from ladderboard.server.db.columns import make_records
from ladderboard.server.db.schema import competitions, ledger, teams

AT_ONCE = 500
"""Rows that are in memory together while a whole ledger is read."""
NO_OPENINGS = Openings()
ALL_OPENINGS = Openings(all=True)


def append(
    connection: Connection,
    slug: str,
    *,
    kind: str,
    at: datetime,
    body: dict[str, Any],
    opening: dict[str, Any] | None = None,
    salt: str | None = None,
    team_id: str | None = None,
) -> Entry:
    """Append an entry to a competition's chain. The caller's transaction holds the row (see `competitions.hold`).

    ``opening`` is sealed under ``salt`` (the team's, or the competition's commitment salt).
    """
    head = connection.execute(_HEAD, {"slug": slug}).one()
    entry = insert_after(
        connection,
        slug,
        follows=(head.ledger_length, head.ledger_head),
        kind=kind,
        at=at,
        body=body,
        opening=opening,
        salt=salt,
        team_id=team_id,
    )
    connection.execute(_ADVANCE, {"chain": slug, "ledger_length": entry.seq, "ledger_head": entry.hash})
    return entry


def insert_after(
    connection: Connection,
    slug: str,
    *,
    follows: tuple[int, str],
    kind: str,
    at: datetime,
    body: dict[str, Any],
    opening: dict[str, Any] | None,
    salt: str | None,
    team_id: str | None,
) -> Entry:
    """Insert an entry as `append` does, where the competition's row is at hand and about to be changed.

    ``follows``: the number and hash of the last entry; the caller writes those of this one to the competition's row.
    """
    length, head = follows
    sealed = None if opening is None or salt is None else seal(salt, opening)
    entry = Entry.following(head, seq=length + 1, at=at, kind=kind, body=body, sealed=sealed)
    row = {"competition": slug, "seq": entry.seq, "at": at, "kind": kind, "body": body, "sealed": sealed}
    chain = {"opening": opening, "team_id": team_id, "previous": entry.previous, "hash": entry.hash}
    connection.execute(insert(ledger), row | chain)
    return entry


def read_page(
    connection: Connection, slug: str, *, after: int, limit: int, openings: Openings = NO_OPENINGS
) -> list[LedgerRow]:
    """Read at most ``limit`` entries after the one with the number ``after``."""
    entries = _entries(slug, openings).where(ledger.c.seq > after).limit(limit)
    return make_records(LedgerRow, connection.execute(entries))


def stream_pages(
    connection: Connection, slug: str, *, until: int, after: int = 0, openings: Openings = NO_OPENINGS
) -> Iterator[list[LedgerRow]]:
    """Yield the entries after one up to another in pages: few are in memory at a time, and no cursor stays open."""
    while after < until:
        page = read_page(connection, slug, after=after, limit=min(AT_ONCE, until - after), openings=openings)
        if not page:
            return
        yield page
        after = page[-1].seq


def find_last_body(connection: Connection, slug: str, kinds: Sequence[str]) -> dict[str, Any] | None:
    """Find the body of the last entry of one of these kinds."""
    mine = (ledger.c.competition == slug) & ledger.c.kind.in_(kinds)
    body: dict[str, Any] | None = connection.scalar(
        select(ledger.c.body).where(mine).order_by(ledger.c.seq.desc()).limit(1)
    )
    return body


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


_HEAD = select(competitions.c.ledger_length, competitions.c.ledger_head).where(competitions.c.slug == bindparam("slug"))
_ADVANCE = (
    update(competitions)
    .where(competitions.c.slug == bindparam("chain"))
    .values(ledger_length=bindparam("ledger_length"), ledger_head=bindparam("ledger_head"))
)
