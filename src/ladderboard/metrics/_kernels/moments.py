"""Weighted means, variances and covariances that survive cancellation (predictions such as 1e12 + a little).

Everything is computed from deviations about the median, which is within one standard deviation of the mean and is a
value itself, so that subtracting it from neighbours of the same size is exact.
"""

from dataclasses import dataclass

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.metrics.base import Metric
from ladderboard.metrics.inputs import Array

CANCELLED = 1e-6
"""A variance below this share of the second moment it was computed from has lost too many digits (10 are left)."""


def lower_median(values: Array) -> float:
    """The median; of an even number of values the lower of the middle two.

    >>> lower_median(np.array([4.0, 1.0, 3.0, 2.0]))
    2.0
    """
    middle = (len(values) - 1) // 2
    return float(np.partition(values, middle)[middle])


def deviations(values: Array) -> FloatArray:
    """The values less their lower median; all exactly zero where the values are constant."""
    return np.asarray(values - lower_median(values))


def unit_deviations(values: Array) -> FloatArray:
    """Deviations scaled to a largest size of one, so that squares neither overflow nor vanish."""
    d = deviations(values)
    largest = np.abs(d).max()
    return d if largest == 0 else np.asarray(d / largest)


def weighted_mean(values: FloatArray, w: FloatArray | None) -> float:
    """Σwv/Σw; the plain mean without weights."""
    return float(values.mean()) if w is None else float(w @ values / w.sum())


def standardise(values: Array, w: FloatArray | None) -> FloatArray | None:
    """(v − mean)/sd with ddof 0 under the weights; None where the values are constant."""
    d = unit_deviations(values)
    if not d.any():
        return None
    d = d - weighted_mean(d, w)
    return np.asarray(d / np.sqrt(weighted_mean(d * d, w)))


@dataclass(frozen=True, eq=False)
class RowMoments:
    """Moments (ddof 0) of two vectors a and b under each row of a table of weights."""

    mean_a: FloatArray
    mean_b: FloatArray
    variance_a: FloatArray
    variance_b: FloatArray
    covariance: FloatArray
    is_cancelled: Array
    """Rows in which a variance is zero or too small a difference of large numbers; score those by themselves."""


def compute_row_moments(a: FloatArray, b: FloatArray, weights: FloatArray) -> RowMoments:
    """All moments of all rows by one product of the weights with the stacked powers of ``a`` and ``b``."""
    totals = weights @ np.stack([np.ones(len(a)), a, b, a * a, b * b, a * b], axis=1)
    mean_a, mean_b, aa, bb, ab = (totals[:, 1:] / totals[:, :1]).T
    variance_a, variance_b = aa - mean_a**2, bb - mean_b**2
    is_cancelled = (variance_a <= CANCELLED * aa) | (variance_b <= CANCELLED * bb)
    # One stands in for the variances of cancelled rows, whose scores are computed again.
    variance_a[is_cancelled] = variance_b[is_cancelled] = 1.0
    return RowMoments(mean_a, mean_b, variance_a, variance_b, ab - mean_a * mean_b, is_cancelled)


def rescore_rows(metric: Metric, y: Array, p: Array, *, weights: FloatArray, rows: Array, scores: FloatArray) -> None:
    """Replace the scores of the few ``rows`` (a mask) that arithmetic in bulk cannot be trusted with.

    Each is scored by itself on the items that have weight; raises `UndefinedMetricError` where it has no score, such as
    a resample of equal labels.
    """
    for row in np.flatnonzero(rows):
        kept = weights[row] > 0
        scores[row] = metric.compute_score(y[kept], p[kept], weights[row][kept])
