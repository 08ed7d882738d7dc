"""R²: the share of the labels' variance that is explained."""

import numpy as np

from ladderboard.core.errors import UndefinedMetricError
from ladderboard.core.records import FloatArray
from ladderboard.core.scales import LOG_COMPLEMENT
from ladderboard.metrics._families.correlation import VaryingNumbers
from ladderboard.metrics._kernels.moments import CANCELLED, deviations, rescore_rows, weighted_mean
from ladderboard.metrics.base import Metric, weighted_contributions
from ladderboard.metrics.inputs import Array

VANISHED = 1e-200
"""A variance below this share of the squared errors is none: R² would lie outside the range of numbers."""


class RSquared(Metric):
    """1 − E(y − p)²/var(y); 1 is perfect, 0 is the mean label, and there is no lower bound.

    Undefined for constant labels. Baseline: the mean label, which scores 0. Equals ``sklearn.metrics.r2_score``.
    Influence by the delta method: −((y − p)² − (1 − R²)·(y − ȳ)²)/var(y).

    >>> round(RSquared().score([1, 2, 3, 4], [1, 2, 3, 6]), 6)  # 1 − 4/5
    0.2
    """

    name = "r2"
    title = "R²"
    degree = 0
    relative_cost = 1
    paired_test = "t"
    takes_real_weights = True
    kind = VaryingNumbers()
    lower_is_better = False
    bounds = (-np.inf, 1.0)
    scale = LOG_COMPLEMENT

    def compute_score(self, y: Array, p: Array, w: FloatArray | None = None) -> float:
        errors, squares = _squares(y, p, w)
        return 1 - weighted_mean(errors, w) / weighted_mean(squares, w)

    def compute_contributions(self, y: Array, p: Array, w: FloatArray | None = None) -> FloatArray:
        errors, squares = _squares(y, p, w)
        variance = weighted_mean(squares, w)
        unexplained = weighted_mean(errors, w) / variance
        return weighted_contributions(1 - unexplained, (unexplained * squares - errors) / variance, w)

    def compute_replicates(self, y: Array, p: Array, weights: FloatArray) -> FloatArray:
        d, e = _unit_pair(y, p)
        totals = weights @ np.stack([np.ones(len(d)), d, d * d, e * e], axis=1)
        mean, dd, ee = (totals[:, 1:] / totals[:, :1]).T
        variance = dd - mean**2
        is_cancelled = variance <= CANCELLED * dd
        scores: FloatArray = 1 - ee / np.where(is_cancelled, 1.0, variance)
        rescore_rows(self, y, p, weights=weights, rows=is_cancelled, scores=scores)
        return scores

    def compute_baseline(self, y: Array) -> Array | float:
        return np.full_like(y, y.mean())


def _squares(y: Array, p: Array, w: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """(y − p)² and (y − ȳ)² of each item, on a common scale."""
    d, e = _unit_pair(y, p)
    d = d - weighted_mean(d, w)
    squares = d * d
    if weighted_mean(squares, w) < VANISHED:
        raise UndefinedMetricError(
            "all labels of these items are equal, or almost equal beside the errors of the predictions, so r2 has "
            "no value; score items whose labels differ"
        )
    return e * e, squares


def _unit_pair(y: Array, p: Array) -> tuple[FloatArray, FloatArray]:
    """The labels' deviations and the predictions' errors, scaled alike to at most one."""
    d, e = deviations(y), y - p
    largest = max(float(np.abs(d).max()), float(np.abs(e).max())) or 1.0
    return d / largest, np.asarray(e / largest)
