"""One submission's reads and writes: the context it is judged from, and what is recorded of it, all or nothing."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, literal_column, select, update

from ladderboard.server.competitions.records import CompetitionRecord
from ladderboard.server.db.rows import find_record, make_record, select_fields
from ladderboard.server.db.schema import competitions, idempotency, instances, submissions, teams
from ladderboard.server.submissions.records import (
    AttemptContext,
    CompetitionCounters,
    Duplicate,
    StoredResponse,
    SubmissionRecord,
)
from ladderboard.server.teams.records import TeamRecord

FREE = 200
"""The status of an answer that cost no attempt."""
MOST_FREE = 100
"""How many keys of a team stay bound to such answers, the newest: nobody fills the database with what costs nothing."""
LATE = ":late"
"""The suffix of an instance's key that only late entries use."""


class StateMovedError(Exception):
    """Another submission was recorded since this one was judged; nothing was written, judge again."""


def hold(connection: Connection, slug: str) -> CompetitionRecord:
    """Lock the competition's row until the end of the transaction (PostgreSQL; SQLite locks everything anyway).

    Whoever writes to a competition locks its row first: submissions to one competition are recorded one after another,
    which keeps the ledger a chain and the numbers without gaps.
    """
    return make_record(CompetitionRecord, connection.execute(_HELD, {"slug": slug}).one())


def hold_counters(connection: Connection, slug: str) -> CompetitionCounters:
    """Lock the competition's row as `hold` does, and read its counters."""
    return make_record(CompetitionCounters, connection.execute(_HELD_COUNTERS, {"slug": slug}).one())


def read_context(
    connection: Connection,
    slug: str,
    key: str,
    team_id: str,
    *,
    competition: CompetitionCounters | None = None,
    entry_kind: str = "",
    fingerprint: str = "",
    request_key: str | None = None,
) -> AttemptContext:
    """Read what a submission of this team is judged from; ``competition`` where its row is at hand.

    ``entry_kind`` and ``fingerprint`` find the same predictions, ``request_key`` the answer to the same request.
    """
    # A statement of its own: in PostgreSQL one that waits for a lock sees other tables as they were before it waited.
    counters = competition or make_record(CompetitionCounters, connection.execute(_COUNTERS, {"slug": slug}).one())
    asked = {"entry_kind": entry_kind, "fingerprint": fingerprint, "request_key": request_key}
    row = connection.execute(_CONTEXT, {"slug": slug, "instance": key, "team_id": team_id, **asked}).one()
    state: str | None = row.state
    if state is None and key.endswith(LATE):
        # The first late entry goes on from where the deadline found its team (or the board).
        state = read_state(connection, slug, key.removesuffix(LATE))
    return AttemptContext(
        state=state,
        state_version=row.state_version or 0,
        bits=row.bits or 0.0,
        competition=counters,
        team=make_record(TeamRecord, row),
        duplicate=None if row.same_id is None else Duplicate(row.same_id, row.same_release),
        stored=None if row.body_digest is None else StoredResponse(row.body_digest, row.stored_status, row.answer),
    )


def read_state(connection: Connection, slug: str, key: str) -> str | None:
    """Read the state of an instance; None before its first attempt."""
    return connection.scalar(_STATE, {"slug": slug, "instance": key})


def read_states(connection: Connection, slug: str, keys: Sequence[str]) -> dict[str, str]:
    """Read the states of several instances; those before their first attempt have none."""
    mine = (instances.c.competition == slug) & instances.c.key.in_(list(keys))
    return {row.key: row.state for row in connection.execute(select(instances.c.key, instances.c.state).where(mine))}


def replace_state(connection: Connection, slug: str, key: str, *, state_version: int, state: str, bits: float) -> None:
    """Replace the state that was read at ``state_version``. Raises `StateMovedError` where it has changed since."""
    if state_version == 0:
        if read_state(connection, slug, key) is not None:
            raise StateMovedError
        first = {"competition": slug, "key": key, "state": state, "state_version": 1, "bits": bits}
        connection.execute(insert(instances), first)
        return
    change = {"slug": slug, "instance": key, "read_at": state_version, "state": state, "bits": bits}
    if connection.execute(_REPLACE, {**change, "state_version": state_version + 1}).rowcount != 1:
        raise StateMovedError


def add_submission(connection: Connection, submission: SubmissionRecord) -> None:
    """Add a submission with its release."""
    connection.execute(insert(submissions), vars(submission))


def change_counters(connection: Connection, slug: str, values: dict[str, Any]) -> None:
    """Write the counters of a competition whose row is held."""
    connection.execute(_CHANGE_COMPETITION, {"changed": slug, **values})


def find_file(connection: Connection, submission_id: str) -> str:
    """Find the digest of the file of a submission that is known to exist."""
    return str(connection.execute(_FILE, {"submission_id": submission_id}).scalar_one())


def find_answer(connection: Connection, team_id: str, key: str) -> StoredResponse | None:
    """Find the answer that a team got to an earlier request with this key."""
    return find_record(StoredResponse, connection.execute(_ANSWER, {"team_id": team_id, "key": key}))


def keep_answer(connection: Connection, team_id: str, key: str, stored: StoredResponse, now: datetime) -> None:
    """Bind a request's key to its body and the answer that the team got."""
    row = {"team_id": team_id, "key": key, "stored_at": now, **vars(stored)}
    connection.execute(insert(idempotency), row)
    if stored.status == FREE:
        connection.execute(_FORGET_FREE, {"team_id": team_id})


def read_largest_bits(connection: Connection, slug: str) -> float:
    """Read the bits that the mechanism's most informed memory has released."""
    return float(connection.scalar(select(func.max(instances.c.bits)).where(instances.c.competition == slug)) or 0.0)


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
_HELD = select(competitions).where(competitions.c.slug == bindparam("slug")).with_for_update()
_COUNTERS = select_fields(CompetitionCounters, competitions).where(competitions.c.slug == bindparam("slug"))
_HELD_COUNTERS = _COUNTERS.with_for_update()
_CHANGE_COMPETITION = update(competitions).where(competitions.c.slug == bindparam("changed"))
_IS_INSTANCE = (instances.c.competition == bindparam("slug")) & (instances.c.key == bindparam("instance"))
_STATE = select(instances.c.state).where(_IS_INSTANCE)
_IS_SAME = (
    (submissions.c.team_id == bindparam("team_id"))
    & (submissions.c.phase == bindparam("entry_kind"))
    & (submissions.c.fingerprint == bindparam("fingerprint"))
)
_IS_STORED = (idempotency.c.team_id == bindparam("team_id")) & (idempotency.c.key == bindparam("request_key"))
_CONTEXT = (
    select(
        teams,
        instances.c.state,
        instances.c.state_version,
        instances.c.bits,
        submissions.c.id.label("same_id"),
        submissions.c.release.label("same_release"),
        idempotency.c.body_digest,
        idempotency.c.status.label("stored_status"),
        idempotency.c.answer,
    )
    .select_from(
        teams.outerjoin(instances, _IS_INSTANCE).outerjoin(submissions, _IS_SAME).outerjoin(idempotency, _IS_STORED)
    )
    .where(teams.c.id == bindparam("team_id"))
)
_REPLACE = update(instances).where(_IS_INSTANCE, instances.c.state_version == bindparam("read_at"))
_FILE = select(submissions.c.file_digest).where(submissions.c.id == bindparam("submission_id"))
_ANSWER = select(idempotency).where(
    idempotency.c.team_id == bindparam("team_id"), idempotency.c.key == bindparam("key")
)
"""Built once: building a statement takes longer than running it."""
