"""One attempt's reading and writing: what is read before judging, and what is written after it, all or nothing.

The statements are built once: an attempt runs about fifteen of them, and building one takes as long as running it.
"""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, bindparam, insert, select, update

from ladderboard.store.schema import competitions, idempotency, instances, submissions, teams

LATE = ":late"
"""The end of the key of an instance that only late entries use."""


class StateMovedError(Exception):
    """Somebody else's attempt was recorded since this one was judged; nothing was written, judge again."""


@dataclass(frozen=True)
class Position:
    """What an attempt is judged from. ``turn`` counts the changes of ``state``; 0 before the first attempt."""

    state: str | None
    turn: int
    bits: float
    competition: Row[Any]
    team: Row[Any]


def hold(connection: Connection, slug: str) -> Row[Any]:
    """The competition's row, held until the end of the transaction (PostgreSQL; SQLite holds everything anyway).

    Whoever writes to a competition holds its row first: attempts of one competition are recorded one after another,
    which keeps the ledger a chain and the numbers without gaps.
    """
    return connection.execute(_HELD, {"slug": slug}).one()


def read_position(
    connection: Connection, slug: str, key: str, team_id: str, *, competition: Row[Any] | None = None
) -> Position:
    """What an attempt of this team is judged from; ``competition`` where its row is at hand."""
    row = connection.execute(_COMPETITION, {"slug": slug}).one() if competition is None else competition
    team = connection.execute(_TEAM, {"team_id": team_id}).one()
    state, turn, bits = _instance(connection, slug, key)
    if state is None and key.endswith(LATE):
        # The first late entry goes on from where the deadline found its team (or the board).
        state, _, _ = _instance(connection, slug, key.removesuffix(LATE))
    return Position(state, turn, bits, row, team)


def spend(connection: Connection, slug: str, key: str, *, turn: int, state: str, bits: float) -> None:
    """Replace the memory that was read at ``turn``. Raises `StateMovedError` where it is no longer that memory."""
    if turn == 0:
        if _instance(connection, slug, key)[1] != 0:
            raise StateMovedError
        first = {"competition": slug, "key": key, "state": state, "turn": 1, "bits": bits}
        connection.execute(insert(instances), first)
        return
    change = {"slug": slug, "instance": key, "at": turn, "state": state, "turn": turn + 1, "bits": bits}
    if connection.execute(_SPEND, change).rowcount != 1:
        raise StateMovedError


def find_same(connection: Connection, team_id: str, phase: str, fingerprint: str) -> Row[Any] | None:
    """The team's submission with the same predictions."""
    same = {"team_id": team_id, "phase": phase, "fingerprint": fingerprint}
    return connection.execute(_SAME, same).one_or_none()


def file_digests(connection: Connection, submission_ids: list[str]) -> dict[str, str]:
    """The files of submissions, by submission."""
    if not submission_ids:
        return {}
    return {row.id: row.file_digest for row in connection.execute(_FILES, {"ids": submission_ids})}


def stored_answer(connection: Connection, team_id: str, key: str) -> Row[Any] | None:
    """The answer that a team got to an earlier request with this key."""
    return connection.execute(_ANSWER, {"team_id": team_id, "key": key}).one_or_none()


def _instance(connection: Connection, slug: str, key: str) -> tuple[str | None, int, float]:
    row = connection.execute(_INSTANCE, {"slug": slug, "instance": key}).one_or_none()
    return (None, 0, 0.0) if row is None else (row.state, row.turn, row.bits)


_COMPETITION = select(competitions).where(competitions.c.slug == bindparam("slug"))
_HELD = _COMPETITION.with_for_update()
_TEAM = select(teams).where(teams.c.id == bindparam("team_id"))
_IS_INSTANCE = (instances.c.competition == bindparam("slug")) & (instances.c.key == bindparam("instance"))
_INSTANCE = select(instances.c.state, instances.c.turn, instances.c.bits).where(_IS_INSTANCE)
_SPEND = (
    update(instances)
    .where(_IS_INSTANCE, instances.c.turn == bindparam("at"))
    .values(state=bindparam("state"), turn=bindparam("turn"), bits=bindparam("bits"))
)
_SAME = select(submissions).where(
    submissions.c.team_id == bindparam("team_id"),
    submissions.c.phase == bindparam("phase"),
    submissions.c.fingerprint == bindparam("fingerprint"),
)
_FILES = select(submissions.c.id, submissions.c.file_digest).where(
    submissions.c.id.in_(bindparam("ids", expanding=True))
)
_ANSWER = select(idempotency).where(
    idempotency.c.team_id == bindparam("team_id"), idempotency.c.key == bindparam("key")
)
