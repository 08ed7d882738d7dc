"""The path of a submission: file → predictions → evaluation → release → database.

Judging happens outside the transaction, since it may take long; the record is written only if the state it was judged
from is still the present one, else the submission is judged again. Whoever loses such a race lost it to a submission
that was recorded, so there is always progress.

What takes longer than a request should goes the same way in two parts: `Referee.submit` reads the file and puts it into
the queue, and `Referee.score` does the rest in its turn.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from ladderboard.core.errors import CompetitionSpentError, HoldoutSpentError, LadderboardError
from ladderboard.core.records import Evaluation
from ladderboard.scoring.scorer import ItemScores
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.db.columns import new_id
from ladderboard.server.db.database import Connection, Database
from ladderboard.server.db.rows import competitions, instances
from ladderboard.server.jobs import queue
from ladderboard.server.jobs.program_runs import run_program
from ladderboard.server.jobs.records import JobRecord
from ladderboard.server.moderation.rules import observe
from ladderboard.server.submissions.eligibility import SPENT, find_entry_kind, refuse_ineligible
from ladderboard.server.submissions.idempotency import find_earlier_answer, keep, match_request
from ladderboard.server.submissions.memories import Judgement, judge
from ladderboard.server.submissions.recording import record, refuse_outdated
from ladderboard.server.submissions.records import (
    QUEUED,
    Answer,
    AttemptContext,
    CompetitionCounters,
    EntryKind,
    IncomingSubmission,
    KeptFile,
    ParsedSubmission,
    StoredAnswers,
)
from ladderboard.server.submissions.sql import attempts

TEAM_BYTES = 2000 << 20


class Referee:
    """Judges submissions to the competitions of one database. Safe to use from several threads and processes."""

    def __init__(self, database: Database, *, team_bytes: int = TEAM_BYTES) -> None:
        self._database, self._team_bytes = database, team_bytes
        self._locks = InstanceLocks()

    def submit(self, live: LiveCompetition, incoming: IncomingSubmission) -> Answer:
        """Score one submission and record it, or queue it; what is refused costs nothing and leaves no trace."""
        answer = self._submit(live, incoming)
        if answer.status != QUEUED:
            return answer
        with self._database.reading() as connection:
            return queue.find_answer(connection, live, answer.content["id"])

    def _submit(self, live: LiveCompetition, incoming: IncomingSubmission) -> Answer:
        try:
            kind = find_entry_kind(live, incoming)
            # Label-free: what is wrong with the file may be told in full.
            answers = live.evaluations.receive(incoming.content, incoming.file_name)
        except LadderboardError:
            answer = self._find_answer(incoming)
            if answer is not None:
                return answer
            self._refuse_outdated(live)  # the corrected solution may know more classes
            raise
        fingerprint = live.fingerprint(answers)
        with self._database.reading() as connection:
            context = _read_context(connection, live, incoming, kind=kind, fingerprint=fingerprint)
            refuse_outdated(live, context.competition)
            answer = find_earlier_answer(connection, live, incoming, context, kind=kind)
            if answer is None:
                refuse_ineligible(live, context, incoming, kind)
                observation = observe(connection, live, incoming, answers.values)
        if answer is not None:
            return answer if context.stored is not None else self._keep_answer(live, incoming, answer)
        digest = live.files.put(incoming.content)
        submission_id = new_id(incoming.received_at)
        if live.is_queued:
            return self._queue(live, incoming, kind, job_id=submission_id, file_digest=digest, fingerprint=fingerprint)
        # From here on nothing may leave but the release.
        scores = live.evaluations.score(answers)
        candidate = live.evaluations.evaluate(submission_id, scores.values, training_score=incoming.training_score)
        kept = keep_scores(live, scores)
        parsed = ParsedSubmission(incoming, kind, fingerprint, digest, observation, scores=kept)
        with self._locks.hold(live.slug, live.instance_key(incoming.team_id, kind)) as has_waited:
            # Whoever has waited waited for a submission that changed the state.
            return self._judge_and_record(live, parsed, candidate, None if has_waited else context)

    def score(self, live: LiveCompetition, job: JobRecord) -> None:
        """Score a job that was taken up, and record it; raises `LeaseLostError` where another process has it by now."""
        incoming = IncomingSubmission(
            job.team_id,
            live.files.read(job.file_digest),
            job.received_at,
            account_id=job.account_id,
            file_name=job.file_name,
            note=job.note,
            training_score=job.training_score,
            is_baseline=job.phase == "baseline",
        )
        answers = live.evaluations.receive(incoming.content, incoming.file_name)
        fingerprint = live.fingerprint(answers)
        with self._database.reading() as connection:
            context = _read_context(connection, live, incoming, kind=job.phase, fingerprint=fingerprint)
            refuse_outdated(live, context.competition)
            refuse_ineligible(live, context, incoming, job.phase, has_attempt=True)
        if live.runs_programs:
            job, answers = run_program(self._database, live, job, answers)
        with self._database.reading() as connection:
            observation = observe(connection, live, incoming, answers.values)
        scores = live.evaluations.score(answers)
        candidate = live.evaluations.evaluate(job.id, scores.values, training_score=job.training_score)
        kept = keep_scores(live, scores)
        parsed = ParsedSubmission(incoming, job.phase, fingerprint, job.file_digest, observation, scores=kept)
        with self._locks.hold(live.slug, live.instance_key(job.team_id, job.phase)):
            self._judge_and_record(live, parsed, candidate, None, job=job)

    def _queue(
        self,
        live: LiveCompetition,
        incoming: IncomingSubmission,
        kind: EntryKind,
        *,
        job_id: str,
        file_digest: str,
        fingerprint: str,
    ) -> Answer:
        """Put a submission into the queue; what was checked before is checked again, where nothing changes any more."""
        with self._database.transaction() as connection:
            now, counters = self._database.now(connection), competitions.hold_counters(connection, live.slug)
            context = _read_context(
                connection, live, incoming, kind=kind, fingerprint=fingerprint, competition=counters
            )
            refuse_outdated(live, context.competition)
            answer = find_earlier_answer(connection, live, incoming, context, kind=kind)
            if answer is None:
                waiting = queue.find_waiting(connection, live, context.team, kind=kind, fingerprint=fingerprint)
                is_new = waiting is None
                if waiting is None:
                    refuse_ineligible(live, context, incoming, kind)
                    queue.refuse_more_runs(connection, live, incoming)
                    job = queue.take_in(
                        connection,
                        live,
                        incoming,
                        context.team,
                        job_id=job_id,
                        kind=kind,
                        file_digest=file_digest,
                        fingerprint=fingerprint,
                        now=now,
                        most_bytes=self._team_bytes,
                    )
                    waiting = queue.describe(connection, live, job)
                answer = queue.answer_with(waiting)
                if not is_new:
                    return answer  # the file finds its job again, whatever the key
            if context.stored is None:
                keep(connection, incoming, answer, now)
        return answer

    def _judge_and_record(
        self,
        live: LiveCompetition,
        parsed: ParsedSubmission,
        candidate: Evaluation,
        context: AttemptContext | None,
        *,
        job: JobRecord | None = None,
    ) -> Answer:
        while True:
            if context is None:
                with self._database.reading() as connection:
                    context = _read_context(connection, live, parsed.incoming, kind=parsed.kind)
            judgement = self._judge(live, parsed, candidate, context)
            try:
                with self._database.transaction() as connection:
                    now = self._database.now(connection)
                    answer = record(connection, live, parsed, judgement, now=now, job=job)
            except instances.StateMovedError:
                context = None
                continue
            if judgement.release.accepted:
                live.evaluations.remember(candidate)
            return answer

    def _judge(
        self, live: LiveCompetition, parsed: ParsedSubmission, candidate: Evaluation, context: AttemptContext
    ) -> Judgement:
        key = live.instance_key(parsed.incoming.team_id, parsed.kind)
        try:
            return judge(
                live,
                candidate,
                lambda name: live.evaluations.of(name, self._find_stored),
                team_id=parsed.incoming.team_id,
                key=key,
                state_version=context.state_version,
                epoch=context.competition.noise_epoch,
                before=live.memory(key, context.state),
            )
        except HoldoutSpentError:
            raise CompetitionSpentError(SPENT) from None

    def _refuse_outdated(self, live: LiveCompetition) -> None:
        with self._database.reading() as connection:
            refuse_outdated(live, competitions.read_dates(connection, live.slug))

    def _find_answer(self, incoming: IncomingSubmission) -> Answer | None:
        """The answer to this request from before it was too late, or before its file could no longer be read."""
        if incoming.idempotency_key is None:
            return None
        with self._database.reading() as connection:
            stored = attempts.find_answer(connection, incoming.team_id, incoming.idempotency_key)
        return match_request(incoming, stored)

    def _keep_answer(self, live: LiveCompetition, incoming: IncomingSubmission, answer: Answer) -> Answer:
        """Bind the request's key to the answer to predictions that were sent before."""
        if incoming.idempotency_key is None:
            return answer
        with self._database.transaction() as connection:
            competitions.hold(connection, live.slug)
            stored = attempts.find_answer(connection, incoming.team_id, incoming.idempotency_key)
            if stored is None:
                keep(connection, incoming, answer, self._database.now(connection))
        return match_request(incoming, stored) or answer

    def _find_stored(self, submission_id: str) -> StoredAnswers:
        with self._database.reading() as connection:
            return attempts.find_stored(connection, submission_id)


def keep_scores(live: LiveCompetition, scores: ItemScores) -> KeptFile | None:
    """Put the item scores into a file, to be recorded with their submission; None where they are the predictions."""
    scorer = live.competition.scorer.digest
    if not scorer:
        return None
    packed = scores.pack(scorer)
    return KeptFile(live.files.put(packed), packed)


def _read_context(
    connection: Connection,
    live: LiveCompetition,
    incoming: IncomingSubmission,
    *,
    kind: EntryKind,
    fingerprint: str = "",
    competition: CompetitionCounters | None = None,
) -> AttemptContext:
    return attempts.read_context(
        connection,
        live.slug,
        live.instance_key(incoming.team_id, kind),
        incoming.team_id,
        competition=competition,
        entry_kind=kind,
        fingerprint=fingerprint,
        request_key=incoming.idempotency_key,
    )


class InstanceLocks:
    """One lock for each instance, so that the threads of a process queue up instead of losing races to each other."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._locks: dict[tuple[str, ...], Lock] = {}

    @contextmanager
    def hold(self, *key: str) -> Iterator[bool]:
        """Hold the lock of an instance; yields whether another thread had to be waited for."""
        with self._guard:
            lock = self._locks.setdefault(key, Lock())
        has_waited = not lock.acquire(blocking=False)
        if has_waited:
            lock.acquire()
        try:
            yield has_waited
        finally:
            lock.release()
