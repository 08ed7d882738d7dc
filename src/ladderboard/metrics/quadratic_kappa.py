"""Quadratic weighted kappa: agreement on ordered classes."""

import math

import numpy as np

from ladderboard.core.errors import UndefinedMetricError
from ladderboard.core.records import FloatArray
from ladderboard.core.scales import FISHER_Z
from ladderboard.metrics.base import Metric, weighted_contributions
from ladderboard.metrics.inputs import Array, Classes

NO_SPREAD = 1e-12
"""What is left of a disagreement by chance of zero after rounding, relative to the second moments."""


class QuadraticKappa(Metric):
    """1 − (mean squared difference of the codes)/(the same expected by chance, margins given); ordered classes.

    Classes are coded 0, 1, 2, … in sorted order of all the holdout's classes, and neighbours are one apart whatever
    their values (5 comes right after 3 where there is no 4). Text sorts by alphabet: use numbers for "low" < "high".
    Equals the concordance correlation of the codes with ddof = 0, 2·cov/(var + var + (difference of means)²), and
    ``sklearn.metrics.cohen_kappa_score(weights="quadratic")``. Undefined where all labels and predictions are one and
    the same class. Baseline: the null value 0, which every constant scores.

    References
    ----------
    Cohen 1968, Weighted kappa, Psychological Bulletin 70; Lin 1989, A concordance correlation coefficient to evaluate
    reproducibility, Biometrics 45.

    >>> round(QuadraticKappa().score([1, 2, 3, 3], [1, 2, 3, 2]), 6)
    0.8
    """

    name = "quadratic_kappa"
    title = "quadratic kappa"
    degree = 0
    relative_cost = 1
    paired_test = "t"
    takes_real_weights = True
    kind = Classes()
    lower_is_better = False
    bounds = (-1.0, 1.0)
    scale = FISHER_Z

    def compute_score(self, y: Array, p: Array, w: FloatArray | None = None) -> float:
        weights = np.ones((1, len(y))) if w is None else w[None, :]
        return float(self.compute_replicates(y, p, weights)[0])

    def compute_contributions(self, y: Array, p: Array, w: FloatArray | None = None) -> FloatArray:
        score = self.compute_score(y, p, w)
        (a, mean_y), (b, mean_p) = _centre(y, w), _centre(p, w)
        gap = mean_y - mean_p
        chance = np.average(a * a + b * b, weights=w) + gap**2
        agreement = 2 * (a * b - np.average(a * b, weights=w))
        disagreement = a * a + b * b + 2 * gap * (a - b) - (chance - gap**2)
        return weighted_contributions(score, (agreement - score * disagreement) / chance, w)

    def compute_replicates(self, y: Array, p: Array, weights: FloatArray) -> FloatArray:
        # Codes relative to the first label: where all are the same class, every moment is exactly zero.
        a, b = y - float(y[0]), p - float(y[0])
        moments = weights @ np.stack([np.ones(len(y)), a, b, a * b, a * a + b * b], axis=1)
        mean_y, mean_p, product, squares = (moments[:, 1:] / moments[:, :1]).T
        chance = squares - 2 * mean_y * mean_p
        if not (chance > NO_SPREAD * squares).all():
            raise UndefinedMetricError(
                "all labels and predictions of these items are one and the same class, so kappa has no value; "
                "score items of at least two classes"
            )
        # Rounding can carry a perfect score past its bound in the last digit.
        return np.asarray(np.clip(2 * (product - mean_y * mean_p) / chance, *self.bounds))

    def compute_baseline(self, y: Array) -> Array | float:
        return 0.0

    def compute_null_standard_error(self, y: Array) -> float:
        """1/√(n − 1): shuffled labels have the labels' margins, and kappa is then the Pearson correlation."""
        return 1 / math.sqrt(len(y) - 1)


def _centre(codes: Array, w: FloatArray | None) -> tuple[FloatArray, float]:
    """The codes less their mean, and the mean."""
    mean = float(np.average(codes, weights=w))
    return codes - mean, mean
