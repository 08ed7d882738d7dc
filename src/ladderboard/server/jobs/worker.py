"""A worker of a Dask cluster that scores jobs: it reads solutions and files as the server does, and records the result.

A task in a process that was not started by `ladderboard worker` fails at once, and the job is taken up again.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from threading import Lock
from typing import Any

from ladderboard.core.errors import ConflictError
from ladderboard.server.competitions.opening import read_kept
from ladderboard.server.db.database import Database
from ladderboard.server.db.rows import competitions
from ladderboard.server.jobs import sql
from ladderboard.server.jobs.work import work
from ladderboard.server.services import Services, files_for
from ladderboard.server.settings import Settings
from ladderboard.server.submissions.referee import Referee

RETRY_SECONDS = 1.0
"""Before a scheduler is looked for again that could not be reached, or is gone."""

log = logging.getLogger("ladderboard.worker")
_services: list[Services] = []
"""Of this process, once it is a worker."""
_reading = Lock()


def open_worker(settings: Settings, database: Database) -> Services:
    """The services of this process, which tasks find here; competitions are read when their first job comes."""
    referee = Referee(database, team_bytes=settings.team_files_mb << 20)
    _services[:] = [Services(settings, database, files_for(settings, database), referee)]
    return _services[0]


def score_job(job_id: str, lease: str) -> None:
    """Score a job that a server has taken up with this lease; what became of it is in the database."""
    if not _services:
        raise RuntimeError("this Dask worker was not started by `ladderboard worker`")
    services = _services[0]
    with services.database.reading() as connection:
        job = sql.find(connection, job_id)
    if job is not None:
        _serve(services, job.competition)
        work(services, job_id, lease)


def _serve(services: Services, slug: str) -> None:
    """Read a competition from the database, unless that is done."""
    with _reading:  # a large solution is read once
        if slug in services.competitions:
            return
        with services.database.reading() as connection:
            row = competitions.read_competition(connection, slug)
        if row.solution_file is None:
            raise ConflictError(f"the database does not keep the solution of {slug}; start `ladderboard serve` once")
        services.serve([read_kept(services.files, row)])


async def run_worker(settings: Settings, *, threads: int, stopping: asyncio.Event, told: Callable[[str], None]) -> None:
    """Work for the scheduler until ``stopping`` is set; where it goes away, wait until it is back."""
    from dask.distributed import Worker

    from ladderboard.server.jobs.cluster import make_security

    security, is_waiting = make_security(settings), False
    options: dict[str, Any] = {"memory_limit": 0}  # scorers have limits of their own
    options |= {"host": "127.0.0.1"} if security is None else {"security": security}
    while not stopping.is_set():
        try:
            async with Worker(
                settings.scheduler,
                nthreads=threads,
                dashboard_address="127.0.0.1:0",
                death_timeout=5,
                **options,
            ) as worker:
                told(f"Working for {settings.scheduler} with {threads} threads. Stop with Ctrl+C.")
                is_waiting = False
                finished = asyncio.ensure_future(worker.finished())
                await asyncio.wait([finished, asyncio.ensure_future(stopping.wait())], return_when="FIRST_COMPLETED")
        except (OSError, TimeoutError, RuntimeError) as problem:
            if not is_waiting:
                told(f"There is no scheduler at {settings.scheduler} ({type(problem).__name__}); waiting for one.")
            is_waiting = True
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(stopping.wait(), RETRY_SECONDS)
