"""One-sided tests of "worse by the margin or more": what lies behind the words "not worse"."""

import math

import numpy as np

from ladderboard.core.precision import effective_support
from ladderboard.core.records import Evaluation, FloatArray, Yardstick
from ladderboard.inference.pairwise import SMALLEST_SUPPORT

BETS = 2.0 ** -np.arange(8)
"""The shares of the largest fair bet over which `betting_bound` takes the mean."""


def non_inferiority_p_value(reference: Evaluation, candidate: Evaluation, *, margin: float) -> float:
    """The p-value of "the candidate's true loss is above the reference's by ``margin`` or more".

    Tango's score test for 0/1 losses. Otherwise Student's t (normal for AUC) on the differences and one pseudo-item
    that the candidate loses entirely; where fewer than `SMALLEST_SUPPORT` items differ, `betting_bound`. Without the
    last two, near-copies of the reference would always pass: the rare items that they break may be missing here.
    """
    d = reference.losses - candidate.losses
    if candidate.yardstick.paired_test == "mcnemar":
        return tango_p_value(len(d), repaired=int((d > 0).sum()), broken=int((d < 0).sum()), margin=margin)
    worst = find_worst_difference(d, candidate.yardstick, candidate.worst_loss)
    if effective_support(d) < SMALLEST_SUPPORT:
        return 1.0 if worst is None else betting_bound(d, margin=margin, worst=worst)
    return _normal_tail(d if worst is None else np.append(d, -worst), margin, candidate.yardstick)


def tango_p_value(items: int, *, repaired: int, broken: int, margin: float) -> float:
    """The score test of a difference of two paired error rates (Tango 1998, Statistics in Medicine 17).

    The variance is that of the hypothesis, at its maximum likelihood, so that no discordant item at all is a finite
    amount of evidence: about exp(−n·margin) of it, which is how often rare errors of that rate stay hidden.

    >>> round(tango_p_value(1000, repaired=0, broken=0, margin=0.005), 4)
    0.0125
    """
    from scipy.special import ndtr

    excess = broken - repaired
    slope = 2 * items * margin - (repaired + broken) - excess * margin
    root = math.sqrt(slope**2 + 8 * items * repaired * margin * (1 - margin))
    repairing = (root - slope) / (4 * items)
    variance = items * (2 * repairing + margin * (1 - margin))
    return float(ndtr((excess - items * margin) / math.sqrt(variance)))


def find_smallest_margin(items: int, level: float) -> float:
    """The smallest margin that `tango_p_value` can show at a level: that of two predictions without a discordant item.

    >>> round(find_smallest_margin(1000, 0.025), 4)
    0.0038
    """
    from scipy.special import ndtri

    squared = float(ndtri(level)) ** 2
    return squared / (items + squared)


def betting_bound(d: FloatArray, *, margin: float, worst: float) -> float:
    """A p-value that holds at every n for differences of at least −``worst``, whatever their distribution.

    The capital of a gambler who bets that the mean of d is above −margin, in a game that is fair at −margin
    (Waudby-Smith and Ramdas 2024, Estimating means of bounded random variables by betting); by Markov's inequality
    1/capital is a p-value.
    """
    gains = d + margin
    bets = BETS / max(worst - margin, np.finfo(float).tiny)
    with np.errstate(divide="ignore"):  # a bet of everything that is lost leaves nothing: log 0
        logs = np.array([np.log1p(np.maximum(bet * gains, -1.0)).sum() for bet in bets])
    largest = float(logs.max())
    return 1.0 if largest == -math.inf else min(1.0, math.exp(-largest) / float(np.exp(logs - largest).mean()))


def find_worst_difference(d: FloatArray, yardstick: Yardstick, worst_loss: float | None) -> float | None:
    """The most that one item can cost the candidate; None where the metric is no mean of bounded contributions."""
    width = yardstick.bounds[1] - yardstick.bounds[0]
    if math.isfinite(width) and yardstick.hoeffding_units is not None:
        return max(width * yardstick.units / yardstick.hoeffding_units, -float(d.min()))
    return None if worst_loss is None else max(worst_loss, -float(d.min()))


def _normal_tail(d: FloatArray, margin: float, yardstick: Yardstick) -> float:
    from scipy.special import ndtr, stdtr

    statistic = (float(np.mean(d)) + margin) / (float(np.std(d, ddof=1)) / math.sqrt(len(d)))
    return float(ndtr(-statistic) if yardstick.paired_test == "z" else stdtr(len(d) - 1, -statistic))
