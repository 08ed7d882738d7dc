"""The life of a competition: upcoming, open, closed, finalized, revealed; or spent. One place says where it stands.

    upcoming ── opens ──▶ open ── deadline, or freeze ──▶ closed ── finalize ──▶ finalized ── reveal ──▶ revealed
                           └── the meter's limit ──▶ spent

The deadline freezes the board by itself: what arrives later does not count there. What arrived in time and is still
being scored does; therefore nothing is finalized before `GRACE` is over.
"""

from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import Connection, Row

from ladderboard.competition import Rules
from ladderboard.errors import ConflictError
from ladderboard.hosting import webhooks
from ladderboard.hosting.host import Host
from ladderboard.hosting.hosted import Hosted
from ladderboard.store import ledger, results, standings, turns
from ladderboard.store.versions import Dates
from ladderboard.words import said

Status = Literal["upcoming", "open", "closed", "finalized", "revealed", "spent"]

GRACE = timedelta(minutes=10)
"""How long an attempt that arrived in time may take to be uploaded and scored."""


def status_of(rules: Rules, row: Row[Any] | Dates, now: datetime) -> Status:
    """Where a competition stands; ``row`` has its dates."""
    if row.revealed_at is not None:
        return "revealed"
    if row.finalized_at is not None:
        return "finalized"
    if is_closed(rules, row, now):
        return "closed"
    if row.spent_at is not None:
        return "spent"
    return "upcoming" if rules.opens is not None and now < rules.opens else "open"


def is_closed(rules: Rules, row: Row[Any] | Dates, now: datetime) -> bool:
    """Whether the board stands still."""
    closed = closing_time(rules, row)
    return closed is not None and now > closed


def closing_time(rules: Rules, row: Row[Any] | Dates) -> datetime | None:
    """The deadline, or when the organiser closed it, whichever came first."""
    times = [moment for moment in (rules.deadline, row.frozen_at) if moment is not None]
    return min(times, default=None)


def status(host: Host, slug: str) -> Status:
    """Where a competition stands now."""
    hosted = host.hosted(slug)
    with host.database.reading() as connection:
        return status_of(hosted.rules, standings.version_of(connection, slug), host.database.now(connection))


# -- the organiser's decisions ----------------------------------------------------------------------------------------


def freeze(host: Host, slug: str) -> None:
    """Close a competition by hand, before its deadline or without one. What arrived before still counts."""
    hosted = host.hosted(slug)
    with host.database.transaction() as connection:
        row, now = turns.hold(connection, slug), host.database.now(connection)
        if is_closed(hosted.rules, row, now) or row.frozen_at is not None:
            raise ConflictError(
                said("{slug} is closed already, since {time}", slug=slug, time=closing_time(hosted.rules, row))
            )
        record(connection, hosted, "frozen", now, body={"by": "organiser"}, frozen_at=now)


def unfreeze(host: Host, slug: str) -> None:
    """Take back a freeze, as long as nothing was finalized and the deadline has not passed."""
    hosted = host.hosted(slug)
    with host.database.transaction() as connection:
        row, now = turns.hold(connection, slug), host.database.now(connection)
        if row.frozen_at is None:
            raise ConflictError(said("{slug} was not closed by hand", slug=slug))
        if row.finalized_at is not None:
            raise ConflictError(said("{slug} is finalized; it cannot be opened again", slug=slug))
        record(connection, hosted, "unfrozen", now, body={"by": "organiser"}, frozen_at=None)


def reveal(host: Host, slug: str) -> None:
    """Show the private board to everybody. It must be finalized, and the rules must not say otherwise."""
    hosted = host.hosted(slug)
    with host.database.transaction() as connection:
        row, now = turns.hold(connection, slug), host.database.now(connection)
        _refuse_reveal(hosted, row, now)
        record_reveal(connection, hosted, now, by="organiser")


def record_reveal(connection: Connection, hosted: Hosted, now: datetime, *, by: str) -> None:
    """Write the reveal. From here on openings of the ledger and the solution may be seen by all."""
    stored = results.stored(connection, hosted.slug)
    assert stored is not None, "what is revealed was finalized"
    body = {"by": by, "scoring_version": stored.scoring_version, "result": stored.digest}
    record(connection, hosted, "revealed", now, body=body, revealed_at=now)


def record(
    connection: Connection,
    hosted: Hosted,
    kind: str,
    now: datetime,
    *,
    body: dict[str, Any],
    opening: dict[str, Any] | None = None,
    salt: str | None = None,
    **dates: Any,
) -> None:
    """Write a decision with its entry in the ledger, in the caller's transaction, which holds the competition."""
    results.change_competition(connection, hosted.slug, **dates)
    ledger.append(connection, hosted.slug, kind=kind, at=now, body=body, opening=opening, salt=salt)
    if kind in webhooks.EVENTS:
        webhooks.enqueue(connection, hosted, kind, now=now)


def _refuse_reveal(hosted: Hosted, row: Row[Any], now: datetime) -> None:
    when = hosted.rules.reveal
    if row.revealed_at is not None:
        raise ConflictError(said("{slug} was revealed at {time}", slug=hosted.slug, time=row.revealed_at.isoformat()))
    if when == "never":
        raise ConflictError(said("the rules say that the private part is never revealed: this is a standing benchmark"))
    if isinstance(when, datetime) and now < when:
        raise ConflictError(
            said("the rules announce the reveal for {time}; it happens by itself then", time=when.isoformat())
        )
    if row.finalized_at is None:
        raise ConflictError(said("the private board is not computed yet; finalize the competition first"))
