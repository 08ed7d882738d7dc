"""One submission's reads and writes: the context it is judged from, and what is recorded of it, all or nothing."""

from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, func, insert, literal_column, select

from ladderboard.server.db.columns import find_record, make_record
from ladderboard.server.db.rows.competitions import read_counters
from ladderboard.server.db.rows.instances import IS_INSTANCE, LATE, read_state
from ladderboard.server.db.schema import idempotency, instances, submissions, teams
from ladderboard.server.submissions.records import (
    AttemptContext,
    CompetitionCounters,
    Duplicate,
    StoredAnswers,
    StoredResponse,
    SubmissionRecord,
)
from ladderboard.server.teams.records import TeamRecord

FREE = 200
"""The status of an answer that cost no attempt."""
MOST_FREE = 100
"""How many keys of a team stay bound to such answers, the newest: nobody fills the database with what costs nothing."""


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
    counters = competition or read_counters(connection, slug)
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


def add_submission(connection: Connection, submission: SubmissionRecord) -> None:
    """Add a submission with its release."""
    connection.execute(insert(submissions), vars(submission))


def find_stored(connection: Connection, submission_id: str) -> StoredAnswers:
    """Find where the answers of a submission are kept that is known to exist."""
    return make_record(StoredAnswers, connection.execute(_STORED, {"submission_id": submission_id}).one())


def find_answer(connection: Connection, team_id: str, key: str) -> StoredResponse | None:
    """Find the answer that a team got to an earlier request with this key."""
    return find_record(StoredResponse, connection.execute(_ANSWER, {"team_id": team_id, "key": key}))


def keep_answer(connection: Connection, team_id: str, key: str, stored: StoredResponse, now: datetime) -> None:
    """Bind a request's key to its body and the answer that the team got."""
    row = {"team_id": team_id, "key": key, "stored_at": now, **vars(stored)}
    connection.execute(insert(idempotency), row)
    if stored.status == FREE:
        connection.execute(_FORGET_FREE, {"team_id": team_id})


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
        teams.outerjoin(instances, IS_INSTANCE).outerjoin(submissions, _IS_SAME).outerjoin(idempotency, _IS_STORED)
    )
    .where(teams.c.id == bindparam("team_id"))
)
# What a program has answered is scored in the place of its file.
_STORED = select(
    func.coalesce(submissions.c.output_digest, submissions.c.file_digest).label("file"),
    submissions.c.scores_digest.label("scores"),
).where(submissions.c.id == bindparam("submission_id"))
_ANSWER = select(idempotency).where(
    idempotency.c.team_id == bindparam("team_id"), idempotency.c.key == bindparam("key")
)
"""Built once: building a statement takes longer than running it."""
