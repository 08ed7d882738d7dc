"""1,000 weighted scores of 10,000 items against drawing the weights, and against loops of scikit-learn and SciPy.

Seconds are those of the processor, of all threads together: see `compare`.
"""

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.row import Row, compare
from ladderboard.core.records import FloatArray
from ladderboard.metrics import METRICS
from ladderboard.metrics._kernels.weights import unscaled_weight_blocks
from ladderboard.metrics.inputs import Array

ITEMS, REPLICATES = 10_000, 1000
ROUNDS = 5
PEER_ROWS = 50
"""Rows that the peers' loops are timed on; their time is scaled to all of them."""
MEMORY_REPLICATES, MEMORY_LIMIT = 10_000, 300
"""Replicates of the memory row, and the megabytes they may take."""


def run() -> list[Row]:
    """All rows."""
    return [
        *(_drawing_row(name) for name in ("mse", "pearson", "ccc")),
        *(_weighted_row(name, peer) for name, peer in _scikit_learn().items()),
        _resampling_row(),
        _memory_row(),
    ]


def example(name: str) -> tuple[Array, Array]:
    """Labels and predictions for a metric of this name."""
    rng = np.random.default_rng(0)
    if name in ("auc", "average_precision"):
        is_positive = (rng.random(ITEMS) < 0.3).astype(np.int64)
        return is_positive, is_positive + rng.normal(size=ITEMS)
    if name == "macro_f1":
        classes = rng.integers(0, 4, ITEMS)
        return classes, np.where(rng.random(ITEMS) < 0.6, classes, rng.integers(0, 4, ITEMS))
    numbers = rng.normal(size=ITEMS)
    return numbers, numbers + rng.normal(size=ITEMS)


def _drawing_row(name: str) -> Row:
    """Against drawing the same weights and one product with the items' losses."""
    metric, (labels, predictions) = METRICS[name], example(name)
    losses = np.square(labels - predictions)

    def ours(seed: int) -> None:
        rng = np.random.default_rng(seed)
        metric.bayesian_replicates(labels, predictions, replicates=REPLICATES, rng=rng)

    def floor(seed: int) -> None:
        for block in unscaled_weight_blocks(np.random.default_rng(seed), replicates=REPLICATES, units=ITEMS):
            block @ losses

    what = f"{name}, 1,000 Bayesian replicates of 10,000 items, against drawing the weights and one product"
    return compare(what, ours, floor, target=1.5, rounds=2 * ROUNDS, clock=time.process_time)


def _scikit_learn() -> dict[str, Callable[[Array, Array, FloatArray], float]]:
    from sklearn import metrics as sk

    return {
        "auc": lambda y, p, w: sk.roc_auc_score(y, p, sample_weight=w),
        "average_precision": lambda y, p, w: sk.average_precision_score(y, p, sample_weight=w),
        "macro_f1": lambda y, p, w: sk.f1_score(y, p, average="macro", sample_weight=w),
    }


def _weighted_row(name: str, peer: Callable[[Array, Array, FloatArray], float]) -> Row:
    """Given the weights, against a loop of scikit-learn with sample weights; the values must be equal."""
    metric, (labels, predictions) = METRICS[name], example(name)
    weights = np.random.default_rng(1).standard_exponential((REPLICATES, ITEMS))

    def loop(_: int) -> list[float]:
        return [peer(labels, predictions, row) for row in weights[:PEER_ROWS]]

    np.testing.assert_allclose(metric.replicates(labels, predictions, weights[:PEER_ROWS]), loop(0), atol=1e-9)
    what = f"{name}, 1,000 rows of weights for 10,000 items, against a scikit-learn loop (equal to 1e-9)"
    return _against_loop(what, lambda _: metric.replicates(labels, predictions, weights), loop)


def _resampling_row() -> Row:
    """Given resampled items, against a loop of SciPy over the resampled rows; the values must be equal."""
    from scipy.stats import spearmanr

    metric, (labels, predictions) = METRICS["spearman"], example("spearman")
    drawn = np.random.default_rng(2).integers(0, ITEMS, (REPLICATES, ITEMS))
    counts = np.stack([np.bincount(row, minlength=ITEMS) for row in drawn]).astype(np.float64)

    def loop(_: int) -> list[float]:
        return [spearmanr(labels[row], predictions[row]).statistic for row in drawn[:PEER_ROWS]]

    np.testing.assert_allclose(metric.replicates(labels, predictions, counts[:PEER_ROWS]), loop(0), atol=1e-9)
    what = "spearman, 1,000 resamples of 10,000 items, against a SciPy loop (equal to 1e-9)"
    return _against_loop(what, lambda _: metric.replicates(labels, predictions, counts), loop)


def _against_loop(what: str, ours: Callable[[int], object], loop: Callable[[int], object]) -> Row:
    row = compare(what, ours, loop, target=1 / 20, rounds=ROUNDS, clock=time.process_time)
    return replace(row, floor=row.floor * REPLICATES / PEER_ROWS)


def _memory_row() -> Row:
    """In a process of its own, since a peak never falls again."""
    answer = subprocess.run([sys.executable, "-m", __name__], check=True, capture_output=True, text=True)
    what = "peak memory above the start, 10,000 Bayesian replicates of 10,000 items, all metrics of this table in turn"
    return Row(what, float(answer.stdout), MEMORY_LIMIT, target=1.0, unit="MB")


def _peak_megabytes() -> float:
    """What the largest of the metrics above needs beyond the interpreter, the libraries and the data."""
    names = ["mse", "pearson", "ccc", "auc", "average_precision", "macro_f1", "spearman"]
    for name in names:  # once in small, so that all lazy imports are done
        _draw(name, replicates=2)
    before = _megabytes()
    for name in names:
        _draw(name, replicates=MEMORY_REPLICATES)
    return _megabytes() - before


def _draw(name: str, *, replicates: int) -> npt.NDArray[Any]:
    rng = np.random.default_rng(0)
    return METRICS[name].bayesian_replicates(*example(name), replicates=replicates, rng=rng)


def _megabytes() -> float:
    """The peak of this process so far; not ``ru_maxrss``, which on Linux starts from the parent's."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


if __name__ == "__main__":
    print(_peak_megabytes())
