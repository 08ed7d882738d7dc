"""Logs as JSON lines on standard error, one for each request.

A line tells who asked for which kind of thing, how it ended and roughly how long it took. It never holds a path's
values, a query, a body, a token, the words of an exception, or anything else that a label or a secret could be in.
"""

import json
import logging
import sys
import time
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ladderboard.server.monitoring.metrics import ProcessMetrics

UNKNOWN_ROUTE = "(none)"
"""What is asked for in vain has no template; its address is not logged."""

ROUNDING_MS = 10
"""Durations are rounded to so many milliseconds: what a submission took is nobody's measurement."""

API = "/api/v1"
LOGGERS = ("ladderboard", "uvicorn", "uvicorn.error")

log = logging.getLogger("ladderboard.requests")


def configure_logs(level: str = "info", stream: TextIO | None = None) -> None:
    """Send our own and the server's logs to standard error as JSON lines."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(level.upper())
    # Its lines would hold addresses with their queries, such as the code of an invitation.
    access = logging.getLogger("uvicorn.access")
    access.handlers, access.propagate = [], False


class JsonLines(logging.Formatter):
    """A formatter that writes one JSON line per record; of an exception only its type and place, never its message."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
        }
        facts = getattr(record, "facts", None)
        line |= facts if isinstance(facts, dict) else {"event": record.getMessage()}
        if record.exc_info and record.exc_info[0] is not None:
            line |= {"error": record.exc_info[0].__name__, "where": _places(record.exc_info)}
        return json.dumps(line, ensure_ascii=False, default=str)


class AccessLog:
    """The outermost middleware: it counts and logs every request, however it ends."""

    def __init__(self, app: ASGIApp, metrics: ProcessMetrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, answer = time.perf_counter(), _Status(send)
        self._metrics.open.inc()
        try:
            await self._app(scope, receive, answer)
        finally:
            self._metrics.open.dec()
            self._note(scope, answer.status, time.perf_counter() - began)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        route, method = find_route(scope), scope["method"] if scope["method"] in _METHODS else "OTHER"
        self._metrics.requests.labels(route, method, str(status)).inc()
        self._metrics.durations.labels(route, method).observe(seconds)
        if method == "POST" and route.endswith("/submissions"):
            self._metrics.uploads.labels(str(status)).inc()
        state = scope.get("state", {})
        facts = {
            "event": "request",
            "request_id": state.get("request_id"),
            "method": method,
            "route": route,
            "status": status,
            "duration_ms": round(seconds * 1000 / ROUNDING_MS) * ROUNDING_MS,
            "account": state.get("account_id"),
        }
        log.log(logging.ERROR if status >= 500 else logging.INFO, "request", extra={"facts": facts})


def find_route(scope: Scope) -> str:
    """The template of the matched route, such as ``/api/v1/competitions/{slug}``; never the address itself."""
    path = getattr(scope.get("route"), "path", None)
    if not isinstance(path, str):
        return UNKNOWN_ROUTE
    # A route knows its own part of the address only.
    return f"{API}{path}" if scope["path"].startswith(f"{API}/") and not path.startswith(API) else path


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class _Status:
    """Sends on, and remembers the status; 500 where nothing was sent."""

    def __init__(self, send: Send) -> None:
        self._send, self.status = send, 500

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
        await self._send(message)


def _places(error: Any) -> list[str]:
    frames = traceback.extract_tb(error[2])[-8:]
    return [f"{Path(one.filename).name}:{one.lineno} {one.name}" for one in reversed(frames)]
