"""The application of a holdout service: score, status, plan and history, for clients with a token."""

import asyncio
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ladderboard.core.errors import ForbiddenError, LadderboardError, NotFoundError, SignInRequiredError
from ladderboard.core.tokens import hash_secret
from ladderboard.guard.clients import GuardClient
from ladderboard.guard.service.body_limit import BodyLimit
from ladderboard.guard.service.request_body import parse_score_request
from ladderboard.guard.service.service import HoldoutService
from ladderboard.server.app.errors import find_answer
from ladderboard.server.app.request_frame import RequestFrame, UploadTimeout

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
