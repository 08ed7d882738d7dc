"""How many files one account may send, so that a flood from one does not keep others waiting."""

import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TypeVar

from anyio import CapacityLimiter, to_thread

from ladderboard.errors import TooManyRequestsError
from ladderboard.hosting.hosted import Hosted
from ladderboard.metrics.custom import FunctionMetric

Result = TypeVar("Result")

SMALL_BYTES = 256 << 10
"""Up to here a file is read and scored in milliseconds."""
MOST_REMEMBERED = 10_000
"""Accounts whose pace is remembered; those that have rested for a minute are forgotten first."""


class Uploads:
    """Counts the uploads of each account in this process: those under way, and those of the last minute.

    It is about this process's time and memory, and therefore kept there: an upload that is refused costs no write.
    """

    def __init__(self, *, at_once: int, per_minute: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._at_once, self._pace = at_once, Pace(per_minute, clock)
        self._running: Counter[str] = Counter()

    @asynccontextmanager
    async def of(self, account_id: str) -> AsyncIterator[None]:
        """The time of one upload; raises `TooManyRequestsError` before anything of it is read."""
        if self._running[account_id] >= self._at_once:
            raise TooManyRequestsError(
                f"{self._at_once} of your uploads are being scored already; wait for one of them", retry_after=1
            )
        self._pace.count(account_id)
        self._running[account_id] += 1
        try:
            yield
        finally:
            self._running[account_id] -= 1
            if not self._running[account_id]:
                del self._running[account_id]


@dataclass
class _Rest:
    """What is left to somebody at a time."""

    left: float
    at: float


class Pace:
    """So many a minute: as many at once after a rest, then one whenever its share of the minute has passed."""

    def __init__(self, per_minute: int, clock: Callable[[], float]) -> None:
        self._most, self._clock = per_minute, clock
        self._rests: dict[str, _Rest] = {}

    def count(self, account_id: str) -> None:
        """Count one more; raises `TooManyRequestsError` where it is too many."""
        now = self._clock()
        rest = self._rests.setdefault(account_id, _Rest(self._most, now))
        rest.left, rest.at = self._left(rest, now), now
        if rest.left < 1:
            seconds = (1 - rest.left) * 60 / self._most
            raise TooManyRequestsError(
                f"at most {self._most} uploads a minute are taken from one account, scored or not", retry_after=seconds
            )
        rest.left -= 1
        if len(self._rests) > MOST_REMEMBERED:
            self._rests = {name: one for name, one in self._rests.items() if self._left(one, now) < self._most}

    def _left(self, rest: _Rest, now: float) -> float:
        return min(self._most, rest.left + (now - rest.at) * self._most / 60)


class Scoring:
    """Small files one after another, large ones and slow metrics beside them.

    Python runs one thread at a time. Where each file takes a few milliseconds, threads that take turns only cost: in a
    single lane a server scores half as many again. What takes long must not stand in that lane.
    """

    def __init__(self) -> None:
        self._lane = CapacityLimiter(1)

    async def run(self, hosted: Hosted, size: int, function: Callable[[], Result]) -> Result:
        """Call the function in a thread; ``size`` is that of the file in bytes."""
        is_quick = size <= SMALL_BYTES and not isinstance(hosted.competition.metric, FunctionMetric)
        return await to_thread.run_sync(function, limiter=self._lane if is_quick else None)
