"""Macro F1: the mean of the classes' F1."""

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.core.scales import PROPORTION
from ladderboard.metrics._families.confusion import ClassShares, ConfusionMetric
from ladderboard.metrics.error_rate import majority_class
from ladderboard.metrics.inputs import Array


class MacroF1(ConfusionMetric):
    """The mean over classes of 2tp/(2tp + fp + fn), each class in turn as the positive one.

    Classes are those that occur in the scored labels or predictions; a class that a row of weights gives no weight is
    left out of that row's mean. Always defined. Baseline: the most frequent class, the best constant. Equals
    ``sklearn.metrics.f1_score(average="macro")``.

    >>> round(MacroF1().score(["a", "a", "b", "c"], ["a", "b", "b", "c"]), 6)
    0.777778
    """

    name = "macro_f1"
    title = "macro F1"
    bounds = (0.0, 1.0)
    scale = PROPORTION

    def scores_from(self, shares: ClassShares) -> FloatArray:
        occurring = shares.labels + shares.predictions
        return np.asarray(_compute_class_f1(shares).sum(axis=1) / np.count_nonzero(occurring, axis=1))

    def compute_influence(self, y: Array, p: Array, shares: ClassShares, score: float) -> FloatArray:
        occurring = (shares.labels + shares.predictions)[0]
        f1 = _compute_class_f1(shares)[0]
        # Σ_c (2·hit_c − F_c·(label_c + prediction_c))/occurring_c has terms for the label's and the prediction's class.
        of_label = (2.0 * (y == p) - f1[y]) / occurring[y]
        of_prediction = -f1[p] / occurring[p]
        return np.asarray((of_label + of_prediction) / np.count_nonzero(occurring))

    def compute_class_gains(self, rates: FloatArray) -> FloatArray:
        return np.asarray((rates > 0) / np.count_nonzero(rates))

    def compute_baseline(self, y: Array) -> Array | float:
        return majority_class(y)


def _compute_class_f1(shares: ClassShares) -> FloatArray:
    """F1 of each class; 0 for a class without weight."""
    occurring = shares.labels + shares.predictions
    return np.divide(2 * shares.hits, occurring, out=np.zeros_like(shares.hits), where=occurring > 0)
