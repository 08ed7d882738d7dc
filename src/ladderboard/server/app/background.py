"""Background threads of a server process: webhooks, scheduled changes, changed folders, stray files."""

import asyncio
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fastapi import FastAPI

from ladderboard.core.errors import LadderboardError
from ladderboard.server.competitions.folder_changes import FolderWatch
from ladderboard.server.competitions.schedule import advance_all
from ladderboard.server.services import Services
from ladderboard.server.webhooks.delivery import Deliverer

ADVANCE_EVERY_SECONDS = 30.0
LOOK_EVERY_SECONDS = 2.0
SWEEP_EVERY_SECONDS = 86_400.0
JOIN_SECONDS = 15.0

log = logging.getLogger("ladderboard.web")


@asynccontextmanager
async def background(app: FastAPI) -> AsyncIterator[None]:
    """The lifespan of the application: threads that start with it and end with it."""
    services: Services = app.state.services
    stopping = threading.Event()
    deliverer = Deliverer.for_settings(services.database, services.settings.webhooks_may_reach)
    deliverer.count = lambda outcome: app.state.metrics.deliveries.labels(outcome).inc()
    threads = [
        _start_thread("webhooks", deliverer.run),
        _start_thread("schedule", lambda: _keep_schedule(services, stopping)),
        _start_thread("folders", lambda: _watch_folders(services, stopping)),
    ]
    try:
        yield
    finally:
        stopping.set()
        deliverer.stop()
        for thread in threads:
            await asyncio.to_thread(thread.join, JOIN_SECONDS)


def _start_thread(name: str, work: Callable[[], None]) -> threading.Thread:
    # A daemon: a receiver that hangs keeps no server from ending.
    thread = threading.Thread(target=work, name=f"ladderboard-{name}", daemon=True)
    thread.start()
    return thread


def _keep_schedule(services: Services, stopping: threading.Event) -> None:
    """Finalize and reveal what is due, also where nobody looks; once a day remove files that were never recorded."""
    sweep_at = time.monotonic()
    while not stopping.wait(ADVANCE_EVERY_SECONDS):
        try:
            advance_all(services)
            if time.monotonic() >= sweep_at:
                services.files.sweep()
                sweep_at += SWEEP_EVERY_SECONDS
        except (LadderboardError, OSError) as error:  # the database comes back, and so do we
            log.warning("what is due waits: %s", type(error).__name__)


def _watch_folders(services: Services, stopping: threading.Event) -> None:
    """Take over what the organiser changes in a folder."""
    watch = FolderWatch(services)
    while not stopping.wait(LOOK_EVERY_SECONDS):
        try:
            watch.look()
        except (LadderboardError, OSError) as error:  # the database comes back, and so do we
            log.warning("changed folders wait: %s", type(error).__name__)
