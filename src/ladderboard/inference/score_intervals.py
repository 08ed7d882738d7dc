"""The interval of each system's own mean loss, for the error bars of a table.

Notation
--------
p → a mean loss, V → its variance over items or groups, t → Student's quantile for the degrees of freedom of V.

Losses between 0 and 1 (right or wrong, shares of runs): Wilson's interval with the n* = p(1 − p)/V independent right
or wrong answers that would tell as much, so that it stays within [0, 1] and has a width where every answer is right.
Other losses: p ± t·√V.

Each interval holds alone. Two systems whose intervals overlap may well be told apart: they have the same items, and the
paired comparison knows that (`rank_ranges`).

Reference
---------
Wilson 1927, Journal of the American Statistical Association 22; Dean & Pagano 2015 for effective numbers of items.
"""

import math
from typing import Any

import numpy as np

from ladderboard.inference.checks import check_confidence
from ladderboard.inference.covariance import GroupLabels, paired_means


def score_intervals(
    loss_matrix: Any, confidence: float = 0.95, *, groups: GroupLabels | None = None
) -> list[tuple[float, float]]:
    """The interval of each column's true mean loss; each holds with this confidence.

    >>> [[round(end, 3) for end in one] for one in score_intervals([[0, 0], [0, 1], [0, 1], [0, 0]] * 25)]
    [[0.0, 0.038], [0.403, 0.597]]
    """
    from scipy.special import stdtrit

    check_confidence(confidence)
    paired = paired_means(loss_matrix, groups=groups)
    quantiles = stdtrit(paired.own_degrees_of_freedom, (1 + confidence) / 2).tolist()
    losses = np.asarray(loss_matrix)
    is_share = paired.is_share or (losses.min() >= 0 and losses.max() <= 1)
    intervals = []
    for mean, variance, quantile in zip(paired.means.tolist(), paired.variances.tolist(), quantiles, strict=True):
        if is_share:
            intervals.append(_find_wilson(mean, variance, paired.degrees_of_freedom + 1, quantile))
        else:
            half = quantile * math.sqrt(variance)
            intervals.append((mean - half, mean + half))
    return intervals


def _find_wilson(p: float, variance: float, units: float, quantile: float) -> tuple[float, float]:
    """Wilson's interval for a share that is as sure as that of n* answers."""
    answers = p * (1 - p) / variance if variance > 0 else units
    # p(1 − p)/(n − 1) is the variance of n answers, as it is estimated.
    answers = max(answers + 1, 1.0) if variance > 0 else answers
    squared = quantile**2 / answers
    centre = (p + squared / 2) / (1 + squared)
    half = math.sqrt(squared * p * (1 - p) + squared**2 / 4) / (1 + squared)
    return max(0.0, centre - half), min(1.0, centre + half)
