"""The way of a submission: file → predictions → evaluation → release → store, on one page.

Judging happens outside the transaction, since it may take long; the record is written only if the memory it was judged
from is still the present one, else the attempt is judged again. Whoever loses such a race lost it to somebody whose
attempt was recorded, so there is always progress.
"""

from datetime import datetime

from sqlalchemy import Connection

from ladderboard.core.errors import (
    CompetitionSpentError,
    DeadlinePassedError,
    HoldoutSpentError,
    LadderboardError,
    NotOpenError,
)
from ladderboard.core.records import Evaluation
from ladderboard.core.words import translatable
from ladderboard.hosting.live_competition import InstanceLocks, LiveCompetition
from ladderboard.hosting.moderation.similarity import observe
from ladderboard.hosting.submissions.eligibility import SPENT, refuse
from ladderboard.hosting.submissions.idempotency import answered_before, keep, same_request
from ladderboard.hosting.submissions.incoming import Answer, IncomingSubmission, ParsedSubmission
from ladderboard.hosting.submissions.judging import Judgement, judge
from ladderboard.hosting.submissions.recording import record
from ladderboard.store import attempts
from ladderboard.store.columns import new_id
from ladderboard.store.database import Database


class Referee:
    """Judges attempts at the competitions of one database. Safe to use from several threads and processes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lanes = InstanceLocks()

    def submit(self, live: LiveCompetition, attempt: IncomingSubmission) -> Answer:
        """Score one submission and record it; what is refused costs nothing and leaves no trace."""
        try:
            phase = _phase(live, attempt)
            # Label-free: what is wrong with the file may be told in full.
            predictions = live.evaluations.read(attempt.content, attempt.file_name)
        except LadderboardError:
            answered = self._answered_request(attempt)
            if answered is not None:
                return answered
            raise
        fingerprint = live.fingerprint(predictions)
        with self._database.reading() as connection:
            position = self._position(connection, live, attempt, phase=phase, fingerprint=fingerprint)
            answered = answered_before(connection, live, attempt, position, phase=phase)
            if answered is None:
                refuse(live, position, attempt, phase)
                observation = observe(connection, live, attempt, predictions)
        if answered is not None:
            return answered if position.stored is not None else self._bound(live, attempt, answered)
        # From here on nothing may leave but the release.
        digest = live.files.put(attempt.content)
        submission_id = new_id(attempt.received_at)
        candidate = live.evaluations.evaluate(submission_id, predictions, training_score=attempt.training_score)
        scored = ParsedSubmission(attempt, phase, predictions, fingerprint, digest, observation)
        lane = self._lanes.lane(live.slug, live.instance_key(attempt.team_id, phase))
        if lane.acquire(blocking=False):
            fresh: attempts.AttemptContext | None = position
        else:
            lane.acquire()
            fresh = None  # the attempt that was waited for has moved it
        try:
            return self._judge_and_record(live, scored, candidate, fresh)
        finally:
            lane.release()

    def _answered_request(self, attempt: IncomingSubmission) -> Answer | None:
        """What this request was answered before it was too late, or before its file could not be read any more."""
        if attempt.idempotency_key is None:
            return None
        with self._database.reading() as connection:
            stored = attempts.stored_answer(connection, attempt.team_id, attempt.idempotency_key)
        return same_request(attempt, stored)

    def _bound(self, live: LiveCompetition, attempt: IncomingSubmission, answer: Answer) -> Answer:
        """The answer to predictions that were sent before, to which the request's key is bound as to any other."""
        if attempt.idempotency_key is None:
            return answer
        with self._database.transaction() as connection:
            attempts.hold(connection, live.slug)
            stored = attempts.stored_answer(connection, attempt.team_id, attempt.idempotency_key)
            if stored is None:
                keep(connection, attempt, answer, self._database.now(connection))
        return same_request(attempt, stored) or answer

    def _judge_and_record(
        self,
        live: LiveCompetition,
        scored: ParsedSubmission,
        candidate: Evaluation,
        position: attempts.AttemptContext | None,
    ) -> Answer:
        while True:
            if position is None:
                with self._database.reading() as connection:
                    position = self._position(connection, live, scored.attempt, phase=scored.phase)
            judgement = self._judge(live, scored, candidate, position)
            try:
                with self._database.transaction() as connection:
                    now = self._database.now(connection)
                    answer = record(connection, live, scored, judgement, now=now)
            except attempts.StateMovedError:
                position = None
                continue
            if judgement.release.accepted:
                live.evaluations.remember(candidate)
            return answer

    def _position(
        self,
        connection: Connection,
        live: LiveCompetition,
        attempt: IncomingSubmission,
        *,
        phase: str,
        fingerprint: str = "",
    ) -> attempts.AttemptContext:
        return attempts.read_position(
            connection,
            live.slug,
            live.instance_key(attempt.team_id, phase),
            attempt.team_id,
            phase=phase,
            fingerprint=fingerprint,
            request_key=attempt.idempotency_key,
        )

    def _judge(
        self,
        live: LiveCompetition,
        scored: ParsedSubmission,
        candidate: Evaluation,
        position: attempts.AttemptContext,
    ) -> Judgement:
        key = live.instance_key(scored.attempt.team_id, scored.phase)
        try:
            return judge(
                live,
                candidate,
                lambda name: live.evaluations.of(name, self._file_of),
                team_id=scored.attempt.team_id,
                key=key,
                turn=position.turn,
                epoch=position.competition.noise_epoch,
                before=live.memory(key, position.state),
            )
        except HoldoutSpentError:
            raise CompetitionSpentError(SPENT) from None

    def _file_of(self, submission_id: str) -> str:
        found = self._database.glances.row(attempts.FILE, submission_id=submission_id)
        assert found is not None, "what a memory names was recorded with it"
        return str(found["file_digest"])


def _phase(live: LiveCompetition, attempt: IncomingSubmission) -> str:
    if attempt.is_baseline:
        return "baseline"
    phase = live.phase(attempt.received_at)
    if phase == "upcoming":
        raise NotOpenError(
            translatable("this competition opens at {time}; try again then", time=_shown(live.rules.opens))
        )
    if phase == "late" and not live.rules.late_submissions:
        raise DeadlinePassedError(
            translatable("the deadline was {time}; nothing more is scored", time=_shown(live.rules.deadline))
        )
    return phase


def _shown(moment: datetime | None) -> str:
    return "" if moment is None else moment.isoformat()
