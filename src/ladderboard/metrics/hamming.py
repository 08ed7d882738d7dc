"""Hamming loss: the share of wrong decisions about labels."""

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.core.scales import PROPORTION
from ladderboard.metrics.base import MeanMetric
from ladderboard.metrics.column_inputs import LabelDecisions
from ladderboard.metrics.inputs import Array


class HammingLoss(MeanMetric):
    """The mean over items and labels of 1 for a wrong decision and 0 for a right one.

    Baseline: the labels that most items have, for every item. Equals ``sklearn.metrics.hamming_loss``.

    >>> HammingLoss().score([[1, 0], [0, 1]], [[1, 0], [1, 1]])
    0.25
    """

    name = "hamming_loss"
    title = "Hamming loss"
    kind = LabelDecisions()
    lower_is_better = True
    bounds = (0.0, 1.0)
    scale = PROPORTION
    degree = 0

    def compute_losses(self, y: Array, p: Array) -> FloatArray:
        return np.asarray((y != p).mean(axis=1))

    def compute_baseline(self, y: Array) -> Array | float:
        return np.tile((2 * y.sum(axis=0) > len(y)).astype(y.dtype), (len(y), 1))
