"""The test behind a certificate, and what passing it makes of the score that passed."""

import math

import numpy as np

from ladderboard.core.records import Evaluation, FloatArray
from ladderboard.core.ties import ROUNDING, subtract
from ladderboard.inference.pairwise import mcnemar_p_value, paired_p_value
from ladderboard.inference.truncated_normal import truncated_cdf

SMALLEST_P = 1e-300
"""Below this a p-value has no quantile to speak of; there is no luck left to correct for."""


def certificate_p_value(certified: Evaluation, candidate: Evaluation) -> float:
    """The one-sided p-value of "the candidate is no better than the certified entry", on all units.

    As `paired_p_value`, with the worst difference of losses without a bound. Where all units that differ do so by the
    same amount, as pass or fail does, McNemar's test is exact, whatever test the metric has.
    """
    d = subtract(certified.losses, candidate.losses)
    sizes = np.abs(d[d != 0])
    is_even = len(sizes) > 0 and float(np.ptp(sizes)) <= ROUNDING * float(sizes.max())
    if is_even and candidate.yardstick.jackknife_groups is None:
        return mcnemar_p_value(int(np.count_nonzero(d > 0)), int(np.count_nonzero(d < 0)))
    return paired_p_value(certified, candidate, worst=candidate.worst_difference(certified))


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
    return seen - float(brentq(excess, 0.0, seen))
