"""The handlers that answer every error of the application in one shape, and what is denied at one pace."""

import time

from anyio import sleep
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from ladderboard.core.errors import LadderboardError, NotFoundError
from ladderboard.server.app.auth import visitor
from ladderboard.server.app.errors import answer, find_answer, is_read_by_people

DENIAL_SECONDS = 0.02
"""What is not there, or not for this reader, is denied a multiple of this after the request arrived: to find a private
competition takes a few milliseconds longer than to find none, and the difference must not tell them apart."""


def handle_errors(app: FastAPI) -> None:
    """Answer every error of ``app`` in our shape; pages may set ``app.state.render_error`` to show theirs as HTML."""
    for kind in (LadderboardError, RequestValidationError, HTTPException, ClientDisconnect, OSError):
        app.add_exception_handler(kind, _answer)


async def _answer(request: Request, error: Exception) -> Response:
    problem = find_answer(error)
    if problem is None:
        raise error
    if isinstance(error, HTTPException) and is_read_by_people(request):
        await visitor(request)  # no route has asked yet who reads: there is none at this address
    if isinstance(error, NotFoundError):
        await sleep(compute_wait(time.monotonic() - request.state.arrived))
    return answer(request, problem)


def compute_wait(elapsed_seconds: float) -> float:
    """Compute how long a denial waits, by the time that has passed since the request arrived.

    >>> round(compute_wait(0.004), 3), round(compute_wait(0.021), 3)
    (0.016, 0.019)
    """
    return DENIAL_SECONDS - elapsed_seconds % DENIAL_SECONDS
