"""The status of a competition: upcoming, open, closed, finalized, revealed; or spent. Decided here alone.

    upcoming ── opens ──▶ open ── deadline, or freeze ──▶ closed ── finalize ──▶ finalized ── reveal ──▶ revealed
                           └── the meter's limit ──▶ spent

The deadline freezes the board by itself: what arrives later does not count there. What arrived in time and is still
being scored does; therefore nothing is finalized before `GRACE` is over.
"""

from datetime import datetime, timedelta
from typing import Any, Literal

from ladderboard.competition import Rules
from ladderboard.core.errors import ConflictError
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.competitions.records import CompetitionDates, CompetitionRecord
from ladderboard.server.db.database import Connection
from ladderboard.server.db.rows import competitions, ledger, results
from ladderboard.server.services import Services
from ladderboard.server.webhooks import events

Status = Literal["upcoming", "open", "closed", "finalized", "revealed", "spent"]

GRACE = timedelta(minutes=10)
"""How long an attempt that arrived in time may take to be uploaded and scored."""


def find_status(rules: Rules, row: CompetitionDates, now: datetime) -> Status:
    """Find the status of a competition; ``row`` has its dates."""
    if row.revealed_at is not None:
        return "revealed"
    if row.finalized_at is not None:
        return "finalized"
    if is_closed(rules, row, now):
        return "closed"
    if row.spent_at is not None:
        return "spent"
    return "upcoming" if rules.opens is not None and now < rules.opens else "open"


def is_closed(rules: Rules, row: CompetitionDates, now: datetime) -> bool:
    """Whether the competition has closed, so that its board no longer changes."""
    closed = find_closing_time(rules, row)
    return closed is not None and now > closed


def find_closing_time(rules: Rules, row: CompetitionDates) -> datetime | None:
    """Find when a competition closes: at its deadline, or earlier if the organiser closed it."""
    times = [moment for moment in (rules.deadline, row.frozen_at) if moment is not None]
    return min(times, default=None)


def status(services: Services, slug: str) -> Status:
    """The current status of a competition."""
    with services.database.reading() as connection:
        dates, now = competitions.read_dates(connection, slug), services.database.now(connection)
    return find_status(services.follow_rules(slug, dates.rules).rules, dates, now)


# -- the organiser's decisions ----------------------------------------------------------------------------------------


def freeze(services: Services, slug: str) -> None:
    """Close a competition by hand, before its deadline or without one. What arrived before still counts."""
    with services.database.transaction() as connection:
        row, now = competitions.hold(connection, slug), services.database.now(connection)
        live = services.follow_rules(slug, row.rules)
        if is_closed(live.rules, row, now) or row.frozen_at is not None:
            raise ConflictError(f"{slug} has been closed since {find_closing_time(live.rules, row)}")
        record(connection, live, "frozen", now, body={"by": "organiser"}, frozen_at=now)


def unfreeze(services: Services, slug: str) -> None:
    """Take back a freeze, as long as nothing was finalized and the deadline has not passed."""
    with services.database.transaction() as connection:
        row, now = competitions.hold(connection, slug), services.database.now(connection)
        live = services.follow_rules(slug, row.rules)
        if row.frozen_at is None:
            raise ConflictError(f"{slug} was not closed by hand")
        if row.finalized_at is not None:
            raise ConflictError(f"{slug} is finalized; it cannot be opened again")
        record(connection, live, "unfrozen", now, body={"by": "organiser"}, frozen_at=None)


def reveal(services: Services, slug: str) -> None:
    """Show the private board to everybody. It must be finalized, and the rules must not say otherwise."""
    with services.database.transaction() as connection:
        row, now = competitions.hold(connection, slug), services.database.now(connection)
        live = services.follow_rules(slug, row.rules)
        _refuse_reveal(live, row, now)
        record_reveal(connection, live, now, by="organiser")


def record_reveal(connection: Connection, live: LiveCompetition, now: datetime, *, by: str) -> None:
    """Record the reveal, which makes the ledger's openings and the solution public."""
    stored = results.find_result(connection, live.slug)
    assert stored is not None, "what is revealed was finalized"
    if stored.scoring_version != competitions.read_competition(connection, live.slug).scoring_version:
        raise ConflictError(
            "the solution was corrected, and its private board is not computed yet; open the competition's page, which "
            "computes it, or run `ladderboard finalize`, then reveal it"
        )
    body = {"by": by, "scoring_version": stored.scoring_version, "result": results.compute_digest(stored.result)}
    record(connection, live, "revealed", now, body=body, revealed_at=now)


def record(
    connection: Connection,
    live: LiveCompetition,
    kind: str,
    now: datetime,
    *,
    body: dict[str, Any],
    opening: dict[str, Any] | None = None,
    salt: str | None = None,
    **dates: Any,
) -> None:
    """Write a decision with its entry in the ledger, in the caller's transaction, which holds the competition."""
    competitions.change_competition(connection, live.slug, **dates)
    ledger.append(connection, live.slug, kind=kind, at=now, body=body, opening=opening, salt=salt)
    if kind in events.EVENTS:
        events.enqueue(connection, live, kind, now=now)


def _refuse_reveal(live: LiveCompetition, row: CompetitionRecord, now: datetime) -> None:
    when = live.rules.reveal
    if row.revealed_at is not None:
        raise ConflictError(f"{live.slug} was revealed at {row.revealed_at.isoformat()}")
    if when == "never":
        raise ConflictError("the rules say that the private part is never revealed: this is a standing benchmark")
    if isinstance(when, datetime) and now < when:
        raise ConflictError(f"the rules announce the reveal for {when.isoformat()}; it happens by itself then")
    if row.finalized_at is None:
        raise ConflictError("the private board is not computed yet; finalize the competition first")
