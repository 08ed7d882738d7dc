"""Limits on connections: how long one may be silent before its request has begun, and how many there may be.

A connection costs memory and one of the process's file handles, also where nothing is ever asked. Bodies have their
own time (`ladderboard.web.middleware.upload_timeout`), and connections that wait for another request uvicorn's.
"""

import asyncio
from collections.abc import Iterator
from itertools import count
from typing import ClassVar

from ladderboard.web.stopping_protocol import StoppingProtocol


class LimitedProtocol(StoppingProtocol):
    """uvicorn's HTTP protocol, with a time for the head of a request and a limit on connections."""

    head_seconds: ClassVar[float] = 20.0
    most_connections: ClassVar[int] = 1000
    """Of one process."""
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
        super().data_received(data)
        if self._has_request():
            self._stop_waiting_for_head()
        elif self._head_timer is None:
            self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting_for_head()
        super().connection_lost(exc)

    def _has_request(self) -> bool:
        """Whether the head of a request has come that is not answered yet."""
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
        """Close the oldest connection that asks nothing; where all do, this one."""
        idle = [one for one in self.connections if isinstance(one, LimitedProtocol) and not one._has_request()]
        oldest = min(idle, key=lambda one: one._number, default=self)
        self.connections.discard(oldest)  # it is lost only later: until then others would choose it again
        oldest._hang_up()
