"""Queues of files to score, and limits of each account: a flood from one does not keep others waiting."""

import asyncio
import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

from anyio import sleep

from ladderboard.core.errors import TooManyRequestsError
from ladderboard.metrics.custom import FunctionMetric
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.submissions.records import Answer, IncomingSubmission
from ladderboard.tabular.containers import GZIP, PARQUET, ZIP

MOST_REMEMBERED = 10_000
"""Accounts whose pace is remembered; those that have rested for a minute are forgotten first."""


@dataclass
class _Rest:
    """The share that is left to an account at a time."""

    left: float
    at: float


class Pace:
    """What each account has used of its share of a minute. Safe to use from several threads."""

    def __init__(self, per_minute: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = per_minute, clock
        self._rests: dict[str, _Rest] = {}
        self._guard = Lock()

    def find_left(self, account_id: str) -> float:
        """What the account may use now; below zero where it has used more than its share."""
        with self._guard:
            rest = self._rests.get(account_id)
            return self._most if rest is None else self._refill(rest, self._clock())

    def find_wait(self, left: float, account_id: str) -> float:
        """How long it takes until so much is left; 0 where it is."""
        return max(0.0, (left - self.find_left(account_id)) * 60 / self._most)

    def count(self, account_id: str, amount: float = 1) -> None:
        """Count so much more."""
        with self._guard:
            now = self._clock()
            rest = self._rests.setdefault(account_id, _Rest(self._most, now))
            rest.left, rest.at = self._refill(rest, now) - amount, now
            if len(self._rests) > MOST_REMEMBERED:
                self._rests = {name: one for name, one in self._rests.items() if self._refill(one, now) < self._most}

    def _refill(self, rest: _Rest, now: float) -> float:
        return min(self._most, rest.left + (now - rest.at) * self._most / 60)


class UploadPaces:
    """The two paces of uploads: how many of them, and how much processor time they take."""

    def __init__(self, *, uploads: float, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._most_uploads, self._most_seconds = uploads, seconds
        self.uploads, self.seconds = Pace(uploads, clock), Pace(seconds, clock)

    def find_refusal(self, account_id: str) -> TooManyRequestsError | None:
        """What to raise where one more upload would be too many."""
        wait = self.uploads.find_wait(1, account_id)
        if wait:
            words = f"one account may upload at most {self._most_uploads} files a minute, scored or not"
            return TooManyRequestsError(words, retry_after=wait)
        wait = self.seconds.find_wait(0, account_id)
        if wait:
            words = (
                f"your last uploads took more than {self._most_seconds} seconds of the server's time within a minute; "
                "wait a little"
            )
            return TooManyRequestsError(words, retry_after=wait)
        return None


HESITATION_SECONDS = 0.5
MOST_WAITING = 16
"""Refusals of one account that are waited with at once."""


class Uploads:
    """Counts the uploads of each account in this process: those under way, and the pace of the last minute.

    It protects this process's time and memory, and is therefore kept there: an upload that is refused costs no write.
    A refusal is sent only after ``hesitation`` seconds, which cost the server nothing: whoever asks again at once has
    to wait for the answer first.
    """

    def __init__(self, paces: UploadPaces, *, at_once: int, hesitation: float = 0.0) -> None:
        self._at_once, self._hesitation, self._paces = at_once, hesitation, paces
        self._running: Counter[str] = Counter()
        self._waiting: Counter[str] = Counter()

    @asynccontextmanager
    async def of(self, account_id: str) -> AsyncIterator[None]:
        """The time of one upload; raises `TooManyRequestsError` before anything of it is read."""
        await self._refuse_too_many(account_id)
        self._paces.uploads.count(account_id)
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
                f"{self._at_once} of your uploads are being scored already; wait for one of them",
                retry_after=1,
            )
        return self._paces.find_refusal(account_id)


@contextmanager
def _count_one_more(counts: Counter[str], account_id: str) -> Iterator[None]:
    counts[account_id] += 1
    try:
        yield
    finally:
        counts[account_id] -= 1
        if not counts[account_id]:
            del counts[account_id]


Result = TypeVar("Result")

SMALL_BYTES = 256 << 10
"""Up to here a text file is read and scored in milliseconds."""
LARGE_THREADS, PARQUET_THREADS, CUSTOM_THREADS = 2, 1, 8
"""Threads for large and packed text, for Parquet, which one process beside this one reads, and for custom metrics, each
of which has a process of its own. As much memory as so many files need may be used at once."""


class ScoringQueues:
    """Small text files one after another; large or packed ones, Parquet and custom metrics beside them.

    Python runs one thread at a time. Where each file takes a few milliseconds, threads that take turns only cost: in a
    single thread a server scores half as many again; with a database that is asked over a socket, in two, of which one
    waits. What takes long must not stand there. In every queue, whoever has used the least time lately goes first.
    """

    def __init__(self, *, quick_threads: int, pace: Pace) -> None:
        self._quick = FairQueue(quick_threads, pace)
        self._large = FairQueue(LARGE_THREADS, pace)
        self._parquet = FairQueue(PARQUET_THREADS, pace, is_elsewhere=True)
        self._custom = FairQueue(CUSTOM_THREADS, pace)

    async def run(self, live: LiveCompetition, incoming: IncomingSubmission, function: Callable[[], Answer]) -> Answer:
        """Call the function in a thread of the queue that suits the file."""
        queue = self._choose(live, incoming.content)
        return await asyncio.wrap_future(queue.submit(incoming.account_id or incoming.team_id, function))

    def _choose(self, live: LiveCompetition, content: bytes) -> "FairQueue":
        if isinstance(live.competition.metric, FunctionMetric):
            return self._custom
        if content.startswith(PARQUET):
            return self._parquet
        # A packed file of any size may become a large one.
        is_large = len(content) > SMALL_BYTES or content.startswith((GZIP, *ZIP))
        return self._large if is_large else self._quick


@dataclass(frozen=True, eq=False)
class _Waiting:
    account_id: str
    function: Callable[[], Any]
    future: "Future[Any]"


class FairQueue:
    """Threads for which accounts wait in line; the one that has most of its time left is the next.

    ``is_elsewhere``: most of the work is done by another process, so what counts is how long it took.
    """

    def __init__(self, threads: int, pace: Pace, *, is_elsewhere: bool = False) -> None:
        self._pool, self._pace = ThreadPoolExecutor(threads, "ladderboard-scoring"), pace
        self._clock = time.monotonic if is_elsewhere else time.thread_time
        self._line: list[_Waiting] = []
        self._guard = Lock()

    def submit(self, account_id: str, function: Callable[[], Result]) -> "Future[Result]":
        """Call the function when it is this account's turn."""
        waiting = _Waiting(account_id, function, Future())
        with self._guard:
            self._line.append(waiting)
        self._pool.submit(self._run_next)
        return waiting.future

    def _choose_next(self) -> _Waiting:
        """Whoever has most time left, in whole seconds; of equals, whoever waits with the fewest files, in their order.

        Most accounts are equals: a moment of rest refills what a file took. By order of arrival alone, twenty accounts
        that always have two files here would keep everybody behind forty.
        """
        counts = Counter(one.account_id for one in self._line)

        def compute_rank(one: _Waiting) -> tuple[int, int]:
            return math.ceil(self._pace.find_left(one.account_id)), -counts[one.account_id]

        return max(self._line, key=compute_rank)

    def _run_next(self) -> None:
        with self._guard:
            waiting = self._choose_next()
            self._line.remove(waiting)
        if not waiting.future.set_running_or_notify_cancel():
            return
        start = self._clock()
        try:
            waiting.future.set_result(waiting.function())
        except BaseException as problem:  # told to whoever waits for the result
            waiting.future.set_exception(problem)
        finally:
            self._pace.count(waiting.account_id, self._clock() - start)
            # The future has the problem, whose traceback has this frame: with the future in it they would keep each
            # other, and all that was unpacked of a refused file, until Python next looks for such circles.
            del waiting
