"""One attempt's reading and writing: what is read before judging, and what is written after it, all or nothing."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from ladderboard.store.schema import competitions, idempotency, instances, submissions, teams

LATE = ":late"
"""The end of the key of an instance that only late entries use."""


class StateMovedError(Exception):
    """Somebody else's attempt was recorded since this one was judged; nothing was written, judge again."""


@dataclass(frozen=True)
class Position:
    """What an attempt is judged from. ``turn`` counts the changes of ``state``; 0 and None before the first attempt."""

    state: str | None
    turn: int
    competition: Row[Any]
    team: Row[Any]


def hold(connection: Connection, slug: str) -> Row[Any]:
    """The competition's row, held until the end of the transaction (PostgreSQL; SQLite holds everything anyway).

    Whoever writes to a competition holds its row first: attempts of one competition are recorded one after another,
    which keeps the ledger a chain and the numbers without gaps.
    """
    return connection.execute(select(competitions).where(competitions.c.slug == slug).with_for_update()).one()


def read_position(connection: Connection, slug: str, key: str, team_id: str) -> Position:
    """What an attempt of this team is judged from."""
    competition = connection.execute(select(competitions).where(competitions.c.slug == slug)).one()
    team = connection.execute(select(teams).where(teams.c.id == team_id)).one()
    state, turn = _instance(connection, slug, key)
    if state is None and key.endswith(LATE):
        # The first late entry goes on from where the deadline found its team (or the board).
        state, _ = _instance(connection, slug, key.removesuffix(LATE))
    return Position(state, turn, competition, team)


def spend(connection: Connection, slug: str, key: str, *, turn: int, state: str, bits: float) -> float:
    """Replace the memory that was read at ``turn``; returns how many bits more it has told now.

    Raises `StateMovedError` where it is no longer that memory.
    """
    _, now = _instance(connection, slug, key)
    if now != turn:
        raise StateMovedError
    if turn == 0:
        connection.execute(insert(instances).values(competition=slug, key=key, state=state, turn=1, bits=bits))
        return bits
    mine = (instances.c.competition == slug) & (instances.c.key == key)
    before = connection.scalar(select(instances.c.bits).where(mine)) or 0.0
    changed = connection.execute(
        update(instances).where(mine & (instances.c.turn == turn)).values(state=state, turn=turn + 1, bits=bits)
    )
    if changed.rowcount != 1:
        raise StateMovedError
    return bits - before


def find_same(connection: Connection, team_id: str, phase: str, fingerprint: str) -> Row[Any] | None:
    """The team's submission with the same predictions."""
    same = (
        (submissions.c.team_id == team_id) & (submissions.c.phase == phase) & (submissions.c.fingerprint == fingerprint)
    )
    return connection.execute(select(submissions).where(same)).one_or_none()


def file_digests(connection: Connection, submission_ids: list[str]) -> dict[str, str]:
    """The files of submissions, by submission."""
    wanted = select(submissions.c.id, submissions.c.file_digest).where(submissions.c.id.in_(submission_ids))
    return {row.id: row.file_digest for row in connection.execute(wanted)}


def stored_answer(connection: Connection, team_id: str, key: str) -> Row[Any] | None:
    """The answer that a team got to an earlier request with this key."""
    mine = (idempotency.c.team_id == team_id) & (idempotency.c.key == key)
    return connection.execute(select(idempotency).where(mine)).one_or_none()


def _instance(connection: Connection, slug: str, key: str) -> tuple[str | None, int]:
    mine = (instances.c.competition == slug) & (instances.c.key == key)
    row = connection.execute(select(instances.c.state, instances.c.turn).where(mine)).one_or_none()
    return (None, 0) if row is None else (row.state, row.turn)
