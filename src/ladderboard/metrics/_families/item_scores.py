"""Means of scores between 0 and 1 that come from comparing each answer with the label of its item."""

import math
from abc import abstractmethod

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.core.scales import PROPORTION
from ladderboard.metrics.base import PERMUTATIONS, MeanMetric
from ladderboard.metrics.inputs import Array


class ItemScoreMetric(MeanMetric):
    """The mean of the scores of items, each from 0 (nothing right) to 1; higher is better.

    To write one: `compare`, `labels_as_predictions` and a baseline. Answers are compared with labels once: all that is
    computed afterwards needs only the scores of the items.
    """

    lower_is_better = False
    bounds = (0.0, 1.0)
    scale = PROPORTION
    grid_centre = 0.5
    degree = 0
    relative_cost = 50
    least_spread = 0.25
    """The least standard deviation of item scores that the null standard error assumes: ½ where they are 0 or 1."""

    @abstractmethod
    def compare(self, y: Array, p: Array) -> FloatArray:
        """The score of each answer."""

    def condense(self, y: Array, p: Array) -> Array:
        return p if p.dtype.kind == "f" else self.compare(y, p)

    def compute_losses(self, y: Array, p: Array) -> FloatArray:
        return self.condense(y, p)

    def compute_null_standard_error(self, y: Array) -> float:
        """From shuffled labels as answers, but at least as if item scores had the spread of a usual system's.

        Of a large collection, a shuffled answer is right nowhere, and shows no scale at all.
        """
        shuffled = self.labels_as_predictions(np.random.default_rng(PERMUTATIONS).permutation(y))
        spread = float(np.std(self.compare(y, shuffled), ddof=1))
        return max(spread, self.least_spread) / math.sqrt(len(y))
