"""The work on one job: taken up with a lease, scored, and recorded or failed, in a thread or in a worker elsewhere."""

import logging
import secrets
import traceback
from dataclasses import replace
from datetime import timedelta

from ladderboard.core.errors import HostingError, InputError, LadderboardError, UnavailableError
from ladderboard.server.db.database import Connection
from ladderboard.server.db.rows import competitions
from ladderboard.server.jobs import queue, sql
from ladderboard.server.jobs.program_runs import record_log
from ladderboard.server.jobs.records import JobRecord, LeaseLostError, ProgramFailedError
from ladderboard.server.services import Services

MOST_TRIES = 5
"""So often a job is taken up; then it has probably ended whatever scored it."""
PAUSE = timedelta(seconds=1)
"""Before a job is tried again; twice as long each time."""
GIVEN_UP = "the server could not score this submission; it costs no attempt, and the organiser can have it scored again"
LEASE_BYTES = 16

log = logging.getLogger("ladderboard.web")


def take_up(services: Services, lease: timedelta) -> JobRecord | None:
    """Take up the next job that is due, and hold it for so long; None where none is.

    One whose last holders have vanished too often is given up here, since it has probably ended them.
    """
    with services.database.reading() as connection:  # most looks find nothing, and should block nobody
        if sql.find_next(connection, services.competitions, services.database.now(connection)) is None:
            return None
    with services.database.transaction() as connection:
        services.database.go_alone(connection, "jobs")
        now = services.database.now(connection)
        job = sql.find_next(connection, services.competitions, now)
        if job is None:
            return None
        if job.tries < MOST_TRIES:
            # Those before it may have been recorded by a process that was thought dead: this is the one that counts.
            held = replace(
                job,
                status="scoring",
                tries=job.tries + 1,
                lease=secrets.token_hex(LEASE_BYTES),
                due_at=now + lease,
                begun_at=now,
            )
            _write_lease(connection, held)
            return held
    _give_up(services, job)
    return None


def _write_lease(connection: Connection, job: JobRecord) -> None:
    sql.change(
        connection,
        job.id,
        status=job.status,
        tries=job.tries,
        lease=job.lease,
        due_at=job.due_at,
        begun_at=job.begun_at,
    )


def _give_up(services: Services, job: JobRecord) -> None:
    live = services.competition(job.competition)
    with services.database.transaction() as connection:
        competitions.hold(connection, live.slug)
        now, found = services.database.now(connection), sql.find(connection, job.id)
        if found is not None and found.is_pending and found.due_at <= now and found.tries >= MOST_TRIES:
            report = found.report or "whatever scored it ended each time, or was ended, before there was a result"
            queue.fail(connection, live, found, failure=GIVEN_UP, report=report, is_charged=False, now=now)


def renew(services: Services, jobs: list[JobRecord], lease: timedelta) -> None:
    """Hold these jobs for so long from now on, those that are still ours."""
    with services.database.transaction() as connection:
        until = services.database.now(connection) + lease
        for job in jobs:
            assert job.lease is not None
            sql.change_leased(connection, job.id, job.lease, due_at=until)


def put_back(services: Services, job: JobRecord, report: str | None = None) -> None:
    """Let a job be taken up again: at once where we stop, after a pause where we failed and ``report`` says how."""
    assert job.lease is not None
    pause = timedelta() if report is None else PAUSE * 2 ** (job.tries - 1)
    tries = job.tries - 1 if report is None else job.tries
    with services.database.transaction() as connection:
        due_at = services.database.now(connection) + pause
        values = {} if report is None else {"report": report}
        sql.change_leased(
            connection, job.id, job.lease, status="received", lease=None, due_at=due_at, tries=tries, **values
        )


def work(services: Services, job_id: str, lease: str) -> None:
    """Score a job that was taken up with this lease, and note what became of it. Raises nothing."""
    with services.database.reading() as connection:
        job = sql.find(connection, job_id)
    if job is None or job.lease != lease:
        return
    try:
        services.score(job)
    except LeaseLostError:
        log.info("the job %s was taken up by another process", job.id)
    except ProgramFailedError as problem:
        _fail(services, job, str(problem), program=problem)
    except (UnavailableError, OSError) as problem:
        put_back(services, job, _report(problem))
    except (InputError, HostingError) as problem:
        _fail(services, job, str(problem))
    except Exception as problem:  # whatever it is, it is ours: the team is charged for nothing
        log.warning("the job %s failed: %s", job.id, type(problem).__name__)
        put_back(services, job, _report(problem))


def _fail(services: Services, job: JobRecord, failure: str, *, program: ProgramFailedError | None = None) -> None:
    live = services.competition(job.competition)
    with services.database.transaction() as connection:
        competitions.hold(connection, live.slug)
        try:
            queue.hold_lease(connection, job)
        except LeaseLostError:
            return
        now = services.database.now(connection)
        if program is not None and program.log is not None:
            record_log(connection, live, job, program.log, now=now)
        is_charged, report = program is not None and program.is_charged, None if program is None else program.report
        queue.fail(connection, live, job, failure=failure, report=report or None, is_charged=is_charged, now=now)


def _report(problem: BaseException) -> str:
    """What the organiser reads, who may see labels."""
    told = getattr(problem, "report", "") if isinstance(problem, LadderboardError) else ""
    return told or "".join(traceback.format_exception(problem))[-REPORT_CHARACTERS:]


REPORT_CHARACTERS = 10_000
