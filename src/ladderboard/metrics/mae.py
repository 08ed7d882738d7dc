"""Mean absolute error."""

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.core.scales import LOG
from ladderboard.metrics.base import MeanMetric
from ladderboard.metrics.inputs import Array, Numbers


class MeanAbsoluteError(MeanMetric):
    """The mean of |y − p|.

    Baseline: the median label. Equals ``sklearn.metrics.mean_absolute_error``.

    >>> MeanAbsoluteError().score([1, 2, 3, 4], [1, 2, 3, 6])
    0.5
    """

    name = "mae"
    title = "MAE"
    degree = 1
    kind = Numbers()
    lower_is_better = True
    bounds = (0.0, np.inf)
    scale = LOG

    def compute_losses(self, y: Array, p: Array) -> FloatArray:
        return np.asarray(np.abs(y - p))

    def compute_baseline(self, y: Array) -> Array | float:
        return np.full_like(y, np.median(y))
