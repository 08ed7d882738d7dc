"""The test behind a certificate, and what passing it makes of the score that passed."""

import math

import numpy as np

from ladderboard.core.records import Evaluation, FloatArray
from ladderboard.core.ties import ROUNDING, subtract
from ladderboard.inference.pairwise import mcnemar_p_value, paired_p_value
from ladderboard.inference.truncated_normal import truncated_cdf

SMALLEST_ROOT = 1e-4
"""Nearer to the middle of its law the approximation loses its digits; the p-value is one half."""
SMALLEST_P = 1e-300
"""Below this a p-value has no quantile to speak of; there is no luck left to correct for."""


def certificate_p_value(certified: Evaluation, candidate: Evaluation) -> float:
    """The one-sided p-value of "the candidate is no better than the certified entry", on all units.

    As `paired_p_value`, with the worst difference of losses without a bound. Where all units that differ do so by the
    same amount, as pass or fail does, McNemar's test is exact, whatever test the metric has. Where few units carry the
    difference of a bounded score, its signs are tested: the usual bound asks for 2.8 standard errors where 2 suffice.
    """
    d = subtract(certified.losses, candidate.losses)
    sizes = np.abs(d[d != 0])
    is_even = len(sizes) > 0 and float(np.ptp(sizes)) <= ROUNDING * float(sizes.max())
    if is_even and candidate.yardstick.jackknife_groups is None:
        return mcnemar_p_value(int(np.count_nonzero(d > 0)), int(np.count_nonzero(d < 0)))
    is_bounded = candidate.yardstick.hoeffding_units is not None
    few_items = sign_flip_p_value if is_bounded else None
    return paired_p_value(certified, candidate, worst=candidate.worst_difference(certified), few_items=few_items)


def sign_flip_p_value(d: FloatArray) -> float:
    """P(Σ±d ≥ Σd) under random signs: a p-value for differences that are symmetric about zero, at any n.

    By the saddlepoint approximation of Lugannani and Rice (1980); exactly 2^−m where all m differences are for the
    better.

    >>> round(sign_flip_p_value(np.array([3.0, 1.0, 2.0])), 3)
    0.125
    """
    from scipy.optimize import brentq
    from scipy.special import ndtr

    moved = d[d != 0]
    scaled = moved / np.abs(moved).max(initial=0.0)
    total = float(scaled.sum())
    if not total > ROUNDING * len(d):
        return 1.0
    if scaled.min() > 0:
        return float(2.0 ** -len(scaled))

    def missing(tilt: float) -> float:
        return float(scaled @ np.tanh(tilt * scaled)) - total

    high = 1.0
    while missing(high) < 0:
        high *= 2
    tilt = float(brentq(missing, 0.0, high))
    # log cosh x without an overflow
    cumulant = float((np.logaddexp(tilt * scaled, -tilt * scaled) - math.log(2)).sum())
    root = math.sqrt(max(0.0, 2 * (tilt * total - cumulant)))
    width = tilt * math.sqrt(float(scaled**2 @ (1 - np.tanh(tilt * scaled) ** 2)))
    if root < SMALLEST_ROOT:
        return 0.5
    density = math.exp(-(root**2) / 2) / math.sqrt(2 * math.pi)
    return min(1.0, float(ndtr(-root)) + density * (1 / width - 1 / root))


def correct_for_selection(candidate: Evaluation, d: FloatArray, *, p_value: float, level: float) -> float:
    """The candidate's loss without the luck that a test of ``d`` at ``level`` selects for; never below its raw loss.

    The luck of D, in its standard errors, is `find_selection_luck`. The candidate's own mean shares it as far as its
    losses go with d: by the slope of their regression on d.
    """
    deviations = d - d.mean()
    spread = float(deviations @ deviations)
    if spread == 0:
        return candidate.loss
    slope = float(deviations @ candidate.losses) / spread
    error = math.sqrt(spread / (len(d) - 1) / len(d))
    return candidate.loss - min(slope, 0.0) * error * find_selection_luck(p_value, level)


def find_selection_luck(p_value: float, level: float) -> float:
    """How many standard errors of a gain that passed a test are luck: z(p) − μ̂, at least 0.

    z(p) is about N(μ, 1), and seen only where it is z(level) or more. μ̂ is the μ under which z(p) is the median of what
    is seen, at least 0: a gain was certified. The median of μ̂ is then μ, however strict the test was (Andrews,
    Kitagawa and McCloskey 2024, Inference on winners, for a threshold).

    >>> [round(find_selection_luck(p, 0.05), 2) for p in (0.04, 0.01, 1e-4, 1e-8)]
    [1.75, 0.66, 0.03, 0.0]
    """
    from scipy.optimize import brentq
    from scipy.special import ndtri

    seen, threshold = -float(ndtri(max(p_value, SMALLEST_P))), -float(ndtri(level))

    def excess(mean: float) -> float:
        return truncated_cdf(seen - mean, threshold - mean, math.inf) - 0.5

    if seen <= threshold or excess(0.0) <= 0:
        return max(seen, 0.0)
    if excess(seen) >= 0:  # so far beyond the threshold that rounding decides: no luck
        return 0.0
    return seen - float(brentq(excess, 0.0, seen))
