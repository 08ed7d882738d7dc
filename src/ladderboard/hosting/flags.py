"""The organiser's list of what to look at. Participants never see it."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row

from ladderboard.errors import NotFoundError
from ladderboard.hosting.host import Host
from ladderboard.store import sketches
from ladderboard.words import said


def list_flags(
    host: Host, slug: str, *, offset: int = 0, limit: int = 100, dismissed: bool = False
) -> tuple[Sequence[Row[Any]], int]:
    """Flags, the newest first, and how many there are; ``dismissed``: those that were put aside as well."""
    host.hosted(slug)
    with host.database.reading() as connection:
        return sketches.listed_flags(connection, slug, offset=offset, limit=limit, dismissed=dismissed)


def count_flags(host: Host, slug: str) -> Sequence[Row[Any]]:
    """How many open flags of each kind each team has; the most first."""
    host.hosted(slug)
    with host.database.reading() as connection:
        return sketches.counted_flags(connection, slug)


def dismiss_flag(host: Host, slug: str, flag_id: str) -> None:
    """Put a flag aside."""
    host.hosted(slug)
    with host.database.transaction() as connection:
        if not sketches.dismiss_flag(connection, slug, flag_id, host.database.now(connection)):
            raise NotFoundError(said("there is no such flag"))
