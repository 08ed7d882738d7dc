"""Root mean squared logarithmic error."""

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.metrics.inputs import Array, Numbers
from ladderboard.metrics.mse import MeanSquaredError
from ladderboard.metrics.rmse import RootMeanSquaredError


class MeanSquaredLogError(MeanSquaredError):
    """The mean of (log(1 + y) − log(1 + p))²: what `RootMeanSquaredLogError` is the root of."""

    name = "msle"
    title = "MSLE"
    degree = 0
    kind = Numbers(smallest=0)

    def compute_losses(self, y: Array, p: Array) -> FloatArray:
        return super().compute_losses(np.log1p(y), np.log1p(p))

    def to_error_scale(self, y: Array) -> Array:
        return np.log1p(y)

    def from_error_scale(self, x: Array) -> Array:
        return np.expm1(x)

    def compute_baseline(self, y: Array) -> Array | float:
        return np.full_like(y, np.expm1(np.log1p(y).mean()))


class RootMeanSquaredLogError(RootMeanSquaredError):
    """The square root of the mean of (log(1 + y) − log(1 + p))²; labels and predictions are at least 0.

    Baseline: exp(mean log(1 + y)) − 1 for every item, the best constant. Equals
    ``sklearn.metrics.root_mean_squared_log_error``.

    >>> round(RootMeanSquaredLogError().score([0, 3], [0, 1]), 6)  # log(4/2)/√2
    0.490129
    """

    name = "rmsle"
    title = "RMSLE"
    degree = 0
    kind = Numbers(smallest=0)
    squared = MeanSquaredLogError()
    decides_by = squared
