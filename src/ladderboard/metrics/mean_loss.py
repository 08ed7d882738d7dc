"""Losses that are already computed, as a metric."""

import math

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.core.scales import IDENTITY, PROPORTION
from ladderboard.metrics.base import MeanMetric
from ladderboard.metrics.inputs import Array, Numbers


class MeanLoss(MeanMetric):
    """For boards of which only the losses on each item are known (not in `METRICS`: it takes no predictions).

    The "predictions" of a system are its losses, and the "labels" those of the system to start from, the baseline.
    """

    name = "mean_loss"
    title = "mean loss"
    degree = 0
    kind = Numbers()
    lower_is_better = True

    def __init__(self, losses: FloatArray, bounds: tuple[float, float] | None) -> None:
        is_binary = bool(np.isin(losses, (0.0, 1.0)).all())
        self.bounds = bounds or ((0.0, 1.0) if is_binary else (-math.inf, math.inf))
        self.scale = PROPORTION if is_binary else IDENTITY
        self.paired_test = "mcnemar" if is_binary else "t"

    def compute_losses(self, y: Array, p: Array) -> FloatArray:
        return np.asarray(p)

    def compute_baseline(self, y: Array) -> Array | float:
        return y
