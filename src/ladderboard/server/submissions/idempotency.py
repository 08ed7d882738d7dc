"""Answers from the store to what was sent before, at no cost: the same request, or the same predictions."""

import json
from datetime import datetime

from ladderboard.core.canonical_json import canonical_json
from ladderboard.core.errors import IdempotencyMismatchError
from ladderboard.core.records import Release
from ladderboard.mechanisms.outcomes import Outcome
from ladderboard.server.boards.standings import NOWHERE, find_place
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.db.database import Connection
from ladderboard.server.submissions.eligibility import compute_quota
from ladderboard.server.submissions.outcomes import answer_repetition
from ladderboard.server.submissions.records import Answer, AttemptContext, EntryKind, IncomingSubmission, StoredResponse
from ladderboard.server.submissions.sql import attempts
from ladderboard.server.teams.records import TeamRecord


def find_earlier_answer(
    connection: Connection,
    live: LiveCompetition,
    incoming: IncomingSubmission,
    context: AttemptContext,
    *,
    kind: EntryKind,
) -> Answer | None:
    """Find the stored answer to the same request, or to the same predictions; None where this is something new."""
    answer = match_request(incoming, context.stored)
    if answer is not None or context.duplicate is None:
        return answer
    same, stored = context.duplicate, Release.from_dict(context.duplicate.release)
    release, outcome = answer_repetition(
        connection, live, stored, team_id=context.team.id, submission=same.id, kind=kind, state=context.state
    )
    # Also where no attempt is left: it costs none.
    return build_answer(
        connection,
        live,
        incoming,
        context.team,
        kind=kind,
        id=same.id,
        release=release,
        outcome=outcome,
        is_duplicate=True,
    )


def match_request(incoming: IncomingSubmission, stored: StoredResponse | None) -> Answer | None:
    """Return the stored answer to the same request; the same key with another body is refused."""
    if stored is None:
        return None
    if stored.body_digest != incoming.body_digest:
        raise IdempotencyMismatchError(
            "this Idempotency-Key was used for another file or note; use a new key for a new submission"
        )
    return Answer(stored.status, stored.answer)


def keep(connection: Connection, incoming: IncomingSubmission, answer: Answer, now: datetime) -> None:
    """Bind the request's key, if it has one, to its body and answer."""
    if incoming.idempotency_key is not None:
        stored = StoredResponse(incoming.body_digest, answer.status, answer.content)
        attempts.keep_answer(connection, incoming.team_id, incoming.idempotency_key, stored, now)


def build_answer(
    connection: Connection,
    live: LiveCompetition,
    incoming: IncomingSubmission,
    team: TeamRecord,
    *,
    kind: EntryKind,
    id: str,  # noqa: A002  # the name is the answer's
    release: Release,
    outcome: Outcome,
    is_duplicate: bool,
) -> Answer:
    """Build the answer to a submission. A late entry stands apart and has no place on the board."""
    place = NOWHERE if kind == "late" else find_place(connection, live, team)
    content = {
        "id": id,
        "status": "scored",
        "duplicate": is_duplicate,
        "phase": kind,
        "release": release.to_dict(),
        "outcome": {"name": outcome.name, "title": outcome.title, "sentence": outcome.sentence},
        **place.to_dict(),
        "quota": compute_quota(live, team, incoming.received_at).to_dict(),
    }
    # As it will be read back from the store: a repeated request gets the same bytes.
    return Answer(200 if is_duplicate else 201, dict(json.loads(canonical_json(content))))
