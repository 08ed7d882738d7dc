"""uvicorn's HTTP protocol with limits: on connections, on what a request says beside its body, on uploads at the end.

A connection costs memory and one of the process's file handles, even if it never sends a request. Bodies have their own
time limit (`app.middleware.upload_timeout`), and connections that wait for another request have uvicorn's.
"""

import asyncio
from collections.abc import Iterator
from itertools import count
from typing import ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol


class LimitedProtocol(HttpToolsProtocol):
    """The HTTP protocol of every server we start."""

    head_seconds: ClassVar[float] = 20.0
    """How long a connection may take to send the head of a request."""
    grace_seconds: ClassVar[float] = 5.0
    """How long a stopping server waits for uploads that have not arrived in full."""
    most_connections: ClassVar[int] = 1000
    """Of one process."""
    most_head_bytes: ClassVar[int] = 1 << 16
    """How much may come without the end of a head or a part of a body: httptools keeps headers without limit."""
    _head_bytes = 0
    _head_timer: asyncio.TimerHandle | None = None
    _numbers: ClassVar[Iterator[int]] = count()
    _number: int
    """In the order of opening: the loop's clock is too coarse to tell connections apart that come at once."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        super().connection_made(transport)
        self._number = next(self._numbers)
        self._wait_for_head()
        if len(self.connections) > self.most_connections:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        self._head_bytes += len(data)
        super().data_received(data)
        if self._head_bytes > self.most_head_bytes:
            self.send_400_response("The head of the request is too large.")
        elif self._has_request():
            self._stop_waiting_for_head()
        elif self._head_timer is None:
            self._wait_for_head()

    def on_headers_complete(self) -> None:
        self._head_bytes = 0
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._head_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._head_bytes = 0
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting_for_head()
        super().connection_lost(exc)

    def shutdown(self) -> None:
        super().shutdown()
        self.loop.call_later(self.grace_seconds, self._give_up)

    def _give_up(self) -> None:
        """Hang up if the body has not arrived: an endless upload must not keep the server from stopping.

        The application sees a client that has gone, and nothing is charged.
        """
        if self._has_request() and self.cycle.more_body:
            self.transport.close()

    def _has_request(self) -> bool:
        """Whether a request has begun and is not answered yet."""
        return self.cycle is not None and not self.cycle.response_complete

    def _wait_for_head(self) -> None:
        self._head_timer = self.loop.call_later(self.head_seconds, self._hang_up)

    def _stop_waiting_for_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _hang_up(self) -> None:
        self._head_timer = None
        if not self._has_request():
            self.transport.abort()

    def _make_room(self) -> None:
        """Close the oldest connection without a request; if there is none, this one."""
        idle = [one for one in self.connections if isinstance(one, LimitedProtocol) and not one._has_request()]
        oldest = min(idle, key=lambda one: one._number, default=self)
        self.connections.discard(oldest)  # it is lost only later: until then others would choose it again
        oldest._hang_up()
