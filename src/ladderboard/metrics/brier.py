"""Brier score: the mean squared error of class probabilities."""

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.metrics._families.forecasts import ForecastMetric, probability_of_label
from ladderboard.metrics.inputs import Array


class BrierScore(ForecastMetric):
    """Two classes: mean of (p − y)², y = 1 for the positive class, in [0, 1]. More: summed over classes, in [0, 2].

    Predictions are P(positive class), or one column for each class in sorted order; rows are scaled to sum to one.
    Always defined. Baseline: the class frequencies. Equals ``sklearn.metrics.brier_score_loss`` with its default
    ``scale_by_half="auto"``: the sum over both classes would count the one error of two classes twice.

    Reference
    ---------
    Brier 1950, Verification of forecasts expressed in terms of probability, Monthly Weather Review 78.

    >>> round(BrierScore().score(["ham", "spam", "spam"], [0.1, 0.9, 0.8]), 6)
    0.02
    >>> round(BrierScore().score([0, 1, 2], [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.2, 0.2, 0.6]]), 6)
    0.146667
    """

    name = "brier"
    title = "Brier score"
    bounds = (0.0, 2.0)
    spread_is_open = True  # a bold forecast loses more than twice as much as one of one half

    def compute_losses(self, y: Array, p: Array) -> FloatArray:
        missing = 1 - probability_of_label(y, p)
        if p.shape[1] == 2:
            return np.asarray(missing**2)
        errors = p.copy()
        errors[np.arange(len(y)), y] = missing
        return np.asarray(np.einsum("ic,ic->i", errors, errors))
