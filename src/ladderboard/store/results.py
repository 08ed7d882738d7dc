"""A competition's decisions and results: dates in its row, picks of finals, and what was computed at the end."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from ladderboard.store.columns import canonical_json
from ladderboard.store.records import CompetitionRecord, record_of
from ladderboard.store.schema import competitions, private_results, submissions, teams


@dataclass(frozen=True)
class StoredResult:
    """A private board as it was computed once."""

    result: dict[str, Any]
    computed_at: datetime
    scoring_version: int

    @property
    def digest(self) -> str:
        return digest_of(self.result)


def digest_of(result: dict[str, Any]) -> str:
    """What a ledger holds of a result."""
    return hashlib.sha256(canonical_json(result).encode()).hexdigest()


def competition_row(connection: Connection, slug: str) -> CompetitionRecord:
    """The competition's row, which exists since it is served."""
    row = connection.execute(select(competitions).where(competitions.c.slug == slug)).one()
    return record_of(CompetitionRecord, row)


def change_competition(connection: Connection, slug: str, **values: Any) -> None:
    """Change the competition's row; whatever changes there changes what its board says."""
    changed = update(competitions).where(competitions.c.slug == slug)
    connection.execute(changed.values(board_version=competitions.c.board_version + 1, **values))


def store_result(
    connection: Connection, slug: str, *, scoring_version: int, result: dict[str, Any], now: datetime
) -> None:
    """Keep a private board; each scoring version has one."""
    connection.execute(
        insert(private_results).values(
            competition=slug, scoring_version=scoring_version, computed_at=now, result=result
        )
    )


def stored(connection: Connection, slug: str, scoring_version: int | None = None) -> StoredResult | None:
    """The private board of a scoring version; None: of the latest that has one."""
    mine = select(private_results).where(private_results.c.competition == slug)
    if scoring_version is not None:
        mine = mine.where(private_results.c.scoring_version == scoring_version)
    row = connection.execute(mine.order_by(private_results.c.scoring_version.desc()).limit(1)).one_or_none()
    return None if row is None else StoredResult(row.result, row.computed_at, row.scoring_version)


# -- finals -----------------------------------------------------------------------------------------------------------

_FINAL: tuple[Any, ...] = (
    submissions.c.id,
    submissions.c.team_id,
    submissions.c.number,
    submissions.c.received_at,
    submissions.c.file_digest,
    submissions.c.file_name,
    submissions.c.release,
    submissions.c.picked_at,
)


def competitors(connection: Connection, slug: str) -> Sequence[Row[Any]]:
    """The teams and baselines that the final board is about, in the order of the public one."""
    mine = (teams.c.competition == slug) & (teams.c.status == "active") & (teams.c.attempts > 0)
    order = (teams.c.board_order.is_(None), teams.c.board_order, teams.c.kind, teams.c.last_improvement, teams.c.id)
    return connection.execute(select(teams).where(mine).order_by(*order)).all()


def picked(connection: Connection, team_id: str) -> Sequence[Row[Any]]:
    """What a team picked, the earliest first."""
    mine = (submissions.c.team_id == team_id) & submissions.c.picked_at.is_not(None)
    return connection.execute(select(*_FINAL).where(mine).order_by(submissions.c.number)).all()


def counted(connection: Connection, team_id: str, ids: Sequence[str], *, phase: str) -> Sequence[Row[Any]]:
    """Those of these submissions that are the team's own and were made in time."""
    mine = (submissions.c.team_id == team_id) & (submissions.c.phase == phase) & submissions.c.id.in_(list(ids))
    return connection.execute(select(*_FINAL).where(mine).order_by(submissions.c.number)).all()


def latest(connection: Connection, team_id: str, *, phase: str) -> Row[Any] | None:
    """The team's last submission."""
    mine = (submissions.c.team_id == team_id) & (submissions.c.phase == phase)
    newest = select(*_FINAL).where(mine).order_by(submissions.c.number.desc()).limit(1)
    return connection.execute(newest).one_or_none()


def pick(connection: Connection, team_id: str, ids: Sequence[str], now: datetime) -> None:
    """Replace a team's picks."""
    mine = submissions.c.team_id == team_id
    connection.execute(update(submissions).where(mine & submissions.c.picked_at.is_not(None)).values(picked_at=None))
    connection.execute(update(submissions).where(mine & submissions.c.id.in_(list(ids))).values(picked_at=now))
