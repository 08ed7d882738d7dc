"""A timeout for slow uploads: the request gets 408 and the connection is closed.

Reading a body occupies no thread, so that a slow client blocks nobody; but it holds a connection, memory for what has
come, and one of the account's uploads. The time that a body may take grows with what has arrived, so that a large file
over a thin line is fine as long as it goes on.
"""

import asyncio

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ladderboard.core.errors import HostingError

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
