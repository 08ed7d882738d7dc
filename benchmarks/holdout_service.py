"""What a holdout service adds to a score, and how long a client waits while another one sends all that it may.

A warm service over loopback is compared with the same guard in the process itself, a crowded one with an idle one.
"""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.synchronize import Event, Semaphore
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import numpy as np
import numpy.typing as npt

from benchmarks.row import Row, compare
from ladderboard.client.remote_holdout import RemoteHoldout
from ladderboard.guard.clients import add_client
from ladderboard.guard.file import GuardFile
from ladderboard.guard.holdout import Holdout
from ladderboard.guard.service.body_limit import find_body_limit

Array = npt.NDArray[Any]

ITEMS = 1000
ROUNDS = 200
ADDED_SECONDS = 0.003
A_SECONDS_SCORES = 200
REPETITIONS = 3
CROWDED_ITEMS = 2000
SENDERS = 8
ASKED = 200
AS_SLOW = 8.0
MEMORY = Path("/dev/shm")
"""A disk in memory: how long a real one takes to keep an attempt is the same with and without a service."""


def run() -> list[Row]:
    """The time added to a warm score, the time of 200 scores, and a client's wait beside another one's crowd."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, ITEMS)
    submissions = iter(rng.integers(0, 2, (2 * ROUNDS + REPETITIONS * A_SECONDS_SCORES + 10, ITEMS)))
    with (
        TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder,
        Holdout(labels, path=Path(folder) / "local.db", seed=0) as local,
        serving_holdout(Path(folder), labels.tolist()) as (url, (token, _), process),
        RemoteHoldout(url, token=token) as remote,
    ):
        both = compare(
            "",
            lambda _: remote.score(next(submissions)),
            lambda _: local.score(next(submissions)),
            target=1.0,
            rounds=ROUNDS,
        )
        fastest = min(_measure_processor_seconds(remote, process, submissions) for _ in range(REPETITIONS))
    return [
        Row("a holdout service adds to a warm score, n = 1,000, of 3 ms", both.ours - both.floor, ADDED_SECONDS, 1.0),
        Row(f"{A_SECONDS_SCORES} scores, processor time of service and client, n = 1,000, of 1 s", fastest, 1.0, 1.0),
        *_measure_crowd(),
    ]


def _measure_crowd() -> Iterator[Row]:
    """Measure another client's median /status while eight threads send the largest bodies; against an idle service."""
    labels = np.random.default_rng(0).integers(0, 2, CROWDED_ITEMS)
    with Holdout(labels, path=":memory:", seed=0) as local:
        most = find_body_limit(local).size
    for what, body in _make_largest_bodies(most).items():
        with (
            TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder,
            serving_holdout(Path(folder), labels.tolist()) as (url, (crowd, other), _),
            RemoteHoldout(url, token=other) as asking,
        ):
            idle = _measure_status(asking)
            with _sending(url, crowd, body):
                crowded = _measure_status(asking)
        named = f"/status while {SENDERS} threads send {most:,} bytes of {what}, n = {CROWDED_ITEMS:,}, to an idle one"
        yield Row(named, crowded, idle, AS_SLOW)


def _make_largest_bodies(most: int) -> dict[str, bytes]:
    """Make bodies as large as is read: the layout of a person, and what costs a parser the most."""
    head, tail = b'{"predictions": [', b"]}"

    def fill(one: bytes) -> bytes:
        return head + b",".join([one] * ((most - len(head) - len(tail)) // (len(one) + 1))) + tail

    return {"numbers": fill(b"\n        0.12345678901234567"), "digits": fill(b"0"), "empty lists": fill(b"[]")}


def _measure_status(asking: RemoteHoldout) -> float:
    taken = []
    for _ in range(ASKED):
        began = time.perf_counter()
        asking.status()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


@contextmanager
def _sending(url: str, token: str, body: bytes) -> Iterator[None]:
    """Threads that send the body over and over; the block begins when each has been answered once.

    In a process of their own: beside the client that is timed they would keep Python from it, which the service does
    not.
    """
    spawn = get_context("spawn")
    ended, answered = spawn.Event(), spawn.Semaphore(0)
    process = spawn.Process(target=_send, args=(url, token, body, ended, answered))
    process.start()
    try:
        for _ in range(2 * SENDERS):
            if not answered.acquire(timeout=60):
                raise RuntimeError("the service does not answer those who send")
        yield
    finally:
        ended.set()
        process.join()
    assert process.exitcode == 0


def _send(url: str, token: str, body: bytes, ended: Event, answered: Semaphore) -> None:
    def send() -> None:
        with httpx.Client(headers={"Authorization": f"Bearer {token}"}, timeout=60) as client:
            while not ended.is_set():
                assert client.post(f"{url}/score", content=body).status_code == 422
                answered.release()

    with ThreadPoolExecutor(SENDERS) as threads:
        for one in [threads.submit(send) for _ in range(SENDERS)]:
            one.result()


def _measure_processor_seconds(remote: RemoteHoldout, process: int, submissions: Iterator[Array]) -> float:
    """Measure the processor time of service and client together: wall time would count what else the machine does."""
    given = [next(submissions) for _ in range(A_SECONDS_SCORES)]
    began = _read_processor_seconds(process) + time.process_time()
    for one in given:
        remote.score(one)
    return _read_processor_seconds(process) + time.process_time() - began


def _read_processor_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def serving_holdout(folder: Path, labels: list[int]) -> Iterator[tuple[str, tuple[str, str], int]]:
    """A service in a process of its own, as the command starts it: its address, two clients' tokens, the process."""
    table, guard = folder / "labels.csv", folder / "served.db"
    table.write_text("y\n" + "\n".join(map(str, labels)) + "\n")
    Holdout(labels, path=guard, seed=0).close()
    file = GuardFile.open(guard)
    with file.use() as connection:
        tokens = add_client(connection, "bench"), add_client(connection, "other")
    file.close()
    command = [str(Path(sys.executable).with_name("ladderboard")), "holdout", "serve", str(guard)]
    process = subprocess.Popen([*command, "--labels", str(table), "--port", "0"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().split(" is served at ")[1].split(". Stop")[0], tokens, process.pid
    finally:
        process.terminate()
        process.communicate()
