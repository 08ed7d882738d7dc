"""Delivery of webhooks: signed, with a deadline, retried until it is answered.

Any number of processes may deliver at the same time. Nothing here is part of a submission: a receiver that hangs
delays only itself.
"""

import hashlib
import hmac
import http.client
import json
import logging
import socket
import ssl
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache

from ladderboard.server.db.database import Connection, Database
from ladderboard.server.webhooks import sql as webhooks
from ladderboard.server.webhooks.records import ClaimedDelivery
from ladderboard.server.webhooks.ssrf import BlockedAddressError, Network, WebhookTarget, parse_networks, resolve_target

WAITS = tuple(timedelta(seconds=one) for one in (10, 30, 120, 600, 3600, 3 * 3600, 6 * 3600, 12 * 3600))
"""The wait after the first, second, … failure; after the last one a delivery is given up (about a day)."""

LEASE = timedelta(minutes=5)
"""How long a process may hold claimed deliveries; longer than a batch can take."""

BATCH = 20
"""Deliveries to one webhook."""
RECEIVERS_AT_ONCE = 8
TIMEOUT_SECONDS = 10.0
POLL_SECONDS = 1.0
KEPT = timedelta(days=7)
TIDY_EVERY_SECONDS = 3600.0

log = logging.getLogger("ladderboard.webhooks")


def signature(secret: str, timestamp: int, body: bytes) -> str:
    """The signature of a delivery: HMAC-SHA256 over time and body, hexadecimal.

    >>> signature("secret", 0, b"{}")[:16]
    '4bbe8d39de1ffea4'
    """
    return hmac.new(secret.encode(), f"{timestamp}.".encode() + body, hashlib.sha256).hexdigest()


@dataclass(frozen=True)
class DeliveryOutcome:
    """The outcome of one try; ``answer`` is for the organiser."""

    arrived: bool
    answer: str


@dataclass(eq=False)
class Deliverer:
    """Delivers the deliveries that are due."""

    database: Database
    allowed: Sequence[Network] = ()
    timeout_seconds: float = TIMEOUT_SECONDS
    count: Callable[[str], None] = lambda _outcome: None
    """Called after every try with "arrived" or "failed"."""
    _stopping: threading.Event = field(default_factory=threading.Event)
    _tidied: float | None = None

    @classmethod
    def for_settings(cls, database: Database, webhooks_may_reach: str) -> "Deliverer":
        return cls(database, parse_networks(webhooks_may_reach))

    def run(self) -> None:
        """Deliver until `stop` is called; the background thread of a server process."""
        while not self._stopping.is_set():
            try:
                done = self.deliver_due()
            except Exception as error:  # the database may be away; deliveries wait in it
                log.warning("webhooks wait: %s", type(error).__name__)
                done = 0
            if not done:
                self._stopping.wait(POLL_SECONDS)

    def stop(self) -> None:
        self._stopping.set()

    def deliver_due(self) -> int:
        """Deliver one batch; returns the number of deliveries tried."""
        with self.database.reading() as connection:
            # Read first: an idle server takes no write lock.
            if not webhooks.has_due(connection, self.database.now(connection)):
                return 0
        with self.database.transaction() as connection:
            now = self.database.now(connection)
            claimed = webhooks.claim(connection, now, limit=BATCH, lease=LEASE)
            self._tidy(connection, now)
        by_webhook: dict[str, list[ClaimedDelivery]] = defaultdict(list)
        for delivery in claimed:
            by_webhook[delivery.webhook_id].append(delivery)
        with ThreadPoolExecutor(RECEIVERS_AT_ONCE) as pool:
            return sum(pool.map(self._deliver_to_one, by_webhook.values()))

    def _tidy(self, connection: Connection, now: datetime) -> None:
        """Delete old deliveries, now and then: it looks at every row."""
        if self._tidied is None or time.monotonic() - self._tidied > TIDY_EVERY_SECONDS:
            webhooks.forget_delivered(connection, now - KEPT)
            self._tidied = time.monotonic()

    def _deliver_to_one(self, queue: Sequence[ClaimedDelivery]) -> int:
        """Deliver to one receiver in order; after a failure the rest waits too, so it costs only one deadline."""
        began = time.monotonic()
        for tried, delivery in enumerate(queue, 1):
            # Others wait for the end of this batch: a slow receiver gets the rest with the next one.
            if self._stopping.is_set() or time.monotonic() - began > self.timeout_seconds:
                self._put_back(queue[tried - 1 :], wait=timedelta())
                return tried - 1
            outcome = self._post(delivery)
            self._record(delivery, outcome)
            if not outcome.arrived:
                self._put_back(queue[tried:], wait=WAITS[min(delivery.tries, len(WAITS)) - 1], all_others=True)
                return tried
        return len(queue)

    def _post(self, delivery: ClaimedDelivery) -> DeliveryOutcome:
        try:
            target = resolve_target(delivery.url, self.allowed)
            status = post(target, *_write_message(delivery, self.database.now()), timeout_seconds=self.timeout_seconds)
        except BlockedAddressError as problem:
            return DeliveryOutcome(False, str(problem))
        except (OSError, http.client.HTTPException) as problem:
            return DeliveryOutcome(False, f"no answer ({type(problem).__name__})")
        return DeliveryOutcome(200 <= status < 300, f"status {status}")

    def _record(self, delivery: ClaimedDelivery, outcome: DeliveryOutcome) -> None:
        self.count("arrived" if outcome.arrived else "failed")
        with self.database.transaction() as connection:
            now, tries = self.database.now(connection), delivery.tries
            if outcome.arrived:
                webhooks.close(connection, delivery.id, tries=tries, answer=outcome.answer, delivered_at=now)
            elif tries > len(WAITS):
                webhooks.close(connection, delivery.id, tries=tries, answer=outcome.answer, delivered_at=None)
            else:
                next_at = now + WAITS[tries - 1]
                webhooks.postpone(connection, delivery.id, tries=tries, answer=outcome.answer, next_at=next_at)

    def _put_back(self, queue: Sequence[ClaimedDelivery], *, wait: timedelta, all_others: bool = False) -> None:
        if not queue:
            return
        with self.database.transaction() as connection:
            next_at = self.database.now(connection) + wait
            for one in queue:
                webhooks.postpone(connection, one.id, tries=one.tries, answer=None, next_at=next_at, counts=False)
            if all_others:
                webhooks.hold_back(connection, queue[0].webhook_id, next_at)


def post(target: WebhookTarget, body: bytes, headers: dict[str, str], *, timeout_seconds: float) -> int:
    """Send a request to the checked address; returns the status. No redirect is followed, no body is read."""
    plain = socket.create_connection((target.address, target.port), timeout=timeout_seconds)
    with plain, _deadline(plain, timeout_seconds), _secure(plain, target) as secured:
        connection = http.client.HTTPConnection(target.host, target.port)
        connection.sock = secured
        connection.request("POST", target.path, body, {"Host": target.host_header, "Connection": "close", **headers})
        return connection.getresponse().status


@contextmanager
def _deadline(plain: socket.socket, seconds: float) -> Iterator[None]:
    """Cut the connection after ``seconds``: a trickle of bytes would outlast any timeout of single reads.

    Raises `TimeoutError` if it was cut, whatever had been read until then.
    """
    # A second handle of the same connection, since TLS takes the first one over.
    handle = plain.dup()
    was_cut = threading.Event()
    alarm = threading.Timer(seconds, _cut, [handle, was_cut])
    alarm.daemon = True
    alarm.start()
    try:
        yield
    finally:
        alarm.cancel()
        alarm.join()
        handle.close()
    if was_cut.is_set():
        raise TimeoutError


def _cut(handle: socket.socket, was_cut: threading.Event) -> None:
    was_cut.set()
    try:
        handle.shutdown(socket.SHUT_RDWR)
    except OSError:  # the other side was faster
        return


def _secure(plain: socket.socket, target: WebhookTarget) -> socket.socket:
    return _tls().wrap_socket(plain, server_hostname=target.host) if target.scheme == "https" else plain


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def _write_message(delivery: ClaimedDelivery, now: datetime) -> tuple[bytes, dict[str, str]]:
    body = json.dumps({"id": delivery.id, **delivery.event}, ensure_ascii=False).encode()
    timestamp = int(now.timestamp())
    headers = {
        "Content-Type": "application/json; charset=utf-8",
        "User-Agent": "ladderboard-webhooks",
        "Ladderboard-Delivery": delivery.id,
        "Ladderboard-Timestamp": str(timestamp),
        "Ladderboard-Signature": f"sha256={signature(delivery.secret, timestamp, body)}",
    }
    return body, headers
