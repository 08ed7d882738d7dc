"""The interval of a paired difference: how much better one system is than another on the same items.

Notation
--------
d_i → the old loss of item i less the new one (positive: the new system is better); n items, or groups of dependent
items; the gain is the mean of d over all possible items.

The interval: for 0/1 losses Tango's (1998) score interval; otherwise Student's t, over items or over groups. Where
fewer than `SMALLEST_SUPPORT` items carry the difference, their spread says little of items that happen not to be here,
and one pseudo-item at each end of what a difference can be is counted in. An interval excludes 0 only where the test of
`pairwise` rejects too: exact McNemar for 0/1 losses.

Several seeds of a system (models trained anew) err together on all items, which no number of items shows. Their means
vary with s²/S, and this is added to the variance over items, with Satterthwaite's degrees of freedom. Prompts are the
same for both systems: the differences with single prompts vary with s²/P. All of these contain the chance of single
answers, so the sum errs on the careful side.

Reference
---------
Tango 1998, Statistics in Medicine 17; Bouthillier et al. 2021, Accounting for Variance in Machine Learning Benchmarks
(arXiv 2103.03098), for seeds.
"""

import math
from dataclasses import dataclass

import numpy as np

from ladderboard.core.precision import effective_support
from ladderboard.core.records import FloatArray
from ladderboard.inference.checks import check_confidence
from ladderboard.inference.covariance import GroupLabels, paired_means
from ladderboard.inference.non_inferiority import tango_p_value
from ladderboard.inference.pairwise import SMALLEST_SUPPORT, mcnemar_p_value, p_value_of_differences

STEPS = 50
"""Halvings of a bisection: to the last digit."""


@dataclass(frozen=True)
class PairedDifference:
    """How much better the new system is: the mean of old loss − new loss, with its interval."""

    gain: float
    interval: tuple[float, float]
    standard_error: float
    p_value: float
    """Two-sided."""
    units: int
    """Items, or groups of items."""
    is_rough: bool = False
    """Few items carry the difference."""


@dataclass(frozen=True)
class _Spread:
    """The variance of a mean, and its degrees of freedom."""

    variance: float
    freedom: float


def paired_difference(
    new: FloatArray, old: FloatArray, *, confidence: float = 0.95, groups: GroupLabels | None = None
) -> PairedDifference:
    """Compare two systems on the same items: n losses each, n × seeds, or n × seeds × prompts of the same prompts.

    >>> rng = np.random.default_rng(1)
    >>> found = paired_difference((rng.random(400) < 0.2).astype(float), (rng.random(400) < 0.3).astype(float))
    >>> round(found.gain, 4), [round(end, 3) for end in found.interval]
    (0.075, [0.012, 0.138])
    """
    check_confidence(confidence)
    new, old = (table.reshape(*table.shape, *(1,) * (3 - table.ndim)) for table in (new, old))
    means = np.column_stack([new.mean(axis=(1, 2)), old.mean(axis=(1, 2))])
    paired = paired_means(means, groups=groups)
    d = means[:, 1] - means[:, 0]
    has_seeds = max(new.shape[1:] + old.shape[1:]) > 1
    if paired.is_binomial and not has_seeds:
        return _compare_right_and_wrong(d, confidence)
    gain = float(paired.means[1] - paired.means[0])
    rough = paired.shares is None and effective_support(d) < SMALLEST_SUPPORT
    spread = _Spread(float(paired.difference_variances[0, 1]), paired.degrees_of_freedom)
    if has_seeds:
        spread = _add_seeds(spread, new, old)
    if rough:
        return _compare_few(
            d, gain, spread, confidence, worst=float(max(new.max(), old.max()) - min(new.min(), old.min()))
        )
    p_value = _two_sided(gain, spread, paired.items)
    half = _quantile(confidence, spread.freedom) * math.sqrt(spread.variance)
    return PairedDifference(gain, (gain - half, gain + half), math.sqrt(spread.variance), p_value, paired.items)


def tango_interval(items: int, *, repaired: int, broken: int, confidence: float = 0.95) -> tuple[float, float]:
    """The gains that Tango's score test does not reject, of two paired error rates.

    >>> [round(end, 4) for end in tango_interval(44, repaired=1, broken=0)]
    [-0.0594, 0.1181]
    """
    level = (1 - confidence) / 2
    return (
        -_find_largest_excess(items, repaired=repaired, broken=broken, level=level),
        _find_largest_excess(items, repaired=broken, broken=repaired, level=level),
    )


def _find_largest_excess(items: int, *, repaired: int, broken: int, level: float) -> float:
    """The largest excess of broken items that is not rejected."""
    low, high = (broken - repaired) / items, 1.0
    for _ in range(STEPS if low < 1 else 0):
        middle = (low + high) / 2
        rejected = tango_p_value(items, repaired=repaired, broken=broken, margin=middle) < level
        low, high = (low, middle) if rejected else (middle, high)
    return high


def _compare_right_and_wrong(d: FloatArray, confidence: float) -> PairedDifference:
    n, repaired, broken = len(d), int(np.count_nonzero(d > 0)), int(np.count_nonzero(d < 0))
    gain = (repaired - broken) / n
    p_value = min(1.0, 2 * min(mcnemar_p_value(repaired, broken), mcnemar_p_value(broken, repaired)))
    interval = tango_interval(n, repaired=repaired, broken=broken, confidence=confidence)
    error = math.sqrt(((repaired + broken) / n - gain**2) / (n - 1))
    return PairedDifference(gain, _hold_zero(interval, p_value, confidence), error, p_value, n)


def _compare_few(d: FloatArray, gain: float, spread: _Spread, confidence: float, *, worst: float) -> PairedDifference:
    """Few items differ: those that would differ most, either way, may happen not to be here."""
    n = len(d)
    quantile, ends = _quantile(confidence, spread.freedom), []
    between_seeds = max(0.0, spread.variance - float(d.var(ddof=1)) / n)
    for sign in (-1.0, 1.0):
        extended = np.append(d, sign * worst)
        error = math.sqrt(float(extended.var(ddof=1)) / n + between_seeds)
        ends.append(float(extended.mean()) + sign * quantile * error)
    p_value = min(1.0, 2 * min(p_value_of_differences(d, "t"), p_value_of_differences(-d, "t")))
    p_value = max(p_value, _two_sided(gain, spread, n))
    interval = _hold_zero((ends[0], ends[1]), p_value, confidence)
    return PairedDifference(gain, interval, math.sqrt(spread.variance), p_value, n, is_rough=True)


def _add_seeds(items: _Spread, new: FloatArray, old: FloatArray) -> _Spread:
    """The variance between the seeds of each system and between prompts, beside that between items.

    A single seed, and a single prompt, stand for themselves.
    """
    between_prompts = old.mean(axis=(0, 1)) - new.mean(axis=(0, 1))
    varied = [means for means in (new.mean(axis=(0, 2)), old.mean(axis=(0, 2)), between_prompts) if len(means) > 1]
    parts = [items, *(_Spread(float(means.var(ddof=1)) / len(means), len(means) - 1) for means in varied)]
    total = sum(part.variance for part in parts)
    if total == 0:
        return items
    return _Spread(total, total**2 / sum(part.variance**2 / part.freedom for part in parts))


def _two_sided(gain: float, spread: _Spread, units: int) -> float:
    from scipy.special import stdtr

    if spread.variance == 0:
        # A difference that is the same on every item has no spread; it is believed where there are enough items.
        return 0.0 if gain != 0 and units >= SMALLEST_SUPPORT else 1.0
    return float(2 * stdtr(spread.freedom, -abs(gain) / math.sqrt(spread.variance)))


def _quantile(confidence: float, freedom: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + confidence) / 2))


def _hold_zero(interval: tuple[float, float], p_value: float, confidence: float) -> tuple[float, float]:
    """The interval, reaching 0 where the test does not reject."""
    if p_value <= 1 - confidence:
        return interval
    return min(interval[0], 0.0), max(interval[1], 0.0)
