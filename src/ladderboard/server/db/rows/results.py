"""The private boards as they were computed."""

import hashlib
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, insert, select

from ladderboard.core.canonical_json import canonical_json
from ladderboard.server.db.columns import find_record
from ladderboard.server.db.schema import private_results
from ladderboard.server.results.records import PrivateResultRecord


def compute_digest(result: dict[str, Any]) -> str:
    """The digest of a private board, as the ledger holds it."""
    return hashlib.sha256(canonical_json(result).encode()).hexdigest()


def add_result(
    connection: Connection, slug: str, *, scoring_version: int, result: dict[str, Any], now: datetime
) -> None:
    """Add a private board; each scoring version has one."""
    connection.execute(
        insert(private_results).values(
            competition=slug, scoring_version=scoring_version, computed_at=now, result=result
        )
    )


def find_result(connection: Connection, slug: str, scoring_version: int | None = None) -> PrivateResultRecord | None:
    """Find the private board of a scoring version; None: of the latest that has one."""
    mine = select(private_results).where(private_results.c.competition == slug)
    if scoring_version is not None:
        mine = mine.where(private_results.c.scoring_version == scoring_version)
    latest = mine.order_by(private_results.c.scoring_version.desc()).limit(1)
    return find_record(PrivateResultRecord, connection.execute(latest))


def is_outdated(connection: Connection, slug: str, scoring_version: int) -> bool:
    """Whether there is a private board, and none of this scoring version: its correction was interrupted."""
    found = select(func.max(private_results.c.scoring_version)).where(private_results.c.competition == slug)
    latest = connection.execute(found).scalar()
    return latest is not None and latest < scoring_version
