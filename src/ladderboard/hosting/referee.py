"""The way of a submission: file → predictions → evaluation → release → store, on one page.

Judging happens outside the transaction, since it may take long; the record is written only if the memory it was judged
from is still the present one, else the attempt is judged again. Whoever loses such a race lost it to somebody whose
attempt was recorded, so there is always progress.
"""

from datetime import datetime

from sqlalchemy import Connection

from ladderboard.errors import (
    CompetitionSpentError,
    DeadlinePassedError,
    HoldoutSpentError,
    LadderboardError,
    NotOpenError,
)
from ladderboard.hosting.admission import SPENT, refuse
from ladderboard.hosting.attempts import Answer, Attempt, Scored
from ladderboard.hosting.duplicates import answered_before, keep, same_request
from ladderboard.hosting.hosted import Hosted, Lanes
from ladderboard.hosting.judging import Judgement, judge
from ladderboard.hosting.recording import record
from ladderboard.hosting.similarity import observe
from ladderboard.records import Evaluation
from ladderboard.store import turns
from ladderboard.store.columns import new_id
from ladderboard.store.database import Database
from ladderboard.words import said


class Referee:
    """Judges attempts at the competitions of one database. Safe to use from several threads and processes."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lanes = Lanes()

    def submit(self, hosted: Hosted, attempt: Attempt) -> Answer:
        """Score one submission and record it; what is refused costs nothing and leaves no trace."""
        try:
            phase = _phase(hosted, attempt)
            # Label-free: what is wrong with the file may be told in full.
            predictions = hosted.evaluations.read(attempt.content, attempt.file_name)
        except LadderboardError:
            answered = self._answered_request(attempt)
            if answered is not None:
                return answered
            raise
        fingerprint = hosted.fingerprint(predictions)
        with self._database.reading() as connection:
            position = self._position(connection, hosted, attempt, phase=phase, fingerprint=fingerprint)
            answered = answered_before(connection, hosted, attempt, position, phase=phase)
            if answered is None:
                refuse(hosted, position, attempt, phase)
                observation = observe(connection, hosted, attempt, predictions)
        if answered is not None:
            return answered if position.stored is not None else self._bound(hosted, attempt, answered)
        # From here on nothing may leave but the release.
        digest = hosted.files.put(attempt.content)
        submission_id = new_id(attempt.received_at)
        candidate = hosted.evaluations.evaluate(submission_id, predictions, training_score=attempt.training_score)
        scored = Scored(attempt, phase, predictions, fingerprint, digest, observation)
        lane = self._lanes.lane(hosted.slug, hosted.instance_key(attempt.team_id, phase))
        if lane.acquire(blocking=False):
            fresh: turns.Position | None = position
        else:
            lane.acquire()
            fresh = None  # the attempt that was waited for has moved it
        try:
            return self._judge_and_record(hosted, scored, candidate, fresh)
        finally:
            lane.release()

    def _answered_request(self, attempt: Attempt) -> Answer | None:
        """What this request was answered before it was too late, or before its file could not be read any more."""
        if attempt.idempotency_key is None:
            return None
        with self._database.reading() as connection:
            stored = turns.stored_answer(connection, attempt.team_id, attempt.idempotency_key)
        return same_request(attempt, stored)

    def _bound(self, hosted: Hosted, attempt: Attempt, answer: Answer) -> Answer:
        """The answer to predictions that were sent before, to which the request's key is bound as to any other."""
        if attempt.idempotency_key is None:
            return answer
        with self._database.transaction() as connection:
            turns.hold(connection, hosted.slug)
            stored = turns.stored_answer(connection, attempt.team_id, attempt.idempotency_key)
            if stored is None:
                keep(connection, attempt, answer, self._database.now(connection))
        return same_request(attempt, stored) or answer

    def _judge_and_record(
        self, hosted: Hosted, scored: Scored, candidate: Evaluation, position: turns.Position | None
    ) -> Answer:
        while True:
            if position is None:
                with self._database.reading() as connection:
                    position = self._position(connection, hosted, scored.attempt, phase=scored.phase)
            judgement = self._judge(hosted, scored, candidate, position)
            try:
                with self._database.transaction() as connection:
                    now = self._database.now(connection)
                    answer = record(connection, hosted, scored, judgement, now=now)
            except turns.StateMovedError:
                position = None
                continue
            if judgement.release.accepted:
                hosted.evaluations.remember(candidate)
            return answer

    def _position(
        self, connection: Connection, hosted: Hosted, attempt: Attempt, *, phase: str, fingerprint: str = ""
    ) -> turns.Position:
        return turns.read_position(
            connection,
            hosted.slug,
            hosted.instance_key(attempt.team_id, phase),
            attempt.team_id,
            phase=phase,
            fingerprint=fingerprint,
            request_key=attempt.idempotency_key,
        )

    def _judge(self, hosted: Hosted, scored: Scored, candidate: Evaluation, position: turns.Position) -> Judgement:
        key = hosted.instance_key(scored.attempt.team_id, scored.phase)
        try:
            return judge(
                hosted,
                candidate,
                lambda name: hosted.evaluations.of(name, self._file_of),
                team_id=scored.attempt.team_id,
                key=key,
                turn=position.turn,
                epoch=position.competition.noise_epoch,
                before=hosted.memory(key, position.state),
            )
        except HoldoutSpentError:
            raise CompetitionSpentError(SPENT) from None

    def _file_of(self, submission_id: str) -> str:
        found = self._database.glances.row(turns.FILE, submission_id=submission_id)
        assert found is not None, "what a memory names was recorded with it"
        return str(found["file_digest"])


def _phase(hosted: Hosted, attempt: Attempt) -> str:
    if attempt.is_baseline:
        return "baseline"
    phase = hosted.phase(attempt.received_at)
    if phase == "upcoming":
        raise NotOpenError(said("this competition opens at {time}; try again then", time=_shown(hosted.rules.opens)))
    if phase == "late" and not hosted.rules.late_submissions:
        raise DeadlinePassedError(
            said("the deadline was {time}; nothing more is scored", time=_shown(hosted.rules.deadline))
        )
    return phase


def _shown(moment: datetime | None) -> str:
    return "" if moment is None else moment.isoformat()
