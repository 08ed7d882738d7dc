"""How many files one account may send, so that a flood from one does not keep others waiting."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TypeVar

from anyio import sleep, to_thread

from ladderboard.core.errors import TooManyRequestsError
from ladderboard.core.words import translatable
from ladderboard.hosting.live_competition import LiveCompetition
from ladderboard.metrics.custom import FunctionMetric

Result = TypeVar("Result")

SMALL_BYTES = 256 << 10
"""Up to here a file is read and scored in milliseconds."""
MOST_REMEMBERED = 10_000
"""Accounts whose pace is remembered; those that have rested for a minute are forgotten first."""
HESITATION_SECONDS = 0.5
MOST_WAITING = 16
"""Refusals of one account that are waited with at once."""


class Uploads:
    """Counts the uploads of each account in this process: those under way, and those of the last minute.

    It protects this process's time and memory, and is therefore kept there: an upload that is refused costs no write.
    A refusal is sent only after ``hesitation`` seconds, which cost the server nothing: whoever asks again at once has
    to wait for the answer first.
    """

    def __init__(
        self, *, at_once: int, per_minute: int, hesitation: float = 0.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._at_once, self._hesitation, self._pace = at_once, hesitation, Pace(per_minute, clock)
        self._running: Counter[str] = Counter()
        self._waiting: Counter[str] = Counter()

    @asynccontextmanager
    async def of(self, account_id: str) -> AsyncIterator[None]:
        """The time of one upload; raises `TooManyRequestsError` before anything of it is read."""
        await self._refuse_too_many(account_id)
        self._pace.count(account_id)
        with _count_one_more(self._running, account_id):
            yield

    async def _refuse_too_many(self, account_id: str) -> None:
        refusal = self._refusal(account_id)
        if refusal is None:
            return
        # So many wait; what is more is refused at once, so that waiting does not become a way to hold memory.
        if self._hesitation and self._waiting[account_id] < MOST_WAITING:
            with _count_one_more(self._waiting, account_id):
                await sleep(self._hesitation)
        raise refusal

    def _refusal(self, account_id: str) -> TooManyRequestsError | None:
        if self._running[account_id] >= self._at_once:
            return TooManyRequestsError(
                translatable(
                    "{at_once} of your uploads are being scored already; wait for one of them", at_once=self._at_once
                ),
                retry_after=1,
            )
        return self._pace.refusal(account_id)


@contextmanager
def _count_one_more(counts: Counter[str], account_id: str) -> Iterator[None]:
    counts[account_id] += 1
    try:
        yield
    finally:
        counts[account_id] -= 1
        if not counts[account_id]:
            del counts[account_id]


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

    def refusal(self, account_id: str) -> TooManyRequestsError | None:
        """What to raise where one more would be too many."""
        rest = self._rests.get(account_id)
        left = self._most if rest is None else self._refill(rest, self._clock())
        if left >= 1:
            return None
        return TooManyRequestsError(
            translatable("at most {most} uploads a minute are taken from one account, scored or not", most=self._most),
            retry_after=(1 - left) * 60 / self._most,
        )

    def count(self, account_id: str) -> None:
        """Count one more."""
        now = self._clock()
        rest = self._rests.setdefault(account_id, _Rest(self._most, now))
        rest.left, rest.at = self._refill(rest, now) - 1, now
        if len(self._rests) > MOST_REMEMBERED:
            self._rests = {name: one for name, one in self._rests.items() if self._refill(one, now) < self._most}

    def _refill(self, rest: _Rest, now: float) -> float:
        return min(self._most, rest.left + (now - rest.at) * self._most / 60)


class Scoring:
    """Small files one after another, large ones and slow metrics beside them.

    Python runs one thread at a time. Where each file takes a few milliseconds, threads that take turns only cost: in a
    single lane a server scores half as many again; with a database that is asked over a socket, in two, of which one
    waits. What takes long must not stand there.
    """

    def __init__(self, *, lanes: int) -> None:
        self._lanes = ThreadPoolExecutor(lanes, "ladderboard-scoring")

    async def run(self, live: LiveCompetition, size: int, function: Callable[[], Result]) -> Result:
        """Call the function in a thread; ``size`` is that of the file in bytes."""
        is_quick = size <= SMALL_BYTES and not isinstance(live.competition.metric, FunctionMetric)
        if is_quick:
            return await asyncio.get_running_loop().run_in_executor(self._lanes, function)
        return await to_thread.run_sync(function)
