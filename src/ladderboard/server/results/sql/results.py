"""The end of a competition: picks of finals, and the private board as it was computed."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from ladderboard.core.canonical_json import canonical_json
from ladderboard.server.db.rows import find_record, make_records, select_fields
from ladderboard.server.db.schema import private_results, submissions, teams
from ladderboard.server.results.records import FinalSubmission, PrivateResultRecord
from ladderboard.server.teams.records import TeamRecord

# -- the private board ------------------------------------------------------------------------------------------------


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


# -- finals -----------------------------------------------------------------------------------------------------------


_FINALS = select_fields(FinalSubmission, submissions)


def list_competitors(connection: Connection, slug: str) -> list[TeamRecord]:
    """List the teams and baselines of the final board, in the order of the public one."""
    mine = (teams.c.competition == slug) & (teams.c.status == "active") & (teams.c.attempts > 0)
    order = (teams.c.board_order.is_(None), teams.c.board_order, teams.c.kind, teams.c.last_improvement, teams.c.id)
    return make_records(TeamRecord, connection.execute(select(teams).where(mine).order_by(*order)))


def list_picks(connection: Connection, team_ids: Sequence[str]) -> list[FinalSubmission]:
    """List what these teams picked, the earliest first."""
    mine = submissions.c.team_id.in_(list(team_ids)) & submissions.c.picked_at.is_not(None)
    return make_records(FinalSubmission, connection.execute(_FINALS.where(mine).order_by(submissions.c.number)))


def list_eligible(connection: Connection, ids: Sequence[str]) -> list[FinalSubmission]:
    """List those of these submissions that came in time, the earliest first; the caller checks whose they are."""
    timely = submissions.c.id.in_(list(ids)) & (submissions.c.phase != "late")
    return make_records(FinalSubmission, connection.execute(_FINALS.where(timely).order_by(submissions.c.number)))


def list_latest(connection: Connection, slug: str, team_ids: Sequence[str]) -> list[FinalSubmission]:
    """List the last submission in time of each of these teams."""
    timely = submissions.c.team_id.in_(list(team_ids)) & (submissions.c.phase != "late")
    last = select(func.max(submissions.c.number)).where(timely).group_by(submissions.c.team_id)
    mine = (submissions.c.competition == slug) & submissions.c.number.in_(last)
    return make_records(FinalSubmission, connection.execute(_FINALS.where(mine)))


def replace_picks(connection: Connection, team_id: str, ids: Sequence[str], now: datetime) -> None:
    """Replace a team's picks."""
    mine = submissions.c.team_id == team_id
    connection.execute(update(submissions).where(mine & submissions.c.picked_at.is_not(None)).values(picked_at=None))
    connection.execute(update(submissions).where(mine & submissions.c.id.in_(list(ids))).values(picked_at=now))
