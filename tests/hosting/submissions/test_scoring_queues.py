"""Who is scored next, and what stands in whose way."""

import asyncio
import gc
import gzip
import time
import weakref
from concurrent.futures import wait as wait_for
from datetime import UTC, datetime
from functools import partial
from threading import Event, get_ident

import pytest

from ladderboard.server.submissions.queues import SMALL_BYTES, FairQueue, Pace, ScoringQueues
from ladderboard.server.submissions.records import Answer, IncomingSubmission
from tests.hosting.hosts import Begin
from tests.tabular import files

TEXT = b"id,label\n1,0\n"
OTHERS = {"parquet": files.parquet(id=[1], label=[0]), "gzip": gzip.compress(TEXT), "large": TEXT + b" " * SMALL_BYTES}


@pytest.mark.parametrize("kind", OTHERS)
def test_small_text_never_waits_for_a_file_that_may_take_long(kind: str, begin: Begin) -> None:
    live = begin().live
    scoring, may_go_on = ScoringQueues(quick_threads=1, pace=Pace(20)), Event()

    def incoming(content: bytes) -> IncomingSubmission:
        return IncomingSubmission("team", content, datetime(2026, 1, 1, tzinfo=UTC), account_id="ada")

    def wait() -> Answer:
        may_go_on.wait()
        return Answer(201, {})

    async def context() -> None:
        slow = [asyncio.create_task(scoring.run(live, incoming(OTHERS[kind]), wait)) for _ in range(10)]
        assert (await scoring.run(live, incoming(TEXT), lambda: Answer(200, {}))).status == 200
        may_go_on.set()
        assert {answer.status for answer in await asyncio.gather(*slow)} == {201}

    asyncio.run(context())


def test_one_parquet_file_is_read_at_a_time(begin: Begin) -> None:
    live, threads, may_go_on = begin().live, set[int](), Event()
    scoring = ScoringQueues(quick_threads=1, pace=Pace(20))

    def incoming(content: bytes) -> IncomingSubmission:
        return IncomingSubmission("team", content, datetime(2026, 1, 1, tzinfo=UTC), account_id="ada")

    def wait() -> Answer:
        threads.add(get_ident())
        may_go_on.wait()
        return Answer(201, {})

    async def context() -> None:
        reading = [asyncio.create_task(scoring.run(live, incoming(OTHERS["parquet"]), wait)) for _ in range(10)]
        assert (await scoring.run(live, incoming(TEXT), lambda: Answer(200, {}))).status == 200
        may_go_on.set()
        await asyncio.gather(*reading)

    asyncio.run(context())
    assert len(threads) == 1


def test_whoever_used_the_least_time_goes_first_however_many_wait() -> None:
    pace = Pace(20)
    queue, may_go_on, order = FairQueue(1, pace), Event(), list[str]()
    pace.count("flood", 5)
    first = queue.submit("flood", may_go_on.wait)
    waiting = [queue.submit("flood", lambda: order.append("flood")) for _ in range(20)]
    waiting.append(queue.submit("quiet", lambda: order.append("quiet")))
    may_go_on.set()
    first.result()
    wait_for(waiting)
    assert order == ["quiet", *["flood"] * 20]


def test_of_equals_whoever_waits_with_the_fewest_files_goes_first() -> None:
    """Else twenty accounts with two files each keep somebody with one behind forty, though none has used its time."""
    pace, order = Pace(20), list[str]()
    queue, may_go_on = FairQueue(1, pace), Event()
    pace.count("quiet", 0.3)  # a little more than the others, as of one who has just been answered
    first = queue.submit("first", may_go_on.wait)
    names = [f"flood{number}" for number in range(20) for _ in range(2)] + ["quiet", "other"]
    waiting = [queue.submit(name, partial(order.append, name)) for name in names]
    may_go_on.set()
    first.result()
    wait_for(waiting)
    assert order[:2] == ["quiet", "other"]
    assert sorted(order) == sorted(names)


def test_time_is_counted_for_the_account_whatever_comes_of_it() -> None:
    pace = Pace(20)

    def compute_and_fail() -> None:
        until = time.thread_time() + 0.02
        while time.thread_time() < until:
            pass
        raise ValueError("a wrong file")

    with pytest.raises(ValueError, match="a wrong file"):
        FairQueue(1, pace).submit("ada", compute_and_fail).result()
    assert pace.find_left("bob") == 20
    assert pace.find_left("ada") < 20


def test_one_that_gave_up_waiting_is_passed_over() -> None:
    queue, may_go_on = FairQueue(1, Pace(20)), Event()
    first = queue.submit("ada", may_go_on.wait)
    given_up, last = queue.submit("bob", lambda: 1), queue.submit("cleo", lambda: 2)
    assert given_up.cancel()
    may_go_on.set()
    assert (first.result(), last.result()) == (True, 2)


def test_a_refused_file_is_forgotten_with_its_answer() -> None:
    class Unpacked:
        """What a thread holds of a file."""

    held: list[weakref.ref[Unpacked]] = []

    def refuse() -> None:
        unpacked = Unpacked()
        held.append(weakref.ref(unpacked))
        raise ValueError("no table")

    queue = FairQueue(1, Pace(20))
    gc.disable()  # nothing but the last reference ends it
    try:
        for _ in range(2):
            assert isinstance(queue.submit("ada", refuse).exception(timeout=60), ValueError)
        queue.submit("ada", lambda: None).result(timeout=60)  # the thread has ended what was before
        assert [one() for one in held] == [None, None]
    finally:
        gc.enable()
