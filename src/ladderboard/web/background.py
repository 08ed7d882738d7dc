"""What a server process does beside answering: it delivers webhooks, does what is due, and leaves its counts."""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fastapi import FastAPI
from sqlalchemy.exc import SQLAlchemyError

from ladderboard.hosting.clockwork import advance_all
from ladderboard.hosting.delivering import Deliverer
from ladderboard.hosting.host import Host
from ladderboard.hosting.prometheus import ProcessMetrics, Shelf

PUT_EVERY_SECONDS = 5.0
ADVANCE_EVERY_SECONDS = 30.0
JOIN_SECONDS = 15.0
METRICS_FOLDER = "metrics"

log = logging.getLogger("ladderboard.web")


@asynccontextmanager
async def background(app: FastAPI) -> AsyncIterator[None]:
    """The lifespan of the application: threads that start with it and end with it."""
    host: Host = app.state.host
    stopping = threading.Event()
    deliverer = Deliverer.for_settings(host.database, host.settings.webhooks_may_reach)
    deliverer.count = lambda outcome: app.state.metrics.deliveries.add(outcome=outcome)
    threads = [
        _started("webhooks", deliverer.run),
        _started("clockwork", lambda: _keep_time(host, stopping)),
        _started("metrics", lambda: _leave_counts(app.state.metrics, shelf_of(host), stopping)),
    ]
    try:
        yield
    finally:
        stopping.set()
        deliverer.stop()
        for thread in threads:
            await asyncio.to_thread(thread.join, JOIN_SECONDS)
        host.database.glances.close()


def shelf_of(host: Host) -> Shelf:
    """Where the processes of this machine leave their counts."""
    return Shelf(host.settings.data / METRICS_FOLDER)


def _started(name: str, work: Callable[[], None]) -> threading.Thread:
    # A daemon: a receiver that hangs keeps no server from ending.
    thread = threading.Thread(target=work, name=f"ladderboard-{name}", daemon=True)
    thread.start()
    return thread


def _keep_time(host: Host, stopping: threading.Event) -> None:
    """Finalize and reveal what is due, also where nobody looks."""
    while not stopping.wait(ADVANCE_EVERY_SECONDS):
        try:
            advance_all(host)
        except (SQLAlchemyError, OSError) as error:  # the database comes back, and so do we
            log.warning("what is due waits: %s", type(error).__name__)


def _leave_counts(metrics: ProcessMetrics, shelf: Shelf, stopping: threading.Event) -> None:
    while not stopping.wait(PUT_EVERY_SECONDS):
        try:
            shelf.put(metrics.families())
        except OSError as error:  # a full disk shows elsewhere; counts are not worth a crash, nor a line every time
            log.warning("counts are kept for this process alone: %s", type(error).__name__)
            return
    shelf.remove()
