"""What a server process does beside answering: it delivers webhooks, does what is due, and leaves its counts."""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fastapi import FastAPI

from ladderboard.core.errors import LadderboardError
from ladderboard.hosting.operations.metrics import ProcessMetrics, Shelf
from ladderboard.hosting.schedule import advance_all
from ladderboard.hosting.services import Services
from ladderboard.hosting.webhooks.delivery import Deliverer

PUT_EVERY_SECONDS = 5.0
ADVANCE_EVERY_SECONDS = 30.0
JOIN_SECONDS = 15.0
METRICS_FOLDER = "metrics"

log = logging.getLogger("ladderboard.web")


@asynccontextmanager
async def background(app: FastAPI) -> AsyncIterator[None]:
    """The lifespan of the application: threads that start with it and end with it."""
    services: Services = app.state.services
    stopping = threading.Event()
    deliverer = Deliverer.for_settings(services.database, services.settings.webhooks_may_reach)
    deliverer.count = lambda outcome: app.state.metrics.deliveries.add(outcome=outcome)
    threads = [
        _started("webhooks", deliverer.run),
        _started("clockwork", lambda: _keep_time(services, stopping)),
        _started("metrics", lambda: _leave_counts(app.state.metrics, shelf_of(services), stopping)),
    ]
    try:
        yield
    finally:
        stopping.set()
        deliverer.stop()
        for thread in threads:
            await asyncio.to_thread(thread.join, JOIN_SECONDS)


def shelf_of(services: Services) -> Shelf:
    """Where the processes of this machine leave their counts."""
    return Shelf(services.settings.data / METRICS_FOLDER)


def _started(name: str, work: Callable[[], None]) -> threading.Thread:
    # A daemon: a receiver that hangs keeps no server from ending.
    thread = threading.Thread(target=work, name=f"ladderboard-{name}", daemon=True)
    thread.start()
    return thread


def _keep_time(services: Services, stopping: threading.Event) -> None:
    """Finalize and reveal what is due, also where nobody looks."""
    while not stopping.wait(ADVANCE_EVERY_SECONDS):
        try:
            advance_all(services)
        except (LadderboardError, OSError) as error:  # the database comes back, and so do we
            log.warning("what is due waits: %s", type(error).__name__)


def _leave_counts(metrics: ProcessMetrics, shelf: Shelf, stopping: threading.Event) -> None:
    while not stopping.wait(PUT_EVERY_SECONDS):
        try:
            shelf.put(metrics.families())
        except OSError as error:  # a full disk shows elsewhere; counts are not worth a crash, nor a line every time
            log.warning("counts are kept for this process alone: %s", type(error).__name__)
            return
    shelf.remove()
