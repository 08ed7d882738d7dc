"""The application of a holdout service: score, status, plan and history, for clients with a token."""

import asyncio
import os
import re
import socket
import stat
import sys
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ladderboard.core.errors import ForbiddenError, LadderboardError, NotFoundError, ParameterError, SignInRequiredError
from ladderboard.core.tokens import hash_secret
from ladderboard.guard.clients import GuardClient
from ladderboard.guard.service.body_limit import BodyLimit
from ladderboard.guard.service.request_body import parse_score_request
from ladderboard.guard.service.service import HoldoutService
from ladderboard.server.app.errors import find_answer
from ladderboard.server.app.http_protocol import LimitedProtocol
from ladderboard.server.app.request_frame import RequestFrame, UploadTimeout
from ladderboard.server.app.stopping import StopRequest

UPLOADS_AT_ONCE = 2
"""Of one client; its others wait, so that it holds little memory and keeps nobody else from asking."""
SCORED_AT_ONCE = 1
"""Of all clients. Python runs one thread at a time: two that parse and score end no sooner than one after the other,
and whoever asks for anything else would wait for both at every step."""
SLOW_UPLOAD_SECONDS = 60.0

NOTHING_HERE = "there is nothing at this address; there are POST /score, GET /status, GET /plan and GET /history"
NO_TOKEN = "send `Authorization: Bearer <token>`; whoever runs the service makes one with `ladderboard holdout clients`"  # noqa: S105 (no secret)
NO_BROWSER = "this service answers programs, not web pages; send the request without an Origin"

Work = Callable[[GuardClient, bytes], Any]
Turn = AbstractAsyncContextManager[None]
AT_ONCE: Turn = nullcontext()


def create_holdout_app(
    service: HoldoutService, limit: BodyLimit, *, slow_upload_seconds: float = SLOW_UPLOAD_SECONDS
) -> Starlette:
    """Build the application; bodies beyond the limit are refused, and bodies that come too slowly."""
    turns: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(UPLOADS_AT_ONCE))
    scoring = asyncio.Semaphore(SCORED_AT_ONCE)
    seen: dict[str, str] = {}

    def answer_with(work: Work, turn: Turn = AT_ONCE) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            token = _read_token(request)
            key = hash_secret(token)
            if key not in seen:  # a stranger's body is not read
                seen[key] = (await run_in_threadpool(service.find_client, token)).name
            request.state.account_id = seen[key]  # whose connection it is, where these are scarce
            async with turns[seen[key]]:
                body = await request.body()
                async with turn:
                    # One thread for the rest: whose token it is now, for it may have been revoked, and the work.
                    return JSONResponse(await run_in_threadpool(lambda: work(service.find_client(token), body)))

        return endpoint

    def score(client: GuardClient, body: bytes) -> dict[str, Any]:
        limit.refuse_crowded(body)
        return service.score(client.name, parse_score_request(body))

    return Starlette(
        routes=[
            Route("/score", answer_with(score, scoring), methods=["POST"]),
            Route("/status", answer_with(lambda who, _: service.status(who)), methods=["GET"]),
            Route("/plan", answer_with(lambda _, __: service.plan()), methods=["GET"]),
            Route("/history", answer_with(lambda _, __: {"history": service.history()}), methods=["GET"]),
        ],
        middleware=[
            Middleware(RequestFrame, upload_bytes=limit.size, is_secure=False, uploads=re.compile("^/score$")),
            Middleware(UploadTimeout, seconds=slow_upload_seconds),
        ],
        exception_handlers=dict.fromkeys((LadderboardError, HTTPException, ClientDisconnect, OSError), _answer_error),
    )


def _read_token(request: Request) -> str:
    """Read the token. A page of another site may send requests with the reader's browser, but never without Origin."""
    if "origin" in request.headers:
        raise ForbiddenError(NO_BROWSER)
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise SignInRequiredError(NO_TOKEN)
    return token.strip()


def _answer_error(_: Request, error: Exception) -> Response:
    is_unknown = isinstance(error, HTTPException) and error.status_code == 404
    answer = find_answer(NotFoundError(NOTHING_HERE) if is_unknown else error)
    if answer is None:
        raise error
    return answer.to_response()


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
