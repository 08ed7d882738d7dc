"""What was asked before is answered from the store and costs nothing: the same request, the same predictions."""

from sqlalchemy import Connection, select

from ladderboard.errors import IdempotencyMismatchError
from ladderboard.hosting.attempts import Answer, Attempt
from ladderboard.hosting.hosted import Hosted
from ladderboard.hosting.quota import quota_of
from ladderboard.hosting.standings import place_of_attempt
from ladderboard.store import turns
from ladderboard.store.schema import teams


def answered_before(connection: Connection, attempt: Attempt) -> Answer | None:
    """The stored answer to the same request; the same key with another body is refused."""
    if attempt.idempotency_key is None:
        return None
    stored = turns.stored_answer(connection, attempt.team_id, attempt.idempotency_key)
    if stored is None:
        return None
    if stored.body_digest != attempt.body_digest():
        raise IdempotencyMismatchError(
            "this Idempotency-Key was used for another file or note; use a new key for a new submission"
        )
    return Answer(stored.status, stored.answer)


def same_again(
    connection: Connection, hosted: Hosted, attempt: Attempt, *, phase: str, fingerprint: str
) -> Answer | None:
    """The stored release of the same predictions of the same team, also where no attempt is left."""
    same = turns.find_same(connection, attempt.team_id, phase, fingerprint)
    if same is None:
        return None
    team = connection.execute(select(teams).where(teams.c.id == attempt.team_id)).one()
    return Answer(
        200,
        {
            "id": same.id,
            "status": "scored",
            "duplicate": True,
            "phase": phase,
            "release": same.release,
            **place_of_attempt(connection, hosted, team, phase).to_dict(),
            "quota": quota_of(hosted, team, attempt.received_at).to_dict(),
        },
    )
