"""Log loss: minus the mean logarithm of the probability that was given to the true class."""

import numpy as np

from ladderboard.core.records import FloatArray
from ladderboard.metrics._families.forecasts import ForecastMetric, probability_of_label
from ladderboard.metrics.inputs import Array

SMALLEST_PROBABILITY = 1e-15
"""What a smaller probability of the true class counts as in the natural log loss."""


class LogLoss(ForecastMetric):
    """Mean of −ln(probability of the true class), two classes or more.

    Predictions are P(positive class), or one column for each class in sorted order; rows are scaled to sum to one, then
    probabilities below 1e-15 count as 1e-15. Always defined. Baseline: the class frequencies. Equals
    ``sklearn.metrics.log_loss`` but for the clip, which is 2.2e-16 there for float64. The clip bounds a loss by 34.5;
    bounds say infinity, since a guarantee for losses in [0, 34.5] would promise nothing and only look like one.

    >>> round(LogLoss().score([0, 1, 1], [0.1, 0.8, 0.6]), 6)
    0.279777
    """

    name = "log_loss"
    title = "log loss"
    bounds = (0.0, np.inf)
    spread_is_open = True  # one confident mistake loses as much as fifty forecasts of one half

    def compute_losses(self, y: Array, p: Array) -> FloatArray:
        # Subtracted from 0.0, so that a certain hit loses 0.0 and not −0.0.
        return np.asarray(0.0 - np.log(np.maximum(probability_of_label(y, p), SMALLEST_PROBABILITY)))


class Log10Loss(ForecastMetric):
    """Mean of −log10(probability of the true class clipped to [.01, .99]): the log loss of the Ladder's experiments.

    For two classes that is clipping P(positive class); for more, which Ladder.jl has not, clipping the true class's
    probability. A loss lies between .0044 and 2. Always defined. Baseline: the class frequencies.

    Reference
    ---------
    Blum & Hardt 2015, The Ladder; ``cliplogloss`` of its reference code Ladder.jl.

    >>> Log10Loss().score([0, 1], [0.9, 0.001])
    1.5
    """

    name = "log_loss_base10"
    title = "log loss, base 10"
    bounds = (0.0, 2.0)
    spread_is_open = True  # a confident mistake loses as much as seven forecasts of one half

    def compute_losses(self, y: Array, p: Array) -> FloatArray:
        return np.asarray(-np.log10(np.clip(probability_of_label(y, p), 0.01, 0.99)))
