"""Accuracy: the share of items that are given the right class."""

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.core.scales import PROPORTION
from ladderboard.metrics.base import MeanMetric
from ladderboard.metrics.error_rate import majority_class
from ladderboard.metrics.inputs import Array, Classes


class Accuracy(MeanMetric):
    """The mean 0/1 gain; classes of any number and type.

    Baseline: the most frequent class. Always defined. Equals ``sklearn.metrics.accuracy_score``.

    >>> Accuracy().score(["cat", "dog", "dog", "cat"], ["cat", "dog", "cat", "cat"])
    0.75
    """

    name = "accuracy"
    title = "accuracy"
    degree = 0
    kind = Classes()
    lower_is_better = False
    bounds = (0.0, 1.0)
    scale = PROPORTION
    paired_test = "mcnemar"

    def compute_losses(self, y: Array, p: Array) -> FloatArray:
        return np.asarray(y == p, dtype=np.float64)

    def compute_score(self, y: Array, p: Array, w: FloatArray | None = None) -> float:
        if w is not None:
            return super().compute_score(y, p, w)
        return float(np.count_nonzero(y == p)) / len(y)

    def compute_baseline(self, y: Array) -> Array | float:
        return majority_class(y)
