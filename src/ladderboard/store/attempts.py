"""One attempt's reading and writing: what is read before judging, and what is written after it, all or nothing.

The statements are built once, and few: an attempt runs about fifteen, and each costs more in Python than in SQLite.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, delete, func, insert, literal_column, select, update

from ladderboard.store.prepared import Found, Prepared
from ladderboard.store.records import CompetitionRecord, record_of
from ladderboard.store.schema import competitions, idempotency, instances, submissions, teams

FREE = 200
"""The status of an answer that cost no attempt."""
MOST_FREE = 100
"""Keys that a team keeps bound to such answers, the newest: nobody fills the database with what costs nothing."""
LATE = ":late"
"""The end of the key of an instance that only late entries use."""


class StateMovedError(Exception):
    """Somebody else's attempt was recorded since this one was judged; nothing was written, judge again."""


@dataclass(frozen=True)
class AttemptContext:
    """What an attempt is judged from. ``turn`` counts the changes of ``state``; 0 before the first attempt."""

    state: str | None
    turn: int
    bits: float
    competition: "CompetitionCounters"
    team: Found
    same: "Duplicate | None" = None
    stored: "StoredResponse | None" = None


class CompetitionCounters(NamedTuple):
    """What of a competition's row an attempt meets and changes; the rest is long, and needed by nobody here."""

    slug: str
    frozen_at: datetime | None
    finalized_at: datetime | None
    spent_at: datetime | None
    scoring_version: int
    noise_epoch: int
    board_version: int
    last_number: int
    bits: float
    ledger_length: int
    ledger_head: str


@dataclass(frozen=True)
class Duplicate:
    """The team's submission with the same predictions."""

    id: str
    release: dict[str, Any]


@dataclass(frozen=True)
class StoredResponse:
    """The answer that a team got to an earlier request with the same key."""

    body_digest: str
    status: int
    answer: dict[str, Any]


def hold(connection: Connection, slug: str) -> CompetitionRecord:
    """The competition's row, held until the end of the transaction (PostgreSQL; SQLite holds everything anyway).

    Whoever writes to a competition holds its row first: attempts of one competition are recorded one after another,
    which keeps the ledger a chain and the numbers without gaps.
    """
    return record_of(CompetitionRecord, connection.execute(_HELD, {"slug": slug}).one())


def hold_running(connection: Connection, slug: str) -> CompetitionCounters:
    """The same, of the row what an attempt needs."""
    return CompetitionCounters._make(_HELD_RUNNING.one(connection, {"slug": slug}))


def read_position(
    connection: Connection,
    slug: str,
    key: str,
    team_id: str,
    *,
    competition: CompetitionCounters | None = None,
    phase: str = "",
    fingerprint: str = "",
    request_key: str | None = None,
) -> AttemptContext:
    """What an attempt of this team is judged from; ``competition`` where its row is at hand.

    ``phase`` and ``fingerprint`` find the same predictions, ``request_key`` the answer to the same request.
    """
    asked = {"phase": phase, "fingerprint": fingerprint, "request_key": request_key}
    statement = _MET_WITH_COMPETITION if competition is None else _MET
    met = statement.one(connection, {"slug": slug, "instance": key, "team_id": team_id, **asked})
    row = CompetitionCounters._make(met[-len(CompetitionCounters._fields) :]) if competition is None else competition
    state, turn, bits = met.state, met.turn or 0, met.bits or 0.0
    if state is None and key.endswith(LATE):
        # The first late entry goes on from where the deadline found its team (or the board).
        state = connection.scalar(_STATE, {"slug": slug, "instance": key.removesuffix(LATE)})
    same = None if met.same_id is None else Duplicate(met.same_id, met.same_release)
    stored = None if met.body_digest is None else StoredResponse(met.body_digest, met.stored_status, met.answer)
    return AttemptContext(state, turn, bits, row, met, same, stored)


def spend(connection: Connection, slug: str, key: str, *, turn: int, state: str, bits: float) -> None:
    """Replace the memory that was read at ``turn``. Raises `StateMovedError` where it is no longer that memory."""
    if turn == 0:
        if connection.scalar(_STATE, {"slug": slug, "instance": key}) is not None:
            raise StateMovedError
        first = {"competition": slug, "key": key, "state": state, "turn": 1, "bits": bits}
        _FIRST.run(connection, first)
        return
    change = {"slug": slug, "instance": key, "at": turn, "state": state, "turn": turn + 1, "bits": bits}
    if _SPEND.run(connection, change) != 1:
        raise StateMovedError


def stored_answer(connection: Connection, team_id: str, key: str) -> StoredResponse | None:
    """The answer that a team got to an earlier request with this key."""
    row = connection.execute(_ANSWER, {"team_id": team_id, "key": key}).one_or_none()
    return None if row is None else StoredResponse(row.body_digest, row.status, row.answer)


def keep_answer(connection: Connection, team_id: str, key: str, stored: StoredResponse, now: datetime) -> None:
    """Bind a request's key to its body and the answer that the team got."""
    values = {"body_digest": stored.body_digest, "status": stored.status, "answer": stored.answer, "stored_at": now}
    _KEEP_ANSWER.run(connection, {"team_id": team_id, "key": key, **values})
    if stored.status == FREE:
        connection.execute(_FORGET_FREE, {"team_id": team_id})


_COMPETITION = select(competitions).where(competitions.c.slug == bindparam("slug"))
_KEEP_ANSWER = Prepared(insert(idempotency))
_FIRST = Prepared(insert(instances))
# In so many words, not as a parameter: the index knows only answers of that status.
_IS_FREE = (idempotency.c.team_id == bindparam("team_id")) & (idempotency.c.status == literal_column(str(FREE)))
_FORGET_FREE = delete(idempotency).where(
    _IS_FREE,
    idempotency.c.stored_at
    <= select(idempotency.c.stored_at)
    .where(_IS_FREE)
    .order_by(idempotency.c.stored_at.desc())
    .offset(MOST_FREE)
    .limit(1)
    .scalar_subquery(),
)
_HELD = _COMPETITION.with_for_update()
_RUNNING: tuple[Any, ...] = tuple(competitions.c[name] for name in CompetitionCounters._fields)
_HELD_RUNNING = Prepared(select(*_RUNNING).where(competitions.c.slug == bindparam("slug")).with_for_update())
_IS_INSTANCE = (instances.c.competition == bindparam("slug")) & (instances.c.key == bindparam("instance"))
_STATE = select(instances.c.state).where(_IS_INSTANCE)
_IS_SAME = (
    (submissions.c.team_id == bindparam("team_id"))
    & (submissions.c.phase == bindparam("phase"))
    & (submissions.c.fingerprint == bindparam("fingerprint"))
)
_IS_STORED = (idempotency.c.team_id == bindparam("team_id")) & (idempotency.c.key == bindparam("request_key"))
_FOUND = teams.outerjoin(instances, _IS_INSTANCE).outerjoin(submissions, _IS_SAME).outerjoin(idempotency, _IS_STORED)
_ALL_MET = (
    select(
        teams,
        instances.c.state,
        instances.c.turn,
        instances.c.bits,
        submissions.c.id.label("same_id"),
        submissions.c.release.label("same_release"),
        idempotency.c.body_digest,
        idempotency.c.status.label("stored_status"),
        idempotency.c.answer,
    )
    .select_from(_FOUND)
    .where(teams.c.id == bindparam("team_id"))
)
_MET = Prepared(_ALL_MET)
"""Everything that an attempt meets, each found by a key. Without the competition's row, for where that is held: in
PostgreSQL a statement that waits for a lock sees of other tables what was there before it waited."""
_MET_WITH_COMPETITION = Prepared(
    _ALL_MET.add_columns(*(column.label(f"running_{column.name}") for column in _RUNNING)).select_from(
        _FOUND.join(competitions, competitions.c.slug == bindparam("slug"))
    )
)
_SPEND = Prepared(
    update(instances)
    .where(_IS_INSTANCE, instances.c.turn == bindparam("at"))
    .values(state=bindparam("state"), turn=bindparam("turn"), bits=bindparam("bits"))
)
FILE = Prepared(select(submissions.c.file_digest).where(submissions.c.id == bindparam("submission_id")))
"""The digest of a submission's file."""
_ANSWER = select(idempotency).where(
    idempotency.c.team_id == bindparam("team_id"), idempotency.c.key == bindparam("key")
)


def read_largest_bits(connection: Connection, slug: str) -> float:
    """Read the bits that the mechanism's most informed memory has released."""
    return float(connection.scalar(select(func.max(instances.c.bits)).where(instances.c.competition == slug)) or 0.0)
