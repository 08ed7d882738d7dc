"""The ledger's rows: appended in the transaction of what they record, never changed."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

from ladderboard.core.ledger import Entry, seal
from ladderboard.store.prepared import Prepared
from ladderboard.store.schema import competitions, ledger


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
    """Add an entry to a competition's chain. The caller's transaction holds the competition's row (see `turns.hold`).

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
    """As `append`, where the competition's row is at hand and about to be changed.

    ``follows``: the number and hash of the last entry; the caller writes those of this one to the competition's row.
    """
    length, head = follows
    sealed = None if opening is None or salt is None else seal(salt, opening)
    entry = Entry.following(head, seq=length + 1, at=at, kind=kind, body=body, sealed=sealed)
    row = {"competition": slug, "seq": entry.seq, "at": at, "kind": kind, "body": body, "sealed": sealed}
    chain = {"opening": opening, "team_id": team_id, "previous": entry.previous, "hash": entry.hash}
    _INSERT.run(connection, row | chain)
    return entry


_INSERT = Prepared(insert(ledger))
_HEAD = select(competitions.c.ledger_length, competitions.c.ledger_head).where(competitions.c.slug == bindparam("slug"))
_ADVANCE = (
    update(competitions)
    .where(competitions.c.slug == bindparam("chain"))
    .values(ledger_length=bindparam("ledger_length"), ledger_head=bindparam("ledger_head"))
)
