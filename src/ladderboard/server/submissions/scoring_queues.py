"""Queues of files to score: what takes long is apart from what is quick, and accounts take turns."""

import asyncio
import math
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

from ladderboard.metrics.custom import FunctionMetric
from ladderboard.server.competitions.live_competition import LiveCompetition
from ladderboard.server.submissions.incoming import Answer, IncomingSubmission
from ladderboard.server.submissions.pace import Pace
from ladderboard.tabular.containers import GZIP, PARQUET, ZIP

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
