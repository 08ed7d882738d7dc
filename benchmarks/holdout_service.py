"""What a holdout service adds to a score: a warm one over loopback against the same guard in the process itself."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.row import Row, compare
from ladderboard.client.remote_holdout import RemoteHoldout
from ladderboard.guard.clients import add_client
from ladderboard.guard.file import GuardFile
from ladderboard.guard.holdout import Holdout

Array = npt.NDArray[Any]

ITEMS = 1000
ROUNDS = 200
ADDED_SECONDS = 0.003
A_SECONDS_SCORES = 200
REPETITIONS = 3
MEMORY = Path("/dev/shm")
"""A disk in memory: how long a real one takes to keep an attempt is the same with and without a service."""


def run() -> list[Row]:
    """The time added to a warm score, and the time that 200 scores of one client take."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, ITEMS)
    submissions = iter(rng.integers(0, 2, (2 * ROUNDS + REPETITIONS * A_SECONDS_SCORES + 10, ITEMS)))
    with (
        TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder,
        Holdout(labels, path=Path(folder) / "local.db", seed=0) as local,
        serving_holdout(Path(folder), labels.tolist()) as (remote, process),
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
    ]


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
def serving_holdout(folder: Path, labels: list[int]) -> Iterator[tuple[RemoteHoldout, int]]:
    """A client of a service in a process of its own, as the command starts it, and that process."""
    table, guard = folder / "labels.csv", folder / "served.db"
    table.write_text("y\n" + "\n".join(map(str, labels)) + "\n")
    Holdout(labels, path=guard, seed=0).close()
    file = GuardFile.open(guard)
    with file.use() as connection:
        token = add_client(connection, "bench")
    file.close()
    command = [str(Path(sys.executable).with_name("ladderboard")), "holdout", "serve", str(guard)]
    process = subprocess.Popen([*command, "--labels", str(table), "--port", "0"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        url = process.stdout.readline().split(" is served at ")[1].split(". Stop")[0]
        with RemoteHoldout(url, token=token) as remote:
            yield remote, process.pid
    finally:
        process.terminate()
        process.communicate()
