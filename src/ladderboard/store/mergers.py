"""What two teams that become one have in rows of their own."""

from sqlalchemy import Connection, and_, select, update

from ladderboard.store.schema import instances, submissions


def move_submissions(connection: Connection, *, source: str, target: str) -> dict[str, str]:
    """Give the submissions of a team to another one; those that it has too stay where they are.

    Returns the stayers: the id of each → the id of the other team's equal one. Picks of what was moved are dropped: the
    team picks its finals anew.
    """
    twin = submissions.alias("twin")
    equal = and_(
        twin.c.team_id == target,
        twin.c.phase == submissions.c.phase,
        twin.c.fingerprint == submissions.c.fingerprint,
    )
    pairs = select(submissions.c.id, twin.c.id.label("twin_id")).join_from(submissions, twin, equal)
    twins = {row.id: row.twin_id for row in connection.execute(pairs.where(submissions.c.team_id == source))}
    moving = (submissions.c.team_id == source) & submissions.c.id.not_in(list(twins))
    connection.execute(update(submissions).where(moving).values(team_id=target, picked_at=None))
    return twins


def clear_bits(connection: Connection, slug: str, key: str) -> None:
    """The bits of a memory that was merged are counted in the other one's."""
    mine = (instances.c.competition == slug) & (instances.c.key == key)
    connection.execute(update(instances).where(mine).values(bits=0.0))
