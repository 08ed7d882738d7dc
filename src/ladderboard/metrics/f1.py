"""F1 of the positive class."""

import numpy as np

from ladderboard.core.errors import UndefinedMetricError
from ladderboard.core.records import FloatArray
from ladderboard.core.scales import PROPORTION
from ladderboard.metrics._families.confusion import ClassShares, ConfusionMetric
from ladderboard.metrics.inputs import Array, TwoClasses

POSITIVE = 1
"""The code of the positive class."""


class F1(ConfusionMetric):
    """2tp/(2tp + fp + fn): the harmonic mean of precision and recall; two classes.

    Positive is the class chosen by `with_positive`, else the greater label. Undefined where neither a label nor a
    prediction is positive. Baseline: every item positive, the best constant. Equals ``sklearn.metrics.f1_score``.

    >>> F1().score(["no", "yes", "yes", "no"], ["no", "yes", "no", "no"])
    0.6666666666666666
    """

    name = "f1"
    title = "F1"
    kind = TwoClasses()
    bounds = (0.0, 1.0)
    scale = PROPORTION

    def scores_from(self, shares: ClassShares) -> FloatArray:
        occurring = shares.labels[:, POSITIVE] + shares.predictions[:, POSITIVE]
        if not occurring.all():
            raise UndefinedMetricError(
                "no label and no prediction of these items is positive, so F1 has no value; "
                "score items some of which are positive, or use accuracy"
            )
        return np.asarray(2 * shares.hits[:, POSITIVE] / occurring)

    def compute_influence(self, y: Array, p: Array, shares: ClassShares, score: float) -> FloatArray:
        occurring = shares.labels[0, POSITIVE] + shares.predictions[0, POSITIVE]
        is_positive, is_called_positive = y == POSITIVE, p == POSITIVE
        hit = is_positive & is_called_positive
        return np.asarray((2.0 * hit - score * (is_positive.astype(np.float64) + is_called_positive)) / occurring)

    def compute_class_gains(self, rates: FloatArray) -> FloatArray:
        return np.array([0.0, 1.0])

    def compute_baseline(self, y: Array) -> Array | float:
        return np.full_like(y, POSITIVE)
