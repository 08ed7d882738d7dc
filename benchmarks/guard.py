"""The holdout guard against bare scoring and hashing, and a late attempt against an early one."""

import hashlib
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from benchmarks.row import Row, compare
from ladderboard.core.records import Leakage, Release, State
from ladderboard.guard.holdout import Holdout
from ladderboard.metrics import metric_from_function

ITEMS = 1_000_000
ROUNDS = 12
EARLY, LATE = 100, 100_000
CREATION_SECONDS, CREATION_GIGABYTES = 5.0, 1.0
MOST_CALLS = 60
CREATE = """
import sys, time
import numpy as np
from ladderboard.guard.holdout import Holdout
labels = np.random.default_rng(0).integers(0, 2, 10_000_000)
start = time.process_time()
Holdout(labels, path=sys.argv[1], seed=0).close()
seconds = time.process_time() - start
# Not `ru_maxrss`, which on Linux starts from the parent's.
peak = next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(seconds, peak / 1e6)
"""

Array = npt.NDArray[Any]


def run() -> list[Row]:
    """All rows; every submission is new to its guard, and the incumbent is in memory."""
    return [
        error_rate_row("int64", "classes as scikit-learn's predict returns them"),
        error_rate_row("int8", "classes as small as can be"),
        auc_row(),
        graded_row(),
        late_attempt_row(),
        *creation_rows(),
        calls_row(),
    ]


def error_rate_row(dtype: str, given: str) -> Row:
    """Against np.mean(y != p) and one hash of the predictions."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, ITEMS).astype(dtype)
    submissions = [_with_errors(labels, rng) for _ in range(ROUNDS + 2)]
    holdout = Holdout(labels, path=":memory:", seed=0)
    holdout.score(submissions[-1])

    def floor(number: int) -> None:
        np.mean(labels != submissions[number])
        hashlib.blake2b(submissions[number].data).digest()

    what = f"Holdout.score, error_rate, n = 1,000,000, {given}"
    return compare(what, lambda number: holdout.score(submissions[number]), floor, target=3.0, rounds=ROUNDS)


def auc_row() -> Row:
    """Against one sort and one hash of the predictions."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, ITEMS)
    submissions = [labels + rng.normal(size=ITEMS) for _ in range(ROUNDS + 2)]
    holdout = Holdout(labels, metric="auc", path=":memory:", seed=0)
    holdout.score(submissions[-1])

    def floor(number: int) -> None:
        np.argsort(submissions[number])
        hashlib.blake2b(submissions[number].data).digest()

    what = "Holdout.score, auc, n = 1,000,000"
    return compare(what, lambda number: holdout.score(submissions[number]), floor, target=2.0, rounds=ROUNDS)


def graded_row() -> Row:
    """Graded items in a Series of the holdout's items, shuffled, against the mean and one hash of the scores."""
    rng = np.random.default_rng(0)
    index = pd.Index([f"item {number}" for number in range(ITEMS)])
    shuffled = index[rng.permutation(ITEMS)]
    submissions = [pd.Series(rng.integers(0, 5, ITEMS) / 4, index=shuffled) for _ in range(ROUNDS + 2)]
    holdout = Holdout.from_item_scores(index, path=":memory:", seed=0)
    holdout.score(submissions[-1])

    def floor(number: int) -> None:
        scores = submissions[number].to_numpy()
        scores.mean()
        hashlib.blake2b(scores.data.cast("B")).digest()

    what = "Holdout.score of graded items, n = 1,000,000, a pandas Series in another order"
    return compare(
        what, lambda n: holdout.score(submissions[n]), floor, target=3.0, rounds=ROUNDS, clock=time.process_time
    )


def creation_rows() -> list[Row]:
    """A guard of ten million labels, made on disk in a process of its own."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-c", CREATE, str(Path(folder) / "holdout.db")]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    seconds, gigabytes = map(float, told)
    return [
        Row("create a guard of 10,000,000 labels on disk, processor time", seconds, CREATION_SECONDS, 1.0),
        Row("the same, peak memory of the process", 1000 * gigabytes, 1000 * CREATION_GIGABYTES, 1.0, unit="MB"),
    ]


def calls_row() -> Row:
    """Calls of a user's function for one accepted submission."""
    rng = np.random.default_rng(0)
    labels, calls = rng.normal(size=10_000), [0]

    def cost(y: Array, p: Array) -> float:
        calls[0] += 1
        return float(np.abs(y - p).mean())

    holdout = Holdout(labels, metric_from_function(cost, lower_is_better=True), path=":memory:", seed=0)
    calls[0] = 0
    assert holdout.score(labels + 0.1 * rng.normal(size=10_000)).accepted
    return Row("calls of a custom function for an accepted submission", calls[0], MOST_CALLS, 1.0, unit="calls")


def late_attempt_row() -> Row:
    """The 100,000th submission of a guard on disk against the 100th of another."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 1000)
    submissions = rng.integers(0, 2, (2 * ROUNDS * 5, 1000))
    with TemporaryDirectory() as folder:
        early = _guard_with(EARLY, labels, Path(folder) / "early.db")
        late = _guard_with(LATE, labels, Path(folder) / "late.db")
        row = compare(
            "Holdout.score on disk, the 100,000th submission against the 100th",
            lambda number: late.score(submissions[number]),
            lambda number: early.score(submissions[number]),
            target=1.2,
            rounds=ROUNDS * 5,
        )
        assert late.attempts > LATE
        early.close()
        late.close()
    return row


def _with_errors(labels: Array, rng: np.random.Generator) -> Array:
    return np.where(rng.random(len(labels)) < 0.3, 1 - labels, labels).astype(labels.dtype)


def _guard_with(attempts: int, labels: Array, path: Path) -> Holdout:
    """A guard that has this many rejected attempts behind it, recorded in one transaction to save the disk's time."""
    holdout = Holdout(labels, path=path, seed=0)
    with holdout._guard.transact() as transaction:
        state = transaction.state
        for attempt in range(state.attempts + 1, attempts + 1):
            name = hashlib.blake2b(attempt.to_bytes(8, "big"), digest_size=16).hexdigest()
            state = State(attempt, state.accepts, state.released, state.incumbent, state.memory)
            release = Release(state.released, state.released, False, False, attempt, None)
            leakage = Leakage(attempt, state.accepts, 0.0, None)
            transaction.record(name, labels, release=release, state=state, leakage=leakage)
    return holdout
