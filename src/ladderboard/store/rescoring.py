"""What a rescoring writes: new releases beside the old ones, new memories, new places on the board."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, insert, select, update

from ladderboard.store.schema import idempotency, instances, rescored, submissions, teams

AT_ONCE = 1000


def present_releases(connection: Connection, slug: str) -> dict[str, dict[str, Any]]:
    """What every submission was told, by its id."""
    rows = connection.execute(select(submissions.c.id, submissions.c.release).where(submissions.c.competition == slug))
    return {row.id: row.release for row in rows}


def present_teams(connection: Connection, slug: str) -> Sequence[Row[Any]]:
    """Every team's place."""
    return connection.execute(select(teams).where(teams.c.competition == slug).order_by(teams.c.id)).all()


def replace_releases(
    connection: Connection, slug: str, releases: Iterable[Mapping[str, Any]], *, old_version: int, new_version: int
) -> None:
    """Put new releases in the place of the old ones, which are kept under their version."""
    old = select(submissions.c.id, bindparam("version", old_version), submissions.c.release).where(
        submissions.c.competition == slug
    )
    connection.execute(insert(rescored).from_select(["submission_id", "scoring_version", "release"], old))
    change = (
        update(submissions)
        .where(submissions.c.id == bindparam("submission"))
        .values(
            release=bindparam("new_release"),
            accepted=bindparam("is_accepted"),
            improved=bindparam("is_improved"),
            board_value=bindparam("new_value"),
            scoring_version=new_version,
        )
    )
    _in_parts(connection, change, releases)


def replace_fingerprints(connection: Connection, fingerprints: Mapping[str, str]) -> None:
    """Put new fingerprints in the place of the old ones: a corrected solution may code classes in another way."""
    # In two steps, since for a moment two of a team could be equal.
    away = [{"submission": one, "hash": f"replaced {one}"} for one in fingerprints]
    mine = submissions.c.id == bindparam("submission")
    change = update(submissions).where(mine).values(fingerprint=bindparam("hash"))
    _in_parts(connection, change, away)
    _in_parts(connection, change, [{"submission": one, "hash": value} for one, value in fingerprints.items()])


def owners(connection: Connection, slug: str) -> Sequence[Row[Any]]:
    """Whose every submission is now: merging gives a team's submissions to another one, but for those it has too."""
    columns: tuple[Any, ...] = (submissions.c.id, submissions.c.team_id, submissions.c.phase)
    return connection.execute(select(*columns).where(submissions.c.competition == slug)).all()


def replace_memories(connection: Connection, slug: str, memories: Mapping[str, tuple[str, float]]) -> None:
    """Key → (state, bits); turns go on, so that what was judged from an old memory is judged again."""
    turn = {
        row.key: row.turn
        for row in connection.execute(select(instances.c.key, instances.c.turn).where(instances.c.competition == slug))
    }
    connection.execute(delete(instances).where(instances.c.competition == slug))
    rows = [
        {"competition": slug, "key": key, "state": state, "bits": bits, "turn": turn.get(key, 0) + 1}
        for key, (state, bits) in memories.items()
    ]
    if rows:
        _in_parts(connection, insert(instances), rows)


def replace_places(connection: Connection, places: Iterable[Mapping[str, Any]]) -> None:
    """Each with ``team``, accepts, board_value, board_order, last_improvement, last_improved_at."""
    change = (
        update(teams)
        .where(teams.c.id == bindparam("team"))
        .values(
            accepts=bindparam("new_accepts"),
            board_value=bindparam("new_value"),
            board_order=bindparam("new_order"),
            last_improvement=bindparam("improvement"),
            last_improved_at=bindparam("improved_at"),
        )
    )
    _in_parts(connection, change, places)


def forget_answers(connection: Connection, slug: str) -> None:
    """Stored answers to repeated requests told the old releases; a repeat is answered anew, as a duplicate."""
    mine = select(teams.c.id).where(teams.c.competition == slug)
    connection.execute(delete(idempotency).where(idempotency.c.team_id.in_(mine)))


def _in_parts(connection: Connection, statement: Any, rows: Iterable[Mapping[str, Any]]) -> None:
    listed = [dict(row) for row in rows]
    for start in range(0, len(listed), AT_ONCE):
        connection.execute(statement, listed[start : start + AT_ONCE])
