"""What was asked before is answered from the store and costs nothing: the same request, the same predictions."""

from sqlalchemy import Connection

from ladderboard.errors import IdempotencyMismatchError
from ladderboard.hosting.attempts import Answer, Attempt
from ladderboard.hosting.hosted import Hosted
from ladderboard.hosting.quota import quota_of
from ladderboard.hosting.standings import place_of_attempt
from ladderboard.store import turns


def answered_before(
    connection: Connection, hosted: Hosted, attempt: Attempt, position: turns.Position, *, phase: str
) -> Answer | None:
    """The stored answer to the same request, or to the same predictions; None where this is something new."""
    return same_request(attempt, position.stored) or _same_predictions(connection, hosted, attempt, position, phase)


def same_request(attempt: Attempt, stored: turns.Stored | None) -> Answer | None:
    """The stored answer to the same request; the same key with another body is refused."""
    if stored is None:
        return None
    if stored.body_digest != attempt.body_digest:
        raise IdempotencyMismatchError(
            "this Idempotency-Key was used for another file or note; use a new key for a new submission"
        )
    return Answer(stored.status, stored.answer)


def _same_predictions(
    connection: Connection, hosted: Hosted, attempt: Attempt, position: turns.Position, phase: str
) -> Answer | None:
    """The stored release of the same predictions of the same team, also where no attempt is left."""
    same, team = position.same, position.team
    if same is None:
        return None
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
