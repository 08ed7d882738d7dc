"""Symmetric mean absolute percentage error, between 0 and 200."""

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.core.scales import LOG
from ladderboard.metrics._kernels.moments import lower_median
from ladderboard.metrics.base import MeanMetric
from ladderboard.metrics.inputs import Array, Numbers


class SymmetricPercentageError(MeanMetric):
    """The mean of 200·|y − p|/(|y| + |p|), and 0 for an item where both are 0.

    Several variants share the name. This one has the mean of |y| and |p| below the line, so that it lies between 0 and
    200 (percent); without the factor 2 it would end at 100, and without the absolute values below the line it could be
    negative or infinite. Baseline: the lower median of the labels; a label itself, since a number half-way between two
    labels of opposite sign would lose the full 200 on every item.

    Reference
    ---------
    Hyndman & Koehler 2006, Another look at measures of forecast accuracy, International Journal of Forecasting 22.

    >>> SymmetricPercentageError().score([0, 3, 0, 1], [0, 1, 5, 1])
    75.0
    """

    name = "smape"
    title = "SMAPE"
    degree = 0
    kind = Numbers()
    lower_is_better = True
    bounds = (0.0, 200.0)
    scale = LOG

    def compute_losses(self, y: Array, p: Array) -> FloatArray:
        size = np.abs(y) + np.abs(p)
        return np.asarray(np.divide(200 * np.abs(y - p), size, out=np.zeros(len(y)), where=size > 0))

    def compute_baseline(self, y: Array) -> Array | float:
        return np.full_like(y, lower_median(y))
