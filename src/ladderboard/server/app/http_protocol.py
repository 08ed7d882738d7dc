"""Which connection makes room where a process has more than it may hold.

Shares bind only then: a whole class behind one address may have every connection while nobody else wants one.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import count
from typing import ClassVar, NamedTuple

from ladderboard.core.networks import find_network
from ladderboard.server.app.request_limits import StrictProtocol


class ConnectionFacts(NamedTuple):
    """What counts when connections are scarce."""

    network: str
    """Where the client is: an address, or the /64 of an address of IPv6."""
    account: str | None
    """Who asks, once the application knows."""
    last_sign: int | None
    """The number of the client's last sign of life, which grows with time; None while the client waits for us."""


def choose_to_close(connections: Sequence[ConnectionFacts]) -> int:
    """Choose a connection, by its place in the sequence, among those that wait for their client: one does at least.

    It is one of the network with the most connections, and in it of the account with the most; of these, the one whose
    last sign of life is the oldest.

    >>> crowd = [ConnectionFacts("192.0.2.7", None, number) for number in (5, 3, 4)]
    >>> choose_to_close([ConnectionFacts("192.0.2.9", None, 1), *crowd])
    2
    """
    in_network = Counter(one.network for one in connections)
    of_account = Counter((one.network, one.account) for one in connections)
    crowding = {
        place: (in_network[one.network], of_account[one.network, one.account], -one.last_sign)
        for place, one in enumerate(connections)
        if one.last_sign is not None
    }
    return max(crowding, key=crowding.__getitem__)


CROWDED = (
    b'{"error":{"code":"unavailable","message":"there are too many connections, and this request arrives too slowly; '
    b'nothing was changed, try again","details":{}}}'
)
CROWDED_HEAD = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 5\r\nconnection: close\r\n"
    b"content-length: %d\r\n\r\n"
)

_find_network = lru_cache(maxsize=4096)(find_network)


class LimitedProtocol(StrictProtocol):
    """The HTTP protocol of every server we start."""

    head_seconds: ClassVar[float] = 20.0
    """How long a connection may take to send the head of a request."""
    reading_seconds: ClassVar[float] = 60.0
    """How long a client may take to read 64 kB of an answer, or the rest of it."""
    grace_seconds: ClassVar[float] = 5.0
    """How long a stopping server waits for uploads that have not arrived in full."""
    most_connections: ClassVar[int] = 1000
    """Of one process."""
    sign_bytes: ClassVar[int] = 1 << 16
    """How much of a body, or of an answer that is read, is a sign of life: a byte now and then is none."""
    _head_timer: asyncio.TimerHandle | None = None
    _reading_timer: asyncio.TimerHandle | None = None
    _signs: ClassVar[Iterator[int]] = count()
    _last_sign = 0
    """A number, for the loop's clock is too coarse to tell connections apart that come at once."""
    _body_since_sign = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        super().connection_made(transport)
        self._note_sign()
        self._wait_for_head()
        if len(self.connections) > self.most_connections:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._has_request():
            self._stop_waiting_for_head()
        elif self._head_timer is None:
            self._wait_for_head()

    def on_headers_complete(self) -> None:
        super().on_headers_complete()
        self._note_sign()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._note_sign()
        self._watch_reader()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._note_sign()
        self._watch_reader()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_watching_reader()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting_for_head()
        self._stop_watching_reader()
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

    def _note_sign(self) -> None:
        self._last_sign, self._body_since_sign = next(self._signs), 0

    def _pass_on_body(self) -> int:
        received = super()._pass_on_body()
        self._body_since_sign += received
        if self._body_since_sign >= self.sign_bytes:
            self._note_sign()
        return received

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

    def _watch_reader(self) -> None:
        """Hang up unless what is to be read becomes less: a transport that closes waits for its reader without end."""
        self._stop_watching_reader()
        unread = self.transport.get_write_buffer_size()
        if unread > 0:
            self._reading_timer = self.loop.call_later(self.reading_seconds, self._check_reader, unread)

    def _check_reader(self, unread: int) -> None:
        if self.transport.get_write_buffer_size() > max(0, unread - self.sign_bytes):
            self.transport.abort()
        else:
            self._watch_reader()

    def _stop_watching_reader(self) -> None:
        if self._reading_timer is not None:
            self._reading_timer.cancel()
            self._reading_timer = None

    def _make_room(self) -> None:
        """Close the connection that has the least claim to its place; it may be this one."""
        here = [one for one in self.connections if isinstance(one, LimitedProtocol)]
        chosen = here[choose_to_close([one._find_facts() for one in here])]
        self.connections.discard(chosen)  # it is lost only later: until then others would choose it again
        chosen._make_way()

    def _find_facts(self) -> ConnectionFacts:
        """Find what counts in a crowd; a proxy's connection is its visitor's from a head to the end of the answer.

        The scope is the application's: uvicorn has put the address there that a trusted proxy names, and the
        application the account that signed in.
        """
        if not self._has_request():
            return ConnectionFacts(_find_network(self.client[0]) if self.client else "", None, self._last_sign)
        request = self._running or self.cycle
        client, is_awaited = request.scope["client"], self.cycle.more_body or self.flow.write_paused
        return ConnectionFacts(
            _find_network(client[0]) if client else "",
            request.scope["state"].get("account_id"),
            self._last_sign if is_awaited else None,
        )

    def _make_way(self) -> None:
        if self._has_request() and not (self._running or self.cycle).response_started:
            self.transport.write(CROWDED_HEAD % len(CROWDED) + CROWDED)
            self.transport.close()
        else:
            self.transport.abort()
