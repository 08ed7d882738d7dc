"""Balanced accuracy: the mean of the classes' recalls."""

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.core.scales import PROPORTION
from ladderboard.metrics._families.confusion import ClassShares, ConfusionMetric
from ladderboard.metrics.base import shares_within_classes
from ladderboard.metrics.error_rate import majority_class
from ladderboard.metrics.inputs import Array


class BalancedAccuracy(ConfusionMetric):
    """The mean over classes of the share of their items that are recognised; every class counts alike.

    Classes are those that occur in the scored labels; a class that a row of weights gives no weight is left out of that
    row's mean. Not adjusted for chance. Always defined. Baseline: the most frequent class, which scores 1/(number of
    classes) like every constant. Equals ``sklearn.metrics.balanced_accuracy_score``.

    >>> BalancedAccuracy().score(["cat", "cat", "cat", "dog"], ["cat", "cat", "cat", "cat"])
    0.5
    """

    name = "balanced_accuracy"
    title = "balanced accuracy"
    bounds = (0.0, 1.0)
    scale = PROPORTION

    def scores_from(self, shares: ClassShares) -> FloatArray:
        return np.asarray(_recalls(shares).sum(axis=1) / np.count_nonzero(shares.labels, axis=1))

    def compute_influence(self, y: Array, p: Array, shares: ClassShares, score: float) -> FloatArray:
        recall, labels = _recalls(shares)[0], shares.labels[0]
        return np.asarray(((y == p) - recall[y]) / (labels[y] * np.count_nonzero(labels)))

    def compute_class_gains(self, rates: FloatArray) -> FloatArray:
        return np.asarray((rates > 0) / np.count_nonzero(rates))

    def compute_leverages(self, y: Array, w: FloatArray | None = None) -> FloatArray | None:
        return shares_within_classes(y, w) / len(np.unique(y))

    def compute_baseline(self, y: Array) -> Array | float:
        return majority_class(y)


def _recalls(shares: ClassShares) -> FloatArray:
    """The recall of each class; 0 for a class without weight."""
    return np.divide(shares.hits, shares.labels, out=np.zeros_like(shares.hits), where=shares.labels > 0)
