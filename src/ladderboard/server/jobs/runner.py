"""The thread of a server that takes up jobs, has them scored, and holds their leases meanwhile."""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from datetime import timedelta
from typing import Protocol

from ladderboard.core.errors import LadderboardError
from ladderboard.server.jobs.executors import DaemonThreads
from ladderboard.server.jobs.records import JobRecord
from ladderboard.server.jobs.work import put_back, renew, take_up, work
from ladderboard.server.services import Services

LOOK_SECONDS = 0.5
"""How often it looks for what other processes have taken in; what this one takes in wakes it."""
RENEWALS = 3
"""How often a lease is renewed before it would end."""

log = logging.getLogger("ladderboard.web")


class Workplace(Protocol):
    """Where jobs run."""

    @property
    def slots(self) -> int:
        """How many may run at once; 0 while there is nowhere to run them."""
        ...

    def start(self, job: JobRecord) -> "Future[None]":
        """Begin to score a job. The future fails where whoever scored it was lost."""
        ...

    def close(self) -> None: ...


class Threads:
    """Threads of this process."""

    def __init__(self, services: Services) -> None:
        self._services, self._executor = services, DaemonThreads()
        self.slots = services.settings.scoring_jobs

    def start(self, job: JobRecord) -> "Future[None]":
        assert job.lease is not None
        return self._executor.submit(work, self._services, job.id, job.lease)

    def close(self) -> None:
        """Nothing is left: the threads end with the process."""


class JobRunner:
    """Takes up jobs while there is room for them, until it is stopped."""

    def __init__(self, services: Services, make_place: Callable[[Services], Workplace] = Threads) -> None:
        self._services, self._make_place = services, make_place
        self._lease = timedelta(seconds=services.settings.job_lease_seconds)
        self._running: dict[Future[None], JobRecord] = {}
        self._renewed = time.monotonic()

    def run(self, stopping: threading.Event) -> None:
        """Look for jobs until ``stopping`` is set; what runs then is given back at once."""
        place = self._make_place(self._services)
        wake = self._services.job_arrived
        try:
            while not stopping.is_set():
                wake.clear()
                try:
                    self._look(place)
                except (LadderboardError, OSError) as error:  # the database comes back, and so do we
                    log.warning("the queue waits: %s", type(error).__name__)
                wake.wait(LOOK_SECONDS)
        finally:
            self._give_back()
            place.close()

    def _look(self, place: Workplace) -> None:
        self._collect()
        while len(self._running) < place.slots:
            job = take_up(self._services, self._lease)
            if job is None:
                break
            future = place.start(job)
            self._running[future] = job
            future.add_done_callback(lambda _: self._services.job_arrived.set())
        if self._running and time.monotonic() - self._renewed > self._lease.total_seconds() / RENEWALS:
            renew(self._services, list(self._running.values()), self._lease)
            self._renewed = time.monotonic()

    def _collect(self) -> None:
        for future in [one for one in self._running if one.done()]:
            job = self._running.pop(future)
            if future.cancelled() or future.exception() is not None:  # whoever scored it was lost
                put_back(self._services, job, f"what scored it was lost: {_find_problem(future)}")

    def _give_back(self) -> None:
        for job in self._running.values():
            try:
                put_back(self._services, job)
            except (LadderboardError, OSError):
                log.warning("the job %s is taken up again after its lease", job.id)


def _find_problem(future: "Future[None]") -> str:
    return "cancelled" if future.cancelled() else repr(future.exception())
