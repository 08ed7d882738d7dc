"""Metrics of class probabilities that are the mean of one loss for each item."""

import math

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.core.scales import LOG
from ladderboard.metrics._families.confusion import class_rates
from ladderboard.metrics.base import MeanMetric
from ladderboard.metrics.inputs import Array, Probabilities

SHUFFLED_ITEMS = 20_000
"""Losses that the null standard error is estimated from, at least."""


class ForecastMetric(MeanMetric):
    """The mean loss of forecasts p, an n × m table whose columns are the classes in sorted order.

    Baseline: the class frequencies as the forecast for every item.
    """

    kind = Probabilities()
    lower_is_better = True
    scale = LOG
    degree = 0

    def compute_baseline(self, y: Array) -> Array | float:
        return np.tile(class_rates(y), (len(y), 1))

    def labels_as_predictions(self, y: Array) -> Array:
        return one_hot(y, classes=int(y.max()) + 1)

    def compute_null_standard_error(self, y: Array) -> float:
        """sd/√n of the losses of half-confident forecasts without skill, from seeded permutations of the labels.

        The baseline's own losses are all alike where classes are equally frequent; their sd would be no measure. The
        forecasts lie half-way between the class frequencies and the certainty of a class drawn from other items.
        """
        rng = np.random.default_rng(SHUFFLED_ITEMS)
        rates, rounds = class_rates(y), math.ceil(SHUFFLED_ITEMS / len(y))
        shuffles = (one_hot(rng.permutation(y), classes=len(rates)) for _ in range(rounds))
        variances = [np.var(self.compute_losses(y, (rates + certain) / 2), ddof=1) for certain in shuffles]
        return math.sqrt(float(np.mean(variances)) / len(y))


def probability_of_label(y: Array, p: Array) -> FloatArray:
    """The forecast probability of each item's true class."""
    return np.asarray(p[np.arange(len(y)), y])


def one_hot(y: Array, *, classes: int) -> FloatArray:
    """Forecasts that are certain of ``y``."""
    table = np.zeros((len(y), classes))
    table[np.arange(len(y)), y] = 1.0
    return table
