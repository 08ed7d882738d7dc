"""The handlers that answer every error of the application in one shape."""

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from ladderboard.core.errors import LadderboardError
from ladderboard.web.auth import visitor
from ladderboard.web.errors import answer, find_answer, is_read_by_people


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
    return answer(request, problem)
