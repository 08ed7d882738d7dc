"""Members of teams, lists of teams, and what a merger moves. Whoever writes holds the competition's row."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Connection, and_, func, select, update

from ladderboard.server.db.columns import find_record, insert_or_keep, make_record, make_records
from ladderboard.server.db.rows.teams import is_membership
from ladderboard.server.db.schema import accounts, flags, instances, members, submissions, teams
from ladderboard.server.teams.records import MemberBody, MemberRecord, TeamOverview, TeamRecord


def read_names(connection: Connection, ids: Collection[str]) -> dict[str, str]:
    """Read the current names of teams, by id."""
    found = connection.execute(select(teams.c.id, teams.c.name).where(teams.c.id.in_(ids)))
    return {row.id: row.name for row in found}


def list_names(connection: Connection, slug: str, lengths: tuple[int, int], *, but: str | None = None) -> list[str]:
    """List the teams' names that have from so many to so many letters; without that of one team."""
    wanted = (teams.c.competition == slug) & func.length(teams.c.name).between(*lengths)
    if but is not None:
        wanted &= teams.c.id != but
    return list(connection.scalars(select(teams.c.name).where(wanted)))


def list_teams(
    connection: Connection, slug: str, key: str, *, offset: int, limit: int
) -> tuple[list[TeamOverview], int]:
    """List teams of every status whose name contains ``key``, the most active first, and count all of them."""
    wanted = (teams.c.competition == slug) & (teams.c.kind == "team")
    if key:
        wanted &= teams.c.name_key.contains(key, autoescape=True)
    inside = select(func.count()).where((members.c.team_id == teams.c.id) & members.c.left_at.is_(None))
    flagged = select(func.count()).where((flags.c.team_id == teams.c.id) & flags.c.dismissed_at.is_(None))
    page = (
        select(teams, inside.scalar_subquery().label("members"), flagged.scalar_subquery().label("flags"))
        .where(wanted)
        .order_by(teams.c.attempts.desc(), teams.c.name_key)
    )
    rows = connection.execute(page.offset(offset).limit(limit))
    total = connection.scalar(select(func.count()).select_from(teams).where(wanted))
    return [TeamOverview(make_record(TeamRecord, row), row.members, row.flags) for row in rows], int(total or 0)


def find_membership(connection: Connection, slug: str, account_id: str) -> MemberRecord | None:
    """Find a person's one membership in a competition, even one that has ended."""
    return find_record(MemberRecord, connection.execute(select(members).where(is_membership(slug, account_id))))


def list_members(connection: Connection, team_id: str) -> list[MemberBody]:
    """List the people in a team now, the longest-standing first."""
    columns = (accounts.c.name, members.c.joined_at)
    is_inside = (members.c.team_id == team_id) & members.c.left_at.is_(None)
    joined = select(*columns).join_from(members, accounts, members.c.account_id == accounts.c.id).where(is_inside)
    return make_records(MemberBody, connection.execute(joined.order_by(members.c.joined_at, accounts.c.name_key)))


def count_members(connection: Connection, team_id: str) -> int:
    """Count the people in a team now."""
    is_inside = (members.c.team_id == team_id) & members.c.left_at.is_(None)
    return int(connection.scalar(select(func.count()).select_from(members).where(is_inside)) or 0)


def enter(connection: Connection, slug: str, *, account_id: str, team_id: str, now: datetime) -> None:
    """Put a person in a team: for the first time, or again in the team they left."""
    values = {"team_id": team_id, "joined_at": now, "left_at": None}
    if not insert_or_keep(connection, members, competition=slug, account_id=account_id, **values):
        connection.execute(update(members).where(is_membership(slug, account_id)).values(left_at=None, joined_at=now))


def leave(connection: Connection, slug: str, *, account_id: str, now: datetime) -> None:
    """End a person's membership; the row stays."""
    connection.execute(update(members).where(is_membership(slug, account_id)).values(left_at=now))


def move_members(connection: Connection, *, source: str, target: str) -> None:
    """Move all of a team's members, past ones included, to another team."""
    connection.execute(update(members).where(members.c.team_id == source).values(team_id=target))


def move_submissions(connection: Connection, *, source: str, target: str) -> dict[str, str]:
    """Move a team's submissions to another team, except those that both have.

    Returns the exceptions: the id of each → the id of the other team's equal one. Picked finals among the moved ones
    are cleared: the team picks its finals again.
    """
    twin = submissions.alias("twin")
    equal = and_(
        twin.c.team_id == target,
        twin.c.phase == submissions.c.phase,
        twin.c.fingerprint == submissions.c.fingerprint,
    )
    pairs = select(submissions.c.id, twin.c.id.label("twin_id")).join_from(submissions, twin, equal)
    twins = {row.id: row.twin_id for row in connection.execute(pairs.where(submissions.c.team_id == source))}
    is_moving = (submissions.c.team_id == source) & submissions.c.id.not_in(list(twins))
    connection.execute(update(submissions).where(is_moving).values(team_id=target, picked_at=None))
    return twins


def clear_bits(connection: Connection, slug: str, key: str) -> None:
    """Set the bits of a merged memory to 0: they are counted in the other memory."""
    is_instance = (instances.c.competition == slug) & (instances.c.key == key)
    connection.execute(update(instances).where(is_instance).values(bits=0.0))
