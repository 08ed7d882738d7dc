"""Pearson's correlation."""

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.metrics._families.correlation import Correlation, clip_correlations
from ladderboard.metrics._kernels.moments import (
    compute_row_moments,
    rescore_rows,
    standardise,
    unit_deviations,
    weighted_mean,
)
from ladderboard.metrics.base import weighted_contributions
from ladderboard.metrics.inputs import Array


class Pearson(Correlation):
    """cov(y, p)/(sd(y)·sd(p)); under weights with weighted moments.

    Baseline: the null value 0. Equals ``scipy.stats.pearsonr``, and ``numpy.cov(aweights=…)`` under weights. Influence
    by the delta method, with the standardised values z: z_y·z_p − (r/2)(z_y² + z_p²).

    >>> round(Pearson().score([1, 2, 3, 4], [1, 3, 2, 4]), 6)
    0.8
    """

    name = "pearson"
    title = "Pearson correlation"

    def compute_score(self, y: Array, p: Array, w: FloatArray | None = None) -> float:
        a, b = self._standardise(y, p, w)
        return float(clip_correlations(np.array(weighted_mean(a * b, w))))

    def compute_contributions(self, y: Array, p: Array, w: FloatArray | None = None) -> FloatArray:
        a, b = self._standardise(y, p, w)
        product = a * b
        score = weighted_mean(product, w)
        return weighted_contributions(score, product - score / 2 * (a * a + b * b), w)

    def compute_replicates(self, y: Array, p: Array, weights: FloatArray) -> FloatArray:
        found = compute_row_moments(unit_deviations(y), unit_deviations(p), weights)
        scores = clip_correlations(found.covariance / np.sqrt(found.variance_a * found.variance_b))
        rescore_rows(self, y, p, weights=weights, rows=found.is_cancelled, scores=scores)
        return scores

    def _standardise(self, y: Array, p: Array, w: FloatArray | None) -> tuple[FloatArray, FloatArray]:
        a, b = standardise(y, w), standardise(p, w)
        if a is None or b is None:
            self.raise_undefined()
        return a, b
