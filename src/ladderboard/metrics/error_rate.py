"""Error rate: the share of items that are given a wrong class."""

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.core.scales import PROPORTION
from ladderboard.metrics.base import MeanMetric
from ladderboard.metrics.inputs import Array, Classes


class ErrorRate(MeanMetric):
    """The mean 0/1 loss; classes of any number and type.

    Baseline: the most frequent class. Equals ``1 - sklearn.metrics.accuracy_score``.

    >>> ErrorRate().score(["cat", "dog", "dog", "cat"], ["cat", "dog", "cat", "cat"])
    0.25
    """

    name = "error_rate"
    title = "error rate"
    degree = 0
    kind = Classes()
    lower_is_better = True
    bounds = (0.0, 1.0)
    scale = PROPORTION
    paired_test = "mcnemar"

    def compute_losses(self, y: Array, p: Array) -> FloatArray:
        return np.asarray(y != p, dtype=np.float64)

    def compute_score(self, y: Array, p: Array, w: FloatArray | None = None) -> float:
        if w is not None:
            return super().compute_score(y, p, w)
        return float(np.count_nonzero(y != p)) / len(y)

    def compute_baseline(self, y: Array) -> Array | float:
        return majority_class(y)


def majority_class(y: Array) -> Array:
    """The most frequent code for every item; the smallest of several."""
    return np.full_like(y, np.bincount(y).argmax())
