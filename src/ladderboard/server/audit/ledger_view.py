"""A competition's ledger as a person may see it: all entries; openings of the own team, and of all after the reveal."""

from collections.abc import Iterator
from dataclasses import dataclass

from ladderboard.core.ledger import Entry
from ladderboard.server.audit.audit import PublishedEntry
from ladderboard.server.audit.records import LedgerRow, Openings
from ladderboard.server.db.database import Connection, Database
from ladderboard.server.db.rows import competitions, ledger, teams
from ladderboard.server.db.rows.ledger import ALL_OPENINGS, NO_OPENINGS
from ladderboard.server.db.rows.teams import find_team_id
from ladderboard.server.people.roles import Person, may, require
from ladderboard.server.services import Services


@dataclass(frozen=True)
class LedgerView:
    """What one person may see of one ledger at one moment."""

    slug: str
    length: int
    head: str
    openings: Openings
    is_revealed: bool

    def page(self, connection: Connection, *, after: int, limit: int) -> list[PublishedEntry]:
        limit = max(0, min(limit, self.length - after))
        rows = ledger.read_page(connection, self.slug, after=after, limit=limit, openings=self.openings)
        return [publish_entry(row) for row in rows]

    def entries(self, connection: Connection, *, after: int = 0) -> Iterator[PublishedEntry]:
        """Yield all entries, or those after one; few are in memory at a time."""
        pages = ledger.stream_pages(connection, self.slug, after=after, until=self.length, openings=self.openings)
        for page in pages:
            yield from map(publish_entry, page)

    def pages_apart(self, database: Database) -> Iterator[list[PublishedEntry]]:
        """Yield all entries with one connection per page, so that a slow reader holds none."""
        after = 0
        while after < self.length:
            with database.reading() as connection:
                page = self.page(connection, after=after, limit=ledger.AT_ONCE)
            yield page
            after += len(page)


def view_for(connection: Connection, services: Services, slug: str, person: Person | None) -> LedgerView:
    """The ledger as ``person`` sees it; raises `NotFoundError` where it is not to be seen at all."""
    live = services.competition(slug)
    own_team = None if person is None else find_team_id(connection, slug, person.id)
    require(person, "see_competition", live.rules, own_team=own_team)
    row = competitions.get(connection, slug)
    is_revealed = row.revealed_at is not None
    if is_revealed or may(person, "oversee", live.rules, own_team=own_team):
        openings = ALL_OPENINGS
    elif own_team is not None:
        openings = Openings(teams.list_with_merged(connection, own_team))
    else:
        openings = Openings()
    return LedgerView(slug, row.ledger_length, row.ledger_head, openings, is_revealed)


def whole_view(connection: Connection, slug: str, *, with_openings: bool = True) -> LedgerView:
    """The ledger as the organiser sees it, on the server's own data."""
    row = competitions.get(connection, slug)
    openings = ALL_OPENINGS if with_openings else NO_OPENINGS
    return LedgerView(slug, row.ledger_length, row.ledger_head, openings, row.revealed_at is not None)


def publish_entry(row: LedgerRow) -> PublishedEntry:
    """Turn a stored entry into one that can be shown."""
    entry = Entry(row.seq, row.at, row.kind, row.body, row.sealed, row.previous, row.hash)
    return PublishedEntry(entry, row.opening, row.salt)
