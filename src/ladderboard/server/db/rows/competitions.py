"""The rows of competitions: dates, rules, secret and counters, which every feature reads and a change locks first."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, insert, select, update

from ladderboard.core.errors import NotFoundError
from ladderboard.core.ledger import GENESIS
from ladderboard.server.competitions.records import CompetitionDates, CompetitionRecord
from ladderboard.server.db.columns import find_record, make_record, make_records, select_fields
from ladderboard.server.db.schema import competitions, drafts
from ladderboard.server.submissions.records import CompetitionCounters


def add_competition(connection: Connection, slug: str, *, now: datetime, **values: Any) -> None:
    """Add a competition with an empty ledger."""
    row = {"slug": slug, "created_at": now, "ledger_head": GENESIS, **values}
    connection.execute(insert(competitions).values(row))


def find_competition(connection: Connection, slug: str) -> CompetitionRecord | None:
    """Find a competition; None where there is none of that name."""
    return find_record(CompetitionRecord, connection.execute(_COMPETITION, {"slug": slug}))


def get(connection: Connection, slug: str) -> CompetitionRecord:
    """The competition of a name that was given; raises `NotFoundError`."""
    found = find_competition(connection, slug)
    if found is None:
        raise NotFoundError(f"there is no competition {slug!r} here")
    return found


def read_competition(connection: Connection, slug: str) -> CompetitionRecord:
    """Read a competition that is being served, and therefore exists."""
    return make_record(CompetitionRecord, connection.execute(_COMPETITION, {"slug": slug}).one())


def list_competitions(connection: Connection, slugs: Collection[str]) -> dict[str, CompetitionRecord]:
    """List these competitions by slug."""
    rows = connection.execute(select(competitions).where(competitions.c.slug.in_(list(slugs))))
    return {record.slug: record for record in make_records(CompetitionRecord, rows)}


def list_made(connection: Connection) -> list[str]:
    """List the competitions that were made in the browser."""
    return list(connection.scalars(select(competitions.c.slug).where(competitions.c.folder.is_not(None))))


def list_folders(connection: Connection) -> set[str]:
    """List the folders that count, by digest."""
    made = connection.scalars(select(competitions.c.folder).where(competitions.c.folder.is_not(None)))
    return {*made, *connection.scalars(select(drafts.c.folder))}


def read_dates(connection: Connection, slug: str) -> CompetitionDates:
    """Read the dates of a competition: one row, by its key."""
    return make_record(CompetitionDates, connection.execute(_DATES, {"slug": slug}).one())


def change_competition(connection: Connection, slug: str, **values: Any) -> None:
    """Change the competition's row; whatever changes there changes what its board says."""
    changed = update(competitions).where(competitions.c.slug == slug)
    connection.execute(changed.values(board_version=competitions.c.board_version + 1, **values))


def hold(connection: Connection, slug: str) -> CompetitionRecord:
    """Lock the competition's row until the end of the transaction (PostgreSQL; SQLite locks everything anyway).

    Whoever writes to a competition locks its row first: submissions to one competition are recorded one after another,
    which keeps the ledger a chain and the numbers without gaps.
    """
    return make_record(CompetitionRecord, connection.execute(_HELD, {"slug": slug}).one())


def read_counters(connection: Connection, slug: str) -> CompetitionCounters:
    """Read the counters of a competition without a lock."""
    return make_record(CompetitionCounters, connection.execute(_COUNTERS, {"slug": slug}).one())


def hold_counters(connection: Connection, slug: str) -> CompetitionCounters:
    """Lock the competition's row as `hold` does, and read its counters."""
    return make_record(CompetitionCounters, connection.execute(_HELD_COUNTERS, {"slug": slug}).one())


def change_counters(connection: Connection, slug: str, values: dict[str, Any]) -> None:
    """Write the counters of a competition whose row is held."""
    connection.execute(_CHANGE_COMPETITION, {"changed": slug, **values})


def renew_board(connection: Connection, slug: str) -> None:
    """Raise the version of the public board, so that no cache shows an old one."""
    newer = {"board_version": competitions.c.board_version + 1}
    connection.execute(update(competitions).where(competitions.c.slug == slug).values(newer))


_IS_NAMED = competitions.c.slug == bindparam("slug")
_COMPETITION = select(competitions).where(_IS_NAMED)
_DATES = select_fields(CompetitionDates, competitions).where(_IS_NAMED)
_COUNTERS = select_fields(CompetitionCounters, competitions).where(_IS_NAMED)
_HELD = _COMPETITION.with_for_update()
_HELD_COUNTERS = _COUNTERS.with_for_update()
_CHANGE_COMPETITION = update(competitions).where(competitions.c.slug == bindparam("changed"))
"""Built once: building a statement takes longer than running it."""
