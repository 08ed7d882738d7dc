"""The queue of a competition as its organiser sees it, and what an organiser may do there."""

from ladderboard.server.db.rows import competitions
from ladderboard.server.jobs import queue, sql
from ladderboard.server.jobs.records import JobRecord, QueuedJobBody
from ladderboard.server.services import Services


def list_jobs(services: Services, slug: str, *, offset: int, limit: int) -> tuple[list[QueuedJobBody], int]:
    """List a part of the competition's jobs, those that wait first, and count all of them."""
    with services.database.reading() as connection:
        rows = sql.list_of(connection, slug, offset=offset, limit=limit)
        return [_body(job, team) for job, team in rows], sql.count_of(connection, slug)


def cancel(services: Services, slug: str, job_id: str) -> None:
    """Cancel a job; its attempt is given back."""
    with services.database.transaction() as connection:
        row, now = competitions.hold(connection, slug), services.database.now(connection)
        queue.cancel(connection, services.follow_rules(slug, row.rules), job_id, now)
    services.job_arrived.set()


def retry(services: Services, slug: str, job_id: str) -> None:
    """Have a job scored again that the server could not score."""
    with services.database.transaction() as connection:
        row, now = competitions.hold(connection, slug), services.database.now(connection)
        queue.retry(connection, services.follow_rules(slug, row.rules), job_id, now)
    services.job_arrived.set()


def _body(job: JobRecord, team: str) -> QueuedJobBody:
    return QueuedJobBody(
        id=job.id,
        team=team,
        status=job.status,
        phase=job.phase,
        received_at=job.received_at,
        begun_at=job.begun_at,
        finished_at=job.finished_at,
        file_name=job.file_name,
        file_size=job.file_size,
        tries=job.tries,
        failure=job.failure,
        report=job.report,
    )
