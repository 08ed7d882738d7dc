"""What was asked before is answered from the store and costs nothing: the same request, the same predictions."""

import json
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from ladderboard.core.errors import IdempotencyMismatchError
from ladderboard.core.words import translatable
from ladderboard.hosting.boards.standings import place_of_attempt
from ladderboard.hosting.live_competition import LiveCompetition
from ladderboard.hosting.submissions.incoming import Answer, IncomingSubmission
from ladderboard.hosting.submissions.quota import quota_of
from ladderboard.store import attempts
from ladderboard.store.columns import canonical_json


def answered_before(
    connection: Connection,
    live: LiveCompetition,
    attempt: IncomingSubmission,
    position: attempts.AttemptContext,
    *,
    phase: str,
) -> Answer | None:
    """The stored answer to the same request, or to the same predictions; None where this is something new."""
    return same_request(attempt, position.stored) or _same_predictions(connection, live, attempt, position, phase)


def same_request(attempt: IncomingSubmission, stored: attempts.StoredResponse | None) -> Answer | None:
    """The stored answer to the same request; the same key with another body is refused."""
    if stored is None:
        return None
    if stored.body_digest != attempt.body_digest:
        raise IdempotencyMismatchError(
            translatable("this Idempotency-Key was used for another file or note; use a new key for a new submission")
        )
    return Answer(stored.status, stored.answer)


def keep(connection: Connection, attempt: IncomingSubmission, answer: Answer, now: datetime) -> None:
    """Bind the request's key, if it has one, to its body and answer."""
    if attempt.idempotency_key is not None:
        stored = attempts.StoredResponse(attempt.body_digest, answer.status, answer.content)
        attempts.keep_answer(connection, attempt.team_id, attempt.idempotency_key, stored, now)


def as_stored(content: dict[str, Any]) -> dict[str, Any]:
    """As it will be read back from the store: a retried request gets the same bytes."""
    return dict(json.loads(canonical_json(content)))


def _same_predictions(
    connection: Connection,
    live: LiveCompetition,
    attempt: IncomingSubmission,
    position: attempts.AttemptContext,
    phase: str,
) -> Answer | None:
    """The stored release of the same predictions of the same team, also where no attempt is left."""
    same, team = position.same, position.team
    if same is None:
        return None
    content = {
        "id": same.id,
        "status": "scored",
        "duplicate": True,
        "phase": phase,
        "release": same.release,
        **place_of_attempt(connection, live, team, phase).to_dict(),
        "quota": quota_of(live, team, attempt.received_at).to_dict(),
    }
    return Answer(200, as_stored(content))
