"""Flags: what an organiser should look at."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Select, func, insert, select, update

from ladderboard.server.db.columns import new_id
from ladderboard.server.db.rows import make_records
from ladderboard.server.db.schema import flags, submissions, teams
from ladderboard.server.moderation.records import Flag, FlagCountBody, NamedFlag


def add(
    connection: Connection, slug: str, new: Iterable[Flag], *, team_id: str, submission_id: str, now: datetime
) -> None:
    """Add the flags of one submission."""
    rows = [
        {
            "id": new_id(now),
            "competition": slug,
            "team_id": team_id,
            "submission_id": submission_id,
            "other_submission_id": flag.other_submission_id,
            "kind": flag.kind,
            "detail": flag.detail,
            "at": now,
        }
        for flag in new
    ]
    if rows:
        connection.execute(insert(flags), rows)


def list_flags(
    connection: Connection, slug: str, *, offset: int, limit: int, dismissed: bool = False
) -> tuple[list[NamedFlag], int]:
    """List flags, newest first, and count all of them. ``dismissed``: include those that were dismissed."""
    other = submissions.alias("other")
    owner = teams.alias("owner")
    wanted = flags.c.competition == slug
    if not dismissed:
        wanted = wanted & flags.c.dismissed_at.is_(None)
    page = (
        select(flags, teams.c.name.label("team"), owner.c.name.label("other_team"))
        .join_from(flags, teams, flags.c.team_id == teams.c.id)
        .outerjoin(other, flags.c.other_submission_id == other.c.id)
        .outerjoin(owner, other.c.team_id == owner.c.id)
        .where(wanted)
        .order_by(flags.c.at.desc(), flags.c.id.desc())
    )
    total = connection.scalar(select(func.count()).select_from(flags).where(wanted))
    return make_records(NamedFlag, connection.execute(page.offset(offset).limit(limit))), int(total or 0)


def count_open(connection: Connection, slug: str) -> int:
    """Count the flags that are not dismissed."""
    is_open = (flags.c.competition == slug) & flags.c.dismissed_at.is_(None)
    return int(connection.scalar(select(func.count()).select_from(flags).where(is_open)) or 0)


def count_by_team(connection: Connection, slug: str, *, offset: int, limit: int) -> list[FlagCountBody]:
    """Count the open flags of each kind and team, the largest number first."""
    counted = _group_open(slug, func.count().label("number")).order_by(
        func.count().desc(), flags.c.team_id, flags.c.kind
    )
    # Names are looked up for the part alone: sorting all teams by name would cost more than counting their flags.
    part = counted.offset(offset).limit(limit).subquery()
    named = (
        select(teams.c.name.label("team"), part.c.kind, part.c.number)
        .join_from(part, teams, part.c.team_id == teams.c.id)
        .order_by(part.c.number.desc(), part.c.team_id, part.c.kind)
    )
    return make_records(FlagCountBody, connection.execute(named))


def count_flagged(connection: Connection, slug: str) -> int:
    """Count the kinds and teams that have open flags."""
    return int(connection.scalar(select(func.count()).select_from(_group_open(slug).subquery())) or 0)


def _group_open(slug: str, *more: Any) -> Select[Any]:
    is_open = (flags.c.competition == slug) & flags.c.dismissed_at.is_(None)
    return select(flags.c.team_id, flags.c.kind, *more).where(is_open).group_by(flags.c.team_id, flags.c.kind)


def dismiss(connection: Connection, slug: str, flag_id: str, now: datetime) -> bool:
    """Dismiss a flag; False if there is no such flag."""
    wanted = (flags.c.competition == slug) & (flags.c.id == flag_id)
    return connection.execute(update(flags).where(wanted).values(dismissed_at=now)).rowcount == 1


def dismiss_all(connection: Connection, slug: str, *, team_key: str, kind: str, now: datetime) -> None:
    """Dismiss all flags of one kind that a team has."""
    team = select(teams.c.id).where((teams.c.competition == slug) & (teams.c.name_key == team_key)).scalar_subquery()
    wanted = (flags.c.team_id == team) & (flags.c.kind == kind) & flags.c.dismissed_at.is_(None)
    connection.execute(update(flags).where(wanted).values(dismissed_at=now))
