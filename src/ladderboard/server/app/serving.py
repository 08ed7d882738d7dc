"""The application of one server process, made from the environment `ladderboard serve` prepared."""

import ctypes
import json
import os
import sys
from pathlib import Path

from fastapi import FastAPI

from ladderboard.server.app.application import create_app
from ladderboard.server.app.http_protocol import LimitedProtocol
from ladderboard.server.app.middleware.access_log import configure_logs
from ladderboard.server.services import open_services
from ladderboard.server.settings import PREFIX, Settings

FOLDERS = f"{PREFIX}FOLDERS"
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
