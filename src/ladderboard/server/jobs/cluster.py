"""A Dask cluster as the place where jobs run: tasks carry the id of a job and its lease, and nothing else.

Workers are ours (`ladderboard worker`), and read everything from the server's database and files. What is lost with a
worker, Dask gives to another one; what is lost with the scheduler, the server takes up again.
"""

import ipaddress
import logging
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from dask.distributed import Client, Security

from ladderboard.core.errors import ParameterError
from ladderboard.server.jobs.records import JobRecord
from ladderboard.server.jobs.worker import score_job
from ladderboard.server.services import Services
from ladderboard.server.settings import Settings

CONNECT_SECONDS = 5
RETRY_SECONDS = 2.0
"""Before the scheduler is looked for again."""

log = logging.getLogger("ladderboard.web")


def refuse_open_scheduler(settings: Settings) -> None:
    """Raise `ParameterError` for a scheduler that others could read or use: whoever reaches it runs code on workers."""
    address = settings.scheduler
    found = urlsplit(address)
    if found.scheme not in ("tcp", "tls") or not found.hostname:
        raise ParameterError(f"the scheduler is {address!r}; give an address such as tcp://127.0.0.1:8786 or tls://…")
    files = {"ca": settings.scheduler_ca, "cert": settings.scheduler_cert, "key": settings.scheduler_key}
    if found.scheme == "tls":
        missing = [f"LADDERBOARD_SCHEDULER_{name.upper()}" for name, path in files.items() if not Path(path).is_file()]
        if missing:
            raise ParameterError(f"tls:// needs the files of its certificates; set {', '.join(missing)}")
    elif not _is_loopback(found.hostname):
        raise ParameterError(
            f"the scheduler {address!r} is not on this machine, and whoever reaches it could run code where the labels "
            "are; use tls:// (docs/guide/cluster.md says how)"
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def make_security(settings: Settings) -> Security | None:
    """The certificates of this end of every connection; None on loopback without TLS."""
    if not settings.scheduler.startswith("tls://"):
        return None
    ends: dict[str, Any] = {}
    for end in ("client", "worker"):
        ends |= {f"tls_{end}_cert": settings.scheduler_cert, f"tls_{end}_key": settings.scheduler_key}
    return Security(tls_ca_file=settings.scheduler_ca, require_encryption=True, **ends)


class Cluster:
    """The workers of a Dask scheduler. Nothing is taken up while it cannot be reached, or has no worker."""

    def __init__(self, services: Services, *, clock: Callable[[], float] = time.monotonic) -> None:
        refuse_open_scheduler(services.settings)
        self._settings, self._clock = services.settings, clock
        self._client: Client | None = None
        self._executor: Executor | None = None
        self._tried, self._is_lost = -RETRY_SECONDS, False

    @property
    def slots(self) -> int:
        """The threads of all workers."""
        client = self._connect()
        if client is None:
            return 0
        try:
            return sum(client.nthreads().values())
        except Exception as problem:  # whatever it is, the connection is of no use any more
            self._leave(problem)
            return 0

    def start(self, job: JobRecord) -> "Future[None]":
        assert job.lease is not None, "it was taken up"
        if self._executor is None:
            return _fail(ConnectionError("the scheduler was lost"))
        try:
            return self._executor.submit(score_job, job.id, job.lease)
        except Exception as problem:  # the same: the job is taken up again
            self._leave(problem)
            return _fail(problem)

    def close(self) -> None:
        """Leave the cluster; what ran for us is forgotten there."""
        client, self._client, self._executor = self._client, None, None
        if client is not None:
            client.close(timeout=CONNECT_SECONDS)

    def _connect(self) -> Client | None:
        """The connection; one that was lost is made anew, and everything that ran through it counts as lost."""
        if self._client is not None and self._client.status == "running":
            return self._client
        if self._client is not None:
            self._leave(ConnectionError(f"it is {self._client.status}"))
        if self._clock() - self._tried < RETRY_SECONDS:
            return None
        self._tried = self._clock()
        try:
            security = make_security(self._settings)
            self._client = Client(
                self._settings.scheduler, timeout=CONNECT_SECONDS, security=security, set_as_default=False
            )
        except (OSError, TimeoutError) as problem:
            if not self._is_lost:  # said once for each time that it goes away
                log.warning("no scheduler at %s: %s", self._settings.scheduler, problem)
            self._is_lost = True
            return None
        self._is_lost = False
        self._executor = self._client.get_executor(pure=False, retries=0)
        return self._client

    def _leave(self, problem: BaseException) -> None:
        log.warning("the scheduler was lost: %s", type(problem).__name__)
        self.close()


def _fail(problem: BaseException) -> "Future[None]":
    future: Future[None] = Future()
    future.set_exception(problem)
    return future
