"""The holdout guard against bare scoring and hashing, and a late attempt against an early one."""

import hashlib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.row import Row, compare
from ladderboard.core.records import Leakage, Release, State
from ladderboard.guard.holdout import Holdout

ITEMS = 1_000_000
ROUNDS = 12
EARLY, LATE = 100, 100_000

Array = npt.NDArray[Any]


def run() -> list[Row]:
    """All rows; every submission is new to its guard, and the incumbent is in memory."""
    return [
        error_rate_row("int64", "classes as scikit-learn's predict returns them"),
        error_rate_row("int8", "classes as small as can be"),
        auc_row(),
        late_attempt_row(),
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
    with holdout._guard.turn() as turn:
        state = turn.state
        for attempt in range(state.attempts + 1, attempts + 1):
            name = hashlib.blake2b(attempt.to_bytes(8, "big"), digest_size=16).hexdigest()
            state = State(attempt, state.accepts, state.released, state.incumbent, state.memory)
            release = Release(state.released, state.released, False, False, attempt, None)
            leakage = Leakage(attempt, state.accepts, 0.0, None)
            turn.record(name, labels, release=release, state=state, leakage=leakage)
    return holdout
