"""Picks of finals, and a rescoring: new releases beside the old ones, new states, new places on the board."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from ladderboard.server.db.columns import make_records, select_fields
from ladderboard.server.db.schema import idempotency, instances, rescored, submissions, teams
from ladderboard.server.results.records import SubmissionOwner
from ladderboard.server.submissions.records import OwnSubmission
from ladderboard.server.teams.records import TeamRecord

_FINALS = select_fields(OwnSubmission, submissions)


def list_competitors(connection: Connection, slug: str) -> list[TeamRecord]:
    """List the teams and baselines of the final board, in the order of the public one."""
    mine = (teams.c.competition == slug) & (teams.c.status == "active") & (teams.c.attempts > 0)
    order = (teams.c.board_order.is_(None), teams.c.board_order, teams.c.kind, teams.c.last_improvement, teams.c.id)
    return make_records(TeamRecord, connection.execute(select(teams).where(mine).order_by(*order)))


def list_picks(connection: Connection, team_ids: Sequence[str]) -> list[OwnSubmission]:
    """List what these teams picked, the earliest first."""
    mine = submissions.c.team_id.in_(list(team_ids)) & submissions.c.picked_at.is_not(None)
    return make_records(OwnSubmission, connection.execute(_FINALS.where(mine).order_by(submissions.c.number)))


def list_eligible(connection: Connection, ids: Sequence[str]) -> list[OwnSubmission]:
    """List those of these submissions that came in time, the earliest first; the caller checks whose they are."""
    timely = submissions.c.id.in_(list(ids)) & (submissions.c.phase != "late")
    return make_records(OwnSubmission, connection.execute(_FINALS.where(timely).order_by(submissions.c.number)))


def list_latest(connection: Connection, slug: str, team_ids: Sequence[str]) -> list[OwnSubmission]:
    """List the last submission in time of each of these teams."""
    timely = submissions.c.team_id.in_(list(team_ids)) & (submissions.c.phase != "late")
    last = select(func.max(submissions.c.number)).where(timely).group_by(submissions.c.team_id)
    mine = (submissions.c.competition == slug) & submissions.c.number.in_(last)
    return make_records(OwnSubmission, connection.execute(_FINALS.where(mine)))


def replace_picks(connection: Connection, team_id: str, ids: Sequence[str], now: datetime) -> None:
    """Replace a team's picks."""
    mine = submissions.c.team_id == team_id
    connection.execute(update(submissions).where(mine & submissions.c.picked_at.is_not(None)).values(picked_at=None))
    connection.execute(update(submissions).where(mine & submissions.c.id.in_(list(ids))).values(picked_at=now))


AT_ONCE = 1000


def read_releases(connection: Connection, slug: str) -> dict[str, dict[str, Any]]:
    """Read the release of every submission, by its id."""
    rows = connection.execute(select(submissions.c.id, submissions.c.release).where(submissions.c.competition == slug))
    return {row.id: row.release for row in rows}


def list_teams(connection: Connection, slug: str) -> list[TeamRecord]:
    """List every team of a competition with its place."""
    rows = connection.execute(select(teams).where(teams.c.competition == slug).order_by(teams.c.id))
    return make_records(TeamRecord, rows)


def replace_releases(
    connection: Connection, slug: str, releases: Iterable[Mapping[str, Any]], *, old_version: int, new_version: int
) -> None:
    """Replace the releases; the old ones are kept under their version."""
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
    _execute_in_parts(connection, change, releases)


def replace_fingerprints(connection: Connection, fingerprints: Mapping[str, str]) -> None:
    """Replace the fingerprints: a corrected solution may code classes in another way."""
    # In two steps, since for a moment two of a team could be equal.
    away = [{"submission": one, "hash": f"replaced {one}"} for one in fingerprints]
    mine = submissions.c.id == bindparam("submission")
    change = update(submissions).where(mine).values(fingerprint=bindparam("hash"))
    _execute_in_parts(connection, change, away)
    _execute_in_parts(connection, change, [{"submission": one, "hash": value} for one, value in fingerprints.items()])


def list_owners(connection: Connection, slug: str) -> list[SubmissionOwner]:
    """List the present owner of every submission."""
    columns: tuple[Any, ...] = (submissions.c.id, submissions.c.team_id, submissions.c.phase)
    rows = connection.execute(select(*columns).where(submissions.c.competition == slug))
    return make_records(SubmissionOwner, rows)


def replace_states(connection: Connection, slug: str, states: Mapping[str, tuple[str, float]]) -> None:
    """Replace all states: key → (state, bits). Versions go on, so what was judged from an old state is judged again."""
    mine = instances.c.competition == slug
    versions = {
        row.key: row.state_version
        for row in connection.execute(select(instances.c.key, instances.c.state_version).where(mine))
    }
    connection.execute(delete(instances).where(mine))
    rows = [
        {"competition": slug, "key": key, "state": state, "bits": bits, "state_version": versions.get(key, 0) + 1}
        for key, (state, bits) in states.items()
    ]
    if rows:
        _execute_in_parts(connection, insert(instances), rows)


def replace_places(connection: Connection, places: Iterable[Mapping[str, Any]]) -> None:
    """Replace the places of teams; the keys of each are the parameters below."""
    change = (
        update(teams)
        .where(teams.c.id == bindparam("team"))
        .values(
            accepts=bindparam("new_accepts"),
            board_value=bindparam("board_value"),
            board_order=bindparam("board_order"),
            standard_error=bindparam("standard_error"),
            last_improvement=bindparam("improvement"),
            last_improved_at=bindparam("improved_at"),
        )
    )
    _execute_in_parts(connection, change, places)


def forget_answers(connection: Connection, slug: str) -> None:
    """Delete the stored answers, which hold the old releases; a repeated request is answered anew, as a duplicate."""
    mine = select(teams.c.id).where(teams.c.competition == slug)
    connection.execute(delete(idempotency).where(idempotency.c.team_id.in_(mine)))


def _execute_in_parts(connection: Connection, statement: Any, rows: Iterable[Mapping[str, Any]]) -> None:
    listed = [dict(row) for row in rows]
    for start in range(0, len(listed), AT_ONCE):
        connection.execute(statement, listed[start : start + AT_ONCE])
