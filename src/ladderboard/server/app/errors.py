"""Every error as one JSON shape, ``{"error": {"code", "message", "details"}}``, from one table of statuses.

What is not in the table is our own fault: a fixed sentence and the request's id, never the words of the exception,
which might hold what nobody may see.
"""

import errno
import logging
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from http import HTTPStatus
from typing import Any

from anyio import sleep
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from ladderboard.core.errors import (
    DamagedDatabaseError,
    DamagedFileError,
    GradingError,
    HoldoutSpentError,
    HostingError,
    LadderboardError,
    MetricUnavailableError,
    NotFoundError,
    ParameterError,
    PredictionsError,
    SubmissionError,
    UnavailableError,
    WaitError,
)
from ladderboard.server.app.auth import visitor
from ladderboard.server.app.records import ErrorBody

STATUS_OF: Mapping[type[LadderboardError], int] = {
    PredictionsError: 422,
    SubmissionError: 422,
    ParameterError: 422,
    HoldoutSpentError: 409,
    GradingError: 422,
    MetricUnavailableError: 503,
}
"""The statuses of the core's errors; a `HostingError` brings its own. Subclasses are like their parents."""

RETRY_SECONDS = 5
"""When to come back after a fault of ours that tends to pass."""

DAMAGED = "a stored file is damaged; the organiser can restore it, and no attempt was used"
DAMAGED_DATABASE = "the server's database is damaged; the organiser has to restore it, and the server's log says how"
NOTHING_HERE = "there is no page at this address"

GONE = 499
"""In logs and counts, the status of a request whose client hung up before all of it had come."""

_OUT_OF_SPACE = (errno.ENOSPC, errno.EDQUOT)

log = logging.getLogger("ladderboard.web")

Renderer = Callable[[Request, "ErrorAnswer"], Response]


@dataclass(frozen=True)
class ErrorAnswer:
    """An error as it is answered."""

    status: int
    code: str
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def to_response(self) -> JSONResponse:
        content = {"error": {"code": self.code, "message": self.message, "details": dict(self.details)}}
        return JSONResponse(content, status_code=self.status, headers=dict(self.headers))


def errors(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The ``responses`` of a route for its documentation: these statuses, in the one shape.

    >>> sorted(errors(404, 409))
    [404, 409]
    """
    return {one: {"model": ErrorBody, "description": HTTPStatus(one).phrase} for one in statuses}


def find_answer(error: Exception) -> ErrorAnswer | None:
    """Find the response to an error; None for internal errors, which are not shown."""
    if isinstance(error, HTTPException):
        # FastAPI wraps what reading a body raised; ours keeps its own status (a body that is too large).
        cause = error.__cause__
        return find_answer(cause) if isinstance(cause, LadderboardError) else _http_problem(error)
    if isinstance(error, DamagedFileError):
        log.error("damaged file: %s", error)  # its words name the file and its place, for the organiser alone
        return _our_problem(UnavailableError(DAMAGED))
    if isinstance(error, DamagedDatabaseError):
        log.error("damaged database: %s", error)
        return _our_problem(UnavailableError(DAMAGED_DATABASE))
    if isinstance(error, LadderboardError):
        return _our_problem(error)
    if isinstance(error, RequestValidationError):
        return _validation_problem(error)
    if isinstance(error, ClientDisconnect):
        return ErrorAnswer(GONE, "client_gone", "the request was cut off and is ignored")
    if isinstance(error, OSError) and error.errno in _OUT_OF_SPACE:
        return _our_problem(UnavailableError("the server cannot store anything right now; nothing was changed"))
    return None


def fault(request_id: str) -> ErrorAnswer:
    """The answer to what must not happen."""
    return ErrorAnswer(
        500,
        "internal_error",
        f"something went wrong on our side; tell the organiser the request id {request_id}",
        {"request_id": request_id},
    )


def answer(request: Request, problem: ErrorAnswer) -> Response:
    """Respond to a problem with JSON, or with a page for browsers."""
    renderer: Renderer | None = getattr(request.app.state, "render_error", None)
    return renderer(request, problem) if renderer is not None and is_read_by_people(request) else problem.to_response()


def is_read_by_people(request: Request) -> bool:
    """Whether a browser shows the answer to a person."""
    return not request.url.path.startswith("/api/") and "text/html" in request.headers.get("accept", "")


def _our_problem(error: LadderboardError) -> ErrorAnswer | None:
    status = error.status if isinstance(error, HostingError) else _status(type(error))
    if status is None:
        return None
    details = _details(error)
    headers = {"Retry-After": str(RETRY_SECONDS)} if status == 503 else {}
    if isinstance(error, WaitError) and error.retry_after is not None:
        seconds = max(1, math.ceil(error.retry_after))
        headers, details = {"Retry-After": str(seconds)}, {**details, "retry_after": seconds}
    if status == 401:
        headers = {"WWW-Authenticate": "Bearer"}
    return ErrorAnswer(status, error.code, str(error), details, headers)


def _details(error: LadderboardError) -> dict[str, Any]:
    if isinstance(error, SubmissionError):
        problems = [{**asdict(one), "message": str(one)} for one in error.problems]
        return {"problems": problems, "counts": error.counts, "total": error.total}
    return dict(error.details) if isinstance(error, HostingError) else {}


def _status(kind: type[LadderboardError]) -> int | None:
    return next((STATUS_OF[one] for one in kind.__mro__ if one in STATUS_OF), None)


def _http_problem(error: HTTPException) -> ErrorAnswer:
    words = {
        400: (
            "bad_request",
            "the request cannot be read; see the API's description at /api/v1/openapi.json",
        ),
        404: ("not_found", NOTHING_HERE),
        405: ("method_not_allowed", "this address does not support that method"),
    }
    phrase = HTTPStatus(error.status_code).phrase
    code, message = words.get(error.status_code, (phrase.lower().replace(" ", "_"), phrase.lower()))
    return ErrorAnswer(error.status_code, code, message, {}, error.headers or {})


def _validation_problem(error: RequestValidationError) -> ErrorAnswer:
    if any(one["loc"][0] == "path" for one in error.errors()):  # no such address, not a wrong form
        return ErrorAnswer(404, "not_found", NOTHING_HERE)
    # What was given is not echoed: it may be a password.
    fields = [{"where": ".".join(str(part) for part in one["loc"]), "problem": one["msg"]} for one in error.errors()]
    listed = "; ".join(f"{one['where']}: {one['problem']}" for one in fields[:3])
    return ErrorAnswer(422, "invalid_request", f"the request is not as expected ({listed})", {"fields": fields})


DENIAL_SECONDS = 0.02
"""What is not there, or not for this reader, is denied a multiple of this after the request arrived: to find a private
competition takes a few milliseconds longer than to find none, and the difference must not tell them apart."""


def handle_errors(app: FastAPI) -> None:
    """Answer every error of ``app`` in our shape; pages may set ``app.state.render_error`` to show theirs as HTML."""
    for kind in (LadderboardError, RequestValidationError, HTTPException, ClientDisconnect, OSError):
        app.add_exception_handler(kind, _handle)


async def _handle(request: Request, error: Exception) -> Response:
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
