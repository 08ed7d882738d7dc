"""The server of a holdout service: one process, on a loopback port or a Unix socket."""

import os
import socket
import stat
import sys
from pathlib import Path

import uvicorn
from starlette.applications import Starlette

from ladderboard.core.errors import ParameterError
from ladderboard.server.app.http_protocol import LimitedProtocol
from ladderboard.server.app.stopping import StopRequest

MOST_CONNECTIONS = 100
SWITCH_SECONDS = 0.001
"""How long a thread may keep Python to itself; a request passes between the event loop and a thread."""


def open_unix_socket(path: Path) -> socket.socket:
    """Bind a Unix socket that every local user may connect to (tokens decide who is answered).

    A socket that a killed service left behind is replaced. Raises `ParameterError` for one that answers, and for any
    other file.
    """
    _remove_dead_socket(path)
    listening = socket.socket(socket.AF_UNIX)
    try:
        listening.bind(str(path))
        path.chmod(0o666)
    except OSError as problem:
        listening.close()
        raise ParameterError(
            f"cannot listen on {path} ({problem.strerror or problem}); choose another --socket"
        ) from None
    return listening


def run_server(app: Starlette, listening: socket.socket, stop: StopRequest) -> None:
    """Serve on a listening socket until a stop is asked for; requests that have come whole are still answered."""
    sys.setswitchinterval(SWITCH_SECONDS)
    stop.run(make_server(app), listening)


def make_server(app: Starlette) -> uvicorn.Server:
    """Make the server of the application, with limits on connections and their silence."""
    LimitedProtocol.most_connections = MOST_CONNECTIONS
    config = uvicorn.Config(
        app,
        http=LimitedProtocol,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=30,
    )
    return uvicorn.Server(config)


def _remove_dead_socket(path: Path) -> None:
    try:
        is_socket = stat.S_ISSOCK(os.lstat(path).st_mode)
    except FileNotFoundError:
        return
    if not is_socket:
        raise ParameterError(f"{path} is a file, not a socket; choose another --socket")
    with socket.socket(socket.AF_UNIX) as trial:
        if trial.connect_ex(str(path)) == 0:
            raise ParameterError(f"another service listens on {path}; stop it, or choose another --socket")
    path.unlink(missing_ok=True)
