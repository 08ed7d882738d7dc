"""The application of one server process: the API and the pages in one frame, with its background threads."""

import asyncio
import ctypes
import json
import logging
import os
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI

from ladderboard import __version__
from ladderboard.core.errors import LadderboardError
from ladderboard.server.app.access_log import AccessLog, configure_logs
from ladderboard.server.app.api import PREFIX
from ladderboard.server.app.errors import handle_errors
from ladderboard.server.app.http_protocol import LimitedProtocol
from ladderboard.server.app.request_frame import RequestFrame, UploadTimeout
from ladderboard.server.app.routes import add_routes
from ladderboard.server.boards.board_page import BoardCache
from ladderboard.server.competitions.folder_changes import FolderWatch
from ladderboard.server.competitions.schedule import advance_all
from ladderboard.server.jobs.runner import JobRunner, Threads, Workplace
from ladderboard.server.monitoring.metrics import ProcessMetrics
from ladderboard.server.people.accounts import Accounts
from ladderboard.server.people.passwords import Passwords
from ladderboard.server.services import Services, open_services
from ladderboard.server.settings import Settings
from ladderboard.server.webhooks.delivery import Deliverer

DESCRIPTION = """
A leaderboard that cannot be climbed by luck.

Send `Authorization: Bearer <token>`; `POST /api/v1/tokens` makes a token. Every error has one shape:
`{"error": {"code", "message", "details"}}`; programs go by the code. Lists come in parts: `items`, `total`, and `next`,
the address of the following part. Every answer has an `X-Request-Id`.
"""


def create_app(services: Services, *, passwords: Passwords | None = None) -> FastAPI:
    """The application that serves ``host``; close the host when the server has stopped.

    ``passwords`` replaces how passwords are hashed, for tests that make many accounts.
    """
    app = FastAPI(
        title="Ladderboard",
        version=__version__,
        description=DESCRIPTION,
        openapi_url=f"{PREFIX}/openapi.json",
        # The usual pages of documentation load scripts from elsewhere; ours load nothing.
        docs_url=None,
        redoc_url=None,
        lifespan=background,
    )
    app.state.services = services
    app.state.accounts = Accounts(services.database, services.settings, passwords=passwords)
    app.state.metrics = ProcessMetrics()
    app.state.board_cache = BoardCache()
    app.add_middleware(UploadTimeout, seconds=services.settings.slow_upload_seconds)
    app.add_middleware(
        RequestFrame,
        upload_bytes=services.settings.max_request_bytes,
        is_secure=services.settings.cookies_are_secure,
    )
    app.add_middleware(AccessLog, metrics=app.state.metrics)
    handle_errors(app)
    add_routes(app)
    return app


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
        _start_thread("jobs", lambda: JobRunner(services, find_place(services)).run(stopping)),
    ]
    try:
        yield
    finally:
        stopping.set()
        services.job_arrived.set()
        deliverer.stop()
        for thread in threads:
            await asyncio.to_thread(thread.join, JOIN_SECONDS)


def find_place(services: Services) -> Callable[[Services], Workplace]:
    """Where jobs run: in threads of this process, or on a cluster."""
    if not services.settings.scheduler:
        return Threads
    from ladderboard.server.jobs.cluster import Cluster  # Dask takes long to import

    return Cluster


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
                services.sweep()
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


FOLDERS = "LADDERBOARD_FOLDERS"
"""The variable of the environment that `ladderboard serve` has prepared."""
SWITCH_SECONDS = 0.001
"""How long a thread may keep Python to itself: a fifth of the usual, since a request passes between the event loop and
threads several times, and each time waits for its turn."""
M_ARENA_MAX, ARENAS = -8, 2
"""Glibc's option for the number of its heaps. By default threads have one each, up to eight a core, and what a thread
frees stays in its own: a server under load held 60 MB that nobody used, where with two heaps it holds 9."""


def app_from_environment() -> FastAPI:
    """The application; every uvicorn worker calls this once."""
    folders = [Path(folder) for folder in json.loads(os.environ[FOLDERS])]
    settings = Settings.from_environment()
    sys.setswitchinterval(SWITCH_SECONDS)
    share_heaps()
    LimitedProtocol.most_connections = settings.max_connections
    configure_logs(settings.log_level)
    app = create_app(open_services(settings, folders))
    warm_up(app)
    return app


def share_heaps() -> None:
    """Let the threads share two heaps; where the C library is not glibc there is nothing to do."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_ARENA_MAX, ARENAS)


def warm_up(app: FastAPI) -> None:
    """Make FastAPI build its routes now instead of at the first request."""
    nowhere = {
        "type": "http",
        "method": "GET",
        "path": "/nothing/is/here",
        "root_path": "",
        "query_string": b"",
        "headers": [],
    }
    for route in app.routes:
        route.matches({**nowhere, "app": app})
