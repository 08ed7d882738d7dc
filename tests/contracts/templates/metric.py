"""Mean Huber loss: a metric that is not in the product."""

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.core.scales import LOG
from ladderboard.metrics.base import MeanMetric
from ladderboard.metrics.inputs import Array, Numbers


class HuberLoss(MeanMetric):
    """The mean of (y − p)²/2 where |y − p| is at most 1, else of |y − p| − ½.

    Baseline: the median label. Equals ``scipy.special.huber``.

    >>> HuberLoss().score([1, 2, 3, 4], [1, 2, 4, 6])
    0.5
    """

    name = "huber_loss"
    title = "Huber loss"
    degree = 0
    """Of no power of the labels' unit: it is a square near 0 and linear far from it."""
    kind = Numbers()
    lower_is_better = True
    bounds = (0.0, np.inf)
    scale = LOG

    def compute_losses(self, y: Array, p: Array) -> FloatArray:
        far = np.abs(y - p)
        return np.asarray(np.where(far <= 1, far**2 / 2, far - 0.5))

    def compute_baseline(self, y: Array) -> Array | float:
        return np.full_like(y, np.median(y))
