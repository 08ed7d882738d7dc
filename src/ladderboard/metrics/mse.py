"""Mean squared error."""

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.core.scales import LOG
from ladderboard.metrics.base import MeanMetric
from ladderboard.metrics.inputs import Array, Numbers


class MeanSquaredError(MeanMetric):
    """The mean of (y - p)².

    Baseline: the mean label. Equals ``sklearn.metrics.mean_squared_error``.

    >>> MeanSquaredError().score([1, 2, 3], [1, 2, 5])
    1.3333333333333333
    """

    name = "mse"
    title = "MSE"
    degree = 2
    kind = Numbers()
    lower_is_better = True
    bounds = (0.0, np.inf)
    scale = LOG

    def compute_losses(self, y: Array, p: Array) -> FloatArray:
        return np.asarray(np.square(y - p))

    def compute_baseline(self, y: Array) -> Array | float:
        return np.full_like(y, y.mean())
