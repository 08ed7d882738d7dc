"""The ledger's rows: appended in the transaction of what they record, never changed."""

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

from ladderboard.ledger import Entry, seal
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
    sealed = None if opening is None or salt is None else seal(salt, opening)
    entry = Entry.following(head.ledger_head, seq=head.ledger_length + 1, at=at, kind=kind, body=body, sealed=sealed)
    row = {"competition": slug, "seq": entry.seq, "at": at, "kind": kind, "body": body, "sealed": sealed}
    chain = {"opening": opening, "team_id": team_id, "previous": entry.previous, "hash": entry.hash}
    connection.execute(insert(ledger), row | chain)
    connection.execute(_ADVANCE, {"chain": slug, "ledger_length": entry.seq, "ledger_head": entry.hash})
    return entry


_HEAD = select(competitions.c.ledger_length, competitions.c.ledger_head).where(competitions.c.slug == bindparam("slug"))
_ADVANCE = (
    update(competitions)
    .where(competitions.c.slug == bindparam("chain"))
    .values(ledger_length=bindparam("ledger_length"), ledger_head=bindparam("ledger_head"))
)
