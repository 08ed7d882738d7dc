"""The version of a board: it is asked for with every read of every board."""

from datetime import datetime
from typing import NamedTuple

from ladderboard.store import standings
from ladderboard.store.database import Database
from ladderboard.store.prepared import Prepared


class Dates(NamedTuple):
    """What `standings.version_of` returns, whatever way it was read."""

    board_version: int
    opened_at: datetime | None
    frozen_at: datetime | None
    finalized_at: datetime | None
    revealed_at: datetime | None
    spent_at: datetime | None
    scoring_version: int


_VERSION = Prepared(standings.VERSION)


class Versions:
    """Reads the dates and the version of a competition's board, outside of any transaction."""

    def __init__(self, database: Database) -> None:
        self._glances = database.glances

    @property
    def is_immediate(self) -> bool:
        """Whether `read` never waits, so that an event loop may call it."""
        return self._glances.is_immediate

    def read(self, slug: str) -> tuple[Dates, datetime]:
        """The row, and the database's time."""
        row, now = self._glances.read(_VERSION, slug=slug)
        assert row is not None, "every competition that is served has its row"
        return Dates(**row), now
