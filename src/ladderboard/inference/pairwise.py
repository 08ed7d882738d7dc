"""One-sided paired tests of two submissions on the same items."""

import math
from collections.abc import Callable

import numpy as np

from ladderboard.core.precision import effective_support
from ladderboard.core.records import Evaluation, FloatArray, PairedTest
from ladderboard.core.ties import subtract

SMALLEST_SUPPORT = 30
"""Below this effective number of differing items the normal approximation alone means nothing."""

FewItems = Callable[[FloatArray], float]
"""A p-value of differences that few items carry."""
NEXT_TO_NOTHING = 0.02
"""A group whose difference is a smaller share of the largest one's does not carry any of it."""
CARRYING_SHARE = 0.8
"""Of 17 groups fourteen must carry the difference: about 30 items that differ, thrown into groups at random."""


def paired_p_value(
    incumbent: Evaluation, candidate: Evaluation, *, worst: float | None = None, few_items: FewItems | None = None
) -> float:
    """The one-sided p-value of "the candidate is no better than the incumbent".

    Exact McNemar for 0/1 losses, DeLong's z for AUC, Student's t otherwise, as the yardstick says. ``worst`` adds one
    pseudo-item that the candidate loses by so much: an unbounded loss may lie in items that happen not to be here.
    ``few_items`` is the p-value where few items carry the difference, by default `self_normalised_bound`.
    """
    d, test = subtract(incumbent.losses, candidate.losses), candidate.yardstick.paired_test
    groups = candidate.yardstick.jackknife_groups
    p_value = p_value_of_differences(d, test, few_items) if groups is None else p_value_of_groups(d, groups)
    if worst is None:
        return p_value
    return max(p_value, _tail_of(np.append(d, -worst), test))


def p_value_of_differences(d: FloatArray, test: PairedTest, few_items: FewItems | None = None) -> float:
    """The one-sided p-value of mean(d) > 0, d = l_incumbent − l_candidate (positive = improvement).

    For z and t, where fewer than `SMALLEST_SUPPORT` items carry the difference, at least `self_normalised_bound`.

    >>> p_value_of_differences(np.array([1.0] * 15 + [-1.0] * 5), "mcnemar")  # P(≥ 15 of 20 heads)
    0.020694732666015625
    """
    if test == "mcnemar":
        return mcnemar_p_value(int(np.count_nonzero(d > 0)), int(np.count_nonzero(d < 0)))
    tail = _tail_of(d, test)
    return tail if effective_support(d) >= SMALLEST_SUPPORT else max(tail, (few_items or self_normalised_bound)(d))


def p_value_of_groups(d: FloatArray, groups: int) -> float:
    """The same where contributions come from a jackknife over groups: Student's t with one degree of freedom less.

    ``d`` is the mean difference at every unit, but for one unit of each group, which carries the group's deviation. A
    group in which the two submissions do not differ adds nothing to the difference. Where most groups are such, few
    items carry it, and the p-value is at least the groups' `self_normalised_bound`.
    """
    n, m = len(d), min(groups, len(d))
    mean = float(d.mean())
    deviations = d - mean
    carriers = np.argpartition(np.abs(deviations), n - m)[n - m :]
    means = mean + deviations[carriers] * math.sqrt(m * (m - 1) / (n * (n - 1)))
    tail = _tail_of(means, "t")
    carrying = np.count_nonzero(np.abs(means) > NEXT_TO_NOTHING * np.abs(means).max())
    return tail if carrying >= min(SMALLEST_SUPPORT, CARRYING_SHARE * m) else max(tail, self_normalised_bound(means))


def mcnemar_p_value(repaired: int, broken: int) -> float:
    """P(at least ``repaired`` of the items that changed did so for the better), under a fair coin."""
    from scipy.special import bdtrc

    return 1.0 if repaired == 0 else float(bdtrc(repaired - 1, repaired + broken, 0.5))


def self_normalised_bound(d: FloatArray) -> float:
    """exp(−(Σd)²/(2Σd²)) where Σd > 0, else 1: a p-value for differences that are symmetric about zero, at any n.

    Under symmetry P(Σd ≥ x·√Σd²) ≤ exp(−x²/2), however heavy the tails and however few items carry the difference
    (Efron 1969, Student's t-test under symmetry conditions). Two items alone never come below exp(−1).
    """
    largest = float(np.abs(d).max())
    if largest == 0 or not d.sum() > 0:
        return 1.0
    scaled = d / largest
    return math.exp(-float(scaled.sum() ** 2 / (2 * (scaled @ scaled))))


def _tail_of(d: FloatArray, test: PairedTest) -> float:
    deviation = float(np.std(d, ddof=1))
    if deviation == 0:
        return 0.0 if d[0] > 0 else 1.0
    return _upper_tail(float(np.mean(d)) / (deviation / math.sqrt(len(d))), len(d) - 1, test)


def _upper_tail(statistic: float, degrees_of_freedom: int, test: PairedTest) -> float:
    from scipy.special import ndtr, stdtr

    return float(ndtr(-statistic) if test == "z" else stdtr(degrees_of_freedom, -statistic))
