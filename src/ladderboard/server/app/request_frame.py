"""The frame of every request: its id, security headers, limits of size and time, and last error handler."""

import asyncio
import logging
import re
import secrets
import time
import traceback
from collections.abc import Mapping
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ladderboard.core.errors import HostingError, PayloadTooLargeError
from ladderboard.core.sizes import format_size
from ladderboard.server.app.errors import ErrorAnswer, answer, fault, find_answer

SMALL_BODY_BYTES = 1 << 20
"""The most that is read where no file is uploaded."""

UPLOADS = re.compile(r"/(?:submissions|submit|baselines)/?$")
"""The addresses that take files."""

API_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}
"""Set where an answer does not set them itself."""
NOT_A_PAGE = {"content-security-policy": "default-src 'none'; frame-ancestors 'none'", "x-frame-options": "DENY"}
"""Set where an answer has no policy of its own: pages and the board that may be framed bring theirs."""

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")

log = logging.getLogger("ladderboard.web")


class RequestFrame:
    """The middleware around every route; ``uploads`` matches the addresses that take up to ``upload_bytes``."""

    def __init__(self, app: ASGIApp, *, upload_bytes: int, is_secure: bool, uploads: re.Pattern[str] = UPLOADS) -> None:
        self._app, self._is_secure = app, is_secure
        self._upload_bytes, self._uploads = upload_bytes, uploads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _request_id(Headers(scope=scope))
        state = scope.setdefault("state", {})
        state["request_id"] = request_id
        state["arrived"] = time.monotonic()  # by a clock that is never set
        answering = _Answering(send, self._headers(request_id), is_head=scope["method"] == "HEAD")
        try:
            refusal = self._refusal(scope)
            if refusal is None:
                await self._ask(scope, _Limited(receive, self._find_limit(scope)), answering)
            else:
                await answer(Request(scope), refusal)(scope, receive, answering)
        except Exception as error:
            if answering.has_begun:
                raise
            problem = find_answer(error)  # of our own layers, which no handler of the application has seen
            if problem is None:
                _log_fault(request_id, error)
                problem = fault(request_id)
            await answer(Request(scope), problem)(scope, receive, answering)

    async def _ask(self, scope: Scope, receive: Receive, send: Send) -> None:
        """HEAD is answered as GET, without the body: monitors send it, and no route has to know of it."""
        asked = {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope
        try:
            await self._app(asked, receive, send)
        finally:
            if "route" in asked:
                scope["route"] = asked["route"]  # for the log

    def _headers(self, request_id: str) -> dict[str, str]:
        headers = {"x-request-id": request_id, **API_HEADERS}
        if self._is_secure:
            headers["strict-transport-security"] = "max-age=31536000"
        return headers

    def _find_limit(self, scope: Scope) -> int:
        return self._upload_bytes if self._uploads.search(scope["path"]) else SMALL_BODY_BYTES

    def _refusal(self, scope: Scope) -> ErrorAnswer | None:
        """What is refused before anything is read."""
        if "\x00" in scope["path"] or b"%00" in scope["query_string"]:
            return ErrorAnswer(400, "bad_request", "an address cannot contain a NUL character")
        length = Headers(scope=scope).get("content-length", "0")
        if length.isdecimal() and int(length) > self._find_limit(scope):
            return find_answer(_too_large(self._find_limit(scope)))
        return None


class _Limited:
    """A request body with a size limit, also where its length is not declared."""

    def __init__(self, receive: Receive, most: int) -> None:
        self._receive, self._find_limit, self._read = receive, most, 0

    async def __call__(self) -> Message:
        message = await self._receive()
        self._read += len(message.get("body", b""))
        if self._read > self._find_limit:
            raise _too_large(self._find_limit)
        return message


class _Answering:
    """Sends an answer with our headers on it, and remembers that it has begun; of one to HEAD, the headers alone."""

    def __init__(self, send: Send, headers: Mapping[str, str], *, is_head: bool) -> None:
        self._send, self._headers, self._is_head, self.has_begun = send, headers, is_head, False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            headers = MutableHeaders(raw=message.setdefault("headers", []))
            added = self._headers if "content-security-policy" in headers else {**self._headers, **NOT_A_PAGE}
            for name, value in added.items():
                headers.setdefault(name, value)
        if self._is_head and message["type"] == "http.response.body":
            message = {**message, "body": b""}
        await self._send(message)


def _too_large(most: int) -> PayloadTooLargeError:
    return PayloadTooLargeError(f"the request is too large; at most {format_size(most)} are read here", most_bytes=most)


def _request_id(headers: Headers) -> str:
    """The id that a proxy gave, if it is harmless in a log, or a new one."""
    given = headers.get("x-request-id", "")
    return given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8)


def _log_fault(request_id: str, error: Exception) -> None:
    # The kind and the place, not the words: an exception's words may hold values that nobody may see.
    frames = traceback.extract_tb(error.__traceback__)[-8:]
    place = " < ".join(f"{Path(one.filename).name}:{one.lineno} {one.name}" for one in reversed(frames))
    log.error("fault request_id=%s kind=%s at %s", request_id, type(error).__name__, place)


BYTES_PER_SECOND = 50_000


class TooSlowError(HostingError):
    """The body did not arrive in time."""

    code, status = "too_slow", 408


class UploadTimeout:
    """Middleware that waits ``seconds`` for a body, and one second more for every 50 kB received."""

    def __init__(self, app: ASGIApp, seconds: float) -> None:
        self._app, self._seconds = app, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        body = _Body(receive, self._seconds)

        async def answer(message: Message) -> None:
            if body.is_too_slow and message["type"] == "http.response.start":
                # What is still to come of the body is not the beginning of another request.
                MutableHeaders(raw=message.setdefault("headers", []))["connection"] = "close"
            await send(message)

        await self._app(scope, body, answer)


class _Body:
    """A request body that raises `TooSlowError` when it arrives too slowly; the clock starts at the first read."""

    def __init__(self, receive: Receive, seconds: float) -> None:
        self._receive, self._seconds = receive, seconds
        self._until: float | None = None
        self._is_complete = False
        self.is_too_slow = False

    async def __call__(self) -> Message:
        if self._is_complete:  # what is waited for now is that the client hangs up
            return await self._receive()
        now = asyncio.get_running_loop().time()
        self._until = self._until or now + self._seconds
        try:
            async with asyncio.timeout_at(self._until):
                message = await self._receive()
        except TimeoutError:
            self.is_too_slow = True
            raise TooSlowError(
                f"the request body did not arrive within {self._seconds:g} s plus a second for every "
                f"{BYTES_PER_SECOND // 1000} kB and is ignored; try again, or compress the file"
            ) from None
        self._until += len(message.get("body", b"")) / BYTES_PER_SECOND
        self._is_complete = not message.get("more_body", False)
        return message
