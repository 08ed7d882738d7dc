"""The organiser's list of what to look at. Participants never see it."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Row

from ladderboard.core.errors import NotFoundError
from ladderboard.core.words import translatable
from ladderboard.hosting.services import Services
from ladderboard.store import sketches


def list_flags(
    services: Services, slug: str, *, offset: int = 0, limit: int = 100, dismissed: bool = False
) -> tuple[Sequence[Row[Any]], int]:
    """Flags, the newest first, and how many there are; ``dismissed``: those that were put aside as well."""
    services.competition(slug)
    with services.database.reading() as connection:
        return sketches.listed_flags(connection, slug, offset=offset, limit=limit, dismissed=dismissed)


def count_flags(services: Services, slug: str) -> Sequence[Row[Any]]:
    """How many open flags of each kind each team has; the most first."""
    services.competition(slug)
    with services.database.reading() as connection:
        return sketches.counted_flags(connection, slug)


def dismiss_flag(services: Services, slug: str, flag_id: str) -> None:
    """Put a flag aside."""
    services.competition(slug)
    with services.database.transaction() as connection:
        if not sketches.dismiss_flag(connection, slug, flag_id, services.database.now(connection)):
            raise NotFoundError(translatable("there is no such flag"))
