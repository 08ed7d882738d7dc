"""Pinball loss: how well predictions serve as a quantile of the label."""

import numpy as np

from ladderboard.core.errors import ParameterError
from ladderboard.core.records import FloatArray
from ladderboard.core.scales import LOG
from ladderboard.metrics.base import MeanMetric
from ladderboard.metrics.inputs import Array, Numbers

MEDIAN = 0.5


class Pinball(MeanMetric):
    """The mean of q·(y − p) where the label lies above the prediction and (1 − q)·(p − y) where it lies below.

    Parameters
    ----------
    quantile
        q, strictly between 0 and 1. The median is the metric "pinball", any other is named after it: "pinball@0.9".

    Baseline: the q-quantile of the labels (the smallest label with at least a share q of them at or below it). Equals
    ``sklearn.metrics.mean_pinball_loss(alpha=q)``; at the median it is half the mean absolute error.

    Reference
    ---------
    Koenker & Bassett 1978, Regression quantiles, Econometrica 46.

    >>> Pinball(quantile=0.9).score([10, 10], [0, 20])  # 0.9·10 and 0.1·10
    5.0
    >>> Pinball(quantile=0.9).name
    'pinball@0.9'
    """

    title = "pinball loss"
    kind = Numbers()
    lower_is_better = True
    bounds = (0.0, np.inf)
    scale = LOG
    degree = 1

    def __init__(self, *, quantile: float = MEDIAN) -> None:
        if not 0 < quantile < 1:
            raise ParameterError(f"quantile is {quantile}; it must lie strictly between 0 and 1")
        self.quantile = float(quantile)
        self.name = "pinball" if self.quantile == MEDIAN else f"pinball@{self.quantile:g}"

    def compute_losses(self, y: Array, p: Array) -> FloatArray:
        above = y - p
        return np.asarray(np.maximum(self.quantile * above, (self.quantile - 1) * above))

    def compute_baseline(self, y: Array) -> Array | float:
        return np.full_like(y, np.quantile(y, self.quantile, method="inverted_cdf"))
