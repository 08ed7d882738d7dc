"""Root mean squared error."""

import math

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.core.scales import LOG
from ladderboard.metrics.base import MeanMetric, Metric, weighted_contributions
from ladderboard.metrics.inputs import Array, Numbers
from ladderboard.metrics.mse import MeanSquaredError


class RootMeanSquaredError(Metric):
    """The square root of the mean of (y − p)².

    Baseline: the mean label. Equals ``sklearn.metrics.root_mean_squared_error``. Influence by the delta method:
    (e² − mse)/(2·rmse), and 0 for perfect predictions, where the root has no derivative.

    >>> RootMeanSquaredError().score([1, 2, 3, 4], [1, 2, 3, 8])
    2.0
    """

    name = "rmse"
    title = "RMSE"
    degree = 1
    relative_cost = 1
    paired_test = "t"
    takes_real_weights = True
    kind = Numbers()
    lower_is_better = True
    bounds = (0.0, np.inf)
    scale = LOG
    squared: MeanMetric = MeanSquaredError()
    """The mean that the root is taken of."""
    decides_by = squared

    def compute_score(self, y: Array, p: Array, w: FloatArray | None = None) -> float:
        return math.sqrt(self.squared.compute_score(y, p, w))

    def compute_contributions(self, y: Array, p: Array, w: FloatArray | None = None) -> FloatArray:
        mean = self.squared.compute_score(y, p, w)
        if mean == 0:
            return np.zeros(len(y))
        influence = (self.squared.compute_losses(y, p) - mean) / (2 * math.sqrt(mean))
        return weighted_contributions(math.sqrt(mean), influence, w)

    def compute_replicates(self, y: Array, p: Array, weights: FloatArray) -> FloatArray:
        return np.asarray(np.sqrt(self.squared.compute_replicates(y, p, weights)))

    def compute_baseline(self, y: Array) -> Array | float:
        return self.squared.compute_baseline(y)
