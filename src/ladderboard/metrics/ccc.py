"""Lin's concordance correlation coefficient."""

from typing import NamedTuple

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.metrics._families.correlation import Correlation, clip_correlations, is_constant
from ladderboard.metrics._kernels.moments import compute_row_moments, lower_median, rescore_rows, weighted_mean
from ladderboard.metrics.base import weighted_contributions
from ladderboard.metrics.inputs import Array


class ConcordanceCorrelation(Correlation):
    """2·cov(y, p)/(var(y) + var(p) + (mean(y) − mean(p))²): agreement with the line p = y, not with just any line.

    Moments have ddof = 0, as in Lin's paper; with ddof = 1 the value is slightly different. Constant predictions are
    refused as for the other correlations, although the formula says 0 for them: they agree with nothing. Baseline:
    the null value 0. Influence by the delta method: (2(1 − c)·(y − ȳ)(p − p̄) − c·(y − p)²)/(the denominator).

    Reference
    ---------
    Lin 1989, A concordance correlation coefficient to evaluate reproducibility, Biometrics 45.

    >>> round(ConcordanceCorrelation().score([1, 2, 3], [2, 3, 4]), 6)  # (4/3)/(2/3 + 2/3 + 1)
    0.571429
    """

    name = "ccc"
    title = "CCC"

    def compute_score(self, y: Array, p: Array, w: FloatArray | None = None) -> float:
        return float(clip_correlations(np.array(self._parts(y, p, w).score)))

    def compute_contributions(self, y: Array, p: Array, w: FloatArray | None = None) -> FloatArray:
        parts = self._parts(y, p, w)
        c = parts.score
        influence = (2 * (1 - c) * parts.products - c * parts.squared_differences) / parts.denominator
        return weighted_contributions(c, influence, w)

    def compute_replicates(self, y: Array, p: Array, weights: FloatArray) -> FloatArray:
        a, b, shift = _unit_pair(y, p)
        found = compute_row_moments(a, b, weights)
        gap = shift + found.mean_a - found.mean_b
        scores = clip_correlations(2 * found.covariance / (found.variance_a + found.variance_b + gap**2))
        rescore_rows(self, y, p, weights=weights, rows=found.is_cancelled, scores=scores)
        return scores

    def _parts(self, y: Array, p: Array, w: FloatArray | None) -> "_Parts":
        if is_constant(y) or is_constant(p):
            self.raise_undefined()
        a, b, shift = _unit_pair(y, p)
        squared_differences = (a - b + shift) ** 2
        a, b = a - weighted_mean(a, w), b - weighted_mean(b, w)
        products = a * b
        covariance = weighted_mean(products, w)
        # var + var + gap² = E(y − p)² + 2 cov: both terms without cancellation where agreement is good.
        denominator = weighted_mean(squared_differences, w) + 2 * covariance
        return _Parts(2 * covariance / denominator, products, squared_differences, denominator)


class _Parts(NamedTuple):
    score: float
    products: FloatArray
    """(y − ȳ)(p − p̄) of each item."""
    squared_differences: FloatArray
    denominator: float


def _unit_pair(y: Array, p: Array) -> tuple[FloatArray, FloatArray, float]:
    """Deviations of both from their medians and the distance of the medians, all scaled alike to at most one."""
    middle_y, middle_p = lower_median(y), lower_median(p)
    a, b, shift = y - middle_y, p - middle_p, middle_y - middle_p
    largest = max(float(np.abs(a).max()), float(np.abs(b).max()), abs(shift))
    return a / largest, b / largest, shift / largest
